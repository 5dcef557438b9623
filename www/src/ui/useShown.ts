import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { wantedAnswer } from "../state/goal.ts";

/** Widths at which the answer is below the grid that it was chosen from. */
const NARROW = "(max-width: 860px)";

/** Brings an answer into view: all of it where a link leads to it, and its title where it would open below the edge of the screen. */
export function useShown(
	title: RefObject<HTMLElement | null>,
	answer: unknown,
	about: string,
): void {
	useEffect(() => {
		if (!answer || !title.current) return;
		const linked = wantedAnswer.peek();
		wantedAnswer.value = false;
		if (linked || matchMedia(NARROW).matches)
			title.current.scrollIntoView({ block: linked ? "start" : "nearest" });
	}, [answer !== null, about]);
}
