// A registry on loopback (Debian's docker-registry), and modules pushed to it and pulled from it as kwctl does: an OCI artifact with the
// module as its only layer.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";

const CONFIG = "application/vnd.wasm.config.v1+json";
const LAYER = "application/vnd.wasm.content.layer.v1+wasm";
const MANIFEST = "application/vnd.oci.image.manifest.v1+json";

const digest = (bytes) =>
	`sha256:${createHash("sha256").update(bytes).digest("hex")}`;

async function freePort() {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address();
	server.close();
	await once(server, "close");
	return port;
}

/** Starts a registry that stores into a folder; `stop` ends it. */
export async function start(program, folder) {
	const port = await freePort();
	mkdirSync(folder, { recursive: true });
	const config = path.join(folder, "config.yml");
	writeFileSync(
		config,
		JSON.stringify({
			version: 0.1,
			log: { level: "error" },
			storage: { filesystem: { rootdirectory: path.join(folder, "stored") } },
			http: { addr: `127.0.0.1:${port}` },
		}),
	);
	const child = spawn(program, ["serve", config], { stdio: "ignore" });
	const address = `http://127.0.0.1:${port}/v2/`;
	for (let tries = 0; ; tries += 1) {
		if (
			await fetch(address).then(
				({ ok }) => ok,
				() => false,
			)
		)
			break;
		if (child.exitCode !== null || tries > 100)
			throw new Error("the registry does not start");
		await new Promise((later) => setTimeout(later, 100));
	}
	return {
		address,
		stop: async () => {
			child.kill();
			await once(child, "exit");
		},
	};
}

async function asked(method, url, status, options = {}) {
	const answer = await fetch(url, { method, ...options });
	if (answer.status !== status)
		throw new Error(
			`${method} ${url} answers ${answer.status}: ${await answer.text()}`,
		);
	return answer;
}

async function upload(base, bytes) {
	const begun = await asked("POST", `${base}/blobs/uploads/`, 202);
	const where = new URL(begun.headers.get("location"), base);
	where.searchParams.set("digest", digest(bytes));
	await asked("PUT", where, 201, {
		body: bytes,
		headers: { "content-type": "application/octet-stream" },
	});
	return digest(bytes);
}

/** Pushes a module under a name and a tag; returns the digest of its manifest. */
export async function push(address, name, tag, module, annotations) {
	const base = `${address}${name}`;
	const config = Buffer.from("{}");
	const described = async (mediaType, bytes, more = {}) => ({
		mediaType,
		digest: await upload(base, bytes),
		size: bytes.length,
		...more,
	});
	const manifest = JSON.stringify({
		schemaVersion: 2,
		mediaType: MANIFEST,
		config: await described(CONFIG, config),
		layers: [
			await described(LAYER, module, {
				annotations: {
					"org.opencontainers.image.title": `${name.split("/").pop()}.wasm`,
				},
			}),
		],
		annotations,
	});
	await asked("PUT", `${base}/manifests/${tag}`, 201, {
		body: manifest,
		headers: { "content-type": MANIFEST },
	});
	return digest(Buffer.from(manifest));
}

/** Pulls a module by the digest of its manifest. */
export async function pull(address, name, wanted) {
	const base = `${address}${name}`;
	const answer = await asked("GET", `${base}/manifests/${wanted}`, 200, {
		headers: { accept: MANIFEST },
	});
	const text = Buffer.from(await answer.arrayBuffer());
	if (digest(text) !== wanted)
		throw new Error(`the manifest of ${name} has another digest`);
	const { config, layers } = JSON.parse(text);
	if (
		config.mediaType !== CONFIG ||
		layers.length !== 1 ||
		layers[0].mediaType !== LAYER
	)
		throw new Error(`the manifest of ${name} is no module's: ${text}`);
	const module = Buffer.from(
		await (
			await asked("GET", `${base}/blobs/${layers[0].digest}`, 200)
		).arrayBuffer(),
	);
	if (digest(module) !== layers[0].digest)
		throw new Error(`the module ${name} has another digest`);
	return module;
}
