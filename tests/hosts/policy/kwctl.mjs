// A stand-in for kwctl where there is none: as much of `run`, `inspect` and `annotate` as
// pkg/policy/e2e.bats and pkg/policy/README.md use, on the hosts of these tests. It shows that the tests and the commands are right as
// far as the modules answer them; what kwctl itself does with them only kwctl shows.
//
// Source: kwctl 1.36, crates/kwctl/src/cli.rs and command/run.rs.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import opaSdk from "@open-policy-agent/opa-wasm";
import YAML from "yaml";
import { SECTION } from "./annotate.mjs";
import { Guest } from "./wapc.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));

function fail(problem) {
	console.error(`Error: ${problem}`);
	process.exit(1);
}

/** The first section is the one that counts. */
function metadataOf(bytes) {
	const [first] = WebAssembly.Module.customSections(
		new WebAssembly.Module(bytes),
		SECTION,
	);
	return first ? JSON.parse(Buffer.from(first).toString()) : undefined;
}

/** The version of kwctl that this stands for. */
const VERSION = "1.36.0-beta.1";

/** Refuses a policy that needs a later kwctl. A version with a suffix comes before the one without. */
function refuseNewer(metadata) {
	const minimum = metadata?.minimumKubewardenVersion;
	if (minimum === undefined) return;
	const [wanted, own] = [minimum, VERSION].map((version) => {
		const [numbers, suffix] = version.split("-");
		return [...numbers.split(".").map(Number), suffix === undefined ? 1 : 0];
	});
	const at = wanted.findIndex((number, place) => number !== own[place]);
	if (at >= 0 && wanted[at] > own[at])
		fail(
			`Policy required Kubewarden version ${minimum} or greater. But it's running on ${VERSION}`,
		);
}

/** The exchanges of a recorded session, in order. */
function recorded(file) {
	const operations = {
		KubernetesGetResource: "get_resource",
		KubernetesListResourceNamespace: "list_resources_by_namespace",
		KubernetesListResourceAll: "list_resources_all",
	};
	return YAML.parse(readFileSync(file, "utf8")).map(({ request, response }) => {
		const [tag, ...rest] = request.split("\n");
		const answer =
			response.type === "Success"
				? { answer: response.payload }
				: { error: response.message };
		return {
			text: request.trim().replaceAll("\n", ", "),
			operation: operations[tag.slice(1)],
			asked: YAML.parse(rest.join("\n")),
			answer,
		};
	});
}

/**
 * A waPC guest that is answered from a session as kwctl does it: each call must be the next exchange. Calls are compared by their
 * values, because a session lists fields in its own order, and unset ones too. A resource that is not granted is refused before
 * the session is looked at.
 */
function guest(bytes, session, granted) {
	const set = (value) =>
		JSON.stringify(
			Object.entries(value)
				.filter(([, field]) => field !== null && field !== false)
				.sort(),
		);
	const left = [...session];
	const next = (operation, payload) => {
		const asked = JSON.parse(payload);
		if (
			!granted.some(
				(one) =>
					one.apiVersion === asked.api_version && one.kind === asked.kind,
			)
		) {
			return {
				error: `Policy has not been granted access to Kubernetes ${asked.api_version}/${asked.kind} resources. The violation has been reported.`,
			};
		}
		const expected = left.shift();
		if (expected?.operation === operation && set(expected.asked) === set(asked))
			return expected.answer;
		return {
			error: `Replay error: unexpected request. Was expecting ${expected?.text ?? "nothing more"}, got ${operation} ${payload}`,
		};
	};
	return new Guest(new WebAssembly.Module(bytes), next);
}

/** A policy as `run` takes it: a module with its metadata, or a ClusterAdmissionPolicy that names one by `file://`. */
function policyOf(name, values) {
	if (!name.endsWith(".yaml")) {
		const bytes = readFileSync(name);
		const metadata = metadataOf(bytes);
		const granted = values["allow-context-aware"]
			? (metadata?.contextAwareResources ?? [])
			: [];
		return {
			module: name,
			bytes,
			metadata,
			granted,
			settings: JSON.parse(values["settings-json"]),
		};
	}
	const { spec } = YAML.parse(readFileSync(name, "utf8"));
	if (!spec.module.startsWith("file://"))
		fail(`the stand-in reads no registry: ${spec.module}`);
	const module = spec.module.slice("file://".length);
	const bytes = readFileSync(module);
	return {
		module,
		bytes,
		metadata: metadataOf(bytes),
		granted: spec.contextAwareResources ?? [],
		settings: spec.settings ?? {},
	};
}

/** The WASI command in a process of its own. */
function command(module, operation, payload) {
	const folder = mkdtempSync(path.join(tmpdir(), "kwctl-"));
	try {
		const file = path.join(folder, "1.payload");
		writeFileSync(file, payload);
		const done = spawnSync(
			process.execPath,
			[
				"--no-warnings",
				path.join(here, "wasi.mjs"),
				module,
				`${operation}:${file}`,
			],
			{ encoding: "utf8" },
		);
		if (done.status !== 0) fail(done.stderr);
		return readFileSync(path.join(folder, "1.wasi"), "utf8");
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** Kubewarden's answer as an AdmissionResponse. */
function admissionResponse(uid, answer, object) {
	const {
		accepted,
		message,
		code,
		mutated_object: mutated,
		audit_annotations: auditAnnotations,
		warnings,
	} = answer;
	const patch =
		mutated &&
		Buffer.from(
			JSON.stringify([{ op: "replace", path: "", value: mutated }]),
		).toString("base64");
	const status =
		message === undefined && code === undefined ? undefined : { message, code };
	if (mutated && JSON.stringify(mutated) === JSON.stringify(object))
		fail("a mutation that changes nothing");
	return {
		uid,
		allowed: accepted,
		patchType: patch && "JSONPatch",
		patch,
		status,
		auditAnnotations,
		warnings,
	};
}

function run(args) {
	const { values, positionals } = parseArgs({
		args,
		allowPositionals: true,
		options: {
			"request-path": { type: "string", short: "r" },
			"settings-json": { type: "string", default: "{}" },
			"execution-mode": { type: "string", short: "e" },
			"replay-host-capabilities-interactions": { type: "string" },
			"allow-context-aware": { type: "boolean" },
			raw: { type: "boolean" },
		},
	});
	const { module, bytes, metadata, granted, settings } = policyOf(
		positionals[0],
		values,
	);
	refuseNewer(metadata);
	const mode =
		values["execution-mode"] ?? metadata?.executionMode ?? "kubewarden-wapc";
	const given = JSON.parse(readFileSync(values["request-path"], "utf8"));
	const request = given.kind === "AdmissionReview" ? given.request : given;
	if (mode === "opa" || mode === "gatekeeper") {
		const policy = opaSdk.loadPolicySync(bytes);
		if (mode === "opa") {
			policy.setData(settings);
			return policy.evaluate({ request })[0].result.response;
		}
		const violations = policy.evaluate({
			review: request,
			parameters: settings,
		})[0].result;
		const message = violations.map(({ msg }) => msg).join(", ");
		return {
			uid: request.uid,
			allowed: violations.length === 0,
			status: violations.length ? { message } : undefined,
		};
	}
	const file = values["replay-host-capabilities-interactions"];
	const session = file ? recorded(file) : [];
	const ask =
		mode === "wasi"
			? (operation, payload) =>
					command(module, operation.replace("_", "-"), payload)
			: (operation, payload) =>
					guest(bytes, session, granted).call(operation, Buffer.from(payload));
	const valid = JSON.parse(ask("validate_settings", JSON.stringify(settings)));
	if (!valid.valid) fail(`Provided settings are not valid: ${valid.message}`);
	const answer = JSON.parse(
		ask("validate", JSON.stringify({ request, settings })),
	);
	return admissionResponse(request.uid ?? "", answer, request.object);
}

/** A section behind all others, as kwctl writes it. */
function annotate(args) {
	const options = {
		"metadata-path": { type: "string", short: "m" },
		"usage-path": { type: "string", short: "u" },
		"output-path": { type: "string", short: "o" },
	};
	const { values, positionals } = parseArgs({
		args,
		allowPositionals: true,
		options,
	});
	const bytes = readFileSync(positionals[0]);
	const metadata = YAML.parse(readFileSync(values["metadata-path"], "utf8"));
	metadata.annotations["io.kubewarden.policy.usage"] = readFileSync(
		values["usage-path"],
		"utf8",
	);
	const name = Buffer.from(SECTION);
	const content = Buffer.from(
		JSON.stringify({ protocolVersion: "v1", ...metadata }),
	);
	const leb128 = (number) =>
		number < 0x80
			? [number]
			: [(number & 0x7f) | 0x80, ...leb128(number >>> 7)];
	const section = Buffer.concat([
		Buffer.from(leb128(name.length)),
		name,
		content,
	]);
	writeFileSync(
		values["output-path"],
		Buffer.concat([
			bytes,
			Buffer.from([0, ...leb128(section.length)]),
			section,
		]),
	);
}

const [verb, ...args] = process.argv.slice(2);
if (verb === "run") console.log(JSON.stringify(run(args)));
else if (verb === "inspect")
	console.log(
		YAML.stringify(
			metadataOf(readFileSync(args.at(-1))) ?? fail("no metadata"),
		),
	);
else if (verb === "annotate") annotate(args);
else fail(`the stand-in has no \`${verb}\``);
