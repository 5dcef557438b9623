// The command line with files and folders: no data loss, no hanging, no unbounded reading.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
	chmodSync,
	closeSync,
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { ALL, commands, run } from "./suite.mjs";

const CLAIM =
	"apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: a}\nspec: {resourceClassName: gpu}\n";

/** Runs a test in a folder of its own. */
function inFolder(body) {
	const folder = mkdtempSync(path.join(tmpdir(), "claimkit-"));
	const done = (result) => {
		rmSync(folder, { recursive: true, force: true });
		return result;
	};
	const result = body(folder);
	return result instanceof Promise ? result.finally(done) : done(result);
}

/** `make test-sweeps` kills more often. */
const KILLS = ALL ? 100 : 25;

for (const command of commands) {
	const [name, program, first] = command;

	test(`${name}: --in-place keeps the mode, and a symbolic link`, () =>
		inFolder((cwd) => {
			writeFileSync(path.join(cwd, "real.yaml"), CLAIM);
			chmodSync(path.join(cwd, "real.yaml"), 0o640);
			symlinkSync("real.yaml", path.join(cwd, "link.yaml"));
			assert.equal(
				run(
					command,
					["convert", "--to", "v1alpha1", "--in-place", "link.yaml"],
					{ cwd },
				).exit,
				0,
			);
			assert.ok(lstatSync(path.join(cwd, "link.yaml")).isSymbolicLink());
			assert.equal(statSync(path.join(cwd, "real.yaml")).mode & 0o777, 0o640);
			assert.equal(
				readFileSync(path.join(cwd, "real.yaml"), "utf8"),
				CLAIM.replace("v1alpha2", "v1alpha1"),
			);
			assert.deepEqual(readdirSync(cwd).sort(), ["link.yaml", "real.yaml"]);
		}));

	test(`${name}: a link of a folder that leads to nothing is named`, () =>
		inFolder((cwd) => {
			writeFileSync(path.join(cwd, "a.yaml"), CLAIM);
			symlinkSync("gone.yaml", path.join(cwd, "b.yaml"));
			symlinkSync("c.yaml", path.join(cwd, "c.yaml"));
			symlinkSync(".", path.join(cwd, "d.yaml"));
			const result = run(command, ["convert", "--to", "v1alpha1", "."], {
				cwd,
			});
			assert.equal(result.exit, 2);
			assert.match(result.stderr, /^claimkit: \.\/b\.yaml: no such file/m);
			assert.match(result.stderr, /^claimkit: \.\/c\.yaml: /m);
			assert.doesNotMatch(result.stderr, /d\.yaml/);
		}));

	test(`${name}: ${KILLS} kills of --in-place lose nothing`, () =>
		inFolder(async (cwd) => {
			const file = path.join(cwd, "a.yaml");
			const long = `${CLAIM}---\n`.repeat(2000);
			const texts = {
				v1alpha2: long,
				v1alpha1: long.replaceAll("v1alpha2", "v1alpha1"),
			};
			writeFileSync(file, long);
			// About half of the runs finish before the kill on any machine, because the test first measures the time of a whole run.
			const begun = performance.now();
			assert.equal(
				run(command, ["convert", "--to", "v1alpha1", "--in-place", "a.yaml"], {
					cwd,
				}).exit,
				0,
			);
			const whole = performance.now() - begun;
			for (let round = 0; round < KILLS; round += 1) {
				const to =
					readFileSync(file, "utf8") === texts.v1alpha2
						? "v1alpha1"
						: "v1alpha2";
				const child = spawn(
					program,
					[...first, "convert", "--to", to, "--in-place", "a.yaml"],
					{ cwd, stdio: "ignore" },
				);
				const ended = new Promise((resolve) => child.on("exit", resolve));
				// Time is the subject: each run is killed at another moment.
				setTimeout(() => child.kill("SIGKILL"), (whole * 1.5 * round) / KILLS);
				await ended;
				assert.ok(
					Object.values(texts).includes(readFileSync(file, "utf8")),
					`round ${round}`,
				);
			}
		}));

	test(
		`${name}: a walk passes over a pipe, and says of a folder too deep that it is not entered`,
		{ skip: process.platform === "win32" },
		() =>
			inFolder((cwd) => {
				writeFileSync(path.join(cwd, "a.yaml"), CLAIM);
				assert.equal(
					spawnSync("mkfifo", [path.join(cwd, "pipe.yaml")]).status,
					0,
				);
				const deep = path.join(cwd, ...Array.from({ length: 70 }, () => "d"));
				mkdirSync(deep, { recursive: true });
				writeFileSync(path.join(deep, "b.yaml"), CLAIM);
				const { stdout, stderr, exit } = run(command, ["validate", "."], {
					cwd,
				});
				assert.match(stdout, /checked 1 object in 1 file/);
				assert.match(
					stderr,
					/more than 64 folders inside each other: not entered/,
				);
				assert.equal(exit, 2);
			}),
	);

	test(`${name}: of a file that is too large no more is read than may be`, () =>
		inFolder((cwd) => {
			closeSync(openSync(path.join(cwd, "huge.yaml"), "w"));
			truncateSync(path.join(cwd, "huge.yaml"), 3e9);
			const { stderr, exit } = run(command, ["validate", "huge.yaml"], { cwd });
			assert.equal(
				stderr,
				"claimkit: huge.yaml: larger than 64 MiB, the most that is read\n",
			);
			assert.equal(exit, 2);
		}));

	test(`${name}: --fix writes what is certain and keeps what a person wrote; claimkit.toml above is used`, () =>
		inFolder((cwd) => {
			const manifest = readFileSync(
				new URL("manifests/fixable.yaml", import.meta.url),
				"utf8",
			);
			mkdirSync(path.join(cwd, "below/charts"), { recursive: true });
			writeFileSync(
				path.join(cwd, "claimkit.toml"),
				'release = "1.29"\nignore = ["status-dropped"]\nexclude = ["**/charts"]\n',
			);
			writeFileSync(path.join(cwd, "below/a.yaml"), manifest);
			writeFileSync(path.join(cwd, "below/charts/b.yaml"), manifest);
			const below = path.join(cwd, "below");
			const { stdout, exit } = run(command, ["validate", "--fix", "."], {
				cwd: below,
			});
			assert.equal(
				stdout,
				"3 fixes applied\nchecked 1 object in 1 file: no problems\n",
			);
			assert.equal(exit, 0);
			const mended = manifest
				.replace("resourceClaim\n", "ResourceClaim\n")
				.replace("resourceClasName", "resourceClassName")
				.replace("immediate", "Immediate");
			assert.equal(readFileSync(path.join(below, "a.yaml"), "utf8"), mended);
			assert.equal(
				readFileSync(path.join(below, "charts/b.yaml"), "utf8"),
				manifest,
			);
			assert.match(
				run(command, ["validate", "--show-settings"], { cwd: below }).stdout,
				/claimkit\.toml, and the command line\nrelease = "1\.29"\ngates = \{\}\nnamespace-labels = \{\}\nignore = \["status-dropped"\]/,
			);
			const admin =
				'release = "1.33"\ngates = { DRAAdminAccess = true }\nnamespace-labels = { "resource.k8s.io/admin-access" = "true" }\n';
			writeFileSync(path.join(cwd, "claimkit.toml"), admin);
			const validate = (...more) =>
				run(
					command,
					[
						"validate",
						...more,
						new URL("manifests/admin-access.yaml", import.meta.url).pathname,
					],
					{ cwd: below },
				);
			assert.equal(
				validate().stdout,
				"checked 1 object in 1 file: no problems\n",
			);
			// The command line comes before the file, gate by gate and label by label.
			assert.match(
				validate("--gate", "DRAAdminAccess=false").stdout,
				/the feature gate DRAAdminAccess is off/,
			);
			assert.match(
				validate(
					"--feature-gates=DRAPrioritizedList=true",
					"--namespace-label",
					"resource.k8s.io/admin-access=no",
				).stdout,
				/Forbidden: admin access to devices requires/,
			);
			const shown = run(
				command,
				["validate", "--show-settings", "--gate", "DRAPrioritizedList=true"],
				{ cwd: below },
			).stdout;
			assert.match(
				shown,
				/\ngates = \{ "DRAPrioritizedList" = true, "DRAAdminAccess" = true \}\nnamespace-labels = \{ "resource.k8s.io\/admin-access" = "true" \}\n/,
			);
			writeFileSync(path.join(cwd, "claimkit.toml"), "relase = 1\n");
			const wrong = run(command, ["validate", "a.yaml"], { cwd: below });
			assert.match(
				wrong.stderr,
				/claimkit\.toml: unknown field `relase`, expected one of `release`, `gates`, `namespace-labels`, `ignore`, `exclude`/,
			);
			assert.equal(wrong.exit, 2);
		}));
}

test(
	"native: a name that is not UTF-8 is read",
	{ skip: process.platform !== "linux" },
	() =>
		inFolder((cwd) => {
			const name = Buffer.concat([
				Buffer.from(`${cwd}/caf`),
				Buffer.from([0xe9]),
				Buffer.from(".yaml"),
			]);
			writeFileSync(name, CLAIM);
			assert.ok(existsSync(name));
			const { stdout, exit } = run(commands[0], ["validate", "."], { cwd });
			assert.match(stdout, /checked 1 object in 1 file: no problems/);
			assert.equal(exit, 0);
		}),
);

test(
	"native: a full disk leaves the file as it was",
	{ skip: process.platform !== "linux" || process.getuid() !== 0 },
	() =>
		inFolder((cwd) => {
			const disk = path.join(cwd, "disk");
			mkdirSync(disk);
			const mounted = spawnSync("mount", [
				"-t",
				"tmpfs",
				"-o",
				"size=64k",
				"tmpfs",
				disk,
			]);
			if (mounted.status !== 0) {
				console.log(
					"files: a small disk cannot be mounted here: a full disk is NOT CHECKED",
				);
				return;
			}
			try {
				const file = path.join(disk, "a.yaml");
				const text = `${CLAIM}---\n`.repeat(300);
				writeFileSync(file, text);
				const { stderr, exit } = run(commands[0], [
					"convert",
					"--to",
					"v1alpha1",
					"--in-place",
					file,
				]);
				assert.match(stderr, /a\.yaml: .*[Nn]o space/);
				assert.equal(exit, 2);
				assert.equal(readFileSync(file, "utf8"), text);
				assert.deepEqual(readdirSync(disk), ["a.yaml"]);
			} finally {
				spawnSync("umount", [disk]);
			}
		}),
);

test("the completion scripts are read by their shells", () => {
	for (const [shell, check] of [
		["bash", ["bash", "-n"]],
		["zsh", ["zsh", "-n"]],
		["fish", ["fish", "-n"]],
	]) {
		const script = run(commands[0], ["completion", shell]).stdout;
		assert.match(script, /warnings-as-errors/, shell);
		const [program, ...args] = check;
		const read = inFolder((cwd) => {
			writeFileSync(path.join(cwd, "script"), script);
			return spawnSync(program, [...args, "script"], { cwd });
		});
		if (read.error)
			console.log(`files: no ${shell} here: its completion script is NOT READ`);
		else assert.equal(read.status, 0, `${shell}: ${read.stderr}`);
	}
});
