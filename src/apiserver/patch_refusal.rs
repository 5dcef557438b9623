//! The refusals of a patch, and the findings about them.

use crate::apiserver::status::Status;
use crate::patch::{self, PatchRefusal};
use claimkit_model::finding::{Code, Finding, Origin, TextField};
use claimkit_model::message::{Message, message};
use claimkit_model::schema::Api;
use claimkit_values::GoUnicode;

/// The reason why there is no patched object.
pub enum PatchStop {
    /// The patch itself is refused.
    Patch(PatchRefusal),
    /// The server answers with this status.
    Status(Box<Status>),
    /// claimkit cannot go on.
    Finding(Box<Finding>),
}

impl PatchStop {
    /// Returns claimkit's own refusal.
    pub fn finding(code: Code, message: Message) -> Self {
        PatchStop::Finding(Box::new(Finding::error(code, message)))
    }
}

impl From<PatchRefusal> for PatchStop {
    fn from(refused: PatchRefusal) -> Self {
        PatchStop::Patch(refused)
    }
}

/// Returns the findings about a patch that cannot be applied.
pub fn refusal(stop: &PatchStop, api: Api, unicode: GoUnicode) -> Vec<Finding> {
    let finding = match stop {
        PatchStop::Finding(finding) => (**finding).clone(),
        PatchStop::Status(status) => Finding::upstream(
            Code::PatchRefused,
            Origin::ApiServer,
            status.message.clone(),
        ),
        PatchStop::Patch(PatchRefusal::Ours(message)) => {
            Finding::new(Code::PatchRefused, message.clone())
        }
        PatchStop::Patch(PatchRefusal::Conflicts(conflicts)) => {
            return conflicts
                .iter()
                .map(|conflict| conflict_finding(conflict, api))
                .collect();
        }
        PatchStop::Patch(refused) => {
            let message =
                Status::patch(refused, unicode).map_or_else(String::new, |status| status.message);
            let finding = Finding::upstream(Code::PatchRefused, Origin::ApiServer, message);
            match refused {
                PatchRefusal::Rejected(reason) => finding.with_help(reason.clone()),
                _ => finding,
            }
        }
    };
    vec![of_patch(finding)]
}

/// Returns the finding about a field that another manager owns.
fn conflict_finding(conflict: &patch::FieldConflict, api: Api) -> Finding {
    let message = format!("conflict with {}: {}", conflict.manager, conflict.path);
    let mut finding = Finding::upstream(Code::ApplyConflict, Origin::ApiServer, message)
        .with_help(message!(
            "server.apply-conflict",
            "set `force` to take the field over, or leave it out of what is applied"
        ))
        .with_command_help(message!(
            "server.apply-conflict-command-help",
            "give `--force-conflicts` to take the field over, or leave it out of what is applied"
        ));
    if is_of_fixed_spec(&conflict.path, api) {
        let help = message!(
            "server.apply-fixed-spec",
            "the spec of a {kind} cannot be changed, whoever applies it: leave the field out or apply its stored value; for another spec, delete the object and create it again",
            kind = api.kind.kind
        );
        finding = Finding {
            command_help: None,
            ..finding
        }
        .with_help(help);
    }
    finding.path = Some(conflict.path.trim_start_matches('.').to_owned());
    of_patch(finding)
}

/// Returns true for a field of a spec that the server never lets change.
fn is_of_fixed_spec(path: &str, api: Api) -> bool {
    let is_fixed = matches!(
        api.kind.kind,
        "ResourceClaim" | "ResourceClaimTemplate" | "ResourcePoolStatusRequest"
    );
    is_fixed && (path == ".spec" || path.starts_with(".spec."))
}

/// Returns a finding about the patch, unless it names another text.
pub fn of_patch(finding: Finding) -> Finding {
    let finding = Finding {
        object: Some(0),
        fixes: Vec::new(),
        ..finding
    };
    if finding.within == TextField::Text {
        finding.about(TextField::Patch)
    } else {
        finding
    }
}
