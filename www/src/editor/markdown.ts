import { apart } from "../i18n/words.ts";

/** The little Markdown our own sentences use: paragraphs, lists of `- `, bold and code. Text is never read as HTML. */
export function renderMarkdown(text: string): HTMLElement[] {
	return text
		.trim()
		.split(/\n{2,}/)
		.map((block) => {
			const lines = block.split("\n");
			if (lines.every((line) => line.startsWith("- "))) {
				const list = document.createElement("ul");
				for (const line of lines) {
					const item = document.createElement("li");
					inline(item, line.slice(2));
					list.append(item);
				}
				return list;
			}
			const paragraph = document.createElement("p");
			inline(paragraph, lines.join(" "));
			return paragraph;
		});
}

/** Returns a text in which hidden characters are shown as their code points. */
export function visible(text: string): DocumentFragment {
	const fragment = document.createDocumentFragment();
	apart(text).forEach((part, index) => {
		if (index % 2 === 0) {
			fragment.append(part);
			return;
		}
		const mark = document.createElement("span");
		mark.className = "cm-specialChar";
		mark.textContent = part;
		fragment.append(mark);
	});
	return fragment;
}

/** Writes one paragraph with its bold parts and its code. */
export function inline(parent: HTMLElement, text: string): void {
	for (const part of text.split(/(\*\*.+?\*\*|`[^`]+`)/)) {
		if (part.startsWith("**") && part.endsWith("**") && part.length > 4) {
			const bold = document.createElement("strong");
			inline(bold, part.slice(2, -2));
			parent.append(bold);
		} else if (part.startsWith("`") && part.length > 2) {
			const code = document.createElement("code");
			code.append(visible(part.slice(1, -1)));
			parent.append(code);
		} else if (part) {
			parent.append(visible(part));
		}
	}
}
