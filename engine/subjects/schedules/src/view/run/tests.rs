//! Runs that the page shows, and what is said of them.

use super::*;
use crate::testing::{buffer, system};
use litmoscope_core::testing::looping::{Shape, looping};
use litmoscope_core::testing::seeds;

const DOUBLE: &str = "shared a, b
while 1 { lock a; lock b; unlock b; unlock a }
||
while 1 { lock b; lock a; unlock a; unlock b }";

/// Producers look whether there is room, and then put something in, without a lock.
const RACY: &str = "shared count
while 1 { r := count; if r < 1 { fetch_add(count, 1); r := count; assert r < 2 } }
||
while 1 { r := count; if r < 1 { fetch_add(count, 1); r := count; assert r < 2 } }
||
while 1 { r := count; if r > 0 { fetch_sub(count, 1) } }";

fn asks(text: &str) -> RunRequest {
    RunRequest { text: text.to_owned(), ..RunRequest::default() }
}

fn opened(text: &str) -> RunOpen {
    RunOpen::open(&asks(text)).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"))
}

fn end(view: &RunView) -> Option<RunEnd> {
    view.end.as_ref().map(|end| end.is)
}

#[test]
fn two_locks_are_stuck_without_a_schedule_alone() {
    let mut open = opened(DOUBLE);
    let mut stuck = 0;
    for seed in 0..20 {
        let request = RunRequest { seed, steps: 200, ..asks(DOUBLE) };
        let free = open.view(&RunRequest { unconstrained: true, ..request.clone() });
        if end(&free) == Some(RunEnd::Deadlock) {
            stuck += 1;
            let words = &free.end.as_ref().expect("it has ended").words;
            assert_eq!(
                words,
                "A deadlock: P0 waits at `lock b` in line 2 and P1 waits at `lock a` in line 4. Nobody can go on."
            );
            assert!(free.lanes.iter().all(|lane| lane.now.is == Now::Blocked));
            let reasons: Vec<_> = free.next.iter().filter_map(|next| next.reason.as_deref()).collect();
            assert_eq!(reasons[0], "P0 waits at `lock b` in line 2: it is not free, P1 holds it.");
        }
        for opt in 0..3 {
            let kept = open.view(&RunRequest { opt, ..request.clone() });
            assert_eq!((kept.steps, end(&kept), &kept.notes[..]), (200, None, &[][..]), "seed {seed}, Opt{opt}");
            assert!(kept.lanes.iter().all(|lane| lane.rounds > 0), "{kept:?}");
        }
    }
    assert!(stuck > 10, "{stuck}");
}

#[test]
fn who_looks_before_without_a_lock_goes_wrong_without_a_schedule_alone() {
    let mut open = opened(RACY);
    let mut wrong = 0;
    for seed in 0..20 {
        let request = RunRequest { seed, steps: 150, ..asks(RACY) };
        let free = open.view(&RunRequest { unconstrained: true, ..request.clone() });
        if end(&free) == Some(RunEnd::Error) {
            wrong += 1;
            assert!(free.end.is_some_and(|end| end.words.contains("goes wrong at `assert r < 2` in line ")));
            assert!(free.next.is_empty());
        }
        for opt in 0..3 {
            let kept = open.view(&RunRequest { opt, ..request.clone() });
            assert_eq!((kept.steps, end(&kept)), (150, None), "seed {seed}, Opt{opt}");
        }
    }
    assert!(wrong > 10, "{wrong}");
}

#[test]
fn useful_rounds_are_counted() {
    let mut open = opened(DOUBLE);
    for (steps, rounds) in [(0, [0, 0]), (3, [0, 0]), (4, [1, 0]), (7, [1, 0]), (8, [1, 1]), (40, [5, 5])] {
        let view = open.view(&RunRequest { steps, ..asks(DOUBLE) });
        let counted: Vec<u64> = view.lanes.iter().map(|lane| lane.rounds).collect();
        assert_eq!(counted, rounds, "after {steps}");
        let marked = view.lanes.iter().flat_map(|lane| &lane.cells).filter(|cell| cell.completes_round).count();
        assert_eq!(marked, rounds.iter().sum::<u64>() as usize);
    }
    // Locks that the order implies are left out: threads go past them on their own, and their rounds are complete all the same.
    let text = "shared m, x\nwhile 1 { lock m; x := 1; unlock m } || while 1 { lock m; x := 2; unlock m }";
    let mut open = opened(text);
    for (opt, left_out) in [(0, false), (1, true), (2, true)] {
        let view = open.view(&RunRequest { steps: 60, opt, ..asks(text) });
        let cells = || view.lanes.iter().flat_map(|lane| &lane.cells);
        assert_eq!(cells().any(|cell| cell.left_out && cell.text == "unlock m"), left_out, "Opt{opt}: {view:#?}");
        let mutex = view.values.iter().find(|value| value.name == "m").map(|value| value.value.as_str());
        assert_eq!(mutex == Some("left out by the schedule"), left_out, "{mutex:?}");
        let rounds = if left_out { 30 } else { 10 };
        assert_eq!(view.lanes.iter().map(|lane| lane.rounds).collect::<Vec<_>>(), [rounds; 2], "Opt{opt}");
    }
}

#[test]
fn larger_results_take_over() {
    let text = buffer(2, 2, 2, "");
    let mut open = opened(&text);
    let mut swapped = 0;
    for seed in 0..10 {
        let request = RunRequest { seed, steps: 200, uses: vec![(5, 1), (60, 2)], ..asks(&text) };
        let view = open.view(&request);
        assert!(view.results >= 2, "{view:?}");
        for swap in &view.swaps {
            assert!(swap.step >= 5 && swap.from < swap.to, "{swap:?}");
            swapped += 1;
        }
        assert_eq!(view.result, Some(view.swaps.last().map_or(0, |swap| swap.to)));
        assert_eq!(end(&view), None);
        // One more result is one more: what was before it stays.
        let before = open.view(&RunRequest { steps: 59, uses: vec![(5, 1)], ..request.clone() });
        let same = open.view(&RunRequest { steps: 59, ..request.clone() });
        assert_eq!(before, same);
        // Locks are left out, so that results may not be swapped in; then none are.
        for keeps_all in [false, true] {
            let view = open.view(&RunRequest { opt: 1, keeps_all, ..request.clone() });
            assert_eq!((view.steps, end(&view)), (200, None));
            assert!(!keeps_all || view.lanes.iter().flat_map(|lane| &lane.cells).all(|cell| !cell.left_out));
        }
    }
    assert!(swapped > 5, "{swapped}");
}

#[test]
fn what_is_not_admitted_is_refused_with_the_reason() {
    let mut open = opened(DOUBLE);
    let view = open.view(&asks(DOUBLE));
    let offered: Vec<_> = view.next.iter().map(|next| (next.thread, next.admitted, next.text.as_str())).collect();
    assert_eq!(offered, [(0, true, "lock a"), (1, false, "lock b")]);
    let reason = "P1 waits until P0 did `unlock a` in line 2.";
    assert_eq!(view.next[1].reason.as_deref(), Some(reason));
    assert_eq!(view.lanes[1].now.waits, [WaitView { thread: 0, event: 3 }]);
    assert_eq!(view.lanes[0].ahead.iter().map(|ahead| ahead.event).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let by_hand = |choices: &[(u16, u32)], open: &mut RunOpen| {
        open.view(&RunRequest { choices: choices.to_vec(), steps: choices.len() as u32, ..asks(DOUBLE) })
    };
    let refused = by_hand(&[(0, 0), (1, 0), (0, 0)], &mut open);
    assert_eq!((refused.steps, refused.refused), (1, Some(RefusedView { choice: 1, reason: reason.to_owned() })));
    // Numbers that are none.
    assert_eq!(by_hand(&[(7, 0)], &mut open).refused.map(|refused| refused.choice), Some(0));
    let none = by_hand(&[(0, 5)], &mut open).refused.map(|refused| refused.reason);
    assert_eq!(none.as_deref(), Some("P0 has no such step here."));
    // Behind what is chosen, chance goes on.
    let both = open.view(&RunRequest { choices: vec![(0, 0)], steps: 30, ..asks(DOUBLE) });
    assert_eq!((both.steps, both.refused), (30, None));
    // The steps that chance has chosen may be chosen by hand, with any seed.
    let again = RunRequest { choices: both.trail.clone(), seed: 77, steps: 30, ..asks(DOUBLE) };
    assert_eq!(open.view(&again).lanes, both.lanes);
    // Without a schedule what is not possible is refused.
    let free = RunRequest { unconstrained: true, choices: vec![(0, 0), (1, 0), (0, 0)], steps: 3, ..asks(DOUBLE) };
    let view = open.view(&free);
    assert_eq!(view.steps, 2);
    assert!(view.refused.is_some_and(|refused| refused.reason.contains("it is not free, P1 holds it")));
}

#[test]
fn a_section_is_a_partial_order() {
    // The example of the thesis' figure 5.6: there are five linear extensions.
    let text = "shared x, y, z
while 1 { x := 1; if z = 0 { y := 1 } }
||
while 1 { y := 0; x := 0 }";
    let mut open = opened(text);
    let view = open.view(&RunRequest { opt: 1, ..asks(text) });
    let section = view.section.expect("there is one");
    assert!(section.events.iter().any(|event| event.is_next) && section.events.iter().all(|event| !event.is_over));
    assert!(section.words.starts_with("This section has "), "{}", section.words);
    let drawing = section.drawing.expect("it is small");
    assert_eq!((drawing.columns.len(), drawing.nodes.len()), (2, section.events.len()));
    let strict = open.view(&RunRequest { opt: 0, ..asks(text) }).section.expect("there is one");
    assert_eq!(strict.extensions.as_deref(), Some("1"));
    let free = open.view(&RunRequest { unconstrained: true, ..asks(text) });
    assert_eq!((free.section, free.result), (None, None));
    // The double lock is one section of ten events in print, whose starts are events too; here it is the locks.
    let mut open = opened(DOUBLE);
    let section = open.view(&RunRequest { opt: 0, ..asks(DOUBLE) }).section.expect("there is one");
    assert_eq!((section.events.len(), section.extensions.as_deref()), (8, Some("1")));
    let eight = open.view(&RunRequest { opt: 2, keeps_all: true, ..asks(DOUBLE) }).section.expect("there is one");
    assert_eq!((eight.events.len(), eight.repeats), (64, 8));
}

#[test]
fn requests_that_make_no_sense_are_answered() {
    let wrong = RunRequest {
        result: usize::MAX,
        uses: (0..1000).map(|at| (at, usize::MAX - at as usize)).chain([(0, 0), (u32::MAX, 1)]).collect(),
        opt: 200,
        seed: u64::MAX,
        choices: vec![(u16::MAX, u32::MAX)],
        steps: u32::MAX,
        ..asks(DOUBLE)
    };
    let mut open = opened(DOUBLE);
    let view = open.view(&wrong);
    assert_eq!((view.steps, view.refused.is_some(), view.notes.len() > 1), (0, true, true), "{view:?}");
    let view = open.view(&RunRequest { choices: Vec::new(), ..wrong });
    assert_eq!((view.steps, end(&view)), (MAX_STEPS, Some(RunEnd::Limit)));
    assert_eq!(
        view.lanes.iter().map(|lane| lane.cells.iter().filter(|cell| !cell.left_out).count()).sum::<usize>(),
        WINDOW as usize
    );
    // Nothing is proven right.
    let text = "shared x\nwhile 1 { x := 1 } || while 1 { r := x; assert r = 2 }";
    let view = opened(text).view(&RunRequest { steps: 10, ..asks(text) });
    assert_eq!((view.steps, end(&view), view.result), (0, Some(RunEnd::Stuck), None));
    assert_eq!(view.notes, ["The verifier found no schedule that is right, so nothing is admitted."]);
    assert!(view.next.iter().all(|next| !next.admitted && next.reason.is_some()));
    // Texts that are no programs, or none that can begin.
    assert!(RunOpen::open(&asks("shared")).is_err());
    assert!(RunOpen::open(&asks("shared x = input 0..1\nassuming x > 1\nr := x")).is_err());
    // Inputs with too many values.
    let text = "shared x = input 0..1000000\nwhile 1 { r := input 0..1000000; x := r }";
    let view = opened(text).view(&RunRequest { steps: 10, unconstrained: true, ..asks(text) });
    assert!(view.notes.iter().any(|note| note.contains("too many")), "{view:?}");
}

#[test]
fn a_program_that_ends_ends() {
    let text = "shared x\nx := 1 || r := x";
    let mut open = opened(text);
    for unconstrained in [false, true] {
        let view = open.view(&RunRequest { steps: 10, unconstrained, ..asks(text) });
        assert_eq!((view.steps, end(&view)), (2, Some(RunEnd::Ended)), "{view:?}");
    }
}

#[test]
fn whatever_the_seed_no_constrained_run_goes_wrong() {
    let (mut ran, mut swapped) = (0, 0);
    for seed in seeds(150) {
        let text = looping(seed, Shape { threads: 2, statements: 4, ..Shape::default() });
        // Few states, so that the verifier comes to its first results soon.
        if litmoscope_core::program::system::States::of(&system(&text), 300).is_err() {
            continue;
        }
        let mut open = opened(&text);
        (open.work, open.budget) = (1 << 16, Budget::unlimited().capped(500 * LOOK));
        for case in 0..4u64 {
            let request = RunRequest {
                seed: seed * 4 + case,
                steps: 60,
                opt: (case % 3) as u8,
                keeps_all: case == 3,
                uses: vec![(10, 1), (20, 2), (30, 3)],
                ..asks(&text)
            };
            let view = open.view(&request);
            let Some(_) = view.result else { continue };
            let is_right = matches!(end(&view), None | Some(RunEnd::Ended));
            assert!(is_right, "seed {seed}, case {case}\n{text}\n{view:#?}");
            assert!(view.steps == 60 || end(&view) == Some(RunEnd::Ended), "{text}\n{view:#?}");
            ran += 1;
            swapped += view.swaps.len();
        }
    }
    assert!(ran > 20, "{ran}");
    assert!(swapped > 0 || ran < 100, "{swapped}");
}
