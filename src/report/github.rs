//! Workflow commands of GitHub Actions: annotations beside the changed lines of a pull request.

use crate::report::FileReport;
use crate::report::text::visible;
use claimkit_model::finding::Severity;

/// Writes a file's findings, one line each.
pub fn write(out: &mut String, report: &FileReport<'_>) {
    for finding in &report.findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let (name, places) = report.file_of(finding);
        let mut properties = format!("file={}", property(name));
        if let Some(range) = &finding.range {
            let (line, column) = places.line_and_column(range.start);
            let (end_line, end_column) = places.line_and_column(range.end);
            properties.push_str(&format!(",line={line},endLine={end_line}"));
            // Columns are understood only where the annotation stays in one line; the end is the last column itself.
            if line == end_line {
                let last = end_column.saturating_sub(1).max(column);
                properties.push_str(&format!(",col={column},endColumn={last}"));
            }
        }
        properties.push_str(&format!(
            ",title={}",
            property(&format!(
                "{} {}",
                finding.origin.name(),
                finding.code.name()
            ))
        ));
        let mut message = String::from(finding.message.clone());
        if let Some(template) = finding
            .range
            .as_ref()
            .and_then(|range| places.template(range.start.byte_offset as usize))
        {
            message.push_str(&format!("\nfrom: {template}"));
        }
        if let Some(help) = &finding.help {
            message.push_str(&format!("\nhelp: {help}"));
        }
        out.push_str(&format!("::{command} {properties}::{}\n", data(&message)));
    }
}

/// Writes a text as a command takes it. Line breaks are kept; control sequences become visible characters, because a terminal may
/// show the log.
fn data(text: &str) -> String {
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| visible(line.strip_suffix('\r').unwrap_or(line)))
        .collect();
    lines.join("\n").replace('%', "%25").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
