//! Objects of texts that others refer to: classes by name, parameters by group, kind, namespace and name.

use super::profile::{self, DriverProfile, KindRow, Means};
use crate::convert::job;
use crate::manifest::{Input, Item};
use claimkit_model::schema::{Family, GROUP};
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use std::collections::BTreeMap;
use std::ops::Range;

/// The objects of all texts, by kind and name. An index counts the objects of all texts.
pub struct NamedObjects<'t> {
    objects: Vec<(&'t Input<'t>, &'t Item)>,
    by_name: BTreeMap<String, usize>,
}

/// The named objects, as one of the texts sees them, which may have been read again since.
#[derive(Clone, Copy)]
pub struct Inventory<'n, 't> {
    named: &'n NamedObjects<'t>,
    own: OwnText<'t>,
}

/// The text of which a question is.
#[derive(Clone, Copy)]
pub struct OwnText<'t> {
    pub input: &'t Input<'t>,
    /// The index of its first object.
    pub first: usize,
}

impl OwnText<'_> {
    /// Returns the indices of its objects.
    pub fn objects(&self) -> Range<usize> {
        self.first..self.first.saturating_add(self.input.items.len())
    }
}

/// A reference to parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParametersReference {
    /// The API group, without a version.
    pub group: String,
    pub kind: String,
    pub name: String,
    /// The namespace; empty stands for `default`.
    pub namespace: String,
}

impl ParametersReference {
    /// Reads `parametersRef` or `generatedFrom`.
    pub fn read(tree: &Tree<'_>, node: NodeId, namespace: &str) -> Self {
        let [own, group, kind, name] = ["namespace", "apiGroup", "kind", "name"].map(|key| {
            let value = tree.get(node, key);
            value.and_then(|value| tree.str(value)).unwrap_or("")
        });
        ParametersReference {
            // Manifests write the version there too.
            group: group.split('/').next().unwrap_or("").to_owned(),
            kind: kind.to_owned(),
            name: name.to_owned(),
            namespace: if own.is_empty() { namespace } else { own }.to_owned(),
        }
    }

    fn key(&self, prefix: &str) -> String {
        let namespace = if self.namespace.is_empty() {
            "default"
        } else {
            &self.namespace
        };
        format!(
            "{prefix}{}/{}/{namespace}/{}",
            self.group, self.kind, self.name
        )
    }
}

/// The properties of a class that a claim needs.
#[derive(Clone, Debug, Default)]
pub struct ClassNeeds {
    /// The name of the class in the device family.
    pub name: String,
    /// The name of the driver in the device family, if it is known.
    pub driver: Option<String>,
    /// The profile of the driver, if it is known.
    pub profile: Option<&'static DriverProfile>,
    /// Claims of the class watch all devices without taking them.
    pub monitor: bool,
}

impl<'t> NamedObjects<'t> {
    /// Collects the objects of texts.
    pub fn of(inputs: impl IntoIterator<Item = &'t Input<'t>>) -> Self {
        let objects: Vec<_> = inputs
            .into_iter()
            .flat_map(|input| input.items.iter().map(move |item| (input, item)))
            .collect();
        let mut by_name = BTreeMap::new();
        for (index, (input, item)) in objects.iter().enumerate() {
            let group = item
                .api_version
                .split_once('/')
                .map_or("", |(group, _)| group);
            let mut reference = ParametersReference {
                group: group.to_owned(),
                kind: item.kind.clone(),
                name: item.name.clone(),
                namespace: item.namespace.clone(),
            };
            by_name.entry(reference.key("")).or_insert(index);
            let tree = input
                .tree(item)
                .filter(|_| is_classic(item) && item.kind.ends_with("Parameters"));
            if let Some((tree, from)) =
                tree.and_then(|tree| Some((tree, tree.get(item.node, "generatedFrom")?)))
            {
                let kind = std::mem::replace(
                    &mut reference,
                    ParametersReference::read(tree, from, &item.namespace),
                )
                .kind;
                by_name
                    .entry(reference.key(&format!("{kind}:")))
                    .or_insert(index);
            }
        }
        NamedObjects { objects, by_name }
    }
}

impl<'n, 't> Inventory<'n, 't> {
    /// Returns the objects as a text sees them.
    pub fn of(named: &'n NamedObjects<'t>, own: OwnText<'t>) -> Self {
        Inventory { named, own }
    }

    /// Returns an object with its tree.
    pub fn item(&self, index: usize) -> Option<(&'t Tree<'t>, &'t Item)> {
        let own = index
            .checked_sub(self.own.first)
            .and_then(|index| self.own.input.items.get(index));
        let (input, item) = match own {
            Some(item) => (self.own.input, item),
            None => *self.named.objects.get(index)?,
        };
        Some((input.tree(item)?, item))
    }

    /// Returns true for an object of the text itself.
    pub fn is_own(&self, index: usize) -> bool {
        self.own.objects().contains(&index)
    }

    /// Returns every object that was read, with its index and its tree.
    pub fn items(&self) -> impl Iterator<Item = (usize, &'t Tree<'t>, &'t Item)> {
        (0..self.named.objects.len()).filter_map(|index| {
            let (tree, item) = self.item(index)?;
            Some((index, tree, item))
        })
    }

    /// Returns the index of the object of a reference: the parameters that were generated from it, else the object itself. `generated`:
    /// `ResourceClaimParameters` or `ResourceClassParameters`.
    pub fn find(&self, reference: &ParametersReference, generated: &str) -> Option<usize> {
        let by_name = &self.named.by_name;
        let made = by_name.get(&reference.key(&format!("{generated}:")));
        made.or_else(|| by_name.get(&reference.key(""))).copied()
    }

    /// Returns the class that a claim names. `group`: the API group of the claim's parameters.
    pub fn class(&self, name: &str, group: &str) -> ClassNeeds {
        let by_name = &self.named.by_name;
        let found = by_name
            .get(&reference_to(name, "ResourceClass").key(""))
            .and_then(|&index| self.item(index));
        if let Some((tree, item)) = found.filter(|(_, item)| is_classic(item)) {
            let driver = tree
                .get(item.node, "driverName")
                .and_then(|node| tree.str(node))
                .unwrap_or("");
            let profile = profile::of(driver);
            return ClassNeeds {
                name: name.to_owned(),
                driver: Some(profile.map_or(driver, |profile| profile.driver).to_owned()),
                profile,
                monitor: self.monitors(tree, item, profile),
            };
        }
        let here = by_name.contains_key(&reference_to(name, "DeviceClass").key(""));
        let (profile, row) = match profile::of_class(name).filter(|_| !here) {
            Some((profile, row)) => (Some(profile), Some(row)),
            None => (profile::of(group), None),
        };
        ClassNeeds {
            name: row.map_or(name, |row| row.is).to_owned(),
            driver: profile.map(|profile| profile.driver.to_owned()),
            profile,
            monitor: row.is_some_and(|row| row.monitor),
        }
    }

    fn monitors(&self, tree: &Tree<'_>, class: &Item, profile: Option<&DriverProfile>) -> bool {
        let Some((profile, reference)) = profile.zip(tree.get(class.node, "parametersRef")) else {
            return false;
        };
        let reference = ParametersReference::read(tree, reference, "");
        let found = self
            .find(&reference, "ResourceClassParameters")
            .and_then(|index| self.item(index));
        found.is_some_and(|(tree, item)| monitors(tree, item, profile))
    }
}

fn reference_to(name: &str, kind: &str) -> ParametersReference {
    ParametersReference {
        group: GROUP.into(),
        kind: kind.into(),
        name: name.into(),
        ..ParametersReference::default()
    }
}

/// Returns true for an object of the classic family.
pub fn is_classic(item: &Item) -> bool {
    job::find_version(&item.api_version).is_some_and(|version| version.family == Family::Classic)
}

/// Returns true if a driver's class parameters say that claims watch all devices.
fn monitors(tree: &Tree<'_>, item: &Item, profile: &DriverProfile) -> bool {
    let Some((row, spec)) = row_of(profile, item).zip(tree.get(item.node, "spec")) else {
        return false;
    };
    row.fields.iter().any(|field| {
        matches!(field.means, Means::Monitor)
            && tree
                .get(spec, field.name)
                .is_some_and(|node| tree.kind(node) == Kind::Bool(true))
    })
}

/// Returns the row of a driver's profile for the kind of a parameters object.
pub fn row_of(profile: &DriverProfile, item: &Item) -> Option<&'static KindRow> {
    let group = item.api_version.split('/').next();
    let known = profile::of(profile.was).filter(|known| group == Some(known.was))?;
    known.kinds.iter().find(|row| row.kind == item.kind)
}
