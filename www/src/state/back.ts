import { effect } from "@preact/signals";
import { PANELS, type Panel, panel } from "./options.ts";

/** What an entry of the browser's history holds. */
interface Entry {
	panel: Panel;
}

const entry = (): Entry => ({ panel: panel.peek() });

/** Returns the panel of an entry; null where it is not of this page, or of a build with other panels. */
function panelOf(state: unknown): Panel | null {
	const { panel: name } = (state ?? {}) as Partial<Entry>;
	return PANELS.find((known) => known === name) ?? null;
}

/** Writes another address into the entry of the browser's history that is open. */
export function readdress(address: string): void {
	history.replaceState(entry(), "", address);
}

/** Makes the browser's Back button lead to the panel before, and Forward to the one after. */
export function keepPanels(): void {
	let shown = panel.peek();
	history.replaceState(entry(), "");
	effect(() => {
		if (panel.value === shown) return;
		shown = panel.value;
		// What a link opens is one place: to go back to its address would open it anew.
		if (location.hash === "") history.pushState(entry(), "");
		else history.replaceState(entry(), "");
	});
	window.addEventListener("popstate", ({ state }) => {
		const name = panelOf(state);
		if (name === null) return;
		shown = name;
		panel.value = name;
	});
}
