//! Enums whose values have names in answers.

/// Declares an enum from one row for each value: its documentation, the variant and its name in answers. The enum has `name()`,
/// and is printed and serialized by that name.
macro_rules! named {
    ($(#[$about:meta])* $enum:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $enum { $($(#[$doc])* $variant,)+ }

        impl $enum {
            /// Returns its name in answers.
            pub(crate) const fn name(self) -> &'static str {
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
                serializer.serialize_str(self.name())
            }
        }
    };
}

pub(crate) use named;
