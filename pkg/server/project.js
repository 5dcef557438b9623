// The manifests of a project: open documents as they are, and the files of the workspace that nobody has open.
import * as claimkit from "claimkit";
import { toRange } from "claimkit/lsp";
import { isForeign, patchesOf } from "../claimkit.js";

/** Bytes of the texts that a document is judged beside; the nearest ones come first. */
const MOST_BESIDE = 2 << 20;
/** Files of a workspace that are kept. */
const MOST_FILES = 2000;

/** The names that make a text worth reading: the API group, pods with claims, nodes. */
const MENTIONS =
	/resource\.k8s\.io|resourceClaims|["']?\bkind["']?\s*:\s*["']?Node(List)?\b/;
const OURS = /resource\.k8s\.io|resourceClaims/;
const KUSTOMIZATION = /\/kustomization\.ya?ml$/;

/** True for a text that is not a manifest as it is: a template, a kustomization or a patch. */
const isNoManifest = (uri, language, text) =>
	language === "helm" || isForeign(decodeURIComponent(uri), text);

/** True for a text that has something to judge. */
export const isOurs = (text) => OURS.test(text);

/** True for a text where a manifest may begin: one without content, with the head of an object, or with its first word. */
export const isBeginning = (text) =>
	!/^[ \t]*[^#\s-]/m.test(text) ||
	/^["']?(apiVersion|kind)["']?\s*:/m.test(text) ||
	/^(?:[ \t]*(?:#.*|---)?\r?\n)*[A-Za-z]+[ \t]*(?:\r?\n[ \t]*)*$/.test(text);

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
		/**
		 * The cluster that it belongs to: the folder of its settings, or its root; undefined before that is known.
		 *
		 * @type {string | undefined}
		 */
		this.world = undefined;
		/** Whether the settings leave it out. */
		this.excluded = false;
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

/** The address of a file that another names; none if it is not one. */
function resolved(name, uri) {
	try {
		return [new URL(name, uri).href];
	} catch {
		return [];
	}
}

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
	/** The files that kustomizations name as patches, by kustomization. */
	#patches = new Map();
	/** The names that were defined since the server started: a name that is gone was deleted. */
	#had = new Set();
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
		this.#look(uri, text);
		if (
			text === undefined ||
			!MENTIONS.test(text) ||
			isNoManifest(uri, "", text)
		) {
			this.#remember(this.#closed.get(uri));
			this.#closed.delete(uri);
			return false;
		}
		if (this.#closed.get(uri)?.text !== text) {
			this.#remember(this.#closed.get(uri));
			this.#closed.set(uri, new Text(uri, text));
		}
		return true;
	}

	/** Takes the text of an open document in. */
	set(uri, language, text) {
		this.version += 1;
		this.#look(uri, text);
		this.#remember(this.text(uri));
		const own =
			MENTIONS.test(text) && !isNoManifest(uri, language, text)
				? new Text(uri, text)
				: undefined;
		if (own !== undefined) {
			const before = this.#open.get(uri) ?? this.#closed.get(uri);
			own.world = before?.world;
			own.excluded = before?.excluded ?? false;
		}
		this.#open.set(uri, own);
	}

	/** Takes in which patches a kustomization names. */
	#look(uri, text) {
		if (!KUSTOMIZATION.test(uri)) return;
		if (text === undefined) this.#patches.delete(uri);
		else
			this.#patches.set(
				uri,
				patchesOf(text).flatMap((name) => resolved(name, uri)),
			);
	}

	/** Reads the kustomization beside a file, which may be in no folder of the workspace. */
	async lookBeside(uri) {
		const folder = uri.slice(0, uri.lastIndexOf("/"));
		for (const name of ["kustomization.yaml", "kustomization.yml"]) {
			const file = `${folder}/${name}`;
			if (!this.#patches.has(file) && !this.#open.has(file))
				this.#look(file, await this.#files.read(file));
		}
	}

	/** True for a file that a kustomization names as a patch. */
	isPatch(uri) {
		for (const files of this.#patches.values())
			if (files.includes(uri)) return true;
		return false;
	}

	/** Keeps what a text that goes defined. */
	#remember(text) {
		if (text === undefined || text.symbols === undefined) return;
		for (const name of text.names)
			if (name.definition) this.#had.add(`${text.world} ${key(name)}`);
	}

	/** True for the use of a name that was defined before, and is not any more. */
	isGone(uri, name) {
		const world = this.text(uri)?.world;
		return (
			!name.definition &&
			this.#had.has(`${world} ${key(name)}`) &&
			!this.places(name, uri).some(({ definition }) => definition)
		);
	}

	/** The texts whose cluster is not known yet. */
	unplaced() {
		return this.all().filter(({ world }) => world === undefined);
	}

	/** Forgets which clusters texts belong to: settings or folders have changed. */
	unplace() {
		for (const text of this.all()) text.world = undefined;
	}

	/** The texts of all clusters; an open document stands for its file. */
	all() {
		const closed = [...this.#closed].filter(([uri]) => !this.#open.has(uri));
		return [...this.#open.values(), ...closed.map(([, text]) => text)].filter(
			(text) => text !== undefined,
		);
	}

	/** The document is closed: the file counts again. */
	async close(uri) {
		this.#open.delete(uri);
		await this.reload(uri);
	}

	/** All texts of a document's cluster; an open document stands for its file. */
	texts(uri, workspace = true) {
		const found = [...this.#open.values()];
		if (workspace)
			for (const [closed, text] of this.#closed)
				if (!this.#open.has(closed)) found.push(text);
		const world = this.text(uri)?.world;
		return found.filter(
			(text) =>
				text !== undefined &&
				text.world === world &&
				(!text.excluded || text.uri === uri) &&
				!this.isPatch(text.uri),
		);
	}

	/** The text of a document, if it is of interest. */
	text(uri) {
		return this.#open.has(uri) ? this.#open.get(uri) : this.#closed.get(uri);
	}

	/** The texts beside a document that are not too much, the nearest first. */
	beside(uri, workspace) {
		let room = MOST_BESIDE;
		const others = this.texts(uri, workspace).filter(
			(text) => text.uri !== uri,
		);
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

	/** The places where a thing of a document's cluster is named: `{uri, range, definition}`. */
	places(name, document, workspace = true) {
		const wanted = key(name);
		return this.texts(document, workspace).flatMap(({ uri, names }) =>
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
	renames(name, document, workspace) {
		return this.places(name, document, workspace).map(({ uri, range }) => ({
			uri,
			range,
		}));
	}
}
