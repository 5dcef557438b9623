// `npx claimkit lsp`: the language server on standard input and output, with the files of this machine.
import { existsSync, readFileSync, writeSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { Server } from "./core.js";

const MOST_BYTES = 2 << 20;
const MOST_DEPTH = 12;
const MOST_FOLDERS = 5000;
const MANIFEST = /\.(ya?ml|json)$/;

// --- files, as the native program finds them: see crates/claimkit-cli/src/lsp.rs ----------------------------------------------

const local = (uri) =>
	uri.startsWith("file:") ? fileURLToPath(uri) : undefined;

async function text(file) {
	const about = await stat(file);
	return about.isFile() && about.size <= MOST_BYTES
		? readFile(file, "utf8")
		: undefined;
}

const byName = (one, other) =>
	Buffer.compare(Buffer.from(one.name), Buffer.from(other.name));

async function manifests(folders) {
	const found = [];
	const waiting = folders.map((folder) => ({ folder, depth: 0 }));
	for (let count = 0; waiting.length > 0 && count < MOST_FOLDERS; count += 1) {
		const { folder, depth } = waiting.shift();
		const entries = await readdir(folder, { withFileTypes: true }).catch(
			() => [],
		);
		for (const entry of entries.sort(byName)) {
			const inside = path.join(folder, entry.name);
			if (
				entry.isFile() &&
				MANIFEST.test(entry.name) &&
				entry.name !== "package-lock.json"
			)
				found.push(pathToFileURL(inside).href);
			else if (
				entry.isDirectory() &&
				depth < MOST_DEPTH &&
				!entry.name.startsWith(".") &&
				entry.name !== "node_modules"
			)
				waiting.push({ folder: inside, depth: depth + 1 });
		}
	}
	return found;
}

/** Answers a request of the server about files; what cannot be read is not there. */
async function files(method, { uri, folders }) {
	try {
		if (method === "claimkit/manifests")
			return await manifests(folders.map(local).filter(Boolean));
		return { text: await text(local(uri)) };
	} catch {
		return method === "claimkit/manifests" ? [] : {};
	}
}

// --- messages -------------------------------------------------------------------------------------------------------------------

/** Writes all of a message at once, so that nothing is lost when the process ends. */
function send(message) {
	const body = Buffer.from(JSON.stringify(message));
	const bytes = Buffer.concat([
		Buffer.from(`Content-Length: ${body.length}\r\n\r\n`),
		body,
	]);
	for (let at = 0; at < bytes.length; ) {
		try {
			at += writeSync(1, bytes, at);
		} catch (error) {
			if (error.code !== "EAGAIN") process.exit(1);
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
		}
	}
}

/** Gives the messages of a stream: headers, an empty line, as many bytes as the headers say. */
async function* messagesOf(stream) {
	let parts = [];
	let length = 0;
	/** Bytes that are needed to go on: those of a message whose headers are read. */
	let needed = 0;
	let isBody = false;
	for await (const part of stream) {
		parts.push(part);
		length += part.length;
		while (length >= needed) {
			const bytes = parts.length === 1 ? parts[0] : Buffer.concat(parts);
			const end = isBody ? needed : bytes.indexOf("\r\n\r\n") + 4;
			if (!isBody && end === 3) {
				parts = [bytes];
				break;
			}
			const taken = bytes.subarray(0, end).toString();
			parts = [bytes.subarray(end)];
			length = bytes.length - end;
			if (isBody) yield taken;
			needed = isBody
				? 0
				: Number(/content-length: *(\d+)/i.exec(taken)?.[1] ?? 0);
			isBody = !isBody;
		}
	}
}

function sentences(locale) {
	const file = new URL(
		`./locale/${encodeURIComponent(locale)}.json`,
		import.meta.url,
	);
	return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

const beside = (name) => readFileSync(new URL(name, import.meta.url));
const module = createRequire(import.meta.url).resolve(
	"claimkit-command/command_bg.wasm.br",
);
const server = new Server({
	module: brotliDecompressSync(readFileSync(module)),
	version: JSON.parse(beside("./package.json").toString()).version,
	sentences,
	send,
	files,
	exit: (code) => process.exit(code),
});
for await (const message of messagesOf(process.stdin)) server.receive(message);
server.receive('{"method": "exit"}');
