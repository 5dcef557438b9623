// Every change that `allocate` suggests, made in the text, does what was said: the pod gets the devices that are named, on the node.
import assert from "node:assert/strict";
import { test } from "node:test";
import { batch, buildClaimkit } from "../oracle/claimkit.mjs";
import { scenarioAtOnce } from "../oracle/scenarios.mjs";

const RELEASE = "1.37.2";
const WANTED = 300;

/** A text after edits, which are in the order of the text. */
function edited(text, edits) {
	return [...edits]
		.reverse()
		.reduce(
			(text, { range: { start, end }, newText }) =>
				text.slice(0, start.offset) + newText + text.slice(end.offset),
			text,
		);
}

const ask = (texts) =>
	batch(
		texts.map((text) => ({
			verb: "allocate",
			alone: true,
			release: RELEASE,
			text,
		})),
	);

test("300 suggested changes do what they say", () => {
	buildClaimkit();
	const texts = [];
	for (let seed = 1; seed <= 200; seed += 1)
		texts.push(
			JSON.stringify({
				apiVersion: "v1",
				kind: "List",
				items: scenarioAtOnce(seed, RELEASE).objects,
			}),
		);
	const suggestions = ask(texts).flatMap(({ pods }, at) =>
		pods.flatMap(({ pod, claims, nodes }) =>
			nodes.flatMap(({ name, relaxations = [] }) =>
				relaxations.map((change) => ({
					text: texts[at],
					pod,
					claims,
					name,
					change,
				})),
			),
		),
	);
	// A pod alone frees nobody else's claims in these clusters, so each change can be made in the text.
	const sample = suggestions.filter(
		(_, at) => at % Math.ceil(suggestions.length / WANTED) === 0,
	);
	assert.ok(suggestions.length >= WANTED, `${suggestions.length} suggestions`);
	const answers = ask(
		sample.map(({ text, change }) => edited(text, change.edits)),
	);
	const wrong = [];
	for (const [at, { pod, claims, name, change }] of sample.entries()) {
		const names = change.changes.map((one) => JSON.stringify(one));
		if (change.edits.length === 0 || new Set(names).size < names.length)
			wrong.push([at, change.text, "no edit, or a change twice"]);
		const account = answers[at].pods.find(
			(one) =>
				one.pod === pod &&
				(pod !== null || one.claims.join() === claims.join()),
		);
		const node = account?.nodes.find((one) => one.name === name);
		const devices = (node?.allocations ?? []).flatMap(({ devices }) =>
			devices.results.map(({ device }) => device),
		);
		if (
			node?.verdict !== "allocated" ||
			devices.sort().join() !== [...change.gives].sort().join()
		)
			wrong.push([
				at,
				pod,
				name,
				change.text,
				node?.verdict,
				node?.message,
				devices.join(),
				answers[at].error,
			]);
	}
	assert.deepEqual(wrong, []);
});
