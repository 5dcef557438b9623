import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as claimkit from "claimkit";
import { defineConfig, type Plugin } from "vite";
import { codeExamples } from "./build/codeexamples.ts";
import { codePagesOf } from "./build/codepages.ts";
import { engine } from "./build/engine.ts";
import { firstAnswer } from "./build/firstanswer.ts";
import { functionsOf } from "./build/functions.ts";
import {
	messagePages,
	messagesOf,
	recordedMessages,
	withRecorded,
} from "./build/messages.ts";
import { MISTAKES } from "./build/mistakes.ts";
import { SENTENCES } from "./build/scheduler.ts";
import { searchLists } from "./build/search.ts";
import { shell } from "./build/shell.ts";
import {
	searchPages,
	siteFiles,
	sitePages,
	withAddress,
} from "./build/site.ts";
import { VERSION_STEPS } from "./build/versions.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
/** The example that a first visitor sees. */
const FIRST = join(here, "src/examples/first.yaml");
const pkg = join(here, "../pkg");
const wasmGlue = join(pkg, "claimkit.js");

/** Objects that a server of the newest release was asked about. */
const RECORDED = "../tests/vectors/later/1.37.2.jsonl.gz";

/** Every file below `dir`, as paths relative to it. */
function walk(dir: string, from = dir): string[] {
	if (!existsSync(dir)) return [];
	return readdirSync(dir).flatMap((name) => {
		const path = join(dir, name);
		return statSync(path).isDirectory()
			? walk(path, from)
			: [relative(from, path)];
	});
}

/** The address that the site is built for, if it is known: `CLAIMKIT_SITE=https://example.org/claimkit/ npm run build`. */
const address = process.env.CLAIMKIT_SITE || undefined;
/** Files for visitors of the site that no part of the page needs. */
const SITE_FILES = [
	"sitemap.xml",
	"robots.txt",
	"404.html",
	".nojekyll",
	"og.png",
];

/** Returns the engine's facts for the pages: the releases, and its answers about the examples. */
async function told(): Promise<
	Pick<
		Parameters<typeof sitePages>[0],
		"sentences" | "funnels" | "releases" | "versions" | "readmes"
	>
> {
	const { allocate, convert, releases } = await engine();
	const node = allocate(
		readFileSync(join(here, "src/examples/gpu-pod.yaml"), "utf8"),
	).pods[0]?.nodes.find(({ verdict }) => verdict === "none");
	const steps = node?.requests[0]?.text.split(" → ") ?? [];
	const versions = Object.fromEntries(
		VERSION_STEPS.map(({ from, text }) => {
			const { text: after = "", objects } = convert(text, { to: "v1" });
			return [
				from,
				{
					text: after,
					removedIn: objects[0]?.removedIn ?? "",
					assumed: objects.flatMap(({ decisions = [] }) =>
						decisions.map(({ message }) => message),
					),
				},
			];
		}),
	);
	const readmes = [
		{ path: "README.md", about: "claimkit", chinese: "claimkit.md" },
		{ path: "pkg/README.md", about: "claimkit on npm", chinese: "npm.md" },
		{
			path: "examples/recipes/README.md",
			about: "claimkit recipes",
			chinese: "recipes.md",
		},
	].map(({ path, about, chinese }) => ({
		path,
		about,
		text: readFileSync(join(here, "..", path), "utf8"),
		chinese: readFileSync(join(here, "guide/zh", chinese), "utf8"),
	}));
	return {
		versions,
		readmes,
		sentences: SENTENCES,
		funnels: node ? { "gpu-pod": { node: node.name, steps } } : {},
		releases: {
			en: releases({ locale: "en" }).releases,
			"zh-Hans": releases({ locale: "zh-Hans" }).releases,
		},
	};
}

/** Returns the functions of expressions as the engine knows them by release. */
async function functions(): Promise<string> {
	const { complete, releases } = await engine();
	return JSON.stringify(
		functionsOf(complete, releases({ locale: "en" }).releases),
	);
}

/** Returns the JSON Schemas of the site, by their paths below `schema/`. */
async function schemas(): Promise<Record<string, string>> {
	const { schemaFiles } = (await import(
		pathToFileURL(join(here, "../pkg/build/schemas.mjs")).href
	)) as { schemaFiles(engine: typeof claimkit): Record<string, string> };
	return schemaFiles(await engine());
}

/**
 * Adds the pages of `codes/`, with links to their examples, and writes the service worker with the list of everything the page needs,
 * so that the page works without a network after the first visit. The cache is named after the contents.
 */
function offline(): Plugin {
	return {
		name: "claimkit-offline",
		apply: "build",
		enforce: "post",
		buildStart() {
			this.emitFile({
				type: "chunk",
				id: join(here, "src/search.ts"),
				name: "search",
			});
		},
		async generateBundle(_options, bundle) {
			const examples = codeExamples(join(here, "../tests"));
			this.emitFile({
				type: "asset",
				fileName: "code-examples.json",
				source: JSON.stringify(examples),
			});
			const celFunctions = await functions();
			this.emitFile({
				type: "asset",
				fileName: "cel-functions.json",
				source: celFunctions,
			});
			const pages = new Map<string, string | Uint8Array>();
			pages.set(
				"codes/codes.css",
				readFileSync(join(here, "src/styles/codes.css")),
			);
			const written = sitePages({
				codes: codePagesOf(join(here, "../tests"), await engine()).pages,
				examples,
				...(await told()),
			});
			const search = Object.values(bundle).find(
				(item) =>
					item.type === "chunk" &&
					item.facadeModuleId?.endsWith("/src/search.ts"),
			);
			if (!search) throw new Error("the search is not in the bundle");
			const made = [...written, ...searchPages(search.fileName)];
			const { validate } = await engine();
			const manifests = walk(join(here, "../tests/manifests"))
				.filter((path) => path.endsWith(".yaml"))
				.map((path) =>
					readFileSync(join(here, "../tests/manifests", path), "utf8"),
				);
			const messages = JSON.stringify(
				withRecorded(
					messagePages(made, messagesOf([...manifests, ...MISTAKES], validate)),
					recordedMessages(join(here, RECORDED), validate),
				),
			);
			this.emitFile({
				type: "asset",
				fileName: "messages.json",
				source: messages,
			});
			for (const [path, entries] of Object.entries(searchLists(written)))
				pages.set(path, JSON.stringify(entries));
			for (const { path, html } of made)
				pages.set(
					path,
					address === undefined ? html : withAddress(html, path, address),
				);
			for (const [path, source] of pages)
				this.emitFile({ type: "asset", fileName: path, source });
			if (address !== undefined) {
				for (const [fileName, source] of Object.entries(
					siteFiles(made, address),
				))
					this.emitFile({ type: "asset", fileName, source });
				this.emitFile({
					type: "asset",
					fileName: "og.png",
					source: readFileSync(join(here, "docs/devices.png")),
				});
			}
			// Validators and editors elsewhere fetch these; the page has the engine.
			for (const [path, source] of Object.entries(await schemas()))
				this.emitFile({ type: "asset", fileName: `schema/${path}`, source });
			const hashOf = (source: string | Uint8Array) =>
				createHash("sha256").update(source).digest("hex").slice(0, 16);
			const listed = new Map<string, string>();
			for (const path of walk(join(here, "public")))
				listed.set(path, hashOf(readFileSync(join(here, "public", path))));
			for (const [name, item] of Object.entries(bundle)) {
				if (
					!name.endsWith(".map") &&
					!name.startsWith("schema/") &&
					!pages.has(name) &&
					!SITE_FILES.includes(name)
				)
					listed.set(
						name,
						hashOf(item.type === "chunk" ? item.code : item.source),
					);
			}
			// Pages in another language come when they are asked for.
			for (const [path, source] of pages)
				if (!/\/zh[/.]/.test(path)) listed.set(path, hashOf(source));
			listed.set("code-examples.json", hashOf(JSON.stringify(examples)));
			listed.set("cel-functions.json", hashOf(celFunctions));
			listed.set("messages.json", hashOf(messages));
			// The page is asked for by the name of its folder.
			const page =
				listed.get("index.html") ??
				hashOf(readFileSync(join(here, "index.html")));
			listed.delete("index.html");
			listed.set("./", page);
			const files = Object.fromEntries(
				[...listed].sort(([a], [b]) => (a < b ? -1 : 1)),
			);
			const source = readFileSync(join(here, "src/sw.js"), "utf8")
				.replace("__VERSION__", hashOf(JSON.stringify(files)))
				.replace("__FILES__", JSON.stringify(files));
			this.emitFile({ type: "asset", fileName: "sw.js", source });
		},
	};
}

/** A source for a content security policy: exactly this text. */
const sourceOf = (text: string) =>
	`'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * Makes the page paint with its first response: it contains the styles, the theme and the shell with the first example,
 * allowed by their hashes. The worker with the engine starts at once, and the page's code is fetched beside it.
 */
function firstPaint(): Plugin {
	return {
		name: "claimkit-first-paint",
		transformIndexHtml: {
			order: "post",
			async handler(html, { bundle }) {
				// While developing there is no bundle: the page's code starts the worker.
				const worker = Object.keys(bundle ?? {}).find((name) =>
					/\/worker-[^/]+\.js$/.test(name),
				);
				const module = Object.keys(bundle ?? {}).find((name) =>
					name.endsWith(".wasm"),
				);
				const addresses =
					worker && module
						? { worker: `./${worker}`, module: `./${module}` }
						: {};
				const first = readFileSync(
					join(here, "build/first.js"),
					"utf8",
				).replace("__ADDRESSES__", JSON.stringify(addresses));
				const answer = firstAnswer(FIRST, await engine());
				const filled = html
					.replace("<!--first-->", () => `<script>${first}</script>`)
					.replace("<!--shell-->", () => shell(answer));
				// While developing, styles come as scripts and are not known here.
				if (!bundle)
					return filled
						.replace("__SCRIPTS__", sourceOf(first))
						.replace("'self' __STYLES__", "'self' 'unsafe-inline'");
				let styles = "";
				for (const [name, item] of Object.entries(bundle)) {
					if (item.type !== "asset" || !name.endsWith(".css")) continue;
					styles += String(item.source).trim();
					delete bundle[name];
				}
				const chunks = Object.values(bundle).filter(
					(item) => item.type === "chunk",
				);
				const app = chunks.find((chunk) =>
					chunk.facadeModuleId?.endsWith("/src/app.tsx"),
				);
				if (!app) throw new Error("the page's own chunk is not in the bundle");
				// The panel that opens first comes along.
				const panel = chunks.find((chunk) =>
					chunk.facadeModuleId?.endsWith("/src/ui/Problems.tsx"),
				);
				const wanted = [app, panel].flatMap((chunk) =>
					chunk ? [chunk.fileName, ...chunk.imports] : [],
				);
				const files = [...new Set(wanted)].filter(
					(file) => !html.includes(file),
				);
				const addressed =
					address === undefined
						? filled
						: withAddress(filled, "index.html", address);
				return {
					html: addressed
						.replace(/\s*<link rel="stylesheet"[^>]*>/g, "")
						.replace("</head>", () => `<style>${styles}</style></head>`)
						.replace("__SCRIPTS__", sourceOf(first))
						.replace("__STYLES__", sourceOf(styles)),
					tags: files.map((file) => ({
						tag: "link",
						attrs: { rel: "modulepreload", href: `./${file}` },
						injectTo: "head" as const,
					})),
				};
			},
		},
	};
}

/** Says what to do when the Wasm build is missing, instead of a bundler's stack trace. */
function needsWasm(): Plugin {
	return {
		name: "claimkit-needs-wasm",
		buildStart() {
			if (!existsSync(wasmGlue)) {
				throw new Error(
					"pkg/claimkit.js is missing: run `make pkg` in the repository first (it builds the Wasm module)",
				);
			}
		},
	};
}

/**
 * Gives the page the releases that the engine knows, so that a dump is judged by the right one at once, and the answer about the
 * first example.
 */
function knownAnswers(): Plugin {
	return {
		name: "claimkit-known-answers",
		async config() {
			if (!existsSync(wasmGlue)) return {};
			const claimkit = await engine();
			const { releases } = claimkit;
			const first = firstAnswer(FIRST, claimkit);
			const known = releases({ locale: "en" }).releases.map(
				({ release, lastPatch }) => ({ release, lastPatch }),
			);
			return {
				define: {
					__RELEASES__: JSON.stringify(known),
					__FIRST_ANSWER__: JSON.stringify(first),
				},
			};
		},
	};
}

/** The version of the package and the contents of the engine: the page says what it was made from. */
function build(): string {
	const { version } = JSON.parse(
		readFileSync(join(here, "../pkg/package.json"), "utf8"),
	) as { version: string };
	const engine = join(here, "../pkg/claimkit_bg.wasm");
	return existsSync(engine)
		? `${version} (${createHash("sha256").update(readFileSync(engine)).digest("hex").slice(0, 8)})`
		: version;
}

/** The modules of all panels but the first, which comes with the page. */
const PANEL_CODE =
	/src.(ui|state|engine|editor).(Account|Audit|audited|Cell|cel|Contexts|Convert|ConvertAll|Devices|Elsewhere|Expression|FileChoice|Functions|MatrixGrid|Nodes|PodSentences|Policy|PolicyForms|Removals|RulesNote|Request|small|Traced|WouldWork|podgroups|wouldwork)[.]ts/;

/** The code that the page needs before anything is opened. */
const PAGE_CODE =
	/src.(ui|state|editor|i18n|engine|examples).(?!compare[.])|pkg.settings[.]js|node_modules.(?!@codemirror.merge|smol-toml|fflate|minisearch)/;

/** The tests that measure time. */
const TIMES = "tests/times.test.ts";

export default defineConfig({
	base: "./",
	define: { __BUILD__: JSON.stringify(build()) },
	plugins: [needsWasm(), knownAnswers(), firstPaint(), offline()],
	// The package as its users import it.
	resolve: {
		alias: [
			{ find: /^claimkit$/, replacement: join(pkg, "index.js") },
			{ find: /^claimkit\/settings$/, replacement: join(pkg, "settings.js") },
			{
				find: /^claimkit\/wasm(?=$|\?)/,
				replacement: join(pkg, "claimkit_bg.wasm"),
			},
			{ find: /^claimkit\/(?=locale\/)/, replacement: `${pkg}/` },
		],
	},
	server: { fs: { allow: [here, pkg] } },
	worker: { format: "es" },
	build: {
		target: "es2022",
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		// Panels share most of their code: what is fetched for the first that is opened serves the others, and packs better.
		rolldownOptions: {
			output: {
				codeSplitting: {
					includeDependenciesRecursively: false,
					groups: [
						{ name: "panels", test: PANEL_CODE, priority: 2 },
						{ name: "page", test: PAGE_CODE, priority: 1 },
					],
				},
			},
		},
	},
	test: {
		// A browser on a busy machine misses a moment now and then: once more, and the first try stays in the report.
		testTimeout: 60_000,
		hookTimeout: 60_000,
		retry: 1,
		// Two files at a time, each with a browser and a server of its own; then what measures time, with nothing beside it.
		projects: [
			{
				extends: true,
				test: {
					name: "page",
					include: ["tests/**/*.test.ts"],
					exclude: [TIMES],
					maxWorkers: 2,
					sequence: { groupOrder: 0 },
				},
			},
			{
				extends: true,
				test: {
					name: "times",
					include: [TIMES],
					maxWorkers: 1,
					sequence: { groupOrder: 1 },
				},
			},
		],
	},
} as Parameters<typeof defineConfig>[0]);
