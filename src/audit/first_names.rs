//! Names in sentences.

use claimkit_model::message::message;

/// Maximum number of objects that a message names.
const NAMED: usize = 5;

/// Lists the first of some names: `team/a, team/b and 3 more`.
pub fn first_names(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let names = names.join(", ");
    if more > 0 {
        message!(
            "audit.names-and-more",
            "{names} and {more} more",
            names,
            more
        )
        .into()
    } else {
        names
    }
}
