import type { RulesOf } from "claimkit";
import { t } from "../i18n/index.ts";
import { Icon } from "./Icon.tsx";

/** A note with the release whose rules answer for a patch release that was never recorded, or about a pre-release; nothing for other releases. */
export function RulesNote({ rules }: { rules: RulesOf | null | undefined }) {
	if (!rules) return null;
	return (
		<p class="note rules-of" role="note">
			<Icon name="info" size={14} />{" "}
			{rules.preRelease
				? t.value.preRelease(rules.asked)
				: t.value.rulesOf(rules.asked, rules.release, rules.adjusted)}
		</p>
	);
}
