// A stand-in for an API server, for a real kubectl: version, discovery and lists of the objects of a text, in pages. It answers GET only,
// refuses what it is asked to refuse, and keeps the addresses it was asked for.
//
//   {stored, version, refuse, metrics, next}     from the parent process
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { build, chosen, hasGo } from "../oracle/release.mjs";

const CORE = {
	pods: "Pod",
	nodes: "Node",
	namespaces: "Namespace",
	resourcequotas: "ResourceQuota",
	events: "Event",
};
const DEVICES = {
	resourceslices: "ResourceSlice",
	deviceclasses: "DeviceClass",
	resourceclaims: "ResourceClaim",
	resourceclaimtemplates: "ResourceClaimTemplate",
	devicetaintrules: "DeviceTaintRule",
};
const SCHEDULING = { podgroups: "PodGroup" };
const WORKLOADS = {
	deployments: "Deployment",
	statefulsets: "StatefulSet",
	daemonsets: "DaemonSet",
	jobs: "Job",
	cronjobs: "CronJob",
};
const LIST_SIZE = 500;

const status = (code, reason, message) => ({
	kind: "Status",
	apiVersion: "v1",
	metadata: {},
	status: "Failure",
	message,
	reason,
	code,
});

/**
 * Starts a stand-in on loopback.
 *
 * stored: objects; version: of the server; refuse: kinds in the plural that may not be read, with `/` behind it only in the whole
 * cluster; served: versions of resource.k8s.io; metrics: text; endless: a kind whose list never ends.
 */
export async function serve({
	stored = [],
	version = "v1.37.2",
	refuse = [],
	served = ["v1"],
	metrics,
	endless,
} = {}) {
	const log = [];
	const server = createServer((request, answer) => {
		log.push(`${request.method} ${request.url}`);
		const send = (code, body) => {
			answer.writeHead(code, { "content-type": "application/json" });
			answer.end(JSON.stringify(body));
		};
		const address = new URL(request.url, "http://127.0.0.1");
		if (request.method !== "GET")
			return send(
				405,
				status(405, "MethodNotAllowed", "only GET is answered here"),
			);
		const notFound = () =>
			send(
				404,
				status(
					404,
					"NotFound",
					"the server could not find the requested resource",
				),
			);
		const forbidden = (what) =>
			send(
				403,
				status(
					403,
					"Forbidden",
					`${what} is forbidden: User "somebody" cannot list resource "${what}"`,
				),
			);
		const where = decodeURI(address.pathname);
		if (where === "/version") {
			const [major, minor] = version.slice(1).split(".");
			return send(200, {
				major,
				minor,
				gitVersion: version,
				gitCommit: "x",
				gitTreeState: "clean",
				buildDate: "2026-01-01T00:00:00Z",
				goVersion: "go1.26",
				compiler: "gc",
				platform: "linux/amd64",
			});
		}
		if (where === "/metrics") {
			if (metrics === undefined)
				return send(
					403,
					status(
						403,
						"Forbidden",
						'forbidden: User "somebody" cannot get path "/metrics"',
					),
				);
			answer.writeHead(200, { "content-type": "text/plain" });
			return answer.end(metrics);
		}
		if (where === "/apis/resource.k8s.io") {
			if (served.length === 0) return notFound();
			const versions = served.map((name) => ({
				groupVersion: `resource.k8s.io/${name}`,
				version: name,
			}));
			return send(200, {
				kind: "APIGroup",
				apiVersion: "v1",
				name: "resource.k8s.io",
				versions,
				preferredVersion: versions[0],
			});
		}
		if (where === "/apis/scheduling.k8s.io") {
			const versions = ["v1", "v1beta1"].map((name) => ({
				groupVersion: `scheduling.k8s.io/${name}`,
				version: name,
			}));
			return send(200, {
				kind: "APIGroup",
				apiVersion: "v1",
				name: "scheduling.k8s.io",
				versions,
				preferredVersion: versions[0],
			});
		}
		const [, root, namespace, plural, name] =
			/^(\/api\/v1|\/apis\/resource\.k8s\.io\/\w+|\/apis\/scheduling\.k8s\.io\/v1beta1|\/apis\/(?:apps|batch)\/v1)(?:\/namespaces\/([^/]+)(?=\/))?\/([a-z]+)(?:\/([^/]+))?$/.exec(
				address.pathname,
			) ?? [];
		const kinds =
			root === "/api/v1"
				? CORE
				: root?.includes("scheduling")
					? SCHEDULING
					: root?.includes("resource.k8s.io")
						? DEVICES
						: WORKLOADS;
		const kind = kinds[plural];
		if (!kind || (kinds === DEVICES && !served.includes(root.split("/").pop())))
			return notFound();
		if (
			refuse.includes(plural) ||
			(refuse.includes(`${plural}/`) && !namespace && !name)
		)
			return forbidden(plural);
		const apiVersion = root === "/api/v1" ? "v1" : root.slice("/apis/".length);
		const ours = stored.filter(
			(object) =>
				object.kind === kind &&
				(!namespace ||
					object.metadata.namespace === decodeURIComponent(namespace)),
		);
		if (name) {
			const found = ours.find(
				(object) => object.metadata.name === decodeURIComponent(name),
			);
			return found
				? send(200, { ...found, kind, apiVersion })
				: send(404, status(404, "NotFound", `${plural} "${name}" not found`));
		}
		const limit = Number(address.searchParams.get("limit") ?? LIST_SIZE);
		const from = Number(address.searchParams.get("continue") ?? 0);
		// Typed lists of a real server have no kind in their items.
		const items = ours
			.slice(from, from + limit)
			.map(({ kind: _, apiVersion: __, ...object }) => object);
		const more = endless === plural || from + limit < ours.length;
		send(200, {
			kind: `${kind}List`,
			apiVersion,
			metadata: {
				resourceVersion: "1",
				...(more ? { continue: String(from + limit) } : {}),
			},
			items,
		});
	});
	await new Promise((done) => server.listen(0, "127.0.0.1", done));
	server.unref();
	const { port } = server.address();
	return {
		log,
		port,
		address: `http://127.0.0.1:${port}`,
		stop: () =>
			new Promise((done) => {
				server.closeAllConnections();
				server.close(done);
			}),
	};
}

/** The kubectl to test with: KUBECTL, the one that the oracle builds, or the one on PATH; or nothing. */
export function findKubectl() {
	if (process.env.KUBECTL) return process.env.KUBECTL;
	if (hasGo()) return build(chosen(), ["kubectl"]).kubectl;
	const found = spawnSync("sh", ["-c", "command -v kubectl"], {
		encoding: "utf8",
	});
	return found.status === 0 ? found.stdout.trim() : undefined;
}

/** Writes the file with which kubectl reaches a stand-in; `context` goes over that of the tests. */
export function writeKubeconfig(file, { address }, context = {}) {
	writeFileSync(
		file,
		JSON.stringify({
			apiVersion: "v1",
			kind: "Config",
			"current-context": "test",
			users: [{ name: "u", user: {} }],
			clusters: [{ name: "test", cluster: { server: address } }],
			contexts: [
				{ name: "test", context: { cluster: "test", user: "u", ...context } },
			],
		}),
	);
	return file;
}
