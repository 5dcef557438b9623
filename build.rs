//! Gives the OPA module its two version globals: hosts read their values, and a Rust `static` exports an address instead.
//! A small relocatable object defines them, so nothing has to touch the module after the linker.

use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let set = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    let for_opa = std::env::var_os("CARGO_FEATURE_OPA").is_some();
    if !for_opa || !set("CARGO_CFG_TARGET_ARCH", "wasm32") || !set("CARGO_CFG_TARGET_OS", "unknown")
    {
        return;
    }
    let out = std::env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .unwrap_or_default();
    let object = out.join("opa_abi.o");
    if let Err(error) = std::fs::write(
        &object,
        globals(&[
            ("opa_wasm_abi_version", 1),
            ("opa_wasm_abi_minor_version", 3),
        ]),
    ) {
        println!("cargo::error={}: {error}", object.display());
    }
    println!("cargo::rustc-cdylib-link-arg={}", object.display());
    // The host owns the memory. It gives five pages and the linker asks for more: tests/hosts/policy/pages.mjs sees to that.
    for argument in [
        "--import-memory",
        "--export-memory=memory",
        "-zstack-size=131072",
    ] {
        println!("cargo::rustc-cdylib-link-arg={argument}");
    }
}

/// A relocatable Wasm object with exported constant globals of type i32; names and values are shorter than 128.
fn globals(globals: &[(&str, u8)]) -> Vec<u8> {
    const GLOBAL_SECTION: u8 = 6;
    const CUSTOM_SECTION: u8 = 0;
    const I32: u8 = 0x7f;
    const I32_CONST: u8 = 0x41;
    const END: u8 = 0x0b;
    const LINKING_VERSION: u8 = 2;
    const SYMBOL_TABLE: u8 = 8;
    const SYMBOL_GLOBAL: u8 = 2;
    // Exported (0x20) and not stripped (0x80), as LEB128.
    const FLAGS: [u8; 2] = [0xa0, 0x01];

    let count = byte(globals.len());
    let mut values = vec![count];
    let mut symbols = vec![count];
    for (index, (name, value)) in globals.iter().enumerate() {
        values.extend([I32, 0, I32_CONST, *value, END]);
        symbols.push(SYMBOL_GLOBAL);
        symbols.extend(FLAGS);
        symbols.push(byte(index));
        symbols.push(byte(name.len()));
        symbols.extend(name.bytes());
    }
    let mut linking = vec![byte("linking".len())];
    linking.extend(b"linking");
    linking.extend([LINKING_VERSION, SYMBOL_TABLE]);
    linking.push(byte(symbols.len()));
    linking.extend(symbols);

    let mut object = b"\0asm\x01\0\0\0".to_vec();
    for (section, content) in [(GLOBAL_SECTION, values), (CUSTOM_SECTION, linking)] {
        object.push(section);
        object.push(byte(content.len()));
        object.extend(content);
    }
    object
}

/// A number that LEB128 writes as one byte.
fn byte(number: usize) -> u8 {
    assert!(number < 128, "{number} does not fit into one byte");
    number.to_le_bytes().first().copied().unwrap_or_default()
}
