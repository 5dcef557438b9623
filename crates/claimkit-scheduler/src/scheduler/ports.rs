//! Ports of nodes: the plugin NodePorts.

use crate::allocator::objects::PodSpec;

/// A port of a node that a pod uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    ip: String,
    protocol: String,
    port: i64,
}

/// All addresses of the node.
const ANY: &str = "0.0.0.0";

impl Port {
    /// Returns true if both cannot be used on one node (kube-scheduler, `HostPortInfo.CheckConflict`).
    fn conflicts(&self, other: &Port) -> bool {
        let same_ip = self.ip == other.ip || self.ip == ANY || other.ip == ANY;
        self.port == other.port && self.protocol == other.protocol && same_ip
    }
}

/// Collects the ports that a pod uses: those of its containers, and of its sidecars.
pub fn of(spec: &PodSpec) -> Vec<Port> {
    let sidecars = spec
        .init_containers
        .iter()
        .filter(|container| container.restart_policy.as_deref() == Some("Always"));
    let ports = sidecars
        .chain(&spec.containers)
        .flat_map(|container| &container.ports);
    let used = ports.filter(|port| port.host_port > 0);
    used.map(|port| Port {
        ip: text_or(&port.host_ip, ANY),
        protocol: text_or(&port.protocol, "TCP"),
        port: port.host_port,
    })
    .collect()
}

fn text_or(text: &str, default: &str) -> String {
    if text.is_empty() { default } else { text }.to_owned()
}

/// Returns true if one of the ports is taken.
pub fn taken(wanted: &[Port], used: &[Port]) -> bool {
    wanted
        .iter()
        .any(|port| used.iter().any(|other| port.conflicts(other)))
}

/// Returns the ports that are taken, as `number/protocol`.
pub fn conflicts<'p>(wanted: &'p [Port], used: &'p [Port]) -> impl Iterator<Item = String> + 'p {
    let taken = wanted
        .iter()
        .filter(|port| used.iter().any(|other| port.conflicts(other)));
    taken.map(|port| format!("{}/{}", port.port, port.protocol))
}
