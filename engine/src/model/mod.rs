//! Memory models: whether a plain execution is consistent, and if not, which axiom it violates and by which cycle.
//!
//! Each model has a file that states its definition and source. They differ in what they ask of coherence; finding one is
//! shared. In every model porf = (po ∪ rf)⁺ is acyclic and no write is the source of two read-modify-writes. A
//! read-modify-write is one event that reads and writes; one that fails is a read. Initial writes come before
//! everything else. Events that end a thread (errors, failed assumptions, cut loops) take no part, nor does rf of a read
//! that has no source yet.

mod coherence;
mod draw;
mod explain;
mod interleaving;
mod pso;
mod ra;
mod rc11;
mod sc;
mod shortest;
mod sra;
mod tso;
mod view;
mod why;
mod wra;

#[cfg(test)]
mod tests;

pub use interleaving::{Interleaving, Move};
pub use shortest::TooManyOrders;
pub use why::{Grounds, Leg, Reason, Rule};

use crate::budget::{Budget, Decision, Halt, Meter, Paused, decided};
use crate::graph::{Coherence, Edge, EventId, Execution, RelationName};
use crate::program::{Location, Notation};
use coherence::{Extent, Finals, Problem, Search, Stack};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use view::View;

/// The memory models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// Sequential consistency.
    #[default]
    Sc,
    /// Total store order: one FIFO store buffer a thread.
    Tso,
    /// Partial store order: one FIFO store buffer a thread and location.
    Pso,
    /// Weak release-acquire (causal consistency).
    Wra,
    /// Release-acquire.
    Ra,
    /// Strong release-acquire.
    Sra,
    /// Repaired C11.
    Rc11,
}

/// A violated axiom and the cycle that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Violation {
    /// The axiom's name, as the model's documentation lists it.
    pub axiom: String,
    /// The cycle: each edge starts where the one before ends, the last ends where the first starts.
    pub cycle: Vec<Edge>,
    /// What the cycle takes for granted, in a sentence: co edges that hold in every coherence order, or those of the
    /// last order tried where each order has a cycle of its own.
    pub remark: String,
}

/// Units of work of a search whose result is only drawn.
const VIEW: u64 = 1 << 23;

/// A question about one graph under one model, asked in pieces: where its search is.
#[derive(Clone, Debug, Default)]
pub struct Inquiry {
    /// How much the search has spent of its limit.
    spent: u64,
    stack: Option<Stack>,
    finals: Option<Finals>,
}

/// What [`Model::check_within`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// The graph is consistent.
    Consistent(Witness),
    /// It is not.
    Violated(Violation),
    /// That was not found out within the limit.
    Undecided,
}

impl Check {
    /// The coherence order, if the graph is consistent.
    pub fn witness(self) -> Option<Witness> {
        match self {
            Self::Consistent(witness) => Some(witness),
            Self::Violated(_) | Self::Undecided => None,
        }
    }

    /// The violated axiom, if there is one.
    pub fn violation(self) -> Option<Violation> {
        match self {
            Self::Violated(violation) => Some(violation),
            Self::Consistent(_) | Self::Undecided => None,
        }
    }
}

/// One way to complete a consistent plain execution.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Witness {
    /// co.
    pub co: Coherence,
}

/// An axiom of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axiom {
    /// What violations call it.
    pub name: &'static str,
    /// What it says, in a sentence.
    pub meaning: &'static str,
}

pub(crate) const NO_THIN_AIR: Axiom =
    Axiom { name: "no-thin-air", meaning: "po ∪ rf is acyclic: no value comes out of thin air." };
const ATOMICITY: Axiom = Axiom {
    name: "atomicity",
    meaning: "No write is read by two read-modify-writes, since each comes in co immediately behind its source.",
};
const SEQUENTIAL_CONSISTENCY: Axiom = Axiom {
    name: "sequential-consistency",
    meaning: "For some coherence order co, po ∪ rf ∪ co ∪ fr is acyclic: there is one order of all events in which each \
              read takes the latest write.",
};
const COHERENCE_PO: Axiom = Axiom {
    name: "coherence",
    meaning: "For some coherence order co and for each location, po on that location together with rf, co and fr is \
              acyclic.",
};
const STORE_ORDER: Axiom = Axiom {
    name: "store-order",
    meaning: "With the same co, ppo ∪ rf between threads ∪ co ∪ fr is acyclic: there is one order in which reads and \
              fences happen and writes reach memory.",
};
const CAUSALITY: Axiom = Axiom {
    name: "causality",
    meaning: "No read takes a write that has been overwritten, in hb = (po ∪ rf)⁺, by another write that happens before \
              the read.",
};
/// No axiom of WRA, but what an order of its writes has to be if one is asked for.
const ORDER_OF_WRITES: Axiom = Axiom {
    name: "order-of-writes",
    meaning: "The order of the writes of each location contains hb = (po ∪ rf)⁺.",
};
const COHERENCE_HB: Axiom = Axiom {
    name: "coherence",
    meaning: "For some coherence order co and for each location, hb = (po ∪ rf)⁺ on that location together with co and \
              fr is acyclic.",
};
const STRONG_COHERENCE: Axiom =
    Axiom { name: "strong-coherence", meaning: "With the same co, hb ∪ co is acyclic over all locations together." };
const COHERENCE_RC11: Axiom = Axiom {
    name: "coherence",
    meaning: "For some coherence order co, hb ; eco is irreflexive, where hb = (po ∪ sw)⁺ and eco = (rf ∪ co ∪ fr)⁺: no \
              event sees a location older than what happens before it.",
};
const PSC: Axiom = Axiom {
    name: "psc",
    meaning: "With the same co, the partial order psc that SC accesses and SC fences ask for is acyclic.",
};

/// A name that no model has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no memory model `{0}`; the models are sc, tso, pso, sra, ra, wra and rc11")]
pub struct UnknownModel(pub String);

impl FromStr for Model {
    type Err = UnknownModel;

    /// By [`Model::name`], in any case.
    fn from_str(name: &str) -> Result<Self, UnknownModel> {
        let found = Self::ALL.into_iter().find(|model| model.name().eq_ignore_ascii_case(name.trim()));
        found.ok_or_else(|| UnknownModel(name.to_owned()))
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Model {
    /// All models, from strong to weak.
    pub const ALL: [Self; 7] = [Self::Sc, Self::Tso, Self::Pso, Self::Sra, Self::Ra, Self::Wra, Self::Rc11];

    /// The model of what a notation is made for, if that is one.
    pub fn of_notation(notation: Notation) -> Option<Self> {
        match notation {
            Notation::Litmoscope => None,
            Notation::C11 => Some(Self::Rc11),
            Notation::X86 | Notation::X86_64 => Some(Self::Tso),
        }
    }

    /// The name in links and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sc => "sc",
            Self::Tso => "tso",
            Self::Pso => "pso",
            Self::Wra => "wra",
            Self::Ra => "ra",
            Self::Sra => "sra",
            Self::Rc11 => "rc11",
        }
    }

    /// The name that readers see.
    pub fn title(self) -> &'static str {
        match self {
            Self::Sc => "SC",
            Self::Tso => "TSO",
            Self::Pso => "PSO",
            Self::Wra => "WRA",
            Self::Ra => "RA",
            Self::Sra => "SRA",
            Self::Rc11 => "RC11",
        }
    }

    /// What it is, in two sentences.
    pub fn description(self) -> &'static str {
        match self {
            Self::Sc => {
                "Sequential consistency: the threads take turns, and each read takes the latest write. Access modes and \
                 fences change nothing."
            }
            Self::Tso => {
                "Total store order, the model of x86: each thread has a FIFO buffer of writes that it reads from first. \
                 `fence sc` and read-modify-writes wait until the buffer is empty; access modes change nothing."
            }
            Self::Pso => {
                "Partial store order: as TSO, but with a buffer for each location, so that writes to different locations \
                 overtake each other too. `fence rel` and `fence acqrel` keep the writes in front of them before those \
                 behind them."
            }
            Self::Wra => {
                "Weak release-acquire, or causal consistency: no read takes a write that it knows to be overwritten, but \
                 threads may disagree for good about the order of writes. Access modes change nothing; SC fences \
                 synchronise in one order."
            }
            Self::Ra => {
                "Release-acquire: C11 where every access is release or acquire, with one coherence order for each \
                 location. Access modes change nothing; SC fences synchronise in one order."
            }
            Self::Sra => {
                "Strong release-acquire: as RA, but the coherence orders of all locations must agree with one order of \
                 all writes. Access modes change nothing; SC fences synchronise in one order."
            }
            Self::Rc11 => {
                "Repaired C11: C and C++ atomics with all their access modes and fences, without out-of-thin-air values. \
                 Races on non-atomic accesses are reported."
            }
        }
    }

    /// Its axioms.
    pub fn axioms(self) -> &'static [Axiom] {
        match self {
            Self::Sc => &[NO_THIN_AIR, ATOMICITY, SEQUENTIAL_CONSISTENCY],
            Self::Tso | Self::Pso => &[NO_THIN_AIR, ATOMICITY, COHERENCE_PO, STORE_ORDER],
            Self::Wra => &[NO_THIN_AIR, ATOMICITY, CAUSALITY],
            Self::Ra => &[NO_THIN_AIR, ATOMICITY, COHERENCE_HB],
            Self::Sra => &[NO_THIN_AIR, ATOMICITY, COHERENCE_HB, STRONG_COHERENCE],
            Self::Rc11 => &[NO_THIN_AIR, ATOMICITY, COHERENCE_RC11, PSC],
        }
    }

    /// The axiom of this name, which violations may speak of though WRA does not list it.
    pub fn axiom(self, name: &str) -> Option<Axiom> {
        self.axioms().iter().chain([&ORDER_OF_WRITES]).find(|axiom| axiom.name == name).copied()
    }

    /// Whether access modes mean nothing to it.
    pub fn ignores_modes(self) -> bool {
        self != Self::Rc11
    }

    fn problem<'v>(self, view: &'v View<'v>) -> Problem<'v> {
        match self {
            Self::Sc => sc::problem(view),
            Self::Tso => tso::problem(view),
            Self::Pso => pso::problem(view),
            Self::Wra => wra::problem(view),
            Self::Ra => ra::problem(view),
            Self::Sra => sra::problem(view),
            Self::Rc11 => rc11::problem(view),
        }
    }

    /// Whether a plain execution is consistent. Answers as [`Self::check`] does, faster. However long that takes.
    pub fn is_consistent(self, graph: &Execution) -> bool {
        let decision = self.decide(graph, None, u64::MAX, &mut Inquiry::default(), &mut Budget::unlimited());
        decision.is_ok_and(Decision::is_yes)
    }

    /// Whether an execution is consistent: with this coherence order, as [`Self::is_consistent_with`], or with any.
    /// Undecided if that takes more than `limit` units of work.
    ///
    /// # Errors
    /// [`Paused`] where the budget says so. To ask again about the same graph with the same inquiry goes on; after an
    /// answer, the inquiry is free for another question.
    pub fn decide(
        self,
        graph: &Execution,
        co: Option<&Coherence>,
        limit: u64,
        inquiry: &mut Inquiry,
        budget: &mut Budget,
    ) -> Result<Decision, Paused> {
        let Ok(view) = View::new(graph) else { return Ok(Decision::No) };
        let problem = self.problem(&view);
        budget.count(problem.cost())?;
        if inquiry.stack.is_none() {
            let start = match co {
                None => problem.start.clone(),
                Some(co) => match problem.with_co(co) {
                    None => return Ok(Decision::No),
                    Some(start) => start,
                },
            };
            inquiry.stack = Some(Stack::new(start));
        }
        inquiry.go_on(limit, budget, |inquiry, meter| {
            let Some(stack) = &mut inquiry.stack else { return Ok(false) };
            Ok(Search::new(&problem, false).next(stack, Extent::CONSISTENCY, meter)?.is_some())
        })
    }

    /// A coherence order that makes a plain execution consistent, or the axiom it violates. However long that takes.
    ///
    /// # Errors
    /// A [`Violation`] if the execution is inconsistent.
    pub fn check(self, graph: &Execution) -> Result<Witness, Violation> {
        match self.check_within(graph, u64::MAX) {
            Check::Consistent(witness) => Ok(witness),
            Check::Violated(violation) => Err(violation),
            Check::Undecided => unreachable!("a search without limit comes to its end"),
        }
    }

    /// As [`Self::check`], within what a drawing may take: less than a tenth of a second.
    pub fn check_for_view(self, graph: &Execution) -> Check {
        self.check_within(graph, VIEW)
    }

    /// As [`Self::check`], with a limit to the units of work.
    pub fn check_within(self, graph: &Execution, limit: u64) -> Check {
        let view = match View::new(graph) {
            Ok(view) => view,
            Err(flaw) => return Check::Violated(explain::flaw(graph, flaw)),
        };
        let problem = self.problem(&view);
        let mut search = Search::new(&problem, true);
        let extent = Extent { all_co: problem.global != coherence::Global::None, ..Extent::CONSISTENCY };
        let mut budget = Budget::unlimited();
        let mut meter = Meter::new(limit, 0, &mut budget);
        match search.next(&mut Stack::new(problem.start.clone()), extent, &mut meter) {
            Ok(Some(state)) => Check::Consistent(Witness { co: problem.orders(&state) }),
            Ok(None) => {
                let branched = search.branched;
                let failed = search.failed.take().expect("a search that finds nothing has failed somewhere");
                Check::Violated(explain::conflict(self, &problem, &failed, branched))
            }
            Err(_) => Check::Undecided,
        }
    }

    /// Whether a plain execution is consistent with this coherence order. For WRA, which has no coherence order, whether
    /// it is consistent and the order contains hb on the writes of each location.
    pub fn is_consistent_with(self, graph: &Execution, co: &Coherence) -> bool {
        let decision = self.decide(graph, Some(co), u64::MAX, &mut Inquiry::default(), &mut Budget::unlimited());
        decision.is_ok_and(Decision::is_yes)
    }

    /// Whether a read-modify-write comes immediately behind its source in co: under all models but WRA, which has no co.
    pub fn updates_follow_sources(self) -> bool {
        self != Self::Wra
    }

    /// From which writes the final memory can come: for each combination that some consistent coherence order has, the
    /// co-last writes of `locations`, in that order. Empty if the execution is inconsistent. However long that takes.
    pub fn final_writes(self, graph: &Execution, locations: &[Location]) -> BTreeSet<Vec<EventId>> {
        let (mut inquiry, mut budget) = (Inquiry::default(), Budget::unlimited());
        let found = self.final_writes_within(graph, locations, u64::MAX, &mut inquiry, &mut budget);
        found.map(|(found, _)| found).unwrap_or_default()
    }

    /// As [`Self::final_writes`], and whether these are all: only those that are found within `limit` units of work.
    ///
    /// # Errors
    /// As [`Self::decide`].
    pub fn final_writes_within(
        self,
        graph: &Execution,
        locations: &[Location],
        limit: u64,
        inquiry: &mut Inquiry,
        budget: &mut Budget,
    ) -> Result<(BTreeSet<Vec<EventId>>, Decision), Paused> {
        let Ok(view) = View::new(graph) else { return Ok((BTreeSet::new(), Decision::Yes)) };
        let problem = self.problem(&view);
        budget.count(problem.cost())?;
        let mut finals = inquiry.finals.take().unwrap_or_else(|| Finals::new(problem.start.clone()));
        let decision = inquiry.go_on(limit, budget, |_, meter| {
            Search::new(&problem, false).finals(&mut finals, locations, meter)?;
            Ok(true)
        });
        match decision {
            Ok(decision) => Ok((finals.found, decision)),
            Err(Paused) => {
                inquiry.finals = Some(finals);
                Err(Paused)
            }
        }
    }

    /// How many coherence orders make the execution consistent. Takes time in proportion to that number. For WRA, which
    /// has no coherence order, the number of those that extend hb.
    pub fn coherence_count(self, graph: &Execution) -> u64 {
        let Ok(view) = View::new(graph) else { return 0 };
        let problem = self.problem(&view);
        Search::new(&problem, false).count()
    }

    /// The data races, each pair ascending: accesses of one location by different threads, one of them a write and one
    /// non-atomic, that hb does not order. Only RC11 has any.
    pub fn races(self, graph: &Execution) -> Vec<(EventId, EventId)> {
        if self.has_races() { rc11::races(graph) } else { Vec::new() }
    }

    /// Whether it knows data races.
    pub fn has_races(self) -> bool {
        self == Self::Rc11
    }

    /// The relations worth drawing of a consistent execution. None has edges from initial writes but rf, co and fr.
    ///
    /// po, co and ppo go to the immediate successors only; fr only to the write immediately behind the read's source
    /// (and not from read-modify-writes, where co says it); hb, eco, psc and wb are transitively reduced. wb is co as far
    /// as saturation finds it forced, without initial writes. rf and sw are complete.
    pub fn relations(self, graph: &Execution, witness: &Witness) -> Vec<(RelationName, Vec<Edge>)> {
        draw::relations(self, graph, Some(witness))
    }

    /// What of [`Self::relations`] does not need a witness, also of an inconsistent execution: all but co, fr, eco, psc
    /// and the order of SC fences, and only po and rf if porf is cyclic.
    pub fn partial_relations(self, graph: &Execution) -> Vec<(RelationName, Vec<Edge>)> {
        draw::relations(self, graph, None)
    }
}

impl Inquiry {
    /// Goes on with a search that has spent some of its limit.
    fn go_on(
        &mut self,
        limit: u64,
        budget: &mut Budget,
        search: impl FnOnce(&mut Self, &mut Meter<'_>) -> Result<bool, Halt>,
    ) -> Result<Decision, Paused> {
        let mut meter = Meter::new(limit, self.spent, budget);
        let before = meter.left();
        let answer = search(self, &mut meter);
        self.spent += before - meter.left();
        let decision = decided(answer)?;
        *self = Self::default();
        Ok(decision)
    }
}
