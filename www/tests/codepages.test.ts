import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type About, codePagesOf } from "../build/codepages.ts";
import { engine } from "../build/engine.ts";
import { sitePages } from "../build/site.ts";

const tests = fileURLToPath(new URL("../../tests", import.meta.url));
const { pages, withFix } = codePagesOf(tests, await engine());
/** A paragraph with fewer words says too little. */
const FEWEST_WORDS = 12;

const words = (...texts: (string | undefined)[]): number =>
	texts.flatMap((text) => text?.split(/\s+/).filter(Boolean) ?? []).length;

/** What is written about a code, as whole sentences with closed backquotes. */
const written = ({ rule, means, why, instead, fix, noExample }: About) =>
	[rule, means, why, instead, fix, noExample].filter(
		(text) => text !== undefined,
	);

test("the registry and the examples are of codes that there are", () => {
	const known = new Set(pages.map(({ code }) => code));
	const registry = Object.keys(
		JSON.parse(readFileSync(join(tests, "codes/rules.json"), "utf8")),
	);
	const examples = readdirSync(join(tests, "codes"))
		.filter((name) => name.endsWith(".yaml"))
		.map((name) => name.replace(/\.yaml$/, ""));
	expect([...registry, ...examples].filter((code) => !known.has(code))).toEqual(
		[],
	);
});

test("no page is thin", () => {
	const wrong: string[] = [];
	const seen = new Map<string, string>();
	for (const { code, meaning, about, example } of pages) {
		if (words(meaning.en, about.means) < FEWEST_WORDS)
			wrong.push(
				`${code}: \`means\` is needed, because its sentence in \`pkg/locale\` is short`,
			);
		if (words(about.why) < FEWEST_WORDS)
			wrong.push(`${code}: \`why\` is short`);
		if (meaning["zh-Hans"] === "")
			wrong.push(`${code}: it has no sentence in Chinese`);
		for (const text of [meaning.en, about.means, about.why]) {
			if (text === undefined) continue;
			const other = seen.get(text);
			if (other !== undefined)
				wrong.push(`${code}: the page of ${other} has the same sentences`);
			seen.set(text, code);
		}
		for (const text of written(about))
			if (!/[.)]$/.test(text) || text.split("`").length % 2 === 0)
				wrong.push(
					`${code}: not whole sentences with closed backquotes: ${text}`,
				);
		if (!example && about.noExample === undefined)
			wrong.push(`${code}: it has neither an example nor \`noExample\``);
		if (example && about.noExample !== undefined)
			wrong.push(`${code}: it has an example and a reason why there is none`);
		if (example?.texts.length === 0)
			wrong.push(
				`${code}: the example shows no text; write \`tests/codes/${code}.yaml\``,
			);
		if (withFix.has(code) !== (about.fix !== undefined))
			wrong.push(
				`${code}: \`fix\` must be there if a finding has a fix, and only then`,
			);
	}
	expect(wrong).toEqual([]);
});

test("a page says what the code means, marks the place and quotes the message, in both languages", () => {
	const made = new Map(
		sitePages({
			codes: pages,
			examples: { "unknown-field": {} },
			versions: {},
			readmes: [],
			sentences: {},
			funnels: {},
			releases: { en: [], "zh-Hans": [] },
		}).map(({ path, html }) => [path, html]),
	);
	const english = made.get("codes/unknown-field.html") ?? "";
	for (const part of [
		'<span class="error">error</span> <span>kube-apiserver</span>',
		'<p class="meaning">The kind has no such field in this version.',
		'<p class="release">Kubernetes 1.36</p>',
		"        <mark>selector</mark>: device.driver == &quot;gpu.example.com&quot;\n",
		"<blockquote>unknown field &quot;spec.devices.requests[0].exactly.selector&quot;</blockquote>",
		"<h2>What to write</h2>\n<p>Did you mean <code>selectors</code>?",
		'href="../#example=code/unknown-field"',
	])
		expect(english).toContain(part);
	const chinese = made.get("codes/zh/unknown-field.html") ?? "";
	for (const part of [
		'<p class="meaning">该类别在此版本中没有这个字段。',
		'<h2>为何重要</h2>\n<p lang="en">kubectl asks',
		'<blockquote lang="en">unknown field',
	])
		expect(chinese).toContain(part);
	// An excerpt of a manifest has no comments about findings, and marks the first line of the range.
	const excerpt = made.get("codes/yaml-duplicate-key.html") ?? "";
	expect(excerpt).toContain("<mark>");
	expect(excerpt).not.toMatch(/<pre>[^<]*# claimkit:/);
	const ofCodes = [...made.keys()].filter((path) => path.startsWith("codes/"));
	expect(ofCodes).toHaveLength(2 * pages.length + 2);
});
