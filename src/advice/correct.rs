//! What to write in place of a value of the wrong type.

use claimkit_model::message::{Message, message};
use claimkit_model::object::decode::Mismatch;
use claimkit_model::schema::{Field, FieldType};
use claimkit_model::text::diagnose::{self, Correction, Expected};
use claimkit_model::text::tree::{Kind, NodeId, Tree};

/// Returns the correction of a mismatch in the tree that was decoded, where it is certain.
pub fn correct(tree: &Tree<'_>, mismatch: &Mismatch) -> Option<Correction> {
    expected(tree, mismatch.node, &mismatch.ty)
        .and_then(|expected| diagnose::correction(tree, mismatch.node, expected))
}

/// Returns what to write in place of a value of another shape than its field has; `None`: the words of Go's decoder are enough.
pub fn shape(tree: &Tree<'_>, mismatch: &Mismatch) -> Option<Message> {
    let ty = &mismatch.ty;
    let takes_list = matches!(ty.pointed(), FieldType::List(_));
    Some(match tree.kind(mismatch.node) {
        Kind::Seq { .. } if ty.takes_map() => {
            message!(
                "correct.map-not-list",
                "write a map here, not a list: remove the `-`"
            )
        }
        Kind::Seq { .. } => message!("correct.value-not-list", "write one value here, not a list"),
        Kind::Map { .. } | Kind::Str(_) if takes_list => {
            message!(
                "correct.list",
                "write a list here: begin the entry with `- `"
            )
        }
        Kind::Str(_)
            if ty
                .as_struct()
                .is_some_and(|schema| schema.go == "CELDeviceSelector") =>
        {
            message!("correct.cel-selector", "write `cel: {expression: …}`")
        }
        Kind::Str(_)
        | Kind::Bool(_)
        | Kind::Int(_)
        | Kind::Uint(_)
        | Kind::Float(_)
        | Kind::Number(_)
            if ty.takes_map() =>
        {
            message!(
                "correct.map",
                "write a map here: its fields on lines of their own, further in"
            )
        }
        _ => return None,
    })
}

/// Returns what a field of the type expects, given the value at a node.
fn expected(tree: &Tree<'_>, node: NodeId, ty: &FieldType) -> Option<Expected> {
    if matches!(ty, FieldType::Quantity) {
        return Some(Expected::Quantity);
    }
    // A named value of a map is often written without the field that holds it.
    let holder = ty
        .as_struct()
        .filter(|schema| matches!(schema.go, "DeviceAttribute" | "DeviceCapacity" | "Counter"));
    let takes = |field: &&Field| {
        let ty = field.ty.pointed();
        match tree.kind(node) {
            Kind::Bool(_) => matches!(ty, FieldType::Bool),
            Kind::Int(_) | Kind::Uint(_) => matches!(ty, FieldType::Int64 | FieldType::Quantity),
            Kind::Str(_) => ty.is_text() || matches!(ty, FieldType::Quantity),
            _ => false,
        }
    };
    let field = holder.and_then(|schema| schema.fields.iter().find(takes));
    match field {
        Some(field) => Some(Expected::Holder(field.json)),
        None if ty.is_text() => Some(Expected::Text),
        None if matches!(ty.pointed(), FieldType::Bool) => Some(Expected::Bool),
        None if matches!(ty.pointed(), FieldType::Int64 | FieldType::Int32) => {
            Some(Expected::Integer)
        }
        None => ty.takes_map().then_some(Expected::Map),
    }
}
