// Counts the instructions of fixed pieces of work with valgrind's callgrind, and holds them against ratchet.json: times depend on
// what else the machine does, counts do not. They depend on the compiler and a little on the C library.
//
//   node count.mjs                     fails where one takes more than 3 % above what is written down
//   CLAIMKIT_UPDATE=1 node count.mjs   writes down what they take now
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const target = path.resolve(
	here,
	"../..",
	process.env.CARGO_TARGET_DIR ?? "target",
	"ratchets",
);
const file = path.join(here, "ratchet.json");
const LEEWAY = 0.03;
const UPDATE = process.env.CLAIMKIT_UPDATE === "1";

const say = (text) => console.log(`==> instructions: ${text}`);

function run(program, args, options = {}) {
	const done = spawnSync(program, args, { encoding: "utf8", ...options });
	if (done.error || done.status !== 0) {
		console.error(
			`${[program, ...args].join(" ")} ended with ${done.error?.message ?? done.status ?? done.signal}\n${done.stdout ?? ""}${done.stderr ?? ""}`,
		);
		process.exit(1);
	}
}

const present = (program) => spawnSync(program, ["--version"]).status === 0;

/** Without valgrind nothing is known: an error where machines check, a clear word where people work. */
function unchecked(reason) {
	console.log(`instructions: NOT CHECKED: ${reason}`);
	process.exit(process.env.CI || UPDATE ? 1 : 0);
}

if (process.arch !== "x64" || process.platform !== "linux")
	unchecked("the counts written down are of Linux on x86-64");
if (!present("valgrind")) {
	if (process.getuid() !== 0 || !present("apt-get"))
		unchecked(
			"there is no valgrind; install it (`sudo apt-get install valgrind`)",
		);
	say("valgrind from apt: about 20 seconds");
	run("apt-get", ["update", "-qq"]);
	run(
		"apt-get",
		["install", "-y", "-qq", "--no-install-recommends", "valgrind"],
		{ env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } },
	);
}

say("building, about 1 minute the first time; counting, 10 seconds");
run("cargo", [
	"build",
	"--quiet",
	"--locked",
	"--profile",
	"ratchets",
	"--manifest-path",
	path.join(here, "Cargo.toml"),
	"--target-dir",
	target,
]);
mkdirSync(target, { recursive: true });

const ratchet = JSON.parse(readFileSync(file, "utf8"));
let failed = 0;
for (const name of Object.keys(ratchet)) {
	const out = path.join(target, `${name}.callgrind`);
	const options = [
		"--tool=callgrind",
		"--quiet",
		"--toggle-collect=claimkit_counted",
		`--callgrind-out-file=${out}`,
	];
	run("valgrind", [
		...options,
		path.join(target, "ratchets/claimkit-ratchets"),
		name,
	]);
	const counted = Number(
		readFileSync(out, "utf8").match(/^(?:summary|totals): (\d+)$/m)?.[1],
	);
	if (!(counted > 1000)) {
		console.error(`${name}: valgrind counted nothing; see ${out}`);
		process.exit(1);
	}
	const ratio = counted / ratchet[name];
	const compared = `${counted.toLocaleString("en")} instructions, ${(100 * ratio).toFixed(1)} % of the ${ratchet[name].toLocaleString("en")} written down`;
	if (UPDATE) {
		console.log(`${name}: ${compared}: recorded`);
		ratchet[name] = counted;
	} else if (ratio > 1 + LEEWAY) {
		failed++;
		console.log(
			`NOT OK: ${name}: ${compared}. Where they go: callgrind_annotate ${out}`,
		);
	} else {
		console.log(
			`ok: ${name}: ${compared}${ratio < 1 - LEEWAY ? "; keep the gain: make ratchets" : ""}`,
		);
	}
}
if (UPDATE) writeFileSync(file, `${JSON.stringify(ratchet, null, 2)}\n`);
if (failed)
	console.log(
		"If the work grew for a reason, write the new counts down and the reason into the commit: make ratchets",
	);
console.log(
	`instructions: ${Object.keys(ratchet).length - failed} passed, ${failed} failed`,
);
process.exit(failed ? 1 : 0);
