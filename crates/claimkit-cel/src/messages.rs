//! The messages of protobuf that every environment knows: wrappers, times, and JSON's values.

use super::types::Type;

/// A message type of the environment.
pub struct Message {
    name: &'static str,
    result: &'static str,
    fields: &'static [(&'static str, &'static str)],
    kind: MessageKind,
}

/// The kind of value that a message is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// The value of its field `value`, or what a field has that is not given.
    Wrapper(Number),
    /// A duration of `google.protobuf.Duration`.
    Duration,
    /// A timestamp of `google.protobuf.Timestamp`.
    Timestamp,
    /// The map in `fields`.
    Struct,
    /// The list in `values`.
    List,
    /// The value of its single field.
    Value,
    /// Nothing that can be used.
    Any,
}

/// The type in a wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// `BoolValue`
    Bool,
    /// `BytesValue`
    Bytes,
    /// `DoubleValue`
    Double,
    /// `FloatValue`
    Float,
    /// `Int32Value`
    Int32,
    /// `Int64Value`
    Int64,
    /// `UInt32Value`
    Uint32,
    /// `UInt64Value`
    Uint64,
    /// `StringValue`
    String,
}

const fn wrapper(
    name: &'static str,
    result: &'static str,
    fields: &'static [(&'static str, &'static str)],
    of: Number,
) -> Message {
    Message {
        name,
        result,
        fields,
        kind: MessageKind::Wrapper(of),
    }
}

const TIME: &[(&str, &str)] = &[("seconds", "int"), ("nanos", "int")];

static MESSAGES: &[Message] = &[
    wrapper(
        "google.protobuf.BoolValue",
        "wrapper(bool)",
        &[("value", "bool")],
        Number::Bool,
    ),
    wrapper(
        "google.protobuf.BytesValue",
        "wrapper(bytes)",
        &[("value", "bytes")],
        Number::Bytes,
    ),
    wrapper(
        "google.protobuf.DoubleValue",
        "wrapper(double)",
        &[("value", "double")],
        Number::Double,
    ),
    wrapper(
        "google.protobuf.FloatValue",
        "wrapper(double)",
        &[("value", "double")],
        Number::Float,
    ),
    wrapper(
        "google.protobuf.Int32Value",
        "wrapper(int)",
        &[("value", "int")],
        Number::Int32,
    ),
    wrapper(
        "google.protobuf.Int64Value",
        "wrapper(int)",
        &[("value", "int")],
        Number::Int64,
    ),
    wrapper(
        "google.protobuf.UInt32Value",
        "wrapper(uint)",
        &[("value", "uint")],
        Number::Uint32,
    ),
    wrapper(
        "google.protobuf.UInt64Value",
        "wrapper(uint)",
        &[("value", "uint")],
        Number::Uint64,
    ),
    wrapper(
        "google.protobuf.StringValue",
        "wrapper(string)",
        &[("value", "string")],
        Number::String,
    ),
    Message {
        name: "google.protobuf.Duration",
        result: "duration",
        fields: TIME,
        kind: MessageKind::Duration,
    },
    Message {
        name: "google.protobuf.Timestamp",
        result: "timestamp",
        fields: TIME,
        kind: MessageKind::Timestamp,
    },
    Message {
        name: "google.protobuf.Struct",
        result: "map(string, dyn)",
        fields: &[("fields", "map(string, dyn)")],
        kind: MessageKind::Struct,
    },
    Message {
        name: "google.protobuf.ListValue",
        result: "list(dyn)",
        fields: &[("values", "list(dyn)")],
        kind: MessageKind::List,
    },
    Message {
        name: "google.protobuf.Value",
        result: "dyn",
        fields: &[
            ("null_value", "int"),
            ("number_value", "double"),
            ("string_value", "string"),
            ("bool_value", "bool"),
            ("struct_value", "map(string, dyn)"),
            ("list_value", "list(dyn)"),
        ],
        kind: MessageKind::Value,
    },
    Message {
        name: "google.protobuf.Any",
        result: "any",
        fields: &[("type_url", "string"), ("value", "bytes")],
        kind: MessageKind::Any,
    },
];

/// Returns the message type with this name.
pub fn find(name: &str) -> Option<&'static Message> {
    MESSAGES.iter().find(|message| message.name == name)
}

impl Message {
    /// Returns the type of the value it becomes.
    pub fn result(&self) -> Type {
        Type::parse(self.result).unwrap_or(Type::Dyn)
    }

    /// Returns its fields with their types.
    pub fn fields(&self) -> Vec<(String, Type)> {
        let fields = self.fields.iter();
        fields
            .filter_map(|(name, kind)| Some(((*name).to_owned(), Type::parse(kind)?)))
            .collect()
    }

    /// Returns the kind of value that the message is converted to.
    pub fn kind(&self) -> MessageKind {
        self.kind
    }
}
