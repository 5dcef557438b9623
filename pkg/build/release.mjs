// Lists what is still missing before the package, the crate and the policy can be published. `make release-check` prints it and fails while there is anything.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { addresses } from "./stamp.mjs";

const root = path.resolve(
	path.dirname(fileURLToPath(import.meta.url)),
	"../..",
);
const read = (file) => readFileSync(path.join(root, file), "utf8");
const lacking = [];
const need = (good, what) => good || lacking.push(what);

const manifest = JSON.parse(read("pkg/package.json"));
for (const name of addresses().unset)
	need(false, `release.json: \`${name}\` (there is no address yet)`);

const cargo = read("Cargo.toml");
const head = cargo.slice(0, cargo.indexOf("\n[lib]"));
const version = /^version = "(.*)"$/m.exec(head)?.[1];
need(
	version === manifest.version,
	`Cargo.toml has version ${version}, pkg/package.json ${manifest.version}`,
);
need(
	new RegExp(
		`^## \\[?${version?.replaceAll(".", "\\.")}\\]?.*\\d{4}-\\d\\d-\\d\\d`,
		"m",
	).test(read("CHANGELOG.md")),
	`CHANGELOG.md: a section for ${version} with its date`,
);
for (const file of [
	"pkg/claimkit_bg.wasm",
	"pkg/claimkit.js",
	"pkg/types.d.ts",
	"pkg/schema",
	"pkg/LICENSE",
])
	need(existsSync(path.join(root, file)), `${file}: run \`make pkg\``);

// The policy's addresses are stamped from release.json, too.
const metadata = read("pkg/policy/metadata.yml");
need(
	new RegExp(
		`^  io\\.kubewarden\\.policy\\.version: ${version?.replaceAll(".", "\\.")}$`,
		"m",
	).test(metadata),
	`pkg/policy/metadata.yml: \`io.kubewarden.policy.version\` is not ${version}`,
);
need(
	new RegExp(
		`^  com\\.github\\.release\\.tag: v${version?.replaceAll(".", "\\.")}$`,
		"m",
	).test(metadata),
	`pkg/policy/metadata.yml: \`com.github.release.tag\` is not v${version}`,
);
const repository = read("pkg/policy/artifacthub-repo.yml");
need(
	!/^repositoryID: [0-]+$/m.test(repository),
	"pkg/policy/artifacthub-repo.yml: `repositoryID` (Artifact Hub gives it)",
);
need(
	/^screenshots:/m.test(read("pkg/policy/artifacthub-pkg.yml")),
	"pkg/policy/artifacthub-pkg.yml: `screenshots` (there is no address for a picture yet)",
);
for (const module of ["claimkit", "claimkit-wasi", "claimkit-opa"])
	need(
		existsSync(path.join(root, `pkg/policy/${module}.wasm`)),
		`pkg/policy/${module}.wasm: run \`make policy\``,
	);

for (const what of lacking) console.log(`lacking: ${what}`);
console.log(
	lacking.length === 0
		? "release-check: ready"
		: `release-check: ${lacking.length} lacking`,
);
process.exitCode = lacking.length === 0 ? 0 : 1;
