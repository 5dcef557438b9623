//! Admission: an AdmissionRequest and the settings of a policy in, a verdict out.
//!
//! | part | takes | gives |
//! |---|---|---|
//! | [`keys`], [`check`], [`read`], [`settings`] | settings | [`Settings`], or everything that is wrong with them |
//! | [`request`] | an AdmissionRequest | what is judged, or why it cannot be |
//! | [`load`] | the object of a request | what it would cost to judge |
//! | [`object`] | the object of a request | its record, by the release that knows it |
//! | [`restrictions`], [`classic`], [`devices`], [`limits`], [`sums`], [`parameters`], [`nodes`], [`pods`] | an object | what the settings do not accept |
//! | [`cluster`], [`namespace`], [`lookups`] | names | what the cluster holds of them, where the host can be asked |
//! | [`compare`] | reasons against the new and the stored object | which ones the change brings |
//! | [`mutation`] | an object | its text with the values that the settings set |
//! | [`placeholders`] | the `message` of a setting | what follows a reason |
//! | [`judge`](mod@judge) | both | [`PolicyVerdict`]: the API server's rules and the policy's |
//! | [`vap`] | settings | the same as ValidatingAdmissionPolicies |
//! | [`validating`] | ValidatingAdmissionPolicies, an AdmissionRequest | what an API server answers because of them |
//! | [`response`] | a verdict | the answer in Kubewarden's, OPA's and Gatekeeper's shape |
//!
//! An update is judged by its changes: an existing violation of the stored object is only a warning.

pub mod check;
pub mod classic;
pub mod cluster;
pub mod compare;
pub mod devices;
mod driver_names;
mod idle;
pub mod judge;
pub mod keys;
pub mod limits;
pub mod load;
pub mod lookups;
pub mod mutation;
pub mod namespace;
pub mod nodes;
pub mod object;
pub mod parameters;
mod parts;
pub mod pattern;
pub mod placeholders;
pub mod pods;
pub mod read;
pub mod refusals;
pub mod request;
pub mod response;
pub mod restrictions;
pub mod schema;
pub mod selectors;
pub mod settings;
pub mod sums;
mod unreached;
pub mod validating;
pub mod vap;
mod view;

pub use cluster::ClusterReader;
pub use judge::{Mutation, PolicyHost, PolicyVerdict, ValidatedBy, judge, without_cluster};
pub use request::OperationIs;
pub use settings::Settings;
