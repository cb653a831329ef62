//! VerifyPSO: a run of the machine with a store buffer for each thread and location in which every read takes its source.
//!
//! After Toman, *Improved Verification Techniques for Concurrent Systems* (2021), Algorithm 5.2. The mirror image of
//! VerifyTSO: what is chosen is what threads perform, and a write reaches memory when a read of another thread or a fence
//! wants it, or when nobody can miss what it overwrites any more. Prefixes are told apart by the events performed and by
//! what fences have to wait for (the fence map): O(k · n^(k+1) · min(n^(k(k−1)), 2^(kd))), without fences O(k · n^(k+1)).
//!
//! Deviations from print:
//!
//! - With atomic blocks that write to memory at once, prefixes are told apart, too, by which threads have a write in a buffer to
//!   a location that such a block has yet to write. Without it, a prefix whose buffer stands in the way of a block can shadow
//!   one whose buffer is empty: `x := 1; a := x || x := 2; swap(x)` where the swap reads 2 and `a` reads what it writes.
//! - With store-store fences, that writes reach memory as late as possible loses witnesses, whichever are flushed on the way:
//!   a write that nobody reads can be stuck behind one that somebody does. Such executions are searched by
//!   [`super::naive`].

use super::instance::Unit;
use super::search::{Key, Problem, Strategy};
use super::state::State;
use super::{Instance, NodeId, Part};
use crate::graph::ThreadId;

/// The algorithm.
pub(super) struct VerifyPso;

/// Whether a buffered write that was not flushed yet is spurious: no read waits for it.
fn is_spurious(instance: &Instance, state: &State, memory: NodeId) -> bool {
    let location = instance.node(memory).location.map_or(0, |location| location.0 as usize);
    let mut waiting = instance.reads[location].iter().filter(|read| !state.has(**read));
    !waiting.any(|read| instance.good[read.index()].contains(&memory))
}

/// Lets all writes that a thread has buffered reach memory; whether that is possible.
fn flush(problem: &Problem<'_>, state: &mut State, thread: usize, performed: &mut Vec<NodeId>) -> bool {
    loop {
        let is_due = |&memory: &NodeId| state.obstacle(problem.instance, problem.closure, memory).is_none();
        let Some(memory) = state.pending(problem.instance, thread).find(is_due) else {
            return state.pending(problem.instance, thread).next().is_none();
        };
        state.perform(problem.instance, memory);
        performed.push(memory);
    }
}

impl Strategy for VerifyPso {
    fn settle(&self, problem: &Problem<'_>, state: &mut State) -> Vec<NodeId> {
        let instance = problem.instance;
        let mut performed = Vec::new();
        loop {
            let due = (0..instance.threads.len()).find_map(|thread| {
                state.pending(instance, thread).find(|&memory| {
                    is_spurious(instance, state, memory) && state.obstacle(instance, problem.closure, memory).is_none()
                })
            });
            let Some(memory) = due else { return performed };
            state.perform(instance, memory);
            performed.push(memory);
        }
    }

    fn moves(&self, problem: &Problem<'_>, state: &State) -> Vec<(Vec<NodeId>, State)> {
        let instance = problem.instance;
        let perform = |thread: usize, unit: &Unit| {
            let mut state = state.clone();
            let mut performed = Vec::new();
            let first = instance.node(*unit.first()?);
            if first.part == Part::Fence && !flush(problem, &mut state, thread, &mut performed) {
                return None;
            }
            if first.part == Part::Read
                && let [source] = instance.good[unit[0].index()][..]
                && !instance.same_thread(source, unit[0])
                && !state.has(source)
            {
                state = state.after(instance, problem.closure, &[source]).ok()?;
                performed.push(source);
            }
            let state = state.after(instance, problem.closure, unit).ok()?;
            performed.extend(unit);
            Some((performed, state))
        };
        let moves = (0..instance.threads.len()).filter_map(|thread| perform(thread, state.next(instance, thread)?));
        moves.collect()
    }

    fn key(&self, problem: &Problem<'_>, state: &State) -> Key {
        let performed = state.threads.iter().map(|&units| u64::from(units));
        let fences = fence_map(problem.instance, state);
        performed.chain(fences).chain(blocked_writes(problem.instance, state)).collect()
    }
}

/// By pair of threads: the last read of the second one, counted within it from 1, that has to be performed before the
/// first one can perform its next fence, since it holds a location to which that one has buffered a write; 0 if there is none.
/// Reads whose source is of either thread do not count. Initial writes are of no thread.
fn fence_map(instance: &Instance, state: &State) -> Vec<u64> {
    let threads = instance.threads.len();
    let mut map = vec![0; threads * threads];
    for thread in 0..threads {
        let units = &instance.threads[thread][state.threads[thread] as usize..];
        if !units.iter().flatten().any(|&n| instance.node(n).part == Part::Fence) {
            continue;
        }
        let pending: Vec<_> = state.pending(instance, thread).map(|memory| instance.node(memory).location).collect();
        for other in (0..threads).filter(|&other| other != thread) {
            let units = instance.threads[other].iter().enumerate().skip(state.threads[other] as usize);
            let mut holding = units.filter(|(_, unit)| {
                unit.iter().any(|&read| {
                    let [source] = instance.good[read.index()][..] else { return false };
                    let node = instance.node(read);
                    let writer = instance.node(source).thread;
                    writer != ThreadId(thread as u16)
                        && writer != ThreadId(other as u16)
                        && node.location.is_some_and(|location| state.memory[location.0 as usize] == source)
                        && pending.contains(&node.location)
                })
            });
            map[thread * threads + other] = holding.next_back().map_or(0, |(at, _)| at as u64 + 1);
        }
    }
    map
}

/// The threads, as a set of bits, that have buffered a write to a location which an atomic block has yet to write at once;
/// by location.
fn blocked_writes(instance: &Instance, state: &State) -> Vec<u64> {
    let awaited = |location: usize| {
        let mut blocks = instance.blocks.iter().flatten().map(|&n| (n, instance.node(n)));
        blocks.any(|(n, node)| {
            node.part == Part::Memory && node.location.is_some_and(|l| l.0 as usize == location) && !state.has(n)
        })
    };
    let threads = |location: usize| {
        (0..instance.threads.len()).filter(move |&thread| {
            let mut pending = state.pending(instance, thread);
            pending.any(|memory| instance.node(memory).location.is_some_and(|l| l.0 as usize == location))
        })
    };
    let mut words = Vec::new();
    for location in (0..instance.writes.len()).filter(|&location| awaited(location)) {
        let mut set = vec![0; instance.threads.len().div_ceil(64)];
        threads(location).for_each(|thread| set[thread / 64] |= 1 << (thread % 64));
        words.push(location as u64);
        words.extend(set);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consistency::{Machine, parse_execution};

    /// An execution on the machine, with what each of its threads performs.
    fn instance(text: &str) -> (Instance, Vec<Vec<NodeId>>) {
        let instance = Instance::new(Machine::Pso, &parse_execution(text).expect("an execution"));
        let threads = (0..instance.threads.len()).map(|thread| instance.thread(thread).collect()).collect();
        (instance, threads)
    }

    /// The thesis' Figure 5.4: a write is spurious once its only read took it from the buffer.
    #[test]
    fn a_write_is_spurious_behind_its_last_read() {
        let (instance, threads) = instance("T1: w x 1; r x <- T1");
        let (write, read) = (threads[0][0], threads[0][1]);
        let memory = instance.partner(write).expect("it is buffered");
        let mut state = State::new(&instance);
        let seen = |state: &State| {
            (is_spurious(&instance, state, memory), state.pending(&instance, 0).collect::<Vec<NodeId>>())
        };
        state.perform(&instance, write);
        assert_eq!(seen(&state), (false, vec![memory]));
        let mut flushed = state.clone();
        flushed.perform(&instance, memory);
        assert_eq!(seen(&flushed), (false, vec![]));
        state.perform(&instance, read);
        assert_eq!(seen(&state), (true, vec![memory]));
        state.perform(&instance, memory);
        assert_eq!(seen(&state), (true, vec![]));
    }

    /// The thesis' Figure 5.6: of two reads of a thread that a fence has to wait for, the later one is kept.
    #[test]
    fn a_fence_waits_for_the_last_read() {
        let (instance, threads) = instance("T1: w x 1; w y 1\nT2: r x <- T1; r y <- T1\nT3: w x 2; w y 2; fence");
        let mut state = State::new(&instance);
        for &write in &threads[0] {
            state.perform(&instance, write);
            state.perform(&instance, instance.partner(write).expect("it is buffered"));
        }
        assert_eq!(fence_map(&instance, &state), [0u64; 9]);
        for &write in &threads[2][..2] {
            state.perform(&instance, write);
        }
        let waits: [u64; 9] = [0, 0, 0, 0, 0, 0, 0, 2, 0];
        assert_eq!(fence_map(&instance, &state), waits);
        state.perform(&instance, threads[1][0]);
        assert_eq!(fence_map(&instance, &state), waits);
        state.perform(&instance, threads[1][1]);
        assert_eq!(fence_map(&instance, &state), [0u64; 9]);
    }
}
