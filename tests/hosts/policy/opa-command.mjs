// Runs the commands of Open Policy Agent on the policy's bundle, as pkg/policy/README.md writes them: `opa eval`, and `opa run` with a
// request over HTTP on loopback.
//
//   node opa-command.mjs OPA
import { spawn, spawnSync } from "node:child_process";
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "../../until.mjs";

const root = path.resolve(
	path.dirname(fileURLToPath(import.meta.url)),
	"../../..",
);
const [opa] = process.argv.slice(2);
const bundle = path.join(root, "pkg/policy/claimkit-opa.tar.gz");
const request = (name) =>
	JSON.parse(
		readFileSync(
			path.join(root, `pkg/policy/samples/requests/${name}.json`),
			"utf8",
		),
	);
const settings = {
	claimkit: { settings: { deviceClasses: { allow: ["gpu.example.com"] } } },
};
let failures = 0;

function check(what, good, text) {
	console.log(`${good ? "ok" : "NOT OK"}: ${what}: ${text.slice(0, 300)}`);
	if (!good) failures++;
}

/** A port of loopback that is free. */
function freePort() {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.on("error", reject);
		server.listen(0, "127.0.0.1", () => {
			const { port } = server.address();
			server.close(() => resolve(port));
		});
	});
}

/** Asks a running OPA, which needs some seconds to compile the module. */
async function asked(port, input) {
	const url = `http://127.0.0.1:${port}/v1/data/claimkit/admit`;
	const body = JSON.stringify({ input });
	let why;
	return until(
		() => `an answer of OPA: ${why}`,
		async () => {
			try {
				const answer = await fetch(url, { method: "POST", body });
				return await answer.json();
			} catch (error) {
				why = error;
			}
		},
		60,
	);
}

const folder = mkdtempSync(path.join(tmpdir(), "opa-"));
try {
	const file = (name, value) => {
		const place = path.join(folder, name);
		writeFileSync(place, JSON.stringify(value));
		return place;
	};
	const data = file("settings.json", settings);
	const evaluate = (input, ...more) => {
		const done = spawnSync(
			opa,
			[
				"eval",
				"-b",
				bundle,
				...more,
				"-i",
				file("input.json", input),
				"data.claimkit.admit",
			],
			{ encoding: "utf8" },
		);
		if (done.status !== 0) return { error: done.stderr + done.stdout };
		return JSON.parse(done.stdout).result[0].expressions[0].value;
	};
	const other = { request: request("device-claim-other-class") };
	const fine = { request: request("device-claim") };
	for (const [what, input, more, code] of [
		["a class that is not allowed", other, ["-d", data], 403],
		["an allowed class", fine, ["-d", data], undefined],
		["without settings", other, [], undefined],
	]) {
		const answer = evaluate(input, ...more);
		check(
			`opa eval: ${what}`,
			answer.allowed === (code === undefined) && answer.code === code,
			JSON.stringify(answer),
		);
	}
	// With -b every path of `opa run` is a bundle, so the settings are one, too.
	const own = path.join(folder, "settings");
	mkdirSync(own);
	writeFileSync(path.join(own, "data.json"), JSON.stringify(settings));
	writeFileSync(
		path.join(own, ".manifest"),
		JSON.stringify({ roots: ["claimkit/settings"] }),
	);
	const port = await freePort();
	const server = spawn(
		opa,
		["run", "-s", "-a", `127.0.0.1:${port}`, "-b", bundle, own],
		{ stdio: ["ignore", "ignore", "inherit"] },
	);
	try {
		const { result } = await asked(port, other);
		check(
			"opa run: a class that is not allowed",
			result?.allowed === false && result.code === 403,
			JSON.stringify(result ?? null),
		);
		const answers = await Promise.all(
			Array.from({ length: 40 }, (_, n) => asked(port, n % 2 ? fine : other)),
		);
		const wrong = answers.filter(
			({ result: one }, n) => one?.allowed !== (n % 2 === 1),
		);
		check("opa run: 40 at once", wrong.length === 0, `${wrong.length} wrong`);
	} finally {
		server.kill();
	}
} finally {
	rmSync(folder, { recursive: true });
}
console.log(
	failures
		? "Open Policy Agent's commands: FAILED"
		: "Open Policy Agent's commands: all passed",
);
process.exit(failures ? 1 : 0);
