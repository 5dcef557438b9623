import type { PodTurn } from "claimkit";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import {
	type DeviceGrid,
	type Lack,
	lastPart,
	type PodColumn,
} from "../engine/devices.ts";
import type { ClusterFacts } from "../engine/facts.ts";
import { t } from "../i18n/index.ts";
import { alone } from "../state/options.ts";
import {
	type Columns,
	columnAt,
	columnOfGroup,
	lackCounts,
	type PodGroup,
} from "../state/podgroups.ts";
import { printing } from "../state/printing.ts";
import { Ticked } from "./Ticked.tsx";
import { Visible } from "./Visible.tsx";

/** Returns the words for a node's lack, in the page's language. */
export function lackWords({ stage, detail, refusals }: Lack): string {
	const s = t.value;
	if (refusals)
		return refusals
			.map(({ plugin, words }) => s.refusals[plugin] ?? words)
			.join("; ");
	return s.lacks[stage]?.(detail) ?? detail;
}

/** Whether pods are placed together, which of them get a node then, and how far other choices were tried. */
export function TurnHeading({
	grid,
	filled,
	ties,
}: {
	grid: DeviceGrid;
	filled: Columns;
	ties: DeviceGrid["ties"];
}) {
	const s = t.value;
	const turns = grid.groups.flatMap(({ pod }, at) =>
		pod === null ? [] : [columnAt(grid, filled, at)],
	);
	if (turns.length === 0) return null;
	const answered = turns.every((column) => column !== null);
	const placed = turns.filter((column) => column?.turn?.node != null).length;
	return (
		<div class="turns">
			<fieldset class="segments small">
				<legend class="sr">{s.placing}</legend>
				{[false, true].map((value) => (
					<label key={String(value)}>
						<input
							type="radio"
							name="placing"
							checked={alone.value === value}
							onChange={() => (alone.value = value)}
						/>
						<span>{value ? s.eachAlone : s.inTurn}</span>
					</label>
				))}
			</fieldset>
			<p class="note" role="status">
				{grid.mode === "alone"
					? s.placedAlone
					: !answered
						? s.stillAsked
						: `${s.placedInTurn(placed, turns.length)}${ties ? ` ${s.tiesTried[ties.tried](ties.choices)}` : ""}`}
			</p>
		</div>
	);
}

/** What else there is to say of a pod in its turn, a line each. */
function TurnLines({ turn }: { turn: PodTurn }) {
	const s = t.value;
	const {
		decidedBy,
		tied = [],
		depends,
		waitsFor,
		nominated,
		victims = [],
		freed,
		help,
		unsure = [],
	} = turn;
	const lines = [
		...(waitsFor ? [s.waitsFor(waitsFor)] : []),
		...(nominated ? [s.nominated(nominated, victims.join(", "))] : []),
		...(turn.earlier ?? []).map((message) => s.saidEarlier(message)),
		...(freed ? [s.givenBack(freed)] : []),
		...(help ? [help] : []),
		...(decidedBy === "name"
			? [s.takenByName(tied, depends)]
			: depends
				? [s.dependsOnEarlier]
				: []),
		...(decidedBy === "sample" ? [s.takenFromSample] : []),
		...unsure.map((why) => s.notCertain(why)),
	];
	return lines.map((line) => (
		<span class="note turn-line" key={line}>
			{line}
		</span>
	));
}

/** The outcome of a pod in its turn, in the words of the command line. */
function Turn({ turn }: { turn: PodTurn }) {
	const s = t.value;
	const given = turn.devices.map(({ device }) => lastPart(device)).join(", ");
	const error = turn.outcome === "error" ? (turn.message ?? "") : "";
	return (
		<>
			{s.turnOutcomes[turn.outcome](turn.node ?? "")}
			{given && (
				<>
					{s.colon}
					<b>{given}</b>
				</>
			)}
			{error && (
				<>
					{s.colon}
					<code lang="en">{error}</code>
				</>
			)}
			<TurnLines turn={turn} />
		</>
	);
}

/** The number of sentences shown at first. */
const FEW = 8;
/** More names than this nobody reads in one list. */
const MOST_NAMES = 300;

/** Opens a pod's account. */
type Pick = (index: number) => void;

/** The pods of a group, each as a link to its account; they are drawn when the list is opened. */
function PodList({
	summary,
	pods,
	onPick,
	children,
}: {
	summary: ComponentChildren;
	pods: readonly { index: number; name: string }[];
	onPick: Pick;
	children?: ComponentChildren;
}) {
	const s = t.value;
	const [open, setOpen] = useState(false);
	return (
		<details
			class="pod-list"
			onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
		>
			<summary>{summary}</summary>
			{children}
			{(open || printing.value) && (
				<ul>
					{pods.slice(0, MOST_NAMES).map(({ index, name }) => (
						<li key={name}>
							<button
								type="button"
								class="link-button"
								onClick={() => onPick(index)}
							>
								<Visible text={name} />
							</button>
						</li>
					))}
					{pods.length > MOST_NAMES && (
						<li class="muted">{s.andMore(pods.length - MOST_NAMES)}</li>
					)}
				</ul>
			)}
		</details>
	);
}

/** What keeps the pods of the cluster waiting, in the engine's words; each part opens its pods. */
export function Headline({ grid, onPick }: { grid: DeviceGrid; onPick: Pick }) {
	const s = t.value;
	const { headline, groups } = grid;
	if (headline === null) return null;
	const places = new Map(groups.map(({ pod }, index) => [pod, index]));
	return (
		<section class="headline" aria-label={s.headline}>
			<h3>{s.podsWait(headline.waiting, headline.pods)}</h3>
			<ul>
				{headline.parts.map(({ reason, help, pods }) => (
					<li key={reason}>
						<PodList
							summary={
								<>
									<b class="tabular">{pods.length.toLocaleString()}</b>{" "}
									<Ticked text={reason} />
								</>
							}
							pods={pods.flatMap((name) => {
								const index = places.get(name);
								return index === undefined ? [] : [{ index, name }];
							})}
							onPick={onPick}
						>
							{help && (
								<p class="note">
									<Ticked text={help} />
								</p>
							)}
						</PodList>
					</li>
				))}
			</ul>
		</section>
	);
}

interface Props {
	grid: DeviceGrid;
	groups: readonly PodGroup[];
	filled: Columns;
	facts: ClusterFacts | null;
	onPick: Pick;
}

/** What nodes lack for a pod, a line for each reason, the most frequent first. */
function reasonsOf(lacks: PodColumn["lacks"]): string[] {
	return lackCounts(lacks).map(
		({ lack, nodes }) => `${nodes} × ${lackWords(lack)}`,
	);
}

/** The number of nodes that fit, and the most frequent reason of the others. */
function Unfit({ lacks, fits }: { lacks: PodColumn["lacks"]; fits: number }) {
	const [first] = reasonsOf(lacks);
	return (
		<>
			{t.value.fitsOn(fits, lacks.length)}
			{first !== undefined && `${t.value.colon}${first}`}
		</>
	);
}

/** The less frequent reasons, behind a click. */
function OtherReasons({ lacks }: { lacks: PodColumn["lacks"] }) {
	const [, ...others] = reasonsOf(lacks);
	if (others.length === 0) return null;
	return (
		<details class="pod-why">
			<summary>{t.value.otherReasons(others.length)}</summary>
			<ul>
				{others.map((line) => (
					<li key={line}>{line}</li>
				))}
			</ul>
		</details>
	);
}

/** What stops a pod before any node is looked at. */
function Stopped({
	before: { message, help },
}: {
	before: NonNullable<DeviceGrid["groups"][number]["before"]>;
}) {
	return (
		<>
			<code lang="en">{message}</code>
			{help && (
				<>
					{" – "}
					<Ticked text={help} />
				</>
			)}
		</>
	);
}

/** The messages about a pod: kube-scheduler's as it is computed, and the cluster's own. */
function Messages({ turn, said }: { turn: PodTurn | null; said: string }) {
	const s = t.value;
	const computed = turn?.message ?? "";
	if (computed === "" && said === "") return null;
	return (
		<details class="pod-why messages">
			<summary>{s.schedulerMessages}</summary>
			{computed !== "" && (
				<p class="scheduler-said computed">
					{s.schedulerWouldSay} <code lang="en">{computed}</code>
				</p>
			)}
			{said !== "" && (
				<p class="scheduler-said">
					{said === computed ? s.schedulerSaidSame : s.schedulerSaid}{" "}
					{said !== computed && <code lang="en">{said}</code>}
				</p>
			)}
		</details>
	);
}

/** How a pod is shown: it gets a node, none, or it is not known yet or at all. */
const LOOKS = {
	yes: { look: "fits", verdict: "Yes", sign: "✓" },
	no: { look: "fits-not", verdict: "No", sign: "✕" },
	asked: { look: "", verdict: "Possible", sign: "…" },
	unknown: { look: "", verdict: "Possible", sign: "?" },
} as const;

/** The sentence for one pod, and for those of which the same is true. */
function Sentence({
	grid,
	group,
	filled,
	facts,
	onPick,
}: Omit<Props, "groups"> & { group: PodGroup }) {
	const s = t.value;
	const { pod, claims, before } = grid.groups[group.first]!;
	const name = pod ?? claims.join(", ");
	const known = columnOfGroup(grid, filled, group);
	const stopped = before !== null && before.message !== "";
	const fits = known?.column.counts.yes ?? 0;
	const nodes = grid.matrix.nodes.length;
	const said = pod === null ? "" : (facts?.pods[pod]?.said ?? "");
	const turn = known?.turn ?? null;
	const good = turn ? turn.node !== null || turn.outcome === "ended" : fits > 0;
	const state = stopped
		? "no"
		: known === null
			? "asked"
			: turn?.outcome === "notKnown" || known.unknown !== null
				? "unknown"
				: good
					? "yes"
					: "no";
	const { look, verdict, sign } = LOOKS[state];
	const replicas = pod === null ? undefined : facts?.replicas[pod];
	const unfit =
		known !== null &&
		known.unknown === null &&
		!stopped &&
		nodes > 0 &&
		!(turn && (good || turn.outcome !== "unschedulable"));
	const others = group.members.slice(1);
	return (
		<li
			class={look}
			data-pod={name}
			data-outcome={turn?.outcome ?? ""}
			data-node={turn?.node ?? ""}
		>
			<span class={`sign-box verdict-${verdict}`} aria-hidden="true">
				{sign}
			</span>
			<div>
				<button
					type="button"
					role="link"
					class="link-button"
					onClick={() => onPick(group.first)}
				>
					<b>
						<Visible text={name} />
					</b>
				</button>{" "}
				{others.length > 0 && (
					<PodList
						summary={s.moreAlike(others.length)}
						pods={others.map((index) => ({
							index,
							name: grid.groups[index]?.pod ?? "",
						}))}
						onPick={onPick}
					/>
				)}
				{replicas !== undefined && (
					<span class="chip">{s.replicasOf(replicas)}</span>
				)}{" "}
				{stopped ? (
					<Stopped before={before} />
				) : known === null ? (
					s.stillAsked
				) : turn === null && known.unknown !== null ? (
					known.unknown
				) : turn && (good || turn.outcome !== "unschedulable") ? (
					<Turn turn={turn} />
				) : nodes === 0 ? null : (
					<>
						<Unfit lacks={known.lacks} fits={turn ? 0 : fits} />
						{turn && <TurnLines turn={turn} />}
					</>
				)}
				<div class="pod-more">
					{unfit && <OtherReasons lacks={known.lacks} />}
					<Messages turn={turn} said={said} />
				</div>
			</div>
		</li>
	);
}

/** Shows a sentence for every pod that waits, or that gets a node. */
export function PodSentences(props: Props) {
	const s = t.value;
	const { grid, groups } = props;
	const [shown, setMost] = useState(FEW);
	const most = printing.value ? groups.length : shown;
	if (groups.length === 0) return null;
	return (
		<section class="pod-sentences" aria-label={s.pendingPods}>
			<ul>
				{groups.slice(0, most).map((group) => (
					<Sentence key={group.first} {...props} group={group} />
				))}
			</ul>
			{groups.length > most && (
				<button
					type="button"
					class="button small"
					onClick={() => setMost(most + 100)}
				>
					{s.showMore(Math.min(100, groups.length - most))}
				</button>
			)}
			{grid.assumed.length > 0 && (
				<details class="fold" open={grid.assumed.length <= 3}>
					<summary>{s.assumed(grid.assumed.length)}</summary>
					<ul class="facts">
						{grid.assumed.slice(0, 100).map((line) => (
							<li key={line}>
								<Ticked text={line} />
							</li>
						))}
					</ul>
				</details>
			)}
		</section>
	);
}
