//! Instances that the scheduler allocates itself, for claims of classes with `structuredParameters` (kube-scheduler 1.30,
//! pkg/scheduler/framework/plugins/dynamicresources/structuredparameters.go, `nodeIsSuitable`; structured/namedresources/namedresourcesmodel.go,
//! `allocate`): request by request the first instance of the node that is free, passes the class's filter and matches. There is
//! no backtracking: an earlier request keeps its instance even if a later one then fails.

use crate::environments;
use claimkit_model::cel::explain::explain;
use claimkit_model::cel::library::quantity::CelQuantity;
use claimkit_model::cel::value::Value;
use claimkit_model::cel::{EnvironmentMode, NamedAttribute, Program, SELECTOR_COST_LIMIT, device};
use claimkit_model::message::{self, Message, Template, message, template};
use claimkit_model::object::view::{
    NamedResourcesAttribute, NamedResourcesInstance, ResourceClaim, ResourceClaimParameters,
    ResourceClass, ResourceClassParameters, ResourceSlice,
};
use claimkit_values::order;

/// Maximum number of instances that an explanation names.
const SHOWN: usize = 6;

/// The scheduler's text for a node without the instances that a claim needs.
const UNSUITABLE: &str = "resourceclaim cannot be allocated for the node (unsuitable)";

/// The instances that a claim gets on the nodes.
#[derive(Clone, Debug)]
pub struct Structured {
    nodes: Vec<(String, InstanceAnswer)>,
    elsewhere: InstanceAnswer,
}

/// The instances that a claim gets on a node, or the reason for none.
#[derive(Clone, Debug, Default)]
pub struct InstanceAnswer {
    /// The scheduler's text, if it refuses the node.
    pub refusal: Option<String>,
    /// Help in claimkit's own words.
    pub why: Message,
    /// The instances: driver and name.
    pub instances: Vec<(String, String)>,
}

/// The instances of a driver that a claim asks for.
struct Demand {
    driver: String,
    filter: Option<Program>,
    requests: Vec<Program>,
}

/// An instance while a claim is being allocated.
struct Candidate<'r> {
    name: &'r str,
    attributes: Result<Vec<Value>, String>,
    holder: Option<Holder>,
}

/// The user of an instance.
#[derive(Clone, Debug)]
enum Holder {
    /// A claim: `namespace/name`.
    Claim(String),
    /// An earlier request of the claim that is being allocated.
    Request,
}

/// The objects that decide.
pub struct StructuredFacts<'f, 'r> {
    pub slices: &'f [ResourceSlice<'r>],
    /// All claims with their namespaces: allocated ones hold instances.
    pub claims: &'f [(&'r str, ResourceClaim<'r>)],
    pub class: ResourceClass<'r>,
    /// The class's parameters; `None` if it names none.
    pub class_parameters: Option<ResourceClassParameters<'r>>,
    /// The claim's parameters; `None` if it names none.
    pub claim_parameters: Option<ResourceClaimParameters<'r>>,
}

impl Structured {
    /// Computes the instances that a claim gets on each node. The error is the scheduler's: a selector that does not compile.
    pub fn of(facts: &StructuredFacts<'_, '_>) -> Result<Structured, String> {
        let demands = demands(facts)?;
        let mut names: Vec<&str> = facts
            .slices
            .iter()
            .map(|slice| slice.node_name())
            .filter(|name| !name.is_empty())
            .collect();
        order::sort(&mut names);
        names.dedup();
        let nodes = names
            .iter()
            .map(|node| ((*node).to_owned(), answer(facts, &demands, node)))
            .collect();
        Ok(Structured {
            nodes,
            elsewhere: answer(facts, &demands, ""),
        })
    }

    /// Returns the answer for a node.
    pub fn on(&self, node: &str) -> &InstanceAnswer {
        let found = self
            .nodes
            .binary_search_by(|(name, _)| name.as_str().cmp(node))
            .ok();
        found
            .and_then(|at| self.nodes.get(at))
            .map_or(&self.elsewhere, |(_, answer)| answer)
    }
}

fn demands(facts: &StructuredFacts<'_, '_>) -> Result<Vec<Demand>, String> {
    let environment = environments::named_resources(EnvironmentMode::Stored);
    let mut asked: Vec<(&str, Vec<&str>)> = Vec::new();
    match facts.claim_parameters {
        // Without parameters, any one instance of the class's driver is enough.
        None => asked.push((facts.class.driver_name(), vec!["true"])),
        Some(parameters) => {
            for driver in parameters.driver_requests().iter() {
                let selectors = driver
                    .requests()
                    .iter()
                    .filter_map(|request| request.named_resources())
                    .map(|named| named.selector());
                match asked
                    .iter_mut()
                    .find(|(name, _)| *name == driver.driver_name())
                {
                    Some((_, requests)) => requests.extend(selectors),
                    None => asked.push((driver.driver_name(), selectors.collect())),
                }
            }
        }
    }
    let mut demands = Vec::new();
    for (driver, requests) in asked
        .into_iter()
        .filter(|(_, requests)| !requests.is_empty())
    {
        let filters = facts
            .class_parameters
            .map(|parameters| parameters.filters());
        let mut filters = filters
            .iter()
            .flat_map(|filters| filters.iter())
            .filter(|filter| filter.driver_name() == driver);
        let filter = filters.find_map(|filter| filter.named_resources());
        demands.push(Demand {
            driver: driver.to_owned(),
            filter: filter
                .map(|filter| compile(&environment, "class filter", filter.selector()))
                .transpose()?,
            requests: requests
                .into_iter()
                .map(|selector| compile(&environment, "request", selector))
                .collect::<Result<_, _>>()?,
        });
    }
    Ok(demands)
}

fn compile(
    environment: &claimkit_model::cel::Environment,
    what: &str,
    selector: &str,
) -> Result<Program, String> {
    environment.compile(selector).map_err(|error| {
            format!(
                "creating claim controller for named resources structured model: compile {what} CEL expression: {}",
                error.text
            )
        })
}

fn answer(facts: &StructuredFacts<'_, '_>, demands: &[Demand], node: &str) -> InstanceAnswer {
    let mut instances: Vec<(String, String)> = Vec::new();
    for demand in demands {
        let mut candidates = candidates(facts, &demand.driver, node);
        for (at, request) in demand.requests.iter().enumerate() {
            match choose(demand, request, &mut candidates) {
                Ok(Some(name)) => instances.push((demand.driver.clone(), name)),
                Ok(None) => {
                    let why = nothing(demand, at, request, &candidates);
                    return InstanceAnswer {
                        refusal: Some(UNSUITABLE.to_owned()),
                        why,
                        instances: Vec::new(),
                    };
                }
                Err(FailedInstance { name, error }) => {
                    let driver = &demand.driver;
                    let text = format!(
                        "checking structured parameters failed: checking node {node:?} and resources of driver {driver:?}: {error}"
                    );
                    let why = message!(
                        "structured.fails",
                        "a selector fails on instance `{name}`: {error}",
                        name,
                        error
                    );
                    return InstanceAnswer {
                        refusal: Some(text),
                        why,
                        instances: Vec::new(),
                    };
                }
            }
        }
    }
    let why = if instances.is_empty() {
        message!("structured.none-asked", "no instance is asked for")
    } else {
        let names: Vec<Message> = instances.iter().map(instance_text).collect();
        message!(
            "structured.gets",
            "gets {instances}",
            instances = names.join(", ")
        )
    };
    InstanceAnswer {
        refusal: None,
        why,
        instances,
    }
}

fn instance_text((driver, name): &(String, String)) -> Message {
    message!(
        "structured.instance",
        "`{name}` of `{driver}`",
        name,
        driver
    )
}

fn candidates<'r>(facts: &StructuredFacts<'_, 'r>, driver: &str, node: &str) -> Vec<Candidate<'r>> {
    let slices = facts.slices.iter().filter(|slice| {
        slice.driver_name() == driver && slice.node_name() == node && !node.is_empty()
    });
    let instances = slices
        .filter_map(|slice| slice.named_resources())
        .flat_map(|named| named.instances().iter());
    instances
        .map(|instance| Candidate {
            name: instance.name(),
            attributes: attributes(instance)
                .and_then(|attributes| device::named_variables(&attributes).map_err(String::from)),
            holder: holder(facts, driver, node, instance.name()),
        })
        .collect()
}

/// Finds the claim that an instance is allocated to.
fn holder(
    facts: &StructuredFacts<'_, '_>,
    driver: &str,
    node: &str,
    instance: &str,
) -> Option<Holder> {
    for (namespace, claim) in facts.claims.iter() {
        if holds(claim, driver, node, instance) {
            let name = claim.metadata().name();
            return Some(Holder::Claim(format!("{namespace}/{name}")));
        }
    }
    None
}

/// Returns true if a claim is allocated an instance of a driver on a node.
fn holds(claim: &ResourceClaim<'_>, driver: &str, node: &str, instance: &str) -> bool {
    let Some(allocation) = claim.status().allocation() else {
        return false;
    };
    for handle in allocation.resource_handles().iter() {
        if handle.driver_name() != driver {
            continue;
        }
        let Some(data) = handle.structured_data() else {
            continue;
        };
        let mut instances = data
            .results()
            .iter()
            .filter_map(|result| result.named_resources());
        if data.node_name() == node && instances.any(|named| named.name() == instance) {
            return true;
        }
    }
    false
}

/// Takes the first instance that fits a request. The error names the instance that a selector failed on.
fn choose(
    demand: &Demand,
    request: &Program,
    candidates: &mut [Candidate<'_>],
) -> Result<Option<String>, FailedInstance> {
    for candidate in candidates.iter_mut() {
        if candidate.holder.is_some() {
            continue;
        }
        if let Some(filter) = &demand.filter
            && !selects(filter, "filter", candidate)?
        {
            continue;
        }
        if selects(request, "request", candidate)? {
            candidate.holder = Some(Holder::Request);
            return Ok(Some(candidate.name.to_owned()));
        }
    }
    Ok(None)
}

/// An instance on which a selector fails, and the scheduler's words for it.
struct FailedInstance {
    name: String,
    error: String,
}

/// Returns true if a selector is true for an instance. `role`: what the selector is, in the scheduler's words.
fn selects(
    selector: &Program,
    role: &str,
    candidate: &Candidate<'_>,
) -> Result<bool, FailedInstance> {
    let outcome = match &candidate.attributes {
        Ok(variables) => selector
            .evaluate(variables, SELECTOR_COST_LIMIT)
            .matches()
            .map_err(|error| error.message().to_owned()),
        Err(error) => Err(error.clone()),
    };
    outcome.map_err(|error| FailedInstance {
        name: candidate.name.to_owned(),
        error: format!("evaluate {role} CEL expression: {error}"),
    })
}

/// Returns why no instance fits a request.
fn nothing(demand: &Demand, at: usize, request: &Program, candidates: &[Candidate<'_>]) -> Message {
    let driver = &demand.driver;
    if candidates.is_empty() {
        return message!(
            "structured.no-instances",
            "no slice in the files has instances of `{driver}` on the node",
            driver
        );
    }
    let number = at.saturating_add(1);
    let shown = candidates
        .iter()
        .take(SHOWN)
        .map(|candidate| reason(demand, request, candidate));
    let mut reasons = message::sentences(shown);
    if let Some(more) = candidates.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        reasons = message!(
            "structured.and-more",
            "{reasons}; and {more} more",
            reasons,
            more
        );
    }
    let funnel = funnel(demand, request, candidates);
    message!(
        "structured.none-fits",
        "no instance of `{driver}` for request {number}: {funnel}; {reasons}",
        driver,
        number,
        funnel,
        reasons
    )
}

const AFTER_FILTER: Template = template!(
    "structured.after-filter",
    "{count} after the class's filter"
);
const AFTER_SELECTOR: Template =
    template!("structured.after-selector", "{count} after the selector");
const FREE: Template = template!("structured.free", "{count} free");

/// Returns how many instances each condition leaves, up to where none is left.
fn funnel(demand: &Demand, request: &Program, candidates: &[Candidate<'_>]) -> String {
    let mut left: Vec<&Candidate<'_>> = candidates.iter().collect();
    let mut stages = vec![message!(
        "structured.on-node",
        "{count} on the node",
        count = left.len()
    )];
    let filter = demand
        .filter
        .iter()
        .map(|filter| (AFTER_FILTER, Some(filter)));
    for (stage, program) in filter.chain([(AFTER_SELECTOR, Some(request)), (FREE, None)]) {
        left.retain(|candidate| {
            program.map_or(candidate.holder.is_none(), |program| {
                passes(program, candidate)
            })
        });
        stages.push(stage.fill(&[&left.len()]));
        if left.is_empty() {
            break;
        }
    }
    stages.join(" → ")
}

fn passes(program: &Program, candidate: &Candidate<'_>) -> bool {
    let variables = candidate.attributes.as_ref();
    variables.is_ok_and(|variables| {
        program.evaluate(variables, SELECTOR_COST_LIMIT).matches() == Ok(true)
    })
}

fn reason(demand: &Demand, request: &Program, candidate: &Candidate<'_>) -> Message {
    let name = candidate.name;
    match &candidate.holder {
        Some(Holder::Claim(claim)) => {
            return message!(
                "structured.held-by-claim",
                "`{name}` is allocated to claim `{claim}`",
                name,
                claim
            );
        }
        Some(Holder::Request) => {
            return message!(
                "structured.held-by-request",
                "`{name}` is allocated to an earlier request of the claim",
                name
            );
        }
        None => {}
    }
    let Ok(variables) = &candidate.attributes else {
        return message!("structured.unreadable", "`{name}` cannot be read", name);
    };
    let refused = |program: &Program| {
        let trace = program.trace(variables, SELECTOR_COST_LIMIT);
        (trace.outcome.matches() != Ok(true)).then(|| message::parts(explain(program, &trace)))
    };
    if let Some(why) = demand.filter.as_ref().and_then(refused) {
        return message!(
            "structured.filter-refuses",
            "`{name}`: the class's filter: {why}",
            name,
            why
        );
    }
    if let Some(why) = refused(request) {
        return message!("structured.selector-refuses", "`{name}`: {why}", name, why);
    }
    message!("structured.fits", "`{name}` fits", name)
}

fn attributes(
    instance: NamedResourcesInstance<'_>,
) -> Result<Vec<(String, NamedAttribute)>, String> {
    let mut attributes = Vec::new();
    for attribute in instance.attributes().iter() {
        let name = attribute.name();
        let Some(value) = value(attribute) else {
            return Err(format!("unsupported attribute {name}"));
        };
        attributes.push((name.to_owned(), value));
    }
    Ok(attributes)
}

/// Returns the value of an attribute: the first field that is set. A wrong quantity counts as not set.
fn value(attribute: NamedResourcesAttribute<'_>) -> Option<NamedAttribute> {
    use claimkit_model::object::FieldValue as Field;
    if let Some(text) = attribute.quantity()
        && CelQuantity::parse(text).is_ok()
    {
        return Some(NamedAttribute::Quantity(text.to_owned()));
    }
    if let Some(value) = attribute.bool() {
        return Some(NamedAttribute::Bool(value));
    }
    if let Some(number) = attribute.int() {
        return Some(NamedAttribute::Int(number));
    }
    if let Some(items) = list_in_slice(attribute, "intSlice", "ints") {
        let numbers = items
            .iter()
            .map(|item| if let Field::Int(n) = item { *n } else { 0 });
        return Some(NamedAttribute::IntSlice(numbers.collect()));
    }
    if let Some(text) = attribute.string() {
        return Some(NamedAttribute::String(text.to_owned()));
    }
    if let Some(items) = list_in_slice(attribute, "stringSlice", "strings") {
        let texts = items.iter().map(|item| item.as_str().to_owned());
        return Some(NamedAttribute::StringSlice(texts.collect()));
    }
    let text = attribute.version()?;
    Some(NamedAttribute::Version(text.to_owned()))
}

fn list_in_slice<'r>(
    attribute: NamedResourcesAttribute<'r>,
    field: &str,
    items: &str,
) -> Option<&'r [claimkit_model::object::FieldValue<'r>]> {
    attribute
        .record()?
        .record(field)
        .map(|slice| slice.list(items))
}
