import type { Dropped } from "./dropped.ts";

/** The files of an archive that the command line would read. */
const READ = /\.(ya?ml|json|toml)$/i;
/** Folders that the command line passes over. */
const HIDDEN = /(^|\/)\.[^/]/;

const isRead = (name: string): boolean => READ.test(name) && !HIDDEN.test(name);
/** More than this is not unpacked: the page reads 64 MiB of text. */
const MOST_BYTES = 512 * 1024 * 1024;

const fileOf = (name: string, bytes: Uint8Array): Dropped => ({
	name,
	bytes: () => Promise.resolve(bytes.slice().buffer),
});

/** Unpacks gzip, up to a bound. */
async function gunzipped(bytes: ArrayBuffer): Promise<Uint8Array> {
	const stream = new Blob([bytes])
		.stream()
		.pipeThrough(new DecompressionStream("gzip"));
	const parts: Uint8Array[] = [];
	let length = 0;
	for (const reader = stream.getReader(); ; ) {
		const { done, value } = await reader.read();
		if (done) break;
		parts.push(value);
		length += value.length;
		if (length > MOST_BYTES) throw new Error("too large");
	}
	const whole = new Uint8Array(length);
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

const BLOCK = 512;
const decoder = new TextDecoder();

/** A text field of a tar header, which ends at the first zero. */
function field(header: Uint8Array, from: number, length: number): string {
	const bytes = header.subarray(from, from + length);
	const end = bytes.indexOf(0);
	return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/** The path that an extended header gives the next file: `LENGTH path=NAME`. */
const pathIn = (extended: string): string =>
	/(?:^|\n)\d+ path=(.*)\n/.exec(extended)?.[1] ?? "";

/** The files of a tar archive. */
function untarred(bytes: Uint8Array): { name: string; bytes: Uint8Array }[] {
	const found: { name: string; bytes: Uint8Array }[] = [];
	let long = "";
	for (let at = 0; at + BLOCK <= bytes.length; ) {
		const header = bytes.subarray(at, at + BLOCK);
		const size = Number.parseInt(field(header, 124, 12).trim() || "0", 8);
		if (header[0] === 0 || !Number.isSafeInteger(size)) break;
		const content = bytes.subarray(at + BLOCK, at + BLOCK + size);
		const type = String.fromCharCode(header[156] ?? 0);
		if (type === "x") long = pathIn(decoder.decode(content));
		else if (type === "L") long = field(content, 0, size);
		else {
			const prefix = field(header, 345, 155);
			const own = field(header, 0, 100);
			if (type === "0" || type === "\0")
				found.push({
					name: long || (prefix === "" ? own : `${prefix}/${own}`),
					bytes: content,
				});
			long = "";
		}
		at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
	}
	return found;
}

async function unzipped(bytes: ArrayBuffer): Promise<Dropped[]> {
	const { unzipSync } = await import("fflate");
	let length = 0;
	const files = unzipSync(new Uint8Array(bytes), {
		filter: ({ name, originalSize }) => {
			if (!isRead(name)) return false;
			length += originalSize;
			if (length > MOST_BYTES) throw new Error("too large");
			return true;
		},
	});
	return Object.entries(files).map(([name, content]) => fileOf(name, content));
}

/** Returns the files inside an archive, and any other file as it is. */
async function opened(file: Dropped): Promise<Dropped[]> {
	const { name } = file;
	if (/\.zip$/i.test(name)) return unzipped(await file.bytes());
	if (/\.tar$/i.test(name))
		return taken(untarred(new Uint8Array(await file.bytes())));
	if (!/\.t?gz$/i.test(name)) return [file];
	const bytes = await gunzipped(await file.bytes());
	return /\.(tar\.gz|tgz)$/i.test(name)
		? taken(untarred(bytes))
		: [fileOf(name.replace(/\.gz$/i, ""), bytes)];
}

const taken = (
	list: readonly { name: string; bytes: Uint8Array }[],
): Dropped[] =>
	list
		.filter(({ name }) => isRead(name))
		.map(({ name, bytes }) => fileOf(name, bytes));

/** Returns the files inside archives in their place; `failed` hears the name of one that cannot be unpacked. */
export async function unpacked(
	list: readonly Dropped[],
	failed: (name: string) => void,
): Promise<Dropped[]> {
	const found = await Promise.all(
		list.map((file) =>
			opened(file).catch((): Dropped[] => {
				failed(file.name);
				return [];
			}),
		),
	);
	return found.flat();
}
