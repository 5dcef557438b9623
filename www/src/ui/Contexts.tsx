import { editFile } from "../editor/editor.ts";
import type { Matrix, SchedulingContext } from "../engine/placement.ts";
import { t } from "../i18n/index.ts";
import { notify } from "../state/notices.ts";
import { ownershipChanges } from "../state/ownership.ts";
import type { Together } from "../state/together.ts";
import { Icon } from "./Icon.tsx";
import { Ticked } from "./Ticked.tsx";

/** Writes the fields that the cluster would have, into one or two files. */
function own(context: SchedulingContext, all: Together): void {
	if (!context.range || !context.podRange) return;
	const changes = ownershipChanges(
		all.locate(context.podRange),
		context.name,
		all.locate(context.range),
	);
	if (!changes) return;
	for (const fileId of new Set(changes.map((change) => change.fileId))) {
		editFile(
			fileId,
			changes
				.filter((change) => change.fileId === fileId)
				.map(({ from, insert }) => ({ from, insert })),
		);
	}
	notify({ text: t.peek().owned });
}

/**
 * Shows the errors of scheduling contexts themselves: one without its pod does nothing, one that its pod does not own stops
 * everything.
 */
export function Contexts({ matrix, all }: { matrix: Matrix; all: Together }) {
	const s = t.value;
	return (
		<>
			{matrix.contexts
				.filter(({ podRange, owned }) => !podRange || !owned)
				.map((context) => (
					<div class="guide" key={context.name}>
						<Icon name="warning" />
						<p>
							<Ticked
								text={
									context.podRange
										? s.notOwned(context.name)
										: s.contextAlone(context.kind, context.name)
								}
							/>
						</p>
						{context.podRange && (
							<button
								type="button"
								class="button small"
								onClick={() => own(context, all)}
							>
								{s.ownIt}
							</button>
						)}
					</div>
				))}
		</>
	);
}
