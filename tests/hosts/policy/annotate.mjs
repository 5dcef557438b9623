// Writes what Kubewarden knows of the policy into a module, as `kwctl annotate -m metadata.yml -u README.md` does: a custom
// section `io.kubewarden.metadata` with JSON. kwctl adds its section behind those a module has and reads the first one, so the
// module must have none yet.
//
//     node annotate.mjs MODULE OUTPUT kubewarden-wapc|wasi|opa|gatekeeper
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const SECTION = "io.kubewarden.metadata";
const root = path.resolve(
	path.dirname(fileURLToPath(import.meta.url)),
	"../../..",
);

/** The metadata of the module for an execution mode: pkg/policy/metadata.json with the README as usage, without its generated tables. */
export function metadata(executionMode) {
	const base = JSON.parse(
		readFileSync(path.join(root, "pkg/policy/metadata.json"), "utf8"),
	);
	// kwctl asks only waPC modules for their protocol, and only they can ask the cluster.
	const isWapc = executionMode === "kubewarden-wapc";
	const protocolVersion = isWapc ? base.protocolVersion : "Unknown";
	const hostCapabilities = isWapc ? base.hostCapabilities : [];
	const usage = withoutTables(
		readFileSync(path.join(root, "pkg/policy/README.md"), "utf8"),
	);
	const annotations = {
		...base.annotations,
		"io.kubewarden.policy.usage": usage,
	};
	return {
		...base,
		protocolVersion,
		hostCapabilities,
		executionMode,
		annotations,
	};
}

/** The README without its generated tables: that of all settings, which settings.schema.json has too, and that of what each sees. */
export function withoutTables(readme) {
	const settings = /<!-- settings: [\s\S]*<!-- end of settings -->/;
	const sees = /## What each setting sees\n[\s\S]*?\n(?=## |\n<!-- settings: )/;
	for (const table of [settings, sees])
		if (!table.test(readme)) throw new Error(`README.md has no ${table}`);
	return readme
		.replace(sees, "")
		.replace(
			settings,
			"All settings, and what each sees: `settings.schema.json` and the README in the repository.",
		);
}

/** An unsigned number as LEB128. */
export function leb128(number) {
	const bytes = [];
	do {
		bytes.push((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
		number >>>= 7;
	} while (number);
	return Buffer.from(bytes);
}

/** The module with a custom section behind all others. */
export function annotated(module, content) {
	if (
		WebAssembly.Module.customSections(new WebAssembly.Module(module), SECTION)
			.length
	) {
		throw new Error(
			`the module has a section ${SECTION} already, and the first one counts`,
		);
	}
	const name = Buffer.from(SECTION);
	const section = Buffer.concat([
		leb128(name.length),
		name,
		Buffer.from(content),
	]);
	return Buffer.concat([
		module,
		Buffer.from([0]),
		leb128(section.length),
		section,
	]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const [input, output, executionMode] = process.argv.slice(2);
	writeFileSync(
		output,
		annotated(readFileSync(input), JSON.stringify(metadata(executionMode))),
	);
}
