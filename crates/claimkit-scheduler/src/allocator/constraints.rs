//! Constraints of a claim during a search, including state that upstream does not restore on backtracking.

use super::behaviour::{Behaviour, IncomparableValue};
use super::cluster::{Cluster, DeviceAt};
use super::engine;
use super::features::Feature;
use super::objects::{Attribute, Claim, Constraint, Device};
use super::sorted::{Set, Sorted};
use claimkit_model::cel::device::AttributeRef;
use claimkit_model::finding::named;
use std::borrow::Cow;
use std::rc::Rc;

/// A value, or the elements of a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scalar<'f> {
    String(Cow<'f, str>),
    Int(i64),
    Bool(bool),
    Version(Cow<'f, str>),
}

impl Scalar<'_> {
    /// Returns the name of the field with the constraint.
    pub fn kind(&self) -> &'static str {
        match self {
            Scalar::String(_) => "string",
            Scalar::Int(_) => "int",
            Scalar::Bool(_) => "bool",
            Scalar::Version(_) => "version",
        }
    }
}

impl Scalar<'_> {
    fn into_owned(self) -> Scalar<'static> {
        match self {
            Scalar::String(text) => Scalar::String(Cow::Owned(text.into_owned())),
            Scalar::Version(text) => Scalar::Version(Cow::Owned(text.into_owned())),
            Scalar::Int(number) => Scalar::Int(number),
            Scalar::Bool(value) => Scalar::Bool(value),
        }
    }
}

/// The value of an attribute, alone and as a set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributeValues {
    one: Option<Scalar<'static>>,
    set: Option<Set<Scalar<'static>>>,
}

impl AttributeValues {
    /// Returns the value of a device's attribute, or of an allocator that compares versions by their precedence.
    fn of(attribute: &Attribute, behaviour: &Behaviour) -> AttributeValues {
        match behaviour.incomparable {
            IncomparableValue::Refused => AttributeValues::from(attribute),
            _ => AttributeValues::from(claimkit_model::cel::DeviceAttribute::from(
                engine::attribute(attribute),
            ))
            .by_precedence(),
        }
    }

    /// Returns the value of an attribute that an expression computed.
    pub fn derived(
        attribute: claimkit_model::cel::DeviceAttribute,
        behaviour: &Behaviour,
    ) -> AttributeValues {
        use claimkit_model::cel::DeviceAttribute::Strings;
        if behaviour.incomparable == IncomparableValue::Refused {
            return AttributeValues::from(attribute);
        }
        // The only empty list that an expression can have is of texts.
        match attribute {
            Strings(texts) if texts.is_empty() => AttributeValues {
                one: None,
                set: Some(Set::default()),
            },
            other => AttributeValues::from(other).by_precedence(),
        }
    }

    /// Leaves build metadata out of versions. With one that cannot be read, nothing is known.
    fn by_precedence(self) -> AttributeValues {
        self.readable_by_precedence().unwrap_or_default()
    }

    /// Leaves build metadata out of versions; `None`: one of them cannot be read.
    fn readable_by_precedence(self) -> Option<AttributeValues> {
        let one = match self.one {
            Some(value) => Some(value_by_precedence(value)?),
            None => None,
        };
        let set = match self.set {
            Some(values) => {
                let mut readable = Set::default();
                for value in values.iter() {
                    readable.insert(value_by_precedence(value.clone())?);
                }
                Some(readable)
            }
            None => None,
        };
        Some(AttributeValues { one, set })
    }

    fn of_one(value: Scalar<'static>) -> AttributeValues {
        AttributeValues {
            set: Some(Set::from_iter([value.clone()])),
            one: Some(value),
        }
    }

    /// Makes the values of a list; an empty one has no type, so nothing is known.
    fn of_list<T>(values: Vec<T>, scalar: fn(T) -> Scalar<'static>) -> AttributeValues {
        if values.is_empty() {
            return AttributeValues::default();
        }
        AttributeValues {
            one: None,
            set: Some(values.into_iter().map(scalar).collect()),
        }
    }

    /// Returns the values that two lists share; `None`: none.
    fn in_common(&self, before: &AttributeValues) -> Option<Set<Scalar<'static>>> {
        let own = self.set.as_ref()?;
        let known = before.set.as_ref()?.iter();
        let both: Set<_> = known.filter(|value| own.contains(value)).cloned().collect();
        (!both.as_slice().is_empty()).then_some(both)
    }

    fn is_comparable(&self, lists: bool) -> bool {
        if lists {
            self.set.is_some()
        } else {
            self.one.is_some()
        }
    }
}

fn owned_string(text: String) -> Scalar<'static> {
    Scalar::String(Cow::Owned(text))
}

fn owned_version(text: String) -> Scalar<'static> {
    Scalar::Version(Cow::Owned(text))
}

/// Leaves build metadata out of a version; `None`: it cannot be read.
fn value_by_precedence(value: Scalar<'static>) -> Option<Scalar<'static>> {
    match &value {
        Scalar::Version(text) => without_build(text).map(Scalar::Version),
        _ => Some(value),
    }
}

/// Returns a version without its build metadata; `None` if it is none.
pub fn without_build(version: &str) -> Option<Cow<'static, str>> {
    claimkit_model::cel::library::semver::SemanticVersion::parse(version).ok()?;
    let precedence = version
        .split_once('+')
        .map_or(version, |(before, _)| before);
    Some(Cow::Owned(precedence.to_owned()))
}

impl From<&Attribute> for AttributeValues {
    fn from(attribute: &Attribute) -> AttributeValues {
        AttributeValues {
            one: scalar(attribute).map(Scalar::into_owned),
            set: set(attribute)
                .map(|values| values.iter().cloned().map(Scalar::into_owned).collect()),
        }
    }
}

impl From<claimkit_model::cel::DeviceAttribute> for AttributeValues {
    fn from(attribute: claimkit_model::cel::DeviceAttribute) -> AttributeValues {
        use claimkit_model::cel::DeviceAttribute as Computed;
        match attribute {
            Computed::Bool(value) => AttributeValues::of_one(Scalar::Bool(value)),
            Computed::Int(number) => AttributeValues::of_one(Scalar::Int(number)),
            Computed::String(text) => AttributeValues::of_one(owned_string(text)),
            Computed::Version(text) => AttributeValues::of_one(owned_version(text)),
            Computed::Bools(values) => AttributeValues::of_list(values, Scalar::Bool),
            Computed::Ints(numbers) => AttributeValues::of_list(numbers, Scalar::Int),
            Computed::Strings(texts) => AttributeValues::of_list(texts, owned_string),
            Computed::Versions(texts) => AttributeValues::of_list(texts, owned_version),
            Computed::Unsupported => AttributeValues::default(),
        }
    }
}

impl std::fmt::Display for Scalar<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scalar::String(text) | Scalar::Version(text) => f.write_str(text),
            Scalar::Int(number) => write!(f, "{number}"),
            Scalar::Bool(value) => write!(f, "{value}"),
        }
    }
}

/// Returns the value of an attribute that is not a list.
pub fn scalar(attribute: &Attribute) -> Option<Scalar<'_>> {
    let Attribute {
        string,
        int,
        bool,
        version,
        ..
    } = attribute;
    if let Some(text) = string {
        return Some(Scalar::String(Cow::Borrowed(text)));
    }
    if let Some(number) = int {
        return Some(Scalar::Int(*number));
    }
    if let Some(value) = bool {
        return Some(Scalar::Bool(*value));
    }
    let text = version.as_deref()?;
    Some(Scalar::Version(Cow::Borrowed(text)))
}

/// Returns the value of an attribute as constraints without lists compare it; `None` if they cannot.
pub fn comparable<'f>(attribute: &'f Attribute, behaviour: &Behaviour) -> Option<Scalar<'f>> {
    match (behaviour.incomparable, engine::attribute(attribute)) {
        (IncomparableValue::Refused, _) => scalar(attribute),
        (_, AttributeRef::Version(text)) => without_build(text).map(Scalar::Version),
        (_, AttributeRef::Int(number)) => Some(Scalar::Int(number)),
        (_, AttributeRef::Bool(value)) => Some(Scalar::Bool(value)),
        (_, AttributeRef::String(text)) => Some(Scalar::String(Cow::Borrowed(text))),
        _ => None,
    }
}

/// Returns the value as a set; elements of one set have one type.
pub fn set(attribute: &Attribute) -> Option<Set<Scalar<'_>>> {
    let Attribute {
        ints,
        bools,
        strings,
        versions,
        int,
        bool,
        string,
        version,
    } = attribute;
    let lists: [Vec<Scalar<'_>>; 4] = [
        ints.iter().copied().map(Scalar::Int).collect(),
        bools.iter().copied().map(Scalar::Bool).collect(),
        strings
            .iter()
            .map(|text| Scalar::String(Cow::Borrowed(text)))
            .collect(),
        versions
            .iter()
            .map(|text| Scalar::Version(Cow::Borrowed(text)))
            .collect(),
    ];
    if let Some(list) = lists.into_iter().find(|list| !list.is_empty()) {
        return Some(list.into_iter().collect());
    }
    let value = match (int, bool, string, version) {
        (Some(number), ..) => Scalar::Int(*number),
        (_, Some(value), ..) => Scalar::Bool(*value),
        (.., Some(text), _) => Scalar::String(Cow::Borrowed(text)),
        (.., Some(text)) => Scalar::Version(Cow::Borrowed(text)),
        _ => return None,
    };
    Some(Set::from_iter([value]))
}

/// Returns an attribute by the name that constraints use: in full, or without the domain if that is the driver's.
pub fn attribute<'f>(device: &'f Device, driver: &str, name: &str) -> Option<&'f Attribute> {
    device.attributes.get(name).or_else(|| {
        let (domain, rest) = name.split_once('/')?;
        device.attributes.get(rest).filter(|_| domain == driver)
    })
}

named! {
    /// The condition of a constraint.
    ConstraintKind {
        Match = "match",
        Distinct = "distinct",
    }
}

/// Returns the kind of a constraint; `None` if the allocator does not know it.
pub fn kind<'f>(
    constraint: &'f Constraint,
    behaviour: &Behaviour,
) -> Option<(ConstraintKind, &'f str)> {
    match (&constraint.match_attribute, &constraint.distinct_attribute) {
        (Some(name), _) => Some((ConstraintKind::Match, name)),
        (None, Some(name)) if behaviour.distinct => Some((ConstraintKind::Distinct, name)),
        _ => None,
    }
}

/// Returns true if a constraint is about a request or sub-request.
pub fn applies(constraint: &Constraint, request: &str, sub: Option<&str>) -> bool {
    let mut names = constraint.requests.iter();
    constraint.requests.is_empty() || names.any(|name| is_name_of(name, request, sub))
}

/// Returns true if a name means the request, or the sub-request as `REQUEST/SUB`.
fn is_name_of(name: &str, request: &str, sub: Option<&str>) -> bool {
    let Some(after) = name.strip_prefix(request) else {
        return false;
    };
    after.is_empty() || (sub.is_some() && after.strip_prefix('/') == sub)
}

/// A constraint with its state. The state is shared by all branches of a search.
#[derive(Clone, Debug)]
pub struct Tracked<'f> {
    constraint: &'f Constraint,
    kind: ConstraintKind,
    name: &'f str,
    devices: usize,
    /// Match: the value, or the values still possible.
    value: Option<Scalar<'f>>,
    values: Set<Scalar<'f>>,
    /// Distinct: one attribute per request.
    seen: Sorted<&'f str, &'f Attribute>,
    /// 1.37: the values of the devices, in order; for match with lists, what is still common after each.
    devices_values: Vec<Rc<AttributeValues>>,
}

/// A derived attribute by its name.
pub type DerivedOf<'d> = dyn Fn(&str) -> Option<Result<Rc<AttributeValues>, String>> + 'd;

/// Returns the constraints of a claim, or upstream's error.
pub fn track<'f>(claim: &'f Claim, behaviour: &Behaviour) -> Result<Vec<Tracked<'f>>, String> {
    let mut tracked = Vec::new();
    for (index, constraint) in claim.spec.devices.constraints.iter().enumerate() {
        let Some((kind, name)) = kind(constraint, behaviour) else {
            return Err(format!(
                "claim {}, constraint #{index}: empty constraint (unsupported constraint type?)",
                claim.metadata.full_name()
            ));
        };
        let (value, values, seen) = (None, Set::default(), Sorted::new());
        tracked.push(Tracked {
            constraint,
            kind,
            name,
            devices: 0,
            value,
            values,
            seen,
            devices_values: Vec::new(),
        });
    }
    Ok(tracked)
}

impl<'f> Tracked<'f> {
    /// Adds a device if the constraint allows it.
    ///
    /// # Errors
    /// Upstream's error about a derived attribute.
    pub fn add(
        &mut self,
        cluster: &Cluster<'f>,
        request: &'f str,
        sub: Option<&str>,
        at: DeviceAt,
        derived: &DerivedOf<'_>,
    ) -> Result<bool, String> {
        if !applies(self.constraint, request, sub) {
            return Ok(true);
        }
        let Some((slice, device)) = cluster.device(at) else {
            return Ok(false);
        };
        let driver = slice.spec.driver.as_str();
        if cluster.behaviour.constraints_restored {
            return self.add_restored(cluster, at, device, driver, derived);
        }
        let Some(attribute) = attribute(device, driver, self.name) else {
            return Ok(false);
        };
        let lists = cluster.has(Feature::ListTypeAttributes);
        let fits = match self.kind {
            ConstraintKind::Match if lists => self.meets(attribute),
            ConstraintKind::Match => self.equals(attribute),
            ConstraintKind::Distinct => self.differs(cluster.behaviour, attribute, lists),
        };
        if fits {
            if self.kind == ConstraintKind::Distinct {
                self.seen.insert(request, attribute);
            }
            self.devices = self.devices.saturating_add(1);
        }
        Ok(fits)
    }

    fn add_restored(
        &mut self,
        cluster: &Cluster<'f>,
        at: DeviceAt,
        device: &Device,
        driver: &str,
        derived: &DerivedOf<'_>,
    ) -> Result<bool, String> {
        let (name, behaviour) = (self.name, cluster.behaviour);
        let lists = cluster.has(Feature::ListTypeAttributes);
        let checks = behaviour.incomparable != IncomparableValue::Refused;
        // A name without a domain is no attribute's, not even a derived one's.
        if checks && !name.contains('/') {
            return Ok(false);
        }
        let values = match derived(name) {
            Some(computed) => Some(computed?),
            None => attribute(device, driver, name)
                .map(|found| Rc::new(AttributeValues::of(found, behaviour))),
        };
        let Some(values) = values else {
            return Ok(false);
        };
        if checks && !values.is_comparable(lists) {
            let device = cluster.device_name(at);
            return Err(format!(
                "device {device}: unsupported attribute value for {name}"
            ));
        }
        Ok(self.add_values(values, lists))
    }

    /// Adds the values of a device as 1.37 does: those of each device are remembered.
    fn add_values(&mut self, values: Rc<AttributeValues>, lists: bool) -> bool {
        let added = match (self.kind, self.devices_values.last()) {
            (ConstraintKind::Match, None) => (!lists || values.set.is_some()).then_some(values),
            (ConstraintKind::Match, Some(before)) if lists => values.in_common(before).map(|set| {
                Rc::new(AttributeValues {
                    one: None,
                    set: Some(set),
                })
            }),
            (ConstraintKind::Match, Some(before)) => {
                (values.one.is_some() && values.one == before.one).then_some(values)
            }
            (ConstraintKind::Distinct, _) => {
                let mut known = self.devices_values.iter();
                let differs = if lists {
                    values.set.is_some() && known.all(|before| values.in_common(before).is_none())
                } else {
                    known.all(|before| values.one.is_some() && values.one != before.one)
                };
                differs.then_some(values)
            }
        };
        let fits = added.is_some();
        self.devices_values.extend(added);
        fits
    }

    fn equals(&mut self, attribute: &'f Attribute) -> bool {
        let value = scalar(attribute);
        if self.devices == 0 {
            self.value = value;
            return true;
        }
        value.is_some() && value == self.value
    }

    /// Intersects the common values. Upstream does not widen the set again when a device is removed.
    fn meets(&mut self, attribute: &'f Attribute) -> bool {
        let Some(values) = set(attribute) else {
            return false;
        };
        if self.devices == 0 {
            self.values = values;
            return true;
        }
        let common: Set<_> = self
            .values
            .iter()
            .filter(|value| values.contains(value))
            .cloned()
            .collect();
        if common.is_empty() {
            return false;
        }
        self.values = common;
        true
    }

    fn differs(&self, behaviour: &Behaviour, attribute: &'f Attribute, lists: bool) -> bool {
        if self.devices == 0 {
            return true;
        }
        if lists {
            let Some(values) = set(attribute) else {
                return false;
            };
            return self.seen.values().all(|seen| {
                set(seen).is_none_or(|seen| !seen.iter().any(|value| values.contains(value)))
            });
        }
        let value = scalar(attribute);
        self.seen.values().all(|seen| match &value {
            None => false,
            Some(_) if behaviour.distinct_by_address => !std::ptr::eq(*seen, attribute),
            Some(Scalar::String(text)) => seen.string.as_deref() != Some(&**text),
            Some(Scalar::Int(number)) => seen.int != Some(*number),
            Some(Scalar::Bool(value)) => seen.bool != Some(*value),
            Some(Scalar::Version(text)) => seen.version.as_deref() != Some(&**text),
        })
    }

    /// Removes a device again.
    pub fn remove(&mut self, request: &str, sub: Option<&str>) {
        if applies(self.constraint, request, sub) {
            self.devices_values.pop();
            self.seen.remove(request);
            self.devices = self.devices.saturating_sub(1);
        }
    }
}
