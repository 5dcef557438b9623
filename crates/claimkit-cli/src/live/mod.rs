//! A running cluster, asked through the `kubectl` on PATH: `why`, and `--live` of other verbs.
//!
//! | part | takes | gives |
//! |---|---|---|
//! | `kubectl` | a command of kubectl | its output, or why there is none |
//! | [`Live`] | the flags of the connection | release, namespace, served versions, gates |
//! | `kinds` | - | the kinds that are read, and what their absence means |
//! | `read` | kinds | the objects of the cluster page by page, and what could not be seen |
//! | `dump` | files | the same objects, without a cluster |
//! | `why` | a pod, or all that wait | the answer |
//! | `watch` | the answer, again and again | what changed in it |
//! | `answer` | accounts of pods | text |
//! | `pod_devices` | a pod | what is wrong with its devices |
//! | `helps` | the account of a pod | the changes that would help it |
//! | `room`, `rewrites` | the account of a pod | pods whose end makes room; expressions, names and priorities that would do |
//! | `nodes` | the nodes | those to which no pod is sent |
//! | `users` | pods and claims | who uses a claim, and how that ends |
//! | `audit` | the cluster | what is wrong in it, and what is in use |
//! | `snapshot` | the cluster, or files | its objects as one List |
//! | `redact` | objects | the same without what no answer needs, and with other names |
//! | `stored` | the cluster | what a policy judges in it |
//! | `validate` | files | what the cluster says of their namespaces and versions |
//!
//! Only `get`, `version` and `config view` of kubectl are run, and only the first two reach the cluster. Nothing is written.

mod answer;
pub mod audit;
mod brief;
mod dump;
mod gates;
mod helps;
mod kinds;
mod kubectl;
mod nodes;
mod pod_devices;
mod read;
mod redact;
mod rewrites;
mod room;
pub mod snapshot;
pub mod stored;
mod users;
pub mod validate;
mod watch;
pub mod why;

use crate::host::Host;
use crate::options::ConnectionArgs;
use claimkit_model::schema::{Release, VERSIONS, Version};
use kubectl::{Kubectl, KubectlRefusal};
pub use read::Unseen;
use serde::Deserialize;

/// A cluster that answered.
pub struct Live {
    kubectl: Kubectl,
    /// The namespace that is asked about: that of the command line, or of kubectl's context.
    namespace: String,
    /// The server's version, `v1.34.2-gke.1`; `None` if it is unknown.
    server: Option<String>,
    /// The release that answers.
    release: Release,
    /// The facts on which the answer is based, one line each.
    notes: Vec<String>,
}

/// The output of `kubectl version -o json`.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Versions {
    server_version: Option<ServerVersion>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ServerVersion {
    git_version: String,
}

/// The output of `kubectl config view -o json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Config {
    contexts: Option<Vec<Named>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    context: Context,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Context {
    namespace: String,
}

/// The answer of `/apis/GROUP`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ApiGroup {
    versions: Option<Vec<GroupVersion>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct GroupVersion {
    version: String,
}

impl Live {
    /// Returns a cluster that was not asked anything yet.
    fn of_connection(connection: &ConnectionArgs) -> Self {
        Live {
            kubectl: Kubectl::new(connection),
            namespace: "default".to_owned(),
            server: None,
            release: Release::latest(),
            notes: Vec::new(),
        }
    }

    /// Connects to the cluster of a command line. Without a release the server's is followed; without a namespace that of
    /// kubectl's context is asked about.
    ///
    /// # Errors
    /// Why no cluster answers, or why its release cannot be followed.
    pub fn open(
        connection: &ConnectionArgs,
        asked_release: Option<&str>,
        namespace: Option<&str>,
        host: &mut dyn Host,
    ) -> Result<Self, String> {
        let kubectl = Kubectl::new(connection);
        let mut notes = Vec::new();
        let server = match kubectl.json::<Versions>(&["version", "--output=json"], host) {
            Ok(versions) => versions.server_version.map(|version| version.git_version),
            Err(KubectlRefusal::Answered { text, .. }) => {
                notes.push(format!("the server's version was not seen ({text})"));
                None
            }
            Err(refusal) => return Err(refusal.text()),
        };
        let release = release(asked_release, server.as_deref(), &mut notes)?;
        let namespace = match namespace {
            Some(namespace) => namespace.to_owned(),
            None => kubectl.namespace(host),
        };
        Ok(Live {
            kubectl,
            namespace,
            server,
            release,
            notes,
        })
    }

    /// Returns the versions of resource.k8s.io that the cluster serves and claimkit knows, the newest first.
    ///
    /// # Errors
    /// Why they are not known.
    fn served(&self, host: &mut dyn Host) -> Result<Vec<&'static Version>, KubectlRefusal> {
        let names = self.versions("resource.k8s.io", host)?;
        Ok(VERSIONS
            .iter()
            .rev()
            .copied()
            .filter(|version| names.iter().any(|name| *name == version.name))
            .collect())
    }

    /// Returns the versions of an API group that the cluster serves, in its order of preference.
    ///
    /// # Errors
    /// Why they are not known.
    fn versions(&self, group: &str, host: &mut dyn Host) -> Result<Vec<String>, KubectlRefusal> {
        let group: ApiGroup = self
            .kubectl
            .json(&["get", &format!("--raw=/apis/{group}")], host)?;
        Ok(group
            .versions
            .unwrap_or_default()
            .into_iter()
            .map(|version| version.version)
            .collect())
    }
}

/// Returns the release to follow: the one that was asked for, or that of the server.
fn release(
    asked: Option<&str>,
    server: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<Release, String> {
    if let Some(asked) = asked {
        return Release::parse(asked).ok_or_else(|| Release::unknown(asked).into());
    }
    let Some(server) = server else {
        notes.push(format!(
            "answered as Kubernetes {}, the newest known here",
            Release::latest()
        ));
        return Ok(Release::latest());
    };
    let name = server.trim_start_matches('v');
    if let Some(release) = Release::parse(name) {
        return Ok(release);
    }
    let numbers = name
        .split(|c: char| !c.is_ascii_digit() && c != '.')
        .next()
        .unwrap_or_default();
    if let Some(release) = Release::parse(numbers) {
        return Ok(release);
    }
    let mut parts = numbers.split('.').map(str::parse::<u64>);
    let (Some(Ok(1)), Some(Ok(minor))) = (parts.next(), parts.next()) else {
        return Err(Release::unknown(server).into());
    };
    let known = Release::parse(&format!("1.{minor}"));
    if known.is_none() && minor <= u64::from(Release::latest().minor) {
        return Err(Release::unknown(server).into());
    }
    let followed = known.unwrap_or(Release::latest());
    notes.push(format!(
        "the server is {server}, newer than what is known here: answered as Kubernetes {followed}"
    ));
    Ok(followed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_the_servers_or_the_nearest_known_one() {
        let of = |asked: Option<&str>, server: Option<&str>| {
            let mut notes = Vec::new();
            release(asked, server, &mut notes).map(|release| (release.to_string(), notes.len()))
        };
        assert_eq!(of(None, Some("v1.34.2")), Ok(("1.34.2".to_owned(), 0)));
        assert_eq!(
            of(None, Some("v1.34.2-gke.1067000")),
            Ok(("1.34.2".to_owned(), 0))
        );
        assert_eq!(of(None, Some("v1.33.5+k3s1")), Ok(("1.33.5".to_owned(), 0)));
        assert_eq!(
            of(None, Some("v1.34.99")),
            Ok((Release::last_of(34).to_string(), 1))
        );
        assert_eq!(
            of(None, Some("v1.99.0-alpha.1")),
            Ok((Release::latest().to_string(), 1))
        );
        assert_eq!(of(None, None), Ok((Release::latest().to_string(), 1)));
        assert_eq!(
            of(Some("1.32.1"), Some("v1.34.2")),
            Ok(("1.32.1".to_owned(), 0))
        );
        assert!(of(None, Some("v1.20.1")).is_err());
        assert!(of(None, Some("what")).is_err());
        assert!(of(Some("1.99"), Some("v1.34.2")).is_err());
    }
}
