//! Changes that no node's account tries: of expressions, names and priorities, and claims of a pod's own. They are said only if they were
//! tried with all pods in turn.

use super::rollout;
use super::users::FreedBy;
use super::ways::{EditedObject, HelpFacts, Step, Way, error_node};
use claimkit_model::finding::FieldPath;
use claimkit_model::nearest::{folded, near};
use claimkit_scheduler::allocator::objects::{Ask, Claim, ClaimSpec, Meta, Pod};
use claimkit_scheduler::explain::account::{
    NodeAccount, PodAccount, Reason, Relaxation, RequestAccount, Stage,
};
use claimkit_scheduler::explain::kinds::{ChangeKind, StageKind};
use claimkit_scheduler::explain::object_edits::{ClaimEdit, ObjectEdit};
use claimkit_scheduler::scheduler::{ReleaseRules, has_ended};
use claimkit_yaml::print;
use std::collections::BTreeSet;

/// Ends a guard, which stands before an expression.
const AND_SO_ON: &str = " && …";
/// The operator between a guard and an expression.
const AND: &str = " && ";
/// Minimum number of letters of a part of a domain in which one letter may be another.
const SHORTEST_MISSPELLED: usize = 5;

/// Returns these changes.
pub fn ways(account: &PodAccount, facts: HelpFacts<'_>) -> Vec<Way> {
    let error = error_node(account);
    let nodes = account.nodes.iter();
    let asked: Vec<&NodeAccount> = nodes
        .filter(|node| error.is_none_or(|error| error.name == node.name))
        .collect();
    let mut steps = Vec::new();
    for node in &asked {
        let requests = node.requests.iter();
        for request in requests.filter(|request| newer_spec(&request.claim, facts).is_none()) {
            steps.extend(selectors(node, request, facts));
            steps.extend(values(request, facts));
            steps.extend(attributes(request, facts));
            steps.extend(class(node, request, facts));
            steps.extend(one_of_all(node, request, facts));
        }
    }
    steps.extend(priority(account, facts));
    let own = account.claims.iter();
    steps.extend(own.filter_map(|claim| left_over(claim, facts)));
    steps.extend(rollout::steps(facts));
    let claims = account.claims.iter();
    steps.extend(claims.filter_map(|claim| new_claim(claim, facts)));
    let mut known: Vec<Vec<ObjectEdit>> = Vec::new();
    let mut ways: Vec<Way> = Vec::new();
    for step in steps {
        let edits = step.edits.clone().unwrap_or_default();
        if !known.contains(&edits) {
            known.push(edits);
            ways.push(alone(step));
        }
    }
    // No node is asked about a pod whose shared claims are full.
    let full = full_claims(account, facts);
    let own_claims = full.iter().filter_map(|claim| own_claim(claim, facts));
    ways.extend(own_claims.map(alone));
    ways
}

fn alone(step: Step) -> Way {
    Way {
        steps: vec![step],
        needs_trial: true,
        ..Way::default()
    }
}

/// Returns the claims of a pod that are reserved for as many as can be.
pub fn full_claims(account: &PodAccount, facts: HelpFacts<'_>) -> Vec<String> {
    let most = ReleaseRules::of(facts.release).most_consumers;
    let claims = account.claims.iter();
    claims
        .filter(|claim| facts.users.reserved_for(claim).len() >= most)
        .cloned()
        .collect()
}

/// Returns true if a quota does not allow a claim like another one.
fn exceeds_quota(claim: &str, facts: HelpFacts<'_>) -> bool {
    let shared = facts.index.claim(claim);
    shared.is_some_and(|shared| {
        let metadata = Meta {
            namespace: shared.metadata.namespace.clone(),
            ..Meta::default()
        };
        let new = Claim {
            metadata,
            spec: shared.spec.clone(),
            ..Claim::default()
        };
        facts.cluster.refusal_of_claim(&new).is_some()
    })
}

/// Returns the step by which a pod uses a claim of its own in place of one that it shares; `None`: it shares none, or a quota does not
/// allow one more.
pub fn own_claim(claim: &str, facts: HelpFacts<'_>) -> Option<Step> {
    let pod = facts.pod.filter(|_| !exceeds_quota(claim, facts))?;
    let (namespace, name) = claim.split_once('/')?;
    let mut entries = pod.spec.resource_claims.iter().enumerate();
    let (at, _) = entries.find(|(_, entry)| {
        pod.metadata.namespace == namespace && entry.resource_claim_name.as_deref() == Some(name)
    })?;
    let edits = vec![ObjectEdit::OwnClaim {
        pod: pod.metadata.full_name(),
        claim: claim.to_owned(),
    }];
    Some(Step {
        cost: 2,
        text: format!("a claim of its own in place of {claim}"),
        how: Some(format!(
            "ResourceClaim {name}-own with the spec of {name}, and the pod made anew: `spec.resourceClaims[{at}].resourceClaimName: {name}-own`"
        )),
        edits: Some(edits),
        ..Step::default()
    })
}

/// Returns the step of waiting until a claim of the pod is given back that is reserved for pods which have ended alone: the controller of
/// claims does so (kube-controller-manager, `pkg/controller/resourceclaim`, `syncClaim`).
fn left_over(claim: &str, facts: HelpFacts<'_>) -> Option<Step> {
    let seen = facts.index.claim(claim)?;
    seen.status.allocation.as_ref()?;
    let freeing = facts.users.freeing(claim);
    let users = &seen.status.reserved_for;
    let namespace = &seen.metadata.namespace;
    let have_ended = users.iter().all(|user| {
        let pod = facts.index.pod(&format!("{namespace}/{}", user.name));
        pod.is_some_and(has_ended)
    });
    let is_left_over = freeing.by == FreedBy::Itself && !users.is_empty() && have_ended;
    is_left_over.then(|| Step {
        text: format!("freeing claim {claim}"),
        how: freeing.how,
        edits: Some(vec![ObjectEdit::Free(claim.to_owned())]),
        ..Step::default()
    })
}

/// Returns the spec of a claim's template if it was made anew with another one since the claim was made.
fn newer_spec<'f>(claim: &str, facts: HelpFacts<'f>) -> Option<&'f ClaimSpec> {
    let made = facts.index.claim(claim)?;
    let template = facts.index.template(facts.templates.get(claim)?)?;
    let newer = &template.spec.spec;
    (*newer != made.spec).then_some(newer)
}

/// Returns true if a change is one of a claim whose template has another spec by now: what it says is not what the template has.
pub fn is_of_old_spec(relaxation: &Relaxation, facts: HelpFacts<'_>) -> bool {
    let mut edited = relaxation
        .changes
        .iter()
        .filter(|change| !matches!(change.kind, ChangeKind::Free(_)));
    edited.any(|change| newer_spec(&change.claim, facts).is_some())
}

/// Returns the step by which a pod gets a claim as its template is now.
fn new_claim(claim: &str, facts: HelpFacts<'_>) -> Option<Step> {
    let newer = newer_spec(claim, facts)?;
    let template = facts.templates.get(claim)?;
    Some(Step {
        text: format!("a new claim in place of {claim}, which is not as its template is now"),
        how: Some(format!(
            "the pod made anew: ResourceClaimTemplate {template} has another spec since"
        )),
        edits: Some(vec![ObjectEdit::ClaimSpec {
            claim: claim.to_owned(),
            edit: ClaimEdit::Spec(Box::new(newer.clone())),
        }]),
        ..Step::default()
    })
}

/// Returns the spec of a claim, or of its template.
fn spec_of<'f>(claim: &str, facts: HelpFacts<'f>) -> Option<&'f ClaimSpec> {
    if let Some(claim) = facts.index.claim(claim) {
        return Some(&claim.spec);
    }
    let template = facts.index.template(facts.templates.get(claim)?)?;
    Some(&template.spec.spec)
}

fn ask_of<'f>(request: &RequestAccount, facts: HelpFacts<'f>) -> Option<&'f Ask> {
    let mut requests = spec_of(&request.claim, facts)?.devices.requests.iter();
    let found = requests.find(|known| known.name == request.request)?;
    match &request.sub {
        Some(sub) => found.first_available.iter().find(|ask| ask.name == *sub),
        None => found.exactly.as_ref(),
    }
}

/// Returns the steps that mend the selectors of a request: a guard where one fails, a name that devices have, a driver's.
fn selectors(node: &NodeAccount, request: &RequestAccount, facts: HelpFacts<'_>) -> Vec<Step> {
    let Some(ask) = ask_of(request, facts) else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    let stages = request.funnel.iter();
    for stage in stages.filter(|stage| stage.stage == StageKind::Selector) {
        let index = stage.index.unwrap_or(0);
        let selector = ask.selectors.get(index);
        let Some(cel) = selector.and_then(|selector| selector.cel.as_ref()) else {
            continue;
        };
        let expression = cel.expression.as_str();
        let of = |text: String, cost: u32, expression: String| Step {
            cost,
            ..other_selector(&text, request, index, expression, facts)
        };
        if let Some(guarded) = guarded(stage, expression) {
            steps.push(of("a guard in".to_owned(), 0, guarded));
        }
        for missing in &stage.missing {
            let name = missing.path.rsplit('/').next().unwrap_or_default();
            if let [meant] = missing.alike.as_slice()
                && let Some(renamed) = renamed(expression, name, meant)
            {
                steps.push(of(format!("{meant} in place of {name} in"), 1, renamed));
            }
        }
        if stage.left == 0
            && let Some(driver) = Driver::of(expression, node, facts)
        {
            let text = format!("driver {} in place of {} in", driver.meant, driver.wrong);
            steps.push(of(text, 1, driver.expression));
        }
    }
    steps
}

/// Returns the step that writes another expression of a selector. `text`: what is other in it.
fn other_selector(
    text: &str,
    request: &RequestAccount,
    index: usize,
    expression: String,
    facts: HelpFacts<'_>,
) -> Step {
    let object = EditedObject::of(&request.claim, facts);
    let path = request.path.then("selectors").then(index);
    let path = object.path(&path.then("cel").then("expression"));
    let edit = format!("`{path}: {}`", print::quoted(&expression));
    Step {
        text: format!("{text} selector {index} of request {}", request.name()),
        how: Some(object.how(&edit)),
        edits: Some(vec![ObjectEdit::ClaimSpec {
            claim: request.claim.clone(),
            edit: ClaimEdit::Selector {
                request: request.name(),
                index,
                expression,
            },
        }]),
        ..Step::default()
    }
}

/// Returns the step by which a request wants one device in place of all, where an error ends the attempt: mode All fails on a pool of which
/// not all slices are there.
fn one_of_all(node: &NodeAccount, request: &RequestAccount, facts: HelpFacts<'_>) -> Option<Step> {
    let ask = ask_of(request, facts)?;
    if !node.fatal || ask.allocation_mode != "All" {
        return None;
    }
    let object = EditedObject::of(&request.claim, facts);
    let path = object.path(&request.path.then("allocationMode"));
    Some(Step {
        cost: 3,
        text: format!(
            "allocationMode ExactCount instead of All in request {}",
            request.name()
        ),
        how: Some(object.how(&format!("`{path}: ExactCount`"))),
        edits: Some(vec![ObjectEdit::ClaimSpec {
            claim: request.claim.clone(),
            edit: ClaimEdit::ExactlyOne {
                request: request.name(),
            },
        }]),
        ..Step::default()
    })
}

/// Returns the steps that write in a selector a value which devices have, where none has the written one.
fn values(request: &RequestAccount, facts: HelpFacts<'_>) -> Vec<Step> {
    let Some(ask) = ask_of(request, facts) else {
        return Vec::new();
    };
    let stages = request.funnel.iter();
    let without_devices =
        stages.filter(|stage| stage.stage == StageKind::Selector && stage.left == 0);
    let steps = without_devices.filter_map(|stage| {
        let index = stage.index.unwrap_or(0);
        let expression = &ask.selectors.get(index)?.cel.as_ref()?.expression;
        let known = values_of(stage, facts);
        let written = texts_in(expression).into_iter();
        let (wrong, meant) = written
            .filter(|text| !known.contains(*text))
            .find_map(|text| Some((text, meant_value(text, &known)?)))?;
        let text = format!("`{meant}` in place of `{wrong}` in");
        let corrected = expression.replace(wrong, meant);
        Some(Step {
            cost: 1,
            ..other_selector(&text, request, index, corrected, facts)
        })
    });
    steps.collect()
}

/// Returns the texts that devices of the cluster have in the attributes which a selector read.
fn values_of<'f>(stage: &Stage, facts: HelpFacts<'f>) -> BTreeSet<&'f str> {
    let read = stage.seen.keys();
    read.flat_map(|path| facts.index.texts_of(path)).collect()
}

/// Returns the texts between quotes that an expression compares with: those in brackets are names.
fn texts_in(expression: &str) -> Vec<&str> {
    let mut texts = Vec::new();
    let mut rest = expression;
    while let Some(at) = rest.find(['"', '\'']) {
        let (before, from) = rest.split_at(at);
        let quote = if from.starts_with('"') { '"' } else { '\'' };
        let Some((text, after)) = from
            .strip_prefix(quote)
            .and_then(|from| from.split_once(quote))
        else {
            break;
        };
        if !before.ends_with('[') && !text.is_empty() {
            texts.push(text);
        }
        rest = after;
    }
    texts
}

/// Returns the only value that a text may stand for: in other case or with other separators, misspelled, or with more words.
fn meant_value<'v>(text: &str, values: &BTreeSet<&'v str>) -> Option<&'v str> {
    let likenesses: [fn(&str, &str) -> bool; 3] =
        [is_same_when_folded, is_misspelled_value, is_part_of_value];
    for is_like in likenesses {
        let mut alike = values.iter().copied().filter(|value| is_like(text, value));
        match (alike.next(), alike.next()) {
            (Some(value), None) => return Some(value),
            (Some(_), Some(_)) => return None,
            (None, _) => {}
        }
    }
    None
}

fn is_same_when_folded(text: &str, value: &str) -> bool {
    folded(value).eq(folded(text))
}

fn is_part_of_value(text: &str, value: &str) -> bool {
    has_words(value, text)
}

/// Returns true if a value is nearly a text. Other digits are other hardware.
fn is_misspelled_value(text: &str, value: &str) -> bool {
    text.len() >= SHORTEST_MISSPELLED
        && digits_of(text).eq(digits_of(value))
        && near(text, value).is_some()
}

fn digits_of(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(char::is_ascii_digit)
}

/// Returns true if a value has all words of a text.
fn has_words(value: &str, text: &str) -> bool {
    let words = words_of(text);
    !words.is_empty() && words.is_subset(&words_of(value))
}

/// Returns the words of a text in lower case.
fn words_of(text: &str) -> BTreeSet<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Returns an expression behind guards for the names on which it fails.
fn guarded(stage: &Stage, expression: &str) -> Option<String> {
    if stage.errors.is_empty() || stage.missing.is_empty() {
        return None;
    }
    let guards: Option<Vec<&str>> = stage
        .missing
        .iter()
        .map(|missing| missing.guard.strip_suffix(AND_SO_ON))
        .collect();
    let guard = guards?.join(AND);
    // `||` and `?:` bind less than `&&`.
    let is_one = !expression.contains("||") && !expression.contains('?');
    Some(if is_one {
        format!("{guard}{AND}{expression}")
    } else {
        format!("{guard}{AND}({expression})")
    })
}

/// Returns an expression with another name; `None`: it does not have the name as a word.
fn renamed(expression: &str, name: &str, meant: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = expression;
    let mut is_found = false;
    while let Some(at) = rest.find(name) {
        let (before, from) = rest.split_at_checked(at)?;
        let after = from.strip_prefix(name)?;
        let is_word = !before.ends_with(is_of_word) && !after.starts_with(is_of_word);
        text.push_str(before);
        text.push_str(if is_word { meant } else { name });
        is_found |= is_word;
        rest = after;
    }
    text.push_str(rest);
    is_found.then_some(text)
}

fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Returns the steps that name the attribute which devices have in a constraint.
fn attributes(request: &RequestAccount, facts: HelpFacts<'_>) -> Vec<Step> {
    let reasons = request
        .cells
        .iter()
        .flat_map(|cell| cell.reason.iter().chain(&cell.also));
    let steps = reasons.filter_map(|reason| {
        let Reason::Constraint {
            index,
            attribute,
            near,
            ..
        } = reason
        else {
            return None;
        };
        let [meant] = near.as_slice() else {
            return None;
        };
        let constraints = &spec_of(&request.claim, facts)?.devices.constraints;
        let constraint = constraints.get(*index)?;
        let field = match constraint.match_attribute {
            Some(_) => "matchAttribute",
            None => "distinctAttribute",
        };
        let object = EditedObject::of(&request.claim, facts);
        let path = FieldPath::default().then("spec").then("devices");
        let path = path.then("constraints").then(*index).then(field);
        let edit = format!("`{}: {meant}`", object.path(&path));
        Some(Step {
            cost: 1,
            text: format!("{meant} in place of {attribute} in constraint {index}"),
            how: Some(object.how(&edit)),
            edits: Some(vec![ObjectEdit::ClaimSpec {
                claim: request.claim.clone(),
                edit: ClaimEdit::Attribute {
                    index: *index,
                    attribute: meant.clone(),
                },
            }]),
            ..Step::default()
        })
    });
    steps.collect()
}

/// The name of a driver in an expression that is nearly one of a node's.
struct Driver {
    wrong: String,
    meant: String,
    /// The expression with that one.
    expression: String,
}

/// Returns true if each part of one domain is nearly that of the other: `gpu.example.com` is not `nic.example.com`.
fn are_alike(one: &str, other: &str) -> bool {
    let mut pairs = one.split('.').zip(other.split('.'));
    pairs.all(|(part, other)| is_misspelled(part, other))
        && one.split('.').count() == other.split('.').count()
}

/// Returns true if a part of a domain may be meant for another. Short ones that differ in a letter, as `npu` and `gpu` do, are other
/// words; a letter more or less may be missed.
fn is_misspelled(part: &str, other: &str) -> bool {
    let shorter = part.len().min(other.len());
    let is_long = shorter >= SHORTEST_MISSPELLED;
    let is_longer = part.len() != other.len() && shorter > 1;
    part == other || ((is_long || is_longer) && near(part, other).is_some())
}

impl Driver {
    /// Returns the name to change; `None`: devices somewhere in the cluster have the names that are written.
    fn of(expression: &str, node: &NodeAccount, facts: HelpFacts<'_>) -> Option<Self> {
        let pools = node
            .pools
            .iter()
            .filter_map(|pool| pool.pool.split('/').next());
        let drivers: BTreeSet<&str> = pools.collect();
        for quote in ['"', '\''] {
            let texts = expression.split(quote).skip(1).step_by(2);
            for text in texts.filter(|text| text.contains('.')) {
                let mut meant = drivers.iter().filter(|driver| are_alike(text, driver));
                if let (Some(meant), None) = (meant.next(), meant.next())
                    && !drivers.contains(text)
                    && !is_published(text, facts)
                {
                    return Some(Driver {
                        wrong: text.to_owned(),
                        meant: (*meant).to_owned(),
                        expression: expression.replace(text, meant),
                    });
                }
            }
        }
        None
    }
}

/// Returns true if a slice of the cluster is of a driver.
fn is_published(driver: &str, facts: HelpFacts<'_>) -> bool {
    let mut slices = facts.cluster.slices();
    slices.any(|slice| slice.spec.driver == driver)
}

/// Returns the step that names the node's driver in a class that has a name like it.
fn class(node: &NodeAccount, request: &RequestAccount, facts: HelpFacts<'_>) -> Vec<Step> {
    let mut stages = request.funnel.iter();
    let is_empty = stages.any(|stage| stage.stage == StageKind::Class && stage.left == 0);
    let mut classes = facts.cluster.classes().filter(|_| is_empty);
    let Some(class) = classes.find(|class| class.metadata.name == request.class) else {
        return Vec::new();
    };
    let selectors = class.spec.selectors.iter().enumerate();
    let steps = selectors.filter_map(|(index, selector)| {
        let driver = Driver::of(&selector.cel.as_ref()?.expression, node, facts)?;
        let value = serde_json::Value::from(driver.expression.as_str()).to_string();
        let patch = format!(
            "[{{\"op\":\"replace\",\"path\":\"/spec/selectors/{index}/cel/expression\",\"value\":{value}}}]"
        );
        let name = &class.metadata.name;
        Some(Step {
            cost: 1,
            text: format!(
                "driver {} in place of {} in DeviceClass {name}",
                driver.meant, driver.wrong
            ),
            how: Some(format!(
                "kubectl patch deviceclass {name} --type=json -p '{}'",
                patch.replace('\'', "'\\''")
            )),
            edits: Some(vec![ObjectEdit::ClassSelector {
                class: name.clone(),
                index,
                expression: driver.expression,
            }]),
            is_for_all: true,
            ..Step::default()
        })
    });
    steps.collect()
}

/// Returns the step that gives a pod a higher priority than the waiting pods which are placed before it, and take what it lacks.
fn priority(account: &PodAccount, facts: HelpFacts<'_>) -> Option<Step> {
    let pod = facts.pod.filter(|pod| pod.group_name().is_none())?;
    let own_priority = pod.spec.effective_priority();
    let names_before = placed_before(account);
    let waiting_before = names_before
        .iter()
        .filter_map(|name| facts.index.pod(name))
        .filter(|other| other.spec.node_name.is_empty());
    let highest: &Pod = waiting_before
        .filter(|other| other.spec.effective_priority() > own_priority)
        .max_by_key(|other| other.spec.effective_priority())?;
    let most = highest.spec.effective_priority();
    let class = facts
        .cluster
        .priority_classes()
        .filter(|class| class.value > most && !class.metadata.name.starts_with("system-"))
        .min_by_key(|class| class.value);
    let how = match class {
        Some(class) => format!(
            "in the pod, made anew: `spec.priorityClassName: {}`",
            class.metadata.name
        ),
        None => format!("in the pod, made anew: a PriorityClass whose value is above {most}"),
    };
    let priority = class.map_or(most.saturating_add(1), |class| class.value);
    Some(Step {
        cost: 6,
        text: format!(
            "a higher priority than {most}, which {} has",
            highest.metadata.full_name()
        ),
        how: Some(how),
        edits: Some(vec![ObjectEdit::Prioritize {
            pod: pod.metadata.full_name(),
            priority,
        }]),
        ..Step::default()
    })
}

/// Returns the pods that wait and get, before this one, what nodes lack for it: `namespace/name`.
fn placed_before(account: &PodAccount) -> BTreeSet<String> {
    let refusals = account.nodes.iter().flat_map(|node| &node.refusals);
    let mut pods: BTreeSet<String> = refusals
        .flat_map(|refusal| refusal.pods_before.iter().cloned())
        .collect();
    let holders = account.nodes.iter().flat_map(|node| &node.holders);
    for holder in holders.filter(|holder| holder.planned) {
        let namespace = holder.claim.split('/').next().unwrap_or_default();
        let users = holder.pods.iter();
        pods.extend(users.map(|pod| format!("{namespace}/{pod}")));
    }
    pods
}
