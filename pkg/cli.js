#!/usr/bin/env node
// `npx claimkit`: files and streams for the command line, which is Wasm, too. The same program as the native one.
import { chmodSync, chownSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, readSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { createRequire } from "node:module";

if (!existsSync(new URL("./claimkit_bg.wasm", import.meta.url))) {
  console.error("claimkit: the Wasm module has not been built yet: run `make pkg` in claimkit's repository");
  process.exit(2);
}
// Not a static import: without the generated files it would fail before the sentence above can be said.
const require = createRequire(import.meta.url);
const [claimkit, { command }] = ["./node.js", "./claimkit.js"].map((file) => require(file));
await claimkit.init();

const TELLING = /"verb"\s*:\s*"(hover|complete|jsonSchema|codes|releases)"/;

/** Answers a request; with sentences for the verbs that tell some. */
function answer(request) {
  return claimkit.answer(TELLING.test(request) ? withFile(request) : request);
}

/** The request with its locale's file, which the native program carries inside. */
function withFile(request) {
  let fields;
  try {
    fields = JSON.parse(request);
  } catch {
    return request;
  }
  const file = new URL(`./locale/${encodeURIComponent(fields.locale ?? "en")}.json`, import.meta.url);
  if (fields.sentences !== undefined || !existsSync(file)) return request;
  return JSON.stringify({ ...fields, sentences: JSON.parse(readFileSync(file, "utf8")) });
}

const PHRASES = {
  ENOENT: "no such file or folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "is a folder",
  ENOTDIR: "is no folder",
};

/** Does something with the file system; what goes wrong is told in the words of src/main.rs. */
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
      else if (error.code === "EAGAIN") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
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
      if (length > most) throw new Error(`larger than ${most >> 20} MiB, the most that is read`);
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

/** What an entry of a folder is; a symbolic link to a file is one. */
function kind(folder, entry) {
  if (entry.isDirectory()) return "folder";
  if (entry.isFile()) return "file";
  return entry.isSymbolicLink() && statSync(`${folder}/${entry.name}`, { throwIfNoEntry: false })?.isFile() ? "file" : "other";
}

/** Writes all of a text at once, so that nothing is lost when the process ends. */
function print(stream, text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(stream, bytes, at);
    } catch (error) {
      if (error.code === "EAGAIN") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      // A reader that has gone away (`claimkit … | head`) is no error of ours.
      else process.exit(2);
    }
  }
}

/** When the walk began, and when it was last told how far it is. */
let walk;

/** How far a walk is that takes longer than a second, for somebody who waits before a terminal; the last one clears the line. */
function progress(done, of) {
  if (!process.stderr.isTTY) return;
  const now = performance.now();
  walk ??= { begun: now, told: now };
  if (done >= of) {
    if (walk.told > walk.begun) print(2, "\r\x1b[K");
    walk = undefined;
  } else if (now - walk.begun > 1000 && now - walk.told > 200) {
    walk.told = now;
    print(2, `\r${done} of ${of} files\x1b[K`);
  }
}

const host = {
  read: (path, most) => attempt(() => read(path, most)),
  list: (path) =>
    attempt(() => {
      if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
      return readdirSync(path, { withFileTypes: true }).map((entry) => [entry.name, kind(path, entry)]);
    }),
  write: (path, text) => attempt(() => replace(path, text)),
  line: (most) => attempt(() => line(most)),
  answer,
  folder: () => process.cwd(),
  progress,
  out: (text) => print(1, text),
  err: (text) => print(2, text),
  colours: () => Boolean(process.stdout.isTTY) && !process.env.NO_COLOR && process.env.TERM !== "dumb",
};

process.exitCode = command(process.argv.slice(2), host);
