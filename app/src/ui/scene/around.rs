//! What drawings and those who point at them have in common.

use std::collections::{HashMap, HashSet};

use leptos::prelude::*;
use litmoscope::graph::{EventKey, RelationName};
use litmoscope::report::{Drawing, DrawnEdge, EdgeKey, EdgeKind, Look, Mark};

/// What the mouse, the caret or the keyboard points at: the same thing in program and graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointed {
    /// An event of the graph.
    Event(EventKey),
    /// An edge of the graph.
    Edge(EdgeKey),
    /// A line of the program, from 1.
    Line(u32),
}

/// What is around all drawings of a page: how they look, and what is pointed at in any of them.
#[derive(Clone, Copy)]
pub struct Around {
    /// Theme and colours.
    pub look: Signal<Look>,
    /// How large a drawing may become for its panel, compared to the usual.
    pub scale: Signal<f64>,
    /// It is seen from the last row.
    pub afar: Signal<bool>,
    /// Lines of the program are those that the events come from.
    pub current: Signal<bool>,
    /// Relations that are drawn thick.
    pub thick: Signal<Vec<RelationName>>,
    /// Where the page is scrolled by turning the wheel.
    pub embedded: bool,
    /// What is pointed at.
    pub pointed: RwSignal<Option<Pointed>>,
    /// What was clicked: asked about while nothing else is pointed at.
    pub pinned: RwSignal<Option<Pointed>>,
    /// A step of a list that is pointed at, and the drawing that it is shown in.
    pub step: RwSignal<Option<(&'static str, EdgeKey)>>,
    /// What the pointer was pressed on.
    pub pressed: StoredValue<Option<Pointed>>,
}

impl Around {
    /// That of this page.
    pub fn get() -> Self {
        expect_context()
    }

    /// The colour of a relation.
    pub fn colour(self, relation: RelationName) -> &'static str {
        self.look.get().color(relation)
    }

    /// The colour of a kind of edges in a drawing.
    pub fn edge_colour(self, drawing: &Drawing, kind: EdgeKind) -> String {
        drawing.color(kind, self.look.get()).to_owned()
    }
}

/// What an event has to do with the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Pinned.
    Pinned,
    /// Where the path leads.
    Target,
    /// The write that it reads from.
    Source,
    /// Reads from it.
    Reader,
    /// Before it in po.
    Po,
    /// Before it in porf.
    Porf,
    /// An end of an edge of the answer.
    OnWay,
}

impl Role {
    /// The class of its node.
    pub fn class(self) -> &'static str {
        match self {
            Self::Pinned => "lit-pinned",
            Self::Target => "lit-target",
            Self::Source => "lit-source",
            Self::Reader => "lit-reader",
            Self::Po => "lit-po",
            Self::Porf => "lit-porf",
            Self::OnWay => "lit-way",
        }
    }

    /// A word at its node, so that roles are told apart without colours.
    pub fn tag(self) -> Option<&'static str> {
        match self {
            Self::Pinned => Some("pinned"),
            Self::Target => Some("to"),
            Self::Source => Some("source"),
            Self::Reader => Some("reads it"),
            Self::Po => Some("po"),
            Self::Porf => Some("porf"),
            Self::OnWay => None,
        }
    }
}

/// What is brought out in a drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lighting {
    /// Edges that are drawn.
    pub edges: HashSet<EdgeKey>,
    /// Edges that are not drawn otherwise.
    pub added: Vec<DrawnEdge>,
    /// Events, by what they have to do with the answer.
    pub roles: HashMap<EventKey, Role>,
}

/// The class of a mark.
pub fn mark_class(mark: Mark) -> &'static str {
    match mark {
        Mark::Refusing => "mark-refusing",
        Mark::Newest => "mark-newest",
        Mark::Revisiting => "mark-revisiting",
        Mark::Read => "mark-read",
        Mark::Placed => "mark-placed",
        Mark::Front => "mark-front",
        Mark::Prefix => "mark-prefix",
        Mark::Kept => "mark-kept",
        Mark::Cut => "mark-cut",
        Mark::InCycle => "mark-cycle",
        Mark::RaceParty => "mark-race",
        Mark::Stuck => "mark-stuck",
        Mark::Option => "mark-option",
        Mark::Selected => "mark-selected",
        Mark::Present => "mark-present",
    }
}

/// A word beside a node, so that marks are told apart without colours.
pub fn mark_badge(mark: Mark) -> Option<&'static str> {
    match mark {
        Mark::Refusing => Some("not max."),
        Mark::Newest => Some("new"),
        Mark::Revisiting => Some("revisits"),
        Mark::Read => Some("read"),
        Mark::Placed => Some("placed"),
        Mark::Front => Some("before"),
        Mark::Prefix => Some("porf"),
        Mark::Cut => Some("cut"),
        Mark::RaceParty => Some("race"),
        Mark::Stuck => Some("stuck"),
        Mark::Option => Some("option"),
        Mark::Present => Some("now"),
        Mark::Kept | Mark::InCycle | Mark::Selected => None,
    }
}
