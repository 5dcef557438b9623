//! References from one object of a text to another. A missing object is reported only if the text has other objects of its kind.
//! The server does not check this: it is advice about the text as a whole.

mod devices;
mod inventory;
pub mod pods;

use crate::advice::locate;
use crate::manifest::Item;
use claimkit_model::finding::{Code, Finding, Severity, Step, path};
use claimkit_model::message::{Message, Words, message};
use claimkit_model::nearest::did_you_mean;
use claimkit_model::object::Record;
use claimkit_model::object::view;
use claimkit_model::schema::{Api, ClassicKind, GROUP, ObjectKind, Release, Scope};
use claimkit_model::text::Span;
use claimkit_model::text::tree::{NodeId, Tree};
use claimkit_values::order;
use inventory::{Affixes, ObjectsByKind};
use std::collections::{BTreeMap, BTreeSet};

/// The objects of a text and their references. Missing objects are determined after the whole text is read.
#[derive(Debug, Default)]
pub struct References {
    objects: Vec<ListedObject>,
    /// The claim entries of each pod, by kind, namespace and name.
    pods: BTreeMap<[String; 3], BTreeSet<String>>,
    references: Vec<Reference>,
    /// The names in the references, concatenated.
    names: String,
    /// The requests of claims and templates, by kind, namespace and name.
    requests: BTreeMap<[String; 3], BTreeSet<String>>,
    /// The properties that devices have and selectors read.
    devices: devices::Devices,
    /// Findings that depend on the release of the pods.
    forms: Vec<pods::ClaimForm>,
    /// The findings about one object.
    advice: Vec<Finding>,
    /// The latest release that an object of ours is judged by.
    release: Option<Release>,
    /// Collect nothing: the text is a single object, so it has no references within the text. [`References::missing`] checks this
    /// again at the end.
    pub idle: bool,
}

/// An object of the text: its index, name and scope.
#[derive(Debug)]
struct ListedObject {
    index: usize,
    /// An object of another group without a namespace: its kind may be cluster-scoped.
    unplaced: bool,
    cluster: bool,
    /// Its name as decoded, where the tree says otherwise.
    name: Option<Box<str>>,
}

#[derive(Debug)]
struct Reference {
    object: usize,
    what: What,
    place: ReferencePath,
    span: Span,
}

/// The path of a reference.
#[derive(Debug)]
enum ReferencePath {
    Field(FieldPath),
    Path(Box<str>),
}

/// A name among those kept.
type Name = Span;

/// An object of the text: its place, and its namespace after defaulting.
#[derive(Clone, Copy)]
pub struct Located<'a> {
    /// Its index among the objects of the text.
    pub index: usize,
    pub item: &'a Item,
    pub tree: &'a Tree<'a>,
    /// The namespace; empty for objects of the cluster.
    pub namespace: &'a str,
}

/// So many names of a kind must be there before one absent name becomes a warning. A guess: a text with gaps may look like this, too.
const MANY_PRESENT: usize = 3;

/// A field's path, in which `[]` stands for the item with the index beside it.
#[derive(Debug)]
struct FieldPath(&'static str, usize);

#[derive(Clone, Copy, Debug)]
enum What {
    /// The kind of classes, and a name.
    Class(&'static str, Name),
    /// Kind, group, namespace and name of parameters.
    Parameters([Name; 4]),
    /// Kind, namespace and name of a pod's claim or template.
    Claim(&'static str, [Name; 2]),
    /// Kind, namespace and name of a pod's claim or template, and a request of it.
    Request(&'static str, [Name; 2], Name),
    /// An extended resource that a container asks for.
    Extended(Name),
    Pod([Name; 2]),
    /// Namespace and name of a pod, and one of its claim entries.
    Entry([Name; 2], Name),
}

/// The identity of an object of the text, as the server reads it.
pub struct NamedObject<'a> {
    /// `apiVersion`
    pub api_version: &'a str,
    /// `kind`
    pub kind: &'a str,
    /// `metadata.name`
    pub name: &'a str,
    /// `metadata.namespace`
    pub namespace: &'a str,
}

/// An object that references name and the text does not have.
struct AbsentObject<'a> {
    /// The name that is most like its own: many references may be to the same absent object.
    nearest: Option<&'a str>,
    /// The place of its finding: it is reported once, however often it is named.
    finding: Option<usize>,
    /// How often it is named besides.
    more: usize,
}

/// Makes a warning of the only absent name of a kind of which several are there: the object was probably forgotten or deleted.
fn warn_of_only_absent(
    resolved: &BTreeSet<[&str; 4]>,
    absent: &BTreeMap<[&str; 4], AbsentObject<'_>>,
    found: &mut [Finding],
) {
    let mut present: BTreeMap<&str, usize> = BTreeMap::new();
    for [kind, ..] in resolved {
        let count = present.entry(*kind).or_default();
        *count = count.saturating_add(1);
    }
    let mut absent_of_kind: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for ([kind, ..], object) in absent {
        if let Some(at) = object.finding {
            absent_of_kind.entry(*kind).or_default().push(at);
        }
    }
    for (kind, places) in absent_of_kind {
        if let [at] = places.as_slice()
            && present
                .get(kind)
                .is_some_and(|count| *count >= MANY_PRESENT)
            && let Some(finding) = found.get_mut(*at)
        {
            finding.severity = Severity::Warning;
        }
    }
}

/// Adds to each finding how often its object is named besides.
fn count_repeats(absent: &BTreeMap<[&str; 4], AbsentObject<'_>>, found: &mut [Finding]) {
    for object in absent.values().filter(|object| object.more > 0) {
        if let Some(finding) = object.finding.and_then(|at| found.get_mut(at)) {
            let message = &finding.message;
            let more = object.more;
            finding.message = Words::Ours(match more {
                1 => message!(
                    "reference.named-once-more",
                    "{message}; it is named once more",
                    message
                ),
                _ => message!(
                    "reference.named-more",
                    "{message}; it is named {more} times more",
                    message,
                    more
                ),
            });
        }
    }
}

/// Returns the key of a pod: that of claims and their requests has a kind, too, and one type of map takes less room in modules than two.
fn pod_key(namespace: &str, name: &str) -> [String; 3] {
    ["Pod", namespace, name].map(str::to_owned)
}

impl References {
    /// Adds an object of another group: a Pod, or parameters of a driver.
    pub fn other(&mut self, object: Located<'_>) {
        if self.idle {
            return;
        }
        let Located {
            index,
            item,
            tree,
            namespace,
        } = object;
        self.objects.push(ListedObject {
            index,
            unplaced: item.namespace.is_empty(),
            cluster: false,
            name: None,
        });
        if item.kind == "Pod" && item.api_version == "v1" {
            let claims = tree
                .get(item.node, "spec")
                .and_then(|spec| tree.get(spec, "resourceClaims"));
            let items = claims.map(|claims| tree.items(claims)).unwrap_or_default();
            let entries = items
                .iter()
                .filter_map(|&item| tree.get(item, "name").and_then(|name| tree.str(name)));
            self.pods.insert(
                pod_key(namespace, &item.name),
                order::set(entries.map(str::to_owned)),
            );
        }
        pods::read(self, object);
    }

    /// Adds an object of this group.
    pub fn ours(&mut self, object: Located<'_>, api: Api, record: &Record<'_>) {
        if self.idle {
            return;
        }
        let name = view::Object::new(record).metadata().name();
        let is_read_otherwise = name != object.item.name;
        self.objects.push(ListedObject {
            index: object.index,
            unplaced: false,
            cluster: api.kind.scope == Scope::Cluster,
            name: is_read_otherwise.then(|| Box::from(name)),
        });
        self.release = self.release.max(Some(object.item.release));
        let kind = match api.kind.object {
            ObjectKind::Classic(kind) => kind,
            ObjectKind::Device(kind) => return devices::read(self, object, kind, record),
        };
        match kind {
            ClassicKind::ResourceClass => {
                self.class_references(object, view::ResourceClass::new(record));
            }
            ClassicKind::ResourceClaim => {
                self.claim_references(object, view::ResourceClaim::new(record));
            }
            ClassicKind::ResourceClaimTemplate => {
                let spec = view::ResourceClaimTemplate::new(record).spec().spec();
                let (class, parameters) = (
                    "spec.spec.resourceClassName",
                    "spec.spec.parametersRef.name",
                );
                self.claim_spec(object, spec, class, parameters);
            }
            ClassicKind::PodSchedulingContext => {
                self.scheduling_references(object, view::PodSchedulingContext::new(record));
            }
            ClassicKind::ResourceClaimParameters
            | ClassicKind::ResourceClassParameters
            | ClassicKind::ResourceSlice => {}
        }
    }

    /// Records the parameters of a class.
    fn class_references(&mut self, object: Located<'_>, class: view::ResourceClass<'_>) {
        if let Some(reference) = class.parameters_ref() {
            let key = [
                reference.kind(),
                reference.api_group(),
                reference.namespace(),
                reference.name(),
            ];
            self.parameters(object, key, "parametersRef.name");
        }
    }

    /// Records the class and the parameters of a claim, and the pods that use it.
    fn claim_references(&mut self, object: Located<'_>, claim: view::ResourceClaim<'_>) {
        self.claim_spec(
            object,
            claim.spec(),
            "spec.resourceClassName",
            "spec.parametersRef.name",
        );
        for (index, consumer) in claim.status().reserved_for().iter().enumerate() {
            if consumer.resource() == "pods" && consumer.api_group().is_empty() {
                let pod = self.keep([object.namespace, consumer.name()]);
                let path = FieldPath("status.reservedFor[].name", index);
                self.want(object, What::Pod(pod), path);
            }
        }
    }

    /// Records the pod of a scheduling context, and the pod's claim entries.
    fn scheduling_references(
        &mut self,
        object: Located<'_>,
        scheduling: view::PodSchedulingContext<'_>,
    ) {
        let pod = self.keep([object.namespace, scheduling.metadata().name()]);
        self.want(object, What::Pod(pod), FieldPath("metadata.name", 0));
        let claims = scheduling.status().resource_claims();
        for (index, claim) in claims.iter().enumerate() {
            let [entry] = self.keep([claim.name()]);
            let path = FieldPath("status.resourceClaims[].name", index);
            self.want(object, What::Entry(pod, entry), path);
        }
    }

    /// Records the class and the parameters that a claim's spec names. `class`, `parameters`: the paths of these fields.
    fn claim_spec(
        &mut self,
        object: Located<'_>,
        spec: view::ResourceClaimSpec<'_>,
        class: &'static str,
        parameters: &'static str,
    ) {
        let [name] = self.keep([spec.resource_class_name()]);
        self.want(
            object,
            What::Class("ResourceClass", name),
            FieldPath(class, 0),
        );
        if let Some(reference) = spec.parameters_ref() {
            self.parameters(
                object,
                [
                    reference.kind(),
                    reference.api_group(),
                    object.namespace,
                    reference.name(),
                ],
                parameters,
            );
        }
    }

    /// Records a reference to parameters by kind, group, namespace and name.
    fn parameters(&mut self, object: Located<'_>, key: [&str; 4], place: &'static str) {
        let what = What::Parameters(self.keep(key));
        self.want(object, what, FieldPath(place, 0));
    }

    fn keep<const N: usize>(&mut self, names: [&str; N]) -> [Name; N] {
        names.map(|name| {
            let start = self.names.len();
            self.names.push_str(name);
            Span::new(start, self.names.len())
        })
    }

    fn name(&self, name: Name) -> &str {
        name.slice_of(&self.names).unwrap_or_default()
    }

    fn want(&mut self, object: Located<'_>, what: What, place: FieldPath) {
        let span = place.locate(object.tree, object.item.node);
        self.references.push(Reference {
            object: object.index,
            what,
            place: ReferencePath::Field(place),
            span,
        });
    }

    /// Records the same at any path.
    fn want_at(&mut self, object: Located<'_>, what: What, steps: &[Step]) {
        let span = locate::locate(object.tree, object.item.node, steps);
        let place = ReferencePath::Path(path::render(steps).into());
        self.references.push(Reference {
            object: object.index,
            what,
            place,
            span,
        });
    }

    /// Adds a remark that one object is enough for.
    fn remark(&mut self, object: Located<'_>, code: Code, message: Message, steps: &[Step]) {
        let mut finding = Finding::info(code, message);
        finding.help = code.spoken_help().map(Words::from);
        finding.path = Some(path::render(steps));
        finding.span = Some(locate::locate(object.tree, object.item.node, steps));
        finding.object = Some(object.index);
        self.advice.push(finding);
    }

    /// Leaves out the remarks on claims in the form of another release, where the server's errors say it.
    pub fn drop_forms(&mut self) {
        self.forms.clear();
    }

    /// Reports missing objects. `object`: the name of the object with an index. `namespace`: the namespace of objects that name
    /// none. `asked`: the requested release.
    pub fn missing<'a>(
        &'a mut self,
        object: &dyn Fn(usize) -> Option<NamedObject<'a>>,
        namespace: &'a str,
        asked: Option<Release>,
        tell: &mut dyn FnMut(Finding),
    ) {
        std::mem::take(&mut self.advice)
            .into_iter()
            .for_each(&mut *tell);
        if let Some(release) = asked.or(self.release) {
            self.forms
                .drain(..)
                .filter_map(|form| form.finding(release))
                .for_each(&mut *tell);
        }
        // A text of one object cannot refer to another object in it.
        if object(1).is_some() {
            if !self.references.is_empty() {
                self.check_references(object, namespace, tell);
            }
            self.devices.unpublished(tell);
        }
    }

    /// Reports each object that references name and the text does not have, once.
    fn check_references<'a>(
        &'a self,
        object: &dyn Fn(usize) -> Option<NamedObject<'a>>,
        namespace: &'a str,
        tell: &mut dyn FnMut(Finding),
    ) {
        let inventory = ObjectsByKind::of(&self.objects, object, namespace);
        let affixes = Affixes::of((0usize..).map_while(object));
        let mut absent: BTreeMap<[&str; 4], AbsentObject<'_>> = BTreeMap::new();
        let mut found: Vec<Finding> = Vec::new();
        let mut resolved: BTreeSet<[&str; 4]> = BTreeSet::new();
        for Reference {
            object,
            what,
            place,
            span,
        } in &self.references
        {
            if let What::Claim(kind, [namespace, name]) = *what
                && let Some(message) =
                    inventory.elsewhere(kind, self.name(name), self.name(namespace))
            {
                let mut finding = Finding::new(Code::ClaimNotInInput, message).with_span(*span);
                finding.path = Some(place.render());
                finding.object = Some(*object);
                tell(finding);
                continue;
            }
            let target = self.object_named(*what);
            if !self.lacks(*what, &inventory) {
                resolved.extend(target.filter(|[_, _, name, _]| !name.is_empty()));
                continue;
            }
            let mut finding = self.finding(*what, place).with_span(*span);
            finding.object = Some(*object);
            // A name similar to an existing one is more likely a typo than an object outside the text.
            let mut absent_target = target.map(|target| {
                absent.entry(target).or_insert_with(|| AbsentObject {
                    nearest: inventory.nearest(target),
                    finding: None,
                    more: 0,
                })
            });
            let nearest = absent_target.as_ref().and_then(|absent| absent.nearest);
            let renamed = target.and_then(|target| inventory.renamed(target, &affixes));
            if let Some(renamed) = renamed {
                finding.severity = Severity::Warning;
                let help = message!(
                    "reference.kustomize-help",
                    "did you mean `{renamed}`? Kustomize adds a prefix or suffix to references only in the fields that `nameReference` lists",
                    renamed
                );
                finding.help = Some(help.into());
            } else if let Some(nearest) = nearest {
                finding.severity = Severity::Warning;
                finding.help = Some(did_you_mean(nearest).into());
            }
            // Parameters are of any kind, and each reference may mean another one.
            if let Some(absent) = &mut absent_target
                && !matches!(what, What::Parameters(_))
            {
                if absent.finding.is_some() {
                    absent.more = absent.more.saturating_add(1);
                    continue;
                }
                absent.finding = Some(found.len());
            }
            found.push(finding);
        }
        warn_of_only_absent(&resolved, &absent, &mut found);
        count_repeats(&absent, &mut found);
        found.into_iter().for_each(tell);
    }

    /// Returns true if the text has no such object, although it has others of the kind.
    fn lacks(&self, what: What, inventory: &ObjectsByKind<'_>) -> bool {
        match what {
            What::Class(kind, name) => {
                !name.is_empty() && inventory.lacks(kind, GROUP, self.name(name), "")
            }
            What::Parameters(names) => {
                let [kind, group, namespace, name] = names.map(|name| self.name(name));
                !kind.is_empty() && inventory.lacks(kind, group, name, namespace)
            }
            What::Claim(kind, [namespace, name]) => {
                inventory.lacks(kind, GROUP, self.name(name), self.name(namespace))
            }
            What::Request(kind, [namespace, name], request) => {
                let key = [
                    kind.to_owned(),
                    self.name(namespace).to_owned(),
                    self.name(name).to_owned(),
                ];
                self.requests
                    .get(&key)
                    .is_some_and(|requests| !requests.contains(self.name(request)))
            }
            What::Extended(name) => self.devices.lacks_extended(self.name(name), inventory),
            What::Pod(pod) => !self.pods.is_empty() && self.entries_of(pod).is_none(),
            What::Entry(pod, entry) => self
                .entries_of(pod)
                .is_some_and(|entries| !entries.contains(self.name(entry))),
        }
    }

    /// Returns the claim entries of a pod, by its namespace and name; `None` if the text has no such pod.
    fn entries_of(&self, pod: [Name; 2]) -> Option<&BTreeSet<String>> {
        let [namespace, name] = pod.map(|name| self.name(name));
        self.pods.get(&pod_key(namespace, name))
    }

    /// Returns the command that prints an absent object; `None` if it is not known which object is meant.
    fn command(&self, what: What) -> Option<String> {
        let [kind, group, name, namespace] = self.object_named(what)?;
        let kind = if group == GROUP {
            kind.to_ascii_lowercase()
        } else {
            format!("{kind}.{group}").to_ascii_lowercase()
        };
        let namespace = if namespace.is_empty() {
            String::new()
        } else {
            format!(" -n {namespace}")
        };
        Some(format!("kubectl get {kind} {name}{namespace} -o yaml"))
    }

    /// Returns kind, group, name and namespace of the referenced object; `None` if the reference is not to an object.
    fn object_named(&self, what: What) -> Option<[&str; 4]> {
        match what {
            What::Class(kind, name) => Some([kind, GROUP, self.name(name), ""]),
            What::Parameters(names) => {
                let [kind, group, namespace, name] = names.map(|name| self.name(name));
                Some([kind, group, name, namespace])
            }
            What::Claim(kind, [namespace, name]) => {
                Some([kind, GROUP, self.name(name), self.name(namespace)])
            }
            What::Request(..) | What::Extended(_) | What::Pod(_) | What::Entry(..) => None,
        }
    }

    fn finding(&self, what: What, place: &ReferencePath) -> Finding {
        let name = |name| self.name(name);
        let (code, message) = match what {
            What::Class(_, class) => {
                let class = name(class);
                (
                    Code::ClassNotInInput,
                    message!(
                        "reference.class-absent",
                        "the text has classes, but none is called `{class}`",
                        class
                    ),
                )
            }
            What::Parameters([kind, _, namespace, own]) => {
                let (kind, own) = (name(kind), name(own));
                let message = match namespace.is_empty() {
                    true => message!(
                        "reference.object-absent",
                        "the text has objects of kind {kind}, but none is called `{name}`",
                        kind,
                        name = own
                    ),
                    false => absent_in_namespace(kind, own, name(namespace)),
                };
                (Code::ParametersNotInInput, message)
            }
            What::Claim(kind, [namespace, own]) => (
                Code::ClaimNotInInput,
                absent_in_namespace(kind, name(own), name(namespace)),
            ),
            What::Request(kind, [namespace, own], request) => {
                let key = [
                    kind.to_owned(),
                    name(namespace).to_owned(),
                    name(own).to_owned(),
                ];
                let known: Vec<&str> = self
                    .requests
                    .get(&key)
                    .into_iter()
                    .flatten()
                    .map(String::as_str)
                    .collect();
                let (own, request, known) = (name(own), name(request), known.join("`, `"));
                let message = message!(
                    "reference.request-absent",
                    "{kind} `{name}` of this text has no request `{request}`; it has `{known}`",
                    kind,
                    name = own,
                    request,
                    known
                );
                (Code::PodRequestUnknown, message)
            }
            What::Extended(resource) => self.devices.extended(name(resource)),
            What::Pod([namespace, own]) => {
                let (own, namespace) = (name(own), name(namespace));
                let message = message!(
                    "reference.pod-absent",
                    "the text has pods, but none is called `{name}` in namespace `{namespace}`",
                    name = own,
                    namespace
                );
                (Code::PodNotInInput, message)
            }
            What::Entry([_, pod], entry) => {
                let (pod, entry) = (name(pod), name(entry));
                let message = message!(
                    "reference.entry-absent",
                    "pod `{pod}` of this text has no claim entry `{entry}`",
                    pod,
                    entry
                );
                (Code::ClaimEntryNotInPod, message)
            }
        };
        let mut finding = match code {
            Code::PodRequestUnknown | Code::ExtendedResourceUnserved => {
                let mut finding = Finding::warning(code, message);
                finding.help = code.spoken_help().map(Words::from);
                finding
            }
            _ => {
                let finding = Finding::info(code, message);
                match self.command(what) {
                    Some(command) => finding.with_help(message!(
                        "reference.check-command",
                        "check the name; if the object is in the cluster already, `{command}` prints it",
                        command
                    )),
                    None => finding.with_help(message!(
                        "reference.check-name",
                        "check the name, unless the other object is in the cluster already"
                    )),
                }
            }
        };
        finding.path = Some(place.render());
        finding
    }
}

/// Says that no object of a kind has a name, although there are others of the kind.
fn absent_in_namespace(kind: &str, name: &str, namespace: &str) -> Message {
    message!(
        "reference.object-absent-in-namespace",
        "the text has objects of kind {kind}, but none is called `{name}` in namespace `{namespace}`",
        kind,
        name,
        namespace
    )
}

impl ReferencePath {
    fn render(&self) -> String {
        match self {
            ReferencePath::Field(path) => path.render(),
            ReferencePath::Path(path) => path.to_string(),
        }
    }
}

impl FieldPath {
    fn locate(&self, tree: &Tree<'_>, node: NodeId) -> Span {
        let FieldPath(mut path, index) = *self;
        let mut steps = Vec::with_capacity(4);
        while !path.is_empty() {
            let (part, rest) = path.split_once('.').unwrap_or((path, ""));
            let item = part.strip_suffix("[]");
            steps.push(Step::Key(item.unwrap_or(part).to_owned()));
            if item.is_some() {
                steps.push(Step::Index(index));
            }
            path = rest;
        }
        locate::locate(tree, node, &steps)
    }

    fn render(&self) -> String {
        let FieldPath(path, index) = self;
        match path.split_once('[') {
            Some((list, below)) => format!("{list}[{index}{below}"),
            None => (*path).to_owned(),
        }
    }
}
