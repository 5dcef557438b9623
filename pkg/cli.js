#!/usr/bin/env node
import { spawnSync } from "node:child_process";
// `npx claimkit`: files and streams for the command line, which is Wasm, too. The same program as the native one.
import {
	chmodSync,
	chownSync,
	closeSync,
	existsSync,
	fsyncSync,
	openSync,
	readdirSync,
	readFileSync,
	readSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { brotliDecompressSync } from "node:zlib";

/** The path of the module, which has a package of its own. */
function modulePath() {
	try {
		return createRequire(import.meta.url).resolve(
			"claimkit-command/command_bg.wasm.br",
		);
	} catch {
		console.error(
			"claimkit: the package claimkit-command is not there: install it, or run `make pkg` in claimkit's repository",
		);
		return process.exit(2);
	}
}

const module = modulePath();
// Not a static import: without the generated files it would fail before the sentence above can be printed.
const { command, initSync } = await import("./command.js");
initSync({ module: brotliDecompressSync(readFileSync(module)) });

/** The text of a locale's file, which the native program carries inside. */
function sentences(locale) {
	const file = new URL(
		`./locale/${encodeURIComponent(locale)}.json`,
		import.meta.url,
	);
	return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

const PHRASES = {
	ENOENT: "no such file or folder",
	EACCES: "permission denied",
	EPERM: "permission denied",
	EISDIR: "is a folder",
	ENOTDIR: "is no folder",
};

const tooLarge = (most) =>
	`larger than ${most >> 20} MiB, the most that is read`;

/** Runs an action on the file system; reports a failure in the words of the program's main.rs. */
function attempt(action) {
	try {
		return action();
	} catch (error) {
		throw new Error(PHRASES[error.code] ?? error.message);
	}
}

const STEP = 1 << 16;
let waiting = Buffer.alloc(0);
let ended = false;

/** The next line of standard input with its line feed, or `most` bytes of it; undefined at the end. */
function line(most) {
	const parts = [];
	for (let room = most; ; ) {
		const end = waiting.indexOf(10);
		if (end >= 0 || waiting.length >= room) {
			const taken = Math.min(end < 0 ? room : end + 1, room);
			parts.push(waiting.subarray(0, taken));
			waiting = waiting.subarray(taken);
			break;
		}
		room -= waiting.length;
		if (waiting.length > 0) parts.push(waiting);
		waiting = Buffer.alloc(0);
		if (ended) break;
		const buffer = Buffer.alloc(STEP);
		try {
			const length = readSync(0, buffer, 0, STEP, null);
			if (length === 0) ended = true;
			waiting = buffer.subarray(0, length);
		} catch (error) {
			if (error.code === "EOF") ended = true;
			else if (error.code === "EAGAIN")
				Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
			else throw error;
		}
	}
	return parts.length === 0 ? undefined : new Uint8Array(Buffer.concat(parts));
}

/** Reads a file that has at most `most` bytes; of a larger one no more than that. */
function read(path, most) {
	const file = openSync(path, "r");
	try {
		const parts = [];
		for (let length = 0; ; ) {
			const buffer = Buffer.alloc(STEP);
			const got = readSync(file, buffer, 0, STEP, null);
			if (got === 0) return Buffer.concat(parts);
			parts.push(buffer.subarray(0, got));
			length += got;
			if (length > most) throw new Error(tooLarge(most));
		}
	} finally {
		closeSync(file);
	}
}

/** Writes a new file beside the old one and puts it in its place: all of it or nothing. A symbolic link stays one. */
function replace(path, text) {
	const real = realpathSync(path);
	const old = statSync(real);
	const beside = `${real}.${process.pid}.claimkit`;
	const file = openSync(beside, "wx", 0o600);
	try {
		const bytes = Buffer.from(text);
		for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
		const { uid, gid } = statSync(beside);
		if (uid !== old.uid || gid !== old.gid) chownSync(beside, old.uid, old.gid);
		chmodSync(beside, old.mode);
		fsyncSync(file);
		renameSync(beside, real);
	} catch (error) {
		rmSync(beside, { force: true });
		throw error;
	} finally {
		closeSync(file);
	}
}

/**
 * Returns the kind of a folder's entry; a symbolic link to a file counts as a file, and so does one to nothing, which cannot be read.
 */
function kind(folder, entry) {
	if (entry.isDirectory()) return "folder";
	if (entry.isFile()) return "file";
	if (!entry.isSymbolicLink()) return "other";
	const target = statOf(`${folder}/${entry.name}`);
	return target === undefined || target.isFile() ? "file" : "other";
}

/** Returns what a path leads to; undefined if that is nothing, or a link in a circle. */
function statOf(path) {
	try {
		return statSync(path);
	} catch {
		return undefined;
	}
}

/** Writes all of a text at once, so that nothing is lost when the process ends. */
function print(stream, text) {
	const bytes = Buffer.from(text);
	for (let at = 0; at < bytes.length; ) {
		try {
			at += writeSync(stream, bytes, at);
		} catch (error) {
			if (error.code === "EAGAIN")
				Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
			// A reader that has gone away (`claimkit … | head`) is not an error.
			else process.exit(2);
		}
	}
}

/** Time when the work began, and when progress was last printed. */
let walk;

/** Shows what is being done when that takes longer than a second, to somebody who waits before a terminal; an empty text ends it. */
function status(text) {
	if (!process.stderr.isTTY) return;
	const now = performance.now();
	walk ??= { begun: now, told: now };
	if (text === "") {
		if (walk.told > walk.begun) print(2, "\r\x1b[K");
		walk = undefined;
	} else if (now - walk.begun > 1000 && now - walk.told > 200) {
		walk.told = now;
		print(2, `\r${text}\x1b[K`);
	}
}

/** Runs the kubectl on PATH without a shell, with standard input closed; it is ended when it prints more than `most` bytes. */
function kubectl(words, most) {
	const done = spawnSync("kubectl", words, {
		stdio: ["ignore", "pipe", "pipe"],
		maxBuffer: most,
		windowsHide: true,
	});
	const { stdout, stderr, status } = done;
	/** @type {NodeJS.ErrnoException | undefined} */
	const error = done.error;
	if (error?.code === "ENOENT") throw new Error("it is not on PATH");
	const isTooLarge = error?.code === "ENOBUFS";
	if (error && !isTooLarge)
		throw new Error(PHRASES[error.code] ?? error.message);
	const end = isTooLarge ? "too-large" : status === 0 ? "success" : "failure";
	return [new Uint8Array(stdout), stderr.toString(), end];
}

const host = {
	read: (path, most) => attempt(() => read(path, most)),
	list: (path) =>
		attempt(() => {
			if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
				return undefined;
			return readdirSync(path, { withFileTypes: true }).map((entry) => [
				entry.name,
				kind(path, entry),
			]);
		}),
	write: (path, text) => attempt(() => replace(path, text)),
	line: (most) => attempt(() => line(most)),
	sentences,
	folder: () => process.cwd(),
	status,
	isPlugin: () =>
		/^kubectl[-_]claimkit(\.\w+)?$/.test(path.basename(process.argv[1])),
	columns: () => process.stdout.columns,
	clock: () => Date.now(),
	wait: (milliseconds) => {
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
	},
	kubectl,
	out: (text) => print(1, text),
	err: (text) => print(2, text),
	colours: () =>
		Boolean(process.stdout.isTTY) &&
		!process.env.NO_COLOR &&
		process.env.TERM !== "dumb",
};

// These are not commands that end: they answer until their client goes.
const asksForHelp = process.argv.some((word) => /^(-h|--help)$/.test(word));
if (process.argv[2] === "lsp" && !asksForHelp) await import("./server.js");
else if (process.argv[2] === "mcp") {
	const { serve } = await import("./mcp.js");
	const { version } = JSON.parse(
		readFileSync(new URL("./package.json", import.meta.url), "utf8"),
	);
	await serve(command, host, version, sentences);
} else process.exitCode = command(process.argv.slice(2), host);
