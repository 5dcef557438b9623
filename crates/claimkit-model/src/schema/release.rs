//! Kubernetes releases as data: which rule variants apply where.

use crate::message::message;
use claimkit_values::GoUnicode;
use claimkit_values::names::{DottedLabel, Wording};
use serde::{Serialize, Serializer};
use std::fmt;

/// A Kubernetes release `1.minor.patch`.
///
/// ```
/// use claimkit::Release;
///
/// assert_eq!(Release::parse("1.34.1"), Some(Release::new(34, 1)));
/// assert_eq!(Release::parse("1.34"), Some(Release::last_of(34)));
/// assert_eq!(Release::parse("1.99"), None);
/// assert!(Release::latest() > Release::new(34, 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Release {
    /// `26` in 1.26.3.
    pub minor: u8,
    /// `3` in 1.26.3.
    pub patch: u8,
}

/// The last patch of every minor release known here.
pub const LAST_PATCHES: &[Release] = &[
    Release::new(26, 15),
    Release::new(27, 16),
    Release::new(28, 15),
    Release::new(29, 15),
    Release::new(30, 14),
    Release::new(31, 14),
    Release::new(32, 13),
    Release::new(33, 13),
    Release::new(34, 13),
    Release::new(35, 10),
    Release::new(36, 6),
    Release::new(37, 2),
];

impl Release {
    /// Makes 1.`minor`.`patch`.
    pub const fn new(minor: u8, patch: u8) -> Self {
        Release { minor, patch }
    }

    /// Returns the last release known here.
    pub fn latest() -> Self {
        LAST_PATCHES.last().copied().unwrap_or(Release::new(26, 0))
    }

    /// Returns the last patch of a minor release; `.0` if the minor is not known.
    pub fn last_of(minor: u8) -> Self {
        LAST_PATCHES
            .iter()
            .copied()
            .find(|last| last.minor == minor)
            .unwrap_or(Release::new(minor, 0))
    }

    /// Reads `1.26` (its last patch) or `1.26.1`. `None` if the release is unknown; the patch must not be later than the last
    /// known one.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix("1.")?.split('.');
        let number = |part: &str| {
            (!part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
                .then(|| part.parse::<u8>().ok())
                .flatten()
        };
        let minor = number(parts.next()?)?;
        let last = LAST_PATCHES
            .iter()
            .copied()
            .find(|last| last.minor == minor)?;
        let release = match parts.next() {
            None => last,
            Some(patch) => Release::new(minor, number(patch)?),
        };
        (parts.next().is_none() && release <= last).then_some(release)
    }

    /// Returns the message for a text that [`Release::parse`] rejects.
    pub fn unknown(text: &str) -> String {
        let minor = text
            .rsplit_once('.')
            .and_then(|(minor, patch)| patch.parse::<u64>().ok().and(Release::parse(minor)));
        match minor {
            Some(last) if text.matches('.').count() == 2 => {
                message!(
                    "api.patch-unknown",
                    "Kubernetes {release} is not known: the last patch known here is {last}",
                    release = text,
                    last,
                )
            }
            _ => {
                let minors: Vec<String> = LAST_PATCHES
                    .iter()
                    .map(|last| format!("`1.{}`", last.minor))
                    .collect();
                message!(
                    "api.release-unknown",
                    "unknown release `{release}`; write one of {known}, or with a patch, `1.26.1`",
                    release = text,
                    known = minors.join(", "),
                )
            }
        }
    }

    /// Returns the rules of this release.
    pub fn rules(self) -> &'static Rules {
        // The patch releases of February 2024 are the first built with Go 1.21, which has newer Unicode tables.
        match (self.minor, self.patch) {
            (0..=26, 0..=1) => &P26A,
            (0..=26, 2..=13) => &P26B,
            (0..=26, _) => &P26B_GO_1_21,
            (27, 0..=10) | (28, 0..=6) => &P27,
            (27..=29, _) => &P27_GO_1_21,
            _ => {
                let [oldest, .., newest] = &LATER;
                match self.minor.checked_sub(30) {
                    None => oldest,
                    Some(at) => LATER.get(usize::from(at)).unwrap_or(newest),
                }
            }
        }
    }
}

impl Serialize for Release {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}.{}", self.minor, self.patch)
    }
}

/// The differences between releases. Validators read this and never compare version numbers.
#[derive(Debug)]
pub struct Rules {
    /// Name of the profile, e.g. `1.27-1.29`.
    pub profile: &'static str,
    /// `reservedFor` duplicates are found by `uid`; else by the whole entry.
    pub reserved_for_by_uid: bool,
    /// The message about a namespace with dots.
    pub dotted_label: DottedLabel,
    /// `status.allocation` is immutable once set.
    pub allocation_immutable: bool,
    /// Status updates reset most metadata to the stored one.
    pub status_update_resets_metadata: bool,
    /// The characters that the server's Go prints verbatim.
    pub unicode: GoUnicode,
    /// All messages about length say `may not be more than n bytes`.
    pub too_long_says_bytes: bool,
    /// Errors show values as JSON; else in Go's syntax.
    pub values_as_json: bool,
    /// The words of messages about names and labels.
    pub wording: Wording,
    /// Errors of owner references have the index of the reference in their path, and missing parts are `Required`.
    pub owner_paths_have_index: bool,
    /// Decoding errors name the embedded structs of a path.
    pub embedded_in_paths: bool,
    /// The name of the scheme in errors: the source path where it is created (apimachinery, pkg/util/naming/from_stack.go). The
    /// server's build decides how much of the path remains.
    pub scheme: &'static str,
}

const BASE: Rules = Rules {
    profile: "1.26.0-1.26.1",
    reserved_for_by_uid: false,
    dotted_label: DottedLabel::General,
    allocation_immutable: false,
    status_update_resets_metadata: false,
    unicode: GoUnicode::V13,
    too_long_says_bytes: false,
    values_as_json: false,
    wording: Wording::Characters,
    owner_paths_have_index: false,
    embedded_in_paths: false,
    scheme: "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30",
};
static P26A: Rules = BASE;
static P26B: Rules = Rules {
    profile: "1.26.2-1.26.15",
    reserved_for_by_uid: true,
    ..BASE
};
static P26B_GO_1_21: Rules = Rules {
    profile: "1.26.2-1.26.15",
    reserved_for_by_uid: true,
    unicode: GoUnicode::V15,
    ..BASE
};
static P27: Rules = Rules {
    profile: "1.27-1.29",
    reserved_for_by_uid: true,
    dotted_label: DottedLabel::NamesTheDots,
    allocation_immutable: true,
    ..BASE
};
static P27_GO_1_21: Rules = Rules {
    profile: "1.27-1.29",
    reserved_for_by_uid: true,
    dotted_label: DottedLabel::NamesTheDots,
    allocation_immutable: true,
    unicode: GoUnicode::V15,
    ..BASE
};
const P30: Rules = Rules {
    profile: "1.30",
    reserved_for_by_uid: true,
    dotted_label: DottedLabel::NamesTheDots,
    allocation_immutable: true,
    status_update_resets_metadata: true,
    unicode: GoUnicode::V15,
    ..BASE
};
const P31: Rules = Rules {
    profile: "1.31",
    scheme: "pkg/api/legacyscheme/scheme.go:30",
    ..P30
};
const P32: Rules = Rules {
    profile: "1.32-1.33",
    too_long_says_bytes: true,
    ..P31
};
const P34: Rules = Rules {
    profile: "1.34",
    values_as_json: true,
    ..P32
};
const P35: Rules = Rules {
    profile: "1.35-1.36",
    wording: Wording::Bytes,
    embedded_in_paths: true,
    ..P34
};
const P37: Rules = Rules {
    profile: "1.37",
    owner_paths_have_index: true,
    ..P35
};
static LATER: [Rules; 8] = [P30, P31, P32, P32, P34, P35, P35, P37];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_minors_and_patches() {
        assert_eq!(Release::parse("1.26"), Some(Release::new(26, 15)));
        assert_eq!(Release::parse("1.26.1"), Some(Release::new(26, 1)));
        let next = format!("1.{}", Release::latest().minor + 1);
        for bad in [
            "1.25", &next, "1.26.16", "1", "1.26.", "v1.26", "1.26.1.1", "1.+26", "",
        ] {
            assert_eq!(Release::parse(bad), None, "{bad}");
        }
        assert_eq!(Release::new(26, 1).rules().profile, "1.26.0-1.26.1");
        assert_eq!(Release::new(26, 2).rules().profile, "1.26.2-1.26.15");
        for (minor, patch, unicode) in [
            (26, 13, GoUnicode::V13),
            (26, 14, GoUnicode::V15),
            (27, 10, GoUnicode::V13),
            (27, 11, GoUnicode::V15),
            (28, 6, GoUnicode::V13),
            (28, 7, GoUnicode::V15),
            (29, 0, GoUnicode::V15),
        ] {
            assert_eq!(
                Release::new(minor, patch).rules().unicode,
                unicode,
                "1.{minor}.{patch}"
            );
        }
    }
}
