//! Nodes that an autoscaler would make: objects of Cluster API with the annotations of cluster-autoscaler, and of Karpenter.
//!
//! Sources: cluster-autoscaler, `cloudprovider/clusterapi` (`clusterapi_utils.go`, `clusterapi_unstructured.go`,
//! `clusterapi_nodegroup.go`); Karpenter 1.15, NodePool and NodeClaim of `karpenter.sh/v1` and NodeOverlay of `karpenter.sh/v1alpha1`.

use claimkit_model::finding::{Code, Finding, Severity};
use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::objects::HOSTNAME;
use serde_json::{Map, Value, json};

/// A node as an autoscaler describes it.
#[derive(Debug, Default)]
pub struct DescribedNode {
    pub name: String,
    labels: Map<String, Value>,
    taints: Vec<Value>,
    /// Its allocatable resources.
    resources: Map<String, Value>,
    pub slices: Vec<Value>,
    /// What was assumed.
    pub lines: Vec<Message>,
    pub findings: Vec<Finding>,
    /// Labels that are not given are not known.
    pub is_open: bool,
}

/// The object that describes a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Describer {
    /// A MachineDeployment, MachineSet or MachinePool.
    ClusterApi,
    NodePool,
    NodeClaim,
}

impl Describer {
    /// Returns what describes a node in this kind of objects.
    pub fn of(api_version: &str, kind: &str) -> Option<Self> {
        match (group(api_version), kind) {
            ("cluster.x-k8s.io", "MachineDeployment" | "MachineSet" | "MachinePool") => {
                Some(Describer::ClusterApi)
            }
            ("karpenter.sh", "NodePool") => Some(Describer::NodePool),
            ("karpenter.sh", "NodeClaim") => Some(Describer::NodeClaim),
            _ => None,
        }
    }
}

/// Returns true for an object that says more of such nodes: a template of the infrastructure, or an overlay.
pub fn is_beside(api_version: &str, kind: &str) -> bool {
    match group(api_version) {
        "infrastructure.cluster.x-k8s.io" => true,
        "karpenter.sh" => kind == "NodeOverlay",
        _ => false,
    }
}

fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// Returns the node that an object describes. `beside`: the other objects of its text.
///
/// # Errors
/// An annotation that is not the number it should be: cluster-autoscaler makes no node of it.
pub fn describe(
    describer: Describer,
    object: &Value,
    beside: &[Value],
) -> Result<DescribedNode, Message> {
    let mut described = match describer {
        Describer::ClusterApi => of_cluster_api(object, beside)?,
        Describer::NodePool => of_node_pool(object),
        Describer::NodeClaim => of_node_claim(object),
    };
    if describer != Describer::ClusterApi {
        let overlays = beside
            .iter()
            .filter(|one| text(one, "/kind") == "NodeOverlay");
        for overlay in overlays {
            apply(overlay, &mut described);
        }
    }
    Ok(described)
}

/// Returns the kind and name of an object.
fn named(object: &Value) -> String {
    format!(
        "{} {}",
        text(object, "/kind"),
        text(object, "/metadata/name")
    )
}

/// Returns the part of a value at a JSON pointer; null if there is none.
fn part<'v>(value: &'v Value, pointer: &str) -> &'v Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

/// Returns the text at a JSON pointer; empty if there is none.
fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    part(value, pointer).as_str().unwrap_or_default()
}

/// Returns the list at a JSON pointer.
fn list<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    let items = part(value, pointer).as_array();
    items.map_or(&[][..], Vec::as_slice)
}

/// Returns the members of an object.
fn members(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

// --- Cluster API --------------------------------------------------------------------------------------------------------

const PREFIX: &str = "capacity.cluster-autoscaler.kubernetes.io/";
/// Resources of a node, and the annotations that give them.
const AMOUNTS: [(&str, &str); 3] = [
    ("cpu", "cpu"),
    ("memory", "memory"),
    ("ephemeral-storage", "ephemeral-disk"),
];
/// Pods of a node, unless an annotation says otherwise.
const MOST_PODS: i64 = 110;
/// Maximum number of devices that are made up for a node.
const MOST_DEVICES: i64 = 1_024;
/// Domains of labels that Cluster API copies from a machine to its node, beside their subdomains.
const MANAGED: [&str; 2] = ["node-restriction.kubernetes.io", "node.cluster.x-k8s.io"];
const ROLES: &str = "node-role.kubernetes.io";
const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// The annotations of an object.
struct Annotations<'v>(&'v Value);

impl<'v> Annotations<'v> {
    fn get(&self, name: &str) -> &'v str {
        let annotations = part(self.0, "/metadata/annotations");
        let value = annotations.get(format!("{PREFIX}{name}"));
        value.and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns a whole number; 0 if it is not given.
    fn number(&self, name: &str) -> Result<i64, Message> {
        let value = self.get(name);
        if value.is_empty() {
            return Ok(0);
        }
        value.parse().map_err(|_| {
            message!(
                "change.annotation-number",
                "annotation {annotation} of {object} is `{value}`, not a whole number: cluster-autoscaler makes no node of it",
                annotation = format!("{PREFIX}{name}"),
                object = named(self.0),
                value,
            )
        })
    }
}

fn of_cluster_api(object: &Value, beside: &[Value]) -> Result<DescribedNode, Message> {
    let annotations = Annotations(object);
    let mut described = DescribedNode::default();
    let mut resources = infrastructure(object, beside);
    for (resource, name) in AMOUNTS {
        let amount = annotations.get(name);
        if !matches!(amount, "" | "0") {
            resources.insert(resource.to_owned(), amount.into());
        }
    }
    let is_whole = ["cpu", "memory"]
        .iter()
        .all(|name| resources.contains_key(*name));
    if !is_whole {
        described.warn(message!(
            "change.annotations-lacking",
            "cluster-autoscaler makes no first node of {object}: neither the annotations {cpu} and {memory} nor its infrastructure give both",
            object = named(object),
            cpu = format!("{PREFIX}cpu"),
            memory = format!("{PREFIX}memory"),
        ));
    }
    let count = annotations.number("gpu-count")?;
    if count > MOST_DEVICES {
        return Err(message!(
            "change.annotation-too-many",
            "annotation {annotation} of {object} is {count}: at most {most} devices are made up for a node",
            annotation = format!("{PREFIX}gpu-count"),
            object = named(object),
            count,
            most = MOST_DEVICES,
        ));
    }
    let (resource, driver) = (annotations.get("gpu-type"), annotations.get("dra-driver"));
    if count > 0 && !resource.is_empty() {
        resources.insert(resource.to_owned(), count.to_string().into());
    }
    let pods = annotations.number("maxPods")?;
    if pods < 0 {
        described.warn(message!(
            "change.annotation-negative",
            "annotation {annotation} of {object} is {pods}: its nodes take no pod",
            annotation = format!("{PREFIX}maxPods"),
            object = named(object),
            pods,
        ));
    }
    let pods = if pods == 0 { MOST_PODS } else { pods };
    if is_whole {
        resources.insert("pods".to_owned(), pods.to_string().into());
    } else {
        resources.clear();
    }
    devices(object, driver, count, &mut described);
    if count > 0 && resource.is_empty() && driver.is_empty() {
        described.warn(message!(
            "change.gpu-count-alone",
            "{count} GPUs of {object} have no effect: they need the annotation {driver} or {resource}",
            count,
            object = named(object),
            driver = format!("{PREFIX}dra-driver"),
            resource = format!("{PREFIX}gpu-type"),
        ));
    }
    described.name = text(object, "/metadata/name").to_owned();
    described.labels = labels(object);
    described.taints = taints(object, &mut described);
    described.resources = resources;
    Ok(described)
}

impl DescribedNode {
    /// Returns the Node.
    pub fn node(&self) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": self.name, "labels": self.labels},
            "spec": {"taints": self.taints},
            "status": {"allocatable": self.resources},
        })
    }

    fn warn(&mut self, message: Message) {
        self.findings.push(Finding {
            severity: Severity::Warning,
            ..Finding::new(Code::NodeMistyped, message)
        });
    }
}

/// Returns the capacity in the status of the infrastructure's template.
fn infrastructure(object: &Value, beside: &[Value]) -> Map<String, Value> {
    let wanted = part(object, "/spec/template/spec/infrastructureRef");
    let mut templates = beside.iter().filter(|one| {
        text(one, "/kind") == text(wanted, "/kind")
            && text(one, "/metadata/name") == text(wanted, "/name")
    });
    templates
        .next()
        .map(|template| members(part(template, "/status/capacity")))
        .unwrap_or_default()
}

/// Returns the labels of the node: those that Cluster API copies from its machine, and those of the annotation over them.
fn labels(object: &Value) -> Map<String, Value> {
    let mut labels = Map::new();
    labels.insert("kubernetes.io/arch".to_owned(), "amd64".into());
    labels.insert("kubernetes.io/os".to_owned(), "linux".into());
    for (key, value) in members(part(object, "/spec/template/metadata/labels")) {
        if is_managed(&key) {
            labels.insert(key, value);
        }
    }
    let given = Annotations(object).get("labels");
    for (key, value) in given.split(',').filter_map(|label| label.split_once('=')) {
        labels.insert(key.to_owned(), value.into());
    }
    labels
}

fn is_managed(key: &str) -> bool {
    let domain = key.split('/').next().unwrap_or_default();
    domain == ROLES
        || MANAGED.iter().any(|managed| {
            domain
                .strip_suffix(managed)
                .is_some_and(|before| before.is_empty() || before.ends_with('.'))
        })
}

/// Returns the taints of the node: those of the machines, and those of the annotation, which replace others of the same key and effect.
fn taints(object: &Value, described: &mut DescribedNode) -> Vec<Value> {
    let mut taints = list(object, "/spec/template/spec/taints").to_vec();
    let given = Annotations(object).get("taints");
    for written in given.split(',').filter(|written| !written.is_empty()) {
        let Some(taint) = taint(written) else {
            described.warn(message!(
                "change.annotation-taint",
                "cluster-autoscaler ignores taint `{taint}` of {object}: write `KEY=VALUE:EFFECT`",
                taint = written,
                object = named(object),
            ));
            continue;
        };
        taints.retain(|other| {
            !(is_same_part(other, &taint, "/key") && is_same_part(other, &taint, "/effect"))
        });
        taints.push(taint);
    }
    taints
}

fn is_same_part(other: &Value, taint: &Value, pointer: &str) -> bool {
    part(other, pointer) == part(taint, pointer)
}

/// Reads `KEY=VALUE:EFFECT`, where the value may be left out.
fn taint(written: &str) -> Option<Value> {
    let (what, effect) = written.split_once(':')?;
    let (key, value) = what.split_once('=').unwrap_or((what, ""));
    let is_taint = EFFECTS.contains(&effect) && !key.is_empty() && !value.contains('=');
    is_taint.then(|| json!({"key": key, "value": value, "effect": effect}))
}

/// Adds the devices that cluster-autoscaler makes up, or says that there are none.
fn devices(object: &Value, driver: &str, count: i64, described: &mut DescribedNode) {
    if driver.is_empty() {
        return;
    }
    if count <= 0 {
        return described.warn(message!(
            "change.driver-without-count",
            "{object} has no devices of {driver}: cluster-autoscaler takes their number from the annotation {annotation}",
            object = named(object),
            driver,
            annotation = format!("{PREFIX}gpu-count"),
        ));
    }
    let name = text(object, "/metadata/name");
    let devices = (0..count)
        .map(|at| json!({"name": format!("gpu-{at}"), "attributes": {"type": {"string": "gpu"}}}));
    described.slices.push(json!({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": format!("{name}-{driver}")},
        "spec": {
            "driver": driver,
            "nodeName": name,
            "pool": {"name": name, "generation": 1, "resourceSliceCount": 1},
            "devices": devices.collect::<Vec<Value>>(),
        },
    }));
    described.lines.push(message!(
        "change.devices-made-up",
        "a node of {object} has {count} devices of {driver} with the attribute `type` alone, as cluster-autoscaler makes them up",
        object = named(object),
        count,
        driver,
    ));
}

// --- Karpenter ----------------------------------------------------------------------------------------------------------

/// Resources that count as enough where nothing is said of them.
const ENOUGH: [(&str, &str); 4] = [
    ("cpu", "1M"),
    ("memory", "1Ei"),
    ("pods", "1M"),
    ("ephemeral-storage", "1Ei"),
];

fn of_node_pool(object: &Value) -> DescribedNode {
    let template = part(object, "/spec/template");
    let name = text(object, "/metadata/name");
    let mut labels = members(part(template, "/metadata/labels"));
    labels.insert("karpenter.sh/nodepool".to_owned(), name.into());
    add_required(list(template, "/spec/requirements"), &mut labels);
    // A pod need not tolerate startup taints: they are removed.
    let taints = list(template, "/spec/taints").to_vec();
    DescribedNode {
        name: name.to_owned(),
        labels,
        taints,
        is_open: true,
        ..DescribedNode::default()
    }
}

fn of_node_claim(object: &Value) -> DescribedNode {
    let name = text(object, "/metadata/name");
    let mut labels = members(part(object, "/metadata/labels"));
    add_required(list(object, "/spec/requirements"), &mut labels);
    labels.remove(HOSTNAME);
    let resources = ["/status/allocatable", "/status/capacity"]
        .iter()
        .map(|pointer| members(part(object, pointer)))
        .find(|resources| !resources.is_empty());
    let taints = list(object, "/spec/taints").to_vec();
    DescribedNode {
        name: name.to_owned(),
        labels,
        taints,
        resources: resources.unwrap_or_default(),
        is_open: true,
        ..DescribedNode::default()
    }
}

/// Adds the labels for which requirements leave one value.
fn add_required(requirements: &[Value], labels: &mut Map<String, Value>) {
    for requirement in requirements {
        let values = list(requirement, "/values");
        if let ("In", [value]) = (text(requirement, "/operator"), values) {
            labels.insert(text(requirement, "/key").to_owned(), value.clone());
        }
    }
}

/// Adds the capacity of an overlay, unless a label of the node excludes it.
fn apply(overlay: &Value, described: &mut DescribedNode) {
    let capacity = members(part(overlay, "/spec/capacity"));
    let mut unknown = Vec::new();
    for requirement in list(overlay, "/spec/requirements") {
        match meets(requirement, &described.labels) {
            Some(true) => {}
            Some(false) => return,
            None => unknown.push(text(requirement, "/key")),
        }
    }
    if capacity.is_empty() {
        return;
    }
    if !unknown.is_empty() {
        described.lines.push(message!(
            "change.overlay-assumed",
            "{overlay} counts as being about a node whose label {keys} is not known",
            overlay = named(overlay),
            keys = unknown.join(", "),
        ));
    }
    if described.resources.is_empty() {
        let enough = ENOUGH
            .iter()
            .map(|(resource, amount)| ((*resource).to_owned(), Value::from(*amount)));
        described.resources.extend(enough);
    }
    described.resources.extend(capacity);
}

/// Returns whether labels meet a requirement; `None`: the label is not known.
fn meets(requirement: &Value, labels: &Map<String, Value>) -> Option<bool> {
    let label = labels.get(text(requirement, "/key"))?;
    let values = list(requirement, "/values");
    let bound = || values.first().and_then(number_of);
    match text(requirement, "/operator") {
        "In" => Some(values.contains(label)),
        "NotIn" => Some(!values.contains(label)),
        "Exists" => Some(true),
        "DoesNotExist" => Some(false),
        "Gt" => Some(number_of(label)? > bound()?),
        "Lt" => Some(number_of(label)? < bound()?),
        _ => None,
    }
}

fn number_of(value: &Value) -> Option<i64> {
    text(value, "").parse::<i64>().ok()
}
