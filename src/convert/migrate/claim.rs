//! ResourceClaim and ResourceClaimTemplate: a class and parameters become requests for devices.

use super::inventory::{ClassNeeds, ParametersReference};
use super::parameters::{Config, Folded, MigratedRequest, NOT_THERE, Referrer};
use super::part::{MappingChange, TextPart};
use super::{Decided, Migrator, cel, in_place_of, steps};
use crate::advice::locate;
use claimkit_model::message::{self, message};
use claimkit_model::schema::device::ADMIN_LABEL;
use claimkit_model::text::tree::{Kind, NodeId, Tree};

/// The longest name of a request, a DNS label.
const MAX_LABEL: usize = 63;

impl<'t> Migrator<'_, 't> {
    /// Migrates a claim. `within` is the place of the claim in the object; it is empty for a claim.
    pub(super) fn claim(&mut self, index: usize, tree: &'t Tree<'t>, node: NodeId, within: &str) {
        let base = if within.is_empty() {
            "spec".to_owned()
        } else {
            format!("{within}.spec")
        };
        let class_path = format!("{base}.resourceClassName");
        let from_path = format!("{base}.parametersRef");
        let mode_path = format!("{base}.allocationMode");
        let at = format!("{base}.devices");
        let kind = if within.is_empty() {
            "ResourceClaim"
        } else {
            "ResourceClaimTemplate"
        };
        let Some((_, item)) = self.inventory.item(index) else {
            return;
        };
        let into = format!("{kind} `{}`", item.name);
        let class_name = locate::node(tree, node, &steps(&class_path))
            .and_then(|name| tree.str(name))
            .unwrap_or("");
        let reference = locate::node(tree, node, &steps(&from_path))
            .filter(|written| tree.kind(*written) != Kind::Null)
            .map(|written| ParametersReference::read(tree, written, &item.namespace));
        let group = reference.as_ref().map_or("", |reference| &reference.group);
        let class = self.inventory.class(class_name, group);
        let from = Referrer {
            index,
            tree,
            node,
            path: &from_path,
            at: &at,
        };
        let folded = reference
            .as_ref()
            .and_then(|reference| self.claim_parameters(from, reference, &class, &into));
        if folded.is_none() && reference.is_some() {
            self.lose(index, tree, node, &steps(&from_path), NOT_THERE.text());
        }
        let mut folded = folded.unwrap_or_default();
        folded.monitor |= class.monitor;

        let name = request_name(folded.class.unwrap_or(&class.name));
        let exactly = format!("{at}.requests.0.exactly.deviceClassName");
        self.decide_class_name(
            Referrer {
                path: &class_path,
                at: &exactly,
                ..from
            },
            class_name,
            &class,
            folded.class,
        );
        let names = names(&name, folded.requests.len());
        self.decide_request_names(&class_path, &names, from, &at);
        if folded.monitor {
            self.decide_admin_access(&class_path, from, &at);
        }
        let mode = locate::node(tree, node, &steps(&mode_path));
        if mode.and_then(|mode| tree.str(mode)) == Some("Immediate") {
            let reason = message!(
                "loss.allocation-mode",
                "devices are allocated when the first pod that uses the claim is scheduled"
            );
            self.lose(index, tree, node, &steps(&mode_path), reason);
        }
        self.lose(index, tree, node, &steps(&at), super::HIDDEN.text());
        let mut changes = vec![devices(tree, node, &base, &class, &folded, &names)];
        if within.is_empty() {
            let reason = message!(
                "loss.allocation",
                "the allocation is the old driver's; the claim is allocated anew"
            );
            self.lose(index, tree, node, &steps("status"), reason);
            changes.push(MappingChange {
                at: Vec::new(),
                gone: vec!["status"],
                put: Vec::new(),
            });
        }
        self.becomes(index, kind, changes);
    }

    fn decide_request_names(
        &mut self,
        class_path: &str,
        names: &[String],
        from: Referrer<'_, 't>,
        at: &str,
    ) {
        self.decide(
            from.index,
            from.node,
            from.tree,
            Decided {
                code: "request-name",
                path: class_path,
                at: &format!("{at}.requests.0.name"),
                question: message!("migrate.request-name", "What is the request called?"),
                assumed: message::code(names),
                why: message!(
                    "migrate.request-name-why",
                    "requests have names now, and the class says what is asked for"
                ),
                alternatives: vec![message!(
                    "migrate.request-name-or",
                    "any DNS label; containers name it in `resources.claims[].request`, constraints and config in `requests`"
                )],
            },
        );
    }

    fn decide_admin_access(&mut self, class_path: &str, from: Referrer<'_, 't>, at: &str) {
        self.decide(
            from.index,
            from.node,
            from.tree,
            Decided {
                code: "admin-access",
                path: class_path,
                at: &format!("{at}.requests.0.exactly.adminAccess"),
                question: message!(
                    "migrate.admin-access",
                    "How does the claim watch devices that others use?"
                ),
                assumed: message!(
                    "migrate.admin-access-assumed",
                    "`adminAccess: true` and `allocationMode: All`"
                ),
                why: message!(
                    "migrate.admin-access-why",
                    "the class is for monitoring, and a class cannot give admin access by itself"
                ),
                alternatives: vec![message!(
                    "migrate.admin-access-or",
                    "a request without admin access; with it the namespace needs the label `{label}: \"true\"`",
                    label = ADMIN_LABEL
                )],
            },
        );
    }

    /// Decides the name of the class. `old_name`: the ResourceClass that the claim names; `class_of_parameters`: the driver's class for
    /// claims with these parameters, if it has one of its own.
    fn decide_class_name(
        &mut self,
        from: Referrer<'_, 't>,
        old_name: &str,
        class: &ClassNeeds,
        class_of_parameters: Option<&'static str>,
    ) {
        let Some(profile) = class.profile else { return };
        let new_name = class_of_parameters.unwrap_or(&class.name);
        if new_name == old_name {
            return;
        }
        let why = match class_of_parameters {
            Some(_) => message!(
                "migrate.class-of-its-own",
                "the driver `{driver}` has a class of its own for these devices ({source}, {date})",
                driver = profile.driver,
                source = profile.source,
                date = profile.date
            ),
            None => message!(
                "migrate.class-installed",
                "the driver `{driver}` installs this class and `{was}` no longer ({source}, {date})",
                driver = profile.driver,
                was = old_name,
                source = profile.source,
                date = profile.date
            ),
        };
        self.decide(
            from.index,
            from.node,
            from.tree,
            Decided {
                code: "class-name",
                path: from.path,
                at: from.at,
                question: message!("migrate.class-name", "Which class has the devices?"),
                assumed: in_place_of(new_name, old_name),
                why,
                alternatives: vec![message!(
                    "migrate.class-name-or",
                    "`{was}`, if a DeviceClass of that name is made from the ResourceClass",
                    was = old_name
                )],
            },
        );
    }
}

/// Makes what a request asks for.
fn exactly<'t>(
    request: &MigratedRequest<'t>,
    folded: &Folded<'t>,
    class_name: TextPart<'t>,
) -> TextPart<'t> {
    let mut fields = vec![("deviceClassName".to_owned(), class_name)];
    let selectors: Vec<TextPart<'_>> = request
        .selectors
        .iter()
        .chain(&folded.selectors)
        .map(|selector| cel(selector))
        .collect();
    if !selectors.is_empty() {
        fields.push(("selectors".to_owned(), TextPart::List(selectors)));
    }
    if folded.monitor {
        fields.push(("allocationMode".to_owned(), TextPart::text("All")));
        fields.push((
            "adminAccess".to_owned(),
            TextPart::Literal("true".to_owned()),
        ));
    } else if let Some(count) = &request.count {
        fields.push(("count".to_owned(), TextPart::Literal(count.clone())));
    }
    TextPart::Map(fields)
}

/// Makes the configuration of the requests with these names.
fn config_for<'t>(names: &[String], config: &Config<'t>) -> TextPart<'t> {
    let requests = names.iter().map(|name| TextPart::text(name.as_str()));
    TextPart::Map(vec![
        ("requests".to_owned(), TextPart::List(requests.collect())),
        config.clone(),
    ])
}

/// Makes the requests and their configuration.
fn devices<'t>(
    tree: &'t Tree<'t>,
    node: NodeId,
    base: &str,
    class: &ClassNeeds,
    folded: &Folded<'t>,
    names: &[String],
) -> MappingChange<'t> {
    let written = locate::node(tree, node, &steps(&format!("{base}.resourceClassName")));
    let class_name = match (
        folded.class,
        written.filter(|&name| tree.str(name) == Some(class.name.as_str())),
    ) {
        (Some(other), _) => TextPart::text(other),
        (None, Some(name)) => TextPart::Node(tree, name),
        (None, None) => TextPart::text(class.name.as_str()),
    };
    let none = [MigratedRequest::default()];
    let asked = if folded.requests.is_empty() {
        &none[..]
    } else {
        &folded.requests
    };
    let mut requests = Vec::new();
    let mut config = Vec::new();
    for (request, name) in asked.iter().zip(names) {
        requests.push(TextPart::map([
            ("name", TextPart::text(name.as_str())),
            ("exactly", exactly(request, folded, class_name.clone())),
        ]));
        for of_request in &request.config {
            config.push(config_for(std::slice::from_ref(name), of_request));
        }
    }
    for of_all in &folded.config {
        config.push(config_for(names, of_all));
    }
    let mut devices = vec![("requests".to_owned(), TextPart::List(requests))];
    if !config.is_empty() {
        devices.push(("config".to_owned(), TextPart::List(config)));
    }
    let put = vec![("devices".to_owned(), TextPart::Map(devices))];
    // A claim without a spec gets one.
    let mut at = steps(base);
    if locate::node(tree, node, &at).is_some_and(|spec| tree.is_map(spec)) {
        return MappingChange {
            at,
            gone: vec![
                "resourceClassName",
                "parametersRef",
                "allocationMode",
                "devices",
            ],
            put,
        };
    }
    at.pop();
    MappingChange {
        at,
        gone: vec!["spec"],
        put: vec![("spec".to_owned(), TextPart::Map(put))],
    }
}

/// Returns the first label of the class's name if it is a DNS label, as names of requests must be.
fn request_name(class: &str) -> String {
    let label: String = class
        .split('.')
        .next()
        .unwrap_or("")
        .chars()
        .take(MAX_LABEL)
        .collect();
    let mut letters = label.chars();
    let fine = !label.is_empty()
        && letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && !label.starts_with('-')
        && !label.ends_with('-');
    if fine { label } else { "request".to_owned() }
}

/// Returns one name, or one with a number for each of several.
fn names(name: &str, count: usize) -> Vec<String> {
    if count < 2 {
        return vec![name.to_owned()];
    }
    let short: String = name.chars().take(MAX_LABEL.saturating_sub(6)).collect();
    (0..count)
        .map(|number| format!("{short}-{number}"))
        .collect()
}
