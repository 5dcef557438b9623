//! One document as plain JSON.

use serde_json::{Value, json};
use std::path::Path;

/// Returns the one document of a text, as it is written. `place`: where it is from, for the panic of a text that cannot be read.
pub fn plain(text: &str, place: &Path) -> Value {
    let request = json!({"verb": "parse", "raw": true, "text": text});
    let answer: Value =
        serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap();
    assert_eq!(
        answer["ok"],
        true,
        "{}: {}",
        place.display(),
        answer["findings"]
    );
    answer["raw"].clone()
}
