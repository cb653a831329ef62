//! What to explore with.

use super::brute_force::TooMany;
use super::trust::TrustWalk;
use super::{BruteForce, Explorer, GenMc, GenMcCo, RfSmc, TruSt, Walk, Work};
use crate::budget::{Budget, Paused};
use crate::consistency::Machine;
use crate::model::Model;
use crate::program::{Code, Limits, Program};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The exploration algorithms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// GenMC without co: each consistent plain execution once.
    #[default]
    Genmc,
    /// GenMC with co: each consistent plain execution once for each of its coherence orders.
    GenmcCo,
    /// Every candidate graph, one after the other: the oracle of the others.
    BruteForce,
    /// TruSt without co: as [`Self::Genmc`], without remembering anything.
    Trust,
    /// TruSt with co.
    TrustCo,
    /// RF-SMC: each consistent plain execution once, by a run for each reads-from class; under SC, TSO and PSO.
    RfSmc,
}

/// A name that no algorithm has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown algorithm `{0}`: there are genmc, genmc_co, trust, trust_co, rf_smc and brute_force")]
pub struct UnknownAlgorithm(pub String);

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Genmc, Self::GenmcCo, Self::Trust, Self::TrustCo, Self::RfSmc, Self::BruteForce];

    /// The name on the command line, in links and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Genmc => "genmc",
            Self::GenmcCo => "genmc_co",
            Self::BruteForce => "brute_force",
            Self::Trust => "trust",
            Self::TrustCo => "trust_co",
            Self::RfSmc => "rf_smc",
        }
    }

    /// Whether it can explore under a model.
    pub fn knows(self, model: Model) -> bool {
        self != Self::RfSmc || Machine::of(model).is_some()
    }

    /// Whether co is part of the executions that it counts.
    pub fn tracks_co(self) -> bool {
        matches!(self, Self::GenmcCo | Self::TrustCo)
    }

    /// Whether it knows how many plain executions it has found.
    pub fn counts_plain(self) -> bool {
        self != Self::TrustCo
    }

    /// The name as the papers write it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Genmc => "GenMC",
            Self::GenmcCo => "GenMC (co)",
            Self::BruteForce => "Brute force",
            Self::Trust => "TruSt",
            Self::TrustCo => "TruSt (co)",
            Self::RfSmc => "RF-SMC",
        }
    }

    /// What it does, in a sentence or two.
    pub fn description(self) -> &'static str {
        match self {
            Self::Genmc => {
                "Builds one graph event by event, left-most thread first, and revisits earlier reads when a new write \
                 could feed them. Explores every consistent execution exactly once."
            }
            Self::GenmcCo => {
                "GenMC with coherence in the graph: a new write comes last in co, and each other place is an option. \
                 Explores every consistent execution once for each of its coherence orders."
            }
            Self::BruteForce => {
                "Lists every candidate graph in which po and rf form no cycle and keeps the consistent ones. Slow and \
                 obviously right: what the other algorithms are tested against."
            }
            Self::Trust => {
                "As GenMC, but remembers nothing: a revisit is made only if all that it deletes was added in the maximal \
                 way. Explores every consistent execution exactly once, in memory that does not grow."
            }
            Self::TrustCo => {
                "TruSt with coherence in the graph: a new write is tried at each place in co. Explores every consistent \
                 execution once for each of its coherence orders; the fastest for large runs."
            }
            Self::RfSmc => {
                "Extends a run until no thread can go on, then looks for runs in which one read takes another write. \
                 Explores every consistent execution exactly once; for SC, TSO and PSO, which have machines to run."
            }
        }
    }
}

impl std::str::FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        let plain = name.to_ascii_lowercase().replace('-', "_");
        Self::ALL.into_iter().find(|a| a.name() == plain).ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

/// How to explore.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Options {
    /// What cuts threads that would not end.
    pub limits: Limits,
    /// End at the first error event, data race or deadlock.
    pub stop_at_first: bool,
    /// Don't look for data races.
    pub no_races: bool,
    /// Let a weak compare-and-swap that finds what it expects fail all the same.
    pub spurious: bool,
    // Files from before these were there are read; they are always written, since messages of the page have no names.
    /// Explore threads that can be exchanged up to permutation; TruSt only.
    #[serde(default)]
    pub symmetry: bool,
    /// Explore only executions with an interleaving of at most so many preemptions; TruSt (co) under SC only.
    #[serde(default)]
    pub preemptions: Option<u32>,
    /// The same with all context switches counted.
    #[serde(default)]
    pub contexts: Option<u32>,
}

/// The defaults with these limits.
impl From<Limits> for Options {
    fn from(limits: Limits) -> Self {
        Self::within(limits)
    }
}

/// An option outside its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidOption {
    /// The unroll bound.
    #[error("the unroll bound is {0}; it has to be from 1 to {MAX_UNROLL}")]
    Unroll(u32),
    /// Symmetry reduction, by another algorithm.
    #[error("symmetry reduction is for {} and {}, not for {}: choose one of those, or explore without it",
            Algorithm::Trust.title(), Algorithm::TrustCo.title(), .0.title())]
    Symmetry(Algorithm),
    /// A bound on switches, under another model.
    #[error("bounds on preemptions and context switches are for SC, where threads take turns, not for {}: choose SC, or \
             explore without a bound", .0.title())]
    SwitchesOfModel(Model),
    /// A bound on switches, by another algorithm.
    #[error("bounds on preemptions and context switches are for {}, not for {}: choose it, or explore without a bound",
            Algorithm::TrustCo.title(), .0.title())]
    SwitchesOfAlgorithm(Algorithm),
    /// A model that the algorithm does not know.
    #[error("{} explores under SC, TSO and PSO, which have machines to run, not under {}: choose one of those, or another \
             algorithm", .0.title(), .1.title())]
    Model(Algorithm, Model),
}

/// The largest unroll bound.
pub const MAX_UNROLL: u32 = 1000;

impl Options {
    /// The defaults with these limits.
    pub const fn within(limits: Limits) -> Self {
        Self {
            limits,
            stop_at_first: false,
            no_races: false,
            spurious: false,
            symmetry: false,
            preemptions: None,
            contexts: None,
        }
    }

    /// The same without what only some algorithms know and that explores less: everything is explored.
    #[must_use]
    pub fn without_reductions(self) -> Self {
        Self { symmetry: false, preemptions: None, contexts: None, ..self }
    }

    /// Whether only executions that switch threads seldom are explored.
    pub fn bounds_switches(&self) -> bool {
        self.preemptions.is_some() || self.contexts.is_some()
    }

    /// Whether every option lies in its range.
    ///
    /// # Errors
    /// The first one that does not.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        let unroll = self.limits.unroll;
        if (1..=MAX_UNROLL).contains(&unroll) { Ok(()) } else { Err(InvalidOption::Unroll(unroll)) }
    }

    /// Whether an algorithm can explore with these options under a model.
    ///
    /// # Errors
    /// The first one that is out of range or that it does not know.
    pub fn validate_for(&self, algorithm: Algorithm, model: Model) -> Result<(), InvalidOption> {
        self.validate()?;
        if !algorithm.knows(model) {
            return Err(InvalidOption::Model(algorithm, model));
        }
        if self.symmetry && !algorithm.has_walk() {
            return Err(InvalidOption::Symmetry(algorithm));
        }
        if self.bounds_switches() && model != Model::Sc {
            return Err(InvalidOption::SwitchesOfModel(model));
        }
        if self.bounds_switches() && algorithm != Algorithm::TrustCo {
            return Err(InvalidOption::SwitchesOfAlgorithm(algorithm));
        }
        Ok(())
    }
}

impl Algorithm {
    /// Whether what it explores can be cut into parts ([`Self::walk`]).
    pub fn has_walk(self) -> bool {
        matches!(self, Self::Trust | Self::TrustCo)
    }

    /// An explorer at its start. It knows only those options that are valid for it ([`Options::validate_for`]). Brute force
    /// has listed its candidates, however long that took.
    ///
    /// # Errors
    /// [`TooMany`] candidates, for brute force.
    pub fn explorer(self, code: Arc<Code>, model: Model, options: Options) -> Result<Box<dyn Explorer>, TooMany> {
        loop {
            let explorer = self.explorer_within(Arc::clone(&code), model, options, &mut Budget::unlimited());
            if let Ok(explorer) = explorer {
                return explorer;
            }
        }
    }

    /// As [`Self::explorer`].
    ///
    /// # Errors
    /// [`Paused`] where the budget says so; within, [`TooMany`] candidates, for brute force.
    pub fn explorer_within(
        self,
        code: Arc<Code>,
        model: Model,
        options: Options,
        budget: &mut Budget,
    ) -> Result<Result<Box<dyn Explorer>, TooMany>, Paused> {
        if self != Self::BruteForce {
            return Ok(Ok(self.lazy_explorer(code, model, options)));
        }
        let mut explorer = BruteForce::new(code, model, options);
        Ok(explorer.list(budget)?.map(|()| Box::new(explorer) as Box<dyn Explorer>))
    }

    /// As [`Self::explorer`], but brute force lists its candidates in the first step.
    pub fn lazy_explorer(self, code: Arc<Code>, model: Model, options: Options) -> Box<dyn Explorer> {
        match self {
            Self::Genmc => Box::new(GenMc::new(code, model, options)),
            Self::GenmcCo => Box::new(GenMcCo::new(code, model, options)),
            Self::BruteForce => Box::new(BruteForce::new(code, model, options)),
            Self::Trust => Box::new(TruSt::new(code, model, options)),
            Self::TrustCo => Box::new(TruSt::with_co(code, model, options)),
            Self::RfSmc => Box::new(RfSmc::new(code, model, options)),
        }
    }

    /// A walk through a part of the exploration, however long it takes to get there. `None` if it can't be cut into parts,
    /// or not so; or if the algorithm has no walk for this model or program.
    pub fn walk(
        self,
        code: Arc<Code>,
        program: Arc<Program>,
        model: Model,
        options: Options,
        work: &Work,
    ) -> Option<Box<dyn Walk>> {
        self.walk_within(code, program, model, options, work, &mut Budget::unlimited()).ok()?
    }

    /// As [`Self::walk`].
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop on the way to the part.
    pub fn walk_within(
        self,
        code: Arc<Code>,
        program: Arc<Program>,
        model: Model,
        options: Options,
        work: &Work,
        budget: &mut Budget,
    ) -> Result<Option<Box<dyn Walk>>, Paused> {
        let tracks_co = match self {
            Self::Trust => false,
            Self::TrustCo => true,
            // Their sets hold what was proposed anywhere before.
            Self::Genmc | Self::GenmcCo | Self::RfSmc => return Ok(None),
            // Its candidates are listed all at once.
            Self::BruteForce => return Ok(None),
        };
        let walk = TrustWalk::new(program, code, model, options, tracks_co, work, budget)?;
        Ok(walk.map(|walk| Box::new(walk) as Box<dyn Walk>))
    }
}
