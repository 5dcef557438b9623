//! Versions in patches of Kustomize, which finds the target of a patch by its `apiVersion`: after a conversion they are stale.

use crate::files::InputFile;
use claimkit::editor::foreign;
use claimkit::report::FileReport;
use claimkit::requests::request::ConvertRequest;
use claimkit::requests::sources::NamedText;
use claimkit::requests::{self, Content};
use claimkit_model::schema::GROUP;
use claimkit_values::order;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A line of a file for Kustomize that is stale after a conversion.
pub struct StaleLine {
    file: String,
    /// Counted from 1.
    line: usize,
    /// What is stale, and what to do.
    message: String,
}

impl StaleLine {
    /// Returns the line as it is shown.
    pub fn text(&self) -> String {
        let StaleLine {
            file,
            line,
            message,
        } = self;
        format!("{file}:{line}: {message}\n")
    }

    /// Returns the line for programs.
    pub fn json(&self) -> Value {
        json!({"file": self.file, "line": self.line, "message": self.message})
    }
}

/// Finds the lines of files for Kustomize that name a version whose objects were converted, or a place that a conversion moves.
/// `others`: the files that were not converted.
pub fn stale_lines<'f>(
    reports: &[FileReport<'_>],
    others: impl Iterator<Item = &'f InputFile>,
) -> Vec<StaleLine> {
    let mut converted: BTreeMap<&str, &str> = BTreeMap::new();
    for object in reports.iter().flat_map(|report| &report.answer.objects) {
        if let (Some(true), Some(from), Some(to)) = (object.changed, &object.from, &object.to)
            && from != to
        {
            converted.insert(from, to);
        }
    }
    let mut stale = Vec::new();
    if converted.is_empty() {
        return stale;
    }
    for file in others {
        if !foreign::is_template(&file.name, &file.text) {
            stale.extend(stale_lines_of(file, &converted));
        }
    }
    let place = |line: &StaleLine| (line.file.clone(), line.line);
    order::sort_by_key(&mut stale, place);
    stale
}

/// Finds the stale lines of a file. `converted`: the versions of converted objects, and those that they have now.
fn stale_lines_of(file: &InputFile, converted: &BTreeMap<&str, &str>) -> Vec<StaleLine> {
    let wraps = converted.iter().any(|(from, to)| wraps_requests(from, to));
    let lines: Vec<&str> = file.text.lines().collect();
    let mut stale = Vec::new();
    let mut tell = |index: usize, message: String| {
        stale.push(StaleLine {
            file: file.name.clone(),
            line: index.saturating_add(1),
            message,
        });
    };
    for (index, line) in lines.iter().enumerate() {
        if wraps {
            for StalePath { old, new } in stale_paths(line) {
                tell(
                    index,
                    format!(
                        "`{old}` points into an object of an older version: if its target is converted, write `{new}`"
                    ),
                );
            }
            if let Some(pointer) = adds_old_request(&lines, index) {
                tell(
                    index,
                    format!(
                        "what `{pointer}` adds is a request of an older version: if its target is converted, put its fields but `name` under `exactly`"
                    ),
                );
            }
        }
        let Some(written) = value_of(entry_of(line), "apiVersion") else {
            continue;
        };
        let Some(to) = converted.get(written) else {
            continue;
        };
        let wraps_here = wraps_requests(written, to);
        let is_file = line.starts_with("apiVersion:") && file.text.contains("requests");
        let what_to_do = if is_file && wraps_here && converts(file, to) {
            let version = to.rsplit('/').next().unwrap_or(to);
            format!(
                "convert the patch too: `claimkit convert -i --to {version} {}`",
                file.name
            )
        } else if wraps_here && has_old_request(block_of(&lines, index)) {
            format!("write `{to}`, and put the fields of its requests but `name` under `exactly`")
        } else {
            format!("write `{to}`")
        };
        tell(
            index,
            format!("the patch is for `{written}`, and its target is converted: {what_to_do}"),
        );
    }
    for target in foreign::target_versions(&file.text) {
        let written = format!("{GROUP}/{}", target.version);
        if let Some(to) = converted.get(written.as_str()) {
            let before = file.text.get(..target.span.from()).unwrap_or_default();
            let version = to.rsplit('/').next().unwrap_or(to);
            tell(
                before.matches('\n').count(),
                format!(
                    "objects of `{written}` are converted, and this chooses them by their version: write `version: {version}`"
                ),
            );
        }
    }
    stale
}

/// Returns true if the command converts a file that is a patch, although a patch can lack what an object must have.
fn converts(patch: &InputFile, to: &str) -> bool {
    let request = ConvertRequest {
        sources: Some(vec![NamedText {
            name: patch.name.clone(),
            text: patch.text.clone(),
            replaced: None,
        }]),
        to: Some(to.to_owned()),
        ..ConvertRequest::default()
    };
    let answers = requests::convert_each(&request).unwrap_or_default();
    answers
        .iter()
        .any(|answer| matches!(&answer.content, Content::Convert { text } if *text != patch.text))
}

/// Returns true if the fields of a request are under `exactly` in the second version only.
fn wraps_requests(from: &str, to: &str) -> bool {
    let is_flat = from.ends_with("/v1beta1") || from.ends_with("/v1alpha3");
    is_flat && (to.ends_with("/v1beta2") || to.ends_with("/v1"))
}

/// The fields of a request that are under `exactly` from v1beta2 on.
const WRAPPED: [&str; 6] = [
    "adminAccess",
    "allocationMode",
    "count",
    "deviceClassName",
    "selectors",
    "tolerations",
];

/// A path into an object as it is up to v1beta1, and the path from v1beta2 on.
struct StalePath {
    old: String,
    new: String,
}

/// Returns the paths of a line into requests and devices as they are up to v1beta1: JSON pointers, and paths of fields with `/` or `.`.
fn stale_paths(line: &str) -> impl Iterator<Item = StalePath> {
    let paths = line.split([' ', '"', '\'', ',', '{', '}']);
    paths.filter_map(|written| {
        let old = written.trim_start_matches('[');
        let old = match old.strip_suffix(']') {
            Some(inner) if inner.matches('[').count() == inner.matches(']').count() => inner,
            _ => old,
        };
        let sign = if old.contains("devices/") { '/' } else { '.' };
        let parts: Vec<&str> = old.split(sign).collect();
        let is_spec = parts.contains(&"spec");
        let devices = parts.iter().position(|part| *part == "devices")?;
        let (at, added) = match parts.get(devices.saturating_add(1)..)? {
            ["requests", field, ..] if WRAPPED.contains(field) => (2, Some("exactly")),
            ["requests", _, field, ..] if WRAPPED.contains(field) => (3, Some("exactly")),
            [_, "basic", _, ..] => (2, None),
            _ => return None,
        };
        let at = devices.saturating_add(at);
        let mut now = parts.clone();
        match added {
            Some(field) => now.insert(at, field),
            None => {
                now.remove(at);
            }
        }
        is_spec.then(|| StalePath {
            old: old.to_owned(),
            new: now.join(&sign.to_string()),
        })
    })
}

/// Returns the pointer of a line to a whole request, or to the list of them, if the operation there has a request as it is up to v1beta1.
fn adds_old_request<'l>(lines: &[&'l str], index: usize) -> Option<&'l str> {
    let line = lines.get(index)?;
    let mut words = line.split([' ', '"', '\'', ',', '{', '}']);
    let pointer = words.find(|word| {
        let path = word.trim_end_matches(|c: char| c == '-' || c.is_ascii_digit());
        let path = path.strip_suffix('/').unwrap_or(path);
        word.starts_with("/spec/") && path.ends_with("/devices/requests")
    })?;
    has_old_request(block_of(lines, index)).then_some(pointer)
}

/// Returns the lines of the item or map of a line that are beside and below it, with those before it in the same item.
fn block_of<'s, 'l>(lines: &'s [&'l str], index: usize) -> &'s [&'l str] {
    let Some(line) = lines.get(index) else {
        return &[];
    };
    let indent = indent_of(line);
    let mut end = index.saturating_add(1);
    for line in lines.get(end..).unwrap_or_default() {
        if !is_inside(line, indent) || begins_item(line, indent) {
            break;
        }
        end = end.saturating_add(1);
    }
    let mut start = index;
    // The line that begins the item is a part of it.
    while !lines
        .get(start)
        .is_some_and(|line| begins_item(line, indent))
    {
        let Some(above) = start.checked_sub(1) else {
            break;
        };
        if !lines.get(above).is_some_and(|line| is_inside(line, indent)) {
            break;
        }
        start = above;
    }
    lines.get(start..end).unwrap_or_default()
}

fn is_inside(line: &str, indent: usize) -> bool {
    line.trim().is_empty() || indent_of(line) >= indent
}

fn begins_item(line: &str, indent: usize) -> bool {
    line.trim_start().starts_with("- ") && indent_of(line) == indent
}

/// Returns true if lines have fields of a request, and neither of the fields that hold them from v1beta2 on.
fn has_old_request(lines: &[&str]) -> bool {
    has_word(lines, "deviceClassName")
        && !has_word(lines, "exactly")
        && !has_word(lines, "firstAvailable")
}

fn has_word(lines: &[&str], name: &str) -> bool {
    lines.iter().any(|line| {
        let mut words = line.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|word| word == name)
    })
}

/// Returns the columns before the entry of a line; the `- ` of an item is one of them.
fn indent_of(line: &str) -> usize {
    line.len().saturating_sub(entry_of(line).len())
}

fn entry_of(line: &str) -> &str {
    line.trim_start_matches([' ', '-'])
}

/// Returns the value of a key in a line of YAML or JSON.
fn value_of<'l>(entry: &'l str, key: &str) -> Option<&'l str> {
    let (written, value) = entry.split_once(':')?;
    let quotes = ['"', '\''];
    let value = value.split(" #").next()?.trim().trim_end_matches(',');
    (written.trim().trim_matches(quotes) == key).then(|| value.trim_matches(quotes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_into_objects_of_older_versions_are_found() {
        let new = |line: &str| {
            let found = stale_paths(line);
            found.map(|path| path.new).collect::<Vec<_>>().join(" ")
        };
        for (line, path) in [
            (
                "    path: /spec/spec/devices/requests/0/count",
                "/spec/spec/devices/requests/0/exactly/count",
            ),
            (
                r#"[{"op": "add", "path": "/spec/devices/requests/1/selectors/-", "value": 1},{"op":"remove","path":"/spec/devices/requests/0/count"}]"#,
                "/spec/devices/requests/1/exactly/selectors/- /spec/devices/requests/0/exactly/count",
            ),
            (
                "fieldPaths: [spec.spec.devices.requests.[name=gpu].deviceClassName]",
                "spec.spec.devices.requests.[name=gpu].exactly.deviceClassName",
            ),
            (
                "- spec.devices.requests.*.count",
                "spec.devices.requests.*.exactly.count",
            ),
            (
                "  - path: spec/devices/requests/deviceClassName",
                "spec/devices/requests/exactly/deviceClassName",
            ),
            (
                "path: /spec/devices/0/basic/attributes/model",
                "/spec/devices/0/attributes/model",
            ),
        ] {
            assert_eq!(new(line), path, "{line}");
        }
        for line in [
            "path: /spec/devices/requests/0/name",
            "path: /spec/devices/requests/0/exactly/count",
            "path: /spec/devices/requests/0/firstAvailable/0/count",
            "path: /spec/devices/requests/-",
            "fieldPaths: [spec.devices.requests.[name=gpu].exactly.count]",
        ] {
            assert_eq!(new(line), "", "{line}");
        }
    }

    #[test]
    fn requests_of_older_versions_that_are_added_are_found() {
        let adds = |text: &str| {
            let lines: Vec<&str> = text.lines().collect();
            (0..lines.len()).any(|index| adds_old_request(&lines, index).is_some())
        };
        assert!(adds(
            "- op: add\n  path: /spec/devices/requests/-\n  value: {name: a, deviceClassName: b}\n"
        ));
        assert!(adds(
            "- value:\n    name: a\n    deviceClassName: b\n  op: add\n  path: /spec/devices/requests/0\n"
        ));
        assert!(!adds(
            "- op: add\n  path: /spec/devices/requests/-\n  value: {name: a, exactly: {deviceClassName: b}}\n"
        ));
        assert!(!adds(
            "- op: remove\n  path: /spec/devices/requests/0\n- op: add\n  path: /x\n  value: {deviceClassName: b}\n"
        ));
    }
}
