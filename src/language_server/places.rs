//! What is asked about a place of a document.

use super::answers::{self, CompletionClient};
use super::project::{NamePlace, Named, Parts, Scope, is_beginning, symbol_kind};
use super::protocol::{
    DocumentParams, PlaceParams, Position, Range, ReferenceParams, RenameParams, ResponseError,
    SymbolParams, TextEdit, code,
};
use super::renames::{self, FileEdit};
use super::{LanguageServer, Result, lenses, refuse, shape, uri};
use crate::editor::symbols::{NameKind, SymbolKind};
use crate::editor::{folding, foreign};
use crate::requests::content::SymbolContent;
use crate::requests::request::{PositionRequest, TextPosition};
use crate::requests::{self, Answer, Content, Request};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Objects of one file that a search of the workspace shows.
const MOST_SYMBOLS: usize = 200;

/// DocumentHighlightKind
const READ: u8 = 2;
const WRITE: u8 = 3;

/// A name with the places where it is written.
struct FoundName {
    named: Named,
    places: Vec<NamePlace>,
    /// Which files were searched.
    scope: Scope,
}

impl LanguageServer {
    /// Makes the request about a place.
    fn position_request(&mut self, uri: &str, place: Position) -> Result<PositionRequest> {
        let settings = self.settings_of(uri)?;
        let text = self.document(uri).map(|document| document.text.clone());
        Ok(PositionRequest {
            text,
            position: Some(TextPosition {
                line: Some(place.line),
                character: Some(place.character),
                ..TextPosition::default()
            }),
            release: settings.release.clone(),
            gates: settings.gates.clone(),
            beside: self.named_beside(uri, &settings),
            sentences: self.sentences_of(&settings.locale),
            locale: Some(settings.locale),
            ..PositionRequest::default()
        })
    }

    pub(super) fn hover(&mut self, params: &PlaceParams) -> Result<Value> {
        let uri = &params.text_document.uri;
        if self.asked(uri).is_none() {
            return Ok(Value::Null);
        }
        let request = self.position_request(uri, params.position)?;
        let answer = usable(requests::run(&Request::Hover(request)))?;
        let field = match answer.content {
            Content::Hover { hover: Some(hover) } => Some(hover),
            _ => None,
        };
        let Some((range, said)) = self.said_of_name(uri, params.position)? else {
            return Ok(field.map_or(Value::Null, |hover| answers::hover(&hover)));
        };
        let value = match field {
            Some(hover) => format!("{said}\n\n---\n\n{}", answers::hover_text(&hover)),
            None => said,
        };
        Ok(json!({"contents": {"kind": "markdown", "value": value}, "range": range}))
    }

    /// Says what the name of an object at a place stands for: where the object is, and what it selects or asks for. `None` without one.
    fn said_of_name(&mut self, uri: &str, place: Position) -> Result<Option<(Range, String)>> {
        let settings = self.settings_of(uri)?;
        let Some(name) = self.project.name_at(uri, place) else {
            return Ok(None);
        };
        let Some(kind) = kind_of_object(name.kind) else {
            return Ok(None);
        };
        let Some((text, definition)) = self.project.definition(name, uri, settings.scope()) else {
            return Ok(None);
        };
        let mut said = format!("{kind} `{}`", definition.name);
        if text.uri != uri {
            let file = uri::relative(&text.uri, self.roots.iter().map(String::as_str));
            let target = target(&text.uri, Range::from(&definition.range));
            said.push_str(&format!(" in [`{file}`](<{target}>)"));
        }
        let others = self.project.beside(&text.uri, settings.scope());
        let about = match name.kind {
            // Gates that there are not are said by diagnostics.
            NameKind::DeviceClass => {
                lenses::of_class(text, definition, &others, &settings).unwrap_or_default()
            }
            _ => text.requests_of(definition),
        };
        if let Some(about) = about {
            said.push_str(&format!(": {about}"));
        }
        Ok(Some(((&name.range).into(), said)))
    }

    pub(super) fn completion(&mut self, params: &PlaceParams) -> Result<Value> {
        let uri = &params.text_document.uri;
        let can_begin = self.document(uri).is_some_and(|document| {
            !document.is_large()
                && !self.is_no_manifest(document)
                && (foreign::is_ours(&document.text) || is_beginning(&document.text))
        });
        if !can_begin {
            return Ok(json!([]));
        }
        let request = self.position_request(uri, params.position)?;
        let answer = usable(requests::run(&Request::Complete(request)))?;
        let client = self.completion_client();
        let items = match &answer.content {
            Content::Complete { items } => items.as_slice(),
            _ => &[],
        };
        let items = items.iter().enumerate();
        Ok(items
            .map(|(index, item)| answers::completion(index, item, client))
            .collect())
    }

    fn completion_client(&self) -> CompletionClient {
        let item = ["textDocument", "completion", "completionItem"];
        let formats = item
            .iter()
            .chain(&["documentationFormat"])
            .try_fold(&self.capabilities, |value, name| value.get(name))
            .and_then(Value::as_array);
        CompletionClient {
            has_snippets: self.can(&[item.as_slice(), &["snippetSupport"]].concat()),
            has_markdown: formats.is_some_and(|formats| formats.contains(&json!("markdown"))),
        }
    }

    // --- outlines -------------------------------------------------------------------------------------------------------

    pub(super) fn document_symbols(&mut self, params: &DocumentParams) -> Result<Value> {
        let uri = &params.text_document.uri;
        let Some(document) = self.asked(uri) else {
            return Ok(json!([]));
        };
        let known = self
            .project
            .text(uri)
            .filter(|text| text.text == document.text);
        let made;
        let parts = match known {
            Some(text) => text.parts(),
            None => {
                made = Parts::of(&document.text);
                &made
            }
        };
        let is_nested = self.can(&[
            "textDocument",
            "documentSymbol",
            "hierarchicalDocumentSymbolSupport",
        ]);
        if is_nested {
            return Ok(parts.symbols.iter().map(symbol).collect());
        }
        let mut flat = Vec::new();
        for symbol in &parts.symbols {
            flatten(symbol, uri, None, &mut flat);
        }
        Ok(flat.into())
    }

    pub(super) fn workspace_symbols(&mut self, params: &SymbolParams) -> Result<Value> {
        let wanted = params.query.to_lowercase();
        let mut found = Vec::new();
        for text in self.project.all() {
            if text.is_excluded || self.project.is_patch(&text.uri) {
                continue;
            }
            let symbols = text.parts().symbols.iter().filter(|symbol| {
                !symbol.name.is_empty() && symbol.name.to_lowercase().contains(&wanted)
            });
            found.extend(symbols.take(MOST_SYMBOLS).map(|symbol| {
                json!({
                    "name": symbol.name,
                    "kind": symbol_kind(symbol.kind),
                    "containerName": symbol.detail,
                    "location": {"uri": text.uri, "range": Range::from(&symbol.name_range)},
                })
            }));
        }
        Ok(found.into())
    }

    /// Returns what can be folded; null for documents of others, which editors fold as they do without this.
    pub(super) fn folds(&self, params: &DocumentParams) -> Result<Value> {
        let Some(document) = self.asked(&params.text_document.uri) else {
            return Ok(Value::Null);
        };
        let folds = folding::folds(&document.text).into_iter().map(|fold| {
            let mut shape = json!({"startLine": fold.first_line, "endLine": fold.last_line});
            if fold.is_comment {
                answers::set(&mut shape, "kind", json!("comment"));
            }
            shape
        });
        Ok(folds.collect())
    }

    /// Returns the names whose objects are in other files, as links to these.
    pub(super) fn links(&mut self, params: &DocumentParams) -> Result<Value> {
        let uri = &params.text_document.uri;
        if self.asked(uri).is_none() {
            return Ok(json!([]));
        }
        let settings = self.settings_of(uri)?;
        let Some(text) = self.project.text(uri) else {
            return Ok(json!([]));
        };
        let definitions = self.project.definitions(uri, settings.scope());
        let mut links = Vec::new();
        for name in text.parts().names.iter().filter(|name| !name.definition) {
            let Some(location) = definitions.get(&Named::from(name)) else {
                continue;
            };
            if location.uri != *uri {
                links.push(json!({
                    "range": Range::from(&name.range),
                    "target": target(&location.uri, location.range),
                }));
            }
        }
        Ok(links.into())
    }

    // --- names ----------------------------------------------------------------------------------------------------------

    /// Finds the name at a place; `None` without one.
    fn found_name(&mut self, uri: &str, place: Position) -> Result<Option<FoundName>> {
        let settings = self.settings_of(uri)?;
        let Some(name) = self.project.name_at(uri, place) else {
            return Ok(None);
        };
        let named = Named::from(name);
        let places = self.project.places(&named, uri, settings.scope());
        Ok(Some(FoundName {
            named,
            places,
            scope: settings.scope(),
        }))
    }

    pub(super) fn definition(&mut self, params: &PlaceParams) -> Result<Value> {
        let found = self.found_name(&params.text_document.uri, params.position)?;
        Ok(locations(found, |place| place.is_definition))
    }

    pub(super) fn references(&mut self, params: &ReferenceParams) -> Result<Value> {
        let found = self.found_name(&params.text_document.uri, params.position)?;
        let with_definitions = params.context.include_declaration;
        Ok(locations(found, |place| {
            with_definitions || !place.is_definition
        }))
    }

    pub(super) fn highlights(&mut self, params: &PlaceParams) -> Result<Value> {
        let uri = &params.text_document.uri;
        let Some(name) = self.project.name_at(uri, params.position) else {
            return Ok(Value::Null);
        };
        let named = Named::from(name);
        let mut highlights = Vec::new();
        for place in self.project.places(&named, uri, Scope::Workspace) {
            if place.location.uri == *uri {
                let kind = if place.is_definition { WRITE } else { READ };
                highlights.push(json!({"range": place.location.range, "kind": kind}));
            }
        }
        Ok(highlights.into())
    }

    pub(super) fn prepare_rename(&mut self, params: &PlaceParams) -> Result<Value> {
        let name = self
            .project
            .name_at(&params.text_document.uri, params.position);
        Ok(name.map_or(
            Value::Null,
            |name| json!({"range": Range::from(&name.range), "placeholder": name.name}),
        ))
    }

    pub(super) fn rename(&mut self, params: &RenameParams) -> Result<Value> {
        let (uri, new_name) = (&params.text_document.uri, &params.new_name);
        let Some(found) = self.found_name(uri, params.position)? else {
            return Ok(Value::Null);
        };
        if !renames::is_accepted(&found.named, new_name) {
            let message = format!("`{new_name}` is not a name that Kubernetes accepts");
            return refuse(code::INVALID_PARAMS, message);
        }
        let others = self
            .project
            .places(&found.named.renamed(new_name), uri, found.scope);
        if others.iter().any(|place| place.is_definition) {
            return refuse(code::INVALID_PARAMS, format!("`{new_name}` exists already"));
        }
        let texts = self.project.texts(uri, found.scope);
        if let Some(text) = texts
            .iter()
            .find(|text| renames::is_domain(text, &found.named))
        {
            let file = uri::relative(&text.uri, self.roots.iter().map(String::as_str));
            let message = format!(
                "`{}` is also the domain of attributes in `{file}`, which a rename does not change: change the expressions and constraints first",
                found.named.name()
            );
            return refuse(code::INVALID_PARAMS, message);
        }
        let mut edits = Vec::new();
        for place in &found.places {
            let text = self.project.text(&place.location.uri);
            edits.extend(text.map(|text| renames::edit(text, place, new_name)));
        }
        for text in texts {
            edits.extend(renames::resources(text, &found.named, new_name));
        }
        let mut changes: BTreeMap<String, Vec<TextEdit>> = BTreeMap::new();
        for FileEdit { uri, edit } in edits {
            changes.entry(uri).or_default().push(edit);
        }
        Ok(json!({"changes": changes}))
    }
}

/// Returns an answer, or why the request cannot be used.
pub fn usable(answer: Answer) -> Result<Answer> {
    match answer.error {
        Some(error) => Err(ResponseError::new(code::INTERNAL_ERROR, error.as_str()).into()),
        None => Ok(answer),
    }
}

/// Returns the address of a place in a file, as editors open it.
fn target(uri: &str, range: Range) -> String {
    let Position { line, character } = range.start;
    let (line, column) = (line.saturating_add(1), character.saturating_add(1));
    format!("{uri}#L{line},{column}")
}

/// Returns the kind of the objects that a name stands for; `None` for names of other things.
fn kind_of_object(kind: NameKind) -> Option<&'static str> {
    match kind {
        NameKind::DeviceClass => Some("DeviceClass"),
        NameKind::ResourceClass => Some("ResourceClass"),
        NameKind::ResourceClaim => Some("ResourceClaim"),
        NameKind::ResourceClaimTemplate => Some("ResourceClaimTemplate"),
        NameKind::Request
        | NameKind::Alternative
        | NameKind::PodClaim
        | NameKind::Driver
        | NameKind::Pool
        | NameKind::Device
        | NameKind::CounterSet => None,
    }
}

/// Returns the places of a name that are wanted; null without a name.
fn locations(found: Option<FoundName>, is_wanted: impl Fn(&NamePlace) -> bool) -> Value {
    let Some(FoundName { places, .. }) = found else {
        return Value::Null;
    };
    let wanted = places.into_iter().filter(is_wanted);
    wanted.map(|place| shape(place.location)).collect()
}

/// Returns the name that an outline shows for a part.
fn shown_name(symbol: &SymbolContent) -> String {
    let kind = shape(symbol.kind);
    let kind = kind.as_str().unwrap_or_default();
    match (symbol.name.as_str(), symbol.kind) {
        ("", SymbolKind::Selector | SymbolKind::Constraint) if symbol.detail.is_empty() => {
            kind.to_owned()
        }
        ("", SymbolKind::Selector | SymbolKind::Constraint) => symbol.detail.clone(),
        ("", _) => format!("({kind})"),
        (name, _) => name.to_owned(),
    }
}

/// Returns a part in the protocol's shape; parts are nested four levels deep at most.
fn symbol(content: &SymbolContent) -> Value {
    let mut shape = json!({
        "name": shown_name(content),
        "kind": symbol_kind(content.kind),
        "range": Range::from(&content.range),
        "selectionRange": Range::from(&content.name_range),
        "children": content.children.iter().map(symbol).collect::<Value>(),
    });
    if !content.name.is_empty() && !content.detail.is_empty() {
        answers::set(&mut shape, "detail", json!(content.detail));
    }
    shape
}

/// Adds a part and those in it, for clients without nested ones.
fn flatten(symbol: &SymbolContent, uri: &str, over: Option<&str>, found: &mut Vec<Value>) {
    let name = shown_name(symbol);
    let mut shape = json!({
        "name": name,
        "kind": symbol_kind(symbol.kind),
        "location": {"uri": uri, "range": Range::from(&symbol.range)},
    });
    if let Some(over) = over {
        answers::set(&mut shape, "containerName", json!(over));
    }
    found.push(shape);
    for child in &symbol.children {
        flatten(child, uri, Some(&name), found);
    }
}
