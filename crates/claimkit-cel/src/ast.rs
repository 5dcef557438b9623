//! The tree of an expression, as cel-go's parser builds it after macro expansion.
//!
//! Function names of operators are cel-go's (`common/operators`): `_&&_`, `_?_:_`, `_[_]`, `_[?_]`, `_?._`, `@in`, `!_`, `-_` and so
//! on. Chains of `&&` and `||` are balanced, as cel-go does.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::source::ExpressionSource;

/// A parsed expression with its text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ast {
    /// The outermost expression of the text.
    pub root: Expr,
    /// Every node has an id in `1..ids`; no id is used twice.
    pub ids: u32,
    /// The tree has at most this many levels. The parser's limits keep it below 4,000.
    pub height: u32,
    /// Macro calls that were expanded, in the order of expansion: inner ones before the outer one.
    pub macros: Vec<MacroCall>,
    /// The text, with its lines.
    pub source: ExpressionSource,
}

/// A node of the syntax tree.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Expr {
    /// Number of the node, unique in its tree.
    pub id: u32,
    /// Offset in code points at which cel-go reports problems of this node: the sign of an operator, the `(` of a call.
    pub position: u32,
    /// Bytes of the whole sub-expression, from its first to its last token. A generated node has the span of its macro call.
    pub span: Range<u32>,
    /// The expansion of a macro made this node: it is not in the text.
    pub generated: bool,
    /// The node's kind and its operands.
    pub node: ExprNode,
}

/// The kinds of node.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprNode {
    /// A constant of the text.
    Literal(Literal),
    /// A name. A leading dot is part of it (`.x`).
    Ident(Arc<str>),
    /// `operand.field`, or `has(operand.field)`.
    Select {
        /// The expression before the dot.
        operand: Box<Expr>,
        /// The name after the dot, without back quotes.
        field: Arc<str>,
        /// `has()`: asks for presence instead of the value.
        test_only: bool,
    },
    /// A call of a function, a method or an operator.
    Call {
        /// Name of the function. A leading dot is part of it (`.f(x)`).
        function: Cow<'static, str>,
        /// The receiver of a method call.
        target: Option<Box<Expr>>,
        /// The arguments in order.
        arguments: Vec<Expr>,
    },
    /// `[a, ?b]`.
    List {
        /// The elements in order.
        elements: Vec<Expr>,
        /// Indices of the elements written with `?`, ascending.
        optional_indices: Vec<u32>,
    },
    /// `{k: v, ?k: v}`.
    Map {
        /// The entries in order.
        entries: Vec<MapEntry>,
    },
    /// `pkg.Name{field: value}`.
    Message {
        /// The name as written. A leading dot is part of it.
        type_name: String,
        /// The fields in order.
        fields: Vec<MessageField>,
    },
    /// A loop, which only macros make.
    Comprehension(Box<Comprehension>),
}

/// A constant as the text writes it.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// `1`, `-1`, `0x1f`.
    Int(i64),
    /// `1u`.
    Uint(u64),
    /// `1.5`, `1e3`. Never NaN or infinite.
    Double(f64),
    /// `"a"`, with escapes resolved.
    String(Arc<str>),
    /// `b"a"`, with escapes resolved.
    Bytes(Vec<u8>),
}

/// One entry of a map.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MapEntry {
    /// Number of the entry, from the same sequence as the nodes'.
    pub id: u32,
    /// The `:`, an offset in code points.
    pub position: u32,
    /// The expression before the `:`.
    pub key: Expr,
    /// The expression after the `:`.
    pub value: Expr,
    /// The key is written with `?`.
    pub optional: bool,
}

/// One field of a message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MessageField {
    /// Number of the field, from the same sequence as the nodes'.
    pub id: u32,
    /// The `:`, an offset in code points.
    pub position: u32,
    /// The name of the field.
    pub name: String,
    /// The expression after the `:`.
    pub value: Expr,
    /// The name is written with `?`.
    pub optional: bool,
}

/// A loop over a range that changes an accumulator. `all`, `exists`, `map`, `cel.bind` and others expand to it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Comprehension {
    /// The macro that made the loop.
    pub made_by: Macro,
    /// The list or map that the loop iterates over.
    pub range: Expr,
    /// Name of the variable: the element of a list, the key of a map. With two variables: the index of a list, the key of a map.
    pub variable: String,
    /// Name of the second variable: the element of a list, the value of a map.
    pub variable2: Option<String>,
    /// Name of the accumulator.
    pub accumulator: String,
    /// First value of the accumulator.
    pub init: Expr,
    /// The loop ends when this is false.
    pub condition: Expr,
    /// Next value of the accumulator.
    pub step: Expr,
    /// The value of the whole expression.
    pub result: Expr,
}

/// Macros that expand to a loop or a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Macro {
    /// `has(a.b)`.
    Has,
    /// `range.all(x, p)`, `range.all(i, x, p)`.
    All,
    /// `range.exists(x, p)`, `range.exists(i, x, p)`.
    Exists,
    /// `range.exists_one(x, p)`, `range.exists_one(i, x, p)`, `range.existsOne(i, x, p)`.
    ExistsOne,
    /// `range.map(x, f)`, `range.map(x, p, f)`.
    Map,
    /// `range.filter(x, p)`.
    Filter,
    /// `range.transformList(i, x, f)`, `range.transformList(i, x, p, f)`.
    TransformList,
    /// `range.transformMap(k, v, f)`, `range.transformMap(k, v, p, f)`.
    TransformMap,
    /// `range.transformMapEntry(k, v, e)`, `range.transformMapEntry(k, v, p, e)`.
    TransformMapEntry,
    /// `optional.optMap(x, f)`.
    OptMap,
    /// `optional.optFlatMap(x, f)`.
    OptFlatMap,
    /// `list.sortBy(x, key)`.
    SortBy,
    /// `cel.bind(x, value, body)`.
    Bind,
}

/// A macro call as it was written.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MacroCall {
    /// Id of the node that replaces the call.
    pub id: u32,
    /// The name as written, without the receiver: `exists_one`.
    pub name: String,
    /// Bytes of the whole call.
    pub span: Range<u32>,
    /// Bytes of the receiver.
    pub target: Option<Range<u32>>,
    /// Bytes of each argument.
    pub arguments: Vec<Range<u32>>,
}
