//! Histories of orders that come from a clock.

use super::{Operations, Order};
use crate::History;

/// The operations with calls and returns that have this order: one returned before another one was called if and only if the order says so.
/// Their times are numbers from 0 on. `None` if the order is none of intervals, as an order by hb may be: then two operations are ordered,
/// two others are, and none of the one pair is ordered with the other one across.
pub fn history_of(operations: &Operations, order: &Order) -> Option<History> {
    // In an order of intervals, what comes before one operation is part of what comes before another one, or the other way round.
    let mut befores = order.clone();
    befores.sort_unstable_by_key(|before| before.count_ones());
    befores.dedup();
    if befores.windows(2).any(|pair| pair[0] & !pair[1] != 0) {
        return None;
    }
    // So operations are called in rounds, and each returns right before the first round that it comes before.
    let round = |before: &u64| befores.iter().position(|other| other == before).unwrap_or_default() as i64;
    let last = befores.len() as i64;
    let times = operations.list.iter().enumerate().map(|(at, done)| {
        let behind = order.iter().filter(|before| *before >> at & 1 == 1).map(round).min();
        let ret = done.returned().then(|| 2 * behind.unwrap_or(last) - 1);
        (2 * round(&order[at]), ret)
    });
    let times: Vec<(i64, Option<i64>)> = times.collect();
    let mut history = operations.history.clone();
    history.settle(&times);
    Some(history)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::executions::tests::each_execution;
    use crate::executions::{Runs, linearization};
    use crate::model::Model;
    use crate::program::{Code, Limits};
    use crate::syntax::parse;
    use crate::{Answer, Monitor, judge};
    use std::sync::Arc;

    /// What a clock sees is an order of intervals, and the monitors say of these what the search says of the order.
    #[test]
    fn orders_by_time_are_histories() {
        const RING: &str = include_str!("../../../../../public/objects/ring-buffer.lit");
        const PLAIN: &str = include_str!("../../../../../public/objects/treiber-plain-push.lit");
        let mut wrong = 0;
        for (text, model) in [(RING, Model::PSO), (PLAIN, Model::SC)] {
            let program = parse(text).expect("it is a program").program;
            let code = Arc::new(Code::compile(&program).expect("it can be explored"));
            each_execution(&code, model, Limits::default().into(), |graph, _, search| {
                let operations = Operations::new(&program, &code, graph, Limits::default(), 0).expect("it is small");
                let runs = Runs::new(model, graph, search).expect("there is a machine");
                for order in runs.timed(&operations, search).expect("there is no limit") {
                    let history = history_of(&operations, &order).expect("it comes from a clock");
                    let place = |at: usize| {
                        let is_it = |other: &&crate::Operation| {
                            let own = &operations.history.operations;
                            let nth = own[..at].iter().filter(|before| before.thread == own[at].thread).count();
                            let earlier = history
                                .operations
                                .iter()
                                .filter(|before| before.thread == other.thread && before.call < other.call);
                            other.thread == own[at].thread && earlier.count() == nth
                        };
                        *history.operations.iter().find(is_it).expect("all are there")
                    };
                    for later in 0..order.len() {
                        for earlier in 0..order.len() {
                            let says = order[later] >> earlier & 1 == 1;
                            assert_eq!(place(earlier).precedes(&place(later)), says && earlier != later, "{text}");
                        }
                    }
                    let fits = linearization(&operations, &order, search).expect("there is no limit").is_some();
                    let judged = judge(&history, operations.object, Monitor::Auto, u64::MAX, &mut Budget::unlimited());
                    let answer = judged.expect("nobody pauses it").answer;
                    assert_eq!(matches!(answer, Answer::Linearizable(_)), fits, "{text}\n{history:?}");
                    wrong += usize::from(!fits);
                }
            });
        }
        assert!(wrong > 0, "some are not linearizable");
    }

    #[test]
    fn an_order_without_intervals_is_no_history() {
        let text = "object s: stack {\nshared top\npush(n) { top := n }\npop() { return top }\n}\n\
                    s.push(1) || s.push(2) || s.push(3) || s.push(4)";
        let program = parse(text).expect("it is a program").program;
        let code = Arc::new(Code::compile(&program).expect("it can be explored"));
        let mut seen = 0;
        each_execution(&code, Model::SC, Limits::default().into(), |graph, _, _| {
            let operations = Operations::new(&program, &code, graph, Limits::default(), 0).expect("it is small");
            assert!(history_of(&operations, &vec![0, 1, 0, 4]).is_none());
            let some = history_of(&operations, &vec![0, 1, 0, 5]).expect("intervals have it");
            assert_eq!(some.operations.len(), 4);
            seen += 1;
        });
        assert!(seen > 0);
    }
}
