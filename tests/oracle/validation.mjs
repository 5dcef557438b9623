// Requests to a real kube-apiserver and to claimkit, and where their answers differ.
import { createHash } from "node:crypto";
import { batch } from "./claimkit.mjs";
import { endpointOf } from "./fixtures.mjs";

/** The three modes of field validation. */
export const MODES = ["Strict", "Warn", "Ignore"];
/** How often a request is sent again whose answer differs: the order of Go's maps can change it. */
export const AGAIN = 64;
/** Requests that are under way at once. */
const PARALLEL = 4;

/** Does `work` for each item, some at once, but one after another for items with the same `key`. */
export async function each(items, key, work) {
	const queues = new Map();
	for (const item of items) {
		const name = key(item);
		if (!queues.has(name)) queues.set(name, []);
		queues.get(name).push(item);
	}
	const waiting = [...queues.values()];
	const worker = async () => {
		for (let queue = waiting.pop(); queue; queue = waiting.pop())
			for (const item of queue) await work(item);
	};
	await Promise.all(Array.from({ length: PARALLEL }, worker));
}

/** Makes the namespaces of the requests, and moves requests with labels into namespaces that have them. */
export async function prepareNamespaces(cluster, requests) {
	const names = new Map();
	cluster.namespaces ??= new Set(["default"]);
	for (const request of requests) {
		const endpoint = endpointOf(request.object);
		if (!endpoint.namespace) continue;
		const labels = JSON.stringify(request.namespaceLabels ?? {});
		let name = endpoint.namespace;
		if (labels !== "{}") {
			name =
				names.get(labels) ??
				`labels-${createHash("sha256").update(labels).digest("hex").slice(0, 12)}`;
			names.set(labels, name);
			for (const object of [request.object, request.old].filter(Boolean)) {
				if (
					object.metadata?.namespace === endpoint.namespace ||
					object.metadata?.namespace === undefined
				)
					object.metadata = { ...object.metadata, namespace: name };
			}
		}
		if (cluster.namespaces.has(name)) continue;
		cluster.namespaces.add(name);
		const made = await cluster.call("POST", "/api/v1/namespaces", {
			apiVersion: "v1",
			kind: "Namespace",
			metadata: { name, labels: request.namespaceLabels },
		});
		if (made.code !== 201 && made.code !== 409)
			throw new Error(`namespace ${name}: ${made.body.message}`);
	}
}

/** Removes an object, whatever its finalizers are. */
export async function remove(cluster, address) {
	const found = await cluster.call("DELETE", address, {
		kind: "DeleteOptions",
		apiVersion: "v1",
		gracePeriodSeconds: 0,
	});
	if (found.code !== 200 && found.code !== 202) return;
	if (!found.body.metadata?.finalizers?.length) return;
	await cluster.call(
		"PATCH",
		address,
		{ metadata: { finalizers: null } },
		"application/merge-patch+json",
	);
}

export const addressOf = (endpoint, name) =>
	`${endpoint.collection}/${encodeURIComponent(name)}`;

/** Stores the old object of an update; returns it as the server has it, or the reason why it cannot be stored. */
async function store(cluster, { old, object }) {
	const endpoint = endpointOf(old);
	if (!endpoint) return { skipped: "old object of another version" };
	if (
		object.metadata?.name !== old.metadata?.name ||
		endpointOf(object).collection !== endpoint.collection
	)
		return { skipped: "other name" };
	const made = await cluster.call(
		"POST",
		`${endpoint.collection}?fieldValidation=Ignore`,
		old,
	);
	if (made.code !== 201) return { skipped: "old object refused" };
	const address = addressOf(endpoint, made.body.metadata.name);
	if (old.status && endpoint.status && Object.keys(old.status).length > 0) {
		const put = await cluster.call(
			"PUT",
			`${address}/status?fieldValidation=Ignore`,
			{ ...made.body, status: old.status },
		);
		if (put.code !== 200) {
			await remove(cluster, address);
			return { skipped: "old status refused" };
		}
	}
	if (old.metadata.deletionTimestamp) {
		await cluster.call("DELETE", address);
	}
	const current = await cluster.call("GET", address);
	if (current.code !== 200) return { skipped: "old object gone" };
	return { address, current: current.body };
}

/** Returns the new object with the server's changes of the old one, for all fields that both have in common. */
function withIdentity(object, old, current) {
	const copy = structuredClone(object);
	for (const field of [
		"uid",
		"resourceVersion",
		"creationTimestamp",
		"generation",
		"deletionTimestamp",
		"deletionGracePeriodSeconds",
	]) {
		if (
			copy.metadata &&
			field in copy.metadata &&
			copy.metadata[field] === old.metadata[field]
		)
			copy.metadata[field] = current.metadata[field];
		if (copy.metadata?.[field] === undefined) delete copy.metadata?.[field];
	}
	return copy;
}

/** Times from the clock, generated names and the name of the scheme, written so that every run gives the same. */
export function stable(value, generateName) {
	const minute = 60_000;
	const time = (text) =>
		Math.abs(Date.parse(text) - Date.now()) < 60 * minute ? "(NOW)" : text;
	const escaped =
		typeof generateName === "string" && generateName !== ""
			? generateName.slice(0, 58).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
			: undefined;
	let text = JSON.stringify(value ?? null)
		.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, time)
		.replace(/ in scheme \\"[^"]*\\"/g, " in scheme")
		.replace(/0x[0-9a-f]{8,}/g, "0xPTR");
	if (escaped)
		text = text.replace(
			new RegExp(`${escaped}[a-z0-9]{5}`, "g"),
			`${generateName}xxxxx`,
		);
	// The server adds the time of a taint; claimkit has no clock.
	return JSON.parse(text, (key, part) =>
		key === "timeAdded" && part === "(NOW)" ? undefined : part,
	);
}

/** A value with its keys in order. */
export function sorted(value) {
	if (Array.isArray(value)) return value.map(sorted);
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(
		Object.keys(value)
			.sort()
			.map((key) => [key, sorted(value[key])]),
	);
}

/** Returns the stored object without the fields that the server sets on each write. */
export function bare(object) {
	if (!object?.metadata) return object;
	const copy = structuredClone(object);
	for (const field of [
		"uid",
		"creationTimestamp",
		"resourceVersion",
		"generation",
		"managedFields",
	])
		delete copy.metadata[field];
	return copy;
}

/** What is compared of the server's reply. */
function theirs({ code, body, warnings }, generateName, withStored) {
	const accepted = code < 300;
	return sorted(
		stable(
			{
				status: accepted ? null : body,
				warnings: [...new Set(warnings)].sort(),
				stored:
					accepted && withStored
						? withName(bare(body), generateName)
						: undefined,
			},
			generateName,
		),
	);
}

const withName = (object, generateName) =>
	generateName && object
		? { ...object, metadata: { ...object.metadata, name: undefined } }
		: object;

/** Most characters of all warnings of an answer, and of one warning where they are more. */
const MOST_WARNED = 4096;
const MOST_OF_ONE = 256;

/** The warnings that the server sends of those that it has (kube-apiserver, pkg/endpoints/filters/warning.go, AddWarning). */
export function sentWarnings(texts) {
	const each = [...new Set(texts)].map((text) => [...text]);
	if (each.reduce((sum, { length }) => sum + length, 0) <= MOST_WARNED)
		return each.map((text) => text.join(""));
	const sent = [];
	// All that came up to the limit are sent again, cut; then others, until the limit is reached.
	let [whole, written] = [0, 0];
	for (const text of each) {
		const cut = text.slice(0, MOST_OF_ONE);
		if (whole > MOST_WARNED && written >= MOST_WARNED) break;
		whole += text.length;
		written += cut.length;
		sent.push(cut.join(""));
	}
	return sent;
}

/** What is compared of claimkit's answer. */
function ours(answer, generateName, withStored) {
	const [object] = answer.objects;
	const warnings = answer.findings.filter(
		({ origin, severity }) =>
			origin === "kube-apiserver" && severity === "warning",
	);
	// The server warns of the version before it reads the object.
	const [before, after] = [true, false].map((is) =>
		warnings.filter(
			({ code, message }) =>
				(code === "server-warning" && / is deprecated in v1/.test(message)) ===
				is,
		),
	);
	const texts = [...before, ...after].map(({ message }) => message);
	const accepted = object?.status === null;
	return sorted(
		stable(
			{
				status: object?.status ?? null,
				warnings: [...new Set(sentWarnings(texts))].sort(),
				stored:
					accepted && withStored
						? withName(bare(object.stored ?? object.object), generateName)
						: undefined,
			},
			generateName,
		),
	);
}

const OPERATIONS = {
	create: "create",
	update: "update",
	status: "updateStatus",
};

/**
 * Sends a request in one mode. `Warn` stores, so that the answer has gone through the storage; the other modes do not, but a create with
 * a resourceVersion is refused only where something is stored.
 */
async function send(
	cluster,
	request,
	mode,
	dry = mode !== "Warn" &&
		!(request.op === "create" && request.object.metadata?.resourceVersion),
) {
	const query = `?fieldValidation=${mode}${dry ? "&dryRun=All" : ""}`;
	if (request.op === "create")
		return cluster.call(
			"POST",
			request.endpoint.collection + query,
			request.body,
		);
	return cluster.call(
		"PUT",
		request.address + (request.op === "status" ? "/status" : "") + query,
		request.body,
	);
}

/** Sends all requests to the server, each in its modes; fills in `replies` by mode, or `skipped`. */
async function askServer(cluster, requests) {
	const key = ({ object, endpoint }) =>
		`${endpoint.plural}/${endpoint.namespace}/${object.metadata?.name}`;
	await each(requests, key, async (request) => {
		request.replies = {};
		request.body = JSON.stringify(request.object);
		if (request.op !== "create") {
			Object.assign(request, await store(cluster, request));
			if (request.skipped) return;
			request.body = JSON.stringify(
				withIdentity(request.object, request.old, request.current),
			);
		}
		// The mode that stores comes last.
		for (const mode of request.modes.toSorted(
			(a, b) => (a === "Warn") - (b === "Warn"),
		)) {
			const reply = await send(cluster, request, mode);
			request.replies[mode] = reply;
			if (request.op === "create" && reply.code < 300)
				await remove(
					cluster,
					addressOf(request.endpoint, reply.body.metadata.name),
				);
		}
		if (request.address) await remove(cluster, request.address);
	});
}

/** A request to claimkit. */
function question(release, gates, request, mode) {
	return {
		verb: "validate",
		release,
		gates,
		via: "server",
		fieldValidation: mode,
		stored: true,
		operation: OPERATIONS[request.op],
		namespaceLabels: request.namespaceLabels ?? {},
		text: request.body,
		...(request.current ? { old: JSON.stringify(request.current) } : {}),
	};
}

/** Sends requests to both, in the three modes or in those that a request names; returns how many answers were compared and what differs. */
export async function compare(
	cluster,
	given,
	{ release = cluster.release, gates = {} } = {},
) {
	const requests = given.map((request) => ({
		modes: MODES,
		...structuredClone(request),
		endpoint: undefined,
	}));
	await prepareNamespaces(cluster, requests);
	for (const request of requests) request.endpoint = endpointOf(request.object);
	await askServer(cluster, requests);
	const asked = requests.filter(({ skipped }) => !skipped);
	const answers = batch(
		asked.flatMap((request) =>
			request.modes.map((mode) => question(release, gates, request, mode)),
		),
	).values();
	const result = {
		requests: asked.length,
		answers: 0,
		accepted: 0,
		varying: 0,
		skipped: {},
		wrong: [],
	};
	for (const { skipped } of requests)
		if (skipped) result.skipped[skipped] = (result.skipped[skipped] ?? 0) + 1;
	for (const request of asked) {
		for (const mode of request.modes) {
			const generateName = request.object.metadata?.name
				? undefined
				: request.object.metadata?.generateName;
			const reply = request.replies[mode];
			const stored = mode === "Warn";
			const [want, got] = [
				theirs(reply, generateName, stored),
				ours(answers.next().value, generateName, stored),
			];
			result.answers += 1;
			result.accepted += reply.code < 300 ? 1 : 0;
			if (JSON.stringify(want) === JSON.stringify(got)) continue;
			if (
				reply.code >= 300 &&
				(await varies(cluster, request, mode, generateName, got))
			)
				result.varying += 1;
			else
				result.wrong.push({
					id: request.id,
					mode,
					op: request.op,
					object: JSON.parse(request.body),
					old: request.current,
					namespaceLabels: request.namespaceLabels,
					want,
					got,
				});
		}
	}
	return result;
}

/** Whether the server gives claimkit's answer as well when it is asked again. */
async function varies(cluster, request, mode, generateName, got) {
	if (request.op !== "create") return false; // the object is gone
	for (let time = 0; time < AGAIN; time += 1) {
		const reply = await send(cluster, request, mode, true);
		if (reply.code < 300) return false;
		if (
			JSON.stringify(theirs(reply, generateName, false)) ===
			JSON.stringify({ ...got, stored: undefined })
		)
			return true;
	}
	return false;
}

/** One difference in words. */
export function shown({ id, mode, op, object, want, got }) {
	const [left, right] = [JSON.stringify(want), JSON.stringify(got)];
	let at = 0;
	while (left[at] === right[at]) at += 1;
	const part = (text) => text.slice(Math.max(0, at - 100), at + 300);
	return `${id} (${op}, ${mode})\n  object   ${JSON.stringify(object).slice(0, 400)}\n  server   …${part(left)}\n  claimkit …${part(right)}`;
}
