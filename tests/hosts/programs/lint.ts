// Lints a folder and prints a table.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { format, isManifest, isRelease, validate } from "claimkit";
import { readSettings } from "claimkit/settings";

const folder = process.argv[2] ?? ".";
const texts = readdirSync(folder, { recursive: true, encoding: "utf8" })
	.filter(
		(name) =>
			/\.(ya?ml|json)$/.test(name) &&
			statSync(path.join(folder, name)).isFile(),
	)
	.map((name) => ({ name, text: readFileSync(path.join(folder, name)) }))
	.filter(({ text }) => isManifest(text));
const settings = readSettings({
	release: "1.36",
	gates: { DRAAdminAccess: true },
	ignore: ["class-not-in-input"],
});
if (settings.release !== undefined && !isRelease(settings.release))
	throw new Error(`${settings.release} is not known`);
const answer = validate(texts, {
	release: settings.release,
	gates: settings.gates,
	namespaceLabels: settings.namespaceLabels,
});
for (const { file, range, severity, code, message } of answer.findings.filter(
	({ code }) => !settings.ignore.includes(code),
))
	console.log(
		[
			file,
			range.start.line + 1,
			range.start.character + 1,
			severity,
			code,
			message,
		].join("\t"),
	);
console.log(
	answer.ok,
	answer.objects.length,
	format(answer, "github").split("\n").length,
);
process.exitCode = answer.findings.some(({ severity }) => severity === "error")
	? 1
	: 0;
