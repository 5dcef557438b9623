import { effect, untracked } from "@preact/signals";
import { ask } from "../engine/client.ts";
import { firstCluster, severalClusters } from "./gates.ts";
import { together } from "./together.ts";

/** Asks the engine about files that may be of several clusters: it answers for the first, as the command does. */
export function watchClusters(): void {
	effect(() => {
		const about = severalClusters.value;
		if (about !== "" && firstCluster.peek()?.about !== about)
			untracked(() => void find(about));
	});
}

async function find(about: string): Promise<void> {
	const all = together("nodes");
	if (!all) return;
	const outcome = await ask("clusters", {
		question: "audit",
		text: all,
		options: {},
	});
	if (outcome.kind !== "answer" || severalClusters.peek() !== about) return;
	const { release, findings } = outcome.answer;
	firstCluster.value = {
		about,
		release,
		several: findings.some(({ code }) => code === "other-cluster"),
	};
}
