//! CEL environments for device selectors and named resources, by release, mode and gates; each is built once.

use claimkit_model::cel::types::Type;
use claimkit_model::cel::{self, Environment, EnvironmentMode};
use claimkit_model::schema::{Gate, Gates, Release};
use std::sync::{Arc, Mutex, PoisonError};

/// What the expressions of an environment are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Selectors,
    /// Their result has another type.
    DerivedAttributes,
    /// Rules for the parameters of a driver.
    Parameters,
}

/// The inputs that determine an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    release: Release,
    mode: EnvironmentMode,
    purpose: Purpose,
    /// Follows the gates DRAConsumableCapacity and DRAListTypeAttributes.
    gates: [bool; 2],
}

/// The cached environments, at most one per release, mode and gates. Building one takes much longer than compiling a selector,
/// and a text can have thousands of objects.
static MADE: Mutex<Vec<(Key, Arc<Environment>)>> = Mutex::new(Vec::new());

/// Returns the environment of device selectors.
pub fn device(mode: EnvironmentMode, release: Release, gates: Gates) -> Arc<Environment> {
    let gates = [
        gates.on(Gate::DRAConsumableCapacity),
        gates.on(Gate::DRAListTypeAttributes),
    ];
    made(Key {
        release: last_alike(release),
        mode,
        purpose: Purpose::Selectors,
        gates,
    })
}

/// Returns the environment of derived attributes.
pub fn derived(mode: EnvironmentMode, release: Release, gates: Gates) -> Arc<Environment> {
    let gates = [
        gates.on(Gate::DRAConsumableCapacity),
        gates.on(Gate::DRAListTypeAttributes),
    ];
    made(Key {
        release: last_alike(release),
        mode,
        purpose: Purpose::DerivedAttributes,
        gates,
    })
}

/// Returns the environment in which kube-scheduler evaluates; `lists`: the gate DRAListTypeAttributes is on.
pub fn scheduler(release: Release, lists: bool) -> Arc<Environment> {
    made(Key {
        release: last_alike(release),
        mode: EnvironmentMode::Stored,
        purpose: Purpose::Selectors,
        gates: [true, lists],
    })
}

/// The variable of rules for the parameters of a driver.
const PARAMETERS: &str = "parameters";

/// Returns the environment of rules for the parameters of a driver: `parameters` is of any type, and all functions of the newest release
/// are there.
pub fn parameters() -> Arc<Environment> {
    made(Key {
        release: last_alike(Release::latest()),
        mode: EnvironmentMode::Stored,
        purpose: Purpose::Parameters,
        gates: [false, false],
    })
}

/// Returns the environment in which kube-scheduler computes derived attributes.
pub fn scheduler_derived(release: Release, lists: bool) -> Arc<Environment> {
    made(Key {
        release: last_alike(release),
        mode: EnvironmentMode::Stored,
        purpose: Purpose::DerivedAttributes,
        gates: [true, lists],
    })
}

/// Returns the last patch that has the same environments.
pub fn last_alike(release: Release) -> Release {
    const LAST_BEFORE: [Release; 2] = [Release::new(32, 2), Release::new(32, 3)];
    let step = LAST_BEFORE
        .into_iter()
        .find(|last| last.minor == release.minor && release <= *last);
    step.unwrap_or_else(|| Release::last_of(release.minor))
}

/// Returns the environment of selectors of 1.30's named resources.
pub fn named_resources(mode: EnvironmentMode) -> Arc<Environment> {
    made(Key {
        release: Release::last_of(NAMED_RESOURCES),
        mode,
        purpose: Purpose::Selectors,
        gates: [false; 2],
    })
}

/// The only minor release that has named resources; device selectors came after it.
pub const NAMED_RESOURCES: u8 = 30;

/// Forgets the environments without looking at them: their memory is the host's again.
pub fn forget() {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::forget(std::mem::take(&mut *made));
}

fn made(key: Key) -> Arc<Environment> {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = made.iter().find(|(known, _)| *known == key) {
        return Arc::clone(known);
    }
    let environment = Arc::new(match key.release.minor {
        NAMED_RESOURCES => cel::device::named_resources(key.mode),
        minor if key.purpose == Purpose::Parameters => {
            Environment::kubernetes(minor, &[], key.mode).with_variable(PARAMETERS, Type::Dyn)
        }
        minor => {
            let gates = [
                cel::EnvironmentGate::ConsumableCapacity,
                cel::EnvironmentGate::ListTypeAttributes,
            ]
            .into_iter()
            .zip(key.gates);
            let on: Vec<cel::EnvironmentGate> =
                gates.filter(|(_, on)| *on).map(|(gate, _)| gate).collect();
            let made = match key.purpose {
                Purpose::DerivedAttributes => cel::device::derived_attributes,
                Purpose::Selectors | Purpose::Parameters => cel::device::environment,
            };
            made(minor, &on, key.mode).at_patch(minor, key.release.patch)
        }
    });
    made.push((key, Arc::clone(&environment)));
    environment
}
