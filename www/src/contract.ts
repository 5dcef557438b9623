/** The parts of an answer that all verbs share; the types of each verb are in the package `claimkit`. */

import type { Finding as AnyFinding, Range, Verdict } from "claimkit";

export type { Fix, Origin, Position, Range, Severity, TextEdit, Verdict } from "claimkit";

/** `range` is null where a finding about many texts is about none of them. */
export type Finding = Omit<AnyFinding, "range"> & { range?: Range | null };

export interface Status {
  code: number;
  reason?: string;
  message?: string;
  [more: string]: unknown;
}

export interface ObjectEntry {
  /** The object's index in the whole text; the page may omit objects without findings. */
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

/** An assumption of a conversion that no tool can check. */
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

export interface Placement {
  release: string;
  counts: { yes: number; possible: number; no: number; error: number };
  /** The scheduler's reasons, with the number of nodes of each. */
  reasons?: { reason: string; nodes: number }[];
  /** The status of the pod once the nodes were looked at. */
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
  /** The number of those nodes on which everything else in the term holds. */
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
