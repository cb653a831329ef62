//! Judges a history in a process of its own, which can be ended whatever it does.

use crate::Failure;
use clap::ValueEnum;
use litmoscope::budget::Budget;
use litmoscope::histories::{Action, Answer, History, Monitor, Object, ReadOptions, ValueIndex, judge, parse_history};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::collections::VecDeque;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};
use todc_utils::linearizability::history::Action as Entry;
use todc_utils::{Specification, WGLChecker};

/// It is judged again and again for so long, and the best time counts.
const PATIENCE: Duration = Duration::from_millis(300);
/// How much memory may be asked for, in bytes.
const MEMORY: u64 = 6 << 30;
/// What our search may spend: more than there is time for.
const LIMIT: u64 = 1 << 40;

/// Who judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    Published,
    Fast,
    Search,
    /// The search of the crate `todc-utils`.
    Todc,
}

impl By {
    /// As the command line of this program writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Fast => "fast",
            Self::Search => "search",
            Self::Todc => "todc",
        }
    }
}

/// Prints the best time in seconds, without reading.
pub fn judge_file(file: &Path, by: By) -> Result<(), Failure> {
    setrlimit(Resource::As, Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) })?;
    let text = std::fs::read_to_string(file)?;
    let (mut read, _) = parse_history(&text, &ReadOptions::default()).map_err(|_| "no history")?;
    let history = read.histories.pop().ok_or("no history")?;
    let object = history.object.ok_or("no object")?;
    let begin = Instant::now();
    let mut best = f64::INFINITY;
    while best.is_infinite() || begin.elapsed() < PATIENCE {
        let (seconds, is_linearizable) = match by {
            By::Todc => by_todc(&history, object)?,
            By::Published => by_ours(&history, object, Monitor::Published),
            By::Fast => by_ours(&history, object, Monitor::Fast),
            By::Search => by_ours(&history, object, Monitor::Search),
        };
        if !is_linearizable {
            return Err(format!("{} says that it is not linearizable, or nothing", by.name()).into());
        }
        best = best.min(seconds);
    }
    println!("{best}");
    Ok(())
}

fn by_ours(history: &History, object: Object, monitor: Monitor) -> (f64, bool) {
    let begin = Instant::now();
    let judged = black_box(judge(history, object, monitor, LIMIT, &mut Budget::unlimited()));
    let seconds = begin.elapsed().as_secs_f64();
    (seconds, judged.is_ok_and(|judged| matches!(judged.answer, Answer::Linearizable(_))))
}

fn by_todc(history: &History, object: Object) -> Result<(f64, bool), Failure> {
    match object {
        Object::Stack => Ok(todc::<Stack>(history)),
        Object::Queue => Ok(todc::<Queue>(history)),
        Object::Register => Ok(todc::<Register>(history)),
        _ => Err(format!("todc-utils was told nothing about a {}", object.name()).into()),
    }
}

/// The time of the search alone. It takes its history apart, so that is made before.
fn todc<S: Specification<Operation = Action>>(history: &History) -> (f64, bool) {
    let mut events = vec![None; history.times.len()];
    for operation in &history.operations {
        let thread = operation.thread.index();
        events[operation.call.index()] = Some((thread, Entry::Call(operation.action)));
        if let Some(ret) = operation.ret {
            events[ret.index()] = Some((thread, Entry::Response(operation.action)));
        }
    }
    let entries = todc_utils::History::from_actions(events.into_iter().flatten().collect());
    let begin = Instant::now();
    let is_linearizable = black_box(WGLChecker::<S>::is_linearizable(entries));
    (begin.elapsed().as_secs_f64(), is_linearizable)
}

struct Stack;

impl Specification for Stack {
    type State = Vec<ValueIndex>;
    type Operation = Action;

    fn init() -> Self::State {
        Vec::new()
    }

    fn apply(action: &Action, state: &Self::State) -> (bool, Self::State) {
        let mut state = state.clone();
        let fits = match *action {
            Action::Insert(value) => {
                state.push(value);
                true
            }
            Action::Remove(value) => state.pop() == Some(value),
            Action::RemoveNothing => state.is_empty(),
            _ => false,
        };
        (fits, state)
    }
}

struct Queue;

impl Specification for Queue {
    type State = VecDeque<ValueIndex>;
    type Operation = Action;

    fn init() -> Self::State {
        VecDeque::new()
    }

    fn apply(action: &Action, state: &Self::State) -> (bool, Self::State) {
        let mut state = state.clone();
        let fits = match *action {
            Action::Insert(value) => {
                state.push_back(value);
                true
            }
            Action::Remove(value) => state.pop_front() == Some(value),
            Action::RemoveNothing => state.is_empty(),
            _ => false,
        };
        (fits, state)
    }
}

struct Register;

impl Specification for Register {
    type State = Option<ValueIndex>;
    type Operation = Action;

    fn init() -> Self::State {
        None
    }

    fn apply(action: &Action, state: &Self::State) -> (bool, Self::State) {
        match *action {
            Action::Read(value) => (*state == Some(value), *state),
            Action::Write(value) => (true, Some(value)),
            Action::CompareAndSet { expected, new, succeeded } => {
                let succeeds = *state == Some(expected);
                (succeeded == Some(succeeds), if succeeds { Some(new) } else { *state })
            }
            _ => (false, *state),
        }
    }
}
