import { batch, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type CelEditor, celEditor } from "../editor/cel.ts";
import { holds, lastPart, type Tried } from "../engine/devices.ts";
import { lang, t } from "../i18n/index.ts";
import { files, manifest, textOf } from "../state/files.ts";
import { serverOnly } from "../state/gates.ts";
import {
	CEL_SHOWN,
	celCases,
	celShown,
	celWords,
	chosenDevice,
	expression,
	expressionOwn,
	FIRST_EXPRESSION,
} from "../state/options.ts";
import { writeSelector } from "../state/selectors.ts";
import { together } from "../state/together.ts";
import { Commands } from "./Commands.tsx";
import { Functions } from "./Functions.tsx";
import { Icon } from "./Icon.tsx";
import { LeftOut } from "./LeftOut.tsx";
import { SIGNS } from "./MatrixGrid.tsx";
import { Ticked } from "./Ticked.tsx";
import { Traced } from "./Traced.tsx";
import { Trouble } from "./Trouble.tsx";
import { pauseFor, useEngine } from "./useEngine.ts";

/** The height of a line, and so of the field: it grows with its text. */
const LINE = 22;

const addCase = (id: string, match: boolean): void => {
	celCases.value = [
		...celCases.value.filter((one) => one.device !== id),
		{ device: id, match },
	];
};

/** The listed devices; drawn again for a new answer or a new case, and not for a key in the editor. */
function DeviceList({ tried }: { tried: Tried }) {
	const s = t.value;
	return (
		<ul class="device-list">
			{tried.devices.map(({ id, result }) => {
				const error = result && "error" in result ? result.error : undefined;
				const match = result && "match" in result ? result.match : undefined;
				const verdict = error !== undefined ? "Error" : match ? "Yes" : "No";
				return (
					<li key={id}>
						<button
							type="button"
							class="device-row"
							aria-pressed={id === tried.chosen?.id}
							onClick={() => (chosenDevice.value = id)}
						>
							<span class={`sign-box verdict-${verdict}`} aria-hidden="true">
								{SIGNS[verdict]}
							</span>
							<span class="device-id">
								<b>{lastPart(id)}</b>{" "}
								<span class="muted">
									{id.slice(0, -lastPart(id).length - 1)}
								</span>
								{error !== undefined && (
									<span class="exact bad-text"> {error}</span>
								)}
							</span>
							<span class="note tabular">
								{s.spent((result?.cost ?? 0).toLocaleString())}
							</span>
						</button>
						<button
							type="button"
							class="button icon-only quiet"
							aria-label={s.keepCase(id)}
							title={s.keepCase(id)}
							disabled={
								match === undefined ||
								celCases.value.some((one) => one.device === id)
							}
							onClick={() => match !== undefined && addCase(id, match)}
						>
							<Icon name="plus" size={12} />
						</button>
					</li>
				);
			})}
		</ul>
	);
}

/** Names of longer texts, and of several, are gathered once, and not read again for every word. */
const LONG = 100_000;

/** A device selector on the devices of the text: does it compile, what does it cost, which devices does it select, and why. */
export function Expression() {
	const s = t.value;
	void files.value;
	const file = manifest.value;
	const all = together();
	// Until something is written the panel tries the first expression of the text, or what is true of every device.
	const written = useSignal(expressionOwn.peek() || expression.peek() !== "");
	const text = expression.value || (written.value ? "" : FIRST_EXPRESSION);
	const device = chosenDevice.value;
	// The class stays while its expression is changed.
	const among = useSignal<string | null>("");
	const length = all?.files.reduce((sum, { doc }) => sum + doc.length, 0) ?? 0;
	const key =
		all &&
		JSON.stringify([
			all.key,
			all.version,
			text,
			device,
			serverOnly(),
			celShown.value,
			celWords.value,
			celCases.value,
			among.value,
		]);
	const { outcome, fresh } = useEngine(
		"tried",
		text.trim() === "" ? null : (key ?? null),
		() => ({
			question: "tried",
			text: all!,
			options: {
				expression: text,
				device,
				listed: {
					show: celShown.value,
					words: celWords.value,
					cases: celCases.value,
					among: among.value,
				},
				...serverOnly(),
			},
		}),
		// Somebody who writes an expression waits less than one who writes in a long text.
		Math.max(60, pauseFor(length)),
	);
	const tried = outcome?.kind === "answer" ? outcome.answer : null;
	// An answer stays on the screen until the next one comes, with the expression that it is about.
	const answered = useRef(text);
	if (fresh) answered.current = text;
	useEffect(() => {
		if (fresh && tried && among.peek() !== null) among.value = tried.among;
	}, [tried, fresh]);
	// Of a long text only the names that its devices publish are sent for each word.
	const names = useEngine(
		"published",
		all && ("parts" in all || length > LONG)
			? JSON.stringify([all.key, all.version, serverOnly()])
			: null,
		() => ({ question: "published", text: all!, options: serverOnly() }),
		pauseFor(length),
	).outcome;
	const devices = useRef("");
	devices.current =
		all && !("parts" in all) && length <= LONG
			? textOf(all.files[0]!)
			: names?.kind === "answer"
				? names.answer
				: "";
	const host = useRef<HTMLDivElement>(null);
	const editor = useRef<CelEditor | null>(null);
	/** The text in the field, so that showing it is not taken for writing it. */
	const shown = useRef(text);
	const there = file !== undefined && all !== null;
	// Answers of which the list is the same draw it once.
	const listKey = tried
		? JSON.stringify([tried.devices, tried.chosen?.id])
		: "";
	const list = useMemo(() => tried && <DeviceList tried={tried} />, [listKey]);
	/** The selector of the text that the expression was taken from. */
	const origin = useSignal("");
	useEffect(() => {
		if (!host.current) return undefined;
		const { expressionLabel, expressionHint } = t.peek();
		editor.current = celEditor(
			host.current,
			text,
			expressionLabel,
			expressionHint,
			() => devices.current,
			(next) => {
				if (next === shown.current) return;
				shown.current = next;
				batch(() => {
					written.value = true;
					expressionOwn.value = true;
					expression.value = next;
				});
			},
		);
		return () => {
			editor.current?.destroy();
			editor.current = null;
		};
	}, [lang.value, there]);
	// Runs at once, not after the next frame, so that it does not overwrite text that is typed meanwhile.
	useSignalEffect(() => {
		// Another text was opened, which brings no expression.
		if (expression.value === "" && shown.current !== "") written.value = false;
		const now = expression.value || (written.value ? "" : FIRST_EXPRESSION);
		if (now === shown.current) return;
		shown.current = now;
		editor.current?.show(now);
	});
	useEffect(() => {
		if (tried && fresh)
			editor.current?.mark(tried.compile.ok ? undefined : tried.compile.error);
	}, [tried, fresh]);
	useEffect(() => {
		const own =
			tried?.selectors.find(({ kind }) => kind !== "DeviceClass") ??
			tried?.selectors[0];
		if (!written.peek() && own && expression.peek() === "") {
			expression.value = own.expression;
			origin.value = own.expression;
		} else if (
			origin.peek() === "" &&
			own &&
			expression.peek() === own.expression
		)
			origin.value = own.expression;
	}, [tried]);
	if (!file || !all) return null;
	const place = tried?.selectors.find(
		(selector) => selector.expression === origin.value,
	);
	return (
		<div class="expression" aria-busy={!fresh}>
			<div class="controls">
				<b>{s.panels.cel}</b>
				<span class="spacer" />
				{tried && tried.selectors.length > 0 && (
					<select
						aria-label={s.selectorsOfText}
						value=""
						onChange={({ currentTarget }) => {
							const chosen = tried.selectors[Number(currentTarget.value)];
							currentTarget.value = "";
							among.value = "";
							if (!chosen) return;
							batch(() => {
								written.value = true;
								expressionOwn.value = true;
								expression.value = chosen.expression;
								origin.value = chosen.expression;
							});
						}}
					>
						<option value="">{s.selectorsOfText}…</option>
						{tried.selectors.map((selector, index) => (
							<option key={index} value={index}>
								{`${selector.kind} ${selector.of}${selector.request && ` · ${selector.request}`} · ${selector.index}${selector.more > 0 ? ` ${s.andMore(selector.more)}` : ""}`}
							</option>
						))}
					</select>
				)}
			</div>
			<div
				ref={host}
				class="expression-text"
				style={{
					height: `${Math.min(10, Math.max(3, text.split("\n").length + 1)) * LINE + 2}px`,
				}}
			/>
			{place && tried?.compile.ok && text !== origin.value && (
				<p class="write-selector">
					<button
						type="button"
						class="button small primary"
						disabled={!fresh}
						onClick={() => {
							const before = origin.value;
							void writeSelector(all, before, text).then(
								() => (origin.value = text),
							);
						}}
					>
						{s.writeInto(
							`${place.kind} ${place.of}${place.request && ` · ${place.request}`}`,
							place.more,
						)}
					</button>
				</p>
			)}
			{tried && <LeftOut all={all} nothing={tried.deviceCount === 0} />}
			<Trouble outcome={outcome} />
			{tried && text.trim() !== "" && (
				<div class="expression-answer">
					{tried.compile.ok ? (
						<p role="status">
							{s.compiles(
								tried.compile.type,
								(tried.compile.cost ?? 0).toLocaleString(),
							)}{" "}
							{(tried.deviceCount > 0 || tried.among !== "") && (
								<b>
									{s.selectsDevices(
										tried.matchCount,
										tried.deviceCount,
										tried.among,
									)}
								</b>
							)}{" "}
							{tried.among !== "" && (
								<button
									type="button"
									class="button small"
									onClick={() => (among.value = null)}
								>
									{s.askAllDevices}
								</button>
							)}
						</p>
					) : (
						<>
							<p role="status">{s.doesNotCompile}</p>
							<pre class="exact compile-error" tabIndex={0}>
								{tried.compile.error}
							</pre>
							<p class="note">
								<Ticked text={tried.compile.help} />
							</p>
						</>
					)}
					{(tried.compile.ok ? (tried.compile.warnings ?? []) : []).map(
						({ message, help }) => (
							<p class="note" key={message}>
								<Ticked text={`${message}: ${help}`} />
							</p>
						),
					)}
					{tried.compile.ok && tried.deviceCount === 0 && !tried.among && (
						<p class="muted">
							<Ticked text={s.noDevices} />
						</p>
					)}
					{tried.chosen && (
						<section aria-label={tried.chosen.id}>
							<h3>
								{s.onDevice} <code>{tried.chosen.id}</code>
							</h3>
							{"error" in tried.chosen.result && (
								<p class="exact bad-text">{tried.chosen.result.error}</p>
							)}
							{tried.help && (
								<p class="note">
									<Ticked text={tried.help} />
								</p>
							)}
							<Traced
								expression={answered.current}
								trace={tried.chosen.result.trace ?? []}
							/>
							{(tried.chosen.result.why ?? []).map((line) => (
								<p class="note" key={line}>
									<Ticked text={line} />
								</p>
							))}
						</section>
					)}
					{tried.compile.ok && tried.cases.length > 0 && (
						<section class="cel-cases" aria-label={s.cases}>
							<h3>
								{s.cases}{" "}
								<span class="note">
									{s.casesHold(
										tried.cases.filter(holds).length,
										tried.cases.length,
									)}
								</span>
							</h3>
							<ul>
								{tried.cases.map((one) => {
									const id = one.device;
									const sign = holds(one) ? "Yes" : "No";
									return (
										<li key={id}>
											<span
												class={`sign-box verdict-${sign}`}
												aria-hidden="true"
											>
												{SIGNS[sign]}
											</span>
											<select
												aria-label={s.caseWanted(id)}
												value={String(one.match)}
												onChange={({ currentTarget }) =>
													addCase(id, currentTarget.value === "true")
												}
											>
												<option value="true">{s.mustMatch}</option>
												<option value="false">{s.mustNotMatch}</option>
											</select>
											<span class="device-id">
												<b>{lastPart(id)}</b>{" "}
												<span class="muted">
													{id.slice(0, -lastPart(id).length - 1)}
												</span>
												{!one.found && (
													<span class="note"> {s.caseAbsent}</span>
												)}
												{one.result && "error" in one.result && (
													<span class="exact bad-text">
														{" "}
														{one.result.error}
													</span>
												)}
											</span>
											<button
												type="button"
												class="button icon-only quiet"
												aria-label={`${s.remove}: ${id}`}
												title={s.remove}
												onClick={() =>
													(celCases.value = celCases.value.filter(
														(other) => other.device !== id,
													))
												}
											>
												<Icon name="cross" size={12} />
											</button>
										</li>
									);
								})}
							</ul>
						</section>
					)}
					{tried.compile.ok && tried.deviceCount > 0 && (
						<section aria-label={s.devicesWord}>
							<div class="device-filter">
								<h3>{s.devicesWord}</h3>
								<select
									aria-label={s.listed}
									value={celShown.value}
									onChange={({ currentTarget }) =>
										(celShown.value =
											currentTarget.value as typeof celShown.value)
									}
								>
									{CEL_SHOWN.map((show) => (
										<option key={show} value={show}>
											{s.listedWhich[show](
												{
													all: tried.deviceCount,
													match: tried.matchCount,
													other: tried.deviceCount - tried.matchCount,
												}[show],
											)}
										</option>
									))}
								</select>
								<input
									type="search"
									class="filter"
									placeholder={s.filterDevices}
									aria-label={s.filterDevices}
									value={celWords.value}
									onInput={({ currentTarget }) =>
										(celWords.value = currentTarget.value)
									}
								/>
							</div>
							{list}
							{tried.listedCount === 0 && (
								<p class="note">{s.noDeviceListed}</p>
							)}
							{tried.listedCount > tried.devices.length && (
								<p class="note">
									{s.andMore(tried.listedCount - tried.devices.length)}
								</p>
							)}
						</section>
					)}
				</div>
			)}
			<Functions onInsert={(text) => editor.current?.insert(text)} />
			{text.trim() !== "" && <Commands panel="cel" />}
		</div>
	);
}
