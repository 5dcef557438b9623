// The adapters in the real editors: CodeMirror and Monaco in Chromium, typed into by a keyboard.
import assert from "node:assert/strict";
import {
	cpSync,
	createReadStream,
	existsSync,
	mkdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { chromium as engine } from "playwright-core";
import { chromium, here, root } from "./suite.mjs";

const folder = path.join(here, "target/editors");
const TYPES = {
	".html": "text/html",
	".js": "text/javascript",
	".css": "text/css",
	".wasm": "application/wasm",
	".json": "application/json",
};

const claim = `apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata:
  name: c # é😀
spec:
  resourceClassName: 5
`;

const readme = [
	...readFileSync(path.join(root, "pkg/README.md"), "utf8").matchAll(
		/^```js\n([\s\S]*?)^```$/gm,
	),
].map(([, code]) => code);

/** The README's example that names an adapter, changed so that the test can reach its parts. */
function example(name, ...changes) {
	const found = readme.filter((code) => code.includes(`"claimkit/${name}"`));
	assert.equal(
		found.length,
		1,
		`pkg/README.md has ${found.length} examples of claimkit/${name}`,
	);
	return changes.reduce((code, [from, to]) => {
		assert.ok(
			code.includes(from),
			`the example of claimkit/${name} lacks ${from}`,
		);
		return code.replace(from, to);
	}, found[0]);
}

const CODEMIRROR = example("codemirror", [
	"new EditorView({",
	`import { acceptCompletion } from "@codemirror/autocomplete";\nwindow.accept = () => acceptCompletion(view);\nwindow.view = new EditorView({ doc: ${JSON.stringify(claim)},`,
]);
const MONACO = `
// No language workers are needed; without one Monaco works in the page.
self.MonacoEnvironment = { getWorker: () => new Worker(URL.createObjectURL(new Blob([""], { type: "text/javascript" }))) };
${example(
	"monaco",
	[
		"register(monaco, {",
		'window.monaco = monaco;\nwindow.registered = register(monaco, { delay: 20, codePages: "https://example.com/codes/",',
	],
	["monaco.editor.create(", "window.editor = monaco.editor.create("],
	[
		'{ language: "yaml" }',
		`{ language: "yaml", value: ${JSON.stringify(claim)}, quickSuggestions: false, tabSize: 2 }`,
	],
)}
window.model = window.editor.getModel();
`;

let browser;
let server;
let address;
before(async () => {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	cpSync(
		path.join(root, "pkg/claimkit_bg.wasm"),
		path.join(folder, "claimkit_bg.wasm"),
	);
	for (const [name, contents] of Object.entries({
		codemirror: CODEMIRROR,
		monaco: MONACO,
	})) {
		await build({
			stdin: { contents, resolveDir: here, sourcefile: `${name}.js` },
			outfile: path.join(folder, `${name}.js`),
			bundle: true,
			format: "esm",
			platform: "browser",
			logLevel: "error",
			loader: { ".ttf": "dataurl", ".wasm": "file" },
			alias: {
				claimkit: path.join(root, "pkg/index.js"),
				"claimkit/codemirror": path.join(root, "pkg/codemirror.js"),
				"claimkit/locale": path.join(root, "pkg/locale"),
				"claimkit/monaco": path.join(root, "pkg/monaco.js"),
			},
		});
		const style = existsSync(path.join(folder, `${name}.css`))
			? `<link rel="stylesheet" href="/${name}.css">`
			: "";
		writeFileSync(
			path.join(folder, `${name}.html`),
			`<!doctype html><meta charset="utf-8"><title>t</title>${style}<body><div id="editor" style="height: 500px"></div><script type="module" src="/${name}.js"></script></body>`,
		);
	}
	server = createServer((request, response) => {
		const file = path.join(
			folder,
			path.basename(new URL(request.url, "http://localhost").pathname),
		);
		if (!existsSync(file)) {
			response.writeHead(request.url === "/favicon.ico" ? 204 : 404).end();
			return;
		}
		response.writeHead(200, { "content-type": TYPES[path.extname(file)] });
		createReadStream(file).pipe(response);
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	address = `http://127.0.0.1:${server.address().port}`;
	browser = await engine.launch({ executablePath: chromium() });
});
after(async () => {
	await browser?.close();
	server?.close();
});

/** Opens a page; any uncaught error or request elsewhere fails the test when `close` is called. */
async function open(name, ready) {
	const page = await browser.newPage();
	const problems = [];
	page.on("pageerror", (error) =>
		problems.push(`page error: ${error.message}`),
	);
	page.on("request", (request) => {
		if (
			!/^(data:|blob:)/.test(request.url()) &&
			!request.url().startsWith(address)
		)
			problems.push(`request to ${request.url()}`);
	});
	await page.goto(`${address}/${name}.html`);
	await page.waitForFunction(ready);
	const close = async () => {
		await page.close();
		assert.deepEqual(problems, []);
	};
	return { page, close };
}

/** The last line but one typed into, from its end. */
const typed = `${claim.replace("5", "gpu.example.com")}  `;

test("CodeMirror needs no more than 15 lines", () => {
	assert.ok(
		example("codemirror")
			.trim()
			.split("\n")
			.filter((line) => line !== "").length <= 15,
	);
});

test("CodeMirror: squiggles, and a fix that removes them", async () => {
	const { page, close } = await open("codemirror", "window.view !== undefined");
	await page.waitForSelector(".cm-lintRange-error");
	assert.equal(await page.textContent(".cm-lintRange-error"), "5");
	await page.hover(".cm-lintRange-error");
	await page.waitForSelector(".cm-diagnosticAction");
	assert.match(
		await page.textContent(".cm-diagnosticText"),
		/^json: cannot unmarshal number/,
	);
	await page.click(".cm-diagnosticAction");
	assert.equal(
		await page.evaluate("view.state.doc.toString()"),
		claim.replace("5", '"5"'),
	);
	await page.waitForSelector(".cm-lintRange-error", { state: "detached" });
	await close();
});

test("CodeMirror: hover", async () => {
	const { page, close } = await open("codemirror", "window.view !== undefined");
	const at = claim.indexOf("resourceClassName") + 4;
	const { left, top } = await page.evaluate(`view.coordsAtPos(${at})`);
	await page.mouse.move(left + 2, top + 4, { steps: 4 });
	await page.waitForSelector(".cm-claimkit-hover");
	const shown = await page.evaluate(
		"document.querySelector('.cm-claimkit-hover').innerHTML",
	);
	assert.match(
		shown,
		/^<p><strong><code>spec\.resourceClassName<\/code><\/strong> string · required/,
	);
	assert.match(shown, /<ul><li>Form: DNS subdomain/);
	await close();
});

test("CodeMirror: completion while typing, with tab stops", async () => {
	const { page, close } = await open("codemirror", "window.view !== undefined");
	await page.evaluate(
		`view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: ${JSON.stringify(typed)} }, selection: { anchor: ${typed.length} } }); view.focus()`,
	);
	await page.keyboard.type("par", { delay: 30 });
	await page.waitForSelector(".cm-completionLabel");
	assert.equal(await page.textContent(".cm-completionLabel"), "parametersRef");
	// What Enter does: the list takes it only some time after it has opened, and nothing says when.
	await page.waitForFunction("accept()");
	await page.keyboard.type("Parameters");
	await page.keyboard.press("Escape");
	await page.keyboard.press("Tab");
	await page.keyboard.type("big");
	assert.equal(
		await page.evaluate("view.state.doc.toString()"),
		`${typed}parametersRef:\n    kind: Parameters\n    name: big`,
	);
	await close();
});

/** A value in quotes that is not written to its end: what is typed goes before the closing quote. */
const QUOTED = 'apiVersion: resource.k8s.io/v1\nkind: "Device"';

test("CodeMirror: completion in quotes", async () => {
	const { page, close } = await open("codemirror", "window.view !== undefined");
	await page.evaluate(
		`view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: ${JSON.stringify(QUOTED)} }, selection: { anchor: ${QUOTED.length - 1} } }); view.focus()`,
	);
	await page.keyboard.type("Cl", { delay: 30 });
	await page.waitForSelector(".cm-completionLabel");
	assert.equal(await page.textContent(".cm-completionLabel"), "DeviceClass");
	await page.waitForFunction("accept()");
	assert.equal(
		await page.evaluate("view.state.doc.toString()"),
		QUOTED.replace("Device", "DeviceClass"),
	);
	await close();
});

test("Monaco: markers, and a fix that removes them", async () => {
	const { page, close } = await open("monaco", "window.model !== undefined");
	const markers = () =>
		page.evaluate(
			"monaco.editor.getModelMarkers({ owner: 'claimkit' }).filter(({ severity }) => severity === 8)",
		);
	const [marker] = await markers();
	assert.deepEqual(
		[
			marker.startLineNumber,
			marker.startColumn,
			marker.endLineNumber,
			marker.endColumn,
			marker.source,
		],
		[6, 22, 6, 23, "kube-apiserver"],
	);
	assert.match(marker.message, /^json: cannot unmarshal number/);
	assert.equal(marker.code.value, "type-mismatch");
	await page.evaluate(
		"editor.setPosition({ lineNumber: 6, column: 22 }); editor.focus(); editor.trigger('test', 'editor.action.quickFix')",
	);
	await page.waitForSelector(".action-widget .monaco-list-row.action.focused");
	await page.waitForFunction(
		"document.activeElement.closest('.action-widget') !== null",
	);
	await page.keyboard.press("Enter");
	await page.waitForFunction(
		`model.getValue() === ${JSON.stringify(claim.replace("5", '"5"'))}`,
	);
	await page.waitForFunction(
		"monaco.editor.getModelMarkers({ owner: 'claimkit' }).every(({ severity }) => severity < 8)",
	);
	await page.evaluate("registered.dispose()");
	assert.deepEqual(
		await page.evaluate("monaco.editor.getModelMarkers({})"),
		[],
	);
	await close();
});

test("Monaco: hover", async () => {
	const { page, close } = await open("monaco", "window.model !== undefined");
	await page.evaluate(
		"editor.setPosition({ lineNumber: 6, column: 8 }); editor.focus(); editor.trigger('test', 'editor.action.showHover')",
	);
	const shown = await page.waitForSelector(
		".monaco-hover .hover-contents code",
	);
	assert.equal(await shown.textContent(), "spec.resourceClassName");
	await close();
});

test("Monaco: completion while typing, with tab stops", async () => {
	const { page, close } = await open("monaco", "window.model !== undefined");
	await page.evaluate(
		`model.setValue(${JSON.stringify(typed)}); editor.setPosition(model.getPositionAt(${typed.length})); editor.focus()`,
	);
	await page.keyboard.type("par");
	await page.evaluate("editor.trigger('test', 'editor.action.triggerSuggest')");
	await page.waitForSelector(
		".suggest-widget.visible .monaco-list-row.focused .label-name",
	);
	await page.keyboard.press("Enter");
	await page.waitForFunction(
		`model.getValue() !== ${JSON.stringify(`${typed}par`)}`,
	);
	await page.keyboard.type("Parameters");
	await page.keyboard.press("Tab");
	await page.keyboard.type("big");
	assert.equal(
		await page.evaluate("model.getValue()"),
		`${typed}parametersRef:\n    kind: Parameters\n    name: big`,
	);
	await close();
});

test("Monaco: completion in quotes", async () => {
	const { page, close } = await open("monaco", "window.model !== undefined");
	await page.evaluate(
		`model.setValue(${JSON.stringify(QUOTED)}); editor.setPosition(model.getPositionAt(${QUOTED.length - 1})); editor.focus()`,
	);
	await page.keyboard.type("Cl");
	await page.evaluate("editor.trigger('test', 'editor.action.triggerSuggest')");
	await page.waitForSelector(
		".suggest-widget.visible .monaco-list-row.focused .label-name",
	);
	await page.keyboard.press("Enter");
	await page.waitForFunction(
		`model.getValue() === ${JSON.stringify(QUOTED.replace("Device", "DeviceClass"))}`,
	);
	await close();
});
