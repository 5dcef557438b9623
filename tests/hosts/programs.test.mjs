// Five tools as their authors write them, from the README alone: compiled in strict mode without a cast, and run.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	cpSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { before, test } from "node:test";
import { here, root } from "./suite.mjs";

const folder = path.join(here, "target/programs");
const manifests = path.join(here, "manifests");

const OPTIONS = {
	strict: true,
	exactOptionalPropertyTypes: true,
	noUncheckedIndexedAccess: true,
	noImplicitReturns: true,
	noPropertyAccessFromIndexSignature: true,
	module: "nodenext",
	target: "es2022",
	types: ["node"],
};

before(() => {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(path.join(folder, "node_modules"), { recursive: true });
	symlinkSync(
		path.join(root, "pkg"),
		path.join(folder, "node_modules/claimkit"),
	);
	symlinkSync(
		path.join(here, "node_modules/@types"),
		path.join(folder, "node_modules/@types"),
	);
	cpSync(path.join(here, "programs"), folder, { recursive: true });
	writeFileSync(path.join(folder, "package.json"), '{"type": "module"}');
	writeFileSync(
		path.join(folder, "tsconfig.json"),
		JSON.stringify({ compilerOptions: OPTIONS }),
	);
});

test("they compile in strict mode, without a cast", () => {
	const { stdout } = spawnSync(
		path.join(here, "node_modules/.bin/tsc"),
		["--project", folder, "--pretty", "false"],
		{ encoding: "utf8" },
	);
	assert.equal(stdout, "");
	for (const name of readdirSync(folder).filter((name) => name.endsWith(".ts")))
		assert.doesNotMatch(
			readFileSync(path.join(folder, name), "utf8"),
			/\bas [A-Z]|\bany\b|@ts-/,
			name,
		);
});

/** Runs a program with files of the tests; returns what it prints. */
function run(name, ...args) {
	const { stdout, stderr } = spawnSync(
		process.execPath,
		[path.join(folder, `${name}.js`), ...args],
		{ cwd: folder, encoding: "utf8" },
	);
	assert.equal(stderr, "");
	return stdout;
}

/** Makes a folder with some of the manifests. */
function copy(to, ...names) {
	mkdirSync(path.join(folder, to));
	for (const name of names)
		cpSync(path.join(manifests, name), path.join(folder, to, name));
}

test("a folder is linted as one cluster", () => {
	copy("lint", "bad.yaml", "cluster.yaml", "broken.yaml", "status.json");
	const printed = run("lint", "lint");
	assert.match(
		printed,
		/^bad\.yaml\t2\t13\terror\tunknown-kind\tresource mapping not found/m,
	);
	assert.doesNotMatch(printed, /^cluster\.yaml\t.*\terror\t/m);
	assert.match(printed, /^false 11 \d+$/m);
});

test("a text is mended", () => {
	cpSync(
		path.join(manifests, "fixable.yaml"),
		path.join(folder, "fixable.yaml"),
	);
	run("mend", "fixable.yaml");
	assert.notEqual(
		readFileSync(path.join(folder, "fixable.yaml.fixed"), "utf8"),
		readFileSync(path.join(folder, "fixable.yaml"), "utf8"),
	);
});

test("the devices of a pod are shown, and why it gets none", () => {
	const printed = run(
		"devices",
		path.join(manifests, "device-pod.yaml"),
		path.join(manifests, "cluster.yaml"),
	);
	assert.match(printed, /^demo\/trial \w+ node-b gpu\.example\.com\/node-b\//m);
	assert.match(printed, /^ {2}node-a none /m);
	assert.match(printed, / > free \d/);
});

test("a policy judges manifests", () => {
	writeFileSync(path.join(folder, "settings.yaml"), "limits: {maxCount: 1}\n");
	writeFileSync(
		path.join(folder, "claim.yaml"),
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: two}\nspec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu, count: 2}}]}}\n",
	);
	assert.match(
		run("policy", "settings.yaml", "claim.yaml"),
		/^claim\.yaml .*false /,
	);
});

test("a repository is converted, and refusals are shown", () => {
	copy("convert", "bad.yaml", "cluster.yaml");
	writeFileSync(
		path.join(folder, "convert/old.yaml"),
		"apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: c}\nspec: {}\n",
	);
	const printed = run("convert", "convert", "v1");
	assert.match(
		readFileSync(path.join(folder, "convert/old.yaml"), "utf8"),
		/^apiVersion: resource\.k8s\.io\/v1\n/,
	);
	assert.match(
		printed,
		/^bad\.yaml ResourceClaim Shared_GPU loses spec\.devices \[\] /m,
	);
	assert.match(printed, /^bad\.yaml refused: `spec\.devices` is lost in v1/m);
});
