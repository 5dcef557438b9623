//! claimkit reads Kubernetes Dynamic Resource Allocation manifests (`resource.k8s.io`).

pub mod goformat;
pub mod names;
pub mod quantity;
pub mod time;
