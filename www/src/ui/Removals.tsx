import { reveal } from "../editor/editor.ts";
import { itemSpan, toSpan } from "../editor/positions.ts";
import type { Column } from "../engine/placement.ts";
import { t } from "../i18n/index.ts";
import type { Together } from "../state/together.ts";
import { Ticked } from "./Ticked.tsx";

/** The other way round: which requirement of a selector removes which nodes, and which one empties the set. */
export function Removals({ column, all }: { column: Column; all: Together }) {
	const s = t.value;
	const selectors = column.selectors.filter(
		(selector) => selector.requirements.length > 0,
	);
	const { next } = column;
	if (selectors.length === 0 && !next) return null;
	const emptied = selectors.some((selector) =>
		selector.requirements.some((requirement) => requirement.empties),
	);
	return (
		<>
			{next && (
				<p class="quiet">
					{s.next}: <code>{next.schedulerReason}</code>
					<span class="note">
						{" "}
						<Ticked text={next.why} />
					</span>
				</p>
			)}
			{selectors.length > 0 && (
				<details class="inverse" open={emptied}>
					<summary>{s.removal}</summary>
					{selectors.map((selector, index) => (
						<div key={index}>
							<p>
								<code>{selector.source}</code> {s.selects(selector.selects)}
							</p>
							<ul>
								{selector.requirements.map((requirement) => {
									const found = requirement.range
										? all.locate(requirement.range)
										: null;
									const doc = found?.file.doc;
									const span =
										found && doc
											? itemSpan(doc, toSpan(doc, found.range).from)
											: null;
									const written =
										span && doc
											? doc.sliceString(span.from, span.to).replace(/\s+/g, " ")
											: requirement.path;
									return (
										<li key={requirement.path}>
											{found ? (
												<button
													type="button"
													class="link-button"
													onClick={() => reveal(found.file.id, found.range)}
												>
													<code>{written}</code>
												</button>
											) : (
												<code>{written}</code>
											)}
											<p>
												{s.removes(requirement.removes)}
												{requirement.removesAlone > 0 &&
													` · ${s.removesAlone(requirement.removesAlone, requirement.alone.join(", ") + (requirement.alone.length < requirement.removesAlone ? " …" : ""))}`}
											</p>
											{requirement.empties && (
												<p class="bad-text">{s.empties}</p>
											)}
										</li>
									);
								})}
							</ul>
						</div>
					))}
				</details>
			)}
		</>
	);
}
