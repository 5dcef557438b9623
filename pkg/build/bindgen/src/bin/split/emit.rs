//! Writes the parts as [`Plan`] says.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use walrus::ir::Value;
use walrus::{
    ConstExpr, DataKind, ElementItems, ElementKind, FunctionBuilder, FunctionId, FunctionKind, GlobalId, GlobalKind, ImportKind,
    Module, TableId,
};

use crate::plan::{Plan, shares_stack};
use crate::{Fallible, Part, functions_table, is_stack};

/// The module name under which the first part's things are imported.
const FIRST: &str = "first";

/// Bytes without a meaning that may lie between two data of one part before they are two segments.
const GAP: u64 = 8;

/// The first part: a caller through the table in the place of each function that has moved.
pub fn first(plan: &Plan, parts: &[Part], module: &mut Module) -> Fallible<()> {
    if !shares_stack(module, &plan.uses) {
        return Err("no function that moves uses the stack: is its global named otherwise?".into());
    }
    strip(module);
    let table = functions_table(module)?;
    let functions = by_index(module);
    module.tables.get_mut(table).initial = plan.table_end;
    module.tables.get_mut(table).maximum = Some(plan.table_end);
    call_through_table(plan, parts, 0, &plan.stubs, module, &functions)?;
    fill(plan, 0, module, &functions)?;
    let later: Vec<&Range<u64>> = plan.data.iter().skip(1).flatten().collect();
    let segments: Vec<_> = module.data.iter().map(|data| data.id()).collect();
    for id in segments {
        let segment = module.data.get_mut(id);
        let start = address(&segment.kind)?;
        for range in &later {
            for at in range.start.max(start)..range.end.min(start + segment.value.len() as u64) {
                segment.value[(at - start) as usize] = 0;
            }
        }
    }
    let shared: BTreeSet<usize> = plan.uses.iter().skip(1).flat_map(|uses| &uses.globals).copied().collect();
    for (id, name) in globals(module, &shared) {
        module.exports.add(&name, id);
    }
    let shared = plan.uses.iter().skip(1).flat_map(|uses| &uses.tables).copied().chain([table.index()]).collect();
    for id in tables(module, &shared) {
        module.exports.add(&format!("t{}", id.index()), id);
    }
    walrus::passes::gc::run(module);
    Ok(())
}

/// A later part; what it does not have comes from earlier ones.
pub fn part(plan: &Plan, parts: &[Part], own: usize, module: &mut Module) -> Fallible<()> {
    strip(module);
    let table = functions_table(module)?;
    let functions = by_index(module);
    let exports: Vec<_> = module.exports.iter().map(|export| (export.id(), export.item, export.name.clone())).collect();
    let memory = module.memories.iter().next().map(|memory| memory.id()).ok_or("no memory")?;
    let memory_name =
        exports.iter().find(|(_, item, _)| matches!(item, walrus::ExportItem::Memory(_))).map(|(_, _, name)| name.clone());
    exports.into_iter().for_each(|(id, ..)| module.exports.delete(id));
    module.start = None;

    let written = own_data(plan, own, module)?;
    let data: Vec<_> = module.data.iter().map(|data| data.id()).collect();
    data.into_iter().for_each(|id| module.data.delete(id));
    module.memories.get_mut(memory).data_segments.clear();
    for (address, bytes) in written {
        let offset = ConstExpr::Value(Value::I32(i32::try_from(address)?));
        let id = module.data.add(DataKind::Active { memory, offset }, bytes);
        module.memories.get_mut(memory).data_segments.insert(id);
    }

    call_through_table(plan, parts, own, &plan.uses[own].functions, module, &functions)?;
    for (id, name) in globals(module, &plan.uses[own].globals) {
        let import = module.imports.add(FIRST, &name, ImportKind::Global(id));
        module.globals.get_mut(id).kind = GlobalKind::Import(import);
    }
    let import = module.imports.add(FIRST, &memory_name.ok_or("the memory is not exported")?, ImportKind::Memory(memory));
    module.memories.get_mut(memory).import = Some(import);
    let mut used = plan.uses[own].tables.clone();
    used.insert(table.index());
    for id in tables(module, &used) {
        let import = module.imports.add(FIRST, &format!("t{}", id.index()), ImportKind::Table(id));
        module.tables.get_mut(id).import = Some(import);
    }
    let ours = module.tables.get_mut(table);
    (ours.initial, ours.maximum) = (plan.table_end, Some(plan.table_end));
    fill(plan, own, module, &functions)?;
    // Nothing refers to what has stayed behind; what is unreachable goes.
    walrus::passes::gc::run(module);
    Ok(())
}

/// Makes callers through the table of those functions that other parts have. The caller of one in a later part has that part started
/// if the table has nothing at its place yet; earlier parts are there.
fn call_through_table(
    plan: &Plan,
    parts: &[Part],
    own: usize,
    called: &BTreeSet<usize>,
    module: &mut Module,
    functions: &BTreeMap<usize, FunctionId>,
) -> Fallible<()> {
    let table = functions_table(module)?;
    let nothing = module.types.add(&[], &[]);
    let starts: Vec<FunctionId> = parts.iter().map(|part| module.add_import_func("./parts.js", &part.name, nothing).0).collect();
    for index in called {
        // The host's functions come from the host.
        let Some(home) = plan.functions.get(index).filter(|home| **home != own) else { continue };
        let id = functions[index];
        let ty = module.funcs.get(id).ty();
        let (parameters, results) = (module.types.get(ty).params().to_vec(), module.types.get(ty).results().to_vec());
        let slot = i32::try_from(plan.slots[index])?;
        let locals: Vec<_> = parameters.iter().map(|ty| module.locals.add(*ty)).collect();
        let mut builder = FunctionBuilder::new(&mut module.types, &parameters, &results);
        let mut body = builder.func_body();
        if *home > own {
            body.i32_const(slot).table_get(table).ref_is_null().if_else(
                None,
                |then| {
                    then.call(starts[*home - 1]);
                },
                |_| {},
            );
        }
        for local in &locals {
            body.local_get(*local);
        }
        body.i32_const(slot).call_indirect(ty, table);
        let body = builder.local_func(locals);
        module.funcs.get_mut(id).kind = FunctionKind::Local(body);
    }
    Ok(())
}

/// Puts a part's functions into their places in the table: those the linker chose, and those that other parts' callers look at.
fn fill(plan: &Plan, own: usize, module: &mut Module, functions: &BTreeMap<usize, FunctionId>) -> Fallible<()> {
    let table = functions_table(module)?;
    let elements: Vec<_> = module.elements.iter().map(|element| element.id()).collect();
    elements.into_iter().for_each(|id| module.elements.delete(id));
    module.tables.iter_mut().for_each(|table| table.elem_segments.clear());
    let linked = plan.elements.iter().filter(|(_, (part, _))| *part == own).map(|(slot, (_, index))| (*slot, *index));
    let called = plan.slots.iter().filter(|(index, _)| plan.functions[index] == own).map(|(index, slot)| (*slot, *index));
    let filled: BTreeMap<u64, usize> = linked.chain(called).collect();
    let mut runs: Vec<(u64, Vec<FunctionId>)> = Vec::new();
    for (slot, index) in filled {
        match runs.last_mut() {
            Some((start, run)) if *start + run.len() as u64 == slot => run.push(functions[&index]),
            _ => runs.push((slot, vec![functions[&index]])),
        }
    }
    for (start, run) in runs {
        let offset = ConstExpr::Value(Value::I32(i32::try_from(start)?));
        let element = module.elements.add(ElementKind::Active { table, offset }, ElementItems::Functions(run));
        module.tables.get_mut(table).elem_segments.insert(element);
    }
    Ok(())
}

/// The bytes that a part brings, with their addresses.
fn own_data(plan: &Plan, own: usize, module: &Module) -> Fallible<Vec<(u64, Vec<u8>)>> {
    let mut found = Vec::new();
    for segment in module.data.iter() {
        let start = address(&segment.kind)?;
        let end = start + segment.value.len() as u64;
        let mut runs: Vec<Range<u64>> = Vec::new();
        for range in plan.data[own].iter().filter(|range| start <= range.start && range.end <= end) {
            let meaningless = |gap: Range<u64>| {
                gap.end - gap.start <= GAP
                    && plan.data.iter().flatten().all(|other| other.end <= gap.start || gap.end <= other.start)
            };
            match runs.last_mut() {
                Some(last) if meaningless(last.end..range.start) => last.end = range.end,
                _ => runs.push(range.clone()),
            }
        }
        for run in runs {
            let bytes = &segment.value[(run.start - start) as usize..(run.end - start) as usize];
            if bytes.iter().any(|byte| *byte != 0) {
                found.push((run.start, bytes.to_vec()));
            }
        }
    }
    Ok(found)
}

fn address(kind: &DataKind) -> Fallible<u64> {
    match kind {
        DataKind::Active { offset: ConstExpr::Value(Value::I32(start)), .. } => Ok(u64::from(*start as u32)),
        _ => Err("data that are not put at a number".into()),
    }
}

/// The linker's own sections say nothing true of a module that has changed.
fn strip(module: &mut Module) {
    let stale: Vec<_> = module
        .customs
        .iter()
        .filter(|(_, custom)| custom.name() == "linking" || custom.name().starts_with("reloc."))
        .map(|(id, _)| id)
        .collect();
    for id in stale {
        module.customs.delete(id);
    }
}

fn by_index(module: &Module) -> BTreeMap<usize, FunctionId> {
    module.funcs.iter().map(|function| (function.id().index(), function.id())).collect()
}

fn tables(module: &Module, used: &BTreeSet<usize>) -> Vec<TableId> {
    module.tables.iter().map(|table| table.id()).filter(|id| used.contains(&id.index())).collect()
}

/// Globals, with the names they go by between the modules.
fn globals(module: &Module, used: &BTreeSet<usize>) -> Vec<(GlobalId, String)> {
    let used = module.globals.iter().filter(|global| used.contains(&global.id().index()));
    used.map(|global| (global.id(), if is_stack(global) { "stack".to_owned() } else { format!("g{}", global.id().index()) }))
        .collect()
}
