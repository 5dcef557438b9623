//! What if: edits of the facts, after which the same question is asked again.

use super::objects::{Facts, HOSTNAME, Meta, Node, Pod, Slice, Taint};
use super::sorted::Set;
use crate::explain::object_edits::{self, ObjectEdit};
use crate::explain::words;
use crate::scheduler::has_ended;
use claimkit_model::finding::{Code, Finding, Severity};
use claimkit_model::message::{Message, message};
use claimkit_values::names;
use serde::Deserialize;
use std::num::NonZeroUsize;
use std::rc::Rc;

/// The label that carries a node's operating system.
const SYSTEM: &str = "kubernetes.io/os";
/// The operating system of a node that does not exist yet, unless its labels name another.
const LINUX: &str = "linux";
/// Maximum number of nodes that are made up: each has slices of its own.
const MOST_NODES: usize = 1_000;
/// Prefixes of the keys of taints that say how a node is: its controller and autoscalers set them.
const STATE_TAINTS: [&str; 4] = [
    "node.kubernetes.io/",
    "node.cloudprovider.kubernetes.io/",
    "ToBeDeletedByClusterAutoscaler",
    "DeletionCandidateOfClusterAutoscaler",
];
/// Changes that a question assumes.
///
/// ```
/// use claimkit::{AllocateOptions, WhatIf};
///
/// let what_if = WhatIf::default().free("team/old").untaint("gpu.example.com/broken").without_rule("broken").node_like("node-a*3");
/// assert!(!what_if.is_empty());
/// // No cluster, no claim to free.
/// let error = claimkit::allocate("", &AllocateOptions::default().what_if(what_if)).unwrap_err();
/// assert_eq!(error.kind(), claimkit::ErrorKind::WhatIf);
/// ```
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(
    rename_all = "camelCase",
    default,
    deny_unknown_fields,
    expecting = "an object with lists of names"
)]
pub struct WhatIf {
    /// Claims whose devices are given back: `namespace/name`.
    pub free: Vec<String>,
    /// Taints to remove, as kubectl writes them: `key`, `key:effect`, `key=value:effect`.
    pub untaint: Vec<String>,
    /// DeviceTaintRules that do not exist, by name.
    pub without_rules: Vec<String>,
    /// Adds a copy of each of these nodes, with all devices free; `NODE*3` adds three.
    pub nodes_like: Vec<String>,
    /// Adds nodes that do not exist yet.
    pub new_nodes: Vec<NewNodes>,
    /// Edits of objects by which a suggestion is tried; requests have none.
    #[doc(hidden)]
    #[serde(skip)]
    pub edits: Vec<ObjectEdit>,
    /// Makes the claims of pods that wait for kube-controller-manager to make them; requests do not.
    #[doc(hidden)]
    #[serde(skip)]
    pub makes_claims: bool,
    /// How errors call these lists.
    #[doc(hidden)]
    #[serde(skip)]
    pub form: WhatIfForm,
}

/// Where changes are written, and so what errors call them.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhatIfForm {
    /// In a request: the names of its members.
    #[default]
    Request,
    /// In a command line: the names of its options.
    CommandLine,
}

impl WhatIfForm {
    fn member(self, request: &'static str, command_line: &'static str) -> &'static str {
        match self {
            WhatIfForm::Request => request,
            WhatIfForm::CommandLine => command_line,
        }
    }

    fn free(self) -> &'static str {
        self.member("free", "--what-if free")
    }

    fn untaint(self) -> &'static str {
        self.member("untaint", "--what-if untaint")
    }

    fn without_rules(self) -> &'static str {
        self.member("withoutRules", "--what-if without-rule")
    }

    fn nodes_like(self) -> &'static str {
        self.member("nodesLike", "--node-like")
    }

    /// Returns what errors call new nodes, and the text that describes them.
    fn new_nodes(self, new: &NewNodes) -> String {
        let member = self.member("newNodes", "--new-node");
        match &new.name {
            Some(name) => format!("{member} {name}"),
            None => member.to_owned(),
        }
    }
}

/// Nodes of one kind that do not exist yet.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewNodes {
    /// A text with a Node, and the ResourceSlices that its drivers will publish; or with the slices alone. Labels that kubelet sets and
    /// the Node lacks are added: its host name, and Linux as its operating system.
    pub text: String,
    /// How many of them there will be.
    #[serde(default = "one")]
    pub count: NonZeroUsize,
    /// What errors and findings call the text, such as its file.
    #[serde(default)]
    pub name: Option<String>,
}

/// A node that does not exist yet, as it was read.
#[derive(Clone, Debug, Default)]
pub struct ReadNode {
    /// The Node and its slices.
    pub facts: Facts,
    /// What was assumed.
    pub lines: Vec<Message>,
    pub findings: Vec<Finding>,
    /// Labels that the Node lacks are not known.
    pub is_open: bool,
}

/// A finding about the text of new nodes.
#[derive(Clone, Debug)]
pub struct NewNodeFinding {
    pub finding: Finding,
    /// What findings call the text.
    pub name: Option<String>,
}

fn one() -> NonZeroUsize {
    NonZeroUsize::MIN
}

/// The objects that a change affects.
#[derive(Clone, Debug, Default)]
pub struct Changed {
    /// A line for each change.
    pub lines: Vec<Message>,
    /// Indexes of the added nodes.
    pub nodes: Vec<usize>,
    /// Findings about the texts of new nodes.
    pub findings: Vec<NewNodeFinding>,
    /// The names of added slices, and what findings call their texts.
    pub slices: Vec<(String, Option<String>)>,
}

impl WhatIf {
    /// Gives back the devices of a claim: `namespace/name`.
    pub fn free(mut self, claim: impl Into<String>) -> Self {
        self.free.push(claim.into());
        self
    }

    /// Removes a taint, which is written as kubectl does: `key`, `key:effect`, `key=value:effect`.
    pub fn untaint(mut self, taint: impl Into<String>) -> Self {
        self.untaint.push(taint.into());
        self
    }

    /// Leaves out the DeviceTaintRule with this name.
    pub fn without_rule(mut self, name: impl Into<String>) -> Self {
        self.without_rules.push(name.into());
        self
    }

    /// Adds a copy of a node, with all devices free; `NODE*3` adds three.
    pub fn node_like(mut self, node: impl Into<String>) -> Self {
        self.nodes_like.push(node.into());
        self
    }

    /// Adds `count` nodes that do not exist yet: `text` has a Node, and the ResourceSlices that its drivers will publish.
    pub fn new_nodes(mut self, text: impl Into<String>, count: NonZeroUsize) -> Self {
        self.new_nodes.push(NewNodes {
            text: text.into(),
            count,
            name: None,
        });
        self
    }

    /// Returns true if nothing changes.
    pub fn is_empty(&self) -> bool {
        let lists = [
            &self.free,
            &self.untaint,
            &self.without_rules,
            &self.nodes_like,
        ];
        lists.iter().all(|list| list.is_empty())
            && self.new_nodes.is_empty()
            && self.edits.is_empty()
    }

    /// Edits the facts, before the taints of rules are added. `read` reads the text of new nodes.
    ///
    /// # Errors
    /// A named object that does not exist, too many nodes, or a text from which no node can be made.
    pub fn apply(
        &self,
        facts: &mut Facts,
        read: &dyn Fn(&str) -> Result<ReadNode, Message>,
    ) -> Result<Changed, Message> {
        let mut changed = Changed::default();
        for name in &self.free {
            changed.lines.push(self.free_claim(name, facts)?);
        }
        if !object_edits::apply_all(&self.edits, facts) {
            return Err(message!(
                "change.object-absent",
                "an object that the change is about is not there"
            ));
        }
        for name in &self.without_rules {
            changed.lines.push(self.leave_out_rule(name, facts)?);
        }
        for taint in &self.untaint {
            changed.lines.push(untaint(taint, self.form, facts)?);
        }
        let copies = self.copies()?;
        self.check_number_of_nodes(&copies)?;
        let first = facts.nodes.len();
        for copies in &copies {
            self.add_copies(copies, facts, &mut changed)?;
        }
        for new in &self.new_nodes {
            self.add_new_nodes(new, read, facts, &mut changed)?;
        }
        changed.nodes.extend(first..facts.nodes.len());
        Ok(changed)
    }

    /// Gives back the devices of a claim, and returns the line that says so.
    fn free_claim(&self, name: &String, facts: &mut Facts) -> Result<Message, Message> {
        let member = self.form.free();
        let mut claims = facts.claims.iter().enumerate();
        let Some((at, claim)) = claims.find(|(_, claim)| claim.metadata.full_name() == *name)
        else {
            return Err(message!(
                "change.free-absent",
                "`{member}`: there is no ResourceClaim `{name}`",
                member,
                name
            ));
        };
        if claim.status.allocation.is_none() {
            return Err(message!(
                "change.free-holds-none",
                "`{member}`: ResourceClaim `{name}` holds no devices",
                member,
                name
            ));
        }
        facts.free_claim(at);
        Ok(message!(
            "change.freed",
            "ResourceClaim {name} holds no devices",
            name
        ))
    }

    /// Removes a DeviceTaintRule, and returns the line that says so.
    fn leave_out_rule(&self, name: &String, facts: &mut Facts) -> Result<Message, Message> {
        let mut rules = facts.rules.iter();
        let Some(at) = rules.position(|rule| rule.metadata.name == *name) else {
            return Err(message!(
                "change.rule-absent",
                "`{member}`: there is no DeviceTaintRule `{name}`",
                member = self.form.without_rules(),
                name
            ));
        };
        facts.rules.remove(at);
        Ok(message!(
            "change.without-rule",
            "DeviceTaintRule {name} is not there",
            name
        ))
    }

    /// Reads which nodes are copied, and how often.
    fn copies(&self) -> Result<Vec<Copies<'_>>, Message> {
        let entries = self.nodes_like.iter();
        entries
            .map(|entry| Copies::read(entry, self.form))
            .collect()
    }

    fn check_number_of_nodes(&self, copies: &[Copies<'_>]) -> Result<(), Message> {
        let copied = copies.iter().map(|copies| copies.count);
        let new = self.new_nodes.iter().map(|new| new.count.get());
        let all = copied.chain(new).fold(0usize, usize::saturating_add);
        if all > MOST_NODES {
            return Err(message!(
                "change.too-many-nodes",
                "at most {most} nodes can be made up, not {all}",
                most = MOST_NODES,
                all
            ));
        }
        Ok(())
    }

    /// Adds copies of a node with its pools, and the pods of DaemonSets that run on it.
    fn add_copies(
        &self,
        copies: &Copies<'_>,
        facts: &mut Facts,
        changed: &mut Changed,
    ) -> Result<(), Message> {
        let name = copies.node;
        let names = add_nodes_like(copies, self.form, facts)?;
        let daemons = add_daemon_pods(name, &names, facts);
        changed.lines.push(match names.as_slice() {
            [one] => message!(
                "change.node-added",
                "Node {one} is there, like {name} with nothing in use",
                one,
                name
            ),
            names => message!(
                "change.nodes-added",
                "Nodes {names} are there, like {name} with nothing in use",
                names = words::some(names, words::MOST_NAMES),
                name
            ),
        });
        if !daemons.is_empty() {
            changed.lines.push(message!(
                "change.daemon-pods",
                "as on {name}, pods of DaemonSets run there: {daemons}",
                name,
                daemons = words::some(&daemons, words::MOST_NAMES)
            ));
        }
        Ok(())
    }

    /// Adds nodes that do not exist yet, from a text that describes one.
    fn add_new_nodes(
        &self,
        new: &NewNodes,
        read: &dyn Fn(&str) -> Result<ReadNode, Message>,
        facts: &mut Facts,
        changed: &mut Changed,
    ) -> Result<(), Message> {
        let described = read(&new.text).map_err(|problem| self.new_nodes_error(new, problem))?;
        let mut template = NodeTemplate::read(&described.facts)
            .map_err(|problem| self.new_nodes_error(new, problem))?;
        template.node.assumed |= described.is_open;
        let of_slices = template.findings(&described.facts);
        for finding in described.findings.into_iter().chain(of_slices) {
            changed.findings.push(NewNodeFinding {
                finding,
                name: new.name.clone(),
            });
        }
        let added = template.add(new.count.get(), "new", facts);
        for slice in added.slices {
            changed.slices.push((slice, new.name.clone()));
        }
        changed.lines.push(line_of_new_nodes(&added.nodes));
        changed
            .lines
            .extend(template.assumptions(described.is_open));
        changed.lines.extend(described.lines);
        Ok(())
    }

    fn new_nodes_error(&self, new: &NewNodes, problem: Message) -> Message {
        message!(
            "change.new-nodes-wrong",
            "`{member}`: {problem}",
            member = self.form.new_nodes(new),
            problem
        )
    }
}

fn line_of_new_nodes(names: &[String]) -> Message {
    match names {
        [one] => message!(
            "change.new-node",
            "Node {one}, which does not exist yet, is there, and no pod of a DaemonSet is on it",
            one
        ),
        names => message!(
            "change.new-nodes",
            "Nodes {names}, which do not exist yet, are there, and no pod of a DaemonSet is on them",
            names = words::some(names, words::MOST_NAMES)
        ),
    }
}

/// Removes a taint from all devices, and the rules that set it.
fn untaint(wanted: &str, form: WhatIfForm, facts: &mut Facts) -> Result<Message, Message> {
    let before = facts.rules.len();
    facts
        .rules
        .retain(|rule| !is_called(&rule.spec.taint, wanted));
    let rules = before.saturating_sub(facts.rules.len());
    let mut devices = 0usize;
    for slice in &mut facts.slices {
        if slice
            .spec
            .devices
            .iter()
            .flat_map(|device| &device.taints)
            .any(|taint| is_called(taint, wanted))
        {
            for device in &mut Rc::make_mut(slice).spec.devices {
                let before = device.taints.len();
                device.taints.retain(|taint| !is_called(taint, wanted));
                devices = devices.saturating_add(usize::from(device.taints.len() < before));
            }
        }
    }
    match (devices, rules) {
        (0, 0) => Err(message!(
            "change.taint-absent",
            "`{member}`: no driver and no DeviceTaintRule sets a taint `{wanted}`",
            member = form.untaint(),
            wanted
        )),
        _ => Ok(message!(
            "change.untainted",
            "no device has the taint {wanted}",
            wanted
        )),
    }
}

/// How often a node is copied.
struct Copies<'e> {
    node: &'e str,
    count: usize,
}

impl<'e> Copies<'e> {
    /// Reads `NODE` or `NODE*3`.
    fn read(entry: &'e str, form: WhatIfForm) -> Result<Self, Message> {
        let Some((node, written)) = entry.split_once('*') else {
            return Ok(Copies {
                node: entry,
                count: 1,
            });
        };
        match written.parse() {
            Ok(count) if count > 0 => Ok(Copies { node, count }),
            _ => Err(message!(
                "change.nodes-like-malformed",
                "`{member}`: `{entry}`: write the node and how many, such as `{name}*3`",
                member = form.nodes_like(),
                entry,
                name = node
            )),
        }
    }
}

/// Adds copies of a node and of the pools on that node. Slices that select nodes by label apply to the copies too. Returns their names.
fn add_nodes_like(
    copies: &Copies<'_>,
    form: WhatIfForm,
    facts: &mut Facts,
) -> Result<Vec<String>, Message> {
    let name = copies.node;
    let mut nodes = facts.nodes.iter();
    let Some(found) = nodes.find(|node| node.metadata.name == *name) else {
        return Err(message!(
            "change.node-absent",
            "`{member}`: there is no Node `{name}`",
            member = form.nodes_like(),
            name
        ));
    };
    let template = NodeTemplate {
        node: sound(found),
        slices: slices_to_copy(name, facts),
    };
    Ok(template.add(copies.count, "copy", facts).nodes)
}

/// Returns a node without its state: a new one is neither cordoned nor out of order (cluster-autoscaler leaves such taints out of its
/// templates, too).
fn sound(node: &Node) -> Node {
    let mut node = node.clone();
    node.spec.unschedulable = false;
    node.spec.taints.retain(|taint| {
        let mut of_state = STATE_TAINTS.iter();
        !of_state.any(|prefix| taint.key.starts_with(prefix))
    });
    node.status.conditions.clear();
    node
}

/// Puts the pods of DaemonSets on a node onto copies of it, without their devices. Returns the names of the DaemonSets.
fn add_daemon_pods(node: &str, copies: &[String], facts: &mut Facts) -> Vec<String> {
    let mut daemons: Vec<String> = Vec::new();
    let mut pods: Vec<Rc<Pod>> = Vec::new();
    for pod in &facts.pods {
        let mut owners = pod.metadata.owner_references.iter();
        let daemon = owners.find(|owner| owner.controller && owner.kind == "DaemonSet");
        let Some(daemon) = daemon.filter(|_| pod.spec.node_name == node && !has_ended(pod)) else {
            continue;
        };
        let Meta { namespace, .. } = &pod.metadata;
        daemons.push(format!("{namespace}/{}", daemon.name));
        for copy in copies {
            let mut own = (**pod).clone();
            own.metadata.name = format!("{}-{copy}", pod.metadata.name);
            own.metadata.uid = format!("{}-{copy}", pod.metadata.uid);
            own.spec.node_name.clone_from(copy);
            own.spec.resource_claims.clear();
            pods.push(Rc::new(own));
        }
    }
    facts.pods.append(&mut pods);
    daemons
}

/// Returns the only Node of a text, or, without Nodes, one with the only name that its slices have; `None` for anything else.
fn described_node(given: &Facts) -> Option<Node> {
    match given.nodes.as_slice() {
        [node] if !node.metadata.name.is_empty() => Some((**node).clone()),
        [] => {
            let names: Set<&str> = given
                .slices
                .iter()
                .filter_map(|slice| {
                    let name = slice.spec.node_name.as_deref();
                    name.filter(|name| !name.is_empty())
                })
                .collect();
            let mut names = names.into_iter();
            let (Some(name), None) = (names.next(), names.next()) else {
                return None;
            };
            let mut node = Node::default();
            node.metadata.name = name.to_owned();
            Some(node)
        }
        _ => None,
    }
}

/// A node and the slices on it, of which copies are made.
struct NodeTemplate {
    node: Node,
    slices: Vec<Slice>,
}

/// The names of what a template added.
struct Added {
    nodes: Vec<String>,
    slices: Vec<String>,
}

impl NodeTemplate {
    /// Takes the node of a text, or the one that its slices name.
    fn read(given: &Facts) -> Result<Self, Message> {
        let Some(mut node) = described_node(given) else {
            return Err(message!(
                "change.new-nodes-of-several",
                "a text describes one node, by a Node and its ResourceSlices, by slices with its `nodeName`, or by an object of Cluster API or Karpenter"
            ));
        };
        let Meta { name, labels, .. } = &mut node.metadata;
        if let Some(problem) = names::subdomain(name).into_iter().next() {
            return Err(message!(
                "change.new-node-name",
                "no node can be called `{name}`: {problem}",
                name,
                problem,
            ));
        }
        // Kubelet sets these.
        labels.insert_new(HOSTNAME.to_owned(), name.clone());
        labels.insert_new(SYSTEM.to_owned(), LINUX.to_owned());
        let other = given.slices.iter().find(|slice| !is_on(slice, name));
        if let Some(slice) = other {
            return Err(message!(
                "change.new-nodes-other-slice",
                "ResourceSlice `{slice}` is not of Node `{node}` by name: every new node gets the slices of its own",
                slice = slice.metadata.name,
                node = name
            ));
        }
        Ok(NodeTemplate {
            slices: slices_to_copy(name, given),
            node,
        })
    }

    /// Returns what is wrong with the slices of a new node: all nodes of a template would publish the same.
    fn findings(&self, given: &Facts) -> Vec<Finding> {
        let node = &self.node.metadata.name;
        let mut findings = Vec::new();
        let mut pools: Set<(String, String)> = Set::default();
        for slice in &given.slices {
            let (driver, pool) = pool_of(slice);
            if place_of(&pool, node).is_none() && pools.insert((driver.clone(), pool.clone())) {
                findings.push(new_warning(Code::PoolNameShared, message!(
                        "change.pool-name-fixed",
                        "all nodes would share pool {pool} of {driver}, because its name does not contain that of Node {node}: here each node has a pool of its own",
                        pool,
                        driver,
                        node,
                    )));
            }
            let name = &slice.metadata.name;
            if !name.is_empty() && place_of(name, node).is_none() {
                findings.push(new_warning(Code::AlreadyExists, message!(
                        "change.slice-name-fixed",
                        "ResourceSlice {name} can exist only once, because its name does not contain that of Node {node}: here each node has slices of its own",
                        name,
                        node,
                    )));
            }
            let is_used = |kept: &Slice| {
                pool_of(kept) == pool_of(slice)
                    && kept.spec.pool.generation == slice.spec.pool.generation
            };
            if !self.slices.iter().any(is_used) {
                findings.push(new_warning(Code::SliceStale, message!(
                        "change.slice-old",
                        "ResourceSlice {name} is left out: pool {pool} of {driver} has a newer generation than {generation}",
                        name,
                        pool = slice.spec.pool.name,
                        driver = slice.spec.driver,
                        generation = slice.spec.pool.generation,
                    )));
            }
        }
        findings
    }

    /// Returns what is assumed of the node where its text does not say it.
    fn assumptions(&self, is_open: bool) -> Vec<Message> {
        let name = &self.node.metadata.name;
        let mut lines = Vec::new();
        if self.node.status.allocatable.is_empty() {
            lines.push(message!(
                "change.new-node-resources",
                "the CPU, memory and pods of Node {name} are not given, and count as enough",
                name
            ));
        }
        if is_open {
            lines.push(message!(
                "change.new-node-labels",
                "labels of Node {name} that its template leaves open are not known",
                name
            ));
        }
        if self.slices.is_empty() {
            lines.push(message!(
                "change.new-node-devices",
                "Node {name} has no devices: ResourceSlices with its `nodeName` in the same text would give it some",
                name
            ));
        }
        lines
    }

    /// Adds this many copies under names that are free, such as `NAME-copy-2`.
    fn add(&self, count: usize, suffix: &str, facts: &mut Facts) -> Added {
        let names = self.free_names(count, suffix, facts);
        let mut pools: Set<(String, String)> =
            facts.slices.iter().map(|slice| pool_of(slice)).collect();
        let mut slices = Vec::new();
        for copy in &names {
            facts.nodes.push(Rc::new(self.node_called(copy)));
            for slice in self.slices_of_copy(copy, &mut pools) {
                slices.push(slice.metadata.name.clone());
                facts.slices.push(Rc::new(slice));
            }
        }
        Added {
            nodes: names,
            slices,
        }
    }

    /// Returns names that no node has yet.
    fn free_names(&self, count: usize, suffix: &str, facts: &Facts) -> Vec<String> {
        let name = &self.node.metadata.name;
        let known = facts.nodes.iter().map(|node| node.metadata.name.clone());
        let taken: Set<String> = known.collect();
        // Of one name more than there are nodes, one is free.
        let last = taken
            .as_slice()
            .len()
            .saturating_add(count)
            .saturating_add(1);
        let names = (1..last).map(|at| match at {
            1 => format!("{name}-{suffix}"),
            at => format!("{name}-{suffix}-{at}"),
        });
        names
            .filter(|name| !taken.contains(name))
            .take(count)
            .collect()
    }

    fn node_called(&self, name: &String) -> Node {
        let mut node = self.node.clone();
        node.metadata.name.clone_from(name);
        node.metadata.uid.clear();
        if let Some(label) = node.metadata.labels.get_mut(HOSTNAME) {
            label.clone_from(name);
        }
        node
    }

    /// Returns the slices of a copy, in pools whose names are added to those in use.
    fn slices_of_copy(&self, copy: &str, pools: &mut Set<(String, String)>) -> Vec<Slice> {
        let name = &self.node.metadata.name;
        let mut slices = Vec::new();
        let own: Set<(String, String)> = self.slices.iter().map(pool_of).collect();
        for pool in own.iter() {
            let new_name = free_pool(pool, name, copy, pools);
            let of_pool = self.slices.iter().filter(|slice| pool_of(slice) == *pool);
            for slice in of_pool {
                let mut slice = moved(slice, name, copy);
                slice.spec.pool.name.clone_from(&new_name);
                slices.push(slice);
            }
            pools.insert((pool.0.clone(), new_name));
        }
        slices
    }
}

fn new_warning(code: Code, message: Message) -> Finding {
    Finding {
        severity: Severity::Warning,
        ..Finding::new(code, message)
    }
}

/// Returns the slices of the pools on a node, as a pool of a copy has them.
fn slices_to_copy(name: &str, facts: &Facts) -> Vec<Slice> {
    let here: Vec<&Rc<Slice>> = facts
        .slices
        .iter()
        .filter(|slice| is_on(slice, name))
        .collect();
    let pools: Set<(String, String)> = here.iter().map(|slice| pool_of(slice)).collect();
    let mut copies = Vec::new();
    for pool in pools.iter() {
        // The copy of an incomplete pool lacks the same number of slices.
        let newest = here
            .iter()
            .filter(|slice| pool_of(slice) == *pool)
            .map(|slice| slice.spec.pool.generation)
            .max();
        let is_copied =
            |slice: &Slice| pool_of(slice) == *pool && Some(slice.spec.pool.generation) == newest;
        let (mut have, mut on_node) = (0i64, 0i64);
        for slice in facts.slices.iter().filter(|slice| is_copied(slice)) {
            have = have.saturating_add(1);
            on_node = on_node.saturating_add(i64::from(is_on(slice, name)));
        }
        for slice in here.iter().filter(|slice| is_copied(slice)) {
            let mut slice = (***slice).clone();
            let lacking = slice.spec.pool.resource_slice_count.saturating_sub(have);
            slice.spec.pool.resource_slice_count = on_node.saturating_add(lacking).max(0);
            copies.push(slice);
        }
    }
    copies
}

fn pool_of(slice: &Slice) -> (String, String) {
    (slice.spec.driver.clone(), slice.spec.pool.name.clone())
}

/// Returns true if the slice, or one of its devices, is bound to a node by name.
fn is_on(slice: &Slice, node: &str) -> bool {
    let spec = &slice.spec;
    let mut devices = spec.devices.iter();
    spec.node_name.as_deref() == Some(node)
        || spec.per_device_node_selection == Some(true)
            && devices.any(|device| device.node_name.as_deref() == Some(node))
}

/// Copies a slice for another node, with only the devices of the first node.
fn moved(slice: &Slice, from: &str, to: &str) -> Slice {
    let mut copy = slice.clone();
    let spec = &mut copy.spec;
    if spec.node_name.as_deref() == Some(from) {
        spec.node_name = Some(to.to_owned());
    } else {
        spec.devices
            .retain(|device| device.node_name.as_deref() == Some(from));
        for device in &mut spec.devices {
            device.node_name = Some(to.to_owned());
        }
    }
    copy.metadata.name = renamed(&slice.metadata.name, from, to);
    copy
}

/// Returns true if a taint is called so: by its key, with or without its effect, or by its full name.
fn is_called(taint: &Taint, name: &str) -> bool {
    name == taint.key || name == format!("{}:{}", taint.key, taint.effect) || name == taint.name()
}

/// Replaces the node's name inside a name, or appends the new node's name.
fn renamed(name: &str, from: &str, to: &str) -> String {
    match place_of(name, from) {
        Some((before, after)) => format!("{before}{to}{after}"),
        None => format!("{name}-{to}"),
    }
}

/// Returns what is before and behind the node's name inside a name.
fn place_of<'n>(name: &'n str, node: &str) -> Option<(&'n str, &'n str)> {
    let mut places = name.match_indices(node);
    places.find_map(|(at, _)| {
        let (before, rest) = name.split_at_checked(at)?;
        let after = rest.strip_prefix(node)?;
        let is_whole =
            !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric);
        is_whole.then_some((before, after))
    })
}

/// Returns the name of a node's pool on a copy of the node, which no other pool of the driver has.
fn free_pool(
    (driver, pool): &(String, String),
    from: &str,
    to: &str,
    taken: &Set<(String, String)>,
) -> String {
    let mut name = renamed(pool, from, to);
    while taken.contains(&(driver.clone(), name.clone())) {
        name = format!("{name}-{to}");
    }
    name
}
