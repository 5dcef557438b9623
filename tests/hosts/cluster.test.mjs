// Prepared clusters in the npm package: read once, asked often, the same answers as with the text.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import {
	allocate,
	convert,
	evaluate,
	parse,
	prepareCluster,
	prepareNodes,
	validate,
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

const node = (name) =>
	`apiVersion: v1\nkind: Node\nmetadata: {name: ${name}}\n`;
// JSON to its end, and a text that cannot be read: each costs itself alone.
const files = [
	{
		name: "a.json",
		text: JSON.stringify(parse(node("a"), { raw: true }).raw),
	},
	{ name: "broken.yaml", text: `${node("b")}---\na: [` },
	{ name: "c.yaml", text: new TextEncoder().encode(node("c")) },
	{ name: "d.yaml", text: new Uint8Array([0x23, 0x20, 0xff]) },
];
const classic = (name, more = "") =>
	`apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: ${name}, resourceVersion: "1"}\nspec: {resourceClassName: c${more}}\n`;
const filesWith = (wanted, { findings }) =>
	findings
		.filter(({ code }) => code === wanted)
		.map((finding) => [finding.in, finding.file]);
const broken = (answer) => filesWith("yaml-syntax", answer);

test("several texts are read as files of one cluster", () => {
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
	assert.deepEqual(
		broken(nodes.evaluate([{ name: "claim.yaml", text: classic("c") }])),
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

/** An answer whose findings are in the order of their codes: that a text is not UTF-8 is said first, or last where it was prepared. */
const inOrder = ({ findings, ...answer }) => ({
	...answer,
	findings: findings.toSorted((one, other) => (one.code < other.code ? -1 : 1)),
});

test("options take several texts, too", () => {
	const inCluster = allocate(pod, { cluster: files });
	assert.deepEqual(
		inOrder(inCluster),
		inOrder(prepareCluster(files).allocate(pod)),
	);
	assert.deepEqual(broken(inCluster), [["cluster", "broken.yaml"]]);
	assert.deepEqual(filesWith("not-utf8", inCluster), [["cluster", "d.yaml"]]);
	const onNodes = allocate(`${cluster}---\n${pod}`, { nodes: files });
	assert.deepEqual(broken(onNodes), [["nodes", "broken.yaml"]]);
	assert.deepEqual(
		onNodes.pods[0].nodes.map(({ name }) => name),
		["node-a", "node-b", "a", "b", "c"],
	);
	assert.deepEqual(
		inOrder(evaluate(classic("c"), { nodes: files })),
		inOrder(prepareNodes(files).evaluate(classic("c"))),
	);
	// Nothing is changed, and what the option gets is still checked.
	assert.deepEqual(files[2].text, new TextEncoder().encode(node("c")));
	assert.throws(
		() => allocate(pod, { cluster: [{ name: "a", text: 5 }] }),
		/`text` is 5, expected a string/,
	);
	const list = [{ apiVersion: "v1", kind: "Node", metadata: { name: "x" } }];
	const messages = ({ findings }) => findings.map(({ message }) => message);
	assert.deepEqual(
		messages(allocate(pod, { cluster: list })),
		messages(allocate(pod, { cluster: JSON.stringify(list) })),
	);
});

test("an update compares with stored objects of several texts", () => {
	const old = [
		{ name: "stored/a.yaml", text: classic("a") },
		{ name: "stored/b.yaml", text: new TextEncoder().encode(classic("b")) },
		{ name: "stored/c.yaml", text: "a: [" },
	];
	const changed = [
		{ name: "a.yaml", text: classic("a", ", allocationMode: Immediate") },
		{ name: "b.yaml", text: classic("b") },
	];
	const answer = validate(changed, { operation: "update", old });
	assert.deepEqual(
		answer.objects.map(({ file, valid }) => [file, valid]),
		[
			["a.yaml", false],
			["b.yaml", true],
		],
	);
	assert.deepEqual(
		answer.findings
			.filter(({ severity }) => severity === "error")
			.map(({ file, in: within, code }) => [within, file, code]),
		[
			["old", "stored/c.yaml", "stored-object"],
			["text", "a.yaml", "spec-immutable"],
		],
	);
	const together = ({ text }) =>
		typeof text === "string" ? text : new TextDecoder().decode(text);
	const alone = validate(changed.map(together).join("---\n"), {
		operation: "update",
		old: old.slice(0, 2).map(together).join("---\n"),
	});
	assert.deepEqual(
		alone.findings.map(({ message }) => message),
		answer.findings
			.filter(({ in: within }) => within === "text")
			.map(({ message }) => message),
	);
	assert.throws(
		() => validate("{}", { operation: "patch", patchType: "merge", old: old }),
		/`old` is a list: a patch takes one text, the stored object/,
	);
});

test("several texts are converted, each as a file of its own", () => {
	const of = (version) =>
		`# kept\r\napiVersion: resource.k8s.io/${version}\r\nkind: DeviceClass\r\nmetadata: {name: c}\r\nspec: {}\r\n`;
	const texts = [
		{ name: "new.yaml", text: of("v1") },
		{ name: "old.yaml", text: new TextEncoder().encode(of("v1beta1")) },
		{
			name: "old.json",
			text: '{"apiVersion":"resource.k8s.io/v1beta1",\n"kind":"DeviceClass","metadata":{"name":"d"},"spec":{}}',
		},
		{ name: "broken.yaml", text: "a: [" },
		{
			name: "latin.yaml",
			text: new Uint8Array([
				...new TextEncoder().encode(of("v1beta1")),
				...[0x23, 0x20, 0xe9, 0x0a],
			]),
		},
	];
	const { files: converted, ...answer } = convert(texts, { to: "v1" });
	assert.deepEqual(converted, [
		{ name: "new.yaml", text: of("v1") },
		{ name: "old.yaml", text: of("v1") },
		{ name: "old.json", text: texts[2].text.replace("v1beta1", "v1") },
		{ name: "broken.yaml" },
		{ name: "latin.yaml" },
	]);
	assert.equal(answer.ok, false);
	assert.deepEqual(
		answer.objects.map(({ file, changed }) => [file, changed]),
		[
			["new.yaml", false],
			["old.yaml", true],
			["old.json", true],
			["latin.yaml", true],
		],
	);
	for (const { file } of answer.findings) assert.ok(file);
	for (const name of ["broken.yaml", "latin.yaml"])
		assert.ok(
			answer.findings.some(
				({ file, severity }) => file === name && severity === "error",
			),
			name,
		);
	// The same as one after the other.
	for (const [index, { text }] of texts.entries())
		assert.equal(convert(text, { to: "v1" }).text, converted[index].text);
	for (const empty of [convert([], { to: "v1" }), validate([])])
		assert.deepEqual(
			[empty.ok, empty.findings.map(({ code }) => code)],
			[false, ["nothing-checked"]],
		);
	assert.deepEqual(convert([], { to: "v1" }).files, []);
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
