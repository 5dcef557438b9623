//! What a text may cost. Exceeding a limit is a finding with the observed and the allowed value, never a crash.

/// Upper bounds for one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one text.
    pub bytes: usize,
    /// Nesting of lists and maps; go-yaml and Go's JSON decoder stop at 10 000.
    pub depth: usize,
    /// Nodes of one text.
    pub nodes: usize,
    /// Findings of one answer; what is beyond is counted in one more finding.
    pub findings: usize,
    /// Bytes of a text with Nodes: kubectl prints some ten thousand bytes for each.
    pub node_set_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 64 << 20, depth: 10_000, nodes: 8_000_000, findings: 10_000, node_set_bytes: 1 << 30 }
    }
}
