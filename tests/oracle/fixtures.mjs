// The requests of the fixtures: manifests of tests/manifests and tests/hosts/manifests, and the recorded requests of tests/vectors.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { batch } from "./claimkit.mjs";
import { lines } from "./record.mjs";
import { root } from "./release.mjs";

const GROUP = "resource.k8s.io";
/** The minor release from which on a version is not served. */
const REMOVED = { v1beta1: 38 };
/** The kinds: versions, and whether objects have a namespace and a status. */
const KINDS = {
	ResourceClaim: {
		plural: "resourceclaims",
		namespaced: true,
		status: true,
		versions: ["v1", "v1beta2", "v1beta1"],
	},
	ResourceClaimTemplate: {
		plural: "resourceclaimtemplates",
		namespaced: true,
		versions: ["v1", "v1beta2", "v1beta1"],
	},
	DeviceClass: {
		plural: "deviceclasses",
		versions: ["v1", "v1beta2", "v1beta1"],
	},
	ResourceSlice: {
		plural: "resourceslices",
		versions: ["v1", "v1beta2", "v1beta1"],
	},
	DeviceTaintRule: {
		plural: "devicetaintrules",
		status: true,
		versions: ["v1", "v1beta2", "v1alpha3"],
	},
	ResourcePoolStatusRequest: {
		plural: "resourcepoolstatusrequests",
		status: true,
		versions: ["v1alpha3"],
	},
};

/** The kind of an object if the server has it: its row, the version and the namespace of the request. */
export function endpointOf(object) {
	const [group, version] = String(object?.apiVersion).split("/");
	const kind = KINDS[object?.kind];
	if (group !== GROUP || !kind?.versions.includes(version)) return undefined;
	const given = object.metadata?.namespace;
	const namespace = kind.namespaced
		? typeof given === "string" && given !== ""
			? given
			: "default"
		: undefined;
	if (
		namespace !== undefined &&
		!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace)
	)
		return undefined; // there can be no such namespace
	const collection = `/apis/${GROUP}/${version}${namespace ? `/namespaces/${namespace}` : ""}/${kind.plural}`;
	return { ...kind, version, namespace, collection };
}

/** Kinds of other groups. */
const OTHERS = {
	ConfigMap: "configmaps",
	CronJob: "cronjobs",
	Deployment: "deployments",
	Pod: "pods",
};

/** Group, version, resource and address of the objects of a kind. */
export function placeOf(object) {
	const [version, group = ""] = object.apiVersion.split("/").reverse();
	const known = endpointOf(object);
	if (known)
		return {
			group,
			version,
			resource: known.plural,
			address: known.collection,
		};
	const resource = OTHERS[object.kind];
	const root = group ? `/apis/${group}` : "/api";
	return {
		group,
		version,
		resource,
		address: `${root}/${version}/namespaces/${object.metadata.namespace}/${resource}`,
	};
}

/** The address of the policies of a kind, or of their bindings. */
export const policiesAt = ({ kind }) =>
	`/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase().replace(/y$/, "ie")}s`;

/** Makes namespaces, and gives those that are there the labels that they lack. */
export async function labelNamespaces(cluster, namespaces) {
	const address = "/api/v1/namespaces";
	for (const [name, labels] of Object.entries(namespaces)) {
		const metadata = { name, labels };
		const made = await cluster.call("POST", address, {
			apiVersion: "v1",
			kind: "Namespace",
			metadata,
		});
		if (made.code !== 409) continue;
		await cluster.call(
			"PATCH",
			`${address}/${name}`,
			{ metadata },
			"application/merge-patch+json",
		);
	}
}

/** Whether the server of a release has the version of the object. */
export function isServed(object, release) {
	const removed = REMOVED[object.apiVersion.split("/")[1]];
	return removed === undefined || Number(release.split(".")[1]) < removed;
}

/** The texts of YAML and JSON files below the folders. */
function files(...folders) {
	const all = folders.flatMap((folder) =>
		readdirSync(folder, { recursive: true }).map((name) =>
			path.join(folder, name),
		),
	);
	return all
		.filter((file) => /\.(ya?ml|json)$/.test(file) && statSync(file).isFile())
		.sort();
}

/** Every document of the manifests that is one object of a kind that the release's server has. */
export function manifests(release) {
	const texts = files(
		path.join(root, "tests/manifests"),
		path.join(root, "tests/hosts/manifests"),
	).flatMap((file) => {
		const documents = readFileSync(file, "utf8").split(/^---.*$/m);
		return documents.map((text, at) => ({
			id: `${path.relative(root, file)}#${at}`,
			text,
		}));
	});
	const read = batch(
		texts.map(({ text }) => ({ verb: "parse", raw: true, text })),
	);
	return texts.flatMap(({ id }, at) => {
		const object = read[at].raw;
		return endpointOf(object) && isServed(object, release)
			? [{ id, op: "create", object }]
			: [];
	});
}

/** The recorded requests of a release that need none but the given gates, as objects. */
export function recordedRequests(release, gates = {}) {
	const newest =
		[release, "1.36.3"]
			.map((name) => lines(`later/${name}.jsonl`))
			.find((found) => found.length > 0) ?? [];
	return newest
		.map((line) => JSON.parse(line))
		.flatMap((line) => {
			const { id, op, object, old, namespaceLabels } = line;
			const same = Object.entries(line.gates ?? {}).every(
				([gate, on]) => (gates[gate] ?? null) === on,
			);
			return same && object && endpointOf(object) && isServed(object, release)
				? [{ id, op, object, old, namespaceLabels }]
				: [];
		});
}
