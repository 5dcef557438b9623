//! Writes the recorded inputs as a seed corpus: one file each, below `corpus/read`.
use std::{fs, path::Path};

fn main() -> std::io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = here.join("corpus/read");
    fs::create_dir_all(&corpus)?;
    let mut count = 0;
    for file in ["yaml_to_json.jsonl", "yaml_fuzz_sample.jsonl", "kubectl_stream.jsonl"] {
        for line in fs::read_to_string(here.join("../vectors").join(file))?.split('\n').filter(|line| !line.is_empty()) {
            let vector: serde_json::Value = serde_json::from_str(line)?;
            if let Some(text) = vector["in"].as_str() {
                count += 1;
                fs::write(corpus.join(format!("{count:05}")), text)?;
            }
        }
    }
    println!("{count} seeds in {}", corpus.display());
    Ok(())
}
