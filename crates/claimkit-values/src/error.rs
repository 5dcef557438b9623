//! The error of a text that cannot be read.

use std::fmt;

/// Why a text is not a time, in Go's words.
///
/// ```
/// use claimkit_values::{ErrorKind, time::Time};
///
/// let error = Time::parse("2024-02-30T00:00:00Z").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Range);
/// assert_eq!(error.to_string(), "parsing time \"2024-02-30T00:00:00Z\": day out of range");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// The cause of an [`Error`]. Further kinds may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text does not have the format.
    Syntax,
    /// A number of the text is too large or too small.
    Range,
    /// Text follows after the value.
    ExtraText,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: String) -> Self {
        Error { kind, message }
    }

    /// Returns the cause.
    ///
    /// ```
    /// use claimkit_values::{ErrorKind, time::Time};
    ///
    /// assert_eq!(Time::parse("yesterday").unwrap_err().kind(), ErrorKind::Syntax);
    /// ```
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the message, which names no field.
    ///
    /// ```
    /// use claimkit_values::time::Time;
    ///
    /// let error = Time::parse("2024-01-01T00:00:00Z, noon").unwrap_err();
    /// assert_eq!(error.message(), "parsing time \"2024-01-01T00:00:00Z, noon\": extra text: \", noon\"");
    /// ```
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<Error> for String {
    fn from(error: Error) -> Self {
        error.message
    }
}
