//! `codes`, `releases` and `schema`: what is known, as the verbs `codes`, `releases` and `jsonSchema` answer.

use super::arguments::Arguments;
use super::ask;
use super::{FINE, Host, UNUSABLE};
use crate::requests::request::{JsonSchemaRequest, LocaleRequest};
use crate::requests::{self, Content, Request};
use claimkit_scheduler::patches::Patches;
use serde::Serialize;

/// A row of a list.
struct Row {
    name: String,
    about: String,
    json: String,
}

impl Row {
    fn new(name: &str, about: String, entry: &impl Serialize) -> Self {
        Row {
            name: name.to_owned(),
            about,
            json: requests::print(entry),
        }
    }
}

/// Lists the finding codes.
pub fn codes(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let Some(answer) = ask::once(Request::Codes(request(arguments)), host) else {
        return UNUSABLE;
    };
    let Content::Codes { codes } = &answer.content else {
        return UNUSABLE;
    };
    let rows = codes.iter().map(|entry| {
        let about = format!(
            "{:7}  {}",
            entry.severity,
            entry.documentation.as_deref().unwrap_or_default()
        );
        Row::new(entry.code, about, entry)
    });
    print(arguments, rows.collect(), host)
}

/// Lists the Kubernetes releases.
pub fn releases(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let Some(answer) = ask::once(Request::Releases(request(arguments)), host) else {
        return UNUSABLE;
    };
    let Content::Releases { releases } = &answer.content else {
        return UNUSABLE;
    };
    let rows = releases.iter().map(|entry| {
        let versions: Vec<&str> = entry
            .versions
            .iter()
            .map(|version| version.api_version)
            .collect();
        let groups: Vec<String> = entry.patches.iter().map(group).collect();
        let equal = if groups.len() > 1 {
            format!("; equal patches: {}", groups.join(", "))
        } else {
            String::new()
        };
        Row::new(
            &entry.release,
            format!("{}  {}{equal}", entry.last_patch, versions.join(", ")),
            entry,
        )
    });
    print(arguments, rows.collect(), host)
}

/// Returns `.2 to .11`: patch releases with equal answers.
fn group(patches: &Patches) -> String {
    let Patches { first, last, .. } = patches;
    if first == last {
        format!(".{}", first.patch)
    } else {
        format!(".{} to .{}", first.patch, last.patch)
    }
}

fn request(arguments: &Arguments) -> LocaleRequest {
    LocaleRequest {
        locale: arguments.value("locale").map(str::to_owned),
        sentences: None,
    }
}

fn print(arguments: &Arguments, mut rows: Vec<Row>, host: &mut dyn Host) -> u8 {
    if let Some(unknown) = arguments
        .operands
        .iter()
        .find(|wanted| !rows.iter().any(|row| row.name == **wanted))
    {
        host.err(&format!(
            "claimkit: unknown code `{unknown}`; `claimkit codes` lists them\n"
        ));
        return UNUSABLE;
    }
    if !arguments.operands.is_empty() {
        rows.retain(|row| arguments.operands.contains(&row.name));
    }
    if arguments.value("output") == Some("json") {
        let rows: Vec<String> = rows.into_iter().map(|row| row.json).collect();
        host.out(&format!("[{}]\n", rows.join(",\n ")));
        return FINE;
    }
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let lines: Vec<String> = rows
        .iter()
        .map(|row| format!("{:width$}  {}\n", row.name, row.about))
        .collect();
    host.out(&lines.concat());
    FINE
}

/// Prints a JSON Schema document.
pub fn schema(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let request = JsonSchemaRequest {
        kind: arguments.operands.first().cloned(),
        release: arguments.value("release").map(str::to_owned),
        locale: arguments.value("locale").map(str::to_owned),
        ..JsonSchemaRequest::default()
    };
    let Some(answer) = ask::once(Request::JsonSchema(request), host) else {
        return UNUSABLE;
    };
    let Content::Schema { schema } = &answer.content else {
        return UNUSABLE;
    };
    // The schema is a document of its own, which is laid out for people.
    let schema = serde_json::to_value(schema).unwrap_or_default();
    host.out(&format!("{schema:#}\n"));
    FINE
}
