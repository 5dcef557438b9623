//! The command line: the only file that does I/O. What is done with it is in `claimkit::cli`.

use claimkit::cli::{self, Entry, Host};
use std::io::{self, BufRead, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

/// Files, folders and the terminal.
struct System {
    input: io::BufReader<io::Stdin>,
}

/// The same words as pkg/cli.js has for the same errors.
fn phrase(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file or folder".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "is a folder".to_owned(),
        ErrorKind::NotADirectory => "is no folder".to_owned(),
        kind => kind.to_string(),
    }
}

/// A reader that has gone away (`claimkit … | head`) is no error of ours: end as other programs do, quietly.
fn print(mut stream: impl Write, text: &str) {
    let written = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    if written.is_err() {
        std::process::exit(i32::from(cli::UNUSABLE));
    }
}

impl Host for System {
    fn read(&mut self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| phrase(&error))
    }

    fn list(&mut self, path: &str) -> Result<Option<Vec<Entry>>, String> {
        if !std::path::Path::new(path).is_dir() {
            return Ok(None);
        }
        let entries = std::fs::read_dir(path).map_err(|error| phrase(&error))?;
        entries
            .map(|entry| {
                let entry = entry?;
                let folder = entry.file_type()?.is_dir();
                Ok(Entry { name: entry.file_name().to_string_lossy().into_owned(), folder })
            })
            .collect::<io::Result<Vec<_>>>()
            .map(Some)
            .map_err(|error| phrase(&error))
    }

    fn write(&mut self, path: &str, text: &str) -> Result<(), String> {
        std::fs::write(path, text).map_err(|error| phrase(&error))
    }

    fn line(&mut self) -> Result<Option<Vec<u8>>, String> {
        let mut line = Vec::new();
        match self.input.read_until(b'\n', &mut line) {
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(line)),
            Err(error) => Err(phrase(&error)),
        }
    }

    fn answer(&mut self, request: &str) -> String {
        claimkit::wire::answer_with(request, cli::locale::file)
    }

    fn out(&mut self, text: &str) {
        print(io::stdout().lock(), text);
    }

    fn err(&mut self, text: &str) {
        print(io::stderr().lock(), text);
    }

    fn colours(&self) -> bool {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        io::stdout().is_terminal() && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let mut system = System { input: io::BufReader::new(io::stdin()) };
    ExitCode::from(cli::run(&arguments, &mut system))
}
