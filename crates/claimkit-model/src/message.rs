//! claimkit's own sentences. Each has an id, and named arguments; English and every other language are templates of it. The English
//! one stands in the source, the others in the group `messages` of `pkg/locale/<locale>.json`. The words of kubectl, kube-apiserver and
//! kube-scheduler stay as upstream writes them.

mod words;

pub use words::{Message, Words, code, parts, sentences};
pub(crate) use words::{read_message, read_some, read_words};

use serde::Deserialize;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Display;

/// Declares a message without values, for tables: its id and its English template.
#[cfg(not(all(feature = "english", target_arch = "wasm32")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __template {
    ($id:expr, $english:expr $(,)?) => {
        $crate::message::Template::new(concat!($id, "\n", $english))
    };
}

/// Does the same without the id: a module that speaks English only never looks up messages by their ids.
#[cfg(all(feature = "english", target_arch = "wasm32"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __template {
    ($id:expr, $english:expr $(,)?) => {
        $crate::message::Template::new(concat!("\n", $english))
    };
}

/// Makes a message in the language that is spoken: its id, the English template, and the values of its arguments in the order in
/// which the template names them first. Without arguments, braces are braces.
#[doc(hidden)]
#[macro_export]
macro_rules! __message {
    ($id:expr, $english:expr $(,)?) => {
        $crate::message::template!($id, $english).text()
    };
    ($id:expr, $english:expr, $($name:ident $(= $value:expr)?),+ $(,)?) => {{
        const { $crate::message::check($english, &[$(stringify!($name)),+]) };
        $crate::message::template!($id, $english).fill(&[$(&$crate::message::message!(@value $name $(= $value)?)),+])
    }};
    (@value $name:ident) => { $name };
    (@value $name:ident = $value:expr) => { $value };
}

pub use {__message as message, __template as template};

/// A message: its id, e.g. `node.label-missing`, and its English template, e.g. ``label `{key}` is missing``.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// The id on the first line, the template after it: one text takes less room in the program than two.
    text: &'static str,
}

impl Template {
    /// Creates a message of its id and its template, with a line end between them.
    pub const fn new(text: &'static str) -> Self {
        Template { text }
    }

    fn parts(self) -> (&'static str, &'static str) {
        self.text.split_once('\n').unwrap_or_default()
    }

    /// Returns the English template.
    pub fn english(self) -> &'static str {
        self.parts().1
    }

    /// Returns a message without arguments in the language that is spoken.
    pub fn text(self) -> Message {
        let (id, english) = self.parts();
        SPOKEN.with_borrow(
            |spoken| match spoken.as_ref().and_then(|spoken| spoken.get(id)) {
                Some(translated) => Message::new(Cow::Owned(translated.to_owned())),
                None => Message::new(Cow::Borrowed(english)),
            },
        )
    }

    /// Returns a message in the language that is spoken, with values in the order in which the English template names them first.
    pub fn fill(self, values: &[&dyn Display]) -> Message {
        let (id, english) = self.parts();
        SPOKEN.with_borrow(|spoken| {
            let template = spoken
                .as_ref()
                .and_then(|spoken| spoken.get(id))
                .unwrap_or(english);
            Message::new(Cow::Owned(render(template, english, values)))
        })
    }
}

/// The templates of a language by message id: the group `messages` of the file `pkg/locale/<locale>.json`.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Translation(BTreeMap<String, String>);

impl FromIterator<(String, String)> for Translation {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(templates: I) -> Self {
        Translation(templates.into_iter().collect())
    }
}

impl Translation {
    fn get(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(String::as_str)
    }
}

/// Sets the language of the messages that this thread makes from here on; `None` is English.
pub fn speak(translation: Option<Translation>) {
    SPOKEN.set(translation);
}

/// Runs a function whose messages are English, whatever is spoken: it writes them into a manifest.
pub fn in_english<T>(run: impl FnOnce() -> T) -> T {
    let spoken = SPOKEN.take();
    let result = run();
    SPOKEN.set(spoken);
    result
}

thread_local! {
    /// The language of the messages that are being made; `None` is English.
    static SPOKEN: RefCell<Option<Translation>> = const { RefCell::new(None) };
}

/// Maximum number of arguments of a message.
const MOST: usize = 8;

/// Fills a template. `english` says which value an argument's name stands for.
fn render(template: &str, english: &str, values: &[&dyn Display]) -> String {
    use std::fmt::Write;
    let mut names = Names::default();
    if !std::ptr::eq(template, english) {
        let mut rest = english;
        while let Some((_, name, after)) = hole(rest) {
            names.place(name);
            rest = after;
        }
    }
    let mut text = String::with_capacity(template.len().saturating_mul(2));
    let mut rest = template;
    while let Some((before, name, after)) = hole(rest) {
        text.push_str(before);
        if let Some(value) = values.get(names.place(name)) {
            // Writing to a string does not fail.
            let _ = write!(text, "{value}");
        }
        rest = after;
    }
    text.push_str(rest);
    text
}

/// Returns the text before the first argument of a template, the argument's name, and the text after it.
fn hole(template: &str) -> Option<(&str, &str, &str)> {
    let (before, after) = template.split_once('{')?;
    let (name, after) = after.split_once('}')?;
    Some((before, name, after))
}

/// The names of a template's arguments, in the order in which it names them first.
#[derive(Default)]
struct Names<'t> {
    known: [&'t str; MOST],
    count: usize,
}

impl<'t> Names<'t> {
    /// Returns the place of a name among the values; a new one gets the next place.
    fn place(&mut self, name: &'t str) -> usize {
        if let Some(known) = self
            .known
            .iter()
            .take(self.count)
            .position(|known| *known == name)
        {
            return known;
        }
        let place = self.count;
        if let Some(free) = self.known.get_mut(place) {
            *free = name;
            self.count = place.saturating_add(1);
        }
        place
    }
}

/// Stops the compiler unless the arguments are those of the template, in the order in which it names them first.
#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "it runs in the compiler"
)]
pub const fn check(template: &str, arguments: &[&str]) {
    let text = template.as_bytes();
    assert!(arguments.len() <= MOST, "there are too many arguments");
    let (mut at, mut seen) = (0, 0);
    while at < text.len() {
        if text[at] == b'{' {
            let start = at + 1;
            while text[at] != b'}' {
                at += 1;
            }
            let mut earlier = 0;
            while earlier < seen && !is_same(text, start, at, arguments[earlier].as_bytes()) {
                earlier += 1;
            }
            if earlier == seen {
                assert!(
                    seen < arguments.len() && is_same(text, start, at, arguments[seen].as_bytes()),
                    "the template names another argument here, or one that is not given"
                );
                seen += 1;
            }
        }
        at += 1;
    }
    assert!(
        seen == arguments.len(),
        "the template does not name every argument"
    );
}

#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "it runs in the compiler"
)]
const fn is_same(text: &[u8], start: usize, end: usize, name: &[u8]) -> bool {
    if end - start != name.len() {
        return false;
    }
    let mut at = 0;
    while at < name.len() {
        if text[start + at] != name[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{Message, Translation, message, speak};

    fn said(count: usize, name: &str) -> Message {
        message!("test.count", "{count} of `{name}`, {name}", count, name)
    }

    #[test]
    fn another_language_has_its_own_order() {
        let chinese: Translation = serde_json::from_str(
            r#"{"test.count": "`{name}` 中的 {count} 个", "test.fixed": "没有"}"#,
        )
        .unwrap();
        assert_eq!(said(2, "a"), "2 of `a`, a");
        speak(Some(chinese));
        assert_eq!(said(2, "a"), "`a` 中的 2 个");
        assert_eq!(message!("test.fixed", "none"), "没有");
        assert_eq!(message!("test.other", "none of them"), "none of them");
        speak(None);
        assert_eq!(message!("test.fixed", "none"), "none");
    }

    #[test]
    fn broken_holes_are_text() {
        let chinese: Translation =
            serde_json::from_str(r#"{"test.count": "有 {count 个", "test.fixed": "{}{"}"#).unwrap();
        speak(Some(chinese));
        assert_eq!(said(2, "a"), "有 {count 个");
        assert_eq!(message!("test.fixed", "none"), "{}{");
    }
}
