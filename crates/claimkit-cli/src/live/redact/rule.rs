//! What is done with a part of an object.

use serde_json::{Map, Value};

/// What is done with a part of an object.
#[derive(Clone, Copy)]
pub enum Rule {
    /// Keeps the value: answers depend on it.
    Keep,
    /// Replaces the words of a name.
    Name,
    /// Replaces every string in the value as a name.
    Names,
    /// Replaces the whole string: nothing but its difference from other strings matters.
    Whole,
    /// Replaces the names in a sentence.
    Text,
    /// Replaces the key of a label.
    Key,
    /// Keeps an object without its content, which no answer depends on.
    Empty,
    /// Keeps these members of an object, each by its own rule, and no others.
    Only(&'static [(&'static str, Rule)]),
    /// Keeps all members of an object, and treats these by their own rules.
    Except(&'static [(&'static str, Rule)]),
    /// Treats each item of a list by one rule.
    Each(&'static Rule),
    /// The labels of an object. Only labels that some selector names are kept.
    Labels,
    /// The labels that a selector asks for.
    LabelMap,
    /// A label selector, or the labels alone, as in the selector of a ReplicationController.
    PodSelector,
    /// A list of `{key, operator, values}`.
    Requirements,
    /// A list of taints or tolerations.
    Tolerations,
    /// The name of a PriorityClass. The two classes that every server has keep their names.
    PriorityName,
    /// The limits of a quota. The keys of limits for one StorageClass contain the class's name.
    QuotaKeys,
    /// `claim:ENTRY/REQUEST`, or the name of a resource.
    ResourceName,
    /// `DRIVER/POOL/DEVICE`, or an identifier of its own.
    ResourceId,
}

/// One walk over all objects.
pub trait Pass {
    /// Takes the key of a label by which something selects.
    fn key(&mut self, _key: &str) {}
    /// Takes the key of a label or taint whose values are compared as numbers.
    fn numeric(&mut self, _key: &str) {}
    /// Returns true if the labels of this key stay.
    fn has_key(&self, _key: &str) -> bool {
        true
    }
    /// Returns true if values of this key stay.
    fn is_numeric(&self, _key: &str) -> bool {
        false
    }
    /// Takes a name, and may replace it.
    fn name(&mut self, _name: &mut String) {}
    /// Takes what is replaced as a whole.
    fn whole(&mut self, _text: &mut String) {}
    /// Takes a sentence.
    fn text(&mut self, _text: &mut String) {}
    /// Takes a text that stays.
    fn kept(&mut self, _text: &str) {}
}

/// A selector of labels.
pub const LABEL_SELECTOR: Rule = Rule::Only(&[
    ("matchLabels", Rule::LabelMap),
    ("matchExpressions", Rule::Requirements),
]);

/// Labels that decide though no object selects by them.
static LABELS: &[(&str, Rule)] = &[
    ("kubernetes.io/hostname", Rule::Name),
    ("topology.kubernetes.io/zone", Rule::Name),
    ("topology.kubernetes.io/region", Rule::Name),
    ("failure-domain.beta.kubernetes.io/zone", Rule::Name),
    ("failure-domain.beta.kubernetes.io/region", Rule::Name),
    ("pod-template-hash", Rule::Name),
    ("rollouts-pod-template-hash", Rule::Name),
    ("resource.kubernetes.io/admin-access", Rule::Keep),
];

/// Operators that compare numbers.
const NUMERIC: [&str; 2] = ["Gt", "Lt"];
/// Limits of quotas for one StorageClass.
const OF_STORAGE_CLASS: &str = ".storageclass.storage.k8s.io/";
/// The address of all addresses of a node.
const ANY_ADDRESS: &str = "0.0.0.0";

impl Rule {
    /// Applies the rule to a part.
    pub fn apply(self, part: &mut Value, pass: &mut dyn Pass) {
        match self {
            Rule::Keep => each_text(part, &mut |text| pass.kept(text)),
            Rule::Name => with_text(part, &mut |text| name(text, pass)),
            Rule::Names => each_text(part, &mut |text| name(text, pass)),
            Rule::Whole => with_text(part, &mut |text| pass.whole(text)),
            Rule::Text => with_text(part, &mut |text| pass.text(text)),
            Rule::Key => with_text(part, &mut |text| pass.key(text)),
            Rule::Empty => {
                if part.is_object() {
                    *part = Value::Object(Map::new());
                }
            }
            Rule::Only(members) => {
                if let Some(fields) = part.as_object_mut() {
                    only(fields, members, pass);
                }
            }
            Rule::Except(members) => {
                for (name, member) in part.as_object_mut().into_iter().flatten() {
                    rule_in(members, name)
                        .unwrap_or(Rule::Keep)
                        .apply(member, pass);
                }
            }
            Rule::Each(rule) => {
                for item in part.as_array_mut().into_iter().flatten() {
                    rule.apply(item, pass);
                }
            }
            Rule::Labels => labels(part, pass),
            Rule::LabelMap => {
                for (key, value) in part.as_object_mut().into_iter().flatten() {
                    pass.key(key);
                    label(key, value, pass);
                }
            }
            Rule::PodSelector => {
                let has = |name: &str| part.get(name).is_some();
                if has("matchLabels") || has("matchExpressions") {
                    LABEL_SELECTOR.apply(part, pass)
                } else {
                    Rule::LabelMap.apply(part, pass)
                }
            }
            Rule::Requirements => {
                for item in part.as_array_mut().into_iter().flatten() {
                    requirement(item, "values", pass);
                }
            }
            Rule::Tolerations => {
                for item in part.as_array_mut().into_iter().flatten() {
                    requirement(item, "value", pass);
                }
            }
            Rule::PriorityName => with_text(part, &mut |text| {
                if !text.starts_with("system-") {
                    pass.name(text);
                }
            }),
            Rule::QuotaKeys => {
                if let Some(fields) = part.as_object_mut() {
                    fields.retain(|key, _| !key.contains(OF_STORAGE_CLASS));
                }
            }
            Rule::ResourceName => with_text(part, &mut |text| {
                if let Some(entry) = text.strip_prefix("claim:") {
                    let (entry, request) = split(entry);
                    *text = format!("claim:{}{request}", replaced(entry, pass));
                }
            }),
            Rule::ResourceId => with_text(part, &mut |text| {
                if let Some((driver, rest)) = text.split_once('/')
                    && let Some((pool, device)) = rest.split_once('/')
                {
                    *text = format!("{driver}/{}/{device}", replaced(pool, pass));
                }
            }),
        }
    }
}

/// Returns a text before and from its first slash.
fn split(text: &str) -> (&str, &str) {
    text.split_at(text.find('/').unwrap_or(text.len()))
}

fn replaced(text: &str, pass: &mut dyn Pass) -> String {
    let mut own = text.to_owned();
    pass.name(&mut own);
    own
}

fn name(text: &mut String, pass: &mut dyn Pass) {
    if text != ANY_ADDRESS {
        pass.name(text);
    }
}

/// Keeps the members of an object that have a rule. An object of which none is left stays, for its presence can decide.
pub fn only(
    fields: &mut Map<String, Value>,
    members: &[(&'static str, Rule)],
    pass: &mut dyn Pass,
) {
    fields.retain(|name, member| {
        let rule = rule_in(members, name);
        if let Some(rule) = rule {
            rule.apply(member, pass);
        }
        rule.is_some()
    });
}

fn rule_in(members: &[(&'static str, Rule)], name: &str) -> Option<Rule> {
    let mut members = members.iter();
    members
        .find(|(known, _)| *known == name)
        .map(|(_, rule)| *rule)
}

/// Keeps the labels of an object by which anything selects.
fn labels(part: &mut Value, pass: &mut dyn Pass) {
    if let Some(fields) = part.as_object_mut() {
        fields.retain(|key, value| {
            let is_kept = rule_in(LABELS, key).is_some() || pass.has_key(key);
            if is_kept {
                label(key, value, pass);
            }
            is_kept
        });
    }
}

/// Replaces the value of a label, unless it decides.
fn label(key: &str, value: &mut Value, pass: &mut dyn Pass) {
    let rule = match rule_in(LABELS, key) {
        Some(rule) => rule,
        None if pass.is_numeric(key) => Rule::Keep,
        None => Rule::Name,
    };
    rule.apply(value, pass);
}

/// Replaces the values of a requirement, a taint or a toleration. `member`: the one that has them.
fn requirement(item: &mut Value, member: &str, pass: &mut dyn Pass) {
    let key = text_of(item, "key").to_owned();
    pass.key(&key);
    if NUMERIC.contains(&text_of(item, "operator")) {
        pass.numeric(&key);
    }
    if let Some(fields) = item.as_object_mut() {
        fields.retain(|name, _| name != "timeAdded");
    }
    if let Some(values) = item.get_mut(member) {
        match values {
            Value::Array(values) => {
                for value in values {
                    label(&key, value, pass);
                }
            }
            value => label(&key, value, pass),
        }
    }
}

fn text_of<'i>(item: &'i Value, name: &str) -> &'i str {
    item.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn with_text(part: &mut Value, change: &mut dyn FnMut(&mut String)) {
    if let Value::String(text) = part {
        change(text);
    }
}

/// Visits every text of a part.
fn each_text(part: &mut Value, change: &mut dyn FnMut(&mut String)) {
    match part {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, change)),
        Value::Object(fields) => {
            for (_, member) in fields {
                each_text(member, change);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
