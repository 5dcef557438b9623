//! Enums whose values have names in answers, and other texts that the program itself has. They are serialized as serde serializes the
//! names of an enum, so that a host can keep them: JavaScript has one string for each, however many answers have it.

use serde::{Serialize, Serializer};
use std::borrow::{Borrow, Cow};

/// Declares an enum from one row for each value: its documentation, the variant and its name in answers. The enum has `name()`,
/// and is printed and serialized by that name.
#[doc(hidden)]
#[macro_export]
macro_rules! __named {
    ($(#[$about:meta])* $enum:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $enum { $($(#[$doc])* $variant,)+ }

        impl $enum {
            /// Returns its name in answers.
            #[doc(hidden)]
            pub const fn name(self) -> &'static str {
                match self { $($enum::$variant => $name,)+ }
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl serde::Serialize for $enum {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_unit_variant(stringify!($enum), *self as u32, self.name())
            }
        }
    };
}

/// Serializes a text of the program.
pub fn fixed<S: Serializer>(text: &&'static str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_unit_variant("", 0, text)
}

/// Serializes a text that may be one of the program.
#[expect(clippy::ptr_arg, reason = "serde gives the field as it is")]
pub fn fixed_or_made<S: Serializer>(
    text: &Cow<'static, str>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match text {
        Cow::Borrowed(text) => fixed(text, serializer),
        Cow::Owned(text) => text.serialize(serializer),
    }
}

/// Serializes an optional text that may be one of the program.
pub fn some_fixed_or_made<S: Serializer>(
    text: &impl Borrow<Option<Cow<'static, str>>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match text.borrow() {
        Some(text) => fixed_or_made(text, serializer),
        None => serializer.serialize_none(),
    }
}
