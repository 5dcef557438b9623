//! A cluster that answers: its release, and the versions that it serves.

use super::kubectl::{Kubectl, KubectlRefusal};
use crate::host::Host;
use crate::options::ConnectionArgs;
use claimkit_model::schema::{Release, VERSIONS, Version};
use serde::Deserialize;

/// A cluster that answered.
pub struct Live {
    pub kubectl: Kubectl,
    /// The namespace that is asked about: that of the command line, or of kubectl's context.
    pub namespace: String,
    /// The server's version, `v1.34.2-gke.1`; `None` if it is unknown.
    pub server: Option<String>,
    /// The release that answers.
    pub release: Release,
    /// The facts on which the answer is based, one line each.
    pub notes: Vec<String>,
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
    pub fn of_connection(connection: &ConnectionArgs) -> Self {
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
    pub fn served(&self, host: &mut dyn Host) -> Result<Vec<&'static Version>, KubectlRefusal> {
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
    pub fn versions(
        &self,
        group: &str,
        host: &mut dyn Host,
    ) -> Result<Vec<String>, KubectlRefusal> {
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
