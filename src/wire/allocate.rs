//! The verb `allocate`: the devices that the pods and claims of a text get on each node, or why they get none.

use super::answer::{Answer, Object};
use super::content::Content;
use super::options::{MOST_STEPS, Shown};
use super::request::Request;
use crate::place::device::explain::{Explain, Matrix};
use crate::scheduler::{self, AllocateOptions, PreparedCluster};

/// Answers `allocate`. `cluster`, if given, replaces the request's own `cluster`.
pub fn allocate(request: &Request, cluster: Option<&PreparedCluster>) -> Answer {
    answer(request, cluster).unwrap_or_else(|error| Answer::unusable(Some("allocate"), &error))
}

fn answer(request: &Request, cluster: Option<&PreparedCluster>) -> Result<Answer, String> {
    let release = request.release()?;
    let text = request.text.as_deref().ok_or("`text` is missing: the objects of the cluster")?;
    let read;
    let cluster = match (cluster, &request.cluster) {
        (Some(cluster), _) => Some(cluster),
        (None, Some(text)) => {
            read = PreparedCluster::read(text, release, request.namespace.as_deref(), &request.limits);
            Some(&read)
        }
        (None, None) => None,
    };
    let options = AllocateOptions {
        release,
        gates: request.gates.clone(),
        namespace: request.namespace.as_deref(),
        namespace_labels: request.namespace_labels.as_ref(),
        field_validation: request.field_validation,
        cluster,
        nodes: request.nodes.as_ref().and_then(Option::as_deref),
        node_names: request.node_names.as_deref(),
        pod: request.pod.as_deref(),
        claims: request.claims.as_deref(),
        now: request.now.as_deref(),
        what_if: request.what_if.clone(),
        features: request.features.as_deref(),
        cel_lists: request.cel_lists,
        explain: explain(request),
        without_places: request.without_places,
        limits: request.limits,
    };
    let done = scheduler::allocate(text, &options)?;
    Ok(Answer {
        ok: done.ok,
        objects: done.items.iter().map(|item| Object::of(&done.source, item)).collect(),
        findings: done.findings,
        content: Content::Allocate {
            release: done.release,
            allocator: done.allocator,
            gates: done.gates,
            assumed: done.assumed,
            // Kept as JSON: an account has many types, and so the module needs only one serializer for them.
            pods: serde_json::value::to_raw_value(&done.pods).map_err(|error| error.to_string())?,
        },
        ..Answer::to("allocate")
    })
}

fn explain(request: &Request) -> Explain {
    let (given, default) = (request.options, Explain::default());
    Explain {
        budget: given.budget.map_or(default.budget, |budget| budget.min(MOST_STEPS)),
        relax: given.relax.unwrap_or(default.relax),
        matrix: match given.matrix {
            None | Some(Shown::Failed) => Matrix::Failed,
            Some(Shown::All) => Matrix::All,
            Some(Shown::None) => Matrix::Nothing,
        },
    }
}
