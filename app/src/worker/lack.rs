//! What workers wait for because it could not be loaded: the page says so and offers to try again.

use std::rc::Rc;

use leptos::prelude::*;
use send_wrapper::SendWrapper;

/// Something that could not be loaded.
#[derive(Clone)]
pub struct Lack {
    /// What it is.
    pub what: String,
    again: SendWrapper<Rc<dyn Fn()>>,
}

impl Lack {
    /// Tries again.
    pub fn again(&self) {
        (self.again)();
    }
}

thread_local! {
    static LACK: ArcRwSignal<Option<Lack>> = ArcRwSignal::new(None);
}

/// What is lacking now, if anything is. The last one counts: what one worker lacks, others do.
pub fn lack() -> ArcRwSignal<Option<Lack>> {
    LACK.with(Clone::clone)
}

/// A worker lacks something, or nothing any more.
pub fn tell(what: Option<String>, again: impl Fn() + 'static) {
    lack().set(what.map(|what| Lack { what, again: SendWrapper::new(Rc::new(again)) }));
}
