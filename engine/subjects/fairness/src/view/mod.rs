//! What the page shows of fairness at a place: words, numbers and drawings. All of it is made here; who shows it adds nothing.
//!
//! - `layers`: how graphs are drawn; `subject`: what is asked of a text, be it a graph or a program;
//! - `run`: a run of an algorithm, step by step; `sides`: one of them, or two side by side;
//! - [`starve`]: who can wait for ever in a program; [`play`]: a strategy against chance;
//! - [`order`]: a set as a decision diagram; [`growth`]: steps over sizes.

pub mod growth;
mod layers;
pub mod order;
pub mod play;
mod run;
mod sides;
pub mod starve;
mod subject;
#[cfg(test)]
mod tests;

pub use run::{Look, Ring, Tint};
pub use sides::{Counter, InvariantLine, SideView, StepLine};
pub use subject::{PairView, read_graph, vertices_words};

use crate::algorithms::{Threshold, Way};
use crate::program::{Fairness, Promises};
use growth::{Growth, GrowthRequest, GrowthView};
use litmoscope_core::inspection::Inspection;
use litmoscope_core::model::Buffers;
use litmoscope_core::syntax::Diagnostic;
use litmoscope_draw::Drawing;
use order::OrderView;
use play::{PlayRequest, PlayView};
use serde::{Deserialize, Serialize};
use sides::Sides;
use starve::{Starve, StarveView};
use subject::Subject;

/// What a scheduler promises each thread of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Promise {
    /// Nothing.
    None,
    /// Who can move all the time moves.
    Weak,
    /// Who can move again and again moves again and again.
    #[default]
    Strong,
}

impl Promise {
    /// All, from the weakest to the strongest.
    pub const ALL: [Self; 3] = [Self::None, Self::Weak, Self::Strong];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Weak => "weak",
            Self::Strong => "strong",
        }
    }

    /// What it promises each thread.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::None => "Nothing is promised: a thread may be passed over for ever.",
            Self::Weak => "A thread that can move all the time, from some point on, moves again and again.",
            Self::Strong => "A thread that can move again and again moves again and again.",
        }
    }

    /// The same to all threads; to buffers something else, if that is told.
    pub(super) fn with(self, buffers: Option<Self>) -> Promises {
        Promises { threads: self.fairness(), buffers: buffers.unwrap_or(self).fairness(), others: Vec::new() }
    }

    fn fairness(self) -> Fairness {
        match self {
            Self::None => Fairness::None,
            Self::Weak => Fairness::Weak,
            Self::Strong => Fairness::Strong,
        }
    }
}

/// Where a thread's writes go first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StoreBuffers {
    /// To memory: sequential consistency.
    #[default]
    None,
    /// Into a buffer of the thread.
    OfThreads,
    /// Into a buffer of the thread for the location.
    OfLocations,
}

impl StoreBuffers {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::None, Self::OfThreads, Self::OfLocations];

    /// What it is called where one is chosen.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::OfThreads => "of-threads",
            Self::OfLocations => "of-locations",
        }
    }

    /// In words, with the models whose machines these are.
    pub fn words(self) -> &'static str {
        match self {
            Self::None => "without store buffers (SC)",
            Self::OfThreads => "with a store buffer for each thread (TSO)",
            Self::OfLocations => "with store buffers for each thread and location (PSO)",
        }
    }

    fn kind(self) -> Option<Buffers> {
        match self {
            Self::None => None,
            Self::OfThreads => Some(Buffers::OfThreads),
            Self::OfLocations => Some(Buffers::OfLocations),
        }
    }
}

/// When lock-step search gives way to a decomposition, of what is offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Always.
    One,
    /// From two vertices that lost edges on.
    Two,
    /// From log n on.
    Log,
    /// As the theorem has it.
    #[default]
    Root,
    /// Never.
    Never,
}

impl Limit {
    /// All.
    pub const ALL: [Self; 5] = [Self::One, Self::Two, Self::Log, Self::Root, Self::Never];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "1",
            Self::Two => "2",
            Self::Log => "log n",
            Self::Root => "√(m / log n)",
            Self::Never => "never",
        }
    }
}

/// An algorithm, and how it goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Setup {
    /// It begins anew after each removal; else it goes on from the vertices that lost edges.
    pub basic: bool,
    /// When it decomposes instead.
    pub limit: Limit,
    /// Its sets are decision diagrams; else bits.
    pub diagrams: bool,
}

impl Setup {
    fn way(&self) -> Way {
        if self.basic { Way::Basic } else { Way::Improved }
    }

    fn threshold(&self) -> Threshold {
        match self.limit {
            Limit::One => Threshold::Fixed(1),
            Limit::Two => Threshold::Fixed(2),
            Limit::Log => Threshold::Logarithm,
            Limit::Root => Threshold::Root,
            Limit::Never => Threshold::Never,
        }
    }

    /// In a few words.
    pub fn words(&self) -> String {
        let sets = if self.diagrams { "decision diagrams" } else { "bits" };
        if self.basic {
            return format!("basic, {sets}");
        }
        format!("improved, threshold {}, {sets}", self.limit.name())
    }
}

/// How two algorithms go side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pace {
    /// Both are at the same step.
    #[default]
    Step,
    /// Both have taken as many symbolic steps.
    Count,
    /// Each goes by itself: the first does.
    First,
    /// The second does.
    Second,
}

/// What is asked of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FairnessRequest {
    /// A graph or a program.
    pub text: String,
    /// Layers go downwards.
    pub narrow: bool,
    /// What is promised to threads.
    pub promise: Promise,
    /// What is promised to what empties buffers, if that is something else.
    pub buffer_promise: Option<Promise>,
    /// The store buffers of a program's threads.
    pub buffers: StoreBuffers,
    /// What a run of a program is to do; empty for nothing beside fairness.
    pub question: String,
    /// The pairs of a graph that are not asked.
    pub off: Vec<u32>,
    /// The algorithm.
    pub first: Setup,
    /// Another one beside it.
    pub second: Option<Setup>,
    /// How they go together.
    pub pace: Pace,
    /// How many steps are shown; with a common count, how many counts.
    pub step: u32,
    /// How many of the second, where each goes by itself.
    pub other: u32,
    /// The components that are unfolded, by their first vertices.
    pub unfolded: Vec<u32>,
    /// The step of the run that shows who starves.
    pub round: u32,
    /// A play against chance.
    pub play: Option<PlayRequest>,
    /// What has to hold behind each step is checked.
    pub invariants: bool,
    /// A set is shown as a diagram.
    pub order: bool,
    /// Growth that is shown.
    pub growth: Option<GrowthRequest>,
    /// Of how many graphs at least.
    pub grown: u32,
}

/// What is shown of a text at a place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FairnessView {
    /// What it is, and how large.
    pub name: String,
    /// What comes out, in a sentence.
    pub sentence: String,
    /// Whether there is something from where one wins.
    pub wins: Option<bool>,
    /// What else has to be said.
    pub notes: Vec<String>,
    /// The text is a program.
    pub is_program: bool,
    /// Chance decides somewhere.
    pub by_chance: bool,
    /// The pairs.
    pub pairs: Vec<PairView>,
    /// The graph.
    pub drawing: Option<Drawing>,
    /// What is not drawn, and how to see more.
    pub folded: Option<String>,
    /// By box of the drawing: the component that it stands for, if that can be unfolded.
    pub folds: Vec<Option<u32>>,
    /// The algorithms.
    pub sides: Vec<SideView>,
    /// The step that is shown, as keys go through them.
    pub step: u32,
    /// How many there are.
    pub all_steps: u32,
    /// What is counted so: `step`, or `count` of symbolic steps.
    pub place: String,
    /// Who can starve, of a program.
    pub starve: Option<StarveView>,
    /// A play against chance.
    pub play: Option<PlayView>,
    /// A set as a diagram.
    pub order: Option<OrderView>,
    /// Growth, of some graphs so far.
    pub growth: Option<GrowthView>,
}

/// A text that was opened, with what was decided of it.
pub struct FairnessOpen {
    request: FairnessRequest,
    subject: Subject,
    sides: Sides,
    starve: Option<Starve>,
    growth: Option<Growth>,
}

impl Inspection for FairnessOpen {
    type Request = FairnessRequest;
    type View = FairnessView;

    fn open(request: &FairnessRequest) -> Result<Self, Vec<Diagnostic>> {
        let subject = Subject::of(request)?;
        let starve = subject.program.as_ref().map(|program| {
            Starve::of(&request.text, program, &subject.places, &request.question, request.buffer_promise)
        });
        let pairs = subject.objective();
        let setups = std::iter::once(request.first).chain(request.second);
        let sides = Sides::of(&subject, &pairs, setups);
        Ok(Self { request: request.clone(), subject, sides, starve, growth: None })
    }

    fn is_of(&self, request: &FairnessRequest) -> bool {
        let of = |request: &FairnessRequest| {
            let FairnessRequest { text, promise, buffer_promise, buffers, question, off, first, second, .. } =
                request.clone();
            (text, (promise, buffer_promise, buffers), question, off, (first, second))
        };
        of(&self.request) == of(request)
    }

    fn view(&mut self, request: &FairnessRequest) -> FairnessView {
        let subject = &self.subject;
        let picture = subject.picture(&request.unfolded, request.narrow);
        let shown = self.sides.shown(request);
        let sides = self.sides.views(subject, &picture, &shown, request.invariants);
        let (step, all_steps, place) = self.sides.place(request);
        let (sentence, wins) = self.sides.answer(subject);
        let play = request.play.as_ref().and_then(|play| self.sides.play(subject, play));
        let order = request.order.then(|| order::order(subject, &self.sides.about(subject, &shown)));
        let growth = request.growth.as_ref().map(|asked| {
            let growth = match self.growth.take().filter(|growth| growth.is_of(asked)) {
                Some(growth) => self.growth.insert(growth),
                None => self.growth.insert(Growth::new(asked)),
            };
            while growth.done() < request.grown && !growth.is_over() {
                growth.go_on();
            }
            growth.view()
        });
        FairnessView {
            name: subject.name(),
            sentence,
            wins,
            notes: subject.notes.clone(),
            is_program: subject.program.is_some(),
            by_chance: subject.by_chance(),
            pairs: subject.pair_views(),
            folded: picture.folded,
            folds: picture.folds,
            drawing: Some(picture.drawing),
            sides,
            step,
            all_steps,
            place,
            starve: self.starve.as_ref().map(|starve| starve.view(request.promise, request.round)),
            play,
            order,
            growth,
        }
    }

    fn text(request: &FairnessRequest) -> &str {
        &request.text
    }
}
