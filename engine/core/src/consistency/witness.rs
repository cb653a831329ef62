//! From an instance to a run of its machine, or to the reason why there is none.

use super::closure::{Closing, Closure};
use super::instance::Flaw;
use super::naive::Naive;
use super::pso::VerifyPso;
use super::sc::VerifySc;
use super::search::{Problem, Search, SearchBounds, SearchTree, Strategy};
use super::tso::VerifyTso;
use super::{Instance, Machine, NodeId, Settings};
use crate::budget::{Budget, Halt, Meter, Paused};

/// An order in which a machine can perform the nodes so that every read takes its source, or why there is none. Reads have
/// one source each, under SC any number. Costs what the algorithm of the machine does, after the closure.
pub fn find_witness(instance: &Instance, settings: &Settings) -> Findings {
    let mut search = WitnessSearch::default();
    loop {
        let findings = search.go_on(instance, settings, u64::MAX, &mut Budget::unlimited());
        if let Ok(findings) = findings {
            return findings;
        }
    }
}

/// A search for a witness of one instance, with one choice of settings, in pieces.
#[derive(Clone, Debug, Default)]
pub struct WitnessSearch {
    /// How much it has spent of its limit.
    spent: u64,
    closing: Option<Closing>,
    closure: Option<Closure>,
    search: Option<Search>,
}

impl WitnessSearch {
    /// As [`find_witness`], but for no more than `limit` units of work ([`crate::budget`]): beyond, it is [`Found::Bounded`]. Behind
    /// its end, it is free for another instance.
    ///
    /// # Errors
    /// [`Paused`] where the budget says so; the next call, with the same instance and settings, goes on.
    pub fn go_on(
        &mut self,
        instance: &Instance,
        settings: &Settings,
        limit: u64,
        budget: &mut Budget,
    ) -> Result<Findings, Paused> {
        let mut meter = Meter::new(limit, self.spent, budget);
        let before = meter.left();
        let findings = self.search(instance, settings, &mut meter);
        self.spent += before - meter.left();
        let findings = match findings {
            Ok(findings) => findings,
            Err(Halt::Limit) => Findings { states: 0, repeats: 0, found: Found::Bounded },
            Err(Halt::Paused) => return Err(Paused),
        };
        *self = Self::default();
        Ok(findings)
    }

    fn search(&mut self, instance: &Instance, settings: &Settings, meter: &mut Meter<'_>) -> Result<Findings, Halt> {
        if let Some(flaw) = instance.flaw() {
            return Ok(Findings { states: 0, repeats: 0, found: Found::Flaw(flaw) });
        }
        if settings.closure && self.closure.is_none() {
            let closing = self.closing.get_or_insert_with(|| Closing::new(instance));
            closing.run(instance, meter)?;
            self.closure = self.closing.take().map(Closing::closure);
        }
        if let Some(closure) = &self.closure
            && !closure.exists()
        {
            return Ok(Findings { states: 0, repeats: 0, found: Found::NoClosure(closure.clone()) });
        }
        let problem = Problem { instance, closure: self.closure.as_ref() };
        let bounds = SearchBounds { states: settings.states, listed: settings.listed };
        let sc = VerifySc { greedy: settings.greedy };
        let strategy: &dyn Strategy = match instance.machine {
            Machine::Pso if instance.has_store_fences => &Naive,
            _ if settings.naive => &Naive,
            Machine::Sc => &sc,
            Machine::Tso => &VerifyTso,
            Machine::Pso => &VerifyPso,
        };
        let mut search = self.search.take().unwrap_or_else(|| Search::new(&problem, strategy, bounds));
        if let Err(halt) = search.run(&problem, strategy, settings.guide.as_deref(), bounds, meter) {
            self.search = Some(search);
            return Err(halt);
        }
        let searched = search.found();
        let closure = self.closure.take();
        let found = match searched.order {
            Some(order) => {
                debug_assert!(instance.is_witness(&order), "a run performs what it says");
                Found::Order { order, closure, tree: searched.tree }
            }
            None if searched.bounded => Found::Bounded,
            None => Found::Nothing { closure, tree: searched.tree },
        };
        Ok(Findings { states: searched.states, repeats: searched.repeats, found })
    }
}

/// What [`find_witness`] says.
#[derive(Clone, Debug)]
pub struct Findings {
    /// States reached.
    pub states: u64,
    /// Moves that led to a state reached before.
    pub repeats: u64,
    /// The answer.
    pub found: Found,
}

/// Whether there is an order.
#[derive(Clone, Debug)]
pub enum Found {
    /// There is.
    Order {
        /// The order.
        order: Vec<NodeId>,
        /// The closure, if that was wanted.
        closure: Option<Closure>,
        /// The states.
        tree: SearchTree,
    },
    /// There is none by program order alone.
    Flaw(Flaw),
    /// There is none since there is no closure.
    NoClosure(Closure),
    /// There is none: all were tried.
    Nothing {
        /// The closure, if that was wanted.
        closure: Option<Closure>,
        /// The states.
        tree: SearchTree,
    },
    /// That is not known: too many states, or too much work.
    Bounded,
}
