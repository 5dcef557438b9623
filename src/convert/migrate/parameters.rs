//! Parameters of claims and classes: those of 1.30's structured parameters, those of drivers with a profile, and all others.

use super::inventory::{ClassNeeds, ParametersReference, row_of};
use super::part::TextPart;
use super::profile::{DriverProfile, KindRow, Means, ProfileLoss};
use super::{Decided, Migrator, in_place_of, opaque, profile, selector, steps};
use crate::manifest::Item;
use claimkit_model::finding::Step;
use claimkit_model::message::{self, Message, Template, message, template};
use claimkit_model::schema::GROUP;
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::tree::{Kind, NodeId, Tree};

/// Why a reference to parameters is lost.
pub const NOT_THERE: Template = template!(
    "loss.parameters-absent",
    "the parameters object is not in the files; convert both together"
);

/// Why a field of a known driver's parameters is lost that has no row.
const UNKNOWN: Template = template!(
    "loss.unknown-parameter",
    "what the field means to the driver today is not known"
);

/// A configuration: `opaque`, with the name of its field.
pub type Config<'t> = (String, TextPart<'t>);

/// The content of the parameters of a claim or class.
#[derive(Debug, Default)]
pub struct Folded<'t> {
    /// The class of the request, if it differs from the claim's.
    pub class: Option<&'static str>,
    /// All devices are watched and none is taken.
    pub monitor: bool,
    /// The requests; a single empty one if there are none.
    pub requests: Vec<MigratedRequest<'t>>,
    /// Selectors that apply to every device.
    pub selectors: Vec<String>,
    /// Configuration of all requests.
    pub config: Vec<Config<'t>>,
}

/// A request made from parameters.
#[derive(Debug, Default)]
pub struct MigratedRequest<'t> {
    /// Selectors for the devices of this request.
    pub selectors: Vec<String>,
    /// How many devices, as JSON.
    pub count: Option<String>,
    /// Configuration of this request only.
    pub config: Vec<Config<'t>>,
}

/// An object that refers to parameters, and the place of the reference.
#[derive(Clone, Copy)]
pub struct Referrer<'d, 't> {
    pub index: usize,
    pub tree: &'t Tree<'t>,
    pub node: NodeId,
    /// The path of `parametersRef`.
    pub path: &'d str,
    /// The path of what comes of it in the new object.
    pub at: &'d str,
}

/// The question about parameters that a driver reads itself.
const PARAMETERS_CONFIG: Template = template!(
    "migrate.parameters-config",
    "How does the driver read these parameters?"
);

/// Returns why parameters of a class are lost that are for a second driver.
fn of_other_driver() -> Message {
    message!(
        "loss.other-driver",
        "the class has devices of one driver, and this is not it"
    )
}

fn is_set(tree: &Tree<'_>, node: NodeId) -> bool {
    tree.kind(node) != Kind::Null
}

impl<'t> Migrator<'_, 't> {
    /// Returns the content of a class's parameters.
    pub(super) fn class_parameters(
        &mut self,
        index: usize,
        node: NodeId,
        tree: &'t Tree<'t>,
        found: usize,
        driver: &str,
        profile: Option<&'static DriverProfile>,
    ) -> Folded<'t> {
        let class = ClassNeeds {
            driver: Some(driver.to_owned()),
            profile,
            ..ClassNeeds::default()
        };
        let from = Referrer {
            index,
            tree,
            node,
            path: "parametersRef",
            at: "spec.config",
        };
        self.parameters(from, found, &class)
    }

    /// Returns the requests of parameters, independent of the object that refers to them.
    pub(super) fn parameters(
        &mut self,
        from: Referrer<'_, 't>,
        found: usize,
        class: &ClassNeeds,
    ) -> Folded<'t> {
        let Some((tree, item)) = self.inventory.item(found) else {
            return Folded::default();
        };
        let ours = item.api_version.starts_with(GROUP);
        match item.kind.as_str() {
            "ResourceClaimParameters" if ours => self.structured(from, found, tree, item, class),
            "ResourceClassParameters" if ours => self.filters(from, found, tree, item, class),
            _ => match class
                .profile
                .and_then(|profile| Some((profile, row_of(profile, item)?)))
            {
                Some((profile, row)) => self.known(from, found, tree, item, profile, row),
                None => self.plain(from, tree, item, class),
            },
        }
    }

    /// Takes over `driverRequests` of 1.30.
    fn structured(
        &mut self,
        from: Referrer<'_, 't>,
        found: usize,
        tree: &'t Tree<'t>,
        item: &'t Item,
        class: &ClassNeeds,
    ) -> Folded<'t> {
        let mut folded = Folded::default();
        let list =
            |node: NodeId, key: &str| tree.get(node, key).map_or(&[][..], |list| tree.items(list));
        let driver_requests = list(item.node, "driverRequests");
        // A class that is not given is taken to be of the first driver.
        let of_class = class.driver.as_deref();
        let own_driver = of_class.or(driver_requests.first().map(|&one| driver_of(tree, one)));
        for (number, &one) in driver_requests.iter().enumerate() {
            let driver = driver_of(tree, one);
            if own_driver.is_some_and(|own| own != driver) {
                self.decide(
                    from.index,
                    from.node,
                    from.tree,
                    Decided {
                        code: "request-driver",
                        path: from.path,
                        at: from.at,
                        question: message!(
                            "migrate.request-driver",
                            "Which class has the devices of a second driver?"
                        ),
                        assumed: message!(
                            "migrate.request-driver-assumed",
                            "the class of the claim"
                        ),
                        why: message!(
                            "migrate.request-driver-why",
                            "the parameters ask the driver `{driver}` too and name no class for it",
                            driver
                        ),
                        alternatives: vec![message!(
                            "migrate.request-driver-or",
                            "a class of its own whose selector is `device.driver == '{driver}'`",
                            driver
                        )],
                    },
                );
            }
            let first = folded.requests.len();
            for (at, &request) in list(one, "requests").iter().enumerate() {
                let mut new = MigratedRequest::default();
                let path = format!("driverRequests.{number}.requests.{at}.namedResources.selector");
                new.selectors
                    .extend(self.rewritten(from, found, tree, item, &path, driver));
                if let Some(parameters) = tree
                    .get(request, "vendorParameters")
                    .filter(|&node| is_set(tree, node))
                {
                    new.config
                        .push(opaque(driver, TextPart::Node(tree, parameters)));
                }
                folded.requests.push(new);
            }
            if let Some(parameters) = tree
                .get(one, "vendorParameters")
                .filter(|&node| is_set(tree, node))
            {
                let shared = || opaque(driver, TextPart::Node(tree, parameters));
                folded
                    .requests
                    .iter_mut()
                    .skip(first)
                    .for_each(|request| request.config.insert(0, shared()));
                if folded.requests.len() == first {
                    folded.config.push(shared());
                }
            }
        }
        if tree
            .get(item.node, "shareable")
            .is_some_and(|node| tree.kind(node) == Kind::Bool(false))
        {
            let reason = message!("loss.shareable", "every claim can be used by several pods");
            self.lose(found, tree, item.node, &steps("shareable"), reason);
        }
        folded
    }

    /// Takes over `filters` and `vendorParameters` of 1.30.
    fn filters(
        &mut self,
        from: Referrer<'_, 't>,
        found: usize,
        tree: &'t Tree<'t>,
        item: &'t Item,
        class: &ClassNeeds,
    ) -> Folded<'t> {
        let mut folded = Folded::default();
        for (number, &filter) in items_of(tree, item.node, "filters").iter().enumerate() {
            let driver = driver_of(tree, filter);
            if class.driver.as_deref().is_some_and(|own| own != driver) {
                let at = [Step::Key("filters".to_owned()), Step::Index(number)];
                self.lose(found, tree, item.node, &at, of_other_driver());
                continue;
            }
            let path = format!("filters.{number}.namedResources.selector");
            folded
                .selectors
                .extend(self.rewritten(from, found, tree, item, &path, driver));
        }
        for (number, &one) in items_of(tree, item.node, "vendorParameters")
            .iter()
            .enumerate()
        {
            let Some(parameters) = tree
                .get(one, "parameters")
                .filter(|&node| is_set(tree, node))
            else {
                continue;
            };
            let driver = driver_of(tree, one);
            if class.driver.as_deref().is_some_and(|own| own != driver) {
                let at = [
                    Step::Key("vendorParameters".to_owned()),
                    Step::Index(number),
                ];
                self.lose(found, tree, item.node, &at, of_other_driver());
                continue;
            }
            let part = TextPart::Node(tree, parameters);
            folded.config.push(opaque(driver, part));
        }
        folded
    }

    /// Returns a selector of named resources; none if it is lost.
    fn rewritten(
        &mut self,
        from: Referrer<'_, 't>,
        found: usize,
        tree: &'t Tree<'t>,
        item: &'t Item,
        path: &str,
        driver: &str,
    ) -> Option<String> {
        let at = steps(path);
        let text = tree.str(crate::advice::locate::node(tree, item.node, &at)?)?;
        match selector::rewrite(text, driver) {
            Ok(done) => {
                for (old, new) in done.renamed {
                    self.renamed_attribute(
                        from.index,
                        from.node,
                        from.tree,
                        (from.path, from.at),
                        &old,
                        &new,
                    );
                }
                Some(done.expression)
            }
            Err(reason) => {
                self.lose(found, tree, item.node, &at, reason);
                None
            }
        }
    }

    /// Records a new name for an attribute whose name no device can have.
    pub(super) fn renamed_attribute(
        &mut self,
        index: usize,
        node: NodeId,
        tree: &'t Tree<'t>,
        (path, at): (&str, &str),
        old: &str,
        new: &str,
    ) {
        self.decide(
            index,
            node,
            tree,
            Decided {
                code: "attribute-name",
                path,
                at,
                question: message!(
                    "migrate.attribute-name",
                    "Under which name does the driver publish the attribute?"
                ),
                assumed: in_place_of(new, old),
                why: message!(
                    "migrate.attribute-name-why",
                    "names of attributes are C identifiers of at most 32 characters now"
                ),
                alternatives: vec![message!(
                    "migrate.attribute-name-or",
                    "the name that the driver's ResourceSlices have"
                )],
            },
        );
    }

    /// Takes over parameters of a driver that is known.
    fn known(
        &mut self,
        from: Referrer<'_, 't>,
        found: usize,
        tree: &'t Tree<'t>,
        item: &'t Item,
        profile: &'static DriverProfile,
        row: &'static KindRow,
    ) -> Folded<'t> {
        let mut folded = Folded {
            class: row.class,
            ..Folded::default()
        };
        let mut request = MigratedRequest::default();
        let mut config = Vec::new();
        let spec = tree.get(item.node, "spec");
        let spec = spec.map_or(Vec::new(), |spec| {
            print::effective(tree, spec, Order::Source)
        });
        for entry in spec.into_iter().filter(|entry| is_set(tree, entry.value)) {
            let name = tree.text(entry.key);
            let at = [Step::Key("spec".to_owned()), Step::Key(name.to_owned())];
            let unknown = ProfileLoss {
                reason: UNKNOWN,
                instead: None,
            };
            let means = row
                .fields
                .iter()
                .find(|field| field.name == name)
                .map(|field| &field.means);
            let lost = match means {
                Some(Means::Count) => {
                    let mut count = String::new();
                    print::json(tree, entry.value, Order::Source, 64, &mut count);
                    request.count = Some(count);
                    continue;
                }
                Some(Means::Selector(properties)) => {
                    let found_in =
                        selector::conditions(tree, entry.value, profile.driver, properties);
                    if !found_in.all.is_empty() {
                        request.selectors.push(found_in.all.join(" && "));
                    }
                    for (attribute, release) in found_in.withdrawn {
                        self.decide(
                            from.index,
                            from.node,
                            from.tree,
                            Decided {
                                code: "attribute-withdrawn",
                                path: from.path,
                                at: from.at,
                                question: message!(
                                    "migrate.attribute-withdrawn",
                                    "Does the installed driver publish the attribute `{attribute}`?",
                                    attribute
                                ),
                                assumed: message!("migrate.attribute-withdrawn-assumed", "it does"),
                                why: message!(
                                    "migrate.attribute-withdrawn-why",
                                    "the parameters choose by it, and releases before {release} have it",
                                    release
                                ),
                                alternatives: vec![message!(
                                    "migrate.attribute-withdrawn-or",
                                    "another attribute, such as `uuid`: with {release} and later no device has `{attribute}`",
                                    release,
                                    attribute
                                )],
                            },
                        );
                    }
                    for (below, reason) in found_in.lost {
                        let at: Vec<Step> = at.iter().chain(&below).cloned().collect();
                        self.lose(found, tree, item.node, &at, reason);
                    }
                    continue;
                }
                Some(Means::Equals(attribute)) => {
                    let value = tree.str(entry.value).unwrap_or("");
                    let attribute = selector::attribute(profile.driver, "attributes", attribute);
                    request
                        .selectors
                        .push(format!("{attribute} == {}", selector::quoted(value)));
                    continue;
                }
                Some(Means::Config(renames)) => {
                    config.push((name.to_owned(), renamed(tree, entry.value, renames)));
                    continue;
                }
                Some(Means::Monitor) => {
                    folded.monitor = tree.kind(entry.value) == Kind::Bool(true);
                    continue;
                }
                Some(Means::Implied(value, lost)) => {
                    let mut written = String::new();
                    print::json(tree, entry.value, Order::Source, 64, &mut written);
                    if written.trim_matches('"') == *value {
                        continue;
                    }
                    *lost
                }
                Some(Means::Lost(lost)) => *lost,
                None => unknown,
            };
            self.lose(found, tree, item.node, &at, lost.reason.text());
            if let Some(instead) = lost.instead {
                let mut value = String::new();
                print::json(tree, entry.value, Order::Source, 64, &mut value);
                let value = value.trim_matches('"');
                self.decide(
                    from.index,
                    from.node,
                    from.tree,
                    Decided {
                        code: "parameter-lost",
                        path: from.path,
                        at: from.at,
                        question: message!(
                            "migrate.parameter-lost",
                            "What stands for `{name}: {value}` of the {kind} `{object}`?",
                            name,
                            value,
                            kind = item.kind,
                            object = item.name
                        ),
                        assumed: message!("migrate.parameter-lost-assumed", "nothing"),
                        why: lost.reason.text(),
                        alternatives: vec![instead.fill(&[&value])],
                    },
                );
            }
        }
        if let Some((first, rest)) = request.selectors.split_first() {
            let assumed = rest
                .iter()
                .fold(message::code([first]), |before, selector| {
                    message!(
                        "migrate.selectors-and",
                        "{before} and `{selector}`",
                        before,
                        selector
                    )
                });
            self.decide(
                from.index,
                from.node,
                from.tree,
                Decided {
                    code: "parameters-selector",
                    path: from.path,
                    at: from.at,
                    question: message!(
                        "migrate.parameters-selector",
                        "Which attributes of devices stand for the parameters?"
                    ),
                    assumed,
                    why: message!(
                        "migrate.parameters-selector-why",
                        "`{driver}` publishes them ({source}, {date})",
                        driver = profile.driver,
                        source = profile.source,
                        date = profile.date
                    ),
                    alternatives: vec![message!(
                        "migrate.parameters-selector-or",
                        "other attributes, if the installed release of the driver publishes others"
                    )],
                },
            );
        }
        if let Some((api_version, kind)) = row.config.filter(|_| !config.is_empty()) {
            config.splice(
                0..0,
                [
                    ("apiVersion".to_owned(), TextPart::text(api_version)),
                    ("kind".to_owned(), TextPart::text(kind)),
                ],
            );
            request
                .config
                .push(opaque(profile.driver, TextPart::Map(config)));
            self.decide(
                from.index,
                from.node,
                from.tree,
                Decided {
                    code: "parameters-config",
                    path: from.path,
                    at: from.at,
                    question: PARAMETERS_CONFIG.text(),
                    assumed: message!(
                        "migrate.parameters-config-kind",
                        "as opaque parameters `{kind}` of `{api_version}`",
                        kind,
                        api_version
                    ),
                    why: message!(
                        "migrate.parameters-config-why",
                        "`{driver}` reads them so ({source}, {date})",
                        driver = profile.driver,
                        source = profile.source,
                        date = profile.date
                    ),
                    alternatives: vec![message!(
                        "migrate.parameters-config-or",
                        "the version that the installed release of the driver reads"
                    )],
                },
            );
        }
        folded.requests.push(request);
        folded
    }

    /// Takes over parameters that only their driver understands.
    fn plain(
        &mut self,
        from: Referrer<'_, 't>,
        tree: &'t Tree<'t>,
        item: &'t Item,
        class: &ClassNeeds,
    ) -> Folded<'t> {
        let group = item
            .api_version
            .split_once('/')
            .map_or("", |(group, _)| group);
        let driver = class.driver.clone().unwrap_or_else(|| group.to_owned());
        if driver.is_empty() {
            let reason = message!(
                "loss.driver-unknown",
                "which driver reads the parameters is not known; convert the class with them"
            );
            self.lose(from.index, from.tree, from.node, &steps(from.path), reason);
            return Folded::default();
        }
        if class.driver.is_none() {
            self.decide(
                from.index,
                from.node,
                from.tree,
                Decided {
                    code: "driver-name",
                    path: from.path,
                    at: from.at,
                    question: message!("migrate.parameters-driver", "Which driver reads the parameters?"),
                    assumed: message::code([&driver]),
                    why: message!(
                        "migrate.parameters-driver-why",
                        "the class is not in the text, and drivers often name the API group of their parameters like themselves"
                    ),
                    alternatives: vec![
                        message!("migrate.parameters-driver-or", "the driver that the class names; convert both together"),
                    ],
                },
            );
        }
        self.decide(
            from.index,
            from.node,
            from.tree,
            Decided {
                code: "parameters-config",
                path: from.path,
                at: from.at,
                question: PARAMETERS_CONFIG.text(),
                assumed: message!(
                    "migrate.parameters-plain",
                    "`{driver}` reads the {kind} `{name}` as opaque parameters",
                    driver,
                    kind = item.kind,
                    name = item.name
                ),
                why: message!(
                    "migrate.parameters-plain-why",
                    "nothing is known here of what the driver's parameters mean"
                ),
                alternatives: vec![
                    message!(
                        "migrate.parameters-plain-or-version",
                        "another `apiVersion` or `kind`, which the driver's documentation names"
                    ),
                    message!(
                        "migrate.parameters-plain-or-selector",
                        "a selector in CEL for what chooses devices"
                    ),
                    message!(
                        "migrate.parameters-plain-or-count",
                        "`count` for a number of devices"
                    ),
                ],
            },
        );
        let entries = print::effective(tree, item.node, Order::Source)
            .into_iter()
            .filter(|one| tree.text(one.key) != "metadata");
        let parameters = entries
            .map(|one| {
                (
                    tree.text(one.key).to_owned(),
                    TextPart::Node(tree, one.value),
                )
            })
            .collect();
        Folded {
            config: vec![opaque(&driver, TextPart::Map(parameters))],
            ..Folded::default()
        }
    }

    /// Returns the parameters of a claim, if it has any and they are in the text.
    pub(super) fn claim_parameters(
        &mut self,
        from: Referrer<'_, 't>,
        reference: &ParametersReference,
        class: &ClassNeeds,
        into: &str,
    ) -> Option<Folded<'t>> {
        let found = self.inventory.find(reference, "ResourceClaimParameters")?;
        let folded = self.parameters(from, found, class);
        self.fold(found, from.index, from.path, into);
        Some(folded)
    }
}

fn driver_of<'t>(tree: &'t Tree<'_>, node: NodeId) -> &'t str {
    let was = tree
        .get(node, "driverName")
        .and_then(|name| tree.str(name))
        .unwrap_or("");
    profile::of(was).map_or(was, |profile| profile.driver)
}

fn items_of<'t>(tree: &'t Tree<'_>, item: NodeId, key: &str) -> &'t [NodeId] {
    tree.get(item, key).map_or(&[][..], |list| tree.items(list))
}

/// Renames some fields of a value.
fn renamed<'t>(tree: &'t Tree<'t>, node: NodeId, renames: &[(&str, &str, &str)]) -> TextPart<'t> {
    if !tree.is_map(node) {
        return TextPart::Node(tree, node);
    }
    let entries = print::effective(tree, node, Order::Source)
        .into_iter()
        .map(|entry| {
            let holder = tree.text(entry.key);
            let here: Vec<_> = renames.iter().filter(|(of, ..)| *of == holder).collect();
            let value = if here.is_empty() || !tree.is_map(entry.value) {
                TextPart::Node(tree, entry.value)
            } else {
                let inner = print::effective(tree, entry.value, Order::Source)
                    .into_iter()
                    .map(|one| {
                        let name = tree.text(one.key);
                        let new = here
                            .iter()
                            .find(|(_, old, _)| *old == name)
                            .map_or(name, |(.., new)| new);
                        (new.to_owned(), TextPart::Node(tree, one.value))
                    });
                TextPart::Map(inner.collect())
            };
            (holder.to_owned(), value)
        });
    TextPart::Map(entries.collect())
}
