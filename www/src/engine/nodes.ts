type Raw = (text: string) => unknown;

interface Labelled {
	name: string;
	labels: Record<string, string>;
}

function collect(value: unknown, into: Labelled[]): void {
	if (typeof value !== "object" || value === null) return;
	const { items, metadata, kind } = value as {
		items?: unknown;
		metadata?: { name?: unknown; labels?: unknown };
		kind?: unknown;
	};
	if (Array.isArray(items)) {
		for (const item of items) collect(item, into);
		return;
	}
	if (typeof kind === "string" && kind !== "Node") return;
	const labels: Record<string, string> = {};
	if (typeof metadata?.labels === "object" && metadata.labels !== null) {
		for (const [key, label] of Object.entries(metadata.labels))
			labels[key] = String(label);
	}
	into.push({
		name: typeof metadata?.name === "string" ? metadata.name : "",
		labels,
	});
}

/**
 * The labels of the nodes in a text, to filter by and to try others. Judging is the engine's: this only shows
 * the labels. YAML is read by the engine (`raw`), document by document; a text that cannot be read has no labels to show.
 */
export function readLabels(text: string, raw: Raw): Labelled[] {
	const found: Labelled[] = [];
	if (/^\s*[{[]/.test(text)) {
		try {
			collect(JSON.parse(text), found);
			return found;
		} catch {
			// Perhaps flow YAML, or several JSON documents.
		}
	}
	for (const document of text.split(/^---(?:[ \t].*)?$/m)) {
		if (document.trim() !== "") collect(raw(document), found);
	}
	return found;
}
