// Helpers for the tests of the packed packages: empty projects with claimkit installed, a server, Chromium.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	createReadStream,
	existsSync,
	mkdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { chromium as engine } from "playwright-core";
import { PACKAGES } from "../../pkg/build/packages.mjs";
import { chromium, here, pack, target } from "./suite.mjs";

export const good = readFileSync(
	path.join(here, "manifests/good.yaml"),
	"utf8",
);
export const bad = readFileSync(path.join(here, "manifests/bad.yaml"), "utf8");
// Inside this folder, so that bundlers are found in its node_modules; the packages themselves are installed from their tarballs.
export let projects;
/** The tarball of each package. */
const tarballs = new Map();

/** Runs a program and fails with what it printed. */
export function run(program, args, cwd) {
	const done = spawnSync(program, args, {
		cwd,
		encoding: "utf8",
		maxBuffer: 1 << 26,
	});
	assert.equal(
		done.status,
		0,
		`${[program, ...args].join(" ")}\n${done.error ?? ""}${done.stdout}${done.stderr}`,
	);
	return done;
}

/** An empty project with packages installed, all of them unless some are named. */
export function project(
	name,
	files,
	settings = {},
	packages = PACKAGES.map(({ name }) => name),
) {
	const folder = path.join(projects, name);
	mkdirSync(folder, { recursive: true });
	writeFileSync(
		path.join(folder, "package.json"),
		JSON.stringify({ name, private: true, ...settings }),
	);
	run(
		"npm",
		[
			"install",
			"--no-fund",
			"--no-audit",
			"--no-package-lock",
			"--legacy-peer-deps",
			"--loglevel=error",
			// What claimkit depends on is installed beside it: no registry is asked.
			...packages.map(packed),
		],
		folder,
	);
	for (const [file, text] of Object.entries(files))
		writeFileSync(path.join(folder, file), text);
	return folder;
}

const TYPES = {
	".html": "text/html",
	".js": "text/javascript",
	".json": "application/json",
	".wasm": "application/wasm",
	".yaml": "text/plain",
};

/** Serves a folder with a strict policy; gives its address and how to stop. */
async function serve(folder, policy) {
	const server = createServer((request, response) => {
		const name = decodeURIComponent(
			new URL(request.url, "http://localhost").pathname,
		);
		const file = path.join(
			folder,
			name.endsWith("/") ? `${name}index.html` : name,
		);
		if (
			!file.startsWith(folder) ||
			!existsSync(file) ||
			!statSync(file).isFile()
		) {
			response.writeHead(404).end();
			return;
		}
		const headers = {
			"content-type": TYPES[path.extname(file)] ?? "application/octet-stream",
		};
		if (policy) headers["content-security-policy"] = policy;
		response.writeHead(200, headers);
		createReadStream(file).pipe(response);
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		address: `http://127.0.0.1:${server.address().port}`,
		stop: () => new Promise((resolve) => server.close(resolve)),
	};
}

let browser;

/**
 * Packs the packages and starts Chromium; to be called before anything else, and `close` at the end. Projects and tarballs are in folders
 * of that name, which no other file of tests may use: two of them run at a time.
 */
export async function open(name) {
	projects = path.join(here, "target/projects", name);
	rmSync(projects, { recursive: true, force: true });
	const scratch = path.join(target, "npm-pack", name);
	mkdirSync(scratch, { recursive: true });
	for (const { name, folder } of PACKAGES) {
		const { filename } = pack(folder, "--pack-destination", scratch);
		tarballs.set(name, path.join(scratch, filename));
	}
	browser = await engine.launch({ executablePath: chromium() });
}

/** The packed package of a name. */
export const packed = (name) => tarballs.get(name);

export const close = () => browser?.close();

/** Opens a page and gives what it sets as `window.result`; any error, blocked or foreign request fails. */
export async function visit(folder, policy, name = "/", noisy = false) {
	const { address, stop } = await serve(folder, policy);
	return look(`${address}${name}`, stop, noisy);
}

/** The same of a page that somebody else serves. */
export async function look(address, stop, noisy = false) {
	const page = await browser.newPage();
	const problems = [];
	page.on("pageerror", (error) =>
		problems.push(`page error: ${error.message}`),
	);
	page.on("console", (message) => {
		if (!noisy && (message.type() === "error" || message.type() === "warning"))
			problems.push(`console: ${message.text()}`);
	});
	page.on("request", (request) => {
		if (
			new URL(request.url()).origin !== new URL(address).origin &&
			!request.url().startsWith("data:")
		)
			problems.push(`request to ${request.url()}`);
	});
	try {
		await page.goto(address);
		await page.waitForFunction(
			() => globalThis.result !== undefined,
			undefined,
			{ timeout: 20_000 },
		);
		const result = await page.evaluate(() => globalThis.result);
		assert.deepEqual(problems, []);
		return result;
	} catch (error) {
		assert.deepEqual(problems, [], error.message);
		throw error;
	} finally {
		await page.close();
		await stop?.();
	}
}

/** JavaScript that validates both manifests and hands the outcome to `give`. */
export const check = (give) => `
const answers = [${JSON.stringify(good)}, ${JSON.stringify(bad)}].map((text) => validate(text));
${give}(answers.map((answer) => [answer.ok, answer.findings.filter((finding) => finding.severity === "error").length]));
`;
export const expected = [
	[true, 0],
	[false, 3],
];
export const PAGE =
	'<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>test</title><script type="module" src="./main.js"></script>';
