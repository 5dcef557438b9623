//! Findings about the text of the stored objects.

use crate::finding::{Code, Finding, Origin, TextField};

/// Reports that the stored object cannot be read because its text has this finding.
pub fn unreadable(finding: &Finding) -> Finding {
    let message = format!("the stored object cannot be read: {}", finding.message);
    let about = Finding::new(Code::StoredObject, Origin::Claimkit, message)
        .with_help("give the object as the server stores it in `old`")
        .with_command_help("give the object as the server stores it")
        .about(TextField::Old);
    Finding { span: finding.span, ..about }
}
