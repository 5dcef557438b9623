// What the headers of a program say: for which system and processor it is, what it needs there, and whether its signature is that of
// its bytes. A machine can read this of programs that it cannot run.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** Reads a program: its format, processor, libraries, and what only some formats have. */
export function headers(file) {
	const bytes = readFileSync(file);
	if (bytes.readUInt32BE(0) === 0x7f454c46) return elf(bytes);
	if (bytes.readUInt32LE(0) === 0xfeedfacf) return machO(bytes);
	if (bytes.toString("latin1", 0, 2) === "MZ") return portable(bytes);
	throw new Error(`${file} is not a 64-bit program of a known format`);
}

/** Text up to the first byte 0. */
function text(bytes, from) {
	return bytes.toString("latin1", from, bytes.indexOf(0, from));
}

/** The name of a number, of pairs. */
function named(names, number) {
	return new Map(names).get(number) ?? `0x${number.toString(16)}`;
}

/** ELF, of the System V ABI. */
function elf(bytes) {
	const INTERPRETER = 3;
	const DYNAMIC = 2;
	const NEEDED = 1n;
	const first = Number(bytes.readBigUInt64LE(32));
	const size = bytes.readUInt16LE(54);
	const libraries = [];
	for (let index = 0; index < bytes.readUInt16LE(56); index += 1) {
		const at = first + index * size;
		const [kind, from, length] = [
			bytes.readUInt32LE(at),
			Number(bytes.readBigUInt64LE(at + 8)),
			Number(bytes.readBigUInt64LE(at + 32)),
		];
		if (kind === INTERPRETER) libraries.push(text(bytes, from));
		if (kind !== DYNAMIC) continue;
		for (let entry = from; entry < from + length; entry += 16)
			if (bytes.readBigUInt64LE(entry) === NEEDED)
				libraries.push("a shared library");
	}
	return {
		format: "ELF",
		processor: named(
			[
				[62, "amd64"],
				[183, "arm64"],
			],
			bytes.readUInt16LE(18),
		),
		libraries,
	};
}

/** Mach-O, of Apple's mach-o/loader.h. */
function machO(bytes) {
	const LIBRARIES = [0xc, 0x80000018, 0x8000001f, 0x20, 0x80000023];
	const BUILD_VERSION = 0x32;
	const VERSION_MIN_MACOSX = 0x24;
	const CODE_SIGNATURE = 0x1d;
	const libraries = [];
	let system;
	let signature = "none";
	let at = 32;
	for (let index = 0; index < bytes.readUInt32LE(16); index += 1) {
		const command = bytes.readUInt32LE(at);
		if (LIBRARIES.includes(command))
			libraries.push(text(bytes, at + bytes.readUInt32LE(at + 8)));
		if (command === BUILD_VERSION)
			system = version(bytes.readUInt32LE(at + 12));
		if (command === VERSION_MIN_MACOSX)
			system = version(bytes.readUInt32LE(at + 8));
		if (command === CODE_SIGNATURE)
			signature = signatureState(bytes, bytes.readUInt32LE(at + 8));
		at += bytes.readUInt32LE(at + 4);
	}
	return {
		format: "Mach-O",
		processor: named(
			[
				[0x01000007, "amd64"],
				[0x0100000c, "arm64"],
			],
			bytes.readUInt32LE(4),
		),
		system,
		signature,
		libraries,
	};
}

const version = (number) => `${number >>> 16}.${(number >>> 8) & 255}`;

/** Compares the hash of each page before the signature with the page: Apple's cs_blobs.h, whose numbers are big-endian. */
function signatureState(bytes, blob) {
	const CODE_DIRECTORY = 0xfade0c02;
	const SHA256 = 2;
	for (let index = 0; index < bytes.readUInt32BE(blob + 8); index += 1) {
		const at = blob + bytes.readUInt32BE(blob + 16 + index * 8);
		if (bytes.readUInt32BE(at) !== CODE_DIRECTORY) continue;
		const hashes = at + bytes.readUInt32BE(at + 16);
		const pages = bytes.readUInt32BE(at + 28);
		const limit = bytes.readUInt32BE(at + 32);
		const page = 2 ** bytes[at + 39];
		if (bytes[at + 36] !== 32 || bytes[at + 37] !== SHA256)
			return "of another kind";
		if (limit !== blob || pages !== Math.ceil(limit / page))
			return "of other bytes";
		for (let number = 0; number < pages; number += 1) {
			const from = number * page;
			const hash = createHash("sha256")
				.update(bytes.subarray(from, Math.min(from + page, limit)))
				.digest();
			const kept = bytes.subarray(
				hashes + number * 32,
				hashes + number * 32 + 32,
			);
			if (!hash.equals(kept)) return `wrong from byte ${from} on`;
		}
		return "valid";
	}
	return "without a code directory";
}

/** PE, of Microsoft's specification. */
function portable(bytes) {
	const header = bytes.readUInt32LE(60);
	const optional = header + 24;
	const sections = optional + bytes.readUInt16LE(header + 20);
	const position = (address) => {
		for (let index = 0; index < bytes.readUInt16LE(header + 6); index += 1) {
			const at = sections + index * 40;
			const from = bytes.readUInt32LE(at + 12);
			if (address >= from && address < from + bytes.readUInt32LE(at + 16))
				return address - from + bytes.readUInt32LE(at + 20);
		}
		throw new Error(`address ${address} is in no section`);
	};
	const libraries = [];
	const imports = bytes.readUInt32LE(optional + 120);
	if (imports !== 0)
		for (let at = position(imports); ; at += 20) {
			const name = bytes.readUInt32LE(at + 12);
			if (name === 0) break;
			libraries.push(text(bytes, position(name)).toLowerCase());
		}
	return {
		format: "PE",
		processor: named(
			[
				[0x8664, "amd64"],
				[0xaa64, "arm64"],
			],
			bytes.readUInt16LE(header + 4),
		),
		system: named([[3, "console"]], bytes.readUInt16LE(optional + 68)),
		libraries,
	};
}
