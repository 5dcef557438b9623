//! `split MODULE.wasm FIRST.wasm MORE.wasm PREFIX…`: one module becomes two that share memory, table and stack.
//!
//! Functions whose names begin with one of the prefixes, and those that only they call, move to `MORE.wasm`. In
//! `FIRST.wasm` a short function stands for each that is called from there: it calls through the table, and if the table
//! has nothing at that place yet, it calls the import `load` of `./more.js` first, which has to start `MORE.wasm` with the
//! exports of `FIRST.wasm` as its only imports, under `first`. Which functions are named decides sizes alone, never what is
//! computed. The stack pointer is exported as `stack`, for a host that lets `load` throw.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::process::ExitCode;

use walrus::ir::{self, Value, Visitor};
use walrus::{
    ConstExpr, ElementItems, ElementKind, ExportItem, FunctionBuilder, FunctionId, FunctionKind, Global, GlobalId, GlobalKind,
    ImportKind, ImportedFunction, Module, TableId,
};

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// The module name under which `MORE.wasm` imports everything.
const FIRST: &str = "first";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, first, more, prefixes @ ..] = arguments.as_slice() else {
        eprintln!("usage: split MODULE.wasm FIRST.wasm MORE.wasm PREFIX…");
        return ExitCode::from(2);
    };
    match split(module, first, more, prefixes) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("split: {error}");
            ExitCode::FAILURE
        }
    }
}

fn split(module: &str, first: &str, more: &str, prefixes: &[String]) -> Fallible<()> {
    let bytes = std::fs::read(module)?;
    let mut one = Module::from_buffer(&bytes)?;
    let plan = Plan::of(&one, prefixes)?;
    plan.first(&mut one)?;
    std::fs::write(first, one.emit_wasm())?;
    let mut two = Module::from_buffer(&bytes)?;
    plan.more(&mut two)?;
    std::fs::write(more, two.emit_wasm())?;
    Ok(())
}

/// What goes where, in indices of the module that is split, which are the same each time it is read.
struct Plan {
    /// Moved functions that the first module has to reach, with their places in the table.
    slots: BTreeMap<usize, u64>,
    /// Functions of the first module that moved ones call.
    lent: BTreeSet<usize>,
    /// Globals that moved functions use.
    globals: BTreeSet<usize>,
    /// Tables that moved functions use, that of functions among them.
    tables: BTreeSet<usize>,
    /// The size of the table of functions in the end.
    table_end: u64,
}

impl Plan {
    fn of(module: &Module, prefixes: &[String]) -> Fallible<Self> {
        let table = functions_table(module)?;
        let uses: BTreeMap<usize, Uses> = module
            .funcs
            .iter_local()
            .map(|(id, body)| {
                let mut uses = Uses::default();
                ir::dfs_in_order(&mut uses, body, body.entry_block());
                (id.index(), uses)
            })
            .collect();
        let named: BTreeSet<usize> = module
            .funcs
            .iter_local()
            .map(|(id, _)| id)
            .filter(|id| {
                let name = module.funcs.get(*id).name.as_deref().unwrap_or_default();
                prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()))
            })
            .map(|id| id.index())
            .collect();
        if named.is_empty() {
            return Err("no function has such a name: was the module stripped?".into());
        }
        // Whatever the host or the table reaches without a named function stays.
        let mut roots: Vec<usize> = module
            .exports
            .iter()
            .filter_map(|export| match export.item {
                ExportItem::Function(id) => Some(id.index()),
                _ => None,
            })
            .collect();
        roots.extend(module.start.map(|id| id.index()));
        let tabled: BTreeSet<usize> = tabled(module).map(|id| id.index()).collect();
        roots.extend(&tabled);
        let mut stays = BTreeSet::new();
        let mut waiting: Vec<usize> = roots.iter().copied().filter(|index| !named.contains(index)).collect();
        while let Some(index) = waiting.pop() {
            if stays.insert(index) {
                waiting
                    .extend(uses.get(&index).into_iter().flat_map(|uses| &uses.functions).filter(|index| !named.contains(index)));
            }
        }
        let moved: BTreeSet<usize> = uses.keys().copied().filter(|index| !stays.contains(index)).collect();
        let size = module.tables.get(table).initial;
        let wanted = roots.iter().chain(stays.iter().filter_map(|index| uses.get(index)).flat_map(|uses| &uses.functions));
        let wanted: BTreeSet<usize> = wanted.copied().filter(|index| moved.contains(index)).collect();
        let slots: BTreeMap<usize, u64> = wanted.into_iter().zip(size..).collect();
        let theirs = || uses.iter().filter(|(index, _)| moved.contains(index)).map(|(_, uses)| uses);
        let lent = theirs().flat_map(|uses| &uses.functions).copied().filter(|index| !moved.contains(index)).collect();
        let globals: BTreeSet<usize> = theirs().flat_map(|uses| &uses.globals).copied().collect();
        if !module.globals.iter().any(|global| is_stack(global) && globals.contains(&global.id().index())) {
            return Err("no function that moves uses the stack: is its global named otherwise?".into());
        }
        let tables = theirs().flat_map(|uses| &uses.tables).copied().chain([table.index()]).collect();
        let table_end = size + slots.len() as u64;
        Ok(Self { slots, lent, globals, tables, table_end })
    }

    fn tables(&self, module: &Module) -> Vec<TableId> {
        module.tables.iter().map(|table| table.id()).filter(|id| self.tables.contains(&id.index())).collect()
    }

    /// The globals that moved functions use, with the names they go by between the modules.
    fn globals(&self, module: &Module) -> Vec<(GlobalId, String)> {
        let used = module.globals.iter().filter(|global| self.globals.contains(&global.id().index()));
        used.map(|global| (global.id(), if is_stack(global) { "stack".to_owned() } else { format!("g{}", global.id().index()) }))
            .collect()
    }

    /// Puts a caller through the table in the place of each function that has moved.
    fn first(&self, module: &mut Module) -> Fallible<()> {
        let table = functions_table(module)?;
        let functions = by_index(module);
        module.tables.get_mut(table).initial = self.table_end;
        module.tables.get_mut(table).maximum = Some(self.table_end);
        let load = module.types.add(&[], &[]);
        let (load, _) = module.add_import_func("./more.js", "load", load);
        for (index, slot) in &self.slots {
            let id = functions[index];
            let ty = module.funcs.get(id).ty();
            let (parameters, results) = (module.types.get(ty).params().to_vec(), module.types.get(ty).results().to_vec());
            let slot = i32::try_from(*slot)?;
            let locals: Vec<_> = parameters.iter().map(|ty| module.locals.add(*ty)).collect();
            let mut builder = FunctionBuilder::new(&mut module.types, &parameters, &results);
            let mut body = builder.func_body();
            body.i32_const(slot).table_get(table).ref_is_null().if_else(
                None,
                |then| {
                    then.call(load);
                },
                |_| {},
            );
            for local in &locals {
                body.local_get(*local);
            }
            body.i32_const(slot).call_indirect(ty, table);
            let body = builder.local_func(locals);
            module.funcs.get_mut(id).kind = FunctionKind::Local(body);
        }
        for index in &self.lent {
            module.exports.add(&format!("f{index}"), functions[index]);
        }
        for (id, name) in self.globals(module) {
            module.exports.add(&name, id);
        }
        for id in self.tables(module) {
            module.exports.add(&format!("t{}", id.index()), id);
        }
        walrus::passes::gc::run(module);
        Ok(())
    }

    /// Leaves the functions that have moved; everything else comes from the first module.
    fn more(&self, module: &mut Module) -> Fallible<()> {
        let table = functions_table(module)?;
        let functions = by_index(module);
        let exports: Vec<_> = module.exports.iter().map(|export| export.id()).collect();
        let memory_name =
            module.exports.iter().find(|export| matches!(export.item, ExportItem::Memory(_))).map(|export| export.name.clone());
        exports.into_iter().for_each(|id| module.exports.delete(id));
        module.start = None;
        let elements: Vec<_> = module.elements.iter().map(|element| element.id()).collect();
        elements.into_iter().for_each(|id| module.elements.delete(id));
        module.tables.iter_mut().for_each(|table| table.elem_segments.clear());
        let data: Vec<_> = module.data.iter().map(|data| data.id()).collect();
        data.into_iter().for_each(|id| module.data.delete(id));
        module.memories.iter_mut().for_each(|memory| memory.data_segments.clear());

        for index in &self.lent {
            let id = functions[index];
            let ty = module.funcs.get(id).ty();
            let import = module.imports.add(FIRST, &format!("f{index}"), ImportKind::Function(id));
            module.funcs.get_mut(id).kind = FunctionKind::Import(ImportedFunction { import, ty });
        }
        for (id, name) in self.globals(module) {
            let import = module.imports.add(FIRST, &name, ImportKind::Global(id));
            module.globals.get_mut(id).kind = GlobalKind::Import(import);
        }
        let memory = module.memories.iter().next().map(|memory| memory.id()).ok_or("no memory")?;
        let import = module.imports.add(FIRST, &memory_name.ok_or("the memory is not exported")?, ImportKind::Memory(memory));
        module.memories.get_mut(memory).import = Some(import);
        for id in self.tables(module) {
            let import = module.imports.add(FIRST, &format!("t{}", id.index()), ImportKind::Table(id));
            module.tables.get_mut(id).import = Some(import);
        }
        let ours = module.tables.get_mut(table);
        (ours.initial, ours.maximum) = (self.table_end, Some(self.table_end));

        let start = self.slots.values().next().copied().unwrap_or(self.table_end);
        let offset = ConstExpr::Value(Value::I32(i32::try_from(start)?));
        let items = self.slots.keys().map(|index| functions[index]).collect();
        let element = module.elements.add(ElementKind::Active { table, offset }, ElementItems::Functions(items));
        module.tables.get_mut(table).elem_segments.insert(element);
        // Nothing refers to what has stayed behind; what is unreachable goes.
        walrus::passes::gc::run(module);
        Ok(())
    }
}

/// What a function refers to.
#[derive(Default)]
struct Uses {
    functions: BTreeSet<usize>,
    globals: BTreeSet<usize>,
    tables: BTreeSet<usize>,
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

fn by_index(module: &Module) -> BTreeMap<usize, FunctionId> {
    module.funcs.iter().map(|function| (function.id().index(), function.id())).collect()
}

/// rustc's stack pointer, by the name its linker gives it.
fn is_stack(global: &Global) -> bool {
    global.name.as_deref() == Some("__stack_pointer")
}

fn functions_table(module: &Module) -> Fallible<TableId> {
    module.tables.main_function_table()?.ok_or_else(|| "no table of functions".into())
}

/// Functions that are in the table from the start.
fn tabled(module: &Module) -> impl Iterator<Item = FunctionId> + '_ {
    module.elements.iter().flat_map(|element| match &element.items {
        ElementItems::Functions(functions) => functions.clone(),
        ElementItems::Expressions(_, expressions) => expressions
            .iter()
            .filter_map(|expression| match expression {
                ConstExpr::RefFunc(id) => Some(*id),
                _ => None,
            })
            .collect(),
    })
}
