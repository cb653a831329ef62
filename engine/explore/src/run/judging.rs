//! Histories of code, judged on several threads.

use crate::budget::{Budget, LOOK};
use crate::explore::histories::{Client, Explored, Judged, Judging};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many executions wait to be judged, for each thread.
const WAITING: usize = 64;

/// Judges all executions of a program on so many threads: one explores, and judges what nobody else has time for. The result does not
/// depend on how many threads there are, unless the budget is spent.
///
/// # Panics
/// If a thread does.
pub fn judge_executions(judging: &Judging, threads: NonZeroUsize, budget: &Budget) -> Judged {
    if threads.get() == 1 {
        return judging.judge_all(&mut budget.clone());
    }
    let (sender, receiver) = sync_channel(WAITING * threads.get());
    let receiver = Mutex::new(receiver);
    thread::scope(|scope| {
        let others: Vec<_> =
            (1..threads.get()).map(|_| scope.spawn(|| judge_received(judging, &receiver, budget.clone()))).collect();
        let (mut judged, mut own) = (Judged::default(), budget.clone());
        let is_whole = judging.each_execution(&mut budget.clone(), |execution| {
            if let Err(TrySendError::Full(execution) | TrySendError::Disconnected(execution)) =
                sender.try_send(execution)
            {
                judged.append(judging.judge(execution, &mut own));
            }
            !judged.was_stopped()
        });
        drop(sender);
        judged.is_cut_short |= !is_whole;
        for other in others {
            match other.join() {
                Ok(found) => judged.append(found),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        judged
    })
}

fn judge_received(judging: &Judging, receiver: &Mutex<Receiver<Explored>>, mut budget: Budget) -> Judged {
    let mut judged = Judged::default();
    loop {
        let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(execution) = next else { return judged };
        judged.append(judging.judge(execution, &mut budget));
    }
}

/// Judges the programs of some clients, as `judging` makes them, on so many threads, each up to its first execution that is not
/// linearizable. By client; `None` of those that there was no time for, and of those that `judging` makes nothing of.
///
/// # Panics
/// If a thread does.
pub fn judge_clients(
    clients: &[Client],
    judging: &(dyn Fn(&Client) -> Option<Judging> + Sync),
    threads: NonZeroUsize,
    budget: &Budget,
) -> Vec<Option<Judged>> {
    let found: Mutex<Vec<Option<Judged>>> = Mutex::new(clients.iter().map(|_| None).collect());
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads.get().min(clients.len()) {
            scope.spawn(|| {
                let mut budget = budget.clone();
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    // Who is out of time looks at none any more.
                    let Some(client) = clients.get(place).filter(|_| budget.count(LOOK).is_ok()) else { return };
                    let judged = judging(client).map(|judging| judging.judge_to_first(&mut budget));
                    found.lock().unwrap_or_else(PoisonError::into_inner)[place] = judged;
                }
            });
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::histories::{Sight, clients, operations_of, with_client};
    use crate::model::Model;
    use crate::program::{Code, Limits, Program};
    use crate::syntax::parse;
    use std::sync::Arc;

    const ABA: &str = include_str!("../../../../public/objects/treiber-aba.lit");
    const PLAIN_POP: &str = include_str!("../../../../public/objects/treiber-plain-pop.lit");

    fn judging(program: &Program, sight: Sight) -> Judging {
        let code = Arc::new(Code::compile(program).expect("it can be explored"));
        let limits = Limits { unroll_spins: true, ..Limits::default() };
        let program = Arc::new(program.clone());
        Judging { program, code, model: Model::Sc, options: limits.into(), structure: 0, sight }
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
}
