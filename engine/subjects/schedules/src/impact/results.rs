//! What the tree says so far: schedules that are proven right, and the verdict.

use super::{Fate, Found, Limit, Status, Step, Verdict, Verifier};
use crate::art::{Art, Node, NodeId};
use crate::formula::Predicates;
use rustc_hash::{FxHashMap, FxHashSet};

impl<P: Predicates> Verifier<P> {
    /// For each node, whether what schedules do from it is right: a greatest fixpoint.
    fn good(&self) -> Vec<bool> {
        let mut good = vec![true; self.nodes.len()];
        loop {
            let mut changed = false;
            for node in (0..self.nodes.len()).rev() {
                if good[node] && !self.goes_on(node as u32, &good) {
                    good[node] = false;
                    changed = true;
                }
            }
            if !changed {
                return good;
            }
        }
    }

    fn goes_on(&self, node: u32, good: &[bool]) -> bool {
        let this = &self.nodes[node as usize];
        if this.is_false {
            return true;
        }
        if this.fate != Fate::Fine && node != 0 || this.fate == Fate::Wrong {
            return false;
        }
        if let Some(by) = this.fair {
            return good[by as usize];
        }
        if !self.is_active(node) {
            return true;
        }
        (0..this.threads.len() as u16).any(|thread| self.keeps(node, thread, good))
    }

    /// Whether a thread that schedules use leads to good nodes alone.
    fn keeps(&self, node: u32, thread: u16, good: &[bool]) -> bool {
        let this = &self.nodes[node as usize];
        let is_own = |step| self.system.transition(step).thread == thread;
        this.threads[usize::from(thread)] == Status::Usable
            && this.below.iter().filter(|(step, _)| is_own(*step)).all(|(_, below)| good[*below as usize])
    }

    /// The tree of the schedules that are right so far, if there is one: its nodes, and the pairs of a node and a thread that it allows.
    fn kept_tree(&mut self) -> Option<(Art, Vec<NodeId>, FxHashSet<(u32, u16)>)> {
        let good = self.good();
        if !good[0] {
            return None;
        }
        let mut places: FxHashMap<u32, NodeId> = FxHashMap::default();
        let (mut order, mut pairs) = (Vec::new(), FxHashSet::default());
        let mut stack = vec![0u32];
        while let Some(node) = stack.pop() {
            if places.insert(node, NodeId(0)).is_some() {
                continue;
            }
            order.push(node);
            let this = &self.nodes[node as usize];
            if let Some(by) = this.fair {
                // Perhaps no schedule leads there but by coverings.
                stack.push(by);
                continue;
            }
            if this.is_false {
                continue;
            }
            for (step, below) in this.below.iter().rev() {
                let thread = self.system.transition(*step).thread;
                if self.keeps(node, thread, &good) {
                    pairs.insert((node, thread));
                    stack.push(*below);
                }
            }
        }
        // The one above first.
        order.sort_unstable();
        places = order.iter().copied().zip((0..).map(NodeId)).collect();
        let mut nodes = Vec::new();
        for &node in &order {
            let label = self.nodes[node as usize].label.clone();
            let formula = self.predicates.formula(&label);
            let label = match self.plain.get(&formula) {
                Some(label) => label.clone(),
                None => {
                    let label = self.predicates.store().plain(formula);
                    self.plain.insert(formula, label.clone());
                    label
                }
            };
            let this = &self.nodes[node as usize];
            let below = this.below.iter().filter_map(|(step, below)| Some((*step, *places.get(below)?)));
            nodes.push(Node {
                above: this.above.and_then(|(above, step)| Some((*places.get(&above)?, step))),
                points: this.points.clone(),
                label,
                below: if this.fair.is_some() {
                    Vec::new()
                } else {
                    below.filter(|(step, _)| pairs.contains(&(node, self.system.transition(*step).thread))).collect()
                },
                covered_by: this.fair.and_then(|by| places.get(&by).copied()),
            });
        }
        Some((Art { nodes }, order.into_iter().map(NodeId).collect(), pairs))
    }

    /// An iteration is over.
    pub(super) fn publish(&mut self) {
        let kept = self.kept_tree();
        let (art, nodes, pairs) = match kept {
            Some((art, nodes, pairs)) => (Some(art), nodes, pairs),
            None => (None, Vec::new(), FxHashSet::default()),
        };
        let gained = pairs.difference(&self.last).count();
        let lost = self.last.difference(&pairs).count();
        if gained == 0 && lost == 0 && !self.found.is_empty() {
            return;
        }
        self.last = pairs;
        let order = self.order();
        self.found.push(Found { iteration: self.iteration, art, nodes, gained, lost, order });
        self.steps.push_back(Step::Result(self.found.len() - 1));
    }

    /// The threads in the order in which the new schedule lets each run first, its way to where it began left out.
    fn order(&self) -> Vec<u16> {
        let (mut node, mut thread) = self.start;
        let mut order: Vec<u16> = Vec::new();
        for _ in 0..self.nodes.len() {
            let this = &self.nodes[node as usize];
            if let Some(by) = this.fair {
                node = by;
            }
            let this = &self.nodes[node as usize];
            let Some(next) = thread.take().or(this.first) else { break };
            if !order.contains(&next) {
                order.push(next);
            }
            let is_own = |step| self.system.transition(step).thread == next;
            let below = this.below.iter().filter(|(step, _)| is_own(*step)).map(|(_, below)| *below);
            let Some(below) = below.clone().find(|below| !self.nodes[*below as usize].is_false) else { break };
            node = below;
            if order.len() == self.system.threads.len() {
                break;
            }
        }
        order
    }

    /// The verdict when nothing is left to expand.
    pub(super) fn judge(&mut self) -> Verdict {
        if self.undecided {
            return Verdict::Bounded(Limit::Undecided);
        }
        if self.counterexamples.is_empty() {
            return Verdict::Safe;
        }
        match self.good()[0] {
            true => Verdict::PartiallySafe,
            false => Verdict::Unsafe,
        }
    }
}
