import { useEffect, useState } from "preact/hooks";
import {
	ask,
	engineState,
	type Outcome,
	type Request,
	sentencesCame,
} from "../engine/client.ts";
import type { AnswerTo, Name } from "../engine/protocol.ts";
import { lang } from "../i18n/index.ts";

/** The newest outcome of a panel's request, and whether it belongs to the request as it is now. */
export interface Shown<T> {
	outcome: Outcome<T> | null;
	fresh: boolean;
}

/**
 * Asks the engine whenever `key` changes and keeps the last answer on the screen until the next one comes.
 * `key` must name everything the request depends on beside the page's language; `null` asks nothing.
 */
export function useEngine<N extends Name>(
	slot: string,
	key: string | null,
	request: () => Request<N>,
	pause = 0,
): Shown<AnswerTo<N>> {
	const asked =
		key === null ? null : `${lang.value} ${sentencesCame.value} ${key}`;
	const [state, setState] = useState<{
		key: string | null;
		outcome: Outcome<AnswerTo<N>> | null;
	}>({ key: null, outcome: null });
	const started = engineState.value !== "failed";
	useEffect(() => {
		if (asked === null || !started) return undefined;
		let current = true;
		const timer = window.setTimeout(() => {
			void ask(slot, request()).then((outcome) => {
				if (current && outcome.kind !== "superseded")
					setState({ key: asked, outcome });
			});
		}, pause);
		return () => {
			current = false;
			clearTimeout(timer);
		};
	}, [slot, asked, started]);
	return {
		outcome: asked === null ? null : state.outcome,
		fresh: asked !== null && state.key === asked,
	};
}

/**
 * The pause before a request about a text of this length, so that typing stays smooth. What is drawn between two keys holds up the
 * second: a comparison of 10,000 lines takes a slow processor 90 ms.
 */
export function pauseFor(length: number): number {
	return length < 100_000 ? 30 : length < 1_000_000 ? 350 : 500;
}
