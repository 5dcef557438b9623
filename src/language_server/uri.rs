//! Addresses of files, as editors write them.

use crate::editor::foreign;

/// Returns an address with its `%20` and the like decoded; unchanged if they make no text.
pub fn decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| uri.to_owned())
}

/// Returns the folder of a file, or the folder around a folder; empty if there is none.
pub fn parent(uri: &str) -> &str {
    uri.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns true if an address lies in a folder.
pub fn is_inside(uri: &str, folder: &str) -> bool {
    uri.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// Returns the decoded path of a file relative to the first of some folders that it lies in; without one, its whole address.
pub fn relative<'a>(uri: &str, folders: impl IntoIterator<Item = &'a str>) -> String {
    let mut paths = folders.into_iter().filter_map(|folder| {
        let path = uri.strip_prefix(folder)?;
        path.strip_prefix('/')
    });
    decoded(paths.next().unwrap_or(uri))
}

/// Returns the parts of `scheme://authority/path` before and with the path; `None` for an address without folders.
fn parts(uri: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = uri.split_once("://")?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    let path = rest.find('/').filter(|_| is_scheme)?;
    Some(uri.split_at(scheme.len().saturating_add(3).saturating_add(path)))
}

/// Returns true while a folder lies below the root of its file system.
pub fn is_below_root(folder: &str) -> bool {
    parts(folder).is_some_and(|(_, path)| !path.trim_start_matches('/').is_empty())
}

/// Returns the folders around a file, the nearest first, up to the root of its file system.
pub fn folders(uri: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(parent(uri)), |folder| Some(parent(folder)))
        .take_while(|folder| is_below_root(folder))
}

/// Returns the address of a file that another file names relative to itself.
pub fn resolved(name: &str, uri: &str) -> Option<String> {
    if parts(name).is_some() {
        return Some(name.to_owned());
    }
    let (root, path) = parts(uri)?;
    let folder = if name.starts_with('/') {
        "/"
    } else {
        parent(path)
    };
    let joined = foreign::joined(&format!("{folder}/"), &encoded(name));
    Some(format!("{root}{joined}"))
}

/// Returns a path with what an address cannot hold encoded.
pub fn encoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_graphic() && !b"\"#<>?`{}^".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

/// Returns how many folders two addresses share.
pub fn nearness(one: &str, other: &str) -> usize {
    parent(one)
        .split('/')
        .zip(other.split('/'))
        .take_while(|(one, other)| one == other)
        .count()
}

/// Returns an address without the slashes at its end.
pub fn trimmed(folder: &str) -> String {
    folder.trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_decoded_and_resolved() {
        assert_eq!(decoded("file:///a%20b/%C3%A9%2"), "file:///a b/é%2");
        assert_eq!(decoded("%ff"), "%ff");
        let at = "file:///p/overlay/kustomization.yaml";
        for (name, address) in [
            ("a b.yaml", "file:///p/overlay/a%20b.yaml"),
            ("../base/./c.yaml", "file:///p/base/c.yaml"),
            ("/c.yaml", "file:///c.yaml"),
            ("http://host/c.yaml", "http://host/c.yaml"),
        ] {
            assert_eq!(resolved(name, at).as_deref(), Some(address));
        }
        assert_eq!(resolved("a.yaml", "untitled:1/b.yaml"), None);
    }

    #[test]
    fn folders_end_at_the_root() {
        let found: Vec<&str> = folders("file:///a/b/c.yaml").collect();
        assert_eq!(found, ["file:///a/b", "file:///a"]);
        assert_eq!(folders("untitled:1/a.yaml").count(), 0);
        assert_eq!(
            folders("memfs://host/a/b.yaml").collect::<Vec<_>>(),
            ["memfs://host/a"]
        );
        assert_eq!(nearness("file:///a/b/c", "file:///a/b/d"), 5);
        assert_eq!(nearness("file:///a/c", "file:///b/c"), 3);
    }
}
