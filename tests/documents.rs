//! Commands and paths that the documents of the repository name: targets of make, filters of tests, and files.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The documents for people who work on claimkit.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "MAINTAINING.md",
    "SECURITY.md",
    "CODE_OF_CONDUCT.md",
    "examples/README.md",
    ".github/pull_request_template.md",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap()
}

/// The texts between backticks of a document, with its name. Text that is broken across lines is joined.
fn quoted() -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for file in DOCUMENTS {
        let text = read(file);
        let mut within_block = false;
        let prose: Vec<&str> = text
            .lines()
            .filter(|line| {
                within_block ^= line.starts_with("```");
                !within_block && !line.starts_with("```")
            })
            .collect();
        let prose = prose.join("\n");
        let pieces = prose
            .split('`')
            .enumerate()
            .filter(|(number, _)| number % 2 == 1);
        found.extend(pieces.map(|(_, piece)| {
            (
                *file,
                piece.split_whitespace().collect::<Vec<_>>().join(" "),
            )
        }));
    }
    assert!(found.len() > 200, "{} texts", found.len());
    found
}

/// The targets of the Makefile.
fn targets() -> Vec<String> {
    let makefile = read("Makefile");
    let names = makefile
        .lines()
        .filter_map(|line| line.strip_prefix(".PHONY:"));
    names
        .flat_map(str::split_whitespace)
        .map(str::to_owned)
        .collect()
}

/// The words of a command without the variables before it.
fn words(command: &str) -> Vec<&str> {
    let is_setting = |word: &&str| {
        word.split_once('=')
            .is_some_and(|(name, _)| name.chars().all(|c| c == '_' || c.is_ascii_uppercase()))
    };
    command.split_whitespace().skip_while(is_setting).collect()
}

#[test]
fn targets_of_make_exist() {
    let targets = targets();
    let mut tried = 0;
    for (file, command) in quoted() {
        if let ["make", rest @ ..] = words(&command).as_slice() {
            for target in rest.iter().filter(|word| {
                !word.contains('=') && word.chars().all(|c| c == '-' || c.is_ascii_lowercase())
            }) {
                assert!(
                    targets.iter().any(|known| known == target),
                    "{file}: `{command}`: there is no target `{target}`"
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 20, "{tried} targets");
}

/// Returns the fault of a `cargo test` command: cargo takes one filter before `--`, and each filter must find a test.
fn fault(command: &[&str], tests: &[String]) -> Option<String> {
    let (before, after) = command.split_at(
        command
            .iter()
            .position(|word| *word == "--")
            .unwrap_or(command.len()),
    );
    let mut filters = Vec::new();
    let mut before = before.iter().skip(2);
    while let Some(word) = before.next() {
        match *word {
            "--test" | "-p" | "--manifest-path" => drop(before.next()),
            option if option.starts_with('-') => {}
            filter => filters.push(filter),
        }
    }
    if filters.len() > 1 {
        return Some(format!("`--` is missing before `{}`", filters[0]));
    }
    filters.extend(after.iter().filter(|word| !word.starts_with('-')));
    let of_all = command.windows(2).any(|pair| pair == ["--test", "all"]);
    let unknown = filters.iter().find(|filter| {
        **filter != "NAME::" && of_all && !tests.iter().any(|test| test.contains(**filter))
    });
    unknown.map(|filter| format!("no test is found by `{filter}`"))
}

#[test]
fn commands_of_cargo_find_tests() {
    let listed = Command::new(std::env::current_exe().unwrap())
        .arg("--list")
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let tests: Vec<String> = listed
        .lines()
        .filter_map(|line| line.strip_suffix(": test"))
        .map(str::to_owned)
        .collect();
    assert!(tests.len() > 400, "{} tests", tests.len());
    let mut tried = 0;
    for (file, command) in quoted() {
        let words = words(&command);
        if words.starts_with(&["cargo", "test"]) {
            assert_eq!(fault(&words, &tests), None, "{file}: `{command}`");
            tried += 1;
        }
    }
    assert!(tried >= 10, "{tried} commands");
    let fault = |command: &str| fault(&words(command), &tests);
    assert!(
        fault("cargo test --test all releases:: editor_")
            .is_some_and(|fault| fault.contains("`--`"))
    );
    assert!(
        fault("cargo test --test all -- releases:: no_such_test")
            .is_some_and(|fault| fault.contains("no_such_test"))
    );
}

/// The path that a text names; `None` if it names none, or stands for several.
fn named(text: &str) -> Option<&Path> {
    let folders = ["src/", "crates/", "pkg/", "www/", "tests/", "examples/"];
    let is_plain = !text.contains(['<', '*', '{', ' ', ':']) && !text.ends_with("/target");
    (is_plain && folders.iter().any(|folder| text.starts_with(folder))).then(|| Path::new(text))
}

#[test]
fn files_that_documents_name_exist() {
    let mut tried = 0;
    for (file, text) in quoted() {
        if let Some(path) = named(&text) {
            let built = text.starts_with("tests/fuzz/target/");
            assert!(
                built || root().join(path).exists(),
                "{file}: there is no `{text}`"
            );
            tried += 1;
        }
    }
    assert!(tried > 80, "{tried} paths");
}
