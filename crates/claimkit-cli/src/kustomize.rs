//! Versions in patches of Kustomize, which finds the target of a patch by its `apiVersion`: after a conversion they are stale.

use crate::files::InputFile;
use claimkit::editor::foreign;
use claimkit::report::FileReport;
use claimkit::requests::request::ConvertRequest;
use claimkit::requests::sources::NamedText;
use claimkit::requests::{self, Content};
use claimkit_model::schema::GROUP;
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

/// Finds the lines of files for Kustomize that name a version whose objects were converted. `left_out`: the files that were not
/// converted.
pub fn stale_lines(reports: &[FileReport<'_>], left_out: &[InputFile]) -> Vec<StaleLine> {
    let mut converted: BTreeMap<&str, &str> = BTreeMap::new();
    for object in reports.iter().flat_map(|report| &report.answer.objects) {
        if let (Some(true), Some(from), Some(to)) = (object.changed, &object.from, &object.to)
            && from != to
        {
            converted.insert(from, to);
        }
    }
    let wraps = converted.iter().any(|(from, to)| wraps_requests(from, to));
    let mut stale = Vec::new();
    for file in left_out {
        if foreign::is_template(&file.name, &file.text) {
            continue;
        }
        let lines: Vec<&str> = file.text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let stale_here = |message: String| StaleLine {
                file: file.name.clone(),
                line: index.saturating_add(1),
                message,
            };
            if wraps && let Some((old, new)) = stale_pointer(line) {
                stale.push(stale_here(format!(
                    "`{old}` points into a request of an older version: if its target is converted, write `{new}`"
                )));
            }
            let Some(written) = version_named(&lines, index, line) else {
                continue;
            };
            let Some(to) = converted.get(written.as_str()) else {
                continue;
            };
            let is_file = line.starts_with("apiVersion:") && file.text.contains("requests");
            let what_to_do = if is_file && wraps_requests(&written, to) && converts(file, to) {
                let version = to.rsplit('/').next().unwrap_or(to);
                format!(
                    "convert the patch too: `claimkit convert -i --to {version} {}`",
                    file.name
                )
            } else {
                format!("write `{to}`")
            };
            stale.push(stale_here(format!(
                "the patch is for `{written}`, and its target is converted: {what_to_do}"
            )));
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

/// Returns a JSON pointer of a line into a request as it is up to v1beta1, and the pointer from v1beta2 on.
fn stale_pointer(line: &str) -> Option<(String, String)> {
    let requests = "/devices/requests/";
    let start = line.find("/spec/")?;
    let pointer = line.get(start..)?;
    let end = pointer
        .find([' ', '"', '\'', ',', '}'])
        .unwrap_or(pointer.len());
    let pointer = pointer.get(..end)?;
    let (head, request) = pointer.split_once(requests)?;
    let (index, field) = request.split_once('/')?;
    let name = field.split('/').next()?;
    WRAPPED.contains(&name).then(|| {
        (
            pointer.to_owned(),
            format!("{head}{requests}{index}/exactly/{field}"),
        )
    })
}

/// Returns the `apiVersion` that a line names: of a patch, or of a target with `group` and `version`.
fn version_named(lines: &[&str], index: usize, line: &str) -> Option<String> {
    let entry = entry_of(line);
    if let Some(version) = value_of(entry, "apiVersion") {
        return Some(version.to_owned());
    }
    let version = value_of(entry, "version")?;
    let indent = indent_of(line);
    let is_beside = |line: &&&str| indent_of(line) == indent && !line.trim().is_empty();
    let before = lines.get(..index).unwrap_or_default().iter().rev();
    let after = lines.get(index.saturating_add(1)..).unwrap_or_default();
    let mut beside = before
        .take_while(is_beside)
        .chain(after.iter().take_while(is_beside));
    beside
        .any(|line| value_of(entry_of(line), "group") == Some(GROUP))
        .then(|| format!("{GROUP}/{version}"))
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
    fn pointers_into_requests_of_older_versions_are_found() {
        let new = |line: &str| stale_pointer(line).map(|(_, new)| new);
        assert_eq!(
            new("    path: /spec/spec/devices/requests/0/count").as_deref(),
            Some("/spec/spec/devices/requests/0/exactly/count")
        );
        assert_eq!(
            new(r#"[{"op": "add", "path": "/spec/devices/requests/1/selectors/-", "value": 1}]"#)
                .as_deref(),
            Some("/spec/devices/requests/1/exactly/selectors/-")
        );
        for line in [
            "path: /spec/devices/requests/0/name",
            "path: /spec/devices/requests/0/exactly/count",
            "path: /spec/devices/requests/-",
        ] {
            assert_eq!(new(line), None, "{line}");
        }
    }

    #[test]
    fn versions_of_patches_and_targets_are_found() {
        let text = "patches:\n- path: a.yaml\n  target:\n    group: resource.k8s.io\n    version: v1beta1\n    kind: DeviceClass\n- target:\n    version: v1beta1\n    group: example.com\n- patch: |-\n    apiVersion: \"resource.k8s.io/v1beta1\" # old\n";
        let lines: Vec<&str> = text.lines().collect();
        let found: Vec<(usize, String)> = (0..lines.len())
            .filter_map(|index| Some((index, version_named(&lines, index, lines.get(index)?)?)))
            .collect();
        let version = "resource.k8s.io/v1beta1".to_owned();
        assert_eq!(found, [(4, version.clone()), (10, version)]);
    }
}
