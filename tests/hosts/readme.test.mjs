// Runs the commands and snippets of the READMEs: shell lines in the repository, JavaScript in a project with the package.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	cpSync,
	mkdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { here, root } from "./suite.mjs";

const folder = path.join(here, "target/readme");
rmSync(folder, { recursive: true, force: true });
mkdirSync(path.join(folder, "node_modules/.bin"), { recursive: true });
symlinkSync(path.join(root, "pkg"), path.join(folder, "node_modules/claimkit"));
symlinkSync(
	"../claimkit/cli.js",
	path.join(folder, "node_modules/.bin/claimkit"),
);
mkdirSync(path.join(folder, "manifests"));
cpSync(
	path.join(here, "manifests/good.yaml"),
	path.join(folder, "manifests/good.yaml"),
);
writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');

/** Code blocks of a language, with what the next block shows as their output, if it is one of plain text. */
function blocks(file, language) {
	const found = [
		...readFileSync(path.join(root, file), "utf8").matchAll(
			/```(\w+)\n([\s\S]*?)```/g,
		),
	];
	return found.flatMap(([, name, body], at) =>
		name === language
			? [
					{
						body,
						shown: found[at + 1]?.[1] === "text" ? found[at + 1][2] : undefined,
					},
				]
			: [],
	);
}

for (const file of ["README.md", "pkg/README.md"]) {
	for (const { body, shown } of blocks(file, "sh")) {
		for (const line of body.trim().split("\n")) {
			test(`${file}: ${line}`, () => {
				const [program, ...args] = line.split(" ");
				// The targets of make have tests of their own; here it is enough that the target exists.
				const settings = program === "npx" ? { cwd: folder } : { cwd: root };
				const done = spawnSync(
					program,
					program === "make" ? ["--dry-run", ...args] : args,
					{ ...settings, encoding: "utf8" },
				);
				const status = line.includes("bad.yaml") ? 1 : 0;
				assert.equal(done.status, status, `${done.stdout}${done.stderr}`);
				if (shown !== undefined) assert.equal(done.stdout, shown);
			});
		}
	}
	blocks(file, "js").forEach(({ body }, at) => {
		// Editors need a page: editors.test.mjs runs those.
		if (/from "(codemirror|monaco-editor|@codemirror)/.test(body)) return;
		test(`${file}: JavaScript ${at + 1}`, () => {
			writeFileSync(path.join(folder, "snippet.js"), body);
			const done = spawnSync("node", ["snippet.js"], {
				cwd: folder,
				encoding: "utf8",
			});
			assert.equal(done.status, 0, done.stderr);
		});
	});
}
