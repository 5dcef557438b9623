import { reports } from "./checks.ts";
import type { Together } from "./together.ts";

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
	const classic = versions.some((version) => /\/v1alpha[12]$/.test(version));
	const device = versions.some((version) => !/\/v1alpha[12]$/.test(version));
	return device === classic ? null : device ? "device" : "classic";
}
