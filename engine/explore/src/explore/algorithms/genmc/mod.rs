//! GenMC, the variant without co.
//!
//! After Kokologiannakis, Raad, Vafeiadis: *Model Checking for Weakly Consistent Libraries*, PLDI 2019, section 4,
//! algorithms 1 (`VERIFY`), 2 (`VISITONE`) and 3 (`CALCREVISITS`), in the compressed encoding of section 5. Where we
//! deviate from print:
//!
//! - Algorithm 2 prints `G.rf[r]` and `T ∪ {r}` where the new event `a` is meant.
//! - An option stores the read and the part of the graph behind it. With entries of U so compressed, `U[q]` has to be
//!   dropped for every `q` that a revisit removes, not only `T` be cut, or executions are lost.
//! - Keys of U ignore the order of insertion; with it, executions are found twice.
//! - An error event does not end the run unless [`Options::stop_at_first`] is set: it ends its thread, and the execution
//!   counts as erroneous.
//! - ⊥, on which an operation of a library object waits, is a source that is always there: a forward option of every such
//!   operation, like an initial write that any number of operations can take. That no thread waits for what it could take
//!   is asked of whole graphs only. So a revisit never blocks a read, which in the published CALCREVISITS happens for many
//!   readers' sake and finds executions twice; and no graph is dropped for a thread that waits as long as others may go on,
//!   which loses executions of nested locks. In return, whole graphs are dropped in which a thread waits for no reason.
//!   The option is not pushed where no other thread can take what is free (`GrowingGraph::is_contended`).
//! - What another operation has taken already is no option of a library's operation: taking it would be inconsistent for
//!   good, and the other one may wait instead.
//! - With [`Options::spurious`], what a weak compare-and-swap takes is a write and whether it fails spuriously: one more
//!   option for each write that has the value it expects. Keys of U say which of the events kept fail, or executions are
//!   lost.
//!
//! A whole graph is a plain execution (po and rf); each consistent one is visited once (theorem 4.1). A new read may
//! take any write of its location as a forward option, inconsistent ones too: dropping those early would lose
//! executions, for a write read by one RMW must stay an option of another (section 2.6). The first source taken is the
//! first consistent one in the order of insertion; the option taken next is the last one pushed of the read inserted
//! last.
//!
//! The machine is in `machine.rs`, and is the same with co; here is the policy of the variant without.

mod machine;
pub(super) mod pseudo_code;
pub(super) mod words;

pub(super) use machine::Mutation;
pub(crate) use machine::{Choice, Exploration, Phase, Policy};

use crate::explore::Step;
use std::convert::Infallible;

/// GenMC's exploration of one program under one model.
pub type GenMc = Exploration<Plain>;

/// No co: nothing beyond what there always is.
#[derive(Clone, Debug, Default)]
pub struct Plain;

impl Policy for Plain {
    type Phase = Infallible;
    type Own = ();
    type Place = ();

    fn advance(_machine: &mut GenMc, phase: Infallible) -> Option<Step> {
        match phase {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::{Counts, Direction, ExecutionKind, Explorer, Options};
    use crate::graph::{EventKey, Execution, ThreadId};
    use crate::model::Model;
    use crate::program::Code;
    use std::sync::Arc;

    /// Runs GenMC, perhaps mutated, to its end.
    fn explore(text: &str, model: Model, mutation: Option<Mutation>) -> Counts {
        let program = crate::syntax::parse(text).expect("a program").program;
        let code = Arc::new(Code::compile(&program).expect("can be explored"));
        let options = Options { spurious: true, ..Options::default() };
        let mut explorer = GenMc::new(code, model, options);
        explorer.mutation = mutation;
        while explorer.advance() != Step::Done {}
        explorer.counts()
    }

    /// The mutation changes the number of executions found of a program with `right` executions to `wrong`.
    fn notices(mutation: Mutation, text: &str, right: u64, wrong: u64) {
        for model in [Model::SC, Model::TSO, Model::RC11] {
            assert_eq!(explore(text, model, None).executions(), right, "{model:?}");
            assert_eq!(explore(text, model, Some(mutation)).executions(), wrong, "{model:?} with {mutation:?}");
        }
    }

    #[test]
    fn keys_that_depend_on_insertion_find_an_execution_twice() {
        notices(Mutation::OrderedKeys, "a := x || fai(x) || x := 1", 6, 7);
        assert_eq!(explore("a := x || fai(x) || x := 1", Model::SC, Some(Mutation::OrderedKeys)).duplicates, 1);
    }

    #[test]
    fn revisiting_removed_reads_finds_an_execution_twice() {
        notices(Mutation::KeepRevisitable, "a := x || x := 1 || fai(x)", 6, 7);
    }

    #[test]
    fn compressed_keys_have_to_be_dropped_with_their_reads() {
        notices(Mutation::KeepExplored, "y := 1 || b := y; a := x || fai(x)", 4, 3);
    }

    #[test]
    fn an_option_taken_revisits_in_turn() {
        notices(Mutation::NoRevisitsAfterTaking, "fai(x) || fai(x)", 2, 1);
    }

    #[test]
    fn spurious_failures_are_part_of_keys() {
        notices(Mutation::KeysWithoutFailures, "a := y || b := wcas(x, 0, 1); y := 1", 4, 3);
    }

    #[test]
    fn inconsistent_forward_options_are_needed() {
        notices(Mutation::ConsistentOptionsOnly, "fai(x) || fai(x)", 2, 1);
    }

    #[test]
    fn inconsistent_graphs_revisit_too() {
        notices(Mutation::NoRevisitsWhenInconsistent, "fai(x) || fai(x)", 2, 1);
    }

    const SECTION: &str = "lock m; unlock m";
    /// Dropping graphs for a thread that waits loses some of these executions.
    const NESTED: [(&str, u64); 3] = [
        ("lock m; unlock m; lock m; unlock m || lock m; lock l; unlock l; unlock m || lock l; unlock l", 6),
        ("lock l; unlock l; lock m; unlock m || lock m; lock l; unlock l; unlock m || lock l; unlock l", 9),
        (
            "lock l; unlock l; lock m; unlock m || lock l; lock m; unlock m; unlock l || lock m; unlock m; lock l; unlock l",
            17,
        ),
    ];

    #[test]
    fn graphs_where_a_thread_waits_for_no_reason_revisit_too() {
        notices(Mutation::NoRevisitsWhenInconsistent, &[SECTION; 2].join(" || "), 2, 1);
    }

    #[test]
    fn dropping_graphs_early_loses_executions() {
        for (text, right) in NESTED {
            for model in [Model::SC, Model::TSO, Model::RC11] {
                assert_eq!(explore(text, model, None).executions(), right, "{model:?}");
                assert!(explore(text, model, Some(Mutation::DropWaiting)).executions() < right, "{model:?}");
            }
        }
    }

    #[test]
    fn letting_others_wait_for_a_lock_finds_executions_twice() {
        let text = "lock m || lock m || lock m; unlock m";
        for model in [Model::SC, Model::TSO, Model::RC11] {
            assert_eq!((explore(text, model, None).executions(), explore(text, model, None).duplicates), (4, 0));
            let mutated = explore(text, model, Some(Mutation::BlockBackward));
            assert!(mutated.duplicates > 0, "{model:?}");
            assert_eq!(mutated.executions() - mutated.duplicates, 4, "{model:?}");
        }
    }

    /// The worked run of section 2.7 of the paper, but for ⊥, which is pushed with the first source and not when another
    /// lock asks for it, and not for the last lock.
    #[test]
    fn the_worked_run_of_lock_2() {
        let program = crate::syntax::parse(&[SECTION; 2].join(" || ")).expect("a program").program;
        let code = Arc::new(Code::compile(&program).expect("can be explored"));
        let mut explorer = GenMc::new(code, Model::SC, Options::default());
        let key = |thread, serial| EventKey { thread: ThreadId(thread), serial };
        let (a, freed_a, b, freed_b) = (key(0, 1), key(0, 2), key(1, 1), key(1, 2));
        let init = EventKey { thread: ThreadId::INIT, serial: 0 };
        let complete = |number| Step::Execution { number, kind: ExecutionKind::Complete };
        for step in [
            Step::AddEvent { event: a },
            Step::ChooseSource { read: a, write: init },
            Step::PushBlock { read: a },
            Step::AddEvent { event: freed_a },
            Step::AddEvent { event: b },
            Step::ChooseSource { read: b, write: freed_a },
            Step::AddEvent { event: freed_b },
            complete(1),
            Step::TakeBlock { read: a },
            Step::AddEvent { event: b },
            Step::ChooseSource { read: b, write: init },
            Step::AddEvent { event: freed_b },
            Step::PushBackward { read: a, write: freed_b },
            Step::Drop,
            Step::TakeRevisit { read: a, write: freed_b, direction: Direction::Backward },
            Step::AddEvent { event: freed_a },
            complete(2),
            Step::Done,
        ] {
            assert_eq!(explorer.advance(), step);
        }
        assert_eq!(explorer.counts().dropped, 1);
    }

    /// The number of graphs visited, dropped ones included, with every write of the location pushed as an option.
    #[test]
    fn visits_of_fai() {
        for (threads, executions, visits) in [(2, 2, 3), (3, 6, 14), (4, 24, 80), (5, 120, 528)] {
            let text = vec!["fai(x)"; threads].join(" || ");
            let counts = explore(&text, Model::SC, None);
            assert_eq!(counts.executions(), executions);
            assert_eq!(counts.executions() + counts.dropped, visits);
        }
    }

    /// R+R+W under a model that is not extensible, where reading 0 from y forbids reading 0 from x: of the one consistent
    /// execution, in which x was written first, GenMC finds none, since it gets stuck before the write (section 2.4).
    #[test]
    fn models_have_to_be_extensible() {
        let program = crate::syntax::parse("a := x || b := y || x := 42").expect("a program").program;
        let code = Arc::new(Code::compile(&program).expect("can be explored"));
        let contrived = |graph: &Execution| {
            let reads_zero = |location: u32| {
                graph.events().any(|(_, event)| {
                    event.is_read() && event.location().is_some_and(|l| l.0 == location) && event.value_read == Some(0)
                })
            };
            !(reads_zero(0) && reads_zero(1))
        };
        let candidates = crate::explore::brute_force::candidates(&code, Options::default().limits).expect("small");
        assert_eq!(candidates.iter().filter(|graph| contrived(graph)).count(), 1);
        let mut explorer = GenMc::new(Arc::clone(&code), Model::SC, Options::default());
        explorer.contrived = Some(contrived);
        while explorer.advance() != Step::Done {}
        assert_eq!(explorer.counts().executions(), 0);
    }

    #[test]
    fn the_worked_run_of_w_rw_w() {
        let text = "x := 1 || a := x; if a = 0 then y := 1 || x := 2";
        let program = crate::syntax::parse(text).expect("a program").program;
        let code = Arc::new(Code::compile(&program).expect("can be explored"));
        let mut explorer = GenMc::new(code, Model::SC, Options::default());
        let key = |thread, serial| EventKey { thread: ThreadId(thread), serial };
        let (one, read, two) = (key(0, 1), key(1, 1), key(2, 1));
        let init = EventKey { thread: ThreadId::INIT, serial: 0 };
        let complete = |number| Step::Execution { number, kind: ExecutionKind::Complete };
        for step in [
            Step::AddEvent { event: one },
            Step::AddEvent { event: read },
            Step::ChooseSource { read, write: init },
            Step::PushForward { read, write: one },
            Step::AddEvent { event: key(1, 2) },
            Step::AddEvent { event: two },
            Step::PushBackward { read, write: two },
            complete(1),
            Step::TakeRevisit { read, write: two, direction: Direction::Backward },
            complete(2),
            Step::TakeRevisit { read, write: one, direction: Direction::Forward },
            Step::AddEvent { event: two },
            Step::AlreadyExplored { read, write: two },
            complete(3),
            Step::Done,
            Step::Done,
        ] {
            assert_eq!(explorer.advance(), step);
        }
    }
}
