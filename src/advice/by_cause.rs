//! Codes of the server with several causes: what to do about each of them. The words are those of the server's messages.

use claimkit_model::finding::{Cause, Code, Finding};
use claimkit_model::message::{Message, Template, message, template};

/// A cause of a code, known by words of the message.
struct Row {
    code: Code,
    words: &'static str,
    help: Template,
}

const ROWS: &[Row] = &[
    Row {
        code: Code::RequestPolicyInvalid,
        words: "allowMultipleAllocations must be true",
        help: template!(
            "cause.policy-of-shared",
            "set `allowMultipleAllocations: true` on the device, or leave `requestPolicy` out"
        ),
    },
    Row {
        code: Code::RequestPolicyInvalid,
        words: "cannot specify \"validValues\" and \"validRange\"",
        help: template!(
            "cause.policy-one-kind",
            "keep one of `validValues` and `validRange`"
        ),
    },
    Row {
        code: Code::RequestPolicyInvalid,
        words: "required when",
        help: template!(
            "cause.policy-default",
            "write `default`: the amount for requests that name none"
        ),
    },
    Row {
        code: Code::RequestPolicyInvalid,
        words: "sorted in ascending order",
        help: template!(
            "cause.policy-order",
            "sort `validValues` in ascending order"
        ),
    },
    Row {
        code: Code::RequestPolicyInvalid,
        words: "larger than capacity value",
        help: template!(
            "cause.policy-within",
            "write at most the `value` of the capacity"
        ),
    },
    Row {
        code: Code::RequestPolicyInvalid,
        words: "default value is not valid",
        help: template!(
            "cause.policy-default-allowed",
            "write a `default` that the policy itself allows"
        ),
    },
    Row {
        code: Code::RequestPolicyInvalid,
        words: "default is ",
        help: template!(
            "cause.policy-default-between",
            "write a `default` between `min` and `max`"
        ),
    },
    Row {
        code: Code::RequestPolicyInvalid,
        words: "min is larger than max",
        help: template!(
            "cause.policy-min-max",
            "write a `min` that is not larger than `max`"
        ),
    },
    Row {
        code: Code::RequestPolicyInvalid,
        words: "not a multiple of a given step",
        help: template!(
            "cause.policy-step",
            "write `min` and a multiple of `step` more, or another `step`"
        ),
    },
    Row {
        code: Code::NodeSelectionInvalid,
        words: "can only be set if `perDeviceNodeSelection`",
        help: template!(
            "cause.nodes-per-device",
            "leave the nodes out of the device, or write `perDeviceNodeSelection: true` in place of the slice's own `nodeName`, `nodeSelector` or `allNodes`"
        ),
    },
    Row {
        code: Code::NodeSelectionInvalid,
        words: "must have exactly one node selector term",
        help: template!(
            "cause.one-node-term",
            "write exactly one term under `nodeSelectorTerms`"
        ),
    },
    Row {
        code: Code::NodeSelectionInvalid,
        words: "unset or set to true",
        help: template!("cause.true-or-out", "write `true`, or leave it out"),
    },
    Row {
        code: Code::NodeSelectionInvalid,
        words: "immutable",
        help: template!(
            "cause.nodes-immutable",
            "the nodes of a slice cannot change: create another slice"
        ),
    },
    Row {
        code: Code::NodeSelectionInvalid,
        words: "non-empty string",
        help: template!(
            "cause.node-name-or-out",
            "write the name of the node, or leave `nodeName` out and choose the nodes in another way"
        ),
    },
    Row {
        code: Code::NodeSelectionInvalid,
        words: "must not be empty",
        help: template!("cause.node-name", "write the name of the node"),
    },
    Row {
        code: Code::BindingConditionsInvalid,
        words: "are required to use",
        help: template!(
            "cause.both-conditions",
            "write both `bindingConditions` and `bindingFailureConditions`, or none of them"
        ),
    },
];

/// Names that are asked for where they are missing or empty.
const NAMES: [Code; 8] = [
    Code::AttributeNameInvalid,
    Code::CountersInvalid,
    Code::DeviceNameInvalid,
    Code::InstanceNameInvalid,
    Code::NodeNameInvalid,
    Code::NodeSelectorFieldValue,
    Code::PoolNameInvalid,
    Code::RequestNameInvalid,
];

/// Returns the help that follows from the cause of an error. `text`: the value, if it is a string. `key`: the last key of its path.
pub(super) fn help(finding: &Finding, text: &str, key: &str) -> Option<Message> {
    let said = finding.message.as_str();
    if finding.code == Code::RequestPolicyInvalid
        && finding.cause == Some(Cause::Required)
        && key == "min"
    {
        return Some(message!(
            "cause.policy-min",
            "write `min`: the smallest amount that a request gets"
        ));
    }
    if let Some(row) = ROWS
        .iter()
        .find(|row| row.code == finding.code && said.contains(row.words))
    {
        return Some(row.help.text());
    }
    let is_empty = text.is_empty()
        && (finding.cause == Some(Cause::Required) || said.contains("Invalid value: \"\""));
    match (finding.code, key) {
        (Code::PoolNameInvalid, "name") if is_empty => Some(message!(
            "cause.pool-name",
            "write `pool.name`: drivers with devices of one node use the node's name"
        )),
        (Code::PoolNameInvalid, "pool") if is_empty && said.contains("deviceSelector") => {
            Some(message!(
                "cause.pool-of-rule",
                "write the name of a pool after `pool:`, for drivers with devices of one node the node's name; or leave `pool` out to mean all pools"
            ))
        }
        (code, key) if is_empty && NAMES.contains(&code) && !key.is_empty() => Some(message!(
            "cause.name-missing",
            "`{key}` is missing or empty: write it",
            key
        )),
        (Code::TolerationInvalid | Code::TaintInvalid, "key") => Some(message!(
            "cause.label-key",
            "write `key` as a label key: `name` or `prefix/name`, of letters, digits, `-`, `_`, `.`"
        )),
        (Code::TolerationInvalid, "operator") => Some(message!(
            "cause.toleration-operator",
            "write `operator`: `Exists`, or `Equal` with a `value`"
        )),
        (Code::TolerationInvalid | Code::TaintInvalid, "value")
            if !said.contains("must be empty") =>
        {
            Some(message!(
                "cause.label-value",
                "write `value` as a label value: at most 63 letters, digits, `-`, `_`, `.`; begin and end with a letter or digit"
            ))
        }
        (Code::TaintInvalid, "effect") if is_empty => Some(message!(
            "cause.taint-effect",
            "write `effect`: `NoSchedule`, `NoExecute`, or from 1.35 on `None`"
        )),
        _ => None,
    }
}
