//! Validation errors: what `field.Error` and `field.ErrorList` are upstream (apimachinery,
//! pkg/util/validation/field/errors.go).

use crate::finding::{Cause, Code, Finding, Origin, Path, Step};
use crate::go::time::Time;
use crate::go::{self, GoUnicode};
use std::borrow::Cow;

/// One validation error in kube-apiserver's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Our stable code.
    pub code: Code,
    /// The cause reason.
    pub cause: Cause,
    /// The path as upstream prints it; `<nil>` for the object itself.
    pub field: String,
    /// The text after the path: type, value, detail.
    pub body: String,
    /// Where to look in the object's tree.
    pub steps: Vec<Step>,
    /// The key is meant rather than the value.
    pub at_key: bool,
}

impl FieldError {
    /// Upstream's `Error()`: path, type, value, detail.
    pub fn message(&self) -> String {
        format!("{}: {}", self.field, self.body)
    }

    /// The finding of kube-apiserver that tells it.
    pub fn finding(&self) -> Finding {
        let mut finding = Finding::error(self.code, Origin::ApiServer, self.message()).with_cause(self.cause);
        finding.path = Some(self.field.clone());
        finding.steps.clone_from(&self.steps);
        finding.at_key = self.at_key;
        finding
    }
}

/// The value an error shows.
#[derive(Clone, Debug)]
pub enum Bad<'v> {
    /// nil or a nil pointer.
    Null,
    /// A string or a named string: Go-quoted.
    Str(&'v str),
    /// An integer.
    Int(i64),
    /// A time.
    Time(Time),
    /// Anything else, in Go syntax already.
    Syntax(String),
}

/// The errors found so far, in upstream's order.
#[derive(Debug)]
pub struct Errors {
    list: Vec<FieldError>,
    unicode: GoUnicode,
    bytes: usize,
}

/// Most bytes of error texts that are kept: some of the server's texts repeat a whole list for each of its items.
pub const MAX_BYTES: usize = 4 << 20;

impl Errors {
    /// No errors yet. `unicode`: which characters the server's Go prints.
    pub fn new(unicode: GoUnicode) -> Self {
        Errors { list: Vec::new(), unicode, bytes: 0 }
    }

    /// The errors.
    pub fn into_list(self) -> Vec<FieldError> {
        self.list
    }

    /// The Unicode tables the values are quoted by.
    pub fn unicode(&self) -> GoUnicode {
        self.unicode
    }

    /// True once texts of [`MAX_BYTES`] are kept; what is found then is not.
    pub fn is_full(&self) -> bool {
        self.bytes >= MAX_BYTES
    }

    fn push(&mut self, code: Code, cause: Cause, path: &Path<'_>, value: Option<&Bad<'_>>, detail: &str) {
        if self.is_full() {
            return;
        }
        let mut body = cause.text().to_owned();
        if let Some(value) = value {
            body.push_str(": ");
            match value {
                Bad::Null => body.push_str("\"null\""),
                Bad::Str(text) => go::quote_into(&mut body, text, self.unicode),
                Bad::Int(n) => body.push_str(&n.to_string()),
                Bad::Time(time) => body.push_str(&time.go_string()),
                Bad::Syntax(text) => body.push_str(text),
            }
        }
        if !detail.is_empty() {
            body.push_str(": ");
            body.push_str(detail);
        }
        let mut field = path.render();
        if field.is_empty() {
            field.push_str("<nil>");
        }
        self.bytes = self.bytes.saturating_add(field.len()).saturating_add(body.len());
        self.list.push(FieldError { code, cause, field, body, steps: path.steps(), at_key: false });
    }

    /// A value is missing.
    pub fn required(&mut self, code: Code, path: &Path<'_>, detail: &str) {
        self.push(code, Cause::Required, path, None, detail);
    }

    /// A value is malformed.
    pub fn invalid(&mut self, code: Code, path: &Path<'_>, value: Bad<'_>, detail: &str) {
        self.push(code, Cause::Invalid, path, Some(&value), detail);
    }

    /// A string is malformed: one error for each message.
    pub fn malformed(&mut self, code: Code, path: &Path<'_>, value: &str, messages: &[Cow<'static, str>]) {
        for message in messages {
            self.invalid(code, path, Bad::Str(value), message);
        }
    }

    /// [`Errors::malformed`] where the key at the end of the path is what is wrong.
    pub fn malformed_key(&mut self, code: Code, path: &Path<'_>, value: &str, messages: &[Cow<'static, str>]) {
        for message in messages {
            self.invalid(code, path, Bad::Str(value), message);
            if let Some(last) = self.list.last_mut() {
                last.at_key = true;
            }
        }
    }

    /// A value stands there twice.
    pub fn duplicate(&mut self, code: Code, path: &Path<'_>, value: Bad<'_>) {
        self.push(code, Cause::Duplicate, path, Some(&value), "");
    }

    /// A value that is none of `supported`.
    pub fn not_supported(&mut self, code: Code, path: &Path<'_>, value: &str, supported: &[&str]) {
        let mut detail = String::new();
        if !supported.is_empty() {
            detail.push_str("supported values: ");
            detail.push_str(&go::quoted(supported.iter().copied(), self.unicode));
        }
        self.push(code, Cause::NotSupported, path, Some(&Bad::Str(value)), &detail);
    }

    /// A value that may not be set.
    pub fn forbidden(&mut self, code: Code, path: &Path<'_>, detail: &str) {
        self.push(code, Cause::Forbidden, path, None, detail);
    }

    /// A text of more than `max` bytes, as the core validators say it.
    pub fn too_long_bytes(&mut self, code: Code, path: &Path<'_>, max: usize) {
        self.push(code, Cause::TooLong, path, None, &format!("must have at most {max} bytes"));
    }

    /// A text or list longer than `max`, as the DRA validators say it.
    pub fn too_long(&mut self, code: Code, path: &Path<'_>, max: usize) {
        self.push(code, Cause::TooLong, path, None, &format!("may not be longer than {max}"));
    }
}

/// True if errors were left out because their texts together pass [`MAX_BYTES`].
pub fn is_cut(errors: &[FieldError]) -> bool {
    errors.iter().map(|error| error.field.len().saturating_add(error.body.len())).fold(0, usize::saturating_add) >= MAX_BYTES
}

/// The text of an aggregate: one error bare, several in brackets, equal texts once (apimachinery,
/// pkg/util/errors/errors.go).
pub fn aggregate(errors: &[FieldError]) -> String {
    let mut texts: Vec<String> = Vec::with_capacity(errors.len());
    let mut seen = std::collections::BTreeSet::new();
    for error in errors {
        let text = error.message();
        if seen.insert(text.clone()) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [one] => one.clone(),
        _ => format!("[{}]", texts.join(", ")),
    }
}
