//! What the CEL selectors of devices select, as far as a policy needs to know: expressions are tried on devices.
//!
//! An expression selects a driver if it can be true for a device of that driver and less so for a device of a driver that nobody has.
//! The drivers that are tried are the texts of the expression, what it computes of them, and the drivers of the policy's own list.

use crate::cel_lints::{Language, reads};
use crate::policy::settings::NameList;
use claimkit_model::cel::ast::{Expr, ExprNode, Literal};
use claimkit_model::cel::value::{Map, Value};
use claimkit_model::cel::{
    CelDevice, DeviceAttribute, Environment, EnvironmentMode, Program, SELECTOR_COST_LIMIT,
};
use claimkit_model::schema::{Gates, Release};
use claimkit_scheduler::environments;
use claimkit_values::names;
use claimkit_values::order;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Drivers that no cluster has, of several shapes.
const NOBODY: [&str; 4] = [
    "nobody.invalid",
    "z.invalid",
    "9x.q-7.nowhere.invalid",
    "a-driver-that-nobody-has-and-that-has-a-long-name.of.no.invalid",
];

/// Longest name of a driver (k8s.io/api, resource/v1, types.go, `DriverNameMaxLength`).
const DRIVER_NAME: usize = 63;

/// Maximum number of drivers that an expression is tried on.
const TRIALS: usize = 256;

/// Maximum number of texts of an expression that are also tried in pairs, one after the other.
const COMBINED: usize = 6;

/// Maximum number of drivers that are named as selected by one expression.
const NAMED: usize = 16;

/// The drivers that an expression selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectedDrivers {
    /// Drivers that the list does not accept.
    Refused(Vec<String>),
    /// No release known here compiles the expression.
    Unreadable,
    /// The expression has more texts than are tried.
    TooMany,
}

/// A compiled expression with the environment that it is evaluated in.
struct Selector {
    program: Program,
    environment: Arc<Environment>,
}

impl Selector {
    /// Compiles an expression as the release does, or as the newest known release does with all gates on: the API server may be of
    /// another release than the settings say.
    fn compile(text: &str, release: Release, gates: Option<Gates>) -> Option<Self> {
        let own = Language::Device.environment(EnvironmentMode::New, release, gates);
        let takes_lists = true;
        let newest = || environments::scheduler(Release::latest(), takes_lists);
        let compiled = |environment: Arc<Environment>| {
            let program = environment.compile(text).ok()?;
            Some(Selector {
                program,
                environment,
            })
        };
        compiled(own).or_else(|| compiled(newest()))
    }

    fn root(&self) -> &Expr {
        &self.program.checked().ast.root
    }

    /// Returns how far the expression is true for a device: 2 it is, 1 it depends on what is not known of the device, 0 it is not.
    fn truth(&self, variables: &[Value]) -> u8 {
        let outcome = self.program.evaluate(variables, SELECTOR_COST_LIMIT);
        match outcome.matches() {
            Ok(true) => 2,
            Ok(false) => 0,
            Err(_) => 1,
        }
    }

    /// Makes a device of a driver with attributes.
    fn device(&self, driver: &str, attributes: &[(String, DeviceAttribute)]) -> Vec<Value> {
        let mut device = CelDevice::new(driver);
        device.attributes = attributes.to_vec();
        device.variables(&self.environment).unwrap_or_default()
    }

    /// Makes the devices of a driver that the expression is tried on: one of which only the driver is known, one without attributes,
    /// and two that have every attribute which the expression reads.
    fn devices(&self, driver: &str, read: &[String]) -> [Vec<Value>; 4] {
        let fields = vec![(Arc::from("driver"), Value::string(driver))];
        let unknown = vec![Value::Map(Arc::new(Map::with_names(fields, None)))];
        let all = |value: &DeviceAttribute| -> Vec<(String, DeviceAttribute)> {
            let attribute = |name: &String| (name.clone(), value.clone());
            read.iter().map(attribute).collect()
        };
        [
            unknown,
            self.device(driver, &[]),
            self.device(driver, &all(&DeviceAttribute::Bool(true))),
            self.device(driver, &all(&DeviceAttribute::Int(1))),
        ]
    }

    /// Returns the qualified names of the attributes that the expression reads by constant names.
    fn attributes(&self) -> Vec<String> {
        let reads = reads::all(self.root());
        let attribute = |read: &reads::Read| match read.path.as_slice() {
            [device, attributes, domain, name, ..]
                if device == "device" && attributes == "attributes" =>
            {
                Some(format!("{domain}/{name}"))
            }
            _ => None,
        };
        reads.iter().filter_map(attribute).collect()
    }

    /// Returns the texts of the expression and those that it computes without looking at a device.
    fn texts(&self) -> BTreeSet<String> {
        let nobody = self.device(NOBODY[0], &[]);
        let trace = self.program.trace(&nobody, SELECTOR_COST_LIMIT);
        let mut texts = order::set([]);
        reads::visit(self.root(), &mut |expr| {
            match &expr.node {
                ExprNode::Literal(Literal::String(text)) => {
                    texts.insert(text.to_string());
                }
                ExprNode::Literal(Literal::Bytes(bytes)) => {
                    texts.extend(String::from_utf8(bytes.clone()));
                }
                ExprNode::Call { .. } => match trace.value_of(expr) {
                    Some(Value::String(text)) => {
                        texts.insert(text.to_string());
                    }
                    Some(Value::List(list)) => texts.extend(list.iter().filter_map(string)),
                    _ => {}
                },
                _ => {}
            }
            true
        });
        texts.retain(|text| text.len() <= DRIVER_NAME && !text.contains("nobody.invalid"));
        texts
    }

    /// Returns true if the expression calls a function by name: then a part of a driver's name can decide.
    fn calls_functions(&self) -> bool {
        let mut calls = false;
        reads::visit(self.root(), &mut |expr| {
            if let ExprNode::Call { function, .. } = &expr.node {
                calls |= function.starts_with(|c: char| c.is_ascii_alphabetic());
            }
            !calls
        });
        calls
    }
}

fn string(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.to_string()),
        _ => None,
    }
}

/// Returns a text that a simple regular expression matches: anchors go, and what repeats or varies is a letter.
fn sample_of_regex(regex: &str) -> String {
    let mut sample = String::new();
    let mut rest = regex.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '^' | '$' | '(' | ')' | '?' | '*' | '+' => {}
            '\\' => sample.extend(rest.next()),
            '.' => sample.push('x'),
            '[' => {
                let first = rest.next();
                sample.extend(first.map(|c| if c == '^' { 'x' } else { c }));
                for inner in rest.by_ref() {
                    if inner == ']' {
                        break;
                    }
                }
            }
            '{' => while rest.next_if(|inner| *inner != '}').is_some() {},
            '}' => {}
            // The first alternative is enough.
            '|' => break,
            _ => sample.push(c),
        }
    }
    sample
}

/// Returns the names that a text may stand for where functions look at parts of names.
fn derived(text: &str) -> [String; 5] {
    [
        text.to_lowercase(),
        sample_of_regex(text),
        format!("{text}nobody"),
        format!("nobody{text}"),
        format!("nobody{text}nobody"),
    ]
}

/// Returns the drivers that a list names; a star stands for a letter.
fn named(list: &NameList) -> Vec<String> {
    match list {
        NameList::Any | NameList::Allow(_) => Vec::new(),
        NameList::Deny(patterns) => patterns
            .iter()
            .map(|pattern| pattern.replace('*', "x"))
            .collect(),
    }
}

/// Returns the drivers that an expression selects although the list does not accept them.
pub fn drivers(
    text: &str,
    list: &NameList,
    release: Release,
    gates: Option<Gates>,
) -> SelectedDrivers {
    let Some(selector) = Selector::compile(text, release, gates) else {
        return SelectedDrivers::Unreadable;
    };
    // Nothing of the expression can be the name of the field.
    if !text.contains("driver") && !text.contains("dyn") {
        return SelectedDrivers::Refused(Vec::new());
    }
    let texts = selector.texts();
    let mut candidates: Vec<String> = named(list);
    if selector.calls_functions() {
        candidates.extend(texts.iter().flat_map(|text| derived(text)));
        if texts.len() <= COMBINED {
            let joined = |first: &String| -> Vec<String> {
                texts
                    .iter()
                    .map(|second| format!("{first}{second}"))
                    .collect()
            };
            candidates.extend(texts.iter().flat_map(joined));
        }
    }
    candidates.extend(texts);
    let can_exist = |name: &String| {
        !name.is_empty() && name.len() <= DRIVER_NAME && names::lowered_subdomain(name).is_empty()
    };
    let mut seen = order::set([]);
    candidates.retain(|name| can_exist(name) && !list.accepts(name) && seen.insert(name.clone()));
    let read = selector.attributes();
    let of_nobody = selector
        .devices(NOBODY[0], &read)
        .map(|device| selector.truth(&device));
    let mut refused = Vec::new();
    for name in candidates.iter().take(TRIALS) {
        let devices = selector.devices(name, &read);
        let mut tried = devices.iter().zip(of_nobody);
        if tried.any(|(device, nobody)| selector.truth(device) > nobody) {
            refused.push(name.clone());
        }
        if refused.len() == NAMED {
            return SelectedDrivers::Refused(refused);
        }
    }
    if candidates.len() > TRIALS && refused.is_empty() {
        return SelectedDrivers::TooMany;
    }
    SelectedDrivers::Refused(refused)
}

/// Checks whether expressions leave out devices of drivers that they do not name: devices without attributes are tried. What leaves
/// out only drivers that it names selects everything else. An expression that does not compile selects nothing that could be relied on.
pub fn leave_devices_out(texts: &[&str], release: Release, gates: Option<Gates>) -> bool {
    let compiled = |text: &&str| Selector::compile(text, release, gates);
    let Some(selectors) = texts.iter().map(compiled).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let is_new = |driver: &&&str| texts.iter().all(|text| !text.contains(**driver));
    let mut unnamed: Vec<String> = NOBODY
        .iter()
        .filter(is_new)
        .map(|driver| (*driver).to_owned())
        .collect();
    // An expression is finite, so one of these numbers is not in it.
    let numbered = (0..).map(|number: u32| format!("nobody{number}.invalid"));
    unnamed.extend(numbered.filter(|driver| is_new(&&driver.as_str())).take(1));
    let is_selected = |driver: &String| {
        selectors.iter().all(|selector| {
            let device = selector.device(driver, &[]);
            selector.truth(&device) == 2
        })
    };
    !unnamed.iter().any(is_selected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str, list: &NameList) -> SelectedDrivers {
        drivers(text, list, Release::latest(), None)
    }

    #[test]
    fn every_way_to_write_a_driver_is_seen() {
        let allow = NameList::Allow(vec!["gpu.example.com".to_owned()]);
        for text in [
            r#"device.driver == "evil.example.com""#,
            r#"device.driver in ["gpu.example.com", "evil.example.com"]"#,
            r#"!(device.driver != "evil.example.com")"#,
            r#"device.driver in {"evil.example.com": true}"#,
            r#"["evil.example.com"].exists(d, d == device.driver)"#,
            r#"[device.driver] == ["evil.example.com"]"#,
            r#"dyn(device.driver) == "evil.example.com""#,
            r#"dyn(device).driver == "evil.example.com""#,
            r#"string(device.driver) == "evil.example.com""#,
            r#"cel.bind(d, device.driver, d == "evil.example.com")"#,
            r#"{"evil.example.com": true}[device.driver]"#,
            r#"device.driver <= "evil.example.com" && device.driver >= "evil.example.com""#,
            r#"device.driver.lowerAscii() == "evil.example.com""#,
            r#"device.driver.upperAscii() == "EVIL.EXAMPLE.COM""#,
            r#"device.driver == "evil" + ".example.com""#,
            r#"device.driver == ["evil", "example", "com"].join(".")"#,
            r#"device.driver == (true ? "evil.example.com" : "x")"#,
            r#"device.driver.startsWith("evil.")"#,
            r#"device.driver.endsWith(".example.com")"#,
            r#"device.driver.contains("evil")"#,
            r#"device.driver.matches("^evil\\.example\\.com$")"#,
            r#"device.driver.matches("evil[.]example[.].*")"#,
            r#"device.driver == "evil.example.com" && device.attributes["a"].b == 1"#,
            r#"device.driver == "evil.example.com" && has(device.attributes["a"].b)"#,
            r#"device.driver == "evil.example.com" || device.attributes["a"].b.includes(1)"#,
            r#"device.attributes["a"].b ? device.driver == "evil.example.com" : false"#,
            r#"device.attributes["a"].b == 7 ? device.driver == "evil.example.com" : device.driver == "evil.example.com""#,
            r#"device.driver.split(".")[0] == "evil""#,
            r#"device.driver.replace("evil", "") == ".example.com""#,
        ] {
            let found = refused(text, &allow);
            assert!(
                matches!(&found, SelectedDrivers::Refused(names) if !names.is_empty()),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn what_selects_no_other_driver_is_accepted() {
        let allow = NameList::Allow(vec!["gpu.example.com".to_owned(), "*.corp.io".to_owned()]);
        let deny = NameList::Deny(vec!["evil.example.com".to_owned()]);
        for text in [
            "true",
            r#"device.driver == "gpu.example.com""#,
            r#"device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "a100""#,
            r#"device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model.startsWith("a100")"#,
            r#"device.attributes["gpu.example.com"].model in ["a100", "h100"]"#,
            r#"device.driver.endsWith(".corp.io")"#,
            r#"device.driver != "evil.example.com""#,
            r#"!(device.driver in ["evil.example.com"])"#,
            r#"device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0"#,
        ] {
            assert_eq!(
                refused(text, &allow),
                SelectedDrivers::Refused(Vec::new()),
                "{text}"
            );
        }
        for text in [
            r#"device.driver == "gpu.example.com""#,
            r#"device.driver != "evil.example.com""#,
            r#"device.driver.startsWith("gpu.")"#,
        ] {
            assert_eq!(
                refused(text, &deny),
                SelectedDrivers::Refused(Vec::new()),
                "{text}"
            );
        }
        for text in [
            r#"device.driver.startsWith("ev")"#,
            r#"device.driver.size() == 16 && device.driver < "f""#,
            r#"device.driver.split(".")[0] + "!" == "evil!""#,
        ] {
            assert_eq!(
                refused(text, &deny),
                SelectedDrivers::Refused(vec!["evil.example.com".to_owned()]),
                "{text}"
            );
        }
        assert_eq!(
            refused("device.driver ==", &deny),
            SelectedDrivers::Unreadable
        );
        assert_eq!(
            refused("device.driver.soon(1)", &deny),
            SelectedDrivers::Unreadable
        );
    }

    #[test]
    fn a_selector_of_everything_leaves_nothing_out() {
        let leaves_out = |text: &str| leave_devices_out(&[text], Release::last_of(34), None);
        for text in [
            "true",
            r#"device.driver != """#,
            r#"device.driver != "zzz""#,
            r#"device.driver != "nobody.invalid""#,
            r#"!(device.driver == "gpu.example.com")"#,
            r#"!(device.driver in ["nobody.invalid", "nobody0.invalid"])"#,
            r#"size(device.driver) >= 0"#,
            r#"device.driver.size() > 1 && device.driver.size() < 64"#,
            r#"device.driver.startsWith("")"#,
            r#"device.driver.matches(".*")"#,
            r#"device.driver == "gpu.example.com" || true"#,
            r#"device.driver >= "a" || device.driver < "a""#,
            r#"!("model" in device.attributes["gpu.example.com"])"#,
            "device.driver ==",
        ] {
            assert!(!leaves_out(text), "{text}");
        }
        for text in [
            r#"device.driver == "gpu.example.com""#,
            r#"device.driver in ["gpu.example.com", "nic.example.com"]"#,
            r#"device.driver.startsWith("gpu.")"#,
            r#"device.attributes["gpu.example.com"].model == "a100""#,
            r#"device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model != "a100""#,
            "false",
        ] {
            assert!(leaves_out(text), "{text}");
        }
        assert!(leave_devices_out(
            &["true", r#"device.driver == "gpu.example.com""#],
            Release::last_of(34),
            None
        ));
    }
}
