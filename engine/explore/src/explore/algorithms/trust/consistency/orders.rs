//! Whether some co makes a small graph consistent: the search of [`crate::model`] on words.
//!
//! As there, a *local* order between the accesses of one location and a *global* one between all events have to be
//! acyclic; what they contain of po and rf is given, and saturation and branching find out about co and fr. Events that
//! only one thread can see take no part: the orders are closed, so leaving them out loses nothing.

use crate::budget::{Halt, Meter};

/// A set of events, by number.
pub(super) type Set = u128;

/// How many events there may be.
pub(super) const MOST: usize = Set::BITS as usize;

/// A read with its source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub read: u8,
    /// `None`: the initial write.
    pub source: Option<u8>,
    pub place: u8,
}

/// What is known of a graph: po and rf at first, then ever more of co and fr.
#[derive(Clone, Debug, Default)]
pub(super) struct Orders {
    /// By event: what comes before it in the local order.
    local: Vec<Set>,
    /// By event: what comes before it in the global order.
    global: Vec<Set>,
    /// By event: what comes before it in psc, if there is one.
    sc: Vec<Set>,
}

/// What a write puts between SC events: with a write in front of it in co, what that has in front comes before what this one has
/// behind. Twice: by co and fr, in RC20 with rf behind them; and, in RC11 between SC fences, by these with rf behind them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Links {
    pub front: [Set; 2],
    pub behind: [Set; 2],
}

/// A graph under a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Puzzle {
    /// The local order contains fr.
    pub fr_is_local: bool,
    /// The global order contains fr.
    pub fr_is_global: bool,
    /// There is a global order.
    pub is_global: bool,
    pub start: Orders,
    pub readings: Vec<Reading>,
    /// By location, of those that matter.
    pub writes: Vec<Set>,
    pub updates: bool,
    /// By event, if there is psc.
    pub links: Vec<Links>,
}

/// A search for a co.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Solving {
    /// The states that it still has to look at, the next one last.
    open: Vec<Orders>,
    /// What was found.
    pub(super) solved: Option<Orders>,
}

/// A search for last writes, put aside between two states.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Finals {
    levels: Vec<Level>,
    /// Of which combinations it is known whether they can be last.
    known: Vec<(Vec<u8>, bool)>,
    /// By level but the first: the write that was chosen to be last.
    chosen: Vec<u8>,
    /// What was found: by place that was asked about, the last write.
    pub(super) found: Vec<Vec<u8>>,
}

#[derive(Clone, Debug)]
struct Level {
    /// The writes that are still to be tried as the last one.
    rest: Set,
    /// The orders in which those that were chosen are last; if all were, the search for a co.
    solving: Solving,
}

impl Level {
    fn new(orders: Orders, place: Option<&(u8, Set)>) -> Self {
        let solving = Solving { open: vec![orders], solved: None };
        Self { rest: place.map_or(0, |&(_, writes)| writes), solving }
    }

    /// Before any search.
    fn orders(&self) -> &Orders {
        &self.solving.open[0]
    }
}

/// How many combinations of last writes are not worth a look at what they have in common.
const FEW: u32 = 8;

fn bit(n: u8) -> Set {
    1 << n
}

pub(super) fn members(mut set: Set) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let first = set.trailing_zeros();
        (first < Set::BITS).then(|| {
            set &= set - 1;
            first as u8
        })
    })
}

/// Puts `a` before `b`; `false` if that makes a cycle.
fn insert(rows: &mut [Set], a: u8, b: u8) -> bool {
    let before = rows[a as usize] | bit(a);
    if before & bit(b) != 0 {
        return false;
    }
    if rows[b as usize] & bit(a) == 0 {
        for (e, row) in rows.iter_mut().enumerate() {
            if e == b as usize || *row & bit(b) != 0 {
                *row |= before;
            }
        }
    }
    true
}

impl Orders {
    pub(super) fn clear(&mut self) {
        self.local.clear();
        self.global.clear();
        self.sc.clear();
    }

    /// psc as far as no co adds to it: by event, what comes before it. `false` if it is cyclic.
    pub(super) fn put_sc(&mut self, rows: &[Set]) -> bool {
        self.sc.clear();
        self.sc.resize(rows.len(), 0);
        let edges = rows.iter().zip(0u8..);
        edges.into_iter().all(|(row, b)| members(*row).all(|a| insert(&mut self.sc, a, b)))
    }

    /// Adds an event with what is given before it.
    pub(super) fn push(&mut self, local: Option<Set>, global: Option<Set>) {
        self.local.extend(local);
        self.global.extend(global);
    }

    /// What comes before an event in the global order.
    pub(super) fn before(&self, event: u8) -> Set {
        self.global[usize::from(event)]
    }

    /// What comes before an event in the local order.
    pub(super) fn before_locally(&self, event: u8) -> Set {
        self.local[usize::from(event)]
    }

    /// What comes before an event in psc, if there is one.
    pub(super) fn before_in_sc(&self, event: u8) -> Set {
        self.sc.get(usize::from(event)).copied().unwrap_or_default()
    }

    /// rf, where it is not part of what is given; `false` if that makes a cycle.
    pub(super) fn add_local(&mut self, a: u8, b: u8) -> bool {
        insert(&mut self.local, a, b)
    }
}

impl Puzzle {
    /// Forgets the graph.
    pub(super) fn clear(&mut self) {
        self.start.clear();
        self.readings.clear();
        self.writes.clear();
        self.links.clear();
        self.updates = false;
    }

    fn co(&self, orders: &Orders, a: u8, b: u8) -> bool {
        let before = |rows: &[Set]| rows.get(b as usize).is_some_and(|row| row & bit(a) != 0);
        before(&orders.local) || before(&orders.global)
    }

    fn add(&self, orders: &mut Orders, a: u8, b: u8) -> bool {
        (orders.local.is_empty() || insert(&mut orders.local, a, b))
            && (orders.global.is_empty() || insert(&mut orders.global, a, b))
    }

    /// What comes before an event in the orders that fr is part of.
    fn before(&self, orders: &Orders, e: u8) -> Set {
        let local = if self.fr_is_local { orders.local[e as usize] } else { 0 };
        let global = if self.fr_is_global { orders.global[e as usize] } else { 0 };
        local | global
    }

    fn add_fr(&self, orders: &mut Orders, a: u8, b: u8) -> bool {
        (!self.fr_is_local || insert(&mut orders.local, a, b))
            && (!self.fr_is_global || insert(&mut orders.global, a, b))
    }

    /// The events before an event in each order that fr is part of.
    fn before_in_all(&self, orders: &Orders, e: u8) -> Set {
        let local = if self.fr_is_local { orders.local[e as usize] } else { Set::MAX };
        let global = if self.fr_is_global { orders.global[e as usize] } else { Set::MAX };
        local & global
    }

    /// Applies the rules until nothing changes; `false` on a conflict.
    fn saturate(&self, orders: &mut Orders) -> bool {
        if !self.fr_is_local && !self.fr_is_global {
            // hb, which an order of writes does not add to.
            let hb = &self.start.local;
            let hidden = |reading: &Reading| {
                let known = hb[reading.read as usize] & self.writes[reading.place as usize];
                let behind = |other: u8| reading.source.is_none_or(|w| hb[other as usize] & bit(w) != 0);
                members(known & !bit(reading.read)).any(behind)
            };
            return !self.readings.iter().any(hidden);
        }
        // By reading: the writes that are neither in front of its source nor behind the read.
        let mut open = [0; MOST];
        for (open, reading) in open.iter_mut().zip(&self.readings) {
            *open = self.writes[reading.place as usize] & !bit(reading.read) & !reading.source.map_or(0, bit);
        }
        loop {
            let mut changed = false;
            for (open, reading) in open.iter_mut().zip(&self.readings) {
                let r = reading.read;
                let first = self.before(orders, r) & *open;
                if let Some(w) = reading.source {
                    for other in members(first) {
                        if !self.co(orders, other, w) {
                            if !self.add(orders, other, w) {
                                return false;
                            }
                            changed = true;
                        }
                    }
                    let before = |rows: &[Set]| rows.get(w as usize).copied().unwrap_or_default();
                    *open &= !(before(&orders.local) | before(&orders.global));
                } else if first != 0 {
                    return false;
                }
                for other in members(*open) {
                    if reading.source.is_none_or(|w| self.co(orders, w, other)) {
                        if self.before_in_all(orders, other) & bit(r) == 0 {
                            if !self.add_fr(orders, r, other) {
                                return false;
                            }
                            changed = true;
                        }
                        *open &= !bit(other);
                    }
                }
            }
            if !orders.local.is_empty() && !orders.global.is_empty() {
                for writes in &self.writes {
                    for b in members(*writes) {
                        let (local, global) = (orders.local[b as usize], orders.global[b as usize]);
                        for a in members((local ^ global) & writes) {
                            if !self.add(orders, a, b) {
                                return false;
                            }
                            changed = true;
                        }
                    }
                }
            }
            if !self.links.is_empty() {
                match self.saturate_sc(orders) {
                    None => return false,
                    Some(more) => changed |= more,
                }
            }
            if !changed {
                return true;
            }
        }
    }

    /// What co and psc say of each other, once; whether that is anything new, `None` on a conflict.
    fn saturate_sc(&self, orders: &mut Orders) -> Option<bool> {
        let mut changed = false;
        for &writes in &self.writes {
            for a in members(writes) {
                let front = self.links[usize::from(a)].front;
                if front == [0, 0] {
                    continue;
                }
                let closed =
                    front.map(|front| members(front).fold(front, |closed, e| closed | orders.sc[usize::from(e)]));
                for b in members(writes & !bit(a)) {
                    if self.co(orders, b, a) {
                        continue;
                    }
                    let behind = self.links[usize::from(b)].behind;
                    let clashes = closed[0] & behind[0] | closed[1] & behind[1] != 0;
                    if !self.co(orders, a, b) {
                        if clashes {
                            if !self.add(orders, b, a) {
                                return None;
                            }
                            changed = true;
                        }
                        continue;
                    }
                    if clashes {
                        return None;
                    }
                    for (front, behind) in front.iter().zip(behind) {
                        for e in members(behind) {
                            for first in members(front & !orders.sc[usize::from(e)]) {
                                if !insert(&mut orders.sc, first, e) {
                                    return None;
                                }
                                changed = true;
                            }
                        }
                    }
                }
            }
        }
        Some(changed)
    }

    /// Whether it would say nothing of psc that one write is in front of another.
    fn says_nothing(&self, orders: &Orders, a: u8, b: u8) -> bool {
        let (Links { front, .. }, Links { behind, .. }) = (self.links[usize::from(a)], self.links[usize::from(b)]);
        let mut kinds = front.iter().zip(behind);
        kinds.all(|(front, behind)| *front == 0 || members(behind).all(|e| front & !orders.sc[usize::from(e)] == 0))
    }

    /// Whether consistency depends on the order of all writes of a location.
    fn decides(&self) -> bool {
        self.fr_is_global || self.is_global && self.updates || !self.links.is_empty()
    }

    /// Two writes of one location whose order is open.
    fn open_pair(&self, orders: &Orders) -> Option<(u8, u8)> {
        self.writes.iter().find_map(|&writes| {
            let mut rest = writes;
            members(writes).find_map(|a| {
                rest &= !bit(a);
                let is_open = |&b: &u8| {
                    !self.co(orders, a, b)
                        && !self.co(orders, b, a)
                        && (self.links.is_empty()
                            || !self.says_nothing(orders, a, b)
                            || !self.says_nothing(orders, b, a))
                };
                members(rest).find(is_open).map(|b| (a, b))
            })
        })
    }

    /// About how many units of work one saturation is.
    fn cost(&self) -> u64 {
        let writes: u32 = self.writes.iter().map(|writes| writes.count_ones()).max().unwrap_or_default();
        let links = if self.links.is_empty() { 0 } else { self.writes.len() as u64 * u64::from(writes * writes) };
        16 + self.readings.len() as u64 * (4 + u64::from(writes)) * 2 + links
    }

    /// The search for a co that makes the graph consistent, before its start.
    pub(super) fn solving(&self) -> Solving {
        Solving { open: vec![self.start.clone()], solved: None }
    }

    /// Whether some co makes the graph consistent. Exponential at worst for SC, TSO, PSO and SRA; where the meter says so, it
    /// comes back between two states.
    pub(super) fn solve(&self, solving: &mut Solving, meter: &mut Meter<'_>) -> Result<bool, Halt> {
        let cost = self.cost();
        let Solving { open: states, solved } = solving;
        while !states.is_empty() {
            meter.spend(cost)?;
            let Some(mut orders) = states.pop() else { break };
            if !self.saturate(&mut orders) {
                continue;
            }
            let Some((a, b)) = self.decides().then(|| self.open_pair(&orders)).flatten() else {
                *solved = Some(orders);
                return Ok(true);
            };
            let mut guess = orders.clone();
            if self.add(&mut orders, b, a) {
                states.push(orders);
            }
            if self.add(&mut guess, a, b) {
                states.push(guess);
            }
        }
        Ok(false)
    }

    /// The search for the writes that can be last at some locations of a graph that is consistent, before its start: by location
    /// its place and the writes that may be; and of which combinations it is known whether they can.
    pub(super) fn finals(&self, places: &[(u8, Set)], known: Vec<(Vec<u8>, bool)>) -> Finals {
        let levels = vec![Level::new(self.start.clone(), places.first())];
        Finals { levels, known, ..Finals::default() }
    }

    /// Finds each combination of the writes that can be last at some locations; where the meter says so, it comes back between
    /// two states.
    pub(super) fn find_finals(
        &self,
        finals: &mut Finals,
        places: &[(u8, Set)],
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        let cost = self.cost();
        while let Some(level) = finals.levels.last_mut() {
            let depth = finals.chosen.len();
            let Some(&(place, _)) = places.get(depth) else {
                let known = finals.known.iter().find(|(lasts, _)| *lasts == finals.chosen);
                let fits = match known {
                    Some((_, fits)) => *fits,
                    None => self.solve(&mut level.solving, meter)?,
                };
                if fits {
                    finals.found.push(finals.chosen.clone());
                    meter.hold_combinations(finals.found.len(), places.len())?;
                }
                finals.levels.pop();
                finals.chosen.pop();
                continue;
            };
            meter.spend(cost)?;
            if level.rest == 0 {
                finals.levels.pop();
                finals.chosen.pop();
                continue;
            }
            let last = level.rest.trailing_zeros() as u8;
            level.rest &= level.rest - 1;
            let others = self.writes[place as usize] & !bit(last);
            let behind = &places[depth + 1..];
            let mut orders = level.orders().clone();
            // What is not told from others by saturation is looked at one by one, as long as that is not much.
            let left = behind.iter().fold(1u32, |all, (_, writes)| all.saturating_mul(writes.count_ones()));
            let is_open = members(others).all(|other| self.add(&mut orders, other, last));
            if is_open && (left <= FEW || self.saturate(&mut orders)) {
                finals.chosen.push(last);
                finals.levels.push(Level::new(orders, behind.first()));
            }
        }
        Ok(())
    }
}
