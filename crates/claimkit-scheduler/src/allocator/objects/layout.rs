//! The order of slices and devices, which copies of facts share: a question about many pods prepares the same slices for each.

use super::Slice;
use crate::allocator::identity::{DeviceAt, Identity, SliceAt};
use claimkit_values::order;
use std::cell::RefCell;
use std::rc::Rc;

/// The layout that was made last. It says nothing that the slices do not say, so all are equal.
#[derive(Clone, Debug, Default)]
pub struct LastLayout(RefCell<Option<Rc<SliceLayout>>>);

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
        let node_name = |at: &SliceAt| slices.get(*at)?.spec.node_name.as_deref();
        let by_node = order::positions(local.len(), &|a, b| {
            let name = |at| local.get(at).and_then(node_name);
            name(a).cmp(&name(b))
        });
        let by_node = by_node.iter().filter_map(|at| local.get(*at)).copied();
        layout.by_node = by_node.collect();
        layout.by_pool = order::positions(slices.len(), &|a, b| {
            layout.pool_name(a).cmp(&layout.pool_name(b))
        });
        layout.name(devices);
        layout
    }

    fn is_of(&self, slices: &[Rc<Slice>], counters_everywhere: bool) -> bool {
        let mut pairs = self.slices.iter().zip(slices);
        self.counters_everywhere == counters_everywhere
            && self.slices.len() == slices.len()
            && pairs.all(|(own, other)| Rc::ptr_eq(own, other))
    }

    /// Returns driver and pool of a slice.
    fn pool_name(&self, at: SliceAt) -> (&str, &str) {
        self.slices.get(at).map_or(("", ""), |slice| {
            (&slice.spec.driver, &slice.spec.pool.name)
        })
    }

    /// Assigns identities to the devices: devices with the same names get the same identity. Pools are in order already, so only
    /// the devices of each are sorted.
    fn name(&mut self, count: usize) {
        let mut identities = vec![Identity(0); count];
        let mut named = Vec::new();
        let mut rest = self.by_pool.as_slice();
        while let Some(pool) = rest.first().map(|at| self.pool_name(*at)) {
            let end = rest.iter().position(|at| self.pool_name(*at) != pool);
            let (of_pool, others) = rest
                .split_at_checked(end.unwrap_or(rest.len()))
                .unwrap_or_default();
            rest = others;
            let devices: Vec<(DeviceAt, &str)> =
                of_pool.iter().flat_map(|at| self.names_in(*at)).collect();
            let name = |at: usize| devices.get(at).map(|(_, name)| *name);
            let mut before = None;
            for index in order::positions(devices.len(), &|a, b| name(a).cmp(&name(b))) {
                let Some((at, _)) = devices.get(index) else {
                    continue;
                };
                if before != Some(name(index)) {
                    named.push(*at);
                }
                before = Some(name(index));
                let first = self.first.get(at.slice).copied().unwrap_or_default();
                if let Some(place) = identities.get_mut(first.saturating_add(at.index)) {
                    *place =
                        Identity(u32::try_from(named.len().saturating_sub(1)).unwrap_or(u32::MAX));
                }
            }
        }
        (self.identities, self.named) = (identities, named);
    }

    /// Returns the devices of a slice with their names.
    fn names_in(&self, slice: SliceAt) -> impl Iterator<Item = (DeviceAt, &str)> {
        let devices = self.slices.get(slice).into_iter();
        let devices = devices.flat_map(|found| found.spec.devices.iter().enumerate());
        devices.map(move |(index, device)| (DeviceAt { slice, index }, device.name.as_str()))
    }
}
