//! Changes that the server makes to an object before validation, and the findings about them.

use claimkit_model::finding::{Code, Finding, Path};
use claimkit_model::message::{Message, message};

/// The fields that were filled in and dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The request's namespace, where it was filled in.
    pub namespace_filled: Option<String>,
    /// The namespace of a cluster-scoped object was dropped.
    pub namespace_dropped: bool,
    /// Fields of `metadata` that only the server writes and that were wiped.
    pub wiped: Vec<&'static str>,
    /// kubectl dropped the resource version.
    pub unsent: bool,
    /// The status was dropped.
    pub status_dropped: bool,
    /// The `generateName` that the name was made from; the name's end is random.
    pub name_generated_from: Option<String>,
}

/// Makes the warning about a field that is dropped.
fn dropped_field(code: Code, message: Message, path: &Path<'_>, help: Message) -> Finding {
    Finding::warning(code, message)
        .at(path)
        .key()
        .with_help(help)
}

impl Changes {
    /// Returns warnings and notes of claimkit; the server does not report these changes.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let root = Path::ROOT;
        let metadata = root.field("metadata");
        if self.status_dropped {
            let message = message!(
                "server.status-dropped",
                "the server drops `status` from a new object"
            );
            let help = message!(
                "server.status-dropped-help",
                "drivers and the scheduler write the status; leave it out of the manifest"
            );
            findings.push(dropped_field(
                Code::StatusDropped,
                message,
                &root.field("status"),
                help,
            ));
        }
        if self.namespace_dropped {
            let message = message!(
                "server.namespace-dropped",
                "the server drops `metadata.namespace`: the kind is cluster-scoped"
            );
            let help = message!("server.namespace-dropped-help", "leave the namespace out");
            findings.push(dropped_field(
                Code::NamespaceDropped,
                message,
                &metadata.field("namespace"),
                help,
            ));
        }
        if self.unsent {
            let message = message!(
                "server.version-unsent",
                "kubectl drops `metadata.resourceVersion` from an object that it creates"
            );
            let path = metadata.field("resourceVersion");
            findings.push(dropped_field(
                Code::ServerOwnedDropped,
                message,
                &path,
                exported(),
            ));
        }
        for name in &self.wiped {
            let message = message!(
                "server.metadata-dropped",
                "the server drops `metadata.{name}` from a new object and sets its own",
                name,
            );
            findings.push(dropped_field(
                Code::ServerOwnedDropped,
                message,
                &metadata.field(name),
                exported(),
            ));
        }
        if let Some(namespace) = &self.namespace_filled {
            findings.push(
                Finding::new(
                    Code::NamespaceFilled,
                    message!(
                        "server.namespace-filled",
                        "the object goes to namespace `{namespace}`",
                        namespace
                    ),
                )
                .at(&metadata)
                .key()
                .with_help(message!(
                    "server.namespace-filled-help",
                    "write `metadata.namespace` to place it whatever namespace the request has"
                )),
            );
        }
        if let Some(base) = &self.name_generated_from {
            findings.push(
                Finding::new(
                    Code::NameGenerated,
                    message!(
                        "server.name-generated",
                        "the server appends five random characters to `{base}`",
                        base
                    ),
                )
                .at(&metadata.field("generateName"))
                .key(),
            );
        }
        findings
    }
}

fn exported() -> Message {
    message!(
        "server.exported-field",
        "leave it out; a manifest exported from a cluster carries it"
    )
}
