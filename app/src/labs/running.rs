//! Everything explored at once by many workers, beside the steps; and runs that were saved elsewhere.

pub mod panel;
pub mod sharing;
pub mod walking;

use std::rc::Rc;

use leptos::prelude::*;

use crate::app::lab::Lab;
use crate::app::{App, Event};
use panel::Running;

struct Run {
    running: Running,
}

impl Lab for Run {
    fn open(&self) -> bool {
        self.running.start_here();
        true
    }
}

/// Begins.
pub fn begin(app: App) -> Rc<dyn Lab> {
    let running = Running::new(app);
    provide_context(running);
    app.whole.ask.set_value(Some(Rc::new(move |stamp, question, then| running.ask(stamp, question, then))));
    app.on(move |event| {
        if let Event::Edited(settings) = event {
            running.keep_for(settings);
        }
    });
    Effect::new(move |_| {
        let look = app.look();
        if app.whole.shown.get_untracked() {
            running.look(None, look);
        }
    });
    panel::listen(running);
    Rc::new(Run { running })
}
