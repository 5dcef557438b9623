import type { Answer, Finding, NodePlacement, Verdict } from "../contract.ts";

/** One claim or pod: a column of the matrix. */
export interface Column {
  object: number;
  kind: string;
  name: string;
  namespace?: string;
  verdicts: Verdict[];
  reasons: string[];
}

/** What the page needs to draw thousands of nodes; the explanation of one cell is asked for when it is opened. */
export interface Matrix {
  ok: boolean;
  findings: Finding[];
  nodes: string[];
  labels: (Record<string, string> | null)[];
  columns: Column[];
}

/** The short reason of a cell: the engine's own line when it gives one, else the first claim's. */
export function reasonOf(node: NodePlacement): string {
  if (typeof node["summary"] === "string") return node["summary"];
  if (typeof node["reason"] === "string") return node["reason"];
  for (const claim of node.claims ?? []) {
    for (const field of ["summary", "reason", "schedulerText"]) {
      const value = claim[field];
      if (typeof value === "string" && value !== "") return value;
    }
  }
  return "";
}

/** Reduces an evaluation to the matrix; `read` are the nodes' labels as they stand in the text. */
export function compactPlacements(answer: Answer, read: readonly { name: string; labels: Record<string, string> }[]): Matrix {
  const columns: Column[] = [];
  let nodes: string[] = [];
  answer.objects?.forEach((entry, object) => {
    if (!entry.placement) return;
    const rows = entry.placement.nodes;
    if (rows.length > nodes.length) nodes = rows.map((row) => row.name);
    columns.push({
      object,
      kind: entry.kind ?? "",
      name: entry.name ?? "",
      ...(entry.namespace ? { namespace: entry.namespace } : {}),
      verdicts: rows.map((row) => row.verdict),
      reasons: rows.map(reasonOf),
    });
  });
  const byName = new Map(read.map((node) => [node.name, node.labels]));
  return { ok: answer.ok, findings: answer.findings ?? [], nodes, labels: nodes.map((name) => byName.get(name) ?? null), columns };
}
