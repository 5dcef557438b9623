import { useEffect, useState } from "preact/hooks";
import { codeExamples } from "../examples/codes.ts";
import { type Example, exampleGroups } from "../examples/index.ts";
import { meaningOf } from "../i18n/codes.ts";
import { lang, t } from "../i18n/index.ts";
import { unticked } from "../i18n/words.ts";
import { copyText, dialog } from "../state/actions.ts";
import { openCodeExample, openExample } from "../state/session.ts";
import { Dialog } from "./Dialog.tsx";
import { Icon } from "./Icon.tsx";
import { Ticked } from "./Ticked.tsx";

const closed = () => (dialog.value = "");

function has(example: Example, words: readonly string[]): boolean {
	const text =
		`${example.id} ${Object.values(example.title).join(" ")} ${Object.values(example.sentence).join(" ")}`.toLowerCase();
	return words.every((word) => text.includes(word));
}

/** Every example with its address, to search and to link to. */
export function Gallery() {
	const s = t.value;
	const [words, setWords] = useState("");
	const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
	const [codes, setCodes] = useState<readonly string[]>([]);
	useEffect(
		() => void codeExamples().then((all) => setCodes(Object.keys(all).sort())),
		[],
	);
	const shownCodes = codes.filter((code) =>
		wanted.every(
			(word) => code.includes(word) || (meaningOf(code) ?? "").includes(word),
		),
	);
	const groups = exampleGroups()
		.map(({ group, list }) => ({
			group,
			list: list.filter((example) => has(example, wanted)),
		}))
		.filter(({ list }) => list.length > 0);
	return (
		<Dialog title={s.examples} onClose={closed} wide>
			{(close) => (
				<>
					<input
						class="gallery-search"
						type="search"
						placeholder={s.searchExamples}
						aria-label={s.searchExamples}
						value={words}
						onInput={({ currentTarget }) => setWords(currentTarget.value)}
					/>
					<p class="note">{s.examplesIntro}</p>
					{groups.length + shownCodes.length === 0 && (
						<p class="quiet muted">{s.noExamples}</p>
					)}
					{groups.map(({ group, list }) => (
						<section key={group} aria-label={s.exampleGroups[group]}>
							<h3>{s.exampleGroups[group]}</h3>
							<ul class="gallery">
								{list.map((example) => (
									<li key={example.id} class="gallery-item">
										<button
											type="button"
											class="menu-item two-lines"
											onClick={() => {
												close();
												void openExample(example);
											}}
										>
											<b>{example.title[lang.value]}</b>
											<span>
												<Ticked text={example.sentence[lang.value]} />
											</span>
										</button>
										<button
											type="button"
											class="button icon-only quiet"
											aria-label={s.exampleLink(example.title[lang.value])}
											title={s.exampleLink(example.title[lang.value])}
											onClick={() =>
												void copyText(
													`${location.origin}${location.pathname}#example=${encodeURIComponent(example.id)}`,
													s.exampleLinkDone,
												)
											}
										>
											<Icon name="link" size={14} />
										</button>
									</li>
								))}
							</ul>
						</section>
					))}
					{shownCodes.length > 0 && (
						<section aria-label={s.exampleCodes}>
							<h3>{s.exampleCodes}</h3>
							<ul class="code-gallery">
								{shownCodes.map((code) => (
									<li key={code}>
										<a
											href={`./#example=code/${code}`}
											title={unticked(meaningOf(code) ?? "") || undefined}
											onClick={(event) => {
												event.preventDefault();
												close();
												void openCodeExample(code);
											}}
										>
											{code}
										</a>
									</li>
								))}
							</ul>
						</section>
					)}
				</>
			)}
		</Dialog>
	);
}
