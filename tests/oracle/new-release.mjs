// Prints the changes of a release, from the modules that are served for it: types, lifecycle, gates, CEL declarations, and the answers of its
// selectors and allocator to what was recorded; with the table rows that each change wants.
//
//   node new-release.mjs 1.38.0-alpha.2 [OLD]     OLD: the release to compare with; the newest with a folder here
import { spawnSync } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { ask, differs, KINDS, recordedOf } from "./record.mjs";
import {
	hasGo,
	here,
	isBefore,
	isPre,
	RELEASE,
	releases,
	tags,
	target,
} from "./release.mjs";
import { INSTEAD, makeStandIns } from "./stand-ins.mjs";

const API = "k8s.io/api";
const DRA = "k8s.io/dynamic-resource-allocation";
// A pre-release may need a newer Go than the one that is installed: it comes as a module, too.
const environment = {
	...process.env,
	CGO_ENABLED: "0",
	GOFLAGS: "-mod=mod -buildvcs=false -trimpath",
	GOTOOLCHAIN: "auto",
};

function go(directory, ...args) {
	const done = spawnSync("go", args, {
		cwd: directory,
		env: environment,
		encoding: "utf8",
		maxBuffer: 1 << 28,
	});
	if (done.status !== 0)
		throw new Error(`go ${args.join(" ")}: ${done.stderr}`);
	return done.stdout;
}

/** The version of a module for a release: its own, or the newest before it of the same minor release; none if there is no such. */
function served(module, release) {
	const wanted = `v0.${release.slice(2)}`;
	const minor = wanted.split(".").slice(0, 2).join(".");
	const all = go(here, "list", "-m", "-versions", module)
		.trim()
		.split(" ")
		.slice(1)
		.filter((version) => version.startsWith(`${minor}.`));
	return all.includes(wanted)
		? wanted
		: all.filter((version) => isBefore(version, wanted)).at(-1);
}

const sources = (module, version) =>
	JSON.parse(go(here, "mod", "download", "-json", `${module}@${version}`)).Dir;

// --- types ------------------------------------------------------------------------------------------------------------

/** The comment above a line, joined. */
const commentAbove = (text, at) =>
	(/((?:^[ \t]*\/\/.*\n)+)$/m.exec(text.slice(0, at))?.[1] ?? "").replace(
		/^[ \t]*\/\/ ?/gm,
		"",
	);

/** What the types of a version declare: fields with type, gates and tags; constants; lifecycle. */
function declarations(folder) {
	const found = new Map();
	const text = readFileSync(path.join(folder, "types.go"), "utf8");
	for (const [, name, body] of text.matchAll(
		/^type (\w+) struct \{\n([\s\S]*?)^\}/gm,
	)) {
		for (const field of body.matchAll(
			/^\t(\w+)?\s*(\S+)\s+`json:"([^"]*)"/gm,
		)) {
			const comment = commentAbove(body, field.index);
			const tags = [
				...comment.matchAll(
					/^\+(k8s:\S.*|featureGate=\S+|optional|required|listType=\S+|listMapKey=\S+|default=\S+)$/gm,
				),
			]
				.map(([, tag]) => tag)
				.sort();
			const json = field[3].split(",")[0] || "(inline)";
			found.set(`${name}.${json}`, { type: field[2], tags });
		}
	}
	for (const [, name, value] of text.matchAll(
		/^(?:const |\t)([A-Z]\w*)(?:\s+\w+)?\s*=\s*(.+?)(?:\s*\/\/.*)?$/gm,
	))
		found.set(`const ${name}`, { type: value, tags: [] });
	const lifecycle = path.join(folder, "zz_generated.prerelease-lifecycle.go");
	if (existsSync(lifecycle)) {
		for (const [, kind, event, major, minor] of readFileSync(
			lifecycle,
			"utf8",
		).matchAll(
			/^func \(in \*(\w+)\) APILifecycle(\w+)\(\) \(major, minor int\) \{\n\treturn (\d+), (\d+)/gm,
		)) {
			found.set(`lifecycle ${kind} ${event}`, {
				type: `${major}.${minor}`,
				tags: [],
			});
		}
	}
	return found;
}

/** Where a change of a declaration belongs in claimkit. */
function rowFor(version, key) {
	if (key.startsWith("lifecycle"))
		return `crates/claimkit-model/src/schema/device/${version}.rs: \`served\` and deprecation of the kind`;
	if (key.startsWith("const"))
		return `crates/claimkit-model/src/schema/device/${version}.rs: a limit or a value; a rule in src/validation/device, if it checks one`;
	return `crates/claimkit-model/src/schema/device/${version}.rs: a row with since, gates, limits; a sentence in pkg/locale; src/editor/facts.rs`;
}

function compareTypes(oldFolder, newFolder) {
	const versions = (folder) =>
		readdirSync(path.join(folder, "resource")).filter((name) =>
			/^v\d/.test(name),
		);
	const changes = [];
	const gates = new Set();
	for (const version of new Set([
		...versions(oldFolder),
		...versions(newFolder),
	])) {
		const [before, after] = [oldFolder, newFolder].map((folder) =>
			existsSync(path.join(folder, "resource", version))
				? declarations(path.join(folder, "resource", version))
				: new Map(),
		);
		for (const { tags } of after.values())
			for (const tag of tags)
				if (tag.startsWith("featureGate="))
					gates.add(tag.slice("featureGate=".length));
		for (const key of new Set([...before.keys(), ...after.keys()])) {
			const [was, is] = [before.get(key), after.get(key)];
			if (JSON.stringify(was) === JSON.stringify(is)) continue;
			const said = ({ type, tags } = {}) =>
				type === undefined
					? "none"
					: [type, ...tags.map((tag) => `+${tag}`)].join(" ");
			const lost =
				was && is
					? {
							type: was.type,
							tags: was.tags.filter((tag) => !is.tags.includes(tag)),
						}
					: was;
			const won =
				was && is
					? {
							type: is.type,
							tags: is.tags.filter((tag) => !was.tags.includes(tag)),
						}
					: is;
			changes.push({
				version,
				key,
				text: `${version} ${key}: ${said(lost)} → ${said(won)}`,
				row: rowFor(version, key),
			});
		}
	}
	return { changes, gates };
}

/** The gates that fields of a release name. */
const gatesOf = (folder) => compareTypes(folder, folder).gates;

// --- answers ----------------------------------------------------------------------------------------------------------

/** A program that asks the DRA module of a version; undefined if there is none for the release. */
function preview(release, version) {
	const folder = path.join(target, "oracle", release, "preview");
	mkdirSync(folder, { recursive: true });
	const modules = [
		DRA,
		API,
		"k8s.io/apimachinery",
		"k8s.io/apiserver",
		"k8s.io/client-go",
		"k8s.io/component-base",
		"k8s.io/component-helpers",
	];
	makeStandIns(release);
	const instead = Object.entries(INSTEAD[release] ?? {}).map(
		([name, other]) =>
			`replace ${name} => ${other.startsWith(".") ? path.join(here, release, other) : other}`,
	);
	writeFileSync(
		path.join(folder, "go.mod"),
		[
			"module claimkit.invalid/preview",
			"",
			"go 1.26",
			"",
			"require (",
			...modules.map((name) => `\t${name} ${version}`),
			"\tclaimkit.invalid/oracle v0.0.0",
			")",
			"",
			`replace claimkit.invalid/oracle => ${here}`,
			...instead,
			"",
		].join("\n"),
	);
	writeFileSync(
		path.join(folder, "main.go"),
		`package main

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"

	"claimkit.invalid/oracle/dra"
	"claimkit.invalid/oracle/preview"
)

func main() {
	preview.Run(func(ctx context.Context, compiled cel.CompilationResult, device cel.Device) (*resourceapi.DeviceAttribute, *dra.Details, error) {
		value, details, err := compiled.EvaluateDerivedAttribute(ctx, device)
		if err != nil {
			return nil, details, err
		}
		attribute, err := dra.Attribute(value)
		return attribute, details, err
	})
}
`,
	);
	// Tests of upstream's modules need more than is served of a pre-release.
	go(folder, "mod", "tidy", "-e");
	go(folder, "build", "-tags", tags(release), "-o", "preview", ".");
	return path.join(folder, "preview");
}

const run = (program, ...args) =>
	JSON.parse(
		spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28 }).stdout,
	);

/** The declarations of an environment, one a line. */
function declared({ functions, macros }) {
	const all = Object.entries(functions).flatMap(([name, overloads]) =>
		overloads.map(
			({ id, args = [], result, member }) =>
				`${member ? `(${args[0]}).${name}(${args.slice(1)})` : `${name}(${args})`} → ${result} (${id})`,
		),
	);
	return new Set([...all, ...macros.map((macro) => `macro ${macro}`)]);
}

function compareFunctions(before, after) {
	const changes = [];
	for (const environment of ["new", "stored"]) {
		const [was, is] = [before, after].map((program) =>
			declared(
				run(
					program,
					"functions",
					"DRAConsumableCapacity",
					"DRAListTypeAttributes",
				)[environment],
			),
		);
		for (const one of is)
			if (!was.has(one)) changes.push(`${environment}: + ${one}`);
		for (const one of was)
			if (!is.has(one)) changes.push(`${environment}: - ${one}`);
	}
	return changes;
}

/** Whether two versions of the DRA module have the same allocators. */
function sameAllocators(left, right) {
	const [was, is] = [left, right].map((version) => {
		const folder = path.join(sources(DRA, version), "structured");
		const names = readdirSync(folder, { recursive: true }).filter(
			(name) => name.endsWith(".go") && !name.endsWith("_test.go"),
		);
		return names
			.sort()
			.map(
				(name) => `${name}\n${readFileSync(path.join(folder, name), "utf8")}`,
			);
	});
	return was.join() === is.join();
}

/** Answers to recorded requests that differ, by kind. */
function compareAnswers(kind, program, before, old) {
	const asking = KINDS.find((one) => one.kind === kind);
	const requests = recordedOf(asking, old);
	const more =
		kind === "cel" ? ["DRAConsumableCapacity", ...asking.more()] : [];
	const [was, is] = [before, program].map((one) =>
		ask(one, kind, requests, more),
	);
	const wrong = requests.flatMap((request, at) => {
		if ([was[at], is[at]].some((one) => JSON.parse(one).unstable)) return [];
		const found = differs(was[at], is[at], asking);
		return found
			? [
					`${JSON.parse(request).id}\n${found.replace("recorded", old).replace("upstream", "the new ")}`,
				]
			: [];
	});
	return { asked: requests.length, wrong };
}

if (process.argv[1] === import.meta.filename) {
	const release = process.argv[2];
	if (!RELEASE.test(release ?? ""))
		throw new Error("usage: make new-release RELEASE=1.38.0-alpha.0");
	if (!hasGo()) throw new Error("new-release needs Go");
	const old =
		process.argv[3] ?? releases.find((one) => !isPre(one) && one !== release);
	const [api, dra] = [API, DRA].map((module) => served(module, release));
	if (!api) throw new Error(`${API} is not served for ${release}`);
	console.log(
		`==> new-release: ${release} against ${old}: ${API} ${api}${dra ? `, ${DRA} ${dra}` : `; ${DRA} is not served: selectors and allocator NOT COMPARED`}`,
	);
	const [oldTypes, newTypes] = [
		sources(API, `v0.${old.slice(2)}`),
		sources(API, api),
	];
	const { changes, gates } = compareTypes(oldTypes, newTypes);
	console.log(`\ntypes: ${changes.length} changes`);
	const rows = new Set();
	for (const { text, row } of changes) {
		console.log(`  ${text}`);
		rows.add(row);
	}
	const known = gatesOf(oldTypes);
	const fresh = [...gates].filter((gate) => !known.has(gate));
	const gone = [...known].filter((gate) => !gates.has(gate));
	console.log(
		`\ngates named by fields: ${fresh.length} new ${fresh.join(", ")}; ${gone.length} gone ${gone.join(", ")} (stages and defaults are in k8s.io/kubernetes, which is served with the release)`,
	);
	if (fresh.length + gone.length > 0)
		rows.add(
			"crates/claimkit-model/src/schema/gates.rs: a row with the release for each gate",
		);
	if (dra) {
		const [before, after] = [
			preview(old, `v0.${old.slice(2)}`),
			preview(release, dra),
		];
		const [was, is] = [before, after].map((program) =>
			run(program, "features"),
		);
		const features = is
			.filter((one) => !was.includes(one))
			.map((one) => `+ ${one}`)
			.concat(was.filter((one) => !is.includes(one)).map((one) => `- ${one}`));
		console.log(
			`\nfeatures of the allocator: ${features.length === 0 ? "the same" : features.join(", ")}`,
		);
		if (features.length > 0)
			rows.add(
				"crates/claimkit-scheduler/src/allocator/behaviour.rs: features of the allocators",
			);
		const functions = compareFunctions(before, after);
		console.log(`\nCEL declarations: ${functions.length} changes`);
		for (const one of functions) console.log(`  ${one}`);
		if (functions.length > 0)
			rows.add(
				"crates/claimkit-cel/src/functions: signatures with their first release; costs; recorded answers",
			);
		// An alpha is made beside the release before it and lacks what the patches of that changed later.
		const first = `v0.${old.split(".")[1]}.0`;
		for (const kind of ["allocate", "cel"]) {
			const { asked, wrong } = compareAnswers(kind, after, before, old);
			console.log(
				`\n${kind}: ${asked} requests recorded for ${old} asked of both, ${wrong.length} answers differ`,
			);
			for (const text of wrong.slice(0, 20)) console.log(text);
			if (wrong.length === 0) continue;
			if (kind === "cel")
				rows.add("crates/claimkit-cel: changed behaviour of cel-go");
			else if (sameAllocators(first, dra))
				console.log(
					`${dra} has the allocators of ${first}: patches up to ${old} changed these answers, so no row is wanted`,
				);
			else
				rows.add(
					"crates/claimkit-scheduler/src/allocator: a changed step of an allocator",
				);
		}
	}
	console.log(
		`\nrows wanted:\n${[...rows, "crates/claimkit-model/src/schema/release.rs: the release in LAST_PATCHES"].map((row) => `  ${row}`).join("\n")}`,
	);
}
