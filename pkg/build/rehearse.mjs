// `make rehearse`: makes everything that a release publishes, with the addresses of release.json, and proves it in empty folders. One line
// for each point; a point that cannot be tried on this machine says so and does not count as passed. Nothing is published.
//
//   node pkg/build/rehearse.mjs [POINT…]     only these points, such as `documents`
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
	chmodSync,
	closeSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { headers } from "./headers.mjs";
import { makeImage, pull, pushImage, pushModule } from "./images.mjs";
import { filled, problems } from "./krew.mjs";
import { outside } from "./outside.mjs";
import { PACKAGES } from "./packages.mjs";
import { root, target } from "./places.mjs";
import { faults, made, PROGRAMS, windowsLibrary } from "./programs.mjs";
import { start } from "./registry.mjs";
import { sbom } from "./sbom.mjs";
import { addresses, stamp, version } from "./stamp.mjs";

const set = path.join(root, "target/release-set");
const source = path.join(set, "source");
const files = path.join(set, "files");
const scratch = mkdtempSync(path.join(tmpdir(), "claimkit-rehearsal-"));
process.once("exit", () => rmSync(scratch, { recursive: true, force: true }));
const manifests = path.join(root, "tests/hosts/manifests");
const CLEAN = "checked 3 objects in 1 file: no problems\n";

const build = `build ${execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: root }).toString().trim()}`;

class Unable extends Error {}
const unable = (why) => {
	throw new Unable(why);
};
const need = (good, what) => {
	if (!good) throw new Error(what);
};
/** The path of a program that no build needs. */
const needed = (name) => outside(name) ?? unable(`${name} cannot be had here`);

/** Runs a program; returns its result, or fails with what it printed. */
function run(program, args, { status = 0, ...options } = {}) {
	const done = spawnSync(program, args, {
		encoding: "utf8",
		maxBuffer: 1 << 28,
		...options,
	});
	if (done.error?.code === "ENOENT") unable(`${program} is not installed`);
	if (done.error) throw done.error;
	need(
		done.status === status,
		`${program} ${args.join(" ")} exits with ${done.status}:\n${done.stdout}${done.stderr}`,
	);
	return done;
}

const asked = process.argv.slice(2);
const counts = { passed: 0, failed: 0, unable: 0 };
async function point(name, prove) {
	if (asked.length > 0 && !asked.includes(name)) return;
	const began = Date.now();
	let [word, text] = ["passed", ""];
	try {
		text = await prove();
	} catch (error) {
		[word, text] = [
			error instanceof Unable ? "unable" : "failed",
			error.message,
		];
	}
	counts[word] += 1;
	const shown = { passed: "ok", failed: "NOT OK", unable: "NOT TRIED" }[word];
	console.log(
		`${shown.padEnd(9)}  ${name}: ${text} (${((Date.now() - began) / 1000).toFixed(0)} s)`,
	);
}

/** The text in place of an address that is not known yet. */
const PLACEHOLDER =
	/registry\.example\.com|https:\/\/example\.com|claimkit@example\.com|\bOWNER\b/;

const sha256 = (file) =>
	createHash("sha256").update(readFileSync(file)).digest("hex");

/**
 * The crates, packed and compiled as a registry would see them, and the program installed from them alone. Without `--workspace` cargo
 * takes the default members, which are the crates that people get.
 */
function crates() {
	// Crates that an earlier run compiled are not compiled again, so their warnings would be missed.
	const target = path.join(set, "cargo");
	rmSync(target, { recursive: true, force: true });
	const { stderr } = run(
		"cargo",
		[
			"publish",
			"--dry-run",
			"--locked",
			"--allow-dirty",
			"--target-dir",
			target,
		],
		{ cwd: source, env: { ...process.env, CLAIMKIT_BUILD: build } },
	);
	// The tests stay in the repository, and cargo says so.
	const warnings = stderr
		.split("\n")
		.filter(
			(line) =>
				/^warning/.test(line) &&
				!/aborting upload due to dry run|ignoring test `/.test(line),
		);
	need(warnings.length === 0, warnings.join("\n"));
	// A dry run keeps the files to itself.
	run(
		"cargo",
		[
			"package",
			"--no-verify",
			"--quiet",
			"--locked",
			"--allow-dirty",
			"--target-dir",
			target,
		],
		{ cwd: source },
	);
	const packed = readdirSync(path.join(target, "package")).filter((name) =>
		name.endsWith(".crate"),
	);
	const published = readdirSync(path.join(source, "crates")).length + 1;
	need(
		packed.length === published,
		`${packed.length} crates, not ${published}`,
	);
	const unpacked = path.join(scratch, "crates");
	mkdirSync(unpacked);
	for (const name of packed) {
		cpSync(path.join(target, "package", name), path.join(files, name));
		run("tar", ["-xzf", path.join(files, name), "-C", unpacked]);
	}
	const patches = packed
		.map((name) => name.replace(/\.crate$/, ""))
		.filter((name) => name !== `claimkit-cli-${version}`);
	const config = patches.flatMap((name) => [
		"--config",
		`patch.crates-io.${name.replace(/-[\d.]+$/, "")}.path="${path.join(unpacked, name)}"`,
	]);
	run(
		"cargo",
		[
			"install",
			"--quiet",
			"--locked",
			"--path",
			path.join(unpacked, `claimkit-cli-${version}`),
			"--root",
			path.join(set, "installed"),
			"--force",
			...config,
		],
		{
			env: { ...process.env, CARGO_TARGET_DIR: target, CLAIMKIT_BUILD: build },
		},
	);
	const { stdout } = run(
		path.join(set, "installed/bin/claimkit"),
		["validate", "good.yaml"],
		{ cwd: manifests },
	);
	need(stdout === CLEAN, stdout);
	return `${packed.length} packed and compiled without a warning; the program installed from them validates`;
}

/** Collects the contents of the npm packages: the built files with the stamped documents. */
function packable(folder, built, stamped) {
	rmSync(folder, { recursive: true, force: true });
	cpSync(path.join(built, "pkg"), path.join(folder, "pkg"), {
		recursive: true,
		filter: (file) => !/\/(node_modules|policy|vscode)$/.test(file),
	});
	for (const { folder: own } of PACKAGES)
		for (const file of ["package.json", "README.md"])
			cpSync(path.join(stamped, own, file), path.join(folder, own, file));
}

/** Packs the npm packages of a folder into another; returns the names of the tarballs. */
const packAll = (folder, to) =>
	PACKAGES.map((own) =>
		run(
			"npm",
			["pack", "--silent", "--ignore-scripts", "--pack-destination", to],
			{ cwd: path.join(folder, own.folder) },
		).stdout.trim(),
	);

/** The names of the packed npm packages, once there are any. */
const tarballs = () =>
	readdirSync(files).filter((name) => name.endsWith(".tgz"));

/** The npm packages in an empty folder: every recorded case of the command line, and the module inside JavaScript. */
function npm() {
	const folder = path.join(set, "npm");
	packable(folder, root, source);
	for (const own of PACKAGES)
		run("npm", ["publish", "--dry-run", "--ignore-scripts"], {
			cwd: path.join(folder, own.folder),
		});
	const packed = packAll(folder, files);
	const empty = path.join(scratch, "npm");
	mkdirSync(empty);
	writeFileSync(path.join(empty, "package.json"), "{}");
	run(
		"npm",
		[
			"install",
			"--offline",
			"--no-audit",
			"--no-fund",
			"--silent",
			...packed.map((tarball) => path.join(files, tarball)),
		],
		{ cwd: empty },
	);
	const program = path.join(empty, "node_modules/.bin/claimkit");
	const cases = path.join(root, "tests/hosts/cases");
	let same = 0;
	for (const name of readdirSync(cases)) {
		const expected = readFileSync(path.join(cases, name), "utf8");
		const [words, input] = expected
			.split("\n", 1)[0]
			.replace(/^\$ claimkit ?/, "")
			.split(" < ");
		const done = spawnSync(program, words ? words.split(" ") : [], {
			cwd: path.join(root, "tests/hosts"),
			input: input ? readFileSync(path.join(root, "tests/hosts", input)) : "",
			encoding: "utf8",
		});
		need(
			`${expected.split("\n", 1)[0]}\n${done.stdout}--- stderr\n${done.stderr}--- exit ${done.status}\n` ===
				expected,
			`${name} differs`,
		);
		same += 1;
	}
	cpSync(path.join(manifests, "good.yaml"), path.join(empty, "good.yaml"));
	const answer = agentAnswer(program, empty);
	need(answer.includes(CLEAN.trim()), `mcp answers ${answer}`);
	const { stdout } = run(
		process.execPath,
		[
			"--input-type=module",
			"--eval",
			'import { codes } from "claimkit/inline"; console.log(codes().ok);',
		],
		{ cwd: empty },
	);
	need(stdout === "true\n", `claimkit/inline answers ${stdout}`);
	return `${packed.join(", ")} in an empty folder answer all ${same} recorded commands, and an agent by mcp`;
}

/** What the server for agents answers about good.yaml in a folder. */
function agentAnswer(program, folder) {
	const clientInfo = { name: "rehearsal", version };
	const messages = [
		{
			id: 1,
			method: "initialize",
			params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
		},
		{ method: "notifications/initialized" },
		{
			id: 2,
			method: "tools/call",
			params: { name: "validate", arguments: { files: ["good.yaml"] } },
		},
	];
	const { stdout } = run(program, ["mcp"], {
		cwd: folder,
		input: messages
			.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
			.join(""),
	});
	const answers = stdout
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
	const { result } = answers.find(({ id }) => id === 2) ?? {};
	return result?.content[0].text ?? stdout;
}

const MODULES = [
	["claimkit", "kubewarden-wapc"],
	["claimkit-opa", "opa"],
	["claimkit-wasi", "wasi"],
];
const bare = (folder, name) =>
	path.join(folder, "pkg/policy/unannotated", `${name}.wasm`);

/** The policy modules with the stamped documents in them, pushed to a registry on loopback, pulled from it, and asked. */
async function modules({ registry }) {
	const absent = MODULES.filter(([name]) => !existsSync(bare(root, name)));
	if (absent.length > 0)
		unable(
			`${absent.map(([name]) => `${name}.wasm`).join(", ")}: run \`make policy\` first`,
		);
	for (const [name, mode] of MODULES) {
		run("node", [
			path.join(source, "tests/hosts/policy/annotate.mjs"),
			bare(root, name),
			path.join(files, `${name}.wasm`),
			mode,
		]);
		const [section] = WebAssembly.Module.customSections(
			await WebAssembly.compile(readFileSync(path.join(files, `${name}.wasm`))),
			"io.kubewarden.metadata",
		);
		const text = Buffer.from(section).toString();
		need(
			JSON.parse(text).executionMode === mode && !PLACEHOLDER.test(text),
			`${name}.wasm carries placeholders`,
		);
		need(text.includes(registry), `${name}.wasm does not carry ${registry}`);
	}
	const oras = needed("oras");
	const hosts = path.join(root, "tests/hosts/policy");
	if (!existsSync(path.join(hosts, "node_modules")))
		run("npm", ["ci", "--no-fund", "--no-audit", "--loglevel=error"], {
			cwd: hosts,
		});
	// The policy's samples and tests, for the modules that come back.
	const policy = path.join(scratch, "policy");
	cpSync(path.join(source, "pkg/policy"), policy, { recursive: true });
	cpSync(
		path.join(root, "pkg/policy/unannotated"),
		path.join(policy, "unannotated"),
		{ recursive: true },
	);
	const { host, stop } = await start(
		needed("docker-registry"),
		path.join(scratch, "registry"),
	);
	try {
		for (const [name] of MODULES) {
			const module = path.join(files, `${name}.wasm`);
			const pushed = `${host}/policies/${name}`;
			const digest = pushModule(oras, module, pushed, version);
			const file = path.join(policy, `${name}.wasm`);
			pull(oras, `${pushed}@${digest}`, policy);
			need(
				sha256(file) === sha256(module),
				`${name}.wasm comes back with other bytes`,
			);
			for (const [request, allowed] of [
				["claim", true],
				["claim-malformed", false],
			]) {
				const { stdout } = run("node", [
					"--no-warnings",
					path.join(hosts, "kwctl.mjs"),
					"run",
					"--request-path",
					path.join(root, `pkg/policy/samples/requests/${request}.json`),
					"--settings-json",
					"{}",
					file,
				]);
				need(
					JSON.parse(stdout).allowed === allowed,
					`the pulled ${name}.wasm answers ${request} with ${stdout}`,
				);
			}
		}
	} finally {
		await stop();
	}
	const env = {
		...process.env,
		PATH: `${path.join(hosts, "bin")}:${process.env.PATH}`,
	};
	const { stdout } = run(
		path.join(hosts, "node_modules/bats/bin/bats"),
		["--filter-tags", "!kwctl", path.join(policy, "e2e.bats")],
		{ env },
	);
	const tests = stdout.match(/^ok /gm)?.length ?? 0;
	need(tests > 20, stdout);
	return `${MODULES.length} with the stamped documents, pushed to a registry on loopback, pulled by digest byte for byte; each answers, and they pass ${tests} tests of e2e.bats`;
}

const second = path.join(set, "second-time-in-a-folder-with-a-longer-name");

/** Starts to make the modules and programs a second time, in a folder of another length with another CARGO_HOME, beside the other points: linking takes
    one core. */
function again() {
	rmSync(second, { recursive: true, force: true });
	cpSync(source, second, { recursive: true });
	const home = path.join(second, "target/home");
	mkdirSync(home, { recursive: true });
	// The same downloads at another address, and the same tools.
	symlinkSync(
		path.join(
			process.env.CARGO_HOME ?? path.join(homedir(), ".cargo"),
			"registry",
		),
		path.join(home, "registry"),
	);
	if (existsSync(path.join(root, "target/tools")))
		symlinkSync(
			path.join(root, "target/tools"),
			path.join(second, "target/tools"),
		);
	const env = {
		...process.env,
		CARGO_HOME: home,
		CARGO_TARGET_DIR: path.join(second, "target"),
		CLAIMKIT_BUILD: build,
	};
	const log = path.join(set, "second-time.log");
	const output = openSync(log, "w");
	const child = spawn(
		"bash",
		[
			"-c",
			// Without the tools there are no programs, and the point before says so.
			"node pkg/build/build.mjs && bash tests/hosts/policy/build.sh && { node pkg/build/programs.mjs || [[ $? == 3 ]]; }",
		],
		{ cwd: second, env, stdio: ["ignore", output, output] },
	);
	closeSync(output);
	process.once("exit", () => child.kill());
	return { env, log, done: once(child, "exit") };
}

/** The modules, the crates and the npm packages made a second time. */
async function twice({ env, log, done }) {
	const absent = [
		path.join(root, "pkg/claimkit_bg.wasm"),
		path.join(root, "pkg/command_bg.wasm"),
		...MODULES.map(([name]) => bare(root, name)),
	].filter((file) => !existsSync(file));
	if (absent.length > 0)
		unable(
			`${absent.map((file) => path.relative(root, file)).join(", ")}: run \`make pkg policy\` first`,
		);
	const [status] = await done;
	need(
		status === 0,
		`the modules cannot be made again: ${readFileSync(log, "utf8")}`,
	);
	const pairs = [
		...["pkg/claimkit_bg.wasm", "pkg/command_bg.wasm"].map((file) => [
			file,
			root,
			second,
		]),
		...MODULES.map(([name]) => [
			path.relative(root, bare(root, name)),
			root,
			second,
		]),
	];
	for (const program of PROGRAMS)
		if (existsSync(path.join(files, archive(program))))
			pairs.push([
				path.relative(target, made(program, target)),
				target,
				path.join(second, "target"),
			]);
	const packed = path.join(second, "target/package");
	run("cargo", ["package", "--no-verify", "--locked", "--allow-dirty"], {
		cwd: second,
		env,
	});
	for (const name of readdirSync(files).filter((name) =>
		name.endsWith(".crate"),
	))
		pairs.push([name, files, packed]);
	if (tarballs().length > 0) {
		const folder = path.join(second, "npm");
		packable(folder, second, second);
		for (const tarball of packAll(folder, second))
			pairs.push([tarball, files, second]);
	}
	const differing = pairs
		.filter(
			([name, a, b]) =>
				sha256(path.join(a, name)) !== sha256(path.join(b, name)),
		)
		.map(([name]) => name);
	need(
		differing.length === 0,
		`not the same when made again: ${differing.join(", ")}`,
	);
	rmSync(second, { recursive: true, force: true });
	return `${pairs.length} files have equal hashes, the five modules and the programs among them`;
}

const archive = ({ os, arch }) => `claimkit-v${version}-${os}-${arch}.tar.gz`;

/** What makes an archive of equal files the same everywhere. */
const UNDATED = [
	...["--sort=name", "--mtime=@0"],
	...["--owner=0", "--group=0", "--numeric-owner"],
];

/** The programs of all systems, each packed with the license. */
function programs() {
	const done = spawnSync(
		"node",
		[path.join(source, "pkg/build/programs.mjs")],
		{
			env: { ...process.env, CARGO_TARGET_DIR: target, CLAIMKIT_BUILD: build },
			encoding: "utf8",
			maxBuffer: 1 << 28,
		},
	);
	if (done.status === 3) unable(done.stderr.trim());
	need(done.status === 0, `${done.stdout}${done.stderr}`);
	const sizes = PROGRAMS.map((program) => {
		const file = made(program, target);
		const folder = path.join(scratch, "programs", program.target);
		mkdirSync(folder, { recursive: true });
		cpSync(file, path.join(folder, program.name));
		chmodSync(path.join(folder, program.name), 0o755);
		cpSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
		run("tar", [
			...UNDATED,
			"-czf",
			path.join(files, archive(program)),
			"-C",
			folder,
			"LICENSE",
			program.name,
		]);
		const { size } = statSync(file);
		return `${program.os}-${program.arch} ${(size / 1e6).toFixed(1)} MB`;
	});
	return sizes.join(", ");
}

/** What comes before a program to run it here, and how that is called. */
function runner({ os, arch }) {
	const own = { x64: "amd64" }[process.arch] ?? process.arch;
	if (os === process.platform && arch === own) return ["here"];
	if (os === "linux" && arch === "arm64") {
		const emulator = outside("qemu-aarch64-static");
		return emulator && ["under qemu", emulator];
	}
	if (os === "windows" && arch === own) {
		const wine = outside("wine");
		return wine && ["under Wine", wine];
	}
	return undefined;
}

/** A program as its archive has it: what its headers say, and where it can run here, the recorded commands. */
function tried(program) {
	if (!existsSync(path.join(files, archive(program))))
		unable("it is not made: the programs come first");
	const folder = path.join(scratch, "unpacked", program.target);
	mkdirSync(folder, { recursive: true });
	run("tar", ["-xzf", path.join(files, archive(program)), "-C", folder]);
	const file = path.join(folder, program.name);
	const wrong = faults(program, file);
	need(wrong.length === 0, wrong.join("; "));
	const { format, system, signature, libraries } = headers(file);
	const read = [
		format,
		system,
		libraries.length > 0 ? `needs ${libraries.join(", ")}` : "needs nothing",
		signature && `signature ${signature}`,
	]
		.filter(Boolean)
		.join(", ");
	const [where, ...before] =
		runner(program) ?? unable(`only its headers are read (${read})`);
	if (program.os === "windows" && before.length > 0)
		windowsLibrary(
			path.join(root, "tests/hosts/wine/bcryptprimitives.c"),
			path.join(folder, "bcryptprimitives.dll"),
		);
	const { stdout, stderr } = spawnSync(
		"node",
		[
			"--test-reporter=tap",
			path.join(root, "tests/hosts/system.mjs"),
			file,
			...before,
		],
		{
			env: {
				...process.env,
				WINEPREFIX: path.join(scratch, "wine"),
				WINEDLLOVERRIDES: "mscoree=;mshtml=",
			},
			encoding: "utf8",
			maxBuffer: 1 << 28,
		},
	);
	const refused = [...stdout.matchAll(/^not ok \d+ - (.*)$/gm)];
	need(
		refused.length === 0,
		`${where} it answers otherwise: ${refused.map(([, name]) => name).join("; ")}`,
	);
	const passed = /^# pass ([1-9]\d*)$/m.exec(stdout)?.[1];
	need(passed, `${where} no test ends:\n${stdout}${stderr}`);
	return `${where} it passes ${passed} tests of commands (${read})`;
}

/** The container image: pushed to a registry on loopback, pulled from it, and its program started. */
async function image(where) {
	const oras = needed("oras");
	const linux = archives(where).filter(({ os }) => os === "linux");
	const layout = path.join(scratch, "image");
	const digest = makeImage(
		oras,
		linux.map(({ arch, archive: name }) => ({
			arch,
			archive: path.join(files, name),
		})),
		layout,
		version,
	);
	const file = path.join(files, `claimkit-v${version}-image.tar`);
	run("tar", ["--create", "--file", file, ...UNDATED, "-C", layout, "."]);
	const { host, stop } = await start(
		needed("docker-registry"),
		path.join(scratch, "image-registry"),
	);
	const folder = path.join(scratch, "pulled");
	mkdirSync(folder);
	try {
		pushImage(oras, `${file}:v${version}`, `${host}/claimkit:v${version}`);
		for (const { arch } of linux)
			pull(oras, `${host}/claimkit@${digest}`, folder, `linux/${arch}`);
	} finally {
		await stop();
	}
	for (const { archive: name, sha256: hash } of linux)
		need(
			sha256(path.join(folder, name)) === hash,
			`${name} comes back with other bytes`,
		);
	const own = linux.find(({ arch }) => arch === native().arch);
	if (!own) unable("no program of the image runs on this machine");
	run("tar", ["-xzf", path.join(folder, own.archive), "-C", folder]);
	const { stdout } = run(path.join(folder, "claimkit"), ["--version"]);
	return `${linux.length} processors, pushed to a registry on loopback and pulled; ${stdout.split("\n")[0]}`;
}

/** What a channel needs to know of an archive; fails if one is not made. */
function archives({ repository }) {
	const absent = PROGRAMS.filter(
		(program) => !existsSync(path.join(files, archive(program))),
	);
	if (absent.length > 0)
		unable(
			`no archive for ${absent.map(({ os, arch }) => `${os}-${arch}`).join(", ")}: the programs come first`,
		);
	return PROGRAMS.map((program) => ({
		os: program.os,
		arch: program.arch,
		program: program.name,
		archive: archive(program),
		url: `${repository}/releases/download/v${version}/${archive(program)}`,
		sha256: sha256(path.join(files, archive(program))),
	}));
}

/** The program that runs on this machine. */
function native() {
	const program = PROGRAMS.find((found) => runner(found)?.length === 1);
	return program ?? unable("no program runs on this machine");
}

/** The manifest of the kubectl plugin. */
function krew(where) {
	const platforms = archives(where);
	const text = filled(
		readFileSync(path.join(root, "pkg/channels/krew.yaml"), "utf8"),
		{ version, repository: where.repository },
		platforms,
	);
	writeFileSync(path.join(files, "claimkit.krew.yaml"), text);
	const { target: triple, name: executable } = native();
	const program = path.join(scratch, "programs", triple, executable);
	const manifest = JSON.parse(
		run(program, ["parse", "--raw", path.join(files, "claimkit.krew.yaml")])
			.stdout,
	);
	const listed = platforms.map(({ archive: name }) =>
		run("tar", ["-tzf", path.join(files, name)])
			.stdout.trim()
			.split("\n"),
	);
	const wrong = problems(manifest, listed);
	need(wrong.length === 0, `claimkit.krew.yaml: ${wrong.join("; ")}`);
	need(
		manifest.spec.platforms.length === platforms.length,
		`claimkit.krew.yaml has ${manifest.spec.platforms.length} platforms`,
	);
	// krew links it under the name that kubectl looks for.
	const link = path.join(scratch, "kubectl-claimkit");
	symlinkSync(program, link);
	const { stdout } = run(link, ["--version"]);
	return `${platforms.length} platforms, ${stdout.split("\n")[0]}`;
}

/** The formula of Homebrew. */
function homebrew(where) {
	const known = { repository: where.repository, version };
	const platforms = archives(where);
	for (const { os, arch, url, sha256: hash } of platforms) {
		known[`url ${os}-${arch}`] = url;
		known[`sha256 ${os}-${arch}`] = hash;
	}
	const text = readFileSync(
		path.join(root, "pkg/channels/homebrew.rb"),
		"utf8",
	).replace(/(?<!#)\{([a-z0-9]+(?: [a-z0-9-]+)?)\}/g, (all, name) => {
		need(name in known, `homebrew.rb has ${all}, which is not known`);
		return known[name];
	});
	const file = path.join(files, "claimkit.rb");
	writeFileSync(file, text);
	const named = [...text.matchAll(/url "(.*)"\n +sha256 "(.*)"/g)];
	need(named.length === 4, `claimkit.rb has ${named.length} archives, not 4`);
	for (const [, url, hash] of named)
		need(
			platforms.some((found) => found.url === url && found.sha256 === hash),
			`claimkit.rb has another hash for ${url}`,
		);
	run(needed("ruby"), ["-c", file]);
	return `${named.length} archives, and Ruby reads it; Homebrew itself is not asked`;
}

/** No address of a placeholder. */
function documents() {
	const kept = [
		"Cargo.toml",
		"README.md",
		...PACKAGES.flatMap(({ folder }) => [
			`${folder}/package.json`,
			`${folder}/README.md`,
		]),
		"pkg/go/README.md",
		"pkg/go/go.mod",
		...[
			"metadata.yml",
			"artifacthub-pkg.yml",
			"artifacthub-repo.yml",
			"README.md",
		].map((name) => `pkg/policy/${name}`),
		...readdirSync(path.join(source, "pkg/policy/samples"))
			.filter((name) => name.endsWith(".yaml"))
			.map((name) => `pkg/policy/samples/${name}`),
	];
	const found = kept.filter((file) =>
		PLACEHOLDER.test(readFileSync(path.join(source, file), "utf8")),
	);
	need(found.length === 0, `placeholders in ${found.join(", ")}`);
	const relative = [
		...readFileSync(path.join(source, "README.md"), "utf8").matchAll(
			/\]\((?!https?:|#)([^)]+)\)/g,
		),
	].map(([, to]) => to);
	need(
		relative.length === 0,
		`README.md has relative links: ${relative.join(", ")}`,
	);
	return `${kept.length} documents without a placeholder`;
}

/** The action and the workflows, as their linters see them. */
function linters() {
	const workflows = readdirSync(path.join(root, ".github/workflows")).map(
		(name) => path.join(root, ".github/workflows", name),
	);
	const [actionlint, zizmor] = ["actionlint", "zizmor"].map(needed);
	run(actionlint, workflows);
	run(zizmor, [
		"--offline",
		"--quiet",
		path.join(root, "action.yml"),
		...workflows,
	]);
	return "actionlint and zizmor find nothing";
}

/** The hooks in an empty project: first run, good file, bad file, fixed file. */
function preCommit() {
	const preCommit = needed("pre-commit");
	const [mirror, project] = ["mirror", "project"].map((name) =>
		path.join(scratch, name),
	);
	const git = (folder, ...args) =>
		run(
			"git",
			[
				"-c",
				"user.name=a",
				"-c",
				"user.email=a@claimkit.invalid",
				"-c",
				"commit.gpgsign=false",
				...args,
			],
			{ cwd: folder },
		);
	cpSync(path.join(root, "pkg/channels/pre-commit"), mirror, {
		recursive: true,
	});
	if (tarballs().length === 0)
		unable("there are no npm packages to install: they come first");
	const hooks = path.join(mirror, ".pre-commit-hooks.yaml");
	writeFileSync(
		hooks,
		readFileSync(hooks, "utf8").replaceAll(
			`"claimkit@${version}"`,
			tarballs()
				.map((name) => JSON.stringify(path.join(files, name)))
				.join(", "),
		),
	);
	mkdirSync(project);
	for (const folder of [mirror, project]) {
		git(folder, "init", "--quiet");
		git(folder, "add", "--all");
		git(folder, "commit", "--quiet", "--allow-empty", "--message", "first");
	}
	git(mirror, "tag", `v${version}`);
	writeFileSync(
		path.join(project, ".pre-commit-config.yaml"),
		`repos:\n- repo: ${mirror}\n  rev: v${version}\n  hooks: [{id: claimkit}, {id: claimkit-fix, stages: [manual]}]\n`,
	);
	const hook = (stage, status) => {
		git(project, "add", "--all");
		return run(preCommit, ["run", "--all-files", "--hook-stage", stage], {
			cwd: project,
			status,
			env: {
				...process.env,
				PRE_COMMIT_HOME: path.join(scratch, "pre-commit"),
			},
		});
	};
	cpSync(path.join(manifests, "good.yaml"), path.join(project, "good.yaml"));
	const began = Date.now();
	hook("pre-commit", 0);
	const first = (Date.now() - began) / 1000;
	cpSync(path.join(manifests, "bad.yaml"), path.join(project, "bad.yaml"));
	hook("pre-commit", 1);
	rmSync(path.join(project, "bad.yaml"));
	cpSync(
		path.join(manifests, "fixable.yaml"),
		path.join(project, "fixable.yaml"),
	);
	hook("manual", 1);
	need(
		readFileSync(path.join(project, "fixable.yaml"), "utf8") !==
			readFileSync(path.join(manifests, "fixable.yaml"), "utf8"),
		"claimkit-fix changes nothing",
	);
	return `the first run takes ${first.toFixed(1)} s, a good file passes, a bad one fails, claimkit-fix mends`;
}

/** The Go package as its repository has it, and the example's tests with it in an empty folder. */
function goPackage() {
	const folder = path.join(set, "go");
	rmSync(folder, { recursive: true, force: true });
	cpSync(path.join(source, "pkg/go"), folder, { recursive: true });
	for (const script of ["build.sh", "test.sh"])
		rmSync(path.join(folder, script));
	for (const file of ["LICENSE", "pkg/go/claimkit.wasm.gz"])
		cpSync(path.join(root, file), path.join(folder, path.basename(file)));
	const example = path.join(scratch, "go-driver");
	cpSync(path.join(source, "examples/go-driver"), example, {
		recursive: true,
	});
	const [, name] = /^module (.*)$/m.exec(
		readFileSync(path.join(folder, "go.mod"), "utf8"),
	);
	const go = (cwd, ...args) =>
		run("go", args, { cwd, env: { ...process.env, GOWORK: "off" } });
	go(example, "mod", "edit", `-replace=${name}=${folder}`);
	go(example, "test", "./...");
	return `${name}: the tests of the example pass`;
}

/** Hashes and list of contents, which name every file and no other. */
function inventory() {
	const names = readdirSync(files)
		.filter((name) => statSync(path.join(files, name)).isFile())
		.sort();
	const hashed = names.map((name) => ({
		name,
		sha256: sha256(path.join(files, name)),
	}));
	writeFileSync(
		path.join(files, "claimkit.cdx.json"),
		`${JSON.stringify(sbom({ version, files: hashed, folder: source }), undefined, 1)}\n`,
	);
	const all = [
		...hashed,
		{
			name: "claimkit.cdx.json",
			sha256: sha256(path.join(files, "claimkit.cdx.json")),
		},
	];
	writeFileSync(
		path.join(files, "SHA256SUMS"),
		all.map(({ name, sha256: hash }) => `${hash}  ${name}\n`).join(""),
	);
	run("sha256sum", ["--check", "--strict", "--quiet", "SHA256SUMS"], {
		cwd: files,
	});
	const { components } = JSON.parse(
		readFileSync(path.join(files, "claimkit.cdx.json"), "utf8"),
	);
	const listed = components
		.filter(({ type }) => type === "file")
		.map(({ name }) => name);
	need(listed.join() === names.join(), `the list has ${listed.join(", ")}`);
	const without = components
		.filter(({ type, licenses }) => type === "library" && !licenses)
		.map(({ name }) => name);
	need(without.length === 0, `no license: ${without.join(", ")}`);
	return `${all.length} files, ${components.length - listed.length} crates`;
}

const where = addresses();
rmSync(files, { recursive: true, force: true });
mkdirSync(files, { recursive: true });
stamp(source, where);
// A workspace of its own: the one around target/ is not it.
execFileSync("git", ["init", "--quiet", source]);
if (where.unset.length > 0)
	console.log(
		`release.json has no ${where.unset.join(", ")} yet: rehearsed with addresses of claimkit.invalid, which cannot be published`,
	);
const other =
	asked.length === 0 || asked.includes("made twice") ? again() : undefined;
await point("crates", crates);
await point("npm packages", npm);
await point("policy modules", () => modules(where));
await point("programs", programs);
for (const program of PROGRAMS)
	await point(`program for ${program.os}-${program.arch}`, () =>
		tried(program),
	);
await point("made twice", () => twice(other));
await point("container image", () => image(where));
await point("kubectl plugin", () => krew(where));
await point("Homebrew", () => homebrew(where));
await point("documents", documents);
await point("action and workflows", linters);
await point("pre-commit", preCommit);
await point("Go package", goPackage);
await point("hashes and contents", inventory);
console.log(
	`rehearse: ${counts.passed} points passed, ${counts.unable} not tried, ${counts.failed} failed; the files are in ${path.relative(root, files)}`,
);
process.exitCode = counts.failed > 0 ? 1 : 0;
