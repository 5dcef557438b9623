//! Findings about slices, nodes and taint rules: faults that nobody reports until they affect a pod.

use super::amount::spell;
use super::behaviour::{Behaviour, Completeness, CounterPlace, Validity};
use super::cluster::{Cluster, SliceAt};
use super::constraints::{scalar, set};
use super::counters::uses_counters;
use super::features::{Feature, Features};
use super::nodes::NodeFields;
use super::objects::{Device, NodeSelector, Slice, TaintRule};
use super::plugin_rules::PluginRules;
use super::pools::Sets;
use super::sorted::{Set, Sorted};
use crate::explain::remark::Remark;
use claimkit_model::finding::{Code, FieldPath, Finding, field_path};
use claimkit_model::message::{self, Message, Template, message, template};

/// Maximum number of findings of one code.
const MOST_OF_ONE: usize = 20;
/// Maximum number of devices of a slice; fewer where a device has taints or counters.
const MOST_DEVICES: (usize, usize) = (128, 64);

/// Reports all findings, in the order: pools, slices, devices, rules. The facts are as read, without the taints of rules.
pub fn findings(cluster: &Cluster<'_>, rules: &PluginRules) -> Vec<Remark> {
    let mut doctor = Doctor {
        cluster,
        selects_by_default: rules.rules_select_by_default,
        list: Vec::new(),
        counts: Sorted::new(),
        seen: vec![None; cluster.identities()],
    };
    for (driver, pool, slices) in cluster.all_pools() {
        doctor.pool(driver, pool, slices);
    }
    doctor.shared_names();
    for (at, slice) in cluster.facts.slices.iter().enumerate() {
        doctor.slice(at, slice);
    }
    doctor.attributes();
    cluster
        .facts
        .rules
        .iter()
        .for_each(|rule| doctor.rule(rule));
    doctor.list
}

/// The amounts in use, by the names of the set and of the counter.
type UsedCounters<'s> = Sorted<(&'s str, &'s str), i128>;

struct Doctor<'c, 'f> {
    cluster: &'c Cluster<'f>,
    /// A DeviceTaintRule without a selector selects every device; else none.
    selects_by_default: bool,
    list: Vec<Remark>,
    counts: Sorted<Code, usize>,
    /// Per identity, the slice of its pool in which it was met.
    seen: Vec<Option<SliceAt>>,
}

impl<'f> Doctor<'_, 'f> {
    fn report(
        &mut self,
        code: Code,
        slice: &Slice,
        path: Option<FieldPath>,
        message: &dyn Fn() -> Message,
    ) {
        let count = self.counts.entry(code);
        *count = count.saturating_add(1);
        if *count <= MOST_OF_ONE {
            let finding = Finding::new(code, message());
            self.list.push(
                Remark::about(finding, "ResourceSlice", slice.metadata.name.clone()).at(path),
            );
        }
    }

    fn behaviour(&self) -> &'f Behaviour {
        self.cluster.behaviour
    }

    fn features(&self) -> &'f Features {
        self.cluster.features
    }

    fn pool(&mut self, driver: &str, pool: &str, slices: &[SliceAt]) {
        let cluster = self.cluster;
        let all: Vec<(SliceAt, &Slice)> = slices
            .iter()
            .filter_map(|at| Some((*at, cluster.slice(*at)?)))
            .collect();
        let Some(newest) = all
            .iter()
            .map(|(_, slice)| slice.spec.pool.generation)
            .max()
        else {
            return;
        };
        let name = format!("{driver}/{pool}");
        for (_, slice) in all
            .iter()
            .filter(|(_, slice)| slice.spec.pool.generation < newest)
        {
            let generation = slice.spec.pool.generation;
            self.report(
                Code::SliceStale,
                slice,
                Some(field_path!["spec", "pool", "generation"]),
                &|| {
                message!(
                    "doctor.slice-stale",
                    "generation {generation} of pool {name} is stale, {newest} is there: ignored where both are seen",
                    generation,
                    name,
                    newest
                )
            });
        }
        let current: Vec<(SliceAt, &Slice)> = all
            .into_iter()
            .filter(|(_, slice)| slice.spec.pool.generation == newest)
            .collect();
        let Some((_, first)) = current.first().copied() else {
            return;
        };
        let is_complete = self.slice_count(&name, first, &current);
        self.duplicates(&name, &current);
        // Another part of the pool may have what this part lacks.
        if is_complete && self.features().contains(&Feature::PartitionableDevices) {
            self.counters(&name, &current);
        }
    }

    /// Compares the number of slices with the one that they announce. Returns true if all of them are there.
    fn slice_count(&mut self, name: &str, first: &Slice, current: &[(SliceAt, &Slice)]) -> bool {
        let path = Some(field_path!["spec", "pool", "resourceSliceCount"]);
        let want = first.spec.pool.resource_slice_count;
        let have = i64::try_from(current.len()).unwrap_or(i64::MAX);
        let counts: Set<i64> = current
            .iter()
            .map(|(_, slice)| slice.spec.pool.resource_slice_count)
            .collect();
        if counts.as_slice().len() > 1 {
            let announced: Vec<String> = counts.iter().map(ToString::to_string).collect();
            self.report(Code::SliceCountsDisagree, first, path.clone(), &|| {
                message!(
                    "doctor.slice-counts-disagree",
                    "slices of pool {name} disagree about their number ({counts}): what counts is the one met first",
                    name,
                    counts = announced.join(", ")
                )
            });
        }
        let everywhere = self.behaviour().counter_slices_everywhere
            && self.features().contains(&Feature::PartitionableDevices)
            && current
                .iter()
                .any(|(_, slice)| !slice.spec.shared_counters.is_empty());
        let generation = first.spec.pool.generation;
        if have < want {
            let effect = effect_of_incomplete(self.behaviour().completeness, everywhere);
            self.report(Code::PoolIncomplete, first, path, &|| {
                message!(
                    "doctor.pool-incomplete",
                    "pool {name} has {have} of {want} slices of generation {generation}: {effect}",
                    name,
                    have,
                    want,
                    generation,
                    effect
                )
            });
        } else if have > want && everywhere {
            self.report(Code::PoolCountTooLow, first, path, &|| {
                message!(
                    "doctor.pool-count-too-low-everywhere",
                    "pool {name} has {have} slices of generation {generation}, and the number announced is {want}: it stays incomplete on every node, because slices with counters are seen from all",
                    name,
                    have,
                    generation,
                    want
                )
            });
        } else if have > want {
            self.report(Code::PoolCountTooLow, first, path, &|| {
                message!(
                    "doctor.pool-count-too-low",
                    "pool {name} has {have} slices of generation {generation}, and the number announced is {want}: it stays incomplete",
                    name,
                    have,
                    generation,
                    want
                )
            });
        }
        have >= want
    }

    fn duplicates(&mut self, name: &str, current: &[(SliceAt, &Slice)]) {
        let cluster = self.cluster;
        for (at, slice) in current {
            for (device_at, device) in cluster.devices_of(*at) {
                let index = device_at.index;
                let Some(seen) = self.seen.get_mut(cluster.identity(device_at).index()) else {
                    continue;
                };
                let Some(other) = seen.replace(*at).and_then(|other| cluster.slice(other)) else {
                    continue;
                };
                let path = Some(field_path!["spec", "devices", index, "name"]);
                let (mine, theirs) = (
                    NodeFields::of_slice(&slice.spec),
                    NodeFields::of_slice(&other.spec),
                );
                let apart = mine.node_name.is_some()
                    && theirs.node_name.is_some()
                    && mine.node_name != theirs.node_name;
                let (device, other) = (&device.name, &other.metadata.name);
                if apart {
                    self.report(Code::DeviceOnTwoNodes, slice, path, &|| {
                        message!(
                            "doctor.device-on-two-nodes",
                            "device {device} of pool {name} is also in slice {other} of another node: both are offered as one device, allocating one blocks the other",
                            device,
                            name,
                            other
                        )
                    });
                    continue;
                }
                let effect = match (self.behaviour().validity, self.behaviour().passes_bad_pools) {
                    (Validity::Unchecked, _) => message!(
                        "doctor.device-twice-offered",
                        "both are offered as one device"
                    ),
                    (_, false) => message!(
                        "doctor.device-twice-error",
                        "pods that reach the pool fail with an error"
                    ),
                    (_, true) => message!(
                        "doctor.device-twice-not-used",
                        "the pool is not used (`invalid resource pools were encountered`), and allocationMode All fails"
                    ),
                };
                self.report(Code::DeviceTwice, slice, path, &|| {
                    message!(
                        "doctor.device-twice",
                        "device {device} of pool {name} is also in slice {other}: {effect}",
                        device,
                        name,
                        other,
                        effect
                    )
                });
            }
        }
    }

    fn counters(&mut self, name: &str, current: &[(SliceAt, &Slice)]) {
        let sets = self.counter_sets(name, current);
        let used = self.used_counters(name, current, &sets);
        self.spent_counters(name, current, &sets, used);
    }

    /// Returns the counters of a pool by set; reports sets that are there twice, and devices beside them.
    fn counter_sets<'s>(&mut self, name: &str, current: &[(SliceAt, &'s Slice)]) -> Sets<'s> {
        let mut sets = Sets::new();
        let by_pool = matches!(
            self.behaviour().counters,
            CounterPlace::PoolByName | CounterPlace::PoolById
        );
        for (_, slice) in current {
            for (index, set) in slice.spec.shared_counters.iter().enumerate() {
                let counters = set
                    .counters
                    .iter()
                    .map(|(name, counter)| (name.as_str(), counter.value.nanos()))
                    .collect();
                if sets.insert(&set.name, counters).is_some() && by_pool {
                    self.report(
                        Code::CounterSetTwice,
                        slice,
                        Some(field_path!["spec", "sharedCounters", index, "name"]),
                        &|| {
                            message!(
                                "doctor.counter-set-twice",
                                "pool {name} has counter set {set} twice: the pool is invalid",
                                name,
                                set = set.name,
                            )
                        },
                    );
                }
            }
            if self.behaviour().counter_slices_apart
                && !slice.spec.shared_counters.is_empty()
                && !slice.spec.devices.is_empty()
            {
                self.report(
                    Code::DevicesBesideCounters,
                    slice,
                    Some(field_path!["spec", "devices"]),
                    &|| {
                        message!(
                            "doctor.devices-beside-counters",
                            "devices in a slice with shared counters are not offered"
                        )
                    },
                );
            }
        }
        sets
    }

    /// Returns how much of each counter the devices in use consume; reports counters that the pool does not have.
    fn used_counters<'s>(
        &mut self,
        name: &str,
        current: &[(SliceAt, &'s Slice)],
        sets: &Sets<'_>,
    ) -> UsedCounters<'s>
    where
        'f: 's,
    {
        let mut used = UsedCounters::new();
        for (at, slice) in current {
            for (device_at, device) in self.cluster.devices_of(*at) {
                for (index, consumption) in device.consumes_counters.iter().enumerate() {
                    let path = field_path![
                        "spec",
                        "devices",
                        device_at.index,
                        "consumesCounters",
                        index
                    ];
                    let set = consumption.counter_set.as_str();
                    let Some(known) = sets.get(set) else {
                        self.dangling_set(slice, path, device, set, name);
                        continue;
                    };
                    for (counter, amount) in consumption.counters.iter() {
                        if !known.contains_key(counter.as_str()) {
                            self.dangling_counter(slice, path.clone(), device, set, counter);
                            continue;
                        }
                        let all = known.get(counter.as_str()).copied().unwrap_or(0);
                        if amount.value.nanos() > all {
                            self.report(Code::CounterTooSmall, slice, Some(path.clone()), &|| {
                                message!(
                                    "doctor.counter-too-small",
                                    "device {device} consumes {amount} of counter {counter}, of which set {set} has {all}: nobody gets it",
                                    device = device.name,
                                    amount = amount.value.text(),
                                    counter,
                                    set,
                                    all = spell(all)
                                )
                            });
                        }
                        if uses_counters(self.cluster, self.cluster.identity(device_at)) {
                            let sum = used.entry((set, counter));
                            *sum = sum.saturating_add(amount.value.nanos());
                        }
                    }
                }
            }
        }
        used
    }

    fn dangling_set(
        &mut self,
        slice: &Slice,
        path: FieldPath,
        device: &Device,
        set: &str,
        name: &str,
    ) {
        let effect = self.effect_of_dangling();
        self.report(Code::CounterDangling, slice, Some(path), &|| {
            message!(
                "doctor.counter-set-dangling",
                "device {device} consumes counter set {set}, which pool {name} does not have: {effect}",
                device = device.name,
                set,
                name,
                effect = effect.text()
            )
        });
    }

    fn dangling_counter(
        &mut self,
        slice: &Slice,
        path: FieldPath,
        device: &Device,
        set: &str,
        counter: &str,
    ) {
        let effect = self.effect_of_dangling();
        self.report(Code::CounterDangling, slice, Some(path), &|| {
            message!(
                "doctor.counter-dangling",
                "device {device} consumes counter {counter}, which set {set} does not have: {effect}",
                device = device.name,
                counter,
                set,
                effect = effect.text()
            )
        });
    }

    /// Returns what follows from a counter that a device consumes and its pool lacks.
    fn effect_of_dangling(&self) -> Template {
        match self.behaviour().counters {
            CounterPlace::PoolByName | CounterPlace::PoolById => {
                template!("doctor.counter-makes-pool-invalid", "the pool is invalid")
            }
            CounterPlace::SliceByName => {
                template!("doctor.counter-limits-nothing", "nothing limits it")
            }
            CounterPlace::SliceAnew => {
                template!("doctor.counter-refuses-device", "the device is refused")
            }
        }
    }

    /// Reports counters of which nothing is left.
    fn spent_counters(
        &mut self,
        name: &str,
        current: &[(SliceAt, &Slice)],
        sets: &Sets<'_>,
        used: UsedCounters<'_>,
    ) {
        for ((set, counter), used) in used {
            let total = sets
                .get(set)
                .and_then(|counters| counters.get(counter))
                .copied()
                .unwrap_or(0);
            let Some((_, first)) = current
                .iter()
                .find(|(_, slice)| slice.spec.shared_counters.iter().any(|one| one.name == set))
            else {
                continue;
            };
            let (shown, all) = (spell(used), spell(total));
            if used > total {
                self.report(Code::CounterOverdrawn, first, None, &|| {
                    message!(
                        "doctor.counter-overdrawn",
                        "counter {counter} of set {set} in pool {name} is overdrawn: {shown} of {all} in use",
                        counter,
                        set,
                        name,
                        shown,
                        all
                    )
                });
            } else if used == total {
                self.report(Code::CounterExhausted, first, None, &|| {
                    message!(
                        "doctor.counter-used-up",
                        "counter {counter} of set {set} in pool {name} is used up: {all}",
                        counter,
                        set,
                        name,
                        all
                    )
                });
            }
        }
    }

    /// Reports pools that share a name: upstream identifies counters by the pool's name alone.
    fn shared_names(&mut self) {
        if self.behaviour().counters != CounterPlace::PoolByName
            || !self.features().contains(&Feature::PartitionableDevices)
        {
            return;
        }
        let cluster = self.cluster;
        let mut pools: Sorted<&str, Vec<(&str, SliceAt)>> = Sorted::new();
        for (driver, pool, slices) in cluster.all_pools() {
            let with_counters = slices.iter().find(|at| {
                cluster
                    .slice(**at)
                    .is_some_and(|slice| !slice.spec.shared_counters.is_empty())
            });
            if let Some(at) = with_counters {
                pools.entry(pool).push((driver, *at));
            }
        }
        for (pool, drivers) in pools.into_iter().filter(|(_, drivers)| drivers.len() > 1) {
            let names: Vec<&str> = drivers.iter().map(|(driver, _)| *driver).collect();
            let first = drivers.first().and_then(|(_, at)| cluster.slice(*at));
            if let Some(slice) = first {
                self.report(
                    Code::PoolNameShared,
                    slice,
                    Some(field_path!["spec", "pool", "name"]),
                    &|| {
                message!(
                    "doctor.pool-name-shared",
                    "drivers {drivers} have pools named {pool} with counters: the scheduler mixes them up, so devices are over-committed or refused",
                    drivers = names.join(", "),
                    pool
                )
            });
            }
        }
    }

    fn slice(&mut self, at: SliceAt, slice: &Slice) {
        let cluster = self.cluster;
        let spec = &slice.spec;
        let place = NodeFields::of_slice(spec);
        if let Err(error) = place.has(0, &cluster.facts.nodes, &cluster.judgements) {
            self.report(
                Code::NodeSelectorUnparsable,
                slice,
                Some(field_path!["spec", "nodeSelector"]),
                &|| {
                message!(
                    "doctor.slice-selector-unparsable",
                    "the node selector cannot be parsed, which is an error for every pod with pending claims: {error}",
                    error = error.error
                )
            });
        }
        let counters =
            !spec.shared_counters.is_empty() && self.behaviour().counter_slices_everywhere;
        if !place.is_set() && spec.per_device_node_selection.is_none() && !counters {
            self.report(
                Code::SliceWithoutNode,
                slice,
                Some(field_path!["spec"]),
                &|| {
                    message!(
                        "doctor.slice-without-node",
                        "the slice names no node: its devices are offered nowhere"
                    )
                },
            );
        }
        let needs_fewer = spec
            .devices
            .iter()
            .any(|device| !device.taints.is_empty() || !device.consumes_counters.is_empty());
        let (most, fewer) = MOST_DEVICES;
        let limit = if needs_fewer && self.behaviour().counter_slices_apart {
            fewer
        } else {
            most
        };
        if spec.devices.len() > limit {
            self.report(
                Code::SliceTooLarge,
                slice,
                Some(field_path!["spec", "devices"]),
                &|| {
                message!(
                    "doctor.slice-too-large",
                    "{count} devices, at most {limit} are accepted: the slice is refused and its pool stays incomplete",
                    count = spec.devices.len(),
                    limit
                )
            });
        }
        for (device_at, device) in cluster.devices_of(at) {
            self.device(slice, device_at.index, device);
        }
    }

    fn device(&mut self, slice: &Slice, index: usize, device: &Device) {
        self.names_published_twice(slice, index, device);
        if let Some(selector) = &device.node_selector {
            self.device_selector(slice, index, device, selector);
        }
        self.binding_conditions_off(slice, index, device);
        self.share_takes_all(slice, index, device);
        self.attribute_list(slice, index, device);
    }

    /// Reports attributes and capacities that a device publishes with the driver's domain and without.
    fn names_published_twice(&mut self, slice: &Slice, index: usize, device: &Device) {
        let name = &device.name;
        let driver = slice.spec.driver.as_str();
        let attributes = &device.attributes;
        let capacities = &device.capacity;
        let attribute = attributes.keys().find(|key| {
            with_domain(driver, key).is_some_and(|full| attributes.contains_key(&full))
        });
        let capacity = capacities.keys().find(|key| {
            with_domain(driver, key).is_some_and(|full| capacities.contains_key(&full))
        });
        for (field, key) in [("attributes", attribute), ("capacity", capacity)] {
            let Some(key) = key else { continue };
            let path = device_field(index, field);
            if self.behaviour().qualified_capacities {
                self.report(Code::NamePublishedTwice, slice, path, &|| {
                    message!(
                        "doctor.name-published-twice-ordered",
                        "device {name} publishes {key} twice under {field}, as {key} and as {driver}/{key}: they are one name, and the value of {driver}/{key} counts",
                        name,
                        key,
                        field,
                        driver
                    )
                });
                continue;
            }
            self.report(Code::NamePublishedTwice, slice, path, &|| {
                message!(
                    "doctor.name-published-twice",
                    "device {name} publishes {key} twice under {field}, as {key} and as {driver}/{key}: for selectors they are one name, and which value they see is random",
                    name,
                    key,
                    field,
                    driver
                )
            });
        }
    }

    fn device_selector(
        &mut self,
        slice: &Slice,
        index: usize,
        device: &Device,
        selector: &NodeSelector,
    ) {
        let cluster = self.cluster;
        let name = &device.name;
        let path = field_path!["spec", "devices", index, "nodeSelector"];
        let terms = selector.node_selector_terms.len();
        if terms > 1 {
            self.report(
                Code::NodeSelectorTermsSeveral,
                slice,
                Some(path.clone().then("nodeSelectorTerms")),
                &|| {
                message!(
                    "doctor.device-selector-terms",
                    "device {name} has a node selector with {terms} terms: accepted by the API, an error for every pod that would get it",
                    name,
                    terms
                )
            });
        }
        if let Err(error) =
            NodeFields::of_device(device).has(0, &cluster.facts.nodes, &cluster.judgements)
        {
            self.report(
                Code::NodeSelectorUnparsable,
                slice,
                Some(path),
                &|| {
                message!(
                    "doctor.device-selector-unparsable",
                    "the node selector of device {name} cannot be parsed, which is an error for every pod with pending claims: {error}",
                    name,
                    error = error.error
                )
            });
        }
    }

    fn binding_conditions_off(&mut self, slice: &Slice, index: usize, device: &Device) {
        let name = &device.name;
        let bound = device
            .binding_conditions
            .as_ref()
            .is_some_and(|conditions| !conditions.is_empty());
        if bound
            && self.behaviour().binding_needs_feature
            && !self.cluster.has(Feature::DeviceBindingAndStatus)
        {
            self.report(
                Code::BindingConditionsOff,
                slice,
                device_field(index, "bindingConditions"),
                &|| {
                message!(
                    "doctor.binding-conditions-off",
                    "device {name} has binding conditions, which are switched off: it is not offered",
                    name
                )
            });
        }
    }

    fn share_takes_all(&mut self, slice: &Slice, index: usize, device: &Device) {
        let name = &device.name;
        // A driver published the slice: who reads this cannot change it.
        let is_published = !slice.metadata.uid.is_empty();
        if device.allow_multiple_allocations == Some(true)
            && !is_published
            && self.cluster.has(Feature::ConsumableCapacity)
            && let Some((capacity, _)) = device
                .capacity
                .iter()
                .find(|(_, capacity)| capacity.request_policy.is_none())
        {
            self.report(Code::ShareTakesAll, slice, device_field(index, "capacity"), &|| {
                message!(
                    "doctor.share-takes-all",
                    "device {name} may be shared, but capacity {capacity} has no request policy: the first share that names no amount takes all",
                    name,
                    capacity
                )
            });
        }
    }

    fn attribute_list(&mut self, slice: &Slice, index: usize, device: &Device) {
        let name = &device.name;
        if let Some((attribute, _)) = device
            .attributes
            .iter()
            .find(|(_, value)| scalar(value).is_none() && set(value).is_some())
            && !self.cluster.has(Feature::ListTypeAttributes)
            // Since 1.37 selectors read lists whatever the gate is.
            && !self.behaviour().knows_1_37
        {
            self.report(Code::AttributeList, slice, device_field(index, "attributes"), &|| {
                message!(
                    "doctor.attribute-list",
                    "attribute {attribute} of device {name} is a list: where DRAListTypeAttributes is off, every selector that is asked about the device is an error",
                    attribute,
                    name
                )
            });
        }
    }

    /// Reports attributes that some devices of a driver lack: a selector that reads one without a guard fails.
    fn attributes(&mut self) {
        let mut drivers: Sorted<&str, (usize, Sorted<&str, usize>)> = Sorted::new();
        for slice in &self.cluster.facts.slices {
            let (devices, names) = drivers.entry(&slice.spec.driver);
            for device in &slice.spec.devices {
                *devices = devices.saturating_add(1);
                for name in device.attributes.keys() {
                    let sum = names.entry(name);
                    *sum = sum.saturating_add(1);
                }
            }
        }
        for (driver, (devices, names)) in drivers {
            let some: Vec<Message> = names
                .into_iter()
                .filter(|(_, count)| *count < devices)
                .map(|(name, count)| {
                    message!(
                        "doctor.attribute-on-some-of",
                        "{name} ({count} of {devices})",
                        name,
                        count,
                        devices
                    )
                })
                .collect();
            let slice = self
                .cluster
                .facts
                .slices
                .iter()
                .find(|slice| slice.spec.driver == driver);
            if let Some(slice) = slice.filter(|_| !some.is_empty()) {
                let names = message::parts(some);
                self.report(Code::AttributeOnSome, slice, None, &|| {
                    message!(
                        "doctor.attribute-on-some",
                        "not all devices of {driver} have {names}: selectors that read them without a guard are errors",
                        driver,
                        names
                    )
                });
            }
        }
    }

    fn rule(&mut self, rule: &TaintRule) {
        let selector = rule.spec.device_selector.as_ref();
        let everything = selector.map_or(self.selects_by_default, |selector| {
            *selector == super::objects::TaintSelector::default()
        });
        if !everything {
            return;
        }
        let effect = &rule.spec.taint.effect;
        let message = match (selector, effect.as_str()) {
            (Some(_), "NoExecute") => message!(
                "doctor.rule-for-all-evicts",
                "an empty deviceSelector taints every device of every driver ({effect}); every pod with devices whose claim does not tolerate it is evicted",
                effect
            ),
            (Some(_), _) => {
                message!(
                    "doctor.rule-for-all",
                    "an empty deviceSelector taints every device of every driver ({effect})",
                    effect
                )
            }
            (None, _) => message!(
                "doctor.rule-without-selector",
                "without deviceSelector the scheduler taints every device of every driver ({effect}); the API says that nothing is selected, and eviction agrees",
                effect
            ),
        };
        let (kind, object) = ("DeviceTaintRule", rule.metadata.name.clone());
        let path = Some(field_path!["spec", "deviceSelector"]);
        let finding = Finding::new(Code::TaintRuleSelectsAll, message);
        self.list
            .push(Remark::about(finding, kind, object).at(path));
    }
}

/// Returns what a pool with missing slices is not good for. `everywhere`: all nodes see that slices are missing.
fn effect_of_incomplete(completeness: Completeness, everywhere: bool) -> Message {
    match (completeness, everywhere) {
        (Completeness::SeenFromNode, false) => message!(
            "doctor.incomplete-for-count",
            "its devices are used for ExactCount, and allocationMode All fails"
        ),
        (Completeness::SeenFromNode, true) => message!(
            "doctor.incomplete-for-count-everywhere",
            "its devices are used for ExactCount, and allocationMode All fails on every node, because slices with counters are seen from all"
        ),
        (Completeness::InCluster, false) => message!(
            "doctor.incomplete-not-used",
            "its devices are not given to further claims, and allocationMode All fails"
        ),
        (Completeness::InCluster, true) => message!(
            "doctor.incomplete-not-used-everywhere",
            "its devices are not given to further claims, and allocationMode All fails on every node, because slices with counters are seen from all"
        ),
    }
}

/// Returns the path of a field of a device.
fn device_field(index: usize, field: &'static str) -> Option<FieldPath> {
    Some(field_path!["spec", "devices", index, field])
}

/// Returns a name with the driver's domain; `None`: it has one.
fn with_domain(driver: &str, name: &str) -> Option<String> {
    (!name.contains('/')).then(|| format!("{driver}/{name}"))
}
