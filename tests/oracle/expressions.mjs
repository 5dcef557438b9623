// Random device selectors, asked of the code of Kubernetes and of claimkit: errors, types, costs, and the answer for each device.
import { readFileSync } from "node:fs";
import { batch } from "./claimkit.mjs";
import { ask, DEVICES, find, lines } from "./record.mjs";

/** How many devices each expression is asked about. */
const ASKED = 4;
/** The gates that concern expressions: one is on, and the other allows lists as attributes. */
const CAPACITY = "DRAConsumableCapacity";
const LISTS = "DRAListTypeAttributes";
/** How often an expression is asked about again whose answer differs. */
const AGAIN = 30;
/** Longer expressions are not grown. */
const LONG = 400;

const pick = (next, list) => list[next(list.length)];

const JOINED = [
	(a, b) => `(${a}) && (${b})`,
	(a, b) => `(${a}) || (${b})`,
	(a, b) => `(${a}) ? (${b}) : !(${a})`,
	(a, b) => `[${a}, ${b}].exists(x, x)`,
	(a, b) => `[${a}, ${b}].filter(x, x).size() > 0`,
	(a, b) => `(${a}) == (${b})`,
];

/** Parts of expressions, each with others that may stand in its place. */
const SWAPPED = [
	["==", "!="],
	["<", "<=", ">", ">="],
	["&&", "||"],
	["+", "-", "*"],
	[".all(", ".exists(", ".exists_one(", ".filter("],
	["isLessThan", "isGreaterThan", "compareTo"],
	["contains", "startsWith", "endsWith", "matches"],
	["true", "false"],
	["size()", "min()", "max()", "sum()"],
	["'a'", "''", "'gpu.example.com'", "'é'"],
	["1", "0", "-1", "9223372036854775807", "1.5"],
	["device.driver", "device.attributes", "device.capacity", "device"],
];

/** An expression made of recorded ones. */
function changed(next, pool) {
	const text = pick(next, pool);
	if (next(3) === 0 && text.length < LONG)
		return pick(next, JOINED)(text, pick(next, pool.slice(next(pool.length))));
	const fitting = SWAPPED.flatMap((group) =>
		group.filter((part) => text.includes(part)).map((part) => [part, group]),
	);
	if (fitting.length === 0) return `!(${text})`;
	const [part, group] = pick(next, fitting);
	const places = text.split(part).length - 1;
	const at = next(places);
	return text
		.split(part)
		.reduce(
			(sum, rest, place) =>
				sum + (place - 1 === at ? pick(next, group) : part) + rest,
		);
}

/** Requests about random expressions, as lines of the recorder. */
function requests(next, release, names, count) {
	const recorded = lines(`cel/dra-${release}.jsonl`).map((line) =>
		JSON.parse(line),
	);
	const pool = recorded
		.filter(({ compileError, derived }) => !compileError && !derived)
		.map(({ expr }) => expr);
	if (pool.length === 0) return [];
	return Array.from({ length: count }, (_, at) => {
		const results = Object.fromEntries(
			Array.from({ length: ASKED }, () => [pick(next, names), {}]),
		);
		return {
			id: `random expression ${at}`,
			release,
			expr: changed(next, pool),
			env: pick(next, ["new", "stored"]),
			gates: pick(next, [[CAPACITY], [CAPACITY, LISTS]]),
			results,
		};
	});
}

const asked = ({ release, expr, env, gates, results }, devices) => ({
	verb: "cel",
	release,
	expression: expr,
	stored: env === "stored",
	gates: { [LISTS]: gates.includes(LISTS) },
	devices: Object.keys(results).map((name) => devices[name]),
});

/** What is compared of upstream's answer; a cost that differs from run to run is left out, and so is a device whose answer does. */
function theirs({ compileError, type, maxCost, results = {} }, names) {
	if (compileError !== undefined) return { error: compileError };
	const told = (name) => {
		const { match, error, cost, costVaries, varies } = results[name];
		return varies
			? { varies }
			: { match, error, cost: costVaries ? undefined : cost };
	};
	return { type, cost: maxCost, results: names.map(told) };
}

/** What is compared of claimkit's answer, beside upstream's. */
function ours({ compile, results }, want) {
	if (!compile.ok) return { error: compile.error };
	const told = ({ match, error, cost }, at) => {
		const one = want.results?.[at];
		return one?.varies
			? one
			: {
					match,
					error,
					cost: one && one.cost === undefined ? undefined : cost,
				};
	};
	return { type: compile.type, cost: compile.cost, results: results.map(told) };
}

/** False for a value with an empty list, which no server stores, or with a number that JavaScript cannot hold. */
function isUsable(value) {
	if (Array.isArray(value) && value.length === 0) return false;
	if (typeof value === "number")
		return !Number.isInteger(value) || Number.isSafeInteger(value);
	return (
		value === null ||
		typeof value !== "object" ||
		Object.values(value).every(isUsable)
	);
}

/** Asks about `count` random expressions. */
export function compareExpressions(program, release, next, count) {
	const files = DEVICES.map(find).filter(Boolean);
	const devices = Object.assign(
		{},
		...files.map((file) => JSON.parse(readFileSync(file, "utf8"))),
	);
	const all = requests(
		next,
		release,
		// Every slice names a driver; without one, attributes of 1.38 are in no domain.
		Object.keys(devices).filter(
			(name) => devices[name].driver && isUsable(devices[name]),
		),
		count,
	);
	const result = { expressions: all.length, compiled: 0, wrong: [] };
	if (all.length === 0) {
		console.log(
			`random expressions: no recorded ones of ${release}: NOT COMPARED`,
		);
		return result;
	}
	const replies = ask(
		program,
		"cel",
		all.map((one) => JSON.stringify(one)),
		files,
	).map((line) => JSON.parse(line));
	const answers = batch(all.map((one) => asked(one, devices)));
	/** What was wanted and what claimkit gives, if they differ. */
	const difference = (request, answer, reply) => {
		const want = theirs(reply, Object.keys(request.results));
		const got = ours(answer, want);
		return JSON.stringify(want) === JSON.stringify(got)
			? undefined
			: { want, got };
	};
	all.forEach((request, at) => {
		const reply = replies[at];
		if (reply.panic !== undefined || reply.internal) return;
		if (reply.compileError === undefined) result.compiled += 1;
		const found = difference(request, answers[at], reply);
		if (!found) return;
		// The order of Go's maps can change an answer: another run may give claimkit's.
		const again = ask(
			program,
			"cel",
			Array(AGAIN).fill(JSON.stringify(request)),
			files,
		);
		if (
			again.some((line) => !difference(request, answers[at], JSON.parse(line)))
		)
			return;
		result.wrong.push({
			id: request.id,
			mode: request.env,
			op: "cel",
			object: { expression: request.expr, devices: request.results },
			...found,
		});
	});
	return result;
}
