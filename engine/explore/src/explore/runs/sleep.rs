//! Sleep sets.

use super::Turn;

/// For each depth of a run, the turns that were tried there, or before, since when nothing dependent was performed. They are
/// parts of one stack.
#[derive(Clone, Debug)]
pub(in crate::explore) struct SleepSets {
    turns: Vec<Turn>,
    parts: Vec<(usize, usize)>,
}

impl SleepSets {
    /// Nothing sleeps at the start.
    pub(crate) fn new() -> Self {
        Self { turns: Vec::new(), parts: vec![(0, 0)] }
    }

    /// What sleeps before the event at a depth.
    pub(crate) fn at(&self, depth: usize) -> &[Turn] {
        let (from, to) = self.parts[depth];
        &self.turns[from..to]
    }

    /// An event is performed at a depth, the last one so far: behind it, what stays asleep does.
    pub(crate) fn enter(&mut self, depth: usize, stays: impl Fn(Turn) -> bool) {
        let (from, to) = self.parts[depth];
        let start = self.turns.len();
        for at in from..to {
            let sleeper = self.turns[at];
            if stays(sleeper) {
                self.turns.push(sleeper);
            }
        }
        self.parts.truncate(depth + 1);
        self.parts.push((start, self.turns.len()));
    }

    /// The event at a depth, the last one, was taken back: it sleeps there from now on.
    pub(crate) fn leave(&mut self, depth: usize, turn: Turn) {
        self.parts.truncate(depth + 1);
        self.turns.truncate(self.parts[depth].1);
        self.turns.push(turn);
        self.parts[depth].1 = self.turns.len();
    }

    /// How many turns there are in all of them.
    pub(crate) fn len(&self) -> usize {
        self.turns.len()
    }
}
