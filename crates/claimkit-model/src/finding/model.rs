//! A finding: who says what, where, and what to do about it.

use crate::finding::{Code, FieldPath, Path, Severity, Step};
use crate::message::{Message, Words};
use claimkit_yaml::span::Span;
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;

/// The component whose answer a finding is.
///
/// ```
/// assert_eq!(claimkit::Origin::ApiServer.name(), "kube-apiserver");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Origin {
    /// kubectl, before anything is sent.
    #[serde(rename = "kubectl")]
    Kubectl,
    #[serde(rename = "kube-apiserver")]
    ApiServer,
    #[serde(rename = "kube-scheduler")]
    Scheduler,
    #[serde(rename = "claimkit")]
    Claimkit,
}

impl Origin {
    /// Returns its name, e.g. `kube-apiserver`.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Kubectl => "kubectl",
            Origin::ApiServer => "kube-apiserver",
            Origin::Scheduler => "kube-scheduler",
            Origin::Claimkit => "claimkit",
        }
    }
}

/// The text that a finding is about, named after the request field that carries it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextField {
    /// The main text: the manifest, or its replacement such as a selector.
    #[default]
    Text,
    Nodes,
    Old,
    Patch,
    /// The settings of the policy.
    Settings,
    Cluster,
    /// The texts of nodes that do not exist yet.
    #[serde(rename = "newNodes")]
    NewNodes,
}

/// The part of a field that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryPart {
    Value,
    Key,
}

/// The cause reason of a validation error (apimachinery, pkg/apis/meta/v1/types.go, `CauseType`).
///
/// ```
/// assert_eq!(claimkit::Cause::Required.reason(), "FieldValueRequired");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// `Required value`
    Required,
    /// `Invalid value`
    Invalid,
    /// `Duplicate value`
    Duplicate,
    /// `Unsupported value`
    NotSupported,
    /// `Forbidden`
    Forbidden,
    /// `Too long`
    TooLong,
    /// `Too many`
    TooMany,
    /// `Invalid value`, of the wrong form for its type
    TypeInvalid,
    /// `Not found`
    NotFound,
    /// `Internal error`
    Internal,
}

impl Cause {
    /// Returns the reason, e.g. `FieldValueRequired`.
    pub fn reason(self) -> &'static str {
        match self {
            Cause::Required => "FieldValueRequired",
            Cause::Invalid => "FieldValueInvalid",
            Cause::Duplicate => "FieldValueDuplicate",
            Cause::NotSupported => "FieldValueNotSupported",
            Cause::Forbidden => "FieldValueForbidden",
            Cause::TooLong => "FieldValueTooLong",
            Cause::TooMany => "FieldValueTooMany",
            Cause::TypeInvalid => "FieldValueTypeInvalid",
            Cause::NotFound => "FieldValueNotFound",
            Cause::Internal => "InternalError",
        }
    }

    /// Returns the words in the message, e.g. `Required value`.
    pub fn text(self) -> &'static str {
        match self {
            Cause::Required => "Required value",
            Cause::Invalid => "Invalid value",
            Cause::Duplicate => "Duplicate value",
            Cause::NotSupported => "Unsupported value",
            Cause::Forbidden => "Forbidden",
            Cause::TooLong => "Too long",
            Cause::TooMany => "Too many",
            Cause::TypeInvalid => "Invalid value",
            Cause::NotFound => "Not found",
            Cause::Internal => "Internal error",
        }
    }
}

impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit_variant("Cause", *self as u32, self.reason())
    }
}

/// One replacement in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The text that is replaced; empty for an insertion.
    pub span: Span,
    pub new_text: String,
}

/// A way to resolve a finding.
///
/// ```
/// let text = "
/// apiVersion: resource.k8s.io/v1
/// kind: DeviceClass
/// metadata: {name: gpu}
/// spec: {selectorz: []}
/// ";
/// let report = claimkit::validate(text, &claimkit::ValidateOptions::default());
/// let fix = &report.findings[0].fixes[0];
/// assert_eq!(fix.edits[0].new_text, "selectors");
/// assert!(!fix.deletes(text));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The effect of the fix, in the imperative.
    pub title: Message,
    /// Edits that do not overlap, in the order of the text.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// Returns true if the fix deletes text that none of its edits inserts elsewhere. Whitespace and replacements do not count.
    pub fn deletes(&self, text: &str) -> bool {
        let mut removals = self
            .edits
            .iter()
            .filter(|edit| edit.new_text.trim().is_empty());
        removals.any(|removal| {
            let span = removal.span;
            let removed = span.slice_of(text).unwrap_or("").trim();
            let mut new_texts = self.edits.iter().map(|edit| &edit.new_text);
            !removed.is_empty() && !new_texts.any(|new_text| new_text.contains(removed))
        })
    }
}

/// A problem of the text or of an object, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub code: Code,
    pub severity: Severity,
    pub origin: Origin,
    /// Upstream's full text where upstream has words, path included; else ours.
    pub message: Words,
    /// The field path as upstream prints it.
    pub path: Option<String>,
    /// The cause reason of a validation error.
    pub cause: Option<Cause>,
    /// The text to write instead, in claimkit's own words; or what the server knows of the reason and does not say.
    pub help: Option<Words>,
    /// The same for the command line, where the help names a field of the request.
    pub command_help: Option<Message>,
    /// Edits that resolve it, only where a fix is certainly correct.
    pub fixes: Vec<Fix>,
    /// The text that the finding is about.
    pub within: TextField,
    /// Its position in that text.
    pub span: Option<Span>,
    /// Index of the object in the answer.
    pub object: Option<usize>,
    /// The path in the object's tree, used while there is no span.
    pub steps: Vec<Step>,
    /// Whether it is about the value or the key (an unknown field).
    pub part: EntryPart,
}

/// One line: `error[unknown-field] kubectl: unknown field "spec.x"`, and the help behind it.
///
/// ```
/// use claimkit_model::finding::{Code, Finding, Origin};
/// use claimkit_model::message::message;
///
/// let finding = Finding::upstream(Code::UnknownField, Origin::Kubectl, "unknown field \"spec.x\"")
///     .with_help(message!("upgrade.no-device", "no device"));
/// assert_eq!(finding.to_string(), "error[unknown-field] kubectl: unknown field \"spec.x\" (no device)");
/// ```
impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Finding {
            code,
            severity,
            origin,
            message,
            help,
            ..
        } = self;
        let (severity, code, origin) = (severity.name(), code.name(), origin.name());
        write!(f, "{severity}[{code}] {origin}: {message}")?;
        match help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl Finding {
    /// Returns a finding of claimkit that is as bad as the row of its code says.
    pub fn new(code: Code, message: Message) -> Self {
        Finding::said(code, Origin::Claimkit, Words::Ours(message))
    }

    /// Returns a finding of claimkit of a severity.
    pub fn of_severity(code: Code, severity: Severity, message: Message) -> Self {
        Finding::new(code, message).with_severity(severity)
    }

    /// Returns an error of claimkit, whatever the row of its code says.
    pub fn error(code: Code, message: Message) -> Self {
        Finding::of_severity(code, Severity::Error, message)
    }

    /// Returns a warning of claimkit, whatever the row of its code says.
    pub fn warning(code: Code, message: Message) -> Self {
        Finding::of_severity(code, Severity::Warning, message)
    }

    /// Returns an info of claimkit, whatever the row of its code says.
    pub fn info(code: Code, message: Message) -> Self {
        Finding::of_severity(code, Severity::Info, message)
    }

    /// Returns a finding in upstream's words that is as bad as the row of its code says.
    pub fn upstream(code: Code, origin: Origin, text: impl Into<Cow<'static, str>>) -> Self {
        Finding::said(code, origin, Words::upstream(text))
    }

    /// Returns a finding that is as bad as the row of its code says; the words say whose they are.
    pub fn said(code: Code, origin: Origin, message: Words) -> Self {
        Finding {
            code,
            severity: code.severity(),
            origin,
            message,
            path: None,
            cause: None,
            help: None,
            command_help: None,
            fixes: Vec::new(),
            within: TextField::Text,
            span: None,
            object: None,
            steps: Vec::new(),
            part: EntryPart::Value,
        }
    }

    /// Sets the severity, whatever the row of its code says.
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Sets the path, rendered and for locating.
    pub fn at(mut self, path: &Path<'_>) -> Self {
        self.path = Some(path.render());
        self.steps = path.steps();
        self
    }

    /// Sets the path, rendered and for locating.
    pub fn at_field(mut self, path: &FieldPath) -> Self {
        self.path = Some(path.to_string());
        self.steps = path.steps();
        self
    }

    /// Points at the key of the path's last step.
    pub fn key(mut self) -> Self {
        self.part = EntryPart::Key;
        self
    }

    /// Says which text it is about.
    pub fn about(mut self, within: TextField) -> Self {
        self.within = within;
        self
    }

    /// Sets the place in the text.
    pub fn with_span(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Sets the help.
    pub fn with_help(mut self, help: impl Into<Words>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the help for the command line, which has options instead of fields.
    pub fn with_command_help(mut self, help: Message) -> Self {
        self.command_help = Some(help);
        self
    }

    /// Sets the cause.
    pub fn with_cause(mut self, cause: Cause) -> Self {
        self.cause = Some(cause);
        self
    }

    /// Adds a fix.
    pub fn with_fix(mut self, title: Message, edits: Vec<Edit>) -> Self {
        self.fixes.push(Fix { title, edits });
        self
    }
}
