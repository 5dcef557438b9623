//! cel-go's grammar (`parser/gen/CEL.g4`) as a network of positions, with what may come next at each of them.
//!
//! The error texts depend on it: ANTLR decides at every position whether a token fits, can be left out or can be assumed.

use std::sync::LazyLock;

use super::token::TokenKind::*;
use super::token::{TokenKind, TokenSet};

/// The rules of the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum GrammarRule {
    Start,
    /// `or ? or : expression`
    Expression,
    /// `and || and`
    Or,
    /// `relation && relation`
    And,
    /// `calculation == calculation`
    Relation,
    /// `unary + unary`
    Calculation,
    /// `!member`
    Unary,
    /// `primary.name(arguments)[index]`
    Member,
    /// Names, brackets and literals.
    Primary,
    /// Arguments of a call.
    Arguments,
    /// Elements of a list.
    Elements,
    /// Entries of a map.
    Entries,
    /// Fields of a message.
    Fields,
    /// `?name`
    Field,
    /// `?expression`
    Element,
    /// `name` or `` `name` ``
    Name,
    /// A literal with its sign.
    Literal,
}

/// How many rules there are.
pub const RULES: usize = 17;

/// The alternative of its rule that a part of the text follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the alternatives below")]
pub enum RuleForm {
    /// None yet, or the rule has only one.
    Bare,
    Binary,
    Plain,
    Not,
    Negate,
    Select,
    MemberCall,
    Index,
    Identifier,
    GlobalCall,
    Nested,
    List,
    Map,
    Message,
    Literal,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    True,
    False,
    Null,
    EscapedName,
}

/// The role of a part within the part that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Label {
    /// Nothing that the tree needs.
    None,
    Operand,
    Operator,
    Optional,
    Identifier,
    LeadingDot,
    Open,
    Arguments,
    Key,
    Colon,
    Value,
    Sign,
}

/// A question that the parser answers by looking ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Go in if the next token is of the set.
    Next(TokenSet),
    /// Go in if a comma is next and a token of the set after it.
    CommaThen(TokenSet),
    /// Go in if a relation follows and this level takes it.
    Relation,
    /// Go in if an arithmetic operator follows and this level takes it.
    Calculation,
    /// `* / %` or `+ -`.
    Operator,
    /// A member, `!` or `-`.
    Unary,
    /// Go in if one more `-` follows.
    AnotherMinus,
    /// A selection, a call or an index.
    Member,
    /// The seven kinds of primary.
    Primary,
    /// A name with or without back quotes.
    Name,
    /// The eight kinds of literal.
    Literal,
}

/// A place where ANTLR checks the next token before it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenCheck {
    /// Before something optional, a choice, or the first round of a loop.
    Entry,
    /// After a round of a loop.
    NextRound,
}

/// The number of a position.
pub type PositionId = u16;

/// The step that a parser takes at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParserStep {
    /// One token of the set.
    Token {
        set: TokenSet,
        label: Label,
        next: PositionId,
    },
    /// A rule. `level` is the lowest level of operators that it takes.
    Call {
        rule: GrammarRule,
        level: u8,
        label: Label,
        next: PositionId,
    },
    /// A check, and then one of several ways.
    Decide {
        check: TokenCheck,
        choice: Choice,
        ways: Vec<PositionId>,
    },
    Check {
        next: PositionId,
    },
    /// From here on the rule has this form.
    Take {
        form: RuleForm,
        next: PositionId,
    },
    /// The text read so far becomes the operand of this form.
    Wrap {
        form: RuleForm,
        next: PositionId,
    },
    /// The end of the rule.
    End,
}

/// The network of positions and steps.
#[derive(Debug)]
pub struct Grammar {
    steps: Vec<ParserStep>,
    /// The tokens that may come next within the rule, by position.
    next: Vec<TokenSet>,
    starts: [PositionId; RULES],
    /// Whether names in back quotes are known.
    pub escaped_names: bool,
}

/// The grammar of cel-go 0.17 to 0.22.
pub static WITHOUT_ESCAPED_NAMES: LazyLock<Grammar> = LazyLock::new(|| {
    Grammar {
        escaped_names: false,
        ..Grammar::empty()
    }
    .built()
});

/// The grammar of cel-go from 0.23 on.
pub static WITH_ESCAPED_NAMES: LazyLock<Grammar> = LazyLock::new(|| {
    Grammar {
        escaped_names: true,
        ..Grammar::empty()
    }
    .built()
});

/// The tokens that start a literal, its sign left out.
pub const LITERALS: [TokenKind; 8] = [
    IntLiteral,
    UintLiteral,
    FloatLiteral,
    StringLiteral,
    BytesLiteral,
    True,
    False,
    Null,
];

/// The tokens that start a member.
pub const MEMBER: TokenSet = TokenSet::of(&[
    LeftBracket,
    LeftBrace,
    LeftParenthesis,
    Dot,
    Minus,
    TokenKind::Identifier,
])
.or(TokenSet::of(&LITERALS));

/// The tokens that start an expression.
const EXPRESSION: TokenSet = MEMBER.or(TokenSet::of(&[Not]));

/// The tokens that start an element of a list or a key of a map.
const ELEMENT: TokenSet = EXPRESSION.or(TokenSet::of(&[Question]));

/// The tokens of relations.
pub const RELATIONS: TokenSet = TokenSet::of(&[
    Equal,
    NotEqual,
    In,
    Less,
    LessOrEqual,
    GreaterOrEqual,
    Greater,
]);

/// `* / %`
pub const PRODUCTS: TokenSet = TokenSet::of(&[Star, Slash, Percent]);

/// `+ -`
pub const SUMS: TokenSet = TokenSet::of(&[Plus, Minus]);

/// A piece of a rule.
enum Piece {
    Token(TokenSet, Label),
    Call(GrammarRule, u8, Label),
    Sequence(Vec<Piece>),
    Optional(Box<Piece>, Choice),
    Repeat(Box<Piece>, Choice),
    RepeatOnceOrMore(Box<Piece>, Choice),
    OneOf(Vec<Piece>, Choice),
    Take(RuleForm),
    Wrap(RuleForm),
}

fn token(kind: TokenKind) -> Piece {
    labelled(kind, Label::None)
}

fn labelled(kind: TokenKind, label: Label) -> Piece {
    Piece::Token(TokenSet::of(&[kind]), label)
}

fn rule(rule: GrammarRule, label: Label) -> Piece {
    Piece::Call(rule, 0, label)
}

/// Makes `piece` optional: it is there if a token of the set comes next.
fn optional<const N: usize>(piece: Piece, kinds: [TokenKind; N]) -> Piece {
    Piece::Optional(Box::new(piece), Choice::Next(TokenSet::of(&kinds)))
}

/// Returns a piece that repeats `piece` while the next token is `first`.
fn repeat(piece: [Piece; 2], first: TokenKind) -> Piece {
    Piece::Repeat(
        Box::new(Piece::Sequence(piece.into())),
        Choice::Next(TokenSet::of(&[first])),
    )
}

/// Makes a list of an `entry`, and more of them after commas if the token after the comma can start one.
fn list(entry: impl Fn() -> Vec<Piece>, first: TokenSet) -> Piece {
    let mut more = vec![token(Comma)];
    more.extend(entry());
    let mut pieces = entry();
    pieces.push(Piece::Repeat(
        Box::new(Piece::Sequence(more)),
        Choice::CommaThen(first),
    ));
    Piece::Sequence(pieces)
}

/// Makes the pieces of `(arguments)` without the opening parenthesis.
fn arguments() -> [Piece; 2] {
    let inner = Piece::Optional(
        Box::new(rule(GrammarRule::Arguments, Label::Arguments)),
        Choice::Next(EXPRESSION),
    );
    [inner, token(RightParenthesis)]
}

/// Makes brackets with `inner` and perhaps a comma in them.
fn bracketed(open: TokenKind, inner: GrammarRule, first: TokenSet, close: TokenKind) -> [Piece; 4] {
    [
        labelled(open, Label::Operator),
        Piece::Optional(Box::new(rule(inner, Label::Arguments)), Choice::Next(first)),
        optional(token(Comma), [Comma]),
        token(close),
    ]
}

impl GrammarRule {
    const ALL: [Self; RULES] = [
        Self::Start,
        Self::Expression,
        Self::Or,
        Self::And,
        Self::Relation,
        Self::Calculation,
        Self::Unary,
        Self::Member,
        Self::Primary,
        Self::Arguments,
        Self::Elements,
        Self::Entries,
        Self::Fields,
        Self::Field,
        Self::Element,
        Self::Name,
        Self::Literal,
    ];

    /// Returns the pieces of the rule.
    fn definition(self, escaped_names: bool) -> Piece {
        Piece::Sequence(match self {
            Self::Start => vec![operand(Self::Expression), token(End)],
            Self::Expression => conditional(),
            Self::Or => chain(Self::And, Or),
            Self::And => chain(Self::Relation, And),
            Self::Relation => vec![
                operand(Self::Calculation),
                Piece::Repeat(
                    Box::new(binary(RELATIONS, Self::Relation, 2)),
                    Choice::Relation,
                ),
            ],
            Self::Calculation => {
                let products = binary(PRODUCTS, Self::Calculation, 3);
                let sums = binary(SUMS, Self::Calculation, 2);
                let either = Piece::OneOf(vec![products, sums], Choice::Operator);
                vec![
                    operand(Self::Unary),
                    Piece::Repeat(Box::new(either), Choice::Calculation),
                ]
            }
            Self::Unary => {
                let alternatives = vec![
                    Piece::Sequence(vec![Piece::Take(RuleForm::Plain), operand(Self::Member)]),
                    signed(RuleForm::Not, Not, Choice::Next(TokenSet::of(&[Not]))),
                    signed(RuleForm::Negate, Minus, Choice::AnotherMinus),
                ];
                vec![Piece::OneOf(alternatives, Choice::Unary)]
            }
            Self::Member => member(escaped_names),
            Self::Primary => primary(escaped_names),
            Self::Arguments => vec![
                operand(Self::Expression),
                repeat([token(Comma), operand(Self::Expression)], Comma),
            ],
            Self::Elements => vec![list(|| vec![operand(Self::Element)], ELEMENT)],
            Self::Entries => vec![list(|| pair(Self::Element), ELEMENT)],
            Self::Fields => vec![list(|| pair(Self::Field), field_start(escaped_names))],
            Self::Field => vec![question(), name(escaped_names)],
            Self::Element => vec![question(), operand(Self::Expression)],
            Self::Name => {
                let escaped = vec![
                    Piece::Take(RuleForm::EscapedName),
                    labelled(EscapedIdentifier, Label::Identifier),
                ];
                let plain = vec![Piece::Take(RuleForm::Identifier), identifier()];
                vec![Piece::OneOf(
                    vec![Piece::Sequence(plain), Piece::Sequence(escaped)],
                    Choice::Name,
                )]
            }
            Self::Literal => literal(),
        })
    }
}

fn operand(called: GrammarRule) -> Piece {
    rule(called, Label::Operand)
}

fn operator(kind: TokenKind) -> Piece {
    labelled(kind, Label::Operator)
}

fn identifier() -> Piece {
    labelled(TokenKind::Identifier, Label::Identifier)
}

/// Makes the `?` before an optional field, index or element.
fn question() -> Piece {
    optional(labelled(Question, Label::Optional), [Question])
}

fn leading_dot() -> Piece {
    optional(labelled(Dot, Label::LeadingDot), [Dot])
}

/// Makes the name of a field.
fn name(escaped_names: bool) -> Piece {
    if escaped_names {
        rule(GrammarRule::Name, Label::Identifier)
    } else {
        identifier()
    }
}

/// Returns the tokens that start a field of a message.
fn field_start(escaped_names: bool) -> TokenSet {
    if escaped_names {
        TokenSet::of(&[TokenKind::Identifier, EscapedIdentifier, Question])
    } else {
        TokenSet::of(&[TokenKind::Identifier, Question])
    }
}

/// Makes `or ? or : expression`, whose second part may be missing.
fn conditional() -> Vec<Piece> {
    let branches = Piece::Sequence(vec![
        operator(Question),
        operand(GrammarRule::Or),
        token(Colon),
        operand(GrammarRule::Expression),
    ]);
    vec![operand(GrammarRule::Or), optional(branches, [Question])]
}

/// Makes operands with the same operator between them.
fn chain(part: GrammarRule, between: TokenKind) -> Vec<Piece> {
    vec![
        operand(part),
        repeat([operator(between), operand(part)], between),
    ]
}

/// Makes an operator and its right operand, behind a left operand.
fn binary(operators: TokenSet, right: GrammarRule, level: u8) -> Piece {
    Piece::Sequence(vec![
        Piece::Wrap(RuleForm::Binary),
        Piece::Token(operators, Label::Operator),
        Piece::Call(right, level, Label::Operand),
    ])
}

/// Makes a member with one or more signs before it.
fn signed(form: RuleForm, sign: TokenKind, choice: Choice) -> Piece {
    Piece::Sequence(vec![
        Piece::Take(form),
        Piece::RepeatOnceOrMore(Box::new(operator(sign)), choice),
        operand(GrammarRule::Member),
    ])
}

/// Makes a primary with the selections, calls and indexes behind it.
fn member(escaped_names: bool) -> Vec<Piece> {
    let select = vec![
        Piece::Wrap(RuleForm::Select),
        operator(Dot),
        question(),
        name(escaped_names),
    ];
    let mut call = vec![
        Piece::Wrap(RuleForm::MemberCall),
        operator(Dot),
        identifier(),
        labelled(LeftParenthesis, Label::Open),
    ];
    call.extend(arguments());
    let index = vec![
        Piece::Wrap(RuleForm::Index),
        operator(LeftBracket),
        question(),
        operand(GrammarRule::Expression),
        token(RightBracket),
    ];
    let either = one_of([select, call, index], Choice::Member);
    let starts = TokenSet::of(&[Dot, LeftBracket]);
    vec![
        Piece::Take(RuleForm::Plain),
        operand(GrammarRule::Primary),
        Piece::Repeat(Box::new(either), Choice::Next(starts)),
    ]
}

/// Makes what needs no operator: a name, a call, a literal, or something in parentheses, brackets or braces.
fn primary(escaped_names: bool) -> Vec<Piece> {
    let name = vec![
        Piece::Take(RuleForm::Identifier),
        leading_dot(),
        identifier(),
    ];
    let mut call = vec![
        Piece::Take(RuleForm::GlobalCall),
        leading_dot(),
        identifier(),
        operator(LeftParenthesis),
    ];
    call.extend(arguments());
    let nested = vec![
        Piece::Take(RuleForm::Nested),
        token(LeftParenthesis),
        operand(GrammarRule::Expression),
        token(RightParenthesis),
    ];
    let mut list = vec![Piece::Take(RuleForm::List)];
    list.extend(bracketed(
        LeftBracket,
        GrammarRule::Elements,
        ELEMENT,
        RightBracket,
    ));
    let mut map = vec![Piece::Take(RuleForm::Map)];
    map.extend(bracketed(
        LeftBrace,
        GrammarRule::Entries,
        ELEMENT,
        RightBrace,
    ));
    let mut message = vec![
        Piece::Take(RuleForm::Message),
        leading_dot(),
        identifier(),
        repeat([token(Dot), identifier()], Dot),
    ];
    message.extend(bracketed(
        LeftBrace,
        GrammarRule::Fields,
        field_start(escaped_names),
        RightBrace,
    ));
    let literal = vec![
        Piece::Take(RuleForm::Literal),
        operand(GrammarRule::Literal),
    ];
    let alternatives = [name, call, nested, list, map, message, literal];
    vec![one_of(alternatives, Choice::Primary)]
}

/// Makes `key: value`.
fn pair(key: GrammarRule) -> Vec<Piece> {
    vec![
        rule(key, Label::Key),
        labelled(Colon, Label::Colon),
        rule(GrammarRule::Expression, Label::Value),
    ]
}

/// Makes a literal, with its sign if it is a number that can have one.
fn literal() -> Vec<Piece> {
    let alternatives = [
        vec![
            Piece::Take(RuleForm::Int),
            minus_sign(),
            operand_token(IntLiteral),
        ],
        vec![Piece::Take(RuleForm::Uint), operand_token(UintLiteral)],
        vec![
            Piece::Take(RuleForm::Double),
            minus_sign(),
            operand_token(FloatLiteral),
        ],
        vec![Piece::Take(RuleForm::String), operand_token(StringLiteral)],
        vec![Piece::Take(RuleForm::Bytes), operand_token(BytesLiteral)],
        vec![Piece::Take(RuleForm::True), operand_token(True)],
        vec![Piece::Take(RuleForm::False), operand_token(False)],
        vec![Piece::Take(RuleForm::Null), operand_token(Null)],
    ];
    vec![one_of(alternatives, Choice::Literal)]
}

fn minus_sign() -> Piece {
    optional(labelled(Minus, Label::Sign), [Minus])
}

fn operand_token(kind: TokenKind) -> Piece {
    labelled(kind, Label::Operand)
}

/// Makes one of several sequences.
fn one_of<const N: usize>(alternatives: [Vec<Piece>; N], choice: Choice) -> Piece {
    Piece::OneOf(
        alternatives.into_iter().map(Piece::Sequence).collect(),
        choice,
    )
}

impl Grammar {
    fn empty() -> Self {
        Self {
            steps: Vec::new(),
            next: Vec::new(),
            starts: [0; RULES],
            escaped_names: false,
        }
    }

    /// Adds the rules to an empty grammar.
    fn built(mut self) -> Self {
        for rule in GrammarRule::ALL {
            let end = self.add(ParserStep::End);
            let first = self.add_piece(rule.definition(self.escaped_names), end);
            if let Some(place) = self.starts.get_mut(rule as usize) {
                *place = first;
            }
        }
        self.next = (0..)
            .zip(&self.steps)
            .map(|(position, _)| self.first(position))
            .collect();
        self
    }

    fn add(&mut self, step: ParserStep) -> PositionId {
        self.steps.push(step);
        PositionId::try_from(self.steps.len().saturating_sub(1)).unwrap_or(PositionId::MAX)
    }

    fn replace(&mut self, position: PositionId, step: ParserStep) {
        if let Some(place) = self.steps.get_mut(usize::from(position)) {
            *place = step;
        }
    }

    /// Adds a piece that goes on at `next`. Returns its first position.
    fn add_piece(&mut self, piece: Piece, next: PositionId) -> PositionId {
        match piece {
            Piece::Token(set, label) => self.add(ParserStep::Token { set, label, next }),
            Piece::Call(rule, level, label) => self.add(ParserStep::Call {
                rule,
                level,
                label,
                next,
            }),
            Piece::Take(form) => self.add(ParserStep::Take { form, next }),
            Piece::Wrap(form) => self.add(ParserStep::Wrap { form, next }),
            Piece::Sequence(pieces) => pieces
                .into_iter()
                .rev()
                .fold(next, |next, piece| self.add_piece(piece, next)),
            Piece::Optional(piece, choice) => {
                let inside = self.add_piece(*piece, next);
                self.add(ParserStep::Decide {
                    check: TokenCheck::Entry,
                    choice,
                    ways: vec![inside, next],
                })
            }
            Piece::OneOf(pieces, choice) => {
                let ways = pieces
                    .into_iter()
                    .map(|piece| self.add_piece(piece, next))
                    .collect();
                self.add(ParserStep::Decide {
                    check: TokenCheck::Entry,
                    choice,
                    ways,
                })
            }
            Piece::Repeat(piece, choice) => {
                let again = self.add(ParserStep::End);
                let inside = self.add_piece(*piece, again);
                self.replace(
                    again,
                    ParserStep::Decide {
                        check: TokenCheck::NextRound,
                        choice,
                        ways: vec![inside, next],
                    },
                );
                self.add(ParserStep::Decide {
                    check: TokenCheck::Entry,
                    choice,
                    ways: vec![inside, next],
                })
            }
            Piece::RepeatOnceOrMore(piece, choice) => {
                let again = self.add(ParserStep::End);
                let inside = self.add_piece(*piece, again);
                self.replace(
                    again,
                    ParserStep::Decide {
                        check: TokenCheck::NextRound,
                        choice,
                        ways: vec![inside, next],
                    },
                );
                self.add(ParserStep::Check { next: inside })
            }
        }
    }

    /// Returns the tokens that may come first at `position`. No rule calls itself first, so this ends.
    fn first(&self, position: PositionId) -> TokenSet {
        match self.step(position) {
            ParserStep::Token { set, .. } => *set,
            ParserStep::Call { rule, next, .. } => {
                let inside = self.first(self.start(*rule));
                if inside.may_end {
                    inside.kinds_only().or(self.first(*next))
                } else {
                    inside
                }
            }
            ParserStep::Decide { ways, .. } => ways
                .iter()
                .fold(TokenSet::default(), |set, way| set.or(self.first(*way))),
            ParserStep::Check { next }
            | ParserStep::Take { next, .. }
            | ParserStep::Wrap { next, .. } => self.first(*next),
            ParserStep::End => TokenSet::END_OF_RULE,
        }
    }

    /// Returns the step at a position.
    pub fn step(&self, position: PositionId) -> &ParserStep {
        self.steps
            .get(usize::from(position))
            .unwrap_or(&ParserStep::End)
    }

    /// Returns the tokens that may come next within the rule, and whether the rule may end.
    pub fn next(&self, position: PositionId) -> TokenSet {
        self.next
            .get(usize::from(position))
            .copied()
            .unwrap_or(TokenSet::END_OF_RULE)
    }

    /// Returns the first position of a rule.
    pub fn start(&self, rule: GrammarRule) -> PositionId {
        self.starts.get(rule as usize).copied().unwrap_or(0)
    }
}
