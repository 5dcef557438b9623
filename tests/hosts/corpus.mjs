// Every file of a folder of manifests found in public through the command line: nothing crashes, every answer is an answer.
//
//   node tests/hosts/corpus.mjs FOLDER
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { commands } from "./suite.mjs";

const folder = process.argv[2];
if (!folder || !existsSync(folder)) {
  console.log("corpus: not present, not checked");
  console.log("0 passed, 0 failed");
  process.exit(0);
}

const files = readdirSync(folder, { recursive: true })
  .filter((name) => /\.(yaml|yml|json)$/.test(name))
  .sort();
const nodes = "apiVersion: v1\nkind: Node\nmetadata:\n  name: node\n";
const requests = [];
for (const file of files) {
  const text = readFileSync(path.join(folder, file), "utf8");
  requests.push({ file, verb: "parse", text }, { file, verb: "validate", text });
  for (const to of ["v1alpha1", "v1alpha2"]) requests.push({ file, verb: "convert", text, to });
  requests.push({ file, verb: "evaluate", text, nodes });
}

const input = requests.map(({ file, ...request }) => `${JSON.stringify(request)}\n`).join("");
const done = spawnSync(commands[0][1], ["batch"], { input, maxBuffer: 1 << 30, encoding: "utf8" });
const answers = done.stdout.split("\n").slice(0, -1);
const failures = [];
if (done.status !== 0) failures.push(`claimkit batch ended with ${done.status ?? done.signal}: ${done.stderr}`);
if (answers.length !== requests.length) failures.push(`${requests.length} requests, ${answers.length} answers`);

const valid = new Map();
let objects = 0;
answers.forEach((line, at) => {
  const { file, verb } = requests[at];
  const answer = JSON.parse(line);
  if (answer.error !== undefined) failures.push(`${file}: ${verb}: ${answer.error}`);
  if (verb === "parse" && answer.findings.some(({ code }) => /^(yaml|json)-syntax/.test(code))) {
    failures.push(`${file}: ${answer.findings.find(({ code }) => /^(yaml|json)-syntax/.test(code)).message}`);
  }
  if (verb !== "validate") return;
  const repository = file.split("/")[0];
  const count = valid.get(repository) ?? { valid: 0, refused: 0 };
  for (const object of answer.objects) {
    if (typeof object.valid !== "boolean") continue;
    objects += 1;
    count[object.valid ? "valid" : "refused"] += 1;
  }
  valid.set(repository, count);
});

for (const [repository, count] of valid) console.log(`corpus: ${repository}: ${count.valid} valid, ${count.refused} refused`);
console.log(`corpus: ${files.length} files, ${objects} objects, ${requests.length} requests`);
for (const failure of failures) console.error(`corpus: ${failure}`);
const failed = new Set(failures).size;
console.log(`${requests.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
