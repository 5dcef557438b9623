// JSON Schemas, one a file, under the names that validators look for: `GROUP/KIND_VERSION.json` with the kind in lower case. This is
// `{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json` for kubeconform, and the layout of flux-schema's catalogs.

/** Keywords that say something of `null`, too: a definition with them cannot become nullable by its type. */
const OF_ANYTHING = ["oneOf", "not", "enum", "const"];

/**
 * Returns a schema without references: flux-schema makes a structural schema of it, in which Kubernetes has none. What may be null
 * has two types instead of two alternatives, so that validators name the field that is wrong and not the alternatives.
 */
export function inlined({ $defs = {}, ...schema }) {
	const definition = ($ref) => $defs[$ref.slice("#/$defs/".length)];
	const walk = (node) => {
		if (Array.isArray(node)) return node.map(walk);
		if (node === null || typeof node !== "object") return node;
		const { $ref, ...beside } = node;
		if (typeof $ref === "string")
			return walk({ ...definition($ref), ...beside });
		const { anyOf, ...rest } = node;
		if (
			Array.isArray(anyOf) &&
			anyOf.length === 2 &&
			anyOf[0].$ref &&
			anyOf[1].type === "null"
		) {
			const whole = definition(anyOf[0].$ref);
			if (
				whole.type === "object" &&
				!OF_ANYTHING.some((keyword) => keyword in whole)
			)
				return walk({ ...whole, ...rest, type: ["object", "null"] });
		}
		return Object.fromEntries(
			Object.entries(node).map(([key, value]) => [key, walk(value)]),
		);
	};
	return walk(schema);
}

/**
 * Returns the texts of all files by their paths, made by the engine that is given. A folder for each release has the kinds that the
 * release serves, and the file beside it has all of them in one schema, for editors. Above the folders is each kind in each
 * version, of the newest release that serves it.
 */
export function schemaFiles({ jsonSchema, releases }) {
	const files = {};
	const text = (schema) => `${JSON.stringify(schema)}\n`;
	// Releases come oldest first, so the newest one stays.
	for (const { release, versions } of releases().releases) {
		files[`${release}.json`] = text(jsonSchema(release));
		for (const { apiVersion, kinds } of versions) {
			const [group, version] = apiVersion.split("/");
			for (const { kind } of kinds) {
				const name = `${group}/${kind.toLowerCase()}_${version}.json`;
				files[name] = text(inlined(jsonSchema(release, `${version}/${kind}`)));
				files[`${release}/${name}`] = files[name];
			}
		}
	}
	return files;
}
