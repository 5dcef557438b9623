import type { Finding } from "claimkit";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { deletes, reveal } from "../editor/editor.ts";
import {
	engineError,
	engineStarted,
	engineState,
	restart,
} from "../engine/client.ts";
import type { ShortAnswer } from "../engine/report.ts";
import { t } from "../i18n/index.ts";
import { announceableReport, ofServer, planFixAll } from "../state/actions.ts";
import { failures, report, stale } from "../state/checks.ts";
import {
	fileById,
	manifest,
	manifestHead,
	type PageFile,
} from "../state/files.ts";
import {
	asLinked,
	findingKey,
	pointedFinding,
	wantedFinding,
} from "../state/goal.ts";
import { type Guide, helpsNobody, mayHaveMessage } from "../state/guide.ts";
import { announce, notify } from "../state/notices.ts";
import { FORMATS, saveReport } from "../state/report.ts";
import { verdictOf } from "../state/verdict.ts";
import { Commands } from "./Commands.tsx";
import { FindingList } from "./FindingList.tsx";
import { GuideLine } from "./GuideLine.tsx";
import { Icon } from "./Icon.tsx";
import { MessagePages } from "./MessagePages.tsx";
import { Objects } from "./Objects.tsx";
import { Popover } from "./Popover.tsx";
import { Strip } from "./Strip.tsx";

/** Shows the state while there is no answer: starting, failed to start, crashed on this text. */
function EngineTrouble() {
	const s = t.value;
	const failed = failures.value;
	const file = failed.size > 0 ? manifest.value : undefined;
	const failure = file && failed.get(file.id);
	if (engineState.value === "failed") {
		return (
			<div class="banner bad" role="alert">
				<p>
					<b>{engineStarted.value ? s.stopped : s.startFailed}</b>{" "}
					<code>{engineError.value}</code>
				</p>
				<button type="button" class="button" onClick={restart}>
					{s.tryAgain}
				</button>
			</div>
		);
	}
	if (failure && file && failure.version === file.version) {
		return (
			<div class="banner bad" role="alert">
				<p>
					{failure.crashed ? s.crashedOn : ""} <code>{failure.message}</code>
				</p>
			</div>
		);
	}
	return null;
}

/** How many findings have one fix that takes nothing away. */
function certain(file: PageFile, findings: readonly Finding[]): number {
	return findings.filter(
		({ fixes }) => fixes.length === 1 && !deletes(file.doc, fixes[0]!),
	).length;
}

function ReportMenu() {
	const s = t.value;
	return (
		<Popover
			label={s.report}
			align="end"
			buttonClass="button small"
			button={s.report}
		>
			{(close) => (
				<div class="menu">
					{FORMATS.map((format) => (
						<button
							type="button"
							class="menu-item"
							key={format}
							onClick={() => {
								close();
								void saveReport(format);
							}}
						>
							{s.reportFormats[format]}
						</button>
					))}
				</div>
			)}
		</Popover>
	);
}

/** Goes to the finding a link names, once it is there. */
function useWanted(
	fileId: string | undefined,
	findings: readonly Finding[] | undefined,
): void {
	const wanted = wantedFinding.value;
	useEffect(() => {
		if (wanted === "" || fileId === undefined || !findings || stale.peek())
			return;
		wantedFinding.value = "";
		const found = findings.find((finding) => findingKey(finding) === wanted);
		if (!found) {
			notify({ text: t.peek().noSuchFinding, lasts: 8_000 });
			return;
		}
		pointedFinding.value = wanted;
		if (found.range && asLinked()) reveal(fileId, found.range, false);
	}, [wanted, findings]);
}

/** An answer is dimmed when it is older than the text for this long: a check is rarely noticed, and a fade costs frames. */
const OLD_MS = 800;

/** Dims an answer about an older text; only this is drawn again for a key. */
function Fresh({ children }: { children: ComponentChildren }) {
	const busy = stale.value;
	const [old, setOld] = useState(false);
	useEffect(() => {
		if (!busy) {
			setOld(false);
			return undefined;
		}
		const timer = window.setTimeout(() => setOld(true), OLD_MS);
		return () => clearTimeout(timer);
	}, [busy]);
	return (
		<div class={old ? "problems old" : "problems"} aria-busy={busy}>
			{children}
		</div>
	);
}

function FixAll({ findings }: { findings: readonly Finding[] }) {
	const s = t.value;
	const file = manifest.peek();
	const fixable = stale.value || !file ? 0 : certain(file, findings);
	if (fixable === 0) return null;
	return (
		<button
			type="button"
			class="button primary"
			title={s.fixAllTitle(fixable)}
			onClick={() => void planFixAll()}
		>
			{s.fixAll} <span class="count">{fixable}</span>
		</button>
	);
}

/** Texts that may have a message with a page of its own. */
const WITH_MESSAGES: readonly Guide["what"][] = [
	"message",
	"event",
	"described",
	"waiting",
	"other",
];

/** The verdict, the findings and the objects of one answer. */
function Answered({
	answer,
	guide,
	file,
	empty,
}: {
	answer: ShortAnswer;
	guide: Guide | null;
	file: PageFile;
	empty: boolean;
}) {
	const s = t.value;
	if (empty) return <p class="muted quiet">{s.emptyFile}</p>;
	const { findings, objects } = answer;
	const verdict = verdictOf(answer);
	// The guide says what such a pod is, and offers both ways to Dynamic Resource Allocation.
	const idlePlugin = guide?.what === "plugin" && verdict.tone === "none";
	const judged = objects.filter(({ valid }) => typeof valid === "boolean");
	const quiet = helpsNobody(guide, answer);
	const dump = guide?.what === "dump" ? (guide.kinds ?? []) : null;
	// The verdict would be about the last of several outputs alone.
	const appended = guide?.what === "appended";
	const neutral = quiet || appended || idlePlugin || dump !== null;
	const releases = [
		...new Set(judged.map((entry) => entry.release).filter(Boolean)),
	];
	return (
		<>
			<div class={`verdict ${neutral ? "none" : verdict.tone}`}>
				<Icon
					name={
						neutral || verdict.tone === "none"
							? "info"
							: verdict.tone === "good"
								? "check"
								: "error"
					}
					size={20}
				/>
				<div>
					<h2>
						{dump
							? s.dumpOf(dump.map(({ kind, count }) => [kind, count] as const))
							: appended
								? s.appended
								: idlePlugin
									? s.pluginHead
									: quiet
										? s.nothingChecked
										: verdict.text}
					</h2>
					{releases.length > 0 && (
						<p class="muted">{s.judgedAs(releases.join(", "))}</p>
					)}
				</div>
				{!neutral && <FixAll findings={findings} />}
				{!quiet && !idlePlugin && <ReportMenu />}
			</div>
			{file.bytes && (
				<p class="guide not-utf8" role="note">
					<Icon name="error" />
					<span>{s.notUtf8(file.name)}</span>
				</p>
			)}
			{guide && (
				<GuideLine
					guide={guide}
					file={file}
					cleanable={findings.some(ofServer)}
				/>
			)}
			{guide &&
				WITH_MESSAGES.includes(guide.what) &&
				mayHaveMessage(answer) && <MessagePages guide={guide} file={file} />}
			{dump && <h3 class="applied-title">{s.ifApplied(verdict.text)}</h3>}
			{!quiet && (
				<>
					<FindingList
						findings={findings}
						fileId={file.id}
						objects={objects}
						left={answer.findingCount - findings.length}
						worstFirst={dump !== null}
						canLink
					/>
					{answer.otherGroups > 0 && (
						<p class="note quiet">{s.otherGroups(answer.otherGroups)}</p>
					)}
					<Objects
						entries={objects}
						total={answer.objectCount}
						fileId={file.id}
					/>
					<Strip />
					{!idlePlugin && <Commands panel="problems" />}
				</>
			)}
		</>
	);
}

export function Problems() {
	const s = t.value;
	// Not the manifest itself: it changes with every key, and the answer only after a pause.
	const head = manifestHead.value;
	const current = report.value;
	const said = announceableReport.value;
	useEffect(() => {
		if (said) announce(t.peek().announceFindings(said.errors, said.warnings));
	}, [said]);
	useWanted(head?.id, current?.answer.findings);
	const file = head && fileById(head.id);
	if (!file) return null;
	return (
		<Fresh>
			<EngineTrouble />
			{!current && engineState.value !== "failed" && (
				<p class="muted quiet">
					{engineState.value === "starting" ? s.starting : s.waiting}
				</p>
			)}
			{current && (
				<Answered
					answer={current.answer}
					guide={current.guide}
					file={file}
					empty={head.empty}
				/>
			)}
		</Fresh>
	);
}
