//! The text of one step between adjacent versions: structs that are wrapped in a field or taken out of one.

use super::edits::{column, key_text, quotes};
use super::fields::pointee;
use super::job::{self, Pass};
use super::lines::{self, colon_after, remove_key_line};
use super::reshape::{goes_into, says_something, stands_for_absent};
use claimkit_model::schema::steps::{self, StructChange, wraps_value};
use claimkit_model::schema::{FieldType, Struct};
use claimkit_model::text::Span;
use claimkit_model::text::edit::{self, Edits, Unsafe, begins_line, line_start};
use claimkit_model::text::tree::{Entry, Kind, NodeId, Style, Tree};

/// Returns the edits that give one object the shape of the adjacent version. `unit`: the indentation of the document.
pub fn object(tree: &Tree<'_>, node: NodeId, pass: &Pass, unit: usize) -> Result<Edits, Unsafe> {
    let mut shape = Shape {
        tree,
        pass,
        unit,
        edits: Edits::new(),
    };
    shape.record(node, pass.from, pass.to)?;
    Ok(shape.edits)
}

struct Shape<'t, 's, 'p> {
    tree: &'t Tree<'s>,
    pass: &'p Pass,
    unit: usize,
    edits: Edits,
}

impl Shape<'_, '_, '_> {
    // ---- which structs change; recursion is bounded by the depth of the tables ----

    fn record(
        &mut self,
        map: NodeId,
        from: &'static Struct,
        to: &'static Struct,
    ) -> Result<(), Unsafe> {
        if std::ptr::eq(from, to) || !self.tree.is_map(map) {
            return Ok(());
        }
        let change = steps::change(self.pass.rows, from, to);
        match change {
            Some(StructChange::Wrap {
                into,
                inner,
                always,
                ..
            }) => self.wrap(map, from, into, inner, always)?,
            Some(StructChange::Hoist { field, .. }) => self.hoist(map, field)?,
            None => {
                let (tree, pass) = (self.tree, self.pass);
                let zero = |entry: &Entry| {
                    stands_for_absent(tree, pass, from, tree.text(entry.key), entry)
                };
                self.edits.remove_entries(tree, map, zero)?;
            }
        }
        for entry in self.tree.entries(map) {
            let name = self.tree.text(entry.key);
            match change {
                Some(StructChange::Hoist { field, inner, .. }) if field == name => {
                    for entry in self.tree.entries(entry.value) {
                        self.field(entry, inner, to)?;
                    }
                }
                Some(StructChange::Wrap { inner, .. })
                    if goes_into(self.pass, from, inner, name) =>
                {
                    self.field(entry, from, inner)?
                }
                _ => self.field(entry, from, to)?,
            }
        }
        Ok(())
    }

    fn field(
        &mut self,
        entry: &Entry,
        from: &'static Struct,
        to: &'static Struct,
    ) -> Result<(), Unsafe> {
        let name = self.tree.text(entry.key);
        let new = steps::new_name(self.pass.rows, from, to, name);
        if new != name {
            self.edits.rename_key(self.tree, entry, name, new)?;
        }
        let ty = |schema: &'static Struct, name| {
            schema
                .slot(name)
                .and_then(|slot| schema.fields.get(slot))
                .map(|field| &field.ty)
        };
        match (ty(from, name), ty(to, new)) {
            (Some(from), Some(to)) => self.value(entry.value, from, to),
            _ => Ok(()),
        }
    }

    fn value(
        &mut self,
        node: NodeId,
        from: &'static FieldType,
        to: &'static FieldType,
    ) -> Result<(), Unsafe> {
        match (pointee(from), pointee(to)) {
            (FieldType::Struct(from), FieldType::Struct(to)) => self.record(node, from, to),
            (FieldType::List(from), FieldType::List(to)) => self
                .tree
                .items(node)
                .iter()
                .try_for_each(|&item| self.value(item, from, to)),
            (FieldType::Map(from), FieldType::Map(to)) => {
                self.tree.entries(node).iter().try_for_each(|entry| {
                    match (&from.value, &to.value) {
                        (FieldType::Quantity, FieldType::Struct(inner)) => {
                            self.wrap_value(node, entry, wraps_value(self.pass.rows, inner))
                        }
                        (FieldType::Struct(inner), FieldType::Quantity) => {
                            self.unwrap_value(node, entry, wraps_value(self.pass.rows, inner))
                        }
                        (from, to) => self.value(entry.value, from, to),
                    }
                })
            }
            _ => Ok(()),
        }
    }

    // ---- fields go into a struct of their own ----

    fn wrap(
        &mut self,
        map: NodeId,
        from: &'static Struct,
        into: &'static str,
        inner: &'static Struct,
        always: bool,
    ) -> Result<(), Unsafe> {
        let tree = self.tree;
        let flow = edit::is_flow(tree, map);
        let pass = self.pass;
        let chosen = |entry: &Entry| goes_into(pass, from, inner, tree.text(entry.key));
        let entries = tree.entries(map);
        for entry in entries.iter().filter(|entry| chosen(entry)) {
            edit::editable(tree, entry, flow)?;
        }
        if !always && !says_something(tree, map, pass, from, inner) {
            return self.edits.remove_entries(tree, map, chosen);
        }
        let Some(start) = entries.iter().position(chosen) else {
            return if always {
                self.append_empty(map, into, flow)
            } else {
                Ok(())
            };
        };
        let run = entries
            .get(start..)
            .unwrap_or(&[])
            .iter()
            .take_while(|entry| chosen(entry))
            .count();
        let run = entries.get(start..start.saturating_add(run)).unwrap_or(&[]);
        let (Some(first), Some(last)) = (run.first(), run.last()) else {
            return Ok(());
        };
        let kept: Vec<Span> = run.iter().map(|entry| entry.key_span).collect();
        let later: Vec<Entry> = entries
            .iter()
            .filter(|entry| chosen(entry) && !kept.contains(&entry.key_span))
            .copied()
            .collect();
        if flow {
            self.wrap_flow(map, into, first, last, &later)
        } else {
            self.wrap_block(into, first, last, &later)
        }?;
        let moved = |entry: &Entry| later.iter().any(|one| one.key_span == entry.key_span);
        self.edits.remove_entries(tree, map, moved)
    }

    fn named(&self, like: &Entry, name: &str) -> Result<String, Unsafe> {
        let (open, close) = quotes(key_text(self.tree, like)?);
        Ok(format!("{open}{name}{close}"))
    }

    /// Returns one past the last byte of an entry and of everything it holds.
    fn end(&self, entry: &Entry) -> usize {
        edit::entry_end(self.tree, entry).max(edit::content_end(self.tree, entry.value))
    }

    fn wrap_block(
        &mut self,
        into: &str,
        first: &Entry,
        last: &Entry,
        later: &[Entry],
    ) -> Result<(), Unsafe> {
        let tree = self.tree;
        let text = tree.source();
        let unit = self.unit;
        let at = first.key_span.from();
        let pad = edit::lead(text, at).ok_or(Unsafe::Form)?;
        let line_break = edit::line_break(text, at);
        let name = self.named(first, into)?;
        let inner = " ".repeat(unit);
        let line = line_start(text, at);
        let deep = if begins_line(text, at) {
            lines::deep_comments(tree, line, pad.len().saturating_add(unit))
        } else {
            line
        };
        let width = name.len().saturating_add(1);
        let behind_dash = match begins_line(text, at) {
            true => lines::blanks_behind_dash(tree, deep, pad.len(), width),
            false => None,
        };
        if let Some(from) = behind_dash {
            self.edits.replace(
                Span::new(from, from.saturating_add(width)),
                format!("{name}:"),
            );
            self.edits.insert(at, inner.clone());
        } else if deep < line {
            self.key_line_above(deep, &pad, &name, line_break);
            self.edits.insert(at, inner.clone());
        } else {
            self.edits
                .insert(at, format!("{name}:{line_break}{pad}{inner}"));
        }
        let end = self.end(last);
        lines::indent(&mut self.edits, tree, at, end, pad.len(), unit);
        if !later.is_empty() {
            let mut moved = String::new();
            for entry in later {
                let from = edit::own_comments(tree, entry.key_span.from());
                let to = edit::line_end(text, self.end(entry));
                for line in text.get(from..to).ok_or(Unsafe::Form)?.lines() {
                    moved.push_str(line_break);
                    if !line.is_empty() {
                        moved.push_str(&inner);
                        moved.push_str(line);
                    }
                }
            }
            self.edits.insert(edit::line_end(text, end), moved);
        }
        Ok(())
    }

    /// Writes a key above the comment line at `deep`, or into that line's indentation if the comment is far enough to the right.
    fn key_line_above(&mut self, deep: usize, pad: &str, name: &str, line_break: &str) {
        let width = name.len().saturating_add(1);
        let key_end = pad.len().saturating_add(width);
        // A comment exactly one level deeper was below the key, even if the key is short.
        let below = pad.len().saturating_add(self.unit);
        if lines::comment_column(self.tree, deep)
            .is_some_and(|column| column > key_end && column != below)
        {
            let from = deep.saturating_add(pad.len());
            self.edits.replace(
                Span::new(from, from.saturating_add(width)),
                format!("{name}:"),
            );
        } else {
            self.edits.insert(deep, format!("{pad}{name}:{line_break}"));
        }
    }

    fn wrap_flow(
        &mut self,
        map: NodeId,
        into: &str,
        first: &Entry,
        last: &Entry,
        later: &[Entry],
    ) -> Result<(), Unsafe> {
        let tree = self.tree;
        let text = tree.source();
        let at = first.key_span.from();
        let name = self.named(first, into)?;
        let colon = self.separator(first);
        let end = self.end(last);
        let lines = self.flow_lines(map, first);
        self.edits
            .insert(at, format!("{name}{colon}{{{}", lines.field));
        let mut closing = String::new();
        for entry in later {
            let chunk = text
                .get(entry.key_span.from()..self.end(entry))
                .ok_or(Unsafe::Form)?;
            closing.push(',');
            closing.push_str(match (lines.field.is_empty(), colon) {
                (false, _) => &lines.field,
                (true, ":") => "",
                (true, _) => " ",
            });
            closing.push_str(&chunk.replace('\n', &format!("\n{}", lines.unit)));
        }
        closing.push_str(&lines.end);
        closing.push('}');
        self.edits.insert(end, closing);
        if !lines.unit.is_empty() {
            for start in edit::lines_between(text, at, end) {
                self.edits.insert(start, lines.unit.clone());
            }
        }
        Ok(())
    }

    /// Returns the text between a key and its value in brackets: `:` or `: `.
    fn separator(&self, entry: &Entry) -> &'static str {
        let value = edit::whole(self.tree, entry.value);
        let between = self
            .tree
            .source()
            .get(entry.key_span.to()..value.from())
            .unwrap_or("");
        if between == ":" { ":" } else { ": " }
    }

    fn flow_lines(&self, map: NodeId, first: &Entry) -> FlowLines {
        let text = self.tree.source();
        let at = first.key_span.from();
        let start = line_start(text, at);
        let pad = text.get(start..at).unwrap_or("");
        let open = self.tree.span(self.tree.resolve(map)).from();
        if start <= open || !pad.chars().all(|c| c == ' ' || c == '\t') {
            return FlowLines::default();
        }
        let outer = text.get(line_start(text, open)..).unwrap_or("");
        let outer = outer
            .get(
                ..outer
                    .len()
                    .saturating_sub(outer.trim_start_matches([' ', '\t']).len()),
            )
            .unwrap_or("");
        let unit = pad
            .strip_prefix(outer)
            .filter(|unit| !unit.is_empty())
            .unwrap_or("  ");
        let end = format!("{}{pad}", edit::line_break(text, at));
        FlowLines {
            field: format!("{end}{unit}"),
            unit: unit.to_owned(),
            end,
        }
    }

    fn append_empty(&mut self, map: NodeId, into: &str, flow: bool) -> Result<(), Unsafe> {
        let tree = self.tree;
        let text = tree.source();
        let last = tree.entries(map).last().ok_or(Unsafe::Form)?;
        edit::editable(tree, last, flow)?;
        let name = self.named(last, into)?;
        let end = self.end(last);
        if flow {
            let colon = self.separator(last);
            let lines = self.flow_lines(map, last);
            let gap = if lines.unit.is_empty() {
                if colon == ":" { "" } else { " " }
            } else {
                &lines.end
            };
            self.edits.insert(end, format!(",{gap}{name}{colon}{{}}"));
        } else {
            let pad = edit::lead(text, last.key_span.from()).ok_or(Unsafe::Form)?;
            let line_break = edit::line_break(text, end);
            let written = format!("{name}: {{}}");
            match self.comment_of_empty(end, pad.len(), written.len()) {
                Some(blanks) => self.edits.replace(blanks, written),
                None => self.edits.insert(
                    edit::line_end(text, end),
                    format!("{line_break}{pad}{written}"),
                ),
            }
        }
        Ok(())
    }

    /// Returns the spaces before a comment that followed an empty struct: see `hoist_empty`.
    fn comment_of_empty(&self, end: usize, column: usize, width: usize) -> Option<Span> {
        let text = self.tree.source();
        let mut line = edit::next_line(text, end);
        while let Some(at) = lines::comment_column(self.tree, line) {
            if at > column.saturating_add(width) {
                let from = line.saturating_add(column);
                return Some(Span::new(from, from.saturating_add(width)));
            }
            line = edit::next_line(text, line);
        }
        None
    }

    // ---- fields come out of a struct of their own ----

    fn hoist(&mut self, map: NodeId, field: &'static str) -> Result<(), Unsafe> {
        let tree = self.tree;
        let flow = edit::is_flow(tree, map);
        for entry in job::occurrences(tree, map, field) {
            edit::editable(tree, entry, flow)?;
            let node = tree.node(entry.value);
            let holds = tree.is_map(entry.value) && !tree.entries(entry.value).is_empty();
            if !holds {
                self.hoist_empty(map, entry, flow)?;
            } else if !node.properties.is_empty() || matches!(node.kind, Kind::Alias(_)) {
                return Err(Unsafe::Form);
            } else if flow {
                self.hoist_flow(entry)?;
            } else if node.style == Style::Flow {
                self.hoist_brackets(entry)?;
            } else {
                self.hoist_block(entry)?;
            }
        }
        Ok(())
    }

    /// Removes an empty struct; the comment after it keeps its place.
    fn hoist_empty(&mut self, map: NodeId, entry: &Entry, flow: bool) -> Result<(), Unsafe> {
        let tree = self.tree;
        let text = tree.source();
        let (from, end) = (entry.key_span.from(), self.end(entry));
        if flow || !begins_line(text, from) || edit::line_end(text, from) < end {
            let key = entry.key_span;
            return self
                .edits
                .remove_entries(tree, map, |entry| entry.key_span == key);
        }
        if lines::comment_behind(tree, end).is_some() {
            self.edits
                .replace(Span::new(from, end), " ".repeat(end.saturating_sub(from)));
        } else if edit::next_line(text, end) < text.len() {
            self.edits.remove(Span::new(
                line_start(text, from),
                edit::next_line(text, end),
            ));
        } else {
            let key = entry.key_span;
            self.edits
                .remove_entries(tree, map, |entry| entry.key_span == key)?;
        }
        Ok(())
    }

    fn hoist_block(&mut self, entry: &Entry) -> Result<(), Unsafe> {
        let tree = self.tree;
        let text = tree.source();
        let inner = tree.entries(entry.value);
        inner
            .iter()
            .try_for_each(|entry| edit::editable_in_block(tree, entry))?;
        let (Some(first), Some(last)) = (inner.first(), inner.last()) else {
            return Err(Unsafe::Form);
        };
        let (key, at) = (entry.key_span, first.key_span.from());
        if !begins_line(text, at) || line_start(text, at) <= key.from() {
            return Err(Unsafe::Form);
        }
        let colon = colon_after(text, key).ok_or(Unsafe::Form)?;
        let inner_column = column(text, at);
        let outer_column = edit::lead(text, key.from()).ok_or(Unsafe::Form)?.len();
        let width = inner_column.checked_sub(outer_column).ok_or(Unsafe::Form)?;
        let next = edit::next_line(text, colon);
        if next == line_start(text, at) && lines::comment_behind(tree, colon).is_none() {
            // The text after the key takes its place.
            self.edits.remove(Span::new(key.from(), at));
        } else {
            remove_key_line(&mut self.edits, tree, key, colon);
            self.edits.remove(Span::new(
                line_start(text, at),
                line_start(text, at).saturating_add(width),
            ));
        }
        let end = self.end(last);
        lines::outdent(&mut self.edits, tree, at, end, inner_column, width);
        if let Some(scalar) = self.block_scalar_at_end(last) {
            self.edits.outdent_comments(tree, scalar, width);
        }
        Ok(())
    }

    /// Returns the block scalar that ends an entry.
    fn block_scalar_at_end(&self, entry: &Entry) -> Option<Span> {
        let tree = self.tree;
        let mut node = entry.value;
        loop {
            let here = tree.node(node);
            match here.kind {
                Kind::Seq { .. } => node = *tree.items(node).last()?,
                Kind::Map { .. } => node = tree.entries(node).last()?.value,
                _ => {
                    let span = edit::trimmed(tree.source(), edit::whole(tree, node));
                    return matches!(here.style, Style::Literal | Style::Folded).then_some(span);
                }
            }
        }
    }

    fn hoist_flow(&mut self, entry: &Entry) -> Result<(), Unsafe> {
        let tree = self.tree;
        let text = tree.source();
        let inner = tree.entries(entry.value);
        inner
            .iter()
            .try_for_each(|entry| edit::editable_in_flow(tree, entry))?;
        let (Some(first), Some(last)) = (inner.first(), inner.last()) else {
            return Err(Unsafe::Form);
        };
        let (key, at, end) = (entry.key_span.from(), first.key_span.from(), self.end(last));
        let close = tree.span(entry.value).to();
        let (head, tail) = (Span::new(key, at), Span::new(end, close));
        if !edit::comments_in(tree, head).is_empty() || !edit::comments_in(tree, tail).is_empty() {
            return Err(Unsafe::Form);
        }
        self.edits.remove(head);
        self.edits.remove(tail);
        let width = column(text, at).saturating_sub(column(text, key));
        if line_start(text, at) > key {
            for start in edit::lines_between(text, at, end) {
                let line = text.get(start..).unwrap_or("");
                let blanks = line
                    .bytes()
                    .take(width)
                    .take_while(|&b| b == b' ' || b == b'\t')
                    .count();
                self.edits
                    .remove(Span::new(start, start.saturating_add(blanks)));
            }
        }
        Ok(())
    }

    /// Puts the fields of `exactly: {count: 1, …}` on lines of their own, like those around it.
    fn hoist_brackets(&mut self, entry: &Entry) -> Result<(), Unsafe> {
        let tree = self.tree;
        let text = tree.source();
        let whole = tree.span(entry.value);
        if !edit::comments_in(tree, whole).is_empty() {
            return Err(Unsafe::Form);
        }
        let pad = edit::lead(text, entry.key_span.from()).ok_or(Unsafe::Form)?;
        let line_break = edit::line_break(text, entry.key_span.from());
        let mut fields = Vec::new();
        for entry in tree.entries(entry.value) {
            edit::editable_in_flow(tree, entry)?;
            fields.push(
                text.get(entry.key_span.from()..self.end(entry))
                    .ok_or(Unsafe::Form)?,
            );
        }
        self.edits.replace(
            Span::new(entry.key_span.from(), whole.to()),
            fields.join(&format!("{line_break}{pad}")),
        );
        Ok(())
    }

    // ---- plain values and structs of one field ----

    fn wrap_value(
        &mut self,
        map: NodeId,
        entry: &Entry,
        into: Option<&'static str>,
    ) -> Result<(), Unsafe> {
        let tree = self.tree;
        let text = tree.source();
        let flow = edit::is_flow(tree, map);
        let Some(into) = into.filter(|_| !job::is_null(tree, entry.value)) else {
            return Ok(());
        };
        edit::editable(tree, entry, flow)?;
        let value = edit::whole(tree, entry.value);
        let value = edit::trimmed(text, value);
        let written = value.slice_of(text).unwrap_or("");
        let colon = colon_after(text, entry.key_span).ok_or(Unsafe::Form)?;
        if written.contains(['\n', '\r']) || edit::line_end(text, colon) < value.from() {
            return Err(Unsafe::Form);
        }
        if flow {
            let name = self.named(entry, into)?;
            let lines = self.flow_lines(map, entry);
            self.edits.insert(
                value.from(),
                format!("{{{}{name}{}", lines.field, self.separator(entry)),
            );
            self.edits.insert(value.to(), format!("{}}}", lines.end));
            return Ok(());
        }
        let at = entry.key_span.from();
        let pad = edit::lead(text, at).ok_or(Unsafe::Form)?;
        let inner = " ".repeat(self.unit);
        let line = line_start(text, at);
        let line_break = edit::line_break(text, at);
        let key = key_text(tree, entry)?.to_owned();
        let deep = lines::deep_comments(tree, line, pad.len().saturating_add(self.unit));
        // If a key is shorter than one indentation level, a comment after it is left of the comments below it.
        let key_end = pad.len().saturating_add(key.len()).saturating_add(1);
        let deep = lines::comment_above(tree, deep, |column| column > key_end);
        let short =
            lines::comment_above(tree, deep, |column| column == pad.len().saturating_add(1));
        if short < deep && key_end < pad.len().saturating_add(self.unit) && begins_line(text, at) {
            let from = short.saturating_add(pad.len());
            let width = self.unit;
            self.edits.replace(
                Span::new(from, from.saturating_add(1)),
                format!("{:width$}", format!("{key}:")),
            );
            self.edits.replace(entry.key_span, format!("{inner}{into}"));
        } else if deep < line && begins_line(text, at) {
            self.key_line_above(deep, &pad, &key, line_break);
            self.edits.replace(entry.key_span, format!("{inner}{into}"));
        } else {
            self.edits
                .insert(colon, format!("{line_break}{pad}{inner}{into}:"));
        }
        Ok(())
    }

    fn unwrap_value(
        &mut self,
        map: NodeId,
        entry: &Entry,
        from: Option<&'static str>,
    ) -> Result<(), Unsafe> {
        let tree = self.tree;
        let text = tree.source();
        let flow = edit::is_flow(tree, map);
        let Some(value) = from.and_then(|from| tree.entry(entry.value, from)) else {
            return Ok(());
        };
        edit::editable(tree, entry, flow)?;
        let node = tree.node(entry.value);
        // All other fields have been removed already.
        if tree.entries(entry.value).len() != 1
            || !node.properties.is_empty()
            || matches!(node.kind, Kind::Alias(_))
        {
            return Err(Unsafe::Form);
        }
        edit::editable(tree, value, flow || node.style == Style::Flow)?;
        let colon = colon_after(text, entry.key_span).ok_or(Unsafe::Form)?;
        if node.style == Style::Flow {
            let inner = edit::whole(tree, value.value);
            let (head, tail) = (
                Span::new(node.span.from(), inner.from()),
                Span::new(inner.to(), node.span.to()),
            );
            if !edit::comments_in(tree, node.span).is_empty() {
                return Err(Unsafe::Form);
            }
            self.edits.remove(head);
            self.edits.remove(tail);
            return Ok(());
        }
        let at = value.key_span.from();
        if !begins_line(text, at) || line_start(text, at) <= entry.key_span.from() {
            return Err(Unsafe::Form);
        }
        if edit::next_line(text, colon) == line_start(text, at)
            && lines::comment_behind(tree, colon).is_none()
        {
            let inner_colon = colon_after(text, value.key_span).ok_or(Unsafe::Form)?;
            self.edits.remove(Span::new(colon, inner_colon));
        } else {
            let pad = edit::lead(text, entry.key_span.from()).ok_or(Unsafe::Form)?;
            let key = key_text(tree, entry)?;
            let below = pad.len().saturating_add(self.unit);
            match lines::comment_behind(tree, colon) {
                // At its own column it could be mistaken for a comment below the key. One column right of the key marks it as the
                // key's own comment.
                Some(comment) if column(text, comment.from()) == below => {
                    self.edits
                        .replace(Span::new(entry.key_span.from(), comment.from()), " ");
                }
                _ => remove_key_line(&mut self.edits, tree, entry.key_span, colon),
            }
            self.edits.replace(
                Span::new(line_start(text, at), value.key_span.to()),
                format!("{pad}{key}"),
            );
        }
        Ok(())
    }
}

/// Line ends and indentation of a struct in brackets: all empty unless its fields are on lines of their own.
#[derive(Default)]
struct FlowLines {
    /// Before the closing bracket.
    end: String,
    field: String,
    /// How far fields are indented.
    unit: String,
}
