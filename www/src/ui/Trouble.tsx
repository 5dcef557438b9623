import type { Outcome } from "../engine/client.ts";
import { t } from "../i18n/index.ts";
import { Ticked } from "./Ticked.tsx";

/** Why a panel has no answer; nothing where it has one. */
export function Trouble<T>({ outcome }: { outcome: Outcome<T> | null }) {
	const s = t.value;
	if (!outcome || outcome.kind === "answer" || outcome.kind === "superseded")
		return null;
	return (
		<div class="banner bad" role="alert">
			<p>
				{outcome.kind === "crashed" ? (
					<>
						{s.crashedOn} <code>{outcome.message}</code>
					</>
				) : (
					// The function's name before the sentence is for programs.
					<Ticked text={outcome.message.replace(/^claimkit: \w+: /, "")} />
				)}
			</p>
		</div>
	);
}
