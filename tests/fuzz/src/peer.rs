//! CEL expressions beside a development peer, the crate `cel` 0.15: where it knows what an expression uses, it gives the same boolean,
//! or one of the differences of PEER.md explains why one of the two gives none.

use claimkit_model::cel::ast::{Ast, Expr, ExprNode, Literal};
use claimkit_model::cel::trace::children;
use serde::Serialize;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Once, OnceLock};

/// The peer's result for an expression: a boolean or an error.
type Answer = Result<bool, String>;

/// Cases with a boolean of kube-scheduler and an error of the peer: the start of the error, for each difference of PEER.md.
const PEER_FAILS: &[&str] = &[
    // A domain without attributes is an empty map; the peer's device does not have it.
    "No such key: ",
    // `cel.bind` and other macros that the peer does not have; a name with a leading dot.
    "Undeclared reference to ",
    // `has(a.b.c)`, where `b` is no map.
    "found no matching overload for '_._'",
    // `[1] in {}`: only what can be a key is looked for. `-true`: cel-go's booleans can be negated.
    "found no matching overload for '@in'",
    "found no matching overload for '-_'",
    // Nesting: the peer stops at 96 levels.
    "ERROR: <input>:",
];

/// Cases with a boolean of the peer and an error of kube-scheduler: the start of the error.
const SCHEDULER_FAILS: &[&str] = &[
    // The peer has no limit of costs, and no limit of steps.
    "operation cancelled: actual cost limit exceeded",
    "the evaluation takes too many steps",
];

/// Compares what both say of an expression that compiles.
pub fn compare(text: &str, ast: &Ast, ours: Result<bool, String>) {
    if !knows(ast) {
        return;
    }
    let peer = ask(text);
    let explained = match (&ours, &peer) {
        (Ok(ours), Ok(peer)) => ours == peer,
        (Ok(_), Err(error)) => PEER_FAILS.iter().any(|known| error.starts_with(known)),
        (Err(error), Ok(_)) => SCHEDULER_FAILS.iter().any(|known| error.starts_with(known)),
        (Err(_), Err(_)) => true,
    };
    assert!(
        explained,
        "{text}\nclaimkit: {ours:?}\nthe crate cel: {peer:?}"
    );
}

/// Functions and operators that both have, by their names in the tree.
const FUNCTIONS: &[&str] = &[
    "_&&_",
    "_||_",
    "!_",
    "_==_",
    "_!=_",
    "_<_",
    "_<=_",
    "_>_",
    "_>=_",
    "_?_:_",
    "_+_",
    "_-_",
    "_*_",
    "_/_",
    "_%_",
    "-_",
    "@in",
    "_[_]",
    "@not_strictly_false",
    "size",
    "startsWith",
    "endsWith",
    "contains",
];

/// Parts of the device that the peer cannot represent.
const PARTS: &[&str] = &["capacity", "driverVersion", "allowMultipleAllocations"];

/// True if the peer supports everything that an expression uses. It has no versions, quantities and optional values.
fn knows(ast: &Ast) -> bool {
    known(&ast.root)
}

fn known(expr: &Expr) -> bool {
    let itself = match &expr.node {
        ExprNode::Literal(Literal::String(name)) => !PARTS.contains(&&**name),
        ExprNode::Literal(literal) => !matches!(literal, Literal::Bytes(_)),
        ExprNode::Ident(_) => true,
        ExprNode::Select {
            operand,
            test_only: true,
            ..
        } if is_domains(operand) => false,
        ExprNode::Select { field, .. } => !PARTS.contains(&&**field),
        ExprNode::Call { function, .. } => FUNCTIONS.contains(&&**function),
        ExprNode::List {
            optional_indices, ..
        } => optional_indices.is_empty(),
        ExprNode::Map { entries } => entries.iter().all(|entry| !entry.optional),
        ExprNode::Message { .. } => false,
        ExprNode::Comprehension(comprehension) => comprehension.variable2.is_none(),
    };
    let mut all = itself;
    children(expr, &mut |child| all = all && known(child));
    all
}

/// `device.attributes`: kube-scheduler has every domain, the peer those with attributes.
fn is_domains(expr: &Expr) -> bool {
    matches!(&expr.node, ExprNode::Select { field, .. } if field.as_ref() == "attributes")
}

thread_local! {
    static ASKING: Cell<bool> = const { Cell::new(false) };
}

/// The peer's panics are answers; all others end the run.
fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !ASKING.get() {
                others(panic);
            }
        }));
    });
}

/// What the peer says of an expression on the device of the laws.
fn ask(text: &str) -> Answer {
    quiet();
    ASKING.set(true);
    let answer = catch_unwind(AssertUnwindSafe(|| evaluate(text)));
    ASKING.set(false);
    answer.unwrap_or_else(|_| Err("ERROR: <input>: it panics".to_owned()))
}

/// The device of the laws.
#[derive(Serialize)]
struct Device {
    driver: &'static str,
    attributes: Attributes,
}

#[derive(Serialize)]
struct Attributes {
    #[serde(rename = "gpu.example.com")]
    own: Own,
    #[serde(rename = "other.example.com")]
    other: Other,
}

#[derive(Serialize)]
struct Own {
    model: &'static str,
    ecc: bool,
}

#[derive(Serialize)]
struct Other {
    size: i64,
}

fn evaluate(text: &str) -> Answer {
    static CONTEXT: OnceLock<cel::Context<'static, 'static>> = OnceLock::new();
    let context = CONTEXT.get_or_init(|| {
        let mut context = cel::Context::default();
        let attributes = Attributes {
            own: Own {
                model: "A100",
                ecc: true,
            },
            other: Other { size: 7 },
        };
        context
            .add_variable(
                "device",
                Device {
                    driver: "gpu.example.com",
                    attributes,
                },
            )
            .unwrap();
        context
    });
    let program = cel::Program::compile(text).map_err(|error| error.to_string())?;
    match program
        .execute(context)
        .map_err(|error| error.to_string())?
    {
        cel::Value::Bool(found) => Ok(found),
        other => Err(format!("not a boolean: {other:?}")),
    }
}
