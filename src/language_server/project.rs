//! The manifests of a project: open documents as they are, and the files of the workspace that nobody has open.

use super::protocol::{Location, Position, Range};
use super::uri;
use crate::editor::foreign;
use crate::editor::symbols::{NameKind, SymbolKind};
use crate::requests::content::{NameContent, SelectorContent, SymbolContent};
use crate::requests::request::{ParseRequest, SymbolsRequest};
use crate::requests::{self, Answer, Content, Request};
use claimkit_model::finding::Code;
use claimkit_model::limits::Limits;
use claimkit_values::order;
use memchr::memmem;
use serde_json::{Map, Value};
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of the texts that a document is judged beside; the nearest ones come first.
const MOST_BESIDE: usize = 2 << 20;

/// Codes of texts of which a reader of several texts does not get to the end.
const SYNTAX: [Code; 4] = [
    Code::YamlSyntax,
    Code::JsonSyntax,
    Code::LimitBytes,
    Code::LimitNodes,
];

/// Returns true for a text that is not a manifest as it is: a template, a kustomization or a patch.
pub fn is_no_manifest(uri: &str, language: &str, text: &str) -> bool {
    let path = uri::decoded(uri);
    language == "helm"
        || foreign::is_kustomization(&path)
        || foreign::is_template(&path, text)
        || foreign::is_patch(text)
}

/// Returns true for a text that is worth reading: it names the API group, pods with claims or nodes.
fn is_of_interest(text: &str) -> bool {
    foreign::is_ours(text) || foreign::names_nodes(text)
}

/// Returns true for a text where a manifest may begin: one without content, with the head of an object, or with its first word.
pub fn is_beginning(text: &str) -> bool {
    if is_empty_object(text) {
        return true;
    }
    let mut lines = text.split(['\n', '\r']);
    let has_content = lines.clone().any(|line| {
        let content = line.trim_start_matches([' ', '\t']);
        content.starts_with(|c: char| c != '#' && c != '-' && !c.is_whitespace())
    });
    !has_content || lines.any(begins_object) || is_first_word(text)
}

/// Returns true for a pair of braces with nothing in it, closed or not.
fn is_empty_object(text: &str) -> bool {
    let inside = text.trim().strip_prefix('{');
    inside.is_some_and(|inside| inside.strip_suffix('}').unwrap_or(inside).trim().is_empty())
}

/// Returns true for a line that begins with `apiVersion:` or `kind:`.
fn begins_object(line: &str) -> bool {
    let line = foreign::without_quote(line);
    let after_key = line
        .strip_prefix("apiVersion")
        .or_else(|| line.strip_prefix("kind"));
    after_key.is_some_and(|rest| foreign::without_quote(rest).trim_start().starts_with(':'))
}

/// Returns true for a text with one word, behind comments and `---`.
fn is_first_word(text: &str) -> bool {
    let mut lines = text
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .skip_while(|line| {
            let content = line.trim_start_matches([' ', '\t']);
            content.is_empty() || content == "---" || content.starts_with('#')
        });
    let is_word = lines.next().is_some_and(|line| {
        let word = line.trim_end_matches([' ', '\t']);
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    is_word && lines.all(|line| line.trim_matches([' ', '\t']).is_empty())
}

/// The parts of a text, the names that it defines and uses, and its selectors.
#[derive(Debug, Default)]
pub struct Parts {
    pub symbols: Vec<SymbolContent>,
    pub names: Vec<NameContent>,
    pub selectors: Vec<SelectorContent>,
}

impl Parts {
    /// Reads a text. One over the limits has no parts.
    pub fn of(text: &str) -> Self {
        let answer = requests::run(&Request::Symbols(SymbolsRequest {
            text: Some(text.to_owned()),
            ..SymbolsRequest::default()
        }));
        match answer.content {
            Content::Symbols {
                symbols,
                names,
                selectors,
            } => Parts {
                symbols,
                names,
                selectors,
            },
            _ => Parts::default(),
        }
    }
}

/// A text with what was made of it, each when it is asked for first.
#[derive(Debug)]
pub struct Text {
    pub uri: String,
    pub text: String,
    /// The cluster that it belongs to: the folder of its settings, or its root; `None` before that is known.
    pub world: Option<String>,
    /// Whether the settings leave it out.
    pub is_excluded: bool,
    parts: OnceCell<Parts>,
    readable: OnceCell<bool>,
    devices: OnceCell<Vec<Value>>,
}

impl Text {
    fn new(uri: &str, text: &str) -> Self {
        Text {
            uri: uri.to_owned(),
            text: text.to_owned(),
            world: None,
            is_excluded: false,
            parts: OnceCell::new(),
            readable: OnceCell::new(),
            devices: OnceCell::new(),
        }
    }

    /// Returns its parts and names.
    pub fn parts(&self) -> &Parts {
        self.parts.get_or_init(|| Parts::of(&self.text))
    }

    /// Says what the object that a name defines asks for: its requests, with their classes.
    pub fn requests_of(&self, definition: &NameContent) -> Option<String> {
        let start = definition.range.start.byte_offset;
        let mut symbols = self.parts().symbols.iter();
        let object = symbols.find(|symbol| symbol.name_range.start.byte_offset == start)?;
        let requests = object.children.iter().filter(|symbol| {
            matches!(symbol.kind, SymbolKind::Request | SymbolKind::Alternative)
                && !symbol.name.is_empty()
        });
        let requests: Vec<String> = requests
            .map(|request| match request.detail.as_str() {
                "" => format!("`{}`", request.name),
                class => format!("`{}` of `{class}`", request.name),
            })
            .collect();
        (!requests.is_empty()).then(|| format!("requests {}", requests.join(", ")))
    }

    fn names(&self) -> &[NameContent] {
        &self.parts().names
    }

    /// Returns true if it may define a class.
    fn names_kind_of_class(&self) -> bool {
        let bytes = self.text.as_bytes();
        memmem::find(bytes, b"DeviceClass").is_some()
            || memmem::find(bytes, b"ResourceClass").is_some()
    }

    fn parse(&self) -> Answer {
        requests::run(&Request::Parse(ParseRequest {
            text: Some(self.text.clone()),
            limits: Limits {
                findings: 1000,
                ..Limits::default()
            },
            ..ParseRequest::default()
        }))
    }

    /// Returns true if a reader of several texts gets to its end.
    pub fn is_readable(&self) -> bool {
        *self.readable.get_or_init(|| {
            let answer = self.parse();
            !answer
                .findings
                .iter()
                .any(|finding| SYNTAX.contains(&finding.code))
        })
    }

    /// Returns the devices of its slices, as selectors see them.
    pub fn devices(&self) -> &[Value] {
        self.devices.get_or_init(|| {
            if memmem::find(self.text.as_bytes(), b"ResourceSlice").is_none() {
                return Vec::new();
            }
            let answer = self.parse();
            let slices = answer
                .objects
                .iter()
                .filter(|object| object.kind == "ResourceSlice");
            slices
                .filter_map(|slice| serde_json::to_value(slice.object.as_ref()?).ok())
                .flat_map(|slice| devices_of(&slice))
                .collect()
        })
    }
}

/// Returns the devices of a slice; up to v1beta1 their content is in `basic`.
fn devices_of(slice: &Value) -> Vec<Value> {
    let spec = slice.get("spec").unwrap_or(&Value::Null);
    let devices = spec.get("devices").and_then(Value::as_array);
    let device = |device: &Value| {
        let content = device.get("basic").unwrap_or(device);
        let driver = spec.get("driver").map(|driver| ("driver", driver));
        let members = ["attributes", "capacity", "allowMultipleAllocations"]
            .iter()
            .filter_map(|name| Some((*name, content.get(name)?)));
        let members: Map<String, Value> = driver
            .into_iter()
            .chain(members)
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect();
        Value::Object(members)
    };
    devices.into_iter().flatten().map(device).collect()
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    kind: u8,
    namespace: String,
    owner: String,
    name: String,
}

impl Named {
    /// Makes the thing of a kind.
    pub fn new(kind: NameKind, namespace: &str, owner: &str, name: &str) -> Self {
        Named {
            kind: kind as u8,
            namespace: namespace.to_owned(),
            owner: owner.to_owned(),
            name: name.to_owned(),
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true for a thing of this kind.
    pub fn is_of(&self, kind: NameKind) -> bool {
        self.kind == kind as u8
    }

    /// Returns the same with another name.
    pub fn renamed(&self, name: &str) -> Self {
        Named {
            name: name.to_owned(),
            ..self.clone()
        }
    }
}

impl From<&NameContent> for Named {
    fn from(name: &NameContent) -> Self {
        Named::new(name.kind, &name.namespace, &name.of, &name.name)
    }
}

/// A place where a thing is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePlace {
    pub location: Location,
    pub is_definition: bool,
}

/// Which files count beside a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Open documents, and the files that are not open.
    Workspace,
    OpenDocuments,
}

impl Scope {
    /// Returns the scope of a setting.
    pub fn of(workspace: bool) -> Self {
        match workspace {
            true => Scope::Workspace,
            false => Scope::OpenDocuments,
        }
    }
}

/// An open document; `text` only if it is of interest.
#[derive(Debug)]
struct OpenText {
    uri: String,
    text: Option<Text>,
}

/// The texts of a project.
#[derive(Debug, Default)]
pub struct Project {
    /// In the order in which they were opened.
    open: Vec<OpenText>,
    /// The files by address.
    closed: BTreeMap<String, Text>,
    /// The files that kustomizations name as patches, by kustomization.
    patches: BTreeMap<String, Vec<String>>,
    /// The names that were defined since the server started, by cluster: a name that is gone was deleted.
    had: BTreeSet<(Option<String>, Named)>,
}

impl Project {
    /// Forgets all files that are not open.
    pub fn clear(&mut self) {
        self.closed.clear();
    }

    /// Takes a file that is not open in; `None`: there is none. Returns whether it is of interest.
    pub fn reload(&mut self, uri: &str, text: Option<&str>) -> bool {
        self.look(uri, text);
        let kept = text.filter(|text| is_of_interest(text) && !is_no_manifest(uri, "", text));
        if self.closed.get(uri).map(|before| before.text.as_str()) == kept {
            return kept.is_some();
        }
        let before = self.closed.remove(uri);
        self.remember(before.as_ref());
        if let Some(text) = kept {
            self.closed.insert(uri.to_owned(), Text::new(uri, text));
        }
        kept.is_some()
    }

    /// Returns the files of a folder that are not open, also those in folders below it.
    pub fn files_below(&self, folder: &str) -> Vec<String> {
        let folder = uri::trimmed(folder);
        let files = self.closed.keys().chain(self.patches.keys());
        let below: BTreeSet<&String> = files.filter(|file| uri::is_inside(file, &folder)).collect();
        below.into_iter().cloned().collect()
    }

    /// Takes the text of an open document in.
    pub fn set(&mut self, uri: &str, language: &str, text: &str) {
        self.look(uri, Some(text));
        let is_kept = is_of_interest(text) && !is_no_manifest(uri, language, text);
        let mut own = is_kept.then(|| Text::new(uri, text));
        let place = self.open.iter().position(|open| open.uri == uri);
        let before = place
            .and_then(|place| self.open.get_mut(place))
            .map(|open| open.text.take());
        let of_file = self.closed.get(uri);
        if let Some(own) = &mut own
            && let Some(known) = before.as_ref().and_then(Option::as_ref).or(of_file)
        {
            own.world.clone_from(&known.world);
            own.is_excluded = known.is_excluded;
        }
        match before {
            Some(before) => self.remember(before.as_ref()),
            None => self.remember_file(uri),
        }
        match place.and_then(|place| self.open.get_mut(place)) {
            Some(open) => open.text = own,
            None => self.open.push(OpenText {
                uri: uri.to_owned(),
                text: own,
            }),
        }
    }

    /// Takes in that a document is closed: its file counts again.
    pub fn close(&mut self, uri: &str) {
        let Some(place) = self.open.iter().position(|open| open.uri == uri) else {
            return;
        };
        let closed = self.open.remove(place);
        if let (Some(text), Some(file)) = (closed.text, self.closed.get_mut(uri)) {
            file.world = text.world;
            file.is_excluded = text.is_excluded;
        }
    }

    /// Takes in which patches a kustomization names.
    pub fn look(&mut self, uri: &str, text: Option<&str>) {
        if !foreign::is_kustomization(uri) {
            return;
        }
        let Some(text) = text else {
            self.patches.remove(uri);
            return;
        };
        let named = foreign::patches_of(text);
        let files = named.iter().filter_map(|name| uri::resolved(name, uri));
        self.patches.insert(uri.to_owned(), files.collect());
    }

    /// Returns the kustomizations beside a file that were not looked at: they may be in no folder of the workspace.
    pub fn kustomizations_beside(&self, uri: &str) -> Vec<String> {
        foreign::KUSTOMIZATIONS
            .iter()
            .map(|name| format!("{}/{name}", uri::parent(uri)))
            .filter(|file| !self.patches.contains_key(file) && !self.is_open(file))
            .collect()
    }

    fn is_open(&self, uri: &str) -> bool {
        self.open.iter().any(|open| open.uri == uri)
    }

    /// Returns true for a file that a kustomization names as a patch.
    pub fn is_patch(&self, uri: &str) -> bool {
        self.patches
            .values()
            .any(|files| files.iter().any(|file| file == uri))
    }

    /// Keeps what a text that goes defined: classes, and what was asked about.
    fn remember(&mut self, text: Option<&Text>) {
        let Some(text) = text else {
            return;
        };
        let parts = if text.names_kind_of_class() {
            text.parts()
        } else if let Some(parts) = text.parts.get() {
            parts
        } else {
            return;
        };
        let defined = parts.names.iter().filter(|name| name.definition);
        self.had
            .extend(defined.map(|name| (text.world.clone(), Named::from(name))));
    }

    fn remember_file(&mut self, uri: &str) {
        let text = self.closed.remove(uri);
        self.remember(text.as_ref());
        self.closed.extend(text.map(|text| (uri.to_owned(), text)));
    }

    /// Returns true if a text that is gone defined a class.
    pub fn has_lost_classes(&self) -> bool {
        let mut lost = self.had.iter().map(|(_, named)| named);
        lost.any(|named| named.is_of(NameKind::DeviceClass) || named.is_of(NameKind::ResourceClass))
    }

    /// Returns the names in a document.
    pub fn names_of(&self, uri: &str) -> &[NameContent] {
        self.text(uri).map_or(&[], Text::names)
    }

    /// Returns true for the use of a name that was defined before, and is not any more.
    pub fn is_gone(&self, uri: &str, name: &NameContent) -> bool {
        let world = self.text(uri).and_then(|text| text.world.clone());
        let named = Named::from(name);
        !name.definition
            && self.had.contains(&(world, named.clone()))
            && !self
                .places(&named, uri, Scope::Workspace)
                .iter()
                .any(|place| place.is_definition)
    }

    /// Returns the addresses of the texts whose cluster is not known yet.
    pub fn unplaced(&self) -> Vec<String> {
        self.all()
            .filter(|text| text.world.is_none())
            .map(|text| text.uri.clone())
            .collect()
    }

    /// Says which cluster a text belongs to, and whether the settings leave it out.
    pub fn place(&mut self, uri: &str, world: String, is_excluded: bool) {
        let open = self.open.iter_mut().find(|open| open.uri == uri);
        let text = match open {
            Some(open) => open.text.as_mut(),
            None => self.closed.get_mut(uri),
        };
        if let Some(text) = text {
            text.world = Some(world);
            text.is_excluded = is_excluded;
        }
    }

    /// Forgets which clusters texts belong to: settings or folders have changed.
    pub fn unplace(&mut self) {
        let open = self.open.iter_mut().filter_map(|open| open.text.as_mut());
        for text in open.chain(self.closed.values_mut()) {
            text.world = None;
        }
    }

    /// Returns the texts of all clusters; an open document stands for its file.
    pub fn all(&self) -> impl Iterator<Item = &Text> {
        let open = self.open.iter().filter_map(|open| open.text.as_ref());
        let closed = self.closed.values();
        open.chain(closed.filter(|text| !self.is_open(&text.uri)))
    }

    /// Returns all texts of a document's cluster.
    pub fn texts(&self, uri: &str, scope: Scope) -> Vec<&Text> {
        let world = self.text(uri).and_then(|text| text.world.as_ref());
        self.all()
            .filter(|text| {
                text.world.as_ref() == world
                    && (!text.is_excluded || text.uri == uri)
                    && (scope == Scope::Workspace || self.is_open(&text.uri))
                    && !self.is_patch(&text.uri)
            })
            .collect()
    }

    /// Returns the text of a document, if it is of interest.
    pub fn text(&self, uri: &str) -> Option<&Text> {
        match self.open.iter().find(|open| open.uri == uri) {
            Some(open) => open.text.as_ref(),
            None => self.closed.get(uri),
        }
    }

    /// Returns the texts beside a document that are not too much, the nearest first.
    pub fn beside(&self, uri: &str, scope: Scope) -> Vec<&Text> {
        let mut others = self.texts(uri, scope);
        others.retain(|text| text.uri != uri);
        order::sort_by_key(&mut others, |text| {
            (Reverse(uri::nearness(&text.uri, uri)), &text.uri)
        });
        let mut size = 0usize;
        others.retain(|text| {
            size = size.saturating_add(text.text.len());
            size <= MOST_BESIDE
        });
        others
    }

    /// Returns the name that is written at a place.
    pub fn name_at(&self, uri: &str, place: Position) -> Option<&NameContent> {
        let mut names = self.text(uri)?.names().iter();
        names.find(|name| {
            let Range { start, end } = Range::from(&name.range);
            start.line == place.line
                && start.character <= place.character
                && place.character <= end.character
        })
    }

    /// Returns the text and the name that define what a name of a document stands for: in the document, or in the first other file.
    pub fn definition(
        &self,
        name: &NameContent,
        document: &str,
        scope: Scope,
    ) -> Option<(&Text, &NameContent)> {
        let wanted = Named::from(name);
        let defined_in = |text: &&Text| text.uri == document;
        let texts = self.texts(document, scope);
        let (own, others): (Vec<&Text>, Vec<&Text>) = texts.into_iter().partition(defined_in);
        own.into_iter().chain(others).find_map(|text| {
            let mut names = text.names().iter();
            let found = names.find(|name| name.definition && Named::from(*name) == wanted)?;
            Some((text, found))
        })
    }

    /// Returns where the things of a document's cluster are defined, in the document before others.
    pub fn definitions(&self, document: &str, scope: Scope) -> BTreeMap<Named, Location> {
        let mut found: BTreeMap<Named, Location> = BTreeMap::new();
        for text in self.texts(document, scope) {
            for name in text.names().iter().filter(|name| name.definition) {
                let location = Location {
                    uri: text.uri.clone(),
                    range: (&name.range).into(),
                };
                let known = found.entry(Named::from(name)).or_insert(location.clone());
                if text.uri == document && known.uri != document {
                    *known = location;
                }
            }
        }
        found
    }

    /// Returns the places where a thing of a document's cluster is named.
    pub fn places(&self, wanted: &Named, document: &str, scope: Scope) -> Vec<NamePlace> {
        let mut places = Vec::new();
        for text in self.texts(document, scope) {
            let same = text
                .names()
                .iter()
                .filter(|name| Named::from(*name) == *wanted);
            places.extend(same.map(|name| NamePlace {
                location: Location {
                    uri: text.uri.clone(),
                    range: (&name.range).into(),
                },
                is_definition: name.definition,
            }));
        }
        places
    }
}

/// Returns the kind of a part in the protocol's numbers.
pub fn symbol_kind(kind: SymbolKind) -> u8 {
    match kind {
        SymbolKind::Object => 19,
        SymbolKind::Request => 8,
        SymbolKind::Alternative => 22,
        SymbolKind::Selector => 12,
        SymbolKind::Constraint => 25,
        SymbolKind::Device => 11,
        SymbolKind::CounterSet => 18,
        SymbolKind::PodClaim => 13,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_may_begin_in_a_text_without_content() {
        for text in [
            "",
            "# a\n---\n  # b\n",
            "\t-\n",
            "Res",
            "# a\r\n---\r\nkin  \r\n\r\n",
            "a: b\n'kind' : x",
            "\"apiVersion\":",
            "{",
            "{\n  \n}\n",
        ] {
            assert!(is_beginning(text), "{text:?}");
        }
        for text in [
            "a: b\n",
            "  kin",
            "one two",
            "one\ntwo",
            "--- x: y\nz:",
            "{}}",
            "{a}",
        ] {
            assert!(!is_beginning(text), "{text:?}");
        }
    }
}
