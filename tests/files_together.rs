//! Several files are judged as one cluster, and each finding is about its own file.

use claimkit::apiserver::text::validate_files;
use claimkit::{Report, ValidateOptions};
use claimkit_model::finding::{Code, Severity};

const SLICE: &str = "apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0, capacity: {memory: {value: 80Gi}}}]
";

fn claim(name: &str, class: &str, expression: &str) -> String {
    format!(
        "# a comment\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: {name}, namespace: ns}}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: {class}, selectors: [{{cel: {{expression: '{expression}'}}}}]}}}}]}}}}\n"
    )
}

fn codes(report: &Report<'_>) -> Vec<Code> {
    report
        .findings
        .iter()
        .filter(|finding| finding.severity != Severity::Info)
        .map(|finding| finding.code)
        .collect()
}

#[test]
fn expressions_see_the_slices_of_other_files() {
    let claim = claim(
        "c",
        "gpu",
        "device.capacity[\"nvidia.com\"].memory.compareTo(quantity(\"40Gi\")) >= 0",
    );
    let options = ValidateOptions::default();
    for (texts, at) in [([claim.as_str(), SLICE], 0), ([SLICE, claim.as_str()], 1)] {
        let reports = validate_files(&texts, &options);
        assert_eq!(reports.len(), 2);
        assert_eq!(codes(&reports[at]), [Code::SelectorNameUnknown]);
        assert_eq!(codes(&reports[1 - at]), []);
        let finding = reports[at]
            .findings
            .iter()
            .find(|finding| finding.code == Code::SelectorNameUnknown)
            .unwrap();
        // Its place is in its own text.
        let place = reports[at].source.position(finding.span.unwrap().from());
        assert_eq!((place.line, finding.object), (4, Some(0)));
        assert!(reports.iter().all(|report| report.ok));
    }
    // Alone, nothing is known of the names.
    assert_eq!(codes(&validate_files(&[claim.as_str()], &options)[0]), []);
}

#[test]
fn an_object_of_another_file_is_not_absent() {
    let options = ValidateOptions::default();
    let class = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n";
    let (one, two) = (claim("a", "gpu", "true"), claim("b", "absent", "true"));
    let reports = validate_files(&[one.as_str(), class, two.as_str(), two.as_str()], &options);
    let absent = |report: &Report<'_>| -> Vec<(String, String)> {
        let of_code = report
            .findings
            .iter()
            .filter(|finding| finding.code == Code::ClassNotInInput);
        of_code
            .map(|finding| {
                (
                    finding.message.to_string(),
                    finding.help.clone().unwrap().to_string(),
                )
            })
            .collect()
    };
    assert_eq!(absent(&reports[0]), []);
    // Said once, where it is named first, with the command that prints the object.
    let [(message, help)] = absent(&reports[2]).try_into().unwrap();
    assert_eq!(
        message,
        "the text has classes, but none is called `absent`; it is named once more"
    );
    assert!(
        help.contains("`kubectl get deviceclass absent -o yaml`"),
        "{help}"
    );
    assert_eq!(absent(&reports[3]), []);
}

#[test]
fn each_file_says_whether_something_was_checked() {
    let options = ValidateOptions::default();
    let bad = SLICE.replace("nodeName: node-1\n", "nodeName: N_1\n");
    let reports = validate_files(
        &[
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",
            SLICE,
            &bad,
            "{",
        ],
        &options,
    );
    assert_eq!(
        reports.iter().map(|report| report.ok).collect::<Vec<_>>(),
        [false, true, false, false]
    );
    assert!(codes(&reports[0]).contains(&Code::NothingChecked));
    assert_eq!(codes(&reports[2]), [Code::NodeNameInvalid]);
    assert_eq!(
        reports
            .iter()
            .map(|report| report.objects.len())
            .collect::<Vec<_>>(),
        [1, 1, 1, 0]
    );
}
