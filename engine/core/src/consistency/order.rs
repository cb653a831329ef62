//! Partial orders that grow pair by pair.

use super::NodeId;

/// A strict partial order over nodes, transitively closed: a bit matrix, and its converse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Words a row.
    words: usize,
    /// Row `n`: what comes before `n`.
    before: Vec<u64>,
    /// Row `n`: what comes behind `n`.
    behind: Vec<u64>,
}

impl Order {
    /// The order of `nodes` nodes in which none comes before another.
    pub fn new(nodes: usize) -> Self {
        let words = nodes.div_ceil(64);
        Self { words, before: vec![0; nodes * words], behind: vec![0; nodes * words] }
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
        for node in members(&behind) {
            unite(&mut self.before[node.index() * self.words..][..self.words], &before);
        }
        for node in members(&before) {
            unite(&mut self.behind[node.index() * self.words..][..self.words], &behind);
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

fn unite(set: &mut [u64], other: &[u64]) {
    for (word, other) in set.iter_mut().zip(other) {
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

    #[test]
    #[should_panic(expected = "no cycles")]
    fn a_cycle_is_refused() {
        let mut order = Order::new(3);
        order.insert(NodeId(0), NodeId(1));
        order.insert(NodeId(1), NodeId(2));
        order.insert(NodeId(2), NodeId(0));
    }
}
