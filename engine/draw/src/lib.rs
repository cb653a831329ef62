//! Diagrams and execution graphs as pictures and text. It is the third floor of the engine, over `litmoscope-core`.
//!
//! What to draw ([`DrawingInput`]) becomes columns, nodes and edges ([`Diagram`]); [`layout()`] says where each of them stands;
//! the [`Drawing`] that comes of it is painted as it is, by [`svg()`] as by the page.
//!
//! ```
//! use litmoscope_core::{model::Model, program::Code, syntax};
//! use litmoscope_draw::{DrawingInput, Look, graph_text, layout, svg};
//! use litmoscope_explore::explore::{Algorithm, Options};
//! use std::sync::Arc;
//!
//! let program = syntax::parse("x := 1 || a := x").expect("it is right").program;
//! let code = Arc::new(Code::compile(&program)?);
//! let mut explorer = Algorithm::Trust.explorer(code, Model::SC, Options::default())?;
//! while explorer.counts().complete == 0 {
//!     explorer.advance();
//! }
//! let input = DrawingInput::with_relations(&program, Model::SC, explorer.execution(), None);
//! assert!(graph_text(&input).contains("rf: P0.1 → P1.1"));
//! let drawing = layout(input.diagram());
//! assert_eq!(drawing.columns.len(), 2);
//! assert!(svg(&drawing, Look::default()).starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is where
//!
//! - `input`, `skeleton`, `label`, `calls`: from an execution graph to a diagram. How much room the program lets expect, what
//!   stands in a box, frames around calls.
//! - `diagram`, `edge_kind`, `spacing`: a diagram of anything, before it has places.
//! - `layout`, `route`, `tidy`: where nodes stand, how edges run, where labels fit; trees.
//! - `svg`, `inline`, `tikz`, `dot`, `text`, `graph_json`, `outline`, `table`, `format`: the formats. Colours and dashes of
//!   relations are in `svg`.
//! - `time`: executions as runs.
//! - `reason`: why edges are there and what cycles break, in words.
//! - `highlight`: edges brought out in a drawing that is there already.
//!
//! Nothing here knows the page, a terminal, or how a graph was found.
#![warn(missing_docs, unreachable_pub)]

mod calls;
mod diagram;
mod dot;
mod edge_kind;
mod format;
mod graph_json;
mod highlight;
mod inline;
mod input;
mod label;
mod layout;
mod outline;
mod reason;
mod route;
mod skeleton;
mod spacing;
mod svg;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod tidy;
mod tikz;
mod time;
mod within;

pub use calls::call_frames;
pub use diagram::{Diagram, DiagramColumn, DiagramEdge, DiagramFrame, DiagramNode, Place, Room};
pub use dot::{dot, quote};
pub use edge_kind::{EdgeKind, OwnKind, Shades};
pub use format::Format;
pub use graph_json::{CycleJson, CycleStepJson, EventJson, GraphJson};
pub use highlight::{EdgeKey, Highlighted, highlight};
pub use inline::{inline_style, inline_svg};
pub use input::{DrawingInput, InitialWrites};
pub use label::{edge_text, error_sentence, event_name, event_text, event_title, location_name, mode_words};
pub use layout::layout;
pub use outline::{OutlineEvent, OutlineThread, outline};
pub use reason::Speaker;
pub use svg::{Colours, Look, Style, Theme, escape, style, svg};
pub use table::{EventColumn, EventRow, EventTable, TableCo, table_csv, table_markdown};
pub use text::graph_text;
pub use tidy::tidy;
pub use tikz::tikz;
pub use time::{Chip, RowKind, TimeCell, TimeRow, Timeline, fitting_co, time_svg, time_text};

/// A drawing that is no wider and no higher has letters of 9 pixels or more in a panel of 600 by 500: its smallest, those of titles,
/// have 13.
pub const READABLE: [f32; 2] = [600.0 * 13.0 / 9.0, 500.0 * 13.0 / 9.0];

/// What diagrams of executions are made of, for those who make other ones.
pub mod parts {
    pub use crate::diagram::Step;
    pub use crate::input::{node, seat, turns};
    pub use crate::label::{kind, object_name};
    pub use crate::skeleton::seats;
    pub use crate::spacing::node_width;
}

// What the floor below has goes by the same names here.
#[cfg(test)]
use litmoscope_core::syntax;
use litmoscope_core::{graph, library, model, program, sort, words};
#[cfg(test)]
use litmoscope_explore::explore;

use crate::graph::{EventKey, RelationName};
use crate::program::Span;
use serde::{Deserialize, Serialize};
use svg::dash;

/// More initial writes than these are shown only if they have an edge: a row has to fit on a screen.
const MANY: usize = 8;

/// What the title of an edge of co says where the graph forces it: no edge of wb is drawn beside it.
const WB_TOO: &str = "; wb too: the graph forces it";

/// What is special about an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Not maximal, which forbids a revisit.
    Refusing,
    /// Added by this step.
    Newest,
    /// The write that revisits.
    Revisiting,
    /// The read that is revisited, or whose source is chosen.
    Read,
    /// The write whose place in co is chosen.
    Placed,
    /// The write that it comes immediately behind in co, or could.
    Front,
    /// In the porf prefix of the write that revisits.
    Prefix,
    /// Kept because it was added before the revisited read, or before the write that takes another place.
    Kept,
    /// About to be cut.
    Cut,
    /// On the violating cycle; follows from [`DrawingInput::violation`].
    InCycle,
    /// One of the two accesses of a data race.
    RaceParty,
    /// Waits for good, in an execution that is stuck for good.
    Stuck,
    /// A possible source of the read.
    Option,
    /// The event that the mouse or the program text points at.
    Selected,
    /// The state of a machine in which it is.
    Present,
}

impl Mark {
    /// In words, for titles.
    pub fn words(self) -> &'static str {
        match self {
            Self::Refusing => "not maximal, so the revisit does not happen here",
            Self::Newest => "added by this step",
            Self::Revisiting => "the write that revisits",
            Self::Read => "the read whose source is chosen",
            Self::Placed => "the write whose place in co is chosen",
            Self::Front => "the write immediately before that place",
            Self::Prefix => "in the porf prefix of the revisiting write",
            Self::Kept => "kept, because it was added earlier",
            Self::Cut => "cut by the revisit",
            Self::InCycle => "on the violating cycle",
            Self::RaceParty => "races",
            Self::Stuck => "waits for good",
            Self::Option => "a possible source",
            Self::Selected => "selected",
            Self::Present => "the current state",
        }
    }
}

/// What a node shows, for choosing its shape or colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// An initial write.
    Init,
    /// A read, a failed compare-and-swap included.
    Read,
    /// A write.
    Write,
    /// A read-modify-write.
    Update,
    /// A fence.
    Fence,
    /// An error.
    Error,
    /// A failed assumption, or an operation that waits.
    Stuck,
    /// A loop beyond its bound.
    Bound,
}

/// A laid-out diagram. Lengths are in pixels of a drawing at its natural size; y grows downwards; the origin is the upper
/// left corner. It has room for what the diagram lets expect, drawn or not, so that nothing moves while a graph grows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drawing {
    /// Width of everything.
    pub width: f32,
    /// Height of everything.
    pub height: f32,
    /// From left to right: the threads.
    pub columns: Vec<Column>,
    /// What the initial writes stand on, to be painted over the columns; `None` where there are none.
    pub initial: Option<Band>,
    /// What is drawn around nodes that belong together, over the columns.
    pub frames: Vec<Frame>,
    /// Initial writes first, then thread by thread in po, ghosts last in each thread. No two nodes overlap, and an event
    /// stands in the same place in all drawings of the program in which the same is before it in porf ([`layout()`]).
    pub nodes: Vec<Node>,
    /// po first, edges of the cycle last, so that they are painted on top.
    pub edges: Vec<DrawnEdge>,
    /// The relations that occur, for a legend.
    pub relations: Vec<RelationName>,
    /// The kinds of edges that this drawing alone has.
    pub kinds: Vec<OwnKind>,
    /// As [`Diagram::chosen_co`].
    pub chosen_co: bool,
    /// How many events one thread of the program may have, as far as can be told: the drawing has room for as many.
    pub rows: usize,
}

impl Drawing {
    fn own(&self, kind: u8) -> Option<&OwnKind> {
        self.kinds.get(usize::from(kind))
    }

    /// What a kind of edges is called.
    pub fn name(&self, kind: EdgeKind) -> &str {
        match kind {
            EdgeKind::Relation(relation) => relation.name(),
            EdgeKind::Own(kind) => self.own(kind).map_or("", |kind| &kind.name),
        }
    }

    /// SVG's `stroke-dasharray` for a kind of edges, empty for a solid line: co is solid where it was chosen.
    pub fn dash(&self, kind: impl Into<EdgeKind>) -> &str {
        match kind.into() {
            EdgeKind::Relation(relation) => dash(relation, self.chosen_co),
            EdgeKind::Own(kind) => self.own(kind).map_or("", |kind| &kind.dash),
        }
    }

    /// The colour of a kind of edges.
    pub fn color(&self, kind: EdgeKind, look: Look) -> &str {
        match kind {
            EdgeKind::Relation(relation) => look.color(relation),
            EdgeKind::Own(kind) => self.own(kind).map_or("", |kind| kind.color(look)),
        }
    }
}

/// A thread's column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Left border.
    pub x: f32,
    /// Top: of the title.
    pub y: f32,
    /// Width; all nodes of the thread lie inside.
    pub width: f32,
    /// Height from the title to the last row of all threads.
    pub height: f32,
    /// `P0`; centred in the uppermost [`TITLE_HEIGHT`] pixels.
    pub title: String,
}

/// The band of the initial writes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// Left border.
    pub x: f32,
    /// Upper border.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

/// What is drawn around nodes that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Where.
    pub band: Band,
    /// What stands above it, from its left border on: `push(1)`. In a monospaced font of [`FRAME_FONT_SIZE`]; mostly empty.
    pub label: String,
    /// A sentence on it.
    pub title: String,
}

/// An event's box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its name across graphs: unique in the drawing, the same while stepping.
    pub key: EventKey,
    /// The column that it stands in; `None` in the row above all columns.
    pub column: Option<usize>,
    /// The write that it reads from.
    pub source: Option<EventKey>,
    /// Left border.
    pub x: f32,
    /// Upper border.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
    /// What stands in the box: `Wrel(x,1)`. In a monospaced font of [`FONT_SIZE`], centred.
    pub label: String,
    /// `P1.2`
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
    /// What is special about it, ascending.
    pub marks: Vec<Mark>,
    /// The number of a colour that tells what belongs together, if it has one.
    pub colour: Option<u8>,
    /// Cut from the graph: to be drawn faded.
    pub ghost: bool,
    /// Where it comes from in the source; the default for initial writes.
    pub span: Span,
    /// A sentence on it, for hovering and for screen readers.
    pub title: String,
}

/// An edge as a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrawnEdge {
    /// The node where it starts.
    pub from: EventKey,
    /// The node where it ends.
    pub to: EventKey,
    /// What it says.
    pub kind: EdgeKind,
    /// What else it says: the kind of an edge between the same nodes that is not drawn beside it. That of co is one of wb too
    /// where the graph forces it.
    pub also: Option<EdgeKind>,
    /// SVG path data, `M` and `C` alone, from border to border.
    pub path: String,
    /// The arrow head: [`HEAD_PATH`] moved to `(x, y)` and turned by `angle`.
    pub head: Head,
    /// The relation's name beside the curve. `None` for po between neighbours outside a cycle, and where it would cover
    /// a node or another label at every place tried.
    pub label: Option<EdgeLabel>,
    /// On the violating cycle.
    pub in_cycle: bool,
    /// Added by this step.
    pub new: bool,
    /// po to a ghost: to be drawn faded.
    pub ghost: bool,
    /// `rf from P0.1 W(x,1) to P1.1 R(x,1)`, for hovering and for screen readers.
    pub title: String,
}

/// An arrow head's place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Its tip.
    pub x: f32,
    /// Its tip.
    pub y: f32,
    /// Where it points, in degrees clockwise from the right, as SVG's `rotate` takes it.
    pub angle: f32,
}

/// A label's text and place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EdgeLabel {
    /// `rf`
    pub text: String,
    /// Centre.
    pub x: f32,
    /// Centre.
    pub y: f32,
    /// Width of the text; the rectangle is kept free of nodes and other labels.
    pub width: f32,
    /// Height of the text.
    pub height: f32,
}

/// An arrow head with its tip at the origin, pointing to the right.
pub const HEAD_PATH: &str = "M0 0L-9 -4.2L-7 0L-9 4.2Z";
/// Size of the font in nodes; it has to be monospaced.
pub const FONT_SIZE: f32 = 14.0;
/// Size of the font of edge labels.
pub const LABEL_FONT_SIZE: f32 = 12.0;
/// The size of the labels of frames.
pub const FRAME_FONT_SIZE: f32 = 12.0;
/// Width of a character relative to the size of a monospaced font.
pub const CHARACTER_WIDTH: f32 = 0.602;
/// Size of the letters of a column's title.
const TITLE_FONT_SIZE: f32 = 13.0;
/// Height of a column's title.
pub const TITLE_HEIGHT: f32 = 24.0;
