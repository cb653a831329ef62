//! Ways to what reads concurrent objects and `before`. Natively it is there. The page loads it with the first text that has one of them: most
//! have none.

use super::objects::{self, Structures};
use super::{Declarations, Parse, Parser};
use crate::program::{Program, RegisterId, Statement, StatementKind, Structure};
use crate::syntax::Diagnostic;
use crate::syntax::dialects;
use crate::syntax::litmoscope::lexer::quoted;
use crate::syntax::litmoscope::names::Names;

/// What reads concurrent objects, their calls, and `before`.
#[derive(Clone, Copy)]
pub(crate) struct ObjectReader {
    object: for<'a> fn(&mut Parser<'a>, &mut Declarations) -> Parse<()>,
    before: for<'a> fn(&mut Parser<'a>, &mut Declarations) -> Parse<()>,
    call: for<'a> fn(&mut Parser<'a>, Option<RegisterId>) -> Parse<StatementKind>,
    returns: for<'a> fn(&mut Parser<'a>) -> Parse<Statement>,
    declared: fn(&str, &mut Declarations, &mut Vec<Diagnostic>) -> Structures,
    registers: fn(&mut Names, &str, &mut Vec<Diagnostic>),
    structures: fn(&str, &Names, &mut Vec<Diagnostic>) -> Vec<Structure>,
    check: fn(&Program, &mut Vec<Diagnostic>),
}

impl ObjectReader {
    /// All of it. Who names this has it.
    pub(crate) const fn load() -> Self {
        Self {
            object: |parser, declarations| parser.object(declarations),
            before: |parser, declarations| parser.before(declarations),
            call: |parser, result| parser.method_call(result),
            returns: |parser| parser.return_statement(),
            declared: Structures::new,
            registers: Structures::add_registers,
            structures: objects::structures,
            check: objects::check,
        }
    }
}

/// Whether a text may have what is read so, as far as its words tell: `object` with something behind it, `before` with a brace or a comment.
pub fn may_have_objects(text: &str) -> bool {
    let behind =
        |word: &str, fits: fn(&str) -> bool| text.match_indices(word).any(|(at, _)| fits(&text[at + word.len()..]));
    behind("object", |rest| rest.starts_with(|c: char| c.is_whitespace() || c == '"'))
        || behind("before", |rest| rest.trim_start().starts_with(['{', '/', '#', '(']))
}

impl Parser<'_> {
    /// Says that what reads this is not there yet.
    fn unread<T>(&mut self) -> Parse<T> {
        let span = self.take().span;
        self.fail(Diagnostic::error("what reads such programs is still being loaded", span))
    }

    /// `object s: stack { ... }`
    pub(super) fn some_object(&mut self, declarations: &mut Declarations) -> Parse<()> {
        match dialects::objects() {
            Some(reader) => (reader.object)(self, declarations),
            None => self.unread(),
        }
    }

    /// `before { ... }`
    pub(super) fn some_before(&mut self, declarations: &mut Declarations) -> Parse<()> {
        match dialects::objects() {
            Some(reader) => (reader.before)(self, declarations),
            None => self.unread(),
        }
    }

    /// `s.push(1)`, whose result goes to a register, if there is one.
    pub(super) fn some_call(&mut self, result: Option<RegisterId>) -> Parse<StatementKind> {
        if let Some(reader) = dialects::objects() {
            return (reader.call)(self, result);
        }
        // No text that waits for it declares an object.
        let (name, span) = self.name("the name of an object", "")?;
        let help = format!("declare it before the threads: `object {}: stack {{ ... }}`", quoted(&name));
        self.fail(Diagnostic::error(format!("there is no object `{name}`"), span).with_help(help))
    }

    /// `return`, `return v`
    pub(super) fn some_return(&mut self) -> Parse<Statement> {
        match dialects::objects() {
            Some(reader) => (reader.returns)(self),
            None => self.unread(),
        }
    }
}

/// The objects that are declared.
pub(crate) fn declared(source: &str, declarations: &mut Declarations, diagnostics: &mut Vec<Diagnostic>) -> Structures {
    match dialects::objects().filter(|_| !declarations.structures.is_empty()) {
        Some(reader) => (reader.declared)(source, declarations, diagnostics),
        None => Structures::none(declarations.incomplete),
    }
}

/// Adds registers to the methods of all objects.
pub(crate) fn add_registers(names: &mut Names, source: &str, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(reader) = dialects::objects().filter(|_| !names.structures.is_empty()) {
        (reader.registers)(names, source, diagnostics);
    }
}

/// Reads the methods of all objects.
pub(crate) fn structures(source: &str, names: &Names, diagnostics: &mut Vec<Diagnostic>) -> Vec<Structure> {
    match dialects::objects().filter(|_| !names.structures.is_empty()) {
        Some(reader) => (reader.structures)(source, names, diagnostics),
        None => Vec::new(),
    }
}

/// Says what is wrong with methods that could be read.
pub(crate) fn check(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(reader) = dialects::objects().filter(|_| !program.structures.is_empty()) {
        (reader.check)(program, diagnostics);
    }
}
