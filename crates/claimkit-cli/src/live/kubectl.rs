//! One call of kubectl, and what it says when it fails.

use crate::host::{Host, Ran, RunEnd, too_large};
use crate::options::ConnectionArgs;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Maximum number of bytes of one answer.
const MOST: usize = 64 << 20;
/// The timeout of a request, where the command line sets none.
const TIMEOUT: &str = "--request-timeout=60s";

/// The output of `kubectl config view -o json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Config {
    contexts: Option<Vec<Named>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    context: Context,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Context {
    namespace: String,
}

/// The `kubectl` on PATH, with the flags of a connection.
pub struct Kubectl {
    flags: Vec<String>,
}

/// Why an answer is missing.
#[derive(Debug, PartialEq, Eq)]
pub enum KubectlRefusal {
    /// The server answered with an error.
    Answered {
        /// The reason of the server's Status, such as `Forbidden`.
        reason: String,
        text: String,
    },
    /// There is no kubectl, or no server answered it.
    Unreachable(String),
    /// The answer has more bytes than are read.
    TooLarge,
}

impl KubectlRefusal {
    /// Returns the error message.
    pub fn text(self) -> String {
        match self {
            KubectlRefusal::Answered { text, .. } | KubectlRefusal::Unreachable(text) => text,
            KubectlRefusal::TooLarge => format!("kubectl: {}", too_large(MOST)),
        }
    }

    /// Returns true if the server gave this reason.
    pub fn is(&self, wanted: &str) -> bool {
        matches!(self, KubectlRefusal::Answered { reason, .. } if reason == wanted)
    }

    /// Reads what kubectl printed to standard error: `Error from server (Forbidden): …`, or a sentence of its own.
    fn of(printed: &str) -> Self {
        let lines = || {
            printed
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
        };
        let answered = |line: &str| {
            let (reason, text) = line
                .strip_prefix("Error from server (")?
                .split_once("): ")?;
            Some(KubectlRefusal::Answered {
                reason: reason.to_owned(),
                text: text.to_owned(),
            })
        };
        if let Some(refusal) = lines().find_map(answered) {
            return refusal;
        }
        let of_server = |line: &str| {
            let text = line
                .strip_prefix("Error from server: ")
                .or_else(|| line.strip_prefix("error: You must be logged in"));
            text.map(|_| KubectlRefusal::Answered {
                reason: String::new(),
                text: line.to_owned(),
            })
        };
        if let Some(refusal) = lines().find_map(of_server) {
            return refusal;
        }
        let own =
            lines().rfind(|line| !line.starts_with("Warning:") && !line.starts_with("WARNING:"));
        let own = own.map(|line| line.strip_prefix("error: ").unwrap_or(line));
        KubectlRefusal::Unreachable(format!(
            "kubectl: {}",
            own.unwrap_or("it failed and says nothing")
        ))
    }
}

impl Kubectl {
    /// Takes the flags of the connection from a command line. Each value is one argument, whatever it holds.
    pub fn new(connection: &ConnectionArgs) -> Self {
        let mut flags: Vec<String> = connection
            .flags()
            .into_iter()
            .map(|flag| format!("--{}={}", flag.name, flag.value))
            .collect();
        if connection.request_timeout.is_none() {
            flags.push(TIMEOUT.to_owned());
        }
        Kubectl { flags }
    }

    /// Runs a command; returns what it prints to standard output.
    ///
    /// # Errors
    /// Why it failed.
    pub fn run(&self, words: &[&str], host: &mut dyn Host) -> Result<Vec<u8>, KubectlRefusal> {
        let words: Vec<String> = words
            .iter()
            .map(|word| (*word).to_owned())
            .chain(self.flags.iter().cloned())
            .collect();
        let unreachable =
            |problem: String| KubectlRefusal::Unreachable(format!("kubectl: {problem}"));
        let Ran { out, err, end } = host.kubectl(&words, MOST).map_err(unreachable)?;
        match end {
            RunEnd::Success => Ok(out),
            RunEnd::Failure => Err(KubectlRefusal::of(&err)),
            RunEnd::TooLarge => Err(KubectlRefusal::TooLarge),
        }
    }

    /// Runs a command that prints JSON.
    ///
    /// # Errors
    /// Why it failed, or what is wrong with its output.
    pub fn json<T: DeserializeOwned>(
        &self,
        words: &[&str],
        host: &mut dyn Host,
    ) -> Result<T, KubectlRefusal> {
        let out = self.run(words, host)?;
        serde_json::from_slice(&out).map_err(|error| KubectlRefusal::Answered {
            reason: String::new(),
            text: format!("its answer cannot be read: {error}"),
        })
    }

    /// Returns the namespace of the context; `default` if there is none.
    pub fn namespace(&self, host: &mut dyn Host) -> String {
        let config: Config = self
            .json(&["config", "view", "--minify", "--output=json"], host)
            .unwrap_or_default();
        let named = config.contexts.unwrap_or_default().into_iter().next();
        let namespace = named
            .map(|named| named.context.namespace)
            .filter(|namespace| !namespace.is_empty());
        namespace.unwrap_or_else(|| "default".to_owned())
    }
}

/// Writes a text as one segment or value of an address.
pub fn escaped(text: &str) -> String {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    let bytes = text.bytes().map(|byte| {
        if plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    });
    // A segment of dots would be another folder.
    if text.bytes().all(|byte| byte == b'.') {
        text.replace('.', "%2E")
    } else {
        bytes.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_told_apart() {
        let forbidden = "Warning: old\nError from server (Forbidden): nodes is forbidden: User \"u\" cannot list\n";
        assert!(KubectlRefusal::of(forbidden).is("Forbidden"));
        assert_eq!(
            KubectlRefusal::of(forbidden).text(),
            "nodes is forbidden: User \"u\" cannot list"
        );
        let down = KubectlRefusal::of(
            "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n",
        );
        assert!(matches!(down, KubectlRefusal::Unreachable(_)));
        assert_eq!(
            KubectlRefusal::of("error: context \"x\" does not exist\n").text(),
            "kubectl: context \"x\" does not exist"
        );
        assert_eq!(
            KubectlRefusal::of("").text(),
            "kubectl: it failed and says nothing"
        );
    }

    #[test]
    fn names_stay_one_segment() {
        assert_eq!(escaped("demo-1.x"), "demo-1.x");
        assert_eq!(escaped("../a?b&c=%"), "..%2Fa%3Fb%26c%3D%25");
        assert_eq!(escaped(".."), "%2E%2E");
        assert_eq!(escaped("é\n"), "%C3%A9%0A");
    }
}
