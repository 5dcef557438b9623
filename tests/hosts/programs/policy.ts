// What a policy says of a manifest.
import { readFileSync } from "node:fs";
import { admit } from "claimkit";

const [settings = "settings.yaml", ...manifests] = process.argv.slice(2);
for (const name of manifests) {
	const { ok, response, findings } = admit(
		readFileSync(name, "utf8"),
		readFileSync(settings, "utf8"),
	);
	console.log(
		name,
		ok,
		response?.accepted,
		response?.message,
		response?.warnings?.join(),
	);
	for (const { severity, message, in: within } of findings)
		console.log(" ", within, severity, message);
}
