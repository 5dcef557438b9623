import { effect, signal } from "@preact/signals";
import { files } from "./files.ts";
import { keptOptions } from "./options.ts";
import { recall, remember as rememberSetting } from "./storage.ts";
import { snapshot, type Snapshot } from "./snapshot.ts";
import { readDraft, writeDraft, type Draft } from "./store.ts";
import { lastWords } from "./tab.ts";

const PAUSE_MS = 500;
/** A long text is saved less often. */
const LONG = 1_000_000;
const LONG_PAUSE_MS = 2_000;
/** The tab's own storage takes about this much, and is written while the page goes away. */
const LARGEST_LAST_WORDS = 2_000_000;

export const draftState = signal<"kept" | "off">("kept");

/** What this tab showed last: from the database, or from the page's last moment if that is newer. */
export async function formerDraft(tab: string): Promise<Snapshot | null> {
  const kept = await readDraft(tab);
  try {
    const last = JSON.parse(lastWords.read() ?? "null") as Draft | null;
    if (last?.tab === tab && last.at >= (kept?.at ?? 0)) return last.snapshot;
  } catch {
    // Written by something else: the database's is used.
  }
  return kept?.snapshot ?? null;
}

let save: () => Promise<void> = async () => undefined;

/** Saves at once, after something that must not be lost was put in place. */
export const saveNow = (): Promise<void> => save();

/** Saves the page under the tab's name a moment after every change. */
export function keepDrafts(owned: Promise<string>): void {
  let timer = 0;
  let tab = "";
  let first = true;
  save = async () => {
    clearTimeout(timer);
    timer = 0;
    const draft = { tab: await owned, at: Date.now(), snapshot: snapshot() };
    draftState.value = (await writeDraft(draft)) ? "kept" : "off";
    if (draftState.peek() === "kept") rememberSetting("visited", "1");
  };
  void owned.then((name) => (tab = name));
  effect(() => {
    void keptOptions();
    const length = files.value.reduce((sum, { doc }) => sum + doc.length, 0);
    if (first) {
      first = false;
      return;
    }
    clearTimeout(timer);
    timer = window.setTimeout(() => void save(), length > LONG ? LONG_PAUSE_MS : PAUSE_MS);
  });
  const leave = () => {
    if (!timer || tab === "") return;
    const draft: Draft = { tab, at: Date.now(), snapshot: snapshot() };
    const text = JSON.stringify(draft);
    lastWords.write(text.length <= LARGEST_LAST_WORDS ? text : null);
    void save();
  };
  window.addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") leave();
  });
}

/** Whether this browser has been here before; the page's first paint then waits for what was kept. */
export const visitedBefore = (): boolean => recall("visited") !== null;
