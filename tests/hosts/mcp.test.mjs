// `npx claimkit mcp` asked by the SDK's own client: what the tools are, that they read only what they should, and whether an agent that
// asks why a pod waits gets the true cause. The clusters of tests/hosts/agent ran on a real control plane; the causes are what
// kube-scheduler and kube-controller-manager said, or what was done to the cluster.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { npmTools } from "../../pkg/build/tools.mjs";
import { findKubectl, serve, writeKubeconfig } from "./api.mjs";
import { ALL, commands, here, root, run } from "./suite.mjs";

const sdk = (file) =>
	import(
		pathToFileURL(
			path.join(npmTools(), "@modelcontextprotocol/sdk/dist/esm", file),
		)
	);
const { Client } = await sdk("client/index.js");
const { StdioClientTransport } = await sdk("client/stdio.js");

const scratch = mkdtempSync(path.join(tmpdir(), "claimkit-mcp-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
const folder = path.join(scratch, "project");
mkdirSync(folder);
writeFileSync(path.join(scratch, "secret.yaml"), "password: hunter2\n");
mkdirSync(path.join(scratch, "other"));
writeFileSync(path.join(scratch, "other/claimkit.toml"), "hunter2 = true\n");
symlinkSync(path.join(scratch, "secret.yaml"), path.join(folder, "link.yaml"));

const cluster = (name) =>
	gunzipSync(readFileSync(path.join(here, `agent/${name}.json.gz`)));

/** Starts the server and asks it; `env` goes over that of the tests. */
async function session(ask, env = {}) {
	const client = new Client({ name: "claimkit-tests", version: "0" });
	await client.connect(
		new StdioClientTransport({
			command: process.execPath,
			args: [path.join(root, "pkg/cli.js"), "mcp"],
			cwd: folder,
			env: { ...process.env, ...env },
			stderr: "inherit",
		}),
	);
	try {
		await ask(async (name, given = {}) => {
			const result = await client.callTool({ name, arguments: given });
			assert.equal(result.content.length, 1);
			const [{ type, text }] = result.content;
			assert.equal(type, "text");
			if (given.full !== true)
				assert.ok(
					Buffer.byteLength(text) <= 2048,
					`${name}: ${Buffer.byteLength(text)} bytes`,
				);
			return { text, isError: result.isError === true };
		}, client);
	} finally {
		await client.close();
	}
}

/** What an agent asks, and what the answer must hold; words can break anywhere. */
const QUESTIONS = [
	{
		case: "pvc-missing-and-devices-held",
		pod: "c65/p",
		// Devices are held, too, and freeing them would not help: no node is looked at.
		cause: 'persistentvolumeclaim "no-such" not found',
		evidence: "c65/p: fits on no node",
	},
	{
		case: "admin-label-gone",
		pod: "c22/p",
		cause:
			"requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace",
		evidence: "ResourceClaimTemplate `admin`",
	},
	{
		case: "quota-claims",
		pod: "c52/p",
		cause:
			"exceeded quota: q, requested: count/resourceclaims.resource.k8s.io=1",
		evidence: "ResourceClaimTemplate `one-gpu`",
	},
	{
		case: "all-incomplete-pool-suggestion",
		pod: "c50/p",
		cause: "pool is incomplete: 1 of 2 slices",
		evidence: "2 on the node → 0 in usable pools → wanted 1",
	},
	{
		case: "higher-pod-waits-for-pvc",
		pod: "n01/p",
		// The devices are there; another pod with a higher priority waits for a volume and takes nothing.
		cause: "Insufficient cpu",
		evidence: "cpu: 100 wanted, 64 of 64 left",
	},
	{
		case: "binding-conditions",
		pod: "c46/p",
		cause: "the binding conditions of its devices",
		evidence: "example.com/attached of gpu.example.com/c46-a/gpu-0",
	},
];
const plain = (text) => text.replace(/\s+/g, " ");

test("an agent that asks about files gets the true cause and the evidence", async () => {
	await session(async (call) => {
		for (const { case: name, pod, cause, evidence } of QUESTIONS) {
			writeFileSync(path.join(folder, `${name}.json`), cluster(name));
			const { text, isError } = await call("explain_placement", {
				files: [`${name}.json`],
				pod,
			});
			assert.equal(isError, false, text);
			for (const part of [cause, evidence])
				assert.ok(plain(text).includes(part), `${name}: ${text}`);
		}
	});
});

const kubectl = findKubectl();

test("an agent that asks about a running cluster gets the same", {
	skip: kubectl === undefined && "there is no kubectl",
}, async () => {
	// Each asks kubectl a dozen times.
	const asked = ALL ? QUESTIONS : QUESTIONS.slice(2, 4);
	for (const { case: name, pod, cause } of asked) {
		const api = await serve({ stored: JSON.parse(cluster(name)).items });
		try {
			const kubeconfig = writeKubeconfig(
				path.join(scratch, `${name}.config`),
				api,
			);
			await session(
				async (call) => {
					const [namespace, named] = pod.split("/");
					const { text, isError } = await call("why", {
						pod: named,
						namespace,
					});
					assert.equal(isError, false, text);
					assert.ok(plain(text).includes(cause), `${name}: ${text}`);
					const trial = await call("what_if", {
						pod: named,
						namespace,
						changes: ["node-like=no-such-node*1"],
					});
					assert.match(trial.text, /no-such-node/);
				},
				{
					HOME: scratch,
					KUBECONFIG: kubeconfig,
					PATH: `${path.dirname(kubectl)}:${process.env.PATH}`,
				},
			);
			assert.ok(api.log.length > 0);
			assert.deepEqual(
				api.log.filter((line) => !line.startsWith("GET ")),
				[],
			);
		} finally {
			await api.stop();
		}
	}
});

test("each tool is read-only, and its description fits", async () => {
	await session(async (_, client) => {
		const { tools } = await client.listTools();
		assert.deepEqual(
			tools.map(({ name }) => name),
			[
				"why",
				"explain_placement",
				"what_if",
				"validate",
				"convert",
				"check_selector",
				"audit",
			],
		);
		for (const { annotations, description } of tools) {
			assert.equal(annotations.readOnlyHint, true);
			assert.ok(description.length < 400, description);
		}
		// An agent pays for these in every conversation.
		assert.ok(JSON.stringify(tools).length < 10_000);
		assert.ok(client.getInstructions().length < 1000);
		assert.equal(client.getServerVersion().name, "claimkit");
	});
});

const claim = (count) =>
	`apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: ${count}}}]}}\n`;

test("manifests and selectors are judged", async () => {
	await session(async (call) => {
		const bad = await call("validate", { text: claim(-1), release: "1.36" });
		assert.equal(bad.isError, false);
		assert.match(
			bad.text,
			/<text>:4:\d+: error: .*must be greater than zero \[kube-apiserver count-invalid\]/,
		);
		const update = await call("validate", {
			text: claim(2),
			old: claim(1).replace(
				"{name: c}",
				'{name: c, uid: u, resourceVersion: "1"}',
			),
		});
		assert.match(update.text, /field is immutable/);
		const converted = await call("convert", {
			text: `# kept\n${claim(1)}`,
			to: "v1beta1",
		});
		assert.match(
			converted.text,
			/^# kept\napiVersion: resource\.k8s\.io\/v1beta1\n/,
		);
		const selector = await call("check_selector", {
			expression: 'device.driver == "a"',
			devices: "name: gpu-0\ndriver: a\n---\nname: gpu-1\ndriver: b\n",
		});
		assert.match(selector.text, /gpu-0: matches/);
		assert.match(selector.text, /gpu-1: does not match/);
		assert.match(
			(await call("check_selector", { expression: "--help" })).text,
			/Syntax error|undeclared/i,
		);
		const held = {
			text: cluster("pvc-missing-and-devices-held").toString(),
			changes: ["free=c65/held"],
		};
		assert.match(
			plain((await call("what_if", held)).text),
			/ResourceClaim c65\/held holds no devices.*no-such" not found/,
		);
		const { text } = await call("audit", {
			text: cluster("all-incomplete-pool-suggestion").toString(),
		});
		assert.match(text, /pool-incomplete/);
	});
});

test("long answers are cut between paragraphs, and whole when asked for", async () => {
	await session(async (call) => {
		const text = Array(60).fill(claim(-1)).join("---\n");
		const short = (await call("validate", { text })).text;
		assert.match(
			short,
			/\n\n… \d+ of \d+ lines are left out: ask again with `full: true`/,
		);
		const full = (await call("validate", { text, full: true })).text;
		assert.match(full, /checked 60 objects in 1 file: 60 errors/);
		const line = (await call("validate", { text: `a: ${"é".repeat(5000)}` }))
			.text;
		assert.ok(!line.includes("\uFFFD"));
	});
});

test("errors are shown before warnings, and one finding of each kind before others", async () => {
	const dumped = (number) =>
		`apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c${number}, creationTimestamp: "2026-11-27T16:08:07Z", uid: u${number}}\n`;
	const wrong =
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {devices: {requests: [{name: a, exactly: {deviceClasName: x}}]}}\n";
	const text = [
		...Array.from({ length: 60 }, (_, number) => dumped(number)),
		wrong,
	].join("---\n");
	await session(async (ask) => {
		const { text: answer } = await ask("validate", { text });
		const codes = Array.from(
			answer.matchAll(/\[\S+ ([a-z-]+)\]$/gm),
			([, code]) => code,
		);
		assert.deepEqual(codes.slice(0, 2).sort(), [
			"class-name-invalid",
			"unknown-field",
		]);
		assert.equal(codes[2], "server-owned-dropped");
		assert.match(
			answer,
			/^checked 61 objects in 1 file: 2 errors, 120 warnings$/m,
		);
		assert.match(answer, /\d+ of \d+ lines are left out: ask again/);
	});
});

test("nothing is read outside of the folder, and nothing is written", async () => {
	await session(async (call) => {
		for (const files of [
			["../secret.yaml"],
			["link.yaml"],
			["/etc/hostname"],
			[".."],
			["../other/claimkit.toml"],
		]) {
			const { text, isError } = await call("validate", { files });
			assert.equal(isError, true, text);
			assert.match(text, /is not below .*, where this server reads/);
			assert.doesNotMatch(text, /hunter2/);
		}
		writeFileSync(path.join(folder, "mine.yaml"), claim(-1));
		for (const files of [
			["--fix", "mine.yaml"],
			["mine.yaml", "--fix"],
		])
			assert.match(
				(await call("validate", { files })).text,
				/--fix: no such file/,
			);
		assert.equal(
			readFileSync(path.join(folder, "mine.yaml"), "utf8"),
			claim(-1),
		);
		const { text, isError } = await call("why", {
			pod: "--kubeconfig=x",
			context: "no-such --kubeconfig=x",
		});
		assert.equal(isError, true);
		assert.match(text, /context "no-such --kubeconfig=x" does not exist/);
	});
});

test("calls that cannot be used say what is wrong", async () => {
	await session(async (call, client) => {
		for (const [name, given, wanted] of [
			["validate", {}, /give `text` or `files`/],
			[
				"validate",
				{ file: "x" },
				/has no argument `file`; it has `text`, `files`/,
			],
			["validate", { text: 1 }, /`text` must be a string/],
			["validate", { files: ["-"] }, /standard input belongs to the protocol/],
			["convert", { text: "" }, /`to` is missing/],
			[
				"validate",
				{ text: claim(1), release: "1.99" },
				/unknown release `1.99`/,
			],
			// The arguments of the tool, not the options of the command line.
			[
				"explain_placement",
				{ text: claim(1), nodes: ["n9"] },
				/`nodes`: there is no Node `n9`$/,
			],
			[
				"what_if",
				{ text: claim(1), changes: ["zz"] },
				/invalid value 'zz' for 'changes': write one of [^\n]*$/,
			],
		]) {
			const { text, isError } = await call(name, given);
			assert.equal(isError, true, text);
			assert.match(text, wanted);
		}
		await assert.rejects(
			client.callTool({ name: "delete", arguments: {} }),
			/there is no tool `delete`/,
		);
	});
});

test("codes and sentences of the scheduler are resources", async () => {
	await session(async (_, client) => {
		const text = async (uri) =>
			(await client.readResource({ uri })).contents[0].text;
		const { resources } = await client.listResources();
		for (const { uri } of resources) assert.ok((await text(uri)).length > 500);
		const { resourceTemplates } = await client.listResourceTemplates();
		assert.equal(resourceTemplates.length, 2);
		assert.match(
			await text("claimkit://codes/pool-incomplete"),
			/fewer slices/,
		);
		const sentences = await text("claimkit://scheduler");
		for (const [uri] of sentences.matchAll(/claimkit:\/\/scheduler\/\S+/g))
			assert.match(await text(uri), /Causes:/);
		await assert.rejects(
			text("claimkit://codes/no-such"),
			/there is no resource/,
		);
	});
});

test("the commands of the toolset for HolmesGPT are command lines of claimkit", () => {
	const file = path.join(root, "examples/agents/holmesgpt.yaml");
	const { toolsets } = JSON.parse(
		run(commands[1], ["parse", "--raw", file]).stdout,
	);
	const { tools } = toolsets["claimkit/devices"];
	assert.ok(tools.length >= 5);
	for (const { command } of tools) {
		const [kubectl, claimkit, ...words] = command
			.replaceAll(/\{\{ \w+ \}\}/g, "name")
			.split(" ");
		assert.deepEqual([kubectl, claimkit], ["kubectl", "claimkit"]);
		// As kubectl starts it; without a kubectl it gets no further than that.
		const done = spawnSync(
			process.execPath,
			[path.join(root, "pkg/kubectl-claimkit.js"), ...words],
			{ encoding: "utf8", env: { ...process.env, PATH: folder } },
		);
		assert.match(done.stderr, /kubectl: it is not on PATH/, command);
	}
});
