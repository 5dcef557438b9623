// Ways into CI, as they stand in the repository: the step of the GitHub Action is run by bash, and the workflows call make targets only.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import Ajv from "ajv-draft-04";
import addFormats from "ajv-formats";
import { parse } from "yaml";
import { filled, problems } from "../../pkg/build/krew.mjs";
import { PACKAGES } from "../../pkg/build/packages.mjs";
import { version } from "../../pkg/build/stamp.mjs";
import { commands, here, root, run } from "./suite.mjs";

const scratch = mkdtempSync(path.join(tmpdir(), "claimkit-channels-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
const read = (file) => readFileSync(path.join(root, file), "utf8");
const runs = (text) =>
	[...text.matchAll(/^ *-? *run: (.+)$/gm)].map(([, line]) => line);

/** Runs the step of action.yml as GitHub does: its text in bash, each input in a variable. */
function step(inputs, cwd = here) {
	const [line, ...more] = runs(read("action.yml"));
	assert.deepEqual(more, [], "one step");
	const env = {
		...process.env,
		GITHUB_ACTION_PATH: root,
		INPUT_FILES: ".",
		INPUT_OPTIONS: "",
		INPUT_SARIF: "",
		INPUT_VERSION: "0.1.0",
		INPUT_COMMAND: commands[0][1],
		...inputs,
	};
	return spawnSync(
		"bash",
		["--noprofile", "--norc", "-eo", "pipefail", "-c", line],
		{ cwd, env, encoding: "utf8" },
	);
}

test("the action annotates, writes SARIF, and fails", () => {
	const sarif = path.join(scratch, "findings.sarif");
	const { stdout, status } = step({
		INPUT_FILES: "manifests/bad.yaml\n",
		INPUT_SARIF: sarif,
	});
	assert.equal(status, 1);
	assert.match(stdout, /^::error file=manifests\/bad\.yaml,line=5,/m);
	const document = JSON.parse(readFileSync(sarif, "utf8"));
	// The schema that GitHub's upload holds a log to. One pattern, for languages, is no regular expression by the rules of `u`.
	const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false });
	addFormats(ajv);
	const schema = JSON.parse(
		readFileSync(
			path.join(
				here,
				"node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json",
			),
			"utf8",
		),
	);
	assert.ok(ajv.validate(schema, document), ajv.errorsText());
	assert.equal(
		document.runs[0].results.length,
		stdout.trim().split("\n").length,
	);
});

test("the action passes where nothing is wrong, and where there is nothing to check", () => {
	assert.equal(step({ INPUT_FILES: "manifests/good.yaml" }).status, 0);
	assert.equal(step({ INPUT_FILES: "live" }).status, 0);
	assert.equal(
		step({
			INPUT_FILES: "nowhere.yaml",
			INPUT_SARIF: path.join(scratch, "none.sarif"),
		}).status,
		2,
	);
});

test("each line of an input of the action is one argument", () => {
	const { stderr, status } = step({
		INPUT_FILES: "a b; touch /tmp/claimkit-action $(id)\n--fix\n",
		INPUT_OPTIONS: "--release=1.30",
	});
	assert.equal(status, 2);
	assert.match(
		stderr,
		/a b; touch \/tmp\/claimkit-action \$\(id\): no such file or folder/,
	);
	assert.match(stderr, /\.\/--fix: no such file or folder/);
});

/** What runs where there is no make, and the targets of a matrix. */
const OTHERS = new Set([
	"|",
	"cargo build --locked --package claimkit-cli",
	"node tests/hosts/system.mjs target/debug/claimkit",
	"node tests/hosts/system.mjs --archive release-set",
	'gh release create "$GITHUB_REF_NAME" --verify-tag --generate-notes release-set/*',
]);

test("workflows call make targets that there are, with actions pinned to a commit", () => {
	const folder = path.join(root, ".github/workflows");
	const targets = new Set(
		[...read("Makefile").matchAll(/^([a-z][a-z-]*(?: [a-z-]+)*):/gm)].flatMap(
			([, names]) => names.split(" "),
		),
	);
	for (const name of readdirSync(folder)) {
		const text = readFileSync(path.join(folder, name), "utf8");
		for (const line of runs(text)) {
			const [, target] = /^make ([a-z-]+)$/.exec(line) ?? [];
			assert.ok(
				targets.has(target) || OTHERS.has(line),
				`${name}: \`${line}\``,
			);
		}
		for (const [, listed] of text.matchAll(/^ *targets: (.+)$/gm))
			for (const target of listed.split(" "))
				assert.ok(targets.has(target), `${name}: \`make ${target}\``);
		for (const [, used] of text.matchAll(/uses: (\S+)/g))
			assert.match(used, /@[0-9a-f]{40}$/, name);
	}
});

test("in continuous integration a missing Go is an error", () => {
	const release = pathToFileURL(path.join(root, "tests/oracle/release.mjs"));
	const ask = (env) =>
		spawnSync(
			process.execPath,
			[
				"--input-type=module",
				"--eval",
				`import { hasGo } from "${release}"; console.log(hasGo());`,
			],
			{ env: { PATH: scratch, ...env }, encoding: "utf8" },
		);
	assert.equal(ask({}).stdout, "false\n");
	const { status, stderr } = ask({ CI: "true" });
	assert.equal(status, 1);
	assert.match(stderr, /CI is set, and there is no Go/);
});

test("what krew's index refuses in a manifest is found", () => {
	const platform = (os, program, digit) => ({
		os,
		arch: "amd64",
		program,
		archive: `claimkit-v0.1.0-${os}-amd64.tar.gz`,
		sha256: digit.repeat(64),
	});
	const text = filled(
		read("pkg/channels/krew.yaml"),
		{ version: "0.1.0", repository: "https://claimkit.invalid/claimkit" },
		[
			platform("linux", "claimkit", "0"),
			platform("windows", "claimkit.exe", "1"),
		],
	);
	const parsed = (yaml) =>
		JSON.parse(
			spawnSync(commands[0][1], ["parse", "--raw", "-"], {
				input: yaml,
				encoding: "utf8",
			}).stdout,
		);
	const files = [
		["LICENSE", "claimkit"],
		["LICENSE", "claimkit.exe"],
	];
	assert.deepEqual(problems(parsed(text), files), []);
	for (const [from, to, problem] of [
		["version: v0.1.0", "version: 0.1.0", /spec\.version/],
		[
			"uri: https://claimkit.invalid/claimkit/releases/download/v0.1.0/claimkit-v0.1.0-linux",
			"uri: http://claimkit.invalid/linux",
			/uri/,
		],
		["0".repeat(64), "0".repeat(63), /sha256/],
		["bin: claimkit\n", "bin: kubectl-claimkit\n", /bin/],
		["from: LICENSE", "from: LICENCE", /LICENCE/],
		["name: claimkit", "name: kubectl-claimkit", /metadata\.name/],
		["  shortDescription", "  shortdescription", /shortdescription/],
	]) {
		const [found, ...more] = problems(parsed(text.replace(from, to)), files);
		assert.match(found ?? "", problem, from);
		assert.ok(more.length <= 1, more.join("; "));
	}
	assert.deepEqual(problems(parsed(text), [["claimkit"], files[1]]), [
		"spec.platforms[0].files: the archive has no LICENSE",
	]);
});

test("versions are the same wherever they are written", () => {
	for (const [file, pattern] of [
		...[
			...PACKAGES.map(({ folder }) => folder),
			"www",
			"pkg/vscode",
			"pkg/channels/pre-commit",
		].map((folder) => [`${folder}/package.json`, /^\s*"version": "(.*?)"/gm]),
		["pkg/package.json", /"claimkit-\w+": "(.*?)"/g],
		["Cargo.toml", /^claimkit(?:-\w+)? = \{ version = "(.*?)"/gm],
		["action.yml", /version:\n +description: .*\n +default: (\S+)/g],
		["pkg/policy/metadata.yml", /policy\.version: (\S+)/g],
		["pkg/policy/metadata.yml", /release\.tag: v(\S+)/g],
		["pkg/policy/metadata.json", /policy\.version": ?"(.*?)"/g],
		["pkg/policy/metadata.json", /release\.tag": ?"v(.*?)"/g],
		["pkg/policy/artifacthub-pkg.yml", /^version: (\S+)/gm],
		["pkg/channels/pre-commit/.pre-commit-hooks.yaml", /claimkit@([\d.]+)/g],
	]) {
		const found = [...read(file).matchAll(pattern)].map(([, one]) => one);
		assert.deepEqual(new Set(found), new Set([version]), `${file} ${pattern}`);
	}
});

// --- the snippets of README.md ------------------------------------------------------------------------------------------

/** The code blocks of a language in README.md. */
const snippets = (language) =>
	[...read("README.md").matchAll(/```(\w+)\n([\s\S]*?)```/g)]
		.filter(([, name]) => name === language)
		.map(([, , body]) => body);

const CLAIM =
	"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: gpu, namespace: team}\nspec: {devices: {}}\n";

/** A folder with the files that the snippets name. */
function project() {
	const folder = mkdtempSync(path.join(scratch, "project-"));
	for (const file of ["manifests/claim.yaml", "charts/rendered.yaml"]) {
		mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
		writeFileSync(path.join(folder, file), CLAIM);
	}
	return folder;
}

test("README.md has a step of a workflow and a configuration of pre-commit", () => {
	assert.equal(snippets("yaml").length, 2);
	assert.equal(snippets("toml").length, 1);
});

test("the step of a workflow in README.md runs", () => {
	const [{ uses, with: inputs }] = parse(snippets("yaml")[0]);
	assert.match(
		uses,
		new RegExp(`/claimkit@v${version.replaceAll(".", "\\.")}$`),
	);
	const known = parse(read("action.yml")).inputs;
	for (const name of Object.keys(inputs))
		assert.ok(name in known, `action.yml has no input ${name}`);
	const folder = project();
	const given = Object.fromEntries(
		Object.entries(inputs).map(([name, value]) => [
			`INPUT_${name.toUpperCase()}`,
			value,
		]),
	);
	const { status, stderr } = step(given, folder);
	assert.equal(status, 0, stderr);
	assert.equal(
		JSON.parse(readFileSync(path.join(folder, inputs.sarif), "utf8")).version,
		"2.1.0",
	);
	cpSync(
		path.join(here, "manifests/bad.yaml"),
		path.join(folder, "manifests/bad.yaml"),
	);
	assert.equal(step(given, folder).status, 1);
});

test("the hooks in README.md are those of the repository, and their commands run", () => {
	const [repository] = parse(snippets("yaml")[1]).repos;
	assert.match(repository.repo, /\/claimkit-pre-commit$/);
	assert.equal(repository.rev, `v${version}`);
	const known = parse(read("pkg/channels/pre-commit/.pre-commit-hooks.yaml"));
	assert.ok(repository.hooks.length > 0);
	const folder = project();
	for (const { id } of repository.hooks) {
		const hook = known.find((hook) => hook.id === id);
		assert.ok(hook, id);
		// pre-commit passes the files of a commit after the command; `claimkit-hook` is the package's command.
		const [program, ...args] = hook.entry.split(" ");
		assert.equal(program, "claimkit-hook");
		const { exit, stderr } = run(
			commands[0],
			[...args, "manifests/claim.yaml"],
			{ cwd: folder },
		);
		assert.equal(exit, 0, stderr);
	}
});

test("the claimkit.toml of README.md sets what it says", () => {
	const folder = project();
	writeFileSync(path.join(folder, "claimkit.toml"), snippets("toml")[0]);
	const { stdout, stderr, exit } = run(
		commands[0],
		["validate", "--show-settings", "manifests"],
		{ cwd: folder },
	);
	assert.equal(exit, 0, stderr);
	for (const line of snippets("toml")[0].trim().split("\n"))
		assert.ok(stdout.includes(line.split(" = ")[0]), `${line}\n${stdout}`);
	assert.ok(stdout.includes("claimkit.toml"), stdout);
});
