//! Findings about the text of the stored object. They have no place in the text that is judged.

use crate::finding::{Code, Finding, Origin};
use crate::text::bytes::HELP;

/// The text has this finding, so that the stored object cannot be read.
pub fn unreadable(finding: &Finding) -> Finding {
    cannot_be_read(&finding.message).with_help("give the object as the server stores it in `old`")
}

/// The text's bytes are not a text.
pub fn damaged(why: &str) -> Finding {
    cannot_be_read(why).with_help(HELP)
}

fn cannot_be_read(why: &str) -> Finding {
    Finding::error(Code::StoredObject, Origin::Claimkit, format!("the stored object cannot be read: {why}"))
}
