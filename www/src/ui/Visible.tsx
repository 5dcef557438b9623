import { apart } from "../i18n/words.ts";

/** Shows invisible and bidirectional characters as code points. */
export function Visible({ text }: { text: string }) {
	const parts = apart(text);
	if (parts.length === 1) return <>{text}</>;
	return (
		<>
			{parts.map((part, index) =>
				index % 2 === 1 ? (
					<span key={index} class="hidden-character">
						{part}
					</span>
				) : (
					part
				),
			)}
		</>
	);
}
