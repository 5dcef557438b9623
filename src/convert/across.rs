//! Converts objects of the classic family to a version of the device family: first to v1, then as any v1 object.

use super::job::{self, Job};
use super::migrate::{
    self, Migration, NamedObjects, ObjectMigration, OwnText, Relations, annotate,
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
        let done = match migrate::text::carry_out(&again, &english, &limits) {
            Ok(done) => done,
            Err(finding) => {
                self.findings.push(Finding {
                    span: None,
                    ..*finding
                });
                return None;
            }
        };
        for finding in done.findings {
            self.about(input, finding.object, finding);
        }
        let kept: Vec<usize> = (0..input.items.len())
            .filter(|&index| !migration.is_gone(index))
            .collect();
        let moved = || {
            kept.iter()
                .enumerate()
                .filter_map(|(new, &old)| Some((new, old, migration.moved(old)?.becomes()?)))
        };
        let mut text = done.text;
        if moved().any(|(.., kind)| {
            self.target(kind)
                .is_some_and(|target| target.version.name != v1::VERSION.name)
        }) {
            let options = ConvertOptions {
                limits,
                annotate: false,
                ..*self.options
            };
            let below = super::convert(&text, self.to, &options);
            let worse = below
                .findings
                .into_iter()
                .filter(|finding| finding.severity != Severity::Info);
            for finding in worse.filter(|finding| {
                !matches!(finding.code, Code::ConversionLoss | Code::ValidityLost)
            }) {
                let index = finding.object.and_then(|new| kept.get(new)).copied();
                self.about(input, index, finding);
            }
            text = below.text?;
        }
        let asked = match self.to {
            ConvertTarget::Version(_) => self.options.release,
            ConvertTarget::Release(minor) => Some(Release::last_of(minor)),
        };
        let mut read: Option<(Release, Input<'_>)> = None;
        for (new, old, kind) in moved() {
            let Some(Api { version, kind }) = self.target(kind) else {
                continue;
            };
            let served =
                asked.filter(|release| version.served_by(*release) && kind.in_release(*release));
            let release = served.unwrap_or(job::last_release(version, kind));
            if read.as_ref().is_none_or(|(known, _)| *known != release) {
                read = Some((
                    release,
                    Input::read_unchecked(&text, AfterJson::ReadOn, Some(release), &limits),
                ));
            }
            if let Some((_, result)) = &read {
                self.findings
                    .extend(check::not_accepted(input, old, result, new, release));
            }
        }
        if self.options.annotate {
            let decisions: Vec<_> = kept.iter().map(|&old| english.decisions(old)).collect();
            match in_english(|| annotate::annotated(&text, &decisions)) {
                Some(new) => text = new,
                None => {
                    let message = message!(
                        "convert.no-comments",
                        "the decisions are not in the text: it has no place for comments"
                    );
                    self.findings
                        .push(Finding::info(Code::ConversionDecision, message));
                }
            }
        }
        for (index, outcome) in self.outcomes.iter_mut().enumerate() {
            outcome.changed |= migration.moved(index).is_some();
        }
        Some(text)
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
