import type { AmountUse, ClaimUsage, PoolUsage, UsageRow } from "claimkit";
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Audited, roughly } from "../engine/audited.ts";
import { exampleById } from "../examples/index.ts";
import { t } from "../i18n/index.ts";
import { report } from "../state/checks.ts";
import { familyOf } from "../state/family.ts";
import { files, manifest } from "../state/files.ts";
import { auditing } from "../state/gates.ts";
import { USAGE_BY, upgradeTo, usageBy, usageWords } from "../state/options.ts";
import { printing } from "../state/printing.ts";
import { loadReleases, releases } from "../state/releases.ts";
import { openExample } from "../state/session.ts";
import { type Together, together } from "../state/together.ts";
import { Commands } from "./Commands.tsx";
import { Elsewhere } from "./Elsewhere.tsx";
import { FindingList } from "./FindingList.tsx";
import { Kubectl } from "./Kubectl.tsx";
import { LeftOut, OTHER_CLUSTER } from "./LeftOut.tsx";
import { RulesNote } from "./RulesNote.tsx";
import { Ticked } from "./Ticked.tsx";
import { Trouble } from "./Trouble.tsx";
import { pauseFor, useEngine } from "./useEngine.ts";
import { Visible } from "./Visible.tsx";

/** The parts of a bar, in their order. */
const PARTS = ["inUse", "shared", "blocked", "tainted", "free"] as const;
type Part = (typeof PARTS)[number];
/** The number of rows shown at first. */
const FEW = 50;
/** With fewer rows a filter is in the way. */
const MANY = 15;

/** A row of any grouping. */
type AnyRow = UsageRow | PoolUsage | ClaimUsage;

const partsOf = ({ devices }: UsageRow): [Part, number][] =>
	PARTS.map((part) => [part, devices[part] ?? 0]);

/** How many of a group's devices are used in which way: a picture of the numbers beside it. */
function Bar({ row }: { row: UsageRow }) {
	const total = row.devices.total ?? 0;
	if (total === 0) return null;
	return (
		<span class="usage-bar" aria-hidden="true">
			{partsOf(row).map(
				([part, count]) =>
					count > 0 && (
						<span
							key={part}
							class={`usage-${part}`}
							style={{ flexGrow: count }}
							title={`${t.value.usageParts[part]}: ${count}`}
						/>
					),
			)}
		</span>
	);
}

/** How much of an amount is neither in use nor free. */
function withheld(total: string, used: string, free: string | undefined) {
	const rest = roughly(total) - roughly(used) - roughly(free);
	// What is less comes from rounding.
	return rest > roughly(total) * 1e-6 ? rest : 0;
}

/** Capacities and counters of a group. */
function Amounts({
	title,
	amounts,
}: {
	title: string;
	amounts: readonly AmountUse[];
}) {
	const s = t.value;
	if (amounts.length === 0) return null;
	return (
		<>
			<h3>{title}</h3>
			<ul class="amounts">
				{amounts.map(({ name, total, used, free }) => (
					<li key={name}>
						<code>{name}</code>
						{total !== undefined && (
							<span class="usage-bar" aria-hidden="true">
								<span
									class="usage-inUse"
									style={{ flexGrow: Math.max(0, roughly(used)) }}
								/>
								{withheld(total, used, free) > 0 && (
									<span
										class="usage-blocked"
										style={{ flexGrow: withheld(total, used, free) }}
									/>
								)}
								<span
									class="usage-free"
									style={{ flexGrow: Math.max(0, roughly(free)) }}
								/>
							</span>
						)}
						<span class={roughly(free) < 0 ? "bad-text tabular" : "tabular"}>
							{total === undefined
								? s.amountUsed(used)
								: s.amountOf(used, total, free ?? "")}
						</span>
					</li>
				))}
			</ul>
		</>
	);
}

function Row({
	row,
	name,
	claims,
}: {
	row: AnyRow;
	name: string;
	claims: boolean;
}) {
	const s = t.value;
	const [open, setOpen] = useState(false);
	const more = row.capacity.length + row.counters.length > 0;
	const columns = PARTS.length + (claims ? 6 : 4);
	return (
		<>
			<tr>
				<th scope="row">
					{more ? (
						<button
							type="button"
							class="link-button"
							aria-expanded={open}
							onClick={() => setOpen(!open)}
						>
							<Visible text={name} />
						</button>
					) : (
						<Visible text={name} />
					)}
					{"driver" in row && <span class="note"> {row.driver}</span>}
				</th>
				<td class="usage-picture">
					<Bar row={row} />
				</td>
				{claims && (
					<td class="tabular">
						{"claims" in row && row.claims.allocated.toLocaleString()}
					</td>
				)}
				{claims && (
					<td class="tabular">
						{"claims" in row && row.claims.pending.toLocaleString()}
					</td>
				)}
				<td class="tabular">{row.devices.total?.toLocaleString() ?? "–"}</td>
				{partsOf(row).map(([part, count]) => (
					<td key={part} class={`tabular${count === 0 ? " none" : ""}`}>
						{row.devices[part] === undefined ? "–" : count.toLocaleString()}
					</td>
				))}
				<td class={`tabular${row.devices.admin === 0 ? " none" : ""}`}>
					{row.devices.admin.toLocaleString()}
				</td>
			</tr>
			{open && (
				<tr class="usage-more">
					<td colSpan={columns}>
						<Amounts title={s.capacities} amounts={row.capacity} />
						<Amounts title={s.counters} amounts={row.counters} />
					</td>
				</tr>
			)}
		</>
	);
}

/** The use of devices in the chosen grouping, as bars and as numbers. */
function Usage({ usage }: { usage: Audited["usage"] }) {
	const s = t.value;
	const by = usageBy.value;
	const words = usageWords.value;
	const [shown, setMost] = useState(FEW);
	const most = printing.value ? Number.POSITIVE_INFINITY : shown;
	const nameOf = ({ name }: UsageRow) => name ?? s.noSingleNode;
	const rows = useMemo(() => {
		const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
		const all: readonly AnyRow[] = usage[by];
		return all.filter((row) =>
			parts.every((part) =>
				`${nameOf(row)} ${"driver" in row ? row.driver : ""}`
					.toLowerCase()
					.includes(part),
			),
		);
	}, [usage, by, words]);
	const claims = by === "classes" || by === "namespaces";
	return (
		<section class="usage" aria-label={s.usage}>
			<div class="controls">
				<fieldset class="segments small">
					<legend class="sr">{s.usageByWhat}</legend>
					{USAGE_BY.map((value) => (
						<label key={value}>
							<input
								type="radio"
								name="usage-by"
								checked={by === value}
								onChange={() => {
									usageBy.value = value;
									setMost(FEW);
								}}
							/>
							<span>{s.usageBy[value]}</span>
						</label>
					))}
				</fieldset>
				{usage[by].length > MANY && (
					<input
						type="search"
						class="filter"
						placeholder={s.filterRows}
						aria-label={s.filterRows}
						value={words}
						onInput={({ currentTarget }) =>
							(usageWords.value = currentTarget.value)
						}
					/>
				)}
				<span class="spacer" />
				<span class="muted tabular" role="status">
					{s.rowCount(rows.length, usage[by].length)}
				</span>
			</div>
			<ul class="legend" aria-hidden="true">
				{PARTS.map((part) => (
					<li key={part}>
						<span class={`usage-key usage-${part}`} /> {s.usageParts[part]}
					</li>
				))}
			</ul>
			<div
				class="table-scroll"
				tabIndex={0}
				role="region"
				aria-label={s.usageBy[by]}
			>
				<table class="usage-table">
					<thead>
						<tr>
							<th scope="col">{s.usageBy[by]}</th>
							<th scope="col" class="usage-picture">
								<span class="sr">{s.picture}</span>
							</th>
							{claims && <th scope="col">{s.claimsAllocated}</th>}
							{claims && <th scope="col">{s.claimsPending}</th>}
							<th scope="col">{s.devicesWord}</th>
							{PARTS.map((part) => (
								<th scope="col" key={part} title={s.usageNotes[part]}>
									{s.usageParts[part]}
								</th>
							))}
							<th scope="col">{s.usageAdmin}</th>
						</tr>
					</thead>
					<tbody>
						{rows.slice(0, most).map((row) => (
							<Row
								key={`${by} ${"driver" in row ? row.driver : ""} ${row.name}`}
								row={row}
								name={nameOf(row)}
								claims={claims}
							/>
						))}
					</tbody>
				</table>
			</div>
			{rows.length > most && (
				<button
					type="button"
					class="button small more"
					onClick={() => setMost(most + 500)}
				>
					{s.showMore(Math.min(500, rows.length - most))}
				</button>
			)}
		</section>
	);
}

const minorOf = (release: string): number => Number(release.split(".")[1]);

/** Names a release to upgrade to: a pre-release, whose patch is not a number, in full. */
function upgradeLabel(release: string, lastPatch: string): string {
	const isFinal = /^[\d.]+$/.test(lastPatch);
	return `Kubernetes ${isFinal ? release : lastPatch}`;
}

/** What breaks when the cluster goes from a release to a later one. */
function Upgrade({
	all,
	from,
	fileId,
	length,
}: {
	all: Together;
	from: string;
	fileId: string;
	length: number;
}) {
	const s = t.value;
	useEffect(() => void loadReleases(), []);
	const later = releases.value.filter(
		({ release }) => minorOf(release) > minorOf(from),
	);
	const to = later.find(({ release }) => release === upgradeTo.value)?.release;
	const key =
		to === undefined
			? null
			: JSON.stringify([all.key, all.version, to, auditing()]);
	const { outcome, fresh } = useEngine(
		"upgrade",
		key,
		() => ({
			question: "upgrade",
			text: all,
			options: { ...auditing(), to: to! },
		}),
		pauseFor(length),
	);
	if (later.length === 0) return null;
	const answer = outcome?.kind === "answer" ? outcome.answer : null;
	return (
		<section
			class="upgrade"
			aria-label={s.upgrade}
			aria-busy={key !== null && !fresh}
		>
			<div class="controls">
				<label class="inline">
					<span>{s.upgrade}</span>
					<select
						value={to ?? ""}
						onChange={({ currentTarget }) =>
							(upgradeTo.value = currentTarget.value as typeof upgradeTo.value)
						}
					>
						<option value="">{s.upgradeNot}</option>
						{later.map(({ release, lastPatch }) => (
							<option key={release} value={release}>
								{upgradeLabel(release, lastPatch)}
							</option>
						))}
					</select>
				</label>
			</div>
			{to !== undefined && <Trouble outcome={outcome} />}
			{to !== undefined && answer && (
				<>
					<p class="upgrade-verdict" role="status">
						<b>
							{answer.troubles === 0
								? s.upgradeGood(answer.from, answer.to)
								: s.upgradeFound(answer.troubles, answer.from, answer.to)}
						</b>
					</p>
					<FindingList
						findings={answer.findings.filter(
							({ code }) => code !== OTHER_CLUSTER,
						)}
						fileId={fileId}
						canFix={false}
						locate={all.locate}
						left={0}
					/>
				</>
			)}
		</section>
	);
}

/** The panel with the problems of a cluster as it is, and the use of its devices. */
export function Audit() {
	const s = t.value;
	void files.value;
	const file = manifest.value;
	const all = together("nodes");
	const length = all?.files.reduce((sum, { doc }) => sum + doc.length, 0) ?? 0;
	const key = all && JSON.stringify([all.key, all.version, auditing()]);
	const { outcome, fresh } = useEngine(
		"audit",
		key,
		() => ({ question: "audit", text: all!, options: auditing() }),
		pauseFor(length),
	);
	if (!file || !all) return null;
	const answer = outcome?.kind === "answer" ? outcome.answer : null;
	if (answer?.empty && familyOf(all) === "classic")
		return <Elsewhere text={s.forNodes} label={s.openNodes} to="nodes" />;
	if (answer?.empty) {
		const example = exampleById("gpu-pod");
		// What keeps a file from being read stands above already.
		const unreadable = answer.findings.filter(
			({ severity, message }) =>
				severity === "error" &&
				!all.unread.some((unread) => unread.message === message),
		);
		return (
			<div class="empty">
				<LeftOut all={all} nothing />
				{unreadable.length > 0 && (
					<FindingList
						findings={unreadable}
						fileId={file.id}
						canFix={false}
						locate={all.locate}
					/>
				)}
				<p>
					<Ticked text={s.auditIntro} />
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
	return (
		<div class="audit" aria-busy={!fresh}>
			<LeftOut all={all} />
			<Trouble outcome={outcome} />
			{!answer && !outcome && <p class="muted quiet">{s.waiting}</p>}
			{answer && (
				<>
					<RulesNote rules={answer.rulesOf ?? report.value?.answer.rulesOf} />
					<p class="audit-verdict" role="status">
						<b>
							{answer.findingCount === 0
								? s.auditGood
								: s.auditFound(answer.findingCount)}
						</b>{" "}
						<span class="muted">Kubernetes {answer.release}</span>
					</p>
					<FindingList
						findings={answer.findings}
						fileId={file.id}
						canFix={false}
						locate={all.locate}
						left={answer.findingCount - answer.findings.length}
					/>
					<Upgrade
						all={all}
						from={answer.release}
						fileId={file.id}
						length={length}
					/>
					<Usage usage={answer.usage} />
					<Commands panel="audit" />
				</>
			)}
		</div>
	);
}
