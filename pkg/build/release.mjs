// What publishing the package and the crate still lacks. `make release-check` prints it and fails while there is anything.
import { existsSync, readFileSync } from "node:fs";
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

for (const what of lacking) console.log(`lacking: ${what}`);
console.log(lacking.length === 0 ? "release-check: ready" : `release-check: ${lacking.length} lacking`);
process.exitCode = lacking.length === 0 ? 0 : 1;
