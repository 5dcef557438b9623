//! Findings about objects: their positions, and the findings for unchecked objects.

use crate::advice::locate;
use crate::manifest::pod_specs::{self, PlaceKind};
use crate::manifest::{Input, Item};
use claimkit_model::finding::{Code, Finding, Severity, TextField};
use claimkit_model::message::message;
use claimkit_model::text::Span;
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::tree::{Kind, NodeId, Tree};

/// Maximum number of bytes of an object that is compared with another of its name.
const MOST_COMPARED: usize = 1 << 20;

/// Fills object index and place of a finding.
pub fn place(input: &Input<'_>, item: &Item, index: usize, mut finding: Finding) -> Finding {
    finding.object = Some(index);
    if finding.span.is_none() && finding.within == TextField::Text {
        finding.span = input
            .tree(item)
            .map(|tree| locate::locate_part(tree, item.node, &finding.steps, finding.part));
    }
    finding
}

/// Says of an object that a newer state of it counts, which the text has, too.
pub fn older_state(input: &Input<'_>, at: usize) -> Option<Finding> {
    let item = input.items.get(at)?;
    let version = input.text_at(item, ["metadata", "resourceVersion"])?;
    let message = message!(
        "manifest.older-state",
        "{kind} {name} is given twice: a newer state of it counts than this one, of resourceVersion {version}",
        kind = item.kind,
        name = item.name,
        version
    );
    let finding = Finding {
        severity: Severity::Warning,
        span: Some(Span::new(item.span.from(), item.span.from())),
        ..Finding::new(Code::AlreadyExists, message)
    };
    Some(place(input, item, at, finding))
}

/// Reports an object of another group.
pub fn other_group(item: &Item, index: usize) -> Finding {
    not_of_group(&item.kind, item.span, index)
}

fn not_of_group(kind: &str, span: Span, index: usize) -> Finding {
    let mut finding = Finding::new(
        Code::OtherGroup,
        message!(
            "manifest.other-group",
            "{kind} was not checked: only objects of `resource.k8s.io` are",
            kind
        ),
    )
    .with_span(Span::new(span.from(), span.from()));
    finding.object = Some(index);
    finding
}

/// Reports an object that is in the text a second time; `first`: the one that counts. Where the two can be of two clusters, the first
/// finding says how to keep them apart; `earlier`: the findings before.
pub fn repeated(
    input: &Input<'_>,
    first: usize,
    index: usize,
    earlier: &[Finding],
) -> Option<Finding> {
    let item = input.items.get(index)?;
    let text = |item: &Item, most: usize| {
        let mut text = String::new();
        input
            .tree(item)
            .is_some_and(|tree| print::json(tree, item.node, Order::Sorted, most, &mut text))
            .then_some(text)
    };
    // Of the first object no more is printed than this one has, so that many small ones beside a large one cost little.
    let (severity, is_different) = match text(item, MOST_COMPARED) {
        Some(own)
            if input
                .items
                .get(first)
                .and_then(|first| text(first, own.len()))
                .as_ref()
                == Some(&own) =>
        {
            (Severity::Info, false)
        }
        Some(_) => (Severity::Warning, true),
        None => (Severity::Warning, false),
    };
    let (kind, name) = (&item.kind, &item.name);
    let files = input.items.get(first).and_then(|first| {
        let source = &input.file.source;
        let file_of_first = source.name_of(first.span.from())?;
        let file = source.name_of(item.span.from())?;
        (file_of_first != file).then_some((file_of_first, file))
    });
    let message = match files {
        Some((first, second)) if is_different => message!(
            "manifest.in-two-files-different",
            "{kind} {name} is in `{first}` and in `{second}` with different contents: only the first one counts",
            kind,
            name,
            first,
            second
        ),
        Some((first, second)) => message!(
            "manifest.in-two-files",
            "{kind} {name} is in `{first}` and in `{second}`: only the first one counts",
            kind,
            name,
            first,
            second
        ),
        None if is_different => message!(
            "manifest.twice-different",
            "{kind} {name} is in the text twice with different contents: only the first one counts",
            kind,
            name,
        ),
        None => message!(
            "manifest.twice",
            "{kind} {name} is in the text twice: only the first one counts",
            kind,
            name
        ),
    };
    let mut finding = Finding::of_severity(Code::AlreadyExists, severity, message);
    finding.span = Some(item.span);
    finding.object = Some(index);
    let are_of_two_folders = files.is_some_and(|(first, second)| folder(first) != folder(second));
    if is_different && are_of_two_folders && !earlier.iter().any(tells_clusters_apart) {
        finding.command_help = Some(message!(
            "manifest.two-clusters",
            "if these are two clusters, put a `claimkit.toml`, even an empty one, into the folder of each"
        ));
    }
    Some(finding)
}

/// Returns true for a finding that says how to keep clusters apart.
fn tells_clusters_apart(finding: &Finding) -> bool {
    finding.code == Code::AlreadyExists && finding.command_help.is_some()
}

/// Returns the folder of a file's name; empty if it has none.
fn folder(name: &str) -> &str {
    name.rsplit_once(['/', '\\'])
        .map_or("", |(folder, _)| folder)
}

/// Reports an object of another group of whose pod the claims were checked.
pub fn claims_only(item: &Item, index: usize) -> Finding {
    let mut finding = Finding::new(
        Code::PodClaimsOnly,
        message!(
            "manifest.claims-only",
            "only the claims of this {kind} were checked",
            kind = item.kind
        ),
    )
    .with_span(Span::new(item.span.from(), item.span.from()));
    finding.object = Some(index);
    finding
}

/// Containers of an object of another group that ask device plugins for devices.
#[derive(Debug)]
pub struct PluginUse {
    /// The index of the object.
    index: usize,
    span: Span,
    kind: String,
    name: String,
    /// The first resource that they ask for.
    resource: String,
}

impl PluginUse {
    /// Looks for resources of device plugins; `None`: no container asks for any.
    pub fn find(input: &Input<'_>, item: &Item, index: usize) -> Option<Self> {
        let tree = input.tree(item)?;
        let places = pod_specs::find(tree, item.node, &item.api_version, &item.kind);
        let resource = places.list.iter().find_map(|place| match place.sort {
            PlaceKind::Container => plugin_resource(tree, place.node),
            PlaceKind::Pod => ["containers", "initContainers"]
                .into_iter()
                .filter_map(|field| tree.get(place.node, field))
                .filter(|list| matches!(tree.kind(*list), Kind::Seq { .. }))
                .flat_map(|list| tree.items(list))
                .find_map(|container| plugin_resource(tree, *container)),
            PlaceKind::Group => None,
        })?;
        Some(PluginUse {
            index,
            span: item.span,
            kind: item.kind.clone(),
            name: item.name.clone(),
            resource: resource.to_owned(),
        })
    }

    /// Returns the findings about such objects. `said_once`: nothing else was checked, and the first says why, in place of
    /// [`nothing_checked`].
    pub fn findings(uses: Vec<PluginUse>, said_once: bool) -> impl Iterator<Item = Finding> {
        uses.into_iter().enumerate().map(move |(at, used)| {
            if said_once && at == 0 {
                used.nothing_checked()
            } else {
                not_of_group(&used.kind, used.span, used.index)
            }
        })
    }

    /// Reports that nothing was checked because of it, and what to write for Dynamic Resource Allocation.
    fn nothing_checked(&self) -> Finding {
        let PluginUse {
            kind,
            name,
            resource,
            ..
        } = self;
        let message = message!(
            "manifest.plugin-resource",
            "nothing was checked: {kind} {name} asks a device plugin for `{resource}`, not Dynamic Resource Allocation for devices",
            kind,
            name,
            resource
        );
        let help = message!(
            "manifest.plugin-resource-help",
            "such a resource is only counted. To choose devices, write a ResourceClaimTemplate and name it in `spec.resourceClaims` and in `resources.claims` of the container; or keep the pod, and give a DeviceClass `extendedResourceName: {resource}` (Kubernetes 1.36 and later; 1.34 and 1.35 with the gate DRAExtendedResource)",
            resource
        );
        let mut finding = Finding::new(Code::NothingChecked, message)
            .with_span(Span::at(0))
            .with_help(help);
        finding.object = Some(self.index);
        finding
    }
}

/// Returns the first resource of a container that no component of Kubernetes defines (k8s.io/component-helpers,
/// `IsExtendedResourceName`).
fn plugin_resource<'t>(tree: &'t Tree<'_>, container: NodeId) -> Option<&'t str> {
    let resources = tree.get(container, "resources")?;
    let lists = ["limits", "requests"]
        .into_iter()
        .filter_map(|field| tree.get(resources, field))
        .filter(|list| tree.is_map(*list));
    lists
        .flat_map(|list| tree.entries(list))
        .map(|entry| tree.text(entry.key))
        .find(|name| {
            name.contains('/') && !name.contains("kubernetes.io/") && !name.starts_with("requests.")
        })
}

/// Reports that the text contains no object of this group, or no object at all (`empty`).
pub fn nothing_checked(empty: bool) -> Finding {
    let message = if empty {
        message!(
            "manifest.no-object",
            "nothing was checked: the text holds no object"
        )
    } else {
        message!(
            "manifest.no-object-of-group",
            "nothing was checked: the text holds no object of `resource.k8s.io`"
        )
    };
    Finding::new(Code::NothingChecked, message).with_span(Span::at(0))
}
