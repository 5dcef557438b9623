//! The refusals of a patch, and the findings about them.

use crate::finding::{Code, Finding, Origin, TextField};
use crate::go::GoUnicode;
use crate::message::message;
use crate::patch::{self, Refused};
use crate::server::status::Status;

/// The reason why there is no patched object.
pub enum Stop {
    /// The patch itself is refused.
    Patch(Refused),
    /// The server answers with this status.
    Status(Box<Status>),
    /// claimkit cannot go on.
    Finding(Box<Finding>),
}

impl Stop {
    /// Returns claimkit's own refusal.
    pub fn finding(code: Code, message: impl Into<String>) -> Self {
        Stop::Finding(Box::new(Finding::error(code, Origin::Claimkit, message)))
    }
}

impl From<Refused> for Stop {
    fn from(refused: Refused) -> Self {
        Stop::Patch(refused)
    }
}

/// Returns the findings about a patch that cannot be applied.
pub fn refusal(stop: &Stop, unicode: GoUnicode) -> Vec<Finding> {
    let finding = match stop {
        Stop::Finding(finding) => (**finding).clone(),
        Stop::Status(status) => Finding::new(Code::PatchRefused, Origin::ApiServer, status.message.clone()),
        Stop::Patch(Refused::Ours(message)) => Finding::new(Code::PatchRefused, Origin::Claimkit, message.clone()),
        Stop::Patch(Refused::Conflicts(conflicts)) => {
            let finding = |conflict: &patch::Conflict| {
                let message = format!("conflict with {}: {}", conflict.manager, conflict.path);
                let mut finding = Finding::new(Code::ApplyConflict, Origin::ApiServer, message)
                    .with_help(message!(
                        "server.apply-conflict",
                        "set `force` to take the field over, or leave it out of what is applied"
                    ))
                    .with_command_help(message!(
                        "server.apply-conflict-command-help",
                        "give `--force-conflicts` to take the field over, or leave it out of what is applied"
                    ));
                finding.path = Some(conflict.path.trim_start_matches('.').to_owned());
                of_patch(finding)
            };
            return conflicts.iter().map(finding).collect();
        }
        Stop::Patch(refused) => {
            let message = Status::patch(refused, unicode).map_or_else(String::new, |status| status.message);
            let finding = Finding::new(Code::PatchRefused, Origin::ApiServer, message);
            match refused {
                Refused::Rejected(reason) => finding.with_help(reason.clone()),
                _ => finding,
            }
        }
    };
    vec![of_patch(finding)]
}

/// Returns a finding about the patch, unless it names another text.
pub fn of_patch(finding: Finding) -> Finding {
    let finding = Finding { object: Some(0), fixes: Vec::new(), ..finding };
    if finding.within == TextField::Text { finding.about(TextField::Patch) } else { finding }
}
