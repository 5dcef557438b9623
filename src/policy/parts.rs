//! A selector of devices, taken apart by what its parts look at: the driver of the device, other things of it, or neither.

use crate::cel_lints::reads::visit;
use claimkit_model::cel::Program;
use claimkit_model::cel::ast::{Ast, Comprehension, Expr, ExprNode, Literal, MacroCall};
use claimkit_model::cel::checker::CheckerFindings;
use claimkit_model::cel::trace::children;
use claimkit_model::cel::types::Type;
use claimkit_values::order;

/// What a part of an expression looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sight {
    driver: bool,
    /// Attributes, capacities and whatever else a device has.
    rest: bool,
}

impl Sight {
    const DEVICE: Sight = Sight {
        driver: true,
        rest: true,
    };

    fn of_field(name: &str) -> Self {
        Sight {
            driver: name == "driver",
            rest: name != "driver",
        }
    }

    fn and(self, other: Sight) -> Self {
        Sight {
            driver: self.driver || other.driver,
            rest: self.rest || other.rest,
        }
    }
}

/// Bytes of a part of an expression.
pub type Span = (u32, u32);

/// The parts of a selector that decide which drivers it selects.
#[derive(Debug, Default)]
pub struct Parts {
    /// The expression looks at the driver.
    pub looks_at_driver: bool,
    /// What is true or false whatever the driver is, the largest of such parts, in the order of the text.
    pub conditions: Vec<Span>,
    /// A condition that fails, because nothing is known of a device but its driver, can decide where one that is true or false would not.
    pub failures_decide: bool,
    /// What is true or false for a driver, and is more than a comparison of its whole name with written names: the smallest of such parts
    /// that read no variable of a macro around them. In the order of the text.
    pub tests: Vec<Span>,
}

impl Parts {
    pub fn of(program: &Program) -> Self {
        let checked = program.checked();
        let mut sights = Sights::of(&checked.ast);
        let root = &checked.ast.root;
        let looks_at_driver = sights.look(root).driver;
        let mut reader = Reader {
            sights: &sights.found,
            findings: &checked.findings,
            macros: &checked.ast.macros,
            parts: Parts {
                looks_at_driver,
                ..Parts::default()
            },
        };
        reader.read(root, Place::Chain, Role::Operand);
        let Reader { mut parts, .. } = reader;
        let mut finder = TestFinder {
            sights: &sights.found,
            findings: &checked.findings,
            macros: &checked.ast.macros,
            variables: Vec::new(),
            tests: Vec::new(),
        };
        if finder.find(root).looks {
            finder.take(root);
        }
        parts.tests = finder.tests;
        order::sort(&mut parts.conditions);
        order::sort(&mut parts.tests);
        parts
    }
}

/// Finds out what every part of an expression looks at.
struct Sights {
    /// By the number of the node.
    found: Vec<Sight>,
    /// The variables of macros around a part, with what their values look at.
    variables: Vec<(String, Sight)>,
}

impl Sights {
    fn of(ast: &Ast) -> Self {
        let ids = (ast.ids as usize).saturating_add(1);
        Sights {
            found: vec![Sight::default(); ids],
            variables: Vec::new(),
        }
    }

    fn look(&mut self, expr: &Expr) -> Sight {
        let mut sight = Sight::default();
        match &expr.node {
            ExprNode::Ident(name) => sight = self.of_variable(name),
            ExprNode::Comprehension(comprehension) => sight = self.of_loop(comprehension),
            _ => {
                children(expr, &mut |child| sight = sight.and(self.look(child)));
                if let Some(field) = field_of_device(expr, &self.found) {
                    sight = Sight::of_field(field);
                } else if is_of_own_domain(expr, &self.found) {
                    sight.driver = false;
                }
            }
        }
        if let Some(place) = self.found.get_mut(expr.id as usize) {
            *place = sight;
        }
        sight
    }

    fn of_variable(&self, name: &str) -> Sight {
        let mut innermost_first = self.variables.iter().rev();
        match innermost_first.find(|(variable, _)| variable == name) {
            Some((_, sight)) => *sight,
            None if name.trim_start_matches('.') == "device" => Sight::DEVICE,
            None => Sight::default(),
        }
    }

    fn of_loop(&mut self, comprehension: &Comprehension) -> Sight {
        let of_range = self.look(&comprehension.range);
        let of_init = self.look(&comprehension.init);
        let before = self.variables.len();
        let accumulator = comprehension.accumulator.clone();
        self.variables.push((accumulator, of_init));
        self.variables
            .push((comprehension.variable.clone(), of_range));
        if let Some(variable) = &comprehension.variable2 {
            self.variables.push((variable.clone(), of_range));
        }
        let of_steps = self
            .look(&comprehension.condition)
            .and(self.look(&comprehension.step));
        // What the loop has gathered is seen by its result.
        let gathered = of_init.and(of_steps);
        self.variables.truncate(before);
        let name = comprehension.accumulator.clone();
        self.variables.push((name, gathered));
        let of_result = self.look(&comprehension.result);
        self.variables.truncate(before);
        of_range.and(gathered).and(of_result)
    }
}

fn sight_of(expr: &Expr, sights: &[Sight]) -> Sight {
    sights.get(expr.id as usize).copied().unwrap_or_default()
}

/// Returns true if an expression is the device itself.
fn is_device(expr: &Expr, sights: &[Sight]) -> bool {
    let is_named =
        matches!(&expr.node, ExprNode::Ident(name) if name.trim_start_matches('.') == "device");
    is_named && sight_of(expr, sights) == Sight::DEVICE
}

/// Returns the name of the field of the device that an expression is.
fn field_of_device<'e>(expr: &'e Expr, sights: &[Sight]) -> Option<&'e str> {
    let (operand, field) = match &expr.node {
        ExprNode::Select { operand, field, .. } => (&**operand, &**field),
        _ => {
            let (function, [operand, key]) = call_of_two(expr)?;
            if !is_index(function) {
                return None;
            }
            (operand, text(key)?)
        }
    };
    is_device(operand, sights).then_some(field)
}

/// Returns the function of a call of two arguments, and these.
fn call_of_two(expr: &Expr) -> Option<(&str, [&Expr; 2])> {
    match &expr.node {
        ExprNode::Call {
            function,
            arguments,
            ..
        } => match arguments.as_slice() {
            [first, second] => Some((function, [first, second])),
            _ => None,
        },
        _ => None,
    }
}

fn is_index(function: &str) -> bool {
    matches!(function, "_[_]" | "_[?_]" | "_?._")
}

/// Returns the value of a written text.
fn text(expr: &Expr) -> Option<&str> {
    match &expr.node {
        ExprNode::Literal(Literal::String(text)) => Some(text),
        _ => None,
    }
}

/// Returns true if an expression is the name of the driver.
fn is_driver(expr: &Expr, sights: &[Sight]) -> bool {
    field_of_device(expr, sights) == Some("driver")
}

/// Returns true if an expression asks for what a device has in the domain of its own driver, whichever that is.
fn is_of_own_domain(expr: &Expr, sights: &[Sight]) -> bool {
    let Some((function, [first, second])) = call_of_two(expr) else {
        return false;
    };
    let (map, key) = match function {
        "@in" => (second, first),
        function if is_index(function) => (first, second),
        _ => return false,
    };
    let is_map = matches!(
        field_of_device(map, sights),
        Some("attributes" | "capacity")
    );
    is_map && is_driver(key, sights)
}

/// Where a part is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Only `&&`, `||` and `!` are around it: if it fails, the others still decide.
    Chain,
    /// It is a part of something else.
    Within,
}

/// What a part is used as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It must be true or false.
    Operand,
    Value,
}

/// Collects the parts of an expression.
struct Reader<'e> {
    sights: &'e [Sight],
    findings: &'e CheckerFindings,
    macros: &'e [MacroCall],
    parts: Parts,
}

impl Reader<'_> {
    fn read(&mut self, expr: &Expr, place: Place, role: Role) {
        let sight = sight_of(expr, self.sights);
        if !sight.driver {
            if sight.rest {
                self.read_condition(expr, place, role);
            }
            return;
        }
        let inside = |child: &Expr, reader: &mut Self| {
            reader.read(child, Place::Within, Role::Value);
        };
        let ExprNode::Call {
            function,
            arguments,
            ..
        } = &expr.node
        else {
            children(expr, &mut |child| inside(child, self));
            return;
        };
        match (&**function, arguments.as_slice()) {
            ("_&&_" | "_||_" | "!_", arguments) => {
                for argument in arguments {
                    self.read(argument, place, Role::Operand);
                }
            }
            ("_?_:_", [condition, yes, no]) => {
                let place = Place::Within;
                self.read(condition, place, Role::Operand);
                self.read(yes, place, role);
                self.read(no, place, role);
            }
            _ => children(expr, &mut |child| inside(child, self)),
        }
    }

    /// Reads what does not look at the driver.
    fn read_condition(&mut self, expr: &Expr, place: Place, role: Role) {
        if let ExprNode::Call {
            function,
            arguments,
            ..
        } = &expr.node
            && function == "!_"
            && let [inner] = arguments.as_slice()
        {
            self.read_condition(inner, place, Role::Operand);
            return;
        }
        let kind = self.findings.type_of(expr.id);
        let is_bool = *kind == Type::Bool || role == Role::Operand;
        if is_bool && self.is_written(expr) {
            self.parts.failures_decide |= place != Place::Chain;
            self.parts.conditions.push((expr.span.start, expr.span.end));
            return;
        }
        children(expr, &mut |child| {
            if sight_of(child, self.sights).rest {
                self.read_condition(child, Place::Within, Role::Value);
            }
        });
    }

    fn is_written(&self, expr: &Expr) -> bool {
        is_written(expr, self.macros)
    }
}

/// Returns true if the text of a node is the node's: what macros make has the text of the macro.
fn is_written(expr: &Expr, macros: &[MacroCall]) -> bool {
    !expr.generated || macros.iter().any(|call| call.id == expr.id)
}

/// What is left of a part once the tests in it are taken out.
#[derive(Clone, Copy, Default)]
struct Rest {
    /// It looks at the driver.
    looks: bool,
    /// How many macros are around the innermost variable that it reads, beginning with 1; 0 if it reads none.
    depth: usize,
}

impl Rest {
    fn and(self, other: Rest) -> Self {
        Rest {
            looks: self.looks || other.looks,
            depth: self.depth.max(other.depth),
        }
    }
}

/// Finds the tests of the driver's name.
struct TestFinder<'e> {
    sights: &'e [Sight],
    findings: &'e CheckerFindings,
    macros: &'e [MacroCall],
    /// The variables of macros around a part, and whether their values look at the driver.
    variables: Vec<(String, bool)>,
    tests: Vec<Span>,
}

impl TestFinder<'_> {
    fn find(&mut self, expr: &Expr) -> Rest {
        if !sight_of(expr, self.sights).driver && self.variables.is_empty() {
            return Rest::default();
        }
        let rest = match &expr.node {
            ExprNode::Ident(name) => self.of_variable(name, expr),
            ExprNode::Comprehension(comprehension) => self.of_loop(comprehension),
            _ => {
                let mut rest = Rest::default();
                children(expr, &mut |child| rest = rest.and(self.find(child)));
                // The device itself is looked at only for this.
                rest.looks &= field_of_device(expr, self.sights)
                    .is_none_or(|name| name == "driver")
                    && !is_of_own_domain(expr, self.sights);
                rest
            }
        };
        let is_bool = *self.findings.type_of(expr.id) == Type::Bool;
        if rest.looks && rest.depth == 0 && is_bool && is_written(expr, self.macros) {
            self.take(expr);
            return Rest::default();
        }
        rest
    }

    /// Takes a part as a test, unless it only compares whole names.
    fn take(&mut self, expr: &Expr) {
        let (start, end) = (expr.span.start, expr.span.end);
        self.tests
            .retain(|(first, last)| *first < start || *last > end);
        if !compares_whole_names(expr, self.sights) {
            self.tests.push((start, end));
        }
    }

    fn of_variable(&self, name: &str, expr: &Expr) -> Rest {
        let own = self.variables.iter().enumerate().rev();
        let mut named = own.filter(|(_, (variable, _))| variable == name);
        match named.next() {
            Some((place, (_, looks))) => Rest {
                looks: *looks,
                depth: place.saturating_add(1),
            },
            None => Rest {
                looks: is_device(expr, self.sights),
                depth: 0,
            },
        }
    }

    fn of_loop(&mut self, comprehension: &Comprehension) -> Rest {
        let range = self.find(&comprehension.range);
        let init = self.find(&comprehension.init);
        let before = self.variables.len();
        let own = [
            (Some(&comprehension.accumulator), init.looks),
            (Some(&comprehension.variable), range.looks),
            (comprehension.variable2.as_ref(), range.looks),
        ];
        for (name, looks) in own {
            self.variables
                .extend(name.map(|name| (name.clone(), looks)));
        }
        let steps = self
            .find(&comprehension.condition)
            .and(self.find(&comprehension.step));
        self.variables.truncate(before);
        let gathered = init.looks || steps.looks;
        self.variables
            .push((comprehension.accumulator.clone(), gathered));
        let result = self.find(&comprehension.result);
        self.variables.truncate(before);
        let inner = steps.and(result);
        let mut rest = range.and(init);
        rest.looks |= inner.looks;
        // What the loop's own variables are is known here.
        if inner.depth <= before {
            rest.depth = rest.depth.max(inner.depth);
        } else if self.reads_outer(comprehension, before) {
            rest.depth = rest.depth.max(before);
        }
        rest
    }

    /// Returns true if a loop reads variables of macros around it.
    fn reads_outer(&self, comprehension: &Comprehension, outer: usize) -> bool {
        let outer: Vec<&String> = self
            .variables
            .iter()
            .take(outer)
            .map(|(name, _)| name)
            .collect();
        let mut reads = false;
        let parts = [
            &comprehension.condition,
            &comprehension.step,
            &comprehension.result,
        ];
        for part in parts {
            visit(part, &mut |expr| {
                reads |= matches!(&expr.node, ExprNode::Ident(name) if outer.iter().any(|own| own.as_str() == &**name));
                !reads
            });
        }
        reads
    }
}

/// Returns true if an expression compares the whole name of the driver with written names only.
fn compares_whole_names(expr: &Expr, sights: &[Sight]) -> bool {
    let Some((function, [first, second])) = call_of_two(expr) else {
        return false;
    };
    match function {
        "_==_" | "_!=_" => {
            (is_driver(first, sights) && text(second).is_some())
                || (text(first).is_some() && is_driver(second, sights))
        }
        "@in" => {
            let are_written = match &second.node {
                ExprNode::List { elements, .. } => {
                    elements.iter().all(|element| text(element).is_some())
                }
                ExprNode::Map { entries } => entries.iter().all(|entry| text(&entry.key).is_some()),
                _ => false,
            };
            is_driver(first, sights) && are_written
        }
        _ => false,
    }
}
