//! Whether all runs of a machine are causally consistent, by writes that are tracked: slow, and close to the argument in print.
//!
//! Section 5.3 of the thesis guesses the events of a bad cycle and runs the machine. Here any writes may be tracked, up to a number, with all hb
//! and pco between them, until there is a cycle.

use super::machine::{Machine, Operation, TransitionIndex, Variable};
use super::pco::Causality;
use super::run::Initial;
use rustc_hash::FxHashMap;

/// A tracked write.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Tracked {
    variable: Variable,
    /// The registers that hold it.
    hold: u64,
    /// The threads and registers that know it.
    know: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Configuration {
    state: u32,
    tracked: Vec<Tracked>,
    /// Pairs of tracked writes that are in order by hb, and by pco.
    hb: Vec<(u8, u8)>,
    pco: Vec<(u8, u8)>,
}

/// How many writes have to be tracked.
pub fn enough(machine: &Machine, causality: Causality) -> usize {
    let threads = machine.threads.len();
    match causality {
        Causality::Weak => 2,
        Causality::ReleaseAcquire => threads.max(2),
        Causality::Strong => (2 * threads).max(2),
    }
}

/// A shortest run that is not this consistent; `Some(None)` if there is none, `None` beyond `limit` configurations.
pub fn find(
    machine: &Machine,
    causality: Causality,
    initial: Initial,
    limit: usize,
) -> Option<Option<Vec<TransitionIndex>>> {
    let most = enough(machine, causality);
    let everybody = if machine.threads.len() + machine.registers.len() == 64 {
        u64::MAX
    } else {
        (1 << (machine.threads.len() + machine.registers.len())) - 1
    };
    let mut first = Configuration { state: 0, tracked: Vec::new(), hb: Vec::new(), pco: Vec::new() };
    if initial == Initial::Written {
        for variable in (0..machine.variables.len() as u8).map(Variable) {
            let registers = (0..).map(super::machine::RegisterIndex).zip(&machine.registers);
            let hold = registers.filter(|(_, about)| about.variable == Some(variable));
            let hold = hold.fold(0, |bits, (register, _)| bits | machine.register_bit(register));
            first.tracked.push(Tracked { variable, hold, know: everybody });
        }
    }
    let always = first.tracked.len();
    let mut seen: FxHashMap<Configuration, usize> = FxHashMap::default();
    let mut all: Vec<(Configuration, usize, TransitionIndex)> = vec![(first.clone(), 0, TransitionIndex(0))];
    seen.insert(first, 0);
    let mut at = 0;
    while at < all.len() {
        let configuration = all[at].0.clone();
        for (by, transition) in machine.from(super::machine::State(configuration.state)) {
            for mut next in performed(machine, &configuration, transition.operation, most + always) {
                next.state = transition.to.0;
                if is_bad(&next, causality) {
                    let mut way = vec![by];
                    let mut at = at;
                    while at > 0 {
                        way.push(all[at].2);
                        at = all[at].1;
                    }
                    way.reverse();
                    return Some(Some(way));
                }
                if !seen.contains_key(&next) {
                    seen.insert(next.clone(), all.len());
                    all.push((next, at, by));
                }
            }
        }
        if all.len() > limit {
            return None;
        }
        at += 1;
    }
    Some(None)
}

fn performed(machine: &Machine, before: &Configuration, operation: Operation, most: usize) -> Vec<Configuration> {
    let mut next = before.clone();
    match operation {
        Operation::Step | Operation::Fence { .. } => {}
        Operation::Copy { to, from } => {
            let (to, from) = (machine.register_bit(to), machine.register_bit(from));
            for tracked in &mut next.tracked {
                for set in [&mut tracked.hold, &mut tracked.know] {
                    *set = if *set & from != 0 { *set | to } else { *set & !to };
                }
            }
        }
        Operation::Read { thread, variable, register } => {
            let (thread, register) = (Machine::thread_bit(thread), machine.register_bit(register));
            for tracked in &mut next.tracked {
                if tracked.know & register != 0 {
                    tracked.know |= thread;
                }
            }
            for read in 0..next.tracked.len() {
                if next.tracked[read].variable != variable || next.tracked[read].hold & register == 0 {
                    continue;
                }
                for known in 0..next.tracked.len() {
                    let is_known = next.tracked[known].know & thread != 0 && next.tracked[known].variable == variable;
                    let pair = (known as u8, read as u8);
                    if known != read && is_known && !next.pco.contains(&pair) {
                        next.pco.push(pair);
                    }
                }
            }
            next.pco.sort_unstable();
        }
        Operation::Write { thread, variable, register } => {
            let (thread, register) = (Machine::thread_bit(thread), machine.register_bit(register));
            for tracked in &mut next.tracked {
                tracked.hold &= !register;
                let knows = tracked.know & thread != 0;
                tracked.know = if knows { tracked.know | register } else { tracked.know & !register };
            }
            if next.tracked.len() < most {
                let mut with = next.clone();
                let number = with.tracked.len() as u8;
                let earlier = (0..number).filter(|known| with.tracked[usize::from(*known)].know & thread != 0);
                let earlier: Vec<(u8, u8)> = earlier.map(|known| (known, number)).collect();
                with.hb.extend(earlier);
                with.hb.sort_unstable();
                with.tracked.push(Tracked { variable, hold: register, know: thread | register });
                return vec![next, with];
            }
        }
    }
    vec![next]
}

fn is_bad(configuration: &Configuration, causality: Causality) -> bool {
    let Configuration { tracked, hb, pco, .. } = configuration;
    match causality {
        Causality::Weak => pco.iter().any(|&(from, to)| hb.contains(&(to, from))),
        Causality::Strong => has_cycle(tracked.len(), hb.iter().chain(pco)),
        Causality::ReleaseAcquire => tracked.iter().any(|about| {
            let of_it = pco.iter().filter(|(from, _)| tracked[usize::from(*from)].variable == about.variable);
            has_cycle(tracked.len(), hb.iter().chain(of_it))
        }),
    }
}

fn has_cycle<'e>(count: usize, edges: impl Iterator<Item = &'e (u8, u8)>) -> bool {
    let mut reach = vec![vec![false; count]; count];
    edges.for_each(|&(from, to)| reach[usize::from(from)][usize::from(to)] = true);
    for middle in 0..count {
        for from in 0..count {
            for to in 0..count {
                reach[from][to] |= reach[from][middle] && reach[middle][to];
            }
        }
    }
    (0..count).any(|at| reach[at][at])
}
