//! From the names on the command line to texts.

use crate::exit::Problem;
use crate::host::{EntryKind, FolderEntry, Host, too_large};
use crate::options::{FileArgs, World};
use crate::settings;
use crate::values::NewNodeFile;
use claimkit::editor::foreign;
use claimkit::manifest::paths;
use claimkit::report::text::visible;
use claimkit_model::limits::Limits;
use claimkit_model::schema::GROUP;
use claimkit_model::text::bytes;
use claimkit_scheduler::allocator::what_if::NewNodes;
use claimkit_scheduler::explain::words;
use claimkit_values::order;
use std::collections::BTreeMap;

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
    /// True if it was found in a folder, rather than named.
    pub found: bool,
}

/// Maximum number of files that are named among those that are left out.
const MOST_LEFT_OUT: usize = 5;
/// Maximum nesting of folders that a walk enters.
const MAX_DEPTH: usize = 64;

/// The files of a command line, as far as they can be read.
pub struct ReadFiles {
    pub files: Vec<InputFile>,
    /// True if everything could be read; otherwise standard error names what could not.
    pub readable: bool,
    /// Files of folders that are for Helm or Kustomize and name something of ours; standard error names them.
    pub left_out: Vec<InputFile>,
    /// Other files of folders that kubectl could not read, such as JSON patches that a kustomization names.
    pub beside: Vec<InputFile>,
}

/// Reads the files of a command line. Paths that `--exclude` names are passed over.
pub fn read(args: &FileArgs, host: &mut dyn Host) -> ReadFiles {
    read_named(args, None, host)
}

/// Reads the files of a command line; standard input is called what `--stdin-filename` says.
pub fn read_named(args: &FileArgs, stdin_name: Option<&str>, host: &mut dyn Host) -> ReadFiles {
    let texts = read_all(args, stdin_name, host);
    ReadFiles {
        readable: texts.readable,
        ..without_foreign(texts.files, host)
    }
}

/// The default name of standard input.
const STDIN: &str = "<stdin>";

/// Returns true if a pattern matches the path or one of its parent folders.
pub fn is_excluded(path: &str, patterns: &[String]) -> bool {
    paths::with_folders(path).any(|part| {
        patterns
            .iter()
            .any(|pattern| fast_glob::glob_match(pattern, part))
    })
}

/// The files of a command line, also those for other tools.
struct ReadTexts {
    files: Vec<InputFile>,
    /// True if everything could be read; otherwise standard error names what could not.
    readable: bool,
}

/// What a command line gives to read.
enum GivenText {
    Stdin(String),
    File {
        path: String,
        /// True if it was found in a folder, rather than named.
        found: bool,
    },
}

impl GivenText {
    /// Returns the name that findings have.
    fn name(&self) -> &str {
        match self {
            GivenText::Stdin(name) | GivenText::File { path: name, .. } => name,
        }
    }

    fn read(self, host: &mut dyn Host) -> Result<InputFile, UnreadPath> {
        let most = Limits::default().bytes;
        let bytes = match &self {
            GivenText::Stdin(_) => stdin(host, most),
            GivenText::File { path, .. } => host.read(path, most),
        };
        let found = matches!(self, GivenText::File { found: true, .. });
        let (GivenText::Stdin(name) | GivenText::File { path: name, .. }) = self;
        match bytes {
            Ok(bytes) => Ok(InputFile {
                found,
                ..file(name, bytes)
            }),
            Err(problem) => Err(UnreadPath {
                path: name,
                problem,
            }),
        }
    }
}

/// Returns what a command line gives to read, in its order, without the paths that `--exclude` names.
fn given_texts(
    args: &FileArgs,
    stdin_name: Option<&str>,
    host: &mut dyn Host,
) -> Vec<Result<GivenText, UnreadPath>> {
    let mut given = Vec::new();
    for name in args.names() {
        if name == "-" {
            let name = stdin_name.unwrap_or(STDIN).to_owned();
            given.push(Ok(GivenText::Stdin(name)));
            continue;
        }
        let (paths, problems) = match find(name, host) {
            Ok(found) => found,
            Err(unread) => (Vec::new(), vec![unread]),
        };
        given.extend(problems.into_iter().map(Err));
        for path in paths {
            if !is_excluded(&path, &args.exclude) {
                let found = path != name;
                given.push(Ok(GivenText::File { path, found }));
            }
        }
    }
    given
}

/// Reads files, folders and `-`, as far as they belong to the world that is asked for. Standard error names what cannot be read.
fn read_all(args: &FileArgs, stdin_name: Option<&str>, host: &mut dyn Host) -> ReadTexts {
    let mut known = WorldFolders::default();
    let mut files = Vec::new();
    let mut readable = true;
    for given in given_texts(args, stdin_name, host) {
        if let (World::Only(world), Ok(text)) = (&args.world, &given)
            && known.of(text.name(), host) != *world
        {
            continue;
        }
        match given.and_then(|text| text.read(host)) {
            Ok(file) => files.push(file),
            Err(unread) => {
                host.err(&format!("claimkit: {}: {}\n", unread.path, unread.problem));
                readable = false;
            }
        }
    }
    ReadTexts { files, readable }
}

/// The tool for which a file of a folder is: kubectl never gets it as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    /// Helm, or another that fills in templates.
    Templates,
    Kustomize,
    Other,
}

/// What to check in place of the files for a tool.
const INSTEAD: [(Tool, &str); 2] = [
    (
        Tool::Templates,
        "these are templates: check what `helm template` prints of them",
    ),
    (
        Tool::Kustomize,
        "these are for Kustomize: check what `kubectl kustomize` prints",
    ),
];

/// Leaves out files of folders that kubectl never gets as they are, and those of other tools that kubectl could not read. Standard error
/// names those in which there is something of ours.
fn without_foreign(files: Vec<InputFile>, host: &mut dyn Host) -> ReadFiles {
    let mut patches: Vec<String> = Vec::new();
    for file in &files {
        if foreign::is_kustomization(&file.name) {
            let folder = file.name.rsplit_once('/').map_or("", |(folder, _)| folder);
            let named = foreign::patches_of(&file.text);
            patches.extend(named.iter().map(|path| foreign::joined(folder, path)));
        }
    }
    let mut kept = Vec::new();
    let mut left_out: Vec<(Tool, InputFile)> = Vec::new();
    let mut beside = Vec::new();
    for file in files {
        match tool_of(&file, &patches) {
            None => kept.push(file),
            Some(tool) if file.text.contains(GROUP) => left_out.push((tool, file)),
            Some(Tool::Templates) => {}
            Some(Tool::Kustomize | Tool::Other) => beside.push(file),
        }
    }
    for (tool, instead) in INSTEAD {
        let of_tool = left_out.iter().filter(|(of, _)| *of == tool);
        let names: Vec<&str> = of_tool.map(|(_, file)| file.name.as_str()).collect();
        if !names.is_empty() {
            let names = visible(&words::some(&names, MOST_LEFT_OUT));
            host.err(&format!("claimkit: left out: {names}; {instead}\n"));
        }
    }
    ReadFiles {
        files: kept,
        readable: true,
        left_out: left_out.into_iter().map(|(_, file)| file).collect(),
        beside,
    }
}

/// Names the files on standard error that could not be read because of variables that another tool replaces.
pub fn name_unread(names: &[&str], host: &mut dyn Host) {
    if !names.is_empty() {
        let names = visible(&words::some(names, MOST_LEFT_OUT));
        host.err(&format!(
            "claimkit: not checked: {names}; variables are replaced in them first: check what `flux build` or `envsubst` prints\n"
        ));
    }
}

/// Returns the tool that a file is for; `None`: it was named, or kubectl can get it. `patches`: the files that kustomizations name.
fn tool_of(file: &InputFile, patches: &[String]) -> Option<Tool> {
    if !file.found {
        return None;
    }
    let is_for_kustomize = foreign::is_kustomization(&file.name)
        || foreign::is_patch(&file.text)
        || patches.contains(&foreign::joined("", &file.name));
    if foreign::is_template(&file.name, &file.text) {
        Some(Tool::Templates)
    } else if is_for_kustomize {
        Some(Tool::Kustomize)
    } else {
        is_of_another_tool(file).then_some(Tool::Other)
    }
}

/// Returns true for a text that is no manifest by its head, and that kubectl refuses. The head of a text with zero bytes cannot be read:
/// it may be a manifest in UTF-16 without a byte order mark.
fn is_of_another_tool(file: &InputFile) -> bool {
    !file.text.contains('\0')
        && !foreign::is_manifest(&file.text)
        && foreign::is_refused(&file.text)
}

/// Returns the folders with a `claimkit.toml` of their own that the files of a command line are in: each is a cluster of its own. The
/// files of no such folder come first, as `None`. `stdin_name`: the name of standard input, if it has one.
pub fn worlds(
    args: &FileArgs,
    stdin_name: Option<&str>,
    host: &mut dyn Host,
) -> Vec<Option<String>> {
    let mut known = WorldFolders::default();
    let mut worlds = Vec::new();
    for text in given_texts(args, stdin_name, host).into_iter().flatten() {
        let world = known.of(text.name(), host);
        if !worlds.contains(&world) {
            worlds.push(world);
        }
    }
    order::sort(&mut worlds);
    worlds
}

/// Which folders have a `claimkit.toml`.
#[derive(Debug, Default)]
pub struct WorldFolders(BTreeMap<String, bool>);

impl WorldFolders {
    /// Returns the nearest folder of a file that has a `claimkit.toml`; `None` if that is the folder where the command runs, or one
    /// above it.
    pub fn of(&mut self, path: &str, host: &mut dyn Host) -> Option<String> {
        let here = host.folder()?;
        let mut folder = path;
        while let Some((above, _)) = folder.rsplit_once('/') {
            let is_relative_above = above.split('/').all(|part| matches!(part, "." | ".."));
            if is_relative_above || here == above || here.starts_with(&format!("{above}/")) {
                return None;
            }
            if !self.0.contains_key(above) {
                let has = host
                    .read(&format!("{above}/{}", settings::NAME), settings::MOST)
                    .is_ok();
                self.0.insert(above.to_owned(), has);
            }
            if self.0.get(above) == Some(&true) {
                return Some(above.to_owned());
            }
            folder = above;
        }
        None
    }
}

/// Reads one file or `-`.
///
/// # Errors
/// Why it cannot be read.
pub fn read_one(name: &str, host: &mut dyn Host) -> Result<InputFile, Problem> {
    read_at_most(name, Limits::default().bytes, host)
}

/// Reads one file or `-` that has at most `most` bytes.
///
/// # Errors
/// Why it cannot be read.
pub fn read_at_most(name: &str, most: usize, host: &mut dyn Host) -> Result<InputFile, Problem> {
    let (label, bytes) = if name == "-" {
        (STDIN, stdin(host, most))
    } else {
        (name, host.read(name, most))
    };
    match bytes {
        Ok(bytes) => Ok(file(label.to_owned(), bytes)),
        Err(problem) => Err(format!("{label}: {problem}").into()),
    }
}

/// Reads the files of nodes that do not exist yet.
///
/// # Errors
/// Why one of them cannot be read.
pub fn read_new_nodes(
    files: &[NewNodeFile],
    host: &mut dyn Host,
) -> Result<Vec<InputFile>, Problem> {
    let most = Limits::default().bytes;
    let files = files.iter();
    files
        .map(|new| read_at_most(&new.file, most, host))
        .collect()
}

/// Returns the nodes that files describe. `read`: the files, in the same order.
pub fn new_nodes(files: &[NewNodeFile], read: &[InputFile]) -> Vec<NewNodes> {
    let nodes = files.iter().zip(read).map(|(new, file)| NewNodes {
        text: file.text.clone(),
        count: new.count,
        name: Some(file.name.clone()),
    });
    nodes.collect()
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
            found: false,
        },
        Err(error) => {
            let decoded = bytes::decode(error.as_bytes());
            InputFile {
                name,
                replaced: decoded.replaced,
                text: decoded.text.into_owned(),
                exact: false,
                found: false,
            }
        }
    }
}

/// Finds the manifests at a path: the file itself, or the files of the folder sorted by name; and the entries that cannot be read. Hidden entries are skipped, and symbolic links to folders are not followed, so that the walk ends.
fn find(path: &str, host: &mut dyn Host) -> Result<(Vec<String>, Vec<UnreadPath>), UnreadPath> {
    let Some(entries) = host.list(path).map_err(|problem| UnreadPath {
        path: path.to_owned(),
        problem,
    })?
    else {
        return Ok((vec![path.to_owned()], Vec::new()));
    };
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut waiting = Vec::new();
    push(&mut waiting, path, 0, entries);
    while let Some(WalkEntry { path, depth, kind }) = waiting.pop() {
        if kind == EntryKind::File {
            found.push(path);
            continue;
        }
        if depth > MAX_DEPTH {
            let problem = format!("more than {MAX_DEPTH} folders inside each other: not entered");
            problems.push(UnreadPath { path, problem });
            continue;
        }
        match host.list(&path) {
            Ok(entries) => push(&mut waiting, &path, depth, entries.unwrap_or_default()),
            Err(problem) => problems.push(UnreadPath { path, problem }),
        }
    }
    Ok((found, problems))
}

/// An entry that a walk through a folder has still to visit.
struct WalkEntry {
    path: String,
    /// How many folders it is inside, from the one where the walk began.
    depth: usize,
    kind: EntryKind,
}

/// A path that cannot be read, and why.
pub struct UnreadPath {
    pub path: String,
    pub problem: String,
}

impl UnreadPath {
    /// Returns the problem of a run that ends because of it.
    pub fn problem(self) -> Problem {
        format!("{}: {}", self.path, self.problem).into()
    }
}

/// Pushes a folder's entries so that they are popped in order of name.
fn push(waiting: &mut Vec<WalkEntry>, folder: &str, depth: usize, mut entries: Vec<FolderEntry>) {
    entries.retain(|entry| match entry.kind {
        EntryKind::Folder => !entry.name.starts_with('.'),
        EntryKind::File => {
            let is_read = is_manifest(&entry.name) || foreign::is_kustomization(&entry.name);
            !entry.name.starts_with('.') && is_read
        }
        EntryKind::Other => false,
    });
    order::sort_by(&mut entries, |a, b| b.name.cmp(&a.name));
    let folder = folder.strip_suffix('/').unwrap_or(folder);
    for entry in entries {
        waiting.push(WalkEntry {
            path: format!("{folder}/{}", entry.name),
            depth: depth.saturating_add(1),
            kind: entry.kind,
        });
    }
}

/// The files of a dump, as far as they can be read.
#[derive(Default)]
pub struct DumpFiles {
    pub files: Vec<InputFile>,
    /// What of folders cannot be read.
    pub unread: Vec<UnreadPath>,
}

/// Reads one file or `-`, or the files of a folder, except those that kubectl never gets as they are.
///
/// # Errors
/// Why what was named cannot be read.
pub fn read_dumps(name: &str, host: &mut dyn Host) -> Result<DumpFiles, Problem> {
    let is_folder = name != "-" && is_folder(name, host);
    if !is_folder {
        return Ok(DumpFiles {
            files: vec![read_one(name, host)?],
            unread: Vec::new(),
        });
    }
    let (paths, mut unread) = find(name, host).map_err(UnreadPath::problem)?;
    let mut found = Vec::new();
    for path in paths {
        match host.read(&path, Limits::default().bytes) {
            Ok(bytes) => found.push(InputFile {
                found: true,
                ..file(path, bytes)
            }),
            Err(problem) => unread.push(UnreadPath { path, problem }),
        }
    }
    Ok(DumpFiles {
        files: without_foreign(found, host).files,
        unread,
    })
}

/// Returns true for the name of a folder that is there.
fn is_folder(name: &str, host: &mut dyn Host) -> bool {
    matches!(host.list(name), Ok(Some(_)))
}

/// Returns true for the path of a folder that is there: a pod may have the name of one, but no name has `/` at its end.
pub fn is_given_folder(name: &str, host: &mut dyn Host) -> bool {
    let is_path = name.ends_with('/') || name.starts_with('.') || name.starts_with('/');
    is_path && is_folder(name, host)
}

/// Returns true for the name of a manifest that is there: a pod may have such a name too.
pub fn is_given(name: &str, host: &mut dyn Host) -> bool {
    is_manifest(name) && host.read(name, Limits::default().bytes).is_ok()
}

fn is_manifest(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    matches!(ending, Some("yaml" | "yml" | "json"))
}
