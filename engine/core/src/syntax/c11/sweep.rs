//! C's integers, held against a C compiler.
//!
//! Random statements over variables of all types were run by GCC, with its sanitizer for what is undefined, and the results
//! kept in `sweep.txt`. Which statements there are follows from a seed alone. To record anew:
//! `LITMOSCOPE_SWEEP=FILE.c cargo test -p litmoscope-core --lib sweep::records -- --ignored`, then
//! `gcc -w -std=gnu17 -O0 -fsanitize=undefined -fsanitize-undefined-trap-on-error FILE.c -o FILE && ./FILE > sweep.txt`.

use super::super::sweeping::run;
use crate::program::{ErrorKind, Notation, Value};
use crate::syntax::{parse, print};
use std::fmt::Write as _;

const SEED: u64 = 40;
const COUNT: usize = 20_000;

/// The numbers of SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

const TYPES: [&str; 14] = [
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "uint16_t",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "int8_t",
    "uint32_t",
    "size_t",
    "long long",
];

const LITERALS: [&str; 24] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "31",
    "32",
    "63",
    "-1",
    "-2",
    "255",
    "256",
    "65535",
    "2147483647",
    "-2147483648",
    "2147483648",
    "4294967295",
    "0xffffffff",
    "0x80000000",
    "1u",
    "5ul",
    "3l",
    "0xffffffffffffffff",
    "9223372036854775807",
];

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// A case: statements of C, and how a compiler is given them.
struct Case {
    text: String,
    compiled: String,
    shared: &'static str,
}

fn expression(random: &mut Random, depth: usize, text: &mut String) {
    if depth == 0 || random.below(6) == 0 {
        if random.below(3) == 0 {
            // Apart, so that no compiler computes with it beforehand.
            let _ = write!(text, "k({})", random.of(&LITERALS));
        } else {
            *text += random.of(&NAMES);
        }
        return;
    }
    *text += "w(";
    match random.below(12) {
        0 => {
            *text += random.of(&["-", "~", "!", "+"]);
            *text += " ";
            expression(random, depth - 1, text);
        }
        1 | 2 => {
            let _ = write!(text, "({})w(", random.of(&TYPES));
            expression(random, depth - 1, text);
            *text += ")";
        }
        3 => {
            expression(random, depth - 1, text);
            *text += " ? ";
            expression(random, depth - 1, text);
            *text += " : ";
            expression(random, depth - 1, text);
        }
        _ => {
            expression(random, depth - 1, text);
            let operators = [
                "+", "-", "*", "+", "-", "/", "%", "&", "|", "^", "<<", ">>", ">>", "==", "!=", "<", "<=", ">", ">=",
                "&&", "||",
            ];
            let _ = write!(text, " {} ", random.of(&operators));
            expression(random, depth - 1, text);
        }
    }
    *text += ")";
}

/// The operators of assignments.
const OPERATORS: [&str; 10] = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];

fn case(random: &mut Random) -> Case {
    let mut declarations = String::new();
    for name in NAMES {
        let _ = write!(declarations, "{} {name} = k({}); ", random.of(&TYPES), random.of(&LITERALS));
    }
    let shared = random.of(&TYPES);
    let (mut value, mut other) = (String::new(), String::new());
    let depth = 1 + random.below(4);
    expression(random, depth, &mut value);
    expression(random, 1, &mut other);
    let (kind, operator) = (random.of(&TYPES), random.of(&OPERATORS));
    let statements = match random.below(10) {
        0..=2 => format!("*x = w({value}); {kind} r = *x;"),
        3 | 4 => format!("{kind} r = w({value}); *x = r;"),
        5 => format!("a {operator}= {value}; *x = a; {kind} r = *x;"),
        6 => format!("*x = b; *x {operator}= {value}; long r = *x;"),
        7 => format!("long r = {}; *x = a; r = r ^ a;", random.of(&["a++", "++a", "a--", "--a"])),
        8 if shared != "_Bool" => {
            let name = random.of(&["add", "sub", "and", "or", "xor"]);
            format!("atomic_store(x, b); long r = atomic_fetch_{name}(x, w({value})) == {other};")
        }
        _ => format!("atomic_store(x, b); unsigned long r = atomic_exchange(x, w({value})); r = r ^ atomic_load(x);"),
    };
    // GCC narrows operations whose results are narrowed, and then sees no overflow: each result has a variable of its own.
    let wide = |target: &str| {
        let from = format!("{target} {operator}= {value};");
        statements.replace(&from, &format!("{target} = w({target} {operator} ({value}));"))
    };
    let compiled = declarations.clone() + &if statements.starts_with('a') { wide("a") } else { wide("*x") };
    let plain = |text: String| text.replace("w(", "(").replace("k(", "(");
    Case { text: plain(declarations + &statements), compiled: compiled.replace("w(", "k("), shared }
}

fn cases() -> Vec<Case> {
    let mut random = Random(SEED);
    (0..COUNT).map(|_| case(&mut random)).collect()
}

/// What the only thread of a program leaves in its last register of that name and in its first location.
pub(super) fn outcome(text: &str, register: &str) -> Result<(Value, Value), ErrorKind> {
    let found = run(text)?;
    let (value, _) = found.of(register).unwrap_or_else(|| panic!("no {register}: {text}"));
    Ok((value, found.first()))
}

impl Case {
    fn is_atomic(&self) -> bool {
        self.text.contains("atomic_")
    }

    fn shared(&self) -> String {
        if self.is_atomic() { format!("_Atomic({})", self.shared) } else { self.shared.to_owned() }
    }

    /// The case in herd's C.
    fn program(&self) -> String {
        format!("C case\n{{}}\nP0 ({}* x) {{ {} }}\n", self.shared(), self.text)
    }

    /// The case as a function of C.
    fn function(&self, number: usize) -> String {
        let shared = self.shared();
        format!(
            "static void f{number}(void) {{ static {shared} cell; volatile {shared} *x = &cell; {} \
             printf(\"%ld %ld\\n\", (long)r, (long)*x); }}\n",
            self.compiled
        )
    }
}

/// Of the case of each line: both results, or that it is undefined.
#[test]
fn all_is_as_a_compiler_has_it() {
    let expected: Vec<&str> = include_str!("sweep.txt").lines().collect();
    assert_eq!(expected.len(), COUNT);
    let mut undefined = 0;
    for (number, (case, expected)) in cases().iter().zip(expected).enumerate() {
        let text = case.program();
        let found = match outcome(&text, "r") {
            Ok((register, shared)) => format!("{register} {shared}"),
            Err(ErrorKind::SignedOverflow | ErrorKind::ShiftOutOfRange | ErrorKind::DivisionByZero) => {
                "undefined".to_owned()
            }
            Err(other) => panic!("{other:?}: {text}"),
        };
        undefined += usize::from(found == "undefined");
        assert_eq!(found, expected, "case {number} of seed {SEED}: {text}");
    }
    assert!((COUNT / 20..COUNT / 2).contains(&undefined), "{undefined} are undefined");
}

/// What was read is written such that it means the same.
#[test]
fn all_means_the_same_when_it_is_written() {
    for case in cases().iter().step_by(4) {
        let text = case.program();
        let program = parse(&text).expect("it was read").program;
        let printed = print(&program, Notation::C11).expect("it is C");
        assert_eq!(outcome(&printed, "r"), outcome(&text, "r"), "{text}\n{printed}");
    }
}

/// In our own notation it means the same, where that has words for it.
#[test]
fn all_means_the_same_with_64_bits() {
    let (mut same, mut compared) = (0, 0);
    for case in cases().iter().step_by(4) {
        let text = case.program();
        let Ok(expected) = outcome(&text, "r") else { continue };
        let parsed = parse(&text).expect("it was read").program;
        let Ok(printed) = print(&parsed, Notation::Litmoscope) else { continue };
        compared += 1;
        // Atomics wrap at 64 bits there.
        if printed.starts_with('#') && case.is_atomic() {
            continue;
        }
        same += 1;
        assert_eq!(outcome(&printed, "r"), Ok(expected), "{text}\n{printed}");
    }
    assert!(same > COUNT / 10 && compared > same, "{same} of {compared}");
}

#[test]
#[ignore = "writes what a compiler is to run"]
fn records() {
    let Ok(path) = std::env::var("LITMOSCOPE_SWEEP") else { return };
    let mut text = String::from(
        "#include <setjmp.h>\n#include <signal.h>\n#include <stdatomic.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n\
         #define k(value) ({ __typeof__(value) volatile kept = value; (__typeof__(value))kept; })\n\
         static sigjmp_buf out;\nstatic void trapped(int signal) { siglongjmp(out, signal); }\n",
    );
    let cases = cases();
    for (number, case) in cases.iter().enumerate() {
        text += &case.function(number);
    }
    text += "int main(void) {\n  signal(SIGILL, trapped); signal(SIGFPE, trapped); signal(SIGTRAP, trapped);\n";
    for number in 0..cases.len() {
        let _ = writeln!(text, "  if (sigsetjmp(out, 1)) puts(\"undefined\"); else f{number}();");
    }
    text += "}\n";
    std::fs::write(path, text).expect("a file");
}
