//! Partial orders that grow pair by pair.

use super::NodeId;

/// A strict partial order over nodes, transitively closed: a bit matrix, and its converse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Words a row.
    words: usize,
    nodes: usize,
    /// Row `n`: what comes before `n`.
    before: Vec<u64>,
    /// Row `n`: what comes behind `n`.
    behind: Vec<u64>,
    /// What was changed, to be taken back, if that is ever wanted.
    trail: Option<Vec<Change>>,
}

/// A word that was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    node: NodeId,
    word: u32,
    /// Whether it is of what comes behind the node.
    behind: bool,
    old: u64,
}

/// A state of an order that it can be taken back to ([`Order::undo`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub nodes: usize,
    pub changes: usize,
}

impl Order {
    /// The order of `nodes` nodes in which none comes before another.
    pub fn new(nodes: usize) -> Self {
        let words = nodes.div_ceil(64);
        Self { words, nodes, before: vec![0; nodes * words], behind: vec![0; nodes * words], trail: None }
    }

    /// The same, but nodes can be added, and what is done can be taken back. Memory for that: at most what the pairs take
    /// that were put in order one by one.
    pub(super) fn growing(nodes: usize) -> Self {
        Self { trail: Some(Vec::new()), ..Self::new(nodes) }
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes
    }

    /// How long a bit set of nodes is, in words.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Adds a node behind some others: a bit set that is closed under what comes before. Linear in their number and in that of
    /// the words, but for each 64th node, which makes all rows longer.
    pub(super) fn push(&mut self, before: &[u64]) -> NodeId {
        let node = NodeId(self.nodes as u32);
        if self.nodes == self.words * 64 {
            let words = self.words + 1;
            for rows in [&mut self.before, &mut self.behind] {
                let mut longer = Vec::with_capacity((self.nodes + 64) * words);
                for row in 0..self.nodes {
                    longer.extend_from_slice(&rows[row * self.words..][..self.words]);
                    longer.push(0);
                }
                *rows = longer;
            }
            self.words = words;
        }
        self.nodes += 1;
        self.before.extend_from_slice(before);
        self.before.resize(self.nodes * self.words, 0);
        self.behind.resize(self.nodes * self.words, 0);
        let (word, bit) = (node.index() / 64, 1 << (node.index() % 64));
        for other in members(before) {
            let place = &mut self.behind[other.index() * self.words + word];
            if let Some(trail) = &mut self.trail {
                trail.push(Change { node: other, word: word as u32, behind: true, old: *place });
            }
            *place |= bit;
        }
        node
    }

    /// The state that it is in now.
    pub(super) fn mark(&self) -> Mark {
        Mark { nodes: self.nodes, changes: self.trail.as_ref().map_or(0, Vec::len) }
    }

    /// Takes back what was done since a mark. Linear in that.
    pub(super) fn undo(&mut self, mark: Mark) {
        let Some(trail) = &mut self.trail else { return };
        while trail.len() > mark.changes {
            let Some(Change { node, word, behind, old }) = trail.pop() else { break };
            let rows = if behind { &mut self.behind } else { &mut self.before };
            rows[node.index() * self.words + word as usize] = old;
        }
        self.nodes = mark.nodes;
        self.before.truncate(mark.nodes * self.words);
        self.behind.truncate(mark.nodes * self.words);
    }

    /// The nodes that were put before or behind others, from a change on, some more than once; and a word of the bit set of these
    /// others, with its place.
    pub(super) fn changed_since(&self, changes: usize) -> impl Iterator<Item = (NodeId, usize, u64)> + '_ {
        let trail = self.trail.as_deref().unwrap_or_default();
        trail[changes.min(trail.len())..].iter().map(|&Change { node, word, behind, old }| {
            let row = if behind { self.behind(node) } else { self.before(node) };
            (node, word as usize, row[word as usize] & !old)
        })
    }

    /// Whether `a` comes before `b`.
    pub fn precedes(&self, a: NodeId, b: NodeId) -> bool {
        self.before(b)[a.index() / 64] >> (a.index() % 64) & 1 == 1
    }

    /// What comes before a node, as a bit set.
    pub fn before(&self, node: NodeId) -> &[u64] {
        &self.before[node.index() * self.words..][..self.words]
    }

    /// What comes behind a node, as a bit set.
    pub fn behind(&self, node: NodeId) -> &[u64] {
        &self.behind[node.index() * self.words..][..self.words]
    }

    /// Puts `a` before `b`, with all that follows from it; whether that is new. At worst quadratic in the number of nodes
    /// over the word size.
    ///
    /// # Panics
    /// If that would make a cycle.
    pub fn insert(&mut self, a: NodeId, b: NodeId) -> bool {
        assert!(a != b && !self.precedes(b, a), "an order has no cycles");
        if self.precedes(a, b) {
            return false;
        }
        let before = with(self.before(a), a);
        let behind = with(self.behind(b), b);
        let words = self.words;
        for node in members(&behind) {
            let row = &mut self.before[node.index() * words..][..words];
            // What comes behind `a` already has all that is before it.
            if row[a.index() / 64] >> (a.index() % 64) & 1 == 0 {
                unite(row, &before, node, false, &mut self.trail);
            }
        }
        for node in members(&before) {
            let row = &mut self.behind[node.index() * words..][..words];
            if row[b.index() / 64] >> (b.index() % 64) & 1 == 0 {
                unite(row, &behind, node, true, &mut self.trail);
            }
        }
        true
    }

    /// How many pairs it has. Linear in the size of the matrix.
    pub fn pairs(&self) -> usize {
        self.before.iter().map(|word| word.count_ones() as usize).sum()
    }
}

fn with(set: &[u64], node: NodeId) -> Vec<u64> {
    let mut set = set.to_vec();
    set[node.index() / 64] |= 1 << (node.index() % 64);
    set
}

fn unite(row: &mut [u64], other: &[u64], node: NodeId, behind: bool, trail: &mut Option<Vec<Change>>) {
    for (at, (word, other)) in row.iter_mut().zip(other).enumerate() {
        if let Some(trail) = trail
            && other & !*word != 0
        {
            trail.push(Change { node, word: at as u32, behind, old: *word });
        }
        *word |= other;
    }
}

/// The members of a bit set, ascending.
pub(super) fn members(set: &[u64]) -> impl Iterator<Item = NodeId> + '_ {
    set.iter().enumerate().flat_map(|(at, &word)| {
        let next = |rest: &u64| Some(rest & (rest - 1)).filter(|rest| *rest != 0);
        std::iter::successors(Some(word).filter(|word| *word != 0), next)
            .map(move |rest| NodeId((at * 64) as u32 + rest.trailing_zeros()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_transitive() {
        let mut order = Order::new(130);
        let nodes = [NodeId(3), NodeId(70), NodeId(129), NodeId(0)];
        assert!(order.insert(nodes[2], nodes[3]));
        assert!(order.insert(nodes[0], nodes[1]));
        assert_eq!(order.pairs(), 2);
        assert!(order.insert(nodes[1], nodes[2]));
        assert!(!order.insert(nodes[0], nodes[3]));
        assert_eq!(order.pairs(), 6);
        assert!(members(order.before(nodes[3])).eq([nodes[0], nodes[1], nodes[2]]));
        assert!(members(order.behind(nodes[0])).eq([nodes[3], nodes[1], nodes[2]]));
    }

    /// Nodes that are added one by one, over the length of a word, and taken back.
    #[test]
    fn an_order_grows_and_is_taken_back() {
        let mut grown = Order::growing(1);
        let mut marks = Vec::new();
        for at in 1..150_u32 {
            marks.push((grown.mark(), grown.pairs()));
            // Behind the node of half the number, and all that is before that.
            let before = with(grown.before(NodeId(at / 2)), NodeId(at / 2));
            assert_eq!(grown.push(&before), NodeId(at));
            if at >= 2 && !grown.precedes(NodeId(at), NodeId(at - 1)) {
                grown.insert(NodeId(at - 1), NodeId(at));
            }
        }
        assert_eq!(grown.pairs(), 150 * 149 / 2);
        assert_eq!(grown.len(), 150);
        for (mark, pairs) in marks.into_iter().rev() {
            grown.undo(mark);
            assert_eq!((grown.len(), grown.pairs()), (mark.nodes, pairs));
        }
    }

    #[test]
    #[should_panic(expected = "no cycles")]
    fn a_cycle_is_refused() {
        let mut order = Order::new(3);
        order.insert(NodeId(0), NodeId(1));
        order.insert(NodeId(1), NodeId(2));
        order.insert(NodeId(2), NodeId(0));
    }
}
