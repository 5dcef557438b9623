import type { Release, ReleaseEntry } from "claimkit";
import { useEffect } from "preact/hooks";
import type { ClusterFacts } from "../engine/facts.ts";
import { t } from "../i18n/index.ts";
import { release } from "../state/options.ts";
import { loadReleases, patchNamed, releases } from "../state/releases.ts";
import { Icon } from "./Icon.tsx";

/** The release that most nodes run, as far as the engine knows it: with its patch, or the last one it knows. */
function ofNodes(
	{ nodes }: ClusterFacts,
	known: readonly ReleaseEntry[],
): { kubelet: string; value: Release } | null {
	const counts = new Map<string, number>();
	for (const { kubelet } of Object.values(nodes))
		if (kubelet) counts.set(kubelet, (counts.get(kubelet) ?? 0) + 1);
	const [kubelet] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
	const found =
		kubelet === undefined ? null : /^v?(1\.\d+)\.(\d+)/.exec(kubelet);
	if (!kubelet || !found) return null;
	const entry = known.find((one) => one.release === found[1]);
	if (!entry) return null;
	const [patch, last] = [
		Number(found[2]),
		Number(entry.lastPatch.split(".")[2] ?? 0),
	];
	return {
		kubelet,
		value: patch <= last ? patchNamed(entry.release, patch) : entry.release,
	};
}

const minorOf = (value: string): string =>
	value.split(".").slice(0, 2).join(".");

/** Offers the nodes' release where the answer is of another one. */
export function ReleaseOffer({
	facts,
	answered,
}: {
	facts: ClusterFacts | null;
	answered: string;
}) {
	const s = t.value;
	useEffect(() => void loadReleases(), []);
	const offer = facts && ofNodes(facts, releases.value);
	if (
		!offer ||
		(release.value === ""
			? minorOf(answered) === minorOf(offer.value)
			: minorOf(release.value) === minorOf(offer.value))
	)
		return null;
	return (
		<div class="guide release-offer" role="note">
			<Icon name="warning" />
			<p>{s.otherRelease(answered, offer.kubelet)}</p>
			<button
				type="button"
				class="button small primary"
				onClick={() => (release.value = offer.value)}
			>
				{s.answerAs(offer.value)}
			</button>
		</div>
	);
}
