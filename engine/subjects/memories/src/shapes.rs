//! Whether all runs of a machine are causally consistent, by the shape of the cycle that one that is not would have.
//!
//! A bad cycle is made of pairs `u pco v`, each forced by a read of v that knows u, and between them of hb: v is the next pair's u, or happens
//! before it. It enters and leaves each thread once at most (else po is a short cut), so there are no more pairs than threads. The thesis
//! concludes from that that polynomial space is enough, by guessing all events of a cycle. Here its shape is guessed first: how many
//! pairs, of which variables, and whether v is the next u or only happens before it. Then one search goes through the machine's states with
//! what is still needed to see such a cycle: for each pair, until its read comes, who knows u and which registers hold v; between two
//! pairs, until the next u is written, who knows v.
//!
//! Weak causality is the shape of one pair. With one variable there is no difference between release-acquire and its strong form.

use super::machine::{Machine, Operation, State, TransitionIndex, Variable};
use super::pco::Causality;
use super::run::Initial;
use super::symmetry::{Renaming, Symmetry, Unrenaming};
use crate::budget::{Budget, Paused};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::cmp;
use std::hash::Hasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How a pair of a cycle leads to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Link {
    /// The later write of the pair happens before the earlier write of the next pair.
    HappensBefore,
    /// It is that write.
    Same,
}

/// The shape of a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    /// By pair: the variable of its writes, and how it leads to the next pair, the last one to the first.
    pub pairs: Vec<(Variable, Link)>,
    /// Whether the later write of the only pair is the initial write.
    pub is_initial: bool,
}

impl Shape {
    /// Those that show that a run is not this consistent, of cycles with at most so many pairs, the short ones first. None is another one
    /// that begins elsewhere in the cycle: `None` stands in its place, and in that of what is no shape, so that whoever goes through all of
    /// them can stop between two.
    pub(super) fn all(
        causality: Causality,
        threads: usize,
        variables: usize,
        initial: Initial,
    ) -> impl Iterator<Item = Option<Self>> {
        let each = move || (0..variables as u8).map(Variable);
        let alone =
            move |is_initial| move |variable| Some(Self { pairs: vec![(variable, Link::HappensBefore)], is_initial });
        let stale = (initial == Initial::Written).then(|| each().map(alone(true))).into_iter().flatten();
        let most = if causality == Causality::Weak { 1 } else { threads };
        let longer = (2..=most).flat_map(move |pairs| {
            // Each pair has a variable, if these may differ, and a link: a digit of a number.
            let several = if causality == Causality::Strong { variables as u64 } else { 1 };
            let numbers = (2 * several).saturating_pow(pairs as u32);
            let firsts = if causality == Causality::Strong { 1 } else { variables as u8 };
            (0..firsts).flat_map(move |first| (0..numbers).map(move |number| Self::of(number, several, first, pairs)))
        });
        stale.chain(each().map(alone(false))).chain(longer)
    }

    /// The shape of a number, unless it is none, or one that begins elsewhere is the same.
    fn of(mut number: u64, several: u64, first: u8, pairs: usize) -> Option<Self> {
        let mut shape = Self { pairs: Vec::with_capacity(pairs), is_initial: false };
        for _ in 0..pairs {
            let digit = number % (2 * several);
            number /= 2 * several;
            let link = if digit.is_multiple_of(2) { Link::HappensBefore } else { Link::Same };
            shape.pairs.push((Variable(first + (digit / 2) as u8), link));
        }
        (shape.is_joined() && shape.is_least_rotation()).then_some(shape)
    }

    /// Whether writes that are the same are of the same variable.
    fn is_joined(&self) -> bool {
        let next = |at: usize| self.pairs[(at + 1) % self.pairs.len()].0;
        self.pairs.iter().enumerate().all(|(at, (variable, link))| *link != Link::Same || *variable == next(at))
    }

    /// How many shapes are the same as this one under other names; 0 if it is not the least one of them.
    fn variants(&self, symmetry: &Symmetry) -> u64 {
        let mut all = Vec::new();
        for renaming in symmetry.group() {
            let renamed = |(variable, link): &(Variable, Link)| (renaming.variable(*variable), *link);
            let pairs: Vec<_> = self.pairs.iter().map(renamed).collect();
            let least = (0..pairs.len()).map(|by| {
                let mut rotated = pairs.clone();
                rotated.rotate_left(by);
                rotated
            });
            all.extend(least.min());
        }
        all.sort_unstable();
        all.dedup();
        if all.first() == Some(&self.pairs) { all.len() as u64 } else { 0 }
    }

    fn is_least_rotation(&self) -> bool {
        (1..self.pairs.len()).all(|by| {
            let mut rotated = self.pairs.clone();
            rotated.rotate_left(by);
            self.pairs <= rotated
        })
    }
}

/// A run that is not consistent, and the shape of its cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeFound {
    /// The run, which ends with the read that closes the cycle.
    pub transitions: Vec<TransitionIndex>,
    /// The shape of the cycle.
    pub shape: Shape,
    /// Whether all shapes were searched for shorter runs: none was given up at the limit.
    pub is_shortest: bool,
}

/// What came of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShapeVerdict {
    /// No run has such a cycle.
    Holds,
    /// Some run has; this is one of the shortest.
    Violated(Box<ShapeFound>),
    /// The limit was reached before. No run has a cycle of so many shapes that were looked at; nothing is said of the others, in short runs
    /// either.
    Unknown {
        /// How many shapes.
        shapes: u64,
    },
}

/// The search through all shapes.
#[derive(Debug)]
pub struct ShapeSearch<'m> {
    machine: &'m Machine,
    causality: Causality,
    initial: Initial,
    limit: u64,
    /// Longer runs are not looked at.
    longest: Option<u32>,
    /// What may be exchanged.
    symmetry: Option<&'m Symmetry>,
    configurations: u64,
    represented: u64,
}

/// A write of a cycle: the u of a pair, the v of one, or both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub variable: Variable,
    /// The pair whose earlier write it is.
    pub earlier_of: Option<usize>,
    /// The pair whose later write it is.
    pub later_of: Option<usize>,
    /// The slot that has to happen before it.
    pub behind: Option<usize>,
    /// The slot that it has to happen before.
    pub ahead: Option<usize>,
}

/// A shape, ready to be searched for.
pub(super) struct Plan {
    pub slots: Vec<Slot>,
    /// By pair: the slots of its earlier and its later write.
    pub pairs: Vec<(usize, usize)>,
    variables: Vec<Variable>,
}

impl Plan {
    pub(crate) fn new(shape: &Shape) -> Self {
        let count = shape.pairs.len();
        let mut slots: Vec<Slot> = Vec::new();
        let mut pairs = vec![(0, 0); count];
        let empty = |variable| Slot { variable, earlier_of: None, later_of: None, behind: None, ahead: None };
        for (pair, &(variable, _)) in shape.pairs.iter().enumerate() {
            pairs[pair].0 = slots.len();
            slots.push(Slot { earlier_of: Some(pair), ..empty(variable) });
        }
        for (pair, &(variable, link)) in shape.pairs.iter().enumerate() {
            let next = pairs[(pair + 1) % count].0;
            if link == Link::Same {
                slots[next].later_of = Some(pair);
                pairs[pair].1 = next;
                continue;
            }
            let later = slots.len();
            pairs[pair].1 = later;
            let mut slot = Slot { later_of: Some(pair), ..empty(variable) };
            // An initial write happens before everything.
            if !shape.is_initial {
                slot.ahead = Some(next);
                slots[next].behind = Some(later);
            }
            slots.push(slot);
        }
        Self { slots, pairs, variables: shape.pairs.iter().map(|(variable, _)| *variable).collect() }
    }
}

/// The most slots that a shape may have: as many bits as a word has for what was written and read, with room for states.
const MAX_SLOTS: usize = 16;

/// A configuration, unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Configuration {
    state: u32,
    /// By slot, as bits: it was written.
    written: u16,
    /// By pair, as bits: its read has come.
    read: u16,
    /// By slot: the threads and registers that know it, while that matters.
    know: [u64; MAX_SLOTS],
    /// By slot: the registers that hold it, while that matters.
    hold: [u64; MAX_SLOTS],
}

impl Configuration {
    /// The state, and what was written and read, as a word.
    fn head(&self) -> u64 {
        u64::from(self.state) | u64::from(self.written) << 32 | u64::from(self.read) << 48
    }
}

/// All configurations of a search for one shape, as words one behind the other.
struct Store {
    /// How many words one takes.
    stride: usize,
    slots: usize,
    /// Whether what knows a slot and what holds it share a word.
    is_narrow: bool,
    threads: u32,
    words: Vec<u64>,
    /// By configuration: the one before it, and the transition from there.
    parents: Vec<(u32, u32)>,
    table: HashTable<u32>,
    /// What may be exchanged; nothing, or the first one is that nothing is.
    turns: Vec<Turn>,
    /// By configuration, if something may be exchanged: which of them made it the least one of those that are the same.
    turned: Vec<u16>,
    /// For how many configurations they stand.
    represented: u64,
}

/// A way to exchange things that leaves a shape as it is, with its slots and pairs in their new places.
#[derive(Debug)]
struct Turn {
    renaming: Arc<Renaming>,
    slots: Vec<usize>,
    pairs: Vec<usize>,
}

impl Turn {
    /// A configuration under its new names, so far as sets are not concerned.
    fn turned_head(&self, configuration: &Configuration) -> Configuration {
        let bits = |bits: u16, places: &[usize]| {
            let set = places.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
            set.fold(0, |turned, (_, to)| turned | 1 << to)
        };
        Configuration {
            state: self.renaming.state(configuration.state),
            written: bits(configuration.written, &self.slots),
            read: bits(configuration.read, &self.pairs),
            know: [0; MAX_SLOTS],
            hold: [0; MAX_SLOTS],
        }
    }

    /// The sets of a configuration under their new names.
    fn turn_sets(&self, configuration: &Configuration, turned: &mut Configuration) {
        for (slot, to) in self.slots.iter().enumerate() {
            turned.know[*to] = self.renaming.set(configuration.know[slot]);
            turned.hold[*to] = self.renaming.set(configuration.hold[slot]);
        }
    }
}

impl Store {
    fn new(machine: &Machine, slots: usize, turns: Vec<Turn>) -> Self {
        let (threads, registers) = (machine.threads.len(), machine.registers.len());
        let is_narrow = threads + 2 * registers <= 64;
        let stride = 1 + if is_narrow { slots } else { 2 * slots };
        let (words, parents, table) = (Vec::new(), Vec::new(), HashTable::new());
        let threads = threads as u32;
        Self { stride, slots, is_narrow, threads, words, parents, table, turns, turned: Vec::new(), represented: 0 }
    }

    fn len(&self) -> usize {
        self.parents.len()
    }

    fn pack(&self, configuration: &Configuration, into: &mut Vec<u64>) {
        into.clear();
        into.push(configuration.head());
        for slot in 0..self.slots {
            let (know, hold) = (configuration.know[slot], configuration.hold[slot]);
            if self.is_narrow {
                // Registers that hold it, as bits behind those of what knows it.
                let registers = 64 - (64 - self.threads) / 2;
                into.push(know | hold >> self.threads << registers);
            } else {
                into.extend([know, hold]);
            }
        }
    }

    fn unpack(&self, at: usize) -> Configuration {
        let words = &self.words[at * self.stride..(at + 1) * self.stride];
        let mut configuration = Configuration {
            state: words[0] as u32,
            written: (words[0] >> 32) as u16,
            read: (words[0] >> 48) as u16,
            know: [0; MAX_SLOTS],
            hold: [0; MAX_SLOTS],
        };
        for slot in 0..self.slots {
            if self.is_narrow {
                let registers = 64 - (64 - self.threads) / 2;
                let word = words[1 + slot];
                configuration.know[slot] = word & ((1 << registers) - 1);
                configuration.hold[slot] = word >> registers << self.threads;
            } else {
                configuration.know[slot] = words[1 + 2 * slot];
                configuration.hold[slot] = words[2 + 2 * slot];
            }
        }
        configuration
    }

    /// The least of the configurations that are the same as this one, packed; by which of the turns, and how many configurations these are.
    fn least(&self, configuration: &Configuration, room: &mut Vec<u64>) -> (u16, u64) {
        self.pack(configuration, room);
        let (mut by, mut ties) = (0, 1);
        let mut other = Vec::with_capacity(room.len());
        for (at, turn) in self.turns.iter().enumerate().skip(1) {
            // The head is the first word, and most are told apart by it.
            let mut turned = turn.turned_head(configuration);
            if turned.head() > room[0] {
                continue;
            }
            turn.turn_sets(configuration, &mut turned);
            self.pack(&turned, &mut other);
            match other.cmp(room) {
                cmp::Ordering::Less => {
                    std::mem::swap(&mut other, room);
                    (by, ties) = (at as u16, 1);
                }
                cmp::Ordering::Equal => ties += 1,
                cmp::Ordering::Greater => {}
            }
        }
        // As many turns lead to the least one as leave it as it is.
        (by, self.turns.len().max(1) as u64 / ties)
    }

    /// Adds a configuration, if it is new.
    fn insert(&mut self, configuration: &Configuration, parent: (u32, u32), room: &mut Vec<u64>) {
        let (by, same) = self.least(configuration, room);
        let hash = |words: &[u64]| {
            let mut hasher = FxHasher::default();
            words.iter().for_each(|word| hasher.write_u64(*word));
            hasher.finish()
        };
        let (stride, words) = (self.stride, &self.words);
        let at = |number: u32| &words[number as usize * stride..(number as usize + 1) * stride];
        let own = hash(room);
        if self.table.find(own, |number| at(*number) == &room[..]).is_some() {
            return;
        }
        let number = self.parents.len() as u32;
        self.table.insert_unique(own, number, |number| hash(at(*number)));
        self.words.extend_from_slice(room);
        self.parents.push(parent);
        self.represented += same;
        if self.turns.len() > 1 {
            self.turned.push(by);
        }
    }

    /// The transitions that lead to a configuration, and one more from there.
    fn way_behind(&self, machine: &Machine, at: usize, last: TransitionIndex) -> Vec<TransitionIndex> {
        let mut way = vec![(last, 0)];
        let mut at = at as u32;
        while at > 0 {
            let (parent, by) = self.parents[at as usize];
            way.push((TransitionIndex(by), self.turned.get(at as usize).copied().unwrap_or(0)));
            at = parent;
        }
        if self.turns.len() < 2 {
            return way.into_iter().rev().map(|(by, _)| by).collect();
        }
        // Each was renamed when it was met: the run goes by the names of its beginning.
        let mut names = Unrenaming::new(machine);
        let steps = way.into_iter().rev().map(|(by, turn)| {
            let step = names.transition(by);
            names.renamed(&self.turns[usize::from(turn)].renaming);
            step.expect("what is exchanged leaves the machine the same")
        });
        steps.collect()
    }
}

/// Sets a bit of a set, or takes it out.
fn put(set: &mut u64, bit: u64, is_in: bool) {
    *set = if is_in { *set | bit } else { *set & !bit };
}

impl<'m> ShapeSearch<'m> {
    /// A search for runs that are not this consistent. It gives up when it has met more than `limit` configurations, of some 50 bytes each for
    /// two pairs.
    ///
    /// # Panics
    /// If the machine has more than 8 threads and more than weak causality is asked for.
    pub fn new(machine: &'m Machine, causality: Causality, initial: Initial, limit: u64) -> Self {
        let threads = machine.threads.len();
        assert!(2 * threads <= MAX_SLOTS || causality == Causality::Weak, "too many threads");
        Self { machine, causality, initial, limit, longest: None, symmetry: None, configurations: 0, represented: 0 }
    }

    /// The same among runs of at most so many steps: what holds then is said of these alone.
    #[must_use]
    pub fn within(self, steps: u32) -> Self {
        Self { longest: Some(steps), ..self }
    }

    /// The same up to exchanging what this says, which has to be of the machine: of configurations, and of shapes, that are the same under
    /// other names one is looked at.
    #[must_use]
    pub fn up_to(self, symmetry: &'m Symmetry) -> Self {
        Self { symmetry: Some(symmetry), ..self }
    }

    /// For how many configurations those that were met stand, each of its shape: as many, unless something is exchanged.
    pub fn represented(&self) -> u64 {
        self.represented
    }

    /// How many configurations were met.
    pub fn configurations(&self) -> u64 {
        self.configurations
    }

    /// Searches for each shape, breadth first, for a shorter run than the shortest one so far.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop; the search begins anew then.
    pub fn run(&mut self, budget: &mut Budget) -> Result<ShapeVerdict, Paused> {
        let tally = ShapeTally::default();
        let verdict = self.run_with(&tally, budget);
        (self.configurations, self.represented) = (tally.configurations(), tally.represented());
        verdict
    }

    /// The same, with a tally that others may look at meanwhile.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_with(&self, tally: &ShapeTally, budget: &mut Budget) -> Result<ShapeVerdict, Paused> {
        let mut searched = Searched::default();
        for (number, shape) in (0..).zip(self.shapes()) {
            budget.count(1)?;
            if let Some((shape, variants)) = shape
                && !self.search(number, &shape, variants, tally, &mut searched, budget)?
            {
                break;
            }
        }
        Ok(searched.verdict(tally))
    }

    /// All shapes, in order, each with how many it stands for: `None` in the place of what is no shape, so that whoever goes through all of them
    /// can stop between two.
    pub fn shapes(&self) -> impl Iterator<Item = Option<(Shape, u64)>> + use<'m> {
        let (threads, variables) = (self.machine.threads.len(), self.machine.variables.len());
        let symmetry = self.symmetry;
        Shape::all(self.causality, threads, variables, self.initial).map(move |shape| {
            let shape = shape?;
            let variants = symmetry.map_or(1, |symmetry| shape.variants(symmetry));
            (variants > 0).then_some((shape, variants))
        })
    }

    /// Searches for one shape, of this number among all, for a shorter run than the shortest one so far, or one as short where that is of a later
    /// shape. Adds to the tally, which others may add to meanwhile. Whether there is room for more shapes.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop; the search for this shape begins anew then.
    pub fn search(
        &self,
        number: u32,
        shape: &Shape,
        variants: u64,
        tally: &ShapeTally,
        searched: &mut Searched,
        budget: &mut Budget,
    ) -> Result<bool, Paused> {
        match self.search_one(number, shape, variants, tally, budget)? {
            One::Found(transitions) => {
                tally.best.fetch_min((transitions.len() as u64) << 32 | u64::from(number), Ordering::Relaxed);
                let found = ShapeFound { transitions, shape: shape.clone(), is_shortest: true };
                searched.found.push((number, found));
            }
            One::Nothing => {
                tally.shapes.fetch_add(1, Ordering::Relaxed);
            }
            One::Limit => {
                tally.is_cut.store(true, Ordering::Relaxed);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Searches for one shape in runs that are short enough.
    fn search_one(
        &self,
        number: u32,
        shape: &Shape,
        variants: u64,
        tally: &ShapeTally,
        budget: &mut Budget,
    ) -> Result<One, Paused> {
        let longest = self.longest.map_or(u32::MAX, |longest| longest.saturating_add(1));
        // How many configurations were told to the others.
        let mut told = (0, 0);
        let machine = self.machine;
        let plan = Plan::new(shape);
        let turns = self.symmetry.map_or_else(Vec::new, |symmetry| plan.turns(shape, symmetry));
        let mut store = Store::new(machine, plan.slots.len(), turns);
        let mut room = Vec::with_capacity(store.stride);
        let mut first = Configuration {
            state: machine.initial().0,
            written: 0,
            read: 0,
            know: [0; MAX_SLOTS],
            hold: [0; MAX_SLOTS],
        };
        if shape.is_initial {
            let (variable, slot) = (shape.pairs[0].0, plan.pairs[0].1);
            first.written |= 1 << slot;
            for (register, about) in (0..).map(super::machine::RegisterIndex).zip(&machine.registers) {
                if about.variable == Some(variable) {
                    first.hold[slot] |= machine.register_bit(register);
                }
            }
            if first.hold[slot] == 0 {
                return Ok(One::Nothing);
            }
        }
        store.insert(&first, (0, 0), &mut room);
        let all_read = (1_u16 << plan.pairs.len()) - 1;
        // Where the configurations of each number of steps begin.
        let (mut at, mut end, mut steps) = (0, 1, 0_u32);
        while at < store.len() {
            if at == end {
                end = store.len();
                steps += 1;
            }
            tally.add(&store, variants, &mut told);
            if steps + 1 >= tally.most(number).min(longest) {
                return Ok(One::Nothing);
            }
            if tally.configurations() > self.limit {
                return Ok(One::Limit);
            }
            let configuration = store.unpack(at);
            for (by, transition) in machine.from(State(configuration.state)) {
                budget.count(1)?;
                let mut next = Configuration { state: transition.to.0, ..configuration };
                let parent = (at as u32, by.0);
                match transition.operation {
                    Operation::Step | Operation::Fence { .. } => store.insert(&next, parent, &mut room),
                    Operation::Copy { to, from } => {
                        let (to, from) = (machine.register_bit(to), machine.register_bit(from));
                        for slot in 0..plan.slots.len() {
                            let (know, hold) = (next.know[slot], next.hold[slot]);
                            put(&mut next.know[slot], to, know & from != 0);
                            put(&mut next.hold[slot], to, hold & from != 0);
                        }
                        if plan.may_go_on(&next) {
                            store.insert(&next, parent, &mut room);
                        }
                    }
                    Operation::Read { thread, variable, register } => {
                        let (thread, register) = (Machine::thread_bit(thread), machine.register_bit(register));
                        plan.read(&mut next, thread, variable, register);
                        if next.read == all_read {
                            tally.add(&store, variants, &mut told);
                            return Ok(One::Found(store.way_behind(machine, at, by)));
                        }
                        store.insert(&next, parent, &mut room);
                    }
                    Operation::Write { thread, variable, register } => {
                        let (thread, register) = (Machine::thread_bit(thread), machine.register_bit(register));
                        for slot in 0..plan.slots.len() {
                            let known = next.know[slot] & thread != 0;
                            put(&mut next.know[slot], register, known);
                            put(&mut next.hold[slot], register, false);
                        }
                        if !plan.may_go_on(&next) {
                            continue;
                        }
                        store.insert(&next, parent, &mut room);
                        for slot in 0..plan.slots.len() {
                            if let Some(next) = plan.written(&next, slot, thread, variable, register) {
                                store.insert(&next, parent, &mut room);
                            }
                        }
                    }
                }
            }
            at += 1;
        }
        tally.add(&store, variants, &mut told);
        Ok(One::Nothing)
    }
}

/// What searches for shapes tell each other, on several threads perhaps: how much they have met, and how long the shortest run is.
#[derive(Debug)]
pub struct ShapeTally {
    configurations: AtomicU64,
    represented: AtomicU64,
    /// How many shapes were looked at in vain.
    shapes: AtomicU64,
    /// The length of the shortest run so far, and behind it, in the low half, the number of its shape.
    best: AtomicU64,
    /// Whether some search was given up at the limit.
    is_cut: AtomicBool,
}

impl Default for ShapeTally {
    fn default() -> Self {
        let [configurations, represented, shapes] = [const { AtomicU64::new(0) }; 3];
        let (best, is_cut) = (AtomicU64::new(u64::MAX), AtomicBool::new(false));
        Self { configurations, represented, shapes, best, is_cut }
    }
}

impl ShapeTally {
    /// How many configurations were met.
    pub fn configurations(&self) -> u64 {
        self.configurations.load(Ordering::Relaxed)
    }

    /// For how many they stand.
    pub fn represented(&self) -> u64 {
        self.represented.load(Ordering::Relaxed)
    }

    /// How many shapes were looked at in vain.
    pub fn shapes(&self) -> u64 {
        self.shapes.load(Ordering::Relaxed)
    }

    /// Whether some search was given up at the limit.
    pub fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Relaxed)
    }

    /// Runs that would be news from the shape of a number are shorter than this: of those that are as short, the one of the first shape counts.
    fn most(&self, number: u32) -> u32 {
        let best = self.best.load(Ordering::Relaxed);
        let (length, of) = ((best >> 32) as u32, best as u32);
        if of < number { length } else { length.saturating_add(1) }
    }

    /// Adds what a store has that was not told yet.
    fn add(&self, store: &Store, variants: u64, told: &mut (u64, u64)) {
        let (met, represented) = (store.len() as u64, store.represented);
        self.configurations.fetch_add(met - told.0, Ordering::Relaxed);
        self.represented.fetch_add(variants * (represented - told.1), Ordering::Relaxed);
        *told = (met, represented);
    }
}

/// What was found of some shapes, by one who searches.
#[derive(Debug, Default)]
pub struct Searched {
    found: Vec<(u32, ShapeFound)>,
}

impl Searched {
    /// The same with what somebody else has found.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.found.extend(other.found);
        self
    }

    /// What is known of all shapes, if these are all that were found.
    pub fn verdict(self, tally: &ShapeTally) -> ShapeVerdict {
        let best = self.found.into_iter().min_by_key(|(number, found)| (found.transitions.len(), *number));
        match best {
            // Where a search was given up, there are shapes that were not looked at: they may have shorter ones.
            Some((_, found)) => ShapeVerdict::Violated(Box::new(ShapeFound { is_shortest: !tally.is_cut(), ..found })),
            None if tally.is_cut() => ShapeVerdict::Unknown { shapes: tally.shapes() },
            None => ShapeVerdict::Holds,
        }
    }
}

/// What came of the search for one shape.
enum One {
    Found(Vec<TransitionIndex>),
    Nothing,
    /// The limit was reached.
    Limit,
}

impl Plan {
    /// The ways to exchange things that leave the shape as it is, if it may begin at another pair then.
    fn turns(&self, shape: &Shape, symmetry: &Symmetry) -> Vec<Turn> {
        let count = shape.pairs.len();
        let mut turns = Vec::new();
        for renaming in symmetry.group() {
            for by in 0..count {
                let place = |pair: usize| (pair + by) % count;
                let fits =
                    shape.pairs.iter().enumerate().all(|(pair, (variable, link))| {
                        shape.pairs[place(pair)] == (renaming.variable(*variable), *link)
                    });
                if !fits {
                    continue;
                }
                let mut slots = vec![0; self.slots.len()];
                for (pair, (earlier, later)) in self.pairs.iter().enumerate() {
                    slots[*earlier] = self.pairs[place(pair)].0;
                    slots[*later] = self.pairs[place(pair)].1;
                }
                turns.push(Turn { renaming: Arc::clone(renaming), slots, pairs: (0..count).map(place).collect() });
            }
        }
        turns
    }

    fn is_written(configuration: &Configuration, slot: usize) -> bool {
        configuration.written >> slot & 1 == 1
    }

    /// Whether each later write that waits for its read is still in some register.
    fn may_go_on(&self, configuration: &Configuration) -> bool {
        self.pairs.iter().enumerate().all(|(pair, &(_, later))| {
            let waits = configuration.read >> pair & 1 == 0 && Self::is_written(configuration, later);
            !waits || configuration.hold[later] != 0
        })
    }

    /// A thread reads a variable from a register.
    fn read(&self, next: &mut Configuration, thread: u64, variable: Variable, register: u64) {
        for know in &mut next.know[..self.slots.len()] {
            if *know & register != 0 {
                *know |= thread;
            }
        }
        for (pair, &(earlier, later)) in self.pairs.iter().enumerate() {
            let fits = next.read >> pair & 1 == 0
                && self.variables[pair] == variable
                && next.hold[later] & register != 0
                && next.know[earlier] & thread != 0;
            if fits {
                next.read |= 1 << pair;
            }
        }
        self.forget(next);
    }

    /// What follows if a write is that of a slot; `None` if it can't be.
    fn written(
        &self,
        before: &Configuration,
        slot: usize,
        thread: u64,
        variable: Variable,
        register: u64,
    ) -> Option<Configuration> {
        let about = &self.slots[slot];
        if about.variable != variable || Self::is_written(before, slot) {
            return None;
        }
        // What has to happen before it was written, and its thread knows it.
        if about.behind.is_some_and(|behind| before.know[behind] & thread == 0) {
            return None;
        }
        let mut next = *before;
        next.written |= 1 << slot;
        next.know[slot] = thread | register;
        next.hold[slot] = register;
        self.forget(&mut next);
        Some(next)
    }

    /// Lets go of what does not matter any more, so that equal futures are equal configurations.
    fn forget(&self, next: &mut Configuration) {
        for (slot, about) in self.slots.iter().enumerate() {
            let waits = |pair: Option<usize>| pair.is_some_and(|pair| next.read >> pair & 1 == 0);
            let is_awaited = about.ahead.is_some_and(|ahead| !Self::is_written(next, ahead));
            if !waits(about.earlier_of) && !is_awaited {
                next.know[slot] = 0;
            }
            if !waits(about.later_of) {
                next.hold[slot] = 0;
            }
        }
    }
}
