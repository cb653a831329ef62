//! The saturate-and-branch solver.
//!
//! One question for each pair of taken messages of a handler: which is first? Edges that are there force answers, answers
//! add edges; when nothing is forced, the solver tries both. With a queue, eo and mo are the same permutation, so do adds
//! nothing to eo. An order that other edges imply already is not kept: it follows from those ([`Orders`](super::Orders)). A graph of n events takes n²/8
//! bytes, and each open guess as much again.
//!
//! If each queue has its initial messages in order and one message posts all others in it, as with one initial message
//! and no nested posting, po orders these posts and so every pair: nothing is guessed ([`is_ordered_by_po`]). With more posters, or with
//! multisets, the solver may have to guess, and nothing here says that it needs polynomial time.

use super::edges::{Edge, edges_of, fixed};
use super::trace::{EventIndex, HandlerIndex, Kind, Mailbox, MessageIndex, Trace};
use crate::budget::{Halt, Meter};

/// Why one message is before another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A path of edges.
    Path(Vec<Edge>),
    /// A queue has its initial messages before all that are posted, and in their order.
    Initial,
    /// A queue gives out what is in it in order, and the second message was never taken.
    NeverTaken,
    /// A guess.
    Guess,
}

/// That a handler has one message before another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The first.
    pub first: MessageIndex,
    /// The second.
    pub second: MessageIndex,
    /// Why.
    pub reason: Reason,
}

/// How a node of the branch tree ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Both guesses were tried, or are being tried.
    Branched,
    /// With a cycle.
    Cycle(Vec<Edge>),
    /// A queue gave out a message (the second), but not an initial one that is before it (the first).
    InitialNeverTaken(MessageIndex, MessageIndex),
    /// With an order of all messages.
    Consistent,
}

/// A node of the branch tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The node above, which comes earlier in the tree; `None` for the root.
    pub parent: Option<usize>,
    /// What was guessed and derived, in order; a guess is the first.
    pub orders: Vec<Order>,
    /// How it ends.
    pub outcome: Outcome,
}

/// What the solver finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// All events in the order of a run; `None` if the trace is inconsistent.
    pub schedule: Option<Vec<EventIndex>>,
    /// The branch tree; of an inconsistent trace's, each leaf has what refutes it.
    pub tree: Vec<Node>,
}

/// Whether a message that was posted posts another one.
pub fn is_nested(trace: &Trace) -> bool {
    trace.events.iter().any(|event| matches!(event.kind, Kind::Post(_)) && trace.message(event.message).post.is_some())
}

/// Whether all messages of each handler are ordered by po and at the start: it takes at most one, or has a queue with initial messages in
/// order and all others from one poster. Then nothing is guessed, and the solver needs polynomial time. A trace that starts with one message and
/// whose posting is not nested ([`is_nested`]) is so, with queues: the tractable case of the paper.
pub fn is_ordered_by_po(trace: &Trace) -> bool {
    (0..trace.handlers.len() as u32).map(HandlerIndex).all(|handler| {
        let own = || trace.messages.iter().filter(move |message| message.handler == handler);
        if own().filter(|message| !message.events.is_empty()).count() < 2 {
            return true;
        }
        let mut posters = own().filter_map(|message| Some(trace.event(message.post?).message));
        let first = posters.next();
        trace.handler(handler).mailbox == Mailbox::Queue
            && (own().filter(|message| message.post.is_none()).count() < 2
                || own().all(|message| message.post.is_some() || !message.is_unordered))
            && posters.all(|other| Some(other) == first)
    })
}

#[derive(Clone)]
struct Graph {
    words: usize,
    reach: Vec<u64>,
    out: Vec<Vec<Edge>>,
}

impl Graph {
    fn has(&self, from: EventIndex, to: EventIndex) -> bool {
        self.reach[from.index() * self.words + to.index() / 64] >> (to.index() % 64) & 1 != 0
    }

    /// A path along edges that are there. It ends, since the graph has no cycle.
    fn path(&self, mut from: EventIndex, to: EventIndex) -> Vec<Edge> {
        let mut path = Vec::new();
        while from != to {
            let Some(&edge) = self.out[from.index()].iter().find(|edge| edge.to == to || self.has(edge.to, to)) else {
                break;
            };
            path.push(edge);
            from = edge.to;
        }
        path
    }

    /// Adds an edge; gives the cycle if it closes one.
    fn add(&mut self, edge: Edge, meter: &mut Meter) -> Result<Option<Vec<Edge>>, Halt> {
        let Edge { from, to, .. } = edge;
        if from == to || self.has(to, from) {
            let mut cycle = vec![edge];
            cycle.extend(self.path(to, from));
            return Ok(Some(cycle));
        }
        if self.has(from, to) {
            return Ok(None);
        }
        self.out[from.index()].push(edge);
        meter.spend(self.out.len() as u64)?;
        let mut row = self.reach[to.index() * self.words..][..self.words].to_vec();
        row[to.index() / 64] |= 1 << (to.index() % 64);
        for event in (0..self.out.len() as u32).map(EventIndex) {
            if (event == from || self.has(event, from)) && !self.has(event, to) {
                meter.spend(self.words as u64)?;
                for (word, more) in self.reach[event.index() * self.words..][..self.words].iter_mut().zip(&row) {
                    *word |= more;
                }
            }
        }
        Ok(None)
    }
}

#[derive(Clone)]
struct State {
    graph: Graph,
    pairs: Vec<(MessageIndex, MessageIndex)>,
}

/// Ends of a message: its first and last event. Messages in pairs were taken and are not empty.
fn ends(trace: &Trace, message: MessageIndex) -> Option<(EventIndex, EventIndex)> {
    let events = &trace.message(message).events;
    Some((*events.first()?, *events.last()?))
}

impl State {
    fn order(&mut self, trace: &Trace, order: Order, node: &mut Node, meter: &mut Meter) -> Result<bool, Halt> {
        let (first, second) = (order.first, order.second);
        node.orders.push(order);
        for edge in edges_of(trace, first, second) {
            if let Some(cycle) = self.graph.add(edge, meter)? {
                node.outcome = Outcome::Cycle(cycle);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the edges that the order would add are paths already.
    fn is_implied(&self, trace: &Trace, first: MessageIndex, second: MessageIndex) -> bool {
        let (Some((_, last)), Some((get, _))) = (ends(trace, first), ends(trace, second)) else { return false };
        if trace.starts_before(second, first) {
            return false;
        }
        let is_queue = trace.handler(trace.message(first).handler).mailbox == Mailbox::Queue;
        let posts = match (trace.message(first).post, trace.message(second).post) {
            (Some(a), Some(b)) => self.graph.has(a, b),
            (a, _) => a.is_none(),
        };
        self.graph.has(last, get) && (!is_queue || posts)
    }

    fn forced(&self, trace: &Trace, first: MessageIndex, second: MessageIndex) -> Option<Reason> {
        let ((get, _), (_, last)) = (ends(trace, first)?, ends(trace, second)?);
        if self.graph.has(get, last) {
            return Some(Reason::Path(self.graph.path(get, last)));
        }
        if trace.handler(trace.message(first).handler).mailbox == Mailbox::Queue {
            if trace.starts_before(first, second) {
                return Some(Reason::Initial);
            }
            match (trace.message(first).post, trace.message(second).post) {
                (Some(a), Some(b)) if self.graph.has(a, b) => return Some(Reason::Path(self.graph.path(a, b))),
                (None, Some(_)) => return Some(Reason::Initial),
                _ => {}
            }
        }
        None
    }

    fn saturate(&mut self, trace: &Trace, node: &mut Node, meter: &mut Meter) -> Result<bool, Halt> {
        loop {
            let before = self.pairs.len();
            let mut open = Vec::new();
            for (a, b) in std::mem::take(&mut self.pairs) {
                meter.spend(1)?;
                if self.is_implied(trace, a, b) || self.is_implied(trace, b, a) {
                    continue;
                }
                let (first, second, reason) = match (self.forced(trace, a, b), self.forced(trace, b, a)) {
                    // First, since it adds no mo edge that would contradict a path.
                    (_, Some(Reason::Initial)) => (b, a, Reason::Initial),
                    (Some(reason), _) => (a, b, reason),
                    (None, Some(reason)) => (b, a, reason),
                    (None, None) => {
                        open.push((a, b));
                        continue;
                    }
                };
                if !self.order(trace, Order { first, second, reason }, node, meter)? {
                    return Ok(false);
                }
            }
            self.pairs = open;
            if self.pairs.len() == before || self.pairs.is_empty() {
                return Ok(true);
            }
        }
    }

    /// The events, each when all before it are done.
    fn schedule(&self) -> Vec<EventIndex> {
        let mut left = vec![0; self.graph.out.len()];
        for edge in self.graph.out.iter().flatten() {
            left[edge.to.index()] += 1;
        }
        let mut done: Vec<_> =
            (0..left.len() as u32).map(EventIndex).filter(|event| left[event.index()] == 0).collect();
        let mut next = 0;
        while let Some(&event) = done.get(next) {
            next += 1;
            for edge in &self.graph.out[event.index()] {
                left[edge.to.index()] -= 1;
                if left[edge.to.index()] == 0 {
                    done.push(edge.to);
                }
            }
        }
        done
    }
}

/// Decides a trace. Exponential at worst, in the number of pairs that nothing forces.
///
/// # Errors
/// [`Halt`] if the limit is reached or somebody wants it to stop: then it is undecided.
pub fn solve(trace: &Trace, meter: &mut Meter) -> Result<Answer, Halt> {
    let n = trace.events.len();
    let words = n.div_ceil(64);
    meter.hold((n * words) as u64)?;
    meter.spend((n * words) as u64)?;
    let graph = Graph { words, reach: vec![0; n * words], out: vec![Vec::new(); n] };
    let mut state = State { graph, pairs: Vec::new() };
    let mut root = Node { parent: None, orders: Vec::new(), outcome: Outcome::Branched };
    for edge in fixed(trace) {
        if let Some(cycle) = state.graph.add(edge, meter)? {
            root.outcome = Outcome::Cycle(cycle);
            return Ok(Answer { schedule: None, tree: vec![root] });
        }
    }
    let mut of = vec![Vec::new(); trace.handlers.len()];
    for (index, message) in (0..).map(MessageIndex).zip(&trace.messages) {
        of[message.handler.index()].push(index);
    }
    for (handler, messages) in trace.handlers.iter().zip(&of) {
        for (at, &a) in messages.iter().enumerate() {
            for &b in &messages[at + 1..] {
                meter.spend(1)?;
                let taken = |m: MessageIndex| handler.is_thread || !trace.message(m).events.is_empty();
                let (first, second) = match (taken(a), taken(b)) {
                    (true, true) => {
                        state.pairs.push((a, b));
                        continue;
                    }
                    (true, false) => (a, b),
                    (false, true) => (b, a),
                    (false, false) => continue,
                };
                if handler.mailbox == Mailbox::Multiset {
                    continue;
                }
                let is_passed_over = trace.message(second).post.is_none() && trace.message(first).post.is_some();
                let fits = if is_passed_over || trace.starts_before(second, first) {
                    root.outcome = Outcome::InitialNeverTaken(second, first);
                    false
                } else {
                    state.order(trace, Order { first, second, reason: Reason::NeverTaken }, &mut root, meter)?
                };
                if !fits {
                    return Ok(Answer { schedule: None, tree: vec![root] });
                }
            }
        }
    }
    // Neighbours first: their orders imply most others, which need no edge of their own.
    state.pairs.sort_by_key(|&(a, b)| b.0 - a.0);
    let mut tree = Vec::new();
    let mut todo = vec![(state, root, None::<Order>)];
    while let Some((mut state, mut node, guess)) = todo.pop() {
        let holds = match guess {
            Some(order) => state.order(trace, order, &mut node, meter)?,
            None => true,
        };
        if holds && state.saturate(trace, &mut node, meter)? {
            let Some((a, b)) = state.pairs.pop() else {
                node.outcome = Outcome::Consistent;
                tree.push(node);
                return Ok(Answer { schedule: Some(state.schedule()), tree });
            };
            // Each open guess has a graph of its own.
            meter.hold((todo.len() + 2) as u64 * (n * words) as u64)?;
            meter.spend((n * words) as u64)?;
            let child = || Node { parent: Some(tree.len()), orders: Vec::new(), outcome: Outcome::Branched };
            let guess = |first, second| Some(Order { first, second, reason: Reason::Guess });
            todo.push((state.clone(), child(), guess(b, a)));
            todo.push((state, child(), guess(a, b)));
        }
        tree.push(node);
    }
    Ok(Answer { schedule: None, tree })
}
