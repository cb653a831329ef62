//! TruSt: truly stateless exploration.
//!
//! After Kokologiannakis, Marmanis, Gladstein, Vafeiadis: *Truly Stateless, Optimal Dynamic Partial Order Reduction*,
//! POPL 2022. As [`GenMc`](crate::explore::GenMc) it builds one graph event by event and lets new writes revisit earlier reads; but it
//! remembers nothing of what it has explored. A graph that results from a revisit has many graphs that it could result
//! from. It is taken from one of them alone, that in which everything that the revisit deletes, and the read, is
//! **maximal**: added as it would be if the graph without it, with the porf prefix of the revisiting write, had to be
//! extended in one fixed way. So every execution is visited once, and memory is linear in the size of a graph (times the
//! depth of revisits), whatever the number of executions.
//!
//! With co ([`TruSt::with_co`]), an event is maximal if it is co-last, or reads what is co-last, and nobody reads from it,
//! as in the paper. Without co, a write is maximal unless it is read, and a read if it takes the first consistent source
//! by rank: those with more before them in porf first, then those of later threads, then later ones of a thread. Any choice
//! will do that depends on the writes alone and always has a consistent source, which extensible models guarantee; this one takes
//! what replaces a write before that write. Other deviations from print:
//!
//! - Sources and places that coherence alone rules out, or an order that has to be acyclic, are not tried, nor is a
//!   read-modify-write whose place another has that no revisit could delete; the paper drops the graphs behind them. What
//!   needs a search is tried, and dropped in view of the reader.
//! - Operations of library objects that wait (⊥): to wait is always consistent while the graph grows, and the maximal
//!   choice; a whole graph in which one waits for what is there is dropped.
//! - A spurious failure of a weak compare-and-swap is never maximal.
//! - Under WRA, which has no co, any order will do that contains hb.
//!
//! The conditions that the algorithm puts on models (porf acyclic, prefix-closed, extensible by an event that is maximal)
//! hold for all models here: a maximal event has no successor in any of the orders that have to be acyclic.
//!
//! # What is where
//!
//! Each module knows only those above it in this list.
//!
//! - `bits`, `store`: sets of events as words, and lists that are cheap to copy.
//! - `symmetry`: threads that can be exchanged. It knows no graph.
//! - `plan`: what is explored, and what of it graphs have to keep.
//! - `graph`: graphs that are cheap to extend, to take back and to copy, and what is known of their events. It asks nothing, and does
//!   not know what the places that it keeps mean.
//! - `anchors`: the order in which threads that can be exchanged have to come.
//! - `switches`: how often the events have to switch threads, for who bounds that. It does not know who asks.
//! - `consistency`: whether a graph is consistent, without co, and what can be written last. It does not know what is explored next.
//! - `waits`: what comes next; threads that wait in vain, whose graphs are left out if wanted.
//! - `alike`: subtrees that are counted, not explored.
//! - `choice`: the sources and places that an event may take, and whether this graph makes a revisit.
//! - `core`: the recursion as a loop, for graphs of any width; `width`: as wide as they have to be.
//! - `walk`: the exploration to whose steps nobody listens. The explorer of steps is here.
//! - `pseudo_code`, `words`: what is said of steps.

mod alike;
mod anchors;
mod bits;
mod choice;
mod consistency;
mod core;
mod graph;
mod plan;
mod pseudo_code;
mod store;
mod switches;
mod symmetry;
mod waits;
mod walk;
mod width;
pub(super) mod words;

use crate::budget::{Budget, Paused};
use crate::explore::{Counts, Direction, Explorer, Options, Step};
use crate::graph::{Coherence, Event, EventId, Execution};
use crate::model::{Model, Questions};
use crate::program::{Code, Value};
use plan::{Plan, Unit};
use std::sync::Arc;
pub use symmetry::symmetric_threads;
use walk::TrustWalk;
use width::{AnyCore, with_core};

/// TruSt's exploration of one program under one model, step by step.
#[derive(Clone, Debug)]
pub struct TruSt {
    plan: Arc<Plan>,
    core: AnyCore,
    graph: Execution,
    co: Option<Coherence>,
    /// What the last step kept behind a read, or would have kept.
    prefix: Vec<EventId>,
}

impl TruSt {
    /// Plain executions, before the first step.
    pub fn new(code: Arc<Code>, model: Model, options: Options) -> Self {
        Self::start(Plan::new(code, model, options, Unit::Plain))
    }

    /// Executions with their coherence orders, before the first step.
    pub fn with_co(code: Arc<Code>, model: Model, options: Options) -> Self {
        Self::start(Plan::new(code, model, options, Unit::WithCo))
    }

    fn start(plan: Plan) -> Self {
        let core = AnyCore::new(&plan);
        let (graph, co) = with_core!(&core, core => core.execution(&plan));
        Self { plan: Arc::new(plan), core, graph, co, prefix: Vec::new() }
    }
}

impl Explorer for TruSt {
    fn advance_within(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        let step = self.core.step(&self.plan, budget)?;
        (self.graph, self.co) = with_core!(&self.core, core => core.execution(&self.plan));
        let (behind, deleted) = match step {
            Step::NotMaximal { read, .. } => (Some(read), with_core!(&self.core, core => core.refused())),
            Step::TakeRevisit { read, direction: Direction::Backward, .. }
            | Step::TakeSpurious { read, direction: Direction::Backward, .. } => (Some(read), Vec::new()),
            _ => (None, Vec::new()),
        };
        let read = behind.and_then(|read| self.graph.find(read));
        self.prefix = read.map_or_else(Vec::new, |read| {
            let kept = |e: &EventId| *e > read && !deleted.contains(&self.graph.event(*e).key);
            self.graph.ids().filter(kept).collect()
        });
        Ok(step)
    }

    fn execution(&self) -> &Execution {
        &self.graph
    }

    fn coherence(&self) -> Option<&Coherence> {
        self.co.as_ref()
    }

    fn questions(&self) -> Questions {
        with_core!(&self.core, core => core.questions())
    }

    fn cut(&self) -> &[Event] {
        with_core!(&self.core, core => &core.cut)
    }

    fn prefix(&self) -> Vec<EventId> {
        self.prefix.clone()
    }

    fn level(&self) -> Option<usize> {
        with_core!(&self.core, core => core.chosen)
    }

    fn registers(&self) -> Vec<&[Value]> {
        let threads = 0..self.plan.code.threads.len();
        let mut all: Vec<_> = threads.map(|thread| with_core!(&self.core, core => core.registers(thread))).collect();
        self.plan.symmetry.arrange(&mut all);
        all
    }

    fn counts(&self) -> Counts {
        self.core.counts()
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        with_core!(&self.core, core => core.weight())
    }
}

#[cfg(test)]
mod tests {
    use super::core::Core;
    use super::*;
    use crate::explore::{Algorithm, Pause, Work};
    use crate::program::Limits;
    use crate::testing::for_all;

    fn parse(text: &str) -> (Arc<crate::program::Program>, Arc<Code>) {
        let program = crate::syntax::parse(text).expect("a program").program;
        let code = Code::compile(&program).expect("it can be explored");
        (Arc::new(program), Arc::new(code))
    }

    /// The steps of a core, and what its executions are.
    fn run<const W: usize>(plan: &Plan) -> (Vec<Step>, Vec<(Execution, Option<Coherence>)>)
    where
        super::bits::Bits<W>: super::store::Lists,
    {
        let mut core = Core::<W>::new(plan);
        let (mut steps, mut found) = (Vec::new(), Vec::new());
        loop {
            assert_eq!(core.advance::<true>(plan), Ok(()), "there is room, and time");
            match core.step {
                None => {}
                Some(Step::Done) => return (steps, found),
                Some(step) => {
                    steps.push(step);
                    if let Step::Execution { .. } = step {
                        found.push(core.execution(plan));
                    }
                }
            }
        }
    }

    /// Wide graphs are explored as narrow ones are.
    /// A ticket lock has subtrees that are as large as others and are counted, not explored. A walk that is to find so many executions stops right behind the
    /// last of them all the same.
    #[test]
    fn walks_stop_behind_so_many_executions_of_a_lock() {
        let once = |n, r| {
            format!(
                "t{n}{r} := fai(tickets); assume acq serving = t{n}{r}; d{n}{r} := x; x := d{n}{r} + 1; serving :=rel t{n}{r} + 1"
            )
        };
        let text = (0..3).map(|n| (0..2).map(|r| once(n, r)).collect::<Vec<_>>().join("; ")).collect::<Vec<_>>();
        let (program, code) = parse(&text.join(" || "));
        for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
            let walk = || {
                let (code, program) = (Arc::clone(&code), Arc::clone(&program));
                let budget = &mut Budget::unlimited();
                let walk =
                    algorithm.walk_within(code, program, Model::RC11, Options::default(), &Work::default(), budget);
                walk.expect("nobody stops it").expect("it is the whole")
            };
            let mut one_by_one = walk();
            let mut all = Vec::new();
            while one_by_one.run_within(u64::MAX, 1, &mut Budget::unlimited()) == Pause::Steps {
                all.push(one_by_one.counts());
            }
            assert!(all.len() > 900, "{algorithm:?}: {}", all.len());
            for wanted in (1..=all.len()).step_by(7) {
                let mut walk = walk();
                walk.run_within(u64::MAX, wanted as u64, &mut Budget::unlimited());
                assert_eq!(walk.counts(), all[wanted - 1], "{algorithm:?}, {wanted}");
                assert_eq!(walk.counts().executions(), wanted as u64, "{algorithm:?}");
            }
        }
    }

    #[test]
    fn width_does_not_matter() {
        let limits = Limits { unroll: 2, ..Limits::default() };
        for_all(0..60, |program| {
            let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
            for model in Model::ALL {
                for unit in [Unit::Plain, Unit::WithCo] {
                    let plan = Plan::new(Arc::clone(&code), model, limits.into(), unit);
                    let narrow = run::<1>(&plan);
                    if narrow != run::<4>(&plan) || narrow != run::<36>(&plan) || narrow != run::<160>(&plan) {
                        return Err(format!("{model:?}: another width, other steps"));
                    }
                }
            }
            Ok(())
        });
    }

    /// A graph that grows beyond its words gets more of them on the way, twice; and threads forget states.
    #[test]
    fn graphs_grow_beyond_their_words() {
        let text = "i := 0; while i < 200 { y := i; i := i + 1 }; x := 1; a := z || b := x; x := 2; fai(z)";
        let (program, code) = parse(text);
        let limits = Limits { unroll: 200, ..Limits::default() };
        for model in Model::ALL {
            let mut genmc = Algorithm::GenmcCo.explorer(Arc::clone(&code), model, limits.into()).expect("it is small");
            while genmc.advance() != Step::Done {}
            let expected = genmc.counts();
            for (algorithm, executions) in
                [(Algorithm::TrustCo, expected.executions()), (Algorithm::Trust, expected.plain)]
            {
                let mut trust = algorithm.explorer(Arc::clone(&code), model, limits.into()).expect("any program");
                while trust.advance() != Step::Done {}
                assert_eq!(trust.counts().executions(), executions, "{algorithm:?} under {model:?}");
                let walk =
                    algorithm.walk(Arc::clone(&code), Arc::clone(&program), model, limits.into(), &Work::default());
                let mut walk = walk.expect("it has walks");
                while walk.run(7) == Pause::Steps {}
                assert_eq!(walk.counts().executions(), executions, "{algorithm:?} under {model:?}, walking");
            }
        }
    }

    /// Limits that would not fit are cut, and said to have cut.
    #[test]
    fn graphs_have_ten_thousand_events_at_most() {
        let (program, code) =
            parse("i := 0; while i < 5001 { fai(x); i := i + 1 } || j := 0; while j < 5001 { fai(y); j := j + 1 }");
        let limits = Limits { unroll: 10_000, events: u32::MAX, ..Limits::default() };
        let walk = Algorithm::TrustCo.walk(code, program, Model::SC, limits.into(), &Work::default());
        let mut walk = walk.expect("it has walks");
        while walk.run(1000) == Pause::Steps {}
        assert_eq!((walk.counts().executions(), walk.counts().bounded), (1, 1));
    }

    /// Lazily, in the order of the paper: FAI/2, whose second execution is found by a revisit from an inconsistent graph.
    #[test]
    fn the_run_of_two_fetch_and_adds() {
        let (_, code) = parse("fai(x) || fai(x)");
        let mut trust = TruSt::with_co(code, Model::SC, Options::default());
        let mut names = Vec::new();
        loop {
            let step = trust.advance();
            names.push(serde_json::to_value(step).expect("plain data")["step"].as_str().expect("a name").to_owned());
            if step == Step::Done {
                break;
            }
        }
        let expected = [
            "add_event",
            "choose_source",
            "place_write",
            "add_event",
            "choose_source",
            "place_write",
            "execution",
            "take_revisit",
            "place_write",
            "drop",
            "take_revisit",
            "place_write",
            "execution",
            "done",
        ];
        assert_eq!(names, expected);
    }
}
