// The declarations: the examples compile in strict mode, and what the library really answers satisfies what is declared.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import * as claimkit from "../../pkg/node.js";
import { here, root } from "./suite.mjs";

const good = readFileSync(path.join(here, "manifests/good.yaml"), "utf8");
const bad = readFileSync(path.join(here, "manifests/bad.yaml"), "utf8");
const nodes = readFileSync(path.join(here, "manifests/nodes.yaml"), "utf8");
const folder = path.join(here, "target/types");

/** Answers of the real library, with the type each is declared to have. */
function answers() {
  const { parse, validate, convert, evaluate, hover, complete, fixes, codes, releases, jsonSchema, admit } = claimkit;
  const recorded = [];
  for (const text of [good, bad, "a: [", "", JSON.parse('{"kind":"ResourceClaim"}')]) {
    recorded.push(["ParseAnswer", parse(text)], ["ValidateAnswer", validate(text)], ["ConvertAnswer", convert(text, { to: "v1alpha1" })]);
    recorded.push(["EvaluateAnswer", evaluate(text, { nodes })]);
    if (typeof text === "string") recorded.push(["FixesAnswer", fixes(text)]);
  }
  recorded.push(["ParseAnswer", parse(bad, { raw: true })], ["ValidateAnswer", validate(bad, { old: good, operation: "update" })]);
  recorded.push(["EvaluateAnswer", evaluate(undefined, { nodes, selector: "nodeSelectorTerms:\n- matchFields:\n  - {key: metadata.name, operator: In, values: [a]}\n" })]);
  for (let line = 0; line < 12; line += 1) {
    recorded.push(["HoverAnswer", hover(good, { line, character: 3 })], ["CompleteAnswer", complete(good, { line, character: 2 })]);
  }
  recorded.push(["CodesAnswer", codes()], ["ReleasesAnswer", releases({ locale: "zh-Hans" })], ["JsonSchema", jsonSchema("1.30", "ResourceClaim")]);
  recorded.push(["AdmitAnswer", admit(null, {})], ["AdmitAnswer", admit({ uid: "u" }, {})], ["AdmitAnswer", admit(null, { nonsense: 1 })]);
  return recorded;
}

function compile(lib, types) {
  const config = {
    compilerOptions: {
      strict: true, noEmit: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false,
      module: "nodenext", target: "es2022", lib, types,
    },
    include: ["*.ts"],
  };
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config));
  return spawnSync("node", [path.join(here, "node_modules/typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });
}

test("examples and recorded answers compile in strict mode", () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.join(folder, "node_modules"), { recursive: true });
  symlinkSync(path.join(root, "pkg"), path.join(folder, "node_modules/claimkit"));
  writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(path.join(folder, "examples.ts"), readFileSync(path.join(here, "types/examples.ts")));
  const recorded = answers();
  const names = [...new Set(recorded.map(([name]) => name))].sort();
  const lines = recorded.map(([name, answer]) => `(${JSON.stringify(answer)}) satisfies ${name};`);
  writeFileSync(path.join(folder, "answers.ts"), `import type { ${names.join(", ")} } from "claimkit";\n${lines.join("\n")}\nexport {};\n`);
  for (const [lib, types] of [[["es2022", "dom"], []], [["es2022"], ["node"]]]) {
    const done = compile(lib, types);
    assert.equal(done.status, 0, `${lib} ${types}\n${done.stdout.slice(0, 4000)}${done.stderr}`);
  }
});

test("a wrong answer would be noticed", () => {
  const answer = structuredClone(claimkit.validate(bad));
  answer.findings[0].severity = "fatal";
  writeFileSync(path.join(folder, "answers.ts"), `import type { ValidateAnswer } from "claimkit";\n(${JSON.stringify(answer)}) satisfies ValidateAnswer;\nexport {};\n`);
  assert.match(compile(["es2022", "dom"], []).stdout, /"fatal"' is not assignable/);
});

test("what every function is declared to take and give, it has", () => {
  const declared = readFileSync(path.join(root, "pkg/types.d.ts"), "utf8") + readFileSync(path.join(root, "pkg/index.d.ts"), "utf8");
  const names = [...declared.matchAll(/^export (?:declare )?function (\w+)/gm)].map(([, name]) => name).sort();
  const present = Object.keys(claimkit).filter((name) => name !== "default" && name !== "vocabulary").sort();
  assert.deepEqual(present, [...new Set(names)]);
});

test("every exported type and function is documented", () => {
  const text = readFileSync(path.join(root, "pkg/types.d.ts"), "utf8");
  const bare = [...text.matchAll(/(?:^|\n)(?<!\*\/\n)export (?:interface|function|type) (\w+)/g)].map(([, name]) => name);
  // Answers are what their function's comment says.
  assert.deepEqual(bare.filter((name) => !/(Answer|Check|Verdict|Entry|Object|Placement|Severity|Inverse)$/.test(name)), []);
});

test("unusable arguments throw a TypeError that says what is wrong", () => {
  const { parse, validate, convert, evaluate, hover, complete, fixes, codes, prepareNodes, admit, jsonSchema } = claimkit;
  const cases = [
    [() => parse(), /^claimkit: parse: `text` is undefined, expected a string, a Uint8Array or an object$/],
    [() => parse(null), /`text` is null, expected a string/],
    [() => validate("", 1), /the options are 1, expected an object/],
    [() => validate("", []), /the options are of type Array, expected an object/],
    [() => validate("", new Map()), /the options are of type Map, expected an object/],
    [() => validate("", { to: "v1alpha1" }), /unknown option `to`, expected one of `release`, `gates`, `limits`/],
    [() => validate("", { limits: { aliasExpansion: 1 } }), /`limits.aliasExpansion`: unknown field `aliasExpansion`/],
    ...[new ArrayBuffer(1), new DataView(new ArrayBuffer(1)), new Map(), Promise.resolve(""), new Response(""), new Date(), 5, true, () => 1].map(
      (value) => [() => validate(value), /^claimkit: validate: `text` is (of type \w+|5|true), expected a string, a Uint8Array or an object$/],
    ),
    [() => evaluate("", { nodes: { ...claimkit.prepareNodes(nodes) } }), /`nodes` is a PreparedNodes or a PreparedCluster, or a copy of one/],
    [() => claimkit.answer(5), /`request` is 5, expected a string of JSON/],
    [() => claimkit.answer(), /`request` is undefined, expected a string of JSON/],
    [() => jsonSchema({}), /`kind` is of type Object, expected a string/],
    [() => convert("", { to: "v1alpha1", lossy: true }), /`lossy`: invalid type: boolean `true`, expected a string/],
    [() => validate("", { strict: true }), /unknown option `strict`/],
    [() => validate("", { text: "" }), /unknown option `text`/],
    [() => validate("", { release: "1.99" }), /unknown release `1.99`/],
    [() => validate("", { operation: "update" }), /old/],
    [() => convert(""), /to/],
    [() => convert("", { to: "v2" }), /v2/],
    [() => evaluate(""), /nodes/],
    [() => hover(""), /`position` is missing/],
    [() => hover("", { row: 1 }), /`position` cannot be used: `row`: unknown field `row`/],
    [() => complete("", { line: -1 }), /`position` cannot be used/],
    [() => fixes("", { start: 1 }), /`range` is|range/],
    [() => codes({ locale: "fr" }), /unknown locale `fr`/],
    [() => prepareNodes(1), /`nodes` is 1, expected a string/],
    [() => admit("{"), /`request` cannot be read/],
    [() => jsonSchema("1.30", "Nope"), /Nope/],
  ];
  for (const [call, message] of cases) assert.throws(call, (error) => error instanceof TypeError && message.test(error.message), `${call} ${message}`);
});

test("the error of a caller's own toJSON is the caller's", () => {
  class Mine extends Error {}
  const object = { toJSON() { throw new Mine("mine"); } };
  for (const call of [() => claimkit.validate(object), () => claimkit.validate("", object), () => claimkit.validate("", { operation: "update", old: object })]) assert.throws(call, Mine);
});

test("every finding about a text to be created has a range", () => {
  for (const text of [good, bad, "", "a: [", "{", "kind: List", "a: 1\n---\n- b", "\0"]) {
    for (const finding of claimkit.validate(text).findings) assert.ok(finding.range, JSON.stringify([text.slice(0, 20), finding]));
  }
});

test("an old object may be an object, as the text may", () => {
  const object = { apiVersion: "resource.k8s.io/v1alpha2", kind: "ResourceClaim", metadata: { name: "a", resourceVersion: "1" }, spec: { resourceClassName: "b" } };
  const options = { operation: "update" };
  assert.deepEqual(claimkit.validate(object, { ...options, old: object }), claimkit.validate(object, { ...options, old: JSON.stringify(object) }));
});

test("positions count UTF-16 code units and bytes, on CRLF lines too", () => {
  const text = 'apiVersion: resource.k8s.io/v1alpha2\r\nkind: ResourceClaim\r\nmetadata: {name: "é😀X"}\r\nspec: {resourceClassName: a}\r\n';
  const [finding] = claimkit.validate(text).findings.filter(({ path }) => path === "metadata.name");
  const { start, end } = finding.range;
  const lines = text.split("\r\n");
  assert.equal(lines[start.line].slice(start.character, end.character).replaceAll('"', ""), "é😀X");
  const bytes = Buffer.from(text).subarray(start.offset, end.offset).toString();
  assert.equal(bytes.replaceAll('"', ""), "é😀X");
});

test("an object's findings have paths and no ranges", () => {
  const answer = claimkit.validate({ apiVersion: "resource.k8s.io/v1alpha2", kind: "ResourceClaim", metadata: { name: "A" }, spec: {} });
  assert.ok(answer.findings.some(({ path }) => path === "spec.resourceClassName"));
  assert.doesNotMatch(JSON.stringify(answer), /"range"/);
  assert.doesNotMatch(JSON.stringify(claimkit.evaluate(JSON.parse('{"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClass","metadata":{"name":"a"},"driverName":"a.b"}'), { nodes })), /"range"/);
});

test("prepared nodes answer as the nodes themselves", () => {
  const prepared = claimkit.prepareNodes(nodes);
  const answer = claimkit.evaluate(good, { nodes: prepared });
  assert.deepEqual(answer, claimkit.evaluate(good, { nodes }));
  assert.deepEqual(answer, prepared.evaluate(good));
  prepared.free();
});
