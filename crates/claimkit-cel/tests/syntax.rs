//! Parses expressions: recorded syntax errors, laws of the tree, and hostile texts.

use claimkit_cel::ast::{Ast, Expr, ExprNode, Macro};
use claimkit_cel::dialect::{
    CEL_GO_0_17, CEL_GO_0_22, CEL_GO_0_23, Dialect, MacroSet, ParserOptions,
};
use claimkit_cel::parse::parse;
use claimkit_cel::source::ProblemKind;
use claimkit_cel::{EnvironmentGate, EnvironmentMode};
use proptest::prelude::*;

use super::print::{nodes, shape, source, text};
use super::{environment, recorded};

fn options(dialect: &'static Dialect) -> ParserOptions {
    ParserOptions::new(dialect, MacroSet::all())
}

fn tree(text: &str) -> Ast {
    parse(text, &options(&CEL_GO_0_23))
        .unwrap_or_else(|problems| panic!("{text}: {}", problems.render()))
}

/// Returns the problems of a text, each on one line, without the lines of the source.
fn problems(text: &str, dialect: &'static Dialect) -> Vec<String> {
    match parse(text, &options(dialect)) {
        Ok(_) => Vec::new(),
        Err(problems) => {
            let lines = problems.render();
            lines
                .lines()
                .filter_map(|line| line.strip_prefix("ERROR: <input>:"))
                .map(str::to_owned)
                .collect()
        }
    }
}

fn now(text: &str) -> Vec<String> {
    problems(text, &CEL_GO_0_23)
}

#[test]
fn recorded_syntax_errors_are_reproduced() {
    // Random tokens and damaged selectors, answered by kube-apiserver 1.34.9's compiler.
    let lines = recorded("syntax-soup-1.34.9");
    assert_eq!(lines.len(), 1_000);
    for line in lines {
        let text = line["expr"].as_str().unwrap();
        let problems = parse(text, &options(&CEL_GO_0_23)).expect_err(text);
        assert_eq!(
            format!("compilation failed: {}", problems.render()),
            line["compileError"].as_str().unwrap(),
            "{text}"
        );
    }
}

/// Checks the same by 1.37.2's compiler.
#[test]
fn syntax_errors_of_1_37_are_reproduced() {
    let lines = recorded("syntax-soup-1.37.2");
    assert_eq!(lines.len(), 65);
    let environments = [EnvironmentMode::New, EnvironmentMode::Stored]
        .map(|mode| environment(37, &[EnvironmentGate::ConsumableCapacity], mode));
    for line in lines {
        let text = line["expr"].as_str().unwrap();
        let environment = &environments[usize::from(line["env"] == "stored")];
        assert_eq!(
            environment.compile(text).unwrap_err().text,
            line["compileError"].as_str().unwrap(),
            "{text}"
        );
    }
}

#[test]
fn operators_bind_as_cel_says() {
    for (text, same) in [
        ("a + b * c - d", "((a + (b * c)) - d)"),
        ("a < b == c", "((a < b) == c)"),
        ("a || b && c", "(a || (b && c))"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("!a.b[c](d)", ""),
        ("-a.b", "(-(a.b))"),
        ("--a", "a"),
        ("!!!a", "(!a)"),
        ("a in b in c", "((a in b) in c)"),
        ("1 - -1", "(1 - -1)"),
        ("a.b.c{d: 1,}", "a.b.c{d: 1}"),
        ("__one(x, true)", "__one(x, true)"),
    ] {
        match same {
            "" => assert!(!now(text).is_empty(), "{text}"),
            same => assert_eq!(shape(&tree(text).root), shape(&tree(same).root), "{text}"),
        }
    }
}

#[test]
fn chains_of_and_and_or_are_balanced() {
    assert_eq!(
        shape(&tree("a && b && c && d").root),
        "(_&&_ (_&&_ a b) (_&&_ c d))"
    );
    assert_eq!(shape(&tree("a || b || c").root), "(_||_ (_||_ a b) c)");
    let long = vec!["x"; 1_024].join(" && ");
    assert_eq!(
        nodes(&tree(&long).root)
            .iter()
            .map(|(_, level)| *level)
            .max(),
        Some(11)
    );
}

#[test]
fn nodes_stand_where_upstream_reports_them() {
    for (text, position) in [
        ("a.b", 1),
        ("a.?b", 1),
        (" a.b(c)", 4),
        ("f(x)", 1),
        ("a[0]", 1),
        ("[1]", 0),
        ("{1: 2}", 0),
        ("T{}", 1),
        ("a  == b", 3),
        ("!!!a", 0),
        ("-1", 0),
        ("a ? b : c", 2),
        ("'é'.all(x, x)", 7),
        (".x", 1),
    ] {
        assert_eq!(tree(text).root.position, position, "{text}");
    }
    let ast = tree("{'k' : 1}");
    assert!(matches!(&ast.root.node, ExprNode::Map { entries } if entries[0].position == 5));
}

#[test]
fn macros_expand_as_upstream_expands_them() {
    for (text, expected) in [
        ("has(a.b)", "(has a b)"),
        (
            "r.all(x, p)",
            "(fold r x @result=Bool(true) while (@not_strictly_false @result) do (_&&_ @result p) give @result)",
        ),
        (
            "r.exists(i, x, p)",
            "(fold r i,x @result=Bool(false) while (@not_strictly_false (!_ @result)) do (_||_ @result p) give @result)",
        ),
        (
            "r.exists_one(x, p)",
            "(fold r x @result=Int(0) while Bool(true) do (_?_:_ p (_+_ @result Int(1)) @result) give (_==_ @result Int(1)))",
        ),
        (
            "r.map(x, p, f)",
            "(fold r x @result=[ []] while Bool(true) do (_?_:_ p (_+_ @result [f []]) @result) give @result)",
        ),
        (
            "r.filter(x, p)",
            "(fold r x @result=[ []] while Bool(true) do (_?_:_ p (_+_ @result [x []]) @result) give @result)",
        ),
        (
            "r.transformMap(k, v, f)",
            "(fold r k,v @result={} while Bool(true) do (cel.@mapInsert @result k f) give @result)",
        ),
        (
            "cel.bind(x, v, b)",
            "(fold [ []] #unused x=v while Bool(false) do x give b)",
        ),
        (
            "o.optFlatMap(x, b)",
            "(_?_:_ (o.hasValue ) (fold [ []] #unused x=(o.value ) while Bool(false) do x give b) (optional.none ))",
        ),
        ("r.map(x)", "(r.map x)"),
        ("has(a, b)", "(has a b)"),
        ("a.bind(x, v, b)", "(a.bind x v b)"),
    ] {
        assert_eq!(shape(&tree(text).root), expected, "{text}");
    }
    let ast = tree("[1].all(x, has(x.y))");
    assert_eq!(
        ast.macros
            .iter()
            .map(|call| call.name.as_str())
            .collect::<Vec<_>>(),
        ["has", "all"]
    );
    assert!(matches!(&ast.root.node, ExprNode::Comprehension(fold) if fold.made_by == Macro::All));
}

#[test]
fn an_environment_says_which_macros_there_are() {
    let none = ParserOptions::new(&CEL_GO_0_23, MacroSet::default());
    for text in [
        "cel.bind(x, 1, x)",
        "a.optMap(x, x)",
        "a.all(i, x, true)",
        "a.transformList(i, x, x)",
        "a.sortBy(x, x)",
    ] {
        assert!(
            matches!(parse(text, &none).unwrap().root.node, ExprNode::Call { .. }),
            "{text}"
        );
        assert_ne!(
            shape(&parse(text, &none).unwrap().root),
            shape(&tree(text).root),
            "{text}"
        );
    }
}

#[test]
fn macros_refuse_wrong_arguments() {
    for (text, expected) in [
        ("has(a)", "1:5: invalid argument to has() macro"),
        ("[1].all(a.b, true)", "1:10: argument must be a simple name"),
        ("[1].map(1, true)", "1:9: argument is not an identifier"),
        (
            "[1].filter(__result__, true)",
            "1:12: iteration variable overwrites accumulator variable",
        ),
        ("[1].all(i, i, true)", "1:12: duplicate variable name: i"),
        (
            "cel.bind(1, 1, 1)",
            "1:10: cel.bind() variable names must be simple identifiers",
        ),
        (
            "a.optMap(1, 1)",
            "1:10: optMap() variable name must be a simple identifier",
        ),
        (
            "{}.sortBy(x, x)",
            "1:1: sortBy can only be applied to a list, identifier, comprehension, call or select expression",
        ),
    ] {
        assert_eq!(now(text), [expected], "{text}");
    }
}

#[test]
fn releases_read_differently() {
    // The three of 1.30 and 1.31, 1.32, and 1.33 to 1.36.
    let by_release = |text: &str| {
        [&CEL_GO_0_17, &CEL_GO_0_22, &CEL_GO_0_23].map(|dialect| problems(text, dialect).join("\n"))
    };
    let [_, old, new] = by_release("a.`b`");
    assert!(
        old.starts_with("1:3: Syntax error: token recognition error at: '`'"),
        "{old}"
    );
    assert_eq!(new, "1:3: unsupported syntax: '`'");
    let [_, old, new] = by_release("1 + %");
    assert!(
        old.starts_with("1:5: Syntax error: mismatched input '%!'(MISSING) expecting {"),
        "{old}"
    );
    assert!(
        new.starts_with("1:5: Syntax error: mismatched input '%' expecting {"),
        "{new}"
    );
    let [first, second, third] = by_release("");
    assert!(
        first.starts_with("1:1: ") && second.starts_with("1:0: ") && third.starts_with("1:0: ")
    );
    assert_eq!(
        by_release("'\\ud800'"),
        ["", "", "1:1: invalid unicode code point"]
    );
    let same = "2:1: reserved identifier: as";
    assert_eq!(
        by_release("a +\nas"),
        ["1:5: reserved identifier: as", same, same]
    );
    let refused = "1:9: iteration variable overwrites accumulator variable";
    assert_eq!(
        by_release("[1].all(__result__, __result__)"),
        ["", "", refused]
    );
    let guarded = "1:12: duplicate variable name: i";
    assert_eq!(
        by_release("[1].all(i, i, true)"),
        [guarded, guarded, guarded]
    );
}

#[test]
fn limits_are_upstream_s() {
    let nested = |open: &str, close: &str, count: usize| {
        format!("{}x{}", open.repeat(count), close.repeat(count))
    };
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("f(", ")"),
        ("{1:", "}"),
        ("x?x:", ""),
    ] {
        assert!(now(&nested(open, close, 249)).is_empty(), "{open}");
        assert_eq!(
            now(&nested(open, close, 250)),
            ["-1:0: expression recursion limit exceeded: 250"],
            "{open}"
        );
    }
    for link in [".x", "[x]", " + x"] {
        assert!(now(&format!("x{}", link.repeat(250))).is_empty(), "{link}");
        assert_eq!(
            now(&format!("x{}", link.repeat(251))),
            ["-1:0: max recursion depth exceeded"],
            "{link}"
        );
    }
    assert_eq!(
        now(&") ".repeat(300))[0],
        "-1:0: error recovery token lookahead limit exceeded: 256"
    );
    let too_many = parse(&"@".repeat(102), &options(&CEL_GO_0_23)).unwrap_err();
    assert_eq!(
        (
            too_many.problems.sorted().len(),
            too_many.render().lines().last()
        ),
        (100, Some("1 more errors were truncated"))
    );
    assert_eq!(
        now(&"x".repeat(100_001)),
        ["-1:0: expression code point size exceeds limit: size: 100001, limit 100000"]
    );
}

#[test]
fn a_chain_of_opt_map_does_not_double_without_end() {
    let text = format!("x{}", ".optMap(y, y)".repeat(40));
    let problems = parse(&text, &options(&CEL_GO_0_23)).unwrap_err().problems;
    assert!(
        problems
            .sorted()
            .iter()
            .all(|problem| problem.kind == ProblemKind::TooLarge)
    );
    assert!(now(&format!("x{}", ".optMap(y, y)".repeat(10))).is_empty());
}

#[test]
fn hostile_texts_of_the_longest_length_are_answered() {
    let parts = [
        "(",
        "[",
        "{",
        "!",
        "-",
        "a.",
        "x && ",
        "x ? x : ",
        "? : ",
        "1,",
        "a(",
        "1+",
        "1*1+",
        "1==",
        "T{a:",
        "'''",
        "\"\"\" '''",
        "\"\\",
        "@",
        ")",
        "x ",
        "b ",
        "`a",
        ".",
        "a.b{",
        "x.all(y,",
        ".map(y,y)",
        "x.all(y,y)&&",
        "\n",
        "a\n+",
        "a[\n",
        "1..",
        "0x",
        "1:1,",
        "é",
        "\u{0}",
    ];
    for part in parts {
        for whole in [
            part.repeat(10_240 / part.len()),
            format!("[{}]", part.repeat(10_000 / part.len())),
        ] {
            for dialect in [&CEL_GO_0_17, &CEL_GO_0_23] {
                if let Ok(ast) = parse(&whole, &options(dialect)) {
                    check_tree(&ast);
                }
            }
        }
    }
}

#[test]
fn the_deepest_tree_is_not_too_deep_to_walk() {
    let text = format!(
        "{}x{}",
        "[!(x||x&&[1].map(x,x,".repeat(82),
        "))]".repeat(82)
    );
    check_tree(&tree(&text));
}

/// Checks the laws of a tree: ids are unique, the height is correct, and the text of a node parses to that node.
fn check_tree(ast: &Ast) {
    let all = nodes(&ast.root);
    let mut ids: Vec<u32> = all.iter().map(|(expr, _)| expr.id).collect();
    ids.sort_unstable();
    assert!(
        ids.windows(2).all(|pair| pair[0] < pair[1])
            && ids.first() >= Some(&1)
            && ids.last() < Some(&ast.ids)
    );
    assert!(all.iter().all(|(_, level)| *level <= ast.height));
}

fn check_spans(ast: &Ast) {
    for (expr, _) in nodes(&ast.root) {
        let is_field_name = matches!(expr.node, ExprNode::Literal(_))
            && !source(ast, expr).starts_with(|first: char| !first.is_alphabetic());
        if expr.generated
            || is_field_name && parse(source(ast, expr), &options(&CEL_GO_0_23)).is_ok_and(is_name)
        {
            continue;
        }
        let again = tree(source(ast, expr));
        assert_eq!(
            shape(&again.root),
            shape(expr),
            "{} in {}",
            source(ast, expr),
            ast.source.text()
        );
    }
}

fn is_name(ast: Ast) -> bool {
    matches!(
        ast.root,
        Expr {
            node: ExprNode::Ident(_),
            ..
        }
    )
}

/// Makes texts of the grammar, with and without parentheses.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "x",
        "y.z",
        ".w",
        "1",
        "-1",
        "0x1F",
        "7u",
        "1.5",
        "-2e-3",
        ".5",
        "'a\\n'",
        "r'\\d'",
        "b'\\xff'",
        "\"\"\"q\"q\"\"\"",
        "true",
        "null",
        "[]",
        "{}",
        "T{}",
        "'é'",
    ]);
    let leaf = leaf.prop_map(str::to_owned);
    leaf.prop_recursive(6, 60, 4, |inner| {
        let operator = prop::sample::select(vec![
            "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "in", "&&", "||",
        ]);
        let postfix = prop::sample::select(vec![".f", ".?f", ".g()", ".size()"]);
        let fold = prop::sample::select(vec![
            "all",
            "exists",
            "exists_one",
            "map",
            "filter",
            "optMap",
            "optFlatMap",
            "sortBy",
        ]);
        prop_oneof![
            (inner.clone(), operator, inner.clone())
                .prop_map(|(left, operator, right)| format!("{left} {operator} {right}")),
            inner.clone().prop_map(|inner| format!("({inner})")),
            inner.clone().prop_map(|inner| format!("!({inner})")),
            inner.clone().prop_map(|inner| format!("-({inner})")),
            (inner.clone(), postfix).prop_map(|(inner, postfix)| format!("({inner}){postfix}")),
            (inner.clone(), inner.clone())
                .prop_map(|(operand, index)| format!("({operand})[{index}]")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("(({a}) ? ({b}) : {c})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("f({a}, {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}, ?{b},]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{{a}: {b}, ?1: {a}}}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("m.T{{f: {a}, ?g: {b}}}")),
            (inner.clone(), fold, inner)
                .prop_map(|(range, fold, body)| format!("({range}).{fold}(v, {body})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_printed_tree_parses_to_itself(written in expression()) {
        if let Ok(ast) = parse(&written, &options(&CEL_GO_0_23)) {
            check_tree(&ast);
            check_spans(&ast);
            let printed = text(&ast, &ast.root);
            prop_assert_eq!(shape(&tree(&printed).root), shape(&ast.root), "{}", printed);
        }
    }

    #[test]
    fn any_text_is_answered(written in "[ -~\\n\\té`'\"\\\\@]{0,60}") {
        for dialect in [&CEL_GO_0_17, &CEL_GO_0_22, &CEL_GO_0_23] {
            match parse(&written, &options(dialect)) {
                Ok(ast) => check_tree(&ast),
                Err(problems) => prop_assert!(!problems.problems.is_empty()),
            }
        }
    }

    #[test]
    fn what_is_damaged_is_answered(written in expression(), cut in 0_usize..200, put in "[ -~]{0,3}") {
        let at = (0..=written.len()).rev().find(|at| *at <= cut && written.is_char_boundary(*at)).unwrap_or(0);
        let damaged = format!("{}{put}{}", &written[..at], &written[at..]);
        match parse(&damaged, &options(&CEL_GO_0_23)) {
            Ok(ast) => check_tree(&ast),
            Err(problems) => prop_assert!(!problems.problems.is_empty()),
        }
    }
}
