//! A program whose verifier is watched, and what is shown of it.

use std::ops::Deref;
use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::graph::EventKey;
use litmoscope::schedules::view::finite::FiniteRequest;
use litmoscope::schedules::view::run::RunRequest;
use litmoscope::schedules::view::verify::{VerifyRequest, VerifyView, Watched};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::finite::{self, Asked};
use super::run::Runs;
use super::worker::{ID, refusal};
use crate::app::App;
use crate::app::inquiry::walk::{Player, Walk};
use crate::app::inquiry::{Inquires, InquiryOf};
use crate::app::lab::LabId;

/// How many steps the runs have at first that are counted.
const RUN: u32 = 16;

/// What is open beside the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sheet {
    /// The steps of the verifier.
    #[default]
    Steps,
    /// A node, with its coverings and the run that ends there.
    Node,
    /// A path whose labels become stronger.
    Refinement,
    /// The program runs under what was proven.
    Run,
    /// The interleavings of a program that ends.
    Finite,
}

/// A place among the steps, as it is kept and sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<u32>,
    #[serde(skip_serializing_if = "is_false")]
    round_robin: bool,
    #[serde(skip_serializing_if = "is_false")]
    whole: bool,
    run: u32,
    sheet: Sheet,
    /// The run that is shown, and the choice among interleavings, without the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<RunRequest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finite: Option<FiniteRequest>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_false(it: &bool) -> bool {
    !it
}

/// A program whose verifier is watched.
#[derive(Clone, Copy)]
pub struct Inquiry {
    of: InquiryOf<Watched>,
    /// Where to be in the text that comes.
    due: StoredValue<Option<Place>>,
    pub sheet: RwSignal<Sheet>,
    pub runs: Runs,
    pub finite: Asked,
    /// The verifier goes on.
    pub verifying: Memo<bool>,
}

impl Deref for Inquiry {
    type Target = InquiryOf<Watched>;

    fn deref(&self) -> &InquiryOf<Watched> {
        &self.of
    }
}

impl Inquiry {
    /// Nothing is verified yet.
    pub fn new(app: App) -> Self {
        let of = InquiryOf::new(app, VerifyRequest { run: RUN, ..VerifyRequest::default() }, refusal);
        let going = move || of.view.with(|view: &Option<Arc<VerifyView>>| view.as_ref().is_some_and(|view| !view.over));
        Self {
            of,
            due: StoredValue::new(None),
            sheet: RwSignal::new(Sheet::Steps),
            runs: Runs::new(app),
            finite: finite::asked(app),
            verifying: Memo::new(move |_| going() || of.running.get()),
        }
    }

    /// That of this page.
    pub fn get() -> Self {
        expect_context()
    }

    /// Verifies another text.
    pub fn take(self, text: Option<String>) {
        let Some(text) = text else { return self.request.update(|request| request.text.clear()) };
        let place =
            self.due.get_value().unwrap_or_else(|| Place { sheet: self.sheet.get_untracked(), ..self.here() }.at_end());
        self.due.set_value(None);
        self.request.update(|request| request.text = text);
        self.show(place);
    }

    fn show(self, place: Place) {
        self.sheet.set(place.sheet);
        let text = self.request.with_untracked(|request| request.text.clone());
        if let Some(runs) = &place.runs {
            let (round_robin, whole) = (place.round_robin, place.whole);
            self.runs.show(&text, &RunRequest { round_robin, whole, ..runs.clone() });
        }
        if let Some(finite) = place.finite {
            self.finite.request.set(FiniteRequest { text, ..finite });
        }
        self.request.update(|request| {
            request.step = place.step;
            request.node = place.node.map(|serial| EventKey { thread: litmoscope::graph::ThreadId(0), serial });
            request.round_robin = place.round_robin;
            request.whole = place.whole;
            request.run = if place.run == 0 { RUN } else { place.run };
        });
    }

    fn here(self) -> Place {
        let sheet = self.sheet.get_untracked();
        self.request.with_untracked(|request| Place {
            step: request.step,
            node: request.node.map(|key| key.serial),
            round_robin: request.round_robin,
            whole: request.whole,
            run: request.run,
            sheet,
            runs: self.runs.kept().filter(|_| sheet == Sheet::Run),
            finite: finite::kept(self.finite).filter(|_| sheet == Sheet::Finite),
        })
    }

    /// Looks at a node, or at that of the step.
    pub fn look_at(self, node: Option<EventKey>) {
        self.pointed.set(Vec::new());
        self.request.update(|request| request.node = node);
        if node.is_some() {
            self.sheet.set(Sheet::Node);
        }
    }

    /// Verifies with another choice of threads, from the beginning.
    pub fn choose(self, choose: impl FnOnce(&mut VerifyRequest)) {
        self.request.update(|request| {
            choose(request);
            (request.step, request.node) = (None, None);
        });
    }

    /// How far the verifier is.
    pub fn status(self) -> String {
        match self.trouble.get() {
            Some(trouble) => trouble,
            None => self.view.with(|view| view.as_ref().map(|view| view.status.clone()).unwrap_or_default()),
        }
    }

    fn is_running(self) -> bool {
        self.sheet.get_untracked() == Sheet::Run
    }

    fn all(self) -> u32 {
        self.view.with_untracked(|view| view.as_ref().map_or(0, |view| view.all_steps))
    }
}

impl Place {
    fn at_end(self) -> Self {
        Self { step: None, node: None, runs: None, finite: None, ..self }
    }
}

/// The steps of the verifier.
#[derive(Clone, Copy)]
pub struct Verifying(pub Inquiry);

impl Walk for Verifying {
    const PERIOD: u32 = 700;

    fn player(self) -> Player {
        self.0.player
    }

    fn place(self) -> (u32, u32) {
        let all = self.0.all();
        (self.0.request.with_untracked(|request| request.step.unwrap_or(all)), all)
    }

    fn go_to(self, step: u32) {
        self.0.pointed.set(Vec::new());
        let all = self.0.all();
        // At the end, it follows the verifier.
        let step = (step < all).then_some(step);
        self.0.request.update(|request| (request.step, request.node) = (step, None));
    }
}

/// What keys go through: the steps of a run where that is shown, else those of the verifier.
impl Walk for Inquiry {
    fn player(self) -> Player {
        if self.is_running() { self.runs.player() } else { self.player }
    }

    fn place(self) -> (u32, u32) {
        if self.is_running() { self.runs.place() } else { Verifying(self).place() }
    }

    fn go_to(self, step: u32) {
        if self.is_running() { self.runs.go_to(step) } else { Verifying(self).go_to(step) }
    }
}

impl Inquires for Inquiry {
    const ID: LabId = ID;
    const LINKED: &'static str = "Link copied: it leads to exactly this step. The address bar has it too.";

    fn give_up(self) {
        self.runs.kept.playing.set(false);
        if self.view.with_untracked(Option::is_some) {
            self.halt();
        } else {
            self.stop();
        }
    }

    fn kept(self) -> Option<Value> {
        let place = if self.is_of_nothing() { self.due.get_value()? } else { self.here() };
        serde_json::to_value(place).ok()
    }

    fn show_kept(self, kept: &Value) {
        let Ok(place) = Place::deserialize(kept) else { return };
        if self.is_of_page() {
            self.show(place);
        } else {
            self.due.set_value(Some(place));
        }
    }

    fn track_kept(self) {
        self.request.track();
        self.sheet.track();
        self.runs.kept.request.track();
        self.finite.request.track();
    }
}

/// A part of what is known.
pub fn part<T: Clone + Default + PartialEq + Send + Sync + 'static>(of: fn(&VerifyView) -> T) -> Memo<T> {
    Inquiry::get().part(of)
}
