// A static file server for the built page: `node serve.mjs [folder] [port]`. No dependency, this machine only.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const TYPES = {
	".html": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".json": "application/json; charset=utf-8",
	".svg": "image/svg+xml",
	".png": "image/png",
	".wasm": "application/wasm",
	".webmanifest": "application/manifest+json",
};

const packed = new Map();

/** A file's bytes as the browser takes them, packed once; pictures are packed already. */
function body(path, accepted) {
	const encoding = path.endsWith(".png")
		? undefined
		: ["br", "gzip"].find((name) => accepted.includes(name));
	const key = `${path} ${statSync(path).mtimeMs} ${encoding}`;
	let bytes = packed.get(key);
	if (!bytes) {
		const plain = readFileSync(path);
		bytes =
			encoding === "br"
				? brotliCompressSync(plain, {
						params: { [constants.BROTLI_PARAM_QUALITY]: 9 },
					})
				: encoding === "gzip"
					? gzipSync(plain)
					: plain;
		packed.set(key, bytes);
	}
	return { bytes, encoding };
}

/** Serves `folder` below `prefix` (such as `/some/path`); answers the server once it listens. */
export function serve(folder, { port = 0, prefix = "" } = {}) {
	const root = join(folder, ".");
	const server = createServer((request, response) => {
		const url = decodeURIComponent(
			new URL(request.url ?? "/", "http://host").pathname,
		);
		if (!url.startsWith(`${prefix}/`)) {
			response.writeHead(404).end("not found");
			return;
		}
		let path = normalize(join(root, url.slice(prefix.length)));
		if (
			path !== root &&
			!path.startsWith(root.endsWith(sep) ? root : root + sep)
		) {
			response.writeHead(403).end("forbidden");
			return;
		}
		if (existsSync(path) && statSync(path).isDirectory())
			path = join(path, "index.html");
		if (!existsSync(path)) {
			response.writeHead(404).end("not found");
			return;
		}
		const { bytes, encoding } = body(
			path,
			request.headers["accept-encoding"] ?? "",
		);
		const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 20)}"`;
		if (request.headers["if-none-match"] === etag) {
			response.writeHead(304, { etag, vary: "accept-encoding" }).end();
			return;
		}
		response.writeHead(200, {
			etag,
			"content-type": TYPES[extname(path)] ?? "application/octet-stream",
			"content-length": bytes.length,
			...(encoding ? { "content-encoding": encoding } : {}),
			vary: "accept-encoding",
			// The names of assets hold their contents' hash.
			"cache-control": path.includes(`${sep}assets${sep}`)
				? "public, max-age=31536000, immutable"
				: "no-cache",
			"x-content-type-options": "nosniff",
		});
		response.end(bytes);
	});
	return new Promise((resolve, reject) =>
		server
			.once("error", reject)
			.listen(port, "127.0.0.1", () => resolve(server)),
	);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const [, , folder = "dist", port = 4173] = process.argv;
	const server = await serve(folder, { port: Number(port) }).catch((error) => {
		if (error.code !== "EADDRINUSE") throw error;
		console.log(`port ${port} is in use: another is taken`);
		return serve(folder);
	});
	console.log(
		`claimkit playground: http://127.0.0.1:${server.address().port}/`,
	);
}
