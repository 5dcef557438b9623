//! Field paths: built without allocation while walking, rendered as Kubernetes renders them when a finding needs one.

/// One step of a place in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A key of a mapping.
    Key(String),
    /// An index of a sequence.
    Index(usize),
}

#[derive(Clone, Copy, Debug)]
enum Segment<'p> {
    Root,
    /// `name` in the rendered path, `json` in the tree (they differ for `status.claims` and `spec.metadata.uID`).
    Field {
        name: &'p str,
        json: &'p str,
    },
    Index(usize),
    /// A map key, rendered `[key]`.
    Key(&'p str),
    /// The same, but the rendered name differs from the name in the tree.
    KeyNamed {
        name: &'p str,
        json: &'p str,
    },
    /// A key that locates the finding but is not part of the rendered path, e.g. the key of an invalid label.
    At(&'p str),
    /// The same for a list index.
    AtIndex(usize),
}

/// A field path, linked to its parents on the stack.
#[derive(Clone, Copy, Debug)]
pub struct Path<'p> {
    parent: Option<&'p Path<'p>>,
    segment: Segment<'p>,
}

impl Path<'static> {
    /// The object itself.
    pub const ROOT: Path<'static> = Path { parent: None, segment: Segment::Root };
}

impl<'p> Path<'p> {
    /// A field.
    pub fn field(&'p self, name: &'p str) -> Path<'p> {
        Path { parent: Some(self), segment: Segment::Field { name, json: name } }
    }

    /// A field whose name in upstream's paths is not its JSON name.
    pub fn field_named(&'p self, name: &'p str, json: &'p str) -> Path<'p> {
        Path { parent: Some(self), segment: Segment::Field { name, json } }
    }

    /// A list index.
    pub fn index(&'p self, index: usize) -> Path<'p> {
        Path { parent: Some(self), segment: Segment::Index(index) }
    }

    /// A map key, rendered `[key]`.
    pub fn key(&'p self, key: &'p str) -> Path<'p> {
        Path { parent: Some(self), segment: Segment::Key(key) }
    }

    /// A map key that the rendered path shows in part.
    #[inline(never)]
    pub fn key_named(&'p self, name: &'p str, json: &'p str) -> Path<'p> {
        Path { parent: Some(self), segment: Segment::KeyNamed { name, json } }
    }

    /// A key below this path that the rendered path does not name.
    pub fn at(&'p self, key: &'p str) -> Path<'p> {
        Path { parent: Some(self), segment: Segment::At(key) }
    }

    /// An index below this path that the rendered path does not name.
    pub fn at_index(&'p self, index: usize) -> Path<'p> {
        Path { parent: Some(self), segment: Segment::AtIndex(index) }
    }

    fn chain(&self) -> Vec<Segment<'p>> {
        let mut segments = Vec::with_capacity(8);
        let mut here = Some(*self);
        while let Some(path) = here {
            segments.push(path.segment);
            here = path.parent.copied();
        }
        segments.reverse();
        segments
    }

    /// As Kubernetes prints it; the root prints as an empty text.
    pub fn render(&self) -> String {
        let mut text = String::new();
        for segment in self.chain() {
            match segment {
                Segment::Root | Segment::At(_) | Segment::AtIndex(_) => {}
                Segment::Field { name, .. } => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(name);
                }
                Segment::Index(index) => text.push_str(&format!("[{index}]")),
                Segment::Key(name) | Segment::KeyNamed { name, .. } => text.push_str(&format!("[{name}]")),
            }
        }
        text
    }

    /// Where to look in the tree.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for segment in self.chain() {
            match segment {
                Segment::Root => {}
                Segment::Field { json: "", .. } => {}
                Segment::Field { json: key, .. } | Segment::Key(key) | Segment::KeyNamed { json: key, .. } | Segment::At(key) => {
                    steps.push(Step::Key(key.to_owned()))
                }
                Segment::Index(index) | Segment::AtIndex(index) => steps.push(Step::Index(index)),
            }
        }
        steps
    }
}

/// Steps as Kubernetes prints a path.
pub fn render(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Key(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(name);
            }
            Step::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_like_kubernetes() {
        let status = Path::ROOT.field("status");
        let claims = status.field_named("claims", "resourceClaims");
        let first = claims.index(0);
        let name = first.at("name");
        assert_eq!(name.render(), "status.claims[0]");
        assert_eq!(
            name.steps(),
            [Step::Key("status".into()), Step::Key("resourceClaims".into()), Step::Index(0), Step::Key("name".into())]
        );
    }
}
