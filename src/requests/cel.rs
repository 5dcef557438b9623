//! The verb `cel`: compiles a device selector as kube-apiserver does, and runs it on devices.

use super::answer::{Answer, range};
use super::content::{CelWarning, CompileContent, Content, RunContent, Traced};
use super::options::CelEnvironment;
use super::request::{self, CelRequest, Verb};
use crate::advice::cause;
use crate::cel_lints::lint::Lints;
use crate::cel_lints::published::PublishedNames;
use crate::cel_lints::{Language, given};
use claimkit_model::cel::explain::explain;
use claimkit_model::cel::value::Value as Cel;
use claimkit_model::cel::{
    Environment, EnvironmentMode, Outcome, Part, Program, SELECTOR_COST_LIMIT, device, trace,
};
use claimkit_model::message::{Words, message};
use claimkit_model::schema::Release;
use claimkit_model::text::{Source, Span};
use claimkit_scheduler::environments;
use claimkit_scheduler::target::Target;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Answers `cel`. `ok`: the expression compiles, its estimate is within the limit, and it fails on no device.
pub fn cel(request: &CelRequest) -> Answer {
    answer(request).unwrap_or_else(|error| Answer::unusable(Verb::Cel, error))
}

fn answer(request: &CelRequest) -> Result<Answer, Words> {
    let expression = request
        .expression
        .as_deref()
        .ok_or_else(|| Words::english("`expression` is missing: the text of a selector"))?;
    let mode = if request.stored {
        EnvironmentMode::Stored
    } else {
        EnvironmentMode::New
    };
    let Subjects {
        environment,
        variables,
        published,
    } = match request.environment {
        CelEnvironment::Device => devices(request, mode)?,
        CelEnvironment::NamedResources => instances(request, mode)?,
    };
    let release = request::release(request.release.as_deref())?.unwrap_or(Release::latest());
    let mut answer = Answer::to(Verb::Cel);
    let program = match environment.compile(expression) {
        Ok(program) => program,
        Err(error) => {
            let help = cause::selector(expression, &error.text, release);
            let compile = CompileContent {
                error: Some(error.text),
                help: Some(help),
                ..CompileContent::default()
            };
            answer.content = Content::Cel {
                compile,
                results: None,
            };
            return Ok(answer);
        }
    };
    let cost = program.cost_estimate().map(|estimate| estimate.max);
    let output = Some(program.output_type().to_string());
    let language = match request.environment {
        CelEnvironment::Device => Language::Device,
        CelEnvironment::NamedResources => Language::NamedResources,
    };
    let selector = Selector {
        source: Source::new(expression),
        lints: Lints::of_expression(program, environment, language, release),
        published,
    };
    let mut warnings = Vec::new();
    let is_known = selector.warn(&mut warnings);
    let compile = CompileContent {
        ok: true,
        output,
        cost,
        warnings,
        ..CompileContent::default()
    };
    let mut results = selector.run_all(&variables, request.trace);
    // What reads a name that no device has is warned of already.
    if is_known {
        selector.add_help(&variables, &mut results);
    }
    answer.ok = cost.is_none_or(|cost| cost <= SELECTOR_COST_LIMIT)
        && results.iter().all(|run| run.error.is_none());
    answer.content = Content::Cel {
        compile,
        results: Some(results),
    };
    Ok(answer)
}

/// The CEL variables of a device or an instance, or why it has none.
type DeviceVariables = Result<Vec<Cel>, String>;

/// The devices or instances of a request.
struct Subjects {
    environment: Arc<Environment>,
    variables: Vec<DeviceVariables>,
    published: PublishedNames,
}

fn devices(request: &CelRequest, mode: EnvironmentMode) -> Result<Subjects, Words> {
    if !request.instances.is_empty() {
        return Err(Words::english(
            "`instances` belong to `environment` `namedResources`",
        ));
    }
    let target = Target::new(
        request::release(request.release.as_deref())?,
        &request.gates,
    )?;
    let gates = (!request.gates.is_empty()).then_some(target.gates);
    let environment = Language::Device.environment(mode, target.release, gates);
    let mut devices = Vec::with_capacity(request.devices.len());
    let mut variables = Vec::with_capacity(request.devices.len());
    for (index, device) in request.devices.iter().enumerate() {
        let device = given::device(device).map_err(|problem| problem.told("devices", index))?;
        variables.push(device.variables(&environment).map_err(String::from));
        devices.push(device);
    }
    Ok(Subjects {
        environment,
        variables,
        published: PublishedNames::of_devices(devices),
    })
}

fn instances(request: &CelRequest, mode: EnvironmentMode) -> Result<Subjects, Words> {
    if !request.devices.is_empty() {
        return Err(Words::english("`devices` belong to `environment` `device`"));
    }
    if let Some(release) = request::release(request.release.as_deref())?
        .filter(|release| release.minor != environments::NAMED_RESOURCES)
    {
        return Err(message!(
            "cel.no-named-resources",
            "named resources are of Kubernetes 1.30; {release} has none",
            release
        )
        .into());
    }
    let mut variables = Vec::with_capacity(request.instances.len());
    for (index, instance) in request.instances.iter().enumerate() {
        let read = given::instance(instance);
        let attributes = read.map_err(|problem| problem.told("instances", index))?;
        variables.push(device::named_variables(&attributes).map_err(String::from));
    }
    Ok(Subjects {
        environment: environments::named_resources(mode),
        variables,
        published: PublishedNames::default(),
    })
}

/// An expression that compiles.
struct Selector<'e> {
    source: Source<'e>,
    lints: Lints,
    published: PublishedNames,
}

impl Selector<'_> {
    /// Adds what the author should know and the server does not say. Returns false if it reads what no device has.
    fn warn(&self, warnings: &mut Vec<CelWarning>) -> bool {
        self.lints.warnings(&self.published, &mut |finding| {
            let (Words::Ours(message), Some(span)) = (finding.message, finding.span) else {
                return;
            };
            if let Some(Words::Ours(help)) = finding.help {
                warnings.push(CelWarning {
                    range: range(&self.source, span),
                    message,
                    help,
                });
            }
        })
    }

    /// Runs it on all devices.
    fn run_all(&self, devices: &[DeviceVariables], is_traced: bool) -> Vec<RunContent> {
        let Some(program) = self.lints.program() else {
            return Vec::new();
        };
        let runs = devices.iter().map(|device| match device {
            Ok(variables) => run(program, &self.source, variables, is_traced),
            Err(error) => RunContent {
                error: Some(error.clone()),
                ..RunContent::default()
            },
        });
        runs.collect()
    }

    /// Adds what helps against each error, to the result of the first device with it.
    fn add_help(&self, devices: &[DeviceVariables], results: &mut [RunContent]) {
        let mut helped: BTreeSet<String> = BTreeSet::new();
        for (device, result) in devices.iter().zip(results) {
            let (Ok(variables), Some(error)) = (device, &result.error) else {
                continue;
            };
            if helped.insert(error.clone()) {
                let help = self
                    .lints
                    .help_for_failure(&self.published, variables, error);
                result.help = help;
            }
        }
    }
}

fn run(program: &Program, source: &Source<'_>, variables: &[Cel], is_traced: bool) -> RunContent {
    if !is_traced {
        let outcome = program.evaluate(variables, SELECTOR_COST_LIMIT);
        return RunContent::of(&outcome);
    }
    let trace = program.trace(variables, SELECTOR_COST_LIMIT);
    let parts = trace.parts(program);
    RunContent {
        why: Some(explain(program, &trace)),
        trace: Some(parts.iter().map(|part| traced(source, part)).collect()),
        ..RunContent::of(&trace.outcome)
    }
}

impl RunContent {
    fn of(outcome: &Outcome) -> Self {
        let matches = outcome.matches();
        RunContent {
            matches: matches.as_ref().ok().copied(),
            error: matches.err().map(String::from),
            cost: outcome.cost,
            ..RunContent::default()
        }
    }
}

fn traced(source: &Source<'_>, part: &Part) -> Traced {
    let range = range(
        source,
        Span::new(part.span.start as usize, part.span.end as usize),
    );
    match &part.value {
        Cel::Error(error) => Traced {
            range,
            value: None,
            error: Some(error.text.clone()),
        },
        value => Traced {
            range,
            value: Some(trace::shown(value)),
            error: None,
        },
    }
}
