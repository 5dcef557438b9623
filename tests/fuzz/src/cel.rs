//! CEL expressions: printed and parsed again they are the same tree; constants that are computed before the run give what they give
//! during it; a run ends within its budget, and with exactly what it spends it ends the same way; and a peer says the same.
//!
//! Input: a letter for release, mode and gates, and an expression.

use crate::{peer, print};
use claimkit_model::cel::ast::{Ast, Expr, ExprNode, Literal};
use claimkit_model::cel::parse::parse;
use claimkit_model::cel::trace::children;
use claimkit_model::cel::value::Value;
use claimkit_model::cel::{
    CelDevice, DeviceAttribute, Environment, EnvironmentGate, EnvironmentMode, NamedAttribute,
    SELECTOR_COST_LIMIT, device,
};
use libfuzzer_sys::Corpus;

pub fn run(data: &[u8]) -> Corpus {
    let Some((&first, rest)) = data.split_first() else {
        return Corpus::Reject;
    };
    let Ok(text) = std::str::from_utf8(rest) else {
        return Corpus::Reject;
    };
    let options = first.wrapping_sub(b'A');
    let mode = if options % 2 == 0 {
        EnvironmentMode::New
    } else {
        EnvironmentMode::Stored
    };
    let gates: &[EnvironmentGate] = if options / 2 % 2 == 0 {
        &[]
    } else {
        &[
            EnvironmentGate::ConsumableCapacity,
            EnvironmentGate::ListTypeAttributes,
        ]
    };
    let newest = claimkit::Release::latest().minor;
    let minor = newest - options / 4 % (newest - 29);
    let environment = if minor == 30 {
        device::named_resources(mode)
    } else {
        device::environment(minor, gates, mode)
    };
    let Ok(ast) = parse(text, environment.parse_options()) else {
        assert!(environment.compile(text).is_err(), "{text}");
        return Corpus::Keep;
    };
    printed(&environment, &ast);
    let Ok(program) = environment.compile(text) else {
        return Corpus::Keep;
    };
    let variables = variables(&environment, minor);
    let outcome = program.evaluate(&variables, SELECTOR_COST_LIMIT);
    let traced = program.trace(&variables, SELECTOR_COST_LIMIT);
    assert_eq!(outcome.matches(), traced.outcome.matches(), "{text}");
    assert_eq!(outcome.cost, traced.outcome.cost, "{text}");
    program.explain(&traced);
    if minor != 30 {
        peer::compare(text, &ast, outcome.matches().map_err(String::from));
    }
    if outcome.result.is_ok() {
        let enough = program.evaluate(&variables, outcome.cost);
        assert_eq!(
            enough.matches(),
            outcome.matches(),
            "with what it spends: {text}"
        );
        if let Some(less) = outcome.cost.checked_sub(1) {
            assert!(
                program.evaluate(&variables, less).result.is_err(),
                "beyond its budget: {text}"
            );
        }
    }
    let unfolded = unfolded(text, &ast, minor);
    if let Ok(other) = environment.compile(&unfolded)
        && let (Ok(folded), Ok(found)) = (
            outcome.matches(),
            other.evaluate(&variables, SELECTOR_COST_LIMIT).matches(),
        )
    {
        assert_eq!(folded, found, "{text}\nwithout constants: {unfolded}");
    }
    Corpus::Keep
}

fn printed(environment: &Environment, ast: &Ast) {
    let text = print::text(ast, &ast.root);
    match parse(&text, environment.parse_options()) {
        Ok(again) => assert_eq!(
            print::shape(&again.root),
            print::shape(&ast.root),
            "{}\nprinted: {text}",
            ast.source.text()
        ),
        // Parentheses are levels, too.
        Err(refused) => {
            let problems = refused.render();
            assert!(
                problems.contains("limit") || problems.contains("recursion"),
                "{}\nprinted: {text}\n{problems}",
                ast.source.text()
            );
        }
    }
}

fn variables(environment: &Environment, minor: u8) -> Vec<Value> {
    if minor == 30 {
        let attributes = [
            ("q".to_owned(), NamedAttribute::Quantity("1Gi".to_owned())),
            ("b".to_owned(), NamedAttribute::Bool(true)),
            ("i".to_owned(), NamedAttribute::Int(7)),
            ("s".to_owned(), NamedAttribute::String("é".to_owned())),
            ("v".to_owned(), NamedAttribute::Version("1.2.3".to_owned())),
        ];
        return device::named_variables(&attributes).unwrap();
    }
    let described = CelDevice::new("gpu.example.com")
        .attribute("model", DeviceAttribute::String("A100".to_owned()))
        .attribute("other.example.com/size", DeviceAttribute::Int(7))
        .attribute("ecc", DeviceAttribute::Bool(true))
        .attribute(
            "driverVersion",
            DeviceAttribute::Version("1.2.3".to_owned()),
        )
        .capacity("memory", "80Gi");
    described.variables(environment).unwrap()
}

/// The same expression with constants that are known only at run time.
fn unfolded(text: &str, ast: &Ast, minor: u8) -> String {
    let mut literals = Vec::new();
    collect(&ast.root, &mut literals);
    literals.sort_unstable();
    literals.dedup();
    let zero = if minor == 30 {
        "size(attributes.string) * 0"
    } else {
        "size(device.driver) * 0"
    };
    let mut out = String::new();
    let mut at = 0;
    for (from, to) in literals {
        let literal = &text[from..to];
        // Names behind `.?` are constants of the tree.
        if from < at
            || !literal.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '\''))
        {
            continue;
        }
        out.push_str(&text[at..from]);
        out.push_str(&format!("[{literal}, {literal}][{zero}]"));
        at = to;
    }
    out.push_str(&text[at..]);
    out
}

fn collect(expr: &Expr, found: &mut Vec<(usize, usize)>) {
    let constant = matches!(
        expr.node,
        ExprNode::Literal(
            Literal::Int(_) | Literal::Uint(_) | Literal::Double(_) | Literal::String(_)
        )
    );
    if constant && !expr.generated {
        found.push((expr.span.start as usize, expr.span.end as usize));
    }
    children(expr, &mut |child| collect(child, found));
}
