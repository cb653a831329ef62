//! What a step of the verifier does, as a sentence or two.

use crate::formula::Formula;
use crate::impact::{Abandoned, Cover, Purpose, Step};
use crate::report::Reporter;
use litmoscope_core::words::list;

/// Why a thread is not scheduled, as a clause.
pub(super) fn abandoned(why: Abandoned) -> &'static str {
    match why {
        Abandoned::MayWait => "some runs have to wait there",
        Abandoned::DeadEnd => "no thread could go on below without an error, a wait or unfairness",
    }
}

/// The kind of a step, for a list.
pub(super) fn kind(step: &Step<Formula>) -> &'static str {
    match step {
        Step::Start { .. } => "start",
        Step::Expand { .. } => "expand",
        Step::Interpolate { .. } => "interpolate",
        Step::Strengthen { .. } => "strengthen",
        Step::Cover { .. } => "cover",
        Step::Unfair { .. } => "unfair",
        Step::Uncover { .. } => "uncover",
        Step::Proven { .. } => "proven",
        Step::Refuted { .. } => "refuted",
        Step::Abandon { .. } => "abandon",
        Step::Counterexample(_) => "wrong",
        Step::Result(_) => "result",
        Step::Verdict(_) => "verdict",
    }
}

/// What predicates along a path show, as a sentence.
pub(super) fn purpose(purpose: Purpose, node: u32) -> String {
    match purpose {
        Purpose::Infeasible => format!("No run goes wrong at n{node}: the way there can't be taken."),
        Purpose::Enabled => format!("Whatever the run, the thread that is next can go on at n{node}."),
        Purpose::Disabled => format!("Whatever the run, the thread that is next has to wait at n{node}."),
        Purpose::NoDeadlock => format!("Some thread can go on at n{node}: there is no deadlock."),
        Purpose::Cover => format!("With stronger labels on the way to it, n{node} can be covered."),
    }
}

/// What a step does. `label` writes a predicate; results are said elsewhere.
pub(super) fn caption(
    reporter: Reporter<'_>,
    step: &Step<Formula>,
    label: &mut dyn FnMut(Formula) -> String,
) -> String {
    let name = |thread: &u16| reporter.thread(*thread);
    match step {
        Step::Start { node, thread: None } => format!("Look at n{}, of which nothing is known yet.", node.0),
        Step::Start { node, thread: Some(thread) } => {
            format!("A new schedule begins at n{}: {} goes first there.", node.0, name(thread))
        }
        Step::Expand { node, thread, below } => {
            let new = list(below.iter().map(|(_, new)| format!("n{}", new.0)));
            let event = below.first().map(|(step, _)| reporter.step(*step, &[]).event).unwrap_or_default();
            let ways = if below.len() > 1 { ", one for each way" } else { "" };
            format!("{} does `{event}` at n{}. That makes {new}{ways}.", name(thread), node.0)
        }
        Step::Interpolate { purpose: why, path, .. } => {
            let end = path.last().map_or(0, |node| node.0);
            format!("{} From its end backwards, each step needs what stands beside it.", purpose(*why, end))
        }
        Step::Strengthen { node, is_empty: true, .. } => {
            format!("The label of n{} becomes false: no run gets there.", node.0)
        }
        Step::Strengthen { node, after, .. } => format!("The label of n{} becomes `{}`.", node.0, label(*after)),
        Step::Cover { node, by, kind: Cover::Fair } => format!(
            "n{} is covered by n{}. What holds at n{} also holds at n{}, and nobody is left out on the way round.",
            node.0, by.0, node.0, by.0
        ),
        Step::Cover { node, by, kind: Cover::Plain } => format!(
            "n{} is covered plainly by n{}. Whatever can be done from n{} can be done from n{}, so the verdict needs no \
             other thread there.",
            node.0, by.0, node.0, by.0
        ),
        Step::Unfair { node, by, thread } => format!(
            "n{} is not covered by n{}: on the way round, {} is active and never runs.",
            node.0,
            by.0,
            name(thread)
        ),
        Step::Uncover { node, by, .. } => {
            format!(
                "n{} is covered no more: the label of n{} says more now, or n{} does not count.",
                node.0, by.0, by.0
            )
        }
        Step::Proven { node, thread } => {
            format!("{} is proven to be able to go on at n{}, whatever the run.", name(thread), node.0)
        }
        Step::Refuted { node, thread } => {
            format!("{} is proven to wait at n{}, whatever the run.", name(thread), node.0)
        }
        Step::Abandon { node, thread, why } => {
            format!("{} is not scheduled at n{}: {}.", name(thread), node.0, abandoned(*why))
        }
        Step::Counterexample(found) => {
            let text = reporter.counterexample_text(found);
            text.lines().next().unwrap_or_default().to_owned()
        }
        Step::Result(_) => String::new(),
        Step::Verdict(verdict) => verdict.sentence().to_owned(),
    }
}
