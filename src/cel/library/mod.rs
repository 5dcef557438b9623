//! The functions of the expression language's library as plain Rust: they know texts and numbers, but neither the language's
//! values nor its types. Every error is the text that upstream prints.
//!
//! The signatures, by module (a name without a path is of the module itself):
//!
//! ```text
//! regex      Regex::new(pattern: &str) -> Result<Regex, String>          "error parsing regexp: …"
//!            Regex::is_match(&self, text: &str) -> bool
//!            Regex::find(&self, text: &str) -> Option<&str>              find() is "" for None
//!            Regex::find_all(&self, text: &str, limit: i64) -> Vec<&str> limit < 0: all
//!
//! quantity   Quantity::parse(&str) -> Result<Quantity, String>            owned, exact; Quantity::from_int(i64)
//!            .compare(&other) -> Ordering  .add(&other) .sub(&other) -> Result<Quantity, String>
//!            .as_integer() -> Result<i64, String>  .is_integer() -> bool  .sign() -> i64  .as_approximate_float() -> f64
//!
//! semver     Version { major, minor, patch: u64, … }; Version::parse(&str) / Version::parse_normalized(&str) -> Result<Version, String>
//!            .compare(&other) -> Ordering (build data ignored)  .to_string()
//!
//! network    Address::parse(&str) -> Result<Address, String>  Display  .family() -> i64  .is_unspecified() .is_loopback()
//!            .is_link_local_multicast() .is_link_local_unicast() .is_global_unicast() -> bool;  is_canonical(&str) -> Result<bool, String>
//!            Network::parse(&str) -> Result<Network, String>  Display  .contains(&Address) .contains_network(&Network) -> bool
//!            .address() -> Address  .prefix_length() -> i64  .masked() -> Network
//!
//! url        Url::parse(&str) -> Result<Url, String>  Display  .scheme() .host() .hostname() .port() .escaped_path() -> String
//!            .query() -> Vec<(String, Vec<String>)>  by key
//!
//! strings    char_at(&str, i64) -> Result<String, String>  index_of(&str, &str) -> i64  index_of_from(&str, &str, i64, Offsets) -> Result<i64, String>
//!            last_index_of(&str, &str) -> i64  last_index_of_from(…)  substring_from(&str, i64)  substring(&str, i64, i64) -> Result<String, String>
//!            replace(&str, old, new, limit: i64) -> String  split(&str, separator, limit: i64) -> Vec<String>  trim(&str) -> &str
//!            lower_ascii(&str) upper_ascii(&str) quote(&str) -> String
//!
//! format     trait Argument (see there); format(&str, &[A], Locale) -> Result<String, String>
//!            check(&str) -> Result<Vec<Clause>, …> for literal receivers, Clause::accepts(kind)
//!
//! named_formats  find(name: &str) -> Option<&'static NamedFormat>  .name  .validate(&str) -> Vec<String>  .largest_pattern (for cost)
//!
//! time       Timestamp { seconds: i64 since 1970, nanoseconds: u32 }  Timestamp::parse(&str) -> Result<Timestamp, String>  Display
//!            .in_zone(&str) -> Result<Fields, String>;  Fields { year, month, day, hour, … }
//!            Duration(i64 nanoseconds)  Duration::parse(&str) -> Result<Duration, String>  Display ("5400s")
//!
//! float      parse(&str) -> Option<f64>  print(f64) -> String (Go's %v)
//! ```

pub mod float;
pub mod named_formats;
pub mod network;
pub mod quantity;
pub mod semver;
pub mod strings;
pub mod time;
pub mod url;
