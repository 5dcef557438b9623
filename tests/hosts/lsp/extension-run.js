// An extension beside ours in VS Code in a browser: it does through VS Code's own interface what a person does, and reports what it saw.
const vscode = require("vscode");

const until = async (what, get, seconds = 15) => {
	for (let tries = 0; tries < seconds * 20; tries += 1) {
		const found = await get();
		if (found) return found;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	throw new Error(`no ${what}`);
};

const CLAIM = `# é😀
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata:
  name: one
  namespace: demo
spec:
  devices:
    requests:
    - name: gpu
      deviceClasName: gpu.example.com
`;

/** Writes the beginning of a claim by accepting completions, as a person does. */
async function typed(uri) {
	const begun =
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: typed\nspec:\n  ";
	await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(begun));
	const document = await vscode.workspace.openTextDocument(uri);
	const editor = await vscode.window.showTextDocument(document, {
		preview: false,
	});
	const end = document.positionAt(begun.length);
	editor.selection = new vscode.Selection(end, end);
	for (const word of ["devices", "requests"]) {
		await vscode.commands.executeCommand("type", { text: word.slice(0, 4) });
		// The list of proposals opens by itself or is asked for; accepting does nothing before it is there.
		await until(word, async () => {
			await vscode.commands.executeCommand("editor.action.triggerSuggest");
			await new Promise((resolve) => setTimeout(resolve, 300));
			await vscode.commands.executeCommand("acceptSelectedSuggestion");
			return document.getText().includes(`${word}:`);
		});
	}
	const text = document.getText();
	await vscode.commands.executeCommand("leaveSnippet");
	await document.save();
	return text.slice(text.indexOf("spec:"));
}

async function run(seen) {
	const root = vscode.workspace.workspaceFolders[0].uri;
	const file = (name) => vscode.Uri.joinPath(root, name);
	const text = new TextEncoder();
	const extension = vscode.extensions.getExtension("claimkit.claimkit");
	await vscode.workspace.fs.writeFile(
		file("cluster.yaml"),
		text.encode(TEST_CLUSTER),
	);
	await vscode.workspace.fs.writeFile(file("claim.yaml"), text.encode(CLAIM));
	await vscode.workspace.fs.writeFile(file("pod.yaml"), text.encode(TEST_POD));
	const before = performance.now();
	await extension.activate();
	seen.activation = performance.now() - before;

	const document = await vscode.workspace.openTextDocument(file("claim.yaml"));
	const editor = await vscode.window.showTextDocument(document);
	const found = await until("diagnostics", () => {
		const all = vscode.languages.getDiagnostics(document.uri);
		return all.length > 0 && all;
	});
	seen.found = performance.now() - before;
	seen.diagnostics = found.map(({ code, source, message, range, severity }) => [
		code.value ?? code,
		source,
		severity,
		range.start.line,
		message,
	]);

	const unknown = found.find(
		({ code }) => (code.value ?? code) === "unknown-field",
	);
	const actions = await vscode.commands.executeCommand(
		"vscode.executeCodeActionProvider",
		document.uri,
		unknown.range,
	);
	seen.actions = actions.map(({ title }) => title);
	await vscode.workspace.applyEdit(
		actions.find(({ title }) => title.includes("deviceClassName")).edit,
	);
	await until("mended text", () =>
		document.getText().includes("deviceClassName"),
	);
	await until("silence", () =>
		vscode.languages
			.getDiagnostics(document.uri)
			.every(({ severity }) => severity !== vscode.DiagnosticSeverity.Error),
	);

	const hover = await vscode.commands.executeCommand(
		"vscode.executeHoverProvider",
		document.uri,
		new vscode.Position(10, 9),
	);
	seen.hover = hover
		.flatMap(({ contents }) => contents.map(({ value }) => value))
		.join("\n");
	await editor.edit((edit) =>
		edit.insert(new vscode.Position(11, 0), "      "),
	);
	const { items } = await vscode.commands.executeCommand(
		"vscode.executeCompletionItemProvider",
		document.uri,
		new vscode.Position(11, 6),
	);
	seen.completion = items.map(({ label }) => label.label ?? label);
	await editor.edit((edit) => edit.delete(new vscode.Range(11, 0, 11, 6)));

	const symbols = await vscode.commands.executeCommand(
		"vscode.executeDocumentSymbolProvider",
		document.uri,
	);
	seen.symbols = symbols.map(({ name }) => name);

	const convert = (
		await vscode.commands.executeCommand(
			"vscode.executeCodeActionProvider",
			document.uri,
			new vscode.Range(2, 0, 2, 0),
		)
	).find(({ title }) => title.startsWith("convert"));
	seen.convert = convert?.title;
	// It waits for a person to say whether the difference is to be applied.
	void vscode.commands.executeCommand("claimkit.convert", "v1");
	const shown = await until("difference", () =>
		vscode.workspace.textDocuments.find(
			({ uri }) => uri.scheme === "claimkit-converted",
		),
	);
	seen.converted = shown.getText();

	seen.typed = await typed(file("typed.yaml"));

	const pod = await vscode.workspace.openTextDocument(file("pod.yaml"));
	await vscode.window.showTextDocument(pod);
	const lenses = await until("lens", async () => {
		const all = await vscode.commands.executeCommand(
			"vscode.executeCodeLensProvider",
			pod.uri,
		);
		return all && all.length > 0 && all;
	});
	seen.lenses = lenses.map(({ command }) => command.title);
	await vscode.commands.executeCommand("claimkit.devices", pod.uri.toString());
	seen.panel = await until("panel", () =>
		vscode.window.tabGroups.all
			.flatMap(({ tabs }) => tabs)
			.map(({ label }) => label)
			.find((label) => label === "Devices"),
	);
	const definition = await vscode.commands.executeCommand(
		"vscode.executeDefinitionProvider",
		pod.uri,
		pod.positionAt(pod.getText().indexOf("resourceClaimName: one") + 20),
	);
	seen.definition = definition.map(
		({ uri, targetUri }) => (targetUri || uri).path,
	);

	const silent = await vscode.workspace.openTextDocument({
		language: "yaml",
		content: "services:\n  web: {image: nginx}\n",
	});
	await vscode.window.showTextDocument(silent);
	await new Promise((resolve) => setTimeout(resolve, 600));
	seen.silent = vscode.languages.getDiagnostics(silent.uri).length;
	await vscode.window.showTextDocument(pod, vscode.ViewColumn.One);
	await new Promise((resolve) => setTimeout(resolve, 300));
}

exports.drive = run;
