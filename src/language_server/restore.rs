//! A server that continues where another one stopped: the module of a host can run out of memory, and its state is gone then.

use super::document::Document;
use super::protocol::{Incoming, Range, ResponseError, code};
use super::settling::placed;
use super::{LanguageServer, Outcome, Stopped, Task, protocol, shape};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// What a server does next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The request that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// The document that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

impl Work {
    pub(super) fn of(task: &Task) -> Self {
        let of_params = |params: &Value| {
            let document = params.get("textDocument").unwrap_or(params);
            document.get("uri")?.as_str().map(str::to_owned)
        };
        match task {
            Task::Message(Incoming::Request { id, params, .. }) => Work {
                id: Some(id.clone()),
                uri: of_params(params),
            },
            Task::Message(Incoming::Notification { params, .. }) => Work {
                id: None,
                uri: of_params(params),
            },
            Task::Diagnose(uri) | Task::LookBeside(uri) => Work {
                id: None,
                uri: Some(uri.clone()),
            },
            Task::Message(Incoming::Response { .. }) | Task::Reload(_) => Work::default(),
        }
    }
}

/// A document, as it is kept outside of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SavedDocument {
    /// Its address.
    pub uri: String,
    /// Its language.
    pub language_id: String,
    /// Its version.
    pub version: i64,
    /// Its text; `None`: it was closed.
    pub text: Option<String>,
    /// There was no room for its text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_unread: bool,
}

impl SavedDocument {
    pub(super) fn closed(uri: &str) -> Self {
        SavedDocument {
            uri: uri.to_owned(),
            ..SavedDocument::default()
        }
    }
}

impl From<&Document> for SavedDocument {
    fn from(document: &Document) -> Self {
        SavedDocument {
            uri: document.uri.clone(),
            language_id: document.language.clone(),
            version: document.version,
            text: Some(document.text.clone()),
            is_unread: document.is_unread,
        }
    }
}

/// The state that makes a server continue. What a host keeps is the last of each member, and of each document.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Saved {
    #[serde(skip_serializing_if = "Option::is_none")]
    initialize: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    roots: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    documents: Vec<SavedDocument>,
}

/// What has changed of that state since the host has asked for it.
#[derive(Clone, Debug, Default)]
pub struct Unsaved {
    pub(super) initialize: Option<Value>,
    pub(super) settings: Option<Value>,
    pub(super) roots: Option<Vec<String>>,
    /// Documents that were opened, changed or closed.
    pub(super) documents: BTreeSet<String>,
}

impl LanguageServer {
    /// Returns what has changed of its state since the last call, for a host that keeps it for [`LanguageServer::restore`]; others need
    /// not ask.
    pub fn unsaved(&mut self) -> Value {
        let unsaved = std::mem::take(&mut self.unsaved);
        let documents = unsaved
            .documents
            .iter()
            .map(|uri| match self.document(uri) {
                Some(document) => SavedDocument::from(document),
                None => SavedDocument::closed(uri),
            });
        shape(Saved {
            documents: documents.collect(),
            initialize: unsaved.initialize,
            settings: unsaved.settings,
            roots: unsaved.roots,
        })
    }

    /// Continues where another server stopped. `saved`: what [`LanguageServer::unsaved`] gave; `work`: what it did; `why`: why it stopped.
    pub fn restore(&mut self, saved: &Value, work: &Work, why: &str, now: u64) -> Outcome {
        self.now = now;
        let saved = Saved::deserialize(saved).unwrap_or_default();
        if let Some(params) = &saved.initialize {
            let member = |name| params.get(name).cloned().unwrap_or_default();
            self.start(member("capabilities"), &member("initializationOptions"));
        }
        if let Some(settings) = &saved.settings {
            self.take_settings(settings);
        }
        self.messages.clear();
        self.set_roots(saved.roots.unwrap_or_default());
        for document in saved.documents {
            let Some(text) = document.text else { continue };
            self.add(Document {
                uri: document.uri,
                language: document.language_id,
                version: document.version,
                text,
                is_unread: document.is_unread,
            });
        }
        self.log(why);
        if let Some(id) = &work.id {
            let error = ResponseError::new(code::INTERNAL_ERROR, why);
            self.messages.push(protocol::response(id, Err(error)));
        }
        if let Some(uri) = &work.uri {
            self.give_up(uri, why);
        }
        self.load();
        self.unsaved = Unsaved::default();
        self.work()
    }

    /// Publishes that a version of a document is not judged.
    fn give_up(&mut self, uri: &str, why: &str) {
        let Some(version) = self.document(uri).map(|document| document.version) else {
            return;
        };
        let stopped = Stopped {
            version,
            why: why.to_owned(),
        };
        self.stopped.insert(uri.to_owned(), stopped);
        let found = [placed(Range::default(), format!("not judged: {why}"))];
        self.publish(uri, Some(version), &shape(found));
    }
}
