//! What an expression can cost at most, before it runs (cel-go, `checker/cost.go`).

use super::super::ast::{Comprehension, Expr, ExprNode, Literal, MapEntry};
use super::super::checker::{CheckerFindings, Reference};
use super::super::environment::{Declaration, Environment, Signature};
use super::super::types::Type;
use super::argument::{ArgumentCost, EntrySizes};
use super::calls::{self, CallEstimate, EstimatedCall};
use super::path::{CostPath, INDICES, Segment};
use super::{CostRange, Size, TRAVERSAL};

/// A variable of a loop.
struct Local<'a> {
    name: &'a str,
    path: CostPath<'a>,
    size: Option<Size>,
    entry: Option<EntrySizes>,
}

/// Returns the estimate of an expression.
pub fn estimate(
    environment: &Environment,
    findings: &CheckerFindings,
    root: &Expr,
    ids: u32,
) -> CostRange {
    let count = (ids as usize).saturating_add(1);
    let mut estimator = Estimator {
        environment,
        findings,
        sizes: vec![None; count],
        entries: vec![None; count],
        inner: Vec::new(),
        paths: vec![CostPath::empty(); count],
        locals: Vec::new(),
    };
    estimator.cost(root)
}

struct Estimator<'a> {
    environment: &'a Environment,
    findings: &'a CheckerFindings,
    sizes: Vec<Option<Size>>,
    entries: Vec<Option<EntrySizes>>,
    /// Sizes of the parts of parts.
    inner: Vec<EntrySizes>,
    paths: Vec<CostPath<'a>>,
    locals: Vec<Local<'a>>,
}

impl<'a> Estimator<'a> {
    /// Returns true if sizes are followed into loops and through more functions, as cel-go 0.23 and later do.
    fn follows(&self) -> bool {
        self.environment.rules().sizes_pass_through
    }

    fn local(&self, name: &str) -> Option<&Local<'a>> {
        let bare = name.strip_prefix('.').unwrap_or(name);
        self.locals.iter().rev().find(|local| local.name == bare)
    }

    fn set_size(&mut self, id: u32, size: Option<Size>) {
        if let (Some(place), Some(size)) = (self.sizes.get_mut(id as usize), size) {
            *place = Some(size);
        }
    }

    fn set_entry(&mut self, id: u32, entry: Option<EntrySizes>) {
        if let (Some(place), Some(entry)) = (self.entries.get_mut(id as usize), entry) {
            *place = Some(entry);
        }
    }

    /// Returns true if the sizes of parts of parts are known, as in cel-go 0.33 and later.
    fn nests(&self) -> bool {
        self.environment.rules().sizes_are_nested
    }

    /// Returns the sizes that hold for both containers.
    fn union(&mut self, one: EntrySizes, two: EntrySizes) -> EntrySizes {
        let both = [one, two].map(|of| self.inner_of(&of));
        let inner = match both {
            [Some(first), Some(second)] => {
                let joined = self.union(first, second);
                self.keep(Some(joined))
            }
            _ => one.inner.or(two.inner),
        };
        EntrySizes {
            is_list: one.is_list,
            key: one.key.union(two.key),
            value: one.value.union(two.value),
            inner,
        }
    }

    /// Returns the sizes of the parts of a container's values.
    fn inner_of(&self, entry: &EntrySizes) -> Option<EntrySizes> {
        entry.inner.and_then(|place| self.inner.get(place).copied())
    }

    /// Keeps the sizes of a value's parts for the container that it is put into.
    fn keep(&mut self, entry: Option<EntrySizes>) -> Option<usize> {
        let sizes = entry.filter(|_| self.nests())?;
        self.inner.push(sizes);
        self.inner.len().checked_sub(1)
    }

    /// Returns the sizes of the parts of all of these values.
    fn parts_of(&mut self, values: impl Iterator<Item = &'a Expr>) -> Option<usize> {
        if !self.nests() {
            return None;
        }
        let mut all: Option<EntrySizes> = None;
        for value in values {
            all = match (all, self.entry(value)) {
                (Some(one), Some(two)) => Some(self.union(one, two)),
                (one, two) => one.or(two),
            };
        }
        self.keep(all)
    }

    fn set_path(&mut self, id: u32, path: CostPath<'a>) {
        if let Some(place) = self.paths.get_mut(id as usize) {
            *place = path;
        }
    }

    /// Returns a name as the checker resolved it: without its leading dot, unless a loop's variable would hide it (cel-go,
    /// `checker/checker.go`, `checkIdent`).
    fn resolved<'n>(&self, expr: &Expr, name: &'n str) -> &'n str {
        match self.findings.reference(expr.id) {
            Reference::Name(full) if !full.starts_with('.') => {
                name.strip_prefix('.').unwrap_or(name)
            }
            _ => name,
        }
    }

    fn path(&self, expr: &Expr) -> CostPath<'a> {
        if let ExprNode::Ident(name) = &expr.node
            && let Some(local) = self.local(self.resolved(expr, name))
        {
            return local.path.clone();
        }
        self.paths
            .get(expr.id as usize)
            .cloned()
            .unwrap_or_else(CostPath::empty)
    }

    fn entry(&self, expr: &Expr) -> Option<EntrySizes> {
        if !self.follows() {
            return None;
        }
        if let Some(entry) = self.entries.get(expr.id as usize).copied().flatten() {
            return Some(entry);
        }
        match &expr.node {
            ExprNode::Ident(name) => self
                .local(self.resolved(expr, name))
                .and_then(|local| local.entry),
            _ => None,
        }
    }

    fn size(&mut self, expr: &Expr) -> Option<Size> {
        if let Some(size) = self.sizes.get(expr.id as usize).copied().flatten() {
            return Some(size);
        }
        if let Some(size) = literal_size(expr) {
            return Some(size);
        }
        if let Some(bounds) = self.path(expr).bounds(self.environment) {
            let size = Size {
                min: 0,
                max: bounds.size,
            };
            if self.follows() {
                self.set_size(expr.id, Some(size));
            }
            return Some(size);
        }
        let kind = self.findings.type_of(expr.id);
        let is_type = matches!(kind, Type::Type(_)) && self.environment.rules().sizes_are_nested;
        if is_type || is_scalar(kind, self.follows()) {
            return Some(Size::fixed(1));
        }
        match &expr.node {
            ExprNode::Ident(name) if self.follows() => self
                .local(self.resolved(expr, name))
                .and_then(|local| local.size),
            _ => None,
        }
    }

    fn size_or_unknown(&mut self, expr: &Expr) -> Size {
        self.size(expr).unwrap_or(Size::UNKNOWN)
    }

    fn argument(&mut self, expr: &'a Expr) -> ArgumentCost<'a> {
        let cost = self.cost(expr);
        let size = self.size(expr);
        let path = self.path(expr).bounds(self.environment);
        ArgumentCost {
            expr,
            kind: self.findings.type_of(expr.id),
            cost,
            size,
            entry: self.entry(expr),
            path,
        }
    }

    fn cost(&mut self, expr: &'a Expr) -> CostRange {
        match &expr.node {
            ExprNode::Literal(_) => CostRange::fixed(0),
            ExprNode::Ident(name) => {
                let name = self.resolved(expr, name);
                let path = self
                    .local(name)
                    .map_or_else(|| CostPath::variable(name), |local| local.path.clone());
                self.set_path(expr.id, path);
                CostRange::fixed(1)
            }
            ExprNode::Select {
                operand,
                field,
                test_only,
            } => self.cost_of_select(expr, operand, field, *test_only),
            ExprNode::Call {
                function,
                target,
                arguments,
            } => self.cost_of_call(expr, function, target.as_deref(), arguments),
            ExprNode::List { elements, .. } => self.cost_of_list(expr, elements),
            ExprNode::Map { entries } => self.cost_of_map(expr, entries),
            ExprNode::Message { fields, .. } => {
                let sum = fields.iter().fold(CostRange::fixed(0), |sum, field| {
                    sum.add(self.cost(&field.value))
                });
                sum.add(CostRange::fixed(40))
            }
            ExprNode::Comprehension(comprehension) => self.cost_of_loop(expr, comprehension),
        }
    }

    fn cost_of_list(&mut self, expr: &Expr, elements: &'a [Expr]) -> CostRange {
        let mut sum = CostRange::fixed(0);
        let mut size = Size::nothing(elements.is_empty());
        for element in elements {
            sum = sum.add(self.cost(element));
            size = size.union(self.size_or_unknown(element));
        }
        // Since 0.33 nothing is known of the elements of an empty list.
        if !elements.is_empty() || !self.nests() {
            let inner = self.parts_of(elements.iter());
            self.set_entry(expr.id, Some(EntrySizes::list(size, inner)));
        }
        sum.add(CostRange::fixed(10))
    }

    fn cost_of_map(&mut self, expr: &Expr, entries: &'a [MapEntry]) -> CostRange {
        let mut sum = CostRange::fixed(0);
        let mut key = Size::nothing(entries.is_empty());
        let mut value = key;
        for entry in entries {
            sum = sum.add(self.cost(&entry.key));
            sum = sum.add(self.cost(&entry.value));
            key = key.union(self.size_or_unknown(&entry.key));
            value = value.union(self.size_or_unknown(&entry.value));
        }
        if !entries.is_empty() || !self.nests() {
            let inner = self.parts_of(entries.iter().map(|entry| &entry.value));
            let sizes = EntrySizes {
                is_list: false,
                key,
                value,
                inner,
            };
            self.set_entry(expr.id, Some(sizes));
        }
        sum.add(CostRange::fixed(30))
    }

    fn cost_of_select(
        &mut self,
        expr: &'a Expr,
        operand: &'a Expr,
        field: &'a str,
        test_only: bool,
    ) -> CostRange {
        let nested = self.environment.rules().sizes_are_nested;
        if nested && matches!(self.findings.reference(expr.id), Reference::Name(_)) {
            // The checker made one name of it.
            return CostRange::fixed(1);
        }
        let mut cost = self.cost(operand);
        if test_only && !nested {
            return cost;
        }
        let of_parts = matches!(
            self.findings.type_of(operand.id),
            Type::Map(_) | Type::Struct(_) | Type::Variable(_)
        );
        if !test_only && (nested || of_parts) {
            cost = cost.add(CostRange::fixed(1));
        }
        let path = self.path(operand).append(Segment::Name(field));
        self.set_path(expr.id, path);
        cost
    }

    fn cost_of_call(
        &mut self,
        expr: &'a Expr,
        function: &str,
        target: Option<&'a Expr>,
        arguments: &'a [Expr],
    ) -> CostRange {
        if function == "dyn"
            && self.follows()
            && let [argument] = arguments
        {
            return self.cost_of_dyn(expr, argument);
        }
        let argument_costs: Vec<ArgumentCost<'a>> = arguments
            .iter()
            .map(|argument| self.argument(argument))
            .collect();
        let Reference::Function {
            function: index,
            overloads,
            namespaced,
        } = self.findings.reference(expr.id)
        else {
            return CostRange::fixed(0);
        };
        let receiver = target
            .filter(|_| !namespaced)
            .map(|target| self.argument(target));
        let receiver_cost = receiver.map_or(CostRange::fixed(0), |receiver| receiver.cost);
        let Some(declaration) = self.environment.function(*index) else {
            return receiver_cost;
        };
        let mut call_cost = CostRange {
            min: u64::MAX,
            max: 0,
        };
        let mut result_size: Option<Size> = None;
        for signature in overloads.of(&declaration.overloads) {
            let estimate =
                self.cost_of_overload(expr, declaration, signature, receiver, &argument_costs);
            call_cost = call_cost.union(estimate.cost);
            result_size = match (result_size, estimate.result) {
                (Some(earlier), Some(size)) => Some(earlier.union(size)),
                (earlier, size) => earlier.or(size),
            };
            if matches!(signature.id, "index_list" | "index_map")
                && let Some(operand) = arguments.first()
            {
                let value_size = self.follow_index(expr, operand);
                if self.follows() {
                    result_size = value_size;
                }
            }
            if result_size.is_none() && self.follows() {
                result_size = self.size(expr);
            }
        }
        self.set_size(expr.id, result_size);
        if function == "cel.@mapInsert" && self.nests() {
            self.set_inserted(expr, arguments);
        }
        receiver_cost.add(call_cost)
    }

    /// Sets the path of `operand[…]` and, where sizes are followed, what its entries are. Returns the size of the value there.
    fn follow_index(&mut self, expr: &Expr, operand: &'a Expr) -> Option<Size> {
        let path = self.path(operand).append(Segment::Element);
        let mut value_size = None;
        if self.follows() {
            let entry = self.entry(operand);
            value_size = entry.map(|entry| entry.value);
            let inner = entry.and_then(|entry| self.inner_of(&entry));
            self.set_entry(expr.id, inner);
        }
        self.set_path(expr.id, path);
        value_size
    }

    /// Returns the cost of `dyn(…)`, which has the sizes of its argument.
    fn cost_of_dyn(&mut self, expr: &Expr, argument: &'a Expr) -> CostRange {
        let cost = self.cost(argument);
        let size = self.size(argument);
        self.set_size(expr.id, size);
        let entry = self.entry(argument);
        self.set_entry(expr.id, entry);
        cost.add(CostRange::fixed(1))
    }

    /// Estimates a call of an overload, with the costs of its arguments and without that of its receiver.
    fn cost_of_overload(
        &mut self,
        expr: &'a Expr,
        declaration: &Declaration,
        signature: &Signature,
        receiver: Option<ArgumentCost<'a>>,
        arguments: &[ArgumentCost<'a>],
    ) -> CallEstimate {
        match (signature.id, arguments) {
            // The right side may not run.
            ("logical_and" | "logical_or", [left, right]) => CallEstimate::of_cost(CostRange {
                min: left.cost.min,
                max: left.cost.add(right.cost).max,
            }),
            // One of the two values does not run.
            ("conditional", [condition, truthy, falsy]) => {
                let entry = self.merged(truthy, falsy);
                self.set_entry(expr.id, entry);
                let cost = condition.cost.add(truthy.cost.union(falsy.cost));
                CallEstimate::with_result(cost, truthy.size().union(falsy.size()))
            }
            _ => {
                let own = self.own_cost_of_overload(
                    expr,
                    declaration,
                    signature,
                    receiver.as_ref(),
                    arguments,
                );
                let all = arguments
                    .iter()
                    .fold(own.cost, |sum, argument| sum.add(argument.cost));
                CallEstimate {
                    cost: all,
                    result: own.result,
                }
            }
        }
    }

    /// Estimates a call of an overload, without the costs of its receiver and arguments.
    fn own_cost_of_overload(
        &mut self,
        expr: &'a Expr,
        declaration: &Declaration,
        signature: &Signature,
        receiver: Option<&ArgumentCost<'a>>,
        arguments: &[ArgumentCost<'a>],
    ) -> CallEstimate {
        let call = EstimatedCall {
            rules: self.environment.rules(),
            name: declaration.name,
            overload: signature.id,
            receiver,
            arguments,
        };
        // Libraries estimate their own functions and `==` of their objects.
        if (declaration.of_library || declaration.name == "_==_")
            && let Some(estimate) = call.estimate_library()
        {
            return estimate;
        }
        match (signature.id, arguments) {
            ("add_string" | "add_bytes", [left, right]) => {
                let size = self.concatenated(expr, left, right);
                CallEstimate::with_result(calls::scaled(call.rules, size, TRAVERSAL), size)
            }
            ("add_list", [left, right]) => {
                let size = self.concatenated(expr, left, right);
                CallEstimate::with_result(CostRange::fixed(1), size)
            }
            _ => call.estimate_language_function(),
        }
    }

    /// Returns the size of two values, one after the other, and sets what is known of their parts.
    fn concatenated(
        &mut self,
        expr: &'a Expr,
        left: &ArgumentCost<'a>,
        right: &ArgumentCost<'a>,
    ) -> Size {
        let entry = self.merged(left, right);
        self.set_entry(expr.id, entry);
        left.size().add(right.size())
    }

    /// Returns what is known of the parts of a value that is made of one or both of two others.
    fn merged(
        &mut self,
        first: &ArgumentCost<'a>,
        second: &ArgumentCost<'a>,
    ) -> Option<EntrySizes> {
        match (first.entry, second.entry) {
            (Some(one), Some(two)) => Some(self.union(one, two)),
            (Some(known), None) if self.nests() => Some(known.with(second)),
            (None, Some(known)) if self.nests() => Some(known.with(first)),
            _ => None,
        }
    }

    /// Sets what is known of the parts of a map with one more entry (cel-go, `common/cost/default_strategy.go`, `estimateMapExpr`).
    fn set_inserted(&mut self, expr: &Expr, arguments: &'a [Expr]) {
        let [map, key, value] = arguments else {
            return;
        };
        let inner = self.parts_of(std::iter::once(value));
        let new = EntrySizes {
            is_list: false,
            key: self.size_or_unknown(key),
            value: self.size_or_unknown(value),
            inner,
        };
        let entry = match self.entry(map) {
            Some(known) => self.union(known, new),
            None => new,
        };
        self.set_entry(expr.id, Some(entry));
    }

    fn cost_of_loop(&mut self, expr: &'a Expr, comprehension: &'a Comprehension) -> CostRange {
        let mut sum = self.cost(&comprehension.range);
        sum = sum.add(self.cost(&comprehension.init));
        if is_binding(comprehension) && self.follows() {
            self.push_accumulator(comprehension);
            sum = sum.add(self.cost(&comprehension.result));
            self.locals.pop();
            let size = self.size(&comprehension.result);
            self.set_size(expr.id, size);
            let entry = self.entry(&comprehension.result);
            self.set_entry(expr.id, entry);
            return sum;
        }
        let outside = self.locals.len();
        if self.follows() {
            self.push_accumulator(comprehension);
        }
        let inside = self.locals.len();
        self.push_variables(comprehension);
        let condition = self.cost(&comprehension.condition);
        let step = self.cost(&comprehension.step);
        self.locals.truncate(inside);
        sum = sum.add(self.cost(&comprehension.result));
        self.locals.truncate(outside);
        let count = self.size_or_unknown(&comprehension.range);
        sum = sum.add(count.times_cost(step.add(condition)));
        if !self.follows() {
            self.set_size(expr.id, Some(count));
            return sum;
        }
        match &comprehension.init.node {
            ExprNode::Literal(_) => {
                let size = self.size(&comprehension.init);
                self.set_size(expr.id, size);
            }
            ExprNode::List { .. } | ExprNode::Map { .. } => {
                self.set_size(expr.id, Some(count));
                let mut entry = self.entry(&comprehension.step);
                if entry.is_none() && self.nests() {
                    entry = self.entry(&comprehension.range);
                }
                self.set_entry(expr.id, entry);
            }
            _ => {}
        }
        sum
    }

    fn push_accumulator(&mut self, comprehension: &'a Comprehension) {
        let init = &comprehension.init;
        let local = Local {
            name: &comprehension.accumulator,
            path: self.path(init),
            size: self.size(init),
            entry: self.entry(init),
        };
        self.locals.push(local);
    }

    fn push_variables(&mut self, comprehension: &'a Comprehension) {
        let entry = self.entry(&comprehension.range);
        let range = LoopRange {
            kind: self.kind_of_range(&comprehension.range, entry),
            path: self.path(&comprehension.range),
            key_size: entry.map(|entry| entry.key),
            value_size: entry.map(|entry| entry.value),
            inner: entry.and_then(|entry| self.inner_of(&entry)),
        };
        match &comprehension.variable2 {
            None => self.push_single_variable(&range, &comprehension.variable),
            Some(second) => self.push_two_variables(&range, &comprehension.variable, second),
        }
    }

    fn kind_of_range(&self, range: &Expr, entry: Option<EntrySizes>) -> RangeKind {
        match (entry, self.findings.type_of(range.id)) {
            (Some(entry), _) if entry.is_list => RangeKind::List,
            (Some(_), _) => RangeKind::Map,
            (None, Type::List(_)) => RangeKind::List,
            (None, Type::Map(_)) => RangeKind::Map,
            (None, _) => RangeKind::Other,
        }
    }

    /// Adds the variable of a loop over the elements of a list, or the keys of a map.
    fn push_single_variable(&mut self, range: &LoopRange<'a>, name: &'a str) {
        // Up to cel-go 0.22, only lists and maps have elements with paths.
        let path = if range.kind != RangeKind::Other || self.follows() {
            range.path.append(range.kind.single())
        } else {
            CostPath::empty()
        };
        let local = if range.kind == RangeKind::List {
            Local {
                name,
                path,
                size: range.value_size,
                entry: range.inner,
            }
        } else {
            Local {
                name,
                path,
                size: range.key_size,
                entry: None,
            }
        };
        self.locals.push(local);
    }

    /// Adds the variables of a loop over indexes or keys and values.
    fn push_two_variables(&mut self, range: &LoopRange<'a>, key: &'a str, value: &'a str) {
        let key_path;
        let value_path;
        if self.environment.rules().second_variables_are_untyped {
            key_path = range.path.append(range.kind.single());
            value_path = CostPath::empty();
        } else {
            // cel-go appends both to the same path.
            key_path = range.path.append(range.kind.key());
            value_path = range.path.append(Segment::Element);
        }
        self.locals.push(Local {
            name: key,
            path: key_path,
            size: range.key_size,
            entry: None,
        });
        self.locals.push(Local {
            name: value,
            path: value_path,
            size: range.value_size,
            entry: range.inner,
        });
    }
}

/// What a loop goes through.
struct LoopRange<'a> {
    kind: RangeKind,
    path: CostPath<'a>,
    /// Sizes of the keys, if they are known.
    key_size: Option<Size>,
    /// Sizes of the values, if they are known.
    value_size: Option<Size>,
    /// Sizes of the parts of the values, if they are known.
    inner: Option<EntrySizes>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RangeKind {
    List,
    Map,
    /// A value of another type, or of a type that is not known.
    Other,
}

impl RangeKind {
    /// Returns the segment of a loop's only variable.
    fn single(self) -> Segment<'static> {
        match self {
            RangeKind::List => Segment::Element,
            RangeKind::Map | RangeKind::Other => Segment::Key,
        }
    }

    /// Returns the segment of the first of two variables.
    fn key(self) -> Segment<'static> {
        match self {
            RangeKind::List => Segment::Name(INDICES),
            RangeKind::Map | RangeKind::Other => Segment::Key,
        }
    }
}

/// Recognizes `cel.bind` and what is made of it: a loop over nothing with an accumulator of another name.
fn is_binding(comprehension: &Comprehension) -> bool {
    matches!(&comprehension.range.node, ExprNode::List { elements, .. } if elements.is_empty())
        && matches!(
            comprehension.condition.node,
            ExprNode::Literal(Literal::Bool(false))
        )
        && comprehension.accumulator != "__result__"
}

fn literal_size(expr: &Expr) -> Option<Size> {
    let size = match &expr.node {
        ExprNode::Literal(Literal::String(text)) => text.chars().count(),
        ExprNode::Literal(Literal::Bytes(bytes)) => bytes.len(),
        ExprNode::Literal(_) => 1,
        ExprNode::List { elements, .. } => elements.len(),
        ExprNode::Map { entries } => entries.len(),
        _ => return None,
    };
    Some(Size::fixed(size as u64))
}

fn is_scalar(kind: &Type, follows: bool) -> bool {
    match kind {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => {
            true
        }
        Type::Wrapper(_) => true,
        other => {
            follows
                && other
                    .optional_of()
                    .is_some_and(|inner| is_scalar(inner, follows))
        }
    }
}
