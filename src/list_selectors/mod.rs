//! List queries: which objects `kubectl get -l` and `--field-selector` would show. Grammar and errors are upstream's.

pub mod fields;
pub mod labels;
