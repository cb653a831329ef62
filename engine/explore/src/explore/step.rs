//! The vocabulary of steps, and what every explorer offers.

use crate::budget::{Budget, Paused};
use crate::graph::{Coherence, Event, EventId, EventKey, Execution, Label};
use crate::model::Questions;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One step of an exploration. Events are named by key: ids change when a graph is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "step")]
pub enum Step {
    /// An event was added to the graph; a read has no source yet.
    AddEvent {
        /// The event.
        event: EventKey,
    },
    /// The new read took its first source.
    ChooseSource {
        /// The read.
        read: EventKey,
        /// The write.
        write: EventKey,
    },
    /// Another possible source was pushed as a forward option of the new read.
    PushForward {
        /// The read.
        read: EventKey,
        /// The write.
        write: EventKey,
    },
    /// The new write was pushed as a backward option of an earlier read.
    PushBackward {
        /// The read that may be revisited.
        read: EventKey,
        /// The new write.
        write: EventKey,
    },
    /// The new write could revisit an earlier read, but the resulting graph has been proposed before.
    AlreadyExplored {
        /// The read.
        read: EventKey,
        /// The new write.
        write: EventKey,
    },
    /// An option was taken: the graph was cut behind the read and the read took its new source.
    TakeRevisit {
        /// The read.
        read: EventKey,
        /// Its new source.
        write: EventKey,
        /// Which kind of option it was.
        direction: Direction,
    },
    /// The next candidate graph of brute force, whole.
    Candidate {
        /// Its number, from 1.
        number: u64,
    },
    /// The graph is inconsistent and is dropped; or it is whole, but some thread waits for what it could take.
    Drop,
    /// An error event in a consistent graph.
    Error {
        /// The event.
        event: EventKey,
    },
    /// A data race in a complete consistent graph.
    Race {
        /// One access.
        first: EventKey,
        /// The other.
        second: EventKey,
    },
    /// The graph is a whole execution.
    Execution {
        /// Its number among all executions, from 1.
        number: u64,
        /// Of what kind it is.
        kind: ExecutionKind,
    },
    /// The graph was explored before; this must never occur.
    Duplicate,
    /// Nothing is left to explore.
    Done,
    // New variants stand here: fingerprints hash the place of a variant.
    /// An option was pushed in which a weak compare-and-swap reads what it expects from the write and fails all the
    /// same.
    PushSpurious {
        /// The compare-and-swap.
        read: EventKey,
        /// The write.
        write: EventKey,
        /// Which kind of option it is.
        direction: Direction,
    },
    /// An earlier weak compare-and-swap could read the new write and fail spuriously, but the resulting graph has been
    /// proposed before.
    SpuriousAlreadyExplored {
        /// The compare-and-swap.
        read: EventKey,
        /// The new write.
        write: EventKey,
    },
    /// An option was taken in which a weak compare-and-swap fails spuriously: the graph was cut behind it and it took
    /// its new source.
    TakeSpurious {
        /// The compare-and-swap.
        read: EventKey,
        /// Its new source.
        write: EventKey,
        /// Which kind of option it was.
        direction: Direction,
    },
    /// In a complete consistent graph, a read takes its value from the initial write of something that has no initial
    /// value.
    UninitialisedRead {
        /// The read.
        read: EventKey,
    },
    /// The new operation of a library object found nothing that it could take: it waits (⊥), and its thread with it.
    Block {
        /// The operation.
        read: EventKey,
    },
    /// That the new operation waits, although it could go on, was pushed as a forward option.
    PushBlock {
        /// The operation.
        read: EventKey,
    },
    /// The option that an operation waits was taken: the graph was cut behind it, and its thread ends there.
    TakeBlock {
        /// The operation.
        read: EventKey,
    },
    /// A write got its first place in co, the last one.
    PlaceWrite {
        /// The write.
        write: EventKey,
        /// The write that it comes immediately behind.
        after: EventKey,
    },
    /// Another place of the write in co was pushed as an option.
    PushPlacement {
        /// The write.
        write: EventKey,
        /// The write that it would come immediately behind.
        after: EventKey,
    },
    /// A placement was taken: the graph was cut behind the write and the write came to its new place in co.
    TakePlacement {
        /// The write.
        write: EventKey,
        /// The write that it now comes immediately behind.
        after: EventKey,
    },
    /// The new write could be read by an earlier read, but that is left to another graph: the revisit would delete an
    /// event that is not maximal, or the read itself is not.
    NotMaximal {
        /// The read.
        read: EventKey,
        /// The new write.
        write: EventKey,
        /// The first event, in the order of insertion, that is not maximal: the read, or one that the revisit would
        /// delete.
        event: EventKey,
        /// Why it is not.
        reason: Reason,
    },
    /// RF-SMC: the read could take the write, or let it go first, and there is a run of what that keeps: it is kept as a
    /// schedule.
    Schedule {
        /// The read.
        read: EventKey,
        /// The write; of a read-modify-write or an operation of a library object, also one that goes first.
        write: EventKey,
        /// The read is a weak compare-and-swap that fails spuriously.
        spurious: bool,
    },
    /// RF-SMC: the read could take the write, but that schedule is there already.
    AlreadyScheduled {
        /// The read.
        read: EventKey,
        /// The write.
        write: EventKey,
    },
    /// RF-SMC: there is no run in which the read takes the write, or lets it go first, and what that keeps stays as it is.
    /// RVF-SMC: there is none in which the read takes the value of the write, and all others keep theirs.
    NoWitness {
        /// The read.
        read: EventKey,
        /// The write.
        write: EventKey,
    },
    /// RF-SMC: a schedule was taken; its events stay, and the run goes on behind them.
    TakeSchedule {
        /// The read that was changed.
        read: EventKey,
        /// Its new source, or what goes first.
        write: EventKey,
        /// The read is a weak compare-and-swap that fails spuriously.
        spurious: bool,
    },
    /// Whether the graph is consistent was not decided: the search for the answer was given up
    /// ([`crate::program::Limits::search`]). The graph is left.
    Undecided,
    /// A thread waits in this graph, and in all that come of it, at a read of a write that is not the last. The graph is left
    /// ([`Options::leave_out_waits`](super::Options::leave_out_waits)).
    LeaveOut {
        /// What the thread waits at.
        read: EventKey,
    },
    /// The exploration begins for another choice of the inputs among the initial values.
    Start {
        /// Its number, from 1.
        number: u64,
    },
    /// No order of all events has each atomic block in one piece. The graph is left.
    NotAtomic,
    /// Brute force: there are more candidate graphs than it lists. Nothing is explored.
    TooManyCandidates,
    /// RF-SMC, RVF-SMC: the search for a run in which the read takes the write, lets it go first, or takes its value, was given
    /// up.
    WitnessUndecided {
        /// The read.
        read: EventKey,
        /// The write.
        write: EventKey,
    },
    /// Another run of the program begins, from the initial graph.
    BeginRun {
        /// Its number, from 1.
        number: u64,
    },
    /// The run is over. It led to an execution that an earlier run found.
    Repeated {
        /// The number of that execution.
        number: u64,
    },
    /// RVF-SMC: it is the turn of this read, which was added and has no source.
    Turn {
        /// The read.
        read: EventKey,
    },
    /// RVF-SMC: the writes that the read could take, and was not offered before, form so many groups, one for each value.
    Groups {
        /// The read.
        read: EventKey,
        /// How many.
        groups: u32,
    },
    /// RVF-SMC: there is a run in which the read takes a write of the group that was asked about.
    Witness {
        /// The read.
        read: EventKey,
        /// The write that it takes in that run.
        write: EventKey,
    },
    /// RVF-SMC: a call goes on from that run.
    Call {
        /// The read.
        read: EventKey,
        /// The write that it takes in the run.
        write: EventKey,
        /// The read is a weak compare-and-swap that fails spuriously.
        spurious: bool,
    },
    /// RVF-SMC: a new write of another thread, or a next operation that may write, says that the read of a call around may have
    /// more to read.
    Signal {
        /// The read.
        read: EventKey,
        /// The write.
        write: EventKey,
    },
    /// RVF-SMC: the call is over; what it added was taken back, and so was the source of the read that it was made for.
    Return {
        /// The read.
        read: EventKey,
    },
    /// RVF-SMC: the causal map notes that the read was offered all that is there. The read was taken back.
    Offer {
        /// The read.
        read: EventKey,
    },
    /// RVF-SMC: nobody signalled to the read, so the call ends without other reads.
    Prune {
        /// The read.
        read: EventKey,
    },
    /// VC-DPOR: a call begins. The graph shows a witness of its annotated partial order.
    EnterCall {
        /// Its number, from 1.
        number: u64,
    },
    /// VC-DPOR: the next read of a thread was added. It takes the value of its good writes, whichever of them comes last.
    ExtendRead {
        /// The read.
        read: EventKey,
        /// The first of its good writes.
        write: EventKey,
        /// The read is a weak compare-and-swap that fails spuriously.
        spurious: bool,
    },
    /// VC-DPOR: two conflicting accesses outside the root come in this order.
    OrderPair {
        /// The one that comes first.
        first: EventKey,
        /// The other.
        second: EventKey,
    },
    /// VC-DPOR: with this event, the annotated partial order has no closure, and so no witness.
    NoClosure {
        /// The event.
        event: EventKey,
    },
    /// VC-DPOR: some threads wait for a read, but every write that it could take was offered to it before.
    DeadEnd,
    /// VC-DPOR: the next read of a thread was offered all writes that are there, which its row of the causal map notes.
    OfferAll {
        /// The read.
        read: EventKey,
    },
    /// DPOR: a store reaches memory from its buffer.
    Commit {
        /// The store.
        write: EventKey,
    },
    /// DPOR, EPOR: two events of the run are in a race (under TSO and PSO, of stores the moments in which they reach memory). That
    /// the second comes first is to be tried.
    Reversal {
        /// The earlier event.
        first: EventKey,
        /// The later one, or an operation that waits at the end of the run.
        second: EventKey,
    },
    /// DPOR, EPOR: two events of the run are in a race, but that the second comes first is tried already, or will be.
    AlreadyReversed {
        /// The earlier event.
        first: EventKey,
        /// The later one, or an operation that waits at the end of the run.
        second: EventKey,
    },
    /// DPOR: the new event is a weak compare-and-swap that found what it expects; that it fails, or succeeds, instead is to be
    /// tried.
    OtherOutcome {
        /// The compare-and-swap.
        event: EventKey,
    },
    /// DPOR, EPOR: all that can go on sleeps: whatever this run could become is explored elsewhere. It is dropped.
    SleepSetBlocked,
    /// DPOR, EPOR: the run was cut to before an event, and another one was performed there.
    TakeBacktrack {
        /// The event that was performed.
        event: EventKey,
        /// The event that it was performed instead of.
        before: EventKey,
        /// It is a store that reaches memory.
        commits: bool,
    },
    /// EPOR: an event joins the section that begins behind the run. The graph shows it, in one of the orders of the section.
    JoinSection {
        /// The event.
        event: EventKey,
    },
    /// EPOR: nothing else can join the section.
    EndSection {
        /// How many events it has.
        events: u32,
        /// How many pairs of them are of two threads and dependent.
        pairs: u32,
    },
    /// EPOR: a trace constraint system of the section, an order of each of its dependent pairs, has a solution, which is
    /// scheduled.
    Satisfiable {
        /// Its number, from 1.
        number: u64,
    },
    /// EPOR: a trace constraint system of the section has no solution.
    Unsatisfiable {
        /// Its number, from 1.
        number: u64,
    },
}

/// Why an event is not maximal in the graph of the events added before it and of the porf prefix of a new write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Some read of that graph reads from it.
    IsRead(EventKey),
    /// It is a write that this one comes behind in co.
    CoEarlier(EventKey),
    /// It is a read whose source this write comes behind in co.
    ReadsEarlier(EventKey),
    /// It is a read, and this is the source that it would take first; without co.
    OtherSource(EventKey),
    /// It is an operation of a library object that does not wait (⊥).
    DoesNotWait,
    /// It is a read, and whether it would take this source first was not decided; without co.
    Undecided(EventKey),
}

/// Which kind of option a revisit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The source was in the graph when the read was added.
    Forward,
    /// The source was added later.
    Backward,
    /// Not a source but a place in co.
    Placement,
    /// RF-SMC's: a part of an execution that has a run in which the read takes the source, or lets another go first.
    Schedule,
    /// VC-DPOR's: of two conflicting accesses outside the root, one comes before the other.
    Order,
    /// DPOR's and EPOR's: another event is performed instead of one of the run.
    Backtrack,
}

impl Direction {
    /// What such an option is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Placement => "placement",
            Self::Schedule => "schedule",
            Self::Order => "order",
            Self::Backtrack => "backtrack",
        }
    }
}

/// The kinds of whole executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExecutionKind {
    /// Every thread ran to its end.
    Complete,
    /// Some thread is stuck at a failed assumption, waits in a loop or for a mutex or channel, or was cut at a bound, and
    /// there is no error. It may be that this is only for now.
    Blocked,
    /// It is blocked, and stays so for good ([`super::Wait`]).
    StuckForGood,
    /// Some thread ended in an error event, two accesses race, or a read takes a value that nobody wrote.
    Erroneous,
}

impl ExecutionKind {
    /// Whether it is blocked, for good or not.
    pub fn is_blocked(self) -> bool {
        matches!(self, Self::Blocked | Self::StuckForGood)
    }

    /// Whether something is wrong with it.
    pub fn is_wrong(self) -> bool {
        matches!(self, Self::Erroneous | Self::StuckForGood)
    }
}

/// What an exploration has counted so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Counts {
    /// Whole executions in which every thread ran to its end, without error.
    pub complete: u64,
    /// Whole executions with a stuck, cut or waiting thread, without error.
    pub blocked: u64,
    /// Of these, those that are stuck for good ([`ExecutionKind::StuckForGood`]).
    pub stuck_for_good: u64,
    /// Whole executions with an error event, a data race or a read of what nobody wrote.
    pub erroneous: u64,
    /// Whole executions that a bound cut ([`crate::program::Limits`]).
    pub bounded: u64,
    /// Steps.
    pub steps: u64,
    /// Options taken.
    pub revisits: u64,
    /// Inconsistent graphs, and whole ones in which a thread waits for what it could take.
    pub dropped: u64,
    /// Executions seen twice: 0, or the algorithm is wrong.
    pub duplicates: u64,
    /// Plain executions among the whole ones: those that differ in co alone are one.
    pub plain: u64,
    /// Graphs among the dropped ones that were left because of a bound on preemptions or context switches: whole
    /// executions above it, and graphs that lead to such alone.
    #[serde(default)]
    pub beyond: u64,
    /// Graphs and revisits that were left because a question about them was not decided
    /// ([`crate::program::Limits::search`]): there may be more executions.
    #[serde(default)]
    pub undecided: u64,
    /// Graphs that were left because a thread waits in vain ([`Step::LeaveOut`]).
    #[serde(default)]
    pub left_out: u64,
    /// Runs of algorithms that choose at random what to look at: whatever they find, it need not be everything.
    #[serde(default)]
    pub runs: u64,
    /// Of these, those that led to an execution that was found before.
    #[serde(default)]
    pub repeated: u64,
    /// EPOR: sections.
    #[serde(default)]
    pub sections: u64,
    /// EPOR: trace constraint systems of all sections.
    #[serde(default)]
    pub systems: u64,
    /// Of these, those that have no solution.
    #[serde(default)]
    pub unsatisfiable: u64,
    /// EPOR: pairs of events that were looked at for being in a race: those of each section once, and each event of a run
    /// with those before its section.
    #[serde(default)]
    pub race_checks: u64,
}

impl Counts {
    /// Whether nothing was cut or left that may lead to more executions.
    pub fn is_unbounded(&self) -> bool {
        self.bounded == 0 && self.beyond == 0 && self.undecided == 0 && self.runs == 0
    }

    /// Whether something is wrong with an execution.
    pub fn is_any_wrong(&self) -> bool {
        self.erroneous + self.stuck_for_good > 0
    }

    /// All whole executions.
    pub fn executions(&self) -> u64 {
        self.complete + self.blocked + self.erroneous
    }

    /// Adds what was counted in another part of the same exploration.
    pub fn append(&mut self, other: Self) {
        self.complete += other.complete;
        self.blocked += other.blocked;
        self.stuck_for_good += other.stuck_for_good;
        self.erroneous += other.erroneous;
        self.bounded += other.bounded;
        self.steps += other.steps;
        self.revisits += other.revisits;
        self.dropped += other.dropped;
        self.duplicates += other.duplicates;
        self.plain += other.plain;
        self.beyond += other.beyond;
        self.undecided += other.undecided;
        self.left_out += other.left_out;
        self.runs += other.runs;
        self.repeated += other.repeated;
        self.sections += other.sections;
        self.systems += other.systems;
        self.unsatisfiable += other.unsatisfiable;
        self.race_checks += other.race_checks;
    }

    /// What was counted since there were `before`.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            complete: self.complete - before.complete,
            blocked: self.blocked - before.blocked,
            stuck_for_good: self.stuck_for_good - before.stuck_for_good,
            erroneous: self.erroneous - before.erroneous,
            bounded: self.bounded - before.bounded,
            steps: self.steps - before.steps,
            revisits: self.revisits - before.revisits,
            dropped: self.dropped - before.dropped,
            duplicates: self.duplicates - before.duplicates,
            plain: self.plain - before.plain,
            beyond: self.beyond - before.beyond,
            undecided: self.undecided - before.undecided,
            left_out: self.left_out - before.left_out,
            runs: self.runs - before.runs,
            repeated: self.repeated - before.repeated,
            sections: self.sections - before.sections,
            systems: self.systems - before.systems,
            unsatisfiable: self.unsatisfiable - before.unsatisfiable,
            race_checks: self.race_checks - before.race_checks,
        }
    }

    pub(super) fn add(&mut self, kind: ExecutionKind, bounded: bool) {
        *match kind {
            ExecutionKind::Complete => &mut self.complete,
            ExecutionKind::Blocked | ExecutionKind::StuckForGood => &mut self.blocked,
            ExecutionKind::Erroneous => &mut self.erroneous,
        } += 1;
        self.stuck_for_good += u64::from(kind == ExecutionKind::StuckForGood);
        self.bounded += u64::from(bounded);
    }
}

/// An option of a read, or with co of a write: what a revisit would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revisit {
    /// The source that the read would take, `None` if it would wait (⊥); of a placement, the write that this one would
    /// come immediately behind in co.
    pub write: Option<EventKey>,
    /// Its kind.
    pub direction: Direction,
    /// The read is a weak compare-and-swap that would fail although it finds what it expects.
    pub spurious: bool,
    /// Of a backward option (or of a placement behind one), what it restores behind the read: the events of the write's
    /// porf prefix that were inserted behind the read, in that order, each with its source.
    pub prefix: Arc<[(Event, Option<EventKey>)]>,
}

/// A read with its part of T, S and U; with co, also a write with its part of S.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingRead {
    /// The read, or the write that has other places in co.
    pub read: EventKey,
    /// T: whether later writes may revisit it.
    pub revisitable: bool,
    /// S: options not taken yet, the next one last.
    pub options: Vec<Revisit>,
    /// U: every backward option ever proposed.
    pub explored: Vec<Proposed>,
}

/// A backward option as U knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposed {
    /// The source that the read would take.
    pub write: EventKey,
    /// As [`Revisit::spurious`].
    pub spurious: bool,
    /// What it keeps behind the read.
    pub keeps: Vec<EventKey>,
    /// Where it is in S; `None` once it was taken.
    pub waits: Option<usize>,
}

/// An exploration in progress.
pub trait Explorer: Send {
    /// Performs one step and returns it; [`Step::Done`] for ever at the end.
    ///
    /// # Errors
    /// [`Paused`] where the budget says so, or nearly; the next call goes on. In between, everything else is as before the
    /// step.
    fn advance_within(&mut self, budget: &mut Budget) -> Result<Step, Paused>;

    /// Performs one step, however long that takes, and returns it.
    fn advance(&mut self) -> Step {
        let mut budget = Budget::unlimited();
        loop {
            if let Ok(step) = self.advance_within(&mut budget) {
                return step;
            }
        }
    }

    /// The current graph.
    fn execution(&self) -> &Execution;

    /// co, for algorithms that choose one; for others, models look for one that fits. A new write is missing until it
    /// is placed.
    fn coherence(&self) -> Option<&Coherence> {
        None
    }

    /// The events that the option just taken removed; empty after any other step.
    fn cut(&self) -> &[Event] {
        &[]
    }

    /// When an option was taken, the events kept behind the read; when a backward option was proposed, the porf prefix
    /// of the write, which such a revisit would keep. Empty after any other step.
    fn prefix(&self) -> Vec<EventId> {
        Vec::new()
    }

    /// The registers at the end of each thread of a whole execution, by thread; temporaries behind the thread's own.
    fn registers(&self) -> Vec<&[crate::program::Value]>;

    /// What was counted so far.
    fn counts(&self) -> Counts;

    /// What decided the questions of consistency that were asked so far. None for algorithms that ask in another way.
    fn questions(&self) -> Questions {
        Questions::default()
    }

    /// T, S and U by event, in the order they were added. Empty for algorithms that have no such sets.
    fn pending(&self) -> Vec<PendingRead> {
        Vec::new()
    }

    /// For algorithms that push no options: how many choices lie above the one that the last step made, or that is to
    /// be made for the event that it added. `None` for others, and after other steps.
    fn level(&self) -> Option<usize> {
        None
    }

    /// Whether the exploration ended before it began ([`Step::TooManyCandidates`]).
    fn gave_up(&self) -> bool {
        false
    }

    /// A copy at the same point: a checkpoint. What does not change any more is shared.
    fn checkpoint(&self) -> Box<dyn Explorer>;

    /// How many things a checkpoint holds of its own, each of some dozens of bytes: events and options.
    fn weight(&self) -> usize;
}

/// The kind of a whole execution, and whether a bound cut it. Whether one that is blocked is stuck for good is not asked here.
pub(super) fn classify(graph: &Execution, wrong: bool) -> (ExecutionKind, bool) {
    let any = |wanted: fn(&Label) -> bool| graph.events().any(|(_, event)| wanted(&event.label));
    let bounded = any(|label| matches!(label, Label::Bound(_)));
    let kind = if wrong || any(|label| matches!(label, Label::Error(_))) {
        ExecutionKind::Erroneous
    } else if bounded
        || any(|label| matches!(label, Label::Stuck | Label::Spin))
        || graph.events().any(|(_, event)| event.is_blocked())
    {
        ExecutionKind::Blocked
    } else {
        ExecutionKind::Complete
    };
    (kind, bounded)
}
