//! Texts that an expression matches.

use super::syntax::{PatternTree, PieceKind};

/// A class with more characters than these is shown by one of them.
const SMALL_CLASS: usize = 8;

/// What examples are made of.
pub(super) struct Alphabet<'a> {
    /// The characters of classes, the most wanted first.
    pub(super) characters: &'a str,
    /// The longest text, in bytes.
    pub(super) longest: usize,
    /// How many texts there may be.
    pub(super) most: usize,
}

/// Returns texts that match: of each alternative, with what may be missing and without it, and what repeats as often as it must.
/// `None`: there are too many.
pub(super) fn examples(tree: &PatternTree, alphabet: &Alphabet<'_>) -> Option<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::with_capacity(tree.pieces.len());
    for piece in &tree.pieces {
        let of_piece = |place: &usize| found.get(*place).cloned().unwrap_or_default();
        let texts = match &piece.kind {
            PieceKind::Empty | PieceKind::Look(_) => vec![String::new()],
            PieceKind::Character(code) => char::from_u32(*code)
                .into_iter()
                .map(String::from)
                .collect(),
            PieceKind::Class(place) => {
                let class = tree.classes.get(*place).cloned().unwrap_or_default();
                let class = class.sorted();
                let members = alphabet.characters.chars();
                let mut members: Vec<char> =
                    members.filter(|c| class.contains(u32::from(*c))).collect();
                if members.len() > SMALL_CLASS {
                    members.truncate(1);
                }
                members.into_iter().map(String::from).collect()
            }
            PieceKind::Sequence(places) => {
                let mut texts = vec![String::new()];
                for place in places {
                    texts = joined(&texts, &of_piece(place), alphabet)?;
                }
                texts
            }
            PieceKind::Alternatives(places) => places.iter().flat_map(of_piece).collect(),
            PieceKind::Repeat {
                piece, min, max, ..
            } => {
                let once = of_piece(piece);
                let is_class = tree
                    .pieces
                    .get(*piece)
                    .is_some_and(|piece| matches!(piece.kind, PieceKind::Class(_)));
                // Any character is as good as none.
                let is_any = is_class && once.len() == 1 && *max != Some(0);
                let mut texts = Vec::new();
                if *min == 0 && !is_any {
                    texts.push(String::new());
                }
                if *max != Some(0) {
                    let times = (*min).max(1) as usize;
                    let short = once
                        .iter()
                        .filter(|text| text.len().saturating_mul(times) <= alphabet.longest);
                    texts.extend(short.map(|text| text.repeat(times)));
                }
                texts
            }
        };
        if texts.len() > alphabet.most {
            return None;
        }
        found.push(texts);
    }
    Some(found.get(tree.root).cloned().unwrap_or_default())
}

/// Returns each of some texts with each of others behind it.
fn joined(before: &[String], after: &[String], alphabet: &Alphabet<'_>) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    for first in before {
        for second in after {
            if first.len().saturating_add(second.len()) <= alphabet.longest {
                texts.push(format!("{first}{second}"));
            }
            if texts.len() > alphabet.most {
                return None;
            }
        }
    }
    Some(texts)
}
