// The packed package in every host that the README has a recipe for: bundlers, their development servers, and other runtimes.
// The package is installed once; each case is a folder beside it.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
	cpSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import path from "node:path";
import { after, before, test as nodeTest } from "node:test";
import { PACKAGES } from "../../pkg/build/packages.mjs";
import { until } from "../until.mjs";
import {
	check,
	close,
	expected,
	good,
	look,
	open,
	PAGE,
	packed,
	project,
	run,
	visit,
} from "./projects.mjs";
import { table } from "./recipe-table.mjs";
import { here, root, target, UPDATE } from "./suite.mjs";

const bin = (name) => path.join(here, "node_modules/.bin", name);
const tool = (file) => path.join(here, "node_modules", file);
let home;

/** The names of the tests that passed, in their order. */
const passed = [];

/** A test whose name counts for the table in the README once it has passed. */
function test(name, body) {
	nodeTest(name, async () => {
		await body();
		passed.push(name);
	});
}

before(async () => {
	await open("hosts");
	home = project("hosts", {}, { type: "module" });
});
after(close);

/** A folder with these files beside the installed package. */
function folder(name, files) {
	const made = path.join(home, name);
	for (const [file, text] of Object.entries(files)) {
		mkdirSync(path.dirname(path.join(made, file)), { recursive: true });
		writeFileSync(path.join(made, file), text);
	}
	return made;
}

/** Runs a bundle far from everything, so that nothing is found in a node_modules by chance. */
function alone(file, program = process.execPath, first = []) {
	const place = path.join(target, "alone");
	rmSync(place, { recursive: true, force: true });
	cpSync(path.dirname(file), place, { recursive: true });
	return spawnSync(program, [...first, path.join(place, path.basename(file))], {
		cwd: place,
		encoding: "utf8",
	});
}

function answers(done) {
	assert.equal(done.status, 0, `${done.stdout}${done.stderr}`);
	return JSON.parse(done.stdout);
}

const PRINT = check(
	"const print = (value) => console.log(JSON.stringify(value)); print",
);
const GIVE = check(
	"const give = (value) => { globalThis.result = value; }; give",
);
const node = (entry) => `import { validate } from "${entry}";\n${PRINT}`;
const page = (before) =>
	`import { init, validate } from "claimkit";\n${before}\n${GIVE}`;

// --- bundles for Node -----------------------------------------------------------------------------------------------------

for (const [format, ending] of [
	["cjs", "cjs"],
	["esm", "mjs"],
]) {
	test(`esbuild for Node, ${format}: claimkit/inline, and an adapter that shares its instance`, () => {
		const made = folder(`esbuild-${format}`, {
			"main.js": `${node("claimkit/inline")}
import { diagnostics } from "claimkit/lsp";
if (diagnostics("kind: ResourceClaim\\napiVersion: resource.k8s.io/v1alpha2\\n").length === 0) throw new Error("no diagnostics");`,
			"file.js": `import { validate } from "claimkit";
try { validate(""); } catch (error) { console.log(JSON.stringify(error.message)); }`,
		});
		const flags = [
			"--bundle",
			"--platform=node",
			`--format=${format}`,
			"--log-level=error",
		];
		for (const name of ["main", "file"])
			run(
				bin("esbuild"),
				[`${name}.js`, ...flags, `--outfile=dist/${name}.${ending}`],
				made,
			);
		assert.deepEqual(
			answers(alone(path.join(made, `dist/main.${ending}`))),
			expected,
		);
		// Without the module beside it, importing is harmless and the first call says what to do.
		assert.match(
			answers(alone(path.join(made, `dist/file.${ending}`))),
			/^claimkit: .*import claimkit\/inline/,
		);
	});
}

test("esbuild for Node, esm: the module copied beside the bundle", () => {
	const made = folder("esbuild-beside", { "main.js": node("claimkit") });
	run(
		bin("esbuild"),
		[
			"main.js",
			"--bundle",
			"--platform=node",
			"--format=esm",
			"--outfile=dist/main.mjs",
			"--log-level=warning",
		],
		made,
	);
	cpSync(
		path.join(home, "node_modules/claimkit/claimkit_bg.wasm"),
		path.join(made, "dist/claimkit_bg.wasm"),
	);
	assert.deepEqual(answers(alone(path.join(made, "dist/main.mjs"))), expected);
});

test("Rollup with node-resolve: for Node, and for a page", async () => {
	const made = folder("rollup", {
		"node.js": node("claimkit/inline"),
		"page.js": page('await init("./claimkit_bg.wasm");'),
	});
	const { rollup } = await import("rollup");
	const { nodeResolve } = await import("@rollup/plugin-node-resolve");
	const build = async (input, file, conditions) => {
		const bundle = await rollup({
			input: path.join(made, input),
			plugins: [nodeResolve(conditions)],
			external: /^node:/,
		});
		await bundle.write({ file: path.join(made, file), format: "es" });
	};
	await build("node.js", "node/main.mjs", { exportConditions: ["node"] });
	assert.deepEqual(answers(alone(path.join(made, "node/main.mjs"))), expected);
	await build("page.js", "page/main.js", { browser: true });
	writeFileSync(path.join(made, "page/index.html"), PAGE);
	cpSync(
		path.join(home, "node_modules/claimkit/claimkit_bg.wasm"),
		path.join(made, "page/claimkit_bg.wasm"),
	);
	assert.deepEqual(await visit(path.join(made, "page")), expected);
});

test("webpack: a page that finds the module by itself, and a bundle for Node", async () => {
	const made = folder("webpack", {
		"page.js": page("await init();"),
		"node.js": node("claimkit/inline"),
	});
	const webpack = createRequire(import.meta.url)("webpack");
	const build = (entry, output, kind) =>
		new Promise((resolve, reject) => {
			const settings = {
				mode: "production",
				context: made,
				entry: `./${entry}`,
				target: kind,
				output: { path: path.join(made, output), filename: "main.js" },
				optimization: { minimize: false },
				performance: { hints: false },
			};
			webpack(settings, (error, stats) =>
				error || stats.hasErrors()
					? reject(error ?? new Error(stats.toString()))
					: resolve(stats),
			);
		});
	await build("page.js", "page", "web");
	writeFileSync(path.join(made, "page/index.html"), PAGE);
	assert.deepEqual(await visit(path.join(made, "page")), expected);
	await build("node.js", "node", "node");
	writeFileSync(path.join(made, "node/package.json"), '{"type": "commonjs"}');
	assert.deepEqual(answers(alone(path.join(made, "node/main.js"))), expected);
});

// --- pages ----------------------------------------------------------------------------------------------------------------

test("esbuild: page and bundle in different folders", async () => {
	const made = folder("esbuild-apart", {
		"main.js": `import wasm from "claimkit/wasm";\n${page("await init(wasm);")}`,
		"inline.js": `import { validate } from "claimkit/inline";\n${GIVE}`,
	});
	const flags = [
		"--bundle",
		"--format=esm",
		"--loader:.wasm=file",
		"--public-path=/assets/",
		"--outdir=site/assets",
		"--log-level=warning",
	];
	run(bin("esbuild"), ["main.js", "inline.js", ...flags], made);
	for (const name of ["main", "inline"]) {
		mkdirSync(path.join(made, "site/deep"), { recursive: true });
		writeFileSync(
			path.join(made, "site/deep/page.html"),
			PAGE.replace("./main.js", `../assets/${name}.js`),
		);
		writeFileSync(
			path.join(made, "site/index.html"),
			PAGE.replace("./main.js", `./assets/${name}.js`),
		);
		assert.deepEqual(
			await visit(path.join(made, "site"), undefined, "/deep/page.html"),
			expected,
			name,
		);
	}
});

/** A port that nobody uses. */
const port = () =>
	new Promise((resolve) => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const { port: free } = server.address();
			server.close(() => resolve(free));
		});
	});

for (const version of ["vite5", "vite6", "vite7", "vite"]) {
	test(`${version}: the development server`, async () => {
		const config = {
			optimizeDeps: { exclude: ["claimkit"] },
			logLevel: "warn",
			cacheDir: ".cache",
		};
		const made = folder(`dev-${version}`, {
			"index.html": PAGE,
			"main.js": page("await init();"),
			"vite.config.mjs": `export default ${JSON.stringify(config)};`,
		});
		const free = await port();
		const server = spawn(
			process.execPath,
			[
				tool(`${version}/bin/vite.js`),
				"--port",
				String(free),
				"--strictPort",
				"--host",
				"127.0.0.1",
			],
			{ cwd: made, stdio: ["ignore", "pipe", "pipe"] },
		);
		let printed = "";
		for (const stream of [server.stdout, server.stderr])
			stream.on("data", (text) => (printed += text));
		const address = `http://127.0.0.1:${free}`;
		const ended = new Promise((resolve) => server.on("exit", resolve));
		try {
			await until(
				() => `the server answers: ${printed}`,
				() => {
					assert.equal(server.exitCode, null, printed);
					return fetch(address).then(
						(response) => response.ok,
						() => false,
					);
				},
			);
			assert.deepEqual(await look(address), expected);
		} finally {
			server.kill();
			await ended;
		}
	});
}

test("where the server answers with a page in place of the module, init says what to do", async () => {
	const made = folder("no-module", {
		"index.html": PAGE.replace("</title>", "</title>"),
		"claimkit_bg.wasm": "<!doctype html>",
	});
	const source = `import { init } from "claimkit";
try { await init("./claimkit_bg.wasm"); } catch (error) { globalThis.result = error.message; }`;
	writeFileSync(path.join(made, "source.js"), source);
	run(
		bin("esbuild"),
		[
			"source.js",
			"--bundle",
			"--format=esm",
			"--outfile=main.js",
			"--log-level=error",
		],
		made,
	);
	assert.match(
		await visit(made, undefined, "/", true),
		/^claimkit: what `init` was given is not the Wasm module: .*claimkit\/inline$/s,
	);
});

// --- other runtimes -------------------------------------------------------------------------------------------------------

test("workerd: the compiled module by initSync", async () => {
	const made = folder("workerd", {
		"main.js": `import { initSync, validate } from "claimkit";
import module from "claimkit/wasm";
initSync(module);
export default { fetch() { let given; ${check("given =")} return Response.json(given); } };`,
	});
	run(
		bin("esbuild"),
		[
			"main.js",
			"--bundle",
			"--format=esm",
			"--conditions=workerd,worker,browser",
			"--external:claimkit/wasm",
			"--outfile=dist/main.mjs",
			"--log-level=error",
		],
		made,
	);
	const { Miniflare } = await import("miniflare");
	const contents = readFileSync(
		path.join(home, "node_modules/claimkit/claimkit_bg.wasm"),
	);
	const worker = new Miniflare({
		modules: [
			{
				type: "ESModule",
				path: "main.mjs",
				contents: readFileSync(path.join(made, "dist/main.mjs"), "utf8"),
			},
			{ type: "CompiledWasm", path: "claimkit/wasm", contents },
		],
		compatibilityDate: "2025-01-01",
	});
	try {
		assert.deepEqual(
			await (await worker.dispatchFetch("http://localhost/")).json(),
			expected,
		);
	} finally {
		await worker.dispose();
	}
});

test("wrangler: a Worker as the README has it", async () => {
	const made = folder("wrangler", {
		"wrangler.toml":
			'name = "claimkit-test"\nmain = "main.js"\ncompatibility_date = "2025-01-01"\nsend_metrics = false\n',
		"main.js": `import { initSync, validate } from "claimkit";
import module from "claimkit/claimkit_bg.wasm";
initSync(module);
export default { fetch() { let given; ${check("given =")} return Response.json(given); } };`,
	});
	const env = { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1" };
	const done = spawnSync(
		process.execPath,
		[
			tool("wrangler/bin/wrangler.js"),
			"deploy",
			"--dry-run",
			"--outdir",
			"dist",
		],
		{ cwd: made, env, encoding: "utf8" },
	);
	assert.equal(done.status, 0, `${done.stdout}${done.stderr}`);
	// Runs the bundle that wrangler would upload in the runtime that it is for.
	const { Miniflare } = await import("miniflare");
	const files = readdirSync(path.join(made, "dist"));
	const modules = files
		.filter((name) => name.endsWith(".wasm"))
		.map((name) => ({
			type: "CompiledWasm",
			path: name,
			contents: readFileSync(path.join(made, "dist", name)),
		}));
	const main = {
		type: "ESModule",
		path: "main.js",
		contents: readFileSync(path.join(made, "dist/main.js"), "utf8"),
	};
	const worker = new Miniflare({
		modules: [main, ...modules],
		compatibilityDate: "2025-01-01",
	});
	try {
		assert.deepEqual(
			await (await worker.dispatchFetch("http://localhost/")).json(),
			expected,
		);
	} finally {
		await worker.dispose();
	}
});

for (const version of ["vite5", "vite6", "vite"]) {
	test(`${version}: the module by its address, development and build without configuration`, async () => {
		const main = `import url from "claimkit/wasm?url";\nimport { init, validate } from "claimkit";\ninit(url).then(() => { ${GIVE} });`;
		const made = folder(`url-${version}`, {
			"index.html": PAGE,
			"main.js": main,
		});
		run(
			process.execPath,
			[tool(`${version}/bin/vite.js`), "build", "--logLevel", "warn"],
			made,
		);
		assert.deepEqual(await visit(path.join(made, "dist")), expected);
	});
}

const COMMAND_BESIDE = { "claimkit-command": "file:./claimkit-command.tgz" };

/** What a package manager is told so that it asks no registry, and how it starts the package's command. */
const MANAGERS = {
	"Yarn PnP": {
		program: "@yarnpkg/cli-dist/bin/yarn.js",
		settings: { resolutions: COMMAND_BESIDE },
		files: {
			".yarnrc.yml":
				"nodeLinker: pnp\nenableGlobalCache: false\nenableImmutableInstalls: false\nenableTelemetry: false\n",
			"yarn.lock": "",
		},
		command: ["claimkit"],
		node: ["node"],
	},
	pnpm: {
		program: "pnpm/bin/pnpm.cjs",
		settings: { pnpm: { overrides: COMMAND_BESIDE } },
		files: {
			".npmrc": "store-dir=./store\nmanage-package-manager-versions=false\n",
			// The folders above are no part of it.
			"pnpm-workspace.yaml": "packages: []\n",
		},
		command: ["exec", "claimkit"],
		node: ["exec", "node"],
	},
};

for (const [name, manager] of Object.entries(MANAGERS)) {
	test(`${name}: the command, import and require`, () => {
		const made = path.join(target, name.toLowerCase().replace(" ", "-"));
		rmSync(made, { recursive: true, force: true });
		mkdirSync(made, { recursive: true });
		for (const { name } of PACKAGES)
			cpSync(packed(name), path.join(made, `${name}.tgz`));
		const files = {
			...manager.files,
			"package.json": JSON.stringify({
				name: "made",
				private: true,
				dependencies: {
					claimkit: "file:./claimkit.tgz",
					"claimkit-inline": "file:./claimkit-inline.tgz",
				},
				...manager.settings,
			}),
			"good.yaml": good,
			"main.mjs": node("claimkit"),
			"inline.mjs": node("claimkit/inline"),
			"main.cjs": `const { validate } = require("claimkit");\n${PRINT}`,
		};
		for (const [file, text] of Object.entries(files))
			writeFileSync(path.join(made, file), text);
		const start = (...args) =>
			run(process.execPath, [tool(manager.program), ...args], made).stdout;
		start("install");
		assert.equal(
			start(...manager.command, "validate", "good.yaml"),
			"checked 3 objects in 1 file: no problems\n",
		);
		for (const file of ["main.mjs", "inline.mjs", "main.cjs"])
			assert.deepEqual(
				JSON.parse(start(...manager.node, file)),
				expected,
				file,
			);
	});
}

test("Deno: run and bundle", () => {
	const made = folder("deno", {
		"main.mjs": node("claimkit"),
		"inline.mjs": node("claimkit/inline"),
		"deno.json": '{"nodeModulesDir": "manual"}',
	});
	assert.deepEqual(
		answers(
			spawnSync(
				bin("deno"),
				["run", "--no-remote", "--allow-read", "--allow-env", "main.mjs"],
				{ cwd: made, encoding: "utf8" },
			),
		),
		expected,
	);
	mkdirSync(path.join(made, "dist"), { recursive: true });
	run(
		bin("deno"),
		[
			"bundle",
			"--quiet",
			"--platform=deno",
			"-o",
			"dist/main.mjs",
			"inline.mjs",
		],
		made,
	);
	assert.deepEqual(
		answers(
			alone(path.join(made, "dist/main.mjs"), bin("deno"), [
				"run",
				"--no-remote",
				"--allow-read",
			]),
		),
		expected,
	);
});

test("Bun: run and build", () => {
	const made = folder("bun", {
		"main.mjs": node("claimkit"),
		"inline.mjs": node("claimkit/inline"),
	});
	assert.deepEqual(
		answers(
			spawnSync(bin("bun"), ["main.mjs"], { cwd: made, encoding: "utf8" }),
		),
		expected,
	);
	run(
		bin("bun"),
		["build", "inline.mjs", "--target=bun", "--outfile=dist/main.mjs"],
		made,
	);
	assert.deepEqual(
		answers(alone(path.join(made, "dist/main.mjs"), bin("bun"))),
		expected,
	);
});

const unit = (more) => `${more}import { validate } from "claimkit";
test("claimkit answers", () => { const answer = validate(${JSON.stringify(good)}); expect(answer.ok).toBe(true); expect(validate(new TextEncoder().encode("a: 1")).ok).toBe(false); });`;

test("Vitest", () => {
	const made = folder("vitest", {
		"a.test.js": unit('import { expect, test } from "vitest";\n'),
		"vitest.config.mjs": "export default {};",
	});
	run(
		process.execPath,
		[tool("vitest/vitest.mjs"), "run", "--root", made],
		made,
	);
});

test("Jest with vm-modules", () => {
	const made = folder("jest", {
		"a.test.js": unit(""),
		"package.json": '{"type": "module", "jest": {"transform": {}}}',
	});
	run(
		process.execPath,
		[
			"--experimental-vm-modules",
			"--no-warnings",
			tool("jest/bin/jest.js"),
			"--rootDir",
			made,
		],
		made,
	);
});

for (const environment of ["node", "jsdom"]) {
	test(`Jest in CommonJS, ${environment}`, () => {
		const made = folder(`jest-cjs-${environment}`, {
			"a.test.cjs": unit("")
				.replace(
					/import \{ validate \} from "claimkit";/,
					'const { validate } = require("claimkit");',
				)
				.replace("new TextEncoder().encode", "Buffer.from"),
			"package.json": JSON.stringify({
				jest: {
					testEnvironment:
						environment === "node" ? "node" : tool("jest-environment-jsdom"),
					testMatch: ["**/*.test.cjs"],
				},
			}),
		});
		run(process.execPath, [tool("jest/bin/jest.js"), "--rootDir", made], made);
	});
}

test("TypeScript compiled to CommonJS, run by Node", () => {
	const made = folder("typescript-cjs", {
		"package.json": '{"type": "commonjs"}',
		"main.ts": `import { applyFixes, validate, type ValidateAnswer } from "claimkit";
import init = require("claimkit");
const answer: ValidateAnswer = validate("kind: ResourceClaim");
console.log(applyFixes("a", answer.findings).text, typeof init.initSync, answer.ok);`,
		"tsconfig.json": JSON.stringify({
			compilerOptions: {
				strict: true,
				module: "node16",
				target: "es2022",
				skipLibCheck: false,
				types: [],
			},
			files: ["main.ts"],
		}),
	});
	run(
		process.execPath,
		[tool("typescript/bin/tsc"), "--project", made, "--outDir", "dist"],
		made,
	);
	assert.equal(
		run(process.execPath, ["dist/main.js"], made).stdout,
		"a function false\n",
	);
});

test("Next: a server component and a route", async () => {
	const made = folder("next", {
		"package.json": '{"private": true, "type": "module"}',
		"next.config.mjs":
			'export default { serverExternalPackages: ["claimkit"], eslint: { ignoreDuringBuilds: true }, outputFileTracingRoot: import.meta.dirname };',
		"app/layout.jsx":
			"export default function Layout({ children }) { return <html><body>{children}</body></html>; }",
		"app/page.jsx": `import { validate } from "claimkit";
export default function Page() { let given; ${check("given =")} return <p>{JSON.stringify(given)}</p>; }`,
		"app/api/route.js": `import { validate } from "claimkit";
export const dynamic = "force-dynamic";
export function GET() { let given; ${check("given =")} return Response.json(given); }`,
	});
	const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
	const built = spawnSync(
		process.execPath,
		[tool("next/dist/bin/next"), "build"],
		{ cwd: made, env, encoding: "utf8" },
	);
	assert.equal(built.status, 0, `${built.stdout}${built.stderr}`);
	assert.ok(
		readFileSync(
			path.join(made, ".next/server/app/index.html"),
			"utf8",
		).includes(JSON.stringify(expected)),
	);
	const free = await port();
	const server = spawn(
		process.execPath,
		[
			tool("next/dist/bin/next"),
			"start",
			"-p",
			String(free),
			"-H",
			"127.0.0.1",
		],
		{ cwd: made, env, stdio: "ignore" },
	);
	const ended = new Promise((resolve) => server.on("exit", resolve));
	try {
		const answer = await until("the server answers", () => {
			assert.equal(server.exitCode, null);
			return fetch(`http://127.0.0.1:${free}/api`).then(
				(response) => response.json(),
				() => undefined,
			);
		});
		assert.deepEqual(answer, expected);
	} finally {
		server.kill();
		await ended;
	}
});

test("a page without a bundler: the package's own file by its address", async () => {
	const made = folder("no-bundler", {
		"index.html": PAGE,
		"main.js": `import { init, validate } from "../node_modules/claimkit/index.js";\nawait init();\n${GIVE}`,
	});
	assert.deepEqual(
		await visit(home, undefined, `/${path.basename(made)}/index.html`),
		expected,
	);
});

// --- what the README says of hosts ----------------------------------------------------------------------------------------

// The tests of a file run in turn: all of the hosts are done. `CLAIMKIT_UPDATE=1` writes the table.
nodeTest("the README's table of hosts is that of the tests that passed", () => {
	const file = path.join(root, "pkg/README.md");
	const text = readFileSync(file, "utf8");
	const written = /\| host \| what to do \|\n(?:\|.*\n)+/;
	assert.match(text, written);
	const now = text.replace(written, () => `${table(passed)}\n`);
	if (UPDATE) writeFileSync(file, now);
	assert.equal(readFileSync(file, "utf8"), now);
});

// --- what others say of the package ---------------------------------------------------------------------------------------

for (const { name } of PACKAGES) {
	test(`publint has nothing to say of ${name}`, () => {
		run(
			bin("publint"),
			[
				"run",
				path.join(home, "node_modules", name),
				"--strict",
				"--pack",
				"false",
			],
			home,
		);
	});
}

test("are the types wrong? not where there are types", () => {
	// The entries beside the main one are ES modules, which Node 20.19 and later can require. JSON and Wasm have no types of their own
	// in the older resolution, which knows no `exports`.
	const flags = [
		packed("claimkit"),
		"--profile",
		"esm-only",
		"--exclude-entrypoints",
		"./package.json",
		"./wasm",
		"./claimkit_bg.wasm",
		"./worker-host",
		"--format",
		"ascii",
	];
	run(bin("attw"), flags, home);
});
