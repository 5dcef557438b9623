//! Which drivers a selector selects: made selectors, judged by the setting `drivers` and by trying each on a pool of devices. What can be
//! true for a device of a driver that is not accepted, and is not true for the same device of most drivers that nobody has, is
//! refused; everything else is accepted.

use claimkit::requests::hosts;
use claimkit_model::cel::value::Value as Cel;
use claimkit_model::cel::{
    CelDevice, DeviceAttribute, Environment, EnvironmentMode, SELECTOR_COST_LIMIT, device,
};
use claimkit_model::schema::Release;
use serde_json::{Value, json};

/// Ways to ask whether the driver is the one with the parts `{0}`, `{1}` and `{2}`, whose name is `{n}`.
const EXACT: [&str; 40] = [
    r#"device.driver == "{n}""#,
    r#""{n}" == device.driver"#,
    r#"!(device.driver != "{n}")"#,
    r#"!("{n}" != device.driver)"#,
    r#"device.driver in ["{n}"]"#,
    r#"device.driver in {"{n}": 1}"#,
    r#"!(!(device.driver in ["{n}", "{n}"]))"#,
    r#"["{n}"].exists(d, d == device.driver)"#,
    r#"!["{n}"].all(d, d != device.driver)"#,
    r#"["{n}", "other.corp.io"].exists_one(d, d == device.driver)"#,
    r#"["{n}"].filter(d, device.driver == d).size() == 1"#,
    r#"["{n}"].map(d, device.driver == d)[0]"#,
    r#"[device.driver] == ["{n}"]"#,
    r#"{"driver": device.driver} == {"driver": "{n}"}"#,
    r#"{"{n}": true}[?device.driver].orValue(false)"#,
    r#"dyn(device.driver) == "{n}""#,
    r#"dyn(device).driver == "{n}""#,
    r#"dyn(device)["dri" + "ver"] == "{n}""#,
    r#"[dyn(device), dyn(1)][0]["dri" + "ver"] == "{n}""#,
    r#"{"a": dyn(device), "b": dyn(1)}["a"]["dri" + "ver"] == "{n}""#,
    r#"[device].exists(x, x.driver == "{n}")"#,
    r#"string(device.driver) == "{n}""#,
    r#"bytes(device.driver) == b"{n}""#,
    r#"cel.bind(d, device.driver, d == "{n}")"#,
    r#"cel.bind(d, "{n}", d == device.driver)"#,
    r#"cel.bind(x, device, x.driver == "{n}")"#,
    r#"device.driver <= "{n}" && device.driver >= "{n}""#,
    r#"!(device.driver < "{n}" || device.driver > "{n}")"#,
    r#"device.driver.lowerAscii() == "{n}""#,
    r#"device.driver == "{0}" + "." + "{1}" + "." + "{2}""#,
    r#"device.driver == ["{0}", "{1}", "{2}"].join(".")"#,
    r#"device.driver == "%s.%s.%s".format(["{0}", "{1}", "{2}"])"#,
    r#"device.driver == "{n}x".substring(0, "{n}".size())"#,
    r#"device.driver.split(".") == ["{0}", "{1}", "{2}"]"#,
    r#"device.driver + "!" == "{n}!""#,
    r#"device.driver.replace(".", "-") == "{0}-{1}-{2}" && device.driver.size() == "{n}".size()"#,
    r#"sets.contains(["{n}"], [device.driver])"#,
    r#"sets.intersects([device.driver], ["{n}", "nic.corp.io"])"#,
    r#"device.driver == (true ? "{n}" : "x")"#,
    r#"["{n}"].exists(i, d, d == device.driver)"#,
];

/// Ways to ask for a part of the name.
const PARTIAL: [&str; 22] = [
    r#"device.driver.startsWith("{0}.")"#,
    r#"device.driver.startsWith("{0}.{1}") && device.driver.endsWith(".{2}")"#,
    r#"device.driver.contains("{0}.{1}.{2}")"#,
    r#"device.driver.matches("^{0}\\.{1}\\.{2}$")"#,
    r#"device.driver.matches("{0}[.]{1}[.].*")"#,
    r#"device.driver.matches("^(nic|{0})\\.({1}|corp)\\.{2}$")"#,
    r#"device.driver.matches("^\\x65|\\Q{0}.{1}.\\E{2}$") && device.driver == "{n}""#,
    r#"device.driver.find("{0}.*") != """#,
    r#"device.driver.findAll("{0}").size() > 0"#,
    r#"device.driver.split(".")[0] == "{0}""#,
    r#"device.driver.split(".")[0] == "{0}" && device.driver.split(".")[1] == "{1}" && device.driver.split(".")[2] == "{2}""#,
    r#"device.driver.replace("{0}", "") == ".{1}.{2}""#,
    r#"device.driver.indexOf("{0}.{1}") == 0"#,
    r#"device.driver.lastIndexOf("{0}") == 0"#,
    r#"device.driver.substring(0, 3) == "{0}".substring(0, 3)"#,
    r#"device.driver.charAt(0) == "{0}".charAt(0) && device.driver.charAt(1) == "{0}".charAt(1) && device.driver.charAt(2) == "{0}".charAt(2)"#,
    r#"["{0}.", ".{1}."].all(p, device.driver.contains(p))"#,
    r#""{0},other".split(",").exists(p, device.driver.startsWith(p + "."))"#,
    r#"device.driver > "{0}.{1}" && device.driver < "{0}.{1}~""#,
    r#"device.driver.split(".").exists(p, p == "{0}")"#,
    r#"device.driver + device.driver == "{n}{n}""#,
    r#"device.driver.trim().upperAscii() == "{n}".upperAscii()"#,
];

/// What selects every driver, or every one but some.
const OTHERS: [&str; 10] = [
    "true",
    r#"device.driver != "{n}""#,
    r#"!(device.driver in ["{n}", "zzz"])"#,
    r#"device.driver != """#,
    r#"device.driver.size() > 0"#,
    r#"device.driver.matches(".*")"#,
    r#"!device.driver.startsWith("{0}.")"#,
    r#"device.driver == device.driver"#,
    r#""a" in device.attributes || true"#,
    r#"!["{n}"].exists(d, d == device.driver)"#,
];

/// What is asked of a device besides.
const CONDITIONS: [&str; 20] = [
    "true",
    r#"device.attributes["a"].b == 7"#,
    r#"7 == device.attributes["a"].b"#,
    r#"device.attributes["a"].b > 3"#,
    r#"device.attributes["a"].c == "k""#,
    r#"device.attributes["a"].flag"#,
    r#"has(device.attributes["a"].b)"#,
    r#"!has(device.attributes["a"].c)"#,
    r#"device.attributes["a"].?b.orValue(0) == 7"#,
    r#"device.attributes["a"].?c.orValue("") == "k" && device.attributes["a"].?b.orValue(0) == 7"#,
    r#"device.attributes["a"].?b.hasValue() || device.attributes["a"].?c.hasValue()"#,
    r#"device.?attributes["a"].?c.orValue("") == "k""#,
    r#""b" in device.attributes["a"]"#,
    r#"device.attributes["gpu.example.com"].model.startsWith("a1")"#,
    r#"device.attributes["gpu.example.com"].model in ["a100", "h100"]"#,
    r#"device.capacity["gpu.example.com"].memory.compareTo(quantity("1Gi")) >= 0"#,
    r#"device.attributes["a"].c == "k" ? device.attributes["a"].b == 7 : false"#,
    r#"[7, 8].exists(n, n == device.attributes["a"].b)"#,
    r#"cel.bind(v, device.attributes["a"], v.b == 7 && v.c == "k")"#,
    r#"device.attributes["a"].b == 7 && device.attributes["a"].c == "k""#,
];

/// How the question about the driver, `{p}`, and the one about the rest, `{c}`, are put together.
const TOGETHER: [&str; 32] = [
    "({p}) && ({c})",
    "({c}) && ({p})",
    "({c}) ? ({p}) : false",
    "!({c}) ? false : ({p})",
    "({p}) ? ({c}) : false",
    "!(!({p}) || !({c}))",
    "({p}) && (({c}) || true)",
    "({p}) || (({c}) && false)",
    "cel.bind(p, {p}, p && ({c}))",
    "cel.bind(c, {c}, c ? ({p}) : false)",
    "cel.bind(c, {c}, ({p}) && c)",
    "[{p}, {c}].all(x, x)",
    "[{c}].exists(x, x && ({p}))",
    "[1, 2].exists(n, n == 2 && ({p}) && ({c}))",
    "[1].filter(t, {c}).exists(t, {p})",
    "({p}) == ({c})",
    "!(({p}) != ({c}))",
    r#"(({p}) ? "a" : "b") + (({c}) ? "c" : "d") == "ac""#,
    "[false, {p}][({c}) ? 1 : 0]",
    "{true: {p}, false: false}[{c}]",
    "optional.of({p}).orValue(false) && ({c})",
    "[{p}].filter(x, x).size() == 1 && ({c})",
    "sets.contains([true], [{p}]) && ({c})",
    r#"{"k": {p}}.all(k, v, v && ({c}))"#,
    r#"{"k": {"l": {p}}}.k.l && ({c})"#,
    r#"[{p}].transformList(i, v, v)[0] && ({c})"#,
    "({c}) && ({p}) || ({p}) && !({c})",
    "(({c}) ? [{p}] : [false])[0]",
    r#"{"x": ({c}) ? ({p}) : false}.x"#,
    "[{p}, {c}].exists_one(x, !x) ? false : ({p})",
    "({c}) || ({p})",
    "({c}) && !({p})",
];

fn filled(template: &str, name: &str) -> String {
    let mut parts = name.splitn(3, '.');
    let mut next = || parts.next().unwrap_or("x");
    let (first, second, third) = (next(), next(), next());
    template
        .replace("{n}", name)
        .replace("{0}", first)
        .replace("{1}", second)
        .replace("{2}", third)
}

/// Every selector that is made, in an order that mixes the kinds: the text, and what it is made of.
fn made() -> Vec<String> {
    let names = ["evil.example.com", "gpu.example.com", "nic.corp.io"];
    let questions: Vec<String> = EXACT
        .iter()
        .chain(&PARTIAL)
        .chain(&OTHERS)
        .flat_map(|template| names.map(|name| filled(template, name)))
        .collect();
    let mut all = Vec::new();
    for (place, question) in questions.iter().enumerate() {
        for (at, together) in TOGETHER.iter().enumerate() {
            let condition = CONDITIONS[(place * 7 + at * 3) % CONDITIONS.len()];
            all.push(together.replace("{p}", question).replace("{c}", condition));
        }
    }
    all
}

/// Drivers that the list of the first settings does not accept: others, and those that are like accepted ones.
const OTHER_DRIVERS: [&str; 33] = [
    "zzz",
    "GPU.EXAMPLE.COM",
    "NIC.CORP.IO",
    "gpugpu.example.com",
    "nicnic.corp.io",
    "gpu.examplex.com",
    "gpu-example-com",
    "nic.corpx.io",
    "evil.example.com",
    "evil.example.org",
    "evil.x.com",
    "gpu.example.com.evil.org",
    "gpu.x.com",
    "gpu.example",
    "xgpu.example.com",
    "gpu.example.comx",
    "gpux.example.com",
    "nic.corp.io.x",
    "nic.x.io",
    "nic.corp.com",
    "nic.x",
    "x.gpu.example.com",
    "gpa.example.com",
    "evi.example.com",
    "evilx.com",
    "nicx.corp",
    "nic-corp-io",
    "eviltwo",
    "gpu",
    "nic",
    "corp.nic",
    "other.corp",
    "e",
];

/// What devices of every driver are like.
fn devices() -> Vec<CelDevice> {
    let mut all = Vec::new();
    for number in 0..54 {
        let mut device = CelDevice::new("");
        let mut add = |name: &str, value: DeviceAttribute| {
            device.attributes.push((name.to_owned(), value));
        };
        match number % 3 {
            1 => add("a/b", DeviceAttribute::Int(7)),
            2 => add("a/b", DeviceAttribute::Int(1)),
            _ => {}
        }
        if number / 3 % 2 == 1 {
            add("a/c", DeviceAttribute::String("k".to_owned()));
        }
        match number / 6 % 3 {
            1 => add("a/flag", DeviceAttribute::Bool(true)),
            2 => add("a/flag", DeviceAttribute::Bool(false)),
            _ => {}
        }
        let (model, memory) = [("", ""), ("a100", "40Gi"), ("x9", "1Mi")][number / 18];
        if !model.is_empty() {
            let name = |name: &str| format!("gpu.example.com/{name}");
            add(&name("model"), DeviceAttribute::String(model.to_owned()));
            device.capacity.push((name("memory"), memory.to_owned()));
        }
        all.push(device);
    }
    all
}

/// The devices of a driver as variables of a selector.
struct Pool {
    environment: Environment,
    /// Devices of each driver that the list does not accept, and of some that nobody has.
    others: Vec<Vec<Vec<Cel>>>,
    nobody: Vec<Vec<Vec<Cel>>>,
}

impl Pool {
    fn of(others: &[&str]) -> Self {
        let minor = Release::latest().minor;
        let environment = device::environment(minor, &[], EnvironmentMode::New);
        let of_driver = |driver: &str| -> Vec<Vec<Cel>> {
            let with = |mut device: CelDevice| {
                device.driver = driver.to_owned();
                device.variables(&environment).unwrap()
            };
            devices().into_iter().map(with).collect()
        };
        let nobody = [
            "moon.lamp.zoo",
            "qq-7.test",
            "unknown",
            "some.longer.name.of.somebody",
            "7up.drinks.net",
            "tpu.vendor.dev",
            "x.y.z",
        ];
        Pool {
            others: others.iter().map(|driver| of_driver(driver)).collect(),
            nobody: nobody.iter().map(|driver| of_driver(driver)).collect(),
            environment,
        }
    }

    /// Returns true if the selector selects a device of one of the other drivers, which it does not select of most that nobody has;
    /// `None` if it does not compile.
    fn selects_other(&self, text: &str) -> Option<bool> {
        let program = self.environment.compile(text).ok()?;
        let is_true = |variables: &[Cel]| {
            program
                .evaluate(variables, SELECTOR_COST_LIMIT)
                .matches()
                .unwrap_or(false)
        };
        let selects = (0..devices().len()).any(|number| {
            let usual = self.nobody.iter().filter(|own| is_true(&own[number]));
            let is_usual = usual.count() * 2 > self.nobody.len();
            !is_usual && self.others.iter().any(|own| is_true(&own[number]))
        });
        Some(selects)
    }
}

/// The policy's verdict about a class with a selector.
fn accepts(drivers: &Value, text: &str) -> (bool, String) {
    let class = json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "c"},
        "spec": {"selectors": [{"cel": {"expression": text}}]}});
    let request = json!({"uid": "1", "kind": {"group": "resource.k8s.io", "version": "v1", "kind": "DeviceClass"},
        "name": "c", "operation": "CREATE", "userInfo": {"username": "jane"}, "object": class});
    let settings = json!({"validation": "off", "drivers": drivers});
    let payload = json!({"request": request, "settings": settings}).to_string();
    let answer = hosts::validate(payload.as_bytes(), None);
    let read: Value = serde_json::from_str(&answer).unwrap();
    (read["accepted"] == true, answer)
}

/// What was asked, and what is judged otherwise.
#[derive(Debug, Default)]
struct Compared {
    refused: usize,
    accepted: usize,
    /// Not every combination is CEL.
    uncompiled: Vec<String>,
    /// Accepted, although it selects a driver that is not.
    holes: Vec<String>,
    /// Refused, although no device of the pool gives a reason.
    strict: Vec<String>,
}

/// Compares the policy with the pool.
fn compare(step: usize) -> Compared {
    let all = made();
    let mut compared = Compared::default();
    for (drivers, others) in [
        (
            json!({"allow": ["gpu.example.com", "*.corp.io"]}),
            &OTHER_DRIVERS[..],
        ),
        (
            json!({"deny": ["evil.example.com"]}),
            &["evil.example.com"][..],
        ),
    ] {
        let pool = Pool::of(others);
        for text in all.iter().step_by(step) {
            let (given, answer) = accepts(&drivers, text);
            match pool.selects_other(text) {
                None => compared.uncompiled.push(text.clone()),
                Some(true) if given => compared.holes.push(format!("{drivers} {text}")),
                Some(false) if !given => {
                    compared
                        .strict
                        .push(format!("{drivers} {text}\n  {answer}"));
                }
                Some(_) => {}
            }
            let count = if given {
                &mut compared.accepted
            } else {
                &mut compared.refused
            };
            *count += 1;
        }
    }
    compared
}

#[test]
fn selectors_are_judged_as_trying_them_judges() {
    // One selector in so many is tried, or all of them.
    let all = std::env::var_os("CLAIMKIT_ALL").is_some();
    let compared = compare(if all { 1 } else { 29 });
    let (accepted, refused) = (compared.accepted, compared.refused);
    println!(
        "{refused} selectors are refused, {accepted} accepted, {} are not CEL",
        compared.uncompiled.len()
    );
    let holes = &compared.holes;
    assert!(holes.is_empty(), "{}:\n{}", holes.len(), holes.join("\n"));
    // Of a test that every name passes it is not known: where a name that does not would be selected, the expression is refused.
    let strict = &compared.strict;
    let most = (accepted + refused) / 100;
    assert!(
        strict.len() <= most,
        "{}:\n{}",
        strict.len(),
        strict.join("\n")
    );
    assert!(refused >= 100 && accepted >= 100, "{refused} {accepted}");
    let uncompiled = compared.uncompiled.len();
    assert!(
        uncompiled * 10 < accepted + refused,
        "{:?}",
        compared.uncompiled
    );
}
