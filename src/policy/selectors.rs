//! What the CEL selectors of devices select, as far as a policy needs to know.

use crate::cel_lints::{Language, reads};
use claimkit_model::cel::ast::{Expr, ExprNode, Literal};
use claimkit_model::cel::{CelDevice, EnvironmentMode, Program, SELECTOR_COST_LIMIT};
use claimkit_model::schema::{Gates, Release};
use claimkit_values::order;

/// The driver of a device that no cluster has.
const NOBODY: &str = "nobody.invalid";

/// Maximum number of drivers that an expression is tried on.
const TRIALS: usize = 64;

fn compile(text: &str, release: Release, gates: Option<Gates>) -> Option<Program> {
    Language::Device
        .environment(EnvironmentMode::New, release, gates)
        .compile(text)
        .ok()
}

/// Returns the drivers that `device.driver` is compared with by `==` or `in`. Operands of `!` are left out.
pub fn drivers(text: &str, release: Release, gates: Option<Gates>) -> Vec<String> {
    let mut names = Vec::new();
    let Some(program) = compile(text, release, gates) else {
        return names;
    };
    let is_driver =
        |expr: &Expr| reads::path(expr).is_some_and(|path| path == ["device", "driver"]);
    reads::visit(&program.checked().ast.root, &mut |expr| {
        let ExprNode::Call {
            function,
            arguments,
            ..
        } = &expr.node
        else {
            return true;
        };
        match (&**function, arguments.as_slice()) {
            ("!_", _) => return false,
            ("_==_", [one, other]) => {
                for (driver, value) in [(one, other), (other, one)] {
                    if is_driver(driver) {
                        names.extend(literal(value));
                    }
                }
            }
            ("@in", [driver, list]) if is_driver(driver) => {
                if let ExprNode::List { elements, .. } = &list.node {
                    names.extend(elements.iter().filter_map(literal));
                }
            }
            _ => {}
        }
        true
    });
    names
}

fn literal(expr: &Expr) -> Option<String> {
    match &expr.node {
        ExprNode::Literal(Literal::String(text)) => Some(text.to_string()),
        _ => None,
    }
}

/// Checks whether some device does not meet all expressions: devices without attributes, of drivers that the expressions name and of
/// one that they do not, are tried. An expression that does not compile selects nothing that could be relied on.
pub fn leave_devices_out(texts: &[&str], release: Release, gates: Option<Gates>) -> bool {
    let programs: Vec<Program> = texts
        .iter()
        .filter_map(|text| compile(text, release, gates))
        .collect();
    if programs.len() < texts.len() {
        return false;
    }
    let mut drivers = order::set([NOBODY.to_owned()]);
    for program in &programs {
        reads::visit(&program.checked().ast.root, &mut |expr| {
            if drivers.len() < TRIALS {
                drivers.extend(literal(expr));
            }
            true
        });
    }
    let environment = Language::Device.environment(EnvironmentMode::New, release, gates);
    drivers.into_iter().any(|driver| {
        let device = CelDevice {
            driver,
            ..CelDevice::default()
        };
        let Ok(variables) = device.variables(&environment) else {
            return false;
        };
        programs
            .iter()
            .any(|program| program.evaluate(&variables, SELECTOR_COST_LIMIT).matches() != Ok(true))
    })
}
