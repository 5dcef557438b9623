// What `audit --to` and `validate --to` say of an upgrade, beside the server of the new release. Objects that earlier releases stored lie in
// etcd, and are written again. Manifests in versions that go are refused, and what the troubles say makes the server accept them.
//
//   node upgrade.mjs DUMP [RELEASE]     the objects of a cluster, as `kubectl get -o yaml` prints them
import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { batch, buildClaimkit } from "./claimkit.mjs";
import { start } from "./cluster.mjs";
import {
	endpointOf,
	isServed,
	manifests,
	recordedRequests,
} from "./fixtures.mjs";
import { lines } from "./record.mjs";
import { chosen, releases } from "./release.mjs";
import { addressOf, prepareNamespaces, sorted } from "./validation.mjs";

const VERSION = "upgrade-version";
const REFUSED = "upgrade-refused";
const FIELD = "upgrade-field";
/** The releases whose recorded answers have what they stored as v1. */
const RECORDED = ["1.34.9", "1.35.6", "1.36.3", "1.37.2"];
/** Objects that claimkit is asked about at once: it looks for places for all claims. */
const AT_ONCE = 200;
/** Nothing is stored, and a field that goes is no error. */
const DRY = "?dryRun=All&fieldValidation=Warn";
/** The time at which everything was stored. */
const BEGAN = "2026-01-01T00:00:00Z";
/** What a server sets in metadata. */
const SET = [
	"uid",
	"resourceVersion",
	"creationTimestamp",
	"generation",
	"managedFields",
];

const minorOf = (release) => Number(release.split(".")[1]);
const listOf = (items) =>
	JSON.stringify({ apiVersion: "v1", kind: "List", items });
const refused = ({ code }) => code >= 300;
/** The kinds of trouble that no object is left in after doing what they say. */
const isMendable = ({ code }) => [VERSION, REFUSED, FIELD].includes(code);

/** Asks what breaks; each trouble comes with its sentence. */
function ask(text, from, to, subject) {
	const [answer] = batch([
		{
			verb: "upgrade",
			release: from,
			to,
			manifests: subject === "manifests",
			text,
		},
	]);
	const told = answer.findings.filter(({ code }) =>
		code.startsWith("upgrade-"),
	);
	return {
		from: answer.from,
		troubles: answer.troubles.map((trouble, at) => ({
			...trouble,
			message: told[at].message,
			help: told[at].help,
		})),
	};
}

/** The sentences that are there more than once. */
const repeated = (troubles) =>
	troubles
		.map(({ message }) => message)
		.filter((message, at, all) => all.indexOf(message) !== at);

/** The objects of which a trouble tells that a write is refused: of the status, of anything, or as a new object. */
function told(troubles) {
	const of = (is) =>
		new Set(
			troubles
				.filter(({ code }) => code === REFUSED)
				.filter(({ message }) => is(message))
				.flatMap(({ objects }) => objects),
		);
	const isStatus = (message) => message.startsWith("any update of the status");
	const isAny = (message) =>
		message.startsWith("any update of") && !isStatus(message);
	return {
		status: of(isStatus),
		unchanged: of(isAny),
		new: of((message) => !isStatus(message)),
	};
}

/** Whether claimkit says that a release refuses a write of the objects. */
function refusedBefore(objects, release, operation, fieldValidation = "Warn") {
	const answers = batch(
		objects.map((object) => ({
			verb: "validate",
			release,
			via: "server",
			fieldValidation,
			operation,
			namespaceLabels: {},
			text: JSON.stringify(object),
			...(operation === "create" ? {} : { old: JSON.stringify(object) }),
		})),
	);
	return answers.map(({ objects: [object] }) => object?.status !== null);
}

/** An object as a new one. */
function asNew(object) {
	const copy = structuredClone(object);
	for (const field of SET) delete copy.metadata[field];
	delete copy.status;
	copy.metadata.name = `${copy.metadata.name}-new`;
	return copy;
}

/** A value as text, with its keys in order and without null and empty lists, which are no values in the storage. */
const textOf = (value) =>
	JSON.stringify(sorted(value), (_, part) =>
		part === null || (Array.isArray(part) && part.length === 0)
			? undefined
			: part,
	);

/** Whether the server has kept all of an object that was written. */
const isKept = (sent, { body }) => textOf(sent.spec) === textOf(body.spec);

/** How often a write is tried again that came behind one of the controller. */
const AGAIN = 10;

/** Writes an object as it is; the controller may change it between the look and the write. */
async function rewrite(cluster, address, part) {
	let reply;
	for (let time = 0; time < AGAIN; time += 1) {
		const current = await cluster.must("GET", address);
		reply = await cluster.call("PUT", address + part + DRY, current);
		if (reply.code !== 409) break;
	}
	return reply;
}

/** Sends the three writes of an object that is in etcd; returns the replies, and whether a new object would lose a part. */
async function writes(cluster, object) {
	const endpoint = endpointOf(object);
	const address = addressOf(endpoint, object.metadata.name);
	const fresh = asNew(object);
	const made = await cluster.call("POST", endpoint.collection + DRY, fresh);
	return {
		unchanged: await rewrite(cluster, address, ""),
		status: endpoint.status
			? await rewrite(cluster, address, "/status")
			: undefined,
		new: made,
		lost: !refused(made) && !isKept(fresh, made),
	};
}

/** Puts objects into etcd, as an earlier release has left them there. */
async function leave(cluster, objects) {
	await prepareNamespaces(
		cluster,
		objects.map((object) => ({ object })),
	);
	for (const object of objects) await cluster.leave(object, endpointOf(object));
}

const OPERATIONS = {
	new: "create",
	unchanged: "update",
	status: "updateStatus",
};

/** Compares the writes of stored objects with what the troubles tell of them. */
async function compareWrites(cluster, from, objects, troubles, result) {
	const expected = told(troubles);
	const fields = new Set(
		troubles
			.filter(({ code }) => code === FIELD)
			.flatMap(({ objects }) => objects),
	);
	const before = {};
	for (const [write, operation] of Object.entries(OPERATIONS))
		before[write] = refusedBefore(objects, from, operation);
	for (const [at, object] of objects.entries()) {
		const replies = await writes(cluster, object);
		const id = `${object.kind} of ${from}: ${JSON.stringify(object)}`;
		for (const write of Object.keys(OPERATIONS)) {
			const reply = replies[write];
			// What the earlier release refuses as well is no trouble of the upgrade.
			if (!reply || before[write][at]) continue;
			result.writes += 1;
			result.refused += refused(reply) ? 1 : 0;
			if (refused(reply) !== expected[write].has(at))
				result.wrong.push({
					id: `${write}: ${id}`,
					want: expected[write].has(at) ? "refused" : "accepted",
					got: reply.body.message ?? reply.code,
				});
		}
		if (before.new[at] || refused(replies.new)) continue;
		if (replies.lost !== fields.has(at))
			result.wrong.push({
				id: `field: ${id}`,
				want: fields.has(at) ? "a field is not kept" : "all is kept",
				got: replies.new.body.spec,
			});
	}
}

/** What a release stored of the recorded requests, each object with a name of its own. */
function storedObjects(from, every) {
	const objects = lines(`later/${from}.jsonl`)
		// JavaScript has no numbers of 64 bits.
		.filter((line) => !/\d{16}/.test(line))
		.map((line) => JSON.parse(line.replaceAll("(NOW)", BEGAN)))
		.filter(({ gates, namespaceLabels }) => !gates && !namespaceLabels)
		.map(({ stored }) => Object.values(stored ?? {}))
		.map((versions) => versions.find((one) => typeof one === "object"))
		.filter((object) => object && endpointOf(object))
		.filter(({ metadata }) => !metadata.deletionTimestamp)
		.filter((_, at) => at % every === 0);
	return objects.map((object, at) => ({
		...object,
		metadata: {
			...object.metadata,
			name: `s${minorOf(from)}-${at}`,
			generateName: undefined,
			uid: `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`,
			creationTimestamp: BEGAN,
		},
	}));
}

/** Compares what is told of stored objects with what the server does with them. */
async function compareStored(cluster, from, every, result) {
	const all = storedObjects(from, every).filter((object) =>
		isServed(object, cluster.release),
	);
	for (let at = 0; at < all.length; at += AT_ONCE) {
		const objects = all.slice(at, at + AT_ONCE);
		await leave(cluster, objects);
		const { troubles } = ask(listOf(objects), from, cluster.release, "stored");
		result.stored += objects.length;
		result.troubles += troubles.length;
		for (const message of repeated(troubles))
			result.wrong.push({ id: from, want: "each trouble once", got: message });
		await compareWrites(cluster, from, objects, troubles, result);
		for (const object of objects)
			await cluster.call(
				"DELETE",
				addressOf(endpointOf(object), object.metadata.name),
			);
	}
}

/** The new objects of the fixtures that the earlier release accepts and that are in versions that go, each with a name of its own. */
function goingObjects(from, to) {
	const all = [...manifests(from), ...recordedRequests(from)]
		.filter(({ op, namespaceLabels }) => op === "create" && !namespaceLabels)
		.map(({ object }) => object)
		.filter((object) => !isServed(object, to));
	const before = refusedBefore(all, from, "create", "Strict");
	return all
		.filter((_, at) => !before[at])
		.map((object, at) => ({
			...object,
			metadata: { ...object.metadata, name: `o${at}`, generateName: undefined },
		}));
}

/** Compares what is told of manifests in versions that go with the server, before and after they are rewritten. */
async function compareManifests(cluster, from, result) {
	const objects = from ? goingObjects(from, cluster.release) : [];
	// No version goes with most releases.
	if (objects.length === 0) return;
	const differs = (id, want, got) => result.wrong.push({ id, want, got });
	const create = (object) =>
		cluster.call(
			"POST",
			`${endpointOf(object).collection}?dryRun=All&fieldValidation=Strict`,
			object,
		);
	await prepareNamespaces(
		cluster,
		objects.map((object) => ({ object })),
	);
	const { troubles } = ask(listOf(objects), from, cluster.release, "manifests");
	result.manifests += objects.length;
	result.troubles += troubles.length;
	for (const message of repeated(troubles))
		differs("manifests", "each trouble once", message);
	const going = troubles
		.filter(({ code }) => code === VERSION)
		.flatMap((trouble) => trouble.objects);
	if (going.length !== objects.length)
		differs("objects in a version that goes", objects.length, going.length);
	for (const object of objects) {
		const { code } = await create(object);
		if (code !== 404) differs(`${object.kind} as it was`, 404, code);
	}
	const expected = told(troubles).new;
	const rewritten = converted(objects, cluster.release);
	for (const [at, object] of rewritten.entries()) {
		const reply = await create(object);
		result.writes += 1;
		result.refused += refused(reply) ? 1 : 0;
		if (refused(reply) !== expected.has(at))
			differs(
				`${object.kind} after it was rewritten: ${JSON.stringify(objects[at])}`,
				expected.has(at) ? "refused" : "accepted",
				reply.body.message ?? reply.code,
			);
	}
}

/** What `claimkit convert --to` makes of objects. */
const converted = (objects, release) =>
	batch(
		objects.map((object) => ({
			verb: "convert",
			to: `1.${minorOf(release)}`,
			text: JSON.stringify(object),
		})),
	).map((answer, at) => {
		if (!answer.text)
			throw new Error(
				`${JSON.stringify(objects[at])}: ${answer.findings[0].message}`,
			);
		return JSON.parse(answer.text);
	});

/** Compares the troubles of an upgrade with the server of the new release. */
export async function compareUpgrade(cluster, every) {
	const result = {
		manifests: 0,
		stored: 0,
		writes: 0,
		refused: 0,
		troubles: 0,
		wrong: [],
	};
	const minor = minorOf(cluster.release);
	const before = releases.find((one) => minorOf(one) === minor - 1);
	await compareManifests(cluster, before, result);
	for (const from of RECORDED.filter((one) => minorOf(one) < minor))
		await compareStored(cluster, from, every, result);
	return result;
}

/** Slices with counters and devices as two: what the help of the trouble says. */
function split(objects) {
	const isBoth = ({ kind, spec }) =>
		kind === "ResourceSlice" && spec.sharedCounters && spec.devices;
	const poolOf = ({ spec: { driver, pool } }) => `${driver}/${pool.name}`;
	const more = new Map();
	for (const object of objects.filter(isBoth))
		more.set(poolOf(object), (more.get(poolOf(object)) ?? 0) + 1);
	return objects.flatMap((object) => {
		if (object.kind !== "ResourceSlice") return [object];
		const { pool } = object.spec;
		const count = pool.resourceSliceCount + (more.get(poolOf(object)) ?? 0);
		const spec = {
			...object.spec,
			pool: { ...pool, resourceSliceCount: count },
		};
		if (!isBoth(object)) return [{ ...object, spec }];
		const name = `${object.metadata.name}-counters`;
		const { sharedCounters, ...withDevices } = spec;
		const { devices, ...withCounters } = spec;
		return [
			{ ...object, spec: withDevices },
			{
				...object,
				metadata: { ...object.metadata, name },
				spec: withCounters,
			},
		];
	});
}

/** Compares what is told of a cluster's objects with what the server does with them, and sends the mended ones. */
async function compareDump(cluster, file) {
	const bytes = readFileSync(file);
	const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
	const [{ raw }] = batch([{ verb: "parse", raw: true, text }]);
	const all = raw.items ?? [raw];
	const { from, troubles } = ask(text, undefined, cluster.release, "stored");
	for (const { message, help } of troubles)
		console.log(`${message}\n  ${help}`);
	const result = { objects: 0, writes: 0, refused: 0, mended: 0, wrong: [] };
	for (const message of repeated(troubles))
		result.wrong.push({ id: file, want: "each trouble once", got: message });
	const places = all.flatMap((object, at) => (endpointOf(object) ? [at] : []));
	const objects = places.map((at) => all[at]);
	result.objects = objects.length;
	await leave(cluster, objects);
	const own = troubles.map((trouble) => ({
		...trouble,
		objects: trouble.objects.map((at) => places.indexOf(at)),
	}));
	// A version that is not served has no address: what lies in etcd in it is written in another one.
	const served = converted(objects, cluster.release);
	await compareWrites(cluster, from, served, own, result);
	const after = split(served);
	const left = ask(listOf(after), from, cluster.release, "stored").troubles;
	for (const { message } of left.filter(isMendable))
		result.wrong.push({ id: file, want: "no trouble", got: message });
	for (const object of after) {
		const reply = await cluster.call(
			"POST",
			`${endpointOf(object).collection}?fieldValidation=Strict`,
			asNew(object),
		);
		result.mended += 1;
		if (refused(reply))
			result.wrong.push({
				id: `${object.kind} ${object.metadata.name} as mended`,
				want: "accepted",
				got: reply.body.message ?? reply.code,
			});
	}
	return result;
}

if (process.argv[1] === import.meta.filename) {
	const [file, release] = process.argv.slice(2);
	buildClaimkit();
	const cluster = await start({ release: chosen(release) });
	try {
		const { wrong, ...numbers } = await compareDump(
			cluster,
			path.resolve(file),
		);
		console.log(JSON.stringify({ ...numbers, wrong: wrong.length }));
		for (const one of wrong.slice(0, 20))
			console.log(
				`${one.id}\n  claimkit ${JSON.stringify(one.want)}\n  server   ${JSON.stringify(one.got)}`,
			);
		process.exitCode = wrong.length ? 1 : 0;
	} finally {
		await cluster.stop();
	}
}
