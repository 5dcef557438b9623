//! The tree as instructions.
//!
//! Source: Go's `regexp/syntax` (`simplify.go`, `compile.go`): which repetitions become which instructions decides which match
//! comes first.

use super::class::CharacterClass;
use super::syntax::{Look, PatternTree, PieceKind};

/// One instruction, with the place of the next.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    Match,
    Character(u32, usize),
    Class(usize, usize),
    Look(Look, usize),
    /// Both ways, the first one preferred.
    Split(usize, usize),
}

/// Instructions, and where they begin.
#[derive(Clone, Debug)]
pub(super) struct RegexProgram {
    pub(super) instructions: Vec<Instruction>,
    pub(super) classes: Vec<CharacterClass>,
    pub(super) start: usize,
}

impl RegexProgram {
    pub(super) fn new(tree: &PatternTree) -> Self {
        let mut compiler = Compiler {
            tree,
            instructions: vec![Instruction::Match],
        };
        let start = compiler.piece(tree.root, 0);
        Self {
            instructions: compiler.instructions,
            classes: tree.classes.clone(),
            start,
        }
    }
}

struct Compiler<'t> {
    tree: &'t PatternTree,
    instructions: Vec<Instruction>,
}

impl Compiler<'_> {
    fn add(&mut self, instruction: Instruction) -> usize {
        self.instructions.push(instruction);
        self.instructions.len().saturating_sub(1)
    }

    fn split(&mut self, inner: usize, next: usize, greedy: bool) -> usize {
        self.add(if greedy {
            Instruction::Split(inner, next)
        } else {
            Instruction::Split(next, inner)
        })
    }

    /// Compiles a piece that goes on at `next`, and says where it begins. It calls itself as deep as the tree is, which the reader
    /// has limited.
    fn piece(&mut self, place: usize, next: usize) -> usize {
        let tree = self.tree;
        let Some(piece) = tree.pieces.get(place) else {
            return next;
        };
        match &piece.kind {
            PieceKind::Empty => next,
            PieceKind::Character(c) => self.add(Instruction::Character(*c, next)),
            PieceKind::Class(class) => self.add(Instruction::Class(*class, next)),
            PieceKind::Look(look) => self.add(Instruction::Look(*look, next)),
            PieceKind::Sequence(parts) => parts
                .iter()
                .rev()
                .fold(next, |next, part| self.piece(*part, next)),
            PieceKind::Alternatives(parts) => {
                let mut from_last = parts.iter().rev();
                let last = from_last
                    .next()
                    .map_or(next, |part| self.piece(*part, next));
                from_last.fold(last, |last, part| {
                    let start = self.piece(*part, next);
                    self.add(Instruction::Split(start, last))
                })
            }
            PieceKind::Repeat {
                piece,
                min,
                max,
                greedy,
            } => self.repeat(*piece, *min, *max, *greedy, next),
        }
    }

    fn repeat(
        &mut self,
        piece: usize,
        min: u32,
        max: Option<u32>,
        greedy: bool,
        next: usize,
    ) -> usize {
        let Some(max) = max else {
            let start = match min {
                0 => return self.star(piece, greedy, next),
                _ => self.plus(piece, greedy, next),
            };
            return (1..min).fold(start, |next, _| self.piece(piece, next));
        };
        // x{2,5} is xx(x(x(x)?)?)?, and each `?` leaves for the end.
        let optional = max.saturating_sub(min);
        let start = (0..optional).fold(next, |inner, _| {
            let start = self.piece(piece, inner);
            self.split(start, next, greedy)
        });
        (0..min).fold(start, |next, _| self.piece(piece, next))
    }

    fn plus(&mut self, piece: usize, greedy: bool, next: usize) -> usize {
        let again = self.split(next, next, greedy);
        let start = self.piece(piece, again);
        if let Some(instruction) = self.instructions.get_mut(again) {
            *instruction = if greedy {
                Instruction::Split(start, next)
            } else {
                Instruction::Split(next, start)
            };
        }
        start
    }

    /// Compiles x*, which is (x+)?. Go does without the second instruction where x is never empty; the matches are the same.
    fn star(&mut self, piece: usize, greedy: bool, next: usize) -> usize {
        let start = self.plus(piece, greedy, next);
        self.split(start, next, greedy)
    }
}
