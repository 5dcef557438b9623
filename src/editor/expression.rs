//! Hover and completion inside CEL expressions: types, values on devices of the project, names that its slices publish, functions.

use super::complete::{Completion, Sort};
use super::context::{self, Purpose, Spot};
use super::hover::Hover;
use super::names::{Beside, published};
use super::outline::{Outline, OutlineValueKind, Role};
use crate::cel_lints::published::PublishedNames;
use crate::cel_lints::{Language, reads, with_derived};
use crate::manifest::{Input, What};
use claimkit_model::cel::ast::{Expr, ExprNode};
use claimkit_model::cel::checker::Reference;
use claimkit_model::cel::environment::{Declaration, Signature};
use claimkit_model::cel::functions::CallStyle;
use claimkit_model::cel::types::Type;
use claimkit_model::cel::value::Value;
use claimkit_model::cel::{Environment, EnvironmentMode, SELECTOR_COST_LIMIT, trace};
use claimkit_model::finding::Step;
use claimkit_model::limits::Limits;
use claimkit_model::message::Words;
use claimkit_model::schema::{Gates, Release};
use claimkit_model::text::Span;
use claimkit_model::text::scalar::Places;
use claimkit_model::text::tree::{NodeId, Style, Tree};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of devices whose values a hover shows.
const SHOWN: usize = 3;
/// Maximum number of values that are offered for a comparison: each device may have a serial number of its own.
const MOST_VALUES: usize = 20;

/// An expression of the text, and the place in it.
struct At<'i> {
    text: &'i str,
    places: Places,
    /// Byte of the expression.
    byte: usize,
    /// Where its `|` or `>` is, if it has one.
    block: Option<usize>,
    /// The quotes that its strings can have without escapes; `None` where quotes and brackets cannot be written.
    quote: Option<char>,
    language: Language,
    environment: Arc<Environment>,
}

/// The gates that are set for a release, `None` for its defaults. The error says which gate cannot be set.
pub type GatesOf<'g> = &'g dyn Fn(Release) -> Result<Option<Gates>, Words>;

fn find<'i>(
    input: &'i Input<'_>,
    offset: usize,
    gates: GatesOf<'_>,
) -> Result<Option<At<'i>>, Words> {
    let Some(written) = WrittenExpression::at(input, offset) else {
        return Ok(None);
    };
    let release = written.release;
    let gates = gates(release)?;
    let environment = written
        .language
        .environment(EnvironmentMode::New, release, gates);
    Ok(Some(At {
        text: written.text,
        byte: written.places.byte_at(offset),
        block: written.block,
        quote: written.quote,
        places: written.places,
        language: written.language,
        environment,
    }))
}

/// An expression of the text. The fields are those of [`At`].
struct WrittenExpression<'i> {
    text: &'i str,
    places: Places,
    block: Option<usize>,
    quote: Option<char>,
    language: Language,
    /// The release of its object.
    release: Release,
}

impl<'i> WrittenExpression<'i> {
    /// Returns the expression at a byte offset.
    fn at(input: &'i Input<'_>, offset: usize) -> Option<Self> {
        let item = input.items.iter().find(|item| item.span.touches(offset))?;
        let What::Ours(api) = &item.what else {
            return None;
        };
        let language = Language::of(*api)?;
        let tree = input.tree(item)?;
        let site = with_derived(tree, item.node, language)
            .into_iter()
            .find(|site| tree.span(site.node).touches(offset))?;
        let style = tree.node(site.node).style;
        let is_block = matches!(style, Style::Literal | Style::Folded);
        let quote = match style {
            Style::DoubleQuoted => Some('\''),
            Style::Plain if is_in_brackets(tree, item.node, &site.steps) => None,
            _ => Some('"'),
        };
        Some(WrittenExpression {
            text: tree.str(site.node)?,
            places: Places::of(tree, site.node)?,
            block: is_block.then(|| tree.span(site.node).from()),
            quote,
            language,
            release: item.release,
        })
    }
}

/// Returns true if anything on the way to a node is written in brackets.
fn is_in_brackets(tree: &Tree<'_>, object: NodeId, steps: &[Step]) -> bool {
    let mut node = object;
    for step in steps {
        if tree.node(node).style == Style::Flow {
            return true;
        }
        let next = match step {
            Step::Key(name) => tree.get(node, name),
            Step::Index(index) => tree.items(node).get(*index).copied(),
        };
        let Some(next) = next else {
            return false;
        };
        node = next;
    }
    false
}

/// Returns the hover for the part of an expression at a byte offset: its type, and its value on devices of the text.
///
/// # Errors
/// A gate that cannot be set.
pub fn hover(
    input: &Input<'_>,
    offset: usize,
    gates: GatesOf<'_>,
    key: &str,
    beside: &[Beside<'_>],
) -> Result<Option<Hover>, Words> {
    let Some(at) = find(input, offset, gates)? else {
        return Ok(None);
    };
    let hover = hover_of_part(&at, input, key, beside);
    Ok(hover.filter(|hover| hover.span.touches(offset)))
}

/// Returns the hover for the smallest part of an expression around a byte.
fn hover_of_part(
    at: &At<'_>,
    input: &Input<'_>,
    key: &str,
    beside: &[Beside<'_>],
) -> Option<Hover> {
    let checked = at.environment.check(at.text).ok()?;
    let part = innermost(&checked.ast.root, at.byte)?;
    let text = at
        .text
        .get(part.span.start as usize..part.span.end as usize)?;
    let ty = checked.findings.type_of(part.id).to_string();
    let mut markdown = format!("**`{}`** {ty}", text.replace('\n', " "));
    if let Reference::Function {
        function,
        overloads,
        ..
    } = checked.findings.reference(part.id)
        && let Some(declaration) = at
            .environment
            .function(*function)
            .filter(|declaration| is_name(declaration.name))
    {
        for signature in overloads.of(&declaration.overloads) {
            markdown.push_str(&format!("\n\n`{}`", shown(declaration, signature)));
        }
    }
    if !matches!(part.node, ExprNode::Literal(_)) {
        let values = values_on_devices(at, part, input, beside);
        if !values.is_empty() {
            markdown.push('\n');
            markdown.push_str(&values.concat());
        }
    }
    Some(Hover {
        span: at
            .places
            .span(part.span.start as usize, part.span.end as usize),
        title: text.to_owned(),
        key: key.to_owned(),
        field: None,
        documentation: Some(ty),
        markdown: Some(markdown),
    })
}

/// Returns the value of a part on each of the first devices of the texts, as items of a list.
fn values_on_devices(
    at: &At<'_>,
    part: &Expr,
    input: &Input<'_>,
    beside: &[Beside<'_>],
) -> Vec<String> {
    let mut values = Vec::new();
    let Ok(program) = at.environment.compile(at.text) else {
        return values;
    };
    let is_about_devices = at.language == Language::Device;
    for subject in &published(input, beside).subjects {
        if subject.is_device() != is_about_devices {
            continue;
        }
        let Ok(variables) = subject.variables(&at.environment) else {
            continue;
        };
        let trace = program.trace(&variables, SELECTOR_COST_LIMIT);
        let value = match trace.value_of(part) {
            Some(Value::Error(error)) => error.text.clone(),
            Some(value) => trace::shown(value),
            None => continue,
        };
        values.push(format!("\n- `{}`: `{value}`", subject.name));
        if values.len() >= SHOWN {
            break;
        }
    }
    values
}

/// Returns the smallest part that is written at a byte.
fn innermost(root: &Expr, byte: usize) -> Option<&Expr> {
    let mut best: Option<&Expr> = None;
    reads::visit(root, &mut |expr| {
        let covers = expr.span.start as usize <= byte && byte <= expr.span.end as usize;
        let smaller = best.is_none_or(|best| expr.span.len() <= best.span.len());
        if !expr.generated && covers && smaller {
            best = Some(expr);
        }
        true
    });
    best
}

/// Returns true for names that users write; operators have internal names.
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains('@') && name != "in"
}

/// Writes a signature: `string.charAt(int) -> string`.
fn shown(declaration: &Declaration, signature: &Signature) -> String {
    let arguments: Vec<String> = signature.arguments.iter().map(Type::to_string).collect();
    let result = &signature.result;
    match (signature.style, arguments.split_first()) {
        (CallStyle::Member, Some((receiver, rest))) => {
            format!(
                "{receiver}.{}({}) -> {result}",
                declaration.name,
                rest.join(", ")
            )
        }
        _ => format!("{}({}) -> {result}", declaration.name, arguments.join(", ")),
    }
}

/// Macros: name, inserted text, and its style: a member is a method of a list or map.
const MACROS: &[(&str, &str, CallStyle)] = &[
    ("has", "has(a.b) -> bool", CallStyle::Global),
    ("all", "list.all(x, condition) -> bool", CallStyle::Member),
    (
        "exists",
        "list.exists(x, condition) -> bool",
        CallStyle::Member,
    ),
    (
        "exists_one",
        "list.exists_one(x, condition) -> bool",
        CallStyle::Member,
    ),
    (
        "filter",
        "list.filter(x, condition) -> list",
        CallStyle::Member,
    ),
    ("map", "list.map(x, value) -> list", CallStyle::Member),
];

/// Returns the texts that can be inserted in an expression at a byte offset; `None` outside of expressions.
///
/// # Errors
/// A gate that cannot be set.
pub fn complete(
    input: &Input<'_>,
    offset: usize,
    gates: GatesOf<'_>,
    beside: &[Beside<'_>],
) -> Result<Option<Vec<Completion>>, Words> {
    let at = find(input, offset, gates)?;
    let at = at.filter(|at| at.can_be_written(input.file.source.text(), offset));
    Ok(at.and_then(|at| within(&at, input, beside)))
}

impl At<'_> {
    /// Returns true if what is written at an offset is part of the expression: it is not behind the closing quote, in the header of a
    /// block, or on an empty line before the indentation of a block.
    fn can_be_written(&self, text: &str, offset: usize) -> bool {
        let column = |offset: usize| {
            let head = text.get(..offset).unwrap_or_default();
            head.len()
                .saturating_sub(head.rfind('\n').map_or(0, |at| at.saturating_add(1)))
        };
        let is_exact = self.places.at(self.byte) == offset;
        let Some(header) = self.block else {
            return is_exact;
        };
        let is_below = text
            .get(header..offset)
            .is_some_and(|part| part.contains('\n'));
        let first = self.text.find(|c| c != '\n');
        let is_indented = first.is_none_or(|first| column(offset) >= column(self.places.at(first)));
        is_exact && is_below && is_indented
    }
}

/// Returns the texts that can begin an expression at a byte offset where its value is not written yet; `None` elsewhere.
///
/// # Errors
/// A gate that cannot be set.
pub fn begin(
    text: &str,
    offset: usize,
    release: Option<Release>,
    limits: &Limits,
    gates: GatesOf<'_>,
    beside: &[Beside<'_>],
) -> Result<Option<Vec<Completion>>, Words> {
    let Some(value) = EmptyValue::at(text, offset) else {
        return behind_blanks(text, offset, release, limits, gates, beside);
    };
    // What can be written there is what can be written between quotes.
    let (before, behind) = text.split_at_checked(offset).unwrap_or_default();
    let EmptyValue { lead, quote, .. } = value;
    let quoted = format!("{before}{lead}{quote}{quote}{behind}");
    let inside = before
        .len()
        .saturating_add(lead.len())
        .saturating_add(quote.len_utf8());
    let input = Input::read(quoted.as_str(), release, limits);
    let items = complete(&input, inside, gates, beside)?;
    Ok(items.map(|items| {
        let items = items.into_iter();
        items.map(|item| value.completion(item, offset)).collect()
    }))
}

/// The characters after which an operand of an expression follows.
const BEFORE_OPERAND: [char; 13] = [
    '&', '|', '=', '<', '>', '+', '-', '*', '/', '%', '!', '(', ',',
];
/// A name that stands for the operand which is not written yet.
const OPERAND: &str = "d";

/// Returns the texts that can follow an operator and blanks where these blanks are not part of the value: at the end of an expression
/// without quotes, and on an empty line of a block.
fn behind_blanks(
    text: &str,
    offset: usize,
    release: Option<Release>,
    limits: &Limits,
    gates: GatesOf<'_>,
    beside: &[Beside<'_>],
) -> Result<Option<Vec<Completion>>, Words> {
    let Some((before, behind)) = text.split_at_checked(offset) else {
        return Ok(None);
    };
    let written = before.trim_end_matches([' ', '\t']);
    let has_blanks = written.len() < before.len();
    let follows_operator = written.ends_with(BEFORE_OPERAND) || is_new_line(before, behind);
    if !has_blanks || !follows_operator {
        return Ok(None);
    }
    let with_operand = format!("{before}{OPERAND}{behind}");
    let input = Input::read(with_operand.as_str(), release, limits);
    let items = complete(&input, offset, gates, beside)?;
    Ok(items.map(|items| {
        let items = items.into_iter();
        items
            .map(|item| Completion {
                span: Span::at(offset),
                ..item
            })
            .collect()
    }))
}

/// Returns true for an empty line where a block goes on that ends with an operator, or that has only its header yet.
fn is_new_line(before: &str, behind: &str) -> bool {
    let Some((above, blanks)) = before.rsplit_once('\n') else {
        return false;
    };
    let is_empty = |line: &str| line.trim().is_empty();
    let last = above.lines().rfind(|line| !is_empty(line));
    let is_line_empty = is_empty(blanks) && behind.lines().next().is_none_or(is_empty);
    let Some(last) = last.map(str::trim_end).filter(|_| is_line_empty) else {
        return false;
    };
    // The header of a block ends with such a character, too.
    let is_header = [": |", ": >", ": |-", ": >-", ": |+", ": >+"]
        .iter()
        .any(|header| last.ends_with(header));
    let text = match is_header {
        true => last.trim_start_matches([' ', '-']),
        false => last.trim_start(),
    };
    let column = last.len().saturating_sub(text.len());
    let is_in_block = match is_header {
        true => blanks.len() > column,
        false => blanks.len() >= column,
    };
    last.ends_with(BEFORE_OPERAND) && is_in_block
}

/// The place of an expression that is not written yet.
#[derive(Clone, Copy)]
struct EmptyValue {
    /// The space that is missing behind the colon.
    lead: &'static str,
    quote: char,
    /// Quotes are needed: in brackets.
    is_flow: bool,
}

impl EmptyValue {
    fn at(text: &str, offset: usize) -> Option<EmptyValue> {
        let before = text.get(..offset)?;
        let key = before
            .trim_end_matches([' ', '\t'])
            .strip_suffix(':')?
            .trim_end_matches(['"', '\'']);
        // Only these have expressions; all others need no outline.
        if !key.ends_with("expression") && !key.ends_with("selector") {
            return None;
        }
        let outline = Outline::read(text);
        let Some(Spot::Value { of, range }) = context::spot(&outline, offset, Purpose::Complete)
        else {
            return None;
        };
        let node = outline.nodes.get(of)?;
        let has_block = context::children(&outline, node.document, Some(of)).any(|_| true);
        let is_empty = range.is_empty()
            && node.role == Role::Key
            && node.value_kind == OutlineValueKind::Nothing
            && !has_block;
        let is_json = text.trim_start().starts_with('{');
        is_empty.then_some(EmptyValue {
            lead: if before.ends_with(':') && !is_json {
                " "
            } else {
                ""
            },
            quote: if is_json { '"' } else { '\'' },
            is_flow: node.flow,
        })
    }

    /// Makes of a completion between quotes one of the whole value.
    fn completion(self, item: Completion, offset: usize) -> Completion {
        let EmptyValue { lead, quote, .. } = self;
        let written = |text: &str, hole: &str| {
            if self.is_flow {
                format!("{lead}{quote}{text}{hole}{quote}")
            } else {
                format!("{lead}{text}")
            }
        };
        let snippet = match &item.snippet {
            Some(snippet) => Some(written(snippet, "")),
            // The cursor stays before the quote.
            None => self.is_flow.then(|| written(&item.insert, "${1}")),
        };
        Completion {
            insert: written(&item.insert, ""),
            snippet,
            span: Span::at(offset),
            ..item
        }
    }
}

fn within(at: &At<'_>, input: &Input<'_>, beside: &[Beside<'_>]) -> Option<Vec<Completion>> {
    let published = published(input, beside);
    let before = at.text.get(..at.byte)?;
    let mut found = Found {
        at,
        items: Vec::new(),
        from: at.byte,
    };
    if let Some(quote) = open_quote(before) {
        let operand = before.get(..quote)?.trim_end();
        found.from = quote.saturating_add(1);
        if let Some(compared) = compared(operand) {
            found.strings(compared, &published);
            return Some(found.items);
        }
        let operand = operand.strip_suffix(['[', '?'])?.trim_end_matches('[');
        let path = found.path(tail(operand))?;
        for name in published.below(&path) {
            found.push(name, name.to_owned(), Sort::Attribute, String::new());
        }
        return Some(found.items);
    }
    let word = before.len().saturating_sub(
        before
            .trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_')
            .len(),
    );
    found.from = at.byte.saturating_sub(word);
    let head = before.get(..found.from)?;
    if let Some(operand) = head.strip_suffix(".?") {
        // Only a name can follow.
        found.names(tail(operand), &published);
    } else if let Some(operand) = head.strip_suffix('.') {
        found.members(tail(operand), &published);
    } else {
        if let Some(compared) = compared(head) {
            found.literals(compared, &published);
        }
        found.top(&published);
    }
    Some(found.items)
}

/// Operators that compare what is before them with what follows, the longer ones first.
const COMPARING: [&str; 7] = ["==", "!=", "<=", ">=", "<", ">", " in ["];

/// Returns the operand that a part of an expression compares with what follows.
fn compared(before: &str) -> Option<&str> {
    let comparison = before.trim_end();
    let mut operators = COMPARING.iter();
    let left = operators.find_map(|operator| comparison.strip_suffix(operator))?;
    let operand = tail(left.trim_end());
    (!operand.is_empty()).then_some(operand)
}

/// Returns the drivers of the devices that slices publish.
fn drivers(published: &PublishedNames) -> BTreeSet<&str> {
    let devices = published
        .subjects
        .iter()
        .filter(|subject| subject.is_device());
    let names = devices.map(|subject| subject.driver.as_str());
    names.filter(|name| !name.is_empty()).collect()
}

/// Returns a string that can be written between quotes as it is.
fn string_of(value: Value) -> Option<String> {
    let Value::String(string) = value else {
        return None;
    };
    let is_plain = !string.contains(['"', '\'', '\\']) && !string.contains(char::is_control);
    (is_plain && !string.is_empty()).then(|| string.to_string())
}

struct Found<'a> {
    at: &'a At<'a>,
    items: Vec<Completion>,
    /// Start of the text to replace.
    from: usize,
}

impl Found<'_> {
    fn push(&mut self, label: &str, insert: String, sort: Sort, detail: String) {
        if self.items.iter().any(|item| item.label == label) {
            return;
        }
        // Of a call that is written already, only the name is.
        let call = insert.strip_suffix("()");
        let (insert, snippet) = match call {
            Some(name) if self.is_called() => (name.to_owned(), None),
            Some(name) => (insert.clone(), Some(format!("{name}(${{1}})"))),
            None => (insert, None),
        };
        self.items.push(Completion {
            label: label.to_owned(),
            sort,
            detail,
            key: None,
            documentation: None,
            insert,
            snippet,
            span: Span::new(
                self.at.places.at(self.from),
                self.at.places.at(self.at.byte),
            ),
            required: false,
        });
    }

    /// Returns true if arguments follow the name at the cursor.
    fn is_called(&self) -> bool {
        let behind = self.at.text.get(self.at.byte..).unwrap_or_default();
        behind
            .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_')
            .starts_with('(')
    }

    /// Returns the names on the way to an operand, `["device", "attributes"]`.
    fn path(&self, operand: &str) -> Option<Vec<String>> {
        let ast =
            claimkit_model::cel::parse::parse(operand, self.at.environment.parse_options()).ok()?;
        reads::path(&ast.root)
    }

    /// Returns the types that an operand has on the devices or instances of the texts.
    fn types_seen(&self, operand: &str, published: &PublishedNames) -> Vec<Type> {
        let mut seen: Vec<Type> = Vec::new();
        for value in self.values_seen(operand, published) {
            let ty = value.type_of();
            if !seen.iter().any(|known| known.name() == ty.name()) {
                seen.push(ty);
            }
        }
        seen
    }

    /// Returns the values that an operand has on the devices or instances of the texts, where it has one.
    fn values_seen(&self, operand: &str, published: &PublishedNames) -> Vec<Value> {
        let at = self.at;
        // An expression has to be a boolean, as far as its type is known.
        let compared = format!("{operand} == {operand}");
        let Ok(program) = at.environment.compile(&compared) else {
            return Vec::new();
        };
        let ExprNode::Call { arguments, .. } = &program.checked().ast.root.node else {
            return Vec::new();
        };
        let Some(operand) = arguments.first() else {
            return Vec::new();
        };
        let is_about_devices = at.language == Language::Device;
        let subjects = published.subjects.iter();
        let asked = subjects.filter(|subject| subject.is_device() == is_about_devices);
        let values = asked.filter_map(|subject| {
            let variables = subject.variables(&at.environment).ok()?;
            let trace = program.trace(&variables, SELECTOR_COST_LIMIT);
            let value = trace.value_of(operand).cloned()?;
            (!matches!(value, Value::Error(_))).then_some(value)
        });
        values.collect()
    }

    /// Completes the strings that an operand has on the devices of the texts, inside quotes.
    fn strings(&mut self, operand: &str, published: &PublishedNames) {
        let values = self.values_seen(operand, published).into_iter();
        let strings: BTreeSet<String> = values.filter_map(string_of).collect();
        for string in strings.into_iter().take(MOST_VALUES) {
            self.push(&string, string.clone(), Sort::Value, String::new());
        }
    }

    /// Completes the values that an operand has on the devices of the texts, as literals.
    fn literals(&mut self, operand: &str, published: &PublishedNames) {
        let mut strings = BTreeSet::new();
        let mut numbers = BTreeSet::new();
        let mut booleans = BTreeSet::new();
        for value in self.values_seen(operand, published) {
            match value {
                Value::Int(number) => {
                    numbers.insert(number);
                }
                Value::Bool(boolean) => {
                    booleans.insert(boolean);
                }
                value => strings.extend(string_of(value)),
            }
        }
        if let Some(quote) = self.at.quote {
            for string in strings.into_iter().take(MOST_VALUES) {
                let literal = format!("{quote}{string}{quote}");
                self.push(&string, literal, Sort::Value, "string".to_owned());
            }
        }
        for number in numbers.into_iter().take(MOST_VALUES) {
            self.literal(number.to_string(), "int");
        }
        for boolean in booleans {
            self.literal(boolean.to_string(), "bool");
        }
    }

    fn literal(&mut self, text: String, ty: &str) {
        self.push(&text, text.clone(), Sort::Value, ty.to_owned());
    }

    /// Completes functions and methods. `receivers`: the possible types before the dot; empty for any type.
    fn functions(&mut self, style: CallStyle, receivers: &[Type]) {
        let at = self.at;
        for declaration in at
            .environment
            .functions()
            .iter()
            .filter(|declaration| is_name(declaration.name))
        {
            let mut signatures = declaration.overloads.iter().filter(|signature| {
                signature.style == style
                    && signature.arguments.first().is_none_or(|to| {
                        receivers.is_empty() || receivers.iter().any(|of| could_be(to, of))
                    })
            });
            let Some(first) = signatures.next() else {
                continue;
            };
            let more = signatures.count();
            let mut detail = shown(declaration, first);
            if more > 0 {
                detail.push_str(&format!(" (+{more})"));
            }
            self.push(
                declaration.name,
                format!("{}()", declaration.name),
                Sort::Function,
                detail,
            );
        }
    }

    fn macros(&mut self, style: CallStyle) {
        for (name, detail, _) in MACROS.iter().filter(|(.., of)| *of == style) {
            self.push(
                name,
                format!("{name}()"),
                Sort::Function,
                (*detail).to_owned(),
            );
        }
    }

    /// Completes the names that slices publish, and those of variables.
    fn names(&mut self, operand: &str, published: &PublishedNames) {
        let at = self.at;
        if let Some(path) = self.path(operand) {
            let identifier =
                |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            for (name, ty) in at.environment.variables() {
                if let Some(rest) = name.strip_prefix(&format!("{}.", path.join("."))) {
                    self.push(rest, rest.to_owned(), Sort::Attribute, ty.to_string());
                }
            }
            if path.len() > 1 {
                for name in published.below(&path).filter(identifier) {
                    self.push(name, name.to_owned(), Sort::Attribute, String::new());
                }
            }
        }
    }

    /// Completes the members after a dot.
    fn members(&mut self, operand: &str, published: &PublishedNames) {
        self.names(operand, published);
        if self.functions_within(operand) {
            return;
        }
        let at = self.at;
        let checked = at.environment.check(operand).ok();
        let types: Vec<Type> = match checked.as_ref().map(|checked| checked.output_type()) {
            // The values tell what the type does not.
            Some(Type::Any | Type::Dyn) => self.types_seen(operand, published),
            ty => ty.into_iter().cloned().collect(),
        };
        for ty in &types {
            for (name, ty) in at.environment.fields(ty.name()).unwrap_or_default().iter() {
                self.push(name, name.clone(), Sort::Attribute, ty.to_string());
            }
        }
        if types.is_empty() || types.iter().any(|ty| matches!(ty.name(), "list" | "map")) {
            self.macros(CallStyle::Member);
        }
        self.functions(CallStyle::Member, &types);
    }

    /// Completes the functions whose names start with a prefix, such as `optional.of` after `optional.`. Returns true if there are any.
    fn functions_within(&mut self, prefix: &str) -> bool {
        let at = self.at;
        let before = self.items.len();
        for declaration in at.environment.functions() {
            let name = declaration
                .name
                .strip_prefix(prefix)
                .and_then(|name| name.strip_prefix('.'));
            let global = declaration
                .overloads
                .iter()
                .find(|signature| signature.style == CallStyle::Global);
            if let (Some(name), Some(signature)) = (name, global) {
                self.push(
                    name,
                    format!("{name}()"),
                    Sort::Function,
                    shown(declaration, signature),
                );
            }
        }
        self.items.len() > before
    }

    /// Completes at the beginning of an expression, or of an operand.
    fn top(&mut self, published: &PublishedNames) {
        let at = self.at;
        let functions = at.environment.functions();
        for (name, ty) in at.environment.variables() {
            // `duration` is a type as well as a function: people write the function.
            if functions.iter().any(|function| function.name == name) {
                continue;
            }
            match name.split_once('.') {
                None => self.push(name, name.to_owned(), Sort::Attribute, ty.to_string()),
                Some((first, _)) => {
                    self.push(first, first.to_owned(), Sort::Attribute, String::new())
                }
            }
        }
        if at.language == Language::Device {
            self.starts(published);
        }
        self.macros(CallStyle::Global);
        self.functions(CallStyle::Global, &[]);
    }

    /// Completes how expressions about the published devices begin: by their driver, and by their attributes and capacities.
    fn starts(&mut self, published: &PublishedNames) {
        let Some(quote) = self.at.quote else {
            return;
        };
        for driver in drivers(published) {
            let text = format!("device.driver == {quote}{driver}{quote}");
            self.push(&text, text.clone(), Sort::Attribute, "bool".to_owned());
        }
        for map in ["attributes", "capacity"] {
            for domain in published.below(&["device".to_owned(), map.to_owned()]) {
                let text = format!("device.{map}[{quote}{domain}{quote}].");
                self.push(&text, text.clone(), Sort::Attribute, String::new());
            }
        }
    }
}

/// Returns true if a value of a type can be used where another is declared.
fn could_be(declared: &Type, of: &Type) -> bool {
    takes_any(declared) || takes_any(of) || declared.name() == of.name()
}

fn takes_any(ty: &Type) -> bool {
    matches!(ty, Type::Dyn | Type::Any | Type::Parameter(_))
}

/// Returns the start of the open string at the end of a text.
fn open_quote(text: &str) -> Option<usize> {
    let mut open: Option<(usize, char)> = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match open {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some((_, quote)) if c == quote => open = None,
            None if matches!(c, '"' | '\'') => open = Some((at, c)),
            _ => {}
        }
    }
    open.map(|(at, _)| at)
}

/// Returns the operand that a text ends with: names, calls and indices joined by dots.
fn tail(text: &str) -> &str {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, c) in text.char_indices().rev() {
        match (quote, c) {
            (Some(open), c) => {
                if c == open {
                    quote = None;
                }
            }
            (None, '"' | '\'') => quote = Some(c),
            (None, ')' | ']' | '}') => depth = depth.saturating_add(1),
            (None, '(' | '[' | '{') if depth > 0 => depth = depth.saturating_sub(1),
            (None, c) if depth > 0 || c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '?') => {
            }
            _ => {
                return text
                    .get(at.saturating_add(c.len_utf8())..)
                    .unwrap_or_default();
            }
        }
    }
    text
}
