//! The command line, without its I/O: arguments in, output and exit code out. `src/main.rs` and `pkg/cli.js` bring the files
//! and the terminal, so that the native command and `npx claimkit` are one program.
//!
//! | part | takes | gives |
//! |---|---|---|
//! | [`arguments`] | what was typed | a verb, its files and options, or what is wrong with them |
//! | [`files`] | names | texts: folders walked, `-` read from standard input |
//! | `ask` | a request, texts | answers, as the contract has them |
//! | `check`, `convert`, `evaluate`, `patch`, `batch`, `lists` | answers | what [`crate::report`] makes of them |

pub mod arguments;
pub mod files;
#[cfg(not(target_arch = "wasm32"))]
pub mod locale;
pub mod options;

mod admit;
mod ask;
mod batch;
mod check;
mod completion;
mod convert;
mod diff;
mod evaluate;
mod fix;
mod help;
mod lists;
mod patch;
mod settings;

use arguments::{Arguments, Parsed};
use settings::Settings;

/// Exit code: nothing is wrong.
pub const FINE: u8 = 0;
/// Exit code: there are findings that are errors.
pub const FINDINGS: u8 = 1;
/// Exit code: the command line cannot be used, a file cannot be read, or nothing was checked.
pub const UNUSABLE: u8 = 2;

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name without the folder's.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
}

/// What an entry of a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder; a symbolic link to one is `Other`.
    Folder,
    /// A regular file, or a symbolic link to one.
    File,
    /// A pipe, a socket, a device, or a link to none of the above: reading it may never end.
    Other,
}

/// The problem of a file that is larger than may be read.
pub fn too_large(most: usize) -> String {
    format!("larger than {} MiB, the most that is read", most >> 20)
}

/// Everything the command line needs from outside. Errors are one short phrase: `no such file or folder`.
pub trait Host {
    /// The bytes of a file that has at most `most`; of a larger one no more than that is read.
    ///
    /// # Errors
    /// Why it cannot be read, or [`too_large`].
    fn read(&mut self, path: &str, most: usize) -> Result<Vec<u8>, String>;

    /// What is in a folder, in any order; `None` if the path is no folder (or is not there).
    ///
    /// # Errors
    /// Why it cannot be listed.
    fn list(&mut self, path: &str) -> Result<Option<Vec<Entry>>, String>;

    /// Replaces a file's content, all of it or nothing: whoever reads the file meanwhile, and whenever the program is ended,
    /// finds the old content or the new one. The file's mode and owner stay, and a symbolic link stays one.
    ///
    /// # Errors
    /// Why it cannot be written; the file is as it was then.
    fn write(&mut self, path: &str, text: &str) -> Result<(), String>;

    /// The next line of standard input with its line feed, `None` at its end. A line that has more than `most` bytes comes in
    /// pieces.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn line(&mut self, most: usize) -> Result<Option<Vec<u8>>, String>;

    /// Answers a request of the contract: [`crate::wire::answer`], wherever that is.
    fn answer(&mut self, request: &str) -> String;

    /// The folder in which the command runs, as an absolute path; `None` where there is none.
    fn folder(&self) -> Option<String> {
        None
    }

    /// Says how many files of how many are done, where somebody waits before a terminal.
    fn progress(&mut self, _done: usize, _of: usize) {}

    /// Prints to standard output.
    fn out(&mut self, text: &str);

    /// Prints to standard error.
    fn err(&mut self, text: &str);

    /// Whether standard output is a terminal that shows colours.
    fn colours(&self) -> bool;
}

/// Runs a command line (without the program's name) and gives its exit code.
pub fn run(arguments: &[String], host: &mut dyn Host) -> u8 {
    let parsed = match arguments::parse(arguments) {
        Ok(parsed) => parsed,
        Err(problem) => {
            host.err(&format!("claimkit: {problem}\n"));
            return UNUSABLE;
        }
    };
    match parsed {
        Parsed::Help(verb) => {
            host.out(&help::text(verb));
            FINE
        }
        Parsed::Version => {
            host.out(concat!("claimkit ", env!("CARGO_PKG_VERSION"), "\n"));
            FINE
        }
        Parsed::Run(mut arguments) => {
            let settings = match Settings::find(host) {
                Ok(settings) => settings,
                Err(problem) => {
                    host.err(&format!("claimkit: {problem}\n"));
                    return UNUSABLE;
                }
            };
            settings.settle(&mut arguments);
            if let Err(problem) = arguments::ignored(&arguments) {
                host.err(&format!("claimkit: {problem}\n"));
                return UNUSABLE;
            }
            if arguments.has("show-settings") {
                host.out(&settings.shown(&arguments));
                return FINE;
            }
            carry_out(&arguments, host)
        }
    }
}

fn carry_out(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    match arguments.verb.name {
        "convert" => convert::run(arguments, host),
        "evaluate" => evaluate::run(arguments, host),
        "patch" => patch::run(arguments, host),
        "admit" => admit::run(arguments, host),
        "batch" => batch::run(host),
        "completion" => complete(arguments, host),
        "schema" => lists::schema(arguments, host),
        "codes" | "releases" => lists::run(arguments, host),
        _ => check::run(arguments, host),
    }
}

fn complete(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let shell = arguments.operands.first().map(String::as_str).unwrap_or_default();
    match completion::script(shell) {
        Some(script) => {
            host.out(&script);
            FINE
        }
        None => {
            host.err(&format!("claimkit: `{shell}` is unknown; write one of `bash`, `zsh`, `fish`, `powershell`\n"));
            UNUSABLE
        }
    }
}
