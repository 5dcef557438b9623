//! `npx claimkit`: the command line with Node's files and streams, for `pkg/cli.js`; and the language server, for `pkg/server`.

use crate::{EntryKind, FolderEntry, Host, Ran, RunEnd, language_server};
use claimkit::editor::sentences::Sentences;
use claimkit::language_server::{Hooks, LanguageServer, Outcome};
use claimkit_model::memory::GrowsAhead;
use js_sys::{Array, Uint8Array};
use serde_json::json;
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::prelude::*;

/// Milliseconds of a second.
const MILLISECONDS: f64 = 1000.0;

#[global_allocator]
static MEMORY: GrowsAhead = GrowsAhead;

#[wasm_bindgen]
extern "C" {
    /// The interface that `pkg/cli.js` implements. Methods throw an `Error` whose message is one short phrase.
    pub type HostInterface;

    #[wasm_bindgen(method, catch)]
    fn read(this: &HostInterface, path: &str, most: usize) -> Result<Uint8Array, JsValue>;

    /// Returns `undefined` if the path is not a folder, else `[name, "folder" | "file" | "other"][]`.
    #[wasm_bindgen(method, catch)]
    fn list(this: &HostInterface, path: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn write(this: &HostInterface, path: &str, text: &str) -> Result<(), JsValue>;

    /// Reads a line; `undefined` at the end.
    #[wasm_bindgen(method, catch)]
    fn line(this: &HostInterface, most: usize) -> Result<Option<Uint8Array>, JsValue>;

    /// Returns the text of a locale's file; `undefined` if there is none.
    #[wasm_bindgen(method)]
    fn sentences(this: &HostInterface, locale: &str) -> Option<String>;

    /// Returns the folder in which the command runs.
    #[wasm_bindgen(method)]
    fn folder(this: &HostInterface) -> Option<String>;

    #[wasm_bindgen(method)]
    fn status(this: &HostInterface, text: &str);

    #[wasm_bindgen(method, js_name = isPlugin)]
    fn is_plugin(this: &HostInterface) -> bool;

    /// Returns `undefined` if standard output is not a terminal.
    #[wasm_bindgen(method)]
    fn columns(this: &HostInterface) -> Option<usize>;

    /// Returns the milliseconds since 1970-01-01T00:00:00Z.
    #[wasm_bindgen(method)]
    fn clock(this: &HostInterface) -> f64;

    /// Waits so many milliseconds.
    #[wasm_bindgen(method)]
    fn wait(this: &HostInterface, milliseconds: f64);

    /// Runs kubectl and returns `[out, err, whether it exited with 0]`.
    #[wasm_bindgen(method, catch)]
    fn kubectl(this: &HostInterface, arguments: Vec<String>, most: usize)
    -> Result<Array, JsValue>;

    #[wasm_bindgen(method)]
    fn out(this: &HostInterface, text: &str);

    #[wasm_bindgen(method)]
    fn err(this: &HostInterface, text: &str);

    #[wasm_bindgen(method)]
    fn colours(this: &HostInterface) -> bool;
}

fn phrase(error: &JsValue) -> String {
    let message = error
        .dyn_ref::<js_sys::Error>()
        .map(|error| String::from(error.message()));
    message.unwrap_or_else(|| "cannot be used".to_owned())
}

struct Bridge<'a>(&'a HostInterface);

impl Host for Bridge<'_> {
    fn read(&mut self, path: &str, most: usize) -> Result<Vec<u8>, String> {
        self.0
            .read(path, most)
            .map(|bytes| bytes.to_vec())
            .map_err(|error| phrase(&error))
    }

    fn list(&mut self, path: &str) -> Result<Option<Vec<FolderEntry>>, String> {
        let entries = self.0.list(path).map_err(|error| phrase(&error))?;
        if entries.is_undefined() {
            return Ok(None);
        }
        let entry = |entry: JsValue| {
            let pair = Array::from(&entry);
            let kind = match pair.get(1).as_string().as_deref() {
                Some("folder") => EntryKind::Folder,
                Some("file") => EntryKind::File,
                _ => EntryKind::Other,
            };
            FolderEntry {
                name: pair.get(0).as_string().unwrap_or_default(),
                kind,
            }
        };
        Ok(Some(Array::from(&entries).iter().map(entry).collect()))
    }

    fn write(&mut self, path: &str, text: &str) -> Result<(), String> {
        self.0.write(path, text).map_err(|error| phrase(&error))
    }

    fn line(&mut self, most: usize) -> Result<Option<Vec<u8>>, String> {
        self.0
            .line(most)
            .map(|line| line.map(|line| line.to_vec()))
            .map_err(|error| phrase(&error))
    }

    fn sentences(&mut self, locale: &str) -> Option<Sentences> {
        serde_json::from_str(&self.0.sentences(locale)?).ok()
    }

    fn folder(&self) -> Option<String> {
        self.0.folder()
    }

    fn status(&mut self, text: &str) {
        self.0.status(text);
    }

    fn is_plugin(&self) -> bool {
        self.0.is_plugin()
    }

    fn columns(&self) -> Option<usize> {
        self.0.columns()
    }

    fn clock(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.0.clock() / MILLISECONDS).ok()
    }

    fn wait(&mut self, time: Duration) -> bool {
        self.0.wait(time.as_secs_f64() * MILLISECONDS);
        true
    }

    fn kubectl(&mut self, arguments: &[String], most: usize) -> Result<Ran, String> {
        let ran = self
            .0
            .kubectl(arguments.to_vec(), most)
            .map_err(|error| phrase(&error))?;
        let out = ran
            .get(0)
            .dyn_ref::<Uint8Array>()
            .map(Uint8Array::to_vec)
            .unwrap_or_default();
        Ok(Ran {
            out,
            err: ran.get(1).as_string().unwrap_or_default(),
            end: match ran.get(2).as_string().as_deref() {
                Some("success") => RunEnd::Success,
                Some("too-large") => RunEnd::TooLarge,
                _ => RunEnd::Failure,
            },
        })
    }

    fn out(&mut self, text: &str) {
        self.0.out(text);
    }

    fn err(&mut self, text: &str) {
        self.0.err(text);
    }

    fn colours(&self) -> bool {
        self.0.colours()
    }
}

/// Runs a command line, without the program's name, and gives its exit code.
#[wasm_bindgen(skip_typescript)]
pub fn command(arguments: Vec<String>, node: &HostInterface) -> u8 {
    crate::run(&arguments, &mut Bridge(node)).code()
}

#[wasm_bindgen]
extern "C" {
    /// What the language server needs of `pkg/server/core.js`.
    pub type ServerInterface;

    /// Returns the text of a locale's file; `undefined` if there is none.
    #[wasm_bindgen(method)]
    fn sentences(this: &ServerInterface, locale: &str) -> Option<String>;

    /// Is told what the server does next, as JSON.
    #[wasm_bindgen(method)]
    fn begins(this: &ServerInterface, work: &str);
}

/// The language server of `npx claimkit lsp`, of workers and of VS Code. Messages are JSON; times are milliseconds. What the methods
/// return is JSON, too: `{ messages, wake, exit, saved }`.
#[wasm_bindgen(skip_typescript, js_name = LanguageServer)]
#[derive(Debug)]
pub struct JsLanguageServer(LanguageServer);

#[wasm_bindgen(js_class = LanguageServer)]
impl JsLanguageServer {
    /// Makes a server.
    #[wasm_bindgen(constructor, skip_typescript)]
    pub fn new(host: ServerInterface, version: String) -> Self {
        let host = Rc::new(host);
        let told = Rc::clone(&host);
        JsLanguageServer(LanguageServer::new(Hooks {
            sentences: Box::new(move |locale| serde_json::from_str(&host.sentences(locale)?).ok()),
            begins: Box::new(move |work| told.begins(&json!(work).to_string())),
            ..language_server::hooks(version)
        }))
    }

    /// Takes a message.
    #[wasm_bindgen(skip_typescript)]
    pub fn receive(&mut self, message: &str, now: f64) -> String {
        let outcome = self.0.receive(message, now as u64);
        self.printed(outcome)
    }

    /// Does what is due.
    #[wasm_bindgen(skip_typescript)]
    pub fn wake(&mut self, now: f64) -> String {
        let outcome = self.0.wake(now as u64);
        self.printed(outcome)
    }

    /// Continues where another server stopped.
    #[wasm_bindgen(skip_typescript)]
    pub fn restore(&mut self, saved: &str, work: &str, why: &str, now: f64) -> String {
        let saved = serde_json::from_str(saved).unwrap_or_default();
        let work = serde_json::from_str(work).unwrap_or_default();
        let outcome = self.0.restore(&saved, &work, why, now as u64);
        self.printed(outcome)
    }

    fn printed(&mut self, outcome: Outcome) -> String {
        let Outcome {
            messages,
            wake,
            exit,
        } = outcome;
        let saved = self.0.unsaved();
        json!({"messages": messages, "wake": wake, "exit": exit, "saved": saved}).to_string()
    }
}

/// Lets the next call of any function start a fresh instance from the compiled module, in place of this one and its memory. After a
/// trap this is the only function that may be called.
#[wasm_bindgen(skip_typescript)]
pub fn reset() {
    wasm_bindgen::handler::schedule_reinit();
}

/// Does nothing but carry out a `reset` that was asked for, as a call of any function does.
#[wasm_bindgen(skip_typescript)]
pub fn renew() {}
