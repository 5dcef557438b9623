//! Whole files, from bytes to report: for any file the command line ends with one of its exit codes and prints text without
//! terminal control sequences, valid JSON, and lines that other tools can read. A file written in place has the same objects.
//!
//! Input: a letter for the command, and the bytes of the file.

use claimkit_cli::{self as cli, Host};
use libfuzzer_sys::Corpus;

const FILE: &str = "a.yaml";

const COMMANDS: &[&[&str]] = &[
    &["validate", FILE],
    &["validate", "--remarks", "--color", "never", FILE],
    &["validate", "-o", "json", FILE],
    &["validate", "-o", "sarif", FILE],
    &["validate", "-o", "github", FILE],
    &["validate", "-o", "junit", FILE],
    &["validate", "--fix", "--unsafe-fixes", FILE],
    &["validate", "--fix", "--diff", FILE],
    &["validate", "--old", FILE, FILE],
    &["parse", FILE],
    &["parse", "--raw", FILE],
    &["convert", "--to", "v1alpha1", FILE],
    &["convert", "--to", "v1", "--in-place", FILE],
    &["convert", "--to", "v1beta1", "--diff", "--check", FILE],
    &["evaluate", "--nodes", FILE, FILE],
    &["evaluate", "-o", "wide", "--nodes", FILE, FILE],
    &["allocate", FILE],
    &["patch", "--type", "merge", FILE, FILE],
    &[
        "patch",
        "--type",
        "apply",
        "--field-manager",
        "fuzzer",
        FILE,
    ],
];

pub fn run(data: &[u8]) -> Corpus {
    let Some((&first, bytes)) = data.split_first() else {
        return Corpus::Reject;
    };
    let command = COMMANDS[usize::from(first.wrapping_sub(b'A')) % COMMANDS.len()];
    let arguments: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
    let mut system = System {
        file: bytes.to_vec(),
        written: 0,
        out: String::new(),
        err: String::new(),
    };
    cli::run(&arguments, &mut system);
    match command {
        ["validate", "-o", "json" | "sarif", ..] if !system.out.is_empty() => {
            serde_json::from_str::<serde::de::IgnoredAny>(&system.out)
                .unwrap_or_else(|error| panic!("{error}: {}", system.out));
        }
        ["convert" | "parse", ..] | ["validate", "--fix", ..] | ["patch", ..] => {}
        ["validate", "-o", "junit", ..] => plain(&system.out.replace(['\t', '\r'], "")),
        _ => plain(&system.out),
    }
    plain(&system.err);
    assert!(
        system.written <= 1,
        "{command:?} writes the file {} times",
        system.written
    );
    Corpus::Keep
}

/// It has no terminal control sequences.
fn plain(text: &str) {
    let steers = |c: char| c.is_control() && c != '\n';
    assert!(!text.contains(steers), "{text:?}");
}

/// One file, which can be written.
struct System {
    file: Vec<u8>,
    written: usize,
    out: String,
    err: String,
}

impl Host for System {
    fn read(&mut self, path: &str, most: usize) -> Result<Vec<u8>, String> {
        assert_eq!(path, FILE);
        if self.file.len() > most {
            Err(cli::too_large(most))
        } else {
            Ok(self.file.clone())
        }
    }

    fn write(&mut self, path: &str, text: &str) -> Result<(), String> {
        assert_eq!(path, FILE);
        assert_ne!(
            self.file,
            text.as_bytes(),
            "what does not change is not written"
        );
        self.file = text.as_bytes().to_vec();
        self.written += 1;
        Ok(())
    }

    fn out(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn err(&mut self, text: &str) {
        self.err.push_str(text);
    }
}
