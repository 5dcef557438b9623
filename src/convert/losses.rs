//! What a conversion loses (spec/behaviour.md §10.3): each place with its value and the reason.

use super::job::{self, Direction, Job, STRUCTURED_PARAMETERS};
use crate::report::Path;
use crate::text::print::{self, Order};
use crate::text::tree::{NodeId, Tree};
use crate::text::{Span, edit};

/// Something the target version cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The field's path in the object.
    pub path: String,
    /// Its value as JSON.
    pub value: String,
    /// Why it is lost.
    pub reason: String,
    /// Its place in the text.
    pub span: Span,
}

/// Most bytes a lost value may print to.
const MAX_VALUE: usize = 4 << 20;

/// Everything an object loses, in the order of its fields.
pub fn losses(tree: &Tree<'_>, object: NodeId, job: &Job) -> Vec<Loss> {
    let mut found = Losses { tree, list: Vec::new() };
    match job.kind {
        "ResourceClass" => found.class(object, job),
        "ResourceClaim" => found.claim(object, job),
        _ => {}
    }
    found.list
}

struct Losses<'t, 's> {
    tree: &'t Tree<'s>,
    list: Vec<Loss>,
}

impl Losses<'_, '_> {
    fn push(&mut self, path: &Path<'_>, node: NodeId, span: Span, reason: String) {
        let mut value = String::new();
        if !print::json(self.tree, node, Order::Source, MAX_VALUE, &mut value) {
            value = "null".to_owned();
        }
        self.list.push(Loss { path: path.render(), value, reason, span });
    }

    /// A field of an object or struct is lost.
    fn field(&mut self, map: NodeId, parent: &Path<'_>, name: &str, reason: String) {
        let Some(entry) = self.tree.entry(map, name) else { return };
        let value = edit::whole(self.tree, entry.value);
        let span = if value.is_empty() || entry.merged { entry.key_span } else { entry.key_span.join(value) };
        self.push(&parent.field(name), entry.value, edit::trimmed(self.tree.source(), span), reason);
    }

    fn class(&mut self, class: NodeId, job: &Job) {
        match (job.direction, self.tree.get(class, STRUCTURED_PARAMETERS)) {
            (_, None) => {}
            (Direction::Up, Some(_)) => self.unknown(class, &Path::ROOT, STRUCTURED_PARAMETERS, job),
            (Direction::Down, Some(value)) if job::is_null(self.tree, value) => {}
            (Direction::Down, Some(_)) => self.field(
                class,
                &Path::ROOT,
                STRUCTURED_PARAMETERS,
                "v1alpha1 has no structured parameters: there the driver's controller allocates".to_owned(),
            ),
        }
    }

    /// A field that the source version does not know and the target version does: it must not come to life.
    fn unknown(&mut self, map: NodeId, parent: &Path<'_>, name: &str, job: &Job) {
        let reason = format!(
            "{from} has no field `{name}` and its server drops it; kept, it would get a meaning in {to}",
            from = job.from.name,
            to = job.to.name
        );
        self.field(map, parent, name, reason);
    }

    fn claim(&mut self, claim: NodeId, job: &Job) {
        let tree = self.tree;
        let status_path = Path::ROOT.field("status");
        let path = status_path.field("allocation");
        let Some(allocation) = tree.get(claim, "status").and_then(|status| tree.get(status, "allocation")) else { return };
        self.unknown(allocation, &path, job.new_handle_field(), job);
        if job.direction == Direction::Up {
            return;
        }
        let Some(handles) = tree.get(allocation, "resourceHandles") else { return };
        let driver = job::driver_name(tree, claim);
        let kept = job::kept_handle(tree, handles, driver);
        let path = path.field("resourceHandles");
        for (at, &handle) in tree.items(handles).iter().enumerate() {
            let path = path.index(at);
            if at == kept {
                self.kept(handle, &path, driver);
            } else {
                self.push(&path, handle, tree.span(handle), "v1alpha1 holds the handle of one driver only".to_owned());
            }
        }
    }

    fn kept(&mut self, handle: NodeId, path: &Path<'_>, driver: &str) {
        let tree = self.tree;
        let named = job::text_of(tree, handle, "driverName");
        if job::text_of(tree, handle, "data").is_empty() {
            let reason = "v1alpha1 has no handle without data".to_owned();
            self.push(path, handle, tree.span(handle), reason);
        } else if named != driver {
            let reason = format!("v1alpha1 gives the data to the driver of the claim, `{driver}`, not to `{named}`");
            match tree.entry(handle, "driverName") {
                Some(_) => self.field(handle, path, "driverName", reason),
                None => self.push(path, handle, tree.span(handle), reason),
            }
        }
        for entry in print::effective(tree, handle, Order::Source) {
            let name = tree.text(entry.key);
            match name {
                "driverName" | "data" => {}
                "structuredData" if job::is_null(tree, entry.value) => {}
                "structuredData" => {
                    self.field(handle, path, name, "v1alpha1 has no structured data in a handle".to_owned());
                }
                _ => self.field(handle, path, name, format!("v1alpha1 has no place for the field `{name}`")),
            }
        }
    }
}
