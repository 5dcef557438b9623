import { effect, signal } from "@preact/signals";
import { exampleOf } from "../examples/index.ts";
import { t } from "../i18n/index.ts";
import { downloadFile } from "./actions.ts";
import { activeFile, files, textOf } from "./files.ts";
import { notify } from "./notices.ts";
import { expression, FIRST_EXPRESSION, keptOptions } from "./options.ts";
import { type Snapshot, snapshot } from "./snapshot.ts";
import { canRemember, recall, remember as rememberSetting } from "./storage.ts";
import { type Draft, readDraft, writeDraft } from "./store.ts";
import { lastWords } from "./tab.ts";

const PAUSE_MS = 500;
/** A long text is saved less often. */
const LONG = 1_000_000;
const LONG_PAUSE_MS = 2_000;
/** While a person types without a pause, the text is saved after this many pauses all the same, in case of a crash. */
const MOST_PAUSES = 4;
/** The tab's own storage takes about this much, and is written while the page goes away. */
const LARGEST_LAST_WORDS = 2_000_000;

/** In the browser's database; or, where that takes nothing, for as long as the tab is open; or nowhere. */
export const draftState = signal<"kept" | "tab" | "off">(
	canRemember() ? "kept" : "off",
);

/** Returns the last draft of this tab: from the database, or from the page's last moment if that is newer. */
export async function formerDraft(tab: string): Promise<Snapshot | null> {
	const kept = await readDraft(tab);
	try {
		const last = JSON.parse(lastWords.read() ?? "null") as Draft | null;
		if (last?.tab === tab && last.at >= (kept?.at ?? 0)) {
			// The tab's own words go with the tab; the database keeps them for the next one.
			if (last.at > (kept?.at ?? 0)) void writeDraft(last);
			return last.snapshot;
		}
	} catch {
		// Not a draft of this page: the one in the database is used.
	}
	return kept?.snapshot ?? null;
}

const blankless = (text: string) => text.replace(/\s+/g, "");

/** Whether there is anything to lose: an example that was not touched can be opened again. */
export function worthKeeping(): boolean {
	const list = files.peek();
	if (!list.some((file) => file.doc.length > 0)) return false;
	const example = exampleOf(
		list.map((file) => ({ name: file.name, text: textOf(file) })),
	);
	if (!example) return true;
	// An expression is written in its panel; it is nobody's own where the text or the example has it.
	const tried = blankless(expression.peek());
	return (
		tried !== "" &&
		tried !== blankless(FIRST_EXPRESSION) &&
		tried !== blankless(String(example.options?.expression ?? "")) &&
		!list.some((file) => blankless(textOf(file)).includes(tried))
	);
}

let save: () => Promise<void> = async () => undefined;

/** Saves at once, after something that must not be lost was put in place. */
export const saveNow = (): Promise<void> => save();

/** Writes a draft where the tab alone finds it again. */
function keepInTab(draft: Draft): boolean {
	const text = JSON.stringify(draft);
	return (
		lastWords.write(text.length <= LARGEST_LAST_WORDS ? text : null) &&
		text.length <= LARGEST_LAST_WORDS
	);
}

/** Warns once that drafts do not outlive the tab, and suggests what to do. */
function warn(): void {
	const file = activeFile.peek();
	notify({
		text: t.peek().noRoom,
		lasts: 30_000,
		...(file
			? { action: { label: t.peek().download, run: () => downloadFile(file) } }
			: {}),
	});
}

/** Saves the page under the tab's name a moment after every change. */
export function keepDrafts(owned: Promise<string>): void {
	let timer = 0;
	/** When the oldest change that is not saved was made. */
	let since = 0;
	let tab = "";
	let first = true;
	save = async () => {
		clearTimeout(timer);
		timer = 0;
		since = 0;
		const draft = { tab: await owned, at: Date.now(), snapshot: snapshot() };
		const before = draftState.peek();
		draftState.value = (await writeDraft(draft))
			? "kept"
			: keepInTab(draft)
				? "tab"
				: "off";
		if (draftState.peek() === "kept") rememberSetting("visited", "1");
		else if (before === "kept" && worthKeeping()) warn();
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
		const now = Date.now();
		since ||= now;
		const pause = length > LONG ? LONG_PAUSE_MS : PAUSE_MS;
		timer = window.setTimeout(
			() => void save(),
			Math.max(0, Math.min(pause, since + MOST_PAUSES * pause - now)),
		);
	});
	const leave = () => {
		if (!timer || tab === "") return;
		keepInTab({ tab, at: Date.now(), snapshot: snapshot() });
		void save();
	};
	window.addEventListener("pagehide", leave);
	document.addEventListener("visibilitychange", () => {
		if (document.visibilityState === "hidden") leave();
	});
	// Asks before a draft is lost that is kept nowhere, or only in this tab.
	window.addEventListener("beforeunload", (event) => {
		if (draftState.peek() !== "kept" && worthKeeping()) event.preventDefault();
	});
}

/** Whether this browser has been here before; the first paint then waits for the kept files. */
export const visitedBefore = (): boolean => recall("visited") !== null;
