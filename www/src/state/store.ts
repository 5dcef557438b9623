import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { Snapshot } from "./snapshot.ts";

/** The contents of one tab of the browser; kept while it is open and after it is closed. */
export interface Draft {
	tab: string;
	at: number;
	snapshot: Snapshot;
}

/** Contents of the editor that other contents replaced. */
export interface Past {
	id?: number;
	at: number;
	snapshot: Snapshot;
}

interface Schema extends DBSchema {
	drafts: { key: string; value: Draft };
	history: { key: number; value: Past };
}

export const MOST_PAST = 20;
/** Drafts of tabs that are closed; each is a whole session's text, so there is no need for more. */
const MOST_DRAFTS = 20;
/** Together no longer than this, in UTF-16 units: a browser gives a page far more, and warns nobody when it is full. */
const LARGEST_HISTORY = 40_000_000;

let opened: Promise<IDBPDatabase<Schema> | null> | undefined;

/** The page's database, or null where the browser has none (storage switched off). Copies below other paths have their own. */
function database(): Promise<IDBPDatabase<Schema> | null> {
	const open = async () =>
		openDB<Schema>(`claimkit ${new URL("./", location.href).pathname}`, 1, {
			upgrade(db) {
				db.createObjectStore("drafts", { keyPath: "tab" });
				db.createObjectStore("history", { keyPath: "id", autoIncrement: true });
			},
			terminated() {
				opened = undefined;
			},
		});
	// A browser may refuse before there is anything to wait for.
	opened ??= open().catch(() => null);
	return opened;
}

/** Answers false where nothing could be kept. */
async function attempt<T>(
	work: (db: IDBPDatabase<Schema>) => Promise<T>,
): Promise<T | null> {
	const db = await database();
	if (db === null) return null;
	return work(db).catch(() => null);
}

export async function readDraft(tab: string): Promise<Draft | null> {
	return (await attempt((db) => db.get("drafts", tab))) ?? null;
}

export async function allDrafts(): Promise<Draft[]> {
	return ((await attempt((db) => db.getAll("drafts"))) ?? []).sort(
		(a, b) => b.at - a.at,
	);
}

export async function writeDraft(draft: Draft): Promise<boolean> {
	const written = await attempt(async (db) => {
		const transaction = db.transaction("drafts", "readwrite");
		// The transaction reports the error.
		transaction.store.put(draft).catch(() => undefined);
		// Commits at once: a page that is closed gets no answer, and uncommitted data would be lost.
		transaction.commit();
		await transaction.done;
		return true;
	});
	return written === true;
}

export async function deleteDraft(tab: string): Promise<void> {
	await attempt((db) => db.delete("drafts", tab));
}

/** Lets go of the oldest drafts of closed tabs. */
export async function thinDrafts(open: ReadonlySet<string>): Promise<void> {
	const closed = (await allDrafts()).filter((draft) => !open.has(draft.tab));
	for (const draft of closed.slice(MOST_DRAFTS)) await deleteDraft(draft.tab);
}

const lengthOf = ({ f }: Snapshot) =>
	f.reduce((sum, { t }) => sum + t.length, 0);
const sameTexts = (a: Snapshot, b: Snapshot) =>
	a.f.length === b.f.length &&
	a.f.every(
		(file, index) => file.t === b.f[index]?.t && file.n === b.f[index]?.n,
	);

export async function readHistory(): Promise<Past[]> {
	return ((await attempt((db) => db.getAll("history"))) ?? []).sort(
		(a, b) => b.at - a.at,
	);
}

/** Adds to the history; equal texts are kept once, and the oldest are removed when there are too many. */
export async function remember(snapshot: Snapshot): Promise<void> {
	await attempt(async (db) => {
		const past = (await db.getAll("history")).sort((a, b) => b.at - a.at);
		const transaction = db.transaction("history", "readwrite");
		let room = LARGEST_HISTORY - lengthOf(snapshot);
		let count = 1;
		for (const entry of past) {
			room -= lengthOf(entry.snapshot);
			const again = sameTexts(entry.snapshot, snapshot);
			if (!again) count += 1;
			if ((again || count > MOST_PAST || room < 0) && entry.id !== undefined)
				void transaction.store.delete(entry.id);
		}
		void transaction.store.add({ at: Date.now(), snapshot });
		await transaction.done;
	});
}

export async function forget(id: number): Promise<void> {
	await attempt((db) => db.delete("history", id));
}
