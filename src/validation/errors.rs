//! Validation errors: what `field.Error` and `field.ErrorList` are upstream (apimachinery,
//! pkg/util/validation/field/errors.go).

use claimkit_model::cel::ServerCrash;
use claimkit_model::finding::{Cause, Code, EntryPart, Finding, Origin, Path, Severity, Step};
use claimkit_model::object::go_syntax::{go_syntax_of, go_syntax_of_value};
use claimkit_model::object::view::Slot;
use claimkit_model::object::{FieldValue, Record, go_json};
use claimkit_model::schema::{FieldType, Release, Rules};
use claimkit_values::GoUnicode;
use claimkit_values::names::{DottedLabel, Wording};
use claimkit_values::time::Time;
use std::borrow::Cow;

/// One validation error in kube-apiserver's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    pub code: Code,
    pub cause: Cause,
    /// The path as upstream prints it; `<nil>` for the object itself.
    pub field: String,
    /// The text after the path: type, value, detail.
    pub body: String,
    /// The path in the object's tree.
    pub steps: Vec<Step>,
    /// Whether the error is about the value or the key.
    pub part: EntryPart,
}

impl FieldError {
    /// Writes upstream's `Error()`: path, type, value, detail.
    pub fn message(&self) -> String {
        [self.field.as_str(), ": ", self.body.as_str()].concat()
    }

    /// Makes the finding of kube-apiserver with this error.
    pub fn finding(&self) -> Finding {
        let mut finding = Finding::upstream(self.code, Origin::ApiServer, self.message())
            .with_severity(Severity::Error)
            .with_cause(self.cause);
        finding.path = Some(self.field.clone());
        finding.steps.clone_from(&self.steps);
        finding.part = self.part;
        finding
    }
}

/// The value an error shows.
#[derive(Clone, Debug)]
pub enum Bad<'v> {
    /// nil or a nil pointer.
    Null,
    Str(&'v str),
    /// A string with a type of its own: quoted as the release prints values.
    Named(&'v str),
    Bool(bool),
    Record(&'v Record<'v>),
    /// A value of a type.
    Value(&'v FieldType, &'v FieldValue<'v>),
    Int(i64),
    Time(Time),
    /// Anything else, in Go syntax already.
    Syntax(String),
}

impl<'v> Bad<'v> {
    /// Returns the value of a field.
    pub fn field(slot: Slot<'v>) -> Self {
        slot.field()
            .map_or(Bad::Null, |field| Bad::Value(&field.ty, slot.value()))
    }

    /// Returns a struct, or nil.
    pub fn record(record: Option<&'v Record<'v>>) -> Self {
        record.map_or(Bad::Null, Bad::Record)
    }

    /// Makes a number of things.
    pub fn count(count: usize) -> Self {
        Bad::Int(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

/// Why the server's code panics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Panic {
    /// It divides by a step that is zero.
    ZeroStep,
    /// Its compiler of expressions crashes.
    Expression(ServerCrash),
}

/// The errors found so far, in upstream's order.
#[derive(Debug)]
pub struct Errors {
    list: Vec<FieldError>,
    rules: &'static Rules,
    release: Release,
    bytes: usize,
    panicked: Option<(Vec<Step>, Panic)>,
    uncompiled: Vec<Vec<Step>>,
}

/// Maximum total size of the kept error texts: some server messages repeat a whole list for each of its items.
pub const MAX_BYTES: usize = 4 << 20;

impl Errors {
    /// Creates an empty list of errors in the words of a release.
    pub fn new(release: Release) -> Self {
        Errors {
            list: Vec::new(),
            rules: release.rules(),
            release,
            bytes: 0,
            panicked: None,
            uncompiled: Vec::new(),
        }
    }

    /// Records that the server's code panics at this place: it answers with an internal error and nothing else.
    pub fn panic(&mut self, path: &Path<'_>, why: Panic) {
        self.panicked.get_or_insert_with(|| (path.steps(), why));
    }

    /// Records that the compiler's result for the expression at this path is unknown.
    pub fn uncompiled_at(&mut self, path: &Path<'_>) {
        let steps = path.steps();
        if !self.uncompiled.contains(&steps) {
            self.uncompiled.push(steps);
        }
    }

    /// Returns the places of expressions that were not compiled.
    pub fn uncompiled(&self) -> &[Vec<Step>] {
        &self.uncompiled
    }

    /// Returns the place where the server's code panics, and the reason.
    pub fn panicked(&self) -> Option<(&[Step], &Panic)> {
        self.panicked
            .as_ref()
            .map(|(steps, why)| (steps.as_slice(), why))
    }

    /// Returns which message a label with dots gets.
    pub fn dotted_label(&self) -> DottedLabel {
        self.rules.dotted_label
    }

    /// Returns true if errors show values as JSON.
    pub fn values_as_json(&self) -> bool {
        self.rules.values_as_json
    }

    /// Returns the words of names and labels.
    pub fn wording(&self) -> Wording {
        self.rules.wording
    }

    /// Returns true if errors of owner references name the reference by its index.
    pub fn owner_paths_have_index(&self) -> bool {
        self.rules.owner_paths_have_index
    }

    /// Returns true if the errors of an incomplete owner reference do not repeat the name of the field.
    pub fn owner_texts_plain(&self) -> bool {
        self.rules.values_as_json
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if there are no errors.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the errors in their order.
    pub fn list(&self) -> &[FieldError] {
        &self.list
    }

    /// Removes duplicate errors from an index on, keeping the first.
    pub fn once_from(&mut self, start: usize) {
        let mut seen = std::collections::BTreeSet::new();
        let later = self.list.split_off(start.min(self.list.len()));
        self.list.extend(
            later
                .into_iter()
                .filter(|error| seen.insert((error.field.clone(), error.body.clone()))),
        );
    }

    /// Appends generated errors. Of these errors, those that are `covered` by generated ones go, and equal ones stay once; generated
    /// errors all stay.
    pub fn append_generated(
        &mut self,
        generated: Errors,
        is_covered: impl Fn(&FieldError) -> bool,
    ) {
        self.list.retain(|error| !is_covered(error));
        self.once_from(0);
        self.bytes = self.bytes.saturating_add(generated.bytes);
        self.list.extend(generated.list);
    }

    /// Prints a value as the release does.
    fn print(&self, value: &Bad<'_>, out: &mut String) {
        let json = self.rules.values_as_json;
        match value {
            Bad::Null if json => out.push_str("null"),
            Bad::Null => out.push_str("\"null\""),
            Bad::Named(text) if json => claimkit_values::json_quote_into(out, text),
            Bad::Str(text) | Bad::Named(text) => {
                claimkit_values::quote_into(out, text, self.rules.unicode)
            }
            Bad::Int(n) => out.push_str(&n.to_string()),
            Bad::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Bad::Time(time) if json => claimkit_values::json_quote_into(out, &time.rfc3339()),
            Bad::Time(time) => out.push_str(&time.go_string()),
            Bad::Syntax(text) => out.push_str(text),
            Bad::Record(record) if json => go_json::record(record, self.release, out),
            Bad::Record(record) => {
                out.push_str(&go_syntax_of(record, self.release, self.rules.unicode))
            }
            Bad::Value(ty, value) if json => go_json::value(ty, value, self.release, out),
            Bad::Value(ty, value) => out.push_str(&go_syntax_of_value(
                ty,
                value,
                self.release,
                self.rules.unicode,
            )),
        }
    }

    /// Returns the errors as a list.
    pub fn into_list(self) -> Vec<FieldError> {
        self.list
    }

    /// Returns the Unicode tables the values are quoted by.
    pub fn unicode(&self) -> GoUnicode {
        self.rules.unicode
    }

    /// Returns true once [`MAX_BYTES`] of texts are kept; later errors are dropped.
    pub fn is_full(&self) -> bool {
        self.bytes >= MAX_BYTES
    }

    fn push(
        &mut self,
        code: Code,
        cause: Cause,
        path: &Path<'_>,
        value: Option<&Bad<'_>>,
        detail: &str,
    ) {
        if self.is_full() {
            return;
        }
        let mut body = String::with_capacity(detail.len().saturating_add(64));
        body.push_str(cause.text());
        if let Some(value) = value {
            body.push_str(": ");
            self.print(value, &mut body);
        }
        if !detail.is_empty() {
            body.push_str(": ");
            body.push_str(detail);
        }
        let mut field = path.render();
        if field.is_empty() {
            field.push_str("<nil>");
        }
        self.bytes = self
            .bytes
            .saturating_add(field.len())
            .saturating_add(body.len());
        self.list.push(FieldError {
            code,
            cause,
            field,
            body,
            steps: path.steps(),
            part: EntryPart::Value,
        });
    }

    /// Reports that a value is missing.
    pub fn required(&mut self, code: Code, path: &Path<'_>, detail: &str) {
        self.push(code, Cause::Required, path, None, detail);
    }

    /// Reports that a value is malformed.
    pub fn invalid(&mut self, code: Code, path: &Path<'_>, value: Bad<'_>, detail: &str) {
        self.push(code, Cause::Invalid, path, Some(&value), detail);
    }

    /// Reports that a string is malformed: one error for each message.
    pub fn malformed(
        &mut self,
        code: Code,
        path: &Path<'_>,
        value: &str,
        messages: &[Cow<'static, str>],
    ) {
        for message in messages {
            self.invalid(code, path, Bad::Str(value), message);
        }
    }

    /// Reports as [`Errors::malformed`] does an invalid key at the end of the path.
    pub fn malformed_key(
        &mut self,
        code: Code,
        path: &Path<'_>,
        value: &str,
        messages: &[Cow<'static, str>],
    ) {
        for message in messages {
            self.invalid(code, path, Bad::Str(value), message);
            if let Some(last) = self.list.last_mut() {
                last.part = EntryPart::Key;
            }
        }
    }

    /// Reports a duplicate value.
    pub fn duplicate(&mut self, code: Code, path: &Path<'_>, value: Bad<'_>) {
        self.push(code, Cause::Duplicate, path, Some(&value), "");
    }

    /// Reports a value that is not in `supported`.
    pub fn not_supported(&mut self, code: Code, path: &Path<'_>, value: &str, supported: &[&str]) {
        let mut detail = String::new();
        if !supported.is_empty() {
            detail.push_str("supported values: ");
            detail.push_str(&claimkit_values::quoted(
                supported.iter().copied(),
                self.rules.unicode,
            ));
        }
        self.push(
            code,
            Cause::NotSupported,
            path,
            Some(&Bad::Named(value)),
            &detail,
        );
    }

    /// Reports a string that has the wrong form for its type.
    pub fn type_invalid(&mut self, code: Code, path: &Path<'_>, value: &str, detail: &str) {
        self.push(
            code,
            Cause::TypeInvalid,
            path,
            Some(&Bad::Str(value)),
            detail,
        );
    }

    /// Reports a name that does not exist.
    pub fn not_found(&mut self, code: Code, path: &Path<'_>, value: &str) {
        self.push(code, Cause::NotFound, path, Some(&Bad::Named(value)), "");
    }

    /// Reports a name that does not exist, with the reason. Its type is a plain string.
    pub fn not_found_because(&mut self, code: Code, path: &Path<'_>, value: &str, detail: &str) {
        self.push(code, Cause::NotFound, path, Some(&Bad::Str(value)), detail);
    }

    /// Reports a value that may not be set; the error's path is the empty one, which upstream prints as `[]`.
    pub fn forbidden_nowhere(&mut self, code: Code, path: &Path<'_>, detail: &str) {
        self.push(code, Cause::Forbidden, path, None, detail);
        if let Some(last) = self.list.last_mut() {
            "[]".clone_into(&mut last.field);
        }
    }

    /// Reports a list or map of more than `max` entries.
    pub fn too_many(&mut self, code: Code, path: &Path<'_>, count: usize, max: usize) {
        self.push(
            code,
            Cause::TooMany,
            path,
            Some(&Bad::count(count)),
            &format!("must have at most {max} items"),
        );
    }

    /// Reports a value that may not be set.
    pub fn forbidden(&mut self, code: Code, path: &Path<'_>, detail: &str) {
        self.push(code, Cause::Forbidden, path, None, detail);
    }

    /// Reports the server's internal error for a value.
    pub fn internal(&mut self, code: Code, path: &Path<'_>, detail: &str) {
        self.push(code, Cause::Internal, path, None, detail);
    }

    /// Reports a text of more than `max` bytes, as the core validators say it.
    pub fn too_long_bytes(&mut self, code: Code, path: &Path<'_>, max: usize) {
        if self.rules.too_long_says_bytes {
            return self.push(
                code,
                Cause::TooLong,
                path,
                None,
                &format!("may not be more than {max} bytes"),
            );
        }
        self.push(
            code,
            Cause::TooLong,
            path,
            None,
            &format!("must have at most {max} bytes"),
        );
    }

    /// Reports a text of more than `max` characters, as generated rules say it.
    pub fn too_long_characters(&mut self, code: Code, path: &Path<'_>, max: usize) {
        self.push(
            code,
            Cause::TooLong,
            path,
            None,
            &format!("may not be more than {max} characters"),
        );
    }

    /// Reports a text or list longer than `max`, as the DRA validators say it.
    pub fn too_long(&mut self, code: Code, path: &Path<'_>, max: usize) {
        if self.rules.too_long_says_bytes {
            return self.push(
                code,
                Cause::TooLong,
                path,
                None,
                &format!("may not be more than {max} bytes"),
            );
        }
        self.push(
            code,
            Cause::TooLong,
            path,
            None,
            &format!("may not be longer than {max}"),
        );
    }
}

/// Returns true if errors were left out because their texts together pass [`MAX_BYTES`].
pub fn is_cut(errors: &[FieldError]) -> bool {
    errors
        .iter()
        .map(|error| error.field.len().saturating_add(error.body.len()))
        .fold(0, usize::saturating_add)
        >= MAX_BYTES
}

/// Writes the text of an aggregate: one error bare, several in brackets, equal texts once (apimachinery,
/// pkg/util/errors/errors.go).
pub fn aggregate(errors: &[FieldError]) -> String {
    let mut seen = std::collections::BTreeSet::new();
    let mut once = errors
        .iter()
        .filter(|error| seen.insert((&error.field, &error.body)))
        .map(FieldError::message);
    let Some(first) = once.next() else {
        return "[]".to_owned();
    };
    let others: Vec<String> = once.collect();
    if others.is_empty() {
        first
    } else {
        format!("[{first}, {}]", others.join(", "))
    }
}
