// The extension, the same on a desktop and in a browser: what it shows beside the language server, and the files that it gives it.
import * as vscode from "vscode";

const LANGUAGES = ["yaml", "json", "jsonc", "helm"];
const MOST_FILES = 2000;
const MOST_FOLDERS = 200;
const MOST_BYTES = 2 << 20;
/** Milliseconds that a search for files may take. */
const PATIENCE = 3000;
const SCHEME = "claimkit-converted";

const isManifest = (document) =>
	document !== undefined && LANGUAGES.includes(document.languageId);

/** The options of the language client, in whatever host the server runs. */
export const options = {
	documentSelector: LANGUAGES.map((language) => ({ language })),
	synchronize: { configurationSection: "claimkit" },
	initializationOptions: { commands: true },
	diagnosticCollectionName: "claimkit",
};

async function read(uri) {
	try {
		const address = vscode.Uri.parse(uri);
		if ((await vscode.workspace.fs.stat(address)).size > MOST_BYTES) return {};
		return {
			text: new TextDecoder().decode(
				await vscode.workspace.fs.readFile(address),
			),
		};
	} catch {
		return {};
	}
}

/** Files in folders and the folders in them, for file systems without a search. */
async function walked(waiting) {
	const found = [];
	for (
		let count = 0;
		waiting.length > 0 && count < MOST_FOLDERS && found.length < MOST_FILES;
		count += 1
	) {
		const folder = waiting.shift();
		for (const [name, type] of await vscode.workspace.fs
			.readDirectory(folder)
			.then(undefined, () => [])) {
			const inside = vscode.Uri.joinPath(folder, name);
			if (
				type & vscode.FileType.Directory &&
				!name.startsWith(".") &&
				name !== "node_modules"
			)
				waiting.push(inside);
			else if (type & vscode.FileType.File && /\.(ya?ml|json)$/.test(name))
				found.push(inside);
		}
	}
	return found;
}

async function manifests() {
	const search = vscode.workspace.findFiles(
		"**/{*.yaml,*.yml,*.json,Kustomization}",
		"**/{node_modules,.git}/**",
		MOST_FILES,
	);
	// On a file system without search, VS Code would wait forever.
	const late = new Promise((resolve) => setTimeout(resolve, PATIENCE));
	const found =
		(await Promise.race([search, late])) ??
		(await walked(
			(vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri),
		));
	return found.map((uri) => uri.toString());
}

/** Starts what belongs to a client that is not running yet. */
export function begin(context, client) {
	const subscribe = (...all) => context.subscriptions.push(...all);
	client.onRequest("claimkit/read", ({ uri }) => read(uri));
	client.onRequest("claimkit/manifests", manifests);
	const ask = (method, params) =>
		client.sendRequest(`claimkit/${method}`, params);

	// --- the release that judges ------------------------------------------------------------------------------------------

	const status = vscode.window.createStatusBarItem(
		"claimkit.release",
		vscode.StatusBarAlignment.Right,
		90,
	);
	status.name = "claimkit: Kubernetes release";
	status.command = "claimkit.chooseRelease";
	const show = async () => {
		const document = vscode.window.activeTextEditor?.document;
		if (!isManifest(document)) return status.hide();
		const { ours, release, gates } = await ask("state", {
			uri: document.uri.toString(),
		});
		if (!ours) return status.hide();
		status.text = `$(symbol-event) Kubernetes ${release ?? "newest"}`;
		const named = Object.entries(gates).map(([name, on]) => `${name}=${on}`);
		status.tooltip = `claimkit judges by ${release === undefined ? "the newest release that serves each object" : `Kubernetes ${release}`}${named.length === 0 ? "" : `, ${named.join(", ")}`}`;
		status.show();
	};

	const set = (name, value) => {
		const scope =
			vscode.workspace.workspaceFolders === undefined
				? vscode.ConfigurationTarget.Global
				: vscode.ConfigurationTarget.Workspace;
		return vscode.workspace
			.getConfiguration("claimkit")
			.update(name, value, scope);
	};

	async function chooseRelease() {
		const releases = await ask("releases");
		const newest = {
			label: "newest",
			description: "for each object the newest release that serves its version",
			release: undefined,
		};
		const items = releases.map(({ release, lastPatch, versions }) => ({
			label: release,
			description: `${lastPatch}: ${versions.join(", ")}`,
			release,
		}));
		const chosen = await vscode.window.showQuickPick(
			[newest, ...items.reverse()],
			{ placeHolder: "Kubernetes release that judges the manifests" },
		);
		if (chosen !== undefined) await set("release", chosen.release);
	}

	async function chooseGates() {
		const configured = vscode.workspace.getConfiguration("claimkit");
		const gates = await ask("gates", {
			release: configured.get("release") || undefined,
		});
		const own = configured.get("gates");
		const items = Object.entries(gates).map(([name, on]) => ({
			label: name,
			description: on ? "on by default" : "off by default",
			picked: own[name] ?? on,
			on,
		}));
		const chosen = await vscode.window.showQuickPick(items, {
			canPickMany: true,
			placeHolder: "Feature gates that are on",
		});
		if (chosen === undefined) return;
		const on = new Set(chosen.map(({ label }) => label));
		const differing = items
			.filter((item) => on.has(item.label) !== item.on)
			.map(({ label }) => [label, on.has(label)]);
		await set(
			"gates",
			differing.length === 0 ? undefined : Object.fromEntries(differing),
		);
	}

	// --- conversion as a difference ---------------------------------------------------------------------------------------

	const converted = new Map();
	subscribe(
		vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
			provideTextDocumentContent: (uri) => converted.get(uri.toString()),
		}),
	);
	subscribe(
		vscode.workspace.onDidCloseTextDocument(
			({ uri }) => void converted.delete(uri.toString()),
		),
	);

	async function convert(to) {
		const document = vscode.window.activeTextEditor?.document;
		if (!isManifest(document)) return;
		const target =
			typeof to === "string"
				? to
				: await vscode.window.showQuickPick(
						["v1", "v1beta2", "v1beta1", "v1alpha3", "v1alpha2", "v1alpha1"],
						{ placeHolder: "API version to convert to" },
					);
		if (target === undefined) return;
		const { text, why } = await ask("convert", {
			uri: document.uri.toString(),
			to: target,
		});
		if (text === undefined)
			return void vscode.window.showWarningMessage(`claimkit: ${why}`);
		const address = document.uri.with({
			scheme: SCHEME,
			authority: "",
			query: target,
		});
		converted.set(address.toString(), text);
		await vscode.commands.executeCommand(
			"vscode.diff",
			document.uri,
			address,
			`${document.uri.path.split("/").at(-1)} in ${target}`,
		);
		const apply = "Apply";
		const chosen = await vscode.window.showInformationMessage(
			`The manifest in ${target} is on the right.`,
			apply,
		);
		if (chosen !== apply) return;
		const edit = new vscode.WorkspaceEdit();
		edit.replace(
			document.uri,
			new vscode.Range(
				document.positionAt(0),
				document.positionAt(document.getText().length),
			),
			text,
		);
		await vscode.workspace.applyEdit(edit);
	}

	// --- devices of a pod ---------------------------------------------------------------------------------------------------

	let panel;
	async function devices(uri, pod) {
		const address =
			typeof uri === "string"
				? uri
				: vscode.window.activeTextEditor?.document.uri.toString();
		if (address === undefined) return;
		const answer = await ask("devices", { uri: address, pod });
		if (answer === null)
			return void vscode.window.showInformationMessage(
				"claimkit: no pod or claim in this file",
			);
		panel ??= vscode.window.createWebviewPanel(
			"claimkit.devices",
			"Devices",
			{ viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
			{ enableScripts: false },
		);
		panel.onDidDispose(() => (panel = undefined));
		panel.webview.html = page(answer);
	}

	async function playground() {
		const document = vscode.window.activeTextEditor?.document;
		if (!isManifest(document)) return;
		const address = vscode.workspace
			.getConfiguration("claimkit")
			.get("playground");
		if (!address)
			return void vscode.window.showWarningMessage(
				"claimkit: set claimkit.playground to the address of a playground first",
			);
		await vscode.env.openExternal(
			vscode.Uri.parse(
				`${address.replace(/#.*/, "")}#s=${await packed(document.getText())}`,
				true,
			),
		);
	}

	subscribe(
		status,
		vscode.commands.registerCommand("claimkit.chooseRelease", chooseRelease),
		vscode.commands.registerCommand("claimkit.chooseGates", chooseGates),
		vscode.commands.registerCommand("claimkit.convert", convert),
		vscode.commands.registerCommand("claimkit.devices", devices),
		vscode.commands.registerCommand("claimkit.playground", playground),
		vscode.window.onDidChangeActiveTextEditor(show),
		vscode.workspace.onDidChangeConfiguration(
			(event) =>
				event.affectsConfiguration("claimkit") && setTimeout(show, 200),
		),
		vscode.workspace.onDidChangeTextDocument(
			({ document }) =>
				document === vscode.window.activeTextEditor?.document && show(),
		),
	);
	subscribe({ dispose: () => client.stop() });
	// Activation does not wait for the server; what is asked of it does.
	client
		.start()
		.then(show, (error) =>
			vscode.window.showErrorMessage(`claimkit: ${error.message}`),
		);
}

// --- the page about devices -------------------------------------------------------------------------------------------------

const escaped = (text) =>
	String(text).replace(
		/[&<>"]/g,
		(letter) =>
			({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter],
	);

const SAYS = {
	allocated: "fits",
	none: "no devices",
	error: "error",
	"node-error": "error",
	unavailable: "unavailable",
	undecided: "undecided",
};

function nodeRow({
	name,
	verdict,
	text,
	allocations,
	requests,
	sameAs,
	relaxations,
}) {
	const given = (allocations ?? [])
		.flatMap(({ devices }) => devices.results ?? [])
		.map(
			({ request, driver, pool, device }) =>
				`${request}: ${driver}/${pool}/${device}`,
		);
	const why =
		verdict === "allocated"
			? given
			: sameAs
				? [`as ${sameAs}`]
				: requests
						.filter(({ picked }) => !picked)
						.map((request) => request.text);
	const help = (relaxations ?? []).map(
		(change) => `<li>${escaped(change.text)}</li>`,
	);
	const lines = (why.length === 0 ? [text] : why)
		.map((line) => `<div>${escaped(line)}</div>`)
		.join("");
	return `<tr class="${verdict}"><th>${escaped(name)}</th><td>${SAYS[verdict]}</td><td>${lines}${help.length === 0 ? "" : `<ul>${help.join("")}</ul>`}</td></tr>`;
}

function podSection({ pod, claims, before, summary, nodes }) {
	const title = pod ?? `claims ${claims.join(", ")}`;
	const rest =
		before === null ? "" : `<p class="none">${escaped(before.message)}</p>`;
	const told = summary
		.filter(({ message }) => message !== "")
		.map(
			({ message, nodes: of }) =>
				`<p>${escaped(message)} <small>${escaped(of.join(", "))}</small></p>`,
		)
		.join("");
	return `<h2>${escaped(title)}</h2>${rest}${told}<table>${nodes.map(nodeRow).join("")}</table>`;
}

/** The devices that pods get on each node. Nothing of it runs. */
function page({ release, pods }) {
	return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body{font-family:var(--vscode-font-family);padding:0 1em}table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3em .6em;border-bottom:1px solid var(--vscode-panel-border)}
.allocated td:nth-child(2){color:var(--vscode-testing-iconPassed)}.none td:nth-child(2),p.none{color:var(--vscode-errorForeground)}small{opacity:.7}ul{margin:.3em 0 0;padding-left:1.2em}</style></head>
<body><p><small>kube-scheduler ${escaped(release)}, with the nodes and slices of this workspace</small></p>${pods.map(podSection).join("")}</body></html>`;
}

/** A text as the playground's links hold it: the page's state as JSON, deflated, in base64url. */
async function packed(text) {
	const bytes = new TextEncoder().encode(
		JSON.stringify({
			v: 1,
			f: [{ n: "manifest.yaml", r: "manifest", t: text }],
			a: 0,
		}),
	);
	const stream = new Blob([bytes])
		.stream()
		.pipeThrough(new CompressionStream("deflate-raw"));
	let binary = "";
	for (const byte of new Uint8Array(await new Response(stream).arrayBuffer()))
		binary += String.fromCharCode(byte);
	return btoa(binary)
		.replaceAll("+", "-")
		.replaceAll("/", "_")
		.replace(/=+$/, "");
}
