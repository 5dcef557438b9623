// Patches and server-side apply on a real kube-apiserver and with claimkit.
import { batch } from "./claimkit.mjs";
import { endpointOf } from "./fixtures.mjs";
import { mutated } from "./generate.mjs";
import {
	addressOf,
	bare,
	each,
	prepareNamespaces,
	remove,
	sorted,
	stable,
} from "./validation.mjs";

const TYPES = {
	json: "application/json-patch+json",
	merge: "application/merge-patch+json",
	strategic: "application/strategic-merge-patch+json",
	apply: "application/apply-patch+yaml",
};
const pick = (next, list) => list[next(list.length)];
const isObject = (value) =>
	value !== null && typeof value === "object" && !Array.isArray(value);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** JSON as clients in Go write it; what is verbatim in an object is stored like that. */
const asGo = (value) =>
	JSON.stringify(value).replace(
		/[<>&\u2028\u2029]/g,
		(sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);

/** The merge patch from one object to another; lists are replaced. */
function mergePatch(from, to) {
	const patch = {};
	for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
		if (!(key in to)) patch[key] = null;
		else if (isObject(from[key]) && isObject(to[key])) {
			const inner = mergePatch(from[key], to[key]);
			if (Object.keys(inner).length > 0) patch[key] = inner;
		} else if (!same(from[key], to[key])) patch[key] = to[key];
	}
	return patch;
}

/** Every path of a value as a JSON pointer. */
function pointers(value, path = "", found = []) {
	if (value === null || typeof value !== "object") return found;
	for (const key of Object.keys(value)) {
		const here = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
		found.push([here, value[key]]);
		pointers(value[key], here, found);
	}
	return found;
}

function jsonPatch(next, object, changed) {
	const [here, there] = [pointers(object), pointers(changed)];
	const operation = () => {
		const op = pick(next, [
			"add",
			"remove",
			"replace",
			"replace",
			"test",
			"move",
			"copy",
		]);
		const path =
			next(8) === 0
				? `${pick(next, here)[0]}/-`
				: pick(next, next(2) ? here : there)[0];
		const from = ["move", "copy"].includes(op)
			? { from: pick(next, here)[0] }
			: {};
		const value = ["add", "replace", "test"].includes(op)
			? { value: pick(next, op === "test" ? here : there)[1] }
			: {};
		return { op, path, ...from, ...value };
	};
	return Array.from({ length: 1 + next(3) }, operation);
}

/** A patch of an object: its type and content. */
function patchOf(next, object, donors) {
	const changed = mutated(next, object, donors);
	switch (next(4)) {
		case 0:
			return { type: "json", patch: jsonPatch(next, object, changed) };
		case 1:
			return { type: "merge", patch: mergePatch(object, changed) };
		case 2: {
			const patch = mergePatch(object, changed);
			if (next(4) === 0 && isObject(patch.spec))
				patch.spec.$patch = pick(next, ["replace", "delete", "merge", "x"]);
			return { type: "strategic", patch };
		}
		default: {
			const { apiVersion, kind, metadata, ...rest } = changed;
			const { name, namespace, labels, annotations, finalizers } =
				metadata ?? {};
			return {
				type: "apply",
				patch: {
					apiVersion,
					kind,
					metadata: { name, namespace, labels, annotations, finalizers },
					...rest,
				},
				force: next(2) === 0,
			};
		}
	}
}

/**
 * A refusal of an applied object with its errors in order: Go walks a map in any order, and stops at an undeclared field, so that
 * with one of these only the beginning is compared.
 */
function inOrder(status) {
	const [head, errors] = status.message.split(
		/(?<=^failed to create typed patch object \(.*?\)): /s,
	);
	if (errors === undefined) return status;
	const parts = errors
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "errors:")
		.sort();
	return {
		...status,
		message: parts.some((part) => part.endsWith("field not declared in schema"))
			? head
			: [head, ...parts],
	};
}

/** A refusal with its causes in order: those of a map come in any order. */
function withCausesInOrder(answer) {
	const causes = answer.status?.details?.causes;
	if (!(causes?.length > 1)) return answer;
	const ordered = causes.toSorted((a, b) =>
		JSON.stringify(a) < JSON.stringify(b) ? -1 : 1,
	);
	return {
		status: {
			...answer.status,
			message: answer.status.message.split(/[[\]]|, /).sort(),
			details: { ...answer.status.details, causes: ordered },
		},
	};
}

/** What is compared of an answer: the refusal, or the object with its managers. */
function compared(refusal, object) {
	const status = refusal?.message ? inOrder(refusal) : refusal;
	const managers = object?.metadata?.managedFields?.map(
		({ time, ...rest }) => rest,
	);
	return sorted(
		stable(status ? { status } : { object: { ...bare(object), managers } }),
	);
}

/** The time by the server's clock at which it answered: one of those that it has just written, or now. */
function timeOf({ body }) {
	const now = Date.now();
	const times = [
		...JSON.stringify(body).matchAll(/"time(?:Added)?":"([^"]+)"/g),
	]
		.map(([, time]) => time)
		.filter((time) => Math.abs(Date.parse(time) - now) < 60_000);
	return (
		times.sort().at(-1) ?? new Date(now).toISOString().replace(/\.\d+/, "")
	);
}

/** Patches objects `count` times in random ways; compares refusals, objects and their managers. */
export async function comparePatches(
	cluster,
	given,
	next,
	donors,
	count,
	{ release = cluster.release, gates = {} } = {},
) {
	const usable = given.filter(
		({ op, object, namespaceLabels }) =>
			op === "create" && object.metadata?.name && !namespaceLabels,
	);
	const requests = Array.from({ length: count }, (_, at) => {
		const { id, object } = pick(next, usable);
		return {
			id: `${id}~${at}`,
			object: structuredClone(object),
			...patchOf(next, object, donors),
		};
	});
	await prepareNamespaces(cluster, requests);
	const key = ({ object }) =>
		`${endpointOf(object).plural}/${endpointOf(object).namespace}/${object.metadata.name}`;
	await each(requests, key, async (request) => {
		const endpoint = endpointOf(request.object);
		const made = await cluster.call(
			"POST",
			`${endpoint.collection}?fieldValidation=Ignore&fieldManager=maker`,
			asGo(request.object),
		);
		if (made.code !== 201) return;
		const address = addressOf(endpoint, made.body.metadata.name);
		request.old = made.body;
		const query = new URLSearchParams({
			fieldManager: "patcher",
			fieldValidation: "Ignore",
			...(request.force ? { force: "true" } : {}),
		});
		// claimkit sorts keys as kubectl does; the server quotes and compares a value as it was sent.
		request.reply = await cluster.call(
			"PATCH",
			`${address}?${query}`,
			asGo(sorted(request.patch)),
			TYPES[request.type],
		);
		await remove(cluster, address);
	});
	const asked = requests.filter(({ reply }) => reply);
	const answers = batch(
		asked.map(({ type, patch, force, old, reply }) => ({
			verb: "validate",
			operation: "patch",
			release,
			gates,
			fieldValidation: "Ignore",
			patchType: type,
			fieldManager: "patcher",
			force: Boolean(force),
			namespaceLabels: {},
			time: timeOf(reply),
			old: JSON.stringify(old),
			patch: JSON.stringify(patch),
		})),
	);
	const result = {
		patches: asked.length,
		accepted: 0,
		inOwnWords: 0,
		varying: 0,
		wrong: [],
	};
	for (const [at, entry] of asked.entries()) {
		const {
			id,
			type,
			patch,
			old,
			reply: { code, body },
		} = entry;
		const accepted = code < 300;
		result.accepted += accepted ? 1 : 0;
		const [object] = answers[at].objects;
		// claimkit says in words of its own that a patched object does not decode.
		if (!accepted && object?.valid === false && !object.status) {
			result.inOwnWords += 1;
			continue;
		}
		const want = compared(accepted ? null : body, body);
		const got = compared(object?.status, object?.object);
		if (same(want, got)) continue;
		if (same(withCausesInOrder(want), withCausesInOrder(got)))
			result.varying += 1;
		else
			result.wrong.push({
				id,
				op: type,
				mode: "patch",
				object: patch,
				old,
				want,
				got,
			});
	}
	return result;
}
