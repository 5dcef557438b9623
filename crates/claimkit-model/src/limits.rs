//! What a text may cost. Exceeding a limit is a finding with the observed and the allowed value, never a crash.

use serde::{Deserialize, Deserializer};

/// Upper bounds for one request.
///
/// ```
/// let limits = claimkit::Limits::default().bytes(1 << 20).depth(100).nodes(100_000).findings(50).node_set_bytes(1 << 24);
/// assert_eq!(limits.depth, 100);
/// let options = claimkit::ValidateOptions::default().limits(limits);
/// assert!(claimkit::validate(&" ".repeat(2 << 20), &options).findings[0].message.contains("the limit is 1048576"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(
    rename_all = "camelCase",
    default,
    deny_unknown_fields,
    expecting = "an object of limits"
)]
pub struct Limits {
    /// Bytes of one text.
    #[serde(deserialize_with = "bound")]
    pub bytes: usize,
    /// Nesting of lists and maps; go-yaml and Go's JSON decoder stop at 10 000.
    #[serde(deserialize_with = "bound")]
    pub depth: usize,
    /// Nodes of one text.
    #[serde(deserialize_with = "bound")]
    pub nodes: usize,
    /// Findings of one answer; one further finding gives the number of the omitted ones.
    #[serde(deserialize_with = "bound")]
    pub findings: usize,
    /// Bytes of a text with Nodes: kubectl prints some ten thousand bytes for each.
    #[serde(deserialize_with = "bound")]
    pub node_set_bytes: usize,
}

impl Limits {
    /// Sets the maximum number of bytes of one text.
    pub const fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets how deep lists and maps may be nested.
    pub const fn depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }

    /// Sets the maximum number of nodes of one text.
    pub const fn nodes(mut self, nodes: usize) -> Self {
        self.nodes = nodes;
        self
    }

    /// Sets the maximum number of findings of one answer.
    pub const fn findings(mut self, findings: usize) -> Self {
        self.findings = findings;
        self
    }

    /// Sets the maximum number of bytes of a text with Nodes.
    pub const fn node_set_bytes(mut self, bytes: usize) -> Self {
        self.node_set_bytes = bytes;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            bytes: 64 << 20,
            depth: 10_000,
            nodes: 8_000_000,
            findings: 10_000,
            node_set_bytes: 1 << 30,
        }
    }
}

/// Reads a whole number. Values above `usize::MAX` saturate, so that a request is valid in a 32-bit module too.
pub fn bound<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    struct Bound;
    impl serde::de::Visitor<'_> for Bound {
        type Value = usize;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a whole number that is not negative")
        }

        fn visit_u64<E>(self, number: u64) -> Result<usize, E> {
            Ok(usize::try_from(number).unwrap_or(usize::MAX))
        }

        fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<usize, E> {
            match u64::try_from(number) {
                Ok(number) => self.visit_u64(number),
                Err(_) => Err(E::invalid_value(
                    serde::de::Unexpected::Signed(number),
                    &self,
                )),
            }
        }
    }
    deserializer.deserialize_u64(Bound)
}
