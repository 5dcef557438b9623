//! Remarks about things that kubectl accepts silently.

use super::refusal::indent_of;
use super::{correction, lookalike};
use crate::finding::{Code, Edit, Finding};
use crate::message::message;
use crate::text::Mode;
use crate::text::source::{Source, Span};
use crate::text::tree::{Entry, Kind, NodeId, Tree};
use crate::text::yaml::Composed;
use claimkit_values::order;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of warnings of one kind in one document; a faulty generator could cause millions.
const MOST: usize = 200;

/// What the versions of our group begin with.
const OUR_VERSIONS: &str = "resource.k8s.io/";

/// The keys that every object begins with.
const OF_HEAD: [&str; 2] = ["apiVersion", "kind"];

/// Adds the remarks about a document, in the order of the text.
pub(in crate::text) fn remarks(
    source: &Source<'_>,
    composed: &Composed<'_>,
    chunk: Span,
    findings: &mut Vec<Finding>,
) {
    let mut own = Vec::new();
    keys(source, &composed.tree, Mode::Yaml, &mut own);
    converted_keys(source, &composed.tree, &composed.converted_keys(), &mut own);
    octal_numbers(source, composed, chunk, &mut own);
    lookalike::lookalikes(&composed.tree, chunk, &mut own);
    dropped(source, composed.end, chunk, &mut own);
    order::sort_by_key(&mut own, |finding| finding.span);
    findings.append(&mut own);
}

/// Warns of duplicate keys, and of keys that a later merge key overwrites.
pub(in crate::text) fn keys(
    source: &Source<'_>,
    tree: &Tree<'_>,
    mode: Mode,
    findings: &mut Vec<Finding>,
) {
    let most = findings.len().saturating_add(MOST);
    if !tree.has_shadowed() {
        return;
    }
    for id in tree.ids() {
        if !matches!(tree.node(id).kind, Kind::Map { .. }) {
            continue;
        }
        let entries = tree.entries(id);
        let starts = match mode {
            Mode::Yaml => starts_of_objects(tree, entries),
            Mode::Json => Vec::new(),
        };
        for start in &starts {
            findings.push(separator_missing(source, *start));
        }
        let elsewhere = only_in_others(tree, entries, &starts);
        // A key that is three times on a line is said once.
        let mut on_lines: BTreeSet<(usize, &str)> = BTreeSet::new();
        for (at, entry) in entries.iter().enumerate() {
            if !entry.shadowed || entry.merged {
                continue;
            }
            let key = tree.text(entry.key);
            let later = entries.get(at.saturating_add(1)..).unwrap_or_default();
            let line = line_of(source, entry.key_span);
            if elsewhere.contains(&entry.key_span) || !on_lines.insert((line, key)) {
                continue;
            }
            let Some(next) = later.iter().find(|later| tree.text(later.key) == key) else {
                continue;
            };
            if findings.len() >= most {
                return;
            }
            findings.push(if next.merged {
                overwritten(source, entry, next, key)
            } else {
                twice(source, entry, next, key, mode)
            });
        }
    }
}

/// Returns the keys with which the second and later objects begin, if several are written as one map: each with `apiVersion` and `kind`
/// at the left edge.
fn starts_of_objects(tree: &Tree<'_>, entries: &[Entry]) -> Vec<Span> {
    let mut starts = Vec::new();
    let mut heads: Vec<&str> = Vec::new();
    for entry in entries.iter().filter(|entry| !entry.merged) {
        let name = tree.text(entry.key);
        if !OF_HEAD.contains(&name) {
            continue;
        }
        if heads.contains(&name) {
            let is_whole = heads.len() == OF_HEAD.len();
            if !is_whole || !begins_line(tree, entry.key_span) {
                return Vec::new();
            }
            heads.clear();
            starts.push(entry.key_span);
        }
        heads.push(name);
    }
    // What follows the last start must be an object, too.
    if heads.len() == OF_HEAD.len() && starts.len() < MOST {
        starts
    } else {
        Vec::new()
    }
}

fn begins_line(tree: &Tree<'_>, span: Span) -> bool {
    let before = tree.source().get(..span.from()).unwrap_or_default();
    before.is_empty() || before.ends_with('\n')
}

/// Returns the keys that are again only in later objects, of which these keys begin.
fn only_in_others(tree: &Tree<'_>, entries: &[Entry], starts: &[Span]) -> BTreeSet<Span> {
    let mut last_of: BTreeMap<(usize, &str), Span> = BTreeMap::new();
    let mut later = starts.iter().peekable();
    let mut object = 0_usize;
    for entry in entries.iter().filter(|_| !starts.is_empty()) {
        if later.next_if(|start| entry.key_span >= **start).is_some() {
            object = object.saturating_add(1);
        }
        last_of.insert((object, tree.text(entry.key)), entry.key_span);
    }
    last_of.into_values().collect()
}

fn separator_missing(source: &Source<'_>, start: Span) -> Finding {
    let message = message!(
        "remark.separator-missing",
        "`---` is missing before line {line}: what is above and below is one map here, and kubectl takes the last value of each key and drops the others without a word",
        line = line_of(source, start)
    );
    let edit = Edit {
        span: Span::at(start.from()),
        new_text: "---\n".to_owned(),
    };
    Finding::warning(Code::YamlDuplicateKey, message)
        .with_help(message!(
            "remark.separator-missing-help",
            "write `---` on a line of its own between the two objects"
        ))
        .with_span(start)
        .with_fix(
            message!("remark.write-separator", "write `---` before the line"),
            vec![edit],
        )
}

fn line_of(source: &Source<'_>, span: Span) -> usize {
    source.line_in_file(span.from()).saturating_add(1)
}

fn twice(source: &Source<'_>, entry: &Entry, next: &Entry, key: &str, mode: Mode) -> Finding {
    let (first, last) = (
        line_of(source, entry.key_span),
        line_of(source, next.key_span),
    );
    let code = if mode == Mode::Json {
        Code::JsonDuplicateKey
    } else {
        Code::YamlDuplicateKey
    };
    let message = if first == last {
        message!(
            "remark.twice-on-a-line",
            "the key `{key}` is twice on line {line} of the same map: kubectl takes the last one and drops the other without a word",
            key,
            line = first
        )
    } else {
        message!(
            "remark.twice",
            "the key `{key}` is on line {first} and on line {last} of the same map: kubectl takes the last one and drops the other without a word",
            key,
            first,
            last
        )
    };
    Finding::warning(code, message)
        .with_help(message!(
            "remark.twice-help",
            "keep one of the two; what line {line} says of `{key}` is not used",
            line = first,
            key
        ))
        .with_span(entry.key_span)
}

fn overwritten(source: &Source<'_>, entry: &Entry, merge: &Entry, key: &str) -> Finding {
    let merge_line = line_of(source, merge.key_span);
    Finding::new(
        Code::YamlMergeOrder,
        message!(
            "remark.merge-order",
            "the merge key `<<` on line {line} overwrites `{key}`: kubectl merges at the place of `<<`",
            line = merge_line,
            key
        ),
    )
    .with_help(message!("remark.merge-order-help", "put `<<` first in the map, so that the keys after it win"))
    .with_span(entry.key_span)
}

/// Warns of keys that YAML does not read as strings: `on`, `y`, `0x10`, `1.10`.
fn converted_keys(
    source: &Source<'_>,
    tree: &Tree<'_>,
    keys: &[(NodeId, usize)],
    findings: &mut Vec<Finding>,
) {
    for &(map, at) in keys.iter().take(MOST) {
        let Some(entry) = tree.entries(map).get(at) else {
            continue;
        };
        let written = source.slice(entry.key_span);
        let becomes = tree.text(entry.key);
        findings.push(
            Finding::new(
                Code::YamlConvertedKey,
                message!(
                    "remark.converted-key",
                    "the key `{written}` is not a string in YAML 1.1: kubectl sends `{becomes}`",
                    written,
                    becomes
                ),
            )
            .with_help(message!(
                "remark.converted-key-help",
                "write `\"{written}\"` to keep it as it is",
                written
            ))
            .with_fix(
                correction::quote(written),
                vec![Edit {
                    span: entry.key_span,
                    new_text: format!("\"{written}\""),
                }],
            )
            .with_span(entry.key_span),
        );
    }
}

/// Returns true if a value of a text may begin with a zero and another digit.
pub(in crate::text) fn may_have_octals(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, b": 0").any(|at| {
        let next = bytes.get(at.saturating_add(": 0".len()));
        next.is_some_and(u8::is_ascii_digit)
    })
}

/// Warns of numbers with a leading zero in objects of ours, such as `count: 010`, which is 8. Opaque parameters are the driver's.
fn octal_numbers(
    source: &Source<'_>,
    composed: &Composed<'_>,
    chunk: Span,
    findings: &mut Vec<Finding>,
) {
    let tree = &composed.tree;
    let Some(root) = composed
        .root
        .filter(|_| may_have_octals(source.slice(chunk)))
    else {
        return;
    };
    let version = tree.get(root, "apiVersion").and_then(|node| tree.str(node));
    if !version.is_some_and(|version| version.starts_with(OUR_VERSIONS)) {
        return;
    }
    let most = findings.len().saturating_add(MOST);
    tree.walk(root, &mut |node, entry| {
        if findings.len() < most {
            findings.extend(octal_number(tree, node));
        }
        entry.is_none_or(|entry| tree.text(entry.key) != "parameters")
    });
}

/// Returns the warning about a number in base 8, unless it is the same number in base 10.
fn octal_number(tree: &Tree<'_>, node: NodeId) -> Option<Finding> {
    let number = match tree.node(node).kind {
        Kind::Int(number) => i128::from(number),
        Kind::Uint(number) => i128::from(number),
        _ => return None,
    };
    let span = tree.span(node);
    let written = tree.slice(span);
    let digits = written.trim_start_matches(['+', '-']);
    let is_octal =
        digits.len() > 1 && digits.starts_with('0') && claimkit_values::has_only_digits(digits);
    if !is_octal || written.parse() == Ok(number) {
        return None;
    }
    let message = message!(
        "remark.octal",
        "`{written}` is {number} in YAML 1.1: a number that begins with 0 is in base 8",
        written,
        number
    );
    let help = message!(
        "remark.octal-help",
        "write `{number}`, or `{decimal}` if base 10 is meant",
        number,
        decimal = digits.trim_start_matches('0')
    );
    Some(
        Finding::new(Code::YamlOctal, message)
            .with_help(help)
            .with_span(span),
    )
}

/// Warns of text after the end of the document, which kubectl ignores. `end`: where the document ends, and whether `...` is there.
fn dropped(
    source: &Source<'_>,
    end: Option<(u32, bool)>,
    chunk: Span,
    findings: &mut Vec<Finding>,
) {
    let Some((end, has_dots)) = end else { return };
    let end = end as usize;
    let dots = Span::new(end, end.saturating_add(3));
    let after_end = if has_dots { dots.to() } else { end };
    let ignored = source.slice(Span::new(after_end, chunk.to()));
    let Some((offset, length)) = content(ignored) else {
        return;
    };
    let start = after_end.saturating_add(offset);
    let span = Span::new(start, start.saturating_add(length));
    let lines = DroppedLines {
        first: line_of(source, span),
        last: source.line_in_file(span.to()).saturating_add(1),
    };
    let finding = if has_dots {
        dropped_after_dots(source, dots, ignored, lines)
    } else {
        dropped_after_value(lines)
    };
    findings.push(finding.with_span(span));
}

/// The first and the last line that kubectl does not read.
#[derive(Clone, Copy)]
struct DroppedLines {
    first: usize,
    last: usize,
}

/// Warns of text after `...`. An object of its own follows, or the dots stand for text that was left out.
fn dropped_after_dots(
    source: &Source<'_>,
    dots: Span,
    ignored: &str,
    lines: DroppedLines,
) -> Finding {
    let DroppedLines { first, last } = lines;
    let end = line_of(source, dots);
    let message = if first == last {
        message!(
            "remark.line-after-dots",
            "line {line} is never read: the document ended at `...` on line {end}",
            line = first,
            end
        )
    } else {
        message!(
            "remark.lines-after-dots",
            "lines {first} to {last} are never read: the document ended at `...` on line {end}",
            first,
            last,
            end
        )
    };
    let finding = Finding::new(Code::YamlDroppedText, message);
    let is_object = ignored
        .lines()
        .any(|line| line.starts_with("apiVersion:") || line.starts_with("kind:"));
    if is_object {
        finding
            .with_help(message!(
                "remark.dots-separate-help",
                "separate documents by a line `---`; kubectl drops what follows `...` without a word"
            ))
            .with_fix(
                message!("remark.dots-separate", "write `---` in place of `...`"),
                vec![replacement(dots, "---")],
            )
    } else {
        finding
            .with_help(message!(
                "remark.dots-comment-help",
                "`...` ends a document: if it stands for text that was left out, write `# ...`"
            ))
            .with_fix(
                message!("remark.dots-comment", "write `# ...` in place of `...`"),
                vec![replacement(dots, "# ...")],
            )
    }
}

fn replacement(span: Span, new_text: &str) -> Edit {
    Edit {
        span,
        new_text: new_text.to_owned(),
    }
}

/// Warns of text after the one value of a document.
fn dropped_after_value(lines: DroppedLines) -> Finding {
    let DroppedLines { first, last } = lines;
    let message = if first == last {
        message!(
            "remark.line-after-value",
            "line {line} is never read: the document's one value ended before",
            line = first
        )
    } else {
        message!(
            "remark.lines-after-value",
            "lines {first} to {last} are never read: the document's one value ended before",
            first,
            last
        )
    };
    Finding::new(Code::YamlDroppedText, message).with_help(message!(
        "remark.after-value-help",
        "kubectl drops this without a word: begin all top-level keys in the same column, and put a line `---` between documents"
    ))
}

/// Returns the content of a text without the blank and comment lines around it: start and length.
fn content(text: &str) -> Option<(usize, usize)> {
    let mut at = 0usize;
    let mut found: Option<(usize, usize)> = None;
    for whole in text.split_inclusive('\n') {
        let trimmed = whole.trim();
        if !trimmed.is_empty() && !trimmed.starts_with('#') {
            let start = at.saturating_add(indent_of(whole));
            let end = start.saturating_add(trimmed.len());
            found = Some((found.map_or(start, |(first, _)| first), end));
        }
        at = at.saturating_add(whole.len());
    }
    found.map(|(start, end)| (start, end.saturating_sub(start)))
}
