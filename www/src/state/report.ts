import type { Finding, ValidateAnswer } from "claimkit";
import { ask } from "../engine/client.ts";
import { type Language, lang, t } from "../i18n/index.ts";
import { download } from "./actions.ts";
import { LIMITS } from "./checks.ts";
import { files, type PageFile, source } from "./files.ts";
import { cluster } from "./gates.ts";
import { findingText } from "./markdown.ts";
import { notify } from "./notices.ts";

export const FORMATS = ["markdown", "sarif", "json"] as const;
export type Format = (typeof FORMATS)[number];

const LEVELS: Record<Finding["severity"], string> = {
	error: "error",
	warning: "warning",
	info: "note",
};

interface Checked {
	file: PageFile;
	answer: ValidateAnswer;
}

function sarif(checked: readonly Checked[]): unknown {
	const codes = [
		...new Set(
			checked.flatMap(({ answer }) => answer.findings.map(({ code }) => code)),
		),
	].sort();
	return {
		$schema:
			"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		version: "2.1.0",
		runs: [
			{
				tool: {
					driver: {
						name: "claimkit",
						rules: codes.map((id) => ({ id, name: id })),
					},
				},
				columnKind: "utf16CodeUnits",
				results: checked.flatMap(({ file, answer }) =>
					answer.findings.map((finding) => ({
						ruleId: finding.code,
						level: LEVELS[finding.severity],
						message: {
							text: finding.help
								? `${finding.message}\nhelp: ${finding.help}`
								: finding.message,
						},
						locations: [
							{
								physicalLocation: {
									artifactLocation: {
										uri: file.name.split("/").map(encodeURIComponent).join("/"),
									},
									...(finding.range
										? {
												region: {
													startLine: finding.range.start.line + 1,
													startColumn: finding.range.start.character + 1,
													endLine: finding.range.end.line + 1,
													endColumn: finding.range.end.character + 1,
												},
											}
										: {}),
								},
							},
						],
					})),
				),
			},
		],
	};
}

/** Everything that is found in every manifest of the page, as the text is now; the panels show no more than a person can look at. */
async function checkAll(speaking: Language): Promise<Checked[]> {
	const checked: Checked[] = [];
	for (const file of files.peek().filter(({ role }) => role === "manifest")) {
		const options = { limits: LIMITS, ...cluster() };
		const outcome = await ask(
			`saved:${file.id}`,
			{ question: "validate", text: source(file), options },
			false,
			speaking,
		);
		if (outcome.kind === "answer")
			checked.push({ file, answer: outcome.answer });
	}
	return checked;
}

/** Saves what was found in every manifest of the page. */
export async function saveReport(format: Format): Promise<void> {
	// Tools that read the others know the sentences in English.
	const checked = await checkAll(format === "markdown" ? lang.peek() : "en");
	const name = `claimkit-report.${{ markdown: "md", sarif: "sarif", json: "json" }[format]}`;
	if (format === "markdown") {
		const parts = checked.map(({ file, answer: { findings, objects } }) => {
			return `## ${file.name}\n\n${findings.map((finding) => findingText(finding, file, objects[finding.object ?? -1]?.release)).join("\n---\n\n") || t.peek().announceFindings(0, 0)}\n`;
		});
		download(name, `# claimkit\n\n${parts.join("\n")}`, "text/markdown");
	} else {
		const value =
			format === "sarif"
				? sarif(checked)
				: checked.map(({ file, answer }) => ({
						file: file.name,
						ok: answer.ok,
						findings: answer.findings,
						objects: answer.objects,
					}));
		download(name, `${JSON.stringify(value, null, 2)}\n`, "application/json");
	}
	notify({ text: t.peek().saved(name) });
}
