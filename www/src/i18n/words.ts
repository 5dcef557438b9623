/** Text for where no code can be marked, as in a tooltip: the words between backticks without them. */
export const unticked = (text: string): string =>
	text.replace(/`([^`]+)`/g, "$1");

/** Characters that change the direction of the text around them, or take no room: drawn raw they hide a part of the text. */
const HIDDEN =
	/([\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff])/;

/** A text taken apart at such characters: every second part is one of them, by its number. */
export function apart(text: string): string[] {
	return text
		.split(HIDDEN)
		.map((part, index) =>
			index % 2 === 1
				? `U+${part.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`
				: part,
		);
}
