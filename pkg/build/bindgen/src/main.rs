//! `bindgen MODULE.wasm FOLDER`: what `wasm-bindgen --target web --out-dir FOLDER MODULE.wasm` does.
use std::env;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, folder] = arguments.as_slice() else {
        eprintln!("usage: bindgen MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    // The library leaves out where the module lies by default, the command does not: `init()` needs it.
    let result = Bindgen::new()
        .input_path(module)
        .omit_default_module_path(false)
        .web(true)
        .and_then(|bindgen| bindgen.typescript(true).generate(folder));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}
