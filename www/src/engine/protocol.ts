/**
 * What the page and its worker say to each other. Texts travel once per change: a request names a text by key and
 * version, and carries the characters only when this worker has not seen that version.
 */

export interface TextRef {
  key: string;
  version: number;
  text?: string;
}

export type Verb = "parse" | "validate" | "convert" | "evaluate" | "hover" | "complete" | "fixes" | "admit" | "releases" | "allocate" | "cel";

/**
 * `report`: lists no longer than a person can look at; `placement`: an evaluation as a matrix; `cell`: one node of an
 * evaluation; `admission`: every object in an admission request of its own; `devices`: an allocation as a grid; `account`: one pod on
 * one node of it; `judged`: what the selectors of a request say of one device; `tried`: an expression on every device of the text.
 */
export type Shape = "report" | "placement" | "cell" | "admission" | "devices" | "account" | "judged" | "tried";

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
