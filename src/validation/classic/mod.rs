//! The rules of v1alpha1 and v1alpha2 (Kubernetes 1.26 to 1.30): one file per kind.

pub mod claim;
pub mod class;
pub mod parameters;
pub mod remarks;
pub mod scheduler;
pub mod scheduling;
pub mod slice;
pub mod structured;
pub mod template;
