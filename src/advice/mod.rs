//! Help and fixes derived from the text and the tables: the location of a path, the probable intention, the replacement.
//!
//! Help that follows from the code of a finding alone is in [`claimkit_model::finding`].

mod bare_expression;
pub mod budget;
mod by_cause;
pub mod cause;
mod cel_operators;
mod cel_optional;
pub mod cel_syntax;
mod cel_text;
mod cel_values;
pub mod correct;
pub mod fits;
pub mod hints;
pub mod in_yaml;
pub mod locate;
mod meant;
mod nodes;
mod other_versions;
mod place;
pub mod rewrite;
pub mod shape;
pub mod suggest;
