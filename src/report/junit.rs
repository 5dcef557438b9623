//! JUnit's XML, as CI systems read it: a suite per file, a case per object, errors as failures.

use crate::report::FileReport;
use claimkit_model::finding::Severity;
use claimkit_model::text::located::LocatedFinding;

/// Writes all files as one document.
pub fn document(reports: &[FileReport<'_>]) -> String {
    let mut suites = String::new();
    let mut tests = 0usize;
    let mut failures = 0usize;
    for report in reports {
        let (text, cases, failed) = suite(report);
        suites.push_str(&text);
        tests = tests.saturating_add(cases);
        failures = failures.saturating_add(failed);
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"claimkit\" tests=\"{tests}\" failures=\"{failures}\">\n{suites}</testsuites>\n"
    )
}

fn suite(report: &FileReport<'_>) -> (String, usize, usize) {
    let mut cases = String::new();
    let mut count = 0usize;
    let mut failed = 0usize;
    let mut add = |name: &str, findings: Vec<&LocatedFinding>| {
        count = count.saturating_add(1);
        if findings
            .iter()
            .any(|finding| finding.severity == Severity::Error)
        {
            failed = failed.saturating_add(1);
        }
        case(&mut cases, report, name, &findings);
    };
    // Findings about the text as a whole: it cannot be read, or it holds no object.
    let loose: Vec<_> = report
        .findings
        .iter()
        .copied()
        .filter(|finding| finding.object.is_none())
        .collect();
    if !loose.is_empty() {
        add("the text", loose);
    }
    for (index, object) in report.answer.objects.iter().enumerate() {
        // A Pod is not a test case, but findings about its claims must be kept.
        let findings: Vec<_> = report
            .findings
            .iter()
            .copied()
            .filter(|finding| finding.object == Some(index))
            .collect();
        if !object.is_checked() && findings.is_empty() {
            continue;
        }
        let name = match (object.namespace.as_str(), object.name.as_str()) {
            ("", name) => format!("{} {name}", object.kind),
            (namespace, name) => format!("{} {namespace}/{name}", object.kind),
        };
        add(&name, findings);
    }
    let name = escape(report.name);
    (
        format!(
            "  <testsuite name=\"{name}\" tests=\"{count}\" failures=\"{failed}\">\n{cases}  </testsuite>\n"
        ),
        count,
        failed,
    )
}

fn case(out: &mut String, report: &FileReport<'_>, name: &str, findings: &[&LocatedFinding]) {
    out.push_str(&format!(
        "    <testcase name=\"{}\" classname=\"{}\"",
        escape(name),
        escape(report.name)
    ));
    if findings.is_empty() {
        out.push_str("/>\n");
        return;
    }
    out.push_str(">\n");
    let mut notes = String::new();
    for finding in findings {
        let (name, places) = report.file_of(finding);
        let place = finding.range.as_ref().map_or_else(
            || name.to_owned(),
            |range| {
                let (line, column) = places.line_and_column(range.start);
                format!("{name}:{line}:{column}")
            },
        );
        let help = finding
            .help
            .as_ref()
            .map(|help| format!("\nhelp: {help}"))
            .unwrap_or_default();
        if finding.severity == Severity::Error {
            out.push_str(&format!(
                "      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                escape(finding.code.name()),
                escape(&finding.message),
                escape(&format!(
                    "{place}: {} ({}){help}",
                    finding.message,
                    finding.origin.name()
                )),
            ));
        } else {
            notes.push_str(&escape(&format!(
                "{place}: {}: {} ({}){help}\n",
                finding.severity.name(),
                finding.message,
                finding.origin.name()
            )));
        }
    }
    if !notes.is_empty() {
        out.push_str(&format!("      <system-out>{notes}</system-out>\n"));
    }
    out.push_str("    </testcase>\n");
}

/// Escapes a text for XML 1.0; characters it cannot hold become U+FFFD.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {
                out.push('\u{fffd}')
            }
            _ => out.push(character),
        }
    }
    out
}
