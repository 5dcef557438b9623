//! Where claims are placed: which devices a claim gets on which node.
//!
//! | part | of |
//! |---|---|
//! | [`device`] | v1alpha3, v1beta1, v1beta2, v1 (Kubernetes 1.31 to 1.36): structured allocation of devices |

pub mod device;
