//! Names in the languages of exported programs.

use litmoscope_core::program::system::{Holds, System, Variable};
use std::collections::{BTreeMap, BTreeSet};

/// What no name may be: words of either language, and names that exported programs use themselves.
const TAKEN: &[&str] = &[
    "Err",
    "None",
    "Ok",
    "Some",
    "abort",
    "abstract",
    "add",
    "alignas",
    "alignof",
    "alone",
    "as",
    "asm",
    "async",
    "at",
    "atomic",
    "auto",
    "await",
    "become",
    "bool",
    "box",
    "break",
    "case",
    "char",
    "compare_exchange",
    "const",
    "continue",
    "crate",
    "default",
    "divide",
    "do",
    "double",
    "drop",
    "dyn",
    "edges",
    "else",
    "enum",
    "errno",
    "exit",
    "extern",
    "false",
    "fence",
    "final",
    "fit",
    "float",
    "fn",
    "for",
    "fprintf",
    "gen",
    "goto",
    "i64",
    "if",
    "impl",
    "in",
    "index",
    "inline",
    "int",
    "int64_t",
    "is_free",
    "is_useful",
    "let",
    "linux",
    "long",
    "loop",
    "macro",
    "main",
    "match",
    "memory_order_seq_cst",
    "mod",
    "move",
    "multiply",
    "mut",
    "negate",
    "not_alone",
    "others",
    "override",
    "point",
    "printf",
    "priv",
    "pub",
    "random",
    "ref",
    "register",
    "remainder",
    "remainder_of",
    "restrict",
    "result",
    "return",
    "runtime",
    "schedule",
    "seed",
    "seen",
    "self",
    "shared",
    "shift_left",
    "shift_right",
    "short",
    "signed",
    "sizeof",
    "static",
    "stderr",
    "struct",
    "subtract",
    "super",
    "switch",
    "thread",
    "trait",
    "tries",
    "true",
    "try",
    "turn",
    "type",
    "typed",
    "typedef",
    "typeof",
    "u32",
    "uint64_t",
    "union",
    "unix",
    "unsafe",
    "unsigned",
    "unsized",
    "up_to",
    "update",
    "use",
    "virtual",
    "void",
    "volatile",
    "where",
    "while",
    "wide",
    "wrong",
    "yield",
];

/// How names begin that exported programs make of others.
const BEGINNINGS: &[&str] = &["lm_", "new_", "seen_", "part_", "input_", "keeps_", "index_", "atomic_", "pthread_"];

/// Names that are different from each other.
#[derive(Clone, Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// A name like this one that nothing has yet.
    pub(super) fn add(&mut self, wanted: &str) -> String {
        let mut name: String =
            wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(60).collect();
        // A name that begins with two lines, or ends with one, is left to the compiler and to us.
        name = name.trim_matches('_').to_owned();
        let is_ours = BEGINNINGS.iter().any(|beginning| name.starts_with(beginning));
        if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) || is_ours {
            name.insert_str(0, "v_");
        }
        let is_taken = |name: &String| TAKEN.contains(&name.as_str()) || self.taken.contains(name);
        let mut unique = name.clone();
        let mut number = 2;
        while is_taken(&unique) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        self.taken.insert(unique.clone());
        unique
    }
}

/// A field of the shared variables: a single one, or an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) first: Variable,
    /// How many elements; `None` if it is no array.
    pub(super) length: Option<usize>,
}

/// What shared variables and registers are called.
pub(super) struct Called {
    pub(super) fields: Vec<Field>,
    /// By shared variable: its field, and its offset there.
    pub(super) places: Vec<(usize, usize)>,
    /// By register.
    pub(super) registers: BTreeMap<Variable, String>,
    pub(super) threads: Vec<String>,
}

impl Called {
    pub(super) fn of(system: &System) -> Self {
        let shared = system.shared();
        let mut names = Names::default();
        let mut this = Self { fields: Vec::new(), places: Vec::new(), registers: BTreeMap::new(), threads: Vec::new() };
        let mut at = 0;
        while at < shared {
            let name = &system.names[at];
            let base = name.strip_suffix("[0]");
            let is_next = |offset: &usize| {
                let next = system.names[..shared].get(at + offset);
                base.is_some_and(|base| next.is_some_and(|next| *next == format!("{base}[{offset}]")))
            };
            let length = base.map(|_| 1 + (1..).take_while(is_next).count());
            let field = this.fields.len();
            let name = names.add(base.unwrap_or(name));
            this.fields.push(Field { name, first: Variable(at as u32), length });
            for offset in 0..length.unwrap_or(1) {
                this.places.push((field, offset));
            }
            at += length.unwrap_or(1);
        }
        let mut threads = Names::default();
        for (number, thread) in system.threads.iter().enumerate() {
            this.threads.push(threads.add(&thread.name));
            let mut names = Names::default();
            for (at, holds) in system.variables.iter().enumerate() {
                if let Holds::Register(of, _) = holds
                    && usize::from(*of) == number
                {
                    let full = &system.names[at];
                    let own = full.rsplit(':').next().unwrap_or(full);
                    let own = own.strip_prefix('%').map_or_else(|| own.to_owned(), |hidden| format!("value_{hidden}"));
                    this.registers.insert(Variable(at as u32), names.add(&own));
                }
            }
        }
        this
    }

    pub(super) fn field(&self, variable: Variable) -> (&Field, usize) {
        let (field, offset) = self.places[variable.0 as usize];
        (&self.fields[field], offset)
    }
}

/// Text of a program within a comment of one line.
pub(super) fn comment(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c == '\\' || c == '?' || !(c.is_ascii_graphic() || c == ' ') { '.' } else { c })
        .take(90)
        .collect();
    plain.replace("*/", "* /").replace("/*", "/ *")
}

/// Text as a literal of either language.
pub(super) fn literal(text: &str) -> String {
    format!("\"{}\"", comment(text).replace('"', "'"))
}
