//! Cycles: edges that fit together, and what events they make.

use super::Dialect;
use super::edge::{Annotation, Communication, Direction, Relation, RelaxationEdge};
use crate::program::{Mode, Span};
use crate::syntax::Diagnostic;
use std::fmt;
use std::ops::Range;

/// How many edges a cycle may have.
pub const MAX_EDGES: usize = 32;

/// A closed cycle of edges that a litmus test can be made of. It begins with the first event of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cycle {
    /// The edge from each event to the next one.
    pub(super) edges: Vec<RelaxationEdge>,
    pub(super) events: Vec<Event>,
    /// The events of each thread.
    pub(super) threads: Vec<Range<usize>>,
    /// How many locations there are.
    pub(super) locations: usize,
}

/// An event of a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Event {
    pub direction: Direction,
    /// How it accesses memory, where one of its edges says so.
    pub annotation: Option<Annotation>,
    pub thread: usize,
    pub location: usize,
    /// The value it reads or writes: what number of write to its location that is in coherence order, 0 for the initial
    /// one.
    pub value: usize,
}

/// Why edges are no cycle, or a cycle can't be a test in a notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// The index of the edge at fault.
    pub edge: usize,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl Problem {
    pub(super) fn new(edge: usize, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { edge, message: message.into(), help: help.into() }
    }
}

/// The annotations of two edges at the event between them.
fn merge(before: &RelaxationEdge, after: &RelaxationEdge) -> Option<Annotation> {
    before.annotations.map(|(_, to)| to).or(after.annotations.map(|(from, _)| from))
}

impl Cycle {
    /// A cycle of edges, of which each leads from one event to the next and the last one back to the first. Values are
    /// given in the order of the cycle, as diy does it: each write to a location is one newer than the write before it,
    /// each read reads from the last write before it.
    ///
    /// With a single external edge there is one thread, and the edge leads to one of its earlier events.
    ///
    /// The cycle is turned so that it begins with the first event of a thread: where it is, or else the first one behind
    /// an external edge.
    ///
    /// # Errors
    /// [`Problem`] at the first edge that does not fit, or that a cycle lacks or has too much of.
    pub fn new(edges: Vec<RelaxationEdge>) -> Result<Self, Problem> {
        Self::turned(edges).map(|(cycle, _)| cycle)
    }

    /// The cycle, and the index that its first edge had.
    pub(super) fn turned(mut edges: Vec<RelaxationEdge>) -> Result<(Self, usize), Problem> {
        let n = edges.len();
        let last = n.saturating_sub(1);
        if n < 2 {
            return Err(Problem::new(last, "a cycle has at least two edges", "for example: PodWW Rfe PodRR Fre"));
        }
        if n > MAX_EDGES {
            let message = format!("the cycle has {n} edges, more than {MAX_EDGES}");
            return Err(Problem::new(MAX_EDGES, message, "leave some out"));
        }
        for (at, edge) in edges.iter().enumerate() {
            let before = (at + last) % n;
            fits(&edges[before], edge).map_err(|(message, help)| Problem::new(at, message, help))?;
        }
        let external = edges.iter().filter(|edge| edge.is_external()).count();
        let changes = edges.iter().filter(|edge| edge.changes_location()).count();
        if external == 0 {
            let help = "Rfe, Fre and Coe lead from thread to thread: PodWW Rfe PodRR Fre";
            return Err(Problem::new(last, "no edge leads to another thread", help));
        }
        if changes == 1 {
            let at = edges.iter().position(RelaxationEdge::changes_location).unwrap_or(last);
            let message = format!("`{}` leads to another location, and no edge leads back", edges[at]);
            return Err(Problem::new(at, message, "add another edge with a `d`, or write it with an `s`"));
        }
        // Where the order of each location's events begins: behind a change of the location, or behind the edge that
        // the order contradicts.
        let begin = match edges.iter().rposition(RelaxationEdge::changes_location) {
            Some(change) => change + 1,
            None => {
                let Some(broken) = contradicted(&edges) else {
                    let message = "the cycle has one location, but no edge of program order";
                    let help = "add a program-order edge that coherence contradicts: Rfe PosRR Fre";
                    return Err(Problem::new(last, message, help));
                };
                broken + 1
            }
        };
        let start = if edges[last].is_external() {
            0
        } else {
            edges.iter().position(RelaxationEdge::is_external).map_or(0, |external| external + 1)
        };
        edges.rotate_left(start);
        let begin = (begin + n - start) % n;

        let mut events: Vec<Event> = Vec::with_capacity(n);
        let mut threads = Vec::new();
        let (mut thread, mut location) = (0, 0);
        for at in 0..n {
            let before = &edges[(at + last) % n];
            if at > 0 {
                thread += usize::from(before.is_external());
                location = (location + usize::from(before.changes_location())) % changes.max(1);
            }
            if at == 0 || before.is_external() {
                threads.push(at..at);
            }
            threads[thread].end = at + 1;
            let annotation = merge(before, &edges[at]).and_then(|a| a.of(edges[at].from));
            events.push(Event { direction: edges[at].from, annotation, thread, location, value: 0 });
        }
        let mut newest = vec![0; changes.max(1)];
        for at in (begin..n).chain(0..begin) {
            let event = &mut events[at];
            newest[event.location] += usize::from(event.direction == Direction::Write);
            event.value = newest[event.location];
        }
        Ok((Self { edges, events, threads, locations: changes.max(1) }, start))
    }

    /// Reads a cycle: edges with blanks between them, in quotation marks or not.
    ///
    /// # Errors
    /// What is wrong, each with its place in the text.
    pub fn parse(text: &str) -> Result<Self, Vec<Diagnostic>> {
        Self::parse_spanned(text).map(|(cycle, _)| cycle)
    }

    /// The cycle, and the places of its edges.
    pub(super) fn parse_spanned(text: &str) -> Result<(Self, Vec<Span>), Vec<Diagnostic>> {
        let words = words(text);
        let (mut edges, mut spans, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        for (word, span) in words {
            match word.parse::<RelaxationEdge>() {
                Ok(edge) => edges.push(edge),
                Err(error) => errors.push(Diagnostic::error(error.message, span).with_help(error.help)),
            }
            spans.push(span);
            if errors.len() == 10 {
                break;
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let end = Span { start: text.len() as u32, end: text.len() as u32, line: 1, column: 1 };
        match Self::turned(edges) {
            Ok((cycle, start)) => {
                spans.rotate_left(start);
                Ok((cycle, spans))
            }
            Err(problem) => Err(vec![problem.diagnostic(&spans, end)]),
        }
    }

    /// The edges that can stand behind others in a cycle of a dialect, or at its start, in the order of
    /// [`RelaxationEdge::vocabulary`]. `annotations` are those wanted at the two ends: where only one is, the other end is what the
    /// edge before says of it, or what the dialect says of events without annotations.
    pub fn continuations(
        before: Option<&RelaxationEdge>,
        annotations: (Option<Annotation>, Option<Annotation>),
        dialect: Dialect,
    ) -> Vec<RelaxationEdge> {
        let said = before.and_then(|before| before.annotations).map(|(_, to)| to);
        let annotate = |edge: RelaxationEdge| match annotations {
            (None, None) => edge,
            (from, to) => {
                let from = said.or(from).unwrap_or_else(|| dialect.resolve(None, edge.from));
                let to = to.unwrap_or_else(|| dialect.resolve(None, edge.to));
                RelaxationEdge { annotations: Some((from, to)), ..edge }
            }
        };
        let fit = |edge: &RelaxationEdge| match before {
            Some(before) => fits(before, edge).is_ok(),
            None => edge.check().is_ok(),
        };
        let edges = RelaxationEdge::vocabulary(dialect.notation).into_iter().map(annotate);
        edges.filter(|edge| fit(edge) && dialect.check(edge).is_ok()).collect()
    }

    /// Its edges; the last one leads back to the first event.
    pub fn edges(&self) -> &[RelaxationEdge] {
        &self.edges
    }

    /// How many threads the cycle goes through.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// How many locations it goes through.
    pub fn locations(&self) -> usize {
        self.locations
    }

    /// Whether it is critical (Shasha and Snir, TOPLAS 1988): no edge can be left out. A thread has one event, or two of
    /// different locations; and external edges follow each other only where that says more than one edge could, which is
    /// a write's value seen by a third thread.
    pub fn is_critical(&self) -> bool {
        let n = self.edges.len();
        (0..n).all(|at| critical(&self.edges[at], &self.edges[(at + 1) % n]))
    }

    /// The same cycle, beginning with the first event of another of its threads.
    pub(super) fn turned_to(&self, thread: usize) -> Self {
        let mut edges = self.edges.clone();
        edges.rotate_left(self.threads[thread].start);
        // What was a cycle is one however it is turned.
        Self::new(edges).unwrap_or_else(|_| self.clone())
    }
}

/// Whether two edges in a row may be part of a critical cycle.
pub(super) fn critical(edge: &RelaxationEdge, next: &RelaxationEdge) -> bool {
    use Communication::{Co, Fr, Rf};
    let lone = |edge: &RelaxationEdge| edge.is_external() || (edge.changes_location());
    match (edge.relation, next.relation) {
        (Relation::External(Co | Fr), Relation::External(Rf)) => true,
        (Relation::External(_), Relation::External(_)) => false,
        _ => lone(edge) && lone(next) && (edge.is_external() || next.is_external()),
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, edge) in self.edges.iter().enumerate() {
            write!(f, "{}{edge}", if at == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl Problem {
    /// At the place of its edge, or at the end where there is none.
    pub(super) fn diagnostic(self, spans: &[Span], end: Span) -> Diagnostic {
        let span = spans.get(self.edge).copied().unwrap_or(end);
        Diagnostic::error(self.message, span).with_help(self.help)
    }
}

/// The words of a text with their places; quotation marks are blanks.
pub(super) fn words(text: &str) -> Vec<(&str, Span)> {
    let mut words = Vec::new();
    let (mut line, mut column) = (1, 1);
    let mut open: Option<Span> = None;
    for (offset, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let blank = c.is_whitespace() || c == '"';
        if let Some(span) = open
            && blank
        {
            words.push((&text[span.start as usize..offset], Span { end: offset as u32, ..span }));
            open = None;
        } else if open.is_none() && !blank {
            open = Some(Span { start: offset as u32, end: offset as u32, line, column });
        }
        (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
    }
    words
}

/// What is wrong with an edge behind another one: message and help.
fn fits(before: &RelaxationEdge, edge: &RelaxationEdge) -> Result<(), (String, String)> {
    if before.to != edge.from {
        let (is, was) = (edge.from.noun(), before.to.noun());
        let message = format!("`{edge}` starts with {is}, but `{before}` before it ends with {was}");
        let starts = match before.to {
            Direction::Read => "PodR., PosR., Fre, Fri, Exch and Dp.. start with a read",
            Direction::Write => "PodW., PosW., Rfe, Rfi, Coe and Coi start with a write",
        };
        return Err((message, starts.to_owned()));
    }
    if let (Some((_, was)), Some((is, _))) = (before.annotations, edge.annotations)
        && was != is
    {
        let message = format!(
            "`{edge}` annotates an event with `{}`, but `{before}` before it annotates the same event with \
                     `{}`",
            is.name(),
            was.name()
        );
        return Err((message, "the end of an edge and the start of the next one are one event".to_owned()));
    }
    edge.check()?;
    if matches!(before.relation, Relation::Rmw(_))
        && before.annotations.is_none()
        && merge(before, edge) == Some(Annotation::Locked)
    {
        let message = format!("`{edge}`: the write of `{before}` is not a locked write on its own");
        return Err((message, "leave out the annotations, or the read-modify-write".to_owned()));
    }
    Ok(())
}

impl RelaxationEdge {
    /// Whether its annotations suit its events: else message and help.
    pub(super) fn check(&self) -> Result<(), (String, String)> {
        let Some((from, to)) = self.annotations else { return Ok(()) };
        for (annotation, direction) in [(from, self.from), (to, self.to)] {
            if annotation.of(direction).is_none() {
                let message = format!("`{self}`: {} can't be `{}`", direction.noun(), annotation.name());
                let help = match (annotation, direction) {
                    (Annotation::Locked, _) => "only writes are locked on their own; for a read, write Exch",
                    (_, Direction::Read) => "reads are Na, Rlx, Acq or Sc",
                    (_, Direction::Write) => "writes are Na, Rlx, Rel, Sc or A",
                };
                return Err((message, help.to_owned()));
            }
            if annotation == Annotation::AcquireRelease && !matches!(self.relation, Relation::Rmw(_)) {
                let message = format!("`{self}`: only a read-modify-write is both acquire and release");
                return Err((message, "reads are Na, Rlx, Acq or Sc, writes are Na, Rlx, Rel, Sc or A".to_owned()));
            }
        }
        Ok(())
    }
}

/// The edge of a cycle in one location that coherence contradicts: of program order, the first that from-read follows, or
/// else another external edge, or else any.
fn contradicted(edges: &[RelaxationEdge]) -> Option<usize> {
    let n = edges.len();
    let ordered = |edge: &RelaxationEdge| {
        matches!(edge.relation, Relation::Po | Relation::Fenced(_) | Relation::Dependency(_)) && edge.same_location
    };
    let first =
        |next: &dyn Fn(&RelaxationEdge) -> bool| (0..n).find(|&at| ordered(&edges[at]) && next(&edges[(at + 1) % n]));
    first(&|next| next.relation == Relation::External(Communication::Fr))
        .or_else(|| first(&RelaxationEdge::is_external))
        .or_else(|| first(&|_| true))
}

/// The mode of a read-modify-write by what is said of its halves; `None` if they contradict each other.
pub(super) fn rmw_mode(read: Mode, write: Mode) -> Option<Mode> {
    Some(match (read, write) {
        (Mode::SequentiallyConsistent, Mode::SequentiallyConsistent) => Mode::SequentiallyConsistent,
        (Mode::Acquire, Mode::Release) => Mode::AcquireRelease,
        (Mode::Acquire, Mode::Relaxed) => Mode::Acquire,
        (Mode::Relaxed, Mode::Release) => Mode::Release,
        (Mode::Relaxed, Mode::Relaxed) => Mode::Relaxed,
        _ => return None,
    })
}
