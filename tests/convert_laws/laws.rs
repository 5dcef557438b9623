//! The laws, for an object and a style that are generated from bytes.

use crate::tape::Tape;
use crate::{objects, style};
use claimkit::convert::{Conversion, ConvertOptions, convert};
use claimkit_model::finding::{Code, Severity};
use claimkit_model::limits::Limits;
use claimkit_model::schema::Version;
use claimkit_model::schema::classic::{v1alpha1, v1alpha2};
use claimkit_model::text;
use claimkit_model::text::print::{self, Order};
use serde_json::Value;

const OLD: &Version = &v1alpha1::VERSION;
const NEW: &Version = &v1alpha2::VERSION;

fn run<'s>(text: &'s str, to: &'static Version, lossy: bool) -> Conversion<'s> {
    convert(text, to, &ConvertOptions::default().lossy(lossy))
}

/// The values of a text's documents.
fn values(text: &str) -> Vec<Value> {
    let file = text::read(text, &Limits::default());
    let value = |document: &text::Document<'_>| {
        let mut out = String::new();
        assert!(print::json(
            &document.tree,
            document.root.unwrap(),
            Order::Source,
            usize::MAX,
            &mut out
        ));
        serde_json::from_str(&out).unwrap()
    };
    assert!(
        file.findings
            .iter()
            .all(|finding| finding.code != Code::YamlSyntax && finding.code != Code::JsonSyntax),
        "{text}\n{:?}",
        file.findings
    );
    file.documents.iter().map(value).collect()
}

fn messages(conversion: &Conversion<'_>) -> String {
    let lines = conversion
        .findings
        .iter()
        .map(|finding| format!("{}: {}\n", finding.code.name(), finding.message));
    lines.collect()
}

fn printed(conversion: &Conversion<'_>) -> bool {
    conversion
        .findings
        .iter()
        .any(|finding| finding.code == Code::ConversionPrinted)
}

/// Objects of a file's documents, Lists taken apart.
fn objects(documents: &mut [Value]) -> Vec<&mut Value> {
    documents
        .iter_mut()
        .flat_map(
            |document| match document.get("items").is_some_and(Value::is_array) {
                true => document["items"]
                    .as_array_mut()
                    .unwrap()
                    .iter_mut()
                    .collect::<Vec<_>>(),
                false => vec![document],
            },
        )
        .collect()
}

/// An object without differences that do not matter to the server: null, `[]` and `""` instead of an absent field.
fn plain(object: &mut Value) {
    if let Some(class) = object.as_object_mut() {
        class.retain(|key, value| key != "structuredParameters" || !value.is_null());
    }
    let Some(allocation) = object
        .pointer_mut("/status/allocation")
        .and_then(Value::as_object_mut)
    else {
        return;
    };
    allocation.retain(|key, value| match key.as_str() {
        "resourceHandle" => value.as_str().is_some_and(|text| !text.is_empty()),
        "resourceHandles" => value.as_array().is_some_and(|list| !list.is_empty()),
        _ => true,
    });
    for handle in allocation
        .get_mut("resourceHandles")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        let handle = handle.as_object_mut().unwrap();
        handle.retain(|_, value| !value.is_null() && value != "");
    }
}

/// What converts without a loss.
fn lossless_down(object: &Value) -> bool {
    if object
        .get("structuredParameters")
        .is_some_and(|value| !value.is_null())
    {
        return false;
    }
    let driver = object
        .pointer("/status/driverName")
        .and_then(Value::as_str)
        .unwrap_or("");
    match object
        .pointer("/status/allocation/resourceHandles")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
    {
        None | Some([]) => true,
        Some([handle]) => {
            handle
                .get("driverName")
                .and_then(Value::as_str)
                .unwrap_or("")
                == driver
                && handle.get("data").is_some_and(|data| data != "")
                && handle.get("structuredData").is_none_or(Value::is_null)
        }
        Some(_) => false,
    }
}

/// Converts up and then down; returns whether a document was printed.
pub fn check_up(bytes: &[u8]) -> bool {
    let mut tape = Tape::new(bytes);
    let mut documents = objects::file(&mut tape, false);
    let text = style::file(&mut tape, &documents);
    assert_eq!(
        &values(&text),
        &documents,
        "the generator wrote something else:\n{}",
        text
    );
    // A document that is printed loses its comments, so losses must be allowed; the objects lose nothing.
    let up = run(&text, NEW, true);
    let Some(new) = &up.text else {
        panic!("refused:\n{text}\n{}", messages(&up))
    };
    assert!(
        up.outcomes.iter().all(|outcome| outcome.losses.is_empty()),
        "losses in\n{}",
        text
    );
    let twice = run(new, NEW, false);
    assert_eq!(
        twice.text.as_ref(),
        Some(new),
        "converting twice changes\n{}",
        text
    );
    let down = run(new, OLD, true);
    assert!(
        down.outcomes
            .iter()
            .all(|outcome| outcome.losses.is_empty()),
        "losses in\n{}",
        new
    );
    let Some(old) = &down.text else {
        panic!("refused down:\n{new}\n{}", messages(&down))
    };
    if printed(&up) || printed(&down) {
        let mut back = values(old);
        objects(&mut back).into_iter().for_each(plain);
        objects(&mut documents).into_iter().for_each(plain);
        assert_eq!(
            &back, &documents,
            "another value comes back:\n{}\nup:\n{}\nback:\n{}",
            text, new, old
        );
    } else {
        assert_eq!(old, &text, "another text comes back; up:\n{}", new);
    }
    printed(&up)
}

/// Converts down and then up; returns whether a document was printed.
pub fn check_down(bytes: &[u8]) -> bool {
    let mut tape = Tape::new(bytes);
    let mut documents = objects::file(&mut tape, true);
    let text = style::file(&mut tape, &documents);
    assert_eq!(
        &values(&text),
        &documents,
        "the generator wrote something else:\n{}",
        text
    );
    let lossless: Vec<bool> = objects(&mut documents)
        .into_iter()
        .map(|object| lossless_down(object))
        .collect();
    let refused = run(&text, OLD, false);
    for (at, outcome) in refused.outcomes.iter().enumerate() {
        assert_eq!(
            outcome.losses.is_empty(),
            lossless[at],
            "losses of object {}: {:?}\n{}",
            at,
            outcome.losses,
            text
        );
    }
    let comments = refused.findings.iter().any(|finding| {
        finding.code == Code::ConversionPrinted && finding.severity == Severity::Error
    });
    let kept = lossless.iter().all(|&none| none) && !comments;
    assert_eq!(
        refused.text.is_some(),
        kept,
        "refused exactly where something is lost\n{}",
        text
    );
    let down = run(&text, OLD, true);
    let Some(old) = &down.text else {
        panic!("refused:\n{text}\n{}", messages(&down))
    };
    let twice = run(old, OLD, false);
    assert_eq!(
        twice.text.as_ref(),
        Some(old),
        "converting twice changes\n{}",
        text
    );
    let up = run(old, NEW, true);
    let Some(new) = &up.text else {
        panic!("refused up:\n{old}\n{}", messages(&up))
    };
    let mut back = values(new);
    for ((at, back), object) in objects(&mut back)
        .into_iter()
        .enumerate()
        .zip(objects(&mut documents))
    {
        plain(back);
        plain(object);
        assert_eq!(
            *back == *object,
            lossless[at],
            "object {} of\n{}\ndown:\n{}\nback:\n{}",
            at,
            text,
            old,
            new
        );
    }
    printed(&down)
}
