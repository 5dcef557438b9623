import { useComputed } from "@preact/signals";
import { t } from "../i18n/index.ts";
import { copyText } from "../state/actions.ts";
import { commandFor } from "../state/command.ts";
import type { Panel } from "../state/options.ts";
import { Icon } from "./Icon.tsx";
import { Visible } from "./Visible.tsx";

/** The same question as a command line, to copy. */
export function Commands({ panel, to }: { panel: Panel; to?: string }) {
	const s = t.value;
	// The command changes far less often than the text it is about.
	const command = useComputed(() => commandFor(panel, to)).value;
	if (command === null) return null;
	return (
		<section class="commands" aria-label={s.commandLine}>
			<span class="note">{s.commandLine}</span>
			<code
				tabIndex={0}
				role="textbox"
				aria-readonly="true"
				aria-label={s.commandLine}
			>
				<Visible text={command} />
			</code>
			<button
				type="button"
				class="button icon-only quiet"
				aria-label={`${s.copy}: ${s.commandLine}`}
				title={s.copy}
				onClick={() => void copyText(command)}
			>
				<Icon name="copy" size={14} />
			</button>
		</section>
	);
}
