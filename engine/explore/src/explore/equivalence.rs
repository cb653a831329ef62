//! When two executions under SC count as the same: the classes that explorations tell apart.
//!
//! After Agarwal, Chatterjee, Pathak, Pavlogiannis, Toman: *Stateless Model Checking under a Reads-Value-From Equivalence*,
//! CAV 2021, §2 and §3, and Toman: *Improved Verification Techniques for Concurrent Systems*, 2021, §3.1 and §4.1. From fine to
//! coarse: Mazurkiewicz, data-centric, reads-from, reads-value-from, values; value-centric lies between data-centric and
//! reads-value-from, and is neither finer nor coarser than reads-from.
//!
//! Observers are those of Aronis, Jonsson, Lång, Sagonas: *Optimal Dynamic Partial Order Reduction with Observers*, TACAS 2018:
//! the order of two writes counts only if somebody reads from one of them. They lie between Mazurkiewicz and reads-from, and are
//! neither finer nor coarser than data-centric and value-centric.
//!
//! Deviations from print:
//!
//! - Events are compared with what they read and write, since two events behind reads of different values are different ones.
//! - Of value-centric classes, thesis §3.1 demands the same order of all events of the leaves; here, as in CAV 2021 and in the
//!   algorithm itself, it is that of conflicting ones. Only so does the program of Figure 4.1 have the 7 classes of print.
//! - A read-modify-write is one event. Operations of mutexes and channels take turns, and who comes after whom is part of
//!   every class: in print, an acquire has one good write, the release.
//!
//! An equivalence gives the class of one execution, for counting, and what tells two apart. Tests hold it against the
//! definitions on pairs of runs, and against the counts of print (`public/benchmarks/`, `engine/tests/suite/race.rs`).

use crate::graph::{Coherence, Event, EventId, EventKey, Execution, ThreadId};
use crate::program::{Location, Value};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// An equivalence of executions under SC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Equivalence {
    /// The same order of all conflicting events.
    Mazurkiewicz,
    /// The same order of all conflicting events, but for writes that nobody reads from.
    Observers,
    /// The same sources, and the same order of conflicting events outside the root thread.
    DataCentric,
    /// The same sources.
    ReadsFrom,
    /// The same values; the same order by porf of reads; reads of the root thread read from that thread in both or in neither;
    /// and the same order of conflicting events outside it.
    ValueCentric,
    /// The same values, and the same order by porf of reads.
    ReadsValueFrom,
    /// The same values.
    Values,
}

/// An execution with its coherence order.
#[derive(Clone, Copy, Debug)]
pub struct Ordered<'a> {
    /// Events, po and rf.
    pub graph: &'a Execution,
    /// co, by location.
    pub co: &'a Coherence,
}

/// What a class consists of: equal for two executions of a program if, and only if, they are equivalent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class {
    /// The events with their values, in the order of threads.
    events: Vec<Named>,
    /// What else counts of the reads, in their order.
    reads: Vec<Option<EventKey>>,
    /// Conflicting events, the first one first, as far as their order counts.
    orders: Vec<(EventKey, EventKey)>,
    /// Reads of which the first comes before the second in porf, if that counts.
    causality: Vec<(EventKey, EventKey)>,
}

/// An event with the values that tell it apart from others of its name.
type Named = (EventKey, Option<Location>, Option<Value>, Option<Value>);

/// Why two executions are not equivalent: the first difference in the order of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "difference")]
pub enum Difference {
    /// An event is in one alone.
    Event {
        /// The event.
        event: EventKey,
        /// Whether it is in the first.
        in_first: bool,
    },
    /// A read takes different values.
    Value {
        /// The read.
        read: EventKey,
        /// Its value in the first; `None` if it waits.
        first: Option<Value>,
        /// In the second.
        second: Option<Value>,
    },
    /// A read takes its value from different writes, or from different sides: inside or outside the root thread.
    Source {
        /// The read.
        read: EventKey,
        /// Its source in the first; `None` if it waits.
        first: Option<EventKey>,
        /// In the second.
        second: Option<EventKey>,
    },
    /// Two conflicting events come in different orders.
    Order {
        /// What comes first in the first.
        before: EventKey,
        /// What comes first in the second.
        after: EventKey,
    },
    /// A read comes before another one in porf in one alone.
    Causality {
        /// The earlier read.
        before: EventKey,
        /// The later one.
        after: EventKey,
        /// Whether it is so in the first.
        in_first: bool,
    },
}

impl Equivalence {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Mazurkiewicz,
        Self::Observers,
        Self::DataCentric,
        Self::ReadsFrom,
        Self::ValueCentric,
        Self::ReadsValueFrom,
        Self::Values,
    ];

    /// Its name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mazurkiewicz => "mazurkiewicz",
            Self::Observers => "observers",
            Self::DataCentric => "data_centric",
            Self::ReadsFrom => "reads_from",
            Self::ValueCentric => "value_centric",
            Self::ReadsValueFrom => "reads_value_from",
            Self::Values => "values",
        }
    }

    /// Its name as the papers write it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Mazurkiewicz => "Mazurkiewicz",
            Self::Observers => "observers",
            Self::DataCentric => "data-centric",
            Self::ReadsFrom => "reads-from",
            Self::ValueCentric => "value-centric",
            Self::ReadsValueFrom => "reads-value-from",
            Self::Values => "values",
        }
    }

    /// What two executions of a class have in common, as the end of a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Mazurkiewicz => "the order of any two conflicting events",
            Self::Observers => "the order of any two conflicting events but for two writes that nobody reads from",
            Self::DataCentric => "rf, and the order of conflicting events outside the root thread",
            Self::ReadsFrom => "rf",
            Self::ValueCentric => {
                "all values, the order of reads in porf, which reads of the root thread take a value of that thread, the order \
                 of conflicting events outside it, and who takes a mutex or channel over from whom"
            }
            Self::ReadsValueFrom => {
                "all values, the order of reads in porf, and who takes a mutex or channel over from whom"
            }
            Self::Values => "all values, and who takes a mutex or channel over from whom",
        }
    }

    /// Whether it depends on which thread is the root.
    pub fn has_root(self) -> bool {
        matches!(self, Self::DataCentric | Self::ValueCentric)
    }

    /// Whether each of its classes is made of whole classes of another equivalence, of the same root.
    pub fn is_coarser_or_equal(self, than: Self) -> bool {
        match than {
            Self::Mazurkiewicz => true,
            Self::Observers => matches!(self, Self::Observers | Self::ReadsFrom | Self::ReadsValueFrom | Self::Values),
            Self::DataCentric => !matches!(self, Self::Mazurkiewicz | Self::Observers),
            Self::ReadsFrom => matches!(self, Self::ReadsFrom | Self::ReadsValueFrom | Self::Values),
            Self::ValueCentric => matches!(self, Self::ValueCentric | Self::ReadsValueFrom | Self::Values),
            Self::ReadsValueFrom => matches!(self, Self::ReadsValueFrom | Self::Values),
            Self::Values => self == Self::Values,
        }
    }

    /// The class of an execution that is consistent under SC, with this root thread. Quadratic in the events, and cubic where
    /// porf counts, by words of 64 events.
    pub fn class(self, root: ThreadId, execution: Ordered<'_>) -> Class {
        let graph = execution.graph;
        let all = in_order(graph);
        let named = |&e: &EventId| {
            let event = graph.event(e);
            (event.key, event.location(), event.value_read, event.value_written)
        };
        let side = |&e: &EventId| self.side(root, graph, e);
        Class {
            events: all.iter().map(named).collect(),
            reads: all.iter().filter(|e| graph.event(**e).is_read()).map(side).collect(),
            orders: self.orders(root, execution, &all),
            causality: self.causality(graph, &all),
        }
    }

    /// What tells two executions apart that are consistent under SC; `None` if they are of one class.
    pub fn difference(self, root: ThreadId, first: Ordered<'_>, second: Ordered<'_>) -> Option<Difference> {
        self.difference_of_reads(root, first.graph, second.graph)
            .or_else(|| difference_of_events(first.graph, second.graph))
            .or_else(|| self.difference_of_orders(root, first, second))
    }

    /// What counts of a read's source, by name: the source itself, or for the root's reads whether it is the root's.
    fn side(self, root: ThreadId, graph: &Execution, read: EventId) -> Option<EventKey> {
        let source = graph.event(graph.source(read)?).key;
        let event = graph.event(read);
        let whole = match self {
            Self::Mazurkiewicz | Self::Observers | Self::DataCentric | Self::ReadsFrom => true,
            Self::ValueCentric | Self::ReadsValueFrom | Self::Values => event.operation().is_some(),
        };
        if whole {
            return Some(source);
        }
        let of_root = EventKey { thread: root, serial: 0 };
        (self == Self::ValueCentric && event.thread() == root && source.thread == root).then_some(of_root)
    }

    /// Conflicting events whose order counts, in that order.
    fn orders(self, root: ThreadId, execution: Ordered<'_>, all: &[EventId]) -> Vec<(EventKey, EventKey)> {
        if matches!(self, Self::ReadsFrom | Self::ReadsValueFrom | Self::Values) {
            return Vec::new();
        }
        let Ordered { graph, co } = execution;
        let places = places(graph, co);
        let counts = |e: EventId| !self.has_root() || graph.event(e).thread() != root;
        let unobserved = if self == Self::Observers { unobserved(graph) } else { Vec::new() };
        let is_unobserved = |e: EventId| unobserved.get(e.index()).copied().unwrap_or_default();
        let mut pairs = Vec::new();
        for (at, &a) in all.iter().enumerate().filter(|(_, a)| counts(**a)) {
            for &b in all[at + 1..].iter().filter(|b| counts(**b) && !(is_unobserved(a) && is_unobserved(**b))) {
                let (first, second) = (graph.event(a).key, graph.event(b).key);
                let order = before(graph, &places, a, b);
                pairs.extend(order.map(|is| if is { (first, second) } else { (second, first) }));
            }
        }
        pairs
    }

    /// Reads of which the first comes before the second in porf, if that counts.
    fn causality(self, graph: &Execution, all: &[EventId]) -> Vec<(EventKey, EventKey)> {
        if !matches!(self, Self::ValueCentric | Self::ReadsValueFrom) {
            return Vec::new();
        }
        let porf = graph.po_relation().union(&graph.rf_relation()).transitive_closure();
        let reads = || all.iter().copied().filter(|&e| graph.event(e).is_read());
        let pairs = reads().flat_map(|a| reads().map(move |b| (a, b))).filter(|&(a, b)| porf.contains(a, b));
        pairs.map(|(a, b)| (graph.event(a).key, graph.event(b).key)).collect()
    }

    fn difference_of_reads(self, root: ThreadId, first: &Execution, second: &Execution) -> Option<Difference> {
        in_order(first).into_iter().filter(|&e| first.event(e).is_read()).find_map(|a| {
            let read = first.event(a).key;
            let b = second.find(read).filter(|&b| second.event(b).is_read())?;
            let source = |graph: &Execution, e| graph.source(e).map(|write| graph.event(write).key);
            if self.side(root, first, a) != self.side(root, second, b) {
                return Some(Difference::Source { read, first: source(first, a), second: source(second, b) });
            }
            let (first, second) = (first.event(a).value_read, second.event(b).value_read);
            (first != second).then_some(Difference::Value { read, first, second })
        })
    }

    fn difference_of_orders(self, root: ThreadId, first: Ordered<'_>, second: Ordered<'_>) -> Option<Difference> {
        let [a, b] = [first, second].map(|execution| self.class(root, execution));
        // Events that conflict in one conflict in the other, whose values are the same.
        if let Some((before, after)) = only_in(&a.orders, &b.orders) {
            return Some(Difference::Order { before, after });
        }
        let pair = |one: &Class, other: &Class, in_first| {
            let found = only_in(&one.causality, &other.causality);
            found.map(|(before, after)| Difference::Causality { before, after, in_first })
        };
        pair(&a, &b, true).or_else(|| pair(&b, &a, false))
    }
}

/// The first pair that is in one list alone.
fn only_in(one: &[(EventKey, EventKey)], other: &[(EventKey, EventKey)]) -> Option<(EventKey, EventKey)> {
    let other: FxHashSet<_> = other.iter().collect();
    one.iter().copied().find(|pair| !other.contains(pair))
}

/// The events that are no initial writes, thread by thread.
fn in_order(graph: &Execution) -> Vec<EventId> {
    (0..graph.threads()).flat_map(|thread| graph.thread(ThreadId(thread as u16)).iter().copied()).collect()
}

/// The place of each write in the co of its location, by event.
fn places(graph: &Execution, co: &Coherence) -> Vec<Option<usize>> {
    let mut places = vec![None; graph.len()];
    for (place, &write) in co.iter().flat_map(|order| order.iter().enumerate()) {
        places[write.index()] = Some(place);
    }
    places
}

/// Of each event, whether it writes and does nothing else, and nobody reads from it.
fn unobserved(graph: &Execution) -> Vec<bool> {
    let is_plain = |event: &Event| event.is_write() && !event.is_read() && event.operation().is_none();
    let mut unobserved: Vec<bool> = graph.events().map(|(_, event)| is_plain(event)).collect();
    for source in graph.ids().filter_map(|read| graph.source(read)) {
        unobserved[source.index()] = false;
    }
    unobserved
}

/// Whether one of two events of different threads comes before the other one in every run, if they conflict: they access
/// one location, one of them writes, and none waits for ever.
fn before(graph: &Execution, places: &[Option<usize>], a: EventId, b: EventId) -> Option<bool> {
    let (first, second) = (graph.event(a), graph.event(b));
    let conflict = first.thread() != second.thread()
        && first.location().is_some()
        && first.location() == second.location()
        && (first.is_write() || second.is_write());
    if !conflict || first.is_blocked() || second.is_blocked() {
        return None;
    }
    // Halves of places: a write stands at its own, a read behind its source.
    let time = |event: &Event, e: EventId| match places[e.index()] {
        Some(place) if event.is_write() => Some(2 * place),
        _ => graph.source(e).and_then(|write| places[write.index()]).map(|place| 2 * place + 1),
    };
    Some(time(first, a)? < time(second, b)?)
}

fn difference_of_events(first: &Execution, second: &Execution) -> Option<Difference> {
    let only = |one: &Execution, other: &Execution, in_first| {
        let missing = |&e: &EventId| {
            let event = one.event(e);
            other.find(event.key).is_none_or(|e| {
                let other = other.event(e);
                (event.location(), event.value_read, event.value_written)
                    != (other.location(), other.value_read, other.value_written)
            })
        };
        in_order(one).into_iter().find(missing).map(|e| Difference::Event { event: one.event(e).key, in_first })
    };
    only(first, second, true).or_else(|| only(second, first, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::growing::GrowingGraph;
    use crate::explore::{Algorithm, Options, Step};
    use crate::library;
    use crate::model::Model;
    use crate::program::{Action, Code, Program};
    use crate::testing::{UNROLL, for_all, for_all_clients};
    use std::collections::BTreeSet;
    use std::sync::Arc;

    const ROOTS: [ThreadId; 3] = [ThreadId(0), ThreadId(1), ThreadId(2)];

    fn code(text: &str) -> Arc<Code> {
        let program = crate::syntax::parse(text).expect("a program").program;
        Arc::new(Code::compile(&program).expect("it can be explored"))
    }

    /// All executions under SC with their co.
    fn executions(code: &Arc<Code>) -> Vec<(Execution, Coherence)> {
        let explorer = Algorithm::TrustCo.explorer(Arc::clone(code), Model::SC, Options::default());
        let mut explorer = explorer.expect("it lists nothing");
        let mut all = Vec::new();
        loop {
            match explorer.advance() {
                Step::Execution { .. } => {
                    all.push((explorer.execution().clone(), explorer.coherence().expect("it has co").clone()));
                }
                Step::Done => return all,
                _ => {}
            }
        }
    }

    fn classes(equivalence: Equivalence, root: ThreadId, executions: &[(Execution, Coherence)]) -> usize {
        let class = |(graph, co): &(Execution, Coherence)| equivalence.class(root, Ordered { graph, co });
        executions.iter().map(class).collect::<BTreeSet<_>>().len()
    }

    /// Threads that do the same, as often as wanted.
    fn times(n: usize, statements: &str) -> String {
        vec![statements; n].join("; ")
    }

    /// Classes as printed, and as counted from all interleavings, of the programs of the thesis: Mazurkiewicz, data-centric,
    /// reads-from, value-centric, reads-value-from. The root is the first thread.
    #[test]
    fn classes_are_as_many_as_in_print() {
        let rows = |n: usize| {
            let all: Vec<String> = (0..n).map(|i| format!("x := 1; a{i} := x")).collect();
            all.join(" || ")
        };
        let both = |n, first: &str, second: &str| format!("{} || {}", times(n, first), times(n, second));
        let pairs = |n: usize| {
            let [writes, reads]: [Vec<String>; 2] = [
                (0..n).map(|i| format!("x{i} := 0; x{i} := 0")).collect(),
                (0..n).map(|i| format!("a := x{i}")).collect(),
            ];
            format!("{} || {}", writes.join("; "), reads.join("; "))
        };
        let repeated = |n| format!("{0} || {1} || {0}", times(n, "x := 1"), times(n, "x := 1; a := x"));
        let table: [(String, [usize; 5]); 23] = [
            ("x := 1 || x := 2; x := 1; a := x".into(), [4, 2, 2, 1, 1]),
            ("x := 1; y := 1 || x := 1; y := 1; a := x || x := 1; y := 1; b := y".into(), [98, 28, 9, 7, 1]),
            (both(1, "x := 0", "a := x"), [2, 2, 2, 1, 1]),
            (both(2, "x := 0", "a := x"), [6, 6, 6, 1, 1]),
            (both(3, "x := 0", "a := x"), [20, 20, 20, 1, 1]),
            (both(4, "x := 0", "a := x"), [70, 70, 70, 1, 1]),
            (pairs(1), [3, 3, 3, 1, 1]),
            (pairs(2), [9, 9, 9, 1, 1]),
            (pairs(3), [27, 27, 27, 1, 1]),
            (repeated(1), [12, 6, 3, 3, 1]),
            (repeated(2), [420, 90, 19, 15, 1]),
            (repeated(3), [18_480, 1680, 147, 84, 1]),
            ("x := 1; y := 1 || x := 1; a := x; y := 1; b := y || x := 1; y := 1".into(), [144, 36, 9, 9, 1]),
            (rows(2), [4, 3, 3, 2, 1]),
            (rows(3), [36, 24, 16, 8, 1]),
            (rows(4), [576, 360, 125, 72, 1]),
            ("x := 1; a := x; y := 1 || x := 1; y := 1; b := y; x := 1".into(), [12, 5, 5, 5, 3]),
            ("y := 1; y := 1; x := 1; a := x || x := 1; b := x; y := 2; c := y".into(), [9, 5, 5, 3, 2]),
            ("x := 1; a := y || y := 1; b := x".into(), [3, 3, 3, 3, 3]),
            ("x := 1; y := 1 || a := y; b := x".into(), [3, 3, 3, 3, 3]),
            ("a := x; y := 1 || b := y; x := 1".into(), [3, 3, 3, 3, 3]),
            ("x := 1 || y := 1 || a := x; b := y || c := y; d := x".into(), [15, 15, 15, 15, 15]),
            ("x := 0 || y := 0 || a := x; b := y || c := y; d := x".into(), [15, 15, 15, 4, 1]),
        ];
        for (text, expected) in table {
            let executions = executions(&code(&text));
            let all =
                Equivalence::ALL.iter().filter(|which| !matches!(which, Equivalence::Observers | Equivalence::Values));
            let found: Vec<usize> = all.map(|which| classes(*which, ROOTS[0], &executions)).collect();
            assert_eq!(found, expected, "{text}");
        }
        let by_root = |text: &str| {
            let executions = executions(&code(text));
            ROOTS.map(|root| {
                [Equivalence::DataCentric, Equivalence::ValueCentric].map(|which| classes(which, root, &executions))
            })
        };
        let figure = by_root("x := 1; y := 1 || x := 1; y := 1; a := x || x := 1; y := 1; b := y");
        assert_eq!(figure, [[28, 7], [31, 12], [30, 10]]);
        let [_, [_, second], _] = by_root("x := 1 || x := 2; x := 1; a := x || skip");
        assert_eq!(second, 2);
        let [_, [_, second], _] = by_root("x := 1; a := x; y := 1 || x := 1; y := 1; b := y; x := 1 || skip");
        assert_eq!(second, 3);
        let [_, [_, second], _] = by_root("x := 1; x := 1 || x := 1; a := x; x := 1; b := x || x := 1; x := 1");
        assert_eq!(second, 24);
    }

    /// Classes as another implementation counts them: Mazurkiewicz, reads-from, reads-value-from, and values alone.
    #[test]
    fn classes_are_as_many_as_elsewhere() {
        let threads = |all: Vec<String>| all.join(" || ");
        let same = |n: usize| format!("{} || a := x", threads(vec!["x := 1".into(); n]));
        let distinct = |n: usize| format!("{} || a := x", threads((1..=n).map(|i| format!("x := {i}")).collect()));
        let pair = |n: usize| {
            let writes: Vec<String> = (0..n).map(|i| format!("x{i} := 1")).collect();
            let both: Vec<String> = (0..n).map(|i| format!("x{i} := 1; a{i} := x{i}")).collect();
            format!("{} || {}", writes.join("; "), both.join("; "))
        };
        let table: [(String, [usize; 4]); 23] = [
            ("x := 1; y := 1 || x := 1; y := 1; a := x || x := 1; y := 1; b := y".into(), [98, 9, 1, 1]),
            ("x := 1; a := x; y := 1 || x := 1; y := 1; b := y; x := 2".into(), [12, 5, 3, 2]),
            ("x := 1; a := y || y := 1; b := x".into(), [3, 3, 3, 3]),
            ("x := 1; y := 1 || a := y; b := x".into(), [3, 3, 3, 3]),
            ("a := x; y := 1 || b := y; x := 1".into(), [3, 3, 3, 3]),
            ("x := 1; y := 2 || y := 1; x := 2".into(), [3, 1, 1, 1]),
            ("x := 1 || a := x; b := x".into(), [3, 3, 3, 3]),
            ("x := 1 || y := 1 || a := x; b := y || c := y; d := x".into(), [15, 15, 15, 15]),
            ("x := 1 || a := x; if a = 0 then y := 1 || x := 2".into(), [6, 3, 3, 3]),
            ("x := 1 || a := x; if a = 0 then y := 1 || x := 1".into(), [6, 3, 2, 2]),
            (same(1), [2, 2, 2, 2]),
            (same(2), [6, 3, 2, 2]),
            (same(3), [24, 4, 2, 2]),
            (same(4), [120, 5, 2, 2]),
            (same(5), [720, 6, 2, 2]),
            (distinct(2), [6, 3, 3, 3]),
            (distinct(3), [24, 4, 4, 4]),
            (distinct(4), [120, 5, 5, 5]),
            (pair(1), [3, 2, 1, 1]),
            (pair(2), [9, 4, 1, 1]),
            (pair(3), [27, 8, 1, 1]),
            ("x := 1; x := 1 || a := x; if a = 1 then y := 1 || b := y".into(), [5, 5, 3, 3]),
            // Values are the same in two executions, and the reads stand in porf in one of them alone.
            ("x := 1 || a := x; x := 1 || b := x".into(), [9, 6, 6, 4]),
        ];
        let which =
            [Equivalence::Mazurkiewicz, Equivalence::ReadsFrom, Equivalence::ReadsValueFrom, Equivalence::Values];
        for (text, expected) in table {
            let executions = executions(&code(&text));
            assert_eq!(which.map(|which| classes(which, ROOTS[0], &executions)), expected, "{text}");
        }
        let values = |text: &str| classes(Equivalence::Values, ROOTS[0], &executions(&code(text)));
        assert_eq!(values("x := 0 || y := 0 || a := x; b := y || c := y; d := x"), 1);
        assert_eq!(values(&threads(vec!["x := 1; a := x".into(); 4])), 1);
        // The thread that writes last reads its own 2, and each other one reads 1 or 2.
        assert_eq!(values(&threads(vec!["x := 1; x := 2; a := x".into(); 3])), 7);
        assert_eq!(values(&times(3, "a := x; x := 1")), 1);
    }

    /// As printed: n writers and a reader have n * 2^(n - 1) + 1 classes with observers, and n if the reader comes last; writes
    /// that nobody reads have one.
    #[test]
    fn unobserved_writes_have_no_order() {
        let of = |text: &str| {
            let executions = executions(&code(text));
            [Equivalence::Mazurkiewicz, Equivalence::Observers, Equivalence::ReadsFrom]
                .map(|which| classes(which, ROOTS[0], &executions))
        };
        let writers = |n: usize| (1..=n).map(|value| format!("x := {value}")).collect::<Vec<_>>().join(" || ");
        let mut factorial = 1;
        for n in 1..5 {
            factorial *= n;
            assert_eq!(of(&writers(n)), [factorial, 1, 1]);
            let observed = n * (1 << (n - 1)) + 1;
            assert_eq!(of(&format!("{} || a := x", writers(n))), [factorial * (n + 1), observed, n + 1]);
        }
        let last = "x := 1; fai(d) || x := 2; fai(d) || x := 3; fai(d) || assume d = 3; a := x";
        // Each order of the increments with each of the places of the read of their sum; behind the last, with each last write.
        assert_eq!(classes(Equivalence::Observers, ROOTS[0], &executions(&code(last))), 6 * (3 + 3));
        // A read-modify-write and a write are in order, whoever reads.
        assert_eq!(of("x := 1 || fai(x)"), [2, 2, 2]);
        assert_eq!(of("x := 1 || x := 2 || fai(x)"), [6, 5, 3]);
        assert_eq!(of("x := 1 || x := 2; a := x"), [3, 3, 2]);
        assert_eq!(of("lock m; x := 1; unlock m || lock m; x := 2; unlock m"), [2, 2, 2]);
    }

    /// Interleavings of a program, at most so many: graphs whose events stand in the order of the run.
    fn interleavings(code: &Arc<Code>, most: usize) -> Vec<Execution> {
        let options = Options::within(crate::program::Limits { unroll: UNROLL, ..Default::default() });
        let mut work = vec![GrowingGraph::new(Arc::clone(code), options)];
        let mut runs = Vec::new();
        while let Some(mut grown) = work.pop() {
            if runs.len() == most {
                break;
            }
            let mut is_over = true;
            for thread in 0..grown.graph.threads() {
                let Some(action) = grown.next_of(thread) else { continue };
                let last = |location| grown.graph.writes(location).last().expect("an initial write");
                if let Action::Library { operation, location } = action
                    && operation.waits()
                    && !library::may_follow(operation, grown.graph.event(last(location)).operation())
                {
                    continue;
                }
                is_over = false;
                let mut next = grown.clone();
                let source = match action {
                    Action::Read { location, .. }
                    | Action::Update { location, .. }
                    | Action::Library { location, .. } => Some(last(location)),
                    _ => None,
                };
                let e = next.add(ThreadId(thread as u16), action);
                if next.graph.event(e).is_read() {
                    next.take(e, source.expect("a read has a location"), false);
                    next.resume(e);
                }
                work.push(next);
            }
            if is_over {
                for thread in 0..grown.graph.threads() {
                    if let Some(action) = grown.next_of(thread) {
                        grown.add(ThreadId(thread as u16), action);
                    }
                }
                runs.push(grown.graph);
            }
        }
        runs
    }

    /// By definition, from two runs: what is equal of them.
    fn are_equivalent(which: Equivalence, root: ThreadId, a: &Execution, b: &Execution) -> bool {
        let of = |graph: &Execution| {
            let mut events: Vec<_> =
                graph.events().map(|(_, e)| (e.key, e.location(), e.value_read, e.value_written)).collect();
            events.sort_unstable();
            let key = |e: EventId| graph.event(e).key;
            let reads = || graph.ids().filter(|&e| graph.event(e).is_read());
            let mut sources: Vec<_> = reads().map(|e| (key(e), graph.source(e).map(key))).collect();
            let mut sides: Vec<_> = reads()
                .filter(|&e| graph.event(e).thread() == root)
                .map(|e| (key(e), graph.source(e).is_some_and(|w| graph.event(w).thread() == root)))
                .collect();
            let mut turns: Vec<_> = sources
                .iter()
                .copied()
                .filter(|(read, _)| graph.find(*read).is_some_and(|e| graph.event(e).operation().is_some()))
                .collect();
            let mut porf: Vec<_> = reads()
                .flat_map(|b| graph.porf_prefix(b).iter().map(move |a| (a, b)).collect::<Vec<_>>())
                .filter(|&(a, b)| a != b && graph.event(a).is_read())
                .map(|(a, b)| (key(a), key(b)))
                .collect();
            let order = |wanted: fn(ThreadId, ThreadId) -> bool| {
                let mut pairs: Vec<_> = graph
                    .ids()
                    .flat_map(|a| graph.ids().map(move |b| (a, b)))
                    .filter(|&(a, b)| {
                        let (x, y) = (graph.event(a), graph.event(b));
                        a < b
                            && !x.is_blocked()
                            && !y.is_blocked()
                            && x.location().is_some()
                            && x.location() == y.location()
                            && (x.is_write() || y.is_write())
                            && wanted(x.thread(), root)
                            && wanted(y.thread(), root)
                    })
                    .map(|(a, b)| (key(a), key(b)))
                    .collect();
                pairs.sort_unstable();
                pairs
            };
            for list in [&mut sources, &mut turns] {
                list.sort_unstable();
            }
            sides.sort_unstable();
            porf.sort_unstable();
            let (all, leaves) = (order(|_, _| true), order(|thread, root| thread != root));
            let writes_alone = |e: &EventKey| {
                let e = graph.find(*e).expect("an event of the graph");
                let event = graph.event(e);
                !event.is_read() && event.operation().is_none() && graph.ids().all(|read| graph.source(read) != Some(e))
            };
            let observed: Vec<_> = all.iter().copied().filter(|(a, b)| !(writes_alone(a) && writes_alone(b))).collect();
            (events, sources, sides, turns, porf, all, leaves, observed)
        };
        let (a, b) = (of(a), of(b));
        let events = a.0 == b.0;
        match which {
            Equivalence::Mazurkiewicz => events && a.5 == b.5,
            Equivalence::Observers => events && a.7 == b.7,
            Equivalence::DataCentric => events && a.1 == b.1 && a.6 == b.6,
            Equivalence::ReadsFrom => events && a.1 == b.1,
            Equivalence::ValueCentric => events && a.2 == b.2 && a.3 == b.3 && a.4 == b.4 && a.6 == b.6,
            Equivalence::ReadsValueFrom => events && a.3 == b.3 && a.4 == b.4,
            Equivalence::Values => events && a.3 == b.3,
        }
    }

    /// Classes, and what tells them apart, are those of the definitions.
    fn check(program: &Program) -> Result<(), String> {
        let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
        let runs = interleavings(&code, 24);
        let orders: Vec<Coherence> = runs
            .iter()
            .map(|graph| {
                let inits = graph.ids().take_while(|&e| graph.event(e).is_init());
                inits
                    .map(|init| graph.event(init).location().map_or_else(Vec::new, |at| graph.writes(at).collect()))
                    .collect()
            })
            .collect();
        let ordered = |at: usize| Ordered { graph: &runs[at], co: &orders[at] };
        for root in ROOTS {
            for which in Equivalence::ALL {
                let classes: Vec<Class> = (0..runs.len()).map(|at| which.class(root, ordered(at))).collect();
                for a in 0..runs.len() {
                    for b in 0..a {
                        let expected = are_equivalent(which, root, &runs[a], &runs[b]);
                        let difference = which.difference(root, ordered(a), ordered(b));
                        if (classes[a] == classes[b], difference.is_none()) != (expected, expected) {
                            return Err(format!(
                                "{which:?}, {root:?}: {expected}, {difference:?}\n{:?}\n{:?}",
                                runs[a], runs[b]
                            ));
                        }
                        let coarser = |other: &Equivalence| other.is_coarser_or_equal(which);
                        if let Some(other) = Equivalence::ALL
                            .into_iter()
                            .filter(coarser)
                            .find(|other| expected && !are_equivalent(*other, root, &runs[a], &runs[b]))
                        {
                            return Err(format!("{other:?} is not coarser than {which:?}"));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    #[test]
    fn classes_are_those_of_the_definitions() {
        for_all(0..120, check);
        for_all_clients(0..60, check);
    }

    #[test]
    fn a_difference_names_what_tells_two_executions_apart() {
        let all = executions(&code("x := 1 || x := 1 || a := x"));
        let ordered = |at: usize| Ordered { graph: &all[at].0, co: &all[at].1 };
        let read = EventKey { thread: ThreadId(2), serial: 1 };
        let source = |at: usize| {
            let graph = &all[at].0;
            graph.find(read).and_then(|read| graph.source(read)).map(|write| graph.event(write).key)
        };
        let pairs = || (0..all.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let value = |at: usize| all[at].0.find(read).and_then(|e| all[at].0.event(e).value_read);
        let (a, b) =
            pairs().find(|&(a, b)| source(a) != source(b) && value(a) == value(b)).expect("two writes write the same");
        let difference = Equivalence::ReadsFrom.difference(ROOTS[0], ordered(a), ordered(b));
        assert_eq!(difference, Some(Difference::Source { read, first: source(a), second: source(b) }));
        assert_eq!(Equivalence::ReadsValueFrom.difference(ROOTS[0], ordered(a), ordered(b)), None);
        let (a, b) = pairs().find(|&(a, b)| source(a) == source(b)).expect("both orders of the writes");
        let writes = [0, 1].map(|thread| EventKey { thread: ThreadId(thread), serial: 1 });
        match Equivalence::Mazurkiewicz.difference(ROOTS[0], ordered(a), ordered(b)) {
            Some(Difference::Order { before, after }) => {
                assert!([before, after].iter().any(|e| writes.contains(e) || *e == read))
            }
            other => panic!("{other:?}"),
        }
    }
}
