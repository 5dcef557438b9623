// Builds the Wasm modules, runs the readers under Node, and prints speed and size. `wasm-opt` is taken from PATH or
// from WASM_OPT; without it the sizes are those of the compiler.
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = fileURLToPath(new URL(".", import.meta.url));
const folder = path.resolve(
	here,
	"../..",
	process.env.CARGO_TARGET_DIR ?? "target",
);
const target = "wasm32-unknown-unknown";
const text = new TextEncoder().encode(manifest(1500));

const sizes = {};
for (const reader of ["none", "events", "compose", "tree"]) {
	const features = reader === "none" ? [] : ["--features", reader];
	execFileSync(
		"cargo",
		["build", "--profile", "reader", "--lib", "--target", target, ...features],
		{ cwd: here, stdio: ["ignore", "ignore", "inherit"] },
	);
	const built = path.join(folder, target, "reader/claimkit_read_bench.wasm");
	const kept = path.join(folder, target, "reader", `${reader}.wasm`);
	optimize(built, kept);
	const module = readFileSync(kept);
	sizes[reader] = statSync(kept).size;
	const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module));
	const at = exports.allocate(text.length);
	let best = Infinity;
	let count = 0;
	for (let run = 0; run < 40; run++) {
		new Uint8Array(exports.memory.buffer, at, text.length).set(text);
		const start = performance.now();
		count = exports.run(at, text.length);
		best = Math.min(best, performance.now() - start);
	}
	const speed = (text.length / best / 1000).toFixed(1);
	const net = sizes[reader] - sizes.none;
	console.log(
		`${reader}: ${speed} MB/s, ${count} counted, ${sizes[reader]} bytes (${net} above an empty module, ${gzipSync(module, { level: 9 }).length} with gzip)`,
	);
}

function optimize(from, to) {
	const tool = process.env.WASM_OPT ?? "wasm-opt";
	const [command, first] =
		tool.endsWith(".js") || process.env.WASM_OPT
			? [process.execPath, [tool]]
			: [tool, []];
	try {
		execFileSync(
			command,
			[
				...first,
				"-O3",
				"--enable-bulk-memory",
				"--enable-nontrapping-float-to-int",
				"--enable-sign-ext",
				"--enable-mutable-globals",
				"--enable-multivalue",
				"--enable-reference-types",
				from,
				"-o",
				to,
			],
			{ stdio: ["ignore", "ignore", "pipe"] },
		);
	} catch (error) {
		if (error.code !== "ENOENT") throw error;
		console.log("wasm-opt is not there: sizes are the compiler's");
		execFileSync("cp", [from, to]);
	}
}

/** The same text as `manifest` of src/lib.rs, asked of it. */
function manifest(documents) {
	return execFileSync(
		"cargo",
		["run", "--release", "--quiet", "--example", "manifest", String(documents)],
		{ cwd: here, maxBuffer: 1 << 28 },
	).toString();
}
