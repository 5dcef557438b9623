//! `codes` and `releases`: what is known here.

use super::arguments::Arguments;
use super::{FINE, Host, UNUSABLE};
use crate::report::Code;
use crate::schema::release::LAST_PATCHES;
use serde_json::json;

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let as_json = arguments.value("output") == Some("json");
    if arguments.verb.name == "releases" {
        let releases: Vec<String> = LAST_PATCHES.iter().map(ToString::to_string).collect();
        host.out(&if as_json { format!("{}\n", json!(releases)) } else { lines(&releases) });
        return FINE;
    }
    let mut codes: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    if let Some(unknown) = arguments.operands.iter().find(|name| !codes.contains(&name.as_str())) {
        host.err(&format!("claimkit: unknown code `{unknown}`; `claimkit codes` lists them\n"));
        return UNUSABLE;
    }
    if !arguments.operands.is_empty() {
        codes.retain(|code| arguments.operands.iter().any(|wanted| wanted == code));
    }
    host.out(&if as_json { format!("{}\n", json!(codes)) } else { lines(&codes) });
    FINE
}

fn lines(words: &[impl AsRef<str>]) -> String {
    words.iter().map(|word| format!("{}\n", word.as_ref())).collect()
}
