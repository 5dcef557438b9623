//! What several tests share.

pub mod fixes;
pub mod manifests;
pub mod patches;
pub mod reading;
pub mod styles;
