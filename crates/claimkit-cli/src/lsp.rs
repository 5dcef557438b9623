//! The language server on standard input and output, with the files of this machine.

use claimkit::editor::foreign::is_kustomization;
use claimkit::language_server::{Hooks, LanguageServer, Outcome};
use claimkit_cli::{Exit, language_server};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fs::{self, DirEntry};
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Largest file that is read.
const MOST_BYTES: u64 = 2 << 20;

/// Depth of folders that are searched for manifests.
const MOST_DEPTH: usize = 12;

/// Folders that are searched for manifests.
const MOST_FOLDERS: usize = 5000;

/// Largest message that is taken.
const MOST_OF_MESSAGE: u64 = 256 << 20;

/// Serves the editor that started the program until it ends the server or closes standard input.
pub fn serve() -> Result<Exit, String> {
    let hooks = Hooks {
        sentences: Box::new(claimkit::editor::locale::sentences),
        ..language_server::hooks(env!("CARGO_PKG_VERSION").to_owned())
    };
    let (sender, messages) = channel();
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(Some(message)) = read_message(&mut input) {
            if sender.send(message).is_err() {
                break;
            }
        }
    });
    let mut served = Served {
        server: LanguageServer::new(hooks),
        begun: Instant::now(),
        messages,
        files: VecDeque::new(),
        wake: None,
    };
    match served.run() {
        Ok(0) => Ok(Exit::Fine),
        // The reader of the answers has gone, or it has not said goodbye.
        Ok(_) | Err(_) => Ok(Exit::Findings),
    }
}

/// A server with what it waits for.
struct Served {
    server: LanguageServer,
    begun: Instant,
    messages: Receiver<String>,
    /// Requests of the server for files.
    files: VecDeque<Value>,
    wake: Option<u64>,
}

impl Served {
    /// Returns the exit code.
    fn run(&mut self) -> io::Result<u8> {
        loop {
            // In turn with messages, so that a large project does not keep anybody waiting.
            if let Some(request) = self.files.pop_front() {
                let answer = answer(&request);
                let outcome = self.server.receive(&answer.to_string(), self.now());
                if let Some(code) = self.take(outcome)? {
                    return Ok(code);
                }
            }
            let outcome = match self.next() {
                Next::Message(message) => self.server.receive(&message, self.now()),
                Next::Time => self.server.wake(self.now()),
                Next::Nothing => continue,
                Next::End => self.server.receive(r#"{"method": "exit"}"#, self.now()),
            };
            if let Some(code) = self.take(outcome)? {
                return Ok(code);
            }
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Waits for a message or a time.
    fn next(&self) -> Next {
        if !self.files.is_empty() {
            return match self.messages.try_recv() {
                Ok(message) => Next::Message(message),
                Err(TryRecvError::Empty) => Next::Nothing,
                Err(TryRecvError::Disconnected) => Next::End,
            };
        }
        let Some(wake) = self.wake else {
            return self.messages.recv().map_or(Next::End, Next::Message);
        };
        let wait = Duration::from_millis(wake.saturating_sub(self.now()));
        match self.messages.recv_timeout(wait) {
            Ok(message) => Next::Message(message),
            Err(RecvTimeoutError::Timeout) => Next::Time,
            Err(RecvTimeoutError::Disconnected) => Next::End,
        }
    }

    /// Sends messages, but keeps requests for files. Returns the exit code if the server has ended.
    fn take(&mut self, outcome: Outcome) -> io::Result<Option<u8>> {
        let mut output = io::stdout().lock();
        for message in outcome.messages {
            match message.get("method").and_then(Value::as_str) {
                Some("claimkit/read" | "claimkit/manifests") => self.files.push_back(message),
                _ => write_message(&mut output, &message)?,
            }
        }
        output.flush()?;
        self.wake = outcome.wake;
        Ok(outcome.exit)
    }
}

/// What comes next.
enum Next {
    Message(String),
    Time,
    Nothing,
    /// Standard input has ended.
    End,
}

// The framing is our own: lsp-server 0.10.0 gives messages that serde_json has parsed, and its reader ends at the first that it refuses
// (src/stdio.rs, `stdio_transport`). An editor writes half an emoji as `"\ud83d"`, which ends it, as do `Content-Length:2` without a
// space and invalid UTF-8; an id above 32 bits makes a notification of a request, which then has no answer (src/msg.rs, `RequestId`).

/// Reads a message: lines of headers, an empty line, as many bytes as the headers say. `None` at the end.
fn read_message(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut length = 0u64;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            None if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    if length > MOST_OF_MESSAGE {
        return Err(io::Error::other("the message is too large"));
    }
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

fn write_message(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())
}

/// Answers a request for files.
fn answer(request: &Value) -> Value {
    let params = request.get("params").unwrap_or(&Value::Null);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let result = match request.get("method").and_then(Value::as_str) {
        Some("claimkit/read") => {
            let path = params
                .get("uri")
                .and_then(text)
                .and_then(|uri| path_of(&uri));
            json!({"text": path.and_then(|path| read(&path))})
        }
        _ => {
            let folders = params
                .get("folders")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(text);
            let paths = folders.filter_map(|folder| path_of(&folder)).collect();
            manifests(paths).iter().map(|path| uri_of(path)).collect()
        }
    };
    json!({"jsonrpc": "2.0", "id": request.get("id"), "result": result})
}

fn read(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > MOST_BYTES {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A folder that is searched, and how deep it lies.
struct Searched {
    path: PathBuf,
    depth: usize,
}

/// Returns the manifests in folders, those of outer folders first, in the order of their names.
fn manifests(folders: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting: VecDeque<Searched> = folders
        .into_iter()
        .map(|path| Searched { path, depth: 0 })
        .collect();
    for _ in 0..MOST_FOLDERS {
        let Some(Searched { path, depth }) = waiting.pop_front() else {
            break;
        };
        let Ok(entries) = fs::read_dir(path) else {
            continue;
        };
        let mut entries: Vec<DirEntry> = entries.filter_map(Result::ok).collect();
        entries.sort_by_key(DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_file() && (is_manifest(&name) || is_kustomization(&name)) {
                found.push(entry.path());
            } else if kind.is_dir()
                && depth < MOST_DEPTH
                && !name.starts_with('.')
                && name != "node_modules"
            {
                waiting.push_back(Searched {
                    path: entry.path(),
                    depth: depth.saturating_add(1),
                });
            }
        }
    }
    found
}

fn is_manifest(name: &str) -> bool {
    let ends = [".yaml", ".yml", ".json"];
    ends.iter().any(|end| name.ends_with(end)) && name != "package-lock.json"
}

/// Returns the path of a `file:` address; `None` for others.
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let (host, path) = rest.split_at(rest.find('/')?);
    let path = claimkit::language_server::uri::decoded(path);
    if !cfg!(windows) {
        return Some(path.into());
    }
    let path = path.replace('/', "\\");
    Some(match host {
        "" => path.trim_start_matches('\\').into(),
        host => format!("\\\\{host}{path}").into(),
    })
}

/// Returns the `file:` address of a path.
fn uri_of(path: &Path) -> String {
    let path = path.to_string_lossy();
    let path = if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.into_owned()
    };
    let path = claimkit::language_server::uri::encoded(&path.replace('%', "%25"));
    match path.strip_prefix("//") {
        Some(on_host) if cfg!(windows) => format!("file://{on_host}"),
        _ if path.starts_with('/') => format!("file://{path}"),
        _ => format!("file:///{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_headers() {
        let mut output = Vec::new();
        write_message(&mut output, &json!({"a": "é"})).unwrap();
        assert_eq!(output, "Content-Length: 10\r\n\r\n{\"a\":\"é\"}".as_bytes());
        let mut input = [b"content-type: x\r\n".as_slice(), &output, &output].concat();
        input.extend(b"Content-Length: x\r\n\r\n");
        let mut input = input.as_slice();
        for _ in 0..2 {
            let message = read_message(&mut input).unwrap();
            assert_eq!(message.as_deref(), Some("{\"a\":\"é\"}"));
        }
        assert!(read_message(&mut input).is_err());
        assert_eq!(read_message(&mut "".as_bytes()).unwrap(), None);
    }

    /// What decided for a framing of our own.
    #[test]
    fn messages_that_lsp_server_refuses_are_read() {
        let hover = r#"{"id": 3000000000, "method": "textDocument/hover", "params": "\ud83d"}"#;
        let mut input = Vec::new();
        write!(input, "Content-Length:{}\r\n\r\n{hover}", hover.len()).unwrap();
        input.extend(b"Content-Length: 1\r\n\r\n\xff");
        write_message(&mut input, &json!({"method": "exit"})).unwrap();

        let hooks = language_server::hooks(String::new());
        let mut server = LanguageServer::new(hooks);
        let mut input = input.as_slice();
        let mut receive = || {
            let message = read_message(&mut input).unwrap().unwrap();
            server.receive(&message, 0)
        };
        // The request is understood: it comes before `initialize`.
        let error = &receive().messages[0];
        assert_eq!(error["id"], 3_000_000_000u64);
        assert_eq!(error["error"]["code"], -32002);
        assert_eq!(receive().messages[0]["error"]["code"], -32700);
        assert_eq!(receive().exit, Some(1));
    }

    #[cfg(unix)]
    #[test]
    fn addresses_are_paths() {
        for (uri, path) in [
            ("file:///a%20b/%C3%A9.yaml", "/a b/é.yaml"),
            ("file:///a/50%25.yaml", "/a/50%.yaml"),
        ] {
            assert_eq!(path_of(uri).as_deref(), Some(Path::new(path)));
            assert_eq!(uri_of(Path::new(path)), uri);
        }
        assert_eq!(path_of("untitled:1"), None);
    }
}
