import { effect, signal } from "@preact/signals";
import { files } from "./files.ts";
import * as options from "./options.ts";
import { recall, remember } from "./storage.ts";
import { restore, snapshot } from "./share.ts";

/** Beyond this nothing is kept: browsers give a page about 5 MB of storage, counted in UTF-16. */
const LARGEST_DRAFT = 1_500_000;
const PAUSE_MS = 600;

export const draftState = signal<"kept" | "too-large">("kept");

/** A draft that a shared link or an example pushed aside, until the person takes it back or goes on. */
export const setAside = signal<string | null>(null);

export function readDraft(): boolean {
  const kept = recall("draft");
  if (kept === null) return false;
  try {
    return restore(JSON.parse(kept));
  } catch {
    return false;
  }
}

export function currentDraft(): string {
  return JSON.stringify(snapshot());
}

/** Saves the page a moment after every change. */
export function keepDrafts(): void {
  let timer = 0;
  let first = true;
  const save = () => {
    timer = 0;
    const size = files.peek().reduce((sum, file) => sum + file.doc.length, 0);
    if (size > LARGEST_DRAFT || !remember("draft", currentDraft())) {
      remember("draft", null);
      draftState.value = "too-large";
    } else {
      draftState.value = "kept";
    }
  };
  effect(() => {
    // Everything a draft holds is named here, so that a change of any of it saves.
    void [files.value, options.panel.value, options.release.value, options.operation.value, options.fieldValidation.value];
    void [options.via.value, options.target.value, options.requestNamespace.value, options.lossy.value, options.patchType.value];
    if (first) {
      first = false;
      return;
    }
    clearTimeout(timer);
    timer = window.setTimeout(save, PAUSE_MS);
  });
  window.addEventListener("pagehide", () => {
    if (timer) save();
  });
}

export function takeBack(): void {
  const kept = setAside.value;
  setAside.value = null;
  if (kept !== null) restore(JSON.parse(kept));
}
