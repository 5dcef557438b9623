// What publishing the package, the crate and the policy still lacks. `make release-check` prints it and fails while there is anything.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const read = (file) => readFileSync(path.join(root, file), "utf8");
const lacking = [];
const need = (good, what) => good || lacking.push(what);

const manifest = JSON.parse(read("pkg/package.json"));
for (const field of ["repository", "homepage", "bugs"]) need(field in manifest, `pkg/package.json: \`${field}\` (there is no address yet)`);

const cargo = read("Cargo.toml");
const head = cargo.slice(0, cargo.indexOf("\n[lib]"));
for (const field of ["repository", "homepage"]) need(new RegExp(`^${field} = `, "m").test(head), `Cargo.toml: \`${field}\` (there is no address yet)`);
need(!/^publish = false$/m.test(head), "Cargo.toml: `publish = false` is to go");
const version = /^version = "(.*)"$/m.exec(head)?.[1];
need(version === manifest.version, `Cargo.toml has version ${version}, pkg/package.json ${manifest.version}`);
need(new RegExp(`^## \\[?${version?.replaceAll(".", "\\.")}\\]?.*\\d{4}-\\d\\d-\\d\\d`, "m").test(read("CHANGELOG.md")), `CHANGELOG.md: a section for ${version} with its date`);
for (const file of ["pkg/claimkit_bg.wasm", "pkg/claimkit.js", "pkg/types.d.ts", "pkg/schema", "pkg/LICENSE"]) need(existsSync(path.join(root, file)), `${file}: run \`make pkg\``);

// The policy: where it is published, and who answers for it. What is not set stands under example.com.
const metadata = read("pkg/policy/metadata.yml");
for (const name of ["ociUrl", "author", "url", "source"]) {
  const value = new RegExp(`^  io\\.kubewarden\\.policy\\.${name}: (.*)$`, "m").exec(metadata)?.[1] ?? "";
  need(value !== "" && !value.includes("example.com"), `pkg/policy/metadata.yml: \`io.kubewarden.policy.${name}\` (there is no address yet)`);
}
need(new RegExp(`^  io\\.kubewarden\\.policy\\.version: ${version?.replaceAll(".", "\\.")}$`, "m").test(metadata), `pkg/policy/metadata.yml: \`io.kubewarden.policy.version\` is not ${version}`);
need(/^screenshots:/m.test(read("pkg/policy/artifacthub-pkg.yml")), "pkg/policy/artifacthub-pkg.yml: `screenshots` (there is no address for a picture yet)");
const samples = readdirSync(path.join(root, "pkg/policy/samples")).filter((name) => name.endsWith(".yaml"));
const unset = samples.filter((name) => read(`pkg/policy/samples/${name}`).includes("registry.example.com"));
need(unset.length === 0, `pkg/policy/samples: \`module\` of ${unset.join(", ")} (there is no registry yet)`);
for (const module of ["claimkit", "claimkit-wasi", "claimkit-opa"]) need(existsSync(path.join(root, `pkg/policy/${module}.wasm`)), `pkg/policy/${module}.wasm: run \`make policy\``);

for (const what of lacking) console.log(`lacking: ${what}`);
console.log(lacking.length === 0 ? "release-check: ready" : `release-check: ${lacking.length} lacking`);
process.exitCode = lacking.length === 0 ? 0 : 1;
