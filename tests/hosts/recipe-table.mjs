// The table of hosts in pkg/README.md, made from the tests that ran: a host without a test that passed has a mark.

/** What to do in each host, and how the names of its tests begin; all of these must have passed. */
const ROWS = [
	{
		host: "Node, Bun, Vitest",
		how: 'nothing: `import { validate } from "claimkit"`',
		tests: ["Bun: run and build", "Vitest"],
	},
	{
		host: "Deno",
		how: "`deno run --allow-read`",
		tests: ["Deno: run and bundle"],
	},
	{
		host: "Jest, CommonJS",
		how: 'nothing: `const { validate } = require("claimkit")`',
		tests: ["Jest in CommonJS, "],
	},
	{
		host: "Jest, ES modules",
		how: "run Node with `--experimental-vm-modules`, set `transform: {}`",
		tests: ["Jest with vm-modules"],
	},
	{
		host: "Yarn PnP",
		how: "nothing: `yarn dlx claimkit validate manifests/`, `import`, `require`",
		tests: ["Yarn PnP: "],
	},
	{
		host: "pnpm",
		how: "nothing: `pnpm exec claimkit validate manifests/`, `import`, `require`",
		tests: ["pnpm: "],
	},
	{
		host: "a bundle for Node (esbuild, Rollup, `bun build`, `deno bundle`; VS Code extensions, GitHub Actions, Lambda)",
		how: "`npm install claimkit claimkit-inline`, import `claimkit/inline`: the module is inside the JavaScript. Adapters such as `claimkit/lsp` use the same instance",
		tests: [
			"esbuild for Node, ",
			"Rollup with node-resolve",
			"webpack: ",
			"Bun: run and build",
			"Deno: run and bundle",
		],
	},
	{
		host: "Vite, development and build",
		how: '`import url from "claimkit/wasm?url"; init(url).then(…)`. Vite 5 and 6 know no `await` at the top level unless `build.target` is `es2022`',
		tests: ["vite5: ", "vite6: ", "vite: "],
	},
	{
		host: "webpack 5",
		how: "nothing: `await init()` finds the module",
		tests: ["webpack: "],
	},
	{
		host: "esbuild for pages",
		how: '`import wasm from "claimkit/wasm"` with `--loader:.wasm=file`, then `await init(wasm)`; with page and bundle in different folders set `--public-path`',
		tests: ["esbuild: page and bundle"],
	},
	{
		host: "Rollup for pages",
		how: "copy `claimkit_bg.wasm` to a served folder and pass its address to `init`",
		tests: ["Rollup with node-resolve"],
	},
	{
		host: "Next (server components, routes)",
		how: '`serverExternalPackages: ["claimkit"]`, or `npm install claimkit claimkit-inline` and import `claimkit/inline`',
		tests: ["Next: a server component"],
	},
	{
		host: "Next, client components",
		how: "`await init()` in an effect",
		tests: [],
	},
	{
		host: "Cloudflare Workers (wrangler, workerd)",
		how: '`import module from "claimkit/claimkit_bg.wasm"; initSync(module);`',
		tests: ["wrangler: ", "workerd: "],
	},
	{
		host: "a page without a bundler",
		how: "import `node_modules/claimkit/index.js` by its address, `await init()`",
		tests: ["a page without a bundler"],
	},
];
/** The mark of hosts that were tried by hand. */
const BY_HAND = " ○";

/** The table as Markdown. `passed`: the names of the tests that passed. */
export function table(passed) {
	const covers = (start) => passed.some((name) => name.startsWith(start));
	const row = ({ host, how, tests }) =>
		`| ${host}${tests.length > 0 && tests.every(covers) ? "" : BY_HAND} | ${how} |`;
	return ["| host | what to do |", "|---|---|", ...ROWS.map(row)].join("\n");
}
