// Random claims beside random devices: what upstream's allocator gives on each node, and what claimkit does. No scheduler runs, so that
// thousands are compared in the time of one pod.
import { batch } from "./claimkit.mjs";
import { ask } from "./record.mjs";
import {
	claimSpec,
	deviceClass,
	devicesOf,
	node,
	often,
	slice,
	text,
} from "./scenarios.mjs";

const STABLE = [
	"AdminAccess",
	"ConsumableCapacity",
	"DeviceBindingAndStatus",
	"DeviceTaints",
	"FractionalCapacityRange",
	"PartitionableDevices",
	"PrioritizedList",
];
/** What the scheduler's plugin switches on in the allocator, by minor release, with the default feature gates. */
const FEATURES = { 37: STABLE, 38: STABLE };
/** Nodes without taints of this many CPUs: only the devices decide. */
const CPU = 64;

/** A random cluster, and the claims of one pod. */
function request(next, release) {
	const nodes = Array.from({ length: 1 + next(2) }, (_, at) =>
		node(next, `n${at}`, CPU),
	).map((one) => ({ ...one, spec: {} }));
	const slices = nodes.map(({ metadata: { name } }) =>
		slice(next, `${name}-gpu`, { nodeName: name }),
	);
	if (often(next, 25)) slices.push(slice(next, "net", { allNodes: true }));
	const claims = Array.from({ length: 1 + next(3) }, (_, at) => ({
		apiVersion: "resource.k8s.io/v1",
		kind: "ResourceClaim",
		metadata: { name: `claim-${at}`, namespace: "default", uid: `claim-${at}` },
		spec: claimSpec(next, 60),
	}));
	return {
		release,
		features: FEATURES[release.split(".")[1]],
		nodes,
		classes: [deviceClass],
		slices,
		claims,
	};
}

/** The pod of the claims, and all other objects, as one text for claimkit. */
function textOf({ nodes, classes, slices, claims }) {
	const resourceClaims = claims.map(({ metadata: { name } }, at) => ({
		name: `c${at}`,
		resourceClaimName: name,
	}));
	const pod = {
		apiVersion: "v1",
		kind: "Pod",
		metadata: { name: "p", namespace: "default" },
		spec: {
			containers: [
				{
					name: "c",
					image: "example.com/app:1",
					resources: { claims: resourceClaims.map(({ name }) => ({ name })) },
				},
			],
			resourceClaims,
		},
	};
	return JSON.stringify({
		apiVersion: "v1",
		kind: "List",
		items: [...nodes, ...classes, ...slices, ...claims, pod],
	});
}

const allocated = (results) =>
	results.map(({ devices }) => devicesOf(devices?.results));

/** Compares the answers to `count` random requests, node by node. */
export function compareAllocations(program, release, next, count) {
	const result = { requests: 0, nodes: 0, allocated: 0, wrong: [] };
	if (!FEATURES[release.split(".")[1]]) {
		console.log(
			`random allocations: the features of ${release} are not known: NOT COMPARED`,
		);
		return result;
	}
	const requests = Array.from({ length: count }, () => request(next, release));
	const theirs = ask(
		program,
		"allocate",
		requests.map((one) => JSON.stringify(one)),
	).map((line) => JSON.parse(line));
	const ours = batch(
		requests.map((one) => ({
			verb: "allocate",
			alone: true,
			release,
			text: textOf(one),
			pod: "default/p",
			options: { relax: false },
		})),
	);
	requests.forEach((one, at) => {
		if (theirs[at].unstable) return;
		result.requests += 1;
		const account = ours[at].pods[0];
		for (const [name, { results, verdict }] of Object.entries(
			theirs[at].answers,
		)) {
			const found = account.nodes.find((node) => node.name === name);
			const want = verdict === "allocated" ? allocated(results) : null;
			const got =
				found?.verdict === "allocated" ? allocated(found.allocations) : null;
			result.nodes += 1;
			result.allocated += want ? 1 : 0;
			if (text(want) !== text(got))
				result.wrong.push({
					id: `node ${name}`,
					want,
					got: `claimkit  ${text(got)} ${found?.message ?? JSON.stringify(account.before)}`,
					object: one,
				});
		}
	});
	return result;
}
