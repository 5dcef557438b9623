//! The shape of `src/`: no import cycles between files, and a module imports only from modules above it in the table of
//! `src/lib.rs`. Only a module and its own submodules may import each other.
//!
//! Imports are read from the text: `use` declarations, and paths in expressions and types. A name that a module
//! only hands on (`pub use`) counts as an import of the file that defines it. Unit tests may import what they like.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

struct House {
    /// The text of each module without comments and unit tests, by its path, e.g. `claimkit_model::text::tree`.
    modules: BTreeMap<String, String>,
    /// The re-exports of a module: the name there, and the original path.
    handed_on: BTreeMap<String, String>,
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// `crates/claimkit-model/src/text/yaml/mod.rs` is `claimkit_model::text::yaml`.
fn module(file: &Path) -> String {
    let path = file.strip_prefix(source()).unwrap().with_extension("");
    let mut parts = vec!["crate".to_owned()];
    parts.extend(
        path.iter()
            .map(|part| part.to_str().unwrap().to_owned())
            .filter(|part| part != "mod" && part != "lib"),
    );
    parts.join("::")
}

/// The text of a file without line comments and without the unit tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
    text.lines()
        .map(|line| line.split("//").next().unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The paths of a `use` tree, `a::{b, c::{self, d}}`, each in full; aliases are left out.
fn expand(tree: &str, before: &str, out: &mut Vec<(String, String)>) {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        let head = format!("{before}{}", tree[..open].trim());
        let inner = tree[open + 1..].trim_end().strip_suffix('}').unwrap();
        let (mut depth, mut start) = (0, 0);
        for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    expand(&inner[start..at], &head, out);
                    start = at + 1;
                }
                _ => {}
            }
        }
    } else if !tree.is_empty() {
        let (path, name) = tree
            .split_once(" as ")
            .map_or((tree, None), |(path, name)| (path, Some(name.trim())));
        let path = format!("{before}{}", path.trim());
        let path = path.strip_suffix("::self").unwrap_or(&path).to_owned();
        let name = name.map_or_else(
            || path.rsplit("::").next().unwrap().to_owned(),
            str::to_owned,
        );
        out.push((path, name));
    }
}

/// A path from the crate's root; `None` for other crates.
fn absolute(path: &str, from: &str, modules: &BTreeMap<String, String>) -> Option<String> {
    let mut base = from;
    let mut rest = path;
    if let Some(inner) = rest.strip_prefix("self::") {
        rest = inner;
    } else if rest.starts_with("super::") {
        while let Some(inner) = rest.strip_prefix("super::") {
            base = base.rsplit_once("::")?.0;
            rest = inner;
        }
    } else if rest == "crate" || rest.starts_with("crate::") {
        return Some(rest.to_owned());
    } else {
        // A child of this module, or another crate.
        let child = format!("{from}::{}", rest.split("::").next()?);
        return modules
            .contains_key(&child)
            .then(|| format!("{from}::{rest}"));
    }
    Some(format!("{base}::{rest}"))
}

impl House {
    fn read() -> Self {
        let mut found = Vec::new();
        files(&source(), &mut found);
        let modules: BTreeMap<String, String> = found
            .iter()
            .map(|file| (module(file), code(&std::fs::read_to_string(file).unwrap())))
            .collect();
        assert!(modules.len() > 100, "{} files", modules.len());
        let mut handed_on = BTreeMap::new();
        for (name, text) in &modules {
            for (public, tree) in uses(text) {
                let mut paths = Vec::new();
                expand(&tree, "", &mut paths);
                for (path, known_as) in paths {
                    // An item of another crate of the workspace is not a module of this one, under any name.
                    let path = if path.starts_with("claimkit_") {
                        Some(path)
                    } else {
                        absolute(&path, name, &modules)
                    };
                    if let Some(path) = path.filter(|path| public || path.starts_with("claimkit_"))
                    {
                        handed_on.insert(format!("{name}::{known_as}"), path);
                    }
                }
            }
        }
        House { modules, handed_on }
    }

    /// The module in whose file a path is defined.
    fn definer(&self, path: &str) -> Option<&str> {
        let mut path = path.to_owned();
        // Re-exports of re-exports end after a few steps.
        for _ in 0..8 {
            let handed = (1..=path.matches("::").count() + 1).find_map(|count| {
                let end = path
                    .match_indices("::")
                    .nth(count)
                    .map_or(path.len(), |(at, _)| at);
                // A re-exported function may have the name of a module.
                let origin = self
                    .handed_on
                    .get(&path[..end])
                    .filter(|_| !self.modules.contains_key(&path[..end]));
                origin.map(|origin| format!("{origin}{}", &path[end..]))
            });
            match handed {
                Some(origin) if origin != path => path = origin,
                _ => break,
            }
        }
        let mut prefix = path.as_str();
        loop {
            if let Some((name, _)) = self.modules.get_key_value(prefix) {
                return Some(name);
            }
            prefix = prefix.rsplit_once("::")?.0;
        }
    }

    /// The modules that each module imports from.
    fn imports(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut imports: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (name, text) in &self.modules {
            let mut paths = Vec::new();
            for (_, tree) in uses(text).into_iter().filter(|(public, _)| !public) {
                expand(&tree, "", &mut paths);
            }
            let mut paths: Vec<String> = paths.into_iter().map(|(path, _)| path).collect();
            paths.extend(inline(text));
            let own = imports.entry(name).or_default();
            for path in paths
                .iter()
                .filter_map(|path| absolute(path, name, &self.modules))
            {
                if let Some(definer) = self.definer(&path).filter(|definer| definer != name) {
                    own.insert(definer);
                }
            }
        }
        imports
    }
}

/// The `use` declarations of a text: whether they re-export names, and their trees.
fn uses(text: &str) -> Vec<(bool, String)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("use ") {
        let line = text[..at].rsplit('\n').next().unwrap();
        let public = line.trim().starts_with("pub");
        if line.trim().is_empty() || (public && !line.contains("fn")) {
            let tree: String = text[at + 4..]
                .split(';')
                .next()
                .unwrap()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            // Sentences in string literals may begin with `use` too.
            if tree
                .chars()
                .all(|c| c.is_alphanumeric() || "_:{}, *".contains(c))
                && tree.matches('{').count() == tree.matches('}').count()
            {
                found.push((public, tree));
            }
        }
    }
    found
}

/// Paths in expressions and types. They include paths of other crates and of types, which lead to no module.
fn inline(text: &str) -> Vec<String> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    let declares = |statement: &str| {
        statement
            .split_whitespace()
            .take(2)
            .any(|word| word == "use") // `use`, `pub use`, `pub(crate) use`
    };
    let statements = text
        .split_inclusive(';')
        .filter(|statement| !declares(statement));
    let paths = statements
        .flat_map(|statement| statement.split(|c: char| !part(c)))
        .filter(|path| path.contains("::"));
    paths
        .map(|path| path.trim_end_matches(':').to_owned())
        .collect()
}

/// Import cycles: groups of modules that all reach each other.
fn circles<'a>(imports: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> Vec<Vec<&'a str>> {
    let reached = |from: &'a str| {
        let mut reached = BTreeSet::new();
        let mut next = vec![from];
        while let Some(module) = next.pop() {
            next.extend(
                imports
                    .get(module)
                    .into_iter()
                    .flatten()
                    .filter(|other| reached.insert(**other)),
            );
        }
        reached
    };
    let all: BTreeMap<&str, BTreeSet<&str>> = imports
        .keys()
        .map(|module| (*module, reached(module)))
        .collect();
    let mut groups: BTreeSet<Vec<&str>> = BTreeSet::new();
    for (module, reached) in &all {
        let group: Vec<&str> = reached
            .iter()
            .copied()
            .filter(|other| all.get(other).is_some_and(|back| back.contains(module)))
            .collect();
        if !group.is_empty() {
            groups.insert(group);
        }
    }
    groups.into_iter().collect()
}

/// `text` of `claimkit_model::text::yaml`.
fn stage(module: &str) -> &str {
    module.split("::").nth(1).unwrap_or("crate")
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let house = House::read();
    // A module and its own submodules may import each other: tables use the types of their parent module, which lists the tables.
    let of_one_module = |group: &Vec<&str>| {
        group.iter().any(|top| {
            group
                .iter()
                .all(|part| part == top || part.starts_with(&format!("{top}::")))
        })
    };
    let circles: Vec<_> = circles(&house.imports())
        .into_iter()
        .filter(|group| !of_one_module(group))
        .collect();
    assert!(
        circles.is_empty(),
        "files that import each other in a circle:\n{circles:#?}"
    );
}

#[test]
fn modules_import_only_from_those_above_them_in_the_table() {
    let house = House::read();
    let table = std::fs::read_to_string(source().join("lib.rs")).unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("//! |"));
    let order: Vec<&str> = rows
        .filter_map(|row| row.split(" | `").nth(1)?.split('`').next())
        .collect();
    let place = |name: &str| order.iter().position(|row| *row == name);
    let mut wrong = Vec::new();
    for (name, of) in house.imports() {
        let own = stage(name);
        if own == "main" || own == "crate" {
            continue;
        }
        let Some(below) = place(own) else {
            wrong.push(format!("`{own}` has no row in the table of src/lib.rs"));
            continue;
        };
        for other in of {
            let of_root = stage(other) == "crate" && matches!(own, "cli" | "entry");
            if stage(other) != own
                && !of_root
                && place(stage(other)).is_none_or(|above| above > below)
            {
                wrong.push(format!("{name} imports from {other}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "imports from a later stage:\n{}",
        wrong.join("\n")
    );
}

/// libFuzzer writes what it finds into the folder that it is given.
#[test]
fn the_fuzzer_has_only_sources_among_its_sources() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/src");
    let found: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let (sources, others): (Vec<&PathBuf>, _) = found
        .iter()
        .partition(|path| path.extension().is_some_and(|end| end == "rs"));
    assert!(sources.len() > 5);
    assert_eq!(others, Vec::<&PathBuf>::new());
}

#[test]
fn imports_are_read() {
    let text = code(
        "use super::a::{self, b as c};\npub use d::E;\nfn f() { crate::g::h(); } // crate::no\n#[cfg(test)]\nmod tests { use crate::no; }",
    );
    assert_eq!(
        uses(&text),
        [
            (false, "super::a::{self, b as c}".to_owned()),
            (true, "d::E".to_owned())
        ]
    );
    let mut paths = Vec::new();
    expand("super::a::{self, b as c}", "", &mut paths);
    assert_eq!(
        paths,
        [
            ("super::a".into(), "a".into()),
            ("super::a::b".into(), "c".into())
        ]
    );
    assert_eq!(inline(&text), ["crate::g::h"]);
    assert_eq!(
        inline("mod part;\nuse a::b;\nfn f() { part::TABLE.len() }"),
        ["part::TABLE"]
    );
    let one: BTreeMap<&str, BTreeSet<&str>> = [
        ("a", ["b"].into()),
        ("b", ["a", "c"].into()),
        ("c", BTreeSet::new()),
        ("d", ["a"].into()),
    ]
    .into();
    assert_eq!(circles(&one), [["a", "b"]]);
}
