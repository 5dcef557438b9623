import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type {
	Answer,
	ConvertedObject,
	PlacedObject,
	ValidateOptions,
} from "claimkit";
import { describe, expect, it } from "vitest";
import type { CodeExample } from "../build/codeexamples.ts";
import { engine } from "../build/engine.ts";
import {
	completionsTakeKeys,
	dist,
	openPage,
	setText,
	settled,
	setUp,
	textOf,
} from "./page.ts";

setUp();

describe("documentation and completion", () => {
	it("tells about a field under the pointer, in the language of the page", async () => {
		for (const [locale, words] of [
			["en-US", "optional|since"],
			["zh-CN", "[\u4e00-\u9fff]"],
		] as const) {
			const { page, done } = await openPage({
				path: "#example=placement",
				locale,
			});
			await page.getByRole("grid").waitFor();
			await page
				.locator(".editor-host .cm-line", { hasText: "suitableNodes" })
				.locator("span")
				.first()
				.hover();
			const tip = page.locator(".cm-tip");
			await tip.waitFor();
			expect(await tip.textContent()).toMatch(new RegExp(words));
			expect(await tip.locator("code").first().textContent()).toBe(
				"suitableNodes",
			);
			await done();
		}
	});

	it("completes keys and values that fit, with their indentation", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(
			page,
			"apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: a\nspec:\n",
		);
		await page.keyboard.type("  resourceCl");
		const list = page.locator(".cm-tooltip-autocomplete li");
		await list.filter({ hasText: "resourceClassName" }).waitFor();
		await completionsTakeKeys(page);
		await page.keyboard.press("Enter");
		await page.keyboard.type("gpu.example.com\nallocationM");
		await list.filter({ hasText: "allocationMode" }).waitFor();
		await completionsTakeKeys(page);
		await page.keyboard.press("Enter");
		await page.keyboard.press("Control+Space");
		await list.filter({ hasText: "Immediate" }).waitFor();
		await completionsTakeKeys(page);
		await page.keyboard.type("Imm");
		await completionsTakeKeys(page);
		await page.keyboard.press("Enter");
		await page.locator(".verdict.good").waitFor();
		expect(await textOf(page)).toBe(
			"apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: a\nspec:\n  resourceClassName: gpu.example.com\n  allocationMode: Immediate",
		);
		await done();
	});
});

const { codes: MEANINGS } = JSON.parse(
	readFileSync(
		new URL("../../pkg/locale/zh-Hans.json", import.meta.url),
		"utf8",
	),
) as { codes: Record<string, string> };
const plain = (text: string | null) => text?.replaceAll("`", "");

describe("findings in Chinese", () => {
	it("keep the words of who says them, and say in Chinese what they mean", async () => {
		const { page, done } = await openPage({
			locale: "zh-CN",
			path: "#example=three-mistakes",
		});
		await page.locator(".finding-meaning").first().waitFor();
		const findings = await page.locator(".finding").all();
		expect(findings.length).toBeGreaterThan(2);
		for (const finding of findings) {
			const code =
				(await finding.locator(".finding-foot a").textContent()) ?? "";
			expect(await finding.locator(".finding-meaning").textContent()).toBe(
				plain(MEANINGS[code]!),
			);
			const message = finding.locator(".finding-message.exact");
			if ((await message.count()) === 0) continue;
			expect(await message.getAttribute("lang")).toBe("en");
			expect(await message.textContent()).not.toMatch(/[\u4e00-\u9fff]/);
		}
		// In the editor too.
		await page.locator(".editor-host .cm-lintRange-error").first().hover();
		await page.locator(".cm-finding-meaning").first().waitFor();
		expect(Object.values(MEANINGS).map(plain)).toContain(
			await page.locator(".cm-finding-meaning").first().textContent(),
		);
		await page.mouse.move(0, 0);
		// And where messages are in the page's language already, once is enough.
		await page.getByRole("button", { name: "更多" }).click();
		await page.getByRole("radio", { name: "English" }).check();
		await page.locator(".verdict", { hasText: "would refuse" }).waitFor();
		expect(await page.locator(".finding-meaning").count()).toBe(0);
		await done();
	});

	it("say what a loss is", async () => {
		const { page, done } = await openPage({
			locale: "zh-CN",
			path: "#example=losses",
		});
		await page.getByRole("tab", { name: "转换" }).click();
		await page.locator(".losses .finding-meaning").waitFor();
		expect(await page.locator(".losses .finding-meaning").textContent()).toBe(
			plain(MEANINGS["conversion-loss"]!),
		);
		expect(
			await page.locator(".losses .finding-help").first().textContent(),
		).toMatch(/[\u4e00-\u9fff]/);
		await done();
	});
});

const TESTS = new URL("../../tests/", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, TESTS), "utf8");

const recorded = (path: string): unknown[] =>
	gunzipSync(readFileSync(new URL(`vectors/${path}`, TESTS)))
		.toString("utf8")
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as unknown);

/** The recorded expressions about devices; many of them have a mistake. */
function expressions(): string[] {
	const files = readdirSync(new URL("vectors/cel/", TESTS)).filter((name) =>
		/^(causes|search|dra-1\.3[78].*)\.jsonl\.gz$/.test(name),
	);
	const lines = files.flatMap((name) => recorded(`cel/${name}`));
	return [...new Set((lines as { expr: string }[]).map(({ expr }) => expr))];
}

/** The settings of the policy's tests, valid or not. */
function policySettings(): string[] {
	const cases = readdirSync(new URL("policy/", TESTS))
		.filter((name) => name.endsWith(".json"))
		.flatMap(
			(name) => JSON.parse(read(`policy/${name}`)) as Record<string, unknown>[],
		);
	return cases
		.flatMap(({ settings, settingsOnly }) => [settings, settingsOnly])
		.filter((settings) => settings !== undefined)
		.map((settings) => JSON.stringify(settings));
}

interface PodCase {
	release: string;
	name: string;
	annotations?: object;
	claims: unknown;
	containers: unknown[];
}

/** Pods whose claims upstream refuses, each mistake once. */
function podCases(): { text: string; release: string }[] {
	const lines = recorded("pod-claims.jsonl.gz") as PodCase[];
	const pods = lines.map(
		({ release, name, annotations, claims, containers }) => {
			const spec = {
				resourceClaims: claims,
				containers: containers.map((claims) => ({
					name: "c",
					image: "i",
					resources: { claims },
				})),
			};
			return [
				JSON.stringify({
					apiVersion: "v1",
					kind: "Pod",
					metadata: { name, annotations },
					spec,
				}),
				release,
			] as const;
		},
	);
	return [...new Map(pods)].map(([text, release]) => ({ text, release }));
}

/** Returns the sentences of ours in answers to all texts of the tests, in the language that is set. */
function sentencesOf(claimkit: Awaited<ReturnType<typeof engine>>): string[] {
	const folders = [
		"../../tests/manifests/",
		"../../tests/convert/",
		"../src/examples/",
	].map((path) => fileURLToPath(new URL(path, import.meta.url)));
	const texts = folders.flatMap((folder) =>
		readdirSync(folder)
			.filter((name) => name.endsWith(".yaml"))
			.map((name) => readFileSync(join(folder, name), "utf8")),
	);
	const nodes = readFileSync(join(folders[2]!, "nodes.yaml"), "utf8");
	const ours: string[] = [];
	const hear = (text: string | undefined) => text && ours.push(text);
	const hearAll = ({ findings }: Pick<Answer, "findings">) => {
		for (const { help, fixes, message, origin } of findings) {
			hear(help);
			if (origin === "claimkit") hear(message);
			for (const fix of fixes) hear(fix.title);
		}
	};
	for (const text of texts) {
		const answers = [
			claimkit.validate(text),
			claimkit.validate(text, { release: "1.26" }),
			claimkit.validate(text, { operation: "update", old: text }),
			claimkit.convert(text, { to: "v1alpha1" }),
			claimkit.convert(text, { to: "v1alpha2" }),
			claimkit.convert(text, { to: "v1", lossy: "allow" }),
			claimkit.evaluate(text, { nodes }),
		];
		for (const { findings, objects } of answers) {
			hearAll({ findings });
			for (const object of objects) {
				const { skipped, losses, decisions }: Partial<ConvertedObject> =
					"from" in object ? object : {};
				const { placement }: Partial<PlacedObject> =
					"placement" in object ? object : {};
				for (const decision of decisions ?? []) {
					hear(decision.message);
					for (const other of decision.alternatives)
						if (!/^`[^`]*`$/.test(other)) hear(other);
				}
				hear(skipped);
				for (const loss of losses ?? []) hear(loss.reason);
				for (const node of placement?.nodes ?? []) {
					if (node.reason !== node.schedulerReason) hear(node.reason);
					for (const check of (node.claims ?? []).flatMap(
						({ checks }) => checks,
					)) {
						if (check.why !== check.schedulerReason) hear(check.why);
						for (const requirement of (check.check === "selector"
							? (check.terms ?? [])
							: []
						).flatMap(({ requirements }) => requirements))
							hear(requirement.why);
					}
				}
			}
		}
	}
	const clusters = [
		folders[0]!,
		fileURLToPath(new URL("../../tests/place/", import.meta.url)),
	];
	for (const file of clusters.flatMap((folder) =>
		readdirSync(folder)
			.filter((name) => name.endsWith(".yaml"))
			.map((name) => join(folder, name)),
	)) {
		const text = readFileSync(file, "utf8");
		hearAll(claimkit.audit(text));
		for (const options of [{}, { alone: true }, { release: "1.34" }] as const) {
			const answer = claimkit.allocate(text, options);
			hearAll(answer);
			answer.assumed?.forEach(hear);
			for (const { before, turn, nodes } of answer.pods) {
				for (const text of [
					before?.help,
					turn?.help,
					turn?.waitsFor,
					...(turn?.unsure ?? []),
				])
					hear(text ?? undefined);
				for (const node of nodes) {
					hear(node.help);
					for (const { text } of [...node.conflicts, ...(node.resources ?? [])])
						hear(text);
					for (const { reason, text } of node.requests.flatMap(
						({ cells }) => cells,
					))
						if (reason) hear(text);
					for (const { text } of node.relaxations) hear(text);
					for (const { plugin, why } of node.refusals ?? [])
						if (plugin !== "DynamicResources") why.forEach(hear);
					for (const { why } of node.pools.flatMap(({ ignored }) => ignored))
						hear(why);
				}
			}
		}
	}
	const attributes = { model: { string: "t4" }, index: { int: 1 } };
	const read = 'device.attributes["d"]';
	for (const expression of [
		"true",
		`${read}.model == "a100"`,
		`${read}.model == "a100" && ${read}.index > 3`,
		`${read}.index == size(${read}.model) && true`,
		`${read}.memory > 3`,
		`${read}.model > 3`,
		"!true",
	]) {
		for (const { why } of claimkit.cel(expression, {
			devices: [{ driver: "d", attributes }],
			trace: true,
		}).results!)
			for (const line of why!) hear(line);
	}
	// The usual first errors: texts that are not YAML or JSON, each with another mistake; and the example of every finding code.
	const head =
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n";
	const wrong = [
		"  name: x\n bad: y",
		"\tname: x",
		"  name: 'x\nspec: {}",
		"  name: [a, b\nspec: {}",
		"  name: a: b",
		"  name\n  b: c",
		"  name: @x",
		"  name: *x",
		'  name: "\\d"',
		"  a:\n  - b\n c: d",
		"  a: - b",
		"  a: |0\n    x",
		"  a: {b: c, d",
		"  a: [b, , c]",
		"  a: ]",
		"  a: {{ .V }}",
		"  <<: 3",
		"  {a: b}: c",
		"  a: .inf",
		"  a: !!int x",
		"  a: 1\n  a: 2",
		"  a: 1\nb: 2\n c: 3",
		"  a: &x [*x]",
		"  name: x\n---x",
		"  name: \u201cx\u201d",
		"  name:x",
		"  a: ? b",
		'  a: "\\ud83d\\ude00"',
		"  a: 'x' y",
		"  a: x\u0001",
		"  a: [\n- b\n]",
		"  name: x\n\u3000spec: {}",
		"  name: \u00a0x",
	];
	const json = [
		'{"a": 1,}',
		"{a: 1",
		'{"a" 1}',
		"{\"a\": 'x'}",
		'{"a": "x\ny"}',
		'{"a": tru}',
	];
	for (const text of [
		...wrong.map((lines) => `${head}${lines}\n`),
		`%FOO x\n${head}`,
		`\u2013--\n${head}  name: x`,
		`...\n${head}\n...\nfoo: bar\n`,
		"a: b\n- c\n",
		...json,
	])
		hearAll(claimkit.validate(text));
	for (const {
		files: [file, ...others],
		operation,
		release,
		target,
	} of Object.values(
		JSON.parse(
			readFileSync(join(dist, "code-examples.json"), "utf8"),
		) as Record<string, CodeExample>,
	)) {
		const role = (wanted: string) =>
			others.find(({ role }) => role === wanted)?.text;
		const common = release ? { release } : {};
		hearAll(
			claimkit.validate(file!.text, {
				...common,
				...(operation ? { operation, old: role("stored") } : {}),
			} as ValidateOptions),
		);
		hearAll(claimkit.convert(file!.text, { to: target ?? "v1" }));
		hearAll(claimkit.allocate(file!.text, { alone: true }));
		const nodes = role("nodes");
		if (nodes) hearAll(claimkit.evaluate(file!.text, { nodes }));
	}
	const settings = [
		{ a: 1 },
		{ mode: "x" },
		{ mode: 3 },
		{ resourceClases: {} },
		{ resourceClasses: { allow: [] } },
		{ resourceClasses: { allow: ["a"], deny: ["b"] } },
		{ resourceClasses: { allow: "x" } },
		{ resourceClasses: { allow: ["a"], fallback: "b" } },
		{ resourceClasses: { allow: ["a"], fallback: "*" } },
		{ release: 1.28 },
		{ gates: { Foo: true } },
		{ apiVersions: { allow: ["v9"] } },
		{ allocationModes: { deny: ["Later"] } },
		{ parametersRef: { allow: [{ apiGroup: "x" }] } },
		{ pods: { maxClaims: -1 } },
		{ exempt: { namespaces: [1] } },
		{ exempt: null },
		{ adminAccess: { namespaces: [] } },
		{ resourceClasses: { namespaces: [{ allow: ["x"] }] } },
		{ suitableNodes: { mustSelect: [{}] } },
		[],
	];
	for (const each of settings)
		hearAll(claimkit.admit(null, JSON.stringify(each)));
	for (const text of policySettings()) hearAll(claimkit.admit(null, text));
	for (const expression of expressions()) {
		for (const release of ["1.34", "1.36"] as const) {
			const { compile } = claimkit.cel(expression, { release });
			if (compile?.ok === false) hear(compile.help);
			if (compile?.ok)
				for (const { message, help } of compile.warnings ?? [])
					[message, help].forEach(hear);
		}
	}
	for (const { text, release } of podCases())
		hearAll(claimkit.validate(text, { release } as ValidateOptions));
	return ours;
}

describe("the engine's sentences", () => {
	it("are in Chinese wherever the page shows ours: hints, fixes, what decides on a node, what a conversion loses", async () => {
		const claimkit = await engine();
		claimkit.setLocale("zh-Hans");
		const ours = new Set(sentencesOf(claimkit));
		claimkit.setLocale("en");
		// If a selector cannot be parsed, the reason is upstream's.
		const upstream = /(Invalid|Unsupported|Required) value|^unknown field /;
		expect(ours.size).toBeGreaterThan(500);
		expect(
			[...ours].filter(
				(text) => !upstream.test(text) && !/[\u4e00-\u9fff]/.test(text),
			),
		).toEqual([]);
		// Nor in one half, because a part of a sentence is not a message. What always fails does so with upstream's words.
		const words = /[A-Za-z]{2,}[,:]? [a-z]{2,}[,:]? [a-z]{2,}/;
		const theirs =
			/unknown field |总会失败：|同样拒绝该对象：|compilation failed: |quantities must match|name part must consist of|a qualified name must|CEL result of type|kube-apiserver 1\.31 crashes|(Invalid|Unsupported|Required) value|Forbidden: |decoding error|no such (key|overload)|ResourceClaim not created yet|could not find ResourceClaim|undeclared reference|yaml: |json: |Yaml document|is missing in |is registered for version|must (be an empty string or )?consist of/;
		expect(
			[...ours].filter(
				(text) =>
					!theirs.test(text) &&
					words.test(text.replace(/`[^`]*`|"[^"]*"/g, "")),
			),
		).toEqual([]);
	});
});
