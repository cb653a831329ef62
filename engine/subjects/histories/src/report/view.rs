//! What the page asks about a recording, and what it shows of it.
//!
//! Places on the timeline are moments: the calls and returns of a history, numbered in their order ([`Moment`](crate::Moment)).
//! A bar goes from the moment of its call to that of its return; a point that takes effect behind moment 3 and before the next one is at 3.5.
//!
//! A recording is asked about by what is to be seen of it: the moments and threads in sight, the points, the step. Each answer
//! has what is in sight alone, so its size does not depend on the recording's, which may have a million operations. What takes
//! long after the verdict, finding the few operations that contradict each other, comes as another view.

use crate::executions::Sight;
use crate::explore::{Algorithm, Options};
use crate::{Monitor, Object};
use serde::{Deserialize, Serialize};

/// What is asked of a recording, or of an execution of a program with an object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HistoryRequest {
    /// Which of its histories.
    pub choice: u32,
    /// What the object is to be; `None`: what the text says, or else what its operations are usual for.
    pub object: Option<Object>,
    /// Who judges it.
    pub monitor: Monitor,
    /// Which history is shown.
    pub part: Part,
    /// The moments that are in sight, from and to; `None`: where it opens.
    pub window: Option<(f64, f64)>,
    /// How many pixels wide the timeline is: where more bars than that stand in a row they are shown as crowds.
    pub width: u32,
    /// The first thread in sight, and how many are.
    pub rows: (u32, u32),
    /// Where operations take effect.
    pub points: Points,
    /// The place in the sequence of points around which it is listed.
    pub turn: u32,
    /// How many steps of the monitor to show; more than there are: all.
    pub step: u32,
    /// Whose steps, if the monitor has some for each value: an index into [`Steps::choices`].
    pub steps_of: u32,
    /// If the text is a program: which execution.
    pub code: CodeRequest,
}

/// What is asked of a program with an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CodeRequest {
    /// Which of its objects.
    pub structure: u16,
    /// What says that an operation returned before another one was called.
    pub order: Sight,
    /// Which execution is shown.
    pub shown: CodeChoice,
}

/// An execution of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeChoice {
    /// One of those that are not linearizable, by its place among them; as long as there is none, the first execution.
    Found(u32),
    /// What there is after so many steps of the exploration on the page.
    Step(u64),
}

impl Default for CodeChoice {
    fn default() -> Self {
        Self::Found(0)
    }
}

/// Which operations are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// All.
    #[default]
    Whole,
    /// Those few that contradict each other, stretched. If there are none: all.
    Contradiction,
}

/// Where operations take effect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Points {
    /// Nowhere yet.
    #[default]
    Hidden,
    /// In the middle of each bar, to begin with; of pending operations, never.
    Middle,
    /// Where the monitor puts them, if it can.
    Solved,
    /// Where somebody has put them.
    Own(Vec<OwnPoint>),
}

/// A point that somebody has put somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnPoint {
    /// The operation: its place in the history that is shown.
    pub operation: u32,
    /// Where. What lies outside of its bar is put to its nearest end; of pending operations, what lies behind all moments is never.
    pub at: f64,
}

/// What the page shows of a recording, or of a program with an object and one of its executions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HistoryView {
    /// The histories of the recording, by name.
    pub histories: Vec<String>,
    /// Which of them is shown.
    pub choice: u32,
    /// What the object is taken for; `None` if nothing tells and nobody has said.
    pub object: Option<Object>,
    /// What an object can be, with its name.
    pub objects: Vec<(Object, String)>,
    /// How large the history is, and who judged it: `8 operations of 3 threads, decided by the fast algorithm for this kind of object`.
    pub size: String,
    /// What is known of it.
    pub verdict: HistoryVerdict,
    /// The same in a sentence.
    pub sentence: String,
    /// Why it is not linearizable, the main reason first.
    pub reasons: Vec<ToldOperations>,
    /// What the rules as printed would say of it, if that is wrong.
    pub as_printed: Option<String>,
    /// Something is still looked for, such as the few operations that contradict each other: another view comes.
    pub has_more: bool,
    /// Which history is shown.
    pub part: Part,
    /// The history that is shown.
    pub timeline: Timeline,
    /// The few operations that contradict each other, where the history is not linearizable.
    pub contradiction: Option<Contradiction>,
    /// Why there are none although it is not linearizable, in a sentence.
    pub no_contradiction: Option<String>,
    /// The points in their order, unless they are hidden or too many.
    pub sequence: Option<Sequence>,
    /// Why there are no points, or no sequence of them, although that was asked for, in a sentence.
    pub no_sequence: Option<String>,
    /// What the monitor does, if there is one for the object and the history that is shown is not too long.
    pub steps: Option<Steps>,
    /// Why there are no steps, in a sentence.
    pub no_steps: Option<String>,
    /// If the text is a program: its executions. Verdict, sentence and size are then those of the program, and the rest is about the
    /// execution that is shown, if it has a history.
    pub code: Option<CodeView>,
}

/// The executions of a program with an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodeView {
    /// Its objects, each with its kind: `s, a stack`.
    pub objects: Vec<String>,
    /// Which of them is judged.
    pub structure: u16,
    /// What says that an operation returned before another one was called.
    pub order: Sight,
    /// What else can, with a name and a sentence each.
    pub orders: Vec<(Sight, String, String)>,
    /// Executions that are not linearizable, in a line each: a hundred at most.
    pub found: Vec<String>,
    /// How many more there are.
    pub left_out: u64,
    /// The step that is asked for is not reached yet.
    pub is_walking: bool,
    /// The execution that is shown, if there is one yet.
    pub shown: Option<CodeShown>,
    /// Which one that is.
    pub choice: Option<CodeChoice>,
}

/// An execution, or what there is of one at a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CodeShown {
    /// Its number, or that of the step.
    pub title: String,
    /// Whether the object allows it, in a sentence.
    pub sentence: String,
    /// Whether it has an order that the object does not allow.
    pub is_wrong: bool,
    /// After how many steps it is there.
    pub position: u64,
    /// The steps of which algorithm, with which options: they need not be the page's.
    pub by: (Algorithm, Options),
    /// Why there is no timeline, in a sentence.
    pub no_history: Option<String>,
    /// The operations, a line a thread: `P0: push 1, pop 2`.
    pub operations: Vec<String>,
    /// Which operation returned before which other one of another thread was called, but for what follows from the rest.
    pub facts: Vec<ToldOperations>,
    /// Its history as a text, to be opened by itself.
    pub text: Option<String>,
}

/// What is known of a history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum HistoryVerdict {
    /// It is linearizable.
    Linearizable,
    /// It is not.
    Not,
    /// The search was given up, the monitor that was asked for does not know its operations, or not all executions are judged.
    #[default]
    Unknown,
    /// It is not known what the object is.
    NoObject,
}

/// Operations in a sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToldOperations {
    /// The sentence.
    pub text: String,
    /// The operations of the whole history that it is about.
    pub operations: Vec<u32>,
    /// The moments of the whole history from the first call of them to the last return; `None` without operations.
    pub stretch: Option<(f64, f64)>,
}

/// A history, or what is in sight of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// All threads.
    pub rows: Vec<Row>,
    /// How many moments there are: the timeline goes from -1 to this.
    pub moments: u32,
    /// The moments that are in sight, from and to.
    pub window: (f64, f64),
    /// The bars that are in sight, by thread and call.
    pub bars: Vec<Bar>,
    /// Where more bars stand side by side than there are pixels.
    pub crowds: Vec<Crowd>,
    /// Times of moments as written, for an axis.
    pub ticks: Vec<Tick>,
    /// What the step that is shown says of stretches of time.
    pub bands: Vec<Band>,
    /// Where operations in sight take effect.
    pub points: Vec<Dot>,
    /// Whether points can be moved. In long histories they can't.
    pub points_move: bool,
    /// By operation, where its point is, also of those out of sight: if points are seen and can be moved.
    pub places: Vec<f64>,
    /// The whole in small.
    pub map: Map,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// How many bars stand one above the other in it: 1, unless operations are stretched.
    pub lanes: u32,
}

/// How a bar is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// As it is.
    #[default]
    Plain,
    /// What the step is not about.
    Faded,
    /// Its value is put outermost in this step.
    Extreme,
    /// It comes before the gap.
    Left,
    /// It comes behind the gap.
    Right,
    /// It is what the step is about: what is called or returns, or is looked for.
    Now,
    /// It is called and has not taken effect.
    Active,
    /// It takes effect in this step.
    Effect,
    /// It takes effect in this step because something else can't wait.
    Forced,
    /// It is part of what contradicts itself.
    Wrong,
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// Its place in the history that is shown.
    pub operation: u32,
    /// Its thread: an index into [`Timeline::rows`].
    pub row: u32,
    /// Which of the bars that stand one above the other, from the top.
    pub lane: u32,
    /// When it was called.
    pub call: u32,
    /// When it returned; `None` if it is pending.
    pub ret: Option<u32>,
    /// What it did: `push 1`.
    pub label: String,
    /// A letter or short name for its value, and which of twelve colours the value has.
    pub value: Option<(String, u8)>,
    /// All about it: thread, operation, times, line.
    pub title: String,
    /// How it is drawn.
    pub mark: Mark,
}

/// Bars too close to be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crowd {
    /// Their thread.
    pub row: u32,
    /// From the first call.
    pub from: f64,
    /// To the last return.
    pub to: f64,
    /// How many.
    pub operations: u32,
    /// Whether one of them is part of what contradicts itself.
    pub is_wrong: bool,
}

/// A time as written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tick {
    /// The moment.
    pub at: u32,
    /// Its time.
    pub label: String,
}

/// What a stretch of time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BandKind {
    /// Something is surely in.
    Populated,
    /// Nothing is surely in.
    Deserted,
    /// The deserted stretch at which the history is split.
    Gap,
    /// A value is surely in: between its insertion's return and its removal's call.
    Inner,
    /// A value may be in: between its insertion's call and its removal's return.
    Outer,
    /// Now.
    Now,
}

/// A stretch of time, over all threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// Its first moment.
    pub from: f64,
    /// Its last moment.
    pub to: f64,
    /// What it is.
    pub kind: BandKind,
    /// What it is, in a few words: `something is surely in`.
    pub title: String,
    /// Which of twelve colours, if it is a value's.
    pub colour: Option<u8>,
    /// Which of the bands that stand one above the other, from the top: those of one lane do not overlap.
    pub lane: u32,
}

/// Where an operation takes effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dot {
    /// The operation.
    pub operation: u32,
    /// Its thread.
    pub row: u32,
    /// Its lane.
    pub lane: u32,
    /// Where.
    pub at: f64,
    /// The earliest place that it may have.
    pub from: f64,
    /// The latest place that it may have. Of a pending operation that is behind all moments: there it never takes effect.
    pub to: f64,
    /// Its place in the sequence, from 1; `None` if it never takes effect.
    pub place: Option<u32>,
    /// Whether the object allows it there.
    pub state: TurnState,
    /// All about it, for those who can't see it: `push 1 of T1 takes effect at place 2 of 5`.
    pub title: String,
}

/// The whole history in small.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Map {
    /// How many operations are open in each of some hundred equal stretches of time, of 255 for the most.
    pub load: Vec<u8>,
    /// Stretches of time in which something contradicts itself.
    pub wrong: Vec<(f64, f64)>,
}

/// Whether the object allows an operation at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnState {
    /// It does.
    Legal,
    /// It does not, and it is the first one.
    Illegal,
    /// Something before it is not allowed, so nobody knows.
    Unreached,
}

/// Points in their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sequence {
    /// Whether all are allowed.
    pub is_legal: bool,
    /// What is to be said of them: `Every operation takes effect at once: this order is a linearization.`
    pub sentence: String,
    /// Some of them: those around the one asked for, or around the first that is not allowed.
    pub turns: Vec<Turn>,
    /// How many there are before these.
    pub before: u32,
    /// How many there are.
    pub all: u32,
}

/// A point in its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Its place, from 1.
    pub place: u32,
    /// The operation.
    pub operation: u32,
    /// Its thread: an index into [`Timeline::rows`].
    pub row: u32,
    /// Where it takes effect.
    pub at: f64,
    /// What it does: `T1: push 1`.
    pub text: String,
    /// Its value, as of [`Bar::value`].
    pub value: Option<(String, u8)>,
    /// What the object holds afterwards: each value with its colour, or a text; of many values, some and how many more.
    pub contents: Vec<(String, Option<u8>)>,
    /// Whether the object allows it.
    pub state: TurnState,
    /// If it does not: why, in a sentence.
    pub why: Option<String>,
}

/// The few operations that contradict each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contradiction {
    /// What they are, in a sentence.
    pub sentence: String,
    /// They, stretched as far as the contradiction lasts.
    pub timeline: Timeline,
    /// By operation of it: its place in the whole history.
    pub operations: Vec<u32>,
    /// The facts that cannot all hold, with the operations of the whole history.
    pub facts: Vec<ToldOperations>,
}

/// What a monitor does, step by step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Steps {
    /// Whose steps these are: `The monitor of stacks, as published`.
    pub title: String,
    /// If it has some for each value: the values, those that contradict themselves first.
    pub choices: Vec<String>,
    /// Which of them is shown.
    pub choice: u32,
    /// The step that is shown; 0 is before the first one.
    pub step: u32,
    /// How many there are.
    pub all: u32,
    /// What the step says.
    pub caption: String,
    /// What is known after it, line by line: what is in, who is active.
    pub notes: Vec<String>,
    /// Some steps: those around the one that is shown.
    pub listed: Vec<StepLine>,
    /// The tree of the recursion, or that in which values are looked for.
    pub tree: Option<StepTree>,
}

/// A step in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepLine {
    /// Its number, from 1.
    pub number: u32,
    /// How many steps it is below.
    pub depth: u32,
    /// What it says.
    pub text: String,
    /// Whether it is a contradiction.
    pub is_wrong: bool,
}

/// A tree of steps, or of values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepTree {
    /// What it is, in a few words.
    pub title: String,
    /// Its nodes, the root first.
    pub nodes: Vec<StepTreeNode>,
    /// How wide it is, in the units of its nodes' places.
    pub width: f64,
    /// How high it is.
    pub height: f64,
}

/// How a node of a tree is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// It has been.
    Done,
    /// It is what the step is about.
    Now,
    /// It was on the way there.
    Way,
    /// It is yet to come, or off the way.
    Ahead,
    /// It is a contradiction.
    Wrong,
}

/// A node of a tree: a box in whose middle its place is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepTreeNode {
    /// The node above.
    pub parent: Option<u32>,
    /// What stands on the line from there: `L`, `R`; empty for nothing.
    pub edge: String,
    /// Its place from the left.
    pub x: f64,
    /// Its place from the top.
    pub y: f64,
    /// How wide its box is.
    pub width: f64,
    /// How high its box is.
    pub height: f64,
    /// What stands in it, line by line.
    pub lines: Vec<String>,
    /// How it is drawn.
    pub state: NodeState,
    /// The step that it stands for, if it stands for one.
    pub step: Option<u32>,
    /// All about it.
    pub title: String,
}
