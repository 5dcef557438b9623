//! URLs: `url(…)`, `isURL(…)`.
//!
//! Source: apiserver `pkg/cel/library/urls.go`; Go's `net/url` as of Go 1.26.

use super::network;
use crate::error::{Error, ErrorKind};
use claimkit_values::{GoUnicode, quote};
use std::collections::BTreeMap;
use std::fmt;

/// A parsed address. Percent escapes may stand for any bytes; bytes that are not UTF-8 become U+FFFD in the parts that are text.
///
/// ```
/// use claimkit_cel::library::url::Url;
///
/// assert_eq!(Url::parse("https://example.com/a").unwrap().to_string(), "https://example.com/a");
/// assert!(Url::parse("example.com").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    scheme: String,
    /// The text after the scheme if it does not begin with a slash.
    opaque: String,
    user: Option<User>,
    host: Vec<u8>,
    path: Vec<u8>,
    /// The path as written, if it is not what escaping gives.
    raw_path: String,
    /// There is a scheme, but no `//`.
    omit_host: bool,
    /// It ends in `?`.
    force_query: bool,
    raw_query: String,
    fragment: Vec<u8>,
    raw_fragment: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct User {
    name: Vec<u8>,
    password: Option<Vec<u8>>,
}

/// The part of a URL, which decides whether a character is escaped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    Host,
    Zone,
    User,
    Query,
    Fragment,
}

fn quoted(text: &str) -> String {
    quote(text, GoUnicode::V15)
}

/// Returns the text of an address that is refused.
fn refused(text: &str, why: &str) -> String {
    format!("parse {}: {why}", quoted(text))
}

impl Url {
    /// Computes `url(…)`.
    ///
    /// # Errors
    /// A text that is not a URL.
    pub fn parse(text: &str) -> Result<Self, Error> {
        parse(text).map_err(Error::of(ErrorKind::Url))
    }

    /// Computes `getScheme`: in lower case.
    pub(crate) fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Computes `getHost`: with the port, if there is one.
    pub(crate) fn host(&self) -> String {
        to_text(&self.host)
    }

    /// Computes `getHostname`: without the port, and without brackets.
    pub(crate) fn hostname(&self) -> String {
        let host = self.host();
        let (name, _) = split_port(&host);
        name.strip_prefix('[')
            .and_then(|inner| inner.strip_suffix(']'))
            .unwrap_or(name)
            .to_owned()
    }

    /// Computes `getPort`.
    pub(crate) fn port(&self) -> String {
        split_port(&self.host()).1.to_owned()
    }

    /// Computes `getEscapedPath`.
    pub(crate) fn escaped_path(&self) -> String {
        if !self.raw_path.is_empty() && is_escaped(&self.raw_path, Part::Path) {
            return self.raw_path.clone();
        }
        if self.path == b"*" {
            return "*".to_owned();
        }
        escape(&self.path, Part::Path)
    }

    /// Computes `getQuery`: the values of every key, sorted by key. Go leaves out a pair with `;` or with a wrong escape.
    pub(crate) fn query(&self) -> Vec<(String, Vec<String>)> {
        let mut by_key: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for pair in self.raw_query.split('&') {
            if pair.is_empty() || pair.contains(';') {
                continue;
            }
            let (raw_key, raw_value) = pair.split_once('=').unwrap_or((pair, ""));
            if let Ok(key) = unescape(raw_key, Part::Query)
                && let Ok(value) = unescape(raw_value, Part::Query)
            {
                by_key
                    .entry(to_text(&key))
                    .or_default()
                    .push(to_text(&value));
            }
        }
        by_key.into_iter().collect()
    }

    fn escaped_fragment(&self) -> String {
        if !self.raw_fragment.is_empty() && is_escaped(&self.raw_fragment, Part::Fragment) {
            return self.raw_fragment.clone();
        }
        escape(&self.fragment, Part::Fragment)
    }
}

fn parse(text: &str) -> Result<Url, String> {
    const PREFIX: &str = "URL parse error during conversion from string: ";
    check(text).map_err(|error| format!("{PREFIX}{error}"))?;
    // The text is a valid request URI. Parse it again, now with its fragment.
    let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
    let mut url = read_url(before, Form::Reference)
        .map_err(|why| format!("{PREFIX}{}", refused(before, &why)))?;
    if !fragment.is_empty() {
        url.fragment = unescape(fragment, Part::Fragment)
            .map_err(|why| format!("{PREFIX}{}", refused(text, &why)))?;
        if escape(&url.fragment, Part::Fragment) != fragment {
            url.raw_fragment = fragment.to_owned();
        }
    }
    Ok(url)
}

/// Checks as Go's `ParseRequestURI` does that a text is an absolute address or path. This is all that `isURL` and `format.uri()`
/// ask. Here `#` does not start a fragment.
pub(crate) fn check(text: &str) -> Result<(), String> {
    read_url(text, Form::Request)
        .map(|_| ())
        .map_err(|why| refused(text, &why))
}

/// The address as Go's `String()` writes it; two that are written alike are equal.
impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        if !self.scheme.is_empty() {
            out.push_str(&self.scheme);
            out.push(':');
        }
        if self.opaque.is_empty() {
            let nobody = self.host.is_empty() && self.user.is_none();
            if !nobody || (!self.scheme.is_empty() && !self.omit_host) {
                if !nobody || !self.path.is_empty() {
                    out.push_str("//");
                }
                if let Some(user) = &self.user {
                    out.push_str(&escape(&user.name, Part::User));
                    if let Some(password) = &user.password {
                        out.push(':');
                        out.push_str(&escape(password, Part::User));
                    }
                    out.push('@');
                }
                out.push_str(&escape(&self.host, Part::Host));
            }
            let path = self.escaped_path();
            if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
                out.push('/');
            }
            // A colon in the first part would be taken for the end of a scheme.
            if out.is_empty()
                && path
                    .split('/')
                    .next()
                    .is_some_and(|part| part.contains(':'))
            {
                out.push_str("./");
            }
            out.push_str(&path);
        } else {
            out.push_str(&self.opaque);
        }
        if self.force_query || !self.raw_query.is_empty() {
            out.push('?');
            out.push_str(&self.raw_query);
        }
        if !self.fragment.is_empty() {
            out.push('#');
            out.push_str(&self.escaped_fragment());
        }
        f.write_str(&out)
    }
}

fn to_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Splits a text into host and port.
fn split_port(host: &str) -> (&str, &str) {
    match host.rfind(':').and_then(|at| host.split_at_checked(at)) {
        Some((name, port)) if is_port(port) => (name, port.get(1..).unwrap_or_default()),
        _ => (host, ""),
    }
}

/// Returns true if the text is empty, or a colon and digits.
fn is_port(text: &str) -> bool {
    text.is_empty()
        || text
            .strip_prefix(':')
            .is_some_and(claimkit_values::has_only_digits)
}

/// The function of Go that reads a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A URI of a request: absolute, or a path (`ParseRequestURI`).
    Request,
    /// Any reference (`Parse`).
    Reference,
}

fn read_url(text: &str, form: Form) -> Result<Url, String> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if text.is_empty() && form == Form::Request {
        return Err("empty url".to_owned());
    }
    let mut url = Url {
        scheme: String::new(),
        opaque: String::new(),
        user: None,
        host: Vec::new(),
        path: Vec::new(),
        raw_path: String::new(),
        omit_host: false,
        force_query: false,
        raw_query: String::new(),
        fragment: Vec::new(),
        raw_fragment: String::new(),
    };
    if text == "*" {
        url.path = b"*".to_vec();
        return Ok(url);
    }
    let (scheme, mut rest) = split_scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    match rest.split_once('?') {
        Some((before, "")) => {
            url.force_query = true;
            rest = before;
        }
        Some((before, query)) => {
            url.raw_query = query.to_owned();
            rest = before;
        }
        None => {}
    }
    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            url.opaque = rest.to_owned();
            return Ok(url);
        }
        if form == Form::Request {
            return Err("invalid URI for request".to_owned());
        }
        if rest
            .split('/')
            .next()
            .is_some_and(|part| part.contains(':'))
        {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    if (!url.scheme.is_empty() || form == Form::Reference && !rest.starts_with("///"))
        && let Some(behind) = rest.strip_prefix("//")
    {
        let end = behind.find('/').unwrap_or(behind.len());
        let (authority, path) = behind.split_at_checked(end).unwrap_or((behind, ""));
        (url.user, url.host) = read_authority(&url.scheme, authority)?;
        rest = path;
    } else if !url.scheme.is_empty() && rest.starts_with('/') {
        url.omit_host = true;
    }
    url.path = unescape(rest, Part::Path)?;
    if escape(&url.path, Part::Path) != rest {
        url.raw_path = rest.to_owned();
    }
    Ok(url)
}

/// Splits off the scheme, if there is one; returns it and the rest.
fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok(text.split_once(':').unwrap_or(("", text))),
            _ => break,
        }
    }
    Ok(("", text))
}

fn read_authority(scheme: &str, text: &str) -> Result<(Option<User>, Vec<u8>), String> {
    let Some((user, host)) = text.rsplit_once('@') else {
        return Ok((None, read_host(scheme, text)?));
    };
    let host = read_host(scheme, host)?;
    let mut bytes = user.bytes();
    if !bytes.all(|byte| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte)) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let user = match user.split_once(':') {
        None => User {
            name: unescape(user, Part::User)?,
            password: None,
        },
        Some((name, password)) => User {
            name: unescape(name, Part::User)?,
            password: Some(unescape(password, Part::User)?),
        },
    };
    Ok((Some(user), host))
}

fn read_host(scheme: &str, host: &str) -> Result<Vec<u8>, String> {
    match host.rfind('[') {
        Some(0) => return read_bracketed(host),
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {}
    }
    // Other schemes may have a list of hosts with ports.
    let is_strict = matches!(scheme, "http" | "https");
    let colon = if is_strict {
        host.find(':')
    } else {
        host.rfind(':')
    };
    if let Some((_, port)) = colon.and_then(|at| host.split_at_checked(at)) {
        check_port(port)?;
    }
    unescape(host, Part::Host)
}

fn check_port(port: &str) -> Result<(), String> {
    if is_port(port) {
        return Ok(());
    }
    Err(format!("invalid port {} after host", quoted(port)))
}

/// Reads a host in brackets, which must be an address of IP version 6, and the port behind it.
fn read_bracketed(host: &str) -> Result<Vec<u8>, String> {
    let end = host.rfind(']').ok_or("missing ']' in host")?;
    let (bracketed, behind) = host.split_at_checked(end).unwrap_or((host, ""));
    let inner = bracketed.get(1..).unwrap_or_default();
    let port = behind.get(1..).unwrap_or_default();
    check_port(port)?;
    let port = unescape(port, Part::Host)?;
    let zone = inner.find("%25").unwrap_or(inner.len());
    let (address, zone) = inner.split_at_checked(zone).unwrap_or((inner, ""));
    let mut name = unescape(address, Part::Host)?;
    name.extend(unescape(zone, Part::Zone)?);
    let is_four =
        network::is_four(&to_text(&name)).map_err(|why| format!("invalid host: {why}"))?;
    if is_four {
        return Err("invalid IP-literal".to_owned());
    }
    Ok([b"[", name.as_slice(), b"]", port.as_slice()].concat())
}

fn is_escaped(text: &str, part: Part) -> bool {
    text.bytes()
        .all(|byte| b"!$&'()*+,;=:@[]%".contains(&byte) || !must_escape(byte, part))
}

fn must_escape(byte: u8, part: Part) -> bool {
    match byte {
        _ if byte.is_ascii_alphanumeric() => false,
        _ if matches!(part, Part::Host | Part::Zone) && b"!$&'()*+,;=:[]<>\"".contains(&byte) => {
            false
        }
        b'-' | b'_' | b'.' | b'~' => false,
        b'$' | b'&' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'?' | b'@' => match part {
            Part::Path => byte == b'?',
            Part::User => b"@/?:".contains(&byte),
            Part::Query => true,
            Part::Fragment => false,
            Part::Host | Part::Zone => true,
        },
        b'!' | b'(' | b')' | b'*' => part != Part::Fragment,
        _ => true,
    }
}

fn escape(bytes: &[u8], part: Part) -> String {
    let mut out = String::new();
    for &byte in bytes {
        if must_escape(byte, part) {
            out.push_str(&format!("%{byte:02X}"));
        } else {
            out.push(char::from(byte));
        }
    }
    out
}

fn unescape(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let host = matches!(part, Part::Host | Part::Zone);
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        match byte {
            b'%' => {
                let Some((digits, after)) = behind.split_first_chunk::<2>() else {
                    return Err(invalid_escape(behind));
                };
                let value = unescape_byte(digits, part).ok_or_else(|| invalid_escape(digits))?;
                out.push(value);
                rest = after;
            }
            b'+' if part == Part::Query => out.push(b' '),
            _ if host && byte < 0x80 && must_escape(byte, part) => {
                return Err(format!(
                    "invalid character {} in host name",
                    quoted(&char::from(byte).to_string())
                ));
            }
            _ => out.push(byte),
        }
    }
    Ok(out)
}

/// Returns the byte of two digits; `None` if they are not digits, or if the part does not have the byte.
fn unescape_byte(digits: &[u8; 2], part: Part) -> Option<u8> {
    let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
    let byte = u8::try_from(high? << 4 | low?).ok()?;
    let is_refused = match part {
        _ if digits == b"25" => false,
        Part::Host => byte < 0x80,
        Part::Zone => byte != b' ' && must_escape(byte, Part::Host),
        _ => false,
    };
    (!is_refused).then_some(byte)
}

fn invalid_escape(digits: &[u8]) -> String {
    format!("invalid URL escape {}", quote_bytes(digits))
}

/// Quotes a percent sign and at most two bytes behind it. Half a character is quoted byte by byte, as Go does.
fn quote_bytes(behind: &[u8]) -> String {
    let mut all = b"%".to_vec();
    all.extend(behind);
    let mut out = String::from("\"");
    for chunk in all.utf8_chunks() {
        let whole = quoted(chunk.valid());
        out.push_str(
            whole
                .get(1..whole.len().saturating_sub(1))
                .unwrap_or_default(),
        );
        chunk
            .invalid()
            .iter()
            .for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn takes_apart() {
        // Scheme, host, host name, port, path.
        for (text, parts) in [
            (
                "https://user:pw@example.com:8443/p/a%20b?q=1&q=2&r=x%3D#f",
                [
                    "https",
                    "example.com:8443",
                    "example.com",
                    "8443",
                    "/p/a%20b",
                ],
            ),
            ("http://[::1]:80/", ["http", "[::1]:80", "::1", "80", "/"]),
            ("/relative", ["", "", "", "", "/relative"]),
            ("http://", ["http", "", "", "", ""]),
            ("mailto:a@b", ["mailto", "", "", "", ""]),
            ("http://a/?x", ["http", "a", "a", "", "/"]),
            (
                "HTTP://EXAMPLE.com",
                ["http", "EXAMPLE.com", "EXAMPLE.com", "", ""],
            ),
            ("http://a:99999/", ["http", "a:99999", "a", "99999", "/"]),
            (
                "https://é.com/ü",
                ["https", "é.com", "é.com", "", "/%C3%BC"],
            ),
            ("//host/x", ["", "host", "host", "", "/x"]),
            ("http://a?%zz", ["http", "a", "a", "", ""]),
            ("file:///etc", ["file", "", "", "", "/etc"]),
            ("http://a/?a=1;b=2", ["http", "a", "a", "", "/"]),
            ("http://a:/", ["http", "a:", "a", "", "/"]),
            (
                "http://[fe80::1%25en0]:1/",
                ["http", "[fe80::1%en0]:1", "fe80::1%en0", "1", "/"],
            ),
            ("http://a/%2f%41!", ["http", "a", "a", "", "/%2f%41!"]),
            ("*", ["", "", "", "", "*"]),
            ("http://a/x#y z", ["http", "a", "a", "", "/x"]),
        ] {
            let u = url(text);
            assert_eq!(
                [
                    u.scheme(),
                    &u.host(),
                    &u.hostname(),
                    &u.port(),
                    &u.escaped_path()
                ],
                parts,
                "{text}"
            );
        }
    }

    #[test]
    fn queries() {
        let query = |text: &str| format!("{:?}", url(text).query());
        assert_eq!(
            query("https://user:pw@example.com:8443/p/a%20b?q=1&q=2&r=x%3D#f"),
            r#"[("q", ["1", "2"]), ("r", ["x="])]"#
        );
        assert_eq!(
            query("http://a/?b=+%2B&a&&=c"),
            r#"[("", ["c"]), ("a", [""]), ("b", [" +"])]"#
        );
        for text in [
            "http://a?%zz",
            "http://a/?a=1;b=2",
            "http://a/",
            "http://a/?",
            "mailto:a@b",
        ] {
            assert_eq!(query(text), "[]", "{text}");
        }
    }

    #[test]
    fn refuses_in_upstream_words() {
        for (text, why) in [
            ("example.com", "invalid URI for request"),
            ("", "empty url"),
            ("http://a b", "invalid character \" \" in host name"),
            ("http://a:b/", "invalid port \":b\" after host"),
            ("http://a/%zz", "invalid URL escape \"%zz\""),
            ("http://a/%é", "invalid URL escape \"%é\""),
            ("http://a/%a", "invalid URL escape \"%a\""),
            ("http://a/%a€", "invalid URL escape \"%a\\xe2\""),
            ("http://%41/", "invalid URL escape \"%41\""),
            (":", "missing protocol scheme"),
            ("http://a#frag", "invalid character \"#\" in host name"),
            ("http://[::1/", "missing ']' in host"),
            ("http://[::1]x/", "invalid port \"x\" after host"),
            ("http://a[::1]/", "invalid IP-literal"),
            ("http://[1.2.3.4]:80/", "invalid IP-literal"),
            ("http://a:1:2/", "invalid port \":1:2\" after host"),
            (
                "http://[::1.5]:80/",
                "invalid host: ParseAddr(\"::1.5\"): IPv4 address too short",
            ),
            (
                "http://[fe80::1%25]/",
                "invalid host: ParseAddr(\"fe80::1%\"): zone must be a non-empty string",
            ),
            ("http://a@b c@d/", "net/url: invalid userinfo"),
            ("http://a\t", "net/url: invalid control character in URL"),
            ("1http://a", "invalid URI for request"),
            ("http://a/?x#%zz", "invalid URL escape \"%zz\""),
        ] {
            let error = format!(
                "URL parse error during conversion from string: parse {}: {why}",
                quoted(text)
            );
            assert_eq!(
                Url::parse(text),
                Err(Error::new(ErrorKind::Url, error)),
                "{text}"
            );
        }
        assert_eq!(check("http://a/?x#%zz"), Ok(()));
        assert_eq!(
            check("a"),
            Err("parse \"a\": invalid URI for request".into())
        );
    }

    #[test]
    fn writes() {
        for (text, written) in [
            (
                "https://user:pw@example.com:8443/p/a%20b?q=1#f",
                "https://user:pw@example.com:8443/p/a%20b?q=1#f",
            ),
            ("HTTP://A/?", "http://A/?"),
            ("file:///etc", "file:///etc"),
            ("file:/etc", "file:/etc"),
            ("mailto:a@b", "mailto:a@b"),
            ("//host/x", "//host/x"),
            ("http://é.com/ü", "http://%C3%A9.com/%C3%BC"),
            ("/a:b", "/a:b"),
            ("http://", "http:"),
        ] {
            assert_eq!(url(text).to_string(), written);
        }
    }
}
