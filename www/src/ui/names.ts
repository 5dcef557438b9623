/** Names shorter than this are read at a glance. */
const SHORT = 18;

/** The length of the common start of two texts. */
function common(a: string, b: string): number {
	let at = 0;
	while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
	return at;
}

const reversed = (text: string): string => [...text].reverse().join("");

/**
 * Returns the parts of long names that differ: `ip-10-0-3-7.eu-central-1.compute.internal` is `…3-7` beside others of its kind. A part
 * begins and ends where the names have a `-` or a `.`.
 */
export function differingParts(names: readonly string[]): string[] {
	const [first = ""] = names;
	if (names.length < 2 || names.every((name) => name.length < SHORT))
		return [...names];
	const least = Math.min(...names.map((name) => name.length));
	let ahead = least;
	let behind = least;
	const end = reversed(first);
	for (const name of names) {
		ahead = Math.min(ahead, common(first, name));
		behind = Math.min(behind, common(end, reversed(name)));
	}
	ahead =
		Math.max(
			first.lastIndexOf("-", ahead - 1),
			first.lastIndexOf(".", ahead - 1),
		) + 1;
	const tail = first.slice(first.length - behind);
	const cut = /[-.]/.exec(tail);
	behind = cut ? tail.length - cut.index : 0;
	return names.map((name) =>
		name.length - ahead - behind < 1
			? name
			: `${ahead > 0 ? "…" : ""}${name.slice(ahead, name.length - behind)}`,
	);
}

/** Returns names of hosts without their domains, where that leaves them different. Parts of IP addresses are no domains. */
export function hostNames(names: readonly string[]): readonly string[] {
	if (names.some((name) => /(^|\.)\d+(\.|$)/.test(name))) return names;
	const hosts = names.map((name) => name.split(".")[0] ?? name);
	return new Set(hosts).size === names.length ? hosts : names;
}

/** Returns paths without the folders that all of them are in. */
export function withoutCommonFolder(paths: readonly string[]): string[] {
	const [first = ""] = paths;
	if (paths.length < 2) return [...paths];
	let folder = first.slice(0, first.lastIndexOf("/") + 1);
	while (folder !== "" && !paths.every((path) => path.startsWith(folder)))
		folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
	return paths.map((path) => path.slice(folder.length));
}
