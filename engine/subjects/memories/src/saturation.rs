//! Whether all runs of a machine are weakly causal, backwards from the reads.
//!
//! Section 5.2 of the thesis shows two kinds of tuples and no rules; these are derived. A violation is `w`, then `w'` that w happens before, then
//! a read `r` of w that knows w'. From behind: a tuple says that the rest of a run, from a state on, ends in such a read, which returns what a
//! register holds there, and what an event has to touch there to happen before the read (while w' is looked for: *fragile*) or
//! before w' (once it is found: *exposed*).

use super::machine::{Machine, Operation, RegisterIndex, State, Thread, TransitionIndex, Variable};
use super::run::Initial;
use crate::budget::{Budget, Paused};
use rustc_hash::FxHashSet;

/// What an event has to touch to come before: a thread by po, a register by rf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entity {
    /// Be an event of this thread.
    Thread(Thread),
    /// Write what this register holds.
    Register(RegisterIndex),
}

/// What is known of the rest of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tuple {
    /// Whether the write that hides the other one was found.
    pub is_exposed: bool,
    /// Where the rest begins.
    pub state: State,
    /// The register whose content there the read returns.
    pub register: RegisterIndex,
    /// What an event has to touch.
    pub entity: Entity,
    /// The variable that is read.
    pub variable: Variable,
    /// The transition that the rest begins with.
    pub by: TransitionIndex,
    /// The tuple for what comes behind that; `None` where that transition is the read.
    pub behind: Option<usize>,
}

/// What came of a saturation.
#[derive(Clone, Debug)]
pub struct Saturation {
    /// The tuples in the order in which they were found: those for shorter rests first.
    pub tuples: Vec<Tuple>,
    /// A run that violates, if some run does.
    pub violation: Option<SaturatedRun>,
}

/// A run that is not weakly causal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaturatedRun {
    /// It.
    pub transitions: Vec<TransitionIndex>,
    /// The place among these of the write that is read; `None` if that is an initial write.
    pub write: Option<usize>,
    /// The exposed tuple that it was found by.
    pub tuple: usize,
}

/// Which tuples there are, by what they say.
struct Places {
    registers: usize,
    entities: usize,
    variables: usize,
    is_there: There,
}

/// What is there: a bit for each place, unless that is too much.
enum There {
    Bits(Vec<u64>),
    Set(FxHashSet<u64>),
}

/// So many places have a bit each: 256 MB.
const MOST_BITS: usize = 1 << 31;

impl Places {
    fn new(machine: &Machine) -> Self {
        let (registers, threads) = (machine.registers.len(), machine.threads.len());
        let (entities, variables) = (registers + threads, machine.variables.len());
        let all = 2 * machine.states.len() * registers * entities * variables;
        let is_there =
            if all <= MOST_BITS { There::Bits(vec![0; all.div_ceil(64)]) } else { There::Set(FxHashSet::default()) };
        Self { registers, entities, variables, is_there }
    }

    /// Whether it was not there.
    fn insert(&mut self, machine: &Machine, tuple: &Tuple) -> bool {
        let entity = match tuple.entity {
            Entity::Thread(thread) => thread.index(),
            Entity::Register(register) => machine.threads.len() + register.index(),
        };
        let mut place = tuple.state.index() * 2 + usize::from(tuple.is_exposed);
        place = place * self.registers + tuple.register.index();
        place = place * self.entities + entity;
        place = place * self.variables + tuple.variable.index();
        match &mut self.is_there {
            There::Bits(bits) => {
                let (word, bit) = (place / 64, 1 << (place % 64));
                let is_new = bits[word] & bit == 0;
                bits[word] |= bit;
                is_new
            }
            There::Set(set) => set.insert(place as u64),
        }
    }
}

/// Goes backwards from all reads until nothing new is found, or a run that violates is. At most `2 |Q| |R| (|T| + |R|) |X|` tuples for
/// states Q, registers R, threads T and variables X, each of which looks at the transitions into its state. `None` if there are more than `limit`.
///
/// # Errors
/// [`Paused`] if somebody wants to stop; what was found is lost.
pub fn saturate(
    machine: &Machine,
    initial: Initial,
    limit: u64,
    budget: &mut Budget,
) -> Result<Option<Saturation>, Paused> {
    let (by, is_reached) = machine.reached();
    // By state: the transitions into it from what can be reached.
    let mut into: Vec<Vec<TransitionIndex>> = vec![Vec::new(); machine.states.len()];
    for (index, transition) in (0..).map(TransitionIndex).zip(machine.transitions()) {
        if is_reached[transition.from.index()] {
            into[transition.to.index()].push(index);
        }
    }
    budget.count(machine.transitions().len() as u64)?;
    let mut places = Places::new(machine);
    let mut saturation = Saturation { tuples: Vec::new(), violation: None };
    for (index, transition) in (0..).map(TransitionIndex).zip(machine.transitions()) {
        let Operation::Read { thread, variable, register } = transition.operation else { continue };
        if !is_reached[transition.from.index()] {
            continue;
        }
        let entity = Entity::Thread(thread);
        let (is_exposed, state) = (false, transition.from);
        let seed = Tuple { is_exposed, state, register, entity, variable, by: index, behind: None };
        if places.insert(machine, &seed) {
            saturation.tuples.push(seed);
        }
    }
    let mut next = 0;
    while next < saturation.tuples.len() {
        if saturation.tuples.len() as u64 > limit {
            return Ok(None);
        }
        let tuple = saturation.tuples[next];
        // The register was never written: it holds the initial write, which comes before all.
        let is_initial = initial == Initial::Written
            && tuple.is_exposed
            && tuple.state == machine.initial()
            && machine.registers[tuple.register.index()].variable == Some(tuple.variable);
        if is_initial {
            saturation.violation =
                Some(SaturatedRun { transitions: rest(&saturation.tuples, next), write: None, tuple: next });
            return Ok(Some(saturation));
        }
        budget.count(1 + into[tuple.state.index()].len() as u64)?;
        for &index in &into[tuple.state.index()] {
            let found = before(machine, &tuple, next, index);
            if found.violates {
                let transition = machine.transition(index);
                let mut transitions = machine.way_to(transition.from, &by);
                let write = transitions.len();
                transitions.push(index);
                transitions.extend(rest(&saturation.tuples, next));
                saturation.violation = Some(SaturatedRun { transitions, write: Some(write), tuple: next });
                return Ok(Some(saturation));
            }
            for tuple in found.tuples.into_iter().flatten() {
                if places.insert(machine, &tuple) {
                    saturation.tuples.push(tuple);
                }
            }
        }
        next += 1;
    }
    Ok(Some(saturation))
}

/// The transitions from a tuple's state to the read.
fn rest(tuples: &[Tuple], tuple: usize) -> Vec<TransitionIndex> {
    let mut rest = Vec::new();
    let mut at = Some(tuple);
    while let Some(tuple) = at {
        rest.push(tuples[tuple].by);
        at = tuples[tuple].behind;
    }
    rest
}

/// What a transition into a tuple's state makes of it.
struct Before {
    tuples: [Option<Tuple>; 2],
    violates: bool,
}

fn before(machine: &Machine, tuple: &Tuple, number: usize, by: TransitionIndex) -> Before {
    let transition = machine.transition(by);
    let same = Tuple { state: transition.from, by, behind: Some(number), ..*tuple };
    let only = |tuple: Tuple| Before { tuples: [Some(tuple), None], violates: false };
    match transition.operation {
        Operation::Copy { to, from } => {
            let register = if tuple.register == to { from } else { tuple.register };
            let entity = if tuple.entity == Entity::Register(to) { Entity::Register(from) } else { tuple.entity };
            only(Tuple { register, entity, ..same })
        }
        Operation::Read { thread, register, .. } => {
            // An event of the thread comes before by po; so does what wrote the register that it reads.
            let follows = tuple.entity == Entity::Thread(thread);
            let by_rf = follows.then_some(Tuple { entity: Entity::Register(register), ..same });
            Before { tuples: [Some(same), by_rf], violates: false }
        }
        Operation::Write { thread, variable, register } => {
            let is_origin = tuple.entity == Entity::Register(register);
            let hits = is_origin || tuple.entity == Entity::Thread(thread);
            let is_its = variable == tuple.variable;
            if register == tuple.register {
                // This is what is read.
                let violates = tuple.is_exposed && hits && is_its;
                return Before { tuples: [None, None], violates };
            }
            let entity = if is_origin { Entity::Thread(thread) } else { tuple.entity };
            let hides = !tuple.is_exposed && hits && is_its;
            let hidden = hides.then_some(Tuple { is_exposed: true, entity: Entity::Thread(thread), ..same });
            Before { tuples: [hidden, Some(Tuple { entity, ..same })], violates: false }
        }
        Operation::Fence { .. } | Operation::Step => only(same),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_protocol;

    #[test]
    fn the_rules_give_the_chain_of_the_thesis() {
        let text = include_str!("../../../../public/protocols/m2.protocol");
        let machine = parse_protocol(text, &[]).expect("it is a machine").0;
        let find = |text: &str, from: u32| {
            let all = (0..).map(TransitionIndex).zip(machine.transitions());
            let mut found = all.filter(|(_, at)| at.from.0 == from && machine.operation_text(at.operation) == text);
            found.next().expect("there is such a transition").0
        };
        let (t, f) = (Entity::Thread(Thread(0)), Entity::Thread(Thread(1)));
        let (a, b) = (RegisterIndex(0), RegisterIndex(1));
        let seed = Tuple {
            is_exposed: false,
            state: State(2),
            register: a,
            entity: f,
            variable: Variable(0),
            by: find("R f x a", 2),
            behind: None,
        };
        let steps = [
            ("R f y b", 1, (false, State(1), Entity::Register(b))),
            ("W t y b", 1, (false, State(1), t)),
            ("W t x c", 1, (true, State(1), t)),
        ];
        let mut tuple = seed;
        for (number, (text, from, (is_exposed, state, entity))) in steps.into_iter().enumerate() {
            let by = find(text, from);
            let expected = Tuple { is_exposed, state, entity, by, behind: Some(number), ..tuple };
            let found = before(&machine, &tuple, number, by);
            assert!(!found.violates && found.tuples.contains(&Some(expected)), "{text}: {:?}", found.tuples);
            tuple = expected;
        }
        assert!(before(&machine, &tuple, 3, find("W t x a", 0)).violates);
    }
}
