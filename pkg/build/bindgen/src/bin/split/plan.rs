//! What goes where. Parts are numbered in the order in which they are loaded; each sees itself and those before it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use walrus::ir::{self, Visitor};
use walrus::{ConstExpr, ElementItems, ElementKind, ExportItem, FunctionId, FunctionKind, GlobalId, Module, TableId};

use crate::links::{Links, Place, Refers, Target};
use crate::{Fallible, Part, functions_table, is_stack};

/// One thing that has to be somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    /// A function, by its index in the module that is split, which is the same each time that module is read.
    Function(usize),
    /// A datum, by its index in [`Links::data`].
    Datum(usize),
    /// A place in the table of functions.
    Slot(u64),
}

/// What goes where, in indices of the module that is split.
#[derive(Debug)]
pub struct Plan {
    /// The part each function is in.
    pub functions: BTreeMap<usize, usize>,
    /// The part that fills each place of the table that the module itself fills, with the function that is put there.
    pub elements: BTreeMap<u64, (usize, usize)>,
    /// Functions of later parts that the first knows, and so needs callers for.
    pub stubs: BTreeSet<usize>,
    /// Functions that other parts call, with the places in the table where they are called.
    pub slots: BTreeMap<usize, u64>,
    /// The data of later parts: their addresses, by part.
    pub data: Vec<Vec<Range<u64>>>,
    /// What each part's functions refer to.
    pub uses: Vec<Uses>,
    /// The size of the table of functions in the end.
    pub table_end: u64,
}

impl Plan {
    /// Puts everything into the first part that needs it, and what is named into the part that names it.
    pub fn of(module: &Module, links: &Links, parts: &[Part]) -> Fallible<Self> {
        let graph = Graph::of(module, links, parts)?;
        let last = parts.len();
        let level = graph.levels(last);
        // What is left only functions used that wasm-bindgen has taken away.
        let part_of = |node: Node| level.get(&node).copied().unwrap_or(last);

        let mut uses: Vec<Uses> = (0..=last).map(|_| Uses::default()).collect();
        let mut functions = BTreeMap::new();
        for (index, own) in &graph.uses {
            let part = part_of(Node::Function(*index));
            functions.insert(*index, part);
            uses[part].add(own);
        }
        // The first part has a caller for each function of a later one that it calls, exports or puts into the table.
        let mut stubs: BTreeSet<usize> = BTreeSet::new();
        let mut elements = BTreeMap::new();
        for (slot, function) in &graph.elements {
            let (filled, home) = (part_of(Node::Slot(*slot)), functions.get(function).copied().unwrap_or(0));
            if home > filled {
                stubs.insert(*function);
            }
            // What an import is, every part can be told, and the place of a function that stays is the first's to fill.
            elements.insert(*slot, (if home > filled { 0 } else { home }, *function));
        }
        let home = |index: &usize| functions.get(index).copied();
        stubs.extend(uses[0].functions.iter().chain(&graph.exported).filter(|index| home(index) > Some(0)));
        // Functions are shared by their places in the table: with 600 exports V8 took 5 ms more to start.
        let mut crossing = stubs.clone();
        for (part, uses) in uses.iter().enumerate() {
            crossing.extend(uses.functions.iter().filter(|index| home(index).is_some_and(|home| home != part)));
        }
        let table = functions_table(module)?;
        let mut table_end = module.tables.get(table).initial;
        let mut slots: BTreeMap<usize, u64> = elements
            .iter()
            .filter(|(_, (part, index))| home(index) == Some(*part))
            .map(|(slot, (_, index))| (*index, *slot))
            .collect();
        slots.retain(|index, _| crossing.contains(index));
        for index in crossing {
            slots.entry(index).or_insert_with(|| {
                table_end += 1;
                table_end - 1
            });
        }

        let mut data = vec![Vec::new(); last + 1];
        for index in 0..links.data.len() {
            data[part_of(Node::Datum(index))].push(links.data[index].range.clone());
        }
        let plan = Self { functions, elements, stubs, slots, data, uses, table_end };
        plan.prove(module, links)?;
        Ok(plan)
    }

    /// Refuses a plan by which a part could read what is not loaded yet. It looks at every relocation as the linker wrote it, and at
    /// the bytes that are left out, not at how the plan came about.
    fn prove(&self, module: &Module, links: &Links) -> Fallible<()> {
        let by_name = by_name(module, links);
        let loaded = |range: &Range<u64>| {
            let touched = self.data.iter().enumerate().filter(|(_, ranges)| overlaps(ranges, range));
            touched.map(|(part, _)| part).max().unwrap_or(0)
        };
        for (place, target) in &links.all {
            let from = match place {
                // What wasm-bindgen has taken away runs nowhere.
                Place::Function(name) => match by_name.get(name.as_str()) {
                    Some(ids) => ids.iter().map(|id| self.functions.get(&id.index()).copied().unwrap_or(0)).min().unwrap_or(0),
                    None => continue,
                },
                Place::Address(address) => loaded(&(*address..address + 4)),
            };
            let (to, what) = match target {
                Target::Bytes(range) => (loaded(range), format!("the bytes at {range:?}")),
                Target::Slot(slot) => {
                    let filled = self.elements.get(slot).map(|(part, _)| *part);
                    (filled.ok_or("a relocation to an empty place in the table")?, format!("place {slot} of the table"))
                }
            };
            if from < to {
                return Err(format!("{place:?} is in part {from} and uses {what}, which part {to} brings").into());
            }
        }
        // A function that no linker has seen, wasm-bindgen's, has no relocations: it must not name an address.
        let everything =
            self.data.iter().flatten().map(|range| range.start).min()..self.data.iter().flatten().map(|range| range.end).max();
        let (Some(start), Some(end)) = (everything.start, everything.end) else { return Ok(()) };
        for (id, body) in module.funcs.iter_local() {
            if module.funcs.get(id).name.as_ref().is_some_and(|name| links.known(name).is_some()) {
                continue;
            }
            let mut numbers = Numbers::default();
            ir::dfs_in_order(&mut numbers, body, body.entry_block());
            if let Some(number) = numbers.0.iter().find(|number| (start..end).contains(number)) {
                let name = module.funcs.get(id).name.as_deref().unwrap_or("without a name");
                return Err(format!("function {} ({name}) is not the linker's and may use address {number}", id.index()).into());
            }
        }
        Ok(())
    }
}

/// Whether a range has bytes in common with any of these, which are in order.
fn overlaps(ranges: &[Range<u64>], range: &Range<u64>) -> bool {
    let first = ranges.partition_point(|other| other.end <= range.start);
    ranges.get(first).is_some_and(|other| other.start < range.end)
}

/// Everything there is, and what refers to what.
struct Graph<'a> {
    links: &'a Links,
    uses: BTreeMap<usize, Uses>,
    /// What the linker knows of a function.
    refers: BTreeMap<usize, &'a Refers>,
    named: BTreeMap<usize, usize>,
    elements: BTreeMap<u64, usize>,
    exported: BTreeSet<usize>,
    roots: Vec<Node>,
}

impl<'a> Graph<'a> {
    fn of(module: &Module, links: &'a Links, parts: &[Part]) -> Fallible<Self> {
        let mut uses = BTreeMap::new();
        let mut refers = BTreeMap::new();
        let mut named = BTreeMap::new();
        for function in module.funcs.iter() {
            let index = function.id().index();
            let name = function.name.as_deref().unwrap_or_default();
            let FunctionKind::Local(body) = &function.kind else { continue };
            let mut own = Uses::default();
            ir::dfs_in_order(&mut own, body, body.entry_block());
            uses.insert(index, own);
            if let Some(known) = links.known(name) {
                refers.insert(index, &links.functions[known]);
            }
            let plain = rustc_demangle::demangle(name).to_string();
            if let Some(part) = parts.iter().position(|part| part.prefixes.iter().any(|prefix| plain.starts_with(prefix))) {
                named.insert(index, part + 1);
            }
        }
        for part in 1..=parts.len() {
            if !named.values().any(|named| *named == part) {
                return Err(format!("no function has a name of part {part}: was the module stripped?").into());
            }
        }
        let mut exported: BTreeSet<usize> = module
            .exports
            .iter()
            .filter_map(|export| match export.item {
                ExportItem::Function(id) => Some(id.index()),
                _ => None,
            })
            .collect();
        exported.extend(module.start.map(|id| id.index()));
        let elements = elements(module)?;
        let mut roots: Vec<Node> = exported.iter().map(|index| Node::Function(*index)).collect();
        // A place in the table that the linker did not fill with this function: who uses it cannot be seen.
        let linkers = |slot: &u64, index: &usize| {
            let name = module
                .funcs
                .iter()
                .find(|function| function.id().index() == *index)
                .and_then(|function| function.name.as_deref());
            links.slots.get(slot).is_some_and(|known| name.and_then(|name| links.known(name)) == Some(known))
        };
        roots.extend(elements.iter().filter(|(slot, index)| !linkers(slot, index)).map(|(slot, _)| Node::Slot(*slot)));
        // What nobody is seen to use stays, too, and so does what is written to.
        let seen = links.referred();
        roots.extend(elements.keys().filter(|slot| !seen.slots.contains(slot)).map(|slot| Node::Slot(*slot)));
        roots.extend(
            (0..links.data.len()).filter(|datum| !seen.data.contains(datum) || !links.data[*datum].constant).map(Node::Datum),
        );
        Ok(Self { links, uses, refers, named, elements, exported, roots })
    }

    /// The first part that needs each node.
    fn levels(&self, last: usize) -> BTreeMap<Node, usize> {
        let mut level: BTreeMap<Node, usize> = BTreeMap::new();
        for part in 0..=last {
            let mut waiting = if part == 0 { self.roots.clone() } else { self.named_in(part) };
            while let Some(node) = waiting.pop() {
                if level.contains_key(&node) || self.part_named(node).is_some_and(|named| named != part) {
                    continue;
                }
                level.insert(node, part);
                waiting.extend(self.from(node));
            }
        }
        level
    }

    fn named_in(&self, part: usize) -> Vec<Node> {
        self.named.iter().filter(|(_, named)| **named == part).map(|(index, _)| Node::Function(*index)).collect()
    }

    fn part_named(&self, node: Node) -> Option<usize> {
        match node {
            Node::Function(index) => self.named.get(&index).copied(),
            _ => None,
        }
    }

    /// What a node needs, so that it has to be loaded no later.
    fn from(&self, node: Node) -> Vec<Node> {
        let refers = match node {
            Node::Function(index) => self.refers.get(&index).copied(),
            Node::Datum(index) => self.links.data.get(index).map(|datum| &datum.refers),
            Node::Slot(slot) => return self.elements.get(&slot).map(|index| Node::Function(*index)).into_iter().collect(),
        };
        let mut found = Vec::new();
        if let Node::Function(index) = node {
            let called = self.uses.get(&index).into_iter().flat_map(|uses| &uses.functions);
            found.extend(called.map(|index| Node::Function(*index)));
        }
        if let Some(refers) = refers {
            found.extend(refers.data.iter().map(|index| Node::Datum(*index)));
            found.extend(refers.slots.iter().map(|slot| Node::Slot(*slot)));
        }
        found
    }
}

/// What functions refer to.
#[derive(Debug, Default)]
pub struct Uses {
    /// Functions that they call.
    pub functions: BTreeSet<usize>,
    /// Globals.
    pub globals: BTreeSet<usize>,
    /// Tables.
    pub tables: BTreeSet<usize>,
}

impl Uses {
    fn add(&mut self, other: &Self) {
        self.functions.extend(&other.functions);
        self.globals.extend(&other.globals);
        self.tables.extend(&other.tables);
    }
}

impl<'i> Visitor<'i> for Uses {
    fn visit_function_id(&mut self, function: &FunctionId) {
        self.functions.insert(function.index());
    }

    fn visit_table_id(&mut self, table: &TableId) {
        self.tables.insert(table.index());
    }

    fn visit_global_id(&mut self, global: &GlobalId) {
        self.globals.insert(global.index());
    }
}

/// The numbers in a function, constants and the offsets of loads and stores.
#[derive(Default)]
struct Numbers(Vec<u64>);

impl<'i> Visitor<'i> for Numbers {
    fn visit_const(&mut self, constant: &ir::Const) {
        if let ir::Value::I32(value) = constant.value {
            self.0.push(u64::from(value as u32));
        }
    }

    fn visit_load(&mut self, load: &ir::Load) {
        self.0.push(load.arg.offset);
    }

    fn visit_store(&mut self, store: &ir::Store) {
        self.0.push(store.arg.offset);
    }
}

/// The functions of each name that the linker knows.
fn by_name<'a>(module: &'a Module, links: &'a Links) -> BTreeMap<&'a str, Vec<FunctionId>> {
    let mut found: BTreeMap<&str, Vec<FunctionId>> = BTreeMap::new();
    for function in module.funcs.iter() {
        if let Some(name) = function.name.as_ref().and_then(|name| links.known(name)) {
            found.entry(name).or_default().push(function.id());
        }
    }
    found
}

/// The places of the table of functions that the module fills.
fn elements(module: &Module) -> Fallible<BTreeMap<u64, usize>> {
    let table = functions_table(module)?;
    let mut found = BTreeMap::new();
    for element in module.elements.iter() {
        let ElementKind::Active { table: filled, offset: ConstExpr::Value(ir::Value::I32(start)) } = &element.kind else {
            return Err("elements that are not put at a number".into());
        };
        if *filled != table {
            continue;
        }
        let ElementItems::Functions(functions) = &element.items else { return Err("elements of another form".into()) };
        found.extend((u64::from(*start as u32)..).zip(functions.iter().map(|id| id.index())));
    }
    Ok(found)
}

/// Whether the parts after the first use the stack, whose pointer they then share.
pub fn shares_stack(module: &Module, uses: &[Uses]) -> bool {
    module
        .globals
        .iter()
        .any(|global| is_stack(global) && uses.iter().skip(1).any(|uses| uses.globals.contains(&global.id().index())))
}
