// The adapters' hand-written types against the real libraries' types, in strict mode.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { here, root } from "./suite.mjs";

const EXAMPLE = `
import { autocompletion, snippet } from "@codemirror/autocomplete";
import { linter } from "@codemirror/lint";
import { hoverTooltip } from "@codemirror/view";
import * as monaco from "monaco-editor";
import { completionSource, hoverSource, lintSource } from "claimkit/codemirror";
import { codeActions, completions, diagnostics, hover } from "claimkit/lsp";
import { register } from "claimkit/monaco";
import type { CodeAction, CompletionItem, Hover } from "vscode-languageserver-types";

export const extensions = [
  linter(lintSource({ release: "1.29" })),
  hoverTooltip(hoverSource({ locale: "zh-Hans" })),
  autocompletion({ override: [completionSource({ snippet })] }),
];
const registered: monaco.IDisposable = register(monaco, { languages: ["yaml"], validate: { operation: "create" } });
registered.dispose();
export const actions: CodeAction[] = codeActions("file:///x", diagnostics("x", { codePages: "https://example.com/" }));
export const about: Hover | null = hover("x", { line: 0, character: 0 });
export const items: CompletionItem[] = completions("x", { line: 0, character: 0 }, { snippets: true });

// @ts-expect-error no such release
lintSource({ release: "2.0" });
// @ts-expect-error no such option
register(monaco, { speed: 1 });
// @ts-expect-error no such language
hover("x", { line: 0, character: 0 }, { locale: "fr" });
`;

test("the adapters' types fit CodeMirror's, Monaco's and the protocol's", () => {
	// Inside this folder, so that the libraries are found in its node_modules.
	const folder = path.join(here, "target/adapters");
	const installed = path.join(folder, "node_modules/claimkit");
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(installed, { recursive: true });
	for (const name of [
		"package.json",
		...readdirSync(path.join(root, "pkg")).filter((name) =>
			name.endsWith(".d.ts"),
		),
	]) {
		cpSync(path.join(root, "pkg", name), path.join(installed, name));
	}
	cpSync(
		path.join(root, "src/bindings/types.d.ts"),
		path.join(installed, "types.d.ts"),
	);
	writeFileSync(path.join(folder, "example.ts"), EXAMPLE);
	const compilerOptions = {
		strict: true,
		noEmit: true,
		module: "nodenext",
		target: "es2022",
		lib: ["es2023", "dom"],
		types: [],
	};
	writeFileSync(
		path.join(folder, "tsconfig.json"),
		JSON.stringify({ compilerOptions, files: ["example.ts"] }),
	);
	writeFileSync(
		path.join(folder, "package.json"),
		JSON.stringify({ type: "module", private: true }),
	);
	const done = spawnSync(
		process.execPath,
		[path.join(here, "node_modules/typescript/bin/tsc"), "-p", folder],
		{ encoding: "utf8" },
	);
	assert.equal(
		done.status,
		0,
		`${done.error ?? ""}${done.stdout}${done.stderr}`,
	);
});
