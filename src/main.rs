//! The command line: the only file that does I/O.
fn main() {
    eprintln!("claimkit: no verb is there yet");
    std::process::exit(2);
}
