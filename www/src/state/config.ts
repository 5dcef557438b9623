import { batch, effect, signal, untracked } from "@preact/signals";
import type { Release } from "claimkit";
import { readSettings, SettingsError } from "claimkit/settings";
import { editFile } from "../editor/editor.ts";
import {
	activate,
	files,
	freeName,
	newFile,
	open,
	type PageFile,
	textOf,
} from "./files.ts";
import { gates, namespaceLabels } from "./gates.ts";
import {
	gateWords,
	ignored,
	isRelease,
	labelWords,
	release,
} from "./options.ts";

/** An error of the file; lines count from 1. */
export interface ConfigTrouble {
	line: number;
	message: string;
}

export const configTrouble = signal<ConfigTrouble | null>(null);

/** The settings of the page that a `claimkit.toml` has. */
export interface Config {
	release: Release | "";
	gates: Record<string, boolean>;
	labels: Record<string, string>;
	ignore: string[];
}

const NONE: Config = { release: "", gates: {}, labels: {}, ignore: [] };

/** Returns the number of the first line with a key, counted from 1. */
const lineOf = (text: string, key: string): number =>
	Math.max(1, text.split("\n").findIndex((line) => line.includes(key)) + 1);

/** Reads the values; a wrong one is a trouble in the words of its key. */
function read(
	text: string,
	values: Record<string, unknown>,
): Config | ConfigTrouble {
	try {
		const {
			release: wanted = "",
			gates: set,
			namespaceLabels: labels,
			ignore,
		} = readSettings(values);
		if (wanted !== "" && !isRelease(wanted))
			return {
				line: lineOf(text, "release"),
				message: `\`release\`: ${quoted(wanted)} is not a release; write one such as "1.36" or "1.36.2"`,
			};
		return { release: wanted, gates: set, labels, ignore };
	} catch (error) {
		if (error instanceof SettingsError)
			return { line: lineOf(text, error.key), message: error.message };
		throw error;
	}
}

const words = (pairs: Record<string, unknown>): string =>
	Object.entries(pairs)
		.map(([name, value]) => `${name}=${String(value)}`)
		.join(",");

/** The settings that were read last. */
let taken: Config = NONE;

function take(config: Config): void {
	taken = config;
	batch(() => {
		configTrouble.value = null;
		release.value = config.release;
		gateWords.value = words(config.gates);
		labelWords.value = words(config.labels);
		ignored.value = config.ignore;
	});
}

const quoted = (text: string): string => JSON.stringify(text);
/** A key without quotes where TOML takes it so. */
const key = (name: string): string =>
	/^[\w-]+$/.test(name) ? name : quoted(name);

/** The settings as they are now, as lines of a `claimkit.toml`. */
function linesNow(): Record<"release" | "gates" | "namespace-labels", string> {
	const table = (
		pairs: Record<string, unknown>,
		value: (item: never) => string,
	) =>
		`{ ${Object.entries(pairs)
			.map(([name, item]) => `${key(name)} = ${value(item as never)}`)
			.join(", ")} }`;
	const { set } = gates.peek();
	const labels = namespaceLabels.peek();
	return {
		release: release.peek() ? `release = ${quoted(release.peek())}` : "",
		gates: Object.keys(set).length > 0 ? `gates = ${table(set, String)}` : "",
		"namespace-labels":
			Object.keys(labels).length > 0
				? `namespace-labels = ${table(labels, quoted)}`
				: "",
	};
}

const same = (one: unknown, other: unknown): boolean =>
	JSON.stringify(one) === JSON.stringify(other);

/** Returns the text with the settings as they are now; keys whose values are those of `had` stay as they are written. */
export function rewritten(text: string, had: Config = NONE): string {
	let lines = text.split("\n");
	const fresh: string[] = [];
	const kept = {
		release: release.peek() === had.release,
		gates: same(gates.peek().set, had.gates),
		"namespace-labels": same(namespaceLabels.peek(), had.labels),
	};
	for (const [name, line] of Object.entries(linesNow())) {
		if (kept[name as keyof typeof kept]) continue;
		const at = lines.findIndex((one) =>
			new RegExp(`^\\s*${name}\\s*=`).test(one),
		);
		const table = lines.findIndex((one) => one.trim() === `[${name}]`);
		if (at >= 0) lines.splice(at, 1, ...(line === "" ? [] : [line]));
		else if (table >= 0) {
			const end = lines.findIndex(
				(one, index) => index > table && /^\s*\[/.test(one),
			);
			lines = [...lines.slice(0, table), ...(end < 0 ? [] : lines.slice(end))];
			if (line !== "") fresh.push(line);
		} else if (line !== "") fresh.push(line);
	}
	// Keys behind a table would be the table's.
	const table = lines.findIndex((one) => /^\s*\[/.test(one));
	const head = table < 0 ? lines : lines.slice(0, table);
	while (head.length > 0 && head.at(-1)?.trim() === "") head.pop();
	const rest = table < 0 ? [] : lines.slice(table);
	return `${[...head, ...fresh, ...(rest.length > 0 ? ["", ...rest] : [])].join("\n").replace(/\n+$/, "")}\n`;
}

const configFile = (): PageFile | undefined =>
	files.value.find(({ role }) => role === "config");

/** Opens the settings as they are as a `claimkit.toml`, or the one that is there. */
export function openConfig(): void {
	const there = files.peek().find(({ role }) => role === "config");
	if (there) activate(there.id);
	else
		open(
			newFile(
				freeName("claimkit.toml"),
				"config",
				rewritten(
					"# Settings of the project, as the command line reads them\n",
				),
			),
		);
}

/** Keeps the page's settings and a `claimkit.toml` among its files equal; the last change wins. */
export function watchConfig(): void {
	let seen = "";
	let takes = false;
	effect(() => {
		const file = configFile();
		const now = file ? `${file.id}@${file.version}` : "";
		if (now === seen) return;
		seen = now;
		if (!file) {
			configTrouble.value = null;
			ignored.value = NONE.ignore;
			return;
		}
		const text = textOf(file);
		void import("smol-toml").then(({ parse, TomlError }) => {
			if (seen !== now) return;
			try {
				const config = read(text, parse(text));
				if ("message" in config) configTrouble.value = config;
				else {
					takes = true;
					take(config);
					takes = false;
				}
			} catch (error) {
				const found = error instanceof TomlError ? error : null;
				configTrouble.value = {
					line: found?.line ?? 1,
					message:
						(error instanceof Error ? error.message : String(error)).split(
							"\n",
						)[0] ?? "",
				};
			}
		});
	});
	let before: string | null = null;
	effect(() => {
		const now = JSON.stringify([
			release.value,
			gates.value.set,
			namespaceLabels.value,
		]);
		const first = before === null;
		if (now === before) return;
		before = now;
		// A file that was opened counts as it is.
		if (first) return;
		untracked(() => {
			const file = configFile();
			if (takes || !file || configTrouble.peek() !== null) return;
			const text = textOf(file);
			const next = rewritten(text, taken);
			if (next !== text)
				editFile(file.id, { from: 0, to: file.doc.length, insert: next });
		});
	});
}
