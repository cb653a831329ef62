//! GenMC's machine, with co in the graph and without: what only one of the two does is its [`Policy`].

use crate::budget::{Budget, Decision, Paused};
use crate::explore::algorithms::choosing;
use crate::explore::growing::{Cut, GrowingGraph};
use crate::explore::stuck::Whole;
use crate::explore::tally::{Next, Tally};
use crate::explore::{Counts, Direction, ExecutionKind, Explorer, Options, PendingRead, Proposed, Revisit, Step};
use crate::graph::{Coherence, Event, EventId, EventKey, EventSet, Execution};
use crate::library;
use crate::model::{Inquiry, Model, Questions};
use crate::program::{Action, Code, Operation, Value};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

/// What comes next. `P` are the phases of the policy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Phase<P> {
    /// The head of VISITONE's loop.
    Visit,
    /// The new read wants a source: the `usize`th is tried next.
    Choose(EventId, usize),
    /// The new read's other choices are pushed: the `usize`th is next.
    PushForward(EventId, usize),
    /// CALCREVISITS for a write: the read with this id is next, or its spurious failure.
    PushBackward(EventId, u32, bool),
    /// One of the policy's own.
    Own(P),
    /// An error event was added and is reported.
    ReportError(EventId),
    /// The graph is whole: races are reported.
    ReportRace,
    /// The graph is whole.
    Complete,
    /// The graph was found before.
    Duplicate,
    /// VERIFY's loop.
    Take,
    /// The end is to be said.
    Finish,
    /// The end.
    Done,
}

/// Of an event that an option in U keeps: its name, its source, whether it fails spuriously, and what the policy adds. Values
/// and labels follow from these, since the graph up to the read is the same for all options of a read.
type KeptKey<P> = (EventKey, Option<EventKey>, bool, <P as Policy>::Place);

/// A backward option's key in U: the write, whether the read fails spuriously, and what is kept behind the read, sorted.
type Explored<P> = (Option<EventKey>, bool, Arc<[KeptKey<P>]>);

/// An option of a read or, where the policy says so, of a write.
#[derive(Clone, Debug)]
pub struct Choice<P: Policy> {
    /// What it does. Of a placement, `write` is the one in front.
    pub revisit: Revisit,
    /// What the policy keeps of it.
    pub own: P::Own,
}

/// T, S and U of one read; of a write only S.
#[derive(Clone, Debug, Default)]
struct State<P: Policy> {
    /// Member of T.
    revisitable: bool,
    /// S, the next option last.
    options: Vec<Choice<P>>,
    /// U.
    explored: IndexSet<Explored<P>, FxBuildHasher>,
}

/// What is different with co and without. What is there already is as without.
pub trait Policy: Clone + Debug + Default + Send + 'static {
    /// The phases that the other one does not have.
    type Phase: Copy + Debug + Send;
    /// What it keeps of an option.
    type Own: Clone + Debug + Default + Send;
    /// What it adds to the keys of U, for each event that an option keeps.
    type Place: Copy + Debug + Default + Eq + Hash + Send + Sync;

    /// Before the first step.
    fn new(_graph: &Execution) -> Self {
        Self::default()
    }

    /// The co that is explored.
    fn coherence(&self) -> Option<&Coherence> {
        None
    }

    /// The phase of an event that is to get its first place in co, if it gets one on its own; whether it is also a new read,
    /// whose other sources are options.
    fn place(_machine: &Exploration<Self>, _e: EventId, _new_read: bool) -> Option<Self::Phase> {
        None
    }

    /// The phase of an event that has its first place, and its other places as options.
    fn places(_machine: &Exploration<Self>, _e: EventId) -> Option<Self::Phase> {
        None
    }

    /// A phase of its own. What the write at hand keeps behind an event is still needed in it.
    fn advance(machine: &mut Exploration<Self>, phase: Self::Phase) -> Option<Step>;

    /// A read took another source, or none.
    fn follow(_machine: &mut Exploration<Self>, _read: EventId) {}

    /// What an option keeps besides the events of a set that are behind its own.
    fn kept(_machine: &Exploration<Self>, _e: EventId, _set: &EventSet) -> Self::Own {
        Self::Own::default()
    }

    /// What the key in U of an option says besides of the event with this index among those kept.
    fn key(_machine: &Exploration<Self>, _choice: &Choice<Self>, _at: usize) -> Self::Place {
        Self::Place::default()
    }

    /// Does what an option says to its event, behind which these events were restored.
    fn restore(machine: &mut Exploration<Self>, e: EventId, choice: &Choice<Self>, _kept: &EventSet) {
        machine.set_named_source(e, choice.revisit.write, choice.revisit.spurious);
    }
}

/// Ways to get the algorithm wrong, each of which the tests have to notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(test), allow(dead_code))]
pub(in super::super) enum Mutation {
    /// Keys of U depend on the order of insertion.
    OrderedKeys,
    /// T is not cut to E1.
    KeepRevisitable,
    /// U of removed reads is not dropped.
    KeepExplored,
    /// No CALCREVISITS for the read of an option taken.
    NoRevisitsAfterTaking,
    /// Keys of U don't know which of the events kept fail spuriously.
    KeysWithoutFailures,
    /// Forward options are consistent ones only.
    ConsistentOptionsOnly,
    /// No CALCREVISITS on inconsistent graphs, or where a thread waits for what it could take.
    NoRevisitsWhenInconsistent,
    /// Graphs are dropped as soon as a thread waits for what it could take.
    DropWaiting,
    /// CALCREVISITS for a lock, which lets others wait.
    BlockBackward,
    /// With co: keys of U have the order of the writes behind the read among themselves, as printed.
    InternalKeys,
    /// With co: options put a write behind a set closed upwards in co, as printed.
    UpwardClosed,
    /// With co: a read-modify-write keeps its place when it takes another source.
    KeepPlace,
    /// With co: what an option restores comes last in co.
    ForgetPlaces,
    /// With co: no CALCREVISITS for the write of a placement taken.
    NoRevisitsAfterPlacing,
}

/// GenMC's exploration of one program under one model.
#[derive(Clone, Debug)]
pub struct Exploration<P: Policy> {
    pub(in super::super) policy: P,
    pub(in super::super) model: Model,
    options: Options,
    pub(in super::super) growing: GrowingGraph,
    pub(in super::super) phase: Phase<P::Phase>,
    /// Whether the graph was already found to be consistent.
    consistent: bool,
    /// The search that a step was paused in.
    inquiry: Inquiry,
    /// The first source of the new read of which it was not decided whether it fits.
    undecided: Option<usize>,
    tally: Tally,
    cut: Vec<Event>,
    /// What the last step kept behind its event, or would keep.
    pub(in super::super) prefix: Option<EventSet>,
    /// T, S and U by event id; shorter than the graph where events behind have none.
    states: Vec<Option<State<P>>>,
    #[cfg(test)]
    pub(in super::super) mutation: Option<Mutation>,
    /// A model of the test's own.
    #[cfg(test)]
    pub(in super::super) contrived: Option<fn(&Execution) -> bool>,
    /// U of removed reads, for [`Mutation::KeepExplored`].
    #[cfg(test)]
    stale: FxHashMap<EventKey, IndexSet<Explored<P>, FxBuildHasher>>,
}

impl<P: Policy> Exploration<P> {
    /// The exploration before its first step.
    pub fn new(code: Arc<Code>, model: Model, options: Options) -> Self {
        let growing = GrowingGraph::new(code, options);
        Self {
            policy: P::new(&growing.graph),
            model,
            options,
            growing,
            phase: Phase::Visit,
            consistent: false,
            inquiry: Inquiry::default(),
            undecided: None,
            tally: Tally::default(),
            cut: Vec::new(),
            prefix: None,
            states: Vec::new(),
            #[cfg(test)]
            mutation: None,
            #[cfg(test)]
            contrived: None,
            #[cfg(test)]
            stale: Default::default(),
        }
    }

    #[cfg(test)]
    pub(in super::super) fn is_mutated(&self, mutation: Mutation) -> bool {
        self.mutation == Some(mutation)
    }

    #[cfg(not(test))]
    pub(in super::super) fn is_mutated(&self, _: Mutation) -> bool {
        false
    }

    pub(in super::super) fn key(&self, e: EventId) -> EventKey {
        self.growing.key(e)
    }

    fn state(&mut self, e: EventId) -> &mut State<P> {
        if self.states.len() <= e.index() {
            self.states.resize_with(e.index() + 1, || None);
        }
        self.states[e.index()].get_or_insert_default()
    }

    /// Pushes an option onto S.
    pub(in super::super) fn push(&mut self, e: EventId, revisit: Revisit, own: P::Own) {
        self.state(e).options.push(Choice { revisit, own });
    }

    /// Lets a read take a source, perhaps failing spuriously, or none (⊥).
    fn set_source(&mut self, read: EventId, source: Option<(EventId, bool)>) {
        match source {
            Some((write, spurious)) => self.growing.take(read, write, spurious),
            None => self.growing.graph.block(read),
        }
        P::follow(self, read);
    }

    /// The same with a source that was named when there was another graph.
    pub(in super::super) fn set_named_source(&mut self, read: EventId, write: Option<EventKey>, spurious: bool) {
        let find = |write| self.growing.graph.find(write).expect("a source precedes the read or is in the prefix");
        self.set_source(read, write.map(|write| (find(write), spurious)));
    }

    /// Whether the graph is consistent, with its co if it has one.
    fn decide(&mut self, budget: &mut Budget) -> Result<Decision, Paused> {
        #[cfg(test)]
        if let Some(contrived) = self.contrived {
            return Ok(contrived(&self.growing.graph).into());
        }
        let Self { policy, model, growing, options, inquiry, .. } = self;
        model.decide(&growing.graph, policy.coherence(), options.limits.search, inquiry, budget)
    }

    fn drop_graph(&mut self) -> Step {
        self.tally.counts.dropped += 1;
        self.phase = Phase::Take;
        Step::Drop
    }

    fn visit(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        if !self.consistent {
            match self.decide(budget)? {
                Decision::Yes => {}
                Decision::No => return Ok(self.drop_graph()),
                Decision::Undecided => {
                    self.tally.counts.undecided += 1;
                    self.phase = Phase::Take;
                    return Ok(Step::Undecided);
                }
            }
        }
        self.consistent = true;
        if self.is_mutated(Mutation::DropWaiting) && library::ill_blocked(&self.growing.graph).is_some() {
            return Ok(self.drop_graph());
        }
        let Some((thread, action)) = self.growing.next() else {
            if library::ill_blocked(&self.growing.graph).is_some() {
                return Ok(self.drop_graph());
            }
            self.phase = Phase::ReportRace;
            return self.advance_phase(budget);
        };
        let e = self.growing.add(thread, action);
        // The end of a thread changes no relation.
        self.consistent = self.growing.graph.event(e).ends_thread();
        self.phase = match action {
            Action::Library { operation, .. } if operation.waits() => Phase::Choose(e, 0),
            Action::Read { .. } | Action::Update { .. } => Phase::Choose(e, 0),
            Action::Write { .. } | Action::Library { .. } => self.behind_source(e),
            Action::Error(_) => Phase::ReportError(e),
            // Programs with handlers are refused, and those with inputs of many values.
            Action::Get | Action::Post { .. } | Action::Input => Phase::Visit,
            Action::Fence(_) | Action::Stuck | Action::Spin | Action::Bound(_) | Action::Finished => Phase::Visit,
        };
        Ok(Step::AddEvent { event: self.key(e) })
    }

    /// The phase behind an event that has its source, if it reads, and all other sources as options: its place in co.
    fn behind_source(&self, e: EventId) -> Phase<P::Phase> {
        P::place(self, e, false).map_or_else(|| self.behind_place(e), Phase::Own)
    }

    /// The phase behind an event that has its place in co, too, if it writes: revisits.
    pub(in super::super) fn behind_place(&self, e: EventId) -> Phase<P::Phase> {
        let event = self.growing.graph.event(e);
        let feeds = event.operation().is_none_or(Operation::hands_over) || self.is_mutated(Mutation::BlockBackward);
        if event.is_write() && feeds { Phase::PushBackward(e, 0, false) } else { Phase::Visit }
    }

    fn choose(&mut self, read: EventId, next: usize, budget: &mut Budget) -> Result<Step, Paused> {
        let sources = self.growing.sources(read);
        // No model lets a thread read a location as it was before a write that it wrote or read already; a long thread
        // has many such sources, each of which would take long to refuse.
        let known = self.growing.known_writes(read);
        let mut fits = None;
        for (at, &write) in sources.iter().enumerate().skip(next) {
            if known.iter().any(|&known| self.growing.graph.po(write, known)) {
                continue;
            }
            self.set_source(read, Some((write, false)));
            match self.decide(budget) {
                Ok(Decision::Yes) => fits = Some(at),
                Ok(Decision::No) => {}
                // The next visit asks again, to tell.
                Ok(Decision::Undecided) => self.undecided = self.undecided.or(Some(at)),
                Err(Paused) => {
                    self.set_source(read, None);
                    self.phase = Phase::Choose(read, at);
                    return Err(Paused);
                }
            }
            if fits.is_some() {
                break;
            }
        }
        let undecided = self.undecided.take();
        if self.growing.graph.event(read).operation().is_some() && fits.or(undecided).is_none() {
            self.set_source(read, None);
            self.join(read);
            // It changes no relation that anything else is in.
            self.consistent = true;
            self.phase = Phase::Visit;
            return Ok(Step::Block { read: self.key(read) });
        }
        // An extensible model always has a source that fits; should none do, the next visit drops the graph.
        let write = sources[fits.or(undecided).unwrap_or(0)];
        if fits.is_none() {
            self.set_source(read, Some((write, false)));
        }
        self.join(read);
        self.consistent = fits.is_some();
        self.growing.resume(read);
        self.phase = P::place(self, read, true).map_or(Phase::PushForward(read, 0), Phase::Own);
        Ok(Step::ChooseSource { read: self.key(read), write: self.key(write) })
    }

    /// Lets a new read join T.
    fn join(&mut self, read: EventId) {
        self.state(read).revisitable = true;
        #[cfg(test)]
        if let Some(stale) = self.stale.remove(&self.key(read)) {
            self.state(read).explored = stale;
        }
    }

    fn push_forward(&mut self, read: EventId, next: usize) -> Option<Step> {
        let chosen = self.growing.graph.source(read).map(|write| (write, false));
        let other = self.growing.choices(read).filter(|&other| Some(other) != chosen).nth(next);
        let Some((write, spurious)) = other else {
            self.phase = P::places(self, read).map_or_else(|| self.behind_place(read), Phase::Own);
            return self.push_block(read);
        };
        self.phase = Phase::PushForward(read, next + 1);
        if self.is_mutated(Mutation::ConsistentOptionsOnly) {
            let mut graph = self.growing.graph.clone();
            graph.set_source(read, write);
            if !self.model.is_consistent(&graph) {
                return None;
            }
        }
        let (read_key, write) = (self.key(read), self.key(write));
        let direction = Direction::Forward;
        let revisit = Revisit { write: Some(write), direction, spurious, prefix: Arc::default() };
        self.push(read, revisit, P::Own::default());
        Some(if spurious {
            Step::PushSpurious { read: read_key, write, direction }
        } else {
            Step::PushForward { read: read_key, write }
        })
    }

    /// Pushes ⊥.
    fn push_block(&mut self, read: EventId) -> Option<Step> {
        if !self.growing.is_contended(read) {
            return None;
        }
        let direction = Direction::Forward;
        self.push(read, Revisit { write: None, direction, spurious: false, prefix: Arc::default() }, P::Own::default());
        Some(Step::PushBlock { read: self.key(read) })
    }

    /// CALCREVISITS from the read `next` on, which may have been proposed already but for its spurious failure.
    fn push_backward(&mut self, write: EventId, next: u32, spurious: bool) -> Option<Step> {
        if self.is_mutated(Mutation::NoRevisitsWhenInconsistent) && self.is_wrong() {
            self.phase = Phase::Visit;
            return None;
        }
        let graph = &self.growing.graph;
        let location = graph.event(write).location();
        // Only ever so in the mutated algorithm: the new lock, which is no source, lets another one wait.
        let blocks = !graph.event(write).operation().is_none_or(Operation::hands_over);
        // What of the write's porf prefix is kept in its revisits is computed once for all of them.
        let prefix = self.prefix.take().filter(|_| next > 0).unwrap_or_else(|| graph.porf_prefix(write));
        let candidate = (next..self.states.len() as u32).map(EventId).find(|&read| {
            self.states[read.index()].as_ref().is_some_and(|state| state.revisitable)
                && graph.event(read).location() == location
                && !prefix.contains(read)
                && (blocks || library::feeds(graph, write, read))
        });
        let Some(read) = candidate else {
            self.phase = Phase::Visit;
            return None;
        };
        self.phase = if !spurious && self.growing.may_fail_spuriously(read, write) {
            Phase::PushBackward(write, read.0, true)
        } else {
            Phase::PushBackward(write, read.0 + 1, false)
        };
        let (read_key, write) = (self.key(read), self.key(write));
        let direction = Direction::Backward;
        let kept = self.growing.behind(read, &prefix).into();
        let revisit = Revisit { write: (!blocks).then_some(write), direction, spurious, prefix: kept };
        let choice = Choice { revisit, own: P::kept(self, read, &prefix) };
        self.prefix = Some(prefix);
        let key = self.explored(&choice);
        let state = self.state(read);
        let new = state.explored.insert(key);
        if new {
            state.options.push(choice);
        }
        Some(match (new, spurious) {
            _ if blocks => Step::PushBlock { read: read_key },
            (true, false) => Step::PushBackward { read: read_key, write },
            (true, true) => Step::PushSpurious { read: read_key, write, direction },
            (false, false) => Step::AlreadyExplored { read: read_key, write },
            (false, true) => Step::SpuriousAlreadyExplored { read: read_key, write },
        })
    }

    /// Whether the graph is inconsistent, or a thread waits in it for what it could take.
    fn is_wrong(&mut self) -> bool {
        let consistent = self.decide(&mut Budget::unlimited()).is_ok_and(Decision::is_yes);
        !consistent || library::ill_blocked(&self.growing.graph).is_some()
    }

    /// A backward option's key in U.
    fn explored(&self, choice: &Choice<P>) -> Explored<P> {
        let Revisit { write, spurious, prefix, .. } = &choice.revisit;
        let failures = !self.is_mutated(Mutation::KeysWithoutFailures);
        let name = |(at, (event, source)): (usize, &(Event, Option<EventKey>))| {
            (event.key, *source, failures && event.fails_spuriously(), P::key(self, choice, at))
        };
        let mut key: Vec<_> = prefix.iter().enumerate().map(name).collect();
        if !self.is_mutated(Mutation::OrderedKeys) {
            // Each event is there once.
            key.sort_unstable_by_key(|(event, ..)| *event);
        }
        (*write, *spurious, key.into())
    }

    /// Whether some block that is atomic is not one step, whatever comes behind.
    fn breaks_block(&self) -> bool {
        let code = &self.growing.code;
        let (Some(co), Some(_)) = (self.policy.coherence(), code.beyond.as_ref().and_then(|beyond| beyond.atomic))
        else {
            return false;
        };
        choosing::given()
            .is_some_and(|choosing| (choosing.breaks_block)(code, self.options.limits, &self.growing.graph, co))
    }

    fn report_error(&mut self, event: EventId) -> Step {
        self.phase = Phase::Visit;
        if self.options.stop_at_first {
            self.tally.counts.add(ExecutionKind::Erroneous, false);
            self.tally.counts.plain += 1;
            self.phase = Phase::Finish;
        }
        Step::Error { event: self.key(event) }
    }

    fn report_race(&mut self) -> Option<Step> {
        self.phase = Phase::Complete;
        self.tally.fault(&self.growing.code, self.model, self.options, &self.growing.graph)
    }

    fn complete(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        let GrowingGraph { code, graph, .. } = &self.growing;
        let whole = Whole { code, model: self.model, options: &self.options, graph, co: self.policy.coherence() };
        let (step, next) = self.tally.execution(whole, budget)?;
        self.phase = match next {
            Next::Duplicate => Phase::Duplicate,
            Next::Finish => Phase::Finish,
            Next::GoOn => Phase::Take,
        };
        Ok(step)
    }

    /// VERIFY's loop: the option of what was inserted last.
    fn take(&mut self) -> Step {
        let Some(e) = self.states.iter().rposition(|state| state.as_ref().is_some_and(|s| !s.options.is_empty()))
        else {
            self.phase = Phase::Done;
            return Step::Done;
        };
        // T, U (and S, empty by maximality) of what was inserted behind are dropped.
        #[cfg(test)]
        let dropped = self.split_off(e + 1);
        self.states.truncate(e + 1);
        let e = EventId(e as u32);
        let choice = self.state(e).options.pop().expect("found above");
        self.cut_to(e, &choice);
        #[cfg(test)]
        self.keep_dropped(dropped);
        self.tally.counts.revisits += 1;
        let Revisit { write, direction, spurious, .. } = choice.revisit;
        let places = direction == Direction::Placement;
        let mutation = if places { Mutation::NoRevisitsAfterPlacing } else { Mutation::NoRevisitsAfterTaking };
        self.phase = match places {
            _ if self.is_mutated(mutation) => Phase::Visit,
            true => self.behind_place(e),
            false => self.behind_source(e),
        };
        let read = self.key(e);
        match write {
            None => Step::TakeBlock { read },
            Some(after) if places => Step::TakePlacement { write: read, after },
            Some(write) if spurious => Step::TakeSpurious { read, write, direction },
            Some(write) => Step::TakeRevisit { read, write, direction },
        }
    }

    /// Cuts the graph behind an event, restores there what the option keeps and does what it says.
    fn cut_to(&mut self, e: EventId, choice: &Choice<P>) {
        let Cut { removed, kept } = self.growing.cut_to(e, &choice.revisit.prefix);
        self.cut = removed;
        self.consistent = false;
        P::restore(self, e, choice, &kept);
        self.prefix = Some(kept);
        self.growing.resume(e);
    }

    /// The states from an event on, by event.
    #[cfg(test)]
    fn split_off(&mut self, from: usize) -> Vec<(EventKey, State<P>)> {
        let states = self.states.split_off(from).into_iter().zip(from as u32..);
        states.filter_map(|(state, e)| Some((self.key(EventId(e)), state?))).collect()
    }

    /// What the mutations that forget to drop T or U do instead.
    #[cfg(test)]
    fn keep_dropped(&mut self, dropped: Vec<(EventKey, State<P>)>) {
        for (key, state) in dropped {
            if self.is_mutated(Mutation::KeepExplored) {
                self.stale.insert(key, state.explored);
            } else if self.is_mutated(Mutation::KeepRevisitable)
                && state.revisitable
                && let Some(e) = self.growing.graph.find(key)
            {
                *self.state(e) = State { revisitable: true, ..State::default() };
            }
        }
    }

    fn advance_phase(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        loop {
            if !matches!(self.phase, Phase::PushBackward(..) | Phase::Own(_)) {
                self.prefix = None;
            }
            let step = match self.phase {
                Phase::Visit => Some(self.visit(budget)?),
                Phase::Choose(read, next) => Some(self.choose(read, next, budget)?),
                Phase::PushForward(read, next) => self.push_forward(read, next),
                Phase::PushBackward(write, next, spurious) => self.push_backward(write, next, spurious),
                Phase::Own(phase) => P::advance(self, phase),
                Phase::ReportError(_) | Phase::ReportRace if self.breaks_block() => {
                    self.tally.counts.dropped += 1;
                    self.phase = Phase::Take;
                    Some(Step::NotAtomic)
                }
                Phase::ReportError(event) => Some(self.report_error(event)),
                Phase::ReportRace => self.report_race(),
                Phase::Complete => Some(self.complete(budget)?),
                Phase::Duplicate => {
                    self.tally.counts.duplicates += 1;
                    self.phase = Phase::Take;
                    Some(Step::Duplicate)
                }
                Phase::Take => Some(self.take()),
                Phase::Finish => {
                    self.phase = Phase::Done;
                    Some(Step::Done)
                }
                Phase::Done => Some(Step::Done),
            };
            if let Some(step) = step {
                return Ok(step);
            }
        }
    }

    /// U as it is shown: each with the option that waits in S, if it does.
    fn proposed(&self, state: &State<P>) -> Vec<Proposed> {
        let is_backward = |(_, choice): &(usize, &Choice<P>)| choice.revisit.direction == Direction::Backward;
        let waiting = state.options.iter().enumerate().filter(is_backward);
        let waiting: FxHashMap<_, _> = waiting.map(|(at, choice)| (self.explored(choice), at)).collect();
        let proposed = state.explored.iter().filter_map(|entry| {
            let (write, spurious, kept) = entry;
            Some(Proposed {
                write: (*write)?,
                spurious: *spurious,
                keeps: kept.iter().map(|(event, ..)| *event).collect(),
                waits: waiting.get(entry).copied(),
            })
        });
        proposed.collect()
    }
}

impl<P: Policy> Explorer for Exploration<P> {
    fn advance_within(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        if matches!(self.phase, Phase::Done) {
            return Ok(Step::Done);
        }
        budget.count(self.growing.graph.len() as u64)?;
        // A step that is paused leaves what the step before shows.
        let shown = (std::mem::take(&mut self.cut), self.prefix.clone());
        let step = self.advance_phase(budget);
        match step {
            Ok(_) => self.tally.counts.steps += 1,
            Err(Paused) => (self.cut, self.prefix) = shown,
        }
        step
    }

    fn execution(&self) -> &Execution {
        &self.growing.graph
    }

    fn coherence(&self) -> Option<&Coherence> {
        self.policy.coherence()
    }

    fn cut(&self) -> &[Event] {
        &self.cut
    }

    fn prefix(&self) -> Vec<EventId> {
        self.prefix.iter().flat_map(EventSet::iter).filter(|e| !self.growing.graph.event(*e).is_init()).collect()
    }

    fn registers(&self) -> Vec<&[Value]> {
        self.growing.registers()
    }

    fn questions(&self) -> Questions {
        self.inquiry.questions
    }

    fn counts(&self) -> Counts {
        self.tally.counts
    }

    fn pending(&self) -> Vec<PendingRead> {
        let states = self.states.iter().zip(0..).filter_map(|(state, e)| Some((state.as_ref()?, EventId(e))));
        // Of a write, only what waits.
        let shown = states
            .filter(|(state, e)| !state.options.is_empty() || self.growing.graph.event(*e).is_read())
            .map(|(state, e)| PendingRead {
                read: self.key(e),
                revisitable: state.revisitable,
                options: state.options.iter().map(|choice| choice.revisit.clone()).collect(),
                explored: self.proposed(state),
            });
        shown.collect()
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        let options = |state: &State<P>| state.options.len() + state.explored.len();
        self.growing.graph.len() + self.states.iter().flatten().map(options).sum::<usize>()
    }
}
