import { computed } from "@preact/signals";
import { reports } from "./checks.ts";
import { fileHeads } from "./files.ts";
import { PANELS, panel } from "./options.ts";
import type { Together } from "./together.ts";

const CLASSIC = /\/v1alpha[12]$/;

/** The versions of our group that the files have, as the engine lists them. */
export function versionsIn({ files }: Pick<Together, "files">): Set<string> {
	const told = reports.value;
	const kinds = files.flatMap((file) => told.get(file.id)?.answer.kinds ?? []);
	return new Set(
		kinds
			.map(({ apiVersion }) => apiVersion)
			.filter((version) => version.startsWith("resource.k8s.io/")),
	);
}

/** Whether claims of a text ask for devices (v1alpha3 and later) or for a class with a driver (v1alpha1 and v1alpha2); null: both, or none. */
export function familyOf(all: Together): "device" | "classic" | null {
	const versions = [...versionsIn(all)];
	const classic = versions.some((version) => CLASSIC.test(version));
	const device = versions.some((version) => !CLASSIC.test(version));
	return device === classic ? null : device ? "device" : "classic";
}

/** Whether there is something that the panel about nodes of v1alpha1 and v1alpha2 answers. */
const needsNodes = computed(
	() =>
		fileHeads.value.some(({ role }) => role === "nodes") ||
		[...reports.value.values()].some(({ answer }) =>
			answer.kinds.some(({ apiVersion }) => CLASSIC.test(apiVersion)),
		),
);

/** The panels with a tab; the one that is open has one, too. */
export const shownPanels = computed(() =>
	PANELS.filter(
		(name) => name !== "nodes" || panel.value === name || needsNodes.value,
	),
);
