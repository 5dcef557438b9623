//! Field paths: built without allocation while walking, rendered as Kubernetes renders them when a finding needs one.

/// One step of a place in the tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    /// The path of the object itself.
    pub const ROOT: Path<'static> = Path {
        parent: None,
        segment: Segment::Root,
    };
}

impl<'p> Path<'p> {
    /// Returns the path of a field.
    pub fn field(&'p self, name: &'p str) -> Path<'p> {
        Path {
            parent: Some(self),
            segment: Segment::Field { name, json: name },
        }
    }

    /// Adds a field whose name in upstream's paths is not its JSON name.
    pub fn field_named(&'p self, name: &'p str, json: &'p str) -> Path<'p> {
        Path {
            parent: Some(self),
            segment: Segment::Field { name, json },
        }
    }

    /// Returns the path of a list item.
    pub fn index(&'p self, index: usize) -> Path<'p> {
        Path {
            parent: Some(self),
            segment: Segment::Index(index),
        }
    }

    /// Adds a map key, rendered `[key]`.
    pub fn key(&'p self, key: &'p str) -> Path<'p> {
        Path {
            parent: Some(self),
            segment: Segment::Key(key),
        }
    }

    /// Adds a map key that the rendered path shows in part.
    #[inline(never)]
    pub fn key_named(&'p self, name: &'p str, json: &'p str) -> Path<'p> {
        Path {
            parent: Some(self),
            segment: Segment::KeyNamed { name, json },
        }
    }

    /// Adds a key below this path that the rendered path does not name.
    pub fn at(&'p self, key: &'p str) -> Path<'p> {
        Path {
            parent: Some(self),
            segment: Segment::At(key),
        }
    }

    /// Adds an index below this path that the rendered path does not name.
    pub fn at_index(&'p self, index: usize) -> Path<'p> {
        Path {
            parent: Some(self),
            segment: Segment::AtIndex(index),
        }
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

    /// Prints the path as Kubernetes does; the root is an empty text.
    pub fn render(&self) -> String {
        let mut text = String::with_capacity(64);
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
                Segment::Key(name) | Segment::KeyNamed { name, .. } => {
                    text.push_str(&format!("[{name}]"))
                }
            }
        }
        text
    }

    /// Returns the steps to take in the tree.
    pub fn steps(&self) -> Vec<Step> {
        let chain = self.chain();
        let mut steps = Vec::with_capacity(chain.len());
        for segment in chain {
            match segment {
                Segment::Root => {}
                Segment::Field { json: "", .. } => {}
                Segment::Field { json: key, .. }
                | Segment::Key(key)
                | Segment::KeyNamed { json: key, .. }
                | Segment::At(key) => steps.push(Step::Key(key.to_owned())),
                Segment::Index(index) | Segment::AtIndex(index) => steps.push(Step::Index(index)),
            }
        }
        steps
    }
}

/// One step of a [`FieldPath`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    Field(&'static str),
    /// An index of a list, printed `[0]`.
    Index(usize),
    /// A key of a map, printed `[key]`.
    Key(String),
}

impl From<&'static str> for PathStep {
    fn from(field: &'static str) -> Self {
        PathStep::Field(field)
    }
}

impl From<usize> for PathStep {
    fn from(index: usize) -> Self {
        PathStep::Index(index)
    }
}

/// A field path that outlives the walk that finds it: steps until it is printed, as Kubernetes prints it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath(pub Vec<PathStep>);

/// Makes a [`FieldPath`] from its steps: names of fields and indexes.
#[doc(hidden)]
#[macro_export]
macro_rules! __field_path {
    ($($step:expr),+ $(,)?) => {
        $crate::finding::FieldPath(vec![$($crate::finding::PathStep::from($step)),+])
    };
}

impl FieldPath {
    /// Returns the path of something below.
    pub fn then(&self, step: impl Into<PathStep>) -> Self {
        let mut steps = self.0.clone();
        steps.push(step.into());
        FieldPath(steps)
    }

    /// Returns the path with another one below it.
    pub fn join(&self, below: &FieldPath) -> Self {
        FieldPath([self.0.as_slice(), below.0.as_slice()].concat())
    }

    /// Returns the path in a version that lacks a field and has what is below it in its place.
    pub fn without(&self, field: &str) -> Self {
        let steps = self.0.iter();
        let kept = steps.filter(|step| !matches!(step, PathStep::Field(name) if *name == field));
        FieldPath(kept.cloned().collect())
    }

    /// Returns where to look in the tree.
    pub fn steps(&self) -> Vec<Step> {
        let steps = self.0.iter().map(|step| match step {
            PathStep::Field(name) => Step::Key((*name).to_owned()),
            PathStep::Index(index) => Step::Index(*index),
            PathStep::Key(key) => Step::Key(key.clone()),
        });
        steps.collect()
    }
}

impl std::fmt::Display for FieldPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Field(name) if at == 0 => f.write_str(name)?,
                PathStep::Field(name) => write!(f, ".{name}")?,
                PathStep::Index(index) => write!(f, "[{index}]")?,
                PathStep::Key(key) => write!(f, "[{key}]")?,
            }
        }
        Ok(())
    }
}

impl serde::Serialize for FieldPath {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
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
    use crate::finding::field_path;

    #[test]
    fn renders_like_kubernetes() {
        let status = Path::ROOT.field("status");
        let claims = status.field_named("claims", "resourceClaims");
        let first = claims.index(0);
        let name = first.at("name");
        assert_eq!(name.render(), "status.claims[0]");
        assert_eq!(
            name.steps(),
            [
                Step::Key("status".into()),
                Step::Key("resourceClaims".into()),
                Step::Index(0),
                Step::Key("name".into())
            ]
        );
    }
    #[test]
    fn prints_keys_in_brackets_and_keeps_them_whole() {
        let path =
            field_path!["spec", "requests", 2, "capacity"].then(PathStep::Key("10.5".to_owned()));
        assert_eq!(path.to_string(), "spec.requests[2].capacity[10.5]");
        assert_eq!(path.steps().last(), Some(&Step::Key("10.5".into())));
    }
}
