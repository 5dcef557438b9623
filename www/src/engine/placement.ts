import type {
	EvaluateAnswer,
	Finding,
	Placement,
	Range,
	SelectorInverse,
	Verdict,
} from "claimkit";

/** One claim, template, class or pod: a column of the matrix. */
export interface Column {
	object: number;
	kind: string;
	name: string;
	namespace?: string;
	verdicts: Verdict[];
	reasons: string[];
	/** The words of a cell, where they say more than the verdict's sign. */
	words?: string[];
	/** The node that the pod gets in its turn. */
	chosen?: number;
	counts: Placement["counts"];
	next?: Placement["next"];
	selectors: SelectorInverse[];
}

/** Returns a range with the name of its file, where the question was about several. */
export const inFile = (range: Range, file: string | undefined): Range =>
	file === undefined ? range : { ...range, file };

/** A scheduling context of the text, and the pod it belongs to. */
export interface SchedulingContext {
	kind: string;
	name: string;
	range?: Range;
	/** The place of its pod; absent where the text has none. */
	podRange?: Range;
	/** Whether the scheduler takes it as the pod's. */
	owned: boolean;
}

/** More columns than this nobody reads side by side. */
const MOST_COLUMNS = 100;

/** The data that the page needs to draw thousands of nodes; the explanation of one cell is asked for when it is opened. */
export interface Matrix {
	ok: boolean;
	findings: Finding[];
	nodes: string[];
	labels: (Record<string, string> | null)[];
	columns: Column[];
	/** How many there are in all; `columns` has the first of them. */
	columnCount: number;
	contexts: SchedulingContext[];
}

function contextsOf(answer: EvaluateAnswer): SchedulingContext[] {
	return answer.objects.flatMap(({ kind, name, namespace, range, file }) => {
		if (kind !== "PodScheduling" && kind !== "PodSchedulingContext") return [];
		const pod = answer.objects.find(
			(other) =>
				other.kind === "Pod" &&
				other.name === name &&
				(other.namespace || "default") === (namespace || "default"),
		);
		const owned =
			pod?.placement?.reasons?.every(
				({ reason }) => !reason.includes("is not owned by Pod"),
			) ?? true;
		return [
			{
				kind,
				name,
				owned,
				...(range ? { range: inFile(range, file) } : {}),
				...(pod?.range ? { podRange: inFile(pod.range, pod.file) } : {}),
			},
		];
	});
}

/** A finding about another text than the manifests has no place in them. */
export function withoutPlace(finding: Finding): Finding {
	if (finding.in === "text") return finding;
	const { range: _, ...placeless } = finding;
	return { ...placeless, fixes: [] };
}

/** Reduces an evaluation to the matrix; `read` are the nodes' labels as the text has them. */
export function compactPlacements(
	answer: EvaluateAnswer,
	read: readonly { name: string; labels: Record<string, string> }[],
): Matrix {
	const columns: Column[] = [];
	let columnCount = 0;
	let nodes: string[] = [];
	answer.objects.forEach((entry, object) => {
		const { placement } = entry;
		if (!placement) return;
		columnCount += 1;
		if (columns.length >= MOST_COLUMNS) return;
		if (placement.nodes.length > nodes.length)
			nodes = placement.nodes.map((row) => row.name);
		columns.push({
			object,
			kind: entry.kind,
			name: entry.name,
			...(entry.namespace ? { namespace: entry.namespace } : {}),
			verdicts: placement.nodes.map((row) => row.verdict),
			reasons: placement.nodes.map((row) => row.reason),
			counts: placement.counts,
			...(placement.next ? { next: placement.next } : {}),
			selectors: placement.selectors ?? [],
		});
	});
	const byName = new Map(read.map((node) => [node.name, node.labels]));
	return {
		ok: answer.ok,
		findings: answer.findings.map(withoutPlace),
		nodes,
		labels: nodes.map((name) => byName.get(name) ?? null),
		columns,
		columnCount,
		contexts: contextsOf(answer),
	};
}
