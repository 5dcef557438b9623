//! The fixtures as a library, so that parts only other hosts use are no dead code here.

#[path = "../../../../policy/fixtures.rs"]
pub mod fixtures;
