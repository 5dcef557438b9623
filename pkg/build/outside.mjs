// Programs that a rehearsal or a test asks and no build needs, from Debian, the Go proxy and PyPI, into target/tools/outside. A program on PATH is
// taken as it is. The caller reports what this machine cannot have.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { tools } from "./places.mjs";

const folder = path.join(tools, "outside");

const quiet = (program, args, options = {}) =>
	spawnSync(program, args, { encoding: "utf8", ...options });
const works = (program, ...args) => quiet(program, args).status === 0;

/** A program of a Debian package: taken out of it, for nothing is installed into the system. */
function fromDebian(name, debian) {
	const program = path.join(folder, debian, "usr/bin", name);
	if (!existsSync(program)) {
		const parts = path.join(folder, "debian");
		mkdirSync(parts, { recursive: true });
		mkdirSync(path.join(folder, debian), { recursive: true });
		quiet("apt-get", ["download", debian], { cwd: parts });
		const deb = readdirSync(parts).find((file) => file.endsWith(".deb"));
		if (deb)
			quiet(
				"bash",
				[
					"-c",
					'set -o pipefail; dpkg-deb --fsys-tarfile "$0" | tar -x "./usr/bin/$1"',
					path.join(parts, deb),
					name,
				],
				{ cwd: path.join(folder, debian) },
			);
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
	"docker-registry": () => fromDebian("docker-registry", "docker-registry"),
	"qemu-aarch64-static": () =>
		fromDebian("qemu-aarch64-static", "qemu-user-static"),
	// Debian's package wine64 has it there, and the package wine on PATH. It needs a dozen other packages: nothing is unpacked.
	ruby: () => "/usr/bin/ruby",
	wine: () => "/usr/lib/wine/wine64",
	actionlint: () =>
		fromGo("actionlint", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"),
	oras: () => fromGo("oras", "oras.land/oras/cmd/oras@v1.3.6"),
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
