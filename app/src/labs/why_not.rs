//! Why a model does not allow an outcome.

pub mod panel;
pub mod worker;

use std::rc::Rc;

use leptos::prelude::*;

use crate::app::App;
use crate::app::lab::{Accepts, Lab, LabId};
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
pub fn begin(app: App) {
    let wanted = RwSignal::new(None);
    provide_context(Wanted(wanted));
    app.register(LabId::Why, Accepts::Programs, None, Rc::new(WhyNot { wanted }));
}

/// What is seen of it.
pub fn view() -> AnyView {
    view! { <panel::WhyNot /> }.into_any()
}
