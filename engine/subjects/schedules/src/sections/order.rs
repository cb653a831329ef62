//! Partial orders of events, of which those of one thread are a chain.

use super::SectionEvent;
use litmoscope_core::program::system::Variable;
use rustc_hash::FxHashMap;

/// What an event may access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Accesses {
    pub(super) reads: Vec<Variable>,
    pub(super) writes: Vec<Variable>,
}

/// The smallest partial order of events in a sequence that has all dependent pairs.
pub(super) struct Order {
    /// By event: those immediately before it, ascending.
    pub(super) after: Vec<Vec<usize>>,
    /// By event, by thread: how many of the thread's events come before it, or are it.
    clocks: Vec<Vec<u32>>,
    threads: Vec<u16>,
}

impl Order {
    /// Linear in events times variables and threads.
    pub(super) fn of<'a>(events: impl Iterator<Item = (u16, &'a Accesses)>, threads: usize) -> Self {
        let mut order = Self { after: Vec::new(), clocks: Vec::new(), threads: Vec::new() };
        let mut last: Vec<Option<usize>> = vec![None; threads];
        // By variable, by thread: the last event that writes it, and the last one that accesses it.
        let mut writers: FxHashMap<Variable, Vec<Option<usize>>> = FxHashMap::default();
        let mut users = writers.clone();
        for (at, (thread, accesses)) in events.enumerate() {
            let mut latest: Vec<Option<usize>> = vec![None; threads];
            latest[usize::from(thread)] = last[usize::from(thread)];
            let mut meet = |others: Option<&Vec<Option<usize>>>| {
                for (latest, other) in latest.iter_mut().zip(others.into_iter().flatten()) {
                    *latest = (*latest).max(*other);
                }
            };
            accesses.reads.iter().for_each(|variable| meet(writers.get(variable)));
            accesses.writes.iter().for_each(|variable| meet(users.get(variable)));
            let mut before: Vec<usize> = latest.into_iter().flatten().collect();
            before.sort_unstable_by(|one, other| other.cmp(one));
            let mut clock = vec![0; threads];
            let mut after = Vec::new();
            // What comes before a later one need not be named.
            for other in before {
                let of = usize::from(order.threads[other]);
                if clock[of] < order.clocks[other][of] {
                    after.push(other);
                    let join = |(own, over): (&mut u32, &u32)| *own = (*own).max(*over);
                    clock.iter_mut().zip(&order.clocks[other]).for_each(join);
                }
            }
            after.reverse();
            clock[usize::from(thread)] += 1;
            last[usize::from(thread)] = Some(at);
            for (variable, is_write) in
                accesses.reads.iter().map(|at| (at, false)).chain(accesses.writes.iter().map(|at| (at, true)))
            {
                users.entry(*variable).or_insert_with(|| vec![None; threads])[usize::from(thread)] = Some(at);
                if is_write {
                    writers.entry(*variable).or_insert_with(|| vec![None; threads])[usize::from(thread)] = Some(at);
                }
            }
            order.after.push(after);
            order.clocks.push(clock);
            order.threads.push(thread);
        }
        order
    }

    /// By thread: how many of its events come before an event, or are it.
    pub(super) fn clock(&self, event: usize) -> &[u32] {
        &self.clocks[event]
    }

    /// Whether one event comes before another, or is it.
    pub(super) fn is_before(&self, one: usize, other: usize) -> bool {
        let thread = usize::from(self.threads[one]);
        self.clocks[one][thread] <= self.clocks[other][thread]
    }
}

/// The number of linear extensions: a sum over the sets of events that may be over, which are known by how many each thread has done.
pub(super) fn linear_extensions(events: &[SectionEvent], threads: usize, limit: usize) -> Option<u128> {
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); threads];
    let mut place = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let own = &mut own[usize::from(event.thread)];
        place.push(own.len());
        own.push(at);
    }
    let mut level: FxHashMap<Vec<u16>, u128> = FxHashMap::from_iter([(vec![0; threads], 1)]);
    let mut looked_at = 0;
    for _ in events {
        let mut next: FxHashMap<Vec<u16>, u128> = FxHashMap::default();
        for (counts, ways) in level {
            looked_at += 1;
            if looked_at > limit {
                return None;
            }
            for thread in 0..threads {
                let Some(&event) = own[thread].get(usize::from(counts[thread])) else { continue };
                let is_over = |other: &usize| place[*other] < usize::from(counts[usize::from(events[*other].thread)]);
                if events[event].after.iter().all(is_over) {
                    let mut counts = counts.clone();
                    counts[thread] += 1;
                    let sum = next.entry(counts).or_default();
                    *sum = sum.checked_add(ways)?;
                }
            }
        }
        level = next;
    }
    level.into_values().next()
}

/// Whether a graph has a circle: what is left if nodes with no way in are taken away.
pub(super) fn has_circle(nodes: usize, edges: &[(usize, usize)]) -> bool {
    let mut ways_in = vec![0usize; nodes];
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for &(from, to) in edges {
        ways_in[to] += 1;
        leaving[from].push(to);
    }
    let mut work: Vec<usize> = (0..nodes).filter(|&node| ways_in[node] == 0).collect();
    let mut taken = 0;
    while let Some(node) = work.pop() {
        taken += 1;
        for &to in &leaving[node] {
            ways_in[to] -= 1;
            if ways_in[to] == 0 {
                work.push(to);
            }
        }
    }
    taken < nodes
}
