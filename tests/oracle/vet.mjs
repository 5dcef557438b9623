// `go vet` over the oracle: each release's module, and in the newest with the same tags the packages that they share.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { environment, hasGo, here, releases, tags } from "./release.mjs";
import { makeStandIns } from "./stand-ins.mjs";

if (!hasGo()) {
	console.log("go vet: no Go here: NOT CHECKED");
	process.exit(0);
}
const SHARED = ["claimkit.invalid/oracle/..."];
for (const release of releases) {
	console.log(`==> go vet: the module of ${release}`);
	makeStandIns(release);
	const isFirst =
		releases.find((one) => tags(one) === tags(release)) === release;
	const packages = ["./...", ...(isFirst ? SHARED : [])];
	const vet = spawnSync("go", ["vet", "-tags", tags(release), ...packages], {
		cwd: path.join(here, release),
		env: environment,
		stdio: "inherit",
	});
	if (vet.status !== 0) process.exitCode = 1;
}
