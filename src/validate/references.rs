//! References from one object of a text to another: told only where the other side could be expected, because the
//! text has objects of its kind.

use crate::input::Item;
use crate::object::Record;
use crate::ordered::{self, Map, Set};
use crate::report::{Code, Finding, Origin, Step};
use crate::schema::{Api, GROUP, Scope};
use crate::text::tree::Tree;
use crate::view;
use crate::words::joined;

/// What a text holds and what its objects refer to. What is not there is looked for once all is known.
#[derive(Debug, Default)]
pub struct References {
    objects: Vec<Object>,
    /// The claim entries of each pod, by namespace and name.
    pods: Map<[String; 2], Set<String>>,
    wanted: Vec<Wanted>,
    /// A text of one object refers to nothing in it.
    idle: bool,
}

/// An object of the text: its index, and where it lives.
#[derive(Debug)]
struct Object {
    index: usize,
    /// Of another group, and names no namespace: its kind may live in the cluster.
    unplaced: bool,
    cluster: bool,
    /// Its name as decoded, where the tree says otherwise.
    name: Option<String>,
}

#[derive(Debug)]
struct Wanted {
    object: usize,
    what: What,
    place: Place,
}

/// A field: keys, an index where there is a list among them, and keys below it.
#[derive(Debug)]
struct Place(&'static [&'static str], Option<usize>, &'static [&'static str]);

#[derive(Debug)]
enum What {
    Class(String),
    /// Kind, group, namespace and name of parameters.
    Parameters([String; 4]),
    /// Kind, namespace and name of a pod's claim or template.
    Claim(&'static str, [String; 2]),
    Pod([String; 2]),
    Entry([String; 2], String),
}

/// How an object is named: kind, group, name, namespace.
type Key<'a> = [&'a str; 4];

/// Namespace and name, kept.
fn pair(namespace: &str, name: &str) -> [String; 2] {
    [namespace.to_owned(), name.to_owned()]
}

impl References {
    /// References among `count` objects.
    pub fn among(count: usize) -> Self {
        References { idle: count < 2, ..References::default() }
    }

    /// Takes an object of another group in: a Pod, or parameters of a driver.
    pub fn other(&mut self, index: usize, tree: &Tree<'_>, item: &Item, namespace: &str) {
        if self.idle {
            return;
        }
        self.objects.push(Object { index, unplaced: item.namespace.is_empty(), cluster: false, name: None });
        if item.kind == "Pod" && item.api_version == "v1" {
            let claims = tree.get(item.node, "spec").and_then(|spec| tree.get(spec, "resourceClaims"));
            let items = claims.map(|claims| tree.items(claims)).unwrap_or_default();
            let entries = items.iter().filter_map(|&item| tree.get(item, "name").and_then(|name| tree.str(name)));
            self.pods.insert(pair(namespace, &item.name), entries.map(str::to_owned).collect());
            for (at, &item) in items.iter().enumerate() {
                let Some(source) = tree.get(item, "source") else { continue };
                for (below, kind) in [
                    (&["source", "resourceClaimName"], "ResourceClaim"),
                    (&["source", "resourceClaimTemplateName"], "ResourceClaimTemplate"),
                ] {
                    let [_, field] = below;
                    let Some(name) = tree.get(source, field).and_then(|node| tree.str(node)) else { continue };
                    let place = Place(&["spec", "resourceClaims"], Some(at), below);
                    self.want(index, What::Claim(kind, pair(namespace, name)), place);
                }
            }
        }
    }

    /// Takes an object of ours in. `namespace` is the one it ends up in.
    pub fn ours(&mut self, index: usize, api: Api, item: &Item, record: &Record<'_>, namespace: &str) {
        if self.idle {
            return;
        }
        let name = Some(view::Object::new(record).metadata().name()).filter(|name| *name != item.name);
        let cluster = api.kind.scope == Scope::Cluster;
        self.objects.push(Object { index, unplaced: false, cluster, name: name.map(str::to_owned) });
        match api.kind.kind {
            "ResourceClass" => {
                if let Some(reference) = view::ResourceClass::new(record).parameters_ref() {
                    let key = [reference.kind(), reference.api_group(), reference.namespace(), reference.name()];
                    self.parameters(index, key, &["parametersRef", "name"]);
                }
            }
            "ResourceClaim" => {
                let claim = view::ResourceClaim::new(record);
                let spec = claim.spec();
                self.claim_spec(index, spec, namespace, &["spec", "resourceClassName"], &["spec", "parametersRef", "name"]);
                for (at, consumer) in claim.status().reserved_for().iter().enumerate() {
                    if consumer.resource() == "pods" && consumer.api_group().is_empty() {
                        let what = What::Pod(pair(namespace, consumer.name()));
                        self.want(index, what, Place(&["status", "reservedFor"], Some(at), &["name"]));
                    }
                }
            }
            "ResourceClaimTemplate" => {
                let spec = view::ResourceClaimTemplate::new(record).spec().spec();
                let (class, parameters) = (&["spec", "spec", "resourceClassName"], &["spec", "spec", "parametersRef", "name"]);
                self.claim_spec(index, spec, namespace, class, parameters);
            }
            "PodScheduling" | "PodSchedulingContext" => {
                let object = view::PodSchedulingContext::new(record);
                let pod = || pair(namespace, object.metadata().name());
                self.want(index, What::Pod(pod()), Place(&["metadata", "name"], None, &[]));
                for (at, claim) in object.status().resource_claims().iter().enumerate() {
                    let what = What::Entry(pod(), claim.name().to_owned());
                    self.want(index, what, Place(&["status", "resourceClaims"], Some(at), &["name"]));
                }
            }
            _ => {}
        }
    }

    fn claim_spec(
        &mut self,
        object: usize,
        spec: view::ResourceClaimSpec<'_>,
        namespace: &str,
        class: &'static [&'static str],
        parameters: &'static [&'static str],
    ) {
        self.want(object, What::Class(spec.resource_class_name().to_owned()), Place(class, None, &[]));
        if let Some(reference) = spec.parameters_ref() {
            self.parameters(object, [reference.kind(), reference.api_group(), namespace, reference.name()], parameters);
        }
    }

    fn parameters(&mut self, object: usize, [kind, group, namespace, name]: [&str; 4], place: &'static [&'static str]) {
        self.want(
            object,
            What::Parameters([kind.to_owned(), group.to_owned(), namespace.to_owned(), name.to_owned()]),
            Place(place, None, &[]),
        );
    }

    fn want(&mut self, object: usize, what: What, place: Place) {
        self.wanted.push(Wanted { object, what, place });
    }

    /// What is missing, with the index of the object that refers to it. `namespace` tells where an item ends up that names
    /// none.
    pub fn missing(self, items: &[Item], namespace: &str) -> Vec<(usize, Finding)> {
        if self.wanted.is_empty() {
            return Vec::new();
        }
        let there = There::of(&self.objects, items, namespace);
        let lacks = |what: &What| match what {
            What::Class(name) => !name.is_empty() && there.lacks(["ResourceClass", GROUP, name, ""]),
            What::Parameters([kind, group, namespace, name]) => {
                !kind.is_empty() && there.lacks([kind.as_str(), group.as_str(), name.as_str(), namespace.as_str()])
            }
            What::Claim(kind, [namespace, name]) => there.lacks([kind, GROUP, name.as_str(), namespace.as_str()]),
            What::Pod(pod) => !self.pods.is_empty() && !self.pods.contains_key(pod),
            What::Entry(pod, entry) => self.pods.get(pod).is_some_and(|entries| !entries.contains(entry)),
        };
        let mut missing = Vec::new();
        for wanted in &self.wanted {
            if lacks(&wanted.what) {
                missing.push((wanted.object, wanted.what.finding(&wanted.place)));
            }
        }
        missing
    }
}

/// The objects of the text by kind, group, name and namespace.
struct There<'a> {
    kinds: Vec<(&'a str, &'a str)>,
    objects: Vec<(Key<'a>, bool)>,
}

impl<'a> There<'a> {
    fn of(objects: &'a [Object], items: &'a [Item], namespace: &'a str) -> Self {
        let mut found = Vec::with_capacity(objects.len());
        for object in objects {
            let Some(item) = items.get(object.index) else { continue };
            let group = item.api_version.split_once('/').map_or("", |(group, _)| group);
            let namespace = match item.namespace.as_str() {
                _ if object.cluster => "",
                "" => namespace,
                given => given,
            };
            found.push(([item.kind.as_str(), group, object.name.as_ref().unwrap_or(&item.name), namespace], object.unplaced));
        }
        ordered::sort(&mut found);
        let mut kinds: Vec<(&str, &str)> = found.iter().map(|([kind, group, ..], _)| (*kind, *group)).collect();
        kinds.dedup();
        There { kinds, objects: found }
    }

    /// The text has objects of the kind, but not this one. A reference without namespace means any.
    fn lacks(&self, [kind, group, name, namespace]: Key<'_>) -> bool {
        if self.kinds.binary_search(&(kind, group)).is_err() {
            return false;
        }
        let bare = |key: &Key<'a>| -> [&'a str; 3] {
            let [kind, group, name, _] = *key;
            [kind, group, name]
        };
        let first = self.objects.partition_point(|(key, _)| bare(key) < [kind, group, name]);
        let named = self.objects.iter().skip(first).take_while(|(key, _)| bare(key) == [kind, group, name]);
        !named.into_iter().any(|([.., place], unplaced)| *place == namespace || *unplaced || namespace.is_empty())
    }
}

impl Place {
    fn steps(&self) -> Vec<Step> {
        let Place(keys, index, below) = self;
        let mut steps = Vec::new();
        let mut go = |step| steps.push(step);
        keys.iter().for_each(|key| go(Step::Key((*key).to_owned())));
        if let Some(index) = index {
            go(Step::Index(*index));
        }
        below.iter().for_each(|key| go(Step::Key((*key).to_owned())));
        steps
    }

    fn render(&self) -> String {
        let Place(keys, index, below) = self;
        let mut path = joined(*keys, ".");
        if let Some(index) = index {
            path.push_str(&format!("[{index}]"));
        }
        for key in *below {
            path.push('.');
            path.push_str(key);
        }
        path
    }
}

impl What {
    fn finding(&self, place: &Place) -> Finding {
        let (code, message) = match self {
            What::Class(class) => (Code::ClassNotInInput, format!("the text has classes, but none is called `{class}`")),
            What::Parameters([kind, _, namespace, name]) => {
                let place = if namespace.is_empty() { String::new() } else { format!(" in namespace `{namespace}`") };
                let message = format!("the text has objects of kind {kind}, but none is called `{name}`{place}");
                (Code::ParametersNotInInput, message)
            }
            What::Claim(kind, [namespace, name]) => {
                let message =
                    format!("the text has objects of kind {kind}, but none is called `{name}` in namespace `{namespace}`");
                (Code::ClaimNotInInput, message)
            }
            What::Pod([namespace, name]) => {
                (Code::PodNotInInput, format!("the text has pods, but none is called `{name}` in namespace `{namespace}`"))
            }
            What::Entry([_, pod], entry) => {
                (Code::ClaimEntryNotInPod, format!("pod `{pod}` of this text has no claim entry `{entry}`"))
            }
        };
        let mut finding = Finding::info(code, Origin::Claimkit, message)
            .with_help("check the name, unless the other object is in the cluster already");
        finding.path = Some(place.render());
        finding.steps = place.steps();
        finding
    }
}
