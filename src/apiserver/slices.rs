//! Problems between slices, nodes and taint rules, each of which the server accepts on its own.

use super::facts::Gathering;
use super::options::ValidateOptions;
use crate::advice::locate::locate;
use crate::cel_lints::published::PublishedNames;
use crate::manifest::index::Index;
use crate::manifest::{Input, Item, What};
use claimkit_model::finding::{Code, Finding, Severity, field_path};
use claimkit_model::object::Record;
use claimkit_model::object::view::device::ResourceClaim;
use claimkit_model::schema::workload;
use claimkit_model::schema::{Api, ClassicKind, DeviceKind, Gate, Gates, ObjectKind, Release};
use claimkit_model::text::{Document, Tree};
use claimkit_scheduler::allocator::behaviour;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::doctor;
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::features_of;
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::explain::remark::Remark;

/// Codes that the remarks of the rules already give for a single object.
const REMARKED: &[Code] = &[Code::NodeSelectorTermsSeveral, Code::TaintRuleSelectsAll];

/// Objects of a text that are judged together at its end: slices, taint rules, and the claims that use devices.
pub struct Together<'o, 't> {
    options: &'o ValidateOptions<'o>,
    documents: Vec<Document<'t>>,
    /// Slices and taint rules, with their indices among all objects of the text. `documents` has their documents.
    items: Vec<(usize, Item)>,
    gathering: Gathering<'o>,
    /// The objects that were taken: of several with one name the first counts, as in a cluster.
    names: Index<'o>,
    /// True if there is a slice or a taint rule of the device family.
    is_asked: bool,
}

impl<'o, 't> Together<'o, 't> {
    /// Creates an empty collection.
    pub fn new(options: &'o ValidateOptions<'o>) -> Self {
        let gathering = Gathering::new(
            Release::latest(),
            options.namespace_of(""),
            options.field_validation,
        );
        Together {
            options,
            documents: Vec::new(),
            items: Vec::new(),
            gathering,
            names: Index::new(options.namespace_of("")),
            is_asked: false,
        }
    }

    /// Adds the facts of a decoded object, if its kind matters here.
    pub fn take(
        &mut self,
        input: &Input<'_>,
        item: &Item,
        index: usize,
        api: Api,
        record: &Record<'_>,
    ) {
        let ObjectKind::Device(kind) = api.kind.object else {
            return;
        };
        let counts = match kind {
            DeviceKind::ResourceSlice | DeviceKind::DeviceTaintRule => true,
            DeviceKind::ResourceClaim => ResourceClaim::new(record).status().allocation().is_some(),
            DeviceKind::ResourceClaimTemplate
            | DeviceKind::DeviceClass
            | DeviceKind::PodSchedulingContext
            | DeviceKind::ResourcePoolStatusRequest => false,
        };
        if !counts || api.kind.items.is_some() || self.names.add(item, index).is_some() {
            return;
        }
        if kind != DeviceKind::ResourceClaim && !self.is_asked {
            // The first slice or taint rule sets the release.
            (self.is_asked, self.gathering.release) = (true, item.release);
        }
        self.gathering
            .take_decoded(input, item, index, api, kind, record);
    }

    /// Keeps the documents of the last step if they have slices or taint rules. `first`: the index of their first object.
    pub fn keep(&mut self, input: &mut Input<'t>, first: usize) {
        let (kept, before) = (self.items.len(), self.documents.len());
        for (at, item) in input.items.iter().enumerate() {
            let What::Ours(api) = item.what else { continue };
            if matches!(
                api.kind.object,
                ObjectKind::Device(DeviceKind::ResourceSlice | DeviceKind::DeviceTaintRule)
                    | ObjectKind::Classic(ClassicKind::ResourceSlice)
            ) {
                let document = item.document.saturating_add(before);
                self.items.push((
                    first.saturating_add(at),
                    Item {
                        document,
                        ..item.clone()
                    },
                ));
            }
        }
        if self.items.len() > kept {
            self.documents.append(&mut input.file.documents);
        }
    }

    /// Collects the attributes and capacities that the slices publish.
    pub fn published(&self) -> PublishedNames {
        let mut published = PublishedNames::default();
        for (_, item, tree) in self.objects() {
            if let What::Ours(api) = item.what {
                published.take(tree, item.node, api);
            }
        }
        published
    }

    fn objects(&self) -> impl Iterator<Item = (usize, &Item, &Tree<'t>)> {
        self.items.iter().filter_map(move |(index, item)| {
            let document = self.documents.get(item.document)?;
            Some((*index, item, &document.tree))
        })
    }

    /// Returns findings about the slices and taint rules, for the scheduler of their release. Refused objects are left out: they
    /// have errors already.
    pub fn findings(&self, is_refused: &dyn Fn(usize) -> bool) -> Vec<Finding> {
        let Gathering { release, facts, .. } = &self.gathering;
        let Some(Ok(gates)) = self.is_asked.then(|| self.options.gates_in(*release)) else {
            return Vec::new();
        };
        let known = gates.unwrap_or(Gates::defaults(*release));
        let features = features_of(release.minor, |name| {
            Gate::named(name).is_some_and(|gate| known.on(gate))
        });
        let Some(behaviour) = behaviour::allocator(release.minor, release.patch, &features) else {
            return Vec::new();
        };
        let engine = CelSelectors::new(*release, known.on(Gate::DRAListTypeAttributes));
        let cluster = Cluster::new(facts, behaviour, &features, &engine);
        let found = doctor::findings(&cluster, PluginRules::of(release.minor, release.patch))
            .into_iter()
            .map(|found| placed(self.objects(), &found));
        let mut kept: Vec<Finding> = found
            .filter(|finding| {
                !REMARKED.contains(&finding.code)
                    && finding.object.is_none_or(|object| !is_refused(object))
            })
            .collect();
        // The server accepts these objects, and a text may have only a part of the pool.
        for finding in &mut kept {
            finding.severity = match (finding.code, finding.severity) {
                (Code::PoolIncomplete, _) => Severity::Info,
                (_, Severity::Error) => Severity::Warning,
                (_, severity) => severity,
            };
        }
        kept
    }
}

/// Makes a finding of the allocator with its position in the text. `objects`: the objects of the text to search for its subject.
pub fn placed<'i, 't: 'i>(
    mut objects: impl Iterator<Item = (usize, &'i Item, &'i Tree<'t>)>,
    found: &Remark,
) -> Finding {
    let mut finding = found.finding.clone();
    let path = std::mem::take(&mut finding.steps);
    let Some(subject) = &found.subject else {
        return finding;
    };
    let short = subject.name.rsplit('/').next().unwrap_or_default();
    let same = |item: &Item| {
        item.kind == subject.kind
            && (full_name(item) == subject.name || item.namespace.is_empty() && item.name == short)
    };
    let mut of_pod: Option<(usize, &Item, &Tree<'_>)> = None;
    let is_of_claim = subject.kind == "ResourceClaim";
    let exact = objects.find(|one| {
        // // A claim that is made from a template is in no text: its pod is.
        let is_pod =
            is_of_claim && workload::path_to_spec(&one.1.api_version, &one.1.kind).is_some();
        let entry = short
            .strip_prefix(one.1.name.as_str())
            .and_then(|rest| rest.strip_prefix('-'));
        let longer = of_pod.is_none_or(|(_, known, _)| known.name.len() < one.1.name.len());
        if is_pod && entry.is_some() && !one.1.name.is_empty() && longer {
            of_pod = Some(*one);
        }
        same(one.1)
    });
    let is_exact = exact.is_some();
    if let Some((index, item, tree)) = exact.or(of_pod) {
        let path = if is_exact && finding.path.is_some() {
            path
        } else {
            field_path!["metadata", "name"].steps()
        };
        finding.object = Some(index);
        finding.span = Some(locate(tree, item.node, &path));
    }
    finding
}

/// Returns `namespace/name`, or the name alone of an object without a namespace.
fn full_name(item: &Item) -> String {
    if item.namespace.is_empty() {
        item.name.clone()
    } else {
        format!("{}/{}", item.namespace, item.name)
    }
}
