// The package's module is in parts (pkg/build/build.mjs). The first validates alone what is to be created and written as most people
// write: no such finding waits for another part. With the one that reads the rest it validates all that is to be created, and all of
// them together answer as the module did before it was split.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { root } from "./suite.mjs";

const target = path.resolve(root, process.env.CARGO_TARGET_DIR ?? "target");
const pkg = (name) => readFileSync(path.join(root, "pkg", name));
const wholeFile = path.join(target, "pkg-bindgen-web/claimkit_bg.wasm");
const linkedFile = path.join(target, "wasm32-unknown-unknown/web/claimkit.wasm");
const require = createRequire(import.meta.url);

const scratch = mkdtempSync(path.join(tmpdir(), "claimkit-"));
after(() => rmSync(scratch, { recursive: true }));

/** How many of the tests' own manifests the first module reads alone, at least. */
const FIRST_ALONE = 0.75;

/** A copy of the package's JavaScript of its own, and so an instance of its own. */
function copy(name) {
  const folder = path.join(scratch, name);
  mkdirSync(folder);
  for (const file of readdirSync(path.join(root, "pkg")).filter((name) => name.endsWith(".js"))) copyFileSync(path.join(root, "pkg", file), path.join(folder, file));
  writeFileSync(path.join(folder, "package.json"), '{"type": "module"}');
  return require(path.join(folder, "index.js"));
}

const lines = (file) => readFileSync(path.join(root, "tests/vectors", file), "utf8").split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
const json = (file) => JSON.parse(readFileSync(path.join(root, file), "utf8"));
const texts = (folder) =>
  readdirSync(path.join(root, folder)).filter((name) => /\.(yaml|json)$/.test(name) && !/\.expect\.json$/.test(name)).map((name) => readFileSync(path.join(root, folder, name), "utf8"));

const manifests = ["tests/manifests", "tests/convert", "tests/hosts/manifests"].flatMap(texts);
const RELEASES = [undefined, "1.26", "1.26.15", "1.28", "1.30"];
const OPERATIONS = { create: "create", update: "update", status: "updateStatus" };

const profiles = [["1.26.0-1.26.1", "1.26.1"], ["1.26.2-1.26.15", "1.26.15"], ["1.27-1.29", "1.29"], ["1.30", "1.30"]];
const upstream = profiles.flatMap(([profile, release]) => [`k8s-${profile}.jsonl`, `random-k8s-${profile}.jsonl`].flatMap(lines).map((line) => ({ ...line, release })));
const upstreamTexts = ["decode_v1alpha2", "kubectl_stream", "yaml_fuzz_sample", "yaml_to_json"].flatMap((file) => lines(`${file}.jsonl`)).map((line) => line.in);

/** What is answered without the module with everything else. */
function* readings() {
  for (const text of manifests) {
    for (const release of RELEASES) {
      for (const via of ["kubectl", "validator"]) yield { verb: "validate", text, release, via };
      for (const fieldValidation of ["Ignore", "Warn"]) yield { verb: "validate", text, release, fieldValidation };
    }
  }
  for (const { object, release } of upstream) yield { verb: "validate", text: JSON.stringify(object), release, via: "validator" };
  for (const text of upstreamTexts) yield { verb: "validate", text };
}

/** What needs it. */
function* others() {
  for (const text of manifests) {
    for (const release of RELEASES) {
      yield { verb: "parse", text, release };
      for (const operation of ["update", "updateStatus"]) yield { verb: "validate", text, release, old: text, operation };
    }
  }
  for (const { op, object, old, release } of upstream) {
    yield { verb: "validate", text: JSON.stringify(object), old: old && JSON.stringify(old), operation: OPERATIONS[op], release, via: "validator" };
  }
  for (const text of upstreamTexts) yield { verb: "parse", text, raw: true };
  const locales = ["en", "zh-Hans"].map((locale) => ({ locale, sentences: json(`pkg/locale/${locale}.json`) }));
  for (const told of [{}, ...locales]) {
    for (const verb of ["codes", "releases"]) yield { verb, ...told };
    for (const release of RELEASES) yield { verb: "jsonSchema", release, ...told };
  }
  for (const [number, text] of manifests.entries()) {
    for (const to of ["v1alpha1", "v1alpha2"]) {
      for (const lossy of ["refuse", "annotate", "drop"]) yield { verb: "convert", text, to, lossy };
      yield { verb: "convert", text, to, dropServerFields: true };
    }
    yield { verb: "fixes", text };
    yield { verb: "evaluate", text, nodes: null };
    for (let offset = number % 13; offset < Math.min(text.length, 4000); offset += 29) {
      const told = locales[offset % 2];
      yield { verb: "hover", text, position: { offset }, ...told };
      yield { verb: "complete", text, position: { offset }, ...told };
    }
    yield { verb: "parse", text, labelSelector: "a=b", fieldSelector: "metadata.name=x" };
    for (const patchType of ["merge", "json", "strategic", "apply"]) {
      const patch = patchType === "json" ? '[{"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}]' : "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {labels: {a: b}}\n";
      yield { verb: "validate", operation: "patch", old: text, patch, patchType, fieldManager: "me", force: true };
    }
    yield { verb: "admit", request: { uid: "1", operation: "CREATE", object: text }, settings: {} };
  }
  for (const { node, sel } of ["nodeselector.jsonl", "random-nodeselector.jsonl"].flatMap(lines)) {
    for (const detail of ["full", "summary"]) yield { verb: "evaluate", selector: JSON.stringify(sel), nodes: node && JSON.stringify(node), detail };
  }
  for (const file of readdirSync(path.join(root, "tests/policy")).filter((name) => name.endsWith(".json"))) {
    for (const { object, old, request, settings, operation } of json(`tests/policy/${file}`)) {
      yield { verb: "admit", request: request ?? { uid: "1", operation: operation ?? (old ? "UPDATE" : "CREATE"), kind: { group: "resource.k8s.io", version: object?.apiVersion?.split("/")[1] ?? "", kind: object?.kind ?? "" }, object, oldObject: old }, settings };
    }
  }
}

test("validating needs no more than it should, and all parts answer as the whole does", (context) => {
  const [whole, parts] = [copy("whole"), copy("parts")];
  const asked = [];
  const none = () => assert.fail("a module that was not split needs no other");
  whole.initSync(readFileSync(wholeFile), none, none);
  const part = (name) => () => {
    asked.push(name);
    return pkg(`claimkit_${name}.wasm`);
  };
  parts.initSync(pkg("claimkit_bg.wasm"), part("more"), part("text"));
  const compare = (requests) => {
    let compared = 0;
    const kinds = {};
    for (const request of requests) {
      const text = JSON.stringify(request);
      const answer = whole.answer(text);
      if (parts.answer(text) !== answer) assert.equal(parts.answer(text), answer, text.slice(0, 500));
      kinds[request.verb] = (kinds[request.verb] ?? 0) + (JSON.parse(answer).error === undefined ? 1 : 0);
      compared += 1;
    }
    context.diagnostic(`${compared} requests; answered: ${JSON.stringify(kinds)}`);
    return kinds;
  };
  const alone = compare(readings());
  assert.deepEqual(asked, ["text"]);
  assert.ok(alone.validate > 10_000, JSON.stringify(alone));
  const rest = compare(others());
  assert.deepEqual(asked, ["text", "more"]);
  for (const verb of ["admit", "codes", "complete", "convert", "evaluate", "fixes", "hover", "jsonSchema", "parse", "releases", "validate"]) {
    assert.ok(rest[verb] > (/parse|validate/.test(verb) ? 4000 : /codes|releases/.test(verb) ? 2 : 10), `${verb} was answered ${rest[verb]} times`);
  }
  // What the others brought has changed nothing that the first read before; a part of the requests tells.
  compare([...readings()].filter((_, number) => number % 7 === 0));
});

test("the first module alone reads what most people write, valid or not", async (context) => {
  const claimkit = copy("first");
  const { MissingPart } = require(path.join(scratch, "first/parts.js"));
  claimkit.initSync(pkg("claimkit_bg.wasm"));
  const both = copy("both");
  both.initSync(pkg("claimkit_bg.wasm"), undefined, pkg("claimkit_text.wasm"));
  const count = { alone: 0, refused: 0, not: [] };
  const own = [...texts("tests/manifests"), ...texts("tests/hosts/manifests")].filter((text) => !text.trimStart().startsWith("{"));
  for (const text of own) {
    let answer;
    try {
      answer = claimkit.validate(text);
    } catch (error) {
      if (!(error instanceof MissingPart)) throw error;
      count.not.push(text);
      continue;
    }
    assert.deepEqual(answer, both.validate(text));
    count.alone += 1;
    count.refused += answer.ok ? 0 : 1;
  }
  context.diagnostic(`${count.alone} of ${own.length} texts, ${count.refused} of them with errors`);
  // The rest are the tests' own: every odd thing that YAML has is in one of them.
  assert.ok(count.alone > own.length * FIRST_ALONE && count.refused > 20, JSON.stringify({ ...count, not: count.not.map((text) => text.slice(0, 200)) }, null, 1));
  // Of the playground's examples only the one that kubectl cannot read needs more.
  for (const text of texts("www/src/examples").filter((text) => !/^\u2013--/m.test(text))) claimkit.validate(text);
  assert.throws(() => claimkit.validate("{}"), MissingPart);
});

test("the package's own functions validate without the module with everything else", () => {
  const claimkit = copy("alone");
  claimkit.initSync(pkg("claimkit_bg.wasm"), undefined, pkg("claimkit_text.wasm"));
  let findings = 0;
  for (const text of manifests) {
    for (const given of [text, Buffer.from(text), Buffer.concat([Buffer.from(text), Buffer.from([0xff])])]) {
      for (const options of [{}, { release: "1.26" }, { via: "validator" }, { fieldValidation: "Warn" }]) findings += claimkit.validate(given, options).findings.length;
    }
  }
  assert.ok(findings > 2000, `${findings} findings`);
  assert.throws(() => claimkit.validate("a: 1", { unknown: 1 }), /unknown option `unknown`/);
  for (const more of [() => claimkit.codes(), () => claimkit.parse("a: 1"), () => claimkit.validate(manifests[0], { old: manifests[0], operation: "update" })]) {
    assert.throws(more, /only validating has been loaded/);
    assert.equal(claimkit.validate("a: 1").ok, false);
  }
});

/** A module's data: what it puts at which address. */
function data(bytes) {
  let at = 8;
  const number = () => {
    for (let [value, shift] = [0, 0]; ; shift += 7) {
      const byte = bytes[at++];
      value |= (byte & 127) << shift;
      // An address is a signed number of up to 32 bits, and here never below zero.
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const section = bytes[at++];
    const size = number();
    if (section !== 11) {
      at += size;
      continue;
    }
    return Array.from({ length: number() }, () => {
      assert.equal(number(), 0, "an active segment of the only memory");
      assert.equal(bytes[at++], 0x41);
      const address = number();
      assert.equal(bytes[at++], 0x0b);
      const length = number();
      at += length;
      return { address, bytes: bytes.subarray(at - length, at) };
    });
  }
  return [];
}

test("every byte of the data is brought once, and by the first module if it can", () => {
  const all = data(readFileSync(wholeFile));
  const end = Math.max(...all.map(({ address, bytes }) => address + bytes.length));
  const memory = (segments) => {
    const found = Buffer.alloc(end);
    for (const { address, bytes } of segments) bytes.copy(found, address);
    return found;
  };
  const whole = memory(all);
  const [first, ...others] = ["bg", "text", "more", "commands"].map((name) => data(pkg(`claimkit_${name}.wasm`)));
  const own = memory(first);
  for (const brought of others.map(memory)) {
    for (let at = 0; at < end; at += 1) {
      if (own[at] !== 0 && brought[at] !== 0) assert.fail(`two bring the byte at ${at}`);
      own[at] |= brought[at];
    }
  }
  assert.ok(own.equals(whole));
  const size = others.flat().reduce((sum, { bytes }) => sum + bytes.length, 0);
  assert.ok(size > 20_000, `${size} bytes of data have moved`);
});

test("the splitter refuses what it cannot prove", () => {
  const folder = path.join(target, "tools");
  const tools = readdirSync(folder).filter((name) => name.startsWith("bindgen-"));
  assert.ok(tools.length > 0);
  const version = readFileSync(path.join(root, "Cargo.lock"), "utf8").match(/name = "wasm-bindgen"\nversion = "([^"]+)"/)[1];
  const split = (linked) => {
    const file = path.join(scratch, "linked.wasm");
    writeFileSync(file, linked);
    const parts = ["first", "more"].map((name) => path.join(scratch, `${name}.wasm`));
    return spawnSync(path.join(folder, `bindgen-${version}`, "debug/split"), [file, wholeFile, ...parts, "claimkit::convert::"], { encoding: "utf8" });
  };
  const linked = readFileSync(linkedFile);
  const fine = split(linked);
  assert.equal(fine.status, 0, fine.stderr);
  assert.ok(data(readFileSync(path.join(scratch, "more.wasm"))).length > 10);
  // Without relocations: their sections under another name.
  const bare = Buffer.from(linked.toString("latin1").replaceAll("reloc.CODE", "xeloc.CODE").replaceAll("reloc.DATA", "xeloc.DATA"), "latin1");
  assert.match(split(bare).stderr, /no relocations/);
  // With those of data alone nobody is seen to use any, and so all stays.
  const less = Buffer.from(linked.toString("latin1").replaceAll("reloc.CODE", "xeloc.CODE"), "latin1");
  assert.equal(split(less).status, 0);
  assert.deepEqual(data(readFileSync(path.join(scratch, "more.wasm"))), []);
  // An address that is not what its symbol says. What looks like one may be a number of a table: the first few are tried.
  const { address, bytes } = data(linked)[0];
  const at = linked.indexOf(bytes);
  const looks = Array.from({ length: bytes.length >> 2 }, (_, n) => n * 4).filter((place) => {
    const value = bytes.readUInt32LE(place);
    return value > address && value < address + bytes.length;
  });
  assert.ok(looks.length > 0);
  const told = looks.slice(0, 10).map((place) => {
    const moved = Buffer.from(linked);
    moved[at + place] ^= 4;
    return split(moved).stderr;
  });
  assert.ok(told.some((said) => /is written where/.test(said)), told.join("\n"));
});
