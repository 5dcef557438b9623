//! Sets of field paths, as `fieldsV1` writes them: `f:name`, `k:{"uid":"1"}`, `v:"item"`, `i:0`, and `.` for the place itself.

use crate::text::print;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// One step of a path. The order is that of the server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
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
pub type Path = Vec<Step>;

/// As the server prints it, e.g. `.status.reservedFor[uid="1"].name`.
pub fn path_text(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Field(name) => {
                text.push('.');
                text.push_str(name);
            }
            Step::Key(keys) => {
                let keys: Vec<String> = keys.iter().map(|(name, value)| format!("{name}={value}")).collect();
                text.push_str(&format!("[{}]", keys.join(",")));
            }
            Step::Value(value) => text.push_str(&format!("[={value}]")),
            Step::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

/// A set of paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set(pub BTreeSet<Path>);

#[derive(Default)]
struct Branch<'p> {
    here: bool,
    below: BTreeMap<&'p Step, Branch<'p>>,
}

impl Set {
    /// True if it has no path.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Paths of either.
    pub fn union(&self, other: &Set) -> Set {
        Set(self.0.union(&other.0).cloned().collect())
    }

    /// Paths of both.
    pub fn intersection(&self, other: &Set) -> Set {
        Set(self.0.intersection(&other.0).cloned().collect())
    }

    /// Paths of this one that the other has not.
    pub fn difference(&self, other: &Set) -> Set {
        Set(self.0.difference(&other.0).cloned().collect())
    }

    /// Paths that neither are nor lie below one of the other.
    pub fn outside(&self, other: &Set) -> Set {
        let covered = |path: &Path| (1..=path.len()).any(|len| path.get(..len).is_some_and(|head| other.0.contains(head)));
        Set(self.0.iter().filter(|path| !covered(path)).cloned().collect())
    }

    /// True if a path or one below it is in the set.
    pub fn reaches(&self, path: &[Step]) -> bool {
        self.0.range(path.to_vec()..).next().is_some_and(|found| found.starts_with(path))
    }

    fn tree(&self) -> Branch<'_> {
        let mut root = Branch::default();
        for path in &self.0 {
            let mut here = &mut root;
            for step in path {
                here = here.below.entry(step).or_default();
            }
            here.here = true;
        }
        root
    }

    /// The paths in the server's order: at each place its own members first, then what lies deeper.
    pub fn in_order(&self) -> Vec<Path> {
        fn walk(branch: &Branch<'_>, path: &mut Path, out: &mut Vec<Path>) {
            for (step, below) in &branch.below {
                if below.here {
                    let mut member = path.clone();
                    member.push((*step).clone());
                    out.push(member);
                }
            }
            for (step, below) in &branch.below {
                path.push((*step).clone());
                walk(below, path, out);
                path.pop();
            }
        }
        let mut out = Vec::new();
        walk(&self.tree(), &mut Vec::new(), &mut out);
        out
    }

    /// As `fieldsV1`.
    pub fn to_value(&self) -> Value {
        fn value(branch: &Branch<'_>) -> Value {
            let mut map = Map::new();
            if branch.here && !branch.below.is_empty() {
                map.insert(".".to_owned(), Value::Object(Map::new()));
            }
            for (step, below) in &branch.below {
                map.insert(step_text(step), value(below));
            }
            Value::Object(map)
        }
        value(&self.tree())
    }

    /// From `fieldsV1`; `None` if it is not one.
    pub fn from_value(value: &Value) -> Option<Set> {
        fn walk(value: &Value, path: &mut Path, set: &mut BTreeSet<Path>) -> Option<()> {
            let map = value.as_object()?;
            if !path.is_empty() && (map.is_empty() || map.contains_key(".")) {
                set.insert(path.clone());
            }
            for (name, below) in map.iter().filter(|(name, _)| *name != ".") {
                path.push(read_step(name)?);
                walk(below, path, set)?;
                path.pop();
            }
            Some(())
        }
        let mut set = BTreeSet::new();
        walk(value, &mut Vec::new(), &mut set)?;
        Some(Set(set))
    }
}

fn step_text(step: &Step) -> String {
    match step {
        Step::Field(name) => format!("f:{name}"),
        Step::Value(value) => format!("v:{value}"),
        Step::Index(index) => format!("i:{index}"),
        Step::Key(keys) => {
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

fn read_step(text: &str) -> Option<Step> {
    let (kind, rest) = text.split_once(':')?;
    match kind {
        "f" => Some(Step::Field(rest.to_owned())),
        "v" => serde_json::from_str::<Value>(rest).ok().map(|value| Step::Value(value.to_string())),
        "i" => rest.parse().ok().map(Step::Index),
        "k" => {
            let keys: Map<String, Value> = serde_json::from_str(rest).ok()?;
            let mut keys: Vec<(String, String)> = keys.into_iter().map(|(name, value)| (name, value.to_string())).collect();
            keys.sort();
            Some(Step::Key(keys))
        }
        _ => None,
    }
}
