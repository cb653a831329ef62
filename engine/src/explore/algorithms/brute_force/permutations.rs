//! All orders of some events.

use super::pace::Pace;
use crate::graph::{EventId, Relation};
use std::ops::ControlFlow;

/// Calls `visit` with every permutation of `events` that extends a partial order, until it breaks or has to stop.
pub(super) fn permutations(
    events: &[EventId],
    order: &Relation,
    pace: &Pace<'_>,
    visit: &mut dyn FnMut(&[EventId]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    fn extend(
        events: &mut [EventId],
        fixed: usize,
        order: &Relation,
        pace: &Pace<'_>,
        visit: &mut dyn FnMut(&[EventId]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        pace.step()?;
        if fixed == events.len() {
            return visit(events);
        }
        for next in fixed..events.len() {
            if events[fixed..].iter().any(|&earlier| order.contains(earlier, events[next])) {
                continue;
            }
            events.swap(fixed, next);
            extend(events, fixed + 1, order, pace, visit)?;
            events.swap(fixed, next);
        }
        ControlFlow::Continue(())
    }
    extend(&mut events.to_vec(), 0, order, pace, visit)
}

/// Calls `visit` with every choice of one permutation for each list, each extending a partial order, until it breaks or has
/// to stop.
pub(super) fn permutations_of_each(
    lists: &[Vec<EventId>],
    order: &Relation,
    pace: &Pace<'_>,
    visit: &mut dyn FnMut(&[Vec<EventId>]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    fn extend(
        lists: &[Vec<EventId>],
        chosen: &mut Vec<Vec<EventId>>,
        partial: &Relation,
        pace: &Pace<'_>,
        visit: &mut dyn FnMut(&[Vec<EventId>]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(list) = lists.get(chosen.len()) else { return visit(chosen) };
        permutations(list, partial, pace, &mut |order| {
            chosen.push(order.to_vec());
            let flow = extend(lists, chosen, partial, pace, visit);
            chosen.pop();
            flow
        })
    }
    extend(lists, &mut Vec::new(), order, pace, visit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn all_permutations_once() {
        let events: Vec<_> = (0..5).map(EventId).collect();
        let (mut set, mut count) = (BTreeSet::new(), 0);
        let _ = permutations(&events, &Relation::new(5), &Pace::unlimited(), &mut |order| {
            set.insert(order.to_vec());
            count += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((set.len(), count), (120, 120));
    }

    #[test]
    fn permutations_extend_an_order() {
        let events: Vec<_> = (0..5).map(EventId).collect();
        let mut order = Relation::new(5);
        order.insert(EventId(3), EventId(1));
        order.insert(EventId(1), EventId(0));
        let mut count = 0;
        let _ = permutations(&events, &order.transitive_closure(), &Pace::unlimited(), &mut |order| {
            let at = |e| order.iter().position(|other| *other == EventId(e));
            assert!(at(3) < at(1) && at(1) < at(0));
            count += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(count, 120 / 6);
    }

    #[test]
    fn all_choices_once() {
        let lists = [vec![EventId(0), EventId(1)], vec![], vec![EventId(2), EventId(3), EventId(4)]];
        let (mut set, mut count) = (BTreeSet::new(), 0);
        let _ = permutations_of_each(&lists, &Relation::new(5), &Pace::unlimited(), &mut |orders| {
            set.insert(orders.to_vec());
            count += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((set.len(), count), (12, 12));
    }
}
