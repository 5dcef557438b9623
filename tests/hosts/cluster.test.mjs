// Prepared clusters in the npm package: read once, asked often, the same answers as with the text.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import {
	allocate,
	parse,
	prepareCluster,
	prepareNodes,
} from "../../pkg/node.js";
import { here } from "./suite.mjs";

const cluster = readFileSync(path.join(here, "manifests/cluster.yaml"), "utf8");
const pod = readFileSync(path.join(here, "manifests/device-pod.yaml"), "utf8");
const verdicts = ({ pods }) =>
	pods.map((one) => [
		one.pod,
		...one.nodes.map(({ name, verdict }) => `${name} ${verdict}`),
	]);

test("a prepared cluster answers as its text does", () => {
	const prepared = prepareCluster(cluster);
	assert.equal(prepared.length, 9);
	for (const options of [
		{},
		{ nodeNames: ["node-b"] },
		{ whatIf: { free: ["prod/serving"], nodesLike: ["node-b"] } },
		{ options: { relax: false } },
	]) {
		assert.deepEqual(
			allocate(pod, { ...options, cluster: prepared }),
			allocate(pod, { ...options, cluster }),
		);
	}
	assert.deepEqual(verdicts(allocate(pod, { cluster: prepared })), [
		["demo/trial", "node-a none", "node-b allocated"],
	]);
	assert.deepEqual(
		verdicts(allocate("", { cluster: prepared })),
		verdicts(allocate(cluster)),
	);
	assert.deepEqual(
		prepared.allocate(pod),
		allocate(pod, { cluster: prepared }),
	);
	prepared.free();
});

test("a cluster in several files answers as in one", () => {
	const files = cluster
		.split(/^---$/m)
		.map((text, index) => ({ name: `${index}.yaml`, text }));
	assert.ok(files.length > 5);
	const prepared = prepareCluster(files);
	for (const options of [{}, { alone: true }])
		assert.deepEqual(
			prepared.allocate([{ name: "pod.yaml", text: pod }], options).pods,
			allocate([{ name: "pod.yaml", text: pod }], { ...options, cluster }).pods,
		);
	prepared.free();
});

test("several texts are read as files of one cluster", () => {
	const node = (name) =>
		`apiVersion: v1\nkind: Node\nmetadata: {name: ${name}}\n`;
	const files = [
		// JSON to its end, and a text that cannot be read: each costs itself alone.
		{
			name: "a.json",
			text: JSON.stringify(parse(node("a"), { raw: true }).raw),
		},
		{ name: "broken.yaml", text: `${node("b")}---\na: [` },
		{ name: "c.yaml", text: new TextEncoder().encode(node("c")) },
		{ name: "d.yaml", text: new Uint8Array([0x23, 0x20, 0xff]) },
	];
	const broken = ({ findings }) =>
		findings
			.filter(({ code }) => code === "yaml-syntax")
			.map((finding) => [finding.in, finding.file]);

	const read = parse(files);
	assert.deepEqual(
		read.objects.map(({ name, file }) => [name, file]),
		[
			["a", "a.json"],
			["b", "broken.yaml"],
			["c", "c.yaml"],
		],
	);
	assert.deepEqual(broken(read), [["text", "broken.yaml"]]);
	assert.ok(
		read.findings.some(
			({ code, file }) => code === "not-utf8" && file === "d.yaml",
		),
	);

	const prepared = prepareCluster(files);
	assert.equal(prepared.length, 3);
	assert.deepEqual(broken(prepared.allocate(pod)), [
		["cluster", "broken.yaml"],
	]);
	prepared.free();

	const nodes = prepareNodes(files);
	assert.equal(nodes.length, 3);
	const claim =
		"apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {resourceClassName: c}\n";
	assert.deepEqual(
		broken(nodes.evaluate([{ name: "claim.yaml", text: claim }])),
		[["nodes", "broken.yaml"]],
	);
	nodes.free();
	const [about] = parse(files, { labelSelector: "==" }).findings.filter(
		({ code }) => code === "label-selector-invalid",
	);
	assert.deepEqual([about.range, about.file], [undefined, undefined]);
	assert.throws(
		() => parse(files, { raw: true }),
		/`raw` reads one text: give `text`, not `sources`/,
	);
	for (const bad of [[], [{ name: "a" }], [{ text: "a" }]])
		assert.equal(prepareCluster(bad).length, 0);
});

test("a question about a change leaves the cluster as it is", () => {
	const prepared = prepareCluster(cluster);
	const before = allocate("", { cluster: prepared });
	const free = allocate("", {
		cluster: prepared,
		whatIf: { free: ["prod/serving"] },
	});
	assert.deepEqual(verdicts(free), [
		["demo/pod0", "node-a allocated", "node-b none"],
	]);
	assert.deepEqual(free.assumed, [
		"ResourceClaim prod/serving holds no devices",
	]);
	assert.deepEqual(allocate("", { cluster: prepared }), before);
	assert.equal(before.assumed, undefined);
	prepared.free();
});

test("bytes and objects are clusters too; what cannot be used is named", () => {
	const list = {
		apiVersion: "v1",
		kind: "List",
		items: [{ apiVersion: "v1", kind: "Node", metadata: { name: "x" } }],
	};
	for (const given of [
		list,
		JSON.stringify(list),
		new TextEncoder().encode(JSON.stringify(list)),
	]) {
		assert.equal(prepareCluster(given).length, 1);
	}
	for (const bad of [undefined, null, 7, () => {}])
		assert.throws(() => prepareCluster(bad), TypeError);
	assert.throws(
		() => prepareCluster(list, { gates: {} }),
		/unknown option `gates`/,
	);
	assert.throws(
		() => prepareCluster(list, { release: "1.99" }),
		/unknown release `1.99`/,
	);
	assert.throws(
		() => allocate(pod, { cluster: prepareNodes("") }),
		/`cluster` is a PreparedNodes or a PreparedCluster, or a copy of one/,
	);
	assert.throws(
		() =>
			allocate(pod, {
				cluster: prepareCluster(cluster, { release: "1.35" }),
				release: "1.36",
			}),
		/`cluster` was read for Kubernetes 1.35.10, not for 1.36.6/,
	);
	assert.throws(
		() => allocate(pod, { cluster, whatIf: { free: ["prod/nope"] } }),
		/`whatIf`: `free`: there is no ResourceClaim `prod\/nope`/,
	);
});

test("a text given as an object has no places", () => {
	const claim = {
		apiVersion: "resource.k8s.io/v1",
		kind: "ResourceClaim",
		metadata: { name: "c", namespace: "demo" },
		spec: {
			devices: {
				requests: [
					{
						name: "r",
						exactly: { deviceClassName: "gpu.example.com", count: 3 },
					},
				],
			},
		},
	};
	const answer = allocate(claim, { cluster });
	assert.equal(answer.pods[0].nodes[0].verdict, "none");
	assert.ok(
		answer.pods[0].nodes.some(({ relaxations }) => relaxations.length > 0),
	);
	assert.doesNotMatch(JSON.stringify(answer.pods), /"range"/);
	assert.ok(
		answer.pods.every(({ nodes }) =>
			nodes.every(({ relaxations }) =>
				relaxations.every(({ edits }) => edits.length === 0),
			),
		),
	);
});
