//! The verb `allocate`: the devices that the pods and claims of a text get on each node, or why they get none.

use super::answer::{Answer, AnswerObject};
use super::content::Content;
use super::options::{MOST_STEPS, MatrixOption};
use super::request::{self, AllocateRequest, Verb};
use super::sources::{Manifest, Texts};
use crate::allocate::{self, AllocateOptions, PreparedCluster};
use claimkit_model::message::Words;
use claimkit_scheduler::explain::{Explain, Matrix, headline};

/// Answers `allocate`. `cluster`, if given, replaces the request's own `cluster`.
pub fn allocate(request: &AllocateRequest, cluster: Option<&PreparedCluster>) -> Answer {
    answer(request, cluster).unwrap_or_else(|error| Answer::unusable(Verb::Allocate, error))
}

fn answer(request: &AllocateRequest, cluster: Option<&PreparedCluster>) -> Result<Answer, Words> {
    let release = request::release(request.release.as_deref())?;
    let manifest = Manifest::of(
        request.text.as_deref(),
        request.sources.as_deref(),
        "the objects of the cluster",
    )?;
    let read;
    let cluster = match (cluster, &request.cluster) {
        (Some(cluster), _) => Some(cluster),
        (None, Some(texts)) => {
            let objects = texts.manifest();
            read = PreparedCluster::read(
                objects.source(),
                release,
                request.namespace.as_deref(),
                &request.limits,
            );
            Some(&read)
        }
        (None, None) => None,
    };
    let nodes = request.nodes.as_ref().map(Texts::manifest);
    let options = AllocateOptions {
        release,
        gates: request.gates.clone(),
        namespace: request.namespace.as_deref(),
        namespace_labels: request.namespace_labels.as_ref(),
        field_validation: request.field_validation,
        cluster,
        nodes: nodes.as_ref().map(Manifest::source),
        node_names: request.node_names.as_deref(),
        pod: request.pod.as_deref(),
        claims: request.claims.as_deref(),
        now: request.now.as_deref(),
        alone: request.alone,
        how_many: request.how_many,
        what_if: request.what_if.clone(),
        features: request.features.as_deref(),
        cel_lists: request.cel_lists,
        explain: explain(request),
        without_places: request.without_places,
        outcomes_only: request.outcomes_only,
        limits: request.limits,
    };
    let done = allocate::allocate(manifest.source(), &options)?;
    Ok(Answer {
        ok: done.ok,
        objects: done
            .items
            .iter()
            .map(|item| AnswerObject::of(&done.source, item))
            .collect(),
        findings: done.findings,
        content: Content::Allocate {
            release: done.release,
            allocator: done.allocator,
            mode: done.mode,
            beside: done.beside,
            how_many: done.how_many,
            ties: done.ties,
            gates: done.gates,
            headline: headline::of_pods(&done.pods),
            assumed: done.assumed,
            claims_assumed: done.claims_assumed,
            pods: done.pods,
        },
        ..Answer::to(Verb::Allocate)
    })
}

fn explain(request: &AllocateRequest) -> Explain {
    let (given, default) = (request.options, Explain::default());
    Explain {
        budget: given
            .budget
            .map_or(default.budget, |budget| budget.min(MOST_STEPS)),
        relax: given.relax.unwrap_or(default.relax),
        matrix: match given.matrix {
            None | Some(MatrixOption::Failed) => Matrix::Failed,
            Some(MatrixOption::All) => Matrix::All,
            Some(MatrixOption::None) => Matrix::Nothing,
        },
    }
}
