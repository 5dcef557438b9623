//! A tolerant outline of a text: keys and items by indentation and brackets, whatever is wrong with the rest.
//!
//! The YAML reader stops where kubectl stops. While a user types, that is often in the middle of the text, so an editor needs
//! another way to find the context of the cursor. One pass, no recursion, no errors.

use claimkit_model::text::Span;

/// Key, item, or text that is neither yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `key:`
    Key,
    /// `-`, or a value in `[…]`.
    Item,
    /// Text without a colon, perhaps the beginning of a key.
    Bare,
}

/// The kind of value after a key or a dash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineValueKind {
    /// Nothing on the same line.
    Nothing,
    Scalar,
    /// `|` or `>` and its lines.
    Block,
    /// `{…}` or `[…]`.
    Flow,
}

/// One key or item.
#[derive(Clone, Copy, Debug)]
pub struct OutlineNode {
    /// The key or item that contains this one; `None` at the top of the document.
    pub parent: Option<usize>,
    /// Index of its document.
    pub document: usize,
    pub role: Role,
    /// The key without quotes; of an item: the dash or nothing; of bare text: the text.
    pub name: Span,
    /// The key with its quotes.
    pub key: Span,
    /// Bytes from the start of the line; 0 inside brackets.
    pub column: usize,
    pub flow: bool,
    /// True if a colon follows the key.
    pub colon: bool,
    /// The value; an empty span at its place if it is missing.
    pub value: Span,
    /// The kind of the value.
    pub value_kind: OutlineValueKind,
}

/// A pair of brackets.
#[derive(Clone, Copy, Debug)]
pub struct Brackets {
    /// From the opening bracket to behind the closing one, or to where reading gave up.
    pub span: Span,
    /// The key or item that holds it.
    pub owner: Option<usize>,
    /// True for `{`.
    pub map: bool,
    /// Index of its document.
    pub document: usize,
}

/// The outline of a text.
#[derive(Debug)]
pub struct Outline<'s> {
    pub text: &'s str,
    /// Keys and items in the order of the text.
    pub nodes: Vec<OutlineNode>,
    /// Brackets; an inner pair comes behind the outer one.
    pub brackets: Vec<Brackets>,
    pub comments: Vec<Span>,
    /// The start of each document.
    pub documents: Vec<usize>,
    /// Open blocks, outermost first.
    open: Vec<usize>,
}

/// An open bracket.
struct Frame {
    /// Its index in `Outline::brackets`.
    brackets: usize,
    /// The index of the key or item whose value it is.
    owner: Option<usize>,
    /// True for `{`, false for `[`.
    map: bool,
    /// The key whose value is awaited or just read.
    pending: Option<usize>,
    /// True if that key has a value already.
    valued: bool,
}

impl<'s> Outline<'s> {
    /// Reads a text.
    pub fn read(text: &'s str) -> Self {
        let mut outline = Outline {
            text,
            nodes: Vec::new(),
            brackets: Vec::new(),
            comments: Vec::new(),
            documents: vec![0],
            open: Vec::new(),
        };
        let mut at = 0usize;
        while at < text.len() {
            at = outline.line(at);
        }
        outline
    }

    /// Returns the byte at an offset; a line feed beyond the end.
    pub fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(b'\n')
    }

    /// Returns the text of a span.
    pub fn slice(&self, span: Span) -> &'s str {
        span.slice_of(self.text).unwrap_or("")
    }

    /// Returns the line an offset is on: start, and end without its line break.
    pub fn line_at(&self, offset: usize) -> Span {
        let head = self.text.as_bytes().get(..offset).unwrap_or_default();
        let start = head
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at.saturating_add(1));
        let mut end = self.line_end(offset.max(start));
        if end > start && self.byte(end.saturating_sub(1)) == b'\r' {
            end = end.saturating_sub(1);
        }
        Span::new(start, end)
    }

    /// Returns the document an offset is in.
    pub fn document_at(&self, offset: usize) -> usize {
        self.documents
            .partition_point(|start| *start <= offset)
            .saturating_sub(1)
    }

    fn line_end(&self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        rest.iter()
            .position(|b| *b == b'\n')
            .map_or(self.text.len(), |n| at.saturating_add(n))
    }

    fn skip(&self, mut at: usize, end: usize) -> usize {
        while at < end && matches!(self.byte(at), b' ' | b'\t' | b'\r') {
            at = at.saturating_add(1);
        }
        at
    }

    fn blank(&self, at: usize) -> bool {
        matches!(self.byte(at), b' ' | b'\t' | b'\r' | b'\n')
    }

    /// Reads one line with its nested lines; returns where the next one begins.
    fn line(&mut self, start: usize) -> usize {
        let end = self.line_end(start);
        let next = end.saturating_add(1);
        let rest = self.text.get(start..end).unwrap_or("");
        if let Some(tail) = rest
            .strip_prefix("---")
            .or_else(|| rest.strip_prefix("..."))
            && tail
                .bytes()
                .next()
                .is_none_or(|b| matches!(b, b' ' | b'\t' | b'\r'))
        {
            self.open.clear();
            self.documents.push(next.min(self.text.len()));
            return next;
        }
        let mut at = self.skip(start, end);
        loop {
            if at >= end || self.byte(at) == b'#' {
                self.comment(at, end);
                return next;
            }
            let column = at.saturating_sub(start);
            if self.byte(at) == b'-' && self.blank(at.saturating_add(1)) {
                self.close_before_item(column);
                let behind = at.saturating_add(1);
                let item = self.push(Role::Item, Span::new(at, behind), column);
                self.open.push(item);
                self.value_place(item, behind);
                at = self.skip(behind, end);
                continue;
            }
            if let Some((key, colon)) = self.key(at, end) {
                self.close(column);
                let node = self.push(Role::Key, key, column);
                self.open.push(node);
                let behind = colon.saturating_add(1);
                if let Some(node) = self.nodes.get_mut(node) {
                    node.colon = true;
                }
                self.value_place(node, behind);
                let value = self.properties(self.skip(behind, end), end);
                return self.value(node, value, end);
            }
            return self.no_key(at, column, end);
        }
    }

    /// Reads a value without a key before it on its line.
    fn no_key(&mut self, at: usize, column: usize, end: usize) -> usize {
        let last = self.open.last().copied();
        let fresh = last.and_then(|last| self.nodes.get(last).map(|node| (last, *node)));
        if let Some((item, node)) = fresh
            && node.role == Role::Item
            && node.value_kind == OutlineValueKind::Nothing
            && self.line_at(at).from() <= node.key.from()
        {
            return self.value(item, at, end);
        }
        if matches!(self.byte(at), b'{' | b'[') {
            let owner = fresh
                .filter(|(_, node)| {
                    node.column < column && node.value_kind == OutlineValueKind::Nothing
                })
                .map(|(owner, _)| owner);
            // JSON values may follow each other without a separator.
            let current = self.documents.len().saturating_sub(1);
            if owner.is_none()
                && self
                    .brackets
                    .last()
                    .is_some_and(|last| last.document == current)
            {
                self.documents.push(at);
            }
            return self.flow(at, owner);
        }
        let scalar = Span::new(at, self.plain_end(at, end));
        match fresh {
            // The next line of a scalar.
            Some((owner, node))
                if node.value_kind == OutlineValueKind::Scalar && node.column < column =>
            {
                if let Some(node) = self.nodes.get_mut(owner) {
                    node.value = node.value.join(scalar);
                }
            }
            _ => {
                self.close(column);
                self.push(Role::Bare, scalar, column);
            }
        }
        self.comment(self.skip(scalar.to(), end), end);
        end.saturating_add(1)
    }

    fn push(&mut self, role: Role, key: Span, column: usize) -> usize {
        let parent = self.open.last().copied();
        self.add(parent, role, key, column)
    }

    fn add_in_flow(&mut self, parent: Option<usize>, role: Role, key: Span) -> usize {
        let added = self.add(parent, role, key, 0);
        if let Some(node) = self.nodes.get_mut(added) {
            node.flow = true;
        }
        added
    }

    fn add(&mut self, parent: Option<usize>, role: Role, key: Span, column: usize) -> usize {
        let quoted = key.len() > 1 && matches!(self.byte(key.from()), b'"' | b'\'');
        let closed = quoted && self.byte(key.to().saturating_sub(1)) == self.byte(key.from());
        let name = Span::new(
            key.from().saturating_add(usize::from(quoted)),
            key.to().saturating_sub(usize::from(closed)),
        );
        self.nodes.push(OutlineNode {
            parent,
            document: self.documents.len().saturating_sub(1),
            role,
            name,
            key,
            column,
            flow: false,
            colon: false,
            value: Span::at(key.to()),
            value_kind: OutlineValueKind::Nothing,
        });
        self.nodes.len().saturating_sub(1)
    }

    fn value_place(&mut self, node: usize, at: usize) {
        let at = if matches!(self.byte(at), b' ' | b'\t') {
            at.saturating_add(1)
        } else {
            at
        };
        if let Some(node) = self.nodes.get_mut(node) {
            node.value = Span::at(at);
        }
    }

    fn comment(&mut self, at: usize, end: usize) {
        if at < end && self.byte(at) == b'#' {
            self.comments.push(Span::new(at, end));
        }
    }

    /// Leaves the blocks that end where something begins at `column`.
    fn close(&mut self, column: usize) {
        self.close_all_but(|node| node.column < column);
    }

    /// Does the same for an item of a list, which may begin in the column of the list's key.
    fn close_before_item(&mut self, column: usize) {
        self.close_all_but(|node| {
            node.column < column || (node.column == column && node.role == Role::Key)
        });
    }

    fn close_all_but(&mut self, stays: impl Fn(&OutlineNode) -> bool) {
        while let Some(node) = self.open.last().and_then(|top| self.nodes.get(*top)) {
            if stays(node) {
                return;
            }
            self.open.pop();
        }
    }

    /// Returns the key that begins at `at`, and its colon.
    fn key(&self, at: usize, end: usize) -> Option<(Span, usize)> {
        let first = self.byte(at);
        if matches!(first, b'{' | b'[' | b'#' | b'|' | b'>' | b'%' | b'@' | b'`') {
            return None;
        }
        if matches!(first, b'"' | b'\'') {
            let behind = self.quoted_end(at, end)?;
            let colon = self.skip(behind, end);
            let is_key = self.byte(colon) == b':' && self.blank(colon.saturating_add(1));
            return is_key.then(|| (Span::new(at, behind), colon));
        }
        let mut here = at;
        while here < end {
            match self.byte(here) {
                b':' if self.blank(here.saturating_add(1)) => {
                    let name = self.text.get(at..here)?.trim_end();
                    return Some((Span::new(at, at.saturating_add(name.len())), here));
                }
                b'#' if here > at && self.blank(here.saturating_sub(1)) => return None,
                _ => here = here.saturating_add(1),
            }
        }
        None
    }

    /// Returns the offset after the closing quote, if there is one before `end`, or on the same line without `end`.
    fn quoted_end(&self, at: usize, end: impl Into<Option<usize>>) -> Option<usize> {
        let limit: Option<usize> = end.into();
        let end = limit.unwrap_or(self.text.len());
        let quote = self.byte(at);
        let mut here = at.saturating_add(1);
        while here < end {
            match self.byte(here) {
                b'\n' if limit.is_none() => return None,
                b'\\' if quote == b'"' => here = here.saturating_add(2),
                b if b == quote => {
                    let behind = here.saturating_add(1);
                    if quote == b'\'' && behind < end && self.byte(behind) == quote {
                        here = behind.saturating_add(1);
                    } else {
                        return Some(behind);
                    }
                }
                _ => here = here.saturating_add(1),
            }
        }
        None
    }

    fn plain_end(&self, at: usize, end: usize) -> usize {
        let text = self.text.get(at..end).unwrap_or("");
        let cut = text
            .find(" #")
            .or_else(|| text.find("\t#"))
            .unwrap_or(text.len());
        at.saturating_add(text.get(..cut).unwrap_or("").trim_end().len())
    }

    /// Skips a tag and an anchor.
    fn properties(&self, mut at: usize, end: usize) -> usize {
        while at < end && matches!(self.byte(at), b'&' | b'!') {
            while at < end && !self.blank(at) {
                at = at.saturating_add(1);
            }
            at = self.skip(at, end);
        }
        at
    }

    /// Reads the value of a key or item; gives where the next line begins.
    fn value(&mut self, node: usize, at: usize, end: usize) -> usize {
        let next = end.saturating_add(1);
        if at >= end || self.byte(at) == b'#' {
            self.comment(at, end);
            return next;
        }
        let column = self.nodes.get(node).map_or(0, |node| node.column);
        let (value_kind, span) = match self.byte(at) {
            b'{' | b'[' => return self.flow(at, Some(node)),
            b'|' | b'>' => (
                OutlineValueKind::Block,
                Span::new(at, self.deeper_end(end, column)),
            ),
            b'"' | b'\'' => {
                let stop = self
                    .quoted_end(at, end)
                    .or_else(|| self.quoted_end(at, self.deeper_end(end, column)));
                (
                    OutlineValueKind::Scalar,
                    Span::new(at, stop.unwrap_or_else(|| self.plain_end(at, end))),
                )
            }
            _ => (
                OutlineValueKind::Scalar,
                Span::new(at, self.plain_end(at, end)),
            ),
        };
        if let Some(node) = self.nodes.get_mut(node) {
            node.value_kind = value_kind;
            node.value = span;
        }
        let last = self.line_end(span.to());
        self.comment(self.skip(span.to(), last), last);
        last.saturating_add(1)
    }

    /// Returns the end of the lines after `end` that are blank or deeper than `column`.
    fn deeper_end(&self, mut end: usize, column: usize) -> usize {
        loop {
            let start = end.saturating_add(1);
            if start >= self.text.len() {
                return end.min(self.text.len());
            }
            let stop = self.line_end(start);
            let text = self.skip(start, stop);
            if text < stop && text.saturating_sub(start) <= column {
                return end;
            }
            end = stop;
        }
    }

    /// Adds brackets, of which only the opening one is read.
    fn begin_brackets(&mut self, span: Span, owner: Option<usize>, map: bool) -> Frame {
        let brackets = self.brackets.len();
        self.brackets.push(Brackets {
            span,
            owner,
            map,
            document: self.documents.len().saturating_sub(1),
        });
        Frame {
            brackets,
            owner,
            map,
            pending: None,
            valued: false,
        }
    }

    /// Reads `{…}` or `[…]`, over lines; gives where the next line begins.
    fn flow(&mut self, start: usize, owner: Option<usize>) -> usize {
        let base = owner
            .and_then(|owner| self.nodes.get(owner))
            .map(|node| node.column);
        let mut frames: Vec<Frame> = Vec::new();
        let mut at = start;
        loop {
            let byte = self.byte(at);
            let here = at;
            at = at.saturating_add(1);
            if here >= self.text.len() {
                break;
            }
            match byte {
                b'\n' => {
                    if self
                        .text
                        .get(at..)
                        .is_some_and(|rest| rest.starts_with("---"))
                        || self.left(at, base)
                    {
                        at = here;
                        break;
                    }
                }
                b' ' | b'\t' | b'\r' => {}
                b'#' if self.blank(here.saturating_sub(1)) => {
                    at = self.line_end(here);
                    self.comments.push(Span::new(here, at));
                }
                b'{' | b'[' => {
                    let holder = if frames.is_empty() {
                        owner
                    } else {
                        self.receive(&mut frames, Span::at(here), OutlineValueKind::Flow)
                    };
                    let frame = self.begin_brackets(Span::new(here, at), holder, byte == b'{');
                    frames.push(frame);
                }
                b'}' | b']' => {
                    if let Some(frame) = frames.pop() {
                        self.end_brackets(&frame, at);
                    }
                    if frames.is_empty() {
                        break;
                    }
                }
                b',' => {
                    if let Some(frame) = frames.last_mut() {
                        frame.pending = None;
                        frame.valued = false;
                    }
                }
                b':' => {
                    if let Some(node) = frames.last().and_then(|frame| frame.pending) {
                        if let Some(node) = self.nodes.get_mut(node) {
                            node.colon = true;
                        }
                        self.value_place(node, at);
                    }
                }
                _ => {
                    at = self.flow_scalar_end(here);
                    self.receive(&mut frames, Span::new(here, at), OutlineValueKind::Scalar);
                }
            }
        }
        for frame in &frames {
            self.end_brackets(frame, at.min(self.text.len()));
        }
        self.line_end(at).saturating_add(1)
    }

    /// Returns true if the line at `start` is a key at the level of the bracket's owner or above: the brackets were never closed.
    fn left(&self, start: usize, base: Option<usize>) -> bool {
        let Some(base) = base else { return false };
        let end = self.line_end(start);
        let at = self.skip(start, end);
        at < end
            && at.saturating_sub(start) <= base
            && !matches!(self.byte(at), b'"' | b'\'' | b'}' | b']' | b',')
            && self.key(at, end).is_some()
    }

    fn end_brackets(&mut self, frame: &Frame, end: usize) {
        if let Some(brackets) = self.brackets.get_mut(frame.brackets) {
            brackets.span = Span::new(brackets.span.from(), end);
            let span = brackets.span;
            if let Some(node) = frame.owner.and_then(|owner| self.nodes.get_mut(owner)) {
                node.value = span;
                node.value_kind = OutlineValueKind::Flow;
            }
        }
    }

    /// Takes a scalar or opening bracket in: a key, the value of one, or an item.
    fn receive(
        &mut self,
        frames: &mut [Frame],
        span: Span,
        value_kind: OutlineValueKind,
    ) -> Option<usize> {
        let frame = frames.last_mut()?;
        let awaited = frame
            .pending
            .filter(|node| !frame.valued && self.nodes.get(*node).is_some_and(|node| node.colon));
        let node = match awaited {
            Some(node) => node,
            None if frame.map => {
                let key = self.add_in_flow(frame.owner, Role::Key, span);
                frame.pending = Some(key);
                frame.valued = false;
                return Some(key);
            }
            None => self.add_in_flow(frame.owner, Role::Item, Span::at(span.from())),
        };
        frame.valued = true;
        if let Some(node) = self.nodes.get_mut(node) {
            node.value_kind = value_kind;
            node.value = span;
        }
        Some(node)
    }

    /// Returns `end` without the spaces before it.
    fn end_without_spaces(&self, at: usize, end: usize) -> usize {
        let text = self.text.get(at..end).unwrap_or_default();
        at.saturating_add(text.trim_end().len())
    }

    fn flow_scalar_end(&self, at: usize) -> usize {
        if matches!(self.byte(at), b'"' | b'\'') {
            return self
                .quoted_end(at, None)
                .unwrap_or_else(|| self.end_without_spaces(at, self.line_end(at)));
        }
        let mut here = at.saturating_add(1);
        loop {
            match self.byte(here) {
                b',' | b'{' | b'}' | b'[' | b']' | b'\n' => break,
                b':' if self.blank(here.saturating_add(1)) => break,
                b'#' if self.blank(here.saturating_sub(1)) => break,
                _ => here = here.saturating_add(1),
            }
        }
        self.end_without_spaces(at, here).max(at.saturating_add(1))
    }
}
