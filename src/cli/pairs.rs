//! Options whose value is a list of `NAME=VALUE`: feature gates, labels of a namespace.

use super::Host;
use super::arguments::Arguments;

/// The pairs given with an option; `None` if it was not given.
pub type Pairs<T> = Option<Vec<(String, T)>>;

/// Reads the feature gates, in the syntax of the Kubernetes components.
///
/// # Errors
/// The first malformed pair.
pub fn read_gates(arguments: &Arguments) -> Result<Pairs<bool>, String> {
    pairs(
        arguments,
        "gates",
        "NAME=true` or `NAME=false",
        |value| match value {
            "true" | "True" | "TRUE" | "t" | "T" | "1" => Some(true),
            "false" | "False" | "FALSE" | "f" | "F" | "0" => Some(false),
            _ => None,
        },
    )
}

/// Reads the labels of the namespace; absent, they are unknown. An empty value means that there are no labels.
///
/// # Errors
/// The first malformed pair.
pub fn read_labels(arguments: &Arguments) -> Result<Pairs<String>, String> {
    pairs(arguments, "namespace-labels", "KEY=VALUE", |value| {
        Some(value.to_owned())
    })
}

/// Returns the feature gates. `None`: they are malformed, and standard error says why.
pub fn gates(arguments: &Arguments, host: &mut dyn Host) -> Option<Pairs<bool>> {
    reported(read_gates(arguments), host)
}

/// Returns the labels of the namespace, in the same way.
pub fn labels(arguments: &Arguments, host: &mut dyn Host) -> Option<Pairs<String>> {
    reported(read_labels(arguments), host)
}

fn reported<T>(read: Result<Pairs<T>, String>, host: &mut dyn Host) -> Option<Pairs<T>> {
    read.map_err(|problem| host.err(&format!("claimkit: {problem}\n")))
        .ok()
}

fn pairs<T>(
    arguments: &Arguments,
    option: &'static str,
    form: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Pairs<T>, String> {
    if !arguments.has(option) {
        return Ok(None);
    }
    let mut pairs: Vec<(String, T)> = Vec::new();
    for pair in arguments
        .values(option)
        .flat_map(|text| text.split(','))
        .filter(|pair| !pair.is_empty())
    {
        let read = pair
            .split_once('=')
            .and_then(|(name, value)| Some((name, read(value)?)));
        let (name, value) = read.ok_or_else(|| format!("`--{option} {pair}`: write `{form}`"))?;
        match pairs.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value,
            None => pairs.push((name.to_owned(), value)),
        }
    }
    Ok(Some(pairs))
}
