//! The answers of other releases, for a request without a release.

use crate::apiserver::object::ObjectRequest;
use crate::apiserver::varies::serving;
use claimkit_model::finding::{Code, Finding, Severity, Step};
use claimkit_model::message::{Message, Words, message};
use claimkit_model::schema::{Api, Release};

/// The answer of a release to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It takes all of it.
    Accepted,
    /// It takes the object and drops fields whose gates are off.
    Dropped,
    /// It refuses the object.
    Refused,
}

impl Standing {
    /// Classifies an answer by its findings.
    pub fn of(refused: bool, findings: &[Finding]) -> Self {
        if refused {
            Standing::Refused
        } else if findings
            .iter()
            .any(|finding| finding.code == Code::FieldDropped)
        {
            Standing::Dropped
        } else {
            Standing::Accepted
        }
    }

    /// Says which releases answer so; `open`: all later ones do.
    fn in_releases(self, first: &str, last: &str, open: bool) -> Message {
        match self {
            Standing::Accepted if open => {
                message!("server.accepted-from", "accepted from {first}", first)
            }
            Standing::Accepted if first == last => message!(
                "server.accepted-in",
                "accepted in {release}",
                release = first
            ),
            Standing::Accepted => message!(
                "server.accepted-in-several",
                "accepted in {first} to {last}",
                first,
                last
            ),
            Standing::Dropped if open => {
                message!(
                    "server.dropped-from",
                    "accepted without some fields from {first}",
                    first
                )
            }
            Standing::Dropped if first == last => {
                message!(
                    "server.dropped-in",
                    "accepted without some fields in {release}",
                    release = first
                )
            }
            Standing::Dropped => {
                message!(
                    "server.dropped-in-several",
                    "accepted without some fields in {first} to {last}",
                    first,
                    last
                )
            }
            Standing::Refused if open => {
                message!("server.refused-from", "refused from {first}", first)
            }
            Standing::Refused if first == last => {
                message!("server.refused-in", "refused in {release}", release = first)
            }
            Standing::Refused => message!(
                "server.refused-in-several",
                "refused in {first} to {last}",
                first,
                last
            ),
        }
    }
}

/// Makes the remark if releases answer differently to an object. `standing`: the answer of the assumed release.
pub fn remark(object: &ObjectRequest<'_, '_>, standing: Standing) -> Option<Finding> {
    let mut standings: Vec<(Release, Standing)> = Vec::new();
    let mut reason = None;
    for (release, kind) in serving(object.api.version, object.api.kind.kind) {
        if release.minor == object.release.minor {
            standings.push((release, standing));
            continue;
        }
        // The release does not know a requested gate, so it has no answer.
        let Ok(gates) = object.options.gates_in(release) else {
            continue;
        };
        let Some((there, why)) = (ObjectRequest {
            api: Api { kind, ..object.api },
            release,
            gates,
            ..*object
        })
        .standing() else {
            continue;
        };
        if there != standing {
            reason = why.map(|why| (release, why)).or(reason);
        }
        standings.push((release, there));
    }
    if standings.iter().all(|(_, there)| *there == standing) {
        return None;
    }
    let mut finding = Finding::new(
        Code::ReleaseDecides,
        message!(
            "server.releases-differ",
            "Kubernetes {release} is assumed here, and releases differ: {history}",
            release = object.release,
            history = history(&standings),
        ),
    );
    finding.steps = vec![Step::Key("apiVersion".to_owned())];
    finding.path = Some("apiVersion".to_owned());
    let advice = Code::ReleaseDecides.spoken_help().unwrap_or_default();
    Some(match reason {
        Some((release, why)) => {
            let answer = why.lines().next().unwrap_or_default();
            finding.with_help(message!(
                "server.release-says",
                "{advice}; {release} says: {answer}",
                advice,
                release,
                answer
            ))
        }
        None => finding.with_help(advice),
    })
}

/// Makes the remark if the next release no longer serves the object's version, by the lifecycle data of its types.
pub fn ending(api: Api, release: Release) -> Option<Finding> {
    let next = release.minor.saturating_add(1);
    api.kind
        .lifecycle_in(release)
        .filter(|lifecycle| lifecycle.removed == Some(next))?;
    let (kind, version) = (api.kind.kind, api.version.api_version);
    let release = format!("1.{next}");
    let mut finding = Finding::new(
        Code::VersionEnds,
        message!(
            "server.version-ends",
            "Kubernetes {release} does not serve {kind} of {version}",
            release,
            kind,
            version
        ),
    );
    finding.steps = vec![Step::Key("apiVersion".to_owned())];
    finding.path = Some("apiVersion".to_owned());
    Some(finding.with_help(Code::VersionEnds.spoken_help().unwrap_or_default()))
}

/// Writes `refused in 1.32 and 1.33, accepted from 1.34`.
fn history(standings: &[(Release, Standing)]) -> Message {
    let mut text = Message::default();
    let runs: Vec<&[(Release, Standing)]> = standings
        .chunk_by(|before, after| before.1 == after.1)
        .collect();
    for (at, run) in runs.iter().enumerate() {
        let [(first, standing), ..] = run else {
            continue;
        };
        let until = run.last().map_or(first.minor, |(last, _)| last.minor);
        let is_last = at > 0 && at.saturating_add(1) == runs.len();
        let answer = standing.in_releases(
            &format!("1.{}", first.minor),
            &format!("1.{until}"),
            is_last,
        );
        text = match at {
            0 => answer,
            _ => message!(
                "server.release-answers",
                "{earlier}, {answer}",
                earlier = text,
                answer
            ),
        };
    }
    text
}

impl ObjectRequest<'_, '_> {
    /// Returns the answer of the release, and the first reason if it does not accept the whole object. `None` if there is no
    /// answer.
    fn standing(&self) -> Option<(Standing, Option<Words>)> {
        let (tree, body) = self.body()?;
        let undecodable = self.decoding_error(&body).map(Words::upstream);
        // An undecodable create is rejected in any case.
        if undecodable.is_some() && self.old.is_none() {
            return Some((Standing::Refused, undecodable));
        }
        let outcome = self.answer_to(tree, body)?;
        let reason = outcome
            .findings
            .iter()
            .find(|finding| finding.severity == Severity::Error)
            .map(|finding| finding.message.clone());
        let refused = outcome.status.is_some() || reason.is_some();
        let standing = Standing::of(refused, &outcome.warnings);
        let why = undecodable.or(reason).or_else(|| {
            let mut warnings = outcome.warnings.iter();
            let dropped = warnings.find(|finding| finding.code == Code::FieldDropped)?;
            Some(dropped.message.clone())
        });
        Some((standing, why))
    }
}
