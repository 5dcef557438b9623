//! The objects that make pods, as a command line names them, and how a pod says which of them made it.

/// A kind of object that makes pods.
#[derive(Debug, PartialEq, Eq)]
pub struct OwnerKind {
    /// In lower case and the singular, as `ownerReferences` has it.
    pub name: &'static str,
    /// The other names that kubectl takes.
    others: &'static [&'static str],
    pods: PodsOfOwner,
}

/// How a pod says which object of a kind made it, where its `ownerReferences` name another one in between.
#[derive(Debug, PartialEq, Eq)]
enum PodsOfOwner {
    /// They name the object itself, or a ReplicaSet whose name says it.
    Named,
    /// A label has the name of the object.
    Label(&'static str),
    /// They name a Job whose name is that of the CronJob and the minute of its run (kube-controller-manager,
    /// `pkg/controller/cronjob/cronjob_controllerv2.go`, `getJobName`).
    Job,
}

const fn named(name: &'static str, others: &'static [&'static str]) -> OwnerKind {
    OwnerKind {
        name,
        others,
        pods: PodsOfOwner::Named,
    }
}

const fn labeled(
    name: &'static str,
    others: &'static [&'static str],
    label: &'static str,
) -> OwnerKind {
    OwnerKind {
        name,
        others,
        pods: PodsOfOwner::Label(label),
    }
}

const JOBSET: &str = "jobset.sigs.k8s.io/jobset-name";
const KUBEFLOW: &str = "training.kubeflow.org/job-name";

const OWNER_KINDS: &[OwnerKind] = &[
    named("deployment", &["deploy", "deployments"]),
    named("replicaset", &["rs", "replicasets"]),
    named("statefulset", &["sts", "statefulsets"]),
    named("daemonset", &["ds", "daemonsets"]),
    named("job", &["jobs"]),
    named("replicationcontroller", &["rc", "replicationcontrollers"]),
    named("rollout", &["ro", "rollouts"]),
    OwnerKind {
        name: "cronjob",
        others: &["cj", "cronjobs"],
        pods: PodsOfOwner::Job,
    },
    labeled("jobset", &["jobsets"], JOBSET),
    // It makes a JobSet of its name.
    labeled("trainjob", &["trainjobs"], JOBSET),
    labeled(
        "leaderworkerset",
        &["lws", "leaderworkersets"],
        "leaderworkerset.sigs.k8s.io/name",
    ),
    labeled("raycluster", &["rayclusters"], "ray.io/cluster"),
    labeled("pytorchjob", &["pytorchjobs"], KUBEFLOW),
    labeled("mpijob", &["mpijobs"], KUBEFLOW),
];

impl OwnerKind {
    /// Returns the kind that kubectl takes under a name in lower case.
    pub fn of(written: &str) -> Option<&'static OwnerKind> {
        let mut kinds = OWNER_KINDS.iter();
        kinds.find(|kind| kind.name == written || kind.others.contains(&written))
    }

    /// Returns the label in which pods have the name of the object.
    pub fn label(&self) -> Option<&'static str> {
        match self.pods {
            PodsOfOwner::Label(label) => Some(label),
            PodsOfOwner::Named | PodsOfOwner::Job => None,
        }
    }

    /// Returns true if a Job is of a CronJob.
    pub fn has_job(&self, name: &str, job: &str) -> bool {
        let minute = job
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('-'));
        let is_run = minute.is_some_and(|minute| {
            !minute.is_empty() && minute.bytes().all(|byte| byte.is_ascii_digit())
        });
        self.pods == PodsOfOwner::Job && is_run
    }
}
