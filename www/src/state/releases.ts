import { computed, signal } from "@preact/signals";
import type { Release, ReleaseEntry } from "claimkit";
import { ask } from "../engine/client.ts";
import { lang } from "../i18n/index.ts";
import { literal } from "./files.ts";

/** The releases that the engine supports, oldest first, so that a new one needs no change here. */
export const releases = signal<readonly ReleaseEntry[]>([]);
let told = "";

/** Asks for the releases in the page's language, once for each. */
export async function loadReleases(): Promise<void> {
	const locale = lang.peek();
	if (told === locale) return;
	const outcome = await ask("releases", {
		question: "releases",
		text: literal("releases", ""),
		options: { locale },
	});
	if (outcome.kind !== "answer") return;
	told = locale;
	releases.value = outcome.answer.releases;
}

/** A choice of the list: every minor release, and the last patch before rules changed inside one. */
export interface Choice {
	value: Release;
	label: string;
	notes: string[];
}

const patchOf = (release: string) => Number(release.split(".")[2] ?? 0);
/** The releases that the engine knew when the page was built, with their last patches. */
const BUILT: readonly Pick<ReleaseEntry, "release" | "lastPatch">[] =
	__RELEASES__;

/** The newest release of which there is a final patch. */
export const newestKnown: Release | undefined = BUILT.filter(({ lastPatch }) =>
	/^[\d.]+$/.test(lastPatch),
).at(-1)?.release;

/** Returns the release that answers for a version such as `v1.34.2-gke.100`; null where that minor release is not known. */
export function nearestRelease(version: string): Release | null {
	const [, minor, patch] = /^v?(1\.\d+)\.(\d+)/.exec(version) ?? [];
	const entry = BUILT.find(({ release }) => release === minor);
	if (!entry) return null;
	return Number(patch) <= patchOf(entry.lastPatch)
		? patchNamed(entry.release, Number(patch))
		: entry.release;
}

/** Returns a patch of a minor release. */
export const patchNamed = (release: Release, patch: number): Release =>
	`1.${Number(release.split(".")[1])}.${patch}`;

export const choices = computed<Choice[]>(() =>
	releases.value.flatMap(({ release, lastPatch, versions, changes }) => {
		const served = versions
			.map(({ apiVersion }) => apiVersion.split("/").pop())
			.join(", ");
		const starts = [
			0,
			...changes
				.map(({ since }) => patchOf(since))
				.filter((patch) => patch > 0),
		];
		return starts.map((start, index): Choice => {
			const next = starts[index + 1];
			const end = next === undefined ? patchOf(lastPatch) : next - 1;
			const notes = changes
				.filter(({ since }) => patchOf(since) === start)
				.flatMap(({ documentation }) => documentation ?? []);
			return {
				// A minor release alone means its last patch.
				value: next === undefined ? release : patchNamed(release, end),
				label:
					starts.length > 1
						? `${release}.${start} – ${release}.${end}`
						: release,
				notes: [served, ...notes],
			};
		});
	}),
);

/** Every API version that some release serves, oldest first. */
export const versions = computed(() => [
	...new Set(
		releases.value.flatMap((entry) =>
			entry.versions.map(({ apiVersion }) => apiVersion),
		),
	),
]);
