// A real control plane and claimkit, asked the same: manifests over HTTP and through kubectl, patches, random objects, and pods.
//
//   node test-cluster.mjs            everything
//   node test-cluster.mjs sample     what `make test` asks
//   node test-cluster.mjs search     random requests until something differs, or for MINUTES
import { compareAllocations } from "./allocations.mjs";
import { buildClaimkit, supports } from "./claimkit.mjs";
import { start } from "./cluster.mjs";
import { compareExpressions } from "./expressions.mjs";
import { manifests, recordedRequests } from "./fixtures.mjs";
import { donorsOf, mutated, random } from "./generate.mjs";
import { compareKubectl } from "./kubectl.mjs";
import { mixedScenarios } from "./mixed.mjs";
import { comparePatches } from "./patches.mjs";
import { empty, play } from "./pods.mjs";
import { comparePolicies } from "./policies.mjs";
import { lines } from "./record.mjs";
import { chosen, hasGo, recorder } from "./release.mjs";
import { judgeWhole, scenario, scenarioAtOnce, watcher } from "./scenarios.mjs";
import { compareSuggestions } from "./suggestions.mjs";
import { compareUpgrade } from "./upgrade.mjs";
import { compareValidating, recordValidating } from "./validating.mjs";
import { compare, MODES, prepareNamespaces, shown } from "./validation.mjs";
import { compareWhy } from "./why.mjs";

/**
 * How much is asked: requests, random objects, patches, random expressions and allocations, recorded scenarios (every nth), random scenarios
 * one by one, at once, and with volumes, gangs, quotas and conditions, first suggestions of random clusters, and objects of earlier
 * releases (every nth).
 */
const AMOUNTS = {
	all: {
		every: 1,
		kubectl: 1500,
		objects: 2000,
		patches: 1000,
		expressions: 30_000,
		allocations: 5000,
		scenarios: 2,
		clusters: 40,
		atOnce: 300,
		mixed: 300,
		suggestions: 40,
		upgrades: 2,
	},
	sample: {
		every: 2,
		kubectl: 500,
		objects: 300,
		patches: 200,
		expressions: 1500,
		allocations: 200,
		scenarios: 20,
		clusters: 4,
		atOnce: 6,
		mixed: 3,
		suggestions: 2,
		upgrades: 40,
	},
};
const SHOWN = 10;
/** Random clusters in a round of the search, which take most of its time. */
const SEARCHED = 3;

let failed = 0;

/** Prints what a part compared, and its first differences. */
function report(name, { wrong, ...numbers }, print = shown) {
	failed += wrong.length;
	console.log(
		`${name}: ${JSON.stringify({ ...numbers, wrong: wrong.length })}`,
	);
	const most = Number(process.env.CLAIMKIT_SHOW ?? SHOWN);
	for (const one of wrong.slice(0, most)) console.log(print(one));
	return wrong;
}

/** Random objects: fixtures with a few changes. */
function randomObjects(next, base, donors, count) {
	const creates = base.filter(({ op }) => op === "create");
	return Array.from({ length: count }, () => {
		const { id, namespaceLabels, object } = creates[next(creates.length)];
		return {
			id: `random change of ${id}`,
			op: "create",
			namespaceLabels,
			object: mutated(next, object, donors),
		};
	});
}

const sortedText = (value) =>
	JSON.stringify(value, (_, part) =>
		part && typeof part === "object" && !Array.isArray(part)
			? Object.fromEntries(
					Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)),
				)
			: part,
	);

/** A recorded answer without events, which are written late and merged. */
function withoutEvents({ pods, claims }) {
	return {
		pods: Object.fromEntries(
			Object.entries(pods).map(([name, { events, ...rest }]) => [name, rest]),
		),
		claims,
	};
}

/** Plays recorded scenarios again: whether the recordings, to which claimkit is held, are what the real scheduler does. */
async function recordedScenarios(cluster, every) {
	const all = lines(`cluster/many-pods-${cluster.release}.jsonl`)
		.map((line) => JSON.parse(line))
		.filter(({ gates }) => gates === "");
	const result = { scenarios: 0, wrong: [] };
	if (all.length === 0)
		console.log(
			`recorded scenarios of many pods: none of ${cluster.release}: NOT COMPARED`,
		);
	for (const recorded of all.filter((_, at) => at % every === 0)) {
		const answers = [recorded.answers, ...(recorded.variants ?? [])].map(
			(one) => sortedText(withoutEvents(one)),
		);
		let got = sortedText(await play(cluster, recorded));
		if (!answers.includes(got)) got = sortedText(await play(cluster, recorded)); // times of retries differ from run to run
		result.scenarios += 1;
		if (!answers.includes(got))
			result.wrong.push({
				id: recorded.id,
				mode: "many pods",
				op: "play",
				object: null,
				want: JSON.parse(got),
				got: JSON.parse(answers[0]),
			});
	}
	return result;
}

/** Plays random scenarios; each decision on a pod with devices is compared with `allocate` on the cluster as it was before. */
export async function randomScenarios(cluster, seeds) {
	const result = { scenarios: 0, decisions: 0, raced: 0, wrong: [] };
	for (const seed of seeds) {
		const watched = watcher(cluster.release);
		await play(cluster, scenario(seed, cluster.release), watched.watch);
		const { decisions, raced, wrong } = watched.judge();
		result.scenarios += 1;
		result.raced += raced;
		result.decisions += decisions;
		for (const { pod, why, decision, objects } of wrong)
			result.wrong.push({
				id: `seed ${seed}, pod ${pod}`,
				mode: "pods",
				op: "allocate",
				object: objects,
				want: decision,
				got: why,
			});
	}
	return result;
}

/** Plays random scenarios whose pods all wait when the scheduler starts; its outcome is compared with one answer of `allocate`. */
export async function wholeScenarios(cluster, seeds) {
	const result = {
		scenarios: 0,
		pods: 0,
		certain: 0,
		certainScenarios: 0,
		raced: 0,
		varied: 0,
		wrong: [],
	};
	const once = async (seed) => {
		let before;
		const answers = await play(
			cluster,
			scenarioAtOnce(seed, cluster.release),
			(objects) => (before = objects),
		);
		return judgeWhole(cluster.release, before, answers);
	};
	for (const seed of seeds) {
		const { pods, certain, raced, wrong: first } = await once(seed);
		// A different result of the next run is chance on the scheduler's side.
		const again = first.length > 0 ? await once(seed) : { wrong: [] };
		const wrong = first.filter(({ pod }) =>
			again.wrong.some((one) => one.pod === pod),
		);
		result.scenarios += 1;
		result.raced += raced;
		result.varied += first.length - wrong.length;
		result.pods += pods;
		result.certain += certain;
		if (certain === pods && !raced) result.certainScenarios += 1;
		for (const { pod, why, decision, objects } of wrong)
			result.wrong.push({
				id: `seed ${seed} at once, pod ${pod}`,
				mode: "pods",
				op: "allocate",
				object: objects,
				want: decision,
				got: why,
			});
	}
	return result;
}

const shownDecision = ({ id, want, got }) =>
	`${id}\n  scheduler ${JSON.stringify(want)}\n  ${got}`;

const shownVerdict = ({ id, want, got }) =>
	`${id}\n  claimkit ${JSON.stringify(want)}\n  server   ${JSON.stringify(got)}`;

async function runParts(
	cluster,
	{
		every,
		kubectl,
		objects,
		patches,
		expressions,
		allocations,
		scenarios,
		clusters,
		atOnce,
		mixed,
		suggestions,
		upgrades,
	},
) {
	const base = [
		...manifests(cluster.release),
		...recordedRequests(cluster.release).filter((_, at) => at % every === 0),
	];
	const donors = donorsOf(base.map(({ object }) => object));
	report("manifests and recorded requests, HTTP", await compare(cluster, base));
	report(
		"random objects, HTTP",
		await compare(cluster, randomObjects(random(1), base, donors, objects)),
	);
	const creates = base.filter(({ op }) => op === "create").slice(0, kubectl);
	await prepareNamespaces(cluster, creates);
	report("manifests, kubectl", compareKubectl(cluster, creates));
	report(
		"patches",
		await comparePatches(cluster, base, random(2), donors, patches),
	);
	report(
		"random expressions",
		compareExpressions(
			recorder(cluster.release),
			cluster.release,
			random(3),
			expressions,
		),
	);
	report(
		"random allocations",
		compareAllocations(
			recorder(cluster.release),
			cluster.release,
			random(4),
			allocations,
		),
		shownDecision,
	);
	report(
		"recorded scenarios of many pods",
		await recordedScenarios(cluster, scenarios),
	);
	const seeds = Array.from({ length: clusters }, (_, at) => at + 1);
	report(
		"random scenarios of many pods",
		await randomScenarios(cluster, seeds),
		shownDecision,
	);
	report(
		"random scenarios of many pods, at once",
		await wholeScenarios(
			cluster,
			Array.from({ length: atOnce }, (_, at) => at + 1001),
		),
		shownDecision,
	);
	report(
		"random scenarios with volumes, gangs, quotas and conditions",
		await mixedScenarios(
			cluster,
			Array.from({ length: mixed }, (_, at) => at + 1),
		),
		shownDecision,
	);
	report("why, kubectl", await compareWhy(cluster), shownDecision);
	report(
		"suggestions, done with kubectl",
		await compareSuggestions(cluster, suggestions),
		shownDecision,
	);
	report("upgrade", await compareUpgrade(cluster, upgrades), shownVerdict);
	report(
		"settings as ValidatingAdmissionPolicies",
		await comparePolicies(cluster),
		shownVerdict,
	);
	report(
		"ValidatingAdmissionPolicies of others",
		compareValidating(await recordValidating(cluster)),
		shownVerdict,
	);
}

/** Removes parts of an object as long as the two answers still differ. */
async function minimal(cluster, { object, namespaceLabels, mode }) {
	const differs = async (candidate) => {
		const { wrong } = await compare(cluster, [
			{
				id: "minimal",
				op: "create",
				namespaceLabels,
				object: candidate,
				modes: [mode],
			},
		]);
		return wrong.length > 0;
	};
	let smallest = object;
	for (let shrunk = true; shrunk; ) {
		shrunk = false;
		for (const candidate of smaller(smallest)) {
			if (!(await differs(candidate))) continue;
			smallest = candidate;
			shrunk = true;
			break;
		}
	}
	return smallest;
}

/** Every copy of an object that lacks one field or item. */
function* smaller(object, path = []) {
	const at = path.reduce((value, key) => value[key], object);
	if (at === null || typeof at !== "object") return;
	for (const key of Object.keys(at)) {
		if (path.length === 0 && ["apiVersion", "kind"].includes(key)) continue;
		const copy = structuredClone(object);
		const holder = path.reduce((value, step) => value[step], copy);
		Array.isArray(holder) ? holder.splice(Number(key), 1) : delete holder[key];
		yield copy;
		yield* smaller(object, [...path, key]);
	}
}

/** Random objects, patches, expressions, allocations and clusters until something differs. */
async function search(cluster, minutes) {
	const base = [
		...manifests(cluster.release),
		...recordedRequests(cluster.release),
	];
	const donors = donorsOf(base.map(({ object }) => object));
	const end = Date.now() + minutes * 60_000;
	for (
		let round = Number(process.env.SEED ?? Date.now() % 1_000_000);
		Date.now() < end;
		round += 1
	) {
		console.log(`==> oracle-search: SEED=${round}`);
		const next = random(round);
		// One mode each: most differences are found in all of them.
		const objects = randomObjects(next, base, donors, 600).map((request) => ({
			...request,
			modes: [MODES[next(MODES.length)]],
		}));
		const [object] = report(
			"random objects",
			await compare(cluster, objects),
			() => "",
		);
		if (object) {
			if (object.op === "create")
				object.object = await minimal(cluster, object);
			const { wrong } = await compare(cluster, [
				{ ...object, id: "minimal", modes: [object.mode] },
			]);
			return console.log(
				`${shown(wrong[0] ?? object)}\n${JSON.stringify(object.object)}`,
			);
		}
		const [patch] = report(
			"random patches",
			await comparePatches(cluster, base, next, donors, 150),
		);
		if (patch)
			return console.log(
				JSON.stringify({ type: patch.op, patch: patch.object, old: patch.old }),
			);
		const [expression] = report(
			"random expressions",
			compareExpressions(
				recorder(cluster.release),
				cluster.release,
				next,
				1500,
			),
		);
		if (expression) return;
		const [allocation] = report(
			"random allocations",
			compareAllocations(recorder(cluster.release), cluster.release, next, 400),
			shownDecision,
		);
		if (allocation) return console.log(JSON.stringify(allocation.object));
		const [decision] = report(
			"random clusters",
			await randomScenarios(
				cluster,
				Array.from({ length: SEARCHED }, (_, at) => round * SEARCHED + at),
			),
			shownDecision,
		);
		if (decision) return console.log(JSON.stringify(decision.object));
		// What the last scenario left would refuse objects of its names.
		await empty(cluster);
	}
}

if (process.argv[1] === import.meta.filename) {
	const what = process.argv[2] ?? "all";
	if (!hasGo()) {
		console.log(
			"test-cluster: no Go here: no real etcd, kube-apiserver, kube-scheduler and kubectl was built and asked: NOT COMPARED",
		);
		process.exit(0);
	}
	const release = chosen();
	buildClaimkit();
	if (!supports(release)) {
		console.log(
			`test-cluster: claimkit does not know Kubernetes ${release}: NOT COMPARED`,
		);
		process.exit(0);
	}
	const began = Date.now();
	const cluster = await start({ release });
	try {
		console.log(
			`==> test-cluster: Kubernetes ${release} on loopback after ${((Date.now() - began) / 1000).toFixed(1)} s`,
		);
		if (what === "search")
			await search(cluster, Number(process.env.MINUTES ?? 10));
		else await runParts(cluster, AMOUNTS[what]);
	} finally {
		await cluster.stop();
	}
	if (failed > 0) {
		console.error(`test-cluster: ${failed} answers differ`);
		process.exitCode = 1;
	}
}
