// Lets the OPA module begin with two pages of memory, as Open Policy Agent's own modules do. The linker asks for as many as stack and
// data fill, and hosts give five: Kubewarden always does, OPA's SDKs unless they are told. Data that the engine copies before anything
// runs becomes data that the module's start function copies, after it has made the memory as large as the linker asked for.
//
//     node pages.mjs MODULE
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { leb128 } from "./annotate.mjs";

const PAGES = 2;
const [IMPORT, START, CODE, DATA] = [2, 8, 10, 11];
const [FUNCTION, TABLE, MEMORY, GLOBAL] = [0, 1, 2, 3];
const op = {
	unreachable: 0x00,
	if: 0x04,
	end: 0x0b,
	i32Const: 0x41,
	i32Equal: 0x46,
	i32Less: 0x49,
	i32Subtract: 0x6b,
	memorySize: [0x3f, 0],
	memoryGrow: [0x40, 0],
	noResult: 0x40,
	memoryInit: [0xfc, 8],
	dataDrop: [0xfc, 9],
};

/** Reads a module from a byte on. */
class Reader {
	constructor(bytes, at = 0) {
		this.bytes = bytes;
		this.at = at;
	}

	byte() {
		return this.bytes[this.at++];
	}

	unsigned() {
		let [value, scale] = [0, 1];
		for (;;) {
			const byte = this.byte();
			value += (byte & 0x7f) * scale;
			if (byte < 0x80) return value;
			scale *= 128;
		}
	}

	take(length) {
		this.at += length;
		return this.bytes.subarray(this.at - length, this.at);
	}
}

/** A number as the operand of `i32.const`; none here is negative. */
function constant(number) {
	const bytes = [];
	for (; number >= 0x40; number >>>= 7) bytes.push((number & 0x7f) | 0x80);
	return [op.i32Const, ...bytes, number];
}

function sections(module) {
	const reader = new Reader(module, 8);
	const found = [];
	while (reader.at < module.length)
		found.push({ id: reader.byte(), content: reader.take(reader.unsigned()) });
	return found;
}

/** The import section with fewer pages; how many there were, and how many functions are imported. */
function fewerPages(content) {
	const reader = new Reader(content);
	let [functions, pages, from, to] = [0, 0, 0, 0];
	for (let left = reader.unsigned(); left > 0; left--) {
		reader.take(reader.unsigned());
		reader.take(reader.unsigned());
		const kind = reader.byte();
		if (kind === FUNCTION) {
			functions++;
			reader.unsigned();
		} else if (kind === MEMORY) {
			if (reader.byte() !== 0)
				throw new Error("the imported memory has a limit");
			from = reader.at;
			pages = reader.unsigned();
			to = reader.at;
		} else if (kind === GLOBAL) {
			reader.take(2);
		} else if (kind === TABLE) {
			throw new Error("a table is imported");
		}
	}
	if (!pages) throw new Error("no memory is imported");
	return {
		functions,
		pages,
		content: Buffer.concat([
			content.subarray(0, from),
			leb128(PAGES),
			content.subarray(to),
		]),
	};
}

/** The data section without addresses; where each piece belongs. */
function withoutAddresses(content) {
	const reader = new Reader(content);
	const count = reader.unsigned();
	const [pieces, parts] = [[], [leb128(count)]];
	for (let index = 0; index < count; index++) {
		if (reader.unsigned() !== 0 || reader.byte() !== op.i32Const)
			throw new Error(`data ${index} has no plain address`);
		const address = reader.unsigned();
		if (reader.byte() !== op.end)
			throw new Error(`the address of data ${index} is no number`);
		const bytes = reader.take(reader.unsigned());
		pieces.push({ address, length: bytes.length });
		parts.push(Buffer.from([1]), leb128(bytes.length), bytes);
	}
	return { pieces, content: Buffer.concat(parts) };
}

/** Instructions that make the memory large enough and copy the data. */
function prologue(pages, pieces) {
	const grow = [
		...constant(pages),
		...op.memorySize,
		op.i32Subtract,
		...op.memoryGrow,
		op.i32Const,
		0x7f,
		op.i32Equal,
		op.if,
		op.noResult,
		op.unreachable,
		op.end,
	];
	const copy = ({ address, length }, index) => [
		...constant(address),
		...constant(0),
		...constant(length),
		...op.memoryInit,
		...leb128(index),
		0,
		...op.dataDrop,
		...leb128(index),
	];
	// A host that gives more pages has nothing to grow.
	const enough = [
		...op.memorySize,
		...constant(pages),
		op.i32Less,
		op.if,
		op.noResult,
		...grow,
		op.end,
	];
	return Buffer.from([...enough, ...pieces.flatMap(copy)]);
}

/** The code section with instructions before those of a function that has no variables. */
function before(content, wanted, instructions) {
	const reader = new Reader(content);
	const count = reader.unsigned();
	const parts = [leb128(count)];
	for (let index = 0; index < count; index++) {
		let body = reader.take(reader.unsigned());
		if (index === wanted) {
			if (body[0] !== 0) throw new Error("the start function has variables");
			body = Buffer.concat([Buffer.from([0]), instructions, body.subarray(1)]);
		}
		parts.push(leb128(body.length), body);
	}
	return Buffer.concat(parts);
}

/** The module with fewer pages to begin with. */
export function withFewerPages(module) {
	const all = sections(module);
	const section = (id) => {
		const found = all.find((section) => section.id === id);
		if (!found) throw new Error(`the module has no section ${id}`);
		return found;
	};
	const memory = fewerPages(section(IMPORT).content);
	const data = withoutAddresses(section(DATA).content);
	const start =
		new Reader(section(START).content).unsigned() - memory.functions;
	section(CODE).content = before(
		section(CODE).content,
		start,
		prologue(memory.pages, data.pieces),
	);
	section(IMPORT).content = memory.content;
	section(DATA).content = data.content;
	return Buffer.concat([
		module.subarray(0, 8),
		...all.flatMap(({ id, content }) => [
			Buffer.from([id]),
			leb128(content.length),
			content,
		]),
	]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const [file] = process.argv.slice(2);
	writeFileSync(file, withFewerPages(readFileSync(file)));
}
