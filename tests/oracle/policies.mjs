// Settings of the policy as ValidatingAdmissionPolicies on a real kube-apiserver, and as the policy itself judges: the same objects must
// be refused and accepted, for the same setting.
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
import { batch, buildClaimkit, program } from "./claimkit.mjs";
import { sleep, start } from "./cluster.mjs";
import { endpointOf } from "./fixtures.mjs";
import { chosen, hasGo, here, root } from "./release.mjs";
import { remove } from "./validation.mjs";

/** How often an object is sent again whose answer differs: a new policy takes some seconds to act. */
const AGAIN = 20;
const CONFIGURATION = "/apis/admissionregistration.k8s.io/v1";
/** The YAML documents of the policies for some settings. */
function generated(settings, folder, name) {
	const file = path.join(folder, `${name}.json`);
	const spec = { settings, mutating: false, rules: [] };
	writeFileSync(
		file,
		JSON.stringify({
			apiVersion: "policies.kubewarden.io/v1",
			kind: "ClusterAdmissionPolicy",
			metadata: { name },
			spec,
		}),
	);
	const done = spawnSync(program, ["policy", "--as", "vap", file], {
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

/** Kinds of other groups. */
const WORKLOADS = {
	Pod: "pods",
	Deployment: "deployments",
	CronJob: "cronjobs",
};

/** Group, version, resource and address of an object's kind. */
function place(object) {
	const [version, group = ""] = object.apiVersion.split("/").reverse();
	const known = endpointOf(object);
	if (known)
		return {
			group,
			version,
			resource: known.plural,
			address: known.collection,
		};
	const resource = WORKLOADS[object.kind];
	return {
		group,
		version,
		resource,
		address: `${group ? `/apis/${group}` : "/api"}/${version}/namespaces/${object.metadata.namespace}/${resource}`,
	};
}

const collection = ({ kind }) =>
	`${CONFIGURATION}/${kind === "ValidatingAdmissionPolicy" ? "validatingadmissionpolicies" : "validatingadmissionpolicybindings"}`;

/** The policy's own verdict about a request. */
function verdict(settings, { object, old, subresource }, labels) {
	const { group, version, resource } = place(object);
	const kind = { group, version, kind: object.kind };
	const request = {
		uid: "1",
		kind,
		requestKind: kind,
		resource: { group, version, resource },
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
	};
}

/** Sends the request to the server without storing anything. */
async function sent(cluster, { object, old, subresource }) {
	const { address } = place(object);
	const target = old
		? `${address}/${object.metadata.name}${subresource ? `/${subresource}` : ""}`
		: address;
	return cluster.call(old ? "PUT" : "POST", `${target}?dryRun=All`, object);
}

/** Makes what an update needs; returns both objects as the server has them. */
async function stored(cluster, one) {
	if (!one.old) return one;
	const { address } = place(one.old);
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
function samples() {
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

/** Compares the two for all objects of all cases. Returns the number of objects and what differs. */
export async function comparePolicies(cluster) {
	const cases = [
		...JSON.parse(readFileSync(path.join(here, "policies.json"), "utf8")),
		...samples(),
	];
	const folder = mkdtempSync(path.join(tmpdir(), "claimkit-policies-"));
	const result = { policies: 0, objects: 0, refused: 0, warned: 0, wrong: [] };
	try {
		for (const { name, settings, namespaces, objects } of cases) {
			for (const [namespace, labels] of Object.entries(namespaces)) {
				await cluster.call("POST", "/api/v1/namespaces", {
					apiVersion: "v1",
					kind: "Namespace",
					metadata: { name: namespace, labels },
				});
			}
			const prepared = [];
			for (const one of objects) prepared.push(await stored(cluster, one));
			const policies = generated(settings, folder, name);
			for (const policy of policies)
				await cluster.must("POST", collection(policy), policy);
			result.policies += policies.length / 2;
			for (const one of prepared) {
				const labels = namespaces[one.object.metadata.namespace] ?? {};
				const want = verdict(settings, one, labels);
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
			for (const policy of policies)
				await cluster.must(
					"DELETE",
					`${collection(policy)}/${policy.metadata.name}`,
				);
			for (const { old } of prepared)
				if (old)
					await remove(cluster, `${place(old).address}/${old.metadata.name}`);
			// A policy that is still in force would judge the objects of the next case.
			if (prepared.length > 0) await sleep(2000);
		}
	} finally {
		rmSync(folder, { recursive: true });
	}
	return result;
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
