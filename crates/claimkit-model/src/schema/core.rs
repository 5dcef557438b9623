//! core/v1 types that DRA objects contain.

use crate::schema::{Field, FieldType, Package, Struct};

/// First minor release in which an entry of a pod's `resourceClaims` names its claim or template directly; earlier releases use
/// `source`.
pub const POD_CLAIMS_FLAT_SINCE: u8 = 31;

/// Operators of a node selector requirement.
pub const NODE_SELECTOR_OPERATORS: &[&str] = &["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];

/// `core/v1.NodeSelector`
pub static NODE_SELECTOR: Struct = Struct {
    go: "NodeSelector",
    package: Package::Core,
    fields: &[Field::new(
        "nodeSelectorTerms",
        "NodeSelectorTerms",
        FieldType::List(&FieldType::Struct(&NODE_SELECTOR_TERM)),
    )
    .required()],
};

/// `core/v1.NodeSelectorTerm`
pub static NODE_SELECTOR_TERM: Struct = Struct {
    go: "NodeSelectorTerm",
    package: Package::Core,
    fields: &[
        Field::new(
            "matchExpressions",
            "MatchExpressions",
            FieldType::List(&FieldType::Struct(&NODE_SELECTOR_REQUIREMENT)),
        )
        .omit(),
        Field::new(
            "matchFields",
            "MatchFields",
            FieldType::List(&FieldType::Struct(&NODE_SELECTOR_REQUIREMENT)),
        )
        .omit(),
    ],
};

/// `core/v1.NodeSelectorRequirement`
pub static NODE_SELECTOR_REQUIREMENT: Struct = Struct {
    go: "NodeSelectorRequirement",
    package: Package::Core,
    fields: &[
        Field::new("key", "Key", FieldType::String).required(),
        Field::new(
            "operator",
            "Operator",
            FieldType::Named(Package::Core, "NodeSelectorOperator"),
        )
        .required()
        .values(NODE_SELECTOR_OPERATORS),
        Field::new("values", "Values", FieldType::List(&FieldType::String)).omit(),
    ],
};
