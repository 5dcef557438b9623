//! A file as kubectl splits it (spec/decoding.md §2): JSON values one after another, or YAML documents between `---` lines.

use super::json;
use super::source::{Source, Span};
use super::tree::{NodeId, Tree};
use crate::limits::Limits;
use crate::report::{Code, Finding, Origin};

/// How kubectl reads the file, decided by its first non-blank byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The file begins with `{`.
    Json,
    /// Anything else.
    Yaml,
}

/// One document of a file.
#[derive(Debug)]
pub struct Document<'s> {
    /// Its tree; spans count from the start of the file.
    pub tree: Tree<'s>,
    /// Its root node; `None` if the document holds nothing.
    pub root: Option<NodeId>,
    /// How it was read.
    pub mode: Mode,
    /// Its text in the file, separators not included.
    pub span: Span,
}

/// A file: its documents in order and what was wrong with its syntax.
#[derive(Debug)]
pub struct File<'s> {
    /// The text.
    pub source: Source<'s>,
    /// Every document that could be read, up to the first that kubectl stops at.
    pub documents: Vec<Document<'s>>,
    /// Syntax findings in the order of the text.
    pub findings: Vec<Finding>,
}

/// Reads a whole file. Never fails: what is wrong is in the findings.
pub fn read<'s>(text: &'s str, limits: &Limits) -> File<'s> {
    let mut file = File { source: Source::new(text), documents: Vec::new(), findings: Vec::new() };
    if text.len() > limits.bytes {
        file.findings.push(
            Finding::error(
                Code::LimitBytes,
                Origin::Claimkit,
                format!("the text has {} bytes, the limit is {}", text.len(), limits.bytes),
            )
            .with_help("split the file, or raise the limit `bytes`"),
        );
        return file;
    }
    let mut at = 0usize;
    loop {
        let rest = text.get(at..).unwrap_or("");
        let blank = rest.len().saturating_sub(rest.trim_start().len());
        at = at.saturating_add(blank);
        if at >= text.len() {
            return file;
        }
        let mut tree = Tree::new(text);
        match json::value(&mut tree, at, limits.depth.min(json::MAX_DEPTH)) {
            Ok((root, end)) => {
                file.documents.push(Document { tree, root: Some(root), mode: Mode::Json, span: Span::new(at, end) });
                at = end;
            }
            Err(error) => {
                file.findings.push(
                    Finding::error(Code::JsonSyntax, Origin::Kubectl, error.message)
                        .with_span(Span::new(error.offset, error.offset.saturating_add(1).min(text.len()))),
                );
                return file;
            }
        }
    }
}
