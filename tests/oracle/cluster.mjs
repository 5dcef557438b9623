// A control plane for tests on loopback: etcd, kube-apiserver, the claim controller and, where asked for, kube-scheduler, all of one
// release. No kubelet, no network. Everything is in one temporary folder and ends with this process.
//
//   node cluster.mjs [RELEASE]     starts one, prints its kubeconfig and waits for Ctrl-C
import { spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import {
	closeSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { Agent, request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { pass, until } from "../until.mjs";
import { build, chosen } from "./release.mjs";

export { pass as sleep } from "../until.mjs";

const HOST = "127.0.0.1";
/** The controllers that make claims and bind volumes before a scheduler looks at pods. */
const CONTROLLERS = [
	"resourceclaim-controller",
	"persistentvolume-binder-controller",
	"ephemeral-volume-controller",
];

/** A port that nobody listens on. */
const freePort = () =>
	new Promise((done, fail) => {
		const server = createServer();
		server.once("error", fail);
		server.listen(0, HOST, () => {
			const { port } = server.address();
			server.close(() => done(port));
		});
	});

/** All processes that were started here and have not ended. */
const running = new Set();
const killAll = () => {
	for (const child of running) child.kill("SIGKILL");
};
process.once("exit", killAll);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
	process.once(signal, () => process.exit(130));

/** A program with its output in a file. */
class Program {
	constructor(folder, name, program, args) {
		this.name = name;
		this.log = path.join(folder, `${name}.log`);
		const log = openSync(this.log, "w");
		this.child = spawn(program, args, { stdio: ["ignore", log, log] });
		closeSync(log);
		running.add(this.child);
		this.ended = new Promise((done) => this.child.once("exit", done)).then(() =>
			running.delete(this.child),
		);
	}

	get alive() {
		return this.child.exitCode === null && this.child.signalCode === null;
	}

	text() {
		return readFileSync(this.log, "utf8");
	}

	/** Waits until `ready` returns true; fails if the program ends or takes longer than `seconds`. */
	async until(ready, seconds) {
		const last = () => this.text().split("\n").slice(-8).join("\n");
		await until(
			() => `${this.name} is ready:\n${last()}`,
			async () => {
				if (await ready()) return true;
				if (!this.alive) throw new Error(`${this.name} ended:\n${last()}`);
			},
			seconds,
		);
	}

	async stop() {
		if (!this.alive) return;
		this.child.kill("SIGTERM");
		const late = setTimeout(() => this.child.kill("SIGKILL"), 5000);
		await this.ended;
		clearTimeout(late);
	}
}

/** Starts a control plane. `gates`: feature gates of all programs, `A=true,B=false`; `scheduler`: whether to run kube-scheduler. */
export async function start({
	release = chosen(),
	gates = "",
	scheduler = false,
	runtimeConfig = "api/all=true",
} = {}) {
	const cluster = new Cluster(release, gates);
	try {
		await cluster.begin(runtimeConfig);
		if (scheduler) await cluster.startScheduler();
		return cluster;
	} catch (error) {
		await cluster.stop();
		throw error;
	}
}

class Cluster {
	constructor(release, gates) {
		this.release = release;
		this.programs = build(release);
		this.gates = gates ? [`--feature-gates=${gates}`] : [];
		this.folder = mkdtempSync(path.join(tmpdir(), "claimkit-cluster-"));
		this.started = [];
		process.once("exit", () =>
			rmSync(this.folder, { recursive: true, force: true }),
		);
	}

	run(name, program, args) {
		const started = new Program(
			this.folder,
			name,
			this.programs[program],
			args,
		);
		this.started.push(started);
		return started;
	}

	async begin(runtimeConfig) {
		const [client, peer, port] = [
			await freePort(),
			await freePort(),
			await freePort(),
		];
		const [clientUrl, peerUrl] = [
			`http://${HOST}:${client}`,
			`http://${HOST}:${peer}`,
		];
		this.run("etcd", "etcd", [
			"--name=test",
			`--data-dir=${this.folder}/etcd`,
			"--log-level=warn",
			"--unsafe-no-fsync",
			`--listen-client-urls=${clientUrl}`,
			`--advertise-client-urls=${clientUrl}`,
			`--listen-peer-urls=${peerUrl}`,
			`--initial-advertise-peer-urls=${peerUrl}`,
			`--initial-cluster=test=${peerUrl}`,
		]);
		this.etcd = clientUrl;
		this.port = port;
		this.token = randomBytes(16).toString("hex");
		this.credentials();
		const file = (name) => path.join(this.folder, name);
		const apiserver = this.run("kube-apiserver", "kube-apiserver", [
			"-v=1",
			`--etcd-servers=${clientUrl}`,
			`--bind-address=${HOST}`,
			`--secure-port=${port}`,
			`--cert-dir=${file("certs")}`,
			"--endpoint-reconciler-type=none",
			"--service-cluster-ip-range=10.0.0.0/24",
			`--token-auth-file=${file("tokens.csv")}`,
			"--anonymous-auth=false",
			"--authorization-mode=RBAC",
			"--service-account-issuer=https://test.invalid",
			`--service-account-key-file=${file("account.key")}`,
			`--service-account-signing-key-file=${file("account.key")}`,
			"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
			`--runtime-config=${runtimeConfig}`,
			...this.gates,
		]);
		const answers = async (address) => {
			try {
				return (await this.call("GET", address)).code === 200;
			} catch {
				return false; // the port or the certificate is not there yet
			}
		};
		await apiserver.until(() => answers("/readyz"), 180);
		await apiserver.until(() => answers("/api/v1/namespaces/default"), 90);
		this.run("kube-controller-manager", "kube-controller-manager", [
			"-v=1",
			...this.clientFlags(),
			"--use-service-account-credentials=false",
			`--controllers=${CONTROLLERS.join()}`,
			...this.gates,
		]);
	}

	/** One random token with all rights; kube-apiserver makes its own certificate, which is also the authority for clients. */
	credentials() {
		const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
		const write = (name, text) =>
			writeFileSync(path.join(this.folder, name), text, { mode: 0o600 });
		write("account.key", privateKey.export({ type: "pkcs1", format: "pem" }));
		write("tokens.csv", `${this.token},admin,admin,system:masters\n`);
		mkdirSync(path.join(this.folder, "certs"));
		this.kubeconfig = path.join(this.folder, "kubeconfig");
		const server = {
			server: `https://${HOST}:${this.port}`,
			"certificate-authority": path.join(this.folder, "certs/apiserver.crt"),
		};
		write(
			"kubeconfig",
			JSON.stringify({
				apiVersion: "v1",
				kind: "Config",
				"current-context": "test",
				clusters: [{ name: "test", cluster: server }],
				users: [{ name: "admin", user: { token: this.token } }],
				contexts: [
					{
						name: "test",
						context: { cluster: "test", user: "admin", namespace: "default" },
					},
				],
			}),
		);
	}

	clientFlags() {
		const flags = [
			"kubeconfig",
			"authentication-kubeconfig",
			"authorization-kubeconfig",
		].map((flag) => `--${flag}=${this.kubeconfig}`);
		return [
			...flags,
			"--leader-elect=false",
			`--bind-address=${HOST}`,
			"--secure-port=0",
		];
	}

	/** Starts a kube-scheduler; returns it, so that it can be stopped before the others. */
	async startScheduler() {
		const scheduler = this.run("kube-scheduler", "kube-scheduler", [
			"-v=2",
			...this.clientFlags(),
			...this.gates,
		]);
		// No API shows that the scheduler is ready: its log names each kind whose cache is filled.
		await scheduler.until(
			() => scheduler.text().split("Caches populated").length > 12,
			90,
		);
		await pass(200);
		return scheduler;
	}

	/** Sends a request; returns the code, the answer's JSON and the texts of the warnings. */
	async call(method, address, body, type = "application/json") {
		this.agent ??= new Agent({
			keepAlive: true,
			maxSockets: 8,
			ca: readFileSync(path.join(this.folder, "certs/apiserver.crt")),
		});
		const headers = {
			Authorization: `Bearer ${this.token}`,
			Accept: "application/json",
		};
		const data =
			body === undefined
				? undefined
				: Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
		if (data)
			Object.assign(headers, {
				"Content-Type": type,
				"Content-Length": data.length,
			});
		return new Promise((done, fail) => {
			const sent = request(
				{
					host: HOST,
					port: this.port,
					method,
					path: address,
					headers,
					agent: this.agent,
					timeout: 60_000,
				},
				(reply) => {
					const parts = [];
					reply.on("data", (part) => parts.push(part));
					reply.on("error", fail);
					reply.on("end", () => {
						const text = Buffer.concat(parts).toString();
						done({
							code: reply.statusCode,
							body: /^\s*\{/.test(text) ? JSON.parse(text) : text,
							warnings: warningsOf(reply.rawHeaders),
						});
					});
				},
			);
			// A connection that was idle may have been closed by the server before the request was sent.
			const isStale = ({ code }) =>
				sent.reusedSocket && ["EPIPE", "ECONNRESET"].includes(code);
			sent.on("error", (error) =>
				isStale(error)
					? this.call(method, address, body, type).then(done, fail)
					: fail(error),
			);
			sent.on("timeout", () =>
				sent.destroy(new Error(`${method} ${address}: no answer in 60 s`)),
			);
			sent.end(data);
		});
	}

	/** Sends a request that must succeed; returns its JSON. */
	async must(...parts) {
		const { code, body } = await this.call(...parts);
		if (code >= 300)
			throw new Error(
				`${parts[0]} ${parts[1]}: ${code} ${body.message ?? body}`,
			);
		return body;
	}

	/** Puts an object into etcd, where no server judges it: what an earlier release has stored. */
	async leave(object, { plural, namespace }) {
		const name = object.metadata.name;
		const key = `/registry/${plural}/${namespace ? `${namespace}/` : ""}${name}`;
		const base64 = (text) => Buffer.from(text).toString("base64");
		const put = await fetch(`${this.etcd}/v3/kv/put`, {
			method: "POST",
			body: JSON.stringify({
				key: base64(key),
				value: base64(JSON.stringify(object)),
			}),
		});
		if (!put.ok) throw new Error(`etcd: ${key}: ${await put.text()}`);
	}

	/** Ends all programs, etcd last, and removes the folder. */
	async stop() {
		this.agent?.destroy();
		for (const program of this.started.reverse()) await program.stop();
		rmSync(this.folder, { recursive: true, force: true });
	}
}

/** The texts of `Warning` headers: `299 - "text"`. */
function warningsOf(raw) {
	const headers = raw.flatMap((name, at) =>
		at % 2 === 0 && name.toLowerCase() === "warning"
			? [Buffer.from(raw[at + 1], "latin1").toString("utf8")]
			: [],
	);
	return headers.map((header) =>
		header
			.replace(/^299 - "/, "")
			.replace(/"$/, "")
			.replace(/\\(["\\])/g, "$1"),
	);
}

if (process.argv[1] === import.meta.filename) {
	const began = Date.now();
	const cluster = await start({
		release: chosen(process.argv[2]),
		scheduler: true,
		gates: process.env.GATES,
	});
	console.log(
		`Kubernetes ${cluster.release} after ${((Date.now() - began) / 1000).toFixed(1)} s: export KUBECONFIG=${cluster.kubeconfig}; kubectl is ${cluster.programs.kubectl}; Ctrl-C ends it`,
	);
	setInterval(() => {}, 1 << 30);
}
