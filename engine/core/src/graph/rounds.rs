//! The round of a loop that a thread waits in.

use super::{EventId, Execution, Label, ThreadId};
use crate::program::{Action, Code, InstructionKind, Limits, ThreadState};

/// The events of the round behind which a thread waits in a loop, without the one that says so ([`Label::Spin`]). `None` if it does not
/// wait in a loop, or if its events are not what it does.
pub fn last_round<'g>(code: &Code, graph: &'g Execution, thread: ThreadId) -> Option<&'g [EventId]> {
    let (&end, events) = graph.thread(thread).split_last()?;
    if graph.event(end).label != Label::Spin {
        return None;
    }
    // What the thread did was within its bounds.
    let limits = Limits { unroll: u32::MAX, events: u32::MAX, ..Limits::default() };
    let index = thread.index();
    let mut state = ThreadState::new(code, index);
    // By loop, how many events came before the thread was at its head for the last time, and for the time before.
    let mut heads = vec![(0, 0); code.threads.get(index)?.loops.len()];
    for done in 0..=events.len() {
        let mut last = None;
        let action = state.advance_watched(code, index, limits, |_, kind| {
            if let InstructionKind::Head(id) = *kind {
                heads[id] = (done, heads[id].0);
                last = Some(id);
            }
        });
        match (action, events.get(done).map(|&e| graph.event(e))) {
            (Action::Spin, None) => return events.get(heads[last?].1..),
            (Action::Get, Some(event)) => match event.label {
                Label::Get { message: Some(message) } => {
                    state.take_message(code, index, message, event.value_read.unwrap_or_default());
                }
                _ => return None,
            },
            (Action::Spin | Action::Error(_) | Action::Stuck | Action::Bound(_) | Action::Finished, _) | (_, None) => {
                return None;
            }
            (action, Some(event)) => {
                let reads = match action {
                    Action::Read { .. } | Action::Update { .. } => true,
                    Action::Library { operation, .. } => operation.waits(),
                    _ => false,
                };
                if event.ends_thread() || reads && event.value_read.is_none() {
                    return None;
                }
                state.resume_as(code, index, event.value_read, event.fails_spuriously());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EventKey;

    /// The first thread alone, each of its reads taking the initial value, and how many events its last round has.
    fn round(text: &str) -> (Execution, Option<usize>) {
        let program = crate::syntax::parse(text).expect(text).program;
        let code = Code::compile(&program).expect(text);
        let mut graph = Execution::initial(&code);
        let mut state = ThreadState::new(&code, 0);
        loop {
            let action = state.advance(&code, 0, Limits::default());
            if action == Action::Finished {
                break;
            }
            let e = graph.add(ThreadId(0), action, state.span(&code, 0).unwrap_or_default());
            if graph.event(e).ends_thread() {
                break;
            }
            if graph.event(e).is_read() {
                let location = graph.event(e).location().expect("a read has one");
                let write =
                    graph.find(EventKey { thread: ThreadId::INIT, serial: location.0 }).expect("an initial write");
                graph.set_source(e, write);
            }
            state.resume(&code, 0, graph.event(e).value_read);
        }
        let length = last_round(&code, &graph, ThreadId(0)).map(<[EventId]>::len);
        (graph, length)
    }

    #[test]
    fn a_round_begins_at_the_head_of_its_own_loop() {
        for (text, expected) in [
            ("shared x\nwhile x != 1 { }", Some(1)),
            ("shared x, y\na := y; while x != 1 { }", Some(1)),
            ("shared x, y\nrepeat { a := x; fence sc; b := y } until a + b = 1", Some(3)),
            // The first round changes a register.
            ("shared x, y\na := 5; repeat { a := x; b := y } until a = 1", Some(2)),
            // The inner loop waits within the first round of the outer one; or it ends, and the outer one waits.
            ("shared x, y\nrepeat { a := y; repeat { b := x } until b = 1 } until a = 1", Some(1)),
            ("shared x, y\nrepeat { a := y; repeat { b := x } until b = 0 } until a = 1", Some(2)),
            ("shared x\nwhile 1 = 1 { }", Some(0)),
            ("shared x\nwhile x != 0 { }", None),
            ("shared x\nassume x = 1", None),
        ] {
            let (graph, found) = round(text);
            assert_eq!(found, expected, "{text}: {graph:?}");
        }
    }

    #[test]
    fn events_of_another_program_have_no_round() {
        let (graph, _) = round("shared x, y\na := y; while x != 1 { }");
        let program = crate::syntax::parse("shared x, y\nx := 1; y := 1").expect("a program").program;
        let code = Code::compile(&program).expect("code");
        assert_eq!(last_round(&code, &graph, ThreadId(0)), None);
    }
}
