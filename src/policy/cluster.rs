//! Access to cluster data through the policy's host: Kubewarden's host capabilities of the namespace `kubernetes`.
//!
//! Source: Kubewarden 1.36, `crates/policy-evaluator/src/callback_handler/kubernetes/client.rs`.

use claimkit_model::text::json;
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use serde::Serialize;

/// Labels: keys and values, in the order given.
pub type Labels = Vec<(String, String)>;

/// A host that answers queries about the cluster.
pub trait ClusterReader {
    /// Calls an operation of the namespace `kubernetes`, JSON in and out.
    ///
    /// # Errors
    /// The host's own words.
    fn call(&self, operation: &str, payload: &str) -> Result<String, String>;
}

/// The result of a look-up of an object.
#[derive(Debug)]
pub enum Lookup {
    Found(String),
    Missing,
    /// The host could not answer, and why.
    Failed(String),
}

#[derive(Serialize)]
struct GetResource<'q> {
    api_version: &'q str,
    kind: &'q str,
    name: &'q str,
    namespace: Option<&'q str>,
    disable_cache: bool,
}

#[derive(Serialize)]
struct ListResources<'q> {
    api_version: &'q str,
    kind: &'q str,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'q str>,
    label_selector: Option<&'q str>,
    field_selector: Option<&'q str>,
    field_masks: &'q [&'q str],
}

/// Looks for an object; `namespace` is `None` for objects of the cluster.
pub fn get(
    cluster: &dyn ClusterReader,
    api_version: &str,
    kind: &str,
    name: &str,
    namespace: Option<&str>,
) -> Lookup {
    let payload = GetResource {
        api_version,
        kind,
        name,
        namespace,
        disable_cache: false,
    };
    let payload = match serde_json::to_string(&payload) {
        Ok(payload) => payload,
        Err(error) => return Lookup::Failed(error.to_string()),
    };
    match cluster.call("get_resource", &payload) {
        Ok(object) => Lookup::Found(object),
        // The host reports a missing object only in this way: `Cannot find v1/Node named 'n1' inside of namespace 'None'`.
        Err(problem)
            if problem.contains("Cannot find ")
                && problem.contains(&format!(" named '{name}'")) =>
        {
            Lookup::Missing
        }
        Err(problem) => Lookup::Failed(problem),
    }
}

/// A list of the cluster.
#[derive(Clone, Copy)]
pub struct ListQuery<'q> {
    pub api_version: &'q str,
    pub kind: &'q str,
    /// `None`: the whole cluster.
    pub namespace: Option<&'q str>,
    /// The parts of the objects that are needed.
    pub parts: &'q [&'q str],
}

/// Lists objects, as JSON.
///
/// # Errors
/// Why the host could not answer.
pub fn list(cluster: &dyn ClusterReader, query: ListQuery<'_>) -> Result<String, String> {
    let payload = ListResources {
        api_version: query.api_version,
        kind: query.kind,
        namespace: query.namespace,
        label_selector: None,
        field_selector: None,
        field_masks: query.parts,
    };
    let payload = serde_json::to_string(&payload).map_err(|error| error.to_string())?;
    let operation = match query.namespace {
        Some(_) => "list_resources_by_namespace",
        None => "list_resources_all",
    };
    cluster.call(operation, &payload)
}

/// Returns the items of a list.
///
/// # Errors
/// It is no list.
pub fn items<'t>(tree: &'t Tree<'_>, root: NodeId) -> Result<&'t [NodeId], String> {
    match tree.get(root, "items") {
        Some(items) if matches!(tree.kind(items), Kind::Seq { .. }) => Ok(tree.items(items)),
        _ => Err("the host's list has no `items`".to_owned()),
    }
}

/// Counts the objects of a kind in a namespace.
///
/// # Errors
/// Why the host could not answer.
pub fn count(
    cluster: &dyn ClusterReader,
    api_version: &str,
    kind: &str,
    namespace: &str,
) -> Result<usize, String> {
    let query = ListQuery {
        api_version,
        kind,
        namespace: Some(namespace),
        parts: &["metadata.name"],
    };
    let list = list(cluster, query)?;
    let (tree, root) = parse(&list)?;
    items(&tree, root).map(<[NodeId]>::len)
}

/// Looks up the labels of a namespace.
///
/// # Errors
/// Why they are not known.
pub fn labels(cluster: &dyn ClusterReader, namespace: &str) -> Result<Labels, String> {
    let object = match get(cluster, "v1", "Namespace", namespace, None) {
        Lookup::Found(object) => object,
        Lookup::Missing => return Err(format!("there is no namespace `{namespace}`")),
        Lookup::Failed(problem) => return Err(problem),
    };
    let (tree, root) = parse(&object)?;
    let labels = tree
        .get(root, "metadata")
        .and_then(|metadata| tree.get(metadata, "labels"));
    let entries = labels.map_or(&[][..], |labels| tree.entries(labels));
    Ok(entries
        .iter()
        .filter_map(|entry| {
            Some((
                tree.text(entry.key).to_owned(),
                tree.str(entry.value)?.to_owned(),
            ))
        })
        .collect())
}

/// Reads one JSON value of the host.
///
/// # Errors
/// It is not JSON.
pub fn parse(text: &str) -> Result<(Tree<'_>, NodeId), String> {
    let mut tree = Tree::new(text);
    match json::value(&mut tree, 0, json::MAX_DEPTH) {
        Ok((root, _)) => Ok((tree, root)),
        Err(error) => Err(format!(
            "the host's answer cannot be read: {} at byte {}",
            error.message, error.offset
        )),
    }
}
