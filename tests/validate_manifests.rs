//! Every manifest of `tests/manifests`, with the findings it must give written inside.
//!
//! A comment line of carets says what is found on the line above it: `#   ^^^^ error name-invalid`. Carets that begin in
//! the second column mean a range from the first; `|` is an empty range; `^^->+2:7` ends two lines below in column 7
//! (comment lines of findings not counted). A file beside, `NAME.expect`, says it for texts that take no comments: one line
//! `LINE:COLUMN-LINE:COLUMN severity code` for each finding, counted from 1. The first line may carry the request:
//! `# claimkit: release=1.30 via=validator operation=update old=NAME limits=bytes:10`, with `old` and `nodes` in `stored/`.
//!
//! Lines that begin with `#` are expectations, whatever the text makes of them: they belong to the manifest as it is read.
//! `CLAIMKIT_UPDATE=1` writes what is found; read the difference before you commit it.

use crate::support::ask;
use crate::support::fixes;
use crate::support::manifests::{Place, folder, manifests, marker, request};
use claimkit_model::finding::Code;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Codes of conversions and patches: their cases are in `tests/convert`, `tests/patch.rs` and `tests/query.rs`.
const ELSEWHERE: &[Code] = &[
    Code::ConversionLoss,
    Code::ConversionDecision,
    Code::NoCounterpart,
    Code::ConversionPrinted,
    Code::ConversionDisagrees,
    Code::ValidityLost,
    Code::ConversionRefusedBefore,
    Code::HandleWithoutDriver,
    Code::VersionMentioned,
    Code::ServerFieldDropped,
    Code::LabelSelectorInvalid,
    Code::FieldSelectorInvalid,
    // Three mebibytes: see tests/client.rs.
    Code::RequestTooLarge,
    Code::PatchRefused,
    Code::ApplyConflict,
    // Findings about a cluster: see tests/place.
    Code::PoolOrderRandom,
    Code::SliceWithoutNode,
    Code::SliceTooLarge,
    Code::DevicesBesideCounters,
    Code::BindingConditionsOff,
    Code::AttributeList,
    Code::ClaimNamedTwice,
    Code::AdminAccessLabel,
    Code::DistinctNotEnforced,
    Code::ListInConstraint,
    Code::ToleratedButEvicted,
    Code::AllocationError,
    Code::ErrorEndsAttempt,
    // Findings about two releases: see tests/upgrade.rs.
    Code::UpgradeVersion,
    Code::UpgradeWriter,
    Code::UpgradeGate,
    Code::UpgradeRefused,
    Code::UpgradeRefusedBefore,
    Code::UpgradeField,
    Code::UpgradeSelector,
    Code::UpgradeTaint,
    Code::UpgradePlacement,
    Code::UpgradeName,
];

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    start: Place,
    end: Place,
    severity: String,
    code: String,
}

fn findings(answer: &Value) -> Vec<Found> {
    let place = |value: &Value| {
        (
            value["line"].as_u64().unwrap() as usize,
            value["character"].as_u64().unwrap() as usize,
        )
    };
    let range = |finding: &Value| {
        finding
            .get("range")
            .filter(|_| finding["in"] == "text")
            .cloned()
    };
    let mut found: Vec<Found> = answer["findings"]
        .as_array()
        .unwrap_or_else(|| panic!("{answer}"))
        .iter()
        .map(|finding| Found {
            start: range(finding).map_or((0, 0), |range| place(&range["start"])),
            end: range(finding).map_or((0, 0), |range| place(&range["end"])),
            severity: finding["severity"].as_str().unwrap().to_owned(),
            code: finding["code"].as_str().unwrap().to_owned(),
        })
        .collect();
    found.sort();
    found
}

/// What the comments say, lines counted without them.
fn expected(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut line = 0usize;
    for content in text.lines() {
        let Some((start, end, below, rest)) = marker(content) else {
            line += 1;
            continue;
        };
        let (severity, code) = rest
            .split_once(' ')
            .unwrap_or_else(|| panic!("severity and code: {content}"));
        let here = line - 1;
        let end = below.map_or((here, end), |(lines, column)| (here + lines, column));
        found.push(Found {
            start: (here, start),
            end,
            severity: severity.to_owned(),
            code: code.to_owned(),
        });
    }
    found.sort();
    found
}

/// Findings of a text with comments, lines counted without them.
fn without_comments(text: &str, found: &[Found]) -> Vec<Found> {
    let mut numbers = Vec::new();
    let mut line = 0usize;
    for content in text.split('\n') {
        numbers.push(line);
        if marker(content).is_none() {
            line += 1;
        }
    }
    let map = |place: Place| (numbers.get(place.0).copied().unwrap_or(line), place.1);
    let mut found: Vec<Found> = found
        .iter()
        .map(|f| Found {
            start: map(f.start),
            end: map(f.end),
            ..f.clone()
        })
        .collect();
    found.sort();
    found
}

fn written(text: &str, found: &[Found]) -> String {
    let mut out = String::new();
    let plain = text.lines().filter(|line| marker(line).is_none());
    for (number, line) in plain.enumerate() {
        out.push_str(line);
        out.push('\n');
        for f in found.iter().filter(|f| f.start.0 == number) {
            let longer = f.end.0 > f.start.0;
            let end = if longer {
                line.encode_utf16().count().max(f.start.1 + 2)
            } else {
                f.end.1
            };
            let mut comment = String::from("#");
            comment.push_str(&" ".repeat(f.start.1.saturating_sub(1)));
            if f.start == f.end {
                comment.push('|');
            } else {
                comment.push_str(&"^".repeat(end - f.start.1.max(1)));
            }
            if longer {
                comment.push_str(&format!("->+{}:{}", f.end.0 - f.start.0, f.end.1));
            }
            out.push_str(&format!("{comment} {} {}\n", f.severity, f.code));
        }
    }
    out
}

fn beside(found: &[Found]) -> String {
    let one = |place: Place| format!("{}:{}", place.0 + 1, place.1 + 1);
    found
        .iter()
        .map(|f| {
            format!(
                "{}-{} {} {}\n",
                one(f.start),
                one(f.end),
                f.severity,
                f.code
            )
        })
        .collect()
}

#[test]
fn every_manifest_gives_the_findings_written_in_it() {
    let bless = std::env::var_os("CLAIMKIT_UPDATE").is_some();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for path in manifests() {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let sidecar = folder().join(format!("{name}.expect"));
        let found = findings(&ask(&request(&path, &text)));
        for f in &found {
            *seen.entry(f.code.clone()).or_default() += 1;
        }
        if sidecar.exists() || name.ends_with(".json") {
            let got = beside(&found);
            if bless {
                fs::write(&sidecar, &got).unwrap();
            } else if fs::read_to_string(&sidecar).unwrap() != got {
                wrong.push(format!("{name}: found\n{got}"));
            }
            continue;
        }
        if bless {
            let plain = written(&text, &[]);
            let found = without_comments(&plain, &findings(&ask(&request(&path, &plain))));
            fs::write(&path, written(&plain, &found)).unwrap();
            continue;
        }
        let got = without_comments(&text, &found);
        if got != expected(&text) {
            wrong.push(format!("{name}: found\n{}", written(&text, &got)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let here = Code::ALL
        .iter()
        .filter(|code| !ELSEWHERE.contains(code))
        .map(|code| code.name());
    // A policy judges admission requests: its tests bring those.
    let here = here.filter(|name| !name.starts_with("policy-") && *name != "admission-request");
    let missing: Vec<&str> = here.filter(|code| !seen.contains_key(*code)).collect();
    assert!(bless || missing.is_empty(), "no manifest gives {missing:?}");
}

#[test]
fn every_fix_removes_its_finding() {
    let mut fixed: BTreeSet<String> = BTreeSet::new();
    for path in manifests() {
        let text = fs::read_to_string(&path).unwrap();
        let asked = request(&path, &text);
        let answer = ask(&asked);
        fixes::all_mend(&asked, &answer);
        let with_fix = answer["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|finding| finding["fixes"].get(0).is_some());
        fixed.extend(with_fix.map(|finding| finding["code"].as_str().unwrap().to_owned()));
    }
    println!(
        "fixes of {} codes were applied and removed their finding: {fixed:?}",
        fixed.len()
    );
    assert!(fixed.len() > 15, "{fixed:?}");
}

/// Labels are judged alike by all releases: each refuses an invalid one, so the answer need not say that the release decides.
#[test]
fn an_invalid_label_is_refused_by_every_release() {
    use claimkit::{Release, ValidateOptions, validate};
    for (version, spec) in [
        ("v1alpha1", "{resourceClassName: a}"),
        ("v1alpha2", "{resourceClassName: a}"),
        (
            "v1alpha3",
            "{devices: {requests: [{name: r, deviceClassName: c}]}}",
        ),
        (
            "v1beta1",
            "{devices: {requests: [{name: r, deviceClassName: c}]}}",
        ),
        (
            "v1beta2",
            "{devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}",
        ),
        (
            "v1",
            "{devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}",
        ),
    ] {
        let head = format!("apiVersion: resource.k8s.io/{version}\nkind: ResourceClaim\n");
        let labelled = |value: &str| {
            format!("{head}metadata: {{name: x, labels: {{a: {value}}}}}\nspec: {spec}\n")
        };
        let (fine, invalid) = (labelled("fine"), labelled("\"no spaces\""));
        let of_all = validate(&invalid, &ValidateOptions::default());
        assert!(
            of_all
                .findings
                .iter()
                .all(|finding| finding.code.name() != "release-decides"),
            "{version}"
        );
        let mut serving = 0;
        for last in claimkit_model::schema::release::LAST_PATCHES {
            let mut options = ValidateOptions::default();
            options.release = Release::parse(&format!("1.{}", last.minor));
            if validate(&fine, &options).ok {
                serving += 1;
                assert!(!validate(&invalid, &options).ok, "{version} {}", last.minor);
            }
        }
        assert!(serving > 0, "{version}");
    }
}
