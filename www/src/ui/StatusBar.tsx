import { signal } from "@preact/signals";
import { cursor } from "../editor/editor.ts";
import { t } from "../i18n/index.ts";
import { report, stale } from "../state/checks.ts";
import { draftState } from "../state/draft.ts";
import { activeHead, fileHeads, manifestHead } from "../state/files.ts";
import { offlineReady, online } from "../state/offline.ts";
import { embedded } from "../state/options.ts";
import { Visible } from "./Visible.tsx";

/** How long the last check took, and the file that it was of. */
const shown = signal({ fileId: "", ms: "" });

export function StatusBar() {
	const s = t.value;
	const { line, character } = cursor.value;
	const current = report.value;
	// An answer that came with the page took no time.
	if (current && !stale.value && current.ms > 0)
		shown.value = {
			fileId: current.fileId,
			ms:
				current.ms < 10
					? current.ms.toFixed(1)
					: Math.round(current.ms).toString(),
		};
	const { fileId, ms } = shown.value;
	return (
		<footer class="status-bar">
			<span class="tabular">
				{fileHeads.value.length > 1 && activeHead.value && (
					<span class="wide-only">
						<bdi class="status-file">
							<Visible text={activeHead.value.name} />
						</bdi>
						{" · "}
					</span>
				)}
				{s.lineColumn(line + 1, character + 1)}
			</span>
			{ms !== "" && fileId === manifestHead.value?.id && (
				<span class="tabular timing">{s.checkedIn(ms)}</span>
			)}
			<span class="spacer" />
			{!embedded.value && (
				<span class="wide-only">{s.draftStates[draftState.value]}</span>
			)}
			<span class="private">{s.privacy}</span>
			{(!online.value || offlineReady.value) && (
				<span>{online.value ? s.offlineReady : s.offline}</span>
			)}
		</footer>
	);
}
