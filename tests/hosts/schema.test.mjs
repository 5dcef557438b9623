// JSON Schema of every kind in every release: ajv compiles it in strict mode, and it agrees with the recorded answers of the
// server: what the server takes the schema takes too, and of what the server refuses it refuses what a schema can.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { jsonSchema, vocabulary } from "../../pkg/node.js";
import { ALL, commands, root, run } from "./suite.mjs";

const native = commands[0];

/** Answers of the command line's batch. */
function batch(requests) {
	const input = requests
		.map((request) => `${JSON.stringify(request)}\n`)
		.join("");
	const { stdout, stderr, exit } = run(native, ["batch"], { input });
	assert.equal(exit, 0, stderr);
	return stdout
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line));
}

function ajv() {
	const ajv = new Ajv({ strict: true, allErrors: false });
	addFormats(ajv);
	ajv.addVocabulary(vocabulary);
	return ajv;
}

const [{ releases }] = batch([{ verb: "releases" }]);

function schemaOf(release, kind) {
	const [answer] = batch([{ verb: "jsonSchema", release, kind }]);
	assert.equal(answer.ok, true, answer.error);
	return answer.schema;
}

for (const { release, versions } of releases) {
	test(`${release}: ajv compiles the schema of each kind, of each list and of all kinds in strict mode`, () => {
		for (const { apiVersion, kinds } of versions) {
			const [group, version] = apiVersion.split("/");
			for (const name of kinds.flatMap(({ kind }) => [kind, `${kind}List`])) {
				const schema = schemaOf(release, name);
				ajv().compile(schema);
				assert.equal(
					schema.$schema,
					"https://json-schema.org/draft/2020-12/schema",
				);
				// If a release serves a kind in several versions, the schema is that of one of them.
				if (versions.length > 1) continue;
				assert.equal(schema.properties.apiVersion.const, apiVersion);
				assert.equal(schema.properties.kind.const, name);
				assert.deepEqual(schema["x-kubernetes-group-version-kind"], [
					{ group, version, kind: name },
				]);
			}
			const all = ajv().compile(schemaOf(release, undefined));
			// Of the later versions nothing but that ajv compiles them is held yet.
			if (!/v1alpha[12]$/.test(apiVersion)) continue;
			const claim = (fields) => ({
				apiVersion,
				kind: "ResourceClaim",
				metadata: { name: "c" },
				...fields,
			});
			assert.ok(all(claim({ spec: { resourceClassName: "x" } })));
			assert.ok(!all(claim({ spec: { resourceClassName: "X" } })));
			assert.ok(
				!all({ ...claim({ spec: { resourceClassName: "x" } }), kind: "Pod" }),
			);
		}
	});
}

test("npm: release and kind, either of which may be left out", () => {
	const [claim, all] = [
		schemaOf("1.29", "ResourceClaim"),
		schemaOf("1.30", undefined),
	];
	assert.deepEqual(jsonSchema("1.29", "ResourceClaim"), claim);
	assert.deepEqual(jsonSchema("ResourceClaim", { release: "1.29" }), claim);
	assert.deepEqual(jsonSchema(), schemaOf(undefined, undefined));
	assert.deepEqual(jsonSchema("1.30"), all);
	assert.deepEqual(
		jsonSchema(undefined, "DeviceTaintRule"),
		jsonSchema("DeviceTaintRule"),
	);
	assert.match(
		jsonSchema("1.30", "ResourceClaim", { locale: "zh-Hans" }).description,
		/^资源申领/,
	);
	assert.deepEqual(jsonSchema(undefined, { release: "1.30" }), all);
	assert.match(
		jsonSchema("1.30", undefined, { locale: "zh-Hans" }).description,
		/1\.27/,
	);
	assert.throws(() => jsonSchema("1.29", "ResourceSlice"), TypeError);
	assert.throws(() => jsonSchema("1.99"), /unknown release `1\.99`/);
});

test("list semantics follow the release", () => {
	const nodes = (release) =>
		schemaOf(release, "PodSchedulingContext").$defs.PodSchedulingContextSpec
			.properties.potentialNodes;
	assert.equal(nodes("1.28")["x-kubernetes-list-type"], "set");
	assert.equal(nodes("1.29")["x-kubernetes-list-type"], "atomic");
	const reserved = (release) =>
		schemaOf(release, "ResourceClaim").$defs.ResourceClaimStatus.properties
			.reservedFor;
	assert.equal(reserved("1.26.1")["x-kubernetes-list-type"], "set");
	assert.deepEqual(reserved("1.26.2")["x-kubernetes-list-map-keys"], ["uid"]);
	assert.equal(reserved("1.29")["x-kubernetes-patch-merge-key"], undefined);
	assert.equal(reserved("1.30")["x-kubernetes-patch-merge-key"], "uid");
});

test("descriptions come in the language asked for", () => {
	const [english, chinese] = batch(
		["en", "zh-Hans"].map((locale) => ({
			verb: "jsonSchema",
			release: "1.30",
			kind: "ResourceClaim",
			locale,
		})),
	);
	const claim = ({ schema }) =>
		schema.$defs.ResourceClaimSpec.properties.resourceClassName.description;
	assert.match(claim(english), /^Name of the ResourceClass/);
	assert.match(claim(chinese), /^ResourceClass 的名称/);
});

const recorded = [
	["1.26.1", "k8s-1.26.0-1.26.1.jsonl"],
	["1.26.1", "random-k8s-1.26.0-1.26.1.jsonl"],
	["1.26", "k8s-1.26.2-1.26.15.jsonl"],
	["1.26", "random-k8s-1.26.2-1.26.15.jsonl"],
	["1.29", "k8s-1.27-1.29.jsonl"],
	["1.29", "random-k8s-1.27-1.29.jsonl"],
	["1.30", "k8s-1.30.jsonl"],
	["1.30", "random-k8s-1.30.jsonl"],
];

/** What the server refuses and a schema of one object cannot know: other objects, the stored one, sums, CEL. */
const beyond = [
	// The namespace is filled in, or dropped, before anybody looks.
	/^metadata\.namespace: (Required value|Forbidden)/,
	/may not be specified when|must be specified when|must be set when|must be specified single value|must be only one value/,
	/not a valid (field )?selector (operator|key)/,
	/Duplicate value/,
	/may not be reserved more than once|new entries may not be added|deallocation cannot be requested|may not be cleared/,
	/field is immutable|must not be decremented|no new finalizers can be added|must be specified for an update/,
	/Only one reference can have Controller|is disallowed from being an owner|cannot be both set/,
	/must have at most 262144 bytes|compilation failed|must evaluate to bool|invalid character U\+/,
	/nodeSelectorTerms\[\d+\]\.matchFields/,
	/prefix part must be no more than 253/,
];

for (const [release, file] of recorded) {
	test(`${release}: agrees with ${file}`, () => {
		const validators = new Map();
		const counts = { accepted: 0, refused: 0, beyond: 0 };
		for (const line of readFileSync(
			path.join(root, "tests/vectors", file),
			"utf8",
		)
			.trimEnd()
			.split("\n")) {
			const {
				id,
				op,
				object,
				decode_error,
				strict_error,
				errors: all = [],
			} = JSON.parse(line);
			const kind = object?.kind;
			if (typeof kind !== "string") continue;
			if (!validators.has(kind)) {
				const [answer] = batch([{ verb: "jsonSchema", release, kind }]);
				validators.set(
					kind,
					answer.ok ? ajv().compile(answer.schema) : undefined,
				);
			}
			const validate = validators.get(kind);
			if (validate === undefined) continue;
			// The recording does not say which of the two objects could not be read.
			const unread = decode_error ?? strict_error;
			if (op !== "create" && unread !== undefined) continue;
			// JSON.parse has lost what was wrong with the number.
			if (
				/cannot unmarshal number [-+.\deE]+ into .* of type int64/.test(unread)
			)
				continue;
			// A status update looks at nothing but the status; elsewhere the status is dropped, whatever it is, once it is read.
			const { status, ...rest } = object;
			const spec = kind === "ResourceClaim" ? { resourceClassName: "x" } : {};
			const updated = {
				...rest,
				metadata: { name: "x" },
				spec,
				...(status === undefined ? {} : { status }),
			};
			const checked =
				op === "status" ? updated : unread === undefined ? rest : object;
			const known = (error) =>
				beyond.some((text) => text.test(error)) ||
				(op === "status" && error.startsWith("metadata.")) ||
				// Over HTTP the name is made first.
				(object.metadata?.generateName &&
					error.startsWith("metadata.name: Required value")) ||
				// The server counts bytes.
				(error.includes("Too long") && /[^\0-\x7f]/.test(line));
			const errors = all.filter((error) => !known(error));
			const valid = validate(checked);
			if (unread === undefined && all.length === 0) {
				assert.ok(
					valid,
					`${id}: refused though the server takes it: ${JSON.stringify(validate.errors)} ${JSON.stringify(checked)}`,
				);
				counts.accepted += 1;
			} else if (unread !== undefined || errors.length > 0) {
				assert.ok(
					!valid,
					`${id}: taken though the server says ${unread ?? errors}: ${JSON.stringify(checked)}`,
				);
				counts.refused += 1;
			} else {
				counts.beyond += 1;
			}
		}
		console.log(`# ${file}: ${JSON.stringify(counts)}`);
		assert.ok(
			counts.accepted > 50 && counts.refused > 50,
			JSON.stringify(counts),
		);
	});
}

/** Of the later versions a schema says less: these many recorded refusals it does not see, at most, that it could. */
const unseen = {
	"1.31.14": 67,
	"1.32.13": 84,
	"1.33.13": 159,
	"1.34.9": 215,
	"1.35.6": 230,
	"1.36.3": 280,
	"1.37.2": 414,
};

/** What a schema of one object cannot know of the later versions. */
const later = [
	...beyond,
	/exceeds cost limit|must be the name of a request|must be a request name|total number of|must not be specified|is required$|gate|label/,
];

// The oldest and the newest of them; `make test-sweeps` takes all.
const sampled = Object.entries(unseen).filter(
	([release]) => ALL || ["1.31.14", "1.37.2"].includes(release),
);
for (const [release, most] of sampled) {
	test(`${release}: takes what the server takes of the later versions, and refuses most of what it refuses`, () => {
		const validators = new Map();
		const counts = { accepted: 0, refused: 0, beyond: 0, unseen: 0 };
		const [missed, wrong] = [[], []];
		const lines = gunzipSync(
			readFileSync(path.join(root, `tests/vectors/later/${release}.jsonl.gz`)),
		)
			.toString()
			.trimEnd()
			.split("\n");
		for (const line of lines) {
			const {
				id,
				op,
				version,
				kind,
				object,
				gates = {},
				strict,
				decode,
				status,
				panic,
			} = JSON.parse(line);
			if (op !== "create" || typeof object !== "object" || panic) continue;
			const key = JSON.stringify([version, kind, gates]);
			if (!validators.has(key)) {
				const [answer] = batch([
					{ verb: "jsonSchema", release, kind: `${version}/${kind}`, gates },
				]);
				assert.equal(answer.ok, true, answer.error);
				validators.set(key, ajv().compile(answer.schema));
			}
			// The status of a new object is dropped once it is read.
			const { status: given, ...rest } = object;
			const valid = validators.get(key)(
				decode || strict?.length > 0 ? object : rest,
			);
			const texts = (status?.causes ?? []).map(
				({ field, message }) => `${field}: ${message}`,
			);
			if (!decode && !strict?.length && !status) {
				if (!valid)
					wrong.push(
						`${id}: ${JSON.stringify(validators.get(key).errors.at(-1))} ${JSON.stringify(rest)}`,
					);
				counts.accepted += 1;
			} else if (!valid) {
				counts.refused += 1;
			} else if (
				!decode &&
				!strict?.length &&
				texts.every((text) => later.some((known) => known.test(text)))
			) {
				counts.beyond += 1;
			} else {
				counts.unseen += 1;
				missed.push(
					`${id}: ${decode ?? strict?.join() ?? ""} ${texts.join("; ")}`,
				);
			}
		}
		console.log(`# ${release}: ${JSON.stringify(counts)}`);
		assert.deepEqual(wrong, [], "refused though the server takes them");
		assert.ok(
			counts.accepted > 100 && counts.refused > 100,
			JSON.stringify(counts),
		);
		assert.ok(
			counts.unseen <= most,
			`${counts.unseen} are taken that the server refuses:\n${missed.join("\n")}`,
		);
	});
}
