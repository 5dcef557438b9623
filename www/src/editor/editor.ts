import { undo } from "@codemirror/commands";
import {
	ChangeSet,
	type ChangeSpec,
	EditorState,
	type Extension,
	StateEffect,
	StateField,
	Text,
} from "@codemirror/state";
import {
	Decoration,
	type DecorationSet,
	EditorView,
	keymap,
} from "@codemirror/view";
import { effect, signal, untracked } from "@preact/signals";
import type { Finding, Fix, Range } from "claimkit";
import { lang, t } from "../i18n/index.ts";
import { unticked } from "../i18n/words.ts";
import { overlay, reports } from "../state/checks.ts";
import {
	activate,
	activeFile,
	changeDoc,
	files,
	type PageFile,
	source,
} from "../state/files.ts";
import { announce, notify } from "../state/notices.ts";
import { wrap } from "../state/options.ts";
import { reading, rewrap, shadowHost, writing } from "./extensions.ts";
import { findingsExtension, underline } from "./findings.ts";
import { completions, hovers } from "./language.ts";
import { itemSpan, toChanges, toPosition, toSpan } from "./positions.ts";

/** The cursor's place in the open file, for the status bar. */
export const cursor = signal({ line: 0, character: 0 });
/** Asks the page to show the fixes for these findings (the keyboard's way to them). */
export const fixMenu = signal<Finding[] | null>(null);

let view: EditorView | null = null;
let shown = "";
const states = new Map<string, EditorState>();

const place = StateEffect.define<{ from: number; to: number }[]>();
/** The places another panel speaks about, marked until the next edit. */
const placed = StateField.define<DecorationSet>({
	create: () => Decoration.none,
	update(marks, transaction) {
		if (transaction.docChanged) return Decoration.none;
		for (const entry of transaction.effects) {
			if (entry.is(place)) {
				const spans = entry.value
					.filter((span) => span.to > span.from)
					.sort((a, b) => a.from - b.from);
				return Decoration.set(
					spans.map((span) =>
						Decoration.mark({ class: "cm-placed" }).range(span.from, span.to),
					),
				);
			}
		}
		return marks;
	},
	provide: (field) => EditorView.decorations.from(field),
});

/** The text that the engine knows the language of. */
function activeSource() {
	const file = activeFile.peek();
	return file && file.role !== "config" ? source(file) : undefined;
}

function findingsAt(state: EditorState): Finding[] {
	const found = reports.peek().get(shown)?.answer.findings ?? [];
	const { head } = state.selection.main;
	const line = state.doc.lineAt(head);
	return found.filter((finding) => {
		if (!finding.range || finding.fixes.length === 0) return false;
		const span = toSpan(state.doc, finding.range);
		return span.from <= line.to && span.to >= line.from;
	});
}

function extensions(): Extension {
	return [
		keymap.of([
			{
				key: "Mod-.",
				run: ({ state }) => {
					const found = findingsAt(state);
					if (found.length === 0) announce(t.peek().noFixHere);
					else fixMenu.value = found;
					return true;
				},
			},
		]),
		reading(),
		writing(),
		findingsExtension,
		hovers(activeSource),
		completions(activeSource),
		placed,
		EditorView.contentAttributes.of({
			"aria-label": t.peek().editorLabel,
			tabindex: "0",
		}),
		EditorView.updateListener.of((update) => {
			if (update.docChanged) changeDoc(shown, update.state.doc);
			if (update.docChanged || update.selectionSet)
				cursor.value = toPosition(
					update.state.doc,
					update.state.selection.main.head,
				);
		}),
	];
}

function stateOf(file: PageFile): EditorState {
	const kept = states.get(file.id);
	if (kept?.doc.eq(file.doc)) return kept;
	return EditorState.create({ doc: file.doc, extensions: extensions() });
}

function show(file: PageFile): void {
	if (!view) return;
	if (shown && files.peek().some((other) => other.id === shown))
		states.set(shown, view.state);
	else states.delete(shown);
	shown = file.id;
	view.setState(stateOf(file));
	cursor.value = toPosition(view.state.doc, view.state.selection.main.head);
	drawFindings();
}

function drawFindings(): void {
	if (!view) return;
	const report = reports.peek().get(shown);
	const file = activeFile.peek();
	const other = overlay.peek();
	if (other && other.fileId === shown && other.version === file?.version) {
		view.dispatch(
			underline(view.state, other.findings, (finding, index) =>
				applyFix(shown, finding, index),
			),
		);
		return;
	}
	if (report && file && report.version !== file.version) return; // the editor moves the old ones along
	view.dispatch(
		underline(view.state, report?.answer.findings ?? [], (finding, index) =>
			applyFix(shown, finding, index),
		),
	);
}

/** Puts the editor into `host` and keeps it in step with the page's state. */
export function mountEditor(host: HTMLElement): () => void {
	const { root, parent } = shadowHost(host);
	const first = activeFile.peek();
	shown = first?.id ?? "";
	view = new EditorView({
		parent,
		root,
		state: EditorState.create({
			doc: first?.doc ?? Text.empty,
			extensions: extensions(),
		}),
	});
	if (first) states.set(first.id, view.state);
	const stops = [
		effect(() => {
			const file = activeFile.value;
			if (file && file.id !== shown) untracked(() => show(file));
		}),
		effect(() => {
			void [reports.value, overlay.value];
			untracked(drawFindings);
		}),
		effect(() => {
			// Forgets the states of files that were removed.
			const there = new Set(files.value.map(({ id }) => id));
			for (const id of states.keys()) if (!there.has(id)) states.delete(id);
		}),
		effect(() => {
			void wrap.value;
			untracked(() => view && rewrap(view));
		}),
		effect(() => {
			void lang.value;
			untracked(() => {
				// Labels and phrases are part of the state, so a new language makes new ones; the text and the undo history stay.
				states.clear();
				if (!view) return;
				view.dispatch({ effects: StateEffect.reconfigure.of(extensions()) });
				drawFindings();
			});
		}),
	];
	return () => {
		for (const stop of stops) stop();
		view?.destroy();
		view = null;
	};
}

/** Returns the cursor's place on the screen. */
export function caretPlace(): {
	left: number;
	top: number;
	bottom: number;
} | null {
	return view ? view.coordsAtPos(view.state.selection.main.head) : null;
}

export function focusEditor(): void {
	view?.focus();
}

/** Opens the file, selects the range and brings it into view. */
export function reveal(fileId: string, range: Range, focus = true): void {
	activate(fileId);
	const file = files.peek().find((candidate) => candidate.id === fileId);
	if (!view || !file) return;
	if (shown !== fileId) show(file);
	const span = toSpan(view.state.doc, range);
	view.dispatch({
		selection: { anchor: span.from, head: span.to },
		effects: EditorView.scrollIntoView(span.from, { y: "center" }),
	});
	if (focus) view.focus();
}

/** A span line by line, without the indentation. */
function linesOf(
	doc: Text,
	span: { from: number; to: number },
): { from: number; to: number }[] {
	const parts: { from: number; to: number }[] = [];
	for (let at = span.from; at <= span.to; ) {
		const line = doc.lineAt(at);
		const from = at + Math.max(0, doc.sliceString(at, line.to).search(/\S/));
		if (from < line.to) parts.push({ from, to: Math.min(line.to, span.to) });
		at = line.to + 1;
	}
	return parts;
}

/**
 * Marks places without moving the focus; an empty list removes the marks. While somebody types, another file is not opened and
 * nothing scrolls: an answer that comes after a key must not have the next one go elsewhere.
 */
export function mark(
	fileId: string,
	ranges: readonly Range[],
	scroll = true,
): void {
	const file = files.peek().find((candidate) => candidate.id === fileId);
	if (!view || !file) return;
	const typing = view.hasFocus;
	if (ranges.length > 0 && shown !== fileId && !typing) {
		activate(fileId);
		show(file);
	}
	if (shown !== fileId) return;
	const { doc } = view.state;
	const spans = ranges.flatMap((range) =>
		linesOf(doc, itemSpan(doc, toSpan(doc, range).from)),
	);
	const first = spans[0];
	view.dispatch({
		effects: [
			place.of(spans),
			...(first && scroll && !typing
				? [EditorView.scrollIntoView(first.from, { y: "center" })]
				: []),
		],
	});
}

/** Changes a file's text as one step that can be undone. */
export function editFile(fileId: string, changes: ChangeSpec): void {
	if (view && shown === fileId) {
		view.dispatch({ changes, userEvent: "input.fix" });
		return;
	}
	const file = files.peek().find((candidate) => candidate.id === fileId);
	if (!file) return;
	const next = stateOf(file).update({ changes, userEvent: "input.fix" }).state;
	states.set(fileId, next);
	changeDoc(fileId, next.doc);
}

/** Shows the change of a file and offers to undo it, until the file is edited. */
export function notifyChange(
	changed: string | readonly string[],
	text: string,
): void {
	const ids = typeof changed === "string" ? [changed] : changed;
	const versions = new Map(
		files.peek().map(({ id, version }) => [id, version]),
	);
	notify({
		text,
		action: { label: t.peek().undo, run: () => ids.forEach(undoIn) },
		over: () =>
			ids.some(
				(own) =>
					!files.value.some(
						(file) => file.id === own && file.version === versions.get(own),
					),
			),
	});
}

/** Takes back the last change of a file. */
function undoIn(fileId: string): void {
	activate(fileId);
	const file = files.peek().find((candidate) => candidate.id === fileId);
	if (!view || !file) return;
	if (shown !== fileId) show(file);
	undo(view);
}

export function replaceText(fileId: string, text: string): void {
	const file = files.peek().find((candidate) => candidate.id === fileId);
	if (file)
		editFile(fileId, {
			from: 0,
			to: file.doc.length,
			insert: text.replace(/\r\n?/g, "\n"),
		});
}

export function applyFix(
	fileId: string,
	finding: Finding,
	index: number,
): void {
	const fix = finding.fixes[index];
	const file = files.peek().find((candidate) => candidate.id === fileId);
	if (!fix || !file) return;
	if (reports.peek().get(fileId)?.version !== file.version) {
		announce(t.peek().textChanged);
		return;
	}
	editFile(fileId, toChanges(file.doc, fix.edits));
	notifyChange(fileId, t.peek().fixed(unticked(fix.title)));
}

const wordsIn = (text: string) => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

/** Whether a fix takes away something a person wrote: it leaves fewer words than there were. Moving or renaming does not. */
export function deletes(doc: Text, fix: Fix): boolean {
	const changes = toChanges(doc, fix.edits);
	const gone = changes.reduce(
		(sum, { from, to }) => sum + wordsIn(doc.sliceString(from, to)),
		0,
	);
	return gone > changes.reduce((sum, { insert }) => sum + wordsIn(insert), 0);
}

/** The changes of every finding that has exactly one fix, leaving out those that touch an earlier one's and, unless it is wanted, those that delete something. */
export function certainFixes(
	doc: Text,
	findings: readonly Finding[],
	deleting = false,
): { changes: ChangeSet; fixes: { line: number; title: string }[] } {
	const taken: { from: number; to: number; insert: string }[] = [];
	const fixes: { line: number; title: string }[] = [];
	for (const finding of findings) {
		const fix = finding.fixes[0];
		if (!fix || finding.fixes.length !== 1 || (!deleting && deletes(doc, fix)))
			continue;
		const changes = toChanges(doc, fix.edits);
		const clash = changes.some((change) =>
			taken.some((other) => change.from <= other.to && change.to >= other.from),
		);
		if (clash) continue;
		taken.push(...changes);
		fixes.push({
			line: doc.lineAt(changes[0]?.from ?? 0).number,
			title: fix.title,
		});
	}
	return { changes: ChangeSet.of(taken, doc.length), fixes };
}
