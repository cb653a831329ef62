//! Text to program and back, one file a notation.

mod c11;
mod cursor;
mod diagnostic;
mod dialects;
mod herd;
mod highlight;
mod jumps;
mod litmoscope;
mod series;
#[cfg(test)]
mod sweeping;
mod types;
mod untyped;
mod x86;

pub use cursor::{
    Cursor, Lines, Numbers, Signs, Token, TokenKind, Wrong, begins_with, lines_that_say, refuse, too_long, wrong,
};
pub use diagnostic::{Diagnostic, Severity, render};
pub use dialects::Dialects;
pub use highlight::{TokenClass, highlight};
pub use litmoscope::may_have_objects;
pub use series::{MAX_SIZE, NoProgram, Series};

use crate::program::{Mailbox, Notation, Program, Span};

/// A text that is a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The program.
    pub program: Program,
    /// What was inferred, and what looks unintended.
    pub notes: Vec<Diagnostic>,
}

/// Why a program can't be written in a notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unprintable(pub String);

/// How long a text may be, in bytes.
pub const MAX_SOURCE: usize = 256 * 1024;

/// The notation that a text asks for by its first line: `C name`, `X86 name`, `X86_64 name`, or else our own. A program for CppMem, which
/// begins with `int main`, is C.
pub fn notation(text: &str) -> Notation {
    match header(text) {
        Some(("C", _)) => Notation::C11,
        Some(("X86" | "x86", _)) => Notation::X86,
        Some(("X86_64" | "x86_64", _)) => Notation::X86_64,
        _ if c11::is_cppmem(text) => Notation::C11,
        _ => Notation::Litmoscope,
    }
}

/// The two words of a first line such as `C MP+rel+acq`, blank lines and herd's comments before it skipped.
fn header(text: &str) -> Option<(&str, &str)> {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        if let Some(comment) = rest.strip_prefix("(*") {
            rest = comment.split_once("*)")?.1.trim_start();
        } else if rest.starts_with("//") {
            rest = rest.split_once('\n')?.1.trim_start();
        } else {
            break;
        }
    }
    let mut words = rest.lines().next()?.split_whitespace();
    let (architecture, name) = (words.next()?, words.next()?);
    // `C := 1` and `C || D` are our own notation.
    name.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '"').then_some((architecture, name))
}

/// Reads a program in the notation of its first line ([`notation`]).
///
/// # Errors
/// What is wrong with the text, at least one message of severity error among them.
pub fn parse(text: &str) -> Result<Parsed, Vec<Diagnostic>> {
    parse_as(notation(text), text)
}

/// Reads a program in a given notation.
///
/// # Errors
/// What is wrong with the text, at least one message of severity error among them.
pub fn parse_as(notation: Notation, text: &str) -> Result<Parsed, Vec<Diagnostic>> {
    if text.len() > MAX_SOURCE {
        let message = format!("the text has {} bytes, more than {MAX_SOURCE}", text.len());
        let start = Span { start: 0, end: 0, line: 1, column: 1 };
        return Err(vec![Diagnostic::error(message, start)]);
    }
    match notation {
        Notation::Litmoscope => litmoscope::parse(text),
        Notation::C11 | Notation::X86 | Notation::X86_64 => dialects::parse(text, notation),
    }
}

/// The text of a program with this mailbox for every handler, and nothing else changed; `None` if it is no program with handlers.
pub fn with_mailboxes(source: &str, mailbox: Mailbox) -> Option<String> {
    match notation(source) {
        Notation::Litmoscope => litmoscope::with_mailboxes(source, mailbox),
        Notation::C11 | Notation::X86 | Notation::X86_64 => None,
    }
}

/// Writes a program in a notation. In our own, every program can be written, but for what divides C's `unsigned long`.
///
/// C's integers become numbers of 64 bits elsewhere. Where that can matter, the text begins with a comment that says so.
///
/// # Errors
/// [`Unprintable`] says what the notation has no words for.
pub fn print(program: &Program, notation: Notation) -> Result<String, Unprintable> {
    if let Some(object) = program.objects.iter().find(|object| object.uninitialised)
        && notation != Notation::Litmoscope
    {
        return Err(Unprintable(format!("herd's programs give everything a value, and `{}` has none", object.name)));
    }
    if let Some(structure) = program.structures.first()
        && notation != Notation::Litmoscope
    {
        return Err(Unprintable(format!("herd's programs have no concurrent objects such as `{}`", structure.name)));
    }
    if notation != Notation::Litmoscope && program.is_beyond_events() {
        return Err(Unprintable("herd's programs can't have `input`, `assuming` or `atomic`".to_owned()));
    }
    if (program.before.is_some() || program.after().is_some()) && notation != Notation::Litmoscope {
        return Err(Unprintable("herd's programs can't have `before` or `after`".to_owned()));
    }
    let is_assembly = |notation| matches!(notation, Notation::X86 | Notation::X86_64);
    let (without_sizes, had_sizes) = match is_assembly(program.notation) {
        true => untyped::without_sizes(program)?,
        false => (program.clone(), false),
    };
    match notation {
        Notation::C11 => return c11::print(&without_sizes),
        _ if is_assembly(program.notation) && is_assembly(notation) => return x86::print(&without_sizes, notation),
        _ => {}
    }
    let (untyped, differs) = untyped::untyped(&without_sizes)?;
    let differs = differs || had_sizes;
    let text = match notation {
        Notation::Litmoscope => litmoscope::print(&untyped)?,
        _ => x86::print(&untyped, notation)?,
    };
    const WIDER: &str = "Numbers have 64 bits here. Where this program comes from, some have fewer.";
    Ok(match notation {
        _ if !differs => text,
        Notation::Litmoscope => format!("# {WIDER}\n{text}"),
        _ => format!("(* {WIDER} *)\n{text}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_tells_the_notation() {
        for (text, expected) in [
            ("C SB\n{}", Notation::C11),
            ("\u{feff}\n(* comment *)\n// another\nC \"SB\"\n", Notation::C11),
            ("X86 SB\n{}", Notation::X86),
            ("X86_64 SB\n{}", Notation::X86_64),
            ("", Notation::Litmoscope),
            ("(* never closed\nC SB", Notation::Litmoscope),
            ("C := 1", Notation::Litmoscope),
            ("name C\nC := 1", Notation::Litmoscope),
            ("x := 1 || a := x", Notation::Litmoscope),
        ] {
            assert_eq!(notation(text), expected, "{text}");
        }
    }

    /// A program in another notation can be written in our own and read back.
    #[test]
    fn our_own_notation_writes_all_programs() {
        let texts = [
            "C shadow\n{ y=2; }\nP0 (atomic_int* x) { int y = atomic_load_explicit(x, memory_order_acquire); }\n\
             P1 (atomic_int* x, int* y) { int r0 = *y; int r1 = *y; *y = r1; *x = r0; }\n\
             locations [x; 1:r0;]\nfilter (x=0 \\/ x=1)\nexists (0:y=1 /\\ 1:r0=0 /\\ y=2)\n",
            "C rmw\n{}\nP0 (atomic_int* x, atomic_int* lock) {\n int e = 0; int r = \
             atomic_compare_exchange_strong_explicit(lock, &e, 1, memory_order_acq_rel, memory_order_acquire);\n \
             while (atomic_load(x) != 0) { atomic_fetch_add_explicit(x, 1, memory_order_release); }\n \
             if (r) { atomic_thread_fence(memory_order_seq_cst); } else { atomic_fetch_xor(x, 3); }\n}\n\
             forall (0:e=0)\n",
            "X86 SB\n{ x=1; 0:EAX=3; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MFENCE | ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
             ~exists (0:EAX=0 /\\ 1:EAX=0)\n",
            "X86_64 A\n{}\n P0 | P1 ;\n movl $1,(x) | movl (y),%eax ;\n movl $1,(y) | movl (x),%ebx ;\nexists (1:rax=1)\n",
        ];
        for text in texts {
            let parsed = parse(text).unwrap_or_else(|errors| panic!("{}", render(text, "test", &errors)));
            let mut program = parsed.program.without_spans();
            let printed = print(&program, Notation::Litmoscope).unwrap();
            let reread = parse(&printed).unwrap_or_else(|errors| panic!("{}", render(&printed, "test", &errors)));
            (program, _) = untyped::untyped(&program).unwrap();
            program.notation = Notation::Litmoscope;
            program.objects.iter_mut().for_each(|object| object.origin = crate::program::Origin::Declared);
            assert_eq!(reread.program.without_spans(), program, "{printed}");
        }
    }
}
