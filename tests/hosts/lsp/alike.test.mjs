// The language server in Wasm and the native one: the same answers to the same messages.
import assert from "node:assert/strict";
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
import { isDeepStrictEqual } from "node:util";
import { until } from "../../until.mjs";
import { here, root } from "../suite.mjs";
import { address, programs, start, stopAll } from "./client.mjs";

const MESSAGES = 2000;
const folder = path.join(here, "target/lsp-alike");
const read = (file) => readFileSync(file, "utf8");

before(() => {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	// Enough for every kind, and few enough for answers about all of them to be quick.
	for (const from of ["tests/manifests", "tests/hosts/manifests"])
		readdirSync(path.join(root, from))
			.filter((name) => /\.(yaml|json)$/.test(name))
			.filter((_, index) => index % 5 === 0)
			.forEach((name) => {
				cpSync(path.join(root, from, name), path.join(folder, name));
			});
});
after(stopAll);

/** A generator of numbers below `most` (mulberry32). */
function random(seed) {
	return (most) => {
		seed = (seed + 0x6d2b79f5) | 0;
		let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) % most;
	};
}

const SNIPPETS = [
	"\n",
	"\r\n",
	"😀",
	"  ",
	"- ",
	'"',
	"name: x\n",
	"deviceClassName: gpu.example.com\n",
	"resource.k8s.io/v1beta1",
	"---\n",
	"{",
	"",
];
/** Requests about a document; those of a place get one. */
const REQUESTS = [
	"textDocument/hover",
	"textDocument/completion",
	"textDocument/definition",
	"textDocument/references",
	"textDocument/documentHighlight",
	"textDocument/documentLink",
	"textDocument/foldingRange",
	"textDocument/prepareRename",
	"textDocument/rename",
	"textDocument/documentSymbol",
	"textDocument/codeAction",
	"textDocument/codeLens",
	"textDocument/inlayHint",
];

test(`${MESSAGES} random messages are answered alike`, async () => {
	const servers = await Promise.all(
		["native", "npx"].map((name) => start({ folder, program: programs[name] })),
	);
	const tell = (method, params) =>
		Promise.all(servers.map((server) => server.tell(method, params)));
	const ask = async (method, params) => {
		const answers = await Promise.all(
			servers.map((server) =>
				server
					.ask(method, params)
					.catch(({ code, message }) => ({ code, message })),
			),
		);
		assert.deepEqual(
			answers[1],
			answers[0],
			`${method} ${JSON.stringify(params)}`,
		);
		return answers[0];
	};
	// The workspace is read beside the first answers.
	for (const server of servers) {
		await server.isLoaded;
		const symbols = await server.ask("workspace/symbol", { query: "" });
		assert.ok(symbols.length > 50, `${symbols.length}`);
	}
	const next = random(20261129);
	const files = readdirSync(folder).filter(
		(name) => read(path.join(folder, name)).length < 20_000,
	);
	const documents = new Map();
	const anyOf = (list) => list[next(list.length)];
	const position = () => ({ line: next(40), character: next(40) });
	const range = () => {
		const start = position();
		const end = { line: start.line + next(2), character: next(40) };
		return { start, end };
	};
	const steps = {
		async open() {
			const name = anyOf(files);
			const uri = address(path.join(folder, name));
			if (documents.has(uri)) return;
			documents.set(uri, 1);
			const text = read(path.join(folder, name));
			const languageId = name.endsWith("json") ? "json" : "yaml";
			await tell("textDocument/didOpen", {
				textDocument: { uri, languageId, version: 1, text },
			});
		},
		async change(uri) {
			const version = documents.get(uri) + 1;
			documents.set(uri, version);
			const contentChanges = [{ range: range(), text: anyOf(SNIPPETS) }];
			await tell("textDocument/didChange", {
				textDocument: { uri, version },
				contentChanges,
			});
			// Names are remembered of the texts that were read.
			await ask("textDocument/documentSymbol", { textDocument: { uri } });
		},
		async save(uri) {
			await tell("textDocument/didSave", { textDocument: { uri } });
		},
		async close(uri) {
			documents.delete(uri);
			await tell("textDocument/didClose", { textDocument: { uri } });
		},
		async watch() {
			const file = path.join(folder, anyOf(files));
			writeFileSync(file, `${read(file)}\n`);
			await tell("workspace/didChangeWatchedFiles", {
				changes: [{ uri: address(file), type: 2 }],
			});
			await ask("workspace/symbol", { query: "gpu" });
		},
		async settings() {
			const release = anyOf(["1.31", "1.34", "1.37", undefined]);
			await tell("workspace/didChangeConfiguration", {
				settings: { claimkit: { release, remarks: next(2) === 0 } },
			});
		},
		async ask(uri) {
			await ask(anyOf(REQUESTS), {
				textDocument: { uri },
				position: position(),
				range: range(),
				context: { includeDeclaration: next(2) === 0, diagnostics: [] },
				newName: anyOf(["other", "gpu.example.com", "Not a name"]),
			});
		},
	};
	const kinds = Object.entries({
		open: 3,
		change: 8,
		save: 1,
		close: 1,
		watch: 1,
		settings: 1,
		ask: 15,
	}).flatMap(([name, weight]) => Array(weight).fill(name));
	for (let count = 0; count < MESSAGES; count += 1) {
		const kind = documents.size === 0 ? "open" : anyOf(kinds);
		await steps[kind](anyOf([...documents.keys()]));
	}
	for (const [uri, version] of documents)
		await Promise.all(
			servers.map((server) => server.diagnostics(uri, version)),
		);
	// Each change has other documents judged again, later in one server than in the other.
	for (const uri of documents.keys()) {
		const shown = () =>
			servers.map((server) => server.published.get(uri).diagnostics);
		await until(
			() => `${uri}: ${JSON.stringify(shown())}`,
			() => isDeepStrictEqual(...shown()),
		);
	}
	assert.ok(documents.size > 3, `${documents.size}`);
	assert.deepEqual(
		await Promise.all(servers.map((server) => server.stop())),
		[0, 0],
	);
});
