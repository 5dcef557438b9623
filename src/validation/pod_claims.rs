//! The claims of pods: `resourceClaims` of a pod's spec, and `resources.claims` of its containers. Nothing else of a pod is judged.
//!
//! Source: kube-apiserver, `pkg/apis/core/validation/validation.go`, `validatePodResourceClaims`, `validateResourceClaimNames`,
//! `validatePodResources`.

use super::errors::{Bad, Errors, FieldError};
use super::references::pods;
use crate::advice::locate;
use crate::manifest::Item;
use claimkit_model::finding::{
    Cause, Code, EntryPart, Finding, Origin, Path, Severity, Step, path,
};
use claimkit_model::message::{Message, Words, message};
use claimkit_model::nearest::Nearest;
use claimkit_model::nearest::did_you_mean;
use claimkit_model::object::go_syntax::ADDRESS;
use claimkit_model::schema::core::POD_CLAIMS_FLAT_SINCE;
use claimkit_model::schema::pod_fields::{self, Holds, PodField};
use claimkit_model::schema::{Release, workload};
use claimkit_model::text::diagnose::{Correction, Expected, correction};
use claimkit_model::text::tree::{Kind, NodeId};
use claimkit_model::text::{Style, Tree};
use claimkit_scheduler::allocator::objects::MIRROR;
use claimkit_values::names::{self, DottedLabel};
use claimkit_values::order;
use std::collections::BTreeSet;

/// The differences between releases.
struct Rules {
    /// The first release of a minor that has the rules.
    since: Release,
    /// Entries have their names directly, and containers may name one request of a claim.
    flat: bool,
    /// The names of claims and templates are checked.
    names_checked: bool,
    /// The name of a claim that a template gives is checked with the name of the pod.
    final_names: bool,
    /// A static pod may not have claims.
    static_pods: bool,
    /// A pod's own `resources` may not have claims; before, the gate PodLevelResources is off by default and drops them.
    pod_level: bool,
}

const R26: Rules = Rules {
    since: Release::new(26, 0),
    flat: false,
    names_checked: false,
    final_names: false,
    static_pods: false,
    pod_level: false,
};
const R27: Rules = Rules {
    since: Release::new(27, 0),
    names_checked: true,
    final_names: true,
    ..R26
};
const R31: Rules = Rules {
    since: Release::new(POD_CLAIMS_FLAT_SINCE, 0),
    flat: true,
    final_names: false,
    ..R27
};
const R32: Rules = Rules {
    since: Release::new(32, 6),
    static_pods: true,
    ..R31
};
const R33: Rules = Rules {
    since: Release::new(33, 0),
    ..R31
};
const R33B: Rules = Rules {
    since: Release::new(33, 2),
    ..R32
};
const R34: Rules = Rules {
    since: Release::new(34, 0),
    pod_level: true,
    ..R32
};

/// In the order of the releases; the last row that is not newer than a release is that of the release.
static RULES: [Rules; 7] = [R26, R27, R31, R32, R33, R33B, R34];

fn rules_of(release: Release) -> &'static Rules {
    RULES
        .iter()
        .rev()
        .find(|rules| rules.since <= release)
        .unwrap_or(&R26)
}

const CODE: Code = Code::PodClaimsInvalid;
/// Types whose fields differ between releases.
const CLAIM_TYPES: [&str; 2] = ["PodResourceClaim", "ResourceClaim"];
/// The fields of `resourceClaims[]` that name something.
const NAMES: [&str; 2] = ["resourceClaimName", "resourceClaimTemplateName"];

/// The parts of a pod that concern its claims.
#[derive(Debug)]
pub struct PodClaims<'t> {
    tree: &'t Tree<'t>,
    spec: NodeId,
    to_spec: &'static [&'static str],
    /// The pod's name; `None`: it is not known, or the object is a template.
    name: Option<&'t str>,
    is_static: bool,
    entries: Vec<Entry<'t>>,
    /// The claims of each container: the list, its index in it, and the claims.
    used: Vec<(&'static str, usize, Vec<Used<'t>>)>,
    /// The values that cannot be decoded.
    mistyped: Vec<Mistyped>,
    /// The fields of entries that not every release has.
    fields: Vec<(Holder, Vec<Step>)>,
    /// The fields elsewhere in the object that no release has.
    strays: Vec<Stray>,
    /// The way to the first `source` of an entry, as entries are written up to 1.30.
    source: Option<Vec<Step>>,
}

/// A field that no release has.
#[derive(Debug)]
struct Stray {
    /// The way to it from the object.
    steps: Vec<Step>,
    /// Its name.
    name: String,
    /// The type that lacks it.
    of: &'static str,
}

impl Stray {
    /// Returns true for a list of claims of the right name, in another place.
    fn is_list(&self) -> bool {
        self.name == "resourceClaims"
    }
}

/// An entry of `resourceClaims`.
#[derive(Debug, Default)]
struct Entry<'t> {
    /// The map that was written.
    node: Option<NodeId>,
    name: &'t str,
    /// The names directly in the entry, and those under `source`.
    flat: [Option<&'t str>; 2],
    source: [Option<&'t str>; 2],
}

/// An entry of `resources.claims` of a container.
#[derive(Debug, Default)]
struct Used<'t> {
    name: &'t str,
    request: &'t str,
}

/// A type with fields.
#[derive(Clone, Copy, Debug)]
enum Holder {
    /// `resourceClaims[]`
    Entry,
    /// `source` of it.
    Source,
    /// `resources.claims[]` of a container.
    Used,
}

impl Holder {
    /// Returns the names of its fields. Up to 1.30 the names of an entry are under `source`, and a container names no request.
    fn fields(self, flat: bool) -> &'static [&'static str] {
        match (self, flat) {
            (Holder::Entry, true) => &["name", "resourceClaimName", "resourceClaimTemplateName"],
            (Holder::Entry, false) => &["name", "source"],
            (Holder::Source, _) => &NAMES,
            (Holder::Used, true) => &["name", "request"],
            (Holder::Used, false) => &["name"],
        }
    }
}

/// Returns the fields that an entry of `resourceClaims` has in a release.
pub fn fields_of_entry(release: Release) -> &'static [&'static str] {
    Holder::Entry.fields(rules_of(release).flat)
}

/// Returns the fields that an entry of `resources.claims` of a container has in a release.
pub fn fields_of_use(release: Release) -> &'static [&'static str] {
    Holder::Used.fields(rules_of(release).flat)
}

/// The fields of `source` of an entry of `resourceClaims`.
pub const FIELDS_OF_SOURCE: &[&str] = &NAMES;

/// A value of the wrong type.
#[derive(Debug)]
struct Mistyped {
    steps: Vec<Step>,
    message: Message,
    help: Option<Message>,
    fix: Option<Correction>,
}

fn key(name: &str) -> Step {
    Step::Key(name.to_owned())
}

/// Reads what an object's pod says of claims; `None` if it has no pod, or nothing of the kind.
pub fn read<'t>(tree: &'t Tree<'t>, item: &'t Item) -> Option<PodClaims<'t>> {
    let to_spec = workload::path_to_spec(&item.api_version, &item.kind)?;
    let spec = to_spec
        .iter()
        .try_fold(item.node, |node, name| tree.get(node, name))?;
    let metadata = tree.get(item.node, "metadata");
    let annotations = metadata.and_then(|metadata| tree.get(metadata, "annotations"));
    let is_pod = item.kind == "Pod";
    let mut pod = PodClaims {
        tree,
        spec,
        to_spec,
        name: Some(item.name.as_str()).filter(|name| is_pod && !name.is_empty()),
        is_static: is_pod
            && annotations.is_some_and(|annotations| tree.get(annotations, MIRROR).is_some()),
        entries: Vec::new(),
        used: Vec::new(),
        mistyped: Vec::new(),
        fields: Vec::new(),
        strays: strays(tree, item),
        source: None,
    };
    let mut here = vec![key("resourceClaims")];
    for (index, entry) in pod.list(spec, "resourceClaims", &here).iter().enumerate() {
        here.push(Step::Index(index));
        let entry = pod.entry(*entry, &mut here);
        pod.entries.push(entry);
        here.pop();
    }
    for list in ["containers", "initContainers"] {
        let containers = tree
            .get(spec, list)
            .map(|list| tree.items(list))
            .unwrap_or_default();
        for (index, container) in containers.iter().enumerate() {
            let Some(resources) = tree.get(*container, "resources") else {
                continue;
            };
            let mut here = vec![key(list), Step::Index(index), key("resources")];
            pod.amounts(resources, &here);
            here.push(key("claims"));
            let mut used = Vec::new();
            for (at, claim) in pod.list(resources, "claims", &here).iter().enumerate() {
                here.push(Step::Index(at));
                used.push(pod.used(*claim, &here));
                here.pop();
            }
            if !used.is_empty() {
                pod.used.push((list, index, used));
            }
        }
    }
    (!pod.entries.is_empty()
        || !pod.used.is_empty()
        || !pod.mistyped.is_empty()
        || !pod.strays.is_empty()
        || pod.pod_level().is_some())
    .then_some(pod)
}

/// Returns the fields of a pod, or of an object that makes pods, that no release has. Those of claims are left out: they differ
/// between releases.
fn strays(tree: &Tree<'_>, item: &Item) -> Vec<Stray> {
    let root = pod_fields::root_of(&item.kind);
    let mut found = Vec::new();
    if let Some(root) = root {
        walk(tree, item.node, root, &mut Vec::new(), &mut found);
    }
    found
}

fn walk(
    tree: &Tree<'_>,
    node: NodeId,
    of: &'static str,
    here: &mut Vec<Step>,
    found: &mut Vec<Stray>,
) {
    if !tree.is_map(node) || CLAIM_TYPES.contains(&of) {
        return;
    }
    let fields = pod_fields::fields_of(of);
    for entry in tree.entries(node).iter().filter(|entry| !entry.shadowed) {
        let name = tree.text(entry.key);
        here.push(key(name));
        match fields.iter().find(|field| field.name == name) {
            None => found.push(Stray {
                steps: here.clone(),
                name: name.to_owned(),
                of,
            }),
            Some(PodField {
                below: Some((below, holds)),
                ..
            }) => walk_value(tree, entry.value, below, *holds, here, found),
            Some(_) => {}
        }
        here.pop();
    }
}

fn walk_value(
    tree: &Tree<'_>,
    node: NodeId,
    of: &'static str,
    holds: Holds,
    here: &mut Vec<Step>,
    found: &mut Vec<Stray>,
) {
    match holds {
        Holds::One => walk(tree, node, of, here, found),
        Holds::List => {
            for (index, one) in tree.items(node).iter().enumerate() {
                here.push(Step::Index(index));
                walk(tree, *one, of, here, found);
                here.pop();
            }
        }
        Holds::Map => {
            for entry in tree.entries(node) {
                here.push(key(tree.text(entry.key)));
                walk(tree, entry.value, of, here, found);
                here.pop();
            }
        }
    }
}

/// Makes the server's finding about a field of a pod that no release has.
fn stray_field(stray: &Stray, to_spec: &[&str], severity: Severity) -> Finding {
    let path = path::render(&stray.steps);
    let mut finding = Finding::upstream(
        Code::UnknownField,
        Origin::ApiServer,
        format!("unknown field \"{path}\""),
    )
    .with_severity(severity);
    let name = match stray.steps.last() {
        Some(Step::Key(name)) => name.as_str(),
        _ => "",
    };
    finding.help = stray_help(name, stray.of, to_spec).map(Words::from);
    finding.path = Some(path);
    finding.steps.clone_from(&stray.steps);
    finding.part = EntryPart::Key;
    finding
}

/// Says which field was probably meant, or where the field belongs.
fn stray_help(name: &str, of: &str, to_spec: &[&str]) -> Option<Message> {
    let fields = pod_fields::fields_of(of);
    let plain = without_separators(name);
    let same = fields
        .iter()
        .find(|field| without_separators(field.name) == plain);
    let mut nearest = Nearest::to(name);
    fields.iter().for_each(|field| nearest.consider(field.name));
    let near = same.map(|field| field.name).or_else(|| nearest.found());
    if let Some(near) = near {
        return Some(did_you_mean(near));
    }
    let place = match name {
        "resourceClaims" => to_spec.join("."),
        "claims" => "resources".to_owned(),
        _ => return None,
    };
    Some(belongs_under(name, &place))
}

fn belongs_under(name: &str, place: &str) -> Message {
    message!(
        "rules.pod-field-elsewhere",
        "`{name}` belongs under `{place}`",
        name,
        place
    )
}

impl<'t> PodClaims<'t> {
    /// Returns `spec.resources.claims`.
    fn pod_level(&self) -> Option<NodeId> {
        let resources = self.tree.get(self.spec, "resources")?;
        self.tree
            .get(resources, "claims")
            .filter(|claims| !self.is_null(*claims))
    }

    fn is_null(&self, node: NodeId) -> bool {
        matches!(self.tree.kind(node), Kind::Null)
    }

    fn wrong(&mut self, steps: &[Step], message: Message, help: Option<Message>) {
        self.mistyped.push(Mistyped {
            steps: steps.to_vec(),
            message,
            help,
            fix: None,
        });
    }

    /// Notes lists of claims among the limits and requests, which are quantities.
    fn amounts(&mut self, resources: NodeId, steps: &[Step]) {
        let tree = self.tree;
        for part in ["limits", "requests"] {
            let amounts = tree.get(resources, part);
            let claims = amounts.and_then(|map| tree.get(map, "claims"));
            if claims.is_some_and(|claims| matches!(tree.kind(claims), Kind::Seq { .. })) {
                let here = steps.iter().cloned().chain([key(part), key("claims")]);
                let message = message!(
                    "rules.pod-claims-amount",
                    "`{part}` has quantities, and no list of claims",
                    part
                );
                let help = belongs_under("claims", "resources");
                self.wrong(&here.collect::<Vec<Step>>(), message, Some(help));
            }
        }
    }

    fn list(&mut self, map: NodeId, name: &str, steps: &[Step]) -> &'t [NodeId] {
        let tree = self.tree;
        let Some(node) = tree.get(map, name).filter(|node| !self.is_null(*node)) else {
            return &[];
        };
        if !matches!(tree.kind(node), Kind::Seq { .. }) {
            let message = message!("rules.pod-list", "`{name}` is a list", name);
            let help = match tree.str(node) {
                Some(text) => message!(
                    "rules.pod-list-of-name",
                    "write `{name}: {list}`",
                    name,
                    list = format!("[{{name: {text}}}]")
                ),
                None if tree.node(node).style == Style::Flow => message!(
                    "rules.pod-list-in-brackets",
                    "write the entry in `[` and `]`"
                ),
                None => message!("rules.pod-list-help", "begin each entry with `- name:`"),
            };
            self.wrong(steps, message, Some(help));
            return &[];
        }
        tree.items(node)
    }

    /// Returns a string; `None` if it is absent or of another type, which is reported.
    fn text(&mut self, map: NodeId, name: &'static str, steps: &[Step]) -> Option<&'t str> {
        let tree = self.tree;
        let node = tree.get(map, name).filter(|node| !self.is_null(*node))?;
        let text = tree.str(node);
        if text.is_none() {
            self.report_not_text(node, name, steps);
        }
        text
    }

    /// Reports a value that is not a string, with a fix if it can be written as one.
    fn report_not_text(&mut self, node: NodeId, name: &'static str, steps: &[Step]) {
        let tree = self.tree;
        let mut steps = steps.to_vec();
        steps.push(key(name));
        let message = message!("rules.pod-string", "`{name}` is a string", name);
        if let Some(fix) = correction(tree, node, Expected::Text) {
            self.mistyped.push(Mistyped {
                steps,
                message,
                help: None,
                fix: Some(fix),
            });
            return;
        }
        let help = if tree.is_map(node) || matches!(tree.kind(node), Kind::Seq { .. }) {
            message!(
                "rules.pod-string-nested",
                "write the name itself after `{name}:`",
                name
            )
        } else {
            message!("rules.pod-string-help", "put the value in quotes")
        };
        self.wrong(&steps, message, Some(help));
    }

    /// Takes a map; something else is mistyped.
    fn map(&mut self, node: NodeId, steps: &[Step]) -> Option<NodeId> {
        let tree = self.tree;
        if self.is_null(node) {
            return None;
        }
        if !tree.is_map(node) {
            let list = steps
                .split_last()
                .map(|(_, above)| above)
                .and_then(|above| locate::node(tree, self.spec, above));
            let is_flow = list.is_some_and(|list| tree.node(list).style == Style::Flow);
            let help = tree.str(node).map(|name| {
                let entry = if is_flow {
                    format!("{{name: {name}}}")
                } else {
                    format!("- name: {name}")
                };
                message!("rules.pod-entry-help", "write `{entry}`", entry)
            });
            self.wrong(
                steps,
                message!("rules.pod-entry", "an entry here is a map with `name`"),
                help,
            );
            return None;
        }
        Some(node)
    }

    /// Notes the fields of a map that some release does not have.
    fn note(&mut self, holder: Holder, map: NodeId, steps: &[Step]) {
        let tree = self.tree;
        for entry in tree.entries(map).iter().filter(|entry| !entry.shadowed) {
            let name = tree.text(entry.key);
            if [true, false]
                .iter()
                .any(|flat| !holder.fields(*flat).contains(&name))
            {
                self.fields
                    .push((holder, steps.iter().cloned().chain([key(name)]).collect()));
            }
        }
    }

    fn entry(&mut self, node: NodeId, steps: &mut Vec<Step>) -> Entry<'t> {
        let Some(map) = self.map(node, steps) else {
            return Entry::default();
        };
        self.note(Holder::Entry, map, steps);
        let name = self.text(map, "name", steps).unwrap_or_default();
        let flat = NAMES.map(|field| self.text(map, field, steps));
        let mut source = [None, None];
        if let Some(holder) = self.tree.get(map, "source") {
            steps.push(key("source"));
            self.source.get_or_insert_with(|| steps.clone());
            if let Some(holder) = self.map(holder, steps) {
                self.note(Holder::Source, holder, steps);
                source = NAMES.map(|field| self.text(holder, field, steps));
            }
            steps.pop();
        }
        Entry {
            node: Some(map),
            name,
            flat,
            source,
        }
    }

    fn used(&mut self, node: NodeId, steps: &[Step]) -> Used<'t> {
        let Some(map) = self.map(node, steps) else {
            return Used::default();
        };
        self.note(Holder::Used, map, steps);
        let name = self.text(map, "name", steps).unwrap_or_default();
        Used {
            name,
            request: self.text(map, "request", steps).unwrap_or_default(),
        }
    }

    /// Returns the way from the object to the first `source` of an entry, if the pod is written for releases up to 1.30: a pod that also
    /// has an entry or a claim as from 1.31 on is not.
    pub fn old_form(&self) -> Option<Vec<Step>> {
        let source = self.source.as_ref()?;
        let has_flat_entry = self
            .entries
            .iter()
            .any(|entry| entry.flat.iter().any(Option::is_some));
        let mut used = self.used.iter().flat_map(|(_, _, claims)| claims);
        if has_flat_entry || used.any(|claim| !claim.request.is_empty()) {
            return None;
        }
        let to_spec = self.to_spec.iter().map(|name| key(name));
        Some(to_spec.chain(source.iter().cloned()).collect())
    }

    /// Returns the findings of a release about the claims of the pod, in the server's order: unknown fields, then errors. Their
    /// steps lead from the object. `unknown`: how bad an unknown field is; `None`: the server drops it without a word.
    pub fn findings(&self, release: Release, unknown: Option<Severity>) -> Vec<Finding> {
        let prefix: Vec<Step> = self.to_spec.iter().map(|name| key(name)).collect();
        let mut found = Vec::new();
        for Mistyped {
            steps,
            message,
            help,
            fix,
        } in &self.mistyped
        {
            let mut finding = Finding::new(Code::TypeMismatch, message.clone());
            finding.steps = [prefix.as_slice(), steps].concat();
            finding.path = Some(path::render(&finding.steps));
            finding.help = help.clone().map(Words::from);
            if let Some(Correction { help, title, edits }) = fix {
                finding = finding
                    .with_help(help.clone())
                    .with_fix(title.clone(), edits.clone());
            }
            found.push(finding);
        }
        if found.is_empty() {
            if let Some(severity) = unknown {
                found.extend(self.unknown(release).map(|(holder, steps)| {
                    let full = [prefix.as_slice(), steps].concat();
                    let finding = unknown_field(holder, full, release, severity);
                    self.with_move(finding, holder, steps, release)
                }));
                let strays = self.strays.iter();
                found.extend(strays.map(|stray| stray_field(stray, self.to_spec, severity)));
                // The server reads the keys of each map in their order.
                order::sort_by_key(&mut found, |finding| finding.steps.clone());
            }
            let misspelt = self.misspelt_list();
            let errors = self.errors(release);
            found.extend(errors.iter().map(|error| {
                let misspelt = misspelt.filter(|_| error.cause == Cause::NotFound);
                let help = match misspelt {
                    Some(stray) if stray.is_list() => Some(self.misplaced_list(stray)),
                    Some(Stray { name, .. }) => Some(
                        message!(
                            "rules.pod-list-misspelt",
                            "the pod has `{name}`, which is not a field: write `resourceClaims`, in the spec of the pod",
                            name = name
                        ),
                    ),
                    None => self.other_form(error, release).or_else(|| help(error)),
                };
                Finding {
                    help: help.map(Words::from),
                    ..error.finding()
                }
            }));
        }
        found
    }

    /// Returns the entry at a path that begins with `resourceClaims`, if its names are where only other releases have them.
    fn misplaced(&self, steps: &[Step], release: Release) -> Option<NodeId> {
        let [Step::Key(list), Step::Index(index), ..] = steps else {
            return None;
        };
        let entry = self
            .entries
            .get(*index)
            .filter(|_| list == "resourceClaims")?;
        let (here, elsewhere) = if rules_of(release).flat {
            (entry.flat, entry.source)
        } else {
            (entry.source, entry.flat)
        };
        let is_misplaced =
            here.iter().all(Option::is_none) && elsewhere.iter().any(Option::is_some);
        entry.node.filter(|_| is_misplaced)
    }

    /// Adds the move of the names to where the release has them.
    fn with_move(
        &self,
        mut finding: Finding,
        holder: Holder,
        steps: &[Step],
        release: Release,
    ) -> Finding {
        let Some(entry) = self.misplaced(steps, release) else {
            return finding;
        };
        let is_flat = !rules_of(release).flat;
        let moves_field = match steps.last() {
            Some(Step::Key(name)) if is_flat => NAMES.contains(&name.as_str()),
            Some(Step::Key(name)) => name == "source",
            _ => false,
        };
        if !matches!(holder, Holder::Entry) || !moves_field {
            return finding;
        }
        if !is_flat {
            let help = message!(
                "rules.pod-source-moved",
                "from Kubernetes 1.{since} on the name is directly in the entry: move it out of `source`",
                since = POD_CLAIMS_FLAT_SINCE
            );
            finding.help = Some(help.into());
        }
        finding
            .fixes
            .extend(pods::move_of_names(self.tree, entry, is_flat));
        finding
    }

    /// Returns the help for an entry without a name where the release looks for it, but with one where others do.
    fn other_form(&self, error: &FieldError, release: Release) -> Option<Message> {
        if !error.body.ends_with(NO_SOURCE) {
            return None;
        }
        let list = error.steps.iter();
        let start = list
            .into_iter()
            .position(|step| *step == key("resourceClaims"))?;
        self.misplaced(error.steps.get(start..)?, release)?;
        Some(if rules_of(release).flat {
            message!(
                "rules.pod-name-in-source",
                "the name is under `source`, where Kubernetes {release} does not look for it: write it directly in the entry",
                release
            )
        } else {
            message!(
                "rules.pod-name-not-in-source",
                "the name is directly in the entry, where Kubernetes {release} does not look for it: write it under `source`",
                release
            )
        })
    }

    /// Returns the name of a field that was probably meant to be `resourceClaims` of the pod.
    fn misspelt_list(&self) -> Option<&Stray> {
        self.strays.iter().find(|stray| {
            let plain = stray.name.replace(['_', '-'], "").to_lowercase();
            plain.starts_with("resourceclaim") && self.entries.is_empty()
        })
    }

    /// Says where `resourceClaims` is, and where it belongs.
    fn misplaced_list(&self, stray: &Stray) -> Message {
        let above = stray.steps.split_last().map_or(&[][..], |(_, above)| above);
        let place = self.to_spec.join(".");
        if above.is_empty() {
            return message!(
                "rules.pod-list-at-top",
                "`resourceClaims` is at the top level: move it to `{place}`",
                place
            );
        }
        message!(
            "rules.pod-list-misplaced",
            "`resourceClaims` is in `{holder}`: move it to `{place}`",
            holder = path::render(above),
            place
        )
    }

    /// Returns the fields that a release does not know.
    fn unknown(&self, release: Release) -> impl Iterator<Item = (Holder, &[Step])> {
        let flat = rules_of(release).flat;
        self.fields.iter().filter_map(move |(holder, steps)| {
            // Below a field that is not known, nothing is looked at.
            if flat && matches!(holder, Holder::Source) {
                return None;
            }
            let Some(Step::Key(name)) = steps.last() else {
                return None;
            };
            let is_known = holder.fields(flat).contains(&name.as_str());
            (!is_known).then_some((*holder, steps.as_slice()))
        })
    }

    /// Returns the errors of a release. None where something cannot be decoded: the server stops there.
    pub fn errors(&self, release: Release) -> Vec<FieldError> {
        let rules = rules_of(release);
        let mut errors = Errors::new(release);
        if self.mistyped.is_empty() {
            self.below(rules, self.to_spec, &Path::ROOT, &mut errors);
            // The answer has each text once.
            errors.once_from(0);
        }
        errors.into_list()
    }

    /// Walks to the spec, at most five steps, and judges it.
    fn below(&self, rules: &Rules, to: &[&str], path: &Path<'_>, errors: &mut Errors) {
        match to.split_first() {
            Some((name, rest)) => self.below(rules, rest, &path.field(name), errors),
            None => self.judge(rules, path, errors),
        }
    }

    fn judge(&self, rules: &Rules, spec: &Path<'_>, errors: &mut Errors) {
        let mut known: BTreeSet<&str> = BTreeSet::new();
        for (index, entry) in self.entries.iter().enumerate() {
            let path = &spec.field("resourceClaims");
            if rules.static_pods && self.is_static {
                errors.forbidden_nowhere(
                    CODE,
                    &path.index(index),
                    "static pods do not support resource claims",
                );
                continue;
            }
            self.judge_entry(rules, entry, &path.index(index), &mut known, errors);
        }
        let names = order::set(
            self.entries
                .iter()
                .map(|entry| entry.name)
                .filter(|name| !name.is_empty()),
        );
        for (list, index, used) in &self.used {
            let path = &spec.field(list);
            judge_used(
                rules,
                used,
                &path.index(*index).field("resources").field("claims"),
                &names,
                errors,
            );
        }
        if rules.pod_level && self.pod_level().is_some() {
            let path = &spec.field("resources");
            errors.forbidden(
                CODE,
                &path.field("claims"),
                "claims may not be set for Resources at pod-level",
            );
        }
    }

    fn judge_entry(
        &self,
        rules: &Rules,
        entry: &Entry<'t>,
        path: &Path<'_>,
        known: &mut BTreeSet<&'t str>,
        errors: &mut Errors,
    ) {
        let name = &path.field("name");
        let [_, template] = if rules.flat { entry.flat } else { entry.source };
        if entry.name.is_empty() {
            errors.required(CODE, name, "");
        } else if !known.insert(entry.name) {
            errors.duplicate(CODE, name, Bad::Str(entry.name));
        } else {
            let messages = names::label(entry.name, errors.dotted_label());
            errors.malformed(CODE, name, entry.name, &messages);
            if let (true, true, Some(pod), Some(_)) =
                (rules.final_names, messages.is_empty(), self.name, template)
            {
                let claim = format!("{pod}-{}", entry.name);
                for detail in names::subdomain(&claim) {
                    errors.invalid(
                        CODE,
                        name,
                        Bad::Str(&claim),
                        &format!("{FINAL_NAME}: {detail}"),
                    );
                }
            }
        }
        let source = path.field("source");
        let (holder, written) = if rules.flat {
            (path, entry.flat)
        } else {
            (&source, entry.source)
        };
        let shown = if rules.flat {
            printed(entry, errors)
        } else {
            printed_source(entry)
        };
        match written {
            [Some(_), Some(_)] => {
                errors.invalid(CODE, holder, Bad::Syntax(shown), TWO_SOURCES);
            }
            [None, None] => {
                errors.invalid(CODE, holder, Bad::Syntax(shown), NO_SOURCE);
            }
            _ => {}
        }
        for (field, value) in NAMES.into_iter().zip(written) {
            if let Some(value) = value.filter(|_| rules.names_checked) {
                errors.malformed(CODE, &holder.field(field), value, &names::subdomain(value));
            }
        }
    }
}

/// Returns an entry as the server prints it from 1.31 on: as JSON, or in Go's notation with the addresses of its strings, which
/// differ in each answer.
fn printed(entry: &Entry<'_>, errors: &Errors) -> String {
    let [claim, template] = entry.flat;
    if errors.values_as_json() {
        let name = claimkit_values::json_quote(entry.name);
        let [claim, template] = [claim, template]
            .map(|value| value.map_or_else(|| "null".to_owned(), claimkit_values::json_quote));
        return format!(
            "{{\"Name\":{name},\"ResourceClaimName\":{claim},\"ResourceClaimTemplateName\":{template}}}"
        );
    }
    let mut name = String::new();
    claimkit_values::quote_into(&mut name, entry.name, errors.unicode());
    format!(
        "core.PodResourceClaim{{Name:{name}, ResourceClaimName:{}, ResourceClaimTemplateName:{}}}",
        address(claim),
        address(template)
    )
}

/// Prints `source` as the server does up to 1.30.
fn printed_source(entry: &Entry<'_>) -> String {
    let [claim, template] = entry.source;
    format!(
        "core.ClaimSource{{ResourceClaimName:{}, ResourceClaimTemplateName:{}}}",
        address(claim),
        address(template)
    )
}

fn address(text: Option<&str>) -> String {
    format!(
        "(*string)({})",
        if text.is_some() { ADDRESS } else { "nil" }
    )
}

fn judge_used(
    rules: &Rules,
    used: &[Used<'_>],
    path: &Path<'_>,
    known: &BTreeSet<&str>,
    errors: &mut Errors,
) {
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    for (index, claim) in used.iter().enumerate() {
        let path = &path.index(index);
        let name = claim.name;
        if name.is_empty() {
            errors.required(CODE, path, "");
            continue;
        }
        let request = if rules.flat { claim.request } else { "" };
        if seen.contains(&(name, "")) {
            errors.duplicate(CODE, path, Bad::Str(name));
        } else {
            if !request.is_empty() {
                errors.malformed(
                    CODE,
                    &path.field("request"),
                    request,
                    &names::label(request, DottedLabel::NamesTheDots),
                );
            }
            if seen.contains(&(name, request)) {
                errors.duplicate(CODE, path, Bad::Str(&format!("{name}/{request}")));
            } else if request.is_empty() {
                // One error for each request of the claim that is named before.
                for _ in seen.iter().filter(|(other, _)| *other == name) {
                    errors.duplicate(CODE, path, Bad::Str(name));
                }
            }
            seen.insert((name, request));
        }
        if !known.contains(name) {
            let detail = match known.is_empty() {
                true => {
                    "must be one of the names in pod.spec.resourceClaims which is empty".to_owned()
                }
                false => {
                    let known: Vec<&str> = known.iter().copied().collect();
                    format!(
                        "must be one of the names in pod.spec.resourceClaims: {}",
                        known.join(", ")
                    )
                }
            };
            errors.not_found_because(Code::PodClaimUndefined, path, name, &detail);
        }
    }
}

/// Makes the server's finding about a field that it does not know.
fn unknown_field(
    holder: Holder,
    steps: Vec<Step>,
    release: Release,
    severity: Severity,
) -> Finding {
    let path = path::render(&steps);
    let mut finding = Finding::upstream(
        Code::UnknownField,
        Origin::ApiServer,
        format!("unknown field \"{path}\""),
    )
    .with_severity(severity);
    let flat = rules_of(release).flat;
    let name = match steps.last() {
        Some(Step::Key(name)) => name.as_str(),
        _ => "",
    };
    let mut nearest = Nearest::to(name);
    holder
        .fields(flat)
        .iter()
        .for_each(|known| nearest.consider(known));
    let since = POD_CLAIMS_FLAT_SINCE;
    finding.help = Some(match (name, nearest.found()) {
        ("source", _) if flat => message!(
            "rules.pod-source-gone",
            "from Kubernetes 1.{since} on the name is directly in the entry: leave `source` out",
            since
        )
        .into(),
        (name, _) if !flat && NAMES.contains(&name) => {
            let last = since.saturating_sub(1);
            message!("rules.pod-source-wanted", "up to Kubernetes 1.{last} the name is under `source`", last).into()
        }
        ("request", _) if !matches!(holder, Holder::Used) => message!(
            "rules.pod-request-of-container",
            "a container names the request, in `resources.claims[]`: move `request` there"
        )
        .into(),
        ("request", _) => message!(
            "rules.pod-request-later",
            "a container can name a request from Kubernetes 1.{since} on; leave it out to use the whole claim",
            since
        )
        .into(),
        ("resourceClaim", _) if flat => did_you_mean("resourceClaimName").into(),
        (_, Some(near)) => did_you_mean(near).into(),
        _ => message!("rules.pod-entry-fields", "an entry here has `{fields}`", fields = holder.fields(flat).join("`, `")).into(),
    });
    finding.path = Some(path);
    finding.steps = steps;
    finding.part = EntryPart::Key;
    finding
}

/// What the API server says of an entry with two names, with none, and of a claim whose name is made of the pod's and the entry's.
const TWO_SOURCES: &str =
    "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
const NO_SOURCE: &str = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
const FINAL_NAME: &str = "final ResourceClaim name";

/// Returns the help for an error, which follows from its cause.
fn help(error: &FieldError) -> Option<Message> {
    let last = error.field.rsplit('.').next().unwrap_or_default();
    Some(match error.cause {
        Cause::NotFound => {
            message!(
                "rules.pod-claim-undefined",
                "add the entry to `resourceClaims` of the pod, or name one that is there"
            )
        }
        Cause::Duplicate if last == "name" => message!(
            "rules.pod-name-duplicate",
            "give each entry a name of its own"
        ),
        Cause::Duplicate => {
            message!(
                "rules.pod-claim-duplicate",
                "name the claim once: without `request` it stands for all of its requests"
            )
        }
        Cause::Required => message!("rules.pod-name-missing", "write the `name` of the entry"),
        Cause::Forbidden if error.field == "[]" => message!(
            "rules.pod-static",
            "a static pod is read by kubelet from a file and cannot use claims: create the pod through the API server"
        ),
        Cause::Forbidden => {
            message!(
                "rules.pod-level",
                "name the claim under `resources.claims` of a container"
            )
        }
        _ if error.body.ends_with(NO_SOURCE) => message!(
            "rules.pod-no-source",
            "name a claim that is there in `resourceClaimName`, or a template in `resourceClaimTemplateName`, of which each pod gets a claim of its own"
        ),
        _ if error.body.ends_with(TWO_SOURCES) => {
            message!(
                "rules.pod-two-sources",
                "keep one of `resourceClaimName` and `resourceClaimTemplateName`"
            )
        }
        // Behind the value, which is in quotes.
        _ if error.body.contains(&format!("\": {FINAL_NAME}: ")) => {
            message!(
                "rules.pod-final-name",
                "the claim is called after the pod and the entry: shorten one of the two names"
            )
        }
        _ if last == "request" && request_of(&error.body).is_some() => message!(
            "rules.pod-request-of-alternative",
            "a container names the request, not one of its alternatives: write `{request}`",
            request = request_of(&error.body).unwrap_or_default()
        ),
        _ if matches!(last, "name" | "request") => {
            message!(
                "rules.pod-label",
                "use lower case letters, digits and `-`, at most 63, and no dots"
            )
        }
        _ => message!(
            "rules.pod-subdomain",
            "use lower case letters, digits, `-` and `.`; begin and end with a letter or digit"
        ),
    })
}

fn without_separators(text: &str) -> String {
    text.replace(['_', '-'], "").to_lowercase()
}

/// Returns the request of `request/alternative`, if an error is about such a value.
fn request_of(body: &str) -> Option<&str> {
    let (_, rest) = body.split_once("Invalid value: \"")?;
    let (value, _) = rest.split_once('"')?;
    let (request, alternative) = value.split_once('/')?;
    (is_label(request) && is_label(alternative)).then_some(request)
}

fn is_label(name: &str) -> bool {
    names::label(name, DottedLabel::NamesTheDots).is_empty()
}
