//! What a large object would cost, found out before it is read: an API server waits for a policy for some seconds only.

use claimkit_model::text::tree::{Kind, NodeId, Tree};

/// Objects with less text than this cost little, whatever they hold.
const SMALL: usize = 64 << 10;

/// Lists and the number of their items that API servers accept (k8s.io/api, resource/v1, types.go, `…MaxSize`).
const BOUNDS: [(&str, usize); 8] = [
    ("devices", 128),
    ("requests", 32),
    ("firstAvailable", 8),
    ("selectors", 32),
    ("constraints", 32),
    ("config", 32),
    ("tolerations", 16),
    ("results", 32),
];

/// Fields that hold what a driver likes: their lists are not the server's (k8s.io/api, resource/v1, types.go, `OpaqueDeviceConfiguration`
/// and `AllocatedDeviceStatus`).
const OF_DRIVERS: [&str; 2] = ["parameters", "data"];

/// A later server may accept more items; only a multiple of the bound is refused unread.
const TIMES: usize = 4;

/// The largest size of all CEL expressions of an object that are compiled, in bytes: a compiled byte takes about a microsecond.
pub const EXPRESSIONS: usize = 128 << 10;

/// The parts of an object that are large.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectLoad {
    /// The API server's reason against the first list that is far too long.
    pub too_many: Option<String>,
    /// The size of all CEL expressions, in bytes.
    pub expressions: usize,
}

impl ObjectLoad {
    /// Weighs an object.
    pub fn of(tree: &Tree<'_>, object: NodeId) -> Self {
        let mut load = ObjectLoad::default();
        let span = tree.span(object);
        if span.to().saturating_sub(span.from()) < SMALL {
            return load;
        }
        for field in ["spec", "status"] {
            if let Some(part) = tree.get(object, field) {
                load.add(tree, part, field);
            }
        }
        load
    }

    /// Adds what is below a node. Recursion is bounded by the depth of the tree.
    fn add(&mut self, tree: &Tree<'_>, node: NodeId, path: &str) {
        match tree.kind(node) {
            Kind::Map { .. } => {
                for entry in tree.entries(node) {
                    let name = tree.text(entry.key);
                    if name == "expression" {
                        let length = tree.str(entry.value).map_or(0, str::len);
                        self.expressions = self.expressions.saturating_add(length);
                    } else if !OF_DRIVERS.contains(&name) {
                        self.add(tree, entry.value, &format!("{path}.{name}"));
                    }
                }
            }
            Kind::Seq { .. } => {
                let items = tree.items(node);
                let name = path.rsplit_once('.').map_or(path, |(_, name)| name);
                let bound = BOUNDS.iter().find(|(list, _)| *list == name);
                if let Some((_, most)) = bound
                    && items.len() > most.saturating_mul(TIMES)
                {
                    let count = items.len();
                    self.too_many.get_or_insert_with(|| {
                        format!("{path}: Too many: {count}: must have at most {most} items")
                    });
                    return;
                }
                for (at, &item) in items.iter().enumerate() {
                    self.add(tree, item, &format!("{path}[{at}]"));
                }
            }
            _ => {}
        }
    }
}
