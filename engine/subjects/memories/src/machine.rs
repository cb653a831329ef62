//! Machines: what a memory implementation is once everything is finite.

use std::ops::Range;

macro_rules! index {
    ($($(#[$about:meta])+ $name:ident($number:ty),)*) => {
        $(
            $(#[$about])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $name(pub $number);

            impl $name {
                /// As an index.
                pub const fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

index! {
    /// A thread: an index into [`Machine::threads`].
    Thread(u8),
    /// A variable: an index into [`Machine::variables`].
    Variable(u8),
    /// A register: an index into [`Machine::registers`].
    RegisterIndex(u8),
    /// A state: an index into [`Machine::states`].
    State(u32),
    /// A transition: an index into [`Machine::transitions`].
    TransitionIndex(u32),
}

/// The most threads and registers together: each set of them is a word.
pub const MAX_ENTITIES: usize = 64;
/// The most variables.
pub const MAX_VARIABLES: usize = 16;
/// The most states.
pub const MAX_STATES: usize = 1_000_000;

/// What a transition does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Stores a thread's write to a variable in a register.
    Write {
        /// Who writes.
        thread: Thread,
        /// To which variable.
        variable: Variable,
        /// Into which register.
        register: RegisterIndex,
    },
    /// Answers a thread's read of a variable from a register.
    Read {
        /// Who reads.
        thread: Thread,
        /// Which variable.
        variable: Variable,
        /// From which register.
        register: RegisterIndex,
    },
    /// Copies a register: `to := from`.
    Copy {
        /// The register that takes the content.
        to: RegisterIndex,
        /// The register whose content it is.
        from: RegisterIndex,
    },
    /// A fence of a thread has an effect. To memory models it is nothing here; programs ask for it.
    Fence {
        /// Whose.
        thread: Thread,
    },
    /// Nothing that anybody sees.
    Step,
}

/// From one state to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Transition {
    /// Before.
    pub from: State,
    /// Behind.
    pub to: State,
    /// What it does.
    pub operation: Operation,
    /// The line of the text that it comes from, from 1 on; 0 if there is none.
    pub line: u32,
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its name.
    pub name: String,
    /// The variable whose initial write it holds at first; `None` if it holds nothing.
    pub variable: Option<Variable>,
}

/// A finite machine that answers reads and writes of threads from registers.
///
/// Section 5.1 of S. Grahn, *Concurrency: Models, Algorithms, and Verification* (Uppsala, 2026). There are no values and nothing is compared: a
/// register holds a write, and that is all that matters of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Its name; empty if the text gives none.
    pub name: String,
    /// The threads.
    pub threads: Vec<String>,
    /// The variables.
    pub variables: Vec<String>,
    /// The registers.
    pub registers: Vec<Register>,
    /// The states by name. The first one is that in which it begins.
    pub states: Vec<String>,
    /// The transitions, by the state before them.
    transitions: Vec<Transition>,
    /// By state: where its transitions begin; one more at the end.
    begins: Vec<u32>,
}

/// What a machine is made of, but for its transitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineNames {
    /// Its name; empty if the text gives none.
    pub name: String,
    /// The threads.
    pub threads: Vec<String>,
    /// The variables.
    pub variables: Vec<String>,
    /// The registers.
    pub registers: Vec<Register>,
    /// The states by name, the first one first.
    pub states: Vec<String>,
}

impl Machine {
    /// With these transitions, each once; of equal ones the first stays.
    ///
    /// # Panics
    /// If a transition names what is not there, or if there are more threads, registers, variables or states than [`MAX_ENTITIES`],
    /// [`MAX_VARIABLES`] and [`MAX_STATES`] allow.
    pub fn new(names: MachineNames, mut transitions: Vec<Transition>) -> Self {
        let MachineNames { name, threads, variables, registers, states } = names;
        let mut machine = Self { name, threads, variables, registers, states, ..Self::default() };
        assert!(machine.threads.len() + machine.registers.len() <= MAX_ENTITIES, "too many threads and registers");
        assert!(machine.variables.len() <= MAX_VARIABLES && machine.states.len() <= MAX_STATES, "too large");
        for transition in &transitions {
            let Transition { from, to, operation, .. } = transition;
            assert!(
                from.index() < machine.states.len() && to.index() < machine.states.len(),
                "a state that is not there"
            );
            let is_there = match operation {
                Operation::Write { thread, variable, register } | Operation::Read { thread, variable, register } => {
                    thread.index() < machine.threads.len()
                        && variable.index() < machine.variables.len()
                        && register.index() < machine.registers.len()
                }
                Operation::Copy { to, from } => to.index().max(from.index()) < machine.registers.len(),
                Operation::Fence { thread } => thread.index() < machine.threads.len(),
                Operation::Step => true,
            };
            assert!(is_there, "a transition of what is not there");
        }
        transitions.sort_by_key(|transition| (transition.from, transition.line));
        let mut seen = rustc_hash::FxHashSet::default();
        transitions.retain(|transition| seen.insert((transition.from, transition.to, transition.operation)));
        machine.begins = vec![0; machine.states.len() + 1];
        for transition in &transitions {
            machine.begins[transition.from.index() + 1] += 1;
        }
        for state in 0..machine.states.len() {
            machine.begins[state + 1] += machine.begins[state];
        }
        machine.transitions = transitions;
        machine
    }

    /// All transitions, by the state before them.
    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// A transition.
    ///
    /// # Panics
    /// If there is no such transition.
    pub fn transition(&self, transition: TransitionIndex) -> &Transition {
        &self.transitions[transition.index()]
    }

    fn range(&self, state: State) -> Range<usize> {
        self.begins[state.index()] as usize..self.begins[state.index() + 1] as usize
    }

    /// The transitions from a state, with their numbers.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn from(&self, state: State) -> impl Iterator<Item = (TransitionIndex, &Transition)> {
        let range = self.range(state);
        let first = range.start as u32;
        (first..).map(TransitionIndex).zip(&self.transitions[range])
    }

    /// The state in which it begins.
    pub const fn initial(&self) -> State {
        State(0)
    }

    /// The shortest ways from the beginning: by state, the transition by which it is first reached; `None` for the first state and for what
    /// is never reached. Second, which states are reached.
    pub fn reached(&self) -> (Vec<Option<TransitionIndex>>, Vec<bool>) {
        let mut by = vec![None; self.states.len()];
        let mut is_reached = vec![false; self.states.len()];
        if self.states.is_empty() {
            return (by, is_reached);
        }
        is_reached[0] = true;
        let mut work = std::collections::VecDeque::from([self.initial()]);
        while let Some(state) = work.pop_front() {
            for (index, transition) in self.from(state) {
                if !std::mem::replace(&mut is_reached[transition.to.index()], true) {
                    by[transition.to.index()] = Some(index);
                    work.push_back(transition.to);
                }
            }
        }
        (by, is_reached)
    }

    /// The shortest run to a state, by what [`Self::reached`] says; empty for the first state.
    pub fn way_to(&self, state: State, by: &[Option<TransitionIndex>]) -> Vec<TransitionIndex> {
        let mut way = Vec::new();
        let mut at = state;
        while let Some(transition) = by[at.index()] {
            way.push(transition);
            at = self.transition(transition).from;
        }
        way.reverse();
        way
    }

    /// A thread or register as a bit of a set of both: threads first.
    pub const fn thread_bit(thread: Thread) -> u64 {
        1 << thread.0
    }

    /// The same of a register.
    pub fn register_bit(&self, register: RegisterIndex) -> u64 {
        1 << (self.threads.len() + register.index())
    }

    /// A transition in words, as texts have it: `W T1 x a`.
    pub fn operation_text(&self, operation: Operation) -> String {
        let thread = |thread: Thread| &self.threads[thread.index()];
        let variable = |variable: Variable| &self.variables[variable.index()];
        let register = |register: RegisterIndex| &self.registers[register.index()].name;
        match operation {
            Operation::Write { thread: t, variable: x, register: a } => {
                format!("W {} {} {}", thread(t), variable(x), register(a))
            }
            Operation::Read { thread: t, variable: x, register: a } => {
                format!("R {} {} {}", thread(t), variable(x), register(a))
            }
            Operation::Copy { to, from } => format!("{} := {}", register(to), register(from)),
            Operation::Fence { thread: t } => format!("F {}", thread(t)),
            Operation::Step => "step".to_owned(),
        }
    }
}
