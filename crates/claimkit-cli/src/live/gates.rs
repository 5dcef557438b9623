//! The feature gates of a cluster, from the metrics of its kube-apiserver.

use super::cluster::Live;
use super::kubectl::KubectlRefusal;
use crate::host::Host;
use claimkit_model::schema::gates::Setting;
use claimkit_model::schema::{Gate, Gates, Release};
use std::collections::BTreeMap;

/// The metric that every component has for each of its gates (component-base, `metrics/prometheus/feature/metrics.go`).
const METRIC: &str = "kubernetes_feature_enabled{";

impl Live {
    /// Returns the gates of kube-apiserver that differ from the defaults of the release.
    ///
    /// # Errors
    /// Why the metrics cannot be read.
    pub fn gates(&self, host: &mut dyn Host) -> Result<BTreeMap<String, bool>, KubectlRefusal> {
        let metrics = self.kubectl.run(&["get", "--raw=/metrics"], host)?;
        Ok(differing(&String::from_utf8_lossy(&metrics), self.release))
    }

    /// Returns the gates of the command line, or those that the cluster shows.
    pub fn effective_gates(
        &mut self,
        given: Option<BTreeMap<String, bool>>,
        host: &mut dyn Host,
    ) -> BTreeMap<String, bool> {
        if let Some(given) = given {
            return given;
        }
        let gates = match self.gates(host) {
            Ok(gates) => gates,
            Err(refusal) => {
                self.notes.push(format!(
                    "feature gates were not seen ({}): they count as the release's defaults; `--gates` names others",
                    refusal.text()
                ));
                return BTreeMap::new();
            }
        };
        if !gates.is_empty() {
            let named: Vec<String> = gates
                .iter()
                .map(|(name, on)| format!("{name}={on}"))
                .collect();
            self.notes.push(format!(
                "gates of kube-apiserver that are not at their defaults: {}; kube-scheduler's cannot be read",
                named.join(",")
            ));
        }
        gates
    }
}

/// Returns the gates of metrics that differ from the defaults of a release and can be set in it.
fn differing(metrics: &str, release: Release) -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    for (name, on) in metrics.lines().filter_map(read) {
        let differs = Gate::named(name)
            .and_then(|gate| gate.default_in(release))
            .is_some_and(|default| match default {
                Setting::On => !on,
                Setting::Off => on,
                Setting::Locked | Setting::LockedOff => false,
            });
        if differs {
            found.insert(name.to_owned(), on);
        }
    }
    let possible = |gates: &BTreeMap<String, bool>| {
        Gates::with(release, gates.iter().map(|(name, on)| (name.as_str(), *on))).is_ok()
    };
    if possible(&found) {
        found
    } else {
        BTreeMap::new()
    }
}

/// Reads `kubernetes_feature_enabled{name="DRAAdminAccess",stage="BETA"} 1`.
fn read(line: &str) -> Option<(&str, bool)> {
    let (labels, value) = line.strip_prefix(METRIC)?.rsplit_once("} ")?;
    let name = labels.split("name=\"").nth(1)?.split('"').next()?;
    match value.trim() {
        "1" => Some((name, true)),
        "0" => Some((name, false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_that_differ_are_read() {
        let metrics = "# HELP kubernetes_feature_enabled [BETA] …\n\
            kubernetes_feature_enabled{name=\"DRAAdminAccess\",stage=\"BETA\"} 0\n\
            kubernetes_feature_enabled{name=\"DRAPrioritizedList\",stage=\"BETA\"} 1\n\
            kubernetes_feature_enabled{name=\"NoSuchGate\",stage=\"ALPHA\"} 1\n\
            apiserver_request_total{verb=\"GET\"} 1\n";
        let found = differing(metrics, Release::new(35, 0));
        assert_eq!(
            found,
            BTreeMap::from([("DRAAdminAccess".to_owned(), false)])
        );
        assert!(differing("kubernetes_feature_enabled{", Release::latest()).is_empty());
    }
}
