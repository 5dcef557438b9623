//! The objects of a text with their parts, and the names that they define and use, for outlines, definitions and renaming.
//!
//! Read from the tolerant [`Outline`], so that both stay while somebody types.

use super::context::unquoted;
use super::outline::{Outline, OutlineNode, OutlineValueKind, Role};
use claimkit_model::schema::{GROUP, workload};
use claimkit_model::text::Span;
use serde::Serialize;

/// The kind of a part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum SymbolKind {
    /// An object of `resource.k8s.io`, or one with pods that use claims.
    Object,
    /// A request of a claim.
    Request,
    /// An alternative of a request.
    Alternative,
    Selector,
    /// A constraint of a claim.
    Constraint,
    /// A device of a slice.
    Device,
    /// A counter set of a slice.
    CounterSet,
    /// An entry of `resourceClaims` of a pod.
    PodClaim,
}

/// A part of a text.
#[derive(Clone, Debug)]
pub struct Symbol {
    pub kind: SymbolKind,
    /// Its name; empty if it has none.
    pub name: String,
    /// The kind of an object, the class of a request, the expression of a selector; empty for others.
    pub detail: String,
    pub span: Span,
    /// Its name, or its first key.
    pub name_span: Span,
    pub children: Vec<Symbol>,
}

/// The kind of object that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum NameKind {
    DeviceClass,
    ResourceClass,
    ResourceClaim,
    ResourceClaimTemplate,
    /// A request; its owner is `<kind>/<name>` of the claim or template.
    Request,
    /// An alternative; its owner is `<kind>/<name>/<request>`.
    Alternative,
    /// An entry of `resourceClaims`; its owner is `<kind>/<name>` of the object that has the pod.
    PodClaim,
    Driver,
    /// A pool; its owner is the driver.
    Pool,
    /// A device; its owner is `<driver>/<pool>`.
    Device,
    /// A counter set; its owner is `<driver>/<pool>`.
    CounterSet,
}

/// A place where a name is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The kind of object that it stands for.
    pub kind: NameKind,
    pub name: String,
    /// The namespace of the object that it belongs to; empty for names of the whole cluster.
    pub namespace: String,
    /// The owner of the name; empty for objects and drivers.
    pub owner: String,
    /// True where the named thing is, false where it is used.
    pub definition: bool,
    /// The name without quotes.
    pub span: Span,
}

/// The parts and names of a text.
#[derive(Debug, Default)]
pub struct Symbols {
    /// The objects in the order of the text.
    pub symbols: Vec<Symbol>,
    pub names: Vec<Name>,
}

/// Reads a text. `namespace`: the namespace of objects that name none.
pub fn read(outline: &Outline<'_>, namespace: &str) -> Symbols {
    let mut walk = Walk::of(outline, namespace);
    let mut roots: Vec<Vec<usize>> = Vec::new();
    for (at, node) in outline
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.parent.is_none())
    {
        if roots.len() <= node.document {
            roots.resize_with(node.document.saturating_add(1), Vec::new);
        }
        if let Some(root) = roots.get_mut(node.document) {
            root.push(at);
        }
    }
    for root in roots.iter().filter(|root| !root.is_empty()) {
        walk.document(root);
    }
    walk.found
}

/// A scalar of the text.
type Scalar<'t> = (&'t str, Span);

fn text_of(scalar: Option<Scalar<'_>>) -> &str {
    scalar.map_or("", |(text, _)| text)
}

/// An object that is being read.
#[derive(Clone)]
struct Owner {
    kind: String,
    name: String,
    namespace: String,
}

/// Where a name is unique.
#[derive(Clone, Copy)]
struct Scope<'a> {
    /// What the name is a part of, as `kind/name`, `driver` or `driver/pool`; empty for objects and drivers.
    owner: &'a str,
    /// Empty if it has none.
    namespace: &'a str,
}

impl<'a> Scope<'a> {
    const CLUSTER: Scope<'static> = Scope {
        owner: "",
        namespace: "",
    };

    fn of_namespace(namespace: &'a str) -> Self {
        Scope {
            owner: "",
            namespace,
        }
    }

    /// Returns the scope of parts of something without a namespace.
    fn owned_by(owner: &'a str) -> Self {
        Scope {
            owner,
            namespace: "",
        }
    }
}

/// Makes the use of a name.
fn use_of(kind: NameKind, scope: Scope<'_>, (name, span): Scalar<'_>) -> Name {
    Name {
        kind,
        name: name.to_owned(),
        namespace: scope.namespace.to_owned(),
        owner: scope.owner.to_owned(),
        definition: false,
        span,
    }
}

struct Walk<'o, 't> {
    outline: &'o Outline<'t>,
    /// The nodes in each node.
    children: Vec<Vec<usize>>,
    /// The end of each node, contents included.
    ends: Vec<usize>,
    namespace: &'o str,
    found: Symbols,
}

impl<'o, 't> Walk<'o, 't> {
    fn of(outline: &'o Outline<'t>, namespace: &'o str) -> Self {
        let mut children = vec![Vec::new(); outline.nodes.len()];
        let mut ends: Vec<usize> = outline
            .nodes
            .iter()
            .map(|node| node.value.to().max(node.key.to()))
            .collect();
        for (at, node) in outline.nodes.iter().enumerate() {
            if let Some(list) = node.parent.and_then(|parent| children.get_mut(parent)) {
                list.push(at);
            }
        }
        for (at, node) in outline.nodes.iter().enumerate().rev() {
            let end = ends.get(at).copied().unwrap_or_default();
            if let Some(over) = node.parent.and_then(|parent| ends.get_mut(parent)) {
                *over = end.max(*over);
            }
        }
        Walk {
            outline,
            children,
            ends,
            namespace,
            found: Symbols::default(),
        }
    }

    fn node(&self, at: usize) -> Option<&'o OutlineNode> {
        self.outline.nodes.get(at)
    }

    fn inside(&self, at: usize) -> &[usize] {
        self.children.get(at).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the last of these keys with a name, which is the one that counts.
    fn among(&self, keys: &[usize], name: &str) -> Option<usize> {
        keys.iter().copied().rfind(|at| {
            self.node(*at)
                .is_some_and(|node| node.role == Role::Key && self.outline.slice(node.name) == name)
        })
    }

    fn text_among(&self, keys: &[usize], name: &str) -> Option<&'t str> {
        self.scalar(self.among(keys, name)).map(|(text, _)| text)
    }

    fn get(&self, map: usize, name: &str) -> Option<usize> {
        self.among(self.inside(map), name)
    }

    fn path(&self, map: usize, names: &[&str]) -> Option<usize> {
        names.iter().try_fold(map, |at, name| self.get(at, name))
    }

    fn items(&self, list: Option<usize>) -> Vec<usize> {
        let inside = list.map(|list| self.inside(list)).unwrap_or_default();
        inside
            .iter()
            .copied()
            .filter(|at| self.node(*at).is_some_and(|node| node.role == Role::Item))
            .collect()
    }

    /// Returns the scalar of a key or item, if it is written without escapes: names have nothing to escape.
    fn scalar(&self, at: Option<usize>) -> Option<Scalar<'t>> {
        let node = self
            .node(at?)
            .filter(|node| node.value_kind == OutlineValueKind::Scalar)?;
        let raw = self.outline.slice(node.value);
        let text = unquoted(raw);
        let quoted = usize::from(raw.starts_with(['"', '\'']));
        let from = node.value.from().saturating_add(quoted);
        (!text.is_empty() && !text.contains(['\\', '\'', '"', '\n']))
            .then(|| (text, Span::new(from, from.saturating_add(text.len()))))
    }

    fn text(&self, map: usize, name: &str) -> Option<Scalar<'t>> {
        self.scalar(self.get(map, name))
    }

    /// Returns the span of a node with all that it holds.
    fn span(&self, at: usize) -> Span {
        let from = self.node(at).map_or(0, |node| node.key.from());
        Span::new(from, self.ends.get(at).copied().unwrap_or(from).max(from))
    }

    fn used(&mut self, kind: NameKind, scope: Scope<'_>, name: Option<Scalar<'t>>) {
        if let Some(name) = name {
            self.found.names.push(use_of(kind, scope, name));
        }
    }

    fn defined(&mut self, kind: NameKind, scope: Scope<'_>, name: Option<Scalar<'t>>) {
        if let Some(name) = name {
            self.found.names.push(Name {
                definition: true,
                ..use_of(kind, scope, name)
            });
        }
    }

    fn symbol(
        &self,
        kind: SymbolKind,
        at: usize,
        name: Option<Scalar<'t>>,
        detail: &str,
        children: Vec<Symbol>,
    ) -> Symbol {
        let span = self.span(at);
        let first = self
            .inside(at)
            .first()
            .and_then(|first| self.node(*first))
            .map_or(Span::at(span.from()), |node| node.key);
        let name_span = name.map_or(first, |(_, span)| span);
        let name = name.map_or("", |(name, _)| name).to_owned();
        Symbol {
            kind,
            name,
            detail: detail.to_owned(),
            span: span.join(name_span),
            name_span,
            children,
        }
    }

    /// Reads a document: one object, or the objects of a List.
    fn document(&mut self, roots: &[usize]) {
        let api_version = self.text_among(roots, "apiVersion").unwrap_or_default();
        let kind = self.text_among(roots, "kind").unwrap_or_default();
        let items = self
            .among(roots, "items")
            .filter(|_| kind.ends_with("List"));
        if items.is_none() {
            return self.object(roots, api_version, kind, None);
        }
        let of_kind = kind.trim_end_matches("List");
        for item in self.items(items) {
            let keys = self.inside(item).to_vec();
            let item_version = self.text_among(&keys, "apiVersion").unwrap_or(api_version);
            let item_kind = self.text_among(&keys, "kind").unwrap_or(of_kind);
            self.object(&keys, item_version, item_kind, Some(item));
        }
    }

    fn object(&mut self, keys: &[usize], api_version: &'t str, kind: &'t str, item: Option<usize>) {
        let metadata = self.among(keys, "metadata");
        let name = metadata.and_then(|metadata| self.text(metadata, "name"));
        let shown = metadata
            .and_then(|metadata| self.text(metadata, "generateName"))
            .filter(|_| name.is_none())
            .or(name);
        let namespace = metadata
            .and_then(|metadata| self.text(metadata, "namespace"))
            .map_or(self.namespace, |(text, _)| text)
            .to_owned();
        let owner = Owner {
            kind: kind.to_owned(),
            name: shown.map_or("", |(name, _)| name).to_owned(),
            namespace,
        };
        let children = if api_version.split('/').next() == Some(GROUP) {
            self.ours(keys, &owner, name)
        } else {
            let Some(path) = workload::path_to_spec(api_version, kind) else {
                return;
            };
            let spec = path
                .split_first()
                .and_then(|(first, rest)| self.path(self.among(keys, first)?, rest));
            match spec.and_then(|spec| Some((spec, self.get(spec, "resourceClaims")?))) {
                Some((spec, entries)) => self.pod(spec, entries, &owner),
                None => return,
            }
        };
        let Some(&first) = keys.first() else { return };
        let mut symbol = self.symbol(SymbolKind::Object, first, shown, kind, children);
        let whole = item
            .into_iter()
            .chain(keys.iter().copied())
            .map(|at| self.span(at))
            .fold(symbol.span, Span::join);
        symbol.span = whole;
        self.found.symbols.push(symbol);
    }

    /// Reads an object of `resource.k8s.io`.
    fn ours(&mut self, keys: &[usize], owner: &Owner, name: Option<Scalar<'t>>) -> Vec<Symbol> {
        let spec = self.among(keys, "spec");
        match owner.kind.as_str() {
            "DeviceClass" => {
                self.defined(NameKind::DeviceClass, Scope::CLUSTER, name);
                let Some(spec) = spec else { return Vec::new() };
                self.config(spec, None);
                self.selectors(spec)
            }
            "ResourceClass" => {
                self.defined(NameKind::ResourceClass, Scope::CLUSTER, name);
                let driver = self.scalar(self.among(keys, "driverName"));
                self.used(NameKind::Driver, Scope::CLUSTER, driver);
                Vec::new()
            }
            "ResourceClaim" => {
                self.defined(
                    NameKind::ResourceClaim,
                    Scope::of_namespace(&owner.namespace),
                    name,
                );
                let children = spec.map(|spec| self.claim(spec, owner)).unwrap_or_default();
                if let Some(status) = self.among(keys, "status") {
                    self.status(status, owner);
                }
                children
            }
            "ResourceClaimTemplate" => {
                self.defined(
                    NameKind::ResourceClaimTemplate,
                    Scope::of_namespace(&owner.namespace),
                    name,
                );
                spec.and_then(|spec| self.get(spec, "spec"))
                    .map(|spec| self.claim(spec, owner))
                    .unwrap_or_default()
            }
            "ResourceSlice" => spec.map(|spec| self.slice(spec)).unwrap_or_default(),
            "DeviceTaintRule" => {
                if let Some(selector) = spec.and_then(|spec| self.get(spec, "deviceSelector")) {
                    let class = self.text(selector, "deviceClassName");
                    self.used(NameKind::DeviceClass, Scope::CLUSTER, class);
                    self.device(selector);
                }
                Vec::new()
            }
            "ResourcePoolStatusRequest" => {
                if let Some(spec) = spec {
                    let (driver, pool) = (self.text(spec, "driver"), self.text(spec, "poolName"));
                    self.used(NameKind::Driver, Scope::CLUSTER, driver);
                    self.used(NameKind::Pool, Scope::owned_by(text_of(driver)), pool);
                }
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Reads the spec of a claim.
    fn claim(&mut self, spec: usize, owner: &Owner) -> Vec<Symbol> {
        let class = self.text(spec, "resourceClassName");
        self.used(NameKind::ResourceClass, Scope::CLUSTER, class);
        let Some(devices) = self.get(spec, "devices") else {
            return Vec::new();
        };
        let claim = format!("{}/{}", owner.kind, owner.name);
        let scope = Scope {
            owner: &claim,
            namespace: &owner.namespace,
        };
        let mut symbols = Vec::new();
        for item in self.items(self.get(devices, "requests")) {
            let name = self.text(item, "name");
            self.defined(NameKind::Request, scope, name);
            let body = self.get(item, "exactly").unwrap_or(item);
            let (class, mut parts) = self.asks(body);
            let request = format!("{claim}/{}", text_of(name));
            let scope_of_request = Scope {
                owner: &request,
                namespace: &owner.namespace,
            };
            for alternative in self.items(self.get(item, "firstAvailable")) {
                let alternative_name = self.text(alternative, "name");
                self.defined(NameKind::Alternative, scope_of_request, alternative_name);
                let (class, children) = self.asks(alternative);
                parts.push(self.symbol(
                    SymbolKind::Alternative,
                    alternative,
                    alternative_name,
                    class,
                    children,
                ));
            }
            symbols.push(self.symbol(SymbolKind::Request, item, name, class, parts));
        }
        for item in self.items(self.get(devices, "constraints")) {
            self.requests(self.get(item, "requests"), scope);
            let attribute = self
                .text(item, "matchAttribute")
                .or_else(|| self.text(item, "distinctAttribute"));
            symbols.push(self.symbol(
                SymbolKind::Constraint,
                item,
                None,
                attribute.map_or("", |(name, _)| name),
                Vec::new(),
            ));
        }
        self.config(devices, Some(scope));
        symbols
    }

    /// Reads what a request or alternative asks for; returns its class and its selectors.
    fn asks(&mut self, body: usize) -> (&'t str, Vec<Symbol>) {
        let class = self.text(body, "deviceClassName");
        self.used(NameKind::DeviceClass, Scope::CLUSTER, class);
        (class.map_or("", |(class, _)| class), self.selectors(body))
    }

    fn selectors(&self, holder: usize) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        for item in self.items(self.get(holder, "selectors")) {
            let Some(expression) = self.path(item, &["cel", "expression"]) else {
                continue;
            };
            let Some(node) = self.node(expression) else {
                continue;
            };
            let lines = self
                .outline
                .slice(node.value)
                .trim_start_matches(['|', '>', '-', '+']);
            let first = lines
                .lines()
                .map(str::trim)
                .find(|line| !line.is_empty())
                .unwrap_or_default();
            symbols.push(self.symbol(
                SymbolKind::Selector,
                item,
                None,
                unquoted(first),
                Vec::new(),
            ));
        }
        symbols
    }

    /// Reads `config`: drivers, and the requests of a claim in its scope.
    fn config(&mut self, holder: usize, claim: Option<Scope<'_>>) {
        for item in self.items(self.get(holder, "config")) {
            let driver = self.scalar(self.path(item, &["opaque", "driver"]));
            self.used(NameKind::Driver, Scope::CLUSTER, driver);
            if let Some(scope) = claim {
                self.requests(self.get(item, "requests"), scope);
            }
        }
    }

    fn requests(&mut self, list: Option<usize>, scope: Scope<'_>) {
        for item in self.items(list) {
            let name = self.scalar(Some(item));
            self.request(name, scope);
        }
    }

    /// Records the use of a request, or of a request and its alternative: `<request>/<alternative>`.
    fn request(&mut self, name: Option<Scalar<'t>>, scope: Scope<'_>) {
        let Some((text, span)) = name else { return };
        let (request, alternative) = text.split_once('/').unwrap_or((text, ""));
        let end = span.from().saturating_add(request.len());
        let request_span = Span::new(span.from(), end);
        self.used(NameKind::Request, scope, Some((request, request_span)));
        if !alternative.is_empty() {
            let owner = format!("{}/{request}", scope.owner);
            let scope_of_request = Scope {
                owner: &owner,
                ..scope
            };
            let alternative_span = Span::new(end.saturating_add(1), span.to());
            let alternative = Some((alternative, alternative_span));
            self.used(NameKind::Alternative, scope_of_request, alternative);
        }
    }

    /// Reads the status of a claim.
    fn status(&mut self, status: usize, owner: &Owner) {
        let claim = format!("{}/{}", owner.kind, owner.name);
        let scope = Scope {
            owner: &claim,
            namespace: &owner.namespace,
        };
        let results = self.path(status, &["allocation", "devices", "results"]);
        for item in self.items(results) {
            let request = self.text(item, "request");
            self.request(request, scope);
            self.device(item);
        }
        for item in self.items(self.get(status, "devices")) {
            self.device(item);
        }
    }

    /// Reads `driver`, `pool` and `device`.
    fn device(&mut self, map: usize) {
        let [driver, pool, device] = ["driver", "pool", "device"].map(|name| self.text(map, name));
        self.used(NameKind::Driver, Scope::CLUSTER, driver);
        self.used(NameKind::Pool, Scope::owned_by(text_of(driver)), pool);
        self.used(
            NameKind::Device,
            Scope::owned_by(&format!("{}/{}", text_of(driver), text_of(pool))),
            device,
        );
    }

    /// Reads the spec of a slice.
    fn slice(&mut self, spec: usize) -> Vec<Symbol> {
        let (driver, pool) = (
            self.text(spec, "driver"),
            self.scalar(self.path(spec, &["pool", "name"])),
        );
        self.defined(NameKind::Driver, Scope::CLUSTER, driver);
        self.defined(NameKind::Pool, Scope::owned_by(text_of(driver)), pool);
        let full_pool = format!("{}/{}", text_of(driver), text_of(pool));
        let scope = Scope::owned_by(&full_pool);
        let mut symbols = Vec::new();
        for item in self.items(self.get(spec, "sharedCounters")) {
            let name = self.text(item, "name");
            self.defined(NameKind::CounterSet, scope, name);
            symbols.push(self.symbol(SymbolKind::CounterSet, item, name, "", Vec::new()));
        }
        for item in self.items(self.get(spec, "devices")) {
            let name = self.text(item, "name");
            self.defined(NameKind::Device, scope, name);
            let body = self.get(item, "basic").unwrap_or(item);
            for consumed in self.items(self.get(body, "consumesCounters")) {
                let set = self.text(consumed, "counterSet");
                self.used(NameKind::CounterSet, scope, set);
            }
            symbols.push(self.symbol(SymbolKind::Device, item, name, "", Vec::new()));
        }
        symbols
    }

    /// Reads the spec of a pod with claims.
    fn pod(&mut self, spec: usize, list: usize, owner: &Owner) -> Vec<Symbol> {
        let pod = format!("{}/{}", owner.kind, owner.name);
        let scope = Scope {
            owner: &pod,
            namespace: &owner.namespace,
        };
        let mut symbols = Vec::new();
        let mut entries: Vec<(&str, String)> = Vec::new();
        for item in self.items(Some(list)) {
            let name = self.text(item, "name");
            self.defined(NameKind::PodClaim, scope, name);
            let holder = self.get(item, "source").unwrap_or(item);
            let claim = self.text(holder, "resourceClaimName");
            let template = self.text(holder, "resourceClaimTemplateName");
            self.used(
                NameKind::ResourceClaim,
                Scope::of_namespace(&owner.namespace),
                claim,
            );
            self.used(
                NameKind::ResourceClaimTemplate,
                Scope::of_namespace(&owner.namespace),
                template,
            );
            let target = match (claim, template) {
                (Some((name, _)), _) => format!("ResourceClaim/{name}"),
                (None, Some((name, _))) => format!("ResourceClaimTemplate/{name}"),
                (None, None) => String::new(),
            };
            if let Some((name, _)) = name {
                entries.push((name, target.clone()));
            }
            symbols.push(self.symbol(SymbolKind::PodClaim, item, name, &target, Vec::new()));
        }
        for containers in ["initContainers", "containers"] {
            for container in self.items(self.get(spec, containers)) {
                for item in self.items(self.path(container, &["resources", "claims"])) {
                    let (name, request) = (self.text(item, "name"), self.text(item, "request"));
                    self.used(NameKind::PodClaim, scope, name);
                    let target =
                        name.and_then(|(name, _)| entries.iter().find(|(entry, _)| *entry == name));
                    if let Some((_, target)) = target.filter(|(_, target)| !target.is_empty()) {
                        let scope_of_claim = Scope {
                            owner: target,
                            namespace: &owner.namespace,
                        };
                        self.request(request, scope_of_claim);
                    }
                }
            }
        }
        symbols
    }
}
