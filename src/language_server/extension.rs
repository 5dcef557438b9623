//! Lenses and hints, and what claimkit's own extension asks.

use super::actions;
use super::lenses::{self, KnownLenses, Lens};
use super::places::usable;
use super::protocol::{
    ConvertParams, DevicesParams, DocumentParams, GatesParams, HintParams, Position, StateParams,
};
use super::settings::Settings;
use super::{LanguageServer, Result, shape};
use crate::editor::registry;
use crate::requests::request::AllocateRequest;
use crate::requests::{self, Content, Request};
use claimkit_model::text::Source;
use serde_json::{Value, json};

/// What lenses and hints of a document show.
struct LensAnswer {
    settings: Settings,
    found: Vec<Lens>,
}

impl LanguageServer {
    /// Returns what lenses and hints of a document show. While it does not parse, what they showed before.
    fn lenses(&mut self, uri: &str) -> Result<Option<LensAnswer>> {
        if self.asked(uri).is_none() {
            return Ok(None);
        }
        let settings = self.settings_of(uri)?;
        let text = self.project.text(uri);
        let Some(text) = text.filter(|_| !self.is_excluded(uri, &settings)) else {
            return Ok(Some(LensAnswer {
                settings,
                found: Vec::new(),
            }));
        };
        if !text.is_readable()
            && let Some(known) = self.known_lenses.get(uri)
        {
            let found = known.moved(&text.text);
            return Ok(Some(LensAnswer { settings, found }));
        }
        let others = self.project.beside(uri, settings.scope());
        let found = lenses::lenses(text, &others, &settings);
        if text.is_readable() {
            let known = KnownLenses {
                found: found.clone(),
                text: text.text.clone(),
            };
            self.known_lenses.insert(uri.to_owned(), known);
        }
        Ok(Some(LensAnswer { settings, found }))
    }

    pub(super) fn code_lenses(&mut self, params: &DocumentParams) -> Result<Value> {
        let uri = &params.text_document.uri;
        let Some(LensAnswer { settings, found }) = self.lenses(uri)? else {
            return Ok(json!([]));
        };
        if !settings.lenses {
            return Ok(json!([]));
        }
        let mut shown = Vec::with_capacity(found.len());
        for Lens { range, title, pod } in found {
            let command = match pod {
                Some(pod) if self.has_commands => {
                    json!({"title": title, "command": "claimkit.devices", "arguments": [uri, pod]})
                }
                _ => json!({"title": title, "command": ""}),
            };
            shown.push(json!({"range": range, "command": command}));
        }
        Ok(json!(shown))
    }

    pub(super) fn inlay_hints(&mut self, params: &HintParams) -> Result<Value> {
        let uri = &params.text_document.uri;
        let Some(LensAnswer { settings, found }) = self.lenses(uri)? else {
            return Ok(json!([]));
        };
        // Editors with lenses show it there already.
        let has_lenses = self.can(&["textDocument", "codeLens"]);
        if !settings.inlay_hints.unwrap_or(!has_lenses) {
            return Ok(json!([]));
        }
        let Some(document) = self.document(uri) else {
            return Ok(json!([]));
        };
        let source = Source::new(document.text.as_str());
        let mut hints = Vec::new();
        for lens in found {
            if !lens.range.meets(params.range) {
                continue;
            }
            let line = lens.range.start.line;
            let end = source.position(source.line_span(line as usize).to());
            hints.push(json!({
                "position": Position { line, character: end.character },
                "label": lens.title,
                "paddingLeft": true,
            }));
        }
        Ok(json!(hints))
    }

    /// Says whether a document is ours, and what judges it.
    pub(super) fn state(&mut self, params: &StateParams) -> Result<Value> {
        let settings = self.settings_of(&params.uri)?;
        let document = self.document(&params.uri);
        let is_ours = document.is_some_and(|document| self.is_for_us(document));
        let mut state = json!({"ours": is_ours, "gates": settings.gates});
        if let Some(release) = settings.release {
            super::answers::set(&mut state, "release", json!(release));
        }
        Ok(state)
    }

    /// Returns a document in another version, or why there is none.
    pub(super) fn convert(&mut self, params: &ConvertParams) -> Result<Value> {
        self.settings_of(&params.uri)?;
        let text = self
            .document(&params.uri)
            .map(|document| document.text.as_str());
        let answer = usable(actions::convert(text.unwrap_or_default(), &params.to))?;
        Ok(match actions::converted(&answer) {
            Ok(text) => json!({"text": text}),
            Err(why) => json!({"why": why.as_deref().unwrap_or("nothing to convert")}),
        })
    }

    /// Returns the devices that the pods of a document get, as `allocate` answers; null if there is neither a pod nor a claim.
    pub(super) fn devices(&mut self, params: &DevicesParams) -> Result<Value> {
        let uri = &params.uri;
        if self.project.text(uri).is_none() {
            return Ok(Value::Null);
        }
        let settings = self.settings_of(uri)?;
        let Some(text) = self.project.text(uri) else {
            return Ok(Value::Null);
        };
        let others = self.project.beside(uri, settings.scope());
        let more = AllocateRequest {
            pod: params.pod.clone(),
            ..AllocateRequest::default()
        };
        let answer = usable(lenses::allocate(&text.text, &others, &settings, more))?;
        Ok(match answer.content {
            Content::Allocate { release, pods, .. } if !pods.is_empty() => {
                json!({"release": release, "pods": shape(pods)})
            }
            _ => Value::Null,
        })
    }
}

/// Returns the releases with the versions that each serves.
pub fn releases() -> Value {
    registry::releases(None)
        .iter()
        .map(|release| {
            json!({
                "release": release.release,
                "lastPatch": release.last_patch,
                "versions": version_names(release),
            })
        })
        .collect()
}

/// Returns the names of the versions that a release serves, without their group.
fn version_names(release: &registry::ReleaseEntry) -> Vec<&str> {
    release
        .versions
        .iter()
        .filter_map(|version| Some(version.api_version.split_once('/')?.1))
        .collect()
}

/// Returns the gates of a release of the device family, with their defaults.
pub fn gates(params: GatesParams) -> Result<Value> {
    let answer = usable(requests::run(&Request::Allocate(AllocateRequest {
        text: Some(String::new()),
        release: params.release,
        ..AllocateRequest::default()
    })))?;
    Ok(match answer.content {
        Content::Allocate { gates, .. } => shape(gates),
        _ => Value::Null,
    })
}
