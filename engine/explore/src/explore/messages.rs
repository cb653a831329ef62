//! What is noted of messages in whole executions of programs with handlers: which were run, which wait for ever, and which of
//! their accesses race.
//!
//! Two messages race if nothing but chance orders two accesses of one location, one of them a write. What orders events is the
//! happens-before of the race detectors for event-driven programs, after Maiya, Kanade, Majumdar: *Race Detection for Android
//! Applications*, PLDI 2014: po within a message and a plain thread, pb, initial messages before everything else, operations of
//! mutexes and channels, and
//!
//! - FIFO: a message that is posted to a queue before another one, by this very order, is over before that begins;
//! - no interruption: if something in a message is before something in another one of its handler, all of it is.
//!
//! That a handler happened to run one message before another orders nothing, and neither does rf of memory.

use super::place::{Place, Sighting};
use crate::graph::{EventId, Execution, Label, Relation, ThreadId};
use crate::program::{Location, Mailbox, Program};
use crate::sort;
use serde::{Deserialize, Serialize};

/// Two places of the text with accesses of one location by messages, or a message and a plain thread, that nothing orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MessageRace {
    /// What is accessed.
    pub location: Location,
    /// The access that comes first in the text.
    pub first: RacingAccess,
    /// The other; the same for two messages of one name.
    pub second: RacingAccess,
}

/// An access that races.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RacingAccess {
    /// Where it is in the text.
    pub place: Place,
    /// Its thread.
    pub thread: u16,
    /// The message of its thread that it belongs to; `None` for a plain thread.
    pub message: Option<u16>,
}

impl RacingAccess {
    fn new(graph: &Execution, e: EventId) -> Self {
        let event = graph.event(e);
        let before = &graph.thread(event.thread())[..event.key.serial as usize];
        let message = before.iter().rev().find_map(|&e| match graph.event(e).label {
            Label::Get { message } => message,
            _ => None,
        });
        Self { place: event.span.into(), thread: event.thread().0, message }
    }
}

/// What became of a message, in so many executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fate {
    /// It was run.
    pub run: u64,
    /// It was posted, perhaps more than once, and not always taken: its handler does not go on. Executions in which a bound cut the
    /// handler do not count.
    pub left: u64,
}

/// What was noted of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Messages {
    // Sorted lists: there are few.
    /// By location and places.
    races: Vec<(MessageRace, Sighting)>,
    /// By thread of the handler, and its message.
    fates: Vec<((u16, u16), Fate)>,
}

/// The entry of a key in a sorted list, made if there is none.
fn entry<K: Ord, V>(list: &mut Vec<(K, V)>, key: K, value: V) -> &mut V {
    let at = list.partition_point(|(other, _)| *other < key);
    if list.get(at).is_none_or(|(other, _)| *other != key) {
        list.insert(at, (key, value));
    }
    &mut list[at].1
}

impl Messages {
    /// The races between messages, in the order of the text.
    pub fn races(&self) -> Vec<(MessageRace, Sighting)> {
        let mut all = self.races.clone();
        sort::by_key(&mut all, |(race, _)| (race.first, race.second, race.location));
        all
    }

    /// Each message of a program, by the thread of its handler and its number there, with what became of it.
    pub fn fates(&self, program: &Program) -> Vec<(u16, u16, Fate)> {
        let messages =
            |(handler, count): (usize, usize)| (0..count).map(move |message| (handler as u16, message as u16));
        let handlers = program.threads.iter().map(|thread| thread.messages().len()).enumerate();
        let fate = |key| self.fates.iter().find(|(other, _)| *other == key).map_or(Fate::default(), |(_, fate)| *fate);
        handlers.flat_map(messages).map(|key| (key.0, key.1, fate(key))).collect()
    }

    /// Takes note of a whole execution, found at a step.
    pub(super) fn observe(&mut self, graph: &Execution, step: u64) {
        if !graph.has_handlers() {
            return;
        }
        for (handler, message) in taken(graph) {
            entry(&mut self.fates, (handler, message), Fate::default()).run += 1;
        }
        for (handler, message) in left(graph) {
            entry(&mut self.fates, (handler, message), Fate::default()).left += 1;
        }
        let mut found: Vec<MessageRace> = races(graph)
            .into_iter()
            .filter_map(|(a, b)| {
                let location = graph.event(a).location()?;
                let (a, b) = (RacingAccess::new(graph, a), RacingAccess::new(graph, b));
                Some(MessageRace { location, first: a.min(b), second: a.max(b) })
            })
            .collect();
        sort::ascending(&mut found);
        found.dedup();
        for race in found {
            entry(&mut self.races, race, Sighting { count: 0, first: step }).count += 1;
        }
    }

    pub(super) fn append(&mut self, later: Self, offset: u64) {
        for (race, sighting) in later.races {
            let first = sighting.first + offset;
            entry(&mut self.races, race, Sighting { count: 0, first }).count += sighting.count;
        }
        for (message, fate) in later.fates {
            let known = entry(&mut self.fates, message, Fate::default());
            known.run += fate.run;
            known.left += fate.left;
        }
    }

    pub(super) fn is_plausible(&self, most: u64) -> bool {
        self.races.is_sorted_by(|a, b| a.0 < b.0)
            && self.fates.is_sorted_by(|a, b| a.0 < b.0)
            && self.races.iter().all(|(_, sighting)| sighting.count <= most && sighting.first <= most)
            && self.fates.iter().all(|(_, fate)| fate.run <= most && fate.left <= most)
    }

    /// Counts positions from behind the first `offset` steps.
    pub(super) fn rebase(&mut self, offset: u64) {
        self.races.iter_mut().for_each(|(_, sighting)| sighting.first -= offset);
    }
}

/// The messages that were taken, each once.
fn taken(graph: &Execution) -> Vec<(u16, u16)> {
    let mut all: Vec<_> = graph
        .events()
        .filter_map(|(_, event)| match event.label {
            Label::Get { message: Some(message) } => Some((event.thread().0, message)),
            _ => None,
        })
        .collect();
    sort::ascending(&mut all);
    all.dedup();
    all
}

/// The messages of which one waits at the end, each once.
fn left(graph: &Execution) -> Vec<(u16, u16)> {
    let threads = (0..graph.threads()).map(|thread| ThreadId(thread as u16));
    // Beyond the bound, it may be taken.
    let is_cut = |thread: &ThreadId| {
        graph.thread(*thread).last().is_some_and(|&e| matches!(graph.event(e).label, Label::Bound(_)))
    };
    let mut all: Vec<_> = threads
        .filter(|thread| !is_cut(thread))
        .flat_map(|handler| graph.waiting(handler))
        .filter_map(|post| match graph.event(post).label {
            Label::Post { handler, message, .. } => Some((handler.0, message)),
            _ => None,
        })
        .collect();
    sort::ascending(&mut all);
    all.dedup();
    all
}

/// What runs without interruption: the events of a message, the get first, or of a plain thread.
struct Task {
    thread: ThreadId,
    events: Vec<EventId>,
    post: Option<EventId>,
}

fn tasks(graph: &Execution) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    for thread in (0..graph.threads()).map(|thread| ThreadId(thread as u16)) {
        for (at, &e) in graph.thread(thread).iter().enumerate() {
            if at == 0 || graph.event(e).is_get() {
                let post = graph.source(e).filter(|_| graph.event(e).is_get());
                tasks.push(Task { thread, events: Vec::new(), post });
            }
            if let Some(task) = tasks.last_mut() {
                task.events.push(e);
            }
        }
    }
    tasks
}

/// Pairs of accesses of one location by different messages or plain threads, one of them a write, that nothing orders. The time is
/// quadratic in the events, and cubic in the messages of a handler at worst.
pub(super) fn races(graph: &Execution) -> Vec<(EventId, EventId)> {
    let tasks = tasks(graph);
    let order = happens_before(graph, &tasks);
    let mut found = Vec::new();
    for (at, task) in tasks.iter().enumerate() {
        for other in &tasks[at + 1..] {
            for &a in &task.events {
                let Some(location) = graph.event(a).location().filter(|_| graph.event(a).operation().is_none()) else {
                    continue;
                };
                for &b in &other.events {
                    let conflict = graph.event(b).location() == Some(location)
                        && (graph.event(a).is_write() || graph.event(b).is_write());
                    if conflict && !order.contains(a, b) && !order.contains(b, a) {
                        found.push((a, b));
                    }
                }
            }
        }
    }
    // Two plain threads have no message.
    let is_plain = |e: EventId| !graph.is_handler(graph.event(e).thread());
    found.retain(|(a, b)| !is_plain(*a) || !is_plain(*b));
    found
}

fn happens_before(graph: &Execution, tasks: &[Task]) -> Relation {
    let mut order = Relation::new(graph.len());
    for task in tasks {
        for pair in task.events.windows(2) {
            order.insert_closed(pair[0], pair[1]);
        }
    }
    for (post, get) in graph.posted_by() {
        order.insert_closed(post, get);
    }
    for (a, b) in graph.initial_first() {
        order.insert_closed(a, b);
    }
    for (e, event) in graph.events().filter(|(_, event)| event.operation().is_some()) {
        if let Some(source) = graph.source(e).filter(|source| !graph.event(*source).is_init()) {
            debug_assert!(event.is_read());
            order.insert_closed(source, e);
        }
    }
    loop {
        let mut changed = false;
        for first in tasks.iter().filter(|task| task.post.is_some()) {
            for second in tasks.iter().filter(|task| task.post.is_some() && task.thread == first.thread) {
                let (Some(&last), Some(&get)) = (first.events.last(), second.events.first()) else { continue };
                if get == first.events[0] || order.contains(last, get) {
                    continue;
                }
                let is_queue = graph.mailbox(first.thread) == Some(Mailbox::Queue);
                let posted = first.post.zip(second.post).is_some_and(|(a, b)| order.contains(a, b));
                let begins = first.events[0];
                // What comes before something in the other message comes before its last event, and behind its own get.
                let is_before = second.events.last().is_some_and(|&end| order.contains(begins, end));
                if is_queue && posted || is_before {
                    order.insert_closed(last, get);
                    changed = true;
                }
            }
        }
        if !changed {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::{Algorithm, Options, Step};
    use crate::model::Model;
    use crate::program::Code;
    use std::sync::Arc;

    /// Two lines, and in how many executions they race.
    type Race = (u32, u32, u64);
    /// A message, and in how many executions it is run and left.
    type Message = (String, u64, u64);

    /// Which lines race, and what becomes of messages.
    fn noted(text: &str) -> (Vec<Race>, Vec<Message>) {
        let program = crate::syntax::parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}")).program;
        let code = Arc::new(Code::compile(&program).expect("it can be explored"));
        let mut explorer = Algorithm::EventDriven.lazy_explorer(code, Model::SC, Options::default());
        let mut messages = Messages::default();
        loop {
            match explorer.advance() {
                Step::Execution { .. } => messages.observe(explorer.execution(), 1),
                Step::Done => break,
                _ => {}
            }
        }
        let races = messages
            .races()
            .iter()
            .map(|(race, seen)| (race.first.place.line, race.second.place.line, seen.count))
            .collect();
        let name = |handler: u16, message: u16| {
            program.threads[usize::from(handler)].messages()[usize::from(message)].name.clone()
        };
        let fates =
            messages.fates(&program).into_iter().map(|(handler, at, fate)| (name(handler, at), fate.run, fate.left));
        (races, fates.collect())
    }

    #[test]
    fn a_queue_orders_what_is_posted_in_order() {
        let text = |mailbox| {
            format!(
                "shared x\nhandler h {mailbox}\nmessage a on h {{ x := 1 }}\nmessage b on h {{ x := 2 }}\n\npost h.a; post h.b"
            )
        };
        assert_eq!(noted(&text("queue")).0, []);
        assert_eq!(noted(&text("multiset")).0, [(3, 4, 2)]);
    }

    #[test]
    fn different_posters_race() {
        let text =
            "shared x\nhandler h queue\nmessage a on h { x := 1 }\nmessage b on h { r := x }\n\npost h.a || post h.b";
        assert_eq!(noted(text).0, [(3, 4, 2)]);
    }

    #[test]
    fn what_a_message_posts_comes_behind_it() {
        let text = "shared x\nhandler h multiset\nhandler g queue\nmessage a on h { x := 1; post g.c }\nmessage c on g { post h.b }\n\
                    message b on h { x := 2 }\ninitial h.a\n";
        assert_eq!(noted(text).0, []);
    }

    #[test]
    fn threads_race_with_messages_but_not_here_with_one_another() {
        let text = "shared x\nhandler h queue\nmessage a on h { x := 1 }\ninitial h.a\n\nx := 2 || x := 3";
        let races: Vec<_> = noted(text).0.iter().map(|(first, second, _)| (*first, *second)).collect();
        assert_eq!(races, [(3, 6), (3, 6)]);
    }

    #[test]
    fn what_a_bound_cut_waits_for_nothing() {
        let text = "shared none\nhandler h queue\nmessage a on h { post h.b; post h.a }\nmessage b on h { skip }\ninitial h.a\n";
        assert!(noted(text).1.iter().all(|(_, run, left)| (*run, *left) == (1, 0)));
    }

    #[test]
    fn messages_that_never_run_are_known() {
        let text = "shared x\nhandler h queue\nmessage a on h { assume x = 1 }\nmessage b on h { skip }\nmessage c on h { skip }\n\
                    initial h.a, h.b\n\nx := 1";
        let name = |name: &str, run, left| (name.to_owned(), run, left);
        assert_eq!(noted(text).1, [name("a", 2, 0), name("b", 1, 1), name("c", 0, 0)]);
    }
}
