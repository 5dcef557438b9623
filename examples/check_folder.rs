//! Checks every manifest of a folder, as a step of CI: one line for each finding, and exit status 1 if there is an error.
//!
//! ```sh
//! cargo run --example check_folder -- tests/hosts/manifests
//! ```

use claimkit::{Severity, ValidateOptions};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    match check(Path::new(&folder), &mut |line| println!("{line}")) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{folder}: {error}");
            ExitCode::from(2)
        }
    }
}

/// Checks the YAML files of a folder and those below it. Returns the number of errors.
fn check(folder: &Path, print: &mut dyn FnMut(String)) -> std::io::Result<usize> {
    // Without a release, each object is judged by the last release that serves its version.
    let options = ValidateOptions::default();
    let mut errors = 0usize;
    for file in yaml_files(folder)? {
        // `from_utf8_lossy` reads bytes that are not UTF-8 as kubectl does.
        let bytes = std::fs::read(&file)?;
        let text = String::from_utf8_lossy(&bytes);
        let report = claimkit::validate(&text, &options);
        for finding in report.findings {
            let before = finding.span.map_or(0, |span| span.from());
            let line = text
                .bytes()
                .take(before)
                .filter(|&byte| byte == b'\n')
                .count()
                .saturating_add(1);
            print(format!(
                "{}:{line}: {}: {}",
                file.display(),
                finding.severity.name(),
                finding.message
            ));
            errors = errors.saturating_add(usize::from(finding.severity == Severity::Error));
        }
    }
    Ok(errors)
}

fn yaml_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(yaml_files(&path)?);
        } else if path
            .extension()
            .is_some_and(|ending| ending == "yaml" || ending == "yml")
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[test]
fn finds_the_errors_of_the_sample_manifests() {
    let mut lines = Vec::new();
    let errors = check(Path::new("tests/hosts/manifests"), &mut |line| {
        lines.push(line)
    })
    .unwrap();
    assert!(errors > 0 && lines.len() >= errors, "{lines:#?}");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("bad.yaml:") && line.contains("unknown field")),
        "{lines:#?}"
    );
}
