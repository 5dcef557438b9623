//! The changes that would give a pod its devices and a node.

use claimkit_scheduler::explain::account::{NodeAccount, PodAccount, Relaxation};
use claimkit_scheduler::explain::kinds::NodeVerdict;
use claimkit_scheduler::explain::turn::{NodeRefusal, Plugin};
use std::collections::BTreeSet;

/// Returns the changes, each once: single changes of devices, then nodes that have the devices and refuse the pod for another
/// reason, then pairs of changes. A change of devices counts only where nothing else refuses the pod.
pub fn of(account: &PodAccount) -> Vec<String> {
    let single = |relaxation: &Relaxation| relaxation.changes.len() == 1;
    let changes = || {
        account
            .nodes
            .iter()
            .filter(|node| !is_refused_by_others(node))
            .flat_map(|node| &node.relaxations)
    };
    let singles = changes()
        .filter(|relaxation| single(relaxation))
        .map(|relaxation| relaxation.text.clone());
    let asks_for_devices = !account.claims.is_empty() || !account.extended_resources.is_empty();
    let elsewhere = account
        .nodes
        .iter()
        .filter(|node| node.verdict == NodeVerdict::Refused && asks_for_devices);
    let elsewhere = elsewhere.map(|node| {
        format!(
            "{}: gives the pod its devices on {}",
            remedies(node),
            node.name
        )
    });
    let pairs = changes()
        .filter(|relaxation| !single(relaxation))
        .map(|relaxation| relaxation.text.clone());
    let mut known = BTreeSet::new();
    singles
        .chain(elsewhere)
        .chain(pairs)
        .filter(|text| known.insert(text.clone()))
        .collect()
}

/// Returns why no change is known, if some were looked for.
pub fn why_none(account: &PodAccount) -> Option<&'static str> {
    let tried = |node: &&NodeAccount| node.verdict == NodeVerdict::None;
    if account
        .nodes
        .iter()
        .any(|node| !node.relaxations.is_empty())
    {
        return Some(
            "No change of devices alone helps: where one would, the node refuses the pod for another reason, too.",
        );
    }
    account
        .nodes
        .iter()
        .any(|node| tried(&node))
        .then_some("No single change helps, nor any pair that was tried.")
}

/// Returns true if plugins refuse the pod, and the one for devices does not.
pub fn is_about_others(node: &NodeAccount) -> bool {
    !node.refusals.is_empty()
        && !node
            .refusals
            .iter()
            .any(|refusal| refusal.plugin == Plugin::DynamicResources)
}

/// Returns true if a plugin that is not for devices refuses the node.
fn is_refused_by_others(node: &NodeAccount) -> bool {
    node.refusals
        .iter()
        .any(|refusal| refusal.plugin != Plugin::DynamicResources)
}

/// Returns what would make the plugins take a node that has the devices.
fn remedies(node: &NodeAccount) -> String {
    debug_assert!(
        is_about_others(node),
        "only other plugins refuse {}",
        node.name
    );
    node.refusals
        .iter()
        .map(remedy)
        .collect::<Vec<_>>()
        .join(" and ")
}

fn remedy(refusal: &NodeRefusal) -> String {
    let why = refusal.why.join(", ");
    match refusal.plugin {
        Plugin::NodeUnschedulable => "uncordoning the node".to_owned(),
        Plugin::TaintToleration => format!("tolerating the taint {}", refusal.taints.join(", ")),
        Plugin::NodeAffinity => format!("changing the pod's node selector or affinity ({why})"),
        Plugin::NodePorts => format!("changing the pod's ports ({why})"),
        Plugin::NodeResourcesFit => format!("making room ({why})"),
        Plugin::PodTopologySpread => format!("changing the pod's spread ({why})"),
        Plugin::InterPodAffinity => "changing the affinity between pods".to_owned(),
        Plugin::VolumeRestrictions
        | Plugin::NodeVolumeLimits
        | Plugin::VolumeBinding
        | Plugin::VolumeZone => "changing its volumes".to_owned(),
        Plugin::DynamicResources => "changing its devices".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use claimkit_scheduler::allocator::status::StatusCode;
    use claimkit_scheduler::explain::account::Change;
    use claimkit_scheduler::explain::kinds::{ChangeKind, Freed};

    fn refusal(plugin: Plugin, why: &str) -> NodeRefusal {
        let why = if why.is_empty() {
            Vec::new()
        } else {
            vec![why.to_owned()]
        };
        NodeRefusal {
            plugin,
            reasons: vec!["no".to_owned()],
            code: StatusCode::Unschedulable,
            why,
            taints: Vec::new(),
        }
    }

    fn node(
        name: &str,
        verdict: NodeVerdict,
        refusals: Vec<NodeRefusal>,
        relaxations: &[(&str, usize)],
    ) -> NodeAccount {
        let relaxation = |(text, changes): &(&str, usize)| Relaxation {
            text: (*text).to_owned(),
            changes: vec![Change::of(ChangeKind::Free(Freed::Claim), String::new()); *changes],
            ..Relaxation::default()
        };
        let relaxations = relaxations.iter().map(relaxation).collect();
        NodeAccount {
            name: name.to_owned(),
            verdict,
            refusals,
            relaxations,
            ..NodeAccount::default()
        }
    }

    fn account(nodes: Vec<NodeAccount>) -> PodAccount {
        PodAccount {
            claims: vec!["ns/c".to_owned()],
            nodes,
            ..PodAccount::default()
        }
    }

    #[test]
    fn single_changes_come_first_and_each_once() {
        let devices = || vec![refusal(Plugin::DynamicResources, "")];
        let taint = vec![NodeRefusal {
            taints: vec!["a=b:NoSchedule".to_owned()],
            ..refusal(Plugin::TaintToleration, "")
        }];
        let two = [("pair", 2), ("one", 1)];
        let nodes = vec![
            node("a", NodeVerdict::None, devices(), &two),
            node("b", NodeVerdict::None, devices(), &two),
            node("c", NodeVerdict::Refused, taint, &[]),
        ];
        let found = of(&account(nodes));
        assert_eq!(
            found,
            [
                "one",
                "tolerating the taint a=b:NoSchedule: gives the pod its devices on c",
                "pair"
            ]
        );
    }

    #[test]
    fn a_change_of_devices_does_not_count_where_another_plugin_refuses() {
        let both = vec![
            refusal(Plugin::NodeAffinity, "nodeSelector a=b"),
            refusal(Plugin::DynamicResources, ""),
        ];
        let refused = account(vec![node("a", NodeVerdict::None, both, &[("one", 1)])]);
        assert!(of(&refused).is_empty());
        assert!(
            why_none(&refused)
                .is_some_and(|why| why.starts_with("No change of devices alone helps"))
        );
        let lacking = account(vec![node(
            "a",
            NodeVerdict::None,
            vec![refusal(Plugin::DynamicResources, "")],
            &[],
        )]);
        assert_eq!(
            why_none(&lacking),
            Some("No single change helps, nor any pair that was tried.")
        );
        assert_eq!(why_none(&account(Vec::new())), None);
    }

    #[test]
    fn every_reason_of_a_node_is_named() {
        let refusals = vec![
            refusal(Plugin::NodeUnschedulable, "the node is cordoned"),
            refusal(Plugin::NodeResourcesFit, "cpu: 2 wanted, 1 of 4 left"),
        ];
        let found = of(&account(vec![node(
            "a",
            NodeVerdict::Refused,
            refusals,
            &[],
        )]));
        assert_eq!(
            found,
            [
                "uncordoning the node and making room (cpu: 2 wanted, 1 of 4 left): gives the pod its devices on a"
            ]
        );
        let mut without = account(vec![node(
            "a",
            NodeVerdict::Refused,
            vec![refusal(Plugin::NodePorts, "host port 80 is in use")],
            &[],
        )]);
        without.claims.clear();
        assert!(of(&without).is_empty(), "the pod asks for no devices");
    }
}
