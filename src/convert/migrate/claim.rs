//! ResourceClaim and ResourceClaimTemplate: a class and parameters become requests for devices.

use super::inventory::{ClassNeeds, ParametersReference};
use super::parameters::{
    MigratedField, MigratedRequest, NOT_THERE, OpaqueConfig, ParametersContent,
};
use super::part::{MappingChange, TextPart};
use super::{Decided, Migrator, cel, in_place_of, steps};
use crate::advice::locate;
use claimkit_model::message::{self, message};
use claimkit_model::schema::device::ADMIN_LABEL;
use claimkit_model::text::tree::{Kind, NodeId, Tree};

/// The longest name of a request, a DNS label.
const MAX_LABEL: usize = 63;

/// The paths of the fields of a claim in its object.
struct ClaimPaths {
    spec: String,
    class: String,
    parameters: String,
    mode: String,
    /// The field of the device family.
    devices: String,
}

impl ClaimPaths {
    /// Returns the paths in a claim, or in an object that has one at `within`.
    fn of(within: &str) -> Self {
        let spec = match within {
            "" => "spec".to_owned(),
            within => format!("{within}.spec"),
        };
        ClaimPaths {
            class: format!("{spec}.resourceClassName"),
            parameters: format!("{spec}.parametersRef"),
            mode: format!("{spec}.allocationMode"),
            devices: format!("{spec}.devices"),
            spec,
        }
    }
}

impl<'t> Migrator<'_, 't> {
    /// Migrates a claim. `within` is the place of the claim in the object; it is empty for a claim.
    pub(super) fn claim(&mut self, index: usize, tree: &'t Tree<'t>, node: NodeId, within: &str) {
        let paths = ClaimPaths::of(within);
        let kind = if within.is_empty() {
            "ResourceClaim"
        } else {
            "ResourceClaimTemplate"
        };
        let Some((_, item)) = self.inventory.item(index) else {
            return;
        };
        let class_name = locate::node(tree, node, &steps(&paths.class))
            .and_then(|name| tree.str(name))
            .unwrap_or("");
        let reference = locate::node(tree, node, &steps(&paths.parameters))
            .filter(|written| tree.kind(*written) != Kind::Null)
            .map(|written| ParametersReference::read(tree, written, &item.namespace));
        let group = reference.as_ref().map_or("", |reference| &reference.group);
        let class = self.inventory.class(class_name, group);
        let from = MigratedField {
            index,
            tree,
            node,
            path: &paths.parameters,
            at: &paths.devices,
        };
        let mut content = ParametersContent::default();
        if let Some(reference) = &reference {
            let into = format!("{kind} `{}`", item.name);
            match self.claim_parameters(from, reference, &class, &into) {
                Some(parameters) => content = parameters,
                None => self.lose(index, tree, node, &steps(from.path), NOT_THERE.text()),
            }
        }
        content.monitor |= class.monitor;
        let name = request_name(content.class.unwrap_or(&class.name));
        let names = names(&name, content.requests.len());
        self.decide_class_name(
            MigratedField {
                path: &paths.class,
                at: &format!("{}.requests.0.exactly.deviceClassName", paths.devices),
                ..from
            },
            class_name,
            &class,
            content.class,
        );
        self.decide_request_names(&paths.class, &names, from, &paths.devices);
        if content.monitor {
            self.decide_admin_access(&paths.class, from, &paths.devices);
        }
        self.lose_immediate_mode(from, &paths.mode);
        self.lose(
            index,
            tree,
            node,
            &steps(&paths.devices),
            super::HIDDEN.text(),
        );
        let mut changes = vec![devices(tree, node, &paths.spec, &class, &content, &names)];
        if within.is_empty() {
            changes.push(self.lose_status(from));
        }
        self.becomes(index, kind, changes);
    }

    /// Records that the devices of a claim are not allocated at once any more.
    fn lose_immediate_mode(&mut self, claim: MigratedField<'_, 't>, mode_path: &str) {
        let MigratedField {
            index, tree, node, ..
        } = claim;
        let at = steps(mode_path);
        let mode = locate::node(tree, node, &at).and_then(|mode| tree.str(mode));
        if mode == Some("Immediate") {
            let reason = message!(
                "loss.allocation-mode",
                "devices are allocated when the first pod that uses the claim is scheduled"
            );
            self.lose(index, tree, node, &at, reason);
        }
    }

    /// Records that the allocation of a claim is lost, and returns the change that removes it.
    fn lose_status(&mut self, claim: MigratedField<'_, 't>) -> MappingChange<'t> {
        let reason = message!(
            "loss.allocation",
            "the allocation is the old driver's; the claim is allocated anew"
        );
        self.lose(
            claim.index,
            claim.tree,
            claim.node,
            &steps("status"),
            reason,
        );
        MappingChange {
            at: Vec::new(),
            gone: vec!["status"],
            put: Vec::new(),
        }
    }

    fn decide_request_names(
        &mut self,
        class_path: &str,
        names: &[String],
        from: MigratedField<'_, 't>,
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

    fn decide_admin_access(&mut self, class_path: &str, from: MigratedField<'_, 't>, at: &str) {
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
        from: MigratedField<'_, 't>,
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
    content: &ParametersContent<'t>,
    class_name: TextPart<'t>,
) -> TextPart<'t> {
    let mut fields = vec![("deviceClassName".to_owned(), class_name)];
    let selectors: Vec<TextPart<'_>> = request
        .selectors
        .iter()
        .chain(&content.selectors)
        .map(|selector| cel(selector))
        .collect();
    if !selectors.is_empty() {
        fields.push(("selectors".to_owned(), TextPart::List(selectors)));
    }
    if content.monitor {
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
fn config_for<'t>(names: &[String], config: &OpaqueConfig<'t>) -> TextPart<'t> {
    let requests = names.iter().map(|name| TextPart::text(name.as_str()));
    TextPart::Map(vec![
        ("requests".to_owned(), TextPart::List(requests.collect())),
        config.clone().field(),
    ])
}

/// Makes the requests and their configuration.
fn devices<'t>(
    tree: &'t Tree<'t>,
    node: NodeId,
    base: &str,
    class: &ClassNeeds,
    content: &ParametersContent<'t>,
    names: &[String],
) -> MappingChange<'t> {
    let written = locate::node(tree, node, &steps(&format!("{base}.resourceClassName")));
    let class_name = match (
        content.class,
        written.filter(|&name| tree.str(name) == Some(class.name.as_str())),
    ) {
        (Some(other), _) => TextPart::text(other),
        (None, Some(name)) => TextPart::Node(tree, name),
        (None, None) => TextPart::text(class.name.as_str()),
    };
    let none = [MigratedRequest::default()];
    let asked = if content.requests.is_empty() {
        &none[..]
    } else {
        &content.requests
    };
    let mut requests = Vec::new();
    let mut config = Vec::new();
    for (request, name) in asked.iter().zip(names) {
        requests.push(TextPart::map([
            ("name", TextPart::text(name.as_str())),
            ("exactly", exactly(request, content, class_name.clone())),
        ]));
        for of_request in &request.config {
            config.push(config_for(std::slice::from_ref(name), of_request));
        }
    }
    for of_all in &content.config {
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
