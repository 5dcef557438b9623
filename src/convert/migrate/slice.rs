//! ResourceSlice of 1.30: instances of named resources become devices.

use super::part::{MappingChange, TextPart};
use super::{Decided, Migrator, in_place_of, profile, selector, steps};
use claimkit_model::finding::Step;
use claimkit_model::message::{self, message};
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use std::collections::BTreeSet;

impl<'t> Migrator<'_, 't> {
    pub(super) fn slice(&mut self, index: usize, tree: &'t Tree<'t>, node: NodeId) {
        let was = text_at(tree, node, "driverName");
        let node_name = text_at(tree, node, "nodeName");
        let known = profile::of(was);
        let driver = known.map_or(was, |profile| profile.driver);
        if let Some(profile) = known {
            self.decide(
                index,
                node,
                tree,
                Decided {
                    code: "driver-name",
                    path: "driverName",
                    at: "spec.driver",
                    question: message!("migrate.driver-name", "What is the driver called?"),
                    assumed: message::code([&driver]),
                    why: message!(
                        "migrate.driver-name-why",
                        "the driver `{was}` has this name in current releases ({source}, {date})",
                        was,
                        source = profile.source,
                        date = profile.date
                    ),
                    alternatives: vec![message::code([&was])],
                },
            );
        }
        let slices = self.inventory.items().filter(|(_, tree, item)| {
            super::inventory::is_classic(item)
                && item.kind == "ResourceSlice"
                && text_at(tree, item.node, "driverName") == was
                && text_at(tree, item.node, "nodeName") == node_name
        });
        let count = slices.count();
        let pool = if node_name.is_empty() {
            driver
        } else {
            node_name
        };
        self.decide(
            index,
            node,
            tree,
            Decided {
                code: "slice-pool",
                path: if node_name.is_empty() { "driverName" } else { "nodeName" },
                at: "spec.pool",
                question: message!("migrate.slice-pool", "Which pool are the devices of?"),
                assumed: if count == 1 {
                    message!("migrate.slice-pool-of-one", "`{pool}`, of 1 slice", pool)
                } else {
                    message!("migrate.slice-pool-assumed", "`{pool}`, of {slices} slices", pool, slices = count)
                },
                why: message!(
                    "migrate.slice-pool-why",
                    "drivers name the pool of a node's devices like the node; the number is that of the slices in the text"
                ),
                alternatives: vec![
                    message!(
                        "migrate.slice-pool-or",
                        "no slice at all: the driver publishes its own, and one written by hand is for tests"
                    ),
                ],
            },
        );
        let pool = TextPart::map([
            ("name", TextPart::text(pool)),
            ("generation", TextPart::Literal("1".to_owned())),
            ("resourceSliceCount", TextPart::Literal(count.to_string())),
        ]);
        let mut spec = vec![
            ("driver".to_owned(), TextPart::text(driver)),
            ("pool".to_owned(), pool),
        ];
        match tree.get(node, "nodeName").filter(|_| !node_name.is_empty()) {
            Some(name) => spec.push(("nodeName".to_owned(), TextPart::Node(tree, name))),
            None => {
                self.decide(
                    index,
                    node,
                    tree,
                    Decided {
                        code: "slice-nodes",
                        path: "driverName",
                        at: "spec.allNodes",
                        question: message!("migrate.slice-nodes", "Which nodes reach the devices?"),
                        assumed: message!("migrate.slice-nodes-assumed", "all nodes"),
                        why: message!("migrate.slice-nodes-why", "the slice names none"),
                        alternatives: vec![message!(
                            "migrate.slice-nodes-or",
                            "`nodeSelector` with the nodes that do"
                        )],
                    },
                );
                spec.push(("allNodes".to_owned(), TextPart::Literal("true".to_owned())));
            }
        }
        let instances = tree
            .get(node, "namedResources")
            .and_then(|named| tree.get(named, "instances"));
        let instances = instances.map_or(&[][..], |list| tree.items(list));
        let names = instances.iter().map(|one| text_at(tree, *one, "name"));
        let labels = labels(&names.collect::<Vec<&str>>());
        let devices = instances
            .iter()
            .zip(&labels)
            .enumerate()
            .map(|(at, (&node, label))| Instance { at, node, label })
            .map(|instance| self.device(index, node, tree, instance))
            .collect();
        spec.push(("devices".to_owned(), TextPart::List(devices)));
        self.lose(index, tree, node, &steps("spec"), super::HIDDEN.text());
        self.becomes(
            index,
            "ResourceSlice",
            vec![MappingChange {
                at: Vec::new(),
                gone: vec!["nodeName", "driverName", "namedResources", "spec"],
                put: vec![("spec".to_owned(), TextPart::Map(spec))],
            }],
        );
    }

    fn device(
        &mut self,
        index: usize,
        node: NodeId,
        tree: &'t Tree<'t>,
        Instance {
            at,
            node: instance,
            label,
        }: Instance<'_>,
    ) -> TextPart<'t> {
        let path = format!("namedResources.instances.{at}");
        let name = tree
            .get(instance, "name")
            .and_then(|name| tree.str(name))
            .unwrap_or("");
        if label != name {
            self.decide(
                index,
                node,
                tree,
                Decided {
                    code: "device-name",
                    path: &format!("{path}.name"),
                    at: &format!("spec.devices.{at}.name"),
                    question: message!("migrate.device-name", "What is the device called?"),
                    assumed: in_place_of(label, name),
                    why: message!("migrate.device-name-why", "names of devices are DNS labels"),
                    alternatives: vec![message!(
                        "migrate.device-name-or",
                        "any other DNS label that no device of the pool has"
                    )],
                },
            );
        }
        let list = tree
            .get(instance, "attributes")
            .map_or(&[][..], |list| tree.items(list));
        let mut attributes: Vec<(String, TextPart<'t>)> = Vec::new();
        let mut capacity: Vec<(String, TextPart<'t>)> = Vec::new();
        for (number, &attribute) in list.iter().enumerate() {
            let old = tree
                .get(attribute, "name")
                .and_then(|name| tree.str(name))
                .unwrap_or("");
            let name = selector::identifier(old);
            let here = format!("{path}.attributes.{number}");
            for entry in print::effective(tree, attribute, Order::Source) {
                let kind = tree.text(entry.key);
                if kind == "name" || tree.kind(entry.value) == Kind::Null {
                    continue;
                }
                let value = TextPart::Node(tree, entry.value);
                let holder = match kind {
                    "quantity" => &capacity,
                    _ => &attributes,
                };
                if holder.iter().any(|(known, _)| *known == name) {
                    let reason = selector::taken_name(old, &name);
                    self.lose(index, tree, node, &steps(&here), reason);
                    continue;
                }
                let to = match kind {
                    "quantity" => {
                        capacity.push((name.clone(), TextPart::map([("value", value)])));
                        "capacity"
                    }
                    "bool" | "int" | "string" | "version" => {
                        attributes.push((name.clone(), TextPart::map([(kind, value)])));
                        "attributes"
                    }
                    _ => {
                        let mut at = steps(&here);
                        at.push(Step::Key(kind.to_owned()));
                        self.lose(index, tree, node, &at, selector::NO_LISTS.text());
                        continue;
                    }
                };
                if name != old {
                    let new_at = format!("spec.devices.{at}.{to}");
                    self.renamed_attribute(
                        index,
                        node,
                        tree,
                        (&format!("{here}.name"), &new_at),
                        old,
                        &name,
                    );
                }
            }
        }
        let mut device = vec![("name".to_owned(), TextPart::text(label))];
        if !attributes.is_empty() {
            device.push(("attributes".to_owned(), TextPart::Map(attributes)));
        }
        if !capacity.is_empty() {
            device.push(("capacity".to_owned(), TextPart::Map(capacity)));
        }
        TextPart::Map(device)
    }
}

/// An instance of a slice, which becomes a device.
struct Instance<'l> {
    /// Its index in the slice.
    at: usize,
    node: NodeId,
    /// The name of the device.
    label: &'l str,
}

/// The longest DNS label.
const MAX_LABEL: usize = 63;

/// Returns the names of devices for names of instances: DNS labels, each of its own.
fn labels(names: &[&str]) -> Vec<String> {
    let label = |name: &str| {
        let label: String = name.replace('.', "-").chars().take(MAX_LABEL).collect();
        label.trim_end_matches('-').to_owned()
    };
    let mut taken: BTreeSet<String> = names
        .iter()
        .filter(|name| label(name) == **name)
        .map(|name| (*name).to_owned())
        .collect();
    let mut found = Vec::new();
    for name in names {
        let own = label(name);
        if own == *name || taken.insert(own.clone()) {
            found.push(own);
            continue;
        }
        let numbered = (2usize..).map(|number| {
            let end = format!("-{number}");
            let short = own.chars().take(MAX_LABEL.saturating_sub(end.len()));
            format!("{}{end}", short.collect::<String>())
        });
        let free = numbered
            .take(names.len().saturating_add(1))
            .find(|label| !taken.contains(label));
        let free = free.unwrap_or(own);
        taken.insert(free.clone());
        found.push(free);
    }
    found
}

/// Returns a member that is a text; empty: there is none.
fn text_at<'t>(tree: &'t Tree<'_>, node: NodeId, key: &str) -> &'t str {
    let value = tree.get(node, key);
    value.and_then(|value| tree.str(value)).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_device_has_a_name_of_its_own() {
        assert_eq!(
            labels(&["gpu.0", "gpu-0", "gpu.1", "gpu-1.", "a"]),
            ["gpu-0-2", "gpu-0", "gpu-1", "gpu-1-2", "a"]
        );
        let long = ["x".repeat(63) + "a", "x".repeat(63) + "b"];
        let long = labels(&[&long[0], &long[1]]);
        assert_eq!(long, ["x".repeat(63), "x".repeat(61) + "-2"]);
    }
}
