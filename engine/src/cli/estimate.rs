//! `litmoscope estimate`

use super::input::Messages;
use super::progress::span;
use super::subject::Subject;
use super::{Failure, budget, complain, is_over, print};
use crate::Estimate;
use litmoscope::budget::Paused;
use litmoscope::explore::{Followed, Pause, Work};
use litmoscope::report::estimate_text;
use litmoscope::run::{Estimator, Exploration};
use litmoscope::words::{self, about, grouped};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// How long to make descents, unless their number is given.
const TIME: Duration = Duration::from_secs(1);
/// How many sweeps of descents are to be made in that time.
const SWEEPS: f64 = 8.0;
/// The width of the first one, which shows how long they take, and the greatest.
const PILOT: usize = 16;
const MAX_WIDTH: f64 = 16_384.0;
/// How long the first sweep may take: there is no estimate without it.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to explore at most, to see how fast that is.
const TRIAL: Duration = Duration::from_millis(500);

pub fn estimate(task: &Estimate) -> Result<u8, Failure> {
    let Some(subject) = Subject::read(&task.what, task.what.options(), Followed::Executions, Messages::Errors)? else {
        return Ok(2);
    };
    let trial = subject.walk(&Work::default());
    let (Some(mut estimator), Some(mut trial)) = (Estimator::new(&subject, task.seed), trial) else {
        let algorithm = subject.algorithm.title();
        return Err(Failure(format!(
            "there is no estimate for {algorithm} here: it offers no random descents; try --algorithm auto"
        )));
    };
    let start = Instant::now();
    let mut budget = budget(task.timeout)?;
    // How wide a sweep may be for some of them to fit.
    if let Err(Paused) = estimator.sweep(PILOT, &mut budget.clone().and_before(start + PATIENCE)) {
        if is_over(&mut budget) {
            complain("stopped before there was an estimate: give it more time");
            return Ok(3);
        }
        return Err(Failure(format!(
            "cannot estimate: {PILOT} random descents take longer than {PATIENCE:?}; try --algorithm trust_co"
        )));
    }
    let fits = match task.probes {
        Some(probes) => probes as f64 / estimator.probes() as f64,
        None => TIME.as_secs_f64() / start.elapsed().as_secs_f64(),
    };
    let width = (PILOT as f64 * fits / SWEEPS).clamp(1.0, MAX_WIDTH) as usize;
    let pilot = estimator.estimate();
    estimator.forget();
    let mut sweeps = 0;
    // One alone has no error.
    while sweeps < 2 || task.probes.map_or_else(|| start.elapsed() < TIME, |probes| estimator.probes() < probes) {
        if estimator.sweep(width, &mut budget).is_err() {
            break;
        }
        sweeps += 1;
    }
    let stopped = is_over(&mut budget);
    // The pilot alone is better than nothing.
    let (estimate, sweeps) = if sweeps == 0 { (pilot, 1) } else { (estimator.estimate(), sweeps) };
    let descents = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let mut pause = Pause::Steps;
    let mut budget = budget.and_before(start + TRIAL);
    while pause == Pause::Steps && !is_over(&mut budget) {
        pause = trial.run_within(1000, u64::MAX, &mut budget);
    }
    let seconds = start.elapsed().as_secs_f64();
    let explored = trial.counts().executions();

    let mut out = String::new();
    let name = if subject.name().is_empty() { "the program" } else { subject.name() };
    let _ = writeln!(out, "{name} under {}, by {}", subject.model.title(), subject.algorithm.title());
    let _ = writeln!(out, "about {}", estimate_text(&estimate));
    let _ = writeln!(
        out,
        "  from {sweeps} sweeps of {} random descents in {}; the sweeps differ by a factor of {:.1}",
        grouped(estimate.probes),
        span(descents),
        estimate.spread
    );
    if pause != Pause::Steps {
        let _ = writeln!(
            out,
            "exactly {}: it took {} to explore all of them",
            words::count(explored, "execution"),
            span(seconds)
        );
    } else if explored > 0 {
        let rate = explored as f64 / seconds;
        let _ =
            writeln!(out, "at {} executions/s on one thread: about {}", about(rate), span(estimate.executions / rate));
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        if threads > 1 {
            let _ =
                writeln!(out, "on {threads} threads: {} at best", span(estimate.executions / rate / threads as f64));
        }
    }
    if stopped {
        let _ = writeln!(out, "stopped before its end: the estimate is rougher than usual");
    }
    print(&out)?;
    Ok(if stopped { 3 } else { 0 })
}
