//! Converts objects of the classic family to a version of the device family: first to v1, then as any v1 object.

use super::job::{self, Job};
use super::migrate::{
    self, Decision, Migration, NamedObjects, ObjectMigration, OwnText, Relations, annotate,
};
use super::{ConvertOptions, ConvertTarget, Converted, Converter, check, metadata};
use crate::manifest::{Input, Item};
use claimkit_model::finding::{Code, Finding, Severity};
use claimkit_model::limits::Limits;
use claimkit_model::message::{in_english, message};
use claimkit_model::schema::device::v1;
use claimkit_model::schema::{Api, Family, Release};
use claimkit_model::text::stream::AfterJson;
use std::collections::BTreeSet;

/// The texts of one conversion, whose objects may refer to each other's.
pub(crate) struct Together<'a> {
    names: NamedObjects<'a>,
    texts: Vec<OwnText<'a>>,
    relations: Vec<Relations>,
}

/// The texts beside one that is converted: its objects may refer to theirs. Without any, it is alone.
#[derive(Clone, Copy, Default)]
pub(crate) struct Among<'a> {
    beside: Option<Beside<'a>>,
}

#[derive(Clone, Copy)]
struct Beside<'a> {
    names: &'a NamedObjects<'a>,
    /// The index of the text's first object in all texts.
    first: usize,
    /// The objects of other texts that refer to parameters in this one.
    referrers: &'a BTreeSet<usize>,
}

impl<'a> Together<'a> {
    /// Looks at the objects of texts.
    pub fn of(inputs: &'a [Input<'a>], to: ConvertTarget) -> Self {
        let names = NamedObjects::of(inputs);
        let mut first = 0usize;
        let mut texts = Vec::with_capacity(inputs.len());
        for input in inputs {
            texts.push(OwnText { input, first });
            first = first.saturating_add(input.items.len());
        }
        let relations = match to.family() {
            Family::Device => migrate::relations(&names, &texts),
            Family::Classic => Vec::new(),
        };
        Together {
            names,
            texts,
            relations,
        }
    }

    /// Returns what a text needs of the others.
    pub fn beside(&self, text: usize) -> Among<'_> {
        let beside = self.relations.get(text).zip(self.texts.get(text));
        let is_migrated = beside.filter(|(relations, _)| relations.is_migrated);
        Among {
            beside: is_migrated.map(|(relations, own)| Beside {
                names: &self.names,
                first: own.first,
                referrers: &relations.referrers,
            }),
        }
    }
}

/// Plans the migration of a text's objects; empty if the target is not of the device family.
pub(super) fn plan<'t>(
    input: &'t Input<'t>,
    among: Among<'t>,
    to: ConvertTarget,
    options: &ConvertOptions,
) -> Migration<'t> {
    if to.family() != Family::Device {
        return Migration::default();
    }
    let mut migration = match among.beside {
        Some(Beside {
            names,
            first,
            referrers,
        }) => migrate::plan(names, OwnText { input, first }, referrers),
        None => {
            let alone = OwnText { input, first: 0 };
            migrate::plan(&NamedObjects::of([input]), alone, &BTreeSet::new())
        }
    };
    if options.drop_server_fields {
        migration.drop_server_fields(input);
    }
    migration
}

impl Converter<'_> {
    /// Reports on an object that leaves the classic family, or on a Pod that changes with it.
    pub(super) fn moved(
        &mut self,
        input: &Input<'_>,
        index: usize,
        item: &Item,
        object: &ObjectMigration<'_>,
    ) -> Converted {
        self.checked = true;
        let from = job::find_version(&item.api_version);
        let mut outcome = Converted {
            from: item.api_version.clone(),
            to: item.api_version.clone(),
            losses: object.losses.clone(),
            decisions: object.decisions.clone(),
            skipped: object.folded.clone(),
            removed_in: from.and_then(|version| job::removed_in(version, &item.kind)),
            ..Converted::default()
        };
        if let Some(version) = from
            && let Some(kind) = version.kinds.iter().find(|row| row.kind == item.kind)
        {
            let api = Api { version, kind };
            let release = if version.served_by(item.release) {
                item.release
            } else {
                job::last_release(version, kind)
            };
            self.read(input, index, item, api, release);
            let becomes = object.becomes().and_then(|kind| self.target(kind));
            if let Some(target) = becomes {
                outcome.to = target.version.api_version.to_owned();
                self.say_lost_metadata(input, index, item, api, target);
            }
        }
        let to = self.to.name();
        self.say_losses(input, index, item, &object.losses, &to);
        for decision in &object.decisions {
            let mut finding =
                Finding::new(Code::ConversionDecision, decision.message()).with_span(decision.span);
            if let Some(help) = decision.others() {
                finding = finding.with_help(help);
            }
            finding.path = Some(decision.path.clone());
            self.push(input, item, index, finding);
        }
        outcome
    }

    /// Reports the metadata that the object loses.
    fn say_lost_metadata(
        &mut self,
        input: &Input<'_>,
        index: usize,
        item: &Item,
        from: Api,
        target: Api,
    ) {
        let Some(tree) = input.tree(item) else { return };
        let job = Job {
            written: from.version,
            from: from.version,
            to: target.version,
            kind: from.kind.kind,
            new_kind: target.kind.kind,
            source: from.kind,
            target: target.kind,
            release: job::last_release(target.version, target.kind),
            drop_server_fields: self.options.drop_server_fields,
        };
        for finding in metadata::findings(tree, item.node, &job) {
            self.push(input, item, index, finding);
        }
    }

    /// Returns the version and table of what an object of v1 becomes.
    fn target(&self, kind: &str) -> Option<Api> {
        let version = self.to.version(&v1::VERSION, kind)?;
        let kind = version.kinds.iter().find(|row| row.kind == kind)?;
        Some(Api { version, kind })
    }

    /// Migrates those objects in `text`, whose other objects are already converted, to the target version.
    pub(super) fn across(
        &mut self,
        input: &Input<'_>,
        among: Among<'_>,
        migration: &Migration<'_>,
        text: String,
    ) -> Option<String> {
        let to_device = self.to.family() == Family::Device;
        if migration.is_empty() && !(to_device && migrate::text::has_head(input)) {
            return Some(text);
        }
        let limits = Limits {
            bytes: usize::MAX,
            nodes: usize::MAX,
            ..self.options.limits
        };
        // The first conversion changed positions, so read the text again.
        let release = super::release_before(self.to, self.options);
        let again = Input::read_unchecked(&text, AfterJson::ReadOn, release, &limits);
        // Comments of the text are English in every language.
        let english = in_english(|| plan(&again, among, self.to, self.options));
        let kept: Vec<usize> = (0..input.items.len())
            .filter(|&index| !migration.is_gone(index))
            .collect();
        let moved = moved_objects(migration, &kept);
        let in_v1 = self.migrate_text(input, &again, &english, &limits)?;
        let mut text = self.convert_below_v1(input, in_v1, &kept, &moved, limits)?;
        self.check_accepted(input, &text, &moved, &limits);
        if self.options.annotate {
            let decisions: Vec<_> = kept.iter().map(|&old| english.decisions(old)).collect();
            text = self.annotate(text, &decisions);
        }
        for (index, outcome) in self.outcomes.iter_mut().enumerate() {
            outcome.changed |= migration.moved(index).is_some();
        }
        Some(text)
    }

    /// Writes the objects as the plan says: those of the classic family become objects of v1.
    fn migrate_text(
        &mut self,
        input: &Input<'_>,
        again: &Input<'_>,
        plan: &Migration<'_>,
        limits: &Limits,
    ) -> Option<String> {
        match migrate::text::carry_out(again, plan, limits) {
            Ok(done) => {
                for finding in done.findings {
                    self.about(input, finding.object, finding);
                }
                Some(done.text)
            }
            Err(finding) => {
                self.findings.push(Finding {
                    span: None,
                    ..*finding
                });
                None
            }
        }
    }

    /// Converts objects of v1 to the target version, if it is an earlier one. `kept`: the objects of the text, by their index in the text
    /// that was read.
    fn convert_below_v1(
        &mut self,
        input: &Input<'_>,
        text: String,
        kept: &[usize],
        moved: &[MovedObject],
        limits: Limits,
    ) -> Option<String> {
        let is_below_v1 = moved.iter().any(|object| {
            let target = self.target(object.kind);
            target.is_some_and(|target| target.version.name != v1::VERSION.name)
        });
        if !is_below_v1 {
            return Some(text);
        }
        let options = ConvertOptions {
            limits,
            annotate: false,
            ..*self.options
        };
        let below = super::convert(&text, self.to, &options);
        for finding in below.findings {
            if finding.severity != Severity::Info
                && !matches!(finding.code, Code::ConversionLoss | Code::ValidityLost)
            {
                let index = finding.object.and_then(|new| kept.get(new)).copied();
                self.about(input, index, finding);
            }
        }
        below.text
    }

    /// Reports on the objects that a server with the target version does not accept.
    fn check_accepted(
        &mut self,
        input: &Input<'_>,
        text: &str,
        moved: &[MovedObject],
        limits: &Limits,
    ) {
        let asked = match self.to {
            ConvertTarget::Version(_) => self.options.release,
            ConvertTarget::Release(minor) => Some(Release::last_of(minor)),
        };
        let mut result = ReadAgain {
            text,
            limits,
            last: None,
        };
        for object in moved {
            let Some(Api { version, kind }) = self.target(object.kind) else {
                continue;
            };
            let served =
                asked.filter(|release| version.served_by(*release) && kind.in_release(*release));
            let release = served.unwrap_or(job::last_release(version, kind));
            let findings =
                check::not_accepted(input, object.old, result.by(release), object.new, release);
            self.findings.extend(findings);
        }
    }

    /// Writes the decisions about each object of the text as comments.
    fn annotate(&mut self, text: String, decisions: &[&[Decision]]) -> String {
        if let Some(annotated) = in_english(|| annotate::annotated(&text, decisions)) {
            return annotated;
        }
        let message = message!(
            "convert.no-comments",
            "the decisions are not in the text: it has no place for comments"
        );
        self.findings
            .push(Finding::info(Code::ConversionDecision, message));
        text
    }

    /// Adds a finding about an object of the text that was read.
    fn about(&mut self, input: &Input<'_>, index: Option<usize>, finding: Finding) {
        let finding = Finding {
            span: None,
            steps: Vec::new(),
            ..finding
        };
        match index.and_then(|index| Some((index, input.items.get(index)?))) {
            Some((index, item)) => self.push(input, item, index, finding),
            None => self.findings.push(finding),
        }
    }
}

/// An object of the classic family that becomes one of the device family.
struct MovedObject {
    /// Its index in the new text.
    new: usize,
    /// Its index in the text that was read.
    old: usize,
    /// The kind that it becomes.
    kind: &'static str,
}

/// Returns the objects that a migration moves. `kept`: the objects of the new text, by their index in the text that was read.
fn moved_objects(migration: &Migration<'_>, kept: &[usize]) -> Vec<MovedObject> {
    let kept = kept.iter().enumerate();
    kept.filter_map(|(new, &old)| {
        let kind = migration.moved(old)?.becomes()?;
        Some(MovedObject { new, old, kind })
    })
    .collect()
}

/// A text that is read again by releases, mostly several times by the same one.
struct ReadAgain<'a> {
    text: &'a str,
    limits: &'a Limits,
    last: Option<ReadByRelease<'a>>,
}

struct ReadByRelease<'a> {
    release: Release,
    input: Input<'a>,
}

impl<'a> ReadAgain<'a> {
    /// Returns the objects of the text as a release reads them.
    fn by(&mut self, release: Release) -> &Input<'a> {
        let last = self.last.take().filter(|last| last.release == release);
        let read = last.unwrap_or_else(|| ReadByRelease {
            release,
            input: Input::read_unchecked(self.text, AfterJson::ReadOn, Some(release), self.limits),
        });
        &self.last.insert(read).input
    }
}
