// A CycloneDX list of what is in the files of a release: the files with their hashes, and the crates inside them with licenses and checksums.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

/** The document. `files`: names and SHA-256; `folder`: the workspace. */
export function sbom({ version, files, folder }) {
	const metadata = JSON.parse(
		execFileSync(
			"cargo",
			["metadata", "--locked", "--format-version", "1", "--all-features"],
			{ cwd: folder, maxBuffer: 1 << 28 },
		),
	);
	const reached = linked(metadata);
	const locked = new Map();
	for (const [, name, version, rest] of readFileSync(
		path.join(folder, "Cargo.lock"),
		"utf8",
	).matchAll(
		/\[\[package\]\]\nname = "(.*)"\nversion = "(.*)"\n((?:.+\n)*)/g,
	)) {
		locked.set(`${name} ${version}`, /^checksum = "(.*)"$/m.exec(rest)?.[1]);
	}
	const crates = metadata.packages
		.filter(({ id }) => reached.has(id))
		.map((found) => {
			const checksum = locked.get(`${found.name} ${found.version}`);
			return {
				type: "library",
				name: found.name,
				version: found.version,
				purl: `pkg:cargo/${found.name}@${found.version}`,
				...(found.license && {
					licenses: [{ expression: found.license.replaceAll("/", " OR ") }],
				}),
				...(checksum && { hashes: [{ alg: "SHA-256", content: checksum }] }),
			};
		});
	const products = files.map(({ name, sha256 }) => ({
		type: "file",
		name,
		version,
		hashes: [{ alg: "SHA-256", content: sha256 }],
	}));
	return {
		bomFormat: "CycloneDX",
		specVersion: "1.5",
		version: 1,
		metadata: {
			component: {
				type: "application",
				name: "claimkit",
				version,
				licenses: [{ expression: "Apache-2.0" }],
			},
		},
		components: [
			...products,
			...crates.sort((a, b) => (a.purl < b.purl ? -1 : 1)),
		],
	};
}

/** The packages that are linked or run while building: those that people get, and everything but what only tests need. */
function linked({ resolve, workspace_default_members: members }) {
	const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
	const reached = new Set(members);
	for (const id of reached) {
		for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps)
			if (kinds.some(({ kind }) => kind !== "dev")) reached.add(pkg);
	}
	return reached;
}
