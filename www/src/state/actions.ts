import { computed, signal } from "@preact/signals";
import type { Answer } from "../contract.ts";
import { ask } from "../engine/client.ts";
import { certainFixes, editFile, replaceText } from "../editor/editor.ts";
import { t } from "../i18n/index.ts";
import { countErrors, report, stale } from "./checks.ts";
import { files, literal, manifest, textOf, type PageFile } from "./files.ts";
import { notify } from "./notices.ts";
import { release } from "./options.ts";

/** Fixing one thing can uncover another; after this many rounds the rest is left to the person. */
const MOST_ROUNDS = 8;

/** The counts to announce, only when they belong to the text on the screen; a new object only when they differ. */
let last = { fileId: "", errors: -1, warnings: -1 };
export const announceableReport = computed(() => {
  const current = report.value;
  if (!current || stale.value) return null;
  const { errors, warnings } = countErrors(current.answer.findings);
  if (last.errors !== errors || last.warnings !== warnings || last.fileId !== current.fileId) last = { fileId: current.fileId, errors, warnings };
  return last;
});

/** Applies every fix that is certain, again and again until none is left, as one step that can be undone. */
export async function fixAll(): Promise<void> {
  const file = manifest.peek();
  const first = report.peek();
  if (!file || !first || first.version !== file.version) {
    notify({ text: t.peek().textChanged });
    return;
  }
  let doc = file.doc;
  let { findings } = first.answer;
  let changes = certainFixes(doc, findings);
  let whole = changes.changes;
  let total = 0;
  for (let round = 0; changes.count > 0 && round < MOST_ROUNDS; round++) {
    total += changes.count;
    if (round > 0) whole = whole.compose(changes.changes);
    doc = changes.changes.apply(doc);
    const text = doc.sliceString(0, undefined, file.eol);
    const options = release.peek() ? { release: release.peek() } : {};
    const outcome = await ask<Answer>("fix-all", { verb: "validate", text: literal("fix-all", text), options });
    if (outcome.kind !== "answer") break;
    findings = outcome.answer.findings;
    changes = certainFixes(doc, findings);
  }
  const now = files.peek().find((other) => other.id === file.id);
  if (total === 0 || now?.version !== file.version) return;
  editFile(file.id, whole);
  notify({ text: t.peek().fixedAll(total) });
}

export function applyConverted(file: PageFile, text: string): void {
  replaceText(file.id, text);
  notify({ text: t.peek().applied });
}

/** Saves a text as a file on the person's disk; nothing is uploaded. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/yaml;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function downloadFile(file: PageFile): void {
  download(file.name, textOf(file));
}

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify({ text: t.peek().copied });
  } catch {
    notify({ text: t.peek().copyFailed });
  }
}

/** Which dialog is open. */
export const dialog = signal<"" | "shortcuts">("");
