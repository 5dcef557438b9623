import { batch } from "@preact/signals";
import { lang, t } from "../i18n/index.ts";
import { exampleById, FIRST_EXAMPLE, type Example } from "../examples/index.ts";
import { codeExamples } from "../examples/codes.ts";
import { formerDraft, saveNow, worthKeeping } from "./draft.ts";
import { freeName, guessRole, newFile, open, replaceAll, type PageFile } from "./files.ts";
import { pointedVerdict, wantedAnswer, wantedFinding } from "./goal.ts";
import { notify } from "./notices.ts";
import { embedded, PANELS, panel, picked, pickedDevices, release, takeOptions, type Panel } from "./options.ts";
import { readRoute, type Route } from "./route.ts";
import { link, unpack } from "./share.ts";
import { MOST_FILES, restore, snapshot, type Snapshot } from "./snapshot.ts";
import { allDrafts, readHistory, remember, thinDrafts, type Past } from "./store.ts";
import { formerTab, openTabs, ownTab } from "./tab.ts";

/** Keeps what the person has before something else takes its place. */
export async function putAside(): Promise<Snapshot | null> {
  if (!worthKeeping()) return null;
  const had = snapshot();
  await remember(had);
  return had;
}

/** An example of the gallery, or of a finding code: `code/name-invalid`. */
async function exampleNamed(id: string): Promise<Example | undefined> {
  const code = id.startsWith("code/") ? id.slice("code/".length) : "";
  if (code === "") return exampleById(id);
  const found = (await codeExamples())[code];
  if (!found) return undefined;
  return { id, group: "mistakes", title: { en: code, "zh-Hans": code }, sentence: { en: "", "zh-Hans": "" }, ...(found as Partial<Example>), files: found.files };
}

export async function openCodeExample(code: string): Promise<void> {
  const example = await exampleNamed(`code/${code}`);
  if (example) await openExample(example);
}

function load(example: Example): void {
  batch(() => {
    const { release, operation, patchType, panel, target, options } = example;
    takeOptions({ release, operation, patchType, panel, target, ...options });
    replaceAll(example.files.map((file) => newFile(file.name, file.role, file.text)));
  });
}

function offerBack(text: string, had: Snapshot | null): void {
  if (had === null) notify({ text });
  else notify({ text, action: { label: t.peek().takeBack, run: () => void takeBack(had) } });
}

async function takeBack(had: Snapshot): Promise<void> {
  await putAside();
  restore(had);
  void saveNow();
}

export async function openExample(example: Example): Promise<void> {
  const had = await putAside();
  load(example);
  offerBack(`${t.peek().exampleOpened(example.title[lang.peek()])} ${example.sentence[lang.peek()].replace(/`/g, "")}`, had);
}

/** Puts an entry of the history or another tab's draft in place. */
export async function openPast(past: Snapshot): Promise<void> {
  const had = await putAside();
  if (restore(past)) offerBack(t.peek().historyOpened, had);
}

export interface Kept {
  past: Past[];
  /** Drafts of tabs that are closed. */
  drafts: { tab: string; at: number; snapshot: Snapshot }[];
}

export async function readKept(): Promise<Kept> {
  const [past, drafts, open] = await Promise.all([readHistory(), allDrafts(), openTabs()]);
  return { past, drafts: drafts.filter((draft) => !open.has(draft.tab)) };
}

/** Goes where the address says inside what it opened. */
function pointAt({ panel: name, finding, node, column, pod, verdict }: Route): void {
  if ((PANELS as readonly (string | undefined)[]).includes(name)) panel.value = name as Panel;
  if (finding !== undefined) {
    panel.value = "problems";
    wantedFinding.value = finding;
  }
  pointedVerdict.value = Number(verdict) || 0;
  if (pointedVerdict.peek() > 0) panel.value = "policy";
  wantedAnswer.value = node !== undefined;
  if (node !== undefined && pod !== undefined) {
    panel.value = "devices";
    pickedDevices.value = { pod: pod === "-" ? "" : pod, node };
  } else if (node !== undefined) {
    panel.value = "nodes";
    picked.value = { node, column: Math.max(0, Number(column) || 0) };
  }
}

/** Opens what a link holds; `had` is what stood there. Answers whether it could. */
async function follow(route: Route, had: () => Promise<Snapshot | null>): Promise<boolean> {
  const s = t.peek();
  const { shared } = route;
  if (shared !== undefined) {
    const state = await unpack(shared);
    const aside = state === null ? null : await had();
    if (state === null || !restore(state)) {
      notify({ text: s.shareBroken, lasts: 10_000 });
      return false;
    }
    offerBack(s.shareOpened, aside);
  } else if (route.example !== undefined) {
    const example = await exampleNamed(route.example);
    if (!example) {
      notify({ text: s.noSuchExample(route.example), lasts: 10_000 });
      return false;
    }
    const aside = await had();
    load(example);
    if (aside !== null) offerBack(s.exampleOpened(example.title[lang.peek()]), aside);
  } else {
    return false;
  }
  pointAt(route);
  return true;
}

/** The address says nothing that the page does not show: what it held is a draft now. */
function clearFragment(): void {
  history.replaceState(null, "", location.pathname + location.search);
}

/**
 * Puts in place what the address asks for, else what this tab showed before, else the newest draft that no open tab shows, else
 * the first example. Answers the tab's name, which may take a moment.
 */
export async function begin(): Promise<{ tab: Promise<string> }> {
  const former = formerTab();
  const draft = former === null ? null : await formerDraft(former);
  const route = readRoute(location.hash);
  if (route === null) notify({ text: t.peek().addressUnknown, lasts: 10_000 });
  if (route?.embed !== undefined) embedded.value = true;
  const keep = async () => {
    if (draft && !embedded.peek()) await remember(draft);
    return draft;
  };
  if (route !== null && (await follow(route, keep))) return { tab: ownTab(former) };
  const tab = await takeUp(former, draft);
  if (route !== null && route.shared === undefined && route.example === undefined) pointAt(route);
  return { tab: ownTab(tab) };
}

/** Puts a draft in place, or the first example; a page inside another one shows nobody's drafts. Answers the draft's tab. */
async function takeUp(former: string | null, draft: Snapshot | null): Promise<string | null> {
  if (!embedded.peek()) {
    if (draft !== null && restore(draft)) return former;
    if (former === null) {
      const open = await openTabs();
      for (const orphan of await allDrafts()) {
        if (!open.has(orphan.tab) && restore(orphan.snapshot)) return orphan.tab;
      }
    }
  }
  load(exampleById(FIRST_EXAMPLE)!);
  return former;
}

/** Once the page stands: the address is taken over, and a link pasted into the open page is followed. */
export function followLinks(): void {
  if (embedded.peek()) return;
  if (location.hash !== "") void saveNow().then(clearFragment);
  window.addEventListener("hashchange", () => {
    if (location.hash === "" || location.hash === "#") return;
    const route = readRoute(location.hash);
    if (route === null) {
      notify({ text: t.peek().addressUnknown, lasts: 10_000 });
      clearFragment();
      return;
    }
    void follow(route, putAside).then((opened) => {
      if (!opened && route.shared === undefined && route.example === undefined) pointAt(route);
      void saveNow().then(clearFragment);
    });
  });
  void openTabs().then(thinDrafts);
}

/** The address of the page as it is; where it would be too long, the person is told. */
async function linkOrWords(more: Record<string, string>): Promise<string | undefined> {
  const made = await link(more);
  if ("address" in made) return made.address;
  const s = t.peek();
  notify({ text: "tooLong" in made ? s.shareTooLong(made.tooLong) : s.shareTooMany(made.tooMany, MOST_FILES), lasts: 8000 });
  return undefined;
}

/** Copies a link to the page as it is, or to one answer in it. */
export async function copyLink(more: Record<string, string> = {}): Promise<void> {
  const address = await linkOrWords(more);
  if (address === undefined) return;
  const s = t.peek();
  try {
    await navigator.clipboard.writeText(address);
    notify({ text: Object.keys(more).length > 0 ? s.shareAnswerDone : s.shareDone });
  } catch {
    // The address bar holds it until the next change of the page's address; the draft has the same text.
    history.replaceState(null, "", address);
    notify({ text: s.shareManual, lasts: 8000 });
  }
}

/** Opens what an embedded page shows in a tab of its own. */
export async function openWhole(): Promise<void> {
  const address = await linkOrWords({});
  if (address !== undefined) window.open(address, "_blank", "noopener");
}

/** As on the first visit; what was there is in the history and can be taken back. */
export async function resetAll(): Promise<void> {
  const had = await putAside();
  load(exampleById(FIRST_EXAMPLE)!);
  offerBack(t.peek().resetDone, had);
}

/** Opens files from the person's disk as tabs. An example nobody touched makes room: its objects are not theirs. */
export async function openDropped(list: readonly File[]): Promise<void> {
  const inPlace = !worthKeeping();
  const read = await Promise.all(
    list.map(async (file): Promise<{ name: string; text: string } | null> => {
      try {
        return { name: file.name, text: await file.text() };
      } catch {
        notify({ text: t.peek().dropFailed(file.name) });
        return null;
      }
    }),
  );
  const texts = read.filter((file) => file !== null);
  if (texts.length === 0) return;
  if (inPlace) {
    const opened: PageFile[] = texts.map(({ name, text }) => newFile(name, guessRole(name, text), text));
    batch(() => {
      takeOptions({ release: release.peek(), panel: panel.peek() });
      replaceAll(opened, Math.max(0, opened.findIndex((file) => file.role === "manifest")));
    });
  } else {
    for (const { name, text } of texts) open(newFile(freeName(name), guessRole(name, text), text));
  }
  notify({ text: t.peek().dropped(texts.length) });
}
