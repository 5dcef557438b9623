import type { Finding } from "claimkit";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask } from "../engine/client.ts";
import { type DeviceGrid, type PodColumn, podKey } from "../engine/devices.ts";
import type { ClusterFacts } from "../engine/facts.ts";
import type { Matrix } from "../engine/placement.ts";
import type { OptionsOf } from "../engine/protocol.ts";
import { exampleById } from "../examples/index.ts";
import { t } from "../i18n/index.ts";
import { report } from "../state/checks.ts";
import { familyOf } from "../state/family.ts";
import { files, manifest } from "../state/files.ts";
import { placing } from "../state/gates.ts";
import {
	alone,
	nodeWords,
	pickedDevices,
	podWords,
	whatIf,
} from "../state/options.ts";
import {
	type Columns,
	columnOfGroup,
	groupsOf,
	type PodGroup,
	rowsAlike,
	turnGroups,
} from "../state/podgroups.ts";
import { openExample } from "../state/session.ts";
import { type Together, together } from "../state/together.ts";
import { partsOf, unsuppose, whatIfOption } from "../state/whatif.ts";
import { Account } from "./Account.tsx";
import { Commands } from "./Commands.tsx";
import { Elsewhere } from "./Elsewhere.tsx";
import { FindingList } from "./FindingList.tsx";
import { GuideLine } from "./GuideLine.tsx";
import { Icon } from "./Icon.tsx";
import { Kubectl } from "./Kubectl.tsx";
import { LeftOut, OTHER_CLUSTER } from "./LeftOut.tsx";
import { MatrixGrid } from "./MatrixGrid.tsx";
import { Headline, PodSentences, TurnHeading } from "./PodSentences.tsx";
import { RulesNote } from "./RulesNote.tsx";
import { Ticked } from "./Ticked.tsx";
import { Trouble } from "./Trouble.tsx";
import { pauseFor, useEngine } from "./useEngine.ts";

/** Codes that are about the whole attempt: they are shown above the nodes. */
const OF_ALL = ["allocation-error", "error-ends-attempt"];
/** The code of the last sentence of every account. */
const SAID = "placement-not-modelled";
/** With fewer nodes than this a filter is in the way. */
const MANY = 15;
/** More columns than this nobody reads side by side: a filter chooses. */
const MOST_COLUMNS = 24;
/** The code for a text that is too long to read. */
const TOO_LONG = "limit-bytes";
/** Codes that a text without pods always gives, and what the introduction says itself. */
const WITHOUT_PODS = ["nothing-checked", "unknown-kind", TOO_LONG, SAID];

/** The question about devices, as it was when it was asked. */
interface Asked {
	key: string | null;
	all: Together | null;
	options: OptionsOf<"devices">;
}

/** The details of the selected cell, requested with the grid's own inputs so that both agree. */
function Opened({ grid, asked }: { grid: DeviceGrid; asked: Asked }) {
	const s = t.value;
	const picked = pickedDevices.value!;
	const all = asked.all!;
	const group = grid.groups.find(({ pod }) => (pod ?? "") === picked.pod);
	const key = group && JSON.stringify([asked.key, picked]);
	// An answer stays on the screen until the next one comes, with the cell and the text that it is about.
	const about = useRef({ picked, all });
	const { outcome, fresh } = useEngine("account", key ?? null, () => ({
		question: "account",
		text: all,
		options: {
			...(group!.pod === null
				? { claims: group!.claims }
				: { pod: group!.pod }),
			node: picked.node,
			...asked.options,
		},
	}));
	if (fresh) about.current = { picked, all };
	if (outcome?.kind !== "answer")
		return outcome ? (
			<Trouble outcome={outcome} />
		) : (
			<p class="muted quiet">{s.waiting}</p>
		);
	return (
		<Account
			account={outcome.answer}
			pod={about.current.picked.pod}
			name={about.current.picked.node}
			all={about.current.all}
		/>
	);
}

/** Moves the focus from a removed change to the next one, or to the grid. */
function focusNext(index: number): void {
	requestAnimationFrame(() => {
		const left = document.querySelectorAll<HTMLElement>(
			".supposed .chip button",
		);
		(
			left[Math.min(index, left.length - 1)] ??
			document.querySelector<HTMLElement>(".devices .matrix")
		)?.focus();
	});
}

/** The changes that the answer is after; each can be taken back. */
function Supposed() {
	const s = t.value;
	const changes = whatIf.value;
	if (changes.length === 0) return null;
	return (
		<div class="supposed" role="group" aria-label={s.supposing}>
			<b>{s.supposing}</b>
			{changes.map((change, index) => {
				const { kind, name } = partsOf(change);
				return (
					<span class="chip" key={`${change} ${index}`}>
						{s.supposed[kind]?.(name) ?? change}
						<button
							type="button"
							class="button icon-only quiet"
							aria-label={`${s.unsuppose}: ${change}`}
							title={s.unsuppose}
							onClick={() => {
								unsuppose(index);
								focusNext(index);
							}}
						>
							<Icon name="cross" size={12} />
						</button>
					</span>
				);
			})}
		</div>
	);
}

/** The grid with the columns that were requested one after another, without those of other texts. */
interface Filled {
	grid: DeviceGrid | null;
	columns: Columns;
	findings: readonly Finding[];
	/** The engine's error; the rest of the nodes is not asked for. */
	failed: string;
}

const NOTHING: Filled = {
	grid: null,
	columns: new Map(),
	findings: [],
	failed: "",
};

/** Asks about the pods whose columns are empty, a few at a time, and shows each answer at once. */
function useFilled(
	grid: DeviceGrid | null,
	asked: Asked,
	groups: readonly PodGroup[],
	ready: boolean,
): Filled {
	const [filled, setFilled] = useState<Filled>(NOTHING);
	useEffect(() => {
		if (!grid || !ready || !asked.all) return undefined;
		const left = groups.filter(({ first }) => grid.known[first] === null);
		if (left.length === 0) return undefined;
		let current = true;
		const { all } = asked;
		void (async () => {
			let columns = new Map<string, PodColumn>();
			let findings: Finding[] = [];
			while (left.length > 0 && current) {
				const pods = left.map(({ first }) => ({
					...grid.groups[first]!,
					object: first,
					name: grid.matrix.columns[first]?.name ?? "",
				}));
				const outcome = await ask("pods", {
					question: "pods",
					text: all,
					options: { ...asked.options, pods, nodeList: grid.matrix.nodes },
				});
				if (!current) return;
				if (outcome.kind !== "answer" || outcome.answer.columns.length === 0) {
					if (outcome.kind === "refused" || outcome.kind === "crashed")
						setFilled({
							grid,
							columns,
							findings,
							failed: outcome.message,
						});
					return;
				}
				columns = new Map(columns);
				for (const column of outcome.answer.columns)
					columns.set(podKey(column), column);
				findings = [
					...new Map(
						[...findings, ...outcome.answer.findings].map((finding) => [
							`${finding.code} ${finding.message}`,
							finding,
						]),
					).values(),
				];
				left.splice(0, outcome.answer.columns.length);
				setFilled({ grid, columns, findings, failed: "" });
			}
		})();
		return () => {
			current = false;
		};
	}, [grid, ready, groups]);
	return filled.grid === grid ? filled : NOTHING;
}

const CORDON_TAINT = "node.kubernetes.io/unschedulable:";

/** Returns the badges of a node: facts that the allocator of devices does not look at. */
function badgesOf(
	facts: ClusterFacts | null,
	name: string,
): { label: string; title: string }[] {
	const s = t.value;
	const node = facts?.nodes[name];
	if (!node) return [];
	// Whoever cordons a node taints it.
	const taints = node.cordoned
		? node.taints.filter((taint) => !taint.startsWith(CORDON_TAINT))
		: node.taints;
	return [
		...(node.cordoned ? [{ label: s.cordoned, title: s.cordonedNote }] : []),
		...(taints.length > 0
			? [{ label: s.tainted, title: s.taintedNote(taints.join(", ")) }]
			: []),
	];
}

/** Shows what to write where there is nothing to place. */
function Intro({ tooLong }: { tooLong: boolean }) {
	const s = t.value;
	const example = exampleById("gpu-pod");
	if (tooLong) {
		return (
			<div class="empty">
				<p>
					<Ticked text={s.tooLong} />
				</p>
			</div>
		);
	}
	return (
		<div class="empty">
			<p>
				<Ticked text={s.devicesIntro} />
			</p>
			<Kubectl />
			{example && (
				<button
					type="button"
					class="button primary"
					onClick={() => void openExample(example)}
				>
					{s.openExample}
				</button>
			)}
		</div>
	);
}

/** Shows the devices that each pod gets on each node, or the reasons for none. */
export function Devices() {
	const s = t.value;
	void files.value;
	const file = manifest.value;
	const words = nodeWords.value;
	const podFilter = podWords.value;
	const picked = pickedDevices.value;
	const [apart, setApart] = useState(false);
	const all = together("nodes");
	const length = all?.files.reduce((sum, { doc }) => sum + doc.length, 0) ?? 0;
	const asked: Asked = {
		key:
			all &&
			JSON.stringify([
				all.key,
				all.version,
				placing(),
				whatIf.value,
				alone.value,
			]),
		all,
		options: {
			...whatIfOption(whatIf.value),
			...placing(),
			...(alone.value ? { alone: true } : {}),
		},
	};
	const { outcome, fresh } = useEngine(
		"allocate",
		asked.key,
		() => ({
			question: "devices",
			text: all!,
			options: asked.options,
		}),
		pauseFor(length),
	);
	const about = useRef(asked);
	if (fresh) about.current = asked;
	const grid = outcome?.kind === "answer" ? outcome.answer : null;
	// The nodes and pods of the text do not depend on the question.
	const factsKey =
		all && grid?.ours && grid.groups.length > 0
			? JSON.stringify([all.key, all.version])
			: null;
	const told_ = useEngine(
		"facts",
		factsKey,
		() => ({ question: "facts", text: all!, options: {} }),
		pauseFor(length),
	);
	const facts = told_.outcome?.kind === "answer" ? told_.outcome.answer : null;
	const made = useMemo(
		() => (grid ? groupsOf(grid, facts) : []),
		[grid, facts],
	);
	const filled = useFilled(
		grid,
		about.current,
		made,
		told_.fresh || (told_.outcome !== null && told_.outcome.kind !== "answer"),
	);
	const groups = useMemo(
		() => (grid?.mode === "inTurn" ? turnGroups(grid) : made),
		[grid, made],
	);
	const shown = useMemo(() => {
		if (!grid) return null;
		const parts = podFilter.toLowerCase().split(/\s+/).filter(Boolean);
		const passing = groups.filter(({ members }) =>
			members.some((at) =>
				parts.every((part) =>
					(grid.groups[at]?.pod ?? grid.groups[at]?.claims.join(" ") ?? "")
						.toLowerCase()
						.includes(part),
				),
			),
		);
		const visible = passing.slice(0, MOST_COLUMNS);
		const known = visible.map((group) =>
			columnOfGroup(grid, filled.columns, group),
		);
		const columns = visible.map((group, at) => {
			const column = known[at]?.column ?? grid.matrix.columns[group.first]!;
			return group.members.length > 1
				? { ...column, name: `${column.name} +${group.members.length - 1}` }
				: column;
		});
		const lacks = known.map((one) => one?.lacks ?? []);
		const matrix: Matrix = { ...grid.matrix, columns };
		return { matrix, visible, columns, lacks, passing };
	}, [grid, groups, filled, podFilter]);
	const rows = useMemo(() => {
		const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
		return (grid?.matrix.nodes ?? []).flatMap((name, row) =>
			parts.every((part) => name.toLowerCase().includes(part)) ? [row] : [],
		);
	}, [grid, words]);
	const alike = useMemo(
		() =>
			shown
				? rowsAlike(shown.matrix, shown.columns, shown.lacks, rows, (row) =>
						JSON.stringify(badgesOf(facts, shown.matrix.nodes[row] ?? "")),
					)
				: new Map<number, number[]>(),
		[shown, rows, facts, s],
	);
	// One more node is looked for at the end of a long list.
	const nodeCount = grid?.matrix.nodes.length ?? 0;
	const copied = whatIf.value.some((change) => change.startsWith("node-like="));
	if (!file || !all) return null;
	if (grid && !grid.ours && familyOf(all) === "classic")
		return <Elsewhere text={s.forNodes} label={s.openNodes} to="nodes" />;
	if (grid && (!grid.ours || grid.groups.length === 0)) {
		// Slices say something without a pod too.
		const found = grid.ours
			? grid.matrix.findings.filter(({ code }) => !WITHOUT_PODS.includes(code))
			: [];
		return (
			<>
				{found.length > 0 && (
					<div class="devices without-pods">
						<FindingList
							findings={found}
							fileId={file.id}
							canFix={false}
							locate={all.locate}
						/>
					</div>
				)}
				<LeftOut all={all} nothing={found.length === 0} />
				{report.value?.guide?.what === "plugin" && (
					<GuideLine guide={report.value.guide} file={file} />
				)}
				<Intro
					tooLong={grid.matrix.findings.some(({ code }) => code === TOO_LONG)}
				/>
			</>
		);
	}
	const matrix = shown?.matrix;
	const together_ = !apart && alike.size < rows.length;
	const pickedAt =
		grid && picked
			? grid.groups.findIndex(({ pod }) => (pod ?? "") === picked.pod)
			: -1;
	const column =
		shown?.visible.findIndex(({ members }) => members.includes(pickedAt)) ?? -1;
	const row = matrix && picked ? matrix.nodes.indexOf(picked.node) : -1;
	const rowShown = together_
		? ([...alike].find(([, members]) => members.includes(row))?.[0] ?? -1)
		: row;
	const findings = [
		...(grid?.matrix.findings ?? []),
		...filled.findings.filter(
			(more) =>
				!grid?.matrix.findings.some(
					({ code, message }) => code === more.code && message === more.message,
				),
		),
	];
	const notLookedAt = findings.find(({ code }) => code === SAID);
	const above = findings.filter(({ code }) => OF_ALL.includes(code));
	const pick = (of: number, node: string) =>
		(pickedDevices.value = { pod: grid?.groups[of]?.pod ?? "", node });
	const pickPod = (index: number) =>
		pick(
			index,
			picked && grid?.matrix.nodes.includes(picked.node)
				? picked.node
				: (grid?.matrix.nodes[0] ?? ""),
		);
	return (
		<div class="nodes devices" aria-busy={!fresh}>
			<Supposed />
			<LeftOut all={all} findings={findings} />
			<Trouble outcome={outcome} />
			{grid && matrix && shown && (
				<>
					<RulesNote
						rules={grid.rulesOf ?? report.value?.answer.rulesOf ?? null}
					/>
					<TurnHeading grid={grid} filled={filled.columns} ties={grid.ties} />
					{groups.length > 6 && (
						<input
							type="search"
							class="filter pod-filter"
							placeholder={s.filterPods}
							aria-label={s.filterPods}
							value={podFilter}
							onInput={({ currentTarget }) =>
								(podWords.value = currentTarget.value)
							}
						/>
					)}
					<Headline grid={grid} onPick={pickPod} />
					<PodSentences
						grid={grid}
						groups={shown.passing}
						filled={filled.columns}
						facts={facts}
						onPick={pickPod}
					/>
					{filled.failed && (
						<div class="banner bad" role="alert">
							<p>
								{s.crashedOn} <code>{filled.failed}</code>
							</p>
						</div>
					)}
					<div class="controls">
						{matrix.nodes.length > MANY && (
							<input
								type="search"
								class="filter"
								placeholder={s.filterNodes}
								aria-label={s.filterNodes}
								value={words}
								onInput={({ currentTarget }) =>
									(nodeWords.value = currentTarget.value)
								}
							/>
						)}
						<span>{s.devicesTitle}</span>
						<span class="spacer" />
						{(together_ || apart) && (
							<label class="inline">
								<input
									type="checkbox"
									checked={!apart}
									onChange={({ currentTarget }) =>
										setApart(!currentTarget.checked)
									}
								/>
								<span>{s.alikeTogether}</span>
							</label>
						)}
						<span class="muted tabular" role="status">
							{shown.passing.length > shown.visible.length &&
								`${s.podCount(shown.visible.length, shown.passing.length)} · `}
							{s.nodeCount(rows.length, matrix.nodes.length)} · Kubernetes{" "}
							{grid.release}
						</span>
					</div>
					{above.length > 0 && (
						<ul class="of-all">
							{above.map((finding, index) => (
								<li key={index}>
									{finding.origin === "claimkit" ? (
										<Ticked text={finding.message} />
									) : (
										<code>{finding.message}</code>
									)}
								</li>
							))}
						</ul>
					)}
					{matrix.nodes.length === 0 ? (
						<p class="muted quiet">
							<Ticked text={s.devicesNoNodes} />
						</p>
					) : (
						<MatrixGrid
							matrix={matrix}
							rows={together_ ? [...alike.keys()] : rows}
							alike={together_ ? alike : undefined}
							badges={(at) => badgesOf(facts, matrix.nodes[at] ?? "")}
							reveal={copied ? nodeCount - 1 : undefined}
							picked={
								column >= 0 && rowShown >= 0 ? { row: rowShown, column } : null
							}
							onPick={(at, of) =>
								pick(shown.visible[of]?.first ?? 0, matrix.nodes[at] ?? "")
							}
						/>
					)}
					{pickedAt >= 0 && row >= 0 ? (
						<Opened grid={grid} asked={about.current} />
					) : (
						matrix.nodes.length > 0 && (
							<p class="muted quiet pick-cell">{s.pickCell}</p>
						)
					)}
					<FindingList
						findings={findings.filter(
							({ code }) =>
								!OF_ALL.includes(code) &&
								code !== SAID &&
								code !== OTHER_CLUSTER,
						)}
						fileId={file.id}
						canFix={false}
						locate={all.locate}
					/>
					{notLookedAt && (
						<p class="note quiet not-looked-at">
							<Ticked text={notLookedAt.message} />
						</p>
					)}
					<Commands panel="devices" />
				</>
			)}
		</div>
	);
}
