//! All orders of some events.

use crate::graph::EventId;
use std::ops::ControlFlow;

/// Calls `visit` with every permutation of `events`, until it breaks.
pub(super) fn permutations(
    events: &[EventId],
    visit: &mut dyn FnMut(&[EventId]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    fn extend(
        events: &mut [EventId],
        fixed: usize,
        visit: &mut dyn FnMut(&[EventId]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if fixed == events.len() {
            return visit(events);
        }
        for next in fixed..events.len() {
            events.swap(fixed, next);
            extend(events, fixed + 1, visit)?;
            events.swap(fixed, next);
        }
        ControlFlow::Continue(())
    }
    extend(&mut events.to_vec(), 0, visit)
}

/// Calls `visit` with every choice of one permutation for each list, until it breaks.
pub(super) fn permutations_of_each(
    lists: &[Vec<EventId>],
    visit: &mut dyn FnMut(&[Vec<EventId>]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    fn extend(
        lists: &[Vec<EventId>],
        chosen: &mut Vec<Vec<EventId>>,
        visit: &mut dyn FnMut(&[Vec<EventId>]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(list) = lists.get(chosen.len()) else { return visit(chosen) };
        permutations(list, &mut |order| {
            chosen.push(order.to_vec());
            let flow = extend(lists, chosen, visit);
            chosen.pop();
            flow
        })
    }
    extend(lists, &mut Vec::new(), visit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn all_permutations_once() {
        let events: Vec<_> = (0..5).map(EventId).collect();
        let (mut set, mut count) = (BTreeSet::new(), 0);
        let _ = permutations(&events, &mut |order| {
            set.insert(order.to_vec());
            count += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((set.len(), count), (120, 120));
    }

    #[test]
    fn all_choices_once() {
        let lists = [vec![EventId(0), EventId(1)], vec![], vec![EventId(2), EventId(3), EventId(4)]];
        let (mut set, mut count) = (BTreeSet::new(), 0);
        let _ = permutations_of_each(&lists, &mut |orders| {
            set.insert(orders.to_vec());
            count += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((set.len(), count), (12, 12));
    }
}
