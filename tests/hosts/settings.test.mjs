// `claimkit/settings` reads a `claimkit.toml` as the command line does.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { parse } from "smol-toml";
import { readSettings, SettingsError } from "../../pkg/settings.js";
import { commands, run } from "./suite.mjs";

/** Runs `claimkit validate --show-settings` beside a file; the settings that it prints are a file again. */
function asTheCommandReads(text) {
	const cwd = mkdtempSync(path.join(os.tmpdir(), "claimkit-settings-"));
	try {
		writeFileSync(path.join(cwd, "claimkit.toml"), text);
		const { stdout, stderr, exit } = run(
			commands[0],
			["validate", "--show-settings"],
			{ cwd },
		);
		return exit === 0
			? { settings: readSettings(parse(stdout)) }
			: { problem: stderr };
	} finally {
		rmSync(cwd, { recursive: true });
	}
}

test("each setting has the value that the command line gives it", () => {
	for (const text of [
		"",
		'release = "1.36.2"\n',
		"[gates]\nDRAPrioritizedList = true\nDRAAdminAccess = false\n",
		'namespace-labels = { "resource.k8s.io/admin-access" = "true" }\n',
		'ignore = ["status-dropped", "name-invalid"]\nexclude = ["**/charts", "a\\u00e9/*.yaml"]\n',
	]) {
		// The tables of the reader have no prototype.
		const plain = (settings) => JSON.parse(JSON.stringify(settings));
		assert.deepEqual(
			plain(readSettings(parse(text))),
			plain(asTheCommandReads(text).settings),
			text,
		);
	}
});

test("settings belong to the caller", () => {
	readSettings({}).ignore.push("name-invalid");
	assert.deepEqual(readSettings({}).ignore, []);
});

test("what the command line refuses is refused, with the key at fault", () => {
	for (const [text, key] of [
		['relase = "1.36"\n', "relase"],
		["release = 1.36\n", "release"],
		['gates = { DRAAdminAccess = "true" }\n', "gates"],
		['gates = ["DRAAdminAccess"]\n', "gates"],
		["[namespace-labels]\nteam = 1\n", "namespace-labels"],
		['ignore = "name-invalid"\n', "ignore"],
		["exclude = [1]\n", "exclude"],
		["[constructor]\na = 1\n", "constructor"],
		["gates = 1979-05-27\n", "gates"],
	]) {
		assert.notEqual(asTheCommandReads(text).problem, undefined, text);
		assert.throws(
			() => readSettings(parse(text)),
			(error) =>
				error instanceof SettingsError &&
				error.key === key &&
				error.message.includes(`\`${key}\``),
			text,
		);
	}
	assert.throws(
		() => readSettings("release = '1.36'"),
		/readSettings: `table` is string, expected the object that a reader of TOML makes/,
	);
});

test("an unknown key is answered with the keys that there are, in the command line's words", () => {
	const text = "relase = 1\n";
	const [, words] = /: (unknown field .*?)( at line|\n|$)/.exec(
		asTheCommandReads(text).problem,
	);
	assert.throws(() => readSettings(parse(text)), { message: words });
});
