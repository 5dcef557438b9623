import { holdsPolicies } from "../engine/admission.ts";
import { isStored } from "../engine/audited.ts";
import { fileOf, manifest, textOf } from "./files.ts";
import { clusterWords, placing, usedRelease } from "./gates.ts";
import * as options from "./options.ts";
import { nodesTogether, together } from "./together.ts";

/** A path of its own: a name that begins with a dash would be an option. */
const pathOf = (name: string): string =>
	name.startsWith("-") ? `./${name}` : name;

/** A word as a shell takes it. */
function quoted(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word)
		? word
		: `'${word.replace(/'/g, "'\\''")}'`;
}

const OPERATION: Record<options.Operation, string> = {
	create: "create",
	update: "update",
	updateStatus: "update-status",
	patch: "patch",
	patchStatus: "patch",
};

/** The panels whose commands take feature gates, and labels of the namespace. */
const WITH_LABELS: readonly options.Panel[] = [
	"problems",
	"request",
	"devices",
];
const WITH_GATES: readonly options.Panel[] = [...WITH_LABELS, "audit", "cel"];

/** Returns the command that gives the answer of a panel; null where the command line has no such question. */
export function commandFor(panel: options.Panel, to = ""): string | null {
	const file = manifest.value;
	if (!file) return null;
	const words = ["npx", "claimkit"];
	// The command takes the nodes' release too where it reads a cluster.
	const named =
		panel === "devices" || panel === "audit"
			? placing().release
			: usedRelease.value;
	const release = [
		...(named ? ["--release", named] : []),
		...(WITH_GATES.includes(panel)
			? clusterWords(WITH_LABELS.includes(panel))
			: []),
	];
	const stored = pathOf(fileOf("stored")?.name ?? "stored.yaml");
	// Pods and nodes are read from all tabs.
	const all = () => together()?.files ?? [file];
	const withNodes = () =>
		(together("nodes")?.files ?? [file]).map(({ name }) => pathOf(name));
	switch (panel) {
		case "problems":
			words.push("validate", ...release, pathOf(file.name));
			break;
		case "convert":
			words.push(
				"convert",
				"--to",
				to.replace("resource.k8s.io/", ""),
				...(options.lossy.value ? ["--allow-loss"] : []),
				...(options.annotate.value ? ["--annotate"] : []),
				...release,
				pathOf(file.name),
			);
			break;
		case "devices": {
			const picked = options.pickedDevices.value;
			words.push(
				"allocate",
				...(options.alone.value ? ["--alone"] : []),
				...release,
				...options.whatIf.value.flatMap((change) => ["--what-if", change]),
				...(picked
					? [
							...(picked.pod ? ["--pod", picked.pod] : []),
							"--node",
							picked.node,
						]
					: []),
				...withNodes(),
			);
			break;
		}
		case "audit": {
			const to = options.upgradeTo.value;
			// As the panel does: without a resourceVersion, objects are manifests.
			const areStored = all().some((one) => isStored(textOf(one)));
			words.push(to === "" || areStored ? "audit" : "validate", ...release);
			if (to !== "") words.push("--to", to);
			words.push(...withNodes());
			break;
		}
		case "cel": {
			const devices = all().filter((one) =>
				/kind["']?: *["']?ResourceSlice/.test(textOf(one)),
			);
			words.push(
				"cel",
				...release,
				...devices.flatMap(({ name }) => ["--device", pathOf(name)]),
				options.expression.value || options.FIRST_EXPRESSION,
			);
			break;
		}
		case "nodes":
			words.push(
				"evaluate",
				...release,
				...(
					nodesTogether()?.files.map(({ name }) => name) ?? ["nodes.yaml"]
				).flatMap((name) => ["--nodes", pathOf(name)]),
				...all().map(({ name }) => pathOf(name)),
			);
			break;
		case "request": {
			const operation = options.operation.value;
			const checks =
				options.fieldValidation.value === "Strict"
					? []
					: ["--field-validation", options.fieldValidation.value.toLowerCase()];
			if (operation === "patch" || operation === "patchStatus") {
				const type = options.patchType.value;
				words.push(
					"patch",
					"--type",
					type,
					...(operation === "patchStatus" ? ["--subresource", "status"] : []),
				);
				if (type === "apply")
					words.push(
						"--field-manager",
						options.fieldManager.value,
						...(options.force.value ? ["--force-conflicts"] : []),
					);
				words.push(
					...checks,
					...release,
					stored,
					pathOf(fileOf("patch")?.name ?? "patch.yaml"),
				);
				break;
			}
			words.push("validate");
			if (operation !== "create")
				words.push("--operation", OPERATION[operation], "--old", stored);
			if (options.via.value !== "kubectl")
				words.push("--via", options.via.value);
			if (options.requestNamespace.value)
				words.push("--namespace", options.requestNamespace.value);
			words.push(...checks, ...release, pathOf(file.name));
			break;
		}
		case "policy": {
			const settings = fileOf("settings");
			words.push("admit");
			const ofServer =
				settings !== undefined && holdsPolicies(textOf(settings));
			if (ofServer || !to.endsWith(".request.json")) {
				if (options.policyUser.value)
					words.push("--user", options.policyUser.value);
				for (const group of options.policyGroups.value.split(","))
					if (group.trim() && group.trim() !== "system:authenticated")
						words.push("--group", group.trim());
				if (options.policyOperation.value === "UPDATE" && fileOf("stored"))
					words.push("--old", pathOf(fileOf("stored")!.name));
				// Policies are manifests like those that they judge.
				if (settings)
					words.push(
						...(ofServer ? [] : ["--settings"]),
						pathOf(settings.name),
					);
				words.push(pathOf(to));
				break;
			}
			if (settings) words.push("--settings", pathOf(settings.name));
			words.push(...to.split(" "));
			break;
		}
		default:
			return null;
	}
	return words.map(quoted).join(" ");
}

/** The forms in which the command prints the settings of the policy. */
export const POLICY_FORMS = ["vap", "map", "kyverno"] as const;
export type PolicyForm = (typeof POLICY_FORMS)[number];

/** Returns the command that prints the settings as policies of another form; null without settings. */
export function policyCommand(form: PolicyForm): string | null {
	const settings = fileOf("settings");
	if (!settings || settings.doc.length === 0) return null;
	const words = [
		"npx",
		"claimkit",
		"policy",
		"--as",
		form,
		pathOf(settings.name),
	];
	return words.map(quoted).join(" ");
}
