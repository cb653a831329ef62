//! Programs, in each notation.

use crate::document::{Definition, PROGRAM, Summary};
use crate::program::Notation;
use crate::syntax::{self, Diagnostic, Unprintable};
use crate::words;

/// A notation with its name, title, endings, and whether it is the one that the first line of a text asks for.
macro_rules! notation {
    ($notation:ident, $name:literal, $title:literal, $endings:expr) => {
        Definition {
            name: $name,
            title: concat!("a program in ", $title),
            subject: &PROGRAM,
            notation: Some(Notation::$notation),
            endings: $endings,
            begins: |text| syntax::notation(text) == Notation::$notation,
            read: |text| read(text, Notation::$notation),
            highlight: |text| syntax::highlight(text, Notation::$notation),
            rewrite: |text| rewrite(text, Notation::$notation),
        }
    };
}

pub(super) const LITMOSCOPE: Definition = notation!(Litmoscope, "litmoscope", "Litmoscope's notation", &["lit"]);
pub(super) const C11: Definition = notation!(C11, "c11", "herd's C", &["litmus"]);
pub(super) const X86: Definition = notation!(X86, "x86", "herd's X86", &["litmus"]);
pub(super) const X86_64: Definition = notation!(X86_64, "x86_64", "herd's X86_64", &["litmus"]);

fn read(text: &str, notation: Notation) -> Result<Summary, Vec<Diagnostic>> {
    let parsed = syntax::parse_as(notation, text)?;
    let program = parsed.program;
    let threads = words::count(program.threads.len() as u64, "thread");
    let size = format!("{threads}, {}", words::count(program.objects.len() as u64, "shared name"));
    Ok(Summary { notes: parsed.notes, name: program.name.clone(), size, program: Some(program) })
}

fn rewrite(text: &str, notation: Notation) -> Result<Result<String, Unprintable>, Vec<Diagnostic>> {
    Ok(syntax::print(&syntax::parse_as(notation, text)?.program, notation))
}
