// The recipes of examples/recipes, run by bash as they stand there. The renderers are played by their recorded output in
// examples/recipes/rendered, whose first line is the command, because versions differ in lines; one that is on this machine must render
// the same objects.
// CLAIMKIT_UPDATE=1 writes what the commands print into the README.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	chmodSync,
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
import { commands, root, run, UPDATE } from "./suite.mjs";

const folder = path.join(root, "examples/recipes");
const page = path.join(folder, "README.md");
const write = UPDATE;

const scratch = mkdtempSync(path.join(tmpdir(), "claimkit-recipes-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** The recorded renderings: `{ file, line, program, text }`. */
const rendered = readdirSync(path.join(folder, "rendered"))
	.sort()
	.map((file) => {
		const whole = readFileSync(path.join(folder, "rendered", file), "utf8");
		const [, line] =
			/^# \$ (.+)\n/.exec(whole) ??
			assert.fail(`${file} does not begin with its command`);
		return {
			file,
			line,
			program: line.split(" ")[0],
			text: whole.slice(whole.indexOf("\n") + 1),
		};
	});

const onPath = (program) =>
	spawnSync("sh", ["-c", 'command -v "$0"', program]).status === 0;
// Argo CD renders on its server.
const absent = new Set(
	rendered
		.map(({ program }) => program)
		.filter((program) => program === "argocd" || !onPath(program)),
);
for (const program of absent)
	console.log(
		`recipes: ${program === "argocd" ? "no server for argocd" : `no ${program}`} here: whether it renders what is recorded is NOT COMPARED`,
	);

/** A folder for PATH with this claimkit, and with players of the renderers. */
function bin([name, program, first]) {
	const at = path.join(scratch, name);
	mkdirSync(at);
	const script = (file, body) => {
		writeFileSync(path.join(at, file), `#!/bin/bash\n${body}\n`);
		chmodSync(path.join(at, file), 0o755);
	};
	script("claimkit", `exec ${[program, ...first].map(quoted).join(" ")} "$@"`);
	for (const player of new Set(rendered.map(({ program }) => program))) {
		const cases = rendered
			.filter(({ program }) => program === player)
			.map(
				({ file, line }) =>
					`${quoted(line)}) tail -n +2 ${quoted(path.join(folder, "rendered", file))} ;;`,
			);
		script(
			player,
			`case "${player} $*" in\n${cases.join("\n")}\n*) echo "${player}: nothing is recorded for: $*" >&2; exit 9 ;;\nesac`,
		);
	}
	return at;
}

const bins = Object.fromEntries(
	commands.map((command) => [command[0], bin(command)]),
);

/** Runs lines in one bash; returns what each printed, both outputs in one. */
function session(name, lines, { cwd = folder, env = {} } = {}) {
	const mark = "\u0001";
	// The next line sees the status of the one before it.
	const script = lines
		.map((line) => `${line}\n{ status=$?; printf '${mark}'; (exit $status); }`)
		.join("\n");
	const done = spawnSync("bash", ["--noprofile", "--norc"], {
		cwd,
		input: `exec 2>&1\n${script}\n`,
		encoding: "utf8",
		env: { ...process.env, PATH: `${bins[name]}:${process.env.PATH}`, ...env },
	});
	const parts = done.stdout.split(mark);
	assert.equal(parts.length, lines.length + 1, done.stdout);
	return parts.slice(0, -1);
}

/** The console blocks of a text, each as its commands with what they print. */
const blocks = (text) =>
	[...text.matchAll(/```console\n([\s\S]*?)```/g)].map(([, body]) =>
		body
			.split(/^\$ /m)
			.slice(1)
			.map((part) => [
				part.slice(0, part.indexOf("\n")),
				part.slice(part.indexOf("\n") + 1),
			]),
	);

if (write) {
	const bodies = blocks(readFileSync(page, "utf8")).map((block) => {
		const lines = block.map(([line]) => line);
		return session("native", lines)
			.map((printed, at) => `$ ${lines[at]}\n${printed}`)
			.join("");
	});
	const next = bodies.values();
	writeFileSync(
		page,
		readFileSync(page, "utf8").replace(
			/```console\n[\s\S]*?```/g,
			() => `\`\`\`console\n${next.next().value}\`\`\``,
		),
	);
}

const recipes = blocks(readFileSync(page, "utf8"));

for (const [name] of commands) {
	for (const block of recipes) {
		test(`${name}: ${block[0][0]}`, () => {
			assert.deepEqual(
				session(
					name,
					block.map(([line]) => line),
				),
				block.map(([, printed]) => printed),
			);
		});
	}
}

test("there is a recipe for each rendering, and one for each tool", () => {
	const lines = recipes.flat().map(([line]) => line);
	for (const { file, line } of rendered)
		assert.ok(
			lines.some((recipe) => recipe.startsWith(`${line} | `)),
			`${file}: no recipe runs it`,
		);
	assert.deepEqual(
		[...new Set(rendered.map(({ program }) => program))].sort(),
		["argocd", "flux", "helm", "kubectl"],
	);
});

test("the rendering of the chart has what renderers leave behind", () => {
	const { text } = rendered.find(({ file }) => file === "helm.yaml");
	assert.match(text, /^---\n# Source: /);
	assert.match(
		text,
		/\n---\n# Source: [^\n]+\n#[^\n]*\n\n---\n/,
		"a document of comments alone",
	);
	for (const kind of ["CustomResourceDefinition", "List"])
		assert.match(text, new RegExp(`^kind: ${kind}$`, "m"));
	assert.match(
		rendered.find(({ file }) => file === "flux.yaml").text,
		/^kind: HelmRelease$[\s\S]*\n---\n$/m,
	);
});

/** The objects of a stream, in no order. */
const objects = (text) =>
	run(commands[0], ["batch"], {
		input: text
			.split(/^---$/m)
			.map(
				(document) =>
					`${JSON.stringify({ verb: "parse", raw: true, text: document })}\n`,
			)
			.join(""),
	})
		.stdout.trimEnd()
		.split("\n")
		.map((line) => JSON.stringify(JSON.parse(line).raw ?? null))
		.filter((object) => object !== "null")
		.sort();

for (const { file, line, program, text } of rendered.filter(
	({ program }) => !absent.has(program),
)) {
	test(`${program} renders ${file}`, () => {
		const done = spawnSync("bash", ["-c", line], {
			cwd: folder,
			encoding: "utf8",
		});
		assert.equal(done.status, 0, done.stderr);
		assert.deepEqual(objects(done.stdout), objects(text));
		assert.ok(objects(text).length > 1);
	});
}

test("the plugin of Argo CD prints the manifests, or fails and prints none", () => {
	const body = readFileSync(path.join(folder, "argocd/plugin.yaml"), "utf8")
		.split("- |\n")[1]
		.replace(/^ {6}/gm, "");
	const generate = (helm) => {
		const at = mkdtempSync(path.join(scratch, "plugin-"));
		writeFileSync(path.join(at, "helm"), `#!/bin/bash\n${helm}\n`);
		chmodSync(path.join(at, "helm"), 0o755);
		const env = {
			...process.env,
			PATH: `${at}:${bins.native}:${process.env.PATH}`,
			ARGOCD_APP_NAME: "trainer",
			ARGOCD_APP_NAMESPACE: "ml",
			KUBE_VERSION: "1.36.2",
		};
		return spawnSync("bash", ["-euc", body], {
			cwd: path.join(folder, "chart"),
			encoding: "utf8",
			env,
		});
	};
	const play = (file) =>
		`[[ "$*" == "template trainer . --namespace ml --include-crds" ]] && tail -n +2 ${quoted(path.join(folder, "rendered", file))}`;
	const good = generate(play("helm.yaml"));
	assert.equal(good.status, 0, good.stderr);
	assert.deepEqual(
		objects(good.stdout),
		objects(rendered.find(({ file }) => file === "helm.yaml").text),
	);
	const bad = generate(play("helm-devices.yaml"));
	assert.deepEqual([bad.status, bad.stdout], [1, ""]);
	assert.match(
		bad.stderr,
		/^trainer:\d+:\d+: error: .*must be greater than zero/m,
	);
	assert.deepEqual(
		[generate("exit 3").status, generate("exit 3").stdout],
		[3, ""],
	);
});

test("a renderer that fails is not taken for success", () => {
	const [, printed] = session("native", [
		"false | claimkit validate --release 1.36 -",
		"echo $?",
	]);
	assert.equal(printed, "2\n");
});
