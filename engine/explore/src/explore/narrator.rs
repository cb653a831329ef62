//! What algorithms say of their steps. Each has its own sentences, beside its machine; what they speak of is a [`Scene`].

use super::{Direction, Explorer, Step};
use crate::graph::{EventKey, Execution};
use crate::model::Model;
use crate::program::Operation;
use crate::words;

/// What becomes of a question that is too hard.
pub const SEARCH_GIVEN_UP: &str = "the search for the answer was given up at its limit, so the result is only bounded.";

/// A point of an exploration, with names for what is there.
pub trait Scene {
    /// The exploration.
    fn explorer(&self) -> &dyn Explorer;

    /// The model.
    fn model(&self) -> Model;

    /// An event by name and label: `P1.1 R(x,0)`. Events that are not in the graph have their name alone.
    fn event(&self, key: EventKey) -> String;

    /// An event by name: `P1.1`.
    fn name(&self, key: EventKey) -> String;

    /// The object of an operation of a library: `mutex m`.
    fn object(&self, key: EventKey) -> String;

    /// Why an operation waits, as a part of a sentence.
    fn waiting(&self, key: EventKey) -> String;
}

impl dyn Scene + '_ {
    /// The graph.
    pub fn graph(&self) -> &Execution {
        self.explorer().execution()
    }

    /// Events by name, as a list in a sentence.
    pub fn names(&self, keys: impl IntoIterator<Item = EventKey>) -> String {
        let names = words::list(keys.into_iter().map(|key| self.name(key)));
        if names.is_empty() { "nothing".to_owned() } else { names }
    }

    /// What the step removed, by name.
    pub fn cut(&self) -> String {
        self.names(self.explorer().cut().iter().map(|event| event.key))
    }

    /// What the step keeps, or would keep, behind the read, by name.
    pub fn kept(&self) -> String {
        self.names(self.explorer().prefix().into_iter().map(|e| self.graph().event(e).key))
    }

    /// What the step removed, as a sentence.
    pub fn removed(&self) -> String {
        let many = self.explorer().cut().len() as u64;
        if many == 0 {
            "Nothing is removed.".to_owned()
        } else {
            format!("{} {} removed.", self.cut(), words::by_number(many, "is", "are"))
        }
    }

    /// What the step removed, as a sentence behind others; nothing if it removed nothing.
    pub fn removed_if_any(&self) -> String {
        if self.explorer().cut().is_empty() { String::new() } else { format!(" {}", self.removed()) }
    }

    /// What the step keeps, as sentences: `what` is where it goes back to, `cause` what came later and sent it there.
    pub fn stays(&self, what: &str, cause: &str) -> String {
        let kept: Vec<EventKey> = self.explorer().prefix().into_iter().map(|e| self.graph().event(e).key).collect();
        if kept.is_empty() {
            return format!("Everything up to the {what} stays.");
        }
        let stay = words::by_number(kept.len() as u64, "stays", "stay");
        let kept = self.names(kept);
        format!(
            "Everything up to the {what} stays. Of what came after it, {kept} {stay} too: the {cause} with its porf \
             prefix."
        )
    }

    /// The operation of a library that an event is.
    pub fn operation(&self, key: EventKey) -> Option<Operation> {
        self.graph().event(self.graph().find(key)?).operation()
    }

    /// What something with a source is called: `read`, or `operation` of a library.
    pub fn noun(&self, read: EventKey) -> &'static str {
        if self.operation(read).is_some() { "operation" } else { "read" }
    }

    /// That it has a source: `reads from init x (rf)`, `takes mutex m over from P0.3 unlock(m) (rf)`.
    pub fn takes(&self, read: EventKey, source: &str) -> String {
        match self.operation(read) {
            Some(Operation::Join) => format!("follows {source} (rf)"),
            Some(_) => format!("takes {} over from {source} (rf)", self.object(read)),
            None => format!("reads from {source} (rf)"),
        }
    }

    /// That it could have a source: `P1.1 R(x,0) could read from init x`.
    pub fn could_take(&self, read: EventKey, source: &str) -> String {
        match self.operation(read) {
            Some(Operation::Join) => format!("{} could follow {source}", self.call(read)),
            Some(_) => format!("{} could take {} over from {source}", self.call(read), self.object(read)),
            None => format!("{} could read from {source}", self.event(read)),
        }
    }

    /// An operation that has no source yet, which does not mean that it waits.
    pub fn call(&self, key: EventKey) -> String {
        self.event(key).trim_end_matches(" ⊥").to_owned()
    }
}

/// The sentences of one algorithm.
pub trait Narrator: Sync {
    /// A step of the algorithm in plain words; `None` for what all algorithms do: adding an event, dropping a graph, reporting
    /// what was found.
    fn explain(&self, scene: &dyn Scene, step: Step) -> Option<String>;

    /// Why the exploration is over, as the beginning of a sentence.
    fn end(&self) -> &'static str;

    /// Why it is the turn of a thread whose event is added, behind the name of the thread.
    fn turn(&self) -> &'static str {
        "is the left-most thread that can go on"
    }

    /// What a part of the exploration is called that begins with no option.
    fn part(&self) -> &'static str {
        "candidate"
    }
}

/// What is shown of the state of an algorithm beside the graph.
#[derive(Clone, Copy, Debug)]
pub enum StateTable {
    /// Nothing, for a reason in a sentence.
    None(&'static str),
    /// A row for each of [`Explorer::pending`].
    Pending(&'static Columns),
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// More of it where there is room; may be empty.
    pub gloss: &'static str,
    /// What it has, in a sentence.
    pub title: &'static str,
}

/// The columns of a table of what is pending.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// What the table is, for those who do not see it.
    pub caption: &'static str,
    /// What a row is of.
    pub row: &'static str,
    /// What is said where it has no row.
    pub empty: &'static str,
    /// Whether a read may change ([`super::PendingRead::revisitable`]).
    pub revisitable: Column,
    /// A mark and what it means, of a read that may change.
    pub may_change: (&'static str, &'static str),
    /// The same of one that may not.
    pub stays: (&'static str, &'static str),
    /// The options not taken yet ([`super::PendingRead::options`]).
    pub options: Column,
    /// What was ever proposed ([`super::PendingRead::explored`]).
    pub proposed: Column,
    /// What kind of option was proposed.
    pub kind: Direction,
}

/// That a write comes last in co.
pub(super) fn placed(scene: &dyn Scene, write: EventKey, after: EventKey) -> String {
    format!(
        "{} comes last in co, immediately after {}. Nothing in the graph depends on it yet, so this place is always \
         consistent.",
        scene.event(write),
        scene.event(after)
    )
}
