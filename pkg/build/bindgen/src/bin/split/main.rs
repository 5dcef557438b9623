//! `split LINKED.wasm MODULE.wasm FIRST.wasm PART.wasm PREFIX… [-- PART.wasm PREFIX…]`: one module becomes several that share
//! memory, table and stack. `MODULE.wasm` is what wasm-bindgen made of `LINKED.wasm`, which has the linker's relocations.
//!
//! Functions whose names begin with one of a part's prefixes, and what only they use, functions, data and places in the table, move
//! to that part. Where a function of another part is called, a short function stands for it, which calls through the table. If the
//! table can have nothing at that place yet, it calls the import of the part's name of `./parts.js` first. That has to start the
//! part, and those before it, with the exports of `FIRST.wasm` as `first` and what `FIRST.wasm` itself imports.
//!
//! Which functions are named decides sizes alone, never what is computed: a part that needed something of a later one without
//! asking for it would not be written. The stack pointer is exported as `stack`, for a host that lets the import throw.

mod emit;
mod links;
mod plan;

use std::env;
use std::process::ExitCode;

use walrus::{Global, Module, ModuleConfig, TableId};

pub type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// A part that is loaded later than the first.
#[derive(Debug)]
pub struct Part {
    /// The file to write.
    pub file: String,
    /// What other modules call it.
    pub name: String,
    /// The beginnings of the names of what it is for.
    pub prefixes: Vec<String>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [linked, module, first, parts @ ..] = arguments.as_slice() else {
        eprintln!("usage: split LINKED.wasm MODULE.wasm FIRST.wasm PART.wasm PREFIX… [-- PART.wasm PREFIX…]");
        return ExitCode::from(2);
    };
    match split(linked, module, first, parts) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("split: {error}");
            ExitCode::FAILURE
        }
    }
}

fn split(linked: &str, module: &str, first: &str, parts: &[String]) -> Fallible<()> {
    let mut read = Vec::new();
    for part in parts.split(|argument| argument == "--") {
        let [file, prefixes @ ..] = part else { return Err("a part without a file".into()) };
        let name = std::path::Path::new(file).file_stem().and_then(|name| name.to_str()).ok_or("a part without a name")?;
        read.push(Part { file: file.clone(), name: name.to_owned(), prefixes: prefixes.to_vec() });
    }
    let parts = read;
    let links = links::Links::read(&std::fs::read(linked)?)?;
    let bytes = std::fs::read(module)?;
    let parse = || ModuleConfig::new().generate_producers_section(false).parse(&bytes);
    let mut one = parse()?;
    let plan = plan::Plan::of(&one, &links, &parts)?;
    emit::first(&plan, &parts, &mut one)?;
    std::fs::write(first, one.emit_wasm())?;
    for (index, part) in parts.iter().enumerate() {
        let mut module = parse()?;
        emit::part(&plan, &parts, index + 1, &mut module)?;
        std::fs::write(&part.file, module.emit_wasm())?;
    }
    Ok(())
}

/// rustc's stack pointer, by the name its linker gives it.
pub fn is_stack(global: &Global) -> bool {
    global.name.as_deref() == Some("__stack_pointer")
}

/// The table that functions are called through.
pub fn functions_table(module: &Module) -> Fallible<TableId> {
    module.tables.main_function_table()?.ok_or_else(|| "no table of functions".into())
}
