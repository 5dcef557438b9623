//! The objects of a text as references look for them: by kind, group and name.

use super::{ListedObject, NamedObject};
use claimkit_model::message::{Message, message};
use claimkit_model::nearest::Nearest;
use claimkit_model::schema::GROUP;
use claimkit_values::order;
use std::collections::BTreeMap;

/// Maximum number of names compared with a missing one: a text may have thousands of both.
const MOST_NAMES: usize = 100;

/// The objects of the text, by kind and group.
pub struct ObjectsByKind<'a>(BTreeMap<[&'a str; 2], Vec<Present<'a>>>);

/// An object's name, and where it lives; `None` may be anywhere.
type Present<'a> = (&'a str, Option<&'a str>);

impl<'a> ObjectsByKind<'a> {
    pub fn of(
        objects: &'a [ListedObject],
        named: &dyn Fn(usize) -> Option<NamedObject<'a>>,
        namespace: &'a str,
    ) -> Self {
        let mut inventory: BTreeMap<[&str; 2], Vec<Present<'_>>> = BTreeMap::new();
        for object in objects {
            let Some(NamedObject {
                api_version,
                kind,
                name,
                namespace: own,
            }) = named(object.index)
            else {
                continue;
            };
            let group = api_version.split_once('/').map_or("", |(group, _)| group);
            let place = match own {
                _ if object.unplaced => None,
                _ if object.cluster => Some(""),
                "" => Some(namespace),
                given => Some(given),
            };
            inventory
                .entry([kind, group])
                .or_default()
                .push((object.name.as_deref().unwrap_or(name), place));
        }
        inventory
            .values_mut()
            .for_each(|of_kind| order::sort(of_kind));
        ObjectsByKind(inventory)
    }

    /// Sorts them by name.
    fn of_kind<'s>(&'s self, kind: &'s str, group: &'s str) -> &'s [Present<'s>] {
        self.0
            .get(&[kind, group])
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    fn named<'s>(&'s self, kind: &'s str, group: &'s str, name: &str) -> &'s [Present<'s>] {
        let of_kind = self.of_kind(kind, group);
        let rest = of_kind
            .get(of_kind.partition_point(|(own, _)| *own < name)..)
            .unwrap_or_default();
        rest.get(..rest.partition_point(|(own, _)| *own == name))
            .unwrap_or_default()
    }

    /// Returns help if the name that a pod references exists as the other kind or in another namespace.
    pub fn elsewhere(&self, kind: &str, name: &str, namespace: &str) -> Option<Message> {
        let places = |kind| -> Vec<&str> {
            self.named(kind, GROUP, name)
                .iter()
                .filter_map(|(_, place)| *place)
                .collect()
        };
        let own = places(kind);
        if own.contains(&namespace) {
            return None;
        }
        let other = if kind == "ResourceClaim" {
            "ResourceClaimTemplate"
        } else {
            "ResourceClaim"
        };
        if places(other).contains(&namespace) {
            let field = if kind == "ResourceClaim" {
                "resourceClaimTemplateName"
            } else {
                "resourceClaimName"
            };
            return Some(message!(
                "reference.other-kind",
                "`{name}` of this text is a {other}, not a {kind}: name it in `{field}`",
                name,
                other,
                kind,
                field
            ));
        }
        let place = own.first()?;
        Some(message!(
            "reference.other-namespace",
            "{kind} `{name}` of this text is in namespace `{place}`, the pod is in `{namespace}`",
            kind,
            name,
            place,
            namespace
        ))
    }

    /// Finds the unique object of the kind with a similar name, among the first [`MOST_NAMES`]. A reference without a namespace
    /// matches any namespace.
    pub fn nearest<'s>(&'s self, [kind, group, name, namespace]: [&'s str; 4]) -> Option<&'s str> {
        // Short names such as `cpu` and `gpu`, or `gpu-1` and `gpu-2`, are not typos of each other.
        if name.len() < 4 {
            return None;
        }
        let numbered = |own: &str| {
            let letters = |c: &char| !c.is_ascii_digit();
            own.chars().filter(letters).eq(name.chars().filter(letters))
        };
        let mut nearest = Nearest::to(name);
        for (own, place) in self.of_kind(kind, group).iter().take(MOST_NAMES) {
            if !numbered(own)
                && (namespace.is_empty() || place.is_none_or(|place| place == namespace))
            {
                nearest.consider(own);
            }
        }
        nearest.found()
    }

    /// Finds the object of the kind that has this name between the shared beginning and end of all names.
    pub fn renamed<'s>(
        &'s self,
        [kind, group, name, namespace]: [&'s str; 4],
        affixes: &Affixes<'_>,
    ) -> Option<&'s str> {
        let find = |wanted: &str| {
            let mut named = self.named(kind, group, wanted).iter();
            named
                .find(|(_, place)| {
                    namespace.is_empty() || place.is_none_or(|place| place == namespace)
                })
                .map(|(own, _)| *own)
        };
        let Affixes { prefix, suffix } = affixes;
        [
            format!("{prefix}{name}"),
            format!("{name}{suffix}"),
            format!("{prefix}{name}{suffix}"),
        ]
        .iter()
        .find_map(|wanted| find(wanted))
    }

    /// Returns true if the text has objects of the kind, but not this one. A reference without namespace means any.
    pub fn lacks(&self, kind: &str, group: &str, name: &str, namespace: &str) -> bool {
        let mut named = self.named(kind, group, name).iter();
        !named
            .any(|(_, place)| namespace.is_empty() || place.is_none_or(|place| place == namespace))
            && !self.of_kind(kind, group).is_empty()
    }
}

/// The shared beginning and end of the names of all objects, up to a dash: the `namePrefix` and `nameSuffix` of a kustomization, or
/// the release of a chart.
pub struct Affixes<'a> {
    prefix: &'a str,
    suffix: &'a str,
}

impl<'a> Affixes<'a> {
    pub fn of(objects: impl Iterator<Item = NamedObject<'a>>) -> Self {
        // Kustomize does not rename these.
        let renamed = |named: &NamedObject<'_>| {
            !matches!(
                named.kind,
                "Namespace" | "CustomResourceDefinition" | "List"
            )
        };
        let shared = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
            pairs
                .take_while(|(one, other)| one == other)
                .map(|(one, _)| one.len_utf8())
                .sum()
        };
        let mut names = objects
            .filter(renamed)
            .map(|named| named.name)
            .filter(|name| !name.is_empty());
        let first = names.next().unwrap_or_default();
        let (mut prefix, mut suffix) = (first, first);
        for name in names {
            let begin = shared(&mut prefix.chars().zip(name.chars()));
            let end = shared(&mut suffix.chars().rev().zip(name.chars().rev()));
            prefix = prefix.get(..begin).unwrap_or_default();
            suffix = suffix
                .get(suffix.len().saturating_sub(end)..)
                .unwrap_or_default();
        }
        let prefix = prefix
            .rfind('-')
            .and_then(|at| prefix.get(..at.saturating_add(1)))
            .unwrap_or_default();
        let suffix = suffix
            .find('-')
            .and_then(|at| suffix.get(at..))
            .unwrap_or_default();
        Affixes { prefix, suffix }
    }
}
