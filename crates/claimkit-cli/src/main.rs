//! The program: with `lsp.rs` the only file that does I/O. The logic is in the library `claimkit_cli`.

mod lsp;

use claimkit::editor::sentences::Sentences;
use claimkit_cli::{EntryKind, Exit, FolderEntry, Host, Ran, RunEnd, run, too_large};
use std::collections::HashMap;
use std::fs::{DirEntry, File, Metadata};
use std::io::{self, BufRead, ErrorKind, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// Files, folders and the terminal.
struct System {
    input: io::BufReader<io::Stdin>,
    /// Paths that are not UTF-8, keyed by their displayed form.
    paths: HashMap<String, PathBuf>,
    /// The start time, and the time of the last progress message.
    progress: Option<(Instant, Instant)>,
    /// The current action, for the message of a failure.
    doing: String,
    /// Whether it is called as a plugin of kubectl.
    plugin: bool,
}

impl System {
    /// Returns the path with a displayed form.
    fn path<'p>(&'p self, shown: &'p str) -> &'p Path {
        self.paths
            .get(shown)
            .map_or(Path::new(shown), PathBuf::as_path)
    }

    /// Returns the displayed form of a path; remembers the path if it is not UTF-8.
    fn shown(&mut self, path: PathBuf) -> String {
        match path.into_os_string().into_string() {
            Ok(text) => text,
            Err(path) => {
                let shown = path.to_string_lossy().into_owned();
                self.paths.insert(shown.clone(), path.into());
                shown
            }
        }
    }
}

/// Returns the words for an error; pkg/cli.js uses the same.
fn phrase(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file or folder".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "is a folder".to_owned(),
        ErrorKind::NotADirectory => "is no folder".to_owned(),
        _ => error.to_string(),
    }
}

/// Prints a text. A closed pipe (`claimkit … | head`) is not an error: exits quietly, as other programs do.
fn print(mut stream: impl Write, text: &str) {
    let written = stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.flush());
    if written.is_err() {
        std::process::exit(i32::from(Exit::Unusable.code()));
    }
}

/// Reads a file of at most `most` bytes.
fn read(path: &Path, most: usize) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let one_more = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path)?.take(one_more).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= most).then_some(bytes))
}

/// Maximum number of bytes of kubectl's standard error that are kept.
const MOST_WORDS: usize = 64 << 10;

/// Reads at most `most` bytes of a stream; whether that was all.
fn bounded(stream: impl Read, most: usize) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    let one_more = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    stream.take(one_more).read_to_end(&mut bytes)?;
    let whole = bytes.len() <= most;
    bytes.truncate(most);
    Ok((bytes, whole))
}

/// Returns true if a program of this path is a plugin of kubectl, which finds them by their names.
fn is_plugin(program: &Path) -> bool {
    let name = program
        .file_stem()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    name == "kubectl-claimkit" || name == "kubectl_claimkit"
}

/// Writes a new file beside the old one and puts it in its place.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    // Keep a symbolic link: replace its target.
    let path = path.canonicalize()?;
    let old = path.metadata()?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new()
        .prefix(".claimkit-")
        .tempfile_in(folder)?;
    new.write_all(text.as_bytes())?;
    keep_owner(new.as_file(), &old)?;
    new.as_file().set_permissions(old.permissions())?;
    new.as_file().sync_all()?;
    new.persist(&path)?;
    // Flush the new name to disk too, where folders can be flushed.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

#[cfg(unix)]
fn keep_owner(new: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let ours = new.metadata()?;
    let is_ours = ours.uid() == old.uid() && ours.gid() == old.gid();
    if is_ours {
        return Ok(());
    }
    fchown(new, Some(old.uid()), Some(old.gid())).map_err(|error| {
        io::Error::new(
            error.kind(),
            "it belongs to another user or group, which would be lost",
        )
    })
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Returns the kind of a folder entry; a symbolic link to a file counts as a file, and so does one to nothing, which cannot be read.
fn kind(entry: &DirEntry) -> io::Result<EntryKind> {
    let kind = entry.file_type()?;
    Ok(if kind.is_dir() {
        EntryKind::Folder
    } else if kind.is_file()
        || (kind.is_symlink() && (entry.path().is_file() || !entry.path().exists()))
    {
        EntryKind::File
    } else {
        EntryKind::Other
    })
}

impl Host for System {
    fn read(&mut self, path: &str, most: usize) -> Result<Vec<u8>, String> {
        read(self.path(path), most)
            .map_err(|error| phrase(&error))?
            .ok_or_else(|| too_large(most))
    }

    fn list(&mut self, path: &str) -> Result<Option<Vec<FolderEntry>>, String> {
        let folder = self.path(path).to_owned();
        if !folder.is_dir() {
            return Ok(None);
        }
        let entries = std::fs::read_dir(&folder).map_err(|error| phrase(&error))?;
        let mut listed = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| phrase(&error))?;
            let kind = kind(&entry).map_err(|error| phrase(&error))?;
            let name = entry.file_name();
            // Remember a path that is not UTF-8 by its displayed form.
            self.shown(folder.join(&name));
            listed.push(FolderEntry {
                name: name.to_string_lossy().into_owned(),
                kind,
            });
        }
        Ok(Some(listed))
    }

    fn write(&mut self, path: &str, text: &str) -> Result<(), String> {
        replace(self.path(path), text).map_err(|error| phrase(&error))
    }

    fn line(&mut self, most: usize) -> Result<Option<Vec<u8>>, String> {
        let mut line = Vec::new();
        let most = u64::try_from(most).unwrap_or(u64::MAX);
        match (&mut self.input).take(most).read_until(b'\n', &mut line) {
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(line)),
            Err(error) => Err(phrase(&error)),
        }
    }

    fn sentences(&mut self, locale: &str) -> Option<Sentences> {
        claimkit::editor::locale::sentences(locale)
    }

    fn folder(&self) -> Option<String> {
        std::env::current_dir()
            .ok()?
            .into_os_string()
            .into_string()
            .ok()
    }

    fn status(&mut self, text: &str) {
        const QUIET: Duration = Duration::from_secs(1);
        const EVERY: Duration = Duration::from_millis(200);
        if !io::stderr().is_terminal() {
            return;
        }
        text.clone_into(&mut self.doing);
        let now = Instant::now();
        let (begun, last) = *self.progress.get_or_insert((now, now));
        if text.is_empty() {
            if self.progress.take().is_some() && last > begun {
                print(io::stderr().lock(), "\r\u{1b}[K");
            }
        } else if now.duration_since(begun) > QUIET && now.duration_since(last) > EVERY {
            self.progress = Some((begun, now));
            print(io::stderr().lock(), &format!("\r{text}\u{1b}[K"));
        }
    }

    fn is_plugin(&self) -> bool {
        self.plugin
    }

    fn columns(&self) -> Option<usize> {
        terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0))
    }

    fn clock(&self) -> Option<Duration> {
        SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .ok()
    }

    fn wait(&mut self, time: Duration) -> bool {
        thread::sleep(time);
        true
    }

    fn kubectl(&mut self, arguments: &[String], most: usize) -> Result<Ran, String> {
        let mut command = Command::new("kubectl");
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => "it is not on PATH".to_owned(),
            _ => phrase(&error),
        })?;
        let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
            return Err("it has no output".to_owned());
        };
        let words = thread::spawn(move || bounded(err, MOST_WORDS));
        let (sender, receiver) = channel();
        thread::spawn(move || sender.send(bounded(out, most)));
        let printed = loop {
            match receiver.recv_timeout(Duration::from_millis(300)) {
                Ok(printed) => break printed,
                Err(RecvTimeoutError::Timeout) => {
                    let doing = std::mem::take(&mut self.doing);
                    if !doing.is_empty() {
                        self.status(&doing);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break Err(ErrorKind::BrokenPipe.into()),
            }
        };
        let (out, whole) = printed.map_err(|error| phrase(&error))?;
        if !whole {
            // It may have ended by itself.
            let _ = child.kill();
        }
        let status = child.wait().map_err(|error| phrase(&error))?;
        let (err, _) = words
            .join()
            .map_err(|_| "its output cannot be read".to_owned())?
            .unwrap_or_default();
        let end = if !whole {
            RunEnd::TooLarge
        } else if status.success() {
            RunEnd::Success
        } else {
            RunEnd::Failure
        };
        Ok(Ran {
            out,
            err: String::from_utf8_lossy(&err).into_owned(),
            end,
        })
    }

    fn serve(&mut self) -> Result<Exit, String> {
        lsp::serve()
    }

    fn out(&mut self, text: &str) {
        print(io::stdout().lock(), text);
    }

    fn err(&mut self, text: &str) {
        print(io::stderr().lock(), text);
    }

    fn colours(&self) -> bool {
        io::stdout().is_terminal()
            && !is_set("NO_COLOR")
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }
}

/// Returns true if an environment variable is set to something.
fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

fn main() -> ExitCode {
    let mut system = System {
        input: io::BufReader::new(io::stdin()),
        paths: HashMap::new(),
        progress: None,
        doing: String::new(),
        plugin: std::env::args_os()
            .next()
            .is_some_and(|program| is_plugin(Path::new(&program))),
    };
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|word| system.shown(word.into()))
        .collect();
    ExitCode::from(run(&arguments, &mut system).code())
}
