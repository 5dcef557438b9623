import type { ApiVersion, ConvertedObject, Decision } from "claimkit";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { reveal } from "../editor/editor.ts";
import type { Conversion } from "../engine/converted.ts";
import { meaningOf } from "../i18n/codes.ts";
import { t } from "../i18n/index.ts";
import { applyConverted, copyText, download } from "../state/actions.ts";
import { overlay, reports } from "../state/checks.ts";
import { versionsIn } from "../state/family.ts";
import {
	fileHeads,
	manifest,
	type PageFile,
	source,
	textOf,
} from "../state/files.ts";
import { serverOnly } from "../state/gates.ts";
import {
	annotate,
	lossy,
	type Target,
	target,
	wholeProject,
} from "../state/options.ts";
import { loadReleases, releases, versions } from "../state/releases.ts";
import { together, unreadOf } from "../state/together.ts";
import { Commands } from "./Commands.tsx";
import { Compare } from "./Compare.tsx";
import { ConvertAll } from "./ConvertAll.tsx";
import { FindingList } from "./FindingList.tsx";
import { Unreadable } from "./LeftOut.tsx";
import {
	isPlaceOfLoss,
	LOSS,
	located,
	type NamedLoss,
	shortName,
} from "./losses.ts";
import { Ticked } from "./Ticked.tsx";
import { Trouble } from "./Trouble.tsx";
import { pauseFor, useEngine } from "./useEngine.ts";
import { Visible } from "./Visible.tsx";

/**
 * Returns the default target of a conversion: the newest version, or one below it where the text has that already; null
 * where it has no object of a known version.
 */
function direction(
	found: ReadonlySet<string>,
	known: readonly ApiVersion[],
): ApiVersion | null {
	const newest = known.at(-1);
	const oldest = known.find((version) => found.has(version));
	if (oldest === undefined || newest === undefined) return null;
	if (oldest !== newest) return newest;
	return known.at(-2) ?? newest;
}

/** Returns a file's name after its conversion: it contains the version, so that both files can be kept. */
function convertedName(name: string, to: string): string {
	const version = shortName(to);
	const plain = name.replace(/[._-]v\d+((alpha|beta)\d+)?(?=[._-]|$)/, "");
	const dot = plain.lastIndexOf(".");
	return dot > 0
		? `${plain.slice(0, dot)}.${version}${plain.slice(dot)}`
		: `${plain}.${version}`;
}

/** The code of the findings about the place of each decision. */
const DECISION = "conversion-decision";
/** Finding code of objects of other groups, which are copied unchanged. */
const LEFT = "other-group";

const named = ({ kind, name }: ConvertedObject): string =>
	`${kind} ${name}`.trim();

/** Shows the assumptions that no tool can check, with the alternatives. */
function Decisions({
	entries,
	fileId,
}: {
	entries: readonly ConvertedObject[];
	fileId: string;
}) {
	const s = t.value;
	const list = entries.flatMap((entry) =>
		(entry.decisions ?? []).map((decision): Decision & { of: string } => ({
			...decision,
			of: named(entry),
		})),
	);
	if (list.length === 0) return null;
	return (
		<section class="losses decisions" aria-label={s.decisions(list.length)}>
			<h3>{s.decisions(list.length)}</h3>
			<label class="inline">
				<input
					type="checkbox"
					checked={annotate.value}
					onChange={({ currentTarget }) =>
						(annotate.value = currentTarget.checked)
					}
				/>
				<span>{s.annotate}</span>
			</label>
			<ul>
				{list.map((decision, index) => {
					const body = (
						<>
							<span>
								<Visible text={decision.of} />:{" "}
								{decision.path && <code class="path">{decision.path}</code>}{" "}
								<Ticked text={decision.message} />
							</span>
							{decision.alternatives.length > 0 && (
								<span class="finding-help">
									{s.alternatives}{" "}
									<Ticked text={decision.alternatives.join("; ")} />
								</span>
							)}
						</>
					);
					return (
						<li key={index}>
							<button
								type="button"
								class="finding-main"
								onClick={() => reveal(fileId, decision.range)}
							>
								{body}
							</button>
						</li>
					);
				})}
			</ul>
		</section>
	);
}

/** Each object with the version it had and the one it gets. */
function Converted({
	entries,
	fileId,
	left: unlisted,
}: {
	entries: readonly ConvertedObject[];
	fileId: string;
	left: number;
}) {
	const s = t.value;
	const MOST = 50;
	return (
		<section class="converted" aria-label={s.objects}>
			<ul>
				{entries.slice(0, MOST).map((entry, index) => {
					const {
						from,
						to,
						range,
						changed,
						losses,
						decisions = [],
						removedIn,
					} = entry;
					return (
						<li key={index}>
							{range ? (
								<button
									type="button"
									class="link-button"
									onClick={() => reveal(fileId, range)}
								>
									<Visible text={named(entry) || "—"} />
								</button>
							) : (
								<b>
									<Visible text={named(entry)} />
								</b>
							)}
							{from !== "" && (
								<span class="chip">
									{changed && from !== to
										? `${shortName(from)} → ${shortName(to)}`
										: changed
											? s.changedIn(shortName(from))
											: shortName(from)}
								</span>
							)}
							{losses.length > 0 && (
								<span class="chip bad">{s.lossCount(losses.length)}</span>
							)}
							{decisions.length > 0 && (
								<span class="chip">{s.decisionCount(decisions.length)}</span>
							)}
							{removedIn && changed && (
								<span class="note">
									{s.removedIn(shortName(from), removedIn)}
								</span>
							)}
						</li>
					);
				})}
			</ul>
			{entries.length + unlisted > MOST && (
				<p class="note">{s.andMore(entries.length + unlisted - MOST)}</p>
			)}
		</section>
	);
}

function Losses({
	losses,
	fileId,
	allowed,
}: {
	losses: NamedLoss[];
	fileId: string;
	allowed: boolean;
}) {
	const s = t.value;
	const meaning = meaningOf(LOSS);
	if (losses.length === 0) return null;
	const printed = (value: unknown) => {
		const text = typeof value === "string" ? value : JSON.stringify(value);
		return text === undefined
			? ""
			: text.length > 120
				? `${text.slice(0, 117)}…`
				: text;
	};
	return (
		<section class="losses" aria-label={s.losses(losses.length)}>
			<h3>
				{allowed ? s.lossesAllowed(losses.length) : s.losses(losses.length)}
			</h3>
			{meaning && (
				<p class="finding-meaning">
					<Ticked text={meaning} />
				</p>
			)}
			<ul>
				{losses.map((loss, index) => {
					const body = (
						<>
							<span>
								<Visible text={loss.of} />:{" "}
								<code class="path">
									<Visible text={loss.path} />
								</code>{" "}
								<span class="lost-value">
									<Visible text={printed(loss.value)} />
								</span>
							</span>
							<span class="finding-help">
								<Ticked text={loss.reason} />
							</span>
						</>
					);
					return (
						<li key={index}>
							{loss.range ? (
								<button
									type="button"
									class="finding-main"
									onClick={() => loss.range && reveal(fileId, loss.range)}
								>
									{body}
								</button>
							) : (
								<div class="finding-main">{body}</div>
							)}
						</li>
					);
				})}
			</ul>
		</section>
	);
}

/** Shows the effects of a conversion; drawn again for a new answer only, not for a key. */
function Told({
	answer,
	file,
	to,
	allowed,
}: {
	answer: Conversion;
	file: PageFile;
	to: string;
	allowed: boolean;
}) {
	const s = t.value;
	const { text: converted, same } = answer;
	const losses = located(answer);
	const skipped = answer.objects.filter((entry) => entry.skipped);
	const entries = answer.objects.filter(({ from }) => from);
	const versions = [
		...new Set(entries.flatMap(({ to: now }) => (now ? [shortName(now)] : []))),
	];
	return (
		<>
			{converted === undefined && (
				<div class="verdict-line">
					<h2 class="bad-text">{s.noConversion}</h2>
					{losses.length > 0 && !allowed && (
						<button
							type="button"
							class="button"
							onClick={() => (lossy.value = true)}
						>
							{s.allowLossy}
						</button>
					)}
				</div>
			)}
			{same && <p class="muted quiet">{s.unchanged(versions.join(", "))}</p>}
			{converted !== undefined &&
				!same &&
				!answer.findings.some(({ code }) => code === LOSS) && (
					<p class="good-line">{s.losses(0)}</p>
				)}
			{entries.length > 0 && (
				<Converted
					entries={entries}
					fileId={file.id}
					left={answer.objectCount - answer.objects.length}
				/>
			)}
			<Losses losses={losses} fileId={file.id} allowed={allowed} />
			<Decisions entries={answer.objects} fileId={file.id} />
			{skipped.length > 0 && !same && (
				<section class="losses">
					<h3>{s.convertSkipped}</h3>
					<ul>
						{skipped.map((entry, index) => (
							<li key={index}>
								<div class="finding-main">
									<b>
										<Visible text={`${entry.kind} ${entry.name}`} />
									</b>
									<span>
										<Ticked text={entry.skipped ?? ""} />
									</span>
								</div>
							</li>
						))}
					</ul>
				</section>
			)}
			<FindingList
				findings={answer.findings.filter(
					(finding) =>
						!isPlaceOfLoss(finding) && ![DECISION, LEFT].includes(finding.code),
				)}
				fileId={file.id}
				canFix={false}
			/>
			{converted !== undefined && !same && (
				<Compare
					before={textOf(file)}
					after={converted}
					beforeLabel={file.name}
					afterLabel={convertedName(file.name, to)}
					changes={answer.changes}
				/>
			)}
			<Commands key={to} panel="convert" to={to} />
		</>
	);
}

export function Convert() {
	const s = t.value;
	const file = manifest.value;
	useEffect(() => void loadReleases(), []);
	const known = versions.value;
	// Other tabs hold what this one refers to; with none, the text is converted as it is.
	const all = together();
	const beside = all ? all.files.filter(({ id }) => id !== file?.id) : [];
	const found =
		all &&
		versionsIn({
			...all,
			files: all.files.filter(({ id }) => id === file?.id),
		});
	const checked = file ? reports.value.has(file.id) : false;
	const to =
		found &&
		(target.value === "other" ? direction(found, known) : target.value);
	const empty = !file || file.doc.length === 0;
	const several =
		fileHeads.value.filter((head) => head.role === "manifest" && !head.empty)
			.length > 1;
	const whole = several && wholeProject.value;
	const key =
		file && to && !empty && !whole
			? `${file.id} ${file.version} ${to} ${lossy.value} ${annotate.value} ${JSON.stringify(serverOnly())} ${beside.map(({ id, version }) => `${id}@${version}`).join(" ")}`
			: null;
	const asked = useRef<{ file: PageFile; to: Target } | null>(null);
	const { outcome, fresh } = useEngine(
		"convert",
		key,
		() => ({
			question: "convert",
			text: source(file!),
			options: {
				to: to!,
				lossy: lossy.value ? "allow" : "refuse",
				...(annotate.value ? { annotate: true } : {}),
				...serverOnly(),
			},
			texts: { others: beside.map(source) },
		}),
		pauseFor(file?.doc.length ?? 0),
	);
	if (fresh && file && to) asked.current = { file, to };
	const answer = outcome?.kind === "answer" ? outcome.answer : null;
	// Losses and assumptions are underlined in the text.
	useEffect(() => {
		const findings =
			answer?.findings.filter(
				({ code }) => code === LOSS || code === DECISION,
			) ?? [];
		overlay.value =
			file && fresh && findings.length > 0
				? { fileId: file.id, version: file.version, findings }
				: null;
		return () => {
			overlay.value = null;
		};
	}, [answer, fresh]);
	const about = asked.current;
	const body = useMemo(
		() =>
			answer && about && about.file.id === file?.id ? (
				<Told
					answer={answer}
					file={about.file}
					to={about.to}
					allowed={lossy.peek()}
				/>
			) : null,
		[answer, about?.file, s],
	);
	if (!file) return null;
	const nothing =
		empty ||
		(checked &&
			known.length > 0 &&
			(to === null || !known.some((version) => found?.has(version))));
	const converted = answer?.text;
	const unread = unreadOf(file);
	return (
		<div class="convert" aria-busy={key !== null && !fresh}>
			<div class="controls">
				<label class="inline">
					<span>{s.convertTo}</span>
					<select
						value={target.value}
						onChange={({ currentTarget }) =>
							(target.value = currentTarget.value as typeof target.value)
						}
					>
						<option value="other">
							{to && target.value === "other"
								? `${s.targetOther}: ${shortName(to)}`
								: s.targetOther}
						</option>
						<optgroup label={s.aboutVersions}>
							{known.map((value) => (
								<option key={value} value={value}>
									{shortName(value)}
								</option>
							))}
						</optgroup>
						<optgroup label={s.convertForRelease}>
							{releases.value.map((entry) => (
								<option key={entry.release} value={entry.release}>
									{`Kubernetes ${entry.release}`}
								</option>
							))}
						</optgroup>
					</select>
				</label>
				{lossy.value && (
					<label class="inline">
						<input
							type="checkbox"
							checked={lossy.value}
							onChange={({ currentTarget }) =>
								(lossy.value = currentTarget.checked)
							}
						/>
						<span>{s.allowLossy}</span>
					</label>
				)}
				{several && (
					<label class="inline">
						<input
							type="checkbox"
							checked={wholeProject.value}
							onChange={({ currentTarget }) =>
								(wholeProject.value = currentTarget.checked)
							}
						/>
						<span>{s.convertAll}</span>
					</label>
				)}
				<span class="spacer" />
				{converted !== undefined && !answer!.same && !nothing && (
					<div class="actions">
						<button
							type="button"
							class="button"
							onClick={() => void copyText(converted)}
						>
							{s.copy}
						</button>
						<button
							type="button"
							class="button"
							onClick={() => download(convertedName(file.name, to!), converted)}
						>
							{s.download}
						</button>
						<button
							type="button"
							class="button primary"
							disabled={!fresh}
							onClick={() => applyConverted(file, converted, to!)}
						>
							{s.apply}
						</button>
					</div>
				)}
			</div>
			<Trouble outcome={outcome} />
			{whole && known.length > 0 && <ConvertAll known={known} />}
			{!whole && nothing && unread && <Unreadable unread={[unread]} nothing />}
			{!whole && nothing && !unread && (
				<p class="muted quiet">
					{empty
						? s.convertEmpty
						: s.convertNone(known.map(shortName).join(", "))}
				</p>
			)}
			{!whole && !nothing && body}
		</div>
	);
}
