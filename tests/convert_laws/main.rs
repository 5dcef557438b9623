//! Laws of conversion, tested on generated objects in generated styles.

mod laws;
pub mod objects;
pub mod style;
pub mod tape;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;
use tape::Tape;

fn cases() -> u32 {
    if cfg!(debug_assertions) {
        1500
    } else {
        100_000
    }
}

fn property(name: &str, check: fn(&[u8]) -> bool) {
    use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};
    let config = Config {
        cases: cases(),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        rng_seed: RngSeed::Fixed(20),
        ..Config::default()
    };
    let (all, printed) = (std::cell::Cell::new(0u32), std::cell::Cell::new(0u32));
    let result = TestRunner::new(config).run(&vec(any::<u8>(), 0..400), |bytes| {
        let was_printed = check(&bytes);
        all.set(all.get() + 1);
        printed.set(printed.get() + u32::from(was_printed));
        Ok(())
    });
    println!(
        "{name}: {} texts, {} of them printed",
        all.get(),
        printed.get()
    );
    match result {
        Ok(()) => {}
        Err(TestError::Fail(reason, bytes)) => panic!("{name}: {reason}\nfrom the bytes {bytes:?}"),
        Err(error) => panic!("{name}: {error}"),
    }
    assert!(
        printed.get() * 10 < all.get(),
        "{name}: {} of {} texts were printed",
        printed.get(),
        all.get()
    );
}

/// Up and then down gives the same text if both conversions are edits, and the same value if a document is printed; nothing is
/// lost.
#[test]
fn up_then_down_is_the_identity() {
    property("up then down", laws::check_up);
}

/// Down then up is the identity on the value exactly where the specification says that nothing is lost.
#[test]
fn down_then_up_is_the_identity_exactly_without_losses() {
    property("down then up", laws::check_down);
}

/// The generators reach the cases that they are made for.
#[test]
fn generators_reach_handles_of_both_versions() {
    let bytes: Vec<u8> = (0..=255).cycle().take(4000).collect();
    let found = |new: bool, pointer: &str| {
        (0..400).any(|from| {
            objects::object(&mut Tape::new(&bytes[from * 3..]), new)
                .pointer(pointer)
                .is_some_and(|v| *v != json!(""))
        })
    };
    assert!(found(false, "/status/allocation/resourceHandle"));
    assert!(found(true, "/status/allocation/resourceHandles/0/data"));
    assert!(found(
        true,
        "/status/allocation/resourceHandles/0/structuredData"
    ));
}
