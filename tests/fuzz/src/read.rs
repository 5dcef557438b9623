//! Any text is read without a panic and in bounded time; what is found lies inside it; a tree holds the whole text; its place
//! in a file and its line ends do not matter. Laws and their exceptions: crates/claimkit-yaml/tests/reading.rs.

use crate::{reading, spans};
use claimkit_model::limits::Limits;
use claimkit_model::text::{self, yaml};
use libfuzzer_sys::Corpus;

pub fn run(data: &[u8]) -> Corpus {
    let Ok(text) = std::str::from_utf8(data) else {
        return Corpus::Reject;
    };
    spans::check_file(&text::read(text, &Limits::default()), text);
    reading::a_tree_holds_the_whole_text(text);
    reading::the_place_in_the_file_does_not_matter(text);
    reading::crlf_reads_as_lf(text);
    let mut document = yaml::read(text, yaml::Bounds::default());
    let _ = document.strict_errors();
    if let Some(error) = &document.error {
        assert!(
            error.to_string().starts_with("yaml: ") || error.stage == yaml::ErrorStage::Json,
            "{error}"
        );
    }
    Corpus::Keep
}
