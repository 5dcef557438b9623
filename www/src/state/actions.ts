import type { ChangeSet } from "@codemirror/state";
import { computed, signal } from "@preact/signals";
import type { Finding } from "claimkit";
import {
	certainFixes,
	deletes,
	editFile,
	notifyChange,
	replaceText,
} from "../editor/editor.ts";
import { ask } from "../engine/client.ts";
import { t } from "../i18n/index.ts";
import { report, stale } from "./checks.ts";
import {
	fileById,
	files,
	literal,
	manifest,
	type PageFile,
	textOf,
} from "./files.ts";
import { cluster } from "./gates.ts";
import { notify } from "./notices.ts";
import { type Target, target } from "./options.ts";

/** Fixing one thing can uncover another; after this many rounds the rest is left to the person. */
const MOST_ROUNDS = 8;

/** The name of the open dialog. */
export type DialogName =
	| ""
	| "shortcuts"
	| "about"
	| "history"
	| "fixAll"
	| "gallery"
	| "embed";
export const dialog = signal<DialogName>("");

/** The counts to announce, only when they belong to the text on the screen; a new object only when they differ. */
let last = { fileId: "", errors: -1, warnings: -1 };
export const announceableReport = computed(() => {
	const current = report.value;
	if (!current || stale.value) return null;
	const { errors, warnings } = current.answer.counts;
	if (
		last.errors !== errors ||
		last.warnings !== warnings ||
		last.fileId !== current.fileId
	)
		last = { fileId: current.fileId, errors, warnings };
	return last;
});

/** The changes of "Fix all", shown before they are made. */
export interface FixPlan {
	fileId: string;
	version: number;
	before: string;
	after: string;
	fixes: { line: number; title: string }[];
	/** Fixes that would delete something a person wrote; they are never part of the plan. */
	left: number;
	changes: ChangeSet;
}

export const fixPlan = signal<FixPlan | null>(null);

/** Codes of fields that only the server writes: a manifest should not have them. */
const SERVERS = [
	"resource-version-on-create",
	"server-owned-dropped",
	"status-dropped",
	"managed-fields-invalid",
];
export const ofServer = ({ code, fixes }: Finding): boolean =>
	SERVERS.includes(code) && fixes.length === 1;

/** Finds every fix that is certain, or those of the findings that are `wanted`, again and again until none is left, and shows them. */
export async function planFixAll(
	wanted?: (finding: Finding) => boolean,
): Promise<void> {
	const file = manifest.peek();
	const first = report.peek();
	if (!file || !first || first.version !== file.version) {
		notify({ text: t.peek().textChanged });
		return;
	}
	let doc = file.doc;
	let { findings } = first.answer;
	const fixesOf = (list: readonly Finding[]) =>
		wanted
			? certainFixes(doc, list.filter(wanted), true)
			: certainFixes(doc, list);
	let round = fixesOf(findings);
	let changes = round.changes;
	const fixes: FixPlan["fixes"] = [];
	for (let i = 0; round.fixes.length > 0 && i < MOST_ROUNDS; i++) {
		fixes.push(...round.fixes.map(({ line, title }) => ({ line, title })));
		if (i > 0) changes = changes.compose(round.changes);
		doc = round.changes.apply(doc);
		const text = doc.sliceString(0, undefined, file.eol);
		const options = cluster();
		const outcome = await ask("fix-all", {
			question: "validate",
			text: literal("fix-all", text),
			options,
		});
		if (outcome.kind !== "answer") break;
		findings = outcome.answer.findings;
		round = fixesOf(findings);
	}
	if (fileById(file.id)?.version !== file.version) {
		notify({ text: t.peek().textChanged });
		return;
	}
	// A person opened something else meanwhile.
	if (dialog.peek() !== "") return;
	const left = findings.filter(
		(finding) => finding.fixes.length === 1 && deletes(doc, finding.fixes[0]!),
	).length;
	fixPlan.value = {
		fileId: file.id,
		version: file.version,
		before: file.doc.toString(),
		after: doc.toString(),
		fixes,
		left,
		changes,
	};
	dialog.value = "fixAll";
}

export function applyPlan(plan: FixPlan): void {
	const now = files.peek().find((other) => other.id === plan.fileId);
	if (now?.version !== plan.version) {
		notify({ text: t.peek().textChanged });
		return;
	}
	editFile(plan.fileId, plan.changes);
	notifyChange(plan.fileId, t.peek().fixedAll(plan.fixes.length));
}

/** Puts a converted text in place; the version it was converted to stays chosen, so that a second press undoes nothing. */
export function applyConverted(file: PageFile, text: string, to: Target): void {
	replaceText(file.id, text);
	target.value = to;
	notifyChange(file.id, t.peek().applied);
}

/** Saves a text as a file on the person's disk; nothing is uploaded. */
export function download(
	name: string,
	text: string | Uint8Array,
	type = "text/yaml",
): void {
	const blob =
		typeof text === "string"
			? new Blob([text], { type: `${type};charset=utf-8` })
			: new Blob([text as Uint8Array<ArrayBuffer>]);
	const url = URL.createObjectURL(blob);
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function downloadFile(file: PageFile): void {
	download(file.name, file.bytes ?? textOf(file));
	notify({ text: t.peek().saved(file.name) });
}

export async function copyText(
	text: string,
	said = t.peek().copied,
): Promise<void> {
	try {
		await navigator.clipboard.writeText(text);
		notify({ text: said });
	} catch {
		notify({ text: t.peek().copyFailed });
	}
}
