// Deflate (RFC 1951), for hosts that cannot unpack at once: browsers only have a stream, and the module starts synchronously.

const LENGTHS = [
	3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67,
	83, 99, 115, 131, 163, 195, 227, 258,
];
const LENGTH_BITS = [
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5,
	5, 5, 0,
];
const DISTANCES = [
	1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769,
	1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
];
const DISTANCE_BITS = [
	0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11,
	11, 12, 12, 13, 13,
];
const ORDER = [
	16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];
const MOST_BITS = 15;

/**
 * Makes the table of a Huffman code: for each value of the next bits, as many as its longest code has, the symbol times 16 and the length
 * of the symbol's code.
 */
function table(lengths) {
	const most = lengths.reduce((longest, one) => Math.max(longest, one), 1);
	const found = new Uint16Array(1 << most);
	let code = 0;
	for (let bits = 1; bits <= most; bits += 1) {
		for (let symbol = 0; symbol < lengths.length; symbol += 1) {
			if (lengths[symbol] !== bits) continue;
			let reversed = 0;
			for (let bit = 0; bit < bits; bit += 1)
				reversed |= ((code >> bit) & 1) << (bits - 1 - bit);
			for (let at = reversed; at < found.length; at += 1 << bits)
				found[at] = (symbol << 4) | bits;
			code += 1;
		}
		code <<= 1;
	}
	return found;
}

/**
 * Unpacks a block of deflated bytes.
 *
 * @param {Uint8Array} packed
 * @param {number} size the number of bytes that it unpacks to
 */
export function inflate(packed, size) {
	const out = new Uint8Array(size);
	let written = 0;
	let read = 0;
	let bits = 0;
	let count = 0;

	/** Has at least `wanted` bits ready, or all that are left. */
	function fill(wanted) {
		while (count < wanted && read < packed.length) {
			bits |= packed[read] << count;
			read += 1;
			count += 8;
		}
	}
	function take(wanted) {
		if (wanted === 0) return 0;
		fill(wanted);
		const taken = bits & ((1 << wanted) - 1);
		bits >>>= wanted;
		count -= wanted;
		return taken;
	}
	function symbol(codes) {
		fill(MOST_BITS);
		const entry = codes[bits & (codes.length - 1)];
		const length = entry & 15;
		bits >>>= length;
		count -= length;
		return entry >> 4;
	}

	/** Reads the two codes of a block. */
	function codes() {
		const literals = take(5) + 257;
		const distances = take(5) + 1;
		const ordered = take(4) + 4;
		const lengths = new Uint8Array(19);
		for (let at = 0; at < ordered; at += 1) lengths[ORDER[at]] = take(3);
		const ofLengths = table(lengths);
		const all = new Uint8Array(literals + distances);
		for (let at = 0; at < all.length; ) {
			const next = symbol(ofLengths);
			if (next < 16) {
				all[at] = next;
				at += 1;
				continue;
			}
			const [value, times] =
				next === 16
					? [all[at - 1], 3 + take(2)]
					: [0, next === 17 ? 3 + take(3) : 11 + take(7)];
			all.fill(value, at, at + times);
			at += times;
		}
		return [table(all.subarray(0, literals)), table(all.subarray(literals))];
	}

	for (let last = 0; last === 0; ) {
		last = take(1);
		const kind = take(2);
		if (kind === 0) {
			// Bytes as they are, from the next whole byte on.
			read -= count >> 3;
			bits = 0;
			count = 0;
			const length = packed[read] | (packed[read + 1] << 8);
			read += 4;
			out.set(packed.subarray(read, read + length), written);
			read += length;
			written += length;
			continue;
		}
		const [literals, distances] =
			kind === 2
				? codes()
				: [
						table(
							Uint8Array.from({ length: 288 }, (_, at) =>
								at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8,
							),
						),
						table(new Uint8Array(30).fill(5)),
					];
		for (let next = symbol(literals); next !== 256; next = symbol(literals)) {
			if (next < 256) {
				out[written] = next;
				written += 1;
				continue;
			}
			const length = LENGTHS[next - 257] + take(LENGTH_BITS[next - 257]);
			const code = symbol(distances);
			const from = written - DISTANCES[code] - take(DISTANCE_BITS[code]);
			for (let at = 0; at < length; at += 1) out[written + at] = out[from + at];
			written += length;
		}
	}
	return out;
}
