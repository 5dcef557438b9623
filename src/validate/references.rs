//! References from one object of a text to another: told only where the other side could be expected, because the
//! text has objects of its kind.

use crate::input::Item;
use crate::object::Record;
use crate::ordered::{Map, Set};
use crate::report::{Code, Finding, Origin, Path};
use crate::schema::Api;
use crate::text::tree::Tree;
use crate::view;

/// What a text holds and what its objects refer to.
#[derive(Debug, Default)]
pub struct References {
    classes: Set<String>,
    /// Kind, group, namespace, name of every object.
    objects: Set<[String; 4]>,
    /// Kind, group and name of every object, for references that name no namespace.
    names: Set<[String; 3]>,
    /// Those of other groups that name no namespace: their kind may live in the cluster.
    unplaced: Set<[String; 3]>,
    /// The claim entries of each pod, by namespace and name.
    pods: Map<[String; 2], Set<String>>,
    wanted: Vec<Wanted>,
    /// A text of one object refers to nothing in it.
    idle: bool,
}

#[derive(Debug)]
struct Wanted {
    object: usize,
    what: What,
    finding: Finding,
}

#[derive(Debug)]
enum What {
    Class(String),
    Object([String; 4]),
    Pod([String; 2]),
    Entry([String; 2], String),
}

fn info(code: Code, path: &Path<'_>, message: String) -> Finding {
    Finding::info(code, Origin::Claimkit, message)
        .at(path)
        .with_help("check the name, unless the other object is in the cluster already")
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
        let (node, api_version, kind, name) = (item.node, item.api_version.as_str(), item.kind.as_str(), item.name.as_str());
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        self.objects.insert([kind, group, namespace, name].map(str::to_owned));
        self.names.insert([kind, group, name].map(str::to_owned));
        if item.namespace.is_empty() {
            self.unplaced.insert([kind, group, name].map(str::to_owned));
        }
        if kind == "Pod" && api_version == "v1" {
            let claims = tree.get(node, "spec").and_then(|spec| tree.get(spec, "resourceClaims"));
            let items = claims.map(|claims| tree.items(claims)).unwrap_or_default();
            let entries = items.iter().filter_map(|&item| tree.get(item, "name").and_then(|name| tree.str(name)));
            self.pods.insert([namespace, name].map(str::to_owned), entries.map(str::to_owned).collect());
            let root = Path::ROOT;
            let spec = root.field("spec");
            let list = spec.field("resourceClaims");
            for (at, &item) in items.iter().enumerate() {
                let Some(source) = tree.get(item, "source") else { continue };
                let entry = list.index(at);
                let path = entry.field("source");
                for (field, kind) in
                    [("resourceClaimName", "ResourceClaim"), ("resourceClaimTemplateName", "ResourceClaimTemplate")]
                {
                    let Some(name) = tree.get(source, field).and_then(|node| tree.str(node)) else { continue };
                    let message =
                        format!("the text has objects of kind {kind}, but none is called `{name}` in namespace `{namespace}`");
                    let finding = info(Code::ClaimNotInInput, &path.field(field), message);
                    let what = What::Object([kind, crate::schema::GROUP, namespace, name].map(str::to_owned));
                    self.wanted.push(Wanted { object: index, what, finding });
                }
            }
        }
    }

    /// Takes an object of ours in. `namespace` is the one it ends up in.
    pub fn ours(&mut self, index: usize, api: Api, record: &Record<'_>, namespace: &str) {
        if self.idle {
            return;
        }
        let root = Path::ROOT;
        let name = view::Object::new(record).metadata().name().to_owned();
        self.objects.insert([api.kind.kind, crate::schema::GROUP, namespace, &name].map(str::to_owned));
        self.names.insert([api.kind.kind, crate::schema::GROUP, &name].map(str::to_owned));
        match api.kind.kind {
            "ResourceClass" => {
                let class = view::ResourceClass::new(record);
                self.classes.insert(name);
                if let Some(reference) = class.parameters_ref() {
                    let key = [reference.kind(), reference.api_group(), reference.namespace(), reference.name()];
                    self.parameters(index, key, &root.field("parametersRef"));
                }
            }
            "ResourceClaim" => {
                let claim = view::ResourceClaim::new(record);
                self.claim_spec(index, claim.spec(), namespace, &root.field("spec"));
                let status = root.field("status");
                let reserved_for = status.field("reservedFor");
                for (at, consumer) in claim.status().reserved_for().iter().enumerate() {
                    if consumer.resource() == "pods" && consumer.api_group().is_empty() {
                        let path = reserved_for.index(at);
                        self.pod(index, namespace, consumer.name(), &path.field("name"));
                    }
                }
            }
            "ResourceClaimTemplate" => {
                let template = view::ResourceClaimTemplate::new(record);
                let spec = root.field("spec");
                self.claim_spec(index, template.spec().spec(), namespace, &spec.field("spec"));
            }
            "PodScheduling" | "PodSchedulingContext" => {
                let metadata = root.field("metadata");
                self.pod(index, namespace, &name, &metadata.field("name"));
                let status = root.field("status");
                let claims = status.field("resourceClaims");
                let object = view::PodSchedulingContext::new(record);
                for (at, claim) in object.status().resource_claims().iter().enumerate() {
                    let path = claims.index(at);
                    let message = format!("pod `{name}` of this text has no claim entry `{}`", claim.name());
                    let finding = info(Code::ClaimEntryNotInPod, &path.field("name"), message);
                    let what = What::Entry([namespace, &name].map(str::to_owned), claim.name().to_owned());
                    self.wanted.push(Wanted { object: index, what, finding });
                }
            }
            _ => {}
        }
    }

    fn claim_spec(&mut self, object: usize, spec: view::ResourceClaimSpec<'_>, namespace: &str, path: &Path<'_>) {
        let class = spec.resource_class_name();
        let message = format!("the text has classes, but none is called `{class}`");
        let finding = info(Code::ClassNotInInput, &path.field("resourceClassName"), message);
        self.wanted.push(Wanted { object, what: What::Class(class.to_owned()), finding });
        if let Some(reference) = spec.parameters_ref() {
            let key = [reference.kind(), reference.api_group(), namespace, reference.name()];
            self.parameters(object, key, &path.field("parametersRef"));
        }
    }

    fn parameters(&mut self, object: usize, key: [&str; 4], path: &Path<'_>) {
        let [kind, _, namespace, name] = key;
        let place = if namespace.is_empty() { String::new() } else { format!(" in namespace `{namespace}`") };
        let message = format!("the text has objects of kind {kind}, but none is called `{name}`{place}");
        let finding = info(Code::ParametersNotInInput, &path.field("name"), message);
        self.wanted.push(Wanted { object, what: What::Object(key.map(str::to_owned)), finding });
    }

    fn pod(&mut self, object: usize, namespace: &str, name: &str, path: &Path<'_>) {
        let message = format!("the text has pods, but none is called `{name}` in namespace `{namespace}`");
        let finding = info(Code::PodNotInInput, path, message);
        self.wanted.push(Wanted { object, what: What::Pod([namespace, name].map(str::to_owned)), finding });
    }

    /// What is missing, with the index of the object that refers to it.
    pub fn missing(self) -> Vec<(usize, Finding)> {
        let kinds: Set<(&str, &str)> = self.objects.iter().map(|[kind, group, ..]| (kind.as_str(), group.as_str())).collect();
        self.wanted
            .iter()
            .filter(|wanted| match &wanted.what {
                What::Class(name) => !name.is_empty() && !self.classes.is_empty() && !self.classes.contains(name),
                What::Object(key) => {
                    let [kind, group, namespace, name] = key;
                    let bare = [kind.clone(), group.clone(), name.clone()];
                    let there = self.objects.contains(key)
                        || self.unplaced.contains(&bare)
                        || (namespace.is_empty() && self.names.contains(&bare));
                    !kind.is_empty() && !there && kinds.contains(&(kind.as_str(), group.as_str()))
                }
                What::Pod(pod) => !self.pods.is_empty() && !self.pods.contains_key(pod),
                What::Entry(pod, entry) => self.pods.get(pod).is_some_and(|entries| !entries.contains(entry)),
            })
            .map(|wanted| (wanted.object, wanted.finding.clone()))
            .collect()
    }
}
