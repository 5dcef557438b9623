//! Results of CEL selectors on devices, computed once per expression and device, whatever the number of nodes and requests.

use super::engine::{self, CelSelectors, DeviceSubject, DeviceVariables, ReadValue};
use super::objects::{Selector, SliceLayout};
pub use super::rows::Cell;
use super::rows::{Row, Rows};
use super::sorted::Sorted;
use std::cell::RefCell;
use std::rc::Rc;

/// The cached answers of selectors.
#[derive(Debug)]
pub struct Verdicts<'f> {
    pub engine: &'f CelSelectors,
    devices: usize,
    rows: Rows,
    /// The last device and its variables: selectors are evaluated one after another on the same device.
    last: RefCell<Option<(usize, DeviceVariables)>>,
}

impl<'f> Verdicts<'f> {
    /// Asks an engine about the devices of a layout.
    pub fn new(engine: &'f CelSelectors, layout: &Rc<SliceLayout>) -> Self {
        Verdicts {
            engine,
            devices: layout.identities.len(),
            rows: engine.rows.of(layout),
            last: RefCell::default(),
        }
    }

    /// Returns the answer of a selector for a device, the `flat`th of all; `None` for a selector of an unknown kind.
    pub fn ask(
        &self,
        selector: &Selector,
        flat: usize,
        subject: DeviceSubject<'_>,
    ) -> Option<Cell> {
        let expression = selector.cel.as_ref()?.expression.as_str();
        let mut rows = self.rows.borrow_mut();
        let row = rows.get_or_insert_with(expression, || Row {
            cells: vec![None; self.devices],
            program: self.engine.program(expression),
            errors: Sorted::default(),
        })?;
        let Ok(program) = &row.program else {
            return Some(Cell::CompileError);
        };
        if let Some(known) = row.cells.get(flat).copied().flatten() {
            return Some(known);
        }
        let mut last = self.last.borrow_mut();
        let (_, values) = match last.take_if(|(at, _)| *at == flat) {
            Some(known) => last.insert(known),
            None => last.insert((flat, self.engine.values(subject))),
        };
        let cell = match engine::judge(program, values) {
            Ok(true) => Cell::Yes,
            Ok(false) => Cell::No,
            Err(text) => {
                row.errors.insert(flat, text);
                Cell::RuntimeError
            }
        };
        if let Some(place) = row.cells.get_mut(flat) {
            *place = Some(cell);
        }
        Some(cell)
    }

    /// Returns the text of an error on the `flat`th device.
    pub fn error(&self, selector: &Selector, flat: usize) -> String {
        let Some(cel) = &selector.cel else {
            return "CEL expression empty (unsupported selector type?)".to_owned();
        };
        let rows = self.rows.borrow();
        let Some(row) = rows.get(&cel.expression) else {
            return String::new();
        };
        match (&row.program, row.errors.get(&flat)) {
            (Err(text), _) => format!("CEL compile error: {text}"),
            (Ok(_), Some(text)) => format!("CEL runtime error: {text}"),
            (Ok(_), None) => String::new(),
        }
    }

    /// Returns the values that a selector reads on a device.
    pub fn reads(&self, selector: &Selector, subject: DeviceSubject<'_>) -> Vec<ReadValue> {
        selector
            .cel
            .as_ref()
            .map_or_else(Vec::new, |cel| self.engine.reads(&cel.expression, subject))
    }
}
