import { useComputed } from "@preact/signals";
import { t } from "../i18n/index.ts";
import { copyText } from "../state/actions.ts";
import { commandFor } from "../state/command.ts";
import type { Panel } from "../state/options.ts";
import { Icon } from "./Icon.tsx";
import { Visible } from "./Visible.tsx";

/** The same question as a command line, to copy. */
export function Commands({ panel, to }: { panel: Panel; to?: string }) {
	// The command changes far less often than the text it is about.
	const command = useComputed(() => commandFor(panel, to)).value;
	return command === null ? null : (
		<CommandLine command={command} label={t.value.commandLine} />
	);
}

/** A command line to copy, with what it is for. */
export function CommandLine({
	command,
	label,
}: {
	command: string;
	label: string;
}) {
	const s = t.value;
	return (
		<section class="commands" aria-label={label}>
			<span class="note">{label}</span>
			<code tabIndex={0} role="textbox" aria-readonly="true" aria-label={label}>
				<Visible text={command} />
			</code>
			<button
				type="button"
				class="button icon-only quiet"
				aria-label={`${s.copy}: ${label}`}
				title={s.copy}
				onClick={() => void copyText(command)}
			>
				<Icon name="copy" size={14} />
			</button>
		</section>
	);
}
