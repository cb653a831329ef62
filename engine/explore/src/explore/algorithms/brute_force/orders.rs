//! All orders of some events, one after the other.

use crate::budget::{Halt, Meter};
use crate::graph::{EventId, Relation};

/// The orders of some events that keep a transitive relation.
#[derive(Clone, Debug, Default)]
pub(super) struct Orders {
    /// The first [`Self::chosen`] are in their places.
    events: Vec<EventId>,
    /// For each place that is taken, which event was swapped into it.
    chosen: Vec<usize>,
    /// The first event to be tried in the next place.
    from: usize,
    begun: bool,
}

impl Orders {
    pub(super) fn of(events: Vec<EventId>) -> Self {
        Self { events, ..Self::default() }
    }

    /// The order that it is at.
    pub(super) fn order(&self) -> &[EventId] {
        &self.events
    }

    /// Goes on to the next order; whether there is one. Behind the last, it begins anew.
    pub(super) fn advance(&mut self, kept: &Relation, meter: &mut Meter<'_>) -> Result<bool, Halt> {
        if !self.begun && self.events.is_empty() {
            self.begun = true;
            return Ok(true);
        }
        loop {
            meter.spend(4 + self.events.len() as u64)?;
            self.begun = true;
            let place = self.chosen.len();
            let rest = &self.events[place..];
            let is_first = |&e: &usize| rest.iter().all(|&other| !kept.contains(other, self.events[e]));
            if let Some(e) = (self.from.max(place)..self.events.len()).find(is_first) {
                self.events.swap(place, e);
                self.chosen.push(e);
                self.from = 0;
                if self.chosen.len() == self.events.len() {
                    return Ok(true);
                }
            } else if let Some(e) = self.chosen.pop() {
                self.events.swap(place - 1, e);
                self.from = e + 1;
            } else {
                (self.from, self.begun) = (0, false);
                return Ok(false);
            }
        }
    }
}

/// The choices of one order for each of several lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Choices {
    lists: Vec<Orders>,
    /// How many lists, from the first, are at an order.
    chosen: usize,
    begun: bool,
}

impl Choices {
    pub(super) fn of(lists: impl Iterator<Item = Vec<EventId>>) -> Self {
        Self { lists: lists.map(Orders::of).collect(), ..Self::default() }
    }

    /// The orders that it is at.
    pub(super) fn orders(&self) -> impl Iterator<Item = &[EventId]> {
        self.lists.iter().map(Orders::order)
    }

    /// Goes on to the next choice; whether there is one. Behind the last, it begins anew.
    pub(super) fn advance(&mut self, kept: &Relation, meter: &mut Meter<'_>) -> Result<bool, Halt> {
        if !self.begun && self.lists.is_empty() {
            self.begun = true;
            return Ok(true);
        }
        self.begun = true;
        self.chosen = self.chosen.min(self.lists.len().saturating_sub(1));
        while let Some(list) = self.lists.get_mut(self.chosen) {
            if list.advance(kept, meter)? {
                self.chosen += 1;
                if self.chosen == self.lists.len() {
                    return Ok(true);
                }
            } else if self.chosen > 0 {
                self.chosen -= 1;
            } else {
                break;
            }
        }
        self.begun = false;
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use std::collections::BTreeSet;

    /// All orders, each advance with so many units.
    fn all(events: u32, kept: &Relation, units: u64) -> (BTreeSet<Vec<EventId>>, usize) {
        let mut orders = Orders::of((0..events).map(EventId).collect());
        let (mut set, mut count) = (BTreeSet::new(), 0);
        loop {
            match orders.advance(kept, &mut Meter::unlimited(&mut Budget::of(units))) {
                Ok(true) => {
                    set.insert(orders.order().to_vec());
                    count += 1;
                }
                Ok(false) => return (set, count),
                Err(halt) => assert_eq!(halt, Halt::Paused),
            }
        }
    }

    #[test]
    fn all_orders_once() {
        for (events, orders) in [(0, 1), (1, 1), (3, 6), (5, 120)] {
            for units in [1, u64::MAX] {
                let (set, count) = all(events, &Relation::new(5), units);
                assert_eq!((set.len(), count), (orders, orders));
            }
        }
    }

    #[test]
    fn orders_keep_a_relation() {
        let mut kept = Relation::new(5);
        kept.insert(EventId(3), EventId(1));
        kept.insert(EventId(1), EventId(0));
        let (set, count) = all(5, &kept.transitive_closure(), 30);
        assert_eq!((set.len(), count), (120 / 6, 120 / 6));
        for order in set {
            let at = |e| order.iter().position(|other| *other == EventId(e));
            assert!(at(3) < at(1) && at(1) < at(0));
        }
        kept.insert(EventId(0), EventId(3));
        assert_eq!(all(5, &kept.transitive_closure(), 30).1, 0);
    }

    #[test]
    fn all_choices_once_and_again() {
        let lists = [vec![EventId(0), EventId(1)], vec![], vec![EventId(2), EventId(3), EventId(4)]];
        for (lists, expected) in [(&lists[..], 12), (&lists[1..2], 1), (&[], 1)] {
            let mut choices = Choices::of(lists.iter().cloned());
            for units in [1, 20, u64::MAX] {
                let (mut set, mut count) = (BTreeSet::new(), 0);
                loop {
                    match choices.advance(&Relation::new(5), &mut Meter::unlimited(&mut Budget::of(units))) {
                        Ok(true) => {
                            set.insert(choices.orders().map(<[_]>::to_vec).collect::<Vec<_>>());
                            count += 1;
                        }
                        Ok(false) => break,
                        Err(halt) => assert_eq!(halt, Halt::Paused),
                    }
                }
                assert_eq!((set.len(), count), (expected, expected));
            }
        }
    }
}
