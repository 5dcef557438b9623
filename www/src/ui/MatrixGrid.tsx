import type { Verdict } from "claimkit";
import {
	useEffect,
	useId,
	useLayoutEffect,
	useMemo,
	useRef,
	useState,
} from "preact/hooks";
import type { Matrix } from "../engine/placement.ts";
import { t } from "../i18n/index.ts";
import { unticked } from "../i18n/words.ts";
import { printing } from "../state/printing.ts";
import { differingParts, hostNames } from "./names.ts";
import { Visible } from "./Visible.tsx";

export const VERDICTS: Verdict[] = ["Yes", "Possible", "No", "Error"];
export const SIGNS: Record<Verdict, string> = {
	Yes: "✓",
	Possible: "~",
	No: "✕",
	Error: "!",
};

const ROW = 30;
const HEAD = 44;
const EXTRA = 5;
/** Least widths of the columns. */
const NAME = 200;
const CLAIM = 118;

interface Props {
	matrix: Matrix;
	/** Indexes of the nodes to show. */
	rows: readonly number[];
	picked: { row: number; column: number } | null;
	onPick: (row: number, column: number) => void;
	/** For a row that represents several: their number, itself included. */
	alike?: ReadonlyMap<number, readonly number[]>;
	/** Returns further facts about a node, shown beside the columns. */
	badges?: (row: number) => { label: string; title: string }[];
	/** A row to bring into view when it changes. */
	reveal?: number;
}

/** More columns than this are too narrow on paper. */
const PRINTED = 6;

/** Nodes down, claims across; on paper a few claims at a time. */
export function MatrixGrid(props: Props) {
	const { columns } = props.matrix;
	if (!printing.value || columns.length <= PRINTED)
		return <Grid key={0} {...props} />;
	return columns.map((_, from) =>
		from % PRINTED > 0 ? null : (
			<Grid
				key={from}
				{...props}
				matrix={{
					...props.matrix,
					columns: columns.slice(from, from + PRINTED),
				}}
			/>
		),
	);
}

/** Only the rows in view are in the page; arrow keys move through all of them. */
function Grid({ matrix, rows, picked, onPick, alike, badges, reveal }: Props) {
	const s = t.value;
	const id = useId();
	const scroller = useRef<HTMLDivElement>(null);
	const [top, setTop] = useState(0);
	const [height, setHeight] = useState(320);
	useLayoutEffect(() => {
		const element = scroller.current;
		if (!element) return undefined;
		const observer = new ResizeObserver(() => setHeight(element.clientHeight));
		observer.observe(element);
		return () => observer.disconnect();
	}, []);
	const whole = printing.value;
	const first = whole ? 0 : Math.max(0, Math.floor(top / ROW) - EXTRA);
	const last = whole
		? rows.length
		: Math.min(rows.length, Math.ceil((top + height) / ROW) + EXTRA);
	const pickedAt = picked ? rows.indexOf(picked.row) : -1;

	useEffect(() => {
		const element = scroller.current;
		if (!element || pickedAt < 0) return;
		const from = pickedAt * ROW;
		if (from < element.scrollTop) element.scrollTop = from;
		else if (from + ROW > element.scrollTop + element.clientHeight - HEAD)
			element.scrollTop = from + ROW - element.clientHeight + HEAD;
	}, [pickedAt]);

	const revealAt = reveal === undefined ? -1 : rows.indexOf(reveal);
	useEffect(() => {
		if (scroller.current && revealAt >= 0)
			scroller.current.scrollTop =
				revealAt * ROW - scroller.current.clientHeight / 2;
	}, [reveal]);

	const onKeyDown = (event: KeyboardEvent) => {
		const page = Math.max(1, Math.floor(height / ROW) - 2);
		const move: Record<string, [number, number]> = {
			ArrowDown: [1, 0],
			ArrowUp: [-1, 0],
			ArrowRight: [0, 1],
			ArrowLeft: [0, -1],
			PageDown: [page, 0],
			PageUp: [-page, 0],
			Home: [-rows.length, 0],
			End: [rows.length, 0],
		};
		const step = move[event.key];
		if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
		event.preventDefault();
		// The first arrow key enters the grid at its first cell.
		const enters = pickedAt < 0 && Math.abs(step[0]) <= 1;
		const at = enters
			? 0
			: Math.min(rows.length - 1, Math.max(0, Math.max(0, pickedAt) + step[0]));
		const column = picked
			? Math.min(
					matrix.columns.length - 1,
					Math.max(0, picked.column + step[1]),
				)
			: 0;
		const row = rows[at];
		if (row !== undefined) onPick(row, column);
	};

	// Every row is a grid of its own: the same least width keeps their columns in line.
	const template = whole
		? `minmax(0, 1.6fr) repeat(${matrix.columns.length}, minmax(0, 1fr))`
		: `minmax(${NAME}px, 1.1fr) repeat(${matrix.columns.length}, minmax(${CLAIM}px, 1fr))`;
	const minWidth = `${NAME + CLAIM * matrix.columns.length}px`;
	const visible = rows.slice(first, last);
	const nodeNames = useMemo(
		() => differingParts(hostNames(matrix.nodes)),
		[matrix.nodes],
	);
	const columnNames = useMemo(
		() => differingParts(matrix.columns.map(({ name }) => name)),
		[matrix.columns],
	);
	const kinds = new Set(matrix.columns.map(({ kind }) => kind));
	// Rows that leave at one end are used again at the other: changing their words is cheaper than making new ones.
	const pool = whole ? rows.length : Math.ceil(height / ROW) + 2 * EXTRA + 1;
	const cellId = (row: number, column: number) => `${id}-${row}-${column}`;
	const active =
		picked && pickedAt >= first && pickedAt < last
			? cellId(picked.row, picked.column)
			: undefined;
	return (
		<div
			ref={scroller}
			class="matrix"
			style={{ height: `${HEAD + rows.length * ROW + 14}px` }}
			role="grid"
			tabIndex={0}
			aria-label={s.matrix}
			aria-rowcount={rows.length + 1}
			aria-colcount={matrix.columns.length + 1}
			aria-activedescendant={active}
			onKeyDown={onKeyDown}
			onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
		>
			<div
				class="matrix-head matrix-row"
				role="row"
				aria-rowindex={1}
				style={{ gridTemplateColumns: template, height: `${HEAD}px`, minWidth }}
			>
				<div role="columnheader" aria-colindex={1} class="node-name">
					{s.node}
				</div>
				{matrix.columns.map((column, index) => (
					<div
						role="columnheader"
						aria-colindex={index + 2}
						key={index}
						title={`${column.kind} ${column.namespace && !column.name.includes("/") ? `${column.namespace}/` : ""}${column.name}`}
					>
						<span class="column-title">
							{kinds.size > 1 && (
								<span class="muted">
									{column.kind.replace("Resource", "")}{" "}
								</span>
							)}
							<Visible text={columnNames[index] ?? column.name} />
						</span>
					</div>
				))}
			</div>
			<div role="presentation" style={{ height: `${first * ROW}px` }} />
			{visible.map((row, offset) => {
				const node = matrix.nodes[row] ?? "";
				const members = alike?.get(row) ?? [];
				const others = Math.max(0, members.length - 1);
				return (
					<div
						class="matrix-row"
						role="row"
						key={(first + offset) % pool}
						aria-rowindex={first + offset + 2}
						style={{
							gridTemplateColumns: template,
							height: `${ROW}px`,
							minWidth,
						}}
					>
						<div
							role="rowheader"
							aria-colindex={1}
							class="node-name"
							title={
								others > 0
									? members
											.slice(0, 50)
											.map((at) => matrix.nodes[at])
											.join(", ")
									: node
							}
						>
							<span class="node-word">
								<Visible text={nodeNames[row] || "—"} />
							</span>
							{others > 0 && <span class="chip">+{others}</span>}
							{badges?.(row).map(({ label, title }) => (
								<span class="chip warn" key={label} title={title}>
									{label}
								</span>
							))}
						</div>
						{matrix.columns.map((column, index) => {
							const waits = column.verdicts.length === 0;
							const verdict = column.verdicts[row] ?? "Error";
							const isPicked = picked?.row === row && picked.column === index;
							return (
								<div
									role="gridcell"
									id={cellId(row, index)}
									aria-colindex={index + 2}
									aria-selected={isPicked}
									aria-description={
										column.chosen === row ? s.getsNode : undefined
									}
									key={index}
									class={`cell verdict-${waits ? "waiting" : verdict}${isPicked ? " picked" : ""}${column.chosen === row ? " gets" : ""}`}
									title={
										waits
											? s.stillAsked
											: column.chosen === row
												? s.getsNode
												: unticked(column.reasons[row] ?? "") ||
													s.verdictNotes[verdict]
									}
									onClick={() => onPick(row, index)}
								>
									<span aria-hidden="true" class="sign">
										{waits ? "…" : SIGNS[verdict]}
									</span>
									<span class="cell-words">
										{waits ? "" : column.words?.[row] || s.verdicts[verdict]}
									</span>
								</div>
							);
						})}
					</div>
				);
			})}
			<div
				role="presentation"
				style={{ height: `${(rows.length - last) * ROW}px` }}
			/>
		</div>
	);
}
