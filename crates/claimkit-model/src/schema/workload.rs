//! Kinds of other groups that have pods (k8s.io/api, core/v1, apps/v1 and batch/v1, types.go).

/// Group and kind, and the fields that lead from an object to the spec of its pods.
const WORKLOADS: &[(&str, &str, &[&str])] = &[
    ("", "Pod", &["spec"]),
    ("", "PodTemplate", &["template", "spec"]),
    ("", "ReplicationController", TEMPLATE),
    ("apps", "Deployment", TEMPLATE),
    ("apps", "ReplicaSet", TEMPLATE),
    ("apps", "StatefulSet", TEMPLATE),
    ("apps", "DaemonSet", TEMPLATE),
    ("batch", "Job", TEMPLATE),
    (
        "batch",
        "CronJob",
        &["spec", "jobTemplate", "spec", "template", "spec"],
    ),
];

const TEMPLATE: &[&str] = &["spec", "template", "spec"];

/// Returns the fields from an object of this kind to the spec of its pods; `None` if it has none.
pub fn path_to_spec(api_version: &str, kind: &str) -> Option<&'static [&'static str]> {
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    WORKLOADS
        .iter()
        .find(|(of, name, _)| *of == group && *name == kind)
        .map(|(_, _, path)| *path)
}
