// Messages of the scheduler, the API server, the kubelet and drivers, as public reports quote them, and the pages that explain them.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { codePagesOf } from "../build/codepages.ts";
import { engine } from "../build/engine.ts";
import { messagePages, recordedMessages } from "../build/messages.ts";
import { SENTENCES } from "../build/scheduler.ts";
import { sitePages } from "../build/site.ts";
import { MessageIndex } from "../src/state/messages.ts";
import {
	OTHER_TEXTS,
	PUBLIC_MESSAGES,
	SOURCE_MESSAGES,
} from "./publicmessages.ts";

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

const { pages: codes } = codePagesOf(
	fileURLToPath(new URL("../../tests", import.meta.url)),
	await engine(),
);
const index = new MessageIndex(
	messagePages(
		sitePages({
			codes,
			examples: {},
			versions: {},
			readmes: [],
			sentences: SENTENCES,
			funnels: {},
			releases: { en: [], "zh-Hans": [] },
		}),
		more(),
	),
);

/** The names of the pages that a text finds, the nearest first. */
const found = (text: string): string[] =>
	index
		.find(text)
		.map(({ path }) => path.replace(/^(?:codes|scheduler)\/|\.html$/g, ""));

/** Texts whose first page is none of those that explain them. */
const missed = (
	texts: readonly { text: string; pages: readonly string[] }[],
): unknown[] =>
	texts
		.map(({ text, pages }) => ({ text, pages, found: found(text) }))
		.filter(({ pages, found: [first = ""] }) => !pages.includes(first));

const inOneLine = (text: string): string => text.replace(/\s*\n\s*/g, " ");
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** How a message is carried to the one who pastes it. */
const CARRIERS: Record<string, (text: string) => string> = {
	"a log of klog": (text) =>
		`E1128 10:15:02.118211       1 controller.go:412] "Unhandled Error" err="${escaped(inOneLine(text))}" logger="UnhandledError" pod="team-a/train-0"`,
	"the journal of a node": (text) =>
		`Nov 28 10:15:02 node-7 kubelet[2213]: E1128 10:15:02.118211    2213 pod_workers.go:1301] "Error syncing pod, skipping" err="${escaped(inOneLine(text))}" pod="team-a/train-0" podUID="0c8bd8f0-5f3d-4a2b-9d7c-0d8d3d0a6a11"`,
	"a log of JSON": (text) =>
		JSON.stringify({
			ts: 1764324902118.2,
			caller: "app/run.go:91",
			level: "error",
			msg: "Failed",
			pod: { name: "train-0", namespace: "team-a" },
			err: inOneLine(text),
		}),
	"a narrow terminal": (text) =>
		inOneLine(text).replace(/(.{50,70}) /g, "$1\n    "),
	"the events of a pod": (text) =>
		`Events:
  Type     Reason     Age              From               Message
  ----     ------     ----             ----               -------
  Normal   Scheduled  6m               default-scheduler  Successfully assigned team-a/train-0 to node-7
  Warning  Failed     2m (x7 over 6m)  kubelet            ${inOneLine(text)}
  Normal   Pulled     2m               kubelet            Container image "ubuntu:22.04" already present on machine`,
	"a condition": (text) =>
		`- lastTransitionTime: "2026-11-28T10:15:02Z"
  message: '${inOneLine(text).replace(/'/g, "''")}'
  reason: Unschedulable
  status: "False"
  type: PodScheduled`,
};

it("lead to their pages", () => {
	expect(codes.length).toBeGreaterThan(200);
	expect(
		REPORTED.map(([text, ...pages]) => ({ text, pages, found: found(text) }))
			.filter(({ pages, found }) => !pages.some((page) => found.includes(page)))
			.map(({ text, found }) => [text, found]),
	).toEqual([]);
});

it("lead to the right page first: 36 of 40 that people pasted", () => {
	expect(PUBLIC_MESSAGES.length).toBeGreaterThanOrEqual(40);
	const wrong = missed(PUBLIC_MESSAGES);
	expect(
		wrong.length / PUBLIC_MESSAGES.length,
		JSON.stringify(wrong, null, 1),
	).toBeLessThanOrEqual(4 / 40);
});

it("lead to the right page first where only the sources have them", () => {
	expect(missed(SOURCE_MESSAGES)).toEqual([]);
});

it("have pages that exist", () => {
	const pages = new Set([
		...Object.keys(SENTENCES),
		...codes.map(({ code }) => code),
	]);
	expect(
		[...PUBLIC_MESSAGES, ...SOURCE_MESSAGES]
			.flatMap((message) => message.pages)
			.filter((page) => !pages.has(page)),
	).toEqual([]);
});

it.each(Object.entries(CARRIERS))(
	"lead to the right page first in %s",
	(_, carried) => {
		const wordings = Object.entries(SENTENCES).flatMap(
			([page, { message, also = [] }]) =>
				[message, ...also].map((text) => ({
					text: carried(text),
					pages: [page],
				})),
		);
		expect(wordings.length).toBeGreaterThan(100);
		const wrong = missed(wordings);
		expect(
			wrong.length / wordings.length,
			JSON.stringify(wrong, null, 1),
		).toBeLessThanOrEqual(0.02);
		const pasted = missed(
			PUBLIC_MESSAGES.map(({ text, pages }) => ({
				text: carried(text),
				pages,
			})),
		);
		expect(
			pasted.length / PUBLIC_MESSAGES.length,
			JSON.stringify(pasted, null, 1),
		).toBeLessThanOrEqual(4 / 40);
	},
);

it("are not found in texts that are no message of ours", () => {
	expect(OTHER_TEXTS.length).toBeGreaterThanOrEqual(10);
	for (const text of OTHER_TEXTS)
		expect([text, index.find(text)]).toEqual([text, []]);
});

/** A message without what it quotes, the places in lists and numbers: what is said of two codes alike. */
const formOf = (text: string): string =>
	text
		.replace(/"(?:[^"\\]|\\.)*"/g, '""')
		.replace(/\[[^\]]*\]/g, "[]")
		.replace(/\d+/g, "0");

it("are found for what a server said of each code, by the field that it names", async () => {
	const { validate } = await engine();
	const recorded = recordedMessages(
		fileURLToPath(
			new URL("../../tests/vectors/later/1.37.2.jsonl.gz", import.meta.url),
		),
		validate,
	);
	expect(recorded.length).toBeGreaterThan(400);
	const pagesOf = new Map<string, Set<string>>();
	for (const { code, text } of recorded)
		pagesOf.set(
			formOf(text),
			(pagesOf.get(formOf(text)) ?? new Set()).add(code),
		);
	const wrong = recorded
		.map(({ code, text }) => ({ code, text, pages: found(text) }))
		.filter(({ code, text, pages }) => {
			const alike = pagesOf.get(formOf(text)) ?? new Set([code]);
			return !pages.some((page) => alike.has(page));
		});
	expect(wrong).toEqual([]);
	const first = recorded.filter(({ code, text }) => found(text)[0] === code);
	// The others are said of several codes in the same words.
	expect(first.length / recorded.length).toBeGreaterThan(0.9);
	// The field decides between codes for which the server has one text.
	const name = (field: string) =>
		`${field}: Invalid value: "GPU_0": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`;
	expect(found(name("spec.devices[0].name"))[0]).toBe("device-name-invalid");
	expect(found(name("spec.devices.requests[2].name"))[0]).toBe(
		"request-name-invalid",
	);
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
