import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { exampleById } from "../src/examples/index.ts";
import { openPage, setText, setUp, textOf } from "./page.ts";

setUp();

const cli = fileURLToPath(new URL("../../pkg/cli.js", import.meta.url));

/** The command that a panel shows, once it has its answer. */
async function command(page: Page, panel: string): Promise<string> {
	await page.getByRole("tab", { name: new RegExp(`^${panel}`) }).click();
	await page.locator('[role="tabpanel"] [aria-busy="false"]').first().waitFor();
	return (await page.locator(".commands code").first().textContent())!;
}

/** Runs the command line in a folder with the files of an example. */
function run(shown: string, files: { name: string; text: string }[]) {
	const folder = mkdtempSync(join(tmpdir(), "claimkit-"));
	try {
		for (const { name, text } of files) writeFileSync(join(folder, name), text);
		const done = spawnSync(
			"bash",
			["-c", shown.replace(/^npx claimkit/, `"${process.execPath}" "${cli}"`)],
			{ cwd: folder, encoding: "utf8" },
		);
		return { out: done.stdout, err: done.stderr, exit: done.status };
	} finally {
		rmSync(folder, { recursive: true });
	}
}

const PANELS: [
	panel: string,
	example: string,
	command: string,
	out: RegExp,
	exit: number,
][] = [
	[
		"Problems",
		"first",
		"npx claimkit validate claim.yaml",
		/unknown field "spec\.devices\.requests\[0\]\.exactly\.alocationMode"/,
		1,
	],
	[
		"Convert",
		"v1beta1",
		"npx claimkit convert --to v1 template.yaml",
		/apiVersion: resource\.k8s\.io\/v1\n[\s\S]*exactly:/,
		0,
	],
	[
		"Devices",
		"gpu-pod",
		"npx claimkit allocate --pod training/trainer --node node-3 cluster.yaml",
		/node-3[\s\S]*gpu/,
		0,
	],
	[
		"Expression",
		"cel",
		"npx claimkit cel --device cluster.yaml 'device.attributes[",
		/gpu\.example\.com\/node-3\/gpu-0: matches/,
		0,
	],
	[
		"Expression",
		"claim",
		"npx claimkit cel 'device.driver != \"\"'",
		/type bool/,
		0,
	],
	[
		"Nodes",
		"placement",
		"npx claimkit evaluate --nodes nodes.yaml pod.yaml",
		/gpu-a100-1/,
		0,
	],
	[
		"Request",
		"update",
		"npx claimkit validate --operation update --old stored.yaml claim.yaml",
		/field is immutable/,
		1,
	],
	[
		"Request",
		"status",
		"npx claimkit validate --operation update-status --old stored.yaml claim.yaml",
		/reservedFor/,
		1,
	],
];

describe("the same on the command line", () => {
	for (const [panel, example, wanted, out, exit] of PANELS) {
		it(`is what ${panel} shows of ${example}, and answers it`, async () => {
			const { page, done } = await openPage({ path: `#example=${example}` });
			await page
				.locator(".panel .commands code, .panel .controls")
				.first()
				.waitFor();
			const shown = await command(page, panel);
			expect(shown.slice(0, wanted.length)).toBe(wanted);
			const answer = run(shown, exampleById(example)!.files);
			expect(answer.err).not.toContain("claimkit:");
			expect(answer.out).toMatch(out);
			expect(answer.exit).toBe(exit);
			await done();
		});
	}

	it("is what Policy shows, with the request that the page saves", async () => {
		const { page, done } = await openPage({ path: "#example=policy" });
		const shown = await command(page, "Policy");
		const saved = page.waitForEvent("download");
		await page
			.getByRole("button", { name: /^Save its AdmissionRequest/ })
			.first()
			.click();
		const file = await saved;
		const chunks: Buffer[] = [];
		for await (const chunk of await file.createReadStream())
			chunks.push(chunk as Buffer);
		expect(shown).toBe(
			`npx claimkit admit --settings settings.yaml ${file.suggestedFilename()}`,
		);
		const files = [
			...exampleById("policy")!.files,
			{
				name: file.suggestedFilename(),
				text: Buffer.concat(chunks).toString(),
			},
		];
		const answer = run(shown, files);
		expect(answer.err).not.toContain("claimkit:");
		expect(answer.out).toContain('"accepted":true');
		await done();
	});

	it("takes the manifests in Policy where there are many", async () => {
		const { page, done } = await openPage({ path: "#example=policy" });
		const [settings] = exampleById("policy")!.files.filter(
			({ name }) => name === "settings.yaml",
		);
		const claims = ["a", "b"]
			.map(
				(name) =>
					`apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: ${name}, namespace: default}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}\n`,
			)
			.join("---\n");
		await page.locator(".cm-content").first().waitFor();
		await setText(page, claims);
		await page.locator(".admitted").nth(1).waitFor();
		const shown = await command(page, "Policy");
		expect(shown).toMatch(
			/^npx claimkit admit --user jane --settings settings\.yaml \S+\.yaml$/,
		);
		const answer = run(shown, [
			settings!,
			{ name: shown.split(" ").at(-1)!, text: claims },
		]);
		expect(answer.err).not.toContain("claimkit:");
		for (const name of ["a", "b"])
			expect(answer.out).toContain(`ResourceClaim default/${name}: `);
		await done();
	});

	it("names all tabs that are read together", async () => {
		const { page, done } = await openPage({ path: "#example=gpu-pod" });
		await page.locator(".account .chains").waitFor();
		await page.getByRole("button", { name: "New file" }).click();
		await page
			.locator(".popover-panel")
			.getByRole("button", { name: /^Manifest/ })
			.click();
		// Into the new file, whatever the panel answers meanwhile.
		await page.keyboard.type("# nothing yet, typed while the panel answers", {
			delay: 30,
		});
		await page
			.locator(".commands code", { hasText: /cluster\.yaml [\w-]+\.yaml$/ })
			.waitFor();
		expect(await textOf(page)).toContain(
			"nothing yet, typed while the panel answers",
		);
		await done();
	});
});
