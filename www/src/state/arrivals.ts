import { effect, untracked } from "@preact/signals";
import { t } from "../i18n/index.ts";
import { type Report, reports } from "./checks.ts";
import {
	activate,
	fileById,
	files,
	type PageFile,
	type Role,
	setRole,
	textOf,
} from "./files.ts";
import { notify } from "./notices.ts";
import {
	embedded,
	expression,
	expressionOwn,
	type Panel,
	panel,
	whatIf,
} from "./options.ts";
import { rememberPaste, takeAsNodes } from "./pasted.ts";

/** Texts that came as a whole and were not looked at yet; the engine's list of their objects decides their kind. */
const arrived = new Map<string, "opened" | "pasted">();

/** Whether a person chose a panel or a file after the last text arrived: the panel then stays open. */
let chosenSince = false;

function arrives(file: PageFile, how: "opened" | "pasted"): void {
	chosenSince = false;
	arrived.set(file.id, how);
}

/** Opens the file that a person chose. */
export function chooseFile(id: string): void {
	chosenSince = true;
	activate(id);
}

/** Opens the panel that a person chose. */
export function choosePanel(name: Panel): void {
	chosenSince = true;
	panel.value = name;
}

/** Gives a file the role that a person chose; its objects do not change it any more. */
export function chooseRole(id: string, role: Role): void {
	arrived.delete(id);
	setRole(id, role);
}

/** A file from the disk. */
export function hasOpened(file: PageFile): void {
	arrives(file, "opened");
}

/** The files of a folder that were opened together and are not all checked yet. */
let folder: readonly PageFile[] = [];

/** Several files from the disk: once all are checked, the one to begin with is shown. */
export function hasOpenedSeveral(list: readonly PageFile[]): void {
	for (const file of list) hasOpened(file);
	if (list.length > 1) folder = list;
}

const CLUSTER_KINDS = ["Node", "Pod", "ResourceSlice"];

/** Shows where to begin with several files: the devices of a cluster, or the file with most errors. */
function beginWith(list: readonly PageFile[]): void {
	if (chosenSince || embedded.peek() || panel.peek() !== "problems") return;
	const told = list.flatMap(({ id }) => reports.peek().get(id) ?? []);
	const kinds = new Set(
		told.flatMap(({ answer }) => answer.kinds.map(({ kind }) => kind)),
	);
	if (files.peek().some(({ role }) => role === "nodes")) kinds.add("Node");
	if (CLUSTER_KINDS.every((kind) => kinds.has(kind))) {
		panel.value = "devices";
		return;
	}
	const [worst] = told.sort(
		(a, b) =>
			b.answer.counts.errors - a.answer.counts.errors ||
			b.answer.counts.warnings - a.answer.counts.warnings,
	);
	if (worst && worst.answer.counts.errors + worst.answer.counts.warnings > 0)
		activate(worst.fileId);
}

/** Whether every file of the folder that is still open was checked. */
function isChecked({ id, version }: PageFile): boolean {
	const now = fileById(id);
	return (
		now?.role !== "manifest" ||
		now.version !== version ||
		reports.peek().get(id)?.version === version
	);
}

/** A text that was pasted into a file; nothing that somebody types is as long. */
export function hasPasted(file: PageFile, text: string): void {
	if (text.length < 40 || file.role !== "manifest") return;
	rememberPaste(file, text);
	arrives(file, "pasted");
}

function offerNodes(file: PageFile): void {
	notify({
		text: t.peek().looksLikeNodes,
		action: {
			label: t.peek().useAsNodes,
			run: () => {
				const now = fileById(file.id);
				if (now) takeAsNodes(now);
			},
		},
		// The answer is about the pasted text, not about later typing.
		over: () =>
			!files.value.some(
				({ id, version }) => id === file.id && version === file.version,
			),
	});
}

const blankless = (text: string) => text.replace(/\s+/g, "");

/** Forgets state that belongs to another text and that nobody typed: an expression from an example or from the last text, and changes. */
function leaveOthers(): void {
	const texts = files.peek().map((file) => blankless(textOf(file)));
	if (
		!expressionOwn.peek() &&
		expression.peek() !== "" &&
		!texts.some((text) => text.includes(blankless(expression.peek())))
	)
		expression.value = "";
	const lacks = (change: string) =>
		!texts.some((text) =>
			text.includes(
				change
					.slice(change.indexOf("=") + 1)
					.split(/[/=:]/)
					.at(-1) ?? "",
			),
		);
	if (whatIf.peek().some(lacks))
		whatIf.value = whatIf.peek().filter((change) => !lacks(change));
}

function look(
	file: PageFile,
	how: "opened" | "pasted",
	{ guide }: Report,
): void {
	leaveOthers();
	if (guide?.what === "nodes" && how === "opened") setRole(file.id, "nodes");
	// The Problems panel says so itself.
	else if (
		guide?.what === "nodes" &&
		how === "pasted" &&
		panel.peek() !== "problems"
	)
		offerNodes(file);
	else if (
		guide?.what === "dump" &&
		panel.peek() === "problems" &&
		!chosenSince &&
		!embedded.peek()
	)
		panel.value = "devices";
}

/** Looks at every text that arrives once the engine has listed its objects. */
export function watchArrivals(): void {
	effect(() => {
		const told = reports.value;
		untracked(() => {
			for (const [id, how] of [...arrived]) {
				const file = fileById(id);
				const report = told.get(id);
				if (!file) arrived.delete(id);
				if (!file || report?.version !== file.version) continue;
				arrived.delete(id);
				look(file, how, report);
			}
			if (folder.length > 0 && folder.every(isChecked)) {
				const list = folder;
				folder = [];
				beginWith(list);
			}
		});
	});
}
