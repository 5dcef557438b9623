// The language server: claimkit's answers over the Language Server Protocol, for any editor.

import * as claimkit from "claimkit";
import {
	codeActions,
	completions,
	hover,
	toDiagnostic,
	toRange,
} from "claimkit/lsp";
import {
	CodeActionKind,
	CodeLensRefreshRequest,
	DiagnosticSeverity,
	DidChangeConfigurationNotification,
	DidChangeWatchedFilesNotification,
	DocumentHighlightKind,
	FileChangeType,
	InlayHintRefreshRequest,
	MarkupKind,
	MessageType,
	ResponseError,
	ShowMessageNotification,
	SymbolKind,
	TextDocumentSyncKind,
	TextDocuments,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { hasVariable, isForeign } from "../claimkit.js";
import { difference, equal, fixed, meet } from "./edits.js";
import { allocated, findings as lensesOf } from "./lenses.js";
import { isBeginning, isOurs, Project } from "./project.js";
import {
	fromClient,
	isExcluded,
	NAME,
	SettingsFiles,
	unknownNames,
	worldOf,
} from "./settings.js";

/** Milliseconds between the last change of a document and its diagnostics. */
const DELAY = 150;
/** Milliseconds that findings wait for the client's settings. */
const PATIENCE = 2000;
/** Documents with more characters are judged when they are opened and saved only. */
const LARGE = 2 << 20;
/** Objects of one file that a search of the workspace shows. */
const MOST_SYMBOLS = 200;
const FIX_ALL = `${CodeActionKind.SourceFixAll}.claimkit`;
const CONVERT = `${CodeActionKind.RefactorRewrite}.claimkit.convert`;
/** Codes of objects of other groups, which an editor does not show. */
const SILENT = new Set(["nothing-checked", "other-group"]);
const NEWEST = "v1";
/** Codes of names that are not among the objects: a warning where the project had them. */
const ABSENT = new Set(["class-not-in-input", "claim-not-in-input"]);
/** Findings that only the server has: what could not be judged, and a setting that cannot be used. */
const NOT_JUDGED = "not-judged";
const INVALID_PARAMS = -32602;

const SYMBOLS = {
	object: SymbolKind.Object,
	request: SymbolKind.Field,
	alternative: SymbolKind.EnumMember,
	selector: SymbolKind.Function,
	constraint: SymbolKind.Operator,
	device: SymbolKind.Interface,
	counterSet: SymbolKind.Array,
	podClaim: SymbolKind.Variable,
};

/**
 * Serves a connection.
 *
 * @param {import("vscode-languageserver").Connection} connection
 * @param {{ read(uri: string): Promise<string | undefined>, manifests(folders: string[]): AsyncIterable<string> }} files what is not
 *   open: the text of a file, and the manifests in folders
 */
export function serve(connection, files, version) {
	const documents = new TextDocuments(TextDocument);
	const project = new Project(files);
	const settingsFiles = new SettingsFiles(files);
	const timers = new Map();
	let client = {};
	let capabilities = {};
	let clientSettings = {};
	let roots = [];
	let warned;
	/** Resolves when the client has given its settings, or does not. */
	let settled = Promise.resolve();
	let settle = () => {};
	/** What was found in a settings file, to publish it once. */
	const toldOf = new Map();

	const warn = (message) =>
		connection.sendNotification(ShowMessageNotification.type, {
			type: MessageType.Warning,
			message,
		});

	// --- settings -------------------------------------------------------------------------------------------------------

	async function pullSettings() {
		if (!capabilities.workspace?.configuration) return;
		const given = await connection.workspace.getConfiguration("claimkit");
		take(given);
	}

	/** Takes the client's settings; unknown ones are named. */
	function take(given) {
		clientSettings = fromClient(given);
		const unknown = unknownNames(given);
		if (unknown.length > 0)
			warn(
				`claimkit: unknown setting ${unknown.map((name) => `\`${name}\``).join(", ")}`,
			);
		project.unplace();
	}

	/** Sets the language of answers; English where a host has not given the sentences of another. */
	function speak({ locale }) {
		try {
			claimkit.setLocale(locale);
		} catch (error) {
			claimkit.setLocale("en");
			if (error.message !== warned) warn(error.message);
			warned = error.message;
		}
	}

	async function settingsOf(uri) {
		const settings = await settingsFiles.of(uri, clientSettings);
		speak(settings);
		if (settings.problem !== undefined && settings.problem !== warned) {
			warned = settings.problem;
			warn(`claimkit: ${settings.problem}`);
		}
		await known(settings);
		await place();
		return settings;
	}

	/** Puts the newest release in the place of one that is not known, with one finding on the setting. */
	async function known(settings) {
		const { release, file, releaseOfClient } = settings;
		const isKnown = release === undefined || claimkit.isRelease(release);
		const ofFile = file !== undefined && !releaseOfClient;
		if (ofFile && toldOf.get(file) !== (isKnown ? undefined : release)) {
			const message = unknownRelease(release);
			toldOf.set(file, isKnown ? undefined : release);
			await connection.sendDiagnostics({
				uri: file,
				diagnostics: isKnown
					? []
					: [{ ...placed(lineOf(settings.text, "release"), message) }],
			});
		}
		if (isKnown) return;
		settings.release = newest();
		const message = unknownRelease(release);
		if (!ofFile && warned !== message) {
			warned = message;
			warn(`claimkit: ${message}`);
		}
	}

	const unknownRelease = (release) =>
		`\`release\`: Kubernetes \`${release}\` is not known: judged by ${newest()}, the newest that is`;
	const newest = () =>
		claimkit
			.releases()
			.releases.filter(({ lastPatch }) => !lastPatch.includes("-"))
			.at(-1).release;
	const placed = (range, message) => ({
		range,
		severity: DiagnosticSeverity.Warning,
		code: NOT_JUDGED,
		source: "claimkit",
		message,
	});
	/** The line of a file that sets a key. */
	const lineOf = (text = "", key) => {
		const lines = text.split(/\r?\n/);
		const line = Math.max(
			0,
			lines.findIndex((one) => one.trimStart().startsWith(key)),
		);
		return {
			start: { line, character: 0 },
			end: { line, character: (lines[line] ?? "").length },
		};
	};

	/** Finds the clusters that new texts belong to. */
	async function place() {
		for (const text of project.unplaced()) {
			const settings = await settingsFiles.of(text.uri, clientSettings);
			text.world = worldOf(text.uri, settings.folder, roots);
			text.excluded = isExcluded(text.uri, settings, roots);
		}
	}

	/** The other texts of a document's cluster, with names relative to their root. */
	const named = (uri, settings) =>
		project.beside(uri, settings.workspace).map((other) => {
			const root = roots.find((one) => other.uri.startsWith(`${one}/`));
			const name = decodeURIComponent(
				root === undefined ? other.uri : other.uri.slice(root.length + 1),
			);
			return { name, text: other.text };
		});

	/** The options of `validate` for a document. */
	function judging(uri, settings) {
		const { release, gates, namespaceLabels } = settings;
		return {
			...(release === undefined ? {} : { release }),
			...(Object.keys(gates).length === 0 ? {} : { gates }),
			...(namespaceLabels === undefined ? {} : { namespaceLabels }),
			beside: project.beside(uri, settings.workspace).map(({ text }) => text),
		};
	}

	const placing = ({ release, gates, locale }) => ({
		locale,
		...(release === undefined ? {} : { release }),
		...(Object.keys(gates).length === 0 ? {} : { gates }),
	});

	// --- diagnostics ----------------------------------------------------------------------------------------------------

	const isNoManifest = (document) =>
		document.languageId === "helm" ||
		isForeign(decodeURIComponent(document.uri), document.getText()) ||
		project.isPatch(document.uri);
	const isForUs = (document) =>
		isOurs(document.getText()) && !isNoManifest(document);

	/** The findings of a document that an editor shows. */
	function findings(document, settings, text = document.getText()) {
		// Another document may have been asked about since its settings were read.
		speak(settings);
		const answer = claimkit.validate(text, judging(document.uri, settings));
		const shown = ({ code, severity, range }) =>
			!SILENT.has(code) &&
			!settings.ignore.includes(code) &&
			(severity !== "info" || settings.remarks) &&
			!(
				// A value of another type has help of its own.
				code !== "type-mismatch" &&
				range !== undefined &&
				hasVariable(text.slice(range.start.offset, range.end.offset))
			);
		const found = answer.findings.map((finding) => gone(document, finding));
		return { objects: answer.objects, findings: found.filter(shown) };
	}

	/** Makes a remark about an absent object a warning if the project had the object. */
	function gone(document, finding) {
		const { code, severity, range } = finding;
		if (severity !== "info" || !ABSENT.has(code) || range === undefined)
			return finding;
		const name = project.nameAt(document.uri, range.start);
		return name !== undefined && project.isGone(document.uri, name)
			? { ...finding, severity: "warning" }
			: finding;
	}

	/**
	 * Other places that a finding is about.
	 *
	 * @param {TextDocument} document
	 * @param {import("claimkit").Finding} finding
	 * @param {import("claimkit").CheckedObject[]} objects
	 */
	function related(document, { code, object, range }, objects) {
		const say = (uri, at, message) => ({
			location: { uri, range: toRange(at) },
			message,
		});
		if (code === "already-exists" && object !== undefined) {
			const one = objects[object];
			const first = objects.find(
				({ kind, name, namespace }) =>
					kind === one.kind && name === one.name && namespace === one.namespace,
			);
			return first === one || first?.range === undefined
				? []
				: [
						say(
							document.uri,
							first.range,
							`${one.kind} \`${one.name}\` is created here`,
						),
					];
		}
		if (range === undefined) return [];
		const used = project.nameAt(document.uri, range.start);
		if (used === undefined || used.definition) return [];
		if (used.kind === "request") {
			const [kind, name] = used.of.split("/");
			const owner = {
				kind:
					kind === "ResourceClaim" ? "resourceClaim" : "resourceClaimTemplate",
				name,
				namespace: used.namespace,
				of: "",
			};
			const places = project
				.places(owner, document.uri)
				.filter(({ definition }) => definition);
			return places.map((place) =>
				say(place.uri, place.range, `${kind} \`${name}\``),
			);
		}
		return project
			.places(used, document.uri)
			.filter(({ definition }) => definition)
			.map((place) => say(place.uri, place.range, `\`${used.name}\``));
	}

	async function diagnose(uri) {
		const document = documents.get(uri);
		if (document === undefined) return;
		const { version: seen } = document;
		await settled;
		const settings = await settingsOf(uri);
		// A later version has its own turn.
		if (documents.get(uri)?.version !== seen) return;
		let diagnostics = [];
		if (isForUs(document) && !isExcluded(uri, settings, roots)) {
			const linked =
				capabilities.textDocument?.publishDiagnostics?.relatedInformation;
			const judged = (by) => {
				const { findings: found, objects } = findings(document, by);
				return found.map((finding) => {
					const diagnostic = toDiagnostic(finding, {
						codePages: settings.codePages,
					});
					const places = linked ? related(document, finding, objects) : [];
					return places.length === 0
						? diagnostic
						: { ...diagnostic, relatedInformation: places };
				});
			};
			try {
				diagnostics = judged(settings);
			} catch (error) {
				// A trap, after which the next call has a fresh instance; or gates that the release does not have.
				connection.console.error(error.message);
				const unusable = error instanceof TypeError;
				if (unusable && warned !== error.message) {
					warned = error.message;
					warn(warned);
				}
				diagnostics = unusable ? withoutGates(judged, settings) : [];
				diagnostics.unshift(
					placed(
						toRange(undefined),
						`${unusable ? "judged without gates" : "not judged"}: ${error.message}`,
					),
				);
			}
		}
		await connection.sendDiagnostics({ uri, version: seen, diagnostics });
	}

	/** Judges a document without gates that its release does not have. */
	function withoutGates(judged, settings) {
		try {
			return judged({ ...settings, gates: {} });
		} catch (error) {
			connection.console.error(error.message);
			return [];
		}
	}

	function later(uri, delay = DELAY) {
		clearTimeout(timers.get(uri));
		timers.set(
			uri,
			setTimeout(() => {
				timers.delete(uri);
				diagnose(uri).catch((error) =>
					connection.console.error(String(error?.stack ?? error)),
				);
			}, delay),
		);
	}

	/** Judges all open documents again: they are judged together. */
	function laterAll(but, delay = DELAY) {
		for (const { uri } of documents.all()) if (uri !== but) later(uri, delay);
		refresh();
	}

	function refresh() {
		if (capabilities.workspace?.codeLens?.refreshSupport)
			connection.sendRequest(CodeLensRefreshRequest.type).catch(() => {});
		if (capabilities.workspace?.inlayHint?.refreshSupport)
			connection.sendRequest(InlayHintRefreshRequest.type).catch(() => {});
	}

	const isLarge = (document) => document.getText().length > LARGE;

	documents.onDidOpen(({ document }) => {
		project.set(
			document.uri,
			document.languageId,
			isLarge(document) ? "" : document.getText(),
		);
		const { uri } = document;
		const wait = isOurs(document.getText())
			? project.lookBeside(uri)
			: Promise.resolve();
		wait.finally(() => later(uri, 0));
		if (isOurs(document.getText())) laterAll(uri);
	});
	documents.onDidChangeContent(({ document }) => {
		if (isLarge(document)) return;
		const before = project.text(document.uri)?.text;
		if (before === document.getText()) return;
		project.set(document.uri, document.languageId, document.getText());
		later(document.uri);
		if (before !== undefined || project.text(document.uri) !== undefined)
			for (const { uri } of documents.all())
				if (uri !== document.uri) later(uri, 3 * DELAY);
	});
	documents.onDidSave(({ document }) => {
		settingsFiles.forget();
		if (document.uri.endsWith(`/${NAME}`)) {
			project.unplace();
			laterAll();
		} else if (isLarge(document)) later(document.uri, 0);
		refresh();
	});
	documents.onDidClose(({ document: { uri } }) => {
		clearTimeout(timers.get(uri));
		timers.delete(uri);
		connection.sendDiagnostics({ uri, diagnostics: [] });
		project.close(uri).then(() => laterAll());
	});

	// --- the life of the server -----------------------------------------------------------------------------------------

	connection.onInitialize(async (params) => {
		capabilities = params.capabilities;
		client = params.initializationOptions ?? {};
		take(client.settings ?? client);
		if (capabilities.workspace?.configuration)
			settled = new Promise((resolve) => {
				settle = resolve;
				setTimeout(resolve, PATIENCE).unref?.();
			});
		const folders =
			params.workspaceFolders?.map(({ uri }) => uri) ??
			(params.rootUri ? [params.rootUri] : []);
		roots = folders.map((uri) => uri.replace(/\/+$/, ""));
		await claimkit.init();
		return {
			serverInfo: { name: "claimkit", version },
			capabilities: {
				textDocumentSync: {
					openClose: true,
					change: TextDocumentSyncKind.Incremental,
					save: true,
				},
				hoverProvider: true,
				completionProvider: {
					triggerCharacters: [" ", ":", "-", ".", '"', "'", "/", "[", "{"],
				},
				codeActionProvider: {
					codeActionKinds: [CodeActionKind.QuickFix, FIX_ALL, CONVERT],
				},
				documentSymbolProvider: { label: "claimkit" },
				definitionProvider: true,
				referencesProvider: true,
				documentHighlightProvider: true,
				workspaceSymbolProvider: true,
				renameProvider: { prepareProvider: true },
				codeLensProvider: {},
				inlayHintProvider: true,
				workspace: {
					workspaceFolders: { supported: true, changeNotifications: true },
				},
			},
		};
	});

	connection.onInitialized(async () => {
		if (capabilities.workspace?.didChangeConfiguration?.dynamicRegistration) {
			await connection.client.register(
				DidChangeConfigurationNotification.type,
				{ section: "claimkit" },
			);
		}
		if (capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration) {
			const watchers = [`**/${NAME}`, "**/*.yaml", "**/*.yml", "**/*.json"].map(
				(globPattern) => ({ globPattern }),
			);
			await connection.client.register(DidChangeWatchedFilesNotification.type, {
				watchers,
			});
		}
		if (capabilities.workspace?.workspaceFolders) {
			connection.workspace.onDidChangeWorkspaceFolders(
				async ({ added, removed }) => {
					const gone = removed.map(({ uri }) => uri.replace(/\/+$/, ""));
					roots = [
						...roots.filter((root) => !gone.includes(root)),
						...added.map(({ uri }) => uri.replace(/\/+$/, "")),
					];
					project.unplace();
					await project.load(roots);
					laterAll();
				},
			);
		}
		await pullSettings().finally(settle);
		await project.load(roots);
		laterAll();
	});

	connection.onDidChangeConfiguration(async ({ settings }) => {
		if (capabilities.workspace?.configuration) await pullSettings();
		else take(settings?.claimkit);
		warned = undefined;
		laterAll();
	});

	connection.onDidChangeWatchedFiles(async ({ changes }) => {
		settingsFiles.forget();
		for (const { uri, type } of changes) {
			if (uri.endsWith(`/${NAME}`)) {
				warned = undefined;
				project.unplace();
			} else if (type === FileChangeType.Deleted || /\.(ya?ml|json)$/.test(uri))
				await project.reload(uri);
		}
		laterAll();
	});

	// --- what is asked about a place ------------------------------------------------------------------------------------

	connection.onHover(async ({ textDocument: { uri }, position }) => {
		const document = documents.get(uri);
		if (document === undefined || isLarge(document) || !isForUs(document))
			return null;
		const settings = await settingsOf(uri);
		return hover(document.getText(), position, {
			...placing(settings),
			beside: named(uri, settings),
		});
	});

	connection.onCompletion(async ({ textDocument: { uri }, position }) => {
		const document = documents.get(uri);
		if (document === undefined || isLarge(document) || isNoManifest(document))
			return [];
		if (!isOurs(document.getText()) && !isBeginning(document.getText()))
			return [];
		const { completionItem: item } =
			capabilities.textDocument?.completion ?? {};
		const settings = await settingsOf(uri);
		const found = completions(document.getText(), position, {
			snippets: item?.snippetSupport ?? false,
			...placing(settings),
			beside: named(uri, settings),
		});
		if (item?.documentationFormat?.includes(MarkupKind.Markdown)) return found;
		return found.map((one) => ({
			...one,
			...(one.documentation === undefined
				? {}
				: { documentation: one.documentation.value }),
		}));
	});

	connection.onDocumentSymbol(({ textDocument: { uri } }) => {
		const document = documents.get(uri);
		if (document === undefined || isLarge(document) || !isForUs(document))
			return [];
		const shown = ({
			kind,
			name,
			detail,
			range,
			nameRange,
			children = [],
		}) => ({
			name:
				name ||
				(kind === "selector" || kind === "constraint"
					? detail || kind
					: `(${kind})`),
			...(name === "" || detail === "" ? {} : { detail }),
			kind: SYMBOLS[kind],
			range: toRange(range),
			selectionRange: toRange(nameRange),
			children: children.map(shown),
		});
		const { symbols } = claimkit.symbols(document.getText());
		if (
			capabilities.textDocument?.documentSymbol
				?.hierarchicalDocumentSymbolSupport
		)
			return symbols.map(shown);
		const flat = (symbol, over) => [
			{
				name: symbol.name,
				kind: symbol.kind,
				location: { uri, range: symbol.range },
				...(over === undefined ? {} : { containerName: over.name }),
			},
			...symbol.children.flatMap((child) => flat(child, symbol)),
		];
		return symbols.map(shown).flatMap((symbol) => flat(symbol));
	});

	connection.onDefinition(async ({ textDocument: { uri }, position }) => {
		const { workspace } = await settingsOf(uri);
		const name = project.nameAt(uri, position);
		if (name === undefined) return null;
		return project
			.places(name, uri, workspace)
			.filter(({ definition }) => definition)
			.map((place) => ({ uri: place.uri, range: place.range }));
	});

	connection.onReferences(
		async ({ textDocument: { uri }, position, context }) => {
			const { workspace } = await settingsOf(uri);
			const name = project.nameAt(uri, position);
			if (name === undefined) return null;
			const places = project
				.places(name, uri, workspace)
				.filter(({ definition }) => context.includeDeclaration || !definition);
			return places.map((place) => ({ uri: place.uri, range: place.range }));
		},
	);

	connection.onDocumentHighlight(({ textDocument: { uri }, position }) => {
		const name = project.nameAt(uri, position);
		if (name === undefined) return null;
		return project
			.places(name, uri)
			.filter((place) => place.uri === uri)
			.map(({ range, definition }) => ({
				range,
				kind: definition
					? DocumentHighlightKind.Write
					: DocumentHighlightKind.Read,
			}));
	});

	connection.onWorkspaceSymbol(({ query }) => {
		const wanted = query.toLowerCase();
		const shown = project
			.all()
			.filter(({ uri, excluded }) => !excluded && !project.isPatch(uri));
		return shown.flatMap((text) => {
			void text.names;
			return text.symbols.symbols
				.filter(
					({ name }) => name !== "" && name.toLowerCase().includes(wanted),
				)
				.slice(0, MOST_SYMBOLS)
				.map(({ kind, name, detail, nameRange }) => ({
					name,
					kind: SYMBOLS[kind],
					containerName: detail,
					location: { uri: text.uri, range: toRange(nameRange) },
				}));
		});
	});

	connection.onPrepareRename(({ textDocument: { uri }, position }) => {
		const name = project.nameAt(uri, position);
		return name === undefined
			? null
			: { range: toRange(name.range), placeholder: name.name };
	});

	connection.onRenameRequest(
		async ({ textDocument: { uri }, position, newName }) => {
			const { workspace } = await settingsOf(uri);
			const name = project.nameAt(uri, position);
			if (name === undefined) return null;
			if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(newName))
				throw new ResponseError(
					INVALID_PARAMS,
					`\`${newName}\` is not a name that Kubernetes accepts`,
				);
			const taken = project
				.places({ ...name, name: newName }, uri, workspace)
				.some(({ definition }) => definition);
			if (taken)
				throw new ResponseError(
					INVALID_PARAMS,
					`\`${newName}\` exists already`,
				);
			const changes = {};
			for (const place of project.renames(name, uri, workspace)) {
				changes[place.uri] ??= [];
				changes[place.uri].push({ range: place.range, newText: newName });
			}
			return { changes };
		},
	);

	// --- actions --------------------------------------------------------------------------------------------------------

	/** The edit of a whole document. */
	const rewritten = (document, text) => ({
		changes: { [document.uri]: difference(document, text) },
	});

	/** Converts the objects in a range, or all. */
	function conversions(document, range) {
		const text = document.getText();
		const convert = (given) => {
			const answer = claimkit.convert(given, { to: NEWEST });
			return {
				text: answer.text,
				changed: answer.objects.some(({ changed }) => changed),
				why: answer.findings.find(({ severity }) => severity === "error")
					?.message,
			};
		};
		/** @returns {import("vscode-languageserver").CodeAction[]} */
		const action = (title, { changed, text: now, why }, edit) => {
			if (now === undefined && why !== undefined)
				return [{ title, kind: CONVERT, disabled: { reason: why } }];
			return changed ? [{ title, kind: CONVERT, edit: edit(now) }] : [];
		};
		const { objects } = claimkit.parse(text);
		const old = objects.filter(
			({ apiVersion, range: at }) =>
				/^resource\.k8s\.io\/(?!v1$)/.test(apiVersion) && at !== undefined,
		);
		const here = old.filter(
			({ range: at }) => at.start.character === 0 && meet(at, range),
		);
		const actions = here.flatMap(({ kind, name, range: at }) => {
			const part = document.getText(at);
			return action(
				`convert ${kind} \`${name}\` to ${NEWEST}`,
				convert(part),
				(now) => {
					const whole =
						text.slice(0, document.offsetAt(at.start)) +
						now +
						text.slice(document.offsetAt(at.end));
					return rewritten(document, whole);
				},
			);
		});
		if (old.length > 1 || (old.length === 1 && here.length === 0)) {
			actions.push(
				...action(`convert the file to ${NEWEST}`, convert(text), (now) =>
					rewritten(document, now),
				),
			);
		}
		return actions;
	}

	connection.onCodeAction(async ({ textDocument: { uri }, range, context }) => {
		const document = documents.get(uri);
		if (document === undefined || isLarge(document) || !isForUs(document))
			return [];
		const settings = await settingsOf(uri);
		if (isExcluded(uri, settings, roots)) return [];
		const wants = (kind) =>
			context.only === undefined ||
			context.only.some((only) => kind === only || kind.startsWith(`${only}.`));
		const actions = [];
		if (wants(CodeActionKind.QuickFix)) {
			// Made anew: some clients give the diagnostics back without their data.
			const found = findings(document, settings).findings.map((finding) =>
				toDiagnostic(finding, { codePages: settings.codePages }),
			);
			for (const action of codeActions(
				uri,
				found.filter((one) => meet(one.range, range)),
			)) {
				const [{ code, range: at }] = action.diagnostics;
				const given = context.diagnostics.filter(
					(one) => one.code === code && equal(one.range, at),
				);
				actions.push(
					given.length === 0 ? action : { ...action, diagnostics: given },
				);
			}
		}
		const asked = context.only?.some(
			(only) => FIX_ALL === only || FIX_ALL.startsWith(`${only}.`),
		);
		if (asked) {
			const text = fixed(document.getText(), (now) =>
				findings(document, settings, now),
			);
			if (text !== document.getText())
				actions.push({
					title: "fix all of claimkit that deletes nothing",
					kind: FIX_ALL,
					edit: rewritten(document, text),
				});
		}
		if (wants(CONVERT)) actions.push(...conversions(document, range));
		return actions;
	});

	// --- lenses and hints -----------------------------------------------------------------------------------------------

	async function lenses(uri) {
		const document = documents.get(uri);
		if (document === undefined || isLarge(document) || !isForUs(document))
			return { settings: undefined, found: [] };
		const settings = await settingsOf(uri);
		const wanted = isExcluded(uri, settings, roots)
			? []
			: lensesOf(project, uri, settings);
		return { settings, found: wanted };
	}

	connection.onCodeLens(async ({ textDocument: { uri } }) => {
		const { settings, found } = await lenses(uri);
		if (!settings?.lenses) return [];
		return found.map(({ range, title, pod }) => {
			const command =
				client.commands && pod !== undefined
					? { title, command: "claimkit.devices", arguments: [uri, pod] }
					: { title, command: "" };
			return { range, command };
		});
	});

	connection.languages.inlayHint.on(
		async ({ textDocument: { uri }, range }) => {
			const { settings, found } = await lenses(uri);
			// Editors with lenses show it there already.
			if (
				!(
					settings?.inlayHints ??
					capabilities.textDocument?.codeLens === undefined
				)
			)
				return [];
			const document = documents.get(uri);
			return found
				.filter((one) => meet(one.range, range))
				.map(({ range: { start }, title }) => {
					const end = document.positionAt(
						document.offsetAt({ line: start.line + 1, character: 0 }),
					);
					const line = document.getText({
						start: { line: start.line, character: 0 },
						end,
					});
					return {
						position: {
							line: start.line,
							character: line.replace(/\r?\n$/, "").length,
						},
						label: title,
						paddingLeft: true,
					};
				});
		},
	);

	// --- what an extension asks -----------------------------------------------------------------------------------------

	/** Whether a document is ours, and what judges it. */
	connection.onRequest("claimkit/state", async ({ uri }) => {
		const document = documents.get(uri);
		const { release, gates } = await settingsOf(uri);
		return {
			ours: document !== undefined && isForUs(document),
			release,
			gates,
		};
	});

	connection.onRequest("claimkit/releases", () =>
		claimkit.releases().releases.map(({ release, lastPatch, versions }) => ({
			release,
			lastPatch,
			versions: versions.map(({ apiVersion }) => apiVersion.split("/")[1]),
		})),
	);

	/** The gates of a release of the device family, with their defaults. */
	connection.onRequest(
		"claimkit/gates",
		({ release }) =>
			claimkit.allocate("", release === undefined ? {} : { release }).gates,
	);

	/** @returns {Promise<{ text?: string, why?: string }>} the whole document in another version, or why there is none */
	const converted = async ({ uri, to }) => {
		await settingsOf(uri);
		const { text, findings: found } = claimkit.convert(
			documents.get(uri)?.getText() ?? "",
			{ to },
		);
		return text === undefined
			? {
					why:
						found.find(({ severity }) => severity === "error")?.message ??
						"nothing to convert",
				}
			: { text };
	};
	connection.onRequest("claimkit/convert", converted);

	/** The devices that the pods of a document get, as `allocate` answers; null if there is neither a pod nor a claim. */
	connection.onRequest("claimkit/devices", async ({ uri, pod }) => {
		const text = project.text(uri);
		if (text === undefined) return null;
		const settings = await settingsOf(uri);
		const answer = allocated(
			text,
			project.beside(uri, settings.workspace),
			settings,
			pod === undefined ? {} : { pod },
		);
		return answer.pods.length === 0
			? null
			: { release: answer.release, pods: answer.pods };
	});

	documents.listen(connection);
	connection.listen();
}
