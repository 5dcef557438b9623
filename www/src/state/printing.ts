import { signal } from "@preact/signals";

/** Whether the page is being printed: lists are then drawn whole, for nobody can open them on paper. */
export const printing = signal(false);

/** What stands closed beside an answer, and belongs to it. */
const CLOSED =
	".pod-sentences details:not([open]), .headline details:not([open])";

/** Opens what is closed before the page is printed, and closes it again. */
export function printWhole(): void {
	let opened: HTMLDetailsElement[] = [];
	window.addEventListener("beforeprint", () => {
		printing.value = true;
		// What the lists draw now has parts that are closed too.
		queueMicrotask(() => {
			opened = [...document.querySelectorAll<HTMLDetailsElement>(CLOSED)];
			for (const details of opened) details.open = true;
		});
	});
	window.addEventListener("afterprint", () => {
		printing.value = false;
		for (const details of opened) details.open = false;
		opened = [];
	});
}
