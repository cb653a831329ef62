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
//! Comments are `# ...` and `// ...`.

mod expand;
mod language;
mod lex;
mod machine;
#[cfg(test)]
mod tests;

use super::machine::Machine;
use super::typing::check_contents;
use crate::program::Span;
use crate::syntax::{Diagnostic, MAX_SOURCE};
use lex::{Cursor, Kind, tokens, wrong};

/// Whether a text is meant as a protocol or machine: its first line that says something begins with one of these words.
pub fn begins_protocol(text: &str) -> bool {
    let says = |line: &&str| !line.is_empty() && !line.starts_with('#') && !line.starts_with("//");
    let first = text.lines().map(|line| line.trim_start_matches('\u{feff}').trim()).find(says);
    first.is_some_and(|line| {
        let rest = line.strip_prefix("protocol").or_else(|| line.strip_prefix("machine"));
        rest.is_some_and(|rest| {
            rest.is_empty() && line == "machine"
                || rest.starts_with(char::is_whitespace) && !rest.trim_start().starts_with([':', '=', '('])
        })
    })
}

/// Reads a protocol or machine and expands it. `settings` are parameters that are set to something else than the text says. With notes, such
/// as on rules that are never taken.
///
/// # Errors
/// The first thing that is wrong with the text, or with what it expands to.
pub fn parse_protocol(text: &str, settings: &[(String, i64)]) -> Result<(Machine, Vec<Diagnostic>), Vec<Diagnostic>> {
    parse_protocol_within(text, settings, WORK)
}

/// How many expressions are evaluated at most: a minute or so.
const WORK: u64 = 1 << 30;

/// The same, but it gives up when it has evaluated so many expressions.
///
/// # Errors
/// As [`parse_protocol`].
pub fn parse_protocol_within(
    text: &str,
    settings: &[(String, i64)],
    work: u64,
) -> Result<(Machine, Vec<Diagnostic>), Vec<Diagnostic>> {
    let start = Span { line: 1, column: 1, ..Span::default() };
    if text.len() > MAX_SOURCE {
        return Err(vec![Diagnostic::error(format!("the text is longer than {MAX_SOURCE} bytes"), start)]);
    }
    let mut cursor = Cursor::new(text);
    cursor.skip_newlines();
    let read = if cursor.take_word("protocol") {
        language::read(&mut cursor).and_then(|protocol| expand::expand(&protocol, settings, work))
    } else if cursor.take_word("machine") {
        match settings.first() {
            Some((name, _)) => {
                let message = format!("a machine has no parameter `{name}`");
                Err(wrong(message, cursor.span(), "only protocols have parameters"))
            }
            None => machine::read(&mut cursor).map(|machine| (machine, Vec::new())),
        }
    } else {
        let message = format!("expected `protocol` or `machine`, found {}", cursor.found());
        Err(wrong(
            message,
            cursor.span(),
            "the first line is `protocol NAME(threads = 2, variables = 1)` or `machine NAME`",
        ))
    };
    let (machine, mut notes) = read.map_err(|wrong| vec![*wrong])?;
    check_contents(&machine).map_err(|wrong| vec![wrong])?;
    let has_reads =
        machine.transitions().iter().any(|transition| matches!(transition.operation, super::Operation::Read { .. }));
    if !has_reads {
        notes.push(Diagnostic::note("nothing is ever read, so every memory model holds", start));
    }
    Ok((machine, notes))
}

/// Writes a machine as text, which reads as it.
pub fn print_machine(machine: &Machine) -> String {
    machine::print(machine)
}

/// The classes of a text's tokens as byte ranges, in order, without overlaps.
pub fn highlight_protocol(text: &str) -> Vec<(std::ops::Range<usize>, crate::syntax::TokenClass)> {
    use crate::syntax::TokenClass;
    const WORDS: [&str; 34] = [
        "protocol",
        "machine",
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
    if text.len() > MAX_SOURCE {
        return Vec::new();
    }
    let class = |token: &lex::Token| {
        let range = token.span.start as usize..token.span.end as usize;
        let class = match token.kind {
            Kind::Name if WORDS.contains(&&text[range.clone()]) => TokenClass::Keyword,
            Kind::Name => TokenClass::Shared,
            Kind::Number => TokenClass::Number,
            Kind::Symbol(_) => TokenClass::Operator,
            Kind::Newline | Kind::Unknown | Kind::End => return None,
        };
        Some((range, class))
    };
    tokens(text).iter().filter_map(class).collect()
}
