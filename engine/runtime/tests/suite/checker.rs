//! The checker, and what is no schedule.

use super::oracle::{extensions, is_permitted};
use super::tables::{Edge, Random, Ring, Table, double_lock, figure_5_6, with_schedule};
use litmoscope_runtime::{Checker, ScheduleError};

fn checker(table: &Table) -> Result<Checker, ScheduleError> {
    with_schedule!(litmoscope_runtime, table, |schedule| Checker::new(&schedule))
}

/// Goes at random along what is permitted, and at each place asks of all that could come next.
#[test]
fn it_permits_what_the_definition_permits() {
    let (mut permitted, mut refused) = (0, 0);
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let (threads, nodes, order) = (1 + random.below(3), 1 + random.below(3), random.below(60));
        let ring = Ring::random(&mut random, threads, nodes, order);
        let mut checker = checker(&ring.table).expect("a schedule");
        let mut sequence = Vec::new();
        let mut all: Vec<(usize, u32)> =
            ring.table.edges.iter().flat_map(|edge| &edge.events).map(|event| (event.0, event.1)).collect();
        all.sort_unstable();
        all.dedup();
        for _ in 0..12 {
            let mut possible = Vec::new();
            for &(thread, transition) in &all {
                sequence.push((thread, transition));
                let expected = is_permitted(&[&ring.table], &sequence);
                sequence.pop();
                assert_eq!(checker.clone().step(thread, transition), expected, "seed {seed}: {sequence:?}");
                assert_eq!(checker.permitted(thread).contains(&transition), expected, "seed {seed}: {sequence:?}");
                if expected {
                    possible.push((thread, transition));
                    permitted += 1;
                } else {
                    refused += 1;
                }
            }
            let (thread, transition) = possible[random.below(possible.len())];
            assert!(checker.step(thread, transition));
            sequence.push((thread, transition));
        }
    }
    println!("{permitted} permitted, {refused} refused");
    assert!(permitted > 1000 && refused > 1000);
}

/// The first section of figure 5.6 has five orders, of which the thesis names two. What it prints as the order between
/// threads, that e1 is before e3, would leave three.
#[test]
fn the_figure_has_five_orders() {
    let table = figure_5_6();
    assert_eq!(extensions(&table, 0), 5);
    let mut printed = table.clone();
    (printed.edges[0].events[2].2, printed.edges[0].events[3].2) = (vec![0], vec![]);
    assert_eq!(extensions(&printed, 0), 3);
    for order in [[(0, 1), (1, 3), (0, 2), (1, 4)], [(1, 3), (0, 1), (0, 2), (1, 4)]] {
        let mut checker = checker(&table).expect("a schedule");
        assert!(order.into_iter().all(|(thread, transition)| checker.step(thread, transition)));
        assert_eq!((checker.permitted(0), checker.permitted(1)), (vec![5, 6], vec![]));
    }
    // What is behind the branch does not overtake what is before it.
    let mut checker = checker(&table).expect("a schedule");
    assert!(checker.step(0, 1) && checker.step(0, 2));
    assert!(!checker.step(0, 5) && !checker.step(2, 3));
}

#[test]
fn what_is_no_schedule_is_told() {
    let wrong = |change: fn(&mut Table)| {
        let mut table = figure_5_6();
        change(&mut table);
        checker(&table).expect_err("no schedule")
    };
    assert_eq!(wrong(|table| table.threads = 0), ScheduleError::Threads(0));
    assert_eq!(wrong(|table| table.threads = 1), ScheduleError::NoThread { edge: 0, event: 2 });
    assert_eq!(wrong(|table| table.nodes = 0), ScheduleError::NoNode(0));
    assert_eq!(wrong(|table| table.nodes = 1), ScheduleError::NoNode(1));
    assert_eq!(wrong(|table| table.nodes = 1 << 24), ScheduleError::TooMany);
    assert_eq!(wrong(|table| table.edges[1].events.clear()), ScheduleError::Empty(1));
    assert_eq!(wrong(|table| table.edges[0].events[3].2 = vec![3]), ScheduleError::After { edge: 0, event: 3 });
    assert_eq!(wrong(|table| table.edges[2].events[0].0 = 1), ScheduleError::Choosers(1, 2));
    assert_eq!(wrong(|table| table.edges[2].events[0].1 = 5), ScheduleError::SameTransition(1, 2));
    let long = Edge { from: 0, to: 0, events: vec![(0, 0, vec![]); 1 << 16] };
    let long = checker(&Table { threads: 1, nodes: 1, edges: vec![long] });
    assert_eq!(long.expect_err("no schedule"), ScheduleError::TooLong(0));
    assert!(checker(&double_lock()).is_ok());
}
