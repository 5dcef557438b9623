// Before `npm pack` of the package in this folder: what `make pkg` writes must be there, or an empty package would be packed.
import { existsSync, readFileSync } from "node:fs";
import { PACKAGES } from "./packages.mjs";

// npm runs this in the folder of the package.
const { name, exports } = JSON.parse(readFileSync("package.json", "utf8"));
const needed = PACKAGES.find((known) => known.name === name)?.made ?? [];
const missing = needed.filter((file) => !existsSync(file));
if (missing.length > 0 || !exports) {
	console.error(
		`${name}: run \`make pkg\` first: ${missing.join(", ") || "package.json"} is missing`,
	);
	process.exit(1);
}
