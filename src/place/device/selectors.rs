//! What CEL selectors say of devices: asked once per expression and device, whatever the number of nodes and requests.

use super::facts::{Device, Selector};
use super::sorted::Sorted;
use crate::cel::value::Value;
use std::cell::RefCell;
use std::fmt;

/// Why a selector has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectorError {
    /// It does not compile; holds the message without the selector error prefix.
    Compile(String),
    /// It failed on this device; holds the message without the prefix.
    Runtime(String),
}

/// A device as selectors see it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'d> {
    /// Its driver.
    pub driver: &'d str,
    /// The device.
    pub device: &'d Device,
}

/// A value that a selector read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadValue {
    /// What was read, e.g. `gpu.example.com/model`.
    pub path: String,
    /// Its value as written in CEL; `None` where it is missing.
    pub value: Option<String>,
}

/// The variables of a device, or why it has none.
pub type Values = Result<Vec<Value>, String>;

/// An engine for CEL selectors of one release and set of gates.
pub trait Selectors {
    /// A device as expressions see it, to be judged by many of them.
    fn values(&self, subject: Subject<'_>) -> Values;

    /// Is the expression true of a device?
    fn judge(&self, expression: &str, values: &Values) -> Result<bool, SelectorError>;

    /// The same for one expression alone.
    fn matches(&self, expression: &str, subject: Subject<'_>) -> Result<bool, SelectorError> {
        self.judge(expression, &self.values(subject))
    }

    /// The attributes and capacities that the expression reads on the device, in order. For explanations.
    fn reads(&self, expression: &str, subject: Subject<'_>) -> Vec<ReadValue>;
}

impl fmt::Debug for dyn Selectors + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Selectors")
    }
}

/// One cell of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// True.
    Yes,
    /// False.
    No,
    /// The expression does not compile.
    CompileError,
    /// It failed on this device.
    RuntimeError,
}

/// Answers so far.
#[derive(Debug)]
pub struct Verdicts<'f> {
    pub(super) engine: &'f dyn Selectors,
    devices: usize,
    rows: RefCell<Sorted<String, Row>>,
    /// The last device and its variables: selectors are evaluated one after another on the same device.
    last: RefCell<Option<(usize, Values)>>,
}

#[derive(Debug, Default)]
struct Row {
    cells: Vec<Option<Cell>>,
    compile: Option<String>,
    errors: Sorted<usize, String>,
}

impl<'f> Verdicts<'f> {
    /// Asks an engine about this many devices.
    pub fn new(engine: &'f dyn Selectors, devices: usize) -> Self {
        Verdicts { engine, devices, rows: RefCell::default(), last: RefCell::default() }
    }

    /// What a selector says of a device, the `flat`th of all; `None` for a selector of no known kind.
    pub fn ask(&self, selector: &Selector, flat: usize, subject: Subject<'_>) -> Option<Cell> {
        let expression = selector.cel.as_ref()?.expression.as_str();
        let mut rows = self.rows.borrow_mut();
        if !rows.contains_key(expression) {
            rows.insert(expression.to_owned(), Row { cells: vec![None; self.devices], ..Row::default() });
        }
        let row = rows.get_mut(expression)?;
        if row.compile.is_some() {
            return Some(Cell::CompileError);
        }
        if let Some(known) = row.cells.get(flat).copied().flatten() {
            return Some(known);
        }
        let mut last = self.last.borrow_mut();
        let (_, values) = match last.take_if(|(at, _)| *at == flat) {
            Some(known) => last.insert(known),
            None => last.insert((flat, self.engine.values(subject))),
        };
        let cell = match self.engine.judge(expression, values) {
            Ok(true) => Cell::Yes,
            Ok(false) => Cell::No,
            Err(SelectorError::Compile(text)) => {
                row.compile = Some(text);
                Cell::CompileError
            }
            Err(SelectorError::Runtime(text)) => {
                row.errors.insert(flat, text);
                Cell::RuntimeError
            }
        };
        if let Some(place) = row.cells.get_mut(flat) {
            *place = Some(cell);
        }
        Some(cell)
    }

    /// The text of an error on the `flat`th device.
    pub fn error(&self, selector: &Selector, flat: usize) -> String {
        let Some(cel) = &selector.cel else { return "CEL expression empty (unsupported selector type?)".to_owned() };
        let rows = self.rows.borrow();
        let Some(row) = rows.get(cel.expression.as_str()) else { return String::new() };
        match (&row.compile, row.errors.get(&flat)) {
            (Some(text), _) => format!("CEL compile error: {text}"),
            (None, Some(text)) => format!("CEL runtime error: {text}"),
            (None, None) => String::new(),
        }
    }

    /// What a selector reads on a device.
    pub fn reads(&self, selector: &Selector, subject: Subject<'_>) -> Vec<ReadValue> {
        selector.cel.as_ref().map_or_else(Vec::new, |cel| self.engine.reads(&cel.expression, subject))
    }
}
