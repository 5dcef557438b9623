import type { Answer, Finding, ObjectEntry } from "../contract.ts";

/** What the page shows at most; the counts tell the rest. */
const MOST_FINDINGS = 5_000;
const MOST_GOOD_OBJECTS = 200;
const MOST_BAD_OBJECTS = 1_000;

/** An answer with as much of its lists as a person can look at. */
export interface ShortAnswer extends Answer {
  findingCount: number;
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
    objectCount: answer.objects.length,
    badObjectCount: bad,
  };
}
