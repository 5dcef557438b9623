//! Which release answers about devices, and which of its feature gates are on.

use claimkit_model::error::{Error, ErrorKind};
use claimkit_model::message::message;
use claimkit_model::schema::{Gate, Gates, Release};
use claimkit_values::order;
use std::collections::BTreeMap;

/// The first minor release with devices.
const FIRST_MINOR: u8 = 31;

/// A release with its gates.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub release: Release,
    /// Its gates, those that were set among them.
    pub gates: Gates,
}

impl Target {
    /// Makes the target of a release, or of the last one, with some gates set.
    ///
    /// # Errors
    /// A release without devices, or a gate that cannot be set.
    pub fn new(release: Option<Release>, gates: &BTreeMap<String, bool>) -> Result<Self, Error> {
        let release = release.unwrap_or(Release::latest());
        if release.minor < FIRST_MINOR {
            let problem = message!(
                "schedule.release-without-devices",
                "Kubernetes {release} has no devices; `1.{first}` is the first that has",
                release,
                first = FIRST_MINOR
            );
            return Err(Error::new(ErrorKind::Release, problem));
        }
        let set = gates.iter().map(|(name, on)| (name.as_str(), *on));
        let gates = Gates::with(release, set).map_err(|error| {
            Error::new(
                ErrorKind::Gate,
                message!("schedule.gates-wrong", "`gates`: {error}", error),
            )
        })?;
        Ok(Target { release, gates })
    }

    /// Returns true if a gate is on. A gate that the release does not know is off.
    pub fn on(&self, name: &str) -> bool {
        Gate::named(name).is_some_and(|gate| self.gates.on(gate))
    }

    /// Returns the gates that the release knows.
    pub fn known_gates(&self) -> BTreeMap<&'static str, bool> {
        let known = Gate::ALL
            .iter()
            .filter(|gate| gate.default_in(self.release).is_some());
        order::map(known.map(|gate| (gate.name(), self.gates.on(*gate))))
    }
}
