/** The request in the address. Everything is in the fragment, which browsers send to no server. */
export interface Route {
	/** The packed state of a link. */
	shared?: string;
	example?: string;
	panel?: string;
	/** A finding, as `findingKey` names it. */
	finding?: string;
	/** A node and a column of the matrix. */
	node?: string;
	column?: string;
	/** A pod of the Devices panel, with `node`. */
	pod?: string;
	/** An object of the Policy panel, counted from 1. */
	verdict?: string;
	/** Files below the page's own origin to open, relative to the page. */
	open?: string;
	/** The page is shown inside another one: `panel` without the editor. */
	embed?: string;
}

const KEYS: Record<string, keyof Route> = {
	s: "shared",
	example: "example",
	panel: "panel",
	finding: "finding",
	node: "node",
	column: "column",
	pod: "pod",
	verdict: "verdict",
	embed: "embed",
	open: "open",
};

/** Reads a fragment; null where it has something that no version of this page ever wrote. */
export function readRoute(hash: string): Route | null {
	const route: Route = {};
	const text = hash.replace(/^#/, "");
	if (text === "") return route;
	for (const [key, value] of new URLSearchParams(text)) {
		const name = KEYS[key];
		if (name === undefined || value === "") return null;
		route[name] =
			name === "open" && route.open !== undefined
				? `${route.open}\n${value}`
				: value;
	}
	return route;
}
