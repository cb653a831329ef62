//! The exploration algorithms, a folder each, and their list. A folder has the machine, what can be asked of the algorithm
//! without knowing its name ([`Definition`]), its pseudo-code and its words.

mod blocks;
pub mod brute_force;
mod choosing;
pub(super) mod dpor;
pub(super) mod eager_por;
pub(super) mod event_driven;
pub(super) mod genmc;
pub(super) mod genmc_co;
pub(super) mod rf_smc;
pub(super) mod rvf_smc;
pub(super) mod sample;
mod starts;
pub(super) mod trust;
mod validation;
pub(super) mod vc_dpor;

pub use choosing::{Choosing, explain_choice};
pub use validation::InvalidOption;

use super::narrator::{Narrator, StateTable};
use super::pseudo_code::PseudoCode;
use super::{Explorer, Options, Parameter, Walk, Work};
use crate::budget::{Budget, Paused};
use crate::model::{Model, Rules};
use crate::program::{Code, Observable, Program};
use crate::words;
use brute_force::TooMany;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

macro_rules! algorithms {
    // A dollar sign is handed in for the macro that is made: here, it would be read as one of this macro's own.
    ($dollar:tt $($folder:ident: { $($(#[$about:meta])* $algorithm:ident = ($definition:ident, $machine:ident),)* })*) => {
        /// Expands a macro on the names of all folders, for those to whom machines come later ([`Algorithm::give`]).
        #[macro_export]
        macro_rules! folders_of_algorithms {
            ($dollar then:ident) => { $dollar then! { $($folder,)* } };
        }

        /// The exploration algorithms.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Algorithm {
            $($($(#[$about])* $algorithm,)*)*
        }

        impl Algorithm {
            /// All of them.
            pub const ALL: [Self; [$($(Self::$algorithm),*),*].len()] = [$($(Self::$algorithm),*),*];

            /// What is known of it.
            pub fn definition(self) -> &'static Definition {
                match self {
                    $($(Self::$algorithm => &$folder::words::$definition,)*)*
                }
            }

            /// The name of its folder, whose machines come together.
            pub fn folder(self) -> &'static str {
                match self {
                    $($(Self::$algorithm)|* => stringify!($folder),)*
                }
            }
        }

        /// The machines of each folder by its name, for those to whom they come later ([`Algorithm::give`]).
        pub mod machines {
            use super::{Algorithm, Given};

            $(
                #[doc = concat!("The machines of the folder `", stringify!($folder), "`.")]
                pub fn $folder() -> Given {
                    static MACHINES: Given = &[$((Algorithm::$algorithm, &super::$folder::words::$machine)),*];
                    MACHINES
                }
            )*

            /// All of them.
            #[cfg(not(target_family = "wasm"))]
            pub(super) fn of(algorithm: Algorithm) -> Option<&'static super::Machine> {
                match algorithm {
                    $($(Algorithm::$algorithm => Some(&super::$folder::words::$machine),)*)*
                }
            }
        }
    };
}

algorithms! { $
    genmc: {
        /// GenMC without co: each consistent plain execution once.
        #[default]
        Genmc = (DEFINITION, MACHINE),
    }
    genmc_co: {
        /// GenMC with co: each consistent plain execution once for each of its coherence orders.
        GenmcCo = (DEFINITION, MACHINE),
    }
    trust: {
        /// TruSt without co: as [`Self::Genmc`], without remembering anything.
        Trust = (PLAIN, PLAIN_MACHINE),
        /// TruSt with co.
        TrustCo = (WITH_CO, WITH_CO_MACHINE),
    }
    rf_smc: {
        /// RF-SMC: each consistent plain execution once, by a run for each reads-from class; under SC, TSO and PSO.
        RfSmc = (DEFINITION, MACHINE),
    }
    rvf_smc: {
        /// RVF-SMC: a run for each combination of values that reads can take; under SC.
        RvfSmc = (DEFINITION, MACHINE),
    }
    vc_dpor: {
        /// VC-DPOR: a trace for each value-centric class, so every local state of every thread; under SC.
        VcDpor = (BY_VALUE, BY_VALUE_MACHINE),
        /// DC-DPOR: the same, but each read takes one write; so each consistent plain execution.
        DcDpor = (BY_WRITE, BY_WRITE_MACHINE),
    }
    dpor: {
        /// Source-DPOR: each execution with co once, and some runs in vain; under SC, TSO and PSO.
        SourceDpor = (SOURCE, SOURCE_MACHINE),
        /// Optimal-DPOR: the same, and no run in vain.
        OptimalDpor = (OPTIMAL, OPTIMAL_MACHINE),
        /// Optimal-DPOR with observers: each class of executions once whose writes are in the same order as far as somebody reads
        /// them; under SC.
        Observers = (OBSERVERS, OBSERVERS_MACHINE),
    }
    eager_por: {
        /// EPOR: the same as [`Self::SourceDpor`] under SC, by schedules for whole sections.
        EagerPor = (LONG, LONG_MACHINE),
        /// EPOR-SH: the same, by short sections.
        EporSh = (SHORT, SHORT_MACHINE),
    }
    brute_force: {
        /// Every candidate graph, one after the other: the oracle of the others.
        BruteForce = (DEFINITION, MACHINE),
    }
    event_driven: {
        /// TruSt with messages: each consistent plain execution of a program with handlers once; under SC.
        EventDriven = (PLAIN, PLAIN_MACHINE),
        /// TruSt with messages and co.
        EventDrivenCo = (WITH_CO, WITH_CO_MACHINE),
    }
    sample: {
        /// Random runs, for programs that are too large.
        Sample = (DEFINITION, MACHINE),
    }
}

/// What one algorithm is called and can do.
pub struct Definition {
    /// The name on the command line, in links and in JSON.
    pub name: &'static str,
    /// The name as the papers write it.
    pub title: &'static str,
    /// What it does, in a sentence or two.
    pub description: &'static str,
    /// What it can do.
    pub traits: Traits,
    /// The numbers that it alone takes.
    pub parameters: &'static [Parameter],
    /// What it does, line by line.
    pub pseudo_code: &'static PseudoCode,
    /// What is shown of its state.
    pub state: StateTable,
}

/// What one algorithm does and says: all that is large of it.
pub struct Machine {
    /// An explorer at its start.
    pub explorer: fn(Arc<Code>, Model, Options) -> Box<dyn Explorer>,
    /// The same with all done that takes long before the first step, if anything does.
    pub prepared: Option<Prepared>,
    /// A walk through a part of the exploration, for those that can be cut into parts.
    pub walk: Option<Parts>,
    /// A walk through the whole exploration, for those that can't be cut but have one that is faster than the explorer. It
    /// makes the same steps.
    pub whole: Option<Whole>,
    /// Its sentences.
    pub narrator: &'static dyn Narrator,
}

/// Machines, each with its algorithm.
pub type Given = &'static [(Algorithm, &'static Machine)];

/// Makes an explorer whose preparation can be paused.
pub type Prepared = fn(Arc<Code>, Model, Options, &mut Budget) -> Result<Result<Box<dyn Explorer>, TooMany>, Paused>;

/// Makes a walk through a part; `None` if it can't be cut so, or if there is no walk for this model or program.
pub type Parts =
    fn(Arc<Program>, Arc<Code>, Model, Options, &Work, &mut Budget) -> Result<Option<Box<dyn Walk>>, Paused>;

/// Makes a walk through the whole of an exploration.
pub type Whole = fn(Arc<Program>, Arc<Code>, Model, Options) -> Box<dyn Walk>;

/// What an algorithm can do.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// Whether it can explore under a model of these rules.
    pub knows: fn(&Rules) -> bool,
    /// What those models have, as a relative clause; empty if they are all.
    pub known: &'static str,
    /// What it has seen at its end, within the bounds.
    pub sees: Sees,
    /// It lists candidates and asks definitions: an oracle, for small programs alone.
    pub by_definition: bool,
    /// Why it has no answer for a program, as a sentence; `None` if it has one.
    pub refuses: fn(&Code, Options) -> Option<String>,
    /// It knows what handlers and mailboxes are.
    pub handlers: bool,
    /// It goes through the values of inputs of threads.
    pub inputs: bool,
    /// It knows blocks that are atomic: each is one step, where threads take turns.
    pub atomic: bool,
    /// co is part of the executions that it counts.
    pub tracks_co: bool,
    /// It knows how many plain executions it has found.
    pub counts_plain: bool,
    /// It can explore threads that can be exchanged up to permutation.
    pub symmetry: bool,
    /// It can leave out graphs in which a thread waits in vain ([`Options::leave_out_waits`]).
    pub leaves_out_waits: bool,
    /// It can bound preemptions and context switches.
    pub switches: bool,
    /// The algorithm of its kind with co in the executions, and that without; itself both times if there is but one.
    pub kin: Kin,
    /// What it explores can be cut into parts ([`Machine::walk`]).
    pub has_walk: bool,
    /// The algorithm that explores the same and can be cut into parts, if there is one.
    pub in_parts: Option<Algorithm>,
}

impl Traits {
    /// Those of an algorithm that explores each plain execution once under each model, and can do nothing else.
    const fn plain(algorithm: Algorithm) -> Self {
        Self {
            knows: |_| true,
            known: "",
            sees: Sees::Executions,
            by_definition: false,
            refuses: |_, _| None,
            handlers: false,
            inputs: false,
            atomic: false,
            tracks_co: false,
            counts_plain: true,
            symmetry: false,
            leaves_out_waits: false,
            switches: false,
            kin: Kin { plain: algorithm, with_co: algorithm },
            has_walk: false,
            in_parts: None,
        }
    }
}

/// What an algorithm has seen of a program at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sees {
    /// Every execution.
    Executions,
    /// Every local state of every thread: all that threads can read, together, and so every error. Of executions in which
    /// all reads take the same values, it need not see more than one; so it may miss last values of locations.
    LocalStates,
    /// What random runs led to.
    Samples,
}

/// What of an exploration is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Followed {
    /// Each step, which fast algorithms are not made for.
    Steps,
    /// Whole executions.
    Executions,
}

/// Two algorithms of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Kin {
    /// Without co in the executions.
    pub plain: Algorithm,
    /// With it.
    pub with_co: Algorithm,
}

impl Kin {
    /// Whether they are two.
    pub fn differ(self) -> bool {
        self.plain != self.with_co
    }
}

#[cfg(not(target_family = "wasm"))]
use machines::of as machine;

/// Those that were loaded. What is not named here is not part of what a page loads first.
#[cfg(target_family = "wasm")]
static GIVEN: [std::sync::OnceLock<&'static Machine>; Algorithm::ALL.len()] =
    [const { std::sync::OnceLock::new() }; Algorithm::ALL.len()];

#[cfg(target_family = "wasm")]
fn machine(algorithm: Algorithm) -> Option<&'static Machine> {
    match algorithm {
        Algorithm::Genmc => Some(&genmc::words::MACHINE),
        other => GIVEN[other as usize].get().copied(),
    }
}

impl Algorithm {
    /// The name on the command line, in links and in JSON.
    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// The name as the papers write it.
    pub fn title(self) -> &'static str {
        self.definition().title
    }

    /// What it does, in a sentence or two.
    pub fn description(self) -> &'static str {
        self.definition().description
    }

    /// What it can do.
    pub fn traits(self) -> Traits {
        self.definition().traits
    }

    /// Whether it can explore under a model.
    pub fn knows(self, model: Model) -> bool {
        (self.traits().knows)(model.rules())
    }

    /// Whether co is part of the executions that it counts.
    pub fn tracks_co(self) -> bool {
        self.traits().tracks_co
    }

    /// The algorithm of its kind that has co in the executions, or not; itself if there is none.
    #[must_use]
    pub fn with_or_without_co(self, with_co: bool) -> Self {
        let Kin { plain, with_co: other } = self.traits().kin;
        if with_co { other } else { plain }
    }

    /// What it does and says.
    ///
    /// # Panics
    /// In a browser, if it is not there ([`Self::is_there`]).
    pub fn machine(self) -> &'static Machine {
        machine(self).unwrap_or_else(|| panic!("the machine of {} is not there yet", self.title()))
    }

    /// Whether its machine is there. All are, but in a browser only the first algorithm's until others are given
    /// ([`Self::give`]), so that they can be loaded when they are needed.
    pub fn is_there(self) -> bool {
        machine(self).is_some()
    }

    /// Makes machines known that were loaded. Where all are there anyway, nothing changes.
    pub fn give(machines: Given) {
        #[cfg(target_family = "wasm")]
        for &(algorithm, machine) in machines {
            let _ = GIVEN[algorithm as usize].set(machine);
        }
        #[cfg(not(target_family = "wasm"))]
        let _ = machines;
    }

    /// Whether what it explores can be cut into parts ([`Self::walk`]).
    pub fn has_walk(self) -> bool {
        self.traits().has_walk
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
        match self.machine().prepared {
            Some(prepared) if !code.has_starts() => prepared(model.prepare(code), model, self.heeded(options), budget),
            _ => Ok(Ok(self.lazy_explorer(code, model, options))),
        }
    }

    /// As [`Self::explorer`], but brute force lists its candidates in the first step.
    pub fn lazy_explorer(self, code: Arc<Code>, model: Model, options: Options) -> Box<dyn Explorer> {
        match choosing::given().filter(|_| code.has_starts()) {
            Some(choosing) => (choosing.explorer)(self, code, model, options),
            None => self.from(code, model, options),
        }
    }

    /// As [`Self::lazy_explorer`], of one choice of initial values.
    fn from(self, code: Arc<Code>, model: Model, options: Options) -> Box<dyn Explorer> {
        (self.machine().explorer)(model.prepare(code), model, self.heeded(options))
    }

    /// Whether only the explorer goes through a program, whatever walks there are.
    fn is_only_stepped(code: &Code) -> bool {
        code.has_starts() || code.beyond.as_ref().is_some_and(|beyond| beyond.atomic.is_some())
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

    /// A walk through the whole exploration, cut into parts or not; `None` if there is none for this algorithm, model or program,
    /// and only the explorer goes through it.
    pub fn whole_walk(
        self,
        code: Arc<Code>,
        program: Arc<Program>,
        model: Model,
        options: Options,
    ) -> Option<Box<dyn Walk>> {
        match self.machine().whole {
            Some(_) if Self::is_only_stepped(&code) => None,
            Some(whole) => Some(whole(program, model.prepare(code), model, self.heeded(options))),
            None => self.walk(code, program, model, options, &Work::default()),
        }
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
        if Self::is_only_stepped(&code) {
            return Ok(None);
        }
        let (code, options) = (model.prepare(code), self.heeded(options));
        self.machine().walk.map_or(Ok(None), |walk| walk(program, code, model, options, work, budget))
    }

    /// The options without what it does not look for.
    fn heeded(self, options: Options) -> Options {
        Options { stuck_loops: options.stuck_loops && self.finds_stuck_loops(), ..options }
    }

    /// Whether it finds threads that are stuck for good in loops ([`Options::stuck_loops`]): who looks at one of the executions with
    /// the same values may miss the one that is.
    pub fn finds_stuck_loops(self) -> bool {
        self.traits().sees != Sees::LocalStates
    }

    /// Those that see every execution.
    pub fn all_that_see_all() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|algorithm| algorithm.traits().sees == Sees::Executions)
    }

    /// Whether it comes to an end of programs that are not small, and has seen all that it is for then: no random runs, and no
    /// oracle. Those made for handlers are left out: on other programs they are slow copies.
    pub fn is_for_all_sizes(self) -> bool {
        self.traits().sees != Sees::Samples && !self.traits().by_definition && !self.traits().handlers
    }

    /// The first that explores executions with co under a model, for those who go through all.
    pub fn that_orders_writes(model: Model) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.has_walk() && algorithm.tracks_co() && algorithm.knows(model))
    }

    /// Why it can't explore a program under a model with these options, which are valid for it ([`Options::validate_for`]), if so.
    pub fn refusal(self, code: &Code, model: Model, options: Options) -> Option<String> {
        if code.has_handlers() && !self.traits().handlers {
            let others = Self::titles(|traits| traits.handlers);
            return Some(format!("it knows no handlers; {others} do."));
        }
        if code.beyond.is_some()
            && let Some(why) = choosing::given().and_then(|choosing| (choosing.refusal)(self, code, model))
        {
            return Some(why);
        }
        (self.traits().refuses)(code, options)
    }

    /// Whether there may be final states that it does not find, in a program whose final states have locations in them:
    /// it follows what threads read, and nobody reads their last values.
    pub fn leaves_last_values_open(self, program: &Program) -> bool {
        self.traits().sees == Sees::LocalStates
            && program.observables().iter().any(|observable| matches!(observable, Observable::Location { .. }))
    }

    /// Whether such final states may decide the condition or the filter.
    pub fn leaves_condition_open(self, program: &Program) -> bool {
        (program.condition.is_some() || program.filter.is_some()) && self.leaves_last_values_open(program)
    }

    /// An algorithm whose executions are of the same kind, and which can be cut into parts under a model.
    pub fn counterpart_in_parts(self, model: Model) -> Option<Self> {
        let fits = |other: &Self| {
            let Traits { has_walk, sees, tracks_co, .. } = other.traits();
            has_walk && sees == Sees::Executions && other.knows(model) && tracks_co == self.tracks_co()
        };
        // Who follows values finds fewer executions than those.
        let counts_them = self.traits().sees != Sees::LocalStates;
        Self::ALL.into_iter().find(|other| counts_them && fits(other))
    }

    /// The fastest one that sees all executions of a program, counts them without co and takes these options; with co, where it finds
    /// the same. Where steps are looked at, which fast algorithms are not made for, it is the first one.
    ///
    /// # Errors
    /// The one whose machine has to be there ([`Self::is_there`]) before that is known.
    pub fn fastest(
        program: &Arc<Program>,
        code: &Arc<Code>,
        model: Model,
        options: Options,
        followed: Followed,
    ) -> Result<Self, Self> {
        let all = || Self::all_that_see_all().filter(|one| options.validate_for_program(*one, model, code).is_ok());
        let fits = |one: Self| {
            if followed == Followed::Steps || one.tracks_co() || !one.has_walk() {
                return Ok(false);
            }
            if !one.is_there() {
                return Err(one);
            }
            Ok(one.walk(Arc::clone(code), Arc::clone(program), model, options, &Work::default()).is_some())
        };
        let mut plain = None;
        for one in all() {
            if fits(one)? {
                plain = Some(one);
                break;
            }
        }
        let Some(plain) = plain else { return Ok(all().next().unwrap_or_default()) };
        // With co an exploration is faster, and where co goes without saying, it finds the same. With symmetry, how many
        // executions stand for all may differ.
        let with_co = plain.with_or_without_co(true);
        let finds_the_same = !options.symmetry && model.co_follows(code);
        Ok(if finds_the_same && all().any(|other| other == with_co) { with_co } else { plain })
    }

    /// Those that can do something, by title, as a list in a sentence.
    pub(super) fn titles(of: fn(&Traits) -> bool) -> String {
        words::list(Self::ALL.iter().filter(|algorithm| of(&algorithm.traits())).map(|algorithm| algorithm.title()))
    }
}

/// A name that no algorithm has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown algorithm `{0}`: there are {names}", names = words::list(Algorithm::ALL.iter().map(|algorithm| algorithm.name())))]
pub struct UnknownAlgorithm(pub String);

impl std::str::FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        let plain = name.to_ascii_lowercase().replace('-', "_");
        Self::ALL.into_iter().find(|a| a.name() == plain).ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_algorithm_and_its_machine_agree() {
        for algorithm in Algorithm::ALL {
            assert!(algorithm.is_there(), "{algorithm:?}");
            assert_eq!(algorithm.has_walk(), algorithm.machine().walk.is_some(), "{algorithm:?}");
        }
        let trust: Vec<Algorithm> = machines::trust().iter().map(|(algorithm, _)| *algorithm).collect();
        assert_eq!(trust, [Algorithm::Trust, Algorithm::TrustCo]);
        assert!(trust.iter().all(|algorithm| algorithm.folder() == "trust"));
    }
}
