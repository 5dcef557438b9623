//! Kinds of token and sets of them.

use std::ops::Range;

/// The kinds of token. The number is the token's type in cel-go's grammar; the end of the text has -1 there and 0 here, which sorts alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum TokenKind {
    /// The end of the text.
    End,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `in`
    In,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>=`
    GreaterOrEqual,
    /// `>`
    Greater,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `[`
    LeftBracket,
    /// `]`
    RightBracket,
    /// `{`
    LeftBrace,
    /// `}`
    RightBrace,
    /// `(`
    LeftParenthesis,
    /// `)`
    RightParenthesis,
    /// `.`
    Dot,
    /// `,`
    Comma,
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `?`
    Question,
    /// `:`
    Colon,
    /// `+`
    Plus,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `%`
    Percent,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
    /// Blanks, tabs, line ends and form feeds: not seen by the parser.
    Whitespace,
    /// `//` to the end of the line: not seen by the parser.
    Comment,
    /// `1.5`
    FloatLiteral,
    /// `1`
    IntLiteral,
    /// `1u`
    UintLiteral,
    /// `"a"`
    StringLiteral,
    /// `b"a"`
    BytesLiteral,
    /// `a`
    Identifier,
    /// `` `a-b` ``
    EscapedIdentifier,
}

use TokenKind::*;

/// Every kind with the name that messages print, in the order of their numbers.
const NAMES: [(TokenKind, &str); 38] = [
    (End, "<EOF>"),
    (Equal, "'=='"),
    (NotEqual, "'!='"),
    (In, "'in'"),
    (Less, "'<'"),
    (LessOrEqual, "'<='"),
    (GreaterOrEqual, "'>='"),
    (Greater, "'>'"),
    (And, "'&&'"),
    (Or, "'||'"),
    (LeftBracket, "'['"),
    (RightBracket, "']'"),
    (LeftBrace, "'{'"),
    (RightBrace, "'}'"),
    (LeftParenthesis, "'('"),
    (RightParenthesis, "')'"),
    (Dot, "'.'"),
    (Comma, "','"),
    (Minus, "'-'"),
    (Not, "'!'"),
    (Question, "'?'"),
    (Colon, "':'"),
    (Plus, "'+'"),
    (Star, "'*'"),
    (Slash, "'/'"),
    (Percent, "'%'"),
    (True, "'true'"),
    (False, "'false'"),
    (Null, "'null'"),
    (Whitespace, "WHITESPACE"),
    (Comment, "COMMENT"),
    (FloatLiteral, "NUM_FLOAT"),
    (IntLiteral, "NUM_INT"),
    (UintLiteral, "NUM_UINT"),
    (StringLiteral, "STRING"),
    (BytesLiteral, "BYTES"),
    (Identifier, "IDENTIFIER"),
    (EscapedIdentifier, "ESC_IDENTIFIER"),
];

/// A token with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    /// Bytes of the text it covers.
    pub bytes: Range<u32>,
    /// Its start, an offset in code points.
    pub position: u32,
}

/// A set of kinds, and whether the rule may end where the set was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenSet {
    kinds: u64,
    /// The rule may end here.
    pub may_end: bool,
}

impl TokenSet {
    /// Returns the set of `kinds`.
    pub const fn of(kinds: &[TokenKind]) -> Self {
        let mut bits = 0;
        let mut rest = kinds;
        while let [kind, tail @ ..] = rest {
            bits |= 1_u64 << *kind as u8;
            rest = tail;
        }
        Self {
            kinds: bits,
            may_end: false,
        }
    }

    /// No kind, and the rule may end.
    pub const END_OF_RULE: Self = Self {
        kinds: 0,
        may_end: true,
    };

    /// Returns true if `kind` is in the set.
    pub const fn has(self, kind: TokenKind) -> bool {
        self.kinds & (1_u64 << kind as u8) != 0
    }

    /// Returns the set with the kinds of both; the rule may end if it may in either.
    pub const fn or(self, other: Self) -> Self {
        Self {
            kinds: self.kinds | other.kinds,
            may_end: self.may_end || other.may_end,
        }
    }

    /// Keeps only the kinds of the tokens.
    pub const fn kinds_only(self) -> Self {
        Self {
            kinds: self.kinds,
            may_end: false,
        }
    }

    /// Returns the text after `expecting`: one name, or several in braces.
    pub fn names(self) -> String {
        let names: Vec<&str> = NAMES
            .iter()
            .filter(|(kind, _)| self.has(*kind))
            .map(|(_, name)| *name)
            .collect();
        match names.as_slice() {
            [name] => (*name).to_owned(),
            names => format!("{{{}}}", names.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_order_of_their_numbers() {
        for (number, (kind, _)) in NAMES.iter().enumerate() {
            assert_eq!(number, *kind as usize);
        }
        assert_eq!(
            TokenSet::of(&[Identifier, End]).names(),
            "{<EOF>, IDENTIFIER}"
        );
        assert_eq!(TokenSet::of(&[Comma]).names(), "','");
    }
}
