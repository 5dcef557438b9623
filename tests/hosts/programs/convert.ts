// Converts a repository and shows losses.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { convert, isManifest, isTarget } from "claimkit";

const [folder = ".", to = "v1"] = process.argv.slice(2);
if (!isTarget(to)) throw new Error(`${to} is not a version`);
const texts = readdirSync(folder, { recursive: true, encoding: "utf8" })
	.filter((name) => name.endsWith(".yaml"))
	.map((name) => ({
		name,
		text: readFileSync(path.join(folder, name), "utf8"),
	}))
	.filter(({ text }) => isManifest(text));
const { files, objects, findings } = convert(texts, { to });
for (const { file, kind, name, losses, decisions = [] } of objects) {
	for (const { path, value, reason } of losses)
		console.log(file, kind, name, "loses", path, JSON.stringify(value), reason);
	for (const { question, assumed } of decisions)
		console.log(file, kind, name, question, assumed);
}
for (const { name, text } of files) {
	if (text !== undefined) writeFileSync(path.join(folder, name), text);
	else
		console.log(
			name,
			"refused:",
			findings
				.filter(({ file, severity }) => file === name && severity === "error")
				.map(({ message }) => message)
				.join("; "),
		);
}
