//! Why a model does not allow an outcome.

pub mod panel;
pub mod worker;

use std::rc::Rc;

use leptos::prelude::*;

use crate::app::App;
use crate::app::lab::Lab;
use panel::Wanted;

struct WhyNot {
    wanted: RwSignal<Option<String>>,
}

impl Lab for WhyNot {
    fn open(&self) -> bool {
        self.take("");
        false
    }

    /// An outcome; without one, what the condition asks for.
    fn take(&self, outcome: &str) {
        self.wanted.set(Some(outcome.to_owned()));
    }
}

/// Begins.
pub fn begin(_app: App) -> Rc<dyn Lab> {
    let wanted = RwSignal::new(None);
    provide_context(Wanted(wanted));
    Rc::new(WhyNot { wanted })
}

/// What is seen of it.
pub fn view() -> AnyView {
    view! { <panel::WhyNot /> }.into_any()
}
