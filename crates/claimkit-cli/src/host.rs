//! What the command line needs from outside.

use crate::exit::Exit;
use claimkit::editor::sentences::Sentences;
use std::time::Duration;

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    /// Its name without the folder's.
    pub name: String,
    /// A folder, a file, or something else.
    pub kind: EntryKind,
}

/// The kind of an entry of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder; a symbolic link to one is `Other`.
    Folder,
    /// A regular file, or a symbolic link to one.
    File,
    /// A pipe, a socket, a device, or a link to none of the above: reading it may never end.
    Other,
}

/// The output of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// The bytes of its standard output.
    pub out: Vec<u8>,
    /// The text of its standard error.
    pub err: String,
    /// How it ended.
    pub end: RunEnd,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunEnd {
    /// It exited with 0.
    #[default]
    Success,
    /// It exited with another code, or by a signal.
    Failure,
    /// It printed more than was asked for, and was ended.
    TooLarge,
}

/// Returns the problem with a file that is larger than may be read.
pub fn too_large(most: usize) -> String {
    format!("larger than {} MiB, the most that is read", most >> 20)
}

/// Everything the command line needs from outside. Errors are one short phrase: `no such file or folder`. Without more, a host has files
/// by name, no folders, an empty standard input, and writes nothing.
pub trait Host {
    /// Reads the bytes of a file. At most `most` bytes are read; a larger file is an error.
    ///
    /// # Errors
    /// Why it cannot be read, or [`too_large`].
    fn read(&mut self, path: &str, most: usize) -> Result<Vec<u8>, String>;

    /// Returns the entries of a folder, in any order; `None` if the path is not a folder (or does not exist).
    ///
    /// # Errors
    /// The reason why it cannot be listed.
    fn list(&mut self, _path: &str) -> Result<Option<Vec<FolderEntry>>, String> {
        Ok(None)
    }

    /// Replaces a file's content atomically: a concurrent reader, or a killed program, leaves either the old content or the new.
    /// Mode, owner and a symbolic link are preserved.
    ///
    /// # Errors
    /// Why it cannot be written; then the file is unchanged.
    fn write(&mut self, _path: &str, _text: &str) -> Result<(), String> {
        Err("nothing is written here".to_owned())
    }

    /// Reads the next line of standard input with its line feed, `None` at its end. A line that has more than `most` bytes comes
    /// in pieces.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn line(&mut self, _most: usize) -> Result<Option<Vec<u8>>, String> {
        Ok(None)
    }

    /// Returns the sentences of a locale, if there are any.
    fn sentences(&mut self, _locale: &str) -> Option<Sentences> {
        None
    }

    /// Returns the folder in which the command runs, as an absolute path; `None` where there is none.
    fn folder(&self) -> Option<String> {
        None
    }

    /// Shows progress, files done of all files, on an interactive terminal.
    fn progress(&mut self, done: usize, of: usize) {
        self.status(&if done < of {
            format!("{done} of {of} files")
        } else {
            String::new()
        });
    }

    /// Shows what is being done, on an interactive terminal and not before a second has passed; an empty text ends it.
    fn status(&mut self, _text: &str) {}

    /// Returns true if the program is called as a plugin of kubectl.
    fn is_plugin(&self) -> bool {
        false
    }

    /// Returns the number of columns of the terminal; `None` if standard output is not a terminal.
    fn columns(&self) -> Option<usize> {
        None
    }

    /// Returns the time since 1970-01-01T00:00:00Z; `None` where there is no clock.
    fn clock(&self) -> Option<Duration> {
        None
    }

    /// Waits; returns false where nothing can wait.
    fn wait(&mut self, _time: Duration) -> bool {
        false
    }

    /// Runs the `kubectl` on PATH, without a shell and with standard input closed. It is ended when it prints more than `most` bytes.
    ///
    /// # Errors
    /// Why it cannot be run.
    fn kubectl(&mut self, _arguments: &[String], _most: usize) -> Result<Ran, String> {
        Err("no programs can be run here".to_owned())
    }

    /// Serves an editor with the language server until it ends it.
    ///
    /// # Errors
    /// Why no editor can be served.
    fn serve(&mut self) -> Result<Exit, String> {
        Err("no editor can be served here".to_owned())
    }

    /// Prints to standard output.
    fn out(&mut self, text: &str);

    /// Prints to standard error.
    fn err(&mut self, text: &str);

    /// Returns true if standard output is a terminal that shows colors.
    fn colours(&self) -> bool {
        false
    }
}
