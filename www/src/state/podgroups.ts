import {
	type DeviceGrid,
	type Lack,
	type PodColumn,
	podKey,
} from "../engine/devices.ts";
import type { ClusterFacts } from "../engine/facts.ts";
import type { Column, Matrix } from "../engine/placement.ts";

/** Pods with the same requests; the page asks about one of them, which represents all. */
export interface PodGroup {
	/** The grid index of the pod that represents the group. */
	first: number;
	/** The places of all, `first` among them. */
	members: number[];
}

/** Returns a key of the outcome of a pod that gets no node in its turn: pods with equal keys have one sentence. */
function turnKey({ pod, sameAs, turn }: PodColumn): string {
	if (!turn || turn.node !== null) return "";
	const { outcome, message, waitsFor, nominated, freed, victims, depends } =
		turn;
	return JSON.stringify([
		sameAs ?? pod,
		outcome,
		message,
		waitsFor,
		nominated,
		freed,
		victims,
		depends,
	]);
}

/** Puts pods together that get no node in their turn, for the same reasons. */
export function turnGroups(grid: DeviceGrid): PodGroup[] {
	return grouped(grid, (index) => {
		const column = grid.known[index];
		return column ? turnKey(column) : "";
	});
}

/** Columns that came after the grid, by `podKey`. */
export type Columns = ReadonlyMap<string, PodColumn>;

/** The column of a pod of the grid; null where the engine was not asked yet. */
export function columnAt(
	grid: DeviceGrid,
	filled: Columns,
	index: number,
): PodColumn | null {
	const group = grid.groups[index];
	return (group && filled.get(podKey(group))) ?? grid.known[index] ?? null;
}

/** Groups equal pods; claims without a pod, and pods that fail before nodes are tried, get groups of their own. */
export function groupsOf(
	grid: DeviceGrid,
	facts: ClusterFacts | null,
): PodGroup[] {
	return grouped(grid, (index) => {
		const { pod, before } = grid.groups[index]!;
		return pod === null || before !== null
			? ""
			: (facts?.pods[pod]?.alike ?? "");
	});
}

function grouped(
	{ groups }: DeviceGrid,
	keyOf: (index: number) => string,
): PodGroup[] {
	const found: PodGroup[] = [];
	const known = new Map<string, PodGroup>();
	groups.forEach((_, index) => {
		const alike = keyOf(index);
		const group = alike === "" ? undefined : known.get(alike);
		if (group) {
			group.members.push(index);
			return;
		}
		const made = { first: index, members: [index] };
		if (alike !== "") known.set(alike, made);
		found.push(made);
	});
	return found;
}

/** The column and the reasons of a group; null where the engine was not asked yet. */
export function columnOfGroup(
	grid: DeviceGrid,
	filled: Columns,
	{ first }: PodGroup,
): PodColumn | null {
	return columnAt(grid, filled, first);
}

/** How many nodes lack what, the most frequent first. */
export function lackCounts(
	lacks: readonly (Lack | null)[],
): { lack: Lack; nodes: number }[] {
	const counts = new Map<string, { lack: Lack; nodes: number }>();
	for (const lack of lacks) {
		if (!lack) continue;
		const key = `${lack.stage} ${lack.detail}`;
		const known = counts.get(key);
		if (known) known.nodes += 1;
		else counts.set(key, { lack, nodes: 1 });
	}
	return [...counts.values()].sort((a, b) => b.nodes - a.nodes);
}

/** With fewer nodes than this every one has its row. */
const FEW = 8;

/** Rows with equal cells in every column; the first represents all. `own` is what a node has for itself. */
export function rowsAlike(
	{ nodes }: Matrix,
	columns: readonly Column[],
	lacks: readonly (readonly (Lack | null)[])[],
	rows: readonly number[],
	own: (row: number) => string,
): Map<number, number[]> {
	const alike = new Map<string, number[]>();
	for (const row of rows) {
		const says = columns.map((column, at) => [
			column.verdicts[row],
			column.words?.[row],
			lacks[at]?.[row],
		]);
		const key =
			nodes.length < FEW ? String(row) : JSON.stringify([own(row), says]);
		const known = alike.get(key);
		if (known) known.push(row);
		else alike.set(key, [row]);
	}
	return new Map([...alike.values()].map((list) => [list[0]!, list]));
}
