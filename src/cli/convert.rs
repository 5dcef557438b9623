//! `convert`: converted texts to standard output, back into the files, or as a diff.

use super::arguments::Arguments;
use super::ask::{self, Request};
use super::{FINDINGS, FINE, Host, UNUSABLE, check, diff, files};
use crate::report::text;

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let request = Request::new("convert")
        .with("to", arguments.value("to"))
        .with("lossy", arguments.has("allow-loss").then_some("allow"))
        .with("dropServerFields", arguments.has("drop-server-fields").then_some(true))
        .with("annotate", arguments.has("annotate").then_some(true))
        .with("release", arguments.value("release"));
    let (files, readable) = files::read(arguments, host);
    let Some(answers) = ask::each(arguments, &request, &files, &[], host) else { return UNUSABLE };
    let reports = ask::reports(&files, &answers, &[], arguments.has("remarks"));
    if arguments.value("output") == Some("json") {
        host.out(&check::json("convert", &files, &answers));
        return check::end(arguments, &reports, readable, host);
    }
    let style = check::style(arguments, host);
    let mut err = String::new();
    reports.iter().for_each(|report| text::write(&mut err, report, style));
    host.err(&err);

    let mut code = check::end(arguments, &reports, readable, host);
    let mut written = 0usize;
    for (report, file) in reports.iter().zip(&files) {
        let Some(text) = &report.answer.text else { continue };
        if arguments.has("in-place") {
            if text == report.text {
                continue;
            }
            let problem = match file.exact {
                true => host.write(report.name, text).err(),
                false => Some("not written back: its bytes are not UTF-8".to_owned()),
            };
            match problem {
                None => written = written.saturating_add(1),
                Some(problem) => {
                    host.err(&format!("claimkit: {}: {problem}\n", report.name));
                    code = UNUSABLE;
                }
            }
        } else if arguments.has("diff") || arguments.has("check") {
            if arguments.has("check") && text != report.text {
                code = code.max(FINDINGS);
                for object in report.answer.objects.iter().filter(|object| object.changed) {
                    if let Some(removed) = &object.removed_in {
                        let (kind, name, from) = (&object.kind, &object.name, &object.from);
                        let end = format!("Kubernetes {removed} does not serve {kind} of {from}");
                        host.err(&format!("{}: {name}: {end}\n", report.name));
                    }
                }
            }
            if arguments.has("diff") {
                host.out(&diff::unified(report.name, report.text, text));
            } else if text != report.text {
                host.out(&format!("{}\n", report.name));
            }
        } else {
            // Several files on one output are one stream of documents. JSON can stand in one only behind a separator.
            let separated = text.trim_start_matches(['\u{feff}', '\n']).starts_with("---");
            if reports.len() > 1 && !separated {
                host.out("---\n");
            }
            host.out(text);
            if !text.is_empty() && !text.ends_with('\n') && reports.len() > 1 {
                host.out("\n");
            }
        }
    }
    if arguments.has("in-place") && !arguments.has("quiet") {
        let same = reports.len().saturating_sub(written);
        host.err(&format!("converted {}, {same} unchanged\n", check::count(written, "file")));
    }
    if code == FINE && reports.iter().any(|report| report.answer.text.is_none()) { FINDINGS } else { code }
}
