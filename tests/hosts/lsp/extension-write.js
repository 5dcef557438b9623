// An extension beside ours in VS Code in a browser: it writes a claim by completion alone, as a person does who types a few letters and
// takes a proposal, and takes the first proposals of every list on the way to see what each leaves.
const vscode = require("vscode");

const run = vscode.commands.executeCommand;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** How many proposals of a list are taken. */
const TAKEN = 5;

/** The extension's list for the cursor, when it has a proposal: files of the project are read one after the other. */
async function proposals(editor, wanted) {
	for (let tries = 0; tries < 100; tries += 1) {
		const { items } = await run(
			"vscode.executeCompletionItemProvider",
			editor.document.uri,
			editor.selection.active,
		);
		const labels = items.map(({ label }) => label.label ?? label);
		if (labels.includes(wanted)) return labels;
		await pause(100);
	}
	throw new Error(`${wanted} is not proposed`);
}

/** Accepts a proposal in VS Code's own list. Accepting does nothing before the list is there. */
async function accept(editor, down) {
	const before = editor.document.getText();
	for (let tries = 0; tries < 20; tries += 1) {
		await run("editor.action.triggerSuggest");
		await pause(150);
		for (let at = 0; at < down; at += 1) await run("selectNextSuggestion");
		await run("acceptSelectedSuggestion");
		if (editor.document.getText() !== before) return;
	}
	throw new Error(`nothing is accepted in\n${before}`);
}

/** Puts a text and the cursor back. */
async function restore(editor, text, cursor) {
	const { document } = editor;
	await run("leaveSnippet");
	await run("hideSuggestWidget");
	const end = document.positionAt(document.getText().length);
	await editor.edit((edit) =>
		edit.replace(new vscode.Range(new vscode.Position(0, 0), end), text),
	);
	const place = document.positionAt(cursor);
	editor.selection = new vscode.Selection(place, place);
}

async function write(seen) {
	const root = vscode.workspace.workspaceFolders[0].uri;
	const file = (name) => vscode.Uri.joinPath(root, name);
	const text = new TextEncoder();
	for (const [name, content] of Object.entries(TEST_FILES))
		await vscode.workspace.fs.writeFile(file(name), text.encode(content));
	await vscode.workspace.fs.writeFile(file("claim.yaml"), text.encode(""));
	await vscode.extensions.getExtension("claimkit.claimkit").activate();
	const document = await vscode.workspace.openTextDocument(file("claim.yaml"));
	const editor = await vscode.window.showTextDocument(document, {
		preview: false,
	});
	seen.accepted = [];
	for (const { keys, type, take, down } of TEST_STEPS) {
		for (const key of keys ?? []) await run(key);
		for (const letter of type ?? "") await run("type", { text: letter });
		if (!take) continue;
		const labels = await proposals(editor, take);
		const before = document.getText();
		const cursor = document.offsetAt(editor.selection.active);
		for (let at = 0; at < Math.min(TAKEN, labels.length); at += 1) {
			await accept(editor, at);
			seen.accepted.push(document.getText());
			await restore(editor, before, cursor);
		}
		await accept(editor, down ?? 0);
	}
	seen.written = document.getText();
}

exports.drive = write;
