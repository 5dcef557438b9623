//! What kubectl and kube-apiserver say of an object of which they cannot read `apiVersion` and `kind` (apimachinery,
//! pkg/runtime/serializer/json/meta.go, `Interpret`).

/// Returns the error of a text that Go's JSON decoder refuses.
pub fn not_json(error: impl std::fmt::Display) -> String {
    format!("couldn't get version/kind; json parse error: {error}")
}

/// Returns the error of a document that is not an object. `what`: the name that Go gives its type.
pub fn not_an_object(what: &str) -> String {
    not_json(format_args!(
        r#"json: cannot unmarshal {what} into Go value of type struct {{ APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }}"#
    ))
}

/// Returns the error of `apiVersion` or `kind` that is not a string.
pub fn not_a_string(what: &str, member: &str) -> String {
    not_json(format_args!(
        "json: cannot unmarshal {what} into Go struct field .{member} of type string"
    ))
}
