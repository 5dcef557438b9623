//! Changes that the settings make to a new claim, as edits of the object's text: everything else stays as written.

use crate::policy::namespace::Namespace;
use crate::policy::settings::{ClassRule, Settings};
use claimkit_model::schema::{ClassicKind, DeviceKind, ObjectKind, classic, device};
use claimkit_model::text::print;
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use claimkit_values::GoUnicode;
use claimkit_values::order;

/// A field that gets another value.
#[derive(Debug)]
pub struct FieldChange {
    /// The object whose field it is.
    holder: NodeId,
    field: &'static str,
    value: String,
    /// The value is JSON, not a text.
    raw: bool,
    /// The previous value; empty if there was none.
    before: String,
    /// Its path, as Kubernetes prints it.
    pub path: String,
}

impl FieldChange {
    /// Returns the sentence about the change, for the user.
    pub fn sentence(&self, unicode: GoUnicode) -> String {
        let shown = |value: &str| {
            if self.raw {
                value.to_owned()
            } else {
                claimkit_values::quote(value, unicode)
            }
        };
        format!(
            "{}: set to {} by the policy in place of {}",
            self.path,
            shown(&self.value),
            shown(&self.before)
        )
    }
}

/// Returns the changes of an object at a node.
pub fn changes(
    settings: &Settings,
    tree: &Tree<'_>,
    object: NodeId,
    kind: ObjectKind,
    namespace: Namespace<'_>,
) -> Vec<FieldChange> {
    let mut changes = Changes {
        settings,
        tree,
        namespace,
        list: Vec::new(),
    };
    let Some(mut spec) = tree.get(object, "spec") else {
        return Vec::new();
    };
    let mut path = "spec".to_owned();
    if kind.is_template() {
        let Some(inner) = tree.get(spec, "spec") else {
            return Vec::new();
        };
        (spec, path) = (inner, "spec.spec".to_owned());
    }
    match kind {
        ObjectKind::Classic(ClassicKind::ResourceClaim | ClassicKind::ResourceClaimTemplate)
            if tree.is_map(spec) =>
        {
            changes.class(
                &settings.resource_classes,
                "resourceClasses",
                spec,
                "resourceClassName",
                &path,
            );
            changes.mode(classic::v1alpha2::ALLOCATION_MODES, spec, &path);
        }
        ObjectKind::Device(DeviceKind::ResourceClaim | DeviceKind::ResourceClaimTemplate) => {
            if let Some(devices) = tree.get(spec, "devices") {
                changes.requests(devices, &format!("{path}.devices.requests"));
            }
        }
        _ => {}
    }
    changes.list
}

struct Changes<'c, 's> {
    settings: &'c Settings,
    tree: &'c Tree<'s>,
    namespace: Namespace<'c>,
    list: Vec<FieldChange>,
}

impl Changes<'_, '_> {
    fn requests(&mut self, devices: NodeId, path: &str) {
        for (at, request) in self.items(devices, "requests").into_iter().enumerate() {
            let path = format!("{path}[{at}]");
            let alternatives = self.items(request, "firstAvailable");
            if let Some(exactly) = self.tree.get(request, "exactly") {
                self.device(exactly, &format!("{path}.exactly"));
            } else if alternatives.is_empty() {
                self.device(request, &path);
            }
            for (at, alternative) in alternatives.into_iter().enumerate() {
                self.device(alternative, &format!("{path}.firstAvailable[{at}]"));
            }
        }
    }

    fn device(&mut self, request: NodeId, path: &str) {
        if self.tree.is_map(request) {
            let settings = self.settings;
            self.class(
                &settings.device_classes,
                "deviceClasses",
                request,
                "deviceClassName",
                path,
            );
            self.mode(device::ALLOCATION_MODES, request, path);
        }
    }

    fn class(
        &mut self,
        rule: &ClassRule,
        setting: &str,
        holder: NodeId,
        field: &'static str,
        path: &str,
    ) {
        let class = self.text(holder, field);
        // If it is unknown whether the rule applies, the claim is refused unchanged.
        let applies = match rule.of(self.namespace, &class) {
            Ok(applies) => applies,
            // The class is put in place so that the answer is that the labels are not known, not that the class is missing.
            Err(_) if class.is_empty() => rule.elsewhere(),
            Err(_) => return,
        };
        let instead = match class.as_str() {
            "" => applies.default.or(applies.fallback),
            class if applies.list.accepts(class) => None,
            _ => applies.fallback,
        };
        if let Some(instead) = instead.filter(|_| !self.settings.warns(setting)) {
            self.set(holder, field, instead, class, path);
        }
    }

    /// Changes the mode. Before any policy runs, the API server fills a missing mode with the first mode of the family. `All` has
    /// no count.
    fn mode(&mut self, of_family: &[&str], holder: NodeId, path: &str) {
        if self.settings.warns("allocationModes") {
            return;
        }
        let (settings, first) = (
            self.settings,
            of_family.first().copied().unwrap_or_default(),
        );
        let mut mode = self.text(holder, "allocationMode");
        if mode.is_empty() {
            mode = first.to_owned();
        }
        let is_default = mode == first;
        let default = settings
            .default_mode
            .as_ref()
            .filter(|default| is_default && **default != mode);
        let accepted = settings.allocation_modes.accepts(&mode);
        let instead = default.or(settings.fallback_mode.as_ref().filter(|_| !accepted));
        let Some(instead) = instead.filter(|instead| of_family.contains(&instead.as_str())) else {
            return;
        };
        self.set(holder, "allocationMode", instead, mode, path);
        if instead == "All"
            && let Some(count) = self.tree.get(holder, "count")
        {
            let span = self.tree.span(count);
            let before = self.tree.slice(span).to_owned();
            let path = format!("{path}.count");
            self.list.push(FieldChange {
                holder,
                field: "count",
                value: "0".to_owned(),
                raw: true,
                before,
                path,
            });
        }
    }

    fn set(
        &mut self,
        holder: NodeId,
        field: &'static str,
        value: &str,
        before: String,
        path: &str,
    ) {
        self.list.push(FieldChange {
            holder,
            field,
            value: value.to_owned(),
            raw: false,
            before,
            path: format!("{path}.{field}"),
        });
    }

    fn text(&self, holder: NodeId, field: &str) -> String {
        self.tree
            .get(holder, field)
            .and_then(|value| self.tree.str(value))
            .unwrap_or_default()
            .to_owned()
    }

    fn items(&self, holder: NodeId, field: &str) -> Vec<NodeId> {
        let list = self
            .tree
            .get(holder, field)
            .filter(|&list| matches!(self.tree.kind(list), Kind::Seq { .. }));
        list.map_or_else(Vec::new, |list| self.tree.items(list).to_vec())
    }
}

/// Applies the changes to the object's text; `None` if there are none.
pub fn apply(tree: &Tree<'_>, object: NodeId, changes: &[FieldChange]) -> Option<String> {
    let mut edits: Vec<(usize, usize, String)> = Vec::new();
    // The place of the last insertion; new members of the same object are inserted together.
    let mut put = None;
    for change in changes {
        let mut value = String::new();
        if change.raw {
            value.push_str(&change.value)
        } else {
            print::quote(&change.value, &mut value)
        }
        if let Some(old) = tree.get(change.holder, change.field) {
            let span = tree.span(old);
            edits.push((span.from(), span.to(), value));
            continue;
        }
        let start = tree.span(change.holder).from().saturating_add(1);
        let is_empty = tree.entries(change.holder).is_empty();
        let member = format!(
            "\"{}\":{value}{}",
            change.field,
            if is_empty { "" } else { "," }
        );
        match put
            .and_then(|at: usize| edits.get_mut(at))
            .filter(|(from, ..)| *from == start)
        {
            Some((_, _, members)) => {
                members.push_str(&format!("{}{member}", if is_empty { "," } else { "" }))
            }
            None => {
                put = Some(edits.len());
                edits.push((start, start, member));
            }
        }
    }
    order::sort_by_key(&mut edits, |(from, ..)| *from);
    let (whole, source) = (tree.span(object), tree.source());
    let mut text = String::new();
    let mut at = whole.from();
    for (from, to, new) in edits {
        text.push_str(source.get(at..from)?);
        text.push_str(&new);
        at = to;
    }
    text.push_str(source.get(at..whole.to())?);
    (!changes.is_empty()).then_some(text)
}
