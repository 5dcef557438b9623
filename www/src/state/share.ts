import { files } from "./files.ts";
import { MOST_FILES, snapshot } from "./snapshot.ts";

/** Links longer than this are refused by some chat programs and browsers; the page says so instead of making one. */
export const LONGEST_LINK = 100_000;
/** A link may unpack to this many bytes and no more: a small one can hold gigabytes of the same letter. */
const LARGEST_UNPACKED = 16_000_000;

const base64url = {
	encode(bytes: Uint8Array): string {
		let binary = "";
		for (let i = 0; i < bytes.length; i += 0x8000)
			binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
		return btoa(binary)
			.replace(/\+/g, "-")
			.replace(/\//g, "_")
			.replace(/=+$/, "");
	},
	decode(text: string): Uint8Array<ArrayBuffer> {
		const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
		return Uint8Array.from(binary, (char) => char.charCodeAt(0));
	},
};

/** Sends bytes through a stream, which is stopped as soon as more than `most` come out. */
async function through(
	bytes: Uint8Array<ArrayBuffer>,
	stream: CompressionStream | DecompressionStream,
	most = Infinity,
): Promise<Uint8Array<ArrayBuffer>> {
	const reader = new Blob([bytes])
		.stream()
		.pipeThrough(
			stream as ReadableWritablePair<
				Uint8Array<ArrayBuffer>,
				Uint8Array<ArrayBuffer>
			>,
		)
		.getReader();
	const parts: Uint8Array<ArrayBuffer>[] = [];
	let length = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) break;
		length += value.length;
		if (length > most) {
			void reader.cancel();
			throw new RangeError("too large");
		}
		parts.push(value);
	}
	return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** The result of making a link: its text, or the reason for having none. */
export type Link =
	| { address: string }
	| { tooLong: number }
	| { tooMany: number };

/**
 * The page's address with its whole state in the fragment, which browsers send to no server. `more` names what to show there,
 * such as one finding.
 */
export async function link(more: Record<string, string> = {}): Promise<Link> {
	if (files.peek().length > MOST_FILES) return { tooMany: files.peek().length };
	const bytes = new TextEncoder().encode(JSON.stringify(snapshot()));
	if (bytes.length > LARGEST_UNPACKED) return { tooLong: bytes.length };
	const packed = base64url.encode(
		await through(
			bytes as Uint8Array<ArrayBuffer>,
			new CompressionStream("deflate-raw"),
		),
	);
	const rest = new URLSearchParams(more).toString();
	const address = `${location.origin}${location.pathname}#s=${packed}${rest && `&${rest}`}`;
	return address.length > LONGEST_LINK
		? { tooLong: address.length }
		: { address };
}

/** The state in a link; null where it is damaged or would unpack to more than the page takes. */
export async function unpack(packed: string): Promise<unknown> {
	try {
		const bytes = await through(
			base64url.decode(packed),
			new DecompressionStream("deflate-raw"),
			LARGEST_UNPACKED,
		);
		return JSON.parse(new TextDecoder().decode(bytes));
	} catch {
		return null;
	}
}
