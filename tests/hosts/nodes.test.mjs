// Prepared nodes in the npm package: read once, evaluated often, the same answers as with the text.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { evaluate, prepareNodes } from "../../pkg/node.js";
import { here } from "./suite.mjs";

const nodes = readFileSync(path.join(here, "manifests/nodes.yaml"), "utf8");
const manifest = readFileSync(path.join(here, "manifests/good.yaml"), "utf8");

test("prepared nodes answer as their text does", () => {
	const prepared = prepareNodes(nodes);
	assert.equal(prepared.length, 3);
	for (const options of [
		{},
		{ release: "1.27" },
		{ detail: "summary" },
		{ explain: ["node-b"], detail: "summary" },
	]) {
		assert.deepEqual(
			evaluate(manifest, { ...options, nodes: prepared }),
			evaluate(manifest, { ...options, nodes }),
		);
	}
	const selector =
		"nodeSelectorTerms: [{matchExpressions: [{key: gpu.example.com/model, operator: Exists}]}]";
	const answer = evaluate(undefined, { selector, nodes: prepared });
	assert.deepEqual(answer, evaluate(undefined, { selector, nodes }));
	assert.deepEqual(
		answer.objects[0].placement.nodes.map((node) => node.verdict),
		["Yes", "Yes", "No"],
	);
	prepared.free();
});

test("bytes, objects and null are nodes too", () => {
	const selector =
		"nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [x]}]}]";
	const node = { apiVersion: "v1", kind: "Node", metadata: { name: "x" } };
	for (const given of [
		node,
		JSON.stringify(node),
		new TextEncoder().encode(JSON.stringify(node)),
	]) {
		const { objects } = evaluate(undefined, {
			selector,
			nodes: prepareNodes(given),
		});
		assert.equal(objects[0].placement.nodes[0].verdict, "Yes");
	}
	assert.equal(
		evaluate(undefined, { selector, nodes: prepareNodes(null) }).objects[0]
			.placement.nodes[0].verdict,
		"No",
	);
	for (const bad of [undefined, 7, () => {}])
		assert.throws(() => prepareNodes(bad), TypeError);
	assert.throws(
		() => prepareNodes(node, { unknown: 1 }),
		/unknown option `unknown`/,
	);
});

test("a manifest given as an object has no places", () => {
	const claim = {
		apiVersion: "resource.k8s.io/v1alpha2",
		kind: "ResourceClass",
		metadata: { name: "c" },
		driverName: "d",
		suitableNodes: {
			nodeSelectorTerms: [
				{ matchExpressions: [{ key: "nope", operator: "Exists" }] },
			],
		},
	};
	const answer = evaluate(claim, { nodes: prepareNodes(nodes) });
	assert.equal(answer.objects[0].placement.nodes[0].verdict, "No");
	assert.doesNotMatch(JSON.stringify(answer), /"range"/);
});
