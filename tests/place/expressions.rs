//! The CEL that the recorded lines use, and no more: enough to ask the allocator's questions without the engine.

use claimkit::place::device::amount::Amount;
use claimkit::place::device::constraints::{Scalar, scalar, set};
use claimkit::place::device::facts::{Attribute, Device};
use claimkit::place::device::selectors::{ReadValue, SelectorError, Selectors, Subject};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Evaluates selectors; `lists`: list attributes can be read.
#[derive(Default)]
pub struct Small {
    pub lists: bool,
}

/// Texts that do not compile, with upstream's words.
const BROKEN: &[(&str, &str)] = &[
    (
        "noSuchVar",
        "compilation failed: ERROR: <input>:1:1: undeclared reference to 'noSuchVar' (in container '')\n | noSuchVar\n | ^",
    ),
    (
        "device.drver == \"x\"",
        "compilation failed: ERROR: <input>:1:7: undefined field 'drver'\n | device.drver == \"x\"\n | ......^",
    ),
];

#[derive(Clone, Debug)]
enum Value<'d> {
    Bool(bool),
    Int(i64),
    Text(String),
    Version(Vec<u64>),
    Quantity(Amount),
    List(Vec<Value<'d>>),
    Attribute(&'d Attribute),
    Device,
    Domains(bool),
    Map(BTreeMap<String, Value<'d>>),
    Optional(Option<Box<Value<'d>>>),
}

impl Selectors for Small {
    fn matches(&self, expression: &str, subject: Subject<'_>) -> Result<bool, SelectorError> {
        if let Some((_, text)) = BROKEN.iter().find(|(broken, _)| *broken == expression) {
            return Err(SelectorError::Compile((*text).to_owned()));
        }
        let unreadable = |(_, value): &(&String, &Attribute)| scalar(value).is_none() && !(self.lists && set(value).is_some());
        if let Some((name, _)) = subject.device.attributes.iter().find(unreadable) {
            return Err(SelectorError::Runtime(format!("attribute {name}: unsupported attribute value")));
        }
        let reads = RefCell::default();
        match run(expression, subject, &reads) {
            Ok(Value::Bool(value)) => Ok(value),
            Ok(other) => panic!("{expression}: {other:?}"),
            Err(error) => Err(SelectorError::Runtime(error)),
        }
    }

    fn reads(&self, expression: &str, subject: Subject<'_>) -> Vec<ReadValue> {
        let reads = RefCell::default();
        if BROKEN.iter().any(|(broken, _)| *broken == expression) {
            return Vec::new();
        }
        let _ = run(expression, subject, &reads);
        reads.into_inner()
    }
}

struct Reader<'e, 'd> {
    tokens: Vec<String>,
    at: usize,
    subject: Subject<'d>,
    reads: &'e RefCell<Vec<ReadValue>>,
}

type Answer<'d> = Result<Value<'d>, String>;

fn run<'d>(expression: &str, subject: Subject<'d>, reads: &RefCell<Vec<ReadValue>>) -> Answer<'d> {
    let mut reader = Reader { tokens: tokens(expression), at: 0, subject, reads };
    let value = reader.or();
    assert_eq!(reader.at, reader.tokens.len(), "not read to its end: {expression}");
    value.map(plain)
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        at += 1;
        match chars[start] {
            ' ' | '\n' => continue,
            quote @ ('"' | '\'') => {
                while chars[at] != quote {
                    at += 1;
                }
                at += 1;
            }
            c if c.is_alphanumeric() || c == '_' => {
                while at < chars.len() && (chars[at].is_alphanumeric() || chars[at] == '_') {
                    at += 1;
                }
            }
            _ => {
                let two: String = chars[start..chars.len().min(start + 2)].iter().collect();
                if ["&&", "||", "==", "!=", "<=", ">=", ".?"].contains(&two.as_str()) {
                    at += 1;
                }
            }
        }
        tokens.push(chars[start..at].iter().collect());
    }
    tokens
}

/// An attribute read as a value.
fn plain(value: Value<'_>) -> Value<'_> {
    let of = |scalar: &Scalar<'_>| match scalar {
        Scalar::String(text) => Value::Text((*text).to_owned()),
        Scalar::Int(number) => Value::Int(*number),
        Scalar::Bool(value) => Value::Bool(*value),
        Scalar::Version(text) => Value::Version(version(text)),
    };
    match value {
        Value::Attribute(attribute) => match scalar(attribute) {
            Some(one) => of(&one),
            None => Value::List(set(attribute).unwrap().iter().map(of).collect()),
        },
        other => other,
    }
}

/// Comparable; what precedes a release comes before it.
fn version(text: &str) -> Vec<u64> {
    let (numbers, before) = text.split_once('-').map_or((text, false), |(numbers, _)| (numbers, true));
    let mut version: Vec<u64> = numbers.split('.').map(|part| part.parse().unwrap()).collect();
    version.push(u64::from(!before));
    version
}

fn equal(a: &Value<'_>, b: &Value<'_>) -> bool {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::Version(a), Value::Version(b)) => a == b,
        _ => false,
    }
}

impl<'d> Reader<'_, 'd> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn or(&mut self) -> Answer<'d> {
        self.lazily("||", true, Self::and)
    }

    fn and(&mut self) -> Answer<'d> {
        self.lazily("&&", false, Self::compare)
    }

    /// The side that decides wins over an error of the other.
    fn lazily(&mut self, operator: &str, decides: bool, part: fn(&mut Self) -> Answer<'d>) -> Answer<'d> {
        let mut value = part(self);
        while self.eat(operator) {
            let kept = self.reads.borrow().len();
            let right = part(self);
            let is = |value: &Answer<'d>| matches!(value.clone().map(plain), Ok(Value::Bool(value)) if value == decides);
            if is(&value) {
                self.reads.borrow_mut().truncate(kept);
            }
            value = match (is(&value), is(&right)) {
                (true, _) | (_, true) => Ok(Value::Bool(decides)),
                _ => value.and(right),
            };
        }
        value
    }

    fn compare(&mut self) -> Answer<'d> {
        let left = self.unary();
        let operator = self.peek().to_owned();
        if !["==", "!=", "<", "<=", ">", ">=", "in"].contains(&operator.as_str()) {
            return left;
        }
        self.at += 1;
        let right = plain(self.unary()?);
        let left = plain(left?);
        let number = |value: &Value<'_>| match value {
            Value::Int(number) => *number,
            other => panic!("not a number: {other:?}"),
        };
        Ok(Value::Bool(match operator.as_str() {
            "==" => equal(&left, &right),
            "!=" => !equal(&left, &right),
            "<" => number(&left) < number(&right),
            "<=" => number(&left) <= number(&right),
            ">" => number(&left) > number(&right),
            ">=" => number(&left) >= number(&right),
            _ => match (&left, right) {
                (_, Value::List(list)) => list.iter().any(|item| equal(&left, item)),
                (Value::Text(key), Value::Map(map)) => map.contains_key(key),
                (Value::Text(domain), Value::Domains(capacity)) => self.has_domain(domain, capacity),
                other => panic!("in {other:?}"),
            },
        }))
    }

    fn unary(&mut self) -> Answer<'d> {
        if self.eat("!") {
            return Ok(match plain(self.unary()?) {
                Value::Bool(value) => Value::Bool(!value),
                other => panic!("! {other:?}"),
            });
        }
        let mut value = self.primary();
        loop {
            if self.eat(".") {
                let name = self.next();
                if self.eat("(") {
                    let argument = if self.peek() == ")" { Ok(Value::Bool(true)) } else { self.or() };
                    assert!(self.eat(")"));
                    value = value.and_then(|value| call(plain(value), &name, plain(argument?)));
                } else {
                    value = value.and_then(|value| self.field(value, &name));
                }
            } else if self.eat(".?") {
                let name = self.next();
                value = value.map(|value| Value::Optional(self.field(value, &name).ok().map(Box::new)));
            } else if self.eat("[") {
                let key = self.or();
                assert!(self.eat("]"));
                value = value.and_then(|value| match plain(key?) {
                    Value::Text(key) => self.field(value, &key),
                    other => panic!("[{other:?}]"),
                });
            } else {
                return value;
            }
        }
    }

    fn primary(&mut self) -> Answer<'d> {
        let token = self.next();
        if let Some(text) = token.strip_prefix(['"', '\'']) {
            return Ok(Value::Text(text[..text.len() - 1].to_owned()));
        }
        match token.as_str() {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "device" => Ok(Value::Device),
            "(" => {
                let value = self.or();
                assert!(self.eat(")"));
                value
            }
            "[" => {
                let mut list = Vec::new();
                while !self.eat("]") {
                    list.push(plain(self.or()?));
                    self.eat(",");
                }
                Ok(Value::List(list))
            }
            "has" | "semver" | "quantity" => {
                assert!(self.eat("("));
                let argument = self.or();
                assert!(self.eat(")"));
                match (token.as_str(), argument?) {
                    ("semver", Value::Text(text)) => Ok(Value::Version(version(&text))),
                    ("quantity", Value::Text(text)) => Ok(Value::Quantity(Amount::parse(&text).unwrap())),
                    _ => Ok(Value::Bool(true)),
                }
            }
            number => Ok(Value::Int(number.parse().unwrap_or_else(|_| panic!("{number}")))),
        }
    }

    fn split<'n>(&'n self, name: &'n str) -> (&'n str, &'n str) {
        name.split_once('/').unwrap_or((self.subject.driver, name))
    }

    fn has_domain(&self, domain: &str, capacity: bool) -> bool {
        let Device { attributes, capacity: capacities, .. } = self.subject.device;
        let own = |name: &String| self.split(name).0 == domain;
        if capacity { capacities.keys().any(own) } else { attributes.keys().any(own) }
    }

    fn field(&self, value: Value<'d>, name: &str) -> Answer<'d> {
        let device = self.subject.device;
        match value {
            Value::Device => Ok(match name {
                "driver" => Value::Text(self.subject.driver.to_owned()),
                "attributes" => Value::Domains(false),
                "capacity" => Value::Domains(true),
                "allowMultipleAllocations" => Value::Bool(device.allow_multiple_allocations == Some(true)),
                other => panic!("device.{other}"),
            }),
            Value::Domains(capacity) => {
                let mut map = BTreeMap::from([("\u{0}".to_owned(), Value::Text(name.to_owned()))]);
                let mut put = |full: &String, value: Value<'d>| {
                    let (domain, short) = self.split(full);
                    if domain == name {
                        map.insert(short.to_owned(), value);
                    }
                };
                if capacity {
                    device.capacity.iter().for_each(|(name, one)| put(name, Value::Quantity(one.value.clone())));
                } else {
                    device.attributes.iter().for_each(|(name, one)| put(name, Value::Attribute(one)));
                }
                Ok(Value::Map(map))
            }
            Value::Map(map) => {
                let Some(Value::Text(domain)) = map.get("\u{0}") else { panic!() };
                let found = map.get(name).cloned();
                let value = found.clone().map(|value| match plain(value) {
                    Value::Text(text) => format!("{text:?}"),
                    Value::Quantity(amount) => format!("quantity({:?})", amount.text()),
                    Value::Bool(value) => value.to_string(),
                    Value::Int(number) => number.to_string(),
                    other => format!("{other:?}"),
                });
                self.reads.borrow_mut().push(ReadValue { path: format!("{domain}/{name}"), value });
                found.ok_or_else(|| format!("no such key: {name}"))
            }
            other => panic!("{other:?}.{name}"),
        }
    }
}

fn call<'d>(value: Value<'d>, name: &str, argument: Value<'d>) -> Answer<'d> {
    Ok(match (value, name, argument) {
        (Value::Version(a), "compareTo", Value::Version(b)) => Value::Int(a.cmp(&b) as i64),
        (Value::Quantity(a), "compareTo", Value::Quantity(b)) => Value::Int(a.nanos().cmp(&b.nanos()) as i64),
        (Value::Quantity(a), "isGreaterThan", Value::Quantity(b)) => Value::Bool(a.nanos() > b.nanos()),
        (Value::Optional(value), "orValue", other) => value.map_or(other, |value| plain(*value)),
        (Value::Text(text), "startsWith", Value::Text(start)) => Value::Bool(text.starts_with(&start)),
        (Value::Text(text), "lowerAscii", _) => Value::Text(text.to_ascii_lowercase()),
        (Value::Text(text), "matches", Value::Text(pattern)) => Value::Bool(match pattern.as_str() {
            "^[ah]1" => text.starts_with("a1") || text.starts_with("h1"),
            "^.*t4.*$" => text.contains("t4"),
            other => panic!("{other}"),
        }),
        (Value::List(list), "includes", item) => Value::Bool(list.iter().any(|one| equal(one, &item))),
        (one @ (Value::Int(_) | Value::Text(_)), "includes", item) => Value::Bool(equal(&one, &item)),
        other => panic!("{other:?}"),
    })
}
