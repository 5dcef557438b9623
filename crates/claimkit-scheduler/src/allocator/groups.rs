//! Compatibility groups of devices that use one counter set (`structured/internal/experimental/compatibility_groups.go`).

use super::cluster::Cluster;
use super::counters::uses_counters;
use super::objects::{Consumption, Device};
use super::pools::Pool;
use super::sorted::{Set, Sorted};

/// The compatibility groups that the devices on a counter set share.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Common<'f> {
    /// All are without groups.
    None,
    Groups(Set<&'f str>),
}

/// A counter set: driver, pool and name.
type Key<'f> = (&'f str, &'f str, &'f str);

/// The compatibility groups that the devices of a search share, by counter set.
#[derive(Clone, Debug, Default)]
pub struct Groups<'f> {
    running: Sorted<Key<'f>, Common<'f>>,
}

/// The values to restore when a device is given back.
pub type RestoredValues<'f> = Vec<(Key<'f>, Option<CommonBefore<'f>>)>;

/// The shared groups before a device was added.
#[derive(Clone, Debug)]
pub struct CommonBefore<'f>(Common<'f>);

impl<'f> Groups<'f> {
    /// Adds a device. `None`: it has no group in common with those that use its counter sets.
    pub fn add(
        &mut self,
        cluster: &Cluster<'f>,
        pool: &Pool<'f>,
        device: &'f Device,
    ) -> Option<RestoredValues<'f>> {
        let mut before: RestoredValues<'f> = Vec::new();
        for used in &device.consumes_counters {
            let key = (pool.driver, pool.name, used.counter_set.as_str());
            let known = self.running.get(&key).cloned();
            let now = known
                .clone()
                .or_else(|| allocated(cluster, pool, &used.counter_set));
            let groups = groups_of(used);
            let joined = match now {
                None => first(groups),
                Some(Common::None) if groups.is_empty() => Common::None,
                Some(Common::Groups(common)) => {
                    let both: Set<&str> = common
                        .iter()
                        .filter(|group| groups.contains(group))
                        .copied()
                        .collect();
                    if both.is_empty() {
                        self.restore(before);
                        return None;
                    }
                    Common::Groups(both)
                }
                Some(Common::None) => {
                    self.restore(before);
                    return None;
                }
            };
            before.push((key, known.map(CommonBefore)));
            self.running.insert(key, joined);
        }
        Some(before)
    }

    /// Takes a device back.
    pub fn restore(&mut self, before: RestoredValues<'f>) {
        for (key, known) in before.into_iter().rev() {
            match known {
                Some(CommonBefore(common)) => drop(self.running.insert(key, common)),
                None => drop(self.running.remove(&key)),
            }
        }
    }
}

fn groups_of(used: &Consumption) -> Set<&str> {
    used.compatibility_groups
        .iter()
        .map(String::as_str)
        .collect()
}

fn first(groups: Set<&str>) -> Common<'_> {
    if groups.is_empty() {
        Common::None
    } else {
        Common::Groups(groups)
    }
}

/// Returns the groups that the devices in use share; a mixture is kept as it is.
fn allocated<'f>(cluster: &Cluster<'f>, pool: &Pool<'f>, set: &str) -> Option<Common<'f>> {
    let mut common: Option<Common<'f>> = None;
    for (at, device) in pool
        .devices
        .iter()
        .chain(&pool.others)
        .flat_map(|slice| cluster.devices_of(*slice))
    {
        if !uses_counters(cluster, cluster.identity(at)) {
            continue;
        }
        for used in device
            .consumes_counters
            .iter()
            .filter(|used| used.counter_set == set)
        {
            let groups = groups_of(used);
            common = Some(match common {
                None => first(groups),
                Some(Common::Groups(before)) if !groups.is_empty() => Common::Groups(
                    before
                        .iter()
                        .filter(|group| groups.contains(group))
                        .copied()
                        .collect(),
                ),
                Some(before) => before,
            });
        }
    }
    common
}
