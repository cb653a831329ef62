//! Trace constraint systems of a section (section 3.2 of the thesis).
//!
//! The statement of print's Ring is two events here; its systems of one event are tests of this file.

/// The events of a section, and which of them depend on one another. A system orders the events of each thread as the program
/// does, and each dependent pair in one of its two ways; it is satisfiable if that has no cycle.
#[derive(Clone, Debug, Default)]
pub(super) struct Systems {
    /// By thread: its events, in program order, by their numbers.
    threads: Vec<Vec<u32>>,
    /// The dependent pairs, the event that was found first in front.
    pairs: Vec<(u32, u32)>,
    /// For each event, how many have to come before it because of a pair and did not yet.
    open: Vec<u32>,
    /// For each thread, how many of its events came.
    done: Vec<usize>,
}

impl Systems {
    /// No event of any of so many threads.
    pub(super) fn clear(&mut self, threads: usize) {
        self.threads.iter_mut().for_each(Vec::clear);
        self.threads.resize(threads, Vec::new());
        self.pairs.clear();
        self.open.clear();
    }

    /// Adds an event of a thread, behind those that it has, which depends on others.
    pub(super) fn add(&mut self, thread: u16, others: impl IntoIterator<Item = u32>) {
        let event = self.events() as u32;
        self.threads[usize::from(thread)].push(event);
        self.open.push(0);
        self.pairs.extend(others.into_iter().map(|other| (other, event)));
    }

    /// How many events there are.
    pub(super) fn events(&self) -> usize {
        self.open.len()
    }

    /// How many dependent pairs there are.
    pub(super) fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// Whether an event depends on another one.
    pub(super) fn is_dependent(&self, event: u32) -> bool {
        self.pairs.iter().any(|&(first, second)| first == event || second == event)
    }

    /// Whether a thread has an event that depends on another one, but for this one.
    pub(super) fn has_other_dependent(&self, thread: u16, but: u32) -> bool {
        self.threads[usize::from(thread)].iter().any(|&event| event != but && self.is_dependent(event))
    }

    /// How many systems there are.
    pub(super) fn len(&self) -> u64 {
        1 << self.pairs.len()
    }

    /// The first solution of a system in the order of threads, as the threads in turn, if it has one. The bits of its number
    /// say which pairs come the other way round. Linear in events and pairs, times threads.
    pub(super) fn solve(&mut self, number: u64, solution: &mut Vec<u16>) -> bool {
        solution.clear();
        self.open.fill(0);
        let later = |at: usize, (first, second): (u32, u32)| if number >> at & 1 == 0 { second } else { first };
        for (at, &pair) in self.pairs.iter().enumerate() {
            self.open[later(at, pair) as usize] += 1;
        }
        self.done.clear();
        self.done.resize(self.threads.len(), 0);
        loop {
            let next = self.threads.iter().zip(&self.done).map(|(events, &done)| events.get(done).copied());
            let minimal = next.enumerate().find_map(|(thread, event)| {
                event.filter(|&event| self.open[event as usize] == 0).map(|event| (thread, event))
            });
            let Some((thread, event)) = minimal else { return solution.len() == self.events() };
            solution.push(thread as u16);
            self.done[thread] += 1;
            for (at, &pair) in self.pairs.iter().enumerate() {
                let after = later(at, pair);
                if after != event && (pair.0 == event || pair.1 == event) {
                    self.open[after as usize] -= 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The systems of a section whose events are threads, each with locations that it reads and writes at once.
    fn of(events: &[(u16, u32, u32)], threads: usize) -> Systems {
        let mut systems = Systems::default();
        systems.clear(threads);
        for (at, &(thread, read, written)) in events.iter().enumerate() {
            let others = (0..at).filter(|&other| {
                let (other, reads, writes) = events[other];
                other != thread && (writes == written || reads == written || writes == read)
            });
            systems.add(thread, others.map(|other| other as u32).collect::<Vec<_>>());
        }
        systems
    }

    /// How many are satisfiable, and how many are not.
    fn count(systems: &mut Systems) -> (u64, u64) {
        let mut solution = Vec::new();
        let satisfiable = (0..systems.len()).filter(|&number| systems.solve(number, &mut solution)).count() as u64;
        (satisfiable, systems.len() - satisfiable)
    }

    fn ring(threads: u16, rounds: usize) -> Systems {
        let n = u32::from(threads);
        let round: Vec<_> = (0..threads).map(|t| (t, u32::from(t), (u32::from(t) + 1) % n)).collect();
        of(&round.repeat(rounds), usize::from(threads))
    }

    /// Tables of appendix A: traces and unsatisfiable systems of Ring, whose statement is one event there.
    #[test]
    fn rings_have_as_many_systems_as_printed() {
        assert_eq!(count(&mut ring(2, 1)), (2, 0));
        for n in 3..=16 {
            assert_eq!(count(&mut ring(n, 1)), ((1 << n) - 2, 2), "Ring({n})");
        }
    }

    #[test]
    fn extended_rings_have_as_many_systems_as_printed() {
        for (n, traces, unsatisfiable) in [(2, 6, 10), (3, 90, 4006), (4, 786, 64_750), (5, 5730, 1_042_846)] {
            assert_eq!(count(&mut ring(n, 2)), (traces, unsatisfiable), "Ring Extended({n})");
        }
    }

    /// Figure 3.1: Readers-Writers(3).
    #[test]
    fn solutions_are_the_first_in_the_order_of_threads() {
        let mut systems = Systems::default();
        systems.clear(3);
        systems.add(0, []);
        systems.add(1, [0]);
        systems.add(2, [0]);
        let mut solution = Vec::new();
        let mut all = Vec::new();
        for number in 0..systems.len() {
            assert!(systems.solve(number, &mut solution));
            all.push(solution.clone());
        }
        assert_eq!(all, [vec![0, 1, 2], vec![1, 0, 2], vec![2, 0, 1], vec![1, 2, 0]]);
    }
}
