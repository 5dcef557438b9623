import { type Panel, panel } from "../state/options.ts";
import { Ticked } from "./Ticked.tsx";

/** Says that another panel has the answer for this text, and leads there. */
export function Elsewhere({
	text,
	label,
	to,
}: {
	text: string;
	label: string;
	to: Panel;
}) {
	return (
		<div class="empty">
			<p>
				<Ticked text={text} />
			</p>
			<button
				type="button"
				class="button primary"
				onClick={() => (panel.value = to)}
			>
				{label}
			</button>
		</div>
	);
}
