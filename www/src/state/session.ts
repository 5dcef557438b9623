import { batch } from "@preact/signals";
import { ask } from "../engine/client.ts";
import { codeExamples } from "../examples/codes.ts";
import { type Example, exampleById, FIRST_EXAMPLE } from "../examples/index.ts";
import { lang, t } from "../i18n/index.ts";
import { unpacked } from "./archives.ts";
import { hasOpened, hasOpenedSeveral } from "./arrivals.ts";
import { keepPanels, readdress } from "./back.ts";
import { formerDraft, saveNow, worthKeeping } from "./draft.ts";
import { type Dropped, filesOrText, type Given } from "./dropped.ts";
import {
	decode,
	files,
	literal,
	newFile,
	openAll,
	openInPlace,
	type PageFile,
	replaceAll,
	roleOfName,
	textOf,
} from "./files.ts";
import { pointedVerdict, wantedAnswer, wantFinding } from "./goal.ts";
import { notify } from "./notices.ts";
import {
	embedded,
	keptOptions,
	PANELS,
	type Panel,
	panel,
	panelOnly,
	picked,
	pickedDevices,
	release,
	takeOptions,
} from "./options.ts";
import { downloadAll } from "./project.ts";
import { type Route, readRoute } from "./route.ts";
import { link, unpack } from "./share.ts";
import { MOST_FILES, restore, type Snapshot, snapshot } from "./snapshot.ts";
import {
	allDrafts,
	type Past,
	readHistory,
	remember,
	thinDrafts,
} from "./store.ts";
import { formerTab, openTabs, ownTab } from "./tab.ts";

/** Saves the person's files before they are replaced, with what is written meanwhile. */
export async function putAside(): Promise<Snapshot | null> {
	for (;;) {
		if (!worthKeeping()) return null;
		const then = files.peek();
		const had = snapshot();
		await remember(had);
		if (files.peek() === then) return had;
	}
}

let openings = 0;

/** Begins to open something in place of what is there; the answer says whether nothing else was asked for since then. */
function begins(): () => boolean {
	openings += 1;
	const mine = openings;
	return () => mine === openings;
}

/** An example of the gallery, or of a finding code: `code/name-invalid`. */
async function exampleNamed(id: string): Promise<Example | undefined> {
	const code = id.startsWith("code/") ? id.slice("code/".length) : "";
	if (code === "") return exampleById(id);
	const examples = await codeExamples();
	const found = Object.hasOwn(examples, code) ? examples[code] : undefined;
	if (!found) return undefined;
	return {
		id,
		group: "mistakes",
		title: { en: code, "zh-Hans": code },
		sentence: { en: "", "zh-Hans": "" },
		...(found as Partial<Example>),
		files: found.files,
	};
}

export async function openCodeExample(code: string): Promise<void> {
	const newest = begins();
	const example = await exampleNamed(`code/${code}`);
	if (example && newest()) await openExample(example);
}

/** The example that was opened last, with the options that it came with. */
let openedExample: {
	example: Example;
	options: Record<string, unknown>;
} | null = null;

function load(example: Example): void {
	batch(() => {
		const { release, operation, patchType, panel, target, options } = example;
		takeOptions({ release, operation, patchType, panel, target, ...options });
		replaceAll(
			example.files.map((file) => newFile(file.name, file.role, file.text)),
		);
	});
	openedExample = { example, options: keptOptions() };
}

/** The options that a link to an answer names itself. */
const NAMED_BY_LINK = ["panel", "devices", "cell"];

/** A short address for an example that nobody touched; undefined for everything else. */
function exampleAddress(more: Record<string, string>): string | undefined {
	if (openedExample === null) return undefined;
	const { example, options } = openedExample;
	const { f } = snapshot();
	const same =
		f.length === example.files.length &&
		example.files.every(
			({ name, role, text }, index) =>
				f[index]?.n === name && f[index]?.r === role && f[index]?.t === text,
		);
	const now = keptOptions();
	const changed = [
		...new Set([...Object.keys(now), ...Object.keys(options)]),
	].filter(
		(name) => JSON.stringify(now[name]) !== JSON.stringify(options[name]),
	);
	if (!same || changed.some((name) => !NAMED_BY_LINK.includes(name)))
		return undefined;
	const cell: Record<string, string> = {};
	const devices = pickedDevices.peek();
	if (changed.includes("devices") && devices && panel.peek() === "devices")
		Object.assign(cell, { pod: devices.pod || "-", node: devices.node });
	const node = picked.peek();
	if (changed.includes("cell") && node && panel.peek() === "nodes")
		Object.assign(cell, { node: node.node, column: String(node.column) });
	const words = new URLSearchParams({
		example: example.id,
		...(panel.peek() === (example.panel ?? "problems")
			? {}
			: { panel: panel.peek() }),
		...cell,
		...more,
	});
	return `${location.origin}${location.pathname}#${words.toString().replaceAll("%2F", "/")}`;
}

/** Reads files below the page's own origin, as whoever hosts the page offers them; null and a notice where one cannot be read. */
async function fetchFiles(
	paths: readonly string[],
): Promise<PageFile[] | null> {
	const s = t.peek();
	const found: PageFile[] = [];
	for (const path of paths.slice(0, MOST_FILES)) {
		const url = new URL(path, location.href.replace(/#.*/, ""));
		// Texts of other origins are not asked for: the page talks to nobody else.
		if (url.origin !== location.origin) {
			notify({ text: s.openElsewhere(url.origin), lasts: 10_000 });
			return null;
		}
		try {
			const response = await fetch(url);
			if (!response.ok) throw new Error(String(response.status));
			const { text, bytes } = decode(
				new Uint8Array(await response.arrayBuffer()),
			);
			const name =
				decodeURIComponent(url.pathname.split("/").pop() ?? "") ||
				"manifest.yaml";
			found.push(newFile(name, roleOfName(name), text, bytes));
		} catch (error) {
			notify({
				text: s.openFailed(path, error instanceof Error ? error.message : ""),
				lasts: 10_000,
			});
			return null;
		}
	}
	return found;
}

function offerBack(text: string, had: Snapshot | null): void {
	if (had === null) notify({ text });
	else
		notify({
			text,
			action: { label: t.peek().takeBack, run: () => void takeBack(had) },
		});
}

async function takeBack(had: Snapshot): Promise<void> {
	const newest = begins();
	await putAside();
	if (!newest()) return;
	restore(had);
	void saveNow();
}

export async function openExample(example: Example): Promise<void> {
	const newest = begins();
	const had = await putAside();
	if (!newest()) return;
	load(example);
	offerBack(
		`${t.peek().exampleOpened(example.title[lang.peek()])} ${example.sentence[lang.peek()].replace(/`/g, "")}`,
		had,
	);
}

/** Puts an entry of the history or another tab's draft in place. */
export async function openPast(past: Snapshot): Promise<void> {
	const newest = begins();
	const had = await putAside();
	if (newest() && restore(past)) offerBack(t.peek().historyOpened, had);
}

export interface Kept {
	past: Past[];
	/** Drafts of tabs that are closed. */
	drafts: { tab: string; at: number; snapshot: Snapshot }[];
}

export async function readKept(): Promise<Kept> {
	const [past, drafts, open] = await Promise.all([
		readHistory(),
		allDrafts(),
		openTabs(),
	]);
	return { past, drafts: drafts.filter((draft) => !open.has(draft.tab)) };
}

/** Opens the panel and the position that the address names. */
function pointAt({
	panel: name,
	finding,
	node,
	column,
	pod,
	verdict,
}: Route): void {
	if ((PANELS as readonly (string | undefined)[]).includes(name))
		panel.value = name as Panel;
	if (finding !== undefined) {
		panel.value = "problems";
		wantFinding(finding);
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

/** Opens the contents of a link; `had` returns the former contents. Returns whether it could, and nothing else was asked for meanwhile. */
async function follow(
	route: Route,
	had: () => Promise<Snapshot | null>,
): Promise<boolean> {
	const s = t.peek();
	const newest = begins();
	const { shared } = route;
	if (shared !== undefined) {
		const state = await unpack(shared);
		const aside = state === null || !newest() ? null : await had();
		if (!newest()) return false;
		if (state === null || !restore(state)) {
			notify({ text: s.shareBroken, lasts: 10_000 });
			return false;
		}
		offerBack(s.shareOpened, aside);
	} else if (route.open !== undefined) {
		const opened = await fetchFiles(route.open.split("\n"));
		if (opened === null || !newest()) return false;
		const aside = await had();
		if (!newest()) return false;
		batch(() => {
			takeOptions({ release: release.peek(), panel: panel.peek() });
			replaceAll(
				opened,
				Math.max(
					0,
					opened.findIndex((file) => file.role === "manifest"),
				),
			);
		});
		for (const file of opened) hasOpened(file);
		if (aside !== null) offerBack(s.dropped(opened.length), aside);
	} else if (route.example !== undefined) {
		const example = await exampleNamed(route.example);
		if (!newest()) return false;
		if (!example) {
			notify({ text: s.noSuchExample(route.example), lasts: 10_000 });
			return false;
		}
		const aside = await had();
		if (!newest()) return false;
		load(example);
		if (aside !== null)
			offerBack(s.exampleOpened(example.title[lang.peek()]), aside);
	} else {
		return false;
	}
	pointAt(route);
	return true;
}

/** Clears the address: its content is now a draft. A link that was pasted since then stays. */
function clearFragment(hash: string): void {
	if (location.hash === hash) readdress(location.pathname + location.search);
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
	if (route?.embed === "panel") panelOnly.value = true;
	const keep = async () => {
		if (draft && !embedded.peek()) await remember(draft);
		return draft;
	};
	if (route !== null && (await follow(route, keep)))
		return { tab: ownTab(former) };
	const tab = await takeUp(former, draft);
	if (
		route !== null &&
		route.shared === undefined &&
		route.example === undefined &&
		route.open === undefined
	)
		pointAt(route);
	return { tab: ownTab(tab) };
}

/** The first example, where nothing else could be opened. */
export function openFirst(): { tab: Promise<string> } {
	load(exampleById(FIRST_EXAMPLE)!);
	return { tab: ownTab(null) };
}

/** Puts a draft in place, or the first example; a page inside another one shows nobody's drafts. Answers the draft's tab. */
async function takeUp(
	former: string | null,
	draft: Snapshot | null,
): Promise<string | null> {
	if (!embedded.peek()) {
		if (draft !== null && restore(draft)) return former;
		if (former === null) {
			const open = await openTabs();
			for (const orphan of await allDrafts()) {
				if (!open.has(orphan.tab) && restore(orphan.snapshot))
					return orphan.tab;
			}
		}
	}
	load(exampleById(FIRST_EXAMPLE)!);
	return former;
}

/** Takes over the address once the page is drawn, and follows a link pasted into the open page. */
export function followLinks(): void {
	if (embedded.peek()) return;
	keepPanels();
	const { hash: first } = location;
	if (first !== "") void saveNow().then(() => clearFragment(first));
	window.addEventListener("hashchange", () => {
		const { hash } = location;
		if (hash === "" || hash === "#") return;
		const route = readRoute(hash);
		if (route === null) {
			notify({ text: t.peek().addressUnknown, lasts: 10_000 });
			clearFragment(hash);
			return;
		}
		void follow(route, putAside).then((opened) => {
			if (
				!opened &&
				route.shared === undefined &&
				route.example === undefined &&
				route.open === undefined
			)
				pointAt(route);
			void saveNow().then(() => clearFragment(hash));
		});
	});
	void openTabs().then(thinDrafts);
}

/** Returns the address of the page as it is; shows a notice where it would be too long. */
export async function linkOrWords(
	more: Record<string, string>,
): Promise<string | undefined> {
	const short = exampleAddress(more);
	if (short !== undefined) return short;
	const made = await link(more);
	if ("address" in made) return made.address;
	const s = t.peek();
	notify({
		text:
			"tooLong" in made
				? s.shareTooLong(made.tooLong)
				: s.shareTooMany(made.tooMany, MOST_FILES),
		lasts: 12_000,
		action: { label: s.downloadAll, run: () => void downloadAll() },
	});
	return undefined;
}

/** Copies a link to the page as it is, or to one answer in it. */
export async function copyLink(
	more: Record<string, string> = {},
): Promise<void> {
	const address = await linkOrWords(more);
	if (address === undefined) return;
	const s = t.peek();
	try {
		await navigator.clipboard.writeText(address);
		notify({
			text: Object.keys(more).length > 0 ? s.shareAnswerDone : s.shareDone,
		});
	} catch {
		// The address bar holds it until the next change of the page's address; the draft has the same text.
		readdress(address);
		notify({ text: s.shareManual, lasts: 8000 });
	}
}

/** Opens what an embedded page shows in a tab of its own. */
export async function openWhole(): Promise<void> {
	const address = await linkOrWords({});
	if (address !== undefined) window.open(address, "_blank", "noopener");
}

/** The last reset, which may be on its way. */
let resetting: Promise<void> = Promise.resolve();

/** Resets the page to the first visit. The previous state is in the history and can be restored. */
export function resetAll(): Promise<void> {
	resetting = reset();
	return resetting;
}

async function reset(): Promise<void> {
	const newest = begins();
	const had = await putAside();
	if (!newest()) return;
	load(exampleById(FIRST_EXAMPLE)!);
	offerBack(t.peek().resetDone, had);
}

/** A folder with fewer files than this opens whole. */
const FEW_FILES = 20;

/** The files that a panel has a use for, where there are many; all, if there is none. */
async function usefulOf(list: readonly PageFile[]): Promise<{
	useful: readonly PageFile[];
	others: readonly PageFile[];
}> {
	if (list.length < FEW_FILES) return { useful: list, others: [] };
	const outcome = await ask("useful", {
		question: "useful",
		text: literal("useful", ""),
		options: { list: list.map(textOf) },
	});
	if (outcome.kind !== "answer" || !outcome.answer.includes(true))
		return { useful: list, others: [] };
	const kept = (file: PageFile, index: number) =>
		file.role !== "manifest" || outcome.answer[index] === true;
	return {
		useful: list.filter(kept),
		others: list.filter((file, index) => !kept(file, index)),
	};
}

/** Reads files from the person's disk; those that cannot be read are named. */
async function readFiles(list: readonly Dropped[]): Promise<PageFile[]> {
	const read = await Promise.all(
		list.map(async (file): Promise<PageFile | null> => {
			try {
				const { text, bytes } = decode(new Uint8Array(await file.bytes()));
				return newFile(file.name, roleOfName(file.name), text, bytes);
			} catch {
				notify({ text: t.peek().dropFailed(file.name) });
				return null;
			}
		}),
	);
	return read.filter((file) => file !== null);
}

/** Opens what was pasted outside the editor: files of the clipboard, or a text. */
export async function openPasted(given: Given): Promise<void> {
	const list = await filesOrText(given);
	if (list.length > 0) await openDropped(list);
}

/** What the first script keeps until the page is there. */
interface Early {
	given: Given[];
	/** Stops listening. */
	end(): void;
}

/** Opens what was pasted and dropped while the page's code was on its way. */
export async function openEarly(): Promise<void> {
	const early = (window as { claimkitEarly?: Early }).claimkitEarly;
	if (!early) return;
	early.end();
	if (panelOnly.peek()) return;
	for (const given of early.given.splice(0)) await openPasted(given);
}

/**
 * Opens files from the person's disk as tabs. An example nobody touched makes room: its objects are not theirs. A file of an open
 * file's name takes its place: beside each other, two states of one cluster would be counted together.
 */
export async function openDropped(list: readonly Dropped[]): Promise<void> {
	// A reset comes first: what it clears does not stay beside the files.
	await resetting;
	const newest = begins();
	const s = t.peek();
	if (list.length === 0) {
		notify({ text: s.folderEmpty });
		return;
	}
	const all = await unpacked(list, (name) =>
		notify({ text: s.dropFailed(name) }),
	);
	const many = all.length >= FEW_FILES;
	const inOrder = many
		? [...all].sort((a, b) => (a.name < b.name ? -1 : 1))
		: all;
	if (many) notify({ text: s.readingFiles(all.length) });
	const { useful: opened, others } = await usefulOf(await readFiles(inOrder));
	if (opened.length === 0) return;
	hasOpenedSeveral(opened);
	// As it is now: reading takes a while, in which a person may write.
	let replaced: readonly PageFile[] = [];
	if (newest() && !worthKeeping()) {
		batch(() => {
			takeOptions({ release: release.peek(), panel: panel.peek() });
			replaceAll(
				opened,
				Math.max(
					0,
					opened.findIndex((file) => file.role === "manifest"),
				),
			);
		});
	} else {
		await putAside();
		if (list.some(({ isPasted }) => isPasted)) openAll(opened);
		else replaced = openInPlace(opened);
	}
	const damaged = opened.filter(({ bytes }) => bytes !== undefined);
	const opening =
		damaged.length > 0
			? s.notUtf8(damaged.map(({ name }) => name).join(", "))
			: s.dropped(opened.length);
	if (replaced.length > 0)
		notify({
			text: `${opening} ${s.replacedFiles(replaced.length)}`,
			action: { label: s.keepBoth, run: () => openAll(replaced) },
			lasts: 12_000,
		});
	else if (damaged.length > 0) notify({ text: opening, lasts: 12_000 });
	else
		notify({
			text: `${s.dropped(opened.length)}${others.length > 0 ? ` ${s.filesOfOthers(others.length)}` : ""}`,
			...(others.length > 0
				? {
						action: {
							label: s.openThemToo,
							run: () => openAll(others),
						},
						lasts: 12_000,
					}
				: {}),
		});
}
