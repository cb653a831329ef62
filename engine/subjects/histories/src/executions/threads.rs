//! Histories of code, judged on several threads.
//!
//! Histories need whole graphs of all executions, not what a walk keeps of them, and to judge one takes longer than to find it.
//! So one thread explores, by the first algorithm without co that is for programs of all sizes, and hands executions to others.
//! It judges itself what nobody has time for. Clients are shared as wholes. What is found is put together by the numbers of
//! executions, so it does not depend on who judged. Searches have the limit and the budget of those for consistency.

use super::sync::atomic::AtomicUsize;
use super::sync::mpsc::{Receiver, sync_channel};
use super::sync::{Mutex, scope, spawn_up_to};
use crate::budget::{Budget, LOOK};
use crate::histories::executions::{Client, Explored, Judged, Judging};
use std::num::NonZeroUsize;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::sync::mpsc::TrySendError;

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
    scope(|scope| {
        let others = spawn_up_to(scope, threads.get() - 1, || judge_received(judging, &receiver, budget.clone()));
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
    let work = || {
        let mut budget = budget.clone();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            // Who is out of time looks at none any more.
            let Some(client) = clients.get(place).filter(|_| budget.count(LOOK).is_ok()) else { return };
            let judged = judging(client).map(|judging| judging.judge_to_first(&mut budget));
            found.lock().unwrap_or_else(PoisonError::into_inner)[place] = judged;
        }
    };
    scope(|scope| {
        if spawn_up_to(scope, threads.get().min(clients.len()), work).is_empty() {
            work();
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}
