//! Ways in: each host's calling convention, and nothing else. A feature switches one on.

#[cfg(all(feature = "js", target_arch = "wasm32", target_os = "unknown"))]
pub mod js;

#[cfg(all(feature = "npx", target_arch = "wasm32", target_os = "unknown"))]
pub mod command;
