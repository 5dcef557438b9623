//! What was probably meant: near spellings, the right place for a field, fields and kinds of other API versions.

use crate::advice::meant;
use crate::advice::other_versions::{in_other_version, of_earlier_design};
pub use crate::advice::place::Unknown;
use crate::advice::place::{Place, holder_with, nearest_places};
use crate::advice::shape::Move;
use claimkit_model::message::{Message, Template, message, template};
use claimkit_model::nearest::{Nearest, did_you_mean, distance, folded};
use claimkit_model::schema::meta::OBJECT_META;
use claimkit_model::schema::release::LAST_PATCHES;
use claimkit_model::schema::{Api, Family, Field, Release, Struct, VERSIONS, Version};
use claimkit_model::text::tree::Kind;

/// A suggestion to replace a name.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// Help in claimkit's own words.
    pub help: Message,
    /// The replacement name, where it is certainly correct on its own.
    pub rename: Option<&'static str>,
    /// The replacement `apiVersion`, under the same condition.
    pub api_version: Option<&'static str>,
    /// The field has its place in another version: how to move it to its place in this one.
    pub moves: Option<Move>,
}

impl Suggestion {
    fn rename(help: Message, name: &'static str) -> Self {
        Suggestion {
            rename: Some(name),
            ..Suggestion::say(help)
        }
    }

    fn say(help: Message) -> Self {
        Suggestion {
            help,
            rename: None,
            api_version: None,
            moves: None,
        }
    }
}

/// Suggests what to write for a field that the schema does not have: the first suggestion that applies.
pub fn field(
    unknown: Unknown<'_>,
    schema: &'static Struct,
    api: Api,
    release: Release,
) -> Option<Suggestion> {
    let name = unknown.name;
    if schema.has(name) {
        return of_other_releases(name, schema, api, release);
    }
    labels_of_node_selector(name, schema)
        .or_else(|| of_other_versions(name, schema, api))
        .or_else(|| meant::flattened(name, schema, release).map(Suggestion::say))
        .or_else(|| in_other_case(name, schema, release))
        .or_else(|| nearest_or_elsewhere(unknown, schema, api, release))
        .or_else(|| near_one_level_deeper(name, schema, api, release))
        .or_else(|| part_of_name(name, schema, api, release))
}

/// Returns the fields that a struct has in a release.
fn fields_in(schema: &'static Struct, release: Release) -> impl Iterator<Item = &'static Field> {
    schema
        .fields
        .iter()
        .filter(move |field| field.in_release(release))
}

/// Says which releases have a field of this name.
fn of_other_releases(
    name: &str,
    schema: &'static Struct,
    api: Api,
    release: Release,
) -> Option<Suggestion> {
    let field = schema.fields.iter().find(|field| field.json == name)?;
    let first = field.since.minor;
    let Some(last) = field.until.filter(|last| release.minor > *last) else {
        return Some(Suggestion::say(message!(
            "suggest.field-since",
            "`{name}` exists since Kubernetes 1.{first}; the object is judged by {release}",
            name,
            first,
            release
        )));
    };
    if let Some(help) = of_earlier_design(name, schema, api) {
        return Some(Suggestion::say(help));
    }
    Some(Suggestion::say(if last == first {
        message!(
            "suggest.field-only-in",
            "`{name}` exists in Kubernetes 1.{last} only; the object is judged by {release}",
            name,
            last,
            release
        )
    } else {
        message!(
            "suggest.field-until",
            "`{name}` exists in Kubernetes 1.{first} to 1.{last} only; the object is judged by {release}",
            name,
            first,
            last,
            release
        )
    }))
}

/// Says how a node selector chooses by labels.
fn labels_of_node_selector(name: &str, schema: &Struct) -> Option<Suggestion> {
    let is_node_selector = matches!(schema.go, "NodeSelector" | "NodeSelectorTerm");
    (name == "matchLabels" && is_node_selector).then(|| {
        Suggestion::say(message!(
            "suggest.match-labels",
            "a node selector has no `matchLabels`: write each label as an entry of `nodeSelectorTerms[].matchExpressions`, `{example}`",
            example = "{key: …, operator: In, values: […]}"
        ))
    })
}

/// Says where other versions have a field of this name.
fn of_other_versions(name: &str, schema: &'static Struct, api: Api) -> Option<Suggestion> {
    match api.version.family {
        Family::Classic => in_other_version(name, schema).map(Suggestion::say),
        Family::Device => in_other_shape(name, schema, api),
    }
}

/// Suggests the field that differs only in its capital letters.
fn in_other_case(name: &str, schema: &'static Struct, release: Release) -> Option<Suggestion> {
    let field = fields_in(schema, release).find(|field| folded(field.json).eq(folded(name)))?;
    let help = message!(
        "suggest.case-sensitive",
        "write `{name}`: field names are case-sensitive",
        name = field.json
    );
    Some(Suggestion::rename(help, field.json))
}

/// Suggests a field with a similar name, or the place that has the field. One letter more or less, `request` for `requests`, is a
/// likelier mistake than a field of another place.
fn nearest_or_elsewhere(
    unknown: Unknown<'_>,
    schema: &'static Struct,
    api: Api,
    release: Release,
) -> Option<Suggestion> {
    let near = nearest_field(unknown, schema, release);
    let is_likely = near.is_some_and(|near| distance(near, unknown.name) <= 1);
    if !is_likely && let Some(place) = elsewhere(unknown, schema, api, release) {
        return Some(place);
    }
    near.map(|near| Suggestion::rename(did_you_mean(near), near))
}

/// Returns the field with the most similar name.
pub fn nearest_field(
    unknown: Unknown<'_>,
    schema: &'static Struct,
    release: Release,
) -> Option<&'static str> {
    let mut nearest = Nearest::to(unknown.name);
    for field in fields_in(schema, release) {
        nearest.consider(field.json);
    }
    // A slice for every node is not what a name or a list of nodes means.
    let may_be_flag = matches!(unknown.value, None | Some(Kind::Bool(_)));
    nearest
        .found()
        .filter(|near| *near != "allNodes" || may_be_flag)
}

/// Suggests a field with a similar name that is one level deeper.
fn near_one_level_deeper(
    name: &str,
    schema: &'static Struct,
    api: Api,
    release: Release,
) -> Option<Suggestion> {
    let (holder, inner) = holder(schema)?;
    let mut nearest = Nearest::to(name);
    for field in fields_in(inner, release) {
        nearest.consider(field.json);
    }
    let help = under_holder(nearest.found()?, holder.name, api.version.name);
    Some(Suggestion::say(help))
}

/// Suggests the longer name of which a name is a part, here or one level deeper. The value may need another type: there is no fix.
fn part_of_name(
    name: &str,
    schema: &'static Struct,
    api: Api,
    release: Release,
) -> Option<Suggestion> {
    if let Some(whole) = longer(name, schema, release) {
        return Some(Suggestion::say(did_you_mean(whole)));
    }
    let (holder, inner) = holder(schema)?;
    let whole = longer(name, inner, release)?;
    let help = under_holder(whole, holder.name, api.version.name);
    Some(Suggestion::say(help))
}

/// Returns the only field whose name begins or ends with a name.
fn longer(name: &str, schema: &'static Struct, release: Release) -> Option<&'static str> {
    let names = fields_in(schema, release).map(|field| field.json);
    let mut longer = names.filter(|json| begins(json, name) || ends(json, name));
    longer.next().filter(|_| longer.next().is_none())
}

fn under_holder(near: &str, holder: &str, version: &str) -> Message {
    message!(
        "suggest.did-you-mean-under",
        "did you mean `{near}`? It is under `{holder}` in {version}",
        near,
        holder,
        version
    )
}

/// A field that holds those of a request or a device in some versions.
struct Holder {
    /// The Go type that has it.
    go: &'static str,
    name: &'static str,
    /// The versions without it.
    flat: [&'static str; 2],
}

const HOLDERS: [Holder; 2] = [
    Holder {
        go: "DeviceRequest",
        name: "exactly",
        flat: ["v1beta1", "v1alpha3"],
    },
    Holder {
        go: "Device",
        name: "basic",
        flat: ["v1beta2", "v1"],
    },
];

/// Returns the struct whose fields are one level deeper in this version, if there is one.
fn holder(schema: &Struct) -> Option<(&'static Holder, &'static Struct)> {
    let holder = HOLDERS.iter().find(|holder| holder.go == schema.go)?;
    let field = schema
        .slot(holder.name)
        .and_then(|slot| schema.fields.get(slot))?;
    Some((holder, field.ty.as_struct()?))
}

/// Returns true if one name is a prefix of the other and the shorter one has at least five bytes.
fn begins(json: &str, name: &str) -> bool {
    json.len().min(name.len()) >= 5 && (json.starts_with(name) || name.starts_with(json))
}

/// Returns true if a name is the last words of a longer one: `className` of `deviceClassName`.
fn ends(json: &str, name: &str) -> bool {
    let Some(start) = json
        .len()
        .checked_sub(name.len())
        .filter(|start| *start > 0)
    else {
        return false;
    };
    let tail = json.get(start..).unwrap_or_default();
    let is_word = tail.starts_with(|first: char| first.is_ascii_uppercase());
    name.len() >= 5 && is_word && tail.eq_ignore_ascii_case(name)
}

/// Looks for a field that another version of the device family, or the classic family, has in this struct.
fn in_other_shape(name: &str, schema: &'static Struct, api: Api) -> Option<Suggestion> {
    let version = api.version.name;
    match (schema.go, name) {
        ("DeviceRequest", "exactly") if schema.slot("exactly").is_none() => {
            let help = message!(
                "suggest.exactly-elsewhere",
                "`exactly` belongs to v1beta2 and v1; in {version} its fields are directly in the request",
                version
            );
            Some(Suggestion {
                moves: Some(Move::Out),
                ..Suggestion::say(help)
            })
        }
        ("DeviceSubRequest", "exactly") => {
            let help = message!(
                "suggest.alternative-exactly",
                "an alternative has no `exactly`: its fields are directly in the alternative"
            );
            Some(Suggestion {
                moves: Some(Move::Out),
                ..Suggestion::say(help)
            })
        }
        ("DeviceSubRequest", "adminAccess") => Some(Suggestion::say(message!(
            "suggest.alternative-admin-access",
            "a request with `firstAvailable` has no `adminAccess`: leave it out, or write a request without alternatives"
        ))),
        ("Device", "basic") if schema.slot("basic").is_none() => {
            let help = message!(
                "suggest.basic-elsewhere",
                "`basic` belongs to v1beta1 and v1alpha3; in {version} its fields are directly in the device",
                version
            );
            Some(Suggestion {
                moves: Some(Move::Out),
                ..Suggestion::say(help)
            })
        }
        _ => match holder(schema).filter(|(_, inner)| inner.slot(name).is_some()) {
            Some((
                &Holder {
                    name: into,
                    flat: [one, other],
                    ..
                },
                inner,
            )) => {
                let help = message!(
                    "suggest.stands-under",
                    "`{name}` is under `{into}` in {version}; {one} and {other} have it here",
                    name,
                    into,
                    version,
                    one,
                    other
                );
                Some(Suggestion {
                    moves: Some(Move::Under {
                        into,
                        inner,
                        outer: schema,
                    }),
                    ..Suggestion::say(help)
                })
            }
            None => of_earlier_design(name, schema, api).map(Suggestion::say),
        },
    }
}

/// Returns where the kind has a field of this name.
fn elsewhere(
    unknown: Unknown<'_>,
    schema: &'static Struct,
    api: Api,
    release: Release,
) -> Option<Suggestion> {
    let Unknown { name, path, .. } = unknown;
    let root = api.kind.schema;
    let kind = api.kind.kind;
    if name == "spec" && !std::ptr::eq(schema, root) {
        return (kind == "ResourceClaim" && path == "spec.spec").then(|| {
            Suggestion::say(message!(
                "suggest.spec-in-spec",
                "`spec.spec` is the shape of a ResourceClaimTemplate: leave one `spec` out, or write `kind: ResourceClaimTemplate`"
            ))
        });
    }
    if name == "spec" && !root.has("spec") {
        let help = message!(
            "suggest.no-spec",
            "a {kind} has no `spec`: write its fields at the top level",
            kind
        );
        return Some(Suggestion::say(help));
    }
    if std::ptr::eq(schema, root) && OBJECT_META.has(name) {
        return Some(Suggestion::say(belongs_under(name, "metadata")));
    }
    if let Some(around) = holder_with(unknown, schema, root, release) {
        return Some(Suggestion::say(belongs_under(name, &around)));
    }
    // A name that many structs have does not tell which one was meant.
    if OBJECT_META.has(name) || matches!(name, "kind" | "apiGroup" | "apiVersion") {
        return None;
    }
    let mut places = nearest_places(unknown, schema, root, release);
    if places.len() > 1 {
        return one_of_places(name, &places);
    }
    let place = places.pop()?;
    let from_spec = path.starts_with("spec.");
    let help = if place.path.is_empty() {
        message!(
            "suggest.belongs-at-top",
            "`{name}` belongs at the top level of a {kind}",
            name,
            kind
        )
    } else if from_spec && place.path.split('.').next() == Some("status") {
        if let Some(help) = meant::of_selection(name, schema, release) {
            return Some(Suggestion::say(help));
        }
        message!(
            "suggest.only-in-status",
            "`{name}` is a field of `{path}` only, which the cluster writes: leave it out",
            name,
            path = place.path
        )
    } else {
        belongs_under(name, &place.path)
    };
    Some(Suggestion {
        moves: move_into(schema, &place),
        ..Suggestion::say(help)
    })
}

/// Says that a field belongs to one of a few places.
fn one_of_places(name: &str, places: &[Place]) -> Option<Suggestion> {
    const MOST: usize = 3;
    let paths = || places.iter().map(|place| place.path.as_str());
    if places.len() > MOST || paths().any(|path| path.is_empty() || path.starts_with("status")) {
        return None;
    }
    Some(Suggestion::say(message!(
        "suggest.belongs-under-one",
        "`{name}` belongs under one of `{paths}`",
        name,
        paths = paths().collect::<Vec<_>>().join("`, `")
    )))
}

/// Returns the move of a field into the struct that a field beside it holds.
fn move_into(outer: &'static Struct, place: &Place) -> Option<Move> {
    let field = place.through?;
    let inner = field
        .ty
        .as_struct()
        .filter(|inner| std::ptr::eq(*inner, place.schema) && field.json != "status")?;
    Some(Move::Under {
        into: field.json,
        inner,
        outer,
    })
}

fn belongs_under(name: &str, path: &str) -> Message {
    message!(
        "suggest.belongs-under",
        "`{name}` belongs under `{path}`",
        name,
        path
    )
}

/// Returns the value of an enum nearest to the one that was written.
pub fn value(text: &str, values: &[&'static str]) -> Option<&'static str> {
    let same = values
        .iter()
        .copied()
        .find(|value| folded(value).eq(folded(text)));
    let similar = same.or_else(|| {
        let mut nearest = Nearest::to(text);
        values.iter().for_each(|value| nearest.consider(value));
        nearest.found()
    });
    similar.filter(|value| *value != text)
}

/// Suggests what to write for an object of this group whose kind or version the release does not know: the first suggestion that applies.
pub fn kind(api_version: &str, kind: &str, release: Release) -> Suggestion {
    let version = api_version.rsplit('/').next().unwrap_or_default();
    let served = version_to_write(kind, release);
    let Some(version) = VERSIONS.iter().copied().find(|known| known.name == version) else {
        return unknown_version(version, served, release);
    };
    let unknown = UnknownKind {
        kind,
        version,
        release,
        served,
    };
    unknown
        .version_is_not_served()
        .or_else(|| unknown.kind_is_gone())
        .or_else(|| unknown.kind_is_in_other_version())
        .or_else(|| unknown.kind_is_younger())
        .or_else(|| unknown.kind_has_other_name())
        .or_else(|| unknown.kind_has_successor())
        .unwrap_or_else(|| unknown.nearest_kind())
}

/// Returns the newest version that a release serves: the newest one that has a kind, if any does.
fn version_to_write(kind: &str, release: Release) -> Option<&'static Version> {
    let mut newest = VERSIONS.iter().rev().copied();
    newest
        .clone()
        .find(|version| has_kind(version, kind, release))
        .or_else(|| newest.find(|version| version.served_by(release)))
}

/// Returns true if a release serves a kind in a version.
fn has_kind(version: &Version, kind: &str, release: Release) -> bool {
    version.served_by(release) && version.kind(kind, release).is_some()
}

/// A kind of a known version that the release does not serve.
struct UnknownKind<'a> {
    kind: &'a str,
    version: &'static Version,
    release: Release,
    /// The version to write in its place.
    served: Option<&'static Version>,
}

impl UnknownKind<'_> {
    /// Says which releases serve the version, if this one does not.
    fn version_is_not_served(&self) -> Option<Suggestion> {
        let release = self.release;
        if self.version.served_by(release) {
            return None;
        }
        let (first, last) = self.version.minors();
        let after = successor(self.kind).filter(|_| release.minor > last);
        let instead = instead(self.served, release, after);
        let help = served_by(self.version.name, first, last, instead);
        Some(Suggestion::say(help))
    }

    /// Says which releases have the kind, if this one is later than all of them.
    fn kind_is_gone(&self) -> Option<Suggestion> {
        let mut kinds = self.version.kinds.iter();
        let row = kinds.find(|row| row.kind == self.kind)?;
        let last = row.until.filter(|last| *last < self.release.minor)?;
        let what = message!(
            "suggest.kind-in-version",
            "{kind} in {version}",
            kind = self.kind,
            version = self.version.name
        );
        let instead = instead(self.served, self.release, successor(self.kind));
        let help = served_by(&what, row.since.minor, last, instead);
        Some(Suggestion::say(help))
    }

    /// Names a version that has the kind. Versions of the same release can have different kinds: a kind can be younger than the newest
    /// version.
    fn kind_is_in_other_version(&self) -> Option<Suggestion> {
        let mut newest = VERSIONS.iter().rev().copied();
        let other = newest.find(|other| {
            other.family == self.version.family && has_kind(other, self.kind, self.release)
        })?;
        let help = message!(
            "suggest.kind-in-other-version",
            "{release} has {kind} in {version}: write `{api_version}`",
            release = self.release,
            kind = self.kind,
            version = other.name,
            api_version = other.api_version
        );
        Some(Suggestion {
            api_version: Some(other.api_version),
            ..Suggestion::say(help)
        })
    }

    /// Says from which release on there is the kind.
    fn kind_is_younger(&self) -> Option<Suggestion> {
        let of_family = VERSIONS
            .iter()
            .filter(|version| version.family == self.version.family);
        let rows = of_family.flat_map(|version| version.kinds);
        let first = rows
            .filter(|row| row.kind == self.kind)
            .map(|row| row.since.minor)
            .min()?;
        (first > self.release.minor).then(|| {
            Suggestion::say(message!(
                "suggest.kind-since",
                "{kind} exists since Kubernetes 1.{first}, not in {release}",
                kind = self.kind,
                first,
                release = self.release
            ))
        })
    }

    /// Names the kind of this version that has another name in others.
    fn kind_has_other_name(&self) -> Option<Suggestion> {
        let version = self.version;
        match (self.kind, version.name) {
            ("PodScheduling", "v1alpha2") => Some(renamed(version, "PodSchedulingContext")),
            ("PodSchedulingContext", "v1alpha1") => Some(renamed(version, "PodScheduling")),
            ("NodeResourceSlice", _) => Some(Suggestion::say(message!(
                "suggest.node-resource-slice",
                "NodeResourceSlice was the name of ResourceSlice during the development of 1.30"
            ))),
            ("DeviceClass" | "DeviceTaintRule", _) if version.family == Family::Classic => {
                Some(Suggestion::say(message!(
                    "suggest.kind-later",
                    "{kind} belongs to v1alpha3 and later; {version} has ResourceClass",
                    kind = self.kind,
                    version = version.name
                )))
            }
            _ => None,
        }
    }

    /// Says what has taken the place of the kind.
    fn kind_has_successor(&self) -> Option<Suggestion> {
        if self.version.family != Family::Device {
            return None;
        }
        let after = successor(self.kind)?;
        Some(Suggestion::say(message!(
            "suggest.kind-gone",
            "{kind} is not in {version} of Kubernetes {release}: {after}",
            kind = self.kind,
            version = self.version.name,
            release = self.release,
            after = after.text()
        )))
    }

    /// Suggests the kind with the most similar name, or names all kinds.
    fn nearest_kind(&self) -> Suggestion {
        let kinds = self.version.kinds.iter();
        let objects = kinds.filter(|row| row.in_release(self.release) && row.items.is_none());
        let names: Vec<&'static str> = objects.map(|row| row.kind).collect();
        let mut nearest = Nearest::to(self.kind);
        for name in &names {
            nearest.consider(name);
        }
        let same = names
            .iter()
            .copied()
            .find(|name| self.is_or_is_plural_of(name));
        match same.or(nearest.found()) {
            Some(near) => Suggestion::rename(did_you_mean(near), near),
            None => Suggestion::say(message!(
                "suggest.kinds-of-version",
                "{version} has the kinds {kinds}",
                version = self.version.name,
                kinds = names.join(", ")
            )),
        }
    }

    /// Returns true if the kind is this name or its plural, in other letters.
    fn is_or_is_plural_of(&self, name: &str) -> bool {
        let written = folded(self.kind);
        let name = folded(name);
        name.clone().eq(written.clone()) || name.chain(['s']).eq(written)
    }
}

fn renamed(version: &Version, name: &'static str) -> Suggestion {
    let help = message!(
        "suggest.version-calls-it",
        "{version} calls it {name}",
        version = version.name,
        name
    );
    Suggestion::rename(help, name)
}

/// Says which releases serve a version or a kind of it, and what another one has instead.
fn served_by(what: &str, first: u8, last: u8, instead: Option<Message>) -> Message {
    let newest = LAST_PATCHES.last().map(|release| release.minor);
    let served = if Some(last) >= newest {
        message!(
            "suggest.served-from",
            "{what} is served from 1.{first} on",
            what,
            first
        )
    } else if first == last {
        message!(
            "suggest.served-by-one",
            "{what} is served by 1.{first} only",
            what,
            first
        )
    } else {
        message!(
            "suggest.served-by",
            "{what} is served by 1.{first} to 1.{last}",
            what,
            first,
            last
        )
    };
    match instead {
        Some(instead) => message!("suggest.served-and", "{served}; {instead}", served, instead),
        None => served,
    }
}

/// Returns the version that the release serves, and what has taken the place of a kind there.
fn instead(served: Option<&Version>, release: Release, after: Option<Template>) -> Option<Message> {
    let version = serves(served?, release);
    Some(match after {
        Some(after) => message!(
            "suggest.serves-where",
            "{serves}, where {after}",
            serves = version,
            after = after.text()
        ),
        None => version,
    })
}

fn serves(served: &Version, release: Release) -> Message {
    message!(
        "suggest.release-serves",
        "{release} serves {version}",
        release,
        version = served.name
    )
}

/// Returns the replacement for a removed kind.
fn successor(kind: &str) -> Option<Template> {
    Some(match kind {
        "ResourceClass" => template!(
            "suggest.after-resource-class",
            "DeviceClass takes its place"
        ),
        "ResourceClaimParameters" | "ResourceClassParameters" => {
            template!(
                "suggest.after-parameters",
                "parameters are in `config[].opaque` of claims and classes"
            )
        }
        "PodScheduling" | "PodSchedulingContext" => {
            template!(
                "suggest.after-pod-scheduling",
                "the scheduler allocates and needs no such object"
            )
        }
        _ => return None,
    })
}

fn unknown_version(
    version: &str,
    served: Option<&'static Version>,
    release: Release,
) -> Suggestion {
    let known = VERSIONS
        .iter()
        .find(|known| known.name == version && known.family == Family::Device);
    let since = known.map(|known| known.served.0);
    let mut nearest = Nearest::to(version);
    VERSIONS
        .iter()
        .for_each(|known| nearest.consider(known.name));
    if since.is_none()
        && let Some(served) = served.filter(|served| nearest.found() == Some(served.name))
    {
        return Suggestion {
            api_version: Some(served.api_version),
            ..Suggestion::say(did_you_mean(served.api_version))
        };
    }
    let serves = served.map_or(Message::default(), |served| serves(served, release));
    Suggestion::say(match since {
        Some(first) => message!(
            "suggest.version-later",
            "{version} exists since Kubernetes 1.{first} and has other fields; {serves}",
            version,
            first,
            serves
        ),
        None => message!(
            "suggest.no-such-version",
            "there is no version {version} of this group; {serves}",
            version,
            serves
        ),
    })
}

/// Returns a valid attribute or capacity name for an invalid one; `None` if the name is valid already or has no valid form.
pub fn identifier(name: &str) -> Option<Message> {
    let (domain, own) = match name.rsplit_once('/') {
        Some((domain, own)) => (Some(domain), own),
        None => (None, name),
    };
    let plain: String = own
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let digit = plain.starts_with(|c: char| c.is_ascii_digit());
    let plain = if digit { format!("_{plain}") } else { plain };
    if plain == own || plain.is_empty() || plain.chars().all(|c| c == '_') {
        return None;
    }
    let whole = domain.map_or_else(|| plain.clone(), |domain| format!("{domain}/{plain}"));
    Some(message!(
        "suggest.identifier",
        "write `{whole}`: CEL reads the name as `device.attributes[\"domain\"].{plain}`, so that it has letters, digits and `_` only",
        whole,
        plain
    ))
}

/// Returns the corrected `apiVersion` for a group that only resembles ours, such as `resource.x-k8s.io`.
pub fn group(api_version: &str) -> Option<String> {
    let (group, version) = api_version.split_once('/')?;
    let near = group == "resource.x-k8s.io"
        || group == "resources.k8s.io"
        || (group != claimkit_model::schema::GROUP
            && distance(group, claimkit_model::schema::GROUP) <= 2);
    near.then(|| format!("{}/{version}", claimkit_model::schema::GROUP))
}

/// Returns the `apiVersion` of a kind of ours that is written without the group, with the group alone, or in another group of
/// Kubernetes, none of which has such kinds.
pub fn right_group(api_version: &str, kind: &str) -> Option<String> {
    let version = match api_version.split_once('/') {
        None => api_version,
        Some((group, version)) if is_group_of_kubernetes(group) => version,
        Some(_) => return None,
    };
    if version.is_empty() {
        return None;
    }
    let mut versions = VERSIONS
        .iter()
        .filter(|version| version.kinds.iter().any(|row| row.kind == kind));
    let written = versions.clone().find(|known| known.name == version);
    let right = written.or_else(|| versions.next_back())?;
    Some(right.api_version.to_owned())
}

/// Returns true for groups of Kubernetes itself other than that of our kinds: `apps`, `node.k8s.io`, and addresses that look like such.
fn is_group_of_kubernetes(group: &str) -> bool {
    let ends = [".k8s.io", ".kubernetes.io"];
    let is_reserved = ends.iter().any(|end| group.ends_with(end));
    group != claimkit_model::schema::GROUP && (is_reserved || !group.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use claimkit_model::schema::classic::{v1alpha1, v1alpha2};

    fn api(version: &'static Version, kind: &str) -> Api {
        Api {
            version,
            kind: version.kinds.iter().find(|k| k.kind == kind).unwrap(),
        }
    }

    fn unknown<'n>(name: &'n str, path: &'n str) -> Unknown<'n> {
        Unknown {
            name,
            path,
            value: None,
        }
    }

    fn help(name: &str, schema: &'static Struct, kind: &str) -> Option<Message> {
        let is_root = std::ptr::eq(schema, api(&v1alpha2::VERSION, kind).kind.schema);
        let path = if is_root {
            name
        } else {
            &format!("spec.{name}")
        };
        field(
            unknown(name, path),
            schema,
            api(&v1alpha2::VERSION, kind),
            Release::last_of(30),
        )
        .map(|suggestion| suggestion.help)
    }

    #[test]
    fn fields() {
        let spec = &v1alpha2::RESOURCE_CLAIM_SPEC;
        for (name, want) in [
            ("resourceClasName", "did you mean `resourceClassName`?"),
            (
                "ResourceClassName",
                "write `resourceClassName`: field names are case-sensitive",
            ),
            (
                "resource_class_name",
                "write `resourceClassName`: field names are case-sensitive",
            ),
            (
                "reservedFor",
                "`reservedFor` is a field of `status` only, which the cluster writes: leave it out",
            ),
            ("resourceClass", "did you mean `resourceClassName`?"),
            ("parameters", "did you mean `parametersRef`?"),
        ] {
            assert_eq!(
                help(name, spec, "ResourceClaim").as_deref(),
                Some(want),
                "{name}"
            );
        }
        assert_eq!(help("foo", spec, "ResourceClaim"), None);
        // Too short, and the beginning of several.
        assert_eq!(help("para", spec, "ResourceClaim"), None);
        assert_eq!(help("deletion", &OBJECT_META, "ResourceClaim"), None);
        assert_eq!(
            help("deletionGrace", &OBJECT_META, "ResourceClaim").as_deref(),
            Some("did you mean `deletionGracePeriodSeconds`?")
        );
        let class = &v1alpha2::RESOURCE_CLASS;
        assert_eq!(
            help("name", class, "ResourceClass").as_deref(),
            Some("`name` belongs under `metadata`")
        );
        assert_eq!(
            help("spec", class, "ResourceClass").as_deref(),
            Some("a ResourceClass has no `spec`: write its fields at the top level")
        );
        let template = &v1alpha2::RESOURCE_CLAIM_TEMPLATE_SPEC;
        assert_eq!(
            help("resourceClassName", template, "ResourceClaimTemplate").as_deref(),
            Some("`resourceClassName` belongs under `spec.spec`")
        );
    }

    #[test]
    fn later_fields_and_other_versions() {
        let handle = &v1alpha2::RESOURCE_HANDLE;
        let claim = api(&v1alpha2::VERSION, "ResourceClaim");
        let handles = "status.allocation.resourceHandles";
        let path = format!("{handles}[0].structuredData");
        let data = unknown("structuredData", &path);
        let found = field(data, handle, claim, Release::last_of(29)).unwrap();
        assert_eq!(
            found.help,
            "`structuredData` exists since Kubernetes 1.30; the object is judged by 1.29.15"
        );
        let found = field(
            unknown("resourceHandles", handles),
            &v1alpha1::ALLOCATION_RESULT,
            api(&v1alpha1::VERSION, "ResourceClaim"),
            Release::last_of(26),
        );
        assert!(
            found
                .unwrap()
                .help
                .starts_with("`resourceHandles` belongs to v1alpha2")
        );
    }

    #[test]
    fn kinds_and_versions() {
        let at = |api_version: &str, name: &str, minor: u8| {
            kind(api_version, name, Release::last_of(minor)).help
        };
        assert_eq!(
            at("resource.k8s.io/v1alpha1", "ResourceClaim", 30),
            "v1alpha1 is served by 1.26 only; 1.30.14 serves v1alpha2"
        );
        assert_eq!(
            at("resource.k8s.io/v1alpha2", "ResourceClass", 26),
            "v1alpha2 is served by 1.27 to 1.30; 1.26.15 serves v1alpha1"
        );
        assert_eq!(
            at("resource.k8s.io/v1alpha2", "ResourceSlice", 29),
            "ResourceSlice exists since Kubernetes 1.30, not in 1.29.15"
        );
        assert_eq!(
            at("resource.k8s.io/v1alpha2", "resourceclaim", 30),
            "did you mean `ResourceClaim`?"
        );
        assert_eq!(
            at("resource.k8s.io/v1alpha2", "ResourceClaims", 30),
            "did you mean `ResourceClaim`?"
        );
        assert_eq!(
            at("resource.k8s.io/v1alpha2", "PodScheduling", 28),
            "v1alpha2 calls it PodSchedulingContext"
        );
        assert_eq!(
            at("resource.k8s.io/v1beta1", "ResourceClaim", 30),
            "v1beta1 is served by 1.32 to 1.37; 1.30.14 serves v1alpha2"
        );
        let found = kind(
            "resource.k8s.io/v1aplha2",
            "ResourceClaim",
            Release::last_of(30),
        );
        assert_eq!(found.api_version, Some("resource.k8s.io/v1alpha2"));
        assert_eq!(
            group("resource.x-k8s.io/v1alpha2").as_deref(),
            Some("resource.k8s.io/v1alpha2")
        );
        assert_eq!(group("apps/v1"), None);
    }
}
