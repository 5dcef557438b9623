// Checks the start time. No other test runs beside this one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { here, root } from "./suite.mjs";

const { start } = JSON.parse(
	readFileSync(path.join(here, "ratchet.json"), "utf8"),
);

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
		const times = Array.from({ length: 15 }, () =>
			Number(
				execFileSync("node", ["--input-type=module", "-e", code], {
					cwd: here,
					encoding: "utf8",
				}),
			),
		);
		return Math.min(...times);
	};
	const [own, ajv] = [measure(ours), measure(theirs)];
	context.diagnostic(
		`best of 15 new processes: ${own.toFixed(1)} ms; ajv with one compiled schema: ${ajv.toFixed(1)} ms`,
	);
	// Milliseconds depend on the machine and what else it does; the ratio to another validator's start does not.
	assert.ok(
		own <= ajv * start.ofAjv,
		`${own.toFixed(1)} ms is more than ${start.ofAjv} of ajv's ${ajv.toFixed(1)} ms`,
	);
});
