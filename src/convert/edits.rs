//! Converts the text with edits that change only what must change.
//!
//! A handle becomes a list around the text it was written as, and back: key, separator, value and comments stay.

use super::fields::{self, Nulls};
use super::job::{self, Job};
use super::metadata;
use claimkit_model::schema::Family;
use claimkit_model::schema::meta::LAST_APPLIED;
use claimkit_model::schema::steps::{Direction, Handle};
use claimkit_model::text::Span;
use claimkit_model::text::edit::{self, Edits, Unsafe};
use claimkit_model::text::print;
use claimkit_model::text::tree::{Entry, Kind, NodeId, Style, Tree};

/// Returns the edits that convert one object of the classic family. Of one of the device family, those that come before its shape
/// changes: version and kind, and what the target version has no place for.
pub fn object(
    tree: &Tree<'_>,
    node: NodeId,
    job: &Job,
    sequence_indent: usize,
) -> Result<Edits, Unsafe> {
    let mut object = ObjectEdits {
        tree,
        job,
        sequence_indent,
        edits: Edits::new(),
    };
    object.type_meta(node)?;
    if job.drop_server_fields {
        object.server_fields(node)?;
    }
    if job.from.family == Family::Device {
        object.lost(node)?;
        return Ok(object.edits);
    }
    for (field, _) in job.newer_only() {
        object
            .edits
            .remove_entries(tree, node, |entry| tree.text(entry.key) == field)?;
    }
    if let Some(handle) = job.handle() {
        object.claim(node, handle)?;
    }
    Ok(object.edits)
}

/// Returns how far this document indents the items of a block sequence below their key: that of the first one, else 0.
pub fn sequence_indent(tree: &Tree<'_>) -> usize {
    let text = tree.source();
    tree.ids()
        .flat_map(|node| tree.entries(node))
        .filter(|entry| !entry.merged)
        .find_map(|entry| {
            let value = tree.node(entry.value);
            if value.style != Style::Block || !matches!(value.kind, Kind::Seq { .. }) {
                return None;
            }
            column(text, value.span.from()).checked_sub(column(text, entry.key_span.from()))
        })
        .unwrap_or(0)
}

pub(super) fn column(text: &str, at: usize) -> usize {
    at.saturating_sub(edit::line_start(text, at))
}

struct ObjectEdits<'t, 's, 'j> {
    tree: &'t Tree<'s>,
    job: &'j Job,
    sequence_indent: usize,
    edits: Edits,
}

impl ObjectEdits<'_, '_, '_> {
    fn type_meta(&mut self, node: NodeId) -> Result<(), Unsafe> {
        let job = self.job;
        for entry in self.tree.entries(node) {
            let name = self.tree.text(entry.key);
            let value = self.tree.str(entry.value);
            if job::is_type_key(name, "apiVersion") && value == Some(job.written.api_version) {
                if job.written.api_version == job.to.api_version {
                    continue;
                }
                self.edits
                    .change_string(self.tree, entry.value, job.to.api_version)?;
            } else if job::is_type_key(name, "kind")
                && value == Some(job.kind)
                && job.kind != job.new_kind
            {
                self.edits
                    .change_string(self.tree, entry.value, job.new_kind)?;
            }
        }
        Ok(())
    }

    fn server_fields(&mut self, node: NodeId) -> Result<(), Unsafe> {
        let tree = self.tree;
        for entry in job::occurrences(tree, node, "metadata") {
            let fields = tree.entries(entry.value);
            if !fields
                .iter()
                .any(|field| is_of_server(tree, field) || tree.text(field.key) == "annotations")
            {
                continue;
            }
            if fields.iter().all(|field| is_of_server(tree, field)) {
                let key = entry.key_span;
                self.edits
                    .remove_entries(tree, node, |entry| entry.key_span == key)?;
                continue;
            }
            self.edits
                .remove_entries(tree, entry.value, |field| is_of_server(tree, field))?;
            for annotations in job::occurrences(tree, entry.value, "annotations") {
                if !has_only_last_applied(tree, annotations) {
                    self.edits
                        .remove_entries(tree, annotations.value, |entry| {
                            is_last_applied(tree, entry)
                        })?;
                }
            }
        }
        Ok(())
    }

    /// Removes the fields that the target version does not have.
    fn lost(&mut self, node: NodeId) -> Result<(), Unsafe> {
        let tree = self.tree;
        let mut maps: Vec<MapWithLosses> = Vec::new();
        fields::lost(tree, node, self.job, Nulls::Included, |lost| {
            let map = tree.resolve(lost.map);
            let key = lost.entry.key_span;
            match maps.iter_mut().find(|known| known.map == map) {
                Some(known) => known.lost_keys.push(key),
                None => maps.push(MapWithLosses {
                    map,
                    holder: lost.holder.copied(),
                    lost_keys: vec![key],
                }),
            }
        });
        for MapWithLosses {
            map,
            holder,
            lost_keys,
        } in maps
        {
            let is_lost = |entry: &Entry| lost_keys.contains(&entry.key_span);
            match holder {
                Some(holder) if tree.entries(map).iter().all(is_lost) => {
                    self.edits.empty(tree, &holder)?
                }
                _ => self.edits.remove_entries(tree, map, is_lost)?,
            }
        }
        Ok(())
    }

    /// Converts every allocation in the text, also one that a later duplicate key replaces: a JSON reader may merge both.
    fn claim(&mut self, claim: NodeId, handle: Handle) -> Result<(), Unsafe> {
        let tree = self.tree;
        for status in job::occurrences(tree, claim, "status") {
            for allocation in job::occurrences(tree, status.value, "allocation") {
                let shadowed = status.shadowed || allocation.shadowed;
                self.allocation(claim, allocation, shadowed, handle)?;
            }
        }
        Ok(())
    }

    fn allocation(
        &mut self,
        claim: NodeId,
        field: &Entry,
        shadowed: bool,
        handle: Handle,
    ) -> Result<(), Unsafe> {
        let tree = self.tree;
        let allocation = field.value;
        let direction = self.job.direction();
        let flow = edit::is_flow(tree, allocation);
        let mut gone = Vec::new();
        for entry in tree.entries(allocation) {
            let name = tree.text(entry.key);
            if name == handle.new_field(direction) {
                gone.push(entry.key_span);
            }
            if name != handle.field(direction) {
                continue;
            }
            match direction {
                Direction::Up => self.up(claim, allocation, entry, handle, flow)?,
                Direction::Down if shadowed && !self.is_lossless(claim, entry) => {}
                Direction::Down => {
                    if !self.down(claim, entry, handle, flow)? {
                        gone.push(entry.key_span);
                    }
                }
            }
        }
        let gone = |entry: &Entry| gone.contains(&entry.key_span);
        let entries = tree.entries(allocation);
        if !entries.is_empty() && entries.iter().all(gone) {
            return self.edits.empty(tree, field);
        }
        self.edits.remove_entries(tree, allocation, gone)
    }

    // ---- to the newer version ----

    fn up(
        &mut self,
        claim: NodeId,
        allocation: NodeId,
        entry: &Entry,
        handle: Handle,
        flow: bool,
    ) -> Result<(), Unsafe> {
        let tree = self.tree;
        let text = tree.source();
        edit::editable(tree, entry, flow)?;
        let key = key_text(tree, entry)?;
        self.edits
            .rename_key(tree, entry, handle.older, handle.newer)?;
        let value = edit::whole(tree, entry.value);
        let data = match tree.kind(entry.value) {
            Kind::Null => return Ok(()),
            Kind::Str(data) => tree.text(data),
            _ => return Err(Unsafe::Form),
        };
        if data.is_empty() {
            return self.empty_handle(entry.value);
        }
        let driver = match job::driver_node(tree, claim)
            .filter(|_| !job::driver_name(tree, claim).is_empty())
        {
            Some(node) => Some(self.written(node, flow)?),
            None => None,
        };
        let (quote_open, quote_close) = quotes(key);
        let named = |name: &str| format!("{quote_open}{name}{quote_close}");
        if flow {
            let separator = text.get(entry.key_span.to()..value.from()).unwrap_or("");
            let plain = separator.trim_end_matches([' ', '\t']) == ":";
            let separator = if plain { separator } else { ": " };
            let comma = if separator == ":" { "," } else { ", " };
            let lines = self.flow_lines(entry, allocation);
            let mut opening = format!("[{}{{{}", lines.item, lines.field);
            if let Some(driver) = driver {
                let comma = if lines.field.is_empty() { comma } else { "," };
                opening.push_str(&format!(
                    "{}{separator}{driver}{comma}{}",
                    named("driverName"),
                    lines.field
                ));
            }
            opening.push_str(&format!("{}{separator}", named("data")));
            self.edits.insert(value.from(), opening);
            self.edits
                .insert(value.to(), format!("{}}}{}]", lines.item, lines.end));
            return Ok(());
        }
        let pad = edit::lead(text, entry.key_span.from()).ok_or(Unsafe::Form)?;
        let end = edit::line_break(text, entry.key_span.to());
        let item = format!("{pad}{}", " ".repeat(self.sequence_indent));
        let opening = match driver {
            Some(driver) => format!(
                ":{end}{item}- {}: {driver}{end}{item}  {}",
                named("driverName"),
                named("data")
            ),
            None => format!(":{end}{item}- {}", named("data")),
        };
        self.edits.insert(entry.key_span.to(), opening);
        self.edits.indent(
            text,
            entry.key_span.to(),
            value.to(),
            self.sequence_indent.saturating_add(2),
        );
        Ok(())
    }

    /// Returns line ends and indentation of a list in brackets: all empty unless the fields around it are on lines of their
    /// own.
    fn flow_lines(&self, entry: &Entry, allocation: NodeId) -> FlowLines {
        let text = self.tree.source();
        let at = entry.key_span.from();
        let pad = text.get(edit::line_start(text, at)..at).unwrap_or("");
        if !pad.chars().all(|c| c == ' ' || c == '\t') || edit::line_start(text, at) == 0 {
            return FlowLines::default();
        }
        let open = text
            .get(edit::line_start(text, self.tree.span(self.tree.resolve(allocation)).from())..)
            .unwrap_or("");
        let outer = open
            .get(
                ..open
                    .len()
                    .saturating_sub(open.trim_start_matches([' ', '\t']).len()),
            )
            .unwrap_or("");
        let unit = pad
            .strip_prefix(outer)
            .filter(|unit| !unit.is_empty())
            .unwrap_or("  ");
        let end = format!("{}{pad}", edit::line_break(text, at));
        FlowLines {
            item: format!("{end}{unit}"),
            field: format!("{end}{unit}{unit}"),
            end,
        }
    }

    /// Turns an empty handle into an empty list. A space in the brackets records single quotes for the way back.
    fn empty_handle(&mut self, value: NodeId) -> Result<(), Unsafe> {
        let span = self.tree.span(value);
        let list = match span.slice_of(self.tree.source()) {
            Some("\"\"") => "[]",
            Some("''") => "[ ]",
            _ => return Err(Unsafe::Form),
        };
        self.edits.replace(span, list);
        Ok(())
    }

    /// Returns the source of a string for reuse: as written if it is on one line, otherwise quoted.
    fn written(&self, node: NodeId, flow: bool) -> Result<String, Unsafe> {
        let written = self.tree.node(node);
        let value = self.tree.str(node).ok_or(Unsafe::Form)?;
        let text = self.tree.slice(written.span);
        let is_simple = match written.style {
            Style::Plain => !flow || !text.contains(['[', ']', '{', '}', ',', '?', ':', '#']),
            Style::SingleQuoted | Style::DoubleQuoted => true,
            _ => false,
        };
        let can_be_copied = is_simple
            && written.properties.is_empty()
            && !matches!(written.kind, Kind::Alias(_))
            && !text.is_empty()
            && !text.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
        Ok(if can_be_copied {
            text.to_owned()
        } else {
            quoted(value)
        })
    }

    // ---- to the older version ----

    /// Returns true if the conversion to the newer version would give exactly this list, so that nothing is lost.
    fn is_lossless(&self, claim: NodeId, entry: &Entry) -> bool {
        let tree = self.tree;
        match tree.items(entry.value) {
            [] => true,
            [handle] => {
                job::text_of(tree, *handle, "driverName") == job::driver_name(tree, claim)
                    && !job::text_of(tree, *handle, "data").is_empty()
                    && tree.entries(*handle).iter().all(|entry| {
                        !entry.shadowed && matches!(tree.text(entry.key), "driverName" | "data")
                    })
            }
            _ => false,
        }
    }

    /// Returns false if the field must be removed.
    fn down(
        &mut self,
        claim: NodeId,
        entry: &Entry,
        names: Handle,
        flow: bool,
    ) -> Result<bool, Unsafe> {
        let tree = self.tree;
        edit::editable(tree, entry, flow)?;
        let list = tree.node(entry.value);
        match list.kind {
            Kind::Null => {}
            Kind::Seq { len: 0, .. } => {
                let inner = list.span.slice_of(tree.source());
                self.edits
                    .replace(list.span, if inner == Some("[ ]") { "''" } else { "\"\"" });
            }
            Kind::Seq { .. } if list.properties.is_empty() => {
                let kept = job::kept_handle(tree, entry.value, job::driver_name(tree, claim));
                let handle = tree
                    .items(entry.value)
                    .get(kept)
                    .copied()
                    .ok_or(Unsafe::Form)?;
                if job::text_of(tree, handle, "data").is_empty() {
                    return Ok(false);
                }
                self.keep_handle(entry, kept, handle)?;
            }
            // An alias, or a list with an anchor.
            _ => return Err(Unsafe::Form),
        }
        self.edits
            .rename_key(tree, entry, names.newer, names.older)?;
        Ok(true)
    }

    /// Removes everything around the data of the handle with an index; comments of that handle move above the field.
    fn keep_handle(&mut self, entry: &Entry, index: usize, handle: NodeId) -> Result<(), Unsafe> {
        let tree = self.tree;
        let list = tree.node(entry.value);
        let map = tree.node(handle);
        if !matches!(map.kind, Kind::Map { .. }) || !map.properties.is_empty() {
            return Err(Unsafe::Form);
        }
        let data = tree.entry(handle, "data").ok_or(Unsafe::Form)?;
        edit::editable(tree, data, map.style == Style::Flow)?;
        let around = match (list.style, map.style) {
            (Style::Block, Style::Block) => self.unwrap_block(entry, data)?,
            (Style::Flow, _) => {
                let value = self.trimmed_value(data);
                AroundData {
                    head: Span::new(list.span.from(), value.from()),
                    replacement: "",
                    tail: Span::new(value.to(), list.span.to()),
                }
            }
            (_, Style::Flow) => self.unwrap_flow_in_block(entry, data, map.span),
            _ => return Err(Unsafe::Form),
        };
        let comments = self.comments(entry, index, handle, &[around.head, around.tail]);
        self.edits.replace(around.head, around.replacement);
        self.edits.remove(around.tail);
        self.insert_above(entry, &comments);
        Ok(())
    }

    /// Returns the span of a handle's data without the blanks around it.
    fn trimmed_value(&self, data: &Entry) -> Span {
        let text = self.tree.source();
        edit::trimmed(text, edit::whole(self.tree, data.value))
    }

    /// Moves the data of a handle to the left. Returns what is around it in a list and a map on lines of their own.
    fn unwrap_block(&mut self, entry: &Entry, data: &Entry) -> Result<AroundData, Unsafe> {
        let tree = self.tree;
        let text = tree.source();
        let value = self.trimmed_value(data);
        let column_of_data = column(text, data.key_span.from());
        let column_of_field = column(text, entry.key_span.from());
        let width = column_of_data
            .checked_sub(column_of_field)
            .ok_or(Unsafe::Form)?;
        self.edits
            .outdent(text, data.key_span.to(), value.to(), width);
        if matches!(tree.node(data.value).style, Style::Literal | Style::Folded) {
            self.edits.outdent_comments(tree, value, width);
        }
        // What is behind the value on its line, such as a comment, stays.
        let value_line_end = edit::line_end(text, value.to());
        let list_end = edit::content_end(tree, entry.value);
        let tail = if value_line_end < list_end {
            Span::new(value_line_end, edit::line_end(text, list_end))
        } else {
            Span::at(value_line_end)
        };
        Ok(AroundData {
            head: Span::new(entry.key_span.to(), data.key_span.to()),
            replacement: "",
            tail,
        })
    }

    /// Removes the lines below a handle in braces. Returns what is around its data in a list on lines of its own.
    fn unwrap_flow_in_block(&mut self, entry: &Entry, data: &Entry, map: Span) -> AroundData {
        let text = self.tree.source();
        let value = self.trimmed_value(data);
        let map_line_end = edit::line_end(text, map.to());
        let list_line_end = edit::line_end(text, edit::content_end(self.tree, entry.value));
        if map_line_end < list_line_end {
            self.edits.remove(Span::new(map_line_end, list_line_end));
        }
        AroundData {
            head: Span::new(entry.key_span.to(), value.from()),
            replacement: ": ",
            tail: Span::new(value.to(), map.to()),
        }
    }

    /// Writes comments above a field, each on a line of its own.
    fn insert_above(&mut self, field: &Entry, comments: &[String]) {
        if comments.is_empty() {
            return;
        }
        let text = self.tree.source();
        let start = field.key_span.from();
        let line_break = edit::line_break(text, start);
        let indentation =
            edit::lead(text, start).unwrap_or_else(|| " ".repeat(column(text, start)));
        let separator = if edit::begins_line(text, start) {
            ""
        } else {
            " "
        };
        let lines: String = comments
            .iter()
            .map(|comment| format!("{separator}{comment}{line_break}{indentation}"))
            .collect();
        self.edits.insert(start, lines);
    }

    /// Returns the comments in text that goes away and that do not belong to another handle, in order.
    fn comments(&self, entry: &Entry, kept: usize, handle: NodeId, gone: &[Span]) -> Vec<String> {
        let tree = self.tree;
        let text = tree.source();
        let items = tree.items(entry.value);
        let first = edit::line_end(text, entry.key_span.to());
        let from = match kept.checked_sub(1).and_then(|at| items.get(at)) {
            Some(&before) => edit::line_end(text, edit::content_end(tree, before)),
            None => 0,
        };
        let to = edit::line_end(text, edit::content_end(tree, handle));
        gone.iter()
            .flat_map(|&span| edit::comments_in(tree, span))
            .filter(|comment| comment.from() < first || (from..to).contains(&comment.from()))
            .filter_map(|comment| comment.slice_of(text).map(str::to_owned))
            .collect()
    }
}

/// A map with fields that the target version does not have.
struct MapWithLosses {
    map: NodeId,
    /// The entry whose value the map is.
    holder: Option<Entry>,
    /// Where the keys of these fields are.
    lost_keys: Vec<Span>,
}

/// What is written around the data of a handle that is kept.
struct AroundData {
    /// The span before the data.
    head: Span,
    /// What is written in place of `head`.
    replacement: &'static str,
    /// The span behind the data, which goes.
    tail: Span,
}

/// The indentation to insert before each part of a list in brackets.
#[derive(Default)]
struct FlowLines {
    /// The place before the closing bracket.
    end: String,
    /// The place before an item's braces.
    item: String,
    /// The place before an item's fields.
    field: String,
}

/// Returns a key's text, if its name can be found in it.
pub(super) fn key_text<'s>(tree: &Tree<'s>, entry: &Entry) -> Result<&'s str, Unsafe> {
    entry.key_span.slice_of(tree.source()).ok_or(Unsafe::Form)
}

/// Returns the quotes a key is written in.
pub(super) fn quotes(key: &str) -> (&'static str, &'static str) {
    match key.as_bytes().first() {
        Some(b'"') => ("\"", "\""),
        Some(b'\'') => ("'", "'"),
        _ => ("", ""),
    }
}

/// Returns a string in double quotes, for YAML and JSON.
fn quoted(text: &str) -> String {
    let mut plain = String::new();
    print::quote(text, &mut plain);
    print::escape_unprintable(&plain)
}

fn is_last_applied(tree: &Tree<'_>, annotation: &Entry) -> bool {
    tree.text(annotation.key) == LAST_APPLIED
}

/// Returns true if a field is a map of annotations that holds what was applied last, and nothing else.
fn has_only_last_applied(tree: &Tree<'_>, field: &Entry) -> bool {
    let annotations = tree.entries(field.value);
    tree.text(field.key) == "annotations"
        && !annotations.is_empty()
        && annotations.iter().all(|entry| is_last_applied(tree, entry))
}

/// Returns true if a field of `metadata` is taken out as a whole.
fn is_of_server(tree: &Tree<'_>, field: &Entry) -> bool {
    metadata::SERVER_FIELDS.contains(&tree.text(field.key)) || has_only_last_applied(tree, field)
}
