//! The verb `cel`: what a device selector is for kube-apiserver, and what it says of devices.

use super::answer::{Answer, Compiled, Run, Traced, range};
use super::options::CelEnvironment;
use super::request::{Request, Stored};
use super::target::Target;
use crate::api::Release;
use crate::cel::value::Value as Cel;
use crate::cel::{Device, Environment, Gate, Mode, NamedAttribute, Part, Program, SELECTOR_COST_LIMIT, device, trace};
use crate::place::device::{engine, facts};
use crate::text::{Source, Span};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A device as a request gives it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct GivenDevice {
    driver: String,
    /// Not looked at; it stands in every device of a slice.
    #[serde(rename = "name")]
    _name: Option<String>,
    attributes: BTreeMap<String, Value>,
    capacity: BTreeMap<String, Value>,
    allow_multiple_allocations: Option<bool>,
}

/// An instance as a request gives it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct GivenInstance {
    /// Not looked at; every instance has one.
    #[serde(rename = "name")]
    _name: Option<String>,
    attributes: Vec<Map<String, Value>>,
}

/// Answers `cel`. `ok`: the expression compiles, its estimate is within the limit, and it fails on no device.
pub fn cel(request: &Request) -> Answer {
    answer(request).unwrap_or_else(|error| Answer::unusable(Some("cel"), &error))
}

fn answer(request: &Request) -> Result<Answer, String> {
    let expression = request.expression.as_deref().ok_or("`expression` is missing: the text of a selector")?;
    let mode = match &request.stored {
        None | Some(Stored::Written(false)) => Mode::New,
        Some(Stored::Written(true)) => Mode::Stored,
        Some(Stored::Version(_)) => {
            return Err("`stored` is true or false here: whether the expression is stored already".to_owned());
        }
    };
    let (environment, subjects) = match request.environment {
        CelEnvironment::Device => devices(request, mode)?,
        CelEnvironment::NamedResources => instances(request, mode)?,
    };
    let mut answer = Answer::to("cel");
    let program = match environment.compile(expression) {
        Ok(program) => program,
        Err(error) => {
            answer.compile = Some(Compiled { ok: false, output: None, cost: None, error: Some(error.text) });
            return Ok(answer);
        }
    };
    let cost = program.cost_estimate().map(|estimate| estimate.max);
    answer.compile = Some(Compiled { ok: true, output: Some(program.output_type().to_string()), cost, error: None });
    let source = Source::new(expression);
    let results: Vec<Run> = subjects.into_iter().map(|variables| run(request, &program, &source, variables)).collect();
    answer.ok = cost.is_none_or(|cost| cost <= SELECTOR_COST_LIMIT) && results.iter().all(|run| run.error.is_none());
    answer.results = Some(results);
    Ok(answer)
}

/// Variables of each thing that is asked about, or why it has none.
type Subjects = Vec<Result<Vec<Cel>, String>>;

fn devices(request: &Request, mode: Mode) -> Result<(Environment, Subjects), String> {
    if !request.instances.is_empty() {
        return Err("`instances` belong to `environment` `namedResources`".to_owned());
    }
    let target = Target::of(request)?;
    let gates = [("DRAConsumableCapacity", Gate::ConsumableCapacity), ("DRAListTypeAttributes", Gate::ListTypeAttributes)];
    let gates: Vec<Gate> = gates.iter().filter(|(name, _)| target.on(name)).map(|(_, gate)| *gate).collect();
    let environment = Environment::device(target.release.minor, &gates, mode);
    let mut subjects = Vec::new();
    for (index, given) in request.devices.iter().enumerate() {
        let given = GivenDevice::deserialize(given).map_err(|error| format!("`devices[{index}]`: {error}"))?;
        let attributes = given.attributes.iter().map(|(name, value)| {
            let read = facts::read::read::<facts::Attribute>(value);
            read.map(|read| (name.clone(), engine::attribute(&read)))
                .map_err(|error| format!("`devices[{index}].attributes.{name}`: {error}"))
        });
        let capacity = given.capacity.iter().map(|(name, value)| (name.clone(), quantity(value)));
        let seen = Device {
            driver: given.driver,
            attributes: attributes.collect::<Result<_, String>>()?,
            capacity: capacity.collect(),
            allow_multiple_allocations: given.allow_multiple_allocations.unwrap_or(false),
        };
        subjects.push(seen.variables(&environment));
    }
    Ok((environment, subjects))
}

/// `{value: 1Gi}`, or the bare quantity of v1alpha3.
fn quantity(value: &Value) -> String {
    match value.get("value").unwrap_or(value) {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn instances(request: &Request, mode: Mode) -> Result<(Environment, Subjects), String> {
    if !request.devices.is_empty() {
        return Err("`devices` belong to `environment` `device`".to_owned());
    }
    if let Some(text) = &request.release
        && Release::parse(text).is_none_or(|release| release.minor != 30)
    {
        return Err(format!("named resources are of Kubernetes 1.30; `{text}` has none"));
    }
    let mut subjects = Vec::new();
    for (index, given) in request.instances.iter().enumerate() {
        let given = GivenInstance::deserialize(given).map_err(|error| format!("`instances[{index}]`: {error}"))?;
        let mut attributes = Vec::new();
        for (at, attribute) in given.attributes.iter().enumerate() {
            let named = named(attribute)
                .ok_or_else(|| format!("`instances[{index}].attributes[{at}]` has no name, or no value of a known kind"))?;
            attributes.push(named);
        }
        subjects.push(device::named_variables(&attributes));
    }
    Ok((Environment::named_resources(mode), subjects))
}

/// A NamedResourcesAttribute of v1alpha2.
fn named(attribute: &Map<String, Value>) -> Option<(String, NamedAttribute)> {
    let name = attribute.get("name")?.as_str()?.to_owned();
    let value = attribute.iter().find(|(key, _)| *key != "name")?;
    let list = |name: &str| value.1.get(name)?.as_array();
    let value = match (value.0.as_str(), value.1) {
        ("quantity", value) => NamedAttribute::Quantity(quantity(value)),
        ("bool", value) => NamedAttribute::Bool(value.as_bool()?),
        ("int", value) => NamedAttribute::Int(value.as_i64()?),
        ("string", value) => NamedAttribute::String(value.as_str()?.to_owned()),
        ("version", value) => NamedAttribute::Version(value.as_str()?.to_owned()),
        ("intSlice", _) => NamedAttribute::IntSlice(list("ints")?.iter().map(Value::as_i64).collect::<Option<_>>()?),
        ("stringSlice", _) => {
            let texts = list("strings")?.iter().map(|text| text.as_str().map(str::to_owned));
            NamedAttribute::StringSlice(texts.collect::<Option<_>>()?)
        }
        _ => return None,
    };
    Some((name, value))
}

fn run(request: &Request, program: &Program, source: &Source<'_>, variables: Result<Vec<Cel>, String>) -> Run {
    let variables = match variables {
        Ok(variables) => variables,
        Err(error) => return Run { error: Some(error), ..Run::default() },
    };
    let (outcome, why, parts) = if request.trace {
        let trace = program.trace(&variables, SELECTOR_COST_LIMIT);
        let parts = trace.parts(program).iter().map(|part| traced(source, part)).collect();
        (trace.outcome.clone(), Some(program.explain(&trace)), Some(parts))
    } else {
        (program.evaluate(&variables, SELECTOR_COST_LIMIT), None, None)
    };
    let matches = outcome.matches();
    Run { matches: matches.as_ref().ok().copied(), error: matches.err(), cost: outcome.cost, why, trace: parts }
}

fn traced(source: &Source<'_>, part: &Part) -> Traced {
    let range = range(source, Span::new(part.span.start as usize, part.span.end as usize));
    match &part.value {
        Cel::Error(error) => Traced { range, value: None, error: Some(error.text.clone()) },
        value => Traced { range, value: Some(trace::shown(value)), error: None },
    }
}
