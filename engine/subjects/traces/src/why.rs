//! Why a handler has its messages in the order in which it has them, for every two of them.
//!
//! The solver keeps an order only where no path gives it already. Such a path is looked for when somebody asks. It goes along
//! what the trace gives and along orders that were kept, each of which has a reason of its own that was there before it. So no reason
//! rests on itself.

use super::edges::{Edge, Relation, edges_of, fixed};
use super::solve::{Answer, Outcome, Reason};
use super::trace::{EventIndex, Mailbox, MessageIndex, Trace};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Two messages of a handler in eo, mo or do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordered {
    /// Which order: [`Relation::Eo`], [`Relation::Mo`] or [`Relation::Do`].
    pub relation: Relation,
    /// The first.
    pub first: MessageIndex,
    /// The second.
    pub second: MessageIndex,
    /// Why.
    pub reason: Reason,
}

/// All orders of messages that are known at a node of the branch tree.
#[derive(Clone, Debug)]
pub struct Orders<'t> {
    trace: &'t Trace,
    /// By event: what the trace gives, and what was derived and guessed.
    out: Vec<Vec<Edge>>,
    /// What was derived and guessed.
    kept: FxHashMap<(MessageIndex, MessageIndex), &'t Reason>,
}

/// The shortest ways from one event to all others: by event, the last edge.
struct Ways(Vec<Option<Edge>>);

impl Ways {
    fn to(&self, event: EventIndex) -> Option<Vec<Edge>> {
        let mut edge = self.0[event.index()]?;
        let mut path = vec![edge];
        // No edge leads back to where all ways begin.
        while let Some(before) = self.0[edge.from.index()] {
            path.push(before);
            edge = before;
        }
        path.reverse();
        Some(path)
    }
}

impl<'t> Orders<'t> {
    /// What is known once a node is done, from those above it and from itself.
    pub fn at(trace: &'t Trace, answer: &'t Answer, node: usize) -> Self {
        let mut orders = Self { trace, out: vec![Vec::new(); trace.events.len()], kept: FxHashMap::default() };
        for edge in fixed(trace) {
            orders.out[edge.from.index()].push(edge);
        }
        let mut at = answer.tree.get(node);
        while let Some(node) = at {
            for order in &node.orders {
                orders.kept.insert((order.first, order.second), &order.reason);
                for edge in edges_of(trace, order.first, order.second) {
                    orders.out[edge.from.index()].push(edge);
                }
            }
            at = node.parent.and_then(|parent| answer.tree.get(parent));
        }
        orders
    }

    /// What is known of a consistent trace: every two messages that a handler took are in eo, and in mo and do if it has a queue
    /// and they were posted.
    pub fn of_run(trace: &'t Trace, answer: &'t Answer) -> Option<Self> {
        let leaf = answer.tree.iter().position(|node| node.outcome == Outcome::Consistent)?;
        Some(Self::at(trace, answer, leaf))
    }

    fn ways(&self, from: EventIndex) -> Ways {
        let mut last = vec![None; self.out.len()];
        let mut todo = VecDeque::from([from]);
        while let Some(event) = todo.pop_front() {
            for &edge in &self.out[event.index()] {
                if edge.to != from && last[edge.to.index()].is_none() {
                    last[edge.to.index()] = Some(edge);
                    todo.push_back(edge.to);
                }
            }
        }
        Ways(last)
    }

    /// In which orders the first message is before each of these others of its handler, with the reason.
    fn behind(&self, first: MessageIndex, others: &[MessageIndex]) -> Vec<Ordered> {
        let message = |at: MessageIndex| self.trace.message(at);
        let is_queue = self.trace.handler(message(first).handler).mailbox == Mailbox::Queue;
        let mut ways = [message(first).events.last().copied(), message(first).post.filter(|_| is_queue)]
            .map(|from| from.map(|from| (from, None::<Ways>)));
        let mut found = Vec::new();
        for &second in others {
            let kept = self.kept.get(&(first, second)).copied();
            let ends = [message(second).events.first().copied(), message(second).post];
            for ((ways, to), relation) in ways.iter_mut().zip(ends).zip([Relation::Eo, Relation::Mo]) {
                let (Some((from, ways)), Some(to)) = (ways, to) else { continue };
                let reason = kept.cloned().or_else(|| {
                    let path = ways.get_or_insert_with(|| self.ways(*from)).to(to)?;
                    Some(Reason::Path(path))
                });
                let Some(reason) = reason else { continue };
                let taken = !message(first).events.is_empty() && !message(second).events.is_empty();
                let mut add = |relation, reason| found.push(Ordered { relation, first, second, reason });
                if relation == Relation::Mo && taken {
                    add(Relation::Do, reason.clone());
                }
                add(relation, reason);
            }
        }
        found
    }

    /// In which orders two messages of a handler are, with the reasons; none if nothing is known, or they are of several handlers.
    pub fn between(&self, a: MessageIndex, b: MessageIndex) -> Vec<Ordered> {
        if a == b || self.trace.message(a).handler != self.trace.message(b).handler {
            return Vec::new();
        }
        let mut found = self.behind(a, &[b]);
        found.extend(self.behind(b, &[a]));
        found
    }

    /// The same of every two messages of each handler. Quadratic in the messages of a handler, times the length of paths.
    pub fn all(&self) -> impl Iterator<Item = Ordered> + '_ {
        let mut of = vec![Vec::new(); self.trace.handlers.len()];
        for (index, message) in (0..).map(MessageIndex).zip(&self.trace.messages) {
            of[message.handler.index()].push(index);
        }
        of.into_iter().flat_map(move |messages| {
            let all = messages.clone().into_iter();
            all.flat_map(move |first| {
                let others: Vec<_> = messages.iter().copied().filter(|other| *other != first).collect();
                self.behind(first, &others)
            })
        })
    }
}
