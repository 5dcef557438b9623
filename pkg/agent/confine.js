// The host of a command line that an agent asks for: texts of the call, files below the current folder, and no writing.
import { realpathSync } from "node:fs";
import path from "node:path";

/** Settings of the project are looked for above the current folder, too. */
const SETTINGS = "claimkit.toml";

/** Whether a path is a folder or below it. */
function isIn(folder, file) {
	const apart = path.relative(folder, file);
	return !path.isAbsolute(apart) && apart.split(path.sep)[0] !== "..";
}

/**
 * @param {any} host what `cli.js` gives the command
 * @param {Record<string, string>} texts the texts of the call, by the names that its words have
 */
export function confine(host, texts) {
	const root = realpathSync(process.cwd());
	const inside = (name) => {
		let real;
		try {
			real = realpathSync(name);
		} catch {
			// The host says what is wrong with it.
			return path.resolve(name);
		}
		const isSettings =
			path.basename(real) === SETTINGS && isIn(path.dirname(real), root);
		if (!isIn(root, real) && !isSettings)
			throw new Error(`is not below ${root}, where this server reads`);
		return name;
	};
	const out = [];
	const err = [];
	return {
		host: {
			...host,
			read: (name, most) =>
				Object.hasOwn(texts, name)
					? new TextEncoder().encode(texts[name])
					: host.read(inside(name), most),
			list: (name) =>
				Object.hasOwn(texts, name) ? undefined : host.list(inside(name)),
			write: () => {
				throw new Error("this server writes nothing");
			},
			line: () => undefined,
			status: () => {},
			isPlugin: () => false,
			columns: () => undefined,
			colours: () => false,
			out: (text) => out.push(text),
			err: (text) => err.push(text),
		},
		/** What the command printed: the answer, then what it says besides. */
		printed: () =>
			`${out.join("")}${err.join("")}`.trimEnd() || "nothing was found",
	};
}
