/**
 * The messages between the page and its worker. Texts travel once per change: a request names a text by key and
 * version, and carries the characters only when this worker has not seen that version.
 */

export interface TextRef {
  key: string;
  version: number;
  /** Bytes where they are not UTF-8: the engine says so. */
  text?: string | Uint8Array;
}

/** Texts that are not asked about any more. */
export interface Forget {
  forget: string[];
}

export type Verb = "parse" | "validate" | "convert" | "evaluate" | "hover" | "complete" | "fixes" | "admit" | "releases" | "allocate" | "audit" | "cel" | "symbols";

/**
 * `report`: lists no longer than a person can look at; `placement`: an evaluation as a matrix; `cell`: one node of an
 * evaluation; `admission`: every object in an admission request of its own; `devices`: an allocation as a grid; `account`: one pod on
 * one node of it; `judged`: what the selectors of a request say of one device; `tried`: an expression on every device of the text;
 * `pods`: columns of a grid, a few at a time; `turns`: all of them, with the pods placed in turn; `audit`: how much is in use; `gates`:
 * the gates of a release with their defaults.
 */
export type Shape = "report" | "placement" | "cell" | "admission" | "devices" | "account" | "judged" | "tried" | "reviewed" | "converted" | "facts" | "pods" | "turns" | "audit" | "gates";

export interface Ask {
  id: number;
  verb: Verb;
  text: TextRef;
  /** Options of the contract; values that are `{ ref }` are texts, replaced by the worker. */
  options: Record<string, unknown>;
  refs?: Record<string, TextRef>;
  shape?: Shape;
  cell?: { object: number; node: number; name: string };
}

export type Tell =
  | { kind: "ready"; ms: number }
  | { kind: "failed"; message: string }
  | { kind: "answer"; id: number; answer: unknown; ms: number }
  | { kind: "unknown-verb"; id: number }
  | { kind: "refused"; id: number; message: string }
  | { kind: "crashed"; id: number; message: string };
