//! Comparisons of attributes with values of another type, and what to write in their place: the types are those that the slices
//! of the files publish, and what is advised is compiled.

use super::published::PublishedNames;
use super::reads;
use claimkit_model::cel::ast::{Expr, ExprNode, Literal};
use claimkit_model::cel::library::quantity::CelQuantity;
use claimkit_model::cel::library::semver::SemanticVersion;
use claimkit_model::cel::{Environment, Program, SELECTOR_COST_LIMIT};
use claimkit_model::finding::Code;
use claimkit_model::message::{Message, message};
use claimkit_model::nearest;
use std::ops::Range;

/// A value of an expression that is compared with literals.
pub struct Comparison<'e> {
    /// `==`, `>=`, `in`, as if the literal were on the right.
    sign: &'static str,
    /// The text of what is compared.
    operand: &'e str,
    /// `device.attributes["domain"].name` as names; empty: something else.
    path: Vec<String>,
    /// The bytes of the operand that are the value in `….orValue(value)`, if it is that.
    fallback: Option<Range<u32>>,
    /// True if `compareTo` is compared.
    is_of_order: bool,
    literals: Vec<Written<'e>>,
    /// The bytes of the comparison.
    span: Range<u32>,
    /// The bytes of the literals.
    literal_span: Range<u32>,
}

/// A literal with its text.
struct Written<'e> {
    text: &'e str,
    value: &'e Literal,
}

/// Why a comparison says nothing, or not what was meant.
pub struct WrongComparison {
    pub code: Code,
    pub span: Range<u32>,
    pub message: Message,
    pub help: Message,
}

/// The functions of comparisons: with the literal on the right, and on the left.
const SIGNS: [(&str, &str, &str); 7] = [
    ("_==_", "==", "=="),
    ("_!=_", "!=", "!="),
    ("_<_", "<", ">"),
    ("_<=_", "<=", ">="),
    ("_>_", ">", "<"),
    ("_>=_", ">=", "<="),
    ("@in", "in", ""),
];

impl<'e> Comparison<'e> {
    /// Reads a comparison with a literal or, with `in`, a list of literals.
    pub fn of(program: &'e Program, expr: &'e Expr) -> Option<Self> {
        let ExprNode::Call {
            function,
            arguments,
            ..
        } = &expr.node
        else {
            return None;
        };
        let (_, right, left) = SIGNS.iter().find(|(name, ..)| *name == &**function)?;
        let [first, second] = arguments.as_slice() else {
            return None;
        };
        let (operand, constant, sign) = match (literals(program, first), literals(program, second))
        {
            (None, Some(_)) => (first, second, right),
            (Some(_), None) if !left.is_empty() => (second, first, left),
            _ => return None,
        };
        let is_list = matches!(constant.node, ExprNode::List { .. });
        if is_list != (*sign == "in") {
            return None;
        }
        let (read, fallback) = match &operand.node {
            ExprNode::Call {
                function,
                target: Some(target),
                arguments,
            } if &**function == "orValue" => {
                (&**target, arguments.first().map(|value| value.span.clone()))
            }
            _ => (operand, None),
        };
        let is_of_order = matches!(
            &operand.node,
            ExprNode::Call { function, .. } if &**function == "compareTo"
        );
        Some(Comparison {
            sign,
            operand: program.text_of(&operand.span),
            is_of_order,
            path: reads::path(read).unwrap_or_default(),
            fallback: fallback.and_then(|span| {
                let start = span.start.checked_sub(operand.span.start)?;
                let end = span.end.checked_sub(operand.span.start)?;
                Some(start..end)
            }),
            literals: literals(program, constant)?,
            span: expr.span.clone(),
            literal_span: constant.span.clone(),
        })
    }

    /// Returns true if it compares what a path reads.
    pub fn is_of(&self, path: &[String]) -> bool {
        self.path == path
    }

    /// Returns the comparison of a capacity with these literals. `capacity`: the code that reads it.
    pub fn with_capacity(&self, capacity: &str) -> Option<String> {
        let quantities: Option<Vec<String>> = self
            .literals
            .iter()
            .map(|literal| literal.written_for("quantity"))
            .collect();
        let quantities = quantities?;
        let first = quantities.first()?;
        Some(match self.sign {
            "in" => format!("{capacity} in [{}]", quantities.join(", ")),
            sign if self.is_ordered() => format!("{capacity}.compareTo({first}) {sign} 0"),
            sign => format!("{capacity} {sign} {first}"),
        })
    }

    fn is_ordered(&self) -> bool {
        matches!(self.sign, "<" | "<=" | ">" | ">=")
    }

    /// Returns what is wrong with a comparison of `device.driver`, if no device has the driver and some have one of nearly its name.
    pub fn misspelt_driver(&self, published: &PublishedNames) -> Option<WrongComparison> {
        let is_driver = self.path == ["device", "driver"];
        if !is_driver || self.is_ordered() {
            return None;
        }
        let mut unknown = None;
        for literal in &self.literals {
            let Literal::String(driver) = literal.value else {
                return None;
            };
            if published.drivers().any(|known| known == &**driver) {
                return None;
            }
            let near = published
                .drivers()
                .filter_map(|known| Some((nearest::near(driver, known)?, known)))
                .min();
            if let Some((_, known)) = near {
                unknown = unknown.or(Some((driver, known)));
            }
        }
        let (driver, known) = unknown?;
        Some(WrongComparison {
            code: Code::SelectorNameUnknown,
            span: self.literal_span.clone(),
            message: message!(
                "expression.driver-unknown",
                "no given device is of the driver `{driver}`",
                driver
            ),
            help: nearest::did_you_mean(known),
        })
    }

    /// Returns what is wrong with a comparison of what `compareTo` gives, if it is the same for each of its values.
    pub fn constant_order(&self, program: &Program) -> Option<WrongComparison> {
        if !self.is_of_order {
            return None;
        }
        let Literal::Int(number) = self.literals.first()?.value else {
            return None;
        };
        let less = holds(-1, self.sign, *number)?;
        let equal = holds(0, self.sign, *number)?;
        let greater = holds(1, self.sign, *number)?;
        if less != equal || equal != greater {
            return None;
        }
        Some(WrongComparison {
            code: Code::SelectorConstant,
            span: self.span.clone(),
            message: message!(
                "expression.constant-order",
                "`{part}` is {value} for every device: `compareTo` gives -1, 0 or 1",
                part = shortened(program.text_of(&self.span)),
                value = less
            ),
            help: message!("expression.constant-order-help", "compare it with 0"),
        })
    }

    /// Returns what is wrong with it. `published`: what the slices of the files publish.
    pub fn wrong(
        &self,
        published: Option<&PublishedNames>,
        environment: &Environment,
        program: &Program,
    ) -> Option<WrongComparison> {
        let types = published.map_or_else(Vec::new, |published| self.types(published));
        let takes_literal =
            |(ty, _): &(&str, usize)| self.literals.iter().any(|literal| literal.is_of(ty));
        if types.is_empty() || types.iter().any(takes_literal) {
            let is_of_device = self.path.first().is_none_or(|first| first == "device");
            // The type of what a variable of the expression stands for is not looked up.
            return match published {
                Some(_) if !is_of_device => None,
                _ => self.compares_text(environment, program),
            };
        }
        let names: Vec<&str> = types.iter().map(|(ty, _)| *ty).collect();
        let written = types
            .iter()
            .find_map(|(ty, _)| self.written_for(ty))
            .filter(|new| compiles(environment, program, &self.span, new));
        let orders_text = self.is_ordered() && names.contains(&"string");
        let help = match written.filter(|_| !orders_text) {
            _ if orders_text => message!(
                "expression.publish-number",
                "publish it as `int`: strings are compared letter by letter, and only `==` and `!=` are of use here"
            ),
            Some(new) => message!("expression.write-typed", "write `{new}`", new),
            None => message!(
                "expression.compare-with-type",
                "compare it with a value of its type"
            ),
        };
        let attribute = self.path.get(2..)?.join("/");
        let published_as = names.join("`, `");
        let literal = self.literals.first()?.text;
        let part = program.text_of(&self.span);
        let value = self.value_everywhere(published?, &types, environment, part)?;
        if value.is_some() && self.fallback.is_some() {
            // A device without the attribute has the other value.
            return None;
        }
        let Some(value) = value else {
            let message = message!(
                "expression.compares-other-type",
                "`{attribute}` is published as `{published_as}`, and `{literal}` is of another type: the comparison fails",
                attribute,
                published_as,
                literal
            );
            return Some(WrongComparison {
                code: Code::SelectorComparesText,
                span: self.literal_span.clone(),
                message,
                help,
            });
        };
        let message = message!(
            "expression.constant-by-type",
            "`{part}` is {value} for every given device: `{attribute}` is published as `{published_as}`, and `{literal}` is of another type",
            part = shortened(part),
            value,
            attribute,
            published_as,
            literal
        );
        Some(WrongComparison {
            code: Code::SelectorConstant,
            span: self.span.clone(),
            message,
            help,
        })
    }

    /// Returns the types in which the attribute is published.
    fn types(&self, published: &PublishedNames) -> Vec<(&'static str, usize)> {
        match self.path.as_slice() {
            [device, holder, domain, name] if device == "device" && holder == "attributes" => {
                published.attribute_types(domain, name)
            }
            _ => Vec::new(),
        }
    }

    /// Returns what the comparison says of a device of each type, if it says the same; `Some(None)`: it fails on all of them.
    fn value_everywhere(
        &self,
        published: &PublishedNames,
        types: &[(&'static str, usize)],
        environment: &Environment,
        part: &str,
    ) -> Option<Option<bool>> {
        let alone = environment.compile(part).ok()?;
        let value_on = |subject: usize| {
            let variables = published
                .subjects
                .get(subject)?
                .variables(environment)
                .ok()?;
            Some(
                alone
                    .evaluate(&variables, SELECTOR_COST_LIMIT)
                    .matches()
                    .ok(),
            )
        };
        let values: Option<Vec<Option<bool>>> = types
            .iter()
            .map(|(_, subject)| value_on(*subject))
            .collect();
        let values = values?;
        let first = *values.first()?;
        values.iter().all(|value| *value == first).then_some(first)
    }

    /// Reports an ordered comparison of texts where versions or quantities are meant.
    fn compares_text(
        &self,
        environment: &Environment,
        program: &Program,
    ) -> Option<WrongComparison> {
        let Literal::String(text) = self.literals.first()?.value else {
            return None;
        };
        let digits = text.strip_prefix('v').unwrap_or(text);
        if !self.is_ordered() || !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let (publish, new) =
            if digits.contains('.') && SemanticVersion::parse_normalized(text).is_ok() {
                ("`version`", self.written_for("version")?)
            } else if text.parse::<i64>().is_ok() {
                ("`int`", self.written_for("int")?)
            } else {
                CelQuantity::parse(text).ok()?;
                let capacity = self
                    .operand
                    .replacen("device.attributes", "device.capacity", 1);
                let new = format!("{capacity}.compareTo(quantity(\"{text}\")) {} 0", self.sign);
                ("a capacity", new)
            };
        if !compiles(environment, program, &self.span, &new) {
            return None;
        }
        let message = message!(
            "expression.compares-text",
            "`\"{text}\"` is compared letter by letter: `\"10\"` comes before `\"9\"`",
            text,
        );
        let help = message!(
            "expression.publish-as",
            "publish it as {publish} and write `{new}`",
            publish,
            new
        );
        Some(WrongComparison {
            code: Code::SelectorComparesText,
            span: self.literal_span.clone(),
            message,
            help,
        })
    }

    /// Returns the text of the operand, with a value of a type in `orValue`.
    fn operand_of(&self, ty: &str) -> Option<String> {
        let Some(place) = &self.fallback else {
            return Some(self.operand.to_owned());
        };
        let least = match ty {
            "version" => "semver(\"0.0.0\")",
            "int" => "0",
            "bool" => "false",
            _ => return None,
        };
        let head = self.operand.get(..place.start as usize)?;
        let tail = self.operand.get(place.end as usize..)?;
        Some(format!("{head}{least}{tail}"))
    }

    /// Returns the comparison with literals of a type in place of those that were written.
    fn written_for(&self, ty: &str) -> Option<String> {
        let operand = &self.operand_of(ty)?;
        let literals: Option<Vec<String>> = self
            .literals
            .iter()
            .map(|literal| literal.written_for(ty))
            .collect();
        let literals = literals?;
        let first = literals.first()?;
        Some(match self.sign {
            // Versions are compared by value only with `compareTo`.
            "in" if ty == "version" => {
                let tests = literals
                    .iter()
                    .map(|version| format!("{operand}.compareTo({version}) == 0"));
                format!("({})", tests.collect::<Vec<_>>().join(" || "))
            }
            "in" => format!("{operand} in [{}]", literals.join(", ")),
            sign if ty == "version" => format!("{operand}.compareTo({first}) {sign} 0"),
            sign => format!("{operand} {sign} {first}"),
        })
    }
}

impl Written<'_> {
    /// Returns true if values of the type of an attribute can be equal to it.
    fn is_of(&self, ty: &str) -> bool {
        match self.value {
            Literal::String(_) => ty == "string",
            Literal::Bool(_) => ty == "bool",
            Literal::Int(_) | Literal::Uint(_) | Literal::Double(_) => ty == "int",
            _ => true,
        }
    }

    /// Returns the same value as a literal of another type.
    fn written_for(&self, ty: &str) -> Option<String> {
        let text = match self.value {
            Literal::String(text) => text,
            _ => self.text,
        };
        match ty {
            "string" => Some(format!("\"{text}\"")),
            "bool" => matches!(&*text.to_ascii_lowercase(), "true" | "false")
                .then(|| text.to_ascii_lowercase()),
            "int" => text.parse::<i64>().ok().map(|number| number.to_string()),
            "quantity" => {
                CelQuantity::parse(text).ok()?;
                Some(format!("quantity(\"{text}\")"))
            }
            "version" => {
                let version = SemanticVersion::parse_normalized(text).ok()?;
                Some(format!("semver(\"{version}\")"))
            }
            _ => None,
        }
    }
}

/// Returns whether a comparison of two numbers holds; `None` for `in`.
fn holds(left: i64, sign: &str, right: i64) -> Option<bool> {
    Some(match sign {
        "==" => left == right,
        "!=" => left != right,
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        ">=" => left >= right,
        _ => return None,
    })
}

/// Returns the literals of an expression: itself, or the items of a list.
fn literals<'e>(program: &'e Program, expr: &'e Expr) -> Option<Vec<Written<'e>>> {
    match &expr.node {
        ExprNode::List { elements, .. } if !elements.is_empty() => elements
            .iter()
            .map(|expr| written_literal(program, expr))
            .collect(),
        _ => Some(vec![written_literal(program, expr)?]),
    }
}

fn written_literal<'e>(program: &'e Program, expr: &'e Expr) -> Option<Written<'e>> {
    match &expr.node {
        ExprNode::Literal(value) => Some(Written {
            text: program.text_of(&expr.span),
            value,
        }),
        _ => None,
    }
}

/// Returns true if the expression compiles with other text in a place.
fn compiles(environment: &Environment, program: &Program, place: &Range<u32>, new: &str) -> bool {
    with_text(program, place, new).is_some_and(|whole| environment.compile(&whole).is_ok())
}

/// Returns the expression with other text in a place.
pub(super) fn with_text(program: &Program, place: &Range<u32>, new: &str) -> Option<String> {
    let whole = program.checked().ast.source.text();
    let head = whole.get(..place.start as usize)?;
    let tail = whole.get(place.end as usize..)?;
    Some(format!("{head}{new}{tail}"))
}

/// Shortens a piece of an expression for a message.
pub(super) fn shortened(text: &str) -> String {
    const SHOWN: usize = 80;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= SHOWN {
        line
    } else {
        line.chars().take(SHOWN).chain(['…']).collect()
    }
}
