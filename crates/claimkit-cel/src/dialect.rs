//! Parser differences between the releases of cel-go.

use super::source::LineRule;
use claimkit_values::quantity::Edition;

/// The syntax that a release of cel-go accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dialect {
    /// Backquoted names are tokens.
    pub escaped_names: bool,
    /// Backquoted names are names of fields; otherwise they are refused, because cel-go does not enable them by default.
    pub escaped_names_are_fields: bool,
    /// A syntax error's text goes through Go's `Sprintf` once more, without arguments, which damages every `%` in it.
    pub syntax_errors_are_formats: bool,
    /// Decides which line the first column belongs to.
    pub line_rule: LineRule,
    /// The column of a problem in an empty text, from 0.
    pub empty_text_column: i64,
    /// `"\ud800"` is refused; otherwise it becomes U+FFFD. The text for what is beyond U+10FFFF changed at the same time.
    pub surrogates_are_refused: bool,
    /// The variable in which macros collect their result.
    pub accumulator: &'static str,
    /// Loops with one variable reject `@result` and `__result__` as its name; those with two always do.
    pub variables_are_guarded: bool,
}

/// cel-go 0.17 and 0.20: Kubernetes 1.30 and 1.31.
pub const CEL_GO_0_17: Dialect = Dialect {
    escaped_names: false,
    escaped_names_are_fields: false,
    syntax_errors_are_formats: true,
    line_rule: LineRule::FirstColumnBelongsToLineBefore,
    empty_text_column: 0,
    surrogates_are_refused: false,
    accumulator: PLAIN_ACCUMULATOR,
    variables_are_guarded: false,
};

/// cel-go 0.22: Kubernetes 1.32.
pub const CEL_GO_0_22: Dialect = Dialect {
    line_rule: LineRule::Exact,
    empty_text_column: -1,
    ..CEL_GO_0_17
};

/// cel-go 0.23 to 0.26: Kubernetes 1.33 to 1.36.
pub const CEL_GO_0_23: Dialect = Dialect {
    escaped_names: true,
    syntax_errors_are_formats: false,
    surrogates_are_refused: true,
    accumulator: "@result",
    variables_are_guarded: true,
    ..CEL_GO_0_22
};

/// cel-go 0.29: Kubernetes 1.37.
pub const CEL_GO_0_29: Dialect = Dialect {
    escaped_names_are_fields: true,
    ..CEL_GO_0_23
};

/// The accumulator's name to cel-go 0.22. Later releases still refuse it as a variable.
pub const PLAIN_ACCUMULATOR: &str = "__result__";

/// The macros of an environment. `has`, `all`, `exists`, `exists_one`, `map` and `filter` are in every one.
///
/// ```
/// use claimkit_cel::dialect::MacroSet;
///
/// assert!(MacroSet::all().sort_by && !MacroSet::default().sort_by);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MacroSet {
    /// `cel.bind(x, value, body)`.
    pub bind: bool,
    /// `optMap`, `optFlatMap`.
    pub optionals: bool,
    /// `all`, `exists`, `exists_one`, `existsOne` with two variables, `transformList`, `transformMap`, `transformMapEntry`.
    pub two_variables: bool,
    /// `sortBy`.
    pub sort_by: bool,
}

/// Options of the parser.
///
/// ```
/// use claimkit_cel::dialect::{CEL_GO_0_23, MacroSet, ParserOptions};
///
/// let options = ParserOptions::new(&CEL_GO_0_23, MacroSet::default());
/// assert!(claimkit_cel::parse::parse("a.all(x, x > 0)", &options).is_ok());
/// assert!(MacroSet::all().bind);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParserOptions {
    /// The release of cel-go.
    pub dialect: &'static Dialect,
    /// The macros that are known. Another name or number of arguments is an ordinary call.
    pub macros: MacroSet,
}

impl ParserOptions {
    /// Creates options for a release of cel-go and some macros.
    pub const fn new(dialect: &'static Dialect, macros: MacroSet) -> Self {
        ParserOptions { dialect, macros }
    }
}

impl MacroSet {
    /// Returns the names of the macros.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        let groups: [(bool, &[&str]); 5] = [
            (
                true,
                &["all", "exists", "exists_one", "filter", "has", "map"],
            ),
            (self.bind, &["bind"]),
            (self.optionals, &["optFlatMap", "optMap"]),
            (
                self.two_variables,
                &[
                    "existsOne",
                    "transformList",
                    "transformMap",
                    "transformMapEntry",
                ],
            ),
            (self.sort_by, &["sortBy"]),
        ];
        groups
            .into_iter()
            .filter(|(has, _)| *has)
            .flat_map(|(_, names)| names.iter().copied())
    }

    /// Returns all macros.
    pub const fn all() -> Self {
        MacroSet {
            bind: true,
            optionals: true,
            two_variables: true,
            sort_by: true,
        }
    }
}

/// The computations whose results differ between releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DialectRules {
    /// A text search that begins behind the end fails (cel-go 0.17 and 0.20).
    pub first_libraries: bool,
    /// A network contains only those that begin with the same address (apiserver up to 1.32.3).
    pub whole_addresses: bool,
    /// A two-variable loop over an error reports its own message instead of the error (cel-go 0.22).
    pub two_variables_hide_errors: bool,
    /// A loop's accumulator gets its first value before the loop, not when it is first asked for (cel-go 0.17 and 0.20).
    pub eager_accumulators: bool,
    /// Arguments of formats are not validated, and optional types have a shorter name in problems (cel-go 0.17).
    pub first_checker: bool,
    /// The validator of formats crashes on a receiver that is not a literal (cel-go 0.20).
    pub computed_formats_crash: bool,
    /// Semantic versions cost 1: the functions are not kube-apiserver's yet (1.31 and 1.32).
    pub plain_versions: bool,
    /// The second variable of a loop has no type if that of the range is unknown or invalid, and has no size bounds (cel-go 0.22).
    pub second_variables_are_untyped: bool,
    /// The regular expression for URIs is a little longer (1.32 and earlier).
    pub longer_uri_pattern: bool,
    /// Calls of kube-apiserver's functions cost by their own rules at run time (all releases but 1.31).
    pub library_costs: bool,
    /// Lists' functions cost by size (cel-go 0.26).
    pub list_costs: bool,
    /// Sizes of optional values and results of `dyn()` are known to the estimate (cel-go 0.23 and later).
    pub sizes_pass_through: bool,
    /// Named formats count bytes (1.35 and later).
    pub lengths_in_bytes: bool,
    /// `startsWith` and `endsWith` cost by their argument at run time, `matches(a, b)` as `a.matches(b)`, and `includes` by its receiver
    /// (cel-go 0.29, apiserver 1.37).
    pub costs_of_arguments: bool,
    /// `lists.range` refuses negative sizes and those above a million (cel-go 0.29).
    pub ranges_are_limited: bool,
    /// A name with a leading dot is not of a loop's variable, nor is the first part of a dotted name if it is one, and only a type's
    /// name is a message's (cel-go 0.29).
    pub scopes_are_apart: bool,
    /// `includes` takes lists of up to 48 elements (1.36).
    pub includes_is_limited: bool,
    /// An unknown name is reported with names like it, and `a.b.c` as a whole if there are some; an empty container is not named
    /// (cel-go 0.33).
    pub names_are_suggested: bool,
    /// A step counts its own cost when it has a result. A call ends at the first operand that fails and costs nothing then
    /// (cel-go 0.33).
    pub steps_count_their_cost: bool,
    /// A loop over an empty text or empty bytes has no rounds, as over an empty list (cel-go 0.33).
    pub empty_ranges_have_no_rounds: bool,
    /// Comparisons of NaN are false instead of errors (cel-go 0.33).
    pub nan_is_comparable: bool,
    /// How quantities are read.
    pub quantities: Edition,
    /// The estimate keeps sizes of parts at every depth and saturates, and a type has the size 1 (cel-go 0.33, `common/cost`).
    pub sizes_are_nested: bool,
    /// `add` and `sub` change their receiver if it is beyond 64 bits (apiserver up to 1.36, which copies a quantity without its digits).
    pub quantities_share_digits: bool,
}
