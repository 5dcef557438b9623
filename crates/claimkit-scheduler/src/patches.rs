//! Patch releases: which of them answer alike, and whose answers were recorded. The differences themselves are in the tables of
//! the rules (`Release::rules`), of the CEL environments, of the allocators and of the scheduler's plugin.

use super::allocator::behaviour;
use super::allocator::plugin_rules::PluginRules;
use super::environments::last_alike;
use claimkit_model::message::{Message, message};
use claimkit_model::schema::Release;
use serde::Serialize;

/// The patches of each minor release that were asked, or compared file by file with one that was: those whose modules are served.
/// Earlier minor releases were not compared patch by patch.
const RECORDED: &[(u8, &[u8])] = &[
    (31, &[14]),
    (32, &[2, 8, 10, 11, 12, 13]),
    (33, &[6, 12, 13]),
    (34, &[0, 2, 3, 4, 7, 8, 9, 10, 11, 12, 13]),
    (35, &[0, 4, 5, 6, 7, 8, 9, 10]),
    (36, &[0, 1, 2, 3, 4, 5, 6]),
    (37, &[0, 1, 2]),
    // 1.38.0-beta.0
    (38, &[0]),
];

/// A part of Kubernetes whose answers a patch release can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PatchedPart {
    /// The validation of kube-apiserver.
    Validation,
    Cel,
    /// The allocator of kube-scheduler.
    Allocator,
    /// The rest of kube-scheduler's plugin.
    Plugin,
}

/// Neighboring patch releases with equal answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Patches {
    /// The first of them.
    pub first: Release,
    /// The last of them that is known.
    pub last: Release,
    /// The parts that `first` changed; empty for the first patches of a minor release.
    pub changed: Vec<PatchedPart>,
    /// The patches whose answers were recorded.
    pub recorded: Vec<Release>,
}

/// The rules that answer for a patch release whose answers were never recorded, or for a pre-release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RulesOf {
    /// The patch release that was asked for.
    pub asked: Release,
    /// The recorded patch release whose rules answer.
    pub release: Release,
    /// True if changes between the two, known from upstream's history only, are taken back.
    pub adjusted: bool,
    /// True for a pre-release: the release itself may answer otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pre_release: bool,
}

impl RulesOf {
    /// Returns one sentence.
    pub fn sentence(&self) -> Message {
        let RulesOf {
            asked,
            release,
            adjusted,
            pre_release,
        } = self;
        if *pre_release {
            message!(
                "placement.pre-release",
                "Kubernetes {asked} is a pre-release: 1.{minor}.0 may answer otherwise",
                asked,
                minor = asked.minor
            )
        } else if *adjusted {
            message!(
                "placement.rules-of-adjusted",
                "Kubernetes {asked} was never recorded: the rules of {release} answer, except for later changes known from upstream's history",
                asked,
                release
            )
        } else {
            message!(
                "placement.rules-of",
                "Kubernetes {asked} was never recorded: the rules of {release} answer",
                asked,
                release
            )
        }
    }
}

/// Returns the groups of patch releases with equal answers of a minor release, oldest first.
pub fn of(minor: u8) -> Vec<Patches> {
    let recorded = recorded(minor).unwrap_or_default();
    let mut groups: Vec<Patches> = Vec::new();
    let last = Release::last_of(minor);
    for patch in 0..=last.patch {
        let release = match patch {
            patch if patch == last.patch => last,
            patch => Release::new(minor, patch),
        };
        let before = patch
            .checked_sub(1)
            .map(|before| Release::new(minor, before));
        let changed = before
            .map(|before| changes(before, release))
            .unwrap_or_default();
        let group = match groups.last_mut() {
            Some(group) if changed.is_empty() => group,
            _ => {
                groups.push(Patches {
                    first: release,
                    last: release,
                    changed,
                    recorded: Vec::new(),
                });
                let Some(group) = groups.last_mut() else {
                    break;
                };
                group
            }
        };
        group.last = release;
        group
            .recorded
            .extend(recorded.contains(&patch).then_some(release));
    }
    groups
}

/// Returns the rules that answer for a release; `None` if its own answers were recorded, or its minor release was not compared
/// patch by patch. Of a pre-release the answer says that it is one.
pub fn rules_of(asked: Release) -> Option<RulesOf> {
    if asked.is_pre_release() {
        return Some(RulesOf {
            asked,
            release: asked,
            adjusted: false,
            pre_release: true,
        });
    }
    let recorded = recorded(asked.minor)?;
    if recorded.contains(&asked.patch) {
        return None;
    }
    let groups = of(asked.minor);
    let group = groups
        .iter()
        .find(|group| group.first <= asked && asked <= group.last)?;
    let alike = group
        .recorded
        .iter()
        .rev()
        .find(|release| **release < asked)
        .or_else(|| group.recorded.first());
    if let Some(release) = alike {
        return Some(RulesOf {
            asked,
            release: *release,
            adjusted: false,
            pre_release: false,
        });
    }
    let later = recorded.iter().find(|patch| **patch > asked.patch)?;
    Some(RulesOf {
        asked,
        release: Release::new(asked.minor, *later),
        adjusted: true,
        pre_release: false,
    })
}

fn recorded(minor: u8) -> Option<&'static [u8]> {
    RECORDED
        .iter()
        .find(|(known, _)| *known == minor)
        .map(|(_, patches)| *patches)
}

/// Returns the parts in which two patches of a minor release differ.
fn changes(before: Release, after: Release) -> Vec<PatchedPart> {
    let allocators = |release: Release| behaviour::since(release.minor, release.patch);
    let plugin = |release: Release| PluginRules::of(release.minor, release.patch).from;
    let differs = [
        (
            PatchedPart::Validation,
            !std::ptr::eq(before.rules(), after.rules()),
        ),
        (PatchedPart::Cel, last_alike(before) != last_alike(after)),
        (
            PatchedPart::Allocator,
            allocators(before) != allocators(after),
        ),
        (PatchedPart::Plugin, plugin(before) != plugin(after)),
    ];
    differs
        .into_iter()
        .filter(|(_, differs)| *differs)
        .map(|(part, _)| part)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use claimkit_model::schema::release::LAST_PATCHES;

    /// Returns the groups of a minor release, as `first-last`.
    fn groups(minor: u8) -> Vec<String> {
        of(minor)
            .iter()
            .map(|group| format!("{}-{}", group.first.patch, group.last.patch))
            .collect()
    }

    #[test]
    fn groups_are_those_of_the_recordings() {
        assert_eq!(groups(26), ["0-1", "2-13", "14-15"]);
        assert_eq!(groups(31), ["0-14"]);
        assert_eq!(groups(32), ["0-2", "3-3", "4-9", "10-13"]);
        assert_eq!(groups(33), ["0-0", "1-5", "6-13"]);
        assert_eq!(groups(34), ["0-1", "2-11", "12-13"]);
        assert_eq!(groups(35), ["0-5", "6-8", "9-10"]);
        assert_eq!(groups(36), ["0-1", "2-2", "3-3", "4-4", "5-6"]);
        assert_eq!(groups(37), ["0-0", "1-2"]);
        assert_eq!(groups(38), ["0-0"]);
        assert_eq!(of(38)[0].recorded, [Release::last_of(38)]);
        assert_eq!(
            of(37)[1].changed,
            [PatchedPart::Allocator, PatchedPart::Plugin]
        );
        assert_eq!(of(32)[1].changed, [PatchedPart::Cel]);
    }

    #[test]
    fn a_patch_that_was_never_recorded_names_the_one_that_answers() {
        let of = |patch: (u8, u8)| {
            rules_of(Release::new(patch.0, patch.1))
                .map(|rules| (rules.release.patch, rules.adjusted))
        };
        assert_eq!(of((34, 13)), None);
        assert_eq!(of((34, 1)), Some((0, false)));
        assert_eq!(of((34, 6)), Some((4, false)));
        assert_eq!(of((32, 1)), Some((2, false)));
        assert_eq!(of((32, 3)), Some((8, true)));
        assert_eq!(of((32, 5)), Some((8, false)));
        assert_eq!(of((32, 9)), Some((8, false)));
        assert_eq!(of((33, 5)), Some((6, true)));
        assert_eq!(of((29, 3)), None);
        assert_eq!(
            rules_of(Release::last_of(38)).unwrap().sentence(),
            "Kubernetes 1.38.0-beta.0 is a pre-release: 1.38.0 may answer otherwise"
        );
        let sentence = |minor, patch| rules_of(Release::new(minor, patch)).unwrap().sentence();
        assert_eq!(
            sentence(35, 2),
            "Kubernetes 1.35.2 was never recorded: the rules of 1.35.0 answer"
        );
        assert!(sentence(33, 0).ends_with(
            "the rules of 1.33.6 answer, except for later changes known from upstream's history"
        ));
    }

    /// Checks that a minor release without patch means a patch that was recorded.
    #[test]
    fn the_last_patches_are_recorded() {
        for last in LAST_PATCHES.iter().filter(|last| last.minor >= 31) {
            assert!(
                recorded(last.minor).is_some_and(|patches| patches.contains(&last.patch)),
                "{last}"
            );
        }
    }
}
