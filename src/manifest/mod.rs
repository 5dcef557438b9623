//! From a file to its objects: Lists flattened as kubectl does, each object recognized by version, kind and release.

pub mod cluster_release;
pub(crate) mod clusters;
pub mod findings;
pub mod index;
pub mod kubectl;
pub mod meta_errors;
pub mod paths;
pub mod pod_specs;
pub mod snapshot_notes;

use crate::advice::locate;
use claimkit_model::finding::{Code, Edit, Finding, Origin, Severity, Step};
use claimkit_model::limits::Limits;
use claimkit_model::message::{Message, Words, message};
use claimkit_model::object::decode::Via;
use claimkit_model::schema::{self, Api, GROUP, Release};
use claimkit_model::text::edit::Edits;
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::stream::{self, AfterJson, Stream};
use claimkit_model::text::tree::{Entry, Kind, NodeId, Tree};
use claimkit_model::text::{Document, File, Mode, SourceText, Span};

/// One object of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Item {
    /// Index of its document.
    pub document: usize,
    pub node: NodeId,
    /// The place of the object: the document, or the item of a List.
    pub span: Span,
    /// Its index in the List it came from.
    pub list_index: Option<usize>,
    /// `apiVersion` as the server reads it; empty if missing.
    pub api_version: String,
    /// `kind` as the server reads it; empty if missing.
    pub kind: String,
    /// `metadata.name`, empty if missing or not a string.
    pub name: String,
    /// `metadata.namespace`, likewise.
    pub namespace: String,
    /// The release it is judged by.
    pub release: Release,
    pub what: What,
}

/// The kind of an object.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum What {
    /// An object of this group with a table in its release.
    Ours(Api),
    /// An object of this group that the release does not know, or no object at all: the server's answer.
    Refused(Finding),
    /// An object of another group: not looked into.
    Other,
}

/// A file and its objects.
///
/// ```
/// use claimkit::{Input, Limits, Via};
///
/// let text = "
/// apiVersion: resource.k8s.io/v1
/// kind: DeviceClass
/// metadata: {name: gpu}
/// spec: {selectors: []}
/// ";
/// let input = Input::read(text, None, &Limits::default());
/// let item = &input.items[0];
/// assert_eq!((item.kind.as_str(), item.name.as_str()), ("DeviceClass", "gpu"));
/// assert!(input.tree(item).unwrap().get(item.node, "spec").is_some());
/// assert_eq!(input.mode(item), claimkit_yaml::Mode::Yaml);
///
/// let object: serde_json::Value = input.deserialize(0).unwrap();
/// assert_eq!(object["metadata"]["name"], "gpu");
///
/// // The server takes a body as one object.
/// assert_eq!(Input::read_via(text, Via::Server, None, &Limits::default()).items.len(), 1);
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Input<'s> {
    pub file: File<'s>,
    /// Its objects in order.
    pub items: Vec<Item>,
}

impl<'s> Input<'s> {
    /// Reads a text, or several, as kubectl does. `release`: `None` takes the last release that serves each object's version.
    pub fn read(
        text: impl Into<SourceText<'s>>,
        release: Option<Release>,
        limits: &Limits,
    ) -> Self {
        Input::read_via(text, Via::Kubectl, release, limits)
    }

    /// Reads a text on its way to the server. kubectl rejects some documents itself, with its own messages; sent directly to the
    /// server, they get the server's messages.
    pub fn read_via(
        text: impl Into<SourceText<'s>>,
        via: Via,
        release: Option<Release>,
        limits: &Limits,
    ) -> Self {
        let mut passage = Passage::open(text, via, release, limits);
        while passage.go_on() {}
        passage.input
    }

    /// Reads a text without kubectl's checks of its objects, with what follows a JSON value as given.
    pub(crate) fn read_unchecked(
        text: impl Into<SourceText<'s>>,
        after_json: AfterJson,
        release: Option<Release>,
        limits: &Limits,
    ) -> Self {
        let mut passage = Passage::open_after(text, Via::Validator, after_json, release, limits);
        while passage.go_on() {}
        passage.input
    }

    /// Splits the last document into objects. If kubectl cannot decode it, adds a finding; later documents are still read.
    fn take_apart(&mut self, release: Option<Release>) {
        let Input { file, items } = self;
        let Some((document, before)) = file.documents.split_last() else {
            return;
        };
        let Some(root) = document.root else { return };
        for object in kubectl::objects(
            &document.tree,
            root,
            document.mode,
            release.unwrap_or(Release::latest()),
        ) {
            match object {
                Ok(sent) => {
                    let span = if sent.list_index.is_some() {
                        document.tree.span(sent.node)
                    } else {
                        document.span
                    };
                    let meta = TypeMeta {
                        api_version: sent.api_version,
                        kind: sent.kind,
                    };
                    items.push(item(
                        document,
                        before.len(),
                        sent.node,
                        span,
                        sent.list_index,
                        Ok(meta),
                        release,
                    ));
                }
                Err(refused) => file.findings.push(kubectl_refusal(&document.tree, refused)),
            }
        }
    }

    /// Takes objects that kubectl refuses for a field of their metadata alone, if they are copies of stored ones: parts of pasted
    /// dumps are often blacked out.
    #[doc(hidden)]
    pub fn take_copies(&mut self, release: Option<Release>) {
        let Input { file, items } = self;
        let is_of_metadata = |finding: &Finding| {
            finding.code == Code::TypeMismatch && finding.origin == Origin::Kubectl
        };
        if !file.findings.iter().any(is_of_metadata) {
            return;
        }
        let mut taken: Vec<(Span, bool)> = Vec::new();
        for (index, document) in file.documents.iter().enumerate() {
            let (tree, Some(root)) = (&document.tree, document.root) else {
                continue;
            };
            let known = release.unwrap_or(Release::latest());
            for object in kubectl::objects(tree, root, document.mode, known) {
                let Err(kubectl::ManifestRefusal {
                    node,
                    list_index,
                    field: Some(field),
                    ..
                }) = object
                else {
                    continue;
                };
                if !is_copy(tree, node) {
                    continue;
                }
                let text = |key: &str| {
                    let node = tree.get(node, key);
                    node.and_then(|node| tree.str(node)).unwrap_or_default()
                };
                let meta = TypeMeta {
                    api_version: text("apiVersion").to_owned(),
                    kind: text("kind").to_owned(),
                };
                let span = tree.span(node);
                let item = item(document, index, node, span, list_index, Ok(meta), release);
                // Reading an object of ours says the same again.
                taken.push((field.span, matches!(item.what, What::Ours(_))));
                items.push(item);
            }
        }
        file.findings.retain_mut(|finding| {
            let known = taken.iter().find(|(span, _)| finding.span == Some(*span));
            let Some((_, is_said_again)) = known.filter(|_| is_of_metadata(finding)) else {
                return true;
            };
            finding.severity = Severity::Warning;
            !is_said_again
        });
    }

    fn take_whole(&mut self, release: Option<Release>) {
        let Input { file, items } = self;
        if let Some(error) = &file.json_error {
            let message = match file.documents.first() {
                None => error.message.clone(),
                // The server reads one value; kubectl would have read one after another.
                Some(first) => after_top_level(file.source.text(), first.span.to()),
            };
            file.documents.clear();
            for finding in &mut file.findings {
                if finding.code == Code::JsonSyntax {
                    finding.origin = Origin::ApiServer;
                    finding.message = Words::upstream(meta_errors::not_json(&message));
                }
            }
        }
        for (index, document) in file.documents.iter().enumerate() {
            if let Some(root) = document.root {
                flatten(document, index, root, release, items);
            }
        }
        // Warn of text that is never read; the server's findings cover the rest.
        if file.documents.is_empty()
            && file
                .findings
                .iter()
                .all(|finding| finding.severity != Severity::Error)
        {
            let empty = if file.source.text().is_empty() {
                ""
            } else {
                "null"
            };
            file.findings.push(Finding::upstream(
                Code::NoKind,
                Origin::ApiServer,
                format!("Object 'Kind' is missing in '{empty}'"),
            ));
        }
    }

    /// Returns the tree of an object's document.
    pub fn tree(&self, item: &Item) -> Option<&Tree<'s>> {
        self.file
            .documents
            .get(item.document)
            .map(|document| &document.tree)
    }

    /// Fills any serde type from the object with this index, e.g. `k8s-openapi`'s `ResourceClaim`.
    ///
    /// # Errors
    /// The first value that does not fit, with its place; also if there is no such object.
    pub fn deserialize<'i, T: serde::Deserialize<'i>>(
        &'i self,
        index: usize,
    ) -> Result<T, claimkit_model::text::de::DeserializeError> {
        let item = self.items.get(index);
        match item.and_then(|item| self.tree(item).map(|tree| (tree, item.node))) {
            Some((tree, node)) => claimkit_model::text::de::deserialize(tree, node),
            None => Err(serde::de::Error::custom(message!(
                "manifest.no-such-object",
                "there is no object {index}, the text has {count}",
                index,
                count = self.items.len(),
            ))),
        }
    }

    /// Returns the format in which an object's document was read.
    pub fn mode(&self, item: &Item) -> Mode {
        self.file
            .documents
            .get(item.document)
            .map_or(Mode::Yaml, |document| document.mode)
    }
}

/// First minor release whose kubectl reads on as YAML where a stream of JSON cannot be read.
const JSON_READS_ON: u8 = 33;

/// Returns how kubectl of a release reads what follows a JSON value; `None`: the newest one.
pub(crate) fn after_json_of_kubectl(release: Option<Release>) -> AfterJson {
    if release.is_none_or(|release| release.minor >= JSON_READS_ON) {
        AfterJson::ReadOn
    } else {
        AfterJson::Stop
    }
}

/// Reads a text document by document. Only the last document read is kept, unless the caller wants all at once.
pub struct Passage<'s> {
    /// The file, its findings so far, and the objects of the document that was read last.
    pub input: Input<'s>,
    stream: Stream<'s>,
    via: Via,
    release: Option<Release>,
    over: bool,
}

impl<'s> Passage<'s> {
    /// Begins to read as [`Input::read_via`] does.
    pub fn open(
        text: impl Into<SourceText<'s>>,
        via: Via,
        release: Option<Release>,
        limits: &Limits,
    ) -> Self {
        let after_json = match via {
            Via::Kubectl => after_json_of_kubectl(release),
            Via::Validator | Via::Server => AfterJson::Stop,
        };
        Passage::open_after(text, via, after_json, release, limits)
    }

    fn open_after(
        text: impl Into<SourceText<'s>>,
        via: Via,
        after_json: AfterJson,
        release: Option<Release>,
        limits: &Limits,
    ) -> Self {
        let (file, stream) = stream::open(text, after_json, limits);
        Passage {
            input: Input {
                file,
                items: Vec::new(),
            },
            stream,
            via,
            release,
            over: false,
        }
    }

    /// Replaces the current document and its objects by the next one, or by all remaining ones if `all`; returns false at the
    /// end. A text sent directly to the server is one document.
    pub fn advance(&mut self, all: bool) -> bool {
        self.input.file.documents.clear();
        self.input.items.clear();
        let advanced = self.go_on();
        while all && self.go_on() {}
        advanced
    }

    /// Returns true if nothing follows.
    pub fn is_spent(&self) -> bool {
        self.over || self.stream.is_spent(&self.input.file)
    }

    /// Adds the next document.
    fn go_on(&mut self) -> bool {
        let Passage {
            input,
            stream,
            via,
            release,
            over,
        } = self;
        if *over {
            return false;
        }
        match via {
            Via::Kubectl => {
                let Some(document) = stream.next(&mut input.file) else {
                    return false;
                };
                input.file.documents.push(document);
                input.take_apart(*release);
            }
            Via::Validator | Via::Server => {
                while let Some(document) = stream.next(&mut input.file) {
                    input.file.documents.push(document);
                }
                input.take_whole(*release);
                *over = true;
            }
        }
        true
    }
}

/// Returns true if an object has an allocation, or metadata that only the server writes.
fn is_copy(tree: &Tree<'_>, node: NodeId) -> bool {
    // Tools that write manifests from Go types print `creationTimestamp: null`, and some redact by leaving texts empty.
    let has = |part: &str, field: &str| {
        let value = tree.get(node, part).and_then(|part| tree.get(part, field));
        value.is_some_and(|value| !is_empty(tree, value))
    };
    has("status", "allocation")
        || [
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "managedFields",
        ]
        .iter()
        .any(|field| has("metadata", field))
}

fn is_empty(tree: &Tree<'_>, value: NodeId) -> bool {
    match tree.kind(value) {
        Kind::Null => true,
        Kind::Seq { .. } => tree.items(value).is_empty(),
        _ => tree.str(value) == Some(""),
    }
}

/// Reports kubectl's refusal of a document: at the metadata field it means, else at the object's beginning.
fn kubectl_refusal(tree: &Tree<'_>, refused: kubectl::ManifestRefusal) -> Finding {
    let Some(field) = refused.field else {
        let span = locate::head(tree, refused.node);
        let finding =
            Finding::upstream(Code::NoKind, Origin::Kubectl, refused.message).with_span(span);
        if is_cut_list(tree, refused.node) {
            return finding.with_help(message!(
                "manifest.list-without-kind",
                "the end of the text may be missing: kubectl prints `kind: List` after the items"
            ));
        }
        if let Some(help) = not_an_object(tree, refused.node) {
            return finding.with_help(help);
        }
        return at_misspelt(finding, tree, refused.node);
    };
    let finding = Finding::upstream(Code::TypeMismatch, Origin::Kubectl, refused.message)
        .with_span(field.span);
    match (field.correction, field.help) {
        (Some(correction), _) => finding
            .with_help(correction.help)
            .with_fix(correction.title, correction.edits),
        (None, Some(help)) => finding.with_help(help),
        (None, None) => finding,
    }
}

/// Returns what to do with a document that is a list or a string.
fn not_an_object(tree: &Tree<'_>, root: NodeId) -> Option<Message> {
    if tree.str(root).is_some() {
        return Some(message!(
            "manifest.string",
            "this is text, and not a manifest: `kubectl get -o yaml` prints one"
        ));
    }
    let first = *tree.items(root).first()?;
    let has = |key| tree.get(first, key).is_some();
    if has("op") && has("path") {
        return Some(message!(
            "manifest.patch",
            "these are operations of a JSON patch: `claimkit patch --type json` applies them to an object"
        ));
    }
    has("kind").then(|| {
        message!(
            "manifest.bare-list",
            "kubectl reads no list alone: write the objects one after the other, or as `items` of an object with `apiVersion: v1` and `kind: List`"
        )
    })
}

/// Returns true if the document has what kubectl prints of a List before its kind.
fn is_cut_list(tree: &Tree<'_>, root: NodeId) -> bool {
    tree.get(root, "kind").is_none() && kubectl::is_list(tree, root)
}

/// Adds the objects of a document. kubectl treats any document whose `items` is an array as a List, whatever its kind
/// (cli-runtime, pkg/resource/visitor.go, `FlattenListVisitor`).
fn flatten(
    document: &Document<'_>,
    index: usize,
    root: NodeId,
    release: Option<Release>,
    items: &mut Vec<Item>,
) {
    let tree = &document.tree;
    let listed = tree
        .get(root, "items")
        .filter(|&list| matches!(tree.kind(list), Kind::Seq { .. }));
    match listed {
        None => items.push(item(
            document,
            index,
            root,
            document.span,
            None,
            type_meta(tree, root),
            release,
        )),
        Some(list) => {
            let of_list = type_meta(tree, root).ok();
            for (at, &node) in tree.items(list).iter().enumerate() {
                let meta = type_meta(tree, node).map(|meta| meta.or_of_list(of_list.as_ref()));
                items.push(item(
                    document,
                    index,
                    node,
                    tree.span(node),
                    Some(at),
                    meta,
                    release,
                ));
            }
        }
    }
}

/// Returns one object at a node of a document, as the server receives it; Lists are not split.
pub fn object(document: &Document<'_>, node: NodeId, release: Option<Release>) -> Item {
    let tree = &document.tree;
    item(
        document,
        0,
        node,
        tree.span(node),
        None,
        type_meta(tree, node),
        release,
    )
}

/// Returns Go's words for what follows the one value the server reads.
fn after_top_level(text: &str, end: usize) -> String {
    let rest = text
        .get(end..)
        .unwrap_or("")
        .trim_start_matches([' ', '\t', '\r', '\n']);
    match rest.bytes().next() {
        Some(byte) => format!(
            "invalid character {} after top-level value",
            claimkit_model::text::json::quote_byte(byte)
        ),
        None => "unexpected end of JSON input".to_owned(),
    }
}

/// The version and kind that an object names.
#[derive(Clone, Debug, Default)]
pub struct TypeMeta {
    /// `apiVersion`
    pub api_version: String,
    /// `kind`
    pub kind: String,
}

impl TypeMeta {
    /// Takes kind and apiVersion from the list where an item of a typed list leaves them out.
    fn or_of_list(self, list: Option<&TypeMeta>) -> Self {
        let bare = self.kind.is_empty() && self.api_version.is_empty();
        match list.and_then(|list| {
            list.kind
                .strip_suffix("List")
                .map(|kind| (kind, &list.api_version))
        }) {
            Some((kind, api_version)) if bare && !kind.is_empty() => TypeMeta {
                api_version: api_version.clone(),
                kind: kind.to_owned(),
            },
            _ => self,
        }
    }
}

fn type_meta(tree: &Tree<'_>, node: NodeId) -> Result<TypeMeta, String> {
    let what = match tree.kind(node) {
        Kind::Map { .. } => None,
        Kind::Null | Kind::Alias(_) => {
            return Ok(TypeMeta {
                api_version: String::new(),
                kind: String::new(),
            });
        }
        Kind::Seq { .. } => Some("array"),
        Kind::Str(_) => Some("string"),
        Kind::Bool(_) => Some("bool"),
        _ => Some("number"),
    };
    if let Some(what) = what {
        return Err(meta_errors::not_an_object(what));
    }
    let mut meta = TypeMeta {
        api_version: String::new(),
        kind: String::new(),
    };
    let mut wrong: Option<String> = None;
    for entry in print::effective(tree, node, Order::Sorted) {
        let key = tree.text(entry.key);
        let (name, place) = if key.eq_ignore_ascii_case("apiVersion") {
            ("apiVersion", &mut meta.api_version)
        } else if key.eq_ignore_ascii_case("kind") {
            ("kind", &mut meta.kind)
        } else {
            continue;
        };
        let what = match tree.kind(entry.value) {
            Kind::Str(text) => {
                *place = tree.text(text).to_owned();
                continue;
            }
            Kind::Null | Kind::Alias(_) => continue,
            Kind::Bool(_) => "bool",
            Kind::Seq { .. } => "array",
            Kind::Map { .. } => "object",
            _ => "number",
        };
        wrong.get_or_insert_with(|| meta_errors::not_a_string(what, name));
    }
    wrong.map_or(Ok(meta), Err)
}

fn item(
    document: &Document<'_>,
    index: usize,
    node: NodeId,
    span: Span,
    list_index: Option<usize>,
    meta: Result<TypeMeta, String>,
    release: Option<Release>,
) -> Item {
    let tree = &document.tree;
    let metadata = tree.get(node, "metadata");
    let of_metadata = |key: &str| {
        metadata
            .and_then(|m| tree.get(m, key))
            .and_then(|n| tree.str(n))
            .unwrap_or("")
            .to_owned()
    };
    let mut item = Item {
        document: index,
        node,
        span,
        list_index,
        api_version: String::new(),
        kind: String::new(),
        name: of_metadata("name"),
        namespace: of_metadata("namespace"),
        release: release.unwrap_or(Release::latest()),
        what: What::Other,
    };
    match meta {
        Err(message) => {
            item.what = What::Refused(Finding::upstream(Code::NoKind, Origin::ApiServer, message))
        }
        Ok(meta) => {
            item.what = recognize(document, &meta, release, &mut item);
            item.api_version = meta.api_version;
            item.kind = meta.kind;
        }
    }
    item
}

fn recognize(
    document: &Document<'_>,
    meta: &TypeMeta,
    release: Option<Release>,
    item: &mut Item,
) -> What {
    if meta.kind.is_empty() {
        return missing("Kind", document, item.node);
    }
    if meta.api_version.is_empty() {
        return missing("apiVersion", document, item.node);
    }
    let (group, version) = meta
        .api_version
        .split_once('/')
        .unwrap_or(("", &meta.api_version));
    if version.contains('/') {
        return refused(
            Code::NoKind,
            format!("unexpected GroupVersion string: {}", meta.api_version),
            "apiVersion",
        );
    }
    if group != GROUP {
        return What::Other;
    }
    let known = schema::version(&meta.api_version);
    item.release = release
        .or(known.map(|version| version.default_release_of(&meta.kind)))
        .unwrap_or(item.release);
    let api = known
        .filter(|version| version.served_by(item.release))
        .and_then(|version| {
            version
                .kind(&meta.kind, item.release)
                .map(|kind| Api { version, kind })
        });
    match api {
        Some(api) => What::Ours(api),
        None => {
            let served = known.is_some_and(|version| version.served_by(item.release));
            unregistered(
                meta,
                item.release,
                if served { "kind" } else { "apiVersion" },
            )
        }
    }
}

fn missing(name: &str, document: &Document<'_>, node: NodeId) -> What {
    let tree = &document.tree;
    let mut text = String::new();
    let span = tree.span(node);
    if document.mode == Mode::Json {
        text.push_str(tree.slice(span));
    } else {
        print::json(tree, node, Order::Sorted, 1 << 20, &mut text);
    }
    let finding = Finding::upstream(
        Code::NoKind,
        Origin::ApiServer,
        format!("Object '{name}' is missing in '{text}'"),
    );
    What::Refused(at_misspelt(finding, tree, node))
}

/// Puts a finding about a missing `apiVersion` or `kind` at a key that was meant as one, if there is one.
fn at_misspelt(finding: Finding, tree: &Tree<'_>, node: NodeId) -> Finding {
    let plain = |name: &str| name.replace(['_', '-'], "").to_ascii_lowercase();
    for wanted in ["apiVersion", "kind"] {
        if tree.get(node, wanted).is_some() {
            continue;
        }
        let mut entries = tree.entries(node).iter();
        let meant = entries.find(|entry| plain(tree.text(entry.key)) == plain(wanted));
        if let Some(entry) = meant {
            let help = message!("manifest.write-key", "write `{wanted}`", wanted);
            let at_key = finding.with_span(entry.key_span).with_help(help.clone());
            return match renamed(tree, entry, wanted) {
                Some(edits) => at_key.with_fix(help, edits),
                None => at_key,
            };
        }
    }
    match other_document(tree, node) {
        Some(help) => finding.with_help(help),
        None => finding,
    }
}

/// Returns the edits that write another name for a key.
fn renamed(tree: &Tree<'_>, entry: &Entry, name: &str) -> Option<Vec<Edit>> {
    let mut edits = Edits::new();
    edits
        .rename_key(tree, entry, tree.text(entry.key), name)
        .ok()?;
    edits.sorted().ok()
}

/// Keys that only a kustomization has at its top.
const OF_KUSTOMIZATIONS: [&str; 11] = [
    "bases",
    "commonLabels",
    "components",
    "configMapGenerator",
    "namePrefix",
    "nameSuffix",
    "patches",
    "patchesJson6902",
    "patchesStrategicMerge",
    "replacements",
    "secretGenerator",
];

/// Returns what a document without kind is for, if that is not kubectl.
fn other_document(tree: &Tree<'_>, node: NodeId) -> Option<Message> {
    let has = |key: &str| tree.get(node, key).is_some();
    let resources = tree.get(node, "resources");
    let lists_files = resources.is_some_and(|list| {
        let mut items = tree.items(list).iter();
        items.len() > 0 && items.all(|one| tree.str(*one).is_some())
    });
    if OF_KUSTOMIZATIONS.iter().any(|key| has(key)) || lists_files {
        return Some(message!(
            "manifest.kustomization",
            "this looks like a kustomization, which only Kustomize reads: check what `kubectl kustomize` prints"
        ));
    }
    if has("name") && has("version") && has("apiVersion") {
        return Some(message!(
            "manifest.chart",
            "this looks like the description of a Helm chart: check what `helm template` prints"
        ));
    }
    let is_object = has("apiVersion") || has("kind");
    (tree.is_map(node) && !is_object).then(|| {
        message!(
            "manifest.not-an-object",
            "a manifest has `apiVersion` and `kind`; of the values of a Helm chart, check what `helm template` prints"
        )
    })
}

fn unregistered(meta: &TypeMeta, release: Release, key: &str) -> What {
    let (kind, version, scheme) = (&meta.kind, &meta.api_version, release.rules().scheme);
    let message = format!(
        "no kind \"{kind}\" is registered for version \"{version}\" in scheme \"{scheme}\""
    );
    refused(Code::UnknownKind, message, key)
}

fn refused(code: Code, message: String, key: &str) -> What {
    let mut finding =
        Finding::upstream(code, Origin::ApiServer, message).with_severity(Severity::Error);
    finding.steps = vec![Step::Key(key.to_owned())];
    What::Refused(finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_never_read_hides_no_refusal() {
        for (text, codes) in [
            ("---\n", vec![Code::NoKind]),
            (
                "null\n...\nkind: a\n",
                vec![Code::YamlDroppedText, Code::NoKind],
            ),
            ("\r---\r---\r?\r", vec![Code::YamlDroppedText, Code::NoKind]),
            ("a: [", vec![Code::YamlSyntax]),
        ] {
            let findings = Input::read_via(text, Via::Validator, None, &Limits::default())
                .file
                .findings;
            assert_eq!(
                findings
                    .iter()
                    .map(|finding| finding.code)
                    .collect::<Vec<_>>(),
                codes,
                "{text:?}"
            );
        }
    }
}
