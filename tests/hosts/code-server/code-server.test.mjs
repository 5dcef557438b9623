// The packed extension in code-server, which runs extensions in Node as VS Code on a desktop does. `make test-code-server` installs it.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { after, before, test } from "node:test";
import { chromium as engine } from "playwright-core";
import { until } from "../../until.mjs";
import { chromium, here, root } from "../suite.mjs";

const tools = path.join(root, "target/tools/code-server");
const program = [
	path.join(tools, "bin/node"),
	path.join(tools, "node_modules/code-server/out/node/entry.js"),
];
const installed = existsSync(path.join(tools, "ready"));
if (!installed)
	console.log(
		"code-server: not installed (`make test-code-server` does it): NOT TRIED",
	);

const folder = path.join(here, "target/code-server");
const project = path.join(folder, "project");
const claim = path.join(project, "claim.yaml");
const CLAIM = `# é😀
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: a, namespace: b}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClasName: gpu.example.com
`;

const freePort = () =>
	new Promise((resolve) => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const { port } = server.address();
			server.close(() => resolve(port));
		});
	});

let child;
let browser;
let address;
before(async () => {
	if (!installed) return;
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(path.join(folder, "user/User"), { recursive: true });
	mkdirSync(project, { recursive: true });
	writeFileSync(claim, CLAIM);
	writeFileSync(
		path.join(folder, "user/User/settings.json"),
		JSON.stringify({
			"security.workspace.trust.enabled": false,
			"workbench.startupEditor": "none",
			"files.autoSave": "off",
			"chat.disableAIFeatures": true,
		}),
	);
	const extension = path.join(root, "pkg/vscode");
	execFileSync(process.execPath, [path.join(extension, "build.mjs")]);
	const vsix = path.join(
		extension,
		readdirSync(extension).find((name) => name.endsWith(".vsix")),
	);
	const folders = [
		"--user-data-dir",
		path.join(folder, "user"),
		"--extensions-dir",
		path.join(folder, "extensions"),
		"--config",
		path.join(folder, "config.yaml"),
	];
	// With no gallery it asks no host for extensions.
	const env = { ...process.env, EXTENSIONS_GALLERY: "{}" };
	execFileSync(
		program[0],
		[program[1], ...folders, "--install-extension", vsix],
		{ env },
	);
	const port = await freePort();
	address = `http://127.0.0.1:${port}`;
	child = spawn(
		program[0],
		[
			program[1],
			...folders,
			"--auth",
			"none",
			"--bind-addr",
			`127.0.0.1:${port}`,
			"--disable-telemetry",
			"--disable-update-check",
			project,
		],
		{ env, stdio: "ignore", detached: true },
	);
	await until("code-server answers", () =>
		fetch(`${address}/healthz`).then(
			({ ok }) => ok,
			() => false,
		),
	);
	browser = await engine.launch({ executablePath: chromium() });
});
after(async () => {
	await browser?.close();
	// Its process for extensions is a child of its own.
	if (child) process.kill(-child.pid);
});

test("in code-server: squiggles, the list of problems, and the light bulb mends the file", {
	skip: !installed,
}, async () => {
	const tab = await browser.newPage({ viewport: { width: 1200, height: 800 } });
	const foreign = [];
	tab.on("request", (request) => {
		if (
			!/^(data|blob):/.test(request.url()) &&
			!request.url().startsWith(address)
		)
			foreign.push(request.url());
	});
	const authority = new URL(address).host;
	await tab.goto(
		`${address}/?folder=${project}&payload=${encodeURIComponent(JSON.stringify([["openFile", `vscode-remote://${authority}${claim}`]]))}`,
	);
	try {
		await tab.locator(".squiggly-error").first().waitFor({ timeout: 60_000 });
		await tab.keyboard.press("Control+Shift+M");
		const problem = tab.locator(".markers-panel .monaco-list-row", {
			hasText:
				'unknown field "spec.devices.requests[0].exactly.deviceClasName"',
		});
		await problem.waitFor({ timeout: 20_000 });
		assert.match(await problem.textContent(), /kube-apiserver/);
		// It leads to the place, where the light bulb is.
		await problem.dblclick();
		await tab.locator(".lightBulbWidget").click({ timeout: 20_000 });
		await tab
			.getByRole("option", { name: /write `deviceClassName`/ })
			.click({ timeout: 20_000 });
		await tab.keyboard.press("Control+S");
		const mended = CLAIM.replace("deviceClasName", "deviceClassName");
		const saved = () => readFileSync(claim, "utf8");
		await until(saved, () => saved() === mended);
		await tab
			.locator(".squiggly-error")
			.first()
			.waitFor({ state: "detached", timeout: 20_000 });
	} finally {
		await tab.screenshot({ path: path.join(folder, "code-server.png") });
	}
	assert.deepEqual(foreign, []);
});
