//! The smallest programs that tell two models apart.
//!
//! All straight-line programs of a size are gone through: reads, writes, exchanges and fences of a few threads and
//! locations, each program once up to the names of threads, locations and values. Each write writes a value of its own.
//! Left out is what can't make a difference: locations that nobody writes or that one thread alone reads and writes
//! (exchanges count, since they drain store buffers), fences at the ends of threads or beside each other, and access
//! modes and fences that neither model heeds. Between two models of C and C++, also programs that have neither SC events in two
//! threads nor a release sequence that one of the models ends sooner.

use crate::budget::{Budget, Decision};
use crate::explore::brute_force::candidates;
use crate::explore::{Options, final_states};
use crate::graph::Execution;
use crate::model::{Buffers, Inquiry, Model};
use crate::program::{Code, Limits, Location, Mode, Observable, Program, Value};
use crate::syntax;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;

/// How large the programs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// The most events, fences among them, initial writes not.
    pub events: usize,
    /// The fewest threads.
    pub least_threads: usize,
    /// The most threads.
    pub most_threads: usize,
    /// The most locations.
    pub locations: usize,
}

/// The most events that [`separate`] is meant for: beyond, there are billions of programs.
pub const MAX_EVENTS: usize = 6;

/// The most threads.
pub const MAX_THREADS: usize = 4;

impl Default for Sizes {
    fn default() -> Self {
        Self { events: 5, least_threads: 2, most_threads: 4, locations: 2 }
    }
}

/// What was found of one direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Separation {
    /// A smallest test: fewest events, of these fewest threads, of these the plainest accesses.
    Found {
        /// The program in Litmoscope's notation, with a condition that asks for the outcome.
        text: String,
        /// Its events.
        events: usize,
        /// Its threads.
        threads: usize,
    },
    /// No program of these sizes. There may be larger ones.
    NoneSoSmall,
    /// Not among the programs that were looked at before the search was ended.
    Stopped {
        /// All programs with fewer events were looked at.
        events: usize,
    },
    /// No program at all: the one model allows nothing that the other forbids.
    Impossible,
}

/// What one event does. Ordered from plain to strange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Read(Mode),
    Write(Mode),
    Update(Mode),
    Fence(Mode),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Operation {
    kind: Kind,
    /// 0 for fences.
    location: u8,
}

impl Kind {
    /// How strange it is: plain accesses are preferred.
    fn cost(self) -> usize {
        let mode = |mode| match mode {
            Mode::NonAtomic | Mode::Relaxed => 0,
            Mode::Acquire | Mode::Release => 1,
            Mode::AcquireRelease => 2,
            Mode::SequentiallyConsistent => 3,
        };
        match self {
            Self::Write(m) | Self::Read(m) => mode(m),
            Self::Update(m) => 3 + mode(m),
            Self::Fence(m) => 2 + mode(m),
        }
    }

    fn is_fence(self) -> bool {
        matches!(self, Self::Fence(_))
    }
}

/// The smallest program with an outcome that `allows` allows and `forbids` forbids. `look` is called before each program, with
/// its number of events and the number of programs so far; it may end the search, which then says
/// [`Separation::Stopped`]. Exponential in the number of events: up to 4 take seconds, 5 minutes.
pub fn separate(
    allows: Model,
    forbids: Model,
    sizes: Sizes,
    look: &mut dyn FnMut(usize, u64) -> ControlFlow<()>,
) -> Separation {
    if allows.is_included_in(forbids) {
        return Separation::Impossible;
    }
    let kinds = kinds(&[allows, forbids]);
    let are_alike = allows.rules().is_alike(forbids.rules());
    let dearest = kinds.iter().map(|kind| kind.cost()).max().unwrap_or(0);
    let mut seen = 0;
    for events in 1..=sizes.events {
        for threads in sizes.least_threads..=sizes.most_threads.min(events) {
            for cost in 0..=dearest * events {
                let mut found = None;
                let flow = each_program(&kinds, events, threads, sizes.locations, cost, &mut |threads| {
                    seen += 1;
                    look(events, seen)?;
                    if are_alike && !has_sequence(threads) && !orders_sc(threads) {
                        return ControlFlow::Continue(());
                    }
                    found = difference(threads, allows, forbids);
                    if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                match (flow, found) {
                    (ControlFlow::Break(()), Some(text)) => return Separation::Found { text, events, threads },
                    (ControlFlow::Break(()), None) => return Separation::Stopped { events },
                    (ControlFlow::Continue(()), _) => {}
                }
            }
        }
    }
    Separation::NoneSoSmall
}

/// What events some models tell apart, plain ones first.
fn kinds(models: &[Model]) -> Vec<Kind> {
    use Mode::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent as Sc};
    let mut kinds = vec![Kind::Write(Relaxed), Kind::Read(Relaxed), Kind::Update(Relaxed)];
    if models.iter().any(|model| model.rules().synchronises()) {
        kinds.extend([Kind::Write(Release), Kind::Write(Sc), Kind::Read(Acquire), Kind::Read(Sc)]);
        kinds.extend([Acquire, Release, AcquireRelease, Sc].map(Kind::Update));
        kinds.extend([Acquire, Release, AcquireRelease, Sc].map(Kind::Fence));
    } else {
        kinds.push(Kind::Fence(Sc));
        if models.iter().any(|model| model.rules().buffers == Some(Buffers::OfLocations)) {
            kinds.push(Kind::Fence(Release));
        }
    }
    kinds.sort_unstable_by_key(|kind| (kind.cost(), *kind));
    kinds
}

type Visit<'a> = dyn FnMut(&[Vec<Operation>]) -> ControlFlow<()> + 'a;

/// Calls `visit` with each program of a size and cost, once up to names, until it breaks.
fn each_program(
    kinds: &[Kind],
    events: usize,
    threads: usize,
    locations: usize,
    cost: usize,
    visit: &mut Visit<'_>,
) -> ControlFlow<()> {
    let mut lengths = Vec::new();
    partitions(events, threads, events, &mut Vec::new(), &mut lengths);
    for lengths in lengths {
        let mut program = vec![Vec::new()];
        extend(kinds, &lengths, locations as u8, 0, cost, &mut program, visit)?;
    }
    ControlFlow::Continue(())
}

/// The ways to write a number as a sum of so many parts, none larger than the one before.
fn partitions(rest: usize, parts: usize, most: usize, begun: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    if parts == 0 {
        if rest == 0 {
            all.push(begun.clone());
        }
        return;
    }
    for part in (1..=most.min(rest)).rev() {
        begun.push(part);
        partitions(rest - part, parts - 1, part, begun, all);
        begun.pop();
    }
}

fn extend(
    kinds: &[Kind],
    lengths: &[usize],
    locations: u8,
    used: u8,
    cost: usize,
    program: &mut Vec<Vec<Operation>>,
    visit: &mut Visit<'_>,
) -> ControlFlow<()> {
    let at = program.len() - 1;
    if program[at].len() == lengths[at] {
        if at + 1 < lengths.len() {
            program.push(Vec::new());
            extend(kinds, lengths, locations, used, cost, program, visit)?;
            program.pop();
            return ControlFlow::Continue(());
        }
        return if cost == 0 && matters(program, used) && is_canonical(program) {
            visit(program)
        } else {
            ControlFlow::Continue(())
        };
    }
    let is_first = program[at].is_empty();
    let is_last = program[at].len() + 1 == lengths[at];
    for &kind in kinds.iter().filter(|kind| kind.cost() <= cost) {
        if kind.is_fence() && (is_first || is_last || program[at].last().is_some_and(|last| last.kind.is_fence())) {
            continue;
        }
        // Locations are named in the order of their first use.
        let names = if kind.is_fence() { 1 } else { locations.min(used + 1) };
        for location in 0..names {
            program[at].push(Operation { kind, location });
            let used = if kind.is_fence() { used } else { used.max(location + 1) };
            extend(kinds, lengths, locations, used, cost - kind.cost(), program, visit)?;
            program[at].pop();
        }
    }
    ControlFlow::Continue(())
}

/// Whether each location is written, and used by two threads or exchanged.
fn matters(program: &[Vec<Operation>], locations: u8) -> bool {
    (0..locations).all(|location| {
        let on = |thread: &&Vec<Operation>| thread.iter().any(|op| !op.kind.is_fence() && op.location == location);
        let any =
            |wanted: fn(Kind) -> bool| program.iter().flatten().any(|op| op.location == location && wanted(op.kind));
        let exchanged = any(|kind| matches!(kind, Kind::Update(_)));
        let written = exchanged || any(|kind| matches!(kind, Kind::Write(_)));
        written && (exchanged || program.iter().filter(on).count() >= 2)
    })
}

/// Whether a thread releases by a write and then writes the location again, without releasing anything, and another thread acquires.
fn has_sequence(program: &[Vec<Operation>]) -> bool {
    let writes = |op: &Operation| match op.kind {
        Kind::Write(mode) | Kind::Update(mode) => Some(mode),
        Kind::Read(_) | Kind::Fence(_) => None,
    };
    let goes_on = |thread: &Vec<Operation>| {
        thread.iter().enumerate().any(|(at, head)| {
            let later = thread[at + 1..].iter().filter(|op| !op.kind.is_fence() && op.location == head.location);
            let mut later = later.filter_map(writes);
            writes(head).is_some_and(Mode::is_release) && later.any(|mode| !mode.is_release())
        })
    };
    let acquires = |op: &Operation| match op.kind {
        Kind::Read(mode) | Kind::Update(mode) | Kind::Fence(mode) => mode.is_acquire(),
        Kind::Write(_) => false,
    };
    (0..program.len()).any(|thread| {
        let mut others = program.iter().enumerate().filter(|(other, _)| *other != thread);
        goes_on(&program[thread]) && others.any(|(_, other)| other.iter().any(acquires))
    })
}

/// Whether two threads have SC events, which a cycle of psc needs.
fn orders_sc(program: &[Vec<Operation>]) -> bool {
    let is_sc = |op: &Operation| match op.kind {
        Kind::Read(mode) | Kind::Write(mode) | Kind::Update(mode) | Kind::Fence(mode) => mode.is_sc(),
    };
    program.iter().filter(|thread| thread.iter().any(is_sc)).count() > 1
}

/// Whether no other order of the threads, with locations renamed in the order of first use, comes before this one.
fn is_canonical(program: &[Vec<Operation>]) -> bool {
    fn smaller(program: &[Vec<Operation>], order: &mut Vec<usize>) -> bool {
        if order.len() == program.len() {
            let mut names: Vec<u8> = Vec::new();
            let renamed = order.iter().map(|&thread| {
                let rename = |op: &Operation| {
                    if op.kind.is_fence() {
                        return *op;
                    }
                    let name = names.iter().position(|&name| name == op.location).unwrap_or_else(|| {
                        names.push(op.location);
                        names.len() - 1
                    });
                    Operation { location: name as u8, ..*op }
                };
                program[thread].iter().map(rename).collect::<Vec<_>>()
            });
            return renamed.collect::<Vec<_>>().as_slice() < program;
        }
        let length = program[order.len()].len();
        (0..program.len()).any(|next| {
            if order.contains(&next) || program[next].len() != length {
                return false;
            }
            order.push(next);
            let found = smaller(program, order);
            order.pop();
            found
        })
    }
    !smaller(program, &mut Vec::new())
}

/// The text of a program without a condition.
fn text(program: &[Vec<Operation>]) -> String {
    const LOCATIONS: [&str; MAX_EVENTS] = ["x", "y", "z", "u", "v", "w"];
    let mut values = [0; LOCATIONS.len()];
    let mut registers = b'a'..=b'h';
    let mut out = String::new();
    let count = program.iter().flatten().filter(|op| !op.kind.is_fence()).map(|op| op.location + 1).max().unwrap_or(0);
    let _ = writeln!(out, "shared {}", LOCATIONS[..usize::from(count)].join(", "));
    let keyword = |mode: Mode| if mode == Mode::Relaxed { "" } else { mode.keyword() };
    let lines: Vec<String> = program
        .iter()
        .map(|thread| {
            let statement = |op: &Operation| {
                let at = usize::from(op.location);
                let place = LOCATIONS[at];
                let mut value = || {
                    values[at] += 1;
                    values[at]
                };
                let mut register = || char::from(registers.next().unwrap_or(b'r'));
                match op.kind {
                    Kind::Write(mode) => format!("{place} :={} {}", keyword(mode), value()),
                    Kind::Read(mode) => format!("{} :={} {place}", register(), keyword(mode)),
                    Kind::Update(Mode::Relaxed) => format!("{} := xchg({place}, {})", register(), value()),
                    Kind::Update(mode) => {
                        format!("{} := xchg({place}, {}, {})", register(), value(), mode.keyword())
                    }
                    Kind::Fence(mode) => format!("fence {}", mode.keyword()),
                }
            };
            thread.iter().map(statement).collect::<Vec<_>>().join("\n")
        })
        .collect();
    out + &lines.join("\n||\n") + "\n"
}

/// The program with an outcome that one model allows and the other forbids, if there is one.
fn difference(operations: &[Vec<Operation>], allows: Model, forbids: Model) -> Option<String> {
    let text = text(operations);
    let program = syntax::parse_as(crate::program::Notation::Litmoscope, &text).ok()?.program;
    let code = Code::compile(&program).ok()?;
    let graphs = candidates(&code, Options::default()).ok()?;
    let allowed = outcomes(&program, &code, &graphs, allows)?;
    let others = outcomes(&program, &code, &graphs, forbids)?;
    let state = allowed.difference(&others).next()?;
    // The condition mentions no more than is needed, registers rather than memory.
    let mut mentioned = vec![true; state.len()];
    for at in (0..state.len()).rev() {
        mentioned[at] = false;
        let same = |other: &Vec<Value>| (0..state.len()).all(|at| !mentioned[at] || other[at] == state[at]);
        if others.iter().any(same) {
            mentioned[at] = true;
        }
    }
    let equations: Vec<String> = program
        .observables()
        .into_iter()
        .zip(state)
        .zip(&mentioned)
        .filter(|(_, mentioned)| **mentioned)
        .map(|((observable, value), _)| format!("{} = {value}", program.observable_name(observable)))
        .collect();
    let text = format!("{text}exists ({})\n", equations.join(" /\\ "));
    // As the printer writes it.
    let program = syntax::parse_as(crate::program::Notation::Litmoscope, &text).ok()?.program;
    syntax::print(&program, crate::program::Notation::Litmoscope).ok()
}

/// The final states that a model allows: registers, then memory. `None` if that is not decided within the usual limit.
fn outcomes(program: &Program, code: &Code, graphs: &[Execution], model: Model) -> Option<BTreeSet<Vec<Value>>> {
    let locations: Vec<Location> = (0..code.initial.len() as u32).map(Location).collect();
    let observables = program.observables();
    let mut all = BTreeSet::new();
    for graph in graphs {
        let (mut inquiry, mut budget, limit) = (Inquiry::default(), Budget::unlimited(), Limits::default().search);
        let finals = model.final_values_within(graph, &locations, usize::MAX, limit, &mut inquiry, &mut budget);
        let (finals, decision) = finals.ok()?;
        if decision == Decision::Undecided {
            return None;
        }
        if finals.is_empty() {
            continue;
        }
        let states = final_states(code, Limits::default(), graph);
        for last in finals {
            let mut memory = last.into_iter();
            let value = |observable: &Observable| match observable {
                Observable::Register { thread, register } => states[*thread as usize].registers()[register.0 as usize],
                Observable::Location { .. } => memory.next().unwrap_or_default(),
            };
            all.insert(observables.iter().map(value).collect());
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(kinds: &[Kind], events: usize, threads: usize) -> usize {
        let mut count = 0;
        for cost in 0..50 {
            let flow = each_program(kinds, events, threads, 2, cost, &mut |program| {
                assert_eq!(program.iter().map(Vec::len).sum::<usize>(), events);
                count += 1;
                ControlFlow::Continue(())
            });
            assert_eq!(flow, ControlFlow::Continue(()));
        }
        count
    }

    /// Counted by hand: with two events, both write x, or one writes and one reads.
    #[test]
    fn small_programs_are_counted() {
        let plain = [Kind::Write(Mode::Relaxed), Kind::Read(Mode::Relaxed)];
        assert_eq!(count(&plain, 2, 2), 2);
        // Threads of two and one: of the eight ways, RR|R has no write; two locations would not both be shared.
        assert_eq!(count(&plain, 3, 2), 7);
        assert_eq!(count(&plain, 3, 3), 3);
    }

    /// Each program is there once up to names: as many as classes of all programs under renaming.
    #[test]
    fn each_program_once() {
        let kinds = kinds(&[Model::TSO, Model::PSO]);
        let mut seen = BTreeSet::new();
        for cost in 0..20 {
            let _ = each_program(&kinds, 4, 2, 2, cost, &mut |program| {
                let rename = |program: &[Vec<Operation>]| -> Vec<Vec<Operation>> {
                    let swap = |op: &Operation| {
                        if op.kind.is_fence() { *op } else { Operation { location: 1 - op.location, ..*op } }
                    };
                    program.iter().map(|thread| thread.iter().map(swap).collect()).collect()
                };
                let mut names = vec![program.to_vec(), rename(program)];
                for at in 0..2 {
                    let mut other = names[at].clone();
                    other.reverse();
                    names.push(other);
                }
                assert!(names.iter().all(|name| !seen.contains(name)), "{program:?}");
                seen.insert(program.to_vec());
                ControlFlow::Continue(())
            });
        }
        assert!(seen.len() > 500, "{}", seen.len());
    }
}
