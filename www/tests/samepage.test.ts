// The page has no answers of its own: what it shows about files is what the command prints about them.
import { spawnSync } from "node:child_process";
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { allocated, audited, converted, type Given } from "./command.ts";
import { dump } from "./dump.ts";
import { openFiles, openPage, podsShown, setUp } from "./page.ts";

setUp();

const tab = (page: Page, name: string) => page.getByRole("tab", { name });
const path = (name: string) =>
	fileURLToPath(new URL(`cases/${name}`, import.meta.url));
const example = (name: string) =>
	fileURLToPath(new URL(`../src/examples/${name}`, import.meta.url));
const given = (name: string): Given => ({
	name,
	text: readFileSync(path(name)),
});

/** A long time: the machine may be busy, and a text of many megabytes is read several times. */
const PATIENCE_MS = 240_000;

/** The same objects as JSON, which kubectl prints as well. */
function asJson(text: string): string {
	const items = text
		.split(/^---$/m)
		.filter((part) => part.trim() !== "")
		.map((part) => JSON.parse(part) as unknown);
	return JSON.stringify({ apiVersion: "v1", kind: "List", items }, null, "\t");
}

const object = (
	apiVersion: string,
	kind: string,
	name: string,
	more: object,
	namespace?: string,
): string =>
	JSON.stringify({
		apiVersion,
		kind,
		metadata: { name, ...(namespace ? { namespace } : {}) },
		...more,
	});

const JSON_CLUSTER = [
	object("v1", "Node", "n1", {}),
	object("resource.k8s.io/v1", "DeviceClass", "gpu", {}),
	object("resource.k8s.io/v1", "ResourceSlice", "s", {
		spec: {
			driver: "gpu.example.com",
			nodeName: "n1",
			pool: { name: "n1", generation: 1, resourceSliceCount: 1 },
			devices: [{ name: "gpu-0" }],
		},
	}),
];
const CLAIMS = [
	object(
		"resource.k8s.io/v1",
		"ResourceClaim",
		"one",
		{
			spec: {
				devices: {
					requests: [{ name: "g", exactly: { deviceClassName: "gpu" } }],
				},
			},
		},
		"a",
	),
	object(
		"v1",
		"Pod",
		"p",
		{
			spec: {
				containers: [
					{ name: "c", image: "i", resources: { claims: [{ name: "g" }] } },
				],
				resourceClaims: [{ name: "g", resourceClaimName: "one" }],
			},
		},
		"a",
	),
];

const UNEQUAL = {
	request: "",
	different: true,
	youngestFirst: true,
	kubelet: "v1.36.2",
} as const;

const utf16 = (text: string): Buffer =>
	Buffer.concat([
		Buffer.from([0xff, 0xfe]),
		Buffer.from(text.replace(/\n/g, "\r\n"), "utf16le"),
	]);

/** Inputs with pods that wait, by name. */
const CLUSTERS: Record<string, readonly Given[]> = {
	"a small dump": [{ name: "d.yaml", text: dump({ ...UNEQUAL, pods: 3 }) }],
	"a dump of 400 KB": [
		{
			name: "d.yaml",
			text: dump({ ...UNEQUAL, nodes: 40, devices: 16, pods: 30 }),
		},
	],
	"a dump of 3 MB": [
		{
			name: "sre.yaml",
			text: gunzipSync(readFileSync(path("sre-60.yaml.gz"))),
		},
	],
	"two pods of unequal age": [given("order2.yaml")],
	"two pods of unequal age in a long text": [
		{
			name: "order2.yaml",
			text: `${readFileSync(path("order2.yaml"), "utf8")}${"# a line that says nothing\n".repeat(12_000)}`,
		},
	],
	"UTF-16 with CR and LF": [
		{ name: "d.yaml", text: utf16(dump({ ...UNEQUAL, pods: 3 })) },
	],
	"JSON with tabs and YAML": [
		{ name: "cluster.json", text: asJson(JSON_CLUSTER.join("\n---\n")) },
		{ name: "claims.yaml", text: CLAIMS.join("\n---\n") },
	],
	"JSON values one after the other, and escapes that YAML has not": [
		{ name: "cluster.json", text: JSON_CLUSTER.join("\n") },
		{
			name: "claims.json",
			text: CLAIMS.join("\n").replace(
				'"image":"i"',
				'"image":"\\ud83d\\ude80"',
			),
		},
	],
	"a file whose last document cannot be read": [
		{
			name: "cluster.yaml",
			text: `${JSON_CLUSTER.join("\n---\n")}\n---\nkind: Pod\n metadata: {}\n`,
		},
		{ name: "claims.yaml", text: CLAIMS.join("\n---\n") },
	],
	"nodes in files of their own": [
		...dump({ ...UNEQUAL, pods: 4 })
			.split(/^(?=- apiVersion)/m)
			.slice(1)
			.map((item, index) => ({
				name: `object-${index}.yaml`,
				text: item.replace(/^(- | {2})/gm, ""),
			})),
	],
	volumes: [given("pvc.yaml")],
	"a gang": [given("gang.yaml")],
	partitions: [given("mig-134.yaml")],
	...Object.fromEntries(
		[
			"gpu-pod",
			"many-pods",
			"counters",
			"capacity",
			"match-attribute",
			"prioritized",
			"taints",
			"extended",
			"admin-access",
		].map((name) => [
			`the example ${name}`,
			[{ name: `${name}.yaml`, text: readFileSync(example(`${name}.yaml`)) }],
		]),
	),
};

/** The release that the page's own command names. */
async function releaseOf(page: Page): Promise<string[]> {
	const command =
		(await page.locator(".devices .commands code").last().textContent()) ?? "";
	const [, release] = /--release (\S+)/.exec(command) ?? [];
	return release ? ["--release", release] : [];
}

describe("about pods", () => {
	for (const [name, files] of Object.entries(CLUSTERS)) {
		it(
			`of ${name}`,
			async () => {
				const { page, done } = await openPage();
				await openFiles(page, files);
				await tab(page, "Devices").click();
				const shown = await podsShown(page, PATIENCE_MS);
				const answer = allocated(files, ...(await releaseOf(page)));
				const wanted = Object.fromEntries(
					answer.pods.flatMap(({ pod, turn }) =>
						pod === null
							? []
							: [[pod, `${turn?.outcome ?? ""} ${turn?.node ?? ""}`.trim()]],
					),
				);
				expect(shown).toEqual(wanted);
				const placed = answer.pods.filter(({ turn }) => turn?.node).length;
				const named = Object.keys(wanted).length;
				expect(
					await page.locator(".turns [role=status]").textContent(),
				).toContain(`${placed} of ${named} have a node`);
				const messages = await page
					.locator(".pod-sentences > ul > li")
					.evaluateAll((rows) =>
						Object.fromEntries(
							rows.map((row) => [
								(row as HTMLElement).dataset.pod,
								row.querySelector(".computed code")?.textContent ?? "",
							]),
						),
					);
				for (const [pod, message] of Object.entries(messages))
					expect([pod, message]).toEqual([
						pod,
						answer.pods.find((one) => one.pod === pod)?.turn?.message ?? "",
					]);
				if (answer.headline)
					expect(
						await page
							.locator(".headline .pod-list > summary")
							.evaluateAll((rows) =>
								rows.map((row) =>
									(row.textContent ?? "").replace(/\s+/g, " ").trim(),
								),
							),
					).toEqual(
						answer.headline.parts.map(
							({ pods, reason }) =>
								`${pods.length} ${reason.replaceAll("`", "")}`,
						),
					);
				await done();
			},
			PATIENCE_MS * 2,
		);
	}
});

it("about an attribute that no device has: those that there are", async () => {
	const files: Given[] = [
		{
			name: "cluster.json",
			text: JSON_CLUSTER.join("\n").replace(
				'{"name":"gpu-0"}',
				'{"name":"gpu-0","attributes":{"model":{"string":"a"},"index":{"int":0}}}',
			),
		},
		{
			name: "claims.json",
			text: CLAIMS.join("\n").replace(
				'"deviceClassName":"gpu"',
				'"deviceClassName":"gpu","selectors":[{"cel":{"expression":"device.attributes[\\"gpu.example.com\\"].vendor == \\"x\\""}}]',
			),
		},
	];
	const { page, done } = await openPage();
	await openFiles(page, files);
	await tab(page, "Devices").click();
	await podsShown(page);
	await page.getByRole("link", { name: "a/p" }).click();
	const shown = page.locator(".stage-more", { hasText: "vendor is on" });
	await shown.waitFor();
	const { pods } = allocated(files, "--pod", "a/p", "--node", "n1");
	const missing = pods[0]!.nodes[0]!.requests[0]!.funnel.flatMap((stage) =>
		"missing" in stage ? (stage.missing ?? []) : [],
	);
	expect(missing.length).toBe(1);
	expect(missing[0]!.alike).toEqual([]);
	for (const name of Object.keys(missing[0]!.published))
		expect(await shown.textContent()).toContain(name);
	await done();
});

describe("about a cluster", () => {
	for (const name of [
		"a small dump",
		"a dump of 3 MB",
		"nodes in files of their own",
		"JSON with tabs and YAML",
	]) {
		it(
			`of ${name}`,
			async () => {
				const files = CLUSTERS[name]!;
				const { page, done } = await openPage();
				await openFiles(page, files);
				await tab(page, "Audit").click();
				const panel = page.locator('.audit[aria-busy="false"]');
				await panel.waitFor({ timeout: PATIENCE_MS });
				const command =
					(await page.locator(".audit .commands code").last().textContent()) ??
					"";
				const [, release] = /--release (\S+)/.exec(command) ?? [];
				const answer = audited(
					files,
					...(release ? ["--release", release] : []),
				);
				const verdict = await panel.locator(".audit-verdict b").textContent();
				if (answer.findings.length === 0) expect(verdict).not.toMatch(/\d/);
				else
					expect(verdict?.replace(/\D/g, "")).toBe(
						String(answer.findings.length),
					);
				await done();
			},
			PATIENCE_MS * 2,
		);
	}
});

describe("about conversions", () => {
	it("of a repository: which files change, and which cannot be read", async () => {
		const { page, done } = await openPage();
		await openFiles(page, [given("repo.tar.gz")]);
		await tab(page, "Convert").click();
		await page.getByText("all files", { exact: false }).first().click();
		await page.locator("select").first().selectOption("resource.k8s.io/v1");
		await page
			.locator('.convert-all[aria-busy="false"]')
			.waitFor({ timeout: PATIENCE_MS });
		const rows = await page
			.locator(".project-table tbody tr")
			.evaluateAll((found) =>
				found.map((row) => ({
					name: row.querySelector("th")?.textContent ?? "",
					result: row.querySelector("td")?.textContent ?? "",
				})),
			);
		expect(rows.length).toBeGreaterThan(25);
		const texts = filesOfTar(gunzipSync(readFileSync(path("repo.tar.gz"))));
		for (const { name, result } of rows) {
			const text = texts.get(name);
			if (text === undefined) throw new Error(`no ${name}`);
			const own = converted(
				{ name: "file.yaml", text },
				"--to",
				"resource.k8s.io/v1",
			);
			const unread =
				own.text === undefined &&
				own.findings.some(
					({ severity, origin }) =>
						severity === "error" && origin !== "claimkit",
				);
			const kind = unread
				? "not read"
				: own.text === undefined
					? "refused"
					: own.text === text
						? "same"
						: "converted";
			const shown = result.startsWith("not read")
				? "not read"
				: result.startsWith("refused")
					? "refused"
					: result === "converted"
						? "converted"
						: "same";
			expect([name, shown]).toEqual([name, kind]);
		}
		await done();
	}, 600_000);

	it("of a repository as a patch, which git applies in its folder", async () => {
		const { page, done } = await openPage();
		await openFiles(page, [given("repo.tar.gz")]);
		await tab(page, "Convert").click();
		await page.getByText("all files", { exact: false }).first().click();
		await page.locator("select").first().selectOption("resource.k8s.io/v1");
		await page
			.locator('.convert-all[aria-busy="false"]')
			.waitFor({ timeout: PATIENCE_MS });
		const saved = page.waitForEvent("download");
		await page.getByRole("button", { name: "Save as a patch" }).click();
		const patch = readFileSync(await (await saved).path());
		await page.getByText("in the folder repo").first().waitFor();
		const folder = mkdtempSync(join(tmpdir(), "claimkit-patch-"));
		try {
			const texts = filesOfTar(gunzipSync(readFileSync(path("repo.tar.gz"))));
			for (const [name, text] of texts) {
				mkdirSync(dirname(join(folder, name)), { recursive: true });
				writeFileSync(join(folder, name), text);
			}
			const { stderr, status } = spawnSync("git", ["apply", "-"], {
				cwd: join(folder, "repo"),
				input: patch,
				encoding: "utf8",
				env: { ...process.env, GIT_CEILING_DIRECTORIES: folder },
			});
			expect([stderr, status]).toEqual(["", 0]);
			const changed = [...texts].filter(
				([name, text]) => readFileSync(join(folder, name), "utf8") !== text,
			);
			expect(changed.length).toBe(
				[...patch.toString().matchAll(/^\+\+\+ /gm)].length,
			);
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
		await done();
	}, 600_000);

	it("never says that nothing is lost where parameters of another file are", async () => {
		const { page, done } = await openPage();
		await openFiles(page, [given("h10-claim.yaml"), given("h10-params.yaml")]);
		await tab(page, "Convert").click();
		await page.locator("select").first().selectOption("resource.k8s.io/v1");
		const panel = page.locator('.convert[aria-busy="false"]');
		await panel.locator(".losses").first().waitFor();
		expect(await panel.locator(".good-line").count()).toBe(0);
		const whole = converted(
			given("h10-one.yaml"),
			"--to",
			"resource.k8s.io/v1",
		);
		const lost = whole.objects.flatMap(({ losses }) =>
			losses.map(({ path: field }) => field),
		);
		for (const field of lost)
			await panel.locator(".losses code", { hasText: field }).first().waitFor();
		await done();
	});
});

/** The files of a tar archive, by name. */
function filesOfTar(bytes: Buffer): Map<string, string> {
	const files = new Map<string, string>();
	for (let at = 0; bytes[at]; ) {
		const field = (from: number, length: number) =>
			bytes
				.subarray(at + from, at + from + length)
				.toString()
				.replace(/\0.*$/s, "");
		const size = Number.parseInt(field(124, 12), 8);
		if (field(156, 1) === "0")
			files.set(
				field(0, 100),
				bytes.subarray(at + 512, at + 512 + size).toString(),
			);
		at += 512 + Math.ceil(size / 512) * 512;
	}
	return files;
}
