//! Programs, in each notation.

use crate::document::Summary;
use crate::program::Notation;
use crate::syntax::{self, Diagnostic, Unprintable};
use crate::words;

macro_rules! notations {
    ($($kind:ident: $notation:ident, $title:literal, $endings:expr;)*) => {
        $(pub(crate) mod $kind {
            use crate::document::{Definition, PROGRAM, Rewrite};
            use crate::program::Notation;
            use crate::syntax;

            pub(crate) const DEFINITION: Definition = Definition {
                name: stringify!($kind),
                title: concat!("a program in ", $title),
                subject: &PROGRAM,
                notation: Some(Notation::$notation),
                endings: $endings,
                begins: |text| syntax::notation(text) == Notation::$notation,
                read: |text| super::read(text, Notation::$notation),
                highlight: |text| syntax::highlight(text, Notation::$notation),
            };

            pub(crate) const REWRITE: Rewrite = |text| super::rewrite(text, Notation::$notation);
        })*
    };
}

// Each with its title and what the names of its files end in.
notations! {
    litmoscope: Litmoscope, "Litmoscope's notation", &["lit"];
    c11: C11, "herd's C", &["litmus"];
    x86: X86, "herd's X86", &["litmus"];
    x86_64: X86_64, "herd's X86_64", &["litmus"];
}

fn read(text: &str, notation: Notation) -> Result<Summary, Vec<Diagnostic>> {
    let parsed = syntax::parse_as(notation, text)?;
    let program = parsed.program;
    let threads = words::count(program.threads.len() as u64, "thread");
    let size = format!("{threads}, {}", words::count(program.objects.len() as u64, "shared name"));
    Ok(Summary { notes: parsed.notes, size, program: Some(program) })
}

fn rewrite(text: &str, notation: Notation) -> Result<Result<String, Unprintable>, Vec<Diagnostic>> {
    Ok(syntax::print(&syntax::parse_as(notation, text)?.program, notation))
}
