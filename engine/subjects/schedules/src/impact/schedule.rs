//! Which thread runs next, where a schedule begins, and where it can't go on.

use super::path::Undecided;
use super::{Abandoned, Choice, Purpose, Status, Step, Verifier};
use crate::art::NodeId;
use crate::formula::Predicates;

impl<P: Predicates> Verifier<P> {
    fn active(&self, node: u32) -> impl Iterator<Item = u16> + '_ {
        let points = &self.nodes[node as usize].points;
        (0..points.len() as u16)
            .filter(move |thread| self.system.point(usize::from(*thread), points[usize::from(*thread)]).is_active())
    }

    fn status(&self, node: u32, thread: u16) -> Status {
        self.nodes[node as usize].threads[usize::from(thread)]
    }

    /// Whether a thread need not be expanded at a node, as its steps commute with the one that led there: it is done before that.
    pub(super) fn may_skip(&self, node: u32, thread: u16) -> bool {
        if !self.options.reduction || self.kept.contains(&(node, thread)) {
            return false;
        }
        let Some((above, step)) = self.nodes[node as usize].above else { return false };
        let last = self.system.transition(step);
        if thread >= last.thread || last.is_back_jump {
            return false;
        }
        // It has to be done there, which is one step earlier.
        if self.nodes[above as usize].points[usize::from(thread)]
            != self.nodes[node as usize].points[usize::from(thread)]
        {
            return false;
        }
        let point = self.nodes[node as usize].points[usize::from(thread)];
        let steps = &self.system.point(usize::from(thread), point).transitions;
        steps.iter().all(|step| self.system.transition(*step).is_independent(last))
    }

    /// The threads that could be expanded at a node, the one that should run next first. Those that partial-order reduction skips come last:
    /// a schedule has to go on.
    pub(super) fn preferred(&self, node: u32) -> Vec<u16> {
        let can = |thread: &u16| self.status(node, *thread) == Status::Fresh;
        let candidates: Vec<u16> = self.active(node).filter(can).collect();
        let last = self.nodes[node as usize].above.map(|(_, step)| self.system.transition(step));
        let mut order: Vec<u16> = match self.options.choice {
            Choice::LeastRecent => self.woken(node),
            Choice::RoundRobin => Vec::new(),
        };
        // Within a round of its loop, a thread goes on.
        if let Some(last) = last.filter(|last| !last.is_back_jump) {
            order.push(last.thread);
        }
        match self.options.choice {
            Choice::RoundRobin => {
                let threads = self.system.threads.len() as u16;
                let first = last.map_or(0, |last| last.thread + 1);
                order.extend((0..threads).map(|step| (first + step) % threads));
            }
            Choice::LeastRecent => {
                // By how long ago each ran last.
                let mut ran: Vec<u16> = Vec::new();
                let mut at = node;
                while let Some((above, step)) = self.nodes[at as usize].above {
                    let thread = self.system.transition(step).thread;
                    if !ran.contains(&thread) {
                        ran.push(thread);
                    }
                    at = above;
                }
                let never = (0..self.system.threads.len() as u16).filter(|thread| !ran.contains(thread));
                order.extend(never);
                order.extend(ran.iter().rev());
            }
        }
        let mut chosen: Vec<u16> = Vec::new();
        for thread in order {
            if candidates.contains(&thread) && !chosen.contains(&thread) {
                chosen.push(thread);
            }
        }
        chosen.sort_by_key(|thread| self.may_skip(node, *thread));
        chosen
    }

    /// Whether a thread is enabled in the state that was met at a node, if one was.
    fn enabled_in_sample(&self, node: u32, thread: u16) -> Option<bool> {
        let state = self.nodes[node as usize].sample.as_ref()?;
        let successors = self.system.successors(state, usize::from(thread)).ok()?;
        Some(!successors.is_empty())
    }

    /// The threads that waited when it was their turn, and do so no more, the one that waits longest first.
    fn woken(&self, node: u32) -> Vec<u16> {
        let (mut ran, mut waited) = (Vec::new(), Vec::new());
        let mut at = node;
        while let Some((above, step)) = self.nodes[at as usize].above {
            let thread = self.system.transition(step).thread;
            if !ran.contains(&thread) {
                ran.push(thread);
            }
            for thread in &self.nodes[above as usize].waited {
                if !ran.contains(thread) && !waited.contains(thread) {
                    waited.push(*thread);
                }
            }
            at = above;
        }
        waited.reverse();
        waited.retain(|thread| self.enabled_in_sample(node, *thread) == Some(true));
        waited
    }

    /// Expands a thread at a node. Whether the schedule goes on with it.
    pub(super) fn expand(&mut self, node: u32, thread: u16) -> bool {
        let status = self.look_whether_enabled(node, thread);
        self.nodes[node as usize].threads[usize::from(thread)] = status;
        if status == Status::Disabled {
            self.nodes[node as usize].waited.push(thread);
            return false;
        }
        let point = self.nodes[node as usize].points[usize::from(thread)];
        let system = self.system.clone();
        let mut below = Vec::new();
        for &step in &system.point(usize::from(thread), point).transitions {
            let mut points = self.nodes[node as usize].points.clone();
            points[usize::from(thread)] = system.transition(step).to;
            let all = self.predicates.truth(true);
            below.push((step, self.add(Some((node, step)), points, all)));
        }
        let this = &mut self.nodes[node as usize];
        this.below.extend(&below);
        this.below.sort_unstable();
        self.steps.push_back(Step::Expand {
            node: NodeId(node),
            thread,
            below: below.iter().map(|(step, node)| (*step, NodeId(*node))).collect(),
        });
        if status == Status::Dropped && !self.options.complete {
            self.steps.push_back(Step::Abandon { node: NodeId(node), thread, why: Abandoned::MayWait });
            return false;
        }
        self.nodes[node as usize].first.get_or_insert(thread);
        // Errors are looked at first, and then the ways in the order of the text.
        let (wrong, right): (Vec<u32>, Vec<u32>) =
            below.iter().rev().map(|(_, node)| *node).partition(|node| self.is_error(*node));
        self.work.extend(right);
        self.work.extend(wrong);
        true
    }

    /// Whether a thread is enabled at a node in all runs along the path to it, in none, or neither is proven.
    fn look_whether_enabled(&mut self, node: u32, thread: u16) -> Status {
        let point = self.nodes[node as usize].points[usize::from(thread)];
        if !self.system.point(usize::from(thread), point).may_block {
            return Status::Usable;
        }
        let Some(enabled) = self.symbols.enabled(usize::from(thread), point.0 as usize) else { return Status::Dropped };
        let Some(enabled) = self.predicate(enabled) else {
            self.undecided = true;
            return Status::Dropped;
        };
        let sample = self.enabled_in_sample(node, thread);
        if sample != Some(false) {
            match self.prove(Purpose::Enabled, node, enabled.clone()) {
                Ok(None) => {
                    self.steps.push_back(Step::Proven { node: NodeId(node), thread });
                    return Status::Usable;
                }
                Ok(Some(_)) if sample == Some(true) => return Status::Dropped,
                Ok(Some(_)) => {}
                Err(Undecided) => {
                    self.undecided = true;
                    return Status::Dropped;
                }
            }
        }
        let waits = self.predicates.not(&enabled);
        match self.prove(Purpose::Disabled, node, waits) {
            Ok(None) => {
                self.steps.push_back(Step::Refuted { node: NodeId(node), thread });
                Status::Disabled
            }
            Ok(Some(_)) => Status::Dropped,
            Err(Undecided) => {
                self.undecided = true;
                Status::Dropped
            }
        }
    }

    /// Whether a thread is proven to wait at a node.
    pub(super) fn proves_waiting(&mut self, node: u32, thread: u16) -> bool {
        match self.status(node, thread) {
            Status::Disabled => return true,
            Status::Usable | Status::Dropped => return false,
            Status::Fresh => {}
        }
        if self.enabled_in_sample(node, thread) == Some(true) {
            return false;
        }
        let point = self.nodes[node as usize].points[usize::from(thread)];
        let Some(enabled) = self.symbols.enabled(usize::from(thread), point.0 as usize) else { return false };
        let Some(enabled) = self.predicate(enabled) else { return false };
        let waits = self.predicates.not(&enabled);
        if !matches!(self.prove(Purpose::Disabled, node, waits), Ok(None)) {
            return false;
        }
        self.nodes[node as usize].threads[usize::from(thread)] = Status::Disabled;
        self.steps.push_back(Step::Refuted { node: NodeId(node), thread });
        true
    }

    /// The schedule can't go on at a node as it is: another thread is tried there, or further up.
    pub(super) fn settle(&mut self, node: u32) {
        if self.options.complete {
            return;
        }
        let mut at = node;
        loop {
            // What was verified stays.
            if self.nodes[at as usize].threads.contains(&Status::Usable) || self.nodes[at as usize].fair.is_some() {
                return;
            }
            for thread in self.preferred(at) {
                if self.expand(at, thread) {
                    return;
                }
            }
            match self.abandon(at) {
                Some(above) => at = above,
                None => return,
            }
        }
    }

    /// The same where nothing is to be tried at the node itself.
    pub(super) fn settle_above(&mut self, node: u32) {
        if self.options.complete {
            return;
        }
        if let Some(above) = self.abandon(node) {
            self.settle(above);
        }
    }

    /// Drops the thread that leads to a node; the node above it.
    fn abandon(&mut self, node: u32) -> Option<u32> {
        let (above, step) = self.nodes[node as usize].above?;
        let thread = self.system.transition(step).thread;
        let status = &mut self.nodes[above as usize].threads[usize::from(thread)];
        if *status == Status::Usable {
            *status = Status::Dropped;
            self.steps.push_back(Step::Abandon { node: NodeId(above), thread, why: Abandoned::DeadEnd });
        }
        Some(above)
    }

    /// The first node, breadth first, that counts and where something is left to look at: a thread to expand, or the node itself.
    ///
    /// To cover one node may uncover another one that was passed before: then all are looked at once more, and none is covered.
    pub(super) fn next_start(&mut self) -> Option<(u32, Option<u16>)> {
        let before = self.steps.len();
        let found = self.look_for_start(true);
        if found.is_none() && self.steps.len() > before { self.look_for_start(false) } else { found }
    }

    fn look_for_start(&mut self, covers: bool) -> Option<(u32, Option<u16>)> {
        let mut queue = std::collections::VecDeque::from([0u32]);
        while let Some(node) = queue.pop_front() {
            let this = &self.nodes[node as usize];
            if this.is_false || this.fate == super::Fate::Wrong || this.plain.is_some() {
                continue;
            }
            if this.fate == super::Fate::Fresh {
                return Some((node, None));
            }
            if let Some(thread) = self.preferred_start(node) {
                if node != 0 && covers {
                    self.cover_plainly(node);
                    if self.nodes[node as usize].plain.is_some() {
                        continue;
                    }
                }
                return Some((node, Some(thread)));
            }
            queue.extend(self.nodes[node as usize].below.iter().map(|(_, below)| *below));
        }
        None
    }

    /// The first thread that is left to expand at a node.
    fn preferred_start(&self, node: u32) -> Option<u16> {
        self.active(node).find(|thread| self.status(node, *thread) == Status::Fresh && !self.may_skip(node, *thread))
    }
}
