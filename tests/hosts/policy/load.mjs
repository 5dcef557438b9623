// How long large requests and small ones take in one instance of the waPC module, in time of the processor: what else the machine does
// counts little. Bounds are in ratchet.json. Ordinary requests are also timed one by one and in rounds of a loop on the same engine,
// which says more of the module than of the machine.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Guest } from "./wapc.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const module = new WebAssembly.Module(
	readFileSync(path.resolve(here, "../../../pkg/policy/claimkit.wasm")),
);
const bounds = JSON.parse(
	readFileSync(path.join(here, "ratchet.json"), "utf8"),
);
const DRIVER = "gpu.example.com";
const settings = {
	deviceClasses: { allow: [DRIVER] },
	drivers: { allow: [DRIVER] },
	limits: { maxCount: 8 },
	pods: { templates: { allow: ["gpu-*"] } },
};
const encoder = new TextEncoder();
let failures = 0;

const times = (count, make) =>
	Array.from({ length: count }, (_, at) => make(at));
const metadata = { name: "a", namespace: "team-a", uid: "u" };

function asked(object, old = null) {
	const [version, group = ""] = object.apiVersion.split("/").reverse();
	const request = {
		uid: "1",
		kind: { group, version, kind: object.kind },
		operation: old ? "UPDATE" : "CREATE",
		namespace: object.metadata.namespace,
		userInfo: { username: "jane", groups: ["system:authenticated"] },
		object,
		oldObject: old,
	};
	return encoder.encode(JSON.stringify({ request, settings }));
}

const ofGroup = (kind, spec, more = {}) => ({
	apiVersion: "resource.k8s.io/v1",
	kind,
	metadata: { ...metadata, ...more },
	spec,
});
const ask = (more = {}) => ({ deviceClassName: DRIVER, count: 1, ...more });
const claim = (requests, config) =>
	ofGroup("ResourceClaim", { devices: { requests, config } });
const simple = claim([{ name: "r", exactly: ask() }]);
const selector = (text) => ({
	cel: { expression: `device.driver == "${DRIVER}" && ${text}` },
});
const model = (number) =>
	selector(`device.attributes["${DRIVER}"].model == "a${number}"`.padEnd(90));
/** An expression of 400 bytes that can be true in many ways. */
const manyWays = (number) =>
	times(
		5,
		(at) =>
			`(device.attributes["${DRIVER}"].?a${at}.orValue(${number}) == ${at} ? device.driver.startsWith("gpu${at}") : device.driver.contains("x"))`,
	).join(" || ");
const slice = (count) =>
	ofGroup("ResourceSlice", {
		driver: DRIVER,
		nodeName: "n",
		pool: { name: "n", generation: 1, resourceSliceCount: 1 },
		devices: times(count, (at) => ({
			name: `d${at}`,
			attributes: { model: { string: "a100" }, index: { int: at } },
			capacity: { memory: { value: "40Gi" } },
		})),
	});
const pod = (claims) => ({
	apiVersion: "v1",
	kind: "Pod",
	metadata,
	spec: {
		containers: [{ name: "c", image: "i" }],
		resourceClaims: times(claims, (at) => ({
			name: `c${at}`,
			resourceClaimTemplateName: "gpu-a",
		})),
	},
});
const managed = {
	manager: "x",
	operation: "Update",
	apiVersion: "resource.k8s.io/v1",
	fieldsType: "FieldsV1",
	fieldsV1: { "f:spec": { "f:devices": { "f:requests": {}, "f:config": {} } } },
};
const large = {
	"an annotation of 1 MB": asked(
		ofGroup("ResourceClaim", simple.spec, {
			annotations: { a: "x".repeat(1_000_000) },
		}),
	),
	"managed fields of 1 MB": asked(
		ofGroup("ResourceClaim", simple.spec, {
			managedFields: times(5_000, () => managed),
		}),
	),
	"60,000 opaque parameters": asked(
		claim(simple.spec.devices.requests, [
			{
				opaque: {
					driver: DRIVER,
					parameters: Object.fromEntries(times(60_000, (at) => [`k${at}`, at])),
				},
			},
		]),
	),
	"a slice of 128 devices": asked(slice(128), slice(128)),
	"a slice of 10,000 devices": asked(slice(10_000), slice(10_000)),
	"a claim with 8,192 selectors": asked(
		claim(
			times(32, (request) => ({
				name: `r${request}`,
				firstAvailable: times(8, (at) => ({
					name: `s${at}`,
					...ask({ selectors: times(32, model) }),
				})),
			})),
		),
	),
	"a claim with 1,024 selectors": asked(
		claim(
			times(32, (request) => ({
				name: `r${request}`,
				exactly: ask({ selectors: times(32, model) }),
			})),
		),
	),
	"a claim with 180 selectors to try": asked(
		claim(
			times(30, (request) => ({
				name: `r${request}`,
				exactly: ask({
					selectors: times(6, (at) => ({
						cel: { expression: manyWays(request * 6 + at) },
					})),
				}),
			})),
		),
	),
	"a class with 320 KB of CEL": asked(
		ofGroup("DeviceClass", {
			selectors: times(32, () => selector(`${"true && ".repeat(1_250)}true`)),
		}),
	),
	"a pod with 20,000 claims": asked(pod(20_000)),
};
const small = [
	simple,
	claim([{ name: "r", exactly: ask({ selectors: [model(1)] }) }]),
	slice(4),
	pod(1),
].map((object) => asked(object));

/** Milliseconds of the processor. */
function spent(work) {
	const start = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(start);
	return (user + system) / 1000;
}

function check(what, given, most, unit) {
	const good = given <= most;
	console.log(
		`${good ? "ok" : "NOT OK"}: ${what}: ${given.toFixed(1)} ${unit}, at most ${most}`,
	);
	if (!good) failures++;
}

const guest = new Guest(module);

/** Fails if the module does not judge a request: to refuse to read it is fast. */
function judged(payload) {
	const answer = guest.call("validate", payload);
	if (!answer.startsWith("{") || !("accepted" in JSON.parse(answer)))
		throw new Error(answer.slice(0, 300));
}
for (const payload of [...small, ...Object.values(large)]) judged(payload);
for (const [what, payload] of Object.entries(large)) {
	const best = Math.min(
		...times(5, () => spent(() => guest.call("validate", payload))),
	);
	check(what, best, bounds.largeRequestMs, "ms");
}
// The counter is coarse, so that many requests are counted together.
const ROUND = 100;
const rounds = times(20, () =>
	spent(() =>
		times(ROUND, (at) => guest.call("validate", small[at % small.length])),
	),
);
const median = rounds.sort((one, other) => one - other)[rounds.length >> 1];
check(
	"a small request",
	(median * 1000) / ROUND,
	bounds.smallRequestMicroseconds,
	"µs",
);
/**
 * A loop of multiplications, each of which waits for the one before:
 *   (func (export "spin") (param i32) (result i64) (local i64) (loop
 *     (local.set 1 (i64.add (i64.mul (local.get 1) (i64.const 5)) (i64.const 1)))
 *     (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (local.get 1))
 */
const LOOP = Buffer.from(
	"0061736d0100000001060160017f017e03020100070801047370696e00000a1e011c01017e0340200142057e42017c2101200041016b22000d000b20010b",
	"hex",
);

/** Seconds of one call. */
function seconds(work) {
	const start = process.hrtime.bigint();
	work();
	return Number(process.hrtime.bigint() - start) / 1e9;
}

/** Seconds of a round of the loop: the fastest of some tries, which nothing has interrupted. */
function roundOfLoop() {
	const { spin } = new WebAssembly.Instance(new WebAssembly.Module(LOOP))
		.exports;
	const rounds = 1_000_000;
	return Math.min(...times(20, () => seconds(() => spin(rounds)))) / rounds;
}

/** The payload of a request of the samples. */
function ofSample(file, own) {
	const request = path.resolve(
		here,
		"../../../pkg/policy/samples/requests",
		file,
	);
	return encoder.encode(
		JSON.stringify({
			request: JSON.parse(readFileSync(request, "utf8")),
			settings: own,
		}),
	);
}

const ordinary = {
	"an ordinary claim": ofSample("device-claim.json", {
		deviceClasses: { allow: [DRIVER] },
		adminAccess: { namespaces: ["dra-admin"] },
		limits: { maxCount: 8 },
	}),
	"an ordinary pod": ofSample("pod.json", {
		pods: { templates: { allow: ["tpu-*"] }, maxClaims: 2 },
	}),
};
/**
 * The batches of one request; the fastest counts. The loop is timed with each of them. A request waits for memory more than the loop:
 * one module took 67 to 230 thousand rounds within a minute, and 67 to 167 in the fastest of twelve batches.
 */
const BATCHES = 12;
const IN_BATCH = 400;

for (const [what, payload] of Object.entries(ordinary)) {
	times(500, () => judged(payload));
	const batches = times(BATCHES, () => {
		const round = roundOfLoop();
		const sorted = times(IN_BATCH, () =>
			seconds(() => guest.call("validate", payload)),
		).sort((one, other) => one - other);
		const [middle, slow] = [0.5, 0.99].map(
			(part) => sorted[Math.floor(sorted.length * part)],
		);
		return { middle, slow, rounds: middle / round };
	}).sort((one, other) => one.rounds - other.rounds);
	const [{ middle, slow, rounds }] = batches;
	console.log(
		`${what}: median ${(middle * 1e6).toFixed(1)} µs, p99 ${(slow * 1e6).toFixed(1)} µs; batches of ${batches.map((batch) => Math.round(batch.rounds / 1000)).join(", ")} thousand rounds`,
	);
	check(what, rounds, bounds.ordinaryRequestRounds, "rounds");
}
console.log(failures ? "load: FAILED" : "load: all passed");
process.exit(failures ? 1 : 0);
