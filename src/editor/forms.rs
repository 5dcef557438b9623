//! The forms of texts as regular expressions of JSON Schema, in what ECMAScript and Go's `regexp` both read: no `\u`, no lookaround.

use super::facts::StringFormat;

macro_rules! subdomain {
    () => {
        r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
    };
}
// Go lower-cases the value first; two non-ASCII letters then become ASCII.
macro_rules! any_case {
    () => {
        "A-Za-z0-9\u{130}\u{212a}"
    };
}
macro_rules! label_any_case {
    () => {
        concat!(
            "[",
            any_case!(),
            "]([-",
            any_case!(),
            "]*[",
            any_case!(),
            "])?"
        )
    };
}
macro_rules! subdomain_any_case {
    () => {
        concat!(label_any_case!(), r"(\.", label_any_case!(), ")*")
    };
}
macro_rules! name {
    () => {
        r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
    };
}
macro_rules! version {
    () => {
        r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?"
    };
}

/// Value of a label.
pub const LABEL_VALUE: &str = concat!("^(", name!(), ")?$");
/// Key of a label.
pub const LABEL_KEY: &str = concat!("^(", subdomain!(), "/)?", name!(), "$");
/// Key of an annotation.
pub const ANNOTATION_KEY: &str = concat!(
    "^(",
    subdomain_any_case!(),
    "/)?[",
    any_case!(),
    "]([-_.",
    any_case!(),
    "]{0,61}[",
    any_case!(),
    "])?$"
);
/// A quantity that is a text.
pub const QUANTITY: &str = r"^\s*[+-]?[0-9.]+([eE][-+]?[0-9]+|[KMGTPE]i|[numkMGTPE])?\s*$";

impl StringFormat {
    /// Returns the pattern and the maximum number of characters. If the field is optional, the pattern also allows the empty
    /// string.
    pub fn rule(self, required: bool) -> Option<(&'static str, u32)> {
        macro_rules! either {
            ($($pattern:expr),+) => {
                if required { concat!("^", $($pattern,)+ "$") } else { concat!("^(", $($pattern,)+ ")?$") }
            };
        }
        Some(match self {
            StringFormat::Subdomain => (either!(subdomain!()), 253),
            StringFormat::GenerateName => {
                let pattern = concat!(
                    "^(",
                    subdomain!(),
                    r"|([a-z0-9]([-a-z0-9]*[a-z0-9])?\.)*([a-z0-9][-a-z0-9]*)?[\x00-\x7f]-)?$"
                );
                (pattern, 254)
            }
            StringFormat::Label => (either!("[a-z0-9]([-a-z0-9]*[a-z0-9])?"), 63),
            StringFormat::DriverName => (either!(subdomain_any_case!()), 63),
            // A version must match even if the field is optional.
            StringFormat::Semver => (concat!("^", version!(), "$"), u32::MAX),
            StringFormat::QualifiedName => (LABEL_KEY, 317),
            StringFormat::Finalizer => (
                concat!(
                    "^(kubernetes|orphan|foregroundDeletion|",
                    subdomain!(),
                    "/",
                    name!(),
                    ")$"
                ),
                317,
            ),
            StringFormat::GroupVersion => ("^([^/]*/)?[^/]+$", u32::MAX),
            StringFormat::FullyQualifiedName => (
                either!(
                    "(",
                    subdomain!(),
                    r"/[A-Za-z_][A-Za-z0-9_]{0,31}|[^/]*/[^/]*/.*)"
                ),
                u32::MAX,
            ),
            StringFormat::Cel | StringFormat::LabelMap | StringFormat::AnnotationMap => {
                return None;
            }
        })
    }
}
