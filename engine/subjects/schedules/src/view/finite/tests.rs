//! What is shown of programs that end, and the numbers of the literature.

use super::*;
use crate::symbolic::families::{INCREMENTS, indexer};
use crate::testing::{A1, EFFECTS, R1, R2, W1, W2};

fn asks(text: &str) -> FiniteRequest {
    FiniteRequest { text: text.to_owned(), ..FiniteRequest::default() }
}

fn opened(text: &str) -> FiniteOpen {
    FiniteOpen::open(&asks(text)).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"))
}

/// The interleavings that are permitted where both pointers are the same, and whether all of these end well.
fn effect(view: &FiniteView) -> (usize, bool) {
    let same = |dot: &&Dot| view.starts[dot.start] == "x = &u and y = &u";
    let permitted: Vec<&Dot> = view.dots.iter().filter(same).filter(|dot| dot.permitted).collect();
    (permitted.len(), permitted.iter().all(|dot| dot.end == DotEnd::Good))
}

#[test]
fn each_constraint_of_the_figure_alone_permits_what_is_published() {
    let mut open = opened(INCREMENTS);
    let own: Vec<Pair> = open.own().iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(own, [(W1, R2), (A1, W2)]);
    let whole = open.view(&asks(INCREMENTS));
    assert_eq!((effect(&whole), whole.judged.is_safe), ((2, true), Some(true)));
    assert_eq!((whole.dots.len(), &whole.limit), (40, &None));
    assert_eq!(whole.counted, "There are 40 interleavings of 14 traces; 2 go wrong.");
    for (from, to, number, safe) in EFFECTS {
        let view = open.view(&FiniteRequest { dropped: own.clone(), added: vec![(from, to)], ..asks(INCREMENTS) });
        assert_eq!((effect(&view), view.judged.is_safe), ((number, safe), Some(safe)), "{from:?} {to:?}");
        assert_eq!(view.refused, [] as [String; 0]);
        let is_active = |row: &&ConstraintRow| !row.is_dropped;
        assert_eq!(view.constraints.iter().filter(is_active).map(|row| row.pair).collect::<Vec<_>>(), [(from, to)]);
        if let Some(shows) = view.judged.shows {
            assert!(view.dots[shows].permitted && view.dots[shows].end == DotEnd::Error);
        }
        assert_eq!(view.judged.shows.is_none(), safe);
    }
}

#[test]
fn who_drops_a_constraint_is_told_what_goes_wrong() {
    let mut open = opened(INCREMENTS);
    let view = open.view(&asks(INCREMENTS));
    let [first, second] = &view.constraints[..] else { panic!("{:?}", view.constraints) };
    assert_eq!((first.when.as_deref(), first.may_go), (Some("x = y"), Some(true)));
    assert_eq!(first.words, "P0.2 `atomic { *x := a + 1 }` comes before P1.1 `atomic { b := *y }` if x = y.");
    assert_eq!(second.may_go, Some(false));
    assert_eq!(
        second.without,
        "Without it, 26 interleavings are permitted, and 2 go wrong. This one does: P0.1, P0.2, P1.1, P1.2, P0.3. It goes wrong at P0.3 `atomic { assert *x = a + 1 }`."
    );
    let shows = second.shows.expect("it is listed");
    assert_eq!((view.dots[shows].end, view.dots[shows].permitted), (DotEnd::Error, false));
    // It is shown event by event, up to where it has to wait.
    let view = open.view(&FiniteRequest { shown: Some(shows), ..asks(INCREMENTS) });
    let shown = view.shown.expect("it was asked for");
    assert_eq!(shown.steps.iter().map(|step| step.event).collect::<Vec<_>>(), [0, 1, 3, 4, 2]);
    let why = "P1.2 has to wait here for P0.3 `atomic { assert *x = a + 1 }`.";
    assert_eq!(shown.steps[3].forbidden.as_deref(), Some(why));
    assert!(shown.steps[4].is_wrong);
    // What was dropped comes back.
    let dropped = FiniteRequest { dropped: vec![(A1, W2)], ..asks(INCREMENTS) };
    assert_eq!(open.view(&dropped).judged.is_safe, Some(false));
    assert_eq!(
        open.view(&FiniteRequest { added: vec![(A1, W2)], ..dropped }).judged,
        open.view(&asks(INCREMENTS)).judged
    );
}

#[test]
fn interleavings_of_a_trace_stand_together() {
    let view = opened(INCREMENTS).view(&asks(INCREMENTS));
    let mut seen: Vec<(usize, usize)> = view.dots.iter().map(|dot| (dot.start, dot.trace)).collect();
    seen.dedup();
    let different: BTreeSet<_> = seen.iter().copied().collect();
    assert_eq!((seen.len(), different.len()), (14, 14));
    assert_eq!(view.starts.len(), 4);
}

#[test]
fn algorithm_four_drops_what_need_not_stay() {
    let mut open = opened(INCREMENTS);
    for strategy in Strategy::ALL {
        let view = open.view(&FiniteRequest { strategy, ..asks(INCREMENTS) }).relaxation.expect("there is a trace");
        assert_eq!(view.steps.len(), 2, "{view:?}");
        assert_eq!((view.steps[0].constraints, view.steps[0].traces), (2, 4));
        assert_eq!(view.steps[1].pairs, [(A1, W2)]);
        assert!(view.steps[1].words.contains("P0.1, P0.2, P1.1, P1.2, P0.3. It goes wrong at P0.3"), "{view:?}");
        assert_eq!(view.end, "2 constraints are left: no more can be dropped.");
    }
    let text = indexer(13);
    let mut open = opened(&text);
    let view = open.view(&asks(&text));
    assert!(view.limit.as_ref().is_some_and(|limit| limit.starts_with("There are more than ")), "{:?}", view.limit);
    assert_eq!(view.constraints.len(), 6);
    assert!(view.constraints.iter().all(|row| row.traces.is_some()), "{:?}", view.constraints);
    assert_eq!(view.constraints.iter().filter(|row| row.traces.as_deref() == Some("2 traces")).count(), 2);
    let waiting = |view: FiniteView| -> Vec<(usize, usize, u64)> {
        let steps = view.relaxation.expect("there is a trace").steps;
        steps.iter().map(|step| (step.constraints, step.waiting, step.traces)).collect()
    };
    let few = waiting(view);
    assert_eq!(few[..4], [(6, 2, 1), (5, 2, 2), (4, 2, 4), (3, 1, 8)], "{few:?}");
    assert_eq!(few.last(), Some(&(0, 0, 64)));
    let many = waiting(open.view(&FiniteRequest { strategy: Strategy::ManyWaitRarely, ..asks(&text) }));
    assert_eq!(many[..4], [(6, 2, 1), (5, 2, 2), (4, 2, 4), (3, 2, 8)], "{many:?}");
}

#[test]
fn what_is_not_for_this_sheet_is_said() {
    let text = "shared x\nwhile 1 { x := 1 } || while 1 { r := x }";
    let wrong = FiniteOpen::open(&asks(text)).err().expect("it does not end");
    assert!(wrong[0].message.starts_with("this sheet is for programs that end"), "{wrong:?}");
    assert!(FiniteOpen::open(&asks("shared")).is_err());
    // An input within a thread: no constraints to begin with, but others may be added.
    let text = "shared x\nr := input 0..1; x := r || r := x";
    let mut open = opened(text);
    let view = open.view(&asks(text));
    assert!(view.origin.contains("an input within a thread has no symbolic trace"), "{}", view.origin);
    assert_eq!((view.constraints.len(), view.relaxation.is_none(), view.judged.is_safe), (0, true, Some(true)));
    let all = view.dots.len();
    let one = Event { thread: 1, index: 0 };
    let view = open.view(&FiniteRequest { added: vec![(one, R1)], ..asks(text) });
    assert!(view.dots.iter().filter(|dot| dot.permitted).count() < all);
    // Everything is wrong.
    let text = "shared x\nx := 1 || assert x = 2";
    let view = opened(text).view(&asks(text));
    assert_eq!(view.origin, "No trace is right whatever the inputs are, so there are no constraints to begin with.");
    assert_eq!(view.judged.is_safe, Some(false));
}

#[test]
fn constraints_may_be_what_makes_a_deadlock() {
    let text = "shared m, x\nlock m; x := 1; unlock m || lock m; x := 2; unlock m";
    let mut open = opened(text);
    let event = |thread, index| Event { thread, index };
    let view = open.view(&FiniteRequest {
        dropped: open.own().iter().map(|edge| (edge.from, edge.to)).collect(),
        added: vec![(event(0, 1), event(1, 1))],
        ..asks(text)
    });
    // The second thread takes the mutex, and waits for what the first one does behind it.
    assert_eq!(view.judged.is_safe, Some(false));
    assert!(view.judged.words.contains("Then the constraints let nobody go on"), "{}", view.judged.words);
}

#[test]
fn pairs_that_are_no_constraints_are_refused() {
    let mut open = opened(INCREMENTS);
    let far = Event { thread: u16::MAX, index: u32::MAX };
    let view = open.view(&FiniteRequest {
        dropped: vec![(far, far), (R1, R1)],
        added: vec![(R1, W1), (R1, far), (far, R1), (R2, W1)],
        shown: Some(usize::MAX),
        ..asks(INCREMENTS)
    });
    assert_eq!(
        view.refused,
        [
            "P0.1 before P0.2: events of one thread are ordered as they are.",
            "P0.1 before ?.4294967296: there is no such event.",
            "?.4294967296 before P0.1: there is no such event.",
            "P1.1 before P0.2: events would wait for each other in a circle.",
        ]
    );
    assert_eq!(view.shown.map(|shown| shown.dot), Some(39));
    let many = vec![(R2, W1); 1000];
    assert_eq!(open.view(&FiniteRequest { added: many, ..asks(INCREMENTS) }).refused.len(), 65);
}
