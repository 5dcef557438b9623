import type * as claimkit from "claimkit";

/** A function of expressions, as the first release has it that gives it this signature. */
export interface CelFunction {
	/** `string.charAt(int) -> string` */
	signature: string;
	/** The number of further signatures. */
	more: number;
	/** The first release that has it; empty: each that has device classes. */
	since: string;
	/** The feature gate that it needs in that release. */
	gate?: string;
}

/** Functions that are called on values of one type, or on none. */
export interface FunctionGroup {
	/** The name of the type: `dyn` for any, empty for functions that are called on no value, `device` for the fields of a device. */
	of: string;
	functions: CelFunction[];
}

/** An expression of each type, behind whose dot the engine is asked what can follow. */
const RECEIVERS: [of: string, expression: string][] = [
	["device", "device"],
	["", ""],
	["string", '"a"'],
	["list", "[1]"],
	["map", '{"a": 1}'],
	["Quantity", 'quantity("1")'],
	["Semver", 'semver("1.0.0")'],
	["optional", "optional.of(1)"],
	["duration", 'duration("1s")'],
	["timestamp", 'timestamp("2026-01-01T00:00:00Z")'],
	["IP", 'ip("::1")'],
	["CIDR", 'cidr("::/0")'],
	["URL", 'url("http://a")'],
	["NamedFormat", "format.dns1123Label()"],
];

/** The gates that give expressions more. */
const GATES = ["DRAConsumableCapacity", "DRAListTypeAttributes"];

const HEAD = (apiVersion: string) =>
	`apiVersion: ${apiVersion}\nkind: DeviceClass\nmetadata:\n  name: c\nspec:\n  selectors:\n  - cel:\n      expression: |2-\n        `;

/** Names without the packages that they are declared in. */
const short = (signature: string): string =>
	signature
		.replace(/\b(kubernetes|google\.protobuf|net)\.(?=[A-Z])/g, "")
		.replace(/optional_type\(/g, "optional(");

/** Asks the engine of each release what it knows; what comes later than the first release is new in the one where it is first seen. */
export function functionsOf(
	complete: typeof claimkit.complete,
	releases: readonly claimkit.ReleaseEntry[],
): FunctionGroup[] {
	const served = releases.flatMap(({ release, versions }) => {
		const newest = versions
			.map(({ apiVersion }) => apiVersion)
			.filter((name) => /\/v(1|1beta\d|1alpha3)$/.test(name))
			.at(-1);
		return newest === undefined ? [] : [{ release, head: HEAD(newest) }];
	});
	const groups = new Map<string, Map<string, CelFunction>>();
	const inGroup = (of: string) => {
		const group = groups.get(of) ?? new Map<string, CelFunction>();
		groups.set(of, group);
		return group;
	};
	for (const [of, expression] of RECEIVERS) {
		const behind = of === "" ? "true || " : `${expression}.`;
		/** Types are offered under the names of the functions that make them. */
		const types = new Set<string>();
		served.forEach(({ release, head }, at) => {
			const ask = (gates?: Record<string, boolean>) => {
				try {
					return complete(
						head + behind,
						{ line: 8, character: 8 + behind.length },
						{ release, ...(gates ? { gates } : {}) },
					).items;
				} catch {
					// The release does not have the gate.
					return [];
				}
			};
			const add = (items: ReturnType<typeof ask>, gate?: string) => {
				// The methods of every type are offered where the engine does not know the type: the release has none such.
				if (of !== "" && items.some(({ label }) => label === "allowed")) return;
				for (const { label, kind, detail = "" } of items) {
					const isFunction = kind === "function";
					if (!isFunction && of === "") types.add(label);
					if (isFunction === (of === "device") || label === "in") continue;
					const signature = isFunction
						? short(detail.replace(/ \(\+\d+\)$/, ""))
						: `device.${label}: ${short(detail)}`;
					const group = inGroup(signature.startsWith("dyn.") ? "dyn" : of);
					const more = Number(/ \(\+(\d+)\)$/.exec(detail)?.[1] ?? 0);
					const known = group.get(label);
					if (known) known.more = Math.max(known.more, more);
					else
						group.set(label, {
							signature,
							more,
							since: at === 0 || types.has(label) ? "" : release,
							...(gate ? { gate } : {}),
						});
				}
			};
			add(ask());
			for (const gate of GATES) add(ask({ [gate]: true }), gate);
		});
	}
	return [...groups].map(([of, functions]) => ({
		of,
		functions: [...functions]
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([, one]) => one),
	}));
}
