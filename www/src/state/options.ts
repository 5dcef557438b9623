import { type Signal, signal } from "@preact/signals";
import type { ApiVersion, Release } from "claimkit";
import { PANEL_NAMES } from "./panelnames.ts";
import { remembered } from "./storage.ts";

/**
 * A choice of a person in the panels. Everything made by `kept` is part of links, drafts and the history; a new panel adds its
 * options here and has nothing else to do for that.
 */
interface Kept {
	signal: Signal<unknown>;
	first: unknown;
	accepts(value: unknown): boolean;
}

const KEPT = new Map<string, Kept>();

function kept<T>(
	name: string,
	first: T,
	accepts: (value: unknown) => boolean,
): Signal<T> {
	const value = signal<T>(first);
	KEPT.set(name, { signal: value as Signal<unknown>, first, accepts });
	return value;
}

const oneOf = <T extends string>(
	name: string,
	allowed: readonly T[],
	first: T,
) =>
	kept<T>(name, first, (value) =>
		(allowed as readonly unknown[]).includes(value),
	);
const matching = (pattern: RegExp) => (value: unknown) =>
	typeof value === "string" && pattern.test(value);
const text = (name: string, first = "", pattern = /^[\s\S]{0,400}$/) =>
	kept<string>(name, first, matching(pattern));
const flag = (name: string) =>
	kept<boolean>(name, false, (value) => typeof value === "boolean");

/** The options that are not as on a first visit; reading them subscribes to each. */
export function keptOptions(): Record<string, unknown> {
	const now = [...KEPT].map(([name, { signal, first }]) => ({
		name,
		first,
		value: signal.value,
	}));
	return Object.fromEntries(
		now
			.filter(
				({ value, first }) => JSON.stringify(value) !== JSON.stringify(first),
			)
			.map(({ name, value }) => [name, value]),
	);
}

/** Takes over options of a link or a draft; absent and unknown ones get their defaults. */
export function takeOptions(options: unknown): void {
	const given =
		typeof options === "object" && options !== null
			? (options as Record<string, unknown>)
			: {};
	for (const [name, { signal, first, accepts }] of KEPT) {
		const value = given[name];
		signal.value = accepts(value) ? value : first;
	}
}

export const PANELS = PANEL_NAMES;
export type Panel = (typeof PANELS)[number];
export const panel = oneOf<Panel>("panel", PANELS, "problems");

/** A release as the engine names it; empty: each object chooses. Which there are is the engine's to say. */
export const isRelease = (value: unknown): value is Release =>
	matching(/^1\.\d{1,3}(\.\d{1,3})?$/)(value);
export const release = kept<Release | "">(
	"release",
	"",
	(value) => value === "" || isRelease(value),
);

/** The release of the nodes in the files is not taken: each object chooses. */
export const newestRelease = flag("newestRelease");

/** Feature gates as somebody writes them: `DRAConsumableCapacity=false`. */
export const gateWords = text("gates", "", /^[\w=,\s-]{0,2000}$/);
/** Labels of the namespace: `resource.kubernetes.io/admin-access=true`. */
export const labelWords = text("namespaceLabels", "", /^[\w=,\s./-]{0,2000}$/);

/** Codes of findings that the `claimkit.toml` of the project leaves out; no part of links, for the file is. */
export const ignored = signal<readonly string[]>([]);

export const OPERATIONS = [
	"create",
	"update",
	"updateStatus",
	"patch",
	"patchStatus",
] as const;
export type Operation = (typeof OPERATIONS)[number];
export const operation = oneOf<Operation>("operation", OPERATIONS, "create");

export const FIELD_VALIDATIONS = ["Strict", "Warn", "Ignore"] as const;
export const fieldValidation = oneOf(
	"fieldValidation",
	FIELD_VALIDATIONS,
	"Strict",
);

export const VIAS = ["kubectl", "validator"] as const;
export const via = oneOf("via", VIAS, "kubectl");

/** The object of a text that is compared with what the server holds, counted from 0. */
export const requestObject = kept<number>(
	"object",
	0,
	(value) => Number.isSafeInteger(value) && (value as number) >= 0,
);

/** The namespace of the request (`kubectl -n`); empty: as the objects say. */
export const requestNamespace = text("namespace");

export const PATCH_TYPES = ["strategic", "merge", "json", "apply"] as const;
export const patchType = oneOf("patchType", PATCH_TYPES, "strategic");
export const fieldManager = text("fieldManager", "kubectl");
export const force = flag("force");

/** The version to convert to, or a release, which takes the newest it serves; "other" chooses by the versions in the text. */
export type Target = ApiVersion | `1.${number}`;
export const target = kept<"other" | Target>(
	"target",
	"other",
	matching(/^(other|resource\.k8s\.io\/v[a-z0-9]+|1\.\d{1,3})$/),
);
export const lossy = flag("lossy");
/** Every open manifest is converted, and not the one on the screen alone. */
export const wholeProject = flag("wholeProject");
/** The assumptions of a conversion are written into the text as comments. */
export const annotate = flag("annotate");

/** Changes that a question about devices assumes, in the notation of the command line: `free=ns/claim`, `node-like=node-1`. */
export const whatIf = kept<readonly string[]>(
	"whatIf",
	[],
	(value) =>
		Array.isArray(value) &&
		value.length <= 20 &&
		value.every(
			(change) =>
				typeof change === "string" &&
				/^(free|untaint|without-rule|node-like)=[\s\S]{1,300}$/.test(change),
		),
);

/** The node and the column of the matrix that are explained. */
export interface Picked {
	node: string;
	column: number;
}
export const picked = kept<Picked | null>("cell", null, (value) => {
	const { node, column } = (value ?? {}) as Partial<Picked>;
	return (
		value === null ||
		(typeof node === "string" && typeof column === "number" && column >= 0)
	);
});

/** The pod and the node whose account is open; the pod is `namespace/name`, or empty for claims without one. */
export interface PickedDevices {
	pod: string;
	node: string;
}
export const pickedDevices = kept<PickedDevices | null>(
	"devices",
	null,
	(value) => {
		const { pod, node } = (value ?? {}) as Partial<PickedDevices>;
		return (
			value === null || (typeof pod === "string" && typeof node === "string")
		);
	},
);
/** `driver/pool/device`: whose selectors are shown, here and in the panel of expressions. */
export const chosenDevice = text("device");
/** The devices that the panel of expressions lists. */
export const CEL_SHOWN = ["all", "match", "other"] as const;
export const celShown = oneOf("celShown", CEL_SHOWN, "all");
export const celWords = text("celWords");
/** Devices that the expression must select, or must not. */
export const celCases = kept<readonly { device: string; match: boolean }[]>(
	"celCases",
	[],
	(value) =>
		Array.isArray(value) &&
		value.length <= 100 &&
		value.every(
			(one: unknown) =>
				typeof one === "object" &&
				one !== null &&
				typeof (one as { device?: unknown }).device === "string" &&
				typeof (one as { match?: unknown }).match === "boolean",
		),
);
/** Somebody wrote or chose the expression; else it is the text's or an example's, and goes with it. */
export const expressionOwn = flag("expressionOwn");
export const expression = text("expression", "", /^[\s\S]{0,20000}$/);
/** The first expression in the panel: it is true of every device. */
export const FIRST_EXPRESSION = 'device.driver != ""';

/** Each pod is placed as if no other pod waited, and not all of them in turn. */
export const alone = flag("alone");
/** The groups by which the use of devices is counted. */
export const USAGE_BY = [
	"nodes",
	"pools",
	"drivers",
	"classes",
	"namespaces",
] as const;
export const usageBy = oneOf("usageBy", USAGE_BY, "nodes");
export const usageWords = text("usageWords");
/** The release that the cluster of the panel will get; empty: nobody asked. */
export const upgradeTo = kept<Release | "">(
	"upgradeTo",
	"",
	(value) => value === "" || isRelease(value),
);
export const nodeWords = text("nodeWords");
export const podWords = text("podWords");

export const POLICY_OPERATIONS = ["CREATE", "UPDATE", "DELETE"] as const;
export const policyOperation = oneOf(
	"policyOperation",
	POLICY_OPERATIONS,
	"CREATE",
);
export const policyUser = text("policyUser", "jane");
export const policyGroups = text("policyGroups");

/** The page is embedded in another page: it shows one answer, keeps nothing and has no menus. */
export const embedded = signal(false);
/** Embedded, and without the editor. */
export const panelOnly = signal(false);

export const theme = remembered(
	"theme",
	["system", "light", "dark"] as const,
	"system",
);
export const wrap = remembered("wrap", ["off", "on"] as const, "off");
export const FONT_SIZES = ["12", "13", "14", "16", "18"] as const;
export const fontSize = remembered("fontSize", FONT_SIZES, "13");

/** Applies the theme to the page; the script in `index.html` does the same before the first paint. */
export function applyTheme(): void {
	const root = document.documentElement;
	if (theme.value === "system") delete root.dataset.theme;
	else root.dataset.theme = theme.value;
	root.style.setProperty("--code-size", `${fontSize.value}px`);
}
