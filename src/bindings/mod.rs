//! Ways in: each host's calling convention, and nothing else. A feature switches one on.

#[cfg(all(feature = "js", target_arch = "wasm32", target_os = "unknown"))]
mod call;
#[cfg(all(feature = "js", target_arch = "wasm32", target_os = "unknown"))]
pub mod js;
#[cfg(all(feature = "js", target_arch = "wasm32", target_os = "unknown"))]
mod utf8;

#[cfg(all(feature = "kubewarden", target_arch = "wasm32", target_os = "unknown"))]
mod kubewarden;

#[cfg(all(feature = "opa", target_arch = "wasm32", target_os = "unknown"))]
mod opa;

#[cfg(all(feature = "embed", target_arch = "wasm32", target_os = "unknown"))]
mod embed;

#[cfg(all(
    target_arch = "wasm32",
    any(
        all(feature = "kubewarden", feature = "opa"),
        all(feature = "js", any(feature = "kubewarden", feature = "opa")),
        all(
            feature = "embed",
            any(feature = "js", feature = "kubewarden", feature = "opa")
        )
    )
))]
compile_error!(
    "one Wasm module serves one host: take one of the features `js`, `kubewarden`, `opa`, `embed`"
);
