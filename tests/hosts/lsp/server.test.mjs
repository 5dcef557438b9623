// The language server over standard input and output: the same answers as the functions, whatever an editor does.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	cpSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { TextDocument } from "vscode-languageserver-textdocument";
import * as claimkit from "../../../pkg/node.js";
import { until } from "../../until.mjs";
import { here, root } from "../suite.mjs";
import { address, asked, command, start, stopAll } from "./client.mjs";

const folder = path.join(here, `target/lsp-${asked}`);
/** A test of what only the Wasm module can suffer. */
const testOfWasm = asked === "native" ? () => {} : test;
const manifests = path.join(root, "tests/manifests");
const scenarios = path.join(root, "tests/vectors/alloc/scenarios");
const read = (file) => readFileSync(file, "utf8");
const SILENT = new Set(["nothing-checked", "other-group"]);

let server;
before(async () => {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	server = await start();
});
after(async () => {
	assert.equal(await server.stop(), 0);
	stopAll();
});

let count = 0;
const fresh = (name = "a.yaml") => {
	count += 1;
	return `untitled:${count}/${name}`;
};

/** Opens a text and waits for what is found in it. */
async function opened(text, { name, language, on = server } = {}) {
	const uri = fresh(name);
	await on.open(uri, text, language);
	return { uri, found: await on.diagnostics(uri, 1) };
}

const place = ({ start: { line, character }, end }) => [
	line,
	character,
	end.line,
	end.character,
];
const SEVERITY = { error: 1, warning: 2, info: 3 };

/** What `validate` says that an editor is to show. */
function expected(text, options) {
	const shown = claimkit.validate(text, options).findings.filter(
		({ code, severity, range: { start, end } }) =>
			!SILENT.has(code) &&
			severity !== "info" &&
			// What Flux fills in is another value.
			!/\$\{\w+[}:]/.test(text.slice(start.offset, end.offset)),
	);
	return shown.map(({ code, severity, origin, message, help, range }) => [
		code,
		SEVERITY[severity],
		origin,
		help === undefined ? message : `${message}\n${help}`,
		place(range),
	]);
}

const seen = (found) =>
	found.map(({ code, severity, source, message, range }) => [
		code,
		severity,
		source,
		message,
		place(range),
	]);

test("it says who it is and what it can", () => {
	assert.equal(server.hello.serverInfo.name, "claimkit");
	assert.equal(
		server.hello.serverInfo.version,
		JSON.parse(read(path.join(root, "pkg/package.json"))).version,
	);
	assert.equal(server.hello.capabilities.textDocumentSync.change, 2);
});

test("diagnostics are what `validate` finds, for every manifest of the tests", async () => {
	const texts = readdirSync(manifests).filter((name) =>
		/\.(yaml|json)$/.test(name),
	);
	let compared = 0;
	for (const name of texts) {
		const text = read(path.join(manifests, name));
		if (!text.includes("resource.k8s.io") || text.includes("\ufffd")) continue;
		const { uri, found } = await opened(text, {
			name,
			language: name.endsWith("json") ? "json" : "yaml",
		});
		await server.close(uri);
		assert.deepEqual(seen(found), expected(text), name);
		compared += found.length > 0;
	}
	assert.ok(compared >= 40, `only ${compared} manifests with findings`);
});

/** A generator of numbers below `most` (mulberry32). */
function random(seed) {
	return (most) => {
		seed = (seed + 0x6d2b79f5) | 0;
		let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) % most;
	};
}

test("500 random edits give what a fresh open gives, with CRLF and surrogate pairs", async () => {
	const other = await start();
	const next = random(20261125);
	const claim = read(path.join(here, "manifests/device-pod.yaml"));
	let document = TextDocument.create(
		fresh(),
		"yaml",
		1,
		`# é😀\r\n${claim.replaceAll("\n", "\r\n")}---\n${claim.replaceAll("one", "tw😀o")}`,
	);
	const snippets = [
		"\r\n",
		"\n",
		"😀",
		"é",
		"  ",
		"name: x\n",
		"- ",
		'"',
		"resource.k8s.io/v1beta1",
		"---\n",
		"{",
		"exactly:\r\n",
		"\r",
		"a: b # 😀\r\n",
	];
	await server.open(document.uri, document.getText());
	let differing = 0;
	for (let version = 2; version <= 501; version += 1) {
		const changes = [];
		for (let many = 0; many <= next(3); many += 1) {
			const text = document.getText();
			let from = next(text.length + 1);
			let to = Math.min(
				text.length,
				from + (next(12) === 0 ? next(30) : next(3)),
			);
			// An editor never changes half a character or half a line end.
			const inside = (at) =>
				/[\ud800-\udbff]/.test(text[at - 1] ?? "") ||
				(text[at - 1] === "\r" && text[at] === "\n");
			while (inside(from)) from -= 1;
			while (inside(to)) to += 1;
			const change = {
				range: {
					start: document.positionAt(from),
					end: document.positionAt(to),
				},
				text: next(3) === 0 ? "" : snippets[next(snippets.length)],
			};
			changes.push(change);
			document = TextDocument.update(document, [change], version);
		}
		await server.change(document.uri, version, changes);
		if (version % 8 !== 0 && version !== 501) continue;
		const text = document.getText();
		const found = await server.diagnostics(document.uri, version);
		const { uri, found: anew } = await opened(text, { on: other });
		assert.deepEqual(found, anew, JSON.stringify(text));
		const [symbols, symbolsAnew] = await Promise.all([
			server.ask("textDocument/documentSymbol", {
				textDocument: { uri: document.uri },
			}),
			other.ask("textDocument/documentSymbol", { textDocument: { uri } }),
		]);
		assert.deepEqual(symbols, symbolsAnew);
		await other.close(uri);
		differing += found.length > 0;
	}
	assert.ok(differing > 10, `${differing}`);
	await server.close(document.uri);
	await other.stop();
});

test("nothing is said of what is none of ours", async () => {
	const silent = {
		"a Helm template": [
			"chart/templates/claim.yaml",
			"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: {{ .Release.Name }}\nspec: {}\n",
		],
		"a template elsewhere": [
			"claim.yaml",
			'apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  {{- include "labels" . | nindent 2 }}\n',
		],
		"a Deployment without claims": [
			"web.yaml",
			"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n      containers: [{name: a, image: b}]\n",
		],
		"a compose file": [
			"docker-compose.yaml",
			"services:\n  web:\n    image: nginx\n    ports: ['80:80']\n",
		],
		"an empty file": ["empty.yaml", ""],
		"a comment": ["comment.yaml", "# nothing\n---\n"],
		"a Pod without claims": [
			"pod.yaml",
			"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}\n",
		],
		"a good claim": [
			"good.yaml",
			"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: a\nspec: {}\n",
		],
		"a package": ["package.json", '{"name": "x", "version": "1.0.0"}'],
	};
	for (const [what, [name, text]] of Object.entries(silent)) {
		const { uri, found } = await opened(text, { name });
		assert.deepEqual(found, [], what);
		const range = {
			start: { line: 0, character: 0 },
			end: { line: 20, character: 0 },
		};
		assert.deepEqual(
			await server.ask("textDocument/codeAction", {
				textDocument: { uri },
				range,
				context: { diagnostics: [] },
			}),
			[],
			what,
		);
		assert.deepEqual(
			await server.ask("textDocument/codeLens", { textDocument: { uri } }),
			[],
			what,
		);
		if (what === "a compose file")
			assert.deepEqual(
				await server.ask("textDocument/completion", {
					textDocument: { uri },
					position: { line: 3, character: 0 },
				}),
				[],
			);
		await server.close(uri);
	}
	const { found } = await opened(
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: '{{ x }}'\nspec: {}\n",
		{ language: "helm" },
	);
	assert.deepEqual(found, []);
});

const OLD = `# é😀
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata:
  name: a
  resourceVersion: "1"
spec:
  devices:
    requests:
    - name: gpu
      deviceClasName: gpu.example.com
      count: "2"
`;
const whole = {
	start: { line: 0, character: 0 },
	end: { line: 99, character: 0 },
};
const applied = (text, uri, { changes }) =>
	TextDocument.applyEdits(
		TextDocument.create(uri, "yaml", 1, text),
		changes[uri],
	);

test("quick fixes mend, and none that deletes is preferred", async () => {
	const { uri, found } = await opened(OLD);
	const actions = await server.ask("textDocument/codeAction", {
		textDocument: { uri },
		range: whole,
		context: { diagnostics: found, only: ["quickfix"] },
	});
	const typed = actions.find(
		({ diagnostics: [{ code }] }) => code === "unknown-field",
	);
	assert.match(applied(OLD, uri, typed.edit), /deviceClassName: gpu/);
	assert.equal(typed.isPreferred, true);
	const { uri: other, found: foundThere } = await opened(
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: a\n  resourceVersion: '1'\nspec: {}\n",
	);
	const [deletes] = await server.ask("textDocument/codeAction", {
		textDocument: { uri: other },
		range: whole,
		context: { diagnostics: foundThere },
	});
	assert.match(deletes.title, /resourceVersion/);
	assert.ok(!("isPreferred" in deletes));
	await server.close(other);
	// Diagnostics that an editor gives back without their data, and those of others.
	const bare = found.map(({ data, ...rest }) => rest);
	const again = await server.ask("textDocument/codeAction", {
		textDocument: { uri },
		range: whole,
		context: {
			diagnostics: [
				...bare,
				{ range: whole, message: "x", data: { fixes: 5 } },
			],
			only: ["quickfix"],
		},
	});
	assert.deepEqual(
		again.map(({ title }) => title),
		actions.map(({ title }) => title),
	);
	assert.deepEqual(again[0].diagnostics, [
		bare.find(({ code }) => code === actions[0].diagnostics[0].code),
	]);
	await server.close(uri);
});

test("fix all writes what the command writes", async () => {
	const { uri } = await opened(OLD);
	const [action] = await server.ask("textDocument/codeAction", {
		textDocument: { uri },
		range: whole,
		context: { diagnostics: [], only: ["source.fixAll"] },
	});
	assert.equal(action.kind, "source.fixAll.claimkit");
	const file = path.join(folder, "fix.yaml");
	writeFileSync(file, OLD);
	spawnSync(process.execPath, [
		path.join(root, "pkg/cli.js"),
		"validate",
		"--fix",
		file,
	]);
	assert.notEqual(read(file), OLD);
	assert.equal(applied(OLD, uri, action.edit), read(file));
	await server.close(uri);
});

test("convert an object, and the file", async () => {
	const object = OLD.replace("deviceClasName", "deviceClassName")
		.replace('"2"', "2")
		.replace('  resourceVersion: "1"\n', "");
	const text = `${object}---\r\n# second 😀\r\n${object.replace("name: a", "name: b").replaceAll("\n", "\r\n")}`;
	const { uri } = await opened(text);
	const ask = (line) =>
		server.ask("textDocument/codeAction", {
			textDocument: { uri },
			range: { start: { line, character: 0 }, end: { line, character: 0 } },
			context: { diagnostics: [], only: ["refactor"] },
		});
	const [one, all] = await ask(20);
	assert.equal(one.title, "convert ResourceClaim `b` to v1");
	assert.equal(all.title, "convert the file to v1");
	const converted = claimkit.convert(text, { to: "v1" }).text;
	assert.equal(applied(text, uri, all.edit), converted);
	const half = converted.indexOf("---");
	assert.equal(
		applied(text, uri, one.edit),
		text.slice(0, text.indexOf("---")) + converted.slice(half),
	);
	await server.close(uri);
	const { uri: now } = await opened(converted);
	assert.deepEqual(
		await server.ask("textDocument/codeAction", {
			textDocument: { uri: now },
			range: whole,
			context: { diagnostics: [], only: ["refactor"] },
		}),
		[],
	);
	await server.close(now);
});

test("hover, completion with tab stops, tags and places", async () => {
	const { uri, found } = await opened(OLD);
	const hover = await server.ask("textDocument/hover", {
		textDocument: { uri },
		position: { line: 2, character: 2 },
	});
	assert.match(hover.contents.value, /ResourceClaim|kind/);
	const items = await server.ask("textDocument/completion", {
		textDocument: { uri },
		position: { line: 12, character: 0 },
	});
	assert.ok(items.length > 0);
	const begun = `${OLD.slice(0, OLD.indexOf("      deviceClas"))}      `;
	const { uri: typing } = await opened(begun);
	const keys = await server.ask("textDocument/completion", {
		textDocument: { uri: typing },
		position: { line: 10, character: 6 },
	});
	assert.equal(keys[0].label, "deviceClassName");
	assert.ok(keys.some(({ insertTextFormat }) => insertTextFormat === 2));
	await server.close(typing);
	const empty = await opened("");
	const kinds = await server.ask("textDocument/completion", {
		textDocument: { uri: empty.uri },
		position: { line: 0, character: 0 },
	});
	assert.ok(
		kinds.some(({ label }) => /ResourceClaim/.test(label)),
		JSON.stringify(kinds.map(({ label }) => label)),
	);
	await server.close(empty.uri);
	assert.ok(found.length > 0);
	const { uri: old, found: aging } = await opened(
		"apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {}\n---\napiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {}\n",
	);
	assert.deepEqual(
		aging.find(({ code }) => code === "server-warning").tags,
		[2],
	);
	const twice = aging.find(({ code }) => code === "already-exists");
	assert.deepEqual(twice.relatedInformation[0].location.range.start, {
		line: 0,
		character: 0,
	});
	await server.close(old);
	await server.close(uri);
});

test("symbols of an object, its requests and selectors", async () => {
	const text = read(path.join(here, "manifests/device-pod.yaml"));
	const { uri } = await opened(text);
	const symbols = await server.ask("textDocument/documentSymbol", {
		textDocument: { uri },
	});
	const shape = (symbol) => [
		symbol.name,
		symbol.detail,
		...symbol.children.map(shape),
	];
	assert.deepEqual(symbols.map(shape), [
		["one", "ResourceClaim", ["gpu", "gpu.example.com"]],
		["trial", "Pod", ["gpu", "ResourceClaim/one"]],
	]);
	for (const { range, selectionRange } of symbols)
		assert.ok(
			range.start.line <= selectionRange.start.line &&
				selectionRange.end.line <= range.end.line,
		);
	await server.close(uri);
});

test("settings: claimkit.toml beside the file or above it, and the client's before it", async () => {
	const project = path.join(folder, "project");
	mkdirSync(path.join(project, "inner"), { recursive: true });
	writeFileSync(
		path.join(project, "claimkit.toml"),
		'release = "1.33"\nexclude = ["skipped/**"]\n',
	);
	const text =
		"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {}\n";
	const file = address(path.join(project, "inner/class.yaml"));
	const skipped = address(path.join(project, "skipped/class.yaml"));
	const one = await start({ folder: project });
	await one.open(file, text);
	await one.open(skipped, text);
	assert.deepEqual(
		(await one.diagnostics(file, 1)).map(({ code }) => code),
		["unknown-kind"],
	);
	assert.deepEqual(await one.diagnostics(skipped, 1), []);
	// The client's settings come first.
	await one.tell("workspace/didChangeConfiguration", {
		settings: { claimkit: { release: "1.34" } },
	});
	await fitting(
		() => one.published.get(file).diagnostics,
		(found) => found.length === 0,
	);
	await one.stop();
	// Asked for, if the client can be asked; a broken file is named.
	writeFileSync(path.join(project, "claimkit.toml"), "releas = 1\n");
	const two = await start({
		folder: project,
		capabilities: { workspace: { configuration: true } },
		answers: {
			"workspace/configuration": ({ items }) =>
				items.map(() => ({ release: "1.33", remarks: true })),
		},
	});
	await two.open(file, text);
	await two.diagnostics(file, 1);
	assert.deepEqual(
		two.published.get(file).diagnostics.map(({ code }) => code),
		["unknown-kind"],
	);
	assert.ok(
		two.told.some((message) => /claimkit\.toml: .*releas/.test(message)),
		two.told.join(),
	);
	await two.stop();
	writeFileSync(
		path.join(project, "claimkit.toml"),
		"# settings\nrelease = 1.36.2\n",
	);
	const three = await start({ folder: project });
	await three.open(file, text);
	await three.diagnostics(file, 1);
	assert.ok(
		three.told.some((message) =>
			/claimkit\.toml: .* at line 2 column \d+$/.test(message),
		),
		three.told.join(),
	);
	await three.stop();
});

test("definition, references and rename over the files of a project", async () => {
	const project = path.join(folder, "names");
	mkdirSync(project, { recursive: true });
	const files = {
		"class.yaml":
			"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata:\n  name: gpu.example.com\nspec: {}\n",
		"template.yaml":
			"apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata:\n  name: gpus\nspec:\n  spec:\n    devices:\n      requests:\n      - name: one\n        exactly:\n          deviceClassName: gpu.example.com\n      constraints:\n      - requests: [one]\n        matchAttribute: gpu.example.com/numa\n",
		"pod.yaml":
			'apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  resourceClaims:\n  - name: entry # 😀\n    resourceClaimTemplateName: "gpus"\n  containers:\n  - name: c\n    image: i\n    resources:\n      claims:\n      - name: entry\n        request: one\n',
		"broken.yaml":
			"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: [\n",
	};
	for (const [name, text] of Object.entries(files))
		writeFileSync(path.join(project, name), text);
	const one = await start({ folder: project });
	const uri = (name) => address(path.join(project, name));
	await one.open(uri("pod.yaml"), files["pod.yaml"]);
	await one.diagnostics(uri("pod.yaml"), 1);
	const at = (line, character) => ({
		textDocument: { uri: uri("pod.yaml") },
		position: { line, character },
	});
	const definition = await fitting(
		() => one.ask("textDocument/definition", at(7, 33)),
		(found) => found?.length > 0,
	);
	assert.deepEqual(definition, [
		{
			uri: uri("template.yaml"),
			range: {
				start: { line: 3, character: 8 },
				end: { line: 3, character: 12 },
			},
		},
	]);
	const request = await one.ask("textDocument/references", {
		...at(14, 18),
		context: { includeDeclaration: true },
	});
	assert.deepEqual(
		request
			.map((found) => [path.basename(found.uri), found.range.start.line])
			.sort(),
		[
			["pod.yaml", 14],
			["template.yaml", 12],
			["template.yaml", 8],
		],
	);
	assert.deepEqual(
		(await one.ask("textDocument/prepareRename", at(7, 33))).placeholder,
		"gpus",
	);
	const { changes } = await one.ask("textDocument/rename", {
		...at(7, 33),
		newName: "many",
	});
	const texts = Object.fromEntries(
		Object.keys(changes).map((key) => [
			path.basename(key),
			applied(files[path.basename(key)], key, { changes }),
		]),
	);
	assert.equal(
		texts["pod.yaml"],
		files["pod.yaml"].replace('"gpus"', '"many"'),
	);
	assert.equal(
		texts["template.yaml"],
		files["template.yaml"].replace("name: gpus", "name: many"),
	);
	await assert.rejects(
		one.ask("textDocument/rename", { ...at(7, 33), newName: "not a name" }),
		/not a name/,
	);
	// Files are judged together: the class of another file is known, and a missing one is reported.
	await one.open(
		uri("template.yaml"),
		files["template.yaml"].replace(
			"deviceClassName: gpu.example.com",
			"deviceClassName: gpu.exampel.com",
		),
	);
	const found = await one.diagnostics(uri("template.yaml"), 1);
	const missing = found.find(({ code }) => code === "class-not-in-input");
	assert.match(
		missing?.message ?? JSON.stringify(found),
		/did you mean `gpu\.example\.com`/,
	);
	await one.change(uri("template.yaml"), 2, [{ text: files["template.yaml"] }]);
	assert.deepEqual(await one.diagnostics(uri("template.yaml"), 2), []);
	// A name in the pod that the other file does not have any more.
	await one.change(uri("template.yaml"), 3, [
		{
			text: files["template.yaml"]
				.replace("name: one", "name: two")
				.replace("[one]", "[two]"),
		},
	]);
	await one.diagnostics(uri("template.yaml"), 3);
	const unknown = await fitting(
		() =>
			one.published
				.get(uri("pod.yaml"))
				.diagnostics.find(({ code }) => code === "pod-request-unknown"),
		(found) => found !== undefined,
	);
	assert.equal(
		unknown.relatedInformation[0].location.uri,
		uri("template.yaml"),
	);
	await one.stop();
});

test("lenses and hints say how many devices and nodes there are", async () => {
	const project = path.join(folder, "lenses");
	mkdirSync(project, { recursive: true });
	cpSync(
		path.join(here, "manifests/cluster.yaml"),
		path.join(project, "cluster.yaml"),
	);
	const text = `${read(path.join(here, "manifests/device-pod.yaml"))}---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: other
spec:
  selectors:
  - cel:
      expression: "true"
  - cel:
      expression: |-
        false
`;
	const uri = address(path.join(project, "pod.yaml"));
	const one = await start({ folder: project });
	await one.open(uri, text);
	await one.diagnostics(uri, 1);
	const cluster = read(path.join(project, "cluster.yaml"));
	const devices = claimkit
		.parse(cluster)
		.objects.filter(({ kind }) => kind === "ResourceSlice")
		.flatMap(({ object }) => object.spec.devices ?? []).length;
	const { pods } = claimkit.allocate(text, { cluster });
	const fits = pods[0].nodes.filter(
		({ verdict }) => verdict === "allocated",
	).length;
	assert.ok(
		devices > 0 && fits > 0 && fits < pods[0].nodes.length,
		`${devices} ${fits} ${pods[0].nodes.length}`,
	);
	const lenses = await fitting(
		() => one.ask("textDocument/codeLens", { textDocument: { uri } }),
		(found) => found.length >= 3,
	);
	assert.deepEqual(
		lenses
			.map(({ range, command: { title } }) => [range.start.line, title])
			.sort(([a], [b]) => a - b),
		[
			[
				text.split("\n").indexOf("kind: Pod") - 1,
				`fits on ${fits} of ${pods[0].nodes.length} nodes`,
			],
			[
				text.split("\n").findIndex((line) => line.includes('"true"')),
				`selects ${devices} of ${devices} devices`,
			],
			[
				text.split("\n").findIndex((line) => line.includes("|-")),
				`selects 0 of ${devices} devices`,
			],
		],
	);
	await one.stop();
	const two = await start({
		folder: project,
		capabilities: { textDocument: { codeLens: undefined } },
	});
	await two.open(uri, text);
	await two.diagnostics(uri, 1);
	const hints = await fitting(
		() =>
			two.ask("textDocument/inlayHint", {
				textDocument: { uri },
				range: whole,
			}),
		(found) => found.length >= 3,
	);
	assert.deepEqual(
		hints.map(({ label }) => label).sort(),
		lenses.map(({ command: { title } }) => title).sort(),
	);
	await two.stop();
});

test("large documents are judged when they are opened and saved", async () => {
	const object =
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a%}\nspec: {devices: {requests: [{name: A_, exactly: {deviceClassName: c}}]}}\n---\n";
	let text = "";
	for (let index = 0; text.length <= 2 << 20; index += 1)
		text += index === 0 ? object.replace("%", "0") : `# ${"x".repeat(5000)}\n`;
	const { uri, found } = await opened(text);
	assert.equal(found.length, 1, JSON.stringify(found).slice(0, 500));
	const mended = text.replace("A_", "a");
	await server.change(uri, 2, [{ text: mended }]);
	// What changes later and is judged is judged later.
	const small = await opened(object.replace("%", "1"));
	const corrected = object.replace("%", "1").replace("A_", "a");
	await server.change(small.uri, 2, [{ text: corrected }]);
	assert.deepEqual(await server.diagnostics(small.uri, 2), []);
	assert.equal(server.published.get(uri).version, 1);
	await server.tell("textDocument/didSave", { textDocument: { uri } });
	assert.deepEqual(await server.diagnostics(uri, 2), []);
	await server.close(uri);
});

testOfWasm("after a trap the next question has an answer", async () => {
	const small = await start({
		program: [
			process.execPath,
			"--import",
			path.join(here, "lsp/memory.mjs"),
			...command.slice(1),
		],
	});
	const large = `apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec: {}\n${"---\nkind: ResourceClaim\nmetadata: {a: [1, 2, 3]}\n".repeat(30_000)}`;
	const first = fresh();
	await small.open(first, large);
	await small.diagnostics(first, 1);
	assert.ok(
		small.told.some((message) =>
			/the Wasm module stopped \(unreachable\)/.test(message),
		),
		small.told.join("\n"),
	);
	await small.close(first);
	const { found } = await opened(OLD, { on: small });
	assert.deepEqual(seen(found), expected(OLD));
	await small.stop();
});

testOfWasm(
	"the package survives a trap, and prepared objects say that they are gone",
	() => {
		const program = `
    import "${path.join(here, "lsp/memory.mjs")}";
    import assert from "node:assert/strict";
    import { allocate, prepareCluster, prepareNodes, reset, validate } from "${path.join(root, "pkg/node.js")}";
    const cluster = prepareCluster("");
    assert.throws(() => validate("- a\\n".repeat(1_000_000)), (error) => /^claimkit: the Wasm module stopped \\(unreachable\\)/.test(error.message) && error.cause instanceof WebAssembly.RuntimeError);
    assert.equal(validate("apiVersion: resource.k8s.io/v1\\nkind: ResourceClaim\\nmetadata: {name: a}\\nspec: {}\\n").ok, true);
    assert.throws(() => cluster.allocate(""), /these objects of a cluster are gone/);
    assert.throws(() => allocate("", { cluster }), /these objects of a cluster are gone/);
    cluster.free();
    const nodes = prepareNodes("");
    assert.equal(nodes.length, 0);
    reset();
    assert.throws(() => nodes.length, /these nodes are gone/);
    const again = prepareNodes("");
    again.free();
    again.free();
    assert.throws(() => again.evaluate(""), (error) => error instanceof TypeError && /these nodes were freed/.test(error.message));
    console.log("fine");`;
		const done = spawnSync(
			process.execPath,
			["--input-type=module", "-e", program],
			{ encoding: "utf8" },
		);
		assert.equal(done.stdout, "fine\n", done.stderr);
	},
);

test("the places of the allocation scenarios are found", async () => {
	const file = readdirSync(scenarios).find((name) => name.startsWith("04"));
	const text = read(path.join(scenarios, file));
	const { names, symbols } = claimkit.symbols(text);
	const lines = text.split("\n");
	assert.ok(names.length > 5 && symbols.length > 2, `${names.length}`);
	for (const { name, range } of names)
		assert.equal(
			lines[range.start.line].slice(range.start.character, range.end.character),
			name,
		);
});

/** Writes files below a folder; gives the address of each. */
function project(name, files) {
	const root = path.join(folder, name);
	for (const [file, text] of Object.entries(files)) {
		mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
		writeFileSync(path.join(root, file), text);
	}
	return { root, uri: (file) => address(path.join(root, file)) };
}

/** Asks until an answer fits: files are read beside the first answers. */
async function fitting(ask, fits) {
	let answer;
	await until(
		() => JSON.stringify(answer),
		async () => {
			answer = await ask();
			return fits(answer);
		},
	);
	return answer;
}

const CLASS = (name = "gpu.example.com") =>
	`apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata:\n  name: ${name}\nspec:\n  selectors:\n  - cel:\n      expression: device.driver == "gpu.example.com"\n`;
const TEMPLATE = (name, count = 1) =>
	`apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata:\n  name: ${name}\nspec:\n  spec:\n    devices:\n      requests:\n      - name: one\n        exactly:\n          deviceClassName: gpu.example.com\n          count: ${count}\n`;
const CLUSTER = `apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "8", memory: 8Gi, pods: "110"}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s1}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: pool-a, generation: 1, resourceSliceCount: 1}
  devices:
  - name: a
    attributes: {model: {string: A100}}
    capacity: {memory: {value: 80Gi}}
  - name: b
    attributes: {model: {string: A100}}
`;
const WORKLOAD = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers: [{name: a, image: b, resources: {claims: [{name: g}]}}]
      resourceClaims: [{name: g, resourceClaimTemplateName: gpus}]
`;

const completionsAt = (client, uri, line, character) =>
	client.ask("textDocument/completion", {
		textDocument: { uri },
		position: { line, character },
	});
const labels = (items) => items.map(({ label }) => label);

test("a text of several lines is inserted as it is", async () => {
	const text =
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: a\nspec:\n  ";
	const { uri } = await opened(text);
	const items = await completionsAt(server, uri, 5, 2);
	const devices = items.find(({ label }) => label === "devices");
	assert.equal(devices.insertTextMode, 1);
	const { found } = await opened(text + devices.textEdit.newText);
	assert.ok(
		!found.some(({ code }) => code === "yaml-syntax"),
		devices.textEdit.newText,
	);
	await server.close(uri);
});

test("what is typed in quotes is compared with a label in quotes", async () => {
	const text =
		'{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "met"}';
	const { uri } = await opened(text, { name: "a.json", language: "json" });
	const items = await completionsAt(server, uri, 0, text.length - 2);
	const metadata = items.find(({ label }) => label === "metadata");
	assert.equal(metadata.filterText, '"metadata"');
	assert.equal(
		text.slice(metadata.textEdit.range.start.character, -1),
		'"met"',
	);
	await server.close(uri);
});

test("a rename takes the names that the server takes for what is renamed", async () => {
	const text = `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  pool: {name: a/b, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: one}]}}
`;
	const { uri } = await opened(text);
	const lines = text.split("\n");
	const rename = (name, newName) => {
		const line = lines.findIndex((line) => line.includes(name));
		return server.ask("textDocument/rename", {
			textDocument: { uri },
			position: { line, character: lines[line].indexOf(name) },
			newName,
		});
	};
	for (const [name, taken, refused] of [
		["gpu.example.com", "a.b", `${"a.".repeat(31)}bc`],
		["gpu.example.com", "GPU.example.com", "gpu..example.com"],
		["a/b", "node-1/gpu", "node-1/"],
		["gpu-0", "gpu-1", "gpu.1"],
		["c}", "c.d", "c..d"],
		["one", "two", "one.two"],
		["one", "a".repeat(63), "a".repeat(64)],
	]) {
		assert.ok((await rename(name, taken)).changes[uri].length > 0, taken);
		await assert.rejects(
			rename(name, refused),
			/is not a name that Kubernetes accepts/,
			refused,
		);
	}
	await server.close(uri);
});

test("the first word of a file is completed", async () => {
	for (const text of ["a", "Res", "# claims\nRes", "---\nkin"]) {
		const { uri } = await opened(text);
		const line = text.split("\n").length - 1;
		const items = await completionsAt(
			server,
			uri,
			line,
			text.split("\n")[line].length,
		);
		assert.ok(labels(items).includes("ResourceClaim"), text);
		await server.close(uri);
	}
});

test("completion offers the names of the project's other files", async () => {
	const claim = `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: mine
spec:
  devices:
    requests:
    - name: one
      exactly:
        deviceClassName: 
        selectors:
        - cel:
            expression: device.attributes["gpu.example.com"].
    constraints:
    - matchAttribute: 
`;
	const pod =
		"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  nodeName: \n  containers:\n  - name: c\n    image: i\n    resources:\n      claims:\n      - name: g\n        request: \n  resourceClaims:\n  - name: g\n    resourceClaimTemplateName: gpus\n    \n";
	const { root: at, uri } = project("completion", {
		"class.yaml": CLASS(),
		"nodes/cluster.yaml": CLUSTER,
		"template.yaml": TEMPLATE("gpus"),
		"other/claimkit.toml": "",
		"other/class.yaml": CLASS("other.example.com"),
		"claim.yaml": claim,
		"pod.yaml": pod,
	});
	const one = await start({ folder: at });
	await one.open(uri("claim.yaml"), claim);
	await one.open(uri("pod.yaml"), pod);
	const [ofClass] = await fitting(
		() => completionsAt(one, uri("claim.yaml"), 9, 25),
		(items) => items.length > 0,
	);
	assert.equal(ofClass.label, "gpu.example.com");
	assert.equal(ofClass.detail, "class.yaml");
	const at9 = await completionsAt(one, uri("claim.yaml"), 9, 25);
	assert.ok(!labels(at9).includes("other.example.com"));
	// The project's files are read one after the other.
	await fitting(
		() => completionsAt(one, uri("pod.yaml"), 14, 31),
		(items) => labels(items).includes("gpus"),
	);
	await fitting(
		() => completionsAt(one, uri("claim.yaml"), 12, 61),
		(items) => labels(items).includes("model"),
	);
	assert.deepEqual(
		labels(await completionsAt(one, uri("claim.yaml"), 14, 22)),
		["gpu.example.com/model"],
	);
	assert.deepEqual(labels(await completionsAt(one, uri("pod.yaml"), 4, 12)), [
		"n1",
	]);
	assert.deepEqual(labels(await completionsAt(one, uri("pod.yaml"), 11, 17)), [
		"one",
	]);
	assert.deepEqual(labels(await completionsAt(one, uri("pod.yaml"), 15, 4)), [
		"resourceClaimName",
	]);
	await one.stop();
});

test("folders of the workspace come and go with their files and settings", async () => {
	const claim =
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: mine}\nspec:\n  devices:\n    requests:\n    - name: one\n      exactly: {deviceClassName: gpu.example.com}\n";
	const { root: at, uri } = project("folders", {
		"class.yaml": CLASS(),
		"claimkit.toml": 'release = "1.29"\n',
		"claim.yaml": claim,
	});
	const one = await start({
		folder: at,
		capabilities: { workspace: { workspaceFolders: true } },
	});
	await one.open(uri("claim.yaml"), claim);
	const [found] = await one.diagnostics(uri("claim.yaml"), 1);
	assert.equal(found.code, "unknown-kind");
	const folder = { uri: address(at), name: "test" };
	const change = (event) =>
		one.tell("workspace/didChangeWorkspaceFolders", {
			event: { added: [], removed: [], ...event },
		});
	const line = claim.split("\n").findIndex((line) => /ClassName/.test(line));
	const definitions = () =>
		one.ask("textDocument/definition", {
			textDocument: { uri: uri("claim.yaml") },
			position: {
				line,
				character: claim.split("\n")[line].indexOf("gpu.example.com"),
			},
		});
	await fitting(definitions, (found) => found.length === 1);
	await change({ removed: [folder] });
	await fitting(definitions, (found) => found.length === 0);
	// While the folder is away, the client tells of none of its files.
	writeFileSync(path.join(at, "claimkit.toml"), "");
	await change({ added: [folder] });
	await fitting(definitions, (found) => found.length === 1);
	await fitting(
		() => one.published.get(uri("claim.yaml")).diagnostics,
		(found) => found.length === 0,
	);
	await one.stop();
});

test("a folder with its own claimkit.toml is a cluster of its own", async () => {
	const claim = `${TEMPLATE("gpus")}`;
	const files = {
		"prod/claimkit.toml": 'exclude = ["old/**"]\n',
		"prod/class.yaml": CLASS(),
		"prod/claim.yaml": claim,
		"prod/cluster.yaml": CLUSTER,
		"prod/old/cluster.yaml": CLUSTER,
		"dev/claimkit.toml": "",
		"dev/class.yaml": CLASS(),
		"dev/cluster.yaml": CLUSTER,
	};
	const { root: at, uri } = project("worlds", files);
	const one = await start({ folder: at });
	for (const file of [
		"prod/cluster.yaml",
		"prod/class.yaml",
		"dev/cluster.yaml",
	])
		await one.open(uri(file), files[file]);
	const lenses = await fitting(
		() =>
			one.ask("textDocument/codeLens", {
				textDocument: { uri: uri("prod/class.yaml") },
			}),
		(found) => found.length > 0,
	);
	assert.equal(lenses[0].command.title, "selects 2 of 2 devices");
	for (const file of ["prod/cluster.yaml", "dev/cluster.yaml"]) {
		await one.change(uri(file), 2, [{ text: `${files[file]}# changed\n` }]);
		assert.deepEqual(await one.diagnostics(uri(file), 2), [], file);
	}
	const name = {
		textDocument: { uri: uri("prod/class.yaml") },
		position: { line: 3, character: 10 },
	};
	const highlights = await one.ask("textDocument/documentHighlight", name);
	assert.deepEqual(
		highlights.map(({ range: { start }, kind }) => [start.line, kind]),
		[[3, 3]],
	);
	const symbols = await one.ask("workspace/symbol", { query: "GPU" });
	assert.deepEqual(
		symbols.map((symbol) => symbol.location.uri).sort(),
		[
			uri("dev/class.yaml"),
			uri("prod/claim.yaml"),
			uri("prod/class.yaml"),
		].sort(),
	);
	const definition = await one.ask("textDocument/definition", name);
	assert.deepEqual(
		definition.map((place) => place.uri),
		[uri("prod/class.yaml")],
	);
	const { changes } = await one.ask("textDocument/rename", {
		...name,
		newName: "other",
	});
	assert.deepEqual(Object.keys(changes).sort(), [
		uri("prod/claim.yaml"),
		uri("prod/class.yaml"),
	]);
	await one.stop();
});

test("kustomizations, their patches and variables of Flux are known", async () => {
	const patch =
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: gpus}\nspec: {spec: {devices: {requests: [{name: one, exactly: {count: 2}}]}}}\n";
	const files = {
		"base/claim.yaml": TEMPLATE("gpus"),
		"overlay/kustomization.yaml":
			"resources: [../base]\npatches:\n- path: patch.yaml\n- patch: |-\n    apiVersion: resource.k8s.io/v1\n    kind: ResourceClaim\n    metadata: {name: x}\n",
		"overlay/patch.yaml": patch,
		"overlay/delete.yaml": `${patch.replace("{name: one, ", "{$patch: delete, name: one, ")}`,
		"overlay/removed.yaml":
			"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\n$patch: delete\n",
		"flux.yaml": CLASS(`x-\${ENV}`),
	};
	const { root: at, uri } = project("kustomize", files);
	const one = await start({ folder: at });
	for (const file of [
		"overlay/kustomization.yaml",
		"overlay/patch.yaml",
		"overlay/removed.yaml",
		"flux.yaml",
	]) {
		await one.open(uri(file), files[file]);
		assert.deepEqual(await one.diagnostics(uri(file), 1), [], file);
	}
	await one.stop();
	// Without a folder, too.
	const two = await start();
	await two.open(uri("overlay/patch.yaml"), patch);
	assert.deepEqual(await two.diagnostics(uri("overlay/patch.yaml"), 1), []);
	await two.stop();
});

test("an unknown release is answered by the newest, with one finding on the setting", async () => {
	const text =
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec: {devicesx: 1}\n";
	const { root: at, uri } = project("release", {
		"claimkit.toml": '# ours\nrelease = "1.99"\n',
		"claim.yaml": text,
	});
	const one = await start({ folder: at });
	await one.open(uri("claim.yaml"), text);
	assert.deepEqual(
		(await one.diagnostics(uri("claim.yaml"), 1)).map(({ code }) => code),
		["unknown-field"],
	);
	const [told] = one.published.get(uri("claimkit.toml")).diagnostics;
	assert.match(told.message, /`1\.99` is not known: judged by 1\.\d+/);
	assert.equal(told.range.start.line, 1);
	const items = await completionsAt(one, uri("claim.yaml"), 3, 7);
	assert.ok(items.length > 0);
	await one.stop();
	const two = await start({
		initializationOptions: { settings: { release: "bad", relase: "1.30" } },
	});
	await two.open(
		uri("claim.yaml").replace("claim.yaml", "../claim.yaml"),
		text,
	);
	await fitting(
		() => two.told,
		(told) => told.some((message) => /unknown setting `relase`/.test(message)),
	);
	await two.stop();
});

test("findings wait for the client's settings", async () => {
	const text =
		"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {}\n";
	const uri = fresh("late.yaml");
	let answer;
	const isTime = new Promise((resolve) => (answer = resolve));
	const one = await start({
		capabilities: { workspace: { configuration: true } },
		answers: {
			"workspace/configuration": async ({ items }) => {
				await isTime;
				return items.map(() => ({ release: "1.33" }));
			},
		},
	});
	await one.open(uri, text);
	// It has had the document for a while when it answers this.
	await one.ask("textDocument/documentSymbol", { textDocument: { uri } });
	assert.ok(!one.published.has(uri));
	answer();
	assert.deepEqual(
		(await one.diagnostics(uri, 1)).map(({ code }) => code),
		["unknown-kind"],
	);
	await one.stop();
});

test("lenses on workloads and templates, and while a text does not parse", async () => {
	const text = `${WORKLOAD}---\n${TEMPLATE("gpus")}---\n${CLASS()}`;
	const { root: at, uri } = project("workloads", {
		"cluster.yaml": CLUSTER,
		"all.yaml": text,
	});
	const one = await start({ folder: at });
	const file = uri("all.yaml");
	await one.open(file, text);
	const ask = () =>
		one.ask("textDocument/codeLens", { textDocument: { uri: file } });
	const titles = (found) =>
		found
			.map(({ range, command: { title } }) => [range.start.line, title])
			.sort(([a], [b]) => a - b);
	const lines = text.split("\n");
	const workload = 0;
	const template = lines.indexOf("kind: ResourceClaimTemplate") - 1;
	const selector = lines.findIndex((line) => line.includes("expression:"));
	const expected = (by) => [
		[workload, "2 of 3 pods get their devices"],
		[template + by, "fits on 1 of 1 node"],
		[selector + by, "selects 2 of 2 devices"],
	];
	await fitting(ask, (found) => found.length === 3);
	assert.deepEqual(titles(await ask()), expected(0));
	await one.change(file, 2, [
		{
			range: {
				start: { line: 4, character: 0 },
				end: { line: 4, character: 0 },
			},
			text: "  bad: [\n",
		},
	]);
	assert.deepEqual(titles(await ask()), expected(1));
	await one.stop();
});

test("a name that was deleted is a warning where it is used", async () => {
	const claims = `${TEMPLATE("gpus")}---\n${TEMPLATE("more")}`;
	const { root: at, uri } = project("deleted", {
		"class.yaml": CLASS(),
		"others.yaml": CLASS("other"),
		"claims.yaml": claims,
	});
	const one = await start({ folder: at });
	await one.open(uri("claims.yaml"), claims);
	await one.open(uri("class.yaml"), CLASS());
	assert.deepEqual(await one.diagnostics(uri("claims.yaml"), 1), []);
	await fitting(
		() =>
			one.ask("textDocument/definition", {
				textDocument: { uri: uri("claims.yaml") },
				position: { line: 10, character: 30 },
			}),
		(found) => found?.length === 1,
	);
	await one.change(uri("class.yaml"), 2, [
		{ text: CLASS("renamed.example.com") },
	]);
	const [gone] = await fitting(
		() => one.published.get(uri("claims.yaml")).diagnostics,
		(found) => found.length > 0,
	);
	assert.equal(gone.code, "class-not-in-input");
	assert.equal(gone.severity, 2);
	await one.stop();
});
