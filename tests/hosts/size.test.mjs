// Checks sizes. The bounds in ratchet.json are measured values plus 3 %, because compiled code differs a
// little between machines. A change that needs more raises the bound and explains why.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { PACKAGES } from "../../pkg/build/packages.mjs";
import { here, pack, root } from "./suite.mjs";

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

for (const { name, folder } of PACKAGES) {
	test(`the package ${name} keeps its size`, (context) => {
		const { size, unpackedSize, files } = pack(folder, "--dry-run");
		context.diagnostic(
			JSON.stringify({ size, unpackedSize, files: files.length }),
		);
		const bounds = sizes.packages[name];
		assert.ok(
			size <= bounds.packed,
			`${name} has ${size} bytes packed, the bound is ${bounds.packed}`,
		);
		assert.ok(
			unpackedSize <= bounds.unpacked,
			`${name} has ${unpackedSize} bytes unpacked, the bound is ${bounds.unpacked}`,
		);
	});
}

/** The files beside each package.json that are meant to be there. */
const KNOWN = {
	claimkit:
		/^(package\.json|tsconfig\.json|README\.md|CHANGELOG\.md|LICENSE|THIRD-PARTY\.txt|\.gitignore|[a-z]+(-[a-z]+)?\.(js|d\.ts)|claimkit\.cjs|(index|types)\.d\.cts|(claimkit|command)_bg\.wasm(\.d\.ts)?)$/,
	"claimkit-command":
		/^(package\.json|README\.md|LICENSE|command_bg\.wasm\.br)$/,
	"claimkit-inline":
		/^(package\.json|README\.md|LICENSE|index\.d\.ts|claimkit_bg\.wasm\.js)$/,
};

test("every file of the packages is meant to be in them", () => {
	for (const { name, folder } of PACKAGES) {
		const present = readdirSync(path.join(root, folder)).filter((file) =>
			statSync(path.join(root, folder, file)).isFile(),
		);
		assert.deepEqual(
			present.filter((file) => !KNOWN[name].test(file)),
			[],
			name,
		);
	}
});
