//! The labels of edges: which valuations of the atomic propositions they hold for.

use std::collections::BTreeSet;

/// An expression whose parts have lower numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Constant(bool),
    Proposition(u32),
    Not(u32),
    And(u32, u32),
    Or(u32, u32),
}

impl Node {
    fn parts(self) -> impl Iterator<Item = u32> {
        let (one, other) = match self {
            Self::Constant(_) | Self::Proposition(_) => (None, None),
            Self::Not(part) => (Some(part), None),
            Self::And(one, other) | Self::Or(one, other) => (Some(one), Some(other)),
        };
        [one, other].into_iter().flatten()
    }
}

/// The labels of one state, with all their parts, each before what it is a part of.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    nodes: Vec<Node>,
    /// By edge: its node.
    of_edge: Vec<u32>,
}

/// Two edges of a state with a valuation for which both can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Overlap {
    pub(super) edges: [usize; 2],
    /// The propositions that are true, and those that are false; the others do not matter.
    pub(super) valuation: (Vec<u32>, Vec<u32>),
}

/// That there would be too much to check.
pub(super) struct TooMuch;

impl Labels {
    /// The labels of edges, of all expressions of an automaton.
    pub(super) fn of(all: &[Node], edges: &[u32], work: &mut u64) -> Result<Self, TooMuch> {
        let (mut needed, mut open) = (BTreeSet::new(), edges.to_vec());
        while let Some(node) = open.pop() {
            if needed.insert(node) {
                open.extend(all[node as usize].parts());
            }
        }
        *work = work.checked_sub(64 * needed.len() as u64).ok_or(TooMuch)?;
        let needed: Vec<u32> = needed.into_iter().collect();
        // Each part is there.
        let place = |node: u32| needed.binary_search(&node).unwrap_or_default() as u32;
        let node = |node: &u32| match all[*node as usize] {
            Node::Not(part) => Node::Not(place(part)),
            Node::And(one, other) => Node::And(place(one), place(other)),
            Node::Or(one, other) => Node::Or(place(one), place(other)),
            node => node,
        };
        let nodes = needed.iter().map(node).collect();
        Ok(Self { nodes, of_edge: edges.iter().map(|edge| place(*edge)).collect() })
    }

    /// How many parts and edges there are.
    pub(super) fn size(&self) -> u64 {
        (self.nodes.len() + self.of_edge.len()) as u64
    }

    /// The propositions that matter, ascending.
    pub(super) fn propositions(&self) -> Vec<u32> {
        let propositions = self.nodes.iter().filter_map(|node| match node {
            Node::Proposition(at) => Some(*at),
            _ => None,
        });
        propositions.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The value of each node for 64 valuations at once.
    fn evaluate(&self, values: &mut Vec<u64>, proposition: impl Fn(u32) -> u64) {
        values.clear();
        for node in &self.nodes {
            values.push(match node {
                Node::Constant(is_true) => 0_u64.wrapping_sub(u64::from(*is_true)),
                Node::Proposition(at) => proposition(*at),
                Node::Not(part) => !values[*part as usize],
                Node::And(one, other) => values[*one as usize] & values[*other as usize],
                Node::Or(one, other) => values[*one as usize] | values[*other as usize],
            });
        }
    }

    /// The first edge that can be taken for a valuation.
    pub(super) fn edge(&self, values: &mut Vec<u64>, is_true: impl Fn(u32) -> bool) -> Option<usize> {
        self.evaluate(values, |at| u64::from(is_true(at)));
        self.of_edge.iter().position(|node| values[*node as usize] & 1 == 1)
    }

    /// Looks for two edges that differ and can be taken for the same valuation; else says whether one can be taken for each. All valuations
    /// of the propositions that matter, 64 at a time.
    pub(super) fn overlap(
        &self,
        differ: impl Fn(usize, usize) -> bool,
        work: &mut u64,
    ) -> Result<Result<bool, Overlap>, TooMuch> {
        let propositions = self.propositions();
        let high = propositions.len().saturating_sub(6);
        let words = 1_u64.checked_shl(high as u32).filter(|_| high < 40).ok_or(TooMuch)?;
        let size = (self.nodes.len() + self.of_edge.len() + 1) as u64;
        *work = words.checked_mul(size).and_then(|needed| work.checked_sub(needed)).ok_or(TooMuch)?;
        const LOW: [u64; 6] = [
            0xAAAA_AAAA_AAAA_AAAA,
            0xCCCC_CCCC_CCCC_CCCC,
            0xF0F0_F0F0_F0F0_F0F0,
            0xFF00_FF00_FF00_FF00,
            0xFFFF_0000_FFFF_0000,
            0xFFFF_FFFF_0000_0000,
        ];
        let (mut values, mut is_complete) = (Vec::with_capacity(self.nodes.len()), true);
        for word in 0..words {
            self.evaluate(&mut values, |proposition| {
                let bit = propositions.binary_search(&proposition).unwrap_or_default();
                match LOW.get(bit) {
                    Some(low) => *low,
                    None => 0_u64.wrapping_sub(word >> (bit - 6) & 1),
                }
            });
            let mut seen = 0;
            for (edge, node) in self.of_edge.iter().enumerate() {
                let label = values[*node as usize];
                let both = seen & label;
                seen |= label;
                if both == 0 {
                    continue;
                }
                let others = 0..edge;
                for other in others {
                    *work = work.checked_sub(1).ok_or(TooMuch)?;
                    let both = values[self.of_edge[other] as usize] & label;
                    if both != 0 && differ(other, edge) {
                        let valuation = u64::from(both.trailing_zeros()) | word << 6;
                        let split = |(bit, at): (usize, &u32)| (valuation >> bit & 1 == 1, *at);
                        let (yes, no): (Vec<_>, Vec<_>) =
                            propositions.iter().enumerate().map(split).partition(|(is_true, _)| *is_true);
                        let only = |of: Vec<(bool, u32)>| of.into_iter().map(|(_, at)| at).collect();
                        return Ok(Err(Overlap { edges: [other, edge], valuation: (only(yes), only(no)) }));
                    }
                }
            }
            is_complete &= seen == u64::MAX;
        }
        Ok(Ok(is_complete))
    }
}
