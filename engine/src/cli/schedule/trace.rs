//! `litmoscope schedule trace`

use super::subject;
use crate::ScheduleTrace;
use crate::cli::input::Input;
use crate::cli::{Failure, budget, print, print_json};
use litmoscope::budget::Budget;
use litmoscope::schedules::subject::Subject;
use litmoscope::schedules::symbolic::{
    Finite, FirstTrace, Interrupt, Limits, RelaxProgress, Relaxation, Strategy, SymbolicError, SymbolicTrace,
    TraceReporter, TraceVerdict,
};

/// Which constraint is dropped first.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum First {
    /// That of the thread that waits least often: few threads wait often.
    FewWaitOften,
    /// That of the thread that waits most often: many threads wait rarely.
    ManyWaitRarely,
    /// The one that comes last in the trace.
    #[value(name = "latest-first")]
    Latest,
}

impl First {
    fn strategy(self) -> Strategy {
        match self {
            Self::FewWaitOften => Strategy::FewWaitOften,
            Self::ManyWaitRarely => Strategy::ManyWaitRarely,
            Self::Latest => Strategy::LatestFirst,
        }
    }
}

fn refused(error: SymbolicError) -> Failure {
    Failure(error.to_string())
}

/// The trace to begin with; `None` if there is none, or it was stopped, which it says.
fn first(finite: &Finite<'_>, budget: &mut Budget) -> Result<(Option<SymbolicTrace>, TraceVerdict), Failure> {
    match FirstTrace::new(finite).advance(budget) {
        Ok(Some(trace)) => Ok((Some(trace), TraceVerdict::Bounded)),
        Ok(None) => Ok((None, TraceVerdict::Unsafe)),
        Err(Interrupt::Paused) => Ok((None, TraceVerdict::Bounded)),
        Err(Interrupt::Failed(error)) => Err(refused(error)),
    }
}

pub fn trace(task: &ScheduleTrace) -> Result<u8, Failure> {
    let input = Input::read(&task.file)?;
    let Some(Subject { program, system }) = subject(&input) else { return Ok(2) };
    let mut budget = budget(task.timeout)?;
    let finite = Finite::new(&system, Limits::default()).map_err(refused)?;
    let (trace, mut verdict) = first(&finite, &mut budget)?;
    let reporter = TraceReporter::new(&program, &finite, &input.text, trace.as_ref()).map_err(refused)?;
    let strategy = task.strategy.strategy();
    let (mut steps, mut kept, mut traces) = (Vec::new(), Vec::new(), 0);
    if let Some(trace) = &trace {
        if !task.json {
            print(&reporter.trace_text(trace))?;
        }
        let mut relaxation = Relaxation::new(&finite, trace.clone(), strategy).map_err(refused)?;
        // The first step drops nothing.
        let drops = task.drops.map_or(usize::MAX, |drops| (drops as usize).saturating_add(1));
        while relaxation.steps().len() < drops {
            match relaxation.advance(&mut budget) {
                Ok(RelaxProgress::Verified) => {}
                Ok(RelaxProgress::Relaxed(step)) => {
                    if !task.json {
                        print(&reporter.relaxed_text(&step))?;
                    }
                }
                Ok(RelaxProgress::Kept(kept)) => {
                    if !task.json {
                        print(&reporter.kept_text(&kept))?;
                    }
                }
                Ok(RelaxProgress::Finished) => {
                    let is_free = relaxation.total().is_some();
                    verdict = if is_free { TraceVerdict::Safe } else { TraceVerdict::PartiallySafe };
                    break;
                }
                Err(Interrupt::Paused) => break,
                Err(Interrupt::Failed(error)) => return Err(refused(error)),
            }
        }
        (steps, kept) = (relaxation.steps().to_vec(), relaxation.kept().to_vec());
        traces = relaxation.verified();
    }
    if task.json {
        print_json(&reporter.json(verdict, strategy, trace.as_ref(), (&steps, &kept), traces))?;
    } else {
        print(&format!("{}\n", verdict.sentence()))?;
    }
    Ok(match verdict {
        TraceVerdict::Safe => 0,
        TraceVerdict::PartiallySafe | TraceVerdict::Unsafe => 1,
        TraceVerdict::Bounded if !kept.is_empty() => 1,
        TraceVerdict::Bounded => 3,
    })
}
