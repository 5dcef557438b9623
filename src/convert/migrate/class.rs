//! ResourceClass becomes DeviceClass.

use super::inventory::ParametersReference;
use super::part::{MappingChange, TextPart};
use super::selector::quoted;
use super::{Decided, Migrator, cel, profile, steps};
use claimkit_model::message::{self, message};
use claimkit_model::text::tree::{Kind, NodeId, Tree};

impl<'t> Migrator<'_, 't> {
    pub(super) fn class(&mut self, index: usize, tree: &'t Tree<'t>, node: NodeId) {
        let name = tree
            .get(node, "metadata")
            .and_then(|meta| tree.get(meta, "name"))
            .and_then(|name| tree.str(name));
        let into = format!("DeviceClass `{}`", name.unwrap_or(""));
        let was = tree
            .get(node, "driverName")
            .and_then(|value| tree.str(value))
            .unwrap_or("");
        let profile = profile::of(was);
        let driver = profile.map_or(was, |profile| profile.driver);
        let mut selectors = Vec::new();
        let mut config = Vec::new();
        if !driver.is_empty() {
            let expression = profile.map_or_else(
                || format!("device.driver == {}", quoted(driver)),
                |one| one.class_selector.to_owned(),
            );
            selectors.push(cel(&expression));
            let (why, mut alternatives) = match profile {
                Some(profile) => (
                    message!(
                        "migrate.class-selector-known",
                        "the driver `{was}` is `{driver}` in current releases ({source}, {date})",
                        was,
                        driver,
                        source = profile.source,
                        date = profile.date
                    ),
                    vec![message!(
                        "migrate.class-selector-old-driver",
                        "`device.driver == {was}`, if a driver of the old name publishes ResourceSlices",
                        was = quoted(was)
                    )],
                ),
                None => (
                    message!(
                        "migrate.class-selector-why",
                        "a driver that moves to the new API usually keeps its name"
                    ),
                    vec![
                        message!(
                            "migrate.class-selector-other-driver",
                            "another driver name, if the release that publishes ResourceSlices has one"
                        ),
                        message!(
                            "migrate.class-selector-narrower",
                            "a narrower selector by attributes of the devices"
                        ),
                    ],
                ),
            };
            let installed =
                profile.and_then(|one| one.classes.iter().find(|row| Some(row.was) == name));
            alternatives.extend(installed.map(|row| {
                message!(
                    "migrate.class-none",
                    "no class at all: the driver installs `{class}` itself",
                    class = row.is
                )
            }));
            self.decide(
                index,
                node,
                tree,
                Decided {
                    code: "class-selector",
                    path: "driverName",
                    at: "spec.selectors",
                    question: message!(
                        "migrate.class-selector",
                        "Which devices does the class stand for?"
                    ),
                    assumed: message::code([&expression]),
                    why,
                    alternatives,
                },
            );
        }
        let reference = tree
            .get(node, "parametersRef")
            .filter(|&reference| tree.kind(reference) != Kind::Null);
        if let Some(reference) = reference {
            let reference = ParametersReference::read(tree, reference, "");
            match self.inventory.find(&reference, "ResourceClassParameters") {
                Some(found) => {
                    let folded = self.class_parameters(index, node, tree, found, driver, profile);
                    selectors.extend(folded.selectors.iter().map(|one| cel(one)));
                    config.extend(
                        folded
                            .config
                            .into_iter()
                            .map(|one| TextPart::Map(vec![one])),
                    );
                    self.fold(found, index, "parametersRef", &into);
                }
                None => self.lose(
                    index,
                    tree,
                    node,
                    &steps("parametersRef"),
                    super::parameters::NOT_THERE.text(),
                ),
            }
        }
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
}
