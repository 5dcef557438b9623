import type { CheckedObject, Range, ValidatedObject } from "claimkit";
import { useEffect } from "preact/hooks";
import { toSpan } from "../editor/positions.ts";
import type { Request as Question } from "../engine/client.ts";
import { t } from "../i18n/index.ts";
import { overlay } from "../state/checks.ts";
import {
	fileOf,
	files,
	literal,
	manifest,
	type PageFile,
	source,
	textOf,
} from "../state/files.ts";
import { cluster, serverOnly } from "../state/gates.ts";
import {
	FIELD_VALIDATIONS,
	fieldManager,
	fieldValidation,
	force,
	OPERATIONS,
	operation,
	PATCH_TYPES,
	patchType,
	requestNamespace,
	requestObject,
	VIAS,
	via,
} from "../state/options.ts";
import { likeIn, printYaml } from "../state/print.ts";
import { Commands } from "./Commands.tsx";
import { Compare } from "./Compare.tsx";
import { FileChoice } from "./FileChoice.tsx";
import { FindingList } from "./FindingList.tsx";
import { Objects } from "./Objects.tsx";
import { Trouble } from "./Trouble.tsx";
import { pauseFor, useEngine } from "./useEngine.ts";

/** A longer list of objects is gone through by number. */
const MOST_OPTIONS = 200;

const firstPatch = (): string =>
	patchType.peek() === "json"
		? "- op: add\n  path: /metadata/labels\n  value: {team: vision}\n"
		: "metadata:\n  labels:\n    team: vision\n";

/** The object that the server holds, as `parse` and patches give it. */
const objectOf = (entry: CheckedObject | undefined): unknown =>
	entry && "object" in entry ? entry.object : undefined;

const printed = (object: unknown): string =>
	object === undefined ? "" : printYaml(object);

/** The part of the file that one object is written in. */
function written(file: PageFile, range: Range | undefined): string {
	if (!range) return textOf(file);
	const { from, to } = toSpan(file.doc, range);
	return `${file.doc.sliceString(from, to).trimEnd()}\n`;
}

/** Returns the object as written, with its fields in the server's order; the text itself where it cannot be read alone. */
function asWritten(raw: unknown, like: unknown, text: string): string {
	return typeof raw === "object" && raw !== null
		? printYaml(likeIn(raw, like))
		: text;
}

function Outcome({ entry }: { entry: ValidatedObject }) {
	const s = t.value;
	const { status } = entry;
	if (!status && typeof entry.valid !== "boolean")
		return <h2 class="verdict-line">{s.notJudged(entry.kind)}</h2>;
	const text = status
		? s.wouldRefuse(status.code, status.reason ?? "")
		: entry.valid === false
			? s.notValid
			: s.wouldAccept;
	return (
		<h2
			class={`verdict-line ${status || entry.valid === false ? "bad" : "good"}`}
		>
			{text}
		</h2>
	);
}

/** The question as the panel has it; `stored` and `patch` are there where the operation needs them. */
function question(
	file: PageFile,
	stored: PageFile | undefined,
	patch: PageFile | undefined,
): Question<"validate" | "patch"> {
	const op = operation.value;
	const options = {
		...cluster(),
		fieldValidation: fieldValidation.value,
		...(requestNamespace.value ? { namespace: requestNamespace.value } : {}),
	};
	if (op === "create")
		return {
			question: "validate",
			text: source(file),
			options: { ...options, operation: op, via: via.value },
		};
	const texts = { old: source(stored!) };
	if (op === "update" || op === "updateStatus")
		return {
			question: "validate",
			text: source(file),
			texts,
			options: { ...options, operation: op, via: via.value },
		};
	// A patch is validated as the update it makes: the text is the patch.
	const type = patchType.value;
	if (type !== "apply")
		return {
			question: "patch",
			text: source(patch!),
			texts,
			options: { ...options, operation: op, patchType: type },
		};
	return {
		question: "patch",
		text: source(patch!),
		texts,
		options: {
			...options,
			operation: op,
			patchType: type,
			fieldManager: fieldManager.value,
			force: force.value,
		},
	};
}

export function Request() {
	const s = t.value;
	void files.value;
	const file = manifest.value;
	const stored = fileOf("stored");
	const patch = fileOf("patch");
	const op = operation.value;
	const patches = op === "patch" || op === "patchStatus";
	const needsOld = op !== "create";
	const haveOld = !!stored && stored.doc.length > 0;
	const havePatch = !!patch && patch.doc.length > 0;
	const ready = file && (!needsOld || haveOld) && (!patches || havePatch);
	const reads = serverOnly();
	const deps = [
		file?.id,
		file?.version,
		stored?.id,
		stored?.version,
		patch?.id,
		patch?.version,
		op,
		fieldValidation,
		via,
		requestNamespace,
		patchType,
		fieldManager,
		force,
	].map((part) =>
		typeof part === "object" && part !== null && "value" in part
			? part.value
			: part,
	);
	const key = ready ? JSON.stringify([...deps, cluster()]) : null;
	const length = (file?.doc.length ?? 0) + (stored?.doc.length ?? 0);
	const { outcome, fresh } = useEngine(
		"request",
		key,
		() => question(file!, stored, patch),
		pauseFor(length),
	);
	const parsedNew = useEngine(
		"request-new",
		file && !patches
			? `${file.id} ${file.version} ${JSON.stringify(reads)}`
			: null,
		() => ({ question: "parse", text: source(file!), options: reads }),
		pauseFor(length),
	);
	const parsedOld = useEngine(
		"request-old",
		stored && needsOld
			? `${stored.id} ${stored.version} ${JSON.stringify(reads)}`
			: null,
		() => ({ question: "parse", text: source(stored!), options: reads }),
		pauseFor(length),
	);
	const afterNow = patches ? outcome : parsedNew.outcome;
	const found = afterNow?.kind === "answer" ? afterNow.answer : null;
	const shownAt = Math.min(
		requestObject.value,
		Math.max(0, (patches ? 1 : (found?.objects.length ?? 0)) - 1),
	);
	const text =
		file && !needsOld && found
			? written(file, found.objects[shownAt]?.range)
			: "";
	// The written object, printed in the same form as the stored one: only the server's changes differ, not the notation.
	const read = useEngine(
		"request-raw",
		text === "" ? null : text,
		() => ({
			question: "parse",
			text: literal("request-raw", text),
			options: { raw: true },
		}),
		pauseFor(length),
	);
	const said =
		outcome?.kind === "answer" && fresh && !patches
			? outcome.answer.findings
			: null;
	useEffect(() => {
		overlay.value =
			said && file
				? { fileId: file.id, version: file.version, findings: said }
				: null;
		return () => {
			overlay.value = null;
		};
	}, [said, file?.id, file?.version]);
	if (!file) return null;
	const answer = outcome?.kind === "answer" ? outcome.answer : null;
	const afterAnswer = found;
	const oldAnswer =
		parsedOld.outcome?.kind === "answer" ? parsedOld.outcome.answer : null;
	const many = patches ? 1 : (afterAnswer?.objects.length ?? 0);
	const at = shownAt;
	const entry = answer?.objects[at];
	const object = objectOf(afterAnswer?.objects[at]);
	const after = printed(object);
	const partner = Math.max(
		0,
		(oldAnswer?.objects ?? []).findIndex(
			(other) =>
				other.kind === afterAnswer?.objects[at]?.kind &&
				other.name === afterAnswer?.objects[at]?.name,
		),
	);
	const before = needsOld
		? printed(
				objectOf(
					oldAnswer?.objects[oldAnswer.objects.length > 1 ? partner : 0],
				),
			)
		: asWritten(
				read.outcome?.kind === "answer" ? read.outcome.answer.raw : undefined,
				object,
				text,
			);
	return (
		<div class="request" aria-busy={!fresh && key !== null}>
			<div class="controls grid">
				<label class="inline">
					<span>{s.operation}</span>
					<select
						value={op}
						onChange={({ currentTarget }) =>
							(operation.value = currentTarget.value as typeof operation.value)
						}
					>
						{OPERATIONS.map((value) => (
							<option key={value} value={value}>
								{s.operations[value]}
							</option>
						))}
					</select>
				</label>
				{!patches && (
					<label class="inline" title={s.viaNotes[via.value]}>
						<span>{s.via}</span>
						<select
							value={via.value}
							onChange={({ currentTarget }) =>
								(via.value = currentTarget.value as typeof via.value)
							}
						>
							{VIAS.map((value) => (
								<option key={value} value={value}>
									{s.vias[value]}
								</option>
							))}
						</select>
					</label>
				)}
				{patches && (
					<label class="inline">
						<span>{s.patchType}</span>
						<select
							value={patchType.value}
							onChange={({ currentTarget }) =>
								(patchType.value =
									currentTarget.value as typeof patchType.value)
							}
						>
							{PATCH_TYPES.map((value) => (
								<option key={value} value={value}>
									{s.patchTypes[value]}
								</option>
							))}
						</select>
					</label>
				)}
				{patches && patchType.value === "apply" && (
					<>
						<label class="inline">
							<span>{s.fieldManager}</span>
							<input
								value={fieldManager.value}
								spellcheck={false}
								onInput={({ currentTarget }) =>
									(fieldManager.value = currentTarget.value)
								}
							/>
						</label>
						<label class="inline">
							<input
								type="checkbox"
								checked={force.value}
								onChange={({ currentTarget }) =>
									(force.value = currentTarget.checked)
								}
							/>
							<span>{s.force}</span>
						</label>
					</>
				)}
				<label class="inline">
					<span>{s.fieldValidation}</span>
					<select
						value={fieldValidation.value}
						onChange={({ currentTarget }) =>
							(fieldValidation.value =
								currentTarget.value as typeof fieldValidation.value)
						}
					>
						{FIELD_VALIDATIONS.map((value) => (
							<option key={value} value={value}>
								{value}
							</option>
						))}
					</select>
				</label>
				<label class="inline">
					<span>{s.namespace}</span>
					<input
						class="short"
						placeholder="default"
						value={requestNamespace.value}
						spellcheck={false}
						onInput={({ currentTarget }) =>
							(requestNamespace.value = currentTarget.value)
						}
					/>
				</label>
			</div>
			{needsOld && (
				<FileChoice
					role="stored"
					missing={s.noStored}
					make={s.makeStored}
					start={() => textOf(file)}
				/>
			)}
			{patches && (
				<FileChoice
					role="patch"
					missing={s.noPatch}
					make={s.makePatch}
					start={firstPatch}
				/>
			)}
			<Trouble outcome={outcome} />
			{answer && (
				<>
					{many > 1 && (
						// biome-ignore lint/a11y/noLabelWithoutControl: one of the two controls is within
						<label class="inline">
							<span class="sr">{s.objects}</span>
							{many > MOST_OPTIONS ? (
								<>
									<input
										type="number"
										min={1}
										max={many}
										value={at + 1}
										onInput={({ currentTarget }) =>
											(requestObject.value = Math.max(
												0,
												(currentTarget.valueAsNumber || 1) - 1,
											))
										}
									/>
									<span>{`${s.objectOf(at + 1, many)}: ${afterAnswer?.objects[at]?.kind ?? ""} ${afterAnswer?.objects[at]?.name ?? ""}`}</span>
								</>
							) : (
								<select
									value={at}
									onChange={({ currentTarget }) =>
										(requestObject.value = Number(currentTarget.value))
									}
								>
									{afterAnswer?.objects.map((other, i) => (
										<option key={i} value={i}>
											{`${s.objectOf(i + 1, many)}: ${other.kind} ${other.name}`}
										</option>
									))}
								</select>
							)}
						</label>
					)}
					{entry && <Outcome entry={entry} />}
					<FindingList
						objects={answer.objects.map((other, index) => ({
							...other,
							index,
						}))}
						findings={answer.findings.filter(
							(finding) =>
								many <= 1 ||
								finding.object === undefined ||
								finding.object === at,
						)}
						fileId={patches ? patch?.id : file.id}
						canFix={false}
					/>
					{entry?.status && <Objects entries={[entry]} />}
					<Commands panel="request" />
					{after !== "" && (needsOld || read.outcome !== null) && (
						<>
							{before === after && <p class="muted quiet">{s.sameObject}</p>}
							<Compare
								before={before}
								after={after}
								beforeLabel={needsOld ? s.beforeStored : file.name}
								afterLabel={patches ? s.afterPatch : s.afterStored}
							/>
						</>
					)}
				</>
			)}
		</div>
	);
}
