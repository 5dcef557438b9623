//! The types of two releases of Kubernetes; the tests fill them.

pub use k8s_1_26::api::resource::v1alpha1;
pub use k8s_1_30::api::resource::v1alpha2;
