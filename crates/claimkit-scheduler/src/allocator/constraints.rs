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
        let read = |value: Scalar<'static>| match &value {
            Scalar::Version(text) => without_build(text).map(Scalar::Version),
            _ => Some(value),
        };
        let AttributeValues { one, set } = self;
        let one = one.map(read);
        let set = set.map(|set| set.iter().cloned().map(read).collect::<Option<Set<_>>>());
        match (one, set) {
            (Some(None), _) | (_, Some(None)) => AttributeValues::default(),
            (one, set) => AttributeValues {
                one: one.flatten(),
                set: set.flatten(),
            },
        }
    }

    fn is_comparable(&self, lists: bool) -> bool {
        if lists {
            self.set.is_some()
        } else {
            self.one.is_some()
        }
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
        let owned = |set: Set<Scalar<'_>>| set.iter().cloned().map(Scalar::into_owned).collect();
        AttributeValues {
            one: scalar(attribute).map(Scalar::into_owned),
            set: set(attribute).map(owned),
        }
    }
}

impl From<claimkit_model::cel::DeviceAttribute> for AttributeValues {
    fn from(attribute: claimkit_model::cel::DeviceAttribute) -> AttributeValues {
        use claimkit_model::cel::DeviceAttribute as Computed;
        let text = |text: String| Scalar::String(Cow::Owned(text));
        let version = |text: String| Scalar::Version(Cow::Owned(text));
        let one = |one: Scalar<'static>| AttributeValues {
            set: Some(Set::from_iter([one.clone()])),
            one: Some(one),
        };
        let many = |many: Set<Scalar<'static>>| AttributeValues {
            one: None,
            set: (many.iter().next().is_some()).then_some(many),
        };
        match attribute {
            Computed::Bool(value) => one(Scalar::Bool(value)),
            Computed::Int(number) => one(Scalar::Int(number)),
            Computed::String(value) => one(text(value)),
            Computed::Version(value) => one(version(value)),
            Computed::Bools(values) => many(values.into_iter().map(Scalar::Bool).collect()),
            Computed::Ints(values) => many(values.into_iter().map(Scalar::Int).collect()),
            Computed::Strings(values) => many(values.into_iter().map(text).collect()),
            Computed::Versions(values) => many(values.into_iter().map(version).collect()),
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
    let version = || {
        version
            .as_deref()
            .map(|text| Scalar::Version(Cow::Borrowed(text)))
    };
    int.map(Scalar::Int)
        .or_else(|| bool.map(Scalar::Bool))
        .or_else(version)
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
    let one = int.map(Scalar::Int).or_else(|| bool.map(Scalar::Bool));
    let one = one.or_else(|| {
        string
            .as_deref()
            .map(|text| Scalar::String(Cow::Borrowed(text)))
    });
    let one = one.or_else(|| {
        version
            .as_deref()
            .map(|text| Scalar::Version(Cow::Borrowed(text)))
    });
    one.map(|one| Set::from_iter([one]))
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
    let named = |name: &String| {
        name == request
            || sub.is_some_and(|sub| {
                name.strip_prefix(request)
                    .and_then(|rest| rest.strip_prefix('/'))
                    == Some(sub)
            })
    };
    constraint.requests.is_empty() || constraint.requests.iter().any(named)
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
            let claim = claim.metadata.full_name();
            return Err(format!(
                "claim {claim}, constraint #{index}: empty constraint (unsupported constraint type?)"
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
        let common = |before: &AttributeValues| {
            let (Some(before), Some(set)) = (&before.set, &values.set) else {
                return None;
            };
            let both: Set<_> = before
                .iter()
                .filter(|value| set.contains(value))
                .cloned()
                .collect();
            both.iter().next().is_some().then_some(both)
        };
        let added = match (self.kind, self.devices_values.last()) {
            (ConstraintKind::Match, None) => (!lists || values.set.is_some()).then_some(values),
            (ConstraintKind::Match, Some(before)) if lists => common(before).map(|set| {
                Rc::new(AttributeValues {
                    one: None,
                    set: Some(set),
                })
            }),
            (ConstraintKind::Match, Some(before)) => {
                (values.one.is_some() && values.one == before.one).then_some(values)
            }
            (ConstraintKind::Distinct, _) => {
                let known = &self.devices_values;
                let differs = match lists {
                    true => {
                        values.set.is_some() && known.iter().all(|before| common(before).is_none())
                    }
                    false => known
                        .iter()
                        .all(|before| values.one.is_some() && values.one != before.one),
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
