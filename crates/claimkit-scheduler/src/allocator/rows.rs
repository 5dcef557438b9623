//! The answers of expressions about devices, kept for all clusters with the same slices: a question about many pods prepares one for each.

use super::objects::SliceLayout;
use super::sorted::Sorted;
use claimkit_model::cel::Program;
use std::cell::RefCell;
use std::rc::Rc;

/// One cell of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    Yes,
    No,
    /// The expression does not compile.
    CompileError,
    /// It failed on this device.
    RuntimeError,
}

/// A program, or why its expression does not compile.
pub type Compiled = Result<Rc<Program>, String>;

/// The answers of one expression.
#[derive(Debug)]
pub(super) struct Row {
    /// By device, in the order of the facts.
    pub(super) cells: Vec<Option<Cell>>,
    pub(super) program: Compiled,
    pub(super) errors: Sorted<usize, String>,
}

/// The answers of all expressions that were asked about the devices of one layout.
pub(super) type Rows = Rc<RefCell<ByExpression<Row>>>;

/// The answers about the devices of the layout that was asked about last.
#[derive(Debug, Default)]
pub(super) struct LastRows(RefCell<Option<RowsOfLayout>>);

#[derive(Debug)]
struct RowsOfLayout {
    layout: Rc<SliceLayout>,
    rows: Rows,
}

impl LastRows {
    /// Returns the answers about the devices of a layout; none yet if another one was asked about last.
    pub(super) fn of(&self, layout: &Rc<SliceLayout>) -> Rows {
        let mut last = self.0.borrow_mut();
        if let Some(known) = last.as_ref()
            && Rc::ptr_eq(&known.layout, layout)
        {
            return Rc::clone(&known.rows);
        }
        let rows = Rows::default();
        *last = Some(RowsOfLayout {
            layout: Rc::clone(layout),
            rows: Rc::clone(&rows),
        });
        rows
    }
}

/// Values by expression, sorted by length first: expressions with equal beginnings are then seldom compared, which happens for
/// every device.
#[derive(Debug)]
pub(super) struct ByExpression<V>(Vec<(String, V)>);

impl<V> Default for ByExpression<V> {
    fn default() -> Self {
        ByExpression(Vec::new())
    }
}

impl<V> ByExpression<V> {
    fn place(&self, expression: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| {
            known
                .len()
                .cmp(&expression.len())
                .then_with(|| known.as_str().cmp(expression))
        })
    }

    /// Returns the number of expressions.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the value of an expression.
    pub(super) fn get(&self, expression: &str) -> Option<&V> {
        self.place(expression)
            .ok()
            .and_then(|at| self.0.get(at))
            .map(|(_, value)| value)
    }

    /// Returns the value of an expression; makes it if there is none.
    pub(super) fn get_or_insert_with(
        &mut self,
        expression: &str,
        make: impl FnOnce() -> V,
    ) -> Option<&mut V> {
        let at = self.place(expression).unwrap_or_else(|at| {
            self.0.insert(at, (expression.to_owned(), make()));
            at
        });
        self.0.get_mut(at).map(|(_, value)| value)
    }
}
