// The tracked files with the addresses of release.json in them: what is published is made of these, and nothing in the repository
// itself has an address.
import { execFileSync } from "node:child_process";
import {
	cpSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { PACKAGES } from "./packages.mjs";
import { root } from "./places.mjs";

/** Addresses for a rehearsal, in place of those that release.json does not have yet. `.invalid` belongs to nobody. */
const REHEARSAL = {
	repository: "https://claimkit.invalid/maintainers/claimkit",
	site: "https://claimkit.invalid/",
	registry: "registry.claimkit.invalid/policies",
	author: "claimkit maintainers",
	contact: "security@claimkit.invalid",
};

/** The addresses, and the names of those that are not set. */
export function addresses() {
	const written = JSON.parse(
		readFileSync(path.join(root, "release.json"), "utf8"),
	);
	const unknown = Object.keys(written).filter((name) => !(name in REHEARSAL));
	if (unknown.length > 0)
		throw new Error(`release.json: unknown ${unknown.join(", ")}`);
	const unset = Object.keys(REHEARSAL).filter((name) => !written[name]);
	return {
		...REHEARSAL,
		...Object.fromEntries(Object.entries(written).filter(([, value]) => value)),
		unset,
	};
}

/** The version of the crates, which all others must have. */
export const version = /^version = "(.*)"$/m.exec(
	readFileSync(path.join(root, "Cargo.toml"), "utf8"),
)[1];

const crates = readdirSync(path.join(root, "crates"));

/** Copies the tracked files into a folder, with addresses. */
export function stamp(out, { repository, site, registry, author, contact }) {
	rmSync(out, { recursive: true, force: true });
	const tracked = execFileSync(
		"git",
		["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
		{ cwd: root, maxBuffer: 1 << 28 },
	)
		.toString()
		.split("\0");
	// Recorded answers are half of the repository and in nothing that is published.
	for (const file of tracked.filter(
		(file) =>
			file &&
			!file.startsWith("tests/vectors/") &&
			existsSync(path.join(root, file)) &&
			lstatSync(path.join(root, file)).isFile(),
	)) {
		mkdirSync(path.dirname(path.join(out, file)), { recursive: true });
		cpSync(path.join(root, file), path.join(out, file));
	}
	const change = (file, ...pairs) => {
		let text = readFileSync(path.join(out, file), "utf8");
		for (const [from, to] of pairs) {
			const changed = text.replaceAll(from, to);
			if (changed === text) throw new Error(`${file} has no ${from}`);
			text = changed;
		}
		writeFileSync(path.join(out, file), text);
	};
	// Cargo wants each field in each crate.
	change(
		"Cargo.toml",
		[
			/^publish = false$/gm,
			`repository = "${repository}"\nhomepage = "${site}"`,
		],
		[/^publish\.workspace = true$/gm, fields("claimkit")],
	);
	for (const crate of crates)
		change(`crates/${crate}/Cargo.toml`, [
			/^publish\.workspace = true$/gm,
			fields(crate),
		]);
	// Registries show a README without the files beside it.
	const absolute = [
		/\]\((?!https?:|#)([^)]+\.png)\)/g,
		`](${repository}/raw/v${version}/$1)`,
	];
	const owned = new URL(repository).pathname.slice(1);
	change(
		"README.md",
		[
			/(?<!\/)github\.com\/OWNER\/claimkit-go/g,
			`${repository.replace(/^https?:\/\//, "")}-go`,
		],
		[/https:\/\/github\.com\/OWNER\/claimkit/g, repository],
		[/OWNER\/claimkit/g, owned],
		absolute,
		[/\]\((?!https?:|#)([^)]+)\)/g, `](${repository}/blob/v${version}/$1)`],
	);
	// The Go package is a repository of its own beside this one, as Go's proxy reads repositories: with the module in it.
	const goModule = `${repository.replace(/^https?:\/\//, "")}-go`;
	for (const file of tracked.filter(
		(file) =>
			/^(pkg\/go|examples\/go-driver)\/.*(\.go|\.md|go\.mod|go\.sum)$/.test(
				file,
			) && existsSync(path.join(out, file)),
	)) {
		const text = readFileSync(path.join(out, file), "utf8");
		writeFileSync(
			path.join(out, file),
			text.replaceAll("github.com/OWNER/claimkit-go", goModule),
		);
	}
	for (const { folder } of PACKAGES) {
		const file = path.join(out, folder, "package.json");
		const manifest = JSON.parse(readFileSync(file, "utf8"));
		Object.assign(manifest, {
			repository: { type: "git", url: `git+${repository}.git` },
			homepage: site,
			bugs: { url: `${repository}/issues` },
			author,
		});
		writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
	}
	const policy = tracked.filter(
		(file) =>
			file.startsWith("pkg/policy/") && /\.(ya?ml|md|json|bats)$/.test(file),
	);
	for (const file of policy.filter((file) =>
		existsSync(path.join(out, file)),
	)) {
		const text = readFileSync(path.join(out, file), "utf8");
		const stamped = text
			.replaceAll("registry.example.com/policies", registry)
			.replaceAll("https://example.com/claimkit", repository)
			.replaceAll(
				"claimkit maintainers <claimkit@example.com>",
				`${author} <${contact}>`,
			)
			.replaceAll("claimkit@example.com", contact);
		writeFileSync(path.join(out, file), stamped);
	}
}

const fields = (crate) =>
	`repository.workspace = true\nhomepage.workspace = true\ndocumentation = "https://docs.rs/${crate}"`;
