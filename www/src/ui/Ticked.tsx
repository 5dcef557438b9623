import { Visible } from "./Visible.tsx";

/** Text in which words between backticks are code, as our own messages write them. */
export function Ticked({ text }: { text: string }) {
	return (
		<>
			{text.split(/`([^`]+)`/).map((part, index) =>
				index % 2 === 1 ? (
					<code key={index}>
						<Visible text={part} />
					</code>
				) : (
					<Visible key={index} text={part} />
				),
			)}
		</>
	);
}
