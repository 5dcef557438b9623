//! The language server: claimkit's answers over the Language Server Protocol 3.17, for any editor. Pure: messages of the client and the
//! time go in, messages and the time of the next call come out.
//!
//! | file | what |
//! |---|---|
//! | [`protocol`] | what is needed of the protocol: messages, places, parameters |
//! | `document` | open documents, and the changes that a client makes |
//! | [`settings`] | `claimkit.toml` and the client's settings |
//! | `project` | the texts of all files, by cluster, with the names in them |
//! | [`uri`] | addresses |
//! | `answers`, `lenses` | findings, completions and devices in the protocol's shapes |
//! | `life`, `sync` | the start and the end; documents, files and folders that change |
//! | `settling`, `diagnose` | by what a document is judged, and what is published about it |
//! | `places`, `actions`, `extension` | what is asked about a place, a range, a document |
//! | `restore` | a server that continues where another one stopped |
//!
//! Files are messages, too: the server asks its client `claimkit/read` {uri} → {text?} and `claimkit/manifests` {folders} → addresses. A
//! host that has a disk answers these itself. A client that does not know them has no files.
//!
//! Messages are answered in their order. One that needs a file waits until its text is there, and those behind it wait, too: an answer
//! depends on the messages before it alone.

mod actions;
mod answers;
mod diagnose;
mod document;
mod extension;
mod lenses;
mod life;
mod places;
mod project;
pub mod protocol;
mod renames;
mod restore;
pub mod settings;
mod settling;
mod sync;
pub mod uri;

use crate::editor::sentences::Sentences;
use document::Document;
use lenses::KnownLenses;
use project::Project;
use protocol::{Incoming, ResponseError, code};
use restore::Unsaved;
pub use restore::{SavedDocument, Work};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use settings::{ClientSettings, FileSettings, SettingsFile};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;

/// Milliseconds between the last change of a document and its diagnostics.
const DELAY: u64 = 150;

/// Milliseconds until documents are judged again after another one has changed.
const DELAY_OF_OTHERS: u64 = 3 * DELAY;

/// Milliseconds that findings wait for the client's settings.
const PATIENCE: u64 = 2000;

/// Milliseconds that a message waits for a file.
const PATIENCE_FOR_FILES: u64 = 10_000;

/// Files of a workspace that are kept.
const MOST_FILES: usize = 2000;

/// Files of a workspace that are asked for at a time.
const MOST_READS: usize = 16;

/// Finds the sentences of a locale.
pub type FindSentences = Box<dyn FnMut(&str) -> Option<Sentences>>;

/// What a server needs of its host beside messages.
pub struct Hooks {
    /// The version that the server gives as its own.
    pub version: String,
    /// Reads the text of a `claimkit.toml`. The error says what is wrong with it, in one line.
    pub read_settings: fn(&str) -> Result<FileSettings, String>,
    /// Returns true if a pattern of `exclude` matches a path or one of its parent folders.
    pub is_excluded: fn(&str, &[String]) -> bool,
    /// Returns the sentences of a locale, if the host has them.
    pub sentences: FindSentences,
    /// Is told what is done next, for a host that can stop in the middle of it.
    pub begins: Box<dyn FnMut(&Work)>,
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}

/// What the server does after a message or a time.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Messages to the client, in order.
    pub messages: Vec<Value>,
    /// The time of the next call of [`LanguageServer::wake`], if no message comes before.
    pub wake: Option<u64>,
    /// The exit code of the program: the client has ended the server.
    pub exit: Option<u8>,
}

/// Where a server is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    New,
    Running,
    ShutDown,
    Ended(u8),
}

/// What is done in order.
#[derive(Clone, Debug)]
enum Task {
    Message(Incoming),
    /// Reads the kustomizations beside a document that was opened.
    LookBeside(String),
    /// Reads files anew, and judges all documents again.
    Reload(Vec<String>),
    Diagnose(String),
}

/// What an answer of the client is for.
#[derive(Clone, Debug)]
enum Purpose {
    /// Nothing follows from it.
    Nothing,
    Configuration(Reason),
    /// The text of a file, for the first task.
    File(String),
    /// The addresses of the workspace's manifests, for a load.
    Manifests(u64),
    /// The text of a manifest, for a load.
    Manifest(u64, String),
}

/// Why the client was asked for its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Start,
    Change,
}

/// A request of the server that has no answer yet.
#[derive(Clone, Debug)]
struct Pending {
    purpose: Purpose,
    /// When it counts as answered by nothing.
    until: Option<u64>,
}

/// The reading of the workspace's manifests.
#[derive(Debug, Default)]
struct Loading {
    uris: VecDeque<String>,
    /// Files that may still be kept.
    room: usize,
    in_flight: usize,
}

/// A document that is to be judged at a time.
#[derive(Clone, Debug)]
struct Timer {
    uri: String,
    due: u64,
}

/// A version of a document that could not be judged.
#[derive(Clone, Debug)]
struct Stopped {
    version: i64,
    why: String,
}

/// Why a task has no result.
#[derive(Debug)]
enum Failure {
    /// It needs files, which are asked for.
    Waits,
    Refused(ResponseError),
}

impl From<ResponseError> for Failure {
    fn from(error: ResponseError) -> Self {
        Failure::Refused(error)
    }
}

type Result<T, E = Failure> = std::result::Result<T, E>;

/// A server with its state.
#[derive(Debug)]
pub struct LanguageServer {
    hooks: Hooks,
    now: u64,
    stage: Stage,
    capabilities: Value,
    /// Whether the client has the commands of lenses.
    has_commands: bool,
    client: ClientSettings,
    roots: Vec<String>,
    /// In the order in which they were opened.
    documents: Vec<Document>,
    project: Project,
    /// The settings files by folder, each read once.
    settings_files: BTreeMap<String, Option<SettingsFile>>,
    queue: VecDeque<Task>,
    timers: Vec<Timer>,
    /// When findings no longer wait for the client's settings; `None`: they do not wait.
    settled_at: Option<u64>,
    next_id: u64,
    pending: BTreeMap<u64, Pending>,
    /// Files that the first task has asked for.
    read: BTreeMap<String, Option<String>>,
    /// Files that the first task asks for.
    wanted: Vec<String>,
    /// Counts the loads of the workspace: answers for an earlier one are late.
    load: u64,
    loading: Option<Loading>,
    messages: Vec<Value>,
    /// The last warning, to show it once.
    warned: Option<String>,
    /// The unknown releases of settings files, to publish each once.
    unknown_releases: BTreeMap<String, String>,
    /// The language of all answers.
    spoken: String,
    sentences: BTreeMap<String, Option<Sentences>>,
    known_lenses: BTreeMap<String, KnownLenses>,
    /// By document.
    stopped: BTreeMap<String, Stopped>,
    unsaved: Unsaved,
}

impl LanguageServer {
    /// Makes a server that waits for `initialize`.
    pub fn new(hooks: Hooks) -> Self {
        claimkit_model::message::speak(None);
        LanguageServer {
            hooks,
            now: 0,
            stage: Stage::New,
            capabilities: Value::Null,
            has_commands: false,
            client: ClientSettings::default(),
            roots: Vec::new(),
            documents: Vec::new(),
            project: Project::default(),
            settings_files: BTreeMap::new(),
            queue: VecDeque::new(),
            timers: Vec::new(),
            settled_at: None,
            next_id: 0,
            pending: BTreeMap::new(),
            read: BTreeMap::new(),
            wanted: Vec::new(),
            load: 0,
            loading: None,
            messages: Vec::new(),
            warned: None,
            unknown_releases: BTreeMap::new(),
            spoken: "en".to_owned(),
            sentences: BTreeMap::new(),
            known_lenses: BTreeMap::new(),
            stopped: BTreeMap::new(),
            unsaved: Unsaved::default(),
        }
    }

    /// Takes a message of the client, as JSON. `now`: milliseconds of a clock that never goes back.
    pub fn receive(&mut self, message: &str, now: u64) -> Outcome {
        self.now = now;
        match Incoming::read(message) {
            Err(answer) => self.messages.push(answer),
            Ok(Incoming::Response { id, result }) => self.take_answer(id.as_u64(), result),
            Ok(Incoming::Notification { method, params }) if method == "$/cancelRequest" => {
                self.cancel(params.get("id"));
            }
            Ok(Incoming::Notification { method, .. }) if method == "exit" => {
                let code = u8::from(self.stage != Stage::ShutDown);
                self.stage = Stage::Ended(code);
            }
            Ok(message) => self.queue.push_back(Task::Message(message)),
        }
        self.work()
    }

    /// Does what is due. Documents are judged here alone, so that messages that have come come first.
    pub fn wake(&mut self, now: u64) -> Outcome {
        self.now = now;
        if self.settled_at.is_some_and(|until| until <= now) {
            self.settled_at = None;
        }
        let late: Vec<u64> = self
            .pending
            .iter()
            .filter(|(_, pending)| is_late(now, pending))
            .map(|(id, _)| *id)
            .collect();
        for id in late {
            self.take_answer(Some(id), None);
        }
        self.queue_what_is_due();
        self.work()
    }

    /// Does all tasks that need no file, in order.
    fn work(&mut self) -> Outcome {
        while !matches!(self.stage, Stage::Ended(_)) {
            let Some(task) = self.queue.pop_front() else {
                break;
            };
            (self.hooks.begins)(&Work::of(&task));
            match self.run(&task) {
                Ok(()) | Err(Failure::Refused(_)) => {
                    self.read.clear();
                    self.wanted.clear();
                }
                Err(Failure::Waits) => {
                    self.queue.push_front(task);
                    self.ask_for_files();
                    break;
                }
            }
        }
        Outcome {
            messages: std::mem::take(&mut self.messages),
            wake: self.next_time(),
            exit: match self.stage {
                Stage::Ended(code) => Some(code),
                _ => None,
            },
        }
    }

    fn run(&mut self, task: &Task) -> Result<()> {
        match task {
            Task::Message(Incoming::Request { id, method, params }) => {
                let answer = match self.answer(method, params) {
                    Ok(result) => Ok(result),
                    Err(Failure::Refused(error)) => Err(error),
                    Err(Failure::Waits) => return Err(Failure::Waits),
                };
                self.messages.push(protocol::response(id, answer));
                Ok(())
            }
            Task::Message(Incoming::Notification { method, params }) => self.note(method, params),
            Task::Message(Incoming::Response { .. }) => Ok(()),
            Task::LookBeside(uri) => self.look_beside(uri),
            Task::Reload(uris) => self.reload(uris),
            Task::Diagnose(uri) => self.diagnose(uri),
        }
    }

    /// Answers a request.
    fn answer(&mut self, method: &str, params: &Value) -> Result<Value> {
        match (self.stage, method) {
            (Stage::New, "initialize") => return self.initialize(parameters(params)?),
            (Stage::New, _) => {
                return refuse(code::SERVER_NOT_INITIALIZED, "`initialize` comes first");
            }
            (Stage::ShutDown | Stage::Ended(_), _) => {
                return refuse(code::INVALID_REQUEST, "the server is shut down");
            }
            (Stage::Running, _) => {}
        }
        match method {
            "initialize" => refuse(code::INVALID_REQUEST, "the server is initialized already"),
            "shutdown" => {
                self.stage = Stage::ShutDown;
                Ok(Value::Null)
            }
            "textDocument/hover" => self.hover(&parameters(params)?),
            "textDocument/completion" => self.completion(&parameters(params)?),
            "textDocument/documentSymbol" => self.document_symbols(&parameters(params)?),
            "textDocument/definition" => self.definition(&parameters(params)?),
            "textDocument/references" => self.references(&parameters(params)?),
            "textDocument/documentHighlight" => self.highlights(&parameters(params)?),
            "textDocument/documentLink" => self.links(&parameters(params)?),
            "textDocument/foldingRange" => self.folds(&parameters(params)?),
            "textDocument/prepareRename" => self.prepare_rename(&parameters(params)?),
            "textDocument/rename" => self.rename(&parameters(params)?),
            "textDocument/codeAction" => self.code_actions(&parameters(params)?),
            "textDocument/codeLens" => self.code_lenses(&parameters(params)?),
            "textDocument/inlayHint" => self.inlay_hints(&parameters(params)?),
            "workspace/symbol" => self.workspace_symbols(&parameters(params)?),
            "claimkit/state" => self.state(&parameters(params)?),
            "claimkit/releases" => Ok(extension::releases()),
            "claimkit/gates" => extension::gates(optional(params)?),
            "claimkit/convert" => self.convert(&parameters(params)?),
            "claimkit/devices" => self.devices(&parameters(params)?),
            _ => refuse(
                code::METHOD_NOT_FOUND,
                format!("there is no method `{method}`"),
            ),
        }
    }

    /// Takes a notification. One that cannot be read is passed over, as the protocol has no answer to it.
    fn note(&mut self, method: &str, params: &Value) -> Result<()> {
        if self.stage != Stage::Running {
            return Ok(());
        }
        match method {
            "initialized" => self.initialized(),
            "textDocument/didOpen" => self.opened(parameters(params)?),
            "textDocument/didChange" => self.changed(&parameters(params)?),
            "textDocument/didSave" => self.saved(&parameters(params)?),
            "textDocument/didClose" => self.closed(&parameters(params)?),
            "workspace/didChangeConfiguration" => self.settings_changed(params),
            "workspace/didChangeWatchedFiles" => self.files_changed(&parameters(params)?),
            "workspace/didChangeWorkspaceFolders" => self.folders_changed(&parameters(params)?),
            _ => {}
        }
        Ok(())
    }

    /// Answers a request that is not begun with the error that it is cancelled.
    fn cancel(&mut self, cancelled: Option<&Value>) {
        let place = self.queue.iter().position(|task| match task {
            Task::Message(Incoming::Request { id, .. }) => Some(id) == cancelled,
            _ => false,
        });
        if let Some(Task::Message(Incoming::Request { id, .. })) =
            place.and_then(|place| self.queue.remove(place))
        {
            let error = ResponseError::new(code::REQUEST_CANCELLED, "the request is cancelled");
            self.messages.push(protocol::response(&id, Err(error)));
        }
    }

    // --- what is asked of the client ------------------------------------------------------------------------------------

    fn notify(&mut self, method: &str, params: &Value) {
        self.messages.push(protocol::notification(method, params));
    }

    fn ask(&mut self, method: &str, params: &Value, purpose: Purpose) {
        self.next_id = self.next_id.saturating_add(1);
        let is_file = !matches!(purpose, Purpose::Nothing | Purpose::Configuration(_));
        let until = is_file.then(|| self.now.saturating_add(PATIENCE_FOR_FILES));
        self.pending
            .insert(self.next_id, Pending { purpose, until });
        self.messages
            .push(protocol::request(self.next_id, method, params));
    }

    /// Takes the answer to a request of the server; one that is not known, or late, is passed over.
    fn take_answer(&mut self, id: Option<u64>, result: Option<Value>) {
        let Some(Pending { purpose, .. }) = id.and_then(|id| self.pending.remove(&id)) else {
            return;
        };
        match purpose {
            Purpose::Nothing => {}
            Purpose::Configuration(reason) => self.take_configuration(reason, result),
            Purpose::File(uri) => {
                self.read.insert(uri, text_of(result));
            }
            Purpose::Manifests(load) => self.take_manifests(load, result),
            Purpose::Manifest(load, uri) => self.take_manifest(load, &uri, text_of(result)),
        }
    }

    /// Returns the text of a file, if there is one.
    fn file(&mut self, uri: &str) -> Result<Option<String>> {
        if let Some(text) = self.read.get(uri) {
            return Ok(text.clone());
        }
        self.wanted.push(uri.to_owned());
        Err(Failure::Waits)
    }

    /// Returns the texts of files. All that are missing are asked for at once.
    fn files(&mut self, uris: &[String]) -> Result<Vec<Option<String>>> {
        let texts: Vec<_> = uris.iter().map(|uri| self.file(uri)).collect();
        texts.into_iter().collect()
    }

    /// Asks for the files that the first task needs.
    fn ask_for_files(&mut self) {
        for uri in std::mem::take(&mut self.wanted) {
            let is_asked = self
                .pending
                .values()
                .any(|pending| matches!(&pending.purpose, Purpose::File(asked) if *asked == uri));
            if !is_asked {
                self.ask("claimkit/read", &json!({"uri": uri}), Purpose::File(uri));
            }
        }
    }

    // --- time -----------------------------------------------------------------------------------------------------------

    /// Judges a document after a while.
    fn later(&mut self, uri: &str, delay: u64) {
        self.timers.retain(|timer| timer.uri != uri);
        self.timers.push(Timer {
            uri: uri.to_owned(),
            due: self.now.saturating_add(delay),
        });
    }

    /// Judges all open documents again: they are judged together.
    fn later_all(&mut self) {
        for uri in self.uris() {
            self.later(&uri, DELAY);
        }
        self.refresh();
    }

    fn uris(&self) -> Vec<String> {
        self.documents
            .iter()
            .map(|document| document.uri.clone())
            .collect()
    }

    /// Queues the documents whose time has come, the earliest first. They wait for the client's settings.
    fn queue_what_is_due(&mut self) {
        if self.settled_at.is_some() {
            return;
        }
        let now = self.now;
        let (mut due, waiting): (Vec<Timer>, Vec<Timer>) = std::mem::take(&mut self.timers)
            .into_iter()
            .partition(|timer| timer.due <= now);
        self.timers = waiting;
        claimkit_values::order::sort_by_key(&mut due, |timer| timer.due);
        self.queue
            .extend(due.into_iter().map(|timer| Task::Diagnose(timer.uri)));
    }

    fn next_time(&self) -> Option<u64> {
        let timers = self.timers.iter().map(|timer| timer.due);
        let judging = match self.settled_at {
            Some(until) => Some(until),
            None => timers.min(),
        };
        let late = self.pending.values().filter_map(|pending| pending.until);
        judging.into_iter().chain(late).min()
    }

    /// Returns true if the client says that it can do something.
    fn can(&self, path: &[&str]) -> bool {
        let value = path
            .iter()
            .try_fold(&self.capabilities, |value, name| value.get(name));
        value.is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)))
    }

    fn document(&self, uri: &str) -> Option<&Document> {
        self.documents.iter().find(|document| document.uri == uri)
    }
}

fn is_late(now: u64, pending: &Pending) -> bool {
    pending.until.is_some_and(|until| until <= now)
}

fn text_of(result: Option<Value>) -> Option<String> {
    match result?.get_mut("text").map(Value::take) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Reads parameters.
fn parameters<T: DeserializeOwned>(params: &Value) -> Result<T> {
    T::deserialize(params)
        .or_else(|error| refuse(code::INVALID_PARAMS, format!("`params`: {error}")))
}

/// Reads parameters that may be absent.
fn optional<T: DeserializeOwned + Default>(params: &Value) -> Result<T> {
    match params {
        Value::Null => Ok(T::default()),
        params => parameters(params),
    }
}

fn refuse<T>(code: i32, message: impl Into<String>) -> Result<T> {
    Err(Failure::Refused(ResponseError::new(code, message)))
}

/// Makes a value of an answer. Its types have no maps with other keys than texts, so this does not fail.
fn shape(value: impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
