//! The findings of an answer and their positions.

use super::gathered::Gathered;
use super::question::AllocateOptions;
use crate::apiserver::slices;
use crate::manifest::Input;
use claimkit_model::finding::{self, Code, Origin, TextField};
use claimkit_model::message::message;
use claimkit_model::text::located::{self, LocatedFinding};
use claimkit_scheduler::allocator::what_if::Changed;
use claimkit_scheduler::explain::account::PodAccount;
use claimkit_scheduler::explain::remark::Remark;
use std::collections::BTreeSet;

/// Returns the finding of an answer about no pod, or about no node. `left_out`: the server refuses objects of the text.
pub fn nothing_to_place(pods: &[PodAccount], left_out: bool) -> finding::Finding {
    let message = match (pods.is_empty(), left_out) {
        (true, false) => {
            message!(
                "schedule.no-pending-claim",
                "no pod and no claim of the text waits for devices"
            )
        }
        (true, true) => message!(
            "schedule.nothing-else",
            "nothing else in the text asks for devices"
        ),
        (false, _) => message!("schedule.no-node", "the text holds no Node"),
    };
    finding::Finding::new(Code::NothingChecked, message)
}

/// Returns the findings with their positions: those of the text, those of other texts, and those of the allocator, each once.
pub fn located_findings(
    gathered: &mut Gathered<'_>,
    faults: &[Remark],
    pods: &[PodAccount],
    changed: &Changed,
    options: &AllocateOptions<'_>,
) -> Vec<LocatedFinding> {
    let in_text = std::mem::take(&mut gathered.findings);
    let input = &gathered.input;
    let mut findings: Vec<LocatedFinding> = finding::Findings::new(options.limits.findings)
        .behind(in_text)
        .into_iter()
        .map(|finding| located::finding(&input.file.source, finding))
        .collect();
    findings.append(&mut gathered.beside);
    for new in &changed.findings {
        let finding = new.finding.clone().about(TextField::NewNodes);
        let mut of_file = located::finding(&input.file.source, finding);
        of_file.file.clone_from(&new.name);
        findings.push(of_file);
    }
    let mut remarks: Vec<&Remark> = Vec::new();
    for remark in faults
        .iter()
        .chain(pods.iter().flat_map(|pod| &pod.findings))
    {
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
    let room = options.limits.findings.saturating_sub(findings.len());
    for remark in remarks.into_iter().take(room) {
        let is_beside = options.cluster.is_some();
        findings.push(place(input, remark, &changed.slices, is_beside));
    }
    findings
}

/// Keeps the first of the findings with one code at one place: copies of a pod are all alike.
pub fn keep_one_of_copies(findings: &mut Vec<LocatedFinding>) {
    let mut seen = BTreeSet::new();
    findings.retain(|finding| {
        let start = finding.range.as_ref().map(|range| range.start.byte_offset);
        let is_about_pod = finding.origin == Origin::Claimkit && finding.object.is_some();
        !is_about_pod || seen.insert((finding.object, finding.code.name(), start))
    });
}

/// Makes a finding of the allocator with its position in the text. `new`: slices of nodes that do not exist yet. `cluster`: objects
/// outside the text belong to the cluster.
fn place(
    input: &Input<'_>,
    found: &Remark,
    new: &[(String, Option<String>)],
    cluster: bool,
) -> LocatedFinding {
    let subject = found.subject.as_ref();
    let subject = subject.filter(|subject| subject.kind == "ResourceSlice");
    let of_new = subject.and_then(|subject| new.iter().find(|(name, _)| *name == subject.name));
    if let Some((_, file)) = of_new {
        let finding = found.finding.clone().about(TextField::NewNodes);
        let mut told = located::finding(&input.file.source, finding);
        told.file.clone_from(file);
        return told;
    }
    let objects = input
        .items
        .iter()
        .enumerate()
        .filter_map(|(index, item)| Some((index, item, input.tree(item)?)));
    let mut finding = located::finding(&input.file.source, slices::placed(objects, found));
    if cluster && finding.object.is_none() {
        finding.within = TextField::Cluster;
    }
    finding
}
