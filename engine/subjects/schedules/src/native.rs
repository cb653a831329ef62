//! What threads of a machine need to know of a program: which mutexes are locks of the runtime, which rounds are useful.

use litmoscope_core::program::Input;
use litmoscope_core::program::system::{
    EventKind, Point, PointId, PointKind, System, Term, Transition, TransitionId, Variable,
};
use litmoscope_core::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a program is to those who run it.
pub(crate) struct Native {
    /// By number of a lock of the runtime: the mutex.
    pub(crate) locks: Vec<Variable>,
    /// By mutex: its number.
    numbers: BTreeMap<Variable, usize>,
    /// By transition: a round ends with it.
    ends: Vec<bool>,
    /// By transition: it makes its round useful.
    works: Vec<bool>,
    /// By thread: its rounds are useful only if it writes in them.
    pub(crate) has_to_work: Vec<bool>,
}

/// What a lock or unlock is to the runtime.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lock {
    pub(crate) number: usize,
    /// It is taken here, else freed.
    pub(crate) takes: bool,
}

pub(crate) fn accessed(transition: &Transition) -> impl Iterator<Item = Variable> {
    transition.reads.iter().chain(&transition.writes).copied()
}

fn variables(system: &System, point: &Point) -> BTreeSet<Variable> {
    point.transitions.iter().flat_map(|id| accessed(system.transition(*id))).collect()
}

pub(crate) fn has_shared(system: &System, term: &Arc<Term>) -> bool {
    let mut found = false;
    term.each_variable(&mut |variable| found |= (variable.0 as usize) < system.shared());
    found
}

/// A value of an input, each as likely as the others.
pub(crate) fn draw(input: &Input, random: &mut Random) -> i64 {
    match input.plain() {
        Input::Range(first, last) => match last.wrapping_sub(*first) as u64 {
            // The range of all integers.
            u64::MAX => (random.below(1 << 32) << 32 | random.below(1 << 32)) as i64,
            last => first.wrapping_add(random.below(last + 1) as i64),
        },
        Input::Values(values) => values[random.below(values.len() as u64) as usize],
        Input::Random(_) => 0,
    }
}

fn lock_kind(point: &Point) -> Option<bool> {
    match point.kind {
        PointKind::Event(EventKind::Lock) => Some(true),
        PointKind::Event(EventKind::Unlock) => Some(false),
        _ => None,
    }
}

impl Native {
    pub(crate) fn of(system: &System) -> Self {
        let mut mutexes = BTreeSet::new();
        let mut others = BTreeSet::new();
        for point in system.threads.iter().flat_map(|thread| &thread.points) {
            let variables = variables(system, point);
            match (lock_kind(point), variables.first()) {
                (Some(_), Some(mutex)) if variables.len() == 1 => {
                    mutexes.insert(*mutex);
                }
                _ => others.extend(variables),
            }
        }
        // One that is in an atomic block, or has a computed index, is a variable like others.
        let locks: Vec<Variable> = mutexes.difference(&others).copied().collect();
        let numbers: BTreeMap<_, _> = locks.iter().enumerate().map(|(number, mutex)| (*mutex, number)).collect();
        let mut this = Self {
            locks,
            numbers,
            ends: vec![false; system.transitions.len()],
            works: vec![false; system.transitions.len()],
            has_to_work: Vec::new(),
        };
        (0..system.threads.len()).for_each(|thread| this.rounds(system, thread));
        this
    }

    /// The lock that a point takes or frees.
    pub(crate) fn lock(&self, system: &System, point: &Point) -> Option<Lock> {
        let takes = lock_kind(point)?;
        let mutex = *variables(system, point).first()?;
        Some(Lock { number: *self.numbers.get(&mutex)?, takes })
    }

    /// Whether a round ends with a transition.
    pub(crate) fn ends_round(&self, id: TransitionId) -> bool {
        self.ends[id.0 as usize]
    }

    /// Whether a transition makes its round useful.
    pub(crate) fn works(&self, id: TransitionId) -> bool {
        self.works[id.0 as usize]
    }

    /// Finds where rounds of a thread end: where it is back at a point at which it came into an outermost loop. A thread that writes
    /// something other than mutexes in its loops does so in each useful round.
    fn rounds(&mut self, system: &System, thread: usize) {
        let of = &system.threads[thread];
        let steps = || of.points.iter().flat_map(|point| &point.transitions).map(|id| (*id, system.transition(*id)));
        let edges: Vec<(usize, usize)> = steps().map(|(_, step)| (step.from.0 as usize, step.to.0 as usize)).collect();
        let loops = loops(of.points.len(), &edges);
        let is_inner = |from: PointId, to: PointId| {
            loops[from.0 as usize].is_some() && loops[from.0 as usize] == loops[to.0 as usize]
        };
        let mut entered = BTreeSet::from([of.start]);
        entered.extend(steps().filter(|(_, step)| !is_inner(step.from, step.to)).map(|(_, step)| step.to));
        let mut has_to_work = false;
        for (id, step) in steps() {
            let is_inner = is_inner(step.from, step.to);
            self.ends[id.0 as usize] = is_inner && entered.contains(&step.to);
            let is_lock = lock_kind(&of.points[step.from.0 as usize]).is_some();
            self.works[id.0 as usize] = is_inner && !is_lock && !step.writes.is_empty();
            has_to_work |= self.works[id.0 as usize];
        }
        self.has_to_work.push(has_to_work);
    }
}

/// By node: the number of the strongly connected component that it is in, if that has an edge.
fn loops(nodes: usize, edges: &[(usize, usize)]) -> Vec<Option<usize>> {
    let mut forth = vec![Vec::new(); nodes];
    let mut back = vec![Vec::new(); nodes];
    for &(from, to) in edges {
        forth[from].push(to);
        back[to].push(from);
    }
    // Kosaraju: nodes in the order in which they are left, then backwards from the last one.
    let mut left = Vec::new();
    let mut seen = vec![false; nodes];
    for start in 0..nodes {
        let mut work = vec![(start, 0)];
        while let Some((node, next)) = work.pop() {
            if next == 0 && std::mem::replace(&mut seen[node], true) {
                continue;
            }
            match forth[node].get(next) {
                Some(&to) => work.extend([(node, next + 1), (to, 0)]),
                None => left.push(node),
            }
        }
    }
    let mut found = vec![None; nodes];
    for (count, &start) in left.iter().rev().enumerate() {
        let mut work = vec![start];
        while let Some(node) = work.pop() {
            if found[node].is_none() {
                found[node] = Some(count);
                work.extend(&back[node]);
            }
        }
    }
    let has_edge: BTreeSet<_> =
        edges.iter().filter(|(from, to)| found[*from] == found[*to]).map(|(from, _)| found[*from]).collect();
    found.into_iter().map(|component| component.filter(|_| has_edge.contains(&component))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_those_that_reach_each_other() {
        let found = loops(6, &[(0, 1), (1, 2), (2, 1), (2, 3), (3, 4), (4, 4)]);
        assert_eq!(found[0], None);
        assert!(found[1].is_some() && found[1] == found[2]);
        assert_eq!(found[3], None);
        assert!(found[4].is_some() && found[4] != found[1]);
        assert_eq!(found[5], None);
    }
}
