// `node --import`: lets the module's memory grow by two megabytes only, so that a large text runs into a real trap.
const PAGES = 32;

/** Reads an unsigned LEB128 number: its value and where it ends. */
function number(bytes, at) {
	let value = 0;
	for (let shift = 0; ; shift += 7) {
		const byte = bytes[at];
		value += (byte & 0x7f) * 2 ** shift;
		at += 1;
		if (byte < 0x80) return [value, at];
	}
}

function written(value) {
	const bytes = [];
	do {
		bytes.push((value % 128) + (value >= 128 ? 128 : 0));
		value = Math.floor(value / 128);
	} while (value > 0);
	return bytes;
}

/** A module with a maximum in its memory section (section 5: count, flags, minimum, maximum). */
export function bounded(bytes, pages = PAGES) {
	for (let at = 8; at < bytes.length; ) {
		const [length, start] = number(bytes, at + 1);
		if (bytes[at] === 5) {
			const [least] = number(bytes, start + 2);
			const section = [1, 1, ...written(least), ...written(least + pages)];
			return Buffer.concat([
				bytes.subarray(0, at),
				Buffer.from([5, ...written(section.length), ...section]),
				bytes.subarray(start + length),
			]);
		}
		at = start + length;
	}
	throw new Error("the module has no memory section");
}

const { Module } = WebAssembly;
WebAssembly.Module = class extends Module {
	constructor(bytes, ...rest) {
		super(
			bounded(
				Buffer.from(bytes.buffer ?? bytes, bytes.byteOffset, bytes.byteLength),
			),
			...rest,
		);
	}
};
