//! Sets of field paths, as `fieldsV1` writes them: `f:name`, `k:{"uid":"1"}`, `v:"item"`, `i:0`, and `.` for the place itself.

use claimkit_model::text::print;
use claimkit_values::order;
use serde_json::{Map, Value};

/// One step of a path. The order is that of the server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SetStep {
    /// A field of a struct or a key of a map.
    Field(String),
    /// An item of a list that is a map, by its keys (sorted) and their values as JSON.
    Key(Vec<(String, String)>),
    /// An item of a set, as JSON.
    Value(String),
    /// An item of another list.
    Index(i64),
}

/// A path from the object's root.
pub type SetPath = Vec<SetStep>;

/// Returns the path as the server prints it, e.g. `.status.reservedFor[uid="1"].name`.
pub fn path_text(path: &[SetStep]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            SetStep::Field(name) => {
                text.push('.');
                text.push_str(name);
            }
            SetStep::Key(keys) => {
                let pairs: Vec<String> = keys
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                text.push_str(&format!("[{}]", pairs.join(",")));
            }
            SetStep::Value(value) => text.push_str(&format!("[={value}]")),
            SetStep::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

/// A set of paths, in the server's order of their steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet(Vec<SetPath>);

impl FieldSet {
    /// Makes a set of these paths.
    pub fn new(mut paths: Vec<SetPath>) -> FieldSet {
        order::sort(&mut paths);
        paths.dedup();
        FieldSet(paths)
    }

    /// Returns true if it has no path.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the paths in order.
    pub fn paths(&self) -> &[SetPath] {
        &self.0
    }

    /// Returns true if a path is in the set.
    pub fn contains(&self, path: &[SetStep]) -> bool {
        self.0
            .get(self.from(path))
            .is_some_and(|found| found == path)
    }

    /// Returns true if a path or one below it is in the set.
    pub fn reaches(&self, path: &[SetStep]) -> bool {
        self.0
            .get(self.from(path))
            .is_some_and(|found| found.starts_with(path))
    }

    /// Returns the position at which a path is, or would be inserted.
    fn from(&self, path: &[SetStep]) -> usize {
        self.0.partition_point(|other| other.as_slice() < path)
    }

    fn filter(&self, keep: &dyn Fn(&SetPath) -> bool) -> FieldSet {
        let mut kept = Vec::new();
        for path in &self.0 {
            if keep(path) {
                kept.push(path.clone());
            }
        }
        FieldSet(kept)
    }

    /// Returns the paths of either.
    pub fn union(&self, other: &FieldSet) -> FieldSet {
        let mut all = self.0.clone();
        all.extend_from_slice(&other.0);
        FieldSet::new(all)
    }

    /// Returns the paths of both.
    pub fn intersection(&self, other: &FieldSet) -> FieldSet {
        self.filter(&|path| other.contains(path))
    }

    /// Returns the paths of this set that are not in the other.
    pub fn difference(&self, other: &FieldSet) -> FieldSet {
        self.filter(&|path| !other.contains(path))
    }

    /// Returns the paths that are not in the other set and not below one of its paths.
    pub fn outside(&self, other: &FieldSet) -> FieldSet {
        self.filter(&|path| {
            !(1..=path.len()).any(|len| path.get(..len).is_some_and(|head| other.contains(head)))
        })
    }

    /// Returns the paths in the server's order: at each level the members first, then deeper paths.
    pub fn in_order(&self) -> Vec<SetPath> {
        fn walk(paths: &[SetPath], depth: usize, out: &mut Vec<SetPath>) {
            let below = below(paths, depth);
            for (_, group) in &below {
                out.extend(
                    group
                        .first()
                        .filter(|path| path.len() == depth.saturating_add(1))
                        .cloned(),
                );
            }
            for (_, group) in below {
                walk(group, depth.saturating_add(1), out);
            }
        }
        let mut out = Vec::new();
        walk(&self.0, 0, &mut out);
        out
    }

    /// Returns the set as `fieldsV1`.
    pub fn to_value(&self) -> Value {
        fn value(paths: &[SetPath], depth: usize) -> Value {
            let mut map = Map::new();
            let below = below(paths, depth);
            if !below.is_empty() && paths.first().is_some_and(|path| path.len() == depth) {
                map.insert(".".to_owned(), Value::Object(Map::new()));
            }
            for (step, group) in below {
                map.insert(step_text(step), value(group, depth.saturating_add(1)));
            }
            Value::Object(map)
        }
        value(&self.0, 0)
    }

    /// Reads `fieldsV1`; `None` if the value has another form.
    pub fn from_value(value: &Value) -> Option<FieldSet> {
        fn walk(value: &Value, path: &mut SetPath, paths: &mut Vec<SetPath>) -> Option<()> {
            let map = value.as_object()?;
            if !path.is_empty() && (map.is_empty() || map.contains_key(".")) {
                paths.push(path.clone());
            }
            for (name, below) in map.iter().filter(|(name, _)| *name != ".") {
                path.push(read_step(name)?);
                walk(below, path, paths)?;
                path.pop();
            }
            Some(())
        }
        let mut paths = Vec::new();
        walk(value, &mut Vec::new(), &mut paths)?;
        Some(FieldSet::new(paths))
    }
}

/// Groups sorted paths by their step at `depth`; paths that end before it are left out.
fn below(paths: &[SetPath], depth: usize) -> Vec<(&SetStep, &[SetPath])> {
    let groups = paths.chunk_by(|a, b| a.get(depth) == b.get(depth));
    groups
        .filter_map(|group| Some((group.first()?.get(depth)?, group)))
        .collect()
}

fn step_text(step: &SetStep) -> String {
    match step {
        SetStep::Field(name) => format!("f:{name}"),
        SetStep::Value(value) => format!("v:{value}"),
        SetStep::Index(index) => format!("i:{index}"),
        SetStep::Key(keys) => {
            let mut text = "k:{".to_owned();
            for (at, (name, value)) in keys.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                print::quote(name, &mut text);
                text.push(':');
                text.push_str(value);
            }
            text.push('}');
            text
        }
    }
}

fn read_step(text: &str) -> Option<SetStep> {
    let (kind, rest) = text.split_once(':')?;
    match kind {
        "f" => Some(SetStep::Field(rest.to_owned())),
        "v" => serde_json::from_str::<Value>(rest)
            .ok()
            .map(|value| SetStep::Value(value.to_string())),
        "i" => rest.parse().ok().map(SetStep::Index),
        "k" => {
            let Value::Object(keys) = serde_json::from_str::<Value>(rest).ok()? else {
                return None;
            };
            let mut sorted: Vec<(String, String)> = keys
                .into_iter()
                .map(|(name, value)| (name, value.to_string()))
                .collect();
            order::sort(&mut sorted);
            Some(SetStep::Key(sorted))
        }
        _ => None,
    }
}
