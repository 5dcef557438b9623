// The first suggestion of `claimkit why` for pods of random clusters, done on the real control plane as it is written: the command that
// stands beside it, or the edit of the object that it names. The pod that waited must then get a node.
import { spawnSync } from "node:child_process";
import { program } from "./claimkit.mjs";
import { sleep } from "./cluster.mjs";
import { play } from "./pods.mjs";
import { scenarioAtOnce } from "./scenarios.mjs";

/** Milliseconds in which a pod gets its node, or does not. */
const PATIENCE = 8000;
/** Kinds whose objects decide about devices, as kubectl names them. */
const KINDS =
	"nodes,pods,deviceclasses,resourceslices,devicetaintrules,resourceclaims,resourceclaimtemplates,priorityclasses";
/** What a server writes into an object, and who makes it anew leaves out. */
const OF_SERVER = ["uid", "resourceVersion", "creationTimestamp", "generation"];

/** What is to be done, behind the words of a suggestion: commands and edits. */
const STEPS = /\(((?:or )?kubectl .*|in .*)\)$/;
/** Steps that are left to the reader: which affinity to change. */
const WITHOUT_HOW = /(?:^| and )changing the/;
/** Commands that other controllers carry out, which do not run here. */
const OF_CONTROLLERS = /^(?:annotate|scale) /;
const COMMAND = /^(?:or )?kubectl (.+)$/;
const EDIT =
	/^in (?<template>ResourceClaimTemplate )?(?<namespace>\S+?)\/(?<name>[^\s,]+), (?:made anew|and the pod made anew): (?<edit>.*)$/;
const EDITS = [
	[/^without `(?<path>.+)`$/, (list, key) => list.splice(Number(key), 1)],
	[
		/^add `(?<value>\{.*\})` to `(?<path>.+)`$/,
		(object, key, value) => {
			object[key] = [...(object[key] ?? []), value];
		},
	],
	[
		/^`(?<path>\S+?): (?<value>[^`]+)`$/,
		(object, key, value) => {
			object[key] = value;
			if (value === "ExactCount") delete object.count;
		},
	],
];

/** The steps of a path: `spec.requests[0].capacity[example.com/memory]`. */
const stepsOf = (path) =>
	[...path.matchAll(/\[([^\]]+)\]|([^.[\]]+)/g)].map(
		([, inside, name]) => inside ?? name,
	);

/** A text, as it is or in quotes. */
const readText = (words) => (words.startsWith('"') ? JSON.parse(words) : words);

/** A scalar or a map of scalars, as suggestions write them: `2`, `10Gi`, `{key: a, operator: Exists}`. */
function readValue(words) {
	if (!words.startsWith("{"))
		return /^\d+$/.test(words) ? Number(words) : readText(words);
	const fields = words
		.slice(1, -1)
		.split(", ")
		.map((field) => field.split(": "));
	return Object.fromEntries(
		fields.map(([name, value]) => [name, readText(value)]),
	);
}

/** An object after an edit in the words of a suggestion; undefined if it has several or other words. */
function edited(given, words) {
	const object = structuredClone(given);
	for (const [pattern, change] of EDITS) {
		const { path, value } = pattern.exec(words)?.groups ?? {};
		if (path === undefined) continue;
		const steps = stepsOf(path);
		const last = steps.pop();
		const owner = steps.reduce((inside, step) => {
			inside[step] ??= {};
			return inside[step];
		}, object);
		change(owner, last, value === undefined ? undefined : readValue(value));
		return object;
	}
	return undefined;
}

/** An object as its author would make it again. */
function anew({ apiVersion, kind, metadata, spec }) {
	const kept = Object.entries(metadata).filter(
		([name]) => !OF_SERVER.includes(name) && name !== "finalizers",
	);
	const { nodeName: _, ...wanted } = spec;
	return {
		apiVersion,
		kind,
		metadata: Object.fromEntries(kept),
		spec: kind === "Pod" ? wanted : spec,
	};
}

/** kubectl on a cluster. */
function kubectlOf(cluster) {
	const env = { ...process.env, KUBECONFIG: cluster.kubeconfig };
	return (words, input) => {
		const done = spawnSync(cluster.programs.kubectl, words, {
			env,
			input,
			encoding: "utf8",
			maxBuffer: 1 << 28,
		});
		if (done.status !== 0)
			throw new Error(`kubectl ${words.join(" ")}: ${done.stderr}`);
		return done.stdout;
	};
}

const FORCED = ["--force", "--grace-period=0", "--wait=true"];

/** The objects after the edits that a suggestion names; undefined if something else is to be done, too. */
function editedObjects(items, edits) {
	const changed = new Map();
	for (const words of edits) {
		const { template, namespace, name, edit } = EDIT.exec(words)?.groups ?? {};
		const wanted = template ? "ResourceClaimTemplate" : "ResourceClaim";
		const given = items.find(
			({ kind, metadata }) =>
				kind === wanted &&
				metadata.name === name &&
				metadata.namespace === namespace,
		);
		if (given === undefined) return undefined;
		const next = edited(changed.get(given) ?? given, edit);
		if (next === undefined) return undefined;
		changed.set(given, next);
	}
	return [...changed.values()];
}

/** Does what a suggestion says; returns whether it could be done as it is written. */
function done(kubectl, items, pod, help) {
	if (WITHOUT_HOW.test(help)) return false;
	const steps = STEPS.exec(help)?.[1].split("; ") ?? [];
	const commands = steps.flatMap((step) => COMMAND.exec(step)?.[1] ?? []);
	const edits = steps.filter((step) => !COMMAND.test(step));
	const objects = editedObjects(items, edits);
	if (steps.length === 0 || objects === undefined) return false;
	if (commands.some((command) => OF_CONTROLLERS.test(command))) return false;
	for (const command of commands) {
		const words = command.split(" ");
		kubectl(words[0] === "delete" ? [...words, ...FORCED] : words);
	}
	if (objects.length === 0) return true;
	kubectl(["delete", "pod", pod.metadata.name, ...FORCED]);
	for (const object of objects) {
		const plural = `${object.kind.toLowerCase()}s`;
		kubectl(["delete", plural, object.metadata.name, "--wait=true"]);
		kubectl(["create", "-f", "-"], JSON.stringify(anew(object)));
	}
	kubectl(["create", "-f", "-"], JSON.stringify(anew(pod)));
	return true;
}

/** Plays scenarios, from `first` on, until so many suggestions were done; returns how many were, those with nothing to do, and those that did not help. */
export async function compareSuggestions(cluster, wanted, first = 1) {
	const kubectl = kubectlOf(cluster);
	const result = { done: 0, notDone: 0, wrong: [] };
	for (let seed = first; result.done < wanted; seed += 1) {
		const tried = await trySuggestion(cluster, kubectl, seed);
		if (tried === undefined) continue;
		const { help, did, bound, said } = tried;
		if (did) result.done += 1;
		else result.notDone += 1;
		if (did && !bound)
			result.wrong.push({
				id: `random/${seed}`,
				mode: "suggestion",
				op: "why",
				object: null,
				want: help,
				got: said,
			});
	}
	return result;
}

/** Does the first suggestion for the first pod of a scenario that has one; undefined if none has. */
async function trySuggestion(cluster, kubectl, seed) {
	await play(cluster, scenarioAtOnce(seed, cluster.release));
	const dump = kubectl(["get", KINDS, "-A", "--output", "json"]);
	const { items } = JSON.parse(dump);
	const { stdout } = spawnSync(
		program,
		["why", "-A", "-f", "-", "--release", cluster.release, "-o", "json"],
		{ input: dump, encoding: "utf8", maxBuffer: 1 << 28 },
	);
	const waiting = JSON.parse(stdout).pods.find(({ helps }) => helps.length > 0);
	if (waiting === undefined) return undefined;
	const [help] = waiting.helps;
	const pods = items.filter(({ kind }) => kind === "Pod");
	const fullName = ({ metadata }) => `${metadata.namespace}/${metadata.name}`;
	const pod = pods.find((one) => fullName(one) === waiting.pod);
	// A suggestion may say that other pods are tried first: here they are gone.
	for (const other of pods.filter((one) => one !== pod && !one.spec.nodeName))
		kubectl(["delete", "pod", other.metadata.name, ...FORCED]);
	const did = done(kubectl, items, pod, help);
	if (!did) return { help, did };
	const scheduler = await cluster.startScheduler();
	try {
		const now = () =>
			JSON.parse(
				kubectl(["get", "pod", pod.metadata.name, "--output", "json"]),
			);
		for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(200))
			if (now().spec.nodeName) return { help, did, bound: true };
		const condition = now().status.conditions?.find(
			({ type }) => type === "PodScheduled",
		);
		return { help, did, bound: false, said: condition?.message ?? "nothing" };
	} finally {
		await scheduler.stop();
	}
}
