//! What YAML text can be refused for, and the construct that was being read. The texts are libyaml's and go-yaml's
//! (scannerc.go, parserc.go, decode.go).

use std::fmt;

macro_rules! problems {
    ($($(#[$doc:meta])+ $name:ident = $text:literal,)+) => {
        /// Why a text is refused. `Display` gives the message without prefix and line.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Problem {
            $($(#[$doc])+ $name,)+
            /// A list or map as a key.
            InvalidMapKey {
                /// The key in Go's syntax.
                key: String,
            },
            /// A key that JSON cannot have.
            UnsupportedMapKey {
                /// Its type in Go.
                kind: &'static str,
                /// The key in Go's syntax.
                key: String,
                /// Its value in Go's syntax.
                value: String,
            },
            /// An alias without its anchor.
            UnknownAnchor {
                /// The name behind `*`.
                name: String,
            },
            /// An alias inside the value of its anchor.
            RecursiveAnchor {
                /// The name behind `&`.
                name: String,
            },
            /// A value of another type than its tag says.
            WrongTag {
                /// The type of the value, e.g. `str`.
                found: &'static str,
                /// The value as written.
                text: String,
                /// The type that the tag names, e.g. `int`.
                wanted: String,
            },
            /// A float that JSON cannot have.
            UnsupportedFloat {
                /// The number as Go prints it.
                value: String,
            },
            /// More nodes than the limit of this crate's user.
            TooManyNodes {
                /// The largest number that is allowed.
                allowed: usize,
            },
            /// More levels of nesting than the limit of this crate's user.
            TooManyLevels {
                /// The largest number that is allowed.
                allowed: usize,
            },
        }

        impl fmt::Display for Problem {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let text = match self {
                    $(Problem::$name => $text,)+
                    Problem::InvalidMapKey { key } => return write!(f, "invalid map key: {key}"),
                    Problem::UnsupportedMapKey { kind, key, value } => {
                        return write!(f, "unsupported map key of type: {kind}, key: {key}, value: {value}");
                    }
                    Problem::UnknownAnchor { name } => return write!(f, "unknown anchor '{name}' referenced"),
                    Problem::RecursiveAnchor { name } => return write!(f, "anchor '{name}' value contains itself"),
                    Problem::WrongTag { found, text, wanted } => {
                        return write!(f, "cannot decode !!{found} `{text}` as a !!{wanted}");
                    }
                    Problem::UnsupportedFloat { value } => return write!(f, "json: unsupported value: {value}"),
                    Problem::TooManyNodes { allowed } => return write!(f, "the document has more than {allowed} nodes"),
                    Problem::TooManyLevels { allowed } => {
                        return write!(f, "the document has more than {allowed} levels of nesting");
                    }
                };
                f.write_str(text)
            }
        }
    };
}

problems! {
    /// `%` without a name behind it.
    MissingDirectiveName = "could not find expected directive name",
    /// A character that the name of a directive may not have.
    NonAlphabeticalCharacter = "found unexpected non-alphabetical character",
    /// The version of `%YAML` lacks its point.
    ExpectedDigitOrDot = "did not find expected digit or '.' character",
    /// The handle of `%TAG` goes on without a blank.
    ExpectedWhitespace = "did not find expected whitespace",
    /// A tag goes on without a blank.
    ExpectedWhitespaceOrLineBreak = "did not find expected whitespace or line break",
    /// A directive other than `%YAML` and `%TAG`.
    UnknownDirective = "found unknown directive name",
    /// Text behind a directive, or behind `|` or `>`.
    ExpectedCommentOrLineBreak = "did not find expected comment or line break",
    /// A version of `%YAML` with too many digits.
    VersionTooLong = "found extremely long version number",
    /// `%YAML` without a version.
    ExpectedVersion = "did not find expected version number",
    /// `&` or `*` before something that is not a name.
    ExpectedName = "did not find expected alphabetic or numeric character",
    /// `!<` without its `>`.
    ExpectedTagEnd = "did not find the expected '>'",
    /// The handle of a tag lacks an exclamation mark.
    ExpectedExclamation = "did not find expected '!'",
    /// A tag without a name.
    ExpectedTagUri = "did not find expected tag URI",
    /// `%` in a tag without two hexadecimal digits.
    ExpectedUriEscape = "did not find URI escaped octet",
    /// Escapes of a tag that do not begin a UTF-8 character.
    LeadingOctet = "found an incorrect leading UTF-8 octet",
    /// Escapes of a tag that do not continue a UTF-8 character.
    TrailingOctet = "found an incorrect trailing UTF-8 octet",
    /// A character that nothing can begin with.
    CannotStartToken = "found character that cannot start any token",
    /// A line that should be a key has no colon.
    ExpectedColon = "could not find expected ':'",
    /// More than 10000 levels of nesting, the limit of go-yaml.
    TooDeep = "exceeded max depth of 10000",
    /// `- ` on the line of a key.
    EntryNotAllowed = "block sequence entries are not allowed in this context",
    /// `? ` where no key can be.
    KeyNotAllowed = "mapping keys are not allowed in this context",
    /// `: ` where no value can begin.
    ValueNotAllowed = "mapping values are not allowed in this context",
    /// A tab indents a line of a plain scalar.
    TabInScalar = "found a tab character that violates indentation",
    /// `---` or `...` within quotes.
    UnexpectedDocumentIndicator = "found unexpected document indicator",
    /// A quote that is never closed.
    UnexpectedEnd = "found unexpected end of stream",
    /// A backslash before a character that does not make an escape.
    UnknownEscape = "found unknown escape character",
    /// An escape with too few hexadecimal digits.
    ExpectedHexadecimal = "did not find expected hexdecimal number",
    /// An escape of a number without a character.
    InvalidEscapeCode = "found invalid Unicode character escape code",
    /// A flow sequence that goes on without a comma.
    ExpectedSequenceEnd = "did not find expected ',' or ']'",
    /// A flow mapping that goes on without a comma.
    ExpectedMappingEnd = "did not find expected ',' or '}'",
    /// No `---` after a directive.
    ExpectedDocumentStart = "did not find expected <document start>",
    /// Two `%YAML` directives.
    DuplicateYamlDirective = "found duplicate %YAML directive",
    /// A version of `%YAML` other than 1.1.
    IncompatibleDocument = "found incompatible YAML document",
    /// Two `%TAG` directives for one handle.
    DuplicateTagDirective = "found duplicate %TAG directive",
    /// A tag with a handle that no directive defines.
    UndefinedTagHandle = "found undefined tag handle",
    /// No value where one must be.
    ExpectedContent = "did not find expected node content",
    /// A list that goes on without `- `.
    ExpectedDash = "did not find expected '-' indicator",
    /// A map that goes on without a key.
    ExpectedKey = "did not find expected key",
    /// `|0` or `>0`.
    ZeroIndentation = "found an indentation indicator equal to 0",
    /// A tab indents a block scalar.
    TabForIndentationSpace = "found a tab character where an indentation space is expected",
    /// A character that YAML forbids.
    ControlCharacter = "control characters are not allowed",
    /// Aliases that repeat more than go-yaml allows.
    ExcessiveAliasing = "document contains excessive aliasing",
    /// `<<` with a value that cannot be merged.
    InvalidMerge = "map merge requires map or sequence of maps as the value",
    /// `!!binary` before text that is not base64.
    InvalidBase64 = "!!binary value contains invalid base64 data",
}

macro_rules! constructs {
    ($($(#[$doc:meta])+ $name:ident = $text:literal,)+) => {
        /// The part of the text that was read when a problem was found.
        ///
        /// ```
        /// use claimkit_yaml::yaml::{Bounds, read};
        ///
        /// let error = read("a: [1\n", Bounds::default()).error.unwrap();
        /// assert_eq!(error.context.unwrap().text(), "while parsing a flow sequence");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Construct { $($(#[$doc])+ $name,)+ }

        impl Construct {
            /// Returns libyaml's words, e.g. `while parsing a flow mapping`.
            pub fn text(self) -> &'static str {
                match self { $(Construct::$name => $text,)+ }
            }
        }
    };
}

constructs! {
    /// A list in brackets.
    FlowSequence = "while parsing a flow sequence",
    /// A map in braces.
    FlowMapping = "while parsing a flow mapping",
    /// A value with its properties.
    Node = "while parsing a node",
    /// A value outside brackets.
    BlockNode = "while parsing a block node",
    /// A value inside brackets.
    FlowNode = "while parsing a flow node",
    /// A list of `- ` items.
    BlockCollection = "while parsing a block collection",
    /// A map with a key on each line.
    BlockMapping = "while parsing a block mapping",
    /// Text behind `|` or `>`.
    BlockScalar = "while scanning a block scalar",
    /// A scalar without quotes.
    PlainScalar = "while scanning a plain scalar",
    /// A scalar in single or double quotes.
    QuotedScalar = "while scanning a quoted scalar",
    /// An escape in double quotes.
    Escape = "while parsing a quoted scalar",
    /// A line that begins with `%`.
    Directive = "while scanning a directive",
    /// A `%YAML` line.
    YamlDirective = "while scanning a %YAML directive",
    /// A `%TAG` line.
    TagDirective = "while scanning a %TAG directive",
    /// The handle and prefix of a `%TAG` line.
    TagDirectiveValue = "while parsing a %TAG directive",
    /// The handle and name of a tag.
    TagName = "while parsing a tag",
    /// A tag, such as `!!str`.
    Tag = "while scanning a tag",
    /// `&` and its name.
    Anchor = "while scanning an anchor",
    /// `*` and its name.
    Alias = "while scanning an alias",
    /// The token that comes next.
    NextToken = "while scanning for the next token",
    /// A key on one line.
    SimpleKey = "while scanning a simple key",
    /// A line that is indented further.
    Indentation = "while increasing indent level",
    /// A bracket or brace that opens.
    FlowLevel = "while increasing flow level",
}
