/** Extended resources of device plugins, and the claims that ask for the same devices. Texts are edited line by line, so that they stay as written. */

/** What a driver of Dynamic Resource Allocation offers in place of a device plugin's resource. */
interface Counterpart {
	/** Matches the name of the resource. */
	resource: RegExp;
	/** Empty: it is named after the resource. */
	class: string;
	driver: string;
	/** More of the class's selector, by what the resource's name says. */
	selector?: (name: string) => string;
	/** The name of the claim in the pod. */
	claim: string;
}

const COUNTERPARTS: readonly Counterpart[] = [
	{
		resource: /^nvidia\.com\/gpu$/,
		class: "gpu.nvidia.com",
		driver: "gpu.nvidia.com",
		selector: () => "device.attributes['gpu.nvidia.com'].type == 'gpu'",
		claim: "gpu",
	},
	{
		resource: /^nvidia\.com\/mig-/,
		class: "",
		driver: "gpu.nvidia.com",
		selector: (name) =>
			`device.attributes['gpu.nvidia.com'].profile == '${name.replace(/^.*mig-/, "")}'`,
		claim: "mig",
	},
	{
		resource: /^amd\.com\/gpu$/,
		class: "gpu.amd.com",
		driver: "gpu.amd.com",
		claim: "gpu",
	},
	{
		resource: /^(gpu\.)?intel\.com\/(gpu|i915|xe)/,
		class: "gpu.intel.com",
		driver: "gpu.intel.com",
		claim: "gpu",
	},
	{
		resource:
			/^(intel\.com|mellanox\.com|nvidia\.com|openshift\.io)\/.*(sriov|netdevice|vf|rdma|nic|mlnx)/i,
		class: "sriovnetwork.k8snetworkplumbingwg.io",
		driver: "sriovnetwork.k8snetworkplumbingwg.io",
		claim: "nic",
	},
];

/** A resource of a container, as a text asks for it. */
export interface Asked {
	resource: string;
	count: number;
}

const ENTRY =
	/^(\s*)["']?((?:[a-z0-9-]+\.)+[a-z]+\/[\w.-]+)["']?\s*:\s*["']?(\d+)["']?\s*(?:#.*)?$/;
const NOT_DEVICES = /(^|\.)kubernetes\.io\/|^hugepages-/;

/** The first key of a map above a line that is less indented. */
function parentKey(lines: readonly string[], at: number): string {
	const indent = lines[at]!.search(/\S/);
	for (let i = at - 1; i >= 0; i--) {
		const line = lines[i]!;
		if (line.trim() === "" || line.trim().startsWith("#")) continue;
		if (line.search(/\S/) < indent)
			return line
				.trim()
				.replace(/^- /, "")
				.replace(/["']?:.*$/, "")
				.replace(/^["']/, "");
	}
	return "";
}

const isAmount = (lines: readonly string[], at: number): boolean =>
	["limits", "requests"].includes(parentKey(lines, at));

/** Returns the devices of plugins that a text's containers ask for, each name once. */
export function pluginResources(text: string): Asked[] {
	const lines = asBlocks(text.split("\n"));
	const found = new Map<string, number>();
	lines.forEach((line, at) => {
		const [, , resource = "", count = ""] = ENTRY.exec(line) ?? [];
		if (resource === "" || NOT_DEVICES.test(resource) || !isAmount(lines, at))
			return;
		if (Number(count) > 0)
			found.set(resource, Math.max(found.get(resource) ?? 0, Number(count)));
	});
	return [...found].map(([resource, count]) => ({ resource, count }));
}

/** The class that offers what a resource stands for; of an unknown plugin's resource a class of its domain. */
function counterpartOf(resource: string): Counterpart {
	const [domain = "", name = ""] = resource.split("/");
	const known = COUNTERPARTS.find((one) => one.resource.test(resource)) ?? {
		resource: /^$/,
		class: "",
		driver: domain,
		claim: "device",
	};
	// A class is a name of the DNS: two resources of one driver have a class each.
	return {
		...known,
		class:
			known.class || `${name.toLowerCase().replaceAll("_", "-")}.${domain}`,
	};
}

function classOf(resource: string, more = ""): string {
	const { class: name, driver, selector } = counterpartOf(resource);
	const expression = [
		`device.driver == '${driver}'`,
		...(selector ? [selector(resource)] : []),
	].join(" && ");
	return `apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: ${name}
spec:
${more}  selectors:
  - cel:
      expression: "${expression}"
`;
}

function templateOf(
	name: string,
	namespace: string,
	{ resource, count }: Asked,
): string {
	const { class: deviceClass, claim } = counterpartOf(resource);
	return `apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: ${name}
${namespace === "" ? "" : `  namespace: ${namespace}\n`}spec:
  spec:
    devices:
      requests:
      - name: ${claim}
        exactly:
          deviceClassName: ${deviceClass}
          count: ${count}
`;
}

/** A container's use of a resource: the lines that go. */
interface Use extends Asked {
	lines: number[];
	/** The line `resources:` of the container. */
	resources: number;
	/** The line of the list of containers; -1 where it is not found. */
	list: number;
	/** Whether the container has ended when those of the pod begin, and has its devices only until then. */
	before: boolean;
}

/** A claim of a pod that a container after another may use too. */
interface Made extends Asked {
	name: string;
	/** The line before which the claims of its pod stand. */
	place: number;
}

/** The line of a key above another line, at a smaller indent; the items of a list may be as far in as its key. */
function lineAbove(lines: readonly string[], at: number, key: RegExp): number {
	const depth = (line: string): number =>
		line.search(/\S/) + (line.trimStart().startsWith("- ") ? 1 : 0);
	let indent = depth(lines[at]!);
	for (let i = at - 1; i >= 0; i--) {
		const line = lines[i]!;
		if (line.trim() === "" || line.search(/\S/) >= indent) continue;
		if (key.test(line)) return i;
		indent = depth(line);
	}
	return -1;
}

/** A map in braces on one line. */
const FLOW = /^(\s*(?:- )?)(resources|limits|requests):\s*\{(.*)\}\s*$/;

/** The entries of a map in braces, those of maps inside it whole. */
function entriesOf(inner: string): string[] {
	return (inner.match(/[^,{]+(\{[^{}]*\})?/g) ?? [])
		.map((entry) => entry.trim())
		.filter((entry) => entry !== "");
}

/** Writes amounts in braces as blocks, one line for each. */
function asBlocks(lines: readonly string[]): string[] {
	return lines.flatMap((line): string[] => {
		const [, start = "", key = "", inner = ""] = FLOW.exec(line) ?? [];
		if (key === "") return [line];
		const indent = " ".repeat(start.length + 2);
		return [
			`${start}${key}:`,
			...asBlocks(entriesOf(inner).map((entry) => indent + entry)),
		];
	});
}

function usesIn(lines: readonly string[]): Use[] {
	const uses: Use[] = [];
	lines.forEach((line, at) => {
		const [, , resource = "", count = ""] = ENTRY.exec(line) ?? [];
		if (resource === "" || NOT_DEVICES.test(resource) || !isAmount(lines, at))
			return;
		// Nothing is asked for.
		if (Number(count) === 0) return;
		const resources = lineAbove(lines, at, /^\s*(- )?resources:\s*$/);
		if (resources < 0) return;
		const known = uses.find(
			(use) => use.resources === resources && use.resource === resource,
		);
		if (known) {
			known.lines.push(at);
			return;
		}
		const list = lineAbove(lines, resources, /^\s*(initC|c)ontainers:\s*$/);
		uses.push({
			resource,
			count: Number(count),
			lines: [at],
			resources,
			list,
			before: list >= 0 && endsBefore(lines, list, resources),
		});
	});
	return uses;
}

/** Whether the container with a line is an init container that ends: one that is always restarted stays. */
function endsBefore(
	lines: readonly string[],
	list: number,
	at: number,
): boolean {
	if (!/initContainers:/.test(lines[list]!)) return false;
	const indent = lines.slice(list + 1).find((line) => line.trim() !== "");
	const item = new RegExp(`^${" ".repeat(indent?.search(/\S/) ?? 0)}- `);
	let from = at;
	while (from > list && !item.test(lines[from]!)) from -= 1;
	const rest = lines.slice(from + 1);
	const depth = lines[from]!.search(/\S/);
	const end = rest.findIndex(
		(line) => line.trim() !== "" && line.search(/\S/) <= depth,
	);
	return !lines
		.slice(from, end < 0 ? lines.length : from + 1 + end)
		.some((line) => /^\s*(- )?restartPolicy:\s*["']?Always\b/.test(line));
}

/** The lines that go with others: a map that is left without entries. */
function emptied(
	lines: readonly string[],
	gone: ReadonlySet<number>,
): number[] {
	return lines.flatMap((line, at) => {
		if (!/^\s*(limits|requests):\s*$/.test(line)) return [];
		const indent = line.search(/\S/);
		for (let i = at + 1; i < lines.length; i++) {
			const own = lines[i]!.search(/\S/);
			if (own < 0) continue;
			if (own <= indent) return [at];
			if (!gone.has(i)) return [];
		}
		return [at];
	});
}

/** The text with claims in place of plugins' resources, and the class and the templates that they need; null where its form is not known. */
export function withClaims(text: string): string | null {
	if (/^\s*[{[]/.test(text)) return null;
	const documents = text.split(/^---.*\n/m);
	const classes = new Map<string, string>();
	const templates: string[] = [];
	const names = new Set<string>();
	let changed = false;
	let twice = false;
	const rewritten = documents.map((document) => {
		const lines = asBlocks(document.split("\n"));
		// Containers that end before others use what these have; the largest claim is made first.
		const uses = usesIn(lines).sort(
			(one, other) =>
				Number(one.before) - Number(other.before) ||
				(one.before ? other.count - one.count : 0),
		);
		if (uses.length === 0) return document;
		changed = true;
		// A second list of claims would take the place of the pod's own.
		twice ||= /^\s*(- )?(resourceClaims|claims):/m.test(document);
		const name =
			/^metadata:(?:.*\n)+?\s+name:\s*["']?([\w.-]+)/m.exec(document)?.[1] ??
			"pod";
		const namespace =
			/^metadata:(?:.*\n)+?\s+namespace:\s*["']?([\w-]+)/m.exec(
				document,
			)?.[1] ?? "";
		const added = new Map<number, string[]>();
		const add = (at: number, more: string[]) =>
			added.set(at, [...(added.get(at) ?? []), ...more]);
		const gone = new Set(uses.flatMap((use) => use.lines));
		const made: Made[] = [];
		for (const use of uses) {
			if (use.list < 0) return document;
			const outer = " ".repeat(lines[use.list]!.search(/\S/));
			const main = lines.findIndex((line) =>
				new RegExp(`^${outer}containers:\\s*$`).test(line),
			);
			const place = main < 0 ? use.list : main;
			const shared = use.before
				? made.find(
						(one) =>
							one.resource === use.resource &&
							one.count >= use.count &&
							one.place === place,
					)
				: undefined;
			const { claim } = counterpartOf(use.resource);
			let own = shared?.name ?? claim;
			const key = (candidate: string) => `${namespace}/${name}-${candidate}`;
			if (!shared) {
				for (let n = 2; names.has(key(own)); n++) own = `${claim}-${n}`;
				names.add(key(own));
				classes.set(counterpartOf(use.resource).class, classOf(use.resource));
				templates.push(templateOf(`${name}-${own}`, namespace, use));
				made.push({
					resource: use.resource,
					count: use.count,
					name: own,
					place,
				});
			}
			const indent = " ".repeat(lines[use.resources]!.search(/[a-z]/));
			const first = !added.has(use.resources);
			add(use.resources, [
				...(first ? [`${indent}  claims:`] : []),
				`${indent}  - name: ${own}`,
			]);
			if (shared) continue;
			add(-1 - place, [
				...(added.has(-1 - place) ? [] : [`${outer}resourceClaims:`]),
				`${outer}- name: ${own}`,
				`${outer}  resourceClaimTemplateName: ${name}-${own}`,
			]);
		}
		for (const at of emptied(lines, gone)) gone.add(at);
		return lines
			.flatMap((line, at) => [
				...(added.get(-1 - at) ?? []),
				...(gone.has(at) ? [] : [line]),
				...(added.get(at) ?? []),
			])
			.join("\n");
	});
	if (!changed || twice) return null;
	return [...classes.values(), ...templates, ...rewritten]
		.map((document) => (document.endsWith("\n") ? document : `${document}\n`))
		.join("---\n");
}

/** The text with a class in front that serves the resource by its own name, so that the pods stay as they are. */
export function withExtendedClass(text: string): string {
	const classes = pluginResources(text).map(({ resource }) =>
		classOf(resource, `  extendedResourceName: ${resource}\n`),
	);
	return [...classes, text].join("---\n");
}
