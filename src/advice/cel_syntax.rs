//! Words and signs of other languages in an expression: written as CEL has them, and compiled before that is advised.

use super::cel_text::{self, Code};
use super::rewrite;
use claimkit_model::cel::Environment;
use claimkit_model::message::{Message, message};
use claimkit_model::schema::Release;
use std::ops::Range;

/// A piece of an expression and what to write in its place.
struct Replacement {
    place: Range<usize>,
    new: String,
}

/// Words of other languages, and their signs.
const WORDS: [(&str, &str); 5] = [
    ("and", "&&"),
    ("or", "||"),
    ("is", "=="),
    ("eq", "=="),
    ("ne", "!="),
];

/// Signs of other languages, longer ones first; those of CEL stand for themselves.
const SIGNS: [(&str, &str); 14] = [
    ("===", "=="),
    ("!==", "!="),
    ("<>", "!="),
    ("=<", "<="),
    ("=>", ">="),
    ("==", "=="),
    ("!=", "!="),
    ("<=", "<="),
    (">=", ">="),
    ("&&", "&&"),
    ("||", "||"),
    ("=", "=="),
    ("&", "&&"),
    ("|", "||"),
];

/// The sign of a comment of YAML.
const COMMENT: char = '#';
/// The sign behind a statement of other languages.
const STATEMENT_END: char = ';';

/// Returns the advice for an expression that is not CEL; `None`: nothing in it is known from other languages.
pub(super) fn advice(expression: &str, code: &Code, release: Release) -> Option<Message> {
    if comments_take_code(&code.text) {
        return Some(message!(
            "cause.comment-takes-code",
            "CEL has no comments with `#`, and `//` would take the rest of the condition on this line along: leave the comment out"
        ));
    }
    let replacements = replacements(expression, code);
    let (first, others) = replacements.split_first()?;
    let environment = rewrite::environment(release);
    let whole = applied(expression, &replacements)?;
    let old = |one: &Replacement| expression.get(one.place.clone()).unwrap_or_default().trim();
    let is_alike = others
        .iter()
        .all(|other| old(other) == old(first) && other.new == first.new);
    let compiles = environment.compile(&whole).is_ok();
    let all_in_one = !is_alike && compiles && whole.chars().count() <= SHOWN;
    if all_in_one {
        return Some(message!("cause.write-whole", "write `{whole}`", whole));
    }
    let works = compiles || is_word_or_sign(old(first));
    works.then(|| write(old(first), first.new.trim()))
}

/// The number of letters up to which an expression is shown as a whole.
const SHOWN: usize = 160;

fn is_word_or_sign(old: &str) -> bool {
    let is_word = WORDS.iter().any(|(word, _)| word.eq_ignore_ascii_case(old));
    is_word
        || old.starts_with([COMMENT, STATEMENT_END])
        || SIGNS.iter().any(|(sign, _)| *sign == old)
}

/// Returns true if a part of the condition is behind a `#`: YAML folds the lines of a value into one, comments included.
fn comments_take_code(code: &str) -> bool {
    let mut comments = code.lines().filter_map(|line| line.split_once(COMMENT));
    comments.any(|(_, comment)| is_code(comment))
}

/// Returns the bytes of the first comment that has a part of a condition in it; `None`: there is none.
pub fn comment_with_code(expression: &str) -> Option<Range<u32>> {
    let code = Code::of(expression);
    for (at, _) in expression.match_indices("//") {
        // `Code` has blanks in place of comments and literals.
        let is_blank = code.text.get(at..)?.starts_with("  ");
        let is_comment = is_blank && !code.literals.iter().any(|literal| literal.contains(&at));
        let comment = expression.get(at..)?.lines().next()?;
        if is_comment && is_code(comment) {
            let end = at.saturating_add(comment.len());
            return Some(u32::try_from(at).ok()?..u32::try_from(end).ok()?);
        }
    }
    None
}

/// Returns true if a comment has operators or reads of an expression.
fn is_code(comment: &str) -> bool {
    let marks = ["&&", "||", "==", "device.", "device["];
    marks.iter().any(|mark| comment.contains(mark))
}

pub(super) fn write(old: &str, new: &str) -> Message {
    match old {
        "" => message!("cause.comma", "a `,` is missing between two values"),
        "=" => message!("cause.compare-with-equals", "compare with `==`"),
        "&" | "|" => message!("cause.write-and-or", "write `&&` and `||`"),
        _ if new.is_empty() => message!("cause.leave-sign-out", "leave `{old}` out", old),
        _ => message!(
            "cause.write-sign",
            "write `{sign}` for `{word}`",
            sign = new,
            word = old
        ),
    }
}

fn applied(expression: &str, replacements: &[Replacement]) -> Option<String> {
    let mut whole = String::with_capacity(expression.len());
    let mut from = 0;
    for Replacement { place, new } in replacements {
        whole.push_str(expression.get(from..place.start)?);
        whole.push_str(new);
        from = place.end;
    }
    whole.push_str(expression.get(from..)?);
    Some(whole)
}

/// Returns the replacements in the order of the expression; they do not overlap.
fn replacements(expression: &str, code: &Code) -> Vec<Replacement> {
    let mut found: Vec<Replacement> = Vec::new();
    let mut at = 0;
    while let Some(rest) = code.text.get(at..).filter(|rest| !rest.is_empty()) {
        let word = word_at(&code.text, at);
        let next = match word {
            Some(word) => of_word(expression, code, at, word),
            None => of_sign(code, at).or_else(|| missing_comma(code, at)),
        };
        let width = rest.chars().next().map_or(1, char::len_utf8);
        let mut end = at.saturating_add(word.map_or(width, str::len));
        if rest.starts_with(COMMENT) {
            // Its words are not CEL.
            let comment = rest.lines().next().map_or(0, str::len);
            end = at.saturating_add(comment);
        }
        if let Some(next) = next {
            end = next.place.end.max(end);
            let is_change = expression.get(next.place.clone()) != Some(next.new.as_str());
            let last = found.last().map_or(0, |last| last.place.end);
            if is_change && next.place.start >= last {
                found.push(next);
            }
        }
        at = end;
    }
    found
}

fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns the word that begins at a byte, unless it is the name of a field.
fn word_at(text: &str, at: usize) -> Option<&str> {
    let (before, rest) = text.split_at_checked(at)?;
    let end = rest.find(|c: char| !in_word(c)).unwrap_or(rest.len());
    let is_start = !before.ends_with(in_word) && !before.trim_end().ends_with('.');
    rest.get(..end).filter(|word| !word.is_empty() && is_start)
}

/// Returns what to write for a word: `x not in y` and `x in (a, b)` change more than the word.
fn of_word(expression: &str, code: &Code, at: usize, word: &str) -> Option<Replacement> {
    let end = at.saturating_add(word.len());
    let follows = |other: &str| {
        let start = cel_text::after_blanks(&code.text, end)?;
        word_at(&code.text, start)
            .filter(|next| next.eq_ignore_ascii_case(other))
            .map(|next| start.saturating_add(next.len()))
    };
    let stands_alone = code
        .text
        .get(end..)
        .is_some_and(|rest| rest.starts_with([' ', '(', '\n', '!', '\t']));
    if !stands_alone {
        return None;
    }
    match word.to_ascii_lowercase().as_str() {
        "not" => match follows("in") {
            Some(end) => not_in(expression, code, at, end),
            None => negated(expression, code, at, end),
        },
        "is" => match follows("not") {
            Some(end) => replacement(at..end, "!="),
            None => replacement(at..end, "=="),
        },
        "in" => in_parentheses(expression, code, end),
        "between" => between(expression, code, at, end),
        "like" => like(expression, code, at, end),
        lower => {
            let (_, sign) = WORDS.iter().find(|(known, _)| *known == lower)?;
            replacement(at..end, sign)
        }
    }
}

fn replacement(place: Range<usize>, new: &str) -> Option<Replacement> {
    Some(Replacement {
        place,
        new: new.to_owned(),
    })
}

fn of_sign(code: &Code, at: usize) -> Option<Replacement> {
    let rest = code.text.get(at..)?;
    if rest.starts_with(COMMENT) {
        return Some(Replacement {
            place: at..at.saturating_add(COMMENT.len_utf8()),
            new: "//".to_owned(),
        });
    }
    if let Some(next) = rest.strip_prefix(STATEMENT_END) {
        let ends_here = next.trim().is_empty();
        return Some(Replacement {
            place: at..at.saturating_add(STATEMENT_END.len_utf8()),
            new: if ends_here { "" } else { " &&" }.to_owned(),
        });
    }
    let (sign, new) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign))?;
    Some(Replacement {
        place: at..at.saturating_add(sign.len()),
        new: (*new).to_owned(),
    })
}

/// Writes the comma between two literals.
fn missing_comma(code: &Code, at: usize) -> Option<Replacement> {
    let first = code.literal_at(at)?;
    code.literal_at(cel_text::after_blanks(&code.text, first.end)?)?;
    Some(Replacement {
        place: first.end..first.end,
        new: ",".to_owned(),
    })
}

/// Returns where a part of `&&` and `||` that goes on at a byte ends.
pub(super) fn part_end(text: &str, from: usize) -> usize {
    let mut depth = 0usize;
    for (offset, sign) in text.get(from..).unwrap_or_default().char_indices() {
        let at = from.saturating_add(offset);
        match sign {
            '(' | '[' | '{' => depth = depth.saturating_add(1),
            ')' | ']' | '}' if depth == 0 => return at,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '&' | '|' | '?' | ',' if depth == 0 => return at,
            _ if depth == 0 => {
                let word = word_at(text, at).unwrap_or_default();
                if ["and", "or"]
                    .iter()
                    .any(|end| word.eq_ignore_ascii_case(end))
                {
                    return at;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// Writes `not a == b` as `!(a == b)`: the sign alone is about `a` only.
fn negated(expression: &str, code: &Code, at: usize, end: usize) -> Option<Replacement> {
    let to = part_end(&code.text, end);
    let part = expression.get(end..to)?;
    let inner = part.trim();
    let closed = rewrite::closing(inner, 0).map(|close| close.saturating_add(1));
    let is_simple = !inner.contains(' ') || closed == Some(inner.len());
    if is_simple {
        return Some(Replacement {
            place: at..end,
            new: "!".to_owned(),
        });
    }
    let blanks = part.len().saturating_sub(part.trim_end().len());
    Some(Replacement {
        place: at..to.saturating_sub(blanks),
        new: format!("!({inner})"),
    })
}

/// Writes `x not in y` as `!(x in y)`.
fn not_in(expression: &str, code: &Code, at: usize, end: usize) -> Option<Replacement> {
    let left = expression.get(..at)?.trim_end();
    let start = rewrite::operand_start(expression, left.len());
    let to = part_end(&code.text, end);
    let list = expression.get(end..to)?.trim_end();
    Some(Replacement {
        place: start..end.saturating_add(list.len()),
        new: format!("!({} in {})", left.get(start..)?, list.trim_start()),
    })
}

/// Writes `x in (a, b)` as `x in [a, b]`.
fn in_parentheses(expression: &str, code: &Code, end: usize) -> Option<Replacement> {
    let open = cel_text::after_blanks(&code.text, end)?;
    let close = rewrite::closing(&code.text, open)?;
    let inner = expression.get(open.saturating_add(1)..close)?;
    code.text
        .get(open..close)?
        .contains(',')
        .then(|| Replacement {
            place: open..close.saturating_add(1),
            new: format!("[{inner}]"),
        })
}

/// Writes `x between 1 and 4` as two comparisons.
fn between(expression: &str, code: &Code, at: usize, end: usize) -> Option<Replacement> {
    let left = expression.get(..at)?.trim_end();
    let start = rewrite::operand_start(expression, left.len());
    let operand = left.get(start..).filter(|operand| !operand.is_empty())?;
    let and = part_end(&code.text, end);
    let from = expression.get(end..and)?.trim();
    let behind = word_at(&code.text, and)
        .filter(|word| word.eq_ignore_ascii_case("and"))?
        .len()
        .saturating_add(and);
    let until = part_end(&code.text, behind);
    let to = expression.get(behind..until)?;
    Some(Replacement {
        place: start..behind.saturating_add(to.trim_end().len()),
        new: format!("{operand} >= {from} && {operand} <= {}", to.trim()),
    })
}

/// Macros of CEL, and their names in other languages.
const MACROS: [(&str, &str); 8] = [
    ("all", "all"),
    ("any", "exists"),
    ("every", "all"),
    ("exists", "exists"),
    ("filter", "filter"),
    ("find", "exists"),
    ("map", "map"),
    ("some", "exists"),
];

/// Returns the advice for a function that is written as an argument: `all(x => x > 0)` is `all(x, x > 0)`.
pub(super) fn lambda(expression: &str, code: &Code, environment: &Environment) -> Option<Message> {
    let arrow = code.text.find("=>").or_else(|| code.text.find("->"))?;
    let head = code.text.get(..arrow)?.trim_end();
    let head = head.strip_suffix(')').unwrap_or(head);
    let before = head.trim_end_matches(in_word);
    let name = head.get(before.len()..).filter(|name| !name.is_empty())?;
    let outside = before.strip_suffix('(')?;
    let outside = outside.strip_suffix('(').unwrap_or(outside);
    let start = outside.trim_end_matches(in_word).len();
    let written = outside.get(start..)?;
    let (_, called) = MACROS.iter().find(|(known, _)| *known == written)?;
    let close = rewrite::closing(&code.text, outside.len())?;
    let body = expression.get(arrow.saturating_add(2)..close)?.trim();
    let place = start..close.saturating_add(1);
    let new = format!("{called}({name}, {body})");
    let rewriting = rewrite::replaced(expression, place, new)?;
    rewrite::advice(vec![rewriting], environment)
}

/// Writes `x like "a%"` as a test of the text.
fn like(expression: &str, code: &Code, at: usize, end: usize) -> Option<Replacement> {
    let left = expression.get(..at)?.trim_end();
    let start = rewrite::operand_start(expression, left.len());
    let operand = left.get(start..).filter(|operand| !operand.is_empty())?;
    let literal = code.literal_at(cel_text::after_blanks(expression, end)?)?;
    let written = expression.get(literal.clone())?;
    let quote = written.chars().next()?;
    let text = written.trim_matches(quote);
    let inner = text.trim_matches(['%', '*']);
    let method = match (text.starts_with(['%', '*']), text.ends_with(['%', '*'])) {
        (true, true) => "contains",
        (true, false) => "endsWith",
        (false, true) => "startsWith",
        (false, false) => "matches",
    };
    Some(Replacement {
        place: start..literal.end,
        new: format!("{operand}.{method}({quote}{inner}{quote})"),
    })
}

/// Returns the advice for `x?.y`: a test for the name before it.
pub(super) fn safe_navigation(
    expression: &str,
    code: &Code,
    environment: &Environment,
) -> Option<Message> {
    let at = code.text.find("?.")?;
    let start = rewrite::operand_start(expression, at);
    let operand = expression.get(start..at)?;
    let behind = expression.get(at.saturating_add(2)..)?;
    let name = behind.get(..behind.find(|c: char| !in_word(c)).unwrap_or(behind.len()))?;
    let tail = behind.get(name.len()..)?;
    let head = expression.get(..start)?;
    let test = format!("has({operand}.{name})");
    let whole = format!("{head}{test} && {operand}.{name}{tail}");
    environment.compile(&whole).ok()?;
    Some(message!(
        "cause.safe-navigation",
        "CEL has no `?.`: write `{test} && ` before `{operand}.{name}`",
        test,
        operand,
        name
    ))
}
