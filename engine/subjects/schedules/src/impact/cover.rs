//! Coverings of both kinds.

use super::path::Undecided;
use super::{Cover, Fate, Purpose, Status, Step, Verifier};
use crate::art::NodeId;
use crate::formula::Predicates;
use litmoscope_core::program::system::TransitionId;

impl<P: Predicates> Verifier<P> {
    /// Whether a node counts for the verdict on all schedules: nothing above it is covered, and no run is known to be impossible before it
    /// gets there.
    pub(super) fn is_relevant(&self, node: u32) -> bool {
        let mut at = self.nodes[node as usize].above;
        while let Some((above, _)) = at {
            let above = &self.nodes[above as usize];
            if above.plain.is_some() || above.is_false {
                return false;
            }
            at = above.above;
        }
        true
    }

    fn common(&self, one: u32, other: u32) -> u32 {
        let (mut one, mut other) = (one, other);
        while one != other {
            let deeper =
                if self.nodes[one as usize].depth >= self.nodes[other as usize].depth { &mut one } else { &mut other };
            let Some((up, _)) = self.nodes[*deeper as usize].above else { return 0 };
            *deeper = up;
        }
        one
    }

    /// The older nodes at the same points that may cover a node, the oldest first.
    fn candidates(&self, node: u32) -> Vec<u32> {
        let same = self.same.get(&self.nodes[node as usize].points);
        let older = same.into_iter().flatten().copied().take_while(|other| *other < node);
        older
            .filter(|other| {
                let other = &self.nodes[*other as usize];
                !other.is_false && other.fate != Fate::Wrong
            })
            .collect()
    }

    /// Whether the label of one implies that of the other, perhaps after labels between it and their common ancestor became stronger.
    fn implies_label(&mut self, node: u32, by: u32, forced: bool) -> bool {
        let (label, goal) = (self.nodes[node as usize].label.clone(), self.nodes[by as usize].label.clone());
        match self.implies(&label, &goal) {
            Ok(true) => return true,
            Ok(false) => {}
            Err(Undecided) => return false,
        }
        if !forced {
            return false;
        }
        let common = self.common(node, by);
        if common == node {
            return false;
        }
        let (path, steps) = self.path(common, node);
        let Ok(predicates) = self.interpolants(&steps, goal) else { return false };
        let from = self.nodes[common as usize].label.clone();
        if !matches!(self.implies(&from, &predicates[0]), Ok(true)) {
            return false;
        }
        self.strengthen(Purpose::Cover, &path[1..], predicates[1..].to_vec());
        true
    }

    /// Covers a node plainly, if it counts and is not covered.
    pub(super) fn cover_plainly(&mut self, node: u32) {
        let this = &self.nodes[node as usize];
        if this.plain.is_some() || this.is_false || this.fate != Fate::Fine || !self.is_relevant(node) {
            return;
        }
        let candidates = self.candidates(node);
        for forced in [false, true] {
            for &by in &candidates {
                let other = &self.nodes[by as usize];
                if other.plain.is_some() || !self.is_relevant(by) {
                    continue;
                }
                if self.implies_label(node, by, forced) && self.nodes[node as usize].plain.is_none() {
                    self.set_plain(node, by);
                    return;
                }
            }
        }
    }

    fn set_plain(&mut self, node: u32, by: u32) {
        self.nodes[node as usize].plain = Some(by);
        self.nodes[by as usize].covers.push(node);
        self.steps.push_back(Step::Cover { node: NodeId(node), by: NodeId(by), kind: Cover::Plain });
        for thread in 0..self.system.threads.len() as u16 {
            if !self.may_skip(node, thread) && self.may_skip(by, thread) {
                self.kept.insert((by, thread));
            }
        }
        // What is below does not count any more, so it covers nothing.
        self.drop_below(node, Cover::Plain);
    }

    /// Drops the coverings of one kind by nodes below a node.
    pub(super) fn drop_below(&mut self, node: u32, kind: Cover) {
        let mut stack: Vec<u32> = self.nodes[node as usize].below.iter().map(|(_, below)| *below).collect();
        while let Some(at) = stack.pop() {
            stack.extend(self.nodes[at as usize].below.iter().map(|(_, below)| *below));
            for covered in self.nodes[at as usize].covers.clone() {
                self.uncover(covered, at, kind);
            }
        }
    }

    fn uncover(&mut self, node: u32, by: u32, kind: Cover) {
        let this = &mut self.nodes[node as usize];
        let of_kind = match kind {
            Cover::Plain => &mut this.plain,
            Cover::Fair => &mut this.fair,
        };
        if *of_kind == Some(by) {
            *of_kind = None;
            self.steps.push_back(Step::Uncover { node: NodeId(node), by: NodeId(by), kind });
            if kind == Cover::Fair {
                self.work.push(node);
                // What is below it counts again, and may close cycles with coverings that are newer.
                self.may_be_unfair = true;
            }
        }
    }

    /// Drops the coverings that close an unfair cycle since another one was dropped.
    ///
    /// The tree times the number of coverings, for each thread.
    pub(super) fn drop_unfair(&mut self) {
        let mut reached = rustc_hash::FxHashSet::default();
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            if reached.insert(at) {
                stack.extend(self.followers(at, None));
            }
        }
        let mut reached: Vec<u32> = reached.into_iter().collect();
        reached.sort_unstable();
        for node in reached {
            let Some(by) = self.nodes[node as usize].fair else { continue };
            if let Some(thread) = self.starved(node, by)
                && self.nodes[node as usize].fair == Some(by)
            {
                self.steps.push_back(Step::Unfair { node: NodeId(node), by: NodeId(by), thread });
                self.uncover(node, by, Cover::Fair);
            }
        }
    }

    /// Where schedules go on from a node, but for the steps of a thread: to what covers it, or else below.
    fn followers(&self, node: u32, without: Option<u16>) -> impl Iterator<Item = u32> + '_ {
        let this = &self.nodes[node as usize];
        let goes = move |step: &TransitionId| {
            let thread = self.system.transition(*step).thread;
            Some(thread) != without && this.threads[usize::from(thread)] == Status::Usable
        };
        let below =
            this.below.iter().filter(move |(step, _)| this.fair.is_none() && goes(step)).map(|(_, below)| *below);
        this.fair.into_iter().chain(below)
    }

    /// The label of a node became stronger: what it covers may be covered no more.
    pub(super) fn look_at_covered(&mut self, node: u32) {
        for covered in self.nodes[node as usize].covers.clone() {
            let other = &self.nodes[covered as usize];
            if other.plain != Some(node) && other.fair != Some(node) {
                continue;
            }
            if self.implies_label(covered, node, false) {
                continue;
            }
            self.uncover(covered, node, Cover::Plain);
            self.uncover(covered, node, Cover::Fair);
        }
        let nodes = &self.nodes;
        let kept = nodes[node as usize].covers.iter().copied().filter(|covered| {
            let covered = &nodes[*covered as usize];
            covered.plain == Some(node) || covered.fair == Some(node)
        });
        let kept = kept.collect();
        self.nodes[node as usize].covers = kept;
    }

    /// Covers a node fairly; whether it is covered so. In the midst of a round of a loop, nodes of the same iteration alone cover: where ways
    /// meet again. A schedule comes back to older ones at the end of a round, so that it is a new one.
    pub(super) fn cover_fairly(&mut self, node: u32) -> bool {
        let this = &self.nodes[node as usize];
        if this.fair.is_some() {
            return true;
        }
        let ends_round = this.above.is_none_or(|(_, step)| {
            let step = self.system.transition(step);
            step.is_back_jump || !self.system.point(usize::from(step.thread), step.to).is_active()
        });
        let mut candidates = self.candidates(node);
        candidates.retain(|by| ends_round || *by >= self.first);
        for forced in [false, true] {
            for &by in &candidates {
                let other = &self.nodes[by as usize];
                if other.fair.is_some() || !other.threads.contains(&Status::Usable) {
                    continue;
                }
                if let Some(thread) = self.starved(node, by) {
                    if !forced {
                        self.steps.push_back(Step::Unfair { node: NodeId(node), by: NodeId(by), thread });
                    }
                    continue;
                }
                if self.implies_label(node, by, forced) {
                    self.set_fair(node, by);
                    return true;
                }
            }
        }
        false
    }

    fn set_fair(&mut self, node: u32, by: u32) {
        self.nodes[node as usize].fair = Some(by);
        self.nodes[by as usize].covers.push(node);
        self.steps.push_back(Step::Cover { node: NodeId(node), by: NodeId(by), kind: Cover::Fair });
        self.drop_below(node, Cover::Fair);
    }

    /// A thread that is active at a node and would never run on some cycle that this covering closes, if there is one. On a way without
    /// steps of a thread its point stays the same, so it is active on all of the cycle or nowhere. A thread that is proven to wait at
    /// each node of the cycle is not starved.
    ///
    /// Linear in the tree for each thread.
    fn starved(&mut self, node: u32, by: u32) -> Option<u16> {
        let points = self.nodes[node as usize].points.clone();
        (0..points.len() as u16).find(|thread| {
            let point = self.system.point(usize::from(*thread), points[usize::from(*thread)]);
            let (is_active, may_block) = (point.is_active(), point.may_block);
            if !is_active || !self.leads(by, node, *thread) {
                return false;
            }
            !may_block || !self.waits_between(by, node, *thread)
        })
    }

    /// Whether a thread is proven to wait at each node through which one gets from a node to another without its steps.
    fn waits_between(&mut self, from: u32, to: u32, thread: u16) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![from];
        while let Some(at) = stack.pop() {
            if !seen.insert(at) || at != to && !self.leads(at, to, thread) {
                continue;
            }
            if !self.proves_waiting(at, thread) {
                return false;
            }
            if at != to {
                stack.extend(self.followers(at, Some(thread)));
            }
        }
        true
    }

    /// Whether one gets from a node to another by steps that schedules use, without any of a thread.
    fn leads(&self, from: u32, to: u32, without: u16) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![from];
        while let Some(at) = stack.pop() {
            if at == to {
                return true;
            }
            if !seen.insert(at) {
                continue;
            }
            stack.extend(self.followers(at, Some(without)));
        }
        false
    }
}
