// `go vet` over the oracle: each release's module, and in the newest the packages that they share.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { environment, hasGo, here, releases } from "./release.mjs";

if (!hasGo()) {
	console.log("go vet: no Go here: NOT CHECKED");
	process.exit(0);
}
const SHARED = ["claimkit.invalid/oracle/..."];
for (const release of releases) {
	console.log(`==> go vet: the module of ${release}`);
	const packages = ["./...", ...(release === releases[0] ? SHARED : [])];
	const vet = spawnSync("go", ["vet", ...packages], {
		cwd: path.join(here, release),
		env: environment,
		stdio: "inherit",
	});
	if (vet.status !== 0) process.exitCode = 1;
}
