//! Store buffers with few places, as threads of a transition system.
//!
//! Under TSO and PSO, what a thread writes goes into its store buffer, and to memory later. Here a buffer is a list of up to a bound of
//! entries, the oldest first, and moves as threads do: each of its steps puts one entry to memory. Under TSO there is one such mover
//! for each thread, which takes the oldest entry. Under PSO there is one for each thread and variable, which takes the oldest entry of its
//! variable; all movers of a thread share its list, so entries behind a store-store fence or of an unlock know whom they wait
//! for.
//!
//! A thread whose buffer is full waits to write: in the machine without a bound it would not. [`Buffered::waits`] tells where.
//!
//! The machines are those of the models' definitions: a read looks into the own buffer first; `fence sc`, read-modify-writes, `atomic` and the operations
//! of mutexes and channels wait until the own buffer is empty, but for an unlock, which is written.

use litmoscope_core::model::Buffers;
use litmoscope_core::program::system::{
    EventKind, Holds, Point, PointId, PointKind, System, SystemThread, Term, Transition, TransitionId, Variable,
};
use litmoscope_core::program::{BinaryOperator, Mode, RegisterId, Span, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many entries a buffer has at most.
pub const MOST_ENTRIES: u32 = 8;

/// The place of an entry: its variables.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// 0 if it is free, else 1 more than the number of the variable that is written.
    place: Variable,
    value: Variable,
    /// What it waits for: 0 nothing, 1 if a store-store fence stands in front of it, 2 if it is an unlock. Under PSO alone.
    waits: Option<Variable>,
}

/// The buffer of a thread.
#[derive(Clone, Debug)]
struct Buffer {
    /// The oldest first.
    entries: Vec<Entry>,
    /// 1 behind a store-store fence, until something is written. Under PSO alone.
    fenced: Option<Variable>,
    /// What the thread may write, ascending.
    writes: Vec<Variable>,
}

/// A system whose threads have store buffers.
#[derive(Clone, Debug)]
pub struct Buffered {
    /// The system: the movers of buffers are threads behind those of the program.
    pub system: System,
    /// How many threads are the program's.
    pub threads: usize,
    /// Where a thread writes into its buffer, and the place of the buffer's last entry: it waits there if that is not 0.
    waits: BTreeMap<(u16, PointId), Variable>,
}

fn is(variable: Variable, value: Value) -> Arc<Term> {
    Term::equal(&Arc::new(Term::Variable(variable)), &Term::constant(value))
}

fn get(variable: Variable) -> Arc<Term> {
    Arc::new(Term::Variable(variable))
}

/// A variable's number in the place of an entry.
fn number(variable: Variable) -> Value {
    Value::from(variable.0) + 1
}

/// What an event does with the buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It looks into it.
    Looks,
    /// It writes into it.
    Writes,
    /// The same, as an unlock.
    Unlocks,
    /// It notes that what comes is behind a store-store fence.
    Fences,
    /// It waits until the buffer is empty.
    Empties,
}

fn use_of(kind: &EventKind, buffers: Buffers) -> Use {
    match kind {
        EventKind::Write => Use::Writes,
        EventKind::Unlock => Use::Unlocks,
        EventKind::Fence(Mode::SequentiallyConsistent) => Use::Empties,
        EventKind::Fence(Mode::Release | Mode::AcquireRelease) if buffers == Buffers::OfLocations => Use::Fences,
        EventKind::Read | EventKind::Fence(_) | EventKind::Local | EventKind::Input | EventKind::Stuck => Use::Looks,
        EventKind::Update(_)
        | EventKind::CompareAndSwap
        | EventKind::Lock
        | EventKind::Send
        | EventKind::Receive
        | EventKind::End
        | EventKind::Join
        | EventKind::Atomic => Use::Empties,
    }
}

/// A term with something else in the place of some variables.
fn replaced(term: &Arc<Term>, with: &BTreeMap<Variable, Arc<Term>>) -> Arc<Term> {
    match &**term {
        Term::Constant(_) | Term::Input(_) => term.clone(),
        Term::Variable(variable) => with.get(variable).unwrap_or(term).clone(),
        Term::Unary(operator, operand) => Term::unary(*operator, &replaced(operand, with)),
        Term::Binary(operator, left, right) => Term::binary(*operator, &replaced(left, with), &replaced(right, with)),
        Term::Defined(operator, left, right) => Term::defined(*operator, &replaced(left, with), &replaced(right, with)),
        Term::If(condition, then, otherwise) => {
            Term::choose(&replaced(condition, with), &replaced(then, with), &replaced(otherwise, with))
        }
    }
}

impl Buffer {
    fn last(&self) -> Option<&Entry> {
        self.entries.last()
    }

    /// What the thread reads in the place of each variable that it may have written.
    fn seen(&self) -> BTreeMap<Variable, Arc<Term>> {
        let newest = |variable: Variable| {
            self.entries.iter().fold(get(variable), |older, entry| {
                Term::choose(&is(entry.place, number(variable)), &get(entry.value), &older)
            })
        };
        self.writes.iter().map(|variable| (*variable, newest(*variable))).collect()
    }

    /// Puts what is written behind the other entries.
    fn put(&self, place: &Arc<Term>, value: &Arc<Term>, unlocks: bool) -> Vec<(Variable, Arc<Term>)> {
        let mut assignments = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let free = is(entry.place, 0);
            let is_next = match at.checked_sub(1) {
                None => free,
                Some(before) => Term::and(&Term::not(&is(self.entries[before].place, 0)), &free),
            };
            let mut set = |variable, value: &Arc<Term>| {
                assignments.push((variable, Term::choose(&is_next, value, &get(variable))));
            };
            set(entry.place, place);
            set(entry.value, value);
            if let Some(waits) = entry.waits.filter(|_| at > 0) {
                let fenced = self.fenced.map_or_else(|| Term::constant(0), get);
                set(waits, &if unlocks { unlocked(&fenced) } else { fenced });
            }
        }
        assignments.extend(self.fenced.map(|fenced| (fenced, Term::constant(0))));
        assignments
    }

    /// Takes the entry at a place out. Nothing is in front of the first one then, which it could wait for.
    fn without(&self, at: usize) -> Vec<(Variable, Arc<Term>)> {
        let mut assignments = Vec::new();
        for (to, entry) in self.entries.iter().enumerate().skip(at) {
            let next = self.entries.get(to + 1);
            let from =
                |variable: fn(&Entry) -> Variable| next.map_or_else(|| Term::constant(0), |next| get(variable(next)));
            assignments.push((entry.place, from(|entry| entry.place)));
            assignments.push((entry.value, from(|entry| entry.value)));
            if let Some(waits) = entry.waits {
                let next = next.and_then(|next| next.waits).filter(|_| to > 0);
                assignments.push((waits, next.map_or_else(|| Term::constant(0), get)));
            }
        }
        assignments
    }
}

/// What an unlock waits for: all in front of it, and it is behind the fence for those behind it.
fn unlocked(fenced: &Arc<Term>) -> Arc<Term> {
    Term::choose(fenced, &Term::constant(3), &Term::constant(2))
}

/// What is written, and where: a term for the number of the variable, and one for the value.
fn written(transition: &Transition) -> Option<(Arc<Term>, Arc<Term>)> {
    let access = transition.accesses.iter().find(|access| access.writes)?;
    let mut place = Term::constant(0);
    let mut value = None;
    for (condition, variable) in access.places.iter() {
        place = Term::choose(condition, &Term::constant(number(*variable)), &place);
        let (_, assigned) = transition.assignments.iter().find(|(to, _)| to == variable)?;
        value = Some(match (&**assigned, condition.known()) {
            (Term::If(_, then, _), None) => then.clone(),
            _ => assigned.clone(),
        });
    }
    Some((place, value?))
}

impl Buffered {
    /// A system whose threads write into buffers of so many entries, one at least and [`MOST_ENTRIES`] at most.
    ///
    /// Linear in the system, times the number of entries.
    pub fn of(plain: &System, buffers: Buffers, entries: u32) -> Self {
        let entries = entries.clamp(1, MOST_ENTRIES);
        let mut system = plain.clone();
        let threads = system.threads.len();
        let mut waits = BTreeMap::new();
        let mut movers: Vec<(u16, Buffer)> = Vec::new();
        for thread in 0..threads as u16 {
            let writes = written_by(plain, thread);
            if writes.is_empty() {
                continue;
            }
            // The registers of the buffer's first mover.
            let mover = (threads + movers.iter().map(|(_, buffer)| movers_of(buffer, buffers)).sum::<usize>()) as u16;
            let name = format!("buffer of {}", plain.threads[usize::from(thread)].name);
            let mut registers = 0;
            let mut add = |part: String| {
                let variable = Variable(system.variables.len() as u32);
                system.variables.push(Holds::Register(mover, RegisterId(registers)));
                system.names.push(format!("{name}:{part}"));
                system.initial.push(0);
                registers += 1;
                variable
            };
            let with_waits = buffers == Buffers::OfLocations;
            let entry = |at: u32| Entry {
                place: add(format!("place{at}")),
                value: add(format!("value{at}")),
                waits: with_waits.then(|| add(format!("waits{at}"))),
            };
            let entries: Vec<Entry> = (0..entries).map(entry).collect();
            let fenced = (with_waits && fences(plain, thread)).then(|| add("fenced".to_owned()));
            movers.push((thread, Buffer { entries, fenced, writes }));
        }
        for (thread, buffer) in &movers {
            let seen = buffer.seen();
            for point in 0..system.threads[usize::from(*thread)].points.len() as u32 {
                let point = PointId(point);
                let PointKind::Event(kind) = &plain.point(usize::from(*thread), point).kind else { continue };
                let used = use_of(kind, buffers);
                for id in &plain.point(usize::from(*thread), point).transitions {
                    through(&mut system.transitions[id.0 as usize], buffer, used, &seen);
                }
                let may_wait = matches!(used, Use::Writes | Use::Unlocks | Use::Empties);
                system.threads[usize::from(*thread)].points[point.0 as usize].may_block |= may_wait;
                if let Some(last) = buffer.last().filter(|_| matches!(used, Use::Writes | Use::Unlocks)) {
                    waits.insert((*thread, point), last.place);
                }
            }
        }
        for (thread, buffer) in &movers {
            add_movers(&mut system, *thread, buffer, buffers);
        }
        Self { system, threads, waits }
    }

    /// Whether a thread waits at this point only because its buffer is full, where variables have these values.
    pub fn waits(&self, thread: u16, point: PointId, values: &[Value]) -> bool {
        self.waits.get(&(thread, point)).is_some_and(|last| values[last.0 as usize] != 0)
    }

    /// Where threads write into their buffers, each with the variable that is not 0 if the buffer is full.
    pub fn writing(&self) -> impl Iterator<Item = (u16, PointId, Variable)> + '_ {
        self.waits.iter().map(|((thread, point), last)| (*thread, *point, *last))
    }
}

/// What a thread may write into its buffer, ascending.
fn written_by(system: &System, thread: u16) -> Vec<Variable> {
    let mut all = BTreeSet::new();
    for point in &system.threads[usize::from(thread)].points {
        if let PointKind::Event(EventKind::Write | EventKind::Unlock) = point.kind {
            point.transitions.iter().for_each(|id| all.extend(&system.transition(*id).writes));
        }
    }
    all.into_iter().collect()
}

/// Whether a thread has a store-store fence.
fn fences(system: &System, thread: u16) -> bool {
    let is_fence =
        |point: &Point| matches!(point.kind, PointKind::Event(EventKind::Fence(Mode::Release | Mode::AcquireRelease)));
    system.threads[usize::from(thread)].points.iter().any(is_fence)
}

fn movers_of(buffer: &Buffer, buffers: Buffers) -> usize {
    match buffers {
        Buffers::OfThreads => 1,
        Buffers::OfLocations => buffer.writes.len(),
    }
}

/// Lets a transition of a thread go through its buffer.
fn through(transition: &mut Transition, buffer: &Buffer, used: Use, seen: &BTreeMap<Variable, Arc<Term>>) {
    if used == Use::Empties {
        transition.guard.extend(buffer.entries.first().map(|first| is(first.place, 0)));
        transition.guard.sort_by_key(|term| term.has_input());
        return;
    }
    let put = match used {
        Use::Writes | Use::Unlocks => written(transition),
        _ => None,
    };
    if let Some((place, value)) = put {
        transition.assignments.retain(|(variable, _)| !buffer.writes.contains(variable));
        let written = buffer.put(&place, &value, used == Use::Unlocks);
        transition.guard.extend(buffer.last().map(|last| is(last.place, 0)));
        transition.assignments.extend(written);
    }
    transition.guard.iter_mut().for_each(|term| *term = replaced(term, seen));
    transition.assignments.iter_mut().for_each(|(_, term)| *term = replaced(term, seen));
    if let Some(fenced) = buffer.fenced.filter(|_| used == Use::Fences) {
        // Behind nothing, a fence means nothing.
        let first = buffer.entries.first().map_or_else(|| Term::constant(0), |first| Term::not(&is(first.place, 0)));
        transition.assignments.push((fenced, Term::choose(&first, &Term::constant(1), &get(fenced))));
    }
    transition.assignments.sort_by_key(|(variable, _)| *variable);
    transition.guard.sort_by_key(|term| term.has_input());
}

/// Adds the movers of a thread's buffer.
fn add_movers(system: &mut System, thread: u16, buffer: &Buffer, buffers: Buffers) {
    let owner = system.threads[usize::from(thread)].name.clone();
    let movers: Vec<(String, &[Variable])> = match buffers {
        Buffers::OfThreads => vec![(format!("buffer of {owner}"), &buffer.writes[..])],
        Buffers::OfLocations => buffer
            .writes
            .chunks(1)
            .map(|variables| {
                let name = variables.first().map_or("", |variable| &system.names[variable.0 as usize]);
                (format!("buffer of {owner} for {name}"), variables)
            })
            .collect(),
    };
    for (name, variables) in movers {
        let index = system.threads.len() as u16;
        let first = system.transitions.len() as u32;
        for variable in variables {
            let places = if buffers == Buffers::OfThreads { 1 } else { buffer.entries.len() };
            for at in 0..places {
                let mut guard = vec![is(buffer.entries[at].place, number(*variable))];
                for before in &buffer.entries[..at] {
                    guard.push(Term::not(&is(before.place, number(*variable))));
                }
                for waits in buffer.entries[..=at].iter().skip(1).filter_map(|entry| entry.waits) {
                    // 1 and 3 are behind a fence.
                    let one = Term::binary(BinaryOperator::BitAnd, &get(waits), &Term::constant(1));
                    guard.push(Term::not(&one));
                }
                if at > 0
                    && let Some(waits) = buffer.entries[at].waits
                {
                    guard.push(Term::not(&get(waits)));
                }
                let mut assignments = vec![(*variable, get(buffer.entries[at].value))];
                assignments.extend(buffer.without(at));
                assignments.sort_by_key(|(variable, _)| *variable);
                system.transitions.push(Transition {
                    thread: index,
                    from: PointId(0),
                    to: PointId(0),
                    guard,
                    assignments,
                    forgets: Box::default(),
                    inputs: Vec::new(),
                    reads: Box::default(),
                    writes: Box::new([*variable]),
                    accesses: Vec::new(),
                    branches: Vec::new(),
                    is_back_jump: false,
                });
            }
        }
        let last = system.transitions.len() as u32;
        let point = Point {
            kind: PointKind::Event(EventKind::Write),
            span: Span::default(),
            transitions: (first..last).map(TransitionId).collect(),
            may_block: true,
            live: Box::default(),
        };
        system.threads.push(SystemThread { name, points: vec![point], start: PointId(0) });
    }
}
