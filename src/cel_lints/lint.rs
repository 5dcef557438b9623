//! Warnings about expressions that the server accepts: names that no slice in the files publishes, string comparisons where
//! versions or quantities are probably meant, devices of the text on which the expression fails, and constant parts.
//!
//! Expressions are checked after the whole text is read, because slices may follow them. Without expressions, the published names
//! are not needed.

use super::comparison::{self, Comparison, WrongComparison, shortened};
use super::guard::{self, Guard};
use super::published::{PublishedDevice, PublishedNames};
use super::reads::{self, Read};
use super::unparsable::{Unparsable, unparsable};
use super::{Expression, Language, all};
use crate::advice::{cel_syntax, in_yaml, locate, rewrite};
use crate::manifest::Item;
use claimkit_model::cel::ast::{Expr, ExprNode, Literal};
use claimkit_model::cel::functions::CallStyle;
use claimkit_model::cel::trace::Trace;
use claimkit_model::cel::value::Value;
use claimkit_model::cel::{Environment, EnvironmentMode, Program, SELECTOR_COST_LIMIT};
use claimkit_model::finding::{Code, Finding, Step, path};
use claimkit_model::message::{Message, message};
use claimkit_model::nearest;
use claimkit_model::schema::{Api, Gates, Release};
use claimkit_model::text::Span;
use claimkit_model::text::scalar::Places;
use claimkit_model::text::tree::{NodeId, Style, Tree};
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

/// Maximum number of expressions of a text that are looked at.
const KEPT: usize = 1000;

/// Maximum number of times that expressions of a text are tried on devices.
const TRIALS: usize = 20_000;

/// Maximum number of devices that advice is tried on.
const TRIED_FOR_ADVICE: usize = 20;

/// Maximum number of published names that advice shows.
const MOST_NAMES_SHOWN: usize = 8;

/// The expressions of a text.
#[derive(Debug, Default)]
pub struct Lints {
    environments: Vec<Compiler>,
    kept: Vec<Kept>,
}

/// The environments of the expressions of some objects.
#[derive(Debug)]
struct Compiler {
    language: Language,
    release: Release,
    gates: Option<Gates>,
    environment: Arc<Environment>,
}

/// Where an expression is.
#[derive(Debug)]
enum ExpressionPlace {
    /// In the string of a text; `None`: its bytes there are not known.
    InText(Option<Places>),
    /// It is the whole text.
    Alone,
}

impl ExpressionPlace {
    /// Returns the bytes of the text that are a part of the expression.
    fn span(&self, part: &Range<u32>) -> Option<Span> {
        let (start, end) = (part.start as usize, part.end as usize);
        match self {
            ExpressionPlace::InText(places) => {
                places.as_ref().map(|places| places.span(start, end))
            }
            ExpressionPlace::Alone => Some(Span::new(start, end)),
        }
    }
}

/// An expression that compiles.
#[derive(Debug)]
struct Kept {
    object: usize,
    steps: Vec<Step>,
    place: ExpressionPlace,
    /// How the text writes it.
    style: Style,
    /// YAML makes one line of the lines that the text has.
    is_folded: bool,
    program: Program,
    compiler: usize,
    /// The list that contains it: a later selector is evaluated only on devices that passed the earlier ones.
    list: String,
    /// The class whose selectors apply first.
    class: Option<String>,
    /// The class that it is a selector of.
    of_class: Option<String>,
    /// The driver whose instances it selects from (1.30).
    driver: Option<String>,
}

impl Kept {
    /// Returns true if it is a selector of the class that another one names.
    fn selects_for(&self, other: &Kept) -> bool {
        self.of_class.is_some() && self.of_class == other.class
    }

    fn run(&self, variables: &[Value]) -> claimkit_model::cel::Outcome {
        self.program.evaluate(variables, SELECTOR_COST_LIMIT)
    }
}

impl Lints {
    /// Returns true if there is no expression.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Takes the expressions of an object in.
    pub fn take(
        &mut self,
        tree: &Tree<'_>,
        item: &Item,
        index: usize,
        api: Api,
        gates: Option<Gates>,
    ) {
        let Some(language) = Language::of(api) else {
            return;
        };
        for expression in all(tree, item.node, language) {
            if self.kept.len() >= KEPT {
                return;
            }
            let compiler = self.compiler(language, item.release, gates);
            let text = tree.str(expression.node).unwrap_or_default();
            let program = self
                .environments
                .get(compiler)
                .and_then(|known| known.environment.compile(text).ok());
            let Some(program) = program else { continue };
            let Expression { node, steps } = expression;
            // `selectors[0].cel.expression`, `requests[0].namedResources.selector`.
            let outer = |levels: usize| {
                locate::node(
                    tree,
                    item.node,
                    steps.get(..steps.len().saturating_sub(levels))?,
                )
            };
            let device = language == Language::Device;
            self.kept.push(Kept {
                object: index,
                place: ExpressionPlace::InText(Places::of(tree, node)),
                style: tree.node(node).style,
                is_folded: is_folded(tree, node),
                program,
                compiler,
                list: path::render(
                    steps
                        .get(..steps.len().saturating_sub(3))
                        .unwrap_or_default(),
                ),
                class: text_in(tree, outer(4).filter(|_| device), "deviceClassName"),
                of_class: (item.kind == "DeviceClass").then(|| item.name.clone()),
                driver: text_in(tree, outer(4), "driverName")
                    .or_else(|| text_in(tree, outer(2), "driverName"))
                    .filter(|_| !device),
                steps,
            });
        }
    }

    /// Keeps one expression, which is in no object.
    pub fn of_expression(
        program: Program,
        environment: Arc<Environment>,
        language: Language,
        release: Release,
    ) -> Self {
        Lints {
            environments: vec![Compiler {
                language,
                release,
                gates: None,
                environment,
            }],
            kept: vec![Kept {
                object: 0,
                steps: Vec::new(),
                place: ExpressionPlace::Alone,
                // No quotes and no indentation of YAML are around it.
                style: Style::Literal,
                is_folded: false,
                program,
                compiler: 0,
                list: String::new(),
                class: None,
                of_class: None,
                driver: None,
            }],
        }
    }

    /// Returns the expression that is kept alone.
    pub fn program(&self) -> Option<&Program> {
        self.kept.first().map(|kept| &kept.program)
    }

    /// Reports what is wrong with the expression that is kept alone, apart from failures on single devices. Returns false if it reads
    /// what no device has.
    pub fn warnings(&self, published: &PublishedNames, tell: &mut dyn FnMut(Finding)) -> bool {
        self.kept
            .first()
            .is_none_or(|kept| self.tell_of_all_devices(kept, published, tell))
    }

    /// Returns what to write, if the expression that is kept alone fails on a device. `variables`: of that device. `error`: what it fails
    /// with.
    pub fn help_for_failure(
        &self,
        published: &PublishedNames,
        variables: &[Value],
        error: &str,
    ) -> Option<Message> {
        let kept = self.kept.first()?;
        let compiler = self.environments.get(kept.compiler)?;
        let failure = Failure::of(kept, variables, error);
        failure.help(kept, &compiler.environment, published, variables)
    }

    fn compiler(&mut self, language: Language, release: Release, gates: Option<Gates>) -> usize {
        let known = self.environments.iter().position(|known| {
            known.language == language && known.release == release && known.gates == gates
        });
        known.unwrap_or_else(|| {
            let environment = language.environment(EnvironmentMode::New, release, gates);
            self.environments.push(Compiler {
                language,
                release,
                gates,
                environment,
            });
            self.environments.len().saturating_sub(1)
        })
    }

    /// Reports the findings in the order of the expressions. `published`: the names published by the slices of the text.
    pub fn findings(&self, published: &PublishedNames, tell: &mut dyn FnMut(Finding)) {
        let mut trials = TRIALS;
        let pairs = self
            .environments
            .len()
            .saturating_mul(published.subjects.len());
        let variables: Vec<OnceCell<Option<Vec<Value>>>> =
            (0..pairs).map(|_| OnceCell::new()).collect();
        for (at, kept) in self.kept.iter().enumerate() {
            let is_known = self.tell_of_all_devices(kept, published, tell);
            if is_known {
                self.failures(at, kept, published, &variables, &mut trials, tell);
            }
        }
    }

    /// Reports what is wrong with an expression whatever the device. Returns false if it reads what no device has.
    fn tell_of_all_devices(
        &self,
        kept: &Kept,
        published: &PublishedNames,
        tell: &mut dyn FnMut(Finding),
    ) -> bool {
        let is_known = self.shapes(kept, tell) && self.names(kept, published, tell);
        self.comparisons(kept, published, tell);
        self.constants(kept, tell);
        self.unparsable(kept, tell);
        comments(kept, tell);
        is_known
    }

    fn finding(
        kept: &Kept,
        code: Code,
        span: &Range<u32>,
        message: Message,
        help: Message,
    ) -> Finding {
        let expression = kept.program.checked().ast.source.text();
        let help = in_yaml::help(help.into(), expression, kept.style);
        let mut finding = Finding::warning(code, message).with_help(help);
        finding.object = Some(kept.object);
        finding.path = Some(path::render(&kept.steps));
        finding.span = kept.place.span(span);
        finding.steps.clone_from(&kept.steps);
        finding
    }

    fn language(&self, kept: &Kept) -> Option<Language> {
        self.environments
            .get(kept.compiler)
            .map(|compiler| compiler.language)
    }

    /// Reports reads that no device can answer. False if there are such reads.
    fn shapes(&self, kept: &Kept, tell: &mut dyn FnMut(Finding)) -> bool {
        if self.language(kept) != Some(Language::Device) {
            return true;
        }
        let mut fine = true;
        for Read { path, span } in reads::all(&kept.program.checked().ast.root) {
            let wrong = self.domain_with_slash(kept, &path);
            if let Some(WrongRead {
                code,
                message,
                help,
            }) = wrong.or_else(|| field_of_value(&path))
            {
                tell(Self::finding(kept, code, &span, message, help));
                fine = false;
            }
        }
        fine
    }

    /// Returns what is wrong with a read of a domain with `/`, if the name behind it can be read.
    fn domain_with_slash(&self, kept: &Kept, path: &[String]) -> Option<WrongRead> {
        let NamedRead { holder, domain, .. } = NamedRead::of(path)?;
        let (domain, name) = domain.split_once('/')?;
        let written = format!("device.{holder}[\"{domain}\"].{name}");
        let environment = &self.environments.get(kept.compiler)?.environment;
        environment
            .compile(&format!("{written} == {written}"))
            .ok()?;
        Some(WrongRead {
            code: Code::SelectorNameUnknown,
            message: message!(
                "expression.domain-with-slash",
                "`{domain}/{name}` is not a domain: domain and name are written apart",
                domain,
                name
            ),
            help: message!("expression.name-apart", "write `{written}`", written),
        })
    }

    /// Reports names that no slice publishes, if there are slices of the family. False if there are such names.
    fn names(
        &self,
        kept: &Kept,
        published: &PublishedNames,
        tell: &mut dyn FnMut(Finding),
    ) -> bool {
        let mut all_known = true;
        let device = self.language(kept) == Some(Language::Device);
        if !published
            .subjects
            .iter()
            .any(|subject| subject.is_device() == device)
        {
            return true;
        }
        for read in reads::all(&kept.program.checked().ast.root) {
            let Some(unknown) = UnknownName::of(&read, published, device) else {
                continue;
            };
            let Some(message) = unpublished(unknown.before, unknown.name, device) else {
                continue;
            };
            let elsewhere = if device {
                self.published_elsewhere(kept, published, unknown.before, &read)
            } else {
                None
            };
            let help = elsewhere.unwrap_or_else(|| unknown.names_instead(published));
            let code = Code::SelectorNameUnknown;
            tell(Self::finding(kept, code, &read.span, message, help));
            all_known = false;
        }
        all_known
    }

    /// Returns where the name of a read is published: as a capacity in place of an attribute, or in another domain.
    fn published_elsewhere(
        &self,
        kept: &Kept,
        published: &PublishedNames,
        before: &[String],
        read: &Read,
    ) -> Option<Message> {
        let named = NamedRead::of(&read.path)?;
        let name = named.names.first()?;
        if let Some(advice) = name_without_domain(named.holder, name, published) {
            return Some(advice);
        }
        let holder = if named.holder == "attributes" {
            "capacity"
        } else {
            "attributes"
        };
        let domain = named.domain;
        if published.has(&["device", holder, domain, name].map(str::to_owned)) {
            let elsewhere = PublishedRead {
                holder,
                domain,
                name,
            };
            return Some(self.advice_to_read(kept, published, read, &elsewhere));
        }
        in_another_domain(&named, name, before, published)
    }

    /// Returns advice to read a name where it is published: the expression, if one is known that works.
    fn advice_to_read(
        &self,
        kept: &Kept,
        published: &PublishedNames,
        read: &Read,
        elsewhere: &PublishedRead<'_>,
    ) -> Message {
        let PublishedRead {
            holder,
            domain,
            name,
        } = *elsewhere;
        match self.read_elsewhere(kept, published, read, elsewhere) {
            Some(new) => message!(
                "expression.published-as-other",
                "`{domain}/{name}` is published under `{other}`: write `{new}`",
                domain,
                name,
                other = holder,
                new
            ),
            None => message!(
                "expression.published-under",
                "`{domain}/{name}` is published under `{other}`",
                domain,
                name,
                other = holder
            ),
        }
    }

    /// Returns what to write for a read, or for the comparison around it, to read what is published. It compiles, and is evaluated on some
    /// device that publishes the name, unless another name is missing there.
    fn read_elsewhere(
        &self,
        kept: &Kept,
        published: &PublishedNames,
        read: &Read,
        elsewhere: &PublishedRead<'_>,
    ) -> Option<String> {
        let Compiler { environment, .. } = self.environments.get(kept.compiler)?;
        let subjects: Vec<&PublishedDevice> = published
            .subjects
            .iter()
            .filter(|subject| subject.publishes(elsewhere.holder, elsewhere.domain, elsewhere.name))
            .take(TRIED_FOR_ADVICE)
            .collect();
        elsewhere
            .rewritings(kept, read)
            .into_iter()
            .find(|rewriting| {
                let program = rewriting.compiled(&kept.program, environment);
                program.is_some_and(|program| {
                    let fails = |subject: &&PublishedDevice| {
                        fails_by_itself(&program, environment, subject)
                    };
                    subjects.is_empty() || !subjects.iter().all(fails)
                })
            })
            .map(|rewriting| rewriting.new)
    }

    /// Reports comparisons of attributes with values of another type: of texts where versions or numbers are meant, `"10" < "9"`,
    /// and those that are the same for every device in the files.
    fn comparisons(&self, kept: &Kept, published: &PublishedNames, tell: &mut dyn FnMut(Finding)) {
        let Some(Compiler {
            language,
            environment,
            ..
        }) = self.environments.get(kept.compiler)
        else {
            return;
        };
        reads::visit(&kept.program.checked().ast.root, &mut |expr| {
            let Some(comparison) = Comparison::of(&kept.program, expr) else {
                return true;
            };
            let known = (*language == Language::Device).then_some(published);
            let wrong = known
                .and_then(|published| comparison.misspelt_driver(published))
                .or_else(|| comparison.constant_order(&kept.program))
                .or_else(|| comparison.wrong(known, environment, &kept.program));
            if let Some(WrongComparison {
                code,
                span,
                message,
                help,
            }) = wrong
            {
                tell(Self::finding(kept, code, &span, message, help));
            }
            true
        });
    }

    /// Reports an expression, or a part that `&&` and `||` join, that is the same for all devices.
    fn constants(&self, kept: &Kept, tell: &mut dyn FnMut(Finding)) {
        let Some(Compiler {
            language,
            environment,
            ..
        }) = self.environments.get(kept.compiler)
        else {
            return;
        };
        let root = &kept.program.checked().ast.root;
        let mut open = vec![root];
        while let Some(expr) = open.pop() {
            match &expr.node {
                ExprNode::Call {
                    function,
                    arguments,
                    ..
                } if matches!(&**function, "_&&_" | "_||_") => {
                    open.extend(arguments.iter().rev());
                }
                // 1.30 requires a selector; `true` selects everything.
                ExprNode::Literal(Literal::Bool(true))
                    if *language == Language::NamedResources && std::ptr::eq(expr, root) => {}
                _ if reads::is_constant(expr) => {
                    let text = kept.program.text_of(&expr.span);
                    let Ok(program) = environment.compile(text) else {
                        continue;
                    };
                    let none = vec![Value::Null; environment.variable_count()];
                    let Ok(Value::Bool(value)) =
                        program.evaluate(&none, SELECTOR_COST_LIMIT).result
                    else {
                        continue;
                    };
                    let message = message!(
                        "expression.constant",
                        "`{part}` is {value} for every device",
                        part = shortened(text),
                        value
                    );
                    let help = message!(
                        "expression.constant-help",
                        "compare something of the device, or leave the part out"
                    );
                    tell(Self::finding(
                        kept,
                        Code::SelectorConstant,
                        &expr.span,
                        message,
                        help,
                    ));
                }
                _ => {}
            }
        }
    }

    /// Reports conversions of texts that always fail.
    fn unparsable(&self, kept: &Kept, tell: &mut dyn FnMut(Finding)) {
        let Some(Compiler { environment, .. }) = self.environments.get(kept.compiler) else {
            return;
        };
        for Unparsable {
            span,
            message,
            help,
        } in unparsable(&kept.program, environment)
        {
            tell(Self::finding(
                kept,
                Code::SelectorUnparsable,
                &span,
                message,
                help,
            ));
        }
    }

    /// Returns the selectors that a device must pass before this one is evaluated: those of the class, and the earlier ones of its list.
    fn evaluated_before(&self, at: usize, kept: &Kept, is_about_devices: bool) -> Vec<&Kept> {
        let mut before: Vec<&Kept> = Vec::new();
        for (other, earlier) in self.kept.iter().enumerate() {
            let is_of_list =
                is_about_devices && earlier.object == kept.object && earlier.list == kept.list;
            if earlier.selects_for(kept) || other < at && is_of_list {
                before.push(earlier);
            }
        }
        before
    }

    /// Reports the first device of the text on which the expression fails. `made`: the variables of each device, one
    /// environment after the other.
    fn failures(
        &self,
        at: usize,
        kept: &Kept,
        published: &PublishedNames,
        made: &[OnceCell<Option<Vec<Value>>>],
        trials: &mut usize,
        tell: &mut dyn FnMut(Finding),
    ) {
        let Some(Compiler {
            language,
            environment,
            ..
        }) = self.environments.get(kept.compiler)
        else {
            return;
        };
        let is_about_devices = *language == Language::Device;
        let domains: Vec<String> = reads::all(&kept.program.checked().ast.root)
            .into_iter()
            .filter_map(|read| read.path.into_iter().nth(2))
            .collect();
        let is_class_known =
            is_about_devices && self.kept.iter().any(|class| class.selects_for(kept));
        let before = self.evaluated_before(at, kept, is_about_devices);
        for (index, subject) in published.subjects.iter().enumerate() {
            if subject.is_device() != is_about_devices {
                continue;
            }
            let is_selected_from = match &kept.driver {
                Some(driver) => subject.driver == *driver,
                None if is_class_known || domains.is_empty() => true,
                // If the class is unknown, so are the devices that it selects: use those that publish a name in a domain that the
                // expression reads.
                None => domains.iter().any(|domain| subject.has_domain(domain)),
            };
            if !is_selected_from {
                continue;
            }
            let place = kept
                .compiler
                .saturating_mul(published.subjects.len())
                .saturating_add(index);
            let Some(cell) = made.get(place) else { return };
            let Some(variables) = cell.get_or_init(|| subject.variables(environment).ok()) else {
                continue;
            };
            *trials = trials.saturating_sub(before.len().saturating_add(1));
            if *trials == 0 {
                return;
            }
            let passed = before
                .iter()
                .all(|earlier| earlier.run(variables).matches() == Ok(true));
            if passed && let Err(error) = kept.run(variables).matches() {
                tell(failure(
                    kept,
                    environment,
                    published,
                    subject,
                    variables,
                    error.message(),
                ));
                return;
            }
        }
    }
}

/// Returns true for a string on several lines, of which YAML makes one.
fn is_folded(tree: &Tree<'_>, node: NodeId) -> bool {
    let written = tree.slice(tree.span(node));
    tree.node(node).style != Style::Literal && written.trim_end().contains(['\n', '\r'])
}

/// Reports a comment that takes a part of a condition along, for its lines became one.
fn comments(kept: &Kept, tell: &mut dyn FnMut(Finding)) {
    let expression = kept.program.checked().ast.source.text();
    if !kept.is_folded {
        return;
    }
    let Some(span) = cel_syntax::comment_with_code(expression) else {
        return;
    };
    let said = message!(
        "expression.comment-takes-code",
        "`//` makes the rest of its line a comment, and YAML makes one line of these lines: what follows is not a part of the expression"
    );
    let help = message!(
        "expression.comment-takes-code-help",
        "remove the comment, or write the lines under `|`, where each keeps its end"
    );
    tell(Lints::finding(
        kept,
        Code::SelectorComment,
        &span,
        said,
        help,
    ));
}

fn text_in(tree: &Tree<'_>, node: Option<NodeId>, field: &str) -> Option<String> {
    node.and_then(|node| tree.get(node, field))
        .and_then(|node| tree.str(node))
        .map(str::to_owned)
}

fn failure(
    kept: &Kept,
    environment: &Environment,
    published: &PublishedNames,
    subject: &PublishedDevice,
    variables: &[Value],
    error: &str,
) -> Finding {
    let failure = Failure::of(kept, variables, error);
    let message = message!(
        "expression.fails",
        "fails on the device `{device}`: {error}",
        device = subject.name,
        error
    );
    let help = failure.help(kept, environment, published, variables);
    let help = help.unwrap_or_else(|| {
        message!(
            "expression.fails-help",
            "the scheduler allocates nothing while a selector fails on a device it is asked about"
        )
    });
    Lints::finding(kept, Code::SelectorFails, &failure.span, message, help)
}

/// A run of an expression that failed on a device.
struct Failure<'e> {
    trace: Trace,
    error: &'e str,
    /// The innermost part that failed.
    span: Range<u32>,
}

impl<'e> Failure<'e> {
    fn of(kept: &Kept, variables: &[Value], error: &'e str) -> Self {
        let trace = kept.program.trace(variables, SELECTOR_COST_LIMIT);
        let parts = trace.parts(&kept.program);
        let innermost = parts
            .iter()
            .rev()
            .find(|part| matches!(&part.value, Value::Error(found) if found.text == error));
        let root = &kept.program.checked().ast.root;
        let span = innermost.map_or(root.span.clone(), |part| part.span.clone());
        Failure { trace, error, span }
    }

    /// Returns what to write in the place of the part, or before it.
    fn help(
        &self,
        kept: &Kept,
        environment: &Environment,
        published: &PublishedNames,
        variables: &[Value],
    ) -> Option<Message> {
        let of_field = field_help(kept, environment, variables, &self.trace, &self.span)
            .or_else(|| call_help(kept, environment, variables, &self.trace, &self.span));
        if of_field.is_some() {
            return of_field;
        }
        let key = self.error.strip_prefix(NO_SUCH_KEY)?;
        let holder = if kept.program.text_of(&self.span).contains("capacity") {
            "capacity"
        } else {
            "attributes"
        };
        if let Some(similar) = similar_name(published, holder, key) {
            return Some(nearest::did_you_mean(similar));
        }
        let guard = guard::find(&kept.program, environment, variables, &self.span)?;
        Some(guard_help(guard))
    }
}

/// Says what to write to test for a value first.
fn guard_help(guard: Guard) -> Message {
    match guard {
        Guard::Around { test } => message!(
            "expression.guard-around",
            "begin the expression with `{test} && (` and end it with `)`",
            test
        ),
        Guard::Before {
            test,
            part: None,
            selects: true,
        } => message!(
            "expression.guard-first-selects",
            "begin the expression with `{test} && `: a device without the value is then selected",
            test
        ),
        Guard::Before {
            test, part: None, ..
        } => message!(
            "expression.guard-first",
            "begin the expression with `{test} && `",
            test
        ),
        Guard::Before {
            test,
            part: Some(part),
            selects: true,
        } => message!(
            "expression.guard-before-selects",
            "write `{test} && ` before `{part}`: a device without the value is then selected",
            test,
            part = shortened(&part)
        ),
        Guard::Before {
            test,
            part: Some(part),
            ..
        } => message!(
            "expression.guard-before",
            "write `{test} && ` before `{part}`",
            test,
            part = shortened(&part)
        ),
        Guard::Instead {
            old,
            new,
            selects: true,
        } => message!(
            "expression.guard-selects",
            "write `{new}` in place of `{old}`: a device without the value is then selected",
            new,
            old
        ),
        Guard::Instead { old, new, .. } => message!(
            "expression.guard-instead",
            "write `{new}` in place of `{old}`",
            new,
            old
        ),
    }
}

/// Returns what to write for a field of a value that has none: texts, numbers and versions have functions at most, and a test for the
/// field would be false for every device. `span`: the lookup that fails.
fn field_help(
    kept: &Kept,
    environment: &Environment,
    variables: &[Value],
    trace: &Trace,
    span: &Range<u32>,
) -> Option<Message> {
    let program = &kept.program;
    let around = guard::parts_around(program, span);
    let (lookup, above) = around.split_last()?;
    let ExprNode::Select { operand, field, .. } = &lookup.node else {
        return None;
    };
    if matches!(trace.value_of(operand)?, Value::Map(_) | Value::Error(_)) {
        return None;
    }
    let value = program.text_of(&operand.span);
    let called = rewrite::synonym(field).unwrap_or(field);
    let mut rewritings = vec![CelRewriting {
        place: &lookup.span,
        new: format!("{value}.{called}()"),
    }];
    if let Some(comparison) = above.last()
        && let Some(other) = compared_with(comparison, lookup)
    {
        let argument = program.text_of(&other.span);
        rewritings.push(CelRewriting {
            place: &comparison.span,
            new: format!("{value}.{called}({argument})"),
        });
    }
    let works = |rewriting: &CelRewriting<'_>| rewriting.works(program, environment, variables);
    if let Some(CelRewriting { place, new }) = rewritings.into_iter().find(works) {
        return Some(message!(
            "expression.call-in-place-of-field",
            "write `{new}` in place of `{old}`",
            new,
            old = program.text_of(place)
        ));
    }
    let without_field = CelRewriting {
        place: &lookup.span,
        new: value.to_owned(),
    };
    if works(&without_field) {
        return Some(leave_out(field));
    }
    Some(message!(
        "expression.value-without-fields",
        "`{value}` is a value without fields: compare the value itself",
        value
    ))
}

/// Returns true if values of a type have a method, whatever its arguments.
fn has_method(environment: &Environment, value: &Value, name: &str) -> bool {
    let ty = value.type_of();
    let mut functions = environment.functions().iter();
    functions.any(|function| {
        let mut overloads = function.overloads.iter();
        function.name == name
            && overloads.any(|signature| {
                let receiver = signature.arguments.first();
                signature.style == CallStyle::Member
                    && receiver.is_some_and(|receiver| receiver.name() == ty.name())
            })
    })
}

/// Returns what to write for a call that the type of its value does not have. `span`: the call that fails.
fn call_help(
    kept: &Kept,
    environment: &Environment,
    variables: &[Value],
    trace: &Trace,
    span: &Range<u32>,
) -> Option<Message> {
    let program = &kept.program;
    let around = guard::parts_around(program, span);
    let ExprNode::Call {
        function,
        target,
        arguments,
    } = &around.last()?.node
    else {
        return None;
    };
    if let Some(target) = target {
        let value = trace.value_of(target)?;
        let is_version = matches!(value, Value::Version(_));
        let lacks_method = is_version && !has_method(environment, value, function);
        return lacks_method.then(|| of_version(program.text_of(&target.span), function));
    }
    let [argument] = arguments.as_slice() else {
        return None;
    };
    if !rewrite::MAKERS.contains(&function.as_ref()) {
        return None;
    }
    let value = program.text_of(&argument.span);
    let bare = CelRewriting {
        place: span,
        new: value.to_owned(),
    };
    bare.works(program, environment, variables).then(|| {
        message!(
            "expression.made-already",
            "write `{value}` in place of `{old}`: it is such a value already",
            value,
            old = program.text_of(span)
        )
    })
}

fn of_version(value: &str, function: &str) -> Message {
    message!(
        "expression.method-of-version",
        "`{value}` is a version, not a string, and has no `{function}`: compare it as in `….compareTo(semver(\"1.2.0\")) >= 0`, or read `.major()`, `.minor()` or `.patch()`",
        value = shortened(value),
        function
    )
}

/// Returns what a part is compared with by `==`.
fn compared_with<'e>(comparison: &'e Expr, part: &Expr) -> Option<&'e Expr> {
    let ExprNode::Call {
        function,
        arguments,
        ..
    } = &comparison.node
    else {
        return None;
    };
    let [first, second] = arguments.as_slice() else {
        return None;
    };
    if function != "_==_" {
        return None;
    }
    Some(if first.span == part.span {
        second
    } else {
        first
    })
}

/// Returns the published name that is most similar to a key that no device has. `holder`: `attributes` or `capacity`.
fn similar_name<'p>(published: &'p PublishedNames, holder: &str, key: &str) -> Option<&'p str> {
    let path =
        |names: &[&str]| -> Vec<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    let mut similar: Option<(usize, &str)> = None;
    for domain in published.below(&path(&["device", holder])) {
        for name in published.below(&path(&["device", holder, domain])) {
            if name == key {
                return None;
            }
            let candidate = nearest::near(key, name).map(|distance| (distance, name));
            similar = similar.into_iter().chain(candidate).min();
        }
    }
    similar.map(|(_, name)| name)
}

/// The first part of a read that no device publishes.
struct UnknownName<'r> {
    name: &'r str,
    /// The parts of the read before it.
    before: &'r [String],
}

impl<'r> UnknownName<'r> {
    /// `device`: the read is of `device.attributes["domain"].name`, otherwise of `attributes.string["name"]`.
    fn of(read: &'r Read, published: &PublishedNames, device: bool) -> Option<Self> {
        let most = if device { 4 } else { 3 };
        for length in 3..=read.path.len().min(most) {
            let path = read.path.get(..length)?;
            if !published.has(path) {
                let (name, before) = path.split_last()?;
                return Some(UnknownName { name, before });
            }
        }
        None
    }

    /// Returns advice with the names that are published in its place.
    fn names_instead(&self, published: &PublishedNames) -> Message {
        let known: Vec<&str> = published.below(self.before).collect();
        let distances = known
            .iter()
            .filter_map(|known| Some((nearest::near(self.name, known)?, *known)));
        if let Some((_, near)) = distances.min() {
            return nearest::did_you_mean(near);
        }
        if known.is_empty() {
            return message!("expression.nothing-published", "no given device has any");
        }
        let shown: Vec<&str> = known.into_iter().take(MOST_NAMES_SHOWN).collect();
        message!(
            "expression.published",
            "published: `{names}`",
            names = shown.join("`, `")
        )
    }
}

/// Returns advice for a name that is written with its domain, if it is published without.
fn name_without_domain(holder: &str, name: &str, published: &PublishedNames) -> Option<Message> {
    let (own, short) = name.rsplit_once('/')?;
    let path = ["device", holder, own, short].map(str::to_owned);
    published.has(&path).then(|| {
        message!(
            "expression.name-with-domain",
            "a name is written without its domain: write `device.{holder}[\"{own}\"].{short}`",
            holder,
            own,
            short
        )
    })
}

/// Returns advice for a name that is published in one other domain.
fn in_another_domain(
    named: &NamedRead<'_>,
    name: &str,
    before: &[String],
    published: &PublishedNames,
) -> Option<Message> {
    let mut domains = published.qualified(named.holder).filter_map(|full| {
        let (domain, own) = full.rsplit_once('/')?;
        (own == name).then(|| domain.to_owned())
    });
    let domain = domains.next()?;
    if domains.next().is_some() {
        return None;
    }
    // A domain that is only misspelt has its own advice.
    let is_domain_unknown = before.len() == 2;
    if is_domain_unknown && nearest::near(named.domain, &domain).is_some() {
        return None;
    }
    Some(message!(
        "expression.published-in-domain",
        "`{name}` is published in the domain `{domain}`: write `device.{holder}[\"{domain}\"].{name}`",
        name,
        domain,
        holder = named.holder
    ))
}

/// A read of an attribute or a capacity by its domain.
struct NamedRead<'p> {
    /// `attributes` or `capacity`.
    holder: &'p str,
    domain: &'p str,
    /// The name, and fields of its value.
    names: &'p [String],
}

impl<'p> NamedRead<'p> {
    /// `path`: as in [`Read::path`].
    fn of(path: &'p [String]) -> Option<Self> {
        let [device, holder, domain, names @ ..] = path else {
            return None;
        };
        let is_one = device == "device" && matches!(holder.as_str(), "attributes" | "capacity");
        is_one.then_some(NamedRead {
            holder,
            domain,
            names,
        })
    }
}

/// Where a name is published.
struct PublishedRead<'p> {
    /// `attributes` or `capacity`.
    holder: &'p str,
    domain: &'p str,
    name: &'p str,
}

impl PublishedRead<'_> {
    /// Returns what can be written to read the name where it is published, the smallest change first.
    fn rewritings<'k>(&self, kept: &'k Kept, read: &'k Read) -> Vec<CelRewriting<'k>> {
        let PublishedRead {
            holder,
            domain,
            name,
        } = self;
        let path = format!("device.{holder}[\"{domain}\"].{name}");
        let mut rewritings = vec![CelRewriting {
            place: &read.span,
            new: path.clone(),
        }];
        let own = kept.program.text_of(&read.span);
        let behind_holder = ["attributes", "capacity"]
            .iter()
            .find_map(|other| own.strip_prefix(&format!("device.{other}")));
        // `.?name` stays as it is.
        if let Some(rest) = behind_holder {
            rewritings.push(CelRewriting {
                place: &read.span,
                new: format!("device.{holder}{rest}"),
            });
        }
        if *holder == "capacity" {
            reads::visit(&kept.program.checked().ast.root, &mut |expr| {
                let comparison = Comparison::of(&kept.program, expr)
                    .filter(|comparison| comparison.is_of(&read.path));
                if let Some(new) = comparison.and_then(|found| found.with_capacity(&path)) {
                    let place = &expr.span;
                    rewritings.push(CelRewriting { place, new });
                }
                true
            });
        }
        rewritings
    }
}

/// Another text for a part of an expression.
struct CelRewriting<'e> {
    place: &'e Range<u32>,
    new: String,
}

impl CelRewriting<'_> {
    /// Returns the whole expression with it; `None`: it does not compile.
    fn compiled(&self, program: &Program, environment: &Environment) -> Option<Program> {
        let whole = comparison::with_text(program, self.place, &self.new)?;
        environment.compile(&whole).ok()
    }

    /// Returns true if the expression with it compiles, and is evaluated on a device.
    fn works(&self, program: &Program, environment: &Environment, variables: &[Value]) -> bool {
        self.compiled(program, environment).is_some_and(|tried| {
            let outcome = tried.evaluate(variables, SELECTOR_COST_LIMIT);
            outcome.matches().is_ok()
        })
    }
}

/// Returns true if an expression fails on a device, and not because a name is missing there.
fn fails_by_itself(program: &Program, environment: &Environment, device: &PublishedDevice) -> bool {
    let Ok(variables) = device.variables(environment) else {
        return false;
    };
    let outcome = program.evaluate(&variables, SELECTOR_COST_LIMIT);
    let error = outcome.matches().err();
    error.is_some_and(|error| !error.message().starts_with(NO_SUCH_KEY))
}

/// How the message about a missing name begins.
const NO_SUCH_KEY: &str = "no such key: ";

/// Why no device can answer a read, and what to write.
struct WrongRead {
    code: Code,
    message: Message,
    help: Message,
}

/// The fields in which a ResourceSlice writes values of attributes and capacities.
const VALUE_FIELDS: [&str; 9] = [
    "bool", "bools", "int", "ints", "string", "strings", "value", "version", "versions",
];

fn leave_out(field: &str) -> Message {
    message!(
        "expression.no-field-of-value",
        "leave `.{field}` out",
        field
    )
}

/// Returns what is wrong with a read of a field of a value, which is the value itself.
fn field_of_value(path: &[String]) -> Option<WrongRead> {
    let [_, field] = NamedRead::of(path)?.names else {
        return None;
    };
    VALUE_FIELDS.contains(&field.as_str()).then(|| WrongRead {
        code: Code::SelectorFails,
        message: message!(
            "expression.field-of-value",
            "the value itself is read: `.{field}` is how a ResourceSlice writes its type",
            field
        ),
        help: leave_out(field),
    })
}

/// Says that no device has a name. `before`: the way to it in an expression.
fn unpublished(before: &[String], name: &str, device: bool) -> Option<Message> {
    Some(match (before, device) {
        ([_, kind], true) if kind == "attributes" => message!(
            "expression.domain-without-attributes",
            "no given device has attributes of the domain `{domain}`",
            domain = name,
        ),
        ([_, kind], true) if kind == "capacity" => message!(
            "expression.domain-without-capacities",
            "no given device has capacities of the domain `{domain}`",
            domain = name,
        ),
        ([_, kind, domain], true) if kind == "attributes" => message!(
            "expression.attribute-unpublished",
            "no given device has the attribute `{domain}/{name}`",
            domain,
            name,
        ),
        ([_, kind, domain], true) if kind == "capacity" => message!(
            "expression.capacity-unpublished",
            "no given device has the capacity `{domain}/{name}`",
            domain,
            name,
        ),
        ([_, kind], false) => message!(
            "expression.typed-attribute-unpublished",
            "no given instance has an attribute `{name}` of type {kind}",
            name,
            kind,
        ),
        _ => return None,
    })
}
