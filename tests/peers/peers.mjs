// npm's peers: js-yaml and ajv, the `yaml` package with positions; and claimkit's npm package. `catch FILE`: what ajv says of each
// mistake. `time FILE`: seconds for each document, of every one of them.
import { readFileSync } from "node:fs";
import { LineCounter, parseAllDocuments, visit } from "yaml";
import { bests } from "./best.mjs";
import { judge } from "./judge.mjs";

const [, , task, file] = process.argv;
const text = readFileSync(file, "utf8");
if (task === "catch") {
	for (const mistake of text.split("#### ").slice(1)) {
		const [title, ...lines] = mistake.split("\n");
		console.log(JSON.stringify({ title, says: judge(lines.join("\n")) }));
	}
} else {
	const { validate } = await import("../../pkg/node.js");
	const documents = text.split("\n---\n").length;
	const tasks = {
		// Reading, every rule of the server, a position for every finding.
		"claimkit (Wasm)": () => validate(text).ok || fail("claimkit"),
		// Reading, shape only, no positions.
		"js-yaml + ajv": () => judge(text) === null || fail(judge(text)),
		// Reading with positions, no judgement.
		"yaml with positions": () => {
			const lineCounter = new LineCounter();
			let places = 0;
			for (const document of parseAllDocuments(text, { lineCounter })) {
				visit(document, (_, node) => {
					if (node?.range) places += lineCounter.linePos(node.range[0]).line;
				});
			}
			return places > 0 || fail("yaml");
		},
	};
	const least = bests(
		Object.values(tasks),
		text.length > 1e6 ? { rounds: 1 } : { rounds: 20, seconds: 0.1 },
	);
	console.log(
		JSON.stringify(
			Object.fromEntries(
				Object.keys(tasks).map((name, index) => [
					name,
					least[index] / documents,
				]),
			),
		),
	);
}

function fail(what) {
	throw new Error(`refused what is good: ${what}`);
}
