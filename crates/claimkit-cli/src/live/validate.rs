//! What a cluster says to `validate --live`: its release and gates, the versions it serves, and the labels of its namespaces.

use super::cluster::Live;
use super::kubectl::escaped;
use crate::files::InputFile;
use crate::host::Host;
use crate::options::ValidateArgs;
use claimkit::report::text::visible;
use claimkit::requests;
use claimkit::requests::Request;
use claimkit::requests::request::{ParseRequest, ValidateRequest};
use claimkit_model::schema::{self, Scope};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of namespaces whose labels are asked for.
const MOST_NAMESPACES: usize = 100;
/// Labels that decide whether a request is admitted hold this in their names.
const DECIDES: &str = "admin-access";

type Labels = BTreeMap<String, String>;

/// A cluster, as far as `validate` asks it.
pub struct ServingCluster {
    live: Live,
    served: Option<Vec<String>>,
    gates: BTreeMap<String, bool>,
    namespaces: BTreeMap<String, Option<Labels>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Namespace {
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    labels: Option<Labels>,
}

/// Asks the cluster, if the command line says so.
///
/// # Errors
/// Why no cluster answers.
pub fn open(args: &ValidateArgs, host: &mut dyn Host) -> Result<Option<ServingCluster>, String> {
    if !args.live {
        return match args.connection.flags().first() {
            Some(flag) => Err(format!("`--{}` goes with `--live`", flag.name)),
            None => Ok(None),
        };
    }
    let mut live = Live::open(
        &args.connection,
        args.release.as_deref(),
        args.namespace.as_deref(),
        host,
    )?;
    let served = match live.served(host) {
        Ok(versions) => Some(
            versions
                .iter()
                .map(|version| version.name.to_owned())
                .collect(),
        ),
        Err(refusal) if refusal.is("NotFound") => Some(Vec::new()),
        Err(refusal) => {
            live.notes.push(format!(
                "the served versions were not seen ({})",
                refusal.text()
            ));
            None
        }
    };
    let gates = if args.gates.lists.is_some() {
        BTreeMap::new()
    } else {
        live.gates(host).unwrap_or_default()
    };
    if !gates.is_empty() {
        let named: Vec<String> = gates
            .iter()
            .map(|(name, on)| format!("{name}={on}"))
            .collect();
        live.notes.push(format!(
            "gates that are not at their defaults: {}",
            named.join(",")
        ));
    }
    Ok(Some(ServingCluster {
        live,
        served,
        gates,
        namespaces: BTreeMap::new(),
    }))
}

impl ServingCluster {
    /// Sets what all files share.
    pub fn fill(&self, request: &mut ValidateRequest) {
        request.release = Some(self.live.release.to_string());
        request.served.clone_from(&self.served);
        request
            .gates
            .extend(self.gates.iter().map(|(name, on)| (name.clone(), *on)));
    }

    /// Asks for the labels of the namespaces that objects of files are in, and says on standard error what was not seen.
    pub fn see(&mut self, files: &[InputFile], host: &mut dyn Host) {
        let names: BTreeSet<String> = files
            .iter()
            .flat_map(|file| self.namespaces_of(file))
            .collect();
        for name in names.into_iter().take(MOST_NAMESPACES) {
            let path = format!("--raw=/api/v1/namespaces/{}", escaped(&name));
            let labels = match self.live.kubectl.json::<Namespace>(&["get", &path], host) {
                Ok(namespace) => Some(namespace.metadata.labels.unwrap_or_default()),
                Err(refusal) => {
                    let what = if refusal.is("NotFound") {
                        format!("the cluster has no namespace {name}")
                    } else {
                        format!(
                            "labels of namespace {name} were not seen ({})",
                            refusal.text()
                        )
                    };
                    self.live.notes.push(what);
                    None
                }
            };
            self.namespaces.insert(name, labels);
        }
        host.status("");
        for note in &self.live.notes {
            host.err(&format!("claimkit: {}\n", visible(note)));
        }
    }

    /// Returns the labels of the namespace that a file's objects are in; `None` if they are not known, or differ where it
    /// matters.
    pub fn labels(&self, file: &InputFile) -> Option<Labels> {
        let mut names = self
            .namespaces_of(file)
            .into_iter()
            .map(|name| self.namespaces.get(&name)?.as_ref());
        let first = names.next()??;
        names
            .all(|labels| {
                labels.is_some_and(|labels| deciding_labels(labels) == deciding_labels(first))
            })
            .then(|| first.clone())
    }

    /// Returns the namespaces of a file's objects.
    fn namespaces_of(&self, file: &InputFile) -> BTreeSet<String> {
        let request = ParseRequest {
            text: Some(file.text.clone()),
            release: Some(self.live.release.to_string()),
            ..ParseRequest::default()
        };
        let objects = requests::run(&Request::Parse(request)).objects;
        let namespaced = objects.into_iter().filter(|object| {
            let kind = schema::version(&object.api_version)
                .and_then(|version| version.kind(&object.kind, self.live.release));
            kind.is_some_and(|kind| kind.scope == Scope::Namespaced)
        });
        let own = |namespace: String| {
            if namespace.is_empty() {
                self.live.namespace.clone()
            } else {
                namespace
            }
        };
        namespaced.map(|object| own(object.namespace)).collect()
    }
}

fn deciding_labels(labels: &Labels) -> Labels {
    labels
        .iter()
        .filter(|(key, _)| key.contains(DECIDES))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}
