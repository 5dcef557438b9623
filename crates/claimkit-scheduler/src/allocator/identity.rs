//! References to slices and devices of the facts: by index, by name, by number.

/// Index of a slice in the facts.
pub type SliceAt = usize;

/// A device in the facts: its slice, and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeviceAt {
    pub slice: SliceAt,
    pub index: usize,
}

/// The number of a combination of driver, pool and device name: upstream treats entries with the same combination as one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity(pub u32);

impl Identity {
    /// Returns the identity as an index.
    pub fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// Driver, pool and device name.
pub type DeviceName<'f> = (&'f str, &'f str, &'f str);

/// Returns a name of a driver's device without the driver's domain.
pub fn without_domain<'n>(driver: &str, name: &'n str) -> &'n str {
    name.strip_prefix(driver)
        .and_then(|name| name.strip_prefix('/'))
        .unwrap_or(name)
}
