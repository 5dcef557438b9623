//! Running a program: all ways at once, in the order in which they are preferred (a Pike machine).

use super::program::{Instruction, RegexProgram};
use super::syntax::Look;

/// A way that is being followed.
#[derive(Clone, Copy)]
struct Way {
    instruction: usize,
    /// Where the match began, in bytes.
    start: usize,
}

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
    after: Option<char>,
}

impl Neighbors {
    fn allows(&self, look: Look) -> bool {
        let boundary = is_word(self.before) != is_word(self.after);
        match look {
            Look::TextStart => self.before.is_none(),
            Look::TextEnd => self.after.is_none(),
            Look::LineStart => self.before.is_none_or(|c| c == '\n'),
            Look::LineEnd => self.after.is_none_or(|c| c == '\n'),
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
    let (head, rest) = text.split_at_checked(from)?;
    let mut following = rest.chars();
    let mut place = Neighbors {
        before: head.chars().next_back(),
        after: following.next(),
    };
    now.clear();
    loop {
        if found.is_none() {
            let way = Way {
                instruction: program.start,
                start: at,
            };
            follow(program, &place, now, stack, way);
        }
        let next_place = Neighbors {
            before: place.after,
            after: following.next(),
        };
        then.clear();
        for way in &now.list {
            let instruction = program.instructions.get(way.instruction);
            if matches!(instruction, Some(Instruction::Match)) {
                found = Some((way.start, at));
                // Less preferred ways no longer matter.
                break;
            }
            if let Some(next) = instruction_after(program, instruction, place.after) {
                let way = Way {
                    instruction: next,
                    start: way.start,
                };
                follow(program, &next_place, then, stack, way);
            }
        }
        let Some(passed) = place.after else {
            return found;
        };
        if found.is_some() && (which == Which::Any || then.list.is_empty()) {
            return found;
        }
        core::mem::swap(now, then);
        at = at.saturating_add(passed.len_utf8());
        place = next_place;
    }
}

/// Returns where a way goes on after an instruction that accepts `character`; `None` if it accepts another one or none at all.
fn instruction_after(
    program: &RegexProgram,
    instruction: Option<&Instruction>,
    character: Option<char>,
) -> Option<usize> {
    let character = u32::from(character?);
    let (accepts, next) = match instruction? {
        Instruction::Character(expected, next) => (*expected == character, *next),
        Instruction::Class(class, next) => {
            let class = program.classes.get(*class)?;
            (class.contains(character), *next)
        }
        _ => return None,
    };
    accepts.then_some(next)
}

/// Adds a way, and all that it leads to without a character.
fn follow(
    program: &RegexProgram,
    place: &Neighbors,
    ways: &mut Ways,
    stack: &mut Vec<usize>,
    way: Way,
) {
    let start = way.start;
    stack.push(way.instruction);
    while let Some(instruction) = stack.pop() {
        if !ways.mark(instruction) {
            continue;
        }
        match program.instructions.get(instruction) {
            Some(Instruction::Split(first, second)) => stack.extend([*second, *first]),
            Some(Instruction::Look(look, next)) if place.allows(*look) => stack.push(*next),
            Some(Instruction::Look(..)) | None => {}
            Some(_) => ways.list.push(Way { instruction, start }),
        }
    }
}
