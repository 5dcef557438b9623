//! The command line: the only file that does I/O.

use std::io::{BufRead, Write};

fn main() -> std::process::ExitCode {
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() != Some("batch") || args.next().is_some() {
        eprintln!(
            "claimkit: write `claimkit batch`: one JSON request per line on standard input, one answer per line on standard output"
        );
        return std::process::ExitCode::from(2);
    }
    let mut out = std::io::stdout().lock();
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => return std::process::ExitCode::SUCCESS,
            Ok(_) => {}
            Err(error) => {
                eprintln!("claimkit: cannot read standard input: {error}");
                return std::process::ExitCode::from(2);
            }
        }
        let answer = claimkit::wire::answer(&String::from_utf8_lossy(&line));
        if writeln!(out, "{answer}").is_err() {
            return std::process::ExitCode::from(2);
        }
    }
}
