//! Who judges a history.

use super::answer::{Answer, Undecided};
use super::history::{History, Object};
use super::queue::{judge_queue, judge_queue_by_tree};
use super::search::Search;
use super::sets::{judge_multiset, judge_set, judge_set_online};
use super::stack::judge_stack_as_published;
use super::stack_fast::judge_stack;
use crate::budget::{Budget, Paused};
use serde::{Deserialize, Serialize};

/// What finds out whether a history is linearizable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Monitor {
    /// The fast monitor, where there is one that knows the object and all of the history's operations; else the search.
    #[default]
    Auto,
    /// The monitor of the object as published, corrected: stacks, queues, sets and multisets whose values are inserted once where that
    /// matters.
    Published,
    /// A faster one that takes the same steps, or finds the same.
    Fast,
    /// The search, which knows every object and every history, and may give up.
    Search,
}

impl Monitor {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Published, Self::Fast, Self::Search];

    /// Its name, as the command line writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Published => "published",
            Self::Fast => "fast",
            Self::Search => "search",
        }
    }
}

/// What was found out, and by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The answer.
    pub answer: Answer,
    /// Who found it: never [`Monitor::Auto`].
    pub by: Monitor,
}

/// Whether a history is linearizable. The search gives up after `limit` units of work, and holds a word of memory for each eight of them.
///
/// A monitor that is asked for by name, and does not know the object or the history, says so ([`Undecided::NotMonitored`],
/// [`Undecided::InsertedTwice`]). Objects without a monitor are searched, whoever is asked.
///
/// # Errors
/// [`Paused`] if the budget is spent or somebody wants it to stop.
pub fn judge(
    history: &History,
    object: Object,
    monitor: Monitor,
    limit: u64,
    budget: &mut Budget,
) -> Result<Judgement, Paused> {
    let monitored = match monitor {
        Monitor::Search => None,
        Monitor::Published => as_published(history, object, budget)?,
        Monitor::Auto | Monitor::Fast => fast(history, object, budget)?,
    };
    let by = if monitor == Monitor::Auto { Monitor::Fast } else { monitor };
    let gives_up = |answer: &Answer| {
        matches!(
            answer,
            Answer::Unknown(
                Undecided::InsertedTwice { .. } | Undecided::NotMonitored { .. } | Undecided::TooManyAssignments
            )
        )
    };
    match monitored {
        Some(answer) if monitor != Monitor::Auto || !gives_up(&answer) => Ok(Judgement { answer, by }),
        _ => Ok(Judgement { answer: Search::new(history, object, limit).run(budget)?, by: Monitor::Search }),
    }
}

/// What the monitor as published says; `None` if there is none for the object or its operations.
fn as_published(history: &History, object: Object, budget: &mut Budget) -> Result<Option<Answer>, Paused> {
    Ok(match object {
        Object::Stack => Some(judge_stack_as_published(history, budget)?.0),
        Object::Queue => Some(judge_queue_by_tree(history, budget)?.0),
        Object::Set => judge_set(history),
        Object::Multiset => judge_multiset(history),
        Object::PriorityQueue | Object::Register | Object::Counter => None,
    })
}

/// The same of the fast one.
fn fast(history: &History, object: Object, budget: &mut Budget) -> Result<Option<Answer>, Paused> {
    Ok(match object {
        Object::Stack => Some(judge_stack(history, budget)?),
        Object::Queue => Some(judge_queue(history, budget)?),
        Object::Set => judge_set_online(history),
        Object::Multiset => judge_multiset(history),
        Object::PriorityQueue | Object::Register | Object::Counter => None,
    })
}
