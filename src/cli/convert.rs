//! `convert`: converted texts to standard output, back into the files, or as a diff.

use super::arguments::Arguments;
use super::ask;
use super::files::InputFile;
use super::{FINDINGS, FINE, Host, UNUSABLE, check, diff, files};
use crate::report::text;
use crate::requests::request::{ConvertRequest, Lossy};
use crate::requests::{self, Content, Request};

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let request = |file: &InputFile| {
        Request::Convert(ConvertRequest {
            text: Some(file.text.clone()),
            release: arguments.value("release").map(str::to_owned),
            to: arguments.value("to").map(str::to_owned),
            lossy: if arguments.has("allow-loss") {
                Lossy::Allow
            } else {
                Lossy::Refuse
            },
            drop_server_fields: arguments.has("drop-server-fields"),
            annotate: arguments.has("annotate"),
            replaced: ask::replaced(file.replaced),
            ..ConvertRequest::default()
        })
    };
    let (files, readable) = files::read(arguments, host);
    let Some(answers) = ask::each(arguments, &request, &files, &[], host) else {
        return UNUSABLE;
    };
    let reports = ask::reports(&files, &answers, &[], ask::remarks(arguments));
    if arguments.value("output") == Some("json") {
        host.out(&check::json("convert", &files, &answers, &|_, answer| {
            requests::print(answer)
        }));
        return check::end(arguments, &reports, readable, host);
    }
    let style = check::style(arguments, host);
    let mut err = String::new();
    reports
        .iter()
        .for_each(|report| text::write(&mut err, report, style));
    host.err(&err);

    let mut code = check::end(arguments, &reports, readable, host);
    let mut written = 0usize;
    for (report, file) in reports.iter().zip(&files) {
        let Content::Convert { text } = &report.answer.content else {
            continue;
        };
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
                for object in report
                    .answer
                    .objects
                    .iter()
                    .filter(|object| object.changed == Some(true))
                {
                    if let Some(removed) = &object.removed_in {
                        let (kind, name, from) = (
                            &object.kind,
                            &object.name,
                            object.from.as_deref().unwrap_or_default(),
                        );
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
            // Several files on one output are one stream of documents. JSON can be a part of one only after a separator.
            let separated = text
                .trim_start_matches(['\u{feff}', '\n'])
                .starts_with("---");
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
        host.err(&format!(
            "converted {}, {same} unchanged\n",
            check::count(written, "file")
        ));
    }
    if code == FINE
        && reports
            .iter()
            .any(|report| !matches!(report.answer.content, Content::Convert { .. }))
    {
        FINDINGS
    } else {
        code
    }
}
