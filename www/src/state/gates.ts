import { computed, signal } from "@preact/signals";
import type { CommonOptions, Release, RequestOptions } from "claimkit";
import { files } from "./files.ts";
import { gateWords, labelWords, newestRelease, release } from "./options.ts";
import { nearestRelease, newestKnown } from "./releases.ts";

/** Pairs such as `Name=true, other=false`, one behind the other or line by line. */
function pairs(text: string): [string, string][] {
	return text
		.split(/[\s,]+/)
		.filter((word) => word !== "")
		.map((word) => {
			const at = word.indexOf("=");
			return at < 0 ? [word, ""] : [word.slice(0, at), word.slice(at + 1)];
		});
}

/** Feature gates that are set, and words that set none. */
export const gates = computed(() => {
	const set: Record<string, boolean> = {};
	const wrong: string[] = [];
	for (const [name, value] of pairs(gateWords.value)) {
		if (/^\w+$/.test(name) && /^(true|false)$/i.test(value))
			set[name] = value.toLowerCase() === "true";
		else wrong.push(value === "" ? name : `${name}=${value}`);
	}
	return { set, wrong };
});

/** Labels of the namespace of the request. */
export const namespaceLabels = computed(() =>
	Object.fromEntries(pairs(labelWords.value)),
);

/** The release that most nodes run. */
export interface NodesRelease {
	/** As the kubelets say it: `v1.34.2`. */
	kubelet: string;
	/** The nodes that run it. */
	nodes: number;
	all: number;
	/** The release that answers for it. */
	value: Release;
	/** The files are of several clusters, and this is the first one's. */
	first?: true;
}

/**
 * Names the contents of files that may be of several clusters, which only the engine tells apart; empty where they are of one: no
 * namespace that a cluster has once is there twice.
 */
export const severalClusters = computed(() => {
	const counts = new Map<string, number>();
	for (const { namespaces } of files.value)
		for (const [name, times] of namespaces)
			counts.set(name, (counts.get(name) ?? 0) + times);
	if (![...counts.values()].some((times) => times > 1)) return "";
	return JSON.stringify(
		files.value.map(({ id, kubelets, namespaces }) => [
			id,
			...kubelets,
			...namespaces,
		]),
	);
});

/** The engine's answer about files that may be of several clusters. */
export const firstCluster = signal<{
	about: string;
	release: string;
	/** Whether files are left out. */
	several: boolean;
} | null>(null);

/** Null where no file has a node of a release that is known. */
export const nodesRelease = computed<NodesRelease | null>(() => {
	const mixed = severalClusters.value;
	const known = firstCluster.value;
	const answered = mixed !== "" && known?.about === mixed ? known : null;
	if (answered?.several) {
		const value = nearestRelease(answered.release);
		const kubelet = `v${answered.release}`;
		return value && { kubelet, nodes: 0, all: 0, value, first: true };
	}
	const withNodes = files.value.filter(({ kubelets }) => kubelets.size > 0);
	// Until the engine has answered, other files may be of another cluster.
	const counted = mixed === "" || answered ? withNodes : withNodes.slice(0, 1);
	const counts = new Map<string, number>();
	for (const { kubelets } of counted)
		for (const [version, nodes] of kubelets)
			counts.set(version, (counts.get(version) ?? 0) + nodes);
	let found: NodesRelease | null = null;
	const all = [...counts.values()].reduce((sum, nodes) => sum + nodes, 0);
	for (const [kubelet, nodes] of counts) {
		const value = nearestRelease(kubelet);
		if (value !== null && nodes > (found?.nodes ?? 0))
			found = { kubelet, nodes, all, value };
	}
	return found;
});

/**
 * The release that answers: the one that was chosen, else the nodes'; empty: each object chooses. A person may take the nodes'
 * release back.
 */
export const usedRelease = computed<Release | "">(
	() =>
		release.value ||
		(newestRelease.value ? "" : (nodesRelease.value?.value ?? "")),
);

/** Returns the settings of the server: the release, and the gates and labels that differ from the defaults. */
export function cluster(): Pick<
	RequestOptions,
	"release" | "gates" | "namespaceLabels"
> {
	const { set } = gates.value;
	const labels = namespaceLabels.value;
	return {
		...(usedRelease.value ? { release: usedRelease.value } : {}),
		...(Object.keys(set).length > 0 ? { gates: set } : {}),
		...(Object.keys(labels).length > 0 ? { namespaceLabels: labels } : {}),
	};
}

/**
 * Returns the settings of the server for questions about a cluster. The release is left out unless a person chose one: the engine takes
 * that of the nodes, and the gates that objects prove.
 */
export function placing(): ReturnType<typeof cluster> {
	const { release: _, ...rest } = cluster();
	const chosen =
		release.value || (newestRelease.value ? newestKnown : undefined);
	return { ...rest, ...(chosen ? { release: chosen } : {}) };
}

/** The settings of `placing` without the namespace's. */
export function auditing(): Pick<CommonOptions, "release" | "gates"> {
	const { namespaceLabels: _, ...rest } = placing();
	return rest;
}

/** The same for questions that know no namespace. */
export function serverOnly(): Pick<CommonOptions, "release" | "gates"> {
	const { namespaceLabels: _, ...rest } = cluster();
	return rest;
}

/** The gates as the command line takes them; `labels`: those of the namespace too. */
export function clusterWords(labels: boolean): string[] {
	const set = Object.entries(gates.value.set).map(
		([name, on]) => `${name}=${on}`,
	);
	const pairs = labels
		? Object.entries(namespaceLabels.value).map(
				([name, value]) => `${name}=${value}`,
			)
		: [];
	return [
		...(set.length > 0 ? ["--gates", set.join(",")] : []),
		...(pairs.length > 0 ? ["--namespace-labels", pairs.join(",")] : []),
	];
}
