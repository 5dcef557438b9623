//! Files whose names end like those of manifests and that kubectl never gets as they are: templates of charts, kustomizations and
//! their patches, files of other tools. Editors say nothing about them, and neither does the command about files that it finds in a
//! folder.

use super::context;
use super::names::key;
use super::outline::{Outline, OutlineValueKind, Role};
use claimkit_model::text::Span;
use memchr::memmem;

/// Names of the files that Kustomize builds from.
const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Returns true if a text names something that claimkit judges: the API group, or a pod's claims.
pub fn is_ours(text: &str) -> bool {
    ["resource.k8s.io", "resourceClaims"]
        .iter()
        .any(|word| memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// Returns true for a text that is written to become a manifest, such as a template of Helm: kubectl refuses it.
pub fn is_template(path: &str, text: &str) -> bool {
    text.contains("{{")
        && (path.contains("/templates/")
            || path.starts_with("templates/")
            || text
                .match_indices("{{")
                .any(|(at, _)| begins_value(text, at)))
}

/// Returns true if the `{{` at an offset begins a line or its value, and more than one value follows in braces.
fn begins_value(text: &str, at: usize) -> bool {
    let line = text
        .get(..at)
        .and_then(|before| before.rsplit('\n').next())
        .unwrap_or_default();
    let line = line.strip_suffix(['"', '\'']).unwrap_or(line);
    let mut before = line.trim_start_matches([' ', '\t']);
    while let Some(rest) = before
        .strip_prefix('-')
        .filter(|rest| rest.starts_with(' '))
    {
        before = rest.trim_start_matches(' ');
    }
    let key = before.trim_end_matches([' ', '\t']).strip_suffix(':');
    let behind_key = before.ends_with([' ', '\t']) && key.is_some_and(is_plain_key);
    let begins = before.is_empty() || behind_key;
    // `{{a: b}: c}` is YAML: one brace closes alone.
    let behind = text.get(at.saturating_add(2)..).unwrap_or_default();
    let closes_alone = behind
        .find('}')
        .and_then(|end| behind.get(end.saturating_add(1)..))
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('}'));
    begins && !closes_alone
}

fn is_plain_key(key: &str) -> bool {
    let is_of_key =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '\'' | '/' | '-');
    !key.is_empty() && key.chars().all(is_of_key)
}

/// Returns true if a path is that of a kustomization, which is never a manifest.
pub fn is_kustomization(path: &str) -> bool {
    KUSTOMIZATIONS.contains(&path.rsplit(['/', '\\']).next().unwrap_or_default())
}

/// Returns true for a text with directives of a strategic merge patch, which kubectl does not take as an object.
pub fn is_patch(text: &str) -> bool {
    text.lines().any(|line| {
        let key = line.trim_start_matches([' ', '\t', '-']);
        ["$patch:", "\"$patch\":", "'$patch':"]
            .iter()
            .any(|directive| key.starts_with(directive))
    })
}

/// Returns the files that a kustomization names as patches, as it writes them: relative to its folder.
pub fn patches_of(kustomization: &str) -> Vec<String> {
    let outline = Outline::read(kustomization);
    let document = 0;
    let mut found = Vec::new();
    for (list, node) in context::children(&outline, document, None) {
        let is_patches = matches!(
            key(&outline, node),
            "patches" | "patchesStrategicMerge" | "patchesJson6902"
        );
        if !is_patches {
            continue;
        }
        for (item, node) in context::children(&outline, document, Some(list)) {
            if node.role != Role::Item {
                continue;
            }
            let path = match node.value_kind {
                OutlineValueKind::Scalar => Some(context::unquoted(outline.slice(node.value))),
                _ => context::scalar(&outline, document, Some(item), "path"),
            };
            found.extend(
                path.filter(|path| !path.is_empty() && !path.contains(['\n', '{']))
                    .map(str::to_owned),
            );
        }
    }
    found
}

/// Returns the path of a file that a file in a folder names: `overlay` and `../base/a.yaml` are `base/a.yaml`.
pub fn joined(folder: &str, relative: &str) -> String {
    let mut parts: Vec<&str> = folder
        .split('/')
        .filter(|part| *part != "." && !part.is_empty())
        .collect();
    let is_absolute = folder.starts_with('/');
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    if is_absolute {
        format!("/{path}")
    } else {
        path
    }
}

/// Returns true if a part of a text has a variable that Flux replaces, such as `${ENV}`, `${#ENV}` or `${ENV:=dev}` (fluxcd/pkg,
/// envsubst/README.md).
pub fn has_variable(text: &str, span: Span) -> bool {
    let part = text.get(span.from()..span.to()).unwrap_or_default();
    part.match_indices("${").any(|(at, _)| {
        let rest = part.get(at.saturating_add(2)..).unwrap_or_default();
        let inside = rest.strip_prefix('#').unwrap_or(rest);
        let behind = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let has_name = behind.len() < inside.len();
        has_name && behind.starts_with(['}', ':', '-', '=', '/', '^', ',', '#', '%'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_known_by_their_braces() {
        for (path, text) in [
            ("chart/templates/a.yaml", "a: \"{{ x }}\"\n"),
            ("a.yaml", "metadata:\n  name: {{ .Release.Name }}\n"),
            ("a.yaml", "metadata:\n  {{- include \"labels\" . }}\n"),
            ("a.yaml", "- name: '{{ x }}'\n"),
            ("a.yaml", "{% if a %}\na: {{ b }}\n"),
        ] {
            assert!(is_template(path, text), "{text}");
        }
        for text in [
            "a: b\n",
            "a: b {{ c }}\n",
            "expression: x == \"{{ y }}\"\n",
            "a: {{b: c}: d}\n",
        ] {
            assert!(!is_template("a.yaml", text), "{text}");
        }
    }

    #[test]
    fn a_kustomization_names_its_patches() {
        let text = "resources: [../base]
patches:
- path: claim.yaml
  target: {kind: ResourceClaim}
- path: ./more/class.yaml
- patch: |-
    - op: remove
      path: /spec
patchesStrategicMerge:
- old.yaml
- |
  kind: ResourceClaim
patchesJson6902:
- target: {}
  path: ../json.yaml
";
        assert_eq!(
            patches_of(text),
            [
                "claim.yaml",
                "./more/class.yaml",
                "old.yaml",
                "../json.yaml"
            ]
        );
        assert_eq!(
            joined("./overlay", "./more/class.yaml"),
            "overlay/more/class.yaml"
        );
        assert_eq!(joined("/a/b", "../json.yaml"), "/a/json.yaml");
        assert!(is_kustomization("a/kustomization.yaml") && !is_kustomization("a/b.yaml"));
        assert!(is_patch("spec:\n  requests:\n  - $patch: delete\n") && !is_patch("a: $patch\n"));
    }

    #[test]
    fn variables_have_names() {
        let whole = |text: &str| has_variable(text, Span::new(0, text.len()));
        for text in [
            "x-${ENV}",
            "${ENV:=dev}",
            "a ${A_1} b",
            "${#ENV}",
            "${ENV^^}",
            "${ENV,,}",
            "${ENV%/*}",
            "${ENV##*-}",
            "${ENV/a/b}",
        ] {
            assert!(whole(text), "{text}");
        }
        for text in ["$ENV", "${}", "${ENV", "$(ENV)", "a ${é}"] {
            assert!(!whole(text), "{text}");
        }
    }
}
