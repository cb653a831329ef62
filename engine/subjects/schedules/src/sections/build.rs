//! From a tree to its sections.

use super::known::Known;
use super::order::{Accesses, Order};
use super::{BuildError, MAX_EVENTS, Opt, Options, ProgramSchedule, REPEATS, Section, SectionEvent, drops};
use crate::art::{Art, NodeId};
use litmoscope_core::program::system::{System, TransitionId};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many events all sections have together.
const MAX_ALL_EVENTS: usize = 1 << 20;

/// A section before it is ordered.
pub(super) struct Draft {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) steps: Vec<Step>,
    repeats: u32,
    /// By step: the node of the tree from which it goes.
    nodes: Vec<NodeId>,
    /// No other section begins where it does.
    pub(super) is_alone: bool,
}

/// A step of a path.
pub(super) struct Step {
    pub(super) thread: u16,
    pub(super) transition: TransitionId,
    pub(super) accesses: Accesses,
}

struct Tree<'a> {
    system: &'a System,
    art: &'a Art,
    /// By node: no execution gets there.
    dead: Vec<bool>,
    /// By node: the threads that may be scheduled there.
    ready: Vec<Vec<u16>>,
}

impl Tree<'_> {
    /// The node from which one goes on: itself, or what covers it.
    fn goes_on_at(&self, id: NodeId) -> Result<NodeId, BuildError> {
        let mut at = id;
        for _ in 0..=self.art.nodes.len() {
            match self.art.node(at).covered_by {
                None => return Ok(at),
                Some(other) => at = other,
            }
        }
        Err(BuildError::Covered(id))
    }

    /// Whether all threads have ended.
    fn is_end(&self, id: NodeId) -> bool {
        let points = self.art.node(id).points.iter().enumerate();
        points.into_iter().all(|(thread, point)| !self.system.point(thread, *point).is_active())
    }

    /// The threads that may be scheduled at a node.
    fn ready(&self, id: NodeId, goes_on: &mut impl FnMut(NodeId, u16) -> bool) -> Vec<u16> {
        let mut threads = self.art.expanded(self.system, id);
        threads.retain(|thread| self.art.is_fully_expanded(self.system, id, *thread));
        if threads.len() > 1 {
            let may_block = |thread: u16| {
                let point = self.art.node(id).points[usize::from(thread)];
                self.system.point(thread.into(), point).may_block
            };
            threads.retain(|thread| !may_block(*thread) || goes_on(id, *thread));
        }
        threads
    }

    fn is_blocked(&self, id: NodeId, thread: u16) -> bool {
        let below = self.art.node(id).below.iter();
        let mut own = below.filter(|(step, _)| self.system.transition(*step).thread == thread);
        own.all(|(_, to)| self.dead[to.0 as usize])
    }

    /// The thread that is scheduled at a node: of those that may, the one whose last step above is farthest.
    fn scheduled(&self, id: NodeId) -> Option<u16> {
        let mut ready = self.ready[id.0 as usize].clone();
        ready.retain(|thread| !self.is_blocked(id, *thread));
        let mut at = id;
        while ready.len() > 1
            && let Some((above, transition)) = self.art.node(at).above
        {
            let thread = self.system.transition(transition).thread;
            ready.retain(|other| *other != thread);
            at = above;
        }
        ready.first().copied()
    }

    /// The ways on that some execution takes, of the scheduled thread.
    fn ways(&self, id: NodeId) -> Result<Vec<(TransitionId, NodeId)>, BuildError> {
        if self.is_end(id) {
            return Ok(Vec::new());
        }
        let thread = self.scheduled(id).ok_or(BuildError::NotExpanded(id))?;
        let below = self.art.node(id).below.iter().copied();
        let is_way = |&(transition, to): &(TransitionId, NodeId)| {
            self.system.transition(transition).thread == thread && !self.dead[to.0 as usize]
        };
        Ok(below.filter(is_way).collect())
    }

    /// Finds the nodes to which no execution gets: those labelled false, those that such a node covers, and those at which threads may be scheduled, each
    /// with nothing but such nodes below.
    fn bury(&mut self) {
        let count = self.art.nodes.len();
        for at in 0..count {
            self.dead[at] = self.art.nodes[at].label.known() == Some(0);
        }
        // The children are behind their parents, so one pass is nearly always enough.
        loop {
            let mut changed = false;
            for at in (0..count).rev().filter(|at| !self.dead[*at]).collect::<Vec<_>>() {
                let (id, node) = (NodeId(at as u32), &self.art.nodes[at]);
                let is_dead = match node.covered_by {
                    Some(coverer) => self.dead[coverer.0 as usize],
                    None => {
                        let ready = &self.ready[at];
                        !ready.is_empty() && ready.iter().all(|thread| self.is_blocked(id, *thread))
                    }
                };
                self.dead[at] |= is_dead;
                changed |= is_dead;
            }
            if !changed {
                return;
            }
        }
    }

    fn draft(&self) -> Result<(Vec<NodeId>, Vec<Draft>), BuildError> {
        let root = self.goes_on_at(NodeId(0))?;
        let mut starts = vec![root];
        let mut place: FxHashMap<NodeId, usize> = FxHashMap::from_iter([(root, 0)]);
        let (mut drafts, mut events) = (Vec::new(), 0);
        let mut at = 0;
        while let Some(&start) = starts.get(at) {
            let ways = if self.dead[start.0 as usize] { Vec::new() } else { self.ways(start)? };
            let is_alone = ways.len() == 1;
            for (transition, to) in ways {
                let (mut path, mut nodes) = (vec![transition], vec![start]);
                let mut been = FxHashSet::default();
                let mut end = self.goes_on_at(to)?;
                while path.len() < MAX_EVENTS && !place.contains_key(&end) && been.insert(end) {
                    self.is_right(end)?;
                    let ways = self.ways(end)?;
                    let [(transition, to)] = ways[..] else { break };
                    path.push(transition);
                    nodes.push(end);
                    end = self.goes_on_at(to)?;
                }
                events += path.len();
                if events > MAX_ALL_EVENTS {
                    return Err(BuildError::TooLarge(MAX_ALL_EVENTS));
                }
                let to = *place.entry(end).or_insert_with(|| {
                    starts.push(end);
                    starts.len() - 1
                });
                let steps = path.into_iter().map(|transition| {
                    let of = self.system.transition(transition);
                    let accesses = Accesses { reads: of.reads.to_vec(), writes: of.writes.to_vec() };
                    Step { thread: of.thread, transition, accesses }
                });
                drafts.push(Draft { from: at, to, steps: steps.collect(), repeats: 1, nodes, is_alone });
            }
            at += 1;
        }
        Ok((starts, drafts))
    }

    fn is_right(&self, id: NodeId) -> Result<(), BuildError> {
        let mut points = self.art.node(id).points.iter().enumerate();
        match points.any(|(thread, point)| self.system.point(thread, *point).is_error()) {
            true => Err(BuildError::Wrong(id)),
            false => Ok(()),
        }
    }

    /// Repeats a section that leads back to its start, and tells elements of arrays apart.
    fn loosen(&self, draft: &mut Draft) {
        let length = draft.steps.len();
        if draft.from == draft.to && draft.is_alone {
            draft.repeats = (MAX_EVENTS / length).clamp(1, REPEATS as usize) as u32;
        }
        let mut known = Known::default();
        let mut steps = Vec::new();
        for _ in 0..draft.repeats {
            for (step, from) in draft.steps.iter().zip(&draft.nodes) {
                known.learn(&self.art.node(*from).label);
                let accesses = known.step(self.system, step.transition);
                steps.push(Step { thread: step.thread, transition: step.transition, accesses });
            }
        }
        draft.steps = steps;
    }
}

pub(super) fn build(
    system: &System,
    art: &Art,
    options: Options,
    goes_on: &mut impl FnMut(NodeId, u16) -> bool,
) -> Result<ProgramSchedule, BuildError> {
    let mut tree = Tree { system, art, dead: vec![false; art.nodes.len()], ready: Vec::new() };
    tree.ready = (0..art.nodes.len()).map(|at| tree.ready(NodeId(at as u32), goes_on)).collect();
    tree.bury();
    let (starts, mut drafts) = tree.draft()?;
    starts.iter().filter(|start| !tree.dead[start.0 as usize]).try_for_each(|start| tree.is_right(*start))?;
    if options.opt == Opt::Opt2 {
        drafts.iter_mut().for_each(|draft| tree.loosen(draft));
    }
    let dropped = match options.opt {
        Opt::Opt0 => Vec::new(),
        _ if options.keeps_all => Vec::new(),
        Opt::Opt1 | Opt::Opt2 => drops::drops(system, &drafts),
    };
    let mut schedule = ProgramSchedule {
        threads: system.threads.len(),
        nodes: starts.into_iter().map(Some).collect(),
        sections: Vec::new(),
        dropped,
        then_free: false,
    };
    for draft in drafts {
        let path = draft.steps.iter().map(|step| step.transition).collect();
        let kept: Vec<&Step> = (draft.steps.iter())
            .filter(|step| !schedule.is_dropped(step.thread, system.transition(step.transition).from))
            .collect();
        let after = match options.opt {
            Opt::Opt0 => (0..kept.len()).map(|at: usize| at.checked_sub(1).into_iter().collect()).collect(),
            _ => Order::of(kept.iter().map(|step| (step.thread, &step.accesses)), schedule.threads).after,
        };
        let event = |(step, after): (&Step, Vec<usize>)| SectionEvent {
            thread: step.thread,
            transition: step.transition,
            after,
        };
        let events = kept.into_iter().zip(after).map(event).collect();
        schedule.sections.push(Section { from: draft.from, to: draft.to, events, path, repeats: draft.repeats });
    }
    Ok(schedule)
}
