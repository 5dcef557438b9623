//! Paths of files that are left out.

/// Returns a path and its parent folders, the outermost first: a pattern that matches one of them leaves the file out.
pub fn with_folders(path: &str) -> impl Iterator<Item = &str> {
    let path = path.strip_prefix("./").unwrap_or(path);
    let ends = path.match_indices('/').map(|(at, _)| at);
    ends.chain([path.len()]).filter_map(|end| path.get(..end))
}
