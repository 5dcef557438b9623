import { batch, computed, effect, signal } from "@preact/signals";
import type { Finding } from "claimkit";
import { ask, engineState, forget, sentencesCame } from "../engine/client.ts";
import { countsOf, endOf, type ShortAnswer } from "../engine/report.ts";
import { lang } from "../i18n/index.ts";
import { files, manifest, type PageFile, source } from "./files.ts";
import { cluster } from "./gates.ts";
import { type Guide, guideFor, helpsNobody } from "./guide.ts";
import { ignored } from "./options.ts";

/** The engine's answer about one version of one file. */
export interface Report {
	fileId: string;
	version: number;
	answer: ShortAnswer;
	/** The advice for a pasted text that is not a manifest written by a person. */
	guide: Guide | null;
	/** What keeps kubectl from reading the text to its end, whatever of the answer is shown. */
	unread: Finding | null;
	ms: number;
}

export const reports = signal<ReadonlyMap<string, Report>>(new Map());
/** Files whose check crashed or was refused, with the reason. */
export const failures = signal<
	ReadonlyMap<string, { version: number; crashed: boolean; message: string }>
>(new Map());
/** The first answer is marked on the page's time line, so that its budget can be measured. */
let first = true;

/** Findings another panel's request has about the open text; while it is shown the editor underlines these. */
export const overlay = signal<{
	fileId: string;
	version: number;
	findings: readonly Finding[];
} | null>(null);

export const report = computed(() => {
	const file = manifest.value;
	return file ? reports.value.get(file.id) : undefined;
});

/** The findings belong to an older text than the one on the screen. */
export const stale = computed(() => {
	const file = manifest.value;
	return !file || report.value?.version !== file.version;
});

/**
 * A check waits for a pause in typing, a longer one in a larger text: what is checked between two keys nobody reads, and drawing
 * its findings would delay the next key.
 */
function pause(length: number): number {
	if (length < 5_000) return 60;
	if (length < 100_000) return 150;
	return length < 1_000_000 ? 250 : 500;
}

/**
 * Limits high enough that an error at the end of a large file is found; the worker sends the page the most severe of them.
 */
export const LIMITS = { findings: 200_000 };

/** Nobody types more blanks than this. */
const LONGEST_BLANK = 1_000;

/** An empty text is where a person begins, not a mistake; and a text of another sort gets guidance, and no marks beside it. */
function ofText(
	file: PageFile,
	answer: ShortAnswer,
): Pick<Report, "answer" | "guide" | "unread"> {
	const empty =
		file.doc.length <= LONGEST_BLANK && file.doc.toString().trim() === "";
	const guide = guideFor(file.doc, answer);
	const unread = endOf(answer.findings) ?? null;
	const drop = (gone: (finding: Finding) => boolean) => {
		const findings = answer.findings.filter((finding) => !gone(finding));
		return {
			answer: {
				...answer,
				findings,
				findingCount: findings.length,
				counts: countsOf({ ...answer, findings }),
			},
			guide,
			unread,
		};
	};
	// The guide of a pod for a device plugin says the same, and what to do.
	if (empty || guide?.what === "plugin")
		return drop(({ code }) => code === "nothing-checked");
	if (helpsNobody(guide, answer)) return drop(() => true);
	const codes = ignored.peek();
	return codes.length > 0
		? drop(({ code }) => codes.includes(code))
		: { answer, guide, unread };
}

/** More than this is not read again for every change of one text. */
const LONGEST_TOGETHER = 8_000_000;

/** All manifests, for pods of one refer to claims of others; the file alone where they are too long. */
function manifestsWith(file: PageFile): readonly PageFile[] {
	const manifests = files
		.peek()
		.filter(
			({ id, role, doc }) =>
				id === file.id || (role === "manifest" && doc.length > 0),
		);
	const length = manifests.reduce((sum, { doc }) => sum + doc.length, 0);
	return length > LONGEST_TOGETHER ? [file] : manifests;
}

async function check(file: PageFile, again = true): Promise<void> {
	const manifests = manifestsWith(file);
	const options = {
		limits: LIMITS,
		...cluster(),
		at: manifests.findIndex(({ id }) => id === file.id),
	};
	const outcome = await ask(`validate:${file.id}`, {
		question: "report",
		text: source(file),
		options,
		texts: { among: manifests.map(source) },
	});
	if (outcome.kind === "superseded") return;
	// A worker may have died of something else: the same text gets a second chance, and no third.
	if (outcome.kind === "crashed" && again && engineState.peek() !== "failed") {
		const now = files.peek().find((other) => other.id === file.id);
		if (now?.version === file.version) return check(file, false);
	}
	// The text has changed meanwhile: its own check is on the way, and drawing this answer would delay the next key.
	const newest = files.peek().find((other) => other.id === file.id);
	if (newest?.version !== file.version && reports.peek().has(file.id)) return;
	batch(() => {
		const failed = new Map(failures.peek());
		if (outcome.kind === "answer") {
			failed.delete(file.id);
			if (first) performance.mark("claimkit-first-findings");
			first = false;
			reports.value = new Map(reports.peek()).set(file.id, {
				fileId: file.id,
				version: file.version,
				...ofText(file, outcome.answer),
				ms: outcome.ms,
			});
		} else {
			failed.set(file.id, {
				version: file.version,
				crashed: outcome.kind === "crashed",
				message: outcome.message,
			});
		}
		failures.value = failed;
	});
}

/** Shows the answer that came with the page, about the first example as it is, until the engine has started. */
function showFirstAnswer(): void {
	const [file, ...others] = files.peek();
	const { text, answer } = __FIRST_ANSWER__;
	if (
		!file ||
		others.length > 0 ||
		file.role !== "manifest" ||
		lang.peek() !== "en" ||
		Object.keys(cluster()).length > 0 ||
		file.doc.toString() !== text.replace(/\r\n?/g, "\n")
	)
		return;
	performance.mark("claimkit-first-findings");
	first = false;
	reports.value = new Map([
		[
			file.id,
			{
				fileId: file.id,
				version: file.version,
				...ofText(file, answer),
				ms: 0,
			},
		],
	]);
}

/** Short names of long lists: the same list has the same name. */
const listNames = new Map<string, number>();
/** Older lists than this many are not met again. */
const MOST_LISTS = 50;

function nameOf(list: string): number {
	const known = listNames.get(list);
	if (known !== undefined) return known;
	lists += 1;
	if (listNames.size >= MOST_LISTS) listNames.clear();
	listNames.set(list, lists);
	return lists;
}

let lists = 0;

/** Checks every manifest of the page whenever it or the release changes. */
export function keepChecking(): void {
	showFirstAnswer();
	const asked = new Map<string, string>();
	const timers = new Map<string, number>();
	effect(() => {
		const wanted = JSON.stringify([
			cluster(),
			ignored.value,
			lang.value,
			sentencesCame.value,
		]);
		const current = manifest.value;
		const manifests = files.value.filter((file) => file.role === "manifest");
		const there = new Set(files.value.map((file) => file.id));
		if ([...reports.peek().keys()].some((id) => !there.has(id)))
			reports.value = new Map(
				[...reports.peek()].filter(([id]) => there.has(id)),
			);
		// The worker keeps the texts of files that are open, and the newest of those that stand for none.
		forget((key) => /^f\d+$/.test(key) && !there.has(key));
		for (const id of [...asked.keys()]) {
			if (!manifests.some((file) => file.id === id)) asked.delete(id);
		}
		const names = nameOf(manifests.map(({ id }) => id).join(" "));
		const texts = nameOf(
			manifests.map(({ id, version }) => `${id}@${version}`).join(" "),
		);
		// The one on the screen first.
		manifests.sort(
			(a, b) => Number(b.id === current?.id) - Number(a.id === current?.id),
		);
		for (const file of manifests) {
			// A text that refers to others is checked again when they change, any text when there are more of them.
			const refers = reports.peek().get(file.id)?.answer.among === true;
			const others = refers ? texts : names;
			const key = `${file.version} ${wanted} ${others}`;
			if (asked.get(file.id) === key) continue;
			asked.set(file.id, key);
			clearTimeout(timers.get(file.id));
			// The first answer for a file is waited for; later ones are for someone who types.
			const wait =
				reports.peek().has(file.id) || timers.has(file.id)
					? pause(file.doc.length)
					: 0;
			timers.set(
				file.id,
				window.setTimeout(() => void check(file), wait),
			);
		}
	});
}
