//! Deserializes any serde type from a tree, e.g. one of `k8s-openapi` or of an embedder.
//!
//! Values come from the tree. Keys are sorted and unique, as in the JSON that kubectl sends.
//! serde recurses for every level, so this module bounds the nesting.

use super::source::Span;
use super::tree::{Kind, NodeId, Tree};
use super::{Entry, print};
use serde::de::{self, DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// The maximum nesting that serde receives.
pub const MAX_DEPTH: usize = 128;

/// Why a value does not fit the type, and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeserializeError {
    pub message: String,
    /// The innermost value that did not fit; `None` if the type's own code failed outside any value.
    pub span: Option<Span>,
}

impl fmt::Display for DeserializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DeserializeError {}

impl de::Error for DeserializeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        DeserializeError {
            message: message.to_string(),
            span: None,
        }
    }
}

/// Deserializes `T` from a node.
///
/// # Errors
/// The first value that does not fit, with its position.
pub fn deserialize<'de, T: de::Deserialize<'de>>(
    tree: &'de Tree<'_>,
    node: NodeId,
) -> Result<T, DeserializeError> {
    T::deserialize(Value {
        tree,
        node,
        depth: 0,
    })
}

#[derive(Clone, Copy)]
struct Value<'de, 's> {
    tree: &'de Tree<'s>,
    node: NodeId,
    depth: usize,
}

impl<'de> Value<'de, '_> {
    fn deeper(self, node: NodeId) -> Self {
        Value {
            node,
            depth: self.depth.saturating_add(1),
            ..self
        }
    }

    fn here(self, mut error: DeserializeError) -> DeserializeError {
        if error.span.is_none() {
            error.span = Some(self.tree.span(self.node));
        }
        error
    }

    fn visit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        if self.depth > MAX_DEPTH {
            return Err(self.here(de::Error::custom(format!(
                "nested deeper than {MAX_DEPTH} levels"
            ))));
        }
        let tree = self.tree;
        let result = match tree.kind(self.node) {
            Kind::Null | Kind::Alias(_) => visitor.visit_unit(),
            Kind::Bool(b) => visitor.visit_bool(b),
            Kind::Int(n) => visitor.visit_i64(n),
            Kind::Uint(n) => visitor.visit_u64(n),
            Kind::Float(n) => {
                let mut literal = String::new();
                print::float(n, &mut literal);
                visit_number(&literal, visitor)
            }
            Kind::Number(span) => visit_number(tree.slice(span), visitor),
            Kind::Str(text) => visitor.visit_borrowed_str(tree.text(text)),
            Kind::Seq { .. } => visitor.visit_seq(Items {
                at: self,
                items: tree.items(self.node).iter(),
            }),
            Kind::Map { .. } => visitor.visit_map(Entries {
                at: self,
                entries: print::effective(tree, self.node, print::Order::Sorted).into_iter(),
                value: None,
            }),
        };
        result.map_err(|error| self.here(error))
    }
}

/// Visits a JSON number as an integer wherever its literal is one: kubectl writes `009` and `1e3`, fractions in YAML, as `9` and `1000`.
fn visit_number<'de, V: Visitor<'de>>(
    literal: &str,
    visitor: V,
) -> Result<V::Value, DeserializeError> {
    if let Ok(n) = literal.parse::<i64>() {
        visitor.visit_i64(n)
    } else if let Ok(n) = literal.parse::<u64>() {
        visitor.visit_u64(n)
    } else {
        visitor.visit_f64(literal.parse().unwrap_or(0.0))
    }
}

impl<'de> de::Deserializer<'de> for Value<'de, '_> {
    type Error = DeserializeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        self.visit(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.tree.kind(self.node) {
            Kind::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        match self.tree.kind(self.node) {
            Kind::Str(text) => visitor
                .visit_enum(IntoDeserializer::<DeserializeError>::into_deserializer(
                    self.tree.text(text),
                ))
                .map_err(|error| self.here(error)),
            Kind::Map { .. } => de::Deserializer::deserialize_enum(
                de::value::MapAccessDeserializer::new(Entries {
                    at: self,
                    entries: print::effective(self.tree, self.node, print::Order::Sorted)
                        .into_iter(),
                    value: None,
                }),
                name,
                variants,
                visitor,
            )
            .map_err(|error| self.here(error)),
            _ => self.visit(visitor),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Items<'i, 'de, 's> {
    at: Value<'de, 's>,
    items: std::slice::Iter<'i, NodeId>,
}

impl<'de> SeqAccess<'de> for Items<'_, 'de, '_> {
    type Error = DeserializeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DeserializeError> {
        self.items
            .next()
            .map(|&item| seed.deserialize(self.at.deeper(item)))
            .transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Entries<'de, 's> {
    at: Value<'de, 's>,
    entries: std::vec::IntoIter<&'de Entry>,
    value: Option<NodeId>,
}

impl<'de> MapAccess<'de> for Entries<'de, '_> {
    type Error = DeserializeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DeserializeError> {
        let Some(entry) = self.entries.next() else {
            return Ok(None);
        };
        self.value = Some(entry.value);
        let key = self.at.tree.text(entry.key);
        seed.deserialize(de::value::BorrowedStrDeserializer::new(key))
            .map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, DeserializeError> {
        let value = self
            .value
            .take()
            .ok_or_else(|| de::Error::custom("a value was asked for before its key"))?;
        seed.deserialize(self.at.deeper(value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json;
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Spec<'a> {
        name: &'a str,
        count: u8,
        #[serde(default)]
        labels: BTreeMap<String, Option<String>>,
        mode: Mode,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    enum Mode {
        Immediate,
        Other(f64),
    }

    #[test]
    fn fills_types_and_says_where_they_do_not_fit() {
        let mut tree = Tree::new(
            r#"{"name":"a","count":1,"count":7,"labels":{"b":null,"a":"x"},"mode":{"Other":1.5}}"#,
        );
        let (root, _) = json::value(&mut tree, 0, 100).unwrap();
        let spec: Spec = deserialize(&tree, root).unwrap();
        assert_eq!(
            (spec.name, spec.count, spec.mode),
            ("a", 7, Mode::Other(1.5))
        );
        assert_eq!(
            spec.labels.into_iter().collect::<Vec<_>>(),
            [("a".into(), Some("x".into())), ("b".into(), None)]
        );

        let mut tree = Tree::new(r#"{"name":"a","count":700,"mode":"Immediate"}"#);
        let (root, _) = json::value(&mut tree, 0, 100).unwrap();
        let error = deserialize::<Spec>(&tree, root).unwrap_err();
        assert_eq!(
            error
                .span
                .map(|span| &tree.source()[span.from()..span.to()]),
            Some("700")
        );
    }

    #[test]
    fn whole_numbers_are_integers_however_they_are_written() {
        let count_of = |written: &str| {
            let text = format!("name: a\ncount: {written}\nlabels: {{}}\nmode: Immediate\n");
            let file = crate::text::read(&text, &crate::limits::Limits::default());
            let document = &file.documents[0];
            let spec = deserialize::<Spec>(&document.tree, document.root.unwrap());
            spec.ok().map(|spec| spec.count)
        };
        assert_eq!(count_of("009"), Some(9));
        assert_eq!(count_of("1e2"), Some(100));
        assert_eq!(count_of("1.5"), None);
    }

    #[test]
    fn deep_input_is_an_error() {
        let text = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        let mut tree = Tree::new(&text);
        let (root, _) = json::value(&mut tree, 0, 10_000).unwrap();
        assert!(deserialize::<serde_json::Value>(&tree, root).is_err());
    }
}
