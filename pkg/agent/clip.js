// What is printed, short enough for a model. The first lines of every verb say most; what follows are further nodes, pods and findings.

/** Bytes of an answer, and of one that is asked for in full. */
const SHORT = 2048;
const FULL = 256 << 10;
/** What the last line can need. */
const ROOM_FOR_NOTE = 384;

/** The code at the end of a finding. */
const CODE =
	/\[(?:kubectl|kube-apiserver|kube-scheduler|claimkit) ([a-z0-9-]+)\]$/gm;
/** The most codes that the last line names. */
const MOST_CODES = 5;

/** The beginning of a finding, with its severity. */
const FINDING = /^[^\n]*?: (error|warning|info): /;
const SEVERITIES = ["error", "warning", "info"];
/** The last line of an answer about findings. */
const SUMMARY = /^checked .*$/;

const bytes = (text) => Buffer.byteLength(text);

/**
 * Cuts a text between two paragraphs if it can, else between two lines, and says how much is left out. Of findings, what is shown are
 * the errors, and one of each kind before others of it; their summary stays.
 *
 * @param {string} text
 * @param {boolean} full
 */
export function clip(text, full) {
	const most = full ? FULL : SHORT;
	if (bytes(text) <= most) return text;
	const lines = worstFirst(text.trimEnd()).split("\n");
	const summary = SUMMARY.test(lines.at(-1)) ? `${lines.pop()}\n\n` : "";
	const room = most - ROOM_FOR_NOTE - bytes(summary);
	let taken = 0;
	let size = 0;
	let paragraph = 0;
	for (const line of lines) {
		size += bytes(line) + 1;
		if (size > room) break;
		taken += 1;
		if (line === "") paragraph = taken;
	}
	// A paragraph that is cut says half of its reasons; but most of the room should be used.
	if (paragraph > taken / 2) taken = paragraph;
	const shown = taken === 0 ? [cut(lines[0], room)] : lines.slice(0, taken);
	const rest = lines.slice(shown.length);
	const again = full ? "ask" : "ask again with `full: true`, or";
	return `${shown.join("\n")}\n${summary}… ${rest.length} of ${lines.length} lines are left out${absent(shown, rest)}: ${again} about one pod, node or file.`;
}

/** The same paragraphs with the findings among them in another order: errors first, and the first one of each code before the others. */
function worstFirst(text) {
	const paragraphs = text.split("\n\n");
	const known = new Set();
	const findings = [];
	for (const paragraph of paragraphs) {
		const [, severity] = FINDING.exec(paragraph) ?? [];
		if (severity === undefined) continue;
		const [code = ""] = paragraph.match(CODE) ?? [];
		const rank = SEVERITIES.indexOf(severity) + (known.has(code) ? 0.5 : 0);
		known.add(code);
		findings.push({ paragraph, rank });
	}
	findings.sort((a, b) => a.rank - b.rank);
	return paragraphs
		.map((paragraph) =>
			FINDING.test(paragraph) ? findings.shift().paragraph : paragraph,
		)
		.join("\n\n");
}

/** The codes of findings that are in no line that is shown. */
function absent(shown, rest) {
	const codes = (lines) =>
		new Set(Array.from(lines.join("\n").matchAll(CODE), ([, code]) => code));
	const known = codes(shown);
	const others = [...codes(rest)].filter((code) => !known.has(code));
	if (others.length === 0) return "";
	const named = others.slice(0, MOST_CODES).join(", ");
	return ` (with ${named}${others.length > MOST_CODES ? " and others" : ""})`;
}

/** The beginning of a line that is longer than an answer. */
function cut(line, most) {
	return Buffer.from(line)
		.subarray(0, most)
		.toString()
		.replace(/\uFFFD+$/, "");
}
