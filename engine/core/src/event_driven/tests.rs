use super::*;
use crate::budget::{Budget, Meter};
use crate::program::Span;

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
        trace.messages.push(Message { name: name.into(), handler, events, post, span: SPAN });
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
    assert!(is_nested(&e1()));
}
