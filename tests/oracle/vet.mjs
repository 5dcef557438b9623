// `go vet` over the oracle: the module of the newest final release with the packages that all share, for it is built anyway;
// CLAIMKIT_ALL=1 vets every release, each of which compiles all of Kubernetes once.
import { spawnSync } from "node:child_process";
import path from "node:path";
import {
	chosen,
	environment,
	hasGo,
	here,
	releases,
	tags,
} from "./release.mjs";
import { makeStandIns } from "./stand-ins.mjs";

if (!hasGo()) {
	console.log("go vet: no Go here: NOT CHECKED");
	process.exit(0);
}
const SHARED = ["claimkit.invalid/oracle/..."];
const vetted = process.env.CLAIMKIT_ALL ? releases : [chosen()];
if (vetted.length < releases.length)
	console.log(
		`go vet: ${releases.length - vetted.length} releases NOT VETTED; CLAIMKIT_ALL=1 vets them`,
	);
for (const release of vetted) {
	console.log(`==> go vet: the module of ${release}`);
	makeStandIns(release);
	const isFirst = vetted.find((one) => tags(one) === tags(release)) === release;
	const packages = ["./...", ...(isFirst ? SHARED : [])];
	const vet = spawnSync("go", ["vet", "-tags", tags(release), ...packages], {
		cwd: path.join(here, release),
		env: environment,
		stdio: "inherit",
	});
	if (vet.status !== 0) process.exitCode = 1;
}
