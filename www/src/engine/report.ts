import type { Answer, Finding, ObjectEntry } from "../contract.ts";

/** What the page shows at most; the counts tell the rest. */
const MOST_FINDINGS = 5_000;
const MOST_GOOD_OBJECTS = 200;
const MOST_BAD_OBJECTS = 1_000;

/** How many findings there are, whatever of them is shown. */
export interface Counts {
  errors: number;
  warnings: number;
  infos: number;
  /** Errors of kubectl, the API server and the scheduler. */
  theirs: number;
  kubectl: { now: number; all: number };
  server: { now: number; all: number };
}

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

export function countsOf({ findings, objects }: Answer): Counts {
  const now = answeredNow(findings, objects);
  const counts: Counts = { errors: 0, warnings: 0, infos: 0, theirs: 0, kubectl: { now: 0, all: 0 }, server: { now: 0, all: 0 } };
  for (const finding of findings) {
    const { origin, severity } = finding;
    if (severity === "warning") counts.warnings += 1;
    else if (severity === "info") counts.infos += 1;
    if (severity !== "error") continue;
    counts.errors += 1;
    if (origin !== "claimkit") counts.theirs += 1;
    const of = { kubectl: counts.kubectl, "kube-apiserver": counts.server }[origin as string];
    if (!of) continue;
    of.all += 1;
    if (now(finding)) of.now += 1;
  }
  return counts;
}

/** An answer with as much of its lists as a person can look at. */
export interface ShortAnswer extends Answer {
  findingCount: number;
  counts: Counts;
  objectCount: number;
  badObjectCount: number;
}

/** The findings in their order; of too many the notes go first and the errors last. */
function worst(findings: readonly Finding[]): Finding[] {
  let room = MOST_FINDINGS;
  if (findings.length <= room) return [...findings];
  const kept = new Set<Finding>();
  for (const wanted of ["error", "warning", "info"]) {
    for (const finding of findings) {
      if (finding.severity !== wanted) continue;
      if (room <= 0) break;
      kept.add(finding);
      room -= 1;
    }
  }
  return findings.filter((finding) => kept.has(finding));
}

/** Keeps a file of tens of thousands of objects from costing the page what only the worker should pay. */
export function shorten(answer: Answer): ShortAnswer {
  let good = 0;
  let bad = 0;
  const objects: ObjectEntry[] = [];
  answer.objects.forEach((entry, index) => {
    if (entry.valid === false ? (bad += 1) <= MOST_BAD_OBJECTS : (good += 1) <= MOST_GOOD_OBJECTS) objects.push({ ...entry, index });
  });
  return {
    ...answer,
    findings: worst(answer.findings),
    objects,
    findingCount: answer.findings.length,
    counts: countsOf(answer),
    objectCount: answer.objects.length,
    badObjectCount: bad,
  };
}
