// Runs the commands of the policy's README.md and e2e.bats: kwctl by its stand-in, bats from npm, the script for Open Policy
// Agent with the SDK that it imports. Not run: what needs a cluster, a registry or kwctl itself.
import { spawnSync } from "node:child_process";
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../../..");
const readme = readFileSync(path.join(root, "pkg/policy/README.md"), "utf8");
const env = {
	...process.env,
	PATH: `${path.join(here, "bin")}:${process.env.PATH}`,
};
let failures = 0;

function check(what, good, text) {
	console.log(
		`${good ? "ok" : "NOT OK"}: ${what}: ${text.trim().slice(0, 300)}`,
	);
	if (!good) failures++;
}

// --- the first denial with Open Policy Agent ----------------------------------------------------------------------------

const script = /```js\n([\s\S]*?)```/.exec(readme)[1];
check(
	"lines of the script for Open Policy Agent",
	script.trim().split("\n").length === 5,
	script.split("\n")[0],
);
// Writes it beside the SDK, which it finds as in a project of its own.
const folder = mkdtempSync(path.join(here, "deny-"));
try {
	writeFileSync(path.join(folder, "deny.mjs"), script);
	const done = spawnSync(
		process.execPath,
		["--no-warnings", path.join(folder, "deny.mjs")],
		{ cwd: root, encoding: "utf8" },
	);
	const denied =
		'spec.devices.requests[0].exactly.deviceClassName: Unsupported value: "tpu.example.com": supported values: "gpu.example.com"\n';
	check(
		"the script for Open Policy Agent",
		done.status === 0 && done.stdout === denied,
		done.stdout + done.stderr,
	);
} finally {
	rmSync(folder, { recursive: true });
}

// --- commands of kwctl --------------------------------------------------------------------------------------------------

// A policy with a module of this machine is made first.
mkdirSync(path.join(root, "target"), { recursive: true });
for (const [, command] of readme.matchAll(/^ {4}(sed .* > target\/\S+)$/gm)) {
	const done = spawnSync("bash", ["-c", command], {
		cwd: root,
		env,
		encoding: "utf8",
	});
	check(command.slice(0, 120), done.status === 0, done.stderr);
}
const commands = readme.match(/^ {4}kwctl run .*$/gm);
for (const command of commands) {
	const done = spawnSync("bash", ["-c", command], {
		cwd: root,
		env,
		encoding: "utf8",
	});
	const answer = done.status === 0 ? JSON.parse(done.stdout) : {};
	const refused = /other-class|malformed|raw-validate/.test(command);
	check(
		command.trim().slice(0, 120),
		answer.allowed === !refused,
		done.stdout + done.stderr,
	);
}
check("commands of kwctl run", commands.length >= 7, `${commands.length}`);
const [deploy] = / {4}make policy[\s\S]*?\n\n/.exec(readme);
check(
	"lines of the first denial with Kubewarden",
	deploy.trim().split("\n").length === 5,
	deploy.trim().split("\n")[0],
);
for (const file of deploy.match(/pkg\/policy\/samples\S+/g)) {
	const text = readFileSync(path.join(root, file), "utf8");
	check(file, text.includes("apiVersion:"), "is there");
}

// --- e2e.bats -----------------------------------------------------------------------------------------------------------

const bats = path.join(here, "node_modules/bats/bin/bats");
const done = spawnSync(
	bats,
	["--filter-tags", "!kwctl", path.join(root, "pkg/policy/e2e.bats")],
	{ env, encoding: "utf8" },
);
const passed = done.stdout.match(/^ok /gm)?.length ?? 0;
if (done.status !== 0) console.log(done.stdout, done.stderr);
const written = readFileSync(path.join(root, "pkg/policy/e2e.bats"), "utf8");
const [all, kwctl] = [
	written.match(/^@test /gm).length,
	written.match(/^# bats test_tags=kwctl$/gm).length,
];
check(
	"e2e.bats with the stand-in for kwctl",
	done.status === 0 && passed === all - kwctl,
	`${passed} passed, ${kwctl} left to kwctl`,
);

console.log(
	failures
		? "what people are told to run: FAILED"
		: "what people are told to run: all passed",
);
process.exit(failures ? 1 : 0);
