//! Memory implementations, whose runs are searched on several threads.
//!
//! The search goes shape by shape of a cycle ([`crate::memories`]). Shapes have nothing to do with each other, so each thread
//! takes the next one. They share a tally: how much was met, for the limit and the line of progress, and how long the shortest
//! run is, with the number of its shape. Of runs that are as short that of the first shape counts, so what is found does not
//! depend on who was faster. A search that is given up at its limit says nothing of short runs, since not all shapes were begun.

use super::sync::{Mutex, scope, spawn_up_to};
use crate::budget::{Budget, Paused};
use crate::memories::{Decided, Machine, Question, Searched, ShapeSearch, ShapeTally, ShapeVerdict, decide_by};
use std::num::NonZeroUsize;
use std::sync::PoisonError;

/// Decides a question as [`decide`](crate::memories::decide) does, on so many threads: each takes the next shape of a cycle. Verdict and run
/// do not depend on how many there are, unless a limit is reached. How many configurations were met may where there is a run, since who
/// knows of it sooner meets fewer.
///
/// # Errors
/// [`Paused`] if somebody wants to stop.
///
/// # Panics
/// If a thread does.
pub fn decide_on_threads(
    machine: &Machine,
    question: &Question<'_>,
    tally: &ShapeTally,
    threads: NonZeroUsize,
    budget: &Budget,
) -> Result<Decided, Paused> {
    decide_by(machine, question, tally, &mut budget.clone(), |search, tally, own| {
        if threads.get() == 1 { search.run_with(tally, own) } else { on_threads(search, tally, threads, budget) }
    })
}

fn on_threads(
    search: &ShapeSearch<'_>,
    tally: &ShapeTally,
    threads: NonZeroUsize,
    budget: &Budget,
) -> Result<ShapeVerdict, Paused> {
    let shapes = Mutex::new((0_u32..).zip(search.shapes()));
    let work = || {
        let (mut searched, mut budget) = (Searched::default(), budget.clone());
        loop {
            budget.count(1)?;
            // Who has reached the limit has done so for all.
            let next = shapes.lock().unwrap_or_else(PoisonError::into_inner).next().filter(|_| !tally.is_cut());
            let Some((number, shape)) = next else { return Ok(searched) };
            if let Some((shape, variants)) = shape {
                search.search(number, &shape, variants, tally, &mut searched, &mut budget)?;
            }
        }
    };
    let all: Vec<Result<Searched, Paused>> = scope(|scope| {
        let others = spawn_up_to(scope, threads.get(), work);
        if others.is_empty() {
            return vec![work()];
        }
        others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let all: Vec<Searched> = all.into_iter().collect::<Result<_, _>>()?;
    Ok(all.into_iter().fold(Searched::default(), Searched::and).verdict(tally))
}
