// `why` and `--live` with a real kubectl against a stand-in for an API server, native and under npx alike. The kubectl is the one that the
// oracle builds, or KUBECTL, or the one on PATH.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { until } from "../until.mjs";
import { findKubectl, serve, writeKubeconfig } from "./api.mjs";
import { commands, here, UPDATE } from "./suite.mjs";

const kubectl = findKubectl();
const skip = kubectl === undefined;
if (skip)
	console.log(
		"live: neither kubectl nor Go to build it: what `why` makes of a cluster is NOT COMPARED",
	);

const scratch = mkdtempSync(path.join(tmpdir(), "claimkit-live-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
// A folder with kubectl and claimkit under the names by which people call them.
const bin = path.join(scratch, "bin");
mkdirSync(bin);
if (!skip) symlinkSync(kubectl, path.join(bin, "kubectl"));
symlinkSync(commands[0][1], path.join(bin, "kubectl-claimkit"));

/** The objects of YAML files, as kubectl reads them. */
function objects(...files) {
	return files.flatMap((file) => {
		const text = readFileSync(
			path.join(here, "manifests", file),
			"utf8",
		).replace(/^#.*\n/gm, "");
		return text.split(/^---$/m).map((document) =>
			JSON.parse(
				spawnSync(commands[0][1], ["parse", "--raw", "-"], {
					input: document,
					encoding: "utf8",
				}).stdout,
			),
		);
	});
}

/** The newest patch of every minor release that claimkit knows. */
const last = JSON.parse(
	spawnSync(commands[0][1], ["releases", "--output", "json"], {
		encoding: "utf8",
	}).stdout,
).map(({ lastPatch }) => lastPatch);

/** Runs a command line against a stand-in without blocking it; the context has the namespace `demo`. */
async function ask(
	api,
	[, program, first],
	args,
	{ env = {}, measure = false, config = {} } = {},
) {
	const kubeconfig = writeKubeconfig(
		path.join(scratch, `config-${api.port}`),
		api,
		{ namespace: "demo", ...config },
	);
	const words = measure
		? ["-f", "%M", "-o", path.join(scratch, "peak"), program]
		: [];
	const child = spawn(
		measure ? "/usr/bin/time" : program,
		[...words, ...first, ...args],
		{
			cwd: here,
			stdio: ["ignore", "pipe", "pipe"],
			env: {
				...process.env,
				HOME: scratch,
				KUBECONFIG: kubeconfig,
				PATH: `${bin}:${process.env.PATH}`,
				...env,
			},
		},
	);
	let [stdout, stderr] = ["", ""];
	child.stdout.on("data", (part) => (stdout += part));
	child.stderr.on("data", (part) => (stderr += part));
	const exit = await new Promise((done) => child.on("close", done));
	return { stdout, stderr, exit };
}

/** Runs a command line that goes on, and waits for what it says. */
function watch(api, [, program, first], args) {
	const kubeconfig = writeKubeconfig(
		path.join(scratch, `config-${api.port}`),
		api,
		{ namespace: "demo" },
	);
	const child = spawn(program, [...first, ...args], {
		cwd: here,
		stdio: ["ignore", "pipe", "pipe"],
		env: {
			...process.env,
			HOME: scratch,
			KUBECONFIG: kubeconfig,
			PATH: `${bin}:${process.env.PATH}`,
		},
	});
	let [stdout, stderr] = ["", ""];
	child.stdout.on("data", (part) => (stdout += part));
	child.stderr.on("data", (part) => (stderr += part));
	const ended = new Promise((done) => child.on("close", done));
	const said = async (pattern) => {
		const missed = () => `${pattern}: ${stdout}${stderr}`;
		await until(
			missed,
			() => {
				if (pattern.test(stdout)) return true;
				assert.equal(child.exitCode, null, missed());
			},
			60,
		);
		return stdout;
	};
	return { said, ended, stdout: () => stdout, stderr: () => stderr };
}

const gated = 'kubernetes_feature_enabled{name="DRAAdminAccess",stage=""} 1\n';
const says =
	"0/2 nodes are available: 2 cannot allocate all claims. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";

/** What cluster.yaml and device-pod.yaml hold, with the scheduler's message in the pods that wait. */
function stored() {
	const all = objects("cluster.yaml", "device-pod.yaml");
	// The scheduler takes older pods first: `pod0` is the oldest.
	for (const [at, object] of all
		.filter(({ kind }) => kind === "Pod")
		.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
		.entries()) {
		object.metadata.creationTimestamp = `2026-11-01T08:00:0${at}Z`;
		object.metadata.labels = { app: object.metadata.name };
		object.status = {
			phase: "Pending",
			conditions: [
				{
					type: "PodScheduled",
					status: "False",
					reason: "Unschedulable",
					message: says,
				},
			],
		};
	}
	return [
		...all,
		{
			apiVersion: "v1",
			kind: "Namespace",
			metadata: {
				name: "demo",
				labels: { "resource.kubernetes.io/admin-access": "true" },
			},
		},
	];
}

/** A cluster with one node of two devices, one of them held, a node without any, and a pod that waits; `change` alters the objects. */
function small(change = () => {}) {
	const message =
		"0/2 nodes are available: 2 cannot allocate all claims. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
	const node = (name) => ({
		apiVersion: "v1",
		kind: "Node",
		metadata: { name, labels: { "kubernetes.io/hostname": name } },
		spec: {},
		status: { allocatable: { cpu: "8", memory: "8Gi", pods: "10" } },
	});
	const claim = (name, request, status) => ({
		apiVersion: "resource.k8s.io/v1",
		kind: "ResourceClaim",
		metadata: { name, namespace: "demo", uid: `u-${name}` },
		spec: {
			devices: {
				requests: [
					{
						name: "gpu",
						exactly: {
							deviceClassName: "gpu",
							allocationMode: "ExactCount",
							count: 1,
							...request,
						},
					},
				],
			},
		},
		status,
	});
	const pod = (name, spec, status) => ({
		apiVersion: "v1",
		kind: "Pod",
		metadata: { name, namespace: "demo", uid: `u-${name}` },
		spec: {
			containers: [
				{ name: "c", image: "x", resources: { claims: [{ name: "gpu" }] } },
			],
			resourceClaims: [{ name: "gpu", resourceClaimName: name }],
			...spec,
		},
		status,
	});
	const all = {
		a: node("a"),
		b: node("b"),
		class: {
			apiVersion: "resource.k8s.io/v1",
			kind: "DeviceClass",
			metadata: { name: "gpu" },
			spec: {
				selectors: [
					{ cel: { expression: 'device.driver == "gpu.example.com"' } },
				],
			},
		},
		slice: {
			apiVersion: "resource.k8s.io/v1",
			kind: "ResourceSlice",
			metadata: { name: "a-gpu" },
			spec: {
				driver: "gpu.example.com",
				nodeName: "a",
				pool: { name: "a", generation: 1, resourceSliceCount: 1 },
				devices: ["gpu-0", "gpu-1"].map((name, at) => ({
					name,
					attributes: { model: { string: at === 0 ? "a100" : "l4" } },
				})),
			},
		},
		held: claim(
			"serving",
			{},
			{
				allocation: {
					devices: {
						results: [
							{
								request: "gpu",
								driver: "gpu.example.com",
								pool: "a",
								device: "gpu-0",
							},
						],
					},
				},
				reservedFor: [{ resource: "pods", name: "serving", uid: "u-serving" }],
			},
		),
		holder: pod("serving", { nodeName: "a" }, { phase: "Running" }),
		wanted: claim("train", {
			selectors: [
				{
					cel: {
						expression: 'device.attributes["gpu.example.com"].model == "a100"',
					},
				},
			],
		}),
		waits: pod(
			"train",
			{},
			{
				phase: "Pending",
				conditions: [
					{
						type: "PodScheduled",
						status: "False",
						reason: "Unschedulable",
						message,
					},
				],
			},
		),
	};
	change(all);
	return Object.values(all).filter(Boolean);
}

/** The cases of small clusters, each with what its answer must name. */
const SMALL = {
	// The three that kubectl-why-pending tells apart, see tests/peers/WHY.md.
	"class-missing": [
		(all) =>
			(all.wanted.spec.devices.requests[0].exactly.deviceClassName = "gpuu"),
		/no DeviceClass `gpuu`; did you mean `gpu`\?/,
	],
	"no-slices": [
		(all) => (all.slice = all.held = all.holder = undefined),
		/In the cluster:\n {2}there is no ResourceSlice: no driver publishes devices\n/,
	],
	"devices-held": [
		() => {},
		/gpu-0: held by demo\/serving \(for serving\)\n[\s\S]*writing `"l4"` instead of `"a100"` in selector 0 of request gpu: gives gpu-1\s+on a\b/,
	],
	// Another plugin refuses the node that has the devices.
	tainted: [
		(all) => {
			all.held = all.holder = undefined;
			all.a.spec.taints = [
				{ key: "dedicated", value: "ml", effect: "NoSchedule" },
			];
		},
		/What helps:\n {2}tolerating the taint dedicated=ml:NoSchedule: gives the pod its devices on a\b/,
	],
	// No change of devices helps where the pod does not want the node.
	"other-zone": [
		(all) => (all.waits.spec.nodeSelector = { zone: "z" }),
		/changing the pod's node selector or affinity and writing `"l4"` instead of `"a100"`\s+in\s+selector\s+0/,
	],
};

/** Compares with the recorded text; `CLAIMKIT_UPDATE=1` records. */
function recorded(name, text) {
	const file = path.join(here, "live", `${name}.txt`);
	if (UPDATE) writeFileSync(file, text);
	assert.equal(text, readFileSync(file, "utf8"), name);
}

const shown = (words, { stdout, stderr, exit }) =>
	`$ kubectl claimkit ${words.join(" ")}\n${stdout}--- stderr\n${stderr}--- exit ${exit}\n`;

for (const command of commands) {
	const [name] = command;

	// What is seen of the cluster and what is read from its snapshot are the same, and nothing that containers run leaves it.
	test(`${name}: a snapshot answers as the cluster does`, {
		skip,
	}, async () => {
		const secret = { env: [{ name: "TOKEN", value: "hunter2" }] };
		const objects = stored().map((object) => ({
			...object,
			metadata: { ...object.metadata, managedFields: [{ manager: "hunter2" }] },
			spec: object.spec?.containers
				? {
						...object.spec,
						containers: object.spec.containers.map((container) => ({
							...container,
							...secret,
						})),
					}
				: object.spec,
		}));
		const api = await serve({ stored: objects, metrics: gated });
		const snapshot = await ask(api, command, ["snapshot"]);
		assert.equal(snapshot.exit, 0, snapshot.stderr);
		assert.doesNotMatch(snapshot.stdout, /hunter2/);
		const { items } = JSON.parse(snapshot.stdout);
		assert.deepEqual(
			items.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort(),
			objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort(),
		);
		const file = path.join(scratch, `${name}-snapshot.json`);
		writeFileSync(file, snapshot.stdout);
		const gates = ["--gates", "DRAAdminAccess=true", "--release", "1.37.2"];
		const json = async (...words) =>
			JSON.parse((await ask(api, command, [...words, "-o", "json"])).stdout);
		assert.deepEqual(
			(await json("why", "-f", file, ...gates)).pods,
			(await json("why", "-A")).pods,
		);
		const audited = await json("audit", "--live");
		const read = await json("audit", file, ...gates);
		assert.deepEqual(read.usage, audited.usage);
		// A file may hold the pods of some namespaces only, and the answer says so.
		const told = ({ findings }) =>
			findings
				.filter(({ code }) => code !== "objects-absent")
				.map(({ code, message }) => [code, message]);
		assert.deepEqual(told(read), told(audited));
		// With other names, in the same order, the answers have the same shape.
		const redacted = await ask(api, command, ["snapshot", "--redact"]);
		assert.equal(redacted.exit, 0, redacted.stderr);
		const names = objects
			.filter(({ kind }) => ["Pod", "Node", "ResourceClaim"].includes(kind))
			.map(({ metadata }) => `"${metadata.name}"`);
		for (const found of [...names, '"demo"', "hunter2"])
			assert.ok(!redacted.stdout.includes(found), found);
		writeFileSync(file, redacted.stdout);
		const verdicts = ({ pods }) =>
			pods.map(({ verdict, account }) => [
				verdict,
				account?.nodes.map(({ verdict }) => verdict),
			]);
		assert.deepEqual(
			verdicts(await json("why", "-f", file, ...gates)),
			verdicts(await json("why", "-A")),
		);
		assert.deepEqual(
			api.log.filter((line) => !line.startsWith("GET ")),
			[],
		);
		await api.stop();
	});

	test(`${name}: a pod whose devices cannot be prepared is explained`, {
		skip,
	}, async () => {
		const objects = small((all) => {
			all.holder.status.phase = "Pending";
			all.event = {
				apiVersion: "v1",
				kind: "Event",
				metadata: { name: "serving.1", namespace: "demo" },
				reason: "FailedPrepareDynamicResources",
				lastTimestamp: "2026-11-01T08:00:00Z",
				involvedObject: { kind: "Pod", namespace: "demo", name: "serving" },
				message:
					"Failed to prepare dynamic resources: prepare dynamic resources: DRA driver gpu.example.com is not registered",
			};
		});
		const api = await serve({ stored: objects, metrics: gated });
		const told = await ask(api, command, ["why", "serving"]);
		assert.match(
			told.stdout.replace(/\n\s+/g, " "),
			/demo\/serving has a node: a\. It does not start: kubelet cannot prepare its devices \(said last at 2026-11-01T08:00:00Z\): DRA driver gpu\.example\.com is not registered\./,
		);
		// Of pods that wait kubelet says nothing: no event is asked for.
		const before = api.log.length;
		await ask(api, command, ["why", "train"]);
		assert.ok(
			!api.log.slice(before).some((line) => /FailedPrepare/.test(line)),
		);
		await api.stop();
	});

	test(`${name}: a pod is watched until it runs`, { skip }, async () => {
		const objects = small();
		const find = (name, kind) =>
			objects.find(
				(object) => object.kind === kind && object.metadata.name === name,
			);
		const api = await serve({ stored: objects, metrics: gated });
		const asked = watch(api, command, ["why", "train", "-w=1", "--require"]);
		const first = await asked.said(/gpu-0: held by demo\/serving/);
		assert.match(
			first,
			/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ:\ndemo\/train waits: /,
		);
		// Nothing is said again of what did not change.
		const rounds = () =>
			api.log.filter((line) => line.startsWith("GET /api/v1/pods?")).length;
		const before = rounds();
		await until("two more rounds", () => rounds() >= before + 2);
		assert.equal(asked.stdout(), first);
		// Whoever may not be asked for a while is asked again, and discovery and metrics are read once.
		delete find("serving", "ResourceClaim").status;
		find("serving", "Pod").status.phase = "Succeeded";
		await asked.said(/Z:\ndemo\/train waits, although a can take it\.\n/);
		const pod = find("train", "Pod");
		pod.spec.nodeName = "a";
		await asked.said(/Z:\ndemo\/train has a node: a\.\n/);
		pod.status = { phase: "Running" };
		assert.equal(await asked.ended, 0, asked.stderr());
		for (const address of ["/metrics", "/version"])
			assert.equal(
				api.log.filter((line) => line.startsWith(`GET ${address}`)).length,
				1,
				address,
			);
		await api.stop();
	});

	test(`${name}: all pods that wait are watched`, { skip }, async () => {
		const objects = small();
		const api = await serve({ stored: objects, metrics: gated });
		const asked = watch(api, command, ["why", "--watch=1", "--require"]);
		await asked.said(/demo\/train waits: /);
		objects.splice(
			objects.findIndex(({ metadata }) => metadata.name === "train"),
			2,
		);
		assert.equal(await asked.ended, 0, asked.stderr());
		assert.match(
			asked.stdout(),
			/\n\n\S+Z:\ndemo\/train is not there any more\.\nNo pod waits in namespace demo\.\n$/,
		);
		await api.stop();
	});

	test(`${name}: a pod that waits is explained`, { skip }, async () => {
		const api = await serve({ stored: stored(), metrics: gated });
		for (const [file, words] of [
			["why-trial", ["why", "trial"]],
			["why-pod0", ["why", "pod/pod0", "-n", "demo"]],
			["why-several", ["why", "trial", "pod/pod0"]],
			["why-labels", ["why", "-l", "app in (pod0, nobody)"]],
			["why-labels-none", ["why", "-A", "--selector", "app=nobody"]],
			["why-owner-and-pod", ["why", "deployment/nobody", "pod0"]],
			["why-two-namespaces", ["why", "demo/pod0", "prod/pod0"]],
			["why-all", ["why", "-A"]],
			["why-require", ["why", "pod0", "--require"]],
			["why-what-if", ["why", "pod0", "--what-if", "free=prod/serving"]],
			["why-none", ["why", "-n", "prod"]],
			["why-no-pod", ["why", "nobody"]],
		]) {
			recorded(file, shown(words, await ask(api, command, words)));
		}
		const { stdout } = await ask(api, command, [
			"why",
			"pod0",
			"--output",
			"json",
		]);
		const json = JSON.parse(stdout);
		assert.deepEqual(
			[
				json.server,
				json.release,
				json.unseen,
				json.pods[0].verdict,
				json.pods[0].scheduler,
			],
			["v1.37.2", "1.37.2", [], "refused", says],
		);
		await api.stop();
		assert.deepEqual(
			api.log.filter((line) => !line.startsWith("GET ")),
			[],
		);
	});

	test(`${name}: what helps makes the pod run, and says where something else refuses it`, {
		skip,
	}, async () => {
		for (const [file, [change, names]] of Object.entries(SMALL)) {
			const api = await serve({ stored: small(change), metrics: gated });
			const answer = await ask(api, command, ["why", "train"]);
			const { helps } = JSON.parse(
				(await ask(api, command, ["why", "train", "-o", "json"])).stdout,
			).pods[0];
			await api.stop();
			recorded(file, shown(["why", "train"], answer));
			assert.match(answer.stdout, names, file);
			// A command that does not fit into the line has one of its own, without brackets.
			const plain = (text) => text.replaceAll(/[\s()]+/g, " ");
			for (const text of helps)
				assert.ok(
					plain(answer.stdout).includes(plain(text).trimEnd()),
					`${file}: ${text}`,
				);
		}
	});

	test(`${name}: a kind that may not be read costs no other`, {
		skip,
	}, async () => {
		for (const plural of [
			"pods",
			"nodes",
			"resourceslices",
			"deviceclasses",
			"resourceclaims",
			"resourceclaimtemplates",
			"devicetaintrules",
			"namespaces",
		]) {
			const api = await serve({
				stored: stored(),
				refuse: [plural],
				metrics: gated,
			});
			const { stdout, stderr, exit } = await ask(api, command, ["why", "pod0"]);
			await api.stop();
			assert.match(
				stderr,
				new RegExp(
					`^claimkit: ${plural} could not be seen \\(${plural} is forbidden: .*\\): .+$`,
					"m",
				),
			);
			if (plural === "pods") {
				assert.equal(exit, 2);
				assert.match(
					stderr,
					/^claimkit: without pods there is nothing to explain$/m,
				);
			} else {
				assert.equal(exit, 0, stderr);
				assert.match(
					stdout.replaceAll(/\s+/g, " "),
					new RegExp(
						`for ${plural} could not be seen|could not be seen: ${plural}\\.`,
					),
				);
			}
		}
		const all = [
			"pods",
			"nodes",
			"resourceslices",
			"deviceclasses",
			"resourceclaims",
			"resourceclaimtemplates",
			"devicetaintrules",
			"namespaces",
		];
		const api = await serve({ stored: stored(), refuse: all });
		const { stdout, stderr, exit } = await ask(api, command, ["why", "pod0"]);
		await api.stop();
		assert.deepEqual([stdout, exit], ["", 2]);
		assert.match(
			stderr,
			/^claimkit: nothing of the cluster was seen: pods is forbidden: .*; nor were nodes, .*, namespaces$/m,
		);
	});

	test(`${name}: a pod of a group is judged with its group`, {
		skip,
	}, async () => {
		const ganged =
			'kubernetes_feature_enabled{name="GenericWorkload",stage="ALPHA"} 1\n';
		const grouped = (all) => {
			all.held = all.holder = undefined;
			all.waits.spec.schedulingGroup = { podGroupName: "gang" };
			all.group = {
				apiVersion: "scheduling.k8s.io/v1beta1",
				kind: "PodGroup",
				metadata: { name: "gang", namespace: "demo", uid: "u-gang" },
				spec: { schedulingPolicy: { gang: { minCount: 2 } } },
			};
		};
		const api = await serve({ stored: small(grouped), metrics: ganged });
		recorded(
			"group",
			shown(["why", "train"], await ask(api, command, ["why", "train"])),
		);
		await api.stop();
		// Of the versions that are served, the first one that has the kind.
		assert.deepEqual(
			api.log
				.filter((line) => line.includes("scheduling"))
				.map((line) => line.split("?")[0]),
			[
				"GET /apis/scheduling.k8s.io",
				"GET /apis/scheduling.k8s.io/v1/podgroups",
				"GET /apis/scheduling.k8s.io/v1beta1/podgroups",
			],
		);
		const blind = await serve({
			stored: small(grouped),
			refuse: ["podgroups"],
			metrics: ganged,
		});
		const { stdout, stderr } = await ask(blind, command, ["why", "train"]);
		await blind.stop();
		assert.match(
			stderr,
			/^claimkit: podgroups could not be seen \(.*\): pods of a group count as waiting for it$/m,
		);
		assert.match(
			stdout,
			/^demo\/train waits\. It is not known why, for podgroups could not be seen\.$/m,
		);
		const without = await serve({ stored: small(), metrics: ganged });
		await ask(without, command, ["why", "train"]);
		await without.stop();
		assert.deepEqual(
			without.log.filter((line) => line.includes("scheduling")),
			[],
		);
	});

	test(`${name}: what may be there is not said to be missing`, {
		skip,
	}, async () => {
		for (const [file, refuse] of [
			["class-missing", "deviceclasses"],
			["no-slices", "resourceslices"],
			["devices-held", "resourceclaims"],
		]) {
			const api = await serve({
				stored: small(SMALL[file][0]),
				refuse: [refuse],
				metrics: gated,
			});
			const { stdout, exit } = await ask(api, command, ["why", "train"]);
			const [pod] = JSON.parse(
				(await ask(api, command, ["why", "train", "-o", "json"])).stdout,
			).pods;
			assert.equal(
				(await ask(api, command, ["why", "train", "--require"])).exit,
				1,
			);
			await api.stop();
			assert.deepEqual(
				[exit, pod.verdict, pod.helps],
				[0, "unknown", []],
				file,
			);
			assert.match(
				stdout,
				new RegExp(
					`^demo/train waits\\. It is not known why, for ${refuse} could not be seen\\.$`,
					"m",
				),
			);
			assert.doesNotMatch(
				stdout,
				/There is no|does not exist|→|What helps|In the cluster/,
				file,
			);
		}
	});

	test(`${name}: where only the namespace may be read, it is`, {
		skip,
	}, async () => {
		const api = await serve({
			stored: stored(),
			refuse: [
				"pods/",
				"resourceclaims/",
				"resourceclaimtemplates/",
				"namespaces/",
			],
			metrics: gated,
		});
		const { stdout, stderr, exit } = await ask(api, command, ["why", "pod0"]);
		await api.stop();
		assert.equal(exit, 0, stderr);
		assert.match(
			stderr,
			/resourceclaims of other namespaces could not be seen .*: devices that claims of other namespaces hold count as free/,
		);
		assert.match(stdout, /although node-a, node-b could each take it/);
	});

	test(`${name}: the server's version decides, and a newer one is said`, {
		skip,
	}, async () => {
		for (const [version, release, note] of [
			["v1.34.2", "1.34.2"],
			["v1.34.2-gke.1", "1.34.2"],
			[
				"v1.99.0",
				last.findLast((release) => !release.includes("-")),
				/newer than what is known here/,
			],
			[
				"v1.35.99",
				last.find((release) => release.startsWith("1.35.")),
				/answered as Kubernetes 1\.35\.\d+/,
			],
		]) {
			const api = await serve({ stored: stored(), version, metrics: "" });
			const { stdout, stderr } = await ask(api, command, [
				"why",
				"pod0",
				"-o",
				"json",
			]);
			await api.stop();
			assert.equal(JSON.parse(stdout).release, release);
			if (note) assert.match(stderr, note);
			else assert.equal(stderr, "");
		}
	});

	test(`${name}: gates are read where they may be`, { skip }, async () => {
		const api = await serve({
			stored: stored(),
			version: "v1.35.0",
			metrics:
				'kubernetes_feature_enabled{name="DRAAdminAccess",stage="BETA"} 0\n',
		});
		const { stdout, stderr } = await ask(api, command, [
			"why",
			"pod0",
			"-o",
			"json",
		]);
		assert.deepEqual(JSON.parse(stdout).gates, { DRAAdminAccess: false });
		assert.match(
			stderr,
			/DRAAdminAccess=false; kube-scheduler's cannot be read/,
		);
		const given = await ask(api, command, [
			"why",
			"pod0",
			"-o",
			"json",
			"--gates",
			"DRAPrioritizedList=false",
		]);
		assert.deepEqual(JSON.parse(given.stdout).gates, {
			DRAPrioritizedList: false,
		});
		await api.stop();
	});

	test(`${name}: ten thousand pods are read in pages`, {
		skip: skip || !existsSync("/usr/bin/time"),
	}, async () => {
		const pad = "x".repeat(5500);
		const many = Array.from({ length: 10_000 }, (_, at) => ({
			kind: "Pod",
			apiVersion: "v1",
			metadata: {
				name: `p-${at}`,
				namespace: "other",
				uid: `u-${at}`,
				annotations: { pad },
			},
			spec: {
				nodeName: at % 2 ? "node-a" : "node-b",
				containers: [{ name: "c", image: "x" }],
			},
			status: { phase: "Running" },
		}));
		const api = await serve({ stored: [...stored(), ...many], metrics: gated });
		const began = Date.now();
		const { stdout, stderr, exit } = await ask(api, command, ["why", "pod0"], {
			measure: true,
		});
		const took = Date.now() - began;
		await api.stop();
		assert.equal(exit, 0, stderr);
		assert.match(stdout, /demo\/pod0 waits: none of 2 nodes/);
		const peak =
			Number(readFileSync(path.join(scratch, "peak"), "utf8")) / 1024;
		console.log(
			`live: ${name}: 10,000 pods: ${peak.toFixed(0)} MB, ${(took / 1000).toFixed(1)} s`,
		);
		assert.ok(peak < 400, `${peak} MB`);
		assert.equal(api.log.filter((line) => line.includes("/pods?")).length, 21);
	});

	test(`${name}: a list that never ends is cut, with the reason`, {
		skip,
	}, async () => {
		const api = await serve({
			stored: stored(),
			endless: "deviceclasses",
			metrics: gated,
		});
		const { stderr, exit } = await ask(api, command, ["why", "pod0"]);
		await api.stop();
		assert.equal(exit, 0, stderr);
		assert.match(
			stderr,
			/the rest of deviceclasses could not be seen \(the list goes on without objects\)/,
		);
	});

	test(`${name}: hostile names reach kubectl as one argument, and the server as one segment`, {
		skip,
	}, async () => {
		const api = await serve({ stored: stored(), metrics: gated });
		for (const words of [
			["why", "../../secrets", "-n", "demo"],
			["why", "x", "-n", "../kube-system/secrets?x=$(id)"],
			["why", "x", "--context=--server=http://127.0.0.1:1"],
			["why", "--as", "a; touch /tmp/claimkit-hostile", "pod0"],
			["why", "pod0\u001b[2J"],
		]) {
			const { stdout, stderr } = await ask(api, command, words);
			assert.doesNotMatch(stdout + stderr, /\x1b/);
		}
		await api.stop();
		assert.ok(!existsSync("/tmp/claimkit-hostile"));
		assert.deepEqual(
			api.log.filter(
				(line) => /secrets/.test(decodeURI(line)) && !/%2F/.test(line),
			),
			[],
		);
		assert.deepEqual(
			api.log.filter((line) => !line.startsWith("GET ")),
			[],
		);
	});

	test(`${name}: who cannot be asked is said`, { skip }, async () => {
		const gone = { address: "http://127.0.0.1:1", port: 1 };
		const refused = await ask(gone, command, ["why"]);
		assert.deepEqual([refused.stdout, refused.exit], ["", 2]);
		assert.match(
			refused.stderr,
			/^claimkit: kubectl: The connection to the server 127\.0\.0\.1:1 was refused/,
		);
		const absent = await ask(
			gone,
			[
				name,
				...(name === "npx" ? [process.execPath] : [command[1]]),
				command[2],
			],
			["why"],
			{ env: { PATH: "/nowhere" } },
		);
		assert.deepEqual(absent, {
			stdout: "",
			stderr: "claimkit: kubectl: it is not on PATH\n",
			exit: 2,
		});
	});

	test(`${name}: validate takes release, versions and namespace labels from the cluster`, {
		skip,
	}, async () => {
		const api = await serve({
			stored: stored(),
			version: "v1.34.2",
			served: ["v1"],
			metrics: "",
		});
		const json = async (words) =>
			JSON.parse(
				(
					await ask(api, command, [
						"validate",
						"--live",
						"-o",
						"json",
						...words,
					])
				).stdout,
			).files[0].answer;
		const old = path.join(scratch, "old.yaml");
		writeFileSync(
			old,
			"apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n",
		);
		const answer = await json(["-f", old]);
		assert.equal(answer.objects[0].release, "1.34.2");
		assert.equal(
			answer.findings[0].message,
			'resource mapping not found for name: "gpu" namespace: "": no matches for kind "DeviceClass" in version "resource.k8s.io/v1beta1"\nensure CRDs are installed first',
		);
		const admin = path.join(scratch, "admin.yaml");
		const claim = (namespace) =>
			`apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c${namespace && `, namespace: ${namespace}`}}\nspec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu, adminAccess: true}}]}}\n`;
		const refusal =
			"admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace";
		writeFileSync(admin, claim(""));
		assert.deepEqual(
			(await json(["-f", admin])).findings.filter(
				({ severity }) => severity === "error",
			),
			[],
		);
		const other = [{ kind: "Namespace", metadata: { name: "plain" } }];
		const api2 = await serve({
			stored: [...stored(), ...other],
			version: "v1.34.2",
			metrics: "",
		});
		writeFileSync(admin, claim("plain"));
		const { stdout } = await ask(api2, command, [
			"validate",
			"--live",
			"-o",
			"json",
			"-f",
			admin,
		]);
		assert.ok(
			JSON.parse(stdout).files[0].answer.findings.some(({ message }) =>
				message.includes(refusal),
			),
			stdout,
		);
		await api.stop();
		await api2.stop();
		const without = await ask(
			{ address: "http://127.0.0.1:1", port: 2 },
			command,
			["validate", "--context", "x", "-f", admin],
		);
		assert.deepEqual(
			[without.stderr, without.exit],
			["claimkit: `--context` goes with `--live`\n", 2],
		);
	});
}

/** A cluster with contradictions: a claim that holds a device nobody publishes, for a pod that is gone. */
function broken() {
	const results = (device) => [
		{ request: "r", driver: "gpu.example.com", pool: "node-a", device },
	];
	const claim = (name, device, pod) => ({
		apiVersion: "resource.k8s.io/v1",
		kind: "ResourceClaim",
		metadata: {
			name,
			namespace: "team",
			uid: `u-${name}`,
			managedFields: [{ manager: "x".repeat(200) }],
		},
		spec: {
			devices: {
				requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }],
			},
		},
		status: {
			allocation: { devices: { results: results(device) } },
			reservedFor: [{ resource: "pods", name: pod, uid: `u-${pod}` }],
		},
	});
	return [
		{
			apiVersion: "v1",
			kind: "Node",
			metadata: {
				name: "node-a",
				labels: { "kubernetes.io/hostname": "node-a" },
			},
			status: { images: [{ names: ["x"] }] },
		},
		{
			apiVersion: "v1",
			kind: "Pod",
			metadata: { name: "here", namespace: "team", uid: "u-here" },
			spec: {
				nodeName: "node-a",
				resourceClaims: [{ name: "c", resourceClaimName: "good" }],
				containers: [
					{ name: "c", image: "x", env: [{ name: "A", value: "b" }] },
				],
			},
			status: { phase: "Running" },
		},
		{
			apiVersion: "resource.k8s.io/v1",
			kind: "DeviceClass",
			metadata: { name: "gpu" },
			spec: {},
		},
		{
			apiVersion: "resource.k8s.io/v1",
			kind: "ResourceSlice",
			metadata: { name: "s" },
			spec: {
				driver: "gpu.example.com",
				nodeName: "node-a",
				pool: { name: "node-a", generation: 1, resourceSliceCount: 1 },
				devices: [{ name: "gpu-0" }, { name: "gpu-1" }],
			},
		},
		claim("good", "gpu-0", "here"),
		claim("stale", "gpu-7", "gone"),
	];
}

for (const command of commands) {
	const [name] = command;

	test(`${name}: audit reads the cluster as it is`, { skip }, async () => {
		const api = await serve({ stored: broken(), metrics: gated });
		const words = ["audit", "--live"];
		const text = await ask(api, command, words);
		recorded("audit", shown(words, text));
		assert.equal(text.exit, 0);
		assert.equal(
			(await ask(api, command, [...words, "--warnings-as-errors"])).exit,
			1,
		);
		const { stdout, exit } = await ask(api, command, [...words, "-o", "json"]);
		const json = JSON.parse(stdout);
		assert.deepEqual(
			[
				json.verb,
				json.ok,
				json.server,
				json.release,
				json.unseen,
				json.objects,
				exit,
			],
			["audit", true, "v1.37.2", "1.37.2", [], 6, 0],
		);
		assert.deepEqual(
			[json.usage.pools[0].devices.total, json.usage.pools[0].devices.free],
			[2, 1],
		);
		assert.deepEqual(json.findings[0].object, {
			kind: "ResourceClaim",
			namespace: "team",
			name: "stale",
		});
		// kubectl's own output of the same objects gives the same findings.
		const dump = path.join(scratch, `dump-${api.port}.json`);
		writeFileSync(
			dump,
			JSON.stringify({ apiVersion: "v1", kind: "List", items: broken() }),
		);
		const files = JSON.parse(
			(await ask(api, command, ["audit", "-o", "json", dump])).stdout,
		);
		assert.deepEqual(
			json.findings.map(({ message }) => message),
			files.findings.map(({ message }) => message),
		);
		assert.ok(json.findings.length >= 2, stdout);
		assert.deepEqual(json.usage, files.usage);
		const ignored = await ask(api, command, [
			...words,
			...json.findings.flatMap(({ code }) => ["--ignore", code]),
			"--warnings-as-errors",
			"--by",
			"pool",
			"-q",
		]);
		assert.deepEqual(
			[ignored.exit, /^driver /m.test(ignored.stdout)],
			[0, false],
		);
		await api.stop();
		assert.deepEqual(
			api.log.filter((line) => !line.startsWith("GET ")),
			[],
		);
		assert.ok(
			api.log.every((line) => !/namespaces/.test(line)),
			api.log.join("\n"),
		);
	});

	test(`${name}: audit finds devices in use that no slice publishes, where there is no slice at all`, {
		skip,
	}, async () => {
		const without = broken().filter(({ kind }) => kind !== "ResourceSlice");
		for (const [how, wanted] of [
			[
				{},
				[
					"claims hold 2 devices, and no driver publishes any: there is no ResourceSlice",
				],
			],
			[{ refuse: ["resourceslices"] }, []],
		]) {
			const api = await serve({ stored: without, metrics: gated, ...how });
			const { findings } = JSON.parse(
				(await ask(api, command, ["audit", "--live", "-o", "json"])).stdout,
			);
			await api.stop();
			assert.deepEqual(
				findings
					.filter(({ code }) => code === "device-unpublished")
					.map(({ message }) => message),
				wanted,
			);
		}
	});

	test(`${name}: audit says what it did not see, and concludes nothing from it`, {
		skip,
	}, async () => {
		for (const [plural, effect] of [
			["pods", /whether the pods of claims exist/],
			["nodes", /whether the nodes of slices exist/],
			["resourceslices", /not compared with those published/],
			["resourceclaims", /every device counts as free/],
		]) {
			for (const how of [{ refuse: [plural] }, { endless: plural }]) {
				const api = await serve({ stored: broken(), metrics: gated, ...how });
				const { stdout, stderr } = await ask(api, command, [
					"audit",
					"--live",
					"-o",
					"json",
				]);
				await api.stop();
				assert.match(
					stderr,
					new RegExp(
						`^claimkit: ${plural} could not be seen .*${effect.source}$`,
						"m",
					),
				);
				const { findings, unseen } = JSON.parse(stdout);
				assert.deepEqual(
					unseen.map(({ what }) => what),
					[plural],
				);
				const about = {
					pods: /pod team\/gone/,
					nodes: /node node-a/,
					resourceslices: /no slice publishes/,
					resourceclaims: /claim team/,
				}[plural];
				assert.deepEqual(
					findings.filter(({ message }) => about.test(message)),
					[],
					JSON.stringify(how),
				);
			}
		}
		const all = [
			"pods",
			"nodes",
			"resourceslices",
			"deviceclasses",
			"resourceclaims",
			"resourceclaimtemplates",
			"devicetaintrules",
		];
		const api = await serve({ stored: broken(), refuse: all });
		const { stdout, stderr, exit } = await ask(api, command, [
			"audit",
			"--live",
		]);
		assert.deepEqual([stdout, exit], ["", 2]);
		assert.match(stderr, /nothing of the cluster was seen/);
		const file = path.join(here, "manifests/cluster.yaml");
		const both = await ask(api, command, ["audit", "--live", file]);
		assert.deepEqual(
			[both.exit, both.stderr],
			[
				2,
				`claimkit: \`--live\` reads the cluster: \`${file}\` goes without it\n`,
			],
		);
		const without = await ask(api, command, ["audit", "--context", "test"]);
		assert.deepEqual(
			[without.exit, without.stderr],
			[2, "claimkit: `--context` goes with `--live`\n"],
		);
		const nothing = await ask(api, command, ["audit"]);
		assert.match(nothing.stderr, /needs a file, a folder, or `-`/);
		await api.stop();
	});

	test(`${name}: an audit of ten thousand pods stays small`, {
		skip: skip || !existsSync("/usr/bin/time"),
	}, async () => {
		const pad = "x".repeat(5500);
		const many = Array.from({ length: 10_000 }, (_, at) => ({
			kind: "Pod",
			apiVersion: "v1",
			metadata: {
				name: `p-${at}`,
				namespace: "other",
				uid: `u-${at}`,
				annotations: { pad },
			},
			spec: { nodeName: "node-a", containers: [{ name: "c", image: "x" }] },
			status: { phase: "Running" },
		}));
		const api = await serve({ stored: [...broken(), ...many], metrics: gated });
		const began = Date.now();
		const { stdout, stderr } = await ask(api, command, ["audit", "--live"], {
			measure: true,
		});
		const took = Date.now() - began;
		await api.stop();
		assert.match(stdout, /10006 objects of the cluster/, stderr);
		const peak =
			Number(readFileSync(path.join(scratch, "peak"), "utf8")) / 1024;
		console.log(
			`live: ${name}: audit of 10,000 pods: ${peak.toFixed(0)} MB, ${(took / 1000).toFixed(1)} s`,
		);
		assert.ok(peak < 400, `${peak} MB`);
	});
}

test("kubectl finds the plugin by its name, and it asks the cluster without --live", {
	skip,
}, async () => {
	const api = await serve({
		stored: stored(),
		version: "v1.34.2",
		served: ["v1"],
		metrics: "",
	});
	const asPlugin = ["plugin", kubectl, ["claimkit"]];
	const env = { PATH: `${bin}:${process.env.PATH}` };
	const listed = spawnSync(kubectl, ["plugin", "list", "--name-only"], {
		encoding: "utf8",
		env: { ...process.env, ...env },
	});
	assert.match(listed.stdout, /^kubectl-claimkit$/m);
	const { stdout, exit } = await ask(api, asPlugin, ["why", "trial"]);
	assert.equal(exit, 0);
	assert.match(stdout, /^demo\/trial waits, although node-b can take it\.$/m);
	const old = path.join(scratch, "plugin-old.yaml");
	writeFileSync(
		old,
		"apiVersion: resource.k8s.io/v1beta2\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n",
	);
	const checked = await ask(api, asPlugin, ["validate", "-f", old]);
	assert.equal(checked.exit, 1);
	assert.match(
		checked.stdout,
		/no matches for kind "DeviceClass" in version "resource\.k8s\.io\/v1beta2"/,
	);
	const audited = await ask(api, asPlugin, ["audit"]);
	assert.match(audited.stdout, / of the cluster: /);
	const ofFile = await ask(api, asPlugin, [
		"audit",
		path.join(here, "manifests/cluster.yaml"),
	]);
	assert.match(ofFile.stdout, / in 1 file: /);
	await api.stop();
});

for (const command of commands) {
	const [name] = command;

	test(`${name}: stored objects are judged as those of a file`, {
		skip,
	}, async () => {
		const items = objects("stored.yaml")[0].items;
		const api = await serve({ stored: items, metrics: gated });
		const settings = path.join(here, "manifests/stored-settings.yaml");
		const words = ["admit", "--stored", "--settings", settings, "-o", "json"];
		const live = await ask(api, command, [...words, "--live"]);
		const dump = path.join(scratch, `stored-${api.port}.json`);
		writeFileSync(
			dump,
			JSON.stringify({ apiVersion: "v1", kind: "List", items }),
		);
		const file = await ask(api, command, [...words, dump]);
		const [ofCluster, ofFile] = [live, file].map(({ stdout }) =>
			JSON.parse(stdout),
		);
		assert.deepEqual(ofCluster, ofFile, live.stderr);
		assert.equal(ofCluster.refused, 5);
		assert.deepEqual([live.exit, file.exit], [1, 1]);
		// What may not be read is said, and what depends on it cannot be judged.
		await api.stop();
		const closed = await serve({ stored: items, refuse: ["deviceclasses"] });
		const less = await ask(closed, command, [...words, "--live"]);
		const { unseen, refused } = JSON.parse(less.stdout);
		assert.deepEqual(
			unseen.map(({ what }) => what),
			["deviceclasses"],
		);
		assert.equal(refused, 3);
		assert.match(less.stderr, /deviceclasses could not be seen/);
		await closed.stop();
	});
}
