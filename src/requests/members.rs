//! Reading requests: objects member by member, and errors that name the field. It works alike for JSON and JavaScript values.

use serde::de::value::{self, MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    DeserializeOwned, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::fmt;
use std::marker::PhantomData;

/// A value that is read from an object only. serde's derived code also takes a list, as the fields in order; and the deserializer
/// of JavaScript values passes unknown members over unless it is asked for all of them.
struct Members<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                // The type's own message about a value that it does not know.
                let refused =
                    T::deserialize(IntoDeserializer::<value::Error>::into_deserializer(())).err();
                let words = refused.map(|error| error.to_string()).unwrap_or_default();
                f.write_str(
                    words
                        .split_once("expected ")
                        .map_or("an object", |(_, expected)| expected),
                )
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(members))
            }
        }
        deserializer
            .deserialize_any(Object(PhantomData))
            .map(Members)
    }
}

/// Reads a struct or a map from an object.
pub(super) fn members<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Members::deserialize(deserializer).map(|Members(value)| value)
}

/// Reads members as [`members`] does, for an optional field.
pub(super) fn some_members<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<Members<T>>::deserialize(deserializer)?.map(|Members(value)| value))
}

/// Items that are read from a list only: a text of JavaScript would be a list of its characters.
struct Items<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Items<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
            type Value = Vec<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Vec<T>, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(items))
            }
        }
        deserializer.deserialize_any(List(PhantomData)).map(Items)
    }
}

/// Reads a list.
pub(crate) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Items::deserialize(deserializer).map(|Items(items)| items)
}

/// Reads a list as [`list`] does, for an optional field.
pub(super) fn some_list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    Ok(Option::<Items<T>>::deserialize(deserializer)?.map(|Items(items)| items))
}

/// The members of an object without one of them, which is kept.
pub(super) struct Without<'m, A, T> {
    pub members: A,
    /// The name of the one that is kept.
    pub name: &'static str,
    /// Its value, if it was there.
    pub kept: &'m mut Option<T>,
}

impl<'de, A: MapAccess<'de>, T: Deserialize<'de>> MapAccess<'de> for Without<'_, A, T> {
    type Error = A::Error;

    fn next_key_seed<K: serde::de::DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.members.next_key::<String>()? {
            if key != self.name {
                return seed.deserialize(key.into_deserializer()).map(Some);
            }
            if self.kept.replace(self.members.next_value()?).is_some() {
                return Err(A::Error::duplicate_field(self.name));
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: serde::de::DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, A::Error> {
        self.members.next_value_seed(seed)
    }
}

/// The fields of a request beside its `verb`.
struct BesideVerb<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for BesideVerb<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Whole<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with the fields of a request")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
                let mut verb = None::<IgnoredAny>;
                T::deserialize(MapAccessDeserializer::new(Without {
                    members,
                    name: "verb",
                    kept: &mut verb,
                }))
            }
        }
        deserializer
            .deserialize_map(Whole(PhantomData))
            .map(BesideVerb)
    }
}

/// Reads the verb of a request; empty if there is none.
pub(super) fn verb(text: &str) -> Result<String, String> {
    #[derive(Deserialize)]
    #[serde(expecting = "an object with the fields of a request")]
    struct Head {
        #[serde(default)]
        verb: String,
    }
    read_as::<Head>(text).map(|Head { verb }| verb)
}

/// Reads the fields of a request, or a part of one, from JSON. The error names the field, its value and the expected type:
/// `` `limits.findings`: invalid type: … ``.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    read_as::<BesideVerb<T>>(text).map(|BesideVerb(fields)| fields)
}

fn read_as<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    check_is_object(text)?;
    serde_json::from_str(text).map_err(|error| with_field::<T>(text, &error))
}

/// Checks that a text is an object: serde would read a list as the fields in order.
fn check_is_object(text: &str) -> Result<(), String> {
    if text.trim_start().starts_with('{') {
        return Ok(());
    }
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| error.to_string())?;
    Err("it is not an object with the fields of a request".to_owned())
}

/// Returns an error's message with the field before it.
fn with_field<T: DeserializeOwned>(text: &str, error: &serde_json::Error) -> String {
    let error = error.to_string();
    let path = path_of_refused_part(text, &error, &parse_error_of::<T>);
    if path.is_empty() {
        error
    } else {
        format!("`{path}`: {error}")
    }
}

/// Returns why a text cannot be read; `None`: it can.
fn parse_error_of<T: DeserializeOwned>(text: &str) -> Option<String> {
    let error = serde_json::from_str::<T>(text).err()?;
    Some(error.to_string())
}

/// Returns the names of the fields that a struct is read from.
#[cfg_attr(
    not(target_arch = "wasm32"),
    allow(dead_code, reason = "for JavaScript")
)]
pub fn fields<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    struct Names<'n>(&'n mut &'static [&'static str]);
    impl<'de> Deserializer<'de> for Names<'_> {
        type Error = value::Error;

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, value::Error> {
            *self.0 = fields;
            Err(Error::custom("only the names are wanted"))
        }

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, value::Error> {
            Err(Error::custom("no struct"))
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
            newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }
    let mut names: &'static [&'static str] = &[];
    let _ = T::deserialize(Names(&mut names));
    names
}

/// Shortens an error message by the line and the column in the JSON.
pub fn unplaced(problem: &str) -> &str {
    problem
        .rsplit_once(" at line ")
        .map_or(problem, |(problem, _)| problem)
}

/// A value inside a JSON text, with the path to it and the text around it.
struct JsonPart {
    path: String,
    before: String,
    value: Value,
    after: String,
}

impl JsonPart {
    /// Returns the members or items of the value, each with nothing but itself in the texts around.
    fn children(self) -> Vec<JsonPart> {
        let JsonPart {
            path,
            before,
            value,
            after,
        } = self;
        match value {
            Value::Object(members) => {
                let dot = if path.is_empty() { "" } else { "." };
                let children = members.into_iter().map(|(name, value)| JsonPart {
                    path: format!("{path}{dot}{name}"),
                    before: format!("{before}{{{}:", Value::from(name.as_str())),
                    value,
                    after: format!("}}{after}"),
                });
                children.collect()
            }
            Value::Array(items) => {
                let children = items
                    .into_iter()
                    .enumerate()
                    .map(|(index, value)| JsonPart {
                        path: format!("{path}[{index}]"),
                        before: format!("{before}["),
                        value,
                        after: format!("]{after}"),
                    });
                children.collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Finds the path of the smallest part that gives the same error on its own. `refusal`: the error about a text.
fn path_of_refused_part(
    text: &str,
    error: &str,
    refusal: &dyn Fn(&str) -> Option<String>,
) -> String {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return String::new();
    };
    let mut part = JsonPart {
        path: String::new(),
        before: String::new(),
        value,
        after: String::new(),
    };
    loop {
        // If an empty object lacks a field as well, this object is the one with the missing field.
        let emptied = format!("{}{{}}{}", part.before, part.after);
        if is_missing_field(error)
            && refusal(&emptied).is_some_and(|other| is_missing_field(&other))
        {
            return part.path;
        }
        let path = part.path.clone();
        let refused = part.children().into_iter().find(|child| {
            let alone = format!("{}{}{}", child.before, child.value, child.after);
            refusal(&alone).is_some_and(|other| unplaced(&other) == unplaced(error))
        });
        match refused {
            Some(child) => part = child,
            None => return path,
        }
    }
}

fn is_missing_field(error: &str) -> bool {
    error.starts_with("missing field")
}
