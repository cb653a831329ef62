//! Histories of code, judged on several threads.

use super::{judge_clients, judge_executions};
use crate::budget::Budget;
use crate::executions::{Client, Judging, Sight, clients, operations_of, with_client};
use crate::model::Model;
use crate::program::{Code, Limits, Program};
use crate::syntax::parse;
use std::num::NonZeroUsize;
use std::sync::Arc;

const ABA: &str = include_str!("../../../../../public/objects/treiber-aba.lit");
const PLAIN_POP: &str = include_str!("../../../../../public/objects/treiber-plain-pop.lit");

fn judging(program: &Program, sight: Sight) -> Judging {
    let code = Arc::new(Code::compile(program).expect("it can be explored"));
    let limits = Limits { unroll_spins: true, ..Limits::default() };
    let program = Arc::new(program.clone());
    Judging { program, code, model: Model::SC, options: limits.into(), structure: 0, sight }
}

#[test]
fn several_threads_find_what_one_finds() {
    let program = parse(ABA).expect("a program").program;
    let judging = judging(&program, Sight::Time);
    let found = |threads: usize| {
        let threads = NonZeroUsize::new(threads).expect("some");
        let judged = judge_executions(&judging, threads, &Budget::unlimited());
        let first = judged.first.as_ref().map(|first| (first.execution.number, first.order.clone()));
        let counts = (judged.executions, judged.violating, judged.blocked, judged.is_bounded, judged.is_cut_short);
        (judged.histories(), counts, first)
    };
    let one = found(1);
    assert_eq!(one.0, Some((18, 3)));
    for threads in [2, 3, 7] {
        assert_eq!(found(threads), one, "{threads}");
    }
}

#[test]
fn clients_are_judged_by_whoever_has_time() {
    let program = parse(PLAIN_POP).expect("a program").program;
    let all = clients(&operations_of(&program.structures[0]), 3, 3);
    let of = |client: &Client| Some(judging(&with_client(&program, 0, client), Sight::Client));
    let found = |threads: usize, budget: &Budget| {
        let threads = NonZeroUsize::new(threads).expect("some");
        let judged = judge_clients(&all, &of, threads, budget);
        judged.iter().map(|judged| judged.as_ref().map(|judged| judged.violating > 0)).collect::<Vec<_>>()
    };
    let one = found(1, &Budget::unlimited());
    assert_eq!(one.iter().filter(|violates| **violates == Some(true)).count(), 2);
    assert_eq!(found(3, &Budget::unlimited()), one);
    let stop = crate::budget::Stop::default();
    stop.tell();
    assert!(found(2, &Budget::until(stop)).iter().all(Option::is_none));
}
