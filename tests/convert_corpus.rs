//! Converts manifests of real projects in both directions. `CLAIMKIT_CORPUS` names their folder.

use claimkit::convert::{Conversion, ConvertOptions, convert};
use claimkit_model::finding::{Code, Severity};
use claimkit_model::schema::Version;
use claimkit_model::schema::classic::{v1alpha1, v1alpha2};
use std::path::{Path, PathBuf};

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "yaml" || extension == "json")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Lines of one text that the other does not have in this order, both ways.
fn touched(old: &str, new: &str) -> usize {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    // The longest common subsequence, row by row.
    let mut row = vec![0usize; new.len() + 1];
    for line in &old {
        let mut diagonal = 0;
        for (at, other) in new.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if line == other {
                diagonal + 1
            } else {
                above.max(row[at])
            };
            diagonal = above;
        }
    }
    old.len() + new.len() - 2 * row[new.len()]
}

/// Lines that must change: the version of each object, the kind if it is renamed, and the handle of an allocation.
fn must_change(conversion: &Conversion<'_>, text: &str, new: &str) -> usize {
    let changed = conversion
        .outcomes
        .iter()
        .filter(|outcome| outcome.changed)
        .count();
    let renamed = conversion
        .input
        .items
        .iter()
        .zip(&conversion.outcomes)
        .filter(|(item, outcome)| outcome.changed && item.kind.starts_with("PodScheduling"));
    let lines = |text: &str| {
        let handle = text
            .split('\n')
            .skip_while(|line| !line.contains("resourceHandle"));
        let depth = |line: &str| line.len() - line.trim_start().len();
        let first = handle.clone().next().map_or(0, depth);
        handle.take(1).count() + handle_rest(text, first)
    };
    2 * (changed + renamed.count())
        + if text.contains("resourceHandle") {
            lines(text) + lines(new)
        } else {
            0
        }
}

/// Lines below a handle that belong to it: deeper ones, and its closing bracket.
fn handle_rest(text: &str, depth: usize) -> usize {
    let rest = text
        .split('\n')
        .skip_while(|line| !line.contains("resourceHandle"))
        .skip(1);
    rest.take_while(|line| {
        let inner = line.len() - line.trim_start().len();
        inner > depth || (inner == depth && line.trim_start().starts_with(']'))
    })
    .count()
}

#[test]
#[ignore = "reads manifests that are not in the repository; CLAIMKIT_CORPUS names their folder"]
fn every_convertible_file_comes_back_byte_for_byte() {
    let Some(folder) = std::env::var_os("CLAIMKIT_CORPUS").map(PathBuf::from) else {
        println!("corpus: not present, not checked");
        return;
    };
    if !folder.is_dir() {
        println!("corpus: not present, not checked");
        return;
    }
    let files = files(&folder);
    assert!(
        files.len() > 100,
        "{} holds {} manifests",
        folder.display(),
        files.len()
    );
    let (mut converted, mut identical, mut untouched, mut refused, mut objects, mut lines) =
        (0, 0, 0, 0, 0, 0);
    for path in &files {
        let text = std::fs::read_to_string(path).unwrap();
        for (to, back) in [
            (&v1alpha1::VERSION, &v1alpha2::VERSION),
            (&v1alpha2::VERSION, &v1alpha1::VERSION),
        ] {
            let there = run(&text, to);
            let changed = there
                .outcomes
                .iter()
                .filter(|outcome| outcome.changed)
                .count();
            let Some(new) = &there.text else {
                // Only for a stated reason: losses, kinds without counterpart, texts that cannot be read or decoded.
                let reasons = there
                    .findings
                    .iter()
                    .filter(|finding| finding.severity == Severity::Error);
                assert!(
                    reasons.clone().count() > 0,
                    "{}: refused without a reason",
                    path.display()
                );
                assert!(
                    reasons
                        .clone()
                        .all(|finding| finding.code != Code::ConversionDisagrees),
                    "{}",
                    path.display()
                );
                refused += 1;
                continue;
            };
            if changed == 0 {
                assert_eq!(new, &text, "{}", path.display());
                untouched += 1;
                continue;
            }
            converted += 1;
            objects += changed;
            assert!(
                there
                    .findings
                    .iter()
                    .all(|finding| finding.code != Code::ConversionPrinted),
                "{}: printed",
                path.display()
            );
            let touched = touched(&text, new);
            assert_eq!(
                touched,
                must_change(&there, &text, new),
                "{}: lines that need not change",
                path.display()
            );
            lines += touched;
            let again = run(new, back);
            assert_eq!(
                again.text.as_deref(),
                Some(text.as_str()),
                "{}: does not come back",
                path.display()
            );
            identical += 1;
        }
    }
    println!(
        "corpus: {} files; converted {converted} ({objects} objects, {lines} lines touched, each one that must change), \
         back byte for byte {identical}; nothing to convert {untouched}; refused {refused}",
        files.len()
    );
    assert!(converted > 50);
    assert_eq!(converted, identical);
}

fn run<'s>(text: &'s str, to: &'static Version) -> Conversion<'s> {
    convert(text, to, &ConvertOptions::default())
}
