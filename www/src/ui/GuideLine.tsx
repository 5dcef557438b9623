import { editFile, notifyChange, replaceText } from "../editor/editor.ts";
import { ask } from "../engine/client.ts";
import type { Sentences } from "../i18n/en.ts";
import { t } from "../i18n/index.ts";
import { ofServer, planFixAll } from "../state/actions.ts";
import { withClaims, withExtendedClass } from "../state/extended.ts";
import {
	fileById,
	files,
	freeName,
	newFile,
	type PageFile,
	type Role,
	rename,
	setRole,
	source,
	textOf,
} from "../state/files.ts";
import { type Guide, separated, unwrapped } from "../state/guide.ts";
import { notify } from "../state/notices.ts";
import {
	expression,
	expressionOwn,
	operation,
	panel,
	patchType,
} from "../state/options.ts";
import { takeAsNodes } from "../state/pasted.ts";
import { Icon } from "./Icon.tsx";
import { Kubectl } from "./Kubectl.tsx";
import { Ticked } from "./Ticked.tsx";

const SAY: Record<Guide["what"], (s: Sentences, guide: Guide) => string> = {
	nodes: (s) => s.guideNodes,
	patch: (s) => s.guidePatch,
	table: (s) => s.guideTable,
	described: (s) => s.guideDescribed,
	helm: (s) => s.guideHelm,
	live: (s) => s.guideLive,
	settings: (s) => s.guideSettings,
	policies: (s) => s.guidePolicies,
	event: (s) => s.guideEvent,
	waiting: (s) => s.guideWaiting,
	fenced: (s) => s.guideFenced,
	prompted: (s) => s.guidePrompted,
	expression: (s) => s.guideExpression,
	review: (s) => s.guideReview,
	dump: (s) => s.guideDump,
	config: (s) => s.guideConfig,
	large: (s) => s.tooLong,
	plugin: (s, { resources = [] }) =>
		s.guidePlugin(resources.map(({ resource }) => `\`${resource}\``)),
	message: (s) => s.guideMessage,
	appended: (s) => s.guideAppended,
	other: (s) => s.guideOther,
};

const USE: Partial<Record<Role, (s: Sentences) => string>> = {
	nodes: (s) => s.useAsNodes,
	patch: (s) => s.useAsPatch,
	stored: (s) => s.useAsStored,
	settings: (s) => s.useAsSettings,
	config: (s) => s.useAsConfig,
};

/**
 * Gives the file the role its text has, and opens the panel that uses it. There is always a manifest left: an object that is alone
 * is stored as a copy, and stays to be changed.
 */
function use(file: PageFile, role: Role): void {
	if (role === "nodes") {
		takeAsNodes(file);
		panel.value = "nodes";
		return;
	}
	const others = files.peek().filter(({ id }) => id !== file.id);
	const alone = !others.some((other) => other.role === "manifest");
	if (role === "stored" && alone) {
		const text = textOf(file);
		if (
			!others.some((other) => other.role === "stored" && textOf(other) === text)
		)
			files.value = [
				file,
				newFile(freeName("stored.yaml"), "stored", text),
				...others,
			];
	} else {
		setRole(file.id, role);
		if (alone) {
			// The manifest has the name that something else was pasted under.
			const own =
				role === "config"
					? freeName("claimkit.toml", file.id)
					: file.name.includes(role)
						? file.name
						: freeName(
								`${role}.${/^\s*[{[]/.test(file.doc.sliceString(0, 200)) ? "json" : "yaml"}`,
							);
			rename(file.id, own);
			files.value = [
				...files.peek(),
				newFile(
					own === file.name ? freeName("manifest.yaml") : file.name,
					"manifest",
					"",
				),
			];
		}
	}
	if (role === "settings") panel.value = "policy";
	if (role === "patch") {
		operation.value = "patch";
		const list = /^\s*(\[|-\s)/.test(file.doc.sliceString(0, 200));
		if (list) patchType.value = "json";
		else if (patchType.peek() === "json") patchType.value = "strategic";
		panel.value = "request";
	}
	if (role === "stored") {
		operation.value = "update";
		panel.value = "request";
	}
}

/** Puts the manifests of a wrapped text in its place. */
function unwrap(file: PageFile): void {
	replaceText(file.id, unwrapped(textOf(file)));
	notifyChange(file.id, t.peek().unwrapped);
}

/** Takes the object out of an AdmissionReview. */
async function takeReviewed(file: PageFile): Promise<void> {
	const outcome = await ask("reviewed", {
		question: "reviewed",
		text: source(file),
		options: {},
	});
	if (fileById(file.id)?.version !== file.version) {
		notify({ text: t.peek().textChanged });
		return;
	}
	if (outcome.kind !== "answer" || outcome.answer === null) {
		notify({ text: t.peek().noReviewed });
		return;
	}
	replaceText(file.id, outcome.answer);
	notifyChange(file.id, t.peek().unwrapped);
}

/** Moves an expression to its panel. */
function takeExpression(file: PageFile): void {
	const text = textOf(file).trim();
	editFile(file.id, { from: 0, to: file.doc.length, insert: "" });
	expression.value = text;
	expressionOwn.value = true;
	panel.value = "cel";
}

/** Puts claims in place of the resources of device plugins. */
function takeClaims(file: PageFile): void {
	const text = withClaims(textOf(file));
	if (text === null) {
		notify({ text: t.peek().pluginForm });
		return;
	}
	replaceText(file.id, text);
	notifyChange(file.id, t.peek().claimsMade);
}

/** Adds the class that serves the resources by their names. */
function takeExtended(file: PageFile): void {
	replaceText(file.id, withExtendedClass(textOf(file)));
	notifyChange(file.id, t.peek().extendedMade);
}

/** Puts a separator before each of several outputs that were appended to one file. */
function separate(file: PageFile): void {
	replaceText(file.id, separated(textOf(file)));
	notifyChange(file.id, t.peek().separated);
}

interface Action {
	label: (s: Sentences) => string;
	run: (file: PageFile) => unknown;
}

const DO: Partial<Record<Guide["what"], readonly Action[]>> = {
	fenced: [{ label: (s) => s.unwrap, run: unwrap }],
	prompted: [{ label: (s) => s.unwrap, run: unwrap }],
	review: [{ label: (s) => s.takeReviewed, run: takeReviewed }],
	expression: [{ label: (s) => s.openExpression, run: takeExpression }],
	dump: [{ label: (s) => s.openDevices, run: () => (panel.value = "devices") }],
	plugin: [
		{ label: (s) => s.makeClaims, run: takeClaims },
		{ label: (s) => s.makeExtended, run: takeExtended },
	],
	appended: [{ label: (s) => s.separate, run: separate }],
};

/** Sentences about a pod that cannot be placed are followed by what to run. */
const WITH_COMMAND: Guide["what"][] = [
	"described",
	"event",
	"waiting",
	"table",
	"message",
];

/** Shows the kind of a pasted text that is not a manifest, with a link to the panel for it. */
export function GuideLine({
	guide,
	file,
	cleanable = false,
}: {
	guide: Guide;
	file: PageFile;
	cleanable?: boolean;
}) {
	const s = t.value;
	const role = guide.use;
	const label = role && USE[role]?.(s);
	const actions = DO[guide.what] ?? [];
	return (
		<div class="guide">
			<Icon name="info" />
			<p>
				<Ticked text={SAY[guide.what](s, guide)} />
			</p>
			{actions.map(({ label: name, run }, index) => (
				<button
					type="button"
					class={`button small${index === 0 ? " primary" : ""}`}
					key={name(s)}
					onClick={() => void run(file)}
				>
					{name(s)}
				</button>
			))}
			{cleanable && (
				<button
					type="button"
					class="button small"
					onClick={() => void planFixAll(ofServer)}
				>
					{s.makeManifest}
				</button>
			)}
			{WITH_COMMAND.includes(guide.what) && <Kubectl />}
			{role && label && (
				<button
					type="button"
					class="button small"
					onClick={() => use(file, role)}
				>
					{label}
				</button>
			)}
		</div>
	);
}
