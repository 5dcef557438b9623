//! Nodes that see the same devices, as far as a demand looks at them: one answer about devices holds for all of them.

use crate::allocator::cluster::{Cluster, DeviceAt, SliceAt};
use crate::allocator::objects::{Ask, ClaimSpec};
use crate::allocator::pools::{NodePools, Pool};
use crate::allocator::selectors::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// For each node, the first of the nodes that see the same devices; `None`: no other node does.
pub type SameDevices = Vec<Option<usize>>;

/// The pools of all nodes, each once.
#[derive(Debug, Default)]
pub struct Sights<'f> {
    pools: Vec<Sight<'f>>,
    /// The numbers of the pools of each node, in upstream's order; `None`: they cannot be gathered.
    of_nodes: Vec<Option<Vec<usize>>>,
}

/// A pool as at least one node sees it.
#[derive(Debug)]
struct Sight<'f> {
    pool: Rc<Pool<'f>>,
    /// How many nodes see it.
    nodes: usize,
    /// Its devices choose nodes one by one, or another driver has a pool of this name: nodes that see it cannot be compared.
    is_special: bool,
}

impl<'f> Sights<'f> {
    /// Numbers the pools that nodes see.
    pub fn of(cluster: &Cluster<'f>, gathered: &[Result<NodePools<'f>, String>]) -> Self {
        let mut drivers: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, name, _) in cluster.all_pools() {
            let count = drivers.entry(name).or_default();
            *count = count.saturating_add(1);
        }
        let mut sights = Sights::default();
        let mut known: BTreeMap<Vec<SliceAt>, usize> = BTreeMap::new();
        for gathered in gathered {
            let Ok(gathered) = gathered else {
                sights.of_nodes.push(None);
                continue;
            };
            let mut numbers = Vec::with_capacity(gathered.pools.len());
            for pool in &gathered.pools {
                let number = known.get(&pool.collected).copied().unwrap_or_else(|| {
                    let mut slices = pool.collected.iter().filter_map(|at| cluster.slice(*at));
                    let by_device =
                        slices.any(|slice| slice.spec.per_device_node_selection == Some(true));
                    let is_special =
                        by_device || drivers.get(pool.name).is_some_and(|drivers| *drivers > 1);
                    sights.pools.push(Sight {
                        pool: pool.clone(),
                        nodes: 0,
                        is_special,
                    });
                    let number = sights.pools.len().saturating_sub(1);
                    known.insert(pool.collected.clone(), number);
                    number
                });
                if let Some(sight) = sights.pools.get_mut(number) {
                    sight.nodes = sight.nodes.saturating_add(1);
                }
                numbers.push(number);
            }
            sights.of_nodes.push(Some(numbers));
        }
        sights
    }

    /// Compares what the nodes see of the devices that new claims may get.
    pub fn compare(&self, cluster: &Cluster<'_>, claims: &[&ClaimSpec]) -> SameDevices {
        let mut same: SameDevices = vec![None; self.of_nodes.len()];
        let requests = claims.iter().flat_map(|claim| &claim.devices.requests);
        let asks: Vec<&Ask> = requests
            .flat_map(|request| request.exactly.iter().chain(&request.first_available))
            .collect();
        let matters: Vec<bool> = self
            .pools
            .iter()
            .map(|sight| pool_matters(cluster, &sight.pool, &asks))
            .collect();
        let mut views = Views::default();
        let mut first: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (node, numbers) in self.of_nodes.iter().enumerate() {
            let Some(view) = numbers
                .as_ref()
                .and_then(|numbers| self.view(numbers, &matters, &mut views))
            else {
                continue;
            };
            let leader = *first
                .entry((view, usize::from(cluster.node_skips_operations(node))))
                .or_insert(node);
            if leader != node {
                for one in [leader, node] {
                    same.get_mut(one)
                        .into_iter()
                        .for_each(|place| *place = Some(leader));
                }
            }
        }
        same
    }

    /// Returns the number of a list of pools without those that do not matter; `None`: no other node can see the same.
    fn view(&self, numbers: &[usize], matters: &[bool], views: &mut Views) -> Option<usize> {
        let relevant = numbers
            .iter()
            .filter(|number| matters.get(**number) == Some(&true));
        let mut view = 0;
        for number in relevant.clone() {
            let Some(sight) = self.pools.get(*number) else {
                continue;
            };
            if sight.is_special || sight.nodes < 2 {
                return None;
            }
        }
        for number in relevant.filter(|number| self.pools.get(**number).is_some()) {
            view = views.longer(view, *number);
        }
        Some(view)
    }
}

/// Numbers of lists of pools: equal lists have one number, and 0 is the empty list. Lists share their beginnings.
#[derive(Debug, Default)]
struct Views(BTreeMap<(usize, usize), usize>);

impl Views {
    /// Returns the number of a list with one pool more.
    fn longer(&mut self, list: usize, pool: usize) -> usize {
        let next = self.0.len().saturating_add(1);
        *self.0.entry((list, pool)).or_insert(next)
    }
}

/// Returns false if the pool is sound and selectors refuse each of its devices for each request.
fn pool_matters(cluster: &Cluster<'_>, pool: &Pool<'_>, asks: &[&Ask]) -> bool {
    let mut devices = pool.devices.iter().flat_map(|at| cluster.devices_of(*at));
    !pool.is_sound() || devices.any(|(at, _)| asks.iter().any(|ask| !is_refused(cluster, ask, at)))
}

/// Returns true if a selector refuses the device before another one fails on it.
fn is_refused(cluster: &Cluster<'_>, ask: &Ask, at: DeviceAt) -> bool {
    let Some(class) = cluster.class(&ask.device_class_name) else {
        return false;
    };
    let ignores_class = cluster.behaviour.all_ignores_class && ask.allocation_mode == "All";
    let of_class = if ignores_class {
        &[][..]
    } else {
        class.spec.selectors.as_slice()
    };
    let mut selectors = of_class.iter().chain(&ask.selectors);
    selectors.find_map(|selector| match cluster.ask(selector, at) {
        Some(Cell::Yes) => None,
        cell => Some(cell == Some(Cell::No)),
    }) == Some(true)
}
