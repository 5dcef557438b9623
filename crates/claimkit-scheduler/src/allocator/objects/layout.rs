//! The order of slices and devices, which copies of facts share: a question about many pods prepares the same slices for each.

use super::{Claim, Slice};
use crate::allocator::identity::{DeviceAt, DeviceName, Identity, SliceAt};
use claimkit_values::order;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// More claims than this are not kept with the identities of their devices.
const MOST_CLAIMS: usize = 1 << 16;

/// The layout that was made last, for the facts and all their copies: several questions about a cluster have copies of its facts. It says
/// nothing that the slices do not say, so all are equal.
#[derive(Clone, Debug, Default)]
pub struct LastLayout(Rc<RefCell<Option<Rc<SliceLayout>>>>);

impl PartialEq for LastLayout {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl LastLayout {
    /// Returns the layout of slices. `counters_everywhere`: slices with counters are looked at from every node.
    pub fn of(&self, slices: &[Rc<Slice>], counters_everywhere: bool) -> Rc<SliceLayout> {
        let mut last = self.0.borrow_mut();
        if let Some(layout) = last.as_ref()
            && layout.is_of(slices, counters_everywhere)
        {
            return Rc::clone(layout);
        }
        let layout = Rc::new(SliceLayout::new(slices, counters_everywhere));
        *last = Some(Rc::clone(&layout));
        layout
    }
}

/// The order of slices and devices.
#[derive(Debug, Default)]
pub struct SliceLayout {
    /// The slices: while they are held here, nobody changes them in place.
    slices: Vec<Rc<Slice>>,
    counters_everywhere: bool,
    /// Per slice, the number of devices in the slices before.
    pub first: Vec<usize>,
    /// Per device in the order of the facts.
    pub identities: Vec<Identity>,
    /// Per identity, the first device that has it. Identities are numbered in the order of driver, pool and device name.
    pub named: Vec<DeviceAt>,
    /// Slices with a `nodeName` that only that node sees, sorted by node name.
    pub by_node: Vec<SliceAt>,
    /// Other slices, unless they are looked at from every node.
    pub elsewhere: Vec<SliceAt>,
    /// Slices with counters that are looked at from every node.
    pub everywhere: Vec<SliceAt>,
    /// All slices, by driver and pool.
    pub by_pool: Vec<SliceAt>,
    /// The claims that were asked about, by their address: while they are held here, nobody changes them in place.
    of_claims: RefCell<BTreeMap<*const Claim, AllocatedIdentities>>,
}

/// A claim and the identity of each device in its allocation; `None` for a device that no slice has.
#[derive(Debug)]
struct AllocatedIdentities {
    _claim: Rc<Claim>,
    identities: Rc<[Option<Identity>]>,
}

impl SliceLayout {
    fn new(slices: &[Rc<Slice>], counters_everywhere: bool) -> Self {
        let mut layout = SliceLayout {
            slices: slices.to_vec(),
            counters_everywhere,
            ..SliceLayout::default()
        };
        let mut devices = 0usize;
        let mut local = Vec::new();
        for (at, slice) in slices.iter().enumerate() {
            let spec = &slice.spec;
            layout.first.push(devices);
            devices = devices.saturating_add(spec.devices.len());
            let list = match spec.node_name.as_deref() {
                _ if counters_everywhere && !spec.shared_counters.is_empty() => {
                    &mut layout.everywhere
                }
                Some(name) if !name.is_empty() => &mut local,
                _ => &mut layout.elsewhere,
            };
            list.push(at);
        }
        let names: Vec<Option<&str>> = local
            .iter()
            .map(|at: &SliceAt| slices.get(*at)?.spec.node_name.as_deref())
            .collect();
        let positions = order::positions(local.len(), &|a, b| names.get(a).cmp(&names.get(b)));
        let by_node = positions.iter().filter_map(|at| local.get(*at)).copied();
        layout.by_node = by_node.collect();
        layout.by_pool = order::positions(slices.len(), &|a, b| {
            layout.pool_name(a).cmp(&layout.pool_name(b))
        });
        layout.assign_identities(devices);
        layout
    }

    fn is_of(&self, slices: &[Rc<Slice>], counters_everywhere: bool) -> bool {
        let mut pairs = self.slices.iter().zip(slices);
        self.counters_everywhere == counters_everywhere
            && self.slices.len() == slices.len()
            && pairs.all(|(own, other)| Rc::ptr_eq(own, other))
    }

    /// Returns the identity of a device by its names; `None` if no slice has it.
    pub fn identity_of(&self, name: DeviceName<'_>) -> Option<Identity> {
        let place = self
            .named
            .binary_search_by(|at| self.device_name(*at).cmp(&name))
            .ok()?;
        u32::try_from(place).ok().map(Identity)
    }

    /// Returns the identity of each device in a claim's allocation. Most claims are the same in the questions about many pods, and
    /// looking their devices up took a quarter of the time.
    pub fn identities_of(&self, claim: &Rc<Claim>) -> Rc<[Option<Identity>]> {
        let mut known = self.of_claims.borrow_mut();
        if let Some(devices) = known.get(&Rc::as_ptr(claim)) {
            return Rc::clone(&devices.identities);
        }
        let identities: Rc<[Option<Identity>]> = claim
            .allocated_devices()
            .iter()
            .map(|result| self.identity_of((&result.driver, &result.pool, &result.device)))
            .collect();
        if known.len() >= MOST_CLAIMS {
            known.clear();
        }
        known.insert(
            Rc::as_ptr(claim),
            AllocatedIdentities {
                _claim: Rc::clone(claim),
                identities: Rc::clone(&identities),
            },
        );
        identities
    }

    fn device_name(&self, at: DeviceAt) -> DeviceName<'_> {
        let Some(slice) = self.slices.get(at.slice) else {
            return ("", "", "");
        };
        let device = slice.spec.devices.get(at.index);
        (
            &slice.spec.driver,
            &slice.spec.pool.name,
            device.map_or("", |device| &device.name),
        )
    }

    /// Returns driver and pool of a slice.
    fn pool_name(&self, at: SliceAt) -> (&str, &str) {
        self.slices.get(at).map_or(("", ""), |slice| {
            (&slice.spec.driver, &slice.spec.pool.name)
        })
    }

    /// Assigns identities to the devices: devices with the same names get the same identity. Pools are in order already, so only
    /// the devices of each are sorted.
    fn assign_identities(&mut self, count: usize) {
        let mut identities = vec![Identity(0); count];
        let mut named = Vec::new();
        for slices_of_pool in self
            .by_pool
            .chunk_by(|a, b| self.pool_name(*a) == self.pool_name(*b))
        {
            let mut previous_name = None;
            for (at, name) in self.devices_by_name(slices_of_pool) {
                if previous_name != Some(name) {
                    named.push(at);
                }
                previous_name = Some(name);
                let first = self.first.get(at.slice).copied().unwrap_or_default();
                if let Some(identity) = identities.get_mut(first.saturating_add(at.index)) {
                    let last = named.len().saturating_sub(1);
                    *identity = Identity(u32::try_from(last).unwrap_or(u32::MAX));
                }
            }
        }
        self.identities = identities;
        self.named = named;
    }

    /// Returns the devices of some slices in the order of their names.
    fn devices_by_name(&self, slices: &[SliceAt]) -> Vec<(DeviceAt, &str)> {
        let mut devices: Vec<(DeviceAt, &str)> = Vec::new();
        for at in slices {
            devices.extend(self.names_in(*at));
        }
        let names: Vec<&str> = devices.iter().map(|(_, name)| *name).collect();
        let places = order::positions(devices.len(), &|a, b| names.get(a).cmp(&names.get(b)));
        places
            .into_iter()
            .filter_map(|place| devices.get(place).copied())
            .collect()
    }

    /// Returns the devices of a slice with their names.
    fn names_in(&self, slice: SliceAt) -> impl Iterator<Item = (DeviceAt, &str)> {
        let devices = self
            .slices
            .get(slice)
            .into_iter()
            .flat_map(|found| found.spec.devices.iter().enumerate());
        devices.map(move |(index, device)| (DeviceAt { slice, index }, device.name.as_str()))
    }
}
