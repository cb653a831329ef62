//! Relaxation edges: what a cycle is made of.

use crate::program::{Mode, Notation, UpdateOperator};
use std::fmt;
use std::str::FromStr;

/// Whether an event reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// It reads.
    Read,
    /// It writes.
    Write,
}

impl Direction {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Read, Self::Write];

    fn letter(self) -> char {
        if self == Self::Read { 'R' } else { 'W' }
    }

    /// "a read" or "a write".
    pub(super) fn noun(self) -> &'static str {
        if self == Self::Read { "a read" } else { "a write" }
    }
}

/// How an event at an end of an edge accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Annotation {
    /// `Na`: a plain access, non-atomic in C11.
    Plain,
    /// `Rlx`
    Relaxed,
    /// `Acq`
    Acquire,
    /// `Rel`
    Release,
    /// `AR`: acquire for the read, release for the write of a read-modify-write.
    AcquireRelease,
    /// `Sc`
    SequentiallyConsistent,
    /// `A`: a write by a locked exchange.
    Locked,
}

impl Annotation {
    /// All of them, with the names that are read. The first name of each is the one that is written.
    const NAMES: [(&'static str, Self); 9] = [
        ("Na", Self::Plain),
        ("NA", Self::Plain),
        ("Rlx", Self::Relaxed),
        ("Acq", Self::Acquire),
        ("Rel", Self::Release),
        ("AR", Self::AcquireRelease),
        ("AcqRel", Self::AcquireRelease),
        ("Sc", Self::SequentiallyConsistent),
        ("A", Self::Locked),
    ];

    /// As it is written at the end of an edge.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, annotation)| *annotation == self).map_or("", |(name, _)| name)
    }

    /// What it means for an event of a direction, where it means something: `AR` is `Acq` for reads and `Rel` for writes.
    pub(super) fn of(self, direction: Direction) -> Option<Self> {
        use Direction::{Read, Write};
        match (self, direction) {
            (Self::AcquireRelease, Read) => Some(Self::Acquire),
            (Self::AcquireRelease, Write) => Some(Self::Release),
            (Self::Acquire, Write) | (Self::Release | Self::Locked, Read) => None,
            _ => Some(self),
        }
    }

    /// The mode of an access; a locked write is an exchange.
    pub(super) fn mode(self) -> Mode {
        match self {
            Self::Plain => Mode::NonAtomic,
            Self::Relaxed => Mode::Relaxed,
            Self::Acquire => Mode::Acquire,
            Self::Release => Mode::Release,
            Self::AcquireRelease => Mode::AcquireRelease,
            Self::SequentiallyConsistent | Self::Locked => Mode::SequentiallyConsistent,
        }
    }
}

impl FromStr for Annotation {
    type Err = UnknownEdge;

    /// The names that edges have, in any case: `rlx`, `AcqRel`.
    fn from_str(text: &str) -> Result<Self, UnknownEdge> {
        let found = Self::NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        found.map(|(_, annotation)| *annotation).ok_or_else(|| {
            UnknownEdge::new(
                format!("there is no annotation `{}`", shortened(text)),
                "annotations are Na, Rlx, Acq, Rel, AR, Sc and A",
            )
        })
    }
}

/// A fence between two events of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Barrier {
    /// x86's `MFENCE`.
    MFence,
    /// C11's fence of a mode other than non-atomic and relaxed.
    Fence(Mode),
}

/// How a later event depends on a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dependency {
    /// Its address does.
    Address,
    /// The value written does.
    Data,
    /// Whether it happens does.
    Control,
}

/// How the two halves of a read-modify-write hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rmw {
    /// An unconditional update: an exchange or a fetch-and-add.
    Update(UpdateOperator),
    /// A compare-and-swap that succeeds.
    CompareAndSwap,
}

/// How two events of one location communicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Communication {
    /// The read reads from the write.
    Rf,
    /// The read reads from an older write than the next one.
    Fr,
    /// The first write is older in coherence.
    Co,
}

/// What relates the two events of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// Program order.
    Po,
    /// Program order with a fence between.
    Fenced(Barrier),
    /// A dependency.
    Dependency(Dependency),
    /// A read-modify-write.
    Rmw(Rmw),
    /// Communication within a thread.
    Internal(Communication),
    /// Communication between threads.
    External(Communication),
}

/// An edge of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelaxationEdge {
    /// What relates its events.
    pub relation: Relation,
    /// Whether both events access one location. Communication and read-modify-writes always do.
    pub same_location: bool,
    /// Whether the first event reads or writes.
    pub from: Direction,
    /// Whether the second event does.
    pub to: Direction,
    /// How the events access memory, where the edge says so.
    pub annotations: Option<(Annotation, Annotation)>,
}

/// Why a word is no edge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UnknownEdge {
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl UnknownEdge {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

/// Read-modify-writes with the names that are read. The first name of each is the one that is written.
const RMWS: [(&str, Rmw); 12] = [
    ("Exch", Rmw::Update(UpdateOperator::Exchange)),
    ("LockRmw", Rmw::Update(UpdateOperator::Exchange)),
    ("Rmw", Rmw::Update(UpdateOperator::Exchange)),
    ("Amo.Swap", Rmw::Update(UpdateOperator::Exchange)),
    ("Swap", Rmw::Update(UpdateOperator::Exchange)),
    ("FetchAdd", Rmw::Update(UpdateOperator::Add)),
    ("Amo.FetchAdd", Rmw::Update(UpdateOperator::Add)),
    ("Amo.LdAdd", Rmw::Update(UpdateOperator::Add)),
    ("Add", Rmw::Update(UpdateOperator::Add)),
    ("Cas", Rmw::CompareAndSwap),
    ("Amo.Cas", Rmw::CompareAndSwap),
    ("CmpXchg", Rmw::CompareAndSwap),
];

/// Communication with the names that are read. The first name of each is the one that is written.
const COMMUNICATIONS: [(&str, Relation); 8] = [
    ("Rfe", Relation::External(Communication::Rf)),
    ("Rfi", Relation::Internal(Communication::Rf)),
    ("Fre", Relation::External(Communication::Fr)),
    ("Fri", Relation::Internal(Communication::Fr)),
    ("Coe", Relation::External(Communication::Co)),
    ("Coi", Relation::Internal(Communication::Co)),
    ("Wse", Relation::External(Communication::Co)),
    ("Wsi", Relation::Internal(Communication::Co)),
];

/// Modes of fences with the names that are read. The first name of each is the one that is written.
const FENCES: [(&str, Mode); 6] = [
    ("Sc", Mode::SequentiallyConsistent),
    ("AR", Mode::AcquireRelease),
    ("AcqRel", Mode::AcquireRelease),
    ("Rel", Mode::Release),
    ("Acq", Mode::Acquire),
    ("Rlx", Mode::Relaxed),
];

const DEPENDENCIES: [(&str, Dependency); 3] =
    [("Addr", Dependency::Address), ("Data", Dependency::Data), ("Ctrl", Dependency::Control)];

fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, found)| found == value).map_or("", |(name, _)| name)
}

/// A word short enough for a message.
fn shortened(word: &str) -> String {
    if word.chars().count() <= 40 { word.to_owned() } else { word.chars().take(39).chain(['…']).collect() }
}

const VOCABULARY: &str = "edges are Pod.. and Pos.. with two directions (PodWR), MFenced.., FenceScd.., DpAddrd., \
                          DpDatad., DpCtrld., Exch, FetchAdd, Cas, Rfe, Rfi, Fre, Fri, Coe and Coi, each with or without \
                          two annotations (PodWRRelAcq)";

impl RelaxationEdge {
    /// Whether it leads to another thread.
    pub fn is_external(&self) -> bool {
        matches!(self.relation, Relation::External(_))
    }

    /// Whether it leads to another location.
    pub fn changes_location(&self) -> bool {
        !self.same_location
    }

    /// The same without annotations.
    #[must_use]
    pub fn bare(self) -> Self {
        Self { annotations: None, ..self }
    }

    /// Whether the other edge can follow in a cycle: it starts where this one ends, and they do not disagree on how the
    /// event between them accesses memory.
    pub fn can_precede(&self, next: &Self) -> bool {
        let agree = match (self.annotations, next.annotations) {
            (Some((_, before)), Some((after, _))) => before == after,
            _ => true,
        };
        self.to == next.from && agree
    }

    /// All edges without annotations that a notation has words for. Edges of one kind stand together.
    pub fn vocabulary(notation: Notation) -> Vec<Self> {
        let (c, x86) = (notation == Notation::C11, matches!(notation, Notation::X86 | Notation::X86_64));
        let mut all = Vec::new();
        let mut add = |patterns: &[&str]| {
            all.extend(patterns.iter().flat_map(|pattern| Self::pattern(pattern).unwrap_or_default()));
        };
        add(&["Rfe", "Fre", "Coe", "Pod**", "Rfi", "Fri", "Coi", "Pos**"]);
        if !c {
            add(&["MFenced**", "MFences**"]);
        }
        if !x86 {
            add(&["FenceScd**", "FenceARd**", "FenceReld**", "FenceAcqd**", "FenceScs**", "FenceARs**"]);
            add(&[
                "FenceRels**",
                "FenceAcqs**",
                "DpAddrd*",
                "DpDatadW",
                "DpCtrld*",
                "DpAddrs*",
                "DpDatasW",
                "DpCtrls*",
            ]);
        }
        add(&["Exch", "FetchAdd"]);
        if !x86 {
            add(&["Cas"]);
        }
        all
    }

    /// The edges of a word in which `*` may stand for either direction: `Pod**`, `FenceScdW*`.
    ///
    /// # Errors
    /// What is wrong with the word.
    pub fn pattern(word: &str) -> Result<Vec<Self>, UnknownEdge> {
        if word.matches('*').count() > 2 {
            let message = format!("`{}` has more than two `*`", shortened(word));
            return Err(UnknownEdge::new(message, "an edge has two directions: Pod**"));
        }
        if !word.contains('*') {
            return Ok(vec![word.parse()?]);
        }
        let mut all = Self::pattern(&word.replacen('*', "R", 1))?;
        all.extend(Self::pattern(&word.replacen('*', "W", 1))?);
        Ok(all)
    }

    /// What it says of its two events, in one line: "a write, then a read of another location in the same thread".
    pub fn description(&self) -> String {
        let (from, to) = (self.from.noun(), self.to.noun());
        let place = if self.same_location { "the same location" } else { "another location" };
        let of = |direction| if direction == Direction::Read { "of" } else { "to" };
        let target = format!("{to} {} {place}", of(self.to));
        let main = match self.relation {
            Relation::Po => format!("{from}, then {target} in the same thread"),
            Relation::Fenced(barrier) => {
                let fence = match barrier {
                    Barrier::MFence => "mfence".to_owned(),
                    Barrier::Fence(mode) => format!("fence {}", mode.keyword()),
                };
                format!("{from}, then `{fence}`, then {target} in the same thread")
            }
            Relation::Dependency(kind) => {
                let how = match kind {
                    Dependency::Address => "whose address depends on it",
                    Dependency::Data => "whose value depends on it",
                    Dependency::Control => "after a branch on it",
                };
                format!("{from}, then {target} in the same thread, {how}")
            }
            Relation::Rmw(rmw) => match rmw {
                Rmw::Update(UpdateOperator::Add) => "the read and the write of a fetch-and-add".to_owned(),
                Rmw::Update(_) => "the read and the write of an exchange".to_owned(),
                Rmw::CompareAndSwap => "the read and the write of a compare-and-swap that succeeds".to_owned(),
            },
            Relation::Internal(communication) | Relation::External(communication) => {
                let thread = if self.is_external() { "another thread" } else { "the same thread, later" };
                match communication {
                    Communication::Rf => format!("a write, and a read in {thread} that reads from it"),
                    Communication::Fr => format!("a read, and a write in {thread}, newer than what was read"),
                    Communication::Co => format!("a write, and a newer write to the location in {thread}"),
                }
            }
        };
        match self.annotations {
            Some((from, to)) => format!("{main} ({}, {})", from.name(), to.name()),
            None => main,
        }
    }
}

impl fmt::Display for RelaxationEdge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.same_location { 's' } else { 'd' };
        let (from, to) = (self.from.letter(), self.to.letter());
        match self.relation {
            Relation::Po => write!(f, "Po{place}{from}{to}")?,
            Relation::Fenced(Barrier::MFence) => write!(f, "MFence{place}{from}{to}")?,
            Relation::Fenced(Barrier::Fence(mode)) => write!(f, "Fence{}{place}{from}{to}", name_of(&FENCES, &mode))?,
            Relation::Dependency(kind) => write!(f, "Dp{}{place}{to}", name_of(&DEPENDENCIES, &kind))?,
            Relation::Rmw(rmw) => f.write_str(name_of(&RMWS, &rmw))?,
            Relation::Internal(_) | Relation::External(_) => f.write_str(name_of(&COMMUNICATIONS, &self.relation))?,
        }
        match self.annotations {
            Some((from, to)) => write!(f, "{}{}", from.name(), to.name()),
            None => Ok(()),
        }
    }
}

/// The word behind the longest name of a table that it starts with.
fn strip<'w, T: Copy>(word: &'w str, table: &[(&'static str, T)]) -> Option<(T, &'w str)> {
    let matching = table.iter().filter_map(|(name, value)| Some((name.len(), *value, word.strip_prefix(name)?)));
    matching.max_by_key(|(length, ..)| *length).map(|(_, value, rest)| (value, rest))
}

/// Takes a direction from the front.
fn direction(rest: &str) -> Option<(Direction, &str)> {
    strip(rest, &[("R", Direction::Read), ("W", Direction::Write)])
}

/// Takes `d` or `s`: whether the location stays the same.
fn place(rest: &str) -> Option<(bool, &str)> {
    strip(rest, &[("d", false), ("s", true)])
}

/// The annotations that make up a text.
fn annotations(rest: &str, wanted: usize) -> Option<Vec<Annotation>> {
    if wanted == 0 {
        return rest.is_empty().then(Vec::new);
    }
    Annotation::NAMES.iter().find_map(|(name, annotation)| {
        let mut found = annotations(rest.strip_prefix(name)?, wanted - 1)?;
        found.insert(0, *annotation);
        Some(found)
    })
}

impl FromStr for RelaxationEdge {
    type Err = UnknownEdge;

    fn from_str(word: &str) -> Result<Self, UnknownEdge> {
        use Direction::{Read, Write};
        let quoted = shortened(word);
        let edge = |relation, same_location, from, to| Self { relation, same_location, from, to, annotations: None };
        let directions = |rest, example: &str| {
            let both = direction(rest).and_then(|(from, rest)| direction(rest).map(|(to, rest)| (from, to, rest)));
            both.ok_or_else(|| {
                let message = format!("`{quoted}` does not say what its two events are");
                UnknownEdge::new(message, format!("write R or W for each of them: {example}"))
            })
        };
        let locations = |rest, example: &str| {
            place(rest).ok_or_else(|| {
                let message = format!("`{quoted}` does not say whether its events access the same location");
                UnknownEdge::new(message, format!("write `d` for different locations or `s` for the same: {example}"))
            })
        };
        let (found, rest) = if let Some((relation, rest)) = strip(word, &COMMUNICATIONS) {
            let (Relation::Internal(communication) | Relation::External(communication)) = relation else {
                return Err(UnknownEdge::new(format!("there is no edge `{quoted}`"), VOCABULARY));
            };
            let (from, to) = match communication {
                Communication::Rf => (Write, Read),
                Communication::Fr => (Read, Write),
                Communication::Co => (Write, Write),
            };
            (edge(relation, true, from, to), rest)
        } else if let Some(rest) = word.strip_prefix("Po") {
            let (same, rest) = locations(rest, "PodWR, PosWR")?;
            let (from, to, rest) = directions(rest, "PodWR")?;
            (edge(Relation::Po, same, from, to), rest)
        } else if let Some(rest) = word.strip_prefix("MFence").or_else(|| word.strip_prefix("Mfence")) {
            let barrier = Relation::Fenced(Barrier::MFence);
            if rest.is_empty() {
                // The only order that x86 does not keep without it.
                (edge(barrier, false, Write, Read), rest)
            } else {
                let (same, rest) = locations(rest, "MFencedWR, MFencesWR")?;
                let (from, to, rest) = directions(rest, "MFencedWR")?;
                (edge(barrier, same, from, to), rest)
            }
        } else if let Some(rest) = word.strip_prefix("Fence") {
            let Some((mode, rest)) = strip(rest, &FENCES) else {
                let message = format!("`{quoted}` does not say which fence it is");
                return Err(UnknownEdge::new(message, "write Sc, AR, Rel or Acq after `Fence`: FenceScdWR"));
            };
            if mode == Mode::Relaxed {
                let message = format!("`{quoted}`: a relaxed fence orders nothing");
                return Err(UnknownEdge::new(
                    message,
                    "write Pod.. for no fence, or FenceSc, FenceAR, FenceRel, FenceAcq",
                ));
            }
            let (same, rest) = locations(rest, "FenceScdWR, FenceScsWR")?;
            let (from, to, rest) = directions(rest, "FenceScdWR")?;
            (edge(Relation::Fenced(Barrier::Fence(mode)), same, from, to), rest)
        } else if let Some((kind, rest)) = word.strip_prefix("Dp").and_then(|rest| strip(rest, &DEPENDENCIES)) {
            let (same, rest) = locations(rest, "DpAddrdW, DpAddrsW")?;
            let Some((to, rest)) = direction(rest) else {
                let message = format!("`{quoted}` does not say what depends on the read");
                return Err(UnknownEdge::new(message, "write R or W for it: DpAddrdR, DpDatadW"));
            };
            if (kind, to) == (Dependency::Data, Read) {
                let message = format!("`{quoted}`: a read writes no value, so no data dependency can lead to it");
                return Err(UnknownEdge::new(message, "write DpDatadW, or DpAddrdR"));
            }
            (edge(Relation::Dependency(kind), same, Read, to), rest)
        } else if let Some((rmw, rest)) = strip(word, &RMWS) {
            (edge(Relation::Rmw(rmw), true, Read, Write), rest)
        } else {
            return Err(UnknownEdge::new(format!("there is no edge `{quoted}`"), VOCABULARY));
        };
        if rest.is_empty() {
            return Ok(found);
        }
        match annotations(rest, 2).as_deref() {
            Some([from, to]) => Ok(Self { annotations: Some((*from, *to)), ..found }),
            _ => {
                let message = format!("`{quoted}`: `{}` is not a pair of annotations", shortened(rest));
                let help = format!("write one for each event, out of Na, Rlx, Acq, Rel, AR, Sc and A: {found}RlxRlx");
                Err(UnknownEdge::new(message, help))
            }
        }
    }
}
