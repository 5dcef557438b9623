#!/usr/bin/env node
// Runs claimkit on those of the given files that name the API group: it leaves a project's other YAML alone.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const words = process.argv.slice(2);
const end = words.indexOf("--");
const [options, files] =
	end < 0 ? [[], words] : [words.slice(0, end), words.slice(end + 1)];
const ours = files.filter((file) =>
	readFileSync(file).includes("resource.k8s.io"),
);
if (ours.length > 0) {
	const windows = process.platform === "win32";
	const { status, error } = spawnSync(
		windows ? "claimkit.cmd" : "claimkit",
		[...options, "--", ...ours],
		{ stdio: "inherit" },
	);
	if (error) throw error;
	process.exitCode = status ?? 2;
}
