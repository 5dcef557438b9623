//! `releases --helm`: a release as renderers of charts take it. Without a cluster, Helm knows the versions of the API that it was
//! compiled with, and charts that look for `resource.k8s.io` render another form or fail.

use crate::host::Host;
use crate::values::ChartTool;
use claimkit::Release;
use claimkit::editor::registry::{ReleaseEntry, VersionEntry};

/// Prints a release for a tool.
pub fn print(tool: ChartTool, release: Release, entry: &ReleaseEntry, host: &mut dyn Host) {
    let Some(version) = usual_version(entry) else {
        return;
    };
    if !is_stable(version) {
        host.err(&format!(
            "claimkit: 1.{} serves no version of resource.k8s.io unless it is switched on; {} is the newest\n",
            release.minor, version.api_version
        ));
    }
    let names = capabilities(version);
    host.out(&match tool {
        ChartTool::Helm => options(&[
            ("--kube-version", release.to_string()),
            ("--api-versions", names.join(",")),
        ]),
        ChartTool::Kustomize => options(&[
            ("--enable-helm", String::new()),
            ("--helm-kube-version", release.to_string()),
            ("--helm-api-versions", names.join(",")),
        ]),
        ChartTool::HelmUnittest => {
            let items: Vec<String> = names.iter().map(|name| format!("  - {name}\n")).collect();
            format!(
                "capabilities:\n  majorVersion: 1\n  minorVersion: {}\n  apiVersions:\n{}",
                release.minor,
                items.concat()
            )
        }
    });
}

/// Returns the version that a cluster serves without being told to, else the newest that holds claims.
fn usual_version(entry: &ReleaseEntry) -> Option<&VersionEntry> {
    let holds_claims = |version: &&VersionEntry| {
        let mut kinds = version.kinds.iter();
        kinds.any(|kind| kind.kind == "ResourceClaim")
    };
    // The newest version is the last one.
    entry.versions.iter().rfind(holds_claims)
}

/// Returns whether servers serve the version without being told to: they do so for neither alpha nor beta ones.
fn is_stable(version: &VersionEntry) -> bool {
    !version.api_version.contains("alpha") && !version.api_version.contains("beta")
}

/// Returns the names that charts look for: the version, and each kind in it.
fn capabilities(version: &VersionEntry) -> Vec<String> {
    let kinds = version.kinds.iter();
    std::iter::once(version.api_version.to_owned())
        .chain(kinds.map(|kind| format!("{}/{}", version.api_version, kind.kind)))
        .collect()
}

/// Returns a line of options for a shell: it is put into a command as it is.
fn options(pairs: &[(&str, String)]) -> String {
    let words: Vec<String> = pairs
        .iter()
        .map(|(name, value)| {
            if value.is_empty() {
                (*name).to_owned()
            } else {
                format!("{name} {value}")
            }
        })
        .collect();
    format!("{}\n", words.join(" "))
}
