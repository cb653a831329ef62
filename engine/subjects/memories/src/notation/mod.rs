//! Protocols and machines as text.
//!
//! # Machines
//! The first line is `machine` with a name or none. Behind it stand lines of these kinds:
//!
//! - `threads T1 T2`, `variables x y`;
//! - `registers a: x, b: x, c`: with the variable whose initial write each holds at first; c holds nothing;
//! - `start II`: the first state; without this line, the first one that is named;
//! - `II -> MI: W T1 x a`, `SS -> SS: R T1 x a; R T2 x b`, `MI -> SS: b := a`, `SS -> II: step`, `SS -> SS: F T1`: transitions.
//!
//! # Protocols
//! The first line is `protocol NAME(threads = 2, variables = 1, slots = 1)`: parameters with what they are if nobody sets them. `threads`
//! and `variables` say how many of these there are: T1, T2 and so on; x, y, z, x4 and so on. Behind it stand:
//!
//! - `register mem[x: variable]: x`, `register slot[t: thread, i: 1..slots]`;
//! - `control s[t: thread]: {I, S, M} = I`: what the protocol knows beside writes, of type `boolean`, `thread`, `variable`, `0..3`,
//!   `{I, S, M}`, `sequence of T up to N` or `set of T`;
//! - `on write t x when GUARD { ... }`, `on read t x ...`, `on fence t ...`: how requests are answered, by just one `W t x a`, `R t x a`
//!   or `F t` each;
//! - `step flush(t: thread) when GUARD { ... }`: what happens by itself.
//!
//! Rules do events in a row, `a[t] := mem[x]` among them, and change control: `s[t] := M`, `push q[t] x`, `pop q[t]`, `add k[t] u`,
//! `drop k[t] u`, `for u: thread when u != t { ... }`, `if ... { ... } else { ... }`. Between two events of a rule nothing else happens.
//!
//! # Automata
//! The first line is `automata` with a name or none. Behind it stand two finite automata or more, for the machine that violates
//! release-acquire iff some word is accepted by all of them ([`super::machine_of`]). Symbols are letters and digits.
//!
//! - `expression a(a|b)*`: those words, as a regular expression; `.` and `[^a]` are symbols that some automaton knows;
//! - `automaton`, and behind it its lines: `0 -> 1: a b`, `start 0`, `accepts 1`;
//! - `symbols a b`: symbols that there are as well.
//!
//! Comments are `# ...` and `// ...`.

mod automata;
mod expand;
mod expression;
mod language;
mod lex;
mod machine;
#[cfg(test)]
mod tests;

use super::automata::{Automaton, Initialization};
use super::machine::Machine;
use super::typing::check_contents;
use crate::budget::Budget;
use crate::program::Span;
use crate::stopped::Stopped;
use crate::syntax::wrong;
use crate::syntax::{Cursor, Diagnostic, MAX_SOURCE, TokenClass, TokenKind, begins_with, lines_that_say};
use lex::SIGNS;

/// Whether a text is meant as a protocol, machine or automata: its first line that says something begins with one of these words.
pub fn begins_protocol(text: &str) -> bool {
    // Nothing more than that word is no protocol, which has a name.
    let is_bare = || lines_that_say(text).next() == Some("protocol");
    ["protocol", "machine", "automata"].into_iter().any(|word| begins_with(text, word)) && !is_bare()
}

/// How a text is to be read.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// Parameters that are set to something else than the text says.
    pub settings: &'a [(String, i64)],
    /// How automata begin.
    pub initialization: Initialization,
    /// How many expressions are evaluated at most.
    pub work: u64,
}

impl Default for Reading<'_> {
    fn default() -> Self {
        Self { settings: &[], initialization: Initialization::Corrected, work: WORK }
    }
}

/// What a text stands for.
#[derive(Clone, Debug)]
pub struct ReadProtocol {
    /// The machine.
    pub machine: Machine,
    /// Notes on the text, such as on rules that are never taken.
    pub notes: Vec<Diagnostic>,
    /// The automata that the machine was made of; none if it is a protocol or machine by itself.
    pub automata: Vec<Automaton>,
}

/// Why a text was not read.
#[derive(Clone, Debug)]
pub enum NotRead {
    /// The first thing that is wrong with it, or with what it expands to.
    Wrong(Vec<Diagnostic>),
    /// Somebody wants to stop. To read it again begins anew.
    Paused,
}

/// How many expressions are evaluated at most: a minute or so.
const WORK: u64 = 1 << 30;

/// Reads a protocol, a machine or automata, and makes a machine of it. With notes, such as on rules that are never taken.
///
/// # Errors
/// [`NotRead`].
pub fn read_protocol(text: &str, reading: &Reading<'_>, budget: &mut Budget) -> Result<ReadProtocol, NotRead> {
    read(text, reading, budget).map_err(|stopped| match stopped {
        Stopped::Wrong(wrong) => NotRead::Wrong(vec![*wrong]),
        Stopped::Paused => NotRead::Paused,
    })
}

fn read(text: &str, reading: &Reading<'_>, budget: &mut Budget) -> Result<ReadProtocol, Stopped> {
    let start = Span { line: 1, column: 1, ..Span::default() };
    if text.len() > MAX_SOURCE {
        let message = format!("the text is longer than {MAX_SOURCE} bytes");
        return Err(Stopped::Wrong(wrong(message, start, "split it, or let a protocol stand for the machine")));
    }
    let mut cursor = Cursor::new(text, &SIGNS);
    cursor.skip_newlines();
    let head = cursor.span();
    let is_protocol = cursor.take_word("protocol");
    if let (false, Some((name, _))) = (is_protocol, reading.settings.first())
        && (cursor.is_word("machine") || cursor.is_word("automata"))
    {
        let message = format!("there is no parameter `{name}` to set here");
        return Err(Stopped::Wrong(wrong(message, head, "only protocols have parameters")));
    }
    let mut automata = Vec::new();
    let (machine, mut notes) = if is_protocol {
        let protocol = language::read(&mut cursor)?;
        expand::expand(&protocol, reading.settings, reading.work, budget)?
    } else if cursor.take_word("machine") {
        machine::read(&mut cursor)?
    } else if cursor.take_word("automata") {
        let (machine, made_of) = automata::read(&mut cursor, head, reading.initialization, budget)?;
        automata = made_of;
        (machine, Vec::new())
    } else {
        let message = format!("expected `protocol`, `machine` or `automata`, found {}", cursor.found());
        let help = "the first line is `protocol NAME(threads = 2, variables = 1)`, `machine NAME` or `automata NAME`";
        return Err(Stopped::Wrong(wrong(message, cursor.span(), help)));
    };
    if automata.is_empty() && reading.initialization == Initialization::AsPrinted {
        let help = "only the machine made of a text that begins with `automata` differs in the printed version";
        return Err(Stopped::Wrong(wrong("the printed version of this text does not differ", head, help)));
    }
    check_contents(&machine, budget)?;
    let has_reads =
        machine.transitions().iter().any(|transition| matches!(transition.operation, super::Operation::Read { .. }));
    if !has_reads {
        notes.push(Diagnostic::note("no transition reads, so every memory model holds", start));
    }
    Ok(ReadProtocol { machine, notes, automata })
}

/// The parameters that a protocol declares, with what they are if nobody sets them; a machine and automata have none. Nothing is expanded.
///
/// # Errors
/// The first thing that is wrong with the text of a protocol.
pub fn parameters_of(text: &str) -> Result<Vec<(String, i64)>, Vec<Diagnostic>> {
    if text.len() > MAX_SOURCE {
        return Ok(Vec::new());
    }
    let mut cursor = Cursor::new(text, &SIGNS);
    cursor.skip_newlines();
    if !cursor.take_word("protocol") {
        return Ok(Vec::new());
    }
    match language::read(&mut cursor) {
        Ok(protocol) => Ok(protocol.parameters.into_iter().map(|(name, value, _)| (name, value)).collect()),
        Err(wrong) => Err(vec![*wrong]),
    }
}

/// Reads a protocol, a machine or automata, and makes a machine of it; `settings` are parameters that are set to something else than the
/// text says. With notes, such as on rules that are never taken.
///
/// # Errors
/// The first thing that is wrong with the text, or with what it expands to.
pub fn parse_protocol(text: &str, settings: &[(String, i64)]) -> Result<(Machine, Vec<Diagnostic>), Vec<Diagnostic>> {
    parse_protocol_within(text, settings, WORK)
}

/// The same, but it gives up when it has evaluated so many expressions.
///
/// # Errors
/// As [`parse_protocol`].
pub fn parse_protocol_within(
    text: &str,
    settings: &[(String, i64)],
    work: u64,
) -> Result<(Machine, Vec<Diagnostic>), Vec<Diagnostic>> {
    let reading = Reading { settings, work, ..Reading::default() };
    match read_protocol(text, &reading, &mut Budget::unlimited()) {
        Ok(read) => Ok((read.machine, read.notes)),
        Err(NotRead::Wrong(wrong)) => Err(wrong),
        Err(NotRead::Paused) => unreachable!("an unlimited budget never pauses"),
    }
}

/// Writes a machine as text, which reads as it.
pub fn print_machine(machine: &Machine) -> String {
    machine::print(machine)
}

/// The classes of a text's tokens as byte ranges, in order, without overlaps.
pub fn highlight_protocol(text: &str) -> Vec<(std::ops::Range<usize>, TokenClass)> {
    const WORDS: [&str; 39] = [
        "protocol",
        "machine",
        "automata",
        "automaton",
        "expression",
        "symbols",
        "accepts",
        "threads",
        "variables",
        "registers",
        "start",
        "register",
        "control",
        "on",
        "write",
        "read",
        "fence",
        "step",
        "when",
        "for",
        "if",
        "else",
        "push",
        "pop",
        "add",
        "drop",
        "all",
        "some",
        "in",
        "and",
        "or",
        "not",
        "thread",
        "variable",
        "boolean",
        "sequence",
        "set",
        "of",
        "up",
    ];
    SIGNS.colours(text, "", |tokens, at| match tokens[at].kind {
        TokenKind::Name if WORDS.contains(&&text[tokens[at].range()]) => Some(TokenClass::Keyword),
        TokenKind::Name => Some(TokenClass::Shared),
        TokenKind::Number => Some(TokenClass::Number),
        TokenKind::Symbol(_) => Some(TokenClass::Operator),
        TokenKind::Unknown => Some(TokenClass::Unknown),
        TokenKind::Newline | TokenKind::End => None,
    })
}
