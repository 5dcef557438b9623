//! The verb `cel`: compiles a device selector as kube-apiserver does, and runs it on devices.

use super::answer::{Answer, range};
use super::content::{CelWarning, CompileContent, Content, RunContent, Traced};
use super::options::CelEnvironment;
use super::request::{self, CelRequest, Verb};
use crate::advice::cause;
use crate::cel_lints::unparsable::{Unparsable, unparsable};
use crate::cel_lints::{Language, given};
use claimkit_model::cel::explain::explain;
use claimkit_model::cel::value::Value as Cel;
use claimkit_model::cel::{
    Environment, EnvironmentMode, Part, Program, SELECTOR_COST_LIMIT, device, trace,
};
use claimkit_model::message::{Words, message};
use claimkit_model::schema::Release;
use claimkit_model::text::{Source, Span};
use claimkit_scheduler::environments;
use claimkit_scheduler::target::Target;
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
    let (environment, subjects) = match request.environment {
        CelEnvironment::Device => devices(request, mode)?,
        CelEnvironment::NamedResources => instances(request, mode)?,
    };
    let mut answer = Answer::to(Verb::Cel);
    let program = match environment.compile(expression) {
        Ok(program) => program,
        Err(error) => {
            let release =
                request::release(request.release.as_deref())?.unwrap_or(Release::latest());
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
    let source = Source::new(expression);
    let mut warnings = Vec::new();
    for Unparsable {
        span,
        message,
        help,
    } in unparsable(&program, &environment)
    {
        warnings.push(CelWarning {
            range: range(&source, Span::new(span.start as usize, span.end as usize)),
            message,
            help,
        });
    }
    let output = Some(program.output_type().to_string());
    let compile = CompileContent {
        ok: true,
        output,
        cost,
        warnings,
        ..CompileContent::default()
    };
    let results: Vec<RunContent> = subjects
        .into_iter()
        .map(|variables| run(request, &program, &source, variables))
        .collect();
    answer.ok = cost.is_none_or(|cost| cost <= SELECTOR_COST_LIMIT)
        && results.iter().all(|run| run.error.is_none());
    answer.content = Content::Cel {
        compile,
        results: Some(results),
    };
    Ok(answer)
}

/// For each device or instance of the request: its CEL variables, or the error.
type Subjects = Vec<Result<Vec<Cel>, String>>;

fn devices(
    request: &CelRequest,
    mode: EnvironmentMode,
) -> Result<(Arc<Environment>, Subjects), Words> {
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
    let devices = request.devices.iter().enumerate().map(|(index, device)| {
        let device = given::device(device).map_err(|problem| problem.told("devices", index))?;
        Ok(device.variables(&environment).map_err(String::from))
    });
    let subjects = devices.collect::<Result<_, Words>>()?;
    Ok((environment, subjects))
}

fn instances(
    request: &CelRequest,
    mode: EnvironmentMode,
) -> Result<(Arc<Environment>, Subjects), Words> {
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
    let environment = environments::named_resources(mode);
    let instances = request
        .instances
        .iter()
        .enumerate()
        .map(|(index, instance)| {
            let read = given::instance(instance);
            let attributes = read.map_err(|problem| problem.told("instances", index))?;
            Ok(device::named_variables(&attributes).map_err(String::from))
        });
    let subjects = instances.collect::<Result<_, Words>>()?;
    Ok((environment, subjects))
}

fn run(
    request: &CelRequest,
    program: &Program,
    source: &Source<'_>,
    variables: Result<Vec<Cel>, String>,
) -> RunContent {
    let variables = match variables {
        Ok(variables) => variables,
        Err(error) => {
            return RunContent {
                error: Some(error),
                ..RunContent::default()
            };
        }
    };
    let (outcome, why, parts) = if request.trace {
        let trace = program.trace(&variables, SELECTOR_COST_LIMIT);
        let parts = trace
            .parts(program)
            .iter()
            .map(|part| traced(source, part))
            .collect();
        (
            trace.outcome.clone(),
            Some(explain(program, &trace)),
            Some(parts),
        )
    } else {
        (
            program.evaluate(&variables, SELECTOR_COST_LIMIT),
            None,
            None,
        )
    };
    let matches = outcome.matches();
    RunContent {
        matches: matches.as_ref().ok().copied(),
        error: matches.err().map(String::from),
        cost: outcome.cost,
        why,
        trace: parts,
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
