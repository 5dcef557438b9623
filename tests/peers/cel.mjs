// CEL in JavaScript: a device selector that all three packages understand, on the same device, with `@marcbachmann/cel-js` and
// `@bufbuild/cel` as their READMEs use them for more than one evaluation. claimkit's `cel` takes devices as JSON and answers about
// all of a call at once: what a device more takes in a call is reading it and evaluating; what it takes with the expression `true`
// is reading alone. Prints seconds by task.
import { celEnv, parse as parseBuf, plan } from "@bufbuild/cel";
import { parse } from "@marcbachmann/cel-js";
import { cel } from "../../pkg/node.js";
import { bests } from "./best.mjs";

const SELECTOR =
	'device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "A100" && device.attributes["gpu.example.com"].memory >= 40';
const COUNT = 1000;

const given = {
	driver: "gpu.example.com",
	attributes: {
		model: { string: "A100" },
		memory: { int: 80 },
		driverVersion: { version: "1.2.3" },
	},
};
const devices = Array.from({ length: COUNT }, () => structuredClone(given));
const device = {
	driver: "gpu.example.com",
	attributes: {
		"gpu.example.com": { model: "A100", memory: 80n, driverVersion: "1.2.3" },
	},
};

const yes = (answer) => {
	if (answer !== true)
		throw new Error(
			`the selector selects the device, but the answer is ${answer}`,
		);
};
const ours = (expression, list) =>
	yes(cel(expression, { devices: list }).results.at(-1).match);
const marcbachmann = parse(SELECTOR);
const environment = celEnv();
const bufbuild = plan(environment, parseBuf(SELECTOR));

const tasks = {
	compile: () => yes(cel(SELECTOR).ok),
	many: () => ours(SELECTOR, devices),
	reading: () => ours("true", devices),
	marcbachmannCompile: () => yes(parse(SELECTOR).check().valid),
	marcbachmann: () => yes(marcbachmann({ device })),
	bufbuildCompile: () =>
		yes(typeof plan(environment, parseBuf(SELECTOR)) === "function"),
	bufbuild: () => yes(bufbuild({ device })),
};
const least = bests(Object.values(tasks), { rounds: 20, seconds: 0.1 });
const seconds = Object.fromEntries(
	Object.keys(tasks).map((name, at) => [name, least[at]]),
);
const {
	compile,
	many,
	reading,
	marcbachmannCompile,
	bufbuildCompile,
	...others
} = seconds;
console.log(
	JSON.stringify({
		compile: {
			claimkit: compile,
			marcbachmann: marcbachmannCompile,
			bufbuild: bufbuildCompile,
		},
		evaluate: { claimkit: (many - reading) / COUNT, ...others },
		read: reading / COUNT,
	}),
);
