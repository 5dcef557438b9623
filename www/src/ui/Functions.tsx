import { useState } from "preact/hooks";
import type { CelFunction, FunctionGroup } from "../../build/functions.ts";
import { celFunctions } from "../examples/functions.ts";
import { t } from "../i18n/index.ts";
import { usedRelease } from "../state/gates.ts";
import { Ticked } from "./Ticked.tsx";

/** Returns the call of a function without arguments, or the field of a device. */
function called({ signature }: CelFunction): string {
	const field = /^(device\.\w+):/.exec(signature)?.[1];
	if (field !== undefined) return field;
	const before = signature.slice(0, signature.indexOf("("));
	// The receiver's type may have brackets of its own: `list(T).first() -> …`.
	const method = /^\w+\(.*?\)+\.(\w+)\(/.exec(signature)?.[1];
	if (method !== undefined) return `${method}()`;
	return /^[A-Z]|^(string|list|map|dyn|bytes)\./.test(before)
		? `${before.slice(before.indexOf(".") + 1)}()`
		: `${before}()`;
}

const minor = (of: string): number => Number(of.split(".")[1] ?? 0);

/** The functions that an expression can call, with the release that each is new in. */
export function Functions({ onInsert }: { onInsert: (text: string) => void }) {
	const s = t.value;
	const [groups, setGroups] = useState<readonly FunctionGroup[] | null>(null);
	const [failed, setFailed] = useState(false);
	const [words, setWords] = useState("");
	const open = () => {
		if (groups !== null) return;
		void celFunctions().then((found) => {
			setGroups(found);
			setFailed(found === null);
		});
	};
	const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
	const shown = (groups ?? [])
		.map(({ of, functions }) => ({
			of,
			functions: functions.filter(({ signature, since, gate = "" }) =>
				parts.every((part) =>
					`${signature} ${since} ${gate}`.toLowerCase().includes(part),
				),
			),
		}))
		.filter(({ functions }) => functions.length > 0);
	const chosen = usedRelease.value;
	return (
		<details
			class="functions"
			onToggle={({ currentTarget }) => currentTarget.open && open()}
		>
			<summary>{s.functions}</summary>
			{failed && <p class="note">{s.functionsFailed}</p>}
			{groups && (
				<>
					<p class="note">
						<Ticked text={s.functionsNote} />
					</p>
					<input
						type="search"
						class="filter"
						placeholder={s.filterFunctions}
						aria-label={s.filterFunctions}
						value={words}
						onInput={({ currentTarget }) => setWords(currentTarget.value)}
					/>
					{shown.length === 0 && <p class="quiet muted">{s.noFunctions}</p>}
					{shown.map(({ of, functions }) => (
						<section key={of} aria-label={s.functionGroups[of] ?? of}>
							<h4>{s.functionGroups[of] ?? of}</h4>
							<ul>
								{functions.map((one) => {
									const absent =
										chosen !== "" &&
										one.since !== "" &&
										minor(chosen) < minor(one.since);
									return (
										<li key={one.signature} class={absent ? "absent" : ""}>
											<button
												type="button"
												class="link-button"
												title={s.insertFunction}
												onClick={() => onInsert(called(one))}
											>
												<code>{one.signature}</code>
											</button>
											{one.more > 0 && (
												<span class="note" title={s.moreSignatures(one.more)}>
													+{one.more}
												</span>
											)}
											{one.since !== "" && (
												<span class="chip">{s.functionSince(one.since)}</span>
											)}
											{one.gate !== undefined && (
												<span class="chip">{one.gate}</span>
											)}
											{absent && (
												<span class="note bad-text">
													{s.functionAbsent(chosen)}
												</span>
											)}
										</li>
									);
								})}
							</ul>
						</section>
					))}
				</>
			)}
		</details>
	);
}
