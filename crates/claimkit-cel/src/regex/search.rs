//! Running a program: all ways at once, in the order in which they are preferred (a Pike machine).

use super::program::{Instruction, RegexProgram};
use super::syntax::Look;

/// A way that is being followed: an instruction, and where the match began.
type Way = (usize, usize);

/// Ways in the order of preference, each instruction once.
struct Ways {
    list: Vec<Way>,
    /// For each instruction the last step in which it was added.
    added: Vec<usize>,
    step: usize,
}

impl Ways {
    fn new(size: usize) -> Self {
        Self {
            list: Vec::new(),
            added: vec![0; size],
            step: 0,
        }
    }

    fn clear(&mut self) {
        self.list.clear();
        self.step = self.step.saturating_add(1);
    }

    /// Marks an instruction as reached in this step; returns false if it was marked already.
    fn mark(&mut self, instruction: usize) -> bool {
        match self.added.get_mut(instruction) {
            Some(step) if *step != self.step => {
                *step = self.step;
                true
            }
            _ => false,
        }
    }
}

/// The characters on both sides of a place.
struct Neighbors {
    before: Option<char>,
    behind: Option<char>,
}

impl Neighbors {
    fn allows(&self, look: Look) -> bool {
        let boundary = is_word(self.before) != is_word(self.behind);
        match look {
            Look::TextStart => self.before.is_none(),
            Look::TextEnd => self.behind.is_none(),
            Look::LineStart => self.before.is_none_or(|c| c == '\n'),
            Look::LineEnd => self.behind.is_none_or(|c| c == '\n'),
            Look::WordBoundary => boundary,
            Look::NoWordBoundary => !boundary,
        }
    }
}

fn is_word(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The reusable buffers of a search. Successive searches share them.
pub(super) struct SearchBuffers<'p> {
    program: &'p RegexProgram,
    now: Ways,
    then: Ways,
    stack: Vec<usize>,
}

impl<'p> SearchBuffers<'p> {
    pub(super) fn new(program: &'p RegexProgram) -> Self {
        let size = program.instructions.len();
        Self {
            program,
            now: Ways::new(size),
            then: Ways::new(size),
            stack: Vec::new(),
        }
    }
}

/// The match that a search is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// The leftmost match, as Go finds it.
    First,
    /// The first that is found, whose end may be another.
    Any,
}

/// Returns a match that begins at `from` or later, as bytes.
pub(super) fn search(
    machine: &mut SearchBuffers<'_>,
    text: &str,
    from: usize,
    which: Which,
) -> Option<(usize, usize)> {
    let SearchBuffers {
        program,
        now,
        then,
        stack,
    } = machine;
    let mut found: Option<(usize, usize)> = None;
    let mut at = from;
    let (head, mut rest) = text.split_at_checked(from)?;
    let mut before = head.chars().next_back();
    now.clear();
    loop {
        let behind = rest.chars().next();
        let place = Neighbors { before, behind };
        if found.is_none() {
            follow(program, &place, now, stack, (program.start, at));
        }
        then.clear();
        let mut chars = rest.chars();
        let behind_place = chars.next().map(|c| (c, chars.as_str()));
        let next_place = Neighbors {
            before: behind,
            behind: chars.next(),
        };
        for &(instruction, start) in &now.list {
            let next = match program.instructions.get(instruction) {
                Some(Instruction::Match) => {
                    found = Some((start, at));
                    // Less preferred threads no longer matter.
                    break;
                }
                Some(Instruction::Character(c, next)) => {
                    behind.is_some_and(|b| u32::from(b) == *c).then_some(*next)
                }
                Some(Instruction::Class(class, next)) => {
                    let class = program.classes.get(*class);
                    behind
                        .is_some_and(|b| class.is_some_and(|class| class.contains(u32::from(b))))
                        .then_some(*next)
                }
                _ => None,
            };
            if let Some(next) = next {
                follow(program, &next_place, then, stack, (next, start));
            }
        }
        let Some((c, behind)) = behind_place else {
            return found;
        };
        if found.is_some() && (which == Which::Any || then.list.is_empty()) {
            return found;
        }
        core::mem::swap(now, then);
        before = Some(c);
        rest = behind;
        at = at.saturating_add(c.len_utf8());
    }
}

/// Adds a way, and all that it leads to without a character.
fn follow(
    program: &RegexProgram,
    place: &Neighbors,
    ways: &mut Ways,
    stack: &mut Vec<usize>,
    (instruction, start): Way,
) {
    stack.push(instruction);
    while let Some(instruction) = stack.pop() {
        if !ways.mark(instruction) {
            continue;
        }
        match program.instructions.get(instruction) {
            Some(Instruction::Split(first, second)) => stack.extend([*second, *first]),
            Some(Instruction::Look(look, next)) if place.allows(*look) => stack.push(*next),
            Some(Instruction::Look(..)) | None => {}
            Some(_) => ways.list.push((instruction, start)),
        }
    }
}
