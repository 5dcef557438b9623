//! Prints the text that is measured.
fn main() {
    let documents = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(1500);
    print!("{}", claimkit_read_bench::manifest(documents));
}
