// The manifests of a project: open documents as they are, and the files of the workspace that nobody has open.
import * as claimkit from "claimkit";
import { toRange } from "claimkit/lsp";

/** Bytes of the texts that a document is judged beside; the nearest ones come first. */
const MOST_BESIDE = 2 << 20;
/** Files of a workspace that are kept. */
const MOST_FILES = 2000;

/** The names that make a text worth reading: the API group, pods with claims, nodes. */
const MENTIONS =
	/resource\.k8s\.io|resourceClaims|["']?\bkind["']?\s*:\s*["']?Node(List)?\b/;
const OURS = /resource\.k8s\.io|resourceClaims/;
/** A value that begins with `{{` marks a template: kubectl refuses such a manifest. */
const TEMPLATE =
	/^[ \t]*(- +)*([\w."'/-]+:[ \t]+)?["']?\{\{[-#/%<]?(?![^}]*\}[^}])/m;

/** True for a text that is written to become a manifest, such as a Helm template. */
export const isTemplate = (uri, language, text) =>
	language === "helm" ||
	(text.includes("{{") && (uri.includes("/templates/") || TEMPLATE.test(text)));

/** True for a text that has something to judge. */
export const isOurs = (text) => OURS.test(text);

/** True for a text where a manifest may begin. */
export const isBeginning = (text) =>
	!/^[ \t]*[^#\s-]/m.test(text) ||
	/^["']?(apiVersion|kind)["']?\s*:/m.test(text);

const SYNTAX = new Set([
	"yaml-syntax",
	"json-syntax",
	"limit-bytes",
	"limit-nodes",
]);

/** A text with what was made of it. */
class Text {
	constructor(uri, text) {
		this.uri = uri;
		this.text = text;
		/** @type {ReturnType<typeof claimkit.symbols> | undefined} */
		this.symbols = undefined;
		/** @type {boolean | undefined} */
		this.whole = undefined;
		/** @type {object[] | undefined} */
		this.published = undefined;
	}

	get names() {
		this.symbols ??= claimkit.symbols(this.text);
		return this.symbols.names;
	}

	/** Whether a reader of several texts gets to its end. */
	get readable() {
		this.whole ??= !claimkit
			.parse(this.text, { limits: { findings: 1000 } })
			.findings.some(({ code }) => SYNTAX.has(code));
		return this.whole;
	}

	/** The devices of its slices, as selectors see them. */
	get devices() {
		this.published ??= /ResourceSlice/.test(this.text)
			? claimkit.parse(this.text).objects.flatMap(devicesOf)
			: [];
		return this.published;
	}
}

/**
 * The devices of a slice; up to v1beta1 their content is in `basic`.
 *
 * @param {import("claimkit").ParsedObject} parsed
 */
function devicesOf({ kind, object: parsed }) {
	const object = /** @type {any} */ (parsed);
	if (kind !== "ResourceSlice" || object?.spec?.devices === undefined)
		return [];
	const { driver, devices } = object.spec;
	return devices.map((device) => {
		const { attributes, capacity, allowMultipleAllocations } =
			device.basic ?? device;
		return JSON.parse(
			JSON.stringify({
				driver,
				attributes,
				capacity,
				allowMultipleAllocations: allowMultipleAllocations ?? undefined,
			}),
		);
	});
}

const key = ({ kind, name, namespace, of }) =>
	JSON.stringify([kind, namespace, of, name]);

/** How many folders two addresses share. */
function nearness(a, b) {
	const [one, other] = [a.split("/"), b.split("/")];
	let shared = 0;
	while (shared < one.length - 1 && one[shared] === other[shared]) shared += 1;
	return shared;
}

export class Project {
	#files;
	#closed = new Map();
	#open = new Map();
	/** Counts changes, so that what was made of all texts can be kept. */
	version = 0;

	constructor(files) {
		this.#files = files;
	}

	/** Reads the manifests of folders. */
	async load(folders) {
		this.#closed.clear();
		let room = MOST_FILES;
		for await (const uri of this.#files.manifests(folders)) {
			if (room === 0) break;
			if (await this.reload(uri)) room -= 1;
		}
	}

	/** Reads one file anew; gives whether it is of interest. */
	async reload(uri) {
		const text = await this.#files.read(uri);
		this.version += 1;
		if (
			text === undefined ||
			!MENTIONS.test(text) ||
			isTemplate(uri, "", text)
		) {
			this.#closed.delete(uri);
			return false;
		}
		if (this.#closed.get(uri)?.text !== text)
			this.#closed.set(uri, new Text(uri, text));
		return true;
	}

	/** Takes the text of an open document in. */
	set(uri, language, text) {
		this.version += 1;
		if (MENTIONS.test(text) && !isTemplate(uri, language, text))
			this.#open.set(uri, new Text(uri, text));
		else this.#open.set(uri, undefined);
	}

	/** The document is closed: the file counts again. */
	async close(uri) {
		this.#open.delete(uri);
		await this.reload(uri);
	}

	/** All texts; an open document stands for its file. */
	texts(workspace = true) {
		const found = [...this.#open.values()].filter((text) => text !== undefined);
		if (workspace)
			for (const [uri, text] of this.#closed)
				if (!this.#open.has(uri)) found.push(text);
		return found;
	}

	/** The text of a document, if it is of interest. */
	text(uri) {
		return this.#open.has(uri) ? this.#open.get(uri) : this.#closed.get(uri);
	}

	/** The texts beside a document that are not too much, the nearest first. */
	beside(uri, workspace) {
		let room = MOST_BESIDE;
		const others = this.texts(workspace).filter((text) => text.uri !== uri);
		others.sort(
			(a, b) =>
				nearness(b.uri, uri) - nearness(a.uri, uri) || (a.uri < b.uri ? -1 : 1),
		);
		return others.filter((text) => {
			room -= text.text.length;
			return room >= 0;
		});
	}

	/** The name that is written at a place. */
	nameAt(uri, { line, character }) {
		const names = this.text(uri)?.names ?? [];
		return names.find(
			({ range }) =>
				range.start.line === line &&
				range.start.character <= character &&
				character <= range.end.character,
		);
	}

	/** The places where a thing is named: `{uri, range, definition}`. */
	places(name, workspace = true) {
		const wanted = key(name);
		return this.texts(workspace).flatMap(({ uri, names }) =>
			names
				.filter((other) => key(other) === wanted)
				.map(({ range, definition }) => ({
					uri,
					range: toRange(range),
					definition,
				})),
		);
	}

	/** The places that a change of a name changes. What a thing owns follows it: the requests of a claim that is renamed are found anew. */
	renames(name) {
		return this.places(name).map(({ uri, range }) => ({ uri, range }));
	}
}
