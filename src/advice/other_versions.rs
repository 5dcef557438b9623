//! Fields of other API versions: what to know about them, and what to write in their place.

use claimkit_model::message::{Message, Template, message, template};
use claimkit_model::schema::{Api, Struct};

/// Fields of other versions: Go struct, field, what to know. `resource.k8s.io` of 1.31 and later is another design.
const OTHER_VERSIONS: &[(&str, &str, Template)] = &[
    (
        "ResourceClaimSpec",
        "devices",
        template!(
            "suggest.claim-devices-later",
            "`devices` belongs to v1alpha3 and later; in v1alpha1 and v1alpha2 a claim names a class: `resourceClassName`",
        ),
    ),
    (
        "ResourceClaimSpec",
        "deviceClassName",
        template!(
            "suggest.device-class-name-later",
            "`deviceClassName` belongs to v1alpha3 and later, inside `devices.requests`; in v1alpha1 and v1alpha2 write `resourceClassName`",
        ),
    ),
    (
        "ResourceClaimSpec",
        "controller",
        template!(
            "suggest.claim-controller-later",
            "`controller` belongs to v1alpha3; in v1alpha1 and v1alpha2 the driver is named by the ResourceClass",
        ),
    ),
    (
        "AllocationResult",
        "devices",
        template!(
            "suggest.allocated-devices-later",
            "`devices` belongs to v1alpha3 and later; in v1alpha2 the driver's result is in `resourceHandles`",
        ),
    ),
    (
        "AllocationResult",
        "nodeSelector",
        template!(
            "suggest.node-selector-later",
            "`nodeSelector` belongs to v1alpha3 and later; in v1alpha1 and v1alpha2 write `availableOnNodes`",
        ),
    ),
    (
        "AllocationResult",
        "controller",
        template!(
            "suggest.result-controller-later",
            "`controller` belongs to v1alpha3; in v1alpha1 and v1alpha2 it is `status.driverName`",
        ),
    ),
    (
        "ResourceClaimStatus",
        "devices",
        template!(
            "suggest.status-devices-later",
            "`devices` belongs to v1beta1 and later; v1alpha1 and v1alpha2 have no device status",
        ),
    ),
    (
        "ResourceSlice",
        "spec",
        template!(
            "suggest.slice-spec-later",
            "`spec` of a ResourceSlice belongs to v1alpha3 and later; in v1alpha2 its fields are at the top level",
        ),
    ),
    (
        "ResourceSlice",
        "pool",
        template!(
            "suggest.slice-pool-later",
            "`pool` belongs to v1alpha3 and later; v1alpha2 has no pools"
        ),
    ),
    (
        "ResourceSlice",
        "devices",
        template!(
            "suggest.slice-devices-later",
            "`devices` belongs to v1alpha3 and later; in v1alpha2 write `namedResources.instances`",
        ),
    ),
    (
        "ResourceClass",
        "selectors",
        template!(
            "suggest.class-selectors-later",
            "`selectors` belongs to the DeviceClass of v1alpha3 and later; a ResourceClass has `suitableNodes`",
        ),
    ),
    (
        "ResourceClass",
        "config",
        template!(
            "suggest.class-config-later",
            "`config` belongs to the DeviceClass of v1alpha3 and later; a ResourceClass has `parametersRef`",
        ),
    ),
    (
        "ResourceClass",
        "defaultClaimParametersRef",
        template!(
            "suggest.default-parameters-unreleased",
            "`defaultClaimParametersRef` existed only during the development of 1.30 and is in no release; write `parametersRef` in the claim",
        ),
    ),
    (
        "ObjectMeta",
        "clusterName",
        template!(
            "suggest.cluster-name-removed",
            "`clusterName` was removed from Kubernetes' metadata in 1.24; leave it out"
        ),
    ),
];

const SUITABLE_NODES: Template = template!(
    "suggest.suitable-nodes-older",
    "`suitableNodes` belongs to Kubernetes 1.31 and older: the nodes of a claim follow from its devices",
);

const CLASS_DRIVER: Template = template!(
    "suggest.class-driver",
    "a DeviceClass names no driver: select its devices in `selectors`: `device.driver == \"…\"`"
);
const TEMPLATE_SPEC: Template = template!(
    "suggest.template-spec",
    "the claims of a ResourceClaimTemplate are written under `spec.spec`, not under `template`"
);
const TAINTED_NODE: Template = template!(
    "suggest.tainted-node",
    "a rule cannot select devices by node: write `pool`, which drivers with devices of one node name after the node; without it the rule taints devices of all nodes"
);

/// Fields of the classic family that the device family has not, and those that a later version of it removed.
const EARLIER_DESIGN: &[(&str, &str, Template)] = &[
    (
        "ResourceClaimSpec",
        "allocationMode",
        template!(
            "suggest.allocation-mode-older",
            "`allocationMode` of a claim belongs to v1alpha2 and older: leave it out, claims are allocated when a pod needs them",
        ),
    ),
    (
        "ResourceClaimSpec",
        "controller",
        template!(
            "suggest.controller-older",
            "`controller` belongs to v1alpha3 of Kubernetes 1.31: leave it out, the scheduler allocates",
        ),
    ),
    (
        "DeviceTaintRuleSpec",
        "selector",
        template!(
            "suggest.device-selector",
            "did you mean `deviceSelector`? Without it the rule is about every device"
        ),
    ),
    (
        "ResourceClaimStatus",
        "driverName",
        template!(
            "suggest.status-driver-name-older",
            "`driverName` belongs to v1alpha2 and older; each device of `status.allocation.devices.results` names its driver",
        ),
    ),
    (
        "ResourceClaimStatus",
        "deallocationRequested",
        template!(
            "suggest.deallocation-requested-older",
            "`deallocationRequested` belongs to Kubernetes 1.31 and older: the scheduler deallocates",
        ),
    ),
    (
        "AllocationResult",
        "resourceHandles",
        template!(
            "suggest.resource-handles-older",
            "`resourceHandles` belongs to v1alpha2; devices are listed in `devices.results`",
        ),
    ),
    (
        "AllocationResult",
        "availableOnNodes",
        template!(
            "suggest.available-on-nodes-older",
            "`availableOnNodes` belongs to v1alpha2 and older; write `nodeSelector`",
        ),
    ),
    (
        "AllocationResult",
        "shareable",
        template!(
            "suggest.shareable-older",
            "`shareable` belongs to v1alpha2 and older: every claim can be shared by pods"
        ),
    ),
    (
        "DeviceClass",
        "driverName",
        template!(
            "suggest.class-driver-name-older",
            "`driverName` belongs to the ResourceClass of v1alpha2; select devices with `spec.selectors`: `device.driver == \"…\"`",
        ),
    ),
    (
        "DeviceClass",
        "parametersRef",
        template!(
            "suggest.class-parameters-ref-older",
            "`parametersRef` belongs to the ResourceClass of v1alpha2; write parameters into `spec.config[].opaque`",
        ),
    ),
    ("DeviceClassSpec", "driverName", CLASS_DRIVER),
    ("DeviceClassSpec", "driver", CLASS_DRIVER),
    (
        "DeviceClassSpec",
        "parametersRef",
        template!(
            "suggest.class-spec-parameters-older",
            "`parametersRef` belongs to the ResourceClass of v1alpha2; write parameters into `config[].opaque`",
        ),
    ),
    ("ResourceClaimTemplate", "template", TEMPLATE_SPEC),
    ("ResourceClaimTemplateSpec", "template", TEMPLATE_SPEC),
    ("DeviceTaintSelector", "node", TAINTED_NODE),
    ("DeviceTaintSelector", "nodeName", TAINTED_NODE),
    ("DeviceTaintSelector", "nodes", TAINTED_NODE),
    ("DeviceTaintSelector", "nodeNames", TAINTED_NODE),
    ("DeviceTaintSelector", "nodeSelector", TAINTED_NODE),
    ("DeviceClass", "suitableNodes", SUITABLE_NODES),
    ("DeviceClassSpec", "suitableNodes", SUITABLE_NODES),
];

/// Returns the replacement for a field of the classic family, or for one that a later version of the device family removed.
pub(super) fn of_earlier_design(name: &str, schema: &Struct, api: Api) -> Option<Message> {
    let place = if api.kind.kind == "ResourceClaimTemplate" {
        "spec.spec"
    } else {
        "spec"
    };
    Some(match (schema.go, name) {
        ("ResourceClaimSpec", "resourceClassName") => {
            let version = api.version.name;
            let flat = matches!(version, "v1alpha3" | "v1beta1");
            let field = if flat {
                "deviceClassName"
            } else {
                "exactly.deviceClassName"
            };
            message!(
                "suggest.resource-class-name-older",
                "`resourceClassName` belongs to v1alpha2 and older; {version} names a DeviceClass in each request: `{place}.devices.requests[0].{field}`",
                version,
                place,
                field
            )
        }
        ("ResourceClaimSpec", "parametersRef") => message!(
            "suggest.claim-parameters-ref-older",
            "`parametersRef` belongs to v1alpha2 and older; write parameters into the claim: `{place}.devices.config[].opaque` with `driver` and `parameters`",
            place
        ),
        ("ResourceClaimSpec" | "DeviceClaim", _) if is_of_request(name, schema) => {
            let holder = request_of(schema)?;
            let deeper = if holder.has("exactly") {
                ".exactly"
            } else {
                ""
            };
            message!(
                "suggest.belongs-to-request",
                "`{name}` belongs to a request: `{place}`",
                name,
                place = format!("{place}.devices.requests[]{deeper}")
            )
        }
        (
            "ResourceClaimSpec" | "DeviceClaim" | "DeviceRequest" | "ExactDeviceRequest"
            | "DeviceSubRequest",
            "driver" | "driverName",
        ) => message!(
            "suggest.request-driver",
            "a request selects devices of a driver in `selectors`, or by its DeviceClass: `device.driver == \"…\"`"
        ),
        (
            "ResourceClaimSpec" | "DeviceClaim" | "DeviceRequest" | "ExactDeviceRequest"
            | "DeviceSubRequest",
            "node" | "nodeAffinity" | "nodeName" | "nodeSelector" | "nodes",
        ) => message!(
            "suggest.request-node",
            "a claim selects no nodes: write `nodeSelector` or `affinity` in the pod, or select devices by their attributes"
        ),
        (
            "DeviceClassSpec" | "DeviceRequest" | "ExactDeviceRequest" | "DeviceSubRequest",
            "attributes" | "device" | "deviceName" | "devices" | "matchAttributes" | "labels"
            | "matchLabels",
        ) => message!(
            "suggest.request-attributes",
            "devices are selected by their attributes, in CEL: `{example}`",
            example =
                "selectors: [{cel: {expression: 'device.attributes[\"DRIVER\"].NAME == VALUE'}}]"
        ),
        ("ResourceSlice", "nodeName" | "driverName" | "namedResources") => {
            message!(
                "suggest.slice-top-level-older",
                "`{name}` at the top level belongs to v1alpha2; later slices have `spec` with `driver`, `pool` and `devices`",
                name
            )
        }
        ("DeviceTaintSelector", "deviceClassName" | "selectors") => {
            message!(
                "suggest.taint-rule-field-older",
                "`{name}` of a DeviceTaintRule exists in Kubernetes 1.33 and 1.34 only; name `driver`, `pool` or `device`",
                name
            )
        }
        _ => return row(EARLIER_DESIGN, name, schema),
    })
}

/// Returns what to know about a field that the classic family has in another version only, or the device family.
pub(super) fn in_other_version(name: &str, schema: &Struct) -> Option<Message> {
    if schema.go == "AllocationResult" {
        if name == "resourceHandle" {
            let help = message!(
                "suggest.resource-handle-older",
                "`resourceHandle` belongs to v1alpha1; in v1alpha2 write `resourceHandles`: a list of `driverName` and `data`"
            );
            return Some(help);
        }
        if name == "resourceHandles" {
            let help = message!(
                "suggest.resource-handles-later",
                "`resourceHandles` belongs to v1alpha2; in v1alpha1 write `resourceHandle`: the data as one string"
            );
            return Some(help);
        }
    }
    row(OTHER_VERSIONS, name, schema)
}

/// Returns the struct of requests below a claim's spec or its `devices`.
fn request_of(schema: &Struct) -> Option<&'static Struct> {
    match struct_in(schema, "devices") {
        Some(devices) => struct_in(devices, "requests"),
        None => struct_in(schema, "requests"),
    }
}

fn struct_in(schema: &Struct, name: &str) -> Option<&'static Struct> {
    schema.fields.get(schema.slot(name)?)?.ty.holds()
}

/// Returns true for a field that requests have, and the struct around them has not.
fn is_of_request(name: &str, schema: &Struct) -> bool {
    let Some(request) = request_of(schema).filter(|_| !schema.has(name)) else {
        return false;
    };
    let exactly = request
        .slot("exactly")
        .and_then(|slot| request.fields.get(slot));
    let holder = exactly
        .and_then(|field| field.ty.holds())
        .unwrap_or(request);
    let is_older = name == "allocationMode" && schema.go == "ResourceClaimSpec";
    !is_older && !matches!(name, "name" | "firstAvailable") && holder.has(name)
}

fn row(table: &[(&str, &str, Template)], name: &str, schema: &Struct) -> Option<Message> {
    let (_, _, help) = table
        .iter()
        .find(|(go, field, _)| *go == schema.go && *field == name)?;
    Some(help.text())
}
