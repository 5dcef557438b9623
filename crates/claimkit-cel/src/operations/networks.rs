//! Addresses, networks and URLs (kube-apiserver, `pkg/cel/library/ip.go`, `cidr.go`, `urls.go`).

use std::sync::Arc;

use super::super::library::network::{self, Address, Network};
use super::super::library::url::Url;
use super::super::value::{Map, Value};
use super::EvaluationScope;

/// Computes `ip(text)`.
pub fn ip(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(text)] => Address::parse(text).map_or_else(Value::error, Value::Address),
        _ => Value::no_such_overload(),
    }
}

/// Computes `isIP(text)`.
pub fn is_ip(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(text)] => Value::Bool(Address::parse(text).is_ok()),
        _ => Value::no_such_overload(),
    }
}

/// Computes `ip.isCanonical(text)`.
pub fn is_canonical(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(text)] => network::is_canonical(text).map_or_else(Value::error, Value::Bool),
        _ => Value::no_such_overload(),
    }
}

/// Computes `cidr(text)`.
pub fn cidr(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(text)] => Network::parse(text).map_or_else(Value::error, Value::Network),
        _ => Value::no_such_overload(),
    }
}

/// Computes `isCIDR(text)`.
pub fn is_cidr(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(text)] => Value::Bool(Network::parse(text).is_ok()),
        _ => Value::no_such_overload(),
    }
}

fn of_address(arguments: &[Value], read: impl Fn(Address) -> Value) -> Value {
    match arguments {
        [Value::Address(address)] => read(*address),
        _ => Value::no_such_overload(),
    }
}

/// Computes `a.family()`.
pub fn family(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_address(arguments, |address| Value::Int(address.family()))
}

/// Computes `a.isUnspecified()`.
pub fn is_unspecified(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_address(arguments, |address| Value::Bool(address.is_unspecified()))
}

/// Computes `a.isLoopback()`.
pub fn is_loopback(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_address(arguments, |address| Value::Bool(address.is_loopback()))
}

/// Computes `a.isLinkLocalMulticast()`.
pub fn is_link_local_multicast(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_address(arguments, |address| {
        Value::Bool(address.is_link_local_multicast())
    })
}

/// Computes `a.isLinkLocalUnicast()`.
pub fn is_link_local_unicast(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_address(arguments, |address| {
        Value::Bool(address.is_link_local_unicast())
    })
}

/// Computes `a.isGlobalUnicast()`.
pub fn is_global_unicast(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_address(arguments, |address| {
        Value::Bool(address.is_global_unicast())
    })
}

/// Computes `network.containsIP(a)`.
pub fn contains_ip(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Network(network), Value::Address(address)] => {
            Value::Bool(network.contains(*address))
        }
        [Value::Network(network), Value::String(text)] => Address::parse(text).map_or_else(
            |_| Value::no_such_overload(),
            |address| Value::Bool(network.contains(address)),
        ),
        _ => Value::no_such_overload(),
    }
}

/// Computes `network.containsCIDR(a)`.
pub fn contains_cidr(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Network(network), Value::Network(other)] => contained(scope, *network, *other),
        [Value::Network(network), Value::String(text)] => match Network::parse(text) {
            Ok(other) => contained(scope, *network, other),
            Err(error) => Value::error(error),
        },
        _ => Value::no_such_overload(),
    }
}

fn contained(scope: &EvaluationScope<'_>, network: Network, other: Network) -> Value {
    // Upstream forgot to cut the other address off.
    let whole = !scope.rules().whole_addresses || network.masked().address() == other.address();
    Value::Bool(whole && network.contains_network(other))
}

/// Computes `network.ip()`.
pub fn cidr_ip(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Network(network)] => Value::Address(network.address()),
        _ => Value::no_such_overload(),
    }
}

/// Computes `network.isMask()`.
pub fn is_mask(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Network(network)] => Value::Bool(*network == network.masked()),
        _ => Value::no_such_overload(),
    }
}

/// Computes `network.masked()`.
pub fn masked(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Network(network)] => Value::Network(network.masked()),
        _ => Value::no_such_overload(),
    }
}

/// Computes `network.prefixLength()`.
pub fn prefix_length(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Network(network)] => Value::Int(network.prefix_length()),
        _ => Value::no_such_overload(),
    }
}

/// Computes `url(text)`.
pub fn url(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(text)] => {
            Url::parse(text).map_or_else(Value::error, |url| Value::Url(Arc::new(url)))
        }
        _ => Value::no_such_overload(),
    }
}

/// Computes `isURL(text)`.
pub fn is_url(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(text)] => Value::Bool(Url::parse(text).is_ok()),
        _ => Value::no_such_overload(),
    }
}

fn of_url(arguments: &[Value], read: impl Fn(&Url) -> String) -> Value {
    match arguments {
        [Value::Url(url)] => Value::string(read(url)),
        _ => Value::no_such_overload(),
    }
}

/// Computes `url.getScheme()`.
pub fn scheme(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_url(arguments, |url| url.scheme().to_owned())
}

/// Computes `url.getHost()`.
pub fn host(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_url(arguments, |url| url.host())
}

/// Computes `url.getHostname()`.
pub fn hostname(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_url(arguments, |url| url.hostname())
}

/// Computes `url.getPort()`.
pub fn port(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_url(arguments, |url| url.port())
}

/// Computes `url.getEscapedPath()`.
pub fn escaped_path(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_url(arguments, |url| url.escaped_path())
}

/// Computes `url.getQuery()`.
pub fn query(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let [Value::Url(url)] = arguments else {
        return Value::no_such_overload();
    };
    let mut map = Map::default();
    for (key, values) in url.query() {
        map.insert(
            Value::string(key),
            Value::list(values.into_iter().map(Value::string).collect()),
        );
    }
    Value::Map(Arc::new(map))
}
