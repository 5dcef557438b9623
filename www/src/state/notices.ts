import { signal } from "@preact/signals";

/** The text that a screen reader reads out; the count makes it read equal texts again. */
export const announcement = signal({ text: "", count: 0 });

export function announce(text: string): void {
	announcement.value = { text, count: announcement.peek().count + 1 };
}

/** A line at the foot of the page with at most one thing to do. */
export interface Notice {
	text: string;
	action?: { label: string; run: () => void };
	/** Milliseconds until it goes by itself; with an action it stays until it is dealt with. */
	lasts?: number;
	/** Whether it has become untrue; it reads the signals that this depends on. */
	over?: () => boolean;
}

export const notice = signal<Notice | null>(null);
let timer = 0;

export function notify(next: Notice): void {
	clearTimeout(timer);
	notice.value = next;
	announce(next.text);
	const lasts = next.lasts ?? (next.action ? 12_000 : 3_500);
	timer = window.setTimeout(() => {
		if (notice.peek() === next) notice.value = null;
	}, lasts);
}
