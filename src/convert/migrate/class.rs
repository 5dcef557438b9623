//! ResourceClass becomes DeviceClass.

use super::inventory::ParametersReference;
use super::parameters::{NOT_THERE, ParametersContent};
use super::part::{MappingChange, TextPart};
use super::profile::DriverProfile;
use super::selector::quoted;
use super::{Decided, Migrator, cel, profile, steps};
use claimkit_model::message::{self, Message, message};
use claimkit_model::text::tree::{Kind, NodeId, Tree};

/// A ResourceClass.
struct OldClass<'t> {
    index: usize,
    tree: &'t Tree<'t>,
    node: NodeId,
    name: Option<&'t str>,
    /// The name of its driver in the classic family; may be empty.
    old_driver: &'t str,
    profile: Option<&'static DriverProfile>,
}

impl<'t> OldClass<'t> {
    fn read(index: usize, tree: &'t Tree<'t>, node: NodeId) -> Self {
        let name = tree
            .get(node, "metadata")
            .and_then(|meta| tree.get(meta, "name"))
            .and_then(|name| tree.str(name));
        let old_driver = tree
            .get(node, "driverName")
            .and_then(|value| tree.str(value))
            .unwrap_or("");
        OldClass {
            index,
            tree,
            node,
            name,
            old_driver,
            profile: profile::of(old_driver),
        }
    }

    /// Returns the name of its driver in the device family.
    fn driver(&self) -> &'t str {
        self.profile
            .map_or(self.old_driver, |profile| profile.driver)
    }

    /// Returns the selector of its devices, in CEL.
    fn selector(&self) -> String {
        match self.profile {
            Some(profile) => profile.class_selector.to_owned(),
            None => format!("device.driver == {}", quoted(self.driver())),
        }
    }

    /// Returns why its devices are selected so.
    fn why_selector(&self) -> Message {
        match self.profile {
            Some(profile) => message!(
                "migrate.class-selector-known",
                "the driver `{was}` is `{driver}` in current releases ({source}, {date})",
                was = self.old_driver,
                driver = profile.driver,
                source = profile.source,
                date = profile.date
            ),
            None => message!(
                "migrate.class-selector-why",
                "a driver that moves to the new API usually keeps its name"
            ),
        }
    }

    /// Returns the alternatives to its selector.
    fn other_selectors(&self) -> Vec<Message> {
        let Some(profile) = self.profile else {
            return vec![
                message!(
                    "migrate.class-selector-other-driver",
                    "another driver name, if the release that publishes ResourceSlices has one"
                ),
                message!(
                    "migrate.class-selector-narrower",
                    "a narrower selector by attributes of the devices"
                ),
            ];
        };
        let mut alternatives = vec![message!(
            "migrate.class-selector-old-driver",
            "`device.driver == {was}`, if a driver of the old name publishes ResourceSlices",
            was = quoted(self.old_driver)
        )];
        let mut classes = profile.classes.iter();
        if let Some(installed) = classes.find(|row| Some(row.was) == self.name) {
            alternatives.push(message!(
                "migrate.class-none",
                "no class at all: the driver installs `{class}` itself",
                class = installed.is
            ));
        }
        alternatives
    }
}

impl<'t> Migrator<'_, 't> {
    pub(super) fn class(&mut self, index: usize, tree: &'t Tree<'t>, node: NodeId) {
        let class = OldClass::read(index, tree, node);
        let mut selectors = Vec::new();
        if !class.driver().is_empty() {
            let selector = class.selector();
            self.decide_class_selector(&class, &selector);
            selectors.push(cel(&selector));
        }
        let content = self.take_class_parameters(&class);
        selectors.extend(content.selectors.iter().map(|selector| cel(selector)));
        let config: Vec<TextPart<'t>> = content
            .config
            .into_iter()
            .map(|entry| TextPart::Map(vec![entry.field()]))
            .collect();
        let reason = message!(
            "loss.suitable-nodes",
            "a DeviceClass says nothing of nodes: the ResourceSlices of the devices do"
        );
        self.lose(index, tree, node, &steps("suitableNodes"), reason);
        self.lose(index, tree, node, &steps("spec"), super::HIDDEN.text());
        let mut spec = Vec::new();
        if !selectors.is_empty() {
            spec.push(("selectors".to_owned(), TextPart::List(selectors)));
        }
        if !config.is_empty() {
            spec.push(("config".to_owned(), TextPart::List(config)));
        }
        self.becomes(
            index,
            "DeviceClass",
            vec![MappingChange {
                at: Vec::new(),
                gone: vec![
                    "driverName",
                    "parametersRef",
                    "structuredParameters",
                    "suitableNodes",
                    "spec",
                ],
                put: vec![("spec".to_owned(), TextPart::Map(spec))],
            }],
        );
    }

    fn decide_class_selector(&mut self, class: &OldClass<'t>, selector: &str) {
        self.decide(
            class.index,
            class.node,
            class.tree,
            Decided {
                code: "class-selector",
                path: "driverName",
                at: "spec.selectors",
                question: message!(
                    "migrate.class-selector",
                    "Which devices does the class stand for?"
                ),
                assumed: message::code([selector]),
                why: class.why_selector(),
                alternatives: class.other_selectors(),
            },
        );
    }

    /// Returns the content of the parameters of a class; empty if it has none, or they are in no text and lost.
    fn take_class_parameters(&mut self, class: &OldClass<'t>) -> ParametersContent<'t> {
        let &OldClass {
            index, tree, node, ..
        } = class;
        let reference = tree
            .get(node, "parametersRef")
            .filter(|&reference| tree.kind(reference) != Kind::Null);
        let Some(reference) = reference else {
            return ParametersContent::default();
        };
        let reference = ParametersReference::read(tree, reference, "");
        let Some(found) = self.inventory.find(&reference, "ResourceClassParameters") else {
            self.lose(index, tree, node, &steps("parametersRef"), NOT_THERE.text());
            return ParametersContent::default();
        };
        let content =
            self.class_parameters(index, node, tree, found, class.driver(), class.profile);
        let into = format!("DeviceClass `{}`", class.name.unwrap_or(""));
        self.fold(found, index, "parametersRef", &into);
        content
    }
}
