import { t } from "../i18n/index.ts";
import { nodesRelease, usedRelease } from "../state/gates.ts";
import { newestRelease, type Panel, panel, release } from "../state/options.ts";
import { Icon } from "./Icon.tsx";

/** The panels whose answers are about a cluster. */
const ABOUT_CLUSTERS: readonly Panel[] = [
	"problems",
	"devices",
	"audit",
	"cel",
];

const minorOf = (value: string): string =>
	value.split(".").slice(0, 2).join(".");

/** What of the cluster's settings is taken from its nodes; it can be taken back, and offered where something else was chosen. */
export function SettingsLine() {
	const s = t.value;
	const nodes = nodesRelease.value;
	if (!nodes || !ABOUT_CLUSTERS.includes(panel.value)) return null;
	const taken = release.value === "" && !newestRelease.value;
	if (!taken && minorOf(usedRelease.value) === minorOf(nodes.value))
		return null;
	return (
		<div
			class={`guide release-offer${taken ? " settings-line" : ""}`}
			role="note"
		>
			<Icon name={taken ? "settings" : "warning"} size={14} />
			<p>
				{taken && nodes.first
					? s.firstReleaseTaken(nodes.value)
					: taken
						? s.nodesReleaseTaken(
								nodes.value,
								nodes.kubelet,
								nodes.nodes,
								nodes.all,
							)
						: s.otherRelease(usedRelease.value, nodes.kubelet)}
			</p>
			<button
				type="button"
				class={`button small${taken ? "" : " primary"}`}
				onClick={() => {
					release.value = "";
					newestRelease.value = taken;
				}}
			>
				{taken ? s.useNewest : s.answerAs(nodes.value)}
			</button>
		</div>
	);
}
