//! Whether an execution is consistent, by what finds it out soonest.
//!
//! | models | stage |
//! | --- | --- |
//! | WRA, RA, coherence, RC11 without SC events; SRA without read-modify-writes; each of them with a co | [`coherent`]: no search |
//! | SC, TSO, PSO; SRA with read-modify-writes | [`machine`]: saturation, then a search by prefixes |
//! | RC11 with SC events, WRA, RA and SRA with several SC fences | [`coherent`] says no; else [`super::coherence`] |
//!
//! [`super::coherence`], the search over orders of writes, decides whatever it is asked, and is the oracle of the others.

mod accesses;
mod clocks;
mod coherent;
mod machine;
#[cfg(test)]
mod tests;

use super::buffers;
use super::rules::{Buffers, Rules};
use super::view::View;
use crate::budget::{Halt, Meter};
use crate::graph::{Coherence, EventId, Label, ThreadId};
use crate::program::Mode;
use coherent::Coherent;
use machine::{Buffering, Event, Kind, Machine, Runs};
use serde::{Deserialize, Serialize};

/// What decided a question of consistency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// porf is cyclic, or two read-modify-writes read one write.
    Shape,
    /// A witness that was kept from the question before.
    Witness,
    /// What po and rf say of co, without a search.
    Pairs,
    /// Saturation, and where that found no cycle, a run that left no choice.
    Saturation,
    /// The search for a run by prefixes of the threads.
    Prefixes,
    /// The search over orders of writes.
    Orders,
}

impl Stage {
    /// All of them, the cheapest first.
    pub const ALL: [Self; 6] =
        [Self::Shape, Self::Witness, Self::Pairs, Self::Saturation, Self::Prefixes, Self::Orders];

    /// What it is, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Shape => "the shape of porf",
            Self::Witness => "the witness of the graph before",
            Self::Pairs => "what po and rf say of co",
            Self::Saturation => "saturation",
            Self::Prefixes => "a search by prefixes of the threads",
            Self::Orders => "a search over orders of writes",
        }
    }
}

/// How many questions each stage decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Questions([u64; Stage::ALL.len()]);

impl Questions {
    /// Counts one.
    pub fn count(&mut self, stage: Stage) {
        self.0[stage as usize] += 1;
    }

    /// How many a stage decided.
    pub fn of(&self, stage: Stage) -> u64 {
        self.0[stage as usize]
    }

    /// What was asked since.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut since = *self;
        for (count, before) in since.0.iter_mut().zip(earlier.0) {
            *count -= before;
        }
        since
    }

    /// How many there were.
    pub fn all(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }
}

/// How a question begins.
pub(super) enum Begun {
    Decided(bool, Stage),
    /// A run is to be found.
    Runs(Box<RunSearch>),
    /// The search over orders of writes has to decide.
    Orders,
}

/// The search for a run, which can be put aside.
#[derive(Clone, Debug)]
pub(super) struct RunSearch(Search);

#[derive(Clone, Debug)]
enum Search {
    /// What is known without a guess is found out.
    Saturates(Machine),
    /// Prefixes are tried.
    Tries(Runs),
}

impl RunSearch {
    /// Whether there is a run.
    pub fn go_on(&mut self, meter: &mut Meter<'_>) -> Result<bool, Halt> {
        loop {
            match &mut self.0 {
                Search::Saturates(machine) => {
                    if !machine.saturate(meter)? {
                        return Ok(false);
                    }
                    let empty = Machine::new(Buffering::None, 0, 0);
                    self.0 = Search::Tries(Runs::new(std::mem::replace(machine, empty)));
                }
                Search::Tries(runs) => return runs.search(meter),
            }
        }
    }

    /// What decides it, as far as is known.
    pub fn stage(&self) -> Stage {
        match &self.0 {
            Search::Tries(runs) if runs.has_chosen() => Stage::Prefixes,
            _ => Stage::Saturation,
        }
    }

    /// The co of the run that was found.
    pub fn co(&self, view: &View<'_>) -> Coherence {
        let mut co: Coherence = (0..view.locations).map(|location| vec![EventId(location as u32)]).collect();
        let Search::Tries(runs) = &self.0 else { return co };
        for e in runs.run().map(EventId) {
            let event = view.graph.event(e);
            if let Some(location) = event.location().filter(|_| event.is_write()) {
                co[location.0 as usize].push(e);
            }
        }
        co
    }
}

/// Finds out what takes no search. Returns how the question begins, and about how much work that was.
pub(super) fn begin(view: &View<'_>, rules: &'static Rules, co: Option<&Coherence>) -> (Begun, u64) {
    let work = Coherent::cost(view);
    let is_sc_fence = |event: &crate::graph::Event| event.label == Label::Fence(Mode::SequentiallyConsistent);
    let fences = || view.graph.events().filter(|(_, event)| is_sc_fence(event)).count();
    let orders_fences = rules.orders_fences && fences() > 1;
    let orders_sc = rules.psc.is_some() && view.graph.events().any(|(_, event)| event.mode().is_sc());
    if rules.has_machine() {
        let machine = machine(view, buffering(rules), true);
        if let Some(co) = co {
            let fits = machine.fits_with(&numbers(co));
            return (Begun::Decided(fits, Stage::Pairs), work);
        }
        return (run(machine), work);
    }
    let coherent = Coherent::new(view, rules);
    let fits = match co {
        Some(co) => coherent.fits_with(co),
        None if !rules.has_co() => coherent.is_causal(),
        None => coherent.fits(),
    };
    if !fits {
        return (Begun::Decided(false, Stage::Pairs), work);
    }
    if orders_fences || orders_sc {
        return (Begun::Orders, work);
    }
    if co.is_some() || rules.global.is_none() {
        return (Begun::Decided(true, Stage::Pairs), work);
    }
    let Some(pairs) = coherent.pairs() else { return (Begun::Decided(false, Stage::Pairs), work) };
    if !view.has_updates {
        return (Begun::Decided(coherent.fits_porf(pairs), Stage::Pairs), work);
    }
    let mut machine = machine(view, Buffering::None, false);
    for (a, b) in pairs {
        machine.put_before(a.0, b.0);
    }
    (run(machine), work)
}

fn run(machine: Machine) -> Begun {
    Begun::Runs(Box::new(RunSearch(Search::Saturates(machine))))
}

fn buffering(rules: &Rules) -> Buffering {
    match rules.buffers {
        None => Buffering::None,
        Some(Buffers::OfThreads) => Buffering::Threads,
        Some(Buffers::OfLocations) => Buffering::Locations,
    }
}

/// co without its initial writes.
fn numbers(co: &Coherence) -> Vec<Vec<u32>> {
    co.iter().map(|order| order[1..].iter().map(|e| e.0).collect()).collect()
}

/// A graph as a machine with one memory may run it.
fn machine(view: &View<'_>, buffering: Buffering, all_bound: bool) -> Machine {
    let graph = view.graph;
    let mut machine = Machine::new(buffering, view.len(), view.locations);
    for thread in (0..graph.threads()).map(|thread| ThreadId(thread as u16)) {
        let events = graph.thread(thread).iter().map(|&e| {
            let event = graph.event(e);
            let source = graph.source(e);
            let is_init = |source: EventId| source.index() < view.locations;
            Event {
                number: e.0,
                kind: match kind(event) {
                    Kind::StoreFence if buffering != Buffering::Locations => Kind::Nothing,
                    kind => kind,
                },
                location: event.location().map(|location| location.0),
                writes: event.is_write(),
                source: source.map(|source| (!is_init(source)).then_some(source.0)),
                is_forwarded: source.is_some_and(|source| graph.event(source).thread() == thread),
            }
        });
        machine.add_thread(events, all_bound);
    }
    machine
}

/// As [`Buffers`] keep them.
fn kind(event: &crate::graph::Event) -> Kind {
    if buffers::is_unlock(event) {
        return Kind::Unlock;
    }
    if buffers::is_plain_write(event) {
        return Kind::Write;
    }
    if buffers::is_plain_read(event) {
        return Kind::Read;
    }
    if buffers::is_store_fence(event) {
        return Kind::StoreFence;
    }
    match event.label {
        Label::Fence(Mode::SequentiallyConsistent) | Label::Update { .. } | Label::Library { .. } => Kind::Strong,
        _ => Kind::Nothing,
    }
}
