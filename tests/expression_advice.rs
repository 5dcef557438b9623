//! Advice about expressions: names of other languages, and tests that keep an expression from failing.

use crate::support::ask;
use serde_json::json;

/// The help for an expression that does not compile.
fn help(expression: &str) -> String {
    let request = json!({"verb": "cel", "expression": expression, "release": "1.37"});
    let answer = ask(&request);
    let help = answer["compile"]["help"].as_str();
    help.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn names_of_other_languages_are_written_as_cel_has_them() {
    let model = "device.attributes[\"a.b\"].m";
    for (expression, said) in [
        (
            format!("{model} =~ \"A\""),
            format!("write `{model}.matches(\"A\")` in place of `{model} =~ \"A\"`"),
        ),
        (
            format!("{model} ~= \"A\""),
            format!("write `{model}.matches(\"A\")` in place of `{model} ~= \"A\"`"),
        ),
        (
            format!("{model}.toLower() == \"a\""),
            "write `lowerAscii` in place of `toLower`".to_owned(),
        ),
        (
            "device.attributes[\"a.b\"].hasKey(\"m\")".to_owned(),
            "write `\"m\" in device.attributes[\"a.b\"]` in place of `device.attributes[\"a.b\"].hasKey(\"m\")`"
                .to_owned(),
        ),
        (
            format!("{model} == True"),
            "write `true` in place of `True`".to_owned(),
        ),
        (
            format!("{model}.startswith(\"a\")"),
            "write `startsWith` in place of `startswith`".to_owned(),
        ),
        (
            format!("{model}.isGreaterThan(\"1.2.3\")"),
            "write `semver(\"1.2.3\")` in place of `\"1.2.3\"`".to_owned(),
        ),
        (
            format!("{model}.isGreaterThan(\"0\")"),
            format!("write `{model} > 0` in place of `{model}.isGreaterThan(\"0\")`"),
        ),
        (
            "device.capacity[\"a.b\"].m in [\"40Gi\"]".to_owned(),
            "a quantity is equal only to a quantity: write each value as `quantity(…)`"
                .to_owned(),
        ),
        (
            "device.capacity[\"a.b\"].m".to_owned(),
            "a selector is true or false: compare the quantity, as in `….compareTo(quantity(…)) >= 0`"
                .to_owned(),
        ),
        (
            "device.attributes[\"a.b\"]".to_owned(),
            "a selector is true or false: read one of the names, and compare its value".to_owned(),
        ),
        (
            "device.driver.matches(\"gpu\\.example\")".to_owned(),
            "`\\.` is not an escape of CEL: write `\\\\.` in the string".to_owned(),
        ),
        (
            format!("{model} >== 1"),
            "write `>=` for `>==`".to_owned(),
        ),
        (
            "|| device.driver == \"a\"".to_owned(),
            "an expression cannot begin with `|| device.driver == \"a\"`".to_owned(),
        ),
        (
            "len(device.driver) > 2".to_owned(),
            "write `size` in place of `len`".to_owned(),
        ),
        (
            "contains(device.driver, \"a\")".to_owned(),
            "write `device.driver.contains(\"a\")` in place of `contains(device.driver, \"a\")`"
                .to_owned(),
        ),
        (
            "device.attribute[\"a\"].b == 1".to_owned(),
            "write `attributes` in place of `attribute`".to_owned(),
        ),
        (
            format!("{model}.string() == \"a\""),
            format!("write `string({model})` in place of `{model}.string()`"),
        ),
        (
            "device.capacity[\"a.b\"].m.sign() > 0".to_owned(),
            "write `sign(device.capacity[\"a.b\"].m)` in place of `device.capacity[\"a.b\"].m.sign()`"
                .to_owned(),
        ),
        (
            "device.capacity[\"a.b\"].m.value.isInteger()".to_owned(),
            "write `device.capacity[\"a.b\"].m` in place of `device.capacity[\"a.b\"].m.value`"
                .to_owned(),
        ),
        (
            format!("{model}.frobnicate() == 1"),
            "there is no function `frobnicate` for such values".to_owned(),
        ),
        (
            "device.driver == model".to_owned(),
            "`model` is not known here: the only variable is `device`, and a text has quotes"
                .to_owned(),
        ),
        (
            format!("{model} =~ model"),
            "`=~` is not an operator of CEL: write a regular expression as `.matches(…)`, and equality as `==`"
                .to_owned(),
        ),
    ] {
        assert_eq!(help(&expression), said, "{expression}");
    }
    assert!(help("model == 1").starts_with("the variable is `device`"));
}

/// What is in a text is neither a word nor a sign of the expression.
#[test]
fn texts_do_not_decide_about_the_rest() {
    for text in ["Intel and AMD", "a=b", ":(", "&lt;", "“a”", "it\\'s or"] {
        let expression =
            format!("device.attributes[\"d\"].n == \"{text}\" & device.driver == \"x\"");
        assert_eq!(help(&expression), "write `&&` and `||`", "{expression}");
    }
}

/// Each advice is compiled before it is given.
#[test]
fn words_and_signs_of_other_languages() {
    let map = "device.attributes[\"d\"]";
    for (expression, said) in [
        ("device.driver == \"a\" AND true", "write `&&` for `AND`"),
        ("not MAP.x", "write `!` for `not`"),
        (
            "not MAP.x == 1 and device.driver == \"b\"",
            "write `!(MAP.x == 1) && device.driver == \"b\"`",
        ),
        ("MAP.x is true", "write `==` for `is`"),
        ("MAP.x is not true", "write `!=` for `is not`"),
        ("device.driver <> \"a\"", "write `!=` for `<>`"),
        ("MAP.x === 1", "write `==` for `===`"),
        ("MAP.x = 1", "compare with `==`"),
        ("device.driver == \"a\";", "leave `;` out"),
        ("device.driver == \"a\"; MAP.x == 1", "write `&&` for `;`"),
        (
            "device.driver == \"a\" # this and that",
            "write `//` for `#`",
        ),
        (
            "device.driver == \"a\" # ours && MAP.x == 1",
            "CEL has no comments with `#`, and `//` would take the rest of the condition on this line along: leave the comment out",
        ),
        (
            "device.driver == \"a\" # ours\n&& MAP.x == 1",
            "write `//` for `#`",
        ),
        (
            "MAP.x in (\"a\", \"b\")",
            "write `[\"a\", \"b\"]` for `(\"a\", \"b\")`",
        ),
        (
            "\"x\" not in MAP",
            "write `!(\"x\" in MAP)` for `\"x\" not in MAP`",
        ),
        (
            "MAP.x like \"A%\"",
            "write `MAP.x.startsWith(\"A\")` for `MAP.x like \"A%\"`",
        ),
        (
            "MAP?.x == 1",
            "CEL has no `?.`: write `has(MAP.x) && ` before `MAP.x`",
        ),
        (
            "device.driver in [\"b\" \"c\"]",
            "a `,` is missing between two values",
        ),
        ("device.driver == 'a", "a `'` is missing"),
        (
            "device.driver ==",
            "the expression ends too early: a value, or a sign that closes, is missing at its end",
        ),
        (
            "device.driver ~ \"a\"",
            "`~ \"a\"` cannot follow the part before it: an operator is missing between them, or is not one of CEL",
        ),
        (
            "if device.driver == \"a\"",
            "`if` is reserved and cannot be used: a selector is one condition",
        ),
    ] {
        let (expression, said) = (expression.replace("MAP", map), said.replace("MAP", map));
        assert_eq!(help(&expression), said, "{expression}");
    }
}

#[test]
fn limits_of_an_expression_are_not_taken_for_its_end() {
    let deep = format!("{}true{}", "(".repeat(300), ")".repeat(300));
    assert_eq!(
        help(&deep),
        "the expression is nested too deeply: leave out brackets, or write several selectors, which must all be true"
    );
    let long = format!("device.driver == \"{}\"", "a".repeat(100_001));
    assert_eq!(
        help(&long),
        "the expression is too long: write several selectors, which must all be true"
    );
}

#[test]
fn operators_are_known_and_their_values_are_wrong() {
    for (expression, said) in [
        (
            "device.attributes[\"a.b/type\"] == \"gpu\"",
            "write `device.attributes[\"a.b\"].type` in place of `device.attributes[\"a.b/type\"]`",
        ),
        (
            "device[\"attributes\"][\"d\"].a == 1",
            "write `.attributes` in place of `[\"attributes\"]`",
        ),
        (
            "device.driver in \"gpu\"",
            "write `[\"gpu\"]` in place of `\"gpu\"`",
        ),
        (
            "device.attributes[\"a.b\"] == \"a\"",
            "`==` is given a map of names: read one of them, as in `device.attributes[\"domain\"].name`",
        ),
        (
            "device.capacity[\"a.b/m\"].isGreaterThan(quantity(\"1Gi\"))",
            "write `device.capacity[\"a.b\"].m` in place of `device.capacity[\"a.b/m\"]`",
        ),
        (
            "device.capacity[\"a.b\"].m.compareTo(quantity(40)) >= 0",
            "write `quantity(\"40\")` in place of `quantity(40)`",
        ),
        (
            "device.attributes[\"a.b\"].v.isGreaterThan(semver(550))",
            "write `semver(\"550.0.0\")` in place of `semver(550)`",
        ),
        (
            "device.attributes[\"a.b\"].v.isGreaterThanOrEqual(semver(\"1.0.0\"))",
            "write `compareTo(semver(\"1.0.0\")) >= 0` in place of `isGreaterThanOrEqual(semver(\"1.0.0\"))`",
        ),
        (
            "device.capacity[\"a.b\"].m.compareTo(quantity(\"1Gi\"))",
            "a selector is true or false: compare the value, as in `… >= 1`",
        ),
        (
            "exists(device.attributes[\"a.b\"].m)",
            "write `has` in place of `exists`",
        ),
        (
            "device.attributes[\"a.b\"].get(\"m\", false)",
            "write `device.attributes[\"a.b\"][?\"m\"].orValue(false)` in place of `device.attributes[\"a.b\"].get(\"m\", false)`",
        ),
        (
            "device.attributes[\"a.b\"].m.contains([\"A\"])",
            "there is no function `contains` for such values",
        ),
        (
            "device.driver == 1",
            "`==` does not take these values: their types are `string`, `int`",
        ),
        (
            "device.driver && true",
            "each part of `&&`, `||` and `?` is true or false, and this one is `string`: compare it, as in `… == \"a\"`",
        ),
        (
            "device.capacity[\"d\"].m == \"40Gi\"",
            "write `quantity(\"40Gi\")` in place of `\"40Gi\"`",
        ),
        (
            "device.capacity[\"d\"].m != 40",
            "write `quantity(\"40\")` in place of `40`",
        ),
        (
            "has(device.attributes[\"d\"])",
            "write `\"d\" in device.attributes` in place of `has(device.attributes[\"d\"])`",
        ),
        (
            "has(device.attributes[\"d\"][\"x\"])",
            "write `\"x\" in device.attributes[\"d\"]` in place of `has(device.attributes[\"d\"][\"x\"])`",
        ),
        (
            "device.driver.matches(\"*A100*\")",
            "write `\".*A100.*\"` in place of `\"*A100*\"`",
        ),
        (
            "device.attributes[\"d\"].i in [0, '1']",
            "write `1` in place of `'1'`",
        ),
        (
            "device.pool == \"a\"",
            "the fields of `device` are `driver`, `attributes`, `capacity`, `allowMultipleAllocations`, and `pool` is none of them: read attributes as `device.attributes[\"domain\"].name`",
        ),
    ] {
        assert_eq!(help(expression), said, "{expression}");
    }
}

/// A slice with some devices and a claim with a selector.
fn text(devices: &str, expression: &str) -> String {
    format!(
        "apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: s}}
spec:
  driver: a.b
  nodeName: n
  pool: {{name: p, generation: 1, resourceSliceCount: 1}}
  devices: {devices}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: c, namespace: d}}
spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: c, selectors: [{{cel: {{expression: '{expression}'}}}}]}}}}]}}}}
"
    )
}

/// The help of the first finding with a code.
fn finding_help(text: &str, code: &str) -> Option<String> {
    let answer = ask(&json!({"verb": "validate", "release": "1.37", "text": text}));
    let findings = answer["findings"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["code"] == code)?;
    finding["help"].as_str().map(str::to_owned)
}

/// `v == has(x) && x` would compare with the test, and fail on a device that has `x`.
#[test]
fn a_test_is_written_before_the_whole_comparison() {
    let devices =
        "[{name: a, attributes: {m: {string: x}}}, {name: b, attributes: {ver: {string: x}}}]";
    let comparison = "v == device.attributes[\"a.b\"].ver";
    let within = |comparison: &str| {
        text(
            devices,
            &format!("device.attributes[\"a.b\"].exists(k, v, {comparison})"),
        )
    };
    let test = "has(device.attributes[\"a.b\"].ver) && ";
    assert_eq!(
        finding_help(&within(comparison), "selector-fails"),
        Some(format!("write `{test}` before `{comparison}`"))
    );
    let obeyed = within(&format!("{test}{comparison}"));
    assert_eq!(finding_help(&obeyed, "selector-fails"), None);
}

#[test]
fn short_names_are_alike_only_with_most_of_their_letters() {
    let devices = "[{name: a, attributes: {model: {string: x}, nic: {int: 1}}}]";
    let reads = |name: &str| {
        let text = text(devices, &format!("device.attributes[\"a.b\"].{name} == 1"));
        finding_help(&text, "selector-name-unknown").unwrap()
    };
    for name in ["numa", "nope", "v"] {
        assert_eq!(reads(name), "published: `model`, `nic`", "{name}");
    }
    assert_eq!(reads("modle"), "did you mean `model`?");
    assert_eq!(reads("nics"), "did you mean `nic`?");
}

/// The help of each finding about an expression, by code.
fn helps(text: &str) -> Vec<(String, String)> {
    let answer = ask(&json!({"verb": "validate", "release": "1.37", "text": text}));
    let findings = answer["findings"].as_array().unwrap().iter();
    let of_selectors =
        findings.filter(|finding| finding["code"].as_str().unwrap().starts_with("selector-"));
    of_selectors
        .map(|finding| {
            let part = |name: &str| finding[name].as_str().unwrap().to_owned();
            (part("code"), part("help"))
        })
        .collect()
}

/// An optional value has the type that is published, and so has its other value. What a variable of the expression has is not known.
#[test]
fn optional_values_are_compared_in_the_published_type() {
    let devices = "[{name: a, attributes: {v: {version: 8.0.0}, i: {int: 0}}}]";
    let read =
        |name: &str, other: &str| format!("device.attributes[\"a.b\"].?{name}.orValue({other})");
    for (expression, new) in [
        (
            format!("{} >= \"7.5\"", read("v", "\"\"")),
            format!(
                "{}.compareTo(semver(\"7.5.0\")) >= 0",
                read("v", "semver(\"0.0.0\")")
            ),
        ),
        (
            format!("{} > \"1\"", read("i", "\"0\"")),
            format!("{} > 1", read("i", "0")),
        ),
    ] {
        let helps = helps(&text(devices, &expression));
        let help = format!("write `{new}`");
        assert!(
            helps
                .iter()
                .any(|(code, said)| code == "selector-compares-text" && *said == help),
            "{expression}: {helps:?}"
        );
    }
    let bound = "cel.bind(a, device.attributes[\"a.b\"], a.i > \"1\")";
    let codes: Vec<String> = helps(&text(devices, bound))
        .into_iter()
        .map(|(code, _)| code)
        .collect();
    assert_eq!(codes, ["selector-fails"]);
}

/// The slices of the files say in which type an attribute is published.
#[test]
fn comparisons_are_written_for_the_published_type() {
    let devices = "[{name: a, attributes: {v: {version: 8.0.0}, i: {int: 0}, b: {bool: false}, s: {string: x}, x.y/root: {string: r}}, capacity: {memory: {value: 40Gi}}}]";
    let read = |name: &str| format!("device.attributes[\"a.b\"].{name}");
    for (expression, code, new) in [
        (
            format!("{} >= \"8.0.0\"", read("v")),
            "selector-compares-text",
            format!("{}.compareTo(semver(\"8.0.0\")) >= 0", read("v")),
        ),
        (
            format!("{} >= \"7.5\"", read("v")),
            "selector-compares-text",
            format!("{}.compareTo(semver(\"7.5.0\")) >= 0", read("v")),
        ),
        (
            format!("\"7\" < {}", read("v")),
            "selector-compares-text",
            format!("{}.compareTo(semver(\"7.0.0\")) > 0", read("v")),
        ),
        (
            format!("{} == \"8.0.0\"", read("v")),
            "selector-compares-text",
            format!("{}.compareTo(semver(\"8.0.0\")) == 0", read("v")),
        ),
        (
            format!("{} >= \"0\"", read("i")),
            "selector-compares-text",
            format!("{} >= 0", read("i")),
        ),
        (
            format!("{} == \"0\"", read("i")),
            "selector-constant",
            format!("{} == 0", read("i")),
        ),
        (
            format!("{} in [\"0\", \"1\"]", read("i")),
            "selector-constant",
            format!("{} in [0, 1]", read("i")),
        ),
        (
            format!("{} == \"false\"", read("b")),
            "selector-constant",
            format!("{} == false", read("b")),
        ),
    ] {
        let found = helps(&text(devices, &expression));
        let advised = (code.to_owned(), format!("write `{new}`"));
        assert!(found.contains(&advised), "{expression}: {found:?}");
        // Obeyed, the selector matches the device.
        assert_eq!(helps(&text(devices, &new)), [], "{new}");
        let device = json!({"driver": "a.b", "name": "a", "attributes": {"v": {"version": "8.0.0"}, "i": {"int": 0}, "b": {"bool": false}}});
        let answer =
            ask(&json!({"verb": "cel", "release": "1.37", "expression": new, "devices": [device]}));
        assert_eq!(answer["results"][0]["match"], true, "{new}: {answer}");
    }
    // A domain that is computed hides no misspelled name.
    let hidden = text(
        "[{name: a, attributes: {model: {string: x}}}]",
        "device.attributes[device.driver].modle == \"x\"",
    );
    assert_eq!(
        helps(&hidden),
        [(
            "selector-fails".to_owned(),
            "did you mean `model`?".to_owned()
        )]
    );
    // A number is no limit for a string.
    let ordered = text(devices, &format!("{} >= 9", read("s")));
    let help = "publish it as `int`: strings are compared letter by letter, and only `==` and `!=` are of use here";
    assert!(
        helps(&ordered).iter().any(|(_, said)| said == help),
        "{:?}",
        helps(&ordered)
    );
    for (expression, help) in [
        (
            "device.attributes[\"a.b\"][\"x.y/root\"] == \"r\"".to_owned(),
            "a name is written without its domain: write `device.attributes[\"x.y\"].root`",
        ),
        (
            format!("{} == \"r\"", read("root")),
            "`root` is published in the domain `x.y`: write `device.attributes[\"x.y\"].root`",
        ),
        (
            format!("{} == \"40Gi\"", read("memory")),
            "`a.b/memory` is published under `capacity`: write `device.capacity[\"a.b\"].memory == quantity(\"40Gi\")`",
        ),
    ] {
        assert_eq!(
            helps(&text(devices, &expression)),
            [("selector-name-unknown".to_owned(), help.to_owned())]
        );
    }
    // The values of a type are not all known.
    assert_eq!(
        helps(&text(devices, &format!("{} == \"y\"", read("s")))),
        []
    );
    let unknown = helps(&text(devices, "device.attributes[\"z.z\"].n >= \"550.54\""));
    let publish = "publish it as `version` and write `device.attributes[\"z.z\"].n.compareTo(semver(\"550.54.0\")) >= 0`";
    assert!(
        unknown.iter().any(|(_, help)| help == publish),
        "{unknown:?}"
    );
}

/// The expression with the advice `write A in place of B` obeyed.
fn obeyed(expression: &str, help: &str) -> String {
    let (_, rest) = help.split_once("write `").unwrap();
    let (new, rest) = rest
        .split_once("` in place of `")
        .unwrap_or_else(|| panic!("{help}"));
    let old = rest.split_once('`').unwrap().0;
    assert!(expression.contains(old), "{help}");
    expression.replacen(old, new, 1)
}

/// A test does not turn a condition around: the devices that were meant are selected, with and without the attribute.
#[test]
fn a_test_keeps_to_what_the_condition_means() {
    let devices = "[{name: a, attributes: {m: {string: x}}}, {name: b, attributes: {mig: {bool: true}, profile: {string: 1g.5gb}}}]";
    let mig = "device.attributes[\"a.b\"].mig";
    let profile = "device.attributes[\"a.b\"].profile";
    for (expression, selects) in [
        (format!("!{mig}"), [true, false]),
        (format!("!({mig})"), [true, false]),
        (format!("{mig} == false"), [true, false]),
        (format!("{mig} != true"), [true, false]),
        (format!("{profile} != \"1g.5gb\""), [true, false]),
        (format!("!{profile}.startsWith(\"1g\")"), [true, false]),
        (
            format!("device.driver == \"a.b\" && !({profile} in [\"1g.5gb\"])"),
            [true, false],
        ),
        (
            format!("!({mig} && {profile} == \"1g.5gb\")"),
            [true, false],
        ),
        (format!("!({profile} != \"1g.5gb\")"), [false, true]),
        (mig.to_owned(), [false, true]),
        (format!("{profile} == \"1g.5gb\""), [false, true]),
    ] {
        let mut written = expression.clone();
        // One test for each name.
        while let Some(help) = finding_help(&text(devices, &written), "selector-fails") {
            written = match help.strip_prefix("begin the expression with `") {
                Some(test) => format!("{}{written}", test.trim_end_matches('`')),
                None => obeyed(&written, &help),
            };
            assert!(written.len() < 600, "{written}");
        }
        let device = |attributes: serde_json::Value| json!({"driver": "a.b", "name": "a", "attributes": attributes});
        let devices = [
            device(json!({"m": {"string": "x"}})),
            device(json!({"mig": {"bool": true}, "profile": {"string": "1g.5gb"}})),
        ];
        let answer = ask(
            &json!({"verb": "cel", "release": "1.37", "expression": written, "devices": devices}),
        );
        let found = [0, 1].map(|at| answer["results"][at]["match"] == true);
        assert_eq!(found, selects, "{expression}: {written} {answer}");
    }
}

/// Obeyed, the expression compiles: with the values that it has.
#[test]
fn advice_has_the_values_of_the_expression() {
    let memory = "device.capacity[\"a.b\"].memory";
    let version = "device.attributes[\"a.b\"].v";
    for (expression, new) in [
        (
            format!("{memory} >= \"80Gi\""),
            format!("{memory}.compareTo(quantity(\"80Gi\")) >= 0"),
        ),
        (
            format!("{memory} > quantity(\"80Gi\") && true"),
            format!("{memory}.compareTo(quantity(\"80Gi\")) > 0 && true"),
        ),
        (
            format!("80 < {memory}"),
            format!("{memory}.compareTo(quantity(\"80\")) > 0"),
        ),
        (
            format!("{memory}.compareTo(\"80Gi\") >= 0"),
            format!("{memory}.compareTo(quantity(\"80Gi\")) >= 0"),
        ),
        (
            format!("{memory}.isGreaterThan(\"80GB\")"),
            format!("{memory}.isGreaterThan(quantity(\"80G\"))"),
        ),
        (
            format!("{memory}.isLessThan(80)"),
            format!("{memory}.isLessThan(quantity(\"80\"))"),
        ),
        (
            format!("{version} > semver(\"12.4.0\")"),
            format!("{version}.compareTo(semver(\"12.4.0\")) > 0"),
        ),
        (
            "[1, 2].all(x => x > 0)".to_owned(),
            "[1, 2].all(x, x > 0)".to_owned(),
        ),
        (
            "[1, 2].some((x) -> x > 0)".to_owned(),
            "[1, 2].exists(x, x > 0)".to_owned(),
        ),
        (
            "device.driver.includes(\"a\")".to_owned(),
            "device.driver.contains(\"a\")".to_owned(),
        ),
        (
            format!("{version}.includes(\"a\")"),
            format!("{version}.contains(\"a\")"),
        ),
        (
            format!("{version}.isGreaterThan(3)"),
            format!("{version} > 3"),
        ),
        (
            format!("!{version} in [\"A100\"]"),
            format!("!({version} in [\"A100\"])"),
        ),
        (
            format!("device.driver == \"x\" || !{version} in [\"A100\"] && true"),
            format!("device.driver == \"x\" || !({version} in [\"A100\"]) && true"),
        ),
        (
            "device.capacity[\"memory\"].isGreaterThan(quantity(\"1Gi\"))".to_owned(),
            "device.capacity[\"domain\"].memory.isGreaterThan(quantity(\"1Gi\"))".to_owned(),
        ),
        (
            "device.attributes.model == \"A\"".to_owned(),
            "device.attributes[\"domain\"].model == \"A\"".to_owned(),
        ),
        (
            "device.attributes[\"model\"].startsWith(\"A\")".to_owned(),
            "device.attributes[\"domain\"].model.startsWith(\"A\")".to_owned(),
        ),
    ] {
        let written = obeyed(&expression, &help(&expression));
        assert_eq!(written, new, "{expression}");
        let answer = ask(&json!({"verb": "cel", "expression": written, "release": "1.37"}));
        assert_eq!(answer["compile"]["ok"], true, "{answer}");
    }
    assert_eq!(
        help(&format!("{version} between 1 and 4")),
        format!("write `{version} >= 1 && {version} <= 4` for `{version} between 1 and 4`")
    );
}

#[test]
fn an_expression_without_a_loop_is_not_told_to_loop_less() {
    let devices = "[{name: a, attributes: {profile: {string: x}}}]";
    let profile = "device.attributes[\"a.b\"].?profile.orValue(\"none\")";
    for call in [
        ".contains(\"1g\")",
        ".matches(\"1g.*\")",
        ".lowerAscii() == \"1g\"",
    ] {
        let expression = format!("{profile}{call}");
        let help = finding_help(&text(devices, &expression), "selector-too-expensive").unwrap();
        let written = obeyed(&expression, &help);
        assert_eq!(
            finding_help(&text(devices, &written), "selector-too-expensive"),
            None,
            "{written}"
        );
    }
}

/// Whether an expression matches a device without attributes.
fn matches_bare(expression: &str) -> serde_json::Value {
    let answer = crate::support::ask(
        &serde_json::json!({"verb": "cel", "expression": expression, "devices": [{"driver": "d"}]}),
    );
    answer["results"][0]["match"].clone()
}

#[test]
fn a_cheaper_condition_selects_the_same_without_the_value() {
    for default in ["none", "1g"] {
        for negation in ["", "!"] {
            let expression = format!(
                "{negation}device.attributes[\"a.b\"].?profile.orValue(\"{default}\").contains(\"1g\")"
            );
            let text = text(
                "[{name: a, attributes: {profile: {string: x}}}]",
                &expression,
            );
            let help = finding_help(&text, "selector-too-expensive").unwrap();
            let written = obeyed(&expression, &help);
            assert_ne!(written, expression, "{help}");
            assert_eq!(
                matches_bare(&written),
                matches_bare(&expression),
                "{written}"
            );
        }
    }
}

/// In quotes of YAML, the advised code is written in another way.
#[test]
fn quotes_of_yaml_are_said() {
    let devices = "[{name: a}]";
    let single = text(devices, "device.capacity[\"a.b\"].m == \"40Gi\"");
    let double = single.replace(
        "expression: 'device.capacity[\"a.b\"].m == \"40Gi\"'",
        "expression: \"device.capacity['a.b'].m == '40Gi'\"",
    );
    let said = finding_help(&double, "selector-invalid").unwrap();
    assert!(
        said.ends_with("the expression is in double quotes of YAML, so put a `\\` before each `\"` and each `\\` of it"),
        "{said}"
    );
    let said = finding_help(&single, "selector-invalid").unwrap();
    assert!(!said.contains("YAML"), "{said}");
}

/// A test for a field of a value would be false for every device.
#[test]
fn a_field_of_a_value_is_not_tested_for() {
    let devices =
        "[{name: a, attributes: {ver: {version: 1.2.3}, model: {string: A100}, index: {int: 4}}}]";
    let read = |rest: &str| format!("device.attributes[\"a.b\"].{rest}");
    for (expression, new) in [
        (read("ver.major >= 1"), read("ver.major() >= 1")),
        (read("model.size == 4"), read("model.size() == 4")),
        (read("model.len == 4"), read("model.size() == 4")),
        (
            read("model.startsWith == \"A\""),
            read("model.startsWith(\"A\")"),
        ),
        (read("model.name == \"A100\""), read("model == \"A100\"")),
        (
            "device.attributes[device.driver].ver.major == 1".to_owned(),
            "device.attributes[device.driver].ver.major() == 1".to_owned(),
        ),
    ] {
        let help = finding_help(&text(devices, &expression), "selector-fails").unwrap();
        let written = match help.strip_prefix("leave `") {
            Some(rest) => expression.replacen(rest.split_once('`').unwrap().0, "", 1),
            None => obeyed(&expression, &help),
        };
        assert_eq!(written, new, "{help}");
        assert_eq!(helps(&text(devices, &written)), [], "{written}");
    }
    assert_eq!(
        finding_help(&text(devices, &read("model.major >= 1")), "selector-fails").unwrap(),
        "`device.attributes[\"a.b\"].model` is a value without fields: compare the value itself"
    );
}

/// What is advised of a name that is published elsewhere compiles, and does not fail on the device that has it.
#[test]
fn a_capacity_that_is_read_as_an_attribute_is_compared_as_a_capacity() {
    let devices = "[{name: a, attributes: {index: {int: 4}}, capacity: {memory: {value: 40Gi}}}]";
    let under = |holder: &str, name: &str| format!("`a.b/{name}` is published under `{holder}`");
    for (rest, new) in [
        (
            "memory > 10",
            Some("memory.compareTo(quantity(\"10\")) > 0"),
        ),
        (
            "memory >= \"40Gi\"",
            Some("memory.compareTo(quantity(\"40Gi\")) >= 0"),
        ),
        ("memory == 4", Some("memory == quantity(\"4\")")),
        (
            "memory in [4, 5]",
            Some("memory in [quantity(\"4\"), quantity(\"5\")]"),
        ),
        ("memory.isGreaterThan(quantity(\"1\"))", Some("memory")),
        ("memory * 2 > 10", None),
    ] {
        let expression = format!("device.attributes[\"a.b\"].{rest}");
        let written = new.map(|new| format!(": write `device.capacity[\"a.b\"].{new}`"));
        assert_eq!(
            finding_help(&text(devices, &expression), "selector-name-unknown"),
            Some(under("capacity", "memory") + &written.unwrap_or_default()),
            "{expression}"
        );
    }
    let expression = "device.capacity[\"a.b\"].index.compareTo(quantity(\"4\")) >= 0";
    assert_eq!(
        finding_help(&text(devices, expression), "selector-name-unknown"),
        Some(under("attributes", "index"))
    );
}

/// `&&` binds more than `?`: without parentheses the test would decide about its first part only.
#[test]
fn a_test_before_a_choice_excludes_the_device() {
    let devices =
        "[{name: a, attributes: {index: {int: 4}}}, {name: b, attributes: {m: {string: x}}}]";
    let choice = "device.attributes[\"a.b\"].index == 4 ? false : true";
    let test = "has(device.attributes[\"a.b\"].index) && ";
    assert_eq!(
        finding_help(&text(devices, choice), "selector-fails"),
        Some(format!(
            "begin the expression with `{test}(` and end it with `)`"
        ))
    );
    let obeyed = format!("{test}({choice})");
    assert_eq!(helps(&text(devices, &obeyed)), []);
    assert_eq!(matches_bare(&obeyed), false);
    let inner = format!("device.driver == \"a.b\" && ({choice})");
    let help = finding_help(&text(devices, &inner), "selector-fails").unwrap();
    assert!(
        help.ends_with(": a device without the value is then selected"),
        "{help}"
    );
}

#[test]
fn a_device_of_the_driver_without_any_attribute_fails() {
    let devices = "[{name: a, attributes: {model: {string: x}}}, {name: b}]";
    let expression = "device.attributes[\"a.b\"].model == \"x\"";
    assert_eq!(
        finding_help(&text(devices, expression), "selector-fails").unwrap(),
        "begin the expression with `has(device.attributes[\"a.b\"].model) && `"
    );
}

/// An optional value needs a value for a missing one before it is compared.
#[test]
fn optional_values_are_taken_out() {
    let read = "device.attributes[\"a.b\"].?x";
    let memory = "device.capacity[\"a.b\"].?memory";
    let zero = "orValue(quantity(\"0\"))";
    for (expression, new) in [
        (read.to_owned(), format!("{read}.orValue(false)")),
        (
            format!("{read} || device.driver == \"x\""),
            format!("{read}.orValue(false) || device.driver == \"x\""),
        ),
        (
            format!("{memory} >= quantity(\"1Gi\")"),
            format!("{memory}.{zero}.compareTo(quantity(\"1Gi\")) >= 0"),
        ),
        (
            format!("{memory} >= \"1Gi\" && true"),
            format!("{memory}.{zero}.compareTo(quantity(\"1Gi\")) >= 0 && true"),
        ),
        (
            format!("{memory}.isGreaterThan(quantity(\"1Gi\"))"),
            format!("{memory}.{zero}.isGreaterThan(quantity(\"1Gi\"))"),
        ),
        (
            format!("{read} == \"A100\""),
            format!("{read}.orValue(\"\") == \"A100\""),
        ),
        (format!("4 <= {read}"), format!("4 <= {read}.orValue(0)")),
        (
            format!("{read} in [1, 2]"),
            format!("{read}.orValue(0) in [1, 2]"),
        ),
        (
            format!("{read}.compareTo(semver(\"1.0.0\")) > 0"),
            format!("{read}.orValue(semver(\"0.0.0\")).compareTo(semver(\"1.0.0\")) > 0"),
        ),
        (
            format!("device.capacity[\"a.b\"].memory.{zero}.isGreaterThan(quantity(\"1\"))"),
            format!("{memory}.{zero}.isGreaterThan(quantity(\"1\"))"),
        ),
    ] {
        let written = obeyed(&expression, &help(&expression));
        assert_eq!(written, new, "{expression}");
        let answer = ask(&json!({"verb": "cel", "expression": written, "release": "1.37"}));
        assert_eq!(answer["compile"]["ok"], true, "{answer}");
        let bare = matches_bare(&written);
        assert!(bare.is_boolean(), "{written}: {bare}");
    }
    assert!(help(&format!("{read}.matches(\"A.*\")")).starts_with("`.?` reads a value"));
}

#[test]
fn the_cause_is_named_and_not_what_follows_from_it() {
    assert_eq!(
        help("device.capacity[\"a.b\"].memory / 2 > quantity(\"1\")"),
        "a quantity has no `/`: it has `.add(…)` and `.sub(…)`, and `.compareTo(…)` to compare it"
    );
    assert_eq!(
        help("\"device.driver == 'a.b'\""),
        "the expression is one string: leave its outer quotes out"
    );
    assert!(help("\"gpu\"").starts_with("a selector is true or false: compare the value"));
}

/// A sign that is missing does not stand first, and YAML reads the expression as it is.
#[test]
fn a_missing_sign_does_not_need_quotes_of_yaml() {
    let claim = |expression: &str| {
        text("[{name: a}]", "true")
            .replace("'true'", expression)
            .replace("{cel: {expression: ", "{cel: {\n  expression: ")
    };
    let said = finding_help(&claim("device.driver == 'a"), "selector-invalid");
    assert_eq!(said.as_deref(), Some("a `'` is missing"));
}

/// A field of a quantity is left out and the quantity compared in one; what is a quantity or a version already is not made one.
#[test]
fn values_are_read_as_what_they_are() {
    let memory = "device.capacity[\"a.b\"].memory";
    let right = format!("{memory}.compareTo(quantity(\"40\")) >= 0");
    for number in ["40", "quantity(\"40\")"] {
        assert_eq!(
            help(&format!("{memory}.value >= {number}")),
            format!(
                "the value itself is read: leave the field out of `{memory}.value`, and write `{right}`"
            )
        );
    }
    help_compiles(&right);
    assert_eq!(
        help(&format!(
            "quantity({memory}).isGreaterThan(quantity(\"40Gi\"))"
        )),
        format!("write `{memory}` in place of `quantity({memory})`")
    );
    let devices = "[{name: a, attributes: {ver: {version: 1.2.3}}}]";
    let version = "device.attributes[\"a.b\"].ver";
    let expression = format!("semver({version}).major() >= 1");
    let said = finding_help(&text(devices, &expression), "selector-fails").unwrap();
    assert_eq!(
        said,
        format!("write `{version}` in place of `semver({version})`: it is such a value already")
    );
    assert_eq!(
        helps(&text(devices, &format!("{version}.major() >= 1"))),
        []
    );
    let said = finding_help(
        &text(devices, &format!("{version}.startsWith(\"1\")")),
        "selector-fails",
    );
    let said = said.unwrap();
    assert!(
        said.starts_with(&format!(
            "`{version}` is a version, not a string, and has no `startsWith`"
        )),
        "{said}"
    );
    // It has the function, for another argument.
    let compared = format!("{version}.compareTo(device.attributes[\"a.b\"].model) >= 0");
    let devices = "[{name: a, attributes: {ver: {version: 1.2.3}, model: {string: x}}}]";
    let said = finding_help(&text(devices, &compared), "selector-fails").unwrap_or_default();
    assert!(!said.contains("has no"), "{said}");
}

fn help_compiles(expression: &str) {
    let answer = ask(&json!({"verb": "cel", "expression": expression, "release": "1.37"}));
    assert_eq!(answer["compile"]["ok"], true, "{answer}");
}

/// A domain is another one if one of its labels is, however long the rest is that they share.
#[test]
fn another_driver_is_not_a_misspelling() {
    let devices = "[{name: a, attributes: {m: {string: x}}}]";
    for (driver, near) in [("a.b", true), ("nic.a.b.example.com", false)] {
        let text = text(devices, &format!("device.driver == \"{driver}\""))
            .replace("driver: a.b", "driver: gpu.a.b.example.com");
        let said = helps(&text).to_vec();
        assert!(
            !format!("{said:?}").contains("did you mean"),
            "{driver} {near} {said:?}"
        );
    }
    let text = text(devices, "device.driver == \"gpu.a.b.exmaple.com\"")
        .replace("driver: a.b", "driver: gpu.a.b.example.com");
    assert!(format!("{:?}", helps(&text)).contains("did you mean `gpu.a.b.example.com`"));
}

/// YAML makes one line of folded lines, and a comment lasts until its end.
#[test]
fn a_comment_that_takes_conditions_along_is_told() {
    let claim = |lines: &str| text("[{name: a}]", "true").replace("'true'", lines);
    let lines = "\"device.driver == 'a' // ours\n  && device.driver != 'b'\"";
    let said = finding_help(&claim(lines), "selector-comment");
    assert_eq!(
        said.as_deref(),
        Some("remove the comment, or write the lines under `|`, where each keeps its end")
    );
    for lines in [
        "\"device.driver == 'a' // ours\"",
        "\"device.driver == 'a'\n  && device.driver != 'b' // both\"",
        "\"device.driver == 'a // && b'\n  || true\"",
        "\"device.driver == 'a' // && x\"",
    ] {
        assert_eq!(
            finding_help(&claim(lines), "selector-comment"),
            None,
            "{lines}"
        );
    }
}
