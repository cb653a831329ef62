//! Why it is hard: finite automata as a machine that violates release-acquire iff some word is accepted by all of them.
//!
//! Section 5.4 of the thesis, corrected: as its initialization is printed (the first registers of the next automaton, then the final one), each
//! thread reads at once what should come to it only by an accepted word, so that the machine always violates.

use super::machine::{
    MAX_ENTITIES, Machine, MachineNames, Operation, Register, RegisterIndex, State, Thread, Transition,
    TransitionIndex, Variable,
};
use std::collections::BTreeSet;

/// A finite automaton. From a state, a symbol leads to one state, or to none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Automaton {
    /// How many states it has; it begins in state 0.
    pub states: usize,
    /// From which state by which symbol to which.
    pub steps: Vec<(usize, char, usize)>,
    /// The states in which a word is accepted.
    pub accepting: Vec<usize>,
}

impl Automaton {
    /// Whether it accepts a word.
    pub fn accepts(&self, word: &str) -> bool {
        let mut state = 0;
        for symbol in word.chars() {
            let step = self.steps.iter().find(|(from, read, _)| *from == state && *read == symbol);
            let Some((_, _, to)) = step else { return false };
            state = *to;
        }
        self.accepting.contains(&state)
    }
}

/// Whether the first registers are written as they have to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Initialization {
    /// So that a thread reads the next one's write only if a word was accepted.
    #[default]
    Corrected,
    /// As it is printed.
    AsPrinted,
}

/// Why automata make no machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoMachine {
    /// Too few.
    #[error("a machine needs at least two automata")]
    TooFew,
    /// Too many states.
    #[error("the automata have {0} states together: at most {most} fit with their threads", most = MAX_ENTITIES)]
    TooMany(usize),
    /// The end of words is needed for itself.
    #[error("`#` marks the end of words here, so it can't be a symbol")]
    EndSymbol,
}

/// The end of a word.
const END: char = '#';

/// Makes a machine of automata, whose symbols these are, and those of their steps: it violates release-acquire, and with its one variable strong release-acquire as well, iff some
/// word is accepted by all. O(s k n²) transitions for s symbols and k automata of n states.
///
/// # Errors
/// [`NoMachine`].
pub fn machine_of(
    automata: &[Automaton],
    symbols: &[char],
    initialization: Initialization,
) -> Result<Machine, NoMachine> {
    if automata.len() < 2 {
        return Err(NoMachine::TooFew);
    }
    let count = automata.len();
    let states: usize = automata.iter().map(|automaton| automaton.states).sum();
    if states + 2 * count + 2 > MAX_ENTITIES {
        return Err(NoMachine::TooMany(states));
    }
    let known = automata.iter().flat_map(|automaton| automaton.steps.iter().map(|step| step.1));
    let symbols: BTreeSet<char> = symbols.iter().copied().chain(known).collect();
    if symbols.contains(&END) {
        return Err(NoMachine::EndSymbol);
    }
    let mut maker = Maker::new(automata);
    maker.initialize(initialization);
    maker.read_words(&symbols);
    maker.output();
    Ok(Machine::new(maker.names, maker.transitions))
}

/// The word that a run of such a machine reads.
pub fn word_of(machine: &Machine, run: &[TransitionIndex]) -> String {
    let symbol = |transition: &TransitionIndex| {
        let to = &machine.states[machine.transition(*transition).to.index()];
        let symbol = to.strip_prefix("read ")?;
        symbol.chars().next().filter(|symbol| *symbol != END && symbol.len_utf8() == to.len() - 5)
    };
    run.iter().filter_map(symbol).collect()
}

/// A machine in the making.
struct Maker<'a> {
    automata: &'a [Automaton],
    names: MachineNames,
    transitions: Vec<Transition>,
    /// By automaton: its first register; those of its states come one behind the other, then the final one.
    firsts: Vec<usize>,
    main: State,
}

impl<'a> Maker<'a> {
    fn new(automata: &'a [Automaton]) -> Self {
        let mut names = MachineNames { variables: vec!["x".to_owned()], ..MachineNames::default() };
        let mut firsts = Vec::new();
        let register = |name: String| Register { name, variable: Some(Variable(0)) };
        for (at, automaton) in automata.iter().enumerate() {
            names.threads.push(format!("T{at}"));
            firsts.push(names.registers.len());
            names.registers.extend((0..automaton.states).map(|state| register(format!("r{at}_{state}"))));
            names.registers.push(register(format!("r{at}_f")));
        }
        names.threads.push("Tnil".to_owned());
        names.registers.push(register("nil".to_owned()));
        Self { automata, names, transitions: Vec::new(), firsts, main: State(0) }
    }

    fn state(&mut self, name: String) -> State {
        self.names.states.push(name);
        State(self.names.states.len() as u32 - 1)
    }

    fn step(&mut self, from: State, operation: Operation, to: State) {
        self.transitions.push(Transition { from, to, operation, line: 0 });
    }

    fn register(&self, automaton: usize, state: usize) -> RegisterIndex {
        RegisterIndex((self.firsts[automaton] + state) as u8)
    }

    /// The register that holds what a thread reads in the end.
    fn last(&self, automaton: usize) -> RegisterIndex {
        self.register(automaton, self.automata[automaton].states)
    }

    fn nil(&self) -> RegisterIndex {
        RegisterIndex(self.names.registers.len() as u8 - 1)
    }

    /// The writes that tell where each automaton is: only its first state's register has the write of the next thread.
    fn initialize(&mut self, initialization: Initialization) {
        let count = self.automata.len();
        let mut operations = Vec::new();
        let mut write = |thread: usize, register: RegisterIndex| {
            operations.push(Operation::Write { thread: Thread(thread as u8), variable: Variable(0), register });
        };
        for at in 0..count {
            let before = (at + count - 1) % count;
            let (first, second) = match initialization {
                Initialization::Corrected => (self.register(before, 0), self.last(at)),
                Initialization::AsPrinted => (self.last(before), self.register(at, 0)),
            };
            write(at, first);
            write(at, second);
        }
        write(count, self.nil());
        for at in 0..count {
            for state in 1..self.automata[at].states {
                operations.push(Operation::Copy { to: self.register(at, state), from: self.nil() });
            }
        }
        let mut from = self.state("begin".to_owned());
        let last = operations.len() - 1;
        for (place, operation) in operations.into_iter().enumerate() {
            let name = if place == last { "main".to_owned() } else { format!("begin {}", place + 1) };
            let to = self.state(name);
            self.step(from, operation, to);
            from = to;
        }
        self.main = from;
    }

    /// Reads symbol after symbol, each of which moves all automata, or an end, which moves them to their last registers.
    fn read_words(&mut self, symbols: &BTreeSet<char>) {
        for symbol in symbols.iter().copied().chain([END]) {
            let mut at = self.state(format!("read {symbol}"));
            self.step(self.main, Operation::Step, at);
            for automaton in 0..self.automata.len() {
                let is_last = automaton + 1 == self.automata.len();
                let next = if is_last { self.main } else { self.state(format!("read {symbol} {}", automaton + 1)) };
                for (from, to) in self.moves(automaton, symbol) {
                    self.move_token(automaton, symbol, (from, to), at, next);
                }
                at = next;
            }
        }
    }

    /// From which of its states to which register a symbol moves an automaton.
    fn moves(&self, automaton: usize, symbol: char) -> Vec<(usize, usize)> {
        let about = &self.automata[automaton];
        if symbol == END {
            return about.accepting.iter().map(|state| (*state, about.states)).collect();
        }
        about.steps.iter().filter(|step| step.1 == symbol).map(|step| (step.0, step.2)).collect()
    }

    /// Copies the token, and nil into all other registers of the automaton. Whoever guesses a state in which the automaton is not, copies nil.
    fn move_token(&mut self, automaton: usize, symbol: char, (from, to): (usize, usize), at: State, next: State) {
        let mut operations =
            vec![Operation::Copy { to: self.register(automaton, to), from: self.register(automaton, from) }];
        let others = (0..self.automata[automaton].states).filter(|state| *state != to);
        operations
            .extend(others.map(|state| Operation::Copy { to: self.register(automaton, state), from: self.nil() }));
        let mut before = at;
        let last = operations.len() - 1;
        for (place, operation) in operations.into_iter().enumerate() {
            let behind = if place == last {
                next
            } else {
                self.state(format!("{symbol}, T{automaton} from {from} to {to}, {}", place + 1))
            };
            self.step(before, operation, behind);
            before = behind;
        }
    }

    /// Each thread reads its last register.
    fn output(&mut self) {
        let mut from = self.state("output".to_owned());
        self.step(self.main, Operation::Step, from);
        for at in 0..self.automata.len() {
            let to = self.state(format!("output {}", at + 1));
            let (thread, register) = (Thread(at as u8), self.last(at));
            self.step(from, Operation::Read { thread, variable: Variable(0), register }, to);
            from = to;
        }
    }
}
