// ValidatingAdmissionPolicies that people could write, on a real kube-apiserver and as claimkit evaluates them.
//
//   node validating.mjs [RELEASE]          compares the answers
//   node validating.mjs RELEASE FILE       also writes the server's into a file of JSON lines
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { until, within } from "../until.mjs";
import { batch, buildClaimkit } from "./claimkit.mjs";
import { start } from "./cluster.mjs";
import { labelNamespaces, placeOf, policiesAt } from "./fixtures.mjs";
import { chosen, hasGo, here } from "./release.mjs";

/** Seconds in which the server has read what it reads beside policies: parameters and labels of namespaces. */
const PATIENCE = 10;

/**
 * Waits until the server judges by all policies that were made and deleted before: it reads them once a second, all at once, and in the
 * order of their changes. A policy that is made now and refuses one ConfigMap says when.
 */
async function inForce(cluster) {
	const name = "in-force";
	const admission = (kind, spec) => ({
		apiVersion: "admissionregistration.k8s.io/v1",
		kind: `ValidatingAdmissionPolicy${kind}`,
		metadata: { name },
		spec,
	});
	const map = {
		apiVersion: "v1",
		kind: "ConfigMap",
		metadata: { name, namespace: "default" },
		// The policies of the cases accept it.
		data: { a: "1" },
	};
	const made = [
		admission("", {
			matchConstraints: {
				resourceRules: [
					{
						apiGroups: [""],
						apiVersions: ["v1"],
						operations: ["CREATE"],
						resources: ["configmaps"],
						resourceNames: [name],
					},
				],
			},
			validations: [{ expression: "false" }],
		}),
		admission("Binding", { policyName: name, validationActions: ["Deny"] }),
	];
	const refused = async () => {
		const { address } = placeOf(map);
		const { code, body } = await cluster.call(
			"POST",
			`${address}?dryRun=All`,
			map,
		);
		return code === 422 && body.message.includes(`'${name}'`);
	};
	for (const one of made) await cluster.must("POST", policiesAt(one), one);
	await until("policies in force", refused);
	for (const one of made)
		await cluster.must("DELETE", `${policiesAt(one)}/${name}`);
	await until("policies out of force", async () => !(await refused()));
}

/** The AdmissionRequest that the server makes of a request. */
function admissionRequest(object, old) {
	const { group, version, resource } = placeOf(object);
	return {
		uid: "1",
		kind: { group, version, kind: object.kind },
		resource: { group, version, resource },
		name: object.metadata.name,
		namespace: object.metadata.namespace ?? "",
		operation: old ? "UPDATE" : "CREATE",
		userInfo: {
			username: "admin",
			groups: ["system:masters", "system:authenticated"],
		},
		object,
		oldObject: old ?? null,
		dryRun: true,
	};
}

/** What claimkit is asked about a recorded line. */
export const question = ({ policies, params, namespaces, object, old }) => ({
	verb: "admit",
	request: admissionRequest(object, old),
	policies: JSON.stringify({
		apiVersion: "v1",
		kind: "List",
		items: [...policies, ...params],
	}),
	namespaceLabels: object.metadata.namespace
		? namespaces[object.metadata.namespace]
		: undefined,
});

async function ask(cluster, one, lines) {
	const { name, policies, params, namespaces, objects } = one;
	await labelNamespaces(cluster, namespaces);
	for (const param of params)
		await cluster.must("POST", placeOf(param).address, param);
	const prepared = [];
	for (const { object, old } of objects) {
		if (!old) {
			prepared.push({ object });
			continue;
		}
		const { address } = placeOf(old);
		await cluster.call("POST", address, old);
		const stored = await cluster.must("GET", `${address}/${old.metadata.name}`);
		const metadata = { ...stored.metadata, ...object.metadata };
		prepared.push({ object: { ...object, metadata }, old: stored });
	}
	for (const policy of policies) {
		const { code, body } = await cluster.call(
			"POST",
			policiesAt(policy),
			policy,
		);
		if (code >= 300) throw new Error(`${name}: ${body.message}`);
	}
	await inForce(cluster);
	for (const { object, old } of prepared) {
		const { address } = placeOf(object);
		const target = old ? `${address}/${old.metadata.name}` : address;
		const asked = {
			case: name,
			policies,
			params,
			namespaces,
			object,
			...(old ? { old } : {}),
		};
		let line;
		await within(PATIENCE, async () => {
			const { code, body, warnings } = await cluster.call(
				old ? "PUT" : "POST",
				`${target}?dryRun=All`,
				object,
			);
			line = {
				...asked,
				code,
				...(code >= 300 ? { message: body.message } : {}),
				...(warnings.length > 0 ? { warnings } : {}),
			};
			return compareValidating([line]).wrong.length === 0;
		});
		// A server that has no time answers nothing about policies.
		if (line.code !== 504) lines.push(line);
	}
	for (const made of [...policies, ...params].reverse()) {
		const { metadata, apiVersion } = made;
		const list = apiVersion.startsWith("admission")
			? policiesAt(made)
			: placeOf(made).address;
		await cluster.must("DELETE", `${list}/${metadata.name}`);
	}
}

/** Asks a server about all cases; returns a line for each object, and for each policy that is refused. */
export async function recordValidating(cluster) {
	const { cases, refused } = JSON.parse(
		readFileSync(path.join(here, "validating.json"), "utf8"),
	);
	const lines = [];
	for (const policy of refused) {
		const { code, body } = await cluster.call(
			"POST",
			`${policiesAt(policy)}?dryRun=All`,
			policy,
		);
		lines.push({ policy, code, message: body.message });
	}
	for (const one of cases) await ask(cluster, one, lines);
	return lines;
}

/** Compares claimkit's answer with a recorded line; returns the difference, or nothing. */
function difference(line, answer) {
	if (line.policy) {
		const said = answer.findings.map(({ message }) =>
			message.replace(/^\S+ '[^']*': /, ""),
		);
		const agrees =
			said.length > 0 && said.every((text) => line.message?.includes(text));
		return agrees ? undefined : { server: line.message, claimkit: said };
	}
	// Without a binding a server does not ask a policy; claimkit says so and judges it all the same.
	if (
		answer.results?.every(
			({ binding, result }) => !binding && result !== "skip",
		)
	)
		return undefined;
	const { response } = answer;
	const server = {
		accepted: line.code < 300,
		message: line.message,
		code: line.code < 300 ? undefined : line.code,
		warnings: line.warnings?.filter((text) =>
			text.includes("ValidatingAdmissionPolicy"),
		),
	};
	const own = {
		accepted: response?.accepted,
		message: response?.message,
		code: response?.code,
		warnings: response?.warnings,
	};
	const plain = ({ warnings, ...rest }) =>
		JSON.stringify([rest, warnings?.length ? warnings : []]);
	return plain(server) === plain(own)
		? undefined
		: { server, claimkit: answer };
}

/** Compares claimkit's answers with recorded lines. Returns the number of lines and what differs. */
export function compareValidating(lines) {
	const answers = batch(
		lines.map((line) =>
			line.policy
				? { verb: "admit", policies: JSON.stringify(line.policy) }
				: question(line),
		),
	);
	const wrong = lines.flatMap((line, at) => {
		const what = difference(line, answers[at]);
		if (!what) return [];
		const id = line.policy
			? line.policy.metadata.name
			: `${line.case}: ${line.object.metadata.name}`;
		return [{ id, want: what.claimkit, got: what.server }];
	});
	return { compared: lines.length, wrong };
}

if (process.argv[1] === import.meta.filename) {
	if (!hasGo()) {
		console.log(
			"validating: no Go here: no real kube-apiserver was built and asked: NOT COMPARED",
		);
		process.exit(0);
	}
	const [release, file] = process.argv.slice(2);
	buildClaimkit();
	const cluster = await start({ release: chosen(release) });
	try {
		const lines = await recordValidating(cluster);
		if (file)
			writeFileSync(
				file,
				lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
			);
		const { compared, wrong } = compareValidating(lines);
		console.log(JSON.stringify({ compared, wrong: wrong.length }));
		for (const { id, want, got } of wrong)
			console.log(
				`${id}\n  claimkit ${JSON.stringify(want)}\n  server   ${JSON.stringify(got)}`,
			);
		process.exitCode = wrong.length ? 1 : 0;
	} finally {
		await cluster.stop();
	}
}
