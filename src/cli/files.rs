//! From the names on the command line to texts.

use super::arguments::Arguments;
use super::{EntryKind, FolderEntry, Host, too_large};
use claimkit_model::limits::Limits;
use claimkit_model::text::bytes;
use claimkit_values::order;

/// A text to work on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// As it was written on the command line, or found in a folder; `<stdin>` for `-`.
    pub name: String,
    /// Its bytes as text, as kubectl reads them.
    pub text: String,
    /// Position of the U+FFFD that replaces the first byte that is not UTF-8.
    pub replaced: Option<usize>,
    /// True if the text equals the file's bytes and can be written back.
    pub exact: bool,
}

/// Maximum nesting of folders that a walk enters.
const MAX_DEPTH: usize = 64;

/// Reads the files of a command line; see `read_all`. Standard input is called what `--stdin-filename` says, and paths that
/// `--exclude` names are passed over.
pub fn read(arguments: &Arguments, host: &mut dyn Host) -> (Vec<InputFile>, bool) {
    let (mut files, fine) = read_all(
        &arguments.operands,
        &arguments.values("exclude").collect::<Vec<_>>(),
        host,
    );
    if let Some(name) = arguments.value("stdin-filename") {
        files
            .iter_mut()
            .filter(|file| file.name == STDIN)
            .for_each(|file| name.clone_into(&mut file.name));
    }
    (files, fine)
}

/// The default name of standard input.
const STDIN: &str = "<stdin>";

/// Returns true if a pattern matches the path or one of its parent folders.
pub fn excluded(path: &str, patterns: &[&str]) -> bool {
    let path = path.strip_prefix("./").unwrap_or(path);
    let ends = path
        .char_indices()
        .filter(|(_, c)| *c == '/')
        .map(|(at, _)| at)
        .chain([path.len()]);
    let parts: Vec<&str> = ends.filter_map(|end| path.get(..end)).collect();
    patterns.iter().any(|pattern| {
        parts
            .iter()
            .any(|part| fast_glob::glob_match(pattern, part))
    })
}

/// Reads files, folders and `-`. Standard error names what cannot be read; the second value is true if everything could be.
fn read_all(names: &[String], excludes: &[&str], host: &mut dyn Host) -> (Vec<InputFile>, bool) {
    let limits = Limits::default();
    let mut files = Vec::new();
    let mut fine = true;
    for name in names {
        if name == "-" {
            match stdin(host, limits.bytes) {
                Ok(bytes) => files.push(file(STDIN.to_owned(), bytes)),
                Err(problem) => fine = tell(host, STDIN, &problem),
            }
            continue;
        }
        match find(name, host) {
            Ok((paths, problems)) => {
                for (path, problem) in problems {
                    fine = tell(host, &path, &problem);
                }
                for path in paths.into_iter().filter(|path| !excluded(path, excludes)) {
                    match host.read(&path, limits.bytes) {
                        Ok(bytes) => files.push(file(path, bytes)),
                        Err(problem) => fine = tell(host, &path, &problem),
                    }
                }
            }
            Err((path, problem)) => fine = tell(host, &path, &problem),
        }
    }
    (files, fine)
}

/// Reads one file or `-`.
pub fn read_one(name: &str, host: &mut dyn Host) -> Option<InputFile> {
    read_at_most(name, Limits::default().bytes, host)
}

/// Reads one file or `-` that has at most `most` bytes.
pub fn read_at_most(name: &str, most: usize, host: &mut dyn Host) -> Option<InputFile> {
    let (label, bytes) = if name == "-" {
        (STDIN, stdin(host, most))
    } else {
        (name, host.read(name, most))
    };
    match bytes {
        Ok(bytes) => Some(file(label.to_owned(), bytes)),
        Err(problem) => {
            tell(host, label, &problem);
            None
        }
    }
}

/// Reads the rest of standard input.
fn stdin(host: &mut dyn Host, most: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    while let Some(line) = host.line(most)? {
        bytes.extend_from_slice(&line);
        if bytes.len() > most {
            return Err(too_large(most));
        }
    }
    Ok(bytes)
}

fn file(name: String, bytes: Vec<u8>) -> InputFile {
    match String::from_utf8(bytes) {
        Ok(text) => InputFile {
            name,
            text,
            replaced: None,
            exact: true,
        },
        Err(error) => {
            let decoded = bytes::decode(error.as_bytes());
            InputFile {
                name,
                replaced: decoded.replaced,
                text: decoded.text.into_owned(),
                exact: false,
            }
        }
    }
}

fn tell(host: &mut dyn Host, name: &str, problem: &str) -> bool {
    host.err(&format!("claimkit: {name}: {problem}\n"));
    false
}

/// Finds the manifests at a path: the file itself, or the files of the folder sorted by name; and the entries that could not be
/// read. Hidden entries are skipped, and symbolic links to folders are not followed, so that the walk ends.
fn find(path: &str, host: &mut dyn Host) -> Result<(Vec<String>, Vec<Problem>), Problem> {
    let Some(entries) = host
        .list(path)
        .map_err(|problem| (path.to_owned(), problem))?
    else {
        return Ok((vec![path.to_owned()], Vec::new()));
    };
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut waiting = Vec::new();
    push(&mut waiting, path, 0, entries);
    while let Some((path, depth, folder)) = waiting.pop() {
        if !folder {
            found.push(path);
            continue;
        }
        if depth > MAX_DEPTH {
            problems.push((
                path,
                format!("more than {MAX_DEPTH} folders inside each other: not entered"),
            ));
            continue;
        }
        match host.list(&path) {
            Ok(entries) => push(&mut waiting, &path, depth, entries.unwrap_or_default()),
            Err(problem) => problems.push((path, problem)),
        }
    }
    Ok((found, problems))
}

/// A path, and what is wrong with it.
type Problem = (String, String);

/// Pushes a folder's entries so that they are popped in order of name.
fn push(
    waiting: &mut Vec<(String, usize, bool)>,
    folder: &str,
    depth: usize,
    mut entries: Vec<FolderEntry>,
) {
    entries.retain(|entry| match entry.kind {
        EntryKind::Folder => !entry.name.starts_with('.'),
        EntryKind::File => !entry.name.starts_with('.') && is_manifest(&entry.name),
        EntryKind::Other => false,
    });
    order::sort_by(&mut entries, |a, b| b.name.cmp(&a.name));
    let folder = folder.strip_suffix('/').unwrap_or(folder);
    for entry in entries {
        waiting.push((
            format!("{folder}/{}", entry.name),
            depth.saturating_add(1),
            entry.kind == EntryKind::Folder,
        ));
    }
}

fn is_manifest(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    matches!(ending, Some("yaml" | "yml" | "json"))
}
