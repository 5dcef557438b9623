//! A finding: who says what, where, and what to do about it.

use crate::finding::{Code, Path, Step};
use crate::span::Span;
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The origin rejects the object.
    Error,
    /// Accepted, but probably not what was meant.
    Warning,
    /// Worth knowing.
    Info,
}

/// Who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Origin {
    /// kubectl, before anything is sent.
    #[serde(rename = "kubectl")]
    Kubectl,
    /// kube-apiserver.
    #[serde(rename = "kube-apiserver")]
    ApiServer,
    /// kube-scheduler.
    #[serde(rename = "kube-scheduler")]
    Scheduler,
    /// This crate.
    #[serde(rename = "claimkit")]
    Claimkit,
}

/// The text that a finding is about, named after the request field that carries it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TextField {
    /// The main text: the manifest, or its replacement such as a selector.
    #[default]
    Text,
    /// The Nodes.
    Nodes,
    /// The stored objects.
    Old,
    /// The patch.
    Patch,
    /// The settings of the policy.
    Settings,
    /// The cluster.
    Cluster,
}

/// The cause reason of a validation error (apimachinery, pkg/apis/meta/v1/types.go, `CauseType`).
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
    /// The reason, e.g. `FieldValueRequired`.
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

    /// The words in the message, e.g. `Required value`.
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
        serializer.serialize_str(self.reason())
    }
}

/// One replacement in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty for an insertion.
    pub span: Span,
    /// The replacement text.
    pub new_text: String,
}

/// A way to resolve a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, in the imperative.
    pub title: String,
    /// Edits that do not overlap, in the order of the text.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// True if the fix deletes text that none of its edits inserts elsewhere. Whitespace and replacements do not count.
    pub fn deletes(&self, text: &str) -> bool {
        let taken = self.edits.iter().filter(|edit| edit.new_text.trim().is_empty());
        let mut taken = taken.filter_map(|edit| text.get(edit.span.from()..edit.span.to())).map(str::trim);
        taken.any(|taken| !taken.is_empty() && !self.edits.iter().any(|edit| edit.new_text.contains(taken)))
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable code.
    pub code: Code,
    /// How bad.
    pub severity: Severity,
    /// Who says so.
    pub origin: Origin,
    /// Upstream's full text where upstream has words, path included; else ours.
    pub message: String,
    /// The field path as upstream prints it.
    pub path: Option<String>,
    /// The cause reason of a validation error.
    pub cause: Option<Cause>,
    /// What to write instead, in our words.
    pub help: Option<Cow<'static, str>>,
    /// Edits that resolve it, only where a fix is certainly correct.
    pub fixes: Vec<Fix>,
    /// Which text it is about.
    pub within: TextField,
    /// Its position in that text.
    pub span: Option<Span>,
    /// Index of the object in the answer.
    pub object: Option<usize>,
    /// Where to look in the object's tree when there is no span yet.
    pub steps: Vec<Step>,
    /// True if the finding is about the key, not the value (an unknown field).
    pub at_key: bool,
}

impl Finding {
    /// A finding of a severity.
    pub fn new(code: Code, severity: Severity, origin: Origin, message: impl Into<String>) -> Self {
        Finding::of(code, severity, origin, message.into())
    }

    fn of(code: Code, severity: Severity, origin: Origin, message: String) -> Self {
        Finding {
            code,
            severity,
            origin,
            message,
            path: None,
            cause: None,
            help: None,
            fixes: Vec::new(),
            within: TextField::Text,
            span: None,
            object: None,
            steps: Vec::new(),
            at_key: false,
        }
    }

    /// An error.
    pub fn error(code: Code, origin: Origin, message: impl Into<String>) -> Self {
        Finding::new(code, Severity::Error, origin, message)
    }

    /// A warning.
    pub fn warning(code: Code, origin: Origin, message: impl Into<String>) -> Self {
        Finding::new(code, Severity::Warning, origin, message)
    }

    /// An info.
    pub fn info(code: Code, origin: Origin, message: impl Into<String>) -> Self {
        Finding::new(code, Severity::Info, origin, message)
    }

    /// Sets the path, rendered and for locating.
    pub fn at(mut self, path: &Path<'_>) -> Self {
        self.path = Some(path.render());
        self.steps = path.steps();
        self
    }

    /// Points at the key of the path's last step.
    pub fn key(mut self) -> Self {
        self.at_key = true;
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
    pub fn with_help(self, help: impl Into<Cow<'static, str>>) -> Self {
        self.helped(help.into())
    }

    fn helped(mut self, help: Cow<'static, str>) -> Self {
        self.help = Some(help);
        self
    }

    /// Sets the cause.
    pub fn with_cause(mut self, cause: Cause) -> Self {
        self.cause = Some(cause);
        self
    }

    /// Adds a fix.
    pub fn with_fix(self, title: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.fixed(Fix { title: title.into(), edits })
    }

    fn fixed(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }
}
