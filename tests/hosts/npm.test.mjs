// The packed package in empty projects: what a user gets from `npm install claimkit`, in Node, in bundlers, in Chromium.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createReadStream, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";
import { chromium as engine } from "playwright-core";
import { chromium, here, root, target } from "./suite.mjs";

const good = readFileSync(path.join(here, "manifests/good.yaml"), "utf8");
const bad = readFileSync(path.join(here, "manifests/bad.yaml"), "utf8");
// Inside this folder, so that bundlers are found in its node_modules; the package itself is installed from the tarball.
const projects = path.join(here, "target/projects");
const scratch = path.join(target, "npm-pack");
let tarball;

/** Runs a program and fails with what it printed. */
function run(program, args, cwd) {
  const done = spawnSync(program, args, { cwd, encoding: "utf8", maxBuffer: 1 << 26 });
  assert.equal(done.status, 0, `${[program, ...args].join(" ")}\n${done.error ?? ""}${done.stdout}${done.stderr}`);
  return done;
}

/** An empty project with the package installed. */
function project(name, files, settings = {}) {
  const folder = path.join(projects, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name, private: true, ...settings }));
  run("npm", ["install", "--no-fund", "--no-audit", "--no-package-lock", "--legacy-peer-deps", "--loglevel=error", tarball], folder);
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text);
  return folder;
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".json": "application/json", ".wasm": "application/wasm", ".yaml": "text/plain" };

/** Serves a folder with a strict policy; gives its address and how to stop. */
async function serve(folder, policy) {
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const file = path.join(folder, name.endsWith("/") ? `${name}index.html` : name);
    if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const headers = { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" };
    if (policy) headers["content-security-policy"] = policy;
    response.writeHead(200, headers);
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}`, stop: () => new Promise((resolve) => server.close(resolve)) };
}

let browser;
before(async () => {
  rmSync(projects, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  const packed = run("npm", ["pack", "--json", "--loglevel=error", "--pack-destination", scratch], path.join(root, "pkg"));
  const printed = JSON.parse(packed.stdout.slice(packed.stdout.search(/^[[{]/m)));
  const { filename } = Array.isArray(printed) ? printed[0] : Object.values(printed)[0];
  tarball = path.join(scratch, filename);
  browser = await engine.launch({ executablePath: chromium() });
});
after(() => browser?.close());

/** Opens a page and gives what it sets as `window.result`; any error, blocked or foreign request fails. */
async function visit(folder, policy) {
  const { address, stop } = await serve(folder, policy);
  const page = await browser.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(`page error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(address)) problems.push(`request to ${request.url()}`);
  });
  try {
    await page.goto(`${address}/`);
    await page.waitForFunction(() => globalThis.result !== undefined, undefined, { timeout: 20_000 });
    const result = await page.evaluate(() => globalThis.result);
    assert.deepEqual(problems, []);
    return result;
  } catch (error) {
    assert.deepEqual(problems, [], error.message);
    throw error;
  } finally {
    await page.close();
    await stop();
  }
}

/** JavaScript that validates both manifests and hands the outcome to `give`. */
const check = (give) => `
const answers = [${JSON.stringify(good)}, ${JSON.stringify(bad)}].map((text) => validate(text));
${give}(answers.map((answer) => [answer.ok, answer.findings.filter((finding) => finding.severity === "error").length]));
`;
const expected = [[true, 0], [false, 3]];
const PAGE = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>test</title><script type="module" src="./main.js"></script>';

test("Node: import", () => {
  const folder = project("node-esm", {
    "main.mjs": `import { validate } from "claimkit";\nconst print = (value) => console.log(JSON.stringify(value));${check("print")}`,
  });
  assert.deepEqual(JSON.parse(run("node", ["main.mjs"], folder).stdout), expected);
});

test("Node: require, with no warning printed", () => {
  const folder = project("node-cjs", {
    "main.cjs": `const { validate } = require("claimkit");\nconst print = (value) => console.log(JSON.stringify(value));${check("print")}`,
  });
  const { stdout, stderr } = run("node", ["main.cjs"], folder);
  assert.deepEqual([JSON.parse(stdout), stderr], [expected, ""]);
});

test("Node: worker thread", () => {
  const folder = project("node-worker", {
    "main.mjs": `import { Worker } from "node:worker_threads";
new Worker(new URL("./worker.mjs", import.meta.url)).on("message", (value) => console.log(JSON.stringify(value)));`,
    "worker.mjs": `import { parentPort } from "node:worker_threads";
import { validate } from "claimkit";
const print = (value) => parentPort.postMessage(value);${check("print")}`,
  });
  assert.deepEqual(JSON.parse(run("node", ["main.mjs"], folder).stdout), expected);
});

test("Node: npx claimkit", () => {
  const folder = project("npx", { "good.yaml": good });
  const { stdout } = run("npx", ["--no-install", "claimkit", "validate", "good.yaml"], folder);
  assert.equal(stdout, "checked 3 objects in 1 file: no problems\n");
});

test("Vite: page and worker", async () => {
  const folder = project("vite", {
    "index.html": PAGE,
    "main.js": `import { init, validate } from "claimkit";
const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
const fromWorker = new Promise((resolve) => { worker.onmessage = (event) => resolve(event.data); });
await init();
const give = async (value) => { globalThis.result = [value, await fromWorker]; };${check("give")}`,
    "worker.js": `import { init, validate } from "claimkit";
init().then(() => { const give = (value) => postMessage(value);${check("give")} });`,
    "vite.config.mjs": 'export default { worker: { format: "es" }, build: { target: "esnext" }, logLevel: "warn" };',
  });
  run("node", [path.join(here, "node_modules/vite/bin/vite.js"), "build"], folder);
  assert.deepEqual(await visit(path.join(folder, "dist")), [expected, expected]);
});

test("esbuild: the modules as files beside the bundle", async () => {
  const folder = project("esbuild", {
    "main.js": `import { convert, init, validate } from "claimkit";
import wasm from "claimkit/wasm";
import more from "claimkit/more";
import text from "claimkit/text";
await init(...[wasm, more, text].map((file) => new URL(file, import.meta.url)));
if (!convert(${JSON.stringify(good)}, { to: "v1alpha1", lossy: "allow" }).ok) throw new Error("not converted");
const give = (value) => { globalThis.result = value; };${check("give")}`,
  });
  const flags = ["--bundle", "--format=esm", "--loader:.wasm=file", "--outdir=dist", "--log-level=warning"];
  run(path.join(here, "node_modules/.bin/esbuild"), ["main.js", ...flags], folder);
  writeFileSync(path.join(folder, "dist/index.html"), PAGE);
  assert.deepEqual(await visit(path.join(folder, "dist")), expected);
});

test("a page without bundler under a strict policy: init from address, bytes, response and module", async () => {
  const folder = project("csp", {
    "index.html": PAGE,
    "main.js": `import { init, initSync, validate } from "./node_modules/claimkit/index.js";
const address = new URL("./node_modules/claimkit/claimkit_bg.wasm", import.meta.url);
await init();
await init(address);
const give = (value) => { globalThis.result = value; };${check("give")}`,
  });
  const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:; worker-src 'self'";
  assert.deepEqual(await visit(folder, policy), expected);

  const ways = {
    address: "await init(address)",
    text: "await init(String(address))",
    response: "await init(fetch(address))",
    bytes: "await init(await (await fetch(address)).arrayBuffer())",
    module: "await init(await WebAssembly.compileStreaming(fetch(address)))",
    "initSync bytes": "initSync(await (await fetch(address)).arrayBuffer())",
    "initSync module": "initSync(await WebAssembly.compileStreaming(fetch(address)))",
  };
  for (const [name, way] of Object.entries(ways)) {
    writeFileSync(
      path.join(folder, "main.js"),
      `import { init, initSync, validate } from "./node_modules/claimkit/index.js";
const address = new URL("./node_modules/claimkit/claimkit_bg.wasm", import.meta.url);
${way};
const give = (value) => { globalThis.result = value; };${check("give")}`,
    );
    assert.deepEqual(await visit(folder, policy), expected, name);
  }
});

test("the modules behind the first: with init, later, by bytes, or not at all", async () => {
  const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:";
  const folder = project("more", { "index.html": PAGE });
  const visitWith = (code) => {
    writeFileSync(
      path.join(folder, "main.js"),
      `import * as claimkit from "./node_modules/claimkit/index.js";
const [first, more, rest] = ["claimkit_bg", "claimkit_more", "claimkit_text"].map((name) => new URL(\`./node_modules/claimkit/\${name}.wasm\`, import.meta.url));
const bytes = async (url) => (await fetch(url)).arrayBuffer();
const text = ${JSON.stringify(good)};
const attempt = (name) => { try { return claimkit[name](text, { to: "v1alpha1", lossy: "allow" }).ok; } catch (error) { return error.message; } };
const json = () => { try { return claimkit.validate('{"kind":').findings[0].message; } catch (error) { return error.message; } };
const loaded = () => ["text", "more"].map((part) => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(part + ".wasm")).length);
${code}`,
    );
    return visit(folder, policy);
  };
  const done = "globalThis.result = [attempt('validate'), json(), attempt('convert'), loaded()];";
  const refused = "claimkit: only validating has been loaded; this needs `await loadMore()` first";
  const unread = "claimkit: this text needs `claimkit_text.wasm`, which has not been loaded: give it to `init` or `initSync`";
  const all = [true, "unexpected EOF", true, [1, 1]];
  for (const way of [
    "await claimkit.init();",
    "await claimkit.init(); await claimkit.init(); await claimkit.loadMore();",
    "await claimkit.init(first); await claimkit.loadMore();",
    "await claimkit.init(first, more);",
    "await claimkit.init(await bytes(first), WebAssembly.compileStreaming(fetch(more)), fetch(rest));",
    "claimkit.initSync(await bytes(first), await bytes(more), await bytes(rest));",
    "claimkit.initSync(await bytes(first)); await claimkit.loadMore();",
  ]) {
    assert.deepEqual(await visitWith(`${way} ${done}`), all, way);
  }
  assert.deepEqual(await visitWith(`await claimkit.init(undefined, false); ${done}`), [true, "unexpected EOF", refused, [1, 0]]);
  assert.deepEqual(await visitWith(`await claimkit.init(first); ${done}`), [true, "unexpected EOF", refused, [1, 0]]);
  // Without the one that reads everything, what it is not needed for is answered, and the rest refused with what to do.
  assert.deepEqual(await visitWith(`claimkit.initSync(await bytes(first)); ${done}`), [true, unread, unread, [0, 0]]);
  // It is wanted by the other, however that comes.
  assert.deepEqual(await visitWith(`const given = await bytes(rest); claimkit.initSync(await bytes(first), undefined, () => given); await claimkit.loadMore(more); ${done}`), all);
  // A call that fails for want of it leaves nothing behind: thousands of them do not use the stack up.
  const often = "for (let i = 0; i < 100_000; i++) attempt('convert');";
  assert.deepEqual(await visitWith(`await claimkit.init(first); ${often} await claimkit.loadMore(); ${done}`), all);
});

test("Node loads the other modules only when something needs them", () => {
  const folder = project("node-lazy", {
    "main.mjs": `import { validate, parse, convert } from "claimkit";
const instances = [];
const Instance = WebAssembly.Instance;
WebAssembly.Instance = function (...given) { instances.push(1); return new Instance(...given); };
const text = ${JSON.stringify(good)};
const before = [validate(text).ok, validate("a: 1").ok, instances.length];
const json = [validate("{}").ok, validate("a: b: c").ok, instances.length];
const after = [parse(text).ok, convert(text, { to: "v1alpha1", lossy: "allow" }).ok, convert(text, { to: "v1alpha2" }).ok, instances.length];
console.log(JSON.stringify([before, json, after]));`,
  });
  assert.deepEqual(JSON.parse(run("node", ["main.mjs"], folder).stdout), [[true, false, 0], [false, false, 1], [true, true, true, 2]]);
});

test("importing fetches and compiles nothing", async () => {
  const folder = project("import", {
    "index.html": PAGE,
    "main.js": `import * as claimkit from "./node_modules/claimkit/index.js";
let refused;
try { claimkit.validate("a: 1"); } catch (error) { refused = error instanceof Error; }
globalThis.result = [refused, performance.getEntriesByType("resource").filter((entry) => entry.name.endsWith(".wasm")).length];`,
  });
  assert.deepEqual(await visit(folder, "default-src 'none'; script-src 'self'; img-src data:"), [true, 0]);
});

test("without the generated files, importing says what to do", () => {
  const folder = path.join(projects, "unbuilt");
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "node.js", "start.js", "index.js", "locale.js", "parts.js", "cli.js"]) cpSync(path.join(root, "pkg", file), path.join(folder, file));
  const done = spawnSync("node", ["--input-type=module", "-e", 'import "./node.js"'], { cwd: folder, encoding: "utf8" });
  assert.notEqual(done.status, 0);
  assert.match(done.stderr, /run `make pkg`/);
  const command = spawnSync("node", ["cli.js", "--version"], { cwd: folder, encoding: "utf8" });
  assert.deepEqual([command.status, command.stderr.includes("run `make pkg`")], [2, true]);
});
