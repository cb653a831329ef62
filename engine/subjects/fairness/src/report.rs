//! Runs of programs, and steps of algorithms, in words.

use crate::bits::Bits;
use crate::labelled::Labelled;
use crate::step::{Direction, Search, Step};
use crate::universe::Universe;
use litmoscope_core::program::Value;
use litmoscope_core::program::system::{EventKind, PointKind, State, System, TransitionId};
use serde::Serialize;

/// The most characters of an event's text.
const LONGEST: usize = 60;

/// A step of a run, as it is told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ToldStep {
    /// Who moves: a thread, or what empties a buffer.
    pub thread: String,
    /// What it does: `lock m`.
    pub text: String,
    /// In which line; 0 for a buffer.
    pub line: u32,
    /// The values of its inputs and coins.
    #[serde(skip_serializing_if = "<[Value]>::is_empty")]
    pub inputs: Box<[Value]>,
    /// What changes by it: `m = 1`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub changes: String,
}

/// A step in words, with what changes in memory.
pub fn told(
    system: &System,
    text: &str,
    before: &State,
    transition: TransitionId,
    inputs: &[Value],
    behind: &State,
) -> ToldStep {
    let step = system.transition(transition);
    let thread = usize::from(step.thread);
    let point = system.point(thread, step.from);
    let values = before.values.iter().zip(&behind.values).zip(&system.names).take(system.shared());
    let changes = values.filter(|((old, new), _)| old != new);
    // Of a mutex, the text says it.
    let is_lock = matches!(point.kind, PointKind::Event(EventKind::Lock | EventKind::Unlock));
    let changes = changes.filter(|_| !is_lock);
    let changes: Vec<String> =
        changes.map(|((_, new), name)| format!("{name} = {}", system.value_text(*new))).collect();
    // What empties a buffer stands nowhere.
    let is_mover = point.span.line == 0;
    let said = match is_mover {
        true => {
            let written = step.writes.first().map(|variable| system.names[variable.0 as usize].as_str());
            format!("puts {} to memory", written.unwrap_or("a write"))
        }
        false => point.span.event_text(text, LONGEST),
    };
    ToldStep {
        thread: system.threads[thread].name.clone(),
        text: said,
        line: point.span.line,
        inputs: inputs.into(),
        changes: changes.join(", "),
    }
}

/// Steps as lines, each with its number.
pub fn lines(steps: &[ToldStep], from: usize) -> String {
    let width = |of: fn(&ToldStep) -> usize| steps.iter().map(of).max().unwrap_or(0);
    let (names, texts) = (width(|step| step.thread.chars().count()), width(|step| step.text.chars().count()));
    let mut out = String::new();
    for (at, step) in (from..).zip(steps) {
        let line = if step.line == 0 { String::new() } else { format!("line {}", step.line) };
        let chosen: Vec<String> = step.inputs.iter().map(ToString::to_string).collect();
        let chosen = if chosen.is_empty() { String::new() } else { format!("chooses {}; ", chosen.join(", ")) };
        let told =
            format!("  {at:>3}  {:names$}  {:texts$}  {line:8}  {chosen}{}", step.thread, step.text, step.changes);
        out += told.trim_end_matches(|c: char| c.is_whitespace() || c == ';');
        out.push('\n');
    }
    out
}

/// A step of an algorithm as a line: what it did, with the sets by the names of their vertices.
pub fn step_text(step: &Step<Bits>, names: &Labelled) -> String {
    const NAMED: usize = 12;
    let set = |set: &Bits| {
        let all: Vec<String> = set.iter().take(NAMED).map(|at| names.name(at)).collect();
        let more = names.graph.count(set) - all.len() as u128;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{{{}{more}}}", all.join(" "))
    };
    let sets = |all: &[Bits]| {
        let few: Vec<String> = all.iter().take(NAMED).map(set).collect();
        let more = if all.len() > NAMED { format!(" and {} more", all.len() - NAMED) } else { String::new() };
        few.join(" ") + &more
    };
    let from = |search: &Search<Bits>| {
        let direction = match search.direction {
            Direction::Backward => "backward",
            Direction::Forward => "forward",
        };
        format!("the search {direction} from {}", set(&search.start))
    };
    let text = match step {
        Step::Components { of, components } => format!("{} has the components {}", set(of), sets(components)),
        Step::EndComponents { of, components } => format!("{} has the end components {}", set(of), sets(components)),
        Step::Candidate { set: taken, heads, tails } => {
            format!("take {}, heads {}, tails {}", set(taken), set(heads), set(tails))
        }
        Step::Bad { set: of, bad, pairs } => {
            let pairs: Vec<String> = pairs.iter().map(ToString::to_string).collect();
            format!("in {}, {} are bad by pairs {}", set(of), set(bad), pairs.join(", "))
        }
        Step::Leaking { set: of, vertices } => format!("out of {}, chance may lead from {}", set(of), set(vertices)),
        Step::Attractor { of, removed, .. } => format!("with {}, the attractor {} is removed", set(of), set(removed)),
        Step::NoEdge { set: of } => format!("{} has no edge: it is dropped", set(of)),
        Step::Round { number, searches } => {
            let reached: Vec<String> = searches.iter().map(|search| set(&search.reached)).collect();
            format!("round {number} of the lock-step search: {}", reached.join(" "))
        }
        Step::Dropped { search, met } => format!("{} is dropped: it met {}", from(search), set(met)),
        Step::Returned { search } => format!("{} returns {}", from(search), set(&search.reached)),
        Step::Split { component, rest } => format!("{} is split off; {} is left", set(component), set(rest)),
        Step::Good { set: of } => format!("{} is good", set(of)),
        Step::Reach { of, from } => format!("{} reach {}", set(from), set(of)),
    };
    text + "\n"
}
