//! Versions in patches of Kustomize, which finds the target of a patch by its `apiVersion`: after a conversion they are stale.

use crate::files::InputFile;
use claimkit::editor::foreign;
use claimkit::report::FileReport;
use claimkit_model::schema::GROUP;
use std::collections::BTreeMap;

/// Says for each line of files for Kustomize that it names a version whose objects were converted. `left_out`: the files that were not
/// converted.
pub fn stale_versions(reports: &[FileReport<'_>], left_out: &[InputFile]) -> String {
    let mut converted: BTreeMap<&str, &str> = BTreeMap::new();
    for object in reports.iter().flat_map(|report| &report.answer.objects) {
        if let (Some(true), Some(from), Some(to)) = (object.changed, &object.from, &object.to)
            && from != to
        {
            converted.insert(from, to);
        }
    }
    let mut said = String::new();
    for file in left_out {
        if foreign::is_template(&file.name, &file.text) {
            continue;
        }
        let lines: Vec<&str> = file.text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let Some(written) = version_named(&lines, index, line) else {
                continue;
            };
            if let Some(to) = converted.get(written.as_str()) {
                said.push_str(&format!(
                    "{}:{}: the patch is for `{written}`, and its target is converted: write `{to}`\n",
                    file.name,
                    index.saturating_add(1),
                ));
            }
        }
    }
    said
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
