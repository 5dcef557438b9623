//! Admission: an AdmissionRequest and the settings of a policy in, a verdict out.
//!
//! | part | takes | gives |
//! |---|---|---|
//! | [`keys`], [`check`], [`settings`] | settings | [`Settings`], or everything that is wrong with them |
//! | [`request`] | an AdmissionRequest | what is judged, or why it cannot be |
//! | [`restrictions`], [`nodes`], [`pods`] | an object | what the settings do not accept |
//! | [`judge`](mod@judge) | both | [`Verdict`]: the API server's rules and the policy's |
//! | [`response`] | a verdict | the answer in Kubewarden's, OPA's and Gatekeeper's shape |
//!
//! An update is held to what it changes: what the stored object already does wrong is a warning.

pub mod check;
pub mod judge;
pub mod keys;
pub mod nodes;
pub mod pattern;
pub mod pods;
pub mod request;
pub mod response;
pub mod restrictions;
pub mod schema;
pub mod settings;

pub use judge::{Mutation, Verdict, judge};
pub use settings::Settings;
