//! An exploration whose parts others explore: on other machines, in any order, more than once.
//!
//! A part goes out as its [`Work`], which says where it begins and ends. Who explored it gives back its parts: what was found, and what is left, cut
//! into several if others want some. These take the place of the part that went out. A part that comes again has no place any more,
//! and counts once. A part that was cut off another comes in its time, though it may be explored before that is known; so it waits.
//!
//! The parts are a list in the order of the tree ([`Parts`]), linked so that nothing here takes longer where there are many: a part that comes
//! takes time linear in what was found in it. Of neighbours that are over, those that are about as large become one.
//!
//! Between parts that are left, each part that is over has its own final states. So they are packed where they are many, and forgotten as soon as all
//! together are more than a table may have: the whole lists none then.

use super::parts::State;
use super::{DivideError, Exploration, Part, PartOf, Parts, PartsOf, divide};
use crate::budget::Budget;
use crate::explore::{Counts, Findings, Results, Work};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::io::BufReader;

/// A part that is over.
#[derive(Debug)]
struct Over {
    counts: Counts,
    ends_at_execution: bool,
    /// How many final states and faults were found.
    rows: usize,
    found: Kept,
}

/// What was found in a part. There are many parts between those that are left, and each may have all final states.
#[derive(Debug)]
enum Kept {
    Plain(Box<Findings>),
    /// As JSON, packed: a tenth of the room.
    Packed(Vec<u8>),
}

impl Over {
    fn new(part: Part) -> Self {
        let (rows, counts) = (part.rows(), part.found.counts);
        Self { counts, ends_at_execution: part.ends_at_execution, rows, found: Kept::Plain(Box::new(part.found)) }
    }

    fn pack(&mut self) {
        if let Kept::Plain(found) = &self.found {
            let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
            let packed = serde_json::to_writer(&mut packer, found).is_ok().then(|| packer.finish());
            if let Some(Ok(mut packed)) = packed {
                packed.shrink_to_fit();
                self.found = Kept::Packed(packed);
            }
        }
    }

    /// What was found, with a table as large as that of `nothing` may be.
    fn found(&self, nothing: &Findings) -> Findings {
        match &self.found {
            Kept::Plain(found) => found.as_ref().clone(),
            Kept::Packed(packed) => {
                let mut found: Findings =
                    serde_json::from_reader(BufReader::new(ZlibDecoder::new(&**packed))).expect("it was packed here");
                found.results.bound_table_as(&nothing.results);
                found
            }
        }
    }
}

#[derive(Debug)]
struct Node {
    /// Where it begins; of a part that is left, all of it.
    start: Work,
    /// `None` of a part that is left.
    over: Option<Over>,
    /// Its own as long as it is left.
    number: u64,
    before: Option<usize>,
    next: Option<usize>,
}

/// How many rows are kept plain: few in tests, so that they see the others.
const PLAIN_ROWS: usize = if cfg!(test) { 16 } else { 1 << 20 };

/// What became of a part that came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It has taken its place.
    Now,
    /// It is of a part that is not known yet, and will take its place.
    Later,
    /// It came before, or is not needed any more.
    Never,
    /// Nothing happened to it: it is left as it was.
    Unchanged,
}

/// An exploration in parts that are out.
#[derive(Debug)]
pub struct Ledger {
    nothing: Findings,
    stop_at_first: bool,
    /// How many executions neighbours that are over may have together.
    piece: u64,
    /// Slots, some of which are free.
    nodes: Vec<Option<Node>>,
    free: Vec<usize>,
    first: Option<usize>,
    /// Where the parts that are not over are, by their works.
    open: FxHashMap<Work, usize>,
    /// The same by their numbers.
    numbered: FxHashMap<u64, usize>,
    /// Those that nobody has asked for.
    fresh: Vec<Work>,
    /// What comes before its time, by where it begins.
    early: FxHashMap<Work, Parts>,
    numbers: u64,
    counts: Counts,
    /// The final states of all parts, if they are to be forgotten where they are too many: where all that is found counts.
    states: Option<Results>,
    /// How many rows are kept plain.
    plain: usize,
    plain_rows: usize,
}

/// Where a work begins, from left to right.
fn order(one: &Work, other: &Work) -> Ordering {
    one.0.iter().map(|branch| branch.next).cmp(other.0.iter().map(|branch| branch.next))
}

impl Ledger {
    /// Parts that are to be explored, `nothing` found to begin with. With `stop_at_first`, what lies behind the first error, or execution that is stuck for
    /// good, is dropped, as it does not count. No more than `piece` executions are put together for good, which is of use where some have to be
    /// explored again: for a bound on executions.
    pub fn new(parts: Parts, nothing: Findings, stop_at_first: bool, piece: u64) -> Self {
        let mut ledger = Self::begun(nothing, stop_at_first, piece, 0);
        ledger.put(None, None, parts);
        ledger
    }

    fn begun(nothing: Findings, stop_at_first: bool, piece: u64, numbers: u64) -> Self {
        let states = (!stop_at_first && piece == u64::MAX).then(|| nothing.results.clone());
        Self {
            states,
            nothing,
            stop_at_first,
            piece,
            nodes: Vec::new(),
            free: Vec::new(),
            first: None,
            open: FxHashMap::default(),
            numbered: FxHashMap::default(),
            fresh: Vec::new(),
            early: FxHashMap::default(),
            numbers,
            counts: Counts::default(),
            plain: 0,
            plain_rows: PLAIN_ROWS,
        }
    }

    fn node(&self, at: usize) -> Option<&Node> {
        self.nodes.get(at).and_then(Option::as_ref)
    }

    fn iter(&self) -> impl Iterator<Item = (usize, &Node)> {
        let at = |at: usize| self.node(at).map(|node| (at, node));
        std::iter::successors(self.first.and_then(at), move |(_, node)| node.next.and_then(at))
    }

    fn link(&mut self, before: Option<usize>, next: Option<usize>) {
        match before.and_then(|at| self.nodes[at].as_mut()) {
            Some(node) => node.next = next,
            None => self.first = next,
        }
        if let Some(node) = next.and_then(|at| self.nodes[at].as_mut()) {
            node.before = before;
        }
    }

    /// Puts a part behind another, or at the start; where it is.
    fn insert(&mut self, before: Option<usize>, start: Work, over: Option<Over>) -> usize {
        let next = match before.and_then(|at| self.node(at)) {
            Some(node) => node.next,
            None => self.first,
        };
        let at = self.free.pop().unwrap_or(self.nodes.len());
        if let Some(over) = &over {
            self.counts.append(over.counts);
            self.plain += over.rows;
        } else {
            self.numbers += 1;
            self.open.insert(start.clone(), at);
            self.numbered.insert(self.numbers, at);
            self.fresh.push(start.clone());
        }
        let node = Some(Node { start, over, number: self.numbers, before, next });
        if at == self.nodes.len() {
            self.nodes.push(node);
        } else {
            self.nodes[at] = node;
        }
        self.link(before, Some(at));
        self.link(Some(at), next);
        at
    }

    fn remove(&mut self, at: usize) -> Option<Node> {
        let node = self.nodes.get_mut(at)?.take()?;
        self.free.push(at);
        match &node.over {
            None => {
                self.open.remove(&node.start);
                self.numbered.remove(&node.number);
            }
            Some(over) => {
                self.counts = self.counts.since(over.counts);
                if let Kept::Plain(_) = over.found {
                    self.plain -= over.rows;
                }
            }
        }
        self.link(node.before, node.next);
        Some(node)
    }

    /// Puts parts between two that are neighbours.
    fn put(&mut self, before: Option<usize>, next: Option<usize>, parts: Parts) {
        let mut last = before;
        let mut touched: Vec<usize> = next.into_iter().collect();
        for mut part in parts.0 {
            // Who explores what is left need not carry what was found.
            let rest = part.rest.take();
            let ends = self.stop_at_first && rest.is_none() && part.found.counts.is_any_wrong();
            if let Some(states) = &mut self.states {
                let had_too_many = states.has_too_many_outcomes();
                if states.meet_states(&part.found.results) {
                    part.found.results.forget_states();
                    if !had_too_many {
                        self.forget_states();
                    }
                }
            }
            if rest.is_none() || part.found.counts.steps > 0 {
                let at = self.insert(last, part.start.clone(), Some(Over::new(part)));
                touched.push(at);
                last = Some(at);
            }
            if let Some(rest) = rest {
                last = Some(self.insert(last, rest, None));
            }
            if ends {
                while let Some(behind) = last.map_or(self.first, |at| self.node(at).and_then(|node| node.next)) {
                    self.remove(behind);
                }
                break;
            }
        }
        self.join(touched);
        if self.plain > self.plain_rows {
            self.pack();
        }
    }

    /// Forgets all final states: together they are too many, and the whole lists none.
    fn forget_states(&mut self) {
        for over in self.nodes.iter_mut().flatten().filter_map(|node| node.over.as_mut()) {
            let mut found = over.found(&self.nothing);
            found.results.forget_states();
            let rows = found.results.faults().len() + 1;
            if let Kept::Plain(_) = over.found {
                self.plain -= over.rows - rows;
            } else {
                self.plain += rows;
            }
            (over.rows, over.found) = (rows, Kept::Plain(Box::new(found)));
        }
    }

    /// Packs all but what is before the first part that is left, to which others are put again and again.
    fn pack(&mut self) {
        let mut at = self.first.and_then(|first| self.node(first)).and_then(|node| node.next);
        while let Some(node) = at.and_then(|at| self.nodes[at].as_mut()) {
            if let Some(over) = node.over.as_mut().filter(|over| matches!(over.found, Kept::Plain(_))) {
                over.pack();
                self.plain -= over.rows;
            }
            at = node.next;
        }
        // What can't be packed is not to be tried each time.
        self.plain_rows = PLAIN_ROWS.max(2 * self.plain);
    }

    /// Whether a part is to be put behind its neighbour: of those that are about as large, so that each finding is copied a logarithmic number of times.
    fn fits(&self, at: usize) -> Option<usize> {
        let node = self.node(at)?;
        let before = node.before?;
        let (one, other) = (self.node(before)?.over.as_ref()?, node.over.as_ref()?);
        let fits = one.counts.executions() + other.counts.executions() <= self.piece && 2 * one.rows >= other.rows;
        fits.then_some(before)
    }

    /// Joins parts with what is before them, as far as that fits, and then with what is beside them.
    fn join(&mut self, mut touched: Vec<usize>) {
        while let Some(at) = touched.pop() {
            let Some(before) = self.fits(at) else { continue };
            let (Some(one), Some(other)) = (self.remove(before), self.remove(at)) else { continue };
            let (Some(first), Some(second)) = (one.over, other.over) else { continue };
            let ends = if second.counts.steps > 0 { second.ends_at_execution } else { first.ends_at_execution };
            let mut found = match first.found {
                Kept::Plain(found) => *found,
                Kept::Packed(_) => first.found(&self.nothing),
            };
            found.append(match second.found {
                Kept::Plain(found) => *found,
                Kept::Packed(_) => second.found(&self.nothing),
            });
            let part = PartOf {
                start: one.start.clone(),
                found,
                rest: None,
                ends_at_execution: ends,
                state: State::default(),
            };
            touched.push(self.insert(one.before, one.start, Some(Over::new(part))));
            touched.extend(other.next);
        }
    }

    /// Takes what became of a part.
    pub fn take(&mut self, parts: Parts) -> Taken {
        let Some(start) = parts.0.first().map(|part| part.start.clone()) else { return Taken::Never };
        let Some(at) = self.open.get(&start).copied() else {
            if self.is_early(&start) {
                self.early.insert(start, parts);
                return Taken::Later;
            }
            return Taken::Never;
        };
        if parts.0.len() == 1 && parts.0[0].rest.as_ref() == Some(&start) {
            return Taken::Unchanged;
        }
        let Some(node) = self.remove(at) else { return Taken::Never };
        self.put(node.before, node.next, parts);
        // One that was cut off it may be there.
        let known: Vec<Work> = self.early.keys().filter(|start| self.open.contains_key(*start)).cloned().collect();
        for start in known {
            if let Some(parts) = self.early.remove(&start) {
                self.take(parts);
            }
        }
        if self.is_over() {
            self.early.clear();
        }
        Taken::Now
    }

    /// Whether a work begins within what is left.
    fn is_early(&self, start: &Work) -> bool {
        let before = self.iter().take_while(|(_, node)| order(&node.start, start) != Ordering::Greater).last();
        before.is_some_and(|(_, node)| node.over.is_none())
    }

    /// What parts that go out begin with: nothing, and whether final states are wanted.
    pub fn nothing(&self) -> Findings {
        let mut nothing = self.nothing.clone();
        if self.states.as_ref().is_some_and(Results::has_too_many_outcomes) {
            nothing.results.forget_states();
        }
        nothing
    }

    /// A part that is left, by its number.
    pub fn work(&self, number: u64) -> Option<&Work> {
        Some(&self.node(*self.numbered.get(&number)?)?.start)
    }

    /// Whether there is such a part, and it is not over.
    pub fn is_open(&self, work: &Work) -> bool {
        self.open.contains_key(work)
    }

    /// Whether nothing is left.
    pub fn is_over(&self) -> bool {
        self.open.is_empty()
    }

    /// What is left, from left to right. Each has a number of its own as long as it is left.
    pub fn left(&self) -> impl Iterator<Item = (u64, &Work)> {
        self.iter().filter(|(_, node)| node.over.is_none()).map(|(_, node)| (node.number, &node.start))
    }

    /// What is left and was not given here before.
    pub fn news(&mut self) -> impl Iterator<Item = (u64, &Work)> {
        let fresh = std::mem::take(&mut self.fresh);
        let ledger = &*self;
        fresh.into_iter().filter_map(|work| {
            let node = ledger.node(*ledger.open.get(&work)?)?;
            Some((node.number, &node.start))
        })
    }

    /// Cuts what is left until there are so many parts, each explored for `each` executions as [`divide`] does. All are news then, with other numbers.
    ///
    /// # Errors
    /// As [`divide`]; everything is as before then.
    pub fn cut(
        &mut self,
        exploration: &dyn Exploration,
        wanted: usize,
        each: u64,
        budget: &mut Budget,
    ) -> Result<(), DivideError> {
        let parts = divide(exploration, self.parts(), wanted, each, budget)?;
        let (early, numbers) = (std::mem::take(&mut self.early), self.numbers);
        *self = Self { early, ..Self::begun(self.nothing.clone(), self.stop_at_first, self.piece, numbers) };
        self.put(None, None, parts);
        Ok(())
    }

    /// How much is left, in parts.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// How many executions there are before the first part that is not over.
    pub fn settled(&self) -> u64 {
        self.iter().map_while(|(_, node)| node.over.as_ref()).map(|over| over.counts.executions()).sum()
    }

    /// All of it, from left to right.
    pub fn parts(&self) -> Parts {
        PartsOf(self.each().collect())
    }

    /// The same, one after the other: together they can be large.
    pub fn each(&self) -> impl Iterator<Item = Part> {
        let part = |node: &Node| match &node.over {
            None => Part::new(node.start.clone(), self.nothing.clone(), State::default()),
            Some(over) => PartOf {
                start: node.start.clone(),
                found: over.found(&self.nothing),
                rest: None,
                ends_at_execution: over.ends_at_execution,
                state: State::default(),
            },
        };
        self.iter().map(move |(_, node)| part(node))
    }
}
