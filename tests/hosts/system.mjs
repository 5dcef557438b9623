// Whether a program answers as recorded, on the system where it runs: every case of the command line, and what differs between systems.
//
//   node tests/hosts/system.mjs PROGRAM [WORD…]     WORD: before the program, such as `wine` or an emulator
//   node tests/hosts/system.mjs --archive FOLDER    the program for this system, of the archives of a release
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
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

const here = import.meta.dirname;

/** Unpacks the program for this system, beside its archive. */
function unpacked(folder) {
	const os = { win32: "windows" }[process.platform] ?? process.platform;
	const arch = { x64: "amd64" }[process.arch] ?? process.arch;
	const archive = readdirSync(folder).find(
		(name) =>
			name.startsWith("claimkit-v") && name.endsWith(`-${os}-${arch}.tar.gz`),
	);
	assert.ok(archive, `${folder} has no archive for ${os}-${arch}`);
	// Without a path: some programs of this name read `C:` as a machine's name.
	const { status } = spawnSync("tar", ["-xzf", archive], { cwd: folder });
	assert.equal(status, 0, `${archive} cannot be unpacked`);
	return path.join(folder, os === "windows" ? "claimkit.exe" : "claimkit");
}

const given = process.argv.slice(2);
const [program, ...before] =
	given[0] === "--archive" ? [unpacked(given[1])] : given;
assert.ok(program, "name the program");
const words = [...before, path.resolve(program)];
const onWine = before.length > 0 && program.endsWith(".exe");

const scratch = mkdtempSync(path.join(tmpdir(), "claimkit-system-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** Runs the program; lines end as they are recorded. */
function run(args, { input = "", cwd = here, env = {} } = {}) {
	const done = spawnSync(words[0], [...words.slice(1), ...args], {
		cwd,
		input,
		env: { ...process.env, WINEDEBUG: "-all", ...env },
		maxBuffer: 1 << 28,
	});
	if (done.error) throw done.error;
	const text = (bytes) => bytes.toString().replaceAll("\r\n", "\n");
	return {
		stdout: text(done.stdout),
		stderr: text(done.stderr),
		exit: done.status,
	};
}

const cases = path.join(here, "cases");
for (const name of readdirSync(cases).sort()) {
	const expected = readFileSync(path.join(cases, name), "utf8").replaceAll(
		"\r\n",
		"\n",
	);
	const line = expected.split("\n", 1)[0];
	test(line, () => {
		const [args, input] = line.replace(/^\$ claimkit ?/, "").split(" < ");
		const { stdout, stderr, exit } = run(args ? args.split(" ") : [], {
			input: input ? readFileSync(path.join(here, input)) : "",
		});
		// The name of the program is its file's, and a release says of which build it is.
		const printed = `${line}\n${stdout}--- stderr\n${stderr}--- exit ${exit}\n`
			.replaceAll("claimkit.exe", "claimkit")
			.replace(/\(build [0-9a-f]+;/, "(unreleased build;");
		assert.equal(printed, expected);
	});
}

const CLAIM =
	"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: -1}}]}}\n";

test("a path with the separators of the system, and an absolute one", () => {
	const folder = path.join(scratch, "a folder");
	mkdirSync(folder);
	writeFileSync(path.join(folder, "claim.yaml"), CLAIM);
	const separator = onWine ? "\\" : path.sep;
	const relative = ["a folder", "claim.yaml"].join(separator);
	const found = run(["validate", relative], { cwd: scratch });
	assert.match(found.stdout, /claim\.yaml:4:\d+: error: .*greater than zero/);
	assert.equal(found.exit, 1);
	if (!onWine) {
		const whole = run(["validate", path.join(folder, "claim.yaml")]);
		assert.match(whole.stdout, /claim\.yaml:4:\d+: error: /);
	}
	assert.match(
		run(["validate", "a folder"], { cwd: scratch }).stdout,
		/in 1 file: 1 error/,
	);
});

test("CRLF stays, and is no difference", () => {
	const text = CLAIM.replace("-1", "1").replaceAll("\n", "\r\n");
	writeFileSync(path.join(scratch, "crlf.yaml"), text);
	assert.match(
		run(["validate", "crlf.yaml"], { cwd: scratch }).stdout,
		/no problems/,
	);
	const converted = run(
		["convert", "--to", "v1beta1", "--in-place", "crlf.yaml"],
		{ cwd: scratch },
	);
	assert.equal(converted.exit, 0, converted.stderr);
	const after = readFileSync(path.join(scratch, "crlf.yaml"), "utf8");
	assert.match(after, /^apiVersion: resource\.k8s\.io\/v1beta1\r\n/);
});

test("UTF-16, as PowerShell redirects it", () => {
	const bytes = Buffer.from(
		`\uFEFF${CLAIM.replaceAll("\n", "\r\n")}`,
		"utf16le",
	);
	writeFileSync(path.join(scratch, "utf16.yaml"), bytes);
	const { stdout } = run(["validate", "utf16.yaml"], { cwd: scratch });
	assert.match(stdout, /utf16\.yaml:4:\d+: error: .*greater than zero/);
	assert.match(
		run(["validate", "-"], { input: bytes }).stdout,
		/<stdin>:4:\d+: error/,
	);
});

test("no kubectl on PATH is said", () => {
	const { stderr, exit } = run(["why"], {
		cwd: scratch,
		// Wine keeps a PATH of its own.
		env: onWine ? {} : { PATH: scratch, Path: scratch },
	});
	assert.match(stderr, /kubectl: it is not on PATH/);
	assert.equal(exit, 2);
});

test("no color but on a terminal", () => {
	const { stdout } = run(["validate", "manifests/bad.yaml"]);
	assert.ok(!stdout.includes("\x1b"));
});
