//! What the server fills in when it reads a pod (kube-apiserver, `pkg/apis/core/v1/defaults.go`), as far as scheduling depends
//! on it. Pods that come from a server have it already.

use super::{Container, PodSpec};

/// The scheduler of pods that name none.
pub const DEFAULT_SCHEDULER: &str = "default-scheduler";

impl PodSpec {
    /// Fills in what a manifest leaves out: requests that are limited only, the ports of the node's network, the scheduler.
    pub fn set_defaults(&mut self) {
        if self.scheduler_name.is_empty() {
            DEFAULT_SCHEDULER.clone_into(&mut self.scheduler_name);
        }
        let host_network = self.host_network;
        for container in self.init_containers.iter_mut().chain(&mut self.containers) {
            container.set_requests();
            if host_network {
                let unset = container
                    .ports
                    .iter_mut()
                    .filter(|port| port.host_port == 0);
                unset.for_each(|port| port.host_port = port.container_port);
            }
        }
    }
}

impl Container {
    /// Requests a resource that is only limited in the same amount (`SetDefaults_Pod`).
    fn set_requests(&mut self) {
        for (name, limit) in self.resources.limits.iter() {
            if !self.resources.requests.contains_key(name) {
                self.resources.requests.insert(name.clone(), limit.clone());
            }
        }
    }
}
