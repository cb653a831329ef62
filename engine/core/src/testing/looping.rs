//! Random programs that run for ever, as texts: two or three threads with locks, inputs, waiting, steps that are atomic.

use crate::random::Random;
use std::fmt::Write;

/// How such programs are made.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The most threads; there are at least two.
    pub threads: u64,
    /// The most statements of a thread's loop.
    pub statements: u64,
    /// There may be inputs.
    pub inputs: bool,
    /// There may be statements that are errors.
    pub errors: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self { threads: 3, statements: 5, inputs: true, errors: true }
    }
}

/// The program of a seed. Values stay small, so it has few states.
pub fn looping(seed: u64, shape: Shape) -> String {
    Writer { random: Random::new(seed), shape, text: String::new(), held: Vec::new() }.program()
}

struct Writer {
    random: Random,
    shape: Shape,
    text: String,
    /// The mutexes that the thread holds at this place.
    held: Vec<u64>,
}

impl Writer {
    fn one_in(&mut self, n: u64) -> bool {
        self.random.below(n) == 0
    }

    fn program(mut self) -> String {
        let input = if self.shape.inputs && self.one_in(3) { "input 0..1" } else { "1" };
        let _ = writeln!(self.text, "shared m, k, x, y = {input}, q[2]");
        if self.shape.inputs && self.one_in(6) {
            self.text += "assuming y = 1 or x < y\n";
        }
        let threads = 2 + self.random.below(self.shape.threads - 1);
        for thread in 0..threads {
            if thread > 0 {
                self.text += "||\n";
            }
            self.held.clear();
            if self.one_in(4) {
                self.text += "r := x\n";
            }
            if self.one_in(8) {
                self.block(1);
                continue;
            }
            self.text += "while 1 {\n";
            self.block(1);
            while let Some(mutex) = self.held.pop() {
                let _ = writeln!(self.text, "  unlock {}", ["m", "k"][mutex as usize]);
            }
            self.text += "}\n";
        }
        self.text
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..=self.random.below(self.shape.statements) {
            self.text.extend(std::iter::repeat_n("  ", depth));
            self.statement(depth);
            self.text += "\n";
        }
    }

    fn place(&mut self) -> &'static str {
        let places = if self.one_in(4) { 5 } else { 3 };
        ["x", "y", "q[0]", "q[1]", "q[r]"][self.random.below(places) as usize]
    }

    fn value(&mut self) -> String {
        match self.random.below(6) {
            0 => "r".to_owned(),
            1 => "1 - r".to_owned(),
            2 => "(r + 1) % 3".to_owned(),
            _ => self.random.below(3).to_string(),
        }
    }

    fn condition(&mut self) -> String {
        let place = self.place();
        let comparison = ["=", "!=", "<"][self.random.below(3) as usize];
        let value = self.random.below(2);
        match self.random.below(5) {
            0 => format!("r {comparison} {value}"),
            1 => format!("{place} {comparison} {value} and x = r"),
            _ => format!("{place} {comparison} {value}"),
        }
    }

    fn nested(&mut self, open: &str, depth: usize) {
        let held = self.held.clone();
        self.text += open;
        self.text += " {\n";
        // What is taken inside is given back inside.
        self.held = vec![0, 1];
        self.block(depth + 1);
        self.held = held;
        self.text.extend(std::iter::repeat_n("  ", depth));
        self.text += "}";
    }

    fn statement(&mut self, depth: usize) {
        let kind = self.random.below(16);
        let place = self.place();
        let line = match kind {
            0..=2 => format!("{place} := {}", self.value()),
            3 | 4 => format!("r := {place}"),
            5 => format!("fetch_xor({place}, 1)"),
            6 => format!("r := cas({place}, 0, {})", self.value()),
            7 | 8 if self.held.len() < 2 && depth == 1 => {
                let free: Vec<u64> = (0..2).filter(|mutex| !self.held.contains(mutex)).collect();
                let mutex = free[self.random.below(free.len() as u64) as usize];
                self.held.push(mutex);
                format!("lock {}", ["m", "k"][mutex as usize])
            }
            9 if depth == 1 && !self.held.is_empty() => match self.held.pop() {
                Some(mutex) => format!("unlock {}", ["m", "k"][mutex as usize]),
                None => "skip".to_owned(),
            },
            10 => format!("assume {}", self.condition()),
            11 if depth < 3 => {
                let condition = self.condition();
                return self.nested(&format!("if {condition}"), depth);
            }
            12 if self.shape.inputs => {
                ["r := input 0..1", "r := input {2, 0}"][self.random.below(2) as usize].to_owned()
            }
            13 => {
                let (condition, value) = (self.condition(), self.value());
                let guard = if self.one_in(2) { format!("assume {condition}; ") } else { String::new() };
                let then = if self.one_in(3) {
                    format!("if r = 1 {{ y := r }} else {{ r := {place} }}")
                } else {
                    format!("r := {place}")
                };
                format!("atomic {{ {guard}{then}; {place} := {value} }}")
            }
            14 if self.shape.errors && self.one_in(2) => {
                ["assert x < 2", "assert r != 1", "r := 1 / y"][self.random.below(3) as usize].to_owned()
            }
            15 if self.one_in(3) => "unlock m".to_owned(),
            _ => format!("{place} := {}", self.value()),
        };
        self.text += &line;
    }
}
