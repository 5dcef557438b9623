//! ResourceSlice of 1.30: instances of named resources become devices.

use super::parameters::MigratedField;
use super::part::{MappingChange, TextPart};
use super::{Decided, Migrator, in_place_of, profile, selector, steps};
use claimkit_model::finding::Step;
use claimkit_model::message::{self, message};
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use std::collections::BTreeSet;

/// A ResourceSlice of 1.30.
#[derive(Clone, Copy)]
struct OldSlice<'t> {
    index: usize,
    tree: &'t Tree<'t>,
    node: NodeId,
    /// The name of its driver in the classic family.
    old_driver: &'t str,
    /// Empty: it names no node.
    node_name: &'t str,
}

impl<'t> OldSlice<'t> {
    fn read(index: usize, tree: &'t Tree<'t>, node: NodeId) -> Self {
        OldSlice {
            index,
            tree,
            node,
            old_driver: text_at(tree, node, "driverName"),
            node_name: text_at(tree, node, "nodeName"),
        }
    }

    /// Returns its instances.
    fn instances(self) -> &'t [NodeId] {
        let named = self.tree.get(self.node, "namedResources");
        let list = named.and_then(|named| self.tree.get(named, "instances"));
        list.map_or(&[], |list| self.tree.items(list))
    }
}

impl<'t> Migrator<'_, 't> {
    pub(super) fn slice(&mut self, index: usize, tree: &'t Tree<'t>, node: NodeId) {
        let slice = OldSlice::read(index, tree, node);
        let driver = self.slice_driver(slice);
        let pool = self.slice_pool(slice, driver);
        let nodes = self.slice_nodes(slice);
        let devices = self.slice_devices(slice);
        self.lose(index, tree, node, &steps("spec"), super::HIDDEN.text());
        let spec = vec![
            ("driver".to_owned(), TextPart::text(driver)),
            ("pool".to_owned(), pool),
            nodes,
            ("devices".to_owned(), devices),
        ];
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

    /// Records a decision about a slice.
    fn decide_in_slice(&mut self, slice: OldSlice<'t>, decided: Decided<'_>) {
        self.decide(slice.index, slice.node, slice.tree, decided);
    }

    /// Returns the name of the driver in the device family.
    fn slice_driver(&mut self, slice: OldSlice<'t>) -> &'t str {
        let was = slice.old_driver;
        let Some(profile) = profile::of(was) else {
            return was;
        };
        self.decide_in_slice(
            slice,
            Decided {
                code: "driver-name",
                path: "driverName",
                at: "spec.driver",
                question: message!("migrate.driver-name", "What is the driver called?"),
                assumed: message::code([&profile.driver]),
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
        profile.driver
    }

    /// Returns the pool of a slice: it is named like the node and has the slices of the driver there.
    fn slice_pool(&mut self, slice: OldSlice<'t>, driver: &'t str) -> TextPart<'t> {
        let OldSlice {
            old_driver,
            node_name,
            ..
        } = slice;
        let slices = self.inventory.items().filter(|(_, tree, item)| {
            super::inventory::is_classic(item)
                && item.kind == "ResourceSlice"
                && text_at(tree, item.node, "driverName") == old_driver
                && text_at(tree, item.node, "nodeName") == node_name
        });
        let count = slices.count();
        let (pool, path) = match node_name {
            "" => (driver, "driverName"),
            name => (name, "nodeName"),
        };
        let assumed = match count {
            1 => message!("migrate.slice-pool-of-one", "`{pool}`, of 1 slice", pool),
            _ => message!(
                "migrate.slice-pool-assumed",
                "`{pool}`, of {slices} slices",
                pool,
                slices = count
            ),
        };
        self.decide_in_slice(
            slice,
            Decided {
                code: "slice-pool",
                path,
                at: "spec.pool",
                question: message!("migrate.slice-pool", "Which pool are the devices of?"),
                assumed,
                why: message!(
                    "migrate.slice-pool-why",
                    "drivers name the pool of a node's devices like the node; the number is that of the slices in the text"
                ),
                alternatives: vec![message!(
                    "migrate.slice-pool-or",
                    "no slice at all: the driver publishes its own, and one written by hand is for tests"
                )],
            },
        );
        TextPart::map([
            ("name", TextPart::text(pool)),
            ("generation", TextPart::Literal("1".to_owned())),
            ("resourceSliceCount", TextPart::Literal(count.to_string())),
        ])
    }

    /// Returns the field that says which nodes reach the devices, with its name.
    fn slice_nodes(&mut self, slice: OldSlice<'t>) -> (String, TextPart<'t>) {
        let tree = slice.tree;
        if let Some(name) = tree.get(slice.node, "nodeName")
            && !slice.node_name.is_empty()
        {
            return ("nodeName".to_owned(), TextPart::Node(tree, name));
        }
        self.decide_in_slice(
            slice,
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
        ("allNodes".to_owned(), TextPart::Literal("true".to_owned()))
    }

    /// Returns the devices of a slice.
    fn slice_devices(&mut self, slice: OldSlice<'t>) -> TextPart<'t> {
        let instances = slice.instances();
        let names: Vec<&str> = instances
            .iter()
            .map(|instance| text_at(slice.tree, *instance, "name"))
            .collect();
        let labels = labels(&names);
        let devices = instances
            .iter()
            .zip(&labels)
            .enumerate()
            .map(|(at, (&node, label))| self.device(slice, Instance { at, node, label }))
            .collect();
        TextPart::List(devices)
    }

    /// Returns the device that an instance becomes.
    fn device(&mut self, slice: OldSlice<'t>, instance: Instance<'_>) -> TextPart<'t> {
        let tree = slice.tree;
        let name = text_at(tree, instance.node, "name");
        if instance.label != name {
            self.decide_device_name(slice, instance, name);
        }
        let mut values = DeviceValues::default();
        let list = tree.get(instance.node, "attributes");
        let list = list.map_or(&[][..], |list| tree.items(list));
        for (number, &node) in list.iter().enumerate() {
            let name = text_at(tree, node, "name");
            let attribute = OldAttribute {
                device: instance.at,
                number,
                node,
                name,
                new_name: selector::identifier(name),
            };
            self.take_attribute(slice, &attribute, &mut values);
        }
        let mut device = vec![("name".to_owned(), TextPart::text(instance.label))];
        if !values.attributes.is_empty() {
            device.push(("attributes".to_owned(), TextPart::Map(values.attributes)));
        }
        if !values.capacity.is_empty() {
            device.push(("capacity".to_owned(), TextPart::Map(values.capacity)));
        }
        TextPart::Map(device)
    }

    fn decide_device_name(&mut self, slice: OldSlice<'t>, instance: Instance<'_>, name: &str) {
        let at = instance.at;
        self.decide_in_slice(
            slice,
            Decided {
                code: "device-name",
                path: &format!("namedResources.instances.{at}.name"),
                at: &format!("spec.devices.{at}.name"),
                question: message!("migrate.device-name", "What is the device called?"),
                assumed: in_place_of(instance.label, name),
                why: message!("migrate.device-name-why", "names of devices are DNS labels"),
                alternatives: vec![message!(
                    "migrate.device-name-or",
                    "any other DNS label that no device of the pool has"
                )],
            },
        );
    }

    /// Takes over the values of an attribute; lists are lost, and values whose name another one has.
    fn take_attribute(
        &mut self,
        slice: OldSlice<'t>,
        attribute: &OldAttribute<'_>,
        values: &mut DeviceValues<'t>,
    ) {
        let OldSlice {
            index, tree, node, ..
        } = slice;
        let OldAttribute { name, new_name, .. } = attribute;
        for entry in print::effective(tree, attribute.node, Order::Source) {
            let kind = tree.text(entry.key);
            if kind == "name" || tree.kind(entry.value) == Kind::Null {
                continue;
            }
            if values.has(kind, new_name) {
                let reason = selector::taken_name(name, new_name);
                self.lose(index, tree, node, &steps(&attribute.path()), reason);
                continue;
            }
            let value = TextPart::Node(tree, entry.value);
            let Some(holder) = values.add(kind, new_name, value) else {
                let mut at = steps(&attribute.path());
                at.push(Step::Key(kind.to_owned()));
                self.lose(index, tree, node, &at, selector::NO_LISTS.text());
                continue;
            };
            if new_name != name {
                let field = MigratedField {
                    index,
                    tree,
                    node,
                    path: &format!("{}.name", attribute.path()),
                    at: &format!("spec.devices.{}.{holder}", attribute.device),
                };
                self.renamed_attribute(field, name, new_name);
            }
        }
    }
}

/// An attribute of an instance.
struct OldAttribute<'t> {
    /// The index of its instance in the slice.
    device: usize,
    /// Its index in the instance.
    number: usize,
    node: NodeId,
    name: &'t str,
    /// The name that the device's attribute gets.
    new_name: String,
}

impl OldAttribute<'_> {
    fn path(&self) -> String {
        format!(
            "namedResources.instances.{}.attributes.{}",
            self.device, self.number
        )
    }
}

/// The values of a device, by their names.
#[derive(Default)]
struct DeviceValues<'t> {
    attributes: Vec<(String, TextPart<'t>)>,
    capacity: Vec<(String, TextPart<'t>)>,
}

impl<'t> DeviceValues<'t> {
    /// Returns true if the device has a value with this name. `kind`: the type of the value.
    fn has(&self, kind: &str, name: &str) -> bool {
        let holder = match kind {
            "quantity" => &self.capacity,
            _ => &self.attributes,
        };
        holder.iter().any(|(known, _)| known == name)
    }

    /// Adds a value, and returns the name of the field that has it now; `None`: devices have no values of this type.
    fn add(&mut self, kind: &str, name: &str, value: TextPart<'t>) -> Option<&'static str> {
        match kind {
            "quantity" => {
                let value = TextPart::map([("value", value)]);
                self.capacity.push((name.to_owned(), value));
                Some("capacity")
            }
            "bool" | "int" | "string" | "version" => {
                let value = TextPart::map([(kind, value)]);
                self.attributes.push((name.to_owned(), value));
                Some("attributes")
            }
            _ => None,
        }
    }
}

/// An instance of a slice, which becomes a device.
#[derive(Clone, Copy)]
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
