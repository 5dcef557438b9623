//! Builds the tree of an expression from the parts of its text.
//!
//! cel-go, `parser/parser.go`, the `Visit` functions. They also run over a text with syntax errors and add what they find in the parts
//! that could be read; a hole is in the tree where a part is missing.

use std::ops::Range;
use std::sync::Arc;

use super::ast::{Expr, ExprNode, Literal, Macro, MacroCall, MapEntry, MessageField};
use super::dialect::ParserOptions;
use super::grammar::{GrammarRule, Label, RuleForm};
use super::literal;
use super::machine::DEEPEST;
use super::macros::{self, Expansion, HOLE, PossibleMacro};
use super::operands::{NOWHERE, OperandEntry, Parts};
use super::source::{ExpressionSource, Location, ProblemKind, Problems};
use super::token::TokenKind;
use super::tree::{ParsedText, PartId, Piece};

/// Words that are neither a variable nor a function (cel-go, `parser/parser.go`, `reservedIds`).
pub(crate) const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// `optMap` and `optFlatMap` repeat their receiver, so a chain of them doubles it at every link. cel-go 0.26 has no bound for this.
const MOST_NODES: u32 = 200_000;

/// A receiver of `optMap` or `optFlatMap` is not repeated if it is deeper than this.
const DEEPEST_COPY: u32 = 500;

/// A node that is built.
#[derive(Debug)]
struct Built {
    expr: Expr,
    /// Bytes of the part, with the parentheses around it.
    span: Range<u32>,
    /// At least the number of levels of the tree.
    height: u32,
    /// At least the number of its nodes.
    size: u32,
}

/// A task on the stack of the visitor.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// Build a part, if there is one.
    Visit(Option<PartId>),
    /// Build a node from the operands that were built last.
    Finish(NodeParts),
}

/// A part that becomes a node.
#[derive(Clone, Copy, Debug)]
struct NodeParts {
    /// The part, with the parentheses around it.
    outer: PartId,
    part: PartId,
}

/// Building stops at a limit, which is reported.
struct Halt;

/// A call as it is written.
struct WrittenCall {
    name: String,
    position: u32,
    /// The number of its arguments.
    count: usize,
    is_method: bool,
}

/// Builds the tree. Fails with the problems of the parser if there are any.
pub fn build(
    parsed: ParsedText,
    source: &ExpressionSource,
    options: &ParserOptions,
) -> Result<(Expr, Details), Problems> {
    let ParsedText {
        tokens,
        parts,
        pieces,
        problems,
    } = parsed;
    let mut builder = Builder {
        text: Parts {
            source,
            tokens,
            parts,
            pieces,
            escaped_names_are_fields: options.dialect.escaped_names_are_fields,
        },
        options,
        problems,
        tasks: Vec::with_capacity(RESERVED_TASKS),
        built: Vec::with_capacity(RESERVED_TASKS),
        depth: 0,
        ids: HOLE.saturating_add(1),
        macros: Vec::new(),
    };
    let whole = match builder.text.whole() {
        Some(part) => part.part(Label::Operand),
        None => return Err(builder.problems),
    };
    let root = builder.run(whole);
    match root {
        Some(root) if builder.problems.is_empty() => {
            let details = Details {
                ids: builder.ids,
                height: root.height,
                macros: builder.macros,
            };
            Ok((root.expr, details))
        }
        _ => Err(builder.problems),
    }
}

/// The properties of a tree that its nodes do not hold.
#[derive(Debug)]
pub struct Details {
    /// The first id that is not used.
    pub ids: u32,
    /// At least the number of levels.
    pub height: u32,
    pub macros: Vec<MacroCall>,
}

struct Builder<'a> {
    text: Parts<'a>,
    options: &'a ParserOptions,
    problems: Problems,
    tasks: Vec<Task>,
    built: Vec<Built>,
    /// How many operators, selections and calls are being built, one within the other.
    depth: u32,
    ids: u32,
    macros: Vec<MacroCall>,
}

impl Builder<'_> {
    fn run(&mut self, root: Option<PartId>) -> Option<Built> {
        self.tasks.push(Task::Visit(root));
        while let Some(task) = self.tasks.pop() {
            let done = match task {
                Task::Visit(part) => self.visit(part),
                Task::Finish(part) => self.finish(part),
            };
            if done.is_err() {
                return None;
            }
        }
        self.built.pop()
    }

    /// Builds a node without operands, or schedules the operands of a node that has some.
    fn visit(&mut self, outer: Option<PartId>) -> Result<(), Halt> {
        let Some(outer) = outer else {
            self.hole(NOWHERE);
            return Ok(());
        };
        let Some((id, part)) = self.text.without_parentheses(outer) else {
            self.hole(NOWHERE);
            return Ok(());
        };
        let place = NodeParts { outer, part: id };
        let (rule, form, start) = (part.rule, part.form, part.start);
        if is_level(rule) {
            self.depth = self.depth.saturating_add(1);
            if self.depth > DEEPEST {
                self.problems.report(
                    Location::NONE,
                    ProblemKind::Limit,
                    "max recursion depth exceeded",
                );
                return Err(Halt);
            }
        }
        match (rule, form) {
            (GrammarRule::Unary, RuleForm::Bare) => {
                self.constant(place, Literal::String("<<error>>".into()))
            }
            (GrammarRule::Literal, _) => self.visit_literal(place),
            (GrammarRule::Primary, RuleForm::Bare) => self.hole(NOWHERE),
            (GrammarRule::Primary, RuleForm::Identifier | RuleForm::GlobalCall) => {
                self.visit_name(place, start)
            }
            (GrammarRule::Primary, RuleForm::Message) => self.visit_message(place),
            _ => self.ask(place),
        }
        Ok(())
    }

    /// Builds the operands, and then the node.
    fn ask(&mut self, place: NodeParts) {
        self.tasks.push(Task::Finish(place));
        let from = self.tasks.len();
        self.text
            .operands(place.part, |operand| self.tasks.push(Task::Visit(operand)));
        self.first_is_next(from);
    }

    /// Reverses the tasks since `from`: the last task on the stack runs first.
    fn first_is_next(&mut self, from: usize) {
        self.tasks.get_mut(from..).unwrap_or_default().reverse();
    }

    /// Builds a variable or the call of a function.
    fn visit_name(&mut self, place: NodeParts, start: usize) {
        let position = self.text.token_position(start);
        let Some(part) = self.text.part(place.part) else {
            return;
        };
        let Some(piece) = part.first(Label::Identifier) else {
            return self.hole(position);
        };
        let name = self.text.piece_text(piece);
        if RESERVED.contains(&name) {
            let message = format!("reserved identifier: {name}");
            self.refuse(position, message);
            return self.hole(position);
        }
        match part.form {
            RuleForm::GlobalCall => self.ask(place),
            _ => {
                let name = if part.has(Label::LeadingDot) {
                    format!(".{name}").into()
                } else {
                    name.into()
                };
                let position = self.text.piece_position(piece);
                self.leaf(place, position, ExprNode::Ident(name));
            }
        }
    }

    /// Builds `Name{field: value}`.
    fn visit_message(&mut self, place: NodeParts) {
        let Some(part) = self.text.part(place.part) else {
            return;
        };
        let list = part
            .part(Label::Arguments)
            .and_then(|id| self.text.part(id));
        let position = list.map_or(NOWHERE, |list| self.text.token_position(list.start));
        let entries = self.text.entries(part);
        self.tasks.push(Task::Finish(place));
        let from = self.tasks.len();
        for entry in entries {
            match self.text.part(entry.key).map(|key| self.text.name(key)) {
                Some(Ok(_)) => self.tasks.push(Task::Visit(Some(entry.value))),
                Some(Err(message)) if self.options.dialect.escaped_names => {
                    self.refuse(position, message.to_owned())
                }
                _ => break,
            }
        }
        self.first_is_next(from);
    }

    fn visit_literal(&mut self, place: NodeParts) {
        let Some(part) = self.text.part(place.part) else {
            return;
        };
        let (form, position) = (part.form, self.text.token_position(part.start));
        let text = part
            .first(Label::Operand)
            .map_or("", |piece| self.text.piece_text(piece));
        let negative = part.has(Label::Sign);
        let surrogates_are_refused = self.options.dialect.surrogates_are_refused;
        let value = match form {
            RuleForm::Int => literal::int(text, negative)
                .map(Literal::Int)
                .ok_or("invalid int literal"),
            RuleForm::Uint => literal::uint(text)
                .map(Literal::Uint)
                .ok_or("invalid uint literal"),
            RuleForm::Double => literal::double(text, negative)
                .map(Literal::Double)
                .ok_or("invalid double literal"),
            RuleForm::String => literal::string(text, surrogates_are_refused)
                .map(|text| Literal::String(text.into())),
            RuleForm::Bytes => literal::bytes(text).map(Literal::Bytes),
            RuleForm::True => Ok(Literal::Bool(true)),
            RuleForm::False => Ok(Literal::Bool(false)),
            RuleForm::Null => Ok(Literal::Null),
            _ => return self.hole(NOWHERE),
        };
        match value {
            Ok(value) => self.constant(place, value),
            Err(message) => {
                self.refuse(position, message.to_owned());
                // cel-go creates a node for an invalid string but not for an invalid number. Only macros notice the difference.
                match form {
                    RuleForm::String | RuleForm::Bytes => self.constant(place, Literal::Null),
                    _ => self.hole(position),
                }
            }
        }
    }

    /// Builds a node from its operands.
    fn finish(&mut self, place: NodeParts) -> Result<(), Halt> {
        let Some(part) = self.text.part(place.part) else {
            return Ok(());
        };
        let (rule, form) = (part.rule, part.form);
        if is_level(rule) {
            self.depth = self.depth.saturating_sub(1);
        }
        match (rule, form) {
            (GrammarRule::Or, _) => self.finish_chain(place, "_||_"),
            (GrammarRule::And, _) => self.finish_chain(place, "_&&_"),
            (GrammarRule::Member, RuleForm::Select) => self.finish_select(place),
            (GrammarRule::Member, RuleForm::MemberCall)
            | (GrammarRule::Primary, RuleForm::GlobalCall) => {
                return self.finish_call(place);
            }
            (GrammarRule::Primary, RuleForm::List) => self.finish_list(place),
            (GrammarRule::Primary, RuleForm::Map) => self.finish_map(place),
            (GrammarRule::Primary, RuleForm::Message) => self.finish_message(place),
            _ => self.finish_operator(place),
        }
        Ok(())
    }

    /// Builds operators and indices.
    fn finish_operator(&mut self, place: NodeParts) {
        let Some(part) = self.text.part(place.part) else {
            return;
        };
        let signs = part.all(Label::Operator).count();
        let Some(operator) = part.first(Label::Operator) else {
            return self.hole(NOWHERE);
        };
        let kind = match operator {
            Piece::Token(index) => self
                .text
                .tokens
                .seen
                .get(index)
                .map_or(TokenKind::End, |token| token.kind),
            Piece::Assumed | Piece::Part(_) => TokenKind::End,
        };
        if part.rule == GrammarRule::Unary && signs % 2 == 0 {
            // An even number of signs cancels out.
            let span = self.text.span(place.outer);
            if let Some(built) = self.built.last_mut() {
                built.span = span;
            }
            return;
        }
        let (rule, is_optional, position) = (
            part.rule,
            part.has(Label::Optional),
            self.text.piece_position(operator),
        );
        let (function, count) = match (rule, kind) {
            (GrammarRule::Unary, TokenKind::Not) => ("!_", 1),
            (GrammarRule::Unary, _) => ("-_", 1),
            (GrammarRule::Expression, _) => ("_?_:_", 3),
            (GrammarRule::Member, _) => (if is_optional { "_[?_]" } else { "_[_]" }, 2),
            (_, kind) => (binary(kind), 2),
        };
        let (arguments, height, size) = self.take(count);
        let node = ExprNode::Call {
            function: function.into(),
            target: None,
            arguments,
        };
        self.push(place, position, node, height, size);
    }

    /// Builds from a chain of `&&` or `||` a tree of little depth; `balancedTree`.
    fn finish_chain(&mut self, place: NodeParts, function: &'static str) {
        let Some(part) = self.text.part(place.part) else {
            return;
        };
        let count = part.parts(Label::Operand).count();
        let operators: Vec<u32> = part
            .all(Label::Operator)
            .map(|operator| self.text.piece_position(operator))
            .collect();
        let mut terms = self.built.drain(self.built.len().saturating_sub(count)..);
        let chain = Chain {
            function,
            operators: &operators,
        };
        let whole = chain.balance(&mut terms, 0, operators.len(), &mut self.ids);
        drop(terms);
        if let Some(mut built) = whole {
            built.span = self.text.span(place.outer);
            self.built.push(built);
        }
    }

    /// Builds `operand.field` and `operand.?field`.
    fn finish_select(&mut self, place: NodeParts) {
        let Some(part) = self.text.part(place.part) else {
            return;
        };
        let Some(operand) = self.built.pop() else {
            return;
        };
        let position = self.text.operator_position(part);
        let Some(piece) = part.first(Label::Identifier) else {
            return self.hole(self.text.token_position(part.start));
        };
        let name_position = self.text.piece_position(piece);
        let name_span = self.text.piece_span(piece);
        let is_optional = part.has(Label::Optional);
        let field = match self.text.name(part) {
            Ok(name) => Arc::from(name),
            Err(message) => {
                self.refuse(name_position, message.to_owned());
                Arc::from("")
            }
        };
        let node = if is_optional {
            let name = Expr {
                id: macros::next_id(&mut self.ids),
                position: name_position,
                span: name_span,
                generated: false,
                node: ExprNode::Literal(Literal::String(field)),
            };
            ExprNode::Call {
                function: "_?._".into(),
                target: None,
                arguments: vec![operand.expr, name],
            }
        } else {
            ExprNode::Select {
                operand: Box::new(operand.expr),
                field,
                test_only: false,
            }
        };
        let height = operand.height.saturating_add(1);
        let size = operand.size.saturating_add(2);
        self.push(place, position, node, height, size);
    }

    /// Builds a call, or what a macro makes of it.
    fn finish_call(&mut self, place: NodeParts) -> Result<(), Halt> {
        let Some(part) = self.text.part(place.part) else {
            return Ok(());
        };
        let is_method = part.rule == GrammarRule::Member;
        let count = self.text.arguments(part).count();
        let open = if is_method {
            part.first(Label::Open)
        } else {
            part.first(Label::Operator)
        };
        let position = open.map_or(NOWHERE, |open| self.text.piece_position(open));
        let identifier = part
            .first(Label::Identifier)
            .map_or("", |name| self.text.piece_text(name));
        let name = if part.has(Label::LeadingDot) {
            format!(".{identifier}")
        } else {
            identifier.to_owned()
        };
        if let Some(found) = macros::find(&name, count, is_method, self.options) {
            let call = WrittenCall {
                name,
                position,
                count,
                is_method,
            };
            return self.finish_macro(place, found, call);
        }
        let (height, size) = measure(self.operands(count.saturating_add(usize::from(is_method))));
        let (arguments, ..) = self.take(count);
        let target = self.take_target(is_method).map(|built| built.expr);
        self.push(
            place,
            position,
            call_node(name, target, arguments),
            height,
            size,
        );
        Ok(())
    }

    /// Builds what a macro makes of a call.
    fn finish_macro(
        &mut self,
        place: NodeParts,
        kind: Macro,
        call: WrittenCall,
    ) -> Result<(), Halt> {
        let WrittenCall {
            name,
            position,
            count,
            is_method,
        } = call;
        let span = self.text.span(place.part);
        let operands = self.operands(count.saturating_add(usize::from(is_method)));
        let (height, size_of_operands) = measure(operands);
        let is_copied = matches!(kind, Macro::OptMap | Macro::OptFlatMap);
        let size = if is_copied {
            size_of_operands.saturating_mul(2)
        } else {
            size_of_operands
        };
        if is_copied && (self.ids.saturating_add(size) > MOST_NODES || height > DEEPEST_COPY) {
            let message =
                format!("`{name}` repeats its receiver: the expression is too large to expand");
            self.problems
                .report(self.location(position), ProblemKind::TooLarge, message);
            return Err(Halt);
        }
        let operands = self.operands(count).iter();
        let spans = operands.map(|operand| operand.span.clone()).collect();
        let (arguments, ..) = self.take(count);
        let target = self.take_target(is_method);
        let target_span = target.as_ref().map(|target| target.span.clone());
        let call = PossibleMacro {
            name: name.clone(),
            target: target.map(|target| target.expr),
            arguments,
            position,
            span: span.clone(),
        };
        match macros::expand(kind, call, self.options, &mut self.ids) {
            Expansion::Ordinary(call) => {
                let node = call_node(call.name, call.target, call.arguments);
                self.push(place, position, node, height, size);
            }
            Expansion::Expanded(expr) => {
                self.macros.push(MacroCall {
                    id: expr.id,
                    name,
                    span,
                    target: target_span,
                    arguments: spans,
                });
                self.built.push(Built {
                    expr,
                    span: self.text.span(place.outer),
                    height: height.saturating_add(macros::added_levels(kind)),
                    size: size.saturating_add(ADDED_NODES),
                });
            }
            Expansion::Refused { position, message } => {
                self.refuse(position, message);
                self.hole(position);
            }
        }
        Ok(())
    }

    /// Takes the receiver of a method, which was built before its arguments.
    fn take_target(&mut self, is_method: bool) -> Option<Built> {
        if is_method { self.built.pop() } else { None }
    }

    fn finish_list(&mut self, place: NodeParts) {
        let Some(part) = self.text.part(place.part) else {
            return;
        };
        let list = part
            .part(Label::Arguments)
            .and_then(|id| self.text.part(id));
        let elements: Vec<PartId> = list
            .into_iter()
            .flat_map(|list| list.parts(Label::Operand))
            .collect();
        let mut optional_indices = Vec::new();
        for (index, element) in (0..).zip(&elements) {
            let element = self.text.part(*element);
            if element.is_some_and(|element| element.has(Label::Optional)) {
                optional_indices.push(index);
            }
        }
        let position = self.text.operator_position(part);
        let (elements, height, size) = self.take(elements.len());
        self.push(
            place,
            position,
            ExprNode::List {
                elements,
                optional_indices,
            },
            height,
            size,
        );
    }

    fn finish_map(&mut self, place: NodeParts) {
        let Some(part) = self.text.part(place.part) else {
            return;
        };
        let (written, position) = (self.text.entries(part), self.text.operator_position(part));
        let (keys_and_values, height, size) = self.take(written.len().saturating_mul(2));
        let mut operands = keys_and_values.into_iter();
        let mut entries = Vec::with_capacity(written.len());
        for OperandEntry {
            optional, colon, ..
        } in written
        {
            let (Some(key), Some(value)) = (operands.next(), operands.next()) else {
                break;
            };
            entries.push(MapEntry {
                id: macros::next_id(&mut self.ids),
                position: colon,
                key,
                value,
                optional,
            });
        }
        // Each entry counts with its operands.
        let twice = size.saturating_add(size);
        self.push(place, position, ExprNode::Map { entries }, height, twice);
    }

    fn finish_message(&mut self, place: NodeParts) {
        let Some(part) = self.text.part(place.part) else {
            return;
        };
        let names: Vec<&str> = part
            .all(Label::Identifier)
            .map(|piece| self.text.piece_text(piece))
            .collect();
        let dot = if part.has(Label::LeadingDot) { "." } else { "" };
        let (type_name, position) = (
            format!("{dot}{}", names.join(".")),
            self.text.operator_position(part),
        );
        let mut written: Vec<(String, OperandEntry)> = Vec::new();
        for entry in self.text.entries(part) {
            let key = self.text.part(entry.key);
            if let Some(Ok(name)) = key.map(|key| self.text.name(key)) {
                written.push((name.to_owned(), entry));
            }
        }
        let (values, height, size) = self.take(written.len());
        let mut fields = Vec::with_capacity(written.len());
        for ((name, entry), value) in written.into_iter().zip(values) {
            let id = macros::next_id(&mut self.ids);
            fields.push(MessageField {
                id,
                position: entry.colon,
                name,
                value,
                optional: entry.optional,
            });
        }
        let twice = size.saturating_add(size);
        self.push(
            place,
            position,
            ExprNode::Message { type_name, fields },
            height,
            twice,
        );
    }

    /// Returns the last `count` nodes that were built: the operands of a node.
    fn operands(&self, count: usize) -> &[Built] {
        self.built
            .get(self.built.len().saturating_sub(count)..)
            .unwrap_or_default()
    }

    /// Takes the last `count` nodes that were built, with the height and the size of a node that has them as operands.
    fn take(&mut self, count: usize) -> (Vec<Expr>, u32, u32) {
        let (height, size) = measure(self.operands(count));
        let operands = self
            .built
            .drain(self.built.len().saturating_sub(count)..)
            .map(|built| built.expr)
            .collect();
        (operands, height, size)
    }

    fn push(&mut self, place: NodeParts, position: u32, node: ExprNode, height: u32, size: u32) {
        let id = macros::next_id(&mut self.ids);
        let expr = Expr {
            id,
            position,
            span: self.text.span(place.part),
            generated: false,
            node,
        };
        self.built.push(Built {
            expr,
            span: self.text.span(place.outer),
            height,
            size,
        });
    }

    fn leaf(&mut self, place: NodeParts, position: u32, node: ExprNode) {
        self.push(place, position, node, 1, 1);
    }

    fn constant(&mut self, place: NodeParts, literal: Literal) {
        let start = self.text.part(place.part).map_or(0, |part| part.start);
        self.leaf(
            place,
            self.text.token_position(start),
            ExprNode::Literal(literal),
        );
    }

    /// Builds a placeholder for a missing expression.
    fn hole(&mut self, position: u32) {
        let expr = Expr {
            id: HOLE,
            position,
            span: 0..0,
            generated: false,
            node: ExprNode::Literal(Literal::Null),
        };
        self.built.push(Built {
            expr,
            span: 0..0,
            height: 1,
            size: 1,
        });
    }

    fn refuse(&mut self, position: u32, message: String) {
        self.problems
            .report(self.location(position), ProblemKind::Form, message);
    }

    /// Returns the place of a node. cel-go prints column 0 of the first line for a node without a place.
    fn location(&self, position: u32) -> Location {
        if position == NOWHERE {
            Location {
                line: 1,
                column: -1,
            }
        } else {
            self.text.source.node_location(position)
        }
    }
}

fn call_node(name: String, target: Option<Expr>, arguments: Vec<Expr>) -> ExprNode {
    ExprNode::Call {
        function: name.into(),
        target: target.map(Box::new),
        arguments,
    }
}

/// How many tasks and nodes a typical text has at once.
const RESERVED_TASKS: usize = 16;

/// How many nodes an expansion adds at most.
const ADDED_NODES: u32 = 24;

/// Returns true if cel-go counts a part of this rule as a level when it builds its node.
fn is_level(rule: GrammarRule) -> bool {
    matches!(
        rule,
        GrammarRule::Expression
            | GrammarRule::Relation
            | GrammarRule::Calculation
            | GrammarRule::Member
    )
}

/// Returns the height and the size of a node with these operands.
fn measure(operands: &[Built]) -> (u32, u32) {
    let height = operands
        .iter()
        .map(|built| built.height)
        .max()
        .unwrap_or(0)
        .saturating_add(1);
    (
        height,
        operands
            .iter()
            .fold(1_u32, |size, built| size.saturating_add(built.size)),
    )
}

/// Returns the function of an operator between two operands.
fn binary(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Equal => "_==_",
        TokenKind::NotEqual => "_!=_",
        TokenKind::In => "@in",
        TokenKind::Less => "_<_",
        TokenKind::LessOrEqual => "_<=_",
        TokenKind::GreaterOrEqual => "_>=_",
        TokenKind::Greater => "_>_",
        TokenKind::Minus => "_-_",
        TokenKind::Star => "_*_",
        TokenKind::Slash => "_/_",
        TokenKind::Percent => "_%_",
        _ => "_+_",
    }
}

/// A chain of one operator.
struct Chain<'a> {
    function: &'static str,
    operators: &'a [u32],
}

impl Chain<'_> {
    /// Builds the tree of the operators from `low` up to but without `high`, and the terms between and around them.
    fn balance(
        &self,
        terms: &mut impl Iterator<Item = Built>,
        low: usize,
        high: usize,
        ids: &mut u32,
    ) -> Option<Built> {
        if low >= high {
            return terms.next();
        }
        let middle = low.saturating_add(high) / 2;
        let left = self.balance(terms, low, middle, ids)?;
        let right = self.balance(terms, middle.saturating_add(1), high, ids)?;
        let span = left.span.start..right.span.end;
        let height = left.height.max(right.height).saturating_add(1);
        let size = left.size.saturating_add(right.size).saturating_add(1);
        let position = self.operators.get(middle).copied().unwrap_or(NOWHERE);
        let node = ExprNode::Call {
            function: self.function.into(),
            target: None,
            arguments: vec![left.expr, right.expr],
        };
        let expr = Expr {
            id: macros::next_id(ids),
            position,
            span: span.clone(),
            generated: false,
            node,
        };
        Some(Built {
            expr,
            span,
            height,
            size,
        })
    }
}
