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
    /// The environment of device selectors.
    pub fn device(&mut self, mode: Mode, release: Release, gates: Gates) -> &Environment {
        self.slot(mode).get_or_insert_with(|| Environments::device_environment(mode, release, gates))
    }

    /// A new environment of device selectors.
    pub fn device_environment(mode: Mode, release: Release, gates: Gates) -> Environment {
        let known = [
            (Gate::DRAConsumableCapacity, cel::Gate::ConsumableCapacity),
            (Gate::DRAListTypeAttributes, cel::Gate::ListTypeAttributes),
        ];
        let on: Vec<cel::Gate> = known.into_iter().filter(|(gate, _)| gates.on(*gate)).map(|(_, gate)| gate).collect();
        Environment::device(release.minor, &on, mode)
    }

    /// The environment of selectors of 1.30's named resources.
    pub fn named_resources(&mut self, mode: Mode) -> &Environment {
        self.slot(mode).get_or_insert_with(|| Environment::named_resources(mode))
    }

    fn slot(&mut self, mode: Mode) -> &mut Option<Environment> {
        match mode {
            Mode::New => &mut self.new,
            Mode::Stored => &mut self.stored,
        }
    }
}
