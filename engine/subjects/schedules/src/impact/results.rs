//! What the tree says so far: schedules that are proven right, and the verdict.

use super::{Fate, Found, Limit, Status, Step, Verdict, Verifier};
use crate::art::{Art, Node, NodeId};
use crate::formula::Predicates;
use crate::reduce::{recency_product, remove_error_paths};
use litmoscope_core::program::system::{System, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The tree of the schedules that are right, its nodes in the verifier's tree, and the pairs of a node and a thread that it allows.
type Kept = (Art, Vec<NodeId>, FxHashSet<(u32, u16)>);

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
        if this.fate != Fate::Fine {
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
    fn kept_tree(&mut self) -> Option<Kept> {
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
        let mut is_detached = false;
        for &node in &order {
            let label = self.plain_label(node);
            let this = &self.nodes[node as usize];
            let below = this.below.iter().filter_map(|(step, below)| Some((*step, *places.get(below)?)));
            let above = this.above.and_then(|(above, step)| Some((*places.get(&above)?, step)));
            let above = above.filter(|(_, step)| {
                this.above.is_some_and(|(old, _)| pairs.contains(&(old, self.system.transition(*step).thread)))
            });
            is_detached |= above.is_none() && node != 0;
            nodes.push(Node {
                above,
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
        let mut art = Art { nodes };
        if is_detached {
            // The first node that it covers takes the place of a coverer to which no schedule leads.
            let empty: Vec<bool> = order.iter().map(|node| self.nodes[*node as usize].is_false).collect();
            art = remove_error_paths(&self.system, &art, |node| empty[node.0 as usize])?;
        }
        Some((art, order.into_iter().map(NodeId).collect(), pairs))
    }

    /// The label of a node, as a term.
    fn plain_label(&mut self, node: u32) -> Arc<Term> {
        let label = self.nodes[node as usize].label.clone();
        let formula = self.predicates.formula(&label);
        if let Some(label) = self.plain.get(&formula) {
            return label.clone();
        }
        let label = self.predicates.store().plain(formula);
        self.plain.insert(formula, label.clone());
        label
    }

    /// What is right of the whole tree with its plain coverings, made fair; `None` if nothing is, or it does not become fair.
    fn fair_part(&mut self) -> Option<Art> {
        let mut places: FxHashMap<u32, NodeId> = FxHashMap::default();
        let mut order = Vec::new();
        let mut stack = vec![0u32];
        while let Some(node) = stack.pop() {
            order.push(node);
            let this = &self.nodes[node as usize];
            if this.plain.is_none() && !this.is_false {
                stack.extend(this.below.iter().map(|(_, below)| *below));
            }
        }
        order.sort_unstable();
        places.extend(order.iter().copied().zip((0..).map(NodeId)));
        let (mut nodes, mut empty) = (Vec::new(), Vec::new());
        for &node in &order {
            let label = self.plain_label(node);
            let this = &self.nodes[node as usize];
            let below = this.below.iter().filter(|(step, below)| {
                let thread = usize::from(self.system.transition(*step).thread);
                this.threads[thread] == Status::Usable
                    || this.threads[thread] == Status::Dropped
                        && self.is_sure(node, thread)
                        && places.contains_key(below)
            });
            let below = below.filter_map(|(step, below)| Some((*step, *places.get(below)?)));
            empty.push(this.is_false);
            nodes.push(Node {
                above: this.above.and_then(|(above, step)| Some((*places.get(&above)?, step))),
                points: this.points.clone(),
                label,
                below: if this.fate == Fate::Wrong { Vec::new() } else { below.collect() },
                covered_by: this.plain.and_then(|by| places.get(&by).copied()),
            });
        }
        let art = remove_error_paths(&self.system, &Art { nodes }, |node| empty[node.0 as usize])?;
        let none = |node: &Node| node.label.known() == Some(0);
        let fair = recency_product(&self.system, &art, |node| none(art.node(node)), self.options.nodes).ok()?;
        is_fair(&self.system, &fair).then_some(fair)
    }

    /// Whether a thread that no schedule uses at a node is enabled there all the same.
    fn is_sure(&self, node: u32, thread: usize) -> bool {
        let point = self.nodes[node as usize].points[thread];
        !self.system.point(thread, point).may_block
    }

    /// An iteration is over.
    pub(super) fn publish(&mut self) {
        if self.options.complete {
            if !self.counterexamples.is_empty() {
                self.end(Verdict::Unsafe);
            }
            return;
        }
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
        if self.good()[0] {
            return Verdict::PartiallySafe;
        }
        let Some(art) = self.fair_part() else { return Verdict::Unsafe };
        let (iteration, gained) = (self.iteration, art.nodes.len());
        self.found.push(Found { iteration, art: Some(art), nodes: Vec::new(), gained, lost: 0, order: Vec::new() });
        self.steps.push_back(Step::Result(self.found.len() - 1));
        Verdict::PartiallySafe
    }
}

/// Whether each thread runs on each cycle on which it is active.
fn is_fair(system: &System, art: &Art) -> bool {
    let starves = |from: NodeId, to: NodeId, thread: u16| {
        let mut seen = FxHashSet::default();
        let mut stack = vec![from];
        while let Some(at) = stack.pop() {
            if at == to {
                return true;
            }
            if seen.insert(at) {
                let node = art.node(at);
                stack.extend(node.covered_by);
                let others = node.below.iter().filter(|(step, _)| system.transition(*step).thread != thread);
                stack.extend(others.map(|(_, below)| *below));
            }
        }
        false
    };
    (0..art.nodes.len() as u32).map(NodeId).all(|node| {
        let Some(by) = art.node(node).covered_by else { return true };
        art.node(node)
            .points
            .iter()
            .enumerate()
            .all(|(thread, point)| !system.point(thread, *point).is_active() || !starves(by, node, thread as u16))
    })
}
