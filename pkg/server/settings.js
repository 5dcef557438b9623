// The settings by which a document is judged: `claimkit.toml` beside the file or in a folder above it, and the client's settings, which come
// before it, as options of the command line do.
import { parse, TomlError } from "smol-toml";
import { excluded } from "../claimkit.js";
import { LOCALES } from "../locale.js";
import { readSettings } from "../settings.js";

/** The name of the file. */
export const NAME = "claimkit.toml";

/** The settings that hold by default. */
const DEFAULTS = {
	release: undefined,
	gates: {},
	namespaceLabels: undefined,
	ignore: [],
	exclude: [],
	remarks: false,
	locale: "en",
	codePages: undefined,
	workspace: true,
	lenses: true,
	inlayHints: undefined,
};

const isObject = (value) =>
	typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === "string" && value !== "";
const isList = (value) =>
	Array.isArray(value) && value.every((item) => typeof item === "string");
const allOf = (kind) => (value) =>
	isObject(value) && Object.values(value).every((item) => typeof item === kind);

const CHECKS = {
	release: isText,
	gates: allOf("boolean"),
	namespaceLabels: allOf("string"),
	ignore: isList,
	exclude: isList,
	remarks: (value) => typeof value === "boolean",
	locale: (value) => LOCALES.includes(value),
	codePages: isText,
	workspace: (value) => typeof value === "boolean",
	lenses: (value) => typeof value === "boolean",
	inlayHints: (value) => typeof value === "boolean",
};

/** Settings of clients that are not the server's. */
const OTHERS = new Set(["playground", "trace", "server", "enable", "commands"]);

/** Returns the names of the client's settings that do not exist. */
export const unknownNames = (given) =>
	isObject(given)
		? Object.keys(given).filter(
				(name) => !Object.hasOwn(CHECKS, name) && !OTHERS.has(name),
			)
		: [];

/** Returns the cluster of a document: the folder of its settings if that is inside its root, or its root. */
export function worldOf(uri, folder, roots) {
	const inside = (root) => uri.startsWith(`${root}/`);
	const root = roots
		.filter(inside)
		.reduce((best, one) => (one.length > best.length ? one : best), "");
	if (folder !== undefined && (root === "" || folder.startsWith(`${root}/`)))
		return folder;
	// What is in no folder, such as a text without a file, is with the only one.
	return root === "" && roots.length === 1 ? roots[0] : root;
}

/** The client's settings that can be used; empty ones count as not given. */
export function fromClient(given) {
	if (!isObject(given)) return {};
	return Object.fromEntries(
		Object.entries(CHECKS).flatMap(([name, fits]) =>
			fits(given[name]) ? [[name, given[name]]] : [],
		),
	);
}

const parent = (uri) => uri.slice(0, uri.lastIndexOf("/"));

/** True while a folder lies below the root of its file system. */
const isBelow = (folder) =>
	/^[a-z][a-z0-9+.-]*:\/\/[^/]*\/./i.test(`${folder}/`);

/** Returns an error of the file in one line; errors of syntax have their place. */
function problemOf(error) {
	const message = error.message.split("\n")[0];
	return error instanceof TomlError
		? `${message} at line ${error.line} column ${error.column}`
		: message;
}

/** The settings files of a project, read once. */
export class SettingsFiles {
	#files;
	#read = new Map();

	constructor(files) {
		this.#files = files;
	}

	/** Reads all files anew when they are asked for. */
	forget() {
		this.#read.clear();
	}

	/** Returns the settings of the nearest file: `{folder, settings}`, or with `problem` if it cannot be used. */
	async nearest(uri) {
		for (let folder = parent(uri); isBelow(folder); folder = parent(folder)) {
			if (!this.#read.has(folder)) this.#read.set(folder, this.#load(folder));
			const found = await this.#read.get(folder);
			if (found !== undefined) return found;
		}
		return undefined;
	}

	async #load(folder) {
		const uri = `${folder}/${NAME}`;
		const text = await this.#files.read(uri);
		if (text === undefined) return undefined;
		try {
			return { folder, uri, text, settings: readSettings(parse(text)) };
		} catch (error) {
			return { folder, uri, settings: {}, problem: problemOf(error) };
		}
	}

	/** All settings of a document. */
	async of(uri, client) {
		const file = await this.nearest(uri);
		const own = file?.settings ?? {};
		const settings = { ...DEFAULTS, ...own, ...client };
		settings.gates = { ...own.gates, ...client.gates };
		if (
			own.namespaceLabels !== undefined &&
			Object.keys(own.namespaceLabels).length === 0
		)
			settings.namespaceLabels = client.namespaceLabels;
		else if (own.namespaceLabels !== undefined)
			settings.namespaceLabels = {
				...own.namespaceLabels,
				...client.namespaceLabels,
			};
		settings.ignore = [...(own.ignore ?? []), ...(client.ignore ?? [])];
		settings.exclude = [...(own.exclude ?? []), ...(client.exclude ?? [])];
		settings.problem =
			file?.problem === undefined ? undefined : `${file.uri}: ${file.problem}`;
		settings.folder = file?.folder;
		settings.file = file?.uri;
		settings.text = file?.text;
		settings.releaseOfClient = client.release !== undefined;
		return settings;
	}
}

/** True if a pattern of `exclude` matches a document, relative to the folder of the settings or of the workspace. */
export function isExcluded(uri, { exclude, folder }, roots) {
	if (exclude.length === 0) return false;
	const bases = folder === undefined ? roots : [folder, ...roots];
	const base = bases.find((root) => uri.startsWith(`${root}/`));
	return excluded(
		decodeURIComponent(base === undefined ? uri : uri.slice(base.length + 1)),
		exclude,
	);
}
