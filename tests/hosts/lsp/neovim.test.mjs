// Neovim without a screen, with the server as README says.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { here } from "../suite.mjs";
import { CLAIM, command } from "./client.mjs";

const folder = path.join(here, "target/neovim");

test("Neovim: diagnostics, hover, completion and an action", () => {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const [file, out] = ["claim.yaml", "out.json"].map((name) =>
		path.join(folder, name),
	);
	writeFileSync(file, CLAIM);
	const env = {
		...process.env,
		HOME: folder,
		XDG_DATA_HOME: folder,
		XDG_STATE_HOME: folder,
		CLAIMKIT_LSP: JSON.stringify(command),
		CLAIMKIT_FILE: file,
		CLAIMKIT_OUT: out,
	};
	const done = spawnSync(
		"nvim",
		[
			"--headless",
			"--clean",
			"-n",
			"-c",
			`luafile ${path.join(here, "lsp/neovim.lua")}`,
		],
		{ env, encoding: "utf8", timeout: 60_000 },
	);
	const seen = JSON.parse(readFileSync(out, "utf8"));
	assert.equal(done.status, 0, `${JSON.stringify(seen)} ${done.stderr}`);
	const [[line, column, code, source, message]] = seen.diagnostics;
	assert.deepEqual(
		[line, column, code, source],
		[10, 8, "unknown-field", "kube-apiserver"],
	);
	assert.match(
		message,
		/unknown field "spec\.devices\.requests\[0\]\.exactly\.deviceClasName"/,
	);
	assert.match(seen.hover, /kind/);
	assert.ok(seen.completion.includes("firstAvailable"), seen.completion.join());
	assert.equal(
		`${seen.text}\n`,
		CLAIM.replace("deviceClasName", "deviceClassName"),
	);
});
