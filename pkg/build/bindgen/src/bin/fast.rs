//! `fast LINKED.wasm LIST.txt`: the symbols of those functions in a module that the list names, one to a line. A line of the list is
//! a function's path as rustc demangles it, without its hash, or the beginning of paths if it ends with `::`.

use std::collections::BTreeSet;
use std::process::ExitCode;

use wasmparser::{KnownCustom, Name, Parser, Payload};

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, list] = arguments.as_slice() else {
        eprintln!("usage: fast LINKED.wasm LIST.txt");
        return ExitCode::from(2);
    };
    match symbols(module, list) {
        Ok(symbols) => {
            symbols.iter().for_each(|symbol| println!("{symbol}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("fast: {error}");
            ExitCode::FAILURE
        }
    }
}

fn symbols(module: &str, list: &str) -> Fallible<BTreeSet<String>> {
    let list = std::fs::read_to_string(list)?;
    let wanted: Vec<&str> = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let mut unmet: BTreeSet<&str> = wanted.iter().copied().collect();
    let mut found = BTreeSet::new();
    for symbol in names(&std::fs::read(module)?)? {
        let path = format!("{:#}", rustc_demangle::demangle(&symbol));
        let matching = wanted.iter().filter(|line| **line == path || (line.ends_with("::") && path.starts_with(**line)));
        for line in matching {
            unmet.remove(line);
            found.insert(symbol.clone());
        }
    }
    if !unmet.is_empty() {
        return Err(format!("no function is called {}", unmet.into_iter().collect::<Vec<_>>().join(", nor ")).into());
    }
    Ok(found)
}

/// The names of a module's functions.
fn names(bytes: &[u8]) -> Fallible<Vec<String>> {
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(bytes) {
        let Payload::CustomSection(custom) = payload? else { continue };
        let KnownCustom::Name(parts) = custom.as_known() else { continue };
        for part in parts {
            let Name::Function(functions) = part? else { continue };
            for function in functions {
                found.push(function?.name.to_owned());
            }
        }
    }
    Ok(found)
}
