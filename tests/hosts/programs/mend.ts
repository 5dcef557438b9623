// Applies fixes until none is left, and shows the rest.
import { readFileSync, writeFileSync } from "node:fs";
import { applyFixes, format, validate } from "claimkit";

const name = process.argv[2] ?? "claim.yaml";
let text = readFileSync(name, "utf8");
for (let round = 0; round < 10; round += 1) {
	const fixed = applyFixes(text, validate(text).findings);
	text = fixed.text;
	if (fixed.applied === 0) break;
}
writeFileSync(`${name}.fixed`, text);
console.log(format(validate(text), "codeframe", { text, name }));
