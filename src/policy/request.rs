//! An AdmissionRequest, as far as a policy looks at it.

use crate::policy::pattern;
use crate::policy::settings::Exemptions;
use crate::validation::Operation;
use claimkit_model::schema::GROUP;
use claimkit_model::text::tree::{Kind, NodeId, Tree};

/// Kinds of other groups that have no namespace, as far as manifests with claims have them.
pub const CLUSTER_SCOPED: [&str; 7] = [
    "Namespace",
    "Node",
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "PriorityClass",
    "StorageClass",
];

/// The group of every user that an API server knows.
pub const EVERYBODY: &str = "system:authenticated";

/// The fields of an AdmissionRequest that the policy reads.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionRequest<'t, 's> {
    tree: &'t Tree<'s>,
    node: NodeId,
    /// The operation; `None`: a deletion or a connect request, where there is nothing to judge.
    pub operation: Option<Operation<()>>,
    /// Gatekeeper's audit asks about a stored object: its reviews have no operation.
    stored: bool,
}

/// Whether a request may lack its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationIs {
    /// Every request has one.
    Required,
    /// Gatekeeper's audit sends stored objects without one (Gatekeeper 3.18, pkg/target/target.go,
    /// `unstructuredToAdmissionRequest`).
    MissingInAudits,
}

/// Returns the operation of a request; `None`: one where there is nothing to judge.
fn operation_of(text: Option<&str>) -> Result<Option<Operation<()>>, String> {
    match text {
        Some("CREATE") => Ok(Some(Operation::Create)),
        Some("UPDATE") => Ok(Some(Operation::Update(()))),
        Some("DELETE" | "CONNECT") => Ok(None),
        Some(other) => {
            let shown = crate::policy::check::shown(other);
            Err(format!(
                "`request.operation` is {shown}; it must be one of `CREATE`, `UPDATE`, `DELETE`, `CONNECT`"
            ))
        }
        None => Err("`request.operation` is missing: one of `CREATE`, `UPDATE`, `DELETE`, `CONNECT`; a raw request has `verb` instead".to_owned()),
    }
}

impl<'t, 's> AdmissionRequest<'t, 's> {
    /// Reads a request; a whole AdmissionReview is opened.
    ///
    /// # Errors
    /// Why there is nothing to judge.
    pub fn read(
        tree: &'t Tree<'s>,
        node: Option<NodeId>,
        operation: OperationIs,
    ) -> Result<Self, String> {
        let audits = operation == OperationIs::MissingInAudits;
        let node = node.filter(|&node| !matches!(tree.kind(node), Kind::Null));
        let Some(mut node) = node else {
            return Err("`request` is missing: the AdmissionRequest to judge".to_owned());
        };
        if tree.get(node, "kind").and_then(|kind| tree.str(kind)) == Some("AdmissionReview") {
            match tree.get(node, "request") {
                Some(inner) => node = inner,
                None => return Err("`request` is missing in the AdmissionReview".to_owned()),
            }
        }
        if !tree.is_map(node) {
            return Err("`request` must be an object: an AdmissionRequest".to_owned());
        }
        let written = tree
            .get(node, "operation")
            .filter(|&operation| !matches!(tree.kind(operation), Kind::Null));
        let operation_text = written.and_then(|operation| tree.str(operation));
        let is_absent = written.is_none() || operation_text == Some("");
        let stored = audits && is_absent;
        let operation = if stored {
            Some(Operation::Create)
        } else {
            operation_of(operation_text)?
        };
        Ok(AdmissionRequest {
            tree,
            node,
            operation,
            stored,
        })
    }

    /// Returns the tree that contains the request.
    pub fn tree(&self) -> &'t Tree<'s> {
        self.tree
    }

    fn get(&self, name: &str) -> Option<NodeId> {
        self.tree
            .get(self.node, name)
            .filter(|&node| !matches!(self.tree.kind(node), Kind::Null))
    }

    fn text(&self, name: &str) -> &'t str {
        self.get(name)
            .and_then(|node| self.tree.str(node))
            .unwrap_or("")
    }

    /// Returns `uid`; empty if missing.
    pub fn uid(&self) -> &'t str {
        self.text("uid")
    }

    /// Returns `namespace`; empty for cluster-scoped objects.
    pub fn namespace(&self) -> &'t str {
        self.text("namespace")
    }

    /// Returns `subResource`; empty for the object itself.
    pub fn sub_resource(&self) -> &'t str {
        self.text("subResource")
    }

    /// Returns `kind.group`; `None` if the request does not say.
    pub fn group(&self) -> Option<&'t str> {
        self.get("kind")
            .and_then(|kind| self.tree.get(kind, "group"))
            .and_then(|group| self.tree.str(group))
    }

    /// Returns the version of `requestKind`, if that is this kind of this group: what the client wrote, where the server has
    /// converted the object.
    pub fn written_version(&self, kind: &str) -> Option<&'t str> {
        let written = self.get("requestKind")?;
        let text = |name: &str| {
            self.tree
                .get(written, name)
                .and_then(|value| self.tree.str(value))
        };
        (text("group") == Some(GROUP) && text("kind") == Some(kind)).then(|| text("version"))?
    }

    /// Returns `object`, unless it is null.
    pub fn object(&self) -> Option<NodeId> {
        self.get("object")
    }

    /// Returns `oldObject`, unless it is null.
    pub fn old_object(&self) -> Option<NodeId> {
        self.get("oldObject")
    }

    /// Returns true if an audit asks about a stored object. Kubewarden's audit scanner sends a CREATE with the object's own UID
    /// and without a user, which no client of an API server can do (Kubewarden 1.36, audit-scanner,
    /// internal/scanner/admission_request.go).
    pub fn is_audit(&self) -> bool {
        if self.stored {
            return true;
        }
        let tree = self.tree;
        let metadata = self
            .object()
            .and_then(|object| tree.get(object, "metadata"));
        let own = metadata
            .and_then(|metadata| tree.get(metadata, "uid"))
            .and_then(|uid| tree.str(uid))
            .unwrap_or_default();
        let user = self
            .get("userInfo")
            .map_or(&[][..], |user| self.tree.entries(user));
        let nobody = user.iter().all(|entry| match self.tree.kind(entry.value) {
            Kind::Str(_) => self.tree.str(entry.value) == Some(""),
            Kind::Seq { .. } => self.tree.items(entry.value).is_empty(),
            Kind::Map { .. } => self.tree.entries(entry.value).is_empty(),
            kind => kind == Kind::Null,
        });
        nobody && !own.is_empty() && own == self.uid()
    }

    /// Returns `name`; empty if missing.
    pub fn name(&self) -> &'t str {
        self.text("name")
    }

    /// Returns the name of the user; empty if missing.
    pub fn user(&self) -> &'t str {
        let user = self.get("userInfo");
        user.and_then(|user| self.tree.get(user, "username"))
            .and_then(|name| self.tree.str(name))
            .unwrap_or_default()
    }

    /// Returns true if this user or namespace is exempt.
    pub fn is_exempt(&self, exempt: &Exemptions) -> bool {
        let tree = self.tree;
        let user = self.get("userInfo");
        let username = user
            .and_then(|user| tree.get(user, "username"))
            .and_then(|name| tree.str(name));
        let groups = user
            .and_then(|user| tree.get(user, "groups"))
            .map_or(&[][..], |groups| tree.items(groups));
        username.is_some_and(|name| pattern::any(&exempt.usernames, name))
            || groups
                .iter()
                .filter_map(|&group| tree.str(group))
                .any(|group| pattern::any(&exempt.groups, group))
            || (!self.namespace().is_empty() && pattern::any(&exempt.namespaces, self.namespace()))
    }
}
