//! `codes`, `releases` and `schema`: what is known, as the verbs `codes`, `releases` and `jsonSchema` answer.

use crate::ask;
use crate::charts;
use crate::exit::{Exit, Outcome};
use crate::host::Host;
use crate::options::{CodesArgs, LocaleArgs, ReleasesArgs, SchemaArgs};
use crate::values::PlainForm;
use claimkit::Release;
use claimkit::editor::registry::ReleaseEntry;
use claimkit::requests::request::{JsonSchemaRequest, LocaleRequest};
use claimkit::requests::{self, Content, Request};
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
pub fn codes(args: &CodesArgs, host: &mut dyn Host) -> Outcome {
    let answer = ask::once(Request::Codes(request(&args.locale)), host)?;
    let Content::Codes { codes } = &answer.content else {
        return Ok(Exit::Unusable);
    };
    let asked = codes.iter().filter(|entry| {
        args.codes.is_empty() || args.codes.iter().any(|code| code.0.name() == entry.code)
    });
    let rows = asked.map(|entry| {
        let about = format!(
            "{:7}  {}",
            entry.severity,
            entry.documentation.as_deref().unwrap_or_default()
        );
        Row::new(entry.code, about, entry)
    });
    print(args.output, rows.collect(), host);
    Ok(Exit::Fine)
}

/// Lists the Kubernetes releases, or prints one for a renderer of charts.
pub fn releases(args: &ReleasesArgs, host: &mut dyn Host) -> Outcome {
    let asked = match &args.release {
        Some(text) => Some(Release::parse(text).ok_or_else(|| Release::unknown(text))?),
        None => None,
    };
    let answer = ask::once(Request::Releases(request(&args.locale)), host)?;
    let Content::Releases { releases } = &answer.content else {
        return Ok(Exit::Unusable);
    };
    if let Some(tool) = args.helm {
        let release = asked.unwrap_or_else(Release::latest);
        if let Some(entry) = releases.iter().find(|entry| is_of(entry, release)) {
            charts::print(tool, release, entry, host);
        }
        return Ok(Exit::Fine);
    }
    let shown = releases
        .iter()
        .filter(|entry| asked.is_none_or(|release| is_of(entry, release)));
    let rows = shown.map(|entry| {
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
    print(args.output, rows.collect(), host);
    Ok(Exit::Fine)
}

/// Returns whether an entry is that of a release's minor.
fn is_of(entry: &ReleaseEntry, release: Release) -> bool {
    entry.release == format!("1.{}", release.minor)
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

fn request(locale: &LocaleArgs) -> LocaleRequest {
    LocaleRequest {
        locale: locale.name(),
        sentences: None,
    }
}

fn print(form: PlainForm, rows: Vec<Row>, host: &mut dyn Host) {
    if form == PlainForm::Json {
        let rows: Vec<String> = rows.into_iter().map(|row| row.json).collect();
        host.out(&format!("[{}]\n", rows.join(",\n ")));
        return;
    }
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let lines: Vec<String> = rows
        .iter()
        .map(|row| format!("{:width$}  {}\n", row.name, row.about))
        .collect();
    host.out(&lines.concat());
}

/// Prints a JSON Schema document.
pub fn schema(args: &SchemaArgs, host: &mut dyn Host) -> Outcome {
    let request = JsonSchemaRequest {
        kind: args.kind.clone(),
        release: args.release.clone(),
        locale: args.locale.name(),
        ..JsonSchemaRequest::default()
    };
    let answer = ask::once(Request::JsonSchema(request), host)?;
    let Content::Schema { schema } = &answer.content else {
        return Ok(Exit::Unusable);
    };
    // The schema is a document of its own, which is laid out for people.
    let schema = serde_json::to_value(schema).unwrap_or_default();
    host.out(&format!("{schema:#}\n"));
    Ok(Exit::Fine)
}
