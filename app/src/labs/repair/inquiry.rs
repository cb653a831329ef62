//! A program that is asked what would repair it, and what is known of that.

use std::ops::Deref;

use leptos::prelude::*;
use litmoscope::repair::view::{RepairOpen, RepairRequest};
use litmoscope::repair::{RepairPlace, RepairSheet};
use litmoscope::session::Settings;
use litmoscope::session::link::{self, Pair};
use serde_json::Value;

use super::worker::{ID, refusal};
use crate::app::App;
use crate::app::inquiry::walk::{Player, Walk};
use crate::app::inquiry::{Inquires, InquiryOf};
use crate::app::lab::LabId;

/// A program that is asked what would repair it.
#[derive(Clone, Copy)]
pub struct Inquiry {
    of: InquiryOf<RepairOpen>,
    /// Where to be in the text that comes.
    due: StoredValue<Option<RepairPlace>>,
    pub sheet: RwSignal<RepairSheet>,
}

impl Deref for Inquiry {
    type Target = InquiryOf<RepairOpen>;

    fn deref(&self) -> &InquiryOf<RepairOpen> {
        &self.of
    }
}

impl Inquiry {
    /// Nothing is asked about yet.
    pub fn new(app: App) -> Self {
        let of = InquiryOf::new(app, RepairRequest::default(), refusal);
        Self { of, due: StoredValue::new(None), sheet: RwSignal::new(RepairSheet::Found) }
    }

    /// That of this page.
    pub fn get() -> Self {
        expect_context()
    }

    /// Whether more is looked for.
    pub fn is_searching(self) -> bool {
        self.view.with(|view| view.as_ref().is_some_and(|view| view.running))
    }

    /// Shows another text, from its beginning or from where it is to be.
    pub fn take(self, text: Option<String>) {
        let Some(text) = text else { return self.request.update(|request| request.text.clear()) };
        let place = self.due.get_value();
        self.due.set_value(None);
        // What is asked stays, but for what is about the text before.
        let place = place.unwrap_or_else(|| self.here().elsewhere());
        let model = self.app.document.model.get_untracked().name().to_owned();
        self.request.update(|request| *request = RepairRequest { text, model, ..RepairRequest::default() });
        self.arrive_at(place);
    }

    fn arrive_at(self, place: RepairPlace) {
        self.sheet.set(place.sheet);
        self.request.update(|request| place.ask(request));
    }

    fn here(self) -> RepairPlace {
        let sheet = self.sheet.get_untracked();
        self.request.with_untracked(|request| RepairPlace::of(request, sheet))
    }

    /// Asks something else of the program.
    pub fn choose(self, choose: impl FnOnce(&mut RepairRequest)) {
        self.request.update(|request| {
            choose(request);
            (request.chosen, request.execution, request.before) = (0, 0, false);
            (request.own, request.grown) = (None, 0);
        });
    }

    /// Leaves a line alone, or no longer.
    pub fn toggle_kept(self, line: u32) {
        self.choose(|request| match request.keep.iter().position(|kept| *kept == line) {
            Some(at) => drop(request.keep.remove(at)),
            None => request.keep.push(line),
        });
    }

    /// Explores the program and the changed one side by side.
    pub fn show_both(self) {
        let Some(text) = self.view.with_untracked(|view| view.as_ref().and_then(|view| view.changed.clone())) else {
            return;
        };
        let left = Settings { position: 0, ..untrack(|| self.app.settings()) };
        let right = Settings { text, ..left.clone() };
        match link::encode_pair(&Pair { left, right, together: true }) {
            Ok(fragment) => self.app.ask_there(LabId("beside"), &fragment),
            Err(_) => self.app.tell("Both programs together are too long to be shown side by side."),
        }
    }

    /// Looks at something else of what is known.
    pub fn look(self, look: impl FnOnce(&mut RepairRequest)) {
        self.request.update(look);
    }

    /// Opens a sheet.
    pub fn open_sheet(self, sheet: RepairSheet) {
        self.playing.set(false);
        self.sheet.set(sheet);
        if sheet != RepairSheet::Own {
            self.request.update(|request| request.own = None);
        }
    }

    /// Asks under the page's model.
    pub fn follow_model(self) {
        let model = self.app.document.model;
        Effect::new(move |_| {
            let name = model.get().name().to_owned();
            if self.request.with_untracked(|request| !request.text.is_empty() && request.model != name) {
                self.choose(|request| request.model = name);
            }
        });
    }

    /// Goes on until all is found, part by part.
    pub fn follow_search(self) {
        let done = self.part(|view| (view.running, view.done));
        Effect::new(move |_| {
            let (running, done) = done.get();
            if running {
                self.request.update(|request| request.grown = done);
            }
        });
    }
}

/// What keys go through: what was found.
impl Walk for Inquiry {
    fn player(self) -> Player {
        self.of.player
    }

    fn place(self) -> (u32, u32) {
        let all = self.view.with_untracked(|view| view.as_ref().map_or(0, |view| view.rows.len() as u32));
        (self.request.with_untracked(|request| request.chosen), all)
    }

    fn go_to(self, step: u32) {
        let step = step.min(self.place().1);
        self.request.update(|request| {
            (request.chosen, request.own) = (step, None);
        });
    }
}

impl Inquires for Inquiry {
    const ID: LabId = ID;
    const LINKED: &'static str = "Link copied: it leads to exactly this repair. The address bar has it too.";

    fn give_up(self) {
        self.stop();
    }

    fn kept(self) -> Option<Value> {
        if self.is_of_nothing() { self.due.get_value()?.keep() } else { self.here().keep() }
    }

    fn show_kept(self, kept: &Value) {
        let Some(place) = RepairPlace::resume(kept) else { return };
        if self.is_of_page() {
            self.arrive_at(place);
        } else {
            self.due.set_value(Some(place));
        }
    }

    fn track_kept(self) {
        self.request.track();
        self.sheet.track();
    }
}
