/** The part of the request/answer contract the page reads. The Wasm module's own types are the full ones. */

export type Severity = "error" | "warning" | "info";
export type Origin = "kubectl" | "kube-apiserver" | "kube-scheduler" | "claimkit";

/** Zero-based line, UTF-16 code units in it, and the UTF-8 byte offset in the text. */
export interface Position {
  line: number;
  character: number;
  offset: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface TextEdit {
  range: Range;
  newText: string;
}

export interface Fix {
  title: string;
  edits: TextEdit[];
}

export interface Finding {
  code: string;
  severity: Severity;
  origin: Origin;
  message: string;
  path?: string;
  type?: string;
  help?: string;
  /** Which text it is about; its place and fixes count in that one. */
  in: "text" | "nodes" | "old" | "patch" | "settings";
  fixes: Fix[];
  range?: Range | null;
  object?: number;
}

export interface Status {
  code: number;
  reason?: string;
  message?: string;
  [more: string]: unknown;
}

export interface ObjectEntry {
  /** Its place among the objects of the whole text; the page leaves good ones of many out. */
  index?: number;
  apiVersion?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  release?: string;
  range?: Range | null;
  /** Null where it was not checked: an object of another group. */
  valid?: boolean | null;
  status?: Status | null;
  object?: unknown;
  placement?: Placement;
  // convert
  from?: string;
  to?: string;
  changed?: boolean;
  losses?: Loss[];
  decisions?: Decision[];
  skipped?: string;
  /** The first minor release that does not serve it in the version it had. */
  removedIn?: string;
}

/** What no tool can know about a conversion, and what was assumed. */
export interface Decision {
  code: string;
  path?: string;
  range?: Range | null;
  message: string;
  alternatives?: string[];
}

export interface Loss {
  path: string;
  value: unknown;
  reason: string;
  range?: Range | null;
}

export type Verdict = "Yes" | "Possible" | "No" | "Error";

export interface Placement {
  release: string;
  counts: { yes: number; possible: number; no: number; error: number };
  /** What the scheduler says, and of how many nodes. */
  reasons?: { reason: string; nodes: number }[];
  /** What the pod is told once the nodes were looked at. */
  next?: { schedulerReason: string; why: string };
  /** Per selector, which requirement removes which nodes. */
  selectors?: Inverse[];
  nodes: NodePlacement[];
}

/** One selector, seen from its requirements. */
export interface Inverse {
  source: string;
  object?: number;
  selects: number;
  requirements: InverseRequirement[];
}

export interface InverseRequirement {
  term: number;
  path: string;
  removes: number;
  /** Of those, on how many everything else in the term holds. */
  removesAlone: number;
  alone: string[];
  /** Without it the term would select nodes; with it, it selects none. */
  empties: boolean;
  range?: Range | null;
}

export interface NodePlacement {
  name: string;
  verdict: Verdict;
  reason: string;
  schedulerReason?: string;
  range?: Range | null;
  claims?: ClaimPlacement[];
}

export interface ClaimPlacement {
  claim?: string;
  entry?: string;
  class?: string;
  stage: string;
  mode?: string;
  verdict: Verdict;
  reason: string;
  schedulerReason?: string;
  checks: Check[];
}

/** One check; of a selector it carries the selector's check as well. */
export interface Check extends Partial<SelectorCheck> {
  check: string;
  holds: boolean | null;
  why: string;
  schedulerReason?: string;
  object?: number;
}

export interface SelectorCheck {
  source: string;
  eager: "Match" | "NoMatch" | "Error";
  lazy: "Match" | "NoMatch" | "Error";
  eagerError: string;
  lazyError: string;
  matchedTerm: number;
  nearestTerm: number;
  range: Range | null;
  terms: TermResult[];
}

export interface TermResult {
  index: number;
  outcome: "Match" | "NoMatch" | "Empty" | "Error";
  range?: Range | null;
  requirements: RequirementResult[];
}

export interface RequirementResult {
  path: string;
  key: string;
  operator: string;
  values: string[] | null;
  actual?: string | null;
  holds: boolean | null;
  why: string;
  range?: Range | null;
}

export interface Answer {
  verb?: string;
  ok: boolean;
  error?: string;
  findings: Finding[];
  objects: ObjectEntry[];
  text?: string;
  [more: string]: unknown;
}
