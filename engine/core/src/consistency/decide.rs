//! From an abstract execution to a witness, or to the reason why there is none.

use super::closure::Closure;
use super::instance::Flaw;
use super::search::SearchTree;
use super::witness::{Findings, Found, WitnessSearch};
use super::{AbstractExecution, AnnotatedOrder, Instance, Machine, NodeId, NotAnnotated};
use crate::budget::{Budget, Paused};
use crate::graph::{Coherence, EventId, Execution};
use crate::model::{Consistency, Model, Violation};

/// How to look for a witness.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Look at the closure first, and leave out orders that disagree with it.
    pub closure: bool,
    /// VerifySC: make moves that can't be wrong without a choice.
    pub greedy: bool,
    /// Search as if nothing was known: the baseline.
    pub naive: bool,
    /// An order of nodes to follow wherever there is a choice, such as that of a run which satisfies all but one read.
    pub guide: Option<Vec<NodeId>>,
    /// The most states that are reached, those of all choices of sources together.
    pub states: u64,
    /// The most units of work ([`crate::budget`]) of a model that has no machine, those of all choices together.
    pub units: u64,
    /// The most states of a search that are listed.
    pub listed: usize,
    /// The most cases that are listed of an execution whose reads have a choice.
    pub cases: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            closure: true,
            greedy: true,
            naive: false,
            guide: None,
            states: 2_000_000,
            units: 1 << 30,
            listed: 0,
            cases: 100,
        }
    }
}

/// What was found out about an execution.
#[derive(Clone, Debug)]
pub struct ConsistencyAnswer {
    /// The answer.
    pub verdict: ConsistencyVerdict,
    /// States reached, by all searches together.
    pub states: u64,
    /// Moves that led to a state reached before.
    pub repeats: u64,
    /// How many choices of sources, whole or in part, were looked at.
    pub choices: u64,
}

/// Whether an execution is consistent.
#[derive(Clone, Debug)]
pub enum ConsistencyVerdict {
    /// It is, as this shows.
    Consistent(Box<ConsistencyWitness>),
    /// It is not. The first cases, and how many more there are: one if no read has a choice that the model asks about.
    Inconsistent {
        /// The cases.
        cases: Vec<ConsistencyCase>,
        /// How many more there are.
        more: u64,
    },
    /// A bound ended the search.
    Bounded,
}

/// Why a consistent execution is.
#[derive(Clone, Debug)]
pub struct ConsistencyWitness {
    /// The graph, every read with the source that it takes.
    pub graph: Execution,
    /// A run, for models with a machine.
    pub run: Option<Run>,
    /// co, for those without.
    pub co: Option<Coherence>,
}

/// A run of a machine, and what was known before it was looked for.
#[derive(Clone, Debug)]
pub struct Run {
    /// The nodes.
    pub instance: Instance,
    /// The closure, if that was wanted.
    pub closure: Option<Closure>,
    /// The nodes but initial writes in the order in which they are performed.
    pub order: Vec<NodeId>,
    /// The search.
    pub tree: SearchTree,
}

/// Some sources, and why no order lets reads have them.
#[derive(Clone, Debug)]
pub struct ConsistencyCase {
    /// The reads that have a choice, as far as it matters, with what they would take.
    pub sources: Vec<(EventId, EventId)>,
    /// Why not.
    pub why: Why,
}

/// Why no order explains an execution.
#[derive(Clone, Debug)]
pub enum Why {
    /// A read can't have its source by program order alone.
    Flaw {
        /// The nodes.
        instance: Box<Instance>,
        /// What is wrong.
        flaw: Flaw,
    },
    /// Nobody writes what this read is to read.
    NoWrite(EventId),
    /// The closure ends in a cycle, or in a read without source.
    Closure {
        /// The nodes.
        instance: Box<Instance>,
        /// The closure.
        closure: Box<Closure>,
    },
    /// All orders were tried.
    Exhausted {
        /// The nodes.
        instance: Box<Instance>,
        /// The closure, if that was wanted.
        closure: Option<Box<Closure>>,
        /// The states.
        tree: SearchTree,
        /// How many there are.
        states: u64,
    },
    /// An axiom of the model is violated.
    Axiom {
        /// The graph, with the sources of the case.
        graph: Box<Execution>,
        /// The axiom and its cycle.
        violation: Box<Violation>,
    },
}

/// An execution that a model has no meaning for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// It has atomic blocks or buffered read-modify-writes.
    #[error(
        "atomic blocks and buffered read-modify-writes are defined only for SC, TSO and PSO, not for {}",
        .0.title()
    )]
    Atomic(Model),
    /// It has a root.
    #[error("an annotated partial order, which has a root, is defined only for SC, not for {}", .0.title())]
    Rooted(Model),
    /// It has a root, but is no annotated partial order.
    #[error(transparent)]
    NotAnnotated(#[from] NotAnnotated),
}

impl Unsupported {
    /// The event that is in the way.
    pub fn event(&self) -> Option<EventId> {
        match self {
            Self::NotAnnotated(
                NotAnnotated::Atomic(event)
                | NotAnnotated::BothSides(event)
                | NotAnnotated::Unordered(event, _)
                | NotAnnotated::Cycle(event, _),
            ) => Some(*event),
            Self::Atomic(_) | Self::Rooted(_) => None,
        }
    }
}

/// Whether an execution is consistent under a model.
///
/// Exponential at worst in the number of reads that have a choice of sources, except under SC, where the choice is part of the
/// search; for each choice, as the model's algorithm.
///
/// # Errors
/// [`Unsupported`]
pub fn decide(
    model: Model,
    execution: &AbstractExecution,
    settings: &Settings,
) -> Result<ConsistencyAnswer, Unsupported> {
    decide_before(model, execution, settings, &mut Budget::unlimited())
}

/// As [`decide`], as long as a budget lasts: then the verdict is [`ConsistencyVerdict::Bounded`].
///
/// # Errors
/// [`Unsupported`]
pub fn decide_before(
    model: Model,
    execution: &AbstractExecution,
    settings: &Settings,
    budget: &mut Budget,
) -> Result<ConsistencyAnswer, Unsupported> {
    let machine = Machine::of(model);
    if machine.is_none() && !execution.is_plain() {
        return Err(Unsupported::Atomic(model));
    }
    if execution.root.is_some() && machine != Some(Machine::Sc) {
        return Err(Unsupported::Rooted(model));
    }
    let mut choosing = Choosing {
        execution,
        settings,
        budget,
        units: settings.units,
        answer: ConsistencyAnswer { verdict: ConsistencyVerdict::Bounded, states: 0, repeats: 0, choices: 0 },
        cases: Vec::new(),
        more: 0,
    };
    let is_lost = |read: &EventId| execution.graph.event(*read).is_read() && execution.sources[read.index()].is_empty();
    if let Some(read) = execution.graph.ids().find(is_lost) {
        let case = ConsistencyCase { sources: Vec::new(), why: Why::NoWrite(read) };
        let verdict = ConsistencyVerdict::Inconsistent { cases: vec![case], more: 0 };
        return Ok(ConsistencyAnswer { verdict, ..choosing.answer });
    }
    if let Some(root) = execution.root {
        let verdict = choosing.annotated(AnnotatedOrder::new(execution, root)?);
        return Ok(ConsistencyAnswer { verdict, ..choosing.answer });
    }
    let open: Vec<EventId> = match machine {
        Some(Machine::Sc) => Vec::new(),
        _ => execution.open_reads().collect(),
    };
    let going = choosing.choose(&open, &mut Vec::new(), &|choosing, chosen| match machine {
        Some(machine) => choosing.machine(machine, chosen, chosen.len() == open.len()),
        None => choosing.axioms(model, chosen, chosen.len() == open.len()),
    });
    let Choosing { mut answer, cases, more, .. } = choosing;
    answer.verdict = match going {
        Going::Found(witness) => ConsistencyVerdict::Consistent(witness),
        Going::Bounded => ConsistencyVerdict::Bounded,
        Going::Refuted => ConsistencyVerdict::Inconsistent { cases, more },
        Going::Open => unreachable!("all choices were made"),
    };
    Ok(answer)
}

/// What is known about a choice of sources.
enum Going {
    /// It has a witness.
    Found(Box<ConsistencyWitness>),
    /// It has none.
    Refuted,
    /// It is not known, since not all sources are chosen.
    Open,
    /// It is not known, since there are too many states.
    Bounded,
}

struct Choosing<'e> {
    execution: &'e AbstractExecution,
    settings: &'e Settings,
    budget: &'e mut Budget,
    /// How many units of work are left.
    units: u64,
    answer: ConsistencyAnswer,
    cases: Vec<ConsistencyCase>,
    more: u64,
}

/// A graph whose reads have the sources that they take in a run.
fn with_sources_of(graph: &Execution, instance: &Instance, order: &[NodeId]) -> Execution {
    let mut graph = graph.clone();
    for (read, write) in instance.replay(order).unwrap_or_default() {
        graph.set_source(instance.node(read).event, instance.node(write).event);
    }
    graph
}

type Chosen = [(EventId, EventId)];

impl Choosing<'_> {
    /// Tries the sources of the reads that have a choice, one read after the other, as long as nothing rules them out.
    fn choose(
        &mut self,
        open: &[EventId],
        chosen: &mut Vec<(EventId, EventId)>,
        look: &dyn Fn(&mut Self, &Chosen) -> Going,
    ) -> Going {
        self.answer.choices += 1;
        let told = self.budget.count(1).is_err();
        if told || self.answer.choices + self.answer.states > self.settings.states {
            return Going::Bounded;
        }
        let going = look(self, chosen);
        let Going::Open = going else { return going };
        let read = open[chosen.len()];
        let execution = self.execution;
        for &write in &execution.sources[read.index()] {
            chosen.push((read, write));
            let going = self.choose(open, chosen, look);
            chosen.pop();
            if !matches!(going, Going::Refuted) {
                return going;
            }
        }
        Going::Refuted
    }

    fn refute(&mut self, chosen: &Chosen, why: impl FnOnce() -> Why) -> Going {
        if self.cases.len() < self.settings.cases {
            self.cases.push(ConsistencyCase { sources: chosen.to_vec(), why: why() });
        } else {
            self.more += 1;
        }
        Going::Refuted
    }

    fn machine(&mut self, machine: Machine, chosen: &Chosen, is_whole: bool) -> Going {
        let execution = self.execution.with_sources(chosen);
        let instance = Instance::new(machine, &execution);
        if !is_whole {
            if let Some(flaw) = instance.flaw() {
                return self.refute(chosen, || Why::Flaw { instance: Box::new(instance), flaw });
            }
            let closure = Closure::new(&instance);
            if closure.exists() {
                return Going::Open;
            }
            return self.refute(chosen, || Why::Closure { instance: Box::new(instance), closure: Box::new(closure) });
        }
        let left = self.settings.states.saturating_sub(self.answer.states + self.answer.choices).max(1);
        let settings = Settings { states: left, ..self.settings.clone() };
        let findings = WitnessSearch::default().go_on(&instance, &settings, u64::MAX, self.budget);
        let Ok(Findings { states, repeats, found }) = findings else { return Going::Bounded };
        self.answer.states += states;
        self.answer.repeats += repeats;
        let instance = Box::new(instance);
        match found {
            Found::Order { order, closure, tree } => {
                let graph = with_sources_of(&execution.graph, &instance, &order);
                let run = Run { instance: *instance, closure, order, tree };
                Going::Found(Box::new(ConsistencyWitness { graph, run: Some(run), co: None }))
            }
            Found::Flaw(flaw) => self.refute(chosen, || Why::Flaw { instance, flaw }),
            Found::NoClosure(closure) => self.refute(chosen, || Why::Closure { instance, closure: Box::new(closure) }),
            Found::Nothing { closure, tree } => {
                self.refute(chosen, || Why::Exhausted { instance, closure: closure.map(Box::new), tree, states })
            }
            Found::Bounded => Going::Bounded,
        }
    }

    /// What the closure of an annotated partial order says, which decides.
    fn annotated(&self, annotated: AnnotatedOrder) -> ConsistencyVerdict {
        let closure = annotated.closure();
        let Some(order) = annotated.witness() else {
            let why = Why::Closure { instance: Box::new(annotated.instance), closure: Box::new(closure) };
            return ConsistencyVerdict::Inconsistent {
                cases: vec![ConsistencyCase { sources: Vec::new(), why }],
                more: 0,
            };
        };
        let graph = with_sources_of(&self.execution.graph, &annotated.instance, &order);
        let run = Run { instance: annotated.instance, closure: Some(closure), order, tree: SearchTree::default() };
        ConsistencyVerdict::Consistent(Box::new(ConsistencyWitness { graph, run: Some(run), co: None }))
    }

    fn axioms(&mut self, model: Model, chosen: &Chosen, is_whole: bool) -> Going {
        let execution = self.execution.with_sources(chosen);
        let mut graph = execution.graph;
        for read in self.execution.graph.ids() {
            if let [write] = execution.sources[read.index()][..] {
                graph.set_source(read, write);
            }
        }
        let before = self.budget.spent();
        let consistency = model.consistency_before(&graph, self.units, self.budget);
        self.units = self.units.saturating_sub(self.budget.spent() - before);
        match consistency {
            Ok(Consistency::Consistent(witness)) if is_whole => {
                Going::Found(Box::new(ConsistencyWitness { graph, run: None, co: Some(witness.co) }))
            }
            // What is consistent only without some of its reads' sources has to be looked at with them.
            Ok(Consistency::Consistent(_)) => Going::Open,
            Ok(Consistency::Undecided) | Err(Paused) => Going::Bounded,
            Ok(Consistency::Violated(violation)) => {
                self.refute(chosen, || Why::Axiom { graph: Box::new(graph), violation: Box::new(violation) })
            }
        }
    }
}
