//! What instructions compute, held against a machine.
//!
//! Random threads over four registers and a location were assembled and run, and what they left kept in `sweep.txt`. Which threads
//! there are follows from a seed alone. To record anew on a machine with these instructions:
//! `LITMOSCOPE_SWEEP=FILE.c cargo test -p litmoscope-core --lib x86::sweep::records -- --ignored`, then
//! `gcc -O0 FILE.c -o FILE && ./FILE > sweep.txt`.

use super::super::sweeping::{Outcome, run};
use super::suffix;
use crate::program::{Notation, Value};
use crate::random::Random;
use crate::syntax::{parse, print};
use std::fmt::Write as _;

const SEED: u64 = 41;
const COUNT: usize = 10_000;

const REGISTERS: [[&str; 4]; 4] =
    [["rax", "eax", "ax", "al"], ["rbx", "ebx", "bx", "bl"], ["rcx", "ecx", "cx", "cl"], ["rdx", "edx", "dx", "dl"]];

/// Which sizes a thread uses.
const SIZES: [&[u32]; 8] = [&[32], &[64], &[32, 64], &[8, 32], &[16, 32], &[8, 16, 32, 64], &[16], &[8, 32, 64]];

const NUMBERS: [Value; 20] = [
    0,
    1,
    2,
    3,
    5,
    7,
    127,
    128,
    255,
    256,
    32_767,
    32_768,
    65_535,
    2_147_483_647,
    2_147_483_648,
    4_294_967_295,
    -1,
    -2,
    -128,
    -2_147_483_648,
];

const CONDITIONS: [&str; 14] = ["e", "ne", "z", "nz", "l", "le", "g", "ge", "a", "ae", "b", "be", "s", "ns"];

/// A thread, with `@` for the location.
struct Case {
    initial: [Value; 5],
    instructions: Vec<String>,
}

struct Thread<'r> {
    random: &'r mut Random,
    sizes: &'static [u32],
    /// The location's.
    cell: u32,
    instructions: Vec<String>,
}

fn name(register: usize, size: u32) -> String {
    format!("%{}", REGISTERS[register][(64 / size).trailing_zeros() as usize])
}

impl Thread<'_> {
    fn below(&mut self, count: usize) -> usize {
        self.random.below(count as u64) as usize
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn size(&mut self) -> u32 {
        self.of(self.sizes)
    }

    fn register(&mut self, size: u32) -> String {
        name(self.below(4), size)
    }

    fn immediate(&mut self, size: u32) -> String {
        loop {
            let number = self.of(&NUMBERS);
            let fits = if size == 64 {
                i32::try_from(number).is_ok()
            } else {
                (-(1i64 << (size - 1))..1i64 << size).contains(&number)
            };
            if fits {
                return format!("${number}");
            }
        }
    }

    fn source(&mut self, size: u32) -> String {
        match self.below(4) {
            0 => self.immediate(size),
            1 if size == self.cell => "@".to_owned(),
            _ => self.register(size),
        }
    }

    fn destination(&mut self, size: u32) -> String {
        if size == self.cell && self.below(3) == 0 { "@".to_owned() } else { self.register(size) }
    }

    fn push(&mut self, instruction: String) {
        self.instructions.push(instruction);
    }

    /// One or two instructions that depend on the flags.
    fn consume(&mut self, conditions: &[&str]) {
        for _ in 0..1 + self.below(2) {
            let condition = self.of(conditions);
            if self.sizes.contains(&8) && self.below(2) == 0 {
                let to = self.destination(8);
                self.push(format!("set{condition} {to}"));
                continue;
            }
            let size = loop {
                let size = self.size();
                if size > 8 {
                    break size;
                }
            };
            let (from, to) = (self.register(size), self.register(size));
            let from = if self.cell == size && self.below(4) == 0 { "@".to_owned() } else { from };
            self.push(format!("cmov{condition} {from},{to}"));
        }
    }

    fn instruction(&mut self) {
        let size = self.size();
        let letter = suffix(size);
        let (destination, source) = (self.destination(size), self.source(size));
        let both = if destination == "@" && source == "@" { self.register(size) } else { source };
        let zero = ["e", "ne", "s", "ns"];
        match self.below(16) {
            0 | 1 => self.push(format!("mov{letter} {both},{destination}")),
            2..=4 => {
                let base = self.of(&["add", "sub", "and", "or", "xor"]);
                let lock = if destination == "@" && self.below(2) == 0 { "lock " } else { "" };
                self.push(format!("{lock}{base}{letter} {both},{destination}"));
                if destination != "@" || !lock.is_empty() {
                    self.consume(&zero);
                }
            }
            5 => {
                let base = self.of(&["inc", "dec", "neg", "not"]);
                self.push(format!("{base}{letter} {destination}"));
                if destination != "@" && base != "not" {
                    self.consume(&zero);
                }
            }
            6..=8 => {
                let base = self.of(&["cmp", "cmp", "test"]);
                self.push(format!("{base}{letter} {both},{destination}"));
                self.consume(&CONDITIONS);
            }
            9 | 10 => {
                let base = self.of(&["shl", "sal", "shr", "sar"]);
                match self.below(3) {
                    0 => self.push(format!("{base}{letter} %cl,{destination}")),
                    1 => self.push(format!("{base}{letter} {destination}")),
                    _ => {
                        let count = self.of(&[1, 2, 7, 8, 15, 31, 32, 40, 63]);
                        self.push(format!("{base}{letter} ${count},{destination}"));
                        let is_zero = if size == 64 { count % 64 == 0 } else { count % 32 == 0 };
                        if destination != "@" && !is_zero {
                            self.consume(&zero);
                        }
                    }
                }
            }
            11 => {
                let from = self.size();
                let (low, high) = (from.min(size), from.max(size));
                if low < high {
                    let kind = if low == 32 { 's' } else { self.of(&['s', 'z']) };
                    let from = if self.cell == low && self.below(3) == 0 { "@".to_owned() } else { self.register(low) };
                    let to = self.register(high);
                    self.push(format!("mov{kind}{}{} {from},{to}", suffix(low), suffix(high)));
                }
            }
            12 | 13 if size > 8 => {
                let (base, index, to) = (self.register(64), self.register(64), self.register(size));
                let (bytes, scale) = (self.of(&[0, 1, 4, -8, 100]), self.of(&[1, 2, 4, 8]));
                match self.below(3) {
                    0 => self.push(format!("lea{letter} {}({base}),{to}", if bytes == 0 { 3 } else { bytes })),
                    1 => self.push(format!("lea{letter} {bytes}({base},{index},{scale}),{to}")),
                    _ => self.push(format!("lea{letter} ({base},{index}),{to}")),
                }
            }
            14 if size > 8 => {
                let base = self.of(&["bt", "bts", "btr", "btc"]);
                let number = self.below(size as usize);
                let register = self.whole();
                let widest = self.sizes.iter().max().copied().unwrap_or(32);
                if number < widest as usize {
                    self.push(format!("{base}{} ${number},{register}", suffix(widest)));
                    self.consume(&["c", "nc"]);
                }
            }
            _ if self.cell == self.sizes.iter().max().copied().unwrap_or(32) => {
                let (register, letter) = (self.whole(), suffix(self.cell));
                match self.below(4) {
                    0 => self.push(format!("xchg{letter} {register},@")),
                    1 => self.push(format!("lock xadd{letter} {register},@")),
                    2 => self.push(format!("xadd{letter} {register},@")),
                    _ => {
                        let lock = self.of(&["lock ", ""]);
                        self.push(format!("{lock}cmpxchg{letter} {register},@"));
                        self.consume(&["e", "ne"]);
                    }
                }
            }
            _ => self.push("nop".to_owned()),
        }
    }

    /// A register as large as the thread uses it.
    fn whole(&mut self) -> String {
        let widest = self.sizes.iter().max().copied().unwrap_or(32);
        self.register(widest)
    }
}

fn case(random: &mut Random) -> Case {
    let sizes = SIZES[random.below(SIZES.len() as u64) as usize];
    let cell = sizes[random.below(sizes.len() as u64) as usize];
    let mut thread = Thread { random, sizes, cell, instructions: Vec::new() };
    let widest = sizes.iter().max().copied().unwrap_or(32);
    let initial = [0; 5].map(|_| thread.of(&NUMBERS));
    // All are as large as the thread uses any of them.
    for register in 0..4 {
        let name = name(register, widest);
        thread.push(format!("mov{} {name},{name}", suffix(widest)));
    }
    let accumulator = name(0, cell);
    thread.push(format!("test{} @,{accumulator}", suffix(cell)));
    thread.consume(&CONDITIONS);
    for _ in 0..2 + thread.below(5) {
        thread.instruction();
    }
    Case { initial, instructions: thread.instructions }
}

fn cases() -> Vec<Case> {
    let mut random = Random::new(SEED);
    (0..COUNT).map(|_| case(&mut random)).collect()
}

impl Case {
    fn program(&self) -> String {
        let mut text = String::from("X86_64 case\n{ ");
        for (names, value) in REGISTERS.iter().zip(self.initial) {
            let _ = write!(text, "0:{}={value}; ", names[0]);
        }
        let _ = write!(text, "x={}; }}\n P0 ;\n", self.initial[4]);
        for instruction in &self.instructions {
            let _ = writeln!(text, " {} ;", instruction.replace('@', "(x)"));
        }
        text
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    REGISTERS.iter().map(|names| names[0]).chain(["x"])
}

fn shown(found: &Outcome) -> String {
    names().map(|name| format!("{name}: {:?} ", found.of(name))).collect()
}

/// What a thread left, as the table has it: a number of 64 bits for each register and the location, of which the lowest count.
fn differs(found: &Outcome, expected: &str) -> bool {
    let numbers = expected.split(' ').map(|number| number.parse::<Value>().expect("a number"));
    names()
        .zip(numbers)
        .any(|(name, number)| found.of(name).is_some_and(|(value, integer)| integer.convert(number) != value))
}

#[test]
fn all_is_as_a_machine_has_it() {
    let expected: Vec<&str> = include_str!("sweep.txt").lines().collect();
    assert_eq!(expected.len(), COUNT);
    for (number, (case, expected)) in cases().iter().zip(expected).enumerate() {
        let text = case.program();
        let found = run(&text).unwrap_or_else(|error| panic!("{error:?}: {text}"));
        assert!(!differs(&found, expected), "case {number} of seed {SEED}: {text}\n{expected}\n{}", shown(&found));
    }
}

/// What can be written means the same when it is read again.
#[test]
fn all_means_the_same_when_it_is_written() {
    let expected: Vec<&str> = include_str!("sweep.txt").lines().collect();
    let mut written = 0;
    for (case, expected) in cases().iter().zip(expected).step_by(4) {
        let text = case.program();
        let program = parse(&text).expect("it was read").program;
        if let Ok(printed) = print(&program, Notation::X86_64) {
            let found = run(&printed).unwrap_or_else(|error| panic!("{error:?}: {printed}"));
            assert!(!differs(&found, expected), "{text}\n{printed}\n{expected}\n{}", shown(&found));
            written += 1;
        }
    }
    println!("{written} were written");
}

#[test]
#[ignore = "writes what a machine is to run"]
fn records() {
    let Ok(path) = std::env::var("LITMOSCOPE_SWEEP") else { return };
    let mut text = String::from(
        "#include <stdio.h>\nlong r[4];\nlong x;\nextern void (*const all[])(void);\nextern const long initial[][5];\n",
    );
    let cases = cases();
    text += "__asm__(\".text\\n\"\n";
    for (number, case) in cases.iter().enumerate() {
        let _ = write!(text, "\"f{number}: push %rbx\\n");
        for (at, names) in REGISTERS.iter().enumerate() {
            let _ = write!(text, "movq r+{}(%rip),%{}\\n", 8 * at, names[0]);
        }
        case.instructions.iter().for_each(|instruction| text += &format!("{}\\n", instruction.replace('@', "x(%rip)")));
        for (at, names) in REGISTERS.iter().enumerate() {
            let _ = write!(text, "movq %{},r+{}(%rip)\\n", names[0], 8 * at);
        }
        text += "pop %rbx\\nret\\n\"\n";
    }
    text += "\".data\\n.globl all\\nall:\\n\"\n";
    (0..cases.len()).for_each(|number| text += &format!("\".quad f{number}\\n\"\n"));
    text += "\".globl initial\\ninitial:\\n\"\n";
    for case in &cases {
        let numbers: Vec<String> = case.initial.iter().map(Value::to_string).collect();
        let _ = writeln!(text, "\".quad {}\\n\"", numbers.join(","));
    }
    let count = cases.len();
    let _ = write!(
        text,
        "\".text\\n\");\nint main(void) {{\n  for (int n = 0; n < {count}; n++) {{\n    for (int i = 0; i < 4; i++) r[i] = \
         initial[n][i];\n    x = initial[n][4];\n    all[n]();\n    printf(\"%ld %ld %ld %ld %ld\\n\", r[0], r[1], r[2], r[3], \
         x);\n  }}\n}}\n"
    );
    std::fs::write(path, text).expect("a file");
}
