import { t } from "../i18n/index.ts";
import { copyText } from "../state/actions.ts";
import { COMMAND } from "../state/kubectl.ts";
import { Icon } from "./Icon.tsx";

/** The command that prints a cluster as the page reads it, to copy. */
export function Kubectl() {
	const s = t.value;
	return (
		<div class="commands kubectl" role="group" aria-label={s.printCluster}>
			<code
				tabIndex={0}
				role="textbox"
				aria-readonly="true"
				aria-label={s.printCluster}
			>
				{COMMAND.split(/(?<=,)|(?<=; )/).map((part) => (
					<>
						{part}
						<wbr />
					</>
				))}
			</code>
			<button
				type="button"
				class="button icon-only quiet"
				aria-label={`${s.copy}: ${s.printCluster}`}
				title={s.copy}
				onClick={() => void copyText(COMMAND)}
			>
				<Icon name="copy" size={14} />
			</button>
		</div>
	);
}
