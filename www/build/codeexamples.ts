import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { WRITTEN } from "./written.ts";

/** A text that gives a finding code, and what to ask about it; the page opens it as an example. */
export interface CodeExample {
  files: { name: string; role: "manifest" | "nodes" | "stored" | "settings"; text: string }[];
  panel?: string;
  release?: string;
  operation?: string;
  target?: string;
}

/** A comment under a line that says what is found there: `#   ^^^^ error some-code`. */
const MARK = /^#\s*[\^|][\^| \d:.~-]*\s*(?:error|warning|info)\s+([a-z0-9-]+)/;

/** Returns the options of the first line, as the tests read it: `# claimkit: release=1.29 old=claim.yaml`. */
function asked(text: string): Record<string, string> {
  const words = /^# claimkit: (.*)/.exec(text)?.[1]?.split(/\s+/) ?? [];
  return Object.fromEntries(words.map((word) => word.split("=", 2) as [string, string]));
}

/** Codes about what several objects of a text say together: their example is the whole text, as it is of a file with this name. */
const TOGETHER = /-together\.yaml$/;
const ACROSS = /-not-in-|^pod-|^extended-resource-|^selector-/;

/** The scenarios of allocation in which the findings about a whole cluster are met. */
const SCENARIOS: Record<string, string> = {
  "attribute-on-some": "01-mig-counters",
  "allocation-error": "02-missing-attribute",
  "error-ends-attempt": "02-missing-attribute",
  "tolerated-but-evicted": "03-taints",
  "admin-access-label": "07-admin-access",
  "pool-incomplete": "08-incomplete-pool",
  "slice-stale": "08-incomplete-pool",
  "share-takes-all": "09-capacity-rounding",
};

const PANELS: Record<string, string> = { convert: "convert", evaluate: "nodes" };

/**
 * For each finding code the first manifest of the tests that gives it, or else the one that is written for it, without the comments about what is found. A text of several
 * documents is cut to the one with the finding, unless they are read together.
 */
export function codeExamples(folder: string): Record<string, CodeExample> {
  const found: Record<string, CodeExample> = {};
  const without = (lines: readonly string[]) => lines.filter((line, index) => !MARK.test(line) && !(index === 0 && line.startsWith("# claimkit:"))).join("\n");
  const names = readdirSync(folder).filter((file) => file.endsWith(".yaml")).sort();
  // Prefers examples that are written for findings about several objects together.
  for (const name of [...names.filter((name) => TOGETHER.test(name)), ...names]) {
    const text = readFileSync(join(folder, name), "utf8");
    const { verb = "validate", release, operation, old, nodes, to, limits, via, ...rest } = asked(text);
    if (limits || via || Object.keys(rest).length > 0 || !(verb === "validate" || verb in PANELS)) continue;
    const together = verb !== "validate" || old !== undefined || nodes !== undefined;
    for (const part of together ? [text] : text.split(/^---\n/m)) {
      const lines = part.split("\n");
      for (const line of lines) {
        const code = MARK.exec(line)?.[1];
        if (code === undefined || code in found) continue;
        const plain = without(ACROSS.test(code) || TOGETHER.test(name) ? text.split("\n") : lines);
        const files: CodeExample["files"] = [{ name: "manifest.yaml", role: "manifest", text: plain }];
        for (const [role, file] of [["stored", old], ["nodes", nodes]] as const) {
          const path = file && join(folder, "stored", file);
          if (path && existsSync(path)) files.push({ name: `${role}.yaml`, role, text: readFileSync(path, "utf8") });
        }
        found[code] = {
          files,
          ...(old !== undefined ? { panel: "request", operation: operation ?? "update" } : verb in PANELS ? { panel: PANELS[verb]! } : {}),
          ...(release ? { release } : {}),
          ...(to ? { target: to.includes("/") ? to : `resource.k8s.io/${to}` } : {}),
        };
      }
    }
  }
  const clusters = Object.entries(SCENARIOS).map(([code, name]): [string, CodeExample] => {
    const text = readFileSync(join(folder, "../vectors/alloc/scenarios", `${name}.yaml`), "utf8");
    return [code, { files: [{ name: "cluster.yaml", role: "manifest", text }], panel: "devices" }];
  });
  return { ...WRITTEN, ...Object.fromEntries(clusters), ...found };
}
