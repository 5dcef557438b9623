// The JSON Schemas of the site, under the names and by the lines of examples/recipes/README.md, in the tools that look for them.
// kubeconform comes from PATH or the Go proxy, flux-schema from PATH; without them the test says what was not compared.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { outside } from "../../pkg/build/outside.mjs";
import { inlined, schemaFiles } from "../../pkg/build/schemas.mjs";
import * as engine from "../../pkg/node.js";
import { here, root } from "./suite.mjs";

const scratch = mkdtempSync(path.join(tmpdir(), "claimkit-schemas-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

const files = schemaFiles(engine);
const site = path.join(scratch, "schema");
for (const [name, text] of Object.entries(files)) {
	mkdirSync(path.dirname(path.join(site, name)), { recursive: true });
	writeFileSync(path.join(site, name), text);
}

const page = readFileSync(
	path.join(root, "examples/recipes/README.md"),
	"utf8",
);
/** The lines of the page that begin with some words, for the local files. */
const lines = (begin) =>
	page
		.split("\n")
		.filter((line) => line.startsWith(begin))
		.map((line) => line.replaceAll("https://SITE/schema", site));

const good = `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: gpus
spec:
  devices:
    requests:
    - name: gpus
      exactly:
        deviceClassName: gpu.example.com
        count: 2
`;
const bad = good.replace("count: 2", "count: two\n        alocationMode: All");
const other = "apiVersion: v1\nkind: Deployment\nmetadata: {name: none}\n";
for (const [name, text] of Object.entries({ good, bad, other })) {
	mkdirSync(path.join(scratch, name));
	writeFileSync(path.join(scratch, name, `${name}.yaml`), text);
}

test("each kind of each release is under its name, and the newest release's above", () => {
	const newest = new Map();
	const wanted = [];
	for (const { release, versions } of engine.releases().releases) {
		wanted.push(`${release}.json`);
		for (const { apiVersion, kinds } of versions) {
			const [group, version] = apiVersion.split("/");
			for (const { kind } of kinds) {
				const name = `${group}/${kind.toLowerCase()}_${version}.json`;
				wanted.push(`${release}/${name}`);
				newest.set(name, release);
				const { properties, $id } = JSON.parse(files[`${release}/${name}`]);
				assert.deepEqual(
					[properties.apiVersion.const, properties.kind.const],
					[apiVersion, kind],
					name,
				);
				assert.match($id, new RegExp(`:${release.replace(".", "\\.")}:`));
			}
		}
	}
	assert.deepEqual(
		Object.keys(files).sort(),
		[...wanted, ...newest.keys()].sort(),
	);
	for (const [name, release] of newest)
		assert.equal(files[name], files[`${release}/${name}`], name);
});

test("no reference is left, and the same objects are taken", () => {
	const compile = (schema) => {
		const ajv = new Ajv({ strict: false });
		addFormats(ajv);
		return ajv.compile(schema);
	};
	const claim = engine.jsonSchema("1.36", "v1/ResourceClaim");
	const [whole, flat] = [claim, inlined(claim)].map(compile);
	assert.ok(
		!/"\$ref"|"\$defs"/.test(
			files["1.36/resource.k8s.io/resourceclaim_v1.json"],
		),
	);
	const object = (change) => {
		const made = {
			apiVersion: "resource.k8s.io/v1",
			kind: "ResourceClaim",
			metadata: { name: "a" },
			spec: {
				devices: {
					requests: [{ name: "a", exactly: { deviceClassName: "b" } }],
				},
			},
		};
		change(made);
		return made;
	};
	const answers = [
		() => {},
		(made) => {
			made.spec.devices = null;
		},
		(made) => {
			made.spec.devices.requests = [null];
		},
		(made) => {
			made.spec.devices.requests[0].exactly = null;
		},
		(made) => {
			made.spec.devices.requests[0].exactly.selectors = [null];
		},
		(made) => {
			made.spec.devices.requests[0].exactly.selectors = [{ cel: null }];
		},
		(made) => {
			made.spec.devices.requests[0].firstAvailable = [
				{ name: "c", deviceClassName: "d" },
			];
		},
		(made) => {
			made.spec.devices.constraints = [{ matchAttribute: "a.b/c", colour: 1 }];
		},
		(made) => {
			made.spec = null;
		},
		(made) => {
			made.metadata = {};
		},
		(made) => {
			made.metadata.annotations = { "\u212a/a": "b", "?": "c" };
		},
		(made) => {
			made.status = {
				allocation: null,
				devices: [{ driver: "a", pool: "b", device: "c", networkData: null }],
			};
		},
	].map((change) => [whole(object(change)), flat(object(change))]);
	for (const [before, then] of answers) assert.equal(then, before);
	assert.deepEqual([...new Set(answers.flat())].sort(), [false, true]);
});

test("patterns are in what Go reads, too", () => {
	const found = new Set(
		Object.values(files).flatMap((text) =>
			[...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, pattern]) =>
				JSON.parse(pattern),
			),
		),
	);
	assert.ok(found.size > 5);
	// Go's regular expressions have no look-around, back references or JavaScript's own escapes.
	for (const pattern of found)
		assert.doesNotMatch(pattern, /\\u|\\c|\(\?[=!<]|\\[1-9]/);
});

/** Runs a line of the page on one of the folders. */
function check(line, program, folder) {
	const done = spawnSync(
		"bash",
		[
			"-c",
			`${line.replace(/^(kubeconform|flux schema)\b/, '"$0"').replace("manifests", path.join(scratch, folder))}`,
			program,
		],
		{ cwd: scratch, encoding: "utf8" },
	);
	return { status: done.status, text: `${done.stdout}${done.stderr}` };
}

const kubeconform = outside("kubeconform");
if (!kubeconform) {
	assert.ok(!process.env.CI, "CI is set, and there is no kubeconform");
	console.log(
		"schemas: neither kubeconform nor Go to build it: whether it finds and reads the schemas is NOT COMPARED",
	);
}
test("kubeconform finds the schemas and takes a good claim, and no bad one", {
	skip: !kubeconform,
}, () => {
	const [line, ...more] = lines("kubeconform -");
	assert.deepEqual(more, []);
	// The second location is a server elsewhere.
	const ours = line.replace("-schema-location default", "-summary -verbose");
	const { status, text } = check(ours, kubeconform, "good");
	assert.equal(status, 0, text);
	assert.match(text, /ResourceClaim gpus is valid\n.*Valid: 1,/);
	const refused = check(ours, kubeconform, "bad");
	assert.equal(refused.status, 1);
	assert.match(
		refused.text,
		/additional properties 'alocationMode' not allowed/,
	);
	assert.match(refused.text, /count.*got string, want/);
	assert.match(
		check(ours, kubeconform, "other").text,
		/could not find schema for Deployment/,
	);
	// Go reads every pattern: a schema with one that it does not read counts as absent.
	const folder = path.join(scratch, "all");
	mkdirSync(folder);
	for (const name of Object.keys(files).filter((name) =>
		name.startsWith("resource.k8s.io/"),
	)) {
		const { properties } = JSON.parse(files[name]);
		writeFileSync(
			path.join(folder, path.basename(name)),
			JSON.stringify({
				apiVersion: properties.apiVersion.const,
				kind: properties.kind.const,
				metadata: { name: "a" },
				colour: 1,
			}),
		);
	}
	const { text: all } = check(ours.replace("/1.36", ""), kubeconform, "all");
	assert.match(
		all,
		new RegExp(
			`Invalid: ${Object.keys(files).filter((name) => name.startsWith("resource.k8s.io/")).length}, Errors: 0`,
		),
	);
});

const fluxSchema = spawnSync("sh", ["-c", "command -v flux-schema"], {
	encoding: "utf8",
}).stdout.trim();
if (!fluxSchema)
	console.log(
		"schemas: no flux-schema here: whether it finds and reads the schemas is NOT COMPARED",
	);
test("flux-schema finds the schemas and takes a good claim, and no bad one", {
	skip: !fluxSchema,
}, () => {
	const [line, ...more] = lines("flux schema ");
	assert.deepEqual(more, []);
	const ours = line.replace(" --schema-location default", "");
	const taken = check(`${ours} --verbose`, fluxSchema, "good");
	assert.deepEqual(
		[taken.status, /is valid/.test(taken.text)],
		[0, true],
		taken.text,
	);
	const refused = check(ours, fluxSchema, "bad");
	assert.equal(refused.status, 1);
	assert.match(
		refused.text,
		/additional properties 'alocationMode' not allowed/,
	);
	assert.doesNotMatch(refused.text, /structural schema|load error/);
});

const require = createRequire(path.join(here, "package.json"));
test("yaml-language-server takes the schema that the first line names", async () => {
	const {
		getLanguageService,
	} = require("yaml-language-server/out/server/src/languageservice/yamlLanguageService.js");
	const {
		SettingsState,
		TextDocumentTestManager,
	} = require("yaml-language-server/out/server/src/yamlSettings.js");
	const { TextDocument } = require("vscode-languageserver-textdocument");
	const settings = new SettingsState();
	settings.documents = new TextDocumentTestManager();
	const asked = [];
	const yaml = getLanguageService({
		schemaRequestService: async (uri) => {
			asked.push(uri);
			return (
				files[uri.slice(uri.indexOf("/schema/") + "/schema/".length)] ??
				assert.fail(uri)
			);
		},
		workspaceContext: { resolveRelativePath: (relative) => relative },
		yamlSettings: settings,
	});
	yaml.configure({
		validate: true,
		hover: true,
		isKubernetes: false,
		schemas: [],
	});
	const modelines = page
		.split("\n")
		.filter((line) => line.startsWith("# yaml-language-server: "));
	assert.equal(modelines.length, 2);
	for (const [at, modeline] of modelines.entries()) {
		const problems = async (text) => {
			const document = TextDocument.create(
				`file:///${at}.yaml`,
				"yaml",
				asked.length,
				`${modeline}\n${text}`,
			);
			settings.documents.set(document);
			return (await yaml.doValidation(document, false)).map(
				({ message }) => message,
			);
		};
		assert.deepEqual(await problems(good), [], modeline);
		assert.match((await problems(bad)).join("\n"), /alocationMode/, modeline);
	}
	assert.deepEqual(
		new Set(asked),
		new Set(modelines.map((line) => line.split("$schema=")[1])),
	);
});
