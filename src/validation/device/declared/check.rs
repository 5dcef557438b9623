//! Runs the generated rules over an object.

use super::formats::{self, Fault, Format};
use super::plan::{self, Plan, Planned};
use super::table::{Declared, Dependent, Rule, RuleStage, Union};
use crate::validation::context::Context;
use crate::validation::errors::{Bad, Errors};
use crate::validation::immutable;
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::ObjectMeta;
use claimkit_model::object::{FieldValue, Record, encode};
use claimkit_model::schema::{Field, FieldType, Release};
use claimkit_values::order;
use claimkit_values::quantity::{self, Measure};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// One, in units of 10⁻⁹.
const NANOS: i128 = 1_000_000_000;

/// The generated rules at work on one object.
pub struct DeclaredCheck<'c> {
    context: &'c Context,
    beta: bool,
    errors: &'c mut Errors,
}

impl<'c> DeclaredCheck<'c> {
    /// Makes a check by the rules of a context.
    pub fn new(context: &'c Context, errors: &'c mut Errors) -> Self {
        DeclaredCheck {
            context,
            beta: super::beta(context),
            errors,
        }
    }

    /// Judges an object; `old` is the stored one of an update.
    pub fn object(&mut self, new: &Record<'_>, old: Option<&Record<'_>>) {
        let plan = plan::of(new.schema, self.release());
        self.structure(&plan, new, old, &Path::ROOT);
    }

    fn release(&self) -> Release {
        self.context.release
    }

    fn enforces(&self, stage: RuleStage) -> bool {
        stage == RuleStage::Stable || self.beta
    }

    /// Judges a struct: its union, then its fields in the order of the type. Recursion is bounded by the depth of the tables.
    fn structure(
        &mut self,
        plan: &Plan,
        new: &Record<'_>,
        old: Option<&Record<'_>>,
        path: &Path<'_>,
    ) {
        let (before, after) = plan.dependents.split_at(plan.dependents.len().min(1));
        self.dependents(before, new, old, path);
        if let Some(union) = plan.union.filter(|union| self.enforces(union.stage)) {
            self.union(union, new, old, path);
        }
        self.dependents(after, new, old, path);
        for planned in &plan.fields {
            let value = new.slots.get(planned.at).unwrap_or(&FieldValue::Unset);
            let stored = old.map(|old| old.slots.get(planned.at).unwrap_or(&FieldValue::Unset));
            self.field(planned, value, stored, &path.field(planned.field.json));
        }
    }

    /// Judges the fields that others of the struct demand.
    fn dependents(
        &mut self,
        dependents: &[&Dependent],
        new: &Record<'_>,
        old: Option<&Record<'_>>,
        path: &Path<'_>,
    ) {
        for row in dependents {
            let fields = [row.trigger, row.dependent];
            let is_set = fields.map(|field| new.has(field));
            let unchanged = old.is_some_and(|old| fields.map(|field| old.has(field)) == is_set);
            if self.enforces(row.stage) && !unchanged && is_set == [true, false] {
                let detail = format!("must be set when {} is set", row.trigger);
                self.errors
                    .required(row.code, &path.field(row.dependent), &detail);
            }
        }
    }

    fn union(
        &mut self,
        union: &Union,
        new: &Record<'_>,
        old: Option<&Record<'_>>,
        path: &Path<'_>,
    ) {
        let chosen = chosen_members(union, new);
        if old.is_some_and(|old| chosen_members(union, old) == chosen) {
            return;
        }
        let known: Vec<String> = union
            .members
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        let known = known.join(", ");
        match chosen.as_slice() {
            [] => self.errors.invalid(
                union.code,
                path,
                Bad::Str(""),
                &format!("must specify one of: {known}"),
            ),
            [_] => {}
            several => {
                let value = format!("{{{}}}", several.join(", "));
                self.errors.invalid(
                    union.code,
                    path,
                    Bad::Str(&value),
                    &format!("must specify exactly one of: {known}"),
                );
            }
        }
    }

    fn field(
        &mut self,
        planned: &Planned,
        new: &FieldValue<'_>,
        old: Option<&FieldValue<'_>>,
        path: &Path<'_>,
    ) {
        if old.is_some_and(|old| immutable::same_value(planned.ty, new, old)) {
            return;
        }
        let enforced = planned
            .declared
            .filter(|declared| self.enforces(declared.stage));
        if enforced.is_none_or(|declared| self.rules(declared, planned, new, old, path))
            && let Some(plan) = planned.inside()
        {
            self.inside(plan, planned, new, old, path);
        }
    }

    /// Judges the rules of a field. Returns false if its items are not judged.
    fn rules(
        &mut self,
        declared: &Declared,
        planned: &Planned,
        new: &FieldValue<'_>,
        old: Option<&FieldValue<'_>>,
        path: &Path<'_>,
    ) -> bool {
        let Planned { field, ty, .. } = *planned;
        let code = declared.code;
        let zero = is_zero(ty, new);
        for rule in declared.rules {
            let rule = match *rule {
                Rule::InBeta(_) if !self.beta => continue,
                Rule::InBeta(rule) => *rule,
                rule => rule,
            };
            match rule {
                Rule::Required if zero => {
                    self.errors.required(code, path, "");
                    return false;
                }
                Rule::Gated(gate) if !self.context.gates.on(gate) => {
                    if !zero {
                        self.errors.forbidden(code, path, "");
                    }
                    return false;
                }
                Rule::Immutable if old.is_some() => {
                    self.errors
                        .invalid(code, path, Bad::Null, immutable::MESSAGE);
                    return false;
                }
                Rule::NoModify => {
                    if !zero && old.is_some_and(|old| !is_zero(ty, old)) {
                        self.errors.invalid(
                            code,
                            path,
                            Bad::Null,
                            "field cannot be modified once set",
                        );
                        return false;
                    }
                }
                _ if zero => {}
                Rule::MaxItems(max) => {
                    let count = items(new).len();
                    if count > max {
                        self.errors.too_many(Code::ListTooLong, path, count, max);
                        return false;
                    }
                }
                Rule::MaxEntries(max) => {
                    let count = entries(new).len();
                    if count > max {
                        self.errors.too_many(Code::ListTooLong, path, count, max);
                        return false;
                    }
                }
                Rule::EachAmount(least) => self.amounts(declared, least, new, old, path),
                _ => self.value(declared, rule, field, new, path),
            }
        }
        true
    }

    /// Reports the quantities of a map that are less than a whole number; those that did not change pass.
    fn amounts(
        &mut self,
        declared: &Declared,
        least: i64,
        new: &FieldValue<'_>,
        old: Option<&FieldValue<'_>>,
        path: &Path<'_>,
    ) {
        let stored = old.map_or(&[][..], entries);
        for (key, amount) in entries(new) {
            let text = amount.as_str();
            let unchanged = stored
                .iter()
                .any(|(name, value)| name == key && quantity::same_amount(value.as_str(), text));
            let low = Measure::of(text).nanos() < i128::from(least).saturating_mul(NANOS);
            if low && !unchanged {
                self.errors.invalid(
                    declared.code,
                    &path.key(key),
                    Bad::Str(text),
                    &format!("must be greater than or equal to {least}"),
                );
            }
        }
    }

    /// Judges a rule that only needs the value.
    fn value(
        &mut self,
        declared: &Declared,
        rule: Rule,
        field: &'static Field,
        new: &FieldValue<'_>,
        path: &Path<'_>,
    ) {
        let code = declared.code;
        match rule {
            Rule::MaxBytes(max) if new.as_str().len() > max => {
                self.errors.too_long_bytes(code, path, max)
            }
            Rule::MaxLength(max) if new.as_str().chars().count() > max => {
                self.errors.too_long_characters(code, path, max)
            }
            Rule::Minimum(least) => {
                if let FieldValue::Int(number) = *new
                    && number < least
                {
                    self.errors.invalid(
                        code,
                        path,
                        Bad::Int(number),
                        &format!("must be greater than or equal to {least}"),
                    );
                }
            }
            Rule::Maximum(most) => {
                if let FieldValue::Int(number) = *new
                    && number > most
                {
                    self.errors.invalid(
                        code,
                        path,
                        Bad::Int(number),
                        &format!("must be less than or equal to {most}"),
                    );
                }
            }
            Rule::Format(format) => self.format(declared, format, new.as_str(), path),
            Rule::Name(format) => {
                let name = ObjectMeta::of(new.as_record()).name();
                if !name.is_empty() {
                    self.format(declared, format, name, &path.field("name"));
                }
            }
            Rule::Enum => {
                let mut allowed = field.allowed(self.release());
                order::sort(&mut allowed);
                if !allowed.contains(&new.as_str()) {
                    self.errors
                        .not_supported(code, path, new.as_str(), &allowed);
                }
            }
            Rule::UniqueSet => self.unique(items(new), &[], path),
            Rule::UniqueMap(keys) => self.unique(items(new), keys, path),
            Rule::EachMaxBytes(max) => {
                for (at, _) in items(new)
                    .iter()
                    .enumerate()
                    .filter(|(_, item)| item.as_str().len() > max)
                {
                    self.errors.too_long_bytes(code, &path.index(at), max);
                }
            }
            Rule::EachValue(format) => {
                for (at, item) in items(new).iter().enumerate() {
                    self.format(declared, format, item.as_str(), &path.index(at));
                }
            }
            Rule::EachEnum(allowed) => {
                for (at, item) in items(new)
                    .iter()
                    .enumerate()
                    .filter(|(_, item)| !allowed.contains(&item.as_str()))
                {
                    self.errors
                        .not_supported(code, &path.index(at), item.as_str(), allowed);
                }
            }
            Rule::EachKey(format) => {
                if let FieldValue::Entries(entries) = new {
                    for (key, _) in entries {
                        self.format(declared, format, key, path);
                    }
                }
            }
            _ => {}
        }
    }

    fn format(&mut self, declared: &Declared, format: Format, value: &str, path: &Path<'_>) {
        for fault in formats::faults(format, value, self.release()) {
            match fault {
                Fault::Whole(message) => {
                    self.errors
                        .invalid(declared.code, path, Bad::Str(value), &message)
                }
                Fault::Part(part, message) => {
                    self.errors
                        .invalid(declared.code, path, Bad::Str(&part), &message)
                }
                Fault::TooLong(max) => self.errors.too_long_bytes(declared.code, path, max),
            }
        }
    }

    /// Reports items that occur before; `keys`: the fields that identify them, or none for texts.
    fn unique(&mut self, items: &[FieldValue<'_>], keys: &[&str], path: &Path<'_>) {
        let mut seen: BTreeSet<Vec<&str>> = BTreeSet::new();
        for (at, item) in items.iter().enumerate() {
            if seen.insert(identity(item, keys)) {
                continue;
            }
            let shown = match item.as_record() {
                Some(record) => {
                    let mut text = String::new();
                    encode(record, self.release(), &mut text);
                    // Values in messages are written by Go's `json.Marshal`, which escapes for HTML.
                    let mut escaped = String::with_capacity(text.len());
                    text.chars()
                        .for_each(|c| claimkit_values::json_escape(&mut escaped, c));
                    Bad::Syntax(escaped)
                }
                None => Bad::Str(item.as_str()),
            };
            self.errors
                .duplicate(Code::DuplicateItem, &path.index(at), shown);
        }
    }

    /// Judges what a value holds.
    fn inside(
        &mut self,
        plan: &Plan,
        planned: &Planned,
        new: &FieldValue<'_>,
        old: Option<&FieldValue<'_>>,
        path: &Path<'_>,
    ) {
        match (planned.ty, new) {
            (_, FieldValue::Struct(record)) => {
                self.structure(plan, record, old.and_then(FieldValue::as_record), path)
            }
            (FieldType::Struct(schema), FieldValue::Unset) => {
                self.structure(
                    plan,
                    &Record::empty(schema),
                    old.and_then(FieldValue::as_record),
                    path,
                );
            }
            (_, FieldValue::List(list)) => {
                for (at, item) in list.iter().enumerate() {
                    let Some(record) = item.as_record() else {
                        continue;
                    };
                    let stored = planned.keys.and_then(|keys| {
                        let same =
                            |old: &&FieldValue<'_>| identity(old, keys) == identity(item, keys);
                        old.map_or(&[][..], items).iter().find(same)?.as_record()
                    });
                    if !stored.is_some_and(|stored| immutable::same_record(record, stored)) {
                        self.structure(plan, record, stored, &path.index(at));
                    }
                }
            }
            (_, FieldValue::Entries(entries)) => {
                for (key, entry) in entries {
                    let Some(record) = entry.as_record() else {
                        continue;
                    };
                    let stored = match old {
                        Some(FieldValue::Entries(old)) => old
                            .iter()
                            .find(|(name, _)| name == key)
                            .and_then(|(_, value)| value.as_record()),
                        _ => None,
                    };
                    if !stored.is_some_and(|stored| immutable::same_record(record, stored)) {
                        self.structure(plan, record, stored, &path.key(key));
                    }
                }
            }
            _ => {}
        }
    }
}

fn items<'r, 't>(value: &'r FieldValue<'t>) -> &'r [FieldValue<'t>] {
    match value {
        FieldValue::List(items) => items,
        _ => &[],
    }
}

fn entries<'r, 't>(value: &'r FieldValue<'t>) -> &'r [(Cow<'t, str>, FieldValue<'t>)] {
    match value {
        FieldValue::Entries(entries) => entries,
        _ => &[],
    }
}

fn is_empty_list(value: &FieldValue<'_>) -> bool {
    matches!(value, FieldValue::List(items) if items.is_empty())
}

/// Returns the identity of an item.
fn identity<'r>(item: &'r FieldValue<'_>, keys: &[&str]) -> Vec<&'r str> {
    match item.as_record() {
        Some(record) => keys.iter().map(|key| record.str(key)).collect(),
        None => vec![item.as_str()],
    }
}

/// Returns true for Go's zero value, for a nil pointer, and for a list or map without entries.
fn is_zero(ty: &FieldType, value: &FieldValue<'_>) -> bool {
    match (ty, value) {
        (_, FieldValue::Unset) => true,
        (FieldType::Pointer(_), _) => false,
        (_, FieldValue::List(items)) => items.is_empty(),
        (_, FieldValue::Entries(entries)) => entries.is_empty(),
        (_, FieldValue::Int(number)) => *number == 0,
        (FieldType::Time, FieldValue::Time(time)) => time.is_zero(),
        (FieldType::String | FieldType::Named(..) | FieldType::Uid, value) => {
            value.as_str().is_empty()
        }
        _ => false,
    }
}

/// Returns the members of a union that a record sets.
fn chosen_members(union: &Union, record: &Record<'_>) -> Vec<&'static str> {
    let mut members = union.members.to_vec();
    members.retain(|name| {
        record.schema.slot(name).is_some() && !is_empty_list(record.get(name)) && record.has(name)
    });
    members
}
