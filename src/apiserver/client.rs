//! Errors that kubectl itself reports for a decodable object, and errors of the server before it decodes the body.
//! kubectl asks the server which kinds it has, and compares namespaces, before it sends anything.

use crate::apiserver::status::Status;
use crate::manifest::Item;
use claimkit_model::finding::{Code, Finding, Origin, Step};
use claimkit_model::message::{Words, message};
use claimkit_model::schema::{self, Scope};
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::tree::{NodeId, Tree};

/// The most bytes of a body (apiserver, pkg/server/config.go, `MaxRequestBodyBytes`).
const MAX_BODY: usize = 3 << 20;

/// One byte of a text becomes at most this many of a body: `<` is written `\u003c`, and the number `1e20` grows five times.
const MOST_GROWTH: usize = 6;

/// The result for an object whose version or kind the release does not have.
pub enum UnknownObject {
    /// kubectl sends nothing. Holds its message, without the file name that follows the namespace (cli-runtime,
    /// pkg/resource/mapper.go, `infoForData`, and `infoForObject` for the items of a List).
    Unmapped(String),
    /// kubectl accepts the kind in lower case and sends the object, which the server rejects. Holds the correct kind.
    SmallLetters(&'static str),
}

/// Makes the result for an object that the release does not have.
pub fn unknown(item: &Item) -> UnknownObject {
    let Item {
        kind,
        api_version,
        release,
        ..
    } = item;
    let version = schema::version(api_version).filter(|version| version.served_by(*release));
    let mut rows = version
        .map_or(&[][..], |version| version.kinds)
        .iter()
        .filter(|row| row.in_release(*release));
    if let Some(row) =
        rows.find(|row| row.items.is_none() && row.kind.to_ascii_lowercase() == *kind)
    {
        return UnknownObject::SmallLetters(row.kind);
    }
    UnknownObject::Unmapped(unmapped(item))
}

/// Returns kubectl's message for an object whose kind the server does not have.
pub fn unmapped(item: &Item) -> String {
    let Item {
        kind,
        api_version,
        release,
        ..
    } = item;
    let [kind, api_version, name, namespace] = [kind, api_version, &item.name, &item.namespace]
        .map(|text| claimkit_values::quote(text, release.rules().unicode));
    let no_match = format!("no matches for kind {kind} in version {api_version}");
    match item.list_index {
        Some(_) => format!("unable to recognize {no_match}"),
        None => {
            let what =
                format!("resource mapping not found for name: {name} namespace: {namespace}");
            format!("{what}: {no_match}\nensure CRDs are installed first")
        }
    }
}

/// Refuses as kubectl does to send an object to a namespace other than the requested one (cli-runtime, pkg/resource/visitor.go,
/// `RequireNamespace`).
pub fn other_namespace(item: &Item, scope: Scope, named: &str) -> Option<Finding> {
    let given = item.namespace.as_str();
    if given.is_empty() || scope == Scope::Cluster || named == given {
        return None;
    }
    let unicode = item.release.rules().unicode;
    let message = format!(
        "the namespace from the provided object {} does not match the namespace {}. You must pass '--namespace={given}' to perform this operation.",
        claimkit_values::quote(given, unicode),
        claimkit_values::quote(named, unicode)
    );
    let mut finding = Finding::upstream(Code::NamespaceMismatch, Origin::Kubectl, message);
    finding.steps = vec![
        Step::Key("metadata".to_owned()),
        Step::Key("namespace".to_owned()),
    ];
    finding.help = Code::NamespaceMismatch.spoken_help().map(Words::from);
    Some(finding)
}

/// Refuses a body that kubectl makes of an object and that is larger than the server reads. `namespace`: where it goes, if it is
/// namespaced.
pub fn too_large(tree: &Tree<'_>, node: NodeId, namespace: &str) -> Option<(Finding, Status)> {
    let written = tree.span(node);
    if written.len() <= MAX_BODY / MOST_GROWTH && !tree.has_aliases() {
        return None;
    }
    let mut body = String::new();
    let whole = print::json(tree, node, Order::Sorted, MAX_BODY, &mut body);
    let escapes: usize = body
        .chars()
        .map(|c| match c {
            '<' | '>' | '&' => "\\u003c".len().saturating_sub(1),
            '\u{2028}' | '\u{2029}' => "\\u2028".len().saturating_sub(c.len_utf8()),
            _ => 0,
        })
        .sum();
    let bytes = body
        .len()
        .saturating_add(escapes)
        .saturating_add(filled(tree, node, namespace))
        .saturating_add("\n".len());
    if whole && bytes <= MAX_BODY {
        return None;
    }
    let status = Status::too_large(&format!("limit is {MAX_BODY}"));
    let finding = Finding::upstream(
        Code::RequestTooLarge,
        Origin::ApiServer,
        status.message.clone(),
    );
    let help = message!(
        "server.split-object",
        "split the object: the server reads no more of one request"
    );
    Some((finding.with_help(help), status))
}

/// Returns how many bytes kubectl adds for the namespace.
fn filled(tree: &Tree<'_>, node: NodeId, namespace: &str) -> usize {
    if namespace.is_empty() {
        return 0;
    }
    let Some(metadata) = tree.get(node, "metadata") else {
        return format!("\"metadata\":{{\"namespace\":\"{namespace}\"}},").len();
    };
    match tree
        .get(metadata, "namespace")
        .map(|written| tree.str(written))
    {
        Some(Some("")) => namespace.len(),
        Some(_) => 0,
        None if tree.entries(metadata).is_empty() => format!("\"namespace\":\"{namespace}\"").len(),
        None => format!("\"namespace\":\"{namespace}\",").len(),
    }
}
