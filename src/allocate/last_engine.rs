//! The engine for expressions that answered the last question about a cluster.

use claimkit_model::schema::Release;
use claimkit_scheduler::allocator::engine::CelSelectors;
use std::cell::RefCell;
use std::rc::Rc;

/// An engine with more expressions than this is not kept.
const MOST_EXPRESSIONS: usize = 256;

/// The engine of the last question: the next one asks mostly about the same expressions and devices.
#[derive(Debug, Default)]
pub struct LastEngine(RefCell<Option<KeptEngine>>);

#[derive(Debug)]
struct KeptEngine {
    release: Release,
    /// Selectors read attributes with lists.
    reads_lists: bool,
    engine: Rc<CelSelectors>,
}

impl LastEngine {
    /// Returns the engine of a release. `reads_lists`: selectors read attributes with lists.
    pub fn of(&self, release: Release, reads_lists: bool) -> Rc<CelSelectors> {
        let mut last = self.0.borrow_mut();
        if let Some(kept) = last.as_ref()
            && kept.release == release
            && kept.reads_lists == reads_lists
            && kept.engine.expressions() <= MOST_EXPRESSIONS
        {
            return Rc::clone(&kept.engine);
        }
        let engine = Rc::new(CelSelectors::new(release, reads_lists));
        *last = Some(KeptEngine {
            release,
            reads_lists,
            engine: Rc::clone(&engine),
        });
        engine
    }
}
