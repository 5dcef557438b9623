//! Documents, files and folders that change.

use super::document::Document;
use super::protocol::{ChangeParams, DocumentParams, FoldersParams, OpenParams, WatchedParams};
use super::settings::NAME;
use super::{
    DELAY, DELAY_OF_OTHERS, LanguageServer, Loading, MOST_FILES, MOST_READS, Purpose, Result, Task,
    uri,
};
use crate::editor::foreign;
use serde_json::{Value, json};
use std::collections::VecDeque;

impl LanguageServer {
    pub(super) fn opened(&mut self, params: OpenParams) {
        let opened = params.text_document;
        let document = Document {
            uri: opened.uri,
            language: opened.language_id,
            version: opened.version,
            text: opened.text,
            is_unread: false,
        };
        let uri = document.uri.clone();
        let is_ours = foreign::is_ours(&document.text);
        self.add(document);
        if is_ours {
            self.queue.push_front(Task::LookBeside(uri.clone()));
            for other in self.uris().iter().filter(|other| **other != uri) {
                self.later(other, DELAY);
            }
            self.refresh();
        } else {
            self.later(&uri, 0);
        }
    }

    /// Adds an open document, in the place of one of the same address.
    pub(super) fn add(&mut self, document: Document) {
        let text = match document.is_large() {
            true => "",
            false => document.text.as_str(),
        };
        self.project.set(&document.uri, &document.language, text);
        self.stopped.remove(&document.uri);
        self.unsaved.documents.insert(document.uri.clone());
        match self
            .documents
            .iter_mut()
            .find(|open| open.uri == document.uri)
        {
            Some(open) => *open = document,
            None => self.documents.push(document),
        }
    }

    pub(super) fn look_beside(&mut self, uri: &str) -> Result<()> {
        let files = self.project.kustomizations_beside(uri);
        let texts = self.files(&files)?;
        for (file, text) in files.iter().zip(texts) {
            self.project.look(file, text.as_deref());
        }
        self.later(uri, 0);
        Ok(())
    }

    pub(super) fn changed(&mut self, params: &ChangeParams) {
        let uri = &params.text_document.uri;
        let Some(document) = self
            .documents
            .iter_mut()
            .find(|document| document.uri == *uri)
            .filter(|_| !params.content_changes.is_empty())
        else {
            return;
        };
        document.version = params.text_document.version;
        document.change(&params.content_changes);
        self.unsaved.documents.insert(uri.clone());
        if document.is_large() {
            return;
        }
        let before = self.project.text(uri).map(|before| &before.text);
        if before == Some(&document.text) {
            return;
        }
        let was_kept = before.is_some();
        self.project.set(uri, &document.language, &document.text);
        self.later(uri, DELAY);
        if was_kept || self.project.text(uri).is_some() {
            for other in self.uris().iter().filter(|other| *other != uri) {
                self.later(other, DELAY_OF_OTHERS);
            }
        }
    }

    pub(super) fn saved(&mut self, params: &DocumentParams) {
        let uri = &params.text_document.uri;
        let Some(document) = self.document(uri) else {
            return;
        };
        let is_large = document.is_large();
        self.settings_files.clear();
        if is_settings_file(uri) {
            self.project.unplace();
            self.later_all();
        } else if is_large {
            self.later(uri, 0);
        }
        self.refresh();
    }

    pub(super) fn closed(&mut self, params: &DocumentParams) {
        let uri = &params.text_document.uri;
        if self.document(uri).is_none() {
            return;
        }
        self.documents.retain(|document| document.uri != *uri);
        self.timers.retain(|timer| timer.uri != *uri);
        self.stopped.remove(uri);
        self.unsaved.documents.insert(uri.clone());
        self.publish(uri, None, &Value::Array(Vec::new()));
        self.project.close(uri);
        self.queue.push_front(Task::Reload(vec![uri.clone()]));
    }

    pub(super) fn files_changed(&mut self, params: &WatchedParams) {
        self.settings_files.clear();
        let mut files = Vec::new();
        for event in &params.changes {
            let uri = &event.uri;
            if is_settings_file(uri) {
                self.warned = None;
                self.project.unplace();
                if event.is_deletion() {
                    self.unknown_releases.remove(uri);
                    self.publish(uri, None, &Value::Array(Vec::new()));
                }
            } else if event.is_deletion() {
                files.extend(self.project.files_below(uri));
                files.push(uri.clone());
            } else if is_manifest_file(uri) {
                files.push(uri.clone());
            }
        }
        self.queue.push_front(Task::Reload(files));
    }

    pub(super) fn reload(&mut self, uris: &[String]) -> Result<()> {
        let texts = self.files(uris)?;
        for (uri, text) in uris.iter().zip(texts) {
            self.project.reload(uri, text.as_deref());
        }
        self.later_all();
        Ok(())
    }

    pub(super) fn folders_changed(&mut self, params: &FoldersParams) {
        if !self.can(&["workspace", "workspaceFolders"]) {
            return;
        }
        let removed: Vec<String> = params
            .event
            .removed
            .iter()
            .map(|folder| uri::trimmed(&folder.uri))
            .collect();
        let mut roots = self.roots.clone();
        roots.retain(|root| !removed.contains(root));
        roots.extend(
            params
                .event
                .added
                .iter()
                .map(|folder| uri::trimmed(&folder.uri)),
        );
        self.set_roots(roots);
        // The client does not report changes in a folder while it is removed.
        self.settings_files.clear();
        self.project.unplace();
        self.load();
    }

    // --- the manifests of the workspace ---------------------------------------------------------------------------------

    /// Reads the manifests of all folders anew, beside everything else.
    pub(super) fn load(&mut self) {
        self.project.clear();
        self.load = self.load.saturating_add(1);
        self.loading = None;
        if self.roots.is_empty() {
            return self.later_all();
        }
        self.ask(
            "claimkit/manifests",
            &json!({"folders": self.roots}),
            Purpose::Manifests(self.load),
        );
    }

    pub(super) fn take_manifests(&mut self, load: u64, result: Option<Value>) {
        if load != self.load {
            return;
        }
        self.loading = Some(Loading {
            uris: result.map(strings_of).unwrap_or_default(),
            room: MOST_FILES,
            in_flight: 0,
        });
        self.load_more();
    }

    pub(super) fn take_manifest(&mut self, load: u64, uri: &str, text: Option<String>) {
        let Some(loading) = self.loading.as_mut().filter(|_| load == self.load) else {
            return;
        };
        loading.in_flight = loading.in_flight.saturating_sub(1);
        if loading.room > 0 && self.project.reload(uri, text.as_deref()) {
            loading.room = loading.room.saturating_sub(1);
        }
        self.load_more();
    }

    /// Asks for the next manifests of a load. After the last one all documents are judged again.
    fn load_more(&mut self) {
        while let Some(loading) = &mut self.loading {
            if loading.room == 0 {
                loading.uris.clear();
            }
            if loading.in_flight >= MOST_READS {
                return;
            }
            let Some(uri) = loading.uris.pop_front() else {
                if loading.in_flight == 0 {
                    self.loading = None;
                    self.later_all();
                }
                return;
            };
            loading.in_flight = loading.in_flight.saturating_add(1);
            self.ask(
                "claimkit/read",
                &json!({"uri": uri}),
                Purpose::Manifest(self.load, uri),
            );
        }
    }
}

/// Returns the strings of a list.
fn strings_of(list: Value) -> VecDeque<String> {
    let Value::Array(items) = list else {
        return VecDeque::new();
    };
    let strings = items.into_iter().filter_map(|item| match item {
        Value::String(string) => Some(string),
        _ => None,
    });
    strings.collect()
}

fn is_settings_file(uri: &str) -> bool {
    uri.strip_suffix(NAME)
        .is_some_and(|folder| folder.ends_with('/'))
}

fn is_manifest_file(uri: &str) -> bool {
    [".yaml", ".yml", ".json"]
        .iter()
        .any(|end| uri.ends_with(end))
}
