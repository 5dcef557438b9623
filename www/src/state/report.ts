import type { Finding } from "../contract.ts";
import { t } from "../i18n/index.ts";
import { download } from "./actions.ts";
import { reports, type Report } from "./checks.ts";
import { files, type PageFile } from "./files.ts";
import { findingText } from "./markdown.ts";
import { notify } from "./notices.ts";

export const FORMATS = ["markdown", "sarif", "json"] as const;
export type Format = (typeof FORMATS)[number];

const LEVELS: Record<Finding["severity"], string> = { error: "error", warning: "warning", info: "note" };

function sarif(checked: readonly { file: PageFile; report: Report }[]): unknown {
  const codes = [...new Set(checked.flatMap(({ report }) => report.answer.findings.map(({ code }) => code)))].sort();
  return {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "claimkit", rules: codes.map((id) => ({ id, name: id })) } },
        columnKind: "utf16CodeUnits",
        results: checked.flatMap(({ file, report }) =>
          report.answer.findings.map((finding) => ({
            ruleId: finding.code,
            level: LEVELS[finding.severity],
            message: { text: finding.help ? `${finding.message}\nhelp: ${finding.help}` : finding.message },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: encodeURI(file.name) },
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

/** Saves what was found in every manifest of the page. */
export function saveReport(format: Format): void {
  const checked = files.peek().flatMap((file) => {
    const report = reports.peek().get(file.id);
    return report && report.version === file.version ? [{ file, report }] : [];
  });
  const name = `claimkit-report.${{ markdown: "md", sarif: "sarif", json: "json" }[format]}`;
  if (format === "markdown") {
    const parts = checked.map(({ file, report }) => {
      const { findings, objects } = report.answer;
      return `## ${file.name}\n\n${findings.map((finding) => findingText(finding, file, objects.find((entry) => entry.index === finding.object)?.release)).join("\n---\n\n") || t.peek().announceFindings(0, 0)}\n`;
    });
    download(name, `# claimkit\n\n${parts.join("\n")}`, "text/markdown");
  } else {
    const value = format === "sarif" ? sarif(checked) : checked.map(({ file, report: { answer } }) => ({ file: file.name, ok: answer.ok, findings: answer.findings, objects: answer.objects }));
    download(name, `${JSON.stringify(value, null, 2)}\n`, "application/json");
  }
  notify({ text: t.peek().saved(name) });
}
