//! What the selectors of an object are compiled with.

use crate::api::{Gate, Gates, Release};
use crate::cel::{self, Environment, Mode};

/// The environments of one object, made when they are first needed.
#[derive(Debug, Default)]
pub struct Environments {
    new: Option<Environment>,
    stored: Option<Environment>,
}

impl Environments {
    /// The environment of a release.
    pub fn of(&mut self, mode: Mode, release: Release, gates: Gates) -> &Environment {
        let slot = match mode {
            Mode::New => &mut self.new,
            Mode::Stored => &mut self.stored,
        };
        slot.get_or_insert_with(|| {
            let known = [
                (Gate::DRAConsumableCapacity, cel::Gate::ConsumableCapacity),
                (Gate::DRAListTypeAttributes, cel::Gate::ListTypeAttributes),
            ];
            let on: Vec<cel::Gate> = known.into_iter().filter(|(gate, _)| gates.on(*gate)).map(|(_, gate)| gate).collect();
            Environment::device(release.minor, &on, mode)
        })
    }
}
