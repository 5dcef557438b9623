//! Nodes that see the same devices, as far as a demand looks at them: one answer about devices holds for all of them.

use super::prepared::{Part, Prepared};
use crate::place::device::cluster::{Cluster, DeviceAt, SliceAt};
use crate::place::device::facts::{Ask, ClaimSpec};
use crate::place::device::pools::{Gathered, Pool};
use crate::place::device::selectors::Cell;
use std::collections::BTreeMap;

/// For each node, the first of the nodes that see the same devices; `None`: no other node does.
pub type Alike = Vec<Option<usize>>;

/// The pools of a node that matter to a demand, each by its slices, and whether the node can skip operations.
type View<'f> = (Vec<(&'f str, &'f str, Vec<SliceAt>)>, bool);

/// Compares what the nodes see. `parts`: the claims of the demand; nodes differ if one is allocated already.
pub fn alike(prepared: &Prepared<'_>, parts: &[Part]) -> Alike {
    let cluster = &prepared.cluster;
    let mut alike: Alike = vec![None; prepared.facts.nodes.len()];
    let specs = prepared.specs.borrow();
    let new = |part: &Part| match part {
        Part::New(spec) => specs.get(*spec).copied(),
        Part::Held(_) => None,
    };
    let claims: Option<Vec<&ClaimSpec>> = parts.iter().map(new).collect();
    let Some(claims) = claims.filter(|_| !takes_of_nodes(prepared)) else { return alike };
    let asks: Vec<&Ask> = claims
        .iter()
        .flat_map(|claim| &claim.devices.requests)
        .flat_map(|request| request.exactly.iter().chain(&request.first_available))
        .collect();
    let mut known: BTreeMap<Vec<SliceAt>, bool> = BTreeMap::new();
    let mut first: BTreeMap<View<'_>, usize> = BTreeMap::new();
    for node in 0..alike.len() {
        let Some(Ok(gathered)) = prepared.gathered(node) else { continue };
        let Some(view) = view(cluster, node, gathered, &asks, &mut known) else { continue };
        let leader = *first.entry(view).or_insert(node);
        if leader != node {
            for same in [leader, node] {
                alike.get_mut(same).into_iter().for_each(|place| *place = Some(leader));
            }
        }
    }
    alike
}

/// Returns true if devices may take resources of their node, of which nodes have different amounts.
fn takes_of_nodes(prepared: &Prepared<'_>) -> bool {
    let mut devices = prepared.facts.slices.iter().flat_map(|slice| &slice.spec.devices);
    prepared.setup.plugin_gates.node_resources && devices.any(|device| !device.node_allocatable_resource_mappings.is_empty())
}

/// Returns what a node sees; `None`: it cannot be compared, for devices choose nodes one by one, or pools share a name.
fn view<'f>(
    cluster: &Cluster<'f>,
    node: usize,
    gathered: &Gathered<'f>,
    asks: &[&Ask],
    known: &mut BTreeMap<Vec<SliceAt>, bool>,
) -> Option<View<'f>> {
    let mut pools = Vec::new();
    for pool in &gathered.pools {
        let matters = match known.get(&pool.collected) {
            Some(matters) => *matters,
            None => {
                let matters = matters(cluster, pool, asks);
                known.insert(pool.collected.clone(), matters);
                matters
            }
        };
        if !matters {
            continue;
        }
        let slices = pool.collected.iter().filter_map(|at| cluster.slice(*at));
        let by_device = slices.into_iter().any(|slice| slice.spec.per_device_node_selection == Some(true));
        if by_device || gathered.pools.iter().filter(|other| other.name == pool.name).count() > 1 {
            return None;
        }
        pools.push((pool.driver, pool.name, pool.collected.clone()));
    }
    Some((pools, cluster.node_skips_operations(node)))
}

/// Returns false if the pool is sound and the selectors refuse each of its devices for each request.
fn matters(cluster: &Cluster<'_>, pool: &Pool<'_>, asks: &[&Ask]) -> bool {
    let mut devices = pool.devices.iter().flat_map(|at| cluster.devices_of(*at));
    !pool.is_sound() || devices.any(|(at, _)| asks.iter().any(|ask| !is_refused(cluster, ask, at)))
}

/// Returns true if a selector refuses the device before another one fails on it.
fn is_refused(cluster: &Cluster<'_>, ask: &Ask, at: DeviceAt) -> bool {
    let Some(class) = cluster.class(&ask.device_class_name) else { return false };
    let ignores_class = cluster.behaviour.all_ignores_class && ask.allocation_mode == "All";
    let of_class = if ignores_class { &[][..] } else { class.spec.selectors.as_slice() };
    let mut selectors = of_class.iter().chain(&ask.selectors);
    selectors.find_map(|selector| match cluster.ask(selector, at) {
        Some(Cell::Yes) => None,
        cell => Some(cell == Some(Cell::No)),
    }) == Some(true)
}
