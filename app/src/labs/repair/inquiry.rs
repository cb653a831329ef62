//! A program that is asked what would repair it, and what is known of that.

use std::ops::Deref;

use leptos::prelude::*;
use litmoscope::repair::view::{RepairOpen, RepairRequest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::worker::{ID, refusal};
use crate::app::App;
use crate::app::inquiry::walk::{Player, Walk};
use crate::app::inquiry::{Inquires, InquiryOf};
use crate::app::lab::LabId;

/// What is open beside the drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sheet {
    /// What was found.
    #[default]
    Found,
    /// The program, with what is changed.
    Program,
    /// The reader's own try.
    Own,
}

/// A place in a program, as it is kept and sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Place {
    #[serde(skip_serializing_if = "is_default")]
    weaken: bool,
    #[serde(skip_serializing_if = "is_default")]
    same_outcomes: bool,
    #[serde(skip_serializing_if = "is_default")]
    outcome: String,
    #[serde(skip_serializing_if = "is_default")]
    lacks: (bool, bool, bool),
    #[serde(skip_serializing_if = "is_default")]
    keep: Vec<u32>,
    #[serde(skip_serializing_if = "is_default")]
    costs: String,
    #[serde(skip_serializing_if = "is_default")]
    chosen: u32,
    #[serde(skip_serializing_if = "is_default")]
    execution: u32,
    #[serde(skip_serializing_if = "is_default")]
    before: bool,
    #[serde(skip_serializing_if = "is_default")]
    own: Option<Vec<u8>>,
    #[serde(skip_serializing_if = "is_default")]
    sheet: Sheet,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A program that is asked what would repair it.
#[derive(Clone, Copy)]
pub struct Inquiry {
    of: InquiryOf<RepairOpen>,
    /// Where to be in the text that comes.
    due: StoredValue<Option<Place>>,
    pub sheet: RwSignal<Sheet>,
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
        Self { of, due: StoredValue::new(None), sheet: RwSignal::new(Sheet::Found) }
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
        let place = place.unwrap_or_else(|| {
            let here = self.here();
            let Place { weaken, same_outcomes, lacks, costs, sheet, .. } = here;
            Place { weaken, same_outcomes, lacks, costs, sheet, ..Place::default() }
        });
        let model = self.app.document.model.get_untracked().name().to_owned();
        self.request.update(|request| *request = RepairRequest { text, model, ..RepairRequest::default() });
        self.arrive_at(place);
    }

    fn arrive_at(self, place: Place) {
        self.sheet.set(place.sheet);
        self.request.update(|request| {
            (request.weaken, request.same_outcomes, request.outcome) =
                (place.weaken, place.same_outcomes, place.outcome);
            (request.no_fences, request.no_modes, request.no_exchanges) = place.lacks;
            (request.keep, request.costs) = (place.keep, place.costs);
            (request.chosen, request.execution, request.before) = (place.chosen, place.execution, place.before);
            (request.own, request.grown) = (place.own, 0);
        });
    }

    fn here(self) -> Place {
        let sheet = self.sheet.get_untracked();
        self.request.with_untracked(|request| Place {
            weaken: request.weaken,
            same_outcomes: request.same_outcomes,
            outcome: request.outcome.clone(),
            lacks: (request.no_fences, request.no_modes, request.no_exchanges),
            keep: request.keep.clone(),
            costs: request.costs.clone(),
            chosen: request.chosen,
            execution: request.execution,
            before: request.before,
            own: request.own.clone(),
            sheet,
        })
    }

    /// Asks something else of the program.
    pub fn choose(self, choose: impl FnOnce(&mut RepairRequest)) {
        self.request.update(|request| {
            choose(request);
            (request.chosen, request.execution, request.before) = (0, 0, false);
            (request.own, request.grown) = (None, 0);
        });
    }

    /// Looks at something else of what is known.
    pub fn look(self, look: impl FnOnce(&mut RepairRequest)) {
        self.request.update(look);
    }

    /// Opens a sheet.
    pub fn open_sheet(self, sheet: Sheet) {
        self.playing.set(false);
        self.sheet.set(sheet);
        if sheet != Sheet::Own {
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
        let place = if self.is_of_nothing() { self.due.get_value()? } else { self.here() };
        if is_default(&place) { None } else { serde_json::to_value(place).ok() }
    }

    fn show_kept(self, kept: &Value) {
        let Ok(place) = Place::deserialize(kept) else { return };
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
