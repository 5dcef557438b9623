//! What kube-apiserver's REST layer does with an object: defaults, preparation, the rules, and the `Status` it answers.

pub mod defaults;
pub mod pipeline;
pub mod status;
