//! Names of tests, as the literature has them.

use super::cycle::Cycle;
use super::edge::{Annotation, Barrier, Communication, Dependency, Direction, Relation, Rmw};
use super::test::Dialect;
use crate::program::{Mode, UpdateOperator};

/// Skeletons with names: for each thread, its first and last event and the external edge behind it. The names are those of
/// "Fences in Weak Memory Models" and of Maranget, Sarkar and Sewell's "A Tutorial Introduction to the ARM and POWER
/// Relaxed Memory Models", as diy writes them.
const SKELETONS: [(&str, &str); 23] = [
    ("SB", "WRfr WRfr"),
    ("LB", "RWrf RWrf"),
    ("MP", "WWrf RRfr"),
    ("S", "WWrf RWco"),
    ("R", "WWco WRfr"),
    ("2+2W", "WWco WWco"),
    ("WRC", "Wrf RWrf RRfr"),
    ("WWC", "Wrf RWrf RWco"),
    ("RWC", "Wrf RRfr WRfr"),
    ("WRR+2W", "Wrf RRfr WWco"),
    ("WRW+WR", "Wrf RWco WRfr"),
    ("WRW+2W", "Wrf RWco WWco"),
    ("ISA2", "WWrf RWrf RRfr"),
    ("W+RWC", "WWrf RRfr WRfr"),
    ("Z6.0", "WWrf RWco WRfr"),
    ("Z6.1", "WWco WWrf RWco"),
    ("Z6.2", "WWrf RWrf RWco"),
    ("Z6.3", "WWco WWrf RRfr"),
    ("Z6.4", "WWco WRfr WRfr"),
    ("Z6.5", "WWco WWco WRfr"),
    ("IRIW", "Wrf RRfr Wrf RRfr"),
    ("IRRWIW", "Wrf RRfr Wrf RWco"),
    ("IRWIW", "Wrf RWco Wrf RWco"),
];

/// Those in one location.
const COHERENCE: [(&str, &str); 6] = [
    ("CoRR", "Wrf RRfr"),
    ("CoWW", "WWco"),
    ("CoRW1", "RWrf"),
    ("CoRW2", "Wrf RWco"),
    ("CoWR0", "WRfr"),
    ("CoWR", "WRfr Wco"),
];

/// Those with any number of threads that are all the same.
const UNIFORM: [(&str, &str); 3] = [("SB", "WRfr"), ("LB", "RWrf"), ("2W", "WWco")];

fn direction(direction: Direction) -> &'static str {
    if direction == Direction::Read { "R" } else { "W" }
}

fn communication(communication: Communication) -> &'static str {
    match communication {
        Communication::Rf => "rf",
        Communication::Fr => "fr",
        Communication::Co => "co",
    }
}

impl Cycle {
    /// The name of its test: that of its skeleton (first and last events of threads, and how they communicate), and
    /// behind it what each thread has besides plain program order. Skeletons without a name in the literature are spelt
    /// out. Cycles have the same name if and only if they are the same, whichever edge they begin with.
    ///
    /// A thread of default accesses is the list of its edges, such as `po`, `mfence`, `addr`. Otherwise there is a letter
    /// for each event: `n`, `x`, `a`, `l` and `s` for non-atomic, relaxed, acquire, release and sequentially consistent,
    /// on x86 `r`, `w` and `X` for a locked write.
    pub fn name(&self, dialect: Dialect) -> String {
        let (first, base) = self.base(dialect);
        let n = self.threads.len();
        let threads: Vec<usize> = (first..n).chain(0..first).collect();
        let plain = if self.locations == 1 && COHERENCE.iter().any(|(name, _)| *name == base) { "pos" } else { "po" };
        // A thread of one event has no edges; its letter is given if one of them has another than the default.
        let singles = self.threads.iter().any(|events| events.len() == 1 && !self.is_default(events.start, dialect));
        let parts: Vec<String> = threads
            .into_iter()
            .filter(|&thread| self.threads[thread].len() > 1 || singles)
            .map(|thread| self.part(thread, dialect))
            .collect();
        if parts.iter().all(|part| part == plain) {
            return base;
        }
        format!("{base}+{}", parts.join("+"))
    }

    /// The same cycle, beginning with the thread that names begin with.
    #[must_use]
    pub fn canonical(&self, dialect: Dialect) -> Self {
        self.turned_to(self.base(dialect).0)
    }

    /// The first thread of the name, and the skeleton's name.
    fn base(&self, dialect: Dialect) -> (usize, String) {
        let n = self.threads.len();
        let skeleton: Vec<String> = self
            .threads
            .iter()
            .map(|events| {
                let last = events.end - 1;
                let from = direction(self.events[events.start].direction);
                let to = if events.len() == 1 { "" } else { direction(self.events[last].direction) };
                let Relation::External(leaving) = self.edges[last].relation else { return String::new() };
                format!("{from}{to}{}", communication(leaving))
            })
            .collect();
        let turned = |by: usize| {
            let threads: Vec<&str> = (0..n).map(|thread| skeleton[(by + thread) % n].as_str()).collect();
            threads.join(" ")
        };
        let parts: Vec<String> = (0..n).map(|thread| self.part(thread, dialect)).collect();
        let turned_parts = |by: usize| (0..n).map(|thread| &parts[(by + thread) % n]).collect::<Vec<_>>();
        // Of the turns that look the same, the one whose name is the least.
        let first = |wanted: &str| (0..n).filter(|&by| turned(by) == wanted).min_by_key(|&by| turned_parts(by));
        let tables = [&COHERENCE[..], &SKELETONS[..]];
        for table in &tables[usize::from(self.locations > 1)..] {
            for (name, wanted) in *table {
                if let Some(by) = first(wanted) {
                    return (by, (*name).to_owned());
                }
            }
        }
        for (name, thread) in UNIFORM {
            if n > 2 && skeleton.iter().all(|part| part == thread) {
                return (first(&turned(0)).unwrap_or(0), format!("{n}.{name}"));
            }
        }
        let least = (0..n).map(turned).min().unwrap_or_default();
        (first(&least).unwrap_or(0), least.replace(' ', ""))
    }

    /// Whether an event accesses memory as events without annotations do.
    fn is_default(&self, event: usize, dialect: Dialect) -> bool {
        let event = &self.events[event];
        dialect.annotation(event) == dialect.resolve(None, event.direction)
    }

    fn letter(&self, event: usize, dialect: Dialect) -> char {
        let event = &self.events[event];
        match (dialect.annotation(event), event.direction) {
            (Annotation::Locked, _) => 'X',
            (Annotation::Plain, Direction::Read) if dialect.is_x86() => 'r',
            (Annotation::Plain, Direction::Write) if dialect.is_x86() => 'w',
            (Annotation::Plain, _) => 'n',
            (Annotation::Relaxed, _) => 'x',
            (Annotation::Acquire, _) => 'a',
            (Annotation::Release, _) => 'l',
            // An event is not both.
            (Annotation::SequentiallyConsistent | Annotation::AcquireRelease, _) => 's',
        }
    }

    /// What a name says of a thread.
    fn part(&self, thread: usize, dialect: Dialect) -> String {
        let events = self.threads[thread].clone();
        let last = events.end - 1;
        let letters: Vec<char> = events.clone().map(|event| self.letter(event, dialect)).collect();
        let is_po = |edge: usize| self.edges[edge].relation == Relation::Po && self.edges[edge].changes_location();
        let several = events.len() > 2;
        if events.clone().all(|event| self.is_default(event, dialect)) && events.len() > 1 {
            let edges: Vec<String> = (events.start..last).map(|edge| self.edge_part(edge, several)).collect();
            return edges.join("-");
        }
        if events.len() <= 2 && (events.start..last).all(is_po) {
            return letters.into_iter().collect();
        }
        let mut part = letters[0].to_string();
        for (edge, letter) in (events.start..last).zip(&letters[1..]) {
            part += &format!("-{}-{letter}", self.edge_part(edge, several));
        }
        part
    }

    /// What a name says of an edge within a thread; of several in a row, also what their events are.
    fn edge_part(&self, edge: usize, several: bool) -> String {
        let edge = &self.edges[edge];
        let (mut name, directions) = match edge.relation {
            Relation::Po => ("po", 2),
            Relation::Fenced(Barrier::MFence) => ("mfence", 2),
            Relation::Fenced(Barrier::Fence(mode)) => match mode {
                Mode::SequentiallyConsistent => ("fsc", 2),
                Mode::AcquireRelease => ("far", 2),
                Mode::Release => ("frel", 2),
                _ => ("facq", 2),
            },
            Relation::Dependency(Dependency::Address) => ("addr", 1),
            Relation::Dependency(Dependency::Data) => ("data", 1),
            Relation::Dependency(Dependency::Control) => ("ctrl", 1),
            Relation::Rmw(Rmw::Update(UpdateOperator::Add)) => ("add", 0),
            Relation::Rmw(Rmw::Update(_)) => ("exch", 0),
            Relation::Rmw(Rmw::CompareAndSwap) => ("cas", 0),
            Relation::Internal(Communication::Rf) => ("rfi", 0),
            Relation::Internal(Communication::Fr) => ("fri", 0),
            Relation::Internal(Communication::Co) => ("coi", 0),
            // Threads have none.
            Relation::External(_) => ("", 0),
        };
        let mut part = String::new();
        if directions > 0 && edge.same_location {
            part = format!("{name}s");
            name = &part;
        }
        if several {
            let (from, to) = (direction(edge.from).to_lowercase(), direction(edge.to).to_lowercase());
            return match directions {
                0 => name.to_owned(),
                1 => format!("{name}{to}"),
                _ => format!("{name}{from}{to}"),
            };
        }
        if part.is_empty() { name.to_owned() } else { part }
    }
}
