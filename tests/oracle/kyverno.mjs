// Kyverno's own command (`kyverno apply`), built from its Go module, judges objects by settings that are printed as ValidatingPolicies.
// It must refuse and accept the same new objects as the policy itself.
//
//   node kyverno.mjs
import { execFileSync, spawnSync } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildClaimkit } from "./claimkit.mjs";
import { generated, verdict } from "./policies.mjs";
import { environment, hasGo, here, target } from "./release.mjs";

const VERSION = "1.19.1";
const MODULE = `github.com/kyverno/kyverno@v${VERSION}`;
/** What the command says of itself in its files. */
const CLI = "cli.kyverno.io/v1alpha1";

/** Builds Kyverno's command where it is missing; returns its path. */
function build() {
	const folder = path.join(target, "oracle", `kyverno-${VERSION}`);
	const program = path.join(folder, "kyverno");
	if (existsSync(program)) return program;
	console.log(`==> oracle: kyverno ${VERSION} from its module`);
	const env = { ...environment, GOTOOLCHAIN: "auto" };
	const options = { env, encoding: "utf8", cwd: here };
	const download = ["mod", "download", "-json", MODULE];
	const { Dir: source } = JSON.parse(execFileSync("go", download, options));
	mkdirSync(folder, { recursive: true });
	const own = "./cmd/cli/kubectl-kyverno";
	const args = ["build", "-ldflags", "-s -w", "-o", program, own];
	execFileSync("go", args, { env, cwd: source, stdio: "inherit" });
	return program;
}

const documents = (objects) =>
	objects.map((object) => JSON.stringify(object)).join("\n---\n");

/** The objects that a policy refuses, and those that one only reports, by kind, version and name. */
function applied(program, folder, { policies, objects, namespaces }) {
	const write = (name, text) => {
		const file = path.join(folder, name);
		writeFileSync(file, text);
		return file;
	};
	const namespaceSelector = Object.entries(namespaces).map(
		([name, labels]) => ({ name, labels }),
	);
	const user = {
		username: "admin",
		groups: ["system:masters", "system:authenticated"],
	};
	const named = (kind, rest) =>
		JSON.stringify({ apiVersion: CLI, kind, metadata: { name: "a" }, ...rest });
	const done = spawnSync(
		program,
		[
			...["apply", write("policies.yaml", documents(policies))],
			...["--resource", write("objects.yaml", documents(objects))],
			...[
				"--values-file",
				write("v.yaml", named("Values", { namespaceSelector })),
			],
			...["--userinfo", write("u.yaml", named("UserInfo", { userInfo: user }))],
			...["--policy-report", "--output-format", "json"],
		],
		{ encoding: "utf8", maxBuffer: 1 << 28 },
	);
	const at = done.stdout.indexOf("{");
	if (at < 0) throw new Error(`kyverno apply: ${done.stdout}${done.stderr}`);
	const { results } = JSON.parse(done.stdout.slice(at));
	const found = { refused: new Map(), reported: new Map() };
	for (const { policy, result, message, resources } of results)
		for (const one of resources)
			if (["fail", "error"].includes(result)) {
				const list = policy.endsWith("-warn") ? found.reported : found.refused;
				const { kind, apiVersion, name } = one;
				list.set(`${kind} ${apiVersion} ${name}`, message);
			}
	return found;
}

/** Compares the two for all new objects of all cases. */
function compare(program) {
	const cases = JSON.parse(
		readFileSync(path.join(here, "policies.json"), "utf8"),
	);
	const folder = mkdtempSync(path.join(tmpdir(), "claimkit-kyverno-"));
	const numbers = { policies: 0, objects: 0, refused: 0, warned: 0 };
	const wrong = [];
	try {
		for (const { name, settings, namespaces, objects: all } of cases) {
			// The command can send no update that changes anything.
			const asked = all.filter(({ old, subresource }) => !old && !subresource);
			const policies = generated(settings, folder, name, "kyverno");
			if (asked.length === 0 || policies.length === 0) continue;
			const objects = asked.map(({ object }) => object);
			const { refused, reported } = applied(program, folder, {
				policies,
				objects,
				namespaces,
			});
			numbers.policies += policies.length;
			for (const one of asked) {
				const { object } = one;
				const labels = namespaces[object.metadata.namespace] ?? {};
				const want = verdict(settings, one, labels);
				// What the policy changes a ValidatingPolicy refuses.
				if (want.object !== object) continue;
				const id = `${object.kind} ${object.apiVersion} ${object.metadata.name}`;
				numbers.objects += 1;
				numbers.refused += want.accepted ? 0 : 1;
				numbers.warned += reported.has(id) ? 1 : 0;
				const warns = want.accepted && want.rules.length > 0;
				if (refused.has(id) === want.accepted || (warns && !reported.has(id)))
					wrong.push(
						`${name}: ${one.name}\n  claimkit ${want.message ?? want.warnings}\n  kyverno  ${refused.get(id) ?? reported.get(id)}`,
					);
			}
		}
	} finally {
		rmSync(folder, { recursive: true });
	}
	return { numbers, wrong };
}

if (hasGo()) {
	buildClaimkit();
	const { numbers, wrong } = compare(process.env.KYVERNO ?? build());
	console.log(JSON.stringify({ ...numbers, wrong: wrong.length }));
	for (const one of wrong) console.log(one);
	process.exitCode = wrong.length > 0 ? 1 : 0;
} else console.log("kyverno: no Go here: Kyverno was not built: NOT COMPARED");
