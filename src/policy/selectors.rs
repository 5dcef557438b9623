//! What the CEL selectors of devices select, as far as a policy needs to know: expressions are tried on devices.
//!
//! An expression selects a driver if it can be true for a device of that driver and less so for devices of drivers that nobody has.
//! The drivers that are tried are the texts of the expression, what it computes of them, and the drivers of the policy's own list. What an
//! expression tests of a name besides is then taken as true and as false: where that decides, a driver that the list accepts must be
//! known which passes the test, or the expression is unclear.

use crate::cel_lints::{Language, reads};
use crate::policy::driver_names::{self, LONGEST, PossibleNames, Words};
use crate::policy::parts::{Parts, Span};
use crate::policy::settings::NameList;
use claimkit_model::cel::ast::{Expr, ExprNode, Literal};
use claimkit_model::cel::value::{Map, Value};
use claimkit_model::cel::{
    CelDevice, DeviceAttribute, Environment, EnvironmentMode, Program, SELECTOR_COST_LIMIT,
};
use claimkit_model::schema::{Gates, Release};
use claimkit_scheduler::environments;
use claimkit_values::names;
use claimkit_values::order;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of drivers that an expression is tried on.
const TRIALS: usize = 256;

/// Longest text of an expression that is looked at, in bytes.
const TEXT: usize = 1 << 10;

/// Maximum number of texts and of numbers of an expression that attributes are tried with.
const VALUES: usize = 4;

/// Maximum number of conditions of an expression, which are tried in every combination.
const CONDITIONS: usize = 5;

/// Maximum number of tests of a driver's name in an expression, which are tried in every combination.
const TESTS: usize = 4;

/// Maximum number of drivers that are named as selected by one expression.
const NAMED: usize = 16;

/// Maximum number of accepted drivers beside which others are looked for.
const NEIGHBORS: usize = 4;

/// How much the expressions of one object may be tried, in about microseconds of a processor.
const BUDGET: u32 = 60_000;

/// What is left of the time for the expressions of an object.
#[derive(Debug)]
pub struct Budget(Cell<u32>);

impl Default for Budget {
    fn default() -> Self {
        Budget(Cell::new(BUDGET))
    }
}

impl Budget {
    /// Takes some of it. Returns true if it was there.
    fn spend(&self, amount: u64) -> bool {
        let left = self.0.get();
        let amount = u32::try_from(amount).unwrap_or(u32::MAX);
        self.0.set(left.saturating_sub(amount));
        left > amount
    }

    fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

/// The drivers that an expression selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectedDrivers {
    /// Drivers that the list does not accept.
    Refused(Vec<String>),
    /// Drivers that the list does not accept, by tests of their names: an example, which the expression need not write.
    Tested(String),
    /// No release known here compiles the expression.
    Unreadable,
    /// The expression has more texts or conditions than are tried.
    TooMany,
    /// The expression tests names in a way that no accepted driver is known to pass.
    Unclear,
}

/// How expressions are compiled and what trying them may cost.
#[derive(Clone, Copy)]
struct Compiler<'b> {
    release: Release,
    gates: Option<Gates>,
    budget: &'b Budget,
}

impl<'b> Compiler<'b> {
    /// Compiles an expression as the release does, or as the newest known release does with all gates on: the API server may be of
    /// another release than the settings say.
    fn compile(self, text: &str) -> Option<Selector<'b>> {
        let of_release =
            Language::Device.environment(EnvironmentMode::New, self.release, self.gates);
        if let Some(selector) = self.compile_in(of_release, text) {
            return Some(selector);
        }
        let takes_lists = true;
        let newest = environments::scheduler(Release::latest(), takes_lists);
        self.compile_in(newest, text)
    }

    fn compile_in(self, environment: Arc<Environment>, text: &str) -> Option<Selector<'b>> {
        let program = environment.compile(text).ok()?;
        Some(Selector {
            program,
            environment,
            budget: self.budget,
        })
    }

    /// Compiles another form of an expression; `None`, too, if nothing of the budget is left.
    fn compile_form(self, text: &str) -> Option<Selector<'b>> {
        let is_paid = self.budget.spend(text.len() as u64);
        is_paid.then(|| self.compile(text)).flatten()
    }
}

/// A compiled expression with the environment that it is evaluated in.
struct Selector<'b> {
    program: Program,
    environment: Arc<Environment>,
    budget: &'b Budget,
}

impl Selector<'_> {
    fn root(&self) -> &Expr {
        &self.program.checked().ast.root
    }

    fn text(&self) -> &str {
        self.program.checked().ast.source.text()
    }

    /// Returns how far the expression is true for a device: 2 it is, 1 it depends on what is not known of the device, 0 it is not.
    fn truth(&self, variables: &[Value]) -> u8 {
        if self.budget.is_spent() {
            return 1;
        }
        let outcome = self.program.evaluate(variables, SELECTOR_COST_LIMIT);
        self.budget.spend((outcome.cost / 10).saturating_add(2));
        match outcome.matches() {
            Ok(true) => 2,
            Ok(false) => 0,
            Err(_) => 1,
        }
    }

    /// Makes a device of a driver with attributes.
    fn device(&self, driver: &str, attributes: &[(String, DeviceAttribute)]) -> Vec<Value> {
        let mut device = CelDevice::new(driver);
        device.attributes = attributes.to_vec();
        device.variables(&self.environment).unwrap_or_default()
    }

    /// Makes a device of which only the driver is known: what reads anything else of it fails.
    fn unknown_device(&self, driver: &str) -> Vec<Value> {
        let fields = vec![(Arc::from("driver"), Value::string(driver))];
        vec![Value::Map(Arc::new(Map::with_names(fields, None)))]
    }

    /// Returns the value of the expression where it does not depend on the driver.
    fn constant(&self) -> Option<bool> {
        let nothing = vec![Value::Map(Arc::new(Map::with_names(Vec::new(), None)))];
        match self.truth(&nothing) {
            0 => Some(false),
            2 => Some(true),
            _ => None,
        }
    }

    /// Returns how far the expression is true for devices of a driver: for one of which only the driver is known, for one without
    /// attributes, and for some that have every attribute which it reads.
    fn truths(&self, driver: &str, attributes: &[Vec<(String, DeviceAttribute)>]) -> Vec<u8> {
        let mut truths = vec![
            self.truth(&self.unknown_device(driver)),
            self.truth(&self.device(driver, &[])),
        ];
        for attributes in attributes {
            truths.push(self.truth(&self.device(driver, attributes)));
        }
        truths
    }

    /// Returns what the attributes are that the expression is tried with: each set has one value for all attributes which it reads.
    fn attributes_to_try(&self, words: &Words) -> Vec<Vec<(String, DeviceAttribute)>> {
        let names = self.attributes();
        if names.is_empty() {
            return Vec::new();
        }
        let mut values = vec![
            DeviceAttribute::Bool(true),
            DeviceAttribute::Int(0),
            DeviceAttribute::Int(1),
        ];
        let integers = words.integers.iter().copied();
        values.extend(integers.take(VALUES).map(DeviceAttribute::Int));
        let texts = words.texts.iter().take(VALUES);
        values.extend(texts.cloned().map(DeviceAttribute::String));
        values.push(DeviceAttribute::Strings(
            words.texts.iter().take(VALUES).cloned().collect(),
        ));
        let mut sets = Vec::new();
        for value in &values {
            let mut attributes = Vec::with_capacity(names.len());
            for name in &names {
                attributes.push((name.clone(), value.clone()));
            }
            sets.push(attributes);
        }
        sets
    }

    /// Returns the qualified names of the attributes that the expression reads by constant names.
    fn attributes(&self) -> Vec<String> {
        let reads = reads::all(self.root());
        reads.iter().filter_map(attribute_name).collect()
    }

    /// Adds the texts and numbers of the expression, and the texts that it computes without looking at a device.
    fn add_words(&self, words: &mut Words) {
        let nobody = driver_names::NEUTRAL;
        let trace = self
            .program
            .trace(&self.device(nobody, &[]), SELECTOR_COST_LIMIT);
        self.budget.spend(trace.outcome.cost / 5);
        let (texts, mut computed) = (&mut words.texts, Vec::new());
        reads::visit(self.root(), &mut |expr| {
            match &expr.node {
                ExprNode::Literal(Literal::String(text)) => {
                    texts.insert(text.to_string());
                }
                ExprNode::Literal(Literal::Bytes(bytes)) => {
                    texts.extend(String::from_utf8(bytes.clone()));
                }
                ExprNode::Literal(Literal::Int(number)) => {
                    words.integers.insert(*number);
                }
                ExprNode::Call { .. } => match trace.value_of(expr) {
                    Some(Value::String(text)) => computed.push(text.to_string()),
                    Some(Value::List(list)) => computed.extend(list.iter().filter_map(string)),
                    _ => {}
                },
                ExprNode::List { elements, .. } => texts.extend(joined_by_dots(elements)),
                _ => {}
            }
            true
        });
        // What is computed of the name that nobody has is of no other driver.
        computed.retain(|text| !text.contains("nobody") && !nobody.contains(text.as_str()));
        texts.extend(computed);
        texts.retain(|text| text.len() <= TEXT);
    }
}

/// Returns the qualified name of the attribute that a read is of.
fn attribute_name(read: &reads::Read) -> Option<String> {
    match read.path.as_slice() {
        [device, attributes, domain, name, ..]
            if device == "device" && attributes == "attributes" =>
        {
            Some(format!("{domain}/{name}"))
        }
        _ => None,
    }
}

/// Returns the part of a text between two bytes.
fn part(text: &str, (start, end): Span) -> &str {
    text.get(start as usize..end as usize).unwrap_or_default()
}

/// Returns what a list of texts is as the parts of a name.
fn joined_by_dots(elements: &[Expr]) -> Option<String> {
    let parts = elements.iter().map(|element| match &element.node {
        ExprNode::Literal(Literal::String(text)) => Some(&**text),
        _ => None,
    });
    Some(parts.collect::<Option<Vec<&str>>>()?.join("."))
}

fn string(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.to_string()),
        _ => None,
    }
}

/// Parts of an expression that may be true or false.
struct Choices<'e> {
    text: &'e str,
    /// Where they are, in the order of the text.
    spans: &'e [Span],
    /// Each once.
    texts: Vec<&'e str>,
}

impl<'e> Choices<'e> {
    fn of(text: &'e str, spans: &'e [Span]) -> Self {
        let texts: BTreeSet<&str> = order::set(spans.iter().map(|&span| part(text, span)));
        Choices {
            text,
            spans,
            texts: texts.into_iter().collect(),
        }
    }

    /// Returns what the parts may be together, a bit for each; `None` if there are too many.
    fn combinations(&self, most: usize) -> Option<Vec<u32>> {
        let count = self.texts.len();
        (count <= most).then(|| (0..bit(count)).collect())
    }

    /// Returns the expression with `true` or `false` in the place of each part. `values` has a bit for each text.
    fn decided(&self, values: u32) -> String {
        let mut decided = String::new();
        let mut copied_to = 0;
        for &(start, end) in self.spans {
            // The part is inside one that is replaced already.
            if start < copied_to {
                continue;
            }
            decided.push_str(part(self.text, (copied_to, start)));
            let condition = part(self.text, (start, end));
            let is_true = self.is_true(condition, values);
            decided.push_str(if is_true { "true" } else { "false" });
            copied_to = end;
        }
        decided.push_str(self.text.get(copied_to as usize..).unwrap_or_default());
        decided
    }

    fn is_true(&self, condition: &str, values: u32) -> bool {
        let place = self.texts.iter().position(|text| *text == condition);
        place.is_some_and(|place| values & bit(place) != 0)
    }
}

/// Returns the number whose only bit is the one with this place; 0 beyond the last.
fn bit(place: usize) -> u32 {
    let place = u32::try_from(place).unwrap_or(u32::MAX);
    1u32.checked_shl(place).unwrap_or(0)
}

/// An expression, or one with its conditions about other things than the driver replaced by what they may be.
struct Form<'b> {
    selector: Selector<'b>,
    parts: Parts,
    /// The tests of the driver's name, each once, in the order of their texts.
    tests: Vec<Selector<'b>>,
    /// Conditions are replaced, so that it decides by the driver alone.
    is_decided: bool,
}

impl<'b> Form<'b> {
    fn of(compiler: Compiler<'b>, selector: Selector<'b>, is_decided: bool) -> Self {
        let parts = Parts::of(&selector.program);
        let choices = Choices::of(selector.text(), &parts.tests);
        let tests = choices
            .texts
            .iter()
            .filter_map(|text| compiler.compile_form(&format!("({text}) == true")))
            .collect();
        Form {
            parts,
            tests,
            is_decided,
            selector,
        }
    }
}

/// Compiles an expression, and again with its conditions about other things than the driver replaced by what they may be. Only where
/// such a condition has a value for a device of which nothing is known, or decides by failing, is that different from the expression as it is.
///
/// # Errors
/// What is said of the expression where it cannot be tried.
fn forms<'b>(compiler: Compiler<'b>, text: &str) -> Result<Vec<Form<'b>>, SelectedDrivers> {
    let Some(selector) = compiler.compile(text) else {
        return Err(SelectedDrivers::Unreadable);
    };
    let original = Form::of(compiler, selector, false);
    // Nothing of the expression can be the name of the driver.
    if !original.parts.looks_at_driver {
        return Err(SelectedDrivers::Refused(Vec::new()));
    }
    // Nothing more would be tried.
    if compiler.budget.is_spent() {
        return Err(SelectedDrivers::TooMany);
    }
    let conditions = &original.parts.conditions;
    let has_values = text.contains('?') || text.contains("has(");
    let mut decided = Vec::new();
    if !conditions.is_empty() && (original.parts.failures_decide || has_values) {
        let choices = Choices::of(text, conditions);
        let Some(combinations) = choices.combinations(CONDITIONS) else {
            return Err(SelectedDrivers::TooMany);
        };
        for values in combinations {
            if let Some(selector) = compiler.compile_form(&choices.decided(values)) {
                decided.push(Form::of(compiler, selector, true));
            }
        }
    }
    let mut forms = vec![original];
    forms.extend(decided);
    Ok(forms)
}

/// Returns the drivers that a list names; a star stands for a letter.
fn named(patterns: &[String]) -> impl Iterator<Item = String> {
    patterns.iter().map(|pattern| pattern.replace('*', "x"))
}

fn can_exist(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST && names::lowered_subdomain(name).is_empty()
}

/// An expression that is tried.
struct Trial<'b> {
    compiler: Compiler<'b>,
    forms: Vec<Form<'b>>,
    words: Words,
    /// Drivers that nobody has.
    nobody: Vec<String>,
}

/// Returns the drivers that an expression selects although the list does not accept them.
pub fn drivers(
    text: &str,
    list: &NameList,
    release: Release,
    gates: Option<Gates>,
    budget: &Budget,
) -> SelectedDrivers {
    let compiler = Compiler {
        release,
        gates,
        budget,
    };
    let forms = match forms(compiler, text) {
        Ok(forms) => forms,
        Err(found) => return found,
    };
    let (mut words, mut of_tests) = (Words::default(), Words::default());
    for form in &forms {
        form.selector.add_words(&mut words);
        for test in &form.tests {
            test.add_words(&mut of_tests);
        }
    }
    let has_tests = forms.iter().any(|form| !form.parts.tests.is_empty());
    let mut possible = PossibleNames::default();
    let mut combined = Vec::new();
    if has_tests {
        possible = of_tests.alone();
        combined = of_tests.together();
    }
    let (denied, allowed): (&[String], &[String]) = match list {
        NameList::Any => (&[], &[]),
        NameList::Deny(patterns) => (patterns, &[]),
        NameList::Allow(patterns) => (&[], patterns),
    };
    let denied = named(denied).filter(|_| has_tests);
    let written = denied
        .chain(words.texts.iter().cloned())
        .chain(possible.names);
    let written = driver_names::distinct(written);
    let guessed = combined.into_iter().chain(named(allowed));
    let (mut accepted, mut others) = (Vec::new(), Vec::new());
    let mut is_cut = possible.is_cut;
    let count = written.len();
    let all = driver_names::distinct(written.into_iter().chain(guessed));
    for (place, name) in all.into_iter().enumerate() {
        let is_accepted = list.accepts(&name);
        let names = if is_accepted {
            &mut accepted
        } else {
            &mut others
        };
        if !can_exist(&name) {
            continue;
        }
        if names.len() < TRIALS {
            names.push(name);
        } else {
            is_cut |= place < count && !is_accepted;
        }
    }
    let trial = Trial {
        compiler,
        forms,
        words,
        nobody: driver_names::of_nobody(&[text]),
    };
    let refused = trial.selected(&others, NAMED);
    let is_unclear = refused.is_empty() && has_tests && trial.is_unclear(list, &accepted);
    // What was found when the budget was spent is a guess.
    if budget.is_spent() || (is_cut && refused.is_empty()) {
        return SelectedDrivers::TooMany;
    }
    if is_unclear {
        return SelectedDrivers::Unclear;
    }
    if has_tests {
        return tested(refused, list);
    }
    SelectedDrivers::Refused(refused)
}

/// Returns what is said of drivers that an expression with tests of names selects: those that the list itself denies, or an example.
fn tested(refused: Vec<String>, list: &NameList) -> SelectedDrivers {
    let denied: &[String] = match list {
        NameList::Deny(patterns) => patterns,
        NameList::Any | NameList::Allow(_) => &[],
    };
    let (denied, others): (Vec<String>, Vec<String>) =
        refused.into_iter().partition(|name| denied.contains(name));
    match others.into_iter().next() {
        Some(example) if denied.is_empty() => SelectedDrivers::Tested(example),
        _ => SelectedDrivers::Refused(denied),
    }
}

impl Trial<'_> {
    /// Returns the first of some drivers that a form of the expression selects, and more so than devices of nobody.
    fn selected(&self, drivers: &[String], most: usize) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for form in &self.forms {
            let selector = &form.selector;
            let attributes = selector.attributes_to_try(&self.words);
            let mut of_nobody = Vec::new();
            for name in drivers {
                if found.len() == most {
                    return found;
                }
                // What is false whatever the attributes are, or known already.
                if selector.truth(&selector.unknown_device(name)) == 0 || found.contains(name) {
                    continue;
                }
                if of_nobody.is_empty() {
                    of_nobody = self.of_most(selector, &attributes);
                }
                if is_more(&selector.truths(name, &attributes), &of_nobody) {
                    found.push(name.clone());
                }
            }
        }
        found
    }

    /// Returns how far the expression is true for devices of most drivers that nobody has.
    fn of_most(
        &self,
        selector: &Selector<'_>,
        attributes: &[Vec<(String, DeviceAttribute)>],
    ) -> Vec<u8> {
        let nobody = self.nobody.iter();
        let all: Vec<Vec<u8>> = nobody
            .map(|name| selector.truths(name, attributes))
            .collect();
        let count = all.first().map_or(0, Vec::len);
        let mut of_most = Vec::with_capacity(count);
        for place in 0..count {
            let mut truths = Vec::with_capacity(all.len());
            for of_driver in &all {
                truths.extend(of_driver.get(place));
            }
            of_most.push(median(truths));
        }
        of_most
    }

    /// Returns true if the expression may select other drivers than the accepted ones by tests of names, although none was found.
    fn is_unclear(&self, list: &NameList, accepted: &[String]) -> bool {
        let mut others: Vec<String> = Vec::new();
        for name in self.selected(accepted, NEIGHBORS) {
            others.extend(driver_names::near(&name));
        }
        others.extend(self.nobody.iter().cloned());
        others.retain(|name| can_exist(name) && !list.accepts(name));
        !self.selected(&driver_names::distinct(others), 1).is_empty()
            || self
                .forms
                .iter()
                .any(|form| self.has_unclear_tests(form, accepted))
    }

    /// Returns true if some result of its tests makes the form true, or truer than for nobody, and no accepted driver is known for which the
    /// tests have that result.
    fn has_unclear_tests(&self, form: &Form<'_>, accepted: &[String]) -> bool {
        let is_replaced = self.forms.len() > 1 && !form.is_decided;
        if is_replaced || form.parts.tests.is_empty() {
            return false;
        }
        let selector = &form.selector;
        let choices = Choices::of(selector.text(), &form.parts.tests);
        let Some(mut combinations) = choices.combinations(TESTS) else {
            return true;
        };
        if choices.texts.len() != form.tests.len() {
            return true;
        }
        let attributes = selector.attributes_to_try(&self.words);
        let accepted = TestResults::of_drivers(accepted, &form.tests, &attributes);
        let nobody = TestResults::of_drivers(&self.nobody, &form.tests, &attributes);
        let usual = usual_results(&nobody, form.tests.len());
        let constant = constant_tests(&form.tests);
        let of_nobody = self.of_most(selector, &attributes);
        let driver = self.nobody.first().map(String::as_str).unwrap_or_default();
        order::sort_by_key(&mut combinations, |values| (values ^ usual).count_ones());
        let mut decisive: Vec<u32> = Vec::new();
        for values in combinations {
            let unusual = values ^ usual;
            // What no driver can change, and what is decided by fewer tests already.
            if unusual & constant != 0
                || unusual == 0
                || decisive.iter().any(|fewer| fewer & unusual == *fewer)
            {
                continue;
            }
            let Some(decided) = self.compiler.compile_form(&choices.decided(values)) else {
                return true;
            };
            if !is_more(&decided.truths(driver, &attributes), &of_nobody) {
                continue;
            }
            if !accepted
                .iter()
                .any(|result| result.can_be(values, form.tests.len()))
            {
                return true;
            }
            decisive.push(unusual);
        }
        false
    }
}

/// Returns the middle one of some truths, the greater of two; 0 if there are none.
fn median(mut truths: Vec<u8>) -> u8 {
    order::sort(&mut truths);
    truths.get(truths.len() / 2).copied().unwrap_or(0)
}

/// Returns true if one of some truths is greater than that of others in its place.
fn is_more(truths: &[u8], others: &[u8]) -> bool {
    truths.iter().zip(others).any(|(own, other)| own > other)
}

/// Returns the results that tests have for most of some drivers, a bit for each test that they pass.
fn usual_results(drivers: &[TestResults], count: usize) -> u32 {
    let mut usual = 0;
    for bit in (0..count).map(bit) {
        let passing = drivers.iter().filter(|result| result.passed & bit != 0);
        if passing.count() > drivers.len() / 2 {
            usual |= bit;
        }
    }
    usual
}

/// Returns the tests that have one result whatever the driver is, a bit for each.
fn constant_tests(tests: &[Selector<'_>]) -> u32 {
    let mut constant = 0;
    for (place, test) in tests.iter().enumerate() {
        if test.constant().is_some() {
            constant |= bit(place);
        }
    }
    constant
}

/// The results of tests for a driver, a bit for each test. With other attributes a test may have another result.
struct TestResults {
    passed: u32,
    failed: u32,
}

impl TestResults {
    fn of_drivers(
        drivers: &[String],
        tests: &[Selector<'_>],
        attributes: &[Vec<(String, DeviceAttribute)>],
    ) -> Vec<Self> {
        drivers
            .iter()
            .map(|driver| Self::of(tests, driver, attributes))
            .collect()
    }

    fn of(
        tests: &[Selector<'_>],
        driver: &str,
        attributes: &[Vec<(String, DeviceAttribute)>],
    ) -> Self {
        let (mut passed, mut failed) = (0, 0);
        for (place, test) in tests.iter().enumerate() {
            let truths = test.truths(driver, attributes);
            if truths.contains(&2) {
                passed |= bit(place);
            }
            if truths.contains(&0) {
                failed |= bit(place);
            }
        }
        TestResults { passed, failed }
    }

    /// Returns true if the tests can have these results.
    fn can_be(&self, values: u32, count: usize) -> bool {
        let all = bit(count).wrapping_sub(1);
        ((values & self.passed) | (!values & self.failed)) & all == all
    }
}

/// Checks whether expressions leave out devices of drivers that they do not name: devices without attributes are tried. What leaves
/// out only drivers that it names selects everything else. An expression that does not compile selects nothing that could be relied on.
pub fn leave_devices_out(texts: &[&str], release: Release, gates: Option<Gates>) -> bool {
    let budget = Budget::default();
    let compiler = Compiler {
        release,
        gates,
        budget: &budget,
    };
    let mut selectors = Vec::with_capacity(texts.len());
    for text in texts {
        let Some(selector) = compiler.compile(text) else {
            return false;
        };
        selectors.push(selector);
    }
    !driver_names::of_nobody(texts)
        .iter()
        .any(|driver| select_all(&selectors, driver))
}

/// Returns true if every expression is true for a device of a driver without attributes.
fn select_all(selectors: &[Selector<'_>], driver: &str) -> bool {
    selectors.iter().all(|selector| {
        let device = selector.device(driver, &[]);
        selector.truth(&device) == 2
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str, list: &NameList) -> SelectedDrivers {
        drivers(text, list, Release::latest(), None, &Budget::default())
    }

    #[test]
    fn every_way_to_write_a_driver_is_seen() {
        let allow = NameList::Allow(vec!["gpu.example.com".to_owned()]);
        for text in [
            r#"device.driver == "evil.example.com""#,
            r#"device.driver in ["gpu.example.com", "evil.example.com"]"#,
            r#"!(device.driver != "evil.example.com")"#,
            r#"device.driver in {"evil.example.com": true}"#,
            r#"["evil.example.com"].exists(d, d == device.driver)"#,
            r#"[device.driver] == ["evil.example.com"]"#,
            r#"dyn(device.driver) == "evil.example.com""#,
            r#"dyn(device).driver == "evil.example.com""#,
            r#"string(device.driver) == "evil.example.com""#,
            r#"cel.bind(d, device.driver, d == "evil.example.com")"#,
            r#"{"evil.example.com": true}[device.driver]"#,
            r#"device.driver <= "evil.example.com" && device.driver >= "evil.example.com""#,
            r#"device.driver.lowerAscii() == "evil.example.com""#,
            r#"device.driver.upperAscii() == "EVIL.EXAMPLE.COM""#,
            r#"device.driver == "evil" + ".example.com""#,
            r#"device.driver == ["evil", "example", "com"].join(".")"#,
            r#"device.driver == (true ? "evil.example.com" : "x")"#,
            r#"device.driver.startsWith("evil.")"#,
            r#"device.driver.endsWith(".example.com")"#,
            r#"device.driver.contains("evil")"#,
            r#"device.driver.matches("^evil\\.example\\.com$")"#,
            r#"device.driver.matches("evil[.]example[.].*")"#,
            r#"device.driver == "evil.example.com" && device.attributes["a"].b == 1"#,
            r#"device.driver == "evil.example.com" && has(device.attributes["a"].b)"#,
            r#"device.driver == "evil.example.com" || device.attributes["a"].b.includes(1)"#,
            r#"device.attributes["a"].b ? device.driver == "evil.example.com" : false"#,
            r#"device.attributes["a"].b == 7 ? device.driver == "evil.example.com" : device.driver == "evil.example.com""#,
            r#"device.driver.split(".")[0] == "evil""#,
            r#"device.driver.replace("evil", "") == ".example.com""#,
            r#"device.attributes["a"].b == "x" ? device.driver == "evil.example.com" : false"#,
            r#"(device.attributes["a"].b == "x" ? "evil.example.com" : "gpu.example.com") == device.driver"#,
            r#"device.attributes["a"].?b.orValue(0) == 7 && device.driver == "evil.example.com""#,
            r#"has(device.attributes["a"].b) ? device.driver == "evil.example.com" : false"#,
            r#"{"x": "evil.example.com", "y": "a.example.com"}[device.attributes["a"].b] == device.driver"#,
            r#"["evil.example.com", "a.example.com"][device.attributes["a"].b] == device.driver"#,
            r#"device.attributes["a"].b.exists(x, x == "y" && device.driver == "evil.example.com")"#,
            r#"device.driver.matches("^(gpu|evil)\\.example\\.com$")"#,
            r#"device.driver.matches("^[ge]vil\\.example\\.com$")"#,
            r#"device.driver.matches("^.{4}\\.example\\.com$")"#,
            r#"device.driver.find("(gpu|evil).*") != """#,
            r#"device.driver > "evil.e" && device.driver < "evil.f""#,
            r#"device.driver + "!" == "evil.example.com!""#,
            r#""a" + device.driver == "aevil.example.com""#,
            r#"device.driver.split(".") == ["evil", "example", "com"]"#,
            r#"device.driver.split(".").size() == 3 && device.driver.split(".")[0] == "evil" && device.driver.split(".")[2] == "com""#,
            r#"device.driver.replace(".", "-") == "evil-example-com""#,
            r#"device.driver.substring(1) == "vil.example.com""#,
            r#"device.driver.indexOf(".example.com") == 4"#,
            r#"device.driver.size() == 16"#,
            r#"device.attributes["a"].?b.orValue(0) == 7 && device.attributes["a"].?c.orValue(0) == 7 && !(device.attributes["a"].?d.orValue(0) == 7) && !(device.attributes["a"].?e.orValue(0) == 7) && device.driver == "evil.example.com""#,
        ] {
            assert_ne!(
                refused(text, &allow),
                SelectedDrivers::Refused(Vec::new()),
                "{text}"
            );
        }
    }

    #[test]
    fn what_selects_no_other_driver_is_accepted() {
        let allow = NameList::Allow(vec!["gpu.example.com".to_owned(), "*.corp.io".to_owned()]);
        let deny = NameList::Deny(vec!["evil.example.com".to_owned()]);
        for text in [
            "true",
            r#"device.driver == "gpu.example.com""#,
            r#"device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "a100""#,
            r#"device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model.startsWith("a100")"#,
            r#"device.attributes["gpu.example.com"].model in ["a100", "h100"]"#,
            r#"device.driver.endsWith(".corp.io")"#,
            r#"device.driver != "evil.example.com""#,
            r#"!(device.driver in ["evil.example.com"])"#,
            r#"device.attributes["gpu.example.com"].?model.orValue("") == "a100" && device.driver == "gpu.example.com""#,
            r#"has(device.attributes["gpu.example.com"].model) ? device.driver == "gpu.example.com" : false"#,
            r#"device.attributes["gpu.example.com"].driverVersion.isGreaterThan(semver("1.2.3"))"#,
            r#"device.driver.matches("^gpu\\.example\\.com$")"#,
            r#"device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].index < 7 && device.attributes["gpu.example.com"].?a.orValue(1) == 2 && device.attributes["gpu.example.com"].?b.orValue(1) == 2 && device.attributes["gpu.example.com"].?c.orValue(1) == 2 && device.attributes["gpu.example.com"].?d.orValue(1) == 2"#,
            r#"device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0"#,
        ] {
            assert_eq!(
                refused(text, &allow),
                SelectedDrivers::Refused(Vec::new()),
                "{text}"
            );
        }
        for text in [
            r#"device.driver == "gpu.example.com""#,
            r#"device.driver != "evil.example.com""#,
            r#"device.driver.startsWith("gpu.")"#,
        ] {
            assert_eq!(
                refused(text, &deny),
                SelectedDrivers::Refused(Vec::new()),
                "{text}"
            );
        }
        for text in [
            r#"device.driver.startsWith("ev")"#,
            r#"device.driver.size() == 16 && device.driver < "f""#,
            r#"device.driver.split(".")[0] + "!" == "evil!""#,
        ] {
            assert_eq!(
                refused(text, &deny),
                SelectedDrivers::Refused(vec!["evil.example.com".to_owned()]),
                "{text}"
            );
        }
        let many: Vec<String> = (0..6)
            .map(|number| {
                format!(
                    "device.attributes[\"a\"].?b{number}.orValue(1) == 2 && device.driver != \"a\" || "
                )
            })
            .collect();
        assert_eq!(
            refused(&format!("{}false", many.concat()), &deny),
            SelectedDrivers::TooMany
        );
        assert_eq!(
            refused("device.driver ==", &deny),
            SelectedDrivers::Unreadable
        );
        assert_eq!(
            refused("device.driver.soon(1)", &deny),
            SelectedDrivers::Unreadable
        );
    }

    #[test]
    fn what_hides_a_driver_is_refused() {
        let allow = NameList::Allow(vec!["gpu.example.com".to_owned()]);
        for text in [
            // A driver that nobody has, beside one that somebody may have.
            r#"device.driver in ["nobody.invalid", "evil.example.com"]"#,
            r#"device.driver.endsWith(".invalid") || device.driver == "evil.example.com""#,
            // The field without its name.
            r#"[device, 1][0]["dri" + "ver"] == "evil.example.com""#,
            r#"{"a": device, "b": 1}["a"].exists(k, k.endsWith("er") && {"a": device, "b": 1}["a"][k] == "evil.example.com")"#,
            // Conditions whose values decide although they are no operands of `&&`, `||` and `?`.
            r#"[1].filter(t, device.attributes["a"].b == 7 && device.attributes["a"].c == "k").exists(t, device.driver == "evil.example.com")"#,
            r#"(device.driver == "evil.example.com") == (device.attributes["a"].b == 7 && device.attributes["a"].c == "k")"#,
            r#"[device.attributes["a"].b == 7 && device.attributes["a"].c == "k", device.driver == "evil.example.com"].all(x, x)"#,
            r#"cel.bind(d, device.driver, device.?attributes["a"].?b.orValue(0) == 7 && device.?attributes["a"].?c.orValue("") == "k" && d == "evil.example.com")"#,
            // Several parts of a name.
            r#"device.driver.charAt(0) == "e" && device.driver.charAt(1) == "v" && device.driver.charAt(2) == "i" && device.driver.charAt(3) == "l""#,
            r#"device.driver.startsWith("evil") && device.driver.endsWith(".com") && !(device.driver in ["a", "b", "c", "d", "e", "f", "g"])"#,
            r#"device.driver.split(".").size() == 3 && device.driver.split(".")[0].size() == 4"#,
            r#"device.driver.split(".")[1] == "example""#,
            r#"device.driver + device.driver == "evilevil""#,
            r#"device.driver.size() < 12"#,
            // Other forms of letters.
            r#"device.driver.matches("^\x65vil\.example\.com$")"#,
            r#"device.driver.matches("^\Qevil.example.com\E$")"#,
            r#"device.driver.matches("^[[:alpha:]]vil\.example\.com$")"#,
        ] {
            assert_ne!(
                refused(text, &allow),
                SelectedDrivers::Refused(Vec::new()),
                "{text}"
            );
        }
        let alternatives: Vec<String> = (0..60).map(|number| format!("g{number}")).collect();
        let text = format!(
            "device.driver.matches(\"^({}|evil)$\")",
            alternatives.join("|")
        );
        let allow = NameList::Allow(vec!["g*".to_owned()]);
        assert_eq!(refused(&text, &allow), SelectedDrivers::TooMany);
    }

    #[test]
    fn tests_of_accepted_names_are_accepted() {
        let allow = NameList::Allow(vec!["gpu.example.com".to_owned(), "*.corp.io".to_owned()]);
        let deny = NameList::Deny(vec!["evil.example.com".to_owned()]);
        for (text, list) in [
            (
                r#"device.driver.startsWith("a.") && device.driver.endsWith(".corp.io")"#,
                &allow,
            ),
            (
                r#"device.driver.endsWith(".corp.io") || device.driver == "gpu.example.com""#,
                &allow,
            ),
            (
                r#"cel.bind(d, device.driver, d == "gpu.example.com" && d.startsWith("gpu"))"#,
                &allow,
            ),
            (
                r#"device.attributes[device.driver].model == "a100""#,
                &allow,
            ),
            (
                r#"device.driver in device.attributes && device.attributes[device.driver].model == "a100""#,
                &allow,
            ),
            (
                r#"["gpu.example.com", "x.corp.io"].exists(d, d == device.driver)"#,
                &allow,
            ),
            (
                r#"device.driver.startsWith("gpu.") || device.driver.startsWith("tpu.")"#,
                &deny,
            ),
            (
                r#"device.driver.startsWith("gpu.") && device.driver.endsWith(".com")"#,
                &deny,
            ),
            (r#"!device.driver.startsWith("evil")"#, &deny),
            (r#"device.driver.size() < 12"#, &deny),
        ] {
            assert_eq!(
                refused(text, list),
                SelectedDrivers::Refused(Vec::new()),
                "{text}"
            );
        }
    }

    #[test]
    fn trying_has_a_budget() {
        let allow = NameList::Allow(vec!["gpu.example.com".to_owned()]);
        let budget = Budget::default();
        let text = r#"[1, 2, 3, 4].all(a, [1, 2, 3, 4].all(b, [1, 2, 3, 4].all(c, device.driver.startsWith("gpu.example.co"))))"#;
        let mut last = SelectedDrivers::Refused(Vec::new());
        for _ in 0..200 {
            last = drivers(text, &allow, Release::latest(), None, &budget);
        }
        assert_eq!(last, SelectedDrivers::TooMany);
    }

    #[test]
    fn a_selector_of_everything_leaves_nothing_out() {
        let leaves_out = |text: &str| leave_devices_out(&[text], Release::last_of(34), None);
        for text in [
            "true",
            r#"device.driver != """#,
            r#"device.driver != "zzz""#,
            r#"device.driver != "nobody.invalid""#,
            r#"!(device.driver == "gpu.example.com")"#,
            r#"!(device.driver in ["nobody.invalid", "nobody0.invalid"])"#,
            r#"size(device.driver) >= 0"#,
            r#"device.driver.size() > 1 && device.driver.size() < 64"#,
            r#"device.driver.startsWith("")"#,
            r#"device.driver.matches(".*")"#,
            r#"device.driver == "gpu.example.com" || true"#,
            r#"device.driver >= "a" || device.driver < "a""#,
            r#"!("model" in device.attributes["gpu.example.com"])"#,
            "device.driver ==",
        ] {
            assert!(!leaves_out(text), "{text}");
        }
        for text in [
            r#"device.driver == "gpu.example.com""#,
            r#"device.driver in ["gpu.example.com", "nic.example.com"]"#,
            r#"device.driver.startsWith("gpu.")"#,
            r#"device.attributes["gpu.example.com"].model == "a100""#,
            r#"device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model != "a100""#,
            "false",
        ] {
            assert!(leaves_out(text), "{text}");
        }
        assert!(leave_devices_out(
            &["true", r#"device.driver == "gpu.example.com""#],
            Release::last_of(34),
            None
        ));
    }
}
