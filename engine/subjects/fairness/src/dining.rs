//! The philosophers of Lehmann and Rabin as decision diagrams: more of them than can be listed.
//!
//! They are those of [`crate::families::philosophers`]: 4 bits for each of them, and some for who moved last. A coin in the air is a 13th local
//! state of the philosopher who tosses it, and then nobody else moves.

use crate::diagrams::{Diagram, Diagrams, Part, Variables};
use crate::families::{left_is_free, moves, right_is_free};
use biodivine_lib_bdd::Bdd;
use litmoscope_core::budget::{Budget, Halt};

/// The local state of a philosopher who tosses a coin.
pub const COIN: u8 = 12;

/// How many philosophers there are at most: vertices have numbers of 64 bits.
pub const MOST_PHILOSOPHERS: usize = 15;

/// Philosophers in a ring.
pub struct Dining {
    count: usize,
    /// The bits of who moved last: nobody is 0.
    last: Vec<usize>,
    diagrams: Diagrams,
}

fn bits(philosopher: usize) -> [usize; 4] {
    std::array::from_fn(|bit| 4 * philosopher + bit)
}

fn holds(variables: &Variables, philosopher: usize, fits: impl Fn(u8) -> bool) -> Bdd {
    let none = variables.set().mk_false();
    (0..=COIN)
        .filter(|local| fits(*local))
        .fold(none, |some, local| variables.or(&some, &variables.now_is(&bits(philosopher), local.into())))
}

impl Dining {
    /// So many philosophers, two at least and [`MOST_PHILOSOPHERS`] at most, who all think at first; who moved last is told apart, or not. What they
    /// get to is yet to be found: [`Dining::reach`].
    pub fn new(count: usize, tells_last: bool) -> Self {
        let count = count.clamp(2, MOST_PHILOSOPHERS);
        let of_last = if tells_last { usize::BITS - count.leading_zeros() } else { 0 };
        let last: Vec<usize> = (0..of_last as usize).map(|bit| 4 * count + bit).collect();
        // Who moved last comes first: that takes half as many nodes as last.
        let order: Vec<usize> = last.iter().copied().chain(0..4 * count).collect();
        let variables = Variables::new(order.len(), Some(&order)).unwrap_or_else(|error| unreachable!("{error}"));
        let [all, none] = [variables.set().mk_true(), variables.set().mk_false()];
        let tosses = |philosopher| holds(&variables, philosopher, |local| local == COIN);
        let anyone_tosses =
            (0..count).fold(none.clone(), |some, philosopher| variables.or(&some, &tosses(philosopher)));
        let part = |philosopher: usize| {
            let own = bits(philosopher);
            let step = |from: u8, to: u8| variables.now_is(&own, from.into()).and(&variables.next_is(&own, to.into()));
            let left = holds(&variables, (philosopher + 1) % count, left_is_free);
            let right = holds(&variables, (philosopher + count - 1) % count, right_is_free);
            let mut relation = none.clone();
            for (local, left_is, right_is) in (0..COIN)
                .flat_map(|local| [false, true].map(|left| [false, true].map(|right| (local, left, right))))
                .flatten()
            {
                let [left, right] =
                    [(&left, left_is), (&right, right_is)].map(|(free, is)| if is { free.clone() } else { free.not() });
                let around = variables.and(&left, &right);
                for outcomes in moves(local, left_is, right_is) {
                    let to = if let [to] = outcomes { *to } else { COIN };
                    relation = variables.or(&relation, &variables.and(&step(local, to), &around));
                }
            }
            relation = variables.and_not(&relation, &anyone_tosses);
            for to in moves(1, true, true).concat() {
                relation = variables.or(&relation, &step(COIN, to));
            }
            let moved = variables.next_is(&last, 1 + philosopher as u128);
            Part { relation: variables.and(&relation, &moved), changes: [&own[..], &last].concat() }
        };
        let parts = (0..count).map(part).collect();
        let diagrams = Diagrams::from_parts(variables, parts, all, &anyone_tosses);
        Self { count, last, diagrams }
    }

    /// Holds so many nodes at most.
    #[must_use]
    pub fn limited(self, nodes: usize) -> Self {
        Self { diagrams: self.diagrams.limited(nodes), ..self }
    }

    /// Leaves those vertices alone that the philosophers get to. Where it pauses, the next call goes on.
    ///
    /// # Errors
    /// [`Halt::Paused`] if the budget says so, and [`Halt::Limit`] if there are too many nodes.
    pub fn reach(&mut self, budget: &mut Budget) -> Result<(), Halt> {
        let start = self.diagrams.set([0]);
        self.diagrams.reach(&start, budget)
    }

    /// The vertices, with numbers of 4 bits for each philosopher, and some for who moved last.
    pub fn diagrams(&self) -> &Diagrams {
        &self.diagrams
    }

    /// The same, to run algorithms on.
    pub fn into_diagrams(self) -> Diagrams {
        self.diagrams
    }

    /// How many philosophers there are.
    pub fn philosophers(&self) -> usize {
        self.count
    }

    /// Where the local state of a philosopher fits; it is [`COIN`] where there is a coin in the air.
    pub fn local(&self, philosopher: usize, fits: impl Fn(u8) -> bool) -> Diagram {
        self.diagrams.those(&holds(self.diagrams.variables(), philosopher, fits))
    }

    /// Where a philosopher moved last; everywhere, if that is not told apart.
    pub fn moved_last(&self, philosopher: usize) -> Diagram {
        self.diagrams.those(&self.diagrams.variables().now_is(&self.last, 1 + philosopher as u128))
    }

    /// The number of a vertex with such local states, and who moved last.
    pub fn vertex(&self, locals: &[u8], last: Option<usize>) -> u64 {
        let state = locals.iter().fold(0, |all, local| all << 4 | u64::from(*local));
        let last = last.map_or(0, |philosopher| 1 + philosopher as u64);
        state << self.last.len() | if self.last.is_empty() { 0 } else { last }
    }
}
