//! Positions in the text for the requests, constraints and changes of an account, and edits for the changes.

use crate::advice::locate;
use crate::manifest::{Input, What};
use claimkit_model::finding::{FieldPath, Step, field_path};
use claimkit_model::text::edit::{
    Edits, content_end, is_flow, lead, line_break, line_end, line_start, next_line, own_comments,
    whole,
};
use claimkit_model::text::located::{Range, RangeEdit, file_range};
use claimkit_model::text::{Mode, NodeId, Span, Tree, print};
use claimkit_scheduler::allocator::fitting::FittingSelector;
use claimkit_scheduler::allocator::objects::{Facts, Meta, Pod, Toleration};
use claimkit_scheduler::explain::account::{Change, ChangeKind, PodAccount, Relaxation, SetField};
use std::collections::BTreeMap;

/// The claims of a text.
pub struct ClaimPlaces<'i, 's> {
    input: &'i Input<'s>,
    /// By `namespace/name` of a claim: where its fields are written, first the one that the pod uses.
    claims: BTreeMap<String, Vec<Written>>,
}

/// An object of the text that holds the fields of a claim.
#[derive(Clone, Copy)]
struct Written {
    /// The index of the object.
    index: usize,
    /// It is the template that the claim was made from.
    template: bool,
}

/// A claim in the text.
struct ClaimTree<'i, 's> {
    tree: &'i Tree<'s>,
    root: NodeId,
    mode: Mode,
    /// Its version has no `exactly` in requests.
    flat: bool,
    /// It is the template of a claim.
    template: bool,
}

impl<'i, 's> ClaimPlaces<'i, 's> {
    /// Finds the claims. The pods of the facts tell which claims are made from templates; `namespace` maps a written namespace to the
    /// effective one.
    pub fn of(input: &'i Input<'s>, facts: &Facts, namespace: &dyn Fn(&str) -> String) -> Self {
        // Of several objects with one name the first counts, and maps keep the last one.
        let mut claims: BTreeMap<String, Vec<Written>> = BTreeMap::new();
        let mut templates: BTreeMap<String, usize> = BTreeMap::new();
        for (index, item) in input.items.iter().enumerate().rev() {
            let full_name = format!("{}/{}", namespace(&item.namespace), item.name);
            if item.kind == "ResourceClaim" {
                let written = Written {
                    index,
                    template: false,
                };
                claims.insert(full_name, vec![written]);
            } else if item.kind == "ResourceClaimTemplate" {
                templates.insert(full_name, index);
            }
        }
        // The current pod uses a claim that was made from a template; later pods get new ones.
        for pod in &facts.pods {
            let statuses = pod
                .status
                .resource_claim_statuses
                .as_deref()
                .unwrap_or_default();
            let namespace = &pod.metadata.namespace;
            // The claims of the pod, each with the index of its template.
            let mut made: Vec<(usize, String)> = Vec::new();
            for entry in &pod.spec.resource_claims {
                let template = entry.resource_claim_template_name.as_deref();
                let index = template.and_then(|name| templates.get(&format!("{namespace}/{name}")));
                let status = statuses.iter().find(|status| status.name == entry.name);
                let claim = status.and_then(|status| status.resource_claim_name.as_deref());
                let (Some(index), Some(claim)) = (index, claim) else {
                    continue;
                };
                let full_name = format!("{namespace}/{claim}");
                if !is_alike(facts, &full_name, template, pod) {
                    continue;
                }
                made.push((*index, full_name.clone()));
                let places = claims.entry(full_name).or_default();
                if !places.iter().any(|place| place.template) {
                    places.push(Written {
                        index: *index,
                        template: true,
                    });
                }
            }
            add_siblings(&mut claims, facts, &made);
        }
        ClaimPlaces { input, claims }
    }

    /// Adds ranges and edits to accounts.
    pub fn fill(&self, pods: &mut [PodAccount]) {
        for node in pods.iter_mut().flat_map(|pod| &mut pod.nodes) {
            for request in &mut node.requests {
                request.range = self.range(&request.claim, &request.path);
            }
            for conflict in &mut node.conflicts {
                conflict.path = conflict
                    .constraint
                    .map(|index| field_path!["spec", "devices", "constraints", index]);
                conflict.range = conflict
                    .path
                    .as_ref()
                    .and_then(|path| self.range(&conflict.claim, path));
            }
            for relaxation in &mut node.relaxations {
                relaxation.edits = self.edits(relaxation).unwrap_or_default();
                for change in &mut relaxation.changes {
                    let Some(path) = change.path.take() else {
                        continue;
                    };
                    change.range = self.range(&change.claim, &path);
                    change.path = Some(self.written_path(&change.claim, path));
                }
            }
        }
    }

    /// Returns the objects that hold the fields of a claim, the claim itself first.
    fn trees(&self, claim: &str) -> impl Iterator<Item = ClaimTree<'i, 's>> {
        self.claims.get(claim).into_iter().flatten().filter_map(|Written { index, template }| {
            let item = self.input.items.get(*index)?;
            let flat = matches!(&item.what, What::Ours(api) if matches!(api.version.name, "v1alpha3" | "v1beta1"));
            let (tree, mode) = (self.input.tree(item)?, self.input.mode(item));
            Some(ClaimTree { tree, root: item.node, mode, flat, template: *template })
        })
    }

    fn range(&self, claim: &str, path: &FieldPath) -> Option<Range> {
        let place = self.trees(claim).next()?;
        let span = locate::locate(place.tree, place.root, &place.steps(path));
        Some(file_range(&self.input.file.source, span))
    }

    /// Returns a v1 path of a claim as the claim's own version has it.
    fn written_path(&self, claim: &str, path: FieldPath) -> FieldPath {
        match self.trees(claim).next() {
            Some(place) if place.flat => path.without("exactly"),
            _ => path,
        }
    }

    /// Writes a relaxation as edits of the text, of the claim and of the template that it was made from; `None` if a change does
    /// not concern the text, or cannot be written safely.
    fn edits(&self, relaxation: &Relaxation) -> Option<Vec<RangeEdit>> {
        let mut edits = Edits::new();
        for (at, change) in relaxation.changes.iter().enumerate() {
            // All tolerations of a request are written at once.
            let tolerations = relaxation
                .changes
                .iter()
                .filter(|other| has_same_place(other, change));
            let added: Vec<&Toleration> = tolerations
                .filter_map(|other| other.toleration.as_ref())
                .collect();
            let is_written = relaxation
                .changes
                .iter()
                .take(at)
                .any(|other| has_same_place(other, change));
            if is_written && change.toleration.is_some() {
                continue;
            }
            let mut trees = self.trees(&change.claim);
            trees.next()?.edit(change, &added, &mut edits)?;
            for template in trees {
                template.edit(change, &added, &mut edits)?;
            }
        }
        let sorted = edits.sorted().ok()?;
        let source = &self.input.file.source;
        let edits = sorted.into_iter().map(|edit| RangeEdit {
            range: file_range(source, edit.span),
            new_text: edit.new_text,
        });
        Some(edits.collect())
    }
}

fn has_same_place(change: &Change, other: &Change) -> bool {
    change.claim == other.claim && change.path == other.path
}

impl ClaimTree<'_, '_> {
    /// Returns the steps of a v1 path in the claim's own version.
    fn steps(&self, path: &FieldPath) -> Vec<Step> {
        let mut steps = path.steps();
        if self.template {
            steps.insert(0, Step::Key("spec".to_owned()));
        }
        steps.retain(|step| !(self.flat && matches!(step, Step::Key(key) if key == "exactly")));
        steps
    }

    fn edit(&self, change: &Change, tolerations: &[&Toleration], edits: &mut Edits) -> Option<()> {
        let steps = self.steps(change.path.as_ref()?);
        match (&change.toleration, &change.to) {
            (_, Some(to)) if change.kind == ChangeKind::Set(SetField::CapacityName) => {
                self.rename(&steps, to, edits)
            }
            (Some(_), _) => self.tolerate(&steps, tolerations, edits),
            (None, Some(to)) if change.kind == ChangeKind::Set(SetField::Selector) => {
                self.set_expression(&steps, to, change.fitting.as_ref()?, edits)
            }
            (None, Some(to)) if change.is_capacity_added() => self.ask_for(&steps, to, edits),
            (None, Some(to)) => self.set(&steps, to, edits),
            (None, None) => self.drop(&steps, edits),
        }
    }

    /// Replaces a key; quotes stay.
    fn rename(&self, steps: &[Step], to: &str, edits: &mut Edits) -> Option<()> {
        let (Step::Key(name), above) = steps.split_last()? else {
            return None;
        };
        let map = locate::node(self.tree, self.root, above)?;
        let entry = self
            .tree
            .entries(map)
            .iter()
            .find(|entry| self.tree.text(entry.key) == name)?;
        self.replace(entry.key_span, to, edits)
    }

    /// Removes an item from a list, or an entry from a map; removes what would be left empty.
    fn drop(&self, steps: &[Step], edits: &mut Edits) -> Option<()> {
        match steps.split_last()? {
            (Step::Key(name), above) => self.drop_entry(name, above, edits),
            (Step::Index(index), above) => self.drop_item(*index, above, edits),
        }
    }

    /// Removes an entry from a map; of a map with one entry, the map itself.
    fn drop_entry(&self, name: &str, above: &[Step], edits: &mut Edits) -> Option<()> {
        let map = locate::node(self.tree, self.root, above)?;
        if let ([_], Some((Step::Key(name), above))) = (self.tree.entries(map), above.split_last())
        {
            return self.drop_entry(name, above, edits);
        }
        edits
            .remove_entries(self.tree, map, |entry| self.tree.text(entry.key) == name)
            .ok()
    }

    /// Removes an item from a list; from a list of one item, the whole list, unless it is all that its map holds.
    fn drop_item(&self, index: usize, above: &[Step], edits: &mut Edits) -> Option<()> {
        let tree = self.tree;
        let list = locate::node(tree, self.root, above)?;
        let items = tree.items(list);
        let item = *items.get(index)?;
        if let [_] = items {
            let (Step::Key(name), above) = above.split_last()? else {
                return None;
            };
            let map = locate::node(tree, self.root, above)?;
            if tree.entries(map).len() < 2 {
                return None;
            }
            return edits
                .remove_entries(tree, map, |entry| tree.text(entry.key) == name)
                .ok();
        }
        let text = tree.source();
        let (start, end) = (whole(tree, item).from(), content_end(tree, item));
        if is_flow(tree, list) {
            // The comma behind the item goes with it, or that before the last item.
            let span = match items.get(index.saturating_add(1)) {
                Some(next) => Span::new(start, whole(tree, *next).from()),
                None => {
                    let previous = items.get(index.checked_sub(1)?)?;
                    Span::new(content_end(tree, *previous), end)
                }
            };
            edits.remove(span);
            return Some(());
        }
        edits.remove(Span::new(
            own_comments(tree, self.dash(start)?),
            next_line(text, end),
        ));
        Some(())
    }

    /// Returns the place of the `-` of a block item, if it is the only one of its line.
    fn dash(&self, start: usize) -> Option<usize> {
        let text = self.tree.source();
        lead(text, start)?;
        let line = line_start(text, start);
        let (before, after) = text.get(line..start)?.split_once('-')?;
        (!after.contains('-')).then(|| line.saturating_add(before.len()))
    }

    /// Replaces a scalar; quotes stay.
    fn set(&self, steps: &[Step], to: &str, edits: &mut Edits) -> Option<()> {
        self.replace(
            self.tree
                .node(locate::node(self.tree, self.root, steps)?)
                .span,
            to,
            edits,
        )
    }

    fn replace(&self, span: Span, to: &str, edits: &mut Edits) -> Option<()> {
        let old = span.slice_of(self.tree.source())?;
        let number = claimkit_values::has_only_digits(to);
        let new = match old.bytes().next()? {
            b'"' => format!("\"{to}\""),
            b'\'' => format!("'{to}'"),
            b'|' | b'>' | b'*' | b'{' | b'[' => return None,
            _ if self.mode == Mode::Json && !number => format!("\"{to}\""),
            _ => to.to_owned(),
        };
        edits.replace(span, new);
        Some(())
    }

    /// Replaces an expression; in a block scalar only the part that changes, so that its lines stay.
    fn set_expression(
        &self,
        steps: &[Step],
        expression: &str,
        fitting: &FittingSelector,
        edits: &mut Edits,
    ) -> Option<()> {
        let node = locate::node(self.tree, self.root, steps)?;
        let span = self.tree.node(node).span;
        let old = span.slice_of(self.tree.source())?;
        match old.bytes().next()? {
            b'|' | b'>' => {
                let (before, behind) = old.split_once(&fitting.from)?;
                if behind.contains(&fitting.from) {
                    return None;
                }
                let from = span.from().saturating_add(before.len());
                let to = from.saturating_add(fitting.from.len());
                edits.replace(Span::new(from, to), fitting.to.clone());
            }
            b'*' | b'{' | b'[' => return None,
            b'"' => {
                let mut quoted = String::new();
                print::quote(expression, &mut quoted);
                edits.replace(span, quoted);
            }
            // Without quotes an expression may be something else in brackets.
            _ => edits.replace(span, print::quoted(expression)),
        }
        Some(())
    }

    /// Adds a value of a request, with the maps above it that are not there.
    fn ask_for(&self, steps: &[Step], to: &str, edits: &mut Edits) -> Option<()> {
        let (depth, map) = (1..steps.len()).rev().find_map(|depth| {
            let above = steps.get(..depth)?;
            Some((depth, locate::node(self.tree, self.root, above)?))
        })?;
        let mut keys = Vec::new();
        for step in steps.get(depth..)? {
            let Step::Key(key) = step else {
                return None;
            };
            keys.push(key.as_str());
        }
        let tree = self.tree;
        let text = tree.source();
        let start = tree.entries(map).first()?.key_span.from();
        if is_flow(tree, map) {
            edits.insert(start, format!("{}, ", nested_flow(&keys, to)?));
            return Some(());
        }
        let indent = lead(text, start)?;
        let end = content_end(tree, map);
        let newline = line_break(text, end);
        let added = nested_block(&keys, to, newline, &indent);
        edits.insert(line_end(text, end), added);
        Some(())
    }

    /// Adds tolerations to a request.
    fn tolerate(
        &self,
        steps: &[Step],
        tolerations: &[&Toleration],
        edits: &mut Edits,
    ) -> Option<()> {
        let tree = self.tree;
        let text = tree.source();
        let (_, above) = steps.split_last()?;
        let map = locate::node(tree, self.root, above)?;
        let written: Vec<String> = tolerations
            .iter()
            .map(|toleration| flow_toleration(toleration))
            .collect();
        let inline = written.join(", ");
        if let Some(list) = tree.get(map, "tolerations") {
            let items = tree.items(list);
            let (first, last) = (*items.first()?, *items.last()?);
            let end = content_end(tree, last);
            if is_flow(tree, list) {
                edits.insert(end, format!(", {inline}"));
                return Some(());
            }
            let dash = self.dash(whole(tree, first).from())?;
            let indent = dash.saturating_sub(line_start(text, dash));
            let items = block_tolerations(tolerations, line_break(text, end), indent);
            edits.insert(line_end(text, end), items);
            return Some(());
        }
        let first = tree.entries(map).first()?;
        let start = first.key_span.from();
        if is_flow(tree, map) {
            edits.insert(start, format!("\"tolerations\": [{inline}], "));
            return Some(());
        }
        let indent = lead(text, start)?;
        let end = content_end(tree, map);
        let newline = line_break(text, end);
        let items = block_tolerations(tolerations, newline, indent.len());
        edits.insert(
            line_end(text, end),
            format!("{newline}{indent}tolerations:{items}"),
        );
        Some(())
    }
}

/// Adds to each claim that waits the others of its pod that come from the same template: what changes one changes all.
fn add_siblings(
    claims: &mut BTreeMap<String, Vec<Written>>,
    facts: &Facts,
    made: &[(usize, String)],
) {
    let waiting: Vec<_> = made
        .iter()
        .filter(|(_, name)| is_waiting(facts, name))
        .collect();
    for (template, name) in &waiting {
        let siblings = waiting
            .iter()
            .filter(|(other, sibling)| other == template && sibling != name);
        let written: Vec<Written> = siblings
            .filter_map(|(_, sibling)| claims.get(sibling)?.first().copied())
            .filter(|written| !written.template)
            .collect();
        claims.entry(name.clone()).or_default().extend(written);
    }
}

fn is_waiting(facts: &Facts, name: &str) -> bool {
    let mut found = facts.claims.iter();
    found
        .find(|claim| claim.metadata.full_name() == *name)
        .is_some_and(|claim| claim.status.allocation.is_none())
}

/// Writes a toleration in braces.
fn flow_toleration(toleration: &Toleration) -> String {
    let parts = fields(toleration)
        .into_iter()
        .map(|(name, value)| format!("\"{name}\": {value}"));
    format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
}

/// Writes tolerations as items of a block list.
fn block_tolerations(tolerations: &[&Toleration], newline: &str, indent: usize) -> String {
    tolerations
        .iter()
        .map(|toleration| block(&fields(toleration), newline, indent))
        .collect()
}

/// Returns true if a template still equals the claim made from it. If not, positions in it are not those of the claim.
fn is_alike(facts: &Facts, claim: &str, template: Option<&str>, pod: &Pod) -> bool {
    let claim = facts
        .claims
        .iter()
        .find(|one| one.metadata.full_name() == claim);
    let named =
        |one: &Meta| Some(one.name.as_str()) == template && one.namespace == pod.metadata.namespace;
    let template = facts.templates.iter().find(|one| named(&one.metadata));
    claim
        .zip(template)
        .is_some_and(|(claim, template)| claim.spec == template.spec.spec)
}

/// Writes a text under keys in each other, in JSON: `"a": {"b": "1"}`.
fn nested_flow(keys: &[&str], text: &str) -> Option<String> {
    let mut written = String::new();
    print::quote(text, &mut written);
    for (at, key) in keys.iter().rev().enumerate() {
        let mut entry = String::new();
        print::quote(key, &mut entry);
        let inner = match at {
            0 => written,
            _ => format!("{{{written}}}"),
        };
        written = format!("{entry}: {inner}");
    }
    (!keys.is_empty()).then_some(written)
}

/// Writes a text under keys in each other, each on its own line and indented by two spaces more.
fn nested_block(keys: &[&str], text: &str, newline: &str, indent: &str) -> String {
    let mut written = String::new();
    for (at, key) in keys.iter().enumerate() {
        let deeper = "  ".repeat(at);
        written.push_str(&format!("{newline}{indent}{deeper}{}:", print::scalar(key)));
    }
    format!("{written} {}", print::scalar(text))
}

/// Returns the fields of a toleration that say something, their values in JSON, which YAML reads too.
fn fields(toleration: &Toleration) -> Vec<(&'static str, String)> {
    let Toleration {
        key,
        operator,
        value,
        effect,
        ..
    } = toleration;
    let fields = [
        ("key", key),
        ("operator", operator),
        ("value", value),
        ("effect", effect),
    ];
    fields
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| {
            let mut quoted = String::new();
            print::quote(text, &mut quoted);
            (name, quoted)
        })
        .collect()
}

/// Writes an item of a block list on lines of its own.
fn block(fields: &[(&str, String)], newline: &str, indent: usize) -> String {
    let mut out = String::new();
    for (at, (name, value)) in fields.iter().enumerate() {
        let dash = if at == 0 { "- " } else { "  " };
        out.push_str(&format!("{newline}{:indent$}{dash}{name}: {value}", ""));
    }
    out
}
