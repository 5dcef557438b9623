// Checks "Nothing is sent anywhere": the imports of the modules, the contents of the package's files, and the calls of the
// command line.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { commands, here, pack, root } from "./suite.mjs";

const pkg = (name) => path.join(root, "pkg", name);

/** What a module asks its host for, without the hashes that wasm-bindgen gives names. */
function imports(bytes) {
	const all = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
	return [
		...new Set(
			all.map(
				({ module, name }) => `${module} ${name.replace(/_[0-9a-f]{16}$/, "")}`,
			),
		),
	].sort();
}

// Values in and out, JSON, errors.
const VALUES = [
	/^__wbg_(Error|Number|String|assign|encode|get|has|is|instanceof_\w+|keys|length|message|new|parse|prototypesetcall|push|read|set|slice|stringify|call|written)_?\w*$/,
	/^__wbindgen_\w+$/,
	/^__wbg___wbindgen_(is_\w+|reinit|string_get|throw|\w+_get|debug_string|\w*eq)$/,
];
// Files, streams and the clock in the host of the command line, cli.js; and what the language server says that it begins.
const FILES =
	/^__wbg_(begins|clock|colours|columns|err|folder|from|isPlugin|kubectl|line|list|out|progress|read|sentences|status|wait|write)$/;

for (const [name, host] of Object.entries({
	claimkit: VALUES,
	command: [...VALUES, FILES],
})) {
	test(`${name}_bg.wasm can call nothing but what it needs`, () => {
		const asked = imports(readFileSync(pkg(`${name}_bg.wasm`))).map((asked) =>
			asked.replace(`./${name}_bg.js `, ""),
		);
		assert.deepEqual(
			asked.filter((asked) => !host.some((known) => known.test(asked))),
			[],
		);
		assert.ok(asked.length >= 5, `the module imports ${asked.length} things`);
	});
}

// The server for agents holds an SDK that knows addresses; it is started on standard input and output only. The worker's server holds the
// glue of its module, as command.js does.
const BUNDLES = ["server-worker.js", "mcp.js"];

test("the package's files reach for nothing but their own module", () => {
	const { files } = pack("pkg", "--dry-run");
	const sources = files
		.map((file) => file.path)
		.filter((file) => /\.c?js$/.test(file) && !BUNDLES.includes(file));
	assert.ok(
		sources.includes("claimkit.js") && sources.includes("cli.js"),
		sources.join(" "),
	);
	const known = [
		"node:fs",
		"node:module",
		"node:path",
		"node:url",
		"node:util",
		"node:worker_threads",
	];
	// The command runs the kubectl that its user has, where it is asked about a running cluster; its module is packed.
	const runs = {
		"cli.js": ["node:child_process", "node:zlib"],
		"server.js": ["node:fs/promises", "node:zlib"],
	};
	const reaching =
		/\b(XMLHttpRequest|WebSocket|WebTransport|EventSource|RTCPeerConnection|sendBeacon|importScripts|eval|new Function|process\.binding)\b|\bimport\((?!")/;
	for (const file of sources) {
		// Types in comments import from packages; nothing is loaded by them.
		const text = readFileSync(pkg(file), "utf8")
			.replace(/\/\*[\s\S]*?\*\//g, "")
			.replace(/^\s*\/\/.*$/gm, "");
		assert.doesNotMatch(text, reaching, file);
		// `init` fetches the modules from where its caller says.
		const fetches = text.match(/\bfetch\([^)]*\)/g) ?? [];
		const glue = ["fetch(module_or_path)"];
		const given = ["fetch(given)"];
		const init = {
			"claimkit.js": glue,
			"command.js": glue,
			"index.js": given,
			"claimkit.cjs": [...glue, ...given],
		};
		assert.deepEqual(fetches, init[file] ?? [], file);
		for (const [, name] of text.matchAll(
			/(?:from|import|require\()\s*"([^"]+)"/g,
		)) {
			const fine =
				["claimkit", "claimkit-inline"].includes(name) ||
				name.startsWith("./") ||
				known.includes(name) ||
				runs[file]?.includes(name) ||
				/^@codemirror\/|^monaco-editor$|^vscode-languageserver-types$/.test(
					name,
				);
			assert.ok(fine, `${file} loads ${name}`);
		}
	}
});

// Every network function of Node throws an unmistakable error.
const GUARD = `data:text/javascript,${encodeURIComponent(`
  import net from "node:net"; import dns from "node:dns"; import dgram from "node:dgram"; import { syncBuiltinESMExports } from "node:module";
  const refuse = () => { console.error("REACHED FOR THE NETWORK"); process.exit(99); };
  net.Socket.prototype.connect = net.Server.prototype.listen = dns.lookup = dns.resolve = dgram.Socket.prototype.send = dgram.Socket.prototype.bind = refuse;
  globalThis.fetch = refuse;
  syncBuiltinESMExports();
`)}`;

function guarded(...args) {
	return spawnSync(process.execPath, ["--import", GUARD, ...args], {
		cwd: here,
		encoding: "utf8",
	});
}

test("the guard guards", () => {
	for (const reach of [
		'fetch("http://127.0.0.1/")',
		'require("node:http").get("http://127.0.0.1/")',
		'require("node:net").connect(9, "127.0.0.1")',
	]) {
		assert.equal(guarded("-e", reach).status, 99, reach);
	}
});

test("the package and its command work without a network", () => {
	const all = `
    import * as claimkit from ${JSON.stringify(pkg("node.js"))};
    const text = "apiVersion: resource.k8s.io/v1alpha2\\nkind: ResourceClaim\\nmetadata: {name: a}\\nspec: {resourceClassName: b}\\n";
    const position = { line: 3, character: 8 };
    await claimkit.init();
    const { parse, validate, convert, hover, complete, fixes, jsonSchema, codes, releases, admit } = claimkit;
    const answers = [parse(text), validate(text), convert(text, { to: "v1alpha1" }), hover(text, position), complete(text, position), fixes(text), { ok: jsonSchema().$id !== undefined }, codes(), releases(), admit({ operation: "DELETE" })];
    console.log(answers.map((answer) => answer.ok).join(" "));`;
	const done = guarded("--input-type=module", "-e", all);
	assert.deepEqual(
		[done.stdout, done.stderr, done.status],
		[`${Array(10).fill("true").join(" ")}\n`, "", 0],
	);
	const command = guarded(pkg("cli.js"), "validate", "manifests/good.yaml");
	assert.deepEqual(
		[command.stdout, command.status],
		["checked 3 objects in 1 file: no problems\n", 0],
	);
});

test("the native command has no function of the C library for networks", {
	skip: process.platform !== "linux" && "NOT CHECKED: nm is asked on Linux",
}, () => {
	const symbols = execFileSync(
		"nm",
		["-D", "--undefined-only", commands[0][1]],
		{ encoding: "utf8" },
	);
	assert.match(symbols, /\bread@/);
	// The standard library starts programs, here kubectl, with a pair of sockets between parent and child.
	assert.doesNotMatch(
		symbols,
		/\b(socket|connect|bind|listen|accept4?|send|sendto|recvfrom|getaddrinfo|gethostbyname)\b/,
	);
});

test("the native command makes no system call for networks", (context) => {
	if (spawnSync("strace", ["--version"]).status !== 0) {
		if (
			process.getuid?.() === 0 &&
			spawnSync("apt-get", ["--version"]).status === 0
		) {
			const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
			spawnSync("apt-get", ["update", "-qq"], { env });
			spawnSync(
				"apt-get",
				["install", "-y", "-qq", "--no-install-recommends", "strace"],
				{ env },
			);
		}
	}
	if (spawnSync("strace", ["-e", "trace=none", "true"]).status !== 0) {
		assert.ok(!process.env.CI, "strace cannot be had or may not trace here");
		context.skip("NOT CHECKED: there is no strace that may trace here");
		return;
	}
	const requests = [
		"parse",
		"validate",
		"convert",
		"evaluate",
		"admit",
		"hover",
		"codes",
		"releases",
		"jsonSchema",
	].map((verb) => `${JSON.stringify({ verb, text: "a: 1" })}\n`);
	for (const [args, input] of [
		[["batch"], requests.join("")],
		[["validate", "manifests"], ""],
		[["convert", "--to", "v1alpha1", "manifests/good.yaml"], ""],
	]) {
		const seen = spawnSync(
			"strace",
			["-f", "-qq", "-e", "trace=%network,execve", commands[0][1], ...args],
			{ cwd: here, input, encoding: "utf8", maxBuffer: 1 << 26 },
		);
		const calls = seen.stderr
			.split("\n")
			.filter((line) => /^(\[pid +\d+\] )?[a-z0-9_]+\(/.test(line));
		// The one call that must be seen is the command's own start.
		assert.equal(calls.length, 1, calls.join("\n"));
		assert.match(calls[0], /execve\(/);
	}
});
