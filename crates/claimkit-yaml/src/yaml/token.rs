//! Tokens from the scanner to the parser, with marks and the location of their text.

/// A position in the text: bytes from the start of the file, and libyaml's line and column (both from 0, the line from the start
/// of the chunk, the column in characters).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Bytes from the start of the whole text.
    pub offset: u32,
    /// Lines from the start of the chunk, from 0.
    pub line: u32,
    /// Characters from the start of the line, from 0.
    pub column: u32,
}

/// The location of a scalar's text: in the source, or in the reader's buffer of unescaped and folded text
/// ([`super::Reader::text`] resolves both).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenText {
    /// Offset of the first byte.
    pub start: u32,
    /// Byte after the last.
    pub end: u32,
    /// True if the bytes are in the buffer instead of the source.
    pub buffered: bool,
}

impl TokenText {
    /// Returns true if there is no text.
    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// The style in which a scalar is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScalarStyle {
    #[default]
    /// A scalar without quotes.
    Plain,
    /// `'…'`.
    SingleQuoted,
    /// `"…"`.
    DoubleQuoted,
    /// `|`.
    Literal,
    /// `>`.
    Folded,
}

/// The kinds of token of YAML 1.1's grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum YamlTokenKind {
    #[default]
    StreamStart,
    StreamEnd,
    VersionDirective,
    TagDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    Tag,
    Scalar,
}

/// One token. `value` is the scalar, anchor name, tag handle or directive handle; `suffix` the
/// tag's suffix or the directive's prefix (for `%YAML`: major and minor as its two numbers).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct YamlToken {
    pub kind: YamlTokenKind,
    pub style: ScalarStyle,
    pub start: Mark,
    pub end: Mark,
    pub value: TokenText,
    pub suffix: TokenText,
}
