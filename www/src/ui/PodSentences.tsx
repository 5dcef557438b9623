import type { PodTurn } from "claimkit";
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
	columnOfGroup,
	lackCounts,
	type PodGroup,
} from "../state/podgroups.ts";
import { Icon } from "./Icon.tsx";
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
	filled: ReadonlyMap<number, PodColumn>;
	ties: DeviceGrid["ties"];
}) {
	const s = t.value;
	const turns = grid.groups.flatMap(({ pod }, at) =>
		pod === null ? [] : [filled.get(at) ?? grid.known[at] ?? null],
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

/** The outcome of a pod in its turn, in the words of the command line. */
function Turn({ turn }: { turn: PodTurn }) {
	const s = t.value;
	const {
		node,
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
	const given = turn.devices.map(({ device }) => lastPart(device)).join(", ");
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
	return (
		<>
			{s.turnOutcomes[turn.outcome](node ?? "")}
			{given && <b>: {given}</b>}
			{lines.map((line) => (
				<span class="note turn-line" key={line}>
					{line}
				</span>
			))}
		</>
	);
}

/** The number of sentences shown at first. */
const FEW = 6;

interface Props {
	grid: DeviceGrid;
	groups: readonly PodGroup[];
	filled: ReadonlyMap<number, PodColumn>;
	facts: ClusterFacts | null;
	onPick: (group: PodGroup) => void;
}

/**
 * Shows a sentence for every pod that waits: the number of nodes that fit, the reasons of the others, and the scheduler's
 * message.
 */
export function PodSentences({ grid, groups, filled, facts, onPick }: Props) {
	const s = t.value;
	const [most, setMost] = useState(FEW);
	if (groups.length === 0) return null;
	return (
		<section class="pod-sentences" aria-label={s.pendingPods}>
			<ul>
				{groups.slice(0, most).map((group) => {
					const { pod, claims } = grid.groups[group.first]!;
					const name = pod ?? claims.join(", ");
					const known = columnOfGroup(grid, filled, group);
					const fits = known?.column.counts.yes ?? 0;
					const nodes = grid.matrix.nodes.length;
					const said = pod === null ? "" : (facts?.pods[pod]?.said ?? "");
					const turn = known?.turn ?? null;
					const good = turn
						? turn.node !== null || turn.outcome === "ended"
						: fits > 0;
					const replicas = pod === null ? undefined : facts?.replicas[pod];
					return (
						<li
							key={group.first}
							class={known === null ? "" : good ? "fits" : "fits-not"}
						>
							<p>
								<span
									class={`sign-box verdict-${known === null ? "Possible" : good ? "Yes" : "No"}`}
									aria-hidden="true"
								>
									{known === null ? "…" : good ? "✓" : "✕"}
								</span>
								<span>
									<button
										type="button"
										role="link"
										class="link-button"
										onClick={() => onPick(group)}
									>
										<b>
											<Visible text={name} />
										</b>
									</button>
									{group.members.length > 1 && (
										<span
											class="chip"
											title={group.members
												.slice(1, 30)
												.map((at) => grid.groups[at]?.pod ?? "")
												.join(", ")}
										>
											{s.moreAlike(group.members.length - 1)}
										</span>
									)}
									{replicas !== undefined && (
										<span class="chip">{s.replicasOf(replicas)}</span>
									)}{" "}
									{known === null ? (
										s.stillAsked
									) : turn && (good || turn.outcome !== "unschedulable") ? (
										<Turn turn={turn} />
									) : nodes === 0 ? null : (
										<>
											{s.fitsOn(fits, nodes)}
											{lackCounts(known.lacks).map(
												({ lack, nodes: count }, index) => (
													<span key={index}>
														{index === 0 ? ": " : ", "}
														{count} × {lackWords(lack)}
													</span>
												),
											)}
											{turn &&
												(turn.depends ||
													turn.nominated ||
													turn.freed ||
													turn.help ||
													turn.unsure) && <Turn turn={turn} />}
										</>
									)}
								</span>
							</p>
							{turn?.message && (
								<p class="scheduler-said computed">
									<Icon name="info" size={14} /> {s.schedulerWouldSay}{" "}
									<code lang="en">{turn.message}</code>
								</p>
							)}
							{said && (
								<p class="scheduler-said">
									<Icon name="info" size={14} />{" "}
									{said === turn?.message
										? s.schedulerSaidSame
										: s.schedulerSaid}{" "}
									{said !== turn?.message && <code lang="en">{said}</code>}
								</p>
							)}
						</li>
					);
				})}
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
				<details class="fold">
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
