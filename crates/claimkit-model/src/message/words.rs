//! The types of sentences: claimkit's own, which only a template makes, and those that are upstream's.

use super::message;
use crate::finding::named::fixed_or_made;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::fmt::{self, Debug, Display};
use std::ops::Deref;

/// A sentence of claimkit's own, in the language that was spoken when it was made. Only the macro `message!` and a `Template` make
/// one, so that each has an id and can be translated; the default is an empty text.
///
/// ```
/// use claimkit_model::message::{Message, message};
///
/// let near = "gpu";
/// let message: Message = message!("suggest.did-you-mean", "did you mean `{near}`?", near);
/// assert_eq!(message, "did you mean `gpu`?");
/// assert!(message.starts_with("did you mean"));
/// ```
///
/// A text is not a message:
///
/// ```compile_fail
/// let message: claimkit_model::message::Message = "unknown name".into();
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Message(Cow<'static, str>);

impl Message {
    /// Makes the message of a template that is filled in.
    pub(super) fn new(text: Cow<'static, str>) -> Self {
        Message(text)
    }

    /// Returns its text.
    ///
    /// ```
    /// use claimkit_model::message::message;
    ///
    /// assert_eq!(message!("upgrade.no-device", "no device").as_str(), "no device");
    /// ```
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The words that a person reads, and whose they are.
///
/// ```
/// use claimkit_model::message::{Words, message};
///
/// let ours = Words::from(message!("upgrade.no-device", "no device"));
/// let theirs = Words::upstream("unknown field \"spec.x\"");
/// assert_eq!((ours.as_str(), theirs.as_str()), ("no device", "unknown field \"spec.x\""));
/// ```
///
/// A text alone does not say whose it is:
///
/// ```compile_fail
/// let words: claimkit_model::message::Words = "unknown field".into();
/// ```
#[derive(Clone)]
pub enum Words {
    /// A sentence of claimkit.
    Ours(Message),
    /// What kubectl, kube-apiserver, kube-scheduler or one of their libraries writes, what is derived from it, or what an object says.
    Upstream(Cow<'static, str>),
    /// A sentence of claimkit that is English whatever is spoken: what a policy answers to a cluster's users, and errors of programs
    /// that call claimkit.
    English(Cow<'static, str>),
}

impl Words {
    /// Returns words of upstream.
    ///
    /// ```
    /// use claimkit_model::message::Words;
    ///
    /// assert_eq!(Words::upstream("field is immutable"), "field is immutable");
    /// ```
    pub fn upstream(text: impl Into<Cow<'static, str>>) -> Self {
        Words::Upstream(text.into())
    }

    /// Returns words of claimkit that are not translated.
    ///
    /// ```
    /// use claimkit_model::message::Words;
    ///
    /// assert_eq!(Words::english("the request has no object"), "the request has no object");
    /// ```
    pub fn english(text: impl Into<Cow<'static, str>>) -> Self {
        Words::English(text.into())
    }

    /// Returns their text.
    ///
    /// ```
    /// use claimkit_model::message::Words;
    ///
    /// assert_eq!(Words::upstream("field is immutable").as_str(), "field is immutable");
    /// ```
    pub fn as_str(&self) -> &str {
        self.text()
    }

    fn text(&self) -> &Cow<'static, str> {
        match self {
            Words::Ours(message) => &message.0,
            Words::Upstream(text) | Words::English(text) => text,
        }
    }
}

impl Default for Words {
    fn default() -> Self {
        Words::Ours(Message::default())
    }
}

impl PartialEq for Words {
    /// Compares the texts alone.
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Words {}

impl PartialOrd for Words {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Words {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl From<Message> for Words {
    fn from(message: Message) -> Self {
        Words::Ours(message)
    }
}

impl From<Message> for Cow<'static, str> {
    fn from(message: Message) -> Self {
        message.0
    }
}

impl From<Words> for Cow<'static, str> {
    fn from(words: Words) -> Self {
        match words {
            Words::Ours(message) => message.0,
            Words::Upstream(text) | Words::English(text) => text,
        }
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fixed_or_made(&self.0, serializer)
    }
}

impl Serialize for Words {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fixed_or_made(self.text(), serializer)
    }
}

/// Reads a message of an answer. A message alone cannot be read, so that no text becomes one.
pub(crate) fn read_message<'de, D: Deserializer<'de>>(reader: D) -> Result<Message, D::Error> {
    Ok(Message(Cow::Owned(String::deserialize(reader)?)))
}

/// Reads optional words of an answer.
pub(crate) fn read_some<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Words>, D::Error> {
    let text = Option::<String>::deserialize(reader)?;
    Ok(text.map(Words::upstream))
}

/// Reads words of an answer, which does not say whose they are.
pub(crate) fn read_words<'de, D: Deserializer<'de>>(reader: D) -> Result<Words, D::Error> {
    Ok(Words::upstream(String::deserialize(reader)?))
}

/// Declares what a type that wraps a text can do as a text.
macro_rules! as_text {
    ($($type:ident),+) => {$(
        impl Deref for $type {
            type Target = str;

            fn deref(&self) -> &str {
                self.as_str()
            }
        }

        impl AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl Borrow<str> for $type {
            fn borrow(&self) -> &str {
                self.as_str()
            }
        }

        impl Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Debug::fmt(self.as_str(), f)
            }
        }

        impl From<$type> for String {
            fn from(text: $type) -> Self {
                Cow::from(text).into_owned()
            }
        }

        impl PartialEq<str> for $type {
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }

        impl PartialEq<&str> for $type {
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }

        impl PartialEq<String> for $type {
            fn eq(&self, other: &String) -> bool {
                self.as_str() == other
            }
        }
    )+};
}

as_text!(Message, Words);

/// Joins sentences with `; `. Messages give a message, words give words, and names give a text.
///
/// ```
/// use claimkit_model::message::{Message, message, sentences};
///
/// let none = message!("upgrade.no-device", "no device");
/// let joined: Message = sentences([none.clone(), none]);
/// assert_eq!(joined, "no device; no device");
/// ```
pub fn sentences<W: Display + Default + From<Message>>(
    sentences: impl IntoIterator<Item = W>,
) -> W {
    let joined = sentences
        .into_iter()
        .reduce(|first, rest| message!("list.sentences", "{first}; {rest}", first, rest).into());
    joined.unwrap_or_default()
}

/// Joins parts of a sentence with `, `. Messages give a message, words give words, and names give a text.
///
/// ```
/// use claimkit_model::message::parts;
///
/// assert_eq!(parts(["gpu".to_owned(), "nic".to_owned()]), "gpu, nic");
/// ```
pub fn parts<W: Display + Default + From<Message>>(parts: impl IntoIterator<Item = W>) -> W {
    let joined = parts
        .into_iter()
        .reduce(|first, rest| message!("list.parts", "{first}, {rest}", first, rest).into());
    joined.unwrap_or_default()
}

/// Returns names and other code in backticks, with commas between: no language says it otherwise.
///
/// ```
/// use claimkit_model::message::code;
///
/// assert_eq!(code(["gpu", "nic"]), "`gpu`, `nic`");
/// ```
pub fn code(names: impl IntoIterator<Item = impl Display>) -> Message {
    let shown: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    Message(Cow::Owned(shown.join(", ")))
}
