import type { Text } from "@codemirror/state";
import type { ShortAnswer } from "../engine/report.ts";
import { guessRole, type Role } from "./files.ts";

/** What a text is, where it is no manifest that a person wrote; and what to use it as instead. */
export type Guide = { what: "nodes" | "patch" | "table" | "described" | "helm" | "live" | "settings" | "other"; use?: Role };

const LOOKED_AT = 20_000;

/** What settings of the policy begin with, and other texts do not. */
const SETTINGS = /^[{ ]*["']?(apiVersions|deviceClasses|resourceClasses|allocationModes|adminAccess|deviceTaintRules|drivers|parametersRef|suitableNodes|availableOnNodes|shareable|pods|exempt|mode|validation|gates)["']?\s*:/m;

/** Recognises what was pasted from its text, and from what the engine found in it. */
export function guideFor(doc: Text, answer: ShortAnswer): Guide | null {
  const head = doc.sliceString(0, LOOKED_AT);
  if (head.trim() === "") return null;
  const ours = /resource\.k8s\.io\//.test(head);
  if (!ours && guessRole("", head) === "nodes") return { what: "nodes", use: "nodes" };
  if (/^NAME(SPACE)? +[A-Z]/.test(head)) return { what: "table" };
  if (/^Name: +\S/m.test(head) && /^API Version: +\S/m.test(head)) return { what: "described" };
  if (/^[^#\n]*\{\{-?\s*[\w.$("]/m.test(head)) return { what: "helm" };
  const first = head.trimStart();
  const operations = /^(-\s+|\[\s*\{\s*)["']?(op|path|value|from)["']?\s*:/.test(first) && /["']?op["']?\s*:\s*["']?(add|remove|replace|move|copy|test)\b/.test(first);
  if (operations) return { what: "patch", use: "patch" };
  // In YAML a key of the object itself stands in the first column; what it refers to has a kind, too.
  const json = /^[{[]/.test(first);
  const typed = (json ? /"apiVersion"\s*:|^[{[\s]*"kind"\s*:/m : /^(- )?["']?(apiVersion|kind)["']?\s*:/m).test(head);
  if (!typed && (json ? /^\{?\s*"(metadata|spec|status)"\s*:/m : /^["']?(metadata|spec|status)["']?\s*:/m).test(head)) return { what: "patch", use: "patch" };
  if (!typed && SETTINGS.test(head)) return { what: "settings", use: "settings" };
  if (ours && /^\s+["']?resourceVersion["']?\s*:/m.test(head) && /^\s+["']?uid["']?\s*:/m.test(head)) return { what: "live", use: "stored" };
  const nothing = answer.findings.some(({ code }) => code === "nothing-checked") || answer.findings.some(({ code }) => code === "no-kind");
  return nothing && !ours && !judged(answer) ? { what: "other" } : null;
}

const judged = ({ objects }: ShortAnswer): boolean => objects.some(({ valid }) => typeof valid === "boolean");

/** Whether what the engine says of the text helps nobody, because the text is of another sort. */
export function helpsNobody(guide: Guide | null, answer: ShortAnswer): boolean {
  return guide !== null && guide.what !== "live" && !judged(answer);
}
