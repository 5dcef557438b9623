//! The error of a device that expressions cannot read, and of a value that no attribute can have.

use std::fmt;

/// Why a device has no variables, or why a value is not an attribute, in kube-scheduler's words.
///
/// ```
/// use claimkit_model::cel::{DeviceAttribute, CelDevice, DeviceErrorKind, EnvironmentMode, device};
///
/// let device = CelDevice::new("gpu.example.com").attribute("version", DeviceAttribute::Version("1".to_owned()));
/// let error = device.variables(&device::environment(34, &[], EnvironmentMode::New)).unwrap_err();
/// assert_eq!(error.kind(), DeviceErrorKind::Attribute);
/// assert_eq!(error.to_string(), "attribute version: parse semantic version: No Major.Minor.Patch elements found");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceError {
    kind: DeviceErrorKind,
    message: String,
}

/// The cause of a [`DeviceError`]. Further kinds may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceErrorKind {
    /// An attribute that is malformed, or that the release does not know.
    Attribute,
    /// A capacity that is not a quantity.
    Capacity,
    /// A value of an expression that no derived attribute can have.
    Derived,
}

impl DeviceError {
    pub(super) fn new(kind: DeviceErrorKind, message: String) -> Self {
        DeviceError { kind, message }
    }

    /// Returns the cause.
    ///
    /// ```
    /// use claimkit_model::cel::{CelDevice, DeviceErrorKind, EnvironmentMode, device};
    ///
    /// let device = CelDevice::new("").capacity("memory", "80 GB");
    /// let error = device.variables(&device::environment(34, &[], EnvironmentMode::New)).unwrap_err();
    /// assert_eq!(error.kind(), DeviceErrorKind::Capacity);
    /// ```
    pub fn kind(&self) -> DeviceErrorKind {
        self.kind
    }

    /// Returns the message.
    ///
    /// ```
    /// use claimkit_model::cel::{DeviceAttribute, value::Value};
    ///
    /// let error = DeviceAttribute::derived(&Value::Double(1.5)).unwrap_err();
    /// assert_eq!(error.message(), "unsupported CEL return type: float64");
    /// ```
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DeviceError {}

impl From<DeviceError> for String {
    fn from(error: DeviceError) -> Self {
        error.message
    }
}
