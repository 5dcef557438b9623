// What krew and the checks of its index demand of a plugin's manifest (sigs.k8s.io/krew, internal/index/validation/validate.go, and
// krew-index, docs/NAMING_GUIDE.md).

const KNOWN = {
	"": ["apiVersion", "kind", "metadata", "spec"],
	metadata: ["name"],
	spec: [
		"version",
		"homepage",
		"shortDescription",
		"description",
		"caveats",
		"platforms",
	],
	platform: ["selector", "uri", "sha256", "bin", "files"],
};

/** Returns the manifest of a template: `{name}` is a fact, and the platform is repeated with the facts of each. */
export function filled(template, facts, platforms) {
	const at = template.indexOf("    - selector:");
	const fill = (text, known) =>
		text.replace(
			/\{(version|repository|os|arch|archive|sha256|program)\}/g,
			(_, name) => known[name],
		);
	return (
		fill(template.slice(0, at), facts) +
		platforms
			.map((platform) => fill(template.slice(at), { ...facts, ...platform }))
			.join("")
	);
}

/** Returns what is wrong with a manifest; `archives`: the names of the files in the archive of each platform. */
export function problems(manifest, archives) {
	const found = [];
	const need = (good, what) => good || found.push(what);
	const known = (at, object) => {
		for (const key of Object.keys(object ?? {}))
			if (!KNOWN[at].includes(key)) found.push(`${at}.${key}: no such field`);
	};
	known("", manifest);
	known("metadata", manifest.metadata);
	known("spec", manifest.spec);
	need(
		manifest.apiVersion === "krew.googlecontainertools.github.com/v1alpha2",
		`apiVersion: ${manifest.apiVersion}`,
	);
	need(manifest.kind === "Plugin", `kind: ${manifest.kind}`);
	const name = manifest.metadata?.name ?? "";
	need(
		/^[a-z0-9][a-z0-9-]*$/.test(name) && !/^kube/.test(name),
		`metadata.name: ${name}`,
	);
	const {
		version = "",
		homepage = "",
		shortDescription = "",
		platforms = [],
	} = manifest.spec ?? {};
	need(
		/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version),
		`spec.version: ${version} is not a version with \`v\``,
	);
	need(homepage.startsWith("https://"), `spec.homepage: ${homepage}`);
	need(
		shortDescription.length > 0 &&
			shortDescription.length <= 50 &&
			!shortDescription.endsWith("."),
		`spec.shortDescription: ${shortDescription || "none"}`,
	);
	need(platforms.length > 0, "spec.platforms: none");
	for (const [at, platform] of platforms.entries()) {
		const path = `spec.platforms[${at}]`;
		known("platform", platform);
		need(/^https:\/\//.test(platform.uri), `${path}.uri: ${platform.uri}`);
		need(
			/^[0-9a-f]{64}$/.test(platform.sha256),
			`${path}.sha256: ${platform.sha256}`,
		);
		need(
			Object.keys(platform.selector?.matchLabels ?? {}).length > 0,
			`${path}.selector: none`,
		);
		const archive = archives[at] ?? [];
		const from = (platform.files ?? []).map((file) => file.from);
		for (const file of from)
			need(archive.includes(file), `${path}.files: the archive has no ${file}`);
		need(
			from.includes(platform.bin),
			`${path}.bin: ${platform.bin} is not among its files`,
		);
		need(
			archive.includes("LICENSE") || from.includes("LICENSE"),
			`${path}: no LICENSE`,
		);
	}
	return found;
}
