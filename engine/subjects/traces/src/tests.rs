use super::*;
use crate::budget::{Budget, Meter};
use crate::program::Span;
use crate::testing::flat_trace as flat;

const SPAN: Span = Span { start: 0, end: 0, line: 0, column: 0 };

/// E1 of the thesis (Figure 2.6).
fn e1() -> Trace {
    let x = LocationIndex(0);
    let write = |value| Kind::Write { location: x, value };
    let read = |value, source| Kind::Read { location: x, value, source: Some(EventIndex(source)) };
    let post = |m| Kind::Post(MessageIndex(m));
    let messages = [
        ("init", 1, None, vec![Kind::Get, write(1), post(1), post(2)]),
        ("m2", 0, Some(2), vec![Kind::Get, write(2), read(3, 15)]),
        ("m3", 2, Some(3), vec![Kind::Get, read(1, 1), post(3)]),
        ("m1", 0, Some(9), vec![Kind::Get, read(1, 1), post(4)]),
        ("m4", 2, Some(12), vec![Kind::Get, read(2, 5), write(3)]),
    ];
    let mut trace = Trace { locations: vec!["x".into()], initial: vec![0], ..Trace::default() };
    trace.co = vec![vec![EventIndex(1), EventIndex(5), EventIndex(15)]];
    for name in ["h1", "h2", "h3"] {
        trace.handlers.push(Handler { name: name.into(), mailbox: Mailbox::Queue, is_thread: false, span: SPAN });
    }
    for (index, (name, handler, post, kinds)) in (0..).zip(messages) {
        let mut events = Vec::new();
        for kind in kinds {
            events.push(EventIndex(trace.events.len() as u32));
            trace.events.push(Event { message: MessageIndex(index), kind, span: SPAN });
        }
        let (handler, post) = (HandlerIndex(handler), post.map(EventIndex));
        trace.messages.push(Message { name: name.into(), handler, events, post, is_unordered: false, span: SPAN });
    }
    trace
}

fn answer(trace: &Trace) -> Answer {
    solve(trace, &mut Meter::unlimited(&mut Budget::unlimited())).expect("no limit")
}

#[test]
fn e1_is_consistent_with_multisets_only() {
    let found = answer(&e1());
    assert_eq!(found.schedule, None);
    assert!(found.tree.iter().all(|node| match &node.outcome {
        Outcome::Cycle(cycle) => (0..cycle.len()).all(|at| cycle[at].to == cycle[(at + 1) % cycle.len()].from),
        outcome => *outcome == Outcome::Branched,
    }));
    let found = answer(&e1().with_mailboxes(Mailbox::Multiset));
    assert_eq!(found.schedule.map(|events| events.len()), Some(16));
    assert!(is_nested(&e1()) && !is_ordered_by_po(&e1()));
}

#[test]
fn one_poster_needs_no_guess() {
    for (count, units) in [(200, 20_000_000), (1_000, 1_000_000_000)] {
        let trace = flat(count);
        assert!(!is_nested(&trace) && is_ordered_by_po(&trace));
        let mut budget = Budget::unlimited();
        let found = solve(&trace, &mut Meter::unlimited(&mut budget)).expect("no limit");
        assert_eq!(found.tree.len(), 1);
        assert_eq!(found.schedule.map(|events| events.len()), Some(trace.events.len()));
        eprintln!("{count} messages: {} units", budget.spent());
        assert!(budget.spent() < units, "{}", budget.spent());
    }
}

#[test]
fn who_was_never_taken_was_posted_last() {
    let mut trace = flat(8);
    // The first message to h1 is m4, the second m8.
    let is_taken = |trace: &Trace| answer(trace).schedule.is_some();
    let drop = |trace: &mut Trace, message: usize| {
        trace.messages[message].events.clear();
        let gone = EventIndex(8 + 2 * message as u32);
        trace.co[0].retain(|&write| write != gone);
    };
    let mut last = trace.clone();
    drop(&mut last, 8);
    assert!(is_taken(&last));
    drop(&mut trace, 4);
    assert!(!is_taken(&trace));
    assert!(is_taken(&trace.with_mailboxes(Mailbox::Multiset)));
}

#[test]
fn a_limit_leaves_it_undecided() {
    let mut budget = Budget::unlimited();
    assert_eq!(solve(&flat(50), &mut Meter::new(10, 0, &mut budget)), Err(crate::budget::Halt::Limit));
}

#[test]
fn a_queue_takes_what_was_there_at_the_start_first() {
    let mut trace = Trace { locations: vec!["x".into()], initial: vec![0], ..Trace::default() };
    for (name, is_thread) in [("h", false), ("T", true)] {
        trace.handlers.push(Handler { name: name.into(), mailbox: Mailbox::Queue, is_thread, span: SPAN });
    }
    let location = LocationIndex(0);
    let read = Kind::Read { location, value: 1, source: Some(EventIndex(1)) };
    for (message, kind) in [
        (0, Kind::Get),
        (0, Kind::Write { location, value: 1 }),
        (1, Kind::Get),
        (1, read),
        (2, Kind::Post(MessageIndex(0))),
    ] {
        trace.events.push(Event { message: MessageIndex(message), kind, span: SPAN });
    }
    for (name, handler, post, events) in
        [("posted", 0, Some(4), 0..2), ("initial", 0, None, 2..4), ("T", 1, None, 4..5)]
    {
        let (handler, post, events) = (HandlerIndex(handler), post.map(EventIndex), events.map(EventIndex).collect());
        trace.messages.push(Message { name: name.into(), handler, events, post, is_unordered: false, span: SPAN });
    }
    trace.co = vec![vec![EventIndex(1)]];
    assert_eq!(answer(&trace).schedule, None);
    assert!(answer(&trace.with_mailboxes(Mailbox::Multiset)).schedule.is_some());
}
