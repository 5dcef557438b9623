// Checks sizes and the start time. The bounds in ratchet.json are measured values plus 3 %, because compiled code differs a
// little between machines. A change that needs more raises the bound and explains why.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { here, root } from "./suite.mjs";

const { sizes, start } = JSON.parse(readFileSync(path.join(here, "ratchet.json"), "utf8"));

for (const [file, bounds] of Object.entries(sizes.modules)) {
  test(`${file} keeps its size`, (context) => {
    const bytes = readFileSync(path.join(root, file));
    const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
    const measured = { raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotli.length };
    context.diagnostic(JSON.stringify(measured));
    for (const [name, bound] of Object.entries(bounds)) {
      assert.ok(measured[name] <= bound, `${file}: ${measured[name]} bytes ${name}, the bound is ${bound}`);
    }
  });
}

test("the package keeps its size", (context) => {
  const printed = execFileSync("npm", ["pack", "--dry-run", "--json", "--loglevel=error"], { cwd: path.join(root, "pkg"), encoding: "utf8" });
  const parsed = JSON.parse(printed.slice(printed.search(/^[[{]/m)));
  const { size, unpackedSize, files } = Array.isArray(parsed) ? parsed[0] : Object.values(parsed)[0];
  context.diagnostic(JSON.stringify({ size, unpackedSize, files: files.length }));
  assert.ok(size <= sizes.package, `the packed package has ${size} bytes, the bound is ${sizes.package}`);
});

test("import, start and first validation", (context) => {
  const manifest = path.join(here, "manifests/good.yaml");
  const schema = path.join(here, "target/claim.schema.json");
  const ours = `
    const before = process.hrtime.bigint();
    const { validate } = await import(${JSON.stringify(path.join(root, "pkg/node.js"))});
    const { ok } = validate(text);
    const after = process.hrtime.bigint();`;
  const theirs = `
    const before = process.hrtime.bigint();
    const { default: Ajv } = await import("ajv/dist/2020.js");
    const ok = new Ajv({ strict: false, validateFormats: false }).compile(schema) !== undefined;
    const after = process.hrtime.bigint();`;
  const prepare = `
    import { readFileSync } from "node:fs";
    import { jsonSchema } from ${JSON.stringify(path.join(root, "pkg/node.js"))};
    import { mkdirSync, writeFileSync } from "node:fs";
    mkdirSync(${JSON.stringify(path.dirname(schema))}, { recursive: true });
    writeFileSync(${JSON.stringify(schema)}, JSON.stringify(jsonSchema("1.30", "ResourceClaim")));`;
  execFileSync("node", ["--input-type=module", "-e", prepare], { cwd: here });
  const head = `import { readFileSync } from "node:fs";
    const text = readFileSync(${JSON.stringify(manifest)}, "utf8"); const schema = JSON.parse(readFileSync(${JSON.stringify(schema)}, "utf8"));`;
  const measure = (body) => {
    const code = `${head}${body} if (!ok) throw new Error("not ok"); console.log(Number(after - before) / 1e6);`;
    const times = Array.from({ length: 15 }, () => Number(execFileSync("node", ["--input-type=module", "-e", code], { cwd: here, encoding: "utf8" })));
    return Math.min(...times);
  };
  const [own, ajv] = [measure(ours), measure(theirs)];
  context.diagnostic(`best of 15 new processes: ${own.toFixed(1)} ms; ajv with one compiled schema: ${ajv.toFixed(1)} ms`);
  // Milliseconds depend on the machine and what else it does; the ratio to another validator's start does not.
  assert.ok(own <= ajv * start.ofAjv, `${own.toFixed(1)} ms is more than ${start.ofAjv} of ajv's ${ajv.toFixed(1)} ms`);
});

test("every file of the package is meant to be in it", () => {
  const packed = readdirSync(path.join(root, "pkg")).filter((name) => statSync(path.join(root, "pkg", name)).isFile());
  const known = /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|THIRD-PARTY\.txt|\.gitignore|[a-z]+(-[a-z]+)?\.(js|d\.ts)|claimkit\.cjs|(index|types)\.d\.cts|(claimkit|command)_bg\.wasm(\.d\.ts|\.js)?)$/;
  assert.deepEqual(packed.filter((name) => !known.test(name)), []);
});
