import type { Finding, Release } from "claimkit";
import { useEffect, useState } from "preact/hooks";
import { ask } from "../engine/client.ts";
import type { ShortAnswer } from "../engine/report.ts";
import { lang, t } from "../i18n/index.ts";
import { manifest, source } from "../state/files.ts";
import { release } from "../state/options.ts";
import { choices, loadReleases } from "../state/releases.ts";
import { Icon } from "./Icon.tsx";
import { Ticked } from "./Ticked.tsx";

interface Told {
	value: Release;
	label: string;
	answer: ShortAnswer;
}

const key = ({ code, path, message }: Finding) =>
	`${code} ${path ?? ""} ${message}`;
const errorsOf = ({ answer }: Told) =>
	answer.findings.filter(({ severity }) => severity === "error");

/** The first error that one release has and the one before has not, or the other way round. */
function difference(before: Told, now: Told): Finding | null {
	const [had, has] = [errorsOf(before), errorsOf(now)];
	const [hadKeys, hasKeys] = [new Set(had.map(key)), new Set(has.map(key))];
	return (
		has.find((finding) => !hadKeys.has(key(finding))) ??
		had.find((finding) => !hasKeys.has(key(finding))) ??
		null
	);
}

/** A longer text is judged by one release at a time: a dozen checks for every keystroke would be felt. */
const LONGEST = 200_000;

/** The same text in every release: which releases accept it, and where the answer first changes. */
function Rows() {
	const s = t.value;
	const file = manifest.value;
	const [list, setList] = useState<Told[]>([]);
	const known = choices.value;
	useEffect(() => void loadReleases(), []);
	useEffect(() => {
		if (!file || file.doc.length > LONGEST) return undefined;
		let current = true;
		void (async () => {
			const answers: Told[] = [];
			for (const { value, label } of known) {
				const outcome = await ask(`strip:${value}`, {
					question: "report",
					text: source(file),
					options: { release: value, at: 0 },
					texts: { among: [] },
				});
				if (!current) return;
				if (outcome.kind === "answer")
					answers.push({ value, label, answer: outcome.answer });
			}
			setList(answers);
		})();
		return () => {
			current = false;
		};
	}, [file?.id, file?.version, known, lang.value]);
	const at = list.findIndex(
		(now, index) => index > 0 && difference(list[index - 1]!, now) !== null,
	);
	const differs = at > 0 ? difference(list[at - 1]!, list[at]!) : null;
	return (
		<>
			<ul class="strip">
				{list.map(({ value, label, answer }) => {
					const { errors } = answer.counts;
					const tone = answer.ok ? "good" : errors > 0 ? "bad" : "none";
					return (
						<li key={value}>
							<button
								type="button"
								class={`strip-cell ${tone}`}
								aria-pressed={release.value === value}
								onClick={() =>
									(release.value = release.peek() === value ? "" : value)
								}
							>
								<b class="tabular">{label}</b>
								<span>
									<Icon
										name={
											tone === "good"
												? "check"
												: tone === "bad"
													? "cross"
													: "info"
										}
										size={12}
									/>{" "}
									{answer.ok
										? s.releaseAccepts
										: errors > 0
											? s.releaseRefuses(errors)
											: s.unchecked}
								</span>
							</button>
						</li>
					);
				})}
			</ul>
			{list.length > 0 && (
				<p class="strip-note">
					{differs ? (
						<>
							<b>
								{s.releaseDiffers} ({list[at]!.label}):
							</b>{" "}
							{differs.origin === "claimkit" ? (
								<Ticked text={differs.message} />
							) : (
								<span class="exact" lang="en">
									{differs.message}
								</span>
							)}
						</>
					) : (
						s.releaseSame
					)}
				</p>
			)}
		</>
	);
}

export function Strip() {
	const [open, setOpen] = useState(false);
	return (
		<details
			class="fold"
			open={open}
			onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
		>
			<summary>{t.value.releaseStrip}</summary>
			{open && <Rows />}
		</details>
	);
}
