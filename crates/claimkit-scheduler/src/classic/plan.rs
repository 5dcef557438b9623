//! From objects to plans: which checks the scheduler makes for a claim, in its order (kube-scheduler,
//! pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, `PreFilter` and `Filter`).

use crate::classic::placement::{
    CheckKind, CheckStage, ClaimPlan, Filter, NodelessCheck, SchedulerRefusal,
};
use crate::classic::pod::{ClaimEntry, ClaimingPod};
use crate::classic::structured::{Structured, StructuredFacts};
use crate::rules::SchedulerRules;
use claimkit_model::message::{Message, message};
use claimkit_model::object::view::{
    AllocationResult, NodeSelector, ObjectMeta, PodSchedulingContext, ResourceClaim,
    ResourceClaimParameters, ResourceClaimSpec, ResourceClaimTemplate, ResourceClass,
    ResourceClassParameters, ResourceSlice,
};
use claimkit_values::order;
use std::sync::Arc;

/// Maximum number of nodes in a list of a scheduling context.
const MAX_NODES: usize = 128;

/// An object of the text.
#[derive(Clone, Copy, Debug)]
pub struct Given<'r, V> {
    /// Its index among the answer's objects.
    pub index: usize,
    /// Its namespace, the default one filled in.
    pub namespace: &'r str,
    pub view: V,
}

/// All objects of the text that placement looks at.
#[derive(Clone, Debug, Default)]
pub struct World<'r> {
    /// `ResourceClaim`
    pub claims: Vec<Given<'r, ResourceClaim<'r>>>,
    /// `ResourceClaimTemplate`
    pub templates: Vec<Given<'r, ResourceClaimTemplate<'r>>>,
    /// `ResourceClass`
    pub classes: Vec<Given<'r, ResourceClass<'r>>>,
    /// `PodScheduling`, `PodSchedulingContext`
    pub schedulings: Vec<Given<'r, PodSchedulingContext<'r>>>,
    /// `ResourceClassParameters`
    pub class_parameters: Vec<Given<'r, ResourceClassParameters<'r>>>,
    /// `ResourceClaimParameters`
    pub claim_parameters: Vec<Given<'r, ResourceClaimParameters<'r>>>,
    /// `ResourceSlice`
    pub slices: Vec<ResourceSlice<'r>>,
}

/// Names of the fields with selectors: of a class, or of an allocated claim.
pub const SUITABLE_NODES: &str = "suitableNodes";
/// See [`SUITABLE_NODES`].
pub const AVAILABLE_ON_NODES: &str = "status.allocation.availableOnNodes";

/// A selector of the text, to be judged once.
#[derive(Clone, Copy, Debug)]
pub struct Written<'r> {
    /// Index of its object.
    pub object: usize,
    pub path: &'static str,
    pub selector: NodeSelector<'r>,
}

impl<'r> World<'r> {
    /// Returns all selectors, those of classes first.
    pub fn selectors(&self) -> Vec<Written<'r>> {
        let mut selectors = Vec::new();
        for class in &self.classes {
            if let Some(selector) = class.view.suitable_nodes() {
                selectors.push(Written {
                    object: class.index,
                    path: SUITABLE_NODES,
                    selector,
                });
            }
        }
        for claim in &self.claims {
            if let Some(allocation) = claim.view.status().allocation()
                && let Some(selector) = allocation.available_on_nodes()
            {
                selectors.push(Written {
                    object: claim.index,
                    path: AVAILABLE_ON_NODES,
                    selector,
                });
            }
        }
        selectors
    }

    fn claim(&self, namespace: &str, name: &str) -> Option<&Given<'r, ResourceClaim<'r>>> {
        self.claims
            .iter()
            .find(|claim| claim.namespace == namespace && claim.view.metadata().name() == name)
    }

    fn class(&self, name: &str) -> Option<&Given<'r, ResourceClass<'r>>> {
        self.classes
            .iter()
            .find(|class| class.view.metadata().name() == name)
    }
}

/// Makes the plans of claims.
#[derive(Clone, Copy, Debug)]
pub struct Planner<'a, 'r> {
    pub world: &'a World<'r>,
    /// [`World::selectors`], as judged.
    pub selectors: &'a [Written<'r>],
    /// The scheduler's parse error of each.
    pub errors: &'a [Option<String>],
    pub rules: &'a SchedulerRules,
}

/// The pod a claim is for.
#[derive(Clone, Copy)]
struct For<'r> {
    pod: &'r ClaimingPod,
    namespace: &'r str,
    entry: &'r ClaimEntry,
}

fn gate(
    check: CheckKind,
    stage: CheckStage,
    refusal: Option<SchedulerRefusal>,
    why: Message,
) -> NodelessCheck {
    NodelessCheck {
        check,
        stage,
        refusal,
        passing: false,
        why,
        site: None,
    }
}

/// Decides as `metav1.IsControlledBy` does; without UIDs, in hand-written files, it compares names.
fn controlled_by(metadata: ObjectMeta<'_>, pod: &ClaimingPod) -> bool {
    metadata
        .owner_references()
        .iter()
        .find(|owner| owner.controller() == Some(true))
        .is_some_and(|owner| {
            if pod.uid.is_empty() {
                owner.kind() == "Pod" && owner.name() == pod.name
            } else {
                owner.uid() == pod.uid
            }
        })
}

/// Returns an object's name as klog shows it: `namespace/name`, or the name alone.
fn reference(namespace: &str, name: &str) -> String {
    if namespace.is_empty() {
        name.to_owned()
    } else {
        format!("{namespace}/{name}")
    }
}

impl<'r> Planner<'_, 'r> {
    fn site(&self, object: usize, path: &str) -> Option<usize> {
        self.selectors
            .iter()
            .position(|written| written.object == object && written.path == path)
    }

    /// Makes the plans of a pod's claims, in its order. Entries that need no claim have none.
    pub fn pod(&self, pod: &'r ClaimingPod, namespace: &'r str) -> Vec<ClaimPlan<'r>> {
        pod.claims
            .iter()
            .filter_map(|entry| {
                self.entry(For {
                    pod,
                    namespace,
                    entry,
                })
            })
            .collect()
    }

    /// Makes the plan of a claim that any new pod might use.
    pub fn claim(&self, claim: &Given<'r, ResourceClaim<'r>>) -> ClaimPlan<'r> {
        let mut plan = self.of_claim(claim, None);
        plan.object = Some(claim.index);
        plan
    }

    /// Makes the plan of the claim that a template would make.
    pub fn template(&self, template: &Given<'r, ResourceClaimTemplate<'r>>) -> ClaimPlan<'r> {
        let mut plan = empty(template.view.spec().spec(), template.index);
        plan.claim = format!("{}/{}", template.namespace, template.view.metadata().name());
        self.unallocated(
            &mut plan,
            template.view.spec().spec(),
            template.namespace,
            None,
        );
        plan
    }

    /// Makes the plan of an unallocated claim of a class.
    pub fn class_alone(&self, class: &Given<'r, ResourceClass<'r>>) -> ClaimPlan<'r> {
        let mut plan = ClaimPlan {
            class: class.view.metadata().name(),
            ..empty(ResourceClaimTemplate::default().spec().spec(), class.index)
        };
        self.suitable(&mut plan, class);
        plan
    }

    /// Makes the plan of an entry of a pod; `None` if the pod needs no claim for it.
    fn entry(&self, user: For<'r>) -> Option<ClaimPlan<'r>> {
        let name = match self.name_of_claim(user) {
            EntryClaim::NotNeeded => return None,
            EntryClaim::NotCreated => None,
            EntryClaim::Named(name) => Some(name),
        };
        let found = name
            .as_deref()
            .and_then(|name| self.world.claim(user.namespace, name));
        let mut plan = match found {
            Some(claim) => self.of_claim(claim, Some(user)),
            None => self.without_claim(user, name.as_deref()),
        };
        plan.entry = Some(&user.entry.name);
        self.context(&mut plan, user);
        if found.is_none() {
            plan.gates
                .insert(0, self.claim_exists(user, name.as_deref()));
        }
        Some(plan)
    }

    fn name_of_claim(&self, user: For<'r>) -> EntryClaim {
        let (pod, entry) = (user.pod, user.entry);
        if let Some(name) = &entry.claim {
            return EntryClaim::Named(name.clone());
        }
        if entry.template.is_none() {
            return EntryClaim::NotCreated;
        }
        if !self.rules.claim_name_in_status {
            return EntryClaim::Named(format!("{}-{}", pod.name, entry.name));
        }
        match pod.statuses.get(&entry.name) {
            Some(Some(name)) => EntryClaim::Named(name.clone()),
            Some(None) => EntryClaim::NotNeeded,
            None => EntryClaim::NotCreated,
        }
    }

    /// Makes the plan of a claim that is not there, as its template will make it.
    fn without_claim(&self, user: For<'r>, name: Option<&str>) -> ClaimPlan<'r> {
        let template = self.template_of(user);
        let mut plan = match template {
            Some(template) => self.template_for(template, user),
            None => empty(ResourceClaimTemplate::default().spec().spec(), 0),
        };
        plan.object = template.map(|template| template.index);
        plan.claim = match name.unwrap_or_default() {
            "" => String::new(),
            name => format!("{}/{name}", user.namespace),
        };
        plan
    }

    fn template_of(&self, user: For<'r>) -> Option<&Given<'r, ResourceClaimTemplate<'r>>> {
        let name = user.entry.template.as_deref()?;
        let mut templates = self.world.templates.iter();
        templates
            .find(|known| known.namespace == user.namespace && known.view.metadata().name() == name)
    }

    /// Returns the check that fails because a claim is not there. It passes where the template can be judged in its place.
    fn claim_exists(&self, user: For<'r>, name: Option<&str>) -> NodelessCheck {
        let has_template = self.template_of(user).is_some();
        let why = match &user.entry.template {
            None => message!(
                "plan.claim-missing",
                "the claim `{name}` is not in the text",
                name = name.unwrap_or_default()
            ),
            Some(name) if has_template => message!(
                "plan.claim-from-template",
                "the claim of template `{name}` is not in the text: judged as the template will make it",
                name
            ),
            Some(name) => message!(
                "plan.template-missing",
                "neither the claim nor the template `{name}` is in the text",
                name
            ),
        };
        let refusal = SchedulerRefusal::no(self.words_for_missing_claim(user, name));
        NodelessCheck {
            passing: has_template,
            ..gate(CheckKind::Exists, CheckStage::LookUp, Some(refusal), why)
        }
    }

    /// Returns what the scheduler says of a claim that is not there.
    fn words_for_missing_claim(&self, user: For<'r>, name: Option<&str>) -> String {
        let (pod, entry) = (user.pod, user.entry);
        if name.is_none() && entry.template.is_some() {
            let pod = reference(user.namespace, &pod.name);
            return format!("pod \"{pod}\": ResourceClaim not created yet");
        }
        let name = name.unwrap_or_default();
        if self.rules.claims_cached {
            let claim = reference(user.namespace, name);
            return format!("could not find claim \"{claim}\"");
        }
        match entry.template {
            Some(_) => format!(
                "waiting for dynamic resource controller to create the resourceclaim \"{name}\""
            ),
            None => format!("resourceclaim.resource.k8s.io \"{name}\" not found"),
        }
    }

    fn template_for(
        &self,
        template: &Given<'r, ResourceClaimTemplate<'r>>,
        user: For<'r>,
    ) -> ClaimPlan<'r> {
        let mut plan = empty(template.view.spec().spec(), template.index);
        self.unallocated(
            &mut plan,
            template.view.spec().spec(),
            template.namespace,
            Some(user),
        );
        plan
    }

    /// Makes the plan of an existing claim. Without a user: as seen by a new pod.
    fn of_claim(
        &self,
        claim: &Given<'r, ResourceClaim<'r>>,
        user: Option<For<'r>>,
    ) -> ClaimPlan<'r> {
        let view = claim.view;
        let (metadata, status) = (view.metadata(), view.status());
        let mut plan = empty(view.spec(), claim.index);
        plan.claim = format!("{}/{}", claim.namespace, metadata.name());
        plan.allocated = status.allocation().is_some();
        plan.gates.push(not_deleted(metadata));
        if let Some(user) = user.filter(|user| user.entry.claim.is_none()) {
            plan.gates.push(owned(claim, user));
        }
        let immediate = self.immediate(&plan);
        if self.rules.immediate_first {
            plan.gates.push(immediate.clone());
        }
        plan.gates
            .push(not_to_be_deallocated(status.deallocation_requested()));
        plan.gates.push(in_use(view, user));
        match status.allocation() {
            Some(allocation) => self.available(&mut plan, claim.index, allocation),
            None => self.candidates(&mut plan, view.spec(), claim.namespace, user, immediate),
        }
        let reserved = status.reserved_for();
        plan.can_free = plan.allocated
            && (reserved.is_empty()
                || (reserved.len() == 1 && user.is_some_and(|user| reserved_for(view, user.pod))));
        plan.movable = plan.mode == "WaitForFirstConsumer";
        plan
    }

    fn unallocated(
        &self,
        plan: &mut ClaimPlan<'r>,
        spec: ResourceClaimSpec<'r>,
        namespace: &'r str,
        user: Option<For<'r>>,
    ) {
        let immediate = self.immediate(plan);
        if self.rules.immediate_first {
            plan.gates.push(immediate.clone());
        }
        self.candidates(plan, spec, namespace, user, immediate);
    }

    fn immediate(&self, plan: &ClaimPlan<'r>) -> NodelessCheck {
        let refused = plan.mode == "Immediate" && !plan.allocated;
        let refusal = refused.then(|| SchedulerRefusal::no("unallocated immediate resourceclaim"));
        let why = match (plan.mode, plan.allocated) {
            (_, true) => message!("plan.allocated", "it is allocated"),
            ("Immediate", false) => {
                message!(
                    "plan.immediate",
                    "its mode is Immediate, and its driver has not allocated it yet"
                )
            }
            _ => message!(
                "plan.allocated-later",
                "it is allocated once a pod needs it"
            ),
        };
        gate(CheckKind::Allocated, CheckStage::PreFilter, refusal, why)
    }

    fn available(&self, plan: &mut ClaimPlan<'r>, object: usize, allocation: AllocationResult<'r>) {
        match allocation
            .available_on_nodes()
            .and_then(|_| self.site(object, AVAILABLE_ON_NODES))
        {
            Some(site) => {
                self.parse(plan, site);
                plan.filters.push(Filter::Selector {
                    site,
                    allocated: true,
                });
            }
            None => plan.filters.push(Filter::Unrestricted {
                path: AVAILABLE_ON_NODES,
            }),
        }
    }

    /// Adds the check of a selector that is parsed as a whole before nodes are looked at.
    fn parse(&self, plan: &mut ClaimPlan<'r>, site: usize) {
        if let Some(error) = self.errors.get(site).and_then(Option::as_deref) {
            let why = message!("plan.selector-unparsable", "the selector cannot be parsed");
            let refused = gate(
                CheckKind::Parse,
                CheckStage::PreFilter,
                Some(SchedulerRefusal::error(error)),
                why,
            );
            plan.gates.push(NodelessCheck {
                site: Some(site),
                ..refused
            });
        }
    }

    /// Adds the checks of an unallocated claim: its class and the drivers' reports.
    fn candidates(
        &self,
        plan: &mut ClaimPlan<'r>,
        spec: ResourceClaimSpec<'r>,
        namespace: &str,
        user: Option<For<'r>>,
        immediate: NodelessCheck,
    ) {
        plan.pending = true;
        let name = spec.resource_class_name();
        let class = self.world.class(name);
        if self.rules.class_first {
            let refusal = class
                .is_none()
                .then(|| SchedulerRefusal::no(format!("resource class {name} does not exist")));
            let why = match class {
                Some(_) => message!("plan.class", "class `{name}` is there", name),
                None => message!(
                    "plan.class-missing",
                    "class `{name}` is not in the text",
                    name
                ),
            };
            plan.gates
                .push(gate(CheckKind::Class, CheckStage::PreFilter, refusal, why));
        }
        if let (true, Some(class)) = (self.rules.class_first, class)
            && let Some(site) = self.site(class.index, SUITABLE_NODES)
        {
            self.parse(plan, site);
        }
        let structured = self.rules.structured
            && class.is_some_and(|class| class.view.structured_parameters() == Some(true));
        let mut allocation = None;
        if let Some(class) = class.filter(|_| structured) {
            plan.pending = false;
            allocation = Some(self.structured(plan, class.view, spec, namespace));
        } else if !self.rules.immediate_first {
            plan.gates.push(immediate);
        }
        if !structured && !matches!(plan.mode, "WaitForFirstConsumer" | "Immediate") {
            let text = format!("internal error, unexpected allocation mode {}", plan.mode);
            plan.filters
                .push(Filter::Refused(SchedulerRefusal::error(text)));
            return;
        }
        match class {
            Some(class) => self.suitable(plan, class),
            None if !self.rules.class_first => {
                let text = format!(
                    "look up resource class: resourceclass.resource.k8s.io \"{name}\" not found"
                );
                plan.filters
                    .push(Filter::Refused(SchedulerRefusal::error(text)));
            }
            None => {}
        }
        if let (false, Some(user)) = (structured, user) {
            self.drivers(plan, user);
        }
        plan.filters.extend(allocation);
    }

    fn suitable(&self, plan: &mut ClaimPlan<'r>, class: &Given<'r, ResourceClass<'r>>) {
        match class
            .view
            .suitable_nodes()
            .and_then(|_| self.site(class.index, SUITABLE_NODES))
        {
            Some(site) => plan.filters.push(Filter::Selector {
                site,
                allocated: false,
            }),
            None => plan.filters.push(Filter::Unrestricted {
                path: SUITABLE_NODES,
            }),
        }
    }

    fn scheduling(&self, user: For<'r>) -> Option<&Given<'r, PodSchedulingContext<'r>>> {
        self.world.schedulings.iter().find(|given| {
            given.namespace == user.namespace && given.view.metadata().name() == user.pod.name
        })
    }

    /// Returns the refusal if the scheduling context belongs to an earlier pod of the same name.
    fn stolen(
        &self,
        context: &Given<'r, PodSchedulingContext<'r>>,
        user: For<'r>,
    ) -> Option<SchedulerRefusal> {
        let metadata = context.view.metadata();
        let (kind, uid) = (self.rules.scheduling_kind, metadata.uid());
        (!controlled_by(metadata, user.pod)).then(|| {
            SchedulerRefusal::error(format!(
                "{kind} object with UID {uid} is not owned by Pod {}/{}",
                user.namespace, user.pod.name
            ))
        })
    }

    /// Adds the check of the scheduling context, where it is looked at before the claims.
    fn context(&self, plan: &mut ClaimPlan<'r>, user: For<'r>) {
        let Some(context) = self.scheduling(user).filter(|_| self.rules.context_first) else {
            return;
        };
        let refusal = self.stolen(context, user);
        let why = match refusal {
            Some(_) => message!(
                "plan.context-not-owned",
                "the pod does not own its scheduling context"
            ),
            None => message!("plan.context-owned", "the pod owns its scheduling context"),
        };
        plan.gates.insert(
            0,
            gate(CheckKind::Context, CheckStage::PreFilter, refusal, why),
        );
    }

    /// Adds the checks of the negotiation between scheduler and drivers about the pod.
    fn drivers(&self, plan: &mut ClaimPlan<'r>, user: For<'r>) {
        let Some(context) = self.scheduling(user) else {
            return;
        };
        let spec = context.view.spec();
        if let Some(refusal) = self.stolen(context, user) {
            plan.filters.push(Filter::Refused(refusal));
            return;
        }
        let status = context
            .view
            .status()
            .resource_claims()
            .iter()
            .find(|status| status.name() == user.entry.name);
        let nodes = status.map(|status| status.unsuitable_nodes());
        plan.reported = status.is_some();
        plan.filters.push(Filter::Unsuitable {
            nodes: order::set(nodes.iter().flat_map(|nodes| nodes.iter())),
            reported: status.is_some(),
            truncated: nodes.is_some_and(|nodes| nodes.len() >= MAX_NODES),
        });
        if !spec.potential_nodes().is_empty() {
            plan.filters
                .push(Filter::Potential(order::set(spec.potential_nodes().iter())));
        }
        if !spec.selected_node().is_empty() {
            plan.filters.push(Filter::Selected(spec.selected_node()));
        }
    }

    /// Finds the parameters that a class names.
    fn class_parameters(
        &self,
        class: ResourceClass<'r>,
    ) -> Result<Option<ResourceClassParameters<'r>>, String> {
        let Some(wanted) = class.parameters_ref() else {
            return Ok(None);
        };
        let place = reference(wanted.namespace(), wanted.name());
        let mut known = self.world.class_parameters.iter();
        if wanted.api_group() == claimkit_model::schema::GROUP
            && wanted.kind() == "ResourceClassParameters"
        {
            let found = known.find(|have| {
                let metadata = have.view.metadata();
                let in_place = have.namespace == wanted.namespace()
                    || (metadata.namespace().is_empty() && wanted.namespace().is_empty());
                metadata.name() == wanted.name() && in_place
            });
            return found
                .map(|found| Some(found.view))
                .ok_or_else(|| format!("class parameters {place} not found"));
        }
        let found = known.find(|have| {
            have.view.generated_from().is_some_and(|from| {
                (from.api_group(), from.kind(), from.namespace(), from.name())
                    == (
                        wanted.api_group(),
                        wanted.kind(),
                        wanted.namespace(),
                        wanted.name(),
                    )
            })
        });
        let missing = || {
            format!(
                "generated class parameters for {}.{} {place} not found",
                wanted.kind(),
                wanted.api_group()
            )
        };
        found.map(|found| Some(found.view)).ok_or_else(missing)
    }

    /// Finds the parameters that a claim names.
    fn claim_parameters(
        &self,
        spec: ResourceClaimSpec<'r>,
        namespace: &str,
    ) -> Result<Option<ResourceClaimParameters<'r>>, String> {
        let Some(wanted) = spec.parameters_ref() else {
            return Ok(None);
        };
        let place = reference(namespace, wanted.name());
        let mut known = self
            .world
            .claim_parameters
            .iter()
            .filter(|have| have.namespace == namespace);
        if wanted.api_group() == claimkit_model::schema::GROUP
            && wanted.kind() == "ResourceClaimParameters"
        {
            let found = known.find(|have| have.view.metadata().name() == wanted.name());
            return found
                .map(|found| Some(found.view))
                .ok_or_else(|| format!("claim parameters {place} not found"));
        }
        let found = known.find(|have| {
            have.view.generated_from().is_some_and(|from| {
                (from.api_group(), from.kind(), from.name())
                    == (wanted.api_group(), wanted.kind(), wanted.name())
            })
        });
        let missing = || {
            format!(
                "generated claim parameters for {}.{} {place} not found",
                wanted.kind(),
                wanted.api_group()
            )
        };
        found.map(|found| Some(found.view)).ok_or_else(missing)
    }

    /// Makes the filter of the scheduler's own allocation: the class's parameters are looked up first, then the claim's.
    fn structured(
        &self,
        plan: &mut ClaimPlan<'r>,
        class: ResourceClass<'r>,
        spec: ResourceClaimSpec<'r>,
        namespace: &str,
    ) -> Filter<'r> {
        let found = self.class_parameters(class).and_then(|class_parameters| {
            Ok((class_parameters, self.claim_parameters(spec, namespace)?))
        });
        let (class_parameters, claim_parameters) = match found {
            Ok(found) => found,
            Err(missing) => {
                let why = message!(
                    "plan.parameters-missing",
                    "its parameters are not in the text"
                );
                plan.gates.push(gate(
                    CheckKind::Parameters,
                    CheckStage::PreFilter,
                    Some(SchedulerRefusal::no(missing)),
                    why,
                ));
                return Filter::Structured(None);
            }
        };
        if self.world.slices.is_empty() {
            plan.gates.push(parameters_are_there());
            return Filter::Structured(None);
        }
        let claims: Vec<_> = self
            .world
            .claims
            .iter()
            .map(|claim| (claim.namespace, claim.view))
            .collect();
        let facts = StructuredFacts {
            slices: &self.world.slices,
            claims: &claims,
            class,
            class_parameters,
            claim_parameters,
        };
        match Structured::of(&facts) {
            Ok(structured) => {
                plan.gates.push(parameters_are_there());
                Filter::Structured(Some(Arc::new(structured)))
            }
            Err(error) => {
                let why = message!(
                    "plan.parameters-uncompiled",
                    "a selector of its parameters does not compile"
                );
                plan.gates.push(gate(
                    CheckKind::Parameters,
                    CheckStage::PreFilter,
                    Some(SchedulerRefusal::error(error)),
                    why,
                ));
                Filter::Structured(None)
            }
        }
    }
}

fn parameters_are_there() -> NodelessCheck {
    gate(
        CheckKind::Parameters,
        CheckStage::PreFilter,
        None,
        message!("plan.parameters", "its parameters are there"),
    )
}

/// The claim of a pod's entry.
enum EntryClaim {
    /// The pod needs none.
    NotNeeded,
    /// It has no name yet.
    NotCreated,
    Named(String),
}

fn not_deleted(metadata: ObjectMeta<'_>) -> NodelessCheck {
    let name = metadata.name();
    let (refusal, why) = if metadata.deletion_timestamp().is_some() {
        let text = format!("resourceclaim \"{name}\" is being deleted");
        let why = message!("plan.deleted", "it is being deleted");
        (Some(SchedulerRefusal::no(text)), why)
    } else {
        (
            None,
            message!("plan.not-deleted", "it is not being deleted"),
        )
    };
    gate(CheckKind::Deleted, CheckStage::LookUp, refusal, why)
}

/// Checks that a claim from a template belongs to the pod.
fn owned(claim: &Given<'_, ResourceClaim<'_>>, user: For<'_>) -> NodelessCheck {
    let metadata = claim.view.metadata();
    let (refusal, why) = if controlled_by(metadata, user.pod) {
        (None, message!("plan.owned", "the pod owns it"))
    } else {
        let pod = reference(user.namespace, &user.pod.name);
        let text = format!(
            "ResourceClaim {}/{} was not created for pod {pod} (pod is not owner)",
            claim.namespace,
            metadata.name()
        );
        let why = message!("plan.not-owned", "the pod does not own it");
        (Some(SchedulerRefusal::no(text)), why)
    };
    gate(CheckKind::Owner, CheckStage::LookUp, refusal, why)
}

fn not_to_be_deallocated(is_requested: bool) -> NodelessCheck {
    let (refusal, why) = if is_requested {
        let refusal = SchedulerRefusal::no("resourceclaim must be reallocated");
        let why = message!("plan.deallocation", "its deallocation was requested");
        (Some(refusal), why)
    } else {
        let why = message!("plan.no-deallocation", "its deallocation was not requested");
        (None, why)
    };
    gate(CheckKind::Deallocation, CheckStage::PreFilter, refusal, why)
}

fn empty<'r>(spec: ResourceClaimSpec<'r>, object: usize) -> ClaimPlan<'r> {
    ClaimPlan {
        object: Some(object),
        claim: String::new(),
        entry: None,
        class: spec.resource_class_name(),
        mode: spec.allocation_mode(),
        allocated: false,
        pending: false,
        reported: false,
        can_free: false,
        movable: false,
        gates: Vec::new(),
        filters: Vec::new(),
    }
}

fn reserved_for(claim: ResourceClaim<'_>, pod: &ClaimingPod) -> bool {
    claim.status().reserved_for().iter().any(|consumer| {
        if pod.uid.is_empty() {
            consumer.resource() == "pods" && consumer.name() == pod.name
        } else {
            consumer.uid() == pod.uid
        }
    })
}

fn in_use(claim: ResourceClaim<'_>, user: Option<For<'_>>) -> NodelessCheck {
    let reserved = claim.status().reserved_for();
    let allocation = claim.status().allocation();
    let own = user.is_some_and(|user| reserved_for(claim, user.pod));
    let shareable = allocation.is_some_and(|allocation| allocation.shareable());
    let refused = allocation.is_some() && !shareable && !reserved.is_empty() && !own;
    let why = match (reserved.iter().next(), own) {
        (None, _) => message!("plan.not-reserved", "no consumer has reserved it"),
        (Some(_), true) => message!("plan.reserved-for-pod", "it is reserved for the pod"),
        (Some(first), false) => {
            let resource = first
                .resource()
                .strip_suffix('s')
                .unwrap_or(first.resource());
            let name = first.name();
            match (reserved.len().saturating_sub(1), shareable) {
                (0, false) => message!(
                    "plan.reserved",
                    "it is reserved for {resource} `{name}`",
                    resource,
                    name
                ),
                (0, true) => {
                    message!(
                        "plan.reserved-shared",
                        "it is reserved for {resource} `{name}`, and can be shared",
                        resource,
                        name
                    )
                }
                (more, false) => {
                    message!(
                        "plan.reserved-more",
                        "it is reserved for {resource} `{name}` and {more} more",
                        resource,
                        name,
                        more
                    )
                }
                (more, true) => message!(
                    "plan.reserved-more-shared",
                    "it is reserved for {resource} `{name}` and {more} more, and can be shared",
                    resource,
                    name,
                    more
                ),
            }
        }
    };
    gate(
        CheckKind::InUse,
        CheckStage::PreFilter,
        refused.then(|| SchedulerRefusal::no("resourceclaim in use")),
        why,
    )
}
