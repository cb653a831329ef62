//! Whether some co makes a small graph consistent: the search of [`crate::model`] on words.
//!
//! As there, a *local* order between the accesses of one location and a *global* one between all events have to be
//! acyclic; what they contain of po and rf is given, and saturation and branching find out about co and fr. Events that
//! only one thread can see take no part: the orders are closed, so leaving them out loses nothing.

use crate::model::Model;

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
}

/// A graph under a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Puzzle {
    pub model: Model,
    pub start: Orders,
    pub readings: Vec<Reading>,
    /// By location, of those that matter.
    pub writes: Vec<Set>,
    pub updates: bool,
}

fn bit(n: u8) -> Set {
    1 << n
}

fn members(mut set: Set) -> impl Iterator<Item = u8> {
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
    pub fn clear(&mut self) {
        self.local.clear();
        self.global.clear();
    }

    /// Adds an event with what is given before it.
    pub fn push(&mut self, local: Option<Set>, global: Option<Set>) {
        self.local.extend(local);
        self.global.extend(global);
    }

    /// rf, where it is not part of what is given; `false` if that makes a cycle.
    pub fn add_local(&mut self, a: u8, b: u8) -> bool {
        insert(&mut self.local, a, b)
    }
}

impl Puzzle {
    /// Forgets the graph.
    pub fn clear(&mut self) {
        self.start.clear();
        self.readings.clear();
        self.writes.clear();
        self.updates = false;
    }

    fn fr_is_global(&self) -> bool {
        matches!(self.model, Model::Sc | Model::Tso | Model::Pso)
    }

    fn fr_is_local(&self) -> bool {
        !matches!(self.model, Model::Sc | Model::Wra)
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
        let local = if self.fr_is_local() { orders.local[e as usize] } else { 0 };
        let global = if self.fr_is_global() { orders.global[e as usize] } else { 0 };
        local | global
    }

    fn add_fr(&self, orders: &mut Orders, a: u8, b: u8) -> bool {
        (!self.fr_is_local() || insert(&mut orders.local, a, b))
            && (!self.fr_is_global() || insert(&mut orders.global, a, b))
    }

    /// The events before an event in each order that fr is part of.
    fn before_in_all(&self, orders: &Orders, e: u8) -> Set {
        let local = if self.fr_is_local() { orders.local[e as usize] } else { Set::MAX };
        let global = if self.fr_is_global() { orders.global[e as usize] } else { Set::MAX };
        local & global
    }

    /// Applies the rules until nothing changes; `false` on a conflict.
    fn saturate(&self, orders: &mut Orders) -> bool {
        if self.model == Model::Wra {
            // hb, which an order of writes does not add to.
            let hb = &self.start.local;
            let hidden = |reading: &Reading| {
                let known = hb[reading.read as usize] & self.writes[reading.place as usize];
                let behind = |other: u8| reading.source.is_none_or(|w| hb[other as usize] & bit(w) != 0);
                members(known & !bit(reading.read)).any(behind)
            };
            return !self.readings.iter().any(hidden);
        }
        loop {
            let mut changed = false;
            for reading in &self.readings {
                let r = reading.read;
                let mut others = self.writes[reading.place as usize] & !bit(r);
                if let Some(w) = reading.source {
                    others &= !bit(w);
                    for other in members(self.before(orders, r) & others) {
                        if !self.co(orders, other, w) {
                            if !self.add(orders, other, w) {
                                return false;
                            }
                            changed = true;
                        }
                    }
                } else if self.before(orders, r) & others != 0 {
                    return false;
                }
                for other in members(others) {
                    let behind = reading.source.is_none_or(|w| self.co(orders, w, other));
                    if behind && self.before_in_all(orders, other) & bit(r) == 0 {
                        if !self.add_fr(orders, r, other) {
                            return false;
                        }
                        changed = true;
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
            if !changed {
                return true;
            }
        }
    }

    /// Whether consistency depends on the order of all writes of a location.
    fn decides(&self) -> bool {
        match self.model {
            Model::Sc | Model::Tso | Model::Pso => true,
            Model::Sra => self.updates,
            Model::Wra | Model::Ra | Model::Rc11 => false,
        }
    }

    /// Two writes of one location whose order is open.
    fn open_pair(&self, orders: &Orders) -> Option<(u8, u8)> {
        self.writes.iter().find_map(|&writes| {
            let mut rest = writes;
            members(writes).find_map(|a| {
                rest &= !bit(a);
                members(rest).find(|&b| !self.co(orders, a, b) && !self.co(orders, b, a)).map(|b| (a, b))
            })
        })
    }

    fn solve(&self, mut orders: Orders) -> bool {
        loop {
            if !self.saturate(&mut orders) {
                return false;
            }
            let Some((a, b)) = self.decides().then(|| self.open_pair(&orders)).flatten() else { return true };
            let mut guess = orders.clone();
            if self.add(&mut guess, a, b) && self.solve(guess) {
                return true;
            }
            if !self.add(&mut orders, b, a) {
                return false;
            }
        }
    }

    /// Whether some co makes the graph consistent. Exponential at worst for SC, TSO, PSO and SRA.
    pub fn is_solvable(&self) -> bool {
        self.solve(self.start.clone())
    }

    /// Calls `found` with each combination of the writes that can be last at some locations, given by their numbers;
    /// `None` stands for the initial write.
    pub fn finals(&self, places: &[u8], found: &mut dyn FnMut(&[Option<u8>])) {
        let mut orders = self.start.clone();
        if self.saturate(&mut orders) {
            self.finals_from(&orders, places, &mut Vec::with_capacity(places.len()), found);
        }
    }

    fn finals_from(
        &self,
        orders: &Orders,
        places: &[u8],
        chosen: &mut Vec<Option<u8>>,
        found: &mut dyn FnMut(&[Option<u8>]),
    ) {
        let Some(&place) = places.get(chosen.len()) else {
            if self.solve(orders.clone()) {
                found(chosen);
            }
            return;
        };
        let writes = self.writes[place as usize];
        if writes == 0 {
            chosen.push(None);
            self.finals_from(orders, places, chosen, found);
            chosen.pop();
            return;
        }
        for last in members(writes) {
            let others = writes & !bit(last);
            if members(others).any(|other| self.co(orders, last, other)) {
                continue;
            }
            let mut orders = orders.clone();
            if members(others).all(|other| self.add(&mut orders, other, last)) && self.saturate(&mut orders) {
                chosen.push(Some(last));
                self.finals_from(&orders, places, chosen, found);
                chosen.pop();
            }
        }
    }
}
