//! Parameters of claims and classes: those of 1.30's structured parameters, those of drivers with a profile, and all others.

use super::inventory::{ClassNeeds, ParametersReference, row_of};
use super::part::TextPart;
use super::profile::{DriverProfile, KindRow, Means, ProfileLoss, Property};
use super::{Decided, Migrator, in_place_of, profile, selector, steps};
use crate::advice::locate;
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
const UNKNOWN_FIELD: ProfileLoss = ProfileLoss {
    reason: template!(
        "loss.unknown-parameter",
        "what the field means to the driver today is not known"
    ),
    instead: None,
};

/// Maximum depth of values that are written as JSON.
const MAX_DEPTH: usize = 64;

/// Parameters that a driver reads itself, for requests or a class.
#[derive(Clone, Debug)]
pub struct OpaqueConfig<'t> {
    pub driver: String,
    pub parameters: TextPart<'t>,
}

impl<'t> OpaqueConfig<'t> {
    fn new(driver: &str, parameters: TextPart<'t>) -> Self {
        OpaqueConfig {
            driver: driver.to_owned(),
            parameters,
        }
    }

    /// Returns the field of an entry of `config`, with its name.
    pub fn field(self) -> (String, TextPart<'t>) {
        let parts = TextPart::map([
            ("driver", TextPart::text(self.driver)),
            ("parameters", self.parameters),
        ]);
        ("opaque".to_owned(), parts)
    }
}

/// The content of the parameters of a claim or class.
#[derive(Debug, Default)]
pub struct ParametersContent<'t> {
    /// The class of the request, if it differs from the claim's.
    pub class: Option<&'static str>,
    /// All devices are watched and none is taken.
    pub monitor: bool,
    /// The requests; a single empty one if there are none.
    pub requests: Vec<MigratedRequest<'t>>,
    /// Selectors that apply to every device.
    pub selectors: Vec<String>,
    /// Configuration of all requests.
    pub config: Vec<OpaqueConfig<'t>>,
}

/// A request made from parameters.
#[derive(Debug, Default)]
pub struct MigratedRequest<'t> {
    /// Selectors for the devices of this request.
    pub selectors: Vec<String>,
    /// How many devices, as JSON.
    pub count: Option<String>,
    /// Configuration of this request only.
    pub config: Vec<OpaqueConfig<'t>>,
}

/// A field of an object that is migrated, such as a reference to parameters.
#[derive(Clone, Copy)]
pub struct MigratedField<'d, 't> {
    pub index: usize,
    pub tree: &'t Tree<'t>,
    pub node: NodeId,
    /// Its path in the old object.
    pub path: &'d str,
    /// The path of the field that replaces it in the new object.
    pub at: &'d str,
}

/// A parameters object.
#[derive(Clone, Copy)]
struct ParametersObject<'t> {
    index: usize,
    tree: &'t Tree<'t>,
    item: &'t Item,
}

/// An entry of `driverRequests` of 1.30.
struct DriverRequest<'d> {
    /// Its index in the list.
    number: usize,
    node: NodeId,
    driver: &'d str,
}

/// A parameters object of a driver with a profile, and the reference to it.
#[derive(Clone, Copy)]
struct KnownParameters<'d, 't> {
    from: MigratedField<'d, 't>,
    object: ParametersObject<'t>,
    profile: &'static DriverProfile,
    row: &'static KindRow,
}

/// A field of the `spec` of parameters.
#[derive(Clone, Copy)]
struct SpecField<'t> {
    name: &'t str,
    value: NodeId,
}

impl SpecField<'_> {
    fn steps(self) -> [Step; 2] {
        [
            Step::Key("spec".to_owned()),
            Step::Key(self.name.to_owned()),
        ]
    }
}

/// What is taken over from the fields of known parameters.
#[derive(Default)]
struct TakenFields<'t> {
    monitor: bool,
    request: MigratedRequest<'t>,
    /// The fields that the driver reads as opaque parameters.
    config: Vec<(String, TextPart<'t>)>,
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
    ) -> ParametersContent<'t> {
        let class = ClassNeeds {
            driver: Some(driver.to_owned()),
            profile,
            ..ClassNeeds::default()
        };
        let from = MigratedField {
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
        from: MigratedField<'_, 't>,
        found: usize,
        class: &ClassNeeds,
    ) -> ParametersContent<'t> {
        let Some((tree, item)) = self.inventory.item(found) else {
            return ParametersContent::default();
        };
        let object = ParametersObject {
            index: found,
            tree,
            item,
        };
        if item.api_version.starts_with(GROUP) {
            match item.kind.as_str() {
                "ResourceClaimParameters" => return self.structured(from, object, class),
                "ResourceClassParameters" => return self.filters(from, object, class),
                _ => {}
            }
        }
        if let Some(profile) = class.profile
            && let Some(row) = row_of(profile, item)
        {
            return self.known(KnownParameters {
                from,
                object,
                profile,
                row,
            });
        }
        self.plain(from, object, class)
    }

    /// Records a decision about the object of a field.
    fn decide_about(&mut self, field: MigratedField<'_, 't>, decided: Decided<'_>) {
        self.decide(field.index, field.node, field.tree, decided);
    }

    /// Records that a field of parameters is lost.
    fn lose_parameter(&mut self, object: ParametersObject<'t>, at: &[Step], reason: Message) {
        self.lose(object.index, object.tree, object.item.node, at, reason);
    }

    /// Takes over `driverRequests` of 1.30.
    fn structured(
        &mut self,
        from: MigratedField<'_, 't>,
        object: ParametersObject<'t>,
        class: &ClassNeeds,
    ) -> ParametersContent<'t> {
        let ParametersObject { tree, item, .. } = object;
        let driver_requests = items_of(tree, item.node, "driverRequests");
        // A class that is not given is taken to be of the first driver.
        let first_driver = driver_requests.first().map(|&node| driver_of(tree, node));
        let own_driver = class.driver.as_deref().or(first_driver);
        let mut content = ParametersContent::default();
        for (number, &node) in driver_requests.iter().enumerate() {
            let driver_request = DriverRequest {
                number,
                node,
                driver: driver_of(tree, node),
            };
            if own_driver.is_some_and(|own| own != driver_request.driver) {
                self.decide_second_driver(from, driver_request.driver);
            }
            self.take_driver_request(from, object, &driver_request, &mut content);
        }
        let shareable = tree.get(item.node, "shareable");
        if shareable.is_some_and(|node| tree.kind(node) == Kind::Bool(false)) {
            let reason = message!("loss.shareable", "every claim can be used by several pods");
            self.lose_parameter(object, &steps("shareable"), reason);
        }
        content
    }

    fn decide_second_driver(&mut self, from: MigratedField<'_, 't>, driver: &str) {
        self.decide_about(
            from,
            Decided {
                code: "request-driver",
                path: from.path,
                at: from.at,
                question: message!(
                    "migrate.request-driver",
                    "Which class has the devices of a second driver?"
                ),
                assumed: message!("migrate.request-driver-assumed", "the class of the claim"),
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

    /// Takes over the requests to one driver. What it is told for all of them goes to each; without requests to those of other drivers.
    fn take_driver_request(
        &mut self,
        from: MigratedField<'_, 't>,
        object: ParametersObject<'t>,
        driver_request: &DriverRequest<'_>,
        content: &mut ParametersContent<'t>,
    ) {
        let tree = object.tree;
        let &DriverRequest {
            number,
            node,
            driver,
        } = driver_request;
        let shared = vendor_parameters(tree, node, driver);
        let requests = items_of(tree, node, "requests");
        for (at, &request) in requests.iter().enumerate() {
            let path = format!("driverRequests.{number}.requests.{at}.namedResources.selector");
            let selector = self.rewritten(from, object, &path, driver);
            let own = vendor_parameters(tree, request, driver);
            content.requests.push(MigratedRequest {
                selectors: selector.into_iter().collect(),
                count: None,
                config: shared.iter().cloned().chain(own).collect(),
            });
        }
        if requests.is_empty() {
            content.config.extend(shared);
        }
    }

    /// Takes over `filters` and `vendorParameters` of 1.30.
    fn filters(
        &mut self,
        from: MigratedField<'_, 't>,
        object: ParametersObject<'t>,
        class: &ClassNeeds,
    ) -> ParametersContent<'t> {
        ParametersContent {
            selectors: self.take_filters(from, object, class),
            config: self.take_vendor_parameters(object, class),
            ..ParametersContent::default()
        }
    }

    /// Returns the selectors of `filters` of 1.30.
    fn take_filters(
        &mut self,
        from: MigratedField<'_, 't>,
        object: ParametersObject<'t>,
        class: &ClassNeeds,
    ) -> Vec<String> {
        let filters = items_of(object.tree, object.item.node, "filters");
        let mut selectors = Vec::new();
        for (number, &filter) in filters.iter().enumerate() {
            let driver = driver_of(object.tree, filter);
            if is_of_other_driver(class, driver) {
                let at = [Step::Key("filters".to_owned()), Step::Index(number)];
                self.lose_parameter(object, &at, of_other_driver());
                continue;
            }
            let path = format!("filters.{number}.namedResources.selector");
            selectors.extend(self.rewritten(from, object, &path, driver));
        }
        selectors
    }

    /// Returns the configuration of `vendorParameters` of 1.30.
    fn take_vendor_parameters(
        &mut self,
        object: ParametersObject<'t>,
        class: &ClassNeeds,
    ) -> Vec<OpaqueConfig<'t>> {
        let tree = object.tree;
        let list = items_of(tree, object.item.node, "vendorParameters");
        let mut config = Vec::new();
        for (number, &entry) in list.iter().enumerate() {
            let parameters = tree.get(entry, "parameters");
            let Some(parameters) = parameters.filter(|&node| is_set(tree, node)) else {
                continue;
            };
            let driver = driver_of(tree, entry);
            if is_of_other_driver(class, driver) {
                let at = [
                    Step::Key("vendorParameters".to_owned()),
                    Step::Index(number),
                ];
                self.lose_parameter(object, &at, of_other_driver());
                continue;
            }
            let part = TextPart::Node(tree, parameters);
            config.push(OpaqueConfig::new(driver, part));
        }
        config
    }

    /// Returns a selector of named resources; `None` if it is lost.
    fn rewritten(
        &mut self,
        from: MigratedField<'_, 't>,
        object: ParametersObject<'t>,
        path: &str,
        driver: &str,
    ) -> Option<String> {
        let tree = object.tree;
        let at = steps(path);
        let text = tree.str(locate::node(tree, object.item.node, &at)?)?;
        match selector::rewrite(text, driver) {
            Ok(done) => {
                for (old, new) in done.renamed {
                    self.renamed_attribute(from, &old, &new);
                }
                Some(done.expression)
            }
            Err(reason) => {
                self.lose_parameter(object, &at, reason);
                None
            }
        }
    }

    /// Records a new name for an attribute whose name no device can have.
    pub(super) fn renamed_attribute(&mut self, field: MigratedField<'_, 't>, old: &str, new: &str) {
        self.decide_about(
            field,
            Decided {
                code: "attribute-name",
                path: field.path,
                at: field.at,
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
    fn known(&mut self, known: KnownParameters<'_, 't>) -> ParametersContent<'t> {
        let mut taken = TakenFields::default();
        for field in fields_of_spec(known.object) {
            if let Some(loss) = self.take_field(known, field, &mut taken) {
                self.lose_field(known, field, loss);
            }
        }
        let TakenFields {
            monitor,
            mut request,
            config,
        } = taken;
        self.decide_selector(known, &request.selectors);
        request.config.extend(self.take_config(known, config));
        ParametersContent {
            class: known.row.class,
            monitor,
            requests: vec![request],
            ..ParametersContent::default()
        }
    }

    /// Takes over a field as its row says. Returns why it is lost; `None`: it is not.
    fn take_field(
        &mut self,
        known: KnownParameters<'_, 't>,
        field: SpecField<'t>,
        taken: &mut TakenFields<'t>,
    ) -> Option<ProfileLoss> {
        let tree = known.object.tree;
        let mut rows = known.row.fields.iter();
        let Some(row) = rows.find(|row| row.name == field.name) else {
            return Some(UNKNOWN_FIELD);
        };
        match &row.means {
            Means::Count => taken.request.count = Some(json_of(tree, field.value)),
            Means::Selector(properties) => {
                let selector = self.take_selectors(known, field, properties);
                taken.request.selectors.extend(selector);
            }
            Means::Equals(attribute) => {
                let value = tree.str(field.value).unwrap_or("");
                let attribute = selector::attribute(known.profile.driver, "attributes", attribute);
                let selector = format!("{attribute} == {}", selector::quoted(value));
                taken.request.selectors.push(selector);
            }
            Means::Config(renames) => {
                let value = renamed(tree, field.value, renames);
                taken.config.push((field.name.to_owned(), value));
            }
            Means::Monitor => taken.monitor = tree.kind(field.value) == Kind::Bool(true),
            Means::Implied(value, loss) => {
                let is_implied = json_of(tree, field.value).trim_matches('"') == *value;
                return (!is_implied).then_some(*loss);
            }
            Means::Lost(loss) => return Some(*loss),
        }
        None
    }

    /// Returns a tree of properties as one selector; `None`: it has no conditions. Properties without a counterpart are lost.
    fn take_selectors(
        &mut self,
        known: KnownParameters<'_, 't>,
        field: SpecField<'t>,
        properties: &'static [Property],
    ) -> Option<String> {
        let KnownParameters {
            from,
            object,
            profile,
            ..
        } = known;
        let conditions = selector::conditions(object.tree, field.value, profile.driver, properties);
        for (attribute, release) in conditions.withdrawn {
            self.decide_withdrawn_attribute(from, attribute, release);
        }
        for (below, reason) in conditions.lost {
            let at: Vec<Step> = field.steps().into_iter().chain(below).collect();
            self.lose_parameter(object, &at, reason);
        }
        (!conditions.all.is_empty()).then(|| conditions.all.join(" && "))
    }

    fn decide_withdrawn_attribute(
        &mut self,
        from: MigratedField<'_, 't>,
        attribute: &str,
        release: &str,
    ) {
        self.decide_about(
            from,
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

    /// Records that a field is lost, and asks what to write in its place if the profile knows something.
    fn lose_field(
        &mut self,
        known: KnownParameters<'_, 't>,
        field: SpecField<'t>,
        loss: ProfileLoss,
    ) {
        let KnownParameters { from, object, .. } = known;
        let ParametersObject { tree, item, .. } = object;
        self.lose_parameter(object, &field.steps(), loss.reason.text());
        let Some(instead) = loss.instead else {
            return;
        };
        let json = json_of(tree, field.value);
        let value = json.trim_matches('"');
        self.decide_about(
            from,
            Decided {
                code: "parameter-lost",
                path: from.path,
                at: from.at,
                question: message!(
                    "migrate.parameter-lost",
                    "What stands for `{name}: {value}` of the {kind} `{object}`?",
                    name = field.name,
                    value,
                    kind = item.kind,
                    object = item.name
                ),
                assumed: message!("migrate.parameter-lost-assumed", "nothing"),
                why: loss.reason.text(),
                alternatives: vec![instead.fill(&[&value])],
            },
        );
    }

    /// Asks whether the selectors choose the devices that the parameters meant, if there are any.
    fn decide_selector(&mut self, known: KnownParameters<'_, 't>, selectors: &[String]) {
        let KnownParameters { from, profile, .. } = known;
        let Some((first, others)) = selectors.split_first() else {
            return;
        };
        let mut assumed = message::code([first]);
        for selector in others {
            assumed = message!(
                "migrate.selectors-and",
                "{before} and `{selector}`",
                before = assumed,
                selector
            );
        }
        self.decide_about(
            from,
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

    /// Returns fields as parameters that the driver reads itself; `None`: there are none, or the driver reads none.
    fn take_config(
        &mut self,
        known: KnownParameters<'_, 't>,
        fields: Vec<(String, TextPart<'t>)>,
    ) -> Option<OpaqueConfig<'t>> {
        let (api_version, kind) = known.row.config?;
        if fields.is_empty() {
            return None;
        }
        self.decide_config(known, api_version, kind);
        let mut parameters = vec![
            ("apiVersion".to_owned(), TextPart::text(api_version)),
            ("kind".to_owned(), TextPart::text(kind)),
        ];
        parameters.extend(fields);
        let parameters = TextPart::Map(parameters);
        Some(OpaqueConfig::new(known.profile.driver, parameters))
    }

    fn decide_config(&mut self, known: KnownParameters<'_, 't>, api_version: &str, kind: &str) {
        let KnownParameters { from, profile, .. } = known;
        self.decide_about(
            from,
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

    /// Takes over parameters that only their driver understands.
    fn plain(
        &mut self,
        from: MigratedField<'_, 't>,
        object: ParametersObject<'t>,
        class: &ClassNeeds,
    ) -> ParametersContent<'t> {
        let ParametersObject { tree, item, .. } = object;
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
            return ParametersContent::default();
        }
        if class.driver.is_none() {
            self.decide_driver(from, &driver);
        }
        self.decide_plain_config(from, item, &driver);
        let entries = print::effective(tree, item.node, Order::Source)
            .into_iter()
            .filter(|entry| tree.text(entry.key) != "metadata");
        let parameters = entries
            .map(|entry| {
                let value = TextPart::Node(tree, entry.value);
                (tree.text(entry.key).to_owned(), value)
            })
            .collect();
        ParametersContent {
            config: vec![OpaqueConfig::new(&driver, TextPart::Map(parameters))],
            ..ParametersContent::default()
        }
    }

    fn decide_driver(&mut self, from: MigratedField<'_, 't>, driver: &str) {
        self.decide_about(
            from,
            Decided {
                code: "driver-name",
                path: from.path,
                at: from.at,
                question: message!(
                    "migrate.parameters-driver",
                    "Which driver reads the parameters?"
                ),
                assumed: message::code([driver]),
                why: message!(
                    "migrate.parameters-driver-why",
                    "the class is not in the text, and drivers often name the API group of their parameters like themselves"
                ),
                alternatives: vec![message!(
                    "migrate.parameters-driver-or",
                    "the driver that the class names; convert both together"
                )],
            },
        );
    }

    fn decide_plain_config(&mut self, from: MigratedField<'_, 't>, item: &Item, driver: &str) {
        self.decide_about(
            from,
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
    }

    /// Returns the parameters of a claim, if it has any and they are in the text.
    pub(super) fn claim_parameters(
        &mut self,
        from: MigratedField<'_, 't>,
        reference: &ParametersReference,
        class: &ClassNeeds,
        into: &str,
    ) -> Option<ParametersContent<'t>> {
        let found = self.inventory.find(reference, "ResourceClaimParameters")?;
        let content = self.parameters(from, found, class);
        self.fold(found, from.index, from.path, into);
        Some(content)
    }
}

/// Returns true if a class is of another driver than this one.
fn is_of_other_driver(class: &ClassNeeds, driver: &str) -> bool {
    let of_class = class.driver.as_deref();
    of_class.is_some_and(|of_class| of_class != driver)
}

/// Returns the fields of the `spec` of parameters that have a value.
fn fields_of_spec(object: ParametersObject<'_>) -> Vec<SpecField<'_>> {
    let tree = object.tree;
    let Some(spec) = tree.get(object.item.node, "spec") else {
        return Vec::new();
    };
    print::effective(tree, spec, Order::Source)
        .into_iter()
        .filter(|entry| is_set(tree, entry.value))
        .map(|entry| SpecField {
            name: tree.text(entry.key),
            value: entry.value,
        })
        .collect()
}

/// Returns a value as JSON.
fn json_of(tree: &Tree<'_>, node: NodeId) -> String {
    let mut json = String::new();
    print::json(tree, node, Order::Source, MAX_DEPTH, &mut json);
    json
}

/// Returns `vendorParameters` of a request or of all requests to a driver.
fn vendor_parameters<'t>(
    tree: &'t Tree<'t>,
    node: NodeId,
    driver: &str,
) -> Option<OpaqueConfig<'t>> {
    let parameters = tree.get(node, "vendorParameters")?;
    let part = TextPart::Node(tree, parameters);
    is_set(tree, parameters).then(|| OpaqueConfig::new(driver, part))
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
