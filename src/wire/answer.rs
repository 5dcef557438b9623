//! What is answered (serialised as the contract says).

use crate::api::Release;
use crate::editor::complete::Sort;
use crate::editor::hover::Info;
use crate::editor::registry::{CodeEntry, ReleaseEntry};
use crate::finding::{self, Cause, Code, Origin, Severity};
use crate::json::{self, Members, Out, Raw};
use crate::limits::Limits;
use crate::manifest::{Input, Item, What};
use crate::text::{self, Source, Span};
use std::borrow::Cow;

/// One answer.
#[derive(Debug, Default)]
pub struct Answer {
    /// The verb that was asked for.
    pub verb: Option<String>,
    /// No error, and at least one object was checked.
    pub ok: bool,
    /// Why the request cannot be used.
    pub error: Option<String>,
    /// All findings.
    pub findings: Vec<Finding>,
    /// The objects of the text.
    pub objects: Vec<Object>,
    /// Parse with `raw`: the plain JSON value.
    pub raw: Option<Raw>,
    /// Hover: what there is to say, `null` if nothing.
    pub hover: Option<Option<Hover>>,
    /// Complete: what could be written.
    pub items: Option<Vec<Completion>>,
    /// Fixes: those of the findings in the range.
    pub fixes: Option<Vec<FixOf>>,
    /// JSON Schema: the schema.
    pub schema: Option<Raw>,
    /// The registry of finding codes.
    pub codes: Option<Vec<CodeEntry>>,
    /// The releases.
    pub releases: Option<Vec<ReleaseEntry>>,
    /// Convert: the whole file converted.
    pub text: Option<String>,
    /// Admit: Kubewarden's ValidationResponse.
    pub response: Option<Raw>,
}

impl Members for Answer {
    fn members(&self, out: &mut Out) {
        let Answer { verb, ok, error, findings, objects, raw, hover, items, fixes, schema, codes, releases, text, response } =
            self;
        out.some("verb", verb);
        out.put("ok", ok);
        out.some("error", error);
        out.put("findings", findings);
        out.put("objects", objects);
        out.some("raw", raw);
        out.some("hover", hover);
        out.some("items", items);
        out.some("fixes", fixes);
        out.some("schema", schema);
        out.some("codes", codes);
        out.some("releases", releases);
        out.some("text", text);
        out.some("response", response);
    }
}

impl Answer {
    /// An answer to a verb, still empty.
    #[inline(never)]
    pub fn to(verb: &str) -> Self {
        Answer { verb: Some(verb.to_owned()), ..Answer::default() }
    }

    /// An answer to a request that cannot be used.
    pub fn unusable(verb: Option<&str>, error: &str) -> Self {
        let mut answer = Answer::to(verb.unwrap_or_default());
        answer.verb = answer.verb.filter(|verb| !verb.is_empty());
        answer.error = Some(error.to_owned());
        answer
    }
}

/// A finding with its place in editor positions.
#[derive(Debug)]
pub struct Finding {
    /// Stable code.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Who says so.
    pub origin: Origin,
    /// The message.
    pub message: String,
    /// The field path.
    pub path: Option<String>,
    /// The cause reason.
    pub cause: Option<Cause>,
    /// What to write instead.
    pub help: Option<Cow<'static, str>>,
    /// Edits that mend it.
    pub fixes: Vec<Fix>,
    /// The place.
    pub range: Option<Range>,
    /// Index in `objects`.
    pub object: Option<usize>,
}

impl Members for Finding {
    fn members(&self, out: &mut Out) {
        let Finding { code, severity, origin, message, path, cause, help, fixes, range, object } = self;
        out.put("code", code);
        out.put("severity", severity);
        out.put("origin", origin);
        out.put("message", message);
        out.some("path", path);
        out.some("type", cause);
        out.some("help", help);
        out.put("fixes", fixes);
        out.some("range", range);
        out.some("object", object);
    }
}

/// A fix.
#[derive(Debug)]
pub struct Fix {
    /// What it does.
    pub title: String,
    /// The edits.
    pub edits: Vec<Edit>,
}

impl Members for Fix {
    fn members(&self, out: &mut Out) {
        let Fix { title, edits } = self;
        out.put("title", title);
        out.put("edits", edits);
    }
}

/// A fix and the finding it mends.
#[derive(Debug)]
pub struct FixOf {
    /// What it does.
    pub title: String,
    /// The edits.
    pub edits: Vec<Edit>,
    /// Code of the finding.
    pub code: &'static str,
    /// Message of the finding.
    pub message: String,
    /// Place of the finding.
    pub range: Option<Range>,
}

impl Members for FixOf {
    fn members(&self, out: &mut Out) {
        let FixOf { title, edits, code, message, range } = self;
        out.put("title", title);
        out.put("edits", edits);
        out.put("code", code);
        out.put("message", message);
        out.some("range", range);
    }
}

/// What there is to say about a place.
#[derive(Debug)]
pub struct Hover {
    /// The key or value it is about.
    pub range: Range,
    /// A path, a value or a kind.
    pub title: String,
    /// Documentation key.
    pub key: String,
    /// Facts about the field.
    pub field: Option<Info>,
    /// The sentence, in the locale's words.
    pub documentation: Option<String>,
    /// All of it as Markdown, in the locale's words.
    pub markdown: Option<String>,
}

impl Members for Hover {
    fn members(&self, out: &mut Out) {
        let Hover { range, title, key, field, documentation, markdown } = self;
        out.put("range", range);
        out.put("title", title);
        out.put("key", key);
        out.some("field", field);
        out.some("documentation", documentation);
        out.some("markdown", markdown);
    }
}

/// One completion.
#[derive(Debug)]
pub struct Completion {
    /// What is shown, and matched with what was typed.
    pub label: String,
    /// `field`, `value`, `kind`, `apiVersion`, `snippet`.
    pub kind: Sort,
    /// Shown beside the label.
    pub detail: String,
    /// Documentation key.
    pub key: Option<String>,
    /// The sentence, in the locale's words.
    pub documentation: Option<String>,
    /// What replaces `range`.
    pub insert_text: String,
    /// The same with tab stops `${1}`, `${2}` ….
    pub snippet: Option<String>,
    /// What is replaced.
    pub range: Range,
    /// The object is refused without it.
    pub required: bool,
}

impl Members for Completion {
    fn members(&self, out: &mut Out) {
        let Completion { label, kind, detail, key, documentation, insert_text, snippet, range, required } = self;
        out.put("label", label);
        out.put("kind", kind);
        out.some("detail", detail);
        out.some("key", key);
        out.some("documentation", documentation);
        out.put("insertText", insert_text);
        out.some("snippet", snippet);
        out.put("range", range);
        out.put("required", required);
    }
}

/// An edit.
#[derive(Debug)]
pub struct Edit {
    /// What is replaced.
    pub range: Range,
    /// By what.
    pub new_text: String,
}

impl Members for Edit {
    fn members(&self, out: &mut Out) {
        let Edit { range, new_text } = self;
        out.put("range", range);
        out.put("newText", new_text);
    }
}

/// A range of the text.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// Start.
    pub start: Position,
    /// End.
    pub end: Position,
}

impl Members for Range {
    fn members(&self, out: &mut Out) {
        let Range { start, end } = self;
        out.put("start", start);
        out.put("end", end);
    }
}

/// A place: zero-based line, UTF-16 code units, bytes.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// Zero-based line.
    pub line: u32,
    /// UTF-16 code units in the line.
    pub character: u32,
    /// Bytes in the file.
    pub offset: u32,
}

impl Members for Position {
    fn members(&self, out: &mut Out) {
        let Position { line, character, offset } = self;
        out.put("line", line);
        out.put("character", character);
        out.put("offset", offset);
    }
}

/// One object; each verb fills its own part.
#[derive(Debug, Default)]
pub struct Object {
    /// As the server reads it.
    pub api_version: Cow<'static, str>,
    /// As the server reads it.
    pub kind: Cow<'static, str>,
    /// `metadata.name`
    pub name: String,
    /// `metadata.namespace`
    pub namespace: String,
    /// The release it was judged by.
    pub release: Option<Release>,
    /// Where it stands.
    pub range: Option<Range>,
    /// Whether it was accepted; `null` for an object that was not looked into.
    pub valid: Option<Option<bool>>,
    /// Parse: the object after decoding and defaulting.
    pub object: Option<Raw>,
    /// Validate: `null` or the Kubernetes `Status`.
    pub status: Option<Option<Raw>>,
    /// Evaluate: on which nodes.
    pub placement: Option<Box<super::placement::Placement>>,
    /// Parse with a selector: whether it selects the object.
    pub selected: Option<bool>,
    /// Patch: what differs from the stored object, as a JSON patch (RFC 6902).
    pub changes: Option<Vec<json::Value>>,
    /// Convert: what became of it.
    pub conversion: Option<Box<Conversion>>,
}

impl Members for Object {
    fn members(&self, out: &mut Out) {
        let Object {
            api_version,
            kind,
            name,
            namespace,
            release,
            range,
            valid,
            object,
            status,
            placement,
            selected,
            changes,
            conversion,
        } = self;
        out.put("apiVersion", api_version);
        out.put("kind", kind);
        out.put("name", name);
        out.put("namespace", namespace);
        out.some("release", release);
        out.some("range", range);
        out.some("valid", valid);
        out.some("object", object);
        out.some("status", status);
        out.some("placement", placement);
        out.some("selected", selected);
        out.some("changes", changes);
        if let Some(conversion) = conversion {
            conversion.members(out);
        }
    }
}

/// What a conversion did with an object.
#[derive(Debug)]
pub struct Conversion {
    /// The `apiVersion` it had.
    pub from: String,
    /// The `apiVersion` it gets.
    pub to: String,
    /// Whether it was converted.
    pub changed: bool,
    /// What is lost.
    pub losses: Vec<Loss>,
    /// Why it was left as it is.
    pub skipped: Option<String>,
}

impl Members for Conversion {
    fn members(&self, out: &mut Out) {
        let Conversion { from, to, changed, losses, skipped } = self;
        out.put("from", from);
        out.put("to", to);
        out.put("changed", changed);
        out.put("losses", losses);
        out.some("skipped", skipped);
    }
}

/// Something a conversion loses.
#[derive(Debug)]
pub struct Loss {
    /// The field's path in the object.
    pub path: String,
    /// Its value.
    pub value: Option<Raw>,
    /// Why it is lost.
    pub reason: String,
}

impl Members for Loss {
    fn members(&self, out: &mut Out) {
        let Loss { path, value, reason } = self;
        out.put("path", path);
        out.put("value", value);
        out.put("reason", reason);
    }
}

impl Object {
    /// Name, place and release of an item.
    pub fn of(input: &Input<'_>, item: &Item) -> Self {
        Object {
            api_version: item.api_version.clone().into(),
            kind: item.kind.clone().into(),
            name: item.name.clone(),
            namespace: item.namespace.clone(),
            ..Object::placed(input, item)
        }
    }

    /// The same without its names, which [`Object::named`] adds.
    pub fn placed(input: &Input<'_>, item: &Item) -> Self {
        Object { release: Some(item.release), range: Some(range(&input.file.source, item.span)), ..Object::default() }
    }

    /// Takes an item's names, which nobody needs there any more.
    pub fn named(&mut self, item: &mut Item) {
        (self.api_version, self.kind) = match &item.what {
            // Kept once for all objects of a kind.
            What::Ours(api) => (api.version.api_version.into(), api.kind.kind.into()),
            _ => (std::mem::take(&mut item.api_version).into(), std::mem::take(&mut item.kind).into()),
        };
        self.name = std::mem::take(&mut item.name);
        self.namespace = std::mem::take(&mut item.namespace);
    }
}

/// A span as editors count.
pub fn range(source: &Source<'_>, span: Span) -> Range {
    let position = |offset: usize| {
        let text::Position { line, character, offset } = source.position(offset);
        Position { line, character, offset }
    };
    Range { start: position(span.from()), end: position(span.to()) }
}

/// Findings on their way into an answer, at most as many as the limit allows; what is beyond is counted.
pub struct Told {
    limit: usize,
    findings: Vec<Finding>,
    beyond: usize,
    /// The worst of those beyond.
    worst: Severity,
    /// Whether there is an error, beyond the limit or not.
    pub refused: bool,
}

impl Told {
    /// None yet.
    pub fn new(limits: &Limits) -> Self {
        Told { limit: limits.findings, findings: Vec::new(), beyond: 0, worst: Severity::Info, refused: false }
    }

    /// One more; `source` is the text its spans count in.
    #[inline(never)]
    pub fn add(&mut self, source: &Source<'_>, told: finding::Finding) {
        self.refused |= told.severity == Severity::Error;
        self.keep(finding(source, told));
    }

    fn keep(&mut self, finding: Finding) {
        if self.findings.len() < self.limit {
            self.findings.push(finding);
        } else {
            self.beyond = self.beyond.saturating_add(1);
            self.worst = self.worst.min(finding.severity);
        }
    }

    /// All of them, behind others.
    pub fn behind(mut self, source: &Source<'_>, others: Vec<finding::Finding>) -> Vec<Finding> {
        if !others.is_empty() {
            let last = std::mem::take(&mut self.findings);
            for other in others {
                self.add(source, other);
            }
            for finding in last {
                self.keep(finding);
            }
        }
        let Told { beyond, worst, mut findings, limit, .. } = self;
        if beyond > 0 {
            let message = format!("{beyond} more findings are left out, the limit is {limit}");
            let last = finding::Finding::new(Code::LimitFindings, worst, Origin::Claimkit, message)
                .with_help("mend the first ones, split the file, or raise the limit `findings`");
            findings.push(finding(source, last));
        }
        findings
    }
}

/// Findings as they are answered.
pub fn findings(source: &Source<'_>, findings: Vec<finding::Finding>, limits: &Limits) -> Vec<Finding> {
    Told::new(limits).behind(source, findings)
}

/// A finding as it is answered; `source` is the text its spans count in.
pub fn finding(source: &Source<'_>, finding: finding::Finding) -> Finding {
    let mut fixes = Vec::new();
    for fix in finding.fixes {
        let mut edits = Vec::new();
        for edit in fix.edits {
            edits.push(Edit { range: range(source, edit.span), new_text: edit.new_text });
        }
        fixes.push(Fix { title: fix.title, edits });
    }
    Finding {
        code: finding.code.name(),
        severity: finding.severity,
        origin: finding.origin,
        message: finding.message,
        path: finding.path,
        cause: finding.cause,
        help: finding.help,
        fixes,
        range: finding.span.map(|span| range(source, span)),
        object: finding.object,
    }
}
