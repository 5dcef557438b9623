//! kube-apiserver's processing of a create, update or status update, and its `Status` answer.
//!
//! | stage | where | what it does |
//! |---|---|---|
//! | send | `client` | refuses what kubectl would not send, and bodies that are too large |
//! | decode | [`Body::read`] | reads the tree by the tables of the version that was written |
//! | default | [`defaults`] | sets the defaults that the server sets on decoding |
//! | convert | [`hub`] | gives the object the shape that the rules of its family judge, with a map back to what was written |
//! | prepare | [`prepare`] | fills the namespace, wipes what only the server writes, resets what this request may not change |
//! | judge | [`crate::validation`] | the validation functions |
//! | answer | [`request`], [`status`] | the findings and the `Status` |
//!
//! [`create`], [`update`] and [`update_status`] take a [`Body`] through these stages. `validate`, the admission policy and
//! patches all call them; the request's [`Reach`] says which stages apply.
//!
//! [`text::validate`] judges all objects of a text and explains the findings. [`patch::patch`] applies a patch to a stored object
//! and judges the result as an update.
//!
//! # Adding a family of versions
//!
//! A new family adds its defaults to [`defaults::apply`], its hub conversion and [`hub::PathMap`] to [`hub::Hub::of`], and its
//! rules to [`crate::validation::run`]. The rules name paths of the hub. [`RequestOutcome::findings`] has the paths that the user wrote:
//! `Finding::steps` and `Finding::path` go through the map, the message keeps the server's path.

pub mod body;
pub mod changes;
mod client;
pub mod defaults;
pub mod device;
mod elsewhere;
pub mod endpoint;
pub mod facts;
mod handler;
pub mod hub;
mod identify;
pub mod namespaces;
pub mod object;
pub mod options;
pub mod parse;
pub mod patch;
mod patch_owners;
mod patch_refusal;
mod pod_sets;
pub mod prepare;
pub mod request;
pub mod slices;
pub mod status;
pub mod stored;
pub mod text;
mod varies;

pub use body::{Body, FieldValidation};
pub use changes::Changes;
pub use request::{Reach, RequestOutcome, ServerRequest, create, update, update_status};
pub use status::Status;
