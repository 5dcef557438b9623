//! Behavior from upstream's sources that has no recorded answer.

use claimkit_cel::value::Value;
use claimkit_cel::{Environment, EnvironmentMode, ErrorKind, SELECTOR_COST_LIMIT};

use super::environment;

/// Returns the type of a compiled expression, or the whole error.
fn compiled(minor: u8, expression: &str) -> Result<String, String> {
    let environment = environment(minor, &[], EnvironmentMode::Stored);
    environment
        .check(expression)
        .map(|checked| checked.output_type().to_string())
        .map_err(|error| error.text)
}

/// Returns the cost estimate of an expression, and its cost.
fn costs(minor: u8, expression: &str) -> (u64, u64) {
    let environment = environment(minor, &[], EnvironmentMode::Stored);
    let program = environment
        .compile(expression)
        .unwrap_or_else(|error| panic!("{expression}: {}", error.text));
    (
        program.cost_estimate().unwrap().max,
        program.evaluate(&[], SELECTOR_COST_LIMIT).cost,
    )
}

/// Follows cel-go 0.20 to 0.26, `ext/formatting.go`, `stringFormatChecker.verifyString`: the error names the refused element, at
/// any depth.
#[test]
fn a_format_names_the_element_it_does_not_take() {
    let text = "error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity";
    for (expression, column) in [
        (r#""%s".format([quantity("1")])"#, 22),
        (r#""%s".format([[quantity("1")]])"#, 23),
        (r#""%s".format([{"a": [1, quantity("1")]}])"#, 32),
        (r#""%s".format([{quantity("1"): 1}])"#, 23),
    ] {
        for minor in 31..=36 {
            let found = compiled(minor, expression).unwrap_err();
            assert!(
                found.starts_with(&format!(
                    "compilation failed: ERROR: <input>:1:{column}: {text}\n"
                )),
                "{minor}: {found}"
            );
        }
    }
    assert_eq!(
        compiled(36, r#""%s".format([[1, [{"a": b"b"}]]])"#),
        Ok("string".to_owned())
    );
}

/// Follows kube-apiserver 1.33 to 1.36, `k8s.io/apiserver/pkg/cel/library/cost.go`, `EstimateCallCost`, `split`: a literal limit
/// is converted to an unsigned number as it is, so that -1 is the largest.
#[test]
fn a_split_with_a_negative_limit_has_no_known_size() {
    let each = |limit: &str| costs(36, &format!(r#""a.b".split("."{limit}).all(x, x != "")"#)).0;
    assert_eq!(each(", -1"), u64::MAX);
    assert!(each("") < 100 && each(", 2") < 100);
}

/// Follows the same, `_==_`: for two URLs the size of the right one counts.
#[test]
fn equality_of_urls_is_estimated_by_the_right_side() {
    let (short, long) = (
        r#"url("https://a.b/")"#,
        format!(r#"url("https://a.b/{}")"#, "c".repeat(100)),
    );
    let (left, right) = (
        costs(36, &format!("{long} == {short}")).0,
        costs(36, &format!("{short} == {long}")).0,
    );
    assert_eq!(right - left, 10);
}

/// Follows the same, `CallCost`, `validate`: a string counts as one longer than its length, so that an empty string has a cost.
#[test]
fn named_formats_cost_something_for_empty_texts() {
    let cost = |text: &str| {
        costs(
            36,
            &format!(r#"format.dns1123Label().validate("{text}") == optional.none()"#),
        )
        .1
    };
    assert_eq!(cost(""), cost("a12345678"));
    assert_eq!(cost("a123456789"), cost("a1234567890"));
    assert!(cost("a123456789") > cost("a12345678"));
}

/// Follows kube-apiserver, `pkg/cel/library/lists.go`: an element without an order is an error at any place; sums begin with
/// zero.
#[test]
fn lists_are_asked_for_every_element() {
    let environment = environment(36, &[], EnvironmentMode::Stored);
    let run = |expression: &str| {
        let outcome = environment
            .compile(expression)
            .unwrap()
            .evaluate(&[], SELECTOR_COST_LIMIT);
        outcome.matches().map_err(String::from)
    };
    for last in ["[1]", "null", "quantity(\"1\")", "int"] {
        for call in ["min() == 1", "max() == 1", "isSorted()"] {
            let expression = format!("[dyn(1), dyn({last})].{call}");
            assert_eq!(
                run(&expression),
                Err("no such overload".to_owned()),
                "{expression}"
            );
        }
    }
    // The order of what comes before is known first.
    assert_eq!(run("[dyn(2), dyn(1), dyn(null)].isSorted()"), Ok(false));
    assert_eq!(
        run("[dyn(1), dyn('a')].min() == 1 && [dyn(1), dyn('a')].isSorted()"),
        Ok(true)
    );
    assert_eq!(
        run("string([-0.0].sum()) == '0' && [1.5, -0.5].sum() == 1.0"),
        Ok(true)
    );
}

/// Follows cel-go, `cel/validator.go`, `inExemptFunction`: up to 0.17 a list of several types is exempt as an argument of
/// `format` or inside of one, later also inside of other calls there.
#[test]
fn lists_of_several_types_are_exempt_inside_of_formats() {
    for (expression, first) in [
        (
            r#""%s".format([size([1, "a"])]) == "2""#,
            Err("compilation failed: ERROR: <input>:1:23: expected type 'int' but found 'string'"),
        ),
        (r#""%s".format([[[1, "a"], 2]]) == "2""#, Ok(())),
    ] {
        let found = |environment: &Environment| {
            environment
                .check(expression)
                .map(|_| ())
                .map_err(|error| error.text)
        };
        for minor in 31..=36 {
            assert_eq!(
                found(&environment(minor, &[], EnvironmentMode::Stored)),
                Ok(()),
                "{minor} {expression}"
            );
        }
        let named = found(&environment(30, &[], EnvironmentMode::Stored));
        assert_eq!(
            named.as_ref().map_err(|text| text.lines().next().unwrap()),
            first.as_ref().map_err(|text| *text),
            "{expression}"
        );
    }
}

/// Returns the result of an expression of 1.30 to 1.36 without variables.
fn says(minor: u8, expression: &str) -> Result<bool, String> {
    let environment = environment(minor, &[], EnvironmentMode::Stored);
    let program = environment
        .compile(expression)
        .unwrap_or_else(|error| panic!("{expression}: {}", error.text));
    program
        .evaluate(&[], SELECTOR_COST_LIMIT)
        .matches()
        .map_err(String::from)
}

/// Follows cel-go 0.17 to 0.26, `common/types/overflow.go`, `subtractTimeDurationChecked` (turns the duration round first) and
/// `subtractTimeChecked` (multiplies the whole seconds first); `common/types/string.go`, `String.ConvertToType` (a text of a time
/// that is too early or too late is an overflow).
#[test]
fn times_overflow_where_upstream_computes() {
    for minor in 30..=36 {
        for (expression, error) in [
            (
                r#"timestamp("2023-01-01T00:00:00Z") - duration("-9223372036854775808ns") > timestamp(0)"#,
                "integer overflow",
            ),
            (
                r#"timestamp("1677-09-21T00:12:43.145224192Z") - timestamp("1970-01-01T00:00:00Z") < duration("0s")"#,
                "integer overflow",
            ),
            (
                r#"timestamp("0000-01-01T00:00:00" + "Z") == timestamp(0)"#,
                "timestamp overflow",
            ),
            (
                r#"timestamp("9999-12-31T23:59:59" + "-01:00") == timestamp(0)"#,
                "timestamp overflow",
            ),
            (
                r#"timestamp("10000-01-01T00:00:00" + "Z") == timestamp(0)"#,
                "type conversion error from 'string' to 'google.protobuf.Timestamp'",
            ),
        ] {
            assert_eq!(
                says(minor, expression),
                Err(error.to_owned()),
                "{minor}: {expression}"
            );
        }
        let fits = r#"timestamp("1677-09-21T00:12:44.145224192Z") - timestamp("1970-01-01T00:00:00Z") < duration("0s")"#;
        assert_eq!(says(minor, fits), Ok(true), "{minor}");
    }
}

/// Follows cel-go 0.17 to 0.26, `common/stdlib/standard.go`, `inTimeZone`; Go, `time/zoneinfo.go`, `containsDotDot`, and
/// `strconv/atoi.go`, `ParseUint`, which reads no further than to the digit that is too many.
#[test]
fn zones_are_refused_in_gos_words() {
    for minor in 30..=36 {
        for (zone, error) in [
            ("a..b", "time: invalid location name"),
            ("/UTC", "time: invalid location name"),
            ("utc", "unknown time zone utc"),
            ("1:", r#"strconv.Atoi: parsing "": invalid syntax"#),
            (
                "99999999999999999999a:0",
                r#"strconv.Atoi: parsing "99999999999999999999a": value out of range"#,
            ),
            (
                "9999999999999999999a:0",
                r#"strconv.Atoi: parsing "9999999999999999999a": invalid syntax"#,
            ),
        ] {
            let expression = format!("timestamp(0).getHours('{zone}') == 0");
            assert_eq!(
                says(minor, &expression),
                Err(error.to_owned()),
                "{minor}: {expression}"
            );
        }
    }
}

/// Follows cel-go 0.26, `ext/lists.go`, `sortListByAssociatedKeys`: keys that cannot be compared are not less than each other; Go
/// sorts up to 12 elements by insertion.
#[test]
fn lists_with_keys_that_are_not_a_number_are_sorted() {
    let nan = "(0.0 / 0.0)";
    let sorted =
        format!("[3.0, {nan}, 2.0, 1.0].sort().map(x, string(x)).join(\",\") == \"3,NaN,1,2\"");
    assert_eq!(says(36, &sorted), Ok(true));
    let long = format!("lists.range(200).map(i, i % 3 == 0 ? {nan} : double(i * 7 % 50)).sort()");
    assert_eq!(
        says(
            36,
            &format!("{long}.size() == 200 && {long}.slice(0, 133).isSorted()")
        ),
        Ok(true)
    );
    let keys = "lists.range(60).sortBy(i, i % 2).filter(i, i % 2 == 0).isSorted()";
    assert_eq!(says(36, keys), Ok(true));
}

/// Follows kube-apiserver 1.31, `pkg/cel/library/cidr.go`, `cidrContainsCIDR`: the other address is not cut off before it is
/// compared, be it a text or a network. Mended in 1.32.4 and 1.33 (kubernetes/kubernetes#130450, #130773).
#[test]
fn networks_contain_what_begins_as_they_do_up_to_1_32_3() {
    let contains = |minor: u8, patch: u8, expression: &str| {
        let environment = environment(minor, &[], EnvironmentMode::Stored).at_patch(minor, patch);
        environment
            .compile(expression)
            .unwrap()
            .evaluate(&[], SELECTOR_COST_LIMIT)
            .matches()
    };
    for (expression, before) in [
        (r#"cidr("10.0.0.0/8").containsCIDR("10.0.0.0/16")"#, true),
        (
            r#"cidr("10.0.0.0/8").containsCIDR(cidr("10.0.0.0/16"))"#,
            true,
        ),
        (r#"cidr("10.1.0.0/8").containsCIDR("10.0.0.0/16")"#, true),
        (r#"cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")"#, false),
        (
            r#"cidr("10.0.0.0/8").containsCIDR(cidr("10.1.0.0/16"))"#,
            false,
        ),
        (
            r#"cidr("2001:db8::/32").containsCIDR(cidr("2001:db8:1::/48"))"#,
            false,
        ),
    ] {
        for (minor, patch) in [(31, 0), (31, 14), (32, 0), (32, 3)] {
            assert_eq!(
                contains(minor, patch, expression),
                Ok(before),
                "1.{minor}.{patch}: {expression}"
            );
        }
        for (minor, patch) in [(32, 4), (32, 13), (33, 0), (36, 3)] {
            assert_eq!(
                contains(minor, patch, expression),
                Ok(true),
                "1.{minor}.{patch}: {expression}"
            );
        }
    }
}

/// Follows cel-go 0.20 to 0.26, `common/types/map.go`, `refValMapAccessor.Find`: an integer finds integers of both types, a
/// floating-point number finds all. `common/types/overflow.go`, `doubleToInt64Checked`: the least integer is not one of them.
#[test]
fn keys_of_maps_find_each_other_in_one_direction() {
    for minor in 31..=36 {
        for (expression, found) in [
            ("dyn({1.0: 2})[1] == 2", Err("no such key: 1")),
            ("dyn({1.0: 2})[1u] == 2", Err("no such key: 1")),
            ("dyn(1) in {1.0: 2} || dyn(1u) in {1.0: 2}", Ok(false)),
            ("dyn({1: 2})[1.0] == 2 && dyn({1u: 2})[1.0] == 2", Ok(true)),
            ("dyn({1: 2})[1u] == 2 && dyn({1u: 2})[1] == 2", Ok(true)),
            ("dyn({1.0: 2}) == {1: 2}", Ok(true)),
            ("{1: 2} == dyn({1.0: 2})", Ok(false)),
            (
                "dyn({-9223372036854775808: 1})[-9223372036854775808.0] == 1",
                Err("no such key: -9.223372036854776e+18"),
            ),
            (
                "dyn(-9223372036854775808) in [-9223372036854775808.0]",
                Ok(false),
            ),
            ("{0.0 / 0.0: 1, 0.0 / 0.0: 2}.size() == 2", Ok(true)),
        ] {
            assert_eq!(
                says(minor, expression),
                found.map_err(str::to_owned),
                "{minor}: {expression}"
            );
        }
    }
}

/// Follows cel-go 0.20 to 0.26, `common/types/list.go`, `IndexOrError`.
#[test]
fn indices_that_are_no_int_are_not_supported() {
    for minor in 31..=36 {
        for (index, error) in [
            (
                "18446744073709551615u",
                "unsupported index value 18446744073709551615 in list",
            ),
            (
                "-9223372036854775808.0",
                "unsupported index value -9.223372036854776e+18 in list",
            ),
            ("1.5", "unsupported index value 1.5 in list"),
            ("7u", "index out of bounds: 7"),
        ] {
            assert_eq!(
                says(minor, &format!("[1][dyn({index})] == 1")),
                Err(error.to_owned()),
                "{minor}"
            );
        }
    }
}

/// Follows cel-go 0.26, `ext/strings.go`, `joinValSeparator`, and `interpreter/interpretable.go`, `invalidOptionalEntryInit`:
/// values in errors are printed by Go's `%v`, with `String()` of `common/types/list.go`, `map.go`, `optional.go`, `type.go`, Go's
/// `time` and blang/semver.
#[test]
fn values_in_errors_are_printed_as_go_prints_them() {
    for minor in 34..=36 {
        for (value, printed) in [
            (r#"b"ab""#, "[97 98]"),
            (r#"b"""#, "[]"),
            (r#"duration("90m")"#, "1h30m0s"),
            (r#"duration("-1.5ms")"#, "-1.5ms"),
            (
                r#"timestamp("2020-01-01T00:00:00.5Z")"#,
                "2020-01-01 00:00:00.5 +0000 UTC",
            ),
            (
                r#"timestamp("2020-01-01T00:00:00+05:30")"#,
                "2020-01-01 00:00:00 +0530 +0530",
            ),
            (r#"[1, 2]"#, "[1, 2]"),
            (r#"["a", "b c"].map(x, [x])"#, "[[a], [b c]]"),
            (r#"[]"#, "[]"),
            (r#"{"a": duration("1h")}"#, "{a: 1h0m0s}"),
            ("null", "0"),
            ("1e6", "1e+06"),
            ("int", "int"),
            ("list", "list(dyn)"),
            ("type({})", "map(dyn, dyn)"),
            (r#"semver("1.2.3-a.1+b.2")"#, "1.2.3-a.1+b.2"),
            (r#"optional.of(duration("1h"))"#, "optional(1h0m0s)"),
        ] {
            let expression = format!(r#"[dyn("a"), dyn({value})].join() == """#);
            assert_eq!(
                says(minor, &expression),
                Err(format!("join: invalid input: {printed}")),
                "{minor}: {expression}"
            );
        }
        assert_eq!(
            says(minor, r#"{?"a": dyn(duration("1h"))} == {}"#),
            Err("cannot initialize optional entry 'a' from non-optional value 1h0m0s".to_owned())
        );
    }
}

/// Checks that errors are cut: upstream prints all of a value; here an error does not grow without bounds.
#[test]
fn large_values_in_errors_are_cut() {
    let long = format!(
        r#"cel.bind(s, "{}".replace("", "{}"), "#,
        "a".repeat(1000),
        "b".repeat(1000)
    );
    let many = vec!["s"; 50].join(", ");
    for expression in [
        format!(r#"{long}[dyn("a"), dyn([{many}])].join() == "")"#),
        format!(r#"{long}[dyn("a"), dyn({{"a": [[{many}]]}})].join() == "")"#),
        format!(r#"{long}[dyn("a"), dyn([bytes(s), bytes(s)])].join() == "")"#),
    ] {
        let error = says(36, &expression).unwrap_err();
        assert!(
            error.len() > 500_000 && error.len() < 1_100_000,
            "{}",
            error.len()
        );
    }
}

/// Follows cel-go 0.20 to 0.26, `common/types/timestamp.go`, `Timestamp.IsZeroValue`: Go's zero time, not that of 1970.
#[test]
fn the_first_instant_is_nothing() {
    for minor in 31..=36 {
        for (text, some) in [
            ("0001-01-01T00:00:00Z", false),
            ("0001-01-01T00:00:00.000000001Z", true),
            ("1970-01-01T00:00:00Z", true),
        ] {
            let expression = format!("optional.ofNonZeroValue(timestamp('{text}')).hasValue()");
            assert_eq!(says(minor, &expression), Ok(some), "{minor}: {text}");
        }
    }
}

/// Follows cel-go 0.20 to 0.26, `common/types/optional.go`, `Optional.Equal`: the value itself is asked, without the test for
/// `null` that `==` makes.
#[test]
fn an_optional_value_of_kubernetes_does_not_take_null() {
    for minor in 31..=36 {
        assert_eq!(
            says(
                minor,
                r#"optional.of(dyn(quantity("1"))) == optional.of(dyn(null))"#
            ),
            Err("no such overload".to_owned())
        );
        assert_eq!(
            says(
                minor,
                r#"optional.of(dyn(null)) == optional.of(dyn(quantity("1")))"#
            ),
            Ok(false)
        );
        assert_eq!(says(minor, r#"dyn(quantity("1")) == dyn(null)"#), Ok(false));
    }
}

/// Follows cel-go 0.20 to 0.26, `interpreter/interpretable.go`, `evalMap.Eval`: an optional entry without a value takes away what
/// is under its key.
#[test]
fn an_entry_without_a_value_removes_the_one_before() {
    for minor in 31..=36 {
        for expression in [
            r#"{"a": 1, ?"a": optional.none()} == {}"#,
            r#"{"a": 1, ?"a": optional.none(), "a": 2, "b": 3} == {"a": 2, "b": 3}"#,
            r#"{?"a": optional.of(1), ?"a": optional.none(), ?"b": optional.none()}.size() == 0"#,
        ] {
            assert_eq!(says(minor, expression), Ok(true), "{minor}: {expression}");
        }
    }
}

/// Follows cel-go 0.20 to 0.26, `interpreter/decorators.go`, `maybeBuildListLiteral`, `maybeBuildMapLiteral`: literals of
/// constants are evaluated when the program is made, also those that fail; Go cannot hash bytes, and nothing catches that panic.
#[test]
fn literals_of_constants_are_evaluated_when_the_program_is_made() {
    let environment = environment(36, &[], EnvironmentMode::Stored);
    for (expression, cost) in [
        ("[?dyn(1)].size() == 1", costs(36, "[dyn(1)].size() == 1").1),
        (
            "{?'a': dyn(1)}.size() == 1",
            costs(36, "{'a': dyn(1)}.size() == 1").1,
        ),
        ("{[1]: 1}.size() == 1", costs(36, "{1: 1}.size() == 1").1),
    ] {
        assert!(costs(36, expression).1 <= cost, "{expression}");
    }
    let error = environment.compile(r#"{b"a": 1}.size() == 1"#).unwrap_err();
    assert_eq!(
        (error.stage, error.is_internal()),
        (
            claimkit_cel::compile::CompileStage::Crash(claimkit_cel::ServerCrash::BytesAsKey),
            false
        )
    );
    assert_eq!(
        error.text,
        "kube-apiserver crashes on a map of constants with bytes as a key"
    );
    let program = environment.compile(r#"{b"a": text}.size() == 1"#).unwrap();
    let found = program
        .evaluate(&[Value::string("x")], SELECTOR_COST_LIMIT)
        .matches()
        .unwrap_err();
    assert_eq!(found.kind(), ErrorKind::Evaluation);
    assert_eq!(
        found.message(),
        "internal error: runtime error: hash of unhashable type types.Bytes"
    );
}
