import type { Answer, ObjectEntry } from "../contract.ts";

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

/** Keeps a file of tens of thousands of objects from costing the page what only the worker should pay. */
export function shorten(answer: Answer): ShortAnswer {
  let good = 0;
  let bad = 0;
  const objects: ObjectEntry[] = [];
  for (const entry of answer.objects) {
    if (entry.valid === false ? (bad += 1) <= MOST_BAD_OBJECTS : (good += 1) <= MOST_GOOD_OBJECTS) objects.push(entry);
  }
  return {
    ...answer,
    findings: answer.findings.slice(0, MOST_FINDINGS),
    objects,
    findingCount: answer.findings.length,
    objectCount: answer.objects.length,
    badObjectCount: bad,
  };
}
