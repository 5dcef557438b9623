import type {
	Completion,
	CompletionContext,
	CompletionResult,
} from "@codemirror/autocomplete";
import { SETTING_KEYS } from "claimkit/settings";
import { ask } from "../engine/client.ts";
import { t } from "../i18n/index.ts";
import { activeFile, literal } from "../state/files.ts";
import { usedRelease } from "../state/gates.ts";
import type { release } from "../state/options.ts";
import { choices, loadReleases } from "../state/releases.ts";

/** The gates of each release that was asked about, with their defaults. */
const known = new Map<string, Record<string, boolean>>();

async function gatesOf(
	wanted: typeof release.value,
): Promise<Record<string, boolean>> {
	const kept = known.get(wanted);
	if (kept) return kept;
	const outcome = await ask(
		"gates",
		{
			question: "gates",
			text: literal("gates", ""),
			options: wanted ? { release: wanted } : {},
		},
		true,
	);
	if (outcome.kind !== "answer") return {};
	known.set(wanted, outcome.answer);
	return outcome.answer;
}

/** Returns the key whose value contains a place, or its table; empty where a key can be written. */
function keyAt(context: CompletionContext): string {
	const line = context.state.doc.lineAt(context.pos);
	const before = line.text.slice(0, context.pos - line.from);
	const own = /^\s*([\w-]+)\s*=/.exec(before)?.[1];
	if (own !== undefined && (SETTING_KEYS as readonly string[]).includes(own))
		return own;
	for (let at = line.number - 1; at >= 1; at--) {
		const table = /^\s*\[([\w-]+)\]/.exec(context.state.doc.line(at).text)?.[1];
		if (table !== undefined) return table;
	}
	return "";
}

const VALUES: Record<(typeof SETTING_KEYS)[number], string> = {
	release: 'release = ""',
	gates: "gates = {  }",
	"namespace-labels": "namespace-labels = {  }",
	ignore: 'ignore = [""]',
	exclude: 'exclude = [""]',
};

/** Returns the completions of a `claimkit.toml` at a place: keys, releases, and gates by name with their defaults. */
export async function completeConfig(
	context: CompletionContext,
): Promise<CompletionResult | null> {
	if (activeFile.peek()?.role !== "config") return null;
	const s = t.peek();
	const word = context.matchBefore(/[\w.-]*/);
	const from = word?.from ?? context.pos;
	const before = context.state.doc.sliceString(
		context.state.doc.lineAt(context.pos).from,
		from,
	);
	const key = keyAt(context);
	if (!context.explicit && word?.text === "") return null;
	const options: Completion[] = [];
	if (key === "release") {
		await loadReleases();
		const quoted = /["']$/.test(before);
		for (const { value, label } of [...choices.value].reverse())
			options.push({
				label: value,
				...(label === value ? {} : { detail: label }),
				apply: quoted ? value : `"${value}"`,
			});
	} else if (key === "gates") {
		// A name is followed by its value.
		if (/=\s*$/.test(before) && !/^\s*gates\s*=\s*$/.test(before))
			options.push({ label: "true" }, { label: "false" });
		else
			for (const [name, on] of Object.entries(
				await gatesOf(usedRelease.peek()),
			))
				options.push({
					label: name,
					detail: s.gateDefault(on),
					apply: `${name} = ${!on}`,
				});
	} else if (key === "namespace-labels") {
		options.push({
			label: "resource.kubernetes.io/admin-access",
			detail: s.adminLabel,
			apply: '"resource.kubernetes.io/admin-access" = "true"',
		});
	} else if (key === "" && /^\s*$/.test(before)) {
		for (const name of SETTING_KEYS)
			options.push({
				label: name,
				detail: s.configKeys[name],
				apply: VALUES[name],
			});
	}
	return options.length === 0 ? null : { from, options, validFor: /^[\w.-]*$/ };
}
