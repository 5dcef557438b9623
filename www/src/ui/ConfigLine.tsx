import { reveal } from "../editor/editor.ts";
import { t } from "../i18n/index.ts";
import { configTrouble } from "../state/config.ts";
import { activeHead } from "../state/files.ts";
import { gates, namespaceLabels } from "../state/gates.ts";
import { release } from "../state/options.ts";
import { Icon } from "./Icon.tsx";
import { Ticked } from "./Ticked.tsx";

/** The settings of the open `claimkit.toml`, or its first error. */
export function ConfigLine() {
	const head = activeHead.value;
	if (head?.role !== "config") return null;
	const s = t.value;
	const trouble = configTrouble.value;
	if (trouble) {
		const at = {
			line: trouble.line - 1,
			character: 0,
			offset: 0,
			byteOffset: 0,
		};
		return (
			<div class="config-line bad-text" role="alert">
				<Icon name="error" size={14} />{" "}
				<button
					type="button"
					class="link-button"
					onClick={() => reveal(head.id, { start: at, end: at })}
				>
					{s.configLine(trouble.line)}
				</button>{" "}
				<span lang="en">
					<Ticked text={trouble.message} />
				</span>
			</div>
		);
	}
	return (
		<div class="config-line" role="status">
			<Icon name="settings" size={14} />{" "}
			{s.configInForce(
				release.value || s.releaseAuto,
				Object.keys(gates.value.set).length,
				Object.keys(namespaceLabels.value).length,
			)}
		</div>
	);
}
