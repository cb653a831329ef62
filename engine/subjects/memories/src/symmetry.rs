//! What of a machine can be exchanged: threads, variables, registers, and the states that go with them.
//!
//! To exchange two threads, two variables or two registers is tried by following the machine and its image side by side from the first state:
//! what one does, the other has to do under other names. What can be exchanged makes a group, and configurations of a search that the group
//! takes into each other have the same futures under other names, so one of them is enough. Machines that can be turned in other ways alone,
//! as a ring of threads can, are not found to be symmetric.

use super::machine::{Machine, Operation, RegisterIndex, State, Thread, TransitionIndex, Variable};
use crate::budget::{Budget, Paused};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Other names for all of a machine, under which it is the same machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Renaming {
    threads: Vec<u8>,
    variables: Vec<u8>,
    registers: Vec<u8>,
    states: Vec<u32>,
}

impl Renaming {
    fn identity(machine: &Machine) -> Self {
        Self {
            threads: (0..machine.threads.len() as u8).collect(),
            variables: (0..machine.variables.len() as u8).collect(),
            registers: (0..machine.registers.len() as u8).collect(),
            states: (0..machine.states.len() as u32).collect(),
        }
    }

    /// This one behind the other.
    fn after(&self, first: &Self) -> Self {
        let bytes = |after: &[u8], first: &[u8]| first.iter().map(|at| after[usize::from(*at)]).collect();
        Self {
            threads: bytes(&self.threads, &first.threads),
            variables: bytes(&self.variables, &first.variables),
            registers: bytes(&self.registers, &first.registers),
            states: first.states.iter().map(|at| self.states[*at as usize]).collect(),
        }
    }

    /// What takes it back.
    fn inverse(&self) -> Self {
        let bytes = |names: &[u8]| {
            let mut back = vec![0; names.len()];
            names.iter().enumerate().for_each(|(at, to)| back[usize::from(*to)] = at as u8);
            back
        };
        let mut states = vec![0; self.states.len()];
        self.states.iter().enumerate().for_each(|(at, to)| states[*to as usize] = at as u32);
        Self {
            threads: bytes(&self.threads),
            variables: bytes(&self.variables),
            registers: bytes(&self.registers),
            states,
        }
    }

    /// A state's new name.
    pub fn state(&self, state: u32) -> u32 {
        self.states[state as usize]
    }

    /// A variable's new name.
    pub fn variable(&self, variable: Variable) -> Variable {
        Variable(self.variables[variable.index()])
    }

    /// A set of threads and registers under its new names.
    pub fn set(&self, mut set: u64) -> u64 {
        let threads = self.threads.len();
        let mut renamed = 0;
        while set != 0 {
            let at = set.trailing_zeros() as usize;
            set &= set - 1;
            let to = match at.checked_sub(threads) {
                None => usize::from(self.threads[at]),
                Some(register) => threads + usize::from(self.registers[register]),
            };
            renamed |= 1 << to;
        }
        renamed
    }

    fn operation(&self, operation: Operation) -> Operation {
        let thread = |thread: Thread| Thread(self.threads[thread.index()]);
        let register = |register: RegisterIndex| RegisterIndex(self.registers[register.index()]);
        match operation {
            Operation::Write { thread: t, variable: x, register: a } => {
                Operation::Write { thread: thread(t), variable: self.variable(x), register: register(a) }
            }
            Operation::Read { thread: t, variable: x, register: a } => {
                Operation::Read { thread: thread(t), variable: self.variable(x), register: register(a) }
            }
            Operation::Copy { to, from } => Operation::Copy { to: register(to), from: register(from) },
            Operation::Fence { thread: t } => Operation::Fence { thread: thread(t) },
            Operation::Step => Operation::Step,
        }
    }

    /// The transition that one is under its new names.
    fn transition(&self, machine: &Machine, index: TransitionIndex) -> Option<TransitionIndex> {
        let about = machine.transition(index);
        let (operation, to) = (self.operation(about.operation), self.state(about.to.0));
        let mut there = machine.from(State(self.state(about.from.0)));
        there.find(|(_, other)| other.operation == operation && other.to.0 == to).map(|(index, _)| index)
    }
}

/// What can be exchanged.
#[derive(Clone, Debug)]
pub struct Symmetry {
    /// All ways to exchange it; the first one exchanges nothing.
    group: Vec<Arc<Renaming>>,
}

/// How many ways there may be.
const MAX_GROUP: usize = 1_000;
/// How many states all of them may name.
const MAX_NAMED: usize = 1 << 24;
/// How often one exchange is tried anew with another choice.
const MAX_TRIES: u32 = 64;

impl Symmetry {
    /// Finds what of a machine can be exchanged, as far as there is room for it: O(e n) for n transitions and e pairs of threads, of
    /// variables and of registers, where no choice has to be taken back.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop.
    pub fn of(machine: &Machine, budget: &mut Budget) -> Result<Self, Paused> {
        let identity = Renaming::identity(machine);
        let mut symmetry = Self { group: vec![Arc::new(identity.clone())] };
        if machine.states.is_empty() {
            return Ok(symmetry);
        }
        let (_, is_reached) = machine.reached();
        let mut wanted = Vec::new();
        for at in 0..machine.threads.len() {
            wanted.extend((0..at).map(|other| {
                let mut threads = identity.threads.clone();
                threads.swap(at, other);
                (threads, identity.variables.clone(), None)
            }));
        }
        for at in 0..machine.variables.len() {
            wanted.extend((0..at).map(|other| {
                let mut variables = identity.variables.clone();
                variables.swap(at, other);
                (identity.threads.clone(), variables, None)
            }));
        }
        // To exchange what nothing uses is no gain.
        let mut is_used = vec![false; machine.registers.len()];
        for transition in machine.transitions() {
            match transition.operation {
                Operation::Write { register, .. } | Operation::Read { register, .. } => {
                    is_used[register.index()] = true
                }
                Operation::Copy { to, from } => (is_used[to.index()], is_used[from.index()]) = (true, true),
                Operation::Fence { .. } | Operation::Step => {}
            }
        }
        for at in (0..machine.registers.len()).filter(|at| is_used[*at]) {
            let others = (0..at).filter(|other| is_used[*other]);
            let pair = |other| (identity.threads.clone(), identity.variables.clone(), Some((at as u8, other as u8)));
            wanted.extend(others.map(pair));
        }
        for (threads, variables, registers) in wanted {
            let mut choices: Vec<(usize, usize)> = Vec::new();
            for _ in 0..MAX_TRIES {
                let mut matching = Matching::new(machine, &threads, &variables);
                let is_begun = registers.is_none_or(|(a, b)| matching.name(a, b) && matching.name(b, a));
                let found = if is_begun { matching.follow(&mut choices, budget)? } else { None };
                if let Some(found) = found.filter(|found| found.holds(machine, &is_reached)) {
                    symmetry.add(&found, budget)?;
                    break;
                }
                // The last choice that can be another one.
                while choices.last().is_some_and(|(chosen, count)| chosen + 1 >= *count) {
                    choices.pop();
                }
                let Some(last) = choices.last_mut() else { break };
                last.0 += 1;
            }
        }
        Ok(symmetry)
    }

    /// Takes a way more and all that come with it, if there is room.
    fn add(&mut self, found: &Renaming, budget: &mut Budget) -> Result<(), Paused> {
        if self.group.iter().any(|known| **known == *found) {
            return Ok(());
        }
        let generators: Vec<Renaming> =
            self.group.iter().skip(1).map(|known| &**known).chain([found]).cloned().collect();
        let mut group = vec![Arc::clone(&self.group[0])];
        let mut at = 0;
        let mut known: FxHashSet<Arc<Renaming>> = group.iter().cloned().collect();
        while at < group.len() {
            for generator in &generators {
                budget.count(1 + generator.states.len() as u64 / 8)?;
                let next = Arc::new(generator.after(&group[at]));
                if known.insert(Arc::clone(&next)) {
                    group.push(next);
                }
                if group.len() > MAX_GROUP || group.len() * generator.states.len() > MAX_NAMED {
                    return Ok(());
                }
            }
            at += 1;
        }
        self.group = group;
        Ok(())
    }

    /// All ways to exchange something; the first one exchanges nothing.
    pub fn group(&self) -> &[Arc<Renaming>] {
        &self.group
    }

    /// Threads and variables that can be exchanged, each class of more than one.
    pub fn classes(&self) -> (Vec<Vec<Thread>>, Vec<Vec<Variable>>) {
        let classes = |count: usize, names: fn(&Renaming) -> &[u8]| {
            let mut classes: Vec<Vec<u8>> = Vec::new();
            for at in 0..count as u8 {
                let mut class: Vec<u8> = self.group.iter().map(|renaming| names(renaming)[usize::from(at)]).collect();
                class.sort_unstable();
                class.dedup();
                if class.len() > 1 && class[0] == at {
                    classes.push(class);
                }
            }
            classes
        };
        let first: &Renaming = &self.group[0];
        let threads = classes(first.threads.len(), |renaming| &renaming.threads);
        let variables = classes(first.variables.len(), |renaming| &renaming.variables);
        (
            threads.into_iter().map(|class| class.into_iter().map(Thread).collect()).collect(),
            variables.into_iter().map(|class| class.into_iter().map(Variable).collect()).collect(),
        )
    }
}

/// How a run of representatives goes under the names that it began with.
#[derive(Debug)]
pub(crate) struct Unrenaming<'m> {
    machine: &'m Machine,
    names: Renaming,
}

impl<'m> Unrenaming<'m> {
    /// At the beginning of a run.
    pub(crate) fn new(machine: &'m Machine) -> Self {
        Self { machine, names: Renaming::identity(machine) }
    }

    /// What a transition of a representative is here.
    pub(crate) fn transition(&self, index: TransitionIndex) -> Option<TransitionIndex> {
        self.names.transition(self.machine, index)
    }

    /// What was reached has been renamed so.
    pub(crate) fn renamed(&mut self, by: &Renaming) {
        self.names = self.names.after(&by.inverse());
    }
}

/// A machine and its image, followed side by side.
struct Matching<'m> {
    machine: &'m Machine,
    threads: &'m [u8],
    variables: &'m [u8],
    /// By register: its new name, and back.
    registers: [Vec<Option<u8>>; 2],
    /// By state: its new name, and back.
    states: [Vec<Option<u32>>; 2],
    /// States whose transitions are not all named yet.
    open: Vec<u32>,
}

impl<'m> Matching<'m> {
    fn new(machine: &'m Machine, threads: &'m [u8], variables: &'m [u8]) -> Self {
        let registers = vec![None; machine.registers.len()];
        let states = vec![None; machine.states.len()];
        Self {
            machine,
            threads,
            variables,
            registers: [registers.clone(), registers],
            states: [states.clone(), states],
            open: Vec::new(),
        }
    }

    /// Names a register; whether it may be named so.
    fn name(&mut self, from: u8, to: u8) -> bool {
        let may = self.may_name(from, to);
        if may {
            self.registers[0][usize::from(from)] = Some(to);
            self.registers[1][usize::from(to)] = Some(from);
        }
        may
    }

    fn may_name(&self, from: u8, to: u8) -> bool {
        let (known, back) = (self.registers[0][usize::from(from)], self.registers[1][usize::from(to)]);
        if known.is_some() || back.is_some() {
            return known == Some(to) && back == Some(from);
        }
        let holds = |register: u8| self.machine.registers[usize::from(register)].variable;
        holds(from).map(|variable| self.variables[variable.index()]) == holds(to).map(|variable| variable.0)
    }

    fn may_name_state(&self, from: State, to: State) -> bool {
        let (known, back) = (self.states[0][from.index()], self.states[1][to.index()]);
        if known.is_some() || back.is_some() {
            return known == Some(to.0) && back == Some(from.0);
        }
        self.machine.from(from).count() == self.machine.from(to).count()
    }

    fn name_state(&mut self, from: State, to: State) {
        if self.states[0][from.index()].is_none() {
            self.states[0][from.index()] = Some(to.0);
            self.states[1][to.index()] = Some(from.0);
            self.open.push(from.0);
        }
    }

    /// The registers that two operations make each other's image; `None` if they can't be.
    fn pairs(&self, operation: Operation, other: Operation) -> Option<[Option<(u8, u8)>; 2]> {
        let is_thread = |from: Thread, to: Thread| self.threads[from.index()] == to.0;
        let is_variable = |from: Variable, to: Variable| self.variables[from.index()] == to.0;
        match (operation, other) {
            (
                Operation::Write { thread, variable, register },
                Operation::Write { thread: t, variable: x, register: a },
            )
            | (
                Operation::Read { thread, variable, register },
                Operation::Read { thread: t, variable: x, register: a },
            ) => (is_thread(thread, t) && is_variable(variable, x)).then_some([Some((register.0, a.0)), None]),
            (Operation::Copy { to, from }, Operation::Copy { to: b, from: a }) => {
                ((to == from) == (b == a)).then_some([Some((to.0, b.0)), Some((from.0, a.0))])
            }
            (Operation::Fence { thread }, Operation::Fence { thread: t }) => is_thread(thread, t).then_some([None; 2]),
            (Operation::Step, Operation::Step) => Some([None; 2]),
            _ => None,
        }
    }

    /// Names all that can be reached. Where there is a choice, it is that of `choices`, or the first one, which is noted. `None` if it fails.
    fn follow(mut self, choices: &mut Vec<(usize, usize)>, budget: &mut Budget) -> Result<Option<Renaming>, Paused> {
        let machine = self.machine;
        self.name_state(machine.initial(), machine.initial());
        let mut chosen = 0;
        loop {
            let mut is_changed = false;
            let mut ambiguous = None;
            for from in std::mem::take(&mut self.open) {
                let Some(to) = self.states[0][from as usize] else { continue };
                let mut is_left = false;
                for (_, transition) in machine.from(State(from)) {
                    let mut candidates = Vec::new();
                    for (_, other) in machine.from(State(to)) {
                        budget.count(1)?;
                        let Some(pairs) = self.pairs(transition.operation, other.operation) else { continue };
                        let fits = self.may_name_state(transition.to, other.to)
                            && pairs.into_iter().flatten().all(|(from, to)| self.may_name(from, to));
                        if fits {
                            candidates.push((pairs, other.to));
                        }
                    }
                    match &candidates[..] {
                        [] => return Ok(None),
                        [(pairs, other)] => {
                            let is_new = self.states[0][transition.to.index()].is_none();
                            let names = |(from, to): (u8, u8), of: &mut Self| {
                                let is_new = of.registers[0][usize::from(from)].is_none();
                                of.name(from, to).then_some(is_new)
                            };
                            is_changed |= is_new;
                            for pair in pairs.iter().flatten() {
                                let Some(is_new) = names(*pair, &mut self) else { return Ok(None) };
                                is_changed |= is_new;
                            }
                            self.name_state(transition.to, *other);
                        }
                        _ => {
                            is_left = true;
                            ambiguous.get_or_insert((transition.to, candidates));
                        }
                    }
                }
                if is_left {
                    self.open.push(from);
                }
            }
            if self.open.is_empty() {
                break;
            }
            let Some((from, candidates)) = ambiguous.filter(|_| !is_changed) else { continue };
            // Nothing is clear: one of the candidates is taken.
            if chosen == choices.len() {
                choices.push((0, candidates.len()));
            }
            let (pairs, to) = candidates[choices[chosen].0.min(candidates.len() - 1)];
            chosen += 1;
            if !pairs.into_iter().flatten().all(|(from, to)| self.name(from, to)) {
                return Ok(None);
            }
            self.name_state(from, to);
        }
        Ok(self.whole())
    }

    /// All names. Registers that nothing uses keep theirs, or get that of another one; states that are never reached keep theirs or get any.
    fn whole(mut self) -> Option<Renaming> {
        for from in 0..self.machine.registers.len() as u8 {
            if self.registers[0][usize::from(from)].is_none() {
                let count = self.machine.registers.len() as u8;
                let to = std::iter::once(from).chain(0..count).find(|to| self.may_name(from, *to))?;
                self.name(from, to);
            }
        }
        let [mut states, back] = self.states;
        let mut free = back.iter().enumerate().filter(|(_, back)| back.is_none()).map(|(at, _)| at as u32);
        for state in &mut states {
            if state.is_none() {
                *state = free.next();
            }
        }
        Some(Renaming {
            threads: self.threads.to_vec(),
            variables: self.variables.to_vec(),
            registers: self.registers[0].iter().copied().collect::<Option<_>>()?,
            states: states.into_iter().collect::<Option<_>>()?,
        })
    }
}

impl Renaming {
    /// Whether it takes the machine, as far as it can be reached, into itself.
    fn holds(&self, machine: &Machine, is_reached: &[bool]) -> bool {
        let is_reached = |index: &TransitionIndex| is_reached[machine.transition(*index).from.index()];
        let all = (0..machine.transitions().len() as u32).map(TransitionIndex).filter(is_reached);
        let holds = |register: usize| machine.registers[register].variable;
        self.states.first() == Some(&0)
            && all.into_iter().all(|index| self.transition(machine, index).is_some())
            && (0..machine.registers.len()).all(|register| {
                holds(register).map(|variable| self.variable(variable)) == holds(usize::from(self.registers[register]))
            })
    }
}
