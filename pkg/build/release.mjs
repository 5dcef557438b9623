// Lists what is still missing before the package, the crates, the programs and the policy can be published. `make release-check` prints it and
// fails while there is anything.
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./places.mjs";
import { addresses, version } from "./stamp.mjs";

const read = (file) => readFileSync(path.join(root, file), "utf8");
const lacking = addresses().unset.map(
	(name) => `release.json: \`${name}\` (there is no address yet)`,
);
const need = (good, what) => good || lacking.push(what);

need(
	new RegExp(
		`^## \\[?${version.replaceAll(".", "\\.")}\\]?.*\\d{4}-\\d\\d-\\d\\d`,
		"m",
	).test(read("CHANGELOG.md")),
	`CHANGELOG.md: a section for ${version} with its date`,
);
need(
	!/^repositoryID: [0-]+$/m.test(read("pkg/policy/artifacthub-repo.yml")),
	"pkg/policy/artifacthub-repo.yml: `repositoryID` (Artifact Hub gives it)",
);
need(
	/^screenshots:/m.test(read("pkg/policy/artifacthub-pkg.yml")),
	"pkg/policy/artifacthub-pkg.yml: `screenshots` (there is no address for a picture yet)",
);

for (const what of lacking) console.log(`lacking: ${what}`);
console.log(
	lacking.length === 0
		? "release-check: ready"
		: `release-check: ${lacking.length} lacking`,
);
process.exitCode = lacking.length === 0 ? 0 : 1;
