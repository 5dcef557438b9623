import { useEffect, useState } from "preact/hooks";
import { ask, engineState, type Outcome, type Request } from "../engine/client.ts";
import type { AnswerTo, Name } from "../engine/protocol.ts";

/** The newest outcome of a panel's request, and whether it belongs to the request as it is now. */
export interface Shown<T> {
  outcome: Outcome<T> | null;
  fresh: boolean;
}

/**
 * Asks the engine whenever `key` changes and keeps the last answer on the screen until the next one comes.
 * `key` must name everything the request depends on; `null` asks nothing.
 */
export function useEngine<N extends Name>(slot: string, key: string | null, request: () => Request<N>, pause = 0): Shown<AnswerTo<N>> {
  const [state, setState] = useState<{ key: string | null; outcome: Outcome<AnswerTo<N>> | null }>({ key: null, outcome: null });
  const started = engineState.value !== "failed";
  useEffect(() => {
    if (key === null || !started) return undefined;
    let current = true;
    const timer = window.setTimeout(() => {
      void ask(slot, request()).then((outcome) => {
        if (current && outcome.kind !== "superseded") setState({ key, outcome });
      });
    }, pause);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [slot, key, started]);
  return { outcome: key === null ? null : state.outcome, fresh: key !== null && state.key === key };
}

/** The pause before a request about a text of this length, so that typing stays smooth. */
export function pauseFor(length: number): number {
  return length < 100_000 ? 30 : length < 1_000_000 ? 150 : 500;
}
