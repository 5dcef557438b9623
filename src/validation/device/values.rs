//! Rules of single values: names of drivers, pools and devices, qualified names, raw JSON, share ids, addresses.

use super::judge::{Age, Judge};
use super::variant::{Addresses, Qualified};
use crate::validation::errors::Bad;
use crate::validation::fields::{DRIVER_MAX, POOL_MAX};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::device::DeviceClaim;
use claimkit_model::object::view::{Slot, Strings};
use claimkit_values::names;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const IDENTIFIER_MAX: usize = 32;

const IDENTIFIER: &str = "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
const UID_FORM: &str = "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";

impl Judge<'_> {
    /// Validates a DNS label: names of devices, requests, counters.
    pub fn label(&mut self, code: Code, value: &str, path: &Path<'_>) {
        self.errors.malformed(
            code,
            path,
            value,
            &names::label(value, names::DottedLabel::NamesTheDots),
        );
    }

    /// Validates a DNS subdomain: names of classes and nodes.
    pub fn subdomain(&mut self, code: Code, value: &str, path: &Path<'_>) {
        self.errors
            .malformed(code, path, value, &names::subdomain(value));
    }

    /// Validates the name of a class: required.
    pub fn class_name(&mut self, value: &str, path: &Path<'_>) {
        if value.is_empty() {
            self.errors.required(Code::ClassNameInvalid, path, "");
        } else {
            self.subdomain(Code::ClassNameInvalid, value, path);
        }
    }

    /// Validates a driver's name: a subdomain in any case, at most 63 bytes.
    pub fn driver_name(&mut self, value: &str, path: &Path<'_>) {
        if value.is_empty() {
            self.errors.required(Code::DriverNameRequired, path, "");
            if self.v.empty_driver_once {
                return;
            }
        }
        if value.len() > DRIVER_MAX {
            self.errors
                .too_long_bytes(Code::DriverNameTooLong, path, DRIVER_MAX);
        }
        self.errors.malformed(
            Code::DriverNameInvalid,
            path,
            value,
            &names::lowered_subdomain(value),
        );
    }

    /// Validates a pool's name: subdomains with slashes between them.
    pub fn pool_name(&mut self, value: &str, path: &Path<'_>) {
        if value.is_empty() {
            self.errors.required(Code::PoolNameInvalid, path, "");
            return;
        }
        if value.len() > POOL_MAX {
            self.errors.too_long(Code::PoolNameInvalid, path, POOL_MAX);
        }
        for part in value.split('/') {
            self.errors
                .malformed(Code::PoolNameInvalid, path, part, &names::subdomain(part));
        }
    }

    /// Validates an attribute's or capacity's name: an identifier, with or without a domain.
    pub fn qualified_name(&mut self, value: &str, path: &Path<'_>) {
        let code = Code::QualifiedNameInvalid;
        let form = self.v.qualified;
        if value.is_empty() && form != Qualified::Invalid {
            self.errors.required(code, path, "name required");
            return;
        }
        if !value.as_bytes().contains(&b'/') {
            return self.identifier(value, path);
        }
        let (first, name) = value.split_once('/').unwrap_or_default();
        if name.contains('/') {
            if self.v.one_slash {
                self.errors.invalid(
                    code,
                    path,
                    Bad::Str(value),
                    "must not contain more than one slash",
                );
            }
            return;
        }
        if first.is_empty() {
            let detail = if form == Qualified::Prefix {
                "the prefix must not be empty"
            } else {
                "the domain must not be empty"
            };
            self.empty_part_of_name(path, detail);
        } else {
            self.driver_name(first, path);
        }
        if name.is_empty() {
            self.empty_part_of_name(path, "the name must not be empty");
        } else {
            self.identifier(name, path);
        }
    }

    fn empty_part_of_name(&mut self, path: &Path<'_>, detail: &str) {
        let code = Code::QualifiedNameInvalid;
        match self.v.qualified {
            Qualified::Prefix | Qualified::Domain => self.errors.required(code, path, detail),
            Qualified::Invalid => self.errors.invalid(code, path, Bad::Str(""), detail),
        }
    }

    /// Validates a qualified name that must have a domain.
    pub fn full_name(&mut self, value: &str, path: &Path<'_>) {
        let code = Code::QualifiedNameInvalid;
        self.qualified_name(value, path);
        if value.contains('/') {
            return;
        }
        match self.v.qualified {
            Qualified::Prefix => self.errors.required(
                code,
                &path.field_named("domain", ""),
                "must include a prefix",
            ),
            Qualified::Domain if value.is_empty() => {}
            Qualified::Domain => {
                self.errors
                    .invalid(code, path, Bad::Named(value), "must include a domain")
            }
            Qualified::Invalid => {
                let detail =
                    "a fully qualified name must be a domain and a name separated by a slash";
                self.errors.invalid(code, path, Bad::Named(value), detail);
            }
        }
    }

    fn identifier(&mut self, value: &str, path: &Path<'_>) {
        let code = Code::QualifiedNameInvalid;
        if value.len() > IDENTIFIER_MAX {
            self.errors.too_long(code, path, IDENTIFIER_MAX);
        }
        let mut bytes = value.bytes();
        let starts = bytes
            .next()
            .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
        if starts && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return;
        }
        if self.v.identifier_type_invalid {
            self.errors.type_invalid(code, path, value, IDENTIFIER);
        } else {
            self.errors.invalid(code, path, Bad::Str(value), IDENTIFIER);
        }
    }

    /// Validates parameters or data of a driver: a JSON object, not too large.
    pub fn raw_object(&mut self, slot: Slot<'_>, age: Age, path: &Path<'_>) {
        let raw = slot.value().as_str();
        if raw.is_empty() || raw == "null" {
            self.errors.required(Code::ParametersInvalid, path, "");
            return;
        }
        if let Some(max) = self
            .limit(slot)
            .filter(|max| age == Age::New && raw.len() > *max)
        {
            self.errors
                .too_long_bytes(Code::ParametersInvalid, path, max);
            return;
        }
        let detail = match too_large_number(raw) {
            Some(number) => Cow::Owned(format!(
                "{}: json: cannot unmarshal number {number} into Go value of type float64",
                self.v.unparsable
            )),
            None if raw.trim_start().starts_with('{') => return,
            None => Cow::Borrowed(self.v.no_object),
        };
        self.errors.invalid(
            Code::ParametersInvalid,
            path,
            Bad::Str("<value omitted>"),
            &detail,
        );
    }

    /// Validates a share id: a UUID in its usual spelling.
    pub fn share_id(&mut self, value: &str, path: &Path<'_>) {
        let code = Code::ShareIdInvalid;
        match parse_uuid(value) {
            Err(error) => {
                self.errors.invalid(
                    code,
                    path,
                    Bad::Str(value),
                    &format!("error validating uid: {error}"),
                );
            }
            Ok(()) if value.len() != 36 || value.bytes().any(|b| b.is_ascii_uppercase()) => {
                self.errors.invalid(code, path, Bad::Str(value), UID_FORM);
            }
            Ok(()) => {}
        }
    }

    /// Validates an address of a network interface.
    pub fn address(&mut self, value: &str, path: &Path<'_>) {
        let code = Code::NetworkDataInvalid;
        match (self.v.addresses, canonical_cidr(value)) {
            (Addresses::Sloppy, None) => {
                let detail = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
                self.errors.invalid(code, path, Bad::Str(value), detail);
            }
            (Addresses::Canonical, None) => {
                let detail =
                    "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";
                self.errors.invalid(code, path, Bad::Str(value), detail);
            }
            (Addresses::Canonical, Some(canonical)) if canonical != value => {
                let detail = format!("must be in canonical form (\"{canonical}\")");
                self.errors.invalid(code, path, Bad::Str(value), &detail);
            }
            _ => {}
        }
    }

    /// Collects the names of the requests of a `devices` struct, and of their alternatives.
    ///
    /// The last of several requests with the same name is used. In releases with alternatives, a `/` always separates request and
    /// alternative, so a request with a `/` in its name cannot be referenced.
    pub fn requests(&self, devices: DeviceClaim<'_>) -> RequestNames {
        let mut names = BTreeSet::new();
        for request in devices.requests().iter().rev() {
            let name = request.name();
            if (self.v.sub_requests && name.contains('/')) || !names.insert(name.to_owned()) {
                continue;
            }
            for alternative in request.first_available().iter() {
                names.insert(format!("{name}/{}", alternative.name()));
            }
        }
        RequestNames { names }
    }

    /// Validates the names of requests in a list: each must exist and occur only once.
    pub fn request_names(&mut self, requests: Strings<'_>, known: &RequestNames, path: &Path<'_>) {
        let list = path.field("requests");
        let may_check_duplicates = self.list(requests, &list, |judge, name, path| {
            judge.request_name(name, known, path)
        });
        if may_check_duplicates {
            self.unique(requests.iter(), None, &list, Bad::Str);
        }
    }

    /// Validates a reference to a request.
    pub fn request_name(&mut self, value: &str, known: &RequestNames, path: &Path<'_>) {
        let code = Code::RequestUnknown;
        if !self.v.sub_requests {
            self.label(code, value, path);
            if !known.has(value) {
                self.errors.invalid(
                    code,
                    path,
                    Bad::Str(value),
                    "must be the name of a request in the claim",
                );
            }
            return;
        }
        let parts: Vec<&str> = value.split('/').collect();
        if parts.len() <= 2 {
            for part in parts {
                self.label(code, part, path);
            }
            if known.has(value) {
                return;
            }
        }
        let detail = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
        self.errors.invalid(code, path, Bad::Str(value), detail);
    }
}

/// The names a reference may use.
#[derive(Debug, Default)]
pub struct RequestNames {
    names: BTreeSet<String>,
}

impl RequestNames {
    fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}

/// Checks a UUID with the messages of the server's parser: `github.com/google/uuid`, `Validate`.
fn parse_uuid(value: &str) -> Result<(), Cow<'static, str>> {
    let is_well_formed = match value.len() {
        32 => value.bytes().all(|byte| byte.is_ascii_hexdigit()),
        36 => has_form_of_uuid(value),
        38 => has_form_of_uuid(without_braces(value)?),
        45 => has_form_of_uuid(without_urn_prefix(value)?),
        length => return Err(Cow::Owned(format!("invalid UUID length: {length}"))),
    };
    if is_well_formed {
        Ok(())
    } else {
        Err(Cow::Borrowed("invalid UUID format"))
    }
}

/// Returns true for hexadecimal digits with hyphens where a UUID has them.
fn has_form_of_uuid(text: &str) -> bool {
    text.bytes().enumerate().all(|(index, byte)| match index {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}

fn without_braces(text: &str) -> Result<&str, Cow<'static, str>> {
    text.strip_prefix('{')
        .and_then(|inner| inner.strip_suffix('}'))
        .ok_or(Cow::Borrowed("invalid bracketed UUID format"))
}

fn without_urn_prefix(text: &str) -> Result<&str, Cow<'static, str>> {
    const PREFIX: &str = "urn:uuid:";
    match text.split_at_checked(PREFIX.len()) {
        Some((prefix, uuid)) if prefix.eq_ignore_ascii_case(PREFIX) => Ok(uuid),
        _ => {
            let bytes = text.as_bytes().get(..PREFIX.len()).unwrap_or_default();
            let prefix = String::from_utf8_lossy(bytes);
            Err(Cow::Owned(format!(
                "invalid urn prefix: {}",
                claimkit_values::quote(&prefix, claimkit_values::GoUnicode::V15)
            )))
        }
    }
}

/// Returns the first number of a JSON text that is too large for Go's `float64`.
fn too_large_number(raw: &str) -> Option<&str> {
    let mut rest = raw;
    while let Some(at) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        rest = rest.get(at..)?;
        if let Some(mut text) = rest.strip_prefix('"') {
            // An escaped character is never the end of the string.
            while let Some(at) = text.find(['"', '\\']) {
                let quote = text.get(at..)?.starts_with('"');
                text = text
                    .get(at.saturating_add(1).saturating_add(usize::from(!quote))..)
                    .unwrap_or_default();
                if quote {
                    break;
                }
            }
            rest = text;
            continue;
        }
        let length = rest.bytes().take_while(|byte| is_of_number(*byte)).count();
        let (number, after) = rest.split_at_checked(length)?;
        if claimkit_values::float::parse(number).is_some_and(f64::is_infinite) {
            return Some(number);
        }
        rest = after;
    }
    None
}

fn is_of_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')
}

/// Parses an address of IPv4 as `ParseCIDRSloppy` of k8s.io/utils reads it: leading zeros are decimal.
fn sloppy_v4(text: &str) -> Option<Ipv4Addr> {
    let mut parts = [0u8; 4];
    let mut given = text.split('.');
    for part in &mut parts {
        let text = given
            .next()
            .filter(|text| !text.is_empty() && claimkit_values::has_only_digits(text))?;
        *part = text.parse().ok()?;
    }
    given.next().is_none().then(|| Ipv4Addr::from(parts))
}

/// Parses an address of IPv6 as `ParseCIDRSloppy` of k8s.io/utils reads it: any number of leading zeros in every part.
fn sloppy_v6(text: &str) -> Option<Ipv6Addr> {
    let mut plain = String::with_capacity(text.len());
    for (at, part) in text.split(':').enumerate() {
        if at > 0 {
            plain.push(':');
        }
        if part.contains('.') {
            plain.push_str(&sloppy_v4(part)?.to_string());
        } else {
            let digits = part.trim_start_matches('0');
            plain.push_str(if digits.is_empty() && !part.is_empty() {
                "0"
            } else {
                digits
            });
        }
    }
    plain.parse().ok()
}

/// Returns the canonical spelling of a CIDR, host bits kept; `None` if the text is not a CIDR. Leading zeros are decimal.
pub fn canonical_cidr(value: &str) -> Option<String> {
    let (address, prefix) = value.split_once('/')?;
    let bits: u32 = claimkit_values::has_only_digits(prefix)
        .then(|| prefix.parse().ok())
        .flatten()?;
    let ip = if address.contains(':') {
        IpAddr::V6(sloppy_v6(address)?)
    } else {
        IpAddr::V4(sloppy_v4(address)?)
    };
    let max = if ip.is_ipv4() { 32 } else { 128 };
    if bits > max {
        return None;
    }
    Some(match ip {
        IpAddr::V4(ip) => format!("{ip}/{bits}"),
        IpAddr::V6(ip) => match ip.to_ipv4_mapped() {
            // Go prints a mapped address as one of IPv4, with the bits that are left.
            Some(mapped) => format!(
                "{mapped}/{}",
                if bits > 32 {
                    bits.saturating_sub(96)
                } else {
                    bits
                }
            ),
            None => format!("{ip}/{bits}"),
        },
    })
}
