//! A finding: who says what, where, and what to do about it.

use crate::finding::{Code, FieldPath, Path, Severity, Step};
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
    pub title: String,
    /// Edits that do not overlap, in the order of the text.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// Returns true if the fix deletes text that none of its edits inserts elsewhere. Whitespace and replacements do not count.
    pub fn deletes(&self, text: &str) -> bool {
        let taken = self
            .edits
            .iter()
            .filter(|edit| edit.new_text.trim().is_empty());
        let mut taken = taken
            .filter_map(|edit| text.get(edit.span.from()..edit.span.to()))
            .map(str::trim);
        taken.any(|taken| {
            !taken.is_empty() && !self.edits.iter().any(|edit| edit.new_text.contains(taken))
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
    pub message: String,
    /// The field path as upstream prints it.
    pub path: Option<String>,
    /// The cause reason of a validation error.
    pub cause: Option<Cause>,
    /// The text to write instead, in claimkit's own words.
    pub help: Option<Cow<'static, str>>,
    /// The same for the command line, where the help names a field of the request.
    pub command_help: Option<Cow<'static, str>>,
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
///
/// let finding = Finding::new(Code::UnknownField, Origin::Kubectl, "unknown field \"spec.x\"").with_help("remove it");
/// assert_eq!(finding.to_string(), "error[unknown-field] kubectl: unknown field \"spec.x\" (remove it)");
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
    /// Returns a finding that is as bad as the row of its code says.
    pub fn new(code: Code, origin: Origin, message: impl Into<String>) -> Self {
        Finding::of(code, code.severity(), origin, message.into())
    }

    /// Returns a finding of a severity.
    pub fn of_severity(
        code: Code,
        severity: Severity,
        origin: Origin,
        message: impl Into<String>,
    ) -> Self {
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
            command_help: None,
            fixes: Vec::new(),
            within: TextField::Text,
            span: None,
            object: None,
            steps: Vec::new(),
            part: EntryPart::Value,
        }
    }

    /// Returns an error, whatever the row of its code says.
    pub fn error(code: Code, origin: Origin, message: impl Into<String>) -> Self {
        Finding::of_severity(code, Severity::Error, origin, message)
    }

    /// Returns a warning, whatever the row of its code says.
    pub fn warning(code: Code, origin: Origin, message: impl Into<String>) -> Self {
        Finding::of_severity(code, Severity::Warning, origin, message)
    }

    /// Returns an info, whatever the row of its code says.
    pub fn info(code: Code, origin: Origin, message: impl Into<String>) -> Self {
        Finding::of_severity(code, Severity::Info, origin, message)
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
    pub fn with_help(self, help: impl Into<Cow<'static, str>>) -> Self {
        self.helped(help.into())
    }

    fn helped(mut self, help: Cow<'static, str>) -> Self {
        self.help = Some(help);
        self
    }

    /// Sets the help for the command line, which has options instead of fields.
    pub fn with_command_help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.command_help = Some(help.into());
        self
    }

    /// Sets the cause.
    pub fn with_cause(mut self, cause: Cause) -> Self {
        self.cause = Some(cause);
        self
    }

    /// Adds a fix.
    pub fn with_fix(self, title: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.fixed(Fix {
            title: title.into(),
            edits,
        })
    }

    fn fixed(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }
}
