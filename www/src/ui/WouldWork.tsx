import type { NodeVerdict, Verdict } from "claimkit";
import { useEffect, useState } from "preact/hooks";
import { t } from "../i18n/index.ts";
import { copyText } from "../state/actions.ts";
import {
	type LabelChange,
	labelCommand,
	labelsFor,
	withLabels,
} from "../state/wouldwork.ts";
import { Icon } from "./Icon.tsx";

/** One selector mended can let another speak; after this many rounds the page gives up. */
const MOST_ROUNDS = 6;

interface Props {
	node: NodeVerdict;
	labels: Record<string, string>;
	/** Returns the engine's answer for the node with other labels. */
	ask: (labels: Record<string, string>) => Promise<NodeVerdict | null>;
}

interface Found {
	change: LabelChange;
	verdict: Verdict;
}

/** The smallest change of a node's labels that makes it usable, which the engine has confirmed. */
export function WouldWork({ node, labels, ask }: Props) {
	const s = t.value;
	const [found, setFound] = useState<Found | null | "nothing">(null);
	useEffect(() => {
		let current = true;
		void (async () => {
			let change: LabelChange = {};
			let now: NodeVerdict | null = node;
			for (let round = 0; now && round < MOST_ROUNDS; round++) {
				const more = labelsFor(now);
				if (more === null) break;
				change = { ...change, ...more };
				now = await ask(withLabels(labels, change));
				if (!current) return;
				if (now && (now.verdict === "Yes" || now.verdict === "Possible")) {
					setFound({ change, verdict: now.verdict });
					return;
				}
			}
			setFound("nothing");
		})();
		return () => {
			current = false;
		};
	}, [node]);
	if (found === null) return null;
	return (
		<section class="would-work" aria-label={s.wouldWork(node.name)}>
			<h4>{s.wouldWork(node.name)}</h4>
			{found === "nothing" ? (
				<p class="note">{s.wouldWorkNothing}</p>
			) : (
				<>
					<p class="commands inline-commands">
						<code
							tabIndex={0}
							role="textbox"
							aria-readonly="true"
							aria-label={s.wouldWorkLabels}
						>
							{labelCommand(node.name, found.change)}
						</code>
						<button
							type="button"
							class="button icon-only quiet"
							aria-label={`${s.copy}: ${s.wouldWorkLabels}`}
							title={s.copy}
							onClick={() =>
								void copyText(labelCommand(node.name, found.change))
							}
						>
							<Icon name="copy" size={14} />
						</button>
					</p>
					<p class="note">{s.wouldWorkChecked(s.verdicts[found.verdict])}</p>
				</>
			)}
		</section>
	);
}
