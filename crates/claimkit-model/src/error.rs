//! The error of a question that cannot be answered, whatever the manifests are.

use crate::message::Words;
use std::fmt;

/// An option that makes a question impossible to answer: an unknown gate, a pod that does not exist, a time that is not one.
///
/// Problems of a manifest are never errors. They are findings of an answer, and so are refusals by kubectl and kube-apiserver.
///
/// ```
/// let options = claimkit::AllocateOptions::default().gate("NoSuchGate", true);
/// let error = claimkit::allocate("", &options).unwrap_err();
/// assert_eq!(error.kind(), claimkit::ErrorKind::Gate);
/// assert!(error.to_string().starts_with("`gates`: "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: Words,
}

/// The option that is the cause of an [`Error`]. Further kinds may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The release lacks the API in question, or differs from the release of a prepared cluster.
    Release,
    /// A feature gate that the release does not know or has locked, or gates for which it has no allocator.
    Gate,
    /// A time that is not RFC 3339.
    Time,
    /// A pod, claim or node that does not exist.
    NotFound,
    /// A change of the cluster that cannot be made.
    WhatIf,
    /// A pod that cannot be repeated, or an option that excludes repeating one.
    HowMany,
}

impl Error {
    pub fn new(kind: ErrorKind, message: impl Into<Words>) -> Self {
        Error {
            kind,
            message: message.into(),
        }
    }

    /// Returns a function that makes an error of a message.
    pub fn of<W: Into<Words>>(kind: ErrorKind) -> impl Fn(W) -> Self {
        move |message| Error::new(kind, message)
    }

    /// Returns the option that is the cause.
    ///
    /// ```
    /// let options = claimkit::AllocateOptions::default().pod("team/missing");
    /// assert_eq!(claimkit::allocate("", &options).unwrap_err().kind(), claimkit::ErrorKind::NotFound);
    /// ```
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the message: one line, with the name of the option in backticks.
    ///
    /// ```
    /// let options = claimkit::AllocateOptions::default().pod("team/missing");
    /// let error = claimkit::allocate("", &options).unwrap_err();
    /// assert_eq!(error.message(), "`pod`: there is no Pod `team/missing`");
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

impl From<Error> for Words {
    fn from(error: Error) -> Self {
        error.message
    }
}

impl From<Error> for String {
    fn from(error: Error) -> Self {
        error.message.into()
    }
}
