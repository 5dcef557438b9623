//! Laws of every text that is read.

use claimkit_yaml::print::{self, Order};
use claimkit_yaml::tree::{Kind, NodeId, Tree};
use claimkit_yaml::{Span, yaml};

/// Checks that a span is a piece of the text.
pub fn check_span(text: &str, span: Span) {
    assert!(
        text.get(span.from()..span.to()).is_some(),
        "{span:?} in {text:?}"
    );
}

/// Checks that every span of a tree is a piece of the text and lies inside its parent's; gives the spans of scalars, keys, tags,
/// anchors and comments.
pub fn leaves(text: &str, tree: &Tree<'_>, root: NodeId) -> Vec<Span> {
    let mut spans: Vec<Span> = tree.comments.clone();
    let mut steps = vec![root];
    while let Some(id) = steps.pop() {
        let node = tree.node(id);
        check_span(text, node.span);
        check_span(text, node.properties);
        assert!(
            node.properties.is_empty() || node.properties.end <= node.span.start,
            "{node:?} in {text:?}"
        );
        spans.push(node.properties);
        let inside = |span: Span| {
            assert!(
                node.span.start <= span.start && span.end <= node.span.end,
                "{span:?} outside {node:?} in {text:?}"
            )
        };
        match node.kind {
            Kind::Seq { .. } => {
                for &item in tree.items(id) {
                    inside(tree.span(item));
                    steps.push(item);
                }
            }
            Kind::Map { .. } => {
                for entry in tree.entries(id) {
                    check_span(text, entry.key_span);
                    inside(entry.key_span);
                    spans.push(entry.key_span);
                    if !entry.merged {
                        inside(tree.span(entry.value));
                        steps.push(entry.value);
                    }
                }
            }
            _ => spans.push(node.span),
        }
    }
    spans
}

/// Reassembles a document from its leaves and the text between them, which may only be punctuation.
pub fn reprint(text: &str, tree: &Tree<'_>, root: NodeId, span: Span) -> String {
    let mut spans = leaves(text, tree, root);
    // Comments after the end belong to the unread text.
    spans.retain(|leaf| !leaf.is_empty() && leaf.from() < span.to());
    spans.sort_unstable();
    spans.dedup();
    let mut out = String::new();
    let mut at = span.from();
    for leaf in spans {
        if leaf.from() < at {
            // A comment behind `|` or `>`: part of the scalar.
            assert!(
                leaf.to() <= at && text[leaf.from()..].starts_with('#'),
                "{leaf:?} overlaps in {text:?}"
            );
            continue;
        }
        let between = &text[at..leaf.from()];
        // Directives, and the tags and anchors of keys, belong to no node.
        let mut words = between
            .split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
            .filter(|line| !line.starts_with('%'))
            .flat_map(str::split_whitespace);
        assert!(
            words.all(|word| {
                let word = word.find(['!', '&']).map_or(word, |at| &word[..at]);
                word.chars().all(|c| "-?:,[]{}.\u{feff}".contains(c))
            }),
            "{between:?} is not in the tree of {text:?}"
        );
        out.push_str(between);
        out.push_str(&text[leaf.from()..leaf.to()]);
        at = leaf.to();
    }
    out.push_str(&text[at..span.to()]);
    out
}

/// Returns the JSON of a text that is one YAML document, or the refusal.
pub fn answer(text: &str) -> Result<String, String> {
    printed(&yaml::read(text, yaml::Bounds::default()))
}

fn printed(composed: &yaml::Composed<'_>) -> Result<String, String> {
    match (&composed.error, composed.root) {
        (Some(error), _) => Err(error.to_string()),
        (None, None) => Ok("null".to_owned()),
        (None, Some(root)) => {
            let mut json = String::new();
            print::json(&composed.tree, root, Order::Sorted, 1 << 20, &mut json);
            Ok(json)
        }
    }
}

/// Checks that a tree holds the whole text. Merged entries and complex keys are looked up elsewhere; aliases may stand for them.
pub fn a_tree_holds_the_whole_text(text: &str) {
    let document = yaml::read(text, yaml::Bounds::default());
    if let (Some(root), Some((end, _))) = (document.root, document.end)
        && !["<<", "?", "]:", "}:", "%TAG"]
            .iter()
            .any(|piece| text.contains(piece))
    {
        let span = Span::new(0, end as usize);
        assert_eq!(reprint(text, &document.tree, root, span), text[..span.to()]);
    }
}

/// Returns the text without characters that go-yaml refuses, because go-yaml reads ahead in pieces of 512 bytes.
fn allowed(text: &str, besides: &[char]) -> String {
    let refused = |c: char| {
        matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}')
            || matches!(c, '\u{fffe}' | '\u{ffff}')
            || besides.contains(&c)
    };
    text.replace(refused, "")
}

/// Checks that the position of a document in its file does not change the result, but a byte order mark does.
pub fn the_place_in_the_file_does_not_matter(text: &str) {
    let text = allowed(text, &['\u{feff}']) + "\n";
    let before = "kind: é\n---\n";
    let whole = format!("{before}{text}");
    let mut reader = yaml::Reader::part(&whole, 0, 0, false);
    let there = yaml::read_part(
        &mut reader,
        &whole,
        before.len(),
        whole.len(),
        false,
        yaml::Bounds::default(),
    );
    assert_eq!(answer(&text), printed(&there), "{text:?}");
}

/// Checks that Windows' line ends are read as Unix's.
pub fn crlf_reads_as_lf(text: &str) {
    let text = allowed(text, &['\r']);
    assert_eq!(
        answer(&text),
        answer(&text.replace('\n', "\r\n")),
        "{text:?}"
    );
}
