import type { Finding, Origin, ValidatedObject } from "claimkit";
import { useEffect, useRef, useState } from "preact/hooks";
import { applyFix, reveal } from "../editor/editor.ts";
import { codePage } from "../editor/findings.ts";
import { inFile } from "../engine/placement.ts";
import { answeredNow, type Indexed } from "../engine/report.ts";
import { meaningOf } from "../i18n/codes.ts";
import { lang, t } from "../i18n/index.ts";
import { apart } from "../i18n/words.ts";
import { copyText } from "../state/actions.ts";
import { fileById, fileHeads, type PageFile } from "../state/files.ts";
import { findingKey, pointedFinding } from "../state/goal.ts";
import { findingMarkdown } from "../state/markdown.ts";
import { copyLink } from "../state/session.ts";
import type { Together } from "../state/together.ts";
import { Icon } from "./Icon.tsx";
import { Ticked } from "./Ticked.tsx";
import { Visible } from "./Visible.tsx";

/** An object that findings are about. */
type Listed = Indexed<
	Pick<ValidatedObject, "kind" | "namespace" | "name" | "release" | "status">
>;

const ORIGINS: Origin[] = [
	"kubectl",
	"kube-apiserver",
	"kube-scheduler",
	"claimkit",
];
const PAGE = 100;

type Locate = Together["locate"];

/** Shows a message: the words of the server and kubectl as they are, ours in the page's language. */
function Message({ finding }: { finding: Finding }) {
	if (finding.origin !== "claimkit") {
		return (
			<span class="finding-message exact" lang="en">
				<Visible text={finding.message} />
			</span>
		);
	}
	return (
		<span class="finding-message" lang={lang.value}>
			<Ticked text={finding.message} />
		</span>
	);
}

function Answers({
	finding,
	file,
	release,
	link,
}: {
	finding: Finding;
	file: PageFile | undefined;
	release: string | undefined;
	link: boolean;
}) {
	const s = t.value;
	return (
		<span class="finding-tools">
			{link && (
				<button
					type="button"
					class="button icon-only quiet"
					aria-label={s.linkAnswer}
					title={s.linkAnswer}
					onClick={() => void copyLink({ finding: findingKey(finding) })}
				>
					<Icon name="link" size={14} />
				</button>
			)}
			<button
				type="button"
				class="button icon-only quiet"
				aria-label={s.copyMarkdown}
				title={s.copyMarkdown}
				onClick={() =>
					void findingMarkdown(finding, file, release).then((text) =>
						copyText(text, t.peek().copyMarkdownDone),
					)
				}
			>
				<Icon name="copy" size={14} />
			</button>
		</span>
	);
}

interface RowProps {
	finding: Finding;
	fileId: string | undefined;
	canFix: boolean;
	canLink: boolean;
	locate?: Locate | undefined;
	release: string | undefined;
}

/** Shows one finding: its message, place, reason and fix. */
function Row({ finding, fileId, canFix, canLink, locate, release }: RowProps) {
	const s = t.value;
	const item = useRef<HTMLLIElement>(null);
	const found =
		finding.range && locate
			? locate(inFile(finding.range, finding.file))
			: null;
	const range = found?.range ?? finding.range;
	const start = range?.start;
	const file =
		found?.file ?? (fileId === undefined ? undefined : fileById(fileId));
	const place = start
		? s.place(start.line + 1, start.character + 1)
		: undefined;
	const named =
		file && fileHeads.value.length > 1 ? `${apart(file.name).join("")}:` : "";
	const meaning = meaningOf(finding.code);
	const pointed =
		pointedFinding.value !== "" && pointedFinding.value === findingKey(finding);
	useEffect(() => {
		if (pointed) item.current?.scrollIntoView({ block: "center" });
	}, [pointed]);
	const body = (
		<>
			<span class="finding-head">
				<span class={`severity ${finding.severity}`}>
					<Icon name={finding.severity} />
					<span class="sr">{s.severities[finding.severity]}: </span>
				</span>
				<Message finding={finding} />
			</span>
			{meaning && (
				<span class="finding-meaning">
					<Ticked text={meaning} />
				</span>
			)}
			{finding.help && (
				<span class="finding-help">
					<Ticked text={finding.help} />
				</span>
			)}
		</>
	);
	return (
		<li ref={item} class={pointed ? "finding pointed" : "finding"}>
			{start && file ? (
				<button
					type="button"
					class="finding-main"
					onClick={() => range && reveal(file.id, range)}
				>
					{body}
				</button>
			) : (
				<div class="finding-main">{body}</div>
			)}
			<div class="finding-foot">
				{start && (
					<span class="finding-place" title={`${named} ${place}`}>
						<span aria-hidden="true">
							{named && (
								<bdi class="finding-file">
									<Visible text={file?.name ?? ""} />
								</bdi>
							)}
							{named && ":"}
							<bdi>{`${start.line + 1}:${start.character + 1}`}</bdi>
						</span>
						<span class="sr">{`${named} ${place}`}</span>
					</span>
				)}
				{!start && finding.path && <code>{finding.path}</code>}
				<a
					href={codePage(finding.code)}
					target="_blank"
					rel="noopener"
					title={s.explain(finding.code)}
				>
					{finding.code}
				</a>
				{canFix &&
					fileId &&
					finding.fixes.map((fix, index) => (
						<button
							type="button"
							class="button small fix"
							key={fix.title}
							onClick={() => applyFix(fileId, finding, index)}
						>
							{s.fix}: <Ticked text={fix.title} />
						</button>
					))}
				<Answers
					finding={finding}
					file={file}
					release={release}
					link={canLink}
				/>
			</div>
		</li>
	);
}

interface Props {
	findings: readonly Finding[];
	fileId: string | undefined;
	canFix?: boolean;
	/** Whether a link can lead to each finding; it can to those of the Problems panel only. */
	canLink?: boolean;
	/** Maps ranges to files, if the findings are about several files read together: they are listed the worst first. */
	locate?: Locate;
	/** The worst first, and not by position: the text is a dump, which nobody reads from its beginning. */
	worstFirst?: boolean;
	/** The objects, with the server's current answer and the one after the first error is fixed. */
	objects?: readonly Listed[];
	/** How many more there are than the list holds. */
	left?: number;
}

const SEVERITIES = ["error", "warning", "info"] as const;

interface Group {
	origin: Origin;
	note: string;
	list: Finding[];
}

const place = ({ range }: Finding): number => range?.start.offset ?? -1;

/** Returns the number of each file, for lists about several. */
function fileOrder(): (finding: Finding) => number {
	const order = new Map(
		fileHeads.peek().map(({ name }, index) => [name, index]),
	);
	return ({ file = "" }) => order.get(file) ?? -1;
}

/** Sorts by component, in the order in which a person meets them, then the worst first if asked, then by file and position. */
function grouped(
	findings: readonly Finding[],
	objects: readonly Listed[],
	worstFirst: boolean,
): Group[] {
	const s = t.value;
	const now = answeredNow(findings, objects);
	const inOrder = fileOrder();
	const rank = ({ severity }: Finding) =>
		worstFirst ? SEVERITIES.indexOf(severity) : 0;
	return ORIGINS.flatMap((origin): Group[] => {
		const list = findings
			.filter((finding) => finding.origin === origin)
			.sort(
				(a, b) =>
					rank(a) - rank(b) || inOrder(a) - inOrder(b) || place(a) - place(b),
			);
		const later = list.filter(
			(finding) => finding.severity === "error" && !now(finding),
		);
		if (later.length === 0)
			return [{ origin, note: s.originNotes[origin], list }];
		return [
			{
				origin,
				note: s.answersNow,
				list: list.filter((finding) => !later.includes(finding)),
			},
			{ origin, note: s.answersLater, list: later },
		];
	}).filter(({ list }) => list.length > 0);
}

/** The number of findings of one code from which only the first is shown until the list is opened. */
const ALIKE = 4;
/** With more findings than this a filter helps. */
const MANY = 12;

/** Groups a list of findings: those of a frequent code follow the first of them. */
function byCode(
	list: readonly Finding[],
): { finding: Finding; alike: Finding[] }[] {
	const counts = new Map<string, number>();
	for (const { code } of list) counts.set(code, (counts.get(code) ?? 0) + 1);
	const firsts = new Map<string, { finding: Finding; alike: Finding[] }>();
	const rows: { finding: Finding; alike: Finding[] }[] = [];
	for (const finding of list) {
		const first = firsts.get(finding.code);
		if (first) {
			first.alike.push(finding);
			continue;
		}
		const row = { finding, alike: [] };
		rows.push(row);
		if ((counts.get(finding.code) ?? 0) >= ALIKE) firsts.set(finding.code, row);
	}
	return rows;
}

/** The findings that have all words, and the severity where one is chosen. */
function passing(
	findings: readonly Finding[],
	words: string,
	severity: string,
	objects: readonly Listed[],
): readonly Finding[] {
	const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
	if (parts.length === 0 && severity === "") return findings;
	const names = new Map<number | undefined, string>(
		objects.map(({ index, kind, namespace, name }) => [
			index,
			`${kind} ${namespace}/${name}`,
		]),
	);
	return findings.filter((finding) => {
		const text =
			`${finding.code} ${finding.message} ${finding.path ?? ""} ${names.get(finding.object) ?? ""}`.toLowerCase();
		return (
			(severity === "" || finding.severity === severity) &&
			parts.every((part) => text.includes(part))
		);
	});
}

/** Findings grouped by component, in the order in which a person meets them. */
export function FindingList({
	findings,
	fileId,
	canFix = true,
	canLink = false,
	locate,
	worstFirst = locate !== undefined,
	objects = [],
	left: unlisted = 0,
}: Props) {
	const s = t.value;
	const [most, setMost] = useState(PAGE);
	const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
	const [words, setWords] = useState("");
	const [severity, setSeverity] = useState("");
	const list = passing(findings, words, severity, objects);
	const pointed = pointedFinding.value;
	let left = most;
	let hidden = 0;
	const row = (finding: Finding, key: string) => (
		<Row
			key={key}
			finding={finding}
			fileId={fileId}
			canFix={canFix}
			canLink={canLink}
			locate={locate}
			release={objects.find((entry) => entry.index === finding.object)?.release}
		/>
	);
	return (
		<div class="finding-groups">
			{findings.length > MANY && (
				<div class="controls finding-filter">
					<input
						type="search"
						class="filter"
						placeholder={s.filterFindings}
						aria-label={s.filterFindings}
						value={words}
						onInput={({ currentTarget }) => setWords(currentTarget.value)}
					/>
					<select
						aria-label={s.severity}
						value={severity}
						onChange={({ currentTarget }) => setSeverity(currentTarget.value)}
					>
						<option value="">{s.everySeverity}</option>
						{SEVERITIES.map((value) => (
							<option key={value} value={value}>
								{s.severities[value]}
							</option>
						))}
					</select>
					<span class="spacer" />
					<span class="muted tabular" role="status">
						{s.findingCount(list.length, findings.length)}
					</span>
				</div>
			)}
			{grouped(list, objects, worstFirst).map(({ origin, note, list: own }) => {
				const rows = byCode(own);
				const shown = rows.slice(0, Math.max(0, left));
				hidden += rows.length - shown.length;
				left -= rows.length;
				if (shown.length === 0) return null;
				return (
					<section
						key={`${origin} ${note}`}
						class="finding-group"
						aria-label={`${s.origins[origin]} ${note}`}
					>
						<h3>
							{s.origins[origin]} <span class="note">{note}</span>
							<span class="count">{own.length.toLocaleString()}</span>
						</h3>
						<ul>
							{shown.flatMap(({ finding, alike }, index) => {
								const name = `${origin} ${note} ${finding.code}`;
								const all =
									open.has(name) ||
									alike.some((other) => findingKey(other) === pointed);
								const more = alike.slice(0, all ? most : 0);
								return [
									row(finding, `${index} ${finding.code}`),
									...more.map((other, at) =>
										row(other, `${index} ${finding.code} ${at}`),
									),
									alike.length > more.length ? (
										<li key={`${index} more`} class="finding more-alike">
											<button
												type="button"
												class="button small"
												aria-expanded={all}
												onClick={() =>
													all
														? setMost(most + 1000)
														: setOpen(new Set([...open, name]))
												}
											>
												{s.moreOf(alike.length - more.length, finding.code)}
											</button>
										</li>
									) : null,
								];
							})}
						</ul>
					</section>
				);
			})}
			{hidden > 0 && (
				<button
					type="button"
					class="button more"
					onClick={() => setMost(most + 1000)}
				>
					{s.showMore(Math.min(1000, hidden))}
				</button>
			)}
			{unlisted > 0 && <p class="note quiet">{s.notListed(unlisted)}</p>}
		</div>
	);
}
