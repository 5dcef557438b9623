// Checks sizes. The bounds in ratchet.json are measured values plus 3 %, because compiled code differs a
// little between machines. A change that needs more raises the bound and explains why.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { here, root } from "./suite.mjs";

const { sizes } = JSON.parse(
	readFileSync(path.join(here, "ratchet.json"), "utf8"),
);

for (const [file, bounds] of Object.entries(sizes.modules)) {
	test(`${file} keeps its size`, (context) => {
		const bytes = readFileSync(path.join(root, file));
		const brotli = brotliCompressSync(bytes, {
			params: { [constants.BROTLI_PARAM_QUALITY]: 11 },
		});
		const measured = {
			raw: bytes.length,
			gzip: gzipSync(bytes, { level: 9 }).length,
			brotli: brotli.length,
		};
		context.diagnostic(JSON.stringify(measured));
		for (const [name, bound] of Object.entries(bounds)) {
			assert.ok(
				measured[name] <= bound,
				`${file}: ${measured[name]} bytes ${name}, the bound is ${bound}`,
			);
		}
	});
}

test("the package keeps its size", (context) => {
	const printed = execFileSync(
		"npm",
		["pack", "--dry-run", "--json", "--loglevel=error"],
		{ cwd: path.join(root, "pkg"), encoding: "utf8" },
	);
	const parsed = JSON.parse(printed.slice(printed.search(/^[[{]/m)));
	const { size, unpackedSize, files } = Array.isArray(parsed)
		? parsed[0]
		: Object.values(parsed)[0];
	context.diagnostic(
		JSON.stringify({ size, unpackedSize, files: files.length }),
	);
	assert.ok(
		size <= sizes.package,
		`the packed package has ${size} bytes, the bound is ${sizes.package}`,
	);
});

test("every file of the package is meant to be in it", () => {
	const packed = readdirSync(path.join(root, "pkg")).filter((name) =>
		statSync(path.join(root, "pkg", name)).isFile(),
	);
	const known =
		/^(package\.json|tsconfig\.json|README\.md|CHANGELOG\.md|LICENSE|THIRD-PARTY\.txt|\.gitignore|[a-z]+(-[a-z]+)?\.(js|d\.ts)|claimkit\.cjs|(index|types)\.d\.cts|(claimkit|command)_bg\.wasm(\.d\.ts|\.js|\.br)?)$/;
	assert.deepEqual(
		packed.filter((name) => !known.test(name)),
		[],
	);
});
