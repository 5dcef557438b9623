// claimkit/lsp against the types of the Language Server Protocol: shapes that their own checks accept, and edits that do what
// their titles say.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { TextDocument } from "vscode-languageserver-textdocument";
import * as types from "vscode-languageserver-types";
import { codeActions, completions, diagnostics, hover } from "../../pkg/lsp.js";
import { root } from "./suite.mjs";

const uri = "file:///claim.yaml";
const head =
	"# é😀\r\napiVersion: resource.k8s.io/v1alpha2\r\nkind: ResourceClaim\r\nmetadata:\r\n  name: c\r\nspec:\r\n";
const document = (text) => TextDocument.create(uri, "yaml", 1, text);
const end = (text) => document(text).positionAt(text.length);

test("diagnostics", () => {
	const text = `${head}  resourceClassName: 5\r\n---\r\n${head}  resourceClassName: x\r\n  allocationMode: Later\r\n`;
	const found = diagnostics(text, { codePages: "https://example.com/codes/" });
	assert.ok(found.length >= 2, JSON.stringify(found));
	for (const diagnostic of found) {
		assert.ok(types.Diagnostic.is(diagnostic), JSON.stringify(diagnostic));
		assert.ok(!("offset" in diagnostic.range.start));
		assert.equal(
			diagnostic.codeDescription.href,
			`https://example.com/codes/${diagnostic.code}.html`,
		);
	}
	const mistyped = found.find(({ code }) => code === "type-mismatch");
	assert.equal(document(text).getText(mistyped.range), "5");
	assert.equal(mistyped.severity, types.DiagnosticSeverity.Error);
	assert.equal(mistyped.source, "kube-apiserver");
	assert.match(mistyped.message, /^json: cannot unmarshal number/);
	assert.equal(diagnostics(text)[0].codeDescription, undefined);
});

test("quick fixes mend what they are offered for", () => {
	const text = `${head}  resourceClassName: 5\r\n`;
	const found = diagnostics(text);
	const [action] = codeActions(uri, found);
	assert.ok(types.CodeAction.is(action), JSON.stringify(action));
	assert.equal(action.kind, types.CodeActionKind.QuickFix);
	const mended = TextDocument.applyEdits(
		document(text),
		action.edit.changes[uri],
	);
	assert.equal(mended, text.replace("5", '"5"'));
	assert.deepEqual(
		diagnostics(mended).filter(({ severity }) => severity === 1),
		[],
	);
	// Diagnostics of others have no fixes of ours.
	assert.deepEqual(
		codeActions(uri, [{ range: found[0].range, message: "other" }]),
		[],
	);
});

test("hover", () => {
	const text = `${head}  resourceClassName: x\r\n`;
	const found = hover(text, { line: 6, character: 4 });
	assert.ok(types.Hover.is(found), JSON.stringify(found));
	assert.equal(document(text).getText(found.range), "resourceClassName");
	assert.match(found.contents.value, /Name of the ResourceClass/);
	assert.match(
		hover(text, { line: 6, character: 4 }, { locale: "zh-Hans" }).contents
			.value,
		/ResourceClass 的名称/,
	);
	assert.equal(hover(text, { line: 0, character: 2 }), null);
});

test("completion", () => {
	const text = `${head}  para`;
	for (const snippets of [false, true]) {
		const found = completions(text, end(text), { snippets });
		assert.ok(found.every(({ textEdit }) => types.TextEdit.is(textEdit)));
		const reference = found.find(({ label }) => label === "parametersRef");
		const typed = TextDocument.applyEdits(document(text), [reference.textEdit]);
		// biome-ignore lint/suspicious/noTemplateCurlyInString: a place to type into, in the syntax of snippets
		const [kind, name] = snippets ? ["${1}", "${2}"] : ["", ""];
		assert.equal(
			typed,
			`${head}  parametersRef:\r\n    kind: ${kind}\r\n    name: ${name}`,
		);
		assert.equal(
			reference.insertTextFormat,
			snippets ? types.InsertTextFormat.Snippet : undefined,
		);
		assert.match(reference.documentation.value, /parameters/);
	}
	const sorted = completions(text, end(text)).map(({ sortText }) => sortText);
	assert.deepEqual(sorted, sorted.toSorted());
});

test("the README's example prints what it says", () => {
	const code = [
		...readFileSync(path.join(root, "pkg/README.md"), "utf8").matchAll(
			/^```js\n([\s\S]*?)^```$/gm,
		),
	]
		.map(([, code]) => code)
		.find((code) => code.includes('"claimkit/lsp"'));
	const done = spawnSync(
		process.execPath,
		["--input-type=module", "-e", code],
		{ cwd: path.join(root, "pkg"), encoding: "utf8" },
	);
	assert.equal(done.status, 0, done.stderr);
	assert.match(done.stdout, /^json: cannot unmarshal number/);
	assert.match(done.stdout, /spec\.extendedResourceName/);
	assert.match(done.stdout, /'config'/);
});
