// Messages of the scheduler, the API server, the kubelet and drivers, as public reports quote them, and the pages that explain them.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { messagePages } from "../build/messages.ts";
import { SENTENCES } from "../build/scheduler.ts";
import { sitePages } from "../build/site.ts";
import { MessageIndex } from "../src/state/messages.ts";

/** A message, and the names of pages that explain it: one of them is among the three that are shown. */
const REPORTED: readonly (readonly [string, ...string[]])[] = [
	[
		"waiting for resource driver to allocate resource",
		"waiting-for-resource-driver",
	],
	[
		'strict decoding error: unknown field "spec.devices.requests[0].deviceClassName"',
		"unknown-field",
	],
	[
		"spec.resourceClaims[0]: Invalid value: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
		"pod-claim-source",
		"pod-claims-invalid",
	],
	["spec.sharedCounters[0].counters: Required value", "counters-invalid"],
	[
		"number of allocations 1 is smaller than number of claims 2",
		"number-of-allocations-smaller-than-claims",
	],
	[
		"pod gpu-test(5b2) is not allowed to use resource claim gpu-claim(88a)",
		"pod-not-allowed-to-use-claim",
	],
	[
		"some fields were dropped by the apiserver, probably because these features are disabled: DRAConsumableCapacity",
		"fields-dropped-by-apiserver",
	],
	[
		"DRA driver compute-domain.nvidia.com is not registered",
		"dra-driver-not-registered",
	],
	[
		"0/2 nodes are available: request gpu: device class gpu.nvidia.com does not exist. preemption: 0/2 nodes are available",
		"device-class-does-not-exist",
	],
	[
		"NodePrepareResources failed for claim default/gpu: failed to prepare devices",
		"node-prepare-resources-failed",
	],
	[
		"this user running on node 'kind-worker' may not modify cluster resourceslices",
		"may-not-modify-resourceslices",
	],
	[
		'Warning  FailedScheduling  default-scheduler  0/1 nodes are available: pod "default/x": ResourceClaim not created yet',
		"resourceclaim-not-created-yet",
	],
	[
		"CEL runtime error: no such key: memory",
		"selector-no-such-key",
		"selector-fails",
	],
	[
		"invalid resource pools were encountered",
		"resource-pool-invalid",
		"device-twice",
	],
	[
		"0/3 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 cannot allocate all claims.",
		"cannot-allocate-all-claims",
	],
	[
		"0/4 nodes are available: 4 Insufficient nvidia.com/gpu. preemption: 0/4 nodes are available",
		"insufficient-extended-resource",
	],
	[
		'error: resource mapping not found for name: "gpu" namespace: "" from "claim.yaml": no matches for kind "ResourceClaim" in version "resource.k8s.io/v1beta1"',
		"resource-group-not-served",
	],
	[
		"Error: failed to create containerd task: failed to create shim task: CDI device injection failed: unresolvable CDI devices k8s.gpu.nvidia.com/claim=1-gpu-0",
		"cdi-device-unresolvable",
	],
	[
		'ResourceClaim "gpu" is invalid: spec: Invalid value: field is immutable',
		"spec-immutable",
	],
	[
		'error creating claim for pod: resourceclaims.resource.k8s.io "x" is forbidden: exceeded quota: q, requested: count/resourceclaims.resource.k8s.io=1, used: 4, limited: 4',
		"claim-exceeds-quota",
	],
];

const codes = fileURLToPath(new URL("../codes", import.meta.url));

it("lead to their pages", () => {
	expect(readdirSync(codes).length).toBeGreaterThan(200);
	const pages = sitePages({
		codes,
		examples: {},
		versions: {},
		readmes: [],
		sentences: SENTENCES,
		funnels: {},
		releases: { en: [], "zh-Hans": [] },
	});
	const index = new MessageIndex(messagePages(pages, more()));
	const missed = REPORTED.filter(([message, ...wanted]) => {
		const found = index.find(message).map(({ path }) => path);
		return !found.some((path) =>
			wanted.some((name) => path.endsWith(`/${name}.html`)),
		);
	}).map(([message]) => [message, index.find(message)]);
	expect(missed).toEqual([]);
});

it("are not found in texts that are no message of ours", () => {
	const pages = sitePages({
		codes,
		examples: {},
		versions: {},
		readmes: [],
		sentences: SENTENCES,
		funnels: {},
		releases: { en: [], "zh-Hans": [] },
	});
	const index = new MessageIndex(messagePages(pages, more()));
	for (const text of [
		"Back-off restarting failed container",
		"the quick brown fox jumps over the lazy dog",
		"npm ERR! code ENOENT",
	])
		expect([text, index.find(text)]).toEqual([text, []]);
});

/** The messages of the built page, where there is one: they come from the engine. */
function more(): Map<string, Set<string>> {
	try {
		const built = JSON.parse(
			readFileSync(
				fileURLToPath(new URL("../dist/messages.json", import.meta.url)),
				"utf8",
			),
		) as { path: string; messages: string[] }[];
		return new Map(
			built.map(({ path, messages }) => [
				path.replace(/^codes\/|\.html$/g, ""),
				new Set(messages),
			]),
		);
	} catch {
		return new Map();
	}
}
