// Times for preparing nodes and evaluating a selector on them in the npm package, in milliseconds: the best of several.
import { readFileSync } from "node:fs";
import { evaluate, prepareNodes } from "../../pkg/node.js";
import { best } from "./best.mjs";

const [, , nodesFile, selectorFile] = process.argv;
const text = readFileSync(nodesFile, "utf8");
const selector = readFileSync(selectorFile, "utf8");

let nodes;
const prepare = best(() => {
	nodes?.free();
	nodes = prepareNodes(text);
});
const evaluated = 1000 * best(() => evaluate(undefined, { selector, nodes }));
console.log(
	JSON.stringify({
		count: nodes.length,
		bytes: text.length,
		prepare: 1000 * prepare,
		evaluate: evaluated,
	}),
);
