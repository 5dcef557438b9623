//! Findings about the text of the stored objects.

use claimkit_model::finding::{Code, Finding, TextField};
use claimkit_model::message::{Message, message};

/// Reports that the stored object cannot be read because its text has this finding.
pub fn unreadable(finding: &Finding) -> Finding {
    let about = Finding::new(
        Code::StoredObject,
        message!(
            "server.stored-unreadable",
            "the stored object cannot be read: {problem}",
            problem = finding.message
        ),
    )
    .with_help(message!(
        "server.stored-unreadable-help",
        "give the object as the server stores it in `old`"
    ))
    .with_command_help(message!(
        "server.stored-unreadable-command-help",
        "give the object as the server stores it"
    ))
    .about(TextField::Old);
    Finding {
        span: finding.span,
        ..about
    }
}

/// Says that the text of the stored object has none.
pub fn no_object() -> Message {
    message!("server.no-stored-object", "`old` holds no object")
}

/// Says that a kind has no status to write.
pub fn no_status(kind: &str, operation: &str) -> Message {
    message!(
        "server.no-status",
        "a `{kind}` has no status: use the operation `{operation}`",
        kind,
        operation
    )
}
