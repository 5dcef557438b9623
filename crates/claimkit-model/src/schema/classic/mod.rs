//! The tables of v1alpha1 and v1alpha2 (Kubernetes 1.26 to 1.30).

pub mod v1alpha1;
pub mod v1alpha2;
