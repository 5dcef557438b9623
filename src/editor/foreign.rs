//! Files whose names end like those of manifests and that kubectl never gets as they are: templates of charts, kustomizations and
//! their patches, files of other tools. Editors say nothing about them, and neither does the command about files that it finds in a
//! folder.

use super::context;
use super::names::key;
use super::outline::{Outline, OutlineNode, OutlineValueKind, Role};
use crate::manifest::{Input, What};
use claimkit_model::finding::{Finding, Severity};
use claimkit_model::limits::Limits;
use claimkit_model::schema::{GROUP, VERSIONS};
use claimkit_model::text::{Span, stream};
use memchr::memmem;

/// Names of the files that Kustomize builds from.
pub const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Returns true for a manifest that names something that claimkit judges: the API group, one of its kinds, or a pod's claims.
pub fn is_ours(text: &str) -> bool {
    let names_ours = ["resource.k8s.io", "resourceClaims"]
        .iter()
        .any(|word| memmem::find(text.as_bytes(), word.as_bytes()).is_some());
    (names_ours || kinds(text).any(is_our_kind)) && has_head(text)
}

/// Returns true for a text that is a manifest by its head, of whatever group.
pub fn is_manifest(text: &str) -> bool {
    let names_kind = || {
        let mut lines = text.lines();
        lines.any(|line| line.starts_with("kind:") || line.contains("\"kind\":"))
    };
    is_ours(text) || names_kind() && has_head(text)
}

/// Returns true for a manifest of ours, or of another group that kubectl refuses to read.
pub fn is_ours_or_refused(text: &str) -> bool {
    is_ours(text) || is_manifest(text) && is_refused(text)
}

/// Returns true for a text of which kubectl refuses the whole or an object.
pub fn is_refused(text: &str) -> bool {
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    let input = Input::read(text, None, &Limits::default());
    let mut items = input.items.iter();
    input.file.findings.iter().any(is_error)
        || items.any(|item| matches!(&item.what, What::Refused(finding) if is_error(finding)))
}

/// Returns true for a text with `kind: Node` or `kind: NodeList`, in YAML or JSON.
pub fn names_nodes(text: &str) -> bool {
    kinds(text).any(|kind| matches!(kind, "Node" | "NodeList"))
}

/// Returns the kinds that a text names, in YAML or JSON.
fn kinds(text: &str) -> impl Iterator<Item = &str> {
    memmem::find_iter(text.as_bytes(), "kind").filter_map(|at| {
        let (before, rest) = text.split_at_checked(at)?;
        let after_key = without_quote(rest.strip_prefix("kind")?);
        let value = after_key.trim_start().strip_prefix(':')?;
        let value = without_quote(value.trim_start());
        let name = value.split(|c| !is_word(c)).next()?;
        (!before.ends_with(is_word)).then_some(name)
    })
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns a text without the quote at its start.
pub fn without_quote(text: &str) -> &str {
    text.strip_prefix(['"', '\'']).unwrap_or(text)
}

fn is_our_kind(kind: &str) -> bool {
    let name = kind.strip_suffix("List").unwrap_or(kind);
    VERSIONS
        .iter()
        .flat_map(|version| version.kinds)
        .any(|row| row.kind == name)
}

/// Returns true if a document of a text begins as an object of Kubernetes does: with `apiVersion`, a kind of ours, or a kind beside
/// `metadata` or `spec`. Playbooks and values of charts have objects further inside, or a `kind` of their own.
pub fn has_head(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    let is_at_top = |line: &str| without_quote(line).starts_with("apiVersion");
    if text.lines().any(is_at_top) {
        return true;
    }
    // Dumps of clusters are too large for an outline.
    if start.starts_with('{') && start.contains("\"apiVersion\"") {
        return true;
    }
    let outline = Outline::read(text);
    (0..outline.documents.len().max(1)).any(|document| is_object(&outline, document))
}

fn is_object(outline: &Outline<'_>, document: usize) -> bool {
    let has = |name: &str| {
        context::children(outline, document, None).any(|(_, node)| key(outline, node) == name)
    };
    let kind = context::scalar(outline, document, None, "kind");
    has("apiVersion")
        || kind.is_some_and(is_our_kind)
        || has("kind") && (has("metadata") || has("spec"))
}

/// Returns true for a text that is written to become a manifest, such as a template of Helm or Jinja. Outside a chart's `templates/`
/// kubectl refuses it: workflows and rules of alerts have `{{ … }}` in strings that are for others.
pub fn is_template(path: &str, text: &str) -> bool {
    // No value of YAML begins with `%`.
    text.lines().any(|line| line.trim_start().starts_with("{%"))
        || text.contains("{{")
            && (path.contains("/templates/")
                || path.starts_with("templates/")
                || text
                    .match_indices("{{")
                    .any(|(at, _)| begins_value(text, at))
                    && !is_read(text))
}

/// Returns true for a text that is YAML or JSON, whatever it says.
fn is_read(text: &str) -> bool {
    let file = stream::read(text, &Limits::default());
    let mut findings = file.findings.iter();
    findings.all(|finding| finding.severity != Severity::Error)
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

/// A version by which a target of Kustomize is chosen, apart from its group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetVersion {
    /// The bytes of its value.
    pub span: Span,
    pub version: String,
}

/// Returns the versions by which a text chooses objects of ours: `version` beside the group, or beside a kind of ours and no group.
pub fn target_versions(text: &str) -> Vec<TargetVersion> {
    let outline = Outline::read(text);
    let is_ours = |node: &OutlineNode| {
        let beside = |name| context::scalar(&outline, node.document, node.parent, name);
        beside("group").map_or_else(
            || beside("kind").is_some_and(is_our_kind),
            |group| group == GROUP,
        )
    };
    let is_version = |node: &&OutlineNode| {
        node.role == Role::Key
            && node.value_kind == OutlineValueKind::Scalar
            && key(&outline, node) == "version"
            && is_ours(node)
    };
    let versions = outline.nodes.iter().filter(is_version);
    versions
        .map(|node| TargetVersion {
            span: node.value,
            version: context::unquoted(outline.slice(node.value)).to_owned(),
        })
        .collect()
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
/// envsubst/README.md), or a place that a template fills in: `{{ name }}`.
pub fn has_variable(text: &str, span: Span) -> bool {
    // A finding about braces begins behind the `$` of a variable.
    let before = text.get(..span.from()).unwrap_or_default();
    let start = before.strip_suffix('$').unwrap_or(before).len();
    let part = text.get(start..span.to()).unwrap_or_default();
    let is_filled_in = part
        .split_once("{{")
        .is_some_and(|(_, inside)| inside.contains("}}"));
    is_filled_in || has_variable_of_flux(part)
}

fn has_variable_of_flux(part: &str) -> bool {
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
            ("a.yaml", "- name: '{{ x }}'\n  {{ y }}\n"),
            ("a.yaml", "{% if a %}\na: {{ b }}\n"),
            (
                "a.yaml",
                "{% for n in names %}\nname: claim-{{ n }}\n{% endfor %}\n",
            ),
            ("a.yaml", "a:\n  {%- if b %}\n"),
        ] {
            assert!(is_template(path, text), "{text}");
        }
        for text in [
            "a: b\n",
            "a: b {{ c }}\n",
            "expression: x == \"{{ y }}\"\n",
            "args:\n- \"{{inputs.parameters.x}}\"\n",
            "a: {{b: c}: d}\n",
        ] {
            assert!(!is_template("a.yaml", text), "{text}");
        }
    }

    #[test]
    fn manifests_of_ours_are_known_by_their_head() {
        let claim = "kind: ResourceClaim\nmetadata: {name: a}\n";
        for text in [
            &format!("apiVersion: resource.k8s.io/v1\n{claim}"),
            &format!("apiVersion: resources.k8s.io/v1\n{claim}"),
            &format!("apiVersion: v1\n{claim}"),
            claim,
            "  apiVersion: resource.k8s.io/v1\n",
            "\u{feff}\"kind\": \"DeviceClassList\"\n",
            "{\"items\": [], \"kind\": \"ResourceSliceList\"}",
            "a: b\n---\napiVersion: v1\nspec: {resourceClaims: []}\n",
            "kind: Pod\nspec: {resourceClaims: []}\n",
            "// a\n{\n  \"kind\": \"ResourceClaim\"\n}",
        ] {
            assert!(is_ours(text), "{text}");
        }
        for text in [
            "- hosts: all\n  tasks:\n  - k8s:\n      definition:\n        apiVersion: resource.k8s.io/v1\n        kind: ResourceClaim\n",
            "kind: DaemonSet\nresourceClaims: []\n",
            "on: push\njobs:\n  a:\n    run: kubectl get resourceclaims.resource.k8s.io\n",
            "apiVersion: v1\nkind: Service\n",
            "apiVersion: v1\nmykind: ResourceClaim\n",
            "",
        ] {
            assert!(!is_ours(text), "{text}");
        }
    }

    #[test]
    fn manifests_of_other_groups_are_known_where_kubectl_refuses_them() {
        let service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n";
        for text in [
            &format!("{service}spec: [\n"),
            &service.replace("apiVersion: v1\n", ""),
            "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": ]}",
        ] {
            assert!(is_ours_or_refused(text) && !is_ours(text), "{text}");
        }
        for text in [
            service,
            "services: [\n",
            "on: push\njobs: [\n",
            "- kind: Service\n  spec: [\n",
        ] {
            assert!(!is_ours_or_refused(text), "{text}");
        }
    }

    #[test]
    fn nodes_are_of_interest() {
        for text in [
            "kind: Node\n",
            "{\"kind\": \"NodeList\"}",
            "'kind' :\n  'Node'",
            "a: 1\nkind:Node",
        ] {
            assert!(names_nodes(text), "{text}");
        }
        for text in [
            "kind: NodePool\n",
            "mankind: Node",
            "kind Node",
            "kind: NodeLists",
        ] {
            assert!(!names_nodes(text), "{text}");
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
            "claim-{{ n }}",
        ] {
            assert!(whole(text), "{text}");
        }
        for text in [
            "$ENV", "${}", "${ENV", "$(ENV)", "a ${é}", "a {{ b", "}} {{",
        ] {
            assert!(!whole(text), "{text}");
        }
    }
}
