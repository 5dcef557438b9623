import { Text } from "@codemirror/state";
import type { PolicyResult } from "claimkit";
import { useEffect, useRef, useState } from "preact/hooks";
import { findSetting, type SmallEditor, smallEditor } from "../editor/small.ts";
import type { Admitted } from "../engine/admission.ts";
import { POLICY_SAMPLES } from "../examples/index.ts";
import { lang, t } from "../i18n/index.ts";
import { unticked } from "../i18n/words.ts";
import { copyText, download } from "../state/actions.ts";
import {
	changeDoc,
	fileOf,
	files,
	freeName,
	literal,
	manifest,
	newFile,
	source,
	splitLines,
	textOf,
} from "../state/files.ts";
import { serverOnly } from "../state/gates.ts";
import { pointedVerdict } from "../state/goal.ts";
import { verdictMarkdown } from "../state/markdown.ts";
import {
	POLICY_OPERATIONS,
	policyGroups,
	policyOperation,
	policyUser,
} from "../state/options.ts";
import { printYaml } from "../state/print.ts";
import { copyLink } from "../state/session.ts";
import { unreadOf } from "../state/together.ts";
import { Commands } from "./Commands.tsx";
import { Compare } from "./Compare.tsx";
import { FileChoice } from "./FileChoice.tsx";
import { FindingList } from "./FindingList.tsx";
import { Icon } from "./Icon.tsx";
import { Unreadable } from "./LeftOut.tsx";
import { PolicyForms } from "./PolicyForms.tsx";
import { Ticked } from "./Ticked.tsx";
import { Trouble } from "./Trouble.tsx";
import { pauseFor, useEngine } from "./useEngine.ts";
import { Visible } from "./Visible.tsx";

/** Writes the settings, making their file when there is none yet; the manifest stays in the editor. */
function write(doc: Text): void {
	const file = fileOf("settings");
	if (file) changeDoc(file.id, doc);
	else
		files.value = [
			...files.peek(),
			{ ...newFile(freeName("settings.yaml"), "settings", ""), doc },
		];
}

/** The file an object's AdmissionRequest is saved to. */
const requestFile = ({ kind, name }: Admitted): string =>
	`${kind.toLowerCase()}-${name.replace(/[^\w.-]/g, "-")}.request.json`;

/** Returns the policy's verdict on an object, in a few words. */
function wordsFor({ response, ours, results }: Admitted): string {
	const s = t.value;
	if (results?.every(({ result }) => result === "skip")) return s.noPolicyAsked;
	if (results && !response) return s.policyUnknown;
	if (!response) return ours ? s.notAsked : s.notOurs;
	if (response.accepted)
		return response.mutated_object === undefined ? s.allowed : s.mutated;
	return `${s.denied}${response.code ? ` · ${response.code}` : ""}`;
}

/** The verdict on one object; `number` is its place, by which a link finds it again. */
function Answer({ entry, number }: { entry: Admitted; number: number }) {
	const s = t.value;
	const { response, results } = entry;
	const section = useRef<HTMLElement>(null);
	const pointed = pointedVerdict.value === number;
	useEffect(() => {
		if (pointed) section.current?.scrollIntoView({ block: "center" });
	}, [pointed]);
	const unasked = results?.every(({ result }) => result === "skip") ?? false;
	const tone =
		response && !unasked
			? response.accepted
				? "good"
				: "bad"
			: entry.ours && !results
				? "bad"
				: "none";
	const mutated = response?.mutated_object;
	return (
		<section
			ref={section}
			class={pointed ? "admitted pointed" : "admitted"}
			aria-label={s.policyFor(`${entry.kind} ${entry.name}`)}
		>
			<h3>
				<span class={`tick ${tone}`}>
					<Icon
						name={tone === "good" ? "check" : tone === "bad" ? "cross" : "info"}
					/>
				</span>
				<span class="object-name">
					{entry.kind} <b>{entry.name ? <Visible text={entry.name} /> : "—"}</b>{" "}
					{entry.namespace && (
						<span class="muted">
							<Visible text={entry.namespace} />
						</span>
					)}
				</span>
				<span
					class={`chip ${tone === "good" ? "verdict-Yes" : tone === "bad" ? "bad" : ""}`}
				>
					{wordsFor(entry)}
				</span>
				{entry.request !== undefined && (
					<button
						type="button"
						class="button icon-only quiet"
						aria-label={s.saveRequest}
						title={s.saveRequest}
						onClick={() =>
							download(
								requestFile(entry),
								`${JSON.stringify(entry.request, null, 2)}\n`,
								"application/json",
							)
						}
					>
						<Icon name="stored" size={14} />
					</button>
				)}
				<button
					type="button"
					class="button icon-only quiet"
					aria-label={s.linkAnswer}
					title={s.linkAnswer}
					onClick={() => void copyLink({ verdict: String(number) })}
				>
					<Icon name="link" size={14} />
				</button>
				<button
					type="button"
					class="button icon-only quiet"
					aria-label={s.copyMarkdown}
					title={s.copyMarkdown}
					onClick={() =>
						void verdictMarkdown(entry, wordsFor(entry), number).then((text) =>
							copyText(text, t.peek().copyMarkdownDone),
						)
					}
				>
					<Icon name="copy" size={14} />
				</button>
			</h3>
			{response?.message && (
				<p class="exact policy-says">
					<Visible text={response.message} />
				</p>
			)}
			{response?.warnings?.map((warning, index) => (
				<p key={index} class="exact">
					{s.warnings}: <Visible text={warning} />
				</p>
			))}
			{response?.audit_annotations && (
				<p class="note">
					{s.audit}:{" "}
					{Object.entries(response.audit_annotations).map(([key, value]) => (
						<code key={key}>{`${key}=${value}`}</code>
					))}
				</p>
			)}
			{results && <PolicyResults results={results} />}
			{mutated !== undefined && (
				<Compare
					before={printYaml(entry.object)}
					after={printYaml(mutated)}
					beforeLabel={s.before}
					afterLabel={s.after}
				/>
			)}
		</section>
	);
}

/** The answer of each ValidatingAdmissionPolicy to an object. */
function PolicyResults({ results }: { results: PolicyResult[] }) {
	const s = t.value;
	return (
		<ul class="policy-results">
			{results.map(({ policy, binding, result, notes = [] }, index) => (
				<li key={index}>
					<span class="object-name">
						<Visible text={binding ? `${policy} · ${binding}` : policy} />
					</span>{" "}
					<span class={result === "fail" ? "chip bad" : "chip"}>
						{s.policyResults[result]}
					</span>
					{(result === "skip" || result === "audit") &&
						notes.map((note) => (
							<span key={note} class="note">
								<Ticked text={note} />
							</span>
						))}
				</li>
			))}
		</ul>
	);
}

/** The policy module's settings, and what it answers to each object of the manifest. */
export function Policy() {
	const s = t.value;
	void files.value;
	const host = useRef<HTMLDivElement>(null);
	const editor = useRef<SmallEditor | null>(null);
	const file = manifest.value;
	const settings = fileOf("settings");
	const stored = fileOf("stored");
	const operation = policyOperation.value;
	const user = policyUser.value;
	const groups = policyGroups.value;
	const [most, setMost] = useState(Math.max(50, pointedVerdict.peek()));
	const text = settings ? source(settings) : null;
	const key =
		file &&
		JSON.stringify([
			file.id,
			file.version,
			settings?.id,
			settings?.version,
			stored?.id,
			stored?.version,
			operation,
			user,
			groups,
			serverOnly(),
		]);
	const { outcome, fresh } = useEngine(
		"admit",
		key ?? null,
		() => ({
			question: "admission",
			text: source(file!),
			texts: {
				settings: text ?? literal("settings", ""),
				...(operation === "CREATE" || !stored ? {} : { old: source(stored) }),
			},
			options: {
				operation,
				username: user,
				groups: groups
					.split(",")
					.map((group) => group.trim())
					.filter(Boolean),
				...serverOnly(),
			},
		}),
		pauseFor(file?.doc.length ?? 0),
	);
	const admission = outcome?.kind === "answer" ? outcome.answer : null;
	const asked = (admission?.objects ?? []).filter(
		({ request }) => request !== undefined,
	);
	// One request is saved at a press; nobody saves those of a whole dump, whose manifests the command takes as well.
	const judged =
		asked.length > 1 && operation !== "DELETE"
			? (file?.name ?? "")
			: asked.slice(0, 5).map(requestFile).join(" ");
	const ofServer = admission?.policies;
	const unread = file ? unreadOf(file) : null;

	useEffect(() => {
		if (!host.current) return undefined;
		editor.current = smallEditor(
			host.current,
			fileOf("settings")?.doc ?? Text.empty,
			t.peek().settings,
			(doc) => {
				if (!fileOf("settings")?.doc.eq(doc)) write(doc);
			},
		);
		return () => {
			editor.current?.destroy();
			editor.current = null;
		};
	}, [lang.value]);
	useEffect(() => {
		// As it is now, not as it was when this was drawn: typing goes on in between.
		const now = fileOf("settings");
		if (now) editor.current?.show(now.doc);
	}, [settings?.version, lang.value]);
	const said = (admission?.settings ?? []).map(({ message }) =>
		unticked(message),
	);
	useEffect(() => {
		if (!admission || !fresh) return;
		const doc = settings?.doc ?? Text.empty;
		editor.current?.mark(
			admission.settings.flatMap((finding, index) => {
				// The server names the policy before the field.
				const path = finding.message.replace(/^\w+ '[^']*': /, "");
				const span = findSetting(doc, path.split(/[:：]/)[0] ?? "");
				return span
					? [
							{
								...span,
								severity: "error" as const,
								message: said[index] ?? finding.message,
							},
						]
					: [];
			}),
		);
	}, [admission, fresh, said.join("\n")]);

	if (!file) return null;
	return (
		<div class="policy" aria-busy={!fresh}>
			<div class="controls">
				<b>{s.settings}</b>
				<span class="note">{s.settingsNote}</span>
				<span class="spacer" />
				<select
					aria-label={s.insertSetting}
					value=""
					onChange={({ currentTarget }) => {
						const sample = POLICY_SAMPLES.find(
							({ id }) => id === currentTarget.value,
						);
						currentTarget.value = "";
						if (sample) write(splitLines(sample.text));
					}}
				>
					<option value="">{s.insertSetting}…</option>
					{POLICY_SAMPLES.map((sample) => (
						<option key={sample.id} value={sample.id}>
							{sample.title[lang.value]}
						</option>
					))}
				</select>
			</div>
			<div ref={host} class="small-editor" />
			<Trouble outcome={outcome} />
			{admission?.foreign && (
				<p class="bad-text foreign-policy" role="alert">
					<Ticked
						text={s.foreignPolicy(
							admission.foreign.kind,
							admission.foreign.apiVersion,
						)}
					/>
				</p>
			)}
			{admission && admission.settings.length > 0 && (
				<>
					<h2 class="verdict-line bad">
						{ofServer ? s.policiesErrors : s.settingsErrors}
					</h2>
					<FindingList
						findings={admission.settings}
						fileId={undefined}
						canFix={false}
					/>
				</>
			)}
			{admission && !admission.foreign && admission.settings.length === 0 && (
				<>
					<div class="controls">
						<label class="inline">
							<span>{s.policyOperation}</span>
							<select
								value={operation}
								onChange={({ currentTarget }) =>
									(policyOperation.value =
										currentTarget.value as typeof operation)
								}
							>
								{POLICY_OPERATIONS.map((value) => (
									<option key={value}>{value}</option>
								))}
							</select>
						</label>
						<label class="inline">
							<span>{s.user}</span>
							<input
								class="short"
								value={user}
								spellcheck={false}
								onInput={({ currentTarget }) =>
									(policyUser.value = currentTarget.value)
								}
							/>
						</label>
						<label class="inline">
							<span>{s.groups}</span>
							<input
								class="short"
								value={groups}
								spellcheck={false}
								onInput={({ currentTarget }) =>
									(policyGroups.value = currentTarget.value)
								}
							/>
						</label>
					</div>
					{operation !== "CREATE" && (
						<FileChoice
							role="stored"
							missing={s.policyNoStored}
							make={s.makeStored}
							start={() => textOf(file)}
						/>
					)}
					{ofServer?.notes.map((note) => (
						<p key={note} class="note policy-note">
							<Ticked text={note} />
						</p>
					))}
					{unread && (
						<Unreadable
							unread={[unread]}
							nothing={admission.objects.length === 0}
						/>
					)}
					{admission.objects.length === 0 ? (
						!unread && (
							<p class="quiet muted">
								<Ticked text={s.policyNothing} />
							</p>
						)
					) : (
						<>
							{admission.objects.slice(0, most).map((entry, index) => (
								<Answer key={index} entry={entry} number={index + 1} />
							))}
							{admission.objects.length > most && (
								<button
									type="button"
									class="button more"
									onClick={() => setMost(most + 200)}
								>
									{s.showMore(Math.min(200, admission.objects.length - most))}
								</button>
							)}
						</>
					)}
					{judged !== "" && !ofServer && (
						<Commands key={judged} panel="policy" to={judged} />
					)}
					{ofServer && <Commands panel="policy" to={file.name} />}
					{settings && settings.doc.length > 0 && !ofServer && (
						<PolicyForms settings={settings} />
					)}
				</>
			)}
		</div>
	);
}
