import { useEffect, useState } from "preact/hooks";
import { lang, t } from "../i18n/index.ts";
import type { PageFile } from "../state/files.ts";
import { type Guide, messageIn } from "../state/guide.ts";
import { type Match, messageIndex } from "../state/messages.ts";
import { Visible } from "./Visible.tsx";

/** The beginning of a text in which messages are looked for: `kubectl describe` prints events last. */
const LOOKED_AT = 40_000;
/** The length of what is compared with messages. */
const COMPARED = 4_000;

/** The page of the site in the language of the visitor. */
function addressOf(path: string, chinese: boolean): string {
	const at = path.lastIndexOf("/") + 1;
	return chinese ? `${path.slice(0, at)}zh/${path.slice(at)}` : path;
}

/** Links to the pages that explain a message, the nearest first. */
export function MessagePages({
	guide,
	file,
}: {
	guide: Guide;
	file: PageFile;
}) {
	const s = t.value;
	const [matches, setMatches] = useState<readonly Match[] | null>(null);
	const text = messageIn(guide, file.doc.sliceString(0, LOOKED_AT)).slice(
		0,
		COMPARED,
	);
	useEffect(() => {
		let current = true;
		void messageIndex().then((index) => {
			if (current) setMatches(index?.find(text) ?? []);
		});
		return () => {
			current = false;
		};
	}, [text]);
	if (text === "" || matches === null) return null;
	if (matches.length === 0) return <p class="note quiet">{s.noMessagePage}</p>;
	return (
		<section class="message-pages" aria-label={s.messagePages}>
			<h3>{s.messagePages}</h3>
			<ul>
				{matches.map(({ path, title }) => (
					<li key={path}>
						<a
							href={addressOf(path, lang.value !== "en")}
							target="_blank"
							rel="noopener"
						>
							<Visible text={title} />
						</a>
					</li>
				))}
			</ul>
		</section>
	);
}
