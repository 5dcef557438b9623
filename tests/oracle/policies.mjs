// Settings of the policy as ValidatingAdmissionPolicies and MutatingAdmissionPolicies on a real kube-apiserver, and as the policy itself
// judges: the same objects must be refused and accepted, for the same setting, and the same requests get another class, mode or count.
//
//   node policies.mjs [RELEASE]
import { spawnSync } from "node:child_process";
import {
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { batch, buildClaimkit, program } from "./claimkit.mjs";
import { sleep, start } from "./cluster.mjs";
import { isServed, labelNamespaces, placeOf, policiesAt } from "./fixtures.mjs";
import { chosen, hasGo, here, root } from "./release.mjs";
import { remove } from "./validation.mjs";

/** How often an object is sent again whose answer differs: a new policy takes some seconds to act. */
const AGAIN = 20;
/** The YAML documents of the policies for some settings; `form`: the word of `--as`. */
export function generated(settings, folder, name, form = "vap") {
	const file = path.join(folder, `${name}.json`);
	const spec = { settings, mutating: form === "map", rules: [] };
	writeFileSync(
		file,
		JSON.stringify({
			apiVersion: "policies.kubewarden.io/v1",
			kind: "ClusterAdmissionPolicy",
			metadata: { name },
			spec,
		}),
	);
	const done = spawnSync(program, ["policy", "--as", form, file], {
		encoding: "utf8",
	});
	const none = done.stderr.includes("no setting that a policy of this form");
	if (done.status !== 0 && !none)
		throw new Error(`claimkit policy: ${done.stderr}`);
	const documents = done.stdout.split(/^---$/m).slice(1);
	return batch(
		documents.map((text) => ({ verb: "parse", raw: true, text })),
	).map(({ raw }) => raw);
}

/** The AdmissionRequest that a server sends. */
export function requestOf({ object, old, subresource }) {
	const { group, version, resource } = placeOf(object);
	const kind = { group, version, kind: object.kind };
	const named = { group, version, resource };
	return {
		uid: "1",
		kind,
		requestKind: kind,
		resource: named,
		requestResource: named,
		name: object.metadata.name,
		namespace: object.metadata.namespace,
		operation: old ? "UPDATE" : "CREATE",
		subResource: subresource ?? "",
		userInfo: {
			username: "admin",
			groups: ["system:masters", "system:authenticated"],
		},
		object,
		oldObject: old ?? null,
	};
}

/** The policy's own verdict about a request. */
export function verdict(settings, one, labels) {
	const request = requestOf(one);
	const [{ response }] = batch([
		{
			verb: "admit",
			request,
			settings: { validation: "off", ...settings },
			namespaceLabels: labels,
		},
	]);
	return {
		accepted: response.accepted,
		rules: response.audit_annotations?.rule?.split(",") ?? [],
		message: response.message,
		warnings: response.warnings ?? [],
		object: response.mutated_object ?? one.object,
	};
}

/** What the requests of a claim or a template ask for, with the server's defaults. */
function asks({ spec }) {
	const { requests } = (spec.spec ?? spec).devices;
	const ask = ({ deviceClassName, allocationMode = "ExactCount", count }) => ({
		deviceClassName,
		allocationMode,
		count: allocationMode === "All" ? count || 0 : (count ?? 1),
	});
	// The server prints `null` for an empty list.
	return (requests ?? []).map((request) => {
		const { exactly, firstAvailable } = request;
		// Requests of v1beta1 have the fields of `exactly` themselves.
		return (firstAvailable ?? [exactly ?? request]).map(ask);
	});
}

/** Sends the request to the server without storing anything. */
async function sent(cluster, { object, old, subresource }) {
	const { address } = placeOf(object);
	const target = old
		? `${address}/${object.metadata.name}${subresource ? `/${subresource}` : ""}`
		: address;
	return cluster.call(old ? "PUT" : "POST", `${target}?dryRun=All`, object);
}

/** The object in a version that the server has: taint rules are v1 from 1.37 on. */
function inServedVersion(object, release) {
	const isNew =
		object?.kind === "DeviceTaintRule" &&
		object.apiVersion === "resource.k8s.io/v1";
	return isNew && Number(release.split(".")[1]) < 37
		? { ...object, apiVersion: "resource.k8s.io/v1beta2" }
		: object;
}

/** The objects of a case that the server of a release can have. */
const ofRelease = (objects, release) =>
	objects
		.map((one) => ({
			...one,
			object: inServedVersion(one.object, release),
			...(one.old && { old: inServedVersion(one.old, release) }),
		}))
		.filter(({ object }) => isServed(object, release));

/** Makes what an update needs; returns both objects as the server has them. */
async function stored(cluster, one) {
	if (!one.old) return one;
	const { address } = placeOf(one.old);
	let old = await cluster.must("POST", address, one.old);
	if (one.old.status)
		old = await cluster.must("PUT", `${address}/${old.metadata.name}/status`, {
			...old,
			status: one.old.status,
		});
	const { metadata } = old;
	return {
		...one,
		old,
		object: {
			...one.object,
			metadata: { ...metadata, ...one.object.metadata },
		},
	};
}

/** The settings of the samples: the server must accept their policies, too. */
export function samples() {
	const folder = path.join(root, "pkg/policy/samples");
	const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
	const read = batch(
		files.map((name) => ({
			verb: "parse",
			raw: true,
			text: readFileSync(path.join(folder, name), "utf8"),
		})),
	);
	return read.map(({ raw }, at) => ({
		name: path.basename(files[at], ".yaml"),
		settings: raw.spec.settings,
		namespaces: {},
		objects: [],
	}));
}

/** Makes a policy. On a busy machine the server may need longer than it gives a request; it goes on then. */
async function create(cluster, policy) {
	for (let left = AGAIN; ; left--) {
		const { code, body } = await cluster.call(
			"POST",
			policiesAt(policy),
			policy,
		);
		if (code < 300 || (code === 409 && left < AGAIN)) return;
		if (code !== 504 || left === 0)
			throw new Error(`${policy.metadata.name}: ${code} ${body.message}`);
	}
}

/** Compares the two for all objects of all cases. Returns the number of objects and what differs. */
export async function comparePolicies(cluster) {
	const cases = [
		...JSON.parse(readFileSync(path.join(here, "policies.json"), "utf8")),
		...samples(),
	];
	const folder = mkdtempSync(path.join(tmpdir(), "claimkit-policies-"));
	const result = {
		policies: 0,
		objects: 0,
		objectsToChange: 0,
		refused: 0,
		warned: 0,
		changed: 0,
		wrong: [],
	};
	try {
		for (const { name, settings, namespaces, objects } of cases) {
			await labelNamespaces(cluster, namespaces);
			const prepared = [];
			for (const one of ofRelease(objects, cluster.release))
				prepared.push(await stored(cluster, one));
			const policies = generated(settings, folder, name);
			const changes = /"(fallback|default)"/.test(JSON.stringify(settings));
			if (changes) policies.push(...generated(settings, folder, name, "map"));
			for (const policy of policies) await create(cluster, policy);
			result.policies += policies.length / 2;
			for (const one of prepared) {
				const labels = namespaces[one.object.metadata.namespace] ?? {};
				const want = verdict(settings, one, labels);
				// What is changed is compared below: about it claimkit warns, and the server does not.
				if (want.object !== one.object) continue;
				let got;
				for (let left = AGAIN; left > 0; left--) {
					got = await sent(cluster, one);
					if (agree(want, Boolean(one.old), got)) break;
					await sleep(500);
				}
				result.objects += 1;
				result.refused += want.accepted ? 0 : 1;
				result.warned += want.accepted && want.rules.length > 0 ? 1 : 0;
				if (!agree(want, Boolean(one.old), got))
					result.wrong.push({
						id: `${name}: ${one.name}`,
						want,
						got: {
							code: got.code,
							message: got.body.message,
							warnings: got.warnings,
						},
					});
			}
			if (changes)
				await compareChanges(
					cluster,
					{ name, settings, namespaces, prepared },
					result,
				);
			for (const policy of policies)
				await cluster.must(
					"DELETE",
					`${policiesAt(policy)}/${policy.metadata.name}`,
				);
			for (const { old } of prepared)
				if (old)
					await remove(cluster, `${placeOf(old).address}/${old.metadata.name}`);
			// A policy that is still in force would judge the objects of the next case.
			if (prepared.length > 0) await sleep(2000);
		}
	} finally {
		rmSync(folder, { recursive: true });
	}
	return result;
}

/** Compares what the settings change. */
async function compareChanges(cluster, one, result) {
	const { name, settings, namespaces, prepared } = one;
	for (const { name: what, ...sample } of prepared) {
		const labels = namespaces[sample.object.metadata.namespace] ?? {};
		const want = verdict(settings, sample, labels);
		if (!want.accepted) continue;
		let got;
		for (let left = AGAIN; left > 0; left--) {
			got = await sent(cluster, sample);
			if (
				got.code < 300 &&
				isDeepStrictEqual(asks(got.body), asks(want.object))
			)
				break;
			await sleep(500);
		}
		result.objectsToChange += 1;
		if (
			got.code >= 300 ||
			!isDeepStrictEqual(asks(got.body), asks(want.object))
		)
			result.wrong.push({
				id: `${name}: ${what}: what is changed`,
				want: asks(want.object),
				got: got.code < 300 ? asks(got.body) : got.body.message,
			});
		else result.changed += want.object === sample.object ? 0 : 1;
	}
}

/**
 * Both accept, or both refuse for a setting that both name, or because CEL cannot be evaluated; a warning names its setting, too. About errors that the stored object already has
 * only claimkit warns.
 */
function agree(want, isUpdate, { code, body, warnings }) {
	const named = (text) => want.rules.some((rule) => text.includes(`${rule}: `));
	if (!want.accepted)
		return (
			code >= 400 &&
			body.message.includes("ValidatingAdmissionPolicy") &&
			(named(body.message) || body.message.includes("resulted in error"))
		);
	if (code >= 300) return false;
	const told = warnings.filter((text) =>
		text.includes("ValidatingAdmissionPolicy"),
	);
	return want.rules.length === 0 || isUpdate
		? told.length === 0
		: told.some(named);
}

if (process.argv[1] === import.meta.filename) {
	if (!hasGo()) {
		console.log(
			"policies: no Go here: no real kube-apiserver was built and asked: NOT COMPARED",
		);
		process.exit(0);
	}
	buildClaimkit();
	const cluster = await start({ release: chosen(process.argv[2]) });
	try {
		const { wrong, ...numbers } = await comparePolicies(cluster);
		console.log(JSON.stringify({ ...numbers, wrong: wrong.length }));
		for (const one of wrong)
			console.log(
				`${one.id}\n  claimkit ${JSON.stringify(one.want)}\n  server   ${JSON.stringify(one.got)}`,
			);
		process.exitCode = wrong.length ? 1 : 0;
	} finally {
		await cluster.stop();
	}
}
