//! A selector judged on all nodes: a bit per requirement and node.

use crate::classic::bits::Bits;
use crate::classic::nodes::PreparedNodes;
use crate::selector::{ParsedSelector, Requirement, Term, TermList, Test};
use claimkit_model::finding::named;

/// The only field of a node that can be selected by.
const NAME_FIELD: &str = "metadata.name";

named! {
    /// The result of one way of matching on a node.
    MatchOutcome {
        Match = "Match",
        NoMatch = "NoMatch",
        /// The selector cannot be parsed.
        Error = "Error",
    }
}

/// The state of a term, independent of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermState {
    /// It has no requirements and selects nothing.
    Empty,
    /// It cannot be parsed.
    Error,
    /// It is judged on every node.
    Judged,
}

/// A term on all nodes.
#[derive(Clone, Debug)]
pub struct TermMatch {
    pub state: TermState,
    /// Per requirement, the nodes on which it holds; none where it cannot be parsed. On nodes without a name, field requirements
    /// are skipped and count as fulfilled.
    pub holds: Vec<Bits>,
    /// The nodes that the term selects.
    pub all: Bits,
}

impl TermMatch {
    /// Returns the requirements that do not hold on a node.
    pub fn failing(&self, node: usize) -> impl Iterator<Item = usize> {
        self.holds
            .iter()
            .enumerate()
            .filter(move |(_, holds)| !holds.has(node))
            .map(|(at, _)| at)
    }
}

/// A selector on all nodes.
#[derive(Clone, Debug)]
pub struct Matches<'s, 'r> {
    pub selector: &'s ParsedSelector<'r>,
    pub terms: Vec<TermMatch>,
    /// The nodes that some term selects.
    pub any: Bits,
    /// The scheduler's text if anything cannot be parsed.
    pub error: Option<String>,
    nil: bool,
}

impl<'s, 'r> Matches<'s, 'r> {
    /// Judges every requirement of every term on every node.
    pub fn of(selector: &'s ParsedSelector<'r>, nodes: &PreparedNodes) -> Self {
        let mut any = Bits::none(nodes.len());
        let nameless = Bits::from_fn(nodes.len(), |node| nodes.name(node).is_empty());
        let terms: Vec<TermMatch> = selector
            .terms
            .iter()
            .map(|term| term_match(term, nodes, &nameless))
            .collect();
        terms.iter().for_each(|term| any.or(&term.all));
        Matches {
            selector,
            terms,
            any,
            error: selector.error(),
            nil: nodes.is_nil(),
        }
    }

    /// Returns the result if the selector is parsed as a whole.
    pub fn eager(&self, node: usize) -> MatchOutcome {
        match (&self.error, self.any.has(node)) {
            (Some(_), _) => MatchOutcome::Error,
            (None, true) => MatchOutcome::Match,
            (None, false) => MatchOutcome::NoMatch,
        }
    }

    /// Returns the result if terms are parsed one by one until one matches.
    pub fn lazy(&self, node: usize) -> MatchOutcome {
        match (&self.error, self.any.has(node)) {
            (_, true) => MatchOutcome::Match,
            (Some(_), false) if !self.nil => MatchOutcome::Error,
            _ => MatchOutcome::NoMatch,
        }
    }

    /// Returns the first term that matches.
    pub fn matched_term(&self, node: usize) -> Option<usize> {
        self.terms.iter().position(|term| term.all.has(node))
    }

    /// Returns, for a node that no term matches, the term with the fewest failing requirements, with these.
    pub fn nearest(&self, node: usize) -> Option<(usize, Vec<usize>)> {
        if self.any.has(node) || self.nil {
            return None;
        }
        let judged = self
            .terms
            .iter()
            .enumerate()
            .filter(|(_, term)| term.state == TermState::Judged);
        let (index, term) = judged.min_by_key(|(_, term)| term.failing(node).count())?;
        Some((index, term.failing(node).collect()))
    }
}

/// Returns the nodes that a selector selects, without details; the cheapest form.
pub fn select(selector: &ParsedSelector<'_>, nodes: &PreparedNodes) -> Bits {
    let mut any = Bits::none(nodes.len());
    let mut nameless = None;
    for term in selector
        .terms
        .iter()
        .filter(|term| !term.is_empty() && term.errors().is_empty() && !nodes.is_nil())
    {
        let mut all = Bits::all(nodes.len());
        for requirement in &term.requirements {
            let nameless = nameless.get_or_insert_with(|| {
                Bits::from_fn(nodes.len(), |node| nodes.name(node).is_empty())
            });
            all.and(&holds(requirement, nodes, nameless));
        }
        any.or(&all);
    }
    any
}

fn term_match(term: &Term<'_>, nodes: &PreparedNodes, nameless: &Bits) -> TermMatch {
    let state = match (term.is_empty(), term.errors().first()) {
        (true, _) => TermState::Empty,
        (false, Some(_)) => TermState::Error,
        (false, None) => TermState::Judged,
    };
    let holds: Vec<Bits> = term
        .requirements
        .iter()
        .map(|requirement| holds(requirement, nodes, nameless))
        .collect();
    let mut all = Bits::new(nodes.len(), state == TermState::Judged && !nodes.is_nil());
    holds.iter().for_each(|holds| all.and(holds));
    TermMatch { state, holds, all }
}

fn holds(requirement: &Requirement<'_>, nodes: &PreparedNodes, nameless: &Bits) -> Bits {
    let Ok(test) = &requirement.test else {
        return Bits::none(nodes.len());
    };
    match requirement.list {
        TermList::Expressions => label(test, requirement.key, nodes),
        TermList::Fields => {
            let mut bits = match requirement.key {
                NAME_FIELD => Bits::from_fn(nodes.len(), |node| test.holds(Some(nodes.name(node)))),
                _ => Bits::new(nodes.len(), test.holds(Some(""))),
            };
            bits.or(nameless);
            bits
        }
    }
}

fn label(test: &Test<'_>, key: &str, nodes: &PreparedNodes) -> Bits {
    let absent = test.holds(None);
    match nodes.label(key) {
        None => Bits::new(nodes.len(), absent),
        Some(label) => {
            let verdicts: Vec<bool> = label
                .values()
                .map(|value| test.holds(Some(value)))
                .collect();
            label.judge(&verdicts, absent)
        }
    }
}
