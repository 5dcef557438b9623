import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type {
	ApiVersion,
	ApplyOptions,
	PatchOptions,
	Release,
	ValidateOptions,
	Version,
} from "claimkit";
import { WRITTEN } from "./written.ts";

type Operation = NonNullable<ValidateOptions["operation"]>;
type PatchType =
	| NonNullable<PatchOptions["patchType"]>
	| ApplyOptions["patchType"];

/** A text that gives a finding code, and what to ask about it; the page opens it as an example. */
export interface CodeExample {
	files: {
		name: string;
		role: "manifest" | "nodes" | "stored" | "patch" | "settings";
		text: string;
	}[];
	panel?: string;
	release?: Release;
	operation?: Operation;
	patchType?: PatchType;
	target?: ApiVersion;
	/** More of the page's options. */
	options?: Record<string, string>;
}

/** A comment under a line that says what is found there: `#   ^^^^ error some-code`. */
const MARK = /^#\s*[\^|][\^| \d:.~-]*\s*(?:error|warning|info)\s+([a-z0-9-]+)/;

/** The options of a text's first line; the tests check their values. */
type Asked = Record<string, string> & {
	release?: Release;
	operation?: Operation;
	patchType?: PatchType;
	to?: ApiVersion | Version;
};

/** Returns the options of the first line, as the tests read it: `# claimkit: release=1.29 old=claim.yaml`. */
function asked(text: string): Partial<Asked> {
	const words = /^# claimkit: (.*)/.exec(text)?.[1]?.split(/\s+/) ?? [];
	return Object.fromEntries(words.map((word) => word.split("=", 2)));
}

const isFull = (version: ApiVersion | Version): version is ApiVersion =>
	version.includes("/");

/** Codes about what several objects of a text say together: their example is the whole text, as it is of a file with this name. */
const TOGETHER = /-together\.yaml$/;
const ACROSS = /-not-in-|^pod-|^extended-resource-|^selector-/;

const PANELS: Record<string, string> = {
	convert: "convert",
	evaluate: "nodes",
	allocate: "devices",
	audit: "audit",
	admit: "policy",
};

/** The role of each text of a request. */
const ROLES: Record<string, CodeExample["files"][number]["role"]> = {
	text: "manifest",
	object: "manifest",
	old: "stored",
	patch: "patch",
	nodes: "nodes",
	settings: "settings",
};

/** The options of a request that the page has under another name; those of the page's own names are `release`, `operation` and `patchType`. */
const OPTIONS: Record<string, (value: string) => Record<string, string>> = {
	gates: (value) => ({ gates: value.replaceAll(":", "=") }),
	namespaceLabels: (value) => ({ namespaceLabels: value.replaceAll(":", "=") }),
	namespace: (namespace) => ({ namespace }),
	fieldManager: (fieldManager) => ({ fieldManager }),
};

/** Returns the example of a code's page as the page's panels ask about it; none where they cannot ask so. */
function ownExample(whole: string): CodeExample | undefined {
	const {
		verb = "validate",
		parts = "text",
		release,
		operation,
		patchType,
		to,
		via,
		...rest
	} = asked(whole);
	const names = parts.split(",");
	if (
		!(verb === "validate" || verb in PANELS) ||
		Object.keys(rest).some((name) => !(name in OPTIONS)) ||
		names.some((name) => !(name in ROLES))
	)
		return undefined;
	// The page shows what kubectl sends.
	if (via !== undefined && via !== "validator") return undefined;
	const body = whole.replace(/^# claimkit:.*\n/, "");
	const pieces = body.split(/\n---\n/);
	const texts = [
		...pieces.slice(0, names.length - 1),
		pieces.slice(names.length - 1).join("\n---\n"),
	];
	const files = names.map((name, index): CodeExample["files"][number] => {
		const role = ROLES[name]!;
		return {
			name: `${role}.yaml`,
			role,
			text: `${(texts[index] ?? "").trimEnd()}\n`,
		};
	});
	// The manifest is the text that opens, and there is always one.
	files.sort(
		(a, b) => Number(b.role === "manifest") - Number(a.role === "manifest"),
	);
	if (files[0]!.role !== "manifest")
		files.push({ name: "manifest.yaml", role: "manifest", text: "" });
	const options = Object.assign(
		{},
		via === undefined ? {} : { via },
		...Object.entries(rest).map(([name, value]) => OPTIONS[name]!(value ?? "")),
		verb === "admit" && operation ? { policyOperation: operation } : {},
	) as Record<string, string>;
	const request =
		verb === "validate" &&
		(operation !== undefined || via !== undefined || "namespace" in rest);
	return {
		files,
		...(verb in PANELS
			? { panel: PANELS[verb]! }
			: request
				? { panel: "request" }
				: {}),
		...(verb === "validate" && operation ? { operation } : {}),
		...(patchType ? { patchType } : {}),
		...(release ? { release } : {}),
		...(to
			? { target: isFull(to) ? to : (`resource.k8s.io/${to}` as const) }
			: {}),
		...(Object.keys(options).length > 0 ? { options } : {}),
	};
}

/**
 * For each finding code the example of its page, or else the first manifest of the tests that gives it, without the comments about
 * what is found. A text of several documents is cut to the one with the finding, unless they are read together.
 */
export function codeExamples(tests: string): Record<string, CodeExample> {
	const folder = join(tests, "manifests");
	const found: Record<string, CodeExample> = {};
	const without = (lines: readonly string[]) =>
		lines
			.filter(
				(line, index) =>
					!MARK.test(line) && !(index === 0 && line.startsWith("# claimkit:")),
			)
			.join("\n");
	const names = readdirSync(folder)
		.filter((file) => file.endsWith(".yaml"))
		.sort();
	// Prefers examples that are written for findings about several objects together.
	for (const name of [
		...names.filter((name) => TOGETHER.test(name)),
		...names,
	]) {
		const text = readFileSync(join(folder, name), "utf8");
		const {
			verb = "validate",
			release,
			operation,
			old,
			nodes,
			to,
			limits,
			via,
			...rest
		} = asked(text);
		if (
			limits ||
			via ||
			Object.keys(rest).length > 0 ||
			!(verb === "validate" || verb === "convert" || verb === "evaluate")
		)
			continue;
		const together =
			verb !== "validate" || old !== undefined || nodes !== undefined;
		for (const part of together ? [text] : text.split(/^---\n/m)) {
			const lines = part.split("\n");
			for (const line of lines) {
				const code = MARK.exec(line)?.[1];
				if (code === undefined || code in found) continue;
				const plain = without(
					ACROSS.test(code) || TOGETHER.test(name) ? text.split("\n") : lines,
				);
				const files: CodeExample["files"] = [
					{ name: "manifest.yaml", role: "manifest", text: plain },
				];
				for (const [role, file] of [
					["stored", old],
					["nodes", nodes],
				] as const) {
					const path = file && join(folder, "stored", file);
					if (path && existsSync(path))
						files.push({
							name: `${role}.yaml`,
							role,
							text: readFileSync(path, "utf8"),
						});
				}
				found[code] = {
					files,
					...(old !== undefined
						? { panel: "request", operation: operation ?? "update" }
						: verb in PANELS
							? { panel: PANELS[verb]! }
							: {}),
					...(release ? { release } : {}),
					...(to
						? { target: isFull(to) ? to : (`resource.k8s.io/${to}` as const) }
						: {}),
				};
			}
		}
	}
	const own: Record<string, CodeExample> = {};
	for (const name of readdirSync(join(tests, "codes"))
		.filter((file) => file.endsWith(".yaml"))
		.sort()) {
		const example = ownExample(
			readFileSync(join(tests, "codes", name), "utf8"),
		);
		const code = name.replace(/\.yaml$/, "");
		if (example) own[code] = example;
		// The page shows nothing that it cannot ask.
		else delete found[code];
	}
	return { ...WRITTEN, ...found, ...own };
}
