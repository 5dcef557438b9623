//! The error of a value that cannot be read, and of an expression that has no answer.

use std::fmt;

/// Why a text is not a value of a library's type, or why an expression has no answer. [`CompileError`](crate::CompileError) is the error of
/// expressions that do not compile.
///
/// ```
/// use claimkit_cel::{Environment, ErrorKind, EnvironmentMode, SELECTOR_COST_LIMIT, library::semver::SemanticVersion};
///
/// let error = SemanticVersion::parse("1.2").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Version);
/// assert_eq!(error.to_string(), "No Major.Minor.Patch elements found");
///
/// let program = Environment::kubernetes(34, &[], EnvironmentMode::New).compile("1 / 0 == 1").unwrap();
/// let error = program.evaluate(&[], SELECTOR_COST_LIMIT).matches().unwrap_err();
/// assert_eq!((error.kind(), error.message()), (ErrorKind::Evaluation, "division by zero"));
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
    /// The evaluation failed, as it does in kube-apiserver and kube-scheduler.
    Evaluation,
    /// The evaluation reached a limit that only this crate has.
    Limit,
    /// The value of the expression is not a boolean.
    NotBool,
    /// The text is not an IP address.
    Address,
    /// The text is not a network in CIDR notation.
    Network,
    /// The text is not a URL.
    Url,
    /// The text is not a semantic version.
    Version,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error {
            kind,
            message: message.into(),
        }
    }

    /// Returns a function that makes an error of a message.
    pub(crate) fn of(kind: ErrorKind) -> impl Fn(String) -> Self {
        move |message| Error { kind, message }
    }

    /// Returns the cause.
    ///
    /// ```
    /// use claimkit_cel::{ErrorKind, library::url::Url};
    ///
    /// assert_eq!(Url::parse("gpu.example.com").unwrap_err().kind(), ErrorKind::Url);
    /// ```
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the message: upstream's, except for a limit.
    ///
    /// ```
    /// use claimkit_cel::{Environment, EnvironmentMode, SELECTOR_COST_LIMIT};
    ///
    /// let program = Environment::kubernetes(34, &[], EnvironmentMode::New).compile("1 + 1").unwrap();
    /// let error = program.evaluate(&[], SELECTOR_COST_LIMIT).matches().unwrap_err();
    /// let expected = "CEL result of type int could not be converted to bool: unsupported type conversion from 'int' to bool";
    /// assert_eq!(error.message(), expected);
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

/// An expression on which kube-apiserver crashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerCrash {
    /// A map of constants with bytes as a key.
    BytesAsKey,
    /// `format()` of a text that is not a literal, in Kubernetes 1.31.
    ComputedFormat,
}

impl fmt::Display for ServerCrash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ServerCrash::BytesAsKey => {
                "kube-apiserver crashes on a map of constants with bytes as a key"
            }
            ServerCrash::ComputedFormat => {
                "kube-apiserver 1.31 crashes on format() of a text that is not a literal"
            }
        })
    }
}
