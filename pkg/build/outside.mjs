// Programs that a rehearsal or a test asks and no build needs, from Debian, the Go proxy and PyPI, into target/tools/outside. A program on PATH is
// taken as it is. The caller reports what this machine cannot have.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");
const folder = path.join(
	path.resolve(root, process.env.CARGO_TARGET_DIR ?? "target"),
	"tools/outside",
);

const quiet = (program, args, options = {}) =>
	spawnSync(program, args, { encoding: "utf8", ...options });
const works = (program, ...args) => quiet(program, args).status === 0;

/** Debian's docker-registry: its package unpacked, for nothing is installed into the system. */
function fromDebian() {
	const program = path.join(folder, "docker-registry/usr/bin/docker-registry");
	if (!existsSync(program)) {
		const parts = path.join(folder, "debian");
		mkdirSync(parts, { recursive: true });
		quiet("apt-get", ["download", "docker-registry"], { cwd: parts });
		const deb = readdirSync(parts).find((name) => name.endsWith(".deb"));
		if (deb)
			quiet("dpkg-deb", [
				"-x",
				path.join(parts, deb),
				path.join(folder, "docker-registry"),
			]);
		rmSync(parts, { recursive: true, force: true });
	}
	return program;
}

/** A Go program of a fixed version. */
function fromGo(name, module) {
	const bin = path.join(folder, "go");
	const program = path.join(bin, name);
	if (!existsSync(program))
		quiet("go", ["install", module], {
			env: { ...process.env, GOBIN: bin, GOFLAGS: "", CGO_ENABLED: "0" },
		});
	return program;
}

/** A program from PyPI of a fixed version, in an environment of its own. */
function fromPython(name, version) {
	const environment = path.join(folder, `${name}-${version}`);
	const program = path.join(environment, "bin", name);
	if (!existsSync(program) && works("python3", "-m", "venv", environment)) {
		quiet(path.join(environment, "bin/pip"), [
			"install",
			"--quiet",
			"--disable-pip-version-check",
			`${name}==${version}`,
		]);
	}
	return program;
}

const SOURCES = {
	"docker-registry": fromDebian,
	actionlint: () =>
		fromGo("actionlint", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"),
	kubeconform: () =>
		fromGo(
			"kubeconform",
			"github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0",
		),
	zizmor: () => fromPython("zizmor", "1.32.0"),
	"pre-commit": () => fromPython("pre-commit", "4.7.0"),
};

/** The path of a program, or nothing where this machine cannot have it. */
export function outside(name) {
	const known = quiet("sh", ["-c", 'command -v "$0"', name]).stdout?.trim();
	if (known) return known;
	const program = SOURCES[name]();
	return existsSync(program) ? program : undefined;
}
