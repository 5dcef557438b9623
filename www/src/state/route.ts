/** What the address asks for. Everything stands in the fragment, which browsers send to no server. */
export interface Route {
  /** A packed state. */
  shared?: string;
  example?: string;
  panel?: string;
  /** A finding, as `findingKey` names it. */
  finding?: string;
  /** A node and a column of the matrix. */
  node?: string;
  column?: string;
  /** A pod of the Devices panel, with `node`. */
  pod?: string;
  /** An object of the Policy panel, counted from 1. */
  verdict?: string;
  /** Anything: the page is shown inside another one. */
  embed?: string;
}

const KEYS: Record<string, keyof Route> = { s: "shared", example: "example", panel: "panel", finding: "finding", node: "node", column: "column", pod: "pod", verdict: "verdict", embed: "embed" };

/** Reads a fragment; null where it has something that no version of this page ever wrote. */
export function readRoute(hash: string): Route | null {
  const route: Route = {};
  const text = hash.replace(/^#/, "");
  if (text === "") return route;
  for (const [key, value] of new URLSearchParams(text)) {
    const name = KEYS[key];
    if (name === undefined || value === "") return null;
    route[name] = value;
  }
  return route;
}
