//! Events that need not happen, since the schedule implies what they are for.
//!
//! If some events are dropped, those that are left are ordered where they are dependent. All linear extensions of that lead to the same
//! values of all other variables as the path does. So nothing goes wrong whatever is dropped, as long as no event that is left depends
//! on a variable of one that is not. Still, threads that are in critical sections of one mutex at the same time are not what the program
//! says, and their user may have put more between lock and unlock than we see. So a mutex is dropped only if its critical sections stay
//! ordered, and what waits if all that is left stays ordered as it was.

use super::build::{Draft, Step};
use super::order::{Order, has_circle};
use super::silent_guard;
use litmoscope_core::program::system::{EventKind, Point, PointId, PointKind, System, Transition, Variable};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

type Points = BTreeSet<(u16, PointId)>;

struct Drops<'a> {
    system: &'a System,
    drafts: &'a [Draft],
    /// Points whose events decide between sections.
    choosing: FxHashSet<(u16, PointId)>,
}

fn accessed(transition: &Transition) -> impl Iterator<Item = Variable> {
    transition.reads.iter().chain(&transition.writes).copied()
}

fn place(system: &System, step: &Step) -> (u16, PointId) {
    (step.thread, system.transition(step.transition).from)
}

/// The points whose events are dropped, ascending.
pub(super) fn drops(system: &System, drafts: &[Draft]) -> Vec<(u16, PointId)> {
    let choosing = drafts.iter().filter(|draft| !draft.is_alone).map(|draft| place(system, &draft.steps[0])).collect();
    let this = Drops { system, drafts, choosing };
    let mut mutexes = this.mutexes();
    let mut points: Points = mutexes.values().flatten().copied().collect();
    while let Some(kept) = this.refused(&mutexes, &points) {
        let back = mutexes.remove(&kept).unwrap_or_default();
        points.retain(|point| !back.contains(point));
    }
    for candidate in this.waits() {
        points.insert(candidate);
        if !this.is_implied(&points, candidate) {
            points.remove(&candidate);
        }
    }
    points.into_iter().collect()
}

impl Drops<'_> {
    fn points(&self) -> impl Iterator<Item = ((u16, PointId), &Point)> {
        self.system.threads.iter().enumerate().flat_map(|(thread, of)| {
            of.points.iter().enumerate().map(move |(at, point)| ((thread as u16, PointId(at as u32)), point))
        })
    }

    /// The mutexes that might be dropped, each with the points that lock and unlock it.
    fn mutexes(&self) -> BTreeMap<Variable, Points> {
        let mut found: BTreeMap<Variable, Points> = BTreeMap::new();
        let mut others: FxHashSet<Variable> = FxHashSet::default();
        for (place, point) in self.points() {
            let steps = point.transitions.iter().map(|id| self.system.transition(*id));
            let variables: BTreeSet<Variable> = steps.flat_map(accessed).collect();
            let is_lock = matches!(point.kind, PointKind::Event(EventKind::Lock | EventKind::Unlock));
            match variables.first() {
                Some(mutex)
                    if is_lock
                        && variables.len() == 1
                        && !self.choosing.contains(&place)
                        && !self.may_go_wrong(point) =>
                {
                    found.entry(*mutex).or_default().insert(place);
                }
                _ => others.extend(variables),
            }
        }
        found.retain(|mutex, _| !others.contains(mutex));
        found
    }

    /// Whether a thread that goes on from a point without asking may go wrong there: the schedule may end in front of it, or let others
    /// run for ever.
    fn may_go_wrong(&self, point: &Point) -> bool {
        point.transitions.iter().any(|id| {
            let step = self.system.transition(*id);
            let is_error = self.system.point(step.thread.into(), step.to).is_error();
            is_error && silent_guard(self.system, *id).is_some()
        })
    }

    fn is_dropped(&self, points: &Points, step: &Step) -> bool {
        points.contains(&place(self.system, step))
    }

    /// A mutex that has to be kept, if all these are dropped.
    fn refused(&self, mutexes: &BTreeMap<Variable, Points>, points: &Points) -> Option<Variable> {
        let of = |place: &(u16, PointId)| mutexes.iter().find(|(_, points)| points.contains(place)).map(|(at, _)| *at);
        if let Some(place) = self.silent_circle(points) {
            return of(&place);
        }
        for draft in self.drafts {
            let kept: Vec<usize> =
                (0..draft.steps.len()).filter(|at| !self.is_dropped(points, &draft.steps[*at])).collect();
            if kept.is_empty() {
                return of(&place(self.system, &draft.steps[0]));
            }
            let steps = kept.iter().map(|at| &draft.steps[*at]);
            let order = Order::of(steps.map(|step| (step.thread, &step.accesses)), self.system.threads.len());
            if let Some(mutex) = mutexes.keys().find(|mutex| !self.is_exclusive(draft, **mutex, &kept, &order)) {
                return Some(*mutex);
            }
        }
        None
    }

    /// Whether all that is left of any two critical sections is ordered.
    fn is_exclusive(&self, draft: &Draft, mutex: Variable, kept: &[usize], order: &Order) -> bool {
        let kind = |step: &Step| {
            let transition = self.system.transition(step.transition);
            let is_it = accessed(transition).any(|variable| variable == mutex);
            let point = self.system.point(step.thread.into(), transition.from);
            (is_it && point.kind == PointKind::Event(EventKind::Lock), is_it)
        };
        // Who unlocks before anybody locks has held it from the start.
        let first = draft.steps.iter().map(|step| (step.thread, kind(step))).find(|(_, (_, is_it))| *is_it);
        let mut holder = first.and_then(|(thread, (locks, _))| (!locks).then_some(thread));
        let mut last: Option<usize> = None;
        // The events of the critical section at hand; and the last one of those before it.
        let mut inner: Option<usize> = None;
        let mut next = 0;
        for (at, step) in draft.steps.iter().enumerate() {
            let (locks, is_it) = kind(step);
            if is_it {
                last = inner.take().or(last);
                holder = locks.then_some(step.thread);
            }
            if kept.get(next) != Some(&at) {
                continue;
            }
            if holder == Some(step.thread) {
                if inner.is_none() && last.is_some_and(|last| !order.is_before(last, next)) {
                    return false;
                }
                inner = Some(next);
            }
            next += 1;
        }
        true
    }

    /// A dropped point from which a thread may get back to it without an event.
    fn silent_circle(&self, points: &Points) -> Option<(u16, PointId)> {
        let mut left = points.clone();
        let steps = |&(thread, point): &(u16, PointId)| {
            let all = &self.system.point(thread.into(), point).transitions;
            let silent = all.iter().filter(|id| silent_guard(self.system, **id).is_some());
            silent.map(move |id| (thread, self.system.transition(*id).to)).collect::<Vec<_>>()
        };
        loop {
            let size = left.len();
            let behind: Points = left.iter().flat_map(steps).collect();
            left.retain(|place| behind.contains(place));
            if left.len() == size {
                break;
            }
        }
        let numbers: BTreeMap<_, usize> = left.iter().enumerate().map(|(at, place)| (*place, at)).collect();
        let edges: Vec<(usize, usize)> = (left.iter())
            .flat_map(|place| steps(place).into_iter().map(move |to| (*place, to)))
            .filter_map(|(from, to)| Some((numbers[&from], *numbers.get(&to)?)))
            .collect();
        if has_circle(left.len(), &edges) { left.first().copied() } else { None }
    }

    /// Points that wait, and do nothing else.
    fn waits(&self) -> Vec<(u16, PointId)> {
        let is_wait = |place: &(u16, PointId), point: &Point| {
            let mut right = point.transitions.iter().filter(|id| silent_guard(self.system, **id).is_some());
            let (first, second) = (right.next(), right.next());
            let only = first.filter(|_| second.is_none()).map(|id| self.system.transition(*id));
            matches!(point.kind, PointKind::Event(EventKind::Read | EventKind::Join))
                && point.may_block
                && !self.choosing.contains(place)
                && only
                    .is_some_and(|step| step.assignments.is_empty() && step.inputs.is_empty() && step.writes.is_empty())
        };
        self.points().filter(|(place, point)| is_wait(place, point)).map(|(place, _)| place).collect()
    }

    /// Whether all that is left is ordered as it is with the events of one of the dropped points.
    fn is_implied(&self, points: &Points, candidate: (u16, PointId)) -> bool {
        let threads = self.system.threads.len();
        let is_same = |draft: &Draft| {
            let with: Vec<&Step> = (draft.steps.iter())
                .filter(|step| place(self.system, step) == candidate || !self.is_dropped(points, step))
                .collect();
            let kept: Vec<usize> = (0..with.len()).filter(|at| place(self.system, with[*at]) != candidate).collect();
            if kept.len() == with.len() {
                return true;
            }
            let order = |steps: &mut dyn Iterator<Item = &Step>| {
                Order::of(steps.map(|step| (step.thread, &step.accesses)), threads)
            };
            let (larger, smaller) = (order(&mut with.iter().copied()), order(&mut kept.iter().map(|at| with[*at])));
            // By how many events of its thread: how many of them are kept.
            let mut counts = vec![0];
            for step in with.iter().filter(|step| step.thread == candidate.0) {
                let before = counts[counts.len() - 1];
                counts.push(before + u32::from(place(self.system, step) != candidate));
            }
            let is_same = |(thread, (&more, &less)): (usize, (&u32, &u32))| match thread == usize::from(candidate.0) {
                true => counts[more as usize] == less,
                false => more == less,
            };
            !kept.is_empty()
                && (0..kept.len())
                    .all(|at| larger.clock(kept[at]).iter().zip(smaller.clock(at)).enumerate().all(is_same))
        };
        self.silent_circle(points).is_none() && self.drafts.iter().all(is_same)
    }
}
