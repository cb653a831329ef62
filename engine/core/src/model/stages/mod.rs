//! Whether an execution is consistent, by what finds it out soonest; with which co, and which writes that can leave last.
//!
//! | models | stage |
//! | --- | --- |
//! | WRA, RA, coherence, RC11 and RC20 without SC events; SRA without read-modify-writes; each of them with a co | [`coherent`]: no search |
//! | SC, TSO, PSO; SRA with read-modify-writes | [`machine`]: saturation, then a search by prefixes |
//! | RC11 and RC20 with SC events | [`coherent`] says no; else [`psc`], in whose terms [`fences`] looks for an order, and sometimes [`machine`] for a run |
//! | WRA and RA with several SC fences; SRA with a co | [`coherent`] says no, or yes with the fences as they were added; else [`fences`] |
//! | SRA with several SC fences | the same, but for the search, which is that of [`machine`] |
//!
//! [`super::coherence`], the search over orders of writes, decides whatever it is asked, and is the oracle of the others. It also
//! finds the reasons of inconsistency.
//!
//! [`Model::decide`](super::Model::decide) asks them about a graph from scratch: for GenMC with co and without, for random runs,
//! for comparisons and reasons. The same stages say which writes can be last
//! ([`Model::final_writes_within`](super::Model::final_writes_within)), and with which co a graph is consistent
//! ([`Model::consistency_before`](super::Model::consistency_before)). A search comes only where there is no other way, and
//! matrices come only with the last one. TruSt, whose graphs grow event by event, asks in its own way (`trust/consistency/mod.rs` of
//! `litmoscope-explore`).
//!
//! # What each stage rests on, and where that ends
//!
//! - **What po and rf say of co** ([`coherent`]): along hb no location gets older, for some order of its blocks, exactly if the
//!   pairs that this asks for are acyclic (Tunç, Abdulla, Chakraborty, Krishna, Mathur, Pavlogiannis, PLDI 2023). It does not do
//!   for SC: in `x := 1; a := y` beside `y := 1; b := x` with a = b = 0, each location alone is in order.
//! - **Saturation** ([`machine`]), by vector clocks over what machines keep in order: a write that comes before a read is its
//!   source or before that; what overwrites its source comes behind it. A cycle refuses. Its absence decides nothing. Take two
//!   writes each of two locations, read by four threads such that each order of the first two goes with no order of the others:
//!   there is no cycle, and no run (`tests.rs`, `saturation_does_not_decide`).
//! - **A search by prefixes** ([`machine`]): events come one by one, only writes that are read are a choice, and a prefix with
//!   its memory is looked at once (Gibbons and Korach 1997). It decides, but exponentially in threads.
//! - **The first stage with the SC fences in the order in which they were added**: some order of the fences is what the model
//!   asks for. So this only accepts.
//! - **Saturation of orders of SC fences** ([`fences`]), by vector clocks over these alone: writes are intervals between fences.
//!   Of two writes of a location one begins before the other ends, so what contradicts the clocks forces the other way. It ends
//!   where saturation does; under SRA it says what RA asks for.
//! - **A search by prefixes of the fences** ([`fences`]), as they were added at first; after a failure, each prefix is
//!   saturated. Intervals have a cycle only if two of them have: under RA this is polynomial for so many threads and locations.
//!   Two kinds of intervals, as RC11 has with both SC accesses and SC fences, may have a longer cycle. So what is found is
//!   checked, and if it fails, psc as a machine decides.
//! - **A machine with one more memory for what fences know** ([`fences`]), for SRA with several SC fences: a run of all events
//!   in which the fences are in its order. It decides, but exponentially in threads.
//! - **psc as a machine** ([`psc`]), for RC11 with SC accesses and SC fences where the check fails, and for the last writes of
//!   RC11 and RC20. A co that is given takes one pass.
//!
//! `litmoscope verify`, RF-SMC and RVF-SMC keep their own searches for SC, TSO and PSO ([`crate::consistency`]). They show how
//! the published algorithm finds its run or tries all states, and RF-SMC and RVF-SMC go on from that very run. So there is no
//! question of yes or no left to be shared.
//!
//! [`machine`]: mod@machine

mod accesses;
mod clocks;
mod coherent;
mod fences;
mod finals;
mod machine;
mod psc;
#[cfg(test)]
mod tests;

use super::buffers;
use super::rules::{Along, Buffers, Rules};
use super::view::View;
use crate::budget::{Budget, Halt, Meter};
use crate::graph::{Coherence, EventId, Label, ThreadId};
use crate::program::{Location, Mode};
use coherent::Coherent;
use fences::FenceOrder;
use finals::Candidates;
pub(super) use finals::LastWrites;
use machine::{Buffering, Event, Kind, Machine, Runs};
use psc::{Arrivals, ScRuns};
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
            Self::Witness => "the witness of the previous graph",
            Self::Pairs => "what po and rf imply for co",
            Self::Saturation => "saturation",
            Self::Prefixes => "a search over prefixes of the threads",
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
}

/// The search for a run, which can be put aside.
#[derive(Clone, Debug)]
pub(super) struct RunSearch {
    search: Search,
    /// Which events of a run are writes, if it is one of SC events.
    arrivals: Option<Arrivals>,
}

#[derive(Clone, Debug)]
enum Search {
    /// An order of SC events is looked for.
    Order(Box<FenceOrder>, Proof),
    /// What is known without a guess is found out.
    Saturates(Box<Machine>),
    /// Prefixes are tried.
    Tries(Box<Runs>),
}

/// What else has to be known of an order of SC events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    /// Nothing.
    None,
    /// A run of all events, whatever the order.
    Run,
    /// Perhaps, that there is a co.
    Co,
}

impl RunSearch {
    /// Whether there is a run of the graph that the search is about.
    pub(super) fn go_on(
        &mut self,
        view: &View<'_>,
        rules: &'static Rules,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Halt> {
        loop {
            match &mut self.search {
                Search::Order(order, Proof::Run) => {
                    if !order.settle(meter)? {
                        return Ok(false);
                    }
                    let pairs = Coherent::new(view, rules).pairs().unwrap_or_default();
                    let mut machine = strong_with_fences(view, pairs);
                    order.tell(&mut machine);
                    self.search = Search::Saturates(Box::new(machine));
                }
                Search::Order(order, proof) => {
                    let found = order.go_on(meter)?;
                    if !found || *proof == Proof::None || order.is_proof() {
                        return Ok(found);
                    }
                    // There may be another one.
                    let (mut machine, arrivals) = sc_runs(view, rules).into_parts();
                    order.tell(&mut machine);
                    (self.search, self.arrivals) = (Search::Saturates(Box::new(machine)), Some(arrivals));
                }
                Search::Saturates(machine) => {
                    if !machine.saturate(meter)? {
                        return Ok(false);
                    }
                    let empty = Machine::new(Buffering::None, 0, 0);
                    self.search = Search::Tries(Box::new(Runs::new(std::mem::replace(&mut **machine, empty))));
                }
                Search::Tries(runs) => return runs.search(meter),
            }
        }
    }

    /// What decides it, as far as is known.
    pub(super) fn stage(&self) -> Stage {
        match &self.search {
            Search::Tries(runs) if runs.has_chosen() => Stage::Prefixes,
            Search::Order(order, _) if order.has_chosen() => Stage::Prefixes,
            _ => Stage::Saturation,
        }
    }

    /// The co of the run that was found; where runs say nothing of a location, one that fits.
    pub(super) fn co(&self, view: &View<'_>, rules: &'static Rules) -> Coherence {
        if let Search::Order(order, proof) = &self.search {
            if *proof == Proof::None {
                return Coherent::with_fences(view, rules, &order.order(view)).some_co();
            }
            let (mut machine, arrivals) = sc_runs(view, rules).into_parts();
            order.tell_order(&mut machine);
            let mut runs = Self { search: Search::Saturates(Box::new(machine)), arrivals: Some(arrivals) };
            let mut budget = Budget::unlimited();
            let _ = runs.go_on(view, rules, &mut Meter::unlimited(&mut budget));
            return runs.co(view, rules);
        }
        let mut co: Coherence = (0..view.locations).map(|location| vec![EventId(location as u32)]).collect();
        let Search::Tries(runs) = &self.search else { return co };
        for number in runs.run() {
            let write = match &self.arrivals {
                Some(arrivals) => arrivals.write(number),
                None => Some(EventId(number)).filter(|&e| e.index() < view.len() && view.graph.event(e).is_write()),
            };
            if let Some(write) = write
                && let Some(location) = view.graph.event(write).location()
            {
                co[location.0 as usize].push(write);
            }
        }
        if self.arrivals.is_some() {
            let others = Coherent::new(view, rules).some_co();
            for (order, other) in co.iter_mut().zip(others).filter(|(order, _)| order.len() == 1) {
                *order = other;
            }
        }
        co
    }
}

/// What a graph says with its SC fences as events were added, or else as they may follow each other thread by thread, if that is
/// consistent, perhaps with a co. Most graphs were a run. Not for read-modify-writes where co is part of a global order.
fn with_fences_as_added<'v>(view: &'v View<'v>, rules: &'static Rules, co: Option<&Coherence>) -> Option<Coherent<'v>> {
    if rules.global.is_some() && view.has_updates && co.is_none() {
        return None;
    }
    let added: Vec<EventId> = view.graph.ids().skip(view.locations).collect();
    let is_porf = |&e: &EventId| {
        let mut before = view.po_predecessor(e).into_iter().chain(view.graph.source(e));
        before.all(|before| before < e)
    };
    let is_run = added.iter().all(is_porf);
    let coherent = Coherent::with_fences(view, rules, if is_run { &added } else { &view.order });
    let fits = match co {
        Some(co) => coherent.fits_with(co),
        None if !rules.has_co() => coherent.is_causal(),
        None => coherent.fits() && (rules.global.is_none() || coherent.fits_porf(coherent.pairs()?)),
    };
    fits.then_some(coherent)
}

/// A co of a graph that is known to be consistent without a run.
pub(super) fn co(view: &View<'_>, rules: &'static Rules) -> Coherence {
    let fences = Asks::new(view, rules).orders_fences.then(|| with_fences_as_added(view, rules, None)).flatten();
    let coherent = fences.unwrap_or_else(|| Coherent::new(view, rules));
    match coherent.pairs().filter(|_| rules.global.is_some()) {
        // Nothing branches: without read-modify-writes, any order that keeps porf and the pairs is a run.
        Some(mut pairs) => {
            pairs.extend(coherent.fences.windows(2).map(|pair| (pair[0], pair[1])));
            let Begun::Runs(mut runs) = run(strong(view, pairs), None) else { return coherent.some_co() };
            let mut budget = Budget::unlimited();
            let _ = runs.go_on(view, rules, &mut Meter::unlimited(&mut budget));
            runs.co(view, rules)
        }
        None => coherent.some_co(),
    }
}

/// What a graph asks beyond pairs.
struct Asks {
    /// SC fences are in an order that the stages do not know.
    orders_fences: bool,
    /// psc.
    orders_sc: bool,
}

impl Asks {
    fn new(view: &View<'_>, rules: &Rules) -> Self {
        let is_sc_fence = |event: &crate::graph::Event| event.label == Label::Fence(Mode::SequentiallyConsistent);
        let fences = || view.graph.events().filter(|(_, event)| is_sc_fence(event)).count();
        Self {
            orders_fences: rules.orders_fences && fences() > 1,
            orders_sc: rules.psc.is_some() && view.graph.events().any(|(_, event)| event.mode().is_sc()),
        }
    }
}

/// The runs of SRA: porf, and what co has to contain.
fn strong(view: &View<'_>, pairs: Vec<(EventId, EventId)>) -> Machine {
    let mut machine = machine(view, Buffering::None, false);
    for (a, b) in pairs {
        machine.put_before(a.0, b.0);
    }
    machine
}

/// The same where there are several SC fences.
fn strong_with_fences(view: &View<'_>, pairs: Vec<(EventId, EventId)>) -> Machine {
    let mut machine = Machine::new(Buffering::None, 3 * view.len(), 2 * view.locations);
    add_threads(&mut machine, view, Buffering::None, false);
    fences::add_knowledge(&mut machine, view, &pairs);
    for (a, b) in pairs {
        machine.put_before(a.0, b.0);
    }
    machine
}

/// The search for the writes that can be last at some locations, perhaps for one combination only, and about how much work it is to pose it; `None` if the search
/// over orders of writes has to decide.
pub(super) fn last_writes(
    view: &View<'_>,
    rules: &'static Rules,
    locations: &[Location],
    only: Option<&[EventId]>,
) -> (Option<LastWrites>, u64) {
    let new = |mut candidates: Vec<Candidates>, machine| {
        for (candidates, only) in candidates.iter_mut().zip(only.unwrap_or_default()) {
            match candidates {
                Candidates::Free(writes) => writes.retain(|w| w == only),
                Candidates::Tied(writes) => writes.retain(|(w, _)| w == only),
            }
        }
        LastWrites::new(candidates, machine)
    };
    let work = 2 * Coherent::cost(view);
    let asks = Asks::new(view, rules);
    let tied = |location: &Location, number: &dyn Fn(EventId) -> u32| {
        let writes = view.writes(location.0 as usize);
        let writes = if writes.len() > 1 { &writes[1..] } else { writes };
        Candidates::Tied(writes.iter().map(|&w| (w, number(w))).collect())
    };
    let all_tied = |machine: Machine| {
        let candidates = locations.iter().map(|location| tied(location, &|w| w.0)).collect();
        (Some(new(candidates, Some(machine))), work)
    };
    if rules.has_machine() {
        return all_tied(machine(view, buffering(rules), true));
    }
    let coherent = Coherent::new(view, rules);
    if !if rules.has_co() { coherent.fits() } else { coherent.is_causal() } {
        return (Some(LastWrites::none()), work);
    }
    if asks.orders_fences {
        return (None, work);
    }
    let pairs = || coherent.pairs().unwrap_or_default();
    if rules.global.is_some() {
        return all_tied(strong(view, pairs()));
    }
    let lasts = coherent.last_writes();
    let free = |location: &Location| Candidates::Free(lasts[location.0 as usize].clone());
    if !asks.orders_sc {
        return (Some(new(locations.iter().map(free).collect(), None)), work);
    }
    let sc = ScRuns::new(view, along(rules), &coherent, &pairs());
    let candidates = locations.iter().map(|location| {
        let is_tied = view.writes(location.0 as usize).iter().any(|&w| sc.arrival(w).is_some());
        let number = |w: EventId| sc.arrival(w).unwrap_or(w.0);
        if is_tied { tied(location, &number) } else { free(location) }
    });
    let candidates = candidates.collect();
    (Some(new(candidates, Some(sc.into_parts().0))), work + ScRuns::cost(view))
}

/// Finds out what takes no search. Returns how the question begins, and about how much work that was.
pub(super) fn begin(view: &View<'_>, rules: &'static Rules, co: Option<&Coherence>) -> (Begun, u64) {
    let work = Coherent::cost(view);
    let asks = Asks::new(view, rules);
    if rules.has_machine() {
        let machine = machine(view, buffering(rules), true);
        if let Some(co) = co {
            let fits = machine.fits_with(&numbers(co));
            return (Begun::Decided(fits, Stage::Pairs), work);
        }
        return (run(machine, None), work);
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
    if asks.orders_fences {
        if with_fences_as_added(view, rules, co).is_some() {
            return (Begun::Decided(true, Stage::Pairs), 2 * work);
        }
        let fences = FenceOrder::new(view, rules, &coherent, co);
        let proof = if rules.global.is_some() && co.is_none() { Proof::Run } else { Proof::None };
        return (find_order(fences, proof), 2 * work + FenceOrder::cost(view));
    }
    if asks.orders_sc {
        let work = work + ScRuns::cost(view);
        return match co {
            Some(co) => (Begun::Decided(sc_runs(view, rules).fits_with(co), Stage::Pairs), work),
            None => (find_order(psc::order(view, along(rules), &coherent), Proof::Co), work),
        };
    }
    if co.is_some() || rules.global.is_none() {
        return (Begun::Decided(true, Stage::Pairs), work);
    }
    let Some(pairs) = coherent.pairs() else { return (Begun::Decided(false, Stage::Pairs), work) };
    if !view.has_updates {
        return (Begun::Decided(coherent.fits_porf(pairs), Stage::Pairs), work);
    }
    (run(strong(view, pairs), None), work)
}

/// The runs of the SC events of a graph in which each location alone is in order.
fn sc_runs(view: &View<'_>, rules: &'static Rules) -> ScRuns {
    let coherent = Coherent::new(view, rules);
    let pairs = coherent.pairs().unwrap_or_default();
    ScRuns::new(view, along(rules), &coherent, &pairs)
}

/// What psc is made of, where there is one.
fn along(rules: &Rules) -> Along {
    rules.psc.map_or(Along::Scb, |psc| psc.along)
}

fn find_order(order: FenceOrder, proof: Proof) -> Begun {
    Begun::Runs(Box::new(RunSearch { search: Search::Order(Box::new(order), proof), arrivals: None }))
}

fn run(machine: Machine, arrivals: Option<Arrivals>) -> Begun {
    Begun::Runs(Box::new(RunSearch { search: Search::Saturates(Box::new(machine)), arrivals }))
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
    let mut machine = Machine::new(buffering, view.len(), view.locations);
    add_threads(&mut machine, view, buffering, all_bound);
    machine
}

/// Has a machine read the threads of a graph.
fn add_threads(machine: &mut Machine, view: &View<'_>, buffering: Buffering, all_bound: bool) {
    let graph = view.graph;
    for thread in (0..graph.threads()).map(|thread| ThreadId(thread as u16)) {
        let events = graph.thread(thread).iter().map(|&e| {
            let event = graph.event(e);
            let source = graph.source(e).filter(|_| !event.is_get());
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
    if graph.has_handlers() {
        graph.posted_by().chain(view.messages.iter().copied()).for_each(|(a, b)| machine.put_before(a.0, b.0));
    }
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
        Label::Fence(Mode::SequentiallyConsistent)
        | Label::Update { .. }
        | Label::Library { .. }
        | Label::Get { .. }
        | Label::Post { .. } => Kind::Strong,
        _ => Kind::Nothing,
    }
}
