//! Parser differences between the releases of cel-go.

use super::source::LineRule;

/// How a release of cel-go reads a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Backquoted names are tokens. They are rejected anyway, because Kubernetes does not enable them.
    pub escaped_names: bool,
    /// A syntax error's text goes through Go's `Sprintf` once more, without arguments, which damages every `%` in it.
    pub syntax_errors_are_formats: bool,
    /// Which line the first column belongs to.
    pub line_rule: LineRule,
    /// The column of a problem in an empty text, from 0.
    pub empty_text_column: i64,
    /// `"\ud800"` is refused; otherwise it becomes U+FFFD. The text for what is beyond U+10FFFF changed at the same time.
    pub surrogates_are_refused: bool,
    /// The variable in which macros collect their result.
    pub accumulator: &'static str,
    /// Macros reject `@result`, `__result__` and duplicate names as variable names.
    pub variables_are_guarded: bool,
}

/// cel-go 0.17 and 0.20: Kubernetes 1.30 and 1.31.
pub const CEL_GO_0_17: Dialect = Dialect {
    escaped_names: false,
    syntax_errors_are_formats: true,
    line_rule: LineRule::FirstColumnBelongsToLineBefore,
    empty_text_column: 0,
    surrogates_are_refused: false,
    accumulator: PLAIN_ACCUMULATOR,
    variables_are_guarded: false,
};

/// cel-go 0.22: Kubernetes 1.32.
pub const CEL_GO_0_22: Dialect = Dialect { line_rule: LineRule::Exact, empty_text_column: -1, ..CEL_GO_0_17 };

/// cel-go 0.23 and later: Kubernetes 1.33 and later.
pub const CEL_GO_0_23: Dialect = Dialect {
    escaped_names: true,
    syntax_errors_are_formats: false,
    surrogates_are_refused: true,
    accumulator: "@result",
    variables_are_guarded: true,
    ..CEL_GO_0_22
};

/// The accumulator's name to cel-go 0.22. Later releases still refuse it as a variable.
pub const PLAIN_ACCUMULATOR: &str = "__result__";

/// The macros of an environment. `has`, `all`, `exists`, `exists_one`, `map` and `filter` are in every one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// How to parse a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseOptions {
    /// The release of cel-go.
    pub dialect: &'static Dialect,
    /// The macros that are known. Another name or number of arguments is an ordinary call.
    pub macros: MacroSet,
}

/// What a release computes differently from later ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
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
    /// The second variable of a loop has no type if the range has an invalid type, and has no size bounds (cel-go 0.22).
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
    /// Lists can be attributes.
    pub list_attributes: bool,
}
