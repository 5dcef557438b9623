import type { Verdict } from "claimkit";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Matrix } from "../engine/placement.ts";
import { sampleNodes } from "../examples/index.ts";
import { t } from "../i18n/index.ts";
import { familyOf } from "../state/family.ts";
import { files, freeName, literal, manifest, newFile } from "../state/files.ts";
import { serverOnly } from "../state/gates.ts";
import { nodeWords, picked as pickedCell } from "../state/options.ts";
import { nodesTogether, together } from "../state/together.ts";
import { Cell } from "./Cell.tsx";
import { Commands } from "./Commands.tsx";
import { Contexts } from "./Contexts.tsx";
import { Elsewhere } from "./Elsewhere.tsx";
import { FindingList } from "./FindingList.tsx";
import { MatrixGrid, VERDICTS } from "./MatrixGrid.tsx";
import { Removals } from "./Removals.tsx";
import { Ticked } from "./Ticked.tsx";
import { Trouble } from "./Trouble.tsx";
import { pauseFor, useEngine } from "./useEngine.ts";

/** Whether a node matches one word of the filter: `key=value` is a whole label, any other word is searched in all texts. */
function passes(
	part: string,
	name: string,
	labels: Record<string, string> | null,
): boolean {
	const equals = part.indexOf("=");
	const pairs = Object.entries(labels ?? {}).map(
		([key, value]) => [key.toLowerCase(), value.toLowerCase()] as const,
	);
	if (equals < 0)
		return (
			name.toLowerCase().includes(part) ||
			pairs.some(([key, value]) => key.includes(part) || value.includes(part))
		);
	const [wantedKey, wantedValue] = [
		part.slice(0, equals),
		part.slice(equals + 1),
	];
	return pairs.some(
		([key, value]) =>
			(key === wantedKey || key.endsWith(`/${wantedKey}`)) &&
			value === wantedValue,
	);
}

/** Rows that pass the filter: every word of it, and one of the chosen verdicts in some column. */
function passing(
	matrix: Matrix,
	words: string,
	wanted: ReadonlySet<Verdict>,
): number[] {
	const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
	const rows: number[] = [];
	for (let row = 0; row < matrix.nodes.length; row++) {
		if (
			wanted.size > 0 &&
			!matrix.columns.some(({ verdicts }) =>
				wanted.has(verdicts[row] ?? "Error"),
			)
		)
			continue;
		if (
			!parts.every((part) =>
				passes(part, matrix.nodes[row] ?? "", matrix.labels[row] ?? null),
			)
		)
			continue;
		rows.push(row);
	}
	return rows;
}

export function Nodes() {
	const s = t.value;
	void files.value;
	const file = manifest.value;
	const nodes = nodesTogether();
	const words = nodeWords.value;
	const [wanted, setWanted] = useState<ReadonlySet<Verdict>>(new Set());
	const picked = pickedCell.value;
	const all = together();
	const key =
		all &&
		`${all.key} ${all.version} ${nodes?.key} ${nodes?.version} ${JSON.stringify(serverOnly())}`;
	const { outcome, fresh } = useEngine(
		"evaluate",
		key ?? null,
		() => ({
			question: "placement",
			text: all!,
			texts: { nodes: nodes ?? literal("nodes", "") },
			options: serverOnly(),
		}),
		pauseFor(
			[...(all?.files ?? []), ...(nodes?.files ?? [])].reduce(
				(sum, { doc }) => sum + doc.length,
				0,
			),
		),
	);
	const matrix = outcome?.kind === "answer" ? outcome.answer : null;
	const counts = useMemo(() => {
		const count: Record<Verdict, number> = {
			Yes: 0,
			Possible: 0,
			No: 0,
			Error: 0,
		};
		// Nodes, not cells: a node counts for every verdict it has in some column.
		for (let row = 0; row < (matrix?.nodes.length ?? 0); row++) {
			for (const verdict of new Set(
				matrix?.columns.map(({ verdicts }) => verdicts[row] ?? "Error"),
			))
				count[verdict] += 1;
		}
		return count;
	}, [matrix]);
	const rows = useMemo(
		() => (matrix ? passing(matrix, words, wanted) : []),
		[matrix, words, wanted],
	);
	const pickedRow = matrix && picked ? matrix.nodes.indexOf(picked.node) : -1;
	useEffect(() => {
		if (
			matrix &&
			picked &&
			(pickedRow < 0 || picked.column >= matrix.columns.length)
		)
			pickedCell.value = null;
	}, [matrix]);

	if (!file || !all) return null;
	if (familyOf(all) === "device")
		return <Elsewhere text={s.forDevices} label={s.openDevices} to="devices" />;
	const noNodes = nodes === null;
	if (noNodes) {
		return (
			<div class="empty">
				<p>
					<Ticked text={s.nodesIntro} />
				</p>
				<button
					type="button"
					class="button primary"
					onClick={() => {
						// Opens beside the manifest, which stays in the editor.
						files.value = [
							...files
								.peek()
								.filter(({ role, doc }) => role !== "nodes" || doc.length > 0),
							newFile(freeName("nodes.yaml"), "nodes", sampleNodes()),
						];
					}}
				>
					{s.addNodes}
				</button>
			</div>
		);
	}
	// If there is nothing to place, a message is shown already.
	const told =
		matrix?.findings.filter(
			({ code }) => matrix.columns.length > 0 || code !== "nothing-checked",
		) ?? [];
	const toggle = (verdict: Verdict) => {
		const next = new Set(wanted);
		if (!next.delete(verdict)) next.add(verdict);
		setWanted(next);
	};
	return (
		<div class="nodes" aria-busy={!fresh}>
			<Trouble outcome={outcome} />
			{matrix && <Contexts matrix={matrix} all={all} />}
			{matrix && matrix.columns.length > 0 && (
				<>
					<div class="controls">
						<input
							type="search"
							class="filter"
							placeholder={s.filterHint}
							aria-label={s.filterNodes}
							value={words}
							onInput={({ currentTarget }) =>
								(nodeWords.value = currentTarget.value)
							}
						/>
						<div class="chips" role="group" aria-label={s.filterNodes}>
							{VERDICTS.filter(
								(verdict) => counts[verdict] > 0 || wanted.has(verdict),
							).map((verdict) => (
								<button
									type="button"
									key={verdict}
									class={`chip-button verdict-${verdict}`}
									aria-pressed={wanted.has(verdict)}
									title={s.verdictNotes[verdict]}
									onClick={() => toggle(verdict)}
								>
									{s.verdicts[verdict]}{" "}
									<span class="tabular">
										{counts[verdict].toLocaleString()}
									</span>
								</button>
							))}
						</div>
						<span class="spacer" />
						<span class="muted tabular" role="status">
							{s.nodeCount(rows.length, matrix.nodes.length)}
							{matrix.columnCount > matrix.columns.length &&
								` · ${s.columnCount(matrix.columns.length, matrix.columnCount)}`}
						</span>
					</div>
					{rows.length === 0 ? (
						<p class="muted quiet">{s.noMatches}</p>
					) : (
						<MatrixGrid
							matrix={matrix}
							rows={rows}
							picked={
								picked && pickedRow >= 0
									? { row: pickedRow, column: picked.column }
									: null
							}
							onPick={(row, column) =>
								(pickedCell.value = { node: matrix.nodes[row] ?? "", column })
							}
						/>
					)}
					{picked && pickedRow >= 0 ? (
						<Cell
							key={`${picked.node} ${picked.column}`}
							matrix={matrix}
							row={pickedRow}
							column={picked.column}
							all={all}
						/>
					) : (
						!picked && <p class="muted quiet pick-cell">{s.pickCell}</p>
					)}
					{matrix.columns[picked?.column ?? 0] && (
						<Removals column={matrix.columns[picked?.column ?? 0]!} all={all} />
					)}
				</>
			)}
			{matrix && matrix.columns.length === 0 && (
				<p class="muted quiet">{s.noClaims}</p>
			)}
			{matrix && told.length > 0 && (
				<FindingList
					findings={told}
					fileId={file.id}
					canFix={false}
					locate={all.locate}
				/>
			)}
			{matrix && <Commands panel="nodes" />}
		</div>
	);
}
