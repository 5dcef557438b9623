//! The reader: text to tree, with Go's errors and limits.
//!
//! Source: Go's `regexp/syntax` (`parse.go`), flags `Perl`.

use super::class::CharacterClass;
use super::escape::{
    BAD_RANGE, before, class_character, error, escape, next, perl_class, posix_class,
};
use super::unicode;

/// A tree of pieces; children come before their parents.
#[derive(Debug)]
pub(super) struct PatternTree {
    pub(super) pieces: Vec<PatternPiece>,
    pub(super) classes: Vec<CharacterClass>,
    pub(super) root: usize,
}

/// One piece of an expression.
#[derive(Debug)]
pub(super) struct PatternPiece {
    pub(super) kind: PieceKind,
    /// The height of Go's tree below this piece.
    height: u32,
    /// Go's estimate of its number of instructions.
    size: u64,
    /// How often something in it is repeated by counted repetitions.
    repeats: u64,
}

/// The text that a piece matches.
#[derive(Debug)]
pub(super) enum PieceKind {
    Empty,
    Character(u32),
    /// One of a class, by its place among the classes.
    Class(usize),
    Look(Look),
    Sequence(Vec<usize>),
    Alternatives(Vec<usize>),
    Repeat {
        piece: usize,
        min: u32,
        /// Nothing: without an end.
        max: Option<u32>,
        greedy: bool,
    },
}

/// The condition on a place between two characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    WordBoundary,
    NoWordBoundary,
}

const BAD_REPEAT: &str = "invalid repeat count";
const MAX_REPEAT: u32 = 1000;
const MAX_HEIGHT: u32 = 1000;
/// 128 MB of instructions of 40 bytes.
const MAX_SIZE: u64 = (128 << 20) / 40;
/// 128 MB of ends of ranges of 4 bytes.
const MAX_RANGE_ENDS: usize = (128 << 20) / 4;

#[derive(Clone, Copy)]
struct Flags {
    fold_case: bool,
    /// `^` and `$` are the ends of the text, not of a line.
    one_line: bool,
    dot_is_all: bool,
    non_greedy: bool,
}

/// An open group, or the whole expression.
struct Group {
    flags: Flags,
    captures: bool,
    alternatives: Vec<usize>,
    pieces: Vec<usize>,
}

/// The way in which pieces become one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    Sequence,
    Alternatives,
}

/// The notation of a repetition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    /// `*`, `+` or `?`.
    Sign,
    /// `{2,3}`.
    Counts,
}

struct Reader<'p> {
    pattern: &'p str,
    flags: Flags,
    pieces: Vec<PatternPiece>,
    classes: Vec<CharacterClass>,
    range_ends: usize,
    groups: Vec<Group>,
    open: Group,
}

pub(super) fn parse(pattern: &str) -> Result<PatternTree, String> {
    let flags = Flags {
        fold_case: false,
        one_line: true,
        dot_is_all: false,
        non_greedy: false,
    };
    let open = Group {
        flags,
        captures: false,
        alternatives: Vec::new(),
        pieces: Vec::new(),
    };
    let reader = Reader {
        pattern,
        flags,
        pieces: Vec::new(),
        classes: Vec::new(),
        range_ends: 0,
        groups: Vec::new(),
        open,
    };
    reader.run()
}

impl<'p> Reader<'p> {
    fn run(mut self) -> Result<PatternTree, String> {
        let mut rest = self.pattern;
        let mut last_repeat = "";
        while let Some((c, behind)) = next(rest) {
            let mut repeat = "";
            match c {
                '(' if behind.starts_with('?') => rest = self.group_with_flags(rest)?,
                '(' => {
                    self.open_capturing_group();
                    rest = behind;
                }
                '|' => {
                    let sequence = self.sequence()?;
                    self.open.alternatives.push(sequence);
                    rest = behind;
                }
                ')' => {
                    self.close_group()?;
                    rest = behind;
                }
                '^' | '$' | '.' => {
                    self.sign(c)?;
                    rest = behind;
                }
                '[' => rest = self.bracket(rest)?,
                '*' | '+' | '?' => {
                    let (min, max) = match c {
                        '*' => (0, None),
                        '+' => (1, None),
                        _ => (0, Some(1)),
                    };
                    repeat = rest;
                    rest = self.repeat(Operator::Sign, min, max, rest, behind, last_repeat)?;
                }
                '{' => match read_counts(behind) {
                    None => {
                        self.literal(c)?;
                        rest = behind;
                    }
                    Some((min, max, after)) => {
                        let Some((min, max)) = allowed_counts(min, max) else {
                            return Err(error(BAD_REPEAT, before(rest, after)));
                        };
                        repeat = rest;
                        rest = self.repeat(Operator::Counts, min, max, rest, after, last_repeat)?;
                    }
                },
                '\\' => rest = self.backslash(rest)?,
                _ => {
                    self.literal(c)?;
                    rest = behind;
                }
            }
            last_repeat = repeat;
        }
        let root = self.alternatives()?;
        if !self.groups.is_empty() {
            return Err(error("missing closing )", self.pattern));
        }
        Ok(PatternTree {
            pieces: self.pieces,
            classes: self.classes,
            root,
        })
    }

    /// Adds what `^`, `$` or `.` means with these flags.
    fn sign(&mut self, sign: char) -> Result<(), String> {
        let look = match (sign, self.flags.one_line) {
            ('^', true) => Look::TextStart,
            ('^', false) => Look::LineStart,
            ('$', true) => Look::TextEnd,
            ('$', false) => Look::LineEnd,
            _ if self.flags.dot_is_all => return self.class(CharacterClass::all()),
            _ => return self.class(CharacterClass::all_but_line_feed()),
        };
        self.push_assertion(look)
    }

    // --- pieces ---

    /// Adds a piece to the tree, within the limits.
    fn piece(&mut self, piece: PatternPiece) -> Result<usize, String> {
        if self.range_ends > MAX_RANGE_ENDS || piece.size > MAX_SIZE {
            return Err(error("expression too large", self.pattern));
        }
        if piece.height > MAX_HEIGHT {
            return Err(error("expression nests too deeply", self.pattern));
        }
        self.pieces.push(piece);
        Ok(self.pieces.len().saturating_sub(1))
    }

    fn push(&mut self, piece: PatternPiece) -> Result<(), String> {
        let piece = self.piece(piece)?;
        self.open.pieces.push(piece);
        Ok(())
    }

    fn push_assertion(&mut self, look: Look) -> Result<(), String> {
        self.push(PatternPiece {
            kind: PieceKind::Look(look),
            height: 1,
            size: 1,
            repeats: 1,
        })
    }

    fn literal(&mut self, c: char) -> Result<(), String> {
        let code = u32::from(c);
        if self.flags.fold_case {
            let alone = CharacterClass::new(vec![(code, code)]);
            let folded = alone.clone().folded();
            if folded != alone {
                return self.class(folded);
            }
        }
        self.range_ends = self.range_ends.saturating_add(1);
        self.push(PatternPiece {
            kind: PieceKind::Character(code),
            height: 1,
            size: 1,
            repeats: 1,
        })
    }

    /// Adds a class whose ranges are in order.
    fn class(&mut self, class: CharacterClass) -> Result<(), String> {
        self.range_ends = self
            .range_ends
            .saturating_add(class.len().saturating_mul(2));
        // An expression has few different classes.
        let known = self.classes.iter().position(|known| *known == class);
        let place = known.unwrap_or_else(|| {
            self.classes.push(class);
            self.classes.len().saturating_sub(1)
        });
        self.push(PatternPiece {
            kind: PieceKind::Class(place),
            height: 1,
            size: 1,
            repeats: 1,
        })
    }

    /// Ends the sequence read since the last `|` or `(`.
    fn sequence(&mut self) -> Result<usize, String> {
        let mut parts = Vec::new();
        for part in core::mem::take(&mut self.open.pieces) {
            match self.pieces.get(part).map(|piece| &piece.kind) {
                Some(PieceKind::Sequence(more)) => parts.extend(more),
                _ => parts.push(part),
            }
        }
        self.joined(parts, Join::Sequence)
    }

    /// Ends the alternatives read since the last `(`.
    fn alternatives(&mut self) -> Result<usize, String> {
        let last = self.sequence()?;
        let mut parts = Vec::new();
        for part in core::mem::take(&mut self.open.alternatives)
            .into_iter()
            .chain([last])
        {
            match self.pieces.get(part).map(|piece| &piece.kind) {
                Some(PieceKind::Alternatives(more)) => parts.extend(more),
                _ => parts.push(part),
            }
        }
        self.joined(parts, Join::Alternatives)
    }

    fn joined(&mut self, parts: Vec<usize>, join: Join) -> Result<usize, String> {
        if let [only] = *parts {
            return Ok(only);
        }
        if parts.is_empty() {
            return self.piece(PatternPiece {
                kind: PieceKind::Empty,
                height: 1,
                size: 1,
                repeats: 1,
            });
        }
        // Each further alternative adds one instruction.
        let count = u64::try_from(parts.len()).unwrap_or(u64::MAX);
        let mut size = match join {
            Join::Sequence => 0,
            Join::Alternatives => count.saturating_sub(1),
        };
        let (mut height, mut repeats, mut literal) = (0u32, 1u64, true);
        for piece in parts.iter().filter_map(|part| self.pieces.get(*part)) {
            height = height.max(piece.height);
            size = size.saturating_add(piece.size);
            repeats = repeats.max(piece.repeats);
            literal &= matches!(piece.kind, PieceKind::Character(_));
        }
        // Characters in a row are one piece for Go.
        let height = if join == Join::Sequence && literal {
            height
        } else {
            height.saturating_add(1)
        };
        let kind = match join {
            Join::Sequence => PieceKind::Sequence(parts),
            Join::Alternatives => PieceKind::Alternatives(parts),
        };
        self.piece(PatternPiece {
            kind,
            height,
            size,
            repeats,
        })
    }

    // --- groups ---

    fn open_group(&mut self) {
        let group = Group {
            flags: self.flags,
            captures: false,
            alternatives: Vec::new(),
            pieces: Vec::new(),
        };
        self.groups.push(core::mem::replace(&mut self.open, group));
    }

    fn open_capturing_group(&mut self) {
        self.open_group();
        self.open.captures = true;
    }

    fn close_group(&mut self) -> Result<(), String> {
        let inner = self.alternatives()?;
        let Some(outer) = self.groups.pop() else {
            return Err(error("unexpected )", self.pattern));
        };
        let group = core::mem::replace(&mut self.open, outer);
        self.flags = group.flags;
        if !group.captures {
            self.open.pieces.push(inner);
            return Ok(());
        }
        // Captures are not needed, but the group still counts as a piece of its own.
        let Some(piece) = self.pieces.get(inner) else {
            return Ok(());
        };
        let (height, size, repeats) = (piece.height, piece.size, piece.repeats);
        let kind = PieceKind::Repeat {
            piece: inner,
            min: 1,
            max: Some(1),
            greedy: true,
        };
        self.push(PatternPiece {
            kind,
            height: height.saturating_add(1),
            size: size.saturating_add(2),
            repeats,
        })
    }

    /// Reads `(?i)`, `(?i:`, `(?P<name>` or `(?<name>`.
    fn group_with_flags(&mut self, text: &'p str) -> Result<&'p str, String> {
        let named = match text.strip_prefix("(?P<") {
            Some(rest) => Some(rest),
            None => text.strip_prefix("(?<"),
        };
        // Go looks for one more byte before it takes it for a name.
        if let Some(name) = named.filter(|name| !name.is_empty()) {
            let Some((name, rest)) = name.split_once('>') else {
                return Err(error("invalid named capture", text));
            };
            if name.is_empty()
                || !name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            {
                return Err(error("invalid named capture", before(text, rest)));
            }
            self.open_capturing_group();
            return Ok(rest);
        }
        let mut rest = text.get(2..).unwrap_or_default();
        let mut flags = self.flags;
        let (mut on, mut seen) = (true, false);
        while let Some((c, behind)) = next(rest) {
            rest = behind;
            match c {
                'i' => flags.fold_case = on,
                'm' => flags.one_line = !on,
                's' => flags.dot_is_all = on,
                'U' => flags.non_greedy = on,
                '-' if on => {
                    (on, seen) = (false, false);
                    continue;
                }
                ':' | ')' if on || seen => {
                    if c == ':' {
                        self.open_group();
                    }
                    self.flags = flags;
                    return Ok(rest);
                }
                _ => break,
            }
            seen = true;
        }
        Err(error(
            "invalid or unsupported Perl syntax",
            before(text, rest),
        ))
    }

    // --- repetitions ---

    fn repeat(
        &mut self,
        operator: Operator,
        min: u32,
        max: Option<u32>,
        text: &'p str,
        after: &'p str,
        last_repeat: &str,
    ) -> Result<&'p str, String> {
        let (greedy, after) = match after.strip_prefix('?') {
            Some(after) => (self.flags.non_greedy, after),
            None => (!self.flags.non_greedy, after),
        };
        if !last_repeat.is_empty() {
            return Err(error(
                "invalid nested repetition operator",
                before(last_repeat, after),
            ));
        }
        let written = before(text, after);
        let Some(place) = self.open.pieces.pop() else {
            return Err(error("missing argument to repetition operator", written));
        };
        let Some(inner) = self.pieces.get(place) else {
            return Ok(after);
        };
        let (size, repeats) = match (operator, min, max) {
            (_, 0, None) => (inner.size.saturating_add(2), inner.repeats),
            (Operator::Sign, ..) => (inner.size.saturating_add(1), inner.repeats),
            (Operator::Counts, _, None) => {
                let times = u64::from(min);
                let size = inner.size.saturating_mul(times).saturating_add(1);
                (size, inner.repeats.saturating_mul(times))
            }
            (Operator::Counts, _, Some(0)) => (1, 1),
            (Operator::Counts, _, Some(max)) => {
                let times = u64::from(max);
                let optional = u64::from(max.saturating_sub(min));
                let size = inner.size.saturating_mul(times).saturating_add(optional);
                (size, inner.repeats.saturating_mul(times))
            }
        };
        let height = inner.height.saturating_add(1);
        let kind = PieceKind::Repeat {
            piece: place,
            min,
            max,
            greedy,
        };
        self.push(PatternPiece {
            kind,
            height,
            size: size.max(1),
            repeats,
        })?;
        if operator == Operator::Counts
            && (min >= 2 || max.is_some_and(|max| max >= 2))
            && repeats > u64::from(MAX_REPEAT)
        {
            return Err(error(BAD_REPEAT, written));
        }
        Ok(after)
    }

    // --- escapes and classes ---

    fn backslash(&mut self, text: &'p str) -> Result<&'p str, String> {
        let behind = text.get(2..).unwrap_or_default();
        match text.as_bytes().get(1) {
            Some(b'A') => self.push_assertion(Look::TextStart).map(|()| behind),
            Some(b'b') => self.push_assertion(Look::WordBoundary).map(|()| behind),
            Some(b'B') => self.push_assertion(Look::NoWordBoundary).map(|()| behind),
            Some(b'z') => self.push_assertion(Look::TextEnd).map(|()| behind),
            Some(b'C') => Err(error("invalid escape sequence", "\\C")),
            Some(b'Q') => {
                let (literal, rest) = behind.split_once("\\E").unwrap_or((behind, ""));
                literal.chars().try_for_each(|c| self.literal(c))?;
                Ok(rest)
            }
            _ => {
                if let Some((class, rest)) = self.class_escape(text)? {
                    self.class(class.sorted())?;
                    return Ok(rest);
                }
                let (code, rest) = escape(text)?;
                match char::from_u32(code) {
                    Some(c) => self.literal(c)?,
                    // A UTF-16 surrogate: it is valid in an expression but matches nothing.
                    None => self.class(CharacterClass::new(vec![(code, code)]))?,
                }
                Ok(rest)
            }
        }
    }

    /// Reads a class such as `\d`, `\pL`, `\p{Greek}`; returns it with the rest of the text.
    fn class_escape(&self, text: &'p str) -> Result<Option<(CharacterClass, &'p str)>, String> {
        let Some(rest) = text.strip_prefix('\\') else {
            return Ok(None);
        };
        if rest.starts_with(['p', 'P']) {
            return self.unicode_class(text).map(Some);
        }
        Ok(perl_class(rest.chars().next()).map(|(class, negated)| {
            let class = self.folded(class);
            (
                if negated { class.negated() } else { class },
                rest.get(1..).unwrap_or_default(),
            )
        }))
    }

    fn folded(&self, class: CharacterClass) -> CharacterClass {
        if self.flags.fold_case {
            class.folded()
        } else {
            class
        }
    }

    /// Reads `\pN`, `\p{Name}` or `\p{^Name}`, or the same with `\P`, which negates the class as `^` does. Returns the class and the
    /// text behind it.
    fn unicode_class(&self, text: &'p str) -> Result<(CharacterClass, &'p str), String> {
        let after_p = text.get(2..).unwrap_or_default();
        let (written_name, remainder) = match after_p.strip_prefix('{') {
            Some(inner) => inner
                .split_once('}')
                .ok_or_else(|| error(BAD_RANGE, text))?,
            None => {
                let letter = after_p.chars().next().map_or(0, char::len_utf8);
                after_p.split_at_checked(letter).unwrap_or((after_p, ""))
            }
        };
        let (has_caret, name) = match written_name.strip_prefix('^') {
            Some(name) => (true, name),
            None => (false, written_name),
        };
        let class = if name == "Any" {
            CharacterClass::all()
        } else {
            let ranges =
                unicode::ranges(name).ok_or_else(|| error(BAD_RANGE, before(text, remainder)))?;
            CharacterClass::new(ranges)
        };
        let folded = self.folded(class);
        let is_negated = text.starts_with("\\P") != has_caret;
        let class = if is_negated { folded.negated() } else { folded };
        Ok((class, remainder))
    }

    /// Reads `[…]` and returns the text behind it. A `]` at the beginning is a character like others.
    fn bracket(&mut self, text: &'p str) -> Result<&'p str, String> {
        let mut remainder = text.get(1..).unwrap_or_default();
        let negated = remainder.starts_with('^');
        if negated {
            remainder = remainder.get(1..).unwrap_or_default();
        }
        let mut class = CharacterClass::default();
        remainder = self.bracket_element(&mut class, remainder, text)?;
        loop {
            if let Some(after_bracket) = remainder.strip_prefix(']') {
                remainder = after_bracket;
                break;
            }
            remainder = self.bracket_element(&mut class, remainder, text)?;
        }
        self.class(if negated {
            class.negated()
        } else {
            class.sorted()
        })?;
        Ok(remainder)
    }

    /// Adds what `[…]` has at the beginning of `element`: a named class, an escape, a character or a range. Returns the text behind it.
    /// `bracket`: the whole text from the bracket on.
    fn bracket_element(
        &self,
        class: &mut CharacterClass,
        element: &'p str,
        bracket: &'p str,
    ) -> Result<&'p str, String> {
        if let Some(inner) = element.strip_prefix("[:")
            && let Some((name, remainder)) = inner.split_once(":]")
        {
            let (named, is_negated) =
                posix_class(name).ok_or_else(|| error(BAD_RANGE, before(element, remainder)))?;
            let folded = self.folded(named);
            class.add_all(&if is_negated { folded.negated() } else { folded });
            return Ok(remainder);
        }
        if let Some((escaped, remainder)) = self.class_escape(element)? {
            class.add_all(&escaped);
            return Ok(remainder);
        }
        let (low, mut remainder) = class_character(element, bracket)?;
        let mut high = low;
        if let Some(end) = remainder.strip_prefix('-')
            && !end.is_empty()
            && !end.starts_with(']')
        {
            (high, remainder) = class_character(end, bracket)?;
            if high < low {
                return Err(error(BAD_RANGE, before(element, remainder)));
            }
        }
        if self.flags.fold_case {
            class.add_all(&CharacterClass::new(vec![(low, high)]).folded());
        } else {
            class.add(low, high);
        }
        Ok(remainder)
    }
}

/// Reads the text after `{`: one or two numbers and `}`. The second number is missing in `{2,}`.
fn read_counts(text: &str) -> Option<(u64, Option<u64>, &str)> {
    let (min, rest) = read_number(text)?;
    let (max, rest) = match rest.strip_prefix(',') {
        None => (Some(min), rest),
        Some(rest) if rest.starts_with('}') => (None, rest),
        Some(rest) => {
            let (max, rest) = read_number(rest)?;
            (Some(max), rest)
        }
    };
    Some((min, max, rest.strip_prefix('}')?))
}

/// Returns the numbers of a repetition if they are in order and not too large.
fn allowed_counts(min: u64, max: Option<u64>) -> Option<(u32, Option<u32>)> {
    let least = limited(min)?;
    let most = match max {
        Some(max) => Some(limited(max)?),
        None => None,
    };
    let is_ordered = most.is_none_or(|most| least <= most);
    is_ordered.then_some((least, most))
}

fn limited(count: u64) -> Option<u32> {
    u32::try_from(count)
        .ok()
        .filter(|count| *count <= MAX_REPEAT)
}

/// Reads digits without a zero in front.
fn read_number(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at_checked(digits)?;
    if number.is_empty() || (number.len() > 1 && number.starts_with('0')) {
        return None;
    }
    Some((
        number.bytes().fold(0u64, |sum, byte| {
            sum.saturating_mul(10).saturating_add(u64::from(byte & 0xf))
        }),
        rest,
    ))
}
