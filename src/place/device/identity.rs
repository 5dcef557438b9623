//! How slices and devices of the facts are pointed at: by index, by their names, by number.

/// Index of a slice in the facts.
pub type SliceAt = usize;

/// A device in the facts: its slice, and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeviceAt {
    /// The slice.
    pub slice: SliceAt,
    /// Its index there.
    pub index: usize,
}

/// Driver, pool and device name, numbered: two entries with the same three are one device to upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity(pub u32);

impl Identity {
    /// As an index.
    pub fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// Driver, pool and device name.
pub type DeviceName<'f> = (&'f str, &'f str, &'f str);
