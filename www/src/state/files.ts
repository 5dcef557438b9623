import { Text } from "@codemirror/state";
import { computed, signal } from "@preact/signals";
import type { TextSource } from "../engine/client.ts";

/** The roles of a file: checked, evaluated against, compared with, patched by, the policy's settings, or those of the project (`claimkit.toml`). */
export const ROLES = [
	"manifest",
	"nodes",
	"stored",
	"patch",
	"settings",
	"config",
] as const;
export type Role = (typeof ROLES)[number];

export interface PageFile {
	id: string;
	name: string;
	role: Role;
	/** Line ends of the file as it came; the editor works with `\n` alone and they are put back in every answer. */
	eol: "\n" | "\r\n";
	/** Grows with every change; with the id it names one text for good. */
	version: number;
	doc: Text;
	/** The file's own bytes where they are not UTF-8, until something is written in it; `doc` then has U+FFFD in their place. */
	bytes?: Uint8Array;
	/** The versions that the kubelets of its nodes say, with the number of nodes; read when the text came. */
	kubelets: ReadonlyMap<string, number>;
	/** How often it names each namespace that every cluster has once; read when the text came. */
	namespaces: ReadonlyMap<string, number>;
}

const NONE: ReadonlyMap<string, number> = new Map();
const KUBELET =
	/^[ \t{,]*["']?kubeletVersion["']?\s*:\s*["']?(v?\d+\.\d+[^\s"',}]*)/gm;

/** The namespaces by which the engine tells clusters apart, where something is named so. */
const EVERYWHERE =
	/(?<![\w.])name["']?\s*:\s*["']?(kube-system|default|kube-public)\b(?![\w.-])/g;

/** Counts what a pattern finds in texts with a word. */
function countsOf(
	text: string,
	word: string,
	pattern: RegExp,
): ReadonlyMap<string, number> {
	if (!text.includes(word)) return NONE;
	const counts = new Map<string, number>();
	for (const [, found = ""] of text.matchAll(pattern))
		counts.set(found, (counts.get(found) ?? 0) + 1);
	return counts;
}

/** What is read of a text when it comes, and not with every key. */
const readIn = (text: string): Pick<PageFile, "kubelets" | "namespaces"> => ({
	kubelets: countsOf(text, "kubeletVersion", KUBELET),
	namespaces: countsOf(text, "Namespace", EVERYWHERE),
});

export const files = signal<readonly PageFile[]>([]);
export const activeId = signal("");

export const activeFile = computed(
	() =>
		files.value.find((file) => file.id === activeId.value) ?? files.value[0],
);

/** The manifest the panels speak about: the open one, or the last that was open. */
const lastManifestId = signal("");
export const manifest = computed(() => {
	const active = activeFile.value;
	if (active?.role === "manifest") return active;
	const manifests = files.value.filter((file) => file.role === "manifest");
	return (
		manifests.find((file) => file.id === lastManifestId.value) ?? manifests[0]
	);
});

/**
 * The parts of a file that the page shows besides its text; the same list until one of them changes, so that no key redraws
 * the tabs.
 */
export interface FileHead {
	id: string;
	name: string;
	role: Role;
	empty: boolean;
}

let heads: readonly FileHead[] = [];
export const fileHeads = computed(() => {
	const now = files.value.map(({ id, name, role, doc }) => ({
		id,
		name,
		role,
		empty: doc.length === 0,
	}));
	const same =
		now.length === heads.length &&
		now.every((head, index) =>
			Object.entries(head).every(
				([key, value]) => heads[index]?.[key as keyof FileHead] === value,
			),
		);
	if (!same) heads = now;
	return heads;
});
/** The manifest without its text: which it is, and whether there is any. */
export const manifestHead = computed(() =>
	fileHeads.value.find(({ id }) => id === manifest.value?.id),
);
export const activeHead = computed(() =>
	fileHeads.value.find(({ id }) => id === activeFile.value?.id),
);

export function fileOf(role: Role): PageFile | undefined {
	const active = activeFile.value;
	return active?.role === role
		? active
		: files.value.find((file) => file.role === role);
}

let counter = 0;
let versions = 0;

export function splitLines(text: string): Text {
	return Text.of(text.split(/\r\n?|\n/));
}

/** Consistent CRLF is kept; anything mixed becomes `\n`, as the editor shows it. */
function lineEnd(text: string): "\n" | "\r\n" {
	const crlf = text.indexOf("\r\n");
	return crlf >= 0 && text.indexOf("\n") === crlf + 1 && !/[^\r]\n/.test(text)
		? "\r\n"
		: "\n";
}

export function newFile(
	name: string,
	role: Role,
	text: string,
	bytes?: Uint8Array,
): PageFile {
	counter += 1;
	versions += 1;
	return {
		id: `f${counter}`,
		name,
		role,
		eol: lineEnd(text),
		version: versions,
		doc: splitLines(text),
		...readIn(text),
		...(bytes ? { bytes } : {}),
	};
}

export function textOf(file: PageFile): string {
	return file.doc.sliceString(0, undefined, file.eol);
}

export function source(file: PageFile): TextSource {
	return {
		key: file.id,
		version: file.version,
		get: () => file.bytes ?? textOf(file),
	};
}

/** UTF-16 with its byte order mark, as Windows PowerShell writes it. */
function utf16(bytes: Uint8Array): string | null {
	const [first, second] = bytes;
	if (bytes.length % 2 !== 0) return null;
	if (first === 0xff && second === 0xfe)
		return new TextDecoder("utf-16le").decode(bytes);
	if (first === 0xfe && second === 0xff)
		return new TextDecoder("utf-16be").decode(bytes);
	return null;
}

/** Reads a file of the disk: as text, and with its bytes where they are neither UTF-8 nor UTF-16, which kubectl reads too. */
export function decode(bytes: Uint8Array): {
	text: string;
	bytes?: Uint8Array;
} {
	const wide = utf16(bytes);
	if (wide !== null) return { text: wide };
	// A byte order mark is a part of the text, as kubectl reads it.
	try {
		return {
			text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
				bytes,
			),
		};
	} catch {
		return {
			text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes),
			bytes,
		};
	}
}

let literals = 0;
/** Returns a text that is not a file, for one request. */
export function literal(key: string, text: string): TextSource {
	literals += 1;
	return { key: `literal:${key}`, version: literals, get: () => text };
}

export function activate(id: string): void {
	const file = files.peek().find((candidate) => candidate.id === id);
	if (!file) return;
	if (file.role === "manifest") lastManifestId.value = id;
	activeId.value = id;
}

/** A change of this many characters was pasted; a key does not change the versions of nodes. */
const PASTED = 100;

/** Called by the editor for every change of a text. */
export function changeDoc(id: string, doc: Text): void {
	versions += 1;
	files.value = files.peek().map((file) => {
		if (file.id !== id) return file;
		const { bytes: _, ...rest } = file;
		const read =
			Math.abs(doc.length - file.doc.length) < PASTED
				? {}
				: readIn(doc.toString());
		return { ...rest, doc, version: versions, ...read };
	});
}

/** Gives a file a name; two of one name would look the same in a command or a report. */
export function rename(id: string, wanted: string): void {
	const name = freeName(wanted, id);
	files.value = files
		.peek()
		.map((file) => (file.id === id ? { ...file, name } : file));
}

export function setRole(id: string, role: Role): void {
	files.value = files
		.peek()
		.map((file) => (file.id === id ? { ...file, role } : file));
}

export function close(id: string): void {
	const list = files.peek();
	const index = list.findIndex((file) => file.id === id);
	if (index < 0 || list.length === 1) return;
	const rest = list.filter((file) => file.id !== id);
	files.value = rest;
	if (activeId.peek() === id)
		activate((rest[index] ?? rest[rest.length - 1])?.id ?? "");
}

/** Reopens a closed file in its old position; later changes of other files stay. */
export function reopen(file: PageFile, index: number): void {
	const list = files.peek();
	if (!list.some(({ id }) => id === file.id))
		files.value = [...list.slice(0, index), file, ...list.slice(index)];
	activate(file.id);
}

export function open(file: PageFile): void {
	files.value = [...files.peek(), file];
	activate(file.id);
}

/** Opens several files beside those there are, each with a name of its own, and shows the last. */
export function openAll(list: readonly PageFile[]): void {
	const taken = new Set(files.peek().map(({ name }) => name));
	const named = list.map((file) => {
		const name = nameBeside(taken, file.name);
		taken.add(name);
		return { ...file, name };
	});
	files.value = [...files.peek(), ...named];
	const last = named.at(-1);
	if (last) activate(last.id);
}

/**
 * Opens several files: each in the place of the open one of its name, else beside those there are. Shows the last. Returns the files
 * that are not open any more, without those of the same text.
 */
export function openInPlace(list: readonly PageFile[]): PageFile[] {
	const newest = new Map<string, PageFile>();
	for (const file of list)
		if (!newest.has(file.name)) newest.set(file.name, file);
	const former = files.peek();
	const replaced = former.filter(({ name }) => newest.has(name));
	if (replaced.length > 0)
		files.value = former.map((file) => newest.get(file.name) ?? file);
	const placed = new Set(replaced.map(({ name }) => newest.get(name)));
	const beside = list.filter((file) => !placed.has(file));
	if (beside.length > 0) openAll(beside);
	else activate(list.at(-1)?.id ?? "");
	return replaced.filter(
		(file) => textOf(file) !== textOf(newest.get(file.name) ?? file),
	);
}

/** Replaces all files of the page. */
export function replaceAll(list: readonly PageFile[], active = 0): void {
	files.value = list;
	lastManifestId.value = "";
	const first = list[active] ?? list[0];
	activeId.value = "";
	if (first) activate(first.id);
}

/** Returns the role that a file's name suggests. The role that its objects suggest is in `arrivals.ts`. */
export function roleOfName(name: string): Role {
	if (/(^|\/)claimkit\.toml$/i.test(name)) return "config";
	return /^settings\.(ya?ml|json)$/i.test(name) ? "settings" : "manifest";
}

/** A name no other file has. */
export function freeName(wanted: string, own = ""): string {
	const taken = new Set(
		files.peek().flatMap((file) => (file.id === own ? [] : [file.name])),
	);
	return nameBeside(taken, wanted);
}

function nameBeside(taken: ReadonlySet<string>, wanted: string): string {
	if (!taken.has(wanted)) return wanted;
	const dot = wanted.lastIndexOf(".");
	const [stem, end] =
		dot > 0 ? [wanted.slice(0, dot), wanted.slice(dot)] : [wanted, ""];
	for (let i = 2; ; i++) {
		const name = `${stem}-${i}${end}`;
		if (!taken.has(name)) return name;
	}
}

export const fileById = (id: string): PageFile | undefined =>
	files.peek().find((file) => file.id === id);
