//! Kubernetes releases as data: which rule variants apply where.

use crate::message::{Message, message};
use claimkit_values::GoUnicode;
use claimkit_values::names::{DottedLabel, Wording};
use claimkit_values::quantity::Edition;
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A Kubernetes release `1.minor.patch`, or a pre-release of it.
///
/// ```
/// use claimkit::Release;
///
/// assert_eq!(Release::parse("1.34.1"), Some(Release::new(34, 1)));
/// assert_eq!(Release::parse("1.34"), Some(Release::last_of(34)));
/// assert_eq!(Release::parse("1.99"), None);
/// assert!(Release::latest() > Release::new(34, 1));
/// // A pre-release has its whole name. The minor release means it as long as no final one is known.
/// let beta = Release::parse("1.38.0-beta.0").unwrap();
/// assert!(beta.is_pre_release() && beta > Release::latest());
/// assert_eq!(Release::parse("1.38"), Some(beta));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Release {
    /// `26` in 1.26.3.
    pub minor: u8,
    /// `3` in 1.26.3.
    pub patch: u8,
    /// Its stage: `Beta(0)` in 1.38.0-beta.0.
    pub stage: ReleaseStage,
}

/// How far a release is on its way. Earlier stages are less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ReleaseStage {
    /// `1.38.0-alpha.N`
    Alpha(u8),
    /// `1.38.0-beta.N`
    Beta(u8),
    /// `1.38.0-rc.N`
    Candidate(u8),
    /// `1.38.0`
    Final,
}

/// The last patch of every minor release known here; of a minor release to come, its last pre-release.
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
    Release::before(38, ReleaseStage::Beta(0)),
];

/// Reads a number that is only digits.
fn parse_number(part: &str) -> Option<u8> {
    let is_number = claimkit_values::has_only_digits(part);
    part.parse().ok().filter(|_| is_number)
}

impl Release {
    /// Makes 1.`minor`.`patch`.
    pub const fn new(minor: u8, patch: u8) -> Self {
        Release {
            minor,
            patch,
            stage: ReleaseStage::Final,
        }
    }

    /// Makes a pre-release of 1.`minor`.0.
    pub const fn before(minor: u8, stage: ReleaseStage) -> Self {
        Release {
            minor,
            patch: 0,
            stage,
        }
    }

    /// Makes the first pre-release of a minor release: what a minor release has, all its pre-releases have.
    pub const fn start_of(minor: u8) -> Self {
        Release::before(minor, ReleaseStage::Alpha(0))
    }

    /// Returns true for a pre-release.
    pub fn is_pre_release(self) -> bool {
        self.stage != ReleaseStage::Final
    }

    /// Returns the last final release known here.
    pub fn latest() -> Self {
        Release::finals().last().unwrap_or(Release::new(26, 0))
    }

    /// Returns the last patch of every minor release that is final, oldest first.
    pub fn finals() -> impl Iterator<Item = Self> {
        let known = LAST_PATCHES.iter().copied();
        known.filter(|last| !last.is_pre_release())
    }

    /// Returns the last patch of a minor release, or its last pre-release; `.0` if the minor is not known.
    pub fn last_of(minor: u8) -> Self {
        LAST_PATCHES
            .iter()
            .copied()
            .find(|last| last.minor == minor)
            .unwrap_or(Release::new(minor, 0))
    }

    /// Reads `1.26` (its last patch), `1.26.1`, or `1.38.0-beta.0`. `None` if the release is unknown; the patch must not be later
    /// than the last known one. Of the pre-releases only the last is known, and only until its release is published.
    pub fn parse(text: &str) -> Option<Self> {
        if text.contains('-') {
            let mut known = LAST_PATCHES.iter().copied();
            return known.find(|last| last.is_pre_release() && last.to_string() == text);
        }
        let mut parts = text.strip_prefix("1.")?.split('.');
        let minor = parse_number(parts.next()?)?;
        let last = LAST_PATCHES
            .iter()
            .copied()
            .find(|last| last.minor == minor)?;
        let release = match parts.next() {
            None => last,
            Some(patch) => Release::new(minor, parse_number(patch)?),
        };
        (parts.next().is_none() && release <= last).then_some(release)
    }

    /// Returns the message for a text that [`Release::parse`] rejects.
    pub fn unknown(text: &str) -> Message {
        let numbers = text.split_once('-').map_or(text, |(numbers, _)| numbers);
        let last = match numbers.rsplit_once('.') {
            Some((minor, patch)) if patch.parse::<u64>().is_ok() => Release::parse(minor),
            _ => None,
        };
        match last {
            Some(last) if numbers.matches('.').count() == 2 => {
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

/// A text that is not a release that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRelease(Message);

impl fmt::Display for UnknownRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnknownRelease {}

/// Reads a release as [`Release::parse`] does.
///
/// ```
/// use claimkit_model::schema::Release;
///
/// let release: Release = "1.34".parse().unwrap();
/// assert_eq!(release.minor, 34);
/// assert!("1.99".parse::<Release>().unwrap_err().to_string().contains("1.99"));
/// ```
impl FromStr for Release {
    type Err = UnknownRelease;

    fn from_str(text: &str) -> Result<Self, UnknownRelease> {
        Release::parse(text).ok_or_else(|| UnknownRelease(Release::unknown(text)))
    }
}

impl Serialize for Release {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}.{}", self.minor, self.patch)?;
        match self.stage {
            ReleaseStage::Alpha(number) => write!(f, "-alpha.{number}"),
            ReleaseStage::Beta(number) => write!(f, "-beta.{number}"),
            ReleaseStage::Candidate(number) => write!(f, "-rc.{number}"),
            ReleaseStage::Final => Ok(()),
        }
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
    /// The edition of apimachinery that reads and writes quantities.
    pub quantities: Edition,
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
    quantities: Edition::First,
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
const P38: Rules = Rules {
    profile: "1.38",
    quantities: Edition::V38,
    ..P37
};
static LATER: [Rules; 9] = [P30, P31, P32, P32, P34, P35, P35, P37, P38];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_minors_and_patches() {
        assert_eq!(Release::parse("1.26"), Some(Release::new(26, 15)));
        assert_eq!(Release::parse("1.26.1"), Some(Release::new(26, 1)));
        let newest = LAST_PATCHES.last().unwrap().minor;
        let next = format!("1.{}", newest + 1);
        for bad in [
            "1.25", &next, "1.26.16", "1", "1.26.", "v1.26", "1.26.1.1", "1.+26", "",
        ] {
            assert_eq!(Release::parse(bad), None, "{bad}");
        }
        let beta = Release::before(38, ReleaseStage::Beta(0));
        assert_eq!(Release::parse("1.38.0-beta.0"), Some(beta));
        assert_eq!(Release::parse("1.38"), Some(beta));
        for unknown in [
            "1.38.0",
            "1.38.0-beta.1",
            "1.38.0-alpha.2",
            "1.37.0-rc.0",
            "1.38-beta.0",
        ] {
            assert_eq!(Release::parse(unknown), None, "{unknown}");
        }
        assert_eq!(
            Release::unknown("1.38.0-rc.0"),
            "Kubernetes 1.38.0-rc.0 is not known: the last patch known here is 1.38.0-beta.0"
        );
        assert!(Release::start_of(38) < beta && beta < Release::new(38, 0));
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
