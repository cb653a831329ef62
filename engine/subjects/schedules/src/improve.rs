//! A program that runs under what is proven so far while the verifier goes on. A larger result takes over at the end of a section.
//!
//! Nothing is left out of these schedules (`keeps_all`), as only schedules that leave out the same may be swapped for each other.

use crate::art::Art;
use crate::formula::Predicates;
use crate::impact::{Step, Verdict, Verifier};
use crate::interpret::{Interpreter, Ran, RunError, Running, SwapRefused};
use crate::sections::{BuildError, Opt, Options, ProgramSchedule, follows};
use litmoscope_core::budget::{Budget, Meter, Stop};
use litmoscope_core::program::system::Term;
use litmoscope_runtime::SwapError;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::thread;

/// Units of work for the question whether a label follows from another one.
const QUESTION: u64 = 1 << 20;

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Improved {
    /// The run.
    pub ran: Ran,
    /// How many results the verifier has offered, the first one left out.
    pub offered: u64,
    /// Its verdict, if it came to its end before the run did.
    pub verdict: Option<Verdict>,
}

/// Why a program does not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImproveError {
    /// The first result has no program schedule.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// It can't be run.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// A schedule with its tree.
struct Tried {
    schedule: ProgramSchedule,
    art: Art,
}

/// Whether a label follows from another one: at a glance, or else by the verifier's own means.
fn implies<P: Predicates>(verifier: &mut Verifier<P>, from: &Arc<Term>, term: &Arc<Term>, budget: &mut Budget) -> bool {
    if follows(from, term) {
        return true;
    }
    let own = verifier.system().variables.len() as u32;
    let input = |at: u32| crate::formula::Variable(own + at);
    let mut meter = Meter::new(QUESTION, 0, budget);
    let predicates = verifier.predicates();
    let mut known = FxHashMap::default();
    let mut predicate = |term| {
        let store = predicates.store();
        let term = store.translate(term, &input, &mut known);
        let formula = store.nonzero(term);
        predicates.of(formula, &mut meter)
    };
    let (Ok(from), Ok(term)) = (predicate(from), predicate(term)) else { return false };
    matches!(predicates.implies(&from, &term, &mut meter), Ok(crate::formula::Implication::Holds))
}

/// Who offers results to a run.
struct Offering<'i, 's> {
    interpreter: &'i Interpreter<'s>,
    in_use: Tried,
    pending: Option<Tried>,
    swaps: u64,
}

impl Offering<'_, '_> {
    /// Takes note of a swap that has happened.
    fn look(&mut self) {
        if self.interpreter.swaps() > self.swaps
            && let Some(tried) = self.pending.take()
        {
            self.in_use = tried;
            self.swaps += 1;
        }
    }

    fn offer<P: Predicates>(&mut self, verifier: &mut Verifier<P>, next: Tried, budget: &mut Budget) {
        let mut next = Some(next);
        while let Some(tried) = next.take() {
            self.look();
            let trees = (&self.in_use.art, &tried.art);
            let map =
                self.in_use.schedule.map(trees, &tried.schedule, |from, term| implies(verifier, from, term, budget));
            let Some(map) = map else { return };
            // One that the run can't come to would only take the place of one that waits.
            if map.iter().all(Option::is_none) {
                return;
            }
            match self.interpreter.swap(self.swaps, &tried.schedule, &map) {
                Ok(()) => self.pending = Some(tried),
                // The one that waited was taken meanwhile.
                Err(SwapRefused::Runtime(SwapError::Outdated(_))) => next = Some(tried),
                Err(_) => {}
            }
        }
    }
}

/// Verifies a program until there is a result, then runs the program under it and goes on verifying on another thread. `offered` is called
/// there with each larger result, once it was offered to the run, and a last time when there are no more. `None` if there is no schedule
/// that is proven right; the verifier's budget may have ended then.
///
/// # Errors
/// [`ImproveError`].
pub fn run_while_verifying<P: Predicates + Send>(
    mut verifier: Verifier<P>,
    opt: Opt,
    running: Running,
    budget: &mut Budget,
    mut offered: impl FnMut(&Interpreter<'_>, bool) + Send,
) -> Result<Option<Improved>, ImproveError>
where
    P::Predicate: Send,
{
    let system = Arc::clone(verifier.system());
    let options = Options { opt, keeps_all: true };
    let first = loop {
        match verifier.advance(budget) {
            Ok(Some(Step::Result(at))) => {
                if let Some(art) = verifier.found()[at].art.clone() {
                    break art;
                }
            }
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return Ok(None),
        }
    };
    let schedule = ProgramSchedule::of(&system, &first, options)?;
    let interpreter = Interpreter::new(&system, &schedule, running)?;
    let stop = Stop::default();
    let in_use = Tried { schedule: schedule.clone(), art: first };
    let (ran, (count, verdict)) = thread::scope(|scope| {
        let mut offering = Offering { interpreter: &interpreter, in_use, pending: None, swaps: 0 };
        let told = stop.clone();
        let system = &system;
        let verifying = thread::Builder::new().spawn_scoped(scope, move || {
            let (mut budget, mut count) = (Budget::until(told), 0);
            while let Ok(Some(step)) = verifier.advance(&mut budget) {
                let Step::Result(at) = step else { continue };
                let Some(art) = verifier.found()[at].art.clone() else { continue };
                let Ok(schedule) = ProgramSchedule::of(system, &art, options) else { continue };
                count += 1;
                offering.offer(&mut verifier, Tried { schedule, art }, &mut budget);
                offered(offering.interpreter, false);
            }
            offered(offering.interpreter, true);
            (count, verifier.verdict())
        });
        let ran = interpreter.run();
        stop.tell();
        // If the system has no thread for it, the run keeps to the first result.
        (ran, verifying.ok().and_then(|verifying| verifying.join().ok()).unwrap_or_default())
    });
    Ok(Some(Improved { ran, offered: count, verdict }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impact;
    use crate::interpret::End;
    use litmoscope_runtime::Ended;
    use std::time::Duration;

    #[test]
    fn larger_results_take_over() {
        let text = include_str!("../../../../public/schedules/double-lock-corrected.lit");
        let system = Arc::new(crate::testing::system(text));
        let verifier = Verifier::symbolic(system, impact::Options::default());
        let running = Running { time: Duration::from_secs(600), monitored: true, ..Running::default() };
        let mut budget = Budget::unlimited();
        let improved = run_while_verifying(verifier, Opt::Opt1, running, &mut budget, |interpreter, is_last| {
            if is_last {
                // The last one that was offered is taken when a section ends.
                while interpreter.swaps() == 0 && interpreter.sections() < 1_000_000 {
                    thread::yield_now();
                }
                interpreter.stop();
            }
        });
        let improved = improved.expect("it runs").expect("there is a schedule");
        assert_eq!(improved.verdict, Some(Verdict::Safe));
        assert!(improved.offered > 0 && improved.ran.swaps > 0, "{improved:?}");
        assert_eq!(improved.ran.end, End::Ended(Ended::Stopped));
    }

    #[test]
    fn without_a_schedule_nothing_runs() {
        let system = Arc::new(crate::testing::system("shared x\nx := 1; error || x := 2"));
        let verifier = Verifier::symbolic(system, impact::Options::default());
        let improved =
            run_while_verifying(verifier, Opt::Opt1, Running::default(), &mut Budget::unlimited(), |_, _| {});
        assert_eq!(improved, Ok(None));
    }
}
