// Runs the WASI command: node wasi.mjs MODULE OPERATION:PAYLOAD… writes each answer beside its payload, as `.wasi`.
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { WASI } from "node:wasi";

const [file, ...runs] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(file));
for (const run of runs) {
	const colon = run.indexOf(":");
	const [operation, payload] = [run.slice(0, colon), run.slice(colon + 1)];
	const output = payload.replace(/payload$/, "wasi");
	const stdin = openSync(payload, "r");
	const stdout = openSync(output, "w");
	const host = new WASI({
		version: "preview1",
		args: ["policy", operation],
		stdin,
		stdout,
		returnOnExit: true,
	});
	// Called straight from Wasm, these functions crash Node 20 once a memory has grown; called through JavaScript they do not.
	const functions = host.getImportObject().wasi_snapshot_preview1;
	const through = Object.fromEntries(
		Object.entries(functions).map(([name, f]) => [
			name,
			(...args) => f(...args),
		]),
	);
	const code = host.start(
		new WebAssembly.Instance(module, { wasi_snapshot_preview1: through }),
	);
	closeSync(stdin);
	closeSync(stdout);
	if (code !== 0) writeFileSync(output, `exit code ${code}`);
}
