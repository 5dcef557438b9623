import type { Answer, Finding, ObjectEntry } from "../contract.ts";
import { t } from "../i18n/index.ts";
import { countErrors } from "./checks.ts";

/**
 * Tells which errors are in the answer that is given now. kubectl stops before anything is sent, and a server that cannot decode
 * an object answers with that alone: what validation would say comes only after it is mended.
 */
export function answeredNow(findings: readonly Finding[], objects: readonly ObjectEntry[]): (finding: Finding) => boolean {
  const byIndex = new Map(objects.map((entry, at) => [entry.index ?? at, entry]));
  const stops = findings.filter(({ origin, severity }) => origin === "kubectl" && severity === "error");
  const stopped = new Set(stops.map(({ object }) => object));
  // kubectl submits nothing of what follows a document that it cannot read.
  const unread = Math.min(...stops.map(({ object, range }) => (object === undefined ? (range?.start.offset ?? 0) : Infinity)));
  return (finding) => {
    if (finding.origin !== "kube-apiserver" || finding.severity !== "error") return true;
    if ((finding.range?.start.offset ?? 0) > unread || (finding.object !== undefined && stopped.has(finding.object))) return false;
    const status = byIndex.get(finding.object ?? -1)?.status;
    if (!status || status.code === 422) return true;
    return (status.message ?? "").includes(finding.message);
  };
}

export interface Verdict {
  tone: "good" | "bad" | "none";
  text: string;
}

/** Who would say no (or yes): the first of kubectl and the API server that has an error. */
export function verdictOf(answer: Answer): Verdict {
  const s = t.value;
  const { errors, warnings, infos } = countErrors(answer.findings);
  if (answer.error) return { tone: "bad", text: answer.error };
  if (!answer.ok && (answer.findings.some((finding) => finding.code === "nothing-checked") || errors === 0)) return { tone: "none", text: s.nothingChecked };
  const now = answeredNow(answer.findings, answer.objects);
  const theirs = answer.findings.filter(({ origin, severity }) => origin !== "claimkit" && severity === "error").length;
  for (const origin of ["kubectl", "kube-apiserver"] as const) {
    const own = answer.findings.filter((finding) => finding.origin === origin && finding.severity === "error");
    if (own.length === 0) continue;
    const first = own.filter(now).length || own.length;
    // What is found only once the first is mended: of this one, and of the server behind kubectl.
    return { tone: "bad", text: s.refuse(s.subjects[origin], first, theirs - first) };
  }
  if (errors > 0) return { tone: "bad", text: s.problemsHere(errors) };
  const remarks = warnings + infos;
  const who = s.subjects["kube-apiserver"];
  return { tone: "good", text: remarks > 0 ? s.acceptWarn(who, remarks) : s.accept(who) };
}
