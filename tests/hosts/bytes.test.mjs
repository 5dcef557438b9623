// Bytes that are no UTF-8: the npm package and both command lines read them as kubectl does and say the same of them.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { evaluate, parse, validate } from "../../pkg/node.js";
import { commands, run } from "./suite.mjs";

const head = Buffer.from("apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: ");
const tail = Buffer.from("\nspec: {resourceClassName: gpu}\n");
const around = (...bytes) => Buffer.concat([head, Buffer.from(bytes), tail]);
const little = (text) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
const big = (text) => little(text).swap16();
const claim = (name) => Buffer.concat([head, Buffer.from(name), tail]).toString();

/** What every way in answers to bytes: the answers must be one. */
function everywhere(verb, bytes) {
  const answer = { validate, parse }[verb](new Uint8Array(bytes));
  for (const command of commands) {
    const { stdout } = run(command, [verb, "-o", "json", "-"], { input: bytes });
    assert.deepEqual(JSON.parse(stdout).files[0].answer, answer, command[0]);
  }
  return answer;
}

test("bytes that are no character are found in kubectl's words, where they stand", () => {
  for (const [bytes, words] of [
    [[0xff], "yaml: invalid leading UTF-8 octet"],
    [[0x63, 0xe9], "yaml: invalid trailing UTF-8 octet"],
    [[0xc0, 0x80], "yaml: invalid length of a UTF-8 sequence"],
    [[0xed, 0xa0, 0x80], "yaml: invalid Unicode character"],
  ]) {
    const { ok, findings } = everywhere("validate", around(...bytes));
    assert.equal(ok, false);
    assert.equal(findings.length, 1);
    const [{ code, origin, severity, message, help, fixes, range }] = findings;
    assert.deepEqual({ code, origin, severity, message, fixes }, { code: "yaml-syntax", origin: "kubectl", severity: "error", message: words, fixes: [] });
    assert.match(help, /save the file as UTF-8/);
    const offset = head.length + bytes.findIndex((byte) => byte >= 0x80);
    assert.deepEqual([range.start.offset, range.end.offset], [offset, offset + 1]);
  }
  // A control character that was written keeps its own words.
  assert.equal(everywhere("validate", around(0x07)).findings[0].message, "yaml: control characters are not allowed");
});

test("UTF-16 with a byte order mark is text", () => {
  for (const bytes of [little(claim("shared")), big(claim("shared"))]) {
    assert.equal(everywhere("validate", bytes).ok, true);
  }
  // Places count in the text.
  const { findings } = everywhere("validate", big(claim("é😀")));
  assert.equal(findings[0].code, "name-invalid");
  assert.deepEqual(findings, validate(claim("é😀")).findings);
  const half = Buffer.concat([little("a: "), Buffer.from([0x3d, 0xd8, 0x0a, 0x00])]);
  assert.equal(everywhere("validate", half).findings[0].message, "yaml: expected low surrogate area");
});

test("in JSON a byte that is no character is read as U+FFFD, as Go reads it", () => {
  const [before, after] = ['{"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClaim","metadata":{"name":"a","annotations":{"b":"c', '"}},"spec":{"resourceClassName":"gpu"}}'];
  const { ok, objects } = everywhere("parse", Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xfe]), Buffer.from(after)]));
  assert.equal(ok, true);
  assert.equal(objects[0].object.metadata.annotations.b, "c\ufffd\ufffd");
});

test("evaluate answers to such bytes too", () => {
  const { findings } = evaluate(new Uint8Array(around(0xff)), { nodes: "kind: Node\napiVersion: v1\nmetadata: {name: a}\n" });
  assert.equal(findings[0].message, "yaml: invalid leading UTF-8 octet");
});

for (const command of commands) {
  test(`${command[0]}: what is not UTF-8 is converted to standard output but never written over`, () => {
    const scratch = mkdtempSync(path.join(tmpdir(), "claimkit-"));
    try {
      const file = path.join(scratch, "claim.yaml");
      for (const bytes of [little(claim("shared")), around(0xff)]) {
        writeFileSync(file, bytes);
        const there = run(command, ["convert", "--to", "v1alpha1", "--in-place", "claim.yaml"], { cwd: scratch });
        assert.notEqual(there.exit, 0);
        assert.match(there.stderr, /not written back: its bytes are not UTF-8|invalid leading UTF-8 octet/);
        assert.deepEqual(readFileSync(file), bytes);
      }
      writeFileSync(file, little(claim("shared")));
      const { stdout, exit } = run(command, ["convert", "--to", "v1alpha1", "claim.yaml"], { cwd: scratch });
      assert.deepEqual([exit, stdout], [0, claim("shared").replace("v1alpha2", "v1alpha1")]);
    } finally {
      rmSync(scratch, { recursive: true });
    }
  });
}
