import type { Finding, ValidateAnswer, ValidatedObject } from "claimkit";

/** The greatest number of findings shown; the counts include the rest. */
const MOST_FINDINGS = 5_000;
const MOST_GOOD_OBJECTS = 200;
const MOST_BAD_OBJECTS = 1_000;

/** An object with its index in the whole text: objects without findings may be left out. */
export type Indexed<T> = T & { index: number };

/** How many findings there are, whatever of them is shown. */
export interface Counts {
	errors: number;
	warnings: number;
	infos: number;
	/** Errors of kubectl, the API server and the scheduler. */
	theirs: number;
	kubectl: { now: number; all: number };
	server: { now: number; all: number };
}

/**
 * Returns which errors are in the answer that is given now. kubectl stops before anything is sent, and a server that cannot decode
 * an object answers with that alone: what validation would say comes only after it is mended.
 */
export function answeredNow(
	findings: readonly Finding[],
	objects: readonly Indexed<Pick<ValidatedObject, "status">>[],
): (finding: Finding) => boolean {
	const byIndex = new Map(objects.map((entry) => [entry.index, entry]));
	const stops = findings.filter(
		({ origin, severity }) => origin === "kubectl" && severity === "error",
	);
	const stopped = new Set(stops.map(({ object }) => object));
	// kubectl submits nothing of what follows a document that it cannot read.
	const unread = Math.min(
		...stops.map(({ object, range }) =>
			object === undefined ? (range?.start.offset ?? 0) : Infinity,
		),
	);
	return (finding) => {
		if (finding.origin !== "kube-apiserver" || finding.severity !== "error")
			return true;
		if (
			(finding.range?.start.offset ?? 0) > unread ||
			(finding.object !== undefined && stopped.has(finding.object))
		)
			return false;
		const status = byIndex.get(finding.object ?? -1)?.status;
		if (!status || status.code === 422) return true;
		return (status.message ?? "").includes(finding.message);
	};
}

export function countsOf({
	findings,
	objects,
}: Pick<ShortAnswer, "findings" | "objects">): Counts {
	const now = answeredNow(findings, objects);
	const counts: Counts = {
		errors: 0,
		warnings: 0,
		infos: 0,
		theirs: 0,
		kubectl: { now: 0, all: 0 },
		server: { now: 0, all: 0 },
	};
	for (const finding of findings) {
		const { origin, severity } = finding;
		if (severity === "warning") counts.warnings += 1;
		else if (severity === "info") counts.infos += 1;
		if (severity !== "error") continue;
		counts.errors += 1;
		if (origin !== "claimkit") counts.theirs += 1;
		const of =
			origin === "kubectl"
				? counts.kubectl
				: origin === "kube-apiserver"
					? counts.server
					: undefined;
		if (!of) continue;
		of.all += 1;
		if (now(finding)) of.now += 1;
	}
	return counts;
}

/** How many objects of a kind the whole text holds. */
export interface KindCount {
	apiVersion: string;
	kind: string;
	count: number;
}

/** An answer with as much of its lists as a person can look at. */
export interface ShortAnswer extends Omit<ValidateAnswer, "objects"> {
	objects: Indexed<ValidatedObject>[];
	/** Every kind of the text, whatever of its objects is listed. */
	kinds: KindCount[];
	/** The objects that its pods refer to were looked for in other texts. */
	among?: boolean;
	/** Number of objects of other groups, which share one finding. */
	otherGroups: number;
	/** Objects of the text have what only a server writes: they were read from a cluster. */
	live: boolean;
	findingCount: number;
	counts: Counts;
	objectCount: number;
	badObjectCount: number;
}

/** The findings in their order; of too many the notes go first and the errors last. */
function worst(findings: readonly Finding[]): Finding[] {
	let room = MOST_FINDINGS;
	if (findings.length <= room) return [...findings];
	const kept = new Set<Finding>();
	for (const wanted of ["error", "warning", "info"]) {
		for (const finding of findings) {
			if (finding.severity !== wanted) continue;
			if (room <= 0) break;
			kept.add(finding);
			room -= 1;
		}
	}
	return findings.filter((finding) => kept.has(finding));
}

/** The finding code of an object of another group. */
const OTHER_GROUP = "other-group";
/** More of them than this share one finding. */
const MOST_OTHERS = 8;

function kindsOf(objects: readonly ValidatedObject[]): KindCount[] {
	const counts = new Map<string, KindCount>();
	for (const { apiVersion, kind } of objects) {
		const key = `${apiVersion} ${kind}`;
		const known = counts.get(key);
		if (known) known.count += 1;
		else counts.set(key, { apiVersion, kind, count: 1 });
	}
	return [...counts.values()];
}

/** Shortens an answer for the page: of a file with tens of thousands of objects only the worker keeps everything. */
export function shorten(answer: ValidateAnswer, text: string): ShortAnswer {
	let good = 0;
	let bad = 0;
	const others = answer.findings.filter(
		({ code }) => code === OTHER_GROUP,
	).length;
	const findings =
		others > MOST_OTHERS
			? answer.findings.filter(({ code }) => code !== OTHER_GROUP)
			: answer.findings;
	const indexed = answer.objects.map((entry, index) => ({ ...entry, index }));
	const objects = indexed.filter(({ valid }) => {
		if (valid === false) {
			bad += 1;
			return bad <= MOST_BAD_OBJECTS;
		}
		good += 1;
		return good <= MOST_GOOD_OBJECTS;
	});
	return {
		...answer,
		kinds: kindsOf(answer.objects),
		live:
			/^[\s-]+["']?resourceVersion["']?\s*:/m.test(text) &&
			/^[\s-]+["']?uid["']?\s*:/m.test(text),
		otherGroups: others > MOST_OTHERS ? others : 0,
		findings: worst(findings),
		objects,
		findingCount: findings.length,
		counts: countsOf({ findings, objects: indexed }),
		objectCount: answer.objects.length,
		badObjectCount: bad,
	};
}

/** Codes that no longer hold when the objects are in other texts. */
const NOT_ALONE = ["nothing-checked", OTHER_GROUP];

/** The codes of errors that end the reading of a text, and with it of everything behind it. */
const ENDS = ["yaml-syntax", "json-syntax"];

/** Returns the error that keeps kubectl from reading a text to its end. */
export function endOf(findings: readonly Finding[]): Finding | undefined {
	return findings.find(
		({ code, severity }) => severity === "error" && ENDS.includes(code),
	);
}

/** Whether kubectl reads a text to its end. */
export const isRead = ({ findings }: ValidateAnswer): boolean =>
	endOf(findings) === undefined;

/** What is said of a text where all texts are judged as one cluster. */
export interface Among {
	findings: Finding[];
	objects: ValidatedObject[];
}

/**
 * Adds the findings about a text's references, `among` all texts, to its own. Where the other texts decide that another release
 * answers, nothing that it would be told alone holds.
 */
export function checkedAmong(
	alone: ValidateAnswer,
	{ findings: among, objects }: Among,
): ValidateAnswer {
	const otherRelease =
		objects.length === alone.objects.length &&
		objects.some(({ release }, at) => release !== alone.objects[at]?.release);
	if (otherRelease)
		return {
			...alone,
			ok: !among.some(({ severity }) => severity === "error"),
			findings: among,
			objects,
		};
	const known = new Set(
		alone.findings.map(
			({ code, message, range }) => `${code} ${message} ${range?.start.line}`,
		),
	);
	const more = among.filter(
		(finding) =>
			finding.range !== undefined &&
			finding.in === "text" &&
			finding.origin === "claimkit" &&
			!known.has(
				`${finding.code} ${finding.message} ${finding.range.start.line}`,
			),
	);
	// Their references were looked up in the other texts, so something was checked.
	const findings = alone.objects.some(({ valid }) => typeof valid === "boolean")
		? alone.findings
		: alone.findings.filter(({ code }) => !NOT_ALONE.includes(code));
	return { ...alone, findings: [...findings, ...more] };
}
