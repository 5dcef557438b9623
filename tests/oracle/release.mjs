// One release of the oracle: its folder, its module, and the programs that are built from it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import path from "node:path";
import { makeStandIns } from "./stand-ins.mjs";

/** This folder. */
export const here = import.meta.dirname;
/** The repository. */
export const root = path.resolve(here, "../..");
/** Where compilers write. */
export const target = path.resolve(
	root,
	process.env.CARGO_TARGET_DIR ?? "target",
);

/** The programs of a cluster by name, each with its package. */
const PROGRAMS = {
	"kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
	"kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
	"kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
	kubectl: "k8s.io/kubernetes/cmd/kubectl",
	etcd: "go.etcd.io/etcd/server/v3",
};

/** The name of a release or a pre-release. */
export const RELEASE = /^\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?$/;

/** Whether a release is not final. */
export const isPre = (release) => release.includes("-");

/** Whether a release is before another: alpha, beta and rc are before the final one. */
export function isBefore(release, other) {
	const [left, right] = [release, other].map((one) =>
		isPre(one) ? one : `${one}-release`,
	);
	return left.localeCompare(right, "en", { numeric: true }) < 0;
}

/** The releases with a folder here, the newest first. */
export const releases = readdirSync(here)
	.filter((name) => RELEASE.test(name))
	.sort((a, b) => (isBefore(a, b) ? 1 : -1));

/** The release that RELEASE names, or the newest final one. */
export function chosen(name = process.env.RELEASE) {
	const release = name || releases.find((one) => !isPre(one));
	if (!releases.includes(release))
		throw new Error(
			`RELEASE=${release}: there is a module for ${releases.join(", ")}`,
		);
	return release;
}

/** Whether Go is installed, which is an error in continuous integration where it is not. */
export function hasGo() {
	const installed = spawnSync("go", ["version"]).status === 0;
	if (!installed && process.env.CI)
		throw new Error("CI is set, and there is no Go");
	return installed;
}

/** The environment in which everything is compiled. */
export const environment = {
	...process.env,
	CGO_ENABLED: "0",
	GOFLAGS: "-mod=readonly -buildvcs=false -trimpath",
	GOWORK: "off",
	// A pre-release may need a newer Go than the one that is installed: it comes as a module, too.
	GOTOOLCHAIN: "auto",
};

/** The minor releases that changed an interface which the packages of all releases use. */
const CHANGED = [36, 38];

/** The tags of files that only some releases have: one for each change up to the release. */
export const tags = (release) =>
	CHANGED.filter((minor) => minor <= Number(release.split(".")[1]))
		.map((minor) => `v1${minor}`)
		.join(",");

/** Compiles a package of a release's module; returns the program's path. */
function compile(release, name, source, flags) {
	makeStandIns(release);
	const folder = path.join(target, "oracle", release);
	mkdirSync(folder, { recursive: true });
	const program = path.join(folder, name);
	// Go writes over a program in place, which fails while the program runs.
	const fresh = `${program}.${process.pid}`;
	const done = spawnSync(
		"go",
		[
			"build",
			"-tags",
			tags(release),
			"-ldflags",
			flags.join(" "),
			"-o",
			fresh,
			source,
		],
		{ cwd: path.join(here, release), env: environment, stdio: "inherit" },
	);
	if (done.status !== 0)
		throw new Error(`go build ${source} for ${release} failed`);
	renameSync(fresh, program);
	return program;
}

/** Without these a program calls itself `v0.0.0-master` and checks of version skew go wrong. */
function versionFlags(release) {
	const [major, minor] = release.split(".");
	const facts = {
		gitVersion: `v${release}`,
		gitMajor: major,
		gitMinor: minor,
		gitTreeState: "clean",
	};
	return [
		"-s",
		"-w",
		...Object.entries(facts).map(
			([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
		),
	];
}

/** Builds the named programs of a release where they are missing; returns their paths by name. */
export function build(release, names = Object.keys(PROGRAMS)) {
	const paths = {};
	for (const name of names) {
		const program = path.join(target, "oracle", release, name);
		paths[name] = program;
		if (existsSync(program)) continue;
		console.log(`==> oracle: ${name} ${release} from upstream's modules`);
		compile(release, name, PROGRAMS[name], versionFlags(release));
	}
	return paths;
}

/** Builds the recorder of a release; returns its path. */
export const recorder = (release) =>
	compile(release, "record", ".", ["-s", "-w"]);

if (process.argv[1] === import.meta.filename) {
	const release = chosen();
	if (hasGo())
		console.log(
			JSON.stringify(
				{ release, ...build(release), record: recorder(release) },
				null,
				2,
			),
		);
	else console.log("oracle: no Go here: NOT BUILT");
}
