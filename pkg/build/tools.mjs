// Installs programs and bundled packages from npm for the builds, into target/tools.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { tools } from "./places.mjs";

const here = import.meta.dirname;
const folder = path.join(tools, "npm");

/** The folder with the packages, which are installed if one is not there. */
export function npmTools() {
	const wanted = JSON.parse(
		readFileSync(path.join(here, "package.json"), "utf8"),
	).devDependencies;
	const present = ([name, version]) => {
		const manifest = path.join(folder, "node_modules", name, "package.json");
		return (
			existsSync(manifest) &&
			JSON.parse(readFileSync(manifest, "utf8")).version === version
		);
	};
	if (!Object.entries(wanted).every(present)) {
		console.log(
			`==> ${Object.entries(wanted)
				.map((entry) => entry.join(" "))
				.join(", ")} from npm, once, about 5 seconds`,
		);
		mkdirSync(folder, { recursive: true });
		for (const file of ["package.json", "package-lock.json"])
			copyFileSync(path.join(here, file), path.join(folder, file));
		const done = spawnSync(
			"npm",
			["ci", "--no-fund", "--no-audit", "--loglevel=error"],
			{ cwd: folder, stdio: "inherit" },
		);
		if (done.status !== 0)
			throw new Error(
				`npm ci ended with ${done.status ?? done.signal ?? done.error?.message}`,
			);
	}
	return path.join(folder, "node_modules");
}

/** Returns the licenses of bundled packages as one text. */
export function licenses(names) {
	const one = (name) => {
		const at = path.join(npmTools(), name);
		const file = ["License.txt", "LICENSE", "LICENSE.md", "LICENSE.txt"]
			.map((candidate) => path.join(at, candidate))
			.find(existsSync);
		if (file === undefined) throw new Error(`${name} has no license`);
		const { version } = JSON.parse(
			readFileSync(path.join(at, "package.json"), "utf8"),
		);
		return `${name} ${version}\n\n${readFileSync(file, "utf8").replaceAll("\r", "").trim()}\n`;
	};
	return names.map(one).join("\n----\n\n");
}
