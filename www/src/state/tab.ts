/** The name of this tab of the browser. A reload keeps it; a duplicated tab gets one of its own. */
const NAME = "claimkit.tab";
const lockName = (tab: string) =>
	`claimkit ${new URL("./", location.href).pathname} ${tab}`;

/** A reloaded page may start before the browser has let go of the one before. */
const PATIENCE_MS = 1_000;

function read(name: string): string | null {
	try {
		return sessionStorage.getItem(name);
	} catch {
		return null;
	}
}

/** Answers false where there is no room, or no storage. */
function write(name: string, value: string | null): boolean {
	try {
		if (value === null) sessionStorage.removeItem(name);
		else sessionStorage.setItem(name, value);
		return true;
	} catch {
		return false;
	}
}

/** Holds the tab's lock until the page goes; answers false if another page has it. */
function hold(tab: string, patience: number): Promise<boolean> {
	if (!("locks" in navigator)) return Promise.resolve(true);
	return new Promise((resolve) => {
		navigator.locks
			.request(lockName(tab), { signal: AbortSignal.timeout(patience) }, () => {
				resolve(true);
				return new Promise(() => undefined);
			})
			.catch(() => resolve(false));
	});
}

/** The name this tab had before it was loaded again, or of the tab it was duplicated from; null in a new tab. */
export const formerTab = (): string | null => read(NAME);

/** Makes `wanted` this tab's own, or a new name where another tab has it. */
export async function ownTab(wanted: string | null): Promise<string> {
	let tab = wanted ?? crypto.randomUUID();
	if (!(await hold(tab, PATIENCE_MS))) {
		tab = crypto.randomUUID();
		await hold(tab, PATIENCE_MS);
	}
	write(NAME, tab);
	return tab;
}

/** The tabs that are open now. */
export async function openTabs(): Promise<Set<string>> {
	if (!("locks" in navigator)) return new Set();
	const prefix = lockName("");
	// A browser that refuses storage refuses locks as well.
	const { held = [] } = await navigator.locks
		.query()
		.catch((): LockManagerSnapshot => ({}));
	return new Set(
		held.flatMap(({ name = "" }) =>
			name.startsWith(prefix) ? [name.slice(prefix.length)] : [],
		),
	);
}

/** The last draft of a page that is closing, kept until it is opened again: the database may not finish in time. */
export const lastWords = {
	read: (): string | null => read("claimkit.last"),
	write: (text: string | null): boolean => write("claimkit.last", text),
};
