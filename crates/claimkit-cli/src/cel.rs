//! `cel`: what a device selector is for kube-apiserver, and what it says of the devices of files.

use crate::ask;
use crate::exit::{Exit, Outcome, Problem};
use crate::files;
use crate::host::Host;
use crate::options::CelArgs;
use crate::values::PlainForm;
use claimkit::requests::request::CelRequest;
use claimkit::requests::{self, CompileContent, Content, Request, RunContent};
use claimkit_model::cel::SELECTOR_COST_LIMIT;
use claimkit_model::finding::Severity;
use claimkit_model::limits::Limits;
use claimkit_model::text;
use serde_json::{Value, json};

/// Runs the verb.
pub fn run(args: &CelArgs, host: &mut dyn Host) -> Outcome {
    let devices = read_devices(&args.device, host)?;
    let given: Vec<Value> = devices.iter().map(|(_, device)| device.clone()).collect();
    let request = CelRequest {
        expression: Some(args.expression.clone()),
        release: args.release.clone(),
        gates: args.gates.gates().unwrap_or_default(),
        stored: args.stored,
        trace: true,
        devices: given,
        ..CelRequest::default()
    };
    let answer = ask::once(Request::Cel(request), host)?;
    let Content::Cel { compile, results } = &answer.content else {
        return Ok(Exit::Unusable);
    };
    if args.output == PlainForm::Json {
        host.out(&format!("{}\n", requests::print(&answer)));
    } else {
        host.out(&shown(
            compile,
            results.as_deref().unwrap_or_default(),
            &devices,
        ));
        host.out(&ask::rules_of(&answer));
    }
    Ok(if answer.ok {
        Exit::Fine
    } else {
        Exit::Findings
    })
}

/// Reads the devices of all files with their names: bare ones, and those of ResourceSlices.
fn read_devices(names: &[String], host: &mut dyn Host) -> Result<Vec<(String, Value)>, Problem> {
    let mut devices = Vec::new();
    for name in names {
        let file = files::read_one(name, host)?;
        let read = text::read(&file.text, &Limits::default());
        if let Some(finding) = read
            .findings
            .iter()
            .find(|finding| finding.severity == Severity::Error)
        {
            return Err(format!("{}: {}", file.name, finding.message).into());
        }
        let before = devices.len();
        for document in &read.documents {
            let Some(root) = document.root else { continue };
            match text::de::deserialize::<Value>(&document.tree, root) {
                Ok(object) => collect(&object, &mut devices)
                    .map_err(|error| format!("{}: {error}", file.name))?,
                Err(error) => return Err(format!("{}: {error}", file.name).into()),
            }
        }
        if devices.len() == before {
            return Err(format!(
                "{}: neither a device nor a ResourceSlice with devices",
                file.name
            )
            .into());
        }
    }
    Ok(devices)
}

/// Lists are opened; objects of other kinds are passed over.
///
/// # Errors
/// A name is not a string, as where YAML reads `n` as false.
fn collect(object: &Value, devices: &mut Vec<(String, Value)>) -> Result<(), String> {
    match object.get("kind").and_then(Value::as_str) {
        Some("ResourceSlice") => {
            let Some(spec) = object.get("spec") else {
                return Ok(());
            };
            let driver = name_at(spec, "/driver")?;
            let pool = name_at(spec, "/pool/name")?;
            for device in list_of(spec, "devices") {
                let name = name_at(&device, "/name")?;
                devices.push((
                    format!(
                        "{}/{}/{}",
                        driver.unwrap_or_default(),
                        pool.unwrap_or_default(),
                        name.unwrap_or_default()
                    ),
                    seen(&device, driver),
                ));
            }
            Ok(())
        }
        Some(_) => list_of(object, "items")
            .iter()
            .try_for_each(|item| collect(item, devices)),
        // Devices as a slice lists them.
        None if object.is_array() => object
            .as_array()
            .into_iter()
            .flatten()
            .try_for_each(|item| collect(item, devices)),
        None if object.is_object() => {
            let driver = name_at(object, "/driver")?;
            let name = name_at(object, "/name")?.unwrap_or("device");
            devices.push((name.to_owned(), seen(object, driver)));
            Ok(())
        }
        None => Ok(()),
    }
}

/// Returns the name at a JSON pointer; `None` if there is none.
fn name_at<'v>(object: &'v Value, pointer: &str) -> Result<Option<&'v str>, String> {
    match object.pointer(pointer) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) => Ok(Some(name)),
        Some(other) => Err(format!(
            "`{}` is `{other}` for YAML, not a string: put the name in quotes",
            pointer.trim_start_matches('/').replace('/', ".")
        )),
    }
}

fn list_of(object: &Value, name: &str) -> Vec<Value> {
    object
        .get(name)
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default()
}

/// Returns the device as a selector sees it; up to v1beta1 its fields are under `basic`.
fn seen(device: &Value, driver: Option<&str>) -> Value {
    let body = device.get("basic").unwrap_or(device);
    let mut seen = json!({"driver": driver});
    for name in ["attributes", "capacity", "allowMultipleAllocations"] {
        if let (Some(value), Some(seen)) = (
            body.get(name).filter(|value| !value.is_null()),
            seen.as_object_mut(),
        ) {
            seen.insert(name.to_owned(), value.clone());
        }
    }
    seen
}

/// What a device without a driver lacks.
const NO_DRIVER: &str = "the device is given without `driver`, so `device.driver` is empty and attributes without a domain have none: write `driver: …` beside `attributes`";

fn shown(compile: &CompileContent, results: &[RunContent], devices: &[(String, Value)]) -> String {
    if let Some(error) = &compile.error {
        let help = compile
            .help
            .as_ref()
            .map(|help| format!("  = help: {help}\n"))
            .unwrap_or_default();
        return format!("{error}\n{help}");
    }
    let cost = compile
        .cost
        .map(|cost| format!(", costs at most {cost} of {SELECTOR_COST_LIMIT}"))
        .unwrap_or_default();
    let mut out = format!(
        "type {}{cost}\n",
        compile.output.as_deref().unwrap_or_default()
    );
    if compile.cost.is_some_and(|cost| cost > SELECTOR_COST_LIMIT) {
        out.push_str("kube-apiserver refuses it: too complex, exceeds cost limit\n");
    }
    for warning in &compile.warnings {
        out.push_str(&format!(
            "warning: {}\n  = help: {}\n",
            warning.message, warning.help
        ));
    }
    for ((name, device), result) in devices.iter().zip(results) {
        let verdict = match (result.matches, &result.error) {
            (Some(true), _) => "matches".to_owned(),
            (Some(false), _) => "does not match".to_owned(),
            (None, error) => format!("fails: {}", error.as_deref().unwrap_or_default()),
        };
        out.push_str(&format!("{name}: {verdict} (cost {})\n", result.cost));
        for line in result.why.iter().flatten() {
            out.push_str(&format!("  {line}\n"));
        }
        if let Some(help) = &result.help {
            out.push_str(&format!("  = help: {help}\n"));
        }
        let has_driver = device.get("driver").is_some_and(Value::is_string);
        if !has_driver && result.matches != Some(true) {
            out.push_str(&format!("  = help: {NO_DRIVER}\n"));
        }
    }
    out
}
