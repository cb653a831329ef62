//! A graph or a program that is asked about fairness, and what is known of it.

use std::ops::Deref;

use leptos::prelude::*;
use litmoscope::fairness::view::growth::{Family, GrowthRequest};
use litmoscope::fairness::view::play::PlayRequest;
use litmoscope::fairness::view::{FairnessOpen, FairnessRequest, Pace, Promise, Setup, StoreBuffers};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::worker::{ID, refusal};
use crate::app::App;
use crate::app::inquiry::walk::{Player, Walk};
use crate::app::inquiry::{Inquires, InquiryOf};
use crate::app::lab::LabId;

/// What is open beside the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sheet {
    /// Counts, and the line of the algorithm.
    #[default]
    Algorithm,
    /// The steps.
    Steps,
    /// Who can starve, of a program.
    Starve,
    /// A play against chance.
    Chance,
    /// The set of the step as a decision diagram.
    Diagram,
    /// Steps over sizes.
    Growth,
}

/// A place in a text, as it is kept and sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Place {
    #[serde(skip_serializing_if = "is_default")]
    promise: Promise,
    #[serde(skip_serializing_if = "is_default")]
    buffer_promise: Option<Promise>,
    #[serde(skip_serializing_if = "is_default")]
    buffers: StoreBuffers,
    #[serde(skip_serializing_if = "is_default")]
    question: String,
    #[serde(skip_serializing_if = "is_default")]
    off: Vec<u32>,
    #[serde(skip_serializing_if = "is_default")]
    first: Setup,
    #[serde(skip_serializing_if = "is_default")]
    second: Option<Setup>,
    #[serde(skip_serializing_if = "is_default")]
    pace: Pace,
    #[serde(skip_serializing_if = "is_default")]
    step: u32,
    #[serde(skip_serializing_if = "is_default")]
    other: u32,
    #[serde(skip_serializing_if = "is_default")]
    unfolded: Vec<u32>,
    #[serde(skip_serializing_if = "is_default")]
    round: u32,
    #[serde(skip_serializing_if = "is_default")]
    play: Option<PlayRequest>,
    #[serde(skip_serializing_if = "is_default")]
    invariants: bool,
    #[serde(skip_serializing_if = "is_default")]
    sheet: Sheet,
    #[serde(skip_serializing_if = "is_default")]
    family: Family,
    #[serde(skip_serializing_if = "is_default")]
    seed: u32,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A graph or a program that is asked about fairness.
#[derive(Clone, Copy)]
pub struct Inquiry {
    of: InquiryOf<FairnessOpen>,
    /// Where to be in the text that comes.
    due: StoredValue<Option<Place>>,
    pub sheet: RwSignal<Sheet>,
    /// Plays the run that shows who starves.
    rounds: Player,
    /// What is computed over sizes.
    pub growing: RwSignal<GrowthRequest>,
}

impl Deref for Inquiry {
    type Target = InquiryOf<FairnessOpen>;

    fn deref(&self) -> &InquiryOf<FairnessOpen> {
        &self.of
    }
}

impl Inquiry {
    /// Nothing is asked about yet.
    pub fn new(app: App) -> Self {
        let of = InquiryOf::new(app, FairnessRequest::default(), refusal);
        Self {
            of,
            due: StoredValue::new(None),
            sheet: RwSignal::new(Sheet::Algorithm),
            rounds: Player::new(app, of.player.running),
            growing: RwSignal::new(GrowthRequest { seed: 1, ..GrowthRequest::default() }),
        }
    }

    /// That of this page.
    pub fn get() -> Self {
        expect_context()
    }

    /// Whether sizes are computed.
    pub fn is_growing(self) -> bool {
        self.view.with(|view| {
            let growth = view.as_ref().and_then(|view| view.growth.as_ref());
            growth.is_some_and(|growth| growth.done[0] < growth.done[1])
        })
    }

    /// Shows another text, from its beginning or from where it is to be.
    pub fn take(self, text: Option<String>) {
        let Some(text) = text else { return self.request.update(|request| request.text.clear()) };
        let narrow = self.app.looks.narrow.get_untracked();
        let place = self.due.get_value();
        self.due.set_value(None);
        self.rounds.playing.set(false);
        let is_graph = litmoscope::document::Kind::of(&text).is(&litmoscope::document::FAIRNESS);
        // How algorithms go stays, and what is told as far as there is that.
        let place = place.unwrap_or_else(|| {
            let (first, second, pace) = self.request.with_untracked(|now| (now.first, now.second, now.pace));
            let invariants = self.request.with_untracked(|now| now.invariants);
            let sheet = match self.sheet.get_untracked() {
                Sheet::Starve if is_graph => Sheet::Algorithm,
                Sheet::Chance => Sheet::Algorithm,
                Sheet::Algorithm if !is_graph => Sheet::Starve,
                sheet => sheet,
            };
            Place { first, second, pace, invariants, sheet, ..Place::default() }
        });
        let growth = self.request.with_untracked(|now| now.growth.clone());
        self.request
            .update(|request| *request = FairnessRequest { text, narrow, growth, ..FairnessRequest::default() });
        self.arrive_at(place);
    }

    fn arrive_at(self, place: Place) {
        self.sheet.set(place.sheet);
        self.growing.update(|growing| {
            growing.family = place.family;
            growing.seed = place.seed.max(1);
        });
        self.request.update(|request| {
            (request.promise, request.buffer_promise) = (place.promise, place.buffer_promise);
            request.buffers = place.buffers;
            request.question = place.question;
            request.off = place.off;
            (request.first, request.second, request.pace) = (place.first, place.second, place.pace);
            (request.step, request.other, request.round) = (place.step, place.other, place.round);
            (request.unfolded, request.play) = (place.unfolded, place.play);
            request.invariants = place.invariants;
            request.order = place.sheet == Sheet::Diagram;
        });
        self.play_if_seen();
    }

    fn here(self) -> Place {
        let sheet = self.sheet.get_untracked();
        let growing = self.growing.get_untracked();
        self.request.with_untracked(|request| Place {
            promise: request.promise,
            buffer_promise: request.buffer_promise,
            buffers: request.buffers,
            question: request.question.clone(),
            off: request.off.clone(),
            first: request.first,
            second: request.second,
            pace: request.pace,
            step: request.step,
            other: request.other,
            unfolded: request.unfolded.clone(),
            round: request.round,
            play: request.play.clone().filter(|_| sheet == Sheet::Chance),
            invariants: request.invariants,
            sheet,
            family: growing.family,
            seed: if growing.seed == 1 { 0 } else { growing.seed },
        })
    }

    /// Opens a sheet.
    pub fn open_sheet(self, sheet: Sheet) {
        self.playing.set(false);
        self.rounds.playing.set(false);
        self.sheet.set(sheet);
        self.request.update(|request| request.order = sheet == Sheet::Diagram);
        self.play_if_seen();
    }

    /// A play begins when it is seen first.
    fn play_if_seen(self) {
        if self.sheet.get_untracked() == Sheet::Chance && self.request.with_untracked(|request| request.play.is_none())
        {
            self.request.update(|request| request.play = Some(PlayRequest { seed: 1, moves: 1 }));
        }
    }

    /// Asks something else of the text: from its first step.
    pub fn choose(self, choose: impl FnOnce(&mut FairnessRequest)) {
        self.request.update(|request| {
            choose(request);
            (request.step, request.other, request.round) = (0, 0, 0);
        });
    }

    /// Asks a question.
    pub fn ask_question(self, question: String) {
        self.choose(|request| request.question = question);
    }

    /// Folds or unfolds a component.
    pub fn toggle_fold(self, component: u32) {
        self.request.update(|request| match request.unfolded.iter().position(|other| *other == component) {
            Some(at) => drop(request.unfolded.remove(at)),
            None => request.unfolded.push(component),
        });
    }

    /// Computes how steps grow while that is seen, some graphs at a time.
    pub fn follow_growth(self) {
        let asked = Memo::new(move |_| (self.sheet.get() == Sheet::Growth).then(|| self.growing.get()));
        Effect::new(move |_| {
            let asked = asked.get();
            self.request.update(|request| (request.growth, request.grown) = (asked, 0));
        });
        let done = self.part(|view| view.growth.as_ref().map(|growth| growth.done));
        Effect::new(move |_| {
            if let Some([done, all]) = done.get()
                && done < all
            {
                let more = all.div_ceil(8).max(1);
                self.request.update(|request| request.grown = done + more);
            }
        });
    }

    fn run_length(self) -> (u32, u32) {
        self.view.with_untracked(|view| {
            let starve = view.as_ref().and_then(|view| view.starve.as_ref());
            starve.map_or((0, 0), |starve| (starve.steps.len() as u32, starve.stem))
        })
    }

    fn is_in_run(self) -> bool {
        self.sheet.get_untracked() == Sheet::Starve && self.run_length().0 > 0
    }
}

/// The steps of the algorithms.
#[derive(Clone, Copy)]
pub struct Steps(pub Inquiry);

impl Walk for Steps {
    const PERIOD: u32 = 1200;

    fn player(self) -> Player {
        self.0.player
    }

    fn place(self) -> (u32, u32) {
        let all = self.0.view.with_untracked(|view| view.as_ref().map_or(0, |view| view.all_steps));
        let step = self.0.request.with_untracked(|request| match request.pace {
            Pace::Second if request.second.is_some() => request.other,
            _ => request.step,
        });
        (step, all)
    }

    fn go_to(self, step: u32) {
        let step = step.min(self.place().1);
        self.0.request.update(|request| match request.pace {
            Pace::Second if request.second.is_some() => request.other = step,
            _ => request.step = step,
        });
    }
}

/// The run that shows who starves, which goes round and round.
#[derive(Clone, Copy)]
pub struct Rounds(pub Inquiry);

impl Walk for Rounds {
    const PERIOD: u32 = 700;

    fn player(self) -> Player {
        self.0.rounds
    }

    /// It has no end.
    fn place(self) -> (u32, u32) {
        (self.0.request.with_untracked(|request| request.round), u32::MAX - 1)
    }

    fn go_to(self, step: u32) {
        let (all, stem) = self.0.run_length();
        let step = match step {
            u32::MAX => all,
            step if step > all => stem + 1,
            step => step,
        };
        self.0.request.update(|request| request.round = step);
    }
}

/// What keys go through: the run where that is shown, else the steps of the algorithms.
impl Walk for Inquiry {
    fn player(self) -> Player {
        if self.is_in_run() { self.rounds } else { self.of.player }
    }

    fn place(self) -> (u32, u32) {
        if self.is_in_run() { Rounds(self).place() } else { Steps(self).place() }
    }

    fn go_to(self, step: u32) {
        if self.is_in_run() { Rounds(self).go_to(step) } else { Steps(self).go_to(step) }
    }
}

impl Inquires for Inquiry {
    const ID: LabId = ID;
    const LINKED: &'static str = "Link copied: it leads to exactly this step. The address bar has it too.";

    fn give_up(self) {
        self.rounds.playing.set(false);
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
        self.growing.track();
    }
}
