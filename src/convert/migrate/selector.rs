//! Selectors: those of 1.30's named resources in the words of the device family, and those of drivers' parameters in CEL.

use super::profile::{NO_SUCH_ATTRIBUTE, Property, PropertyTest};
use claimkit_model::cel::EnvironmentMode;
use claimkit_model::cel::ast::{Expr, ExprNode, Literal};
use claimkit_model::cel::parse;
use claimkit_model::finding::Step;
use claimkit_model::message::{Message, Template, message, template};
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use claimkit_scheduler::environments;
use claimkit_values::order;

/// The longest name of an attribute without its domain (kube-apiserver, `DeviceMaxIDLength`).
const MAX_ID: usize = 32;

/// A selector in new words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    pub expression: String,
    /// Attributes whose names no device can have: the old name, the new one.
    pub renamed: Vec<(String, String)>,
}

/// Quotes a text in CEL, in single quotes: so it needs no escapes in YAML's double ones.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// Turns the name of an attribute into a C identifier, which devices' attributes must have.
pub fn identifier(name: &str) -> String {
    let mut out: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    out.truncate(MAX_ID);
    out
}

/// Why attributes with lists are lost.
pub const NO_LISTS: Template = template!(
    "loss.list-attribute",
    "device attributes are not lists unless the feature gate DRAListTypeAttributes is on"
);

/// Returns `device.attributes['driver'].name`, or a capacity.
pub fn attribute(driver: &str, of: &str, name: &str) -> String {
    format!("{}.{name}", map_of(driver, of))
}

/// Returns the map of attributes or capacities of a driver.
fn map_of(driver: &str, of: &str) -> String {
    format!("device.{of}[{}]", quoted(driver))
}

/// Rewrites a selector of named resources (`attributes.string["model"] == "a"`) as a selector of devices.
///
/// # Errors
/// Why it has no counterpart.
pub fn rewrite(text: &str, driver: &str) -> Result<Rewritten, Message> {
    let environment = environments::named_resources(EnvironmentMode::Stored);
    let ast = parse::parse(text, environment.parse_options())
        .map_err(|_| message!("loss.no-cel", "it is not a CEL expression"))?;
    let mut rewriter = Rewriter {
        driver,
        names: Names::default(),
        edits: Vec::new(),
    };
    let mut stack = vec![&ast.root];
    while let Some(expr) = stack.pop() {
        match rewriter.rewriting_of(expr)? {
            Rewriting::Replace { at, text } => rewriter.replace(at, text),
            Rewriting::NoList => return Err(NO_LISTS.text()),
            Rewriting::Descend => children(expr, &mut stack),
        }
    }
    Ok(Rewritten {
        expression: apply_edits(ast.source.text(), rewriter.edits)?,
        renamed: rewriter.names.renamed(),
    })
}

/// What becomes of a part of a selector.
enum Rewriting<'e> {
    /// Its text, or that of a part of it, is replaced.
    Replace { at: &'e Expr, text: String },
    /// It reads a list, which devices do not have.
    NoList,
    /// It stays, and its parts are looked at.
    Descend,
}

/// A replacement of bytes of a selector.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Replacement {
    from: usize,
    to: usize,
    new: String,
}

/// Rewrites the parts of a selector of named resources.
struct Rewriter<'d> {
    driver: &'d str,
    names: Names,
    edits: Vec<Replacement>,
}

impl Rewriter<'_> {
    fn replace(&mut self, at: &Expr, new: String) {
        self.edits.push(Replacement {
            from: at.span.start as usize,
            to: at.span.end as usize,
            new,
        });
    }

    /// Returns what becomes of a part.
    ///
    /// # Errors
    /// Why it has no counterpart.
    fn rewriting_of<'e>(&mut self, expr: &'e Expr) -> Result<Rewriting<'e>, Message> {
        match &expr.node {
            ExprNode::Call {
                function,
                target: None,
                arguments,
            } => match (&**function, arguments.as_slice()) {
                ("_[_]", [operand, index]) => self.index_read(expr, operand, index),
                ("_?._" | "_[?_]", [operand, index]) => self.optional_read(expr, operand, index),
                ("@in", [element, map]) => self.in_test(element, map),
                _ => Ok(Rewriting::Descend),
            },
            ExprNode::Select { operand, field, .. } => self.select_read(operand, field),
            ExprNode::Ident(name) if name.as_ref() == "attributes" => Err(message!(
                "loss.whole-attributes",
                "it uses the attributes as a whole"
            )),
            _ => Ok(Rewriting::Descend),
        }
    }

    /// Rewrites `attributes.string["model"]`.
    fn index_read<'e>(
        &mut self,
        expr: &'e Expr,
        operand: &Expr,
        index: &Expr,
    ) -> Result<Rewriting<'e>, Message> {
        let driver = self.driver;
        self.named_read(expr, operand, index, &|holder, name| {
            attribute(driver, holder, name)
        })
    }

    /// Rewrites `attributes.string.?model` and `attributes.string[?"model"]`.
    fn optional_read<'e>(
        &mut self,
        expr: &'e Expr,
        operand: &Expr,
        index: &Expr,
    ) -> Result<Rewriting<'e>, Message> {
        let driver = self.driver;
        self.named_read(expr, operand, index, &|holder, name| {
            format!("{}.?{name}", map_of(driver, holder))
        })
    }

    /// Rewrites the read of a name that is written out. `text`: the new one, of where a device has it and of its new name.
    fn named_read<'e>(
        &mut self,
        expr: &'e Expr,
        operand: &Expr,
        index: &Expr,
        text: &dyn Fn(&'static str, &str) -> String,
    ) -> Result<Rewriting<'e>, Message> {
        let (Some(values), Some(name)) = (values_of_type(operand), string(index)) else {
            return Ok(Rewriting::Descend);
        };
        let TypedValues::In(holder) = values else {
            return Ok(Rewriting::NoList);
        };
        let new_name = self.names.take(holder, name)?;
        Ok(Rewriting::Replace {
            at: expr,
            text: text(holder, &new_name),
        })
    }

    /// Rewrites `"model" in attributes.string`.
    fn in_test<'e>(&mut self, element: &Expr, map: &'e Expr) -> Result<Rewriting<'e>, Message> {
        let Some(values) = values_of_type(map) else {
            return Ok(Rewriting::Descend);
        };
        let name = string(element).ok_or_else(|| {
            message!(
                "loss.computed-name",
                "it tests for an attribute whose name is not written out"
            )
        })?;
        let TypedValues::In(holder) = values else {
            return Ok(Rewriting::NoList);
        };
        let new_name = self.names.take(holder, name)?;
        self.replace(element, quoted(&new_name));
        Ok(Rewriting::Replace {
            at: map,
            text: map_of(self.driver, holder),
        })
    }

    /// Rewrites `attributes.string.model` and `has(attributes.string.model)`: the name is a C identifier already.
    fn select_read<'e>(
        &mut self,
        operand: &'e Expr,
        field: &str,
    ) -> Result<Rewriting<'e>, Message> {
        if field.len() > MAX_ID {
            return Ok(Rewriting::Descend);
        }
        match values_of_type(operand) {
            None => Ok(Rewriting::Descend),
            Some(TypedValues::Nowhere) => Ok(Rewriting::NoList),
            Some(TypedValues::In(holder)) => {
                self.names.take(holder, field)?;
                Ok(Rewriting::Replace {
                    at: operand,
                    text: map_of(self.driver, holder),
                })
            }
        }
    }
}

/// Returns a text with replacements, each made once.
///
/// # Errors
/// They overlap.
fn apply_edits(text: &str, mut edits: Vec<Replacement>) -> Result<String, Message> {
    order::sort(&mut edits);
    edits.dedup();
    let mut out = String::new();
    let mut at = 0;
    for Replacement { from, to, new } in edits {
        let Some(kept) = text.get(at..from) else {
            return Err(message!("loss.selector-parts", "it cannot be taken apart"));
        };
        out.push_str(kept);
        out.push_str(&new);
        at = to;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    Ok(out)
}

/// The names that a selector reads.
#[derive(Default)]
struct Names {
    known: Vec<ReadName>,
}

/// A name that a selector reads.
struct ReadName {
    /// `attributes` or `capacity`.
    holder: &'static str,
    old: String,
    new: String,
}

impl Names {
    /// Returns the new name of an attribute. `holder`: the map of the device that has it.
    ///
    /// # Errors
    /// Another attribute of the selector gets the same name.
    fn take(&mut self, holder: &'static str, old: &str) -> Result<String, Message> {
        let new = identifier(old);
        let mut known = self.known.iter();
        match known.find(|known| known.holder == holder && known.new == new) {
            Some(other) if other.old != old => return Err(same_name(&other.old, old, &new)),
            Some(_) => {}
            None => self.known.push(ReadName {
                holder,
                old: old.to_owned(),
                new: new.clone(),
            }),
        }
        Ok(new)
    }

    fn renamed(self) -> Vec<(String, String)> {
        let mut renamed: Vec<(String, String)> = Vec::new();
        for ReadName { old, new, .. } in self.known {
            if old != new && !renamed.iter().any(|(known, _)| *known == old) {
                renamed.push((old, new));
            }
        }
        renamed
    }
}

/// Why an attribute of a device is lost whose new name another one has.
pub fn taken_name(old: &str, new: &str) -> Message {
    message!(
        "loss.taken-name",
        "another attribute of the device is called `{new}`, as `{old}` would be",
        new,
        old
    )
}

/// Why a selector is lost that reads two attributes of one new name.
fn same_name(other: &str, old: &str, new: &str) -> Message {
    message!(
        "loss.same-name",
        "the attributes `{other}` and `{old}` would both be called `{new}`",
        other,
        old,
        new
    )
}

/// Where a device stores the values of a type of named resources.
#[derive(Clone, Copy)]
enum TypedValues {
    /// In `attributes` or `capacity`.
    In(&'static str),
    /// Lists have no place.
    Nowhere,
}

/// Returns for `attributes.TYPE` where a device stores values of that type; `None`: it is another expression.
fn values_of_type(expr: &Expr) -> Option<TypedValues> {
    let ExprNode::Select {
        operand,
        field,
        test_only: false,
    } = &expr.node
    else {
        return None;
    };
    if !matches!(&operand.node, ExprNode::Ident(name) if name.as_ref() == "attributes") {
        return None;
    }
    Some(match &**field {
        "quantity" => TypedValues::In("capacity"),
        "bool" | "int" | "string" | "version" => TypedValues::In("attributes"),
        _ => TypedValues::Nowhere,
    })
}

fn string(expr: &Expr) -> Option<&str> {
    match &expr.node {
        ExprNode::Literal(Literal::String(text)) => Some(text),
        _ => None,
    }
}

fn children<'e>(expr: &'e Expr, stack: &mut Vec<&'e Expr>) {
    match &expr.node {
        ExprNode::Literal(_) | ExprNode::Ident(_) => {}
        ExprNode::Select { operand, .. } => stack.push(operand),
        ExprNode::Call {
            target, arguments, ..
        } => {
            stack.extend(target.as_deref());
            stack.extend(arguments);
        }
        ExprNode::List { elements, .. } => stack.extend(elements),
        ExprNode::Map { entries } => {
            stack.extend(entries.iter().flat_map(|entry| [&entry.key, &entry.value]))
        }
        ExprNode::Message { fields, .. } => stack.extend(fields.iter().map(|field| &field.value)),
        ExprNode::Comprehension(one) => {
            stack.extend([
                &one.range,
                &one.init,
                &one.condition,
                &one.step,
                &one.result,
            ]);
        }
    }
}

/// The conditions made from a driver's tree of properties.
#[derive(Debug, Default)]
pub struct Conditions {
    /// One expression per condition that all must hold.
    pub all: Vec<String>,
    /// Properties without a counterpart: their places, and the reasons.
    pub lost: Vec<(Vec<Step>, Message)>,
    /// Properties that a release of the driver took away: the name, that release.
    pub withdrawn: Vec<(&'static str, &'static str)>,
}

/// Deeper trees are lost as a whole: no manifest has them.
const MAX_DEPTH: usize = 16;

/// Rewrites a tree of properties with `andExpression` and `orExpression` as conditions on devices of a driver.
pub fn conditions(
    tree: &Tree<'_>,
    node: NodeId,
    driver: &str,
    properties: &'static [Property],
) -> Conditions {
    let mut reader = Reader {
        tree,
        driver,
        properties,
        lost: Vec::new(),
        withdrawn: Vec::new(),
    };
    let all = reader.all(node, &mut Vec::new());
    Conditions {
        all,
        lost: reader.lost,
        withdrawn: reader.withdrawn,
    }
}

struct Reader<'t, 's, 'p> {
    tree: &'t Tree<'s>,
    driver: &'p str,
    properties: &'static [Property],
    lost: Vec<(Vec<Step>, Message)>,
    withdrawn: Vec<(&'static str, &'static str)>,
}

impl Reader<'_, '_, '_> {
    /// Returns the conditions of one node, all of which must hold. The recursion is bounded.
    fn all(&mut self, node: NodeId, at: &mut Vec<Step>) -> Vec<String> {
        let tree = self.tree;
        let mut found = Vec::new();
        for entry in tree
            .entries(node)
            .iter()
            .filter(|entry| !entry.shadowed && tree.kind(entry.value) != Kind::Null)
        {
            let name = tree.text(entry.key).to_owned();
            at.push(Step::Key(name.clone()));
            match name.as_str() {
                "andExpression" | "orExpression" if at.len() > MAX_DEPTH => {
                    let reason = message!("loss.too-deep", "it is nested too deeply");
                    self.lost.push((at.clone(), reason));
                }
                "andExpression" => {
                    for (index, &item) in tree.items(entry.value).iter().enumerate() {
                        at.push(Step::Index(index));
                        found.extend(self.all(item, at));
                        at.pop();
                    }
                }
                "orExpression" => found.extend(self.any(entry.value, at)),
                _ => match self.cel_of_property(&name, entry.value) {
                    Ok(condition) => found.push(condition),
                    Err(reason) => self.lost.push((at.clone(), reason)),
                },
            }
            at.pop();
        }
        found
    }

    /// Writes the condition that one of the items holds. If one item has no counterpart, all are dropped: the remaining ones
    /// would exclude devices.
    fn any(&mut self, list: NodeId, at: &mut Vec<Step>) -> Option<String> {
        let items = self.tree.items(list);
        if self.always(items) {
            return None;
        }
        let known = self.lost.len();
        let mut alternatives = Vec::new();
        for (index, &item) in items.iter().enumerate() {
            at.push(Step::Index(index));
            let all = self.all(item, at);
            at.pop();
            alternatives.push(if all.len() > 1 {
                format!("({})", all.join(" && "))
            } else {
                all.concat()
            });
        }
        if self.lost.len() > known {
            return None;
        }
        match alternatives.as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            _ => Some(format!("({})", alternatives.join(" || "))),
        }
    }

    /// Returns true if the items are a property that is true and the same that is false.
    fn always(&self, items: &[NodeId]) -> bool {
        let tree = self.tree;
        let said = |node: NodeId| match tree.entries(node) {
            [entry] => match tree.kind(entry.value) {
                Kind::Bool(value) => Some((tree.text(entry.key), value)),
                _ => None,
            },
            _ => None,
        };
        items.iter().any(|&one| {
            said(one).is_some_and(|(name, value)| {
                items
                    .iter()
                    .any(|&other| said(other) == Some((name, !value)))
            })
        })
    }

    /// Writes one property as a condition in CEL. The error says why the device cannot be asked for it.
    fn cel_of_property(&mut self, name: &str, value: NodeId) -> Result<String, Message> {
        let tree = self.tree;
        let property = self
            .properties
            .iter()
            .find(|property| property.name == name);
        let test = property.map_or(PropertyTest::Unknown, |property| property.test);
        if let Some(property) = property
            && let Some(until) = property.until
            && !self.withdrawn.contains(&(property.name, until))
        {
            self.withdrawn.push((property.name, until));
        }
        let of_device = attribute(self.driver, "attributes", name);
        let wrong = || {
            message!(
                "loss.value-form",
                "its value has another form than the driver reads"
            )
        };
        match test {
            PropertyTest::Equal => match tree.kind(value) {
                Kind::Str(text) => Ok(format!("{of_device} == {}", quoted(tree.text(text)))),
                Kind::Int(number) => Ok(format!("{of_device} == {number}")),
                Kind::Number(span) => {
                    let number = span.slice_of(tree.source()).unwrap_or("0");
                    Ok(format!("{of_device} == {number}"))
                }
                _ => Err(wrong()),
            },
            PropertyTest::Pattern => {
                let text = tree.str(value).ok_or_else(wrong)?;
                Ok(format!(
                    "{of_device}.lowerAscii().matches({})",
                    quoted(&pattern(text))
                ))
            }
            PropertyTest::Version => {
                let (sign, text) = self.comparison(value).ok_or_else(wrong)?;
                Ok(format!(
                    "{of_device}.compareTo(semver({})) {sign} 0",
                    quoted(&semver(&text))
                ))
            }
            PropertyTest::Quantity => {
                let (sign, text) = self.comparison(value).ok_or_else(wrong)?;
                Ok(format!(
                    "{}.compareTo(quantity({})) {sign} 0",
                    attribute(self.driver, "capacity", name),
                    quoted(&text)
                ))
            }
            PropertyTest::Unknown => Err(NO_SUCH_ATTRIBUTE.text()),
        }
    }

    /// Reads `{value, operator}`.
    fn comparison(&self, node: NodeId) -> Option<(&'static str, String)> {
        let tree = self.tree;
        let value = tree.get(node, "value")?;
        let text = match tree.kind(value) {
            Kind::Str(text) => tree.text(text).to_owned(),
            Kind::Int(number) => number.to_string(),
            Kind::Float(_) => tree.span(value).slice_of(tree.source())?.to_owned(),
            Kind::Number(span) => span.slice_of(tree.source())?.to_owned(),
            _ => return None,
        };
        let sign = match tree.str(tree.get(node, "operator")?)? {
            "Equals" => "==",
            "LessThan" => "<",
            "LessThanOrEqualTo" => "<=",
            "GreaterThan" => ">",
            "GreaterThanOrEqualTo" => ">=",
            _ => return None,
        };
        Some((sign, text))
    }
}

/// Writes a pattern with `*` as a regular expression.
fn pattern(text: &str) -> String {
    let mut out = String::from("^");
    for c in text.to_lowercase().chars() {
        match c {
            '*' => out.push_str(".*"),
            c if c.is_ascii_punctuation() && c != '_' && c != '-' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push('$');
    out
}

/// Completes a version to three numbers: `7.5` is `7.5.0`.
fn semver(text: &str) -> String {
    let missing = 2usize.saturating_sub(text.matches('.').count());
    format!("{text}{}", ".0".repeat(missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_of_named_resources() {
        let rewritten = |text: &str| rewrite(text, "d.example.com").map(|done| done.expression);
        for (old, new) in [
            (
                "attributes.bool['a']",
                "device.attributes['d.example.com'].a",
            ),
            (
                "attributes.string[\"model\"] == \"x\" // why",
                "device.attributes['d.example.com'].model == \"x\" // why",
            ),
            (
                "attributes.quantity['memory'].isGreaterThan(quantity('1Gi')) && attributes.int[\"n\"] > 0",
                "device.capacity['d.example.com'].memory.isGreaterThan(quantity('1Gi')) && device.attributes['d.example.com'].n > 0",
            ),
            (
                "'a-b' in attributes.version",
                "'a_b' in device.attributes['d.example.com']",
            ),
            (
                "['x'].exists(m, m == attributes.string['é'])",
                "['x'].exists(m, m == device.attributes['d.example.com']._)",
            ),
            ("true", "true"),
            (
                "attributes.string.model == 'x' && !has(attributes.string.model)",
                "device.attributes['d.example.com'].model == 'x' && !has(device.attributes['d.example.com'].model)",
            ),
            (
                "attributes.quantity.memory.isGreaterThan(quantity('1Gi'))",
                "device.capacity['d.example.com'].memory.isGreaterThan(quantity('1Gi'))",
            ),
            (
                "attributes.string.?model.orValue('') == attributes.string[?'a-b'].orValue('')",
                "device.attributes['d.example.com'].?model.orValue('') == device.attributes['d.example.com'].?a_b.orValue('')",
            ),
            (
                "attributes.int['a-b'] == 1 && attributes.quantity['a.b'].isInteger()",
                "device.attributes['d.example.com'].a_b == 1 && device.capacity['d.example.com'].a_b.isInteger()",
            ),
        ] {
            assert_eq!(rewritten(old).as_deref(), Ok(new), "{old}");
        }
        for lost in [
            "attributes.stringslice['a'].isSorted()",
            "attributes.string.exists(k, k == 'a')",
            "attributes.string[attributes.string['b']] == ''",
            "size(attributes) == 0",
            "attributes.int[",
            "attributes.string['mem-bus'] == 'x' && attributes.string['mem.bus'] == 'z'",
            "attributes.string['a.b'] == 'x' && attributes.int.a_b == 1",
        ] {
            assert!(rewritten(lost).is_err(), "{lost}");
        }
        let renamed = rewrite("attributes.bool['9.a'] || attributes.bool['9.a']", "d")
            .unwrap()
            .renamed;
        assert_eq!(renamed, [("9.a".to_owned(), "_9_a".to_owned())]);
    }

    #[test]
    fn patterns_and_versions() {
        assert_eq!(pattern("*A100.b*"), "^.*a100\\.b.*$");
        assert_eq!(
            (semver("7"), semver("7.5"), semver("1.2.3")),
            ("7.0.0".into(), "7.5.0".into(), "1.2.3".into())
        );
        assert_eq!(quoted("a'\\"), "'a\\'\\\\'");
    }
}
