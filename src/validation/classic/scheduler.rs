//! Node selectors that the API accepts but the scheduler cannot use: findings about a selector alone, except those that the API
//! reports itself.

use claimkit_model::finding::{Code, Finding, Path, Severity};
use claimkit_model::message::Words;
use claimkit_model::object::view::NodeSelector;
use claimkit_model::schema::Release;
use claimkit_scheduler::classic::lint::{self, SelectorSite};
use claimkit_scheduler::rules::SchedulerRules;
use claimkit_scheduler::selector::ParsedSelector;

/// Returns findings about a selector that is set. `path` is the path of the selector.
pub fn review(
    selector: NodeSelector<'_>,
    path: &Path<'_>,
    release: Release,
    findings: &mut Vec<Finding>,
) {
    if selector.node_selector_terms().is_empty() {
        return;
    }
    let parsed = ParsedSelector::parse(selector, &SchedulerRules::of(release));
    let (rendered, steps) = (path.render(), path.steps());
    let place = SelectorSite {
        path: &rendered,
        steps: &steps,
        parse_errors: Severity::Warning,
    };
    for mut finding in lint::findings(&parsed, &place, None) {
        if told_by_the_api(&finding) {
            continue;
        }
        if finding.code == Code::NodeSelectorUnparsable && finding.help.is_none() {
            finding.help = finding.code.spoken_help().map(Words::from);
        }
        findings.push(finding);
    }
}

/// Returns true if the API itself reports a finding: it checks keys, operators and the number of values, but not single values.
fn told_by_the_api(finding: &Finding) -> bool {
    finding.code == Code::NodeSelectorUnparsable
        && finding
            .path
            .as_ref()
            .is_none_or(|path| !path.contains(".values["))
}
