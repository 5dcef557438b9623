// js-yaml and ajv with the strict schemas of Kubernetes.
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import jsYaml from "js-yaml";

const schemas = JSON.parse(
	readFileSync(new URL("target/schema.json", import.meta.url), "utf8"),
);
const ajv = new Ajv({ allErrors: true, strict: false });
addFormats(ajv);
for (const format of ["int32", "int64", "int-or-string", "byte"])
	ajv.addFormat(format, true);
const compiled = Object.fromEntries(
	Object.entries(schemas).map(([kind, schema]) => [kind, ajv.compile(schema)]),
);

/** Returns what ajv says of a text; null if it has no objection. */
export function judge(text) {
	try {
		for (const document of jsYaml.loadAll(text)) {
			const validate = compiled[document?.kind];
			if (!validate) return `no schema for kind ${document?.kind}`;
			if (document.apiVersion !== "resource.k8s.io/v1alpha2")
				return `no schema for ${document.apiVersion}`;
			if (!validate(document))
				return validate.errors
					.map((error) => `${error.instancePath} ${error.message}`.trim())
					.join("; ");
		}
		return null;
	} catch (error) {
		return error.message.split("\n")[0];
	}
}
