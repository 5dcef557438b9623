//! What a conversion loses: each place with its value and the reason.

use super::fields::{self, Nulls};
use super::job::{self, Job};
use claimkit_model::finding::Path;
use claimkit_model::message::{Message, message};
use claimkit_model::schema::Family;
use claimkit_model::schema::steps::{Direction, Handle};
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::tree::{Entry, NodeId, Tree};
use claimkit_model::text::{Span, edit};

/// Something the target version cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// The field's path in the object.
    pub path: String,
    /// Its value as JSON.
    pub value: String,
    /// Why it is lost.
    pub reason: Message,
    /// Its place in the text.
    pub span: Span,
}

/// Maximum number of bytes a lost value may print to.
pub const MAX_VALUE: usize = 4 << 20;

/// Lists everything an object loses, in the order of its fields.
pub fn losses(tree: &Tree<'_>, object: NodeId, job: &Job) -> Vec<Loss> {
    let mut found = Losses {
        tree,
        list: Vec::new(),
    };
    if job.from.family == Family::Device {
        fields::lost(tree, object, job, Nulls::LeftOut, |gone| {
            found.entry(gone.lost, gone.parent, &gone.reason)
        });
        return found.list;
    }
    for (field, reason) in job.newer_only() {
        found.newer_only(object, field, &reason.text(), job);
    }
    if let Some(handle) = job.handle() {
        found.claim(object, handle, job);
    }
    found.list
}

/// The fields of a DeviceTaintRule's selector that every release has.
const LASTING_SELECTORS: [&str; 3] = ["device", "driver", "pool"];

/// Returns true if a field is the only kind of limit of a DeviceTaintRule: without it, the selector selects every device.
pub fn is_only_limit(tree: &Tree<'_>, rule: NodeId, lost: &str) -> bool {
    if !lost.starts_with("spec.deviceSelector.") {
        return false;
    }
    let spec = tree.get(rule, "spec");
    let Some(selector) = spec.and_then(|spec| tree.get(spec, "deviceSelector")) else {
        return false;
    };
    let mut values = LASTING_SELECTORS
        .iter()
        .filter_map(|name| tree.get(selector, name));
    values.all(|value| job::is_null(tree, value))
}

struct Losses<'t, 's> {
    tree: &'t Tree<'s>,
    list: Vec<Loss>,
}

impl Losses<'_, '_> {
    fn push(&mut self, path: &Path<'_>, node: NodeId, span: Span, reason: Message) {
        let mut value = String::new();
        if !print::json(self.tree, node, Order::Source, MAX_VALUE, &mut value) {
            value = "null".to_owned();
        }
        self.list.push(Loss {
            path: path.render(),
            value,
            reason,
            span,
        });
    }

    /// Records a lost field; also occurrences that a later duplicate key hides, because their text is removed too.
    fn field(&mut self, map: NodeId, parent: &Path<'_>, name: &str, reason: &Message) {
        let tree = self.tree;
        job::occurrences(tree, map, name).for_each(|entry| self.entry(entry, parent, reason));
    }

    fn entry(&mut self, entry: &Entry, parent: &Path<'_>, reason: &Message) {
        if entry.merged && entry.shadowed {
            return;
        }
        let value = edit::whole(self.tree, entry.value);
        let span = if value.is_empty() || entry.merged {
            entry.key_span
        } else {
            entry.key_span.join(value)
        };
        let path = parent.field(self.tree.text(entry.key));
        self.push(
            &path,
            entry.value,
            edit::trimmed(self.tree.source(), span),
            reason.clone(),
        );
    }

    fn newer_only(&mut self, object: NodeId, field: &'static str, reason: &Message, job: &Job) {
        if job.direction() == Direction::Up {
            self.unknown(object, &Path::ROOT, field, job);
            return;
        }
        let tree = self.tree;
        job::occurrences(tree, object, field)
            .filter(|entry| !job::is_null(tree, entry.value))
            .for_each(|entry| self.entry(entry, &Path::ROOT, reason));
    }

    /// Records a field that only the target version has: it must not take effect after the conversion.
    fn unknown(&mut self, map: NodeId, parent: &Path<'_>, name: &str, job: &Job) {
        self.field(map, parent, name, &job.comes_to_life(name));
    }

    /// Adds the losses in every allocation of the text, including those that a later duplicate key hides; matches `edits.rs`.
    fn claim(&mut self, claim: NodeId, handle: Handle, job: &Job) {
        let tree = self.tree;
        let status_path = Path::ROOT.field("status");
        let path = status_path.field("allocation");
        let driver = job::driver_name(tree, claim);
        let direction = job.direction();
        for status in job::occurrences(tree, claim, "status") {
            for allocation in job::occurrences(tree, status.value, "allocation") {
                self.unknown(allocation.value, &path, handle.new_field(direction), job);
                if direction == Direction::Down && !status.shadowed && !allocation.shadowed {
                    for entry in job::occurrences(tree, allocation.value, handle.newer) {
                        self.handles(entry.value, &path.field(handle.newer), driver);
                    }
                }
            }
        }
    }

    fn handles(&mut self, handles: NodeId, path: &Path<'_>, driver: &str) {
        let tree = self.tree;
        let kept = job::kept_handle(tree, handles, driver);
        for (at, &handle) in tree.items(handles).iter().enumerate() {
            let item = path.index(at);
            if at == kept {
                self.kept(handle, &item, driver);
            } else {
                self.push(
                    &item,
                    handle,
                    tree.span(handle),
                    message!(
                        "loss.one-driver",
                        "v1alpha1 holds the handle of one driver only"
                    ),
                );
            }
        }
    }

    fn kept(&mut self, handle: NodeId, path: &Path<'_>, driver: &str) {
        let tree = self.tree;
        let named = job::text_of(tree, handle, "driverName");
        if job::text_of(tree, handle, "data").is_empty() {
            let reason = message!(
                "loss.handle-without-data",
                "v1alpha1 has no handle without data"
            );
            self.push(path, handle, tree.span(handle), reason);
        } else if named != driver {
            let reason = message!(
                "loss.data-of-other-driver",
                "v1alpha1 gives the data to the driver of the claim, `{driver}`, not to `{named}`",
                driver,
                named
            );
            match tree.entry(handle, "driverName") {
                Some(entry) => self.entry(entry, path, &reason),
                None => self.push(path, handle, tree.span(handle), reason),
            }
        }
        for entry in tree.entries(handle) {
            let name = tree.text(entry.key);
            match name {
                "driverName" | "data" if !entry.shadowed => {}
                "driverName" | "data" => {
                    let reason = message!(
                        "loss.replaced",
                        "a later `{name}` of the same handle takes its place",
                        name
                    );
                    self.entry(entry, path, &reason);
                }
                "structuredData" if job::is_null(tree, entry.value) => {}
                "structuredData" => {
                    let reason = message!(
                        "loss.structured-data",
                        "v1alpha1 has no structured data in a handle"
                    );
                    self.entry(entry, path, &reason);
                }
                _ => {
                    let reason = message!(
                        "loss.handle-field",
                        "v1alpha1 has no place for the field `{name}`",
                        name
                    );
                    self.entry(entry, path, &reason);
                }
            }
        }
    }
}
