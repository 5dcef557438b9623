//! Addresses and networks: `ip(…)`, `cidr(…)`.
//!
//! Source: apiserver `pkg/cel/library/ip.go` and `cidr.go`; the texts of Go's `net/netip`.

use crate::error::{Error, ErrorKind};
use claimkit_values::{GoUnicode, quote};
use std::fmt;
use std::ops::Range;

/// An address without a zone: four bytes, or sixteen that are not an IPv4-mapped address.
///
/// ```
/// use claimkit_cel::library::network::Address;
///
/// assert_eq!(Address::parse("10.0.0.1").unwrap(), Address::V4([10, 0, 0, 1]));
/// assert_eq!(Address::parse("2001:db8:0::1").unwrap().to_string(), "2001:db8::1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// An address of IP version 4.
    V4([u8; 4]),
    /// An address of IP version 6.
    V6([u16; 8]),
}

/// A network. Bits behind the prefix are kept as written, and count in a comparison.
///
/// ```
/// use claimkit_cel::library::network::Network;
///
/// assert_eq!(Network::parse("10.1.2.3/8").unwrap().to_string(), "10.1.2.3/8");
/// assert!(Network::parse("10.1.2.3").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: Address,
    bits: u8,
}

fn quoted(text: &str) -> String {
    quote(text, GoUnicode::V15)
}

impl Address {
    /// Reads an address as `ip(…)` does.
    ///
    /// # Errors
    /// A text that is not an address.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::read(text).map_err(Error::of(ErrorKind::Address))
    }

    fn read(text: &str) -> Result<Self, String> {
        let parsed = parse(text).map_err(|error| {
            format!(
                "IP Address {} parse error during conversion from string: {error}",
                quoted(text)
            )
        })?;
        if parsed.zone {
            return Err(format!(
                "IP address {} with zone value is not allowed",
                quoted(text)
            ));
        }
        if parsed.address.is_mapped() {
            return Err(mapped(text));
        }
        Ok(parsed.address)
    }

    /// Returns the IP version, 4 or 6.
    pub(crate) const fn family(self) -> i64 {
        match self {
            Self::V4(_) => 4,
            Self::V6(_) => 6,
        }
    }

    /// Returns true for `0.0.0.0` and `::`.
    pub(crate) fn is_unspecified(self) -> bool {
        self.bits() == 0
    }

    /// Returns true for `127.0.0.0/8` and `::1`.
    pub(crate) fn is_loopback(self) -> bool {
        match self {
            Self::V4([first, ..]) => first == 127,
            Self::V6(_) => self.bits() == 1,
        }
    }

    /// Returns true for `224.0.0.0/24` and multicast of the link's scope.
    pub(crate) fn is_link_local_multicast(self) -> bool {
        match self {
            Self::V4(bytes) => matches!(bytes, [224, 0, 0, _]),
            Self::V6([first, ..]) => first & 0xff0f == 0xff02,
        }
    }

    /// Returns true for `169.254.0.0/16` and `fe80::/10`.
    pub(crate) fn is_link_local_unicast(self) -> bool {
        match self {
            Self::V4(bytes) => matches!(bytes, [169, 254, ..]),
            Self::V6([first, ..]) => first & 0xffc0 == 0xfe80,
        }
    }

    /// Returns true if it is a global unicast address as Go defines it, which includes private addresses.
    pub(crate) fn is_global_unicast(self) -> bool {
        let multicast = match self {
            Self::V4([first, ..]) => first & 0xf0 == 0xe0,
            Self::V6([first, ..]) => first >> 8 == 0xff,
        };
        let broadcast = self == Self::V4([255; 4]);
        !(self.is_unspecified()
            || self.is_loopback()
            || self.is_link_local_unicast()
            || multicast
            || broadcast)
    }

    /// Returns true for an address of version 4 written as one of version 6.
    fn is_mapped(self) -> bool {
        matches!(self, Self::V6([0, 0, 0, 0, 0, 0xffff, ..]))
    }

    const fn width(self) -> u8 {
        match self {
            Self::V4(_) => 32,
            Self::V6(_) => 128,
        }
    }

    /// Returns the address as a number.
    fn bits(self) -> u128 {
        match self {
            Self::V4(bytes) => u128::from(u32::from_be_bytes(bytes)),
            Self::V6(groups) => groups
                .iter()
                .fold(0, |bits, group| bits << 16 | u128::from(*group)),
        }
    }

    /// Clears the bits behind a prefix and returns the address.
    fn masked(self, prefix: u8) -> Self {
        let cleared = self.width().saturating_sub(prefix);
        let mask = u128::MAX.checked_shl(u32::from(cleared)).unwrap_or(0);
        let bits = self.bits() & mask;
        match self {
            Self::V4(_) => Self::V4((bits as u32).to_be_bytes()),
            Self::V6(_) => Self::V6(core::array::from_fn(|at| {
                let shift = u32::try_from(at)
                    .ok()
                    .and_then(|at| 7u32.checked_sub(at))
                    .unwrap_or(0)
                    .saturating_mul(16);
                bits.checked_shr(shift).unwrap_or(0) as u16
            })),
        }
    }
}

fn mapped(text: &str) -> String {
    format!("IPv4-mapped IPv6 address {} is not allowed", quoted(text))
}

/// Computes `ip.isCanonical`: returns true if the text is the printed form of the address.
pub(crate) fn is_canonical(text: &str) -> Result<bool, Error> {
    Ok(Address::parse(text)?.to_string() == text)
}

impl Network {
    /// Reads a network as `cidr(…)` does.
    ///
    /// # Errors
    /// A text that is not a network.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::read(text).map_err(Error::of(ErrorKind::Network))
    }

    /// Reads a network. The prefix of the message is there twice for most errors, as upstream has it.
    fn read(text: &str) -> Result<Self, String> {
        const PREFIX: &str = "network address parse error during conversion from string: ";
        let network = parse_prefix(text).map_err(|error| {
            format!(
                "{PREFIX}{PREFIX}netip.ParsePrefix({}): {error}",
                quoted(text)
            )
        })?;
        if network.address.is_mapped() {
            return Err(format!("{PREFIX}{}", mapped(text)));
        }
        Ok(network)
    }

    /// Returns the address before the slash.
    pub(crate) const fn address(self) -> Address {
        self.address
    }

    /// Returns the number behind the slash.
    pub(crate) fn prefix_length(self) -> i64 {
        i64::from(self.bits)
    }

    /// Clears the bits behind the prefix and returns the network.
    pub(crate) fn masked(self) -> Self {
        Self {
            address: self.address.masked(self.bits),
            bits: self.bits,
        }
    }

    /// Returns true if the network contains the address.
    pub(crate) fn contains(self, address: Address) -> bool {
        self.address.family() == address.family()
            && self.address.masked(self.bits) == address.masked(self.bits)
    }

    /// Returns true if the network contains all of the other one.
    pub(crate) fn contains_network(self, other: Self) -> bool {
        self.bits <= other.bits && self.contains(other.address)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups = match self {
            Self::V4([a, b, c, d]) => return write!(f, "{a}.{b}.{c}.{d}"),
            Self::V6(groups) => groups,
        };
        let zeros = longest_zeros(groups);
        for (at, group) in groups.iter().enumerate() {
            if zeros.contains(&at) {
                if at == zeros.start {
                    f.write_str("::")?;
                }
                continue;
            }
            if at > 0 && at != zeros.end {
                f.write_str(":")?;
            }
            write!(f, "{group:x}")?;
        }
        Ok(())
    }
}

/// Returns the first of the longest runs of two or more zeros; an empty run beyond the end if there is none.
fn longest_zeros(groups: &[u16; 8]) -> Range<usize> {
    let mut longest = groups.len()..groups.len();
    let mut start = 0usize;
    for (at, group) in groups.iter().enumerate() {
        let end = at.saturating_add(1);
        if *group != 0 {
            start = end;
        }
        let run = start..end;
        if run.len() >= 2 && run.len() > longest.len() {
            longest = run;
        }
    }
    longest
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// An address that may have a zone.
struct Parsed {
    address: Address,
    zone: bool,
}

fn parse_prefix(text: &str) -> Result<Network, String> {
    let (address, bits) = text.rsplit_once('/').ok_or("no '/'")?;
    let Parsed { address, zone } = parse(address)?;
    if zone {
        return Err("IPv6 zones cannot be present in a prefix".to_owned());
    }
    // Go's number parser would also accept a sign, but Go rejects it here as well.
    let is_plain = !bits.is_empty()
        && claimkit_values::has_only_digits(bits)
        && (bits.len() == 1 || !bits.starts_with('0'));
    let Some(number) = bits.parse::<i64>().ok().filter(|_| is_plain) else {
        return Err(format!("bad bits after slash: {}", quoted(bits)));
    };
    match u8::try_from(number) {
        Ok(bits) if bits <= address.width() => Ok(Network { address, bits }),
        _ => Err("prefix length out of range".to_owned()),
    }
}

/// Returns Go's error for a refused text, which names what it was given and what was left of it.
fn refused(text: &str, message: &str, at: &str) -> String {
    let mut out = format!("ParseAddr({}): {message}", quoted(text));
    if !at.is_empty() {
        out.push_str(&format!(" (at {})", quoted(at)));
    }
    out
}

/// Returns true if a text is an address of IP version 4; the error is Go's (`netip.ParseAddr`).
pub(crate) fn is_four(text: &str) -> Result<bool, String> {
    let Parsed { address, .. } = parse(text)?;
    Ok(matches!(address, Address::V4(_)))
}

fn parse(text: &str) -> Result<Parsed, String> {
    match text.bytes().find(|byte| matches!(byte, b'.' | b':' | b'%')) {
        Some(b'.') => Ok(Parsed {
            address: Address::V4(parse_four(text, text)?),
            zone: false,
        }),
        Some(b':') => parse_six(text),
        Some(_) => Err(refused(text, "missing IPv6 address", "")),
        None => Err(refused(text, "unable to parse IP", "")),
    }
}

/// Returns the four numbers of a part of a text.
fn parse_four(text: &str, part: &str) -> Result<[u8; 4], String> {
    let mut fields = [0u8; 4];
    let (mut at_field, mut value, mut digits) = (0usize, 0u16, 0usize);
    let mut previous = b'.';
    for (at, byte) in part.bytes().enumerate() {
        let rest = part.get(at..).unwrap_or_default();
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return Err(refused(text, "IPv4 field has octet with leading zero", ""));
                }
                value = value
                    .saturating_mul(10)
                    .saturating_add(u16::from(byte & 0xf));
                digits = digits.saturating_add(1);
                if value > 255 {
                    return Err(refused(text, "IPv4 field has value >255", ""));
                }
            }
            b'.' => {
                if previous == b'.' || rest.len() == 1 {
                    return Err(refused(
                        text,
                        "IPv4 field must have at least one digit",
                        rest,
                    ));
                }
                if at_field == 3 {
                    return Err(refused(text, "IPv4 address too long", ""));
                }
                if let Some(field) = fields.get_mut(at_field) {
                    *field = value as u8;
                }
                at_field = at_field.saturating_add(1);
                (value, digits) = (0, 0);
            }
            _ => return Err(refused(text, "unexpected character", rest)),
        }
        previous = byte;
    }
    let [.., last] = &mut fields;
    *last = value as u8;
    if at_field < 3 {
        Err(refused(text, "IPv4 address too short", ""))
    } else {
        Ok(fields)
    }
}

fn parse_six(text: &str) -> Result<Parsed, String> {
    let (mut rest, zone) = match text.split_once('%') {
        Some((_, "")) => return Err(refused(text, "zone must be a non-empty string", "")),
        Some((address, _)) => (address, true),
        None => (text, false),
    };
    // Two bytes each.
    let mut groups: Vec<u16> = Vec::with_capacity(8);
    let mut ellipsis = None;
    if let Some(behind) = rest.strip_prefix("::") {
        ellipsis = Some(0);
        rest = behind;
        if rest.is_empty() {
            return Ok(Parsed {
                address: Address::V6([0; 8]),
                zone,
            });
        }
    }
    while groups.len() < 8 {
        let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        if digits > 4 {
            return Err(refused(text, "each group must have 4 or less digits", rest));
        }
        let (number, behind) = rest.split_at_checked(digits).unwrap_or((rest, ""));
        if number.is_empty() {
            return Err(refused(
                text,
                "each colon-separated field must have at least one digit",
                rest,
            ));
        }
        if behind.starts_with('.') {
            let embedded = parse_embedded(text, rest, groups.len(), ellipsis.is_some())?;
            groups.extend(embedded);
            rest = "";
            break;
        }
        groups.push(u16::from_str_radix(number, 16).unwrap_or(0));
        rest = behind;
        if rest.is_empty() {
            break;
        }
        let Some(behind) = rest.strip_prefix(':') else {
            return Err(refused(text, "unexpected character, want colon", rest));
        };
        if behind.is_empty() {
            return Err(refused(
                text,
                "colon must be followed by more characters",
                rest,
            ));
        }
        rest = behind;
        if let Some(behind) = rest.strip_prefix(':') {
            if ellipsis.is_some() {
                return Err(refused(text, "multiple :: in address", rest));
            }
            ellipsis = Some(groups.len());
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return Err(refused(text, "trailing garbage after address", rest));
    }
    let address = Address::V6(all_groups(text, groups, ellipsis)?);
    Ok(Parsed { address, zone })
}

/// Returns the last two groups of an address that ends with one of version 4, behind `count` groups.
fn parse_embedded(
    text: &str,
    part: &str,
    count: usize,
    has_ellipsis: bool,
) -> Result<[u16; 2], String> {
    if !has_ellipsis && count != 6 {
        let message = "embedded IPv4 address must replace the final 2 fields of the address";
        return Err(refused(text, message, part));
    }
    if count > 6 {
        let message = "too many hex fields to fit an embedded IPv4 at the end of the address";
        return Err(refused(text, message, part));
    }
    let [a, b, c, d] = parse_four(text, part)?;
    Ok([u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])])
}

/// Puts zeros in the place of `::`, which is before the group `ellipsis`.
fn all_groups(
    text: &str,
    mut groups: Vec<u16>,
    ellipsis: Option<usize>,
) -> Result<[u16; 8], String> {
    match ellipsis {
        None if groups.len() < 8 => return Err(refused(text, "address string too short", "")),
        Some(_) if groups.len() == 8 => {
            return Err(refused(
                text,
                "the :: must expand to at least one field of zeros",
                "",
            ));
        }
        Some(at) => {
            let missing = 8usize.saturating_sub(groups.len());
            groups.splice(at..at, core::iter::repeat_n(0, missing));
        }
        None => {}
    }
    Ok(<[u16; 8]>::try_from(groups).unwrap_or([0; 8]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        Address::parse(text).unwrap()
    }

    fn network(text: &str) -> Network {
        Network::parse(text).unwrap()
    }

    #[test]
    fn refuses_addresses_in_upstream_words() {
        for (text, error) in [
            ("256.0.0.1", "IPv4 field has value >255"),
            ("010.0.0.1", "IPv4 field has octet with leading zero"),
            ("1.2.3", "IPv4 address too short"),
            ("", "unable to parse IP"),
            ("abc", "unable to parse IP"),
            ("1.2.3.4/24", "unexpected character (at \"/24\")"),
            ("1.2.3.4.5", "IPv4 address too long"),
            (
                ".1.2.3",
                "IPv4 field must have at least one digit (at \".1.2.3\")",
            ),
            (
                "1..2.3",
                "IPv4 field must have at least one digit (at \".2.3\")",
            ),
            (
                "1.2.3.",
                "IPv4 field must have at least one digit (at \".\")",
            ),
            ("%eth0", "missing IPv6 address"),
            ("fe80::%", "zone must be a non-empty string"),
            ("1:2", "address string too short"),
            (
                "1:2:3:4:5:6:7:8:9",
                "trailing garbage after address (at \"9\")",
            ),
            (
                "1:2:3:4:5:6:7:8::",
                "the :: must expand to at least one field of zeros",
            ),
            (
                "12345::",
                "each group must have 4 or less digits (at \"12345::\")",
            ),
            (
                "::g",
                "each colon-separated field must have at least one digit (at \"g\")",
            ),
            ("1g::", "unexpected character, want colon (at \"g::\")"),
            ("1:", "colon must be followed by more characters (at \":\")"),
            ("1::2::3", "multiple :: in address (at \":3\")"),
            (
                "1:2:3:4::5:6:7:8",
                "the :: must expand to at least one field of zeros",
            ),
            (
                "1:1.2.3.4",
                "embedded IPv4 address must replace the final 2 fields of the address (at \"1.2.3.4\")",
            ),
            (
                "::1:2:3:4:5:6:7:1.2.3.4",
                "too many hex fields to fit an embedded IPv4 at the end of the address (at \"1.2.3.4\")",
            ),
            ("::1.2.3", "IPv4 address too short"),
        ] {
            let text_quoted = quoted(text);
            let expected = format!(
                "IP Address {text_quoted} parse error during conversion from string: ParseAddr({text_quoted}): {error}"
            );
            assert_eq!(
                Address::parse(text),
                Err(Error::new(ErrorKind::Address, expected)),
                "{text}"
            );
        }
        let message = |text| Address::parse(text).map_err(String::from);
        assert_eq!(
            message("fe80::1%eth0"),
            Err("IP address \"fe80::1%eth0\" with zone value is not allowed".into())
        );
        assert_eq!(
            message("::ffff:10.0.0.1"),
            Err("IPv4-mapped IPv6 address \"::ffff:10.0.0.1\" is not allowed".into())
        );
    }

    #[test]
    fn prints_and_compares() {
        for (text, printed) in [
            ("10.0.0.1", "10.0.0.1"),
            ("::1", "::1"),
            ("::", "::"),
            ("2001:DB8::1", "2001:db8::1"),
            ("2001:db8:0:0:0:0:0:1", "2001:db8::1"),
            ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
            ("1:0:0:2:3:0:0:4", "1::2:3:0:0:4"),
            ("1:0:2:0:3:0:4:0", "1:0:2:0:3:0:4:0"),
            ("1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"),
            ("::1.2.3.4", "::102:304"),
            ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
        ] {
            assert_eq!(address(text).to_string(), printed);
            assert_eq!(is_canonical(text), Ok(text == printed));
        }
        assert!(is_canonical("256.0.0.1").is_err());
    }

    #[test]
    fn kinds() {
        // Unspecified, loopback, link-local multicast, link-local unicast, global unicast.
        for (text, kinds) in [
            ("10.0.0.1", [false, false, false, false, true]),
            ("::1", [false, true, false, false, false]),
            ("0.0.0.0", [true, false, false, false, false]),
            ("::", [true, false, false, false, false]),
            ("127.0.0.1", [false, true, false, false, false]),
            ("169.254.1.1", [false, false, false, true, false]),
            ("224.0.0.1", [false, false, true, false, false]),
            ("224.0.1.1", [false, false, false, false, false]),
            ("255.255.255.255", [false, false, false, false, false]),
            ("ff02::1", [false, false, true, false, false]),
            ("fe80::1", [false, false, false, true, false]),
            ("2001:DB8::1", [false, false, false, false, true]),
        ] {
            let a = address(text);
            let found = [
                a.is_unspecified(),
                a.is_loopback(),
                a.is_link_local_multicast(),
                a.is_link_local_unicast(),
                a.is_global_unicast(),
            ];
            assert_eq!(found, kinds, "{text}");
        }
        assert_eq!(
            (address("1.2.3.4").family(), address("::").family()),
            (4, 6)
        );
    }

    #[test]
    fn refuses_networks_in_upstream_words() {
        const PREFIX: &str = "network address parse error during conversion from string: ";
        for (text, error) in [
            ("10.0.0.0", "no '/'"),
            ("", "no '/'"),
            ("10.0.0.0/33", "prefix length out of range"),
            ("::/129", "prefix length out of range"),
            ("10.0.0.0/08", "bad bits after slash: \"08\""),
            ("10.0.0.0/-1", "bad bits after slash: \"-1\""),
            ("10.0.0.0/+1", "bad bits after slash: \"+1\""),
            ("10.0.0.0/", "bad bits after slash: \"\""),
            (
                "10.0.0.0/99999999999999999999",
                "bad bits after slash: \"99999999999999999999\"",
            ),
            ("a/8", "ParseAddr(\"a\"): unable to parse IP"),
            ("fe80::%1/64", "IPv6 zones cannot be present in a prefix"),
        ] {
            let expected = format!(
                "{PREFIX}{PREFIX}netip.ParsePrefix({}): {error}",
                quoted(text)
            );
            assert_eq!(
                Network::parse(text),
                Err(Error::new(ErrorKind::Network, expected)),
                "{text}"
            );
        }
        let mapped =
            format!("{PREFIX}IPv4-mapped IPv6 address \"::ffff:10.0.0.0/104\" is not allowed");
        assert_eq!(
            Network::parse("::ffff:10.0.0.0/104"),
            Err(Error::new(ErrorKind::Network, mapped))
        );
    }

    #[test]
    fn networks() {
        assert_eq!(network("10.0.0.1/8").to_string(), "10.0.0.1/8");
        assert_eq!(network("10.0.0.1/8").masked(), network("10.0.0.0/8"));
        assert_ne!(network("10.0.0.1/8"), network("10.0.0.0/8"));
        assert_eq!(
            network("2001:db8:1:2::/33").masked().to_string(),
            "2001:db8::/33"
        );
        assert_eq!(network("1.2.3.4/0").masked().to_string(), "0.0.0.0/0");
        assert_eq!(network("1.2.3.4/32").masked().to_string(), "1.2.3.4/32");
        assert_eq!(
            (
                network("10.0.0.1/8").prefix_length(),
                network("10.0.0.1/8").address()
            ),
            (8, address("10.0.0.1"))
        );
        for (one, other, inside) in [
            ("10.0.0.0/8", "10.1.0.0/16", true),
            ("10.0.0.0/8", "10.0.0.0/8", true),
            ("10.0.0.0/8", "10.0.0.0/7", false),
            ("10.0.0.0/8", "11.0.0.0/16", false),
            ("::/0", "10.0.0.0/7", false),
            ("127.0.0.1/32", "10.1.0.0/16", false),
        ] {
            assert_eq!(
                network(one).contains_network(network(other)),
                inside,
                "{one} {other}"
            );
        }
        assert!(network("10.0.0.0/8").contains(address("10.0.0.7")));
        assert!(!network("::/0").contains(address("10.0.0.7")));
        assert!(network("::/0").contains(address("ff02::1")));
    }
}
