//! The values of Go and of Kubernetes' libraries, as they are read and printed: the crate [`claimkit_values`].

pub use claimkit_values::*;
