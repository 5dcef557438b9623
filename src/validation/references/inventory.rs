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

/// An object of the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Present<'a> {
    name: &'a str,
    /// `None`: it may be in any namespace.
    namespace: Option<&'a str>,
}

impl Present<'_> {
    /// Returns true if a reference into a namespace can mean it. A reference without a namespace means any.
    fn is_in(&self, namespace: &str) -> bool {
        namespace.is_empty() || self.namespace.is_none_or(|own| own == namespace)
    }
}

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
            inventory.entry([kind, group]).or_default().push(Present {
                name: object.name.as_deref().unwrap_or(name),
                namespace: place,
            });
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

    /// Returns the objects of a kind with a name: they are sorted by it.
    fn objects_named<'s>(&'s self, kind: &'s str, group: &'s str, name: &str) -> &'s [Present<'s>] {
        let of_kind = self.of_kind(kind, group);
        let begin = of_kind.partition_point(|present| present.name < name);
        let end = of_kind.partition_point(|present| present.name <= name);
        of_kind.get(begin..end).unwrap_or_default()
    }

    /// Returns the namespaces that have an object of this kind and name.
    fn namespaces_of<'s>(&'s self, kind: &'s str, name: &str) -> Vec<&'s str> {
        let named = self.objects_named(kind, GROUP, name).iter();
        named.filter_map(|present| present.namespace).collect()
    }

    /// Returns help if the name that a pod references exists as the other kind or in another namespace.
    pub fn elsewhere(&self, kind: &str, name: &str, namespace: &str) -> Option<Message> {
        let own = self.namespaces_of(kind, name);
        if own.contains(&namespace) {
            return None;
        }
        let other = if kind == "ResourceClaim" {
            "ResourceClaimTemplate"
        } else {
            "ResourceClaim"
        };
        if self.namespaces_of(other, name).contains(&namespace) {
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
        let mut nearest = Nearest::to(name);
        for present in self.of_kind(kind, group).iter().take(MOST_NAMES) {
            let is_numbered_alike = without_digits(present.name).eq(without_digits(name));
            if !is_numbered_alike && present.is_in(namespace) {
                nearest.consider(present.name);
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
        let Affixes { prefix, suffix } = affixes;
        [
            format!("{prefix}{name}"),
            format!("{name}{suffix}"),
            format!("{prefix}{name}{suffix}"),
        ]
        .iter()
        .find_map(|wanted| {
            let mut named = self.objects_named(kind, group, wanted).iter();
            let found = named.find(|present| present.is_in(namespace))?;
            Some(found.name)
        })
    }

    /// Returns true if the text has objects of the kind, but not this one. A reference without namespace means any.
    pub fn lacks(&self, kind: &str, group: &str, name: &str, namespace: &str) -> bool {
        let mut named = self.objects_named(kind, group, name).iter();
        let is_there = named.any(|present| present.is_in(namespace));
        !is_there && !self.of_kind(kind, group).is_empty()
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
        let mut names = objects
            .filter(|named| {
                !matches!(
                    named.kind,
                    "Namespace" | "CustomResourceDefinition" | "List"
                )
            })
            .map(|named| named.name)
            .filter(|name| !name.is_empty());
        let first = names.next().unwrap_or_default();
        let (mut prefix, mut suffix) = (first, first);
        for name in names {
            let begin = shared_bytes(prefix.chars().zip(name.chars()));
            let end = shared_bytes(suffix.chars().rev().zip(name.chars().rev()));
            prefix = prefix.get(..begin).unwrap_or_default();
            suffix = suffix
                .get(suffix.len().saturating_sub(end)..)
                .unwrap_or_default();
        }
        let last_dash = prefix.rfind('-');
        let first_dash = suffix.find('-');
        Affixes {
            prefix: last_dash
                .and_then(|at| prefix.get(..at.saturating_add(1)))
                .unwrap_or_default(),
            suffix: first_dash
                .and_then(|at| suffix.get(at..))
                .unwrap_or_default(),
        }
    }
}

fn without_digits(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|c| !c.is_ascii_digit())
}

/// Returns the length of what two texts share, up to the first difference.
fn shared_bytes(pairs: impl Iterator<Item = (char, char)>) -> usize {
    pairs
        .take_while(|(one, other)| one == other)
        .map(|(one, _)| one.len_utf8())
        .sum()
}
