//! The requests: a type for each verb. An absent field has its default; an unknown field is an error that names it.

pub use super::fields::*;
pub use super::members::{fields, read, unplaced};
pub use crate::apiserver::FieldValidation;
pub use crate::apiserver::patch::PatchType;
use crate::editor::sentences::{LOCALES, Sentences};
pub use crate::evaluate::Detail;
use claimkit_model::message::{Message, Words};
pub use claimkit_model::object::decode::Via;
use claimkit_model::schema::{Gates, Release};
use std::collections::BTreeMap;

/// Declares the verbs, each with its name and the type of its fields.
macro_rules! verbs {
    ($($(#[doc = $doc:literal])* $verb:ident($fields:ident) = $name:literal,)*) => {
        /// The name of a verb.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Verb {
            $($(#[doc = $doc])* $verb,)*
        }

        impl Verb {
            /// All verbs of the contract.
            pub const ALL: &'static [Verb] = &[$(Verb::$verb),*];

            /// Returns the name in requests and answers.
            pub fn name(self) -> &'static str {
                match self {
                    $(Verb::$verb => $name,)*
                }
            }
        }

        /// One request: a verb with its fields.
        #[derive(Clone, Debug)]
        pub enum Request {
            $($(#[doc = $doc])* $verb($fields),)*
        }

        impl Request {
            /// Returns the verb.
            pub fn verb(&self) -> Verb {
                match self {
                    $(Request::$verb(_) => Verb::$verb,)*
                }
            }

            fn read_fields(verb: Verb, text: &str) -> Result<Self, String> {
                match verb {
                    $(Verb::$verb => read(text).map(Request::$verb),)*
                }
            }
        }
    };
}

verbs! {
    /// The objects after decoding and defaulting.
    Parse(ParseRequest) = "parse",
    /// kube-apiserver's answer to a create, an update, a status update or a patch.
    Validate(ValidateRequest) = "validate",
    /// The whole file in another version.
    Convert(ConvertRequest) = "convert",
    /// The nodes that can use claims.
    Evaluate(EvaluateRequest) = "evaluate",
    /// The policy's answer to an AdmissionRequest.
    Admit(AdmitRequest) = "admit",
    /// Information about the key or value at a position.
    Hover(PositionRequest) = "hover",
    /// Completions at a position.
    Complete(PositionRequest) = "complete",
    /// The parts of a text, the names that it defines and uses, and its selectors.
    Symbols(SymbolsRequest) = "symbols",
    /// The fixes of the findings of `validate`.
    Fixes(FixesRequest) = "fixes",
    /// The JSON Schema of a kind.
    JsonSchema(JsonSchemaRequest) = "jsonSchema",
    /// Lists the finding codes.
    Codes(LocaleRequest) = "codes",
    /// Lists the supported Kubernetes releases.
    Releases(LocaleRequest) = "releases",
    /// The compilation of a device selector, and its results.
    Cel(CelRequest) = "cel",
    /// The devices that pods and claims get.
    Allocate(AllocateRequest) = "allocate",
    /// Reports the errors of a cluster, and the devices in use.
    Audit(AuditRequest) = "audit",
    /// Reports the troubles of an upgrade.
    Upgrade(UpgradeRequest) = "upgrade",
}

impl Verb {
    /// Returns the verb of a name.
    pub fn find(name: &str) -> Option<Self> {
        Verb::ALL.iter().copied().find(|verb| verb.name() == name)
    }
}

/// The reason why a text is not a request.
#[derive(Debug)]
pub struct Unusable {
    /// The verb, if only that is unknown.
    pub verb: Option<String>,
    /// The reason why the text is not a request.
    pub problem: Words,
}

impl Unusable {
    /// Makes the refusal of a request whose fields cannot be read.
    pub fn unread(problem: String) -> Self {
        Unusable {
            verb: None,
            problem: Words::english(format!("the request cannot be used: {problem}")),
        }
    }

    /// Creates the error of an unknown verb.
    pub fn unknown(verb: String, known: &[Verb]) -> Self {
        let names = known
            .iter()
            .map(|verb| verb.name())
            .collect::<Vec<_>>()
            .join("`, `");
        let problem = if verb.is_empty() {
            "`verb` is missing".to_owned()
        } else {
            format!("unknown verb `{verb}`")
        };
        Unusable {
            verb: Some(verb),
            problem: Words::english(format!("{problem}; write one of `{names}`")),
        }
    }
}

impl Request {
    /// Reads a request from JSON.
    ///
    /// # Errors
    /// Why the request cannot be used: the field, its value and the expected type.
    pub fn read(text: &str) -> Result<Self, Unusable> {
        let name = super::members::verb(text).map_err(Unusable::unread)?;
        match Verb::find(&name) {
            Some(verb) => Request::read_fields(verb, text).map_err(Unusable::unread),
            None => Err(Unusable::unknown(name, Verb::ALL)),
        }
    }

    /// Returns the release that it names, if that is known.
    pub fn release(&self) -> Option<Release> {
        let asked = match self {
            Request::Parse(request) => &request.release,
            Request::Validate(request) => &request.release,
            Request::Convert(request) => &request.release,
            Request::Evaluate(request) => &request.release,
            Request::Hover(request) | Request::Complete(request) => &request.release,
            Request::Fixes(request) => &request.validate.release,
            Request::JsonSchema(request) => &request.release,
            Request::Symbols(request) => &request.release,
            Request::Cel(request) => &request.release,
            Request::Allocate(request) => &request.release,
            Request::Audit(request) => &request.release,
            Request::Upgrade(request) => &request.to,
            Request::Admit(request) => &request.release,
            Request::Codes(_) | Request::Releases(_) => return None,
        };
        release(asked.as_deref()).ok().flatten()
    }

    /// Fills in the sentences of its locale, if its answer contains sentences and it has none of its own.
    pub fn fill(&mut self, sentences: impl FnOnce(&str) -> Option<Sentences>) {
        let (asked, own) = match self {
            Request::Hover(request) | Request::Complete(request) => {
                (&request.locale, &mut request.sentences)
            }
            Request::JsonSchema(request) => (&request.locale, &mut request.sentences),
            Request::Codes(request) | Request::Releases(request) => {
                (&request.locale, &mut request.sentences)
            }
            _ => return,
        };
        if let (None, Ok(locale)) = (&own, locale(asked.as_deref())) {
            *own = sentences(locale);
        }
    }
}

/// Returns the locale of a request.
///
/// # Errors
/// The locale is unknown.
pub(crate) fn locale(asked: Option<&str>) -> Result<&'static str, Words> {
    let asked = asked.unwrap_or("en");
    let known = LOCALES.iter().copied().find(|known| *known == asked);
    known
        .ok_or_else(|| Words::english(format!("unknown locale `{asked}`; write `en` or `zh-Hans`")))
}

/// Returns the gates that are on in a release; `None` if the request sets no gate.
///
/// # Errors
/// The release does not have a gate, or has locked it.
pub(crate) fn gates_in(
    gates: &BTreeMap<String, bool>,
    release: Release,
) -> Result<Option<Gates>, Words> {
    if gates.is_empty() {
        return Ok(None);
    }
    let set = gates.iter().map(|(name, on)| (name.as_str(), *on));
    Gates::with(release, set)
        .map(Some)
        .map_err(|error| Words::english(format!("`gates`: {error}")))
}

/// Returns the release of a request.
///
/// # Errors
/// The release is unknown.
pub fn release(asked: Option<&str>) -> Result<Option<Release>, Message> {
    match asked {
        None => Ok(None),
        Some(text) => Release::parse(text)
            .map(Some)
            .ok_or_else(|| Release::unknown(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_a_struct_are_known() {
        assert_eq!(fields::<LocaleRequest>(), ["locale", "sentences"]);
    }

    #[test]
    fn the_smallest_part_that_is_refused_is_named() {
        let problem = |text: &str| {
            unplaced(&Request::read(text).unwrap_err().problem)
                .replace("the request cannot be used: ", "")
        };
        let told = [
            (
                r#"{"verb": "parse", "release": 1}"#,
                "`release`: invalid type: integer `1`, expected a string",
            ),
            (
                r#"{"verb": "parse", "limits": {"findings": 3, "depth": "a"}}"#,
                "`limits.depth`: invalid type: string \"a\"",
            ),
            (
                r#"{"verb": "fixes", "range": {"start": {"line": 1}, "end": {"line": "b"}}}"#,
                "`range.end.line`: invalid type: string \"b\"",
            ),
            (
                r#"{"verb": "evaluate", "explain": ["a", 5, 6]}"#,
                "`explain[1]`: invalid type: integer `5`, expected a string",
            ),
            (
                r#"{"verb": "fixes", "range": {"start": {}}}"#,
                "`range`: missing field `end`",
            ),
            (
                r#"{"verb": "convert", "replaced": {"texts": 1}}"#,
                "`replaced.texts`: unknown field `texts`",
            ),
            // A duplicate field is not an error of a single part.
            (
                r#"{"verb": "parse", "verb": "parse"}"#,
                "duplicate field `verb`",
            ),
            (r#"{"verb": "#, "EOF while parsing a value"),
        ];
        for (text, words) in told {
            assert!(
                problem(text).starts_with(words),
                "{text}: {}",
                problem(text)
            );
        }
    }
}
