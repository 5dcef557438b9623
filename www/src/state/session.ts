import { batch } from "@preact/signals";
import { lang, t } from "../i18n/index.ts";
import { exampleById, FIRST_EXAMPLE, type Example } from "../examples/index.ts";
import { currentDraft, readDraft, setAside, takeBack } from "./draft.ts";
import { files, freeName, guessRole, newFile, open, replaceAll, textOf, type PageFile } from "./files.ts";
import { notify } from "./notices.ts";
import * as options from "./options.ts";
import { link, LONGEST_LINK, readFragment, restore } from "./share.ts";
import { remember } from "./storage.ts";

/** The texts of the example that was opened last: as long as they stand unchanged there is nothing to lose. */
let pristine = "";

function texts(): string {
  return files.peek().map((file) => textOf(file)).join("\u0000");
}

/** Keeps what the person has before something else takes its place. */
function putAside(): void {
  const worth = files.peek().some((file) => file.doc.length > 0) && texts() !== pristine;
  setAside.value = worth ? currentDraft() : null;
}

function load(example: Example): void {
  batch(() => {
    options.release.value = example.release ?? "";
    options.operation.value = example.operation ?? "create";
    options.target.value = "other";
    options.lossy.value = false;
    options.patchType.value = example.patchType ?? "strategic";
    options.panel.value = example.panel ?? "problems";
    replaceAll(example.files.map((file) => newFile(file.name, file.role, file.text)));
  });
  pristine = texts();
}

function offerBack(text: string): void {
  if (setAside.peek() === null) notify({ text });
  else notify({ text, action: { label: t.peek().takeBack, run: takeBack } });
}

export async function openExample(example: Example): Promise<void> {
  putAside();
  load(example);
  offerBack(`${t.peek().exampleOpened(example.title[lang.peek()])} ${example.sentence[lang.peek()].replace(/`/g, "")}`);
}

/** Reads the address: a shared link first, then the draft, then the first example. */
export async function begin(): Promise<void> {
  const shared = await readFragment(location.hash);
  const hadDraft = readDraft();
  if (shared !== null) {
    if (hadDraft) putAside();
    if (restore(shared)) {
      pristine = texts();
      offerBack(t.peek().shareOpened);
      return;
    }
  }
  if (location.hash.startsWith("#s=") && shared === null) notify({ text: t.peek().shareBroken });
  if (location.hash.startsWith("#example=")) {
    const example = exampleById(decodeURIComponent(location.hash.slice("#example=".length)));
    if (example) {
      if (hadDraft) putAside();
      load(example);
      return;
    }
  }
  if (!hadDraft) load(exampleById(FIRST_EXAMPLE)!);
}

/** A link pasted into the address bar of the open page. */
export function followLinks(): void {
  window.addEventListener("hashchange", () => {
    if (!location.hash.startsWith("#s=")) return;
    void readFragment(location.hash).then((shared) => {
      putAside();
      if (shared !== null && restore(shared)) offerBack(t.peek().shareOpened);
      else notify({ text: t.peek().shareBroken });
    });
  });
}

export async function copyLink(): Promise<void> {
  const address = await link();
  if (address.length > LONGEST_LINK) {
    notify({ text: t.peek().shareTooLong(address.length), lasts: 8000 });
    return;
  }
  history.replaceState(null, "", address);
  try {
    await navigator.clipboard.writeText(address);
    notify({ text: t.peek().shareDone });
  } catch {
    notify({ text: t.peek().shareManual, lasts: 8000 });
  }
}

/** As on the first visit; what was there can be taken back. */
export async function resetAll(): Promise<void> {
  putAside();
  history.replaceState(null, "", location.pathname + location.search);
  remember("draft", null);
  batch(() => {
    options.fieldValidation.value = "Strict";
    options.via.value = "kubectl";
    options.requestNamespace.value = "";
    load(exampleById(FIRST_EXAMPLE)!);
  });
  offerBack(t.peek().resetDone);
}

/** Opens files from the person's disk as tabs. An untouched empty file makes room. */
export async function openDropped(list: readonly File[]): Promise<void> {
  const read = await Promise.all(
    list.map(async (file): Promise<PageFile | null> => {
      try {
        const text = await file.text();
        return newFile(freeName(file.name), guessRole(file.name, text), text);
      } catch {
        notify({ text: t.peek().dropFailed(file.name) });
        return null;
      }
    }),
  );
  const opened = read.filter((file): file is PageFile => file !== null);
  if (opened.length === 0) return;
  for (const file of opened) open(file);
  notify({ text: t.peek().dropped(opened.length) });
}
