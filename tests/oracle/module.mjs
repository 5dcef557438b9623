// Writes the module of one release: node module.mjs 1.37.2. kubernetes' own go.mod names its staging modules without a version, so each
// gets a replace line; etcd's server gets the version of the client that kubernetes uses.
//
//   node module.mjs 1.35.6 1.35.4     where k8s.io/kubernetes is served only for an earlier patch than its staging modules: the recorder
//                                     is built from both, and no programs of a cluster
//
// A pre-release may name modules that are not served yet: INSTEAD says what is taken in their place.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { here, RELEASE } from "./release.mjs";
import { INSTEAD, makeStandIns } from "./stand-ins.mjs";

const [release, kubernetes = release] = process.argv.slice(2);
if (!RELEASE.test(release ?? ""))
	throw new Error(
		"usage: node module.mjs MAJOR.MINOR.PATCH[-beta.N] [KUBERNETES]",
	);
const staging = `v0.${release.slice(2)}`;
const go = (directory, ...args) =>
	execFileSync("go", args, {
		cwd: directory,
		encoding: "utf8",
		env: { ...process.env, GOFLAGS: "-mod=mod", GOTOOLCHAIN: "auto" },
	});
const instead = INSTEAD[release] ?? {};
const upstream = readFileSync(
	JSON.parse(
		go(here, "mod", "download", "-json", `k8s.io/kubernetes@v${kubernetes}`),
	).GoMod,
	"utf8",
);
const modules = [...upstream.matchAll(/^\t(k8s\.io\/\S+) v0\.0\.0$/gm)].map(
	(found) => found[1],
);
const etcd = /go\.etcd\.io\/etcd\/client\/v3 (\S+)/.exec(upstream)[1];
const programs = [
	"go.etcd.io/etcd/server/v3",
	...[
		"kube-apiserver",
		"kube-controller-manager",
		"kube-scheduler",
		"kubectl",
	].map((name) => `k8s.io/kubernetes/cmd/${name}`),
];
const cluster = kubernetes === release;

const folder = join(here, release);
mkdirSync(folder, { recursive: true });
const lines = [
	`module claimkit.invalid/oracle-${release}`,
	"",
	/^go .*$/m.exec(upstream)?.[0] ?? "go 1.26",
	"",
	/^godebug .*$/m.exec(upstream)?.[0] ?? "",
	"",
	"require (",
	"\tclaimkit.invalid/oracle v0.0.0",
	...(cluster ? [`\tgo.etcd.io/etcd/server/v3 ${etcd}`] : []),
	`\tk8s.io/kubernetes v${kubernetes}`,
	")",
	"",
	...(cluster
		? ["tool (", ...programs.map((path) => `\t${path}`), ")", ""]
		: []),
	"replace (",
	"\tclaimkit.invalid/oracle => ../",
	...modules
		.filter((path) => !(path in instead))
		.map((path) => `\t${path} => ${path} ${staging}`),
	...Object.entries(instead).map(([path, other]) => `\t${path} => ${other}`),
	")",
	"",
	// Indirect requirements are upstream's: those of modules without a version cannot be asked.
	...(/^require \([^)]*\/\/ indirect[^)]*\)$/m.exec(upstream) ?? []),
	"",
];
writeFileSync(join(folder, "go.mod"), lines.join("\n"));
makeStandIns(release);
// Tests of upstream's modules need more than is served of a pre-release.
if (existsSync(join(folder, "main.go"))) go(folder, "mod", "tidy", "-e");
