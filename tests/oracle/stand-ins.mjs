// Stands in for modules that a pre-release names and that are not served with it.
import { execFileSync } from "node:child_process";
import {
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";

const here = import.meta.dirname;

/** What is taken in place of a module, by release. `k8s.io/ktesting` is for tests alone, so a module without packages is enough. */
export const INSTEAD = {
	"1.38.0-beta.0": {
		"k8s.io/apiextensions-api": "../stand-ins/apiextensions-api",
		"k8s.io/ktesting": "../stand-ins/ktesting",
		"sigs.k8s.io/structured-merge-diff/v7":
			"sigs.k8s.io/structured-merge-diff/v7 v7.0.0",
	},
};

/** The last module that had the packages of k8s.io/apiextensions-api. */
const BEFORE = "k8s.io/apiextensions-apiserver@v0.37.2";

/** What became of import paths between the two modules. */
const MOVED = [
	[
		"k8s.io/apiextensions-apiserver/pkg/apis",
		"k8s.io/apiextensions-api/pkg/apis",
	],
	[
		"k8s.io/apiextensions-apiserver/pkg/client",
		"k8s.io/apiextensions-api/pkg/client",
	],
	[
		"sigs.k8s.io/structured-merge-diff/v6",
		"sigs.k8s.io/structured-merge-diff/v7",
	],
];

/** The parts of the module that others use: types, without the conversion to internal ones, and clients. */
const PARTS = [
	"pkg/apis/apiextensions/v1",
	"pkg/apis/apiextensions/v1beta1",
	"pkg/client",
];
const CONVERSIONS = ["conversion.go", "zz_generated.conversion.go"];

/** Makes what a release needs in place of modules that are not served, where it is missing. */
export function makeStandIns(release) {
	const instead = INSTEAD[release]?.["k8s.io/apiextensions-api"];
	if (!instead) return;
	const folder = path.join(here, release, instead);
	if (existsSync(path.join(folder, "go.mod"))) return;
	const found = execFileSync("go", ["mod", "download", "-json", BEFORE], {
		cwd: here,
		encoding: "utf8",
	});
	const source = JSON.parse(found).Dir;
	rmSync(folder, { recursive: true, force: true });
	for (const part of PARTS) {
		cpSync(path.join(source, part), path.join(folder, part), {
			recursive: true,
			mode: undefined,
			filter: (name) =>
				!name.endsWith("_test.go") &&
				!CONVERSIONS.includes(path.basename(name)),
		});
	}
	execFileSync("chmod", ["-R", "u+w", folder]);
	for (const name of readdirSync(folder, { recursive: true })) {
		const file = path.join(folder, name);
		if (!name.endsWith(".go")) continue;
		const text = MOVED.reduce(
			(text, [from, to]) => text.replaceAll(from, to),
			readFileSync(file, "utf8"),
		);
		writeFileSync(file, text);
	}
	// It was beside the conversion.
	for (const version of ["v1", "v1beta1"]) {
		const types = path.join(folder, "pkg/apis/apiextensions", version);
		mkdirSync(types, { recursive: true });
		writeFileSync(
			path.join(types, "null.go"),
			`package ${version}\n\nvar nullLiteral = []byte("null")\n`,
		);
	}
	// Last: the file says that the folder is whole.
	writeFileSync(
		path.join(folder, "go.mod"),
		"module k8s.io/apiextensions-api\n\ngo 1.26\n",
	);
}
