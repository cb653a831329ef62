//! What is dropped onto the page, until the panel is there.

use std::cell::RefCell;

use leptos::prelude::*;

use crate::app::App;
use crate::app::lab::{LabId, Tab};
use crate::browser::{self, Dropped};

/// The lab's name.
pub const ID: LabId = LabId("tests");

thread_local! {
    /// What was dropped and is not looked at yet. A signal of its own type would be in the first file of the page.
    static DROPPED: RefCell<Option<Dropped>> = const { RefCell::new(None) };
}

/// How often something was dropped, and the lab was told to stop.
#[derive(Clone, Copy)]
pub struct Intake {
    drops: RwSignal<u32>,
    /// How often it was told to stop.
    pub stops: RwSignal<u32>,
}

impl Intake {
    /// Takes folders, archives and several files that are dropped onto the page. One file alone is for others.
    pub fn begin(app: App) -> Self {
        let intake = Self { drops: RwSignal::new(0), stops: RwSignal::new(0) };
        let _ = window_event_listener(leptos::ev::drop, move |event| {
            if !browser::drags_files(&event) || browser::embedded() {
                return;
            }
            let dropped = Dropped::of(&event);
            if dropped.alone().is_none() {
                event.prevent_default();
                DROPPED.set(Some(dropped));
                intake.drops.update(|drops| *drops += 1);
                app.show(Tab::Lab(ID));
            }
        });
        intake
    }

    /// What was dropped since this was asked last.
    pub fn dropped(self) -> Option<Dropped> {
        self.drops.track();
        DROPPED.take()
    }
}
